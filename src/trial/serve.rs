//! The worker process: contained once, then one run after another.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use suspect_format::abi::PAGE;
use suspect_format::trial::{OTHERWISE, OUTPUT_HASH_START, common_prefix, output_hash};

use super::contain::{self, Held, PrivateTmp};
use super::file::TrialFile;
use super::frame::{Answer, Ask, Hello, Job, Ran, Ready, Stop, Written, receive, send};
use super::spawn::{Launcher, Look, Waited, end_all};
use super::tree::{self, Tree};

/// The command-line word that makes this executable a worker.
pub(super) const VERB: &str = "trial-worker";

/// Whether a command line is that of a worker.
pub fn is_worker(arguments: &[OsString]) -> bool {
    matches!(arguments, [_, verb] if verb == VERB)
}

/// What the worker process does: the command line's hidden verb. Returns when the tool has no more work.
pub fn serve() -> ExitCode {
    let (mut from, mut to) = match pipes() {
        Ok(pipes) => pipes,
        Err(error) => return complain(&error),
    };
    // Whoever started this may have gone already.
    let Ok(hello) = receive::<Hello>(&mut from) else { return ExitCode::SUCCESS };
    let (held, tmp) = contain::enter(&hello.writable, &hello.tmp, hello.cover.as_ref());
    let ready = Ready { missing: held.missing(), covers: held.covers };
    let served =
        send(&mut to, &ready).and_then(|()| Server::new(from.as_raw_fd(), held, tmp)).and_then(|mut server| {
            while let Ok(ask) = receive::<Ask>(&mut from) {
                server.answer(ask, &mut to)?;
            }
            Ok(())
        });
    match served {
        // A tool that has gone has nobody to complain to.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => complain(&error),
        _ => ExitCode::SUCCESS,
    }
}

fn complain(error: &io::Error) -> ExitCode {
    eprintln!("suspect: the worker for trials cannot go on: {error}");
    ExitCode::FAILURE
}

/// The tool's pipes, away from the standard descriptors, which trials inherit.
fn pipes() -> io::Result<(File, File)> {
    let moved = |fd: RawFd| -> io::Result<File> {
        // SAFETY: makes a descriptor that nobody else has.
        match unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3) } {
            -1 => Err(io::Error::last_os_error()),
            // SAFETY: as above.
            new => Ok(unsafe { File::from_raw_fd(new) }),
        }
    };
    let pipes = (moved(0)?, moved(1)?);
    // What else this process was left with is nothing for trials: a surrounding make's job server, say.
    // SAFETY: takes effect when something is executed. Before Linux 5.11 trials get them.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    let null = File::options().read(true).write(true).open("/dev/null")?;
    for fd in 0..2 {
        // SAFETY: the standard descriptors, which Rust's library opens anew by number whenever it uses them.
        unsafe { libc::dup2(null.as_raw_fd(), fd) };
    }
    Ok(pipes)
}

/// The worker's state.
struct Server {
    /// The pipe whose other end the tool holds.
    watched: RawFd,
    held: Held,
    tmp: Option<PrivateTmp>,
    null: File,
    outputs: [File; 2],
    job: Job,
    launcher: Option<Launcher>,
    file: Option<TrialFile>,
    tree: Option<Tree>,
}

/// Descriptors of outputs are given numbers this far below the limit: out of the way of programs that count theirs.
const FROM_LIMIT: u64 = 24;
/// Where they are looked for when there is no limit.
const NO_LIMIT: u64 = 1024;

/// CPU time of a process; far from what the other limits leave.
const CPU_SECONDS: u64 = 3600;

impl Server {
    fn new(watched: RawFd, held: Held, tmp: Option<PrivateTmp>) -> io::Result<Server> {
        Ok(Server {
            watched,
            held,
            tmp,
            null: File::open("/dev/null")?,
            outputs: [output("stdout")?, output("stderr")?],
            job: Job::default(),
            launcher: None,
            file: None,
            tree: None,
        })
    }

