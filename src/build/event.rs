//! The build log: one line of JSON for each compilation and link that the driver let through.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What the driver did for one source or one link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// What it was.
    pub step: EventStep,
    /// Sources of a compilation, inputs of a link, as written.
    pub inputs: Vec<String>,
    /// What was to be made, as written; empty when it is a temporary file.
    pub output: String,
    /// The directory that both are relative to.
    pub directory: String,
    /// The compiler that does the work.
    pub compiler: String,
    /// Why it was left alone, as a fragment that fits "not instrumented: ..."; `None` when instrumented.
    pub left: Option<String>,
}

impl Event {
    /// Where the output went.
    pub fn path(&self) -> PathBuf {
        Path::new(&self.directory).join(&self.output)
    }

    /// The same event in a project that was at `from` and is at `to`.
    pub fn moved(self, from: &str, to: &str) -> Event {
        let moved = |path: String| match Path::new(&path).strip_prefix(from) {
            Ok(rest) if rest.as_os_str().is_empty() => to.to_owned(),
            Ok(rest) => Path::new(to).join(rest).to_string_lossy().into_owned(),
            Err(_) => path,
        };
        Event {
            inputs: self.inputs.into_iter().map(moved).collect(),
            output: moved(self.output),
            directory: moved(self.directory),
            ..self
        }
    }
}

/// What an [`Event`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventStep {
    /// A source became an object.
    Compile,
    /// Objects became a program or a shared library.
    Link,
}

/// Appends `events` to the log at `path` in one write, so that lines of parallel compilers stay whole.
pub fn append(path: &OsStr, events: &[Event]) -> io::Result<()> {
    let mut lines = Vec::new();
    for event in events {
        serde_json::to_writer(&mut lines, event)?;
        lines.push(b'\n');
    }
    if lines.is_empty() {
        return Ok(());
    }
    OpenOptions::new().append(true).create(true).open(path)?.write_all(&lines)
}

/// Reads a log; a line that a killed build left half-written is passed over.
pub fn read(path: &Path) -> io::Result<Vec<Event>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
