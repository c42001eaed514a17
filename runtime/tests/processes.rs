//! Real processes with hand-made hooks: what they recorded is in their traces, whatever became of them.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use suspect::trace::{Ending, Process, TraceFile, Traces, read_directory};
use suspect_format::abi::Mode;
use suspect_format::trace::{STATUS_FORKED, STATUS_NO_SPACE, STATUS_UNRECORDED};
use tempfile::TempDir;

const PROGRAM: u64 = 0x1111_1111_1111_1111;
const LIBRARY: u64 = 0x2222_2222_2222_2222;
const LINKED: u64 = 0x3333_3333_3333_3333;
const LOOP: usize = 1;
const CHILD: usize = 2;
const PARENT: usize = 3;
const THREAD_0: usize = 4;
const AFTER: usize = 8;
const EARLY: usize = 9;

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The directory with the two objects, the programs and the library.
fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime");
        fs::create_dir_all(&directory).unwrap();
        let out = format!("OUT={}", directory.display());
        run(Command::new("make").args(["-s", "-f"]).arg(here().join("Makefile")).args(["all", &out]));
        let library = directory.join("libtwice.so");
        link(&directory, "library.c", &library, &["-shared", "-fPIC"]);
        link(&directory, "program.c", &directory.join("program"), &[]);
        link(&directory, "program.c", &directory.join("static"), &["-static"]);
        link(&directory, "program.c", &directory.join("fixed"), &["-no-pie"]);
        let rpath = format!("-Wl,-rpath,{}", directory.display());
        let search = format!("-L{}", directory.display());
        link(&directory, "linked.c", &directory.join("linked"), &[&search, "-ltwice", &rpath]);
        directory
    })
}

/// Compiles and links one source between the two objects.
fn link(directory: &Path, source: &str, to: &Path, flags: &[&str]) {
    let mut command = Command::new("clang-19");
    command.args(["-O1", "-g", "-Wall", "-Werror", "-Wno-unused-function"]).arg(directory.join("suspect_rt.o"));
    command.arg(here().join("tests").join(source)).args(flags).args(["-pthread", "-ldl"]);
    command.arg(directory.join("suspect_rt_end.o")).arg("-o").arg(to);
    run(&mut command);
}

/// A program to be recorded into a directory of its own.
struct Recording {
    out: TempDir,
    command: Command,
}

impl Recording {
    fn of(program: &str, arguments: &[&str]) -> Recording {
        Recording::started_by(built().join(program).as_os_str(), arguments)
    }

    fn started_by(program: &OsStr, arguments: &[&str]) -> Recording {
        built();
        let out = TempDir::new().unwrap();
        let mut command = Command::new(program);
        command.args(arguments).env("SUSPECT_OUT", out.path()).env("SUSPECT_TEST", "a test");
        Recording { out, command }
    }

    fn mode(mut self, mode: Mode) -> Recording {
        self.command.env("SUSPECT_RECORD", mode.name());
        self
    }

    fn run(&mut self) -> ExitStatus {
        loop {
            match self.command.status() {
                // What another test forked has the program open, which has just been written, until it runs its own.
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => sleep(Duration::from_millis(10)),
                status => return status.unwrap(),
            }
        }
    }

    fn run_well(&mut self) {
        let status = self.run();
        assert!(status.success(), "{status}");
    }

    fn traces(&self) -> Traces {
        read_directory(self.out.path()).unwrap()
    }

    /// The only trace.
    fn trace(&self) -> TraceFile {
        let mut traces = self.traces();
        assert_eq!((traces.files.len(), &traces.warnings), (1, &vec![]));
        traces.files.remove(0)
    }
}

fn counters<'a>(process: &Process<'a>, unit: u64) -> &'a [u64] {
    let mut units = process.modules.iter().flat_map(|module| &module.units);
    units.find(|found| found.hash == unit).unwrap_or_else(|| panic!("no unit {unit:x} in {process:?}")).counters
}

fn counter(trace: &TraceFile, unit: u64, index: usize) -> u64 {
    counters(&trace.process(Ending::Unknown), unit)[index]
}

/// Says why a test cannot be made here; where `SUSPECT_NO_SKIP` is set, as CI has it, that is a failure.
fn skip(why: &str) {
    assert!(std::env::var_os("SUSPECT_NO_SKIP").is_none(), "skipped: {why}");
    eprintln!("skipped: {why}");
}

