//! Getting a test ready: where it runs, its oracle, which executor it allows.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::time::Duration;

use suspect_format::abi::Mode;
use suspect_format::trial::{PROCESS_CUT, Refusal};

use super::encode::Sites;
use super::file::{Expected, TrialFile};
use super::frame::{Ask, Ran, Stop, Written};
use super::garbage::{BYTES, Garbage};
use super::job::{self, ALL_GATES, Place, Room, Task};
use super::oracle::Recording;
use super::{Known, Oracle, TrialError, Watched, Worker};
use crate::exec::{Outcome, Output, Status, is_small};
use crate::program::Program;
use crate::suite::{Judging, ScratchKind, Suite, Test, Verdict};

/// Bytes of an output that are kept of the oracle's runs.
const KEPT: u64 = 256 << 20;
/// Bytes for values at the first try. They are reserved and given back for each process, which takes nearly a millisecond.
const FIRST_LOG: u64 = 1 << 20;

/// Where a test's trials run, and what locals begin as there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stand {
    pub room: Room,
    /// Nothing where they begin as zero.
    pub garbage: Option<Garbage>,
}

impl Stand {
    /// The byte that locals begin as.
    pub(super) fn fill(&self) -> u8 {
        self.garbage.map_or(0, |garbage| garbage.byte)
    }
}

/// How a run differs from what is known of the test.
#[derive(Debug)]
pub(super) struct Difference {
    pub why: String,
    /// Its verdict and that in words, if it is another one.
    pub verdict: Option<(Verdict, String)>,
}

/// A run that had another verdict than is known where locals began as zero.
#[derive(Clone, Debug)]
struct Surprise {
    room: Room,
    verdict: Verdict,
    /// With its reason.
    words: String,
    wall_ns: u64,
}

/// Where a test does what is known of it, as a run of it showed.
pub(super) type Found = (Stand, (Recording, Ran));

/// A test that has been recorded.
pub(super) struct Recorded {
    pub oracle: Oracle,
    pub stand: Stand,
    pub ran: Ran,
    /// Which of standard output and error the test looks at.
    pub looks_at: [bool; 2],
    pub judging: Judging,
}

impl Recorded {
    /// How `ran` differs in what the test looks at.
    fn departure(&self, test: &Test, ran: &Ran) -> Option<&'static str> {
        let differs = |at: &usize| self.looks_at[*at] && !are_alike(test, *at, ran, &self.ran);
        if ran.status != self.ran.status {
            return Some("it ends differently as a trial without mutant");
        }
        (0..self.looks_at.len()).find(differs).map(|_| "its output differs as a trial without mutant")
    }
}

/// Whether a test sees no difference in what two runs wrote to one stream: times or addresses that its filter takes away are none.
fn are_alike(test: &Test, stream: usize, one: &Ran, other: &Ran) -> bool {
    let (one, other) = (&one.outputs[stream], &other.outputs[stream]);
    let is_whole = |written: &Written| written.bytes.len() as u64 == written.length;
    if one == other || stream != 0 || !test.has_filter() || !is_whole(one) || !is_whole(other) {
        return one == other;
    }
    let filtered = |written: &Written| test.filtered(&written.bytes).ok().flatten();
    matches!((filtered(one), filtered(other)), (Some(one), Some(other)) if one == other)
}

/// Where a test's trials may run, the likeliest first.
pub(super) fn places(test: &Test, worker: &mut Worker) -> Vec<Place> {
    let most = worker.setup().copied;
    let covered = Place::Over.copied(test).filter(|directory| worker.can_cover(directory));
    let mut is_small = |directory: &Path| worker.is_small(directory, |directory| is_small(directory, most));
    let mut places = match test.works_in() {
        ScratchKind::Empty => return vec![Place::Empty],
        ScratchKind::Copy => return vec![Place::Copy],
        ScratchKind::None if is_small(&test.dir) => vec![Place::Copy, Place::Itself],
        ScratchKind::None => vec![Place::Itself, Place::Copy],
    };
    if covered.is_some_and(&mut is_small) {
        places.push(Place::Over);
    }
    if test.around().is_some_and(is_small) {
        places.push(Place::Around);
    }
    places
}

