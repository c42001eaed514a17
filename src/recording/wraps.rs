//! Unsigned arithmetic of a step that wraps around: a difference below zero, or a sum that its type does not hold and that is compared.

use suspect_format::body::{Action, Binary, Cast, Compare, Token, Type};

use super::arithmetic::{self, mask};
use super::body::{Code, operands};
use crate::comparison::Value;

/// Arithmetic that wrapped around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrap {
    /// A sum; else a difference.
    pub is_sum: bool,
    /// Both numbers.
    pub operands: [u64; 2],
    /// The number that came out of it.
    pub result: u64,
    /// Those of the values read that are its operands.
    pub reads: [Option<usize>; 2],
}

/// A step's trees while they are evaluated.
struct Evaluated<'a, U> {
    code: &'a Code,
    at: usize,
    reads: &'a [Value],
    /// Values that were read so far.
    taken: usize,
    is_unsigned: U,
    found: Option<Wrap>,
}

/// For what a value is used in its step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// An order of numbers without a sign is asked for.
    Ordered,
    /// One of numbers with a sign is: what is below 0 is meant to be.
    Signed,
    Other,
}

/// A value, if it is a number, and the number of the load that it is.
type Evaluation = (Option<u64>, Option<usize>);

/// The first unsigned arithmetic of a step that wraps around, if it reads these values, one for each load. `is_unsigned` says of the value that was read as
/// one of these whether the source holds so many bytes there without a sign.
pub fn wrap(code: &Code, step: u32, reads: &[Value], is_unsigned: impl Fn(usize, u32) -> bool) -> Option<Wrap> {
    let this = &code.steps[step as usize];
    let is_looked_at =
        matches!(this.action, Action::Store(_) | Action::Branch { .. } | Action::Return(_) | Action::Call { .. });
    let end = code.steps.get(step as usize + 1).map_or(code.nodes.len(), |next| next.tokens as usize);
    let tree = code.nodes.get(this.tokens as usize..end).filter(|_| is_looked_at)?;
    let loads = tree.iter().filter(|node| matches!(node.token, Token::Load(..))).count();
    // Where a load takes several values they cannot be told apart; a call reads more behind them.
    let is_call = matches!(this.action, Action::Call { .. });
    if reads.len() < loads || reads.len() > loads && !is_call {
        return None;
    }
    let mut evaluated = Evaluated { code, at: this.tokens as usize, reads, taken: 0, is_unsigned, found: None };
    while evaluated.at < end && evaluated.found.is_none() {
        evaluated.tree(Use::Other);
    }
    evaluated.found
}

/// Of each value that a step loads, whether it takes some of its low bits alone: these come out the same where arithmetic wraps around above them.
pub fn takes_low_bits(code: &Code, step: u32) -> Vec<bool> {
    let end = code.steps.get(step as usize + 1).map_or(code.nodes.len(), |next| next.tokens as usize);
    let (mut at, mut loads) = (code.steps[step as usize].tokens as usize, Vec::new());
    while at < end {
        low_bits(code, &mut at, false, &mut loads);
    }
    loads
}

/// Goes past a tree of which the low bits alone are taken, or all, and says this of each load in it.
fn low_bits(code: &Code, at: &mut usize, is_cut: bool, loads: &mut Vec<bool>) {
    let token = code.nodes[*at].token;
    *at += 1;
    let is_cut_below = match token {
        Token::Cast { cast: Cast::Bits, from: Type::Integer(from), to: Type::Integer(to) } => is_cut || to < from,
        Token::Cast { cast: Cast::SignExtend, .. } => is_cut,
        Token::Binary(Binary::And, of) => is_cut || masks(code, *at, of) || masks(code, end_of(code, *at), of),
        // No low bit of these depends on a higher one.
        Token::Binary(Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Or | Binary::Xor, _) => is_cut,
        _ => false,
    };
    (0..operands(token)).for_each(|_| low_bits(code, at, is_cut_below, loads));
    if let Token::Load(..) = token {
        loads.push(is_cut);
    }
}

