//! A program of one function for tests, and what is made of it.

use std::collections::BTreeMap;

use super::optimised;
use crate::mutant::*;
use crate::program::{
    Function, Node, NodeKind, Operation, OperationKind, Operator, Place, Program, Signedness, Unit, ValueClass,
    Variable,
};
use crate::source::{Edit, Text, apply};

/// A program of one function, put together as the compiler would.
pub(in crate::mutant) struct Snippet {
    source: String,
    pub(in crate::mutant) program: Program,
}

const SIGNED: Signedness = Signedness::Signed;

impl Snippet {
    /// `body` within a function.
    pub(in crate::mutant) fn new(body: &str) -> Snippet {
        Snippet::behind("", body)
    }

    /// The same, where `before` stands in front of the function.
    pub(in crate::mutant) fn behind(before: &str, body: &str) -> Snippet {
        let source = format!("{before}int f(int a, int b)\n{{\n{body}\n}}\n");
        let function = Function {
            name: "f".to_owned(),
            unit: 0,
            place: Place { file: 0, line: 1, column: 5 },
            last_line: 4,
            external: true,
            content_hash: 0,
            blocks: 0..0,
            pieces: 0..0,
            edges: 0..0,
            nodes: 0..0,
            compounds: 0..0,
            operations: 0..0,
            variables: Vec::new(),
        };
        let files = vec!["src/f.c".to_owned(), "/usr/include/x.h".to_owned()];
        let program = Program { files, functions: vec![function], units: vec![unit()], ..Program::default() };
        Snippet { source, program }
    }

    /// The place of `mark` in the body, `after` characters on.
    pub(in crate::mutant) fn place(&self, mark: &str, after: usize) -> Place {
        let offset = self.source.find(mark).unwrap_or_else(|| panic!("no {mark}")) + after;
        let (line, column) = Text::parse(self.source.as_str()).place(offset as u32);
        Place { file: 0, line, column }
    }

    pub(in crate::mutant) fn with(mut self, place: Place, node: Option<u32>, kind: OperationKind) -> Snippet {
        self.program.operations.push(Operation { function: 0, piece: 0, place, node, kind, others: Vec::new() });
        self.program.functions[0].operations.end += 1;
        self
    }

    /// A binary operation on 32 bits at `mark`.
    pub(in crate::mutant) fn binary(
        self,
        mark: &str,
        after: usize,
        operator: Operator,
        left: Option<u64>,
        right: Option<u64>,
    ) -> Snippet {
        let place = self.place(mark, after);
        let width = if operator.is_float() { 64 } else { 32 };
        self.with(place, None, OperationKind::Binary { operator, width, signedness: SIGNED, left, right })
    }

    pub(super) fn node(
        mut self,
        kind: NodeKind,
        mark: &str,
        after: usize,
        class: ValueClass,
        type_name: &str,
        width: u32,
    ) -> Snippet {
        let place = self.place(mark, after);
        self.program.nodes.push(Node {
            function: 0,
            piece: 0,
            kind,
            class,
            width,
            place,
            line: None,
            variable: String::new(),
            type_name: type_name.to_owned(),
            expression: String::new(),
            ordinal: 0,
            value: 0,
            true_edge: None,
            false_edge: None,
            true_counter: None,
        });
        self.program.functions[0].nodes.end += 1;
        self
    }

    pub(super) fn assigned(self, mark: &str, after: usize) -> Snippet {
        self.node(NodeKind::Assignment, mark, after, ValueClass::Signed, "int", 32)
    }

    pub(in crate::mutant) fn variables(mut self, variables: &[(&str, &str)]) -> Snippet {
        let make = |(name, kind): &(&str, &str)| Variable {
            name: (*name).to_owned(),
            type_name: (*kind).to_owned(),
            step: if kind.ends_with('*') { 4 } else { u64::from(!kind.starts_with("const")) },
        };
        self.program.functions[0].variables = variables.iter().map(make).collect();
        self
    }

    pub(in crate::mutant) fn read(self, mark: &str, after: usize, variable: u32, others: &[u32]) -> Snippet {
        let place = self.place(mark, after);
        let n_others = others.len() as u32;
        self.with_others(place, OperationKind::Read { variable, width: 32, n_others }, others)
    }

    /// An operation of a kind that others of the function's variables belong to.
    pub(in crate::mutant) fn with_others(mut self, place: Place, kind: OperationKind, others: &[u32]) -> Snippet {
        self = self.with(place, None, kind);
        self.program.operations.last_mut().unwrap().others = others.to_vec();
        self
    }

    pub(in crate::mutant) fn texts(&self) -> BTreeMap<u32, Text> {
        BTreeMap::from([(0, Text::parse(self.source.as_str()))])
    }

    pub(in crate::mutant) fn mutants(&self) -> Vec<CodeMutant> {
        code_mutants(&self.program, &self.texts())
    }

    /// The body's lines as they read after each normal mutant of a class.
    pub(in crate::mutant) fn read_as(&self, class: Class) -> Vec<String> {
        let of_class = |mutant: &CodeMutant| mutant.class == class && mutant.is_normal();
        let mutants = self.mutants().into_iter().filter(of_class);
        mutants.map(|mutant| self.after(&[mutant.edit.unwrap()])).collect()
    }

    pub(in crate::mutant) fn after(&self, edits: &[Edit]) -> String {
        let new = String::from_utf8(apply(self.source.as_bytes(), edits).unwrap()).unwrap();
        let lines: Vec<&str> = new.lines().collect();
        lines[2..lines.len() - 1].join("\n")
    }

    pub(super) fn compared(&self) -> Vec<CodeMutant> {
        let mut mutants = self.mutants();
        let comparison = Comparison::new(&self.program, &self.texts(), &mutants);
        let modules = comparison.modules(&Forms::new());
        let forms = modules.iter().fold(Forms::new(), |forms, module| comparison.forms(&forms, &optimised(module)));
        assert!(comparison.modules(&forms).is_empty(), "what is known is not compiled again");
        comparison.judge(&forms, &mut mutants);
        mutants
    }

    /// Replacements of the mutants of `status`, of a class.
    pub(in crate::mutant) fn of_status(&self, class: Class, wanted: impl Fn(Status) -> bool) -> Vec<String> {
        let mutants = self.compared();
        let chosen = mutants.iter().filter(|mutant| mutant.class == class && wanted(mutant.status));
        chosen.map(|mutant| mutant.edit.as_ref().unwrap().replacement.clone()).collect()
    }
}

fn unit() -> Unit {
    Unit { hash: 0, file: 0, files: vec![0], modes: 0, n_counters: 0, n_values: 0, functions: 0..1, operations: 0..0 }
}
