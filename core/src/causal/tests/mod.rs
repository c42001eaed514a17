//! Tests of the causal analysis as a whole: against definitions enumerated literally, and the worked examples.

mod effects;
mod examples;
mod naive;
mod structure;

use proptest::prelude::*;

use super::{Observations, TestObservations};

/// A test: whether it fails, the nodes that it covers, and its observations, each of a mutated node, changed nodes (ascending) and
/// whether the output changed.
pub type MadeUp = (bool, Vec<u32>, Vec<(u32, Vec<u32>, bool)>);

/// A made-up campaign: arbitrary bits, so that every stratum a definition speaks of occurs.
#[derive(Clone, Debug)]
pub struct Campaign {
    pub samples: Vec<u32>,
    pub tests: Vec<MadeUp>,
    pub order: Vec<u32>,
}

impl Campaign {
    pub fn observations(&self) -> Observations {
        let test = |(failed, covered, rows): &MadeUp| {
            let mut test = TestObservations::new(covered.clone(), *failed);
            for (mutated, changed, output) in rows {
                let mut bits = vec![0u64; covered.len().div_ceil(64)];
                for node in changed {
                    let at = covered.binary_search(node).unwrap();
                    bits[at / 64] |= 1 << (at % 64);
                }
                test.push(*mutated, &bits, *output);
            }
            test
        };
        Observations::new(self.samples.clone(), self.tests.iter().map(test).collect()).unwrap()
    }
}

/// Campaigns of up to `n_nodes` nodes. Bits of nodes depend on earlier ones often, so structure is neither trivial nor noise alone.
pub fn campaigns(n_nodes: usize, rows: usize) -> impl Strategy<Value = Campaign> {
    let row = (any::<prop::sample::Index>(), any::<u64>(), any::<u64>());
    let test = (any::<bool>(), any::<u32>(), prop::collection::vec(row, 0..rows));
    let sizes = prop::sample::select(vec![1u32, 2, 3, 4, 6, 7]);
    (2..=n_nodes).prop_flat_map(move |n| {
        (
            prop::collection::vec(sizes.clone(), n),
            prop::collection::vec(test.clone(), 1..4),
            Just((0..n as u32).collect::<Vec<_>>()).prop_shuffle(),
            prop::collection::vec(any::<u8>(), n + 1),
        )
            .prop_map(move |(samples, tests, order, wiring)| {
                let n_nodes = n as u32;
                let tests = tests
                    .into_iter()
                    .map(|(failed, mask, rows)| {
                        let covered: Vec<u32> =
                            (0..n_nodes).filter(|node| *node == 0 || mask.rotate_right(*node) & 3 != 0).collect();
                        let rows = rows.into_iter().map(|(index, bits, noise)| {
                            let mutated = covered[index.index(covered.len())];
                            propagate(mutated, &covered, bits, noise, &wiring, n_nodes)
                        });
                        let rows = rows.collect();
                        (failed, covered, rows)
                    })
                    .collect();
                Campaign { samples, tests, order }
            })
    })
}

/// What a mutant changes: some nodes by a rule of two others, some at random.
fn propagate(
    mutated: u32,
    covered: &[u32],
    bits: u64,
    noise: u64,
    wiring: &[u8],
    n_nodes: u32,
) -> (u32, Vec<u32>, bool) {
    let mut changed = vec![false; n_nodes as usize + 1];
    changed[mutated as usize] = true;
    for node in 0..=n_nodes {
        if node == mutated || (node < n_nodes && !covered.contains(&node)) {
            continue;
        }
        let rule = u32::from(wiring[node as usize]);
        let (one, other) = (rule % (n_nodes + 1), rule / 7 % (n_nodes + 1));
        let by_rule = if rule & 64 == 0 {
            changed[one as usize] || changed[other as usize]
        } else {
            changed[one as usize] && changed[other as usize]
        };
        let random = noise.rotate_right(3 * node) & 7 == 0;
        changed[node as usize] = if random { bits.rotate_right(node) & 1 == 1 } else { by_rule };
    }
    let nodes = (0..n_nodes).filter(|node| changed[*node as usize]).collect();
    (mutated, nodes, changed[n_nodes as usize])
}
