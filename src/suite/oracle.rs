//! From what a run did to a verdict.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::automake_result;
use super::autotest;
use super::ctest_oracle::CtestOracle;
use super::framework::Framework;
use super::junit;
use super::likeness::Likeness;
use super::mismatch::Mismatch;
use super::tap;
use super::test::Place;
use super::verdict::{Judgement, crash, failure_text, is_silent, last_line, not_runnable, status_text};
use super::{SuiteError, Verdict};
use crate::exec::{Command, Limits, Outcome, Scratch, Status, Stdin, duration_text};

/// Why a test fails whose program does not stop writing.
pub const WITHOUT_END: &str = "writes output without end";

/// How a run is judged.
#[derive(Clone, Debug)]
pub(super) enum Oracle {
    /// By exit status: zero passes, `skip` does not apply, `error` could not be run.
    Exit { skip: Option<i32>, error: Option<i32>, should_fail: bool },
    /// By standard output.
    Compare(Compare),
    /// By TAP on standard output.
    Tap { should_fail: bool },
    /// By a JUnit file, relative to the working directory.
    Junit(PathBuf),
    /// By CTest's properties.
    Ctest(Box<CtestOracle>),
    /// By the result file that Automake's test driver writes; positions of the arguments with the names of log and result file.
    Automake { log: usize, trs: usize },
    /// By what a script that GNU Autotest generated says of the one group that ran, and its exit status.
    Autotest,
    /// By what the framework says of the one case that ran.
    Case(Framework),
    /// By the driver that starts the program.
    Driven(Arc<dyn Judge>),
}

/// Somebody who judges runs that ended by themselves by how they ended and what they wrote.
pub(super) trait Judge: std::fmt::Debug + Send + Sync {
    /// The verdict on a run.
    fn judge(&self, outcome: &Outcome) -> Judgement;

    /// What tells it from other judges.
    fn identity(&self) -> Vec<u8>;

    /// The standard output that it wants, if that is known.
    fn wanted(&self) -> Option<&[u8]>;
}

impl Default for Oracle {
    fn default() -> Oracle {
        Oracle::Exit { skip: Some(SKIPPED), error: None, should_fail: false }
    }
}

/// Exit status of a test that does not apply (Automake, Meson, GNU).
pub(super) const SKIPPED: i32 = 77;
/// Exit status of a test that could not be run (Automake, Meson).
pub(super) const HARD_ERROR: i32 = 99;

/// Comparison of standard output.
#[derive(Clone, Debug)]
pub(super) struct Compare {
    pub(super) expected: Expected,
    /// Exit status that the program must have; without it any but that of a crash.
    pub(super) status: Option<i32>,
    /// Shell command through which both outputs go first.
    pub(super) filter: Option<String>,
    /// What need not be as expected.
    pub(super) likeness: Likeness,
}

/// The output that a test should have.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    /// The contents of a file, and what it is called in suspect.toml.
    File { path: PathBuf, shown: String },
    /// The output of another program, run when first needed.
    Reference { command: OsString, output: Arc<OnceLock<Result<Vec<u8>, String>>> },
}

impl Oracle {
    /// The arguments for a run in `scratch`.
    pub(super) fn arguments(&self, argv: &[OsString], scratch: &Scratch) -> Vec<OsString> {
        let mut argv = argv.to_vec();
        if let Oracle::Automake { log, trs } = self {
            argv[*log] = automake_result::log_file(scratch).into();
            argv[*trs] = automake_result::trs_file(scratch).into();
        }
        argv
    }

