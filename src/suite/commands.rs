//! The commands of a recipe that tests, each a test: `test: ; ./prog a | cmp - a.out` and so on. Commands that share a file are one; a loop is one
//! for each of its words.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::SuiteError;
use super::load::Listing;
use super::rounds::{self, is_start};
use super::started::SAID;
use crate::exec::{Command, Status, git};

/// Tests that one recipe makes, at most: each is run a dozen times.
const MOST: usize = 300;
/// Programs that execute a file of the project.
const INTERPRETERS: [&str; 12] =
    ["sh", "bash", "dash", "ksh", "zsh", "python", "python3", "perl", "ruby", "tclsh", "lua", "node"];
/// Commands that only make room or put away: what they name is no work of theirs.
const TIDYING: [&str; 3] = ["rm", "mkdir", "rmdir"];
/// Words of a shell in front of a command.
const KEYWORDS: [&str; 11] = ["if", "then", "else", "elif", "do", "while", "until", "!", "time", "exec", "env"];
/// What ends a command for a shell.
const ENDS: [char; 9] = ['\n', ';', '|', '&', '(', ')', '{', '}', '`'];
/// What a pattern of files has.
const PATTERN: [char; 3] = ['*', '?', '['];
/// Characters of a test's name that come from its command, at most.
const LONGEST_NAME: usize = 40;

/// Commands of a recipe that belong together.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// For a test's name.
    pub(super) name: String,
    /// What a shell executes.
    pub(super) line: String,
    /// Where.
    pub(super) dir: PathBuf,
}

/// The groups of what `make` would run for a call with one target; nothing where one starts no program of the project, or the only one is more than that.
///
/// # Errors
/// When make cannot be started.
pub(super) fn list<'c>(listing: &Listing, call: impl IntoIterator<Item = &'c str>) -> Result<Vec<Group>, SuiteError> {
    let mut ask = Command { ..listing.tool(call.into_iter().chain(["-n", "-w"])) };
    ask.env.set("LC_ALL", "C");
    let outcome = listing.try_tool(&ask)?;
    if outcome.status != Status::Exited(0) {
        return Ok(Vec::new());
    }
    let said = String::from_utf8_lossy(&outcome.stdout.bytes);
    let commands = commands(&said, &listing.dir);
    Ok(grouped(&commands, &Tree { root: listing.root }))
}

/// One command of a recipe, or a round of one.
#[derive(Debug, PartialEq, Eq)]
struct Recipe {
    /// For a test's name.
    name: String,
    line: String,
    /// The line, or what it comes to in this round.
    text: String,
    dir: PathBuf,
}

impl Recipe {
    /// A line of a recipe, as often as it goes round.
    fn all_of(line: &str, dir: &Path) -> Vec<Recipe> {
        let rounds = rounds::of(line, dir).filter(|rounds| rounds.len() > 1);
        let one =
            |named: &str, line: String, text: String| Recipe { name: name_of(named), line, text, dir: dir.to_owned() };
        match rounds {
            Some(rounds) => rounds.into_iter().map(|round| one(&round.word, round.line, round.text)).collect(),
            None => vec![one(line, line.to_owned(), line.to_owned())],
        }
    }
}

/// What `make -n -w` says that it would run, but for calls of make that it follows and commands that only say something.
fn commands(said: &str, top: &Path) -> Vec<Recipe> {
    let (mut found, mut dirs): (Vec<(&str, PathBuf)>, Vec<PathBuf>) = (Vec::new(), vec![top.to_owned()]);
    let (mut rest, mut is_before) = (said, false);
    while !rest.is_empty() {
        let (line, behind) = rest.split_at(end_of_command(rest));
        rest = behind.strip_prefix('\n').unwrap_or(behind);
        let dir = dirs.last().map_or(top, PathBuf::as_path).to_owned();
        // Whether the command before it may be what called make again; one call may do so several times.
        let may_call = std::mem::replace(&mut is_before, false);
        match Said::of(line) {
            Said::Entering(deeper, is_first) => {
                dirs.push(dir.join(deeper));
                found.truncate(found.len() - usize::from(!is_first && may_call));
            }
            Said::Leaving => _ = dirs.pop(),
            Said::Remark => is_before = may_call,
            Said::Command => {
                found.push((line, dir));
                is_before = true;
            }
        }
    }
    found.iter().flat_map(|(line, dir)| Recipe::all_of(line, dir)).collect()
}

