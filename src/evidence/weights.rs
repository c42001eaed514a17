//! The weights of the features.

use super::Features;

/// Fitted by maximum conditional likelihood to 128 single faults in 6 programs, code mutants and mistakes that no code mutant takes back,
/// each version searched for half a minute at most: `benches/accuracy/train`, penalty 100, which the likelihood of held-out programs chose.
pub const WEIGHTS: Features = Features {
    ochiai: 2.424,
    ochiai_rank: 0.574,
    cause_rank: 0.152,
    failing_share: 0.464,
    passing_share: 0.314,
    block_rank: 0.118,
    frequency: 0.786,
    metallaxis_rank: 0.294,
    flip: 0.220,
    flip_rarity: -0.030,
    flip_surprise: 0.795,
    flip_pointer: 0.159,
    flip_arithmetic: 0.433,
    flip_variable: 0.572,
    flip_call: 0.904,
    turning: 0.112,
    turning_rank: 0.088,
    repair: 1.394,
    growth: 0.141,
    changes: -0.215,
    breaks: -0.248,
    constant: 0.437,
    untried: -0.052,
    node: -0.114,
    predicate: 0.184,
    call: 0.096,
    only_call: 0.267,
    end: 0.176,
    flip_before: -0.038,
    flip_after: 1.040,
    flip_block: 0.595,
    flip_function: 0.100,
    ..Features::ZERO
};

/// The probability that none of the lines that failing tests execute is to blame: a declaration, a macro, a file of data. So it is
/// with 2 of the 128 faults.
pub const ELSEWHERE: f64 = 0.02;
