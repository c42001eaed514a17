//! The approximate execution model: guard rails on conditionals, everything else as usual (section 1.8).

use super::effect::Watch;
use super::infer::Verdict;
use super::memory::{Effects, Memory, Offline, Operands, Semantics, Stop};
use super::run::Side;
use super::state::Difference;
use super::stretches::{Fork, stretches};
use super::value::{Place, Value};

/// Ordinary memory.
struct Plain<'m, 'a>(&'m Memory<'a>);

impl Operands for Plain<'_, '_> {
    fn read(&mut self, place: Place) -> Result<Value, Stop> {
        Ok(self.0.read(place).0)
    }
}

struct Approximate<'a, 'o, S> {
    offline: &'o Offline<'a, S>,
    memory: Memory<'a>,
    side: Side,
    /// Of the last point.
    effects: Effects,
}

impl<S: Semantics> Offline<'_, S> {
    /// Runs `side` with the other run's values of `patch` under guard rails: conditionals of both runs with one outcome and conditionals of
    /// one run are forced, only where both have different outcomes the computed one is followed. Walks over every point up to the effect. Answers the values there.
    pub fn approximate_values(&self, side: Side, patch: &[&Difference]) -> Result<Vec<Value>, Stop> {
        Approximate { offline: self, memory: Memory::patched(self, side, patch), side, effects: Effects::default() }
            .run()
    }

    /// Whether that brings about the other run's values at the effect point.
    pub fn approximate(&self, side: Side, patch: &[&Difference]) -> Verdict {
        self.slice.effect.judge(side, self.approximate_values(side, patch))
    }
}

impl<S: Semantics> Approximate<'_, '_, S> {
    fn run(&mut self) -> Result<Vec<Value>, Stop> {
        let effect = self.offline.slice.effect;
        for stretch in stretches(self.offline.slice.pair, self.offline.states.points, effect.points) {
            for offset in 0..stretch.together {
                self.pass(Side::First, stretch.points(offset)[0])?;
            }
            if let Some(fork) = stretch.fork {
                let side = self.choose(&fork)?;
                for point in fork.arms[side.index()].clone() {
                    self.pass(side, point)?;
                }
            }
        }
        Ok(match &effect.watch {
            Watch::Locations(locations) => {
                locations.iter().map(|location| self.memory.read(self.offline.names.place(*location)).0).collect()
            }
            Watch::Result => self.execute(Side::First, effect.points[0])?.results(),
        })
    }

    /// Executes a point whose way is given. A conditional that writes nothing need not be looked at.
    fn pass(&mut self, side: Side, point: u32) -> Result<(), Stop> {
        let run = self.offline.slice.pair.run(side);
        if run.outcome(point) == super::NONE || run.written(point).next().is_some() {
            self.execute(side, point)?;
        }
        Ok(())
    }

    /// What libraries decide, they decide as they did on this input.
    fn choose(&mut self, fork: &Fork) -> Result<Side, Stop> {
        let Some(points) = fork.at else { return Ok(self.side) };
        let outcome = self.execute(Side::First, points[0])?.outcome;
        self.offline.slice.pair.follow(points, outcome)
    }

    fn execute(&mut self, side: Side, point: u32) -> Result<&Effects, Stop> {
        let pair = self.offline.slice.pair;
        let instance = pair.alignment.instance(side, point);
        let site = pair.run(side).site(point);
        self.effects.clear();
        let operands = &mut Plain(&self.memory);
        self.offline.semantics.execute(site, instance, self.side, operands, &mut self.effects)?;
        self.memory.write(instance, &self.effects);
        Ok(&self.effects)
    }
}
