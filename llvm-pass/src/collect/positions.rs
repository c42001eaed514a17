//! Predicates that need no counter of their own to say when they turned out otherwise: those that are decided exactly as often
//! as a counted edge is taken.
//!
//! After the only edge into a piece, control passes that piece and then, whatever is decided on the way, certain others
//! ("single entry, single exit" regions: Johnson, Pearson, Pingali, "The program structure tree", 1994). As long as nothing is
//! called in between, which might come back here, the edge's count is at each of them the number of times it is executed.

use std::collections::HashMap;

/// Pieces that one edge is followed through, and those between two of them.
const MOST_PIECES: usize = 200;

/// A predicate is helped that turns out one way oftener than the other by this part of all times: where it does not, the counter that it
/// still needs is as likely to be on the side that is taken as the one it is spared.
const LEAST_BIAS: u64 = 8;

/// An edge between vertices.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Vertex it leaves.
    pub from: usize,
    /// Vertex it enters.
    pub to: usize,
    /// How often it is taken, estimated.
    pub weight: u64,
    /// What a counter on it is for.
    pub counter: Counter,
}

/// Whether an edge has a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// In any case.
    There,
    /// If that is worth it.
    Possible,
    /// It cannot have one.
    Impossible,
}

/// What is known of a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    /// Nothing is called at its end and nothing returns there: control goes on along one of its edges.
    pub goes_on: bool,
    /// Its two edges are the outcomes of a predicate.
    pub decides: bool,
}

/// For each vertex that decides, the edge whose count is its own, if one is worth counting.
pub fn find(vertices: &[Vertex], edges: &[Edge]) -> Vec<Option<usize>> {
    let graph = Graph::new(vertices, edges);
    let only_way =
        |index: &usize| graph.entering[edges[*index].to] == 1 && edges[*index].counter != Counter::Impossible;
    let mut order: Vec<usize> = (0..edges.len()).filter(only_way).collect();
    order.sort_by_key(|index| {
        (edges[*index].counter != Counter::There, std::cmp::Reverse(edges[*index].weight), *index)
    });
    let mut found = vec![None; vertices.len()];
    let mut counts_itself = vec![false; vertices.len()];
    for index in order {
        let (edge, leaves) = (edges[index], edges[index].from);
        let alone = |vertex: &usize| vertices[*vertex].decides && found[*vertex].is_none() && !counts_itself[*vertex];
        let leans = |vertex: &usize| graph.bias(*vertex) > graph.total(*vertex) / LEAST_BIAS;
        let members: Vec<usize> =
            graph.followers(edge.to).into_iter().filter(|vertex| alone(vertex) && leans(vertex)).collect();
        // The heavier outcome of a predicate that has no other counter has one anyway.
        let is_counted = alone(&leaves) && graph.heavier(leaves) == Some(index);
        let costs = edge.counter != Counter::There && !is_counted;
        let gain: u64 = members.iter().map(|vertex| graph.bias(*vertex)).sum();
        if members.is_empty() || (costs && gain <= edge.weight) {
            continue;
        }
        if is_counted {
            counts_itself[leaves] = true;
        }
        members.into_iter().for_each(|vertex| found[vertex] = Some(index));
    }
    found
}

struct Graph<'a> {
    vertices: &'a [Vertex],
    edges: &'a [Edge],
    entering: Vec<usize>,
    leaving: Vec<Vec<usize>>,
}

