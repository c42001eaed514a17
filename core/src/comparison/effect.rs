//! What is to be explained: differing values at a point that both runs reach.

use super::infer::Verdict;
use super::memory::Stop;
use super::names::Names;
use super::pair::Pair;
use super::run::Side;
use super::state::States;
use super::value::Value;

/// Which values of the effect point are the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watch {
    /// What these locations hold just before the point.
    Locations(Vec<u32>),
    /// What the point makes of all its operands: what it writes, and which way it goes.
    Result,
}

/// The effect point with its target differences (section 1.1). Also the criterion of a slice: the point and a set of its operands
/// (section 6, note 1).
#[derive(Clone, Debug)]
pub struct Effect {
    /// The point, in each run.
    pub points: [u32; 2],
    /// What is watched.
    pub watch: Watch,
    /// The definitions that reach the watched operands, in each run.
    pub operands: Vec<[Option<u32>; 2]>,
    /// The target: what each run has there.
    pub values: [Vec<Value>; 2],
}

impl Effect {
    /// The effect at `point` of the first run; nothing if the second run does not reach the corresponding point.
    pub fn new(pair: &Pair<'_>, point: u32, watch: Watch, names: &Names) -> Option<Self> {
        let points = [point, pair.alignment.partner(Side::First, point)?];
        let (operands, values) = match &watch {
            Watch::Locations(locations) => {
                let states = States::before(pair, point, names)?;
                let operands =
                    locations.iter().map(|location| Side::BOTH.map(|side| states.last(side, *location))).collect();
                (
                    operands,
                    Side::BOTH.map(|side| locations.iter().map(|location| states.value(side, *location)).collect()),
                )
            }
            Watch::Result => {
                (all_operands(pair, points), Side::BOTH.map(|side| results(pair, side, points[side.index()])))
            }
        };
        Some(Self { points, watch, operands, values })
    }

    /// What a patched run on the input of run `side` shows by the values that it had at the effect point.
    pub fn judge(&self, side: Side, values: Result<Vec<Value>, Stop>) -> Verdict {
        match values {
            Ok(values) if values == self.values[side.other().index()] => Verdict::Induced,
            Ok(_) => Verdict::NotInduced,
            Err(stop) => Verdict::Unresolved(stop),
        }
    }

    /// Whether the runs differ in what is watched at all.
    pub fn differs(&self) -> bool {
        self.values[0] != self.values[1]
    }
}

fn all_operands(pair: &Pair<'_>, points: [u32; 2]) -> Vec<[Option<u32>; 2]> {
    let counts = Side::BOTH.map(|side| pair.run(side).reads(points[side.index()]).len());
    (0..counts[0].max(counts[1])).map(|position| pair.operand(points.map(Some), position)).collect()
}

fn results(pair: &Pair<'_>, side: Side, point: u32) -> Vec<Value> {
    let run = pair.run(side);
    let outcome = Value::Number(u64::from(run.outcome(point)));
    run.written(point).map(|write| run.value(write)).chain([outcome]).collect()
}
