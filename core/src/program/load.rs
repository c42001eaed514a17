//! From the site tables of all modules to a [`Program`].

use std::collections::{BTreeSet, HashMap, HashSet};

use suspect_format::site::{self, Bad, Cursor, NodeKind, OUTSIDE, Origin, SequenceCount};

use super::{
    Block, Compound, Edge, Escape, Function, Line, Node, Operation, OperationKind, Piece, Place, Program, Sequence,
    Switch, Unit, Variable, paths,
};
use crate::trace::site_sections;

/// Stands behind the name of a file for code that line directives claim for it although it has other code in these lines.
const CLAIMED: &str = " (#line)";

/// An executable, shared library or object, as bytes.
#[derive(Clone, Copy, Debug)]
pub struct ModuleImage<'a> {
    /// Its name in messages.
    pub name: &'a str,
    /// The whole ELF file.
    pub bytes: &'a [u8],
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A module is not an ELF file.
    #[error("{module} is not an ELF file ({reason}); expected an executable, a shared library or an object")]
    NotElf {
        /// The module.
        module: String,
        /// What was found.
        reason: object::Error,
    },
    /// A module has no site table.
    #[error("{module} is not instrumented; build it with `suspect build`")]
    NotInstrumented {
        /// The module.
        module: String,
    },
    /// A site table is of another release.
    #[error("{module} has site tables of format version {found}, this suspect reads {expected}; build it again",
            expected = suspect_format::FORMAT_VERSION)]
    Version {
        /// The module.
        module: String,
        /// The version found.
        found: u32,
    },
    /// A site table cannot be decoded, or contradicts itself.
    #[error("a site table of {module} is damaged: {problem}; build it again")]
    Table {
        /// The module.
        module: String,
        /// What is wrong.
        problem: String,
    },
}

/// What is wrong with a table.
#[derive(Debug)]
enum Wrong {
    Encoding(Bad),
    Index { what: &'static str, function: String },
}

impl From<Bad> for Wrong {
    fn from(bad: Bad) -> Self {
        Wrong::Encoding(bad)
    }
}

impl Wrong {
    fn in_module(self, module: &str) -> LoadError {
        let module = module.to_owned();
        match self {
            Wrong::Encoding(Bad::Version(found)) => LoadError::Version { module, found },
            Wrong::Encoding(bad) => LoadError::Table { module, problem: describe(bad).to_owned() },
            Wrong::Index { what, function } => {
                LoadError::Table { module, problem: format!("{what} of function {function} does not exist") }
            }
        }
    }
}

fn describe(bad: Bad) -> &'static str {
    match bad {
        Bad::Truncated => "it ends inside a record",
        Bad::Magic => "it does not begin with SUSSITES",
        Bad::Version(_) => "it is of another version",
        Bad::Number => "a number is out of range",
        Bad::Text => "a name is not UTF-8",
        Bad::Tag(_) => "a tag is unknown",
        Bad::Hash => "its bytes do not agree with its hash",
    }
}

impl Program {
    /// The program that `modules` are. Files below `root` (absolute, without a final `/`) are named relative to it; a
    /// unit that several modules contain is there once.
    pub fn load(modules: &[ModuleImage], root: &str) -> Result<Program, LoadError> {
        let mut loader = Loader { root, ..Loader::default() };
        for module in modules {
            let name = || module.name.to_owned();
            let sections =
                site_sections(module.bytes).map_err(|reason| LoadError::NotElf { module: name(), reason })?;
            if sections.is_empty() {
                return Err(LoadError::NotInstrumented { module: name() });
            }
            for section in sections {
                loader.section(section).map_err(|wrong| wrong.in_module(module.name))?;
            }
        }
        Ok(loader.finish())
    }

    /// The program of sections of site tables that were taken out of their modules, each with its name in messages; as
    /// [`Program::load`] makes it.
    pub fn from_sections<'a>(
        sections: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        root: &str,
    ) -> Result<Program, LoadError> {
        let mut loader = Loader { root, ..Loader::default() };
        for (name, section) in sections {
            loader.section(section).map_err(|wrong| wrong.in_module(name))?;
        }
        Ok(loader.finish())
    }
}

/// A program in the making: files in the order they are met, the lines of blocks and pieces not yet numbered.
#[derive(Default)]
struct Loader<'a> {
    root: &'a str,
    program: Program,
    hashes: HashSet<u64>,
    files: HashMap<(String, Origin), u32>,
    /// For each piece, its lines.
    piece_lines: Vec<Vec<Line>>,
    /// Of the unit being read: the program's number of each of its files.
    unit_files: Vec<u32>,
}

/// The numbers at which a function's records begin.
struct Start {
    piece: u32,
    edge: u32,
    node: u32,
    counters: u32,
    values: u32,
}

