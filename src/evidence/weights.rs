//! The weights of the features.

use super::Features;

/// Fitted by maximum conditional likelihood to 335 single faults in 14 programs, code mutants and mistakes that no code mutant takes back, with at most
/// 12,000 trials or 90 s for each version: the fit of `benches/accuracy/train`, penalty 30, see SINGLES.md there. Evidence that something there changes a verdict never speaks against a line.
pub const WEIGHTS: Features = Features {
    ochiai: 2.070,
    ochiai_rank: 0.548,
    cause_rank: 0.054,
    failing_share: 1.568,
    passing_share: 0.220,
    frequency: 1.501,
    direct_rank: 0.053,
    metallaxis: 0.475,
    metallaxis_rank: 0.103,
    metallaxis_code: 0.631,
    flip: 0.301,
    flip_rarity: -0.119,
    flip_surprise: 0.499,
    flip_pointer: 1.086,
    flip_arithmetic: 0.361,
    flip_variable: 0.423,
    flip_call: 0.470,
    repair_code: 1.407,
    growth_rank: 0.297,
    surprise_rank: 0.030,
    changes: -0.672,
    untried: -0.116,
    candidates: 0.068,
    node: -0.285,
    predicate: 0.127,
    call: -0.166,
    only_call: 0.561,
    end: -0.642,
    flip_after: 0.093,
    deletion_after: 0.796,
    flip_block: 0.439,
    flip_function: 0.944,
    turning_function: 0.489,
    metallaxis_function: 0.202,
    ..Features::ZERO
};

/// The probability that none of the lines that failing tests execute is to blame: a declaration, a macro, a file of data. So it is
/// with 3 of the 335 faults.
pub const ELSEWHERE: f64 = 0.01;
