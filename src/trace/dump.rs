//! Trace files and site tables as text for people.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use suspect_format::abi::{STATE_CLEAN, STATE_LOST, STATE_NONLOCAL};
use suspect_format::dependence::{self, Operand};
use suspect_format::site::{self, Bad, Cursor, OUTSIDE, SequenceCount};
use suspect_format::trace::{
    MAGIC, STATUS_CLEARED, STATUS_FORKED, STATUS_NO_LOG, STATUS_NO_SPACE, STATUS_UNRECORDED, STATUS_VALGRIND,
};

use super::{Ending, Module, ModuleFile, SitesError, TraceError, TraceFile, Unit, site_sections};

/// Why a file cannot be dumped.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// It is a trace, but a bad one.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// It cannot be read.
    #[error(transparent)]
    Sites(#[from] SitesError),
    /// It is neither a trace nor an object.
    #[error("{} is neither a trace file nor an ELF file: {reason}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What was tried.
        reason: object::Error,
    },
    /// It is an object without site tables.
    #[error("{} has no site table; build it with `suspect build`", path.display())]
    NotInstrumented {
        /// The file.
        path: PathBuf,
    },
    /// A table is damaged.
    #[error("a site table of {} is damaged ({bad:?}); build it again", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        bad: Bad,
    },
    /// The text cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}

/// Writes what the file at `path` says, a trace file or an ELF file with site tables, to `out`.
pub fn dump(path: &Path, out: &mut impl Write) -> Result<(), DumpError> {
    let file = ModuleFile::open(path)?;
    if file.bytes().is_empty() || file.bytes().starts_with(&MAGIC) || file.bytes().first() == Some(&0) {
        return dump_trace(&TraceFile::open(path)?, out).map_err(DumpError::from);
    }
    let unknown = |reason| DumpError::Unknown { path: path.to_owned(), reason };
    let sections = site_sections(file.bytes()).map_err(unknown)?;
    if sections.is_empty() {
        return Err(DumpError::NotInstrumented { path: path.to_owned() });
    }
    let mut tables = Tables { out, path };
    sections.into_iter().try_for_each(|section| tables.section(section))
}

/// Writes the site tables of a section that was taken out of its module.
pub fn dump_sites(path: &Path, out: &mut impl Write) -> Result<(), DumpError> {
    Tables { out, path }.section(ModuleFile::open(path)?.bytes())
}

/// Writes the dependence tables of a section that was taken out of its module: each instruction with its place and what it uses.
pub fn dump_dependences(path: &Path, out: &mut impl Write) -> Result<(), DumpError> {
    let file = ModuleFile::open(path)?;
    let stopped = |stop| match stop {
        Stop::Bad(bad) => DumpError::Table { path: path.to_owned(), bad },
        Stop::Write(error) => DumpError::Write(error),
    };
    let mut section = Cursor::new(file.bytes());
    while let Some((_, body)) = site::next_table(&mut section).map_err(|bad| stopped(Stop::Bad(bad)))? {
        dump_dependence(body, out).map_err(stopped)?;
    }
    Ok(())
}

fn dump_dependence(mut body: Cursor, out: &mut impl Write) -> Result<(), Stop> {
    writeln!(out, "dependences of unit {:016x}", body.unsigned()?)?;
    let mut names = Vec::new();
    for _ in 0..body.small()? {
        names.push(body.text()?);
    }
    for _ in 0..body.small()? {
        let (holder, held) = (Operand::decode(&mut body)?, Operand::decode(&mut body)?);
        writeln!(out, "  {} begins with the address of {}", operand(holder, &names), operand(held, &names))?;
    }
    let mut number = 0;
    while !body.rest().is_empty() {
        let function = dependence::Function::decode(&mut body)?;
        writeln!(out, "  function {number} with {} parameters", function.n_parameters)?;
        for value in 0..function.n_instructions {
            let one = dependence::Instruction::decode(&mut body)?;
            let mut used = Vec::new();
            for _ in 0..one.n_operands {
                used.push(operand(Operand::decode(&mut body)?, &names));
            }
            let value = function.n_parameters.saturating_add(value);
            let place = (one.piece, one.file, one.line);
            writeln!(
                out,
                "    %{value} {:?} {} piece {} at {}:{}",
                one.operation,
                used.join(", "),
                place.0,
                place.1,
                place.2
            )?;
        }
        number += 1;
    }
    Ok(())
}

fn operand(operand: Operand, names: &[&str]) -> String {
    let name = |number: u32| names.get(number as usize).copied().unwrap_or("?");
    match operand {
        Operand::Constant => "constant".to_owned(),
        Operand::Value(number) => format!("%{number}"),
        Operand::Symbol(number) => name(number).to_owned(),
        Operand::LocalSymbol(number) => format!("{} (local)", name(number)),
    }
}

