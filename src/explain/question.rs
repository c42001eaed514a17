//! One question: the passing tests that a failing one is compared with, and the comparison.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::failing::{ends_otherwise, unsteady};
use super::itself::{self, Mended, Passing};
use super::measure::Measure;
use super::recorded::{MOST_POINTS, RecordingRoom, unread};
use super::recorded_test::RecordedTest;
use super::request::{Itself, Method, Request, Second};
use super::right::Right;
use super::wrong::Wrong;
use super::{Case, Marks, half_until, is_over, second};
use crate::comparison::{Alignment, Pair, Side};
use crate::obstacle::Obstacle;
use crate::ranking::KeptClaim;
use crate::recording::{Deadline, Disagreement, Finder, Misuse, Runs, Site, Words};
use crate::report::Explanation;
use crate::suite::Test;

/// A failing test, and what is asked about it.
pub struct Question<'a> {
    pub room: &'a RecordingRoom<'a>,
    pub test: &'a Test,
    pub failing: &'a RecordedTest,
    /// The wrong output, if that is to be explained.
    pub wrong: Option<Wrong>,
    /// What it does outside of its objects first, if that is to be explained.
    pub misuse: Option<Misuse>,
    /// What is enough of its output where no change makes the test pass.
    pub right: Option<Right>,
    /// True if it does the same each time, so that a change can be made at one place of its run.
    pub is_steady: bool,
    pub request: &'a Request,
    /// When time is up.
    pub until: Instant,
    /// Takes what can be said already.
    pub told: &'a dyn Fn(&Explanation),
    pub marks: Marks,
    /// What a study measures of it.
    pub measure: Option<&'a Measure>,
}

/// The effect that a comparison is to explain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The wrong output, where it is known.
    Wrong,
    /// The wrong output, or else the first difference.
    Any,
}

/// The reason why two runs cannot be compared.
pub enum No {
    /// The passing one never comes to where is asked: another one may.
    Unfit(Obstacle),
    /// Another one is no help.
    Failed(Obstacle),
}

impl From<Obstacle> for No {
    fn from(failure: Obstacle) -> Self {
        No::Failed(failure)
    }
}

impl From<No> for Obstacle {
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

/// The name of the run of the other build.
const OTHER_BUILD: &str = "the correct version";

/// What comes before a change that was made.
pub const BEFORE: &str = "what lies before that was followed in the failing run alone, by way of likely lines of the last `suspect rank`; it is not proved";

/// What comes before a change that mends it, on a line that may be what the fault led to.
const BEFORE_MEND: &str = "the last `suspect rank` is not sure of that line, so what led to it follows: it was seen in the failing run alone, and is not proved";

/// What comes before a constant that is another one.
const BEFORE_CONSTANT: &str =
    "a constant is set there, so what decided that follows: it was seen in the failing run alone, and is not proved";

/// What comes before a change of the check itself.
const BEFORE_CHECK: &str = "that change is of the check, and says nothing of what is checked; what lies before it was followed in the failing run alone; it is \
     not proved";

/// The changes that the ranking knows there do harm, or act more than once, or nothing can be compared under them.
const NO_MEND: &str =
    "no change that breaks nothing, on the first lines of the last `suspect rank`, gives a run to compare it with";

/// Runs of a test that takes long, at least, for which there must be time before it is compared: the other one, and a step's in both directions.
const LEAST_RUNS: u32 = 4;

/// A run is followed alone first if reading it takes more than this share of the time that is left.
const LONG: u32 = 8;

/// Steps of a chain, at most, that are still read: the failing run alone says more than a longer one.
const MOST_STEPS: usize = 12;

impl Question<'_> {
    /// Compared with itself under the best change that the last ranking found; without one, with a passing test that writes something else where what is
    /// written is not expected; if there is none, with itself; else with whichever passing test is most like it. Where nothing can be compared, or the
    /// chain that tells two inputs apart passes none of the lines that the last ranking suspects, the way back to one of these.
    pub fn against_one_alike(&self) -> Result<Explanation, Obstacle> {
        if let Ok(Some(wrapped)) = self.along_to_a_wrap() {
            return Ok(wrapped);
        }
        let followed = if self.is_long() { self.followed_first() } else { None };
        let compared = if self.has_time() { self.compared() } else { Err(self.too_slow()) };
        if !(compared.is_ok() && self.marks.mended.get()) {
            let outgrown = self.along_to_an_outgrown().ok().flatten();
            if let Some(explanation) = outgrown.or_else(|| self.along_from_exit().ok().flatten()) {
                return Ok(explanation);
            }
        }
        match &compared {
            Ok(explanation) if self.is_of_suspects(explanation) => return compared,
            Err(Obstacle::Internal(_)) => return compared,
            _ => {}
        }
        self.marks.of_input.set(false);
        let mut alone = followed.or_else(|| self.along_to_suspects().ok().flatten());
        if alone.is_none() && matches!(compared, Err(Obstacle::Time(_) | Obstacle::Tests(_) | Obstacle::Request(_))) {
            alone = self.along_to_nothing().ok().flatten();
        }
        let Some(mut explanation) = alone else { return compared };
        explanation.trust.push(match compared {
            Ok(other) => {
                let why =
                    if other.steps.len() > MOST_STEPS { "the way is long" } else { "no suspected line is on the way" };
                format!("compared with {} {why}: {}", other.against, other.command)
            }
            Err(failure) => failure.to_string(),
        });
        Ok(explanation)
    }

