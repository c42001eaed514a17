//! Settling verdicts: what does not pass beside other tests, while it is recorded, runs again alone and without recording before it counts.

use std::time::Instant;

use super::changed::changed;
use super::{
    Help, Limit, Made, Purpose, Remark, RunSummary, Session, Stability, in_parallel, limit, slowest, stability,
};
use crate::exec::interrupt;
use crate::suite::{SuiteError, Test, Verdict};

/// What is to be believed of a test.
pub(super) struct Settled {
    /// The runs that count.
    pub(super) runs: Vec<RunSummary>,
    pub(super) stability: Stability,
    pub(super) remark: Option<Remark>,
}

impl From<Vec<RunSummary>> for Settled {
    fn from(runs: Vec<RunSummary>) -> Settled {
        Settled { stability: stability(&runs), remark: None, runs }
    }
}

/// How a test turned out.
enum Turn {
    /// It is settled.
    Done(Settled),
    /// It passed as well as failed beside others, and alone is like this each time: either has nothing to do with the other tests, or it has.
    Mixed(Vec<RunSummary>),
}

/// Runs alone that must agree where a test did something else beside others or before.
const ALONE: usize = 3;

impl Session<'_> {
    /// The verdicts on all tests, of which `done` are the runs.
    pub(super) fn settle(&self, done: Vec<Vec<RunSummary>>) -> Result<Vec<Settled>, SuiteError> {
        let slowest = slowest(&done);
        let refuted = self.refuted(&done)?;
        let mut turns = Vec::new();
        for (index, runs) in done.into_iter().enumerate() {
            let limit = limit(self.test(index), &runs, self.options.limits.get(index).copied(), slowest).believed();
            let settling = Settling { session: self, index, limit };
            turns.push(match (is_settled(&runs), refuted.contains(&index)) {
                (true, false) => Turn::Done(runs.into()),
                _ if self.is_over() => Turn::Done(Settled { remark: Some(Remark::Unsettled), ..runs.into() }),
                (true, true) => Turn::Done(settling.of_passing(runs)?),
                (false, _) => settling.of_failing(runs)?,
            });
        }
        self.decide_mixed(turns)
    }

    fn test(&self, index: usize) -> &Test {
        &self.suite.tests()[index]
    }

    fn is_over(&self) -> bool {
        interrupt::happened() || self.options.until.is_some_and(|until| Instant::now() >= until.further)
    }

    /// Whether other tests run beside this one.
    fn has_company(&self, index: usize) -> bool {
        self.options.jobs > 1 && self.suite.tests().len() > 1 && !self.test(index).plan.needs.alone
    }

    /// Tests that always passed and do not without recording.
    fn refuted(&self, done: &[Vec<RunSummary>]) -> Result<Vec<usize>, SuiteError> {
        let passes = |index: &usize| done[*index].first().is_some_and(|run| run.verdict == Verdict::Pass);
        let passing: Vec<usize> = (0..done.len()).filter(|index| is_settled(&done[*index]) && passes(index)).collect();
        let runs = in_parallel(self.options.jobs, &passing, |index| match self.is_over() {
            true => Ok(Verdict::Pass),
            false => {
                let limit = limit(self.test(index), &done[index], None, None).believed();
                Ok(self.plain(index, limit.time())?.verdict)
            }
        })?;
        Ok(runs.into_iter().filter(|(_, verdict)| *verdict != Verdict::Pass).map(|(index, _)| index).collect())
    }

    /// Tests that do not always do the same beside others do it because of them if others do, or if some of them fail again when all of
    /// them run at once.
    fn decide_mixed(&self, turns: Vec<Turn>) -> Result<Vec<Settled>, SuiteError> {
        let mixed = |turn: &Turn| matches!(turn, Turn::Mixed(_));
        let indices: Vec<usize> = (0..turns.len()).filter(|index| mixed(&turns[*index])).collect();
        let is_known =
            turns.iter().any(|turn| matches!(turn, Turn::Done(Settled { remark: Some(Remark::Beside { .. }), .. })));
        let agrees = |turn: &Turn| match turn {
            Turn::Mixed(runs) => runs.iter().all(|run| run.verdict == runs[0].verdict),
            Turn::Done(_) => false,
        };
        let collides = match indices.len() {
            0 => false,
            _ if is_known => true,
            // One whose verdict is always the same is not flaky, whatever it says beside others.
            1 => turns.iter().any(agrees),
            _ => {
                let again = in_parallel(self.options.jobs, &indices, |index| self.plain(index, None))?;
                again.values().any(|run| run.verdict != Verdict::Pass)
            }
        };
        let mut settled = Vec::new();
        for (index, turn) in turns.into_iter().enumerate() {
            settled.push(match turn {
                Turn::Done(settled) => settled,
                Turn::Mixed(beside) if collides => {
                    Settling { session: self, index, limit: Limit::Given(None) }.alone(beside)?
                }
                Turn::Mixed(beside) => beside.into(),
            });
        }
        Ok(settled)
    }
}

