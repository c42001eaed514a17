//! The labels of the program's switches, from its sources.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;

use crate::build::BuildReport;
use crate::program::{Label, Program, Switch};
use crate::source::{Expression, Number, SourceTree, Text};

/// The labels of each `switch` in a file of the project, where the source has just as many as the compiler saw and those of known value are
/// what it saw: not of switches with ranges or with labels that macros make. Files that were changed since the build have none.
pub fn labels(root: &Path, program: &Program, build: Option<&BuildReport>) -> Vec<Label> {
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let built =
        build.and_then(|build| build.modules.iter().filter_map(|module| modified(&root.join(&module.path))).max());
    let (sources, code) = (SourceTree::of(root, program), program.code_lines());
    let mut files: BTreeMap<u32, BTreeMap<(u32, u32), Vec<&Switch>>> = BTreeMap::new();
    for switch in &program.switches {
        let place = program.nodes[switch.node as usize].place;
        files.entry(place.file).or_default().entry((place.line, place.column)).or_default().push(switch);
    }
    let of_file = |(file, switches): (&u32, &BTreeMap<(u32, u32), Vec<&Switch>>)| -> Vec<Label> {
        let name = program.files.get(*file as usize).map_or("", String::as_str);
        let path = root.join(name);
        let is_foreign = name.is_empty() || name.starts_with(['/', '.']);
        if is_foreign || built.zip(modified(&path)).is_some_and(|(built, modified)| modified > built) {
            return Vec::new();
        }
        let Ok(source) = sources.bytes(name) else { return Vec::new() };
        let text = Text::parse_compiled(source, &code[*file as usize]);
        let found = switches.iter().filter_map(|(place, switches)| of_switch(program, &text, *place, switches));
        found.flatten().collect()
    };
    files.par_iter().map(of_file).collect::<Vec<_>>().concat()
}

/// The labels of the switches at one place: one, compiled several times.
fn of_switch(program: &Program, text: &Text, place: (u32, u32), switches: &[&Switch]) -> Option<Vec<Label>> {
    let node = |switch: &Switch| &program.nodes[switch.node as usize];
    let first = *switches.first()?;
    let mut functions: Vec<u32> = switches.iter().map(|switch| node(switch).function).collect();
    functions.sort_unstable();
    // Two of one function come from a macro.
    if functions.windows(2).any(|two| two[0] == two[1]) || switches.iter().any(|switch| switch.cases != first.cases) {
        return None;
    }
    let written = text.labels_at(place.0, place.1).filter(|written| written.len() == first.cases.len())?;
    let width = node(first).width;
    let is_value = |(label, case): (&Expression, &i64)| {
        let number = Number::Integer { bits: *case as u64, width, signed: true };
        label.literal().is_none_or(|literal| literal.is(number))
    };
    if !written.iter().zip(&first.cases).all(is_value) {
        return None;
    }
    let characters = written.iter().any(|label| label.literal().is_some_and(|literal| literal.character));
    let label = |(label, value): (&Expression, &i64)| {
        let (line, column) = text.place(label.span().start);
        Label {
            nodes: switches.iter().map(|switch| switch.node).collect(),
            line,
            column,
            text: label.source().to_owned(),
            value: *value,
            character: label.literal().map_or(characters, |literal| literal.character),
        }
    };
    let on_one_line = |label: &Label| !label.text.contains('\n');
    Some(written.iter().zip(&first.cases).map(label).filter(on_one_line).collect())
}
