//! Facts about a run that a reader must know before believing its ranking.

use crate::obstacle::Obstacle;
use crate::report::{ELSEWHERE, TestCounts};
use crate::store::Run;

/// Processes of a test from which on it is said to be many tests in one.
const MANY_PROCESSES: u32 = 20;

/// A ranking contrasts failing with passing tests; without both there is nothing to say, unless failing ones alone, or mutants of them, do.
pub fn check_contrast(run: &Run, counts: TestCounts, failing_suffice: bool) -> Result<(), Obstacle> {
    let excluded = match counts.excluded {
        0 => String::new(),
        1 => " (1 more does not count: flaky, skipped or without a trace)".into(),
        n => format!(" ({n} more do not count: flaky, skipped or without a trace)"),
    };
    let failure = |message: String| Err(Obstacle::new(Obstacle::Tests, message));
    match (counts.failing, counts.passing) {
        (0, 0) => failure(run.why_none_counts()),
        (0, n) => failure(format!(
            "{}{excluded}: there is no failure to explain; add a test that fails",
            all(n, "passes", "pass")
        )),
        (_, 0) if failing_suffice => Ok(()),
        (n, 0) => failure(format!(
            "{}{excluded}: without a passing test nothing tells faulty code from the rest; \
             check the build (`suspect test` says how), or add a test that passes",
            all(n, "fails", "fail")
        )),
        _ => Ok(()),
    }
}

/// `the one test passes`, `all 3 tests pass`.
fn all(n: u32, one: &str, many: &str) -> String {
    match n {
        1 => format!("the one test {one}"),
        n => format!("all {n} tests {many}"),
    }
}

/// Statements that the user must know before believing the ranking.
pub fn trust(run: &Run, counts: TestCounts) -> Result<Vec<String>, Obstacle> {
    let mut trust = vec![match counts.failing {
        1 => format!(
            "one failing test against {} passing: a second failing test would tell far more lines apart",
            counts.passing
        ),
        n => format!("{n} failing tests against {} passing", counts.passing),
    }];
    if counts.excluded > 0 {
        trust.push(match counts.excluded {
            1 => "one test does not count: flaky, skipped or without a trace (`suspect test` names it)".into(),
            n => format!("{n} tests do not count: flaky, skipped or without a trace (`suspect test` names them)"),
        });
    }
    if !run.manifest.unstable_nodes.is_empty() {
        let n = run.manifest.unstable_nodes.len();
        trust.push(format!("{n} of {} nodes differ between runs of the same test", run.program.nodes.len()));
    }
    trust.extend(match run.program.escapes.len() {
        0 => None,
        1 => Some("one function is not instrumented (`suspect doctor` names it)".into()),
        n => Some(format!("{n} functions are not instrumented (`suspect doctor` names them)")),
    });
    trust.extend(of_failures_elsewhere(run, counts.failing)?);
    trust.extend(of_long_tests(run));
    trust.extend(of_test_code(run)?);
    trust.extend(run.manifest.warnings.iter().cloned());
    Ok(trust)
}

/// A hint where failing tests execute nothing that is recorded: code of another language may come first in them.
fn of_failures_elsewhere(run: &Run, n_failing: u32) -> Result<Option<String>, Obstacle> {
    let recorded = run.recorded()?;
    let mut n_elsewhere = 0;
    for (test, _) in (0..).zip(&run.manifest.tests).filter(|(_, test)| test.passed == Some(false)) {
        n_elsewhere += u32::from(recorded.pieces(test)?.is_empty());
    }
    let none = if n_elsewhere == 1 { "executes no instrumented code" } else { "execute no instrumented code" };
    Ok((n_elsewhere > 0).then(|| format!("{n_elsewhere} of {n_failing} failing tests {none}: {ELSEWHERE}")))
}

/// A hint where each failing test is many tests in one.
fn of_long_tests(run: &Run) -> Option<String> {
    let records = run.counted_tests().into_iter().map(|test| &run.manifest.tests[test as usize]);
    let shortest = records.filter(|record| record.passed == Some(false)).min_by_key(|record| record.processes)?;
    (shortest.processes >= MANY_PROCESSES).then(|| {
        format!(
            "each failing test starts many programs, {} {} of them: as tests of their own (in suspect.toml a [[suite]] of kind \"command\" \
             with `list`, or \"cases\") they would tell far more lines apart",
            shortest.name, shortest.processes
        )
    })
}

/// A note that code of the tests themselves is not ranked, or why it is.
fn of_test_code(run: &Run) -> Result<Option<String>, Obstacle> {
    let Some(first) = run.manifest.test_code.first() else { return Ok(None) };
    let others = match run.manifest.test_code.len() {
        1 => String::new(),
        2 => " and one more file".to_owned(),
        n => format!(" and {} more files", n - 1),
    };
    Ok(Some(match run.trusted_files()?.is_empty() {
        true => {
            format!("no failing test executes other code than the tests' own ({first}{others}), so that is ranked too")
        }
        false => format!(
            "the tests' own code is trusted and not ranked: {first}{others} (`[rank] test_code` in suspect.toml says which it is)"
        ),
    }))
}
