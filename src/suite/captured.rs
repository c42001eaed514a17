//! Tests that somebody else runs: what to run, and judging what was captured.

use std::path::Path;
use std::time::Duration;

use super::automake;
use super::config::ScratchKind;
use super::line;
use super::oracle::{Compare, Oracle, run_filter};
use super::test::{FIRST_LIMIT, Place};
use super::verdict::{Judgement, crash};
use super::{RunContext, Suite, SuiteError, Test, Verdict};
use crate::exec::{Command, Limits, Outcome, ScratchRoot, Status};

/// What it takes to tell whether a captured run passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judging {
    /// The exit status or signal alone.
    Status,
    /// Standard output that is these bytes, and no crash.
    Exact {
        /// The bytes.
        output: Vec<u8>,
        /// The exit status, if not any will do.
        status: Option<i32>,
    },
    /// Standard output that is these bytes once it went through the test's filter ([`Test::filtered`]), and no crash.
    Filtered {
        /// The bytes behind the filter.
        output: Vec<u8>,
        /// The exit status, if not any will do.
        status: Option<i32>,
    },
    /// The captured output, in memory.
    Output,
    /// It cannot be told: there is nothing to compare the output with.
    Nothing,
}

impl Judging {
    /// Whether the output itself is needed, because no hash of it tells.
    pub fn needs_output(&self) -> bool {
        matches!(self, Judging::Output | Judging::Filtered { .. })
    }
}

/// Time for a filter on the output of a changed program, which may be anything.
const FILTER_PATIENCE: Duration = Duration::from_secs(10);

impl Test {
    /// The test as its command alone, without tests before and after it and without a driver that keeps its output; or why there
    /// is no such, as a fragment.
    ///
    /// # Errors
    /// As told.
    pub fn alone(&self) -> Result<Test, &'static str> {
        let mut alone = self.clone();
        match &self.plan.oracle {
            _ if self.plan.argv.is_empty() => return Err("it has no command: is the test's program built?"),
            _ if !self.plan.before.is_empty() || !self.plan.after.is_empty() => {
                return Err("it needs other tests (fixtures or dependencies) to run before or after it");
            }
            Oracle::Junit(_) => return Err("it is judged by a JUnit file, which holds times"),
            Oracle::Automake { .. } => {
                let driven = automake::driven(&self.plan.argv);
                let (argv, oracle) =
                    driven.ok_or("a test driver of its own judges it, and keeps its output in a file")?;
                (alone.plan.argv, alone.plan.oracle) = (argv, oracle);
            }
            _ => {}
        }
        Ok(alone)
    }

    /// Where the test runs.
    pub fn works_in(&self) -> ScratchKind {
        self.plan.scratch
    }

    /// The command of a run in `cwd` with `tmp` as its temporary directory; recording is not asked for.
    pub fn command_in(&self, cwd: &Path, tmp: &Path) -> Command {
        // A copy may not be there yet; what is in it is in the test's own directory.
        let like = if self.plan.scratch == ScratchKind::Empty { cwd } else { &self.dir };
        let (argv, stdin) = line::direct(&self.plan.argv, cwd, like);
        Command {
            argv,
            env: self.environment_in(tmp),
            session: Vec::new(),
            cwd: cwd.to_owned(),
            stdin,
            merge_stderr: self.plan.oracle.merges(),
            limits: Limits { wall: self.plan.timeout.unwrap_or(FIRST_LIMIT), ..Limits::default() },
        }
    }

    /// The verdict on a run that ended by itself, where [`Judging`] is by status or by output; `output` is what the test looks
    /// at, one stream after the other.
    pub fn judge_captured(&self, outcome: &Outcome, output: &[u8]) -> Option<Verdict> {
        self.plan.oracle.judge_captured(outcome, output).map(|judgement| judgement.verdict)
    }

    /// The verdict on a run that ended by itself, where [`Judging`] is [`Judging::Exact`] and standard output is `equal` or not; `wanted` is
    /// the exit status, if not any will do.
    pub fn judge_comparison(status: Status, wanted: Option<i32>, equal: bool) -> Verdict {
        let is_wanted = wanted.is_none_or(|wanted| status == Status::Exited(wanted));
        match status {
            Status::Exited(126 | 127) => Verdict::Error,
            _ if equal && is_wanted && crash(status).is_none() => Verdict::Pass,
            _ => Verdict::Fail,
        }
    }

    /// What its filter makes of an output; the output itself where it has none, nothing where the filter fails.
    ///
    /// # Errors
    /// When the system refuses to run the filter.
    pub fn filtered(&self, output: &[u8]) -> Result<Option<Vec<u8>>, SuiteError> {
        let Oracle::Compare(Compare { filter: Some(filter), .. }) = &self.plan.oracle else {
            return Ok(Some(output.to_vec()));
        };
        let limits = Limits { wall: FILTER_PATIENCE, ..Limits::default() };
        Ok(run_filter(filter, &self.dir, output, limits)?.ok())
    }

    /// The output with what is as good as expected written as expected.
    pub fn settled(&self, expected: &[u8], output: Vec<u8>) -> Vec<u8> {
        match &self.plan.oracle {
            Oracle::Compare(compare) => compare.likeness.settled(expected, output),
            _ => output,
        }
    }

    /// Whether other outputs than the expected one may pass: they go through a filter, or need not be the same in all.
    pub fn has_filter(&self) -> bool {
        matches!(&self.plan.oracle, Oracle::Compare(compare) if compare.filter.is_some() || !compare.likeness.is_exact())
    }

    /// Whether how the program ends is all that decides.
    pub fn is_judged_by_status(&self) -> bool {
        self.plan.oracle.is_by_status()
    }

    /// Whether a run may pass that still tells the failure: its status alone decides, or a driver that may look at nothing else.
    pub fn may_be_silenced(&self) -> bool {
        self.is_judged_by_status() || matches!(self.plan.oracle, Oracle::Driven(_))
    }

    /// Whether what a unit-test framework says of one case decides.
    pub fn is_judged_by_case(&self) -> bool {
        matches!(self.plan.oracle, Oracle::Case(_))
    }

    /// The standard output that the driver of this start wants, if it shows that.
    pub fn wanted_output(&self) -> Option<&[u8]> {
        self.plan.oracle.wanted()
    }

    /// Whether the test looks at standard output, and at standard error: where its author does, for one that is judged by its status.
    pub fn looks_at(&self) -> [bool; 2] {
        match &self.plan.oracle {
            Oracle::Compare(_) | Oracle::Tap { .. } => [true, false],
            _ => [true, true],
        }
    }
}

