//! One command, run once: outcome, limits, and nothing left behind whatever the command does.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use suspect::exec::{Command, Environment, ExecError, Outcome, ScratchRoot, Status, Stdin};

/// Far longer than anything here takes on a busy machine, and far shorter than what is left would take.
const PATIENCE: Duration = Duration::from_secs(30);

fn shell(line: &str) -> Command {
    Command::shell(line, std::env::temp_dir())
}

fn run(line: &str) -> Outcome {
    shell(line).run().unwrap()
}

fn within(seconds: u64, line: &str) -> Outcome {
    let mut command = shell(line);
    command.limits.wall = Duration::from_secs(seconds);
    command.run().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Whether a process whose command line contains `mark` exists.
fn alive(mark: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark) && !zombie(&entry.path())
    })
}

fn zombie(process: &Path) -> bool {
    fs::read_to_string(process.join("stat")).is_ok_and(|stat| stat.rsplit(')').next().unwrap().starts_with(" Z"))
}

fn eventually(what: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn status_and_streams_are_the_commands() {
    let outcome = run("echo out; echo err >&2; exit 7");
    assert_eq!(outcome.status, Status::Exited(7));
    assert_eq!(text(&outcome.stdout.bytes), "out\n");
    assert_eq!(text(&outcome.stderr.bytes), "err\n");
    assert_eq!((outcome.leftovers, outcome.survivors), (0, 0));
    assert_eq!(run("kill -SEGV $$").status, Status::Signaled(libc::SIGSEGV));
}

#[test]
fn merged_streams_keep_their_order() {
    let mut command = shell("echo 1; echo 2 >&2; echo 3");
    command.merge_stderr = true;
    assert_eq!(text(&command.run().unwrap().stdout.bytes), "1\n2\n3\n");
}

#[test]
fn program_that_does_not_exist_is_an_error_that_names_it() {
    let error = Command::new(["./no-such-program"], "/").run().unwrap_err();
    assert_eq!(error.to_string(), "cannot run `./no-such-program` in /: No such file or directory (os error 2)");
    assert!(matches!(Command::new(Vec::<&str>::new(), "/").run(), Err(ExecError::Empty)));
    let error = Command::new(["true"], "/no/such/dir").run().unwrap_err();
    assert!(error.to_string().contains("/no/such/dir"), "{error}");
}

#[test]
fn input_comes_from_bytes_file_or_nowhere() {
    assert_eq!(run("wc -c").stdout.bytes, b"0\n");
    let mut command = shell("wc -c");
    command.stdin = Stdin::Bytes(vec![b'a'; 1 << 20]);
    assert_eq!(command.run().unwrap().stdout.bytes, b"1048576\n");
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), "hello").unwrap();
    command.stdin = Stdin::File(dir.path().join("in"));
    assert_eq!(command.run().unwrap().stdout.bytes, b"5\n");
    command.stdin = Stdin::File(dir.path().join("missing"));
    assert!(command.run().unwrap_err().to_string().contains("missing"));
}

#[test]
fn hanging_command_is_ended_in_time_with_all_its_children() {
    let start = Instant::now();
    let outcome = within(1, "echo before; sleep 314.1591 & sleep 314.1592");
    assert_eq!(outcome.status, Status::TimedOut);
    assert_eq!(text(&outcome.stdout.bytes), "before\n");
    assert!(start.elapsed() < PATIENCE);
    assert!(!alive("314.159"));
}

#[test]
fn command_that_ignores_sigterm_is_killed() {
    let outcome = within(1, "trap '' TERM; while :; do sleep 27.18281; done");
    assert_eq!(outcome.status, Status::TimedOut);
    assert!(!alive("27.18281"));
}

#[test]
fn stopped_command_is_killed() {
    let outcome = within(1, "sleep 27.5555 & kill -STOP $!; kill -STOP $$");
    assert_eq!(outcome.status, Status::TimedOut);
    assert!(!alive("27.5555"));
}

