//! A project of a test's own, built by the real driver, and its trials.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use suspect::program::{Program, ValueClass};
use suspect::suite::{RunContext, Suite, Verdict};
use suspect::trace::{ModuleFile, sections};
use suspect::trial::{
    Change, Executors, Mutant, Observation, Override, Setup, Site, TestTrials, TrialError, Watched, Worker,
};
use suspect_format::abi::SECTION_SITES;

/// The executable under test.
pub const SUSPECT: &str = env!("CARGO_BIN_EXE_suspect");

/// A project that is built, with its suite.
pub struct Project {
    directory: tempfile::TempDir,
    pub suite: Suite,
    pub program: Program,
}

/// The text of a program in `programs`.
pub fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trial/programs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Project {
    /// A program `prog` of one source, and a test for each of these command lines that is judged by its status; further
    /// files.
    pub fn new(source: &str, tests: &[&str], files: &[(&str, &str)]) -> Project {
        let lines = tests.iter().map(|line| format!("{line}\n")).collect::<String>();
        let config = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"{line}\"\n";
        Project::with_suite(source, config, &[&[("tests.txt", &*lines)], files].concat())
    }

    /// As [`Project::new`], built with these modes.
    pub fn with_modes(modes: &str, source: &str, tests: &[&str], files: &[(&str, &str)]) -> Project {
        Project::new(source, tests, files).rebuilt(modes)
    }

    /// Built with these modes.
    pub fn rebuilt(mut self, modes: &str) -> Project {
        let root = self.root();
        build_in(modes, &root, &["cc", "-O1", "-o", "prog", "prog.c", "-lm"]);
        self.program = load(&root, &["prog"]);
        self
    }

    /// A program `prog` of one source, and this suspect.toml.
    pub fn with_suite(source: &str, config: &str, files: &[(&str, &str)]) -> Project {
        let directory = tempfile::Builder::new().prefix("suspect-trial-").tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::set_permissions(&root, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        for (name, text) in [("prog.c", source), ("suspect.toml", config)].iter().chain(files) {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        build(&root, &["-O1", "-o", "prog", "prog.c", "-lm"]);
        let suite = Suite::load(&root).unwrap();
        let program = load(&root, &["prog"]);
        Project { directory, suite, program }
    }

    pub fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    /// The verdict of a test as `suspect test` finds it.
    pub fn verdict(&self, test: usize) -> Verdict {
        let scratch = suspect::exec::ScratchRoot::new().unwrap();
        let context =
            RunContext { env: &[], scratch: &scratch, timeout: None, large_stack: false, interruptible: false };
        self.suite.run_test(&self.suite.tests()[test], &context).unwrap().verdict
    }

    pub fn prepare(&self, worker: &mut Worker, test: usize) -> Result<TestTrials, TrialError> {
        TestTrials::prepare(
            worker,
            &self.suite,
            &self.suite.tests()[test],
            self.verdict(test),
            &self.program,
            Watched::Nodes,
        )
    }

    /// As [`Project::prepare`], for code mutants.
    pub fn prepare_output(&self, worker: &mut Worker, test: usize) -> Result<TestTrials, TrialError> {
        let known = &self.suite.tests()[test];
        TestTrials::prepare(worker, &self.suite, known, self.verdict(test), &self.program, Watched::Output)
    }
}

/// Compiles with the driver.
pub fn build(root: &Path, arguments: &[&str]) {
    build_by(root, &[&["cc"], arguments].concat());
}

/// `suspect build -- command...`.
pub fn build_by(root: &Path, arguments: &[&str]) {
    build_in("trace", root, arguments);
}

/// As [`build_by`], with these modes.
pub fn build_in(modes: &str, root: &Path, arguments: &[&str]) {
    let mut command = Command::new(SUSPECT);
    command.args(["build", "--modes", modes, "--"]).args(arguments).current_dir(root);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SUSPECT_")) {
        if name != "SUSPECT_LIB" && name != "SUSPECT_CLANG" {
            command.env_remove(name);
        }
    }
    let output = command.output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {said}");
}

/// The program of these modules.
pub fn load(root: &Path, modules: &[&str]) -> Program {
    let files: Vec<ModuleFile> = modules.iter().map(|name| ModuleFile::open(&root.join(name)).unwrap()).collect();
    let tables: Vec<(&str, &[u8])> = modules
        .iter()
        .zip(&files)
        .flat_map(|(name, file)| {
            sections(file.bytes(), SECTION_SITES).unwrap().into_iter().map(move |table| (*name, table))
        })
        .collect();
    Program::from_sections(tables, &root.to_string_lossy()).unwrap()
}

/// Held by tests whose programs take all they can get, and by tests that would take a slow machine for a lost trial.
static STRAIN: Mutex<()> = Mutex::new(());

/// Waits until no other test strains the machine or minds that.
pub fn undisturbed() -> MutexGuard<'static, ()> {
    STRAIN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A worker that is contained.
pub fn worker() -> Worker {
    Worker::start(&Setup::with_executable(SUSPECT)).unwrap()
}

/// Runs overrides and gives their observations in order.
pub fn observe(
    trials: &TestTrials,
    worker: &mut Worker,
    overrides: &[Override],
    executors: Executors,
    budget: u64,
) -> Vec<Observation> {
    run_all(trials, worker, &alone(overrides), executors, budget)
}

/// Runs mutants and gives their observations in order.
pub fn run_all(
    trials: &TestTrials,
    worker: &mut Worker,
    mutants: &[Mutant],
    executors: Executors,
    budget: u64,
) -> Vec<Observation> {
    let mut found: Vec<Option<Observation>> = vec![None; mutants.len()];
    trials
        .run(worker, mutants, executors, budget, &mut |index, observation| {
            assert!(found[index].replace(observation).is_none(), "trial {index} was observed twice");
            ControlFlow::Continue(())
        })
        .unwrap();
    found.into_iter().map(|one| one.expect("an observation of each trial")).collect()
}

/// A mutant of each override.
pub fn alone(overrides: &[Override]) -> Vec<Mutant> {
    overrides.iter().cloned().map(Mutant::from).collect()
}

/// A small generator: the same overrides in every run of the tests.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides.max(1)
    }
}

