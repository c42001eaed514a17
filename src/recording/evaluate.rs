//! The value of a tree, in a process that ran or in one that is only thought of.

use suspect_format::body::{Binary, Compare, Token, Type};

use super::arithmetic::{self, Trap, mask};
use super::body::Code;
use crate::comparison::NONE;

/// A value while it is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The value; of an address by object, bytes from the object's start.
    pub bits: u64,
    /// The object that an address counts from, or [`NONE`]: then the bits are the value.
    pub object: u32,
    /// Of an address as bits: the block of memory that it was made from, as far as that is followed, or [`NONE`].
    pub block: u32,
}

impl Word {
    /// A number, or an address as bits.
    pub fn number(bits: u64) -> Self {
        Self { bits, object: NONE, block: NONE }
    }

    /// An address of so many bytes into an object.
    pub fn within(object: u32, bits: u64) -> Self {
        Self { bits, object, block: NONE }
    }

    fn is_number(self) -> bool {
        self.object == NONE
    }
}

/// What trees are evaluated in.
pub trait Machine {
    /// Why a value cannot be had.
    type Stop: From<Trap>;
    /// The address of a symbol.
    fn symbol(&mut self, symbol: u32) -> Result<Word, Self::Stop>;
    /// The address of the frame.
    fn frame(&mut self) -> Word;
    /// The address of what lies so far behind the start of the frame.
    fn at_frame(&mut self, offset: i64) -> Word {
        let base = self.frame();
        Word { bits: base.bits.wrapping_add(offset as u64), ..base }
    }
    /// What memory holds.
    fn load(&mut self, of: Type, slot: Option<u16>, address: Word) -> Result<Word, Self::Stop>;
    /// What cannot be computed; its operands have been evaluated.
    fn opaque(&mut self, of: Type, slot: u16) -> Result<Word, Self::Stop>;
    /// The bits of a value, whatever it is.
    fn bits(&mut self, word: Word) -> Result<u64, Self::Stop>;
}

/// Evaluates the tree whose first token is number `at`, and moves `at` behind it.
pub fn evaluate<M: Machine>(code: &Code, at: &mut usize, machine: &mut M) -> Result<Word, M::Stop> {
    let node = code.nodes[*at];
    *at += 1;
    match node.token {
        Token::Constant(of, bits) => Ok(Word::number(bits & mask(of.bits()))),
        Token::Symbol(symbol, offset) => {
            let base = machine.symbol(symbol)?;
            Ok(Word { bits: base.bits.wrapping_add(offset as u64), ..base })
        }
        Token::Frame(offset) => Ok(machine.at_frame(offset)),
        Token::Load(of, slot) => {
            let address = evaluate(code, at, machine)?;
            machine.load(of, slot, address)
        }
        Token::Address { offset, n_terms } => {
            let base = evaluate(code, at, machine)?;
            let mut bits = base.bits.wrapping_add(offset as u64);
            for term in 0..n_terms {
                let index = evaluate(code, at, machine)?;
                let index = machine.bits(index)?;
                bits = bits.wrapping_add(index.wrapping_mul(code.factors[(node.factors + term) as usize] as u64));
            }
            Ok(Word { bits, ..base })
        }
        Token::Binary(operation, of) => {
            let (a, b) = (evaluate(code, at, machine)?, evaluate(code, at, machine)?);
            binary(operation, of, a, b, machine)
        }
        Token::Compare(operation, of) => {
            let (a, b) = (evaluate(code, at, machine)?, evaluate(code, at, machine)?);
            compare(operation, of, a, b, machine).map(|truth| Word::number(u64::from(truth)))
        }
        Token::Cast { cast, from, to } => {
            let value = evaluate(code, at, machine)?;
            if !value.is_number() && cast == suspect_format::body::Cast::Bits && to.bits() == 64 {
                return Ok(value);
            }
            let bits = machine.bits(value)?;
            let block = if from.bits() == 64 && to.bits() == 64 { value.block } else { NONE };
            Ok(Word { block, ..Word::number(arithmetic::cast(cast, from, to, bits)) })
        }
        Token::Select(_) => {
            let condition = evaluate(code, at, machine)?;
            let (yes, no) = (evaluate(code, at, machine)?, evaluate(code, at, machine)?);
            Ok(if machine.bits(condition)? & 1 == 1 { yes } else { no })
        }
        Token::Apply(function, of) => {
            let mut operands = [0; 3];
            for operand in operands.iter_mut().take(function.arity() as usize) {
                let word = evaluate(code, at, machine)?;
                *operand = machine.bits(word)?;
            }
            Ok(Word::number(arithmetic::apply(function, of, operands)))
        }
        Token::Opaque { of, slot, n_operands } => {
            for _ in 0..n_operands {
                evaluate(code, at, machine)?;
            }
            machine.opaque(of, slot)
        }
    }
}

fn binary<M: Machine>(operation: Binary, of: Type, a: Word, b: Word, machine: &mut M) -> Result<Word, M::Stop> {
    match operation {
        _ if a.is_number() && b.is_number() => {}
        Binary::Add if of.bits() == 64 && (a.is_number() || b.is_number()) => {
            return Ok(Word::within(a.object.min(b.object), a.bits.wrapping_add(b.bits)));
        }
        Binary::Subtract if of.bits() == 64 && b.is_number() => {
            return Ok(Word { bits: a.bits.wrapping_sub(b.bits), ..a });
        }
        Binary::Subtract if of.bits() == 64 && a.object == b.object => {
            return Ok(Word::number(a.bits.wrapping_sub(b.bits)));
        }
        _ => {}
    }
    // An address that is moved or aligned is of its block still; a difference of two is none.
    let block = match operation {
        Binary::Add | Binary::Subtract | Binary::And | Binary::Or if of.bits() == 64 => match (a.block, b.block) {
            (block, NONE) => block,
            (NONE, block) if operation != Binary::Subtract => block,
            _ => NONE,
        },
        _ => NONE,
    };
    let (a, b) = (machine.bits(a)?, machine.bits(b)?);
    Ok(Word { block, ..Word::number(arithmetic::binary(operation, of, a, b)?) })
}

fn compare<M: Machine>(operation: Compare, of: Type, a: Word, b: Word, machine: &mut M) -> Result<bool, M::Stop> {
    if !a.is_number() || !b.is_number() {
        // An object is nowhere near zero, and bytes before its start come before it.
        let biased = |word: Word| word.bits.wrapping_add(1 << 62);
        if a.object == b.object {
            return Ok(arithmetic::compare(operation, of, biased(a), biased(b)));
        }
        let apart = (!a.is_number() && !b.is_number()) || a == Word::number(0) || b == Word::number(0);
        match operation {
            Compare::Equal if apart => return Ok(false),
            Compare::NotEqual if apart => return Ok(true),
            _ => {}
        }
    }
    let (a, b) = (machine.bits(a)?, machine.bits(b)?);
    Ok(arithmetic::compare(operation, of, a, b))
}
