//! A command and its limits; running it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::capture::Capture;
use super::supervisor::{self, Plan, Program, REPORT_BYTES, Report};
use super::{Environment, ExecError, Outcome, Status, WRITING_PROGRAMS, interrupt};

/// What a command reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// `/dev/null`.
    #[default]
    Null,
    /// A file, from its start.
    File(PathBuf),
    /// These bytes, in a file without a name.
    Bytes(Vec<u8>),
}

/// What a command may use up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time of the first process.
    pub wall: Duration,
    /// CPU time of each process; rounded up to seconds. The process gets SIGXCPU.
    pub cpu: Option<Duration>,
    /// Bytes of each file that a process writes. The process gets SIGXFSZ.
    pub file_size: Option<u64>,
    /// Bytes of address space of each process.
    pub memory: Option<u64>,
    /// Bytes of each output stream that are kept.
    pub output: usize,
    /// Bytes of an output stream after which the command is ended.
    pub flood: u64,
    /// Whether each process gets a stack that is larger than the user's.
    pub large_stack: bool,
    /// Whether an interrupt of suspect ends it, too, as if its time were up.
    pub interruptible: bool,
    /// From asking a process to end (SIGTERM) to ending it (SIGKILL).
    pub grace: Duration,
}

impl Default for Limits {
    /// An hour, files of 4 GiB, 64 MiB kept of each stream, ended after 1 GiB, a fifth of a second to die in.
    fn default() -> Limits {
        Limits {
            wall: Duration::from_secs(3600),
            cpu: None,
            file_size: Some(4 << 30),
            memory: None,
            output: 64 << 20,
            flood: 1 << 30,
            large_stack: false,
            interruptible: false,
            grace: Duration::from_millis(200),
        }
    }
}

/// A command to run once.
#[derive(Clone, Debug)]
pub struct Command {
    /// Program and arguments. A program with a slash is taken from `cwd`, others from the `PATH` of `env`.
    pub argv: Vec<OsString>,
    /// Working directory.
    pub cwd: PathBuf,
    /// Environment.
    pub env: Environment,
    /// Variables of it that recorded programs find although somebody clears it.
    pub session: Vec<(OsString, OsString)>,
    /// Standard input.
    pub stdin: Stdin,
    /// Whether standard error goes where standard output goes.
    pub merge_stderr: bool,
    /// Limits.
    pub limits: Limits,
}

impl Command {
    /// `argv` in `cwd` with the cleaned environment, no input and the default limits.
    pub fn new<S: Into<OsString>>(argv: impl IntoIterator<Item = S>, cwd: impl Into<PathBuf>) -> Command {
        Command {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: cwd.into(),
            env: Environment::inherited(),
            session: Vec::new(),
            stdin: Stdin::Null,
            merge_stderr: false,
            limits: Limits::default(),
        }
    }

    /// `sh -c line` in `cwd`, as [`Command::new`].
    pub fn shell(line: impl AsRef<OsStr>, cwd: impl Into<PathBuf>) -> Command {
        Command::new([OsStr::new("/bin/sh"), OsStr::new("-c"), line.as_ref()], cwd)
    }

    /// Runs the command and waits until its first process has ended and everything it started is gone.
    ///
    /// The first process leads a session of its own without a terminal, all signals do what they do by default, addresses are
    /// not randomised where the system lets us, and no core is dumped. Output is what was written before the first process
    /// ended. May be called from several threads at once.
    ///
    /// # Errors
    /// When the command cannot be started; what it does afterwards is in the outcome.
    pub fn run(&self) -> Result<Outcome, ExecError> {
        let mut running = self.start()?;
        running.watch()?;
        running.finish()
    }

