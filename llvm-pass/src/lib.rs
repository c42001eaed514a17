//! The clang plugin: gives every function of a unit versions with hooks, and the unit its site table.
//!
//! Two passes. At the start of clang's pipeline sites are collected (`collect`) from the front end's IR, `versions` are
//! copied, `hooks` are put in as marker calls, and the `table` is emitted. At the end of the pipeline `lower`
//! turns the markers into code. Only `versions`, `hooks` and `lower` change the IR.

mod collect;
mod inject;
mod llvm;
mod options;
mod record;
mod table;

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use inkwell::llvm_sys::prelude::LLVMModuleRef;
use suspect_format::abi::{self, Mode};

use collect::callees::Callees;
use collect::dependence::Dependences;
use collect::donors;
use collect::expression::Reader;
use collect::limits::Limits;
use collect::sites::{Body, FunctionSites};
use collect::unit::Unit;
use collect::variables::Globals;
use inject::copies::Copies;
use inject::mutations::Bytes;
use inject::{fuel, gates, hooks, lower, versions};
use llvm::ir::{self, LLVMOpcode, Module, Value, llvm};
use llvm::shim;
use options::Versions;
use record::bodies::Bodies;
use record::{version, writer};
use table::{EscapeSite, Files, Numbers, Table};

/// What LLVM wants to know of a plugin (`PassPluginLibraryInfo`, version 1 of its interface).
#[repr(C)]
pub struct PluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut shim::Registrar),
}

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

/// LLVM's entry into the plugin. In Rust, because the linker hides what C++ archives export from a `cdylib`.
// SAFETY: the name is LLVM's for this purpose and nothing else of the compiler has it.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PluginInfo {
    PluginInfo {
        api_version: 1,
        name: c"suspect".as_ptr(),
        version: VERSION.as_ptr(),
        register: shim::suspect_register,
    }
}

/// The pass at the start of the pipeline.
// SAFETY: only the shim knows the name.
#[unsafe(no_mangle)]
pub extern "C" fn suspect_pipeline_start(module: LLVMModuleRef, analyses: *mut shim::Analyses) {
    guarded(Module(module), |module| start(module, analyses));
}

/// The pass at the end of the pipeline.
// SAFETY: only the shim knows the name.
#[unsafe(no_mangle)]
pub extern "C" fn suspect_optimizer_last(module: LLVMModuleRef) {
    guarded(Module(module), |module| {
        if let Some(unit) = lower::UnitNumbers::take(module) {
            lower::lower(module, unit);
        }
        verify(module)
    });
}

/// Runs a pass; what goes wrong in it becomes an error of the compiler's.
fn guarded(module: Module, pass: impl FnOnce(Module) -> Result<(), String>) {
    match catch_unwind(AssertUnwindSafe(|| pass(module))) {
        Ok(Ok(())) => {}
        Ok(Err(message)) => module.error(&message),
        Err(_) => module.error("suspect: internal error in the plugin: please report it with the preprocessed source"),
    }
}

fn start(module: Module, analyses: *mut shim::Analyses) -> Result<(), String> {
    let versions = Versions::parse(&ir::string_of(|length| llvm!(shim::suspect_option_modes(length))))?;
    let directory =
        table::compile_unit(module).and_then(|unit| unit.file(false)).map_or_else(String::new, |file| file.0);
    let mut files = Files::new(&module.source(), &directory);
    let mut collected = collect(module, analyses, &versions, &mut files);
    let numbers = Numbers::of(&collected.sites)
        .ok_or_else(|| format!("suspect: {}: too much code for one unit: split the file", module.source()))?;
    let table = Table::encode(module, versions.bits(), &files, &collected.sites, &collected.escapes, &numbers);
    module.append_assembly(&table.assembly());
    let dependences = std::mem::take(&mut collected.dependences).encode(module, table.unit_hash);
    module.append_assembly(&Table::of_body(suspect_format::dependence::SECTION, &dependences).assembly());
    let n_gates = if versions.contains(Mode::Mutants) { collected.functions.len() as u32 } else { 0 };
    let known = version::known_variables(module, collected.escapes.is_empty());
    let copies = versions::Copies::make(module, &collected.functions, &versions);
    if versions.contains(Mode::Record) {
        let bodies = record(module, &copies, &versions, &collected, known, table.unit_hash, &mut files);
        module.append_assembly(&Table::of_body(suspect_format::body::SECTION, &bodies).assembly());
    }
    inject(module, &copies, &versions, &collected, &numbers, n_gates);
    let (n_counters, n_values) = (numbers.n_counters, numbers.n_values);
    let n_operations = numbers.n_operations;
    lower::UnitNumbers { unit_hash: table.unit_hash, n_counters, n_values, n_gates, n_operations }.leave(module);
    verify(module)
}

/// What is known of a unit before anything is changed.
struct Collected {
    functions: Vec<Value>,
    sites: Vec<FunctionSites>,
    escapes: Vec<EscapeSite>,
    dependences: Dependences,
}