    /// True if reading the failing run once more would take a good part of the time that is left.
    fn is_long(&self) -> bool {
        let left = self.until.saturating_duration_since(Instant::now());
        self.room.reading(self.failing.recording.stream().end()) > left / LONG
    }

    /// The failing run followed alone before anything is compared, which is told at once: what reads another run may not end in time.
    fn followed_first(&self) -> Option<Explanation> {
        let mut followed = self.along_to_suspects().ok().flatten();
        if followed.is_none() {
            let alone = self.along_to_nothing().ok().flatten();
            alone.iter().for_each(self.told);
        }
        followed.iter().for_each(self.told);
        followed.take()
    }

    /// Whether there is time for a comparison: the other run, and one for each direction of a step.
    fn has_time(&self) -> bool {
        let left = self.until.saturating_duration_since(Instant::now());
        let takes = self.room.takes(&self.test.name);
        !self.room.is_slow(&self.test.name) || takes * LEAST_RUNS < left
    }

    fn too_slow(&self) -> Obstacle {
        let name = &self.test.name;
        let message = format!(
            "{name}: a run of it takes {:.0?}, so no time was left to compare it with anything; --budget gives it more",
            self.room.takes(name)
        );
        Obstacle::new(Obstacle::Time, message)
    }

    /// True unless the explanation compares two inputs by comparative causality, those of two tests or one that a change makes, and passes none of the
    /// lines that the last ranking suspects, or is too long to be read: then what the inputs differ in hides the way. Of a change that makes another input
    /// no line counts, for the ranking hardly suspects any.
    fn is_of_suspects(&self, explanation: &Explanation) -> bool {
        let suspects = self.suspects();
        let lines = explanation.chain_lines();
        let is_passed =
            |(file, line): &(String, u32)| lines.iter().any(|place| (&place.file, place.line) == (file, *line));
        self.request.method != Method::Cc
            || explanation.against.is_empty()
            || !self.marks.of_input.get()
                && (explanation.made.is_some()
                    || explanation.steps.len() <= MOST_STEPS && suspects.iter().any(is_passed))
    }

