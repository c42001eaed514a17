//! Whether all that a trial started waits, each for another one: nothing will happen any more. A thread that is never joined is such a change's usual end.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::test::LEAST_WALL;

/// How long all have to wait before they are believed to do so for ever, besides what the whole test may take: ten looks.
const LEAST_IDLE: Duration = Duration::from_millis(200);
/// Bits of a futex's operation that say what it does.
const FUTEX_COMMAND: u64 = 0x7f;

/// Looks at the processes of a trial now and then. Only the first process of a namespace of its own knows all of them.
pub(super) struct Idle {
    /// How long they have to wait.
    limit: Duration,
    /// Since when they do, and how often they had been scheduled by then.
    since: Option<(Instant, u64)>,
}

impl Idle {
    /// For a trial that may take so long, [`LEAST_WALL`] of it to spare.
    pub(super) fn new(patience: Duration) -> Idle {
        Idle { limit: patience.saturating_sub(Duration::from_nanos(LEAST_WALL)) + LEAST_IDLE, since: None }
    }

    /// Whether they have waited for so long.
    pub(super) fn is_over(&mut self) -> bool {
        let now = all_wait(Path::new("/proc")).filter(|_| std::process::id() == 1);
        self.since = match (self.since, now) {
            (Some((since, before)), Some(switches)) if before == switches => Some((since, before)),
            (_, now) => now.map(|switches| (Instant::now(), switches)),
        };
        self.since.is_some_and(|(since, _)| since.elapsed() >= self.limit)
    }
}

/// How often the threads of all processes but the first have been scheduled, if each waits for what only another process does.
fn all_wait(proc: &Path) -> Option<u64> {
    let mut switches = 0;
    for process in fs::read_dir(proc).ok()?.flatten() {
        let is_other = |name: &str| name != "1" && name.bytes().all(|byte| byte.is_ascii_digit());
        if !process.file_name().to_str().is_some_and(is_other) {
            continue;
        }
        for thread in fs::read_dir(process.path().join("task")).ok()?.flatten() {
            switches += waits(&thread.path())?;
        }
    }
    Some(switches)
}

/// How often a thread has been scheduled, if it waits so, or has ended.
fn waits(thread: &Path) -> Option<u64> {
    let status = fs::read_to_string(thread.join("status")).ok()?;
    let of = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    match of("State:")?.chars().next()? {
        'Z' | 'X' => return Some(0),
        'S' => {}
        _ => return None,
    }
    let call = fs::read_to_string(thread.join("syscall")).ok()?;
    let is_pipe = |fd: u64| {
        let link = fs::read_link(thread.join("fd").join(fd.to_string()));
        link.is_ok_and(|link| link.to_string_lossy().starts_with("pipe:"))
    };
    if !is_for_ever(&call, is_pipe) {
        return None;
    }
    let count = |name: &str| of(name)?.parse::<u64>().ok();
    Some(count("voluntary_ctxt_switches:")? + count("nonvoluntary_ctxt_switches:")?)
}