#[test]
fn a_program_without_the_runner_is_plain_and_writes_nothing() {
    let mut recording = Recording::of("program", &["mode"]);
    recording.command.env_remove("SUSPECT_OUT");
    assert_eq!(recording.run().code(), Some(Mode::Plain as i32));
    assert_eq!(fs::read_dir(recording.out.path()).unwrap().count(), 0);
}

#[test]
fn each_mode_is_taken_from_its_name() {
    for mode in [Mode::Edges, Mode::Values, Mode::Trace] {
        let mut recording = Recording::of("program", &["mode"]).mode(mode);
        assert_eq!(recording.run().code(), Some(mode as i32));
        assert_eq!(recording.trace().facts().mode, mode);
    }
    for word in ["plain", "edge", "values ", ""] {
        let mut recording = Recording::of("program", &["mode"]);
        recording.command.env("SUSPECT_RECORD", word);
        assert_eq!(recording.run().code(), Some(Mode::Plain as i32), "{word:?}");
        assert!(recording.traces().files.is_empty());
    }
}

#[test]
fn the_trace_says_whose_it_is() {
    let mut recording = Recording::of("program", &[]).mode(Mode::Values);
    let mut child = recording.command.spawn().unwrap();
    let pid = child.id();
    assert!(child.wait().unwrap().success());
    let trace = recording.trace();
    let facts = trace.facts();
    assert_eq!((facts.pid, facts.parent_pid, facts.status), (pid, std::process::id(), 0));
    assert_eq!((facts.test.as_str(), facts.mode), ("a test", Mode::Values));
    let program = built().join("program");
    assert_eq!(Path::new(&facts.executable), program);
    let process = trace.process(Ending::Exited);
    assert_eq!(Path::new(process.modules[0].path), program);
    assert!(process.is_clean() && !process.is_nonlocal());
}

#[test]
fn words_survive_every_way_to_end() {
    let ways = [("return", None), ("_exit", None), ("abort", Some(6)), ("segv", Some(11)), ("kill", Some(9))];
    for program in ["program", "static", "fixed"] {
        for (way, signal) in ways {
            let mut recording = Recording::of(program, &[way]);
            assert_eq!(recording.run().signal(), signal, "{program} {way}");
            let trace = recording.trace();
            assert_eq!(counter(&trace, PROGRAM, LOOP), 1000, "{program} {way}");
            assert_eq!(trace.process(Ending::Unknown).is_clean(), way == "return");
        }
    }
}

#[test]
fn constructors_are_recorded_from_the_first() {
    let mut recording = Recording::of("program", &[]);
    recording.run_well();
    assert_eq!(counter(&recording.trace(), PROGRAM, EARLY), 1);
}

#[test]
fn the_trace_is_good_at_any_moment_of_a_kill() {
    for round in 0..30u64 {
        let mut recording = Recording::of("program", &["spin"]);
        let mut child = recording.command.spawn().unwrap();
        std::thread::sleep(Duration::from_micros(round * round * 20));
        child.kill().unwrap();
        child.wait().unwrap();
        // It may not have come to its header yet.
        let traces = recording.traces();
        for trace in &traces.files {
            assert!(trace.warnings().is_empty(), "{:?}", trace.warnings());
        }
        assert!(traces.files.len() + traces.warnings.len() <= 1);
        if round > 25 {
            assert!(counter(&traces.files[0], PROGRAM, LOOP) > 1000);
        }
    }
}

#[test]
fn a_forked_child_counts_in_a_file_of_its_own() {
    for program in ["program", "static"] {
        let mut recording = Recording::of(program, &["fork"]).mode(Mode::Values);
        recording.run_well();
        let traces = recording.traces();
        let [parent, child] = &traces.files[..] else { panic!("{traces:?}") };
        assert_eq!(child.facts().parent_pid, parent.facts().pid);
        assert_eq!(child.facts().image_id, parent.facts().image_id);
        assert_eq!((parent.facts().status, child.facts().status), (0, STATUS_FORKED));
        assert_eq!(child.facts().test, "a test");
        let of = |trace: &TraceFile| [LOOP, CHILD, PARENT].map(|index| counter(trace, PROGRAM, index));
        assert_eq!((of(parent), of(child)), ([1000, 0, 1], [0, 1, 0]));
    }
}

