//! Random programs of the test language that always end.

use proptest::prelude::*;

use super::language::{Expr, Program, Stmt, Target};

/// Ordinary variables `v0` to `v4`, of which the first four are read from the input; `a` has three elements.
const SCALARS: u32 = 5;
const INPUTS: u32 = 4;
const FIRST: u32 = 2;
const ARRAY: u32 = FIRST + SCALARS;
const COUNTERS: u32 = ARRAY + 1;
const NAMES: [&str; 10] = ["v0", "v1", "v2", "v3", "v4", "a", "n0", "n1", "n2", "n3"];
const DEPTH: u32 = 3;

/// A statement without its line.
#[derive(Clone, Debug)]
pub enum Shape {
    Set(u32, Expr),
    Put(Expr, Expr),
    Read(u32),
    If(Expr, Vec<Shape>, Vec<Shape>),
    Loop(Expr, Vec<Shape>),
    Switch(Expr, Vec<Vec<Shape>>),
    Halt(Expr),
}

/// A program and two inputs.
#[derive(Clone, Debug)]
pub struct Sample {
    shapes: Vec<Shape>,
    pub inputs: [Vec<i64>; 2],
    /// Which point after the inputs is the cause point, as a share.
    pub cause: prop::sample::Index,
}

fn leaf() -> BoxedStrategy<Expr> {
    prop_oneof![(-2i64..4).prop_map(Expr::Const), (FIRST..FIRST + SCALARS).prop_map(Expr::Var)].boxed()
}

fn expr() -> BoxedStrategy<Expr> {
    let op = prop::sample::select(vec![
        (|v| v[0].wrapping_add(v[1])) as fn(&[i64]) -> i64,
        |v| v[0].wrapping_sub(v[1]),
        |v| v[0].wrapping_mul(v[1]) % 7,
        |v| i64::from(v[0] < v[1]),
        |v| v[0].max(v[1]),
    ]);
    let index = leaf().prop_map(|index| Expr::Index(ARRAY, Box::new(within(index))));
    let small = prop_oneof![4 => leaf(), 1 => index].boxed();
    prop_oneof![2 => small.clone(), 3 => (op, small.clone(), small).prop_map(|(op, a, b)| Expr::Op(op, vec![a, b]))]
        .boxed()
}

fn within(index: Expr) -> Expr {
    Expr::Op(|v| v[0].rem_euclid(3), vec![index])
}

fn condition() -> BoxedStrategy<Expr> {
    let test = prop::sample::select(vec![
        (|v| i64::from(v[0] < v[1])) as fn(&[i64]) -> i64,
        |v| i64::from(v[0] == v[1]),
        |v| i64::from((v[0] ^ v[1]) & 1 == 0),
    ]);
    (test, expr(), expr()).prop_map(|(test, a, b)| Expr::Op(test, vec![a, b])).boxed()
}

fn block(depth: u32, anywhere: bool) -> BoxedStrategy<Vec<Shape>> {
    prop::collection::vec(shape(depth, anywhere), 0..4).boxed()
}

fn shape(depth: u32, anywhere: bool) -> BoxedStrategy<Shape> {
    let set = (FIRST..FIRST + SCALARS, expr()).prop_map(|(variable, value)| Shape::Set(variable, value));
    let put = (leaf(), expr()).prop_map(|(index, value)| Shape::Put(within(index), value));
    let simple = prop_oneof![4 => set, 2 => put];
    let simple = if anywhere {
        let read = (FIRST..FIRST + SCALARS).prop_map(Shape::Read);
        prop_oneof![8 => simple, 1 => read, 1 => condition().prop_map(Shape::Halt)].boxed()
    } else {
        simple.boxed()
    };
    if depth == 0 {
        return simple;
    }
    let inner = move || block(depth - 1, anywhere);
    prop_oneof![
        5 => simple,
        4 => (condition(), inner(), inner()).prop_map(|(test, yes, no)| Shape::If(test, yes, no)),
        2 => (expr(), inner()).prop_map(|(bound, body)| Shape::Loop(bound, body)),
        1 => (expr(), prop::collection::vec(inner(), 2..4)).prop_map(|(value, ways)| Shape::Switch(value, ways)),
    ]
    .boxed()
}

