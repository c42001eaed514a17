//! How a function reaches the unit's words: by an address in a register where it loops.
//!
//! Processors forward what was just stored to the next load of the same place without going through memory when both name it by the
//! same register and offset, but not when they name it relative to the program counter. A counter's or hash's next step waits
//! for the last one, so in a loop this is most of what hooks cost.

use std::cell::RefCell;
use std::collections::HashMap;

use inkwell::llvm_sys::LLVMInlineAsmDialect;
use inkwell::llvm_sys::core::*;

use crate::inject::pieces;
use crate::llvm::builder::{Builder, word_address};
use crate::llvm::ir::{LLVMOpcode, Module, Type, Value, llvm};

/// The unit's words.
pub struct Words {
    module: Module,
    kind: Type,
    /// The variable.
    pub data: Value,
    /// For each function, the register; `None` where the variable is named itself.
    bases: RefCell<HashMap<Value, Option<Value>>>,
}

impl Words {
    /// The words of `module`, in the variable `data` of type `kind`.
    pub fn new(module: Module, kind: Type, data: Value) -> Words {
        Words { module, kind, data, bases: RefCell::default() }
    }

    /// The address of word number `index`, for code that `builder` puts into `function`.
    pub fn address(&self, builder: &Builder, function: Value, index: u32) -> Value {
        let base = *self.bases.borrow_mut().entry(function).or_insert_with(|| self.base(function));
        let Some(base) = base else { return word_address(self.module, self.kind, self.data, index) };
        let mut path = [self.module.constant(64, u64::from(index)).0];
        let word = self.module.int(64);
        Value(llvm!(LLVMBuildInBoundsGEP2(builder.raw(), word.0, base.0, path.as_mut_ptr(), 1, c"".as_ptr())))
    }

    /// An address that the compiler does not know for the variable's, or it would name that again. Sanitizers know what
    /// they need not check by the variable, and code that is not optimised keeps nothing in registers.
    fn base(&self, function: Value) -> Option<Value> {
        const NAMED: [&str; 6] = [
            "optnone",
            "sanitize_address",
            "sanitize_hwaddress",
            "sanitize_memory",
            "sanitize_memtag",
            "sanitize_thread",
        ];
        if NAMED.iter().any(|attribute| function.has_attribute(attribute)) || !loops(function) {
            return None;
        }
        let entry = *function.blocks().first()?;
        let first = entry.instructions().into_iter().find(|one| !one.is(LLVMOpcode::LLVMAlloca))?;
        let builder = Builder::before(self.module, first);
        Some(llvm!({
            let mut pointer = [self.module.pointer().0];
            let kind = LLVMFunctionType(pointer[0], pointer.as_mut_ptr(), 1, 0);
            let (code, same) = (c"", c"=r,0");
            let dialect = LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
            // LLVM 16 declares the strings as if it changed them.
            let (code, same) = (code.as_ptr().cast_mut(), same.as_ptr().cast_mut());
            let code = LLVMGetInlineAsm(kind, code, 0, same, 4, 0, 0, dialect, 0);
            let mut arguments = [self.data.0];
            Value(LLVMBuildCall2(builder.raw(), kind, code, arguments.as_mut_ptr(), 1, c"".as_ptr()))
        }))
    }
}

/// Whether some block of `function` can be reached from itself.
fn loops(function: Value) -> bool {
    let order = pieces::postorder(function);
    let numbers: HashMap<_, usize> = order.iter().copied().zip(0..).collect();
    let successors = |number: usize| order[number].terminator().into_iter().flat_map(Value::successors);
    (0..order.len()).any(|number| successors(number).any(|next| numbers[&next] >= number))
}
