//! The failing run alone: the way from a change of the program that mends the test to where the run shows that it fails. It is told where no condition
//! and no value of one moment stands for the change, so that there is no second run under it.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use suspect_format::body::Action;
use suspect_format::external::Role;

use super::Case;
use super::before::MOST_FOLLOWED;
use super::decision::{addressed, allocated};
use super::left_out::leaves_out;
use super::question::{BEFORE, Question};
use super::wrong;
use crate::comparison::{NONE, Pair, Side, Tie, Value, way};
use crate::obstacle::Obstacle;
use crate::program::is_of_system;
use crate::ranking::KeptClaim;
use crate::recording::{Finder, Site, Words};
use crate::report::{self, Claim, EXPLANATION_SCHEMA_VERSION, Explanation, Point, change_in_short, quoted, shell_word};
use crate::suite::Verdict;

/// Time, at least, in which the call is looked for that wrote a complaint: some twenty short runs.
const LEAST_ASKED: Duration = Duration::from_secs(3);

/// Places on the way that are told, at most: so many from the failure on, and so many up to the change.
pub(super) const MOST_TOLD: (usize, usize) = (7, 4);

/// Functions that only hand a value on of which the last decision before that is told, at most: the nearest to the failure.
const MOST_THROUGH: usize = 2;

/// Where a failing run shows that it fails.
pub(super) struct Shown {
    /// Points, each with the one write that matters among those that it reads, if it is one.
    pub(super) starts: Vec<(u32, Option<u32>)>,
    /// The failure in words.
    pub(super) words: String,
    /// Whether they are of a check of the test, which the tested code is not.
    is_check: bool,
}

/// A line that the failing run is followed back to.
struct Goal<'c> {
    file: &'c str,
    line: u32,
    /// The change there that mends the test; without one the line is a suspicion.
    mend: Option<&'c Claim>,
}

