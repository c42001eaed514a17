//! Running a campaign of code mutants: rounds, budget, storing.

use std::collections::{BTreeMap, HashSet};
use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::part::Part;
use super::{CodeTest, CoveredMutant, MutantLab, Shown};
use crate::campaign::CampaignError;
use crate::campaign::pool::locked;
use crate::campaign::runner::{Batch, Job, Runner, Sizes, workers};
use crate::campaign::shelf::Shelf;
use crate::store::{KillFrame, KillKey, KillOutcome, KillResult, KillStore, Kills, LogWriter, Shard};

/// Edges of tests, a second's at most, that are prepared before the trials of a round.
const QUICK: u64 = 200_000_000;

/// What a campaign of code mutants is to do.
#[derive(Clone, Debug)]
pub struct CodeSettings {
    /// Which part of the trials is run here.
    pub shard: Shard,
    /// Trials at the same time.
    pub jobs: usize,
    /// No trial is begun after this time.
    pub budget: Option<Duration>,
    /// The program's build.
    pub build: u64,
}

/// Looks at a campaign while it runs; called from several threads.
pub trait CodeWatch: Sync {
    /// These trials have ended since the campaign began or was resumed, of so many that were still to do.
    fn tried(&self, counts: &KillCounts, of: usize);
}

/// How trials came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KillCounts {
    /// All of them.
    pub trials: usize,
    /// The test fails.
    pub killed: usize,
    /// No value was changed.
    pub same: usize,
    /// The clock stopped them.
    pub unknown: usize,
}

/// What a session came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeSummary {
    /// Trials that there are: each mutant on each test that executes it, as far as they are the shard's.
    pub planned: usize,
    /// Those of which the outcome was known before, or that need not be run because another test decided about the mutant.
    pub done_before: usize,
    /// Those done now.
    pub counts: KillCounts,
    /// Those that are still to do.
    pub not_run: usize,
    /// Tests that cannot be used, by position, and why.
    pub refused: BTreeMap<u32, String>,
}

/// A campaign of code mutants.
pub struct CodeCampaign<'a, L: MutantLab> {
    /// The mutants.
    pub mutants: &'a [CoveredMutant],
    /// The tests.
    pub tests: &'a [CodeTest],
    /// Who runs them.
    pub lab: &'a L,
    /// Where results are kept.
    pub store: &'a KillStore,
    /// What to do.
    pub settings: &'a CodeSettings,
    /// Who looks on.
    pub watch: &'a dyn CodeWatch,
}

impl<L: MutantLab> CodeCampaign<'_, L> {
    /// Does what is not done yet, as far as the budget goes.
    ///
    /// # Errors
    /// When the store or the system refuses; everything done until then is kept.
    pub fn run(&self) -> Result<CodeSummary, CampaignError> {
        let deadline = self.settings.budget.map(|budget| Instant::now() + budget);
        let known = self.store.load()?;
        let part = Part::new(self.mutants, self.tests, self.settings.shard);
        let decided: HashSet<u32> = self.all().filter(|mutant| self.is_decided(&part, *mutant, &known)).collect();
        let rounds: Vec<usize> =
            (0..part.n_rounds()).map(|round| self.due(&part, round, &known, &decided).count()).collect();
        let planned = part.n_trials();
        let to_do: usize = rounds.iter().sum();
        let mut summary = CodeSummary { planned, done_before: planned - to_do, ..CodeSummary::default() };
        if to_do == 0 {
            return Ok(summary);
        }
        let trials = CodeTrials {
            campaign: self,
            part,
            writer: Mutex::new(self.store.begin(self.settings.shard)?),
            counts: Mutex::default(),
            to_do,
            decided: Mutex::new(decided),
        };
        let runner = Runner::new(Shelf::new(0..self.tests.len() as u32), deadline, None);
        let mut workers = workers(self.lab, self.settings.jobs)?;
        // As long as tests are decisive, a mutant's next one may not be needed.
        let n_decisive = self.all().map(|mutant| trials.part.decisive(mutant).len()).max().unwrap_or(0);
        runner.run_rounds(&trials, &mut workers, (&rounds, n_decisive), |rounds, n_workers| {
            Sizes::MUTANTS.batches(trials.due(rounds, &known), n_workers)
        })?;
        locked(&trials.writer).sync()?;
        summary.counts = *locked(&trials.counts);
        summary.refused = runner.refused();
        summary.not_run = self.left(&trials.part, &locked(&trials.decided), &summary.refused)?;
        Ok(summary)
    }

    fn all(&self) -> std::ops::Range<u32> {
        0..self.mutants.len() as u32
    }

    fn key(&self, mutant: u32, test: u32) -> KillKey {
        self.mutants[mutant as usize].key(&self.tests[test as usize])
    }

    fn is_decided(&self, part: &Part, mutant: u32, known: &Kills) -> bool {
        let kills =
            |test: &u32| known.get(&self.key(mutant, *test)).map(|record| record.outcome) == Some(KillOutcome::Killed);
        part.decisive(mutant).iter().any(kills)
    }

    /// The mutants and tests of a round that are to be run. In each round every mutant that has another test runs on it.
    fn due<'s>(
        &'s self,
        part: &'s Part,
        round: usize,
        known: &'s Kills,
        decided: &'s HashSet<u32>,
    ) -> impl Iterator<Item = (u32, u32)> + 's {
        let wanted = move |mutant: &u32| !decided.contains(mutant);
        let of_round = move |mutant: u32| Some((mutant, *part.tests(mutant).get(round)?));
        // What only the clock stopped may end on a quieter machine, but not in this build without end.
        let is_new = move |(mutant, test): &(u32, u32)| {
            let record = known.get(&self.key(*mutant, *test));
            record.is_none_or(|record| record.outcome == KillOutcome::Unknown && record.build != self.settings.build)
        };
        self.all().filter(wanted).filter_map(of_round).filter(is_new)
    }

    /// Trials that are still to do.
    fn left(
        &self,
        part: &Part,
        decided: &HashSet<u32>,
        refused: &BTreeMap<u32, String>,
    ) -> Result<usize, CampaignError> {
        let known = self.store.load()?;
        let due = (0..part.n_rounds()).flat_map(|round| self.due(part, round, &known, decided));
        Ok(due.filter(|(_, test)| !refused.contains_key(test)).count())
    }
}