    /// Takes away the result of an earlier run, which could be mistaken for this one's.
    pub(super) fn prepare(&self, cwd: &Path) -> Result<(), SuiteError> {
        let Oracle::Junit(path) = self else { return Ok(()) };
        let path = cwd.join(path);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(SuiteError::Io { what: "remove the earlier result", path, source })
            }
            _ => Ok(()),
        }
    }

    /// The verdict on a run that ended by itself, of tests that need nothing but what it did and wrote.
    pub(super) fn judge_captured(&self, outcome: &Outcome, output: &[u8]) -> Option<Judgement> {
        match self {
            Oracle::Exit { skip, error, should_fail } => Some(by_exit(outcome, *skip, *error, *should_fail)),
            Oracle::Tap { should_fail } => Some(expect_failure(tap::parse(output).judge(outcome.status), *should_fail)),
            Oracle::Ctest(oracle) => Some(oracle.judge(outcome.status, output)),
            Oracle::Autotest => Some(autotest::judge(outcome, output)),
            Oracle::Case(framework) => {
                Some(not_runnable(outcome).unwrap_or_else(|| framework.judge(outcome.status, output)))
            }
            Oracle::Driven(driven) => Some(not_runnable(outcome).unwrap_or_else(|| driven.judge(outcome))),
            Oracle::Compare(_) | Oracle::Junit(_) | Oracle::Automake { .. } => None,
        }
    }

    /// The standard output that a driver wants, where it shows that.
    pub(super) fn wanted(&self) -> Option<&[u8]> {
        match self {
            Oracle::Driven(driven) => driven.wanted(),
            _ => None,
        }
    }

    /// Whether how the program ends is all that decides.
    pub(super) fn is_by_status(&self) -> bool {
        match self {
            Oracle::Exit { .. } | Oracle::Autotest => true,
            Oracle::Ctest(oracle) => oracle.is_by_status(),
            _ => false,
        }
    }

    /// Whether a run passes that ends with status 0, whatever it writes.
    pub(super) fn wants_success(&self) -> bool {
        match self {
            Oracle::Exit { should_fail, .. } | Oracle::Tap { should_fail } => !should_fail,
            Oracle::Ctest(oracle) => oracle.wants_success(),
            Oracle::Autotest => true,
            _ => false,
        }
    }

    /// Whether standard error is to be part of standard output.
    pub(super) fn merges(&self) -> bool {
        matches!(self, Oracle::Ctest(_))
    }
}

impl Place<'_> {
    /// The verdict, and the output that the test's author looks at.
    pub(super) fn judge(&self, outcome: &Outcome) -> Result<(Judgement, Vec<u8>), SuiteError> {
        let oracle = &self.test.plan.oracle;
        let output = match oracle {
            Oracle::Compare(_) | Oracle::Tap { .. } => outcome.stdout.bytes.clone(),
            Oracle::Automake { .. } => fs::read(automake_result::log_file(self.scratch)).unwrap_or_default(),
            _ => [&outcome.stdout.bytes[..], &outcome.stderr.bytes[..]].concat(),
        };
        let judgement = match (outcome.status, oracle) {
            (Status::TimedOut, _) => {
                let limit = duration_text(self.limit);
                Judgement::new(Verdict::Timeout, format!("did not end within {limit}"))
            }
            (Status::Flooded, _) => Judgement::fail(WITHOUT_END),
            (_, Oracle::Junit(path)) => not_runnable(outcome).unwrap_or_else(|| junit::judge(&self.cwd.join(path))),
            (status, Oracle::Automake { .. }) => {
                automake_result::judge(&automake_result::trs_file(self.scratch), status, &output)
            }
            (_, Oracle::Compare(compare)) => return self.compare(compare, outcome),
            (
                _,
                Oracle::Exit { .. }
                | Oracle::Tap { .. }
                | Oracle::Ctest(_)
                | Oracle::Autotest
                | Oracle::Case(_)
                | Oracle::Driven(_),
            ) => oracle.judge_captured(outcome, &output).unwrap_or_else(|| Judgement::error("cannot be judged")),
        };
        Ok((judgement, output))
    }

    fn compare(&self, compare: &Compare, outcome: &Outcome) -> Result<(Judgement, Vec<u8>), SuiteError> {
        let raw = || outcome.stdout.bytes.clone();
        if let Some(judgement) = not_runnable(outcome) {
            return Ok((judgement, raw()));
        }
        let (expected, shown) = match self.expected(&compare.expected) {
            Ok(expected) => expected,
            Err(judgement) => return Ok((judgement, raw())),
        };
        if outcome.stdout.truncated {
            let kept = Limits::default().output >> 20;
            return Ok((Judgement::error(format!("writes more than {kept} MiB, too much to compare")), raw()));
        }
        let filter = |bytes: &[u8]| self.filtered(compare.filter.as_deref(), bytes);
        let (got, expected) = match (filter(&outcome.stdout.bytes)?, filter(&expected)?) {
            (Ok(got), Ok(expected)) => (got, expected),
            (Err(judgement), _) | (_, Err(judgement)) => return Ok((judgement, raw())),
        };
        let got = compare.likeness.settled(&expected, got);
        let judgement = match (crash(outcome.status), Mismatch::first(&expected, &got)) {
            (Some(_), _) => Judgement::fail(status_text(outcome.status)),
            (None, Some(mismatch)) => Judgement::differs(&shown, mismatch),
            (None, None) if compare.status.is_some_and(|wanted| outcome.status != Status::Exited(wanted)) => {
                Judgement::fail(format!(
                    "{}, expected exit status {}",
                    status_text(outcome.status),
                    compare.status.unwrap_or(0)
                ))
            }
            (None, None) => Judgement::pass(),
        };
        Ok((judgement, got))
    }

    /// The expected output and what it is called, or why there is none.
    pub(super) fn expected(&self, expected: &Expected) -> Result<(Vec<u8>, String), Judgement> {
        match expected {
            Expected::File { path, shown } => match fs::read(path) {
                Ok(bytes) => Ok((bytes, shown.clone())),
                Err(e) => Err(Judgement::error(format!("cannot read the expected output {}: {e}", path.display()))),
            },
            Expected::Reference { command, output } => {
                let known = output.get_or_init(|| self.reference(command)).clone();
                known.map(|bytes| (bytes, "the reference's".to_owned())).map_err(Judgement::error)
            }
        }
    }

    /// Runs the reference program in a place of its own.
    fn reference(&self, line: &OsStr) -> Result<Vec<u8>, String> {
        let test = self.test;
        let refused = |e: crate::exec::ExecError| format!("the reference program cannot be run: {e}");
        let scratch = self.context.scratch.scratch(test.index).map_err(refused)?;
        let cwd = test.working_dir(&scratch).map_err(refused)?;
        let mut command = Command::shell(line, cwd);
        command.env = test.environment(&super::RunContext { env: &[], ..*self.context }, &scratch);
        command.limits.wall = super::test::FIRST_LIMIT;
        let outcome = command.run().map_err(refused)?;
        match outcome.status {
            Status::TimedOut | Status::Flooded => Err(format!("the reference program failed: {}", outcome.status)),
            _ if outcome.stdout.truncated => Err("the reference program writes too much to compare".to_owned()),
            status => match not_runnable(&outcome) {
                Some(judgement) => Err(format!("reference program: {}", judgement.reason.unwrap_or_default())),
                None if crash(status).is_some() => {
                    Err(format!("the reference program failed: {}", status_text(status)))
                }
                None => Ok(outcome.stdout.bytes),
            },
        }
    }

    /// `bytes` after the filter, or why there is nothing.
    fn filtered(&self, filter: Option<&str>, bytes: &[u8]) -> Result<Result<Vec<u8>, Judgement>, SuiteError> {
        let Some(filter) = filter else { return Ok(Ok(bytes.to_vec())) };
        run_filter(filter, &self.test.dir, bytes, Limits::default())
    }
}

