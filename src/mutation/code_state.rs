//! The state of code that results of code mutants depend on, as numbers that outlast builds.

use std::collections::{BTreeMap, BTreeSet};

use suspect_format::trace::{HASH_START, hash_bytes};

use crate::program::{NodeKind, Program};
use crate::slice::Code;

/// Goes up when the same mutant of the same code comes to something else in this version of suspect than in earlier ones.
const MEANING: u64 = 2;

/// For each function, a hash of its code and of the interfaces of the functions that it calls.
#[derive(Debug)]
pub struct CodeState {
    functions: Vec<u64>,
}

impl CodeState {
    /// Of all functions of a program.
    pub fn of(program: &Program, code: &Code) -> CodeState {
        // Who each function calls by name.
        let mut callees: BTreeMap<u32, BTreeSet<(&str, Option<u32>)>> = BTreeMap::new();
        for (caller, name, callee) in code.calls() {
            callees.entry(caller).or_default().insert((name, callee));
        }
        let of = |(number, function): (u32, &crate::program::Function)| {
            let mut hash = mix(HASH_START, MEANING);
            hash = text(hash, &function.name);
            hash = mix(hash, function.content_hash);
            for name in callees.get(&number).into_iter().flatten() {
                hash = text(hash, name.0);
                hash = name.1.map_or(hash, |callee| interface(program, callee, hash));
            }
            hash
        };
        CodeState { functions: (0..).zip(&program.functions).map(of).collect() }
    }

    /// Of a mutant of these functions.
    pub fn of_functions(&self, functions: &[u32]) -> u64 {
        let functions: BTreeSet<u32> = functions.iter().copied().collect();
        functions.into_iter().fold(HASH_START, |hash, function| mix(hash, self.functions[function as usize]))
    }
}

/// The names and types of a function's parameters and of what it returns.
fn interface(program: &Program, function: u32, mut hash: u64) -> u64 {
    let nodes = program.functions[function as usize].nodes.clone();
    for node in &program.nodes[nodes.start as usize..nodes.end as usize] {
        if matches!(node.kind, NodeKind::Parameter | NodeKind::Return) {
            hash = text(mix(hash, node.kind as u64), &node.variable);
            hash = text(hash, &node.type_name);
        }
    }
    hash
}

/// A hash of the code that belongs to a test itself: of the functions that it executes in files whose path says that they are tests.
pub fn test_code(program: &Program, executed: impl Fn(u32) -> bool) -> u64 {
    let is_test = |file: u32| program.files.get(file as usize).is_some_and(|path| is_test_file(path));
    let functions = program.functions.iter().filter(|function| is_test(function.place.file));
    let of_test = functions.filter(|function| function.pieces.clone().any(&executed));
    let codes: BTreeSet<(&str, u64)> =
        of_test.map(|function| (function.name.as_str(), function.content_hash)).collect();
    codes.into_iter().fold(HASH_START, |hash, (name, code)| mix(text(hash, name), code))
}

/// True if a word of the path is `test` or `tests`.
fn is_test_file(path: &str) -> bool {
    !path.starts_with('/') && path.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "test" | "tests"))
}

/// A hash of the program as it is built.
pub fn build_identity(program: &Program) -> u64 {
    let units: BTreeSet<u64> = program.units.iter().map(|unit| unit.hash).collect();
    units.into_iter().fold(HASH_START, mix)
}

/// A hash with another number.
pub fn mix(hash: u64, number: u64) -> u64 {
    hash_bytes(hash, &number.to_le_bytes())
}

/// A hash with another text.
pub fn text(hash: u64, text: &str) -> u64 {
    hash_bytes(mix(hash, text.len() as u64), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tests_are_known_by_their_paths() {
        assert!(["tests/a.c", "src/test_parse.c", "src/parse-test.c", "test.c"].into_iter().all(is_test_file));
        assert!(!["src/latest.c", "contest/a.c", "/usr/src/tests/a.c", "testing.c"].into_iter().any(is_test_file));
    }
}
