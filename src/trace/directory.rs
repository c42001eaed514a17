//! All traces of one test: the files that its processes left in one directory.

use std::fs;
use std::path::Path;

use suspect_format::trace::FILE_SUFFIX;

use super::{Problem, TraceError, TraceFile};

/// The traces in a directory.
#[derive(Debug, Default)]
pub struct Traces {
    /// One for each process, in the order they started.
    pub files: Vec<TraceFile>,
    /// What was not recorded, with the files' names.
    pub warnings: Vec<String>,
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
            Err(error @ TraceError::Bad { problem: Problem::Unstarted, .. }) => traces.warnings.push(error.to_string()),
            Err(error) => return Err(error),
        }
    }
    traces.files.sort_by_key(|file| (file.facts().start_ns, file.facts().pid));
    for file in &traces.files {
        let name = file.path().display();
        traces.warnings.extend(file.warnings().iter().map(|warning| format!("{name}: {warning}")));
    }
    traces.warnings.sort();
    Ok(traces)
}
