//! Which edges of a flow graph need a counter: those outside a maximum-weight spanning forest (Knuth and Stevenson,
//! "Optimal measurement points for program frequency counts", 1973; weights as Ball and Larus, "Optimally profiling
//! and tracing programs", 1994).
//!
//! A vertex conserves flow when what enters it leaves it. Vertices that do not (the outside, calls that may not return)
//! give no equation; they are merged into one *ground* vertex before the forest is grown, so every conserving vertex keeps
//! exactly one edge more than its children to be solved for, and peeling leaves gives all counts.

use std::cmp::Reverse;

/// Where an edge should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// It has a counter in any case.
    Measured,
    /// Rather measured than any ordinary one, the heaviest first.
    Counted(Reverse<u64>),
    /// In the forest if it is heavy.
    Ordinary(u64),
    /// Rather in the forest than any ordinary one.
    Preferred(u64),
    /// It cannot have a counter.
    Forest,
}

/// An edge between vertices.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Vertex it leaves.
    pub from: usize,
    /// Vertex it enters.
    pub to: usize,
    /// What is wanted of it.
    pub place: Place,
}

/// For each edge, whether it needs a counter; `None` when some edge that cannot have one would need it.
///
/// `grounded[v]`: vertex `v` does not conserve flow.
pub fn measured(grounded: &[bool], edges: &[Edge]) -> Option<Vec<bool>> {
    let mut trees = Trees::new(grounded);
    let mut order: Vec<usize> = (0..edges.len()).filter(|index| edges[*index].place != Place::Measured).collect();
    order.sort_by(|left, right| edges[*right].place.cmp(&edges[*left].place).then(left.cmp(right)));
    let mut measured = vec![true; edges.len()];
    for index in order {
        let edge = edges[index];
        measured[index] = !trees.join(edge.from, edge.to);
        if measured[index] && edge.place == Place::Forest {
            return None;
        }
    }
    Some(measured)
}

/// Disjoint sets of vertices.
struct Trees {
    parent: Vec<usize>,
}

impl Trees {
    fn new(grounded: &[bool]) -> Self {
        let ground = grounded.iter().position(|grounded| *grounded);
        let parent = |(vertex, grounded): (usize, &bool)| if *grounded { ground.unwrap_or(vertex) } else { vertex };
        Trees { parent: grounded.iter().enumerate().map(parent).collect() }
    }

    fn root(&mut self, mut vertex: usize) -> usize {
        while self.parent[vertex] != vertex {
            self.parent[vertex] = self.parent[self.parent[vertex]];
            vertex = self.parent[vertex];
        }
        vertex
    }