/// How the verdict on a run differs from the one that is known.
pub(super) fn difference(
    suite: &Suite,
    test: &Test,
    known: Verdict,
    worker: &Worker,
    ran: &Ran,
) -> Result<Option<Difference>, TrialError> {
    let (verdict, reason) = suite.judge(test, worker.scratch(), &outcome(ran))?;
    let because = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    Ok((verdict != known).then(|| Difference {
        why: format!(
            "it was recorded as `{known}` and now is `{verdict}`{because}; mutants run without sockets, and write into \
             their directory, TMPDIR and /tmp only; where they are recorded locals begin as 0"
        ),
        verdict: Some((verdict, format!("`{verdict}`{because}"))),
    }))
}

/// What tells a failure from the one that is known: a script that cannot write where it has to fails like any other.
pub(super) fn other_failure(verdict: Verdict, known: Option<u32>, now: usize) -> Option<Difference> {
    let known = known.filter(|known| verdict == Verdict::Fail && *known as usize != now)?;
    let why = format!(
        "it fails where mutants run, too, but with {now} instead of {known} instrumented processes: mutants run without sockets, and write \
         into their directory, TMPDIR and /tmp only"
    );
    Some(Difference { why, verdict: None })
}

/// Gets a test ready.
pub(super) struct Preparing<'a> {
    pub suite: &'a Suite,
    pub test: &'a Test,
    pub known: Known,
    pub program: &'a Program,
    pub watched: Watched,
}

