//! Commits of a git history that may be the mending of a fault.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::bench::Change;
use crate::exec::{Command, Outcome};
use crate::obstacle::Obstacle;
use crate::suite::TestCode;

/// Source files that a mending changes, at most.
const MOST_FILES: usize = 4;
/// Words of a subject that say that something is mended.
const MENDING: [&str; 12] = [
    "fix",
    "bug",
    "crash",
    "overflow",
    "leak",
    "wrong",
    "incorrect",
    "broken",
    "regression",
    "segfault",
    "null",
    "off-by",
];

/// First words of a subject that say that something new is added: tests tell that from what was before, but that was no fault.
const ADDING: [&str; 8] = ["add", "added", "adds", "allow", "implement", "introduce", "new", "support"];

/// A commit that changes few lines of source code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its hash.
    pub id: String,
    /// The hash of the commit before it.
    pub parent: String,
    /// First line of its message.
    pub subject: String,
    /// The source files that it changes, without those of tests.
    pub sources: Vec<String>,
    /// How much looks like a mending: 2 for changed tests, 1 for a word of the subject; 0 where something new is added.
    pub promise: u8,
}

/// A git repository.
pub struct History {
    repository: PathBuf,
}

impl History {
    /// The repository at `path`, with or without a work tree.
    ///
    /// # Errors
    /// When git does not know it.
    pub fn open(path: &Path) -> Result<History, Obstacle> {
        let history = History { repository: path.into() };
        history.said(&["rev-parse", "--git-dir"]).map_err(|obstacle| {
            let why = obstacle.into_message();
            Obstacle::new(Obstacle::Request, format!("{} is no git repository that can be read: {why}", path.display()))
        })?;
        Ok(history)
    }

    /// The commits after `since` up to `until` that have one parent and change at most `most_lines` lines in a few C files that are no tests: the most
    /// promising first, younger ones before older ones; and how many others there are whose files the repository does not have.
    ///
    /// # Errors
    /// When git knows no such commits.
    pub fn commits(&self, range: &str, most_lines: u32, tests: &TestCode) -> Result<(Vec<Commit>, usize), Obstacle> {
        let (log, n_partial) = match self.log(&["--numstat", "--format=%x00%H%x1f%P%x1f%s", range]) {
            Ok(log) => (log, 0),
            Err(_) => self.log_of_each(range)?,
        };
        let mut commits: Vec<Commit> = log.split('\0').filter_map(|record| commit(record, most_lines, tests)).collect();
        commits.sort_by_key(|commit| std::cmp::Reverse(commit.promise));
        Ok((commits, n_partial))
    }

    /// The log commit by commit, for a copy of a repository that lacks files; and how many commits cannot be read.
    fn log_of_each(&self, range: &str) -> Result<(String, usize), Obstacle> {
        let ids = self.log(&["--format=%H", range])?;
        let one = |id: &str| self.log(&["--no-walk", "--numstat", "--format=%x00%H%x1f%P%x1f%s", id]).ok();
        let known: Vec<Option<String>> = ids.lines().map(one).collect();
        let n_partial = known.iter().filter(|one| one.is_none()).count();
        Ok((known.into_iter().flatten().collect(), n_partial))
    }

    fn log(&self, arguments: &[&str]) -> Result<String, Obstacle> {
        let fixed = ["-c", "core.quotePath=off", "log", "--no-merges", "--no-renames"];
        let all: Vec<&str> = fixed.iter().chain(arguments).copied().chain(["--"]).collect();
        Ok(String::from_utf8_lossy(&self.said(&all)?).into_owned())
    }

    /// Puts the files of a commit into `tree`, an empty directory; `scratch` is for git.
    ///
    /// # Errors
    /// When git or the disk refuses.
    pub fn check_out(&self, commit: &str, tree: &Path, scratch: &Path) -> Result<(), Obstacle> {
        let index = scratch.join("index");
        let mut place = OsString::from("--work-tree=");
        place.push(tree);
        let steps =
            [&["read-tree".into(), commit.into()][..], &[place, "checkout-index".into(), "-a".into(), "-f".into()]];
        for arguments in steps {
            let mut command = self.command(arguments);
            command.env.set("GIT_INDEX_FILE", index.clone());
            checked(&command.run().map_err(Obstacle::of(Obstacle::File))?)?;
        }
        Ok(())
    }