impl Suite {
    /// What it takes to judge runs of a test that [`Test::alone`] gave.
    ///
    /// # Errors
    /// When the system refuses to run the reference program.
    pub fn judging(&self, test: &Test, scratch: &ScratchRoot) -> Result<Judging, SuiteError> {
        Ok(match &test.plan.oracle {
            oracle if oracle.is_by_status() => Judging::Status,
            Oracle::Compare(compare) => {
                let expected = self.placed(test, scratch, |place| Ok(place.expected(&compare.expected)))?;
                let status = compare.status;
                match (expected, test.has_filter()) {
                    (Err(_), _) => Judging::Nothing,
                    (Ok((output, _)), false) => Judging::Exact { output, status },
                    (Ok((output, _)), true) => match test.filtered(&output)? {
                        Some(output) => Judging::Filtered { output, status },
                        None => Judging::Nothing,
                    },
                }
            }
            _ => Judging::Output,
        })
    }

    /// What a captured run says about the program, of a test that [`Test::alone`] gave; and why.
    ///
    /// # Errors
    /// When the system refuses to run a filter or a reference program.
    pub fn judge(
        &self,
        test: &Test,
        scratch: &ScratchRoot,
        outcome: &Outcome,
    ) -> Result<(Verdict, Option<String>), SuiteError> {
        let Judgement { verdict, reason, .. } = self.placed(test, scratch, |place| Ok(place.judge(outcome)?.0))?;
        Ok((verdict, reason))
    }

    fn placed<T>(
        &self,
        test: &Test,
        scratch: &ScratchRoot,
        look: impl FnOnce(&Place) -> Result<T, SuiteError>,
    ) -> Result<T, SuiteError> {
        let context = RunContext { env: &[], scratch, timeout: None, large_stack: false, interruptible: false };
        let limit = test.plan.timeout.unwrap_or(FIRST_LIMIT);
        let own = scratch.scratch(test.index)?;
        look(&Place { test, scratch: &own, cwd: &test.dir, context: &context, limit })
    }
}