fn dump_trace(trace: &TraceFile, out: &mut impl Write) -> io::Result<()> {
    let facts = trace.facts();
    let image: String = facts.image_id.iter().map(|byte| format!("{byte:02x}")).collect();
    writeln!(out, "trace        {}", trace.path().display())?;
    writeln!(out, "mode         {}", facts.mode.name())?;
    writeln!(out, "process      {}, child of {}, image {image}", facts.pid, facts.parent_pid)?;
    writeln!(
        out,
        "started      {}.{:09} s after 1970",
        facts.start_ns / 1_000_000_000,
        facts.start_ns % 1_000_000_000
    )?;
    writeln!(out, "status       {}", status_words(facts.status))?;
    writeln!(out, "test         {}", facts.test)?;
    writeln!(out, "executable   {}", facts.executable)?;
    for warning in trace.warnings() {
        writeln!(out, "warning      {warning}")?;
    }
    for module in &trace.process(Ending::Unknown).modules {
        dump_module(module, out)?;
    }
    if let Some(log) = &trace.layout().log {
        writeln!(out, "\nlog          {} values taken, room for {}", log.n_taken, log.capacity)?;
        for entry in trace.log() {
            let thread = entry.thread.map_or("?".to_owned(), |thread| thread.to_string());
            writeln!(
                out,
                "  module {} word {:#x} thread {thread} value {:#x}",
                entry.module, entry.address, entry.value
            )?;
        }
    }
    Ok(())
}

fn status_words(status: u32) -> String {
    let words = [
        (STATUS_NO_SPACE, "no-space"),
        (STATUS_UNRECORDED, "unrecorded"),
        (STATUS_FORKED, "forked"),
        (STATUS_NO_LOG, "no-log"),
        (STATUS_CLEARED, "environment-cleared"),
        (STATUS_VALGRIND, "in-valgrind"),
    ];
    let found: Vec<_> = words.iter().filter(|(bit, _)| status & bit != 0).map(|(_, word)| *word).collect();
    if found.is_empty() { "complete".to_owned() } else { found.join(" ") }
}

fn dump_module(module: &Module, out: &mut impl Write) -> io::Result<()> {
    let name = if module.path.is_empty() { "(name not known)" } else { module.path };
    writeln!(out, "\nmodule       {name}")?;
    let [clean, nonlocal, lost] = [STATE_CLEAN, STATE_NONLOCAL, STATE_LOST].map(|word| module.state[word]);
    writeln!(out, "state        clean {clean}, nonlocal {nonlocal}, children lost {lost}")?;
    for (unit, piece) in module.last_pieces() {
        writeln!(out, "last piece   {piece} of unit {:016x}", module.units[unit].hash)?;
    }
    module.units.iter().try_for_each(|unit| dump_unit(unit, out))
}

fn dump_unit(unit: &Unit, out: &mut impl Write) -> io::Result<()> {
    let (n_counters, n_values) = (unit.counters.len(), unit.values.len());
    writeln!(out, "unit {:016x}  {n_counters} counters, {n_values} values, at {:#x}", unit.hash, unit.address)?;
    for (index, count) in unit.counters.iter().enumerate().filter(|(_, count)| **count != 0) {
        writeln!(out, "  counter {index} = {count}")?;
    }
    for (index, value) in unit.values.iter().enumerate().filter(|(_, value)| **value != 0) {
        writeln!(out, "  value {index} = {value:016x}")?;
    }
    Ok(())
}

/// Writes site tables.
struct Tables<'a, W> {
    out: &'a mut W,
    path: &'a Path,
}

/// What stops the dump of a table.
enum Stop {
    Bad(Bad),
    Write(io::Error),
}

impl From<Bad> for Stop {
    fn from(bad: Bad) -> Self {
        Stop::Bad(bad)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Write(error)
    }
}

