//! What memory holds just before a point, and where two states differ.

use super::NONE;
use super::names::Names;
use super::pair::Pair;
use super::run::{Run, Side};
use super::value::Value;

/// The last write of each location before a point.
#[derive(Clone, Debug)]
pub struct State {
    last: Vec<u32>,
}

impl State {
    /// The state of `run` just before `point`. Linear in the writes up to there.
    pub fn before(run: &Run, point: u32, names: &Names) -> Self {
        let mut last = vec![NONE; names.locations()];
        let writes = 0..run.writes_from[run.index(point)];
        for write in run.initial.iter().copied().chain(writes) {
            last[run.location(write) as usize] = write;
        }
        Self { last }
    }

    /// The write whose value `location` holds.
    pub fn last(&self, location: u32) -> Option<u32> {
        self.last.get(location as usize).copied().filter(|write| *write != NONE)
    }
}

/// A location whose values differ between corresponding points (section 1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The location.
    pub location: u32,
    /// What each run has there.
    pub values: [Value; 2],
    /// The write that put it there, in each run.
    pub writes: [Option<u32>; 2],
}

/// The states of both runs just before corresponding points.
#[derive(Debug)]
pub struct States<'a> {
    pair: &'a Pair<'a>,
    states: [State; 2],
    /// What the start wrote into each location, in each run; late finds are known to the state of every point.
    pub(super) points: [u32; 2],
}

impl<'a> States<'a> {
    /// The states just before `point` of the first run and the corresponding point; nothing if there is none.
    pub fn before(pair: &'a Pair<'a>, point: u32, names: &Names) -> Option<Self> {
        let points = [point, pair.alignment.partner(Side::First, point)?];
        let states = Side::BOTH.map(|side| State::before(pair.run(side), points[side.index()], names));
        Some(Self { pair, states, points })
    }

    /// The corresponding points, in each run.
    pub fn points(&self) -> [u32; 2] {
        self.points
    }

    /// The write that `location`'s value comes from in run `side`.
    pub fn last(&self, side: Side, location: u32) -> Option<u32> {
        self.states[side.index()].last(location)
    }

    /// What `location` holds in run `side`. What only the other run's start is known to have written was there in both.
    pub fn value(&self, side: Side, location: u32) -> Value {
        match (self.last(side, location), self.last(side.other(), location)) {
            (Some(write), _) => self.pair.run(side).value(write),
            (None, Some(write)) if self.pair.run(side.other()).writer(write) == 0 => {
                self.pair.run(side.other()).value(write)
            }
            _ => Value::Undefined,
        }
    }

    /// Whether `location` differs, and how.
    pub fn difference(&self, location: u32) -> Option<Difference> {
        let values = Side::BOTH.map(|side| self.value(side, location));
        let writes = Side::BOTH.map(|side| self.last(side, location));
        (values[0] != values[1]).then_some(Difference { location, values, writes })
    }
}

/// All state differences, by location: what CSM starts from (section 1.5).
pub fn differences(states: &States<'_>, names: &Names) -> Vec<Difference> {
    (0..names.locations() as u32).filter_map(|location| states.difference(location)).collect()
}
