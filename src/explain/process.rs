//! Patched runs as processes: the program runs again, with the other run's values written where the cause point is.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::Path;

use suspect_format::external::Role;
use suspect_format::plan::{Divergence, Ended, Point, WHEN_AFTER, WHEN_BEFORE, WHEN_CALLED, Watched};
use suspect_format::record::STATUS_THREADS;

use super::Case;
use crate::comparison::{Difference, Effect, NONE, Plan, Side, Stop, Value, Verdict, Watch};
use crate::obstacle::Obstacle;
use crate::recording::{Addresses, Code, Kind, Site, lent_texts, position};
use crate::trial;

/// Starts patched processes of a case.
pub struct Processes<'c, 'a> {
    case: &'c Case<'a>,
    guide: trial::Guide,
    /// Positions that were looked up: every patched run of a step asks for the same ones, and finding one takes a walk over the recordings.
    positions: RefCell<HashMap<[u32; 2], Point>>,
    failed: RefCell<Option<trial::TrialError>>,
    /// Of each side.
    unsteady: [Unsteady; 2],
}

/// Signs that processes do not do the same each time.
#[derive(Default)]
struct Unsteady {
    /// True if they ever did not.
    ever: Cell<bool>,
    /// The last ones went another way than their own recorded run before anything was patched.
    parted: Cell<usize>,
}

/// So many processes in a row may part: what is other from run to run without being asked for, such as the numbers of new files, seldom
/// matters. Where each of them parts it is the recorded run that was the odd one.
const PATIENCE: usize = 4;

/// Where an effect is looked at in a process.
struct Look {
    points: [u32; 2],
    when: u32,
    /// For each watched value: which argument of the call it is, or where it lies.
    values: Vec<Looked>,
    /// True if the outcome of the step is a value, too.
    outcome: bool,
}

enum Looked {
    Argument(usize),
    Memory { address: u64, length: u32, pointer: bool },
}

impl<'c, 'a> Processes<'c, 'a> {
    /// Writes the guide for `case` into the directory `to`; nothing if the tests cannot be run again contained.
    pub fn new(case: &'c Case<'a>, to: &Path) -> Result<Option<Self>, Obstacle> {
        if case.recorded.iter().any(|recorded| recorded.runs.is_none()) {
            return Ok(None);
        }
        let plan = Plan::of(case.pair, |site| case.code.decides(site));
        let divergences: Vec<Divergence> = plan
            .divergences
            .iter()
            .map(|one| Divergence { at: one.at, arms: one.arms, decided: u32::from(one.decided), reserved: 0 })
            .collect();
        let outcomes = plan.outcomes.each_ref().map(Vec::as_slice);
        let guide =
            trial::Guide::write(&to.join("guide"), outcomes, &divergences).map_err(Obstacle::of(Obstacle::File))?;
        Ok(Some(Self {
            case,
            guide,
            positions: RefCell::default(),
            failed: RefCell::new(None),
            unsteady: Default::default(),
        }))
    }

    /// Runs the test of `side` again with the other run's values of `patch` just before the points `cause`; nothing if a process cannot
    /// be asked that. Under guard rails, or with the program's own course.
    pub fn run(
        &self,
        side: Side,
        cause: [u32; 2],
        patch: &[&Difference],
        effect: &Effect,
        guided: bool,
    ) -> Option<Verdict> {
        let look = self.look(side, effect)?;
        let bytes = match self.patch(side, cause, patch) {
            Ok(bytes) => bytes,
            Err(Stop::MissingObject) if self.is_memory(patch) => return Some(Verdict::Unresolved(Stop::MissingObject)),
            Err(_) => return None,
        };
        let place = if guided {
            trial::Place::Point(self.position(look.points))
        } else {
            self.counted(side, cause, look.points)?
        };
        let plan = self.plan(side, cause, (place, &look), vec![bytes], guided);
        self.carry_out(side, effect, &look, plan, false)?.into_iter().next()
    }

