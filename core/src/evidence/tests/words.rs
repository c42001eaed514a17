//! What is said of made-up trials.

use super::*;
use crate::program::{Node, NodeKind, ValueClass};
use crate::trial::{Change, Override, Site};

/// The program of the examples with a node `n` on its first line and a condition `i < n` on its second.
fn with_nodes(kind: NodeKind) -> Program {
    let node = |kind, line: u32, expression: &str| Node {
        function: 0,
        piece: 0,
        kind,
        class: ValueClass::Signed,
        width: 32,
        place: Place { file: 0, line: line + 1, column: 1 },
        line: Some(line),
        variable: String::new(),
        type_name: "int".into(),
        expression: expression.into(),
        ordinal: 0,
        value: 0,
        true_edge: None,
        false_edge: None,
        true_counter: None,
    };
    Program { nodes: vec![node(kind, 0, "n"), node(NodeKind::Predicate, 1, "i < n")], ..program(4) }
}

fn changing(kind: Kind, node: u32, change: Change, original: &str, replacement: &str) -> Candidate {
    let (original, replacement) = (original.to_string(), replacement.to_string());
    let mutant = Mutant::from(Override { site: Site::Node(node), instance: 0, change });
    Candidate { node: Some(node), mutant, original, replacement, ..candidate(7, kind, node) }
}

fn say(program: &Program, candidate: &Candidate) -> String {
    Phrase::new(program, candidate).text
}

#[test]
fn changes_are_told_as_what_they_do() {
    let program = with_nodes(NodeKind::Assignment);
    let value = |change, original, replacement| say(&program, &changing(Kind::Value, 0, change, original, replacement));
    assert_eq!(value(Change::Set(2), "1", "2"), "writing 2 here instead of 1");
    assert_eq!(value(Change::Set(2), "n", "2"), "writing 2 to `n`");
    assert_eq!(value(Change::Add(1), "n", "1 more"), "adding 1 to `n`");
    assert_eq!(value(Change::Add(1), "5", "1 less"), "subtracting 1 from `n`");
    assert_eq!(value(Change::Negate, "5", "its negative"), "changing the sign of `n`");
    let mut nameless = program.clone();
    nameless.nodes[0].expression.clear();
    let here = |change, original, replacement| say(&nameless, &changing(Kind::Value, 0, change, original, replacement));
    assert_eq!(here(Change::Add(1), "5", "1 less"), "subtracting 1 from the value here");
    assert_eq!(here(Change::Set(0), "", "NULL"), "writing NULL here");
    let kinds = [NodeKind::Parameter, NodeKind::Return]
        .map(|kind| say(&with_nodes(kind), &changing(Kind::Value, 0, Change::Set(2), "1", "2")));
    assert_eq!(kinds, ["passing 2 for `n` instead of 1", "returning 2 instead of 1"]);
    let condition = |change| say(&program, &changing(Kind::Predicate, 1, change, "i < n", "the opposite"));
    assert_eq!(condition(Change::Flip), "negating `i < n`");
    assert_eq!([0, 1].map(|to| condition(Change::Set(to))), ["taking `i < n` for false", "taking `i < n` for true"]);
    let switch =
        Candidate { instances: [3].into(), ..changing(Kind::Switch, 1, Change::Flip, "i < n", "the opposite") };
    assert_eq!(say(&program, &switch), "taking the other way at `i < n` at its 3rd execution");
    let code = |class, original: &str, replacement: &str| {
        let (original, replacement) = (original.to_string(), replacement.to_string());
        say(&program, &Candidate { original, replacement, ..candidate(1, Kind::Operation(class), 0) })
    };
    assert_eq!(code(Class::Ror, "<=", "<"), "with < instead of <=");
    assert_eq!(code(Class::Vrr, "i", "n"), "with `n` instead of `i`");
    assert_eq!(code(Class::Sdl, "n  =\n 1;", ""), "leaving out `n = 1;`");
}

/// The sentences about each line of the example program, coverage left out.
fn reasons(trials: &Trials) -> Vec<Vec<Reason>> {
    let failed: Vec<bool> = trials.tests().iter().map(|test| test.failed).collect();
    let (program, coverage) = (with_nodes(NodeKind::Assignment), everywhere(4, &failed));
    let tests: Vec<u32> = (0..failed.len() as u32).collect();
    let facts = LineFacts::new(&program, &coverage, &tests);
    let reasons = Reasons::new(&program, &facts, trials);
    let name = |test: u32| format!("t{}", test + 1);
    (0..4).map(|line| reasons.of(line, 2, &name)).collect()
}

fn first(trials: &Trials) -> Vec<String> {
    reasons(trials).into_iter().map(|of_line| of_line[0].sentence.clone()).collect()
}

