//! The tool in the place of an instrumented program that a test's driver starts: it runs the program as its child and keeps what that reads and
//! writes, or it answers what was kept.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::{self, SaFlags, SigAction, SigHandler, SigSet, Signal};
use nix::unistd::{dup2_stderr, dup2_stdout};
use serde::{Deserialize, Serialize};
use suspect_format::abi::{ENV_STAND_IN, STAND_IN};

use super::kept::{Reply, Start};
use super::named::Before;
use super::scratch::{copy_into, is_small};
use super::turns::{self, start_directory};

/// Bytes of an input, output or file of one start that are kept; one with more is not whole.
pub const MOST_BYTES: u64 = 1 << 20;
/// Milliseconds after which a program whose outputs are silent is looked at again: has it ended?
const LOOK_AGAIN: u16 = 50;
/// Entries of a temporary directory that a program is started in, which is kept.
const MOST_ENTRIES: usize = 256;

/// What is to be done in the place of programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// The file that the driver writes into.
    pub log: PathBuf,
    /// The driver's scratch directory, which is removed behind it.
    pub temporary: PathBuf,
    /// The directory of starts that were kept, whose answers are given; without it programs run and are kept.
    pub answers: Option<PathBuf>,
    /// The number of the last start that is answered: the next ends the driver.
    pub last: Option<usize>,
}

/// The file in a directory of starts that says what is to be done.
const STANDING: &str = "standing.json";
/// The directory of answers that are given instead of those that were kept.
const INSTEAD: &str = "instead";

impl Standing {
    /// Says in a directory what is to be done there.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        fs::write(directory.join(STANDING), serde_json::to_vec(self)?)?;
        turns::begin(directory)
    }

    /// Has a start answered otherwise than it was kept.
    pub fn answer_instead(directory: &Path, number: usize, reply: &Reply) -> io::Result<()> {
        reply.write(&start_directory(&directory.join(INSTEAD), number))
    }
}

/// Whether a directory was made since it was said in `directory` what is to be done: the driver will remove it again.
fn is_made_since(directory: &Path, place: &Path) -> bool {
    // Not every file system keeps such times.
    let made = |path: &Path| fs::metadata(path).and_then(|data| data.created()).ok();
    made(&directory.join(STANDING)).is_some_and(|since| made(place).is_some_and(|made| made >= since))
}

/// Whether a command line has this executable stand in for a program.
pub fn is_stand_in(arguments: &[OsString]) -> bool {
    matches!(arguments, [_, verb, _, _, _, ..] if verb == STAND_IN)
}

/// What this executable does then: it ends as the program did.
pub fn stand_in(arguments: &[OsString]) -> ExitCode {
    let [_, _, directory, program, argv @ ..] = arguments else { return ExitCode::FAILURE };
    let directory = Path::new(directory);
    match stand(directory, program, argv) {
        Ok(status) => end_as(status),
        // Whoever looks for what was kept finds nothing; the driver gets its program.
        Err(_) => {
            let _ = program_itself(program, argv).exec();
            ExitCode::FAILURE
        }
    }
}

fn stand(directory: &Path, program: &OsStr, argv: &[OsString]) -> io::Result<i32> {
    let standing: Standing = serde_json::from_slice(&fs::read(directory.join(STANDING))?)?;
    let number = turns::take(directory, standing.answers.as_deref(), argv)?;
    let own = start_directory(directory, number);
    let length = fs::metadata(&standing.log).map_or(0, |data| data.len());
    turns::mark(directory, number, length)?;
    match &standing.answers {
        // The supervisor ends what is not of this process's group.
        Some(_) if standing.last.is_some_and(|last| number > last) => end_group(),
        Some(kept) => {
            let instead = start_directory(&directory.join(INSTEAD), number);
            let kept = start_directory(kept, number);
            let said = fs::read(kept.join(Reply::SAID)).unwrap_or_default();
            answer(if instead.is_dir() { &instead } else { &kept }, &said, argv)
        }
        None => keep(&standing, &own, program, argv),
    }
}

/// Ends the process group of the driver, and this process.
fn end_group() -> io::Result<i32> {
    signal::killpg(nix::unistd::getpgrp(), Signal::SIGKILL)?;
    Ok(1 << 8)
}

