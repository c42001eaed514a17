//! The supervisor of one command: a fork of this process that waits, reaps and kills.
//!
//! Everything from [`split`] on runs between `fork` and `exec` in a process that had threads, so it calls the system only: no memory
//! is allocated, no lock taken, nothing can panic.

use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_void};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use suspect_format::abi::{SESSION_BYTES, SESSION_FILE};

/// What the two processes that come out of [`split`] need to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Read end of the control pipe: a byte means "end it now", end-of-file that the parent has died.
    pub control: RawFd,
    /// Write end of the report pipe.
    pub report: RawFd,
    /// Milliseconds from SIGTERM to SIGKILL.
    pub grace: i64,
    /// Resource, soft and hard limit; lowered to what the process may have.
    pub limits: [Option<(libc::__rlimit_resource_t, u64, u64)>; 5],
}

/// Milliseconds after which a tree that does not die is given up.
const GIVE_UP: i64 = 5_000;

/// Size of a [`Report`] on the pipe.
pub(super) const REPORT_BYTES: usize = 7 * 8;

/// What the supervisor writes: once when the first process has ended, once when the tree has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Report {
    /// Whether the whole tree has ended, not the first process alone.
    pub finished: u64,
    /// Whether the first process has ended; false when it could not be killed.
    pub ended: u64,
    /// Word given by `wait` for the first process.
    pub status: u64,
    /// CPU time of all processes reaped, in microseconds.
    pub cpu: u64,
    /// Largest resident set of a process, in KiB.
    pub peak: u64,
    /// Processes that outlived the first.
    pub leftovers: u64,
    /// Processes that could not be killed.
    pub survivors: u64,
}

impl Report {
    /// From the bytes on the pipe.
    pub(super) fn from_bytes(bytes: &[u8; REPORT_BYTES]) -> Report {
        let word = |i: usize| u64::from_ne_bytes(std::array::from_fn(|k| bytes[8 * i + k]));
        Report {
            finished: word(0),
            ended: word(1),
            status: word(2),
            cpu: word(3),
            peak: word(4),
            leftovers: word(5),
            survivors: word(6),
        }
    }
}

/// A program with its arguments and environment, as the system takes them, and room to execute it in.
#[derive(Debug)]
pub(super) struct Program {
    arguments: Strings,
    environment: Strings,
    /// Contents of the file of its session; there is none if it is empty.
    session: Vec<u8>,
    stack: Vec<u128>,
}

/// Strings that end with a zero byte, and the array of pointers to them that ends with a null.
#[derive(Debug)]
struct Strings {
    _owned: Vec<CString>,
    pointers: Vec<*const c_char>,
}

// SAFETY: the pointers are to heap memory that the value owns and nobody changes.
unsafe impl Send for Strings {}
// SAFETY: as above.
unsafe impl Sync for Strings {}

impl Strings {
    fn new(strings: impl Iterator<Item = Vec<u8>>) -> io::Result<Strings> {
        let owned = strings.map(CString::new).collect::<Result<Vec<_>, _>>()?;
        let pointers = owned.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect();
        Ok(Strings { _owned: owned, pointers })
    }
}

impl Program {
    /// # Errors
    /// When a string has a zero byte in it.
    pub fn new(
        argv: &[OsString],
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        session: &[(OsString, OsString)],
    ) -> io::Result<Program> {
        let variable = |(name, value): (OsString, OsString)| [name.as_bytes(), b"=", value.as_bytes()].concat();
        let lines = session.iter().map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat());
        let session = lines.collect::<Vec<_>>().concat();
        Ok(Program {
            session: if session.len() < SESSION_BYTES { session } else { Vec::new() },
            arguments: Strings::new(argv.iter().map(|argument| OsStr::as_bytes(argument).to_vec()))?,
            environment: Strings::new(environment.into_iter().map(variable))?,
            // `execvp` has a path on the stack, and the arguments once more when it hands a script to the shell.
            stack: vec![0; 4096 + argv.len()],
        })
    }
}

