//! Versions out of slips: which are tried, in which order, and what is kept of what building and running them shows.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use suspect_format::trace::{HASH_START, hash_bytes};

use super::lines::{around, lines_of};
use super::{Project, SeedRequest};
use crate::eval::SeededVersion;
use crate::eval::bench::{Bench, Change, Trial};
use crate::exec::ScratchRoot;
use crate::mutant::Selection;
use crate::mutation::{mix, selection, texts};
use crate::obstacle::Obstacle;
use crate::program::Program;
use crate::source::{Names, Patched, Shows, Slip, SlipClass, Text, parses, read_source, slips};
use crate::store::Run;
use crate::suite::{CONFIG_FILE, Config};
use crate::suite_run::Session;

/// Slips that are tried before it is decided which are next: a number of its own, so that nothing depends on the number of jobs.
const ROUND: usize = 12;
/// Slips of a class that are tried for each one kept before the class has to wait as if it had one more.
const IN_VAIN: usize = 3;

/// A slip that may become a version.
struct Candidate {
    slip: Slip,
    /// What the seed orders it by.
    lot: u64,
    /// Functions of the program that it is in: several where the source is compiled several times.
    functions: Vec<u32>,
    /// The tests that execute one of them.
    tests: Vec<String>,
}

/// What became of the slips that were tried.
#[derive(Debug, Default)]
pub struct Tally {
    /// By class: tried, kept.
    classes: BTreeMap<SlipClass, (usize, usize)>,
    unbuilt: usize,
    unnoticed: usize,
    by_all: usize,
    stuck: usize,
}

impl Tally {
    /// A line for people.
    pub fn line(&self) -> String {
        let (tried, kept) = self.classes.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let Tally { unbuilt, unnoticed, by_all, stuck, .. } = self;
        format!(
            "{tried} slips tried: {kept} kept; {unbuilt} do not build, {unnoticed} no test notices, {by_all} all tests notice, \
             {stuck} do not end"
        )
    }
}

/// Makes versions of slips.
pub struct Slipper<'a> {
    root: &'a Path,
    run: &'a Run,
    project: &'a Project,
    files: &'a [PathBuf],
    request: &'a SeedRequest,
    texts: BTreeMap<String, Text>,
    candidates: Vec<Candidate>,
    /// Names of the tests that count.
    tests: Vec<String>,
}