    fn start(&self) -> Result<Running<'_>, ExecError> {
        let program = self.argv.first().ok_or(ExecError::Empty)?;
        tracing::trace!(command = ?self.argv, directory = ?self.cwd, "runs a command");
        let fail = |what| move |source| ExecError::System { program: name(program), what, source };
        let (control_end, control) = io::pipe().map_err(fail("make a pipe"))?;
        let (report, report_end) = io::pipe().map_err(fail("make a pipe"))?;
        let (stdout, stdout_end) = Capture::pipe(self.limits.output).map_err(fail("make a pipe"))?;
        let (stderr, stderr_end) = match self.merge_stderr {
            true => (Capture::closed(), stdout_end.try_clone().map_err(fail("make a pipe"))?),
            false => Capture::pipe(self.limits.output).map_err(fail("make a pipe"))?,
        };
        let plan = Plan {
            control: control_end.as_raw_fd(),
            report: report_end.as_raw_fd(),
            grace: i64::try_from(self.limits.grace.as_millis()).unwrap_or(i64::MAX),
            limits: self.limits.resources(),
        };
        let start = |source| ExecError::Start { program: name(program), cwd: self.cwd.clone(), source };
        let mut image = Program::new(&self.argv, self.environment(), &self.session).map_err(start)?;
        let mut command = std::process::Command::new(program);
        command.current_dir(&self.cwd);
        command.stdin(self.open_stdin()?).stdout(stdout_end).stderr(stderr_end);
        // SAFETY: `split` makes system calls only, as is required between fork and exec. It executes the program itself.
        unsafe { command.pre_exec(move || supervisor::split(&plan, &mut image)) };
        let started = Instant::now();
        let alone = WRITING_PROGRAMS.write().unwrap_or_else(PoisonError::into_inner);
        // Returns when the command has been executed and the supervisor has closed what it does not need.
        let child = command.spawn().map_err(start)?;
        drop(alone);
        Ok(Running {
            command: self,
            child,
            control,
            report,
            streams: [stdout, stderr],
            started,
            ended: None,
            stopped: None,
            last: Report::default(),
        })
    }

    fn environment(&self) -> impl IntoIterator<Item = (OsString, OsString)> {
        let mut env = self.env.clone();
        env.set_varying("PWD", &self.cwd);
        env.sealed()
    }

    fn open_stdin(&self) -> Result<Stdio, ExecError> {
        let program = || name(&self.argv[0]);
        match &self.stdin {
            Stdin::Null => Ok(Stdio::null()),
            Stdin::File(path) => File::open(path).map(Stdio::from).map_err(|source| ExecError::Scratch {
                what: "open the input",
                path: path.clone(),
                source,
            }),
            Stdin::Bytes(bytes) => nameless(bytes).map(Stdio::from).map_err(|source| ExecError::System {
                program: program(),
                what: "hold the input",
                source,
            }),
        }
    }
}

/// A file without a name that holds `bytes`.
fn nameless(bytes: &[u8]) -> io::Result<File> {
    let fd = nix::sys::memfd::memfd_create(c"stdin", nix::sys::memfd::MFdFlags::MFD_CLOEXEC)?;
    let mut file = File::from(fd);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

impl Limits {
    fn resources(&self) -> [Option<(libc::__rlimit_resource_t, u64, u64)>; 5] {
        // The hard limit a second later ends a process that handles SIGXCPU.
        let cpu = self.cpu.map(|cpu| cpu.as_secs() + u64::from(cpu.subsec_nanos() > 0));
        [
            Some((libc::RLIMIT_CORE, 0, 0)),
            self.file_size.map(|bytes| (libc::RLIMIT_FSIZE, bytes, bytes)),
            cpu.map(|seconds| (libc::RLIMIT_CPU, seconds, seconds + 1)),
            self.memory.map(|bytes| (libc::RLIMIT_AS, bytes, bytes)),
            // The hard limit stays: it is lowered to what the process may have.
            self.large_stack.then_some((libc::RLIMIT_STACK, LARGE_STACK, u64::MAX)),
        ]
    }
}

/// Bytes of a large stack: sixteen times the usual ones, because frames that are not optimised have been seen to take six times as much.
pub const LARGE_STACK: u64 = 128 << 20;

/// How often an interruptible command is looked after: people do not notice less. The signal may come to another thread.
const LOOKED: Duration = Duration::from_millis(100);

/// A command on its way.
struct Running<'a> {
    command: &'a Command,
    /// The supervisor.
    child: Child,
    control: io::PipeWriter,
    report: io::PipeReader,
    streams: [Capture; 2],
    started: Instant,
    /// When the first process ended.
    ended: Option<Duration>,
    /// Why it was stopped.
    stopped: Option<Status>,
    last: Report,
}

