//! The trials of one test.

mod replay;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use suspect_format::abi::Mode;
use suspect_format::trial::{Done, PROCESS_CUT, PROCESS_IN_PLACE, PROCESS_LENT, Refusal, TrialResult, common_prefix};

use super::complaint::Complaint;
use super::encode::{Encoded, Sites};
use super::file::{Expected, TrialFile, batch_len, compared};
use super::filter::Filter;
use super::frame::{Answer, Ask, Ran, Stop};
use super::garbage::Garbage;
use super::job::{self, ALL_GATES, Place, Task};
use super::judge::{Finished, Judge, Stream};
use super::prepare::{Found, Preparing, Stand};
use super::{
    BUDGET_FACTOR, End, Executor, Executors, FirstRun, Mutant, Observation, Oracle, Reason, TrialError, Watched,
    Worker, budget, patient_budget, reader,
};
use crate::program::Program;
use crate::suite::{Judging, Suite, Test, Verdict};
pub use replay::{Replayed, Written};

/// A test that is ready for trials. It belongs to no worker: several may run its trials at once.
#[derive(Debug)]
pub struct TestTrials {
    /// Tells tests apart whose files workers have.
    id: u64,
    test: Test,
    stand: Stand,
    oracle: Oracle,
    sites: Sites,
    reason: Option<Reason>,
    longest: u64,
    patience: u64,
    wall_ns: u64,
    busy_ns: u64,
    summary: Summary,
}

/// What a [`Judge`] is made of.
#[derive(Debug)]
struct Summary {
    passes: bool,
    /// It does not end: whatever budget trials are given, it is its own.
    is_cut: bool,
    judging: Judging,
    filter: Option<Arc<Filter>>,
    looks_at: [bool; 2],
    ran: Ran,
    used: u64,
    limit: u64,
    /// See [`Judge::matched`].
    matched: Option<u64>,
    /// What a failing test says of its failure, where its status alone is judged.
    complaint: Option<Complaint>,
    /// The standard output that its driver wants, as far as trials are compared with it.
    wanted: Option<Box<[u8]>>,
}

impl Summary {
    /// What an output is compared with: what is expected, or what it says of its failure; nothing where the test is judged by neither.
    fn expected(&self) -> Expected<'_> {
        let (bytes, on) = match (&self.judging, &self.wanted, &self.complaint) {
            (Judging::Exact { output, .. }, _, _) => (compared(output), 0),
            (_, Some(wanted), _) => (&wanted[..], 0),
            (_, _, Some(Complaint { on, end, .. })) => (&self.ran.outputs[*on].bytes[..*end as usize], *on),
            _ => (&[][..], 0),
        };
        Expected { bytes, on }
    }
}

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// Nanoseconds that a trial may take besides what the oracle took, times [`PATIENCE`]: a backstop for what executes no hooks.
pub(super) const LEAST_WALL: u64 = 2_000_000_000;
/// The same in processor time, of which a busy machine takes none: for what a fork computes without hooks, in the C library say.
const LEAST_BUSY: u64 = 100_000_000;
const PATIENCE: u64 = 20;
/// Nanoseconds more for each tick of a trial's budget, of so many at most. A loop that does little takes two.
const TICK: u64 = 5;
const MOST_TIMED: u64 = 1 << 28;
/// Bytes that an output may have besides what the oracle wrote, times [`GROWTH`].
const LEAST_OUTPUT: u64 = 16 << 20;
const GROWTH: u64 = 4;
/// Bytes of an output that are sent to be judged, at least.
const JUDGED: u64 = 1 << 20;

/// What looks at each observation, and may break off.
type Observed<'a> = dyn FnMut(usize, Observation) -> ControlFlow<()> + 'a;

/// What is known of a test.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its verdict.
    pub verdict: Verdict,
    /// Instrumented processes that it starts, where that is known.
    pub processes: Option<u32>,
    /// Time that a recorded run of it may take, where there is no more.
    pub most: Option<Duration>,
}

impl From<Verdict> for Known {
    fn from(verdict: Verdict) -> Known {
        Known { verdict, processes: None, most: None }
    }
}

impl TestTrials {
    /// Records the test twice and tries it with no mutant, all contained. `recorded` is what is known of it.
    ///
    /// # Errors
    /// As [`FirstRun::record`].
    pub fn prepare(
        worker: &mut Worker,
        suite: &Suite,
        test: &Test,
        recorded: impl Into<Known>,
        program: &Program,
        watched: Watched,
    ) -> Result<TestTrials, TrialError> {
        FirstRun::record(worker, suite, test, recorded.into(), program, watched)?.ready(worker, suite, program)
    }