/// Whether runs say the same, and not that something is wrong.
fn is_settled(runs: &[RunSummary]) -> bool {
    let Some(first) = runs.first() else { return true };
    matches!(first.verdict, Verdict::Pass | Verdict::Skip) && runs.iter().all(|run| run.verdict == first.verdict)
}

/// Whether two runs of a test came to the same: alike in why, too, unless that `varies`.
pub(super) fn alike(one: &RunSummary, other: &RunSummary, varies: bool) -> bool {
    one.verdict == other.verdict
        && match one.verdict {
            Verdict::Timeout => true,
            _ if varies => one.status == other.status,
            _ => one.reason == other.reason,
        }
}

/// A test of which further runs, `others`, do not agree with each other or with the first ones.
fn unsteady(runs: Vec<RunSummary>, others: &[&RunSummary]) -> Settled {
    let mut all = runs.iter().chain(others.iter().copied());
    let is_flaky = all.any(|run| run.verdict != runs[0].verdict);
    match stability(&runs) {
        Stability::Stable | Stability::OutputVaries if is_flaky => {
            let verdicts = runs.iter().chain(others.iter().copied()).map(|run| run.verdict.to_string());
            let stability = Stability::Flaky(verdicts.collect::<Vec<_>>().join(", "));
            Settled { runs, stability, remark: None }
        }
        _ => runs.into(),
    }
}

/// A test that is being settled, with nothing beside it.
struct Settling<'s> {
    session: &'s Session<'s>,
    index: usize,
    limit: Limit,
}

