//! Starting one process quickly from a worker, which has one thread: no copy of its page tables, no supervisor.

use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use super::contain::Filter;
use super::idle::Idle;
use super::random;

/// A command that is started again and again.
pub(super) struct Launcher {
    program: CString,
    cwd: CString,
    /// The arguments and their ends.
    argv: Strings,
    env: Strings,
    limits: Vec<(libc::__rlimit_resource_t, u64)>,
    filter: Option<Filter>,
    stack: Vec<u128>,
}

/// C strings and an array of their addresses with a null at its end.
struct Strings {
    _texts: Vec<CString>,
    pointers: Vec<*const c_char>,
}

impl Strings {
    fn of(texts: &[Vec<u8>]) -> io::Result<Strings> {
        let texts: Vec<CString> = texts.iter().map(|text| CString::new(&text[..])).collect::<Result<_, _>>()?;
        let pointers = texts.iter().map(|text| text.as_ptr()).chain([null()]).collect();
        Ok(Strings { _texts: texts, pointers })
    }
}

/// Bytes of the stack on which a child runs until it executes the program.
const STACK: usize = 64 << 10;

/// What a child needs, in memory that it shares with its parent.
struct Child<'a> {
    launcher: &'a mut Launcher,
    fds: [RawFd; 3],
    first_pid: *mut u64,
    traced: bool,
    failure: c_int,
}

impl Launcher {
    /// Prepares to run `argv` with `env` (`NAME=value`) in `cwd`, within limits and under a filter.
    pub(super) fn new(
        argv: &[Vec<u8>],
        env: &[Vec<u8>],
        cwd: &Path,
        limits: Vec<(libc::__rlimit_resource_t, u64)>,
        filter: Option<Filter>,
    ) -> io::Result<Launcher> {
        let first = argv.first().ok_or(io::ErrorKind::InvalidInput)?;
        let path = env.iter().find_map(|variable| variable.strip_prefix(b"PATH="));
        let program = find(first, path.unwrap_or(b"/usr/local/bin:/usr/bin:/bin"), cwd);
        Ok(Launcher {
            program: CString::new(program.as_os_str().as_bytes())?,
            cwd: CString::new(cwd.as_os_str().as_bytes())?,
            argv: Strings::of(argv)?,
            env: Strings::of(env)?,
            limits,
            filter,
            stack: vec![0; STACK / 16],
        })
    }

    /// Changes a limit.
    pub(super) fn set_limit(&mut self, resource: libc::__rlimit_resource_t, limit: u64) {
        self.limits.iter_mut().filter(|(known, _)| *known == resource).for_each(|(_, value)| *value = limit);
    }

    /// Starts it with these descriptors as the standard three. If `first_pid` is given its id is written there, and the random bytes
    /// that the kernel gave it are made the same as always: a mutant that reads beyond its objects may see what is made of them.
    pub(super) fn start(&mut self, fds: [RawFd; 3], first_pid: Option<*mut u64>) -> io::Result<Started> {
        let top = self.stack.as_mut_ptr_range().end.cast::<c_void>();
        let traced = first_pid.is_some();
        let mut child = Child { launcher: self, fds, first_pid: first_pid.unwrap_or(null_mut()), traced, failure: 0 };
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
        let mut pidfd: c_int = -1;
        // SAFETY: the child runs `become_program` on a stack of its own while this thread, the only one, waits for it to
        // execute the program or exit.
        let pid = unsafe { libc::clone(become_program, top, flags, (&raw mut child).cast(), &raw mut pidfd) };
        if pid < 0 {
            return Err(io::Error::last_os_error());
        }
        let started = Started { pid, pidfd };
        if child.failure != 0 {
            started.reap();
            return Err(io::Error::from_raw_os_error(child.failure));
        }
        if child.traced {
            random::fix(pid);
        }
        Ok(started)
    }
}

/// `name` itself if it has a slash, else the first executable of that name in `path`.
fn find(name: &[u8], path: &[u8], cwd: &Path) -> PathBuf {
    let as_path = |bytes: &[u8]| PathBuf::from(<std::ffi::OsStr as OsStrExt>::from_bytes(bytes));
    if name.contains(&b'/') {
        return as_path(name);
    }
    let candidates = path.split(|byte| *byte == b':').map(|dir| cwd.join(as_path(dir)).join(as_path(name)));
    let runs = |path: &PathBuf| nix::unistd::access(path.as_path(), nix::unistd::AccessFlags::X_OK).is_ok();
    candidates.clone().find(runs).unwrap_or_else(|| as_path(name))
}