impl<'a> Slipper<'a> {
    /// Finds the slips that the tests can notice.
    ///
    /// # Errors
    /// When the request asks for what there is not, a file cannot be read, or a test fails without any slip.
    pub fn new(
        session: &'a Session,
        project: &'a Project,
        files: &'a [PathBuf],
        request: &'a SeedRequest,
    ) -> Result<Slipper<'a>, Obstacle> {
        let (root, run) = (session.store.root(), &session.run);
        let classes = classes(&request.catalogue.operators)?;
        let mut asked = request.catalogue.clone();
        asked.operators.clear();
        let selection = selection(root, &asked)?;
        let texts: BTreeMap<String, Text> = texts(root, run, session.store.load_build()?.as_ref())?
            .into_iter()
            .map(|(number, text)| (run.program.files[number as usize].clone(), text))
            .collect();
        let headers = headers(root, files, &texts);
        let names = Names::of(texts.values().chain(&headers));
        let reach = Reach::of(run)?;
        let mut slipper =
            Slipper { root, run, project, files, request, texts, candidates: Vec::new(), tests: reach.names.clone() };
        for (file, text) in &slipper.texts {
            let found = slips(text, file, &names).into_iter();
            let wanted = found.filter(|slip| classes.contains(&slip.class) && wants(&selection, slip));
            slipper.candidates.extend(wanted.filter_map(|slip| reach.candidate(slip, asked.seed)));
        }
        let mut ids = HashSet::new();
        slipper.candidates.retain(|candidate| ids.insert(candidate.lot));
        Ok(slipper)
    }

    /// Versions that some tests notice and not all, of all classes in turn.
    ///
    /// # Errors
    /// When the project does not build or its tests fail without suspect, or the system refuses something.
    pub fn versions(&self, count: usize, tally: &mut Tally) -> Result<Vec<SeededVersion>, Obstacle> {
        let scratch = ScratchRoot::new().map_err(Obstacle::of(Obstacle::File))?;
        let (benches, tests) = self.benches(&scratch)?;
        let mut queue = Queue::of(&self.candidates);
        let mut kept: Vec<(usize, usize)> = Vec::new();
        while kept.len() < count {
            let round = queue.next(tally);
            if round.is_empty() {
                break;
            }
            let trials = self.try_all(&round, &benches, &scratch)?;
            for (&at, trial) in round.iter().zip(trials) {
                let class = self.candidates[at].slip.class;
                let is_kept = match trial {
                    _ if kept.len() == count => break,
                    Trial::Unbuilt => count_one(&mut tally.unbuilt),
                    Trial::Stuck => count_one(&mut tally.stuck),
                    Trial::Failing(failing) if failing.is_empty() => count_one(&mut tally.unnoticed),
                    Trial::Failing(failing) if failing.len() >= tests.len() => count_one(&mut tally.by_all),
                    Trial::Failing(failing) => {
                        kept.push((at, failing.len()));
                        true
                    }
                };
                let known = tally.classes.entry(class).or_default();
                *known = (known.0 + 1, known.1 + usize::from(is_kept));
            }
        }
        let version = |(number, (at, failing)): (usize, &(usize, usize))| {
            self.version(format!("s-{:03}", number + 1), &self.candidates[*at], *failing, tests.len())
        };
        kept.iter().enumerate().map(version).collect()
    }

    /// Copies of the project, one for each job, and the tests that can be used there.
    fn benches(&self, scratch: &ScratchRoot) -> Result<(Vec<Bench>, Vec<String>), Obstacle> {
        let jobs =
            self.request.kill.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let config = Config::load(&self.root.join(CONFIG_FILE))?;
        let make = |number| Bench::new(self.root, self.files, (&self.project.build, config.clone()), scratch, number);
        let mut first = make(0)?;
        let tests = first.learn(&self.tests, scratch)?;
        if tests.is_empty() {
            let message = "no test passes in a copy of the project that was built without suspect";
            return Err(Obstacle::new(Obstacle::Tests, message));
        }
        let mut benches = vec![first];
        for number in 1..jobs.clamp(1, ROUND) {
            let mut bench = make(number)?;
            bench.knows(&benches[0]);
            benches.push(bench);
        }
        Ok((benches, tests))
    }

    /// What comes of each candidate, one after the other in each copy.
    fn try_all(&self, round: &[usize], benches: &[Bench], scratch: &ScratchRoot) -> Result<Vec<Trial>, Obstacle> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Result<Trial, Obstacle>)>> = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for bench in benches {
                scope.spawn(|| {
                    while let Some(at) = round.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let trial = self.try_one(&self.candidates[*at], bench, scratch);
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((*at, trial));
                    }
                });
            }
        });
        let mut done: BTreeMap<usize, Result<Trial, Obstacle>> =
            done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
        let missing = || Err(Obstacle::new(Obstacle::Internal, "a slip was not tried"));
        round.iter().map(|at| done.remove(at).unwrap_or_else(missing)).collect()
    }

    fn try_one(&self, candidate: &Candidate, bench: &Bench, scratch: &ScratchRoot) -> Result<Trial, Obstacle> {
        let edit = &candidate.slip.edit;
        let text = &self.texts[&edit.file];
        match crate::source::apply(text.source(), [edit]) {
            Some(new) if parses(text, &candidate.slip) => {
                let change = Change { file: edit.file.clone(), old: text.source().to_vec(), new };
                bench.judge(&[change], &candidate.tests, scratch)
            }
            _ => Ok(Trial::Unbuilt),
        }
    }

    fn version(
        &self,
        name: String,
        candidate: &Candidate,
        failing: usize,
        n_tests: usize,
    ) -> Result<SeededVersion, Obstacle> {
        let Candidate { slip, functions, .. } = candidate;
        let file = &slip.edit.file;
        let source = self.texts[file].source();
        let patched = Patched::new(source, [&slip.edit]).ok_or_else(|| {
            Obstacle::new(Obstacle::Internal, format!("the edit of version {name} does not fit the source"))
        })?;
        let program = &self.run.program;
        let code: BTreeSet<u32> = functions.iter().flat_map(|function| lines_of(program, *function)).collect();
        let code: Vec<u32> = code.into_iter().collect();
        let text = String::from_utf8_lossy(source);
        let mut lines: Vec<u32> = match slip.class.shows() {
            Shows::Changed => (slip.edit.line..=slip.edit.end_line).collect(),
            Shows::Omitted => around(&code, &slip.edit, &text),
            Shows::Used => Vec::new(),
        };
        lines.extend(slip.also.iter().filter(|line| code.contains(*line)));
        if lines.is_empty() {
            lines.push(slip.edit.line);
        }
        let mut places: Vec<u32> = lines.into_iter().map(|line| patched.line(line)).collect();
        places.sort_unstable();
        places.dedup();
        let places: Vec<String> = places.into_iter().map(|line| format!("{file}:{line}")).collect();
        let place = format!("{file}:{}:{}", slip.edit.line, slip.edit.column);
        let (class, meaning) = (slip.class.name(), slip.class.meaning());
        let notes = vec![
            format!("{failing} of {n_tests} tests fail"),
            format!("{place} {class}: {meaning}: {} in {}()", slip.change(), slip.function),
        ];
        let mut version = SeededVersion {
            name,
            patch: patched.unified(file),
            changed: Vec::new(),
            omitted: Vec::new(),
            used: Vec::new(),
            class: Some(class.to_owned()),
            faults: 1,
            notes,
        };
        match slip.class.shows() {
            Shows::Changed => version.changed = places,
            Shows::Omitted => version.omitted = places,
            Shows::Used => version.used = places,
        }
        Ok(version)
    }
}