fn collect(module: Module, analyses: *mut shim::Analyses, versions: &Versions, files: &mut Files) -> Collected {
    let (globals, callees) = (Globals::of(module), Callees::of(module));
    let reader = Reader::new(module);
    let limits = Limits::of(reader, module);
    let mut unit = Unit { reader, versions, analyses, files, globals: &globals, limits: &limits, callees: &callees };
    let mut collected = Collected {
        functions: Vec::new(),
        sites: Vec::new(),
        escapes: Vec::new(),
        dependences: Dependences::default(),
    };
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        let found = match versions::obstacle(module, function, versions) {
            Some(reason) => Err(reason),
            None => {
                split_indirect_edges(function);
                unit.collect(function)
            }
        };
        match found {
            Ok(sites) => {
                collected.dependences.add(&mut unit, function, &sites);
                collected.functions.push(function);
                collected.sites.push(sites);
            }
            Err(reason) => {
                let place = unit.place_of_function(function);
                collected.escapes.push(EscapeSite { name: function.name(), place, reason });
            }
        }
    }
    if versions.contains(Mode::Trace) {
        donors::add(files, &collected.functions, &mut collected.sites);
    }
    collected
}

/// Edges out of an indirect branch cannot be split when they are counted, so it is done beforehand, by moving what else
/// leads to their targets.
fn split_indirect_edges(function: Value) {
    let indirect = |block: ir::Block| block.terminator().is_some_and(|end| end.is(LLVMOpcode::LLVMIndirectBr));
    if function.blocks().into_iter().any(indirect) {
        llvm!(shim::suspect_split_indirect_edges(function.0));
    }
}

/// Puts hooks into the `record` versions; the body table.
fn record(
    module: Module,
    copies: &versions::Copies,
    versions: &Versions,
    collected: &Collected,
    known: Vec<Value>,
    unit_hash: u64,
    files: &mut Files,
) -> Vec<u8> {
    let mut bodies = Bodies::new(module, &collected.functions, known);
    let code = |index, mode| copies.code(index, mode);
    let numbers =
        (0..collected.functions.len()).filter_map(|index| Some((code(index, Mode::Record)?, index as u32))).collect();
    for (index, function) in collected.functions.iter().enumerate() {
        if let Some((original, copy)) = code(index, versions.base()).zip(code(index, Mode::Record)) {
            // What nobody else refers to is not to be referred to from here.
            let symbol = if original == *function { copy } else { *function };
            let version = version::Version { module, code: copy, original, symbol, number: index as u32, unit_hash };
            writer::record(&version, &mut bodies, &numbers, files);
        }
    }
    bodies.encode(unit_hash)
}

fn inject(
    module: Module,
    copies: &versions::Copies,
    versions: &Versions,
    collected: &Collected,
    numbers: &Numbers,
    n_gates: u32,
) {
    let targets = copies.called_by_trace(&collected.functions, versions);
    let make = |name, section, count| (count > 0).then(|| Bytes::make(module, name, section, count));
    let operations = make(lower::OPERATIONS, abi::SECTION_OPERATIONS, numbers.n_operations);
    let gates = make(lower::GATES, abi::SECTION_GATES, n_gates);
    // Before anything is put into the code that they are copies of.
    let bodies: Vec<Option<Body>> =
        (0..collected.functions.len()).map(|index| copies.code(index, Mode::Trace).map(Body::of)).collect();
    let make = |(index, sites): (usize, &FunctionSites)| Copies::make(&bodies, index, &sites.operations);
    let statements: Vec<Option<Copies>> = collected.sites.iter().enumerate().map(make).collect();
    for (index, (sites, base)) in collected.sites.iter().zip(&numbers.bases).enumerate() {
        let gate = gates.map(|gates| gates.address(module, index as u32));
        for mode in Mode::VERSIONS {
            if let Some(code) = copies.code(index, mode) {
                if mode != Mode::Plain {
                    // `shim/passes.cpp` knows it.
                    code.add_text_attribute(module.context(), "suspect-hooks", mode.name());
                }
                hooks::inject(module, code, mode, sites, *base, operations, gate, &targets, statements[index].as_ref());
            }
        }
        let versions = copies.code(index, Mode::Mutants).zip(copies.code(index, Mode::Trace));
        if let (Some((mutants, trace)), Some(gate)) = (versions, gate) {
            fuel::Rounds::of(mutants).burn(module);
            gates::mark(module, mutants, trace, gate);
        }
    }
}

/// With `SUSPECT_VERIFY=1`, and always in a debug build of the plugin, checks that the module is well-formed.
fn verify(module: Module) -> Result<(), String> {
    let wanted = cfg!(debug_assertions) || std::env::var_os("SUSPECT_VERIFY").is_some_and(|value| value == "1");
    match wanted && llvm!(shim::suspect_verify(module.0)) {
        true => Err("suspect: internal error: the plugin made malformed code".to_owned()),
        false => Ok(()),
    }
}
