//! Drivers: commands of tests that start programs many times. What each start read and wrote is kept, and the driver runs again on such answers.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use suspect_format::abi::{ENV_STAND_IN, ENV_STARTS};

use super::compared::{Change, shows_difference};
use super::deadline::Deadline;
use super::mismatch::{Mismatch, clip};
use super::oracle::Judge;
use super::test::{FIRST_LIMIT, Place};
use super::verdict::{Judgement, crash, status_text, without_make};
use super::wanted::n_changed;
use super::words::{Said, Words};
use super::{RunContext, SuiteError, Test, Verdict};
use crate::exec::kept::Reply;
use crate::exec::stand_in::Standing;
use crate::exec::turns::{marks, order_pipes, start_directory};
use crate::exec::{Command, Limits, Outcome, ScratchRoot, Status, Stdin};

/// What a program answers that answers something else, before and after its number: no driver expects it, nor are two alike, which a driver may compare.
/// Lines that show it begin and end alike.
pub(super) const OTHERWISE: &str = "suspect";
/// Starts at most whose answers decide which others there are; each takes as many replays as the number of starts has binary digits.
const MOST_DECIDING: usize = 3;
/// Starts that a driver is asked about one by one, at most: each takes a replay.
const MOST_ASKED: usize = 32;
/// Starts before the last that are looked at for the last one whose answer a driver notices.
const LOOKED_AT: usize = 8;
/// The file that a driver writes into.
const LOG: &str = "log";

/// Why starts stay one test that are not what they are by themselves.
const OTHERWISE_WATCHED: &str = "it says something else where its starts are watched";

/// How the starts of a driver are watched.
#[derive(Clone, Copy, Default)]
struct Watched<'k> {
    /// The directory of the answers that are given, if programs do not run.
    answers: Option<&'k Path>,
    /// The last start.
    last: Option<usize>,
}

/// A driver, as the test that it is, alone.
#[derive(Clone, Debug)]
pub(super) struct Driver {
    pub(super) test: Test,
    /// Until when it is looked at.
    pub(super) deadline: Deadline,
}

/// What a run of a driver wrote, and what it came to.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// What it wrote after each start of a program, up to the next.
    pub(super) after: Vec<Vec<u8>>,
    pub(super) verdict: Verdict,
}

impl Reading {
    /// All that it wrote after the first start.
    pub(super) fn whole(&self) -> Vec<u8> {
        self.after.concat()
    }
}

/// How a driver tells which of its cases fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Telling {
    /// None fails.
    Passes,
    /// It stops at the first that fails.
    Stops,
    /// It looks at one alone.
    One,
    /// By these words, after each.
    Words(Words),
    /// By these words, and it breaks off at the last start.
    Breaks(Words),
    /// It compares all outputs at its end, and so many are wrong.
    Compares(usize),
    /// It compares each output behind its start, and shows differences.
    Each,
}

/// What was seen of a driver.
pub(super) struct Seen<'s> {
    /// The directory of its starts.
    pub(super) kept: &'s Path,
    /// Its first run.
    pub(super) first: &'s Reading,
    /// The answers in it.
    pub(super) replies: &'s [Reply],
    /// Its run where all its programs answer something else; nothing where it cannot be made to start as many.
    pub(super) otherwise: Option<Reading>,
}

impl Driver {
    /// Runs the driver once and keeps what its programs read and write in `directory`, which is empty.
    pub(super) fn keep(&self, directory: &Path) -> Result<Reading, SuiteError> {
        let reading = self.run(directory, Some(Watched::default()))?;
        order_pipes(directory).map_err(refused("order what was kept in"))?;
        Ok(reading)
    }

    /// Runs the driver as it is: what it wrote, and what it came to.
    fn unwatched(&self) -> Result<(Vec<u8>, Verdict), SuiteError> {
        let place = tempfile::Builder::new().prefix("suspect-").tempdir().map_err(refused("make a directory in"))?;
        let reading = self.run(place.path(), None)?;
        let log = fs::read(place.path().join(LOG)).map_err(refused("read the output in"))?;
        Ok((log, reading.verdict))
    }

