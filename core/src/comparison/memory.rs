//! Patched runs without a process: memory over the recorded state, and what a program's points compute.

use super::NONE;
use super::alignment::Instance;
use super::names::{Names, Table};
use super::run::Side;
use super::slice::DualSlice;
use super::state::{Difference, States};
use super::value::{Place, Value};

/// Why a patched run says nothing about its patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// It would go where neither run went (CF of section 1.4; a conditional's outcome that neither run recorded).
    ControlConfounded,
    /// It would use a definition where neither run used it (DF of section 1.4).
    DataConfounded,
    /// A value is needed that nothing recorded or computed.
    Unknown,
    /// The object that a value names does not exist in this run (section 2).
    MissingObject,
    /// The effect point was not reached.
    EffectNotReached,
    /// The run is not where the recording says it should be.
    Desync,
    /// It left the way of its own recorded run before anything was patched.
    Parted,
    /// It crashed.
    Broken,
    /// It ran out of time.
    OutOfTime,
    /// It was not run, for no time was left.
    GivenUp,
}

/// What a point reads, one operand after another, in the order of the recording.
pub trait Operands {
    /// The value of the next operand, which lies at `place`.
    fn read(&mut self, place: Place) -> Result<Value, Stop>;
}

/// What a point does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// What it writes, in order.
    pub writes: Vec<(Place, Value)>,
    /// Which way it goes, if it is a conditional.
    pub outcome: Option<u32>,
}

impl Effects {
    /// Forgets them.
    pub fn clear(&mut self) {
        self.writes.clear();
        self.outcome = None;
    }

    /// The values of [`Watch::Result`](super::Watch::Result).
    pub(super) fn results(&self) -> Vec<Value> {
        let outcome = Value::Number(u64::from(self.outcome.unwrap_or(NONE)));
        self.writes.iter().map(|(_, value)| *value).chain([outcome]).collect()
    }
}

/// What the sites of a program compute (R3 of section 1.9): pure operations are evaluated, calls that cannot be are looked up.
pub trait Semantics {
    /// Executes `site` as `instance` in a process that runs on the input of run `side`. `effects` are empty.
    fn execute(
        &self,
        site: u32,
        instance: Instance,
        side: Side,
        operands: &mut dyn Operands,
        effects: &mut Effects,
    ) -> Result<(), Stop>;
}

/// The evaluation of patched runs from the two recordings (R3 of section 1.9), from one cause point to one effect point.
#[derive(Debug)]
pub struct Offline<'a, S> {
    /// The dual slice of the effect.
    pub slice: &'a DualSlice<'a>,
    /// What memory holds before the cause point.
    pub states: &'a States<'a>,
    /// Names of locations.
    pub names: &'a Names,
    /// What points compute.
    pub semantics: &'a S,
}

/// Memory of a patched run: the recorded state of one run at the cause point, and what was written since.
pub(super) struct Memory<'a> {
    names: &'a Names,
    states: &'a States<'a>,
    slice: &'a DualSlice<'a>,
    side: Side,
    changed: Table<Place, (Value, Option<Instance>)>,
}

impl<'a> Memory<'a> {
    /// Run `side` with the other run's values of `patch`.
    pub(super) fn patched<S>(offline: &Offline<'a, S>, side: Side, patch: &[&Difference]) -> Self {
        let mut memory = Self {
            names: offline.names,
            states: offline.states,
            slice: offline.slice,
            side,
            changed: Table::default(),
        };
        let from = side.other();
        for difference in patch {
            let definition = difference.writes[from.index()].map(|write| memory.definer(from, write));
            memory
                .changed
                .insert(memory.names.place(difference.location), (difference.values[from.index()], definition));
        }
        memory
    }

    /// What `place` holds, and the instance that defined it.
    pub(super) fn read(&self, place: Place) -> (Value, Option<Instance>) {
        if let Some(changed) = self.changed.get(&place) {
            return *changed;
        }
        let Some(location) = self.names.known_location(place) else { return (Value::Undefined, None) };
        let definition = self.states.last(self.side, location).map(|write| self.definer(self.side, write));
        (self.states.value(self.side, location), definition)
    }

    /// Makes `instance` the definition of what it writes.
    pub(super) fn write(&mut self, instance: Instance, effects: &Effects) {
        for (place, value) in &effects.writes {
            self.changed.insert(*place, (*value, Some(instance)));
        }
    }

    /// The instance that made `write`.
    pub(super) fn definer(&self, side: Side, write: u32) -> Instance {
        let pair = self.slice.pair;
        pair.alignment.instance(side, pair.run(side).writer(write))
    }

    /// The place that `write` changed.
    pub(super) fn place(&self, side: Side, write: u32) -> Place {
        self.names.place(self.slice.pair.run(side).location(write))
    }

    /// Whether two definitions of `place` count as one because the cause point's states agree on what they left (R2 of section 1.9).
    pub(super) fn alias(&self, place: Place, one: Option<Instance>, other: Instance) -> bool {
        let Some(location) = self.names.known_location(place) else { return false };
        if self.states.difference(location).is_some() {
            return false;
        }
        let last = Side::BOTH.map(|side| self.states.last(side, location).map(|write| self.definer(side, write)));
        last.contains(&one) && last.contains(&Some(other))
    }
}