impl Settling<'_> {
    fn recorded(&self, number: usize, help: Option<Help>) -> Result<Made, SuiteError> {
        let label = match help {
            None => format!("a{number:04}"),
            Some(Help::Stack) => format!("s{number:04}"),
            Some(Help::Quiet) => format!("q{number:04}"),
        };
        self.session.make(self.index, &label, help, self.limit.time(), Purpose::Settle)
    }

    fn plain(&self) -> Result<RunSummary, SuiteError> {
        self.session.plain(self.index, self.limit.time())
    }

    /// So many recorded runs, the first of them at hand.
    fn repeated(&self, first: Made, times: usize, help: Option<Help>) -> Result<Vec<Made>, SuiteError> {
        let mut made = vec![first];
        for number in 1..times {
            // The first has a smaller number.
            made.push(self.recorded(number + 1, help)?);
        }
        Ok(made)
    }

    /// Makes these the runs that count.
    fn count(&self, made: Vec<Made>) -> Result<Vec<RunSummary>, SuiteError> {
        for (number, made) in made.iter().enumerate() {
            self.session.look(made, number)?;
        }
        Ok(made.into_iter().map(|made| made.summary).collect())
    }

    fn forget(&self, made: &[Made]) -> Result<(), SuiteError> {
        made.iter().try_for_each(|made| self.session.forget(made))
    }

    /// The runs alone of a test that did something else beside others, if they agree.
    fn alone(&self, beside: Vec<RunSummary>) -> Result<Settled, SuiteError> {
        let made = self.repeated(self.recorded(1, None)?, ALONE, None)?;
        if made.iter().any(|one| one.summary.verdict != made[0].summary.verdict) {
            self.forget(&made)?;
            return Ok(unsteady(beside, &made.iter().map(|made| &made.summary).collect::<Vec<_>>()));
        }
        let runs = self.count(made)?;
        let others: Vec<&RunSummary> = beside.iter().filter(|run| !alike(run, &runs[0], false)).collect();
        let remark = others
            .first()
            .map(|run| Remark::Beside { run: Box::new((*run).clone()), times: (others.len(), beside.len()) });
        Ok(Settled { remark, ..runs.into() })
    }

    /// A test that passes whenever it is recorded, and failed without.
    fn of_passing(&self, runs: Vec<RunSummary>) -> Result<Settled, SuiteError> {
        let plain = self.plain()?;
        if plain.verdict == Verdict::Pass {
            // The others were to blame, or chance.
            return Ok(runs.into());
        }
        let (made, again) = (self.recorded(0, None)?, self.plain()?);
        self.forget(std::slice::from_ref(&made))?;
        if (made.summary.verdict, again.verdict) == (Verdict::Pass, plain.verdict) {
            return Ok(Settled { runs, stability: Stability::Unrecorded(Box::new(plain)), remark: None });
        }
        Ok(unsteady(runs, &[&plain, &made.summary, &again]))
    }

    /// A test that does not always pass.
    fn of_failing(&self, runs: Vec<RunSummary>) -> Result<Turn, SuiteError> {
        let varies = stability(&runs) == Stability::OutputVaries;
        let agree = runs.iter().all(|run| run.verdict == runs[0].verdict);
        let plain = self.plain()?;
        if agree && alike(&plain, &runs[0], varies) {
            let varies_beside = !alike(&plain, &runs[0], false) && self.session.has_company(self.index);
            return if varies_beside { self.of_varying(runs, &plain) } else { Ok(Turn::Done(runs.into())) };
        }
        let made = self.recorded(0, None)?;
        if alike(&made.summary, &plain, varies) {
            return self.otherwise_before(runs, &plain, made, varies);
        }
        let second = self.recorded(1, None)?;
        let (steady, again) = (alike(&made.summary, &second.summary, varies), self.plain()?);
        // Recording alone makes no difference where a recorded run did what the plain program does.
        let was_plain = runs.iter().any(|run| alike(run, &plain, varies));
        if was_plain || !steady || !alike(&plain, &again, varies) {
            let seen = [&plain, &made.summary, &second.summary, &again];
            let settled = unsteady(runs, &seen);
            self.forget(&[made, second])?;
            return Ok(Turn::Done(settled));
        }
        self.otherwise_recorded(vec![made, second], plain).map(Turn::Done)
    }

    /// A test that fails with another output each time beside others: if it is the same alone, recorded or not, the others are to blame.
    fn of_varying(&self, runs: Vec<RunSummary>, plain: &RunSummary) -> Result<Turn, SuiteError> {
        let made = self.recorded(0, None)?;
        let is_same = alike(&made.summary, plain, false);
        self.forget(&[made])?;
        if is_same { self.alone(runs).map(Turn::Done) } else { Ok(Turn::Done(runs.into())) }
    }

    /// A test that alone is the same whether it is recorded or not, and was something else before.
    fn otherwise_before(
        &self,
        runs: Vec<RunSummary>,
        plain: &RunSummary,
        made: Made,
        varies: bool,
    ) -> Result<Turn, SuiteError> {
        let now = made.summary.clone();
        let since = runs.iter().rposition(|run| !alike(run, &now, varies)).map_or(0, |last| last + 1);
        let has_company = self.session.has_company(self.index);
        let failed_at_last = matches!(now.verdict, Verdict::Fail) && since > 0 && since < runs.len();
        // One that failed, passed and fails again is no such test.
        if failed_at_last && runs[..since].iter().all(|run| run.verdict == Verdict::Pass) {
            let made = self.repeated(made, ALONE, None)?;
            if !made.iter().all(|one| alike(&one.summary, &now, varies)) {
                self.forget(&made)?;
                return Ok(Turn::Done(unsteady(runs, &made.iter().map(|made| &made.summary).collect::<Vec<_>>())));
            }
            let (before, first) = (&runs[since - 1], &runs[since]);
            let remark = Remark::Since {
                before: Box::new(before.clone()),
                since: first.began,
                changed: changed(self.session.test(self.index), before.began, first.began),
            };
            return Ok(Turn::Done(Settled { remark: Some(remark), ..self.count(made)?.into() }));
        }
        self.forget(&[made])?;
        let mixed = runs.iter().any(|run| alike(run, &now, varies));
        match (has_company, mixed) {
            (true, false) => self.alone(runs).map(Turn::Done),
            (true, true) => Ok(Turn::Mixed(runs)),
            (false, _) => Ok(Turn::Done(unsteady(runs, &[plain, &now]))),
        }
    }

    /// A test that alone is something else when it is recorded, each time.
    fn otherwise_recorded(&self, made: Vec<Made>, plain: RunSummary) -> Result<Settled, SuiteError> {
        let helped = |help| {
            let helped = self.recorded(0, Some(help))?;
            match alike(&helped.summary, &plain, false) {
                true => self.repeated(helped, 2, Some(help)).map(Some),
                false => self.forget(&[helped]).map(|()| None),
            }
        };
        let helps: &[Help] = match made[0].summary.verdict {
            // Recording takes the time; what helps against other ends does not help against that.
            Verdict::Timeout => &[],
            _ => &[Help::Stack, Help::Quiet],
        };
        for &help in helps {
            let Some(with_help) = helped(help)? else { continue };
            if alike(&with_help[1].summary, &plain, false) {
                self.forget(&made)?;
                return Ok(Settled { remark: Some(Remark::Helped(help)), ..self.count(with_help)?.into() });
            }
            self.forget(&with_help)?;
        }
        if made[0].summary.verdict == plain.verdict {
            let counted = self.count(made)?;
            return Ok(Settled { remark: Some(Remark::Otherwise(Box::new(plain))), ..counted.into() });
        }
        Ok(Settled { runs: self.count(made)?, stability: Stability::Unrecorded(Box::new(plain)), remark: None })
    }
}