    /// The trials of a test that was recorded once.
    pub(super) fn of(worker: &mut Worker, preparing: &Preparing, first: Found) -> Result<TestTrials, TrialError> {
        let &Preparing { test, program, known: Known { verdict, .. }, .. } = preparing;
        let mut recording = preparing.record_again(worker, first)?;
        let ran = preparing.calibrate(worker, &mut recording)?;
        let sites = Sites::of(&recording.oracle, program);
        if let (Some(garbage), Verdict::Fail, Mode::Mutants) = (recording.stand.garbage, verdict, sites.mode()) {
            let function = reader::find(preparing, worker, &recording, &sites)?;
            recording.stand.garbage = Some(Garbage { function, ..garbage });
        }
        let written = recording.ran.outputs.iter().map(|output| output.length).max().unwrap_or(0);
        let is_cut = ran.flags & PROCESS_CUT != 0;
        // A driver that shows what it wants looks at that.
        let wanted = test.wanted_output().map(|wanted| compared(wanted).into());
        let complains = verdict == Verdict::Fail && test.may_be_silenced() && wanted.is_none();
        let complaint = Complaint::of(&recording.ran.outputs, recording.looks_at);
        let mut summary = Summary {
            complaint: complaint.filter(|_| complains),
            wanted,
            passes: verdict == Verdict::Pass,
            is_cut,
            filter: None,
            judging: recording.judging,
            looks_at: recording.looks_at,
            ran: recording.ran,
            used: ran.used,
            limit: LEAST_OUTPUT + GROWTH * written,
            matched: None,
        };
        match &summary.judging {
            _ if summary.wanted.is_some() || matches!(summary.judging, Judging::Exact { .. }) => {
                summary.matched = Some(common_prefix(summary.expected().bytes, &summary.ran.outputs[0].bytes) as u64);
            }
            Judging::Filtered { output, .. } => {
                summary.filter = Filter::new(test, output, &summary.ran.outputs[0].bytes)?.map(Arc::new);
                summary.matched = summary.filter.as_ref().map(|filter| filter.matched());
            }
            _ => {}
        }
        let enough = worker.setup().enough;
        let longest = match verdict {
            _ if is_cut => ran.longest / BUDGET_FACTOR,
            Verdict::Pass => ran.longest,
            _ => ran.longest.max(enough / BUDGET_FACTOR),
        };
        let mut trials = TestTrials {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            test: test.clone(),
            stand: recording.stand,
            sites,
            oracle: recording.oracle,
            reason: None,
            longest,
            patience: patient_budget(longest, enough),
            wall_ns: LEAST_WALL + PATIENCE * ran.wall_ns,
            busy_ns: LEAST_BUSY + PATIENCE * ran.wall_ns,
            summary,
        };
        trials.reason = trials.try_plan(worker)?;
        Ok(trials)
    }

    /// The test.
    pub fn test(&self) -> &Test {
        &self.test
    }

    /// What the test does without any mutant.
    pub fn oracle(&self) -> &Oracle {
        &self.oracle
    }

    /// Hooks and ticks of the longest process of the test without any mutant, or a quarter of [`super::Setup::enough`] if that is more and the test
    /// fails; see [`super::budget`].
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// Hooks and ticks that each process of a second trial may execute, where the first one was cut on this failing test.
    pub fn patience(&self) -> u64 {
        self.patience
    }

    /// What the test expects on standard output, as far as trials are compared with it (see [`Observation::matched`]); `None` of a test
    /// that is judged in another way.
    pub fn expected(&self) -> Option<&[u8]> {
        self.summary.matched.map(|_| self.summary.expected().bytes)
    }

    /// [`Observation::matched`] of the test without any mutant.
    pub fn matched(&self) -> Option<u64> {
        self.summary.matched
    }

    /// The mode that the processes of trials run in: [`Mode::Mutants`] if the output alone is watched and all units have that version.
    pub fn mode(&self) -> Mode {
        self.sites.mode()
    }

    /// Whether the trials run in a copy of the test's directory, because the test writes there.
    pub fn is_copied(&self) -> bool {
        matches!(self.stand.room.place, Place::Copy | Place::Around | Place::Over)
    }