#[test]
fn daemon_in_its_own_session_that_holds_stdout_neither_blocks_nor_survives() {
    let start = Instant::now();
    let outcome = run("setsid sh -c 'trap \"\" TERM HUP; (sleep 1234.5) ; sleep 1234.6' & sleep 0.2; echo done");
    assert_eq!(outcome.status, Status::Exited(0));
    assert_eq!(text(&outcome.stdout.bytes), "done\n");
    assert!(start.elapsed() < PATIENCE);
    assert!(outcome.leftovers >= 1, "{outcome:?}");
    assert_eq!(outcome.survivors, 0);
    assert!(!alive("1234.5") && !alive("1234.6"));
}

#[test]
fn orphan_of_an_orphan_with_an_empty_environment_is_found() {
    let outcome = run("(setsid env -i sh -c 'setsid sleep 4321.5 & setsid sleep 4321.6 & exit' &) ; sleep 0.3");
    assert_eq!(outcome.leftovers, 2, "{outcome:?}");
    assert!(!alive("4321.5") && !alive("4321.6"));
}

#[test]
fn leftovers_of_one_command_do_not_touch_another() {
    std::thread::scope(|scope| {
        let long = scope.spawn(|| run("setsid sleep 1.5; echo whole"));
        for _ in 0..5 {
            run("setsid sleep 99.25 & exit 0");
        }
        assert_eq!(text(&long.join().unwrap().stdout.bytes), "whole\n");
    });
    assert!(!alive("99.25"));
}

#[test]
fn flood_is_cut_and_ended() {
    let mut command = shell("yes");
    command.limits.output = 1000;
    command.limits.flood = 1 << 20;
    let outcome = command.run().unwrap();
    assert_eq!(outcome.status, Status::Flooded);
    assert_eq!(outcome.stdout.bytes, b"y\n".repeat(500));
    assert!(outcome.stdout.truncated);
}

#[test]
fn leftover_that_floods_does_not_keep_us() {
    let start = Instant::now();
    let outcome = run("setsid yes & exit 3");
    assert_eq!(outcome.status, Status::Exited(3));
    assert!(start.elapsed() < PATIENCE);
}

#[test]
fn file_may_grow_to_its_limit_only() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::shell("exec head -c 10000000 /dev/zero > big", dir.path());
    command.limits.file_size = Some(65536);
    assert_eq!(command.run().unwrap().status, Status::Signaled(libc::SIGXFSZ));
    assert_eq!(fs::metadata(dir.path().join("big")).unwrap().len(), 65536);
}

#[test]
fn cpu_time_and_memory_are_limited_when_asked() {
    let mut command = shell("while :; do :; done");
    command.limits.cpu = Some(Duration::from_secs(1));
    let outcome = command.run().unwrap();
    assert_eq!(outcome.status, Status::Signaled(libc::SIGXCPU));
    // The limit counts whole ticks of the clock, also those that a hypervisor took from the machine; what is told is exact.
    assert!(outcome.cpu >= Duration::from_millis(500), "{:?}", outcome.cpu);
    let mut command = shell("x=$(head -c 300000000 /dev/zero | tr '\\0' x); echo ${#x}");
    command.limits.memory = Some(100 << 20);
    assert_ne!(command.run().unwrap().stdout.bytes, b"300000000\n");
}

#[test]
fn command_cannot_see_the_descriptors_and_signals_of_the_runner() {
    let _file = fs::File::open("/").unwrap();
    let outcome = run("ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status; ulimit -c");
    let out = text(&outcome.stdout.bytes);
    let mut lines = out.lines();
    // Three standard ones and the directory that `ls` reads.
    assert_eq!(lines.next(), Some("4"), "{out}");
    assert_eq!(lines.next(), Some("SigBlk:\t0000000000000000"));
    let ignored = lines.next().and_then(|line| line.strip_prefix("SigIgn:\t")).unwrap();
    // Signals 32 and 33 belong to the C library, which lets nobody change them.
    assert_eq!(u64::from_str_radix(ignored, 16).unwrap() & !(3 << 31), 0, "{out}");
    assert_eq!(lines.next(), Some("0"));
}

