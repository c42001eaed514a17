//! Changes that make a test pass because it does not come to its check any more: they silence the failure, and say nothing about it.

use std::time::Instant;

use suspect_format::body::Action;
use suspect_format::external::Role;

use super::Case;
use super::recorded::{Loaded, RecordingRoom};
use super::recorded_test::RecordedTest;
use crate::comparison::{NONE, Run, Value};
use crate::recording::{Code, Deadline, Runs, executions};

/// Counting what the changed run executes takes this share of the time that is left, at most: else it is not looked at.
const COUNTING: u32 = 8;

/// How many times as long as counting alone it takes to read a recording: one that is read is walked along twice, and all of it is kept.
const READING: u32 = 4;

/// Points at the end of a run, at most, among which the call is that it exits by: handlers of the end come after it.
const LAST_POINTS: usize = 1000;

/// Jumps, at most, that lead from a decision to what ends the process.
const MOST_TO_THE_END: usize = 4;

/// Copies of a value, one of another, at most, by which it comes to where a check, or the way to exit, is decided.
const MOST_COPIES: usize = 20;

/// The check whose failure a test tells of.
pub struct Check {
    /// Its conditions that the failing run came to, and how often it did.
    conditions: Vec<(u32, u32)>,
    /// The decision that does nothing but choose how the process exits.
    exiting: Option<u32>,
}

impl Check {
    /// The check of a failing run, as far as it names its line, or aborts; or the decision that does nothing but choose the status it exits with.
    pub fn of(room: &RecordingRoom<'_>, failing: &RecordedTest, loaded: &Loaded, runs: &Runs) -> Check {
        let code = &loaded.1;
        let is_condition = |site: &u32| code.decides(*site);
        let run = &runs.runs[0];
        let named = room.sites_complained_of(failing, loaded);
        let mut sites: Vec<u32> = named.iter().copied().filter(is_condition).collect();
        if sites.is_empty() {
            // A line that does nothing but complain was come to by the check.
            let last = (1..run.points()).rev().find(|point| named.contains(&run.site(*point)));
            sites.extend(last.and_then(|last| deciding(code, run, last)));
        }
        let exiting = exiting(code, run);
        for ending in [aborting(code, run), exiting].into_iter().flatten() {
            if !sites.contains(&ending) {
                sites.push(ending);
            }
        }
        let passed = |site: u32| runs.passed.as_ref().map_or(0, |passed| passed.count(site));
        let mut conditions: Vec<(u32, u32)> = sites.into_iter().map(|site| (site, passed(site))).collect();
        for site in (run.skipped().points + 1..run.points()).map(|point| run.site(point)) {
            conditions.iter_mut().filter(|(one, _)| *one == site).for_each(|(_, times)| *times += 1);
        }
        conditions.retain(|(_, times)| *times > 0);
        Check { conditions, exiting }
    }

    /// Whether a site is the decision that does nothing but choose how the process exits.
    pub fn is_exiting(&self, site: u32) -> bool {
        self.exiting == Some(site)
    }

    /// Whether a site is one of its conditions.
    pub fn has(&self, site: u32) -> bool {
        self.conditions.iter().any(|(condition, _)| *condition == site)
    }

    /// The site of the `return` that gave the answer which the check took last.
    pub fn asked(&self, code: &Code, run: &Run) -> Option<u32> {
        let check = (run.skipped().points + 1..run.points()).rev().find(|point| self.has(run.site(*point)))?;
        is_answer(code, run, check).then(|| run.site(run.writer(run.reads(check)[0])))
    }

    /// Whether a site is of the function that makes the check, where a decision may be one of whether it is made.
    pub fn is_beside(&self, code: &Code, site: u32) -> bool {
        let function = |site: u32| code.step_of(site).map(|step| code.steps[step as usize].function);
        self.conditions.iter().any(|(condition, _)| function(*condition) == function(site))
    }