impl Graph<'_> {
    fn new<'a>(vertices: &'a [Vertex], edges: &'a [Edge]) -> Graph<'a> {
        let mut graph =
            Graph { vertices, edges, entering: vec![0; vertices.len()], leaving: vec![Vec::new(); vertices.len()] };
        for (index, edge) in edges.iter().enumerate() {
            graph.entering[edge.to] += 1;
            graph.leaving[edge.from].push(index);
        }
        graph
    }

    /// The heavier of a vertex's edges, the first of two that are equal.
    fn heavier(&self, vertex: usize) -> Option<usize> {
        self.leaving[vertex].iter().copied().rev().max_by_key(|index| self.edges[*index].weight)
    }

    /// How much oftener a predicate turns out one way than the other.
    fn bias(&self, vertex: usize) -> u64 {
        let weights = || self.leaving[vertex].iter().map(|index| self.edges[*index].weight);
        weights().max().zip(weights().min()).map_or(0, |(most, least)| most - least)
    }

    fn total(&self, vertex: usize) -> u64 {
        self.leaving[vertex].iter().map(|index| self.edges[*index].weight).sum()
    }

    /// The vertices that are executed once whenever `first` is, each after the one before, with no call between.
    fn followers(&self, first: usize) -> Vec<usize> {
        let mut followers = vec![first];
        while followers.len() < MOST_PIECES {
            match self.next(&followers) {
                Some(next) => followers.push(next),
                None => break,
            }
        }
        followers
    }

    /// Where all ways meet that leave the last of `passed`.
    fn next(&self, passed: &[usize]) -> Option<usize> {
        let last = *passed.last()?;
        if !self.vertices[last].goes_on {
            return None;
        }
        // How many of the edges into each vertex have been seen, of those that have not been passed yet.
        let mut reached: HashMap<usize, usize> = HashMap::new();
        let mut here = last;
        for _ in 0..MOST_PIECES {
            for edge in &self.leaving[here] {
                *reached.entry(self.edges[*edge].to).or_default() += 1;
            }
            let is_ready = |(vertex, seen): (&usize, &usize)| {
                (self.entering[*vertex] == *seen && !passed.contains(vertex)).then_some(*vertex)
            };
            if reached.len() == 1 {
                return reached.iter().find_map(is_ready);
            }
            // Where one of the ways ends, they never all meet.
            here = reached.iter().filter_map(is_ready).filter(|vertex| self.vertices[*vertex].goes_on).min()?;
            reached.remove(&here);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CALL: Vertex = Vertex { goes_on: false, decides: false };
    const JUMP: Vertex = Vertex { goes_on: true, decides: false };
    const PREDICATE: Vertex = Vertex { goes_on: true, decides: true };

    fn edges(all: &[(usize, usize, u64)]) -> Vec<Edge> {
        all.iter().map(|&(from, to, weight)| Edge { from, to, weight, counter: Counter::Possible }).collect()
    }

    #[test]
    fn predicates_in_a_row_share_the_count_of_the_way_to_them() {
        // Outside 0; 1 and 4 decide, with arms 2, 3 and 5; 6 returns.
        let vertices = [CALL, PREDICATE, JUMP, JUMP, PREDICATE, JUMP, CALL];
        let all = [(0, 1, 10), (1, 2, 8), (1, 3, 2), (2, 4, 8), (3, 4, 2), (4, 5, 1), (4, 6, 9), (5, 6, 1), (6, 0, 10)];
        let found = find(&vertices, &edges(&all));
        assert_eq!(found, [None, Some(0), None, None, Some(0), None, None]);
        // One alone is not worth a counter that is not there already.
        let mut one = vertices;
        one[4].decides = false;
        assert_eq!(find(&one, &edges(&all))[1], None);
        let mut there = edges(&all);
        there[0].counter = Counter::There;
        assert_eq!(find(&one, &there)[1], Some(0));
    }

    #[test]
    fn a_call_a_return_or_a_loop_between_ends_what_is_shared() {
        let all = [(0, 1, 10), (1, 2, 9), (1, 3, 1), (2, 4, 9), (3, 4, 1), (4, 5, 9), (4, 6, 1), (5, 6, 9), (6, 0, 10)];
        let mut there = edges(&all);
        there[0].counter = Counter::There;
        let found = |vertices: &[Vertex], edges: &[Edge]| find(vertices, edges)[4] == Some(0);
        assert!(found(&[CALL, PREDICATE, JUMP, JUMP, PREDICATE, JUMP, CALL], &there));
        assert!(!found(&[CALL, PREDICATE, CALL, JUMP, PREDICATE, JUMP, CALL], &there));
        let mut returns = there.clone();
        returns[4].to = 0;
        assert!(!found(&[CALL, PREDICATE, JUMP, JUMP, PREDICATE, JUMP, CALL], &returns));
        let mut again = there.clone();
        again[7].to = 4;
        assert!(!found(&[CALL, PREDICATE, JUMP, JUMP, PREDICATE, JUMP, CALL], &again));
    }

    fn graph() -> impl Strategy<Value = (Vec<Vertex>, Vec<Edge>, Vec<u32>)> {
        (4usize..14).prop_flat_map(|n| {
            // Mostly forward, so that ways meet again.
            let edge = (1..n, 1..4usize, any::<bool>(), any::<u16>(), 0..8u8);
            (
                proptest::collection::vec(0..6u8, n),
                proptest::collection::vec(edge, 1..2 * n),
                proptest::collection::vec(any::<u32>(), 1..400),
            )
                .prop_map(move |(kinds, more, steps)| {
                    let kind = |kind| if kind == 0 { CALL } else { PREDICATE };
                    let mut vertices: Vec<Vertex> = kinds.into_iter().map(kind).collect();
                    vertices[0] = CALL;
                    let mut edges = edges(&[(0, 1, 50)]);
                    edges.extend(super::tests::edges(&(1..n).map(|v| (v, (v + 1) % n, 50)).collect::<Vec<_>>()));
                    for (from, far, back, weight, counter) in more {
                        let to = if back { from.saturating_sub(far).max(1) } else { (from + far) % n };
                        let counter = if counter == 0 { Counter::There } else { Counter::Possible };
                        edges.push(Edge { from, to, weight: u64::from(weight), counter });
                    }
                    (vertices, edges, steps)
                })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_count_is_that_of_the_predicate((vertices, edges, steps) in graph()) {
            let found = find(&vertices, &edges);
            let (mut counts, mut visits) = (vec![0; edges.len()], vec![0; vertices.len()]);
            // Calls may come back here, or never return.
            let (mut here, mut callers) = (0, Vec::new());
            for step in steps {
                if here == 0 && let Some(caller) = callers.pop() {
                    here = caller;
                } else if here != 0 && !vertices[here].goes_on && step % 5 < 2 {
                    match step % 5 {
                        0 => callers.push(here),
                        _ => callers.clear(),
                    }
                    here = 0;
                }
                let out: Vec<usize> = (0..edges.len()).filter(|index| edges[*index].from == here).collect();
                let chosen = out[step as usize / 5 % out.len()];
                counts[chosen] += 1;
                here = edges[chosen].to;
                visits[here] += 1;
                if let Some(edge) = found[here] {
                    prop_assert_eq!(counts[edge], visits[here]);
                }
            }
        }
    }
}
