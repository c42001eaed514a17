//! What tests executed of a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A source file and what tests executed of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceFile {
    /// Path, relative to the project's root where it lies below it.
    pub path: String,
    /// Its text when the report was made; `null` if no line of it is among the first or it cannot be read.
    pub text: Option<String>,
    /// Lines that carry code, ascending.
    pub lines: Vec<u32>,
    /// For each of these the failing tests that executed it.
    pub failing: Vec<u32>,
    /// For each of these the passing tests that executed it.
    pub passing: Vec<u32>,
    /// Functions, in the order of the file.
    pub functions: Vec<FunctionCoverage>,
}

/// What tests executed of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct FunctionCoverage {
    /// Line in which it begins.
    pub line: u32,
    /// Last line of its code.
    pub last_line: u32,
    /// Its name.
    pub name: String,
    /// Tests that executed it.
    pub tests: u32,
}

impl SourceFile {
    /// Each line that carries code, with the failing and the passing tests that executed it.
    pub fn executed(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        let counts = self.failing.iter().zip(&self.passing);
        self.lines.iter().zip(counts).map(|(line, (failing, passing))| (*line, *failing, *passing))
    }
}
