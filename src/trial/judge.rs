//! From what a trial's processes did to an observation.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use suspect_format::trial::{OTHERWISE, OUTPUT_HASH_START, PROCESS_APPLIED, PROCESS_CUT, output_hash};

use super::complaint::{Complaint, Wrote};
use super::file::n_words;
use super::filter::{Filter, Look};
use super::frame::{Ran, Written};
use super::{End, Executor, Observation};
use crate::exec::{Outcome, Output, Status};
use crate::suite::{Judging, Test, Verdict};

/// What the oracle's run wrote and how it ended, and how the test looks at that.
#[derive(Debug)]
pub(super) struct Judge {
    pub test: Test,
    pub passes: bool,
    /// The oracle's run was cut: it does not end.
    pub is_cut: bool,
    pub judging: Judging,
    /// What standard output goes through first, if anything.
    pub filter: Option<Arc<Filter>>,
    pub looks_at: [bool; 2],
    pub status: i32,
    pub outputs: [Written; 2],
    pub used: u64,
    /// Bytes that the oracle wrote up to the first that was not expected, where that is how the test is judged.
    pub matched: Option<u64>,
    pub complaint: Option<Complaint>,
    pub n_nodes: usize,
    /// Bytes to which an output may grow.
    pub limit: u64,
    /// Hashes of the ends of the oracle's outputs and of the expected one, by output and offset.
    pub ends: RefCell<HashMap<(usize, u64), u64>>,
}

/// What a trial wrote to one stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// Bytes in all.
    pub length: u64,
    /// Bytes that are the oracle's because they were written before the trial was forked.
    pub before: u64,
    /// Hash of the others.
    pub hash: u64,
}

/// A trial's end, whoever ran it.
#[derive(Clone, Debug)]
pub(super) struct Finished {
    pub executor: Executor,
    /// Word from `wait`; `None` when its time was up.
    pub status: Option<i32>,
    pub flags: u32,
    pub used: u64,
    pub changed: Box<[u64]>,
    pub streams: [Stream; 2],
    /// Bytes written to the stream that is compared after the fork, if any, up to the first that was not expected.
    pub matched: u64,
    /// What came instead, as far as it is kept; zeros behind it.
    pub otherwise: [u8; OTHERWISE],
    /// The outputs themselves, where they are at hand.
    pub captured: Option<Outcome>,
}

/// Number of the expected output among those whose ends are hashed.
const EXPECTED: usize = 2;

impl Judge {
    /// The oracle's own run as an observation: no value was changed.
    pub(super) fn same(&self, executor: Executor) -> Observation {
        Observation {
            executor,
            end: if self.is_cut { End::Cut } else { end_of(self.status) },
            applied: false,
            changed: vec![0; n_words(self.n_nodes)].into(),
            output_changed: false,
            passes: Some(self.passes),
            silenced: false,
            reached: None,
            matched: self.matched,
            used: self.used,
        }
    }

    /// A trial about which nothing is known.
    pub(super) fn unknown(&self, executor: Executor, applied: bool) -> Observation {
        Observation { end: End::Unknown, applied, passes: None, matched: None, used: 0, ..self.same(executor) }
    }

    /// What a trial showed.
    pub(super) fn observe(&self, finished: Finished) -> Observation {
        let applied = finished.flags & PROCESS_APPLIED != 0;
        let flooded = finished.streams.iter().any(|stream| stream.length >= self.limit);
        let status = match finished.status {
            Some(status) if !flooded && end_of(status) != End::Signalled(libc::SIGXFSZ) => status,
            _ => return self.unknown(finished.executor, applied),
        };
        let end = if finished.flags & PROCESS_CUT != 0 { End::Cut } else { end_of(status) };
        let look = self.look(&finished);
        let is_own = |at: usize| {
            self.is_oracle(at, finished.streams[at]) || at == 0 && look.is_some_and(|look: Look| look.is_own)
        };
        let output_changed = status != self.status || (0..2).any(|at| self.looks_at[at] && !is_own(at));
        if !applied {
            // Without an override the run is the oracle's, or the test is not as reproducible as it seemed.
            let same = !output_changed && finished.changed.iter().all(|word| *word == 0);
            return if same { self.same(finished.executor) } else { self.unknown(finished.executor, false) };
        }
        let passes = match (end, output_changed) {
            (_, false) => Some(self.passes),
            (End::Cut, true) => Some(false),
            (_, true) => self.passes(status, &finished, look),
        };
        let matched = match self.filter {
            None => self.matched(&finished),
            Some(_) if !output_changed => self.matched,
            Some(_) => look.map(|look| look.matched),
        };
        let silenced = !self.passes && passes == Some(true) && self.is_silenced(&finished);
        let reached = if passes == Some(false) && output_changed { self.reached(&finished, end) } else { None };
        let Finished { executor, changed, used, .. } = finished;
        Observation { executor, end, applied, changed, output_changed, passes, silenced, reached, matched, used }
    }