impl Question<'_> {
    /// The explanation by a change that mends the test; nothing if what fails does not depend on the lines of the change.
    pub(super) fn along_its_run(&self, claim: &KeptClaim) -> Result<Option<Explanation>, Obstacle> {
        let claim = &claim.shown;
        self.along(&[Goal { file: &claim.file, line: claim.line, mend: Some(claim) }])
    }

    /// The way back to the first of the likeliest lines of the last ranking that the failure depends on; where it hardly suspects any, the way from value to
    /// value before that. Nothing if it depends on none.
    pub(super) fn along_to_suspects(&self) -> Result<Option<Explanation>, Obstacle> {
        let (likely, all) = (self.room.likely_lines(SUSPECTS), self.suspects());
        if all.is_empty() {
            return Ok(None);
        }
        if let Some(explanation) = self.along_to_lines(&likely)? {
            return Ok(Some(explanation));
        }
        match likely.is_empty().then(|| self.along(&[])).transpose()?.flatten() {
            Some(explanation) => Ok(Some(explanation)),
            None => self.along_to_lines(&all),
        }
    }

    fn along_to_lines(&self, lines: &[(String, u32)]) -> Result<Option<Explanation>, Obstacle> {
        let goals: Vec<Goal<'_>> = lines.iter().map(|(file, line)| Goal { file, line: *line, mend: None }).collect();
        if goals.is_empty() { Ok(None) } else { self.along(&goals) }
    }

    /// The likeliest lines of the last ranking; none if nothing was ranked.
    pub(super) fn suspects(&self) -> Vec<(String, u32)> {
        self.room.ranked_lines().iter().take(SUSPECTS).cloned().collect()
    }

    /// The way back from where the failure shows, where neither another run nor a suspected line says where to; nothing if it does not show in what
    /// is recorded.
    pub(super) fn along_to_nothing(&self) -> Result<Option<Explanation>, Obstacle> {
        self.along(&[])
    }

    fn along(&self, goals: &[Goal<'_>]) -> Result<Option<Explanation>, Obstacle> {
        let tell = |case: &Case<'_>, files: &[String]| match goals {
            [] => case.along_to_nothing(files),
            goals => goals.iter().find_map(|goal| case.along(goal, files)),
        };
        self.followed_alone(|_| true, tell)
    }

    /// What `tell` says of the failing run alone, if it `is_worth` the runs that may be needed to find where it complains; it is given the program's
    /// files, too.
    pub(super) fn followed_alone(
        &self,
        is_worth: impl FnOnce(&Case<'_>) -> bool,
        tell: impl FnOnce(&Case<'_>, &[String]) -> Option<Explanation>,
    ) -> Result<Option<Explanation>, Obstacle> {
        let recorded = [self.failing, self.failing];
        let (loaded, runs) = self.room.read(&self.test.name, self.failing)?;
        let (program, code) = &*loaded;
        let pair = Pair::new(&runs.runs[0], &runs.runs[1], &runs.alignment);
        let words =
            Words::new(program, code, &runs, self.failing.recording.header().errno_address, self.room.tree(program))
                .with_addresses(self.request.addresses);
        let finder = Finder::new(code, &runs, &words);
        let mut case = Case {
            names: [String::new(), self.test.name.clone()],
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
            measure: None,
        };
        if !is_worth(&case) {
            return Ok(None);
        }
        let left = self.until.saturating_duration_since(Instant::now()).max(LEAST_ASKED);
        if self.room.takes(&self.test.name) <= left && case.needs_complaint(&program.files) {
            case.complained = wrong::complaining(self.room, self.test, self.failing, Instant::now() + left)?;
        }
        let mut found = tell(&case, &program.files);
        if let Some(explanation) = &mut found {
            explanation.trust.extend(case.told_part(&self.test.name));
        }
        Ok(found)
    }
}

/// Lines of the last ranking, at most, that a run is followed back to where no change is known that mends it.
const SUSPECTS: usize = 3;
/// Such a line in words.
const SUSPECTED: &str = "one of the likeliest lines of the last `suspect rank`";
/// The way to one in words.
const NO_MEND: &str = "the failing run alone was followed: no change was found that makes the test pass, so nothing here is proved; it is one way on \
     which the line matters for the failure";

/// The way to none of them in words.
const NO_SUSPECT: &str = "the failing run alone was followed, from value to value, back from where the failure shows: there is nothing to compare it \
     with, so nothing here is proved; `suspect rank` looks for lines that matter";

/// The same where the last ranking hardly suspects any line.
const NO_LIKELY: &str = "the failing run alone was followed, from value to value, back from where the failure shows: there is nothing to compare it with, \
     and the last `suspect rank` hardly suspects any line, so nothing here is proved";

/// What comes before a line that is not sure to be the fault, where nothing says by which way.
const FOLLOWED_BEFORE: &str = "what lies before that was followed in the failing run alone, from value to value: the last `suspect rank` is not sure of \
     the line, which may be what the fault led to; none of that is proved";

fn told_mend(claim: &Claim) -> String {
    format!(
        "the failing run alone was followed: no condition and no value of one moment stands for the change that `suspect rank` found, so there is \
         no second run to compare it with; `suspect replay {}` makes the change and shows that the test passes",
        claim.id
    )
}

impl Case<'_> {
    fn along(&self, goal: &Goal<'_>, files: &[String]) -> Option<Explanation> {
        let changed: HashSet<u32> = self.words.points_on(Side::Second, goal.file, goal.line).into_iter().collect();
        let Shown { starts, words, is_check } = self.shown(files);
        let check = starts.first().map(|(check, _)| *check).filter(|_| is_check);
        if check.is_some_and(|check| match goal.mend {
            Some(claim) => self.is_left_out(claim, &changed, check),
            None => self.is_call_of_check(&changed, check),
        }) {
            return None;
        }
        let found = way(self.failing(), &starts, |point| changed.contains(&point));
        let found = found.or_else(|| self.way_past(&starts, &changed))?;
        let (fault, _) = *found.last()?;
        // Without the check itself, or with another input in the call that leads to it, it passes as well.
        let is_left_out = goal.mend.is_some_and(leaves_out);
        let is_control = found.iter().all(|(_, tie)| !matches!(tie, Tie::Value(_)));
        // Nothing but what decided that the check is made says whether it is made, and not why it fails.
        if is_control && (is_left_out || is_check) {
            return None;
        }
        let test = &self.names[1];
        let place = self.place(Side::Second, fault);
        let at = format!("{}:{}", place.file, place.line);
        let (comes, what, trust) = match goal.mend {
            Some(claim) => {
                let mended = format!("{}, {test} passes", change_in_short(claim, self.room.source(&claim.file)));
                (format!("That comes from {at}: {mended}."), mended, told_mend(claim))
            }
            None => (format!("It depends on {at}, {SUSPECTED}."), SUSPECTED.to_owned(), NO_MEND.to_owned()),
        };
        let null = self.null_trail();
        let is_new = |point: &Point| !null.iter().any(|told| (&told.file, told.line) == (&point.file, point.line));
        let way: Vec<Point> = self.told_way(&found, MOST_TOLD).into_iter().filter(is_new).collect();
        let mut facts: Vec<Point> = null.iter().cloned().chain(way).collect();
        // That a suspected line itself writes what is wrong is what the ranking says already; how it dies there is not.
        let dies = self.misuse.is_some() || self.told_end().is_some();
        if goal.mend.is_none() && (facts.is_empty() || found.len() == 1 && !dies) {
            return None;
        }
        self.tell_size(&mut facts);
        let mut explanation = self.told_alone(words, &null, trust);
        explanation.summary.push(comes);
        explanation.facts = facts;
        explanation.origins = vec![report::Origin { point: place, what: vec![what] }];
        explanation.complete = goal.mend.is_some();
        // Where the line is one of many that may be to blame, it may be what the fault led to.
        let is_verdict = check.is_some_and(|check| self.is_verdict(check, fault));
        if !self.room.is_sure_of(goal.file, goal.line) || is_verdict {
            let told = explanation.told_lines();
            explanation.before = self.before(fault, &self.room.suspected_lines(), &told);
            let mut by = BEFORE;
            if explanation.before.is_empty() {
                explanation.before = self.followed_before(fault, &told);
                by = FOLLOWED_BEFORE;
            }
            if !explanation.before.is_empty() {
                explanation.trust.push(by.to_owned());
            }
        }
        Some(explanation)
    }

    fn along_to_nothing(&self, files: &[String]) -> Option<Explanation> {
        let Shown { starts, words, is_check } = self.shown(files);
        let is_shown = is_check
            || self.recorded[1].sign.is_some()
            || self.misuse.is_some()
            || self.wrong.is_some()
            || self.told_end().is_some();
        let null = self.null_trail();
        let wrong = self.wrong.and_then(|wrong| self.wrong_start(wrong));
        let start = match &wrong {
            Some((point, write, _)) => (*point, Some(*write)),
            None => *starts.first().filter(|_| is_shown)?,
        };
        let way = self.followed(start, MOST_FOLLOWED);
        let mut facts = if null.is_empty() { self.told_way(&way, MOST_TOLD) } else { null.clone() };
        if let (Some((point, _, text)), Some(first)) = (wrong, facts.first_mut())
            && self.place(Side::Second, point).line == first.line
        {
            first.text = text;
        }
        self.tell_size(&mut facts);
        let trust = if self.room.ranked_lines().is_empty() { NO_SUSPECT } else { NO_LIKELY };
        (!facts.is_empty()).then(|| Explanation { facts, ..self.told_alone(words, &null, trust.to_owned()) })
    }

    /// What is told of a failing run that is followed alone: how it fails, with both values of a check that failed, or where a `null` pointer is used.
    pub(super) fn told_alone(&self, words: String, null: &[Point], trust: String) -> Explanation {
        let test = &self.names[1];
        let happens = if words.starts_with(test) { words.clone() } else { format!("{test}: {words}") };
        let happens = match null.first() {
            Some(used) => format!("{test} crashes at {}:{}, where {}", used.file, used.line, used.text),
            None => self.with_values(happens),
        };
        Explanation {
            schema_version: EXPLANATION_SCHEMA_VERSION,
            test: test.clone(),
            effect: words,
            summary: vec![format!("{}.", happens.trim_end_matches('.'))],
            command: format!("suspect explain {}", shell_word(test)),
            trust: vec![trust],
            ..Explanation::default()
        }
    }

    /// What part of a long run was followed back.
    fn told_part(&self, test: &str) -> Option<String> {
        let run = self.failing();
        let skipped = run.skipped();
        let kept = (skipped.points + 1..run.points()).filter(|point| self.code.decides(run.site(*point))).count();
        let all = skipped.decisions + kept as u64;
        (skipped.points > 0).then(|| {
            format!("{test} was followed back for the last {kept} of its {all} decisions; what lies before them was not looked at")
        })
    }

    /// Whether nothing but what the run says tells where it fails.
    fn needs_complaint(&self, files: &[String]) -> bool {
        let words = self.recorded[1].reason.clone().unwrap_or_default();
        let is_known = self.misuse.is_some() || self.wrong.is_some() || self.told_end().is_some();
        !is_known && self.recorded[1].verdict == Verdict::Fail && self.failed_check(&words, files).is_none()
    }

    /// Where the run shows that it fails.
    pub(super) fn shown(&self, files: &[String]) -> Shown {
        let last = self.failing().points() - 1;
        if let Some(misuse) = self.misuse {
            let words = format!("{} {}", self.at(Side::Second, misuse.point), self.told_misuse(misuse));
            return Shown { starts: vec![(misuse.point, self.too_long(misuse))], words, is_check: false };
        }
        if let Some(words) = self.told_end() {
            let asserted = self.asserted().map(|_| self.decided_by(last));
            let check = asserted.or_else(|| self.aborted());
            return Shown { starts: vec![(check.unwrap_or(last), None)], words, is_check: check.is_some() };
        }
        if let Some(wrong) = self.wrong {
            let starts = match self.wrong_cell(wrong) {
                Some((returned, cell, _)) => vec![(returned, Some(cell))],
                None => match self.wrong_number(wrong) {
                    Some(numbers) => numbers.into_iter().map(|number| (wrong.point, Some(number))).collect(),
                    None => {
                        [Some(wrong.point), wrong.returned].into_iter().flatten().map(|point| (point, None)).collect()
                    }
                },
            };
            return Shown { starts, words: wrong.to_string(), is_check: false };
        }
        let recorded = self.recorded[1];
        let words = recorded.reason.clone().unwrap_or_else(|| Verdict::Fail.to_string());
        let told = self.failed_check(&words, files).or_else(|| Some(vec![self.why_complained(self.complained?)]));
        if told.is_none()
            && let Some((start, output)) = self.judged_output()
        {
            return Shown { starts: vec![start], words: format!("{words}; {output}"), is_check: false };
        }
        let checks = told.or_else(|| Some(vec![self.left()?]));
        let is_check = checks.is_some();
        let starts = checks.unwrap_or_else(|| vec![last]);
        Shown { starts: starts.into_iter().map(|point| (point, None)).collect(), words, is_check }
    }

    /// Where a process that a test's driver started, and that the failure is of, last writes what the driver judges: the call, or the last character that
    /// was put into the memory that it writes; in words, too.
    fn judged_output(&self) -> Option<((u32, Option<u32>), String)> {
        self.recorded[1].sign?;
        let run = self.failing();
        let writes = |point: &u32| self.code.role(run.site(*point)) == Some(Role::Output);
        let point = (1..run.points()).rev().find(writes)?;
        let is_put = |write: &&u32| {
            run.writer(**write) != 0 && matches!(run.value(**write), Value::Number(1..)) && !self.is_passed(**write)
        };
        let put = run.reads(point).iter().filter(is_put).max_by_key(|write| run.writer(**write)).copied();
        let (at, number) = (self.at(Side::Second, point), self.recorded[1].process + 1);
        Some(((point, put), format!("{at} writes the last of what its process number {number} is judged by")))
    }

    /// The points of the check that failed, if the complaint names its line: the last condition there, or the last call, and what left it.
    pub(super) fn failed_check(&self, complaint: &str, files: &[String]) -> Option<Vec<u32>> {
        let own = self.words.file_of_main();
        let at = self.recorded[1].complained_places(complaint, self.room.root(), files, own).find_map(|place| {
            let points = self.words.points_on(Side::Second, &place.file, place.line);
            self.checks_among(&points)
        })?;
        // A line that does nothing but complain was come to by the check.
        let at = if self.only_complains(at) { self.decided_by(at) } else { at };
        Some(std::iter::once(at).chain(self.left().filter(|left| *left > at)).collect())
    }

    /// Of the points on one line the last condition, or else the last call. Where a condition on it went one way only seldom, what failed is likelier one of
    /// these times, and the last of them is taken.
    fn checks_among(&self, points: &[u32]) -> Option<u32> {
        let run = self.failing();
        let decides = |point: &u32| run.outcome(*point) != NONE && self.code.decides(run.site(*point));
        let mut times: HashMap<(u32, u32), (u32, u32)> = HashMap::new();
        for point in points.iter().copied().filter(decides) {
            let (count, last) = times.entry((run.site(point), run.outcome(point))).or_default();
            (*count, *last) = (*count + 1, point);
        }
        let is_seldom = |((site, outcome), (count, _)): &(&(u32, u32), &(u32, u32))| {
            times.iter().any(|((other, way), (often, _))| other == site && way != outcome && count < often)
        };
        let seldom = times.iter().filter(is_seldom).map(|(_, (count, last))| (*count, Reverse(*last))).min();
        if let Some((_, Reverse(last))) = seldom {
            return Some(last);
        }
        let calls = |point: &u32| match self.code.what(run.site(*point)) {
            Site::Step(step) => matches!(self.code.steps[step as usize].action, Action::Call { .. }),
            _ => false,
        };
        points.iter().copied().rfind(decides).or_else(|| points.iter().copied().rfind(calls))
    }

    /// Whether a point is a call that decides nothing: it writes or ends the process, or leads into a function that makes no decision.
    fn only_complains(&self, at: u32) -> bool {
        let run = self.failing();
        let Site::Step(step) = self.code.what(run.site(at)) else { return false };
        if !matches!(self.code.steps[step as usize].action, Action::Call { .. }) {
            return false;
        }
        let details = &self.runs.details[1];
        let is_of = |frame: u32| details.frames.get(frame as usize).is_some_and(|frame| frame.call == Some(step));
        let within = |point: u32| details.frame_of(point).filter(|frame| is_of(*frame));
        let Some(frame) = (at + 1..run.points()).find_map(within) else {
            return self.code.role(run.site(at)).is_some();
        };
        let decides = |point: u32| details.frame_of(point) == Some(frame) && self.code.decides(run.site(point));
        !(at + 1..run.points()).any(decides)
    }

    /// The last call that does not return.
    fn left(&self) -> Option<u32> {
        let run = self.failing();
        let leaves = |point: &u32| {
            let site = run.site(*point);
            matches!(self.code.what(site), Site::Step(_))
                && matches!(self.code.role(site), Some(Role::Jumps | Role::Ends | Role::Aborts))
        };
        (1..run.points()).rev().find(leaves)
    }

    /// A way, from where it shows on: each line of the program once; of a long one both ends, so many places of each.
    pub(super) fn told_way(&self, way: &[(u32, Tie)], most: (usize, usize)) -> Vec<Point> {
        let (mut told, mut through): (Vec<Point>, usize) = (Vec::new(), 0);
        for (number, (point, tie)) in way.iter().enumerate() {
            let place = self.place(Side::Second, *point);
            let is_known = |one: &Point| one.file == place.file && one.line == place.line;
            if place.line == 0 || is_of_system(&place.file) || told.iter().any(is_known) {
                continue;
            }
            let tie = match (tie, number.checked_sub(1).and_then(|before| way.get(before))) {
                (Tie::Value(write), Some((reader, _))) => Tie::Value(self.number_beside(*reader, *write)),
                _ => *tie,
            };
            let Some(text) = self.told_tie(*point, tie, number + 1 == way.len()) else { continue };
            told.push(Point { text, ..place });
            let past = self.passed_by(*point, tie).or_else(|| self.called_past(*point, tie));
            if let Some(passed) = past.filter(|_| through < MOST_THROUGH)
                && !told.iter().any(|one| (&one.file, one.line) == (&passed.file, passed.line))
            {
                told.push(passed);
                through += 1;
            }
        }
        if told.len() > most.0 + most.1 {
            let end = told.split_off(told.len() - most.1);
            let left_out = told.len() - most.0;
            told.truncate(most.0);
            if let Some(last) = told.last_mut() {
                let places =
                    if left_out == 1 { "1 more place lies".to_owned() } else { format!("{left_out} more places lie") };
                last.text += &format!("; {places} between this and the next");
            }
            told.extend(end);
        }
        told
    }

    /// Of an address that a point reads, a number that the same point wrote and that is read with it: where something lies is seldom what is wrong.
    fn number_beside(&self, reader: u32, write: u32) -> u32 {
        let run = self.failing();
        let is_number =
            |other: &u32| run.writer(*other) == run.writer(write) && matches!(run.value(*other), Value::Number(_));
        let is_address = matches!(run.value(write), Value::Address(_));
        run.reads(reader).iter().copied().find(|other| is_address && is_number(other)).unwrap_or(write)
    }

    /// What happens at a point of a way; nothing where that says nothing.
    pub(super) fn told_tie(&self, point: u32, tie: Tie, is_last: bool) -> Option<String> {
        let run = self.failing();
        let site = run.site(point);
        let step = self.code.step_of(site)?;
        let action = self.code.steps[step as usize].action;
        let named = |write: u32| {
            let value = self.words.left(run, write);
            let write = self.words.first_part(run, write);
            (allocated(&self.words.written(run.location(write), [None, Some(write)])), addressed(&value))
        };
        match (tie, self.code.what(site), action) {
            (Tie::Value(write), Site::Returned(_), _) => {
                let (name, value) = named(write);
                let callee = self.words.callee(step).unwrap_or("the function called");
                Some(format!("{callee}() leaves {value} in {name}"))
            }
            (Tie::Value(write), _, Action::Call { .. }) => {
                let (name, value) = named(write);
                Some(format!("passes {value}, as {name} of {}", self.called(step, write)))
            }
            (Tie::Value(write), _, Action::Return(_)) => {
                Some(format!("{}() returns {}", self.words.function(site), named(write).1))
            }
            (Tie::Value(write), ..) => {
                let (name, value) = named(write);
                // Memory that the program has no name for is told as the statement says it.
                let stated = self.words.assigned(site).filter(|_| !name.starts_with('`'));
                Some(format!("{} becomes {value}", stated.map_or(name, |text| quoted(&text))))
            }
            (Tie::Missed, ..) => Some(format!("it stays so, for {}", self.told_decision(point, " here"))),
            (Tie::Start, _, Action::Branch { .. }) => Some(self.told_decision(point, " here")),
            (Tie::Control, _, Action::Branch { .. }) => {
                Some(format!("this decides: {}", self.told_decision(point, "")))
            }
            (Tie::Start, ..) => Some(format!("here it shows{}", self.operands(point))),
            (Tie::Control, _, Action::Call { .. }) => Some(
                self.words
                    .callee(step)
                    .map_or_else(|| "this call leads there".to_owned(), |name| format!("calls {name}()")),
            ),
            (Tie::Control, ..) => is_last.then(|| "this decides that it comes to that".to_owned()),
        }
    }

    /// How a decision goes, and by what; `here` comes behind the way.
    pub(super) fn told_decision(&self, point: u32, here: &str) -> String {
        format!("{} is {}{here}{}", self.decided(point), self.truth(point), self.operands(point))
    }

    /// A condition by its text, if that can be told.
    fn decided(&self, point: u32) -> String {
        self.condition(point).map_or_else(|| "the condition".to_owned(), |text| format!("`{text}`"))
    }

    fn truth(&self, point: u32) -> bool {
        self.failing().outcome(point) == 0
    }

    /// What a point reads, as far as that has names of the source: what was allocated has none, nor has a letter of a literal, and where it lies says nothing.
    fn operands(&self, point: u32) -> String {
        let run = self.failing();
        let one = |write: u32| {
            let write = self.words.first_part(run, write);
            let name = self.words.written(run.location(write), [None, Some(write)]);
            let value = self.words.left(run, write);
            let is_named = !name.contains('@') && !name.starts_with('"');
            (is_named && !value.starts_with('&')).then(|| format!("{} is {value}", quoted(&name)))
        };
        let told: Vec<String> = self.operands_of(point).into_iter().filter_map(one).collect();
        if told.is_empty() { String::new() } else { format!(": {}", told.join(", ")) }
    }
}
