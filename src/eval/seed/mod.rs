//! Faulty versions of a project, made from code mutants or slips as edits of the source: a benchmark.

mod choice;
mod lines;
mod slips;
pub(super) mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{SeededBenchmark, SeededProgram, SeededVersion};
use crate::build::BuildReport;
use crate::build::stale::shell_word;
use crate::campaign::Verdict;
use crate::mutant::{Class, CodeMutant, edits};
use crate::mutation::{Catalogue, CatalogueRequest, Decisive, KillRequest, Killed, Killer, Subject, entry, subject};
use crate::obstacle::Obstacle;
use crate::program::Program;
use crate::progress::Progress;
use crate::source::{Edit, Patched};
use crate::store::{Run, Store};
use crate::suite::{CONFIG_FILE, Suite};
use crate::suite_run::Session;
use choice::Candidate;
use slips::{Slipper, Tally};

/// Which faulty versions are made.
#[derive(Debug)]
pub struct SeedRequest {
    /// The benchmark's directory, which must be new.
    pub directory: PathBuf,
    /// True if faults are made of code mutants.
    pub mutants: bool,
    /// True if faults are made of mistakes in the source.
    pub slips: bool,
    /// Versions for each number of faults.
    pub count: u32,
    /// Numbers of faults of the versions that are made of mutants.
    pub faults: Vec<u32>,
    /// The code mutants; of slips, the classes and places.
    pub catalogue: CatalogueRequest,
    /// How mutants are run.
    pub kill: KillRequest,
}

/// Somebody who is told how seeding goes.
pub struct SeedWatch<'a> {
    /// Progress of trials.
    pub progress: &'a dyn Progress,
    /// Takes a line for each kind of versions that was made.
    pub line: &'a mut dyn FnMut(&str) -> std::io::Result<()>,
}

impl SeedWatch<'_> {
    /// Tells how many versions were made of those that were asked for.
    fn made(&mut self, faults: &str, wanted: u32, made: usize) -> Result<(), Obstacle> {
        if made < wanted as usize {
            self.progress.say(&format!(
                "of the {wanted} versions with {faults} that were asked for only {made} are noticed by some tests and not by all"
            ));
        }
        (self.line)(&format!("{made} versions with {faults}")).map_err(Obstacle::of(Obstacle::File))
    }
}

/// Makes a benchmark of faulty versions of the project at `root`.
pub fn seed(root: &Path, request: &SeedRequest, mut watch: SeedWatch) -> Result<(), Obstacle> {
    let session = Session::latest(root)?;
    let project = Project::of(root, &session.store)?;
    let files = tree::project_files(root, &request.directory)?;
    let session = if request.mutants { session.with_suite(Suite::load(root)?) } else { session };
    let mut programs = Vec::new();
    if request.mutants {
        programs.extend(of_mutants(&session, &project, request, &mut watch)?);
    }
    if request.slips {
        programs.extend(of_slips(&session, &project, &files, request, &mut watch)?);
    }
    if programs.is_empty() {
        return Err(Obstacle::new(Obstacle::Tests, "no fault is noticed by some tests and not by all"));
    }
    let benchmark = SeededBenchmark {
        root,
        files: &files,
        build: &project.build,
        suites: &project.suites,
        rank: None,
        programs: &programs,
    };
    Ok(benchmark.write(&request.directory)?)
}

/// Versions out of code mutants, for each number of faults.
fn of_mutants(
    session: &Session,
    project: &Project,
    request: &SeedRequest,
    watch: &mut SeedWatch,
) -> Result<Vec<SeededProgram>, Obstacle> {
    let run = &session.run;
    let catalogue = Catalogue::of(session, &request.catalogue, None)?;
    let _reading = session.store.lock_shared()?;
    let killer = Killer::new(session, request.kill.clone(), watch.progress)?;
    killer.begin()?;
    let mutants: Vec<&CodeMutant> = catalogue.chosen().collect();
    let subjects: Vec<Subject> = mutants.iter().map(|mutant| subject(&run.program, &[*mutant])).collect();
    let first = killer.run(&subjects, None, Decisive::None)?;
    let seeder = Seeder::new(session.store.root(), run, &catalogue, &killer, mutants, first);
    let mut programs = Vec::new();
    for &n_faults in &request.faults {
        let versions = seeder.versions(n_faults as usize, request.count as usize, request.catalogue.seed)?;
        let faults = if n_faults == 1 { "1 fault".to_string() } else { format!("{n_faults} faults") };
        watch.made(&faults, request.count, versions.len())?;
        if !versions.is_empty() {
            let name = format!("{}-{n_faults}", project.name);
            programs.push(SeededProgram { name, versions, selections: Vec::new() });
        }
    }
    Ok(programs)
}

