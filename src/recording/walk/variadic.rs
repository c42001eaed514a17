//! Arguments beyond the parameters of a function, as the System V ABI for x86-64 has `va_start` and `va_arg` find them (section 3.5.7).

use suspect_format::body::{Datum, Token, Type};

use super::{Level, Walk};
use crate::comparison::NONE;
use crate::recording::body::CodeStep;
use crate::recording::evaluate::Word;
use crate::recording::loading::Image;
use crate::recording::objects::{ARGUMENTS, ARGUMENTS_STRIDE};
use crate::recording::observer::Observer;

/// Offsets in a `va_list`: of the next general register, of the next vector register, of what was passed on the stack, of saved registers.
const GENERAL: u64 = 0;
const VECTOR: u64 = 4;
const STACK: u64 = 8;
const SAVED: u64 = 16;
/// Bytes of saved general registers, and of all of them.
const GENERAL_BYTES: u64 = 48;
const ALL_BYTES: u64 = 176;

impl<O: Observer, I: Image> Walk<'_, O, I> {
    /// Whether a step is the last of those that stand for `va_start`: it stores, in a variadic function, the third word of what is recorded.
    pub(super) fn starts_arguments(&self, step: &CodeStep) -> bool {
        if !step.opaque || !self.code.functions[step.function as usize].variadic {
            return false;
        }
        let nodes = &self.code.nodes[step.tokens as usize..];
        let value = nodes.first().is_some_and(|node| matches!(node.token, Token::Opaque { n_operands: 1, .. }));
        let address = nodes.iter().skip(1).find_map(|node| match node.token {
            Token::Address { offset, n_terms: 0 } => Some(offset),
            _ => None,
        });
        value && address == Some(SAVED as i64)
    }

    /// The arguments that a call passes beyond the parameters of the callee are written beside its frame.
    pub(super) fn pass_variadic(&mut self, data: &[(Datum, Word)], n_parameters: usize) {
        for (number, (datum, word)) in data.iter().enumerate().skip(n_parameters).take(MOST) {
            let address = self.argument_address(number);
            self.view.memory.store(address, 8, word.bits);
            self.keep(address, *word);
            self.wrote(address, 8, matches!(datum, Datum::Value(Type::Pointer) | Datum::Bytes(_)));
        }
    }

    /// `va_start` has filled the list at `list`: the arguments are where `va_arg` will look for them.
    pub(super) fn start_arguments(&mut self, list: u64) {
        let Some(Level::Open(open)) = self.levels.last() else { return };
        let (data, skipped) = (open.variadic.clone(), open.n_parameters);
        let word = |walk: &mut Self, offset: u64, length: u32| walk.view.memory.load(list.wrapping_add(offset), length);
        let (Some(mut general), Some(mut vector)) = (word(self, GENERAL, 4), word(self, VECTOR, 4)) else { return };
        let (Some(mut stack), Some(saved)) = (word(self, STACK, 8), word(self, SAVED, 8)) else { return };
        for (number, datum) in data.into_iter().enumerate() {
            let from = ARGUMENTS + u64::from(self.depth - 1) * ARGUMENTS_STRIDE + 8 * (skipped + number) as u64;
            let Some(word) = self.view.memory.load(from, 8) else { continue };
            self.reads(from, 8, false);
            let of = match datum {
                Datum::Value(of) => of,
                Datum::Bytes(bytes) => {
                    self.reads(word, u64::from(bytes), false);
                    self.copy(stack, word, u64::from(bytes));
                    self.wrote(stack, u64::from(bytes), false);
                    stack += u64::from(bytes).next_multiple_of(8);
                    continue;
                }
            };
            let is_vector = matches!(of, Type::Float | Type::Double);
            let (next, end, size) =
                if is_vector { (&mut vector, ALL_BYTES, 16) } else { (&mut general, GENERAL_BYTES, 8) };
            let to = if *next < end { saved.wrapping_add(*next) } else { stack };
            match *next < end {
                true => *next += size,
                false => stack += 8,
            }
            let block = self.bounds.as_ref().map_or(NONE, |bounds| bounds.of_pointer(from, word));
            self.put_word(to, of, Word { block, ..Word::number(word) });
        }
    }
}

/// So many arguments have a place beside the frame.
const MOST: usize = ARGUMENTS_STRIDE as usize / 8;
