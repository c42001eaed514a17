//! The exact execution model: only the dual slice executes, and only with definitions that it knows (section 1.7, Fig. 5).

use super::effect::Watch;
use super::infer::Verdict;
use super::memory::{Effects, Memory, Offline, Operands, Semantics, Stop};
use super::run::Side;
use super::slice::DualSlice;
use super::state::Difference;
use super::stretches::{Fork, Stretch, stretches};
use super::value::{Place, Value};

/// Operands of one point under rule 4.
struct Checked<'m, 'a> {
    slice: &'a DualSlice<'a>,
    memory: &'m Memory<'a>,
    points: [Option<u32>; 2],
    position: usize,
}

impl Operands for Checked<'_, '_> {
    /// An operand of the slice must have a definition that one of the runs had there; any other is what was recorded, in e1 if it is there.
    fn read(&mut self, place: Place) -> Result<Value, Stop> {
        let recorded = self.slice.pair.operand(self.points, self.position);
        let tracked = self.slice.tracks(self.points, self.position);
        self.position += 1;
        if tracked {
            return check(self.memory, recorded, place);
        }
        let known = Side::BOTH
            .iter()
            .find_map(|side| recorded[side.index()].map(|write| self.slice.pair.run(*side).value(write)));
        known.ok_or(Stop::DataConfounded)
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
}

impl<S: Semantics> Offline<'_, S> {
    /// Runs `side` with the other run's values of `patch` where nothing can be confounded: the points of the slice execute, everything
    /// else is skipped. Looks at the points of the slice alone (R3 of section 1.9). Answers the values at the effect point.
    pub fn exact_values(&self, side: Side, patch: &[&Difference]) -> Result<Vec<Value>, Stop> {
        Exact { offline: self, memory: Memory::patched(self, side, patch), side }.run()
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
                self.alone(side, fork)?;
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
        let first = stretch.points(0);
        let mut from = 0;
        loop {
            let next = |side: Side| {
                let base = first[side.index()];
                slice.members(side).first_in(base + from, base + stretch.together).map(|point| point - base)
            };
            let Some(offset) = [next(Side::First), next(Side::Second)].into_iter().flatten().min() else {
                return Ok(());
            };
            let points = stretch.points(offset);
            let run = slice.pair.run(Side::First);
            if run.outcome(points[0]) == super::NONE || run.written(points[0]).next().is_some() {
                self.execute(points.map(Some))?;
            }
            from = offset + 1;
        }
    }

    /// Rule 3 for a conditional of both runs. One outside the slice has the operands of e1.
    fn choose(&mut self, fork: &Fork) -> Result<Side, Stop> {
        let points = fork.at.ok_or(Stop::ControlConfounded)?;
        let slice = self.offline.slice;
        if !Side::BOTH.iter().any(|side| slice.contains(*side, points[side.index()])) {
            return Ok(Side::First);
        }
        let outcome = self.execute(points.map(Some))?.outcome;
        slice.pair.follow(points, outcome)
    }

    /// Rules 3 and 4 for the points that one run has alone.
    fn alone(&mut self, side: Side, fork: &Fork) -> Result<(), Stop> {
        let slice = self.offline.slice;
        let arm = fork.arms[side.index()].clone();
        let mut from = arm.start;
        while let Some(point) = slice.members(side).first_in(from, arm.end) {
            let mut points = [None; 2];
            points[side.index()] = Some(point);
            let outcome = self.execute(points)?.outcome;
            if outcome.is_some_and(|outcome| outcome != slice.pair.run(side).outcome(point)) {
                return Err(Stop::ControlConfounded);
            }
            from = point + 1;
        }
        Ok(())
    }

    fn execute(&mut self, points: [Option<u32>; 2]) -> Result<Effects, Stop> {
        let slice = self.offline.slice;
        let Some((side, point)) = Side::BOTH.iter().find_map(|side| points[side.index()].map(|point| (*side, point)))
        else {
            return Err(Stop::Desync);
        };
        let instance = slice.pair.alignment.instance(side, point);
        let site = slice.pair.run(side).site(point);
        let mut operands = Checked { slice, memory: &self.memory, points, position: 0 };
        let effects = self.offline.semantics.execute(site, instance, self.side, &mut operands)?;
        self.memory.write(instance, &effects);
        Ok(effects)
    }
}
