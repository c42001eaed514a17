//! What the tests do by themselves, found out once and kept.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::{SHARE_OF_PASSING, SHARE_OF_VALUES, Search, Shared, has_time};
use crate::campaign::pool::locked;
use crate::campaign::{CampaignError, Lab, Refusal};
use crate::search::SearchTest;
use crate::search::facts::Facts;

impl<L: Lab> Search<'_, L> {
    /// Facts that were found out before about these tests, in this run or in an earlier one of this very program.
    fn known_facts(&self, wanted: &[u32]) -> Result<Option<Facts>, CampaignError> {
        if let Some(facts) = self.store.load_facts::<Facts>().filter(|facts| facts.tests == wanted) {
            return Ok(Some(facts));
        }
        let mut earlier = self.earlier.iter().filter_map(|run| run.unchanged.as_ref()?.facts.as_ref());
        let found = earlier.find(|facts| facts.tests == wanted).cloned();
        if let Some(facts) = found.as_ref().filter(|_| !self.only_looks_up()) {
            self.store.save_facts(facts)?;
        }
        Ok(found)
    }

    /// What the tests do by themselves: as it was found out before, or now. Passing tests get a share of the budget alone.
    pub(super) fn facts(
        &self,
        chosen: &[&SearchTest],
        workers: &mut [L::Worker],
        shared: &Shared<L::Ready>,
    ) -> Result<Facts, CampaignError> {
        if let Some(facts) = self.known_facts(&Facts::wanted(chosen))? {
            return Ok(facts);
        }
        let part = self.part_of_facts(chosen);
        if self.only_looks_up() {
            shared.hurried.store(true, Ordering::Relaxed);
            return Ok(part);
        }
        let share = |of: u32| self.settings.budget.map(|budget| Instant::now() + budget / of);
        let (of_values, of_passing) = (share(SHARE_OF_VALUES), share(SHARE_OF_PASSING));
        let deadline = |test: &SearchTest| if test.failed { of_values } else { of_passing };
        let in_time = |test: &SearchTest| !self.is_stopped(deadline(test)) && has_time(deadline(test), test);
        let late: Mutex<BTreeSet<u32>> = Mutex::default();
        let is_wanted = |test: u32| {
            let wanted = chosen.iter().any(|one| one.test == test && in_time(one));
            if !wanted {
                locked(&late).insert(test);
            }
            wanted
        };
        let looked = |test: u32, ready: &L::Ready| self.note_garbage(shared, test, ready);
        // A run that its deadline ends says nothing of the test.
        let passed_over = |test: u32, refusal: Refusal| {
            if refusal.is_late || self.stop.load(Ordering::Relaxed) {
                locked(&late).insert(test);
            }
        };
        let mut facts = Facts::gather(self.values, workers, self.program, chosen, is_wanted, looked, passed_over)?;
        let late = std::mem::take(&mut *locked(&late));
        if late.is_empty() && !self.is_stopped(shared.runner.deadline()) {
            self.store.save_facts(&facts)?;
            return Ok(facts);
        }
        shared.hurried.store(true, Ordering::Relaxed);
        facts.tests.retain(|test| !late.contains(test));
        // What was tried of what more tests did is to be found again.
        if facts.tests.len() <= part.tests.len() {
            return Ok(part);
        }
        self.store.save_facts(&facts)?;
        Ok(facts)
    }

    /// What was found out before about a part of the tests, when there was no time for the others.
    fn part_of_facts(&self, chosen: &[&SearchTest]) -> Facts {
        let wanted = Facts::wanted(chosen);
        let is_part = |facts: &Facts| facts.tests.iter().all(|test| wanted.contains(test));
        self.store.load_facts::<Facts>().filter(is_part).unwrap_or_default()
    }
}
