//! What the front end makes of bit-fields: the program's text has none of it.

use std::collections::HashSet;

use super::nodes;
use super::sites::{Body, position_of};
use super::unit::Unit;
use crate::llvm::ir::{LLVMOpcode, Value};

/// The instructions that take bit-fields out of their storage units and put them into them.
pub fn bit_fields(unit: &Unit, body: &Body) -> HashSet<Value> {
    use LLVMOpcode::*;
    let mut found = HashSet::new();
    for value in &body.instructions {
        match value.opcode() {
            Some(LLVMLoad) => taken_out(unit, *value, &mut found),
            Some(LLVMStore) => put_in(*value, &mut found),
            _ => {}
        }
    }
    found
}

fn shifted_by(value: Value, opcode: LLVMOpcode) -> Option<u32> {
    value.is(opcode).then(|| value.operand(1)?.integer()).flatten().and_then(|count| u32::try_from(count).ok())
}

/// `load`, then `lshr` and `and`, or `shl` and `ashr`.
fn taken_out(unit: &Unit, load: Value, found: &mut HashSet<Value>) {
    use LLVMOpcode::*;
    let width = load.kind().int_bits();
    let Some(pointer) = load.operand(0).filter(|_| (8..=64).contains(&width)) else { return };
    let users = load.users();
    let chains = users.iter().filter(|user| user.operand(1).is_some_and(|one| one.integer().is_some()));
    for first in chains.copied().filter(|one| matches!(one.opcode(), Some(LLVMAnd | LLVMShl | LLVMLShr | LLVMAShr))) {
        let second = first.users().into_iter().next();
        let mask = |value: Value| {
            let mask = value.is(LLVMAnd).then(|| value.operand(1)?.integer()).flatten()? as u64;
            (mask & mask.wrapping_add(1) == 0).then(|| mask.count_ones())
        };
        let (shift, bits, last) = if let Some(left) = shifted_by(first, LLVMShl) {
            let Some((second, right)) = second.and_then(|one| Some((one, shifted_by(one, LLVMAShr)?))) else {
                continue;
            };
            (right.saturating_sub(left), width.saturating_sub(right), Some(second))
        } else if let Some(right) = shifted_by(first, LLVMLShr).or(shifted_by(first, LLVMAShr)) {
            let masked = second.and_then(|one| Some((one, mask(one)?)));
            let bits = masked.map_or(width.saturating_sub(right), |(_, bits)| bits);
            (right, bits, masked.map(|(second, _)| second))
        } else {
            let Some(bits) = mask(first) else { continue };
            (0, bits, None)
        };
        let field =
            |location: crate::collect::expression::Location| location.bit_field(u64::from(shift), u64::from(bits));
        if unit.reader.location(pointer).and_then(field).is_some() {
            found.insert(first);
            found.extend(last);
        }
    }
}

/// The word that is put together of a field and its neighbours, and what the assignment comes to.
fn put_in(store: Value, found: &mut HashSet<Value>) {
    use LLVMOpcode::*;
    let Some(word) = store.operand(0).filter(|word| nodes::bit_field_mask(*word).is_some()) else { return };
    let same_unit = |side: &Value| {
        let load = side.operand(0).filter(|load| load.is(LLVMLoad));
        side.is(LLVMAnd) && load.is_some_and(|load| load.operand(0) == store.operand(1))
    };
    let Some(kept) = word.operands().into_iter().find(same_unit) else { return };
    found.extend([word, kept]);
    let mut field = word.operands().into_iter().find(|side| *side != kept);
    while let Some(part) = field.filter(|part| matches!(part.opcode(), Some(LLVMAnd | LLVMShl))) {
        // The first mask after the value's own type is the field's.
        let is_mask = part.is(LLVMAnd);
        found.insert(part);
        let again =
            |user: &Value| matches!(user.opcode(), Some(LLVMShl | LLVMAShr)) && position_of(*user) == position_of(part);
        for result in part.users().into_iter().filter(again) {
            found.insert(result);
            found.extend(result.users().into_iter().filter(again));
        }
        field = if is_mask { None } else { part.operand(0) };
    }
}