    /// What locals begin as where the test's trials run, if that is not zero: then it does not do what is known of it.
    pub fn garbage(&self) -> Option<Garbage> {
        self.stand.garbage
    }

    /// The quickest executor that the test allows, and why it is not [`Executor::Fork`] if it is not.
    pub fn executor(&self) -> (Executor, Option<&Reason>) {
        match &self.reason {
            None => (Executor::Fork, None),
            Some(reason) => (Executor::Exec, Some(reason)),
        }
    }

    /// Runs the mutants and calls `observed` with the index of each and what was seen, in any order, each exactly once unless
    /// it breaks off, which ends the trials under way without a word. `budget`: hooks and ticks for each process, see
    /// [`super::budget`]. Overrides of nodes that [`Oracle::nodes`] does not have, and changes that have no meaning for the kind of
    /// value or operation, are not applied: without others the run is the oracle's.
    ///
    /// What is seen depends on the mutant and the budget alone: not on the worker, the executor or the other mutants. (But for
    /// [`Observation::passes`]: where the test is judged by its output in other ways than comparing it, only the reference can tell; see
    /// [`Executors::Decided`].)
    ///
    /// # Errors
    /// When the worker cannot be kept alive, or the system refuses files. A trial whose own worker died twice is [`super::End::Unknown`].
    pub fn run(
        &self,
        worker: &mut Worker,
        mutants: &[Mutant],
        executors: Executors,
        budget: u64,
        observed: &mut dyn FnMut(usize, Observation) -> ControlFlow<()>,
    ) -> Result<(), TrialError> {
        let forked = executors != Executors::Exec && self.reason.is_none();
        let executor = if forked { Executor::Fork } else { Executor::Exec };
        let judge = self.judge();
        let encoded: Vec<Option<Encoded>> =
            mutants.iter().map(|one| Encoded::of(one, &self.oracle, &self.sites)).collect();
        let mut due: Vec<(usize, &Encoded)> = Vec::new();
        for (index, one) in encoded.iter().enumerate() {
            match one {
                Some(one) => due.push((index, one)),
                None if observed(index, judge.same(executor)).is_break() => return Ok(()),
                None => {}
            }
        }
        due.sort_by_key(|(index, one)| (one.site(), *index));
        let context = Context { trials: self, judge: &judge, budget, decided: executors == Executors::Decided };
        let mut rest = &due[..];
        while !rest.is_empty() {
            let encoded: Vec<&Encoded> = rest.iter().map(|(_, one)| *one).collect();
            let (batch, after) = rest.split_at(batch_len(&encoded).max(1));
            let left = if forked { Forks.run(&context, worker, batch, observed)? } else { Left::These(batch.to_vec()) };
            let Left::These(left) = left else { return Ok(()) };
            if !left.is_empty()
                && let Left::Stopped = Trees.run(&context, worker, &left, observed)?
            {
                return Ok(());
            }
            rest = after;
        }
        Ok(())
    }

    fn judge(&self) -> Judge {
        let Summary { passes, is_cut, judging, filter, looks_at, ran, used, limit, matched, complaint, .. } =
            &self.summary;
        Judge {
            test: self.test.clone(),
            passes: *passes,
            is_cut: *is_cut,
            judging: judging.clone(),
            filter: filter.clone(),
            looks_at: *looks_at,
            status: ran.status.unwrap_or(0),
            outputs: ran.outputs.clone(),
            used: *used,
            matched: *matched,
            complaint: complaint.clone(),
            n_nodes: self.oracle.n_compared(),
            limit: *limit,
            ends: RefCell::new(HashMap::new()),
        }
    }

    /// Bytes of an output that are kept of a trial to be judged.
    fn kept(&self) -> u64 {
        let expected = self.summary.filter.as_ref().map_or(0, |filter| filter.expects());
        JUDGED.max(GROWTH * expected.max(self.summary.ran.outputs[0].length)).min(self.summary.limit)
    }

    fn stop(&self, budget: u64) -> Stop {
        let keep = if self.summary.judging.needs_output() { self.kept() } else { 0 };
        let ticks = budget.min(MOST_TIMED) * TICK;
        let (wall_ns, busy_ns) = (self.wall_ns + ticks, self.busy_ns + ticks);
        Stop { wall_ns, busy_ns, output_limit: self.summary.limit, keep, budget }
    }

