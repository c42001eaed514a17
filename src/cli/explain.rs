//! `suspect explain`: why a run fails where another one does not.

mod effect;
mod forked;
mod infer;
mod itself;
mod process;
mod search;
mod second;
mod tell;

use std::cell::Cell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant, SystemTime};

use super::args::{AnswerFormat, ExplainArguments, ExplainMethod};
use super::exit::{Exit, Failure};
use super::recorded::{RecordedTest, RecordingRoom};
use super::wrong::{self, Wrong};
use crate::comparison::{self, Alignment, Chain, DualSlice, Effect, Inference, Link, Pair, Rules, Side, States};
use crate::recording::{Code, Finder, NoAnswer, Runs, Words, parting};
use crate::report::{self, Explanation, Made};
use crate::source::SourceTree;
use crate::store::Store;
use crate::suite::{Test, Verdict};
use infer::Prover;
use itself::Passing;
use second::{Itself, Second};
use tell::Teller;

/// Two recorded runs of one program, and what is asked about them.
struct Case<'a> {
    /// What the runs are called: the passing one first.
    names: [String; 2],
    recorded: [&'a RecordedTest; 2],
    code: &'a Code,
    runs: &'a Runs,
    pair: &'a Pair<'a>,
    words: &'a Words<'a>,
    finder: &'a Finder<'a>,
    room: &'a RecordingRoom<'a>,
    /// What was changed in the passing run, if that is the failing test's.
    made: Option<Made>,
    /// What the failing run writes that is not expected, if that is known.
    wrong: Option<&'a Wrong>,
}

/// Runs both tests recorded, and explains.
pub fn explain(root: &Path, arguments: &ExplainArguments, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(root);
    let explanation = within(arguments.budget, || explanation(&store, arguments))?;
    // What other methods say is for comparison.
    if arguments.method == ExplainMethod::Cc {
        tell::keep(&store, &explanation)?;
    }
    // Two tests that are named can be compared without a recorded run.
    let run = store.latest_run();
    let sources = run.map_or_else(|_| SourceTree::plain(root), |run| SourceTree::of(root, &run.program));
    write(&sources, &explanation, arguments.format, out)?;
    match explanation.verified || arguments.method != ExplainMethod::Cc {
        true => Ok(()),
        false => Err(Failure::new(Exit::Finding, String::new())),
    }
}

fn explanation(store: &Store, arguments: &ExplainArguments) -> Result<Explanation, Failure> {
    let (test, second) = second::question(store, arguments)?;
    let room = RecordingRoom::new(store)?;
    let test = room.test(&test)?;
    let until = Instant::now() + arguments.budget;
    for _ in 1..MOST_RECORDED {
        let (explanation, is_steady) = explanation_of(&room, test, &second, arguments, until)?;
        if is_steady || explanation.verified || Instant::now() >= until {
            return Ok(explanation);
        }
    }
    Ok(explanation_of(&room, test, &second, arguments, until)?.0)
}

/// Time beyond the budget in which what is under way may end by itself: a recording cannot be read in part.
const GRACE: Duration = Duration::from_secs(5);

/// Does what must not take much longer than `budget`: what does not look at the time itself is broken off, and the process with it.
fn within<T>(budget: Duration, work: impl FnOnce() -> T) -> T {
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    std::thread::spawn(move || {
        if is_done.recv_timeout(budget + budget / 4 + GRACE) == Err(RecvTimeoutError::Timeout) {
            anstream::eprintln!(
                "suspect: nothing was explained within {budget:?}: the tests, or reading what they did, took longer; --budget gives it more time"
            );
            std::process::exit(i32::from(Exit::Partial as u8));
        }
    });
    let result = work();
    drop(done);
    result
}

/// Runs are recorded so often, at most, where nothing is proved because one that was recorded may be an odd one: what a test does may depend on what
/// else is done in the system, such as the numbers that new files get.
const MOST_RECORDED: usize = 3;

