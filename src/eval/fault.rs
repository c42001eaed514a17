//! Where a version's fault is, in its source and in what is ranked.

use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::program::Program;
use crate::rank::{RankedUnit, Units};

/// What is wrong with a faulty line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// It says something else than the correct version.
    Changed,
    /// Code is missing before or after it.
    Omitted,
    /// It uses a macro or declaration that is wrong.
    Macro,
}

/// A faulty line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultyLine {
    /// What is wrong with it.
    pub kind: FaultKind,
    /// File, relative to the version's tree.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

impl FaultyLine {
    pub(super) fn parse(kind: FaultKind, place: &str) -> Option<FaultyLine> {
        let (file, line) = place.rsplit_once(':')?;
        let line = line.parse().ok().filter(|line| *line > 0)?;
        let file = file.strip_prefix("./").unwrap_or(file);
        (!file.is_empty()).then(|| FaultyLine { kind, file: file.to_string(), line })
    }
}

/// The fault of a version: found when any of its lines is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// At least one.
    pub lines: Vec<FaultyLine>,
}

impl Fault {
    /// What kinds of faulty line it has, each once.
    pub fn kinds(&self) -> Vec<FaultKind> {
        let mut kinds: Vec<FaultKind> = self.lines.iter().map(|line| line.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// What is wrong with the lines, given the version's tree: a file that is not there, a line beyond its end.
    pub fn check(&self, tree: &Path) -> Result<(), String> {
        for FaultyLine { file, line, .. } in &self.lines {
            let text = fs::read(tree.join(file))
                .map_err(|error| format!("its faulty line {file}:{line} is in a file that cannot be read: {error}"))?;
            let n_lines = text.split_inclusive(|byte| *byte == b'\n').count();
            if *line as usize > n_lines {
                return Err(format!("its faulty line {file}:{line} is beyond the file's end, line {n_lines}"));
            }
        }
        Ok(())
    }

    /// Positions of the ranked units that hold a faulty line, ascending; and the lines, as `FILE:LINE`, that none holds.
    pub fn units(&self, program: &Program, units: &Units) -> (Vec<u32>, Vec<String>) {
        let (mut positions, mut missing) = (Vec::new(), Vec::new());
        for FaultyLine { file, line, .. } in &self.lines {
            let holds = |unit: RankedUnit| holds(program, unit, file, *line);
            let found: Vec<u32> =
                (0..).zip(units.iter()).filter(|(_, unit)| holds(*unit)).map(|(position, _)| position).collect();
            if found.is_empty() {
                missing.push(format!("{file}:{line}"));
            }
            positions.extend(found);
        }
        positions.sort_unstable();
        positions.dedup();
        (positions, missing)
    }
}

fn holds(program: &Program, unit: RankedUnit, file: &str, line: u32) -> bool {
    let is_file = |id: u32| program.files.get(id as usize).is_some_and(|path| path == file);
    let is_line = |id: u32| program.lines[id as usize].line == line && is_file(program.lines[id as usize].file);
    match unit {
        RankedUnit::Line(id) => is_line(id),
        RankedUnit::Block(id) => program.blocks[id as usize].lines.iter().any(|id| is_line(*id)),
        RankedUnit::Function(id) => {
            let function = &program.functions[id as usize];
            is_file(function.place.file) && (function.place.line..=function.last_line).contains(&line)
        }
        RankedUnit::Node(id) => {
            let node = &program.nodes[id as usize];
            node.line.map_or(node.place.line == line && is_file(node.place.file), is_line)
        }
    }
}

/// The lines of ranked nodes, in their order, each once.
pub fn lines_of_nodes(program: &Program, units: &Units, order: &[u32]) -> Vec<u32> {
    let mut lines = Vec::new();
    for &position in order {
        if let RankedUnit::Node(node) = units.get(position)
            && let Some(line) = program.nodes[node as usize].line
            && !lines.contains(&line)
        {
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_file_and_line() {
        let parse = |place| FaultyLine::parse(FaultKind::Changed, place).map(|line| (line.file, line.line));
        assert_eq!(parse("src/a.c:41"), Some(("src/a.c".into(), 41)));
        assert_eq!(parse("./a:b.c:1"), Some(("a:b.c".into(), 1)));
        for wrong in ["a.c", "a.c:", "a.c:0", ":3", "a.c:x"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn lines_that_are_not_there_are_named() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("a.c"), "1\n2\n3").unwrap();
        let check = |place| {
            let lines = vec![FaultyLine::parse(FaultKind::Omitted, place).unwrap()];
            Fault { lines }.check(directory.path())
        };
        assert_eq!(check("a.c:3"), Ok(()));
        assert!(check("a.c:4").unwrap_err().contains("line 3"));
        assert!(check("b.c:1").unwrap_err().contains("b.c:1"));
    }
}
