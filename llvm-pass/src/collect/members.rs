//! Which members of a structure could be taken in another one's place: those of the same type.

use crate::collect::expression::Reader;
use crate::collect::nodes;
use crate::llvm::debug_info::{Info, Member};
use crate::llvm::ir::{LLVMTypeKind, Value};

/// Members that could be taken in another one's place are at most so many: each is a trial for each place that names a member, and there are more such
/// places than reads of variables.
const MOST_OTHERS: usize = 4;

/// The member that `step` leads to and those that could be taken instead, in the order of the structure; `None` when there are none.
pub fn of_step(reader: Reader, step: Value) -> Option<(Member, Vec<Member>)> {
    let kind = step.element_source();
    let is_member = step.n_operands() == 3
        && step.operand(1).and_then(Value::integer) == Some(0)
        && kind.kind() == LLVMTypeKind::LLVMStructTypeKind
        && !nodes::is_va_list_field(step);
    if !is_member {
        return None;
    }
    let structure = reader.location(step.operand(0)?)?.structure()?;
    let offset = reader.offset_of(kind, u32::try_from(step.operand(2)?.integer()?).ok()?);
    // A pointer may have been converted to one to another structure.
    if structure.bits() != reader.size(kind) {
        return None;
    }
    let all = structure.members();
    let own = all.iter().position(|member| member.offset == offset && is_plain(member))?;
    let type_of = |member: &Member| member.kind.map(|kind| (kind.plain(), kind.qualifiers()));
    let is_alike = |at: &usize| *at != own && is_plain(&all[*at]) && type_of(&all[*at]) == type_of(&all[own]);
    let mut others: Vec<usize> = (0..all.len()).filter(is_alike).collect();
    others.sort_by_key(|at| at.abs_diff(own));
    others.truncate(MOST_OTHERS);
    others.sort();
    let others: Vec<Member> = others.into_iter().map(|at| all[at].clone()).collect();
    (!others.is_empty()).then(|| (all[own].clone(), others))
}

/// Whether a member has a name, and a number or an address for its value.
fn is_plain(member: &Member) -> bool {
    !member.name.is_empty() && !member.bit_field && member.kind.and_then(Info::scalar_type).is_some()
}