#[test]
fn sentences_count_what_was_tried_and_nothing_else() {
    let failed = [true, true, true, false, false];
    let given = [(ADD, 0, "tttss"), (ADD, 1, ".tct."), (ADD, 2, "su?.."), (ADD, 2, "sss..")];
    let found = first(&trials(&failed, &given));
    assert_eq!(
        found,
        [
            "with 2 instead of 1 all 3 failing tests pass and none of the 2 passing tests tried breaks",
            "with 2 instead of 1 t2 passes but the one passing test tried fails",
            "no change here alters any failing test (2 tried)",
            "no change was tried here",
        ]
    );
    let found =
        first(&trials(&failed, &[(Kind::Call, 0, "tt..."), (ADD, 1, "cccuu"), (ADD, 2, "c...."), (ADD, 2, "s....")]));
    assert_eq!(found[0], "leaving out the call 1 makes t1 and t2 pass");
    assert_eq!(found[1], "the one change tried here alters a failing test and makes none pass");
    assert_eq!(found[2], "1 of 2 changes tried here alter a failing test, none makes one pass");
}

#[test]
fn failing_tests_that_a_change_was_not_tried_on_are_none_that_it_leaves_failing() {
    let failed = [true, true, true, true, true, true, false];
    let given = [(ADD, 0, "tttt..u"), (ADD, 1, "ttttc.u"), (ADD, 2, "ttttccu"), (ADD, 3, "tt....u")];
    let found = first(&trials(&failed, &given));
    let kept = "and the one passing test tried still does";
    assert_eq!(
        found,
        [
            format!("with 2 instead of 1 all 4 failing tests tried pass {kept}"),
            format!("with 2 instead of 1, 4 of the 5 failing tests tried pass {kept}"),
            format!("with 2 instead of 1, 4 of 6 failing tests pass {kept}"),
            format!("with 2 instead of 1 t1 and t2 pass {kept}"),
        ]
    );
}

#[test]
fn the_strongest_change_of_each_kind_is_told_first() {
    let given = [(ADD, 0, "tcttt"), (ADD, 0, "ttuus"), (Kind::Call, 0, "tsuss")];
    let found = &reasons(&trials(&FAILED, &given))[0];
    let told: Vec<(Option<u32>, &[u32])> = found.iter().map(|reason| (reason.candidate, &*reason.tests)).collect();
    assert_eq!(told, [(Some(1), &[0, 1][..]), (Some(2), &[0][..])]);
}

#[test]
fn output_that_is_right_for_longer_is_told_and_so_is_what_flips_beside() {
    let mut given = trials(&FAILED, &[(ADD, 0, "cc..."), (ADD, 2, "ts...")]);
    given.set(0, 1, Outcome { matched: Some(52), ..outcome(Effect::Changed) });
    let found = reasons(&given);
    assert_eq!(found[0][1].sentence, "with 2 instead of 1 the output of t2 is right for 42 bytes more");
    assert_eq!((found[0][1].candidate, &*found[0][1].tests), (Some(0), &[1][..]));
    assert_eq!(found[1][0].sentence, "no change was tried here");
    assert_eq!(found[1][1].sentence, "in the line after it: with 2 instead of 1 t1 passes");
}

#[test]
fn any_candidate_can_be_asked_about() {
    let given = trials(&FAILED, &[(ADD, 0, "tt..."), (ADD, 1, "cu..."), (Kind::Call, 1, "ss..."), (ADD, 1, ".....")]);
    let (program, coverage) = (with_nodes(NodeKind::Assignment), everywhere(4, &FAILED));
    let facts = LineFacts::new(&program, &coverage, &[0, 1, 2, 3, 4]);
    let reasons = Reasons::new(&program, &facts, &given);
    let told = [0, 1, 2, 3].map(|at| reasons.of_candidate(at, &|test| format!("t{test}")).sentence);
    assert_eq!(
        told,
        [
            "with 2 instead of 1 all 2 failing tests pass",
            "the program with 2 instead of 1 alters 1 of the 2 failing tests tried and makes none pass",
            "leaving out the call 1 alters nothing that is seen of the 2 failing tests tried",
            "the program with 2 instead of 1 has not been tried",
        ]
    );
}

#[test]
fn a_test_whose_name_is_a_number_is_no_count() {
    let given = trials(&FAILED, &[(Kind::Call, 0, "ts..."), (ADD, 1, "c....")]);
    let (program, coverage) = (with_nodes(NodeKind::Assignment), everywhere(4, &FAILED));
    let facts = LineFacts::new(&program, &coverage, &[0, 1, 2, 3, 4]);
    let reasons = Reasons::new(&program, &facts, &given);
    let told = [0, 1].map(|at| reasons.of_candidate(at, &|test| (test + 6).to_string()).sentence);
    assert_eq!(told[0], "leaving out the call 1 makes test 6 pass");
    assert_eq!(told[1], "the program with 2 instead of 1 alters the failing test tried and does not make it pass");
}

