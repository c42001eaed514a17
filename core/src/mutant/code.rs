//! Code mutants: single small changes of the program's code, what realises each at run time, and how it reads in the source.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use suspect_format::trace::{HASH_START, hash_bytes};

use super::anchor::{Draft, View};
use super::donor::content_of;
use super::junk::Junk;
use super::operator::Class;
use crate::program::{Place, Program};
use crate::source::{Clash, Edit, Rewrite, Text, plain};
use crate::trial::Override;

/// Whether a mutant is worth a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Status {
    /// It is.
    Normal,
    /// It is no mutant of the source.
    Junk(Junk),
    /// It computes what the program computes.
    Equivalent,
    /// It computes what the mutant of this identity computes.
    Duplicate(u64),
}

/// A mutant of first order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeMutant {
    /// What names it across builds and edits elsewhere: a hash of file, function, class, expression and replacement, not of lines.
    pub id: u64,
    /// The operator of mutation.
    pub class: Class,
    /// Where the compiler says that it is.
    pub place: Place,
    /// The function, an index into [`Program::functions`]; the first one where the same source is compiled several times.
    pub function: u32,
    /// The node whose value it takes part in.
    pub node: Option<u32>,
    /// What is active together: more than one override where the same source is compiled several times.
    pub overrides: Vec<Override>,
    /// What is changed, in a few characters: an operator, a constant, a name.
    pub original: String,
    /// What it becomes.
    pub replacement: String,
    /// The change of the source's syntax tree; `None` for junk.
    pub rewrite: Option<Rewrite>,
    /// The same as an edit of the source's text; `None` for junk.
    pub edit: Option<Edit>,
    /// Whether it is worth a trial.
    pub status: Status,
}

impl CodeMutant {
    /// Whether it is worth a trial.
    pub fn is_normal(&self) -> bool {
        self.status == Status::Normal
    }
}

/// All code mutants of `program`, ordered by place and class. `texts` are the source files by their index in [`Program::files`]; files
/// that are not there have junk alone. Texts of further files, headers above all, may follow under higher numbers: only
/// what macros they define is asked of them, for what a macro expands to is nothing that an edit at its place would change. Which mutants are equivalent or duplicates is told by [`super::Comparison`].
pub fn code_mutants(program: &Program, texts: &BTreeMap<u32, Text>) -> Vec<CodeMutant> {
    let view = View::new(program, texts);
    let mut drafts: Vec<Draft> = (0..program.functions.len() as u32).flat_map(|index| view.drafts(index)).collect();
    drafts.sort_by_key(Draft::order);
    let mut mutants: Vec<CodeMutant> = Vec::new();
    let mut known: HashMap<(u64, u32), usize> = HashMap::new();
    let mut junk: HashMap<(u64, u32), u32> = HashMap::new();
    for draft in drafts {
        let mutant = finished(program, texts, draft);
        let mut key = (alike(&mutant), 0);
        if mutant.edit.is_none() {
            let before = junk.entry((key.0, mutant.function)).or_insert(0);
            key.1 = *before;
            *before += 1;
        }
        // The same source, compiled once more.
        match known.get(&key).and_then(|index| mutants.get_mut(*index)) {
            Some(first) => first.overrides.extend(mutant.overrides),
            None => {
                known.insert(key, mutants.len());
                mutants.push(mutant);
            }
        }
    }
    name(program, &mut mutants);
    mutants
}

/// The edits of the source that make all of `mutants` at once, file by file. Fails for junk, and for mutants that change the same
/// thing.
pub fn edits<'m>(
    program: &Program,
    texts: &BTreeMap<u32, Text>,
    mutants: impl IntoIterator<Item = &'m CodeMutant>,
) -> Result<Vec<Edit>, Clash> {
    let mut by_file: BTreeMap<u32, Vec<Rewrite>> = BTreeMap::new();
    for mutant in mutants {
        by_file.entry(mutant.place.file).or_default().push(mutant.rewrite.clone().ok_or(Clash::NoText)?);
    }
    let mut edits = Vec::new();
    for (file, rewrites) in by_file {
        let text = texts.get(&file).ok_or(Clash::NoText)?;
        let name = program.files.get(file as usize).map(String::as_str).unwrap_or_default();
        edits.extend(text.edits(name, &rewrites)?);
    }
    Ok(edits)
}

/// A hash of what two mutants share that are one in the source. What is no text is not told apart by it: it is counted in each function.
fn alike(mutant: &CodeMutant) -> u64 {
    let CodeMutant { place, class, edit, original, replacement, .. } = mutant;
    let mut hasher = DefaultHasher::new();
    (place, class, edit, original, replacement).hash(&mut hasher);
    hasher.finish()
}

fn finished(program: &Program, texts: &BTreeMap<u32, Text>, draft: Draft) -> CodeMutant {
    let file = draft.place.file;
    let name = program.files.get(file as usize).map(String::as_str).unwrap_or_default();
    let made = draft.rewrite.and_then(|rewrite| {
        let edits = texts.get(&file).ok_or(Junk::NoText)?.edits(name, std::slice::from_ref(&rewrite));
        let edit = edits.ok().and_then(|mut edits| edits.pop()).ok_or(Junk::NoText)?;
        Ok((rewrite, edit))
    });
    let status = made.as_ref().map_or_else(|junk| Status::Junk(*junk), |_| Status::Normal);
    let (rewrite, edit) = made.ok().unzip();
    CodeMutant {
        id: 0,
        class: draft.class,
        place: draft.place,
        function: draft.function,
        node: draft.node,
        overrides: vec![draft.overriding],
        original: draft.original,
        replacement: draft.replacement,
        rewrite,
        edit,
        status,
    }
}

/// Gives each its identity; those alike but for their places are counted in the order of the text.
fn name(program: &Program, mutants: &mut [CodeMutant]) {
    let mut alike: HashMap<u64, u64> = HashMap::new();
    for mutant in mutants {
        let text = |index: usize, of: &[String]| of.get(index).cloned().unwrap_or_default();
        let function = program.functions.get(mutant.function as usize).map_or("", |function| &function.name);
        let (before, after) = match &mutant.edit {
            Some(edit) => (plain(&edit.original), plain(&edit.replacement)),
            None => (mutant.original.clone(), mutant.replacement.clone()),
        };
        let file = text(mutant.place.file as usize, &program.files);
        let mut hash = HASH_START;
        let junk = if mutant.edit.is_some() { "" } else { "junk" };
        for part in [&file, function, mutant.class.name(), &mutant.original, &mutant.replacement, &before, &after, junk]
        {
            hash = hash_bytes(hash, &(part.len() as u64).to_le_bytes());
            hash = hash_bytes(hash, part.as_bytes());
        }
        // What it has run may change with the function that this is taken from.
        if let Some(content) = mutant.overrides.first().and_then(|one| content_of(program, mutant.function, one)) {
            hash = hash_bytes(hash, &content.to_le_bytes());
        }
        let ordinal = alike.entry(hash).or_insert(0);
        mutant.id = hash_bytes(hash, &ordinal.to_le_bytes());
        *ordinal += 1;
    }
}
