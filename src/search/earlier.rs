//! What earlier runs found out that may hold still: trials of functions and tests that did not change, and everything where the program did not.

use std::collections::{BTreeMap, HashMap};

use crate::evidence::{Candidate, Effect, Trials};
use crate::program::Program;
use crate::store::TriedRecord;
use crate::trial::{Garbage, Site};

use super::facts::Facts;
use super::known::{identity, outcome_of};
use super::policy::Pair;

/// What an earlier run found out.
#[derive(Debug, Default)]
pub struct EarlierRun {
    /// When it began, seconds since 1970.
    pub began: u64,
    /// By candidate and test, both of now, with when it was found out (seconds since 1970). Tests that changed have none.
    pub records: HashMap<(u64, u32), (TriedRecord, u64)>,
    /// For each function of the program, whether it is as it was, and so are the interfaces of what it calls.
    pub same: Vec<bool>,
    /// If it ran this very program: what it knew of its tests.
    pub unchanged: Option<Unchanged>,
}

/// What is known of the tests of a program that is the same to the last byte, by their numbers of now.
#[derive(Debug, Default)]
pub struct Unchanged {
    /// What they do by themselves; `None` where not all of these tests are as they were.
    pub facts: Option<Facts>,
    /// What locals begin as in those that need it.
    pub garbage: BTreeMap<u32, Garbage>,
}

/// The records that hold still of these trials, each a candidate and a test by position. What made a failing test pass is tried again unless the
/// program is the same: nothing is claimed that was not seen in this program. What the clock stopped is only as long not tried again as the run that
/// tried it is one of these: it says nothing and costs as much as hundreds, but it may have been the machine.
pub(super) fn holding(
    program: &Program,
    runs: &[EarlierRun],
    trials: &Trials,
    wanted: &[Pair],
) -> Vec<(TriedRecord, u64)> {
    let oldest = runs.iter().map(|run| run.began).min().unwrap_or(0);
    let record = |pair @ (candidate, test): &Pair| {
        let identity = identity(*pair, trials);
        let candidate = &trials.candidates()[*candidate as usize];
        let test = trials.tests()[*test as usize];
        let functions = functions_of(program, candidate);
        let is_same =
            |run: &&EarlierRun| functions.iter().all(|function| run.same.get(*function as usize) == Some(&true));
        let mut usable = runs.iter().filter(is_same);
        let (run, found) = usable.find_map(|run| Some((run, run.records.get(&(identity, test.test))?)))?;
        let holds = match outcome_of(&found.0).effect {
            Effect::Unknown => found.1 >= oldest,
            Effect::Turned | Effect::Silenced => !test.failed,
            Effect::Same | Effect::Unchanged | Effect::Changed | Effect::Earlier | Effect::Later => true,
        };
        (run.unchanged.is_some() || holds).then_some(*found)
    };
    wanted.iter().filter_map(record).collect()
}

/// The functions that a candidate changes.
fn functions_of(program: &Program, candidate: &Candidate) -> Vec<u32> {
    let function = |site: Site| match site {
        Site::Node(node) => program.nodes.get(node as usize).map(|node| node.function),
        Site::Operation(operation) => program.operations.get(operation as usize).map(|operation| operation.function),
    };
    candidate.mutant.overrides.iter().filter_map(|one| function(one.site)).collect()
}
