//! Which differences are causes: patched runs, by the ladder of models.

use super::super::args::{ExplainArguments, ExplainMethod, Model};
use super::Case;
use crate::comparison::{
    Difference, DualSlice, Effect, Inference, Offline, Proof, Side, States, Stop, Verdict, explain_step, infer,
};
use crate::recording::Meaning;

/// Proves steps.
pub struct Prover<'c, 'a> {
    case: &'c Case<'a>,
    method: ExplainMethod,
    model: Model,
    stops: Vec<Stop>,
}

impl<'c, 'a> Prover<'c, 'a> {
    /// A prover of what is asked for.
    pub fn new(case: &'c Case<'a>, arguments: &ExplainArguments, _: &Effect) -> Self {
        Prover { case, method: arguments.method, model: arguments.model, stops: Vec::new() }
    }

    /// The causes among `cut`.
    pub fn infer(&mut self, slice: &DualSlice<'_>, states: &States<'_>, cut: &[Difference]) -> Inference {
        let unverified = || Inference { causes: cut.to_vec(), proof: Proof::Unverified, executions: 0 };
        if self.method == ExplainMethod::Dual {
            return unverified();
        }
        let semantics = Meaning::new(self.case.code, self.case.runs, self.case.pair);
        let offline = Offline { slice, states, names: &self.case.runs.naming.names, semantics: &semantics };
        let mut stops = Vec::new();
        let mut watch = |verdict: Verdict| {
            if let Verdict::Unresolved(stop) = verdict {
                stops.push(stop);
            }
            verdict
        };
        let inference = match self.model {
            Model::Ladder => {
                let approximate = |side: Side, patch: &[&Difference]| offline.approximate(side, patch);
                explain_step(cut, approximate, |side, patch| watch(offline.exact(side, patch)))
            }
            Model::Approximate => {
                let (found, executions) = infer(cut, |side, patch| watch(offline.approximate(side, patch)));
                found.map_or_else(
                    || Inference { executions, ..unverified() },
                    |causes| Inference { causes, proof: Proof::Approximate, executions },
                )
            }
            Model::Exact => {
                let (found, executions) = infer(cut, |side, patch| watch(offline.exact(side, patch)));
                found.map_or_else(
                    || Inference { executions, ..unverified() },
                    |causes| Inference { causes, proof: Proof::Exact, executions },
                )
            }
        };
        if inference.proof == Proof::Unverified {
            self.stops.extend(stops);
        }
        inference
    }

    /// Why steps could not be proved, as sentences.
    pub fn problems(self) -> Vec<String> {
        let mut stops: Vec<&str> = self.stops.iter().map(|stop| words(*stop)).collect();
        stops.sort_unstable();
        stops.dedup();
        stops.into_iter().map(|stop| format!("a patched run told nothing: {stop}")).collect()
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
