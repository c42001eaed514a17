//! One round of a search: candidates on tests, run and kept.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Search, Shared, positions};
use crate::campaign::pool::locked;
use crate::campaign::runner::{Batch, Job};
use crate::campaign::{CampaignError, Lab, OracleFacts};
use crate::evidence::{Outcome, Trials};
use crate::search::SearchTest;
use crate::search::known::{identity, is_second, record};
use crate::search::policy::Pair;
use crate::store::TriedRecord;
use crate::trial::{Mutant, Observation, budget};

/// Time of tests that are got ready before the trials of a round, at most.
const QUICK: Duration = Duration::from_secs(5);

/// Candidates on tests, all chosen by what the same trials showed.
pub(super) struct Round<'a, L: Lab> {
    search: &'a Search<'a, L>,
    chosen: &'a [&'a SearchTest],
    trials: &'a Trials,
    shared: &'a Shared<'a, L::Ready>,
    outcomes: Mutex<Vec<(Pair, Outcome)>>,
}

impl<'a, L: Lab> Round<'a, L> {
    pub(super) fn new(
        search: &'a Search<'a, L>,
        chosen: &'a [&'a SearchTest],
        trials: &'a Trials,
        shared: &'a Shared<'a, L::Ready>,
    ) -> Self {
        Round { search, chosen, trials, shared, outcomes: Mutex::default() }
    }

    /// What was found out.
    pub(super) fn outcomes(self) -> Vec<(Pair, Outcome)> {
        std::mem::take(&mut *locked(&self.outcomes))
    }

    /// Tries again, as far as there is time, to get tests ready that were refused before; what it comes to is known before the first round.
    pub(super) fn try_refused(
        &self,
        workers: &mut [L::Worker],
        refused: &BTreeMap<u32, String>,
    ) -> Result<(), CampaignError> {
        let (before, runner) = (positions(self.chosen, refused), &self.shared.runner);
        if !workers.is_empty() {
            runner.prepare_quick(self, workers, before.clone())?;
        }
        let again = runner.refused();
        for at in before.into_iter().filter(|at| !runner.has(*at) && !again.contains_key(at)) {
            runner.refuse(at, refused[&self.chosen[at as usize].test].clone());
        }
        Ok(())
    }
}

impl<L: Lab> Job for Round<'_, L> {
    type Lab = L;
    type Trial = u32;
    type Shown = Observation;
    type Record = (TriedRecord, Pair, Outcome);

    fn lab(&self) -> &L {
        self.search.lab
    }

    fn test(&self, place: u32) -> u32 {
        self.chosen[place as usize].test
    }

    fn is_quick(&self, place: u32) -> bool {
        self.chosen[place as usize].ready_in() <= QUICK
    }

    fn lacks_time(&self, place: u32, left: Option<Duration>) -> Option<String> {
        let needed = self.chosen[place as usize].ready_in();
        let why = || format!("getting it ready takes about {needed:.0?}, more than is left of the budget");
        left.is_some_and(|left| left < needed).then(why)
    }

    /// Values are not held: only the output is looked at.
    fn admit(&self, place: u32, ready: &L::Ready) -> Result<Result<usize, String>, CampaignError> {
        self.search.note_garbage(self.shared, self.test(place), ready)?;
        Ok(Ok(0))
    }

    fn run(
        &self,
        worker: &mut L::Worker,
        ready: &L::Ready,
        batch: &Batch<u32>,
        shown: &mut dyn FnMut(usize, Observation) -> ControlFlow<()>,
    ) -> Result<(), CampaignError> {
        let of = |candidate: &u32| self.trials.candidates()[*candidate as usize].mutant.clone();
        let mutants: Vec<Mutant> = batch.trials.iter().map(of).collect();
        let budget = match batch.trials.first().is_some_and(|first| is_second((*first, batch.place), self.trials)) {
            true => ready.patience(),
            false => budget(ready.longest(), self.chosen[batch.place as usize].failed),
        };
        self.search.lab.run(worker, ready, &mutants, budget, shown)
    }

    fn record(&self, batch: &Batch<u32>, index: usize, shown: Observation) -> Self::Record {
        let (pair, test) = ((batch.trials[index], batch.place), self.chosen[batch.place as usize]);
        let outcome = Outcome::of(&shown, test.failed);
        (record(identity(pair, self.trials), test.test, outcome), pair, outcome)
    }

    fn keep(&self, _: &Batch<u32>, records: Vec<Self::Record>) -> Result<(), CampaignError> {
        if let Some(writer) = &self.shared.writer {
            let records: Vec<TriedRecord> = records.iter().map(|(record, ..)| *record).collect();
            locked(writer).append(&records)?;
        }
        let n_done = self.shared.n_done.fetch_add(records.len(), Ordering::Relaxed) + records.len();
        locked(&self.outcomes).extend(records.into_iter().map(|(_, pair, outcome)| (pair, outcome)));
        self.search.watch.tried(n_done);
        Ok(())
    }
}
