//! The weights of the features.

use super::Features;

/// Fitted by maximum conditional likelihood to 335 single faults in 14 programs, code mutants and mistakes that no code mutant takes back, with at most
/// 12,000 trials or 60 s for each version: `benches/accuracy/train`, penalty 3.
pub const WEIGHTS: Features = Features {
    ochiai: 1.841,
    ochiai_rank: 0.634,
    failing_share: 5.571,
    passing_share: 0.249,
    frequency: 2.465,
    direct_rank: 0.244,
    metallaxis: 0.316,
    metallaxis_rank: -0.027,
    metallaxis_value: -0.266,
    metallaxis_code: 0.929,
    flip: 1.401,
    flip_rarity: -0.371,
    flip_tests: 0.537,
    flip_surprise: 0.473,
    flip_value: -0.290,
    flip_pointer: 2.183,
    flip_predicate: -0.431,
    flip_switch: -0.112,
    flip_relation: 0.219,
    flip_arithmetic: 0.550,
    flip_constant: -0.192,
    flip_variable: 0.401,
    flip_deletion: -0.410,
    flip_call: -0.038,
    flip_share: -0.816,
    turning: -0.049,
    turning_rank: 0.257,
    repair: -0.165,
    repair_code: 1.897,
    repair_value: -1.027,
    last_repair: 0.303,
    quiet_flip: -0.380,
    growth: -0.119,
    growth_rank: 0.333,
    surprise_rank: 0.026,
    changes: -0.820,
    breaks: 0.136,
    constant: 0.026,
    untried: -0.356,
    candidates: -0.043,
    node: -0.557,
    predicate: 0.294,
    call: -0.210,
    only_call: 0.663,
    end: -0.895,
    flip_before: -0.804,
    flip_after: -0.168,
    deletion_after: 1.036,
    flip_block: 0.546,
    metallaxis_beside: -0.098,
    flip_function: 1.259,
    turning_function: 0.814,
    metallaxis_function: -0.206,
    ..Features::ZERO
};

/// The probability that none of the lines that failing tests execute is to blame: a declaration, a macro, a file of data. So it is
/// with 2 of the 335 faults.
pub const ELSEWHERE: f64 = 0.01;
