//! What the tests do without any change, as far as candidates need it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};

use super::SearchTest;
use crate::campaign::pool::{locked, prepare_each};
use crate::campaign::{CampaignError, Lab, OracleFacts, Refusal};
use crate::mutant::{Domain, Form};
use crate::program::Program;
use std::sync::Mutex;

/// Failing tests, and as many passing ones, whose values are looked at.
pub const MOST_VALUED: usize = 4;

/// A passing test is dear that costs more than so many times as much as each failing one: looking at its values takes the time of many trials.
const DEAR: u64 = 8;

/// The values that nodes take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The tests that they are of: all that are wanted, or those that there was time for.
    pub tests: Vec<u32>,
    /// In failing tests, by node.
    pub failing: BTreeMap<u32, Domain>,
    /// In passing tests, by node.
    pub passing: BTreeMap<u32, Domain>,
    /// For each failing test, by its index in the run's manifest: how often each condition is executed in it.
    pub executions: BTreeMap<u32, BTreeMap<u32, u64>>,
    /// For each failing test: bytes of the expected output before the first wrong one.
    pub matched: BTreeMap<u32, u64>,
    /// For each test that fails only if locals begin as garbage: the pieces in which nodes took values then. What reads a variable that nothing was
    /// assigned to may be optimised away in the recorded run, with all that follows it.
    pub pieces: BTreeMap<u32, Vec<u32>>,
    /// By node, the last number that it takes in each failing test: with it a test that breaks off fails.
    #[serde(deserialize_with = "if_there")]
    pub last: BTreeMap<u32, BTreeSet<u64>>,
}

/// The last field, or nothing where a file of an earlier tool ends before it.
fn if_there<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(T::deserialize(from).unwrap_or_default())
}

impl Facts {
    /// The tests that facts are wanted of: failing ones, and passing ones that are not dear, if there are any.
    pub fn wanted(tests: &[&SearchTest]) -> Vec<u32> {
        let is_dear = &dear(tests);
        let has_others = tests.iter().any(|test| !test.failed && !is_dear(test));
        let of = |failed: bool| {
            let of = tests.iter().filter(move |test| test.failed == failed && !(has_others && is_dear(test)));
            of.take(MOST_VALUED).map(|test| test.test)
        };
        of(true).chain(of(false)).collect()
    }

    /// Them with other numbers of the tests; `None` if one has none.
    pub fn renumbered(self, number: impl Fn(u32) -> Option<u32>) -> Option<Facts> {
        let of = |test| number(test);
        Some(Facts {
            tests: self.tests.into_iter().map(of).collect::<Option<_>>()?,
            executions: self.executions.into_iter().map(|(test, at)| Some((of(test)?, at))).collect::<Option<_>>()?,
            matched: self.matched.into_iter().map(|(test, at)| Some((of(test)?, at))).collect::<Option<_>>()?,
            pieces: self.pieces.into_iter().map(|(test, at)| Some((of(test)?, at))).collect::<Option<_>>()?,
            ..self
        })
    }

    /// Runs the tests for which there is time and looks at their values, and has `looked` see each; a test that cannot be looked at is passed over, which
    /// `passed_over` is told. Where one fails only if locals begin as garbage, all failing tests are run for their pieces.
    pub fn gather<L: Lab>(
        lab: &L,
        workers: &mut [L::Worker],
        program: &Program,
        tests: &[&SearchTest],
        has_time: impl Fn(u32) -> bool + Sync,
        looked: impl Fn(u32, &L::Ready) -> Result<(), CampaignError> + Sync,
        passed_over: impl Fn(u32, Refusal) + Sync,
    ) -> Result<Facts, CampaignError> {
        let wanted = Facts::wanted(tests);
        let mut facts = Facts { tests: wanted.clone(), ..Facts::default() };
        let mut all = BTreeMap::new();
        for turn in turns(tests, &wanted) {
            all.extend(ready(lab, workers, &turn, &has_time, &looked, &passed_over)?);
        }
        for (test, ready) in &all {
            let failed = tests.iter().any(|one| one.test == *test && one.failed);
            facts.add(program, *test, failed, ready);
        }
        if !facts.pieces.is_empty() {
            let rest = tests.iter().filter(|test| test.failed && !wanted.contains(&test.test));
            let rest: Vec<u32> = rest.map(|test| test.test).collect();
            for (test, ready) in &ready(lab, workers, &rest, &has_time, &looked, &passed_over)? {
                facts.add_pieces(program, *test, ready);
            }
        }
        Ok(facts)
    }

