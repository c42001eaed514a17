//! Case functions: those that a test program may have as its cases. Each can be left out, or told as it runs.

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::*;
use suspect_format::abi::{self, CaseWay};

use crate::inject::case_names::{is_in_tests, is_named_so, takes_record, words};
use crate::llvm::builder::Builder;
use crate::llvm::debug_info::Info;
use crate::llvm::global::weak_global;
use crate::llvm::ir::{Block, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, Module, Type, Value, llvm};
use crate::llvm::shim;

/// LLVM's function for the address where a function's return address lies.
const RETURN_ADDRESS: &str = "llvm.addressofreturnaddress.p0";

/// What a case function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Nothing, or a record of tests.
    Nothing,
    /// Any addresses.
    Addresses,
}

/// What `function` takes if it may be a case: nothing or a record of tests, or in files of tests any addresses. It returns nothing, a number or an address,
/// and its name says so. Its own debug information must be there.
pub fn taken_by_case(module: Module, function: Value) -> Option<Taken> {
    let takes_nothing = function.parameters().is_empty() && !function.is_variadic();
    let takes_addresses = || {
        let is_address =
            |value: &Value| llvm!(LLVMGetTypeKind(LLVMTypeOf(value.0))) == LLVMTypeKind::LLVMPointerTypeKind;
        !function.is_variadic() && function.parameters().iter().all(is_address)
    };
    let declared = || Info::subprogram_of(function).map(Info::function_type_name);
    let takes_test = || declared().is_some_and(|kind| takes_record(&function.name(), &kind));
    let taken = if takes_nothing || takes_addresses() && takes_test() { Taken::Nothing } else { Taken::Addresses };
    let takes_so = taken == Taken::Nothing || takes_addresses() && is_in_tests(&module.source());
    let is_plain = llvm!(shim::suspect_returns_a_number(function.0)) && width(function).is_none_or(|bits| bits <= 64);
    let pure = function.has_attribute("memory") || function.linkage() == LLVMLinkage::LLVMAvailableExternallyLinkage;
    // A message, or else a suite.
    let gives_address = takes_nothing && kind(function) == LLVMTypeKind::LLVMPointerTypeKind;
    let is_suite = gives_address && words(&function.name()).iter().any(|word| word == "suite");
    let is_case = takes_so && is_plain && !pure && !is_suite && is_named_so(&function.name(), &module.source());
    is_case.then_some(taken)
}

/// Bits of the whole number that a function returns.
fn width(function: Value) -> Option<u32> {
    let returned = llvm!(LLVMGetReturnType(function.function_type().0));
    let is_int = llvm!(LLVMGetTypeKind(returned)) == LLVMTypeKind::LLVMIntegerTypeKind;
    is_int.then(|| llvm!(LLVMGetIntTypeWidth(returned)))
}

/// Has `function`, which looks at the mode, first ask what it is to do as a case, in processes that have cases.
pub fn ask(module: Module, function: Value, taken: Taken) {
    let Some(entry) = function.blocks().first().copied() else { return };
    let Some(first) = entry.instructions().first().copied() else { return };
    let (word, long) = (module.int(32), module.int(64));
    let builder = Builder::before(module, first);
    let asked = builder.load(word, weak_global(module, abi::SYMBOL_CASES, word, 4));
    let zero = module.constant(32, 0);
    let asked = llvm!(LLVMBuildICmp(builder.raw(), LLVMIntPredicate::LLVMIntNE, asked.0, zero.0, c"".as_ptr()));
    let aside = Block(llvm!(shim::suspect_divert(asked, first.0)));
    let on = first.block();
    let builder = Builder::at_end(module, aside);
    let frame = builder.call(hook(module, RETURN_ADDRESS, module.pointer(), &[]), &[]);
    let enters = hook(module, abi::HOOK_CASE, word, &[module.pointer(), module.pointer()]);
    let answer = builder.call(enters, &[name_of(module, function, taken), frame]);
    let way = builder.binary(LLVMOpcode::LLVMAnd, answer, module.constant(32, u64::from(abi::CASE_WAYS)));
    let block = || Block(llvm!(LLVMAppendBasicBlockInContext(module.context(), function.0, c"".as_ptr())));
    let (out, around) = (block(), block());
    llvm!({
        let ways = LLVMBuildSwitch(builder.raw(), way.0, on.0, 2);
        LLVMAddCase(ways, module.constant(32, CaseWay::Out as u64).0, out.0);
        LLVMAddCase(ways, module.constant(32, CaseWay::Around as u64).0, around.0);
    });
    let builder = Builder::at_end(module, out);
    let result = builder.call(hook(module, abi::HOOK_CASE_RESULT, long, &[]), &[]);
    return_bits(&builder, function, result);
    let builder = Builder::at_end(module, around);
    let result = builder.call(function, &function.parameters());
    let left = hook(module, abi::HOOK_CASE_LEFT, module.void(), &[word, word, long]);
    let returns = module.constant(32, u64::from(kind(function) != LLVMTypeKind::LLVMVoidTypeKind));
    builder.call(left, &[answer, returns, bits_of(module, &builder, function, result)]);
    llvm!(match kind(function) {
        LLVMTypeKind::LLVMVoidTypeKind => LLVMBuildRetVoid(builder.raw()),
        _ => LLVMBuildRet(builder.raw(), result.0),
    });
}

