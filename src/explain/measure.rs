//! What a study measures of an explanation beside what it says: the ideal one, and how other methods do on each of its steps.

use std::cell::RefCell;
use std::time::Instant;

use super::process::Processes;
use super::prover::Prover;
use super::recorded::RecordingRoom;
use super::request::{Method, Request};
use super::{Case, explanation_of, is_over, second};
use crate::comparison::{
    Confounding, Deviation, Difference, DualSlice, Effect, Inference, Offline, Proof, Side, States, Stop, Verdict,
    chop, deviation,
};
use crate::obstacle::Obstacle;
use crate::recording::Meaning;
use crate::report::{Explanation, Place};

/// Collects what is measured while an explanation is made.
pub(super) struct Measure {
    /// Lines that are known to be faulty.
    pub(super) faults: Vec<Place>,
    /// The lines of the ideal explanation.
    pub(super) ideal: RefCell<Vec<Place>>,
    /// Of each step.
    steps: RefCell<Vec<JudgedStep>>,
}

/// How methods do on one step of comparative causality's chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedStep {
    /// Differences that the effect depends on, and how many of them are proved to be its causes.
    pub in_flight: usize,
    /// The causes.
    pub causes: usize,
    /// Why nothing is proved, if so.
    pub unproved: Option<Confounding>,
    /// How cause state minimisation deviates on the same step; nothing where it cannot be asked, or there is nothing to deviate from.
    pub csm: Option<Deviation>,
}

/// An explanation and what was measured of it.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The explanation.
    pub explanation: Explanation,
    /// The lines by way of which the faulty ones influence the effect in the failing run; none if they do not.
    pub ideal: Vec<Place>,
    /// Of comparative causality: its steps.
    pub steps: Vec<JudgedStep>,
}

/// Explains a failing test of the room, whose faulty lines are known, as `request` says.
///
/// # Errors
/// As [`super::explain`].
pub fn measured(
    room: &RecordingRoom<'_>,
    test: &str,
    request: &Request,
    faults: Vec<Place>,
) -> Result<Measured, Obstacle> {
    let measure = Measure { faults, ideal: RefCell::default(), steps: RefCell::default() };
    let until = Instant::now() + request.budget;
    let (explanation, _) = explanation_of(room, room.test(test)?, (request, Some(&measure)), until, &|_| ())?;
    Ok(Measured { explanation, ideal: measure.ideal.into_inner(), steps: measure.steps.into_inner() })
}

/// The passing test that does most of what a failing one does, by the last `suspect test`.
///
/// # Errors
/// When none passes, or none does anything that it does.
pub fn most_alike(room: &RecordingRoom<'_>, test: &str) -> Result<String, Obstacle> {
    let passing = second::passing(room, room.test(test)?, None)?;
    passing.most_alike.map_err(|why| Obstacle::new(Obstacle::Tests, format!("{test}: {why}")))
}

impl Case<'_> {
    /// The lines of the chop of the failing run from the faulty lines to the effect.
    pub(super) fn ideal(&self, faults: &[Place], effect: &Effect) -> Vec<Place> {
        let side = Side::Second;
        let starts: Vec<u32> =
            faults.iter().flat_map(|fault| self.words.points_on(side, &fault.file, fault.line)).collect();
        let points = chop(&self.runs.runs[side.index()], &starts, effect);
        let lines = self.finder.lines(side, points.into_iter());
        lines.into_iter().map(|(file, line)| Place { file, line }).collect()
    }
}

impl Prover<'_, '_> {
    /// The causes among `cut`, as [`Prover::infer`]; in a study, how methods do on this step is noted.
    pub(super) fn infer_and_judge(
        &mut self,
        slice: &DualSlice<'_>,
        states: &States<'_>,
        cut: &[Difference],
    ) -> Inference {
        let known = self.stops.len();
        let inference = self.infer(slice, states, cut);
        let Some(measure) = self.case.measure.filter(|_| self.method == Method::Cc && self.given_up().is_none()) else {
            return inference;
        };
        let unproved = (inference.proof == Proof::Unverified).then(|| Confounding::of_stops(&self.stops[known..]));
        let csm = unproved.is_none().then(|| self.deviation_of_csm(slice, states, &inference)).flatten();
        let step = JudgedStep { in_flight: cut.len(), causes: inference.causes.len(), unproved, csm };
        measure.steps.borrow_mut().push(step);
        inference
    }

    fn deviation_of_csm(
        &mut self,
        slice: &DualSlice<'_>,
        states: &States<'_>,
        proved: &Inference,
    ) -> Option<Deviation> {
        let cause = states.points();
        let can_ask =
            |processes: &Processes| proved.causes.iter().all(|one| processes.can_patch(Side::First, cause, one));
        self.processes.as_ref().filter(|processes| can_ask(processes))?;
        let stops = self.stops.clone();
        let found = self.minimise(slice, states);
        // Why another method proves nothing is no problem of this explanation.
        self.stops = stops;
        let found = (found.proof != Proof::Unverified).then_some(found.causes);
        let processes = self.processes.as_ref()?;
        let semantics = Meaning::new(self.case.code, self.case.runs, self.case.pair);
        let offline = Offline { slice, states, names: &self.case.runs.naming.names, semantics: &semantics };
        let unguided = |patch: &[&Difference]| {
            let ran = processes.run(Side::First, cause, patch, slice.effect, false);
            ran.unwrap_or(Verdict::Unresolved(Stop::Unknown))
        };
        let railed = |side: Side, patch: &[&Difference]| {
            let ran = processes.run(side, cause, patch, slice.effect, true);
            ran.unwrap_or_else(|| offline.approximate(side, patch))
        };
        let guided = |side: Side, patch: &[&Difference]| match proved.proof {
            Proof::Exact => offline.exact(side, patch),
            _ => railed(side, patch),
        };
        let causes: Vec<&Difference> = proved.causes.iter().collect();
        // A process may fail for reasons of its own; the model is what the recordings say.
        let closed = Confounding::closed_by(proved.proof, |side| offline.approximate(side, &causes));
        let deviation = deviation(proved, closed, found.as_deref(), unguided, guided);
        // What there was no time for is not told from what fails.
        deviation.filter(|_| !is_over(self.until))
    }
}