/// About `count` overrides of all nodes that a test covers, of every kind of change.
pub fn overrides(trials: &TestTrials, program: &Program, count: usize, dice: &mut Dice) -> Vec<Override> {
    let oracle = trials.oracle();
    let each = count.div_ceil(oracle.nodes().len().max(1)).max(1);
    let mut all = Vec::new();
    for (position, node) in oracle.nodes().iter().enumerate() {
        let class = program.nodes[*node as usize].class;
        for _ in 0..each {
            let values = oracle.values(0, position);
            let change = change(class, values, dice);
            let instance = if dice.roll(4) == 0 { 1 + dice.roll(values.len() as u64 + 1) } else { 0 };
            all.push(Override { site: Site::Node(*node), instance, change });
        }
    }
    all.truncate(count.max(1));
    all
}

fn change(class: ValueClass, values: &[u64], dice: &mut Dice) -> Change {
    if matches!(class, ValueClass::Pointer | ValueClass::FunctionPointer) {
        // Anything but null has no effect.
        return Change::Set(dice.roll(8) / 7);
    }
    if class == ValueClass::String && dice.roll(4) == 0 {
        return Change::Set(0);
    }
    if class == ValueClass::String {
        let length = dice.roll(12);
        return Change::Text((0..length).map(|_| b'a' + dice.roll(26) as u8).collect());
    }
    let known = values.get(dice.roll(values.len() as u64) as usize).copied().unwrap_or(0);
    let float = class == ValueClass::Float;
    match dice.roll(8) {
        0 => Change::Negate,
        1 => Change::Flip,
        2 if float => Change::Add(1.5f64.to_bits()),
        2 => Change::Add(1),
        3 if !float => Change::Add(u64::MAX),
        4 => Change::Set(known.wrapping_add(dice.roll(100)).wrapping_sub(50)),
        5 => Change::Set(dice.roll(u64::MAX)),
        6 => Change::Set(1 << dice.roll(63)),
        _ => Change::Set(dice.roll(300)),
    }
}

/// Files beside the programs.
pub const FILES: [(&str, &str); 4] = [
    ("words.txt", "the cat and the dog\nsaw the other cat\nand ran\n"),
    ("pairs.txt", "one 1\nthree 3\nfour 4\nseven 7\nfifteen 15\nnone 0\nmore 12\nend -1\n"),
    ("precious.txt", "what must not be lost\n"),
    ("precious/inside.txt", "nor this\n"),
];

/// Everything below a directory: modes, owners, times and contents.
pub fn state_of(directory: &Path) -> BTreeMap<PathBuf, (u32, u32, i64, i64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let data = path.symlink_metadata().unwrap();
            let contents = if data.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            if data.is_dir() {
                open.push(path.clone());
            }
            found.insert(path, (data.mode(), data.uid(), data.mtime(), data.mtime_nsec(), contents));
        }
    }
    found
}
