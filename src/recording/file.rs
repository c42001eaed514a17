//! One recording, mapped.

use std::fs::File;
use std::mem::{offset_of, size_of};
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use suspect_format::record::{
    Event, MAGIC, Mirror, RecordHeader, STATUS_ENDED, STATUS_LIMIT, STATUS_NO_SPACE, STATUS_THREADS, STATUS_UNRECORDED,
    Stream, VERSION,
};
use suspect_format::{ENDIAN_TAG, external};

use super::body::{BodyError, Code};
use super::runs::modules_on_the_way;
use super::twins::Twins;
use super::types::Types;
use crate::program::{LoadError, ModuleImage, Program};
use crate::trace::{ModuleFile, SitesError, sections};

/// Why a recording cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It cannot be read.
    #[error("cannot read the recording {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is none, or of another release or machine, or cut off.
    #[error("the recording {} cannot be used: {problem}; record the test again", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A module that ran cannot be read.
    #[error(transparent)]
    Module(#[from] SitesError),
    /// Its site tables are wrong.
    #[error(transparent)]
    Sites(#[from] LoadError),
    /// Its body tables are wrong.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// No module has code.
    #[error("{} has no code to go along; build it with `suspect build --modes plain,record`", path.display())]
    NoCode {
        /// The module.
        path: PathBuf,
    },
}

/// A value that a run was given instead of the one that a step of it stored or passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// The point of that step.
    pub point: u32,
    /// Where the value lies.
    pub address: u64,
    /// The value, extended by zeros.
    pub bits: u64,
}

/// What one process recorded.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    bytes: Mmap,
    header: Box<RecordHeader>,
    replaced: Option<Given>,
    /// True if it could have no more bytes because its disk had no room for more.
    is_within_disk: bool,
}

impl Recording {
    /// Maps and checks the recording `path`, whose process must have ended.
    pub fn open(path: &Path) -> Result<Recording, RecordingError> {
        let io = |source| RecordingError::Io { path: path.to_owned(), source };
        let bad = |problem: &str| RecordingError::Bad { path: path.to_owned(), problem: problem.to_owned() };
        let file = File::open(path).map_err(io)?;
        // SAFETY: only the recorded process writes or cuts the file, and it has ended.
        let bytes = unsafe { Mmap::map(&file) }.map_err(io)?;
        if bytes.len() < size_of::<RecordHeader>() {
            return Err(bad("its process ended while starting up"));
        }
        if !bytes.starts_with(&MAGIC) {
            return Err(bad("it does not begin with SUSRECRD; expected a file that a program in record mode wrote"));
        }
        // SAFETY: any bytes are a header, and there are enough; the copy is unaligned.
        let header = Box::new(unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast::<RecordHeader>()) });
        if header.endian != ENDIAN_TAG {
            return Err(bad("it was written on another kind of machine"));
        }
        if header.version != VERSION {
            let problem = format!(
                "it has version {} of the format, expected {VERSION}: build the program with this release of suspect",
                header.version
            );
            return Err(bad(&problem));
        }
        let recording = Recording { path: path.to_owned(), bytes, header, replaced: None, is_within_disk: false };
        recording.checked_stream().ok_or_else(|| bad("it is cut off"))?;
        Ok(recording)
    }

    fn checked_stream(&self) -> Option<Stream<'_>> {
        Stream::new(&self.bytes, &self.header)
    }

    /// The same, of a run in which the store at point `point` was given the value `bits`.
    pub fn with_replaced(self, given: Given) -> Recording {
        Recording { replaced: Some(given), ..self }
    }

    /// The same, of a run whose bound on bytes was the room on the disk, or another one.
    pub fn within(self, is_within_disk: bool) -> Recording {
        Recording { is_within_disk, ..self }
    }

    /// The point of the store that was given another value, and that value.
    pub fn replaced(&self) -> Option<Given> {
        self.replaced
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its first page.
    pub fn header(&self) -> &RecordHeader {
        &self.header
    }

    /// Its events from the start.
    pub fn stream(&self) -> Stream<'_> {
        // Checked when it was opened; an empty stream is what a changed file comes to.
        self.checked_stream().unwrap_or_else(|| unreachable!("{} was checked", self.path.display()))
    }

    /// The test's name, and the executable's path.
    pub fn names(&self) -> [String; 2] {
        let text = |bytes: &[u8]| {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        };
        [text(&self.header.test), text(&self.header.executable)]
    }

    /// Whether the process ended in order.
    pub fn has_ended(&self) -> bool {
        self.header.status & STATUS_ENDED != 0
    }

    /// Whether the recording ended because it may have no more bytes.
    pub fn is_full(&self) -> bool {
        self.header.status & STATUS_LIMIT != 0
    }

    /// Whether the process went on when the recording ended.
    pub fn is_cut(&self) -> bool {
        self.header.status & (STATUS_NO_SPACE | STATUS_LIMIT | STATUS_THREADS | STATUS_UNRECORDED) != 0
    }

    /// What was not recorded, and what to do about it, as sentences without the file's name.
    pub fn warnings(&self) -> Vec<String> {
        let directory = self.path.parent().unwrap_or(&self.path);
        let before = format!("the recording ends before the run, after {} KiB", self.stream().end() >> 10);
        let no_space = format!(
            "{before}: the disk of {} is full, or files may not grow so long; make room there, or raise `ulimit -f`",
            directory.display()
        );
        let limit = if self.is_within_disk {
            format!(
                "{before}: the disk of {} has little room, and half of that stays free; make room there",
                directory.display()
            )
        } else {
            format!(
                "{before}: it may have no more; set SUSPECT_RECORD_BYTES to more, if there is a hundred times as much memory to read it"
            )
        };
        let threads = "the recording ends where a second thread began: only programs of one thread can be followed";
        let refused = "the recording ends where the system refused something to the runtime";
        let reasons = [
            (STATUS_NO_SPACE, no_space.as_str()),
            (STATUS_LIMIT, &limit),
            (STATUS_THREADS, threads),
            (STATUS_UNRECORDED, refused),
        ];
        let found = reasons.iter().filter(|(bit, _)| self.header.status & bit != 0);
        found.map(|(_, text)| (*text).to_owned()).collect()
    }

    /// The paths of the modules that were there when the program began, in order.
    pub fn modules(&self) -> Vec<PathBuf> {
        let (mut mirror, mut stream) = (Box::new(Mirror::START), self.stream());
        let mut modules = Vec::new();
        loop {
            let ranges = match mirror.take_event(&mut stream, external::UNKNOWN) {
                Ok(Event::Module(_, _, path, ranges)) => {
                    modules.push(PathBuf::from(String::from_utf8_lossy(path).into_owned()));
                    ranges
                }
                Ok(Event::Memory(ranges)) => ranges,
                Ok(Event::Library(..)) => 0,
                _ => return modules,
            };
            for _ in 0..ranges {
                if mirror.take_range(&mut stream).is_err() {
                    return modules;
                }
            }
        }
    }
}