impl Running<'_> {
    /// Reads output and reports until the supervisor has nothing more to say.
    fn watch(&mut self) -> Result<(), ExecError> {
        loop {
            let (reported, readable) = self.poll().map_err(|source| self.system("wait", source))?;
            if readable {
                self.read_streams().map_err(|source| self.system("read the output", source))?;
            }
            if reported && self.receive()? {
                return Ok(());
            }
            self.enforce().map_err(|source| self.system("stop the command", source))?;
        }
    }

    /// Waits for something to happen: whether there is a report, whether there is output.
    fn poll(&self) -> io::Result<(bool, bool)> {
        let left = match (self.stopped, self.ended) {
            (None, None) => {
                let left = self.command.limits.wall.saturating_sub(self.started.elapsed());
                let left = if self.command.limits.interruptible { left.min(LOOKED) } else { left };
                // Rounded up, or the last millisecond would be spent spinning.
                PollTimeout::try_from(left.as_millis() + 1).unwrap_or(PollTimeout::MAX)
            }
            _ => PollTimeout::NONE,
        };
        let mut fds = vec![PollFd::new(self.report.as_fd(), PollFlags::POLLIN)];
        fds.extend(self.streams.iter().filter_map(Capture::reader).map(|r| PollFd::new(r.as_fd(), PollFlags::POLLIN)));
        match poll(&mut fds, left) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(e) => return Err(e.into()),
        }
        let ready = |fd: &PollFd| fd.any().unwrap_or(true);
        Ok((ready(&fds[0]), fds[1..].iter().any(ready)))
    }

    fn read_streams(&mut self) -> io::Result<()> {
        for stream in &mut self.streams {
            stream.read()?;
        }
        Ok(())
    }

    /// Takes one report; true when it was the last.
    fn receive(&mut self) -> Result<bool, ExecError> {
        let mut bytes = [0; REPORT_BYTES];
        match self.report.read_exact(&mut bytes) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                self.reap();
                return Err(ExecError::Lost { program: name(&self.command.argv[0]) });
            }
            Err(source) => return Err(self.system("read the report", source)),
        }
        self.last = Report::from_bytes(&bytes);
        if self.last.ended == 1 && self.ended.is_none() {
            self.ended = Some(self.started.elapsed());
            for stream in &mut self.streams {
                stream.finish().map_err(|source| ExecError::System {
                    program: name(&self.command.argv[0]),
                    what: "read the output",
                    source,
                })?;
            }
        }
        Ok(self.last.finished == 1)
    }

    /// Tells the supervisor to end the command when it has used up what it may.
    fn enforce(&mut self) -> io::Result<()> {
        if self.stopped.is_some() || self.ended.is_some() {
            return Ok(());
        }
        if self.streams.iter().any(|stream| stream.total() > self.command.limits.flood) {
            self.stopped = Some(Status::Flooded);
        } else if self.started.elapsed() >= self.command.limits.wall || self.is_interrupted() {
            self.stopped = Some(Status::TimedOut);
        } else {
            return Ok(());
        }
        self.control.write_all(b"x")
    }

    fn is_interrupted(&self) -> bool {
        self.command.limits.interruptible && interrupt::happened()
    }

    /// Waits for the supervisor itself, which has nothing left to do.
    fn reap(&mut self) {
        // Fails only where SIGCHLD is ignored and the kernel has done it already.
        let _ = self.child.wait();
    }

    fn finish(mut self) -> Result<Outcome, ExecError> {
        self.reap();
        let [stdout, stderr] = self.streams;
        let status = match self.stopped {
            Some(status) => status,
            // The word was a `c_int` when the supervisor took it from `wait`.
            None => Status::from_wait(self.last.status as u32 as i32),
        };
        Ok(Outcome {
            status,
            wall: self.ended.unwrap_or_else(|| self.started.elapsed()),
            cpu: Duration::from_micros(self.last.cpu),
            stdout: stdout.into_output(),
            stderr: stderr.into_output(),
            leftovers: self.last.leftovers as u32,
            survivors: self.last.survivors as u32,
        })
    }

    fn system(&self, what: &'static str, source: io::Error) -> ExecError {
        ExecError::System { program: name(&self.command.argv[0]), what, source }
    }
}

fn name(program: &OsStr) -> String {
    Path::new(program).display().to_string()
}

/// A duration as people write it: `12 ms`, `3.4 s`, `2 min`.
pub fn duration_text(duration: Duration) -> String {
    match duration.as_secs_f64() {
        s if s < 1.0 => format!("{} ms", duration.as_millis()),
        s if s < 120.0 => format!("{s:.1} s"),
        s => format!("{:.0} min", s / 60.0),
    }
}