#[test]
fn command_leads_its_own_session() {
    let outcome = run("awk '{ print $5 == $6 }' /proc/$$/stat; echo $$; awk '{ print $6 }' /proc/$$/stat");
    let out = text(&outcome.stdout.bytes);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "1");
    assert_eq!(lines[1], lines[2]);
}

#[test]
fn addresses_are_the_same_in_every_run_whatever_the_directories_are_called() {
    let stack = |dir: &str| {
        let mut command = shell("grep -E 'stack' /proc/self/maps; awk '{ print $28 }' /proc/self/stat");
        command.env.set_varying("SUSPECT_OUT", dir);
        text(&command.run().unwrap().stdout.bytes)
    };
    let first = stack("/a");
    assert_eq!(first.lines().count(), 2, "{first}");
    assert_eq!(first, stack("/b/with/a/much/longer/name"));
}

#[test]
fn environment_is_what_it_was_given() {
    let mut command = Command::new(["/usr/bin/env"], "/");
    command.env = Environment::empty();
    command.env.set("B", "2");
    command.env.set("A", "1 x");
    let out = text(&command.run().unwrap().stdout.bytes);
    let lines: Vec<&str> = out.lines().filter(|line| !line.starts_with("SUSPECT_PAD=")).collect();
    assert_eq!(lines, ["A=1 x", "B=2", "PWD=/"]);
}

#[test]
fn many_commands_at_once_do_not_mix() {
    std::thread::scope(|scope| {
        for worker in 0..4 {
            scope.spawn(move || {
                for i in 0..25 {
                    let outcome = run(&format!("echo {worker} {i}; setsid sleep 77.125 & exit {worker}"));
                    assert_eq!(outcome.status, Status::Exited(worker));
                    assert_eq!(text(&outcome.stdout.bytes), format!("{worker} {i}\n"));
                }
            });
        }
    });
    assert!(!alive("77.125"));
}

/// Not a test by itself: the process that [`death_of_the_runner_ends_its_commands`] kills.
#[test]
fn runner_that_will_be_killed() {
    if std::env::var_os("TEST_RUNNER_TO_KILL").is_some() {
        // What a shell starts in the background ignores it, and so would this.
        // SAFETY: no handler of ours is replaced.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        run("setsid sleep 555.75 & trap '' TERM; while :; do sleep 555.25; done");
    }
}

#[test]
fn death_of_the_runner_ends_its_commands() {
    for signal in [libc::SIGKILL, libc::SIGINT] {
        let mut runner = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "runner_that_will_be_killed"])
            .env("TEST_RUNNER_TO_KILL", "1")
            .spawn()
            .unwrap();
        assert!(eventually(|| alive("555.75") && alive("555.25")));
        // SAFETY: signals a child that has not been waited for.
        unsafe { libc::kill(runner.id() as i32, signal) };
        runner.wait().unwrap();
        assert!(eventually(|| !alive("555.75") && !alive("555.25")), "left after signal {signal}");
    }
}

#[test]
fn scratch_directories_are_private_named_by_the_test_and_removed() {
    let root = ScratchRoot::new().unwrap();
    let first = root.scratch(3).unwrap();
    let second = root.scratch(3).unwrap();
    let path: PathBuf = first.path().into();
    assert_ne!(path, second.path());
    assert_eq!(path.as_os_str().len(), second.path().as_os_str().len());
    fs::write(first.tmp().join("x"), "").unwrap();
    drop(first);
    assert!(!path.exists());
    assert_eq!(root.scratch(3).unwrap().path(), path);
    let top: PathBuf = root.path().into();
    drop(second);
    drop(root);
    assert!(!top.exists());
}

