//! Lines of the source that changed since a git revision.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use crate::exec::Outcome;
use crate::obstacle::Obstacle;

/// Lines of the work tree that differ from a revision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines {
    /// By file, relative to the project's root: ranges of lines, from 1.
    files: BTreeMap<String, Vec<Range<u32>>>,
}

impl ChangedLines {
    /// The lines of files below `root` that the work tree has and `revision` has not; files that git does not know yet are new.
    pub fn since(root: &Path, revision: &str) -> Result<ChangedLines, Obstacle> {
        let wrong = |why: String| Obstacle::new(Obstacle::Request, format!("--since {revision}: {why}"));
        let inside = git(root, &["rev-parse", "--is-inside-work-tree"])?;
        if !inside.status.success() {
            return Err(wrong(format!("{} is in no work tree of git: {}", root.display(), said(&inside))));
        }
        let commit =
            git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")])?;
        if !commit.status.success() {
            return Err(wrong("git knows no such revision; give a branch, a tag or a commit".into()));
        }
        let commit = String::from_utf8_lossy(&commit.stdout.bytes).trim().to_string();
        // The user's own settings must not change how a difference is written.
        let diff = [
            "-c",
            "core.quotePath=off",
            "diff",
            "--unified=0",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "--ignore-submodules",
            "--relative",
            &commit,
            "--",
        ];
        let outcome = git(root, &diff)?;
        if !outcome.status.success() || outcome.stdout.truncated {
            return Err(wrong(format!("git diff failed: {}", said(&outcome))));
        }
        let mut changed = ChangedLines::parse(&String::from_utf8_lossy(&outcome.stdout.bytes));
        let untracked = git(root, &["ls-files", "-z", "--others", "--exclude-standard"])?;
        for file in untracked.stdout.bytes.split(|byte| *byte == 0).filter(|file| !file.is_empty()) {
            changed.files.entry(String::from_utf8_lossy(file).into_owned()).or_default().push(1..u32::MAX);
        }
        Ok(changed)
    }

    /// From what `git diff --unified=0` writes.
    fn parse(diff: &str) -> ChangedLines {
        let mut changed = ChangedLines::default();
        let mut file = None;
        // Lines of a hunk that are still to come: what begins like a header there is text.
        let mut left = 0u32;
        for line in diff.lines() {
            if left > 0 {
                left -= u32::from(line.starts_with(['+', '-']));
            } else if let Some(path) = line.strip_prefix("+++ ") {
                file = path.trim_end_matches('\t').strip_prefix("b/").map(str::to_string);
            } else if let Some((removed, added)) = hunk(line) {
                left = removed + (added.end - added.start);
                if let Some(file) = file.as_ref().filter(|_| !added.is_empty()) {
                    changed.files.entry(file.clone()).or_default().push(added);
                }
            }
        }
        changed
    }

    /// The lines of each file that has any: ranges, from 1.
    pub fn ranges(&self) -> BTreeMap<String, Vec<RangeInclusive<u32>>> {
        let closed = |range: &Range<u32>| range.start..=range.end - 1;
        self.files.iter().map(|(file, ranges)| (file.clone(), ranges.iter().map(closed).collect())).collect()
    }
}

/// The number of removed lines, and the new lines, from `@@ -1,2 +3,4 @@`.
fn hunk(line: &str) -> Option<(u32, Range<u32>)> {
    let (old, new) = line.strip_prefix("@@ -")?.split_once(" @@")?.0.split_once(" +")?;
    let lines = |text: &str| -> Option<Range<u32>> {
        let (start, length) = text.split_once(',').unwrap_or((text, "1"));
        let (start, length): (u32, u32) = (start.parse().ok()?, length.parse().ok()?);
        Some(start..start.checked_add(length)?)
    };
    let removed = lines(old)?;
    Some((removed.end - removed.start, lines(new)?))
}

fn git(root: &Path, arguments: &[&str]) -> Result<Outcome, Obstacle> {
    crate::exec::git::git(root, arguments)
        .map_err(|error| Obstacle::new(Obstacle::Request, format!("--since needs git: {error}")))
}

fn said(outcome: &Outcome) -> String {
    String::from_utf8_lossy(&outcome.stderr.bytes).lines().next().unwrap_or("no reason given").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_say_which_lines_are_new() {
        let diff = "diff --git a/src/a b.c b/src/a b.c\nindex 1..2 100644\n--- a/src/a b.c\t\n+++ b/src/a b.c\t\n\
            @@ -3 +3,2 @@ int f\n-old\n+++ c;\n+new\n@@ -9,2 +10,0 @@\n--- a;\n-gone\n@@ -20,0 +20 @@\n+one\n\\ No newline at end of file\n\
            diff --git a/gone.c b/gone.c\n--- a/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let changed = ChangedLines::parse(diff);
        assert_eq!(changed.files, BTreeMap::from([("src/a b.c".to_string(), vec![3..5, 20..21])]));
        assert_eq!(changed.ranges(), BTreeMap::from([("src/a b.c".to_string(), vec![3..=4, 20..=20])]));
    }
}