    /// The same, under guard rails, of all that a step is to be proved by. A process that shows nothing may do so for another reason than the
    /// patch, so it is run once more, and more often where processes are known not to do the same each time.
    pub fn run_whole(&self, side: Side, cause: [u32; 2], patch: &[&Difference], effect: &Effect) -> Option<Verdict> {
        use Stop::{ControlConfounded, Desync, EffectNotReached};
        let may_be_odd = |verdict: &Verdict| {
            let lost = Verdict::Unresolved;
            *verdict == Verdict::NotInduced || [ControlConfounded, Desync, EffectNotReached].map(lost).contains(verdict)
        };
        let mut verdict = self.run(side, cause, patch, effect, true)?;
        for more in 1..PATIENCE {
            if !may_be_odd(&verdict) || (more > 1 && !self.is_unsteady(side)) {
                break;
            }
            let again = self.run(side, cause, patch, effect, true)?;
            if again != verdict {
                self.unsteady[side.index()].ever.set(true);
            }
            verdict = again;
        }
        Some(verdict)
    }

    /// The same, under guard rails, for each of several patches by a child that is forked at the cause point; nothing if one of them cannot be
    /// asked of a process. Right where [`Self::may_fork`].
    pub fn run_forked(
        &self,
        side: Side,
        cause: [u32; 2],
        patches: &[Vec<&Difference>],
        effect: &Effect,
    ) -> Option<Vec<Verdict>> {
        let look = self.look(side, effect)?;
        let tests = patches.iter().map(|patch| self.patch(side, cause, patch).ok()).collect::<Option<_>>()?;
        let place = trial::Place::Point(self.position(look.points));
        let plan = self.plan(side, cause, (place, &look), tests, true);
        self.carry_out(side, effect, &look, plan, true).filter(|verdicts| verdicts.len() == patches.len())
    }

