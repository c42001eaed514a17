//! CP (Zhang, Chan, Tse, Jiang and Wang, ESEC/FSE 2009): suspicious states propagate backwards along control flow.
//!
//! From memory of the paper: details may differ from the authors' tool.

use super::propagate::{Singular, Solver};
use super::{EdgeProfile, FlowGraph};

/// CP's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Propagation {
    /// Suspiciousness of each edge, from -1 to 1.
    pub edges: Vec<f64>,
    /// Score of each block.
    pub scores: Vec<f64>,
    /// Blocks of loops whose scores had not settled after 200 rounds; theirs are those of the last round.
    pub unsettled: Vec<u32>,
}

/// Scores blocks.
///
/// - An edge's suspiciousness `theta(e)` is (mean of failing - mean of passing) / (their sum), 0 if it was never taken.
/// - `BR(b)` = sum over successors k of `BR(k) theta(b,k) / theta(*,k)`, a quotient by 0 counting 0; a block without successors takes
///   the sum of `theta` of the edges into it. Loops are iterated as in BlockRank to the letter.
pub fn capture_propagation(graph: &FlowGraph, profile: &EdgeProfile) -> Propagation {
    let edges: Vec<f64> = profile.failed.iter().zip(&profile.passed).map(|(f, p)| contrast(*f, *p)).collect();
    let inflow: Vec<f64> =
        (0..graph.n_blocks).map(|block| graph.into(block).iter().map(|&edge| edges[edge as usize]).sum()).collect();
    let solver = Solver {
        graph,
        weights: &edges,
        inflow: &inflow,
        singular: Singular::Zero,
        scale: &|_| 0.0,
        passed_on: &|_, rank| rank,
    };
    let (scores, unsettled) = solver.solve();
    Propagation { edges, scores, unsettled }
}

fn contrast(failed: f64, passed: f64) -> f64 {
    if failed + passed == 0.0 { 0.0 } else { (failed - passed) / (failed + passed) }
}

#[cfg(test)]
mod tests {
    use super::super::FlowEdge;
    use super::*;

    /// The example of BlockRank's paper.
    fn schedule() -> Propagation {
        let edges = [(0, 3), (0, 1), (1, 3), (1, 2), (2, 3)].map(|(from, to)| FlowEdge { from, to });
        let graph = FlowGraph::new(4, edges.to_vec());
        let passed = [[19, 3, 2, 1, 1], [12, 5, 3, 2, 2], [20, 2, 1, 1, 1]].map(|counts| (counts, false));
        let failed = [[18, 7, 2, 5, 5], [18, 11, 1, 8, 8], [15, 10, 4, 2, 2]].map(|counts| (counts, true));
        capture_propagation(&graph, &EdgeProfile::of_runs(5, passed.into_iter().chain(failed)))
    }

    #[test]
    fn schedule_has_the_normalised_scores() {
        let result = schedule();
        let rounded = |values: &[f64]| values.iter().map(|value| (value * 1000.0).round() / 1000.0).collect::<Vec<_>>();
        assert_eq!(rounded(&result.edges), [0.0, 0.474, 0.077, 0.579, 0.579]);
        assert_eq!(rounded(&result.scores), [0.656, 0.656, 0.579, 0.656]);
    }

    /// The printed scores come out if edges into b2 and b3 weigh `theta` itself and those into b4 their share, and b4 begins with the sum
    /// of b2 -> b3, which does not enter it, and b3 -> b4.
    #[test]
    fn the_scores_printed_beside_blockrank_mix_two_weights() {
        let found = schedule();
        let [_, to_b2, past_b3, to_b3, to_b4] = found.edges[..] else { panic!("{:?}", found.edges) };
        let entering_b4 = found.edges[0] + past_b3 + to_b4;
        let b4 = to_b3 + to_b4;
        let b3 = b4 * to_b4 / entering_b4;
        let b2 = b4 * past_b3 / entering_b4 + b3 * to_b3;
        let printed = [b2 * to_b2, b2, b3, b4].map(|score| (score * 100.0).round() / 100.0);
        assert_eq!(printed, [0.34, 0.73, 1.02, 1.16]);
        assert!(printed.iter().zip(&found.scores).all(|(printed, score)| (printed - score).abs() > 0.05));
    }
}
