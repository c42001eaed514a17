//! What the figures' explanations say beyond the table: why a method fails, what exactly is recorded.

use super::case::Recorded;
use super::language::{Program, number};
use super::programs::*;
use super::question::{Model, Question, one};
use super::static_slice;
use crate::comparison::*;

#[test]
fn control_flow_confounding_is_prevented_by_guard_rails() {
    let program = fig1();
    let mut question = Question::new(&program, [&[3, 1, 2], &[4, 5, 7]], 4, (7, Some("y")));
    assert_eq!(question.again(Side::First, &["y"], None), one(0), "y > z becomes true");
    assert_eq!(question.again(Side::First, &["y", "z"], None), one(6));
    let plan = Plan::new(&question.recorded.pair());
    assert_eq!(question.again(Side::First, &["y"], Some(&plan)), one(6));
}

#[test]
fn causes_that_are_sufficient_in_one_direction_only_are_none() {
    let program = fig2();
    let inputs: [&[i64]; 2] = [&[1, 2], &[3, -2]];
    let mut question = Question::new(&program, inputs, 5, (7, Some("x")));
    assert_eq!(question.again(Side::First, &["x"], None), one(3));
    assert_eq!(question.again(Side::Second, &["x"], None), one(1), "1 < 0 is false");
    let mut question = Question::new(&program, inputs, 3, (7, Some("x")));
    assert_eq!(
        question.again(Side::First, &["x"], None),
        one(10),
        "the root cause that CSM finds brings about nothing"
    );
}

#[test]
fn dual_slices_hold_omissions_that_no_dynamic_slice_holds() {
    let program = fig2();
    let question = Question::new(&program, [&[1, 2], &[3, -2]], 3, (7, Some("x")));
    let expected: [&[u32]; 2] = [&[1, 2, 5, 6, 7], &[1, 7]];
    for side in Side::BOTH {
        let slice = dynamic_slice(&question.recorded.runs[side.index()], question.effect.points[side.index()], None);
        assert_eq!(question.recorded.lines_of(side, &slice), expected[side.index()]);
    }
}

#[test]
fn data_flow_confounding_stops_the_approximate_model() {
    let program = fig3();
    let question = Question::new(&program, [&[0, 1], &[1, 2]], 4, (5, None));
    let results = |value| Ok(vec![number(value), Value::Number(u64::from(NONE))]);
    assert_eq!(
        question.offline(Rules::Repaired, Model::Approximate, Side::First, &["y"]),
        results(5),
        "just overwritten"
    );
    assert_eq!(question.offline(Rules::Repaired, Model::Exact, Side::First, &["y"]), results(2));
    // As printed, Fig. 5 takes for x[y] what e1 read there, whatever y is.
    assert_eq!(question.offline(Rules::Literal, Model::Exact, Side::First, &["y"]), results(1));
    let found = question.patch(&["y"]);
    let step = explain_step(
        &found,
        |side, _| question.effect.judge(side, question.offline(Rules::Repaired, Model::Approximate, side, &["y"])),
        |side, _| question.effect.judge(side, question.offline(Rules::Repaired, Model::Exact, side, &["y"])),
    );
    assert_eq!(step, Inference { causes: found.clone(), proof: Proof::Exact, executions: 3 });
    let lost = |_: Side, _: &[&Difference]| Verdict::Unresolved(Stop::Broken);
    assert_eq!(explain_step(&found, lost, lost), Inference { causes: found, proof: Proof::Unverified, executions: 2 });
}

#[test]
fn the_fallback_over_all_differences_is_wrong_for_figure_3() {
    let program = fig3();
    let mut question = Question::new(&program, [&[0, 1], &[1, 2]], 4, (5, None));
    let plan = Plan::new(&question.recorded.pair());
    let all = question.differences();
    let (points, effect) = (question.cause, question.effect.clone());
    let (found, _) =
        infer(&all, |side, patch| question.recorded.execute_again(side, points, &effect, patch, Some(&plan)));
    assert_eq!(question.recorded.named(&found.unwrap()), ["y", "z"]);
}

