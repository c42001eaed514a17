//! The weights of the features.

use super::Features;

/// By eye, until they are fitted: Ochiai, Metallaxis, any flip, half a repair, three tenths of a flipped condition and of the share of
/// candidates that flip, times 6.
pub const WEIGHTS: Features = Features {
    ochiai: 6.0,
    metallaxis: 6.0,
    flip: 6.0,
    repair: 3.0,
    flip_predicate: 1.8,
    flip_share: 1.8,
    ..Features::ZERO
};

/// The probability that none of the lines that failing tests execute is to blame: a declaration, a macro, a file of data.
pub const ELSEWHERE: f64 = 0.03;
