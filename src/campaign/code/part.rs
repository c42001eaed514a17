//! Which trials of code mutants a shard has.

use super::{CodeTest, CoveredMutant};
use crate::campaign::Division;
use crate::store::Shard;

/// What a trial costs beyond the test's own run, in edges: nearly a millisecond.
const TRIAL: u64 = 800_000;

/// For each mutant, the tests that a shard runs it on.
#[derive(Debug)]
pub struct Part<'m> {
    mutants: &'m [CoveredMutant],
    /// Without it all tests are the shard's.
    own: Option<Vec<Vec<u32>>>,
}

impl<'m> Part<'m> {
    /// The part of a shard. As long as every mutant runs on all its tests, a shard has all mutants of some tests, so that few shards
    /// prepare a test; where tests decide about mutants, it has all tests of some mutants, mostly of those that begin with the same test.
    pub fn new(mutants: &'m [CoveredMutant], tests: &[CodeTest], shard: Shard) -> Part<'m> {
        if shard == Shard::WHOLE {
            return Part { mutants, own: None };
        }
        let is_decided = mutants.iter().any(|mutant| mutant.decisive > 0);
        // Of each test, the mutants by which it counts.
        let mut of_test: Vec<Vec<usize>> = vec![Vec::new(); tests.len()];
        for (at, mutant) in mutants.iter().enumerate() {
            let counting = if is_decided { mutant.tests.get(..1).unwrap_or(&[]) } else { &mutant.tests };
            counting.iter().for_each(|test| of_test[*test as usize].push(at));
        }
        let costs = tests
            .iter()
            .zip(&of_test)
            .map(|(test, mutants)| (mutants.len() as u64).saturating_mul(test.cost.saturating_add(TRIAL)));
        let division = Division::new(costs, shard.of);
        let mut own = vec![Vec::new(); mutants.len()];
        for (test, of_test) in of_test.iter().enumerate() {
            for &mutant in &of_test[division.pieces(test, shard, of_test.len())] {
                own[mutant].push(test as u32);
            }
        }
        // In the order in which the mutant runs on them.
        for (mutant, own) in mutants.iter().zip(&mut own).filter(|(_, own)| !own.is_empty()) {
            let is_own = |test: &u32| is_decided || own.contains(test);
            *own = mutant.tests.iter().copied().filter(is_own).collect();
        }
        Part { mutants, own: Some(own) }
    }

    /// The tests that a mutant runs on here, those first that are tried first.
    pub fn tests(&self, mutant: u32) -> &[u32] {
        match &self.own {
            Some(own) => &own[mutant as usize],
            None => &self.mutants[mutant as usize].tests,
        }
    }

    /// Most tests that a mutant runs on here.
    pub fn n_rounds(&self) -> usize {
        (0..self.mutants.len() as u32).map(|mutant| self.tests(mutant).len()).max().unwrap_or(0)
    }

    /// Trials of this part.
    pub fn n_trials(&self) -> usize {
        (0..self.mutants.len() as u32).map(|mutant| self.tests(mutant).len()).sum()
    }

    /// The tests by which a kill decides about a mutant of this part.
    pub fn decisive(&self, mutant: u32) -> &[u32] {
        let tests = self.tests(mutant);
        &tests[..self.mutants[mutant as usize].decisive.min(tests.len())]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Forty mutants, each executed by every test.
    fn mutants(n_tests: u32, decisive: usize) -> Vec<CoveredMutant> {
        let mutant = |id: u64| {
            let tests = (0..n_tests).map(|test| (test + id as u32 / 10) % n_tests).collect();
            CoveredMutant { id, state: 1, tests, decisive }
        };
        (0..40).map(mutant).collect()
    }

    fn parts(n_tests: u32, decisive: usize, of: u32) -> Vec<BTreeSet<(u32, u32)>> {
        let (mutants, test) =
            (mutants(n_tests, decisive), |test| CodeTest { test, id: u64::from(test), state: 0, cost: 5 });
        let tests: Vec<CodeTest> = (0..n_tests).map(test).collect();
        let part = |number| {
            let part = Part::new(&mutants, &tests, Shard { number, of });
            (0..40)
                .flat_map(|mutant| part.tests(mutant).iter().map(move |test| (mutant, *test)).collect::<Vec<_>>())
                .collect()
        };
        (1..=of).map(part).collect()
    }

    #[test]
    fn each_part_has_tests_of_its_own() {
        let parts = parts(8, 0, 4);
        assert_eq!(parts.iter().map(BTreeSet::len).sum::<usize>(), 320);
        assert_eq!(parts.iter().flatten().collect::<BTreeSet<_>>().len(), 320);
        for part in &parts {
            assert_eq!(part.iter().map(|(_, test)| test).collect::<BTreeSet<_>>().len(), 2);
        }
    }

    #[test]
    fn mutants_that_tests_decide_about_stay_whole() {
        let parts = parts(4, 1, 4);
        assert_eq!(parts.iter().flatten().collect::<BTreeSet<_>>().len(), 160);
        for part in &parts {
            let mutants: BTreeSet<u32> = part.iter().map(|(mutant, _)| *mutant).collect();
            assert_eq!((mutants.len(), part.len()), (10, 40), "all tests of those that begin with one");
        }
    }

    #[test]
    fn few_tests_are_cut() {
        let parts = parts(1, 0, 4);
        assert_eq!(parts.iter().map(BTreeSet::len).collect::<Vec<_>>(), [10; 4]);
    }
}
