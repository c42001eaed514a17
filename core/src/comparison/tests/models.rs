//! Where the execution models stop, and what recordings leave open.

use super::language::{Expr, Program, Stmt, Target, number};
use super::programs::{Vars, c};
use super::question::{Model, Question, one};
use crate::comparison::*;

/// What is read may be what neither run read there: `{a}` makes 3 of the index, and x[3] happens to hold what e2 read.
#[test]
fn reads_of_what_neither_run_read_are_not_trusted() {
    let x = Vars(&["x", "a", "b", "y", "r"]);
    let sum = x.set(4, "y", x.op(|v| v[0] + v[1], ["a", "b"]));
    let load = x.set(5, "r", Expr::Index(x.id("x"), Box::new(x.v("y"))));
    let fill = Stmt::Fill(1, x.id("x"), vec![0, 10, 0, 20, 0, 20]);
    let program = Program::new(x.0, vec![fill, x.read(2, "a"), x.read(3, "b"), sum, load, x.print(6, "r")]);
    let mut question = Question::new(&program, [&[0, 1], &[2, 3]], 4, (6, Some("r")));
    assert_eq!(question.again(Side::First, &["a"], None), one(20), "by accident");
    assert_eq!(question.offline(Rules::Repaired, Model::Approximate, Side::First, &["a"]), one(20));
    assert_eq!(question.offline(Rules::Repaired, Model::Exact, Side::First, &["a"]), Err(Stop::DataConfounded));
    assert_eq!(question.offline(Rules::Repaired, Model::Exact, Side::First, &["a", "b"]), one(20));
    assert_eq!(question.offline(Rules::Repaired, Model::Exact, Side::Second, &["a", "b"]), one(10));
}

/// A conditional of one run only: forced under guard rails, evaluated by the exact model.
#[test]
fn conditionals_of_one_run_must_go_its_way() {
    let x = Vars(&["a", "b", "r"]);
    let inner = Stmt::If(4, x.v("b"), vec![x.set(5, "r", c(2))], vec![]);
    let outer = Stmt::If(3, x.v("a"), vec![inner], vec![]);
    let program = Program::new(x.0, vec![x.set(90, "r", c(0)), x.read(1, "a"), x.read(2, "b"), outer, x.print(6, "r")]);
    let question = Question::new(&program, [&[0, 0], &[1, 1]], 3, (6, Some("r")));
    assert_eq!(question.offline(Rules::Repaired, Model::Exact, Side::First, &["a"]), Err(Stop::ControlConfounded));
    assert_eq!(question.offline(Rules::Repaired, Model::Approximate, Side::First, &["a"]), one(2));
    assert_eq!(question.offline(Rules::Repaired, Model::Exact, Side::First, &["a", "b"]), one(2));
}

/// R2: d is 5 in both runs at the cause point, but only e2 wrote it again. What e2 alone reads after that, a patched e1 may read, too.
#[test]
fn equal_states_count_as_one_definition() {
    let x = Vars(&["c1", "c2", "d", "r"]);
    let again = Stmt::If(3, x.v("c1"), vec![x.set(4, "d", c(5))], vec![]);
    let copy = Stmt::If(5, x.v("c2"), vec![x.set(6, "r", x.v("d"))], vec![]);
    let start = vec![x.set(90, "r", c(0)), x.set(90, "d", c(5)), x.read(1, "c1"), x.read(2, "c2")];
    let program = Program::new(x.0, [start, vec![again, copy, x.print(7, "r")]].concat());
    let question = Question::new(&program, [&[0, 0], &[1, 1]], 5, (7, Some("r")));
    assert_eq!(question.cut(Rules::Repaired), ["c2"]);
    assert_eq!(question.offline(Rules::Repaired, Model::Exact, Side::First, &["c2"]), one(5));
    assert_eq!(question.offline(Rules::Repaired, Model::Exact, Side::Second, &["c2"]), one(0));
}

/// Patched pointers are addresses of this run: where they lead is written.
#[test]
fn stores_through_patched_pointers_go_where_they_point() {
    let x = Vars(&["k", "x", "y", "p", "r"]);
    let choose = Stmt::If(3, x.v("k"), vec![x.set(3, "p", x.v("y"))], vec![x.set(3, "p", x.v("x"))]);
    let body = vec![
        x.read(1, "k"),
        Stmt::Alloc(2, x.id("x")),
        Stmt::Alloc(2, x.id("y")),
        Stmt::Assign(20, Target::Deref(x.v("x"), 0), c(1)),
        Stmt::Assign(20, Target::Deref(x.v("y"), 0), c(1)),
        choose,
        Stmt::Assign(4, Target::Deref(x.v("p"), 0), c(7)),
        x.set(5, "r", Expr::Deref(Box::new(x.v("x")), 0)),
        x.print(6, "r"),
    ];
    let program = Program::new(x.0, body);
    let mut question = Question::new(&program, [&[0], &[1]], 4, (6, Some("r")));
    assert_eq!(question.cut(Rules::Repaired), ["p"]);
    for (side, value) in [(Side::First, 1), (Side::Second, 7)] {
        assert_eq!(question.again(side, &["p"], None), one(value));
        assert_eq!(question.offline(Rules::Repaired, Model::Exact, side, &["p"]), one(value));
        assert_eq!(question.offline(Rules::Repaired, Model::Approximate, side, &["p"]), one(value));
    }
}