/// Trials of code mutants, by their positions in the campaign's list. A test's place is its position too.
struct CodeTrials<'a, L: MutantLab> {
    campaign: &'a CodeCampaign<'a, L>,
    part: Part<'a>,
    writer: Mutex<LogWriter<KillFrame>>,
    counts: Mutex<KillCounts>,
    to_do: usize,
    /// Mutants that a decisive test is known to kill.
    decided: Mutex<HashSet<u32>>,
}

impl<L: MutantLab> CodeTrials<'_, L> {
    /// The mutants that run on each test in these rounds.
    fn due(&self, rounds: Range<usize>, known: &Kills) -> Vec<(u32, Vec<u32>)> {
        let mut by_test: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let decided = locked(&self.decided).clone();
        for (mutant, test) in rounds.flat_map(|round| self.campaign.due(&self.part, round, known, &decided)) {
            by_test.entry(test).or_default().push(mutant);
        }
        by_test.into_iter().collect()
    }
}

impl<L: MutantLab> Job for CodeTrials<'_, L> {
    type Lab = L;
    type Trial = u32;
    type Shown = Shown;
    type Record = KillResult;

    fn lab(&self) -> &L {
        self.campaign.lab
    }

    fn test(&self, place: u32) -> u32 {
        self.campaign.tests[place as usize].test
    }

    fn is_quick(&self, place: u32) -> bool {
        self.campaign.tests[place as usize].cost <= QUICK
    }

    fn admit(&self, _: u32, ready: &L::Ready) -> Result<Result<usize, String>, CampaignError> {
        Ok(Ok(self.campaign.lab.n_values(ready)))
    }

    fn run(
        &self,
        worker: &mut L::Worker,
        ready: &L::Ready,
        batch: &Batch<u32>,
        shown: &mut dyn FnMut(usize, Shown) -> ControlFlow<()>,
    ) -> Result<(), CampaignError> {
        self.campaign.lab.run(worker, ready, &batch.trials, shown)
    }

    fn record(&self, batch: &Batch<u32>, index: usize, shown: Shown) -> KillResult {
        let mutant = batch.trials[index];
        if shown.outcome == KillOutcome::Killed && self.part.decisive(mutant).contains(&batch.place) {
            locked(&self.decided).insert(mutant);
        }
        KillResult { key: self.campaign.key(mutant, batch.place), outcome: shown.outcome, end: shown.end }
    }

    fn keep(&self, _: &Batch<u32>, records: Vec<KillResult>) -> Result<(), CampaignError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let frame = KillFrame { build: self.campaign.settings.build, at: now, results: records };
        locked(&self.writer).append(&frame)?;
        let counts = {
            let mut counts = locked(&self.counts);
            frame.results.iter().for_each(|result| counts.add(result.outcome));
            *counts
        };
        self.campaign.watch.tried(&counts, self.to_do);
        Ok(())
    }
}

impl KillCounts {
    fn add(&mut self, outcome: KillOutcome) {
        self.trials += 1;
        self.killed += usize::from(outcome == KillOutcome::Killed);
        self.same += usize::from(outcome == KillOutcome::Same);
        self.unknown += usize::from(outcome == KillOutcome::Unknown);
    }
}
