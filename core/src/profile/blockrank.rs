//! BlockRank (Zhang, Chan, Tse and Jiang, COMPSAC 2011): blocks by the suspicion that flows back to them along edges, with
//! blocks that runs crash in set right.

use super::propagate::{Singular, Solver};
use super::{EdgeProfile, FlowGraph};

/// What flows back to a block's predecessors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// The score before it is corrected for crashes, as the worked example of the paper computes it. Where failing and passing runs enter a block equally
    /// often, so that the equations are singular, it passes on all that its edges carry; a loop begins at what enters its blocks.
    #[default]
    Example,
    /// The same, but a block that is entered equally often passes nothing on, and loops begin at 0: the equations to the letter.
    Literal,
    /// As to the letter, with the corrected score, as equation (8) of the paper has it.
    Recursive,
}

/// BlockRank's result; vectors are indexed by block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockRank {
    /// Scores.
    pub scores: Vec<f64>,
    /// Executions that left a block for each that entered it, over all runs: below 1 where runs crash.
    pub survival: Vec<f64>,
    /// Suspicion that entered each block.
    pub inflow: Vec<f64>,
    /// Blocks of loops whose scores had not settled after 200 rounds; theirs are those of the last round.
    pub unsettled: Vec<u32>,
}

/// Scores blocks by the suspicious edge profile `D` = mean of failing runs less mean of passing runs.
///
/// - `T(b)` = counts out of b / counts into b over all runs, 1 where nothing enters; `I(b)` = sum of `D` into b.
/// - `BR(b)` = sum over successors k of `D(b,k) * BR(k) / D(*,k)`; `I(b)` for a block without successors. Where `D(*,k)` is 0, `BR(k) / D(*,k)` counts 1,
///   as it does for a block without successors, or 0 in a reading to the letter.
/// - The score is `T(b) BR(b) + (1 - T(b)) I(b)`.
///
/// A return leaves the block, so it counts in `T`, but is no successor; an entry of the function counts in `T` and `I`.
/// Blocks are solved successors first; the blocks of a loop start at `I(b)` (to the letter: at 0) and are iterated, in the order of their indices from the last.
pub fn block_rank(graph: &FlowGraph, profile: &EdgeProfile, reading: Reading) -> BlockRank {
    let suspicious = profile.suspicious();
    let sum = |edges: &[u32], of: &[f64]| edges.iter().map(|&edge| of[edge as usize]).sum::<f64>();
    let inflow: Vec<f64> = (0..graph.n_blocks).map(|block| sum(graph.into(block), &suspicious)).collect();
    let survival: Vec<f64> = (0..graph.n_blocks)
        .map(|block| {
            let (entered, left) = (sum(graph.into(block), &profile.total), sum(graph.out_of(block), &profile.total));
            if entered == 0.0 || graph.out_of(block).is_empty() { 1.0 } else { left / entered }
        })
        .collect();
    let corrected = |block: usize, rank: f64| survival[block] * rank + (1.0 - survival[block]) * inflow[block];
    let solver = Solver {
        graph,
        weights: &suspicious,
        inflow: &inflow,
        singular: if reading == Reading::Example { Singular::Unit } else { Singular::Zero },
        scale: &|block| sum(graph.into(block), &profile.failed) + sum(graph.into(block), &profile.passed),
        passed_on: &|block, rank| if reading == Reading::Recursive { corrected(block, rank) } else { rank },
    };
    let (ranks, unsettled) = solver.solve();
    let scores = ranks.iter().enumerate().map(|(block, &rank)| corrected(block, rank)).collect();
    BlockRank { scores, survival, inflow, unsettled }
}

#[cfg(test)]
mod tests {
    use super::super::{FlowEdge, OUTSIDE};
    use super::*;

    fn graph(n_blocks: usize, edges: &[(u32, u32)]) -> FlowGraph {
        FlowGraph::new(n_blocks, edges.iter().map(|&(from, to)| FlowEdge { from, to }).collect())
    }

    fn schedule() -> (FlowGraph, EdgeProfile) {
        let graph = graph(4, &[(0, 3), (0, 1), (1, 3), (1, 2), (2, 3)]);
        let passed = [[19, 3, 2, 1, 1], [12, 5, 3, 2, 2], [20, 2, 1, 1, 1]].map(|counts| (counts, false));
        let failed = [[18, 7, 2, 5, 5], [18, 11, 1, 8, 8], [15, 10, 4, 2, 2]].map(|counts| (counts, true));
        let profile = EdgeProfile::of_runs(5, passed.into_iter().chain(failed));
        (graph, profile)
    }

    fn rounded(values: &[f64]) -> Vec<f64> {
        values.iter().map(|value| (value * 100.0).round() / 100.0).collect()
    }

    #[test]
    fn schedule_has_the_published_ranks() {
        let (graph, profile) = schedule();
        assert_eq!(rounded(&profile.suspicious()), [0.0, 6.0, 0.33, 3.67, 3.67]);
        let result = block_rank(&graph, &profile, Reading::Example);
        assert_eq!(result.survival[1], 32.0 / 38.0);
        assert_eq!(rounded(&result.scores), [4.0, 4.32, 3.67, 4.0]);
        assert!(result.unsettled.is_empty());
        let recursive = block_rank(&graph, &profile, Reading::Recursive);
        assert_eq!(rounded(&recursive.scores), [4.32, 4.32, 3.67, 4.0]);
    }

