//! A program as it was in one night, as far as it is compared.

use std::collections::BTreeMap;

use crate::program::Program;

/// A program and the text of its files.
#[derive(Clone, Debug, Default)]
pub struct Version {
    /// Texts by file.
    pub texts: BTreeMap<String, String>,
    /// Its functions.
    pub functions: Vec<FunctionKnown>,
    /// Its nodes; none where they are not known.
    pub nodes: Vec<NodeKnown>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionKnown {
    /// Its name.
    pub name: String,
    /// Source file.
    pub file: String,
    /// Its lines, first and last.
    pub lines: (u32, u32),
    /// Hash of its code; `None` where it is not known, and its text must tell.
    pub code: Option<u64>,
}

/// A node: what it is, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeKnown {
    /// Function, kind, variable and expression: what nodes that are the same have in common.
    pub key: (String, u8, String, String),
    /// Source file.
    pub file: String,
    /// Line.
    pub line: u32,
}

impl Version {
    /// A recorded program, with the texts of its files.
    pub fn of(program: &Program, texts: BTreeMap<String, String>) -> Version {
        let file = |number: u32| program.files.get(number as usize).cloned().unwrap_or_default();
        let function = |function: &crate::program::Function| FunctionKnown {
            name: function.name.clone(),
            file: file(function.place.file),
            lines: (function.place.line, function.last_line),
            code: Some(function.content_hash),
        };
        let node = |node: &crate::program::Node| {
            let identity = node.identity(program);
            let words = [identity.function, identity.variable, identity.expression].map(str::to_string);
            let [function, variable, expression] = words;
            NodeKnown {
                key: (function, identity.kind as u8, variable, expression),
                file: file(node.place.file),
                line: node.place.line,
            }
        };
        Version {
            texts,
            functions: program.functions.iter().map(function).collect(),
            nodes: program.nodes.iter().map(node).collect(),
        }
    }

    /// The text of a line without the space around it; empty where it is not known.
    pub fn line(&self, file: &str, line: u32) -> &str {
        let text = self.texts.get(file).and_then(|text| text.lines().nth((line as usize).checked_sub(1)?));
        text.map_or("", str::trim)
    }

    /// The functions whose text has this line.
    pub fn functions_at(&self, file: &str, line: u32) -> impl Iterator<Item = (usize, &FunctionKnown)> {
        let is_here = move |function: &FunctionKnown| {
            function.file == file && (function.lines.0..=function.lines.1).contains(&line)
        };
        self.functions.iter().enumerate().filter(move |(_, function)| is_here(function))
    }
}
