//! Which functions could be called in another one's place: those of the same type that their unit calls or defines.

use std::collections::{HashMap, HashSet};

use crate::collect::calls;
use crate::collect::sites::{Body, position_of};
use crate::llvm::debug_info::{Info, PlainType};
use crate::llvm::ir::{LLVMLinkage, Module, Type, Value};

/// Functions that could be called in another one's place are at most so many: each is a trial for each call.
const MOST_OTHERS: usize = 8;

/// A function by what the debug information says of it.
struct Known {
    function: Value,
    file: Option<(String, String)>,
    line: u32,
}

/// A function's type in the IR and in C.
type Signature = (Type, Vec<Option<PlainType>>);

/// The functions of a unit that are called by their names.
#[derive(Default)]
pub struct Callees {
    known: Vec<Known>,
    by_type: HashMap<Signature, Vec<usize>>,
}

impl Callees {
    /// Those of `module`. Without debug information a function's type in C is not known.
    pub fn of(module: Module) -> Callees {
        let mut callees = Callees::default();
        for function in module.functions().into_iter().filter(|function| is_ordinary(*function)) {
            let Some(info) = Info::subprogram_of(function) else { continue };
            let number = callees.known.len();
            let (file, line) = (info.file(false), info.subprogram_line());
            callees.known.push(Known { function, file, line });
            callees.by_type.entry(signature(function, info)).or_default().push(number);
        }
        callees
    }

    /// The function that `call` calls and those that could be called instead, nearest first; `None` when there are none.
    ///
    /// # Order
    /// First those that the function around the call calls, too; then by the distance in lines, other files last.
    pub fn of_call(&self, call: Value, called: &HashSet<Value>) -> Option<(Value, Vec<Value>)> {
        let own = call.called_function().filter(|own| is_ordinary(*own))?;
        if call.call_has("noreturn") || call.call_has("returns_twice") || calls::is_nonlocal(call) {
            return None;
        }
        let info = Info::subprogram_of(own)?;
        let line = i64::from(position_of(call)?.0);
        let file = Info::subprogram_of(call.block().function()).and_then(|caller| caller.file(false));
        let alike = self.by_type.get(&signature(own, info))?;
        let mut others: Vec<&Known> =
            alike.iter().map(|number| &self.known[*number]).filter(|known| known.function != own).collect();
        others.sort_by_key(|known| {
            let is_elsewhere = known.file != file;
            let distance = if is_elsewhere { 0 } else { (i64::from(known.line) - line).abs() };
            (!called.contains(&known.function), is_elsewhere, distance)
        });
        others.truncate(MOST_OTHERS);
        let others: Vec<Value> = others.into_iter().map(|known| known.function).collect();
        (!others.is_empty()).then_some((own, others))
    }
}

/// The functions that a function calls by their names.
pub fn called_in(body: &Body) -> HashSet<Value> {
    let calls = body.instructions.iter().filter(|value| calls::is_call(**value));
    calls.filter_map(|call| call.called_function()).collect()
}

/// The name of a function in its source.
pub fn name_of(function: Value) -> String {
    Info::subprogram_of(function).map(Info::name).filter(|name| !name.is_empty()).unwrap_or_else(|| function.name())
}

/// Whether a function could be called in another one's place. What takes variable arguments mostly prints.
fn is_ordinary(function: Value) -> bool {
    let is_special = ["noreturn", "returns_twice", "naked"].iter().any(|attribute| function.has_attribute(attribute));
    // What only dead code calls may be nowhere.
    let is_missing = function.linkage() == LLVMLinkage::LLVMExternalWeakLinkage;
    !function.is_intrinsic() && !function.is_variadic() && !is_special && !is_missing && function.name() != "main"
}

fn signature(function: Value, info: Info) -> Signature {
    (function.function_type(), info.signature())
}
