//! Small C programs built with the plugin, their oracles, and trials of them: a writer and reader of trial files for tests.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::OnceLock;

use suspect::program::{ModuleImage, Program};
use suspect::trace::{TraceFile, read_directory};
use suspect_format::abi::{Mode, PAGE};
use suspect_format::site::NodeKind;
use suspect_format::trace::{HASH_START, hash_bytes};
use suspect_format::trial::*;
use suspect_format::{ENDIAN_TAG, trial};
use tempfile::TempDir;

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The directory with the runtime's objects.
fn objects() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trials");
        fs::create_dir_all(&directory).unwrap();
        let out = format!("OUT={}", directory.display());
        let makefile = Path::new(env!("CARGO_MANIFEST_DIR")).join("Makefile");
        run(Command::new("make").args(["-s", "-f"]).arg(makefile).args(["all", &out]));
        directory
    })
}

/// The plugin that `make` built.
fn plugin() -> PathBuf {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/suspect/lib/suspect/19");
    let files = fs::read_dir(&directory).unwrap_or_else(|_| panic!("{}: type `make` first", directory.display()));
    let mut paths = files.map(|entry| entry.unwrap().path());
    paths.find(|path| path.extension().is_some_and(|end| end == "so")).expect("`make` builds the plugin")
}

/// A C program: an executable and shared libraries.
pub struct Subject {
    directory: TempDir,
    modules: Vec<PathBuf>,
    pub model: Program,
}

impl Subject {
    /// An executable of one source.
    pub fn new(source: &str) -> Subject {
        Subject::with_flags(source, &[])
    }

    pub fn with_flags(source: &str, flags: &[&str]) -> Subject {
        let directory = TempDir::new().unwrap();
        let program = compile(directory.path(), "program", source, flags);
        Subject::of(directory, vec![program])
    }

    /// An executable that is linked to a library of its own.
    pub fn with_library(source: &str, library: &str) -> Subject {
        let directory = TempDir::new().unwrap();
        let path = directory.path();
        let library = compile(path, "libpart.so", library, &["-shared", "-fPIC"]);
        let rpath = format!("-Wl,-rpath,{}", path.display());
        let program = compile(path, "program", source, &[library.to_str().unwrap(), &rpath]);
        Subject::of(directory, vec![program, library])
    }

    fn of(directory: TempDir, modules: Vec<PathBuf>) -> Subject {
        let bytes: Vec<Vec<u8>> = modules.iter().map(|path| fs::read(path).unwrap()).collect();
        let images: Vec<ModuleImage> = bytes.iter().map(|bytes| ModuleImage { name: "module", bytes }).collect();
        let model = Program::load(&images, "/").unwrap();
        Subject { directory, modules, model }
    }

    /// The nodes of a kind whose expression is `expression`, in order.
    pub fn nodes(&self, kind: NodeKind, expression: &str) -> Vec<u32> {
        let matches = |index: &u32| {
            let node = &self.model.nodes[*index as usize];
            node.kind == kind && node.expression == expression
        };
        (0..self.model.nodes.len() as u32).filter(matches).collect()
    }

    /// The first of [`Subject::nodes`].
    #[track_caller]
    pub fn node(&self, kind: NodeKind, expression: &str) -> u32 {
        let known: Vec<_> = self.model.nodes.iter().map(|node| (node.kind, &node.expression)).collect();
        *self.nodes(kind, expression).first().unwrap_or_else(|| panic!("no {kind:?} {expression} in {known:?}"))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("setarch");
        command.arg("-R").arg(&self.modules[0]).args(arguments).current_dir(self.directory.path());
        command
    }

    /// Runs the program without anything.
    pub fn plain(&self, arguments: &[&str], input: &str) -> Output {
        answer(&mut self.command(arguments), input)
    }

    /// Runs the program with a trial file of these bytes.
    pub fn with_trial_file(&self, bytes: &[u8]) -> Output {
        let path = self.directory.path().join("trial");
        fs::write(&path, bytes).unwrap();
        answer(self.command(&[]).env("SUSPECT_TRIAL", &path), "")
    }

