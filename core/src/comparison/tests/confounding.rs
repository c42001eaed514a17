//! Causes that go astray, and why: the paper's figures, worked out by hand.

use super::case::{Meaning, Recorded};
use super::language::Program;
use super::programs::*;
use super::question::Question;
use crate::comparison::Confounding::{Control, Data, Omission, Other};
use crate::comparison::*;

type Inputs = [&'static [i64]; 2];

/// How cause state minimisation into the first run deviates from what the ladder of models proves.
fn of_csm(program: &Program, inputs: Inputs, cause: u32, effect: (u32, Option<&str>)) -> Option<Deviation> {
    let mut question = Question::new(program, inputs, cause, effect);
    let all = question.differences();
    let (points, effect) = (question.cause, question.effect.clone());
    let (found, _) =
        csm(&all, Side::First, |side, patch| question.recorded.execute_again(side, points, &effect, patch, None));
    of(&question, inputs, found.as_deref())
}

/// How the causes `found` deviate.
fn of(question: &Question<'_>, inputs: Inputs, found: Option<&[Difference]>) -> Option<Deviation> {
    let (recorded, effect) = (&question.recorded, &question.effect);
    // Two recordings of one program number everything alike; one of them runs again.
    let mut process = Recorded::new(recorded.program, inputs[0], inputs[1]).unwrap();
    let pair = recorded.pair();
    let slice = DualSlice::new(&pair, effect, Rules::Repaired);
    let states = States::before(&pair, question.cause[0], &recorded.names).unwrap();
    let semantics = Meaning { program: recorded.program, inputs: &recorded.inputs, names: &recorded.names };
    let offline = Offline { slice: &slice, states: &states, names: &recorded.names, semantics: &semantics };
    let approximate = |side: Side, patch: &[&Difference]| offline.approximate(side, patch);
    let exact = |side: Side, patch: &[&Difference]| offline.exact(side, patch);
    let proved = explain_step(&slice.cut(&states), approximate, exact);
    let unguided = |patch: &[&Difference]| process.execute_again(Side::First, question.cause, effect, patch, None);
    let causes: Vec<&Difference> = proved.causes.iter().collect();
    let closed = Confounding::closed_by(proved.proof, |side| approximate(side, &causes));
    match proved.proof {
        Proof::Exact => deviation(&proved, closed, found, unguided, exact),
        _ => deviation(&proved, closed, found, unguided, approximate),
    }
}

fn missing(n: usize, why: Confounding) -> Option<Deviation> {
    Some(Deviation { missing: Some((n, why)), ..Deviation::default() })
}

fn extra(n: usize, why: Confounding) -> Option<Deviation> {
    Some(Deviation { extra: Some((n, why)), ..Deviation::default() })
}

#[test]
fn minimisation_goes_astray_as_the_figures_say() {
    // Fig. 1: without rails y > z turns, so z is patched as well.
    assert_eq!(of_csm(&fig1(), [&[3, 1, 2], &[4, 5, 7]], 4, (7, Some("y"))), extra(1, Control));
    // Fig. 2: x alone has e1 show e2's value, but not e2 that of e1, which leaves line 6 out.
    assert_eq!(of_csm(&fig2(), [&[1, 2], &[3, -2]], 5, (7, Some("x"))), missing(1, Omission));
    assert_eq!(of_csm(&fig2(), [&[1, 2], &[3, -2]], 3, (7, Some("x"))), Some(Deviation::default()));
    // Fig. 3: without z the read of x[y] sees what line 4 stored, which guard rails do not prevent.
    assert_eq!(of_csm(&fig3(), [&[0, 1], &[1, 2]], 4, (5, None)), extra(1, Data));
    assert_eq!(of_csm(&fig4(), [&[7, 1, 1, 2], &[8, 1, 3, -5]], 5, (11, Some("z"))), Some(Deviation::default()));
    // Fig. 8: mkdir's result alone leads to the error, which errno and the name prevent.
    assert_eq!(of_csm(&fig8(), [&[3, 1], &[2, 1]], 7, (14, Some("status"))), extra(2, Control));
    // {a} selects a case that neither run takes.
    assert_eq!(of_csm(&ext_switch(), [&[0, 1], &[2, 3]], 3, (7, Some("r"))), missing(1, Control));
}

#[test]
fn causes_that_fail_or_are_as_good_are_told_apart() {
    let (program, inputs): (Program, Inputs) = (fig1(), [&[3, 1, 2], &[4, 5, 7]]);
    let question = Question::new(&program, inputs, 4, (7, Some("y")));
    assert_eq!(of(&question, inputs, None).unwrap().failed, Some(Control));
    // What suffices in both directions under the model is none of the kinds; z is no part of it.
    let all = question.patch(&["y", "z"]);
    let without = |_: &[&Difference]| Verdict::Induced;
    let proved = Inference { causes: question.patch(&["y"]), proof: Proof::Approximate, executions: 0 };
    let found = deviation(&proved, Control, Some(&all), without, |_, _| Verdict::Induced);
    assert_eq!(found, extra(1, Other));
    let found = deviation(&proved, Control, Some(&question.patch(&["z"])), without, |_, _| Verdict::Induced);
    assert_eq!(found, Some(Deviation { missing: Some((1, Other)), extra: Some((1, Other)), failed: None }));
    // Nothing is measured against what nobody proved.
    let unproved = Inference { proof: Proof::Unverified, ..proved };
    assert_eq!(deviation(&unproved, Control, Some(&all), without, |_, _| Verdict::Induced), None);
    // Rails that could not be asked have not failed.
    let unknown = |_| Verdict::Unresolved(Stop::Unknown);
    assert_eq!(Confounding::closed_by(Proof::Exact, unknown), Other);
    assert_eq!(Confounding::closed_by(Proof::Exact, |_| Verdict::NotInduced), Data);
    assert_eq!(Confounding::of_stops(&[Stop::Broken, Stop::ControlConfounded]), Control);
    assert_eq!(Confounding::of_stops(&[Stop::ControlConfounded, Stop::DataConfounded]), Data);
    assert_eq!(Confounding::of_stops(&[Stop::Broken]), Other);
}
