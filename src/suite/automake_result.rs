//! What Automake's test driver leaves of a run: a log, and a file with results.

use std::fs;
use std::path::{Path, PathBuf};

use super::Verdict;
use super::mismatch::clip;
use super::verdict::{Judgement, last_line, said_of_failure, status_text};
use crate::exec::{Scratch, Status};

/// Where the test's log goes.
pub(super) fn log_file(scratch: &Scratch) -> PathBuf {
    scratch.path().join("log")
}

/// Where the test's result goes.
pub(super) fn trs_file(scratch: &Scratch) -> PathBuf {
    scratch.path().join("trs")
}

/// The verdict from the results that the driver wrote, one for a plain test, several for a TAP script.
pub(super) fn judge(trs: &Path, status: Status, log: &[u8]) -> Judgement {
    let text = fs::read(trs).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let results: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix(":test-result:"))
        .map(|result| result.trim().split_once(' ').unwrap_or((result.trim(), "")))
        .collect();
    let first = |word: &str| results.iter().find(|(result, _)| *result == word).map(|(_, what)| what.trim());
    let said = |word: &str, what: &str| match what {
        "" => logged(log, word, results.len()).unwrap_or_default(),
        what => clip(what.as_bytes()),
    };
    if let Some(what) = first("ERROR") {
        return Judgement::error(said("ERROR", what));
    }
    if let Some(what) = first("FAIL") {
        return Judgement::fail(said("FAIL", what));
    }
    if let Some(what) = first("XPASS") {
        return Judgement::fail(format!("passes, but is expected to fail: {what}").trim_end_matches([':', ' ']));
    }
    match results.is_empty() {
        true => Judgement::error(format!("the test driver wrote no result ({})", status_text(status))),
        false if results.iter().all(|(result, _)| *result == "SKIP") => {
            Judgement { reason: Some(said("SKIP", results[0].1)).filter(|why| !why.is_empty()), ..Judgement::skip() }
        }
        false if first("XFAIL").is_some() => Judgement::new(Verdict::Pass, "fails as expected"),
        false => Judgement::pass(),
    }
}

/// What the log says about the first result of this kind. A driver of scripts with several results logs each
/// (`FAIL: t.tap 2 - sum`); of a plain test it is what tells the failure best beside the driver's own (`FAIL t.sh (exit status: 1)`).
fn logged(log: &[u8], word: &str, results: usize) -> Option<String> {
    let mut lines = log.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    if results > 1 {
        let prefix = format!("{word}: ");
        let line = lines.find_map(|line| line.strip_prefix(prefix.as_bytes()))?;
        let after_name = line.iter().position(|byte| *byte == b' ').map_or(line, |at| &line[at + 1..]);
        return Some(clip(after_name));
    }
    let prefix = format!("{word} ");
    let rest: Vec<&[u8]> = lines.filter(|line| !line.starts_with(prefix.as_bytes())).collect();
    said_of_failure(&rest).or_else(|| last_line(log))
}