    /// See [`Complaint::reached`].
    fn reached(&self, finished: &Finished, end: End) -> Option<Ordering> {
        let complaint = self.complaint.as_ref()?;
        let Stream { before, length, .. } = finished.streams[complaint.on];
        let wrote = Wrote { same: before + finished.matched, otherwise: &finished.otherwise, length };
        complaint.reached(&self.outputs[complaint.on].bytes, wrote, end)
    }

    /// Whether a trial says of a failure what the oracle says, or ends before it would come to that.
    fn is_silenced(&self, finished: &Finished) -> bool {
        let [output, errors] = finished.streams;
        match self.complaint {
            None => false,
            Some(Complaint { on: 0, start, end, .. }) => {
                let same = output.before + finished.matched;
                same >= end || output.length < start && same >= output.length
            }
            Some(_) => self.is_oracle(1, errors),
        }
    }

    /// How much of what is expected a trial wrote.
    fn matched(&self, finished: &Finished) -> Option<u64> {
        let (own, before) = (self.matched?, finished.streams[0].before);
        // What came before the fork is the oracle's.
        Some(if own < before { own } else { before + finished.matched })
    }

    /// What a trial's standard output looks like behind the filter, as far as it is at hand or known.
    fn look(&self, finished: &Finished) -> Option<Look> {
        let filter = self.filter.as_ref()?;
        match &finished.captured {
            Some(outcome) => filter.look(&outcome.stdout.bytes),
            None => filter.look_at_hash(&self.outputs[0].bytes, finished.streams[0]),
        }
    }

    fn passes(&self, status: i32, finished: &Finished, look: Option<Look>) -> Option<bool> {
        let verdict = match &self.judging {
            Judging::Status => self.test.judge_captured(&bare(status), &[])?,
            Judging::Exact { output, status: wanted } => {
                let equal = self.is_expected(output, finished.streams[0]);
                Test::judge_comparison(Status::from_wait(status), *wanted, equal)
            }
            Judging::Output => {
                let outcome = finished.captured.as_ref()?;
                let both = [&outcome.stdout.bytes[..], &outcome.stderr.bytes[..]];
                let output = if self.test.looks_at()[1] { both.concat() } else { both[0].to_vec() };
                self.test.judge_captured(outcome, &output)?
            }
            Judging::Filtered { status: wanted, .. } => self.judge_look(Status::from_wait(status), *wanted, look)?,
            Judging::Nothing => return None,
        };
        match verdict {
            Verdict::Pass => Some(true),
            Verdict::Fail | Verdict::Timeout => Some(false),
            Verdict::Skip | Verdict::Error => None,
        }
    }

    /// The verdict by what is seen behind the filter. How a program ends may suffice; where it ends as the oracle does, what it wrote is needed to
    /// tell whether anything changed.
    fn judge_look(&self, status: Status, wanted: Option<i32>, look: Option<Look>) -> Option<Verdict> {
        let is_equal = look.map(|look| look.is_expected);
        let at_best = Test::judge_comparison(status, wanted, true);
        match is_equal {
            Some(is_equal) => Some(Test::judge_comparison(status, wanted, is_equal)),
            None if at_best != Verdict::Pass && status != Status::from_wait(self.status) => Some(at_best),
            None => None,
        }
    }

    /// Whether a stream is the oracle's.
    fn is_oracle(&self, at: usize, stream: Stream) -> bool {
        let whole = &self.outputs[at];
        stream.length == whole.length && self.end_hash(at, &whole.bytes, stream.before) == stream.hash
    }

    /// Whether a stream is `expected`, of which the oracle's output may be a beginning or not.
    fn is_expected(&self, expected: &[u8], stream: Stream) -> bool {
        let before = stream.before as usize;
        let begins = self.outputs[0].bytes.get(..before).is_some_and(|begin| expected.starts_with(begin));
        begins
            && stream.length == expected.len() as u64
            && self.end_hash(EXPECTED, expected, stream.before) == stream.hash
    }

