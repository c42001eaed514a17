//! Another version of the program compared with what its tests are known to do: changes are tried in it, and runs explained.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use suspect_format::abi::{ENV_LOG_BYTES, Mode};

use super::settle::alike;
use super::{Baseline, BaselineOptions, Help, Limit, Purpose, RunSummary, Session, Stability, Watch, in_parallel};
use crate::exec::{ScratchRoot, interrupt};
use crate::suite::{Suite, SuiteError, Verdict};

/// Seconds that one test is waited for, at most. The version with values takes thirty times as long where a program does nothing but compute, and trials on
/// such a test are few.
const MOST_WAIT: Duration = Duration::from_secs(20);

/// Of the `tests` with these numbers, what version `mode` comes to where that is not what is `known`: twice, the second time alone and with a larger stack,
/// which trials get, too. Tests that fail come first; no test that passes is begun after `patience`, for each is compared once more before its trials.
///
/// # Errors
/// When the system refuses to run tests.
pub fn differing(
    suite: &Suite,
    options: &BaselineOptions,
    mode: Mode,
    known: &Baseline,
    tests: &[usize],
    patience: Duration,
    watch: &dyn Watch,
) -> Result<BTreeMap<usize, RunSummary>, SuiteError> {
    let mut options = BaselineOptions { mode, ..options.clone() };
    // Nobody looks at the values: a test of a thousand processes would fill the machine's memory with their logs.
    options.env.push((ENV_LOG_BYTES.into(), "0".into()));
    let session = Session { suite, options: &options, watch, scratch: ScratchRoot::new()? };
    let differs = |index: usize, label: &str, help: Option<Help>| {
        let of_test = &known.tests[index];
        let limit = Limit::Measured(of_test.timeout).believed();
        let timeout = limit.time().map_or(MOST_WAIT, |own| own.min(MOST_WAIT));
        let made = session.make(index, label, help, Some(timeout), Purpose::Compare)?;
        session.forget(&made)?;
        let varies = of_test.stability == Stability::OutputVaries;
        let is_other = of_test.runs.first().is_some_and(|run| !alike(&made.summary, run, varies));
        // Nobody knows what a run would have come to that takes too long.
        Ok::<_, SuiteError>((is_other && made.summary.verdict != Verdict::Timeout).then_some(made.summary))
    };
    let is_over = || interrupt::happened() || options.until.is_some_and(|until| until.is_over(1));
    let began = Instant::now();
    let is_late = |index: usize| known.tests[index].verdict() == Some(Verdict::Pass) && began.elapsed() > patience;
    let mut tests = tests.to_vec();
    tests.sort_by_key(|index| known.tests[*index].verdict() == Some(Verdict::Pass));
    let first = in_parallel(options.jobs, &tests, |index| match is_over() || is_late(index) {
        true => Ok(None),
        false => differs(index, "v0000", None),
    })?;
    let mut differing = BTreeMap::new();
    for index in first.into_iter().filter_map(|(index, run)| run.map(|_| index)) {
        if let Some(run) = differs(index, "v0001", Some(Help::Stack))? {
            differing.insert(index, run);
        }
    }
    Ok(differing)
}
