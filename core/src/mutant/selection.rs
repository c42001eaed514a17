//! Choosing among code mutants.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use glob::Pattern;
use suspect_format::trace::{HASH_START, hash_bytes};

use super::code::{CodeMutant, Status};
use super::operator::Class;
use crate::program::Program;

/// Which code mutants are wanted; an empty list means all. What is chosen depends on each mutant alone, but for the number.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Operators of mutation.
    pub classes: Vec<Class>,
    /// Files, relative to the project's root.
    pub files: Vec<Pattern>,
    /// Functions by their names.
    pub functions: Vec<Pattern>,
    /// Lines of files; `None` for all of all files.
    pub lines: Option<BTreeMap<String, Vec<RangeInclusive<u32>>>>,
    /// Junk too.
    pub junk: bool,
    /// Equivalents and duplicates too.
    pub redundant: bool,
    /// At most so many, chosen with equal probability.
    pub most: Option<usize>,
    /// What the choice of those is made with. A mutant that is chosen stays so while others come and go, if there is room.
    pub seed: u64,
}

impl Selection {
    /// Positions of the chosen ones among `mutants`, ascending.
    pub fn choose(&self, program: &Program, mutants: &[CodeMutant]) -> Vec<usize> {
        let wanted = mutants.iter().enumerate().filter(|(_, mutant)| self.wants(program, mutant));
        let mut chosen: Vec<usize> = wanted.map(|(index, _)| index).collect();
        if let Some(most) = self.most.filter(|most| *most < chosen.len()) {
            let lot = |index: &usize| {
                let id = mutants.get(*index).map_or(0, |mutant| mutant.id);
                (hash_bytes(hash_bytes(HASH_START, &self.seed.to_le_bytes()), &id.to_le_bytes()), id)
            };
            chosen.sort_by_cached_key(lot);
            chosen.truncate(most);
            chosen.sort_unstable();
        }
        chosen
    }

    /// Whether a mutant is one of those to choose from.
    pub fn wants(&self, program: &Program, mutant: &CodeMutant) -> bool {
        let status = match mutant.status {
            Status::Normal => true,
            Status::Junk(_) => self.junk,
            Status::Equivalent | Status::Duplicate(_) => self.redundant,
        };
        let file = program.files.get(mutant.place.file as usize).map_or("", String::as_str);
        let function = program.functions.get(mutant.function as usize).map_or("", |function| &function.name);
        let any =
            |patterns: &[Pattern], name: &str| patterns.is_empty() || patterns.iter().any(|one| one.matches(name));
        let class = self.classes.is_empty() || self.classes.contains(&mutant.class);
        let line = self.lines.as_ref().is_none_or(|lines| {
            lines.get(file).is_some_and(|ranges| ranges.iter().any(|range| touches(range, mutant)))
        });
        status && class && line && any(&self.files, file) && any(&self.functions, function)
    }
}

/// Whether a mutant changes one of these lines.
fn touches(range: &RangeInclusive<u32>, mutant: &CodeMutant) -> bool {
    let (first, last) = match &mutant.edit {
        Some(edit) => (edit.line, edit.end_line),
        None => (mutant.place.line, mutant.place.line),
    };
    *range.start() <= last && first <= *range.end()
}