    /// Runs the driver on the answers that are kept, but for those that are given `instead`, to its end or to the start after this `last` one.
    pub(super) fn replay<'r>(
        &self,
        kept: &Path,
        instead: impl IntoIterator<Item = (usize, &'r Reply)>,
        last: Option<usize>,
    ) -> Result<Reading, SuiteError> {
        let place = tempfile::Builder::new().prefix("suspect-").tempdir().map_err(refused("make a directory in"))?;
        for (number, reply) in instead {
            Standing::answer_instead(place.path(), number, reply).map_err(refused("write answers in"))?;
        }
        self.run(place.path(), Some(Watched { answers: Some(kept), last }))
    }

    fn run(&self, directory: &Path, watched: Option<Watched>) -> Result<Reading, SuiteError> {
        let root = ScratchRoot::new()?;
        let scratch = root.scratch(self.test.index)?;
        let cwd = self.test.working_dir(&scratch)?;
        let log = directory.join(LOG);
        let Watched { answers, last } = watched.unwrap_or_default();
        let (temporary, answers) = (scratch.path().to_owned(), answers.map(Path::to_owned));
        Standing { log: log.clone(), temporary, answers, last }.write(directory).map_err(refused("write in"))?;
        fs::write(&log, "").map_err(refused("write in"))?;
        let tool = std::env::current_exe().map_err(refused("find this program for"))?;
        let session: Vec<(OsString, OsString)> = match watched {
            Some(_) => vec![(ENV_STAND_IN.into(), tool.into()), (ENV_STARTS.into(), directory.into())],
            None => Vec::new(),
        };
        let mut env = self.test.environment_in(&scratch.tmp());
        session.iter().for_each(|(name, value)| env.set_varying(name, value));
        // What it writes is to be there when it starts the next program.
        env.set("PYTHONUNBUFFERED", "1");
        let limit = self.deadline.left(self.test.own_timeout().unwrap_or(FIRST_LIMIT))?;
        let line = "log=$1; shift; exec \"$@\" >>\"$log\" 2>&1";
        let shell = ["/bin/sh".into(), "-c".into(), line.into(), "sh".into(), log.clone().into()];
        let command = Command {
            argv: shell.into_iter().chain(self.test.plan.argv.iter().cloned()).collect(),
            cwd: cwd.clone(),
            env,
            session,
            stdin: Stdin::Null,
            merge_stderr: false,
            limits: Limits { wall: limit, interruptible: self.deadline.is_interruptible(), ..Limits::default() },
        };
        let mut outcome = command.run()?;
        if outcome.status == Status::TimedOut {
            self.deadline.left(limit)?;
        }
        outcome.stdout.bytes = fs::read(&log).map_err(refused("read the output in"))?;
        let marks = marks(directory).map_err(refused("read what was kept in"))?;
        let context = RunContext { env: &[], scratch: &root, timeout: None, large_stack: false, interruptible: false };
        let place = Place { test: &self.test, scratch: &scratch, cwd: &cwd, context: &context, limit };
        let (judgement, _) = place.judge(&outcome)?;
        let log = &outcome.stdout.bytes;
        let ends = marks.iter().skip(1).copied().chain([log.len()]);
        let after = marks.iter().zip(ends).map(|(begin, end)| log.get(*begin..end).unwrap_or_default().to_vec());
        Ok(Reading { after: after.collect(), verdict: judgement.verdict })
    }

