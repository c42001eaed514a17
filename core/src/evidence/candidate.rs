//! A change that is tried.

use crate::mutant::Class;
use crate::source::Edit;
use crate::trial::Mutant;

/// What a repair by another function or another member counts of one by an operator, a constant or a variable, by eye. There are eight and four of them for
/// a place, so one mends by chance more often, and few faults are such: two of the 168 mistakes that weights were fitted to are members, four are functions.
const CREDIT_OF_NAMES: f64 = 0.5;

/// What a repair by a guard against a number counts of one by an operator, a constant or a variable, by eye. A place has a condition for zero, for negative
/// numbers and for numbers beside it, each with every exit of the function. Of 6,910 fixes, 24 put in such a guard, and 20 swap `<` and `<=` or `>` and `>=`.
const CREDIT_OF_GUARDS: f64 = 0.5;

/// What a candidate changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A number or text that a node takes.
    Value,
    /// An address, which becomes null.
    Pointer,
    /// What a condition comes to, at every execution.
    Predicate,
    /// What a condition comes to, at chosen executions alone.
    Switch,
    /// An operation of the code.
    Operation(Class),
    /// A call, which is left out.
    Call,
    /// A constant, which becomes another one of its file.
    Constant,
}

impl Kind {
    /// Whether a test that it makes pass says something of the line only where nothing breaks and no change of another kind repairs. A variable that
    /// counts where it should not makes many a loop end, and one constant or statement too many fits somewhere, wherever the fault is.
    pub fn is_last_resort(self) -> bool {
        matches!(self, Kind::Constant | Kind::Operation(Class::Sti | Class::Sin | Class::Dji))
    }

    /// How much a repair of this kind says of its line, from 0 to 1: of two lines that have a mend, the one with the likelier mistake leads.
    pub fn credit(self) -> f64 {
        match self {
            Kind::Operation(Class::Cfr | Class::Mrr) => CREDIT_OF_NAMES,
            Kind::Operation(Class::Vgi) => CREDIT_OF_GUARDS,
            _ => 1.0,
        }
    }
}

/// One change at one place, and how to say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What names it across runs of the same build: a hash of place, kind, change and executions.
    pub id: u64,
    /// What it changes.
    pub kind: Kind,
    /// Its line, an index into [`crate::program::Program::lines`].
    pub line: u32,
    /// The node whose value it changes or takes part in.
    pub node: Option<u32>,
    /// The executions at which it applies, from 1; empty for all of them.
    pub instances: Box<[u64]>,
    /// What it overrides.
    pub mutant: Mutant,
    /// What stands or is computed there, in a few characters.
    pub original: String,
    /// What it becomes.
    pub replacement: String,
    /// The same as an edit of the source, where it is one.
    pub edit: Option<Edit>,
}

/// Relations that differ in what becomes of equals alone: one is often written for the other.
const NEIGHBOURS: [(&str, &str); 2] = [("<", "<="), (">", ">=")];

impl Candidate {
    /// Whether the statement at its place is left out: a call, or what stands behind a jump that is put before it.
    pub fn leaves_out(&self) -> bool {
        let jumps = || ["return", "goto", "break", "continue"].iter().any(|jump| self.replacement.starts_with(jump));
        match self.kind {
            Kind::Call => true,
            Kind::Operation(Class::Sin) => self.replacement.ends_with(&self.original) && jumps(),
            _ => false,
        }
    }

    /// Whether it is a slip that programmers make: a relation for its neighbour, or one more or less.
    pub fn is_slip(&self) -> bool {
        let (one, other) = (self.original.as_str(), self.replacement.as_str());
        let is_neighbour = NEIGHBOURS.iter().any(|pair| *pair == (one, other) || *pair == (other, one));
        let number = |text: &str| text.parse::<i128>().ok();
        let is_next = number(one).zip(number(other)).is_some_and(|(one, other)| one.abs_diff(other) == 1);
        is_neighbour || is_next
    }
}