fn count_one(counter: &mut usize) -> bool {
    *counter += 1;
    false
}

/// The classes of these names; all when there are none.
fn classes(names: &[String]) -> Result<Vec<SlipClass>, Obstacle> {
    if names.is_empty() {
        return Ok(SlipClass::ALL.to_vec());
    }
    let class = |name: &String| {
        SlipClass::named(name).ok_or_else(|| {
            let known = SlipClass::ALL.map(SlipClass::name).join(", ");
            Obstacle::new(
                Obstacle::Request,
                format!("--operators {name}: there is no such class of slips; there are {known}"),
            )
        })
    };
    names.iter().map(class).collect()
}

/// Headers of the project that hold no code.
fn headers(root: &Path, files: &[PathBuf], known: &BTreeMap<String, Text>) -> Vec<Text> {
    let headers = files.iter().filter(|file| {
        file.extension().is_some_and(|extension| extension == "h") && !known.contains_key(&*file.to_string_lossy())
    });
    headers.filter_map(|file| read_source(&root.join(file)).ok()).map(Text::parse).collect()
}

fn wants(selection: &Selection, slip: &Slip) -> bool {
    let any =
        |patterns: &[glob::Pattern], name: &str| patterns.is_empty() || patterns.iter().any(|one| one.matches(name));
    let edit = &slip.edit;
    let line = selection.lines.as_ref().is_none_or(|lines| {
        let ranges = lines.get(&edit.file).into_iter().flatten();
        ranges.into_iter().any(|range| *range.start() <= edit.end_line && edit.line <= *range.end())
    });
    line && any(&selection.files, &edit.file) && any(&selection.functions, &slip.function)
}

/// What the tests execute.
struct Reach<'a> {
    program: &'a Program,
    /// Names of the tests that count.
    names: Vec<String>,
    /// For each function, positions of the tests that execute it.
    functions: Vec<Vec<usize>>,
    /// Lines that some test executes, by file.
    lines: HashSet<(u32, u32)>,
    /// All lines with code.
    code: HashSet<(u32, u32)>,
}

