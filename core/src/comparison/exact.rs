//! The exact execution model: only the dual slice executes, and only with definitions that it knows (section 1.7, Fig. 5).

use std::ops::Range;

use super::NONE;
use super::bits::Bits;
use super::effect::Watch;
use super::infer::Verdict;
use super::memory::{Effects, Memory, Offline, Operands, Semantics, Stop};
use super::run::Side;
use super::slice::{DualSlice, alone};
use super::state::Difference;
use super::stretches::{Fork, Stretch, stretches};
use super::value::{Place, Value};

/// Operands of one point under rule 4.
struct Checked<'m, 'a> {
    slice: &'a DualSlice<'a>,
    memory: &'m Memory<'a>,
    points: [Option<u32>; 2],
    /// Whether the point's operands may belong to the slice: a leaf's do not.
    expanded: bool,
    position: usize,
}

impl Operands for Checked<'_, '_> {
    /// An operand of the slice must have a definition that one of the runs had there; any other is what was recorded, in e1 if it is there.
    fn read(&mut self, place: Place) -> Result<Value, Stop> {
        let recorded = self.slice.pair.operand(self.points, self.position);
        self.position += 1;
        if self.expanded && self.slice.holds(self.points, recorded) {
            return check(self.memory, recorded, place);
        }
        let value = |side: &Side| recorded[side.index()].map(|write| self.slice.pair.run(*side).value(write));
        Side::BOTH.iter().find_map(value).ok_or(Stop::DataConfounded)
    }
}

/// The value at `place` if its definition is one of those `recorded`, or counts as one.
fn check(memory: &Memory<'_>, recorded: [Option<u32>; 2], place: Place) -> Result<Value, Stop> {
    let (value, definition) = memory.read(place);
    let known = Side::BOTH.iter().any(|side| {
        recorded[side.index()].is_some_and(|write| {
            memory.place(*side, write) == place && {
                let definer = memory.definer(*side, write);
                definition == Some(definer) || memory.alias(place, definition, definer)
            }
        })
    });
    if known { Ok(value) } else { Err(Stop::DataConfounded) }
}

struct Exact<'a, 'o, S> {
    offline: &'o Offline<'a, S>,
    memory: Memory<'a>,
    side: Side,
    /// Of the last point.
    effects: Effects,
}

impl<S: Semantics> Offline<'_, S> {
    /// Runs `side` with the other run's values of `patch` where nothing can be confounded: the points of the slice execute, everything
    /// else is skipped. Looks at the points of the slice alone (R3 of section 1.9). Answers the values at the effect point.
    pub fn exact_values(&self, side: Side, patch: &[&Difference]) -> Result<Vec<Value>, Stop> {
        Exact { offline: self, memory: Memory::patched(self, side, patch), side, effects: Effects::default() }.run()
    }

    /// Whether that brings about the other run's values at the effect point.
    pub fn exact(&self, side: Side, patch: &[&Difference]) -> Verdict {
        self.slice.effect.judge(side, self.exact_values(side, patch))
    }
}

impl<S: Semantics> Exact<'_, '_, S> {
    fn run(&mut self) -> Result<Vec<Value>, Stop> {
        let effect = self.offline.slice.effect;
        for stretch in stretches(self.offline.slice.pair, self.offline.states.points, effect.points) {
            self.together(&stretch)?;
            if let Some(fork) = &stretch.fork {
                let side = self.choose(fork)?;
                self.alone(side, &fork.arms[side.index()])?;
            }
        }
        match &effect.watch {
            Watch::Locations(locations) => self.watched(locations),
            Watch::Result => Ok(self.execute(effect.points.map(Some))?.results()),
        }
    }

    fn watched(&self, locations: &[u32]) -> Result<Vec<Value>, Stop> {
        let effect = self.offline.slice.effect;
        let operands = locations.iter().zip(&effect.operands).enumerate();
        operands
            .map(|(number, (location, recorded))| {
                if effect.values[0][number] == effect.values[1][number] && self.offline.slice.equal(*recorded) {
                    return Ok(effect.values[0][number]);
                }
                check(&self.memory, *recorded, self.offline.names.place(*location))
            })
            .collect()
    }

    /// Rules 1, 2 and 4: the slice's points among the corresponding ones. A conditional's way is given.
    fn together(&mut self, stretch: &Stretch) -> Result<(), Stop> {
        let slice = self.offline.slice;
        let members = Side::BOTH.map(|side| slice.members(side));
        let mut next = 0;
        while let Some(offset) = Bits::first_in_either(members, stretch.points(0), next, stretch.together) {
            let points = stretch.points(offset);
            let run = slice.pair.run(Side::First);
            if run.outcome(points[0]) == NONE || run.written(points[0]).next().is_some() {
                self.execute(points.map(Some))?;
            }
            next = offset + 1;
        }
        Ok(())
    }

    /// Rule 3 for a conditional of both runs. One outside the slice has the operands of e1.
    fn choose(&mut self, fork: &Fork) -> Result<Side, Stop> {
        let slice = self.offline.slice;
        let within = |side: Side, arm: &Range<u32>| slice.members(side).first_in(arm.start, arm.end).is_some();
        let Some(points) = fork.at else {
            let matters = Side::BOTH.into_iter().any(|side| within(side, &fork.arms[side.index()]));
            return if matters { Err(Stop::ControlConfounded) } else { Ok(self.side) };
        };
        if !Side::BOTH.into_iter().any(|side| slice.contains(side, points[side.index()])) {
            return Ok(Side::First);
        }
        let outcome = self.execute(points.map(Some))?.outcome;
        slice.pair.follow(points, outcome)
    }

    /// Rules 3 and 4 for the points that one run has alone.
    fn alone(&mut self, side: Side, arm: &Range<u32>) -> Result<(), Stop> {
        let slice = self.offline.slice;
        let mut next = arm.start;
        while let Some(point) = slice.members(side).first_in(next, arm.end) {
            let outcome = self.execute(alone(side, point))?.outcome;
            if outcome.is_some_and(|outcome| outcome != slice.pair.run(side).outcome(point)) {
                return Err(Stop::ControlConfounded);
            }
            next = point + 1;
        }
        Ok(())
    }

    fn execute(&mut self, points: [Option<u32>; 2]) -> Result<&Effects, Stop> {
        let slice = self.offline.slice;
        let named = Side::BOTH.iter().find_map(|side| points[side.index()].map(|point| (*side, point)));
        let (side, point) = named.ok_or(Stop::Desync)?;
        let instance = slice.pair.alignment.instance(side, point);
        let site = slice.pair.run(side).site(point);
        self.effects.clear();
        let expanded = slice.expands_either(points);
        let operands = &mut Checked { slice, memory: &self.memory, points, expanded, position: 0 };
        self.offline.semantics.execute(site, instance, self.side, operands, &mut self.effects)?;
        self.memory.write(instance, &self.effects);
        Ok(&self.effects)
    }
}
