//! Members of structures that a unit compares with something: numbers may have to keep to them.

use std::collections::HashMap;

use crate::collect::expression::Reader;
use crate::collect::widening::is_widened;
use crate::llvm::debug_info::{Info, Sign};
use crate::llvm::ir::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, Module, Value};

/// A member, with members that it is in, that the unit compares with something.
#[derive(Clone, Debug)]
pub struct Limit {
    /// How it is reached from its structure: `size`, `range.end`.
    pub path: String,
    /// Bytes from the start of the structure.
    pub offset: u64,
    /// Its bits.
    pub bits: u32,
    /// Whether it is signed.
    pub signed: bool,
    /// How often it is compared.
    times: u32,
}

/// The members that a unit compares, by the structures that they are in.
#[derive(Default)]
pub struct Limits {
    of: HashMap<Info, Vec<Limit>>,
}

impl Limits {
    /// Those of `module`.
    pub fn of(reader: Reader, module: Module) -> Limits {
        let mut limits = Limits::default();
        for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
            let blocks = function.blocks();
            for value in blocks.iter().flat_map(|block| block.instructions()).filter(|value| orders(*value)) {
                for load in (0..2).filter_map(|side| source(value.operand(side)?)) {
                    limits.note(reader, load);
                }
            }
        }
        limits.of.values_mut().for_each(|all| all.sort_by(|a, b| (b.times, a.offset).cmp(&(a.times, b.offset))));
        limits
    }

    /// Those of a structure, the most often compared first.
    pub fn members(&self, structure: Info) -> &[Limit] {
        self.of.get(&structure).map_or(&[], Vec::as_slice)
    }

    fn note(&mut self, reader: Reader, load: Value) -> Option<()> {
        let (base, offset) = base_of(reader, load.operand(0)?)?;
        let structure = reader.location(base)?;
        let bits = load.kind().int_bits();
        let member = reader.location(load.operand(0)?)?.scalar(u64::from(bits));
        let (signed, path) = (sign(member.kind?, bits)?, member.text().strip_prefix(&structure.way_in())?.to_owned());
        let all = self.of.entry(structure.structure()?.stripped()).or_default();
        match all.iter_mut().find(|one| (one.offset, one.bits) == (offset, bits)) {
            Some(one) => one.times += 1,
            None => all.push(Limit { path, offset, bits, signed, times: 1 }),
        }
        Some(())
    }
}

/// Whether a value asks which of two integers is the greater one.
pub fn orders(value: Value) -> bool {
    use LLVMIntPredicate::*;
    value.is(LLVMOpcode::LLVMICmp)
        && !matches!(value.int_predicate(), LLVMIntEQ | LLVMIntNE)
        && value.operand(0).is_some_and(|left| left.kind().kind() == LLVMTypeKind::LLVMIntegerTypeKind)
}

/// The load that a value is, perhaps made wider.
pub fn source(value: Value) -> Option<Value> {
    let mut here = value;
    while is_widened(here) {
        here = here.operand(0)?;
    }
    (here.is(LLVMOpcode::LLVMLoad) && here.is_simple_access()).then_some(here)
}

/// Whether a step leads to a member of a structure.
pub fn is_member(step: Value) -> bool {
    step.is(LLVMOpcode::LLVMGetElementPtr)
        && step.n_operands() == 3
        && step.operand(1).and_then(Value::integer) == Some(0)
        && step.element_source().kind() == LLVMTypeKind::LLVMStructTypeKind
}

/// The structure that the member at `pointer` is in, and that one's if it is a member, and where in it the member begins, in bytes.
pub fn base_of(reader: Reader, pointer: Value) -> Option<(Value, u64)> {
    let (mut here, mut bits) = (pointer, 0);
    while is_member(here) {
        bits += reader.offset_of(here.element_source(), u32::try_from(here.operand(2)?.integer()?).ok()?);
        here = here.operand(0)?;
    }
    (here != pointer).then_some((here, bits / 8))
}

/// Whether a number of so many bits is signed, if that is its kind.
pub fn sign(kind: Info, bits: u32) -> Option<bool> {
    match kind.sign()? {
        _ if kind.bits() != u64::from(bits) || kind.is_pointer() => None,
        Sign::Signed => Some(true),
        Sign::Unsigned => Some(false),
    }
}