    /// Makes the worker ready for trials of this test; the tool's side of their file.
    fn load<'w>(&self, worker: &'w mut Worker) -> Result<&'w mut TrialFile, TrialError> {
        if worker.loaded.as_ref().is_none_or(|(id, _)| *id != self.id) {
            let path = worker.file("trial");
            let file = TrialFile::create(&path, &self.oracle, &self.sites, self.summary.expected())?;
            let memory = job::memory_for(self.summary.ran.peak, worker.setup().memory);
            let task = Task::Trial(&path, self.stand.fill(), ALL_GATES);
            job::set(worker, &self.test, self.stand.room, task, memory)?;
            worker.loaded = Some((self.id, file));
        }
        let loaded = worker.loaded.as_mut().map(|(_, file)| file);
        loaded.ok_or_else(|| TrialError::Worker { problem: "died while it was given a test".into() })
    }

    /// Why the test cannot be a plan, by trying one without mutants.
    fn try_plan(&self, worker: &mut Worker) -> Result<Option<Reason>, TrialError> {
        if self.oracle.n_processes() != 1 {
            return Ok(Some(Reason::Processes));
        }
        if self.oracle.n_threads() > 1 {
            return Ok(Some(Reason::Threads));
        }
        self.load(worker)?.set_mutants(&[]);
        let budget = if self.summary.is_cut { budget(self.longest, true) } else { u64::MAX };
        let ran = job::run(worker, &self.test, &Ask::Plan(self.stop(budget)))?;
        Ok(self.plan_failed(&ran, self.load(worker)?))
    }

    /// Why a plan's run was not the oracle's, if it was not.
    fn plan_failed(&self, ran: &Ran, file: &TrialFile) -> Option<Reason> {
        let seen = file.seen();
        let is = |refusal: Refusal| seen.refusal == refusal as u32;
        let differs = |what: &str| Some(Reason::Differs(what.into()));
        let written = |at: usize| {
            let (one, two) = (&ran.outputs[at], &self.summary.ran.outputs[at]);
            self.summary.looks_at[at] && (one.length, one.hash) != (two.length, two.hash)
        };
        match ran.status {
            _ if is(Refusal::Call) => Some(Reason::Call(seen.refused_call)),
            _ if is(Refusal::Threads) => Some(Reason::Threads),
            _ if is(Refusal::Descriptor) => Some(Reason::Descriptor),
            _ if is(Refusal::NotFirst) => Some(Reason::Processes),
            _ if !is(Refusal::None) => Some(Reason::Kernel),
            None => differs("it does not end"),
            Some(status) if status & 0x7f == libc::SIGSYS && Some(status) != self.summary.ran.status => {
                Some(Reason::Call(0))
            }
            status if status != self.summary.ran.status => differs("it ends in another way"),
            _ if written(0) || written(1) => differs("it writes something else"),
            _ if !file.plan_is_oracle() => differs("its nodes take other values"),
            _ => None,
        }
    }
}

/// What is common to the trials of one call.
struct Context<'a> {
    trials: &'a TestTrials,
    judge: &'a Judge,
    budget: u64,
    /// Whether the reference runs what forks cannot judge.
    decided: bool,
}

impl Context<'_> {
    fn is_undecided(&self, seen: &Observation) -> bool {
        self.decided && seen.passes.is_none() && seen.end != End::Unknown && self.judge.judging.needs_output()
    }
}

/// Mutants that are due: their indices, as the caller numbers them.
type Batch<'a> = [(usize, &'a Encoded)];

/// What is left of a batch.
enum Left<'a> {
    /// These could not be run.
    These(Vec<(usize, &'a Encoded)>),
    /// The caller has broken off.
    Stopped,
}

/// A way to run a batch of mutants of one test: the seam for further executors.
trait Runs {
    /// Runs a batch, sorted by site, that fits into the test's file; tells what was observed, and which of them it cannot run.
    fn run<'b>(
        &self,
        context: &Context,
        worker: &mut Worker,
        batch: &Batch<'b>,
        observed: &mut Observed,
    ) -> Result<Left<'b>, TrialError>;
}

/// A process tree for each.
struct Trees;

impl Runs for Trees {
    fn run<'b>(
        &self,
        context: &Context,
        worker: &mut Worker,
        batch: &Batch<'b>,
        observed: &mut Observed,
    ) -> Result<Left<'b>, TrialError> {
        // What happened to the worker or the machine says nothing of the mutant: it gets a second run.
        let mut lost = HashSet::new();
        let mut first = |index: usize, observation: Observation| {
            if observation.end == End::Unknown && !observation.applied {
                lost.insert(index);
                return ControlFlow::Continue(());
            }
            observed(index, observation)
        };
        if let Left::Stopped = run_trees(context, worker, batch, &mut first)? {
            return Ok(Left::Stopped);
        }
        let again: Vec<_> = batch.iter().filter(|(index, _)| lost.contains(index)).copied().collect();
        run_trees(context, worker, &again, observed)
    }
}

