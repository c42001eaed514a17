//! Numbers that are used as an element's number, as a length or in a sum, and what a guard in front of that compares them with: the length of the array, members
//! of the structure that the memory belongs to, variables of the function.

use std::collections::{HashMap, HashSet};

use suspect_format::operation::Operator;
use suspect_format::site::{OperationKind, Signedness, Use};

use crate::collect::expression::Reader;
use crate::collect::limits::{Limit, Limits, base_of, is_member, orders, sign, source};
use crate::collect::sites::{Base, Body, Bound, OperationSpot, Other};
use crate::collect::variables::Scopes;
use crate::collect::widening::before_widening;
use crate::collect::{nodes, signedness};
use crate::llvm::ir::{LLVMOpcode, LLVMTypeKind, Value, llvm};
use crate::llvm::shim;

/// Uses of numbers in a function that guards are put in front of, at most: each makes another block of its code.
const MOST: usize = 256;
/// What a number is compared with, at most: an answer of the hook's has room for so many guards.
const MOST_OTHERS: usize = 3;
/// Members that a number is compared with, at most: variables of the function are as likely.
const MOST_MEMBERS: usize = 2;
/// Values are followed at most this deep.
const DEPTH: u32 = 6;

/// A use of a number: what is compared, and what memory it is about.
struct Found {
    used: Use,
    signed: bool,
    others: Vec<(String, Other)>,
}

/// The uses of numbers in a function, and what they are compared with.
pub fn collect(
    reader: Reader,
    limits: &Limits,
    body: &Body,
    scopes: &mut Scopes,
) -> Vec<(u32, OperationKind, OperationSpot, Vec<u32>)> {
    let mut made = Vec::new();
    if !llvm!(shim::suspect_returns_a_number(body.blocks[0].function().0)) {
        return made;
    }
    let mut search = Search { reader, limits, body, scopes, compared: compared(body), known: HashMap::new() };
    for position in 0..body.instructions.len() as u32 {
        for found in search.at(position) {
            let numbers = found.others.iter().map(|(text, _)| search.scopes.number_of_text(text)).collect::<Vec<_>>();
            let kind = OperationKind::Bounded { used: found.used, n_others: numbers.len() as u32 };
            let others = found.others.into_iter().map(|(_, other)| other).collect();
            let bound = Bound { used: found.used, signed: found.signed, others };
            made.push((position, kind, OperationSpot::Bound(position, Box::new(bound)), numbers));
        }
        if made.len() >= MOST {
            break;
        }
    }
    made
}

struct Search<'s, 'a> {
    reader: Reader,
    limits: &'s Limits,
    body: &'s Body,
    scopes: &'s mut Scopes<'a>,
    /// Which variables are compared with which others; with no other one if that is no variable.
    compared: HashMap<Value, HashSet<Option<Value>>>,
    /// The positions of instructions.
    known: HashMap<Value, u32>,
}