    fn plan(
        &self,
        side: Side,
        cause: [u32; 2],
        (place, look): (trial::Place, &Look),
        tests: Vec<Vec<(u64, Vec<u8>)>>,
        guided: bool,
    ) -> trial::Plan<'_> {
        let watched = look.values.iter().filter_map(|value| match value {
            Looked::Memory { address, length, .. } => {
                Some(Watched { address: *address, length: *length, argument: suspect_format::plan::NO_ARGUMENT })
            }
            Looked::Argument(_) => None,
        });
        let recorded = self.case.recorded[side.index()];
        let mut plan = trial::Plan {
            process: recorded.process,
            side: side.index(),
            guide: guided.then_some(&self.guide),
            cause: Some(self.position(cause)),
            effect: Some((place, look.when)),
            watched: watched.collect(),
            texts: lent_texts(self.case.runs, side),
            tests,
            ..trial::Plan::default()
        };
        if let Some(change) = recorded.change {
            change.put_into(&mut plan);
        }
        plan
    }

    fn carry_out(
        &self,
        side: Side,
        effect: &Effect,
        look: &Look,
        plan: trial::Plan<'_>,
        forked: bool,
    ) -> Option<Vec<Verdict>> {
        match self.answers(side, plan, forked) {
            Ok(answered) => {
                let judged = |answered| effect.judge(side, self.values(side, effect, look, answered));
                Some(answered?.iter().map(judged).collect())
            }
            Err(error) => {
                *self.failed.borrow_mut() = Some(error);
                None
            }
        }
    }

    /// The answers of a plan's tests; a test whose process parted is run again.
    fn answers(
        &self,
        side: Side,
        mut plan: trial::Plan<'_>,
        forked: bool,
    ) -> Result<Option<Vec<trial::Answered>>, trial::TrialError> {
        let run =
            |plan: &trial::Plan<'_>, forked| self.case.room.patched(self.case.recorded[side.index()], plan, forked);
        let Some(mut all) = run(&plan, forked)? else { return Ok(None) };
        for (answered, test) in all.iter_mut().zip(std::mem::take(&mut plan.tests)) {
            plan.tests = vec![test];
            while self.is_to_run_again(side, answered)
                && let Some(again) = run(&plan, false)?.and_then(|again| again.into_iter().next())
            {
                *answered = again;
            }
        }
        Ok(Some(all))
    }

    fn is_to_run_again(&self, side: Side, answered: &trial::Answered) -> bool {
        let Unsteady { ever, parted } = &self.unsteady[side.index()];
        if answered.ended != Ended::Parted {
            parted.set(0);
            return false;
        }
        ever.set(true);
        parted.set(parted.get() + 1);
        parted.get() < PATIENCE
    }

    /// True if processes do not always do what the recorded run of `side` did.
    pub fn is_unsteady(&self, side: Side) -> bool {
        self.unsteady[side.index()].ever.get()
    }

    /// True if processes can be forked at the points `cause` and go on to the effect beside each other: no other thread runs, no memory is
    /// shared, and nothing in between, in either run, has to do with the outside but by writing what nobody reads.
    pub fn may_fork(&self, cause: [u32; 2], effect: &Effect) -> bool {
        Side::BOTH.into_iter().all(|side| {
            let (run, at) = (&self.case.runs.runs[side.index()], side.index());
            let from = cause[at];
            let harmless = |point: u32| is_harmless(self.case.code, run.site(point), point >= from);
            let threads = self.case.recorded[at].recording.header().status & STATUS_THREADS != 0;
            !threads && (1..=effect.points[at]).all(harmless)
        })
    }

    /// True if a difference is in memory that both processes have at the cause point, and its value can be given to that of `side`.
    pub fn can_patch(&self, side: Side, cause: [u32; 2], difference: &Difference) -> bool {
        self.patch(side, cause, &[difference]).is_ok()
    }

    /// The reason why processes could not be started, if they could not.
    pub fn failed(self) -> Option<String> {
        self.failed.into_inner().map(|error| error.to_string())
    }

    fn position(&self, points: [u32; 2]) -> Point {
        let find = || position(self.case.code, self.case.runs, points);
        *self.positions.borrow_mut().entry(points).or_insert_with(find)
    }

    /// The number of times that the effect's step is begun from the cause on, in the recorded run.
    fn counted(&self, side: Side, cause: [u32; 2], effect: [u32; 2]) -> Option<trial::Place> {
        let run = &self.case.runs.runs[side.index()];
        let site = run.site(effect[side.index()]);
        let Site::Step(step) = self.case.code.what(site) else { return None };
        let native = if side == Side::First { self.case.code.twins.native(step) } else { step };
        let function = &self.case.code.functions[self.case.code.steps[native as usize].function as usize];
        let points = cause[side.index()]..=effect[side.index()];
        let count = points.filter(|point| run.site(*point) == site).count() as u32;
        Some(trial::Place::Step { function: function.id, step: native - function.steps.start, count })
    }

    fn is_memory(&self, patch: &[&Difference]) -> bool {
        let kinds = &self.case.runs.naming.kinds;
        let names = &self.case.runs.naming.names;
        patch.iter().all(|one| {
            !matches!(kinds.get(names.place(one.location).object as usize), Some(Kind::Arguments { .. }) | None)
        })
    }

    fn patch(&self, side: Side, cause: [u32; 2], patch: &[&Difference]) -> Result<Vec<(u64, Vec<u8>)>, Stop> {
        let here = Addresses::at(self.case.runs, side, cause[side.index()]);
        let names = &self.case.runs.naming.names;
        let one = |difference: &&Difference| {
            let place = names.place(difference.location);
            let bits = here.bits(difference.values[side.other().index()])?;
            let (length, _) = here.cell(place);
            Ok((here.of(place)?, bits.to_le_bytes()[..length as usize].to_vec()))
        };
        patch.iter().map(one).collect()
    }

    /// The step of a call that a return belongs to.
    fn call_of(&self, side: Side, returned: u32, step: u32) -> Option<u32> {
        let run = &self.case.runs.runs[side.index()];
        let site = self.case.code.site(Site::Step(step));
        (1..returned).rev().find(|point| run.site(*point) == site)
    }

    fn look(&self, side: Side, effect: &Effect) -> Option<Look> {
        let run = &self.case.runs.runs[side.index()];
        let here = Addresses::at(self.case.runs, side, effect.points[side.index()]);
        let site = run.site(effect.points[side.index()]);
        let (points, called) = match self.case.code.what(site) {
            Site::Step(_) => (effect.points, false),
            Site::Returned(step) if self.case.code.is_hooked_call(step) => {
                let calls = Side::BOTH.map(|side| self.call_of(side, effect.points[side.index()], step));
                ([calls[0]?, calls[1]?], true)
            }
            _ => return None,
        };
        match &effect.watch {
            Watch::Locations(locations) => {
                let values = locations.iter().map(|location| self.looked(&here, *location, called));
                let when = if called { WHEN_CALLED } else { WHEN_BEFORE };
                Some(Look { points, when, values: values.collect::<Option<_>>()?, outcome: false })
            }
            Watch::Result => {
                let Site::Step(step) = self.case.code.what(site) else { return None };
                let written = run.written(points[side.index()]).map(|write| run.location(write));
                if self.case.code.is_hooked_call(step) {
                    let values = written.map(|location| self.looked(&here, location, true));
                    return Some(Look {
                        points,
                        when: WHEN_CALLED,
                        values: values.collect::<Option<_>>()?,
                        outcome: true,
                    });
                }
                let simple = run.outcome(points[side.index()]) != NONE || self.case.code.is_store(step);
                let values = written.map(|location| self.looked(&here, location, false));
                let values = values.collect::<Option<_>>()?;
                simple.then_some(Look { points, when: WHEN_AFTER, values, outcome: true })
            }
        }
    }

    fn looked(&self, here: &Addresses<'_>, location: u32, called: bool) -> Option<Looked> {
        let place = self.case.runs.naming.names.place(location);
        if let Some(Kind::Arguments { .. }) = self.case.runs.naming.kinds.get(place.object as usize) {
            return called.then_some(Looked::Argument(place.offset as usize / 8));
        }
        let (length, pointer) = here.cell(place);
        Some(Looked::Memory { address: here.of(place).ok()?, length, pointer })
    }

    fn values(&self, side: Side, effect: &Effect, look: &Look, answered: &trial::Answered) -> Result<Vec<Value>, Stop> {
        match answered.ended {
            Ended::Effect => {}
            Ended::Confounded => return Err(Stop::ControlConfounded),
            Ended::Desync => return Err(Stop::Desync),
            Ended::Parted => return Err(Stop::Parted),
            Ended::NoMemory => return Err(Stop::MissingObject),
            Ended::Nowhere | Ended::Patched => return Err(Stop::EffectNotReached),
            Ended::TimedOut => return Err(Stop::OutOfTime),
            Ended::Refused | Ended::Left => return Err(Stop::Broken),
        }
        let here = Addresses::at(self.case.runs, side, effect.points[side.index()]);
        let mut memory = answered.watched.iter();
        let mut values = Vec::new();
        for (number, looked) in look.values.iter().enumerate() {
            // Nobody knows what the other run has there.
            let unknown = effect.values[side.other().index()].get(number) == Some(&Value::Undefined);
            values.push(match looked {
                Looked::Argument(number) => {
                    let word = answered.arguments.get(*number).copied().ok_or(Stop::Unknown)?;
                    here.value(word, true)
                }
                Looked::Memory { pointer, .. } => {
                    let bytes = memory.next().ok_or(Stop::Unknown)?;
                    let bits = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                    if unknown { Value::Undefined } else { here.value(bits, *pointer) }
                }
            });
        }
        if look.outcome {
            values.push(Value::Number(answered.outcome.unwrap_or(u64::from(NONE))));
        }
        Ok(values)
    }
}

/// True if processes that were forked may go beside each other past a site that comes before, or `behind`, the place where they are forked.
fn is_harmless(code: &Code, site: u32, behind: bool) -> bool {
    let (Site::Step(step) | Site::Returned(step)) = code.what(site) else { return true };
    if !code.is_hooked_call(step) {
        return true;
    }
    let name = code.called_symbol(step).unwrap_or_default();
    if !behind {
        return !["mmap", "mmap64", "shmat"].contains(&name);
    }
    match (code.what(site), code.role(site)) {
        (_, Some(Role::Plain | Role::Ends | Role::Aborts | Role::Jumps)) => true,
        (_, Some(Role::Output)) => ["print", "put", "write", "perror", "warn"].iter().any(|part| name.contains(part)),
        // What is called may be recorded itself, and then returns unseen.
        (Site::Step(_), None) => true,
        _ => false,
    }
}
