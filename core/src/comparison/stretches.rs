//! The way from a cause point to an effect point, in pieces that both runs have and forks between them.

use std::ops::Range;

use super::pair::Pair;
use super::run::Side;

/// Corresponding points, then a fork if the runs part after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    first: [u32; 2],
    /// How many corresponding points, without the one where the runs part.
    pub(super) together: u32,
    /// The conditional that decides between the arms, if the runs part here.
    pub(super) fork: Option<Fork>,
}

/// Where two runs part, and what each has alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fork {
    /// The conditional, in each run; nothing if a library that is not recorded decides.
    pub(super) at: Option<[u32; 2]>,
    /// The points that each run has alone.
    pub(super) arms: [Range<u32>; 2],
}

impl Stretch {
    /// The corresponding points `offset` after the first.
    pub(super) fn points(&self, offset: u32) -> [u32; 2] {
        [self.first[0] + offset, self.first[1] + offset]
    }
}

/// The way from the corresponding points `from` to the corresponding points `to`, without those.
pub(super) fn stretches<'a>(pair: &'a Pair<'a>, from: [u32; 2], to: [u32; 2]) -> impl Iterator<Item = Stretch> + 'a {
    let numbers = pair.alignment.segment_of(Side::First, from[0])..=pair.alignment.segment_of(Side::First, to[0]);
    numbers.map(move |number| {
        let segment = pair.alignment.segments()[number];
        let skipped = from[0].saturating_sub(segment.first[0]);
        let first = [segment.first[0] + skipped, segment.first[1] + skipped];
        let end = segment.first[0] + segment.aligned;
        if to[0] < end {
            return Stretch { first, together: to[0] - first[0], fork: None };
        }
        let arms = [0, 1].map(|side| {
            let from = segment.first[side] + segment.aligned;
            from..from + segment.alone[side]
        });
        let decided = first[0] < end && pair.parted(Side::First, end - 1);
        let at = decided.then(|| [arms[0].start - 1, arms[1].start - 1]);
        Stretch { first, together: end - first[0] - u32::from(decided), fork: Some(Fork { at, arms }) }
    })
}
