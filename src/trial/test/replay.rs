//! One trial by the reference executor, with what it wrote.

use super::{Encoded, JUDGED, TestTrials};
use crate::trial::frame::{Answer, Ask, Ran, Stop};
use crate::trial::judge::Finished;
use crate::trial::{Executor, Mutant, Observation, TrialError, Worker};

/// What one trial showed.
#[derive(Debug)]
pub struct Replayed {
    /// As [`TestTrials::run`] tells it.
    pub observation: Observation,
    /// What was written to standard output and error; the second is empty where the first takes both.
    pub written: [Written; 2],
}

/// What was written to one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The first bytes.
    pub bytes: Vec<u8>,
    /// How many there were in all.
    pub length: u64,
}

impl TestTrials {
    /// Runs `mutant` once, as a process tree of its own, each process with `budget` hooks and ticks. The first MiB of each output is kept.
    ///
    /// # Errors
    /// When the worker cannot be kept alive, or the system refuses files.
    pub fn replay(&self, worker: &mut Worker, mutant: &Mutant, budget: u64) -> Result<Replayed, TrialError> {
        let judge = self.judge();
        let Some(encoded) = Encoded::of(mutant, &self.oracle, &self.sites) else {
            let observation = judge.same(Executor::Exec);
            return Ok(Replayed { observation, written: written(&self.summary.ran) });
        };
        self.load(worker)?.set_mutants(&[&encoded]);
        let stop = Stop { keep: self.kept(), ..self.stop(budget) };
        let asked = worker.ask(&Ask::Exec(Some((0, 1)), stop))?;
        match asked.and_then(|()| worker.answer()) {
            Ok(Answer::Ran(ran)) => {
                let written = written(&ran);
                Ok(Replayed { observation: judge.observe(Finished::of_tree(ran, true)), written })
            }
            Ok(Answer::Refused(problem)) => {
                Err(TrialError::Worker { problem: format!("cannot run a trial: {problem}") })
            }
            Ok(Answer::Understood) | Err(_) => {
                worker.stop();
                let nothing = Written { bytes: Vec::new(), length: 0 };
                let observation = judge.unknown(Executor::Exec, false);
                Ok(Replayed { observation, written: [nothing.clone(), nothing] })
            }
        }
    }
}

fn written(ran: &Ran) -> [Written; 2] {
    let of = |at: usize| {
        let written = &ran.outputs[at];
        let kept = written.bytes.len().min(JUDGED as usize);
        Written { bytes: written.bytes[..kept].to_vec(), length: written.length }
    };
    [of(0), of(1)]
}
