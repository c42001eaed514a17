//! One recorded run of the suite: what its tests did.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::encoding::{self, Frame};
use super::{STORE_VERSION, StoreError};
use crate::program::{Execution, Label, Program};
use crate::suite::Mismatch;

/// The file of lists of tests that took long to ask for; a run that was recorded without has none.
const LISTS: &str = "lists";
/// The file of a run's labels; a run that was recorded without has none.
const LABELS: &str = "labels.json";
/// The file of what a run's programs were made from; a run of programs that `suspect build` did not build has none.
const INPUTS: &str = "inputs.json";
pub(super) const KIND_PIECES: u32 = 1;
pub(super) const KIND_EDGES: u32 = 2;
pub(super) const KIND_NODES: u32 = 3;
pub(super) const KIND_SEQUENCES: u32 = 4;
pub(super) const KIND_STOPPED: u32 = 5;
pub(super) const KIND_LISTS: u32 = 6;
pub(super) const KIND_CASES: u32 = 7;

/// What a run was and how it went, without its numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`STORE_VERSION`] of the writer.
    pub version: u32,
    /// When the run began, seconds since 1970.
    pub began: u64,
    /// The nanoseconds of that second, which tell apart runs that begin within one; 0 if they are not known.
    #[serde(default)]
    pub began_ns: u32,
    /// The mode recorded.
    pub mode: String,
    /// Source files of the program that are code of the tests themselves, sorted.
    #[serde(default)]
    pub test_code: Vec<String>,
    /// The tests, in the suite's order.
    pub tests: Vec<TestRecord>,
    /// Nodes whose trajectories differ between repeats of one test; ids of this run's program.
    pub unstable_nodes: Vec<u32>,
    /// What the user must know to trust the numbers.
    pub warnings: Vec<String>,
}

/// How a test went.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestRecord {
    /// Its name.
    pub name: String,
    /// Its command as a shell would take it.
    pub command: String,
    /// Whether it passed; `None` when it counts as neither: skipped, flaky, or not run.
    pub passed: Option<bool>,
    /// The verdict in words, with its reason.
    pub verdict: String,
    /// Where the output is wrong first, if it fails for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mismatch: Option<Mismatch>,
    /// Wall time of the first run, milliseconds.
    pub milliseconds: u64,
    /// Processes that left a trace.
    pub processes: u32,
    /// A hash of what the test is: its command, the files that the command names, what is expected.
    #[serde(default)]
    pub state: u64,
    /// What version `trace` of the program, in which changes are tried, comes to where that is something else, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_trials: Option<String>,
}

/// Which of a module's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// Site tables.
    Sites,
    /// Dependence tables.
    Dependences,
}

impl Tables {
    fn directory(self) -> &'static str {
        match self {
            Tables::Sites => "sites",
            Tables::Dependences => "dependences",
        }
    }
}

/// A run being written.
#[derive(Debug)]
pub struct RunWriter {
    partial: PathBuf,
    complete: PathBuf,
    executions: PathBuf,
    file: File,
}

impl RunWriter {
    pub(super) fn create(runs: &Path, number: u64) -> Result<RunWriter, StoreError> {
        let partial = runs.join(format!("{number}.part"));
        if partial.exists() {
            fs::remove_dir_all(&partial).map_err(StoreError::io("remove", &partial))?;
        }
        fs::create_dir_all(&partial).map_err(StoreError::io("create", &partial))?;
        let executions = partial.join("executions");
        let file = File::create(&executions).map_err(StoreError::io("create", &executions))?;
        Ok(RunWriter { complete: runs.join(number.to_string()), partial, executions, file })
    }

    /// Keeps the tables of one kind of the program's modules, in the order in which the program was made of them.
    pub fn save_tables<T: AsRef<[u8]>>(&self, kind: Tables, sections: &[T]) -> Result<(), StoreError> {
        let directory = self.partial.join(kind.directory());
        fs::create_dir_all(&directory).map_err(StoreError::io("create", &directory))?;
        for (number, section) in sections.iter().enumerate() {
            let path = directory.join(number.to_string());
            fs::write(&path, section).map_err(StoreError::io("write", &path))?;
        }
        Ok(())
    }

