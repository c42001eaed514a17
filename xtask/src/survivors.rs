//! Breaks one line at a time of a room, and names the breaks that no unit test of the room notices.
//!
//! A break exchanges one operator or word. It is made in a copy of the project; a break that does not compile counts for nothing. Breaks that change
//! nothing that anybody could see are listed in xtask/equivalent.tsv, each with the reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::numbers::{in_test_modules, is_test_file, rust_files};

/// What is exchanged, first by second.
const EXCHANGES: [(&str, &str); 20] = [
    (" == ", " != "),
    (" != ", " == "),
    (" <= ", " < "),
    (" >= ", " > "),
    (" < ", " <= "),
    (" > ", " >= "),
    (" && ", " || "),
    (" || ", " && "),
    (" + ", " - "),
    (" - ", " + "),
    (" += ", " -= "),
    (" * ", " + "),
    (".min(", ".max("),
    (".max(", ".min("),
    (".any(", ".all("),
    (".all(", ".any("),
    ("is_some_and(", "is_none_or("),
    ("is_none_or(", "is_some_and("),
    ("is_none()", "is_some()"),
    ("is_some()", "is_none()"),
];

/// Times that the tests may take as long as without a break, and seconds beyond that: a break may make a loop endless.
const PATIENCE: (u32, Duration) = (10, Duration::from_secs(20));

/// One exchange in one line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Break {
    /// The file, from the project's root.
    file: String,
    /// The line, from 1.
    line: usize,
    /// The line as it is, and broken; without space around.
    before: String,
    after: String,
}

/// What became of breaks.
#[derive(Default)]
struct Counts {
    not_built: usize,
    killed: usize,
    equivalent: usize,
    survived: Vec<Break>,
}

/// Breaks the lines of some rooms, such as `core/src/history`, and prints what survives.
///
/// # Errors
/// When a room is not there, its tests fail without a break, or a break survives that is not listed.
pub fn run(rooms: &[&str]) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the project has no root")?;
    let listed = equivalent(&fs::read_to_string(root.join("xtask/equivalent.tsv")).map_err(|e| e.to_string())?)?;
    let mut n_survived = 0;
    for room in rooms {
        let tree = root.join("target/survivors/tree");
        copy(root, &tree)?;
        let counts = Room::new(root, &tree, room)?.break_all(&listed)?;
        let (killed, survived) = (counts.killed, counts.survived.len());
        let Counts { not_built, equivalent, .. } = counts;
        println!("{room}: {killed} killed, {survived} survived, {equivalent} equivalent, {not_built} do not compile");
        n_survived += survived;
    }
    if n_survived == 0 {
        Ok(())
    } else {
        Err(format!("{n_survived} breaks survive: write tests, or list them with a reason"))
    }
}

/// Breaks that are listed: file, line as it is, broken line, reason.
fn equivalent(text: &str) -> Result<BTreeSet<(String, String, String)>, String> {
    let row = |(number, line): (usize, &str)| match line.split('\t').collect::<Vec<_>>()[..] {
        [file, before, after, reason] if !reason.is_empty() => Ok((file.into(), before.into(), after.into())),
        _ => Err(format!("xtask/equivalent.tsv:{}: expected file, line, broken line, reason", number + 1)),
    };
    text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')).map(row).collect()
}

/// Copies the files that git tracks, as they are in the work tree.
fn copy(root: &Path, tree: &Path) -> Result<(), String> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output().map_err(|e| e.to_string())?;
    for name in String::from_utf8_lossy(&listed.stdout).split('\0').filter(|name| !name.is_empty()) {
        let (from, to) = (root.join(name), tree.join(name));
        // A file that is the same keeps its time, so that nothing is compiled for it.
        let Ok(bytes) = fs::read(&from) else { continue };
        if fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        let made = to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&to, bytes));
        made.map_err(|error| format!("cannot write {}: {error}", to.display()))?;
    }
    Ok(())
}

/// A room, in the copy.
struct Room<'a> {
    tree: &'a Path,
    build: PathBuf,
    folder: &'a str,
    package: &'static str,
    /// The beginning of its tests' names.
    tests: String,
}