/// Where a command ends that goes on behind each backslash at the end of a line.
fn end_of_command(text: &str) -> usize {
    let is_end = |(at, _): &(usize, &str)| !text[..*at].ends_with('\\');
    text.match_indices('\n').find(is_end).map_or(text.len(), |(at, _)| at)
}

/// A line that make wrote.
enum Said<'s> {
    /// Into which directory it goes, and whether it is the first of all.
    Entering(&'s str, bool),
    Leaving,
    /// What make says itself, or a command that only says something.
    Remark,
    Command,
}

impl<'s> Said<'s> {
    fn of(line: &'s str) -> Said<'s> {
        let of_make = ["make", "gmake"].into_iter().find_map(|make| line.strip_prefix(make));
        if let Some((level, said)) = of_make.and_then(|rest| rest.split_once(": "))
            && (level.is_empty() || level.starts_with('['))
        {
            let entered = said.strip_prefix("Entering directory ").map(|dir| dir.trim_matches(['\'', '`', '"']));
            return match entered {
                Some(dir) => Said::Entering(dir, level.is_empty()),
                None if said.starts_with("Leaving directory") => Said::Leaving,
                None => Said::Remark,
            };
        }
        let first = line.split_whitespace().next().unwrap_or_default();
        let is_more = line.contains(['|', '&', ';', '<', '>', '`']);
        match first.is_empty() || first.starts_with('#') || (says(first) && !is_more) {
            true => Said::Remark,
            false => Said::Command,
        }
    }
}

/// Whether a command only says something: `cat` says what a file has.
fn says(command: &str) -> bool {
    SAID.contains(&command) || command == "cat"
}

/// What is known of files.
trait Files {
    /// Whether it is an executable file below the project's root.
    fn is_program(&self, path: &Path) -> bool;
    /// Those that the project comes with, and directories of such.
    fn come_with(&self, paths: &[&Path]) -> BTreeSet<PathBuf>;
}

struct Tree<'r> {
    root: &'r Path,
}

impl Files for Tree<'_> {
    fn is_program(&self, path: &Path) -> bool {
        use std::os::unix::fs::PermissionsExt;
        let is_executable =
            || path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0);
        path.starts_with(self.root) && is_executable()
    }

    fn come_with(&self, paths: &[&Path]) -> BTreeSet<PathBuf> {
        // Nothing but git tells what a test has made from what it reads.
        let texts = paths.iter().filter(|path| path.starts_with(self.root)).filter_map(|path| path.to_str());
        let arguments: Vec<&str> = ["ls-files", "--"].into_iter().chain(texts).collect();
        // Without a path it would list them all.
        let said = git::said(self.root, &arguments).filter(|_| arguments.len() > 2).unwrap_or_default();
        let kept: Vec<PathBuf> = said.lines().map(|file| self.root.join(file)).collect();
        let is_kept = |path: &&&Path| kept.iter().any(|file| file.starts_with(path));
        paths.iter().filter(is_kept).map(|path| path.to_path_buf()).collect()
    }
}

/// What a command names.
#[derive(Default)]
struct Named {
    /// Whether it starts a program or script of the project.
    starts: bool,
    files: BTreeSet<PathBuf>,
    /// Files that are written anew before they are read.
    fresh: BTreeSet<PathBuf>,
    /// Values of options, each a file only if another command names it as one.
    values: BTreeSet<PathBuf>,
}

impl Named {
    fn of(recipe: &Recipe, files: &impl Files) -> Named {
        let (mut named, mut dirs) = (Named::default(), vec![recipe.dir.clone()]);
        // A status that is asked for is no file.
        let text = recipe.text.replace("$?", "0");
        for command in text.split(ENDS) {
            let command = &command.replace(">>", " < ").replace('>', " > ").replace('<', " ");
            let words = command.split([' ', '\t']).map(|word| word.trim_matches(['"', '\'', '\\', '@']));
            let words = words.filter(|word| !word.is_empty() && !KEYWORDS.contains(word));
            let words: Vec<&str> = words.skip_while(|word| word.contains('=')).collect();
            match words[..] {
                ["cd", dir, ..] => dirs.push(dirs[dirs.len() - 1].join(dir)),
                // What is only said names no file.
                [first, ..] if SAID.contains(&first) && !command.contains('>') => {}
                // Whether a `cd` before it still counts is not read: its files may be in any of the directories.
                _ => dirs.iter().for_each(|dir| named.add(&words, dir, files)),
            }
        }
        named
    }