/// Splits a freshly forked child into the supervisor, which stays inside this call until it exits, and the command.
///
/// The command's process has the supervisor's memory until it executes, for the supervisor waits as long: a second copy of the
/// page tables of a tool that knows thousands of tests would cost as much as a short test.
///
/// # Errors
/// When the command cannot be started.
pub(super) fn split(plan: &Plan, program: &mut Program) -> io::Result<()> {
    // SAFETY: system calls on this process alone.
    unsafe {
        libc::setsid();
        // An ignored SIGCHLD would make `wait` lose statuses.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        if libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    let top = program.stack.as_mut_ptr_range().end;
    let mut start = Start { plan, program: &*program, failed: 0 };
    // SAFETY: `execute` runs on a stack of its own while this process stands still, and `start` outlives it.
    let child = unsafe {
        libc::clone(execute, top.cast(), libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD, (&raw mut start).cast())
    };
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: written by the child, before this process went on.
    match unsafe { (&raw const start.failed).read_volatile() } {
        0 => Supervisor::new(plan, child, !program.session.is_empty()).run(),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// What [`execute`] is handed.
struct Start<'a> {
    plan: &'a Plan,
    program: &'a Program,
    /// The error of the system that said no.
    failed: c_int,
}

unsafe extern "C" {
    static mut environ: *const *const c_char;
}

/// Becomes the command, or leaves behind why not.
extern "C" fn execute(start: *mut c_void) -> c_int {
    // SAFETY: `split` hands over its own `Start` and waits. `execvp` looks the program up in the `PATH` of `environ`, which
    // the supervisor has no use for.
    unsafe {
        let start = &mut *start.cast::<Start>();
        prepare(start.plan);
        if !start.program.session.is_empty() {
            write_session(&start.program.session);
        }
        environ = start.program.environment.pointers.as_ptr();
        libc::execvp(start.program.arguments.pointers[0], start.program.arguments.pointers.as_ptr());
        (&raw mut start.failed).write_volatile(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL));
        libc::_exit(127)
    }
}

/// Makes the calling process fit to execute the command.
fn prepare(plan: &Plan) {
    // SAFETY: system calls on this process alone, with pointers to locals.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        for signal in 1..65 {
            libc::signal(signal, libc::SIG_DFL);
        }
        // A surrounding make's job server, say. Without it (before Linux 5.11) the command gets them, as it would from make.
        libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
        // Containers may refuse it; addresses then differ between runs, nothing else does.
        let persona = libc::personality(0xffff_ffff);
        if persona >= 0 {
            libc::personality((persona | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong);
        }
        for &(resource, soft, hard) in plan.limits.iter().flatten() {
            let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::getrlimit(resource, &mut now);
            let max = hard.min(now.rlim_max);
            libc::setrlimit(resource, &libc::rlimit { rlim_cur: soft.min(max), rlim_max: max });
        }
    }
}

/// What the supervisor is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Waiting for the first process.
    Running,
    /// SIGTERM was sent; SIGKILL follows at this time.
    Asked(i64),
    /// SIGKILL is sent until nothing is left or this time has come.
    Killing(i64),
}

/// Room for the path of a session's file.
const SESSION_PATH: usize = SESSION_FILE.len() + 12;

/// The path of the file of the session that a process leads, with a zero byte at its end.
fn session_path(leader: libc::pid_t) -> [u8; SESSION_PATH] {
    let mut path = [0; SESSION_PATH];
    let (mut digits, mut count, mut rest) = ([0u8; 10], 0, leader.unsigned_abs());
    while rest > 0 || count == 0 {
        digits[count % 10] = b'0' + (rest % 10) as u8;
        (count, rest) = (count + 1, rest / 10);
    }
    let number = digits.iter().take(count).rev();
    path.iter_mut().zip(SESSION_FILE.as_bytes().iter().chain(number)).for_each(|(to, from)| *to = *from);
    path
}

/// Leaves for this process's session what its environment would say. Without a place for it whoever clears the environment is not recorded.
fn write_session(contents: &[u8]) {
    // SAFETY: system calls with pointers to locals and to the contents.
    unsafe {
        let path = session_path(libc::getpid());
        // Of another session that had this id and whose supervisor was killed.
        libc::unlink(path.as_ptr().cast());
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        let fd = libc::open(path.as_ptr().cast(), flags, 0o600 as libc::c_uint);
        if fd >= 0 {
            libc::write(fd, contents.as_ptr().cast(), contents.len());
            // Also for processes that become another user.
            libc::fchmod(fd, 0o644);
            libc::close(fd);
        }
    }
}

struct Supervisor {
    /// Whether the command's session has a file.
    has_session: bool,
    main: libc::pid_t,
    grace: i64,
    phase: Phase,
    report: Report,
    control_open: bool,
}

/// Descriptors after [`take_descriptors`].
const CONTROL: RawFd = 0;
const REPORT: RawFd = 1;

impl Supervisor {
    fn new(plan: &Plan, main: libc::pid_t, has_session: bool) -> Supervisor {
        take_descriptors(plan);
        Supervisor {
            has_session,
            main,
            grace: plan.grace,
            phase: Phase::Running,
            report: Report::default(),
            control_open: true,
        }
    }

    fn run(mut self) -> ! {
        let signals = watch_children();
        loop {
            if !self.reap() || !self.advance() {
                break;
            }
            self.wait(signals);
        }
        if self.has_session {
            // SAFETY: a path with a zero byte at its end.
            unsafe { libc::unlink(session_path(self.main).as_ptr().cast()) };
        }
        self.report.finished = 1;
        self.send();
        // SAFETY: ends this process without running anything of the parent's.
        unsafe { libc::_exit(0) }
    }

    /// Reaps what has ended; false when no process is left.
    fn reap(&mut self) -> bool {
        loop {
            let mut status = 0;
            // SAFETY: a zeroed rusage is valid; both pointers are to locals.
            let (pid, usage) = unsafe {
                let mut usage: libc::rusage = std::mem::zeroed();
                (libc::wait4(-1, &mut status, libc::WNOHANG | libc::__WALL, &mut usage), usage)
            };
            if pid <= 0 {
                return pid == 0;
            }
            self.report.cpu += microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
            self.report.peak = self.report.peak.max(usage.ru_maxrss as u64);
            if pid == self.main {
                self.report.ended = 1;
                self.report.status = status as u32 as u64;
                self.send();
            } else if self.phase != Phase::Running {
                self.report.leftovers += 1;
            }
        }
    }