/// Samples; if `anywhere`, programs also read input and end in the middle.
pub fn samples(anywhere: bool) -> impl Strategy<Value = Sample> {
    let body = prop::collection::vec(shape(DEPTH, anywhere), 1..9);
    let input = || prop::collection::vec(-2i64..6, 60);
    let second = (input(), prop::collection::vec(any::<bool>(), 60));
    (body, input(), second, any::<prop::sample::Index>()).prop_map(|(shapes, first, (other, change), cause)| {
        let pairs = first.iter().zip(&other).zip(&change);
        let second = pairs.map(|((same, other), change)| if *change { *other } else { *same }).collect();
        Sample { shapes, inputs: [first, second], cause }
    })
}

struct Lines(u32);

impl Lines {
    fn next(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }

    fn block(&mut self, shapes: &[Shape], depth: u32) -> Vec<Stmt> {
        shapes.iter().flat_map(|shape| self.statements(shape, depth)).collect()
    }

    fn statements(&mut self, shape: &Shape, depth: u32) -> Vec<Stmt> {
        let line = self.next();
        match shape {
            Shape::Set(variable, value) => vec![Stmt::Assign(line, Target::Var(*variable), value.clone())],
            Shape::Put(index, value) => vec![Stmt::Assign(line, Target::Index(ARRAY, index.clone()), value.clone())],
            Shape::Read(variable) => vec![Stmt::Input(line, *variable)],
            Shape::Halt(test) => {
                let end = Stmt::Halt(self.next());
                vec![Stmt::If(line, test.clone(), vec![end], vec![])]
            }
            Shape::If(test, yes, no) => {
                vec![Stmt::If(line, test.clone(), self.block(yes, depth + 1), self.block(no, depth + 1))]
            }
            Shape::Switch(value, ways) => {
                let value = Expr::Op(|v| v[0].rem_euclid(4), vec![value.clone()]);
                let ways = (0..).zip(ways).map(|(case, body)| (case, self.block(body, depth + 1))).collect();
                vec![Stmt::Switch(line, value, ways)]
            }
            Shape::Loop(bound, body) => self.counted(line, bound, body, depth),
        }
    }

    /// At most three rounds, whatever the body does to what the bound is made of.
    fn counted(&mut self, line: u32, bound: &Expr, body: &[Shape], depth: u32) -> Vec<Stmt> {
        let counter = COUNTERS + depth;
        let test = Expr::Op(|v| i64::from(v[0] < v[1].rem_euclid(4)), vec![Expr::Var(counter), bound.clone()]);
        let head = self.next();
        let mut body = self.block(body, depth + 1);
        let more = Expr::Op(|v| v[0] + 1, vec![Expr::Var(counter)]);
        body.push(Stmt::Assign(self.next(), Target::Var(counter), more));
        vec![Stmt::Assign(line, Target::Var(counter), Expr::Const(0)), Stmt::While(head, test, body)]
    }
}

/// Statements before the first that was generated.
pub const PROLOGUE: u32 = INPUTS + 2;

impl Sample {
    /// The program: it reads four variables, sets the others, does something, and prints them all in turn.
    pub fn program(&self) -> Program {
        let mut lines = Lines(0);
        let mut body: Vec<Stmt> = (FIRST..FIRST + INPUTS).map(|variable| Stmt::Input(lines.next(), variable)).collect();
        body.push(Stmt::Fill(lines.next(), ARRAY, vec![1, 2, 3]));
        body.push(Stmt::Assign(lines.next(), Target::Var(FIRST + INPUTS), Expr::Const(1)));
        body.extend(lines.block(&self.shapes, 0));
        body.extend((FIRST..FIRST + SCALARS).map(|variable| Stmt::Print(lines.next(), Expr::Var(variable))));
        let array = (0..3).map(|index| Expr::Index(ARRAY, Box::new(Expr::Const(index))));
        body.extend(array.map(|element| Stmt::Print(lines.next(), element)));
        Program::new(&NAMES, body)
    }
}
