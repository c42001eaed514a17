//! How a driver started a program, and what the program answered, as files of a directory.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::named::Named;
use super::outcome::{Outcome, Status};

/// How a driver started a program, and what of the program's deeds tells it from others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The program's file.
    pub program: OsString,
    /// Its arguments, with what it is called.
    pub argv: Vec<OsString>,
    /// Its environment.
    pub env: Vec<(OsString, OsString)>,
    /// Its working directory.
    pub cwd: OsString,
    /// Whether it was given an input that can end; [`Start::INPUT`] has it.
    pub has_input: bool,
    /// Whether what it writes to standard error goes where its standard output goes.
    pub is_merged: bool,
    /// Whether nobody looks at its standard output: it goes to `/dev/null`, or the driver looks at a file instead.
    #[serde(default)]
    pub is_unseen: bool,
    /// Files that its arguments name and that it may read.
    pub files: Vec<Named>,
    /// Files that its arguments name and that it wrote.
    #[serde(default)]
    pub written: Vec<Named>,
    /// Whether it does the same where the files that it writes are not there before: it does not read them.
    #[serde(default)]
    pub overwrites: bool,
    /// The numbers of earlier starts that run before it where it runs alone: it reads what they write.
    #[serde(default)]
    pub behind: Vec<usize>,
    /// Whether its working directory is a temporary one, of which [`Start::DIRECTORY`] is a copy.
    pub is_temporary: bool,
    /// Whether all that it read and wrote is kept.
    pub is_whole: bool,
}

impl Start {
    /// The file with its description.
    pub const DESCRIPTION: &str = "start.json";
    /// The file with its input.
    pub const INPUT: &str = "input";
    /// The one file that it wrote, where it wrote to standard output, too.
    pub const WRITTEN: &str = "written";
    /// The copy of its working directory.
    pub const DIRECTORY: &str = "directory";

    /// The copy of a file that an argument names, by its number.
    pub fn file(number: usize) -> String {
        format!("file-{number}")
    }
}

/// What a program answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What it wrote to standard output, or to both where that is one; or into the file.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
    /// How it ended, as `wait` says it.
    pub status: i32,
    /// The one file that its arguments name and that it wrote, if it wrote nothing to standard output or nobody looks at that.
    pub file: Option<Named>,
}

impl Reply {
    /// The file with its output.
    pub const OUTPUT: &str = "output";
    /// The file with what it writes to standard output where its output is a file.
    pub const SAID: &str = "said";
    const ERRORS: &str = "errors";
    const STATUS: &str = "status";
    /// The file that says which file has the output.
    const NAMED: &str = "named.json";

    /// What a run answered that ended by itself; with a `file`, a shell ran it and wrote what is in that.
    pub fn of(outcome: &Outcome, file: Option<Named>) -> Option<Reply> {
        let (stdout, mut stderr) = (outcome.stdout.bytes.clone(), outcome.stderr.bytes.clone());
        let status = match outcome.status {
            Status::Exited(code @ 129..=192) if file.is_some() => {
                // The shell says so, too.
                let line = stderr.trim_ascii_end().iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                stderr.truncate(line);
                code - 128
            }
            Status::Exited(code) => (code & 0xff) << 8,
            Status::Signaled(signal) => signal,
            Status::TimedOut | Status::Flooded => return None,
        };
        Some(Reply { stdout, stderr, status, file })
    }

    /// Reads one from a directory.
    pub fn read(from: &Path) -> io::Result<Reply> {
        let status = fs::read_to_string(from.join(Reply::STATUS))?;
        let status = status.trim().parse().map_err(io::Error::other)?;
        let (stdout, stderr) = (fs::read(from.join(Reply::OUTPUT))?, fs::read(from.join(Reply::ERRORS))?);
        let file = match fs::read(from.join(Reply::NAMED)) {
            Ok(named) => Some(serde_json::from_slice(&named)?),
            Err(_) => None,
        };
        Ok(Reply { stdout, stderr, status, file })
    }

    /// Writes it into a directory, which is made.
    pub fn write(&self, to: &Path) -> io::Result<()> {
        fs::create_dir_all(to)?;
        fs::write(to.join(Reply::OUTPUT), &self.stdout)?;
        fs::write(to.join(Reply::ERRORS), &self.stderr)?;
        if let Some(named) = &self.file {
            fs::write(to.join(Reply::NAMED), serde_json::to_vec(named)?)?;
        }
        fs::write(to.join(Reply::STATUS), self.status.to_string())
    }
}
