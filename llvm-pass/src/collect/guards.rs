//! What guards can be put in front of: pointers that are followed or passed on, integers that are read, results of calls that nothing uses.

use std::collections::HashSet;

use suspect_format::external::known;
use suspect_format::site::OperationKind;

use crate::collect::calls;
use crate::collect::expression::Reader;
use crate::collect::nodes;
use crate::collect::signedness;
use crate::collect::sites::{Body, position_of};
use crate::llvm::ir::{LLVMOpcode, LLVMTypeKind, Value, llvm};
use crate::llvm::shim;

/// Pointers of a function that guards are put in front of, at most, and integers: each makes another block of its code.
const MOST: usize = 512;

/// Positions of the loads that read pointers which are followed or passed on.
pub fn pointers(body: &Body) -> Vec<u32> {
    let found = first_loads(body, |load| is_followed(load) && !nodes::reads_va_list(load));
    found.into_iter().take(MOST).collect()
}

/// Positions of loads of integers, and of calls whose integers nothing uses. `fields` is what takes bit-fields out of their storage.
pub fn numbers(reader: Reader, body: &Body, fields: &HashSet<Value>) -> Vec<(u32, OperationKind)> {
    let loads = first_loads(body, |load| is_number(load, fields)).into_iter();
    let calls = (0..body.instructions.len() as u32).filter(|position| gives_unused(body.at(*position)));
    let kind = |position: u32, result: bool| {
        let value = body.at(position);
        let sign = if result { signedness::returned(value) } else { signedness::declared(reader, value) };
        let (width, signed) = (value.kind().int_bits() as u8, sign == Some(true));
        (position, OperationKind::Number { width, signed, result })
    };
    let mut found: Vec<_> =
        calls.map(|call| kind(call, true)).chain(loads.map(|load| kind(load, false))).take(MOST).collect();
    found.sort_by_key(|(position, _)| *position);
    found
}

/// Loads that are `wanted`; where a block reads one again that it has not written since, the first time alone. None where the function returns what guards
/// cannot.
fn first_loads(body: &Body, wanted: impl Fn(Value) -> bool) -> Vec<u32> {
    let mut found = Vec::new();
    if !llvm!(shim::suspect_returns_a_number(body.blocks[0].function().0)) {
        return found;
    }
    for block in 0..body.blocks.len() {
        let mut known: HashSet<Value> = HashSet::new();
        for position in body.range(block) {
            let value = body.at(position);
            let address = |operand| value.operand(operand).filter(|_| !llvm!(shim::suspect_is_sanitizer_code(value.0)));
            match value.opcode() {
                Some(LLVMOpcode::LLVMStore) => {
                    address(1).map(|target| known.remove(&target));
                }
                Some(LLVMOpcode::LLVMLoad) if wanted(value) && address(0).is_some_and(|from| known.insert(from)) => {
                    found.push(position);
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether a load reads a pointer that is followed, or is an argument of a call.
fn is_followed(load: Value) -> bool {
    use LLVMOpcode::*;
    let follows = |user: &Value| match user.opcode() {
        Some(LLVMGetElementPtr | LLVMLoad) => user.operand(0) == Some(load),
        Some(LLVMStore) => user.operand(1) == Some(load),
        Some(LLVMCall) => (0..user.n_operands().saturating_sub(1)).any(|at| user.operand(at) == Some(load)),
        _ => false,
    };
    load.kind().is_ordinary_pointer() && load.is_simple_access() && load.users().iter().any(follows)
}

/// Whether a load reads an integer for its value: not to write it back, not to take a part of it, and of a variable that the text has.
fn is_number(load: Value, fields: &HashSet<Value>) -> bool {
    let own = position_of(load);
    let updates = |user: &Value| {
        user.is(LLVMOpcode::LLVMStore) && user.operand(1) == load.operand(0) && position_of(*user) == own
    };
    let is_updated = load.operand(0).is_none_or(|from| nodes::is_made_up(from) || from.users().iter().any(updates));
    let users = load.users();
    is_integer(load)
        && load.is_simple_access()
        && !users.is_empty()
        && !is_updated
        && !users.iter().any(|user| fields.contains(user))
        && !nodes::reads_va_list(load)
}

/// Whether a call gives back an integer that nothing uses. What the C library's functions say is known to matter seldom.
fn gives_unused(call: Value) -> bool {
    let is_known = |callee: Value| callee.is_intrinsic() || known(&callee.name()).is_some();
    calls::is_call(call)
        && is_integer(call)
        && call.kind().int_bits() >= 32
        && call.users().is_empty()
        && !llvm!(shim::suspect_is_sanitizer_code(call.0))
        && call.inline_assembly().is_none()
        && !call.is_musttail()
        && !call.call_has("noreturn")
        && !call.called_function().is_some_and(is_known)
        && llvm!(shim::suspect_returns_a_number(call.block().function().0))
}

fn is_integer(value: Value) -> bool {
    let kind = value.kind();
    kind.kind() == LLVMTypeKind::LLVMIntegerTypeKind && (8..=64).contains(&kind.int_bits())
}