    /// Finds out how the driver tells which of its cases fail, from its run and the answers that were kept, and what it says after each start; or why
    /// that cannot be.
    pub(super) fn telling(
        &self,
        kept: &Path,
        first: &Reading,
        replies: &[Reply],
    ) -> Result<Result<Told, &'static str>, SuiteError> {
        let again = self.replay(kept, [], None)?;
        let is_same = (again.after.len(), again.verdict) == (first.after.len(), first.verdict);
        if !is_same {
            return Ok(Err(
                "it does something else when its programs only answer what they did: they write files, or what it does varies",
            ));
        }
        let watched = fs::read(kept.join(LOG)).map_err(refused("read the output in"))?;
        let (unwatched, verdict) = self.unwatched()?;
        if verdict != first.verdict {
            return Ok(Err(OTHERWISE_WATCHED));
        }
        if first.verdict == Verdict::Pass {
            return Ok(Ok((Telling::Passes, vec![Said::Pass; replies.len()])));
        }
        let otherwise = self.answered_otherwise(kept, first, replies, false)?;
        let seen = Seen { kept, first, replies, otherwise };
        let logs = [watched.as_slice(), &unwatched];
        if let Some(told) = self.tells_in_words(&seen, seen.otherwise.as_ref(), &again, logs)? {
            return Ok(told);
        }
        let with_status = self.answered_otherwise(kept, first, replies, true)?;
        if let Some(told) = self.tells_in_words(&seen, with_status.as_ref(), &again, logs)? {
            return Ok(told);
        }
        let ways: [Way; 5] = [
            Driver::compares,
            Driver::compares_each,
            Driver::looks_at_one,
            Driver::compares_with_file,
            Driver::checks_status,
        ];
        for way in ways {
            if let Some(told) = way(self, &seen)? {
                return Ok(Ok(told));
            }
        }
        self.stops(kept, first, replies)
    }

    /// What the driver says of its starts in words that it says where its programs answer `otherwise`, or why that tells nothing; nothing without such words.
    /// The logs are those of a run that was watched and of one that was not.
    fn tells_in_words(
        &self,
        seen: &Seen,
        otherwise: Option<&Reading>,
        again: &Reading,
        [watched, unwatched]: [&[u8]; 2],
    ) -> Result<Option<Result<Told, &'static str>>, SuiteError> {
        let Some(otherwise) = otherwise else { return Ok(None) };
        let Some(words) = Words::learnt(&again.after, &otherwise.after) else { return Ok(None) };
        // Programs that share an input, say, do something else where the tool reads it for them.
        if words.complaints(unwatched) != words.complaints(watched) {
            return Ok(Some(Err(OTHERWISE_WATCHED)));
        }
        let texts = again.after.iter().zip(&otherwise.after);
        let said: Vec<Said> = texts.map(|(text, otherwise)| words.told(text, otherwise)).collect();
        Ok(Some(Ok(match said.contains(&Said::Fail) {
            true => (Telling::Words(words), said),
            false => self.breaks_off(seen.kept, seen.first, seen.replies, words, said)?,
        })))
    }

    /// Whether the driver compares the output of one start alone: it shows another difference where that one is answered otherwise, and says the same where
    /// another one is, such as the start that asks for a version.
    fn looks_at_one(&self, seen: &Seen) -> Result<Option<Told>, SuiteError> {
        let Seen { kept, first, replies, .. } = *seen;
        if replies.len() > LOOKED_AT {
            return Ok(None);
        }
        let as_is = first.whole();
        let mut said = vec![Said::Nothing; replies.len()];
        for (number, reply) in replies.iter().enumerate() {
            let other = otherwise_answered(number, reply, false);
            let whole = self.replay(kept, [(number, &other)], None)?.whole();
            let change = Change::between(&as_is, &whole);
            match (change.is_nothing(), change.compares(&other.stdout)) {
                (true, _) => {}
                (false, true) => said[number] = Said::Fail,
                (false, false) => return Ok(None),
            }
        }
        let n_compared = said.iter().filter(|said| **said == Said::Fail).count();
        Ok((n_compared == 1).then_some((Telling::One, said)))
    }

    /// What a driver tells that fails and complains of no start: it breaks off at the last one if it goes on, or complains, where that answers something
    /// else, as one does that cannot decode an output. If it does not, nothing is known of that start.
    fn breaks_off(
        &self,
        kept: &Path,
        first: &Reading,
        replies: &[Reply],
        words: Words,
        mut said: Vec<Said>,
    ) -> Result<Told, SuiteError> {
        let (Some(reply), Some(of_last)) = (replies.last(), said.last_mut()) else {
            return Ok((Telling::Words(words), said));
        };
        let last = replies.len() - 1;
        let reading = self.replay(kept, [(last, &otherwise_answered(last, reply, false))], None)?;
        let goes_on = reading.after.len() > first.after.len();
        let complains = reading.after.get(last).is_some_and(|text| words.said(text) == Said::Fail);
        let breaks_off = goes_on || complains;
        *of_last = if breaks_off { Said::Fail } else { Said::Nothing };
        Ok((if breaks_off { Telling::Breaks(words) } else { Telling::Words(words) }, said))
    }

    /// Whether the driver compares the outputs of its starts at its end, with lines that show them: it then misses one that is answered otherwise, or does not
    /// complain of it any longer.
    fn compares(&self, seen: &Seen) -> Result<Option<Told>, SuiteError> {
        let Seen { kept, first, replies, .. } = *seen;
        let Some(reading) = &seen.otherwise else { return Ok(None) };
        let (as_is, otherwise) = (first.whole(), reading.whole());
        let all = Change::between(&as_is, &otherwise);
        let is_missed = |reply: &Reply| {
            let alike = replies.iter().filter(|other| other.stdout == reply.stdout).count();
            all.times_missed(&reply.stdout) >= alike
        };
        let mut said: Vec<Said> =
            replies.iter().map(|reply| if is_missed(reply) { Said::Pass } else { Said::Nothing }).collect();
        let has_passing = said.contains(&Said::Pass);
        let unclear = |at: &usize| said[*at] == Said::Nothing && !replies[*at].stdout.is_empty();
        let asked: Vec<usize> = (0..replies.len()).filter(unclear).collect();
        if !has_passing || asked.len() > MOST_ASKED {
            return Ok(None);
        }
        for number in asked {
            let other = otherwise_answered(number, &replies[number], false);
            let reading = self.replay(kept, [(number, &other)], None)?;
            said[number] = Change::between(&as_is, &reading.whole()).told(&replies[number].stdout);
        }
        let n_failing = said.iter().filter(|said| **said == Said::Fail).count();
        Ok((n_failing > 0).then_some((Telling::Compares(n_failing), said)))
    }

    /// What the driver says where all its programs answer something else, but for a few that decide what it starts: it asks one for its version, say.
    fn answered_otherwise(
        &self,
        kept: &Path,
        first: &Reading,
        replies: &[Reply],
        is_status_changed: bool,
    ) -> Result<Option<Reading>, SuiteError> {
        let others: Vec<Reply> = replies
            .iter()
            .enumerate()
            .map(|(number, reply)| otherwise_answered(number, reply, is_status_changed))
            .collect();
        let mut deciding = BTreeSet::new();
        let replay = |count: usize, deciding: &BTreeSet<usize>| {
            let instead = others.iter().enumerate().take(count).filter(|(number, _)| !deciding.contains(number));
            self.replay(kept, instead, None)
        };
        let is_same = |reading: &Reading| reading.after.len() == first.after.len();
        for _ in 0..=MOST_DECIDING {
            let reading = replay(others.len(), &deciding)?;
            if is_same(&reading) {
                return Ok(Some(reading));
            }
            // The first whose other answer, with those before it, changes how many there are.
            let (mut least, mut most) = (0, others.len() - 1);
            while least < most {
                let middle = least.midpoint(most);
                match is_same(&replay(middle + 1, &deciding)?) {
                    true => least = middle + 1,
                    false => most = middle,
                }
            }
            if !deciding.insert(least) {
                break;
            }
        }
        Ok(None)
    }

    /// Whether the driver stops at the first case that fails, and that is its last start: it notices another output of the one before, or another status
    /// where the last one's may be wrong. One that only chains its starts (`a && b`) and compares later does not notice an output.
    fn stops(&self, kept: &Path, first: &Reading, replies: &[Reply]) -> Result<Result<Told, &'static str>, SuiteError> {
        let last = replies.len().saturating_sub(1);
        for number in (last.saturating_sub(LOOKED_AT)..last).rev() {
            if self.stops_at(kept, first, replies, number)? {
                // One that only leaves out what depends on an answer goes on after another first one.
                let early = self.replay(kept, [(0, &otherwise_answered(0, &replies[0], true))], None)?;
                if early.after.len() != 1 {
                    break;
                }
                let said = (0..last).map(|_| Said::Pass).chain([Said::Fail]).collect();
                return Ok(match number + 1 == last {
                    true => Ok((Telling::Stops, said)),
                    false => Err("it stops at a case with several starts of programs"),
                });
            }
        }
        Ok(Err("it does not say after each start of a program whether it did what it should"))
    }

    /// Whether the driver goes no further where a start before the last is answered otherwise.
    fn stops_at(&self, kept: &Path, first: &Reading, replies: &[Reply], number: usize) -> Result<bool, SuiteError> {
        let stops = |is_status_changed: bool| {
            let other = otherwise_answered(number, &replies[number], is_status_changed);
            Ok::<_, SuiteError>(self.replay(kept, [(number, &other)], None)?.after.len() < first.after.len())
        };
        let is_wrong = |reply: &Reply| reply.status != 0;
        Ok(stops(false)? || replies.last().is_some_and(is_wrong) && stops(true)?)
    }
}