/// Records the runs and explains; whether they do the same each time, as far as that was seen.
fn explanation_of(
    room: &RecordingRoom<'_>,
    test: &Test,
    second: &Second,
    arguments: &ExplainArguments,
    until: Instant,
) -> Result<(Explanation, bool), Failure> {
    let Failing { recorded: failing, unsteady, held } = Failing::record(room, test, arguments.clock)?;
    if let Some(why) = ends_otherwise(room, &test.name, &failing) {
        return Err(Failure::new(Exit::Baseline, why));
    }
    let half = half_until(until);
    let mut notes: Vec<String> = fails_otherwise(room, &test.name, &failing).into_iter().collect();
    let wrong = if arguments.effect.is_none() { wrong::find(room, test, &failing, half)? } else { None };
    if wrong.is_none() && arguments.effect.is_none() && Instant::now() >= half {
        let budget = arguments.budget;
        notes.push(format!(
            "what writes what is not expected was not found in half of {budget:?}; --budget gives it more time"
        ));
    }
    let is_steady = unsteady.is_none();
    let asked = Question { room, test, failing: &failing, wrong, is_steady, arguments, until, marks: Marks::default() };
    let mut explanation = match second {
        Second::Named(passing) => asked.against(passing, Wanted::Any)?,
        Second::Itself(change) => asked.against_itself(*change, None)?,
        Second::Alike => asked.against_one_alike()?,
    };
    explanation.trust.extend(notes.into_iter().chain(unsteady).chain(held));
    Ok((explanation, is_steady && !asked.marks.odd.get()))
}

/// When half of the time that is left will be over.
fn half_until(until: Instant) -> Instant {
    let now = Instant::now();
    now + until.saturating_duration_since(now) / 2
}

/// That a test does not end where it is recorded as it did in the last `suspect test`: what it does there explains nothing then.
fn ends_otherwise(room: &RecordingRoom<'_>, name: &str, recorded: &RecordedTest) -> Option<String> {
    let known = room.known(name)?;
    let now = recorded.verdict_text();
    if end_of(&known.verdict) == end_of(&now) {
        return None;
    }
    Some(format!(
        "{name} does not end as it did in the last `suspect test`, so nothing is explained. It was: {}; and where it is recorded it is: {now}. Code that is \
         recorded is not optimised, and its locals begin as zero; run `suspect test` again if the program or the test changed",
        known.verdict
    ))
}

/// That a test fails in the same way as in the last `suspect test`, but not word for word: another time, or other garbage, may be behind what is explained.
fn fails_otherwise(room: &RecordingRoom<'_>, name: &str, recorded: &RecordedTest) -> Option<String> {
    let (known, now) = (room.known(name)?, recorded.verdict_text());
    (recorded.verdict == Verdict::Fail && known.verdict != now)
        .then(|| format!("{name} was in the last `suspect test`: {}; where it is recorded it is: {now}", known.verdict))
}

/// How a test ends, of its verdict and the reason: the verdict, and the signal or the exit status where the reason is one.
fn end_of(text: &str) -> (&str, &str) {
    let (verdict, reason) = text.split_once(": ").unwrap_or((text, ""));
    let is_end = reason.starts_with("killed by ") || reason.starts_with("exit status ");
    let end = reason.split([':', ',', ';']).next().unwrap_or_default();
    (verdict, if is_end { end } else { "" })
}

/// A run of the failing test.
struct Failing {
    recorded: RecordedTest,
    /// What is other each time it runs, if that matters.
    unsteady: Option<String>,
    /// What was done about it.
    held: Option<String>,
}

impl Failing {
    /// Records the test: with its clock held at `clock`; without one as it is, or, if it is not the same each time unless its clock is held, with the clock
    /// held at the time of the last `suspect test`.
    fn record(room: &RecordingRoom<'_>, test: &Test, clock: Option<u64>) -> Result<Failing, Failure> {
        let tested = time_of_tests(room);
        let other_time = tested.map(|time| time + OTHER_TIME);
        let (recorded, unsteady) = Self::record_twice(room, test, "other", [clock, clock.or(other_time)])?;
        if unsteady.is_none() || clock.is_some() {
            return Ok(Failing { recorded, unsteady, held: None });
        }
        if let Ok((steady, None)) = Self::record_twice(room, test, "held", [tested; 2])
            && steady.verdict == recorded.verdict
        {
            let held =
                format!("{} is looked at with its clock held: without, it does not do the same each time", test.name);
            return Ok(Failing { recorded: steady, unsteady: None, held: Some(held) });
        }
        room.hold_clock(None);
        Ok(Failing { recorded, unsteady, held: None })
    }

