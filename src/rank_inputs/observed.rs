//! Observations of a run's latest campaign, as the causal analyses take them.

use std::collections::{BTreeMap, BTreeSet};

use crate::campaign::Results;
use crate::causal::{Observations, TestObservations, execution_order};
use crate::mutant::Slot;
use crate::obstacle::Obstacle;
use crate::store::{Run, TrialKey};
use crate::suite_run::Session;

/// The observations of a campaign.
#[derive(Debug)]
pub struct Observed {
    /// Them.
    pub observations: Observations,
    /// For each test of the observations, its index in the run's manifest.
    pub tests: Vec<u32>,
    /// For each node, the position of its first execution among those of all nodes.
    pub order: Vec<u32>,
    /// Statements for the user.
    pub notes: Vec<String>,
}

impl Observed {
    /// Fails unless a failing test is among those that mutants ran on.
    pub fn check_failing(&self) -> Result<(), Obstacle> {
        match self.observations.tests().iter().any(|test| test.failed()) {
            true => Ok(()),
            false => Err(Obstacle::new(
                Obstacle::Tests,
                "value mutants have been tried on passing tests alone: run `suspect mutate` for the failing ones",
            )),
        }
    }

    /// Statements to know before believing what is computed from these observations.
    pub fn trust(&self) -> impl Iterator<Item = String> {
        let n_observations: u32 =
            self.observations.tests().iter().flat_map(|test| test.rows()).map(|row| row.count).sum();
        let n_nodes = self.observations.samples().iter().filter(|samples| **samples > 0).count();
        let failing = self.observations.tests().iter().filter(|test| test.failed()).count();
        let summary = format!(
            "{n_observations} value mutants of {n_nodes} nodes on {failing} failing and {} passing tests",
            self.tests.len() - failing
        );
        std::iter::once(summary).chain(self.notes.iter().cloned())
    }
}

/// Which observations are wanted; all of the campaign that was worked on last, by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// True without mutants that are no samples: a value's neighbours.
    pub sampled_alone: bool,
    /// On these tests alone, ascending.
    pub tests: Option<&'a [u32]>,
    /// Samples of each node, the first ones.
    pub samples: Option<u32>,
    /// Seed of the campaign.
    pub seed: Option<u64>,
}

/// Reads the run's campaign.
pub fn observe(session: &Session, wanted: Wanted) -> Result<Observed, Obstacle> {
    let Session { store, run, .. } = session;
    let none = || {
        Obstacle::new(
            Obstacle::Store,
            "no value mutants have been tried since the tests were recorded: run `suspect mutate` first",
        )
    };
    let results = Results::of_seed(store, run, wanted.seed)?;
    let results = results.filter(|results| !results.trials.is_empty()).ok_or_else(none)?;
    observe_results(run, &results, wanted)
}

/// The observations of all mutants and tests; `None` if the run has no campaign.
pub fn observe_latest(session: &Session) -> Result<Option<Observed>, Obstacle> {
    let Session { store, run, .. } = session;
    let results = Results::latest(store, run)?.filter(|results| !results.trials.is_empty());
    results.map(|results| observe_results(run, &results, Wanted::default())).transpose()
}

fn observe_results(run: &Run, results: &Results, wanted: Wanted) -> Result<Observed, Obstacle> {
    let program = &run.program;
    let schedule = results.schedule(program);
    let counts = |slot: u32| {
        let is_chosen = !wanted.sampled_alone || Slot(slot).is_sampled();
        is_chosen && wanted.samples.is_none_or(|samples| Slot(slot).is_within(samples))
    };
    let mut slots: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); program.nodes.len()];
    let mut tests: BTreeMap<u32, TestObservations> = BTreeMap::new();
    let is_wanted = |test: u32| wanted.tests.is_none_or(|tests| tests.binary_search(&test).is_ok());
    let every = |key: &TrialKey| counts(key.slot) && key.instance == 0 && is_wanted(key.test) && schedule.has(key);
    for key in results.trials.keys().filter(every) {
        slots[key.node as usize].insert(key.slot);
        if let Some(planned) = results.plan.test(key.test) {
            tests.entry(key.test).or_insert_with(|| TestObservations::new(planned.covered.clone(), planned.failed));
        }
    }
    for record in results.observations(&schedule).filter(|record| counts(record.key.slot)) {
        if let Some(test) = tests.get_mut(&record.key.test) {
            test.push(record.key.node, &record.changed, record.output_changed);
        }
    }
    let orders: Vec<Vec<u32>> =
        tests.keys().filter_map(|test| results.plan.test(*test)).map(|planned| planned.order.clone()).collect();
    let samples = slots.iter().map(|slots| slots.len() as u32).collect();
    let (numbers, tests): (Vec<u32>, Vec<TestObservations>) = tests.into_iter().unzip();
    Ok(Observed {
        observations: Observations::new(samples, tests).map_err(Obstacle::of(Obstacle::Store))?,
        tests: numbers,
        order: execution_order(program.nodes.len(), &orders),
        notes: notes(run, results),
    })
}

/// Statements about what is missing from the campaign.
fn notes(run: &Run, results: &Results) -> Vec<String> {
    let schedule = results.schedule(&run.program);
    let planned: usize =
        schedule.tests().iter().map(|test| schedule.trials(test, 0..schedule.n_rounds()).count()).sum();
    let done = results.trials.keys().filter(|key| schedule.has(key)).count();
    let mut notes = Vec::new();
    if done < planned {
        notes.push(format!("{} of {planned} trials have not been run (`suspect mutate` goes on)", planned - done));
    }
    let refused = results.plan.tests.iter().filter(|test| test.refused.is_some()).count();
    if refused > 0 {
        notes.push(format!("{refused} tests cannot be run with mutants (`suspect mutate` names them)"));
    }
    for (path, stretches) in results.trials.damaged() {
        notes.push(format!("{stretches} parts of {} could not be read; their trials count as not run", path.display()));
    }
    notes
}
