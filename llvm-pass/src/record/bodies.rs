//! The body table of a unit: its symbols, and what is written of each function.

use std::collections::HashMap;

use inkwell::llvm_sys::core::*;
use suspect_format::body::{Symbol, Unit};
use suspect_format::site::Sink;

use crate::llvm::ir::{Module, Value, llvm};
use crate::llvm::shim;
use crate::table::Bytes;

/// What has been written of a unit.
pub struct Bodies {
    module: Module,
    /// Functions of the site table, by their number.
    versions: HashMap<Value, u32>,
    /// Variables that only loads and stores of this unit see.
    pub known: Vec<Value>,
    symbols: Vec<Value>,
    numbers: HashMap<Value, u32>,
    functions: Bytes,
    n_functions: u32,
}

impl Bodies {
    /// For the unit whose functions with versions are `functions`.
    pub fn new(module: Module, functions: &[Value], known: Vec<Value>) -> Bodies {
        Bodies {
            module,
            versions: functions.iter().copied().zip(0..).collect(),
            known,
            symbols: Vec::new(),
            numbers: HashMap::new(),
            functions: Bytes::default(),
            n_functions: 0,
        }
    }

    /// The number of a variable or function.
    pub fn symbol(&mut self, symbol: Value) -> u32 {
        let next = self.symbols.len() as u32;
        let number = *self.numbers.entry(symbol).or_insert(next);
        if number == next {
            self.symbols.push(symbol);
        }
        number
    }

    /// The variable or function of a number.
    pub fn symbol_of(&self, number: u32) -> Value {
        self.symbols[number as usize]
    }

    /// Adds the record of the next function.
    pub fn add(&mut self, record: &Bytes) {
        self.functions.put(&record.0);
        self.n_functions += 1;
    }

    /// The body of the table for the unit of this hash.
    pub fn encode(self, unit_hash: u64) -> Vec<u8> {
        let mut body = Bytes::default();
        let head = Unit { hash: unit_hash, n_symbols: self.symbols.len() as u32, n_functions: self.n_functions };
        head.encode(&mut body);
        for symbol in &self.symbols {
            let (name, function) = (symbol.name(), self.versions.get(symbol).copied());
            Symbol { name: &name, flags: self.flags(*symbol), size: self.size(*symbol), function }.encode(&mut body);
        }
        body.put(&self.functions.0);
        body.0
    }

    fn flags(&self, symbol: Value) -> u32 {
        let is_variable = symbol.is_global_variable();
        let properties = [
            (symbol.is_function(), Symbol::FUNCTION),
            (is_variable && llvm!(shim::suspect_is_thread_local(symbol.0)), Symbol::THREAD_LOCAL),
            (!symbol.is_declaration(), Symbol::DEFINED),
            (symbol.is_local(), Symbol::LOCAL),
            (is_variable && llvm!(LLVMIsGlobalConstant(symbol.0)) != 0, Symbol::CONSTANT),
            (self.known.contains(&symbol), Symbol::KNOWN),
        ];
        properties.into_iter().filter(|(has, _)| *has).map(|(_, flag)| flag).sum()
    }

    fn size(&self, symbol: Value) -> u64 {
        match symbol.is_global_variable() && !symbol.is_declaration() {
            true => llvm!(shim::suspect_record_size(self.module.0, symbol.function_type().0, false)),
            false => 0,
        }
    }
}
