//! Patched runs of one step that are forked from one process, where that is right and saves running to the cause point again and again.

use std::collections::HashMap;

use super::process::Processes;
use crate::comparison::{Difference, Effect, Side, Verdict};

/// Differences of a cut, at most, for whose subsets processes are forked ahead.
const MOST: usize = 16;
/// Differences of which all subsets are few enough.
const ALL_SUBSETS: usize = 4;

/// Forked runs of the parts of one cut, made when the first of a side is asked for: that the whole cut suffices is known by then.
pub struct Forks<'s, 'c, 'a> {
    processes: &'s Processes<'c, 'a>,
    cause: [u32; 2],
    cut: &'s [Difference],
    effect: &'s Effect,
    /// By the locations of a patch; nothing for a side that was not asked for.
    known: [Option<HashMap<Vec<u32>, Verdict>>; 2],
    answered: usize,
}

fn locations(patch: &[&Difference]) -> Vec<u32> {
    patch.iter().map(|difference| difference.location).collect()
}

impl<'s, 'c, 'a> Forks<'s, 'c, 'a> {
    /// For a cut of more than one difference, where processes can go beside each other.
    pub fn new(
        processes: &'s Processes<'c, 'a>,
        cause: [u32; 2],
        cut: &'s [Difference],
        effect: &'s Effect,
    ) -> Option<Self> {
        let fits = (2..=MOST).contains(&cut.len()) && processes.may_fork(cause, effect);
        fits.then_some(Forks { processes, cause, cut, effect, known: [None, None], answered: 0 })
    }

    /// The verdict of a forked process on a part of the cut.
    pub fn run(&mut self, side: Side, patch: &[&Difference]) -> Option<Verdict> {
        if patch.len() == self.cut.len() {
            return None;
        }
        if self.known[side.index()].is_none() {
            self.known[side.index()] = Some(self.fork(side));
        }
        let found = self.known[side.index()].as_ref()?.get(&locations(patch)).copied();
        self.answered += usize::from(found.is_some());
        found
    }

    /// The number of runs that were answered so.
    pub fn answered(&self) -> usize {
        self.answered
    }

    fn fork(&self, side: Side) -> HashMap<Vec<u32>, Verdict> {
        let parts = parts(self.cut);
        let verdicts = self.processes.run_forked(side, self.cause, &parts, self.effect).unwrap_or_default();
        parts.iter().map(|patch| locations(patch)).zip(verdicts).collect()
    }
}

/// The parts of a cut that are asked for first: all of a small one; else each difference alone, and all but one.
fn parts(cut: &[Difference]) -> Vec<Vec<&Difference>> {
    if cut.len() <= ALL_SUBSETS {
        let of = |bits: u32| (0..).zip(cut).filter(move |(at, _)| bits >> at & 1 == 1).map(|(_, one)| one).collect();
        return (1..(1 << cut.len()) - 1).map(of).collect();
    }
    let alone = cut.iter().map(|one| vec![one]);
    let without = |at: usize| cut[..at].iter().chain(&cut[at + 1..]).collect();
    alone.chain((0..cut.len()).map(without)).collect()
}
