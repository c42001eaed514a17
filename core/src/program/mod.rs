//! The program model: what the site tables of all units say, with dense ids for the whole program.
//!
//! Everything is held in flat arrays; a function owns a range of each. Ids are positions in these arrays and mean
//! something only within one build; [`Node::identity`] is what lasts across builds.

mod counts;
mod labels;
mod load;
mod paths;
mod solve;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;

pub use counts::{CountError, Counts, Recorder};
pub use labels::Label;
pub use load::{LoadError, ModuleImage};
pub use paths::is_of_system;
pub use solve::Unsolvable;
pub use suspect_format::operation::Operator;
pub use suspect_format::site::{EdgeKind, NodeKind, OUTSIDE, OperationKind, PieceEnd, Signedness, Use, ValueClass};

/// A program: all units of all its modules.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Source files, relative to the project's root where they lie below it.
    pub files: Vec<String>,
    /// For each file whether line directives (`#line`) name it and no compiler opened it.
    pub claimed: Vec<bool>,
    /// Translation units.
    pub units: Vec<Unit>,
    /// Functions, in the order of their units.
    pub functions: Vec<Function>,
    /// Basic blocks.
    pub blocks: Vec<Block>,
    /// Pieces of blocks.
    pub pieces: Vec<Piece>,
    /// Control-flow edges.
    pub edges: Vec<Edge>,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Compound conditions.
    pub compounds: Vec<Compound>,
    /// Operations, in the order of their units.
    pub operations: Vec<Operation>,
    /// Switches.
    pub switches: Vec<Switch>,
    /// Labels of switches, where they are known: see [`Program::set_labels`].
    pub labels: Vec<Label>,
    /// Source lines that carry code or a label, sorted by file and line.
    pub lines: Vec<Line>,
    /// For each line whether nothing but labels makes it one; empty where none are known.
    pub only_labels: Vec<bool>,
    /// Functions left as they were.
    pub escapes: Vec<Escape>,
}

/// A translation unit.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its hash, which traces name it by.
    pub hash: u64,
    /// Source file, index into [`Program::files`].
    pub file: u32,
    /// The files that its site table names, in that table's order, indices into [`Program::files`].
    pub files: Vec<u32>,
    /// Bit `1 << mode` for each mode that its functions have a version for.
    pub modes: u32,
    /// Number of counters.
    pub n_counters: u32,
    /// Number of values.
    pub n_values: u32,
    /// Its functions; the n-th has the unit's gate n.
    pub functions: Range<u32>,
    /// Its operations; the n-th has the unit's operation byte n.
    pub operations: Range<u32>,
}

/// A place in the source; line 0 when the compiler gave none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index into [`Program::files`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Symbol name.
    pub name: String,
    /// Unit it is defined in.
    pub unit: u32,
    /// Where its definition begins.
    pub place: Place,
    /// Last line of code.
    pub last_line: u32,
    /// Visible outside its unit.
    pub external: bool,
    /// Hash of its code without addresses, paths and positions.
    pub content_hash: u64,
    /// Its blocks; the first is the entry.
    pub blocks: Range<u32>,
    /// Its pieces.
    pub pieces: Range<u32>,
    /// Its edges.
    pub edges: Range<u32>,
    /// Its nodes.
    pub nodes: Range<u32>,
    /// Its compound conditions.
    pub compounds: Range<u32>,
    /// Its operations.
    pub operations: Range<u32>,
    /// The variables that its operations name.
    pub variables: Vec<Variable>,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Function it is in.
    pub function: u32,
    /// Its pieces.
    pub pieces: Range<u32>,
    /// Its lines, indices into [`Program::lines`], sorted.
    pub lines: Vec<u32>,
}

/// A part of a block that executes whole or ends its thread.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Block it is in.
    pub block: u32,
    /// How it ends.
    pub end: PieceEnd,
    /// Its lines, indices into [`Program::lines`], sorted.
    pub lines: Vec<u32>,
}

/// A control-flow edge of one function.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Function it is in.
    pub function: u32,
    /// Piece it leaves, or [`OUTSIDE`].
    pub from: u32,
    /// Piece it enters, or [`OUTSIDE`].
    pub to: u32,
    /// When it is taken.
    pub kind: EdgeKind,
    /// Counter in `edges` mode, an index into its unit's counters.
    pub edges_counter: Option<u32>,
    /// Counter in `values` and `trace` mode, an index into its unit's counters.
    pub values_counter: Option<u32>,
}

