//! Copies of statements in a function of their own: what runs beside other statements where the runtime says so.

use suspect_format::site::OperationKind;

use crate::collect::sites::{Body, OperationSite, OperationSpot};
use crate::collect::statements::{self, Statement};
use crate::llvm::builder::Builder;
use crate::llvm::ir::{LLVMOpcode, Module, Value, llvm};
use crate::llvm::shim;

/// The copies that run beside the statements of one function.
pub struct Copies {
    /// The function that runs the one whose number it is given.
    pub code: Value,
    /// The addresses in the frame that the copies use.
    leaves: Vec<Value>,
}

/// Statements that are copied: where each begins and ends, and for each address of the frame that it uses the number of what takes its place.
#[derive(Default)]
struct Runs {
    firsts: Vec<Value>,
    ends: Vec<Value>,
    uses: Vec<Value>,
    numbers: Vec<usize>,
    /// How many uses there are up to the end of each statement.
    n_uses: Vec<usize>,
    leaves: Vec<Value>,
}

impl Copies {
    /// Makes those of the statements and donors among the operations of a function, one of those with these `bodies`; `None` if there is none, or no other
    /// statement to stand beside. Before anything is put into the functions.
    pub fn make(bodies: &[Option<Body>], index: usize, operations: &[OperationSite]) -> Option<Copies> {
        let body = bodies[index].as_ref()?;
        let mut runs = Runs::default();
        for operation in operations {
            match (operation.kind, &operation.spot) {
                (OperationKind::Statement { copy: Some(_) }, OperationSpot::Around(first, end)) => {
                    let statement = Statement { first: *first, last: end - 1, end: *end };
                    let own = statements::leaves(body, statement)?.into_iter().map(|leaf| (leaf, leaf));
                    runs.add(body, (*first, *end), own);
                }
                (_, OperationSpot::Donor(donated)) => {
                    let there = bodies[donated.function].as_ref()?;
                    let leaves = donated.leaves.iter().map(|(leaf, own)| (there.at(*leaf), body.at(*own)));
                    runs.add(there, (donated.first, donated.end), leaves);
                }
                _ => {}
            }
        }
        let stands_alone = |one: &&OperationSite| match one.kind {
            OperationKind::Statement { .. } => true,
            _ => matches!(one.spot, OperationSpot::Donor(_)),
        };
        let has_statement = operations.iter().any(|one| matches!(one.kind, OperationKind::Statement { .. }));
        if runs.firsts.is_empty() || !has_statement || operations.iter().filter(stands_alone).count() < 2 {
            return None;
        }
        let function = body.blocks[0].function();
        Some(Copies { code: runs.code(function), leaves: runs.leaves })
    }
}

impl Runs {
    fn add(&mut self, body: &Body, (first, end): (u32, u32), leaves: impl Iterator<Item = (Value, Value)>) {
        self.firsts.push(body.at(first));
        self.ends.push(body.at(end));
        for (used, own) in leaves {
            let number = self.leaves.iter().position(|leaf| *leaf == own).unwrap_or(self.leaves.len());
            if number == self.leaves.len() {
                self.leaves.push(own);
            }
            self.uses.push(used);
            self.numbers.push(number);
        }
        self.n_uses.push(self.uses.len());
    }

    fn code(&self, function: Value) -> Value {
        let name = format!("{}.copies", function.name());
        let raw = |values: &[Value]| values.iter().map(|value| value.0).collect::<Vec<_>>();
        let (firsts, ends, uses) = (raw(&self.firsts), raw(&self.ends), raw(&self.uses));
        Value(llvm!(shim::suspect_copies(
            function.0,
            name.as_ptr().cast(),
            name.len(),
            firsts.as_ptr(),
            ends.as_ptr(),
            firsts.len(),
            uses.as_ptr(),
            self.numbers.as_ptr(),
            self.n_uses.as_ptr(),
        )))
    }
}

/// The addresses that copies use, in an array of the frame.
pub fn table(module: Module, body: &Body, copies: &Copies) -> Option<Value> {
    let first = body.blocks[0].instructions().into_iter().find(|one| !one.is(LLVMOpcode::LLVMAlloca))?;
    let kind = module.array(module.pointer(), copies.leaves.len() as u32);
    let table = Builder::before(module, body.at(0)).slot(kind);
    llvm!(shim::suspect_no_sanitize_instruction(table.0));
    let builder = Builder::before(module, first);
    for (number, leaf) in (0..).zip(&copies.leaves) {
        builder.store(*leaf, builder.element(kind, table, number));
    }
    Some(table)
}
