//! The site table of a unit: numbers for the whole unit, encoded, as assembly.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use inkwell::llvm_sys::prelude::LLVMMetadataRef;
use suspect_format::abi;
use suspect_format::line_directive::{are_exact, line_directives};
use suspect_format::site::{
    self, Edge, Escape, File, Function, Header, Node, Origin, Piece, SequenceCount, Sink, Unit,
};

use crate::collect::sequences::CompoundSite;
use crate::collect::sites::{FunctionSites, OperationSite, Place, VariableSite};
use crate::llvm::debug_info::Info;
use crate::llvm::ir::{Module, llvm};
use crate::llvm::shim;

/// More words than this in one unit are refused: 128 MiB of counters are a mistake, not a program.
pub const MOST_WORDS: u64 = 1 << 24;

/// The unit's files.
pub struct Files {
    directory: String,
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    scopes: HashMap<LLVMMetadataRef, u32>,
    /// Files that line directives of the source name, seen from the root.
    claimed: HashSet<String>,
}

impl Files {
    /// File 0 is the source as given to the compiler.
    pub fn new(source: &str, directory: &str) -> Self {
        let mut files = Files {
            directory: directory.to_owned(),
            names: Vec::new(),
            numbers: HashMap::new(),
            scopes: HashMap::new(),
            claimed: HashSet::new(),
        };
        // Debug information of DWARF 4 does not tell whether the compiler opened a file, so the source is asked.
        let text = std::fs::read(files.absolute(source)).unwrap_or_default();
        files.claimed = claimed_files(&text, source).iter().map(|name| files.absolute(name)).collect();
        files.named("", source);
        files
    }

    fn absolute(&self, name: &str) -> String {
        match name.starts_with('/') {
            true => name.to_owned(),
            false => format!("{}/{name}", self.directory.trim_end_matches('/')),
        }
    }

    fn encode(&self, body: &mut Bytes) {
        for name in &self.names {
            let is_claimed = self.claimed.contains(&self.absolute(name));
            File { name, origin: if is_claimed { Origin::Named } else { Origin::Read } }.encode(body);
        }
    }

    /// The number of the file that a scope is in.
    pub fn of_scope(&mut self, scope: LLVMMetadataRef) -> u32 {
        if let Some(number) = self.scopes.get(&scope) {
            return *number;
        }
        let number = Info::new(scope)
            .and_then(|scope| scope.file(false))
            .map_or(0, |(directory, name)| self.named(&directory, &name));
        self.scopes.insert(scope, number);
        number
    }

    /// Whether a file is the source, which may have two names.
    pub fn is_source(&self, number: u32) -> bool {
        let path = |number: u32| self.names.get(number as usize).map(|name| self.absolute(name));
        path(number) == path(0)
    }

    /// The number of the file `name` in `directory`; relative to the compiler's own directory where it is in that.
    pub fn named(&mut self, directory: &str, name: &str) -> u32 {
        let full = match name.starts_with('/') || directory.is_empty() || directory == self.directory {
            true => name.to_owned(),
            false => format!("{}/{name}", directory.trim_end_matches('/')),
        };
        if let Some(number) = self.numbers.get(&full) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(full.clone());
        self.numbers.insert(full, number);
        number
    }
}

/// The files that line directives of a source name; not itself where its directives give its lines the numbers that they have, as a parser
/// generator's do behind code that it copied. What a preprocessor wrote is what it says.
fn claimed_files(text: &[u8], source: &str) -> HashSet<String> {
    let names: HashSet<&[u8]> = line_directives(text).filter_map(|directive| directive.file).collect();
    if names.contains(&b"<built-in>"[..]) {
        return HashSet::new();
    }
    let is_exact = are_exact(text, source.as_bytes());
    names.into_iter().filter(|name| !(is_exact && *name == source.as_bytes())).map(unescaped).collect()
}

