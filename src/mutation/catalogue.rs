//! The code mutants of a recorded run's program: which there are, and which of them are asked for.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Instant;

use suspect_format::trace::HASH_START;

use super::code_state::mix;
use super::kills::Subject;
use super::since::ChangedLines;
use crate::build::BuildReport;
use crate::build::inputs::Inputs;
use crate::build::optimise::{optimised, optimiser};
use crate::mutant::{Class, CodeMutant, Comparison, Forms, Junk, Selection, Status, code_mutants};
use crate::obstacle::Obstacle;
use crate::program::Program;
use crate::report::{MutantEdit, MutantEntry, MutantStatus};
use crate::source::{SourceTree, Text};
use crate::store::{Run, Store};
use crate::suite_run::Session;
use crate::trial::{Mutant, Override, Site};

/// A request for code mutants: all that are worth a trial, unless something narrows them.
#[derive(Clone, Debug, Default)]
pub struct CatalogueRequest {
    /// Operators by their names; the usual ones, if there is none.
    pub operators: Vec<String>,
    /// Files, relative to the project's root, with * and ?.
    pub files: Vec<String>,
    /// Functions, with * and ?.
    pub functions: Vec<String>,
    /// Lines: FILE:LINE or FILE:FIRST-LAST.
    pub lines: Vec<String>,
    /// The git revision whose lines are left out.
    pub since: Option<String>,
    /// The number to draw at random; all without it.
    pub sample: Option<Sample>,
    /// Seed of random choices.
    pub seed: u64,
}

/// The number of mutants to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sample {
    /// So many.
    Number(usize),
    /// This share of them, 0 to 1.
    Share(f64),
}

/// The code mutants of a program.
#[derive(Default)]
pub struct Catalogue {
    /// Its sources, by the index of the file.
    pub texts: BTreeMap<u32, Text>,
    /// All mutants, in the order of places.
    pub mutants: Vec<CodeMutant>,
    /// Positions of those that are asked for and worth a trial.
    pub chosen: Vec<u32>,
    /// Positions of those that are asked for and not worth a trial.
    pub junk: Vec<u32>,
    /// Statements about what is left out.
    pub left_out: Vec<String>,
}

impl Catalogue {
    /// Finds the mutants, tells which are equivalent or duplicates as far as the time goes, and chooses.
    pub fn of(session: &Session, request: &CatalogueRequest, until: Option<Instant>) -> Result<Catalogue, Obstacle> {
        let Session { store, run, .. } = session;
        let mut selection = selection(store.root(), request)?;
        let build = store.load_build::<BuildReport>()?;
        let program = &run.program;
        if program.operations.is_empty() {
            return Err(Obstacle::new(
                Obstacle::NotInstrumented,
                "the program has no places that code mutants can change: build it with this version of suspect and no --modes, \
                 or with --modes that include trace, then run `suspect test` again",
            ));
        }
        let texts = texts(store.root(), run, build.as_ref())?;
        let mut mutants = code_mutants(program, &texts);
        let trusted = run.trusted_files()?;
        for mutant in mutants.iter_mut().filter(|mutant| trusted.contains(&mutant.place.file)) {
            mutant.status = Status::Junk(Junk::TestCode);
        }
        let mut left_out = compare(store, program, &texts, &mut mutants, until);
        // What no usual mutant is a duplicate of.
        if selection.classes.iter().all(|class| class.is_usual()) {
            mutants.retain(|mutant| mutant.class.is_usual());
        }
        let (chosen, junk, reasons) = choose(program, &mutants, &mut selection, request);
        left_out.extend(reasons);
        for escape in &program.escapes {
            left_out.push(format!("{}(): {}", escape.name, escape.reason));
        }
        Ok(Catalogue { texts, mutants, chosen, junk, left_out })
    }

    /// The mutants that are asked for and worth a trial.
    pub fn chosen(&self) -> impl Iterator<Item = &CodeMutant> {
        self.chosen.iter().map(|position| &self.mutants[*position as usize])
    }

    /// The mutants that are asked for and not worth a trial, and why.
    pub fn junk(&self) -> impl Iterator<Item = (&CodeMutant, &'static str)> {
        let asked = self.junk.iter().map(|position| &self.mutants[*position as usize]);
        asked.filter_map(|mutant| Some((mutant, why_not(mutant)?)))
    }
}

/// The reason why a mutant is not worth a trial, as a fragment that fits "left out: ...".
fn why_not(mutant: &CodeMutant) -> Option<&'static str> {
    match mutant.status {
        Status::Normal => None,
        Status::Junk(junk) => Some(junk.reason()),
        Status::Equivalent => Some("computes what the program computes"),
        Status::Duplicate(_) => Some("computes what another mutant computes"),
    }
}

