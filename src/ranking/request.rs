//! Requests for rankings, as plain data.

use std::time::Duration;

use crate::causal::Missing;
use crate::obstacle::Obstacle;
use crate::rank::{Granularity, Method, TieBreak, find_method};
use crate::rank_inputs::ParentChoice;

/// The method that takes all evidence together.
pub const ALL: &str = "all";

/// A request for a ranking.
#[derive(Debug)]
pub struct RankRequest {
    /// The method.
    pub method: &'static Method,
    /// The units.
    pub by: Granularity,
    /// How ties are broken.
    pub ties: TieBreak,
    /// Limits of trials, where the method needs trials.
    pub trying: Trying,
    /// True if chains that were proved count. A night does without: one that was killed after it had made some comes to the same.
    pub chains: bool,
    /// The one line that is looked at, if the ranking is made for it.
    pub look: Option<Look>,
    /// Units found innocent, to be remembered.
    pub innocent: Vec<String>,
    /// True if units that were found innocent before are forgotten.
    pub forget_innocent: bool,
    /// The nodes that `cdfl` adjusts for.
    pub parents: Option<ParentChoice>,
    /// The weight of strata without estimate in `cdfl`.
    pub unidentified: Option<Missing>,
}

/// A look at one line of a ranking.
#[derive(Debug)]
pub struct Look {
    /// The line, as `FILE:LINE`.
    pub place: String,
    /// True if it is told why the line is not ranked higher.
    pub is_not: bool,
}

/// How changes of the program are tried.
#[derive(Debug)]
pub enum Trying {
    /// Within limits.
    Now(TrialOptions),
    /// Not at all, as the user wants it; what was tried before counts.
    Nothing,
    /// Not at all, for this reason; what was tried before counts.
    Known(&'static str),
}

/// Limits of trials.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrialOptions {
    /// Time for trials, if the default is not wanted.
    pub budget: Option<Duration>,
    /// Trials at the same time; one for each processor, unless said otherwise.
    pub jobs: Option<usize>,
    /// True if changes are tried even where they cannot be contained.
    pub allow_unsafe: bool,
}

impl RankRequest {
    /// A ranking of lines by all evidence.
    pub fn all_evidence(trying: Trying) -> Result<RankRequest, Obstacle> {
        Ok(RankRequest {
            method: find_method(ALL).map_err(Obstacle::of(Obstacle::Internal))?,
            by: Granularity::Line,
            ties: TieBreak::LineOrder,
            trying,
            chains: false,
            look: None,
            innocent: Vec::new(),
            forget_innocent: false,
            parents: None,
            unidentified: None,
        })
    }
}
