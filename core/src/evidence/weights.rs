//! The weights of the features.

use super::Features;

/// Fitted by maximum conditional likelihood to 335 single faults in 14 programs, code mutants and mistakes that no code mutant takes back, with at most
/// 12,000 trials or 120 s for each version: the fit of `benches/accuracy/train`, see SINGLES.md there. Evidence that something
/// there changes a verdict has no weight below 0.
pub const WEIGHTS: Features = Features {
    ochiai: 2.112,
    ochiai_rank: 0.532,
    cause_rank: 0.062,
    failing_share: 0.636,
    passing_share: 0.158,
    block_rank: 0.040,
    frequency: 0.882,
    metallaxis: 0.386,
    metallaxis_rank: 0.234,
    metallaxis_code: 0.405,
    flip: 0.184,
    flip_tests: 0.066,
    flip_surprise: 0.432,
    flip_pointer: 0.539,
    flip_arithmetic: 0.431,
    flip_variable: 0.375,
    flip_call: 0.255,
    turning: 0.222,
    repair_code: 1.303,
    growth_rank: 0.245,
    surprise_rank: 0.026,
    changes: -0.393,
    breaks: 0.107,
    candidates: 0.052,
    node: -0.128,
    predicate: 0.130,
    call: -0.051,
    only_call: 0.395,
    end: -0.373,
    flip_after: 0.173,
    flip_near: 0.223,
    deletion_after: 0.322,
    flip_block: 0.303,
    flip_function: 0.711,
    turning_function: 0.471,
    metallaxis_function: 0.082,
    warned: 0.143,
    warned_near: 1.858,
    warned_function: 1.834,
    ..Features::ZERO
};

/// The probability that none of the lines that failing tests execute is to blame: a declaration, a macro, a file of data. So it is
/// with 2 of the 335 faults.
pub const ELSEWHERE: f64 = 0.01;