impl<'a> Room<'a> {
    fn new(root: &Path, tree: &'a Path, folder: &'a str) -> Result<Room<'a>, String> {
        let (package, name) = match (folder.strip_prefix("core/src/"), folder.strip_prefix("src/")) {
            (Some(name), _) => ("suspect-core", name),
            (_, Some(name)) => ("suspect", name),
            _ => return Err(format!("{folder} is no room: expected core/src/NAME or src/NAME")),
        };
        let tests = format!("{}::", name.trim_end_matches(".rs").replace('/', "::"));
        let build = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target/survivors/build"), PathBuf::from);
        Ok(Room { tree, build, folder, package, tests })
    }

    fn break_all(&self, listed: &BTreeSet<(String, String, String)>) -> Result<Counts, String> {
        let tests = self.compile().ok_or_else(|| format!("{}: its tests do not compile", self.folder))?;
        let began = Instant::now();
        if !self.passes(&tests, Duration::MAX) {
            return Err(format!("{}: its tests fail without a break", self.folder));
        }
        let limit = began.elapsed() * PATIENCE.0 + PATIENCE.1;
        let mut counts = Counts::default();
        for one in self.breaks()? {
            if listed.contains(&(one.file.clone(), one.before.clone(), one.after.clone())) {
                counts.equivalent += 1;
                continue;
            }
            match self.with(&one, || self.compile().map(|tests| self.passes(&tests, limit)))? {
                None => counts.not_built += 1,
                Some(false) => counts.killed += 1,
                Some(true) => {
                    println!("{}:{}: survives\n  {}\n  {}", one.file, one.line, one.before, one.after);
                    counts.survived.push(one);
                }
            }
        }
        Ok(counts)
    }

    fn breaks(&self) -> Result<Vec<Break>, String> {
        let folder = self.tree.join(self.folder);
        let files = if folder.is_dir() { rust_files(&folder)? } else { vec![folder] };
        let mut found = Vec::new();
        for path in files {
            let name = path.strip_prefix(self.tree).map_err(|error| error.to_string())?.display().to_string();
            let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {name}: {error}"))?;
            if !is_test_file(&name) {
                found.extend(breaks_of(&name, &text));
            }
        }
        Ok(found)
    }

    /// Does something while a line is broken.
    fn with<T>(&self, one: &Break, act: impl FnOnce() -> T) -> Result<T, String> {
        let path = self.tree.join(&one.file);
        let write = |text: &str| fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", one.file));
        let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", one.file))?;
        let broken = |(number, line): (usize, &str)| match number + 1 == one.line {
            true => format!("{}\n", one.after),
            false => format!("{line}\n"),
        };
        write(&text.lines().enumerate().map(broken).collect::<String>())?;
        let done = act();
        write(&text)?;
        Ok(done)
    }

    /// The program of the unit tests; none if it does not compile.
    fn compile(&self) -> Option<PathBuf> {
        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--locked", "--lib", "--no-run", "--package", self.package]);
        let done = cargo.current_dir(self.tree).env("CARGO_TARGET_DIR", &self.build).output().ok()?;
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        let path = said.rsplit_once("Executable ")?.1.split(['(', ')']).nth(1)?.to_owned();
        done.status.success().then(|| self.tree.join(path))
    }

    fn passes(&self, tests: &Path, limit: Duration) -> bool {
        let crate_of = if self.package == "suspect" { self.tree.to_path_buf() } else { self.tree.join("core") };
        let mut command = Command::new(tests);
        command.arg(&self.tests).current_dir(crate_of).stdout(Stdio::null()).stderr(Stdio::null());
        let (Ok(mut child), began) = (command.spawn(), Instant::now()) else { return false };
        while began.elapsed() < limit {
            match child.try_wait() {
                Ok(Some(status)) => return status.success(),
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                Err(_) => break,
            }
        }
        // It may have ended just now.
        let _ = child.kill();
        let _ = child.wait();
        false
    }
}

/// The breaks of a file, outside of tests and comments.
fn breaks_of(name: &str, text: &str) -> Vec<Break> {
    let lines: Vec<&str> = text.lines().collect();
    let is_test = in_test_modules(&lines);
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate().filter(|(number, _)| !is_test[*number]) {
        let code = line.split("//").next().unwrap_or_default();
        if code.trim_start().starts_with(['#', '/']) || code.trim_start().starts_with("use ") {
            continue;
        }
        for (from, to) in EXCHANGES {
            found.extend(code.match_indices(from).map(|(at, _)| Break {
                file: name.to_owned(),
                line: number + 1,
                before: line.trim().to_owned(),
                after: format!("{}{to}{}", &code[..at], &code[at + from.len()..]).trim().to_owned(),
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operator_is_broken_by_itself_outside_of_tests_and_comments() {
        let text =
            "// a < b\nfn f() -> bool {\n    a < b && b < c // a + b\n}\n\n#[cfg(test)]\nfn g() {\n    a < b;\n}\n";
        let found = breaks_of("a.rs", text);
        let after: Vec<(usize, &str)> = found.iter().map(|one| (one.line, one.after.as_str())).collect();
        assert_eq!(after, [(3, "a <= b && b < c"), (3, "a < b && b <= c"), (3, "a < b || b < c")]);
        assert!(found.iter().all(|one| one.before == "a < b && b < c // a + b"));
    }

    #[test]
    fn a_break_that_is_listed_has_a_reason() {
        let listed = equivalent("# why\na.rs\ta < b\ta <= b\tthey are never equal\n").unwrap();
        assert!(listed.contains(&("a.rs".into(), "a < b".into(), "a <= b".into())));
        assert!(equivalent("a.rs\ta < b\ta <= b\n").unwrap_err().contains("equivalent.tsv:1"));
    }
}
