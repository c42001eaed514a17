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

    /// The kind of path that a model closes.
    fn closed_by(proof: Proof) -> Confounding {
        match proof {
            Proof::Approximate => Confounding::Control,
            Proof::Exact => Confounding::Data,
            Proof::Unverified => Confounding::Other,
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

/// How the causes `found` by patching run [`Side::First`] without guard rails differ from the `proved` ones; nothing where none are proved. `unguided` runs
/// it with a patch as that method does, `guided` runs a side under the model that proved the causes.
pub fn deviation(
    proved: &Inference,
    found: Option<&[Difference]>,
    mut unguided: impl FnMut(&[&Difference]) -> Verdict,
    mut guided: impl FnMut(Side, &[&Difference]) -> Verdict,
) -> Option<Deviation> {
    if proved.proof == Proof::Unverified {
        return None;
    }
    let closed = Confounding::closed_by(proved.proof);
    let Some(found) = found else { return Some(Deviation { failed: Some(closed), ..Deviation::default() }) };
    let without = |all: &[Difference], others: &[Difference]| {
        all.iter().filter(|one| others.iter().all(|other| other.location != one.location)).count()
    };
    let (n_missing, n_extra) = (without(&proved.causes, found), without(found, &proved.causes));
    let extra = (n_extra > 0).then(|| {
        let all: Vec<&Difference> = proved.causes.iter().collect();
        let kind = match unguided(&all) {
            Verdict::Induced | Verdict::Unresolved(Stop::Unknown | Stop::MissingObject | Stop::GivenUp) => {
                Confounding::Other
            }
            _ => closed,
        };
        (n_extra, kind)
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