/// Whether a system call, as the kernel tells it (number and arguments), ends by what another thread or process does and by no time.
fn is_for_ever(call: &str, is_pipe: impl Fn(u64) -> bool) -> bool {
    let mut words = call.split_ascii_whitespace();
    let Some(number) = words.next().and_then(|word| word.parse::<i64>().ok()) else { return false };
    let arguments: Vec<u64> =
        words.map_while(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()).take(6).collect();
    let [first, second, _, fourth, ..] = arguments[..] else { return false };
    match number {
        libc::SYS_wait4 | libc::SYS_waitid | libc::SYS_rt_sigsuspend => true,
        libc::SYS_read | libc::SYS_readv | libc::SYS_write | libc::SYS_writev => is_pipe(first),
        libc::SYS_futex => {
            let command = second & FUTEX_COMMAND;
            let is_wait = [libc::FUTEX_WAIT, libc::FUTEX_WAIT_BITSET].iter().any(|wait| command == *wait as u64);
            is_wait && fourth == 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_no_time_ends_wait_for_ever() {
        let call = |number: i64, arguments: &str| format!("{number} {arguments} 0x7ffe 0x7f00\n");
        let waits = |number, arguments| is_for_ever(&call(number, arguments), |fd| fd == 3);
        assert!(waits(libc::SYS_wait4, "0xffffffff 0x0 0x0 0x0 0x0 0x0"));
        assert!(waits(libc::SYS_read, "0x3 0x0 0x0 0x0 0x0 0x0"));
        assert!(!waits(libc::SYS_read, "0x4 0x0 0x0 0x0 0x0 0x0"), "a socket, say");
        assert!(waits(libc::SYS_futex, "0x7f00 0x80 0x2 0x0 0x0 0x0"));
        assert!(waits(libc::SYS_futex, "0x7f00 0x189 0x0 0x0 0x0 0xffffffff"));
        assert!(!waits(libc::SYS_futex, "0x7f00 0x80 0x2 0x7ffe00 0x0 0x0"), "with a time");
        assert!(!waits(libc::SYS_clock_nanosleep, "0x0 0x0 0x0 0x0 0x0 0x0"));
        for other in ["running", "", "-1 0x0 0x0", "61 0x1", "x y"] {
            assert!(!is_for_ever(other, |_| true), "{other}");
        }
    }

    /// Starts a shell that holds its end of a pipe, and gives whether it is seen to wait for ever once it sleeps; `None` where the kernel does not say.
    fn sleeps(line: &str) -> Option<bool> {
        let mut shell = std::process::Command::new("sh");
        let mut child = shell.args(["-c", line]).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let thread = std::path::PathBuf::from(format!("/proc/{0}/task/{0}", child.id()));
        let is_asleep = || {
            let call = fs::read_to_string(thread.join("syscall")).unwrap_or_default();
            let number = call.split(' ').next().and_then(|word| word.parse::<i64>().ok());
            [libc::SYS_read, libc::SYS_clock_nanosleep].iter().any(|one| number == Some(*one))
                && fs::read_to_string(thread.join("status")).is_ok_and(|status| status.contains("State:\tS"))
        };
        let is_told = fs::read_to_string(thread.join("syscall")).is_ok();
        while is_told && !is_asleep() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let found = waits(&thread).is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        is_told.then_some(found)
    }

    #[test]
    fn a_process_that_reads_a_pipe_waits_for_ever_and_one_that_sleeps_does_not() {
        let found = [sleeps("exec cat"), sleeps("exec sleep 1000")];
        assert!(found == [Some(true), Some(false)] || found == [None; 2], "{found:?}");
    }

    #[test]
    fn threads_are_read_as_the_kernel_tells_them() {
        let directory = tempfile::tempdir().unwrap();
        let write = |process: &str, state: &str, call: &str| {
            let thread = directory.path().join(process).join("task").join(process);
            fs::create_dir_all(&thread).unwrap();
            let status =
                format!("Name:\tx\nState:\t{state}\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t2\n");
            fs::write(thread.join("status"), status).unwrap();
            fs::write(thread.join("syscall"), call).unwrap();
        };
        let wait = format!("{} 0x1 0x0 0x0 0x0 0x0 0x0 0x1 0x2\n", libc::SYS_wait4);
        write("1", "R (running)", "running");
        write("2", "S (sleeping)", &wait);
        write("3", "Z (zombie)", "");
        assert_eq!(all_wait(directory.path()), Some(7));
        write("4", "R (running)", "running");
        assert_eq!(all_wait(directory.path()), None);
        write("4", "S (sleeping)", "35 0x1 0x0 0x0 0x0 0x0 0x0 0x1 0x2");
        assert_eq!(all_wait(directory.path()), None, "it sleeps for some time");
        let mut idle = Idle::new(Duration::ZERO);
        assert!(!idle.is_over(), "not the first of a namespace");
    }
}
