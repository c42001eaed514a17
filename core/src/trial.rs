//! What is overridden in a trial, and what is seen.

use std::cmp::Ordering;

use crate::program::Operator;

/// What an override is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// A node, an index into [`crate::program::Program::nodes`].
    Node(u32),
    /// An operation, an index into [`crate::program::Program::operations`].
    Operation(u32),
}

/// A change of what a site comes to. The first six are for values: of nodes, and of operations' results. Of several at one operation,
/// operands are replaced first, then the operator, then the result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    /// It becomes this: the value's bits, zero-extended. Of addresses 0 alone: null.
    Set(u64),
    /// This is added: the bits of a number of the value's own kind.
    Add(u64),
    /// It changes its sign.
    Negate,
    /// 0 becomes 1, everything else 0.
    Flip,
    /// A string of a node: these characters, without the final zero.
    Text(Box<[u8]>),
    /// All bits of a number are inverted.
    Complement,
    /// Of a binary operation: this operator in place of its own.
    Operator(Operator),
    /// The left operand becomes this; what stands for operand and result of operations that have but one.
    Left(u64),
    /// The right operand of a binary operation becomes this.
    Right(u64),
    /// Another way of an operation that chooses (1, of `&&` and `||` also 2 and 3); of a read, the function's variable of this number. See
    /// [`crate::program::OperationKind`].
    Choose(u32),
    /// To the variable that is read this is added, and the sum is read: `++v`.
    StepBefore(u64),
    /// To the variable that is read this is added, and what it was before is read: `v++`.
    StepAfter(u64),
    /// A value that is one of these becomes the other one; every other value stays.
    Exchange(u64, u64),
    /// A value that is the first of these becomes the second; every other value stays. Of a binary operation it is the left operand that does.
    Instead(u64, u64),
}

/// One change at one site, the same at each execution that it applies to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Override {
    /// The site.
    pub site: Site,
    /// Which execution of the site in its process, from 1; 0 for every one.
    pub instance: u64,
    /// What happens there.
    pub change: Change,
}

impl Override {
    /// The node, if it is one's.
    pub fn node(&self) -> Option<u32> {
        match self.site {
            Site::Node(node) => Some(node),
            Site::Operation(_) => None,
        }
    }
}

/// Overrides that are active together; their number is the mutant's order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mutant {
    /// The overrides. Of several at the same execution of one site that replace the same, the last counts.
    pub overrides: Box<[Override]>,
}

impl From<Override> for Mutant {
    fn from(one: Override) -> Mutant {
        Mutant { overrides: Box::new([one]) }
    }
}

/// How a trial's process came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// It exited with this status.
    Exited(i32),
    /// This signal ended it.
    Signalled(i32),
    /// It used up its budget of hooks.
    Cut,
    /// Its time was up, or its output flooded: the trial says nothing.
    Unknown,
}

/// Who ran a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Executor {
    /// A process tree of its own: the reference.
    Exec,
    /// A fork of the oracle's run where the node was first reached.
    Fork,
    /// Likewise, in the memory of the oracle's run, which is put back afterwards.
    Lent,
    /// The process of the oracle's run itself, which is then put back.
    InPlace,
}

/// What one trial showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Who ran it.
    pub executor: Executor,
    /// How it ended.
    pub end: End,
    /// Whether any override changed anything; if not, the run was the oracle's.
    pub applied: bool,
    /// For each node that the oracle covers, in order, 64 to a word: whether its trajectory differs from the oracle's.
    pub changed: Box<[u64]>,
    /// Whether what the test looks at (output, exit status, signal) differs from the oracle's.
    pub output_changed: bool,
    /// Whether the test passes; `None` when that cannot be told without running the test as a whole.
    pub passes: Option<bool>,
    /// Whether a failing test that is judged by its exit status alone passes, and what it said of its failure still stands in its output.
    pub silenced: bool,
    /// How the check that a failing test says to fail stands to the one without any change, in the order in which they come, where that can be told.
    pub reached: Option<Ordering>,
    /// Where the test is judged by comparing standard output: how many bytes of what it expects the trial wrote, up to the first that
    /// differs or is missing, [`MOST_EXPECTED`] at most. `None` of other tests, and where nothing is known.
    ///
    /// [`MOST_EXPECTED`]: suspect_format::trial::MOST_EXPECTED
    pub matched: Option<u64>,
    /// Hooks and ticks executed.
    pub used: u64,
}
