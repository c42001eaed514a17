//! One trace file, mapped.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use suspect_format::abi::STATE_WORDS;
use suspect_format::trace::{
    LogRecord, STATUS_CLEARED, STATUS_FORKED, STATUS_NO_LOG, STATUS_NO_SPACE, STATUS_UNRECORDED, STATUS_VALGRIND,
    UNKNOWN_THREAD,
};

use super::layout::u64_at;
use super::{Ending, Facts, Layout, LogPart, Module, ModulePart, Process, TraceError, Unit};

/// What one process recorded.
#[derive(Debug)]
pub struct TraceFile {
    path: PathBuf,
    bytes: Mmap,
    layout: Layout,
    warnings: Vec<String>,
}

/// One value taken by one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Which of the process's modules.
    pub module: usize,
    /// Address of the node's value word in the process.
    pub address: u64,
    /// Which thread, counted from 0 in order of first use; `None` when there were too many.
    pub thread: Option<u16>,
    /// The value, zero-extended.
    pub value: u64,
}

impl TraceFile {
    /// Maps and checks the trace file `path`, whose process must have ended.
    pub fn open(path: &Path) -> Result<TraceFile, TraceError> {
        let io = |source| TraceError::Io { path: path.to_owned(), source };
        let file = File::open(path).map_err(io)?;
        // SAFETY: only the recorded process writes or cuts the file, and it has ended.
        let bytes = unsafe { Mmap::map(&file) }.map_err(io)?;
        let bad = |problem| TraceError::Bad { path: path.to_owned(), problem };
        let layout = Layout::of(&bytes).map_err(bad)?;
        let mut trace = TraceFile { path: path.to_owned(), bytes, layout, warnings: Vec::new() };
        trace.warnings = trace.find_warnings();
        Ok(trace)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the header says.
    pub fn facts(&self) -> &Facts {
        &self.layout.facts
    }

    /// Where everything is.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The process was forked by a recorded one.
    pub fn is_forked(&self) -> bool {
        self.layout.facts.status & STATUS_FORKED != 0
    }

    /// The environment of the process had no variable of suspect's, so a session's file told it what to do.
    pub fn is_cleared(&self) -> bool {
        self.layout.facts.status & STATUS_CLEARED != 0
    }

    /// Valgrind ran the process.
    pub fn is_in_valgrind(&self) -> bool {
        self.layout.facts.status & STATUS_VALGRIND != 0
    }

    /// What was not recorded or is not in the file, as sentences without the file's name.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The recorded words, of a process that ended like this.
    pub fn process(&self, ending: Ending) -> Process<'_> {
        let facts = &self.layout.facts;
        Process {
            trace: &self.path,
            mode: facts.mode,
            forked: self.is_forked(),
            ending,
            modules: self.layout.modules.iter().map(|part| self.module(part)).collect(),
        }
    }

    fn module<'a>(&'a self, part: &'a ModulePart) -> Module<'a> {
        let mut state = [0; STATE_WORDS];
        state.copy_from_slice(&self.words(&part.data)[..STATE_WORDS]);
        let units = part.units.iter().map(|unit| Unit {
            hash: unit.hash,
            address: unit.address,
            counters: self.words(&unit.counters),
            values: self.words(&unit.values),
        });
        Module { path: &part.path, state, units: units.collect() }
    }

    /// Words at `range`, which the layout has put on a word's boundary inside the file.
    fn words(&self, range: &Range<usize>) -> &[u64] {
        let bytes = &self.bytes[range.clone()];
        // SAFETY: any eight bytes are a word.
        let (before, words, after) = unsafe { bytes.align_to::<u64>() };
        assert!(before.is_empty() && after.is_empty(), "mappings begin at a page and the layout was checked");
        words
    }

    /// The log of full values that were completely written, in the order they were taken.
    pub fn log(&self) -> impl Iterator<Item = LogEntry> {
        let records = self.layout.log.as_ref().map_or(&[][..], |log| &self.bytes[log.records.clone()]);
        records.chunks_exact(size_of::<LogRecord>()).filter_map(|record| self.log_entry(record))
    }

    /// `None` for a record that was not finished or names a module that is not there.
    fn log_entry(&self, record: &[u8]) -> Option<LogEntry> {
        let head = u64_at(record, 0);
        let (word, module, thread) = (head as u32, (head >> 32) as u16 as usize, (head >> 48) as u16);
        let part = self.layout.modules.get(module).filter(|_| word != 0)?;
        Some(LogEntry {
            module,
            address: part.load_address.wrapping_add(u64::from(word) * 8),
            thread: (thread != UNKNOWN_THREAD).then_some(thread),
            value: u64_at(record, 8),
        })
    }

    fn find_warnings(&self) -> Vec<String> {
        let mut warnings = self.layout.warnings.clone();
        let status = self.layout.facts.status;
        let reasons = [
            (
                STATUS_NO_SPACE,
                "a module was not recorded: the disk was full, or the process may not write such long files",
            ),
            (STATUS_UNRECORDED, "a module was not recorded: it was not linked by suspect-cc, or the system refused"),
            (STATUS_NO_LOG, "full values were not recorded: there was no room for them"),
        ];
        warnings.extend(reasons.iter().filter(|(bit, _)| status & bit != 0).map(|(_, text)| (*text).to_owned()));
        let lost = self.process(Ending::Unknown).lost_children();
        if lost != 0 {
            let who = match lost {
                1 => "one forked process is counted with its parent: it".to_owned(),
                n => format!("{n} forked processes are counted with their parents: they"),
            };
            warnings.push(format!("{who} could make no file, as another user or with another root directory"));
        }
        if let Some(LogPart { n_taken, capacity, .. }) = self.layout.log
            && n_taken > capacity
        {
            warnings.push(format!("{} values were dropped: there was room for {capacity}", n_taken - capacity));
        }
        warnings
    }
}
