//! A second run where no passing test fits: the failing one, made to pass by one change.

use std::time::{Duration, Instant};

use suspect_format::plan::OTHER_WAY;

use super::Case;
use super::recorded::RecordingRoom;
use super::recorded_test::{Change, RecordedTest};
use super::request::Itself;
use super::right::Right;
use super::search::Search;
use crate::comparison::{Replacement, Side, Turn, Value, decisions};
use crate::evidence::ordinal;
use crate::obstacle::Obstacle;
use crate::ranking::KeptClaim;
use crate::recording::{Code, Runs, Site};
use crate::report::{Cause, Made, change_of, quoted};
use crate::suite::{Verdict, told_checks};
use crate::trial::Turned;

/// Before the number of a decision, where each one made at its place is meant.
pub const EVERY: &str = "every:";
/// After it, for the way that is not its own.
pub const OTHER: &str = ":other";

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
    /// The change of the program that it stands for, in words, if `suspect rank` found that.
    mend: Option<String>,
    /// The test passes in it; else its first wrong line is right, and others are not.
    is_whole: bool,
    /// The change is one of the check that fails, and not of what it checks: only who asks for it gets it.
    pub is_of_check: bool,
    /// The change acts at one of many executions of a condition, though the last ranking hardly suspects any line: then it makes another input of the
    /// test's, as a rule, and what leads to it is the way of the input.
    pub is_of_input: bool,
}

/// How such a change is told where it acts each time.
const EVERYWHERE: &str = "switched everywhere";

/// How the best change of the program that the last ranking knows mends a failing test.
pub enum Mended {
    /// One condition or value of the run stands for a change: the run with that, and the change.
    Run(Box<(Passing, KeptClaim)>),
    /// None does: the best change of each line on which there is one, the likeliest line first.
    Lines(Vec<KeptClaim>),
}

/// The failing test under the best change of the program that the last ranking knows: it breaks nothing, and is on the likeliest line that has one. If no
/// condition or value of the run stands for any change there within `budget`, the changes alone. On `all` lines that have one, not on the likeliest alone,
/// where nothing else is left.
pub fn mended(
    room: &RecordingRoom<'_>,
    name: &str,
    (failing, right): (&RecordedTest, Option<&Right>),
    budget: Duration,
    all: bool,
) -> Result<Mended, Obstacle> {
    let mut lines: Vec<KeptClaim> = Vec::new();
    let Some(claims) = room.claims() else { return Ok(Mended::Lines(lines)) };
    let first = room.first_lines();
    let mends = claims.mends(name, &first);
    if mends.is_empty() {
        return Ok(Mended::Lines(lines));
    }
    let search = Search::new(room, name, failing, right)?;
    let until = Instant::now() + budget;
    for (number, claim) in (1..).zip(mends) {
        let is_of = |one: &KeptClaim| (&one.shown.file, one.shown.line) == (&claim.shown.file, claim.shown.line);
        if !lines.iter().any(is_of) {
            lines.push(claim.clone());
        }
        // What stands for a change of an unlikelier line would lead away from the likeliest one.
        if lines.len() > 1 && !all {
            continue;
        }
        let change = search.mend(claim, until)?;
        if search.has_skipped() && change.is_none() {
            // An unlikelier line with a change under which the check is still made says more.
            lines.retain(|line| !is_of(line));
        }
        let Some(change) = change else { continue };
        let Some(recorded) = room.record_changed(failing, change, &format!("mended-{number}"))? else { continue };
        let Some(is_whole) = serves(failing, right, &recorded) else { continue };
        let at = format!("{} at {}:{}", change_of(&claim.shown), claim.shown.file, claim.shown.line);
        let (option, tried) = (option_of(&search, change), search.tried());
        let is_of_check = search.is_of_check(change);
        let passing =
            Passing { recorded, change, option, tried, mend: Some(at), is_whole, is_of_check, is_of_input: false };
        return Ok(Mended::Run(Box::new((passing, claim.clone()))));
    }
    Ok(Mended::Lines(lines))
}

