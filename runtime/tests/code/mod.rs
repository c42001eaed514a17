//! The program with hand-made hooks for code mutants, and trials of it: trial files written and read byte by byte.

use std::fs::{self, OpenOptions};
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;

use suspect_format::abi::{Mode, PAGE, SECTION_DATA};
use suspect_format::operation::Operator;
use suspect_format::trace::{HASH_START, hash_bytes};
use suspect_format::trial::*;
use suspect_format::{ENDIAN_TAG, trial};
use tempfile::TempDir;

/// Sites: the program's node, its operations, the library's.
pub const NODE: u32 = 0;
pub const ADD: u32 = 1;
pub const FLOAT: u32 = 2;
pub const STEP: u32 = 3;
pub const CHOICE: u32 = 4;
pub const READ: u32 = 5;
pub const DIVIDE: u32 = 6;
pub const LESS: u32 = 7;
pub const BYTE: u32 = 8;
pub const TWICE: u32 = 9;
const N_SITES: usize = 10;
const RESULT: usize = size_of::<TrialResult>();

unsafe extern "C" {
    /// Of the C library; 4: when something is executed.
    fn close_range(first: u32, last: u32, flags: i32) -> i32;
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The directory with the program `code` and the library `libcode.so`.
pub fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("code");
        fs::create_dir_all(&directory).unwrap();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let out = format!("OUT={}", directory.display());
        run(Command::new("make").args(["-s", "-f"]).arg(here.join("Makefile")).args(["all", &out]));
        for (source, to, flags) in
            [("code_library.c", "libcode.so", &["-shared", "-fPIC"][..]), ("code.c", "code", &["-pthread", "-ldl"])]
        {
            let mut command = Command::new("clang-19");
            command.args(["-O1", "-g", "-Wall", "-Werror", "-Wno-unused-value"]).arg(directory.join("suspect_rt.o"));
            command.arg(here.join("tests").join(source)).args(flags).arg(directory.join("suspect_rt_end.o"));
            run(command.arg("-o").arg(directory.join(to)));
        }
        directory
    })
}

pub fn library() -> String {
    built().join("libcode.so").display().to_string()
}

/// An override of every execution of a site.
pub fn change(site: u32, change: Change, operand: u64) -> Override {
    let (width, is_float, operator) = match site {
        FLOAT => (64, 1, Operator::FloatAdd as u8),
        ADD => (32, 0, Operator::Add as u8),
        DIVIDE => (32, 0, Operator::SignedDiv as u8),
        LESS => (32, 0, Operator::SignedLess as u8),
        BYTE => (8, 0, 0),
        READ => (32, 0, 0),
        TWICE => (64, 0, Operator::Mul as u8),
        _ => (64, 0, 0),
    };
    // The node is in no function that has a gate.
    let gate = match site {
        NODE => 99,
        ADD..=DIVIDE => site - 1,
        LESS | BYTE => DIVIDE - 1,
        _ => 6,
    };
    let change = change as u32;
    Override {
        site,
        change,
        instance: 0,
        operand,
        length: 0,
        width,
        is_float,
        operator,
        reserved: 0,
        mutant: 0,
        gate,
        other: 0,
    }
}

pub fn at(instance: u64, one: Override) -> Override {
    Override { instance, ..one }
}

/// Trials of the program with some arguments.
pub struct Trials {
    pub mode: Mode,
    pub budget: u64,
    /// Processor time for each mutant of a plan, nanoseconds.
    pub busy: u64,
    /// Processes that the oracle has.
    pub processes: u32,
    pub arguments: Vec<String>,
    pub mutants: Vec<Vec<Override>>,
    /// What standard output is compared with.
    pub expected: String,
}

/// What one trial did.
#[derive(Debug)]
pub struct Outcome {
    pub status: ExitStatus,
    pub stdout: String,
    pub used: Vec<u64>,
    pub flags: Vec<u32>,
    pub header: TrialHeader,
    pub results: Vec<TrialResult>,
    pub expected: String,
}

impl Trials {
    pub fn new(mode: Mode, arguments: &str) -> Trials {
        let arguments = arguments.split_whitespace().map(str::to_owned).collect();
        let (mutants, expected) = Default::default();
        Trials { mode, budget: 1_000_000, busy: 10_000_000_000, processes: 1, arguments, mutants, expected }
    }