    /// What the commit before has instead of the sources that this one changes; `None` if one of them is new or gone.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub fn changes(&self, commit: &Commit) -> Result<Option<Vec<Change>>, Obstacle> {
        let mut changes = Vec::new();
        for file in &commit.sources {
            let (Some(new), Some(old)) = (self.file(&commit.parent, file)?, self.file(&commit.id, file)?) else {
                return Ok(None);
            };
            changes.push(Change { file: file.clone(), old, new });
        }
        Ok(Some(changes))
    }

    /// The patch that takes a commit's changes of its sources back, with so many lines around each.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub fn reversal(&self, commit: &Commit, context: u32) -> Result<Vec<u8>, Obstacle> {
        let around = format!("-U{context}");
        let fixed = ["diff", "--no-color", "--no-ext-diff", "--no-renames", &around, &commit.id, &commit.parent, "--"];
        let arguments: Vec<&str> = fixed.into_iter().chain(commit.sources.iter().map(String::as_str)).collect();
        self.said(&arguments)
    }

    fn file(&self, commit: &str, file: &str) -> Result<Option<Vec<u8>>, Obstacle> {
        let outcome = self.command(&["cat-file".into(), "blob".into(), format!("{commit}:{file}").into()]).run();
        let outcome = outcome.map_err(Obstacle::of(Obstacle::File))?;
        Ok((outcome.status.success() && !outcome.stdout.truncated).then_some(outcome.stdout.bytes))
    }

    fn said(&self, arguments: &[&str]) -> Result<Vec<u8>, Obstacle> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let outcome = self.command(&arguments).run().map_err(Obstacle::of(Obstacle::File))?;
        checked(&outcome)?;
        Ok(outcome.stdout.bytes)
    }

    fn command(&self, arguments: &[OsString]) -> Command {
        Command::new(std::iter::once(OsString::from("git")).chain(arguments.iter().cloned()), &self.repository)
    }
}

fn checked(outcome: &Outcome) -> Result<(), Obstacle> {
    if outcome.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&outcome.stderr.bytes);
    let why = said.lines().next().unwrap_or("it does not say why").to_owned();
    Err(Obstacle::new(Obstacle::Request, format!("git fails ({}): {why}", outcome.status)))
}

/// A commit of the log, if it changes few lines of source code.
fn commit(record: &str, most_lines: u32, tests: &TestCode) -> Option<Commit> {
    let (head, files) = record.split_once('\n').unwrap_or((record, ""));
    let [id, parent, subject] = head.splitn(3, '\x1f').collect::<Vec<_>>()[..] else { return None };
    if parent.len() != id.len() {
        return None;
    }
    let (mut sources, mut n_lines, mut tested) = (Vec::new(), 0, false);
    for line in files.lines().filter(|line| !line.is_empty()) {
        let [added, removed, file] = line.splitn(3, '\t').collect::<Vec<_>>()[..] else { return None };
        let is_c = [".c", ".h"].iter().any(|end| file.ends_with(end));
        match tests.has(file) {
            true => tested = true,
            false if is_c => {
                n_lines += added.parse::<u32>().ok()? + removed.parse::<u32>().ok()?;
                sources.push(file.to_owned());
            }
            false => {}
        }
    }
    let words = subject.to_lowercase();
    let mends = MENDING.iter().any(|word| words.contains(word));
    let first = words.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let adds = !mends && ADDING.contains(&first);
    let is_small = !sources.is_empty() && sources.len() <= MOST_FILES && n_lines <= most_lines;
    is_small.then(|| Commit {
        id: id.to_owned(),
        parent: parent.to_owned(),
        subject: subject.to_owned(),
        sources,
        promise: if adds { 0 } else { 2 * u8::from(tested) + u8::from(mends) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_changes_of_sources_are_found_with_what_they_promise() {
        let record = |subject: &str, files: &str| {
            let text = format!("aaaa\x1fbbbb\x1f{subject}\n\n{files}");
            commit(&text, 10, &TestCode::default()).map(|found| (found.sources, found.promise))
        };
        let sources = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(record("Fix it", "1\t2\tsrc/a.c\n5\t0\ttests/a.sh\n"), Some((sources(&["src/a.c"]), 3)));
        assert_eq!(record("Add a -x", "1\t2\ta.c\n5\t0\ttests/a.sh\n"), Some((sources(&["a.c"]), 0)), "a feature");
        assert_eq!(record("Add missing null checks", "1\t2\ta.c\n"), Some((sources(&["a.c"]), 1)));
        assert_eq!(record("Go on", "1\t2\ta.c\n1\t1\ta.h\n90\t0\tNEWS\n"), Some((sources(&["a.c", "a.h"]), 0)));
        assert_eq!(record("Fix it", "9\t2\tsrc/a.c\n"), None, "too large");
        assert_eq!(record("Fix the docs", "1\t2\tREADME\n1\t1\ttests/t.c\n"), None, "no source");
        assert_eq!(record("Fix it", "-\t-\tsrc/a.c\n"), None, "binary");
        assert_eq!(commit("aaaa\x1f\x1fThe first one\n\n1\t0\ta.c\n", 10, &TestCode::default()), None);
        assert_eq!(commit("aaaa\x1fbbbb cccc\x1fA merge\n\n1\t0\ta.c\n", 10, &TestCode::default()), None);
    }
}
