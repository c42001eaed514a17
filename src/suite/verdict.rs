//! What a run of a test says about the program.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::complaint;
use super::mismatch::{Mismatch, clip};
use crate::exec::{Outcome, Status};

/// What a run of a test says about the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The program does what the test wants.
    Pass,
    /// The program does something else.
    Fail,
    /// The test says that it does not apply here.
    Skip,
    /// The test did not end in time: neither passed nor failed.
    Timeout,
    /// The test could not be run: nothing is known.
    Error,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Skip => "skip",
            Verdict::Timeout => "timeout",
            Verdict::Error => "error",
        })
    }
}

/// A verdict and, unless it goes without saying, why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) verdict: Verdict,
    pub(super) reason: Option<String>,
    /// Where the output is wrong first, if that is why.
    pub(super) mismatch: Option<Mismatch>,
}

impl Judgement {
    pub(super) fn pass() -> Judgement {
        Judgement { verdict: Verdict::Pass, reason: None, mismatch: None }
    }

    pub(super) fn skip() -> Judgement {
        Judgement { verdict: Verdict::Skip, ..Judgement::pass() }
    }

    pub(super) fn new(verdict: Verdict, reason: impl Into<String>) -> Judgement {
        Judgement { verdict, reason: Some(reason.into()), mismatch: None }
    }

    pub(super) fn fail(reason: impl Into<String>) -> Judgement {
        Judgement::new(Verdict::Fail, reason)
    }

    /// A failure since the output is not the one called `expected`.
    pub(super) fn differs(expected: &str, mismatch: Mismatch) -> Judgement {
        let reason = Some(format!("output differs from {expected}: {mismatch}"));
        Judgement { verdict: Verdict::Fail, reason, mismatch: Some(mismatch) }
    }

    pub(super) fn error(reason: impl Into<String>) -> Judgement {
        Judgement::new(Verdict::Error, reason)
    }
}

/// Signals of a program that did something it may not.
const CRASHES: [i32; 7] =
    [libc::SIGSEGV, libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSYS, libc::SIGTRAP];

/// The signal that ended the program, also when a shell says so by its exit status.
pub(super) fn crash(status: Status) -> Option<i32> {
    match status {
        Status::Signaled(signal) => Some(signal),
        Status::Exited(code) if CRASHES.contains(&(code - 128)) => Some(code - 128),
        _ => None,
    }
}

/// Exit status as people should read it: with the signal that a shell means by it.
pub(super) fn status_text(status: Status) -> String {
    match (status, crash(status)) {
        (Status::Exited(code), Some(signal)) => format!("{} (exit status {code})", Status::Signaled(signal)),
        _ => status.to_string(),
    }
}

/// Whether a line is what make says of a command that failed, as in `make[1]: *** [Makefile:7: test] Error 1`: what that said tells more.
fn is_of_make(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    let behind = line.split_once(": *** [").filter(|(make, _)| make.starts_with("make") || make.starts_with("gmake"));
    behind.is_some_and(|(_, what)| what.contains("] Error "))
}

/// Text without such lines, unless it is all that is said.
pub(super) fn without_make(said: &[u8]) -> Vec<u8> {
    let others: Vec<&[u8]> = said.split(|byte| *byte == b'\n').filter(|line| !is_of_make(line)).collect();
    let others = others.join(&b'\n');
    if others.trim_ascii().is_empty() { said.to_owned() } else { others }
}

/// Whether nothing but such lines is said.
pub(super) fn is_silent(said: &[u8]) -> bool {
    said.split(|byte| *byte == b'\n').all(|line| line.trim_ascii().is_empty() || is_of_make(line))
}

