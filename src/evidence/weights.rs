//! The weights of the features.

use super::Features;

/// Fitted by maximum conditional likelihood to 100 single faults in 5 programs, code mutants and mistakes that no code mutant takes back,
/// each version searched for half a minute at most: `benches/accuracy/train`, penalty 100, which the likelihood of held-out programs chose.
pub const WEIGHTS: Features = Features {
    ochiai: 2.097,
    ochiai_rank: 0.505,
    cause_rank: 0.071,
    failing_share: 0.337,
    passing_share: 0.256,
    block_rank: 0.058,
    frequency: 0.563,
    metallaxis: 0.294,
    metallaxis_rank: 0.301,
    metallaxis_value: -0.015,
    metallaxis_code: 0.096,
    muse_rank: 0.034,
    flip: 0.289,
    flip_rarity: -0.075,
    flip_tests: 0.005,
    flip_surprise: 0.548,
    flip_most: 0.036,
    flip_value: -0.012,
    flip_pointer: 0.182,
    flip_predicate: -0.018,
    flip_switch: -0.006,
    flip_relation: 0.056,
    flip_arithmetic: 0.288,
    flip_constant: -0.019,
    flip_variable: 0.476,
    flip_deletion: -0.014,
    flip_call: 0.972,
    flip_share: -0.014,
    turning: 0.641,
    turning_rank: 0.015,
    repair: 1.405,
    quiet_flip: -0.004,
    growth: 0.213,
    changes: -0.232,
    breaks: -0.209,
    constant: 0.413,
    untried: -0.130,
    candidates: 0.020,
    node: -0.163,
    predicate: 0.111,
    call: 0.006,
    only_call: 0.235,
    end: 0.024,
    flip_before: -0.030,
    flip_after: 1.239,
    deletion_after: 0.038,
    flip_block: 0.658,
    flip_function: 0.109,
    ..Features::ZERO
};

/// The probability that none of the lines that failing tests execute is to blame: a declaration, a macro, a file of data. By eye: none of the
/// faults that weights are fitted to is of this kind.
pub const ELSEWHERE: f64 = 0.02;