/// A name between the quotes of a directive, without the backslashes before quotes and backslashes.
fn unescaped(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let mut letters = text.chars();
    let mut plain = String::new();
    while let Some(letter) = letters.next() {
        plain.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    plain
}

/// A function that is left alone.
#[derive(Clone, Debug)]
pub struct EscapeSite {
    /// Symbol name.
    pub name: String,
    /// Where it begins.
    pub place: Place,
    /// Why.
    pub reason: &'static str,
}

/// Where a function's numbers begin in its unit's.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// First counter.
    pub counter: u32,
    /// First value.
    pub value: u32,
    /// First piece.
    pub piece: u32,
    /// First operation.
    pub operation: u32,
}

/// Numbers of all functions of a unit.
pub struct Numbers {
    /// One for each function.
    pub bases: Vec<Base>,
    /// Counters of the unit.
    pub n_counters: u32,
    /// Values of the unit.
    pub n_values: u32,
    /// Operations of the unit.
    pub n_operations: u32,
}

impl Numbers {
    /// Lays the functions' words one after another; `None` if they are too many.
    pub fn of(functions: &[FunctionSites]) -> Option<Numbers> {
        let (mut counter, mut value, mut piece, mut operation) = (0u64, 0u64, 0u64, 0u64);
        let mut bases = Vec::with_capacity(functions.len());
        for function in functions {
            bases.push(Base {
                counter: counter as u32,
                value: value as u32,
                piece: piece as u32,
                operation: operation as u32,
            });
            operation += function.operations.len() as u64;
            counter += u64::from(function.n_counters);
            value += function.nodes.len() as u64;
            piece += function.pieces.len() as u64;
            if counter + value > MOST_WORDS || piece > MOST_WORDS || operation > MOST_WORDS {
                return None;
            }
        }
        // The address of a piece is its number as a byte offset from the unit's words, so they must be as many bytes.
        let n_counters = counter.max(piece.div_ceil(8).saturating_sub(value)) as u32;
        Some(Numbers { bases, n_counters, n_values: value as u32, n_operations: operation as u32 })
    }
}

/// An encoded table.
pub struct Table {
    section: &'static str,
    bytes: Vec<u8>,
    /// The body's hash: of a site table, the unit's identity.
    pub unit_hash: u64,
}

/// Encoded bytes.
#[derive(Default)]
pub struct Bytes(pub Vec<u8>);

impl Sink for Bytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

impl Table {
    /// Encodes a unit.
    pub fn encode(
        module: Module,
        modes: u32,
        files: &Files,
        functions: &[FunctionSites],
        escapes: &[EscapeSite],
        numbers: &Numbers,
    ) -> Table {
        let mut body = Bytes(Vec::new());
        let producer = compile_unit(module).map(Info::name).unwrap_or_default();
        let unit = Unit {
            source: &module.source(),
            directory: &files.directory,
            producer: &producer,
            modes,
            n_counters: numbers.n_counters,
            n_values: numbers.n_values,
            n_files: files.names.len() as u32,
            n_functions: functions.len() as u32,
            n_escapes: escapes.len() as u32,
        };
        unit.encode(&mut body);
        files.encode(&mut body);
        for (function, base) in functions.iter().zip(&numbers.bases) {
            encode_function(function, *base, &mut body);
        }
        for escape in escapes {
            Escape { name: &escape.name, place: escape.place, reason: escape.reason }.encode(&mut body);
        }
        Table::of_body(abi::SECTION_SITES, &body.0)
    }

    /// A body with its header, for `section`.
    pub fn of_body(section: &'static str, body: &[u8]) -> Table {
        let header = Header::of(body);
        let mut table = Bytes(Vec::with_capacity(body.len() + site::HEADER_LEN));
        header.encode(&mut table);
        table.put(body);
        Table { section, bytes: table.0, unit_hash: header.unit_hash }
    }

