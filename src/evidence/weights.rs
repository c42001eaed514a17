//! The weights of the features.

use super::Features;

/// Fitted by maximum conditional likelihood to 214 single faults in 11 programs, code mutants and mistakes that no code mutant takes back,
/// 2,500 trials for each version: `benches/accuracy/train`, penalty 30. The likelihood of held-out programs would have the penalty 10, which finds
/// no more of their faults and holds less to what is known without them.
pub const WEIGHTS: Features = Features {
    ochiai: 3.064,
    ochiai_rank: 0.563,
    cause_rank: 0.071,
    failing_share: 1.371,
    passing_share: 0.315,
    block_rank: 0.076,
    frequency: 1.740,
    metallaxis: 0.027,
    metallaxis_value: -0.057,
    metallaxis_code: 0.108,
    flip: 0.037,
    flip_rarity: -0.085,
    flip_surprise: 0.428,
    flip_value: -0.125,
    flip_pointer: 0.974,
    flip_predicate: -0.048,
    flip_switch: -0.064,
    flip_relation: 0.068,
    flip_arithmetic: 0.523,
    flip_constant: -0.026,
    flip_variable: 0.924,
    flip_call: 1.274,
    flip_share: -0.046,
    turning: -0.043,
    turning_rank: 0.097,
    repair: 0.503,
    repair_code: 1.079,
    repair_value: -0.147,
    quiet_flip: -0.063,
    growth: 0.422,
    growth_rank: 0.258,
    surprise_rank: 0.261,
    changes: -0.407,
    untried: -0.419,
    candidates: 0.037,
    node: -0.188,
    predicate: 0.239,
    call: -0.149,
    only_call: 0.270,
    end: -0.760,
    flip_before: -0.154,
    flip_after: 0.353,
    flip_near: -0.082,
    deletion_after: 0.300,
    flip_block: 1.105,
    flip_function: 0.685,
    turning_function: -0.288,
    metallaxis_function: 0.175,
    ..Features::ZERO
};

/// The probability that none of the lines that failing tests execute is to blame: a declaration, a macro, a file of data. So it is
/// with 3 of the 214 faults.
pub const ELSEWHERE: f64 = 0.02;
