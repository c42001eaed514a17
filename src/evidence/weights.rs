//! The weights of the features.

use super::Features;

/// Fitted by maximum conditional likelihood to 71 single faults in 3 programs, code mutants and mistakes that no code mutant takes back,
/// each version searched for half a minute at most: `benches/accuracy/train`, penalty 100, which the likelihood of held-out programs chose.
pub const WEIGHTS: Features = Features {
    ochiai: 1.860,
    ochiai_rank: 0.396,
    cause_rank: 0.009,
    failing_share: 0.180,
    passing_share: 0.200,
    block_rank: 0.069,
    frequency: 0.522,
    metallaxis: 0.650,
    metallaxis_rank: 0.358,
    metallaxis_value: -0.638,
    metallaxis_code: 0.365,
    muse_rank: 0.044,
    flip: 0.305,
    flip_rarity: -0.028,
    flip_tests: 0.030,
    flip_surprise: 0.527,
    flip_most: 0.051,
    flip_value: -0.007,
    flip_predicate: -0.167,
    flip_switch: -0.075,
    flip_relation: 0.273,
    flip_arithmetic: 0.710,
    flip_constant: -0.327,
    flip_variable: 0.897,
    flip_deletion: -0.878,
    flip_call: 0.522,
    flip_share: -0.317,
    turning: 0.889,
    turning_rank: 0.030,
    repair: 1.347,
    quiet_flip: -0.162,
    growth: 0.059,
    changes: -0.142,
    breaks: -0.134,
    constant: 0.216,
    untried: -0.087,
    candidates: 0.032,
    node: -0.078,
    predicate: 0.084,
    call: 0.048,
    only_call: 0.346,
    flip_before: -0.825,
    flip_after: 0.854,
    deletion_after: 0.199,
    flip_block: 0.684,
    metallaxis_beside: 0.173,
    flip_function: 0.217,
    ..Features::ZERO
};

/// The probability that none of the lines that failing tests execute is to blame: a declaration, a macro, a file of data. By eye: none of the
/// faults that weights are fitted to is of this kind.
pub const ELSEWHERE: f64 = 0.02;