    /// The table as assembly that puts it into its section, which is not loaded into memory.
    pub fn assembly(&self) -> String {
        let mut text = format!(".pushsection {},\"\",@progbits\n", self.section);
        for chunk in self.bytes.chunks(64) {
            text.push_str(".ascii \"");
            for byte in chunk {
                match byte {
                    b'"' | b'\\' => text.extend(['\\', *byte as char]),
                    b' '..=b'~' => text.push(*byte as char),
                    _ => write!(text, "\\{byte:03o}").unwrap_or_default(),
                }
            }
            text.push_str("\"\n");
        }
        text.push_str(".popsection\n");
        text
    }
}

/// The compile unit's debug information.
pub fn compile_unit(module: Module) -> Option<Info> {
    Info::new(llvm!(shim::suspect_compile_unit(module.0)))
}

fn encode_function(function: &FunctionSites, base: Base, body: &mut Bytes) {
    let record = Function {
        name: &function.name,
        place: function.place,
        last_line: function.last_line,
        external: function.external,
        content_hash: function.content_hash,
        n_pieces: function.pieces.len() as u32,
        n_edges: function.edges.len() as u32,
        n_nodes: function.nodes.len() as u32,
        n_compounds: function.compounds.len() as u32,
        n_variables: function.variables.len() as u32,
        n_operations: function.operations.len() as u32,
    };
    record.encode(body);
    for piece in &function.pieces {
        Piece { block: piece.block, end: piece.end, n_lines: piece.lines.len() as u32 }.encode(body);
        piece.lines.iter().for_each(|line| line.encode(body));
    }
    let counter = |number: Option<u32>| number.map(|number| base.counter + number);
    for edge in &function.edges {
        let (edges_counter, values_counter) = (counter(edge.edges_counter), counter(edge.values_counter));
        Edge { from: edge.from, to: edge.to, kind: edge.kind, edges_counter, values_counter }.encode(body);
    }
    encode_nodes(function, base, body);
    function.compounds.iter().for_each(|compound| encode_compound(compound, base, body));
    for VariableSite { name, type_name, step, .. } in &function.variables {
        site::Variable { name, type_name, step: *step }.encode(body);
    }
    function.operations.iter().for_each(|operation| encode_operation(operation, body));
}

fn encode_operation(site: &OperationSite, body: &mut Bytes) {
    site::Operation { piece: site.piece, place: site.place, node: site.node, kind: site.kind }.encode(body);
    site.others.iter().for_each(|other| body.unsigned(u64::from(*other)));
}

fn encode_nodes(function: &FunctionSites, base: Base, body: &mut Bytes) {
    let mut ordinals: HashMap<(site::NodeKind, &str, &str), u32> = HashMap::new();
    for (index, node) in function.nodes.iter().enumerate() {
        let ordinal = ordinals.entry((node.kind, &node.variable, &node.expression)).or_default();
        let record = Node {
            piece: node.piece,
            kind: node.kind,
            class: node.class,
            width: node.width,
            place: node.place,
            variable: &node.variable,
            type_name: &node.type_name,
            expression: &node.expression,
            ordinal: *ordinal,
            value: base.value + index as u32,
            true_edge: node.branches.map(|branches| branches.0),
            false_edge: node.branches.map(|branches| branches.1),
            true_counter: node.true_counter.map(|counter| base.counter + counter),
            n_cases: node.cases.len() as u32,
        };
        record.encode(body);
        node.cases.iter().for_each(|case| body.signed(*case));
        *ordinal += 1;
    }
}

fn encode_compound(compound: &CompoundSite, base: Base, body: &mut Bytes) {
    let (n_conditions, n_sequences) = (compound.conditions.len() as u32, compound.sequences.len() as u32);
    site::Compound { place: compound.place, n_conditions, n_sequences }.encode(body);
    compound.conditions.iter().for_each(|node| body.unsigned(u64::from(*node)));
    for (steps, count) in &compound.sequences {
        let count = match count {
            SequenceCount::Counter(counter) => SequenceCount::Counter(base.counter + counter),
            edge => *edge,
        };
        site::Sequence { n_steps: steps.len() as u32, count }.encode(body);
        steps.iter().for_each(|step| body.unsigned(*step));
    }
}