/// The best change of each line that has one, under which the failing test passes and nothing breaks, the likeliest line first.
pub fn mending_lines(room: &RecordingRoom<'_>, name: &str) -> Vec<KeptClaim> {
    let Some(claims) = room.claims() else { return Vec::new() };
    let mut lines: Vec<KeptClaim> = Vec::new();
    for claim in claims.mends(name, &room.first_lines()) {
        let is_of = |one: &KeptClaim| (&one.shown.file, one.shown.line) == (&claim.shown.file, claim.shown.line);
        if !lines.iter().any(is_of) {
            lines.push(claim.clone());
        }
    }
    lines
}

/// The failing test under one condition or value of its run, on a line on which a change of the program makes it pass though it breaks other tests: the
/// likeliest line first. Nothing if there is none within `budget`.
pub fn turned(
    room: &RecordingRoom<'_>,
    name: &str,
    (failing, right): (&RecordedTest, Option<&Right>),
    budget: Duration,
) -> Result<Option<Passing>, Obstacle> {
    if room.claims().is_none_or(|claims| claims.lines_that_turn(name).is_empty()) {
        return Ok(None);
    }
    let search = Search::new(room, name, failing, right)?;
    let Some(change) = search.turn(Instant::now() + budget)? else { return Ok(None) };
    let Some(recorded) = room.record_changed(failing, change, "turned")? else { return Ok(None) };
    let Some(is_whole) = serves(failing, right, &recorded) else { return Ok(None) };
    let (option, tried) = (option_of(&search, change), search.tried());
    let is_of_check = search.is_of_check(change);
    let is_of_input = is_of_input(room, &search, change);
    Ok(Some(Passing { recorded, change, option, tried, mend: None, is_whole, is_of_check, is_of_input }))
}

/// Whether a change, which stands for none of the program, makes another input of the test's as a rule.
fn is_of_input(room: &RecordingRoom<'_>, search: &Search<'_>, change: Change) -> bool {
    room.likely_lines(1).is_empty() && search.is_one_of_many(change)
}

/// Whether a run passes, if it can be compared with the failing one at all: it passes, or the first wrong line is right in it.
fn serves(failing: &RecordedTest, right: Option<&Right>, changed: &RecordedTest) -> Option<bool> {
    let passes = changed.verdict == Verdict::Pass;
    let is_right = || {
        let output = changed.written.as_ref().map(|[output, _]| output);
        changed.verdict == Verdict::Fail && right.zip(output).is_some_and(|(right, output)| right.is_in(output))
    };
    let is_silenced = || changed.written.as_ref().is_some_and(|written| is_silenced(failing, written));
    (passes && !is_silenced() || is_right()).then_some(passes)
}

/// True if a run that passes and wrote this, on standard output and error, still complains as the failing one does: then only its status is another one.
/// So it does if either stream tells all the failed checks that the failing run told there, and no other ones; what counts them may count otherwise.
pub fn is_silenced(failing: &RecordedTest, written: &[Vec<u8>; 2]) -> bool {
    let Some(told) = &failing.written else { return false };
    let still_tells = |(told, now): (&Vec<u8>, &Vec<u8>)| {
        let (told, now) = (told_checks(told), told_checks(now));
        !told.is_empty() && told == now
    };
    let [_, complaint] = told;
    !complaint.is_empty() && *complaint == written[1] || told.iter().zip(written).any(still_tells)
}

/// What a change does that acts once where the fault does several times.
const PARTLY: &str = "the first wrong line is as expected, and a later one is not";