const _: () = assert!(offset_of!(RecordHeader, magic) == 0);

/// Program and code of what recorded processes ran: the modules that they began with, and those that they loaded later. Files below `root` are named
/// relative to it.
pub fn code_of(recordings: &[&Recording], root: &str) -> Result<(Program, Code), RecordingError> {
    let mut paths = Vec::new();
    let add = |paths: &mut Vec<PathBuf>, found: Vec<PathBuf>| {
        let before = paths.len();
        for path in found {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths.len() > before
    };
    for recording in recordings {
        add(&mut paths, recording.modules());
    }
    loop {
        let (program, code) = load_code(&paths, root)?;
        let late = recordings.iter().filter(|one| one.header().n_modules as usize > one.modules().len());
        let found: Vec<PathBuf> = late.flat_map(|one| modules_on_the_way(&code, one)).collect();
        if !add(&mut paths, found) {
            return Ok((program, code));
        }
    }
}

/// The same of runs of two builds, whose files are below these roots: what corresponds in them is known.
///
/// # Errors
/// As [`code_of`].
pub fn code_of_builds(recordings: [&Recording; 2], roots: [&str; 2]) -> Result<(Program, Code), RecordingError> {
    let (program, mut code) = code_of(&recordings, roots[1])?;
    code.twins = Twins::of(&program, &code, roots);
    Ok((program, code))
}

/// Program and code of the modules at `paths`. Files below `root` are named relative to it.
fn load_code(paths: &[PathBuf], root: &str) -> Result<(Program, Code), RecordingError> {
    let files = paths.iter().map(|path| ModuleFile::open(path)).collect::<Result<Vec<_>, _>>()?;
    let mut images = Vec::new();
    let mut bodies = Vec::new();
    for (path, file) in paths.iter().zip(&files) {
        let name = path.to_string_lossy();
        let found = sections(file.bytes(), suspect_format::body::SECTION)
            .map_err(|reason| LoadError::NotElf { module: name.clone().into_owned(), reason })?;
        if !found.is_empty() {
            images.push((name.into_owned(), file.bytes()));
        }
        bodies.extend(found.into_iter().map(|section| (path.to_string_lossy().into_owned(), section)));
    }
    let images: Vec<_> = images.iter().map(|(name, bytes)| ModuleImage { name, bytes }).collect();
    let program = Program::load(&images, root)?;
    let mut code = Code::load(&program, &bodies)?;
    code.types = Types::of(files.iter().map(ModuleFile::bytes));
    if code.steps.is_empty() {
        return Err(RecordingError::NoCode { path: paths.first().cloned().unwrap_or_default() });
    }
    Ok((program, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(change: impl FnOnce(&mut RecordHeader)) -> Result<Recording, RecordingError> {
        // SAFETY: zeros are a header.
        let mut header: RecordHeader = unsafe { std::mem::zeroed() };
        (header.magic, header.version, header.endian) = (MAGIC, VERSION, ENDIAN_TAG);
        header.cursor = (suspect_format::record::STREAM_ADDRESS + suspect_format::abi::PAGE) as u64;
        change(&mut header);
        let mut bytes = vec![0; suspect_format::abi::PAGE];
        // SAFETY: a header has no bytes that are not written, and fits in a page.
        let written =
            unsafe { std::slice::from_raw_parts((&raw const header).cast::<u8>(), size_of::<RecordHeader>()) };
        bytes[..written.len()].copy_from_slice(written);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("1-a.rec");
        std::fs::write(&path, bytes).unwrap();
        Recording::open(&path)
    }

    #[test]
    fn recordings_of_other_versions_and_machines_are_refused_by_name() {
        assert!(opened(|_| ()).is_ok());
        for other in [VERSION - 1, VERSION + 1, u32::MAX] {
            let message = opened(|header| header.version = other).unwrap_err().to_string();
            assert!(
                message.contains(&format!("it has version {other} of the format, expected {VERSION}")),
                "{message}"
            );
        }
        let message = opened(|header| header.endian = ENDIAN_TAG.swap_bytes()).unwrap_err().to_string();
        assert!(message.contains("on another kind of machine"), "{message}");
        let message = opened(|header| header.magic = *b"SUSTRACE").unwrap_err().to_string();
        assert!(message.contains("does not begin with SUSRECRD"), "{message}");
        let message = opened(|header| header.cursor += 1).unwrap_err().to_string();
        assert!(message.contains("it is cut off"), "{message}");
    }
}