    fn add_pieces(&mut self, program: &Program, test: u32, oracle: &impl OracleFacts) {
        if oracle.garbage().is_some() {
            let mut pieces: Vec<u32> = oracle.nodes().iter().map(|node| program.nodes[*node as usize].piece).collect();
            pieces.sort_unstable();
            pieces.dedup();
            self.pieces.insert(test, pieces);
        }
    }

    /// The test with all that it was seen to execute.
    pub fn complete(&self, test: &SearchTest) -> SearchTest {
        let mut pieces = test.pieces.clone();
        pieces.extend(self.pieces.get(&test.test).into_iter().flatten());
        pieces.sort_unstable();
        pieces.dedup();
        SearchTest { pieces, ..test.clone() }
    }

    /// The values of one test.
    fn add(&mut self, program: &Program, test: u32, failed: bool, oracle: &impl OracleFacts) {
        self.matched.extend(oracle.matched().filter(|_| failed).map(|matched| (test, matched)));
        self.add_pieces(program, test, oracle);
        let domains = if failed { &mut self.failing } else { &mut self.passing };
        for (position, node) in oracle.nodes().iter().enumerate() {
            let form = Form::of(&program.nodes[*node as usize]);
            let mut domain = Domain::default();
            let (mut count, mut last) = (0, None);
            for value in oracle.values(position) {
                domain.add(form, value);
                (count, last) = (count + 1, Some(value));
            }
            if let (true, Form::Integer { .. }, Some(value)) = (failed, form, last) {
                self.last.entry(*node).or_default().insert(value);
            }
            domains.entry(*node).or_default().merge(&domain);
            if failed && form == Form::Truth && count > 0 {
                self.executions.entry(test).or_default().insert(*node, count);
            }
        }
    }
}

/// Which of the tests are passing ones that are dear.
fn dear(tests: &[&SearchTest]) -> impl Fn(&SearchTest) -> bool {
    let failing = tests.iter().filter(|test| test.failed);
    let most = failing.map(|test| test.cost.saturating_mul(DEAR)).max().unwrap_or(u64::MAX);
    move |test| !test.failed && test.cost > most
}

/// These tests in the order in which they are looked at: dear ones are begun when the others are ready. A failing test waits for its second run, and
/// nothing is tried before it is ready.
fn turns(tests: &[&SearchTest], wanted: &[u32]) -> [Vec<u32>; 2] {
    let is_dear = dear(tests);
    let wanted = tests.iter().filter(|test| wanted.contains(&test.test));
    let (last, first): (Vec<&SearchTest>, Vec<_>) = wanted.partition(|test| is_dear(test));
    [first, last].map(|turn| turn.iter().map(|test| test.test).collect())
}

/// Those of the tests that could be got ready, for which there was time.
fn ready<L: Lab>(
    lab: &L,
    workers: &mut [L::Worker],
    tests: &[u32],
    has_time: &(impl Fn(u32) -> bool + Sync),
    looked: &(impl Fn(u32, &L::Ready) -> Result<(), CampaignError> + Sync),
    passed_over: &(impl Fn(u32, Refusal) + Sync),
) -> Result<BTreeMap<u32, L::Ready>, CampaignError> {
    let seen: Mutex<BTreeMap<u32, L::Ready>> = Mutex::default();
    prepare_each(lab, workers, tests, has_time, |test, ready| {
        match ready {
            Ok(ready) => {
                looked(test, &ready)?;
                locked(&seen).insert(test, ready);
            }
            Err(refusal) => passed_over(test, refusal),
        }
        Ok(())
    })?;
    Ok(std::mem::take(&mut *locked(&seen)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn passing_tests_that_take_many_times_as_long_as_failing_ones_are_left_out_or_come_last() {
        let of = |costs: &[(bool, u64)]| {
            let test = |(test, (failed, cost)): (u32, &(bool, u64))| SearchTest {
                test,
                failed: *failed,
                pieces: vec![0],
                cost: *cost,
                wall: Duration::ZERO,
            };
            let tests: Vec<SearchTest> = (0..).zip(costs).map(test).collect();
            let tests: Vec<&SearchTest> = tests.iter().collect();
            let wanted = Facts::wanted(&tests);
            (turns(&tests, &wanted), wanted)
        };
        let some = [(false, 17), (true, 2), (false, 16), (true, 1), (false, 90)];
        assert_eq!(of(&some), ([vec![1, 2, 3], vec![]], vec![1, 3, 2]));
        let all = [(false, 17), (true, 2), (false, 90)];
        assert_eq!(of(&all), ([vec![1], vec![0, 2]], vec![1, 0, 2]));
        assert_eq!(of(&all[..1]), ([vec![0], vec![]], vec![0]), "none fails, and none is dear");
    }
}
