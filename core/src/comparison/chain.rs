//! The chain from an effect back to the first difference, one inference after another (section 1.10).

use super::effect::{Effect, Watch};
use super::infer::{Inference, Proof};
use super::names::Names;
use super::pair::Pair;
use super::run::Side;
use super::slice::{DualSlice, Rules};
use super::state::{Difference, States};

/// One step back: why an effect differs, at an earlier point.
#[derive(Clone, Debug)]
pub struct Link {
    /// The cause point, in each run: the causes are differences just before it.
    pub cause: [u32; 2],
    /// What they explain.
    pub effect: Effect,
    /// The causes, and how they were proved.
    pub inference: Inference,
    /// The points of the dual slice from the cause point up to the effect point, in each run.
    pub points: [Vec<u32>; 2],
}

/// Where something comes into the runs that differs: nothing differs in what this point reads, but in what it does. It takes something from
/// outside, or was made to go another way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The point, in each run; the start if the difference was there from the start.
    pub points: [u32; 2],
    /// The locations whose difference comes from there.
    pub locations: Vec<u32>,
}

/// An explanation: from the effect back, each link's causes are the next link's effect, without those that have their origin there.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// The steps, the effect's first.
    pub links: Vec<Link>,
    /// Where the differences come from, the last first.
    pub origins: Vec<Origin>,
    /// Whether everything was followed back to an origin.
    pub complete: bool,
}

/// Explains `effect` by at most `limit` links. `step` infers the causes among the cut of a slice; each target has a slice of its own.
/// A watched result is first explained by what its point reads.
pub fn chain(
    pair: &Pair<'_>,
    names: &Names,
    effect: Effect,
    limit: usize,
    mut step: impl FnMut(&DualSlice<'_>, &States<'_>, &[Difference]) -> Inference,
) -> Chain {
    let mut chain = Chain::default();
    let mut effect = effect;
    while chain.links.len() < limit {
        if let Some((origin, rest)) = origin(pair, &effect) {
            chain.origins.push(origin);
            chain.complete = rest.is_empty();
            match Effect::new(pair, effect.points[0], Watch::Locations(rest), names) {
                Some(rest) if !chain.complete => effect = rest,
                _ => break,
            }
            continue;
        }
        let cause = cause_point(pair, &effect);
        let Some(states) = States::before(pair, cause, names) else { break };
        let slice = DualSlice::new(pair, &effect, Rules::Repaired);
        let inference = step(&slice, &states, &slice.cut(&states));
        let points = between(&slice, states.points);
        let locations = inference.causes.iter().map(|cause| cause.location).collect();
        let Some(next) = Effect::new(pair, cause, Watch::Locations(locations), names) else { break };
        let none = inference.causes.is_empty();
        chain.links.push(Link {
            cause: states.points,
            effect: std::mem::replace(&mut effect, next),
            inference,
            points,
        });
        if none {
            break;
        }
    }
    chain
}

fn between(slice: &DualSlice<'_>, from: [u32; 2]) -> [Vec<u32>; 2] {
    Side::BOTH.map(|side| {
        let (from, to) = (from[side.index()], slice.effect.points[side.index()]);
        slice.members(side).iter().skip_while(|point| *point < from).take_while(|point| *point <= to).collect()
    })
}

/// The last definition of a watched operand, in either run; if only one run has it, the last point before that both have, where the
/// runs part. A point of the first run.
fn last_definition(pair: &Pair<'_>, operand: [Option<u32>; 2]) -> u32 {
    let floor =
        |side: Side| operand[side.index()].map(|write| pair.alignment.floor(side, pair.run(side).writer(write)));
    floor(Side::First).max(floor(Side::Second)).unwrap_or(0)
}

fn cause_point(pair: &Pair<'_>, effect: &Effect) -> u32 {
    match effect.watch {
        Watch::Result => effect.points[0],
        Watch::Locations(_) => {
            let last = effect.operands.iter().map(|operand| last_definition(pair, *operand)).max();
            last.unwrap_or(effect.points[0])
        }
    }
}

/// If the last definition of the watched locations is their origin: that, and the other locations. A watched result has it where it is, if nothing
/// that is read there differs.
fn origin(pair: &Pair<'_>, effect: &Effect) -> Option<(Origin, Vec<u32>)> {
    let watched = match &effect.watch {
        Watch::Locations(watched) => watched.as_slice(),
        Watch::Result => &[],
    };
    let point = cause_point(pair, effect);
    let points = [point, pair.alignment.partner(Side::First, point)?];
    if !reads_the_same(pair, points) {
        return None;
    }
    let own = |operand: &[Option<u32>; 2]| last_definition(pair, *operand) == point;
    let of = |here: bool| {
        let chosen = watched.iter().zip(&effect.operands).filter(move |(_, operand)| own(operand) == here);
        chosen.map(|(location, _)| *location).collect()
    };
    Some((Origin { points, locations: of(true) }, of(false)))
}

fn reads_the_same(pair: &Pair<'_>, points: [u32; 2]) -> bool {
    let [first, second] = pair.runs;
    let (mine, theirs) = (first.reads(points[0]), second.reads(points[1]));
    let same = |(a, b): (&u32, &u32)| first.location(*a) == second.location(*b) && first.value(*a) == second.value(*b);
    mine.len() == theirs.len() && mine.iter().zip(theirs).all(same)
}

impl Chain {
    /// Whether every link was proved by patched runs.
    pub fn is_proved(&self) -> bool {
        self.links.iter().all(|link| link.inference.proof != Proof::Unverified)
    }

    /// Patched runs that the chain took.
    pub fn executions(&self) -> usize {
        self.links.iter().map(|link| link.inference.executions).sum()
    }
}