    /// Adds the words of one command.
    fn add(&mut self, words: &[&str], dir: &Path, files: &impl Files) {
        let (mut is_value, mut is_written, mut is_script) = (false, false, false);
        for (at, &word) in words.iter().enumerate() {
            let path = plain(&dir.join(word));
            if std::mem::replace(&mut is_written, word == ">") && !word.contains('$') && !self.files.contains(&path) {
                self.fresh.insert(path.clone());
            }
            // A script that is executed is no work of the tests.
            if is_script && !word.starts_with('-') {
                is_script = false;
                continue;
            }
            is_script |= INTERPRETERS.contains(&word);
            match word {
                ">" => {}
                _ if INTERPRETERS.contains(&word) => self.starts = true,
                _ if word.contains('/') && files.is_program(&path) || word.starts_with("./") => self.starts = true,
                _ if at == 0 || word.starts_with('-') => {}
                // It may be any file.
                _ if word.contains('$') => _ = self.files.insert(PathBuf::from("/")),
                _ if word.contains(PATTERN) => _ = self.files.insert(around_pattern(&path)),
                _ if !word.chars().any(|c| c.is_alphabetic() || c == '.') => {}
                // The value of an option, rather than a file.
                _ if is_value && !word.contains(['/', '.']) => _ = self.values.insert(path),
                _ => _ = self.files.insert(path),
            }
            is_value = word.starts_with('-') && word != "-o";
        }
    }

    /// Whether one may read what the other writes: a file that the project does not come with, or a directory around it.
    fn shares(&self, other: &Named, known: &BTreeSet<PathBuf>) -> bool {
        let reads =
            |one: &Named, file: &PathBuf| one.files.iter().chain(&one.values).any(|path| file.starts_with(path));
        let is_anew = |file: &PathBuf| self.fresh.contains(file) && other.fresh.contains(file);
        let meet = |one: &Named, other: &Named| {
            one.files.iter().filter(|path| !known.contains(*path) && !is_anew(path)).any(|file| reads(other, file))
        };
        meet(self, other) || meet(other, self)
    }
}

/// The directory below which everything lies that a pattern matches.
fn around_pattern(path: &Path) -> PathBuf {
    path.components().take_while(|part| !part.as_os_str().to_string_lossy().contains(PATTERN)).collect()
}

/// A path without the steps that lead nowhere.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

/// Commands that share a file, in their order, for each set of those that start a program of the project; nothing where another one does more than to tidy up,
/// or the only one is more than a start.
fn grouped(commands: &[Recipe], files: &impl Files) -> Vec<Group> {
    let tidies = |command: &&Recipe| command.line.split_whitespace().next().is_some_and(|word| TIDYING.contains(&word));
    let commands: Vec<&Recipe> = commands.iter().filter(|command| !tidies(command)).collect();
    let named: Vec<Named> = commands.iter().map(|command| Named::of(command, files)).collect();
    let paths: BTreeSet<&Path> = named.iter().flat_map(|named| named.files.iter().map(PathBuf::as_path)).collect();
    let known = files.come_with(&paths.into_iter().collect::<Vec<_>>());
    let mut group_of: Vec<usize> = (0..commands.len()).collect();
    for later in 1..commands.len() {
        for earlier in 0..later {
            let (one, other) = (group_of[earlier], group_of[later]);
            if one != other && named[earlier].shares(&named[later], &known) {
                group_of.iter_mut().filter(|group| **group == other).for_each(|group| *group = one);
            }
        }
    }
    let members = |group: usize| -> Vec<usize> { (0..commands.len()).filter(|at| group_of[*at] == group).collect() };
    let groups: Vec<Vec<usize>> = (0..commands.len()).map(members).filter(|group| !group.is_empty()).collect();
    let all_start = groups.iter().all(|group| group.iter().any(|at| named[*at].starts));
    let is_one = groups.len() == 1 && !matches!(commands[..], [only] if is_start(&only.line));
    if !all_start || is_one || groups.len() > MOST {
        return Vec::new();
    }
    groups.iter().map(|group| Group::of(&group.iter().map(|at| commands[*at]).collect::<Vec<_>>())).collect()
}