    /// The hash of `bytes` from an offset on, which few trials are the first to ask for.
    fn end_hash(&self, at: usize, bytes: &[u8], before: u64) -> u64 {
        let hash = || output_hash(OUTPUT_HASH_START, bytes.get(before as usize..).unwrap_or_default());
        *self.ends.borrow_mut().entry((at, before)).or_insert_with(hash)
    }
}

/// From the word that `wait` gives.
fn end_of(status: i32) -> End {
    match Status::from_wait(status) {
        Status::Signaled(signal) => End::Signalled(signal),
        Status::Exited(code) => End::Exited(code),
        Status::TimedOut | Status::Flooded => End::Unknown,
    }
}

/// An outcome of which the status alone is known.
fn bare(status: i32) -> Outcome {
    Outcome {
        status: Status::from_wait(status),
        wall: std::time::Duration::ZERO,
        cpu: std::time::Duration::ZERO,
        stdout: Output::default(),
        stderr: Output::default(),
        leftovers: 0,
        survivors: 0,
    }
}

/// The first of these bytes, zeros behind them.
fn first_bytes(bytes: &[u8]) -> [u8; OTHERWISE] {
    let mut first = [0; OTHERWISE];
    first.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
    first
}

impl Finished {
    /// A process tree of its own; its outputs are at hand if they were asked for.
    pub(super) fn of_tree(ran: Ran, at_hand: bool) -> Finished {
        let whole = |written: &Written| Stream { length: written.length, before: 0, hash: written.hash };
        let streams = [whole(&ran.outputs[0]), whole(&ran.outputs[1])];
        let complete = ran.outputs.iter().all(|written| written.bytes.len() as u64 == written.length);
        let captured = (at_hand && complete).then(|| super::prepare::outcome(&ran));
        let Ran { status, flags, used, changed, matched, otherwise, .. } = ran;
        let (changed, otherwise) = (changed.into(), first_bytes(&otherwise));
        Finished { executor: Executor::Exec, status, flags, used, changed, streams, matched, otherwise, captured }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Suite;

    fn written(bytes: &[u8]) -> Written {
        Written { length: bytes.len() as u64, hash: output_hash(OUTPUT_HASH_START, bytes), bytes: bytes.to_vec() }
    }

    fn first_test(suite: &str) -> Test {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in [("suspect.toml", suite), ("a.in", "1\n"), ("a.out", "")] {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        Suite::load(directory.path()).unwrap().tests()[0].clone()
    }

    /// The judge of a test that compares standard output with `expected`, after a run of the oracle that wrote `own` and exited with 0.
    fn judge(expected: &str, own: &str) -> Judge {
        let suite =
            "[[suite]]\nkind = \"cases\"\ninputs = \"*.in\"\nrun = \"./prog {input}\"\nexpect = \"{stem}.out\"\n";
        let same = expected.bytes().zip(own.bytes()).take_while(|(expected, own)| expected == own);
        Judge {
            test: first_test(suite),
            passes: own == expected,
            is_cut: false,
            judging: Judging::Exact { output: expected.into(), status: Some(0) },
            filter: None,
            looks_at: [true, false],
            status: 0,
            outputs: [written(own.as_bytes()), written(b"")],
            used: 100,
            matched: Some(same.count() as u64),
            complaint: None,
            n_nodes: 1,
            limit: 1000,
            ends: RefCell::default(),
        }
    }

    /// A trial in which a change was applied, forked after `before` bytes of the oracle's output, that wrote `after` and exited with 0.
    fn finished(before: u64, after: &str) -> Finished {
        let stream = |before, after: &str| Stream {
            length: before + after.len() as u64,
            before,
            hash: output_hash(OUTPUT_HASH_START, after.as_bytes()),
        };
        Finished {
            executor: Executor::Fork,
            status: Some(0),
            flags: PROCESS_APPLIED,
            used: 100,
            changed: Box::new([0]),
            streams: [stream(before, after), stream(0, "")],
            matched: 0,
            otherwise: [0; OTHERWISE],
            captured: None,
        }
    }

    #[test]
    fn a_flooded_output_is_not_judged() {
        let judge = |limit| Judge { limit, ..judge("yes", "no") };
        let seen = |limit, finished| {
            let seen = judge(limit).observe(finished);
            (seen.end, seen.passes, seen.applied)
        };
        let unknown = (End::Unknown, None, true);
        assert_eq!(seen(4, finished(0, "yes")), (End::Exited(0), Some(true), true));
        assert_eq!(seen(3, finished(0, "yes")), unknown, "what was written so far is what is expected");
        assert_eq!(seen(3, finished(0, "nooo")), unknown);
        let mut errors = finished(0, "no");
        errors.streams[1].length = 4;
        assert_eq!(seen(4, errors), unknown, "nobody looks at standard error");
        let status = Some(libc::SIGXFSZ);
        assert_eq!(seen(9, Finished { status, ..finished(0, "yes") }), unknown, "the system stopped it");
        assert_eq!(seen(9, Finished { status: None, ..finished(0, "yes") }), unknown, "its time was up");
    }

    #[test]
    fn a_run_that_was_cut_fails_whatever_it_wrote() {
        let judge = judge("yes", "no");
        let flags = PROCESS_APPLIED | PROCESS_CUT;
        let seen = judge.observe(Finished { flags, ..finished(0, "yes") });
        assert_eq!((seen.end, seen.passes, seen.output_changed), (End::Cut, Some(false), true));
        assert_eq!(judge.observe(finished(0, "yes")).passes, Some(true), "the same without a cut");
    }

    #[test]
    fn what_a_forked_trial_wrote_is_expected_only_if_the_oracle_began_so() {
        let passes = |own| {
            let seen = judge("ok\n", own).observe(finished(2, "\n"));
            (seen.passes, seen.output_changed)
        };
        assert_eq!(passes("ok, but"), (Some(true), true));
        assert_eq!(passes("no, but"), (Some(false), true), "the end alone is what is expected");
    }

    #[test]
    fn a_status_that_passes_beside_the_same_complaint_is_silenced() {
        let failing = |output: &str, errors: &str| {
            let outputs = [written(output.as_bytes()), written(errors.as_bytes())];
            let complaint = Complaint::of(&outputs, [true; 2]);
            Judge { status: 1 << 8, outputs, complaint, matched: None, judging: Judging::Status, ..judge("", "no") }
        };
        let silenced_with = |judge: Judge, written_out: &'static str, matched: u64, errors: &str| {
            let test = first_test("[[suite]]\nkind = \"lines\"\nfile = \"a.in\"\nrun = \"./prog {line}\"\n");
            let stream = Stream { length: errors.len() as u64, before: 0, hash: written(errors.as_bytes()).hash };
            let mut finished = Finished { matched, ..finished(0, written_out) };
            finished.streams[1] = stream;
            let seen = Judge { test, ..judge }.observe(finished);
            (seen.passes, seen.silenced)
        };
        let silenced = |judge: Judge, matched: u64, errors: &str| silenced_with(judge, "other", matched, errors);
        let errors = "a.c:3: check failed\n";
        assert_eq!(silenced(failing("", errors), 0, errors), (Some(true), true));
        assert_eq!(silenced(failing("", errors), 0, ""), (Some(true), false), "the complaint is gone");
        assert_eq!(silenced(failing("", "reading\n"), 0, "reading\n"), (Some(true), false), "no complaint");
        let output = "1\nFAILED: sum\n2\n";
        assert_eq!(silenced(failing(output, ""), 14, ""), (Some(true), true));
        assert_eq!(silenced(failing(output, ""), 2, ""), (Some(true), false));
        // It ends before the failure, or says all that comes before it.
        let output = "one\ntwo\nFAILED: sum\n";
        assert_eq!(silenced_with(failing(output, ""), "one\n", 4, ""), (Some(true), true));
        assert_eq!(silenced_with(failing(output, ""), "", 0, ""), (Some(true), true));
        assert_eq!(silenced_with(failing(output, ""), "one\ntwo\n", 8, ""), (Some(true), false));
        assert_eq!(silenced_with(failing(output, ""), "two\n", 0, ""), (Some(true), false), "other words");
    }

    #[test]
    fn what_is_wrong_before_the_fork_ends_what_matches() {
        let matched = |own| judge("abcd", own).observe(Finished { matched: 2, ..finished(2, "cdx") }).matched;
        assert_eq!(matched("ab, but"), Some(2 + 2));
        assert_eq!(matched("aX, but"), Some(1), "the oracle's own");
        let unknown = Judge { matched: None, ..judge("abcd", "ab, but") };
        assert_eq!(unknown.observe(finished(2, "cdx")).matched, None);
    }
}
