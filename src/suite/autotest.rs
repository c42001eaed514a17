//! Scripts that GNU Autotest generated: where they are, and what they say of a test group.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Verdict;
use super::mismatch::clip;
use super::verdict::{Judgement, not_runnable};
use crate::exec::Outcome;

/// What a project's configure script writes for its tests.
pub(super) const CONFIG: &str = "atconfig";
/// What says at the head of a script that Autotest generated it.
const GENERATED: &str = "by GNU Autoconf";
/// Bytes of a script in which that stands.
const HEAD: u64 = 400;

/// Whether there is a configured test script of Autotest in a directory.
pub(super) fn is_in(dir: &Path) -> bool {
    dir.join(CONFIG).is_file() && script(dir).is_some()
}

/// Whether a directory has the source of such a script.
pub(super) fn has_source(dir: &Path) -> bool {
    let names =
        fs::read_dir(dir).into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.into_iter().any(|name| name.ends_with(".at"))
        && fs::read_to_string(dir.join("testsuite.at")).is_ok_and(|text| text.contains("AT_INIT"))
}

/// The generated script, which is here or where the sources are.
pub(super) fn script(dir: &Path) -> Option<PathBuf> {
    let config = fs::read_to_string(dir.join(CONFIG)).unwrap_or_default();
    let sources = config.lines().find_map(|line| line.strip_prefix("abs_srcdir=")).map(|word| word.trim_matches('\''));
    let dirs = [Some(dir.to_owned()), sources.map(PathBuf::from)];
    let in_dir = |dir: PathBuf| {
        let mut files: Vec<PathBuf> =
            fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.sort();
        files.into_iter().filter(|path| path.is_file()).find(|path| is_generated(path))
    };
    dirs.into_iter().flatten().find_map(in_dir)
}

/// Whether a file is a script that Autotest generated from some `.at`.
fn is_generated(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let text = String::from_utf8_lossy(&head);
    let mut lines = text.lines();
    read.is_ok()
        && lines.next().is_some_and(|first| first.starts_with("#!"))
        && lines.next().is_some_and(|second| second.contains(".at ") && second.contains(GENERATED))
}

/// The verdict on a group by what the script says of it at the end: ` ok`, ` skipped (file.at:20)`, ` FAILED (file.at:20)`.
pub(super) fn judge(outcome: &Outcome, output: &[u8]) -> Judgement {
    if let Some(judgement) = not_runnable(outcome) {
        return judgement;
    }
    let text = String::from_utf8_lossy(output);
    let said = text.lines().filter_map(result).next_back();
    match (outcome.status.success(), said) {
        (true, Some(said)) if said.starts_with("skipped") => {
            Judgement::new(Verdict::Skip, clip(place(said).as_bytes()))
        }
        (true, Some(said)) if said.starts_with("expected failure") => {
            Judgement::new(Verdict::Pass, "fails as expected")
        }
        (true, Some(_)) => Judgement::pass(),
        (true, None) => Judgement::error("the script ran no group"),
        (false, said) => Judgement::fail(complaint(&text, said)),
    }
}

/// What is said of a group after its number and place: `3. fetch.at:17:  ok`.
fn result(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once(". ")?;
    let (place, said) = rest.split_once(": ")?;
    let is_group = number.bytes().all(|byte| byte.is_ascii_digit()) && !place.contains(' ');
    let said = said.trim_start();
    (is_group && !said.starts_with("testing ")).then_some(said)
}

/// The place in what is said of a group: `FAILED (fetch.at:20)`.
fn place(said: &str) -> &str {
    said.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or(said, |(place, _)| place)
}

/// Where a group failed, and the first thing that is not as it should be.
fn complaint(text: &str, said: Option<&str>) -> String {
    let Some(said) = said else { return "the script ended before the group did".to_owned() };
    let place = place(said);
    let status = text.lines().rev().find_map(|line| {
        let at = line.find(": exit code was ")?;
        Some(line[at + 2..].to_owned())
    });
    // What differs may be the output of `diff` itself, whose head has the time of day.
    let is_different = |line: &&str| {
        let rest = line.strip_prefix(['-', '+']);
        rest.is_some_and(|rest| !["--", "++", "@@"].iter().any(|head| rest.starts_with(head)))
    };
    let difference = text.lines().find(is_different).map(|line| format!("`{line}`"));
    let what: Vec<String> = status.into_iter().chain(difference).collect();
    match what.is_empty() {
        true => clip(format!("fails at {place}").as_bytes()),
        false => clip(format!("{place}: {}", what.join(", ")).as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_told_by_its_last_line() {
        assert_eq!(result("3. fetch.at:17:  ok"), Some("ok"));
        assert_eq!(result("3. fetch.at:17: testing fetch a record ..."), None);
        assert_eq!(result("12. a.at:1:  skipped (a.at:4)"), Some("skipped (a.at:4)"));
        assert_eq!(result("e.g. see: this"), None);
    }

    #[test]
    fn a_complaint_has_the_place_and_the_first_difference() {
        let text = "3. f.at:17: testing it ...\n./f.at:20: ./p\n--- -\t2026\n+++ x/stdout\t2026\n@@ -1 +1 @@\n-five\n+six\n\
            ./f.at:20: exit code was 2, expected 0\n3. f.at:17:  FAILED (f.at:20)\n";
        let said = text.lines().filter_map(result).next_back();
        assert_eq!(complaint(text, said), "f.at:20: exit code was 2, expected 0, `-five`");
        let nested = text.replace("-five", "+--- input\t2026\n+@@ -1 +1 @@\n+-four");
        assert_eq!(complaint(&nested, said), "f.at:20: exit code was 2, expected 0, `+-four`");
        let crashed = "3. f.at:17:  FAILED (f.at:20)";
        assert_eq!(complaint(crashed, result(crashed)), "fails at f.at:20");
    }
}
