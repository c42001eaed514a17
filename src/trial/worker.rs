//! The tool's side of a worker: a process that runs trials, and its scratch directories.

use std::collections::HashMap;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::file::TrialFile;
use super::frame::{Answer, Ask, Cover, Hello, Ready, receive, send};
use super::prepare::Stand;
use super::serve::VERB;
use super::{Setup, TrialError};
use crate::exec::{Scratch, ScratchRoot};

/// A worker: a process, contained once, that runs one trial after another, and where a copy has to be mounted for some of them another one.
/// Dropping it ends them and removes its scratch directories.
#[derive(Debug)]
pub struct Worker {
    setup: Setup,
    process: Option<Running>,
    /// The one that sees the files the other way, and which directory is covered for it: tests of both ways come in turn.
    idle: Option<(Option<PathBuf>, Running)>,
    missing: Vec<String>,
    /// The directory over which a copy is mounted for the process.
    covered: Option<PathBuf>,
    /// Whether the system lets that be done, as far as is known.
    covers: bool,
    /// Times in a row that the process died.
    deaths: u32,
    /// The test whose trials it is ready for, and their file.
    pub(super) loaded: Option<(u64, TrialFile)>,
    own: Scratch,
    files: Scratch,
    /// The copy to be mounted, and what it is mounted over: trials reach neither by these names.
    cover: Scratch,
    disk: ScratchRoot,
    _memory: ScratchRoot,
    /// Directories that were asked about, and whether they are small enough to be copied.
    small: HashMap<PathBuf, bool>,
    /// How tests, by directory and name, were found to behave as known: one is got ready for values and for outputs.
    pub(super) stands: HashMap<(PathBuf, String), Stand>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
}

/// Times in a row that a worker may die before it is given up.
const MOST_DEATHS: u32 = 8;

/// Bytes that must be free in memory before a worker's files are kept there.
const MEMORY_TO_SPARE: u64 = 1 << 30;

/// The worker process is gone.
#[derive(Debug)]
pub(super) struct Died;

impl Worker {
    /// Starts a worker.
    ///
    /// # Errors
    /// [`TrialError::Uncontained`] where the kernel lacks what is needed and [`Setup::allow_unsafe`] is not set;
    /// [`TrialError::Worker`] and [`TrialError::Exec`] when the system refuses.
    pub fn start(setup: &Setup) -> Result<Worker, TrialError> {
        let disk = ScratchRoot::new()?;
        let memory = ScratchRoot::in_memory(disk.path(), MEMORY_TO_SPARE)?;
        let mut worker = Worker {
            setup: setup.clone(),
            process: None,
            idle: None,
            missing: Vec::new(),
            covered: None,
            covers: false,
            deaths: 0,
            loaded: None,
            own: disk.scratch(0)?,
            files: memory.scratch(0)?,
            cover: disk.scratch(1)?,
            disk,
            _memory: memory,
            small: HashMap::new(),
            stands: HashMap::new(),
        };
        worker.restart()?;
        match worker.missing.is_empty() || setup.allow_unsafe {
            true => Ok(worker),
            false => Err(TrialError::Uncontained { missing: worker.missing.join("; ") }),
        }
    }