#[test]
fn a_storm_of_forks_leaves_a_trace_each() {
    let mut recording = Recording::of("program", &["storm"]);
    recording.run_well();
    let traces = recording.traces();
    assert_eq!((traces.files.len(), traces.warnings), (201, vec![]));
    let sum = |index| traces.files.iter().map(|trace| counter(trace, PROGRAM, index)).sum::<u64>();
    assert_eq!((sum(CHILD), sum(PARENT), sum(LOOP)), (200, 200, 1000));
}

#[test]
fn exec_begins_a_new_trace_of_the_same_process() {
    let mut recording = Recording::of("program", &["exec"]);
    recording.run_well();
    let traces = recording.traces();
    let [first, second] = &traces.files[..] else { panic!("{traces:?}") };
    assert_eq!(first.facts().pid, second.facts().pid);
    assert_ne!(first.facts().image_id, second.facts().image_id);
    assert!(!first.process(Ending::Unknown).is_clean());
    assert!(second.process(Ending::Unknown).is_clean());
}

#[test]
fn a_signal_is_put_down_to_the_process_it_ended() {
    let endings = |way: &str, died: bool| {
        let mut recording = Recording::of("program", &[way]);
        recording.run();
        let traces = recording.traces();
        traces.processes(died).iter().map(|process| process.ending).collect::<Vec<_>>()
    };
    assert_eq!(endings("segv", true), [Ending::Signalled]);
    assert_eq!(endings("segv", false), [Ending::Unknown]);
    // It ended in order; the signal was another's.
    assert_eq!(endings("return", true), [Ending::Unknown]);
    assert_eq!(endings("fork", true), [Ending::Signalled, Ending::Unknown]);
    assert_eq!(endings("exec", true), [Ending::Exited, Ending::Unknown]);
}

#[test]
fn threads_share_the_words() {
    let mut recording = Recording::of("program", &["threads"]);
    recording.run_well();
    let trace = recording.trace();
    for thread in 0..4 {
        assert_eq!(counter(&trace, PROGRAM, THREAD_0 + thread), 100_000);
    }
}

#[test]
fn vfork_and_longjmp_leave_a_good_trace() {
    for way in ["vfork", "nonlocal"] {
        let mut recording = Recording::of("program", &[way]);
        recording.run_well();
        let trace = recording.trace();
        assert_eq!(counter(&trace, PROGRAM, LOOP), 1000);
        assert_eq!(trace.process(Ending::Unknown).is_nonlocal(), way == "nonlocal");
    }
}

#[test]
fn no_descriptor_is_kept_and_none_is_needed() {
    let mut recording = Recording::of("program", &["lowest"]);
    recording.command.stdin(Stdio::null());
    recording.run_well();
    let mut recording = Recording::of("program", &["closed"]);
    recording.run_well();
    let traces = recording.traces();
    assert_eq!(traces.files.len(), 2);
    assert_eq!(counter(&traces.files[0], PROGRAM, AFTER), 1);
    assert_eq!(counter(&traces.files[1], PROGRAM, CHILD), 1);
}

#[test]
fn a_program_started_without_descriptors_is_recorded() {
    let mut recording = Recording::started_by("sh".as_ref(), &["-c", "exec \"$0\" <&- >&- 2>&-"]);
    recording.command.arg(built().join("program"));
    recording.run_well();
    assert_eq!(counter(&recording.trace(), PROGRAM, LOOP), 1000);
}

#[test]
fn errno_is_kept() {
    Recording::of("program", &["errno"]).run_well();
    let mut unwritable = Recording::of("program", &["errno"]);
    unwritable.command.env("SUSPECT_OUT", "/nowhere/at all");
    unwritable.run_well();
}

#[test]
fn a_directory_that_is_not_there_or_too_long_makes_the_program_plain() {
    for directory in ["/nowhere", "/dev/null", "", &"/x".repeat(3000)] {
        let mut recording = Recording::of("program", &["mode"]);
        recording.command.env("SUSPECT_OUT", directory);
        let output = recording.command.output().unwrap();
        assert_eq!(output.status.code(), Some(Mode::Plain as i32), "{directory}");
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
    }
}

