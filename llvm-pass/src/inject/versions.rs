//! Versions: which functions get them, copying, sending calls from version to version, dispatching.

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::core::*;
use suspect_format::abi::{self, Mode};

use crate::collect::calls;
use crate::inject::cases::{self, Taken};
use crate::llvm::builder::{Builder, word_address};
use crate::llvm::global::weak_global;
use crate::llvm::ir::{Block, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, Module, Value, llvm};
use crate::llvm::shim;
use crate::options::Versions;

/// Most tables of labels that one function may have.
const MOST_TABLES: usize = 64;
/// What a function of the `values` version may cost to be inlined, in LLVM's unit: an instruction is 5, the usual limit 225.
const VALUES_INLINED: &str = "30";

/// Why `function` cannot have hooks or versions; `None` when it can.
pub fn obstacle(module: Module, function: Value, versions: &Versions) -> Option<&'static str> {
    if function.has_attribute("naked") {
        return Some("it is naked");
    }
    if versions.dispatch() && function.is_variadic() && llvm!(shim::suspect_takes_copies(function.0)) {
        return Some("it takes variable arguments after a structure");
    }
    if module.ifuncs().iter().any(|ifunc| resolver_of(*ifunc) == Some(function)) {
        return Some("it chooses an indirect function before the program starts");
    }
    for block in function.blocks() {
        for instruction in block.instructions() {
            match instruction.opcode() {
                Some(LLVMOpcode::LLVMInvoke) => return Some("it has clean-ups for exceptions"),
                Some(LLVMOpcode::LLVMCallBr) => return Some("it jumps out of inline assembly"),
                Some(LLVMOpcode::LLVMCall) if versions.dispatch() => {
                    if instruction.inline_assembly().is_some_and(|code| defines_symbol(&code)) {
                        return Some("its inline assembly defines a label that cannot be there twice");
                    }
                    if llvm!(shim::suspect_call_no_duplicate(instruction.0)) {
                        return Some("it has a call that must not be copied");
                    }
                }
                _ => {}
            }
        }
    }
    (versions.dispatch() && label_tables(function).is_none())
        .then_some("addresses of its labels are kept where other code can see them")
}

fn resolver_of(ifunc: Value) -> Option<Value> {
    let resolver = Value(llvm!(LLVMGetGlobalIFuncResolver(ifunc.0)));
    (!resolver.0.is_null()).then_some(resolver)
}

/// Whether assembly defines a label or symbol that would clash with that of a copy. Numbers (`1:`) and unique
/// identifiers (`%=`) do not.
fn defines_symbol(code: &str) -> bool {
    code.split(['\n', ';']).any(|line| {
        let word = line.trim_start().split(|c: char| c.is_whitespace()).next().unwrap_or_default();
        let label = word.split_once(':').map(|(label, _)| label);
        let clashes = |label: &str| {
            !label.is_empty()
                && !label.chars().all(|c| c.is_ascii_digit())
                && !label.contains('{')
                && !label.contains('%')
        };
        label.is_some_and(clashes) || matches!(word, ".set" | ".globl" | ".global" | ".weak" | ".equ" | ".macro")
    })
}

/// The variables that hold addresses of `function`'s labels; `None` when other code can see them.
fn label_tables(function: Value) -> Option<Vec<Value>> {
    if !function.blocks().into_iter().any(Block::has_address_taken) {
        return Some(Vec::new());
    }
    let mut tables = [std::ptr::null_mut(); MOST_TABLES];
    let count = llvm!(shim::suspect_label_tables(function.0, tables.as_mut_ptr(), MOST_TABLES));
    usize::try_from(count).ok().map(|count| tables[..count].iter().map(|table| Value(*table)).collect())
}

/// The versions of all functions of a unit.
pub struct Copies {
    /// For each function, its code for each mode.
    code: Vec<HashMap<Mode, Value>>,
    /// Functions that ask first what they are to do, see [`cases`].
    asking: HashMap<Value, Taken>,
}

impl Copies {
    /// Makes the versions of `functions`.
    pub fn make(module: Module, functions: &[Value], versions: &Versions) -> Copies {
        let asks = |function: &Value| Some((*function, cases::taken_by_case(module, *function)?));
        let asking: HashMap<Value, Taken> = functions.iter().filter(|_| versions.dispatch()).filter_map(asks).collect();
        let code = functions.iter().map(|function| copies_of(module, *function, versions)).collect();
        let mut copies = Copies { code, asking };
        let exposed: Vec<bool> = {
            let own = functions.iter().copied().chain(copies.code.iter().flat_map(|code| code.values().copied()));
            let own: HashSet<Value> = own.collect();
            let exposed =
                |function: Value| is_exposed(function, &own, versions.base()) || copies.asking.contains_key(&function);
            functions.iter().map(|function| exposed(*function)).collect()
        };
        for ((function, exposed), code) in functions.iter().zip(exposed).zip(&mut copies.code) {
            let base = if exposed && versions.dispatch() { take_body(*function, versions.base()) } else { *function };
            code.insert(versions.base(), base);
        }
        copies.link(functions, versions);
        for (function, code) in functions.iter().zip(&copies.code) {
            if code[&versions.base()] != *function {
                dispatch(module, *function, code, versions);
                if let Some(taken) = copies.asking.get(function) {
                    cases::ask(module, *function, *taken);
                }
            }
        }
        copies
    }