/// Looks for a change of a recorded failing test that makes it pass, and records that run; the one that is given if it is.
pub fn make(
    room: &RecordingRoom<'_>,
    name: &str,
    failing: &RecordedTest,
    asked: Itself,
    budget: Duration,
) -> Result<Passing, Obstacle> {
    let ((change, option, tried), is_of_check, is_of_input) = match asked {
        Itself::Switched(Some(turn)) => ((Change::Turned(turn), switch(turn), 1), false, false),
        asked => {
            let search = Search::new(room, name, failing, None)?;
            let found = found(&search, name, asked, budget)?;
            let is_of_check = search.is_of_check(found.0);
            let is_of_input = asked == Itself::Either && is_of_input(room, &search, found.0);
            (found, is_of_check, is_of_input)
        }
    };
    let cannot = || {
        Obstacle::new(
            Obstacle::Request,
            format!("{name} cannot be run again with a change; give a test: --against TEST"),
        )
    };
    let recorded = room.record_changed(failing, change, "changed")?.ok_or_else(cannot)?;
    if recorded.verdict != Verdict::Pass {
        let given = matches!(asked, Itself::Switched(Some(_)) | Itself::Everywhere(_) | Itself::Replaced(Some(_)));
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
    Ok(Passing { recorded, change, option, tried, mend: None, is_whole: true, is_of_check, is_of_input })
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
    if let Itself::Everywhere(turn) = asked {
        let none = || {
            let message = format!("{name} makes no decision with the number {}; give --switch alone", turn.decision);
            Obstacle::new(Obstacle::Request, message)
        };
        let change = search.everywhere(turn).ok_or_else(none)?;
        return Ok((change, option_of(search, change), 1));
    }
    let change = search.find(asked, budget)?;
    Ok((change, option_of(search, change), search.tried()))
}

fn option_of(search: &Search<'_>, change: Change) -> String {
    match change {
        Change::Turned(turn) => switch(turn),
        Change::Everywhere(Turn { decision, way: OTHER_WAY }, _) => format!("--switch={EVERY}{decision}{OTHER}"),
        Change::Everywhere(Turn { decision, way }, _) => format!("--switch={EVERY}{decision}:{way}"),
        Change::Replaced(point, replaced) => {
            let store = search.number(point, replaced.address).unwrap_or_default();
            replace(Replacement { store, bits: replaced.bits })
        }
    }
}

fn switch(Turn { decision, way }: Turn) -> String {
    format!("--switch={decision}:{way}")
}

fn replace(Replacement { store, bits }: Replacement) -> String {
    format!("--replace={store}:{bits}")
}

impl Passing {
    /// Whether it stands for a change of the program that the last ranking found.
    pub fn is_mended(&self) -> bool {
        self.mend.is_some()
    }

    /// Where the change is in the run that it makes pass, the first one; of one that acts each time, where the failing one first goes another way there.
    pub fn point(&self, code: &Code, runs: &Runs) -> Option<u32> {
        let all = || decisions(&runs.runs[0], |site| code.decides(site));
        match self.change {
            Change::Turned(turn) => all().get(turn.decision as usize).copied(),
            Change::Everywhere(_, turned) => {
                let [run, failing] = [&runs.runs[0], &runs.runs[1]];
                let is_other = |point: &u32| {
                    let other = runs.alignment.partner(Side::First, *point);
                    other.is_some_and(|other| failing.outcome(other) != run.outcome(*point))
                };
                all().into_iter().filter(|point| is_at(code, run.site(*point), turned)).find(is_other)
            }
            Change::Replaced(point, _) => Some(point),
        }
    }

    /// Whether a site, at a point of the run, is where the change is.
    pub fn is_changed(&self, code: &Code, (site, point): (u32, u32), changed: Option<u32>) -> bool {
        match self.change {
            Change::Everywhere(_, turned) => is_at(code, site, turned),
            _ => Some(point) == changed,
        }
    }

    /// A statement for the user about such a run, and `why` nothing else fits.
    pub fn trust(&self, why: Option<&str>) -> String {
        if let Some(mend) = &self.mend {
            let once = match self.change {
                Change::Turned(_) => "a condition goes another way there once",
                Change::Everywhere(_, turned) => each_time(turned),
                Change::Replaced(..) => "a value is another one there once",
            };
            let end = if self.is_whole { "the test passes" } else { PARTLY };
            return format!(
                "the run that it is compared with is this test under the best change that `suspect rank` found: {mend}; {once}, \
                 and with that alone {end}"
            );
        }
        let why = why.map(|why| format!("{why}: ")).unwrap_or_default();
        let runs = if self.tried == 1 { "1 run was".to_owned() } else { format!("{} runs were", self.tried) };
        let (change, end) = match self.change {
            Change::Turned(_) => ("one condition that goes another way once", "this condition"),
            Change::Everywhere(..) => ("one condition that goes another way each time", "this condition"),
            Change::Replaced(..) => ("one value that is another one once", "this value"),
        };
        let partly = if self.is_whole { String::new() } else { format!("; with that alone {PARTLY}") };
        format!(
            "{why}the run that it is compared with was made, by {change} ({runs} tried){partly}; the chain leads to {end}, and the fault is \
             what it depends on, or it"
        )
    }
}

/// What a condition does that is turned each time that it is made.
fn each_time(Turned { way, .. }: Turned) -> &'static str {
    match way {
        OTHER_WAY => "a condition goes the other way there each time",
        _ => "a condition goes one way there each time",
    }
}

