//! A second run where no passing test fits: the failing one, made to pass by one condition that goes another way once.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use suspect_format::external::Role;

use super::super::exit::{Exit, Failure};
use super::super::recorded::{RecordedTest, RecordingRoom};
use super::Case;
use crate::comparison::{Side, Turn, decisions, switching_order};
use crate::evidence::ordinal;
use crate::recording::{Code, Runs};
use crate::report::Made;
use crate::suite::Verdict;

/// A run that a switched condition made pass.
pub struct Passing {
    /// What was recorded of it.
    pub recorded: RecordedTest,
    /// The decision.
    pub turn: Turn,
    /// Runs until it was found.
    pub tried: u32,
}

/// Looks for the decision of a recorded failing test that makes it pass, and records that run; `given` if that is the one.
pub fn make(
    room: &RecordingRoom<'_>,
    name: &str,
    failing: &RecordedTest,
    given: Option<Turn>,
    budget: Duration,
) -> Result<Passing, Failure> {
    let (turn, tried) = match given {
        Some(turn) => (turn, 1),
        None => search(room, name, failing, budget)?,
    };
    let cannot =
        || Failure::new(Exit::Usage, format!("{name} cannot be run again with a change; give a test: --against TEST"));
    let recorded = room.record_turned(failing, turn, "turned")?.ok_or_else(cannot)?;
    if recorded.verdict != Verdict::Pass {
        let Turn { decision, way } = turn;
        let message =
            format!("{name} does not pass with --switch={decision}:{way}; give --switch alone to look for one");
        return Err(Failure::new(Exit::Usage, message));
    }
    Ok(Passing { recorded, turn, tried })
}

fn search(
    room: &RecordingRoom<'_>,
    name: &str,
    failing: &RecordedTest,
    budget: Duration,
) -> Result<(Turn, u32), Failure> {
    let until = Instant::now() + budget;
    let (program, code) = room.code(&failing.recording)?;
    let runs = Runs::read(&code, &[&failing.recording])
        .map_err(|error| Failure::new(Exit::Usage, format!("{name}: {error}")))?;
    let run = &runs.runs[0];
    let all = decisions(run, |site| code.decides(site));
    let claims = room.claims();
    let turning = claims.as_ref().map(|claims| claims.lines_that_turn(name)).unwrap_or_default();
    // Where something else turned the test already, a condition may, too.
    let known = (0..).zip(&all).filter(|(_, point)| {
        let place = code.step_of(run.site(**point)).map(|step| code.steps[step as usize].place);
        let file = |file: u32| program.files.get(file as usize).map_or("", String::as_str);
        place.is_some_and(|place| turning.contains(&(file(place.file), place.line)))
    });
    let known: BTreeSet<u64> = known.map(|(number, _): (u64, _)| number).collect();
    let ends = ends(&code, &runs);
    let others = switching_order(run, &all, &ends).filter(|number| !known.contains(number));
    let mut tried = 0;
    for decision in known.iter().rev().copied().chain(others) {
        let point = all[decision as usize];
        for way in code.ways(run.site(point)).filter(|way| *way != run.outcome(point)) {
            if Instant::now() >= until {
                return Err(nothing(name, tried, &format!("in {budget:?}; --budget gives it more time")));
            }
            tried += 1;
            let turn = Turn { decision, way };
            if room.turned(failing, turn)? == Some(Verdict::Pass) {
                return Ok((turn, tried));
            }
        }
    }
    Err(nothing(name, tried, &format!("of the {} that it executes", all.len())))
}

fn nothing(name: &str, tried: u32, of: &str) -> Failure {
    let message = format!(
        "no condition makes {name} pass by going another way once: {tried} were tried {of}; give a test that passes: --against TEST"
    );
    Failure::new(Exit::Baseline, message)
}

/// Where the outside learns something: what was written, and the last point.
fn ends(code: &Code, runs: &Runs) -> Vec<u32> {
    let run = &runs.runs[0];
    let told = |point: &u32| matches!(code.role(run.site(*point)), Some(Role::Output | Role::Ends));
    let last = run.points() - 1;
    (1..last).filter(told).chain([last]).collect()
}

impl Passing {
    /// Where the decision is in the run that it makes pass, the first one.
    pub fn point(&self, code: &Code, runs: &Runs) -> Option<u32> {
        decisions(&runs.runs[0], |site| code.decides(site)).get(self.turn.decision as usize).copied()
    }
}

impl Case<'_> {
    /// How the passing run was made, by the decision at `point`.
    pub fn made(&self, passing: &Passing, point: u32) -> Made {
        let Turn { decision, way } = passing.turn;
        Made {
            by: "switched".to_owned(),
            point: self.place(Side::First, point),
            switch: format!("{decision}:{way}"),
            tried: passing.tried,
        }
    }

    /// What the run is called that is the failing one but for the decision at `point`.
    pub fn name_of_itself(&self, point: u32) -> String {
        let time = self.finder.instance(Side::First, point);
        let time = if time > 1 { format!(" ({} time)", ordinal(time)) } else { String::new() };
        format!("itself with the condition at {}{time} turned", self.at(Side::First, point))
    }
}

/// What a user must know of such a run.
pub fn trust(why: Option<&str>, passing: &Passing) -> String {
    let why = why.map(|why| format!("{why}: ")).unwrap_or_default();
    let runs = if passing.tried == 1 { "1 run was".to_owned() } else { format!("{} runs were", passing.tried) };
    format!(
        "{why}the run that it is compared with was made, by one condition that goes another way once ({runs} tried); the chain leads to \
         this condition, and the fault is what it depends on, or it"
    )
}
