//! Confounding: why a method that patches a run without guard rails finds other causes (Table II of the paper).
//!
//! The proved causes of comparative causality are the reference. A cause too many is blamed on the kind of path that the needed model closes: guard rails
//! close those of control flow, the exact model alone those of data flow. A cause too few is an omission where what was found suffices in one
//! direction only.

use super::infer::{Inference, Proof, Verdict};
use super::memory::Stop;
use super::run::Side;
use super::state::Difference;

/// Why causes are others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confounding {
    /// The patched run goes where neither run went.
    Control,
    /// It reads a definition where neither run did.
    Data,
    /// Code that one run leaves out hides a cause from who looks in one direction.
    Omission,
    /// Nothing of these: another set is as sufficient, or the run told nothing.
    Other,
}

impl Confounding {
    /// All kinds.
    pub const ALL: [Confounding; 4] =
        [Confounding::Control, Confounding::Data, Confounding::Omission, Confounding::Other];

    /// The kind of path that the model of a proof closes; `railed` says what the proved causes show in each run under guard rails alone.
    pub fn closed_by(proof: Proof, mut railed: impl FnMut(Side) -> Verdict) -> Confounding {
        match proof {
            Proof::Approximate => Confounding::Control,
            Proof::Exact if Side::BOTH.into_iter().any(|side| is_lost(railed(side))) => Confounding::Data,
            Proof::Exact | Proof::Unverified => Confounding::Other,
        }
    }

    /// The kind that stopped patched runs.
    pub fn of_stops(stops: &[Stop]) -> Confounding {
        match () {
            () if stops.contains(&Stop::DataConfounded) => Confounding::Data,
            () if stops.contains(&Stop::ControlConfounded) => Confounding::Control,
            () => Confounding::Other,
        }
    }
}

/// True if a patched run was seen not to bring the effect about: it was not just impossible to ask.
fn is_lost(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Induced | Verdict::Unresolved(Stop::Unknown | Stop::MissingObject | Stop::GivenUp))
}

/// How causes differ from the proved ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deviation {
    /// Causes that are missing, and why.
    pub missing: Option<(usize, Confounding)>,
    /// Causes too many, and why.
    pub extra: Option<(usize, Confounding)>,
    /// No set was found to be sufficient, and why.
    pub failed: Option<Confounding>,
}

/// How the causes `found` by patching run [`Side::First`] without guard rails differ from the `proved` ones; nothing where none are proved. `closed` is the
/// kind of path that their model closes, `unguided` runs with a patch as that method does, `guided` runs a side under the model.
pub fn deviation(
    proved: &Inference,
    closed: Confounding,
    found: Option<&[Difference]>,
    mut unguided: impl FnMut(&[&Difference]) -> Verdict,
    mut guided: impl FnMut(Side, &[&Difference]) -> Verdict,
) -> Option<Deviation> {
    if proved.proof == Proof::Unverified {
        return None;
    }
    let Some(found) = found else { return Some(Deviation { failed: Some(closed), ..Deviation::default() }) };
    let without = |all: &[Difference], others: &[Difference]| {
        all.iter().filter(|one| others.iter().all(|other| other.location != one.location)).count()
    };
    let (n_missing, n_extra) = (without(&proved.causes, found), without(found, &proved.causes));
    let extra = (n_extra > 0).then(|| {
        let all: Vec<&Difference> = proved.causes.iter().collect();
        (n_extra, if is_lost(unguided(&all)) { closed } else { Confounding::Other })
    });
    let missing = (n_missing > 0).then(|| {
        let all: Vec<&Difference> = found.iter().collect();
        let kind = match Side::BOTH.map(|side| guided(side, &all) == Verdict::Induced) {
            [true, true] => Confounding::Other,
            [true, false] => Confounding::Omission,
            [false, _] => closed,
        };
        (n_missing, kind)
    });
    Some(Deviation { missing, extra, failed: None })
}