    /// Keeps lists of tests, and of cases of test programs, that took long to ask for.
    pub fn save_lists(&self, lists: &impl Serialize, cases: &impl Serialize) -> Result<(), StoreError> {
        let path = self.partial.join(LISTS);
        let frames = [encoding::frame(0, KIND_LISTS, lists), encoding::frame(0, KIND_CASES, cases)].concat();
        fs::write(&path, frames).map_err(StoreError::io("write", &path))
    }

    /// Keeps the labels of switches.
    pub fn save_labels(&self, labels: &[Label]) -> Result<(), StoreError> {
        encoding::write_json(&self.partial.join(LABELS), &labels)
    }

    /// Keeps what the programs were made from.
    pub fn save_inputs(&self, inputs: &impl Serialize) -> Result<(), StoreError> {
        encoding::write_json(&self.partial.join(INPUTS), inputs)
    }

    /// Keeps what test number `test` did.
    pub fn append(&mut self, test: u32, execution: &Execution) -> Result<(), StoreError> {
        let trues = sparse(execution.trues.iter().copied());
        let nodes: (Vec<u64>, Vec<u64>, Vec<u64>) =
            (sparse(execution.nodes.iter().copied()), sparse(execution.trajectories.iter().copied()), trues);
        let mut bytes = encoding::frame(test, KIND_PIECES, &bits(&execution.pieces));
        bytes.extend(encoding::frame(test, KIND_EDGES, &sparse(execution.edges.iter().copied())));
        bytes.extend(encoding::frame(test, KIND_NODES, &nodes));
        bytes.extend(encoding::frame(test, KIND_SEQUENCES, &sparse(execution.sequences.iter().flatten().copied())));
        bytes.extend(encoding::frame(test, KIND_STOPPED, &execution.stopped_in));
        self.file.write_all(&bytes).map_err(StoreError::io("write", &self.executions))
    }

    /// Completes the run and makes it the latest.
    pub fn finish(self, manifest: &Manifest) -> Result<(), StoreError> {
        self.file.sync_data().map_err(StoreError::io("write", &self.executions))?;
        encoding::write_json(&self.partial.join("run.json"), manifest)?;
        fs::rename(&self.partial, &self.complete).map_err(StoreError::io("rename", &self.partial))
    }
}

/// A complete run.
#[derive(Debug)]
pub struct Run {
    /// How it went.
    pub manifest: Manifest,
    /// The program as it was then.
    pub program: Program,
    /// Its number in the store.
    pub number: u64,
    path: PathBuf,
    executions: Mmap,
}

impl Run {
    pub(super) fn open(root: &Path, runs: &Path, number: u64) -> Result<Run, StoreError> {
        let directory = &runs.join(number.to_string());
        let manifest = read_manifest(&directory.join("run.json"))?;
        let mut program = read_program(root, directory)?;
        program.set_labels(encoding::read_json(&directory.join(LABELS))?.unwrap_or_default());
        let path = directory.join("executions");
        let file = File::open(&path).map_err(StoreError::io("open", &path))?;
        // SAFETY: complete runs are never written again; a user who truncates one while it is read gets a bus error.
        let executions = unsafe { Mmap::map(&file) }.map_err(StoreError::io("map", &path))?;
        Ok(Run { manifest, program, number, path, executions })
    }

    /// The sections of dependence tables of the modules that ran, each with a name for messages.
    pub fn dependences(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let directory = self.path.parent().unwrap_or(Path::new("."));
        let sections = read_tables(directory, Tables::Dependences)?;
        Ok(sections.into_iter().map(|(path, section)| (path.display().to_string(), section)).collect())
    }

    /// The lists of tests that took long to ask for; `None` where the file is missing or cannot be read: what it says can be asked for again.
    pub fn lists<T: DeserializeOwned>(&self) -> Option<T> {
        self.listed(KIND_LISTS)
    }

    /// The cases of test programs, likewise.
    pub fn cases<T: DeserializeOwned>(&self) -> Option<T> {
        self.listed(KIND_CASES)
    }

    fn listed<T: DeserializeOwned>(&self, kind: u32) -> Option<T> {
        let bytes = fs::read(self.path.with_file_name(LISTS)).ok()?;
        let frames = encoding::frames(&bytes).ok()?;
        frames.iter().find(|frame| frame.kind == kind)?.decode().ok()
    }

    /// What the programs were made from; `None` where it is not known.
    pub fn inputs<T: DeserializeOwned>(&self) -> Result<Option<T>, StoreError> {
        encoding::read_json(&self.path.with_file_name(INPUTS))
    }

