//! One start of a program inside of a test that is a driver, as a test of its own.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::Test;
use super::cases::shell_argv;
use super::config::ScratchKind;
use super::driver::{Driver, of_start};
use super::oracle::Oracle;
use super::test::{Plan, command_text};
use crate::exec::ScratchRoot;
use crate::exec::kept::{Reply, Start};
use crate::exec::named::Named;

/// Starts that run before another one, at most: each trial runs all of them.
const MOST_FEEDING: usize = 16;

/// A start of a program with what it answered.
pub(super) struct KeptStart<'a> {
    pub(super) driver: &'a Driver,
    pub(super) kept: &'a Path,
    pub(super) number: usize,
    pub(super) start: Start,
    pub(super) reply: Reply,
    /// Whether it runs before another one that reads what it writes.
    is_feeding: bool,
}

impl<'a> KeptStart<'a> {
    /// Reads it, if it is whole.
    pub(super) fn read(driver: &'a Driver, kept: &'a Path, number: usize) -> Option<KeptStart<'a>> {
        let own = of_start(kept, number);
        let start: Start = serde_json::from_slice(&fs::read(own.join(Start::DESCRIPTION)).ok()?).ok()?;
        let reply = Reply::read(&own).ok().filter(|_| start.is_whole)?;
        Some(KeptStart { driver, kept, number, start, reply, is_feeding: false })
    }

    /// Takes it for one that writes this file: it ended before it did.
    fn should_write(&mut self, named: Named) -> io::Result<()> {
        let own = of_start(self.kept, self.number);
        let there = self.start.files.iter().position(|file| *file == named);
        self.reply.stdout = there.map_or(Ok(Vec::new()), |file| fs::read(own.join(Start::file(file))))?;
        self.reply.file = Some(named);
        self.start.written = vec![named];
        self.reply.write(&own)?;
        self.describe()
    }

    /// Takes the one file that it wrote for its output, though it wrote to standard output, too. Returns whether there is one.
    fn judge_by_file(&mut self) -> io::Result<bool> {
        let own = of_start(self.kept, self.number);
        let ([named], Ok(text)) = (self.start.written.as_slice(), fs::read(own.join(Start::WRITTEN))) else {
            return Ok(false);
        };
        self.reply.file = Some(*named);
        fs::write(own.join(Reply::SAID), std::mem::replace(&mut self.reply.stdout, text))?;
        self.start.is_unseen = true;
        self.reply.write(&own)?;
        self.describe().map(|()| true)
    }

    fn describe(&self) -> io::Result<()> {
        let file = of_start(self.kept, self.number).join(Start::DESCRIPTION);
        fs::write(file, serde_json::to_vec(&self.start)?)
    }

    /// Whether another start of the same program writes a file where this one names one: of the same name, or behind as many arguments.
    fn file_as_in(&self, other: &KeptStart) -> Option<Named> {
        let named = other.reply.file.filter(|_| other.start.program == self.start.program)?;
        let (own, its) = (named.name(&self.start.argv)?, named.name(&other.start.argv)?);
        let is_alike = self.start.argv.len() == other.start.argv.len() && !self.start.files.contains(&named);
        (own == its || is_alike).then_some(named)
    }

    /// `spec, 266th start of cmark`.
    pub(super) fn name(&self) -> String {
        let program = Path::new(&self.start.program).file_name().unwrap_or_default().to_string_lossy();
        format!("{}, {} start of {program}", self.driver.test.name, ordinal(self.number + 1))
    }

    pub(super) fn directory(&self) -> PathBuf {
        match self.start.is_temporary {
            true => of_start(self.kept, self.number).join(Start::DIRECTORY),
            false => PathBuf::from(&self.start.cwd),
        }
    }

    /// The program: its copy, if it was in the temporary directory.
    fn program(&self) -> PathBuf {
        let program = Path::new(&self.start.program);
        let inside = program.strip_prefix(&self.start.cwd).ok().filter(|_| self.start.is_temporary);
        inside.map_or_else(|| program.to_owned(), |inside| self.directory().join(inside))
    }

    /// Whether it reads what an earlier start wrote: to its output, or into a file that both name and that was not there.
    pub(super) fn is_fed_by(&self, earlier: &KeptStart) -> bool {
        let wrote = &earlier.reply.stdout;
        let is_output = |text: &[u8]| !wrote.is_empty() && text == wrote;
        let input = fs::read(of_start(self.kept, self.number).join(Start::INPUT)).unwrap_or_default();
        let there = earlier.files();
        let is_given = |(named, text): &(Named, Vec<u8>)| {
            let Some(name) = named.name(&self.start.argv) else { return false };
            let is_new = !there.iter().any(|(other, _)| other.name(&earlier.start.argv) == Some(name));
            is_output(text) || is_new && earlier.start.argv.iter().skip(1).any(|word| names(word, name))
        };
        is_output(&input) || self.files().iter().any(is_given)
    }

    /// The files that its arguments name and that it may read, with their numbers.
    fn read_files(&self) -> impl Iterator<Item = (usize, &Named)> {
        let Start { files, written, overwrites, .. } = &self.start;
        files.iter().enumerate().filter(|(_, named)| !(*overwrites && written.contains(named)))
    }

    /// These files, with what was in them.
    fn files(&self) -> Vec<(Named, Vec<u8>)> {
        let own = of_start(self.kept, self.number);
        let file = |(number, named): (usize, &Named)| Some((*named, fs::read(own.join(Start::file(number))).ok()?));
        self.read_files().filter_map(file).collect()
    }

    /// Where it writes what is read in a file of this name with this text, as a shell takes it; without a name, in an input.
    fn place_of(&self, name: Option<&OsStr>, text: &[u8]) -> Option<String> {
        let Start { argv, written, .. } = &self.start;
        let is_it = |named: &Named| name.is_some() && named.name(argv) == name;
        if let (Some(number), Some(name)) = (written.iter().position(is_it), name) {
            return Some(self.own_name(number, name));
        }
        (!text.is_empty() && text == self.reply.stdout).then(|| self.output_name())
    }

    /// What the file is called that has its output, as a shell takes it.
    fn output_name(&self) -> String {
        let name = self.reply.file.and_then(|named| named.name(&self.start.argv));
        self.own_name(0, name.unwrap_or(OsStr::new(Reply::OUTPUT)))
    }

    /// All that it may read, with where the last of some earlier starts writes that: an input without a name.
    fn fed(&self, earlier: &[KeptStart]) -> Vec<(Option<Named>, usize, String)> {
        let input = fs::read(of_start(self.kept, self.number).join(Start::INPUT)).unwrap_or_default();
        let last = |(named, text): (Option<Named>, Vec<u8>)| {
            let name = named.and_then(|named| named.name(&self.start.argv));
            earlier.iter().rev().find_map(|other| Some((named, other.number, other.place_of(name, &text)?)))
        };
        let files = self.files().into_iter().map(|(named, text)| (Some(named), text));
        files.chain([(None, input)]).filter_map(last).collect()
    }

    /// The earlier starts that write what it reads, and those that write what these read.
    pub(super) fn feeding(&self, earlier: &[KeptStart]) -> BTreeSet<usize> {
        let (mut feeding, mut open) = (BTreeSet::new(), vec![self]);
        while let Some(one) = open.pop() {
            let fed = one.fed(&earlier[..one.number]).into_iter().map(|(_, number, _)| number);
            open.extend(fed.filter(|number| feeding.insert(*number)).map(|number| &earlier[number]));
        }
        feeding
    }

    /// Has it run behind the earlier starts that feed it. Returns whether it then does what it did.
    pub(super) fn stands_behind(&mut self, earlier: &[KeptStart]) -> bool {
        let feeding = self.feeding(earlier);
        if !(1..=MOST_FEEDING).contains(&feeding.len())
            || feeding.iter().any(|number| earlier[*number].start.cwd != self.start.cwd)
        {
            return false;
        }
        self.start.behind = feeding.into_iter().collect();
        self.is_same_alone() && self.describe().is_ok()
    }

    /// The starts that run before it.
    fn before(&self) -> Vec<KeptStart<'a>> {
        let read = |number: &usize| KeptStart::read(self.driver, self.kept, *number);
        let feeding = |start: KeptStart<'a>| KeptStart { is_feeding: true, ..start };
        self.start.behind.iter().filter_map(read).map(feeding).collect()
    }

    /// Its command before another one, as a shell takes it.
    fn feeding_line(&self, earlier: &[KeptStart]) -> String {
        let (copies, command) = self.fed_command(earlier);
        let is_file = self.reply.file.is_some() || self.start.is_unseen;
        let to = if is_file { "/dev/null".to_owned() } else { self.output_name() };
        let errors = if self.start.is_merged { "2>&1" } else { "2> /dev/null" };
        format!("{copies}{command} > {to} {errors}; ")
    }

    /// The program and its arguments: files that are not there any more, or others, are those that were kept.
    fn argv(&self) -> Vec<OsString> {
        let directory = self.directory();
        let mut argv = self.start.argv.clone();
        let others = self.start.files.iter().enumerate().filter(|(_, named)| !self.start.written.contains(named));
        for (file, named) in others {
            let Some((before, name)) = named.split(&self.start.argv) else { continue };
            let copy = of_start(self.kept, self.number).join(Start::file(file));
            if fs::read(directory.join(name)).ok() != fs::read(&copy).ok() {
                let mut changed = before.to_owned();
                changed.push(&copy);
                argv[named.argument] = changed;
            }
        }
        let called = argv.first().cloned().unwrap_or_default();
        let program = self.program();
        let is_it = |path: &Path| path.canonicalize().ok() == program.canonicalize().ok();
        // Messages of a program begin with what it is called.
        let is_found = || self.in_path(&called).is_some_and(|path| is_it(&path));
        if !(if called.as_bytes().contains(&b'/') { is_it(&directory.join(&called)) } else { is_found() }) {
            argv.first_mut().into_iter().for_each(|name| *name = program.clone().into());
        }
        argv
    }

    /// The file that a name without a directory means to the driver.
    fn in_path(&self, name: &OsStr) -> Option<PathBuf> {
        let (_, path) = self.start.env.iter().find(|(variable, _)| variable == "PATH")?;
        let places = std::env::split_paths(path).filter(|place| place.is_absolute());
        places.map(|place| place.join(name)).find(|file| file.is_file())
    }

    /// The command as a shell takes it, and before it the copies of files that it changes. Its files go into a temporary directory: no two
    /// runs may meet in one file, nor in the project's.
    fn fed_command(&self, earlier: &[KeptStart]) -> (String, String) {
        let argv = self.argv();
        let mut words: Vec<String> = argv.iter().map(|word| command_text(std::slice::from_ref(word))).collect();
        let mut copies = String::new();
        for (number, named) in self.start.written.iter().enumerate() {
            let Some((before, name)) = named.split(&argv) else { continue };
            let own = self.own_name(number, name);
            let before = if before.is_empty() { String::new() } else { command_text(&[before.to_owned()]) };
            words[named.argument] = format!("{before}{own}");
            if let Some(file) = self.read_files().find_map(|(number, file)| (file == named).then_some(number)) {
                let copy = of_start(self.kept, self.number).join(Start::file(file));
                copies.push_str(&format!("cp {} {own} && ", command_text(&[copy.into()])));
            }
        }
        let mut input =
            self.start.has_input.then(|| command_text(&[of_start(self.kept, self.number).join(Start::INPUT).into()]));
        for (named, _, place) in self.fed(earlier) {
            match named {
                None => input = input.map(|_| place),
                Some(named) if self.start.written.contains(&named) => {}
                Some(named) => {
                    let before = named.split(&argv).map(|(before, _)| before).filter(|before| !before.is_empty());
                    let before = before.map_or(String::new(), |before| command_text(&[before.to_owned()]));
                    words[named.argument] = before + &place;
                }
            }
        }
        words.extend(input.map(|input| format!("< {input}")));
        (copies, words.join(" "))
    }

    /// What a written file is called, as a shell takes it.
    fn own_name(&self, number: usize, name: &OsStr) -> String {
        let name = Path::new(name).file_name().unwrap_or_default().to_owned();
        let mut own = if self.is_feeding { format!("{}-", self.number + 1) } else { String::new() };
        if number > 0 {
            own.push_str(&format!("{number}-"));
        }
        format!("\"${{TMPDIR:-/tmp}}\"/{own}{}", command_text(&[name]))
    }

    pub(super) fn plan(&self, oracle: Oracle) -> Plan {
        let before = self.before();
        let lines = before.iter().enumerate().map(|(at, start)| start.feeding_line(&before[..at]));
        let lines: String = lines.collect();
        let (copies, mut command) = self.fed_command(&before);
        if self.start.is_unseen {
            command.push_str(" > /dev/null");
        }
        if self.start.is_merged {
            command.push_str(" 2>&1");
        }
        let line = match self.reply.file.and_then(|named| named.name(&self.start.argv)) {
            // In a shell of its own: the other one says of a signal what is none of the program's output.
            Some(name) => {
                let own = self.own_name(0, name);
                format!("{lines}{copies}({command}); status=$?; cat {own} 2> /dev/null; exit $status")
            }
            None => lines + &copies + &command,
        };
        let own = &self.driver.test.plan;
        let scratch = if self.start.is_temporary { ScratchKind::Copy } else { ScratchKind::None };
        let (timeout, needs, env) = (own.timeout, own.needs.clone(), self.environment());
        Plan { argv: shell_argv(line.into()), env, scratch, oracle, timeout, needs, ..Plan::default() }
    }

    /// What the driver changes of its environment, besides what its own test does.
    fn environment(&self) -> Vec<(OsString, Option<OsString>)> {
        let before = self.driver.test.environment_in(Path::new("/")).sealed();
        let is_ours = |name: &OsStr| {
            name.as_bytes().starts_with(b"SUSPECT_")
                || ["PWD", "OLDPWD", "SHLVL", "_", "TMPDIR", "PYTHONUNBUFFERED"].iter().any(|own| name == *own)
        };
        let now: HashMap<&OsString, &OsString> = self.start.env.iter().map(|(name, value)| (name, value)).collect();
        let mut env = self.driver.test.plan.env.clone();
        let set = self.start.env.iter().filter(|(name, value)| before.get(name) != Some(value));
        env.extend(set.map(|(name, value)| (name.clone(), Some(value.clone()))));
        env.extend(before.keys().filter(|name| !now.contains_key(name)).map(|name| (name.clone(), None)));
        env.retain(|(name, _)| !is_ours(name));
        env.sort();
        env
    }

    /// Whether the program does by itself what it did for the driver; finds out whether it reads the files that it writes.
    pub(super) fn stands_alone(&mut self) -> bool {
        if self.start.files.iter().any(|file| self.start.written.contains(file)) {
            self.start.overwrites = true;
            if self.is_same_alone() && self.describe().is_ok() {
                return true;
            }
            self.start.overwrites = false;
        }
        self.is_same_alone()
    }

    fn is_same_alone(&self) -> bool {
        let run = || {
            let test = Test {
                name: self.name(),
                index: self.number,
                suite: self.driver.test.suite,
                command: String::new(),
                dir: self.directory(),
                around: None,
                plan: self.plan(Oracle::default()),
            };
            let root = ScratchRoot::new().ok()?;
            let scratch = root.scratch(self.number).ok()?;
            let cwd = test.working_dir(&scratch).ok()?;
            test.command_in(&cwd, &scratch.tmp()).run().ok()
        };
        !self.driver.deadline.is_over()
            && run().and_then(|outcome| Reply::of(&outcome, self.reply.file)).is_some_and(|reply| reply == self.reply)
    }
}