#[test]
fn copy_keeps_modes_times_and_links_and_leaves_the_original_alone() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let from = dir.path().join("p ö");
    fs::create_dir_all(from.join("sub")).unwrap();
    fs::create_dir_all(from.join(".git")).unwrap();
    fs::write(from.join("sub/run"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(from.join("sub/run"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("sub/run", from.join("link")).unwrap();
    let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    fs::File::open(from.join("sub/run")).unwrap().set_modified(old).unwrap();
    fs::File::open(from.join("sub")).unwrap().set_modified(old).unwrap();

    let root = ScratchRoot::inside(dir.path()).unwrap();
    let scratch = root.scratch(0).unwrap();
    let copy = scratch.copy_of(&from).unwrap();
    assert_eq!(fs::read_link(copy.join("link")).unwrap(), Path::new("sub/run"));
    let copied = fs::metadata(copy.join("sub/run")).unwrap();
    assert_eq!(copied.permissions().mode() & 0o777, 0o755);
    assert_eq!(copied.modified().unwrap(), old);
    assert_eq!(fs::metadata(copy.join("sub")).unwrap().modified().unwrap(), old);
    assert!(!copy.join(".git").exists());
    fs::write(copy.join("sub/run"), "changed").unwrap();
    assert_eq!(fs::read_to_string(from.join("sub/run")).unwrap(), "#!/bin/sh\n");
}

#[test]
fn scratch_directory_without_permissions_is_removed_too() {
    use std::os::unix::fs::PermissionsExt;
    let root = ScratchRoot::new().unwrap();
    let scratch = root.scratch(0).unwrap();
    let path: PathBuf = scratch.path().into();
    fs::create_dir_all(path.join("tmp/a/b")).unwrap();
    fs::set_permissions(path.join("tmp/a"), fs::Permissions::from_mode(0o000)).unwrap();
    drop(scratch);
    assert!(!path.exists());
}

#[test]
fn scratch_directories_of_killed_runners_are_removed_and_no_others() {
    let parent = tempfile::tempdir().unwrap();
    let owned = ScratchRoot::inside(parent.path()).unwrap();
    let [abandoned, young, foreign] =
        ["suspect-scratch-abcdefgh", "suspect-scratch-ijklmnop", "mine"].map(|name| parent.path().join(name));
    for dir in [&abandoned, &young, &foreign] {
        fs::create_dir_all(dir.join("t0/tmp")).unwrap();
    }
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
    for dir in [owned.path(), &abandoned, &foreign] {
        fs::File::open(dir).unwrap().set_modified(long_ago).unwrap();
    }
    drop(ScratchRoot::inside(parent.path()).unwrap());
    assert!(!abandoned.exists());
    assert!(young.exists(), "its owner may be about to lock it");
    assert!(owned.path().exists() && foreign.exists());
}

#[test]
fn whole_forest_is_ended() {
    let outcome = run(
        "for i in $(seq 40); do (for j in 1 2 3; do setsid sleep 88.5 & done; setsid sleep 88.75) & done; sleep 0.5",
    );
    assert!(outcome.leftovers >= 160, "{}", outcome.leftovers);
    assert_eq!(outcome.survivors, 0);
    assert!(!alive("88.5") && !alive("88.75"));
}

#[test]
fn scratch_directories_in_memory_are_private_and_give_way_to_the_disk() {
    use std::os::unix::fs::PermissionsExt;
    let disk = tempfile::tempdir().unwrap();
    let root = ScratchRoot::in_memory(disk.path(), 1 << 20).unwrap();
    assert_eq!(root.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    let kept = root.path().to_owned();
    drop(root);
    assert!(!kept.exists());
    // No machine has so much to spare.
    let root = ScratchRoot::in_memory(disk.path(), u64::MAX).unwrap();
    assert!(root.path().starts_with(disk.path()));
}
