//! The stack program of a formula, run on many spectra at once.

use super::parse::{Binary, Expression, Unary, maximum, minimum};
use super::{INPUTS, ZeroDivision};

/// Spectra handled together: enough to hide the dispatch, few enough for a stack of columns to stay in cache.
pub(super) const LANES: usize = 64;

/// One value for each of [`LANES`] spectra.
type Column = [f64; LANES];

/// An instruction; operands are on the stack.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Constant(f64),
    Input(usize),
    Unary(Unary),
    Binary(Binary),
    /// A quotient that is 1 where the divisor is 0.
    ProtectedDivision,
    /// The second of three where the first is not 0, else the third. Both were computed: what is undefined in the one not
    /// taken is dropped with it.
    Select,
}

/// The program that leaves `expression`'s value on the stack.
pub(super) fn compile(expression: &Expression, division: ZeroDivision) -> Vec<Op> {
    let mut program = Vec::new();
    emit(expression, division, &mut program);
    program
}

fn emit(expression: &Expression, division: ZeroDivision, program: &mut Vec<Op>) {
    match expression {
        Expression::Constant(value) => program.push(Op::Constant(*value)),
        Expression::Input(input) => program.push(Op::Input(*input)),
        Expression::Unary(function, x) => {
            emit(x, division, program);
            program.push(Op::Unary(*function));
        }
        Expression::Binary(function, a, b) => {
            emit(a, division, program);
            emit(b, division, program);
            program.push(match (function, division) {
                (Binary::Div, ZeroDivision::One) => Op::ProtectedDivision,
                _ => Op::Binary(*function),
            });
        }
        Expression::Where(parts) => {
            for part in parts.iter() {
                emit(part, division, program);
            }
            program.push(Op::Select);
        }
    }
}

/// Runs `program` on columns of the inputs.
pub(super) fn run(program: &[Op], inputs: &[Column; INPUTS.len()]) -> Column {
    let mut stack: Vec<Column> = Vec::with_capacity(8);
    for op in program {
        match op {
            Op::Constant(value) => stack.push([*value; LANES]),
            Op::Input(input) => stack.push(inputs[*input]),
            Op::Unary(function) => unary(*function, top(&mut stack)),
            Op::Binary(function) => {
                let b = pop(&mut stack);
                binary(*function, top(&mut stack), &b);
            }
            Op::ProtectedDivision => {
                let b = pop(&mut stack);
                zip(top(&mut stack), &b, |a, b| if b == 0.0 { 1.0 } else { a / b });
            }
            Op::Select => {
                let (no, yes) = (pop(&mut stack), pop(&mut stack));
                let condition = top(&mut stack);
                for lane in 0..LANES {
                    condition[lane] = if condition[lane] != 0.0 { yes[lane] } else { no[lane] };
                }
            }
        }
    }
    pop(&mut stack)
}

fn pop(stack: &mut Vec<Column>) -> Column {
    stack.pop().expect("a compiled formula pushes an instruction's operands before it")
}

fn top(stack: &mut [Column]) -> &mut Column {
    stack.last_mut().expect("a compiled formula pushes an instruction's operands before it")
}

// Each function gets a loop of its own, so that the compiler can use vector instructions for it.

fn unary(function: Unary, x: &mut Column) {
    fn each(x: &mut Column, f: impl Fn(f64) -> f64) {
        x.iter_mut().for_each(|x| *x = f(*x));
    }
    match function {
        Unary::Neg => each(x, |x| -x),
        Unary::Sqrt => each(x, f64::sqrt),
        Unary::Abs => each(x, f64::abs),
        Unary::Log | Unary::Log2 | Unary::Log10 | Unary::Cos | Unary::Asin => each(x, |x| function.apply(x)),
    }
}

fn zip(a: &mut Column, b: &Column, f: impl Fn(f64, f64) -> f64) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = f(*a, *b));
}

fn binary(function: Binary, a: &mut Column, b: &Column) {
    match function {
        Binary::Add => zip(a, b, |a, b| a + b),
        Binary::Sub => zip(a, b, |a, b| a - b),
        Binary::Mul => zip(a, b, |a, b| a * b),
        Binary::Div => zip(a, b, |a, b| a / b),
        Binary::Min => zip(a, b, minimum),
        Binary::Max => zip(a, b, maximum),
        Binary::Pow | Binary::Less | Binary::LessEq | Binary::Equal => {
            zip(a, b, |a, b| function.apply(a, b, ZeroDivision::Limit));
        }
    }
}