impl Loader<'_> {
    fn section(&mut self, section: &[u8]) -> Result<(), Wrong> {
        let mut cursor = Cursor::new(section);
        while let Some((header, body)) = site::next_table(&mut cursor)? {
            if self.hashes.insert(header.unit_hash) {
                self.unit(header.unit_hash, body)?;
            }
        }
        Ok(())
    }

    fn unit(&mut self, hash: u64, mut body: Cursor) -> Result<(), Wrong> {
        let unit = site::Unit::decode(&mut body)?;
        let file = self.file(unit.directory, site::File { name: unit.source, origin: Origin::Read });
        self.unit_files.clear();
        for _ in 0..unit.n_files {
            let number = self.file(unit.directory, site::File::decode(&mut body)?);
            self.unit_files.push(number);
        }
        let first = self.program.functions.len() as u32;
        let first_operation = self.program.operations.len() as u32;
        for _ in 0..unit.n_functions {
            self.function(&unit, &mut body)?;
        }
        for _ in 0..unit.n_escapes {
            let escape = site::Escape::decode(&mut body)?;
            let place = self.place(escape.place, escape.name)?;
            self.program.escapes.push(Escape { name: escape.name.to_owned(), place, reason: escape.reason.to_owned() });
        }
        self.program.units.push(Unit {
            hash,
            file,
            files: self.unit_files.clone(),
            modes: unit.modes,
            n_counters: unit.n_counters,
            n_values: unit.n_values,
            functions: first..self.program.functions.len() as u32,
            operations: first_operation..self.program.operations.len() as u32,
        });
        Ok(())
    }

    fn file(&mut self, directory: &str, file: site::File) -> u32 {
        let path = paths::relative(self.root, &paths::join(directory, file.name));
        let next = self.files.len() as u32;
        *self.files.entry((path, file.origin)).or_insert_with_key(|(path, origin)| {
            self.program.files.push(path.clone());
            self.program.claimed.push(*origin == Origin::Named);
            next
        })
    }

    /// Tells lines that line directives claim for a file from those that a compiler read there: both may have the same numbers.
    fn rename_claimed(&mut self) {
        let read = |path: &String| self.files.contains_key(&(path.clone(), Origin::Read));
        let claimed = self.files.iter().filter(|((path, origin), _)| *origin == Origin::Named && read(path));
        for (_, number) in claimed {
            self.program.files[*number as usize].push_str(CLAIMED);
        }
    }

    fn place(&self, place: site::Place, function: &str) -> Result<Place, Wrong> {
        let file = self.unit_files.get(place.file as usize);
        match file {
            Some(file) => Ok(Place { file: *file, line: place.line, column: place.column }),
            None if place.line == 0 => Ok(Place::default()),
            None => Err(missing("a file", function)),
        }
    }

    fn function(&mut self, unit: &site::Unit, body: &mut Cursor) -> Result<(), Wrong> {
        let function = site::Function::decode(body)?;
        let number = self.program.functions.len() as u32;
        let blocks = self.program.blocks.len() as u32;
        let start = Start {
            piece: self.program.pieces.len() as u32,
            edge: self.program.edges.len() as u32,
            node: self.program.nodes.len() as u32,
            counters: unit.n_counters,
            values: unit.n_values,
        };
        let compounds = self.program.compounds.len() as u32;
        self.pieces(&function, number, body)?;
        for _ in 0..function.n_edges {
            self.edge(&function, number, &start, site::Edge::decode(body)?)?;
        }
        for _ in 0..function.n_nodes {
            self.node(&function, number, &start, body)?;
        }
        for _ in 0..function.n_compounds {
            self.compound(&function, number, &start, body)?;
        }
        let operations = self.program.operations.len() as u32;
        let variables = variables(&function, body)?;
        for _ in 0..function.n_operations {
            self.operation(&function, number, &start, body)?;
        }
        let place = self.place(function.place, function.name)?;
        let program = &mut self.program;
        program.functions.push(Function {
            name: function.name.to_owned(),
            unit: program.units.len() as u32,
            place,
            last_line: function.last_line,
            external: function.external,
            content_hash: function.content_hash,
            blocks: blocks..program.blocks.len() as u32,
            pieces: start.piece..program.pieces.len() as u32,
            edges: start.edge..program.edges.len() as u32,
            nodes: start.node..program.nodes.len() as u32,
            compounds: compounds..program.compounds.len() as u32,
            operations: operations..program.operations.len() as u32,
            variables,
        });
        Ok(())
    }

    fn pieces(&mut self, function: &site::Function, number: u32, body: &mut Cursor) -> Result<(), Wrong> {
        let first_block = self.program.blocks.len() as u32;
        for _ in 0..function.n_pieces {
            let piece = site::Piece::decode(body)?;
            let mut lines = Vec::new();
            for _ in 0..piece.n_lines {
                let place = self.place(site::Place::decode(body)?, function.name)?;
                if place.line != 0 {
                    lines.push(Line { file: place.file, line: place.line });
                }
            }
            let index = self.program.pieces.len() as u32;
            let next_block = self.program.blocks.len() as u32;
            match (first_block.checked_add(piece.block), self.program.blocks.last_mut()) {
                (Some(block), _) if block == next_block => {
                    let (pieces, lines) = (index..index + 1, Vec::new());
                    self.program.blocks.push(Block { function: number, pieces, lines });
                }
                (Some(block), Some(last)) if block + 1 == next_block && block >= first_block => {
                    last.pieces.end = index + 1;
                }
                _ => return Err(missing("a block", function.name)),
            }
            let block = self.program.blocks.len() as u32 - 1;
            self.program.pieces.push(Piece { block, end: piece.end, lines: Vec::new() });
            self.piece_lines.push(lines);
        }
        Ok(())
    }

    fn edge(&mut self, function: &site::Function, number: u32, start: &Start, edge: site::Edge) -> Result<(), Wrong> {
        let piece = |index: u32| match index {
            OUTSIDE => Ok(OUTSIDE),
            _ => shifted(index, function.n_pieces, start.piece, "a piece", function.name),
        };
        let (from, to) = (piece(edge.from)?, piece(edge.to)?);
        if from == OUTSIDE && to == OUTSIDE {
            return Err(missing("a piece", function.name));
        }
        self.program.edges.push(Edge {
            function: number,
            from,
            to,
            kind: edge.kind,
            edges_counter: counter(edge.edges_counter, start, function)?,
            values_counter: counter(edge.values_counter, start, function)?,
        });
        Ok(())
    }

    fn node(&mut self, function: &site::Function, number: u32, start: &Start, body: &mut Cursor) -> Result<(), Wrong> {
        let node = site::Node::decode(body)?;
        if node.kind == NodeKind::Switch {
            let cases = (0..node.n_cases).map(|_| body.signed()).collect::<Result<_, _>>()?;
            self.program.switches.push(Switch { node: self.program.nodes.len() as u32, cases });
        }
        let edge = |edge: Option<u32>| {
            edge.map(|edge| shifted(edge, function.n_edges, start.edge, "an edge", function.name)).transpose()
        };
        let place = self.place(node.place, function.name)?;
        let new = Node {
            function: number,
            piece: shifted(node.piece, function.n_pieces, start.piece, "a piece", function.name)?,
            kind: node.kind,
            class: node.class,
            width: node.width,
            place,
            line: None,
            variable: node.variable.to_owned(),
            type_name: node.type_name.to_owned(),
            expression: node.expression.to_owned(),
            ordinal: node.ordinal,
            value: shifted(node.value, start.values, 0, "a value", function.name)?,
            true_edge: edge(node.true_edge)?,
            false_edge: edge(node.false_edge)?,
            true_counter: counter(node.true_counter, start, function)?,
        };
        self.program.nodes.push(new);
        Ok(())
    }

    fn operation(
        &mut self,
        function: &site::Function,
        number: u32,
        start: &Start,
        body: &mut Cursor,
    ) -> Result<(), Wrong> {
        let one = site::Operation::decode(body)?;
        let inside =
            |index: u32, count: u32, what| (index < count).then_some(index).ok_or(missing(what, function.name));
        let mut others = Vec::new();
        if let OperationKind::Read { variable, .. }
        | OperationKind::Called { function: variable, .. }
        | OperationKind::Member { member: variable, .. } = one.kind
        {
            inside(variable, function.n_variables, "a variable")?;
        }
        for _ in 0..one.kind.n_others() {
            others.push(inside(body.small()?, function.n_variables, "a variable")?);
        }
        let node = one.node.map(|node| inside(node, function.n_nodes, "a node")).transpose()?;
        let operation = Operation {
            function: number,
            piece: start.piece + inside(one.piece, function.n_pieces, "a piece")?,
            place: self.place(one.place, function.name)?,
            node: node.map(|node| start.node + node),
            kind: one.kind,
            others,
        };
        self.program.operations.push(operation);
        Ok(())
    }

    fn compound(
        &mut self,
        function: &site::Function,
        number: u32,
        start: &Start,
        body: &mut Cursor,
    ) -> Result<(), Wrong> {
        let compound = site::Compound::decode(body)?;
        let mut conditions = Vec::new();
        for _ in 0..compound.n_conditions {
            conditions.push(shifted(body.small()?, function.n_nodes, start.node, "a node", function.name)?);
        }
        let mut sequences = Vec::new();
        for _ in 0..compound.n_sequences {
            let sequence = site::Sequence::decode(body)?;
            let count = match sequence.count {
                SequenceCount::Edge(edge) => {
                    SequenceCount::Edge(shifted(edge, function.n_edges, start.edge, "an edge", function.name)?)
                }
                SequenceCount::Counter(index) => {
                    SequenceCount::Counter(shifted(index, start.counters, 0, "a counter", function.name)?)
                }
            };
            let mut steps = Vec::new();
            for _ in 0..sequence.n_steps {
                let step = body.small()?;
                let condition = shifted(step / 2, compound.n_conditions, 0, "a condition", function.name)?;
                steps.push((condition, step % 2 == 1));
            }
            sequences.push(Sequence { steps, count });
        }
        let place = self.place(compound.place, function.name)?;
        self.program.compounds.push(Compound { function: number, place, conditions, sequences });
        Ok(())
    }

    /// Orders files by name and lines by file and number, and numbers them so everywhere.
    fn finish(mut self) -> Program {
        self.rename_claimed();
        let new_numbers = sort_files(&mut self.program.files, &mut self.program.claimed);
        let renumber = |file: &mut u32| *file = new_numbers.get(*file as usize).copied().unwrap_or(*file);
        let program = &mut self.program;
        program.units.iter_mut().for_each(|unit| renumber(&mut unit.file));
        program.units.iter_mut().flat_map(|unit| &mut unit.files).for_each(renumber);
        let places = program.functions.iter_mut().map(|function| &mut function.place);
        let places = places.chain(program.nodes.iter_mut().map(|node| &mut node.place));
        let places = places.chain(program.compounds.iter_mut().map(|compound| &mut compound.place));
        let places = places.chain(program.operations.iter_mut().map(|operation| &mut operation.place));
        let places = places.chain(program.escapes.iter_mut().map(|escape| &mut escape.place));
        places.for_each(|place| renumber(&mut place.file));
        self.piece_lines.iter_mut().flatten().for_each(|line| renumber(&mut line.file));
        number_lines(program, &self.piece_lines);
        self.program
    }
}