    /// The code of the function with this number in `mode`.
    pub fn code(&self, function: usize, mode: Mode) -> Option<Value> {
        self.code[function].get(&mode).copied()
    }

    /// What the `trace` version calls for each of `functions` that it does not call itself.
    pub fn called_by_trace(&self, functions: &[Value], versions: &Versions) -> HashMap<Value, Value> {
        let target = |(number, function): (usize, &Value)| {
            let code = self.code(number, versions.called_by_trace()).filter(|_| self.is_bound(*function));
            Some((*function, code.filter(|_| versions.dispatch())?))
        };
        functions.iter().enumerate().filter_map(target).collect()
    }

    /// Whether calls of a function may go to a version of it, not by its symbol.
    fn is_bound(&self, function: Value) -> bool {
        !function.is_interposable() && !self.asking.contains_key(&function)
    }

    /// Sends direct calls inside each version to the same version of what they call.
    fn link(&self, functions: &[Value], versions: &Versions) {
        let numbers: HashMap<Value, usize> = functions.iter().copied().zip(0..).collect();
        let modes = std::iter::once(versions.base()).chain(versions.copies().iter().copied());
        for mode in modes.filter(|_| versions.dispatch()) {
            for code in self.code.iter().filter_map(|code| code.get(&mode)) {
                for call in code.blocks().into_iter().flat_map(Block::instructions).filter(|one| calls::is_call(*one)) {
                    let number = call.called_function().and_then(|callee| numbers.get(&callee));
                    let Some((number, callee)) = number.map(|number| (*number, functions[*number])) else { continue };
                    // What a mutated function calls runs as fast as if it had been called by others.
                    let wanted = if mode == Mode::Trace { versions.called_by_trace() } else { mode };
                    if let Some(target) = self.code(number, wanted).filter(|_| self.is_bound(callee)) {
                        llvm!(shim::suspect_set_called(call.0, target.0));
                        if mode != Mode::Plain {
                            llvm!(shim::suspect_forget_memory(call.0));
                        }
                    }
                }
            }
        }
    }
}

fn version_name(function: Value, mode: Mode) -> String {
    format!("{}.suspect.{}", function.name(), mode.name())
}

/// The versions of `function` that are copies of it.
fn copies_of(module: Module, function: Value, versions: &Versions) -> HashMap<Mode, Value> {
    let tables = label_tables(function).unwrap_or_default();
    versions.copies().iter().map(|mode| (*mode, copy(module, function, *mode, &tables))).collect()
}

fn copy(module: Module, function: Value, mode: Mode, tables: &[Value]) -> Value {
    let name = version_name(function, mode);
    let copy = Value(llvm!(shim::suspect_clone(function.0, name.as_ptr().cast(), name.len())));
    for table in tables {
        let name = format!("{}.suspect.{}", table.name(), mode.name());
        llvm!({
            let twin = shim::suspect_clone_table(table.0, function.0, copy.0, name.as_ptr().cast(), name.len());
            shim::suspect_replace_in(copy.0, table.0, twin);
        })
    }
    copy.remove_attribute("memory");
    if matches!(mode, Mode::Values | Mode::Trace | Mode::Record) {
        // Inlined everywhere in any case, its hooks would multiply: clang took minutes for such code.
        copy.remove_attribute("alwaysinline");
    }
    let is_as_written = ["inlinehint", "optnone"].iter().any(|attribute| copy.has_attribute(attribute));
    if mode == Mode::Values && !is_as_written {
        // Beside its hooks a call costs little, and each copy has all of them again.
        copy.add_text_attribute(module.context(), "function-inline-threshold", VALUES_INLINED);
    }
    if matches!(mode, Mode::Trace | Mode::Record) {
        copy.remove_attribute("inlinehint");
        // Run once for a failing test: compiled quickly, with each value still there to be handed over.
        for attribute in ["optsize", "minsize", "optdebug"] {
            copy.remove_attribute(attribute);
        }
        copy.add_attribute(module.context(), "optnone", 0);
        copy.add_attribute(module.context(), "noinline", 0);
    }
    copy
}

/// Whether something besides direct calls from `own` code, which has versions, refers to `function`.
fn is_exposed(function: Value, own: &HashSet<Value>, base: Mode) -> bool {
    if function.linkage() == LLVMLinkage::LLVMAvailableExternallyLinkage {
        // What is left of it in the end is a call of somebody else's, which does for the plain version alone.
        return base != Mode::Plain;
    }
    let direct = |user: Value| {
        let last = user.n_operands().checked_sub(1);
        let as_argument = (0..last.unwrap_or(0)).any(|index| user.operand(index) == Some(function));
        calls::is_call(user)
            && user.called_function() == Some(function)
            && !as_argument
            && own.contains(&function_of(user))
    };
    !function.is_local() || !function.users().into_iter().all(direct)
}