/// Versions out of slips.
fn of_slips(
    session: &Session,
    project: &Project,
    files: &[PathBuf],
    request: &SeedRequest,
    watch: &mut SeedWatch,
) -> Result<Option<SeededProgram>, Obstacle> {
    let _reading = session.store.lock_shared()?;
    let mut tally = Tally::default();
    let slipper = Slipper::new(session, project, files, request)?;
    let versions = slipper.versions(request.count as usize, &mut tally)?;
    watch.progress.say(&tally.line());
    watch.made("a fault of the source", request.count, versions.len())?;
    let name = format!("{}-source", project.name);
    Ok((!versions.is_empty()).then(|| SeededProgram { name, versions, selections: Vec::new() }))
}

/// What a benchmark says of the project.
struct Project {
    name: String,
    build: String,
    suites: toml::Value,
}

impl Project {
    fn of(root: &Path, store: &Store) -> Result<Project, Obstacle> {
        let path = root.join(CONFIG_FILE);
        let wrong = |why: String| Obstacle::new(Obstacle::Request, format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(&path)
            .map_err(|error| wrong(format!("{error}; a benchmark needs its suites: `suspect init` writes it")))?;
        let config: toml::Table = toml::from_str(&text).map_err(|error| wrong(error.message().to_string()))?;
        let suites = config.get("suite").cloned().ok_or_else(|| wrong("it has no [[suite]]".into()))?;
        let configured = config.get("build").and_then(|build| build.get("command")).and_then(toml::Value::as_str);
        let build = match (configured, store.load_build::<BuildReport>()?) {
            (Some(command), _) => command.to_string(),
            (None, Some(build)) => {
                let command: Vec<String> = build.command.iter().map(|word| shell_word(word)).collect();
                match root.join(&build.directory) == root {
                    true => command.join(" "),
                    false => format!("cd {} && {}", shell_word(&build.directory), command.join(" ")),
                }
            }
            (None, None) => return Err(wrong("a benchmark has to be built: give [build] command".into())),
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
        let name = root.file_name().map_or_else(|| "program".into(), |name| name.to_string_lossy().into_owned());
        Ok(Project { name: name.chars().map(plain).collect(), build, suites })
    }
}

/// Makes versions of mutants of which is known what the tests do to them.
struct Seeder<'a> {
    root: &'a Path,
    run: &'a Run,
    catalogue: &'a Catalogue,
    killer: &'a Killer<'a>,
    /// Mutants that some tests notice and not all, as their edits show.
    mutants: Vec<&'a CodeMutant>,
    candidates: Vec<Candidate>,
    n_tests: usize,
}

impl<'a> Seeder<'a> {
    fn new(
        root: &'a Path,
        run: &'a Run,
        catalogue: &'a Catalogue,
        killer: &'a Killer<'a>,
        all: Vec<&'a CodeMutant>,
        first: Killed,
    ) -> Seeder<'a> {
        let n_tests = killer.test_names().len() - first.summary.refused.len();
        let (mut mutants, mut candidates) = (Vec::new(), Vec::new());
        for (mutant, verdict) in all.into_iter().zip(first.verdicts) {
            let Some(edit) = mutant.edit.as_ref().filter(|_| is_fault(&verdict, n_tests)) else { continue };
            candidates.push(Candidate {
                id: mutant.id,
                line: (mutant.place.file, edit.line),
                killed_by: verdict.killed_by,
            });
            mutants.push(mutant);
        }
        Seeder { root, run, catalogue, killer, mutants, candidates, n_tests }
    }

    /// Versions with so many faults that some tests notice and not all.
    fn versions(&self, n_faults: usize, count: usize, seed: u64) -> Result<Vec<SeededVersion>, Obstacle> {
        let mut chosen: Vec<(Vec<u32>, usize)> = Vec::new();
        if n_faults == 1 {
            let singles = choice::singles(&self.candidates, seed).into_iter().take(count);
            chosen.extend(singles.map(|at| (vec![at], self.candidates[at as usize].killed_by.len())));
        } else {
            let mut failing: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
            let keep = |sets: &[Vec<u32>]| self.noticed(sets, &mut failing);
            let sets = choice::sets(&self.candidates, n_faults, count, self.n_tests, seed, keep)?;
            chosen.extend(sets.into_iter().map(|set| {
                let failing = failing.get(&set).copied().unwrap_or(0);
                (set, failing)
            }));
        }
        let version = |(number, (set, failing)): (usize, &(Vec<u32>, usize))| {
            self.version(format!("f{n_faults}-{:03}", number + 1), set, *failing)
        };
        chosen.iter().enumerate().map(version).collect()
    }