/// Answers what a directory has, and where that is a file, says this; a start that was not kept fails.
fn answer(kept: &Path, said: &[u8], argv: &[OsString]) -> io::Result<i32> {
    let nothing = Reply { stdout: Vec::new(), stderr: Vec::new(), status: 1 << 8, file: None };
    let reply = Reply::read(kept).unwrap_or(nothing);
    std::thread::scope(|scope| {
        // Who writes the input does not expect that nobody reads, and may ask on only when it was answered.
        if is_stream(io::stdin().as_fd()) {
            scope.spawn(drop_input);
        }
        // A driver that does not read its program's output does not see it.
        let _ = io::stderr().write_all(&reply.stderr);
        let _ = match reply.file.and_then(|named| named.name(argv)) {
            Some(name) => raw_stdout().and_then(|mut out| out.write_all(said)).and(fs::write(name, &reply.stdout)),
            None => raw_stdout().and_then(|mut out| out.write_all(&reply.stdout)),
        };
        // Nothing more comes, for which it might wait before it ends the input.
        let nothing = File::options().write(true).open("/dev/null")?;
        dup2_stdout(&nothing)?;
        dup2_stderr(&nothing)?;
        Ok::<_, io::Error>(())
    })?;
    Ok(reply.status)
}

/// Reads what a program is given to its end, or until the driver waits for the end of the program.
fn drop_input() -> io::Result<()> {
    let (mut input, mut buffer) = (file_of(io::stdin().as_fd())?, [0; 1 << 16]);
    loop {
        let mut ready = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ready, LOOK_AGAIN) {
            Ok(0) if is_awaited()? => return Ok(()),
            Ok(0) | Err(Errno::EINTR) => continue,
            Ok(_) if input.read(&mut buffer)? == 0 => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether the process that started this one holds its input open and does nothing but wait for a child.
fn is_awaited() -> io::Result<bool> {
    let starter = PathBuf::from(format!("/proc/{}", nix::unistd::getppid()));
    let input = fs::read_link("/proc/self/fd/0")?;
    let waits = fs::read_to_string(starter.join("wchan"))?.trim() == "do_wait";
    let mut held = fs::read_dir(starter.join("fd"))?.flatten().filter_map(|fd| fs::read_link(fd.path()).ok());
    Ok(waits && held.any(|file| file == input))
}

/// Standard output without a buffer that would be written once the process ends.
fn raw_stdout() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

fn program_itself(program: &OsStr, argv: &[OsString]) -> Command {
    let mut command = Command::new(program);
    if let Some((name, rest)) = argv.split_first() {
        command.arg0(name).args(rest);
    }
    // Set and empty: what the program starts is part of it.
    command.env(ENV_STAND_IN, "");
    command
}

/// Runs the program and keeps what it reads and writes.
fn keep(standing: &Standing, own: &Path, program: &OsStr, argv: &[OsString]) -> io::Result<i32> {
    let cwd = std::env::current_dir()?;
    let before = Before::of(argv);
    let files = before.keep(argv, |number| own.join(Start::file(number)))?;
    let length = |bytes: &Vec<u8>| bytes.len() as u64;
    let mut is_whole = true;
    let is_temporary = cwd.starts_with(&standing.temporary) || is_made_since(own.parent().unwrap_or(own), &cwd);
    if is_temporary {
        is_whole &= is_small(&cwd, (MOST_ENTRIES, MOST_BYTES));
        if is_whole {
            let copy = own.join(Start::DIRECTORY);
            fs::create_dir(&copy)?;
            copy_into(&cwd, &copy).map_err(io::Error::other)?;
        }
    }
    let is_unseen = is_null(&file_of(io::stdout().as_fd())?.metadata()?)?;
    let stdout = if is_unseen { Sink::Device } else { Sink::of(io::stdout().as_fd(), &standing.log)? };
    let outputs = [stdout, Sink::of(io::stderr().as_fd(), &standing.log)?];
    let is_merged = is_same(io::stdout().as_fd(), io::stderr().as_fd())?;
    let input = Source::of(io::stdin().as_fd())?;
    let mut command = program_itself(program, argv);
    let running = Running::start(&mut command, &input, &outputs, is_merged)?;
    let (status, mut reply, read) = running.finish(input, outputs, is_merged)?;
    let written = before.written(argv, &identities([io::stdout().as_fd(), io::stderr().as_fd()])?);
    if let [named] = written.as_slice()
        && let Some(name) = named.name(argv)
    {
        let text = read_from(&File::open(name)?, 0)?;
        match reply.stdout.is_empty() {
            true => (reply.stdout, reply.file) = (text, Some(*named)),
            false if length(&text) <= MOST_BYTES => fs::write(own.join(Start::WRITTEN), text)?,
            false => {}
        }
    }
    is_whole &= [Some(&reply.stdout), Some(&reply.stderr), read.as_ref()]
        .into_iter()
        .flatten()
        .all(|bytes| length(bytes) <= MOST_BYTES);
    let start = Start {
        program: program.to_owned(),
        argv: argv.to_vec(),
        env: std::env::vars_os().collect(),
        cwd: cwd.into(),
        has_input: read.is_some(),
        is_merged,
        is_unseen,
        files,
        written,
        overwrites: false,
        behind: Vec::new(),
        is_temporary,
        is_whole,
    };
    if is_whole {
        reply.write(own)?;
        fs::write(own.join(Start::INPUT), read.unwrap_or_default())?;
    }
    fs::write(own.join(Start::DESCRIPTION), serde_json::to_vec(&start)?)?;
    Ok(status)
}

fn is_null(data: &fs::Metadata) -> io::Result<bool> {
    Ok(data.file_type().is_char_device() && data.rdev() == fs::metadata("/dev/null")?.rdev())
}

/// Whether a descriptor is a pipe or a socket.
fn is_stream(fd: BorrowedFd) -> bool {
    let kind = file_of(fd).and_then(|file| file.metadata()).map(|data| data.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket())
}

fn file_of(fd: BorrowedFd) -> io::Result<File> {
    Ok(File::from(fd.try_clone_to_owned()?))
}

/// The devices and inodes of descriptors.
fn identities(fds: [BorrowedFd; 2]) -> io::Result<[(u64, u64); 2]> {
    let [one, other] = fds.map(|fd| file_of(fd)?.metadata().map(|data| (data.dev(), data.ino())));
    Ok([one?, other?])
}

fn is_same(one: BorrowedFd, other: BorrowedFd) -> io::Result<bool> {
    identities([one, other]).map(|[one, other]| one == other)
}

/// What a program reads.
enum Source {
    /// Nothing that ends.
    Nothing,
    /// A file, from where it stands; these bytes.
    File(Vec<u8>),
    /// A pipe or socket, passed on.
    Stream,
}

impl Source {
    fn of(fd: BorrowedFd) -> io::Result<Source> {
        let mut file = file_of(fd)?;
        if is_stream(fd) {
            return Ok(Source::Stream);
        }
        if !file.metadata()?.is_file() {
            return Ok(Source::Nothing);
        }
        let at = file.stream_position()?;
        read_from(&file, at).map(Source::File)
    }
}

/// The bytes of a file from an offset on, one more than are kept at most.
fn read_from(file: &File, at: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len().saturating_sub(at).min(MOST_BYTES + 1);
    let mut bytes = vec![0; length as usize];
    let mut done = 0;
    while done < bytes.len() {
        match file.read_at(&mut bytes[done..], at + done as u64)? {
            0 => break,
            read => done += read,
        }
    }
    bytes.truncate(done);
    Ok(bytes)
}

/// What a program writes to.
enum Sink {
    /// A file, of which it gets a descriptor; where it stood.
    File { file: File, begin: u64 },
    /// A device, whose errors are the program's, and of which nothing is kept.
    Device,
    /// Anything else, to which it is passed on; the driver's log, too, for other programs write there at the same time.
    Other,
}

impl Sink {
    fn of(fd: BorrowedFd, log: &Path) -> io::Result<Sink> {
        let mut file = file_of(fd)?;
        let (data, log) = (file.metadata()?, fs::metadata(log)?);
        if data.file_type().is_char_device() && !is_null(&data)? {
            return Ok(Sink::Device);
        }
        if !data.is_file() || (data.dev(), data.ino()) == (log.dev(), log.ino()) {
            return Ok(Sink::Other);
        }
        let flags = OFlag::from_bits_truncate(fcntl(fd, FcntlArg::F_GETFL)?);
        let begin = if flags.contains(OFlag::O_APPEND) { file.metadata()?.len() } else { file.stream_position()? };
        Ok(Sink::File { file, begin })
    }

    /// What was written to a file since.
    fn written(&self) -> io::Result<Vec<u8>> {
        match self {
            Sink::File { file, begin } => {
                read_from(&File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?, *begin)
            }
            Sink::Device | Sink::Other => Ok(Vec::new()),
        }
    }
}

/// The program on its way.
struct Running {
    child: Child,
    /// What it writes to, where that is passed on.
    streams: [Option<OwnedFd>; 2],
}

impl Running {
    fn start(command: &mut Command, input: &Source, outputs: &[Sink; 2], is_merged: bool) -> io::Result<Running> {
        if matches!(input, Source::Stream) {
            command.stdin(Stdio::piped());
        }
        let mut streams = [None, None];
        if matches!(outputs[0], Sink::Other) {
            let (read, write) = io::pipe()?;
            if is_merged {
                command.stderr(write.try_clone()?);
            }
            command.stdout(write);
            streams[0] = Some(read.into());
        }
        if !is_merged && matches!(outputs[1], Sink::Other) {
            let (read, write) = io::pipe()?;
            command.stderr(write);
            streams[1] = Some(read.into());
        }
        // SAFETY: one system call, which is allowed between fork and exec.
        unsafe {
            command.pre_exec(die_with_parent);
        }
        let child = command.spawn()?;
        // The command holds the ends that are the program's.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Running { child, streams })
    }

    /// Passes on what the program writes until it has ended: its status, what it wrote, what it was given to read.
    fn finish(
        mut self,
        input: Source,
        outputs: [Sink; 2],
        is_merged: bool,
    ) -> io::Result<(i32, Reply, Option<Vec<u8>>)> {
        let given = Arc::new(Mutex::new(Vec::new()));
        if let Some(mut to) = self.child.stdin.take() {
            let given = Arc::clone(&given);
            // Nobody waits for it: it ends with this process at the latest.
            std::thread::spawn(move || {
                let mut buffer = [0; 1 << 16];
                while let Ok(length @ 1..) = io::stdin().lock().read(&mut buffer) {
                    given.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&buffer[..length]);
                    if to.write_all(&buffer[..length]).is_err() {
                        break;
                    }
                }
            });
        }
        let has_ended = &AtomicBool::new(false);
        let [first, second] = self.streams;
        let (status, stdout, stderr) = std::thread::scope(|scope| {
            let passed = |from: OwnedFd, mut to: File| scope.spawn(move || pass_on(from, &mut to, has_ended));
            let stdout = first.map(|from| Ok::<_, io::Error>(passed(from, raw_stdout()?))).transpose()?;
            let stderr =
                second.map(|from| Ok::<_, io::Error>(passed(from, file_of(io::stderr().as_fd())?))).transpose()?;
            let status = self.child.wait();
            has_ended.store(true, Ordering::Relaxed);
            let joined = |thread: Option<std::thread::ScopedJoinHandle<_>>| {
                thread.map(|thread| thread.join().unwrap_or_else(|_| Ok(Vec::new()))).transpose()
            };
            Ok::<_, io::Error>((status?.into_raw(), joined(stdout)?, joined(stderr)?))
        })?;
        let stdout = stdout.map_or_else(|| outputs[0].written(), Ok)?;
        let stderr = match stderr {
            Some(stderr) => stderr,
            None if is_merged => Vec::new(),
            None => outputs[1].written()?,
        };
        let read = match input {
            Source::Nothing => None,
            Source::File(bytes) => Some(bytes),
            Source::Stream => Some(std::mem::take(&mut *given.lock().unwrap_or_else(PoisonError::into_inner))),
        };
        Ok((status, Reply { stdout, stderr, status, file: None }, read))
    }
}

/// Has this process killed when its parent ends, which a driver may have kill it.
fn die_with_parent() -> io::Result<()> {
    // SAFETY: no addresses.
    match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Passes on all that comes, and keeps it, but for what is more than is kept. What a program leaves behind may hold its outputs for ever: once it
/// `has_ended` nothing is waited for.
fn pass_on(from: OwnedFd, to: &mut File, has_ended: &AtomicBool) -> io::Result<Vec<u8>> {
    let (mut from, mut kept, mut buffer) = (File::from(from), Vec::new(), [0; 1 << 16]);
    loop {
        let ended = has_ended.load(Ordering::Relaxed);
        let mut ready = [PollFd::new(from.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ready, LOOK_AGAIN) {
            Ok(0) if ended => return Ok(kept),
            Ok(0) | Err(Errno::EINTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        match from.read(&mut buffer)? {
            0 => return Ok(kept),
            length => {
                if kept.len() as u64 <= MOST_BYTES {
                    kept.extend_from_slice(&buffer[..length]);
                }
                // Whoever does not read any more has the program run on all the same.
                let _ = to.write_all(&buffer[..length]);
            }
        }
    }
}

/// Ends as a program did: by the same signal, or with the same status.
fn end_as(status: i32) -> ExitCode {
    let status = std::process::ExitStatus::from_raw(status);
    if let Some(number) = status.signal() {
        let _ = nix::sys::resource::setrlimit(nix::sys::resource::Resource::RLIMIT_CORE, 0, 0);
        if let Ok(number) = Signal::try_from(number) {
            let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
            // SAFETY: what a signal does by default needs no handler.
            let _ = unsafe { signal::sigaction(number, &default) };
            let _ = signal::raise(number);
        }
        return ExitCode::from(128u8.wrapping_add(number as u8));
    }
    ExitCode::from(status.code().unwrap_or(1) as u8)
}