/// How a run failed: its status and the last thing it said, which for a crash is not the shell's remark on it.
pub(super) fn failure_text(status: Status, said: &[u8]) -> String {
    let remark = |line: &[u8]| {
        let line = line.strip_suffix(b" (core dumped)").unwrap_or(line);
        [&b"Segmentation fault"[..], b"Aborted", b"Bus error", b"Floating point exception", b"Illegal instruction"]
            .contains(&line)
    };
    let said = without_make(&complaint::without_colours(said));
    let lines: Vec<&[u8]> = said.split(|byte| *byte == b'\n').filter(|line| !remark(line)).collect();
    format!("{}{}", status_text(status), said_of_failure(&lines).map(|line| format!(": {line}")).unwrap_or_default())
}

/// The line that tells a failure best: a failed assertion, or else a complaint, or else one that tells a failure, first of all with its place and
/// last of all by counting it. What begins with a place comes before that, and the last line after all.
pub fn said_of_failure(lines: &[&[u8]]) -> Option<String> {
    let first = |is: &dyn Fn(&[u8]) -> bool| lines.iter().position(|line| is(line));
    let tells = |line: &[u8]| complaint::tells_one(line);
    let best = first(&is_failed_check)
        .or_else(|| lines.iter().rposition(|line| is_complaint(line) && tells(line)))
        .or_else(|| first(&|line| tells(line) && directories(line).is_some()))
        .or_else(|| first(&tells))
        .or_else(|| first(&|line| directories(line).is_some()))
        .or_else(|| first(&|line| complaint::complaint(line).is_some()));
    let told = |at: usize| {
        let line = brief(lines[at].trim_ascii());
        // What failed follows.
        let next = lines[at + 1..].first().map(|next| next.trim_ascii()).filter(|next| says(next));
        match next.filter(|_| line.ends_with(b":")) {
            Some(next) => clip(&[&line, &b" "[..], &brief(next)].concat()),
            None => clip(line.as_ref()),
        }
    };
    best.map(told).or_else(|| last_line(&lines.join(&b'\n')))
}

/// The bytes of directories before the place with which a line begins, a file of C and a line's number; `None` where it does not.
fn directories(line: &[u8]) -> Option<usize> {
    let word = line.trim_ascii().split(|byte| byte.is_ascii_whitespace()).next()?;
    let colon = word.windows(3).position(|window| [b".c:", b".h:"].iter().any(|end| window == *end))? + 2;
    let name = word[..colon].iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    word.get(colon + 1).is_some_and(u8::is_ascii_digit).then_some(name)
}

/// Whether a line is what a failed assertion or a sanitizer says, after which scripts go on talking.
fn is_failed_check(line: &[u8]) -> bool {
    let said = [&b"Assertion "[..], b"assertion failed", b"Sanitizer: ", b": runtime error: "];
    said.iter().any(|words| line.windows(words.len()).any(|window| window == *words))
}

/// A line without the directories of a place that it begins with. What the C library says of a failed assertion without program and function, too, which
/// leave no room for what was asserted: `prog: /src/a.c:3: int main(void): Assertion ...`.
fn brief(line: &[u8]) -> Cow<'_, [u8]> {
    let assertion = line.windows(11).position(|window| window == b": Assertion");
    let short = assertion.and_then(|at| {
        let place = line[..at].split(|byte| *byte == b' ').nth(1)?.strip_suffix(b":")?;
        let name = place.rsplit(|byte| *byte == b'/').next()?;
        Some([name, &line[at..]].concat())
    });
    short.map_or(Cow::Borrowed(&line[directories(line).unwrap_or(0)..]), Cow::Owned)
}

/// Whether a line says of itself that it is about what went wrong.
fn is_complaint(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let begins = |word: &[u8]| line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    [&b"error:"[..], b"error ", b"fail:", b"failed:", b"failure:", b"not ok"].iter().any(|word| begins(word))
}