    /// Records the test, and what is other in a second run, with the clock held at these times.
    fn record_twice(
        room: &RecordingRoom<'_>,
        test: &Test,
        label: &str,
        [clock, again]: [Option<u64>; 2],
    ) -> Result<(RecordedTest, Option<String>), Failure> {
        let began = Instant::now();
        room.hold_clock(clock);
        let recorded = room.record(test, label)?;
        let is_unsteady = |run| second::takes_unsteady_values(run, &test.name);
        if room.tested().is_ok_and(is_unsteady) && room.may_depend_on_time() {
            // What code that is not recorded takes from a clock may be the same within a second.
            std::thread::sleep(Duration::from_secs(1).saturating_sub(began.elapsed()));
        }
        room.hold_clock(again);
        let again = room.record(test, "again")?;
        room.hold_clock(clock);
        let unsteady = unsteady(room, test, [&recorded, &again])?;
        Ok((recorded, unsteady))
    }
}

/// Seconds between two runs that are to be alike unless the clock matters.
const OTHER_TIME: u64 = 1009;

/// When the last `suspect test` began, seconds since 1970; without one, now.
fn time_of_tests(room: &RecordingRoom) -> Option<u64> {
    let tested = room.tested().ok().map(|run| run.manifest.began);
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs());
    tested.filter(|seconds| *seconds > 0).or_else(now)
}

/// A failing test, and what is asked about it.
struct Question<'a> {
    room: &'a RecordingRoom<'a>,
    test: &'a Test,
    failing: &'a RecordedTest,
    /// What it writes that is not expected, if that is what is to be explained.
    wrong: Option<Wrong>,
    /// Whether it does the same each time, so that a change can be made at one place of its run.
    is_steady: bool,
    arguments: &'a ExplainArguments,
    /// When time is up.
    until: Instant,
    marks: Marks,
}

/// What was noticed while an explanation was made.
#[derive(Default)]
struct Marks {
    /// A run was seen to do something else than the recorded one.
    odd: Cell<bool>,
    /// There was not enough time for the steps.
    given_up: Cell<bool>,
}

/// What a comparison is to explain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// What is written and not expected, where that is known.
    Wrong,
    /// That, or else the first difference.
    Any,
}

fn write(
    sources: &SourceTree,
    explanation: &Explanation,
    format: AnswerFormat,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let line = |file: &str, line: u32| sources.line(file, line);
    let written = match format {
        AnswerFormat::Text => report::write_explanation(explanation, line, out),
        AnswerFormat::Json => write_json(explanation, out),
        AnswerFormat::Sarif => write_json(&report::explanation_sarif(explanation), out),
    };
    written.map_err(Failure::of(Exit::File))
}

fn write_json(view: &impl serde::Serialize, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{}", serde_json::to_string_pretty(view)?)
}

/// Why two runs cannot be compared.
enum No {
    /// The passing one never comes to where is asked: another one may.
    Unfit(Failure),
    /// Another one is no help.
    Failed(Failure),
}

impl From<Failure> for No {
    fn from(failure: Failure) -> Self {
        No::Failed(failure)
    }
}

impl From<No> for Failure {
    fn from(no: No) -> Self {
        let (No::Unfit(failure) | No::Failed(failure)) = no;
        failure
    }
}

/// Passing tests that are recorded to see whether they write something else there.
const MOST_COMPARED: usize = 4;
/// None of these does.
const NOTHING_ELSE: &str = "no passing test like it writes something else there";
/// The passing test that is most like it does nothing else that the outside sees.
const NO_DIFFERENCE: &str = "the passing test most like it differs in nothing that is written";
/// The passing test that is most like it has another input.
const TOO_MUCH: &str =
    "the passing test most like it differs in too much to find out in time what matters: the inputs differ";
/// No passing test that is like the failing one does.
const NOT_THERE: &str = "the passing test most like it never comes to where the question is";

