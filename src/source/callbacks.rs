//! The functions that a program hands on.

use std::cell::OnceCell;

use super::{SourceTree, Text};
use crate::program::{Program, is_of_system};

/// The sources of a program that are asked for such functions, each read and parsed when that is first needed.
pub struct Callbacks<'p> {
    tree: SourceTree,
    program: &'p Program,
    sources: OnceCell<Vec<(String, OnceCell<Text>)>>,
}

impl<'p> Callbacks<'p> {
    /// Those of a program with sources in this tree.
    pub fn of(tree: SourceTree, program: &'p Program) -> Callbacks<'p> {
        Callbacks { tree, program, sources: OnceCell::new() }
    }

    /// Whether a source hands a function of this name on; one that cannot be read does not.
    pub fn has(&self, function: &str) -> bool {
        let sources = self.sources.get_or_init(|| {
            let own = self.program.files.iter().filter(|file| !is_of_system(file));
            own.filter_map(|file| self.tree.text(file)).map(|text| (text, OnceCell::new())).collect()
        });
        let naming = sources.iter().filter(|(source, _)| source.contains(function));
        let mut parsed = naming.map(|(source, text)| text.get_or_init(|| Text::parse(source.as_str())));
        parsed.any(|text| text.hands_on(function))
    }
}
