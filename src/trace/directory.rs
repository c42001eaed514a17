//! All traces of one test: the files that its processes left in one directory.

use std::fs;
use std::path::Path;

use suspect_format::trace::FILE_SUFFIX;

use super::{Ending, Problem, Process, TraceError, TraceFile};

/// The traces in a directory.
#[derive(Debug, Default)]
pub struct Traces {
    /// One for each process, in the order they started.
    pub files: Vec<TraceFile>,
    /// What was not recorded, with the files' names.
    pub warnings: Vec<String>,
    /// Those of `warnings` that are about processes of which there is no file.
    pub unstarted: Vec<String>,
}

impl Traces {
    /// The recorded words of all processes. `died`: a signal ended the test's program, as its own exit status or a
    /// shell's tells; it is put down to the process it must have been, and to none if several come into question.
    ///
    /// Those are processes that did not end in order and were not started by another one that is recorded here. An image
    /// that was followed by another one of the same process went on by `exec`.
    pub fn processes(&self, died: bool) -> Vec<Process<'_>> {
        let went_on = |at: usize| {
            let pid = self.files[at].facts().pid;
            self.files[at + 1..].iter().any(|later| later.facts().pid == pid && !later.is_forked())
        };
        let is_known = |pid: u32| self.files.iter().any(|file| file.facts().pid == pid);
        let mut processes: Vec<_> = self.files.iter().map(|file| file.process(Ending::Unknown)).collect();
        for (_, process) in processes.iter_mut().enumerate().filter(|(at, _)| went_on(*at)) {
            process.ending = Ending::Exited;
        }
        let in_question = |(at, process): (usize, &Process)| {
            let starter = self.files[at].facts().parent_pid;
            (died && !is_known(starter) && process.ending == Ending::Unknown && !process.is_clean()).then_some(at)
        };
        let mut candidates = processes.iter().enumerate().filter_map(in_question);
        if let (Some(only), None) = (candidates.next(), candidates.next()) {
            processes[only].ending = Ending::Signalled;
        }
        processes
    }
}

/// Opens all trace files in `directory`. Processes that were killed while starting up are only warned about.
pub fn read_directory(directory: &Path) -> Result<Traces, TraceError> {
    let io = |source| TraceError::Io { path: directory.to_owned(), source };
    let mut traces = Traces::default();
    for entry in fs::read_dir(directory).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if !path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(FILE_SUFFIX.as_bytes())) {
            continue;
        }
        match TraceFile::open(&path) {
            Ok(file) => traces.files.push(file),
            Err(error @ TraceError::Bad { problem: Problem::Unstarted, .. }) => {
                traces.unstarted.push(error.to_string())
            }
            Err(error) => return Err(error),
        }
    }
    traces.files.sort_by_key(|file| (file.facts().start_ns, file.facts().pid));
    for file in &traces.files {
        let name = file.path().display();
        traces.warnings.extend(file.warnings().iter().map(|warning| format!("{name}: {warning}")));
    }
    traces.warnings.extend(traces.unstarted.iter().cloned());
    traces.warnings.sort();
    Ok(traces)
}
