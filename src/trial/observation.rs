//! What is overridden in a trial, and what is seen.

/// A mutation of the value that a node takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    /// It becomes this: the value's bits, zero-extended.
    Set(u64),
    /// This is added: the bits of a number of the node's own kind.
    Add(u64),
    /// It changes its sign.
    Negate,
    /// 0 becomes 1, everything else 0.
    Flip,
    /// A string: these characters, without the final zero.
    Text(Box<[u8]>),
}

/// A value mutant: a change of one node's value, the same at each execution that it applies to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Override {
    /// The node, an index into [`crate::program::Program::nodes`].
    pub node: u32,
    /// Which execution of the node in its process, from 1; 0 for every one.
    pub instance: u64,
    /// What happens to the value.
    pub change: Change,
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
}

/// What one trial showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Who ran it.
    pub executor: Executor,
    /// How it ended.
    pub end: End,
    /// Whether the override changed a value at all; if not, the run was the oracle's.
    pub applied: bool,
    /// For each node that the oracle covers, in order, 64 to a word: whether its trajectory differs from the oracle's.
    pub changed: Box<[u64]>,
    /// Whether what the test looks at (output, exit status, signal) differs from the oracle's.
    pub output_changed: bool,
    /// Whether the test passes; `None` when that cannot be told without running the test as a whole.
    pub passes: Option<bool>,
    /// Hooks and ticks executed.
    pub used: u64,
}
