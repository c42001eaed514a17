//! Which differences are causes: patched runs, by the ladder of models.

use super::super::args::{Engine, ExplainArguments, ExplainMethod, Model};
use super::super::exit::Failure;
use super::Case;
use super::process::Processes;
use crate::comparison::{
    Difference, DualSlice, Inference, Offline, Proof, Side, States, Stop, Verdict, csm, differences, explain_step,
    infer,
};
use crate::recording::Meaning;

/// Proves steps.
pub struct Prover<'c, 'a> {
    case: &'c Case<'a>,
    method: ExplainMethod,
    model: Model,
    processes: Option<Processes<'c, 'a>>,
    stops: Vec<Stop>,
}

fn unverified(causes: &[Difference], executions: usize) -> Inference {
    Inference { causes: causes.to_vec(), proof: Proof::Unverified, executions }
}

impl<'c, 'a> Prover<'c, 'a> {
    /// A prover of what is asked for.
    pub fn new(case: &'c Case<'a>, arguments: &ExplainArguments) -> Result<Self, Failure> {
        let processes = match arguments.engine {
            Engine::Process => Processes::new(case, case.room.directory())?,
            Engine::Offline => None,
        };
        Ok(Prover { case, method: arguments.method, model: arguments.model, processes, stops: Vec::new() })
    }

    /// The causes among `cut`.
    pub fn infer(&mut self, slice: &DualSlice<'_>, states: &States<'_>, cut: &[Difference]) -> Inference {
        match self.method {
            ExplainMethod::Dual => unverified(cut, 0),
            ExplainMethod::Csm => self.minimise(slice, states),
            ExplainMethod::Cc => self.compare(slice, states, cut),
        }
    }

    fn compare(&mut self, slice: &DualSlice<'_>, states: &States<'_>, cut: &[Difference]) -> Inference {
        let semantics = Meaning::new(self.case.code, self.case.runs, self.case.pair);
        let offline = Offline { slice, states, names: &self.case.runs.naming.names, semantics: &semantics };
        let (processes, cause) = (&self.processes, states.points());
        let rails = |side: Side, patch: &[&Difference]| {
            let ran = processes.as_ref().and_then(|processes| processes.run(side, cause, patch, slice.effect, true));
            ran.unwrap_or_else(|| offline.approximate(side, patch))
        };
        let stops = std::cell::RefCell::new(Vec::new());
        let watch = |verdict: Verdict| {
            if let Verdict::Unresolved(stop) = verdict {
                stops.borrow_mut().push(stop);
            }
            verdict
        };
        let alone = |proof: Proof, (found, executions): (Option<Vec<Difference>>, usize)| match found {
            Some(causes) => Inference { causes, proof, executions },
            None => unverified(cut, executions),
        };
        let inference = match self.model {
            Model::Ladder => explain_step(cut, rails, |side, patch| watch(offline.exact(side, patch))),
            Model::Approximate => alone(Proof::Approximate, infer(cut, |side, patch| watch(rails(side, patch)))),
            Model::Exact => alone(Proof::Exact, infer(cut, |side, patch| watch(offline.exact(side, patch)))),
        };
        if inference.proof == Proof::Unverified {
            self.stops.extend(stops.into_inner());
        }
        inference
    }

    /// Cause state minimisation, from the failing run's values in the passing one.
    fn minimise(&mut self, slice: &DualSlice<'_>, states: &States<'_>) -> Inference {
        let all = differences(states, &self.case.runs.naming.names);
        let Some(processes) = &self.processes else { return unverified(&all, 0) };
        let fits = |one: &Difference| processes.can_patch(Side::First, states.points(), one);
        let all: Vec<Difference> = all.into_iter().filter(fits).collect();
        let (found, executions) = csm(&all, Side::First, |side, patch| {
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

    /// Why steps could not be proved, as sentences.
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
        Stop::Broken => "it crashed or ran out of time",
    }
}
