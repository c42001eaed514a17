//! What came of a test, in words.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use suspect_format::abi::Mode;

use super::NOT_RUN;
use crate::exec::Status;
use crate::report::utc;
use crate::suite::{Help, Remark, RunSummary, Stability, Test, TestBaseline, Verdict};

/// The verdict with its reason, and what else was seen.
pub fn outcome(mode: Mode, baseline: &TestBaseline) -> String {
    if let Stability::Unrecorded(plain) = &baseline.stability {
        return otherwise_unrecorded(mode, baseline, plain);
    }
    let text = match (&baseline.stability, baseline.verdict()) {
        (Stability::Flaky(verdicts), _) => format!("flaky: {verdicts}"),
        (_, Some(verdict)) => verdict.to_string(),
        (_, None) => NOT_RUN.to_string(),
    };
    let text = match baseline.reason() {
        Some(reason) => format!("{text}: {reason}"),
        None => text,
    };
    match &baseline.remark {
        Some(remark) => format!("{text}{}", said(mode, baseline, remark)),
        None => text,
    }
}

/// How far an interrupted run of the suite got.
pub fn so_far(tests: &[Test], baselines: &[TestBaseline]) -> String {
    let begun = baselines.iter().filter(|baseline| !baseline.runs.is_empty()).count();
    let fails = |baseline: &TestBaseline| !matches!(baseline.verdict(), None | Some(Verdict::Pass | Verdict::Skip));
    let failing: Vec<&str> =
        tests.iter().zip(baselines).filter(|(_, one)| fails(one)).map(|(test, _)| test.name.as_str()).collect();
    let told = failing.iter().take(TOLD).copied().collect::<Vec<_>>().join(", ");
    let more = if failing.len() > TOLD { ", ..." } else { "" };
    let failed = match failing.len() {
        0 => "none of them failed".into(),
        n => format!("{n} failed: {told}{more}"),
    };
    format!("interrupted after {begun} of {} tests, of which nothing is recorded; {failed}", tests.len())
}

/// Failing tests that are named of an interrupted run.
const TOLD: usize = 10;

/// What the verdict on a test begins with that fails, but not while it is recorded.
pub const UNRECORDED: &str = "without recording";

/// That the program does something else when it is recorded.
fn otherwise_unrecorded(mode: Mode, baseline: &TestBaseline, plain: &RunSummary) -> String {
    let recorded = baseline.runs.first().map_or_else(|| NOT_RUN.to_string(), verdict);
    let version = mode.name();
    let plain = match plain.verdict {
        Verdict::Pass => "passes without recording".to_string(),
        _ => format!("{UNRECORDED} {}", verdict(plain)),
    };
    let why = baseline.runs.first().and_then(likely_cause).map(|why| format!("; {why}")).unwrap_or_default();
    format!("{plain}; version `{version}` of the same program: {recorded}; not counted{why}")
}

/// What another version of the program comes to, and the likely cause.
pub fn in_version(run: &RunSummary) -> String {
    let why = match run.verdict {
        Verdict::Pass => Some(
            "it is not optimised and its locals begin as zero, so variables after longjmp or without a value may differ",
        ),
        _ => likely_cause(run),
    };
    format!("{}{}", verdict(run), why.map(|why| format!("; {why}")).unwrap_or_default())
}

/// What is said of tests, each with what version `trace` comes to where that is something else.
pub fn in_trials<'t>(tests: impl Iterator<Item = (&'t str, &'t str)>) -> Option<String> {
    let told: Vec<String> = tests.map(|(name, text)| format!("{name} ({text})")).collect();
    let (count, does) = match told.len() {
        0 => return None,
        1 => ("one test".to_owned(), "does"),
        n => (format!("{n} tests"), "do"),
    };
    let more = if told.len() > NAMED { format!(", ... and {} more", told.len() - NAMED) } else { String::new() };
    let version = Mode::Trace.name();
    Some(format!(
        "{count} {does} something else in version `{version}`, in which changes are tried and runs are explained; nothing is claimed of it where it cannot be had to do the same: {}{more}",
        told[..told.len().min(NAMED)].join(", ")
    ))
}