/// The child until it executes the program: system calls only. It shares all memory with its parent, which sleeps.
extern "C" fn become_program(child: *mut c_void) -> c_int {
    // SAFETY: `start` gives the address of a local that outlives the child's stay here; everything it points to does too.
    unsafe {
        let child = &mut *child.cast::<Child>();
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        libc::setsid();
        for (number, fd) in (0..).zip(child.fds) {
            libc::dup2(fd, number);
        }
        if libc::chdir(child.launcher.cwd.as_ptr()) != 0 {
            return failed(child);
        }
        for (resource, limit) in &child.launcher.limits {
            let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::getrlimit(*resource, &mut now);
            let limit = (*limit).min(now.rlim_max);
            libc::setrlimit(*resource, &libc::rlimit { rlim_cur: limit, rlim_max: limit });
        }
        if !child.first_pid.is_null() {
            child.first_pid.write_volatile(libc::getpid() as u64);
        }
        // Stops it when it has executed the program; refused where tracing is.
        child.traced =
            child.traced && libc::ptrace(libc::PTRACE_TRACEME, 0, null_mut::<c_void>(), null_mut::<c_void>()) == 0;
        let Launcher { program, argv, env, filter, .. } = &mut *child.launcher;
        if filter.as_mut().is_some_and(|filter| filter.install().is_err()) {
            return failed(child);
        }
        libc::execve(program.as_ptr(), argv.pointers.as_ptr(), env.pointers.as_ptr());
        failed(child)
    }
}

fn failed(child: &mut Child) -> c_int {
    child.failure = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
    127
}

/// A process on its way.
pub(super) struct Started {
    pid: libc::pid_t,
    pidfd: RawFd,
}

/// How a wait came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// The process ended with this status, having had so many KiB in memory at most.
    Ended(c_int, u64),
    /// Its time was up and it was killed.
    TimedOut,
    /// The other end of the watched pipe was closed; the process was killed.
    Abandoned,
}

impl Started {
    /// Waits for the process's end; kills it when `look` says so or, for so long, nothing new, or when the other end of `watched` is
    /// closed.
    pub(super) fn wait(self, patience: Duration, look: &mut dyn FnMut() -> Look, watched: RawFd) -> Waited {
        let (mut seen, mut deadline) = (0, Instant::now() + patience);
        let mut idle = Idle::new(patience);
        let stopped = loop {
            match self.poll(deadline.min(Instant::now() + SLICE), watched) {
                Event::Ended => return self.reap(),
                Event::Abandoned => break Waited::Abandoned,
                Event::TimeUp => {}
            }
            match look() {
                Look::Stop => break Waited::TimedOut,
                Look::Done(done) if done != seen => (seen, deadline) = (done, Instant::now() + patience),
                Look::Done(_) if Instant::now() >= deadline || idle.is_over() => break Waited::TimedOut,
                Look::Done(_) => {}
            }
        };
        // SAFETY: a child that has not been waited for.
        unsafe { libc::kill(self.pid, libc::SIGKILL) };
        self.reap();
        stopped
    }

    fn reap(self) -> Waited {
        let mut status = 0;
        // SAFETY: a child of this process; a zeroed record, which is valid; a descriptor of ours.
        unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::wait4(self.pid, &mut status, 0, &mut usage);
            libc::close(self.pidfd);
            Waited::Ended(status, usage.ru_maxrss as u64)
        }
    }

    fn poll(&self, deadline: Instant, watched: RawFd) -> Event {
        loop {
            let left = milliseconds(deadline.saturating_duration_since(Instant::now()));
            let mut fds = [
                libc::pollfd { fd: self.pidfd, events: libc::POLLIN, revents: 0 },
                libc::pollfd { fd: watched, events: 0, revents: 0 },
            ];
            // SAFETY: an array of two.
            let ready = unsafe { libc::poll(fds.as_mut_ptr(), 2, left) };
            if fds[0].revents != 0 {
                return Event::Ended;
            }
            if ready > 0 && fds[1].revents != 0 {
                return Event::Abandoned;
            }
            if Instant::now() >= deadline {
                return Event::TimeUp;
            }
        }
    }
}

/// What somebody who looks at a running process now and then finds.
pub(super) enum Look {
    /// So much is done.
    Done(u32),
    /// It must not go on.
    Stop,
}

/// Time between two looks: a fork bomb makes some hundred processes meanwhile.
const SLICE: Duration = Duration::from_millis(20);

enum Event {
    Ended,
    TimeUp,
    Abandoned,
}

/// Rounded up, or the last millisecond would be spent spinning.
fn milliseconds(time: Duration) -> c_int {
    c_int::try_from(time.as_millis() + 1).unwrap_or(c_int::MAX)
}

/// Ends all that is left of what this process has started.
pub(super) fn end_all() {
    // SAFETY: waits for and signals children of this process alone.
    unsafe {
        loop {
            let reaped = libc::waitpid(-1, null_mut(), libc::WNOHANG | libc::__WALL);
            if reaped < 0 {
                return;
            }
            if reaped > 0 {
                continue;
            }
            match libc::getpid() {
                // First of its namespace: everybody else in there.
                1 => {
                    libc::kill(-1, libc::SIGKILL);
                }
                _ => drop(crate::exec::signal_children(libc::SIGKILL)),
            }
            libc::waitpid(-1, null_mut(), libc::__WALL);
        }
    }
}
