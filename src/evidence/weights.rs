//! The weights of the features.

use super::Features;

/// Fitted by maximum conditional likelihood to 186 single faults in 9 programs, code mutants and mistakes that no code mutant takes back,
/// each version searched for 15 to 30 s: `benches/accuracy/train`, penalty 100, which the likelihood of held-out programs chose.
pub const WEIGHTS: Features = Features {
    ochiai: 2.402,
    ochiai_rank: 0.585,
    cause_rank: 0.158,
    failing_share: 0.555,
    passing_share: 0.275,
    block_rank: 0.080,
    frequency: 1.004,
    metallaxis: 0.194,
    metallaxis_rank: 0.248,
    flip: 0.179,
    flip_rarity: -0.036,
    flip_surprise: 0.698,
    flip_pointer: 0.190,
    flip_predicate: -0.033,
    flip_arithmetic: 0.661,
    flip_variable: 0.618,
    flip_call: 0.930,
    turning: 0.113,
    turning_rank: 0.127,
    repair: 1.144,
    growth: 0.379,
    changes: -0.161,
    breaks: -0.267,
    constant: 0.337,
    untried: 0.046,
    candidates: 0.036,
    node: -0.142,
    predicate: 0.154,
    only_call: 0.317,
    end: 0.054,
    flip_before: -0.042,
    flip_after: 0.810,
    flip_block: 0.714,
    ..Features::ZERO
};

/// The probability that none of the lines that failing tests execute is to blame: a declaration, a macro, a file of data. So it is
/// with 3 of the 186 faults.
pub const ELSEWHERE: f64 = 0.02;