#[test]
fn a_relevant_difference_need_not_be_a_cause() {
    let program = fig4();
    let mut question = Question::new(&program, [&[7, 1, 1, 2], &[8, 1, 3, -5]], 5, (11, Some("z")));
    assert_eq!(question.again(Side::Second, &["z"], None), Err(Stop::EffectNotReached));
    let plan = Plan::new(&question.recorded.pair());
    assert_eq!(question.again(Side::Second, &["z"], Some(&plan)), one(2));
}

#[test]
fn the_tar_bug_is_confounded_without_guard_rails() {
    let program = fig8();
    let mut question = Question::new(&program, [&[3, 1], &[2, 1]], 7, (21, Some("undone")));
    assert_eq!(
        question.again(Side::First, &["tmp"], None),
        Err(Stop::EffectNotReached),
        "mkdir_error ends the program"
    );
    let plan = Plan::new(&question.recorded.pair());
    assert_eq!(question.again(Side::First, &["tmp"], Some(&plan)), one(1));
    assert_eq!(question.again(Side::Second, &["tmp"], Some(&plan)), one(0));
}

#[test]
fn loops_part_once() {
    let program = ext_loop();
    let recorded = Recorded::new(&program, &[2, 5], &[4, 5]).unwrap();
    let plan = Plan::new(&recorded.pair());
    let [divergence] = plan.divergences[..] else { panic!("{:?}", plan.divergences) };
    assert_eq!((divergence.arms, divergence.decided), ([0, 4], true));
    let third_test = recorded.point(4, 2);
    assert_eq!(recorded.alignment.segments()[0].aligned, third_test + 1);
    let arm = divergence.at[1] as usize + 1;
    assert_eq!(plan.outcomes[1][arm..arm + 4], [0, 1, 1, 0]);
}

#[test]
fn the_literal_cut_is_not_sufficient() {
    let program = ext_leaf();
    let mut question = Question::new(&program, [&[1, 1], &[0, 0]], 5, (7, Some("d")));
    assert_eq!(question.cut(Rules::Literal), ["c2"]);
    assert_eq!(question.cut(Rules::Repaired), ["c2", "d"]);
    assert_eq!(question.again(Side::First, &["c2"], None), one(7));
}

#[test]
fn heap_objects_are_compared_by_name() {
    let program = ext_heap();
    let mut question = Question::new(&program, [&[0, 10, 20], &[1, 10, 20]], 5, (6, Some("r")));
    let own =
        Side::BOTH.map(|side| question.recorded.events[side.index()][question.cause[side.index()] as usize].reads[0].1);
    let all = question.differences();
    assert_eq!(question.recorded.named(&all), ["k", "noise", "p"]);
    let p = question.patch(&["p"]).remove(0);
    let held = |name: &str, side: Side| {
        let pair = question.recorded.pair();
        let states = States::before(&pair, question.cause[0], &question.recorded.names).unwrap();
        states.value(side, question.recorded.location(name))
    };
    assert_eq!(p.values, [held("x", Side::First), held("y", Side::First)]);
    assert_eq!(p.values, [held("x", Side::Second), held("y", Side::Second)]);
    let Value::Address(second) = own[1] else { panic!("{own:?}") };
    let Value::Address(first) = own[0] else { panic!("{own:?}") };
    assert_eq!(second.object, first.object + 2, "the second process's own numbers are shifted by an allocation");
    assert_eq!(question.cut(Rules::Repaired), ["p"]);
    for (side, value) in [(Side::First, 20), (Side::Second, 10)] {
        assert_eq!(question.offline(Rules::Repaired, Model::Exact, side, &["p"]), one(value));
        assert_eq!(question.offline(Rules::Repaired, Model::Approximate, side, &["p"]), one(value));
        assert_eq!(question.again(side, &["p"], None), one(value));
    }
    assert_eq!(question.again(Side::First, &["noise"], None), Err(Stop::MissingObject));
}