    /// Joins two trees; false if they are one already.
    fn join(&mut self, left: usize, right: usize) -> bool {
        let (left, right) = (self.root(left), self.root(right));
        self.parent[left] = right;
        left != right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Counts of all edges from those of the measured ones, by peeling.
    fn solve(grounded: &[bool], edges: &[Edge], measured: &[bool], truth: &[i64]) -> Option<Vec<i64>> {
        let mut counts: Vec<Option<i64>> =
            truth.iter().zip(measured).map(|(count, known)| known.then_some(*count)).collect();
        loop {
            let mut changed = false;
            for vertex in (0..grounded.len()).filter(|vertex| !grounded[*vertex]) {
                let touching = |edge: &Edge| edge.from != edge.to && (edge.from == vertex || edge.to == vertex);
                let here: Vec<usize> = (0..edges.len()).filter(|index| touching(&edges[*index])).collect();
                let unknown: Vec<usize> = here.iter().copied().filter(|index| counts[*index].is_none()).collect();
                if let [unknown] = unknown[..] {
                    let sign = |index: usize| if edges[index].to == vertex { 1 } else { -1 };
                    let sum: i64 = here.iter().filter_map(|index| Some(sign(*index) * counts[*index]?)).sum();
                    counts[unknown] = Some(-sum * sign(unknown));
                    changed = true;
                }
            }
            if !changed {
                return counts.into_iter().collect();
            }
        }
    }

    /// A graph of `n` vertices and walks on it: vertex 0 is the outside, `grounded` vertices may swallow a walk.
    fn graph() -> impl Strategy<Value = (Vec<bool>, Vec<Edge>, Vec<u32>)> {
        (3usize..12).prop_flat_map(|n| {
            let edge = (0..n, 0..n, any::<u16>(), 0..3u8);
            (
                proptest::collection::vec(any::<bool>(), n),
                proptest::collection::vec(edge, 1..30),
                proptest::collection::vec(any::<u32>(), 1..400),
            )
                .prop_map(move |(mut grounded, mut edges, steps)| {
                    grounded[0] = true;
                    // Every vertex can be entered and left, so that no walk gets stuck.
                    edges.extend((1..n).flat_map(|vertex| [(0, vertex, 1, 0), (vertex, 0, 1, 0)]));
                    let place = |weight, kind| match kind {
                        0 => Place::Ordinary(weight),
                        1 => Place::Preferred(weight),
                        _ => Place::Counted(Reverse(weight)),
                    };
                    let make = |(from, to, weight, kind)| Edge { from, to, place: place(u64::from(weight), kind) };
                    (grounded, edges.into_iter().map(make).collect(), steps)
                })
        })
    }

    /// Walks from the outside back to it; a walk may end in a grounded vertex.
    fn walk(grounded: &[bool], edges: &[Edge], steps: &[u32]) -> Vec<i64> {
        let mut counts = vec![0; edges.len()];
        let mut here = 0;
        let mut steps = steps.iter().copied();
        loop {
            let step = match steps.next() {
                Some(step) => step as usize,
                None if grounded[here] => return counts,
                None => 0,
            };
            let out: Vec<usize> = (0..edges.len()).filter(|index| edges[*index].from == here).collect();
            let last = out.iter().copied().rfind(|index| edges[*index].to == 0);
            let chosen = if step == 0 { last.unwrap_or(out[0]) } else { out[step % out.len()] };
            counts[chosen] += 1;
            here = if grounded[edges[chosen].to] && step % 7 == 3 { 0 } else { edges[chosen].to };
        }
    }

    proptest! {
        #[test]
        fn counts_of_measured_edges_give_all_counts((grounded, edges, steps) in graph()) {
            let truth = walk(&grounded, &edges, &steps);
            let measured = measured(&grounded, &edges).unwrap();
            prop_assert_eq!(solve(&grounded, &edges, &measured, &truth), Some(truth));
        }

        #[test]
        fn no_smaller_set_would_do((grounded, edges, _) in graph()) {
            let conserving = grounded.iter().filter(|grounded| !**grounded).count();
            let measured = measured(&grounded, &edges).unwrap();
            prop_assert_eq!(measured.iter().filter(|measured| **measured).count(), edges.len() - conserving);
        }
    }

    #[test]
    fn the_heaviest_edges_have_no_counter() {
        // A diamond: the outside 0, entry 1, branches 2 and 3.
        let edge = |from, to, weight| Edge { from, to, place: Place::Ordinary(weight) };
        let edges = [edge(0, 1, 10), edge(1, 2, 9), edge(1, 3, 1), edge(2, 0, 9), edge(3, 0, 1)];
        let measured = measured(&[true, false, false, false], &edges).unwrap();
        assert_eq!(measured, [false, false, false, true, true]);
    }

    #[test]
    fn the_heavier_edge_of_a_counted_pair_has_the_counter() {
        let edge = |from, to, place| Edge { from, to, place };
        let (heavy, light) = (Place::Counted(Reverse(9)), Place::Counted(Reverse(1)));
        let rest = Place::Ordinary(5);
        let edges = [edge(0, 1, rest), edge(1, 2, heavy), edge(1, 3, light), edge(2, 0, rest), edge(3, 0, rest)];
        let measured = measured(&[true, false, false, false], &edges).unwrap();
        assert_eq!(measured, [false, true, true, false, false]);
    }

    #[test]
    fn a_cycle_of_edges_that_cannot_be_counted_is_refused() {
        let edge = |from, to| Edge { from, to, place: Place::Forest };
        assert_eq!(measured(&[true, false], &[edge(0, 1), edge(1, 0)]), None);
    }
}