impl Telling {
    /// Whether by this run of a driver, of so many starts, the one with this number does what it should.
    pub(super) fn has_passed(&self, reading: &Reading, number: usize, n_starts: usize) -> bool {
        let goes_on = reading.after.len() > number + 1;
        let said = reading.after.get(number).map(Vec::as_slice).unwrap_or_default();
        let has_passed = match self {
            // What is told at the end is told of all of them together.
            Telling::Passes | Telling::One | Telling::Compares(_) => false,
            Telling::Stops => goes_on,
            Telling::Words(words) => (goes_on || number + 1 == n_starts) && words.said(said) != Said::Fail,
            Telling::Breaks(words) => goes_on && words.said(said) != Said::Fail,
            Telling::Each => (goes_on || number + 1 == n_starts) && !shows_difference(said),
        };
        has_passed || reading.verdict == Verdict::Pass
    }
}

/// How a driver tells, and what it says after each start.
pub(super) type Told = (Telling, Vec<Said>);

/// A way of a driver to tell, from what was seen of it; nothing where it tells in another way.
type Way = fn(&Driver, &Seen) -> Result<Option<Told>, SuiteError>;

/// Another answer of the start with this number than this one.
pub(super) fn otherwise_answered(number: usize, reply: &Reply, is_status_changed: bool) -> Reply {
    let status = match (is_status_changed, reply.status) {
        (false, status) => status,
        (true, 0) => 1 << 8,
        (true, _) => 0,
    };
    Reply { stdout: format!("{OTHERWISE} {number} {OTHERWISE}\n").into(), status, ..reply.clone() }
}

