//! The evaluation sequences of a compound condition, and how each one is counted: by an edge where one edge tells, else by
//! the number of the path taken (Ball and Larus, "Efficient path profiling", 1996).

use suspect_format::site::{Place, SequenceCount};

/// Most sequences of one condition; a chain of only `&&` or only `||` has one more than operands and is never cut.
const MOST_SEQUENCES: usize = 64;

/// A condition of several operands.
#[derive(Clone, Debug)]
pub struct CompoundSite {
    /// Where it begins.
    pub place: Place,
    /// Its operands, numbers of the function's nodes.
    pub conditions: Vec<u32>,
    /// Its sequences: steps and where the count is.
    pub sequences: Vec<(Vec<u64>, SequenceCount)>,
    /// What keeps the number of the path taken, where an edge alone does not tell.
    pub path: Vec<PathHook>,
    /// Counters of how often a last operand that is a value was false: node and counter.
    pub false_counters: Vec<(u32, u32)>,
}

/// What happens to a compound's path number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathHook {
    /// On this edge it becomes `offset`, plus what it was if `keep`.
    Set { edge: u32, keep: bool, offset: u32 },
    /// On this edge the counter that many after `counter` goes up.
    CountEdge { edge: u32, counter: u32 },
    /// At this node the counter that many after `counter` goes up; `paths` further on when the node is false.
    CountNode { node: u32, counter: u32, paths: u32 },
}

/// Where an operand's outcome leads: to another operand or out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// To another operand.
    Operand(usize),
    /// Out.
    Out,
}

/// An operand: its node, and for each outcome (false, true) where it leads and by which edge.
pub struct Operand {
    /// Its node.
    pub node: u32,
    /// Where each outcome leads, false first.
    pub next: [Next; 2],
    /// By which edges; `None` when the outcome is a value.
    pub edges: Option<[u32; 2]>,
    /// Counter of how often it was true, without edges.
    pub true_counter: Option<u32>,
}

/// Enumerates the sequences and says where each one's count is. `None` when there are too many.
pub fn lay_out(place: Place, operands: &[Operand], n_counters: &mut u32) -> Option<CompoundSite> {
    let reached = paths_to(operands)?;
    let mut compound = CompoundSite {
        place,
        conditions: operands.iter().map(|operand| operand.node).collect(),
        sequences: Vec::new(),
        path: Vec::new(),
        false_counters: Vec::new(),
    };
    let mut arrived = vec![0; operands.len()];
    for (index, (operand, paths)) in operands.iter().zip(&reached).enumerate() {
        let several = paths.len() > 1;
        if several && operand.edges.is_none() {
            compound.count_value(index, operand, paths, n_counters);
            continue;
        }
        for outcome in [0, 1] {
            match (operand.next[outcome], operand.edges) {
                (Next::Operand(next), Some(edges)) => {
                    if reached[next].len() > 1 {
                        compound.path.push(PathHook::Set {
                            edge: edges[outcome],
                            keep: several,
                            offset: arrived[next],
                        });
                    }
                    arrived[next] += paths.len() as u32;
                }
                (Next::Operand(_), None) => return None,
                (Next::Out, edges) => compound.leave(index, operand, outcome, paths, edges, n_counters),
            }
        }
    }
    Some(compound)
}

impl CompoundSite {
    /// An outcome that ends the evaluation.
    fn leave(
        &mut self,
        index: usize,
        operand: &Operand,
        outcome: usize,
        paths: &[Vec<u64>],
        edges: Option<[u32; 2]>,
        n_counters: &mut u32,
    ) {
        let step = 2 * index as u64 + outcome as u64;
        let sequence = |path: &Vec<u64>| path.iter().copied().chain([step]).collect::<Vec<u64>>();
        match (edges, paths) {
            (Some(edges), [path]) => self.sequences.push((sequence(path), SequenceCount::Edge(edges[outcome]))),
            (Some(edges), _) => {
                let counter = *n_counters;
                *n_counters += paths.len() as u32;
                self.path.push(PathHook::CountEdge { edge: edges[outcome], counter });
                self.sequences.extend(
                    paths.iter().zip(counter..).map(|(path, number)| (sequence(path), SequenceCount::Counter(number))),
                );
            }
            (None, _) => {
                let counter = operand.true_counter.filter(|_| outcome == 1).unwrap_or_else(|| {
                    *n_counters += 1;
                    *n_counters - 1
                });
                if outcome == 0 {
                    self.false_counters.push((operand.node, counter));
                }
                self.sequences.extend(paths.first().map(|path| (sequence(path), SequenceCount::Counter(counter))));
            }
        }
    }

