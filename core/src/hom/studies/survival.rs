//! Do mutants of higher order survive more often than those of first order?

use serde::Serialize;

use super::{Judged, share};
use crate::hom::kill::Kills;
use crate::hom::pool::{Hom, Pool};

/// A set of mutants, and how many of them survive.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SurvivalRow {
    /// What they are: `first order`, or the heuristic that made them.
    pub name: String,
    /// Number of mutants whose fate is known, those of all repeats together.
    pub mutants: usize,
    /// How many no test kills.
    pub survived: usize,
    /// Share of these.
    pub rate: f64,
    /// Of the survivors of higher order: how many have members each of which some test kills, so that they hide each other.
    pub hidden: usize,
    /// Mutants whose fate hangs on tests that are unknown, left out of all other figures.
    pub unknown: usize,
}

/// Survival by set of mutants, first order first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SurvivalTable {
    /// The sets.
    pub rows: Vec<SurvivalRow>,
}

/// The survival of the first-order mutants of `pool`, and of those of each row of a batch.
pub(super) fn survival(judged: &Judged, pool: &Pool, names: &[&str]) -> SurvivalTable {
    let fate = |member: u32| judged.first_order.rows()[member as usize].survived();
    let first: Vec<_> =
        pool.nodes().into_iter().flat_map(|node| pool.mutants(node)).map(|m| (fate(*m), false)).collect();
    let mut rows = vec![row("first order", &first)];
    let one = |at: &u32| {
        let (hom, kills): (&Hom, &Kills) = (&judged.batch.homs[*at as usize], &judged.outcomes.rows()[*at as usize]);
        (kills.survived(), hom.members.iter().all(|member| fate(*member) == Some(false)))
    };
    for (at, name) in names.iter().enumerate() {
        let fates: Vec<_> = judged.samples(at).flat_map(|sample| &sample.mutants).map(one).collect();
        rows.push(row(name, &fates));
    }
    SurvivalTable { rows }
}

/// A row from the fate of each mutant, and whether all its members are killed.
fn row(name: &str, fates: &[(Option<bool>, bool)]) -> SurvivalRow {
    let count = |wanted: Option<bool>| fates.iter().filter(|(survived, _)| *survived == wanted).count();
    let (survived, unknown) = (count(Some(true)), count(None));
    let mutants = fates.len() - unknown;
    let hidden = fates.iter().filter(|fate| **fate == (Some(true), true)).count();
    SurvivalRow { name: name.to_string(), mutants, survived, rate: share(survived, mutants), hidden, unknown }
}