fn joins() -> Joins {
    Joins::new(vec![NONE; 8])
}

fn recorded(fill: impl FnOnce(&mut Recorder<'_>)) -> Run {
    let joins = joins();
    let mut recorder = Recorder::new(&joins);
    fill(&mut recorder);
    recorder.finish().unwrap()
}

fn aligned(first: &Run, second: &Run) -> Alignment {
    let steps = |run: &Run| {
        let points: Vec<Step> =
            (1..run.points()).map(|point| Step::Point { site: run.site(point), outcome: run.outcome(point) }).collect();
        points
    };
    align(steps(first), steps(second), &joins())
}

/// What memory holds at first is found when it is read; such a write is the start's, wherever it was found.
#[test]
fn contents_found_late_are_the_starts() {
    let seven = number(7);
    let first = recorded(|run| {
        run.point(1);
        run.read(0, seven);
        run.write(1, number(3));
    });
    let second = recorded(|run| {
        run.point(1);
        run.write(0, seven);
        run.write(1, number(3));
    });
    assert_eq!(first.written(1).collect::<Vec<u32>>(), [1]);
    assert_eq!((first.writer(0), first.writer(1)), (START, 1));
    let alignment = aligned(&first, &second);
    let pair = Pair::new(&first, &second, &alignment);
    assert!(!pair.twins(0, 0), "the second run wrote it itself");
    assert!(pair.twins(1, 1));
    assert!(pair.differs(Side::Second, 0));
    assert!(!pair.differs(Side::First, 0));
}

/// What only one run ever reads was there in both.
#[test]
fn contents_that_one_run_never_reads_do_not_differ() {
    let first = recorded(|run| {
        run.point(1);
        run.point(2);
        run.read(0, number(7));
    });
    let second = recorded(|run| {
        run.point(1);
        run.point(2);
    });
    let alignment = aligned(&first, &second);
    let pair = Pair::new(&first, &second, &alignment);
    let mut names = Names::default();
    let object = names.object(alignment.instance(Side::First, 0), 0);
    names.location(Place { object, offset: 0 });
    let states = States::before(&pair, 2, &names).unwrap();
    assert_eq!(states.value(Side::Second, 0), number(7));
    assert_eq!(differences(&states, &names), []);
    assert!(States::before(&pair, 2, &names).is_some());
}

/// A library that calls back once more in one run: the exact model asks whether that matters, guard rails do as this input did.
#[test]
fn libraries_decide_for_themselves() {
    let run = |calls: u32, seen: u64, left: i64| {
        recorded(|run| {
            run.point(1);
            run.write(0, Value::Number(seen));
            run.point(2);
            for _ in 0..calls {
                run.enter();
                run.point(5);
                run.leave();
            }
            run.point(3);
            run.read(0, Value::Number(seen));
            run.write(1, number(left));
        })
    };
    let (first, second) = (run(1, 1, 1), run(2, 2, 2));
    let call = [Step::Enter, Step::Point { site: 5, outcome: NONE }, Step::Leave];
    let steps = |calls: usize| {
        let point = |site| vec![Step::Point { site, outcome: NONE }];
        [point(1), point(2), call.repeat(calls), point(3)].concat()
    };
    let alignment = align(steps(1), steps(2), &joins());
    let pair = Pair::new(&first, &second, &alignment);
    let mut names = Names::default();
    let object = names.object(alignment.instance(Side::First, 0), 0);
    (0..2).for_each(|offset| assert_eq!(names.location(Place { object, offset }), offset));
    let effect = Effect::new(&pair, 4, Watch::Result, &names).unwrap();
    let slice = DualSlice::new(&pair, &effect, Rules::Repaired);
    let states = States::before(&pair, 2, &names).unwrap();
    let cut = slice.cut(&states);
    assert_eq!(cut.len(), 1);
    let offline = Offline { slice: &slice, states: &states, names: &names, semantics: &Copying };
    for side in Side::BOTH {
        assert_eq!(offline.exact(side, &[&cut[0]]), Verdict::Induced);
        assert_eq!(offline.approximate(side, &[&cut[0]]), Verdict::Induced);
    }
    let plan = Plan::new(&pair);
    assert_eq!(plan.divergences, [], "nothing is decided on either way");
}

/// Site 3 copies; the others do nothing.
struct Copying;

impl Semantics for Copying {
    fn execute(
        &self,
        site: u32,
        _: Instance,
        _: Side,
        operands: &mut dyn Operands,
        effects: &mut Effects,
    ) -> Result<(), Stop> {
        if site == 3 {
            let value = operands.read(Place { object: 0, offset: 0 })?;
            effects.writes.push((Place { object: 0, offset: 1 }, value));
        }
        Ok(())
    }
}