impl Question<'_> {
    /// Compared with a passing test that writes something else where what is written is not expected; if there is none, with itself; else with
    /// whichever passing test is most like it.
    fn against_one_alike(&self) -> Result<Explanation, Failure> {
        let line = self.wrong.as_ref().map(|wrong| &wrong.place);
        let passing = second::passing(self.room, self.test, line)?;
        let most_alike = match passing.most_alike {
            Ok(most_alike) => most_alike,
            Err(why) => return self.against_itself(Itself::Either, Some(why)),
        };
        for name in passing.there.iter().take(MOST_COMPARED) {
            match self.against(name, Wanted::Wrong) {
                Err(No::Unfit(_)) => {}
                other => return Ok(self.or_against_itself(other?)),
            }
        }
        if self.wrong.is_some()
            && self.is_steady
            && let Ok(explanation) = self.against_itself(Itself::Either, Some(NOTHING_ELSE))
        {
            return Ok(explanation);
        }
        match self.against(&most_alike, Wanted::Any) {
            Err(No::Unfit(_)) => self.against_itself(Itself::Either, Some(NOT_THERE)),
            Err(No::Failed(failure)) if failure.exit == Exit::Usage && self.wrong.is_none() => {
                self.against_itself(Itself::Either, Some(NO_DIFFERENCE)).map_err(|_| failure)
            }
            other => Ok(self.or_against_itself(other?)),
        }
    }

    /// An explanation that was finished in its time; of one that was not, the comparison of the test with itself, if there is one: two inputs that
    /// differ in much say little.
    fn or_against_itself(&self, explanation: Explanation) -> Explanation {
        if !self.marks.given_up.get() || !self.is_steady {
            return explanation;
        }
        self.marks.given_up.set(false);
        self.against_itself(Itself::Either, Some(TOO_MUCH)).unwrap_or(explanation)
    }

    /// When a comparison with another test is to end: the test itself may be asked afterwards.
    fn compared_until(&self, made: Option<&Passing>) -> Instant {
        let is_asked = self.arguments.against.is_some() || made.is_some();
        if is_asked { self.until } else { half_until(self.until) }
    }

    /// Compared with a passing test.
    fn against(&self, passing: &str, wanted: Wanted) -> Result<Explanation, No> {
        let passing = self.room.test(passing)?;
        if Instant::now() >= self.until {
            let message = format!(
                "{}: no time was left to compare it with {}; --budget gives it more",
                self.test.name, passing.name
            );
            return Err(No::Failed(Failure::new(Exit::Partial, message)));
        }
        let first = self.room.record(passing, "first")?;
        if let Some(why) = ends_otherwise(self.room, &passing.name, &first) {
            return Err(No::Unfit(Failure::new(Exit::Baseline, why)));
        }
        let recorded = [&first, self.failing];
        check_same_program(&recorded).map_err(No::Unfit)?;
        let mut explanation = self.compare(recorded, [passing.name.clone(), self.test.name.clone()], None, wanted)?;
        // Only where it matters: another run of a test may take long.
        if self.arguments.method == ExplainMethod::Cc && !explanation.verified {
            let again = self.room.record(passing, "again")?;
            let unsteady = unsteady(self.room, passing, [&first, &again])?;
            self.marks.odd.set(self.marks.odd.get() || unsteady.is_some());
            explanation.trust.extend(unsteady);
        }
        Ok(explanation)
    }

    /// Compared with its own run with a change; `why` nothing else fits.
    fn against_itself(&self, change: Itself, why: Option<&str>) -> Result<Explanation, Failure> {
        let name = &self.test.name;
        let budget = self.until.saturating_duration_since(Instant::now());
        let passing = itself::make(self.room, name, self.failing, change, budget).map_err(|failure| {
            let why = why.map(|why| format!("{name}: {why}; ")).unwrap_or_default();
            Failure::new(failure.exit, format!("{why}{}", failure.message))
        })?;
        let (recorded, names) = ([&passing.recorded, self.failing], ["itself".to_owned(), name.clone()]);
        let mut explanation = self.compare(recorded, names, Some(&passing), Wanted::Any)?;
        explanation.trust.insert(0, passing.trust(why));
        Ok(explanation)
    }

    fn compare(
        &self,
        recorded: [&RecordedTest; 2],
        names: [String; 2],
        made: Option<&Passing>,
        wanted: Wanted,
    ) -> Result<Explanation, No> {
        let recordings = recorded.map(|one| &one.recording);
        let nothing_else = || No::Unfit(Failure::new(Exit::Usage, NOTHING_ELSE));
        // Reading all of two runs takes long, and most tests that are alike never come to the same call.
        let is_worth = |alignment: &Alignment| {
            wanted == Wanted::Any || self.wrong.as_ref().is_none_or(|wrong| wrong.is_in(alignment))
        };
        let loaded = self.room.code(&recordings)?;
        let (program, code) = &*loaded;
        let mut runs = Runs::read_if(code, &recordings, is_worth)
            .map_err(|error| Failure::new(Exit::Usage, format!("{}: {error}", self.test.name)))?
            .ok_or_else(nothing_else)?;
        let changed = made.and_then(|passing| passing.point(code, &runs));
        // That it went another way there than the code says is no surprise.
        runs.walked[0].disagreements.retain(|one| Some(one.point) != changed);
        let pair = Pair::new(&runs.runs[0], &runs.runs[1], &runs.alignment);
        let words = Words::new(program, code, &runs, recorded[1].recording.header().errno_address);
        let finder = Finder::new(code, &runs, &words);
        let mut case = Case {
            names,
            recorded,
            code,
            runs: &runs,
            pair: &pair,
            words: &words,
            finder: &finder,
            room: self.room,
            made: None,
            wrong: self.wrong.as_ref(),
        };
        if let (Some(passing), Some(point)) = (made, changed) {
            let made = case.made(passing, point);
            case.names[0] = case.name_of_itself(&made, point);
            case.made = Some(made);
        }
        case.check_comes_there(self.arguments)?;
        let missed = case.wrong.filter(|wrong| case.read_otherwise(wrong).is_none());
        if missed.is_some() && wanted == Wanted::Wrong {
            return Err(nothing_else());
        }
        let mut warnings = case.warnings();
        // Of a run that passes on the same input nothing is other than it should be.
        warnings.extend(missed.filter(|_| made.is_none()).map(|wrong| {
            let (file, line) = &wrong.place;
            format!(
                "{} does not show what {file}:{line} should have written, so the causes of the difference need not be those of the failure; \
                 `suspect slice {} wrong` tells what it depends on",
                case.names[0], case.names[1]
            )
        }));
        let until = self.compared_until(made);
        let mut explanation = case.explanation(self.arguments, until, &self.marks).map_err(|failure| {
            // What is missing may be why there is nothing to explain.
            Failure::new(failure.exit, [vec![failure.message], warnings.clone()].concat().join("; "))
        })?;
        explanation.trust.extend(warnings);
        Ok(explanation)
    }
}