    /// Records what it does.
    pub fn oracle(&self, arguments: &[&str], input: &str) -> Oracle<'_> {
        self.recorded(self.command(arguments), arguments, input)
    }

    /// As [`Subject::oracle`], loaded where the system likes.
    pub fn oracle_elsewhere(&self, arguments: &[&str], input: &str) -> Oracle<'_> {
        let mut command = Command::new(&self.modules[0]);
        command.args(arguments).current_dir(self.directory.path());
        self.recorded(command, arguments, input)
    }

    fn recorded(&self, mut command: Command, arguments: &[&str], input: &str) -> Oracle<'_> {
        let out = TempDir::new_in(self.directory.path()).unwrap();
        command.env("SUSPECT_OUT", out.path()).env("SUSPECT_RECORD", "trace").env("SUSPECT_LOG_BYTES", "64000000");
        let output = answer(&mut command, input);
        let traces = read_directory(out.path()).unwrap();
        assert!(traces.warnings.is_empty(), "{:?}", traces.warnings);
        let streams = traces.files.iter().map(|trace| self.streams(trace)).collect();
        let modules = self.modules_of(&traces.files[0]);
        let arguments = arguments.iter().map(|one| (*one).to_owned()).collect();
        Oracle { subject: self, arguments, input: input.to_owned(), output, streams, modules }
    }

    /// For each value word of a trace's modules its node.
    fn words(&self, trace: &TraceFile) -> HashMap<u64, u32> {
        let units: HashMap<u64, usize> =
            self.model.units.iter().enumerate().map(|(index, unit)| (unit.hash, index)).collect();
        let parts = trace.layout().modules.iter().flat_map(|module| &module.units);
        parts.flat_map(|part| self.words_of_unit(units[&part.hash], part.address)).collect()
    }

    fn words_of_unit(&self, unit: usize, address: u64) -> Vec<(u64, u32)> {
        let unit = &self.model.units[unit];
        let functions = unit.functions.clone().map(|function| &self.model.functions[function as usize]);
        let nodes = functions.flat_map(|function| function.nodes.clone());
        let word = |node: u32| address + 8 * u64::from(unit.n_counters + self.model.nodes[node as usize].value);
        nodes.map(|node| (word(node), node)).collect()
    }

    fn streams(&self, trace: &TraceFile) -> Vec<Vec<u64>> {
        let words = self.words(trace);
        let mut streams = vec![Vec::new(); self.model.nodes.len()];
        for entry in trace.log() {
            streams[words[&entry.address] as usize].push(entry.value);
        }
        streams
    }

    /// Identity and table of words of each module, and how many operations and gates it has.
    fn modules_of(&self, trace: &TraceFile) -> Vec<(u64, Vec<u32>, [u32; 2])> {
        let words = self.words(trace);
        let of = |module: &suspect::trace::ModulePart| {
            let hash = |state, unit: &suspect::trace::UnitPart| hash_bytes(state, &unit.hash.to_ne_bytes());
            let identity = module.units.iter().fold(HASH_START, hash);
            let address = |word: usize| module.load_address + 8 * word as u64;
            let node = |word| words.get(&address(word)).map_or(0, |node| node + 1);
            let has = |unit: &suspect::trace::UnitPart| {
                let known = self.model.units.iter().find(|known| known.hash == unit.hash).unwrap();
                let gates = if known.modes & 1 << Mode::Mutants as u32 == 0 { 0 } else { known.functions.len() as u32 };
                [known.operations.len() as u32, gates]
            };
            let counts = module.units.iter().map(has).fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
            (identity, (0..module.data.len() / 8).map(node).collect(), counts)
        };
        trace.layout().modules.iter().map(of).collect()
    }
}

fn compile(directory: &Path, name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let (file, to) = (directory.join(format!("{name}.c")), directory.join(name));
    fs::write(&file, source).unwrap();
    let plugin = plugin().display().to_string();
    let mut command = Command::new("clang-19");
    command.args([format!("-fplugin={plugin}"), format!("-fpass-plugin={plugin}")]).args(["-O1", "-g", "-w"]);
    command.arg(objects().join("suspect_rt.o")).arg(&file).args(flags).args(["-pthread", "-lm"]);
    run(command.arg(objects().join("suspect_rt_end.o")).arg("-o").arg(&to).env("SUSPECT_VERIFY", "1"));
    to
}

fn answer(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program need not read it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// What a run without overrides did.
pub struct Oracle<'a> {
    pub subject: &'a Subject,
    arguments: Vec<String>,
    input: String,
    pub output: Output,
    /// For each process, for each node, its values.
    pub streams: Vec<Vec<Vec<u64>>>,
    modules: Vec<(u64, Vec<u32>, [u32; 2])>,
}

impl<'a> Oracle<'a> {
    /// The values of a node in the first process.
    pub fn values(&self, node: u32) -> &[u64] {
        &self.streams[0][node as usize]
    }