impl Group {
    fn of(commands: &[&Recipe]) -> Group {
        let dir = commands[0].dir.clone();
        let line = match commands {
            [command] => command.line.clone(),
            all => {
                let there = |command: &Recipe| match command.dir == dir {
                    true => format!("( {}\n)", command.line),
                    false => format!("( cd {} && {}\n)", shell_word(&command.dir), command.line),
                };
                all.iter().map(|command| there(command)).collect::<Vec<_>>().join(" && ")
            }
        };
        Group { name: commands[0].name.clone(), line, dir }
    }
}

fn shell_word(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// A name made of a command's words, without what has a meaning in patterns and lists of tests.
fn name_of(line: &str) -> String {
    let is_set = |word: &&str| word.contains('=') || *word == "\\";
    let line: Vec<&str> = line.split_whitespace().skip_while(is_set).collect();
    let line = line.join(" ");
    let words = line.split(|c: char| !(c.is_alphanumeric() || "._/+-".contains(c)));
    let words = words.map(|word| word.trim_start_matches("./").trim_matches(['-', '.', '/']));
    let mut name = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        if !name.is_empty() && name.len() + word.len() >= LONGEST_NAME {
            break;
        }
        name.push_str(if name.is_empty() { "" } else { "-" });
        name.extend(word.chars().take(LONGEST_NAME));
    }
    name
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every path below `bin` is a program, every file below `in` but `o` comes with the project.
    struct Simple;

    impl Files for Simple {
        fn is_program(&self, path: &Path) -> bool {
            path.starts_with("/p/bin")
        }

        fn come_with(&self, paths: &[&Path]) -> BTreeSet<PathBuf> {
            paths
                .iter()
                .filter(|path| path.starts_with("/p/in") && !path.ends_with("o"))
                .map(|path| path.to_path_buf())
                .collect()
        }
    }

    #[test]
    fn a_loop_is_a_command_for_each_word() {
        let said = "for t in bin/a bin/b; do ./$t || exit 1; done\n";
        assert_eq!(lines(said), ["./bin/a", "./bin/b"]);
        let names: Vec<String> =
            grouped(&commands(said, Path::new("/p")), &Simple).into_iter().map(|group| group.name).collect();
        assert_eq!(names, ["bin/a", "bin/b"]);
        let compared = "for t in in/x in/y; do ./a < $t > o; cmp o in/z || exit 1; done\n";
        assert_eq!(
            lines(compared),
            ["in/x", "in/y"].map(|word| format!("for t in {word}; do ./a < $t > o; cmp o in/z || exit 1; done"))
        );
        assert_eq!(lines("for t in in/x in/y; do echo $t; perl t/run $t || exit 1; done\n").len(), 2);
        for shared in
            ["./a < $t >> o; cmp o in/z", "cmp o $t; ./a > o", "n=$((n+1)); ./a < $t > o.$n", "./a < $t > ${t%/*}"]
        {
            assert_eq!(lines(&format!("for t in in/x in/y; do {shared}; done\n")), [""; 0], "{shared}");
        }
    }

    #[test]
    fn the_only_command_is_one_if_it_starts_a_program_and_no_more() {
        assert_eq!(lines("./a\n"), ["./a"]);
        assert_eq!(lines("L=. X='1 2' ./a in/x\n").len(), 0);
        assert_eq!(lines("L=. ./a in/x\n"), ["L=. ./a in/x"]);
        assert_eq!(lines("./a in/x | cmp - in/y\n"), [""; 0]);
    }

    #[test]
    fn a_loop_that_calls_make_is_what_make_runs_for_each() {
        let said = "for d in s t; do make -C $d; done\nmake[1]: Entering directory '/p/s'\n./a\nmake[1]: Leaving directory '/p/s'\n\
                    make[1]: Entering directory '/p/t'\n./b\nmake[1]: Leaving directory '/p/t'\n";
        assert_eq!(lines(said), ["./a", "./b"]);
    }

    fn lines(said: &str) -> Vec<String> {
        grouped(&commands(said, Path::new("/p")), &Simple).into_iter().map(|group| group.line).collect()
    }

    #[test]
    fn each_command_that_starts_a_program_is_one() {
        let said = "make: Entering directory '/p'\necho tests\ncat head\n./a in/x | cmp - in/y\n./a in/x -v \\\n  in/z\nrm -f out\nmake: Leaving directory '/p'\n";
        assert_eq!(lines(said), ["./a in/x | cmp - in/y", "./a in/x -v \\\n  in/z"]);
    }

    #[test]
    fn commands_that_share_what_one_of_them_writes_are_one() {
        let said = "./a < in/1 > o1\n./a < in/2 > o2\nbin/b new/f\ncmp in/x o1\ncmp in/x o2\n./c new\n";
        assert_eq!(
            lines(said),
            [
                "( ./a < in/1 > o1\n) && ( cmp in/x o1\n)",
                "( ./a < in/2 > o2\n) && ( cmp in/x o2\n)",
                "( bin/b new/f\n) && ( ./c new\n)"
            ]
        );
    }

    #[test]
    fn a_recipe_that_does_something_else_is_not_taken_apart() {
        assert_eq!(
            lines("printf x | ./a | test `cat` = 1\nif true; then ./a | test `cat` = 2; fi\nX=1 ./c\n").len(),
            3
        );
        for said in [
            "./a\ncmp x y\n",
            "./a x\n./b x\n",
            "echo >x\n./a x\n",
            "./a x\n./b y\nwc x y\n",
            "gcc -c a.c\n./b\n./c\n",
            "",
        ] {
            assert_eq!(lines(said), [""; 0], "{said}");
        }
    }

    #[test]
    fn commands_of_a_make_below_run_in_its_directory() {
        let said = "make: Entering directory '/p'\nmake -C t all\nmake[1]: Entering directory '/p/t'\nmake[1]: Nothing to be done for 'all'.\n\
                    sh a.sh\nX=1 \\\nsh b.sh\nmake[1]: Leaving directory '/p/t'\n./c\n";
        let found = grouped(&commands(said, Path::new("/p")), &Simple);
        let found: Vec<(&str, &str)> =
            found.iter().map(|group| (&group.name[..], group.dir.to_str().unwrap())).collect();
        assert_eq!(found, [("sh-a.sh", "/p/t"), ("sh-b.sh", "/p/t"), ("c", "/p")]);
    }

    #[test]
    fn files_are_shared_by_directories_patterns_and_variables_too() {
        for said in [
            "cd in && ./a > o\n./b in/o\n",
            "(cd in; ./a); ./a > o\n./b o\n",
            "./a > in/o\n./b in\n",
            "./a > in/o\n./b in/*.x\n",
            "./a > o\n./b $x\n",
            "./a > o/p\n./b o\n",
        ] {
            assert_eq!(lines(said), [""; 0], "{said}");
        }
        for said in ["cd in && ./a 1\ncd in && ./b 2\n", "./a in/*.x\n./b in/*.x\n", "./a in/x > o\n./b in/x > p\n"] {
            assert_eq!(lines(said).len(), 2, "{said}");
        }
    }

    #[test]
    fn values_of_options_are_no_files() {
        assert_eq!(lines("./a -m fast in/1\n./a -m fast in/2\n").len(), 2);
        assert_eq!(lines("./a -o fast in/1\n./a -i fast in/2\n"), [""; 0]);
    }

    proptest! {
        #[test]
        fn each_command_is_in_one_group(said in "((\\./)?[abx]( [abx<>|/]{1,3}){0,3}\n){0,8}") {
            let parts = commands(&said, Path::new("/p"));
            let found = grouped(&parts, &Simple);
            if !found.is_empty() {
                for part in &parts {
                    prop_assert!(found.iter().any(|group| group.line.contains(&part.line)), "{} in {:?}", part.line, found);
                }
            }
        }

        #[test]
        fn no_text_is_too_odd(said in "\\PC*|(make(\\[1\\])?: (Entering|Leaving) directory '/?x'\n|\\./a \\\\\n|\n){0,9}") {
            for group in grouped(&commands(&said, Path::new("/p")), &Simple) {
                prop_assert!(group.name.len() <= 4 * LONGEST_NAME);
            }
        }
    }
}