#[test]
fn a_directory_that_may_not_be_written_makes_the_program_plain() {
    let mut recording = Recording::of("program", &["mode"]);
    if !is_root() {
        fs::set_permissions(recording.out.path(), fs::Permissions::from_mode(0o500)).unwrap();
    } else {
        // The program runs as nobody, the directory is root's.
        fs::set_permissions(recording.out.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let copy = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap();
        let program = copy.path().join("program");
        fs::copy(built().join("program"), &program).unwrap();
        let out = recording.out;
        let mut command = Command::new(&program);
        command.arg("mode").env("SUSPECT_OUT", out.path()).uid(65534).gid(65534);
        recording = Recording { out, command };
        assert_eq!(recording.run().code(), Some(Mode::Plain as i32));
        assert!(recording.traces().files.is_empty());
        return;
    }
    assert_eq!(recording.run().code(), Some(Mode::Plain as i32));
}

fn is_root() -> bool {
    // SAFETY: no arguments, cannot fail.
    unsafe extern "C" {
        safe fn geteuid() -> u32;
    }
    geteuid() == 0
}

#[test]
fn a_program_with_more_rights_than_its_user_is_left_alone() {
    if !is_root() {
        skip("only root can give a program to somebody else");
        return;
    }
    let copy = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap();
    let program = copy.path().join("program");
    fs::copy(built().join("program"), &program).unwrap();
    chown(&program, Some(65534), None).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    let mut recording = Recording::started_by(program.as_os_str(), &["secure"]);
    fs::set_permissions(recording.out.path(), fs::Permissions::from_mode(0o777)).unwrap();
    match recording.run().code() {
        Some(0) => assert!(recording.traces().files.is_empty()),
        Some(9) => skip("this file system gives no rights"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_limit_on_file_sizes_refuses_the_recording_and_not_the_program() {
    for (limit, has_trace) in [("8192", true), ("4096", true), ("100", false)] {
        let fsize = format!("--fsize={limit}");
        let mut recording = Recording::started_by("prlimit".as_ref(), &[&fsize]);
        recording.command.arg(built().join("program")).arg("mode");
        assert_eq!(recording.run().code(), Some(Mode::Plain as i32), "{limit}");
        let traces = recording.traces();
        assert_eq!(traces.files.len(), usize::from(has_trace), "{limit}");
        if has_trace {
            assert_eq!(traces.files[0].facts().status, STATUS_NO_SPACE);
            assert!(traces.warnings[0].contains("disk was full"), "{:?}", traces.warnings);
        } else {
            assert_eq!(fs::read_dir(recording.out.path()).unwrap().count(), 0);
        }
    }
}

/// A file system of its own, unmounted when dropped.
struct Mount(PathBuf);

impl Drop for Mount {
    fn drop(&mut self) {
        run(Command::new("umount").arg(&self.0));
    }
}

#[test]
fn a_full_disk_refuses_the_recording_and_not_the_program() {
    let recording = Recording::of("program", &["mode"]);
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(recording.out.path());
    if !mount.output().is_ok_and(|output| output.status.success()) {
        skip("mounting a small file system is not allowed here");
        return;
    }
    let mut recording = recording;
    let full = Mount(recording.out.path().to_owned());
    let mut program = |expected: Mode| assert_eq!(recording.run().code(), Some(expected as i32));
    program(Mode::Edges);
    // Two pages left: room for the header, not for the words.
    fs::write(full.0.join("ballast"), vec![1; 36 << 10]).unwrap();
    program(Mode::Plain);
    // None left.
    let _ = fs::write(full.0.join("more"), vec![1; 8 << 10]);
    program(Mode::Plain);
    let traces = read_directory(&full.0).unwrap();
    let status: Vec<u32> = traces.files.iter().map(|trace| trace.facts().status).collect();
    assert_eq!(status, [0, STATUS_NO_SPACE], "{traces:?}");
}

#[test]
fn a_child_that_cannot_make_a_file_counts_in_its_parents_words_and_is_told_of() {
    if !is_root() {
        skip("only root can change the root directory");
        return;
    }
    let jail = TempDir::new().unwrap();
    let mut recording = Recording::of("program", &["chroot", jail.path().to_str().unwrap()]);
    recording.run_well();
    let traces = recording.traces();
    assert_eq!(traces.files.len(), 1);
    assert_eq!(traces.files[0].process(Ending::Unknown).lost_children(), 1);
    assert_eq!(counter(&traces.files[0], PROGRAM, CHILD), 1, "what the child did is lost");
    assert!(traces.warnings[0].contains("one forked process is counted with"), "{:?}", traces.warnings);
}

#[test]
fn modules_share_the_process_s_file() {
    let mut recording = Recording::of("linked", &[]);
    recording.run_well();
    let trace = recording.trace();
    let process = trace.process(Ending::Unknown);
    assert_eq!(process.modules.len(), 2);
    assert_eq!(counters(&process, LINKED), [1, 1]);
    let library = counters(&process, LIBRARY);
    assert_eq!((library[0], library[599], library.iter().sum::<u64>()), (1, 1, 2));
    assert!(process.modules.iter().any(|module| module.path.ends_with("libtwice.so")));
}

#[test]
fn a_library_opened_later_is_recorded_and_may_be_closed() {
    for way in ["dlopen", "dlclose"] {
        let library = built().join("libtwice.so");
        let mut recording = Recording::of("program", &[way, library.to_str().unwrap()]).mode(Mode::Values);
        recording.run_well();
        let traces = recording.traces();
        let [parent, child] = &traces.files[..] else { panic!("{traces:?}") };
        assert_eq!(counter(parent, LIBRARY, 0), 1);
        let in_child = child.process(Ending::Unknown).modules.len();
        assert_eq!(in_child, if way == "dlopen" { 2 } else { 1 });
    }
}

#[test]
fn full_values_are_logged_in_order_and_by_thread() {
    let mut recording = Recording::of("program", &["log"]).mode(Mode::Trace);
    recording.run_well();
    let trace = recording.trace();
    let entries: Vec<_> = trace.log().collect();
    assert_eq!(entries.len(), 4000);
    let process = trace.process(Ending::Exited);
    let first_value = process.modules[0].units[0].address + 16 * 8;
    for node in 0..4 {
        let of_node = entries.iter().filter(|entry| entry.address == first_value + node * 8);
        let values: Vec<u64> = of_node.clone().map(|entry| entry.value).collect();
        assert_eq!(values, (0..1000).collect::<Vec<u64>>());
        let thread = of_node.clone().next().unwrap().thread;
        assert!(of_node.clone().all(|entry| entry.thread == thread));
    }
}

#[test]
fn a_small_log_drops_values_and_says_so() {
    let mut recording = Recording::of("program", &["log"]).mode(Mode::Trace);
    recording.command.env("SUSPECT_LOG_BYTES", "4096");
    recording.run_well();
    let traces = recording.traces();
    assert_eq!(traces.files[0].log().count(), 256);
    assert!(traces.warnings[0].contains("3744 values were dropped: there was room for 256"), "{:?}", traces.warnings);
}

#[test]
fn a_forked_child_has_a_log_of_its_own() {
    let mut recording = Recording::of("program", &["fork"]).mode(Mode::Trace);
    recording.run_well();
    let traces = recording.traces();
    assert!(traces.files.iter().all(|trace| trace.layout().log.is_some()));
}

#[test]
fn words_that_do_not_fill_their_pages_are_refused() {
    let program = built().join("unpadded");
    let mut command = Command::new("clang-19");
    command.arg("-O1").arg(built().join("suspect_rt.o")).arg(here().join("tests/linked.c"));
    run(command.arg(here().join("tests/library.c")).arg("-o").arg(&program));
    let mut recording = Recording::started_by(program.as_os_str(), &[]);
    recording.run_well();
    let traces = recording.traces();
    assert_eq!(traces.files[0].facts().status, STATUS_UNRECORDED);
    assert!(traces.warnings[0].contains("not linked by suspect-cc"), "{:?}", traces.warnings);
}

#[test]
fn every_linker_keeps_the_words_in_whole_pages() {
    for linker in ["ld.bfd", "ld.gold", "ld.lld-19", "ld.mold"] {
        let Some(path) = ["/usr/bin", "/usr/local/bin"].iter().map(|d| Path::new(d).join(linker)).find(|p| p.exists())
        else {
            skip(&format!("there is no {linker}"));
            continue;
        };
        for sections in ["-Wl,--no-gc-sections", "-Wl,--gc-sections"] {
            let program = built().join(linker);
            link(built(), "program.c", &program, &[&format!("--ld-path={}", path.display()), sections]);
            let mut recording = Recording::started_by(program.as_os_str(), &["fork"]);
            recording.run_well();
            assert_eq!(counter(&recording.traces().files[0], PROGRAM, LOOP), 1000, "{linker} {sections}");
        }
    }
}

#[test]
fn the_objects_need_nothing_and_show_nothing() {
    for object in ["suspect_rt.o", "suspect_rt_end.o"] {
        let output = Command::new("nm").arg("-P").arg(built().join(object)).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let undefined: Vec<&str> = text.lines().filter(|line| line.contains(" U ")).collect();
        assert!(undefined.is_empty(), "{object}: {undefined:?}");
    }
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(built().join("libtwice.so")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("twice") && !text.contains("__suspect_"), "{text}");
}