    /// Indices of the tests that count: those that passed or failed.
    pub fn counted_tests(&self) -> Vec<u32> {
        let counted = |(index, test): (usize, &TestRecord)| test.passed.map(|_| index as u32);
        self.manifest.tests.iter().enumerate().filter_map(counted).collect()
    }

    /// That no test counts, and what is wrong with the first: mostly it is the same with all of them.
    pub fn why_none_counts(&self) -> String {
        let tests = &self.manifest.tests;
        let first = tests.iter().find(|test| test.passed.is_none());
        let why = first.map_or(String::new(), |test| format!(": {} ({})", test.name, test.verdict));
        let more = if tests.len() > 1 { format!("; and {} more", tests.len() - 1) } else { String::new() };
        format!("no test counts{why}{more}")
    }

    /// Indices of the source files whose code is trusted: that of the tests themselves, as long as a failing test executes other code as well.
    /// Where none does, there is nothing but the tests to blame.
    pub fn trusted_files(&self) -> Result<BTreeSet<u32>, StoreError> {
        let is_named = |file: &String| self.manifest.test_code.binary_search(file).is_ok();
        let named = (0..).zip(&self.program.files).filter(|(_, file)| is_named(file));
        let trusted: BTreeSet<u32> = named.map(|(index, _)| index).collect();
        if trusted.is_empty() {
            return Ok(trusted);
        }
        let recorded = self.recorded()?;
        let is_other = |piece: &u32| {
            let function = self.program.blocks[self.program.pieces[*piece as usize].block as usize].function;
            !trusted.contains(&self.program.functions[function as usize].place.file)
        };
        for (index, _) in (0..).zip(&self.manifest.tests).filter(|(_, test)| test.passed == Some(false)) {
            if recorded.pieces(index)?.iter().any(is_other) {
                return Ok(trusted);
            }
        }
        Ok(BTreeSet::new())
    }

    /// The numbers of the run, indexed but not yet decoded.
    pub fn recorded(&self) -> Result<Recorded<'_>, StoreError> {
        let frames = encoding::frames(&self.executions).map_err(|reason| self.damaged(reason))?;
        // A test recorded twice counts as it was recorded last.
        let frames = frames.into_iter().map(|frame| ((frame.kind, frame.test), frame)).collect();
        Ok(Recorded { run: self, frames })
    }

    fn damaged(&self, reason: String) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), reason }
    }
}

/// A run's numbers.
#[derive(Debug)]
pub struct Recorded<'a> {
    run: &'a Run,
    frames: BTreeMap<(u32, u32), Frame<'a>>,
}

impl Recorded<'_> {
    /// The pieces that a test entered, ascending.
    pub fn pieces(&self, test: u32) -> Result<Vec<u32>, StoreError> {
        Ok(set_bits(&self.value::<Vec<u8>>(test, KIND_PIECES)?))
    }

    /// The edges that a test took, ascending, with their counts.
    pub fn edges(&self, test: u32) -> Result<Vec<(u32, u64)>, StoreError> {
        Ok(pairs(&self.value::<Vec<u64>>(test, KIND_EDGES)?))
    }

    /// Everything that a test did.
    pub fn execution(&self, test: u32) -> Result<Execution, StoreError> {
        let program = &self.run.program;
        let (nodes, trajectories, trues): (Vec<u64>, Vec<u64>, Vec<u64>) = self.value(test, KIND_NODES)?;
        let edges = dense(&pairs(&self.value::<Vec<u64>>(test, KIND_EDGES)?), program.edges.len());
        let n_sequences: usize = program.compounds.iter().map(|compound| compound.sequences.len()).sum();
        let flat = dense(&pairs(&self.value::<Vec<u64>>(test, KIND_SEQUENCES)?), n_sequences);
        let mut rest = flat.as_slice();
        let sequences = program.compounds.iter().map(|compound| {
            let (head, tail) = rest.split_at(compound.sequences.len());
            rest = tail;
            head.to_vec()
        });
        Ok(Execution {
            sequences: sequences.collect(),
            pieces: piece_counts(program, &edges),
            nodes: dense(&pairs(&nodes), program.nodes.len()),
            trajectories: dense(&pairs(&trajectories), program.nodes.len()),
            trues: dense(&pairs(&trues), program.nodes.len()),
            stopped_in: self.value(test, KIND_STOPPED)?,
            edges,
        })
    }

    fn value<T: serde::de::DeserializeOwned>(&self, test: u32, kind: u32) -> Result<T, StoreError> {
        let frame =
            self.frames.get(&(kind, test)).ok_or_else(|| self.run.damaged(format!("test {test} has no data")))?;
        frame.decode().map_err(|reason| self.run.damaged(reason))
    }
}

