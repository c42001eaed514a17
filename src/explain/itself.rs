//! A second run where no passing test fits: the failing one, made to pass by one change.

use std::time::Duration;

use super::Case;
use super::recorded::{Change, RecordedTest, RecordingRoom};
use super::request::Itself;
use super::search::Search;
use crate::comparison::{Replacement, Side, Turn, decisions};
use crate::evidence::ordinal;
use crate::obstacle::Obstacle;
use crate::recording::{Code, Runs};
use crate::report::{Cause, Made, quoted};
use crate::suite::Verdict;

/// A run that a change made pass.
pub struct Passing {
    /// The recorded run.
    pub recorded: RecordedTest,
    /// The change.
    pub change: Change,
    /// The option that makes it again.
    option: String,
    /// Runs until it was found.
    pub tried: u32,
}

/// Looks for a change of a recorded failing test that makes it pass, and records that run; the one that is given if it is.
pub fn make(
    room: &RecordingRoom<'_>,
    name: &str,
    failing: &RecordedTest,
    asked: Itself,
    budget: Duration,
) -> Result<Passing, Obstacle> {
    let (change, option, tried) = match asked {
        Itself::Switched(Some(turn)) => (Change::Turned(turn), switch(turn), 1),
        asked => found(&Search::new(room, name, failing)?, name, asked, budget)?,
    };
    let cannot = || {
        Obstacle::new(
            Obstacle::Request,
            format!("{name} cannot be run again with a change; give a test: --against TEST"),
        )
    };
    let recorded = room.record_changed(failing, change, "changed")?.ok_or_else(cannot)?;
    if recorded.verdict != Verdict::Pass {
        let given = matches!(asked, Itself::Switched(Some(_)) | Itself::Replaced(Some(_)));
        let alone = option.split('=').next().unwrap_or_default();
        return Err(match given {
            true => {
                let message = format!("{name} does not pass with {option}; give {alone} alone to look for one");
                Obstacle::new(Obstacle::Request, message)
            }
            false => {
                let message = format!(
                    "{name} passes with {option}, but not each time: it fails when that run is recorded; give a test that passes: \
                     --against TEST"
                );
                Obstacle::new(Obstacle::Tests, message)
            }
        });
    }
    Ok(Passing { recorded, change, option, tried })
}

fn found(search: &Search<'_>, name: &str, asked: Itself, budget: Duration) -> Result<(Change, String, u32), Obstacle> {
    if let Itself::Replaced(Some(replacement)) = asked {
        let no_store = || {
            let message =
                format!("{name} stores no number with the number {}; give --replace alone", replacement.store);
            Obstacle::new(Obstacle::Request, message)
        };
        return Ok((search.replacement(replacement).ok_or_else(no_store)?, replace(replacement), 1));
    }
    let change = search.find(asked, budget)?;
    let option = match change {
        Change::Turned(turn) => switch(turn),
        Change::Replaced(point, replaced) => {
            replace(Replacement { store: search.number(point).unwrap_or_default(), bits: replaced.bits })
        }
    };
    Ok((change, option, search.tried()))
}

fn switch(Turn { decision, way }: Turn) -> String {
    format!("--switch={decision}:{way}")
}

fn replace(Replacement { store, bits }: Replacement) -> String {
    format!("--replace={store}:{bits}")
}

impl Passing {
    /// Where the change is in the run that it makes pass, the first one.
    pub fn point(&self, code: &Code, runs: &Runs) -> Option<u32> {
        match self.change {
            Change::Turned(turn) => {
                decisions(&runs.runs[0], |site| code.decides(site)).get(turn.decision as usize).copied()
            }
            Change::Replaced(point, _) => Some(point),
        }
    }

    /// A statement for the user about such a run, and `why` nothing else fits.
    pub fn trust(&self, why: Option<&str>) -> String {
        let why = why.map(|why| format!("{why}: ")).unwrap_or_default();
        let runs = if self.tried == 1 { "1 run was".to_owned() } else { format!("{} runs were", self.tried) };
        let (change, end) = match self.change {
            Change::Turned(_) => ("one condition that goes another way once", "this condition"),
            Change::Replaced(..) => ("one value that is another one once", "this value"),
        };
        format!(
            "{why}the run that it is compared with was made, by {change} ({runs} tried); the chain leads to {end}, and the fault is what it \
             depends on, or it"
        )
    }
}

impl Case<'_> {
    /// The change at `point` that made the passing run, for readers.
    pub fn made(&self, passing: &Passing, point: u32) -> Made {
        let (by, value) = match passing.change {
            Change::Turned(_) => ("switched", None),
            Change::Replaced(..) => ("replaced", self.replaced_value(point)),
        };
        let point = self.place(Side::First, point);
        Made { by: by.to_owned(), point, option: passing.option.clone(), value, tried: passing.tried }
    }

    /// The values that the store at `point` left in both runs.
    fn replaced_value(&self, point: u32) -> Option<Cause> {
        let write = |side: Side| self.runs.runs[side.index()].written(point).next();
        let writes = [write(Side::First)?, write(Side::Second)?];
        let [passing, failing] = Side::BOTH.map(|side| {
            let (run, write) = (&self.runs.runs[side.index()], writes[side.index()]);
            self.words.value(run.location(write), run.value(write))
        });
        let what = self.words.written(self.runs.runs[0].location(writes[0]), writes.map(Some));
        Some(Cause { what, failing, passing })
    }

    /// The name of the run that is the failing one but for the change at `point`.
    pub fn name_of_itself(&self, made: &Made, point: u32) -> String {
        let time = self.finder.instance(Side::First, point);
        let time = if time > 1 { format!(" ({} time)", ordinal(time)) } else { String::new() };
        let at = self.at(Side::First, point);
        match &made.value {
            Some(Cause { what, passing, .. }) => {
                format!("itself with {} at {at}{time} replaced by {passing}", quoted(what))
            }
            None => format!("itself with the condition at {at}{time} turned"),
        }
    }
}
