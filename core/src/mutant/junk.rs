//! Mutants that are left out unless asked for, and why.

use serde::{Deserialize, Serialize};

/// Why a mutant is none that a user could have written: left out unless asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Junk {
    /// In a file outside the project.
    Outside,
    /// In what a macro expands to.
    Macro,
    /// Made by the compiler: nothing in the source says it.
    Made,
    /// The source file cannot be read, or the text at the place cannot be understood.
    NoText,
    /// A part of a larger expression that cannot be taken out by itself.
    Part,
    /// More than one thing at the same place: which one cannot be told.
    Several,
    /// In the tests' own code.
    TestCode,
    /// It reads a variable that has no value yet.
    Unset,
}

impl Junk {
    /// Why, as a fragment that fits "left out: ...".
    pub const fn reason(self) -> &'static str {
        match self {
            Junk::Outside => "in a file outside the project",
            Junk::Macro => "in what a macro expands to",
            Junk::Made => "made by the compiler",
            Junk::NoText => "the source text there cannot be read",
            Junk::Part => "a part of a larger expression",
            Junk::Several => "several operations at one place",
            Junk::TestCode => "in the tests' own code",
            Junk::Unset => "reads what has no value yet",
        }
    }
}