pub(super) fn read_manifest(path: &Path) -> Result<Manifest, StoreError> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let missing = || StoreError::Damaged { path: path.into(), reason: "it is missing".into() };
    let Versioned { version } = encoding::read_json(path)?.ok_or_else(missing)?;
    if version != STORE_VERSION {
        return Err(StoreError::Version { path: path.into(), found: version });
    }
    encoding::read_json(path)?.ok_or_else(missing)
}

fn read_program(root: &Path, directory: &Path) -> Result<Program, StoreError> {
    let sections = read_tables(directory, Tables::Sites)?;
    if let Some((path, _)) = sections.iter().find(|(_, section)| section.is_empty()) {
        return Err(StoreError::Damaged { path: path.clone(), reason: "it is empty".into() });
    }
    let named: Vec<(String, &[u8])> =
        sections.iter().map(|(path, section)| (path.display().to_string(), section.as_slice())).collect();
    let root = root.to_string_lossy();
    Program::from_sections(named.iter().map(|(name, section)| (name.as_str(), *section)), &root).map_err(|error| {
        StoreError::Damaged { path: directory.join(Tables::Sites.directory()), reason: error.to_string() }
    })
}

/// The sections of one kind, each with its file, in the order they were saved.
fn read_tables(directory: &Path, kind: Tables) -> Result<Vec<(PathBuf, Vec<u8>)>, StoreError> {
    let directory = directory.join(kind.directory());
    let n_sections = fs::read_dir(&directory).map_err(StoreError::io("read", &directory))?.count();
    let read = |number: usize| {
        let path = directory.join(number.to_string());
        let section = fs::read(&path).map_err(StoreError::io("read", &path))?;
        Ok((path, section))
    };
    (0..n_sections).map(read).collect()
}

/// One bit for each number that is not zero.
fn bits(counts: &[u64]) -> Vec<u8> {
    let byte = |chunk: &[u64]| (0..chunk.len()).map(|bit| u8::from(chunk[bit] > 0) << bit).sum();
    counts.chunks(8).map(byte).collect()
}

/// The positions of the bits that are set.
pub(super) fn set_bits(bytes: &[u8]) -> Vec<u32> {
    let set = |(at, byte): (usize, &u8)| {
        let byte = *byte;
        (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| (at * 8 + bit) as u32)
    };
    bytes.iter().enumerate().flat_map(set).collect()
}

/// How often each piece was entered: the sum over its incoming edges.
fn piece_counts(program: &Program, edges: &[u64]) -> Vec<u64> {
    let mut pieces = vec![0u64; program.pieces.len()];
    for (edge, count) in program.edges.iter().zip(edges) {
        if let Some(piece) = pieces.get_mut(edge.to as usize) {
            *piece = piece.saturating_add(*count);
        }
    }
    pieces
}

/// Position (as the distance from the last one) and value of each number that is not zero.
fn sparse(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut last = 0;
    let mut coded = Vec::new();
    for (at, number) in numbers.enumerate().filter(|(_, number)| *number != 0) {
        coded.extend([at as u64 - last, number]);
        last = at as u64;
    }
    coded
}

/// Positions and values of what [`sparse`] coded.
pub(super) fn pairs(coded: &[u64]) -> Vec<(u32, u64)> {
    let mut at = 0u64;
    let mut pair = |step: u64, number: u64| {
        at = at.saturating_add(step);
        (u32::try_from(at).unwrap_or(u32::MAX), number)
    };
    coded.chunks_exact(2).map(|coded| pair(coded[0], coded[1])).collect()
}

fn dense(pairs: &[(u32, u64)], length: usize) -> Vec<u64> {
    let mut numbers = vec![0; length];
    for (at, number) in pairs {
        if let Some(slot) = numbers.get_mut(*at as usize) {
            *slot = *number;
        }
    }
    numbers
}