    #[test]
    fn a_loop_settles_on_its_equations() {
        // 0 -> 1 -> 2 -> 1, 1 -> 3.
        let graph = graph(4, &[(OUTSIDE, 0), (0, 1), (1, 2), (2, 1), (1, 3), (3, OUTSIDE)]);
        let runs = [([1, 1, 2, 2, 1, 1], false), ([3, 3, 9, 9, 3, 3], true)];
        let result = block_rank(&graph, &EdgeProfile::of_runs(6, runs), Reading::Example);
        assert!(result.unsettled.is_empty());
        // BR(3) = 2; BR(1) = BR(2) + BR(3); BR(2) = 7/9 BR(1); BR(0) = 2/9 BR(1).
        let expected = [2.0, 9.0, 7.0, 2.0];
        assert!(result.scores.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{:?}", result.scores);
    }

    #[test]
    fn a_loop_that_grows_is_reported() {
        // Failing runs go round more often but come in less often: the loop's own share is above 1.
        let graph = graph(3, &[(0, 1), (1, 1), (1, 2)]);
        let runs = [([6, 2, 6], false), ([1, 10, 9], true)];
        let result = block_rank(&graph, &EdgeProfile::of_runs(3, runs), Reading::Example);
        assert_eq!(result.unsettled, [1]);
        assert!(result.scores.iter().all(|score| score.is_finite()));
    }

    /// The equations are singular where failing runs enter and leave a function as often as passing ones: any two equal scores solve those of the
    /// loop. From 0 the iteration stays there, from what enters the blocks it stays at that.
    #[test]
    fn a_function_entered_equally_often_has_its_loop_ranked() {
        let graph = graph(4, &[(OUTSIDE, 0), (0, 1), (1, 2), (2, 1), (1, 3), (3, OUTSIDE)]);
        let runs = [([1, 1, 2, 2, 1, 1], false), ([1, 1, 9, 9, 1, 1], true)];
        let profile = EdgeProfile::of_runs(6, runs);
        assert_eq!(profile.suspicious(), [0.0, 0.0, 7.0, 7.0, 0.0, 0.0]);
        assert_eq!(block_rank(&graph, &profile, Reading::Example).scores, [0.0, 7.0, 7.0, 0.0]);
        assert_eq!(block_rank(&graph, &profile, Reading::Literal).scores, [0.0; 4]);
        assert_eq!(block_rank(&graph, &profile, Reading::Recursive).scores, [0.0; 4]);
    }

    #[test]
    fn a_function_entered_equally_often_has_its_branches_ranked() {
        // 0 -> 1 -> 3 and 0 -> 2 -> 3: of three runs each, failing ones take 1 twice as often as passing ones.
        let graph = graph(4, &[(OUTSIDE, 0), (0, 1), (0, 2), (1, 3), (2, 3), (3, OUTSIDE)]);
        let (one, two) = ([1, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 1]);
        let runs = [(one, false), (two, false), (two, false), (one, true), (one, true), (two, true)];
        let profile = EdgeProfile::of_runs(6, runs);
        let third = 1.0 / 3.0;
        let close =
            |scores: &[f64], expected: [f64; 4]| scores.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        let scores = block_rank(&graph, &profile, Reading::Example).scores;
        assert!(close(&scores, [0.0, third, -third, 0.0]), "{scores:?}");
        // 2/3 + 1/3 - 1/3 - 2/3 is not quite 0 in binary: to the letter nothing is to come of what rounding leaves.
        let scores = block_rank(&graph, &profile, Reading::Literal).scores;
        assert!(close(&scores, [0.0; 4]), "{scores:?}");
    }

    /// Without crashes what flows out of a block is what flows in, and that solves the equations wherever they have one solution.
    #[test]
    fn conventions_differ_where_the_equations_are_singular_alone() {
        let graph = graph(5, &[(OUTSIDE, 0), (0, 1), (1, 2), (2, 1), (1, 3), (0, 3), (3, 4), (4, OUTSIDE)]);
        let runs = [([2, 1, 3, 3, 1, 1, 2, 2], false), ([5, 4, 9, 9, 4, 1, 5, 5], true)];
        let profile = EdgeProfile::of_runs(8, runs);
        let [example, literal] =
            [Reading::Example, Reading::Literal].map(|reading| block_rank(&graph, &profile, reading).scores);
        assert!(example.iter().zip(&literal).all(|(a, b)| (a - b).abs() < 1e-9), "{example:?} {literal:?}");
        assert!(example.iter().zip([3.0, 9.0, 6.0, 3.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-9), "{example:?}");
    }

    #[test]
    fn a_block_that_runs_die_in_takes_what_enters_it() {
        // 0 -> 1 -> 2 and 0 -> 2; failing runs die in 1.
        let graph = graph(3, &[(OUTSIDE, 0), (0, 1), (1, 2), (0, 2), (2, OUTSIDE)]);
        let runs = [([5, 1, 1, 4, 5], false), ([5, 5, 0, 0, 0], true)];
        let result = block_rank(&graph, &EdgeProfile::of_runs(5, runs), Reading::Example);
        assert_eq!(result.survival[1], 1.0 / 6.0);
        assert!(result.scores[1] > result.scores[0] && result.scores[1] > result.scores[2]);
    }

    #[test]
    fn nothing_executed_scores_nothing() {
        let (graph, _) = schedule();
        let result =
            block_rank(&graph, &EdgeProfile::of_runs(5, std::iter::empty::<([u64; 5], bool)>()), Reading::Example);
        assert_eq!(result.scores, [0.0; 4]);
    }
}