/// Whether a tree is a constant without the upper half of the bits of its type.
fn masks(code: &Code, at: usize, of: Type) -> bool {
    matches!(code.nodes[at].token, Token::Constant(_, bits) if bits >> (of.bits() / 2) == 0)
}

/// Where the tree ends that begins here.
fn end_of(code: &Code, at: usize) -> usize {
    (0..operands(code.nodes[at].token)).fold(at + 1, |at, _| end_of(code, at))
}

impl<U: Fn(usize, u32) -> bool> Evaluated<'_, U> {
    /// The value of the tree that begins here.
    fn tree(&mut self, used: Use) -> Evaluation {
        let token = self.code.nodes[self.at].token;
        self.at += 1;
        let none = (None, None);
        match token {
            Token::Constant(of, bits) => (Some(bits & mask(of.bits())), None),
            Token::Symbol(..) | Token::Frame(_) => none,
            Token::Load(of, _) => {
                self.tree(Use::Other);
                let number = self.taken;
                self.taken += 1;
                match self.reads.get(number) {
                    Some(Value::Number(bits)) => (Some(bits & mask(of.bits())), Some(number)),
                    _ => none,
                }
            }
            Token::Binary(operation, of) => {
                let (one, other) = (self.tree(Use::Other), self.tree(Use::Other));
                let (Some(a), Some(b)) = (one.0, other.0) else { return none };
                let result = arithmetic::binary(operation, of, a, b).ok();
                if let Some(result) = result {
                    self.look_at((operation, of), [one, other], result, used);
                }
                (result, None)
            }
            Token::Compare(operation, of) => {
                let used = match operation {
                    Compare::UnsignedLess
                    | Compare::UnsignedLessEqual
                    | Compare::UnsignedGreater
                    | Compare::UnsignedGreaterEqual => Use::Ordered,
                    Compare::SignedLess
                    | Compare::SignedLessEqual
                    | Compare::SignedGreater
                    | Compare::SignedGreaterEqual => Use::Signed,
                    _ => Use::Other,
                };
                let (one, other) = (self.tree(used), self.tree(used));
                let both = one.0.zip(other.0);
                (both.map(|(a, b)| u64::from(arithmetic::compare(operation, of, a, b))), None)
            }
            Token::Cast { cast, from, to } => {
                let (value, load) = self.tree(used);
                (value.map(|bits| arithmetic::cast(cast, from, to, bits)), load.filter(|_| from == to))
            }
            Token::Address { .. } | Token::Select(_) | Token::Apply(..) | Token::Opaque { .. } => {
                (0..operands(token)).for_each(|_| _ = self.tree(Use::Other));
                none
            }
        }
    }

    /// Keeps arithmetic that wrapped around, if an operand says that it has no sign.
    fn look_at(&mut self, (operation, of): (Binary, Type), [one, other]: [Evaluation; 2], result: u64, used: Use) {
        let (Type::Integer(32 | 64), Some(a), Some(b)) = (of, one.0, other.0) else { return };
        let half = 1u64 << (of.bits() - 1);
        // A constant that is subtracted may be one with a sign that is added.
        let negated = b.wrapping_neg() & mask(of.bits());
        let is_constant = other.1.is_none() && b >= half;
        let wrapped = match operation {
            Binary::Subtract => (a < b && b < half && used != Use::Signed).then_some((false, [a, b])),
            Binary::Add if is_constant => (a < negated && used != Use::Signed).then_some((false, [a, negated])),
            Binary::Add => (used == Use::Ordered && result < a).then_some((true, [a, b])),
            _ => None,
        };
        let is_of = |of_load: Option<usize>| of_load.is_some_and(|load| (self.is_unsigned)(load, of.bytes()));
        if let (Some((is_sum, operands)), None) = (wrapped, self.found)
            && (is_of(one.1) || is_of(other.1))
        {
            self.found = Some(Wrap { is_sum, operands, result, reads: [one.1, other.1] });
        }
    }
}