    fn answer(&mut self, ask: Ask, to: &mut File) -> io::Result<()> {
        let stop = match ask {
            Ask::Job(job) => {
                return match self.take(*job) {
                    Ok(()) => send(to, &Answer::Understood),
                    Err(error) => send(to, &Answer::Refused(error.to_string())),
                };
            }
            Ask::Run(stop) | Ask::Exec(_, stop) | Ask::Plan(stop) => stop,
        };
        if let Some(file) = self.file.as_mut().filter(|_| !matches!(ask, Ask::Run(_))) {
            file.take_mutants();
        }
        let ran = |ran: io::Result<Ran>| ran.map_or_else(|error| Answer::Refused(error.to_string()), Answer::Ran);
        match ask {
            Ask::Exec(Some((first, end)), _) => {
                for index in first..end {
                    send(to, &ran(self.exec(Some(index), stop)))?;
                }
                Ok(())
            }
            Ask::Exec(None, _) => send(to, &ran(self.exec(None, stop))),
            Ask::Plan(_) => send(to, &ran(self.plan(stop))),
            Ask::Run(_) | Ask::Job(_) => send(to, &ran(self.run(stop))),
        }
    }

    fn take(&mut self, job: Job) -> io::Result<()> {
        self.tmp.iter_mut().try_for_each(PrivateTmp::renew)?;
        let unlimited = libc::RLIM_INFINITY;
        let mut limits = vec![
            (libc::RLIMIT_AS, job.addresses),
            (libc::RLIMIT_DATA, job.memory),
            (libc::RLIMIT_FSIZE, unlimited),
            (libc::RLIMIT_CPU, CPU_SECONDS),
        ];
        limits.extend(job.stack.map(|bytes| (libc::RLIMIT_STACK, bytes)));
        self.launcher = None;
        // Also one of the same name: it may be of another test now.
        self.file = None;
        if let Some((source, copy)) = &job.copy {
            // The next test often has the same directory.
            match self.tree.as_mut().filter(|tree| tree.is(source, copy)) {
                Some(tree) => drop(tree.restore()?),
                None => self.tree = Some(Tree::new(source, copy)?),
            }
        }
        if let Some(path) = &job.file {
            let mut file = TrialFile::open(path).map_err(io::Error::other)?;
            let [out, err] = [&self.outputs[0], &self.outputs[usize::from(!job.merge_stderr)]].map(AsRawFd::as_raw_fd);
            file.set_header(|header| header.output_fds = [out, err]);
            self.file = Some(file);
        }
        self.launcher = Some(Launcher::new(&job.argv, &job.env, &job.cwd, limits, self.held.filter())?);
        self.job = job;
        Ok(())
    }

    /// One trial in a process tree of its own.
    fn exec(&mut self, index: Option<u32>, stop: Stop) -> io::Result<Ran> {
        let file = self.file.as_mut().ok_or_else(no_file)?;
        file.reset();
        file.set_header(|header| header.budget = stop.budget);
        file.select(index);
        self.run_trial(stop)
    }

    fn plan(&mut self, stop: Stop) -> io::Result<Ran> {
        let file = self.file.as_mut().ok_or_else(no_file)?;
        file.reset();
        file.set_header(|header| {
            (header.budget, header.output_limit) = (stop.budget, stop.output_limit);
            (header.wall_ns, header.busy_ns) = (stop.wall_ns, stop.busy_ns);
        });
        file.select_all();
        // A child that takes all its time must not take its parent's.
        self.run_trial(Stop { wall_ns: 2 * stop.wall_ns, ..stop })
    }

    fn run_trial(&mut self, stop: Stop) -> io::Result<Ran> {
        let mut ran = self.run(stop)?;
        let file = self.file.as_ref().ok_or_else(no_file)?;
        let done = file.done();
        (ran.changed, ran.used, ran.flags) = (done.changed.into(), done.used, done.flags);
        let expected = file.expected();
        // What is merged is all on the first.
        (ran.matched, ran.otherwise) = matched(&self.outputs[expected.on], expected.bytes)?;
        (ran.longest, ran.processes) = (file.longest(), file.seen().next_process);
        Ok(ran)
    }

    /// Runs the job once, in a place that is as it was.
    fn run(&mut self, stop: Stop) -> io::Result<Ran> {
        self.job.empty.iter().try_for_each(|directory| tree::empty(directory))?;
        self.tmp.iter().try_for_each(PrivateTmp::clean)?;
        self.outputs.iter_mut().try_for_each(clear)?;
        let began = Instant::now();
        let waited = self.start_and_wait(stop)?;
        let wall_ns = began.elapsed().as_nanos() as u64;
        end_all();
        let (status, peak) = match waited {
            Waited::Ended(status, peak) => (Some(status), peak),
            Waited::TimedOut => (None, 0),
            Waited::Abandoned => return Err(io::ErrorKind::BrokenPipe.into()),
        };
        let tree = self.tree.as_mut().filter(|_| self.job.copy.is_some());
        let wrote = tree.map_or(Ok(false), Tree::restore)?;
        let outputs = [written(&self.outputs[0], stop.keep)?, written(&self.outputs[1], stop.keep)?];
        Ok(Ran {
            status,
            wall_ns,
            peak,
            outputs,
            wrote,
            changed: Vec::new(),
            used: 0,
            longest: 0,
            matched: 0,
            otherwise: Vec::new(),
            flags: 0,
            processes: 0,
        })
    }