/// Has starts be judged by the one file that they wrote, not by what they wrote to standard output. Returns whether there are any.
pub(super) fn judge_by_files(started: &mut [KeptStart]) -> io::Result<bool> {
    started.iter_mut().try_fold(false, |any, start| Ok(start.judge_by_file()? || any))
}

/// Has starts that wrote nothing at all write where others do.
pub(super) fn write_as_others(started: &mut [KeptStart]) -> io::Result<()> {
    for number in 0..started.len() {
        let own = &started[number];
        let is_silent = own.reply.stdout.is_empty() && own.start.written.is_empty();
        let named = is_silent.then(|| started.iter().find_map(|other| own.file_as_in(other))).flatten();
        named.map_or(Ok(()), |named| started[number].should_write(named))?;
    }
    Ok(())
}

/// Whether a word of a command line is a file's name, or an option with it: `-o`, `--out=`.
fn names(word: &OsStr, file: &OsStr) -> bool {
    let before = word.as_bytes().strip_suffix(file.as_bytes());
    before.is_some_and(|option| option.is_empty() || option.ends_with(b"=") || option.len() == 2 && option[0] == b'-')
}

/// `1st`, `22nd`, `113th`.
fn ordinal(number: usize) -> String {
    let suffix = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_are_english() {
        let all: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 112, 266].into_iter().map(ordinal).collect();
        assert_eq!(all, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th", "266th"]);
    }

    #[test]
    fn files_are_named_by_words_and_options() {
        let named = |word: &str| names(OsStr::new(word), OsStr::new("out.z"));
        assert_eq!(
            ["out.z", "-oout.z", "--to=out.z", "about.z", "out.zip"].map(named),
            [true, true, true, false, false]
        );
    }
}