    /// A trial without override.
    pub fn trial(&self) -> Trial<'_> {
        Trial { oracle: self, change: None, instance: 0, budget: 1_000_000, max_processes: 100 }
    }

    /// A trial in which `node` is overridden at each execution.
    pub fn change(&self, node: u32, change: Change, operand: u64) -> Trial<'_> {
        Trial { change: Some((node, change, operand, Vec::new())), ..self.trial() }
    }

    /// A trial in which a string is overridden.
    pub fn text(&self, node: u32, text: &str) -> Trial<'_> {
        Trial { change: Some((node, Change::Text, 0, text.as_bytes().to_vec())), ..self.trial() }
    }
}

/// A trial to be run.
pub struct Trial<'a> {
    oracle: &'a Oracle<'a>,
    change: Option<(u32, Change, u64, Vec<u8>)>,
    pub instance: u64,
    pub budget: u64,
    pub max_processes: u32,
}

/// What a process of a trial did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// For each node the number of values taken.
    pub counts: Vec<u64>,
    /// For each node whether its trajectory differs.
    pub changed: Vec<bool>,
    pub used: u64,
    pub flags: u32,
}

/// What a trial did.
#[derive(Debug)]
pub struct Outcome {
    pub status: ExitStatus,
    pub stdout: String,
    pub processes: Vec<Process>,
    pub next_process: u32,
}

impl Outcome {
    pub fn applied(&self) -> bool {
        self.processes.iter().any(|process| process.flags & PROCESS_APPLIED != 0)
    }

    pub fn cut(&self) -> bool {
        self.processes.iter().any(|process| process.flags & PROCESS_CUT != 0)
    }

    /// The nodes of the first process whose trajectories differ.
    pub fn changed(&self) -> Vec<u32> {
        let changed = &self.processes[0].changed;
        (0..changed.len() as u32).filter(|node| changed[*node as usize]).collect()
    }

    pub fn how(&self) -> (Option<i32>, Option<i32>) {
        (self.status.code(), self.status.signal())
    }
}

