//! Inference of causes: a minimal set of differences that brings about the effect in both directions (section 1.6, Alg. 2).

use super::ddmin::ddmin;
use super::memory::Stop;
use super::run::Side;
use super::state::Difference;

/// What a patched run shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The effect point has the other run's values.
    Induced,
    /// It has not.
    NotInduced,
    /// Nothing.
    Unresolved(Stop),
}

/// How causes were proved (section 4.4, fall-back ladder).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// By patched runs under the approximate model.
    Approximate,
    /// By patched runs under the exact model, after the approximate model had rejected the full cut.
    Exact,
    /// By none: the causes are the whole cut, which is relevant, but not shown to be sufficient.
    Unverified,
}

/// Causes of an effect at one cause point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// The differences, by location.
    pub causes: Vec<Difference>,
    /// How they were proved.
    pub proof: Proof,
    /// Patched runs that it took.
    pub executions: usize,
}

/// A minimal subset of `cut` that is sufficient in both directions, and how many patched runs it took; nothing if the full cut is not
/// sufficient. `run` executes the given side with the other side's values of a patch; where it gives up, what was found to be sufficient until then need not
/// be minimal.
pub fn infer(
    cut: &[Difference],
    mut run: impl FnMut(Side, &[&Difference]) -> Verdict,
) -> (Option<Vec<Difference>>, usize) {
    let mut executions = 0;
    let (minimal, _) = ddmin(cut.len(), |subset| {
        let patch: Vec<&Difference> = subset.iter().map(|member| &cut[*member]).collect();
        for side in Side::BOTH {
            match run(side, &patch) {
                Verdict::Induced => executions += 1,
                Verdict::Unresolved(Stop::GivenUp) => return None,
                _ => {
                    executions += 1;
                    return Some(false);
                }
            }
        }
        Some(true)
    });
    (minimal.map(|minimal| chosen(cut, &minimal.members)), executions)
}

/// Cause state minimisation, the method that comparative causality is measured against (section 1.5): a minimal subset of all state
/// differences that induces the effect in run `side` alone, with ordinary semantics.
pub fn csm(
    differences: &[Difference],
    side: Side,
    mut run: impl FnMut(Side, &[&Difference]) -> Verdict,
) -> (Option<Vec<Difference>>, usize) {
    let (minimal, tests) = ddmin(differences.len(), |subset| {
        let patch: Vec<&Difference> = subset.iter().map(|member| &differences[*member]).collect();
        match run(side, &patch) {
            Verdict::Unresolved(Stop::GivenUp) => None,
            verdict => Some(verdict == Verdict::Induced),
        }
    });
    (minimal.map(|minimal| chosen(differences, &minimal.members)), tests)
}

/// One step of an explanation: the causes in `cut`, by the approximate model if that accepts the full cut, else by the exact one, else the
/// whole cut as it is (section 4.4).
pub fn explain_step(
    cut: &[Difference],
    approximate: impl FnMut(Side, &[&Difference]) -> Verdict,
    exact: impl FnMut(Side, &[&Difference]) -> Verdict,
) -> Inference {
    let (found, tried) = infer(cut, approximate);
    if let Some(causes) = found {
        return Inference { causes, proof: Proof::Approximate, executions: tried };
    }
    let (found, more) = infer(cut, exact);
    let proof = if found.is_some() { Proof::Exact } else { Proof::Unverified };
    Inference { causes: found.unwrap_or_else(|| cut.to_vec()), proof, executions: tried + more }
}

fn chosen(differences: &[Difference], members: &[usize]) -> Vec<Difference> {
    members.iter().map(|member| differences[*member].clone()).collect()
}