#[test]
fn ways_that_neither_run_took_are_not_followed() {
    let program = ext_switch();
    let mut question = Question::new(&program, [&[0, 1], &[2, 3]], 3, (7, Some("r")));
    let plan = Plan::new(&question.recorded.pair());
    for name in ["a", "b"] {
        for side in Side::BOTH {
            assert_eq!(question.again(side, &[name], None), one(200), "by accident");
            assert_eq!(question.again(side, &[name], Some(&plan)), Err(Stop::ControlConfounded));
            assert_eq!(question.offline(Rules::Repaired, Model::Exact, side, &[name]), Err(Stop::ControlConfounded));
            assert_eq!(
                question.offline(Rules::Repaired, Model::Approximate, side, &[name]),
                Err(Stop::ControlConfounded)
            );
        }
    }
}

#[test]
fn dual_slices_lie_in_static_slices() {
    let cases: [(Program, [&[i64]; 2], u32); 10] = [
        (fig1(), [&[3, 1, 2], &[4, 5, 7]], 7),
        (fig2(), [&[1, 2], &[3, -2]], 7),
        (fig3(), [&[0, 1], &[1, 2]], 5),
        (fig4(), [&[7, 1, 1, 2], &[8, 1, 3, -5]], 11),
        (fig8(), [&[3, 1], &[2, 1]], 21),
        (ext_loop(), [&[2, 5], &[4, 5]], 9),
        (ext_neutral(), [&[3, 1], &[8, 2]], 5),
        (ext_leaf(), [&[1, 1], &[0, 0]], 7),
        (ext_heap(), [&[0, 10, 20], &[1, 10, 20]], 6),
        (ext_switch(), [&[0, 1], &[2, 3]], 7),
    ];
    for (program, inputs, line) in &cases {
        let question = Question::new(program, *inputs, *line, (*line, None));
        let pair = question.recorded.pair();
        let dual = question.recorded.lines(&DualSlice::new(&pair, &question.effect, Rules::Repaired));
        let most = static_slice::lines(program, *line);
        assert!(dual.iter().all(|line| most.contains(line)), "{dual:?} is not in {most:?}");
    }
    assert_eq!(static_slice::lines(&fig1(), 7), [2, 3, 4, 5, 6, 7], "x cannot matter");
}

/// The steps of the tar bug's explanation: undone, the conditional on status, status, what is returned, status, tmp, file_name.
#[test]
fn the_tar_bug_is_explained_back_to_the_file_name() {
    let program = fig8();
    let question = Question::new(&program, [&[3, 1], &[2, 1]], 7, (21, Some("undone")));
    let chain = question.chain();
    let steps: Vec<(u32, Vec<String>)> = chain
        .links
        .iter()
        .map(|link| {
            let line = program.line(question.recorded.runs[0].site(link.cause[0]));
            (line, question.recorded.named(&link.inference.causes))
        })
        .collect();
    let expected = [(18, "st"), (17, "ret"), (14, "status"), (7, "tmp"), (6, "file_name")];
    assert_eq!(steps, expected.map(|(line, name)| (line, vec![name.to_owned()])));
    let values: Vec<_> = chain.links.iter().map(|link| link.inference.causes[0].values).collect();
    assert_eq!(values, [[0, -1], [0, -1], [0, -1], [0, -1], [3, 2]].map(|pair| pair.map(number)));
    assert!(chain.links.iter().all(|link| link.inference.proof == Proof::Approximate));
    let read = question.recorded.point(2, 0);
    let name = question.recorded.location("file_name");
    assert_eq!(chain.origins, [Origin { points: [read, read], locations: vec![name] }], "the name is read there");
    assert!(chain.complete && chain.is_proved());
    let between: Vec<u32> =
        chain.links[0].points[0].iter().map(|point| program.line(question.recorded.runs[0].site(*point))).collect();
    assert_eq!(between, [18, 20, 21]);
    assert_eq!(chain.executions(), 10);
}

#[test]
fn a_chain_that_no_run_proves_says_so() {
    let program = fig8();
    let question = Question::new(&program, [&[3, 1], &[2, 1]], 7, (21, Some("undone")));
    let pair = question.recorded.pair();
    let lost = |_: Side, _: &[&Difference]| Verdict::Unresolved(Stop::Broken);
    let found =
        chain(&pair, &question.recorded.names, question.effect.clone(), 2, |_, _, cut| explain_step(cut, lost, lost));
    assert!(!found.is_proved());
    assert_eq!((found.links.len(), found.complete), (2, false));
}
