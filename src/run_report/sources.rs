//! The program's files with what tests executed of them, and the text of those that matter.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::program::Program;
use crate::rank::{RankedUnit, Units};
use crate::rank_inputs::MethodInput;
use crate::report::{FunctionCoverage, RankingReport, SourceFile};
use crate::source::SourceTree;

/// First lines of the ranking whose files are shown in full.
const SHOWN: usize = 100;
/// Bytes of text, at most; what comes later in the ranking is left out.
const MOST_TEXT: usize = 16 << 20;

/// The files that `lines` are in, in the order of their names.
pub fn files(
    root: &Path,
    program: &Program,
    lines: &Units,
    seen: &MethodInput,
    ranking: Option<&RankingReport>,
) -> Vec<SourceFile> {
    let mut files: BTreeMap<u32, SourceFile> = BTreeMap::new();
    for (position, unit) in (0..).zip(lines.iter()) {
        let RankedUnit::Line(id) = unit else { continue };
        // Coverage is of compiled lines, as other tools have it.
        if program.is_label_line(id) {
            continue;
        }
        let line = program.lines[id as usize];
        let file = files.entry(line.file).or_default();
        let evidence = seen.evidence(position);
        file.lines.push(line.line);
        file.failing.push(evidence.failing_executed);
        file.passing.push(evidence.passing_executed);
    }
    let mut texts = texts(&SourceTree::of(root, program), ranking);
    for (number, file) in &mut files {
        file.path = program.files.get(*number as usize).cloned().unwrap_or_default();
        file.text = texts.remove(&file.path);
    }
    add_functions(program, &mut files);
    let mut files: Vec<SourceFile> = files.into_values().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Texts of the files that the first lines are in, as long as there is room.
fn texts(sources: &SourceTree, ranking: Option<&RankingReport>) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut room = MOST_TEXT;
    for entry in ranking.iter().flat_map(|ranking| &ranking.ranking).take(SHOWN) {
        if !seen.insert(&entry.file) {
            continue;
        }
        let Some(text) = sources.text(&entry.file) else { continue };
        if let Some(rest) = room.checked_sub(text.len()) {
            room = rest;
            texts.insert(entry.file.clone(), text);
        }
    }
    texts
}

fn add_functions(program: &Program, files: &mut BTreeMap<u32, SourceFile>) {
    for function in &program.functions {
        let Some(file) = files.get_mut(&function.place.file) else { continue };
        let (line, last_line) = (function.place.line, function.last_line);
        let first = file.lines.partition_point(|known| *known < line);
        let last = file.lines.partition_point(|known| *known <= last_line);
        // Who executes anything of it executes its entry, so its most executed line tells how many do.
        let tests = (first..last).map(|at| file.failing[at] + file.passing[at]).max().unwrap_or(0);
        file.functions.push(FunctionCoverage { line, last_line, name: function.name.clone(), tests });
    }
    for file in files.values_mut() {
        file.functions.sort();
        file.functions.dedup();
    }
}