fn check_same_program(recorded: &[&RecordedTest; 2]) -> Result<(), Failure> {
    let [first, second] = recorded.map(|one| one.recording.modules());
    // One may have run in a copy of its directory.
    let same = |(one, other): (&PathBuf, &PathBuf)| {
        one == other || matches!((std::fs::read(one), std::fs::read(other)), (Ok(one), Ok(other)) if one == other)
    };
    if first.len() == second.len() && first.iter().zip(&second).all(same) {
        return Ok(());
    }
    let names = recorded.map(|one| one.recording.names()[1].clone());
    let message =
        format!("the tests run different programs ({} and {}); give tests of one program", names[0], names[1]);
    Err(Failure::new(Exit::Usage, message))
}

/// What is other in two runs of the failing test: a run that does not go the same way twice can be compared, but not be repeated with a patch. Values that
/// are others each time (times, process ids) matter only if it goes another way for them, or writes something else.
fn unsteady(
    room: &RecordingRoom<'_>,
    test: &Test,
    [recorded, again]: [&RecordedTest; 2],
) -> Result<Option<String>, Failure> {
    let told = |side: &RecordedTest| (side.verdict, side.written.clone());
    let is_told_alike = told(again) == told(recorded);
    let recordings = [&recorded.recording, &again.recording];
    if is_told_alike && recordings[0].stream().end() == recordings[1].stream().end() {
        return Ok(None);
    }
    let loaded = room.code(&recordings)?;
    let (program, code) = &*loaded;
    let what = match parting(code, recordings) {
        None if is_told_alike => return Ok(None),
        None => "it writes something else".to_owned(),
        Some(site) => match code.step_of(site).map(|step| code.steps[step as usize].place) {
            Some(place) => format!("from {}:{} on it goes another way", program.files[place.file as usize], place.line),
            None => "it goes another way".to_owned(),
        },
    };
    Ok(Some(format!(
        "{} does not do the same each time it runs ({what}); steps that could be proved may look as if they could not",
        test.name
    )))
}