impl Trial<'_> {
    pub fn instance(self, instance: u64) -> Self {
        Trial { instance, ..self }
    }

    pub fn budget(self, budget: u64) -> Self {
        Trial { budget, ..self }
    }

    pub fn max_processes(self, max_processes: u32) -> Self {
        Trial { max_processes, ..self }
    }

    /// The trial file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut file = TrialBytes::default();
        self.lay_out(&mut file);
        file.bytes
    }

    /// Writes the trial file, runs the program and reads the file again.
    pub fn run(self) -> Outcome {
        let mut file = TrialBytes::default();
        let header = self.lay_out(&mut file);
        let subject = self.oracle.subject;
        let path = subject.directory.path().join("trial");
        fs::write(&path, &file.bytes).unwrap();
        let arguments: Vec<&str> = self.oracle.arguments.iter().map(String::as_str).collect();
        let output = answer(subject.command(&arguments).env("SUSPECT_TRIAL", &path), &self.oracle.input);
        let bytes = fs::read(&path).unwrap();
        let header_after: TrialHeader = get(&bytes, 0);
        let process =
            |index: u32| self.process(&bytes, get(&bytes, header.processes as usize + 32 * index as usize), index);
        Outcome {
            status: output.status,
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            processes: (0..=header.n_processes).map(process).collect(),
            next_process: header_after.next_process,
        }
    }

    fn process(&self, bytes: &[u8], entry: TrialProcess, index: u32) -> Process {
        let n_nodes = self.oracle.subject.model.nodes.len();
        let state = |node: usize| get::<u64>(bytes, entry.states as usize + 8 * node);
        let known = self.oracle.streams.get(index as usize);
        let length = |node: usize| known.map_or(0, |streams| streams[node].len() as u64);
        let changed = |node| state(node) & CHANGED != 0 || state(node) & !CHANGED != length(node);
        Process {
            counts: (0..n_nodes).map(|node| state(node) & !CHANGED).collect(),
            changed: (0..n_nodes).map(changed).collect(),
            used: entry.used,
            flags: entry.flags,
        }
    }

    fn lay_out(&self, file: &mut TrialBytes) -> TrialHeader {
        let oracle = self.oracle;
        let (n_nodes, n_processes) = (oracle.subject.model.nodes.len(), oracle.streams.len());
        file.page();
        file.bytes.resize(PAGE, 0);
        let tables: Vec<u64> = oracle.modules.iter().map(|(_, words, _)| file.words(words)).collect();
        let modules = file.place();
        let mut n_sites = n_nodes as u32;
        for ((identity, words, [n_operations, n_gates]), nodes) in oracle.modules.iter().zip(tables) {
            file.put(TrialModule {
                identity: *identity,
                nodes,
                n_words: words.len() as u64,
                first_operation: n_sites,
                n_operations: *n_operations,
                first_gate: 0,
                n_gates: *n_gates,
            });
            n_sites += n_operations;
        }
        let none = vec![Vec::new(); n_nodes];
        let streams: Vec<u64> = oracle.streams.iter().chain([&none]).map(|streams| file.streams(streams)).collect();
        let texts = self.change.as_ref().map_or(0, |change| {
            let place = file.place();
            file.bytes.extend(&change.3);
            place
        });
        let overrides = file.place();
        let mut first = vec![0u32; n_sites as usize + 1];
        if let Some((node, change, operand, text)) = &self.change {
            let model = &oracle.subject.model.nodes[*node as usize];
            first[*node as usize + 1..].fill(1);
            file.put(Override {
                site: *node,
                change: *change as u32,
                instance: self.instance,
                operand: if *change == Change::Text { texts } else { *operand },
                length: text.len() as u32,
                width: model.width as u8,
                is_float: u8::from(model.class == suspect_format::site::ValueClass::Float),
                operator: 0,
                reserved: 0,
                mutant: 0,
                gate: 0,
                other: 0,
            });
        }
        let first_of_site = file.words(&first);
        let n_overrides = u32::from(self.change.is_some());
        let first_of_mutant = file.words(&[0, n_overrides]);
        let members = file.words(&[0]);
        file.page();
        let states: Vec<u64> = (0..=n_processes).map(|_| file.zeros(8 * n_nodes)).collect();
        let processes = file.place();
        for (streams, states) in streams.into_iter().zip(states) {
            file.put(TrialProcess { streams, states, used: 0, flags: 0, pid: 0 });
        }
        file.page();
        let header = TrialHeader {
            magic: MAGIC,
            version: trial::VERSION,
            endian: ENDIAN_TAG,
            length: file.bytes.len() as u64,
            role: Role::Single as u32,
            n_modules: oracle.modules.len() as u32,
            n_nodes: n_nodes as u32,
            n_processes: n_processes as u32,
            max_processes: self.max_processes,
            mode: Mode::Trace as u32,
            n_sites,
            n_overrides,
            n_mutants: n_overrides,
            selected: if n_overrides == 0 { NO_MUTANT } else { 0 },
            modules,
            processes,
            overrides,
            first_of_site,
            first_of_mutant,
            members,
            results: 0,
            result_stride: 0,
            budget: self.budget,
            wall_ns: 0,
            output_fds: [-1; 2],
            output_limit: 0,
            next_process: 0,
            refusal: 0,
            refused_call: 0,
            n_done: 0,
            first_pid: 0,
            running: 0,
            gate: 0,
            fuel: 0,
            expected: 0,
            expected_length: 0,
            busy_ns: u64::MAX,
            expected_on: 0,
            reserved: 0,
        };
        file.bytes[..size_of::<TrialHeader>()].copy_from_slice(bytes_of(&header));
        header
    }
}

/// A trial file in the making.
#[derive(Default)]
struct TrialBytes {
    bytes: Vec<u8>,
}

impl TrialBytes {
    fn align(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    fn page(&mut self) {
        self.align(PAGE);
    }

    /// Where the next table begins.
    fn place(&mut self) -> u64 {
        self.align(8);
        self.bytes.len() as u64
    }

    fn put<T: Copy>(&mut self, value: T) {
        self.bytes.extend_from_slice(bytes_of(&value));
    }

    fn words(&mut self, words: &[u32]) -> u64 {
        let place = self.place();
        words.iter().for_each(|word| self.put(*word));
        place
    }

    fn zeros(&mut self, length: usize) -> u64 {
        let place = self.place();
        self.bytes.resize(self.bytes.len() + length, 0);
        place
    }

    fn streams(&mut self, streams: &[Vec<u64>]) -> u64 {
        let starts: Vec<(u64, u64)> = streams
            .iter()
            .map(|values| {
                let place = self.place();
                values.iter().for_each(|value| self.put(*value));
                (place, values.len() as u64)
            })
            .collect();
        let place = self.place();
        starts.into_iter().for_each(|(values, length)| self.put(Stream { values, length }));
        place
    }
}

fn bytes_of<T: Copy>(value: &T) -> &[u8] {
    // SAFETY: the structures of the format have no padding.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}

fn get<T: Copy>(bytes: &[u8], offset: usize) -> T {
    assert!(offset + size_of::<T>() <= bytes.len());
    // SAFETY: inside the bytes; the structures of the format are good for any bits.
    unsafe { bytes.as_ptr().add(offset).cast::<T>().read_unaligned() }
}