#[test]
fn confidence_says_what_is_missing() {
    let confidence = |trials: &Trials, coverage: &CoverageMatrix| {
        let program = program(4);
        let tests: Vec<u32> = (0..coverage.n_tests() as u32).collect();
        let facts = LineFacts::new(&program, coverage, &tests);
        Confidence::new(&facts, trials, &Posterior::new(&facts, trials))
    };
    let sure = {
        let (program, coverage) = (program(4), everywhere(4, &FAILED));
        let facts = LineFacts::new(&program, &coverage, &[0, 1, 2, 3, 4]);
        let lines = vec![0.95, 0.02, 0.01, 0.0];
        let clusters = vec![vec![0, 1]];
        let posterior = Posterior { lines, elsewhere: 0.02, order: vec![0, 1, 2], clusters, ..Posterior::default() };
        Confidence::new(&facts, &example(), &posterior)
    };
    assert_eq!((sure.lack, sure.advice.as_slice()), (None, &[][..]), "{sure:?}");
    let open = confidence(&trials(&FAILED, &[(ADD, 0, ".....")]), &everywhere(4, &FAILED));
    assert_eq!(open.advice, [Advice::GoOn(1), Advice::FailingTest]);
    let unpassed = CoverageMatrix::from_units(4, &[(vec![0, 1], true), (vec![2], false)]);
    let near = confidence(&Trials::new(tests_of(&[true, false])), &unpassed);
    assert_eq!(near.advice, [Advice::PassingTest(0), Advice::FailingTest]);
    assert_eq!(
        Advice::PassingTest(0).text(&|_| "a.c:1".into()),
        "a passing test that executes a.c:1 would help: none does"
    );
    let none = confidence(&Trials::default(), &CoverageMatrix::from_units(4, &[(vec![0], false)]));
    assert_eq!((none.lack, none.advice.as_slice()), (Some(Lack::NoFailingTest), &[Advice::FailingTest][..]));
    let program = program(40);
    let many = everywhere(40, &[true, false]);
    let facts = LineFacts::new(&program, &many, &[0, 1]);
    let spread = Confidence::new(&facts, &Trials::default(), &Posterior::new(&facts, &Trials::default()));
    assert_eq!(spread.lack, Some(Lack::Spread));
}

#[test]
fn what_counts_for_nothing_is_told_as_it_came_out() {
    let step = Kind::Operation(Class::Sti);
    let told = reasons(&trials(&FAILED, &[(Kind::Constant, 0, "ttuuu"), (ADD, 1, "ttuuu"), (step, 1, "ttuuu")]));
    assert_eq!(
        told[0][0].sentence,
        "with 2 instead of 1 all 2 failing tests pass and none of the 3 passing tests tried breaks"
    );
    // After what counts; and beside a line it is no reason.
    assert_eq!(told[1].iter().map(|reason| reason.candidate).collect::<Vec<_>>(), [Some(1), Some(2)]);
    let beside = first(&trials(&FAILED, &[(Kind::Constant, 0, "ttuuu"), (ADD, 1, "ccuuu"), (ADD, 3, "ttuuu")]));
    assert!(beside[1].starts_with("the one change tried here"), "{beside:?}");
    let all = reasons(&trials(&FAILED, &[(Kind::Constant, 0, "ttuuu"), (ADD, 1, "ccuuu"), (ADD, 3, "ttuuu")]));
    assert!(all[1].iter().all(|reason| !reason.sentence.contains("in the line before it")), "{all:?}");
}

#[test]
fn warnings_are_told_where_they_are() {
    let (program, coverage) = (with_nodes(NodeKind::Assignment), everywhere(4, &FAILED));
    let warning = Warning { file: "a.c".into(), line: 2, option: "-Wodd".into(), message: "this is odd".into() };
    let facts = LineFacts::new(&program, &coverage, &[0, 1, 2, 3, 4]).with_warnings(&program, vec![warning], |_| false);
    let trials = trials(&FAILED, &[(ADD, 0, "ttuuu"), (ADD, 1, "ccuuu")]);
    let reasons = Reasons::new(&program, &facts, &trials);
    let told = |line: u32, at: usize| reasons.of(line, 3, &|_| String::new())[at].sentence.clone();
    assert_eq!(told(0, 1), "in line 2 the compiler warns: this is odd (-Wodd)");
    assert_eq!(told(1, 0), "here the compiler warns: this is odd (-Wodd)");
    assert_eq!(told(1, 1), "the one change tried here alters a failing test and makes none pass");
}
