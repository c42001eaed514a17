//! Copies of a function's statements, in a function of their own: what runs beside other statements where the runtime says so.

use suspect_format::site::OperationKind;

use crate::collect::sites::{Body, OperationSite, OperationSpot};
use crate::collect::statements::{self, Statement};
use crate::llvm::builder::Builder;
use crate::llvm::ir::{LLVMOpcode, Module, Value, llvm};
use crate::llvm::shim;

/// The copies of one function.
pub struct Copies {
    /// The function that runs the one whose number it is given.
    pub code: Value,
    /// What that is given besides: the addresses in the frame that the copies use.
    pub table: Value,
}

impl Copies {
    /// Makes those of the statements among `operations`; `None` if there is none, or no other statement to stand beside. Before anything is put into the function.
    pub fn make(module: Module, body: &Body, operations: &[OperationSite]) -> Option<Copies> {
        let (mut firsts, mut ends, mut leaves) = (Vec::new(), Vec::new(), Vec::<Value>::new());
        for operation in operations {
            let (OperationKind::Statement { copy: Some(_) }, OperationSpot::Around(first, end)) =
                (operation.kind, &operation.spot)
            else {
                continue;
            };
            let (first, end) = (*first, *end);
            let statement = Statement { first, last: end - 1, end };
            let uses = statements::leaves(body, statement)?;
            uses.into_iter().for_each(|leaf| {
                if !leaves.contains(&leaf) {
                    leaves.push(leaf)
                }
            });
            firsts.push(body.at(first).0);
            ends.push(body.at(end).0);
        }
        let is_statement = |one: &&OperationSite| matches!(one.kind, OperationKind::Statement { .. });
        if firsts.is_empty() || operations.iter().filter(is_statement).count() < 2 {
            return None;
        }
        let function = body.blocks[0].function();
        let (name, count) = (format!("{}.copies", function.name()), firsts.len());
        let mut raw: Vec<_> = leaves.iter().map(|leaf| leaf.0).collect();
        let code = Value(llvm!(shim::suspect_copies(
            function.0,
            name.as_ptr().cast(),
            name.len(),
            firsts.as_mut_ptr(),
            ends.as_mut_ptr(),
            count,
            raw.as_mut_ptr(),
            raw.len(),
        )));
        Some(Copies { code, table: table(module, body, &leaves)? })
    }
}

/// The leaves in an array of the frame.
fn table(module: Module, body: &Body, leaves: &[Value]) -> Option<Value> {
    let first = body.blocks[0].instructions().into_iter().find(|one| !one.is(LLVMOpcode::LLVMAlloca))?;
    let kind = module.array(module.pointer(), leaves.len() as u32);
    let table = Builder::before(module, body.at(0)).slot(kind);
    llvm!(shim::suspect_no_sanitize_instruction(table.0));
    let builder = Builder::before(module, first);
    for (number, leaf) in (0..).zip(leaves) {
        builder.store(*leaf, builder.element(kind, table, number));
    }
    Some(table)
}