/// What a shell command makes of `bytes` in a directory, or why there is nothing.
pub(super) fn run_filter(
    filter: &str,
    dir: &Path,
    bytes: &[u8],
    limits: Limits,
) -> Result<Result<Vec<u8>, Judgement>, SuiteError> {
    let mut command = Command::shell(filter, dir);
    command.stdin = Stdin::Bytes(bytes.to_vec());
    command.limits = limits;
    let outcome = command.run()?;
    Ok(match outcome.status {
        // What selects lines (grep) says 1 when there are none.
        Status::Exited(0 | 1) => Ok(outcome.stdout.bytes),
        status => {
            let said = last_line(&outcome.stderr.bytes).map(|line| format!(": {line}")).unwrap_or_default();
            Err(Judgement::error(format!("filter `{filter}` failed ({}){said}", status_text(status))))
        }
    })
}

fn by_exit(outcome: &Outcome, skip: Option<i32>, error: Option<i32>, should_fail: bool) -> Judgement {
    match outcome.status {
        Status::Exited(code) if Some(code) == skip => {
            Judgement { reason: last_line(&outcome.stdout.bytes), ..Judgement::skip() }
        }
        Status::Exited(code) if Some(code) == error => Judgement::error(failure(outcome)),
        _ => match not_runnable(outcome) {
            Some(judgement) => judgement,
            None if outcome.status.success() => expect_failure(Judgement::pass(), should_fail),
            None => expect_failure(Judgement::fail(failure(outcome)), should_fail),
        },
    }
}

/// Exit status and what the test said of it, on standard error if it said anything there that make did not.
fn failure(outcome: &Outcome) -> String {
    let (errors, output) = (&outcome.stderr.bytes, &outcome.stdout.bytes);
    let is_elsewhere = is_silent(errors) && !output.trim_ascii().is_empty();
    failure_text(outcome.status, if is_elsewhere { output } else { errors })
}

/// Turns pass and fail round for a test that should fail.
pub(super) fn expect_failure(judgement: Judgement, should_fail: bool) -> Judgement {
    match judgement.verdict {
        Verdict::Pass if should_fail => Judgement::fail("passes, but is expected to fail"),
        Verdict::Fail if should_fail => Judgement::new(Verdict::Pass, "fails as expected"),
        _ => judgement,
    }
}

/// The name of a file for messages: relative to the root where it is inside.
pub(super) fn shown_path(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}