fn kind(function: Value) -> LLVMTypeKind {
    llvm!(LLVMGetTypeKind(LLVMGetReturnType(function.function_type().0)))
}

fn hook(module: Module, name: &str, returns: Type, parameters: &[Type]) -> Value {
    module.function(name).unwrap_or_else(|| module.declare(name, returns, parameters, false))
}

/// What `function` returned, zero-extended to a word.
fn bits_of(module: Module, builder: &Builder, function: Value, result: Value) -> Value {
    let long = module.int(64);
    match kind(function) {
        LLVMTypeKind::LLVMVoidTypeKind => module.constant(64, 0),
        LLVMTypeKind::LLVMPointerTypeKind => builder.cast(LLVMOpcode::LLVMPtrToInt, result, long),
        _ if width(function) == Some(64) => result,
        _ => builder.cast(LLVMOpcode::LLVMZExt, result, long),
    }
}

/// Returns the low bits of a word.
fn return_bits(builder: &Builder, function: Value, bits: Value) {
    let returned = Type(llvm!(LLVMGetReturnType(function.function_type().0)));
    let result = match kind(function) {
        LLVMTypeKind::LLVMVoidTypeKind => {
            llvm!(LLVMBuildRetVoid(builder.raw()));
            return;
        }
        LLVMTypeKind::LLVMPointerTypeKind => builder.cast(LLVMOpcode::LLVMIntToPtr, bits, returned),
        _ if width(function) == Some(64) => bits,
        _ => builder.cast(LLVMOpcode::LLVMTrunc, bits, returned),
    };
    llvm!(LLVMBuildRet(builder.raw(), result.0));
}

/// The function's name as a C string, by whose symbol the tool sees that a program has case functions.
fn name_of(module: Module, function: Value, taken: Taken) -> Value {
    let name = match taken {
        Taken::Nothing => function.name(),
        Taken::Addresses => format!("{}{}", abi::CASE_HANDED, function.name()),
    };
    let symbol = format!("{}{name}", abi::CASE_NAME);
    if let Some(global) = module.global(&symbol) {
        return global;
    }
    llvm!({
        let mut text: Vec<_> = name.bytes().chain([0]).map(|byte| module.constant(8, u64::from(byte)).0).collect();
        #[cfg_attr(feature = "llvm19", expect(deprecated, reason = "the new one is not in LLVM 16"))]
        let text = LLVMConstArray(module.int(8).0, text.as_mut_ptr(), text.len() as u32);
        let global = module.add_global(&symbol, Type(LLVMTypeOf(text)));
        LLVMSetInitializer(global.0, text);
        LLVMSetLinkage(global.0, LLVMLinkage::LLVMInternalLinkage);
        LLVMSetGlobalConstant(global.0, 1);
        shim::suspect_set_no_sanitize(global.0);
        global
    })
}