pub(super) fn refused(what: &'static str) -> impl Fn(std::io::Error) -> SuiteError {
    move |source| SuiteError::Io { what, path: std::env::temp_dir(), source }
}

/// What judges a start of a program whose driver fails because of it: the driver, which gets its answer.
#[derive(Debug)]
pub(super) struct Driven {
    pub(super) driver: Driver,
    /// The directory of its starts.
    pub(super) kept: PathBuf,
    pub(super) telling: Telling,
    pub(super) number: usize,
    /// How many programs it starts.
    pub(super) n_starts: usize,
    /// What it answered.
    pub(super) wrong: Reply,
    /// What it should have answered, if that is known.
    pub(super) wanted: Option<Reply>,
    /// Whether its standard error goes where its output goes.
    pub(super) is_merged: bool,
    /// What the driver says of that.
    pub(super) complaint: String,
    /// What it says of other answers.
    pub(super) known: Mutex<HashMap<Answered, Judged>>,
}

/// A status, and what was written to both outputs.
type Answered = (i32, Vec<u8>, Vec<u8>);
/// A verdict, and why.
type Judged = (Verdict, String);

impl Judge for Driven {
    fn judge(&self, outcome: &Outcome) -> Judgement {
        let Some(reply) = Reply::of(outcome, self.wrong.file) else {
            return Judgement::fail(outcome.status.to_string());
        };
        if self.is_same(&reply, &self.wrong) {
            return self.differing(&reply);
        }
        if self.wanted.as_ref().is_some_and(|wanted| self.is_same(&reply, wanted)) {
            return Judgement::pass();
        }
        // Nobody knows what a script does with what a broken program writes.
        if let Some(signal) = crash(outcome.status).filter(|_| reply.status != self.wrong.status) {
            return Judgement::fail(status_text(Status::Signaled(signal)));
        }
        if self.is_further(&reply) {
            return self.differing(&reply);
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (reply.status, reply.stdout.clone(), reply.stderr.clone());
        let (verdict, why) = known.entry(key).or_insert_with(|| self.ask(&reply)).clone();
        if verdict == Verdict::Pass { Judgement::pass() } else { Judgement::new(verdict, why) }
    }

    fn wanted(&self) -> Option<&[u8]> {
        self.wanted.as_ref().map(|wanted| wanted.stdout.as_slice())
    }

    fn identity(&self) -> Vec<u8> {
        let replies: Vec<&Reply> = [&self.wrong].into_iter().chain(&self.wanted).collect();
        let statuses: Vec<u8> = replies.iter().flat_map(|reply| reply.status.to_le_bytes()).collect();
        let mut texts = vec![self.complaint.as_bytes()];
        texts.extend(replies.iter().flat_map(|reply| [reply.stdout.as_slice(), &reply.stderr]));
        let lengths: Vec<u8> = texts.iter().flat_map(|text| (text.len() as u64).to_le_bytes()).collect();
        [statuses, lengths, texts.concat()].concat()
    }
}

impl Driven {
    /// The driver's complaint of an answer, with where that is not the wanted one.
    fn differing(&self, reply: &Reply) -> Judgement {
        let wanted = self.wanted.as_ref();
        let mismatch = wanted.and_then(|wanted| Mismatch::first(&wanted.stdout, &reply.stdout));
        Judgement { mismatch, ..Judgement::fail(self.complaint.clone()) }
    }

