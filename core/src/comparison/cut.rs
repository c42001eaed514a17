//! Cuts of a dual slice: the differences that are in flight at a point (section 1.3).

use super::slice::DualSlice;
use super::state::{Difference, States};

impl DualSlice<'_> {
    /// C(D,l) at the point that `states` stand before: the differing locations that the slice reads at or after the point and that were
    /// written before it. By location. Theorem 1: exactly the differences that are relevant.
    pub fn cut(&self, states: &States<'_>) -> Vec<Difference> {
        let mut locations = Vec::new();
        self.edges(states.points, |edge| {
            let run = self.pair.run(edge.side);
            if run.writer(edge.write) < states.points[edge.side.index()] {
                locations.push(run.location(edge.write));
            }
        });
        locations.sort_unstable();
        locations.dedup();
        locations.into_iter().filter_map(|location| states.difference(location)).collect()
    }
}
