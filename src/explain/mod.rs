//! Explanations of failures: a failing and a passing run are recorded, aligned and sliced, and causes are proved by running again.

mod alone;
mod before;
mod bits;
mod blamed;
mod case;
mod chains;
mod decision;
mod effect;
mod exits;
mod failing;
mod forked;
mod itself;
mod left_out;
mod measure;
mod missed;
mod misuse;
mod omitted;
mod outgrown;
mod printed;
mod process;
mod prover;
mod question;
mod recorded;
mod recorded_test;
mod request;
mod right;
mod search;
mod second;
mod skipped;
mod teller;
mod told_check;
mod trail;
mod unassigned;
mod wrapped;
mod wrong;
mod wrong_byte;

use std::cell::Cell;
use std::time::Instant;

use suspect_format::external::Role;

use crate::campaign::run_identity;
use crate::comparison::Pair;
use crate::exec::interrupt;
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::recording::{Code, Deadline, End, Finder, Misuse, Runs, Words, misuses};
use crate::report::{Explanation, Made};
use crate::store::Store;
use crate::suite::Test;
pub use chains::{Chains, chains};
use failing::{Failing, ends_otherwise, fails_otherwise, without_usual};
pub use itself::{EVERY, OTHER};
use measure::Measure;
pub use measure::{JudgedStep, Measured, measured, most_alike};
use question::{Question, Wanted};
pub use recorded::{Loaded, RecordingRoom};
pub use recorded_test::RecordedTest;
pub use request::{Engine, Itself, Method, Model, Request, Second};
use right::Right;
pub use wrong::{Wrong, find as find_wrong};

/// Two recorded runs of one program, and what is asked about them.
struct Case<'a> {
    /// Names of the runs: the passing one first.
    names: [String; 2],
    recorded: [&'a RecordedTest; 2],
    code: &'a Code,
    runs: &'a Runs,
    pair: &'a Pair<'a>,
    words: &'a Words<'a>,
    finder: &'a Finder<'a>,
    room: &'a RecordingRoom<'a>,
    /// The change in the passing run, if it is a run of the failing test.
    made: Option<Made>,
    /// The wrong output of the failing run, if it is known.
    wrong: Option<&'a Wrong>,
    /// The first thing that the failing run does outside of its objects.
    misuse: Option<&'a Misuse>,
    /// The call of the failing run that wrote its first complaint, where nothing else tells where it fails.
    complained: Option<u32>,
    /// What a study measures of it.
    measure: Option<&'a Measure>,
}

/// Records the runs that are asked for, and explains why one of them fails. What could be said already is `told` in between, each time more of it, for
/// one who cannot wait for what a recording that is read takes.
pub fn explain(
    store: &Store,
    request: &Request,
    progress: &dyn Progress,
    told: &dyn Fn(&Explanation),
) -> Result<Explanation, Obstacle> {
    let room = RecordingRoom::new(store, progress)?;
    let test = second::failing_test(store, &room, request)?;
    let test = room.test(&test)?;
    let until = Instant::now() + request.budget;
    room.end_at(until);
    failing::failure(&room, &test.name).iter().for_each(told);
    let mut known: Option<Explanation> = None;
    let mut times = 1;
    loop {
        let (explanation, is_steady) = match (explanation_of(&room, test, (request, None), until, told), known) {
            (Err(Obstacle::Time(_)), Some(known)) => return Ok(known),
            (found, _) => found?,
        };
        if is_steady || explanation.verified || is_over(until) || times == MOST_RECORDED {
            return Ok(explanation);
        }
        known = Some(explanation);
        times += 1;
    }
}

/// Keeps an explanation, in place of an older one of the same question, for reports.
pub fn keep(store: &Store, explanation: &Explanation) -> Result<(), Obstacle> {
    let Ok(run) = store.latest_run() else { return Ok(()) };
    let identity = run_identity(&run);
    let mut all: Vec<Explanation> = store.load_explanations(identity)?.unwrap_or_default();
    all.retain(|other| other.command != explanation.command);
    all.push(explanation.clone());
    store.save_explanations(identity, &all)?;
    Ok(())
}

/// The share of the time that is left which is kept for following the failing run alone: reading it once more and telling it.
const ALONE: u32 = 5;

/// Runs are recorded so often, at most, where nothing is proved because one that was recorded may be an odd one: what a test does may depend on what
/// else is done in the system, such as the numbers that new files get.
const MOST_RECORDED: usize = 3;

