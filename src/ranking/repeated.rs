//! Claims repeated: each on one of its tests.

use serde::Serialize;

use super::{KeptClaim, effect, end_words};
use crate::campaign::{CampaignError, Prepare, Refusal, Workbench};
use crate::evidence;
use crate::obstacle::Obstacle;
use crate::report::Effect;
use crate::store::Run;
use crate::trial::{self, FirstRun, Mutant, Replayed, Worker, Written};

/// What came of repeating a claim on one test.
#[derive(Serialize)]
pub struct Repeated {
    /// The test's name.
    pub test: String,
    /// What the change did to it.
    pub effect: Effect,
    /// What it was claimed to do.
    pub claimed: Effect,
    /// Whether that is the same, or nothing was claimed.
    pub holds: bool,
    /// How it ended, in words.
    pub end: String,
    /// Whether it passed without the change.
    pub passed_before: bool,
    /// The verdict without the change.
    pub without: String,
}

/// Repeats a claim on one test, the one of its outcome `at`, as a run by the reference executor; `begun` is the test's first run, without the change.
///
/// # Errors
/// When the test cannot be used any more, or the system refuses a service.
pub fn repeat(
    bench: &Workbench,
    worker: &mut Worker,
    run: &Run,
    (claim, mutant, at): (&KeptClaim, &Mutant, usize),
    begun: Result<FirstRun, Refusal>,
) -> Result<(Repeated, [Written; 2]), Obstacle> {
    let claimed = &claim.shown.outcomes[at];
    let test = claim.tests[at];
    let cannot = |refusal: Refusal| Obstacle::Tests(format!("{}: cannot be repeated: {}", claimed.test, refusal.why));
    let ready = bench.ready(worker, begun.map_err(cannot)?)?.map_err(cannot)?;
    let failed = !claimed.passed_before;
    let budget = match claimed.effect {
        // It may have been cut at first.
        Effect::Passes if failed => ready.patience(),
        _ => trial::budget(ready.longest(), failed),
    };
    let Replayed { observation, written } = ready.replay(worker, mutant, budget).map_err(CampaignError::from)?;
    let evidence::Outcome { effect: actual, end, .. } = evidence::Outcome::of(&observation, failed);
    let actual = match (effect(actual, failed), actual) {
        // What silences a test was claimed to make it pass where nothing else does.
        (_, evidence::Effect::Silenced) if claimed.effect == Effect::Passes => Effect::Passes,
        (actual, _) => actual,
    };
    let before = run.manifest.tests.get(test as usize).map_or("", |test| test.verdict.as_str());
    let repeated = Repeated {
        test: claimed.test.clone(),
        effect: actual,
        claimed: claimed.effect,
        holds: actual == claimed.effect || claimed.effect == Effect::Unknown,
        end: end_words(end).to_string(),
        passed_before: claimed.passed_before,
        without: before.to_owned(),
    };
    Ok((repeated, written))
}