/// Statuses with which a shell says that it could not run the command, with its message.
pub(super) fn not_runnable(outcome: &Outcome) -> Option<Judgement> {
    let what = match outcome.status {
        Status::Exited(126) => "command cannot be executed",
        Status::Exited(127) => "command not found",
        _ => return None,
    };
    let said = last_line(&outcome.stderr.bytes).or_else(|| last_line(&outcome.stdout.bytes));
    Some(Judgement::error(match said {
        Some(line) => format!("{what}: {line}"),
        None => what.to_owned(),
    }))
}

/// Whether a line has a letter or digit.
fn says(line: &[u8]) -> bool {
    line.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

/// The last line that says something, for a message: one with a letter or digit, or else one that is not blank.
pub(super) fn last_line(bytes: &[u8]) -> Option<String> {
    let lines = || bytes.split(|byte| *byte == b'\n').rev().map(|line| line.trim_ascii());
    lines().find(|line| says(line)).or_else(|| lines().find(|line| !line.is_empty())).map(clip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_say_crashes_by_status() {
        assert_eq!(crash(Status::Exited(139)), Some(libc::SIGSEGV));
        assert_eq!(crash(Status::Exited(130)), None);
        assert_eq!(status_text(Status::Exited(139)), "killed by SIGSEGV (exit status 139)");
        assert_eq!(
            failure_text(Status::Exited(134), b"x != y\nAborted\n"),
            "killed by SIGABRT (exit status 134): x != y"
        );
        assert_eq!(status_text(Status::Exited(3)), "exit status 3");
    }

    #[test]
    fn what_a_test_says_of_its_failure_is_told_from_what_scripts_say_afterwards() {
        let said = |text: &str| failure_text(Status::Exited(1), text.as_bytes());
        let talk = "ERROR: \"t\" exited with non-zero exit status: 134\ncp \"t.out\" \"t.expected\"\n";
        assert_eq!(
            said(&format!("t: /src/t.c:3: int main(int, char **): Assertion `a == b' failed.\nAborted\n{talk}")),
            "exit status 1: t.c:3: Assertion `a == b' failed."
        );
        assert_eq!(said(talk), "exit status 1: ERROR: \"t\" exited with non-zero exit status: 134");
        assert_eq!(said("one\nmismatch at 3\n\n"), "exit status 1: mismatch at 3");
        assert_eq!(said("ok 1\nnot ok 2 - sum\n# done\n"), "exit status 1: not ok 2 - sum");
        assert_eq!(said("a.c:3: test FAILED:\na == 2\n--------\n\n"), "exit status 1: a.c:3: test FAILED: a == 2");
        let unit = "..F\nparses_none failed:\n\t/src/tests/t.c:48: -2 expected but was 0\n\n2 tests, 9 assertions, 1 failures\n\nFinished in 0.08 seconds\n";
        assert_eq!(said(unit), "exit status 1: t.c:48: -2 expected but was 0");
        assert_eq!(said("parses: wrong result 3\nFAILED: 1\n"), "exit status 1: parses: wrong result 3");
        assert_eq!(said("a ok\n2 tests, 1 failures\nFinished\n"), "exit status 1: 2 tests, 1 failures");
        assert_eq!(said("a ok\n2 tests, 0 failures\nFinished\n"), "exit status 1: Finished");
        assert_eq!(said("1\n--------\n"), "exit status 1: 1");
        let make = "make[1]: *** [Makefile:7: run] Error 1\nmake: *** [Makefile:9: test] Error 2\n";
        assert_eq!(said(&format!("# Assert 0,2 failed\n> Reset\n{make}")), "exit status 1: # Assert 0,2 failed");
        assert_eq!(said(make), "exit status 1: make[1]: *** [Makefile:7: run] Error 1");
        let rule = "make: *** No rule to make target 'x'.  Stop.";
        assert_eq!(said(&format!("1\n{rule}\n")), format!("exit status 1: {rule}"));
        assert_eq!([make, " \n", rule, ""].map(|text| is_silent(text.as_bytes())), [true, true, false, true]);
        assert_eq!(said("********\n--------\n"), "exit status 1: --------");
    }
}
