//! Collecting compound conditions and their evaluation sequences.

use suspect_format::site::{Place, SequenceCount};

use crate::sites::{Body, EdgeSite, NodeSite, PieceSite, Survey};

/// A condition of several operands.
#[derive(Clone, Debug)]
pub struct CompoundSite {
    /// Where it begins.
    pub place: Place,
    /// Its operands, numbers of the function's nodes.
    pub conditions: Vec<u32>,
    /// Its sequences: steps and where the count is.
    pub sequences: Vec<(Vec<u64>, SequenceCount)>,
}

/// All compound conditions of a function.
pub fn collect(
    _survey: &mut Survey,
    _body: &Body,
    _pieces: &[PieceSite],
    _edges: &[EdgeSite],
    _nodes: &[NodeSite],
    _n_counters: &mut u32,
) -> Vec<CompoundSite> {
    Vec::new()
}