/// Positions of the mutants to run and of those asked for that are not worth it; why mutants are left out.
fn choose(
    program: &Program,
    mutants: &[CodeMutant],
    selection: &mut Selection,
    request: &CatalogueRequest,
) -> (Vec<u32>, Vec<u32>, Vec<String>) {
    let wanted = mutants.iter().filter(|mutant| selection.wants(program, mutant)).count();
    selection.most = request.sample.map(|sample| match sample {
        Sample::Number(number) => number,
        Sample::Share(share) => (share * wanted as f64).round() as usize,
    });
    let chosen: Vec<u32> = selection.choose(program, mutants).into_iter().map(|position| position as u32).collect();
    // What is asked for, whatever it is worth.
    let asked = Selection { junk: true, redundant: true, ..selection.clone() };
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut junk = Vec::new();
    for (position, mutant) in (0..).zip(mutants) {
        let is_asked = asked.wants(program, mutant);
        let reason = if is_asked { why_not(mutant) } else { Some(other_places(request)) };
        if let Some(reason) = reason {
            junk.extend(is_asked.then_some(position));
            let (file, line) = (&program.files[mutant.place.file as usize], mutant.place.line);
            tracing::trace!(file, line, class = mutant.class.name(), reason, "a mutant is left out");
        }
        reason.into_iter().for_each(|reason| *reasons.entry(reason).or_default() += 1);
    }
    let mut left_out: Vec<String> =
        reasons.iter().map(|(reason, count)| format!("{} ({reason})", counted(*count))).collect();
    if chosen.len() < wanted {
        left_out.push(format!("{} (not drawn: --sample)", counted(wanted - chosen.len())));
    }
    (chosen, junk, left_out)
}

fn counted(mutants: usize) -> String {
    if mutants == 1 { "1 mutant".to_owned() } else { format!("{mutants} mutants") }
}

/// The reason why a mutant is not asked for.
fn other_places(request: &CatalogueRequest) -> &'static str {
    let CatalogueRequest { operators, files, functions, lines, since, .. } = request;
    match operators.is_empty() && files.is_empty() && functions.is_empty() && lines.is_empty() {
        true if since.is_some() => "on lines that did not change: --since",
        _ => "not asked for: --operators, --files, --functions, --lines, --since",
    }
}

/// The sources of the program that are the project's own, by the index of the file.
pub fn texts(root: &Path, run: &Run, build: Option<&BuildReport>) -> Result<BTreeMap<u32, Text>, Obstacle> {
    let (tree, code) = (SourceTree::of(root, &run.program), run.program.code_lines());
    let parse = |(number, path): (u32, PathBuf)| {
        let source = tree
            .bytes(&run.program.files[number as usize])
            .map_err(|error| Obstacle::new(Obstacle::File, format!("cannot read {}: {error}", path.display())))?;
        Ok((number, Text::parse_compiled(source, &code[number as usize])))
    };
    sources(root, run, build)?.into_iter().map(parse).collect()
}

/// Where these are. Fails if one is not what was built any more.
pub fn sources(root: &Path, run: &Run, build: Option<&BuildReport>) -> Result<BTreeMap<u32, PathBuf>, Obstacle> {
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let built =
        build.and_then(|build| build.modules.iter().filter_map(|module| modified(&root.join(&module.path))).max());
    let inputs: Option<Inputs> = run.inputs()?;
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let mut sources = BTreeMap::new();
    for (number, name) in (0..).zip(&run.program.files) {
        let path = root.join(name);
        if Path::new(name).is_absolute() || !path.is_file() {
            continue;
        }
        let is_newer = || built.zip(modified(&path)).is_some_and(|(built, modified)| modified > built);
        let known = inputs.as_ref().and_then(|inputs| inputs.is_changed(&root, Path::new(name)));
        if known.unwrap_or_else(is_newer) {
            let message =
                format!("{name} was changed after the program was built: build it and run `suspect test` again");
            return Err(Obstacle::new(Obstacle::OtherBuild, message));
        }
        sources.insert(number, path);
    }
    Ok(sources)
}

/// Marks equivalent and duplicate mutants; what kept it from that, if anything did. What the compiler made of an expression is kept, so the next
/// build has those compiled that are new, and what the time was not enough for is compiled next time.
fn compare(
    store: &Store,
    program: &Program,
    texts: &BTreeMap<u32, Text>,
    mutants: &mut [CodeMutant],
    until: Option<Instant>,
) -> Vec<String> {
    let comparison = Comparison::new(program, texts, mutants);
    let compiler = optimiser();
    let mut forms: Forms = store.load_forms(compiler).unwrap_or_default();
    let mut left_out = Vec::new();
    for module in comparison.modules(&forms) {
        match optimised(&module, until) {
            Ok(text) => forms = comparison.forms(&forms, &text),
            Err(why) => {
                left_out.push(format!("which mutants compute the same was not found out of all: {why}"));
                break;
            }
        }
        // What cannot be kept is compiled again.
        let _ = store.save_forms(compiler, &forms);
    }
    comparison.judge(&forms, mutants);
    left_out
}

