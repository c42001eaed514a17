//! The weights of the features.

use super::Features;

/// Fitted by maximum conditional likelihood to 335 single faults in 14 programs, code mutants and mistakes that no code mutant takes back, with at most
/// 12,000 trials or 120 s for each version: the fit of `benches/accuracy/train`, see SINGLES.md there. Evidence that something
/// there changes a verdict has no weight below 0, but for how rare it is that a line flips anything (`flip_rarity`), which may have either sign.
#[expect(clippy::approx_constant, reason = "a weight near 1 / pi is no 1 / pi")]
pub const WEIGHTS: Features = Features {
    ochiai: 2.105,
    ochiai_rank: 0.532,
    cause_rank: 0.061,
    failing_share: 0.636,
    passing_share: 0.159,
    block_rank: 0.040,
    frequency: 0.886,
    metallaxis: 0.385,
    metallaxis_rank: 0.234,
    metallaxis_code: 0.406,
    flip: 0.299,
    flip_rarity: -0.093,
    flip_surprise: 0.450,
    flip_pointer: 0.541,
    flip_arithmetic: 0.426,
    flip_variable: 0.366,
    flip_call: 0.255,
    turning: 0.221,
    repair_code: 1.300,
    growth_rank: 0.247,
    surprise_rank: 0.077,
    changes: -0.393,
    breaks: 0.113,
    candidates: 0.052,
    node: -0.130,
    predicate: 0.133,
    call: -0.050,
    only_call: 0.398,
    end: -0.377,
    flip_after: 0.167,
    flip_near: 0.215,
    deletion_after: 0.318,
    flip_block: 0.294,
    flip_function: 0.700,
    turning_function: 0.465,
    metallaxis_function: 0.080,
    warned: 0.137,
    warned_near: 1.859,
    warned_function: 1.830,
    ..Features::ZERO
};

/// The probability that none of the lines that failing tests execute is to blame: a declaration, a macro, a file of data. So it is
/// with 2 of the 335 faults.
pub const ELSEWHERE: f64 = 0.01;