impl<'a> Case<'a> {
    /// Whether the passing run comes to the places that are asked about.
    fn check_comes_there(&self, arguments: &ExplainArguments) -> Result<(), No> {
        for asked in [&arguments.effect, &arguments.cause].into_iter().flatten() {
            let executed = |side: Side| !self.finder.executions(side, asked).is_empty();
            if executed(Side::Second) && !executed(Side::First) {
                return Err(No::Unfit(NoAnswer::NotExecuted(asked.clone(), "the passing run").into()));
            }
        }
        Ok(())
    }

    /// What was not recorded of the runs, each statement once.
    fn warnings(&self) -> Vec<String> {
        let mut all: Vec<String> =
            self.recorded.iter().zip(&self.names).flat_map(|(one, name)| one.warnings(name)).collect();
        all.dedup();
        all
    }

    /// Says, too, what was noticed.
    fn explanation(&self, arguments: &ExplainArguments, until: Instant, marks: &Marks) -> Result<Explanation, Failure> {
        let (effect, words) = match &arguments.effect {
            Some(asked) => (self.finder.effect(self.pair, asked)?, None),
            None => self.default_effect()?,
        };
        let mut prover = Prover::new(self, arguments, until)?;
        let mut chain = match &arguments.cause {
            Some(cause) => {
                let of = arguments.effect.clone().unwrap_or_else(|| cause.clone());
                let point = self.finder.cause(&effect, cause, &of)?;
                self.single(effect.clone(), point, &mut prover)?
            }
            None => comparison::chain(
                self.pair,
                &self.runs.naming.names,
                effect.clone(),
                arguments.steps,
                |slice, states, cut| prover.infer(slice, states, cut),
            ),
        };
        let forked = prover.forked();
        marks.odd.set(marks.odd.get() || prover.is_unsteady());
        let given_up = prover.given_up();
        let mut problems = prover.problems();
        if let Some(differences) = given_up {
            marks.given_up.set(true);
            if chain.links.len() > 1 {
                chain.links.pop_if(|link| link.inference.causes.is_empty());
            }
            problems.push(format!(
                "time was up at a step in which the runs differ in {differences} places: causes there may be fewer, and earlier ones are not looked \
                 for; --budget gives it more time"
            ));
        }
        Teller { case: self, arguments, forked }.explanation(&effect, words, &chain, problems)
    }

    /// One step from a given cause point.
    fn single(&self, effect: Effect, point: u32, prover: &mut Prover<'_, 'a>) -> Result<Chain, Failure> {
        let names = &self.runs.naming.names;
        let states = States::before(self.pair, point, names)
            .ok_or_else(|| Failure::new(Exit::Internal, "the cause point is in one run only"))?;
        let slice = DualSlice::new(self.pair, &effect, Rules::Repaired);
        let inference: Inference = prover.infer(&slice, &states, &slice.cut(&states));
        let partner = self.runs.alignment.partner(Side::First, point).unwrap_or_default();
        let cause = [point, partner];
        let points = Side::BOTH.map(|side| {
            let (from, to) = (0, effect.points[side.index()]);
            slice.members(side).iter().filter(|point| (from..=to).contains(point)).collect()
        });
        let complete = !inference.causes.is_empty();
        let link = Link { cause, effect: effect.clone(), inference, points };
        Ok(Chain { links: vec![link], origins: Vec::new(), complete })
    }
}
