//! Chains of causes for the failing tests of a night: those of earlier nights that hold still, and the tests that remain to be explained.

mod behaviour;
mod earlier;

use crate::campaign::run_identity;
use crate::mutation::n_edges;
use crate::obstacle::Obstacle;
use crate::report::{Explanation, RankingReport};
use crate::store::{Run, TestRecord};
use crate::suite_run::Session;

/// Tests that are explained in a night, at most: one of each group that seems to fail for one reason.
const MOST: usize = 3;

/// The chains that a night begins with.
pub struct Chains<'a> {
    /// Chains of earlier nights that hold still; they are kept as this run's, too.
    pub taken_over: Vec<Explanation>,
    /// Tests to explain: one stands for each group of which no chain is known.
    pub due: Vec<&'a TestRecord>,
    /// Groups of failing tests that are not looked at.
    pub n_left: usize,
}

/// The chains of a run whose failing tests are ranked so. Nothing that was explained before is explained again, neither of this run nor of an
/// earlier one in which the tests did the same.
pub fn chains<'a>(session: &'a Session, ranking: &RankingReport) -> Result<Chains<'a>, Obstacle> {
    let Session { store, run, .. } = session;
    let known: Vec<Explanation> = store.load_explanations(run_identity(run))?.unwrap_or_default();
    let (mut groups, n_groups) = groups(run, ranking)?;
    groups.retain(|tests| known.iter().all(|chain| !has(tests, &chain.test)));
    let taken_over = earlier::holding(session, &groups)?;
    groups.retain(|tests| taken_over.iter().all(|chain| !has(tests, &chain.test)));
    let due = groups.iter().filter_map(|tests| tests.first().copied()).collect();
    Ok(Chains { taken_over, due, n_left: n_groups.saturating_sub(MOST) })
}

/// The failing tests of the largest groups, of each those first that do least; and how many groups there are.
fn groups<'a>(run: &'a Run, ranking: &RankingReport) -> Result<(Vec<Vec<&'a TestRecord>>, usize), Obstacle> {
    let recorded = run.recorded()?;
    let mut failing: Vec<(u64, &TestRecord)> = Vec::new();
    for (number, test) in (0..).zip(&run.manifest.tests).filter(|(_, test)| test.passed == Some(false)) {
        failing.push((n_edges(&recorded, number)?, test));
    }
    // Not by their time, by which another one would be quickest each night.
    failing.sort_by_key(|(edges, _)| *edges);
    let of = |is_wanted: &dyn Fn(&str) -> bool| {
        failing.iter().map(|(_, test)| *test).filter(|test| is_wanted(&test.name)).collect()
    };
    if ranking.groups.is_empty() {
        return Ok((vec![of(&|_| true)], 1));
    }
    let groups = ranking.groups.iter().take(MOST).map(|group| of(&|name| group.tests.iter().any(|test| test == name)));
    Ok((groups.collect(), ranking.groups.len()))
}

/// True if a test is one of them.
fn has(tests: &[&TestRecord], name: &str) -> bool {
    tests.iter().any(|test| test.name == name)
}