fn function_of(instruction: Value) -> Value {
    Value(llvm!(LLVMGetBasicBlockParent(instruction.block().0)))
}

fn take_body(function: Value, mode: Mode) -> Value {
    let name = version_name(function, mode);
    Value(llvm!(shim::suspect_take_body(function.0, name.as_ptr().cast(), name.len())))
}

/// Gives `function`, whose body was taken, one that looks at the mode and goes on in the right version.
fn dispatch(module: Module, function: Value, code: &HashMap<Mode, Value>, versions: &Versions) {
    let context = module.context();
    for attribute in ["memory", "optnone"] {
        function.remove_attribute(attribute);
    }
    // A few comparisons that are always right cost less than a jump through a table.
    function.add_text_attribute(context, "no-jump-tables", "true");
    let block = |name: &std::ffi::CStr| Block(llvm!(LLVMAppendBasicBlockInContext(context, function.0, name.as_ptr())));
    let (entry, base_block, other_block) = (block(c"entry"), block(c"base"), block(c"other"));
    let mode = {
        let builder = Builder::at_end(module, entry);
        let mode = builder.load(module.int(32), weak_global(module, abi::SYMBOL_MODE, module.int(32), 4));
        let second = versions.copies()[0];
        let is_base = llvm!(match versions.base() {
            Mode::Plain => LLVMBuildICmp(
                builder.raw(),
                LLVMIntPredicate::LLVMIntEQ,
                mode.0,
                module.constant(32, 0).0,
                c"".as_ptr()
            ),
            _ => LLVMBuildICmp(
                builder.raw(),
                LLVMIntPredicate::LLVMIntULT,
                mode.0,
                module.constant(32, second as u64).0,
                c"".as_ptr()
            ),
        });
        llvm!({
            let branch = LLVMBuildCondBr(builder.raw(), is_base, base_block.0, other_block.0);
            shim::suspect_set_likely(branch);
        });
        mode
    };
    forward(module, function, base_block, code[&versions.base()]);
    let others: Vec<Mode> = versions.copies().iter().copied().filter(|mode| *mode != Mode::Record).collect();
    let goes_on = |mode: Mode| {
        let case = block(c"");
        forward(module, function, case, code[&mode]);
        case
    };
    // The `record` version's hooks do nothing good in other modes.
    let last = others.last().map_or(base_block, |mode| goes_on(*mode));
    let builder = Builder::at_end(module, other_block);
    let switch = llvm!(LLVMBuildSwitch(builder.raw(), mode.0, last.0, versions.copies().len() as u32));
    for mode in others.split_last().map_or(&[][..], |(_, most)| most) {
        llvm!(LLVMAddCase(switch, module.constant(32, *mode as u64).0, goes_on(*mode).0));
    }
    if let Some(record) = code.get(&Mode::Record) {
        let case = block(c"");
        enter_from_outside(module, case);
        forward(module, function, case, *record);
        llvm!(LLVMAddCase(switch, module.constant(32, Mode::Record as u64).0, case.0));
    }
}

/// Says that whoever called may have no `record` version.
fn enter_from_outside(module: Module, block: Block) {
    let words = module.words(abi::STATE_WORDS as u32);
    let state = weak_global(module, abi::SYMBOL_STATE, words, 16);
    let builder = Builder::at_end(module, block);
    builder.store(module.constant(64, 1), word_address(module, words, state, abi::STATE_OUTSIDE as u32));
}

/// Ends `block` of `function` in a tail call of `target` with the function's own arguments. Code generators up to LLVM 19
/// copy arguments of a tail call that lie on the stack over its return address; there it is an ordinary call.
fn forward(module: Module, function: Value, block: Block, target: Value) {
    let call = forward_call(module, function, block, target);
    if !llvm!(shim::suspect_takes_copies(function.0)) {
        llvm!(shim::suspect_set_musttail(call.0));
    }
}

/// As [`forward`], by an ordinary call.
pub fn forward_call(module: Module, function: Value, block: Block, target: Value) -> Value {
    let builder = Builder::at_end(module, block);
    let call = builder.call(target, &function.parameters());
    llvm!({
        shim::suspect_forward_attributes(call.0, target.0);
        if shim::suspect_takes_copies(function.0) {
            shim::suspect_set_notail(call.0);
        }
        let returned = LLVMGetReturnType(function.function_type().0);
        match LLVMGetTypeKind(returned) {
            inkwell::llvm_sys::LLVMTypeKind::LLVMVoidTypeKind => LLVMBuildRetVoid(builder.raw()),
            _ => LLVMBuildRet(builder.raw(), call.0),
        };
    });
    call
}