    fn members(&self, set: &[u32]) -> Vec<&'a CodeMutant> {
        set.iter().map(|at| self.mutants[*at as usize]).collect()
    }

    /// The edits of all members, unless some of them change the same text.
    fn edits(&self, members: &[&CodeMutant]) -> Option<Vec<Edit>> {
        let edits = edits(&self.run.program, &self.catalogue.texts, members.iter().copied()).ok()?;
        (edits.len() == members.len()).then_some(edits)
    }

    /// Which sets some tests notice and not all; takes down how many do.
    fn noticed(&self, sets: &[Vec<u32>], failing: &mut BTreeMap<Vec<u32>, usize>) -> Result<Vec<bool>, Obstacle> {
        let possible: Vec<bool> = sets.iter().map(|set| self.edits(&self.members(set)).is_some()).collect();
        let tried: Vec<&Vec<u32>> =
            sets.iter().zip(&possible).filter(|(_, possible)| **possible).map(|(set, _)| set).collect();
        let subjects: Vec<Subject> = tried.iter().map(|set| subject(&self.run.program, &self.members(set))).collect();
        let killed = self.killer.run(&subjects, None, Decisive::None)?;
        for (set, verdict) in tried.into_iter().zip(&killed.verdicts) {
            if is_fault(verdict, self.n_tests) {
                failing.insert(set.clone(), verdict.killed_by.len());
            }
        }
        Ok(sets.iter().map(|set| failing.contains_key(set)).collect())
    }

    fn version(&self, name: String, set: &[u32], failing: usize) -> Result<SeededVersion, Obstacle> {
        let members = self.members(set);
        let class: Vec<&str> = members.iter().map(|mutant| mutant.class.name()).collect();
        let misfit = || Obstacle::new(Obstacle::Internal, format!("the edits of version {name} do not fit the source"));
        let edits = self.edits(&members).ok_or_else(misfit)?;
        let mut by_file: BTreeMap<&str, Vec<&Edit>> = BTreeMap::new();
        edits.iter().for_each(|edit| by_file.entry(&edit.file).or_default().push(edit));
        let mut files = BTreeMap::new();
        let mut patch = Vec::new();
        for (file, edits) in by_file {
            let path = self.root.join(file);
            let text = std::fs::read(&path)
                .map_err(|error| Obstacle::new(Obstacle::File, format!("cannot read {}: {error}", path.display())))?;
            let patched = Patched::new(&text, edits).ok_or_else(misfit)?;
            patch.extend(patched.unified(file));
            files.insert(file, patched);
        }
        let mut notes = vec![format!("{failing} of {} tests fail", self.n_tests)];
        let (mut changed, mut omitted) = (Vec::new(), Vec::new());
        for mutant in members {
            let entry = entry(&self.run.program, mutant);
            notes.push(format!("{} {} {} in {}()", entry.place(), entry.class, entry.change(), entry.function));
            let Some(edit) = &mutant.edit else { continue };
            let lines = faulty_lines(&self.run.program, mutant, edit, &self.source(edit));
            let to = if mutant.class == Class::Sdl { &mut omitted } else { &mut changed };
            let patched = files.get(edit.file.as_str()).ok_or_else(misfit)?;
            to.extend(lines.into_iter().map(|line| format!("{}:{}", edit.file, patched.line(line))));
        }
        for lines in [&mut changed, &mut omitted] {
            lines.sort();
            lines.dedup();
        }
        let class = match class[..] {
            [class] => Some(class.to_owned()),
            _ => None,
        };
        let faults = set.len() as u32;
        Ok(SeededVersion { name, patch, changed, omitted, used: Vec::new(), class, faults, notes })
    }

    /// The file that an edit is of; empty if it cannot be read.
    fn source(&self, edit: &Edit) -> String {
        let text = std::fs::read(self.root.join(&edit.file)).unwrap_or_default();
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// True if it is known that some tests notice it and others do not.
fn is_fault(verdict: &Verdict, n_tests: usize) -> bool {
    let is_known = verdict.unknown_in.is_empty() && verdict.not_run_in.is_empty();
    is_known && !verdict.killed_by.is_empty() && verdict.killed_by.len() < n_tests
}

/// The lines, as they are without the mutant, on which somebody would see it.
fn faulty_lines(program: &Program, mutant: &CodeMutant, edit: &Edit, source: &str) -> Vec<u32> {
    match mutant.class {
        Class::Sdl => lines::around(&lines::lines_of(program, mutant.function), edit, source),
        _ => (edit.line..=edit.end_line).collect(),
    }
}
