//! Real processes with hand-made hooks: their recordings say what their code does not, whatever became of them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::OnceLock;

use suspect_format::external::{INDIRECT, UNKNOWN, number};
use suspect_format::record::{
    Event, Mirror, RecordHeader, STATUS_ENDED, STATUS_FORKED, STATUS_LIMIT, STATUS_NO_SPACE, STATUS_THREADS, Stream,
    Unread,
};
use tempfile::TempDir;

const MAIN: u32 = 0x4444_4444;
const COMPARE: u32 = MAIN + 1;
const HELPER: u32 = MAIN + 2;
const HANDLER: u32 = MAIN + 3;
const JUMPER: u32 = MAIN + 5;

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

fn external(name: &str) -> u32 {
    number(name).unwrap_or_else(|| panic!("no model of {name}"))
}

fn program() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recording");
        fs::create_dir_all(&directory).unwrap();
        let out = format!("OUT={}", directory.display());
        run(Command::new("make").args(["-s", "-f"]).arg(here.join("Makefile")).args(["all", &out]));
        let to = directory.join("recording");
        let mut command = Command::new("clang-19");
        command.args(["-O1", "-g", "-Wall", "-Werror", "-Wno-nonnull", "-Wno-unused-function", "-fno-builtin"]);
        command.args([format!("-DUNKNOWN={UNKNOWN}u"), format!("-DINDIRECT={INDIRECT}u")]);
        for name in
            ["strcpy", "memcpy", "qsort", "sscanf", "stat", "longjmp", "sigaction", "fork", "vfork", "pthread_create"]
        {
            command.arg(format!("-D{}={}", name.to_uppercase(), external(name)));
        }
        command.arg(directory.join("suspect_rt.o")).arg(here.join("tests/recording.c")).arg("-pthread");
        command.arg(directory.join("suspect_rt_end.o")).arg("-o").arg(&to);
        run(&mut command);
        to
    })
}

/// What one process left.
struct Recording {
    bytes: Vec<u8>,
    header: RecordHeader,
}

fn recording(path: &Path) -> Recording {
    let bytes = fs::read(path).unwrap();
    // SAFETY: the header is made of numbers; the file has at least a page.
    let header = unsafe { bytes[..size_of::<RecordHeader>()].as_ptr().cast::<RecordHeader>().read_unaligned() };
    Recording { bytes, header }
}

/// The recordings of a directory, parents first.
fn recordings(out: &Path) -> Vec<Recording> {
    let mut all: Vec<_> = fs::read_dir(out).unwrap().map(|entry| recording(&entry.unwrap().path())).collect();
    all.sort_by_key(|recording| recording.header.start_ns);
    all
}

fn recorded_with(arguments: &[&str], change: impl FnOnce(&mut Command)) -> (TempDir, ExitStatus) {
    let out = TempDir::new().unwrap();
    let mut command = Command::new(program());
    command
        .args(arguments)
        .env("SUSPECT_OUT", out.path())
        .env("SUSPECT_RECORD", "record")
        .env("SUSPECT_TEST", "a test");
    change(&mut command);
    let status = command.status().unwrap();
    (out, status)
}

/// The only recording of a run that ends well.
fn recorded(arguments: &[&str]) -> Recording {
    let (out, status) = recorded_with(arguments, |_| ());
    assert_eq!(status.code(), Some(0), "{arguments:?}");
    let mut all = recordings(out.path());
    assert_eq!(all.len(), 1);
    all.pop().unwrap()
}

/// A recording that is read.
struct Reader<'a> {
    mirror: Box<Mirror>,
    stream: Stream<'a>,
    /// Memory as it was, and as calls changed it.
    memory: BTreeMap<u64, u8>,
}

