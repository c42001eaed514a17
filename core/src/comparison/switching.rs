//! In which order decisions of a failing run are sent another way, and stores given another value, until it passes (section 1.11). Predicate switching:
//! Zhang, Gupta & Gupta, "Locating Faults Through Automated Predicate Switching" (ICSE 2006), with both of its orders.

use super::NONE;
use super::bits::Bits;
use super::run::Run;

/// A decision of a run that is sent another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// Its number, from 0, in the order of execution.
    pub decision: u64,
    /// The way that it goes instead.
    pub way: u32,
}

/// A value that a store of a run is given instead of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Replacement {
    /// The number of the store, from 0, in the order of execution.
    pub store: u64,
    /// The value, extended by zeros.
    pub bits: u64,
}

/// The points of a run that decide, in order, as far as they are kept: the n-th is decision number n behind those that are not.
pub fn decisions(run: &Run, decides: impl Fn(u32) -> bool) -> Vec<u32> {
    (run.skipped().points + 1..run.points()).filter(|point| decides(run.site(*point))).collect()
}

/// Points by how many dependences, of data or of control, lead to them from one of `from`, the nearest first; among equals the one executed
/// last. Points on which nothing there depends are left out. Linear in the run's length.
pub fn by_distance(run: &Run, from: &[u32]) -> Vec<u32> {
    let mut seen = Bits::new(run.points() as usize);
    let mut order = Vec::new();
    let mut ring = from.to_vec();
    while !ring.is_empty() {
        ring.sort_unstable_by(|one, other| other.cmp(one));
        ring.dedup();
        ring.retain(|point| !seen.get(*point));
        ring.iter().for_each(|point| seen.set(*point));
        let start = order.len();
        order.append(&mut ring);
        for point in &order[start..] {
            let writers = run.reads(*point).iter().map(|write| run.writer(*write));
            let parent = Some(run.parent(*point)).filter(|parent| *parent != NONE);
            ring.extend(writers.chain(parent).filter(|point| !seen.get(*point)));
        }
    }
    order
}

/// Numbers of decisions, or of other points in order, as they are tried: in turn the last executed and the one nearest to `from` that were not yet.
pub fn switching_order(run: &Run, decisions: &[u32], from: &[u32]) -> impl Iterator<Item = u64> {
    let mut last_first = (0..decisions.len() as u64).rev();
    let near = by_distance(run, from);
    let mut nearest = near
        .into_iter()
        .filter_map(|point| Some(decisions.binary_search(&point).ok()? as u64))
        .collect::<Vec<_>>()
        .into_iter();
    let mut tried = Bits::new(decisions.len());
    let mut is_near = false;
    std::iter::from_fn(move || {
        is_near = !is_near;
        let mut fresh = |number: &u64| {
            let fresh = !tried.get(*number as u32);
            tried.set(*number as u32);
            fresh
        };
        let one = if is_near { nearest.find(&mut fresh) } else { None };
        one.or_else(|| last_first.find(&mut fresh))
    })
}