    pub fn with(mut self, mutants: impl IntoIterator<Item = Vec<Override>>) -> Trials {
        self.mutants.extend(mutants);
        self
    }

    /// One process tree, with mutant number `selected`.
    pub fn single(&self, selected: Option<usize>) -> Outcome {
        self.run(Role::Single, selected.map_or(NO_MUTANT, |selected| selected as u32))
    }

    /// A plan of all mutants.
    pub fn plan(&self) -> Outcome {
        self.run(Role::Plan, NO_MUTANT)
    }

    fn run(&self, role: Role, selected: u32) -> Outcome {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("trial");
        let header = self.write(&path, role, selected);
        let output = directory.path().join("stdout");
        let stdout = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&output).unwrap();
        let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let mut command = Command::new("setarch");
        command.arg("-R").arg(built().join("code")).args(&self.arguments).env("SUSPECT_TRIAL", &path);
        command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::null()).current_dir(directory.path());
        // SAFETY: system calls, which are allowed after a fork. `setarch` executes the program in the same process.
        unsafe {
            command.pre_exec(move || {
                // What the tests were left with would keep a plan from forking.
                close_range(3, u32::MAX, 4);
                let pid = u64::from(std::process::id());
                file.write_all_at(&pid.to_ne_bytes(), offset_of!(TrialHeader, first_pid) as u64)
            });
        }
        let status = command.status().unwrap();
        let bytes = fs::read(&path).unwrap();
        let process = |number: u32| get::<TrialProcess>(&bytes, header.processes as usize + 32 * number as usize);
        Outcome {
            status,
            stdout: fs::read_to_string(&output).unwrap(),
            used: (0..self.processes).map(|number| self.used(&bytes, &header, number, process(number))).collect(),
            flags: (0..=self.processes).map(|number| process(number).flags).collect(),
            header: get(&bytes, 0),
            expected: self.expected.clone(),
            results: match role {
                Role::Single => Vec::new(),
                Role::Plan => {
                    (0..self.mutants.len()).map(|index| get(&bytes, header.results as usize + RESULT * index)).collect()
                }
            },
        }
    }

    fn used(&self, bytes: &[u8], header: &TrialHeader, number: u32, process: TrialProcess) -> u64 {
        if self.mode == Mode::Trace {
            return process.used;
        }
        let pages = fuel_pages(header.n_modules);
        let word = |page: u32| header.fuel as usize + (number * pages + page) as usize * PAGE + 8 * FUEL_WORD;
        self.budget - (0..pages).map(|page| get::<i64>(bytes, word(page))).sum::<i64>() as u64
    }

    fn write(&self, path: &Path, role: Role, selected: u32) -> TrialHeader {
        let mut file = Bytes(vec![0; PAGE]);
        let mut words = module_words("code", 0x4444_4444_4444_4444);
        // The state page, a counter, and the node's value.
        words.1[PAGE / 8 + 1] = NODE + 1;
        let modules = [words, module_words("libcode.so", 0x5555_5555_5555_5555)];
        let tables = modules.each_ref().map(|(_, words)| file.all(words));
        let counts = [(1, 8, 0, 6), (9, 1, 6, 1)];
        let entries: Vec<TrialModule> = (modules.iter().zip(tables).zip(counts))
            .map(|(((identity, words), nodes), (first_operation, n_operations, first_gate, n_gates))| TrialModule {
                identity: *identity,
                nodes,
                n_words: words.len() as u64,
                first_operation,
                n_operations,
                first_gate,
                n_gates,
            })
            .collect();
        let modules = file.all(&entries);
        let mut overrides: Vec<Override> = Vec::new();
        for (mutant, members) in (0..).zip(&self.mutants) {
            overrides.extend(members.iter().map(|one| Override { mutant, ..*one }));
        }
        overrides.sort_by_key(|one| (one.site, one.mutant));
        let firsts: Vec<u32> =
            (0..=N_SITES as u32).map(|site| overrides.partition_point(|one| one.site < site) as u32).collect();
        let numbers = 0..self.mutants.len() as u32;
        let of_mutant = |mutant: u32| (0..).zip(&overrides).filter(move |(_, one)| one.mutant == mutant);
        let members: Vec<u32> = numbers.clone().flat_map(|mutant| of_mutant(mutant).map(|(index, _)| index)).collect();
        let mut ends = vec![0u32];
        numbers.for_each(|mutant| ends.push(ends[ends.len() - 1] + of_mutant(mutant).count() as u32));
        let (at_overrides, first_of_site) = (file.all(&overrides), file.all(&firsts));
        let (first_of_mutant, members) = (file.all(&ends), file.all(&members));
        let expected = file.all(self.expected.as_bytes());
        file.page();
        let process = TrialProcess { streams: 0, states: 0, used: 0, flags: 0, pid: 0 };
        let processes = file.all(&vec![process; self.processes as usize + 1]);
        file.page();
        let results = file.all(&vec![0u8; RESULT * self.mutants.len()]);
        file.page();
        let fuel = file.all(&vec![0u8; (self.processes * fuel_pages(2)) as usize * PAGE]);
        let header = TrialHeader {
            magic: MAGIC,
            version: trial::VERSION,
            endian: ENDIAN_TAG,
            length: file.0.len() as u64,
            role: role as u32,
            n_modules: 2,
            n_nodes: 1,
            n_processes: self.processes,
            max_processes: 20,
            mode: self.mode as u32,
            n_sites: N_SITES as u32,
            n_overrides: overrides.len() as u32,
            n_mutants: self.mutants.len() as u32,
            selected,
            modules,
            processes,
            overrides: at_overrides,
            first_of_site,
            first_of_mutant,
            members,
            results,
            result_stride: RESULT as u64,
            budget: self.budget,
            wall_ns: 120_000_000_000,
            output_fds: [1, -1],
            output_limit: 1 << 30,
            next_process: 0,
            refusal: 0,
            refused_call: 0,
            n_done: 0,
            first_pid: 0,
            running: 0,
            gate: 0,
            fuel,
            expected,
            expected_length: self.expected.len() as u64,
            busy_ns: self.busy,
            expected_on: 0,
            reserved: 0,
        };
        file.0[..size_of::<TrialHeader>()].copy_from_slice(bytes_of(&header));
        fs::write(path, &file.0).unwrap();
        header
    }
}