/// The selection that is asked for; all that is worth a trial, where nothing narrows it.
pub fn selection(root: &Path, request: &CatalogueRequest) -> Result<Selection, Obstacle> {
    let wrong =
        |option: &str, word: &str, why: &str| Obstacle::new(Obstacle::Request, format!("--{option} {word}: {why}"));
    let patterns = |option: &str, words: &[String]| -> Result<Vec<glob::Pattern>, Obstacle> {
        words.iter().map(|word| glob::Pattern::new(word).map_err(|error| wrong(option, word, error.msg))).collect()
    };
    let known = Class::ALL.map(Class::name).join(", ");
    let class = |word: &String| {
        Class::named(word)
            .ok_or_else(|| wrong("operators", word, &format!("there is no such class; there are {known}")))
    };
    let mut places: Option<Lines> = None;
    for word in &request.lines {
        let (file, range) = lines(word)
            .ok_or_else(|| wrong("lines", word, "give FILE:LINE or FILE:FIRST-LAST, such as src/a.c:10-20"))?;
        places.get_or_insert_default().entry(file).or_default().push(range);
    }
    if let Some(revision) = &request.since {
        let changed = ChangedLines::since(root, revision)?.ranges();
        places = Some(places.map_or(changed.clone(), |places| common(&places, &changed)));
    }
    Ok(Selection {
        classes: request.operators.iter().map(class).collect::<Result<_, _>>()?,
        files: patterns("files", &request.files)?,
        functions: patterns("functions", &request.functions)?,
        lines: places,
        seed: request.seed,
        ..Selection::default()
    })
}

/// Lines of files.
type Lines = BTreeMap<String, Vec<RangeInclusive<u32>>>;

/// The lines that are in both.
fn common(one: &Lines, other: &Lines) -> Lines {
    let mut lines = Lines::new();
    for (file, ranges) in one {
        for (range, with) in
            ranges.iter().flat_map(|range| other.get(file).into_iter().flatten().map(move |with| (range, with)))
        {
            let both = *range.start().max(with.start())..=*range.end().min(with.end());
            if !both.is_empty() {
                lines.entry(file.clone()).or_default().push(both);
            }
        }
    }
    lines
}

fn lines(text: &str) -> Option<(String, RangeInclusive<u32>)> {
    let (file, range) = text.rsplit_once(':')?;
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (!file.is_empty() && 0 < first && first <= last).then(|| (file.trim_start_matches("./").to_string(), first..=last))
}

/// Where an override is: its function and piece.
fn site(program: &Program, one: &Override) -> (u32, u32) {
    match one.site {
        Site::Node(node) => (program.nodes[node as usize].function, program.nodes[node as usize].piece),
        Site::Operation(operation) => {
            (program.operations[operation as usize].function, program.operations[operation as usize].piece)
        }
    }
}

/// Mutants that are active together, to be run. One alone keeps its identity.
pub fn subject(program: &Program, members: &[&CodeMutant]) -> Subject {
    let overrides: Vec<Override> = members.iter().flat_map(|mutant| mutant.overrides.iter().cloned()).collect();
    let (functions, pieces) = overrides.iter().map(|one| site(program, one)).unzip();
    let id = match members {
        [one] => one.id,
        _ => {
            let mut ids: Vec<u64> = members.iter().map(|mutant| mutant.id).collect();
            ids.sort_unstable();
            ids.into_iter().fold(HASH_START, mix)
        }
    };
    Subject { id, functions, pieces, mutant: Mutant { overrides: overrides.into() } }
}

/// A mutant as reports show it, about which nothing is known yet.
pub fn entry(program: &Program, mutant: &CodeMutant) -> MutantEntry {
    let edit = mutant.edit.as_ref().map(|edit| MutantEdit {
        file: edit.file.clone(),
        line: edit.line,
        column: edit.column,
        end_line: edit.end_line,
        end_column: edit.end_column,
        original: edit.original.clone(),
        replacement: edit.replacement.clone(),
    });
    MutantEntry {
        id: format!("{:016x}", mutant.id),
        class: mutant.class.name().into(),
        function: program.functions[mutant.function as usize].name.clone(),
        edits: edit.into_iter().collect(),
        status: MutantStatus::NotRun,
        covered_by: Vec::new(),
        killed_by: Vec::new(),
        too_long_in: Vec::new(),
        same_in: Vec::new(),
        unknown_in: Vec::new(),
        not_run_in: Vec::new(),
        carried_over: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_places_or_ranges() {
        assert_eq!(lines("./src/a.c:10"), Some(("src/a.c".into(), 10..=10)));
        assert_eq!(lines("a.c:10-12"), Some(("a.c".into(), 10..=12)));
        for wrong in ["a.c", ":3", "a.c:0", "a.c:5-4", "a.c:x"] {
            assert_eq!(lines(wrong), None, "{wrong}");
        }
    }
}