    fn is_same(&self, reply: &Reply, other: &Reply) -> bool {
        (reply.status, &reply.stdout) == (other.status, &other.stdout)
            && (self.is_merged || reply.stderr == other.stderr)
    }

    /// Whether an answer is no nearer to what is wanted than the wrong one, so that the driver need not be asked. A driver that leaves out some of what
    /// it compares wants answers that differ from the right one, but less than the wrong one does.
    fn is_further(&self, reply: &Reply) -> bool {
        self.wanted.as_ref().is_some_and(|wanted| {
            let wrongs =
                |reply: &Reply| n_changed(&reply.stdout, &wanted.stdout) + usize::from(reply.status != wanted.status);
            wrongs(reply) >= wrongs(&self.wrong).max(1)
        })
    }

    /// Whether the driver, which complains of several starts at its end, does not of this answer.
    fn is_right_beside_wrong(&self, reply: &Reply, reading: &Reading) -> bool {
        let Ok(as_is) = self.driver.replay(&self.kept, [], None) else { return false };
        Change::between(&as_is.whole(), &reading.whole()).mends(&self.wrong.stdout, &reply.stdout)
    }

    /// Has the driver look at another answer.
    fn ask(&self, reply: &Reply) -> Judged {
        // One that tells at its end has to reach it.
        let last = (!matches!(self.telling, Telling::Compares(_) | Telling::One)).then_some(self.number);
        let reading = match self.driver.replay(&self.kept, [(self.number, reply)], last) {
            Ok(reading) => reading,
            Err(error) => return (Verdict::Error, error.to_string()),
        };
        let said = reading.after.get(self.number).map(Vec::as_slice).unwrap_or_default();
        let complaint = match &self.telling {
            Telling::Words(words) => words.complaint(said),
            Telling::Breaks(words) => words.complaint(said).or_else(|| last_words(said)),
            _ => None,
        };
        let is_one_of_several = matches!(self.telling, Telling::Compares(2..));
        // No difference shows another status.
        let is_shown = self.telling != Telling::Each || reply.status == self.wrong.status;
        let has_passed = is_shown && self.telling.has_passed(&reading, self.number, self.n_starts)
            || is_one_of_several && self.is_right_beside_wrong(reply, &reading);
        match has_passed {
            true => (Verdict::Pass, String::new()),
            false => (Verdict::Fail, complaint.unwrap_or_else(|| self.complaint.clone())),
        }
    }
}

/// What a driver says last, for a message.
pub(super) fn last_words(text: &[u8]) -> Option<String> {
    let text = without_make(text);
    text.split(|byte| *byte == b'\n').map(|line| line.trim_ascii()).rfind(|line| !line.is_empty()).map(clip)
}

/// The directory of a start.
pub(super) fn of_start(kept: &Path, number: usize) -> PathBuf {
    start_directory(kept, number)
}