/// Records the runs and explains; whether they do the same each time, as far as that was seen.
fn explanation_of(
    room: &RecordingRoom<'_>,
    test: &Test,
    (request, measure): (&Request, Option<&Measure>),
    until: Instant,
    told: &dyn Fn(&Explanation),
) -> Result<(Explanation, bool), Obstacle> {
    room.end_runs_at(until);
    let Failing { recorded: mut failing, unsteady, held } = of_blamed_process(room, test, request, until)?;
    if let Some(why) = ends_otherwise(room, &test.name, &failing) {
        return match unassigned::decided_by(room, test, &failing, request, until, told)? {
            Some(explanation) => Ok((explanation, true)),
            None => Err(Obstacle::new(Obstacle::Tests, why)),
        };
    }
    let half = half_until(until);
    let mut notes: Vec<String> = fails_otherwise(room, &test.name, &failing).into_iter().collect();
    let wrong = if request.effect.is_none() { wrong::find(room, test, &failing, half)? } else { None };
    if wrong.is_none() && request.effect.is_none() && is_over(half) {
        let budget = request.budget;
        notes.push(format!(
            "what writes what is not expected was not found in half of {budget:?}; --budget gives it more time"
        ));
    }
    if wrong.is_none() && request.effect.is_none() {
        without_usual(room, test, &mut failing);
    }
    let is_steady = unsteady.is_none();
    let misuse =
        if request.effect.is_none() { first_misuse(room, test, &failing, &request.second, half)? } else { None };
    let marks = Marks::default();
    let right = if wrong.is_some() { Right::of(room, test, &failing)? } else { None };
    // Where nothing can be compared in time, the failing run alone is still followed.
    let alone = until.saturating_duration_since(Instant::now()) / ALONE;
    let until = if request.second == Second::Alike { until - alone } else { until };
    room.end_runs_at(until);
    let asked = Question {
        room,
        test,
        failing: &failing,
        wrong,
        misuse,
        right,
        is_steady,
        request,
        until,
        told,
        marks,
        measure,
    };
    let mut explanation = match &request.second {
        Second::Named(passing) => asked.against(passing, Wanted::Any)?,
        Second::OtherBuild => asked.against_other_build()?,
        Second::Itself(change) => asked.against_itself(*change, None)?,
        Second::Alike => asked.against_one_alike()?,
    };
    explanation.trust.extend(notes.into_iter().chain(unsteady).chain(held));
    Ok((explanation, is_steady && !asked.marks.odd.get()))
}

/// The failing run: of several processes that one which the failure is of, if a quarter of the time is enough to find it.
fn of_blamed_process(
    room: &RecordingRoom<'_>,
    test: &Test,
    request: &Request,
    until: Instant,
) -> Result<Failing, Obstacle> {
    let failing = Failing::record(room, test, request.clock, until)?;
    if failing.recorded.sign.is_some() || failing.unsteady.is_some() {
        return Ok(failing);
    }
    let quarter = half_until(half_until(until));
    let Some(blamed) = blamed::process(room, test, &failing.recorded, quarter)? else { return Ok(failing) };
    tracing::debug!(test = test.name, process = blamed.0, why = %blamed.1, "the process that the failure is of");
    room.look_at(&test.name, blamed);
    Failing::record(room, test, request.clock, until)
}

/// The first thing that a recorded test does outside of its objects. What it did is read where more will be asked of it. Of a test that names the check that
/// failed, or aborts, a word that reaches beyond its object is none.
fn first_misuse(
    room: &RecordingRoom<'_>,
    test: &Test,
    failing: &RecordedTest,
    second: &Second,
    until: Instant,
) -> Result<Option<Misuse>, Obstacle> {
    if !failing.is_looked_at_for_misuses() {
        return Ok(None);
    }
    let mut is_told = false;
    let (loaded, found) = match second {
        Second::Alike => {
            let (loaded, runs) = room.read(&test.name, failing)?;
            let aborts = |step| matches!(loaded.1.role_of(step), Some(Role::Aborts));
            is_told = matches!(runs.walked[0].end, End::Outside(Some(step)) if aborts(step));
            (loaded, runs.walked[0].misuses.clone())
        }
        _ => {
            let loaded = room.code(&[&failing.recording])?;
            let found = misuses(&loaded.1, &failing.recording, Deadline::at(until));
            (loaded, found)
        }
    };
    // An assertion tells its place where nobody may hear of it.
    let is_told = is_told || !room.sites_named(failing, &loaded).is_empty();
    Ok(found.into_iter().find(|misuse| !(is_told && misuse.is_of_a_word())))
}

/// True once that time has come, or the user does not want to wait any longer: what is known by then is told.
fn is_over(until: Instant) -> bool {
    Instant::now() >= until || interrupt::happened()
}

/// When half of the time that is left will be over.
fn half_until(until: Instant) -> Instant {
    let now = Instant::now();
    now + until.saturating_duration_since(now) / 2
}

/// Signs that were noticed while an explanation was made.
#[derive(Default)]
struct Marks {
    /// A run was seen to do something else than the recorded one.
    odd: Cell<bool>,
    /// There was not enough time for the steps.
    given_up: Cell<bool>,
    /// The change that the other run was made by stands for one of the program that mends the test.
    mended: Cell<bool>,
    /// The change that the other run was made by makes another input, as a rule: what the failing run alone shows says more.
    of_input: Cell<bool>,
}