/// Sorts names; the new number of each old one.
fn sort_files(files: &mut Vec<String>, claimed: &mut Vec<bool>) -> Vec<u32> {
    let mut sorted: Vec<(String, bool, u32)> = (0u32..)
        .zip(files.drain(..).zip(claimed.drain(..)))
        .map(|(old, (file, claimed))| (file, claimed, old))
        .collect();
    sorted.sort();
    let mut new_numbers = vec![0; sorted.len()];
    for (new, (file, is_claimed, old)) in (0u32..).zip(sorted) {
        new_numbers[old as usize] = new;
        files.push(file);
        claimed.push(is_claimed);
    }
    new_numbers
}

/// Fills in the table of lines, and the lines of pieces, blocks and nodes.
fn number_lines(program: &mut Program, piece_lines: &[Vec<Line>]) {
    let node_line = |node: &Node| Line { file: node.place.file, line: node.place.line };
    let mut lines: Vec<Line> = piece_lines.iter().flatten().copied().collect();
    lines.extend(program.nodes.iter().map(node_line).filter(|line| line.line != 0));
    lines.sort_unstable();
    lines.dedup();
    let number = |line: &Line| lines.binary_search(line).ok().map(|index| index as u32);
    for (piece, lines) in program.pieces.iter_mut().zip(piece_lines) {
        let numbers: BTreeSet<u32> = lines.iter().filter_map(number).collect();
        piece.lines = numbers.into_iter().collect();
    }
    for block in &mut program.blocks {
        let pieces = &program.pieces[block.pieces.start as usize..block.pieces.end as usize];
        let numbers: BTreeSet<u32> = pieces.iter().flat_map(|piece| piece.lines.iter().copied()).collect();
        block.lines = numbers.into_iter().collect();
    }
    for node in &mut program.nodes {
        node.line = number(&node_line(node));
    }
    program.lines = lines;
}

fn counter(index: Option<u32>, start: &Start, function: &site::Function) -> Result<Option<u32>, Wrong> {
    index.map(|index| shifted(index, start.counters, 0, "a counter", function.name)).transpose()
}

/// `index`, which must be below `count`, moved to where its kind begins.
fn shifted(index: u32, count: u32, start: u32, what: &'static str, function: &str) -> Result<u32, Wrong> {
    if index < count { Ok(start + index) } else { Err(missing(what, function)) }
}

fn variables(function: &site::Function, body: &mut Cursor) -> Result<Vec<Variable>, Wrong> {
    (0..function.n_variables)
        .map(|_| {
            let site::Variable { name, type_name, step } = site::Variable::decode(body)?;
            Ok(Variable { name: name.to_owned(), type_name: type_name.to_owned(), step })
        })
        .collect()
}

fn missing(what: &'static str, function: &str) -> Wrong {
    Wrong::Index { what, function: function.to_owned() }
}
