//! Proof of causes among differences: patched runs, by the ladder of models.

use std::collections::HashMap;
use std::time::Instant;

use super::forked::Forks;
use super::process::Processes;
use super::request::{Engine, Method, Model, Request};
use super::{Case, is_over};
use crate::comparison::{
    Difference, DualSlice, Inference, Offline, Proof, Side, States, Stop, Verdict, csm, differences, explain_step,
    infer,
};
use crate::obstacle::Obstacle;
use crate::recording::Meaning;

/// Proves steps.
pub struct Prover<'c, 'a> {
    pub(super) case: &'c Case<'a>,
    pub(super) method: Method,
    model: Model,
    engine: Engine,
    pub(super) processes: Option<Processes<'c, 'a>>,
    pub(super) stops: Vec<Stop>,
    /// By cause point: runs that were forked there.
    forked: HashMap<[u32; 2], u32>,
    pub(super) until: Instant,
    /// Differences of the first step for which there was not enough time.
    given_up: Option<usize>,
}

fn unverified(causes: &[Difference], executions: usize) -> Inference {
    Inference { causes: causes.to_vec(), proof: Proof::Unverified, executions }
}

impl<'c, 'a> Prover<'c, 'a> {
    /// A prover of what is asked for.
    pub fn new(case: &'c Case<'a>, request: &Request, until: Instant) -> Result<Self, Obstacle> {
        let processes = match request.engine {
            Engine::Process | Engine::Exec => Processes::new(case, case.room.directory())?,
            Engine::Offline => None,
        };
        Ok(Prover {
            case,
            method: request.method,
            model: request.model,
            engine: request.engine,
            processes,
            stops: Vec::new(),
            forked: HashMap::new(),
            until,
            given_up: None,
        })
    }

    /// The causes among `cut`; none once time is up.
    pub fn infer(&mut self, slice: &DualSlice<'_>, states: &States<'_>, cut: &[Difference]) -> Inference {
        if self.given_up.is_some() {
            return unverified(&[], 0);
        }
        let inference = match self.method {
            Method::Dual => unverified(cut, 0),
            Method::Csm => self.minimise(slice, states),
            Method::Cc => self.compare(slice, states, cut),
        };
        if is_over(self.until) {
            self.given_up = Some(cut.len());
        }
        inference
    }

    /// Of the step for which there was not enough time, if there was one: in how much the runs differ there.
    pub fn given_up(&self) -> Option<usize> {
        self.given_up
    }

    /// The verdict that stands for a run once time is up.
    fn over(until: Instant) -> Option<Verdict> {
        is_over(until).then_some(Verdict::Unresolved(Stop::GivenUp))
    }

    fn compare(&mut self, slice: &DualSlice<'_>, states: &States<'_>, cut: &[Difference]) -> Inference {
        let semantics = Meaning::new(self.case.code, self.case.runs, self.case.pair);
        let offline = Offline { slice, states, names: &self.case.runs.naming.names, semantics: &semantics };
        let (processes, cause) = (self.processes.as_ref(), states.points());
        let may_fork = processes.filter(|_| self.engine == Engine::Process);
        let mut forks = may_fork.and_then(|processes| Forks::new(processes, cause, cut, slice.effect));
        let stops = std::cell::RefCell::new(Vec::new());
        let watch = |verdict: Verdict| {
            if let Verdict::Unresolved(stop) = verdict {
                stops.borrow_mut().push(stop);
            }
            verdict
        };
        let until = self.until;
        let mut rails = |side: Side, patch: &[&Difference]| {
            if let Some(over) = Self::over(until) {
                return over;
            }
            let forked = forks.as_mut().and_then(|forks| forks.run(side, patch));
            let ran = || {
                processes.and_then(|processes| match patch.len() == cut.len() {
                    true => processes.run_whole(side, cause, patch, slice.effect),
                    false => processes.run(side, cause, patch, slice.effect, true),
                })
            };
            let verdict = forked.or_else(ran).unwrap_or_else(|| offline.approximate(side, patch));
            // Why all of the cut told nothing is why the step is not proved; parts of it may well.
            if patch.len() == cut.len() { watch(verdict) } else { verdict }
        };
        let alone = |proof: Proof, (found, executions): (Option<Vec<Difference>>, usize)| match found {
            Some(causes) => Inference { causes, proof, executions },
            None => unverified(cut, executions),
        };
        let exact =
            |side: Side, patch: &[&Difference]| Self::over(until).unwrap_or_else(|| watch(offline.exact(side, patch)));
        let inference = match self.model {
            Model::Ladder => explain_step(cut, &mut rails, exact),
            Model::Approximate => alone(Proof::Approximate, infer(cut, &mut rails)),
            Model::Exact => alone(Proof::Exact, infer(cut, exact)),
        };
        let forked = forks.map_or(0, |forks| forks.answered());
        if forked > 0 {
            self.forked.insert(cause, forked as u32);
        }
        if inference.proof == Proof::Unverified {
            self.stops.extend(stops.into_inner());
        }
        inference
    }

    /// Cause state minimisation, from the failing run's values in the passing one.
    pub(super) fn minimise(&mut self, slice: &DualSlice<'_>, states: &States<'_>) -> Inference {
        let all = differences(states, &self.case.runs.naming.names);
        let Some(processes) = &self.processes else { return unverified(&all, 0) };
        let fits = |one: &Difference| processes.can_patch(Side::First, states.points(), one);
        let all: Vec<Difference> = all.into_iter().filter(fits).collect();
        let until = self.until;
        let (found, executions) = csm(&all, Side::First, |side, patch| {
            if let Some(over) = Self::over(until) {
                return over;
            }
            let ran = processes.run(side, states.points(), patch, slice.effect, false);
            let verdict = ran.unwrap_or(Verdict::Unresolved(Stop::Unknown));
            if patch.len() == all.len()
                && let Verdict::Unresolved(stop) = verdict
            {
                self.stops.push(stop);
            }
            verdict
        });
        match found {
            Some(causes) => Inference { causes, proof: Proof::Approximate, executions },
            None => unverified(&[], executions),
        }
    }

    /// For each cause point where processes were forked: how many of the runs were.
    pub fn forked(&self) -> HashMap<[u32; 2], u32> {
        self.forked.clone()
    }

    /// True if a process did something else than its recorded run, before anything was patched.
    pub fn is_unsteady(&self) -> bool {
        self.processes.as_ref().is_some_and(|processes| Side::BOTH.into_iter().any(|side| processes.is_unsteady(side)))
    }

    /// Reasons why steps could not be proved, as sentences.
    pub fn problems(self) -> Vec<String> {
        let mut stops: Vec<&str> = self.stops.iter().map(|stop| words(*stop)).collect();
        stops.sort_unstable();
        stops.dedup();
        let failed = self.processes.and_then(Processes::failed);
        let stops = stops.into_iter().map(|stop| format!("a patched run told nothing: {stop}"));
        stops.chain(failed).collect()
    }
}

fn words(stop: Stop) -> &'static str {
    match stop {
        Stop::ControlConfounded => "it would go where neither run went",
        Stop::DataConfounded => "it would read what neither run read there",
        Stop::Unknown => {
            "it needs a value that neither run recorded, such as what a library would do with other arguments"
        }
        Stop::MissingObject => "it needs an object that does not exist in that run",
        Stop::EffectNotReached => "it did not come to the effect",
        Stop::Desync => "it was not where the recording says",
        Stop::Parted => "it went another way than the recorded run of the same test",
        Stop::Broken => "it crashed",
        Stop::OutOfTime => "it ran out of time",
        Stop::GivenUp => "there was no time left to run it",
    }
}