/// Whether a site is the step that is turned.
fn is_at(code: &Code, site: u32, turned: Turned) -> bool {
    turned_at(code, site, turned.way) == Some(turned)
}

/// The step at a site, as a process knows it.
pub fn turned_at(code: &Code, site: u32, way: u32) -> Option<Turned> {
    let Site::Step(step) = code.what(site) else { return None };
    let function = &code.functions[code.steps[step as usize].function as usize];
    Some(Turned { function: function.id, step: step - function.steps.start, way })
}

impl Case<'_> {
    /// The change at `point` that made the passing run, for readers.
    pub fn made(&self, passing: &Passing, point: u32) -> Made {
        let (by, value) = match passing.change {
            Change::Turned(_) => ("switched", None),
            Change::Everywhere(..) => (EVERYWHERE, None),
            Change::Replaced(..) => ("replaced", self.replaced_value(point)),
        };
        let point = self.place(Side::First, point);
        Made { by: by.to_owned(), point, option: passing.option.clone(), value, tried: passing.tried }
    }

    /// The values that the store at `point` left in both runs.
    fn replaced_value(&self, point: u32) -> Option<Cause> {
        let written = |side: Side| self.runs.runs[side.index()].written(point);
        let value = |side: Side, write: u32| self.runs.runs[side.index()].value(write);
        // Of what a call passes one number is another one.
        let pairs: Vec<(u32, u32)> = written(Side::First).zip(written(Side::Second)).collect();
        let differs = |(one, other): &&(u32, u32)| match (value(Side::First, *one), value(Side::Second, *other)) {
            (Value::Number(one), Value::Number(other)) => one != other,
            _ => false,
        };
        let (one, other) = *pairs.iter().find(differs).or(pairs.first())?;
        let writes = [one, other];
        let [passing, failing] = Side::BOTH.map(|side| {
            let (run, write) = (&self.runs.runs[side.index()], writes[side.index()]);
            self.words.left(run, write)
        });
        let what = self.words.written(self.runs.runs[0].location(writes[0]), writes.map(Some));
        Some(Cause { what, failing, passing })
    }

    /// The name of the run that is the failing one but for the change at `point`.
    pub fn name_of_itself(&self, made: &Made, point: u32) -> String {
        let time = self.finder.instance(Side::First, point);
        let is_each = made.by == EVERYWHERE;
        let time = if time > 1 && !is_each { format!(" ({} time)", ordinal(time)) } else { String::new() };
        let at = self.at(Side::First, point);
        if let Some(Cause { what, passing, .. }) = &made.value {
            return format!("itself with {} at {at}{time} replaced by {passing}", quoted(what));
        }
        let failing = self.runs.alignment.partner(Side::First, point);
        let condition = failing.and_then(|failing| self.condition(failing));
        let condition = condition.map_or_else(|| "the condition".to_owned(), |text| quoted(&text));
        if made.option.ends_with(OTHER) {
            return format!("itself with {condition} at {at} decided the other way each time");
        }
        let (way, each) = (self.runs.runs[0].outcome(point), if is_each { " each time" } else { "" });
        match self.code.what(self.runs.runs[0].site(point)) {
            Site::Step(step) if self.code.is_branch(step) => {
                format!("itself with {condition} {} at {at}{time}{each}", way == 0)
            }
            _ => format!("itself with {condition} at {at}{time} decided otherwise{each}"),
        }
    }
}