    /// A last operand that is a value and is reached by several paths: true first, then false.
    fn count_value(&mut self, index: usize, operand: &Operand, paths: &[Vec<u64>], n_counters: &mut u32) {
        let counter = *n_counters;
        let count = paths.len() as u32;
        *n_counters += 2 * count;
        self.path.push(PathHook::CountNode { node: operand.node, counter, paths: count });
        for (outcome, first) in [(1, counter), (0, counter + count)] {
            let step = 2 * index as u64 + outcome;
            let sequence = |path: &Vec<u64>| path.iter().copied().chain([step]).collect();
            self.sequences.extend(
                paths.iter().zip(first..).map(|(path, number)| (sequence(path), SequenceCount::Counter(number))),
            );
        }
    }
}

/// For each operand the paths that lead to it, in the order in which path numbers are given out.
fn paths_to(operands: &[Operand]) -> Option<Vec<Vec<Vec<u64>>>> {
    let mut reached: Vec<Vec<Vec<u64>>> = vec![Vec::new(); operands.len()];
    reached[0].push(Vec::new());
    let mut sequences = 0;
    let mut chain = true;
    for (index, operand) in operands.iter().enumerate() {
        chain &= reached[index].len() == 1;
        for outcome in [0, 1] {
            match operand.next[outcome] {
                Next::Out => sequences += reached[index].len(),
                // Evaluation only ever goes forward.
                Next::Operand(next) if next <= index => return None,
                Next::Operand(next) => {
                    let step = 2 * index as u64 + outcome as u64;
                    let further: Vec<Vec<u64>> =
                        reached[index].iter().map(|path| path.iter().copied().chain([step]).collect()).collect();
                    reached[next].extend(further);
                }
            }
        }
        if !chain && sequences + reached.iter().map(Vec::len).max().unwrap_or(0) > MOST_SEQUENCES {
            return None;
        }
    }
    (reached.iter().all(|paths| !paths.is_empty()) && (chain || sequences <= MOST_SEQUENCES)).then_some(reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(node: u32, no: Next, yes: Next) -> Operand {
        Operand { node, next: [no, yes], edges: Some([2 * node, 2 * node + 1]), true_counter: None }
    }

    /// `(a && b) || c`
    fn mixed() -> Vec<Operand> {
        use Next::*;
        vec![operand(0, Operand(2), Operand(1)), operand(1, Operand(2), Out), operand(2, Out, Out)]
    }

    #[test]
    fn a_chain_is_counted_by_its_edges_alone() {
        let operands = [operand(0, Next::Out, Next::Operand(1)), operand(1, Next::Out, Next::Out)];
        let mut counters = 5;
        let compound = lay_out(Place::default(), &operands, &mut counters).unwrap();
        assert_eq!(counters, 5);
        assert!(compound.path.is_empty());
        let edge = |number| SequenceCount::Edge(number);
        assert_eq!(compound.sequences, [(vec![0], edge(0)), (vec![1, 2], edge(2)), (vec![1, 3], edge(3))]);
    }

    #[test]
    fn what_several_paths_lead_to_is_counted_by_path() {
        let mut counters = 0;
        let compound = lay_out(Place::default(), &mixed(), &mut counters).unwrap();
        let counter = |number| SequenceCount::Counter(number);
        assert_eq!(counters, 4);
        assert_eq!(
            compound.sequences,
            [
                (vec![1, 3], SequenceCount::Edge(3)),
                (vec![0, 4], counter(0)),
                (vec![1, 2, 4], counter(1)),
                (vec![0, 5], counter(2)),
                (vec![1, 2, 5], counter(3)),
            ]
        );
        assert_eq!(
            compound.path,
            [
                PathHook::Set { edge: 0, keep: false, offset: 0 },
                PathHook::Set { edge: 2, keep: false, offset: 1 },
                PathHook::CountEdge { edge: 4, counter: 0 },
                PathHook::CountEdge { edge: 5, counter: 2 },
            ]
        );
    }

    #[test]
    fn too_many_sequences_are_left_out_but_chains_never_are() {
        use Next::*;
        let chain: Vec<_> =
            (0..100).map(|i| operand(i, Out, if i == 99 { Out } else { Operand(i as usize + 1) })).collect();
        assert_eq!(lay_out(Place::default(), &chain, &mut 0).unwrap().sequences.len(), 101);
        // Each pair doubles the paths: (a && b) || ... joined by &&.
        let mut doubling = Vec::new();
        for pair in 0..8usize {
            let next = if pair == 7 { Out } else { Operand(2 * pair + 2) };
            doubling.push(operand(2 * pair as u32, Operand(2 * pair + 1), next));
            doubling.push(operand(2 * pair as u32 + 1, Out, next));
        }
        assert!(lay_out(Place::default(), &doubling, &mut 0).is_none());
    }
}