/// Runs each of a batch once; one during which the worker dies is unknown.
fn run_trees<'b>(
    context: &Context,
    worker: &mut Worker,
    batch: &Batch<'b>,
    observed: &mut Observed,
) -> Result<Left<'b>, TrialError> {
    let Context { trials, judge, budget, .. } = context;
    let encoded: Vec<&Encoded> = batch.iter().map(|(_, one)| *one).collect();
    let mut next = 0;
    while next < batch.len() {
        trials.load(worker)?.set_mutants(&encoded);
        let ask = Ask::Exec(Some((next as u32, batch.len() as u32)), trials.stop(*budget));
        let mut alive = worker.ask(&ask)?.is_ok();
        while alive && next < batch.len() {
            let observation = match worker.answer() {
                Ok(Answer::Ran(ran)) => judge.observe(Finished::of_tree(ran, trials.summary.judging.needs_output())),
                Ok(Answer::Refused(problem)) => {
                    return Err(TrialError::Worker { problem: format!("cannot run a trial: {problem}") });
                }
                Err(_) if worker.is_over() => return Ok(Left::Stopped),
                Ok(Answer::Understood) | Err(_) => {
                    alive = false;
                    worker.stop();
                    judge.unknown(Executor::Exec, false)
                }
            };
            next += 1;
            if observed(batch[next - 1].0, observation).is_break() {
                if next < batch.len() {
                    worker.stop();
                }
                return Ok(Left::Stopped);
            }
        }
    }
    Ok(Left::These(Vec::new()))
}

/// A child of the test's own run where the mutant first changes something.
struct Forks;

impl Runs for Forks {
    fn run<'b>(
        &self,
        context: &Context,
        worker: &mut Worker,
        batch: &Batch<'b>,
        observed: &mut Observed,
    ) -> Result<Left<'b>, TrialError> {
        let Context { trials, judge, budget, .. } = context;
        let encoded: Vec<&Encoded> = batch.iter().map(|(_, one)| *one).collect();
        trials.load(worker)?.set_mutants(&encoded);
        let ask = Ask::Plan(trials.stop(*budget));
        let answer = if worker.ask(&ask)?.is_ok() { worker.answer().ok() } else { None };
        let ran = match answer {
            Some(Answer::Ran(ran)) => ran,
            None if worker.is_over() => return Ok(Left::Stopped),
            _ => return Ok(Left::These(batch.to_vec())),
        };
        let file = trials.load(worker)?;
        if trials.plan_failed(&ran, file).is_some() {
            return Ok(Left::These(batch.to_vec()));
        }
        let mut left = Vec::new();
        for (at, (index, one)) in batch.iter().enumerate() {
            let (result, changed) = file.result(at);
            let observation = match result.done {
                done if done == Done::Ran as u32 => {
                    let seen = judge.observe(forked(&result, changed));
                    if context.is_undecided(&seen) {
                        left.push((*index, *one));
                        continue;
                    }
                    seen
                }
                done if done == Done::Same as u32 || done == Done::Not as u32 => judge.same(Executor::Fork),
                done if done == Done::TimedOut as u32 => judge.unknown(executor(&result), true),
                _ => {
                    left.push((*index, *one));
                    continue;
                }
            };
            if observed(*index, observation).is_break() {
                return Ok(Left::Stopped);
            }
        }
        Ok(Left::These(left))
    }
}

fn executor(result: &TrialResult) -> Executor {
    match result.flags {
        flags if flags & PROCESS_IN_PLACE != 0 => Executor::InPlace,
        flags if flags & PROCESS_LENT != 0 => Executor::Lent,
        _ => Executor::Fork,
    }
}

fn forked(result: &TrialResult, changed: Box<[u64]>) -> Finished {
    let stream = |at: usize| Stream { length: result.lengths[at], before: result.before[at], hash: result.hashes[at] };
    Finished {
        executor: executor(result),
        status: Some(result.status),
        flags: result.flags,
        used: result.used,
        changed,
        streams: [stream(0), stream(1)],
        matched: result.matched,
        otherwise: result.otherwise,
        captured: None,
    }
}