/// What a recorded run that ends otherwise than the plain program points at.
fn likely_cause(recorded: &RunSummary) -> Option<&'static str> {
    let signal = match recorded.status? {
        Status::Signaled(signal) => signal,
        Status::Exited(code) if code > 128 => code - 128,
        _ => 0,
    };
    Some(match (recorded.verdict, signal) {
        (Verdict::Timeout, _) => "recording makes it slower: give it more time (`timeout` in suspect.toml)",
        (_, libc::SIGSEGV | libc::SIGBUS) => {
            "frames are larger in it, so a stack of a fixed size may be too small (a thread's, `ulimit -s`)"
        }
        (_, libc::SIGSYS) => "the program's own filter of system calls forbids what recording needs",
        (Verdict::Fail, 0) => {
            "it is optimised otherwise, so what C leaves open (digits of floating-point numbers with -ffast-math or -ffp-contract=fast, \
             variables after longjmp or without a value) may differ"
        }
        _ => return None,
    })
}

/// What else was seen of a test that counts.
fn said(mode: Mode, baseline: &TestBaseline, remark: &Remark) -> String {
    match remark {
        Remark::Beside { run, times: (times, of) } => {
            format!(" (alone; beside other tests, {times} of {of} times, {}; {KEYS})", verdict(run))
        }
        Remark::Otherwise(plain) => {
            let cause = baseline.runs.first().and_then(likely_cause).map(|why| format!(": {why}")).unwrap_or_default();
            format!(" (so in version `{}`; without recording {}{cause})", mode.name(), verdict(plain))
        }
        Remark::Helped(Help::Stack) => format!(" (version `{}` needs a larger stack, and got it)", mode.name()),
        Remark::Helped(Help::Quiet) => {
            " (a filter of system calls of its own ends what is recorded after its start: forked processes are counted with their parents)"
                .to_string()
        }
        Remark::Since { before, since, changed } => {
            format!(
                " (it passed at {} and fails alike since {}, with the same program and command: {})",
                time(before.began),
                time(*since),
                what_changed(changed)
            )
        }
        Remark::Unsettled => " (not run again alone and without recording: the budget was spent)".to_string(),
    }
}

/// What differs between a run that passed and one that failed.
fn what_changed(changed: &[PathBuf]) -> String {
    match changed {
        [] => "no file in its directory changed in between, so the time or something outside may decide".to_string(),
        files => {
            let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            format!("in between changed {}", names.join(", "))
        }
    }
}

/// How to keep tests apart.
const KEYS: &str = "`alone = true` or `needs = [\"what they share\"]` in suspect.toml keeps them apart";

fn verdict(run: &RunSummary) -> String {
    match &run.reason {
        Some(reason) => format!("{}: {reason}", run.verdict),
        None => run.verdict.to_string(),
    }
}

/// Date and time of day.
fn time(time: SystemTime) -> String {
    utc(time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// What is to be known of all tests, which have these names, to believe the verdicts.
pub fn warnings(tests: &[(&str, &TestBaseline)], mode: Mode) -> Vec<String> {
    let named = |wanted: &dyn Fn(&TestBaseline) -> bool| {
        let names: Vec<&str> = tests.iter().filter(|(_, test)| wanted(test)).map(|(name, _)| *name).collect();
        match names.len() {
            0..=NAMED => (names.len(), names.join(", ")),
            n => (n, format!("{}, ... and {} more", names[..NAMED].join(", "), n - NAMED)),
        }
    };
    let mut warnings = Vec::new();
    let mut say = |(n, names): (usize, String), one: &str, many: &str, what: String| match n {
        0 => {}
        1 => warnings.push(format!("{one} {what}: {names}")),
        n => warnings.push(format!("{n} {many} {what}: {names}")),
    };
    say(
        named(&|test| matches!(test.stability, Stability::Unrecorded(_))),
        "one test does not count, because the program does something else in version",
        "tests do not count, because the program does something else in version",
        format!("`{}` than without recording", mode.name()),
    );
    say(
        named(&|test| matches!(test.remark, Some(Remark::Beside { .. }))),
        "one test ends otherwise when other tests run beside it, and counts as it ends alone;",
        "tests end otherwise when other tests run beside them, and count as they end alone;",
        KEYS.to_string(),
    );
    say(
        named(&|test| matches!(test.remark, Some(Remark::Helped(Help::Stack)))),
        "one test was recorded",
        "tests were recorded",
        format!("with a larger stack, which version `{}` needs", mode.name()),
    );
    say(
        named(&|test| matches!(test.remark, Some(Remark::Helped(Help::Quiet)))),
        "one test was recorded",
        "tests were recorded",
        "without a file for each forked process, because of a filter of system calls of its own".to_string(),
    );
    say(
        named(&|test| matches!(test.remark, Some(Remark::Unsettled))),
        "one test that does not pass was not run again",
        "tests that do not pass were not run again",
        "alone and without recording: the budget was spent".to_string(),
    );
    warnings
}

/// Tests named in one warning.
const NAMED: usize = 5;