impl Preparing<'_> {
    fn different(&self, why: impl Into<String>) -> TrialError {
        TrialError::NotReproducible { test: self.test.name.clone(), why: why.into() }
    }

    /// Finds out where the test's trials are to run, and records it there.
    pub(super) fn record(&self, worker: &mut Worker) -> Result<Found, TrialError> {
        let unsupported = |why: &str| TrialError::Unsupported { test: self.test.name.clone(), why: why.into() };
        match self.known.verdict {
            Verdict::Pass | Verdict::Fail => {}
            Verdict::Timeout if self.cut_at(worker).is_some() => {}
            Verdict::Timeout => {
                return Err(unsupported("it does not end, or runs many times as long as any passing test"));
            }
            Verdict::Skip | Verdict::Error => return Err(unsupported("it neither passes nor fails")),
        }
        self.find_stand(worker)
    }

    /// Records the test once more: what differs from the first run is left out.
    pub(super) fn record_again(
        &self,
        worker: &mut Worker,
        (stand, (first, ran)): Found,
    ) -> Result<Recorded, TrialError> {
        let (second, again) = self.record_once(worker, stand, first.taken.0, self.patience())?;
        let judging = self.suite.judging(self.test, worker.scratch())?;
        let mut looks_at = self.test.looks_at();
        for (stream, looked) in looks_at.iter_mut().enumerate().filter(|(_, looked)| **looked) {
            if !are_alike(self.test, stream, &ran, &again) && self.known.verdict != Verdict::Timeout {
                match judging {
                    // What it writes does not count; whether it changes cannot be told.
                    Judging::Status => *looked = false,
                    // Times and seeds beside what it says of the case.
                    _ if self.test.is_judged_by_case() => *looked = false,
                    _ if self.may_fail_otherwise() => {}
                    _ => return Err(self.different("its output differs from run to run")),
                }
            }
        }
        if ran.status != again.status && self.known.verdict != Verdict::Timeout && !self.may_fail_otherwise() {
            return Err(self.different("it ends in different ways"));
        }
        Ok(Recorded { oracle: Oracle::of(first, &second), stand, ran, looks_at, judging })
    }

    /// Where the test has the verdict that is known of it, and the recording that showed it: where it was found to have it before, or else by
    /// looking, first with locals that begin as zero.
    fn find_stand(&self, worker: &mut Worker) -> Result<Found, TrialError> {
        let key = (self.test.dir.clone(), self.test.name.clone());
        if let Some(stand) = worker.stands.get(&key).copied()
            && let Ok((recording, ran)) = self.record_once(worker, stand, 0, self.patience())
            && self.differs(worker, &recording, &ran)?.is_none()
        {
            return Ok((stand, (recording, ran)));
        }
        let places = places(self.test, worker);
        let mut surprises = Vec::new();
        let found = match self.look_for_place(worker, &places, &mut surprises) {
            Err(error) if error.is_of_test() && self.may_need_garbage(&surprises) => {
                let found = self.look_with_garbage(worker, &surprises)?;
                let of_version = if found.is_none() { self.of_version(worker, &surprises)? } else { None };
                found.ok_or_else(|| match (error, of_version) {
                    (TrialError::NotReproducible { test, .. }, Some(why)) => TrialError::NotReproducible { test, why },
                    (TrialError::NotReproducible { test, why }, None) => {
                        let why = format!(
                            "{why}, and where they begin as garbage it is not `{}` twice alike",
                            self.known.verdict
                        );
                        TrialError::NotReproducible { test, why }
                    }
                    (error, _) => error,
                })?
            }
            Err(TrialError::NotReproducible { test, why }) => {
                let why = self.of_version(worker, &surprises)?.unwrap_or(why);
                return Err(TrialError::NotReproducible { test, why });
            }
            found => found?,
        };
        worker.stands.insert(key, found.0);
        Ok(found)
    }

    /// That the version of the program in which changes are made does something else than the program, if that does there what is known of it.
    fn of_version(&self, worker: &mut Worker, surprises: &[Surprise]) -> Result<Option<String>, TrialError> {
        let Some(surprise) = surprises.first() else { return Ok(None) };
        let memory = worker.setup().memory;
        job::set(worker, self.test, surprise.room, Task::Nothing, memory)?;
        let ran = job::run(worker, self.test, &Ask::Run(self.patience()))?;
        let (verdict, _) = self.suite.judge(self.test, worker.scratch(), &outcome(&ran))?;
        let known = self.known.verdict;
        Ok((verdict == known).then(|| {
            format!(
                "version `{}` of the program, in which changes are made, does something else than the program: {} instead of `{known}`; it is not \
                 optimised, so frames are larger, digits of floating-point numbers and what C leaves open may differ",
                Mode::Trace.name(),
                surprise.words
            )
        }))
    }

    /// Whether the test fails, but not with zeros.
    fn may_need_garbage(&self, surprises: &[Surprise]) -> bool {
        matches!(self.known.verdict, Verdict::Fail | Verdict::Timeout) && !surprises.is_empty()
    }

    /// Where a test that does not fail with zeros fails with garbage, each twice and the same way.
    fn look_with_garbage(&self, worker: &mut Worker, surprises: &[Surprise]) -> Result<Option<Found>, TrialError> {
        for byte in BYTES {
            for surprise in surprises {
                let garbage = Garbage { byte, with_zeros: surprise.verdict, function: None };
                let stand = Stand { room: surprise.room, garbage: Some(garbage) };
                if worker.is_over() {
                    return Err(job::gone(worker, self.test));
                }
                // A loop may go round as often as garbage says.
                let patience = self.patience();
                let wall_ns = patience.wall_ns.min(GARBAGE_WALL + GARBAGE_PATIENCE * surprise.wall_ns);
                let patience = Stop { wall_ns, output_limit: ENDLESS_OUTPUT, ..patience };
                if let Some(recorded) = self.fails_with(worker, stand, patience)?
                    && self.is_again(worker, surprise)?
                {
                    return Ok(Some((stand, recorded)));
                }
            }
        }
        Ok(None)
    }

    /// The run of the test there, if two runs are as is known and alike.
    fn fails_with(
        &self,
        worker: &mut Worker,
        stand: Stand,
        patience: Stop,
    ) -> Result<Option<(Recording, Ran)>, TrialError> {
        let mut runs = Vec::new();
        for _ in 0..2 {
            let (recording, ran) = match self.record_once(worker, stand, 0, patience) {
                Ok(run) => run,
                Err(error) if error.is_of_test() => return Ok(None),
                Err(error) => return Err(error),
            };
            let is_flood = self.known.verdict == Verdict::Fail && floods(&ran);
            if is_flood || self.differs(worker, &recording, &ran)?.is_some() {
                return Ok(None);
            }
            runs.push((recording, ran));
        }
        let looks_at = self.test.looks_at();
        let differs = |at: &usize| looks_at[*at] && !are_alike(self.test, *at, &runs[0].1, &runs[1].1);
        let is_cut = self.cut_at(worker).is_some();
        let alike = is_cut || (runs[0].1.status == runs[1].1.status && !(0..looks_at.len()).any(|at| differs(&at)));
        Ok(runs.pop().filter(|_| alike))
    }

    /// Whether what zeros showed is shown again.
    fn is_again(&self, worker: &mut Worker, surprise: &Surprise) -> Result<bool, TrialError> {
        let stand = Stand { room: surprise.room, garbage: None };
        match self.record_once(worker, stand, 0, self.patience()) {
            Ok((recording, ran)) => {
                let difference = self.differs(worker, &recording, &ran)?;
                let verdict = difference.and_then(|difference| difference.verdict);
                Ok(verdict.is_some_and(|(verdict, _)| verdict == surprise.verdict))
            }
            Err(error) if error.is_of_test() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// How a run differs from what is known of the test; not at all for one that goes on until it is cut.
    fn differs(&self, worker: &Worker, recording: &Recording, ran: &Ran) -> Result<Option<Difference>, TrialError> {
        if self.cut_at(worker).is_some() && (ran.status.is_none() || floods(ran)) {
            return Ok(None);
        }
        let difference = difference(self.suite, self.test, self.known.verdict, worker, ran)?;
        Ok(difference.or_else(|| other_failure(self.known.verdict, self.known.processes, recording.n_processes())))
    }

    /// A small working directory is copied first, since a copy tells whether the test writes into it.
    fn look_for_place(
        &self,
        worker: &mut Worker,
        places: &[Place],
        surprises: &mut Vec<Surprise>,
    ) -> Result<Found, TrialError> {
        let mut good = None;
        let mut why = None;
        // That nothing ran somewhere says less than what came of it elsewhere.
        let mut explain = |error| {
            if matches!(why, None | Some(TrialError::NoValues { .. })) {
                why = Some(error);
            }
        };
        let mut rooms: VecDeque<Room> = places.iter().map(|place| Room::from(*place)).collect();
        while let Some(room) = rooms.pop_front() {
            let place = room.place;
            if good.is_some() && matches!(place, Place::Over | Place::Around) {
                break;
            }
            let stand = Stand { room, garbage: None };
            let (recording, ran) = match self.record_once(worker, stand, 0, self.patience()) {
                Ok(recorded) => recorded,
                // A program that finds nothing where it is copied to may still run in place, or among what is copied with it.
                Err(error @ (TrialError::NoValues { .. } | TrialError::NotReproducible { .. })) => {
                    explain(error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some(difference) = self.differs(worker, &recording, &ran)? {
                if !room.large_stack && difference.verdict.is_some() && may_have_overflowed(&ran) {
                    rooms.push_front(Room { large_stack: true, ..room });
                }
                let surprise = |(verdict, words)| Surprise { room, verdict, words, wall_ns: ran.wall_ns };
                surprises.extend(difference.verdict.map(surprise));
                explain(self.different(difference.why));
                continue;
            }
            let writes = ran.wrote;
            let found = (stand, (recording, ran));
            match place {
                // Only a test that writes needs its copy for good.
                Place::Copy if self.test.works_in() == ScratchKind::None && !writes => drop(good.get_or_insert(found)),
                _ => return Ok(found),
            }
        }
        match (good, why) {
            (Some(found), _) => Ok(found),
            (None, Some(why)) => Err(why),
            (None, None) => Err(self.different("it cannot be run anywhere")),
        }
    }

    /// Records a run in which a process probably takes so many values; once more with a larger log if that was too small.
    fn record_once(
        &self,
        worker: &mut Worker,
        stand: Stand,
        taken: u64,
        patience: Stop,
    ) -> Result<(Recording, Ran), TrialError> {
        let mut log_bytes = match self.watched {
            Watched::Nodes => log_for(taken).max(FIRST_LOG).min(worker.setup().log_bytes),
            Watched::Output => 0,
        };
        loop {
            let traces = worker.file("traces");
            crate::exec::remove_tree(&traces);
            fs::create_dir(&traces).map_err(TrialError::io("make the directory", &traces))?;
            let task = Task::Record(&traces, log_bytes, stand.fill());
            let memory = worker.setup().memory;
            job::set(worker, self.test, stand.room, task, memory)?;
            let ran = job::run(worker, self.test, &Ask::Run(patience))?;
            let recording = Recording::read(&traces, self.program, &self.test.name, self.watched);
            crate::exec::remove_tree(&traces);
            let recording = recording?;
            let (taken, room) = recording.taken;
            if taken <= room {
                return Ok((recording, ran));
            }
            let needed = log_for(taken);
            if needed > worker.setup().log_bytes {
                let room = worker.setup().log_bytes / 16;
                return Err(TrialError::TooLong { test: self.test.name.clone(), taken, room });
            }
            log_bytes = needed;
        }
    }

    /// Hooks and ticks after which the test is cut, if it does not end.
    fn cut_at(&self, worker: &Worker) -> Option<u64> {
        let endless = worker.setup().endless;
        endless.filter(|_| self.known.verdict == Verdict::Timeout && self.watched == Watched::Output)
    }

    /// Runs the test with the trial file and no mutant until it is cut: from then on that is the run that trials are compared with.
    fn cut(
        &self,
        worker: &mut Worker,
        file: &TrialFile,
        recorded: &mut Recorded,
        budget: u64,
    ) -> Result<Ran, TrialError> {
        let stop = Stop { budget, wall_ns: CUT_PATIENCE.as_nanos() as u64, ..self.patience() };
        let ran = job::run(worker, self.test, &Ask::Exec(None, stop))?;
        let again = job::run(worker, self.test, &Ask::Exec(None, stop))?;
        if file.seen().refusal == Refusal::Layout as u32 {
            return Err(TrialError::Unsupported { test: self.test.name.clone(), why: LAYOUT.into() });
        }
        if ran.status.is_none() || ran.flags & PROCESS_CUT == 0 {
            let why = format!("it does not end, and executes fewer than {budget} hooks and ticks in {CUT_PATIENCE:?}");
            return Err(TrialError::Unsupported { test: self.test.name.clone(), why });
        }
        if (ran.status, ran.longest, &ran.outputs) != (again.status, again.longest, &again.outputs) {
            return Err(self.different("cut at the same place it has done something else"));
        }
        recorded.ran = again;
        Ok(ran)
    }

    /// Whether the test may fail in another way as a trial than it was recorded: reading memory that nobody wrote shows what lies there. What trials
    /// are compared with is the trial without mutant then, so no values may be compared with the recording's.
    fn may_fail_otherwise(&self) -> bool {
        self.known.verdict == Verdict::Fail && self.watched == Watched::Output
    }

    /// Takes what the trial without mutant, `ran`, did for what the test does, if that is a failure too and the same each time.
    fn check_failure(
        &self,
        worker: &mut Worker,
        recorded: &mut Recorded,
        ran: &Ran,
        why: &str,
    ) -> Result<(), TrialError> {
        if !self.may_fail_otherwise() {
            return Err(self.different(why));
        }
        if let Some(difference) = difference(self.suite, self.test, self.known.verdict, worker, ran)? {
            return Err(self.different(difference.why));
        }
        recorded.ran = job::run(worker, self.test, &Ask::Exec(None, self.patience()))?;
        match recorded.departure(self.test, ran) {
            Some(_) => Err(self.different("its output differs from run to run")),
            None => Ok(()),
        }
    }

    pub(super) fn patience(&self) -> Stop {
        let (limit, output_limit) = match self.known.verdict {
            Verdict::Timeout => (ENDLESS_RECORDED, ENDLESS_OUTPUT),
            _ => (self.test.own_timeout().unwrap_or(FIRST_PATIENCE), MOST_OUTPUT),
        };
        Stop { wall_ns: limit.as_nanos() as u64, busy_ns: u64::MAX, output_limit, keep: KEPT, budget: u64::MAX }
    }

    /// Runs the test with the trial file and no mutant: nodes that change all the same are left out of the oracle.
    pub(super) fn calibrate(&self, worker: &mut Worker, recorded: &mut Recorded) -> Result<Ran, TrialError> {
        for _ in 0..2 {
            let path = worker.file("trial");
            let sites = Sites::of(&recorded.oracle, self.program);
            let file = TrialFile::create(&path, &recorded.oracle, &sites, Expected::default())?;
            let memory = job::memory_for(recorded.ran.peak, worker.setup().memory);
            let task = Task::Trial(&path, recorded.stand.fill(), ALL_GATES);
            job::set(worker, self.test, recorded.stand.room, task, memory)?;
            if let Some(budget) = self.cut_at(worker) {
                return self.cut(worker, &file, recorded, budget);
            }
            let ran = job::run(worker, self.test, &Ask::Exec(None, self.patience()))?;
            if file.seen().refusal == Refusal::Layout as u32 {
                return Err(TrialError::Unsupported { test: self.test.name.clone(), why: LAYOUT.into() });
            }
            if let Some(why) = recorded.departure(self.test, &ran) {
                self.check_failure(worker, recorded, &ran, why)?;
            }
            if ran.processes as usize != recorded.oracle.n_processes() {
                let (before, now) = (recorded.oracle.n_processes(), ran.processes);
                return Err(
                    self.different(format!("it starts {before} instrumented processes once and {now} another time"))
                );
            }
            let changed = |at: &usize| ran.changed[at / 64] >> (at % 64) & 1 == 1;
            let nodes = recorded.oracle.nodes();
            let unstable = (0..recorded.oracle.n_compared())
                .filter(changed)
                .map(|at| nodes[at])
                .collect::<std::collections::BTreeSet<_>>();
            if unstable.is_empty() {
                return Ok(ran);
            }
            recorded.oracle.leave_out(&unstable);
        }
        Err(self.different("the values of its nodes differ from run to run"))
    }
}

/// Why there are no trials of what was linked in another way than the driver does it.
const LAYOUT: &str = "its bytes of operations and gates do not lie in the order of its units; link it by suspect-cc, without a linker \
                      script that sorts or pads sections";

/// Nanoseconds that a test may take with garbage besides what it took with zeros, times [`GARBAGE_PATIENCE`].
const GARBAGE_WALL: u64 = 2_000_000_000;
const GARBAGE_PATIENCE: u64 = 20;
/// Limit of a test whose project gives none.
const FIRST_PATIENCE: Duration = Duration::from_secs(120);
/// How long a test that does not end is recorded, which tells its processes and modules, and how long it may take until it is cut.
const ENDLESS_RECORDED: Duration = Duration::from_millis(500);
const CUT_PATIENCE: Duration = Duration::from_secs(10);
/// Bytes that an output of the oracle may have: of a test that ends, and of one that does not.
const MOST_OUTPUT: u64 = 4 << 30;
const ENDLESS_OUTPUT: u64 = 256 << 20;

/// Whether the first process, or what a shell waited for, ended as one does whose stack has overflowed.
fn may_have_overflowed(ran: &Ran) -> bool {
    let status = ran.status.map(Status::from_wait);
    matches!(status, Some(Status::Signaled(libc::SIGSEGV | libc::SIGBUS)))
        || matches!(status, Some(Status::Exited(code)) if [libc::SIGSEGV, libc::SIGBUS].contains(&(code - 128)))
}

/// Whether a run was ended because it wrote too much.
fn floods(ran: &Ran) -> bool {
    ran.status.is_some_and(|word| Status::from_wait(word) == Status::Signaled(libc::SIGXFSZ))
}

/// Bytes for a process that takes so many values.
fn log_for(taken: u64) -> u64 {
    (taken + 1).saturating_mul(16) + (1 << 20)
}

/// A run as the suite judges it.
pub(super) fn outcome(ran: &Ran) -> Outcome {
    let status = match ran.status {
        Some(word) => Status::from_wait(word),
        None => Status::TimedOut,
    };
    let output = |at: usize| {
        let bytes = ran.outputs[at].bytes.clone();
        Output { truncated: (bytes.len() as u64) < ran.outputs[at].length, bytes }
    };
    Outcome {
        status,
        wall: Duration::from_nanos(ran.wall_ns),
        cpu: Duration::ZERO,
        stdout: output(0),
        stderr: output(1),
        leftovers: 0,
        survivors: 0,
    }
}