/// Identity of a module of one unit, and a zero for each of its words.
fn module_words(name: &str, unit: u64) -> (u64, Vec<u32>) {
    let bytes = fs::read(built().join(name)).unwrap();
    let length: usize = suspect::trace::sections(&bytes, SECTION_DATA).unwrap().iter().map(|part| part.len()).sum();
    (hash_bytes(HASH_START, &unit.to_ne_bytes()), vec![0; length / 8])
}

/// A file in the making.
struct Bytes(Vec<u8>);

impl Bytes {
    fn all<T: Copy>(&mut self, values: &[T]) -> u64 {
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        let at = self.0.len();
        values.iter().for_each(|value| self.0.extend_from_slice(bytes_of(value)));
        at as u64
    }

    fn page(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(PAGE), 0);
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

impl Outcome {
    pub fn applied(&self) -> bool {
        self.flags.iter().any(|flags| flags & PROCESS_APPLIED != 0)
    }

    pub fn cut(&self) -> bool {
        self.flags.iter().any(|flags| flags & PROCESS_CUT != 0)
    }

    pub fn how(&self) -> (Option<i32>, Option<i32>) {
        (self.status.code(), self.status.signal())
    }
}

/// What a trial did, as both executors tell it.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    status: i32,
    flags: u32,
    used: u64,
    length: u64,
    hash: u64,
    matched: u64,
}

/// The bytes from `start` on.
fn from(bytes: &[u8], start: usize) -> &[u8] {
    &bytes[start.min(bytes.len())..]
}

/// A mutant's process tree, and whether it changed anything.
pub fn seen_alone(outcome: &Outcome, before: usize) -> Seen {
    let text = outcome.stdout.as_bytes();
    Seen {
        status: outcome.status.into_raw(),
        flags: outcome.flags[0],
        used: outcome.used[0],
        length: text.len() as u64,
        hash: output_hash(OUTPUT_HASH_START, from(text, before)),
        matched: common_prefix(from(text, before), from(outcome.expected.as_bytes(), before)) as u64,
    }
}

/// A plan's result, if the mutant ran.
pub fn seen_forked(result: &TrialResult) -> Seen {
    assert_eq!(result.done, Done::Ran as u32);
    let TrialResult { status, flags, used, lengths, hashes, matched, .. } = *result;
    Seen {
        status,
        flags: flags & !(PROCESS_LENT | PROCESS_IN_PLACE),
        used,
        length: lengths[0],
        hash: hashes[0],
        matched,
    }
}