    /// True if a changed run comes to each condition of the check less often than the failing one; nothing if the check is not known, or there is no time
    /// until `until` to look.
    pub fn is_skipped(
        &self,
        room: &RecordingRoom<'_>,
        code: &Code,
        changed: &RecordedTest,
        until: Instant,
    ) -> Option<bool> {
        let (now, left) = (Instant::now(), until.saturating_duration_since(Instant::now()) / COUNTING);
        if self.conditions.is_empty() || room.reading(changed.recording.stream().end()) / READING > left {
            return None;
        }
        let counts = executions(code, &changed.recording, Deadline::at(now + left)).ok()?;
        Some(self.conditions.iter().all(|(site, times)| counts[*site as usize] < *times))
    }
}

/// Whether a value was written at a point, or is a copy of what was.
pub fn comes_of(run: &Run, read: u32, point: u32) -> bool {
    let copied = |read: &u32| {
        let same = |other: &&u32| run.value(**other) == run.value(*read);
        run.reads(run.writer(*read)).iter().find(same).copied().filter(|other| other != read)
    };
    std::iter::successors(Some(read), copied).take(MOST_COPIES).any(|read| run.writer(read) == point)
}

/// Whether a decision takes the answer, yes or no, that a function gave: then the other answer is the other way of the decision, and says as little.
pub fn is_answer(code: &Code, run: &Run, decision: u32) -> bool {
    let [read] = run.reads(decision) else { return false };
    let given = code.step_of(run.site(run.writer(*read))).map(|step| code.steps[step as usize].action);
    matches!(given, Some(Action::Return(_))) && matches!(run.value(*read), Value::Number(0 | 1))
}

/// Whether a site is on the line of a `return`, in its function: a part of the answer that it gives.
pub fn is_part_of(code: &Code, site: u32, of: u32) -> bool {
    let step = |site: u32| code.step_of(site).map(|step| &code.steps[step as usize]);
    let both = step(site).zip(step(of));
    both.is_some_and(|(one, other)| {
        one.function == other.function && (one.place.file, one.place.line) == (other.place.file, other.place.line)
    })
}

/// The site of the decision to abort, if a run ends so.
fn aborting(code: &Code, run: &Run) -> Option<u32> {
    let last = run.points() - 1;
    if code.role(run.site(last)) == Some(Role::Aborts) { deciding(code, run, last) } else { None }
}

/// The site of the decision that led to the call which a run exits by, if all its ways do nothing but end the process.
fn exiting(code: &Code, run: &Run) -> Option<u32> {
    let ends = |point: &u32| code.role(run.site(*point)) == Some(Role::Ends);
    let last = (run.skipped().points + 1..run.points()).rev().take(LAST_POINTS).find(ends)?;
    let site = deciding(code, run, last)?;
    let ways = code.successors(code.step_of(site)?);
    ways.into_iter().all(|way| ends_at_once(code, way)).then_some(site)
}

/// Whether a step, and what follows it without a decision, does nothing but end the process.
fn ends_at_once(code: &Code, first: u32) -> bool {
    let mut step = first;
    for _ in 0..MOST_TO_THE_END {
        match code.steps[step as usize].action {
            Action::Call { .. } => return matches!(code.role_of(step), Some(Role::Ends | Role::Aborts)),
            Action::Jump(to) => step = to,
            _ => return false,
        }
    }
    false
}

/// The site of the decision that led to a point, if one did.
fn deciding(code: &Code, run: &Run, point: u32) -> Option<u32> {
    let above = |at: &u32| Some(run.parent(*at)).filter(|parent| *parent != NONE && *parent != 0);
    std::iter::successors(above(&point), above).map(|point| run.site(point)).find(|site| code.decides(*site))
}

impl Case<'_> {
    /// Whether what a point wrote is the answer that a check takes: it says that the check fails, and not why.
    pub(super) fn is_verdict(&self, check: u32, point: u32) -> bool {
        let run = self.failing();
        let answers = |read: &u32| {
            comes_of(run, *read, point) || is_part_of(self.code, run.site(point), run.site(run.writer(*read)))
        };
        is_answer(self.code, run, check) && run.reads(check).iter().any(answers)
    }
}