impl<'a> Reach<'a> {
    fn of(run: &'a Run) -> Result<Reach<'a>, Obstacle> {
        let program = &run.program;
        let recorded = run.recorded()?;
        let mut functions = vec![BTreeSet::new(); program.functions.len()];
        let (mut names, mut lines) = (Vec::new(), HashSet::new());
        for (position, test) in run.counted_tests().into_iter().enumerate() {
            let record = &run.manifest.tests[test as usize];
            if record.passed == Some(false) {
                let message = format!("{} fails without any slip; mend it, or take it out of the suite", record.name);
                return Err(Obstacle::new(Obstacle::Tests, message));
            }
            names.push(record.name.clone());
            for piece in recorded.pieces(test)? {
                let Some(piece) = program.pieces.get(piece as usize) else { continue };
                functions[program.blocks[piece.block as usize].function as usize].insert(position);
                let places = piece.lines.iter().map(|line| program.lines[*line as usize]);
                lines.extend(places.map(|line| (line.file, line.line)));
            }
        }
        let functions = functions.into_iter().map(|tests| tests.into_iter().collect()).collect();
        let code = program.lines.iter().map(|line| (line.file, line.line)).collect();
        Ok(Reach { program, names, functions, lines, code })
    }

    /// The slip, if some test executes a line of it.
    fn candidate(&self, slip: Slip, seed: u64) -> Option<Candidate> {
        let file = self.program.files.iter().position(|file| *file == slip.edit.file)? as u32;
        let inside = slip.lines.0..=slip.lines.1;
        let is_here = |function: &crate::program::Function| {
            function.name == slip.function && function.place.file == file && inside.contains(&function.place.line)
        };
        let functions: Vec<u32> =
            (0..).zip(&self.program.functions).filter(|(_, function)| is_here(function)).map(|(id, _)| id).collect();
        let tests: BTreeSet<usize> =
            functions.iter().flat_map(|function| self.functions[*function as usize].iter().copied()).collect();
        let own = (slip.edit.line..=slip.edit.end_line).chain(slip.also.iter().copied());
        let own: Vec<(u32, u32)> = own.map(|line| (file, line)).filter(|line| self.code.contains(line)).collect();
        // The middle of a long statement has no line of its own.
        let is_executed = own.is_empty() || own.iter().any(|line| self.lines.contains(line));
        let parts = [&slip.edit.file, &slip.function, slip.class.name(), &slip.edit.original, &slip.edit.replacement];
        let text = parts.iter().fold(HASH_START, |hash, part| {
            hash_bytes(hash_bytes(hash, &(part.len() as u64).to_le_bytes()), part.as_bytes())
        });
        let place = u64::from(slip.edit.line - slip.lines.0) << 32 | u64::from(slip.edit.column);
        let lot = mix(mix(mix(HASH_START, seed), text), place);
        let tests: Vec<String> = tests.into_iter().map(|test| self.names[test].clone()).collect();
        (is_executed && !tests.is_empty()).then_some(Candidate { slip, lot, functions, tests })
    }
}

/// What is tried next: of each class in a random order, those on lines of their own first.
struct Queue<'a> {
    candidates: &'a [Candidate],
    classes: BTreeMap<SlipClass, VecDeque<usize>>,
    lines: HashSet<(&'a str, u32)>,
}

impl<'a> Queue<'a> {
    fn of(candidates: &'a [Candidate]) -> Queue<'a> {
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|at| candidates[*at].lot);
        let mut classes: BTreeMap<SlipClass, VecDeque<usize>> = BTreeMap::new();
        for at in order {
            classes.entry(candidates[at].slip.class).or_default().push_back(at);
        }
        Queue { candidates, classes, lines: HashSet::new() }
    }

    /// The next round: the classes of which least was kept or tried in vain come first.
    fn next(&mut self, tally: &Tally) -> Vec<usize> {
        let mut round: Vec<usize> = Vec::new();
        while round.len() < ROUND {
            let pending =
                |class: SlipClass| round.iter().filter(|at| self.candidates[**at].slip.class == class).count();
            let due = |class: SlipClass| {
                let (tried, kept) = tally.classes.get(&class).copied().unwrap_or_default();
                (kept + pending(class)) * IN_VAIN + tried
            };
            let waiting = self.classes.iter().filter(|(_, waiting)| !waiting.is_empty());
            let Some(class) = waiting.map(|(class, _)| *class).min_by_key(|class| (due(*class), *class)) else { break };
            let Some(at) = self.take(class) else { break };
            round.push(at);
        }
        round
    }

    /// The next of a class: the first on a line on which nothing was tried, else the first.
    fn take(&mut self, class: SlipClass) -> Option<usize> {
        let waiting = self.classes.get_mut(&class)?;
        let edit = |at: usize| (self.candidates[at].slip.edit.file.as_str(), self.candidates[at].slip.edit.line);
        let position = waiting.iter().position(|at| !self.lines.contains(&edit(*at))).unwrap_or(0);
        let at = waiting.remove(position)?;
        self.lines.insert(edit(at));
        Some(at)
    }
}