    fn start_and_wait(&mut self, stop: Stop) -> io::Result<Waited> {
        let out = self.outputs[0].as_raw_fd();
        let err = if self.job.merge_stderr { out } else { self.outputs[1].as_raw_fd() };
        let input = self.job.stdin.as_ref().map(File::open).transpose()?;
        let input = input.as_ref().unwrap_or(&self.null).as_raw_fd();
        let mut unread = 0u64;
        let first_pid = match &mut self.file {
            Some(file) => Some(file.first_pid()),
            None => self.job.same_random.then_some(&raw mut unread),
        };
        let launcher = self.launcher.as_mut().ok_or_else(|| io::Error::other("no job was given"))?;
        launcher.set_limit(libc::RLIMIT_FSIZE, stop.output_limit);
        let started = launcher.start([input, out, err], first_pid)?;
        let file = self.file.as_ref();
        let mut look = || match file.map(TrialFile::seen) {
            Some(seen) if seen.next_process > seen.max_processes => Look::Stop,
            seen => Look::Done(seen.map_or(0, |seen| seen.n_done)),
        };
        Ok(started.wait(Duration::from_nanos(stop.wall_ns), &mut look, self.watched))
    }
}

fn no_file() -> io::Error {
    io::Error::other("no trial file was given")
}

/// A file without a name for an output, which trials inherit under this number too.
fn output(name: &str) -> io::Result<File> {
    let name = std::ffi::CString::new(name)?;
    let fd = nix::sys::memfd::memfd_create(&*name, nix::sys::memfd::MFdFlags::MFD_CLOEXEC)?.into_raw_fd();
    let mut limit = libc::rlimit { rlim_cur: NO_LIMIT, rlim_max: 0 };
    // SAFETY: a local; a descriptor that was just made, and is closed in favour of its duplicate.
    unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        let least = limit.rlim_cur.min(NO_LIMIT).saturating_sub(FROM_LIMIT) as RawFd;
        let high = libc::fcntl(fd, libc::F_DUPFD, least);
        libc::close(fd);
        if high < 0 { Err(io::Error::last_os_error()) } else { Ok(File::from_raw_fd(high)) }
    }
}

/// Empties an output; what a trial changed about the way it is open is undone.
fn clear(output: &mut File) -> io::Result<()> {
    // SAFETY: a descriptor of ours.
    unsafe { libc::fcntl(output.as_raw_fd(), libc::F_SETFL, 0) };
    output.set_len(0)?;
    output.seek(SeekFrom::Start(0)).map(|_| ())
}

/// What an output holds.
fn written(output: &File, keep: u64) -> io::Result<Written> {
    let length = output.metadata()?.len();
    let mut hash = OUTPUT_HASH_START;
    let mut bytes = Vec::new();
    let mut buffer = vec![0; (16 * PAGE).min(length.next_multiple_of(8) as usize)];
    let mut at = 0;
    while at < length {
        let part = buffer.len().min((length - at) as usize);
        output.read_exact_at(&mut buffer[..part], at)?;
        hash = output_hash(hash, &buffer[..part]);
        let room = (keep.saturating_sub(at) as usize).min(part);
        bytes.extend_from_slice(&buffer[..room]);
        at += part as u64;
    }
    Ok(Written { length, hash, bytes })
}

/// Bytes at the start of an output that are as expected, and the first of those that follow.
fn matched(output: &File, expected: &[u8]) -> io::Result<(u64, Vec<u8>)> {
    let length = (output.metadata()?.len() as usize).min(expected.len());
    let mut buffer = vec![0; (16 * PAGE).min(length)];
    let mut at = 0;
    while at < length {
        let part = buffer.len().min(length - at);
        output.read_exact_at(&mut buffer[..part], at as u64)?;
        let same = common_prefix(&buffer[..part], &expected[at..]);
        at += same;
        if same < part {
            break;
        }
    }
    let written = output.metadata()?.len() as usize;
    let mut otherwise = vec![0; OTHERWISE.min(written.saturating_sub(at))];
    output.read_exact_at(&mut otherwise, at as u64)?;
    Ok((at as u64, otherwise))
}