    /// Goes on to the next phase if it is time; false to give up.
    fn advance(&mut self) -> bool {
        match self.phase {
            Phase::Running if self.report.ended == 1 => self.ask(),
            Phase::Asked(until) if now() >= until => self.phase = Phase::Killing(now() + GIVE_UP),
            Phase::Killing(until) if now() >= until => {
                self.report.survivors = signal_children(0);
                return false;
            }
            _ => {}
        }
        if let Phase::Killing(_) = self.phase {
            signal_children(libc::SIGKILL);
        }
        true
    }

    fn ask(&mut self) {
        signal_children(libc::SIGTERM);
        // A stopped process acts on SIGTERM only when it goes on.
        signal_children(libc::SIGCONT);
        self.phase = Phase::Asked(now() + self.grace);
    }

    /// Sleeps until a process ends, the parent says something, or the phase is over.
    fn wait(&mut self, signals: RawFd) {
        let timeout = match self.phase {
            Phase::Running => -1,
            Phase::Asked(until) => (until - now()).clamp(0, 1_000),
            Phase::Killing(_) => 2,
        };
        let control = if self.control_open { CONTROL } else { -1 };
        let poll = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut fds = [poll(control), poll(signals)];
        let mut buffer = [0u8; 512];
        // SAFETY: pointers and lengths of locals.
        unsafe {
            libc::poll(fds.as_mut_ptr(), 2, timeout as i32);
            if fds[1].revents != 0 {
                libc::read(signals, buffer.as_mut_ptr().cast(), buffer.len());
            }
            if fds[0].revents == 0 {
                return;
            }
            match libc::read(CONTROL, buffer.as_mut_ptr().cast(), buffer.len()) {
                n if n > 0 && self.phase == Phase::Running => self.ask(),
                // The parent is gone: nobody waits for a polite end.
                0 => {
                    self.control_open = false;
                    self.phase = Phase::Killing(now() + GIVE_UP);
                }
                _ => {}
            }
        }
    }

    fn send(&self) {
        // SAFETY: a struct of words, written whole; less than PIPE_BUF, so never in parts.
        unsafe { libc::write(REPORT, (&raw const self.report).cast(), REPORT_BYTES) };
    }
}

/// Closes every descriptor but the two pipes: the test's output must end with the test, and this process must not hold the
/// locks of its parent.
fn take_descriptors(plan: &Plan) {
    // SAFETY: descriptors of this process alone, which executes nothing of its parent's any more.
    unsafe {
        // Both are above 2, since Rust's start-up opens the standard three.
        libc::dup2(plan.control, CONTROL);
        libc::dup2(plan.report, REPORT);
        if libc::syscall(libc::SYS_close_range, 2, u32::MAX, 0) != 0 {
            let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
            for fd in 2..limit.rlim_cur.min(1 << 20) as RawFd {
                libc::close(fd);
            }
        }
    }
}

/// Blocks all signals and gives a descriptor that becomes readable when a child ends.
fn watch_children() -> RawFd {
    // SAFETY: signal sets are locals, initialised by the calls that fill them.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut set);
        libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        libc::signalfd(-1, &set, libc::SFD_NONBLOCK)
    }
}

/// Sends `signal` to each child and to each child's process group; gives the number of children.
///
/// Descendants become children as what is between them and this process dies, so repeating it reaches the whole tree. A
/// child that has not been reaped keeps its id and its group's, so nothing else can be hit.
pub(crate) fn signal_children(signal: i32) -> u64 {
    let mut children = 0;
    for_each_child(|child| {
        children += 1;
        // SAFETY: signals processes that this one has not reaped, see above. The group is the test's: it has a session
        // of its own, which no process from outside can join.
        unsafe {
            let group = libc::getpgid(child);
            if group > 1 && group != libc::getpgid(0) {
                libc::kill(-group, signal);
            }
            libc::kill(child, signal);
        }
    });
    children
}

/// Calls `f` with the id of each child of this process.
fn for_each_child(mut f: impl FnMut(libc::pid_t)) {
    let mut buffer = [0u8; 4096];
    let mut number = 0;
    // SAFETY: a constant C string, a local buffer.
    unsafe {
        let fd = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY);
        loop {
            let read = libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len());
            if read <= 0 {
                break;
            }
            for byte in buffer.iter().take(read as usize) {
                if byte.is_ascii_digit() {
                    number = number * 10 + (byte - b'0') as libc::pid_t;
                } else if number > 0 {
                    f(number);
                    number = 0;
                }
            }
        }
        libc::close(fd);
    }
}

fn microseconds(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64
}

/// Milliseconds of the monotonic clock.
fn now() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a pointer to a local.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
}