impl Search<'_, '_> {
    fn at(&mut self, position: u32) -> Vec<Found> {
        let value = self.body.at(position);
        if llvm!(shim::suspect_is_sanitizer_code(value.0)) {
            return Vec::new();
        }
        match value.opcode() {
            Some(LLVMOpcode::LLVMGetElementPtr) => self.step(value).into_iter().collect(),
            Some(LLVMOpcode::LLVMCall) => self.call(value),
            Some(LLVMOpcode::LLVMSub | LLVMOpcode::LLVMAdd) => self.sum(value).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// An element, or an address that is moved.
    fn step(&mut self, step: Value) -> Option<Found> {
        let last = step.n_operands() - 1;
        let (base, index) = (step.operand(0)?, step.operand(last)?);
        let in_array = last == 2
            && step.operand(1)?.integer() == Some(0)
            && step.element_source().kind() == LLVMTypeKind::LLVMArrayTypeKind;
        if index.is_constant() || !in_array && last != 1 || nodes::reads_va_list(base) {
            return None;
        }
        let is_element = step.users().iter().all(|user| match user.opcode() {
            Some(LLVMOpcode::LLVMStore) => user.operand(1) == Some(step),
            Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMGetElementPtr) => user.operand(0) == Some(step),
            _ => false,
        });
        let left = before_widening(index);
        let signed = match index == left {
            true => signedness::result(self.reader, left)?,
            false => index.is(LLVMOpcode::LLVMSExt),
        };
        let used = if is_element { Use::Element } else { Use::Step };
        let others = self.others(step, left, &[base]);
        let is_written = !left.is_constant() && !others.is_empty();
        is_written.then_some(Found { used, signed, others })
    }

    /// Numbers that are passed to functions of the C library, beside addresses.
    fn call(&mut self, call: Value) -> Vec<Found> {
        let Some(callee) = call.called_function() else { return Vec::new() };
        let name = callee.name();
        let is_copy = ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."].iter().any(|start| name.starts_with(start));
        let is_library =
            callee.is_declaration() && !callee.is_intrinsic() && suspect_format::external::known(&name).is_some();
        if !is_copy && !is_library || callee.is_variadic() || call.is_musttail() {
            return Vec::new();
        }
        let n_arguments = if is_copy { 3 } else { call.n_operands().saturating_sub(1) };
        let arguments: Vec<Value> = (0..n_arguments).filter_map(|at| call.operand(at)).collect();
        let pointers: Vec<Value> = arguments.iter().copied().filter(|one| one.kind().is_pointer()).collect();
        let mut found = Vec::new();
        for (at, argument) in arguments.iter().enumerate().filter(|_| !pointers.is_empty()) {
            let left = before_widening(*argument);
            let is_length = argument.kind().int_bits() >= 32 && left.is_instruction();
            let sign = match left == *argument {
                true => signedness::result(self.reader, left),
                false => Some(argument.is(LLVMOpcode::LLVMSExt)),
            };
            let Some(signed) = sign.filter(|_| is_length) else { continue };
            let others = self.others(call, left, &pointers);
            if !others.is_empty() {
                let used = Use::Passed { position: at as u32, n_arguments };
                found.push(Found { used, signed, others });
            }
        }
        found
    }

    /// A difference that may be less than nothing, a sum that may wrap.
    fn sum(&mut self, value: Value) -> Option<Found> {
        let (left, right) = (value.operand(0)?, value.operand(1)?);
        let bits = value.kind().int_bits();
        let is_plain = |side: Value| side.is_instruction() && !side.is(LLVMOpcode::LLVMPtrToInt);
        if !matches!(bits, 32 | 64) || !is_plain(left) || !is_plain(right) {
            return None;
        }
        let is_difference = value.is(LLVMOpcode::LLVMSub);
        let operator = if is_difference { Operator::Sub } else { Operator::Add };
        let is_unsigned = signedness::of(self.reader, value, operator) == Signedness::Unsigned;
        let used = if is_difference { Use::Difference } else { Use::Sum };
        is_unsigned.then_some(Found { used, signed: false, others: Vec::new() })
    }

    /// What a number at `user` is compared with, where it is about the memory at `bases`.
    fn others(&mut self, user: Value, left: Value, bases: &[Value]) -> Vec<(String, Other)> {
        let mut others: Vec<(String, Other)> = Vec::new();
        for base in bases {
            others
                .extend(array_of(self.reader, user, *base).map(|length| (length.to_string(), Other::Constant(length))));
        }
        let mut members: Vec<(String, Other)> = bases.iter().flat_map(|base| self.members(user, *base)).collect();
        members.truncate(MOST_MEMBERS);
        others.extend(members);
        others.extend(self.variables(user, left));
        let mut texts = HashSet::new();
        others.retain(|(text, _)| texts.insert(text.clone()));
        others.truncate(MOST_OTHERS);
        others
    }

    /// Members that the unit compares, of the structure whose member `pointer` is, if `user` may read them.
    fn members(&mut self, user: Value, pointer: Value) -> Vec<(String, Other)> {
        let of = || {
            let memory = memory_of(pointer)?;
            let (base, _) = base_of(self.reader, memory.at)?;
            let is_own = base.is(LLVMOpcode::LLVMAlloca) || base.is_global_variable();
            if !memory.was_read && !is_own && !is_accessed(user) {
                return None;
            }
            let location = self.reader.location(base)?;
            Some((base, location.structure()?.stripped(), location.way_in()))
        };
        let Some((base, structure, way_in)) = of() else { return Vec::new() };
        let Some(base) = self.base(base) else { return Vec::new() };
        let limits = self.limits.members(structure);
        let other = |limit: &Limit| {
            let Limit { path, offset, bits, signed, .. } = limit;
            (format!("{way_in}{path}"), Other::Memory { base, offset: *offset, bits: *bits, signed: *signed })
        };
        limits.iter().take(MOST_MEMBERS).map(other).collect()
    }

    /// Variables: those that are compared with what the number is made of, then others that are compared, then parameters.
    fn variables(&mut self, user: Value, left: Value) -> Vec<(String, Other)> {
        let mut own = HashSet::new();
        sources(left, 0, &mut own);
        let mut found = Vec::new();
        for (storage, info, is_parameter) in self.scopes.visible_at(user) {
            let is_compared = self.compared.get(&storage);
            let is_with_own = is_compared.is_some_and(|with| own.iter().any(|own| with.contains(&Some(*own))));
            let rank = match (is_with_own, is_compared.is_some(), is_parameter) {
                (true, ..) => 0,
                (_, true, _) => 1,
                (.., true) => 2,
                _ => continue,
            };
            let Some(kind) = info.base().filter(|_| !own.contains(&storage)) else { continue };
            let bits = kind.bits() as u32;
            let Some(signed) = sign(kind, bits).filter(|_| matches!(bits, 16 | 32 | 64)) else { continue };
            let Some(base) = self.base(storage) else { continue };
            found.push((rank, info.name(), Other::Memory { base, offset: 0, bits, signed }));
        }
        found.sort_by_key(|(rank, ..)| *rank);
        found.into_iter().map(|(_, name, other)| (name, other)).collect()
    }

    fn base(&mut self, value: Value) -> Option<Base> {
        if value.is_global_variable() {
            return Some(Base::Global(value));
        }
        if self.known.is_empty() {
            self.known = self.body.instructions.iter().copied().zip(0..).collect();
        }
        self.known.get(&value).map(|position| Base::At(*position))
    }
}

/// Which variables of a function are compared with which.
fn compared(body: &Body) -> HashMap<Value, HashSet<Option<Value>>> {
    let mut found: HashMap<Value, HashSet<Option<Value>>> = HashMap::new();
    for value in body.instructions.iter().filter(|value| orders(**value)) {
        let variable = |side: u32| {
            let from = source(value.operand(side)?)?.operand(0)?;
            (from.is(LLVMOpcode::LLVMAlloca) || from.is_global_variable()).then_some(from)
        };
        for (one, other) in [(variable(0), variable(1)), (variable(1), variable(0))] {
            if let Some(one) = one {
                found.entry(one).or_default().insert(other);
            }
        }
    }
    found
}

/// The variables that a number is made of.
fn sources(value: Value, depth: u32, found: &mut HashSet<Value>) {
    if depth > DEPTH || !value.is_instruction() {
        return;
    }
    match value.is(LLVMOpcode::LLVMLoad) {
        true => found.extend(value.operand(0)),
        false => value.operands().into_iter().for_each(|operand| sources(operand, depth + 1, found)),
    }
}

/// Memory that a pointer leads to.
struct Memory {
    /// Where the pointer lies by which it is reached, or the array itself.
    at: Value,
    /// Whether the program has read what lies there.
    was_read: bool,
}

/// The memory at `pointer`, whatever is added to it.
fn memory_of(pointer: Value) -> Option<Memory> {
    let mut here = pointer;
    for _ in 0..DEPTH {
        match here.opcode()? {
            LLVMOpcode::LLVMLoad => return Some(Memory { at: here.operand(0)?, was_read: true }),
            LLVMOpcode::LLVMGetElementPtr if is_member(here) => return Some(Memory { at: here, was_read: false }),
            LLVMOpcode::LLVMGetElementPtr => here = here.operand(0)?,
            _ => return None,
        }
    }
    None
}

/// Whether what `step` leads to is read or written right after it. Else its structure need not exist: `&p->names[i]` may be computed of a null `p`.
fn is_accessed(step: Value) -> bool {
    step.users().iter().any(|user| {
        let is_access = match user.opcode() {
            Some(LLVMOpcode::LLVMLoad) => user.operand(0) == Some(step),
            Some(LLVMOpcode::LLVMStore) => user.operand(1) == Some(step),
            _ => false,
        };
        is_access && user.block() == step.block()
    })
}

/// How many elements, or bytes if they are passed, the array has that is at `base`.
fn array_of(reader: Reader, user: Value, base: Value) -> Option<u64> {
    let is_array = |value: Value| value.element_source().kind() == LLVMTypeKind::LLVMArrayTypeKind;
    let passes = user.is(LLVMOpcode::LLVMCall);
    let of = if passes { base } else { user };
    let begins = of.is(LLVMOpcode::LLVMGetElementPtr) && of.n_operands() == 3 && is_array(of);
    if !begins || passes && of.operand(2)?.integer() != Some(0) {
        return None;
    }
    let array = of.element_source();
    let element = crate::llvm::ir::element_type(array);
    let is_of_bytes = element.int_bits() == 8;
    let found = reader.size(array).checked_div(reader.size(element))?;
    // An array of one element stands for as many as there is memory for.
    (found > 1 && found <= i32::MAX as u64 && (!passes || is_of_bytes)).then_some(found)
}