    fn compared(&self) -> Result<Explanation, Obstacle> {
        if let Some(explanation) = self.against_itself_mended()? {
            return Ok(explanation);
        }
        if let Some(explanation) = self.against_itself_turned()? {
            return Ok(explanation);
        }
        let line = self.wrong.as_ref().map(|wrong| &wrong.place);
        let passing = second::passing(self.room, self.test, line)?;
        let most_alike = match passing.most_alike {
            Ok(most_alike) => most_alike,
            Err(why) => return self.against_itself(Itself::Either, Some(why)),
        };
        let half = half_until(self.until);
        for name in passing.there.iter().take(MOST_COMPARED).take_while(|_| !is_over(half)) {
            match self.against(name, Wanted::Wrong) {
                Err(No::Unfit(_)) => {}
                other => return Ok(self.or_against_itself(other?)),
            }
        }
        if self.wrong.is_some()
            && self.is_steady
            && let Ok(explanation) = self.against_itself_found(NOTHING_ELSE)
        {
            return Ok(explanation);
        }
        match self.against(&most_alike, Wanted::Any) {
            Err(No::Unfit(_)) => self.against_itself(Itself::Either, Some(NOT_THERE)),
            Err(No::Failed(failure)) if matches!(failure, Obstacle::Request(_)) && self.wrong.is_none() => {
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
        self.against_itself_found(TOO_MUCH).unwrap_or(explanation)
    }

    /// When a comparison with another test is to end: the test itself may be asked afterwards.
    fn compared_until(&self, made: Option<&Passing>) -> Instant {
        let is_asked = matches!(self.request.second, Second::Named(_)) || made.is_some_and(|made| !made.is_mended());
        if is_asked { self.until } else { half_until(self.until) }
    }

    /// Compared with a passing test.
    pub fn against(&self, passing: &str, wanted: Wanted) -> Result<Explanation, No> {
        let passing = self.room.test(passing)?;
        if is_over(self.until) {
            let message = format!(
                "{}: no time was left to compare it with {}; --budget gives it more",
                self.test.name, passing.name
            );
            return Err(No::Failed(Obstacle::new(Obstacle::Time, message)));
        }
        let first = self.room.record(passing, "first")?;
        if let Some(why) = ends_otherwise(self.room, &passing.name, &first) {
            return Err(No::Unfit(Obstacle::new(Obstacle::Tests, why)));
        }
        let recorded = [&first, self.failing];
        check_same_program(&recorded).map_err(No::Unfit)?;
        let mut explanation = self.compare(recorded, [passing.name.clone(), self.test.name.clone()], None, wanted)?;
        // Only where it matters: another run of a test may take long.
        let is_worth = !explanation.verified && !self.room.is_slow(&passing.name) && !is_over(self.until);
        if self.request.method == Method::Cc && is_worth {
            let again = match self.room.record(passing, "again") {
                // What was found out holds without it.
                Err(Obstacle::Time(_)) => return Ok(explanation),
                again => again?,
            };
            let unsteady = unsteady(self.room, passing, [&first, &again], self.until)?;
            self.marks.odd.set(self.marks.odd.get() || unsteady.is_some());
            explanation.trust.extend(unsteady);
        }
        Ok(explanation)
    }

    /// Compared with the run of the same test in the room's other build, in which it passes.
    pub fn against_other_build(&self) -> Result<Explanation, Obstacle> {
        let name = &self.test.name;
        let none = || Obstacle::new(Obstacle::Request, format!("{name}: there is no other build to compare it with"));
        let other = self.room.other().ok_or_else(none)?;
        let first = RecordedTest { is_of_other_build: true, ..other.record(other.test(name)?, "first")? };
        if let Some(why) = ends_otherwise(other, name, &first) {
            return Err(Obstacle::new(Obstacle::Tests, why));
        }
        let names = [OTHER_BUILD.to_owned(), name.clone()];
        Ok(self.compare([&first, self.failing], names, None, Wanted::Any)?)
    }

    /// Compared with its own run with a change; `why` nothing else fits.
    pub fn against_itself(&self, change: Itself, why: Option<&str>) -> Result<Explanation, Obstacle> {
        self.against_itself_within(change, why, self.searching())
    }

    /// Time in which a change can be looked for. A share of it is given to each way of looking.
    fn searching(&self) -> Duration {
        let both = 2 * self.failing.recording.stream().end();
        beside(self.until.saturating_duration_since(Instant::now()), self.room.reading(both))
    }

    fn against_itself_within(
        &self,
        change: Itself,
        why: Option<&str>,
        budget: Duration,
    ) -> Result<Explanation, Obstacle> {
        let name = &self.test.name;
        let passing = itself::make(self.room, name, self.failing, change, budget).map_err(|failure: Obstacle| {
            let why = why.map(|why| format!("{name}: {why}; ")).unwrap_or_default();
            failure.reworded(|message| format!("{why}{message}"))
        })?;
        Ok(self.against_made(&passing, why)?)
    }

    /// Compared with its own run under the best change that the last ranking found, if there is one and the runs can be compared; or followed alone
    /// back to that change, where nothing stands for it, or the comparison does not lead back in few steps.
    fn against_itself_mended(&self) -> Result<Option<Explanation>, Obstacle> {
        if !self.is_steady {
            // No two of its runs are alike but for a change: where the change is can be told all the same.
            return self.along_to_a_mend(&itself::mending_lines(self.room, &self.test.name));
        }
        match itself::mended(self.room, &self.test.name, self.right(), self.searching() / 2, false)? {
            Mended::Run(mended) => {
                let (passing, claim) = *mended;
                let compared = self.against_made(&passing, None).ok();
                match &compared {
                    Some(explanation) if explanation.complete && explanation.steps.len() <= MOST_STEPS => Ok(compared),
                    _ => Ok(self.along_its_run(&claim)?.or(compared)),
                }
            }
            Mended::Lines(claims) => {
                if let Some(explanation) = self.along_to_a_mend(&claims)? {
                    return Ok(Some(explanation));
                }
                match itself::mended(self.room, &self.test.name, self.right(), self.searching() / 2, true)? {
                    Mended::Run(mended) => Ok(self.against_made(&mended.0, None).ok()),
                    Mended::Lines(_) => Ok(None),
                }
            }
        }
    }

    /// The way back along its own run to the first of these changes that the failure depends on.
    fn along_to_a_mend(&self, claims: &[KeptClaim]) -> Result<Option<Explanation>, Obstacle> {
        for claim in claims {
            if let Some(explanation) = self.along_its_run(claim)? {
                return Ok(Some(explanation));
            }
        }
        Ok(None)
    }

    /// Compared with itself under one condition or value of its run that makes it pass, on a line on which a change that breaks other tests did; nothing
    /// if there is none, or what it says is too long to be read.
    fn against_itself_turned(&self) -> Result<Option<Explanation>, Obstacle> {
        if !self.is_steady {
            return Ok(None);
        }
        let budget = self.searching() / 4;
        let Some(passing) = itself::turned(self.room, &self.test.name, self.right(), budget)? else { return Ok(None) };
        let compared = self.against_made(&passing, Some(NO_MEND)).ok();
        Ok(compared.filter(|explanation| explanation.complete && explanation.steps.len() <= MOST_STEPS))
    }

    /// The failing run, and what is enough of its output where no change makes it pass.
    fn right(&self) -> (&RecordedTest, Option<&Right>) {
        (self.failing, self.right.as_ref())
    }

    fn against_made(&self, passing: &Passing, why: Option<&str>) -> Result<Explanation, No> {
        let (recorded, names) = ([&passing.recorded, self.failing], ["itself".to_owned(), self.test.name.clone()]);
        let mut explanation = self.compare(recorded, names, Some(passing), Wanted::Any)?;
        self.marks.of_input.set(passing.is_of_input);
        self.marks.mended.set(passing.is_mended());
        explanation.trust.insert(0, passing.trust(why));
        if !explanation.before.is_empty() && !explanation.trust.iter().any(|told| told == BEFORE_CONSTANT) {
            let by = match (passing.is_of_check, passing.is_mended()) {
                (true, _) => BEFORE_CHECK,
                (_, true) => BEFORE_MEND,
                _ => BEFORE,
            };
            explanation.trust.insert(1, by.to_owned());
        }
        Ok(explanation)
    }

    fn compare(
        &self,
        recorded: [&RecordedTest; 2],
        names: [String; 2],
        made: Option<&Passing>,
        wanted: Wanted,
    ) -> Result<Explanation, No> {
        self.marks.mended.set(false);
        let recordings = recorded.map(|one| &one.recording);
        let takes = self.room.reading(recordings.iter().map(|one| one.stream().end()).sum());
        if takes > self.until.saturating_duration_since(Instant::now()) {
            let message = format!(
                "{}: no time was left to read what two runs did, which takes {takes:.0?}; --budget gives it more",
                self.test.name
            );
            return Err(No::Failed(Obstacle::new(Obstacle::Time, message)));
        }
        let nothing_else = || No::Unfit(Obstacle::new(Obstacle::Request, NOTHING_ELSE));
        // Reading all of two runs takes long, and most tests that are alike never come to the same call.
        let is_worth = |alignment: &Alignment| {
            wanted == Wanted::Any || self.wrong.as_ref().is_none_or(|wrong| wrong.is_in(alignment))
        };
        let loaded = match recorded[0].is_of_other_build {
            true => self.room.code_of_builds(recordings)?,
            false => self.room.code(&recordings)?,
        };
        let (program, code) = &*loaded;
        let mut runs = Runs::read_if(code, &recordings, MOST_POINTS, Deadline::at(self.until), is_worth)
            .map_err(|error| unread(&self.test.name, &error))?
            .ok_or_else(nothing_else)?;
        let changed = made.and_then(|passing| passing.point(code, &runs));
        // That it went another way there than the code says is no surprise.
        if let Some(passing) = made {
            let site = |step: u32| code.site(Site::Step(step));
            let is_own = |one: &Disagreement| passing.is_changed(code, (site(one.step), one.point), changed);
            runs.walked[0].disagreements.retain(|one| !is_own(one));
        }
        let pair = Pair::new(&runs.runs[0], &runs.runs[1], &runs.alignment);
        let words =
            Words::new(program, code, &runs, recorded[1].recording.header().errno_address, self.room.tree(program))
                .with_addresses(self.request.addresses);
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
            misuse: self.misuse.as_ref(),
            complained: None,
            measure: self.measure,
        };
        if let (Some(passing), Some(point)) = (made, changed) {
            let made = case.made(passing, point);
            case.names[0] = case.name_of_itself(&made, point);
            case.made = Some(made);
        }
        case.check_comes_there(self.request)?;
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
        let mut explanation = case.explanation(self.request, until, &self.marks).map_err(|failure| {
            // What is missing may be why there is nothing to explain.
            failure.reworded(|message| [vec![message.to_owned()], warnings.clone()].concat().join("; "))
        })?;
        explanation.trust.extend(warnings);
        if made.is_none_or(|made| !made.is_mended()) {
            case.tell_size(&mut explanation.facts);
        }
        if let (Some(point), Some(passing)) = (changed, made)
            && let Some(start) = case.runs.alignment.partner(Side::First, point)
        {
            let (told, place) = (explanation.told_lines(), case.place(Side::Second, start));
            let is_sure = passing.is_mended() && self.room.is_sure_of(&place.file, place.line);
            if !is_sure {
                explanation.before = case.before(start, &self.room.suspected_lines(), &told);
            }
            if explanation.before.is_empty() && (passing.is_of_check || passing.is_mended() && !is_sure) {
                explanation.before = case.followed_before(start, &told);
            }
            if explanation.before.is_empty() {
                explanation.before = case.decided_before(start, &told);
                explanation.trust.extend((!explanation.before.is_empty()).then(|| BEFORE_CONSTANT.to_owned()));
            }
        }
        Ok(explanation)
    }

    /// Compared with the failing test's own run under a change that is looked for blindly: a share of the time is for what else can be said.
    fn against_itself_found(&self, why: &str) -> Result<Explanation, Obstacle> {
        self.against_itself_within(Itself::Either, Some(why), self.searching() / 4)
    }
}

/// What of the time that is `left` a search may take: a change that is found says something only if both runs can still be read.
fn beside(left: Duration, reading: Duration) -> Duration {
    left.saturating_sub(reading)
}

fn check_same_program(recorded: &[&RecordedTest; 2]) -> Result<(), Obstacle> {
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
    Err(Obstacle::new(Obstacle::Request, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_leaves_the_time_to_read_what_it_finds() {
        let [left, reading] = [60, 25].map(Duration::from_secs);
        assert!(beside(left, reading) + reading <= left);
        assert_eq!(beside(left, Duration::ZERO), left);
        assert_eq!(beside(reading, left), Duration::ZERO);
    }
}