impl<W: Write> Tables<'_, W> {
    fn section(&mut self, section: &[u8]) -> Result<(), DumpError> {
        let mut cursor = Cursor::new(section);
        self.tables(&mut cursor).map_err(|stop| match stop {
            Stop::Bad(bad) => DumpError::Table { path: self.path.to_owned(), bad },
            Stop::Write(error) => DumpError::Write(error),
        })
    }

    fn tables(&mut self, section: &mut Cursor) -> Result<(), Stop> {
        while let Some((header, mut body)) = site::next_table(section)? {
            let unit = site::Unit::decode(&mut body)?;
            writeln!(self.out, "unit {:016x}  {} (in {})", header.unit_hash, unit.source, unit.directory)?;
            writeln!(self.out, "  producer {}, modes {:#06b}", unit.producer, unit.modes)?;
            writeln!(self.out, "  {} counters, {} values", unit.n_counters, unit.n_values)?;
            for index in 0..unit.n_files {
                let site::File { name, origin } = site::File::decode(&mut body)?;
                let note = if origin == site::Origin::Named { " (named by #line)" } else { "" };
                writeln!(self.out, "  file {index} {name}{note}")?;
            }
            for _ in 0..unit.n_functions {
                self.function(&mut body)?;
            }
            for _ in 0..unit.n_escapes {
                let escape = site::Escape::decode(&mut body)?;
                writeln!(self.out, "  not instrumented: {} {}: {}", at(escape.place), escape.name, escape.reason)?;
            }
        }
        Ok(())
    }

    fn function(&mut self, body: &mut Cursor) -> Result<(), Stop> {
        let function = site::Function::decode(body)?;
        let linkage = if function.external { "external" } else { "internal" };
        let (place, last, hash) = (at(function.place), function.last_line, function.content_hash);
        writeln!(self.out, "  function {} {place}-{last} {linkage} {hash:016x}", function.name)?;
        for index in 0..function.n_pieces {
            let piece = site::Piece::decode(body)?;
            write!(self.out, "    piece {index} block {} {:?} lines", piece.block, piece.end)?;
            for _ in 0..piece.n_lines {
                write!(self.out, " {}", at(site::Place::decode(body)?))?;
            }
            writeln!(self.out)?;
        }
        for index in 0..function.n_edges {
            let edge = site::Edge::decode(body)?;
            let (from, to) = (end(edge.from), end(edge.to));
            let (edges, values) = (optional(edge.edges_counter), optional(edge.values_counter));
            writeln!(self.out, "    edge {index} {from} -> {to} {:?} edges {edges} values {values}", edge.kind)?;
        }
        for index in 0..function.n_nodes {
            self.node(index, body)?;
        }
        for index in 0..function.n_compounds {
            self.compound(index, body)?;
        }
        for index in 0..function.n_variables {
            let site::Variable { name, type_name, step } = site::Variable::decode(body)?;
            writeln!(self.out, "    variable {index} `{name}` `{type_name}` step {step}")?;
        }
        for index in 0..function.n_operations {
            self.operation(index, body)?;
        }
        Ok(())
    }

    fn node(&mut self, index: u32, body: &mut Cursor) -> Result<(), Stop> {
        let node = site::Node::decode(body)?;
        let site::Node { piece, kind, class, width, variable, type_name, expression, ordinal, value, .. } = node;
        write!(self.out, "    node {index} {} piece {piece} {kind:?} {class:?}{width} `{variable}`", at(node.place))?;
        write!(self.out, " `{type_name}` `{expression}` #{ordinal} value {value}")?;
        let branches = [("true edge", node.true_edge), ("false edge", node.false_edge), ("trues", node.true_counter)];
        for (word, number) in branches {
            if let Some(number) = number {
                write!(self.out, ", {word} {number}")?;
            }
        }
        for number in 0..node.n_cases {
            write!(self.out, "{} {}", if number == 0 { ", cases" } else { "" }, body.signed()?)?;
        }
        Ok(writeln!(self.out)?)
    }

    fn operation(&mut self, index: u32, body: &mut Cursor) -> Result<(), Stop> {
        let site::Operation { piece, place, node, kind } = site::Operation::decode(body)?;
        write!(self.out, "    operation {index} {} piece {piece} node {} {kind:?}", at(place), optional(node))?;
        for _ in 0..kind.n_others() {
            write!(self.out, " {}", body.small()?)?;
        }
        Ok(writeln!(self.out)?)
    }

    fn compound(&mut self, index: u32, body: &mut Cursor) -> Result<(), Stop> {
        let compound = site::Compound::decode(body)?;
        write!(self.out, "    compound {index} {} nodes", at(compound.place))?;
        for _ in 0..compound.n_conditions {
            write!(self.out, " {}", body.small()?)?;
        }
        writeln!(self.out)?;
        for _ in 0..compound.n_sequences {
            let sequence = site::Sequence::decode(body)?;
            match sequence.count {
                SequenceCount::Edge(edge) => write!(self.out, "      edge {edge}:")?,
                SequenceCount::Counter(counter) => write!(self.out, "      counter {counter}:")?,
            }
            for _ in 0..sequence.n_steps {
                let step = body.small()?;
                write!(self.out, " {}={}", step / 2, if step % 2 == 1 { 'T' } else { 'F' })?;
            }
            writeln!(self.out)?;
        }
        Ok(())
    }
}

fn at(place: site::Place) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

fn end(piece: u32) -> String {
    if piece == OUTSIDE { "outside".to_owned() } else { piece.to_string() }
}

fn optional(number: Option<u32>) -> String {
    number.map_or("-".to_owned(), |number| number.to_string())
}