/// A program element whose values are logged.
#[derive(Clone, Debug)]
pub struct Node {
    /// Function it is in.
    pub function: u32,
    /// Piece it is in.
    pub piece: u32,
    /// What it is.
    pub kind: NodeKind,
    /// How to read its value.
    pub class: ValueClass,
    /// Bits of the value.
    pub width: u32,
    /// Where the value is taken.
    pub place: Place,
    /// Line, index into [`Program::lines`]; `None` when the place has none.
    pub line: Option<u32>,
    /// The variable written or the parameter's name; empty for predicates and returned values.
    pub variable: String,
    /// C type of the value.
    pub type_name: String,
    /// The written location or the condition as C text.
    pub expression: String,
    /// Position among the function's nodes of the same kind, variable and expression.
    pub ordinal: u32,
    /// Index into its unit's values.
    pub value: u32,
    /// Edge taken when true.
    pub true_edge: Option<u32>,
    /// Edge taken when false.
    pub false_edge: Option<u32>,
    /// Counter of how often it was true, for predicates that only yield a value.
    pub true_counter: Option<u32>,
}

/// A `switch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The node of the value that is switched on.
    pub node: u32,
    /// The constants of its cases, sign-extended, in the order of the source.
    pub cases: Vec<i64>,
}

/// A condition of several operands joined by `&&` and `||`.
#[derive(Clone, Debug)]
pub struct Compound {
    /// Function it is in.
    pub function: u32,
    /// Where it begins.
    pub place: Place,
    /// Its conditions, in the order written.
    pub conditions: Vec<u32>,
    /// What short-circuit evaluation can do.
    pub sequences: Vec<Sequence>,
}

/// A scalar variable that an operation reads or could read, a function that one calls or could call, or a member that one names or could name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its C type.
    pub type_name: String,
    /// How much `++` adds to its bits: 1 to a whole number, to a pointer the bytes of what it points to; 0 where it cannot be counted up. Of a
    /// member the byte of its structure at which it begins.
    pub step: u64,
}

/// A place in the code where a code mutant can change something.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Function it is in.
    pub function: u32,
    /// Piece it is in.
    pub piece: u32,
    /// Where the compiler says it is.
    pub place: Place,
    /// The node whose value it takes part in, within its statement.
    pub node: Option<u32>,
    /// What can be changed.
    pub kind: OperationKind,
    /// Variables, functions or members that could be read, called or named instead: indices into the function's variables.
    pub others: Vec<u32>,
}

/// One evaluation sequence of a compound condition.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// Conditions evaluated, in order: position among the compound's conditions, and the value.
    pub steps: Vec<(u32, bool)>,
    /// Where its count is; an edge is an index into [`Program::edges`].
    pub count: suspect_format::site::SequenceCount,
}

/// A source line that carries code, or a label of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line {
    /// Index into [`Program::files`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
}

/// A function left as it was.
#[derive(Clone, Debug)]
pub struct Escape {
    /// Symbol name.
    pub name: String,
    /// Where its definition begins.
    pub place: Place,
    /// Why, as a fragment that fits "not instrumented: ...".
    pub reason: String,
}

/// What one test did, all its processes together; every vector is indexed by the program's ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    /// How often each edge was taken.
    pub edges: Vec<u64>,
    /// How often each piece was entered.
    pub pieces: Vec<u64>,
    /// How often each node took a value: as often as its piece was entered, less the processes that were stopped in the
    /// piece before the node took its first value.
    pub nodes: Vec<u64>,
    /// Trajectory hash of each node: the processes' hashes combined without regard to their order; 0 if it never took a
    /// value, or the values were not recorded.
    pub trajectories: Vec<u64>,
    /// How often each node was true; 0 for nodes that are not predicates.
    pub trues: Vec<u64>,
    /// For each compound condition, how often each of its sequences was followed.
    pub sequences: Vec<Vec<u64>>,
    /// Pieces in which a process was stopped, sorted. Of a process whose end nobody saw, only pieces that end in a branch
    /// are known to be.
    pub stopped_in: Vec<u32>,
}

/// A node's identity across builds and edits that leave it alone: no path, line or column.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity<'a> {
    /// Function's name.
    pub function: &'a str,
    /// The node's kind.
    pub kind: NodeKind,
    /// The node's variable.
    pub variable: &'a str,
    /// The node's expression.
    pub expression: &'a str,
    /// The node's ordinal.
    pub ordinal: u32,
}

impl Program {
    /// The lines of each of [`Program::files`] that carry code, from 1.
    pub fn code_lines(&self) -> Vec<BTreeSet<u32>> {
        let mut lines = vec![BTreeSet::new(); self.files.len()];
        let of_operations = self.operations.iter().map(|operation| (operation.place.file, operation.place.line));
        for (file, line) in self.lines.iter().map(|line| (line.file, line.line)).chain(of_operations) {
            lines.get_mut(file as usize).into_iter().for_each(|lines| _ = lines.insert(line));
        }
        lines
    }
}

impl Node {
    /// What names this node in other builds of `program`'s source.
    pub fn identity<'a>(&'a self, program: &'a Program) -> Identity<'a> {
        Identity {
            function: &program.functions[self.function as usize].name,
            kind: self.kind,
            variable: &self.variable,
            expression: &self.expression,
            ordinal: self.ordinal,
        }
    }
}