impl<'a> Reader<'a> {
    /// At the first function's entry: what comes before it is read.
    fn new(recording: &'a Recording) -> Self {
        let stream = Stream::new(&recording.bytes, &recording.header).unwrap();
        let mut reader = Reader { mirror: Box::default(), stream, memory: BTreeMap::new() };
        let (mut n_modules, mut libraries) = (0, Vec::new());
        loop {
            match reader.event(UNKNOWN) {
                Event::Memory(count) => reader.ranges(count),
                Event::Module(_, at, path, count) => {
                    assert_eq!((at % 4096, path), (0, program().as_os_str().as_encoded_bytes()));
                    n_modules += 1;
                    reader.ranges(count);
                }
                Event::Library(at, length, name) => {
                    assert!(at % 4096 == 0 && length > 0);
                    libraries.push(String::from_utf8_lossy(name).into_owned());
                }
                Event::Callback => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(n_modules, 1);
        assert!(libraries.iter().any(|name| name.starts_with("libc.so")), "{libraries:?}");
        reader.enter(MAIN);
        reader.loaded(100);
        reader.loaded(101);
        reader
    }

    fn event(&mut self, external: u32) -> Event<'a> {
        self.mirror.take_event(&mut self.stream, external).unwrap()
    }

    fn ranges(&mut self, count: u64) {
        for _ in 0..count {
            let (address, bytes) = self.mirror.take_range(&mut self.stream).unwrap();
            self.memory.extend((address..).zip(bytes.iter().copied()));
        }
    }

    fn enter(&mut self, id: u32) -> u64 {
        match self.event(UNKNOWN) {
            Event::Entered(entry) => {
                assert_eq!(entry.id, id);
                entry.frame
            }
            other => panic!("{other:?}"),
        }
    }

    fn callback(&mut self, id: u32) {
        assert_eq!(self.event(UNKNOWN), Event::Callback);
        self.enter(id);
    }

    fn loaded(&mut self, slot: u32) -> u64 {
        self.mirror.take_loaded(&mut self.stream, slot).unwrap()
    }

    fn branch(&mut self, ways: u32) -> u64 {
        self.mirror.take_branch(&mut self.stream, ways).unwrap()
    }

    /// The result of a call and the ranges that it wrote.
    fn returned(&mut self, external: u32) -> (u64, Vec<(u64, Vec<u8>)>) {
        let (result, count) = match self.event(external) {
            Event::Done(result) => (result, 0),
            Event::Changed(result, count) => (result, count),
            other => panic!("{other:?}"),
        };
        let mut range = || self.mirror.take_range(&mut self.stream).map(|(address, bytes)| (address, bytes.to_vec()));
        (result, (0..count).map(|_| range().unwrap()).collect())
    }

    /// The result of a call that wrote nothing.
    fn done(&mut self, external: u32) -> u64 {
        let (result, ranges) = self.returned(external);
        assert_eq!(ranges, []);
        result
    }

    fn text(&self, address: u64) -> String {
        self.memory.range(address..).map(|(_, byte)| char::from(*byte)).take_while(|letter| *letter != '\0').collect()
    }

    fn is_at_end(&mut self) -> bool {
        self.mirror.take_branch(&mut self.stream, 2) == Err(Unread::End)
            && self.mirror.take_event(&mut self.stream, UNKNOWN) == Err(Unread::End)
    }
}

#[test]
fn a_run_is_recorded_in_the_order_of_its_code() {
    const ENOTTY: i32 = 25;
    let recording = recorded(&["plain"]);
    let header = &recording.header;
    assert_eq!(header.status, STATUS_ENDED);
    assert!(header.test.starts_with(b"a test\0") && header.errno_address != 0);
    let mut reader = Reader::new(&recording);

    let (copy, ranges) = reader.returned(external("strcpy"));
    assert_eq!(ranges, [(copy, b"abcdefgh\0".to_vec())], "what was copied is recorded where its length is not told");
    assert_eq!(reader.done(external("memcpy")), copy);

    let (result, mut ranges) = reader.returned(UNKNOWN);
    assert_eq!(result as i64, -1);
    let errno = ranges.pop().unwrap();
    assert_eq!(errno, (header.errno_address, ENOTTY.to_ne_bytes().to_vec()));
    ranges.sort_by_key(|(_, bytes)| bytes.len());
    let [(number, twelve), (text, written)] = &ranges[..] else { panic!("{ranges:?}") };
    assert_eq!((number % 8, &twelve[..], text % 16, &written[..]), (0, &[12][..], 2, &b"xy"[..]));
    assert_eq!(reader.returned(INDIRECT).0, 0, "memory that is freed meanwhile does no harm");

    let branches: Vec<u64> = (0..10).map(|_| reader.branch(2)).collect();
    assert_eq!(branches, [1, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
    assert_eq!((reader.branch(1000), reader.branch(1)), (700, 0));

    for outcome in [1, 0] {
        // A callee that is recorded has no return of its own.
        reader.enter(HELPER);
        assert_eq!(reader.branch(2), outcome);
    }
    let mut compared = Vec::new();
    while reader.stream.peek() == Ok(suspect_format::record::TAG_CALLBACK) {
        reader.callback(COMPARE);
        let [one, other] = [reader.loaded(100), reader.loaded(101)];
        assert!(one != other && one % 4 == 0);
        compared.push(reader.loaded(1));
    }
    assert!(compared.len() >= 4 && compared.iter().all(|number| (1..5).contains(number)));
    let sorted: Vec<u8> = [1u32, 2, 3, 4].iter().flat_map(|number| number.to_ne_bytes()).collect();
    let (_, ranges) = reader.returned(external("qsort"));
    assert_eq!(ranges[0].1, sorted);

    let (converted, ranges) = reader.returned(external("sscanf"));
    assert_eq!((converted, ranges.len()), (2, 2));
    assert_eq!((&ranges[0].1[..], &ranges[1].1[..]), (&12u64.to_ne_bytes()[..], &b"word\0"[..]));
    assert_eq!(reader.returned(external("stat")).0 as i64, -1);
    assert!(reader.is_at_end());
}

#[test]
fn arguments_and_environment_are_in_memory_at_the_start() {
    let (out, _) = recorded_with(&["fills", "12"], |command| _ = command.env("COLOUR", "blue"));
    let all = recordings(out.path());
    let reader = Reader::new(&all[0]);
    let word = |address: u64| u64::from_ne_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|at| reader.memory[&(address + at)]));
    let environment = all[0].header.environment;
    let variables: Vec<_> = (0..).map(|at| word(environment + 8 * at)).take_while(|address| *address != 0).collect();
    assert!(variables.iter().any(|address| reader.text(*address) == "COLOUR=blue"));
    let arguments = [4, 3, 2].map(|below| reader.text(word(environment - 8 * below)));
    assert_eq!(arguments, [program().to_str().unwrap(), "fills", "12"]);
}

#[test]
fn a_jump_names_the_activation_that_it_goes_to() {
    let recording = recorded(&["jumps"]);
    let mut reader = Reader::new(&recording);
    reader.enter(JUMPER);
    // The calls through pointers that lead deeper: the hooks stand in a function that was entered directly.
    for _ in 0..2 {
        let Event::Entered(_) = reader.event(INDIRECT) else { panic!() };
    }
    let Event::Jumped(frame, 3) = reader.event(external("longjmp")) else { panic!() };
    assert_eq!(frame % 8, 0);
    reader.enter(HELPER);
    assert_eq!(reader.branch(2), 0);
    assert!(reader.is_at_end());
}

#[test]
fn a_signal_handler_is_found_where_it_interrupted() {
    let recording = recorded(&["handles"]);
    let mut reader = Reader::new(&recording);
    reader.returned(external("sigaction"));
    assert_eq!([0; 3].map(|_| reader.branch(2)), [0; 3]);
    assert_eq!(recording.header.n_interruptions, 1);
    assert_eq!(recording.header.interruptions[0], reader.mirror.position(&reader.stream));
    reader.callback(HANDLER);
    assert_eq!(reader.loaded(100), 10, "SIGUSR1");
    assert_eq!((reader.branch(2), reader.branch(2), reader.loaded(5)), (1, 0, 55));
    assert!(reader.is_at_end());
}

#[test]
fn handlers_beyond_those_that_have_a_place_are_counted() {
    let recording = recorded(&["handles", "200"]);
    let header = &recording.header;
    assert_eq!(header.n_interruptions, 200);
    let mut reader = Reader::new(&recording);
    reader.returned(external("sigaction"));
    (0..3).for_each(|_| _ = reader.branch(2));
    for number in 0..200 {
        if let Some(position) = header.interruptions.get(number) {
            assert_eq!(*position, reader.mirror.position(&reader.stream), "{number}");
        }
        reader.callback(HANDLER);
        assert_eq!((reader.loaded(100), reader.branch(2)), (10, 1));
    }
}

#[test]
fn a_forked_child_goes_on_in_a_copy() {
    let (out, status) = recorded_with(&["forks"], |_| ());
    assert!(status.success());
    let all = recordings(out.path());
    let [parent, child] = &all[..] else { panic!("{}", all.len()) };
    assert_eq!((child.header.parent_pid, child.header.status), (parent.header.pid, STATUS_FORKED));
    assert_eq!(parent.header.status, STATUS_ENDED);
    for (recording, is_child) in [(parent, 0), (child, 1)] {
        let mut reader = Reader::new(recording);
        assert_eq!(reader.branch(2), 1);
        if is_child == 1 {
            assert_eq!(reader.stream.offset(), recording.header.forked_at);
        }
        let expected = if is_child == 1 { 0 } else { u64::from(child.header.pid) };
        assert_eq!(reader.returned(external("fork")).0, expected);
        assert_eq!(reader.branch(2), is_child);
        assert_eq!(reader.loaded(6), 67 - is_child);
        assert_eq!(reader.branch(2), is_child);
        assert!(reader.is_at_end());
    }
}

#[test]
fn a_child_that_borrows_its_parents_memory_leaves_nothing_there() {
    let recording = recorded(&["vforks"]);
    let mut reader = Reader::new(&recording);
    assert_eq!(reader.branch(2), 1);
    assert!(reader.returned(external("vfork")).0 > 1);
    assert_eq!((reader.branch(2), reader.loaded(6), reader.branch(2)), (0, 67, 0));
    assert!(reader.is_at_end());
}

#[test]
fn another_program_has_a_recording_of_its_own() {
    let (out, status) = recorded_with(&["exec"], |_| ());
    assert!(status.success());
    let all = recordings(out.path());
    let [before, after] = &all[..] else { panic!("{}", all.len()) };
    assert_eq!((before.header.pid, before.header.status, after.header.status), (after.header.pid, 0, STATUS_ENDED));
    let mut reader = Reader::new(before);
    assert_eq!(reader.branch(2), 1);
    assert!(reader.is_at_end());
    Reader::new(after).loaded(0);
}

#[test]
fn a_second_thread_ends_the_recording_and_not_the_program() {
    for how in ["threads", "told"] {
        let recording = recorded(&[how]);
        assert_eq!(recording.header.status, STATUS_THREADS | STATUS_ENDED, "{how}");
        let mut reader = Reader::new(&recording);
        assert_eq!(reader.branch(2), 1);
        assert!(reader.is_at_end(), "{how}");
    }
}

#[test]
fn a_process_that_is_killed_leaves_what_it_did() {
    let (out, status) = recorded_with(&["kill", "5"], |_| ());
    assert_eq!(status.signal(), Some(9));
    let all = recordings(out.path());
    let mut reader = Reader::new(&all[0]);
    for slot in 0..5 {
        reader.loaded(slot);
        reader.branch(2);
    }
    assert!(reader.is_at_end() && all[0].header.status == 0);

    let (out, status) = recorded_with(&["segv"], |_| ());
    assert_eq!(status.signal(), Some(11));
    assert_eq!(recordings(out.path())[0].header.step, 42, "the step that faulted");
}

/// Numbers that the program fills its stream with, as far as they are recorded.
fn filled(recording: &Recording) -> usize {
    let mut reader = Reader::new(recording);
    let mut number = 1u64;
    let mut count = 0;
    while let Ok(loaded) = reader.mirror.take_loaded(&mut reader.stream, count as u32) {
        number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        assert_eq!(loaded, number, "{count}");
        count += 1;
        match reader.mirror.take_branch(&mut reader.stream, 2) {
            Ok(outcome) => assert_eq!(outcome, number >> 63),
            Err(end) => assert_eq!(end, Unread::End),
        }
    }
    count
}

#[test]
fn a_long_stream_is_whole() {
    let recording = recorded(&["fills", "2200000"]);
    assert_eq!(filled(&recording), 2_200_000);
    assert!(recording.header.cursor - suspect_format::record::STREAM_ADDRESS as u64 > 20 << 20);
}

#[test]
fn a_limit_ends_the_recording_and_not_the_program() {
    let (out, status) =
        recorded_with(&["fills", "1000000"], |command| _ = command.env("SUSPECT_RECORD_BYTES", "3000000"));
    assert!(status.success());
    let all = recordings(out.path());
    assert_eq!(all[0].header.status, STATUS_LIMIT | STATUS_ENDED);
    let count = filled(&all[0]);
    assert!((100_000..400_000).contains(&count), "{count}");
    assert!(all[0].bytes.len() <= 3_000_000);
}

#[test]
fn a_file_that_may_not_grow_ends_the_recording_and_not_the_program() {
    let limit = |bytes: u64| {
        move |command: &mut Command| {
            // SAFETY: `setrlimit` may be called between fork and exec.
            unsafe {
                command.pre_exec(move || {
                    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
                    assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
                    Ok(())
                });
            }
        }
    };
    let (out, status) = recorded_with(&["fills", "1000000"], limit(1 << 20));
    assert!(status.success(), "{status}");
    let all = recordings(out.path());
    assert_eq!(all[0].header.status, STATUS_NO_SPACE | STATUS_ENDED);
    assert!(filled(&all[0]) > 50_000);

    // Where there is no room for anything the program runs as it would without.
    let (out, status) = recorded_with(&["fills", "10"], limit(100));
    assert_eq!((status.code(), recordings(out.path()).len()), (Some(77), 0));
}