    /// What the kernel cannot contain, as sentences; empty when everything is contained.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// The id of the worker process, which changes when it dies and is started again, and with how it sees the files.
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(|process| process.child.id())
    }

    pub(super) fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Whether `is_small` says so of a directory, which is asked once.
    pub(super) fn is_small(&mut self, directory: &Path, is_small: impl FnOnce(&Path) -> bool) -> bool {
        *self.small.entry(directory.to_owned()).or_insert_with(|| is_small(directory))
    }

    /// Where scratch directories of the tool's own are made.
    pub(super) fn scratch(&self) -> &ScratchRoot {
        &self.disk
    }

    /// The temporary directory of the trials.
    pub(super) fn tmp(&self) -> PathBuf {
        self.own.tmp()
    }

    /// The working directory of trials that are not run in place.
    pub(super) fn work(&self) -> PathBuf {
        self.own.path().join("work")
    }

    /// Whether a copy of this directory can be mounted over it for trials, as far as is known: not where that would hide what trials write.
    pub(super) fn can_cover(&self, directory: &Path) -> bool {
        let hides = |scratch: &Scratch| scratch.path().starts_with(directory);
        self.covers && ![&self.own, &self.files, &self.cover].into_iter().any(hides)
    }

    /// Where the directory is found over which a copy of it is mounted.
    pub(super) fn original(&self) -> PathBuf {
        self.cover.path().join("original")
    }

    /// From now on a copy is mounted over this directory alone, which takes another process; whether it is.
    pub(super) fn cover(&mut self, directory: Option<&Path>) -> Result<bool, TrialError> {
        if self.covered.as_deref() != directory {
            self.loaded = None;
            let found = self.idle.take().filter(|(covered, _)| covered.as_deref() == directory);
            let covered = std::mem::replace(&mut self.covered, directory.map(Path::to_owned));
            // There is room for one copy.
            let is_kept = covered.is_none() || directory.is_none();
            self.idle = self.process.take().filter(|_| is_kept).map(|process| (covered, process));
            match found {
                Some((_, process)) => self.process = Some(process),
                None => self.restart()?,
            }
        }
        Ok(directory.is_none() || self.covers)
    }

    /// A file or directory called `name` that the trials may write, in memory where there is room.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    /// A directory into which recordings go, on the disk: they may be long.
    pub(super) fn streams(&self) -> PathBuf {
        self.own.path().join("streams")
    }

    /// Asks something, of a process that is started again if it has died.
    pub(super) fn ask(&mut self, ask: &Ask) -> Result<Result<(), Died>, TrialError> {
        if self.process.is_none() {
            self.restart()?;
        }
        let process = self.process.as_mut().ok_or_else(gone)?;
        match send(&mut process.to, ask) {
            Ok(()) => Ok(Ok(())),
            Err(_) => Ok(Err(self.died())),
        }
    }

    /// From now on its time is over at another moment: values are looked at in a part of the time that trials have.
    pub fn work_until(&mut self, until: Option<Instant>) {
        self.setup.until = until;
    }

    /// Whether its time is over, so that it was ended or gets no further work.
    pub(super) fn is_over(&self) -> bool {
        self.setup.until.is_some_and(|until| Instant::now() >= until)
    }

    /// The next answer. A worker whose time is over is ended instead.
    pub(super) fn answer(&mut self) -> Result<Answer, Died> {
        let Some(process) = &mut self.process else { return Err(Died) };
        if !self.setup.until.is_none_or(|until| answers_by(&process.from, until)) {
            self.stop();
            return Err(Died);
        }
        match receive(&mut process.from) {
            Ok(answer) => {
                self.deaths = 0;
                Ok(answer)
            }
            Err(_) => Err(self.died()),
        }
    }

    fn died(&mut self) -> Died {
        self.loaded = None;
        self.deaths += 1;
        self.process = None;
        Died
    }

    /// Ends the processes, in the middle of whatever they do.
    pub(super) fn stop(&mut self) {
        self.loaded = None;
        self.process = None;
        self.idle = None;
    }

    /// What is mounted over a directory; empty until a job tells what is to be there.
    fn cover_of(&self, directory: &Path) -> Result<Cover, TrialError> {
        let (original, by) = (self.original(), self.cover.path().join("copy"));
        for made in [&original, &by] {
            crate::exec::remove_tree(made);
            std::fs::create_dir(made).map_err(TrialError::io("make the directory", made))?;
        }
        Ok(Cover { directory: directory.to_owned(), original, by })
    }

    fn restart(&mut self) -> Result<(), TrialError> {
        if self.deaths >= MOST_DEATHS {
            return Err(TrialError::Worker { problem: format!("died {} times in a row", self.deaths) });
        }
        self.loaded = None;
        let mut process = Running::start(&self.setup.executable)?;
        let writable = [self.own.path(), self.files.path()].map(Path::to_owned).to_vec();
        let cover = self.covered.as_ref().map(|directory| self.cover_of(directory)).transpose()?;
        // The process that sees the files the other way may still be there.
        let tmp = self.files.path().join(if cover.is_some() { "tmp-covered" } else { "tmp-plain" });
        crate::exec::remove_tree(&tmp);
        std::fs::create_dir(&tmp).map_err(TrialError::io("make the directory", &tmp))?;
        let ready: io::Result<Ready> =
            send(&mut process.to, &Hello { writable, tmp, cover }).and_then(|()| receive(&mut process.from));
        let ready = ready.map_err(|error| TrialError::Worker {
            problem: format!("({} {VERB}) did not get ready: {error}", self.setup.executable.display()),
        })?;
        (self.missing, self.covers) = (ready.missing, ready.covers);
        self.process = Some(process);
        Ok(())
    }
}

/// Whether there is something to read, or the other end is gone, before `until`.
fn answers_by(from: &ChildStdout, until: Instant) -> bool {
    loop {
        // A little later rather than a little earlier, when the time would not be over yet.
        let left = until.saturating_duration_since(Instant::now()).as_millis() + 1;
        let left = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(from.as_fd(), PollFlags::POLLIN)], left) {
            Ok(0) if Instant::now() >= until => return false,
            Ok(0) | Err(Errno::EINTR) => {}
            // If it cannot be asked, it is waited for.
            Ok(_) | Err(_) => return true,
        }
    }
}

fn gone() -> TrialError {
    TrialError::Worker { problem: "is gone".into() }
}

impl Running {
    fn start(executable: &Path) -> Result<Running, TrialError> {
        let mut command = Command::new(executable);
        command.arg(VERB).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(TrialError::io("start", executable))?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        match (to, from) {
            (Some(to), Some(from)) => Ok(Running { child, to, from }),
            _ => Err(gone()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // What it started dies with it. Both fail only when it has ended and been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Where a namespace has its first process, that one holds the pipe's other end until everything in there has ended.
        let _ = io::copy(&mut self.from, &mut io::sink());
    }
}
