//! Small C projects in temporary directories, and commands run in them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use suspect::build::elf::{self, Binary};
use tempfile::TempDir;

/// The program under test.
pub const SUSPECT: &str = env!("CARGO_BIN_EXE_suspect");

/// A project in a directory of its own.
pub struct Project {
    _directory: TempDir,
    pub root: PathBuf,
}

impl Project {
    /// An empty project in a directory called `name`.
    pub fn new(name: &str) -> Project {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap().join(name);
        fs::create_dir(&root).unwrap();
        Project { _directory: directory, root }
    }

    /// Writes a file, with its directories.
    pub fn file(&self, path: &str, text: &str) -> &Project {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Two sources of one program that prints 42.
    pub fn with_program(self) -> Project {
        self.file(
            "main.c",
            "#include <stdio.h>\nint answer(int);\nint main(void) { printf(\"%d\\n\", answer(6)); return 0; }\n",
        );
        self.file(
            "answer.c",
            "int answer(int x) {\n  int y = 0;\n  while (x > 0) { y += 2 * x; x--; }\n  return y;\n}\n",
        );
        self
    }

    /// A command in the project, without settings of ours or of a make around the tests.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).stdin(Stdio::null());
        let ours =
            std::env::vars_os().map(|(name, _)| name).filter(|name| name.as_encoded_bytes().starts_with(b"SUSPECT_"));
        ours.for_each(|name| {
            command.env_remove(name);
        });
        for name in ["CC", "CXX", "CFLAGS", "LDFLAGS", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "CCACHE_DIR"] {
            command.env_remove(name);
        }
        command.env("CCACHE_DIR", self.root.join("../ccache"));
        command
    }

    /// The driver, called by `name`.
    pub fn driver(&self, name: &str) -> Command {
        let mut command = self.command(SUSPECT);
        command.arg0(name);
        command
    }

    /// A directory with the driver under `names`.
    pub fn links(&self, names: &[&str]) -> PathBuf {
        let directory = self.root.join("../links");
        fs::create_dir_all(&directory).unwrap();
        names.iter().for_each(|name| symlink(SUSPECT, directory.join(name)).unwrap());
        directory.canonicalize().unwrap()
    }

    /// `suspect build -- words...`.
    pub fn build(&self, words: &[&str]) -> Output {
        self.command(SUSPECT).args(["build", "--"]).args(words).output().unwrap()
    }

    /// A plain command line.
    pub fn run(&self, words: &[&str]) -> Output {
        self.command(words[0]).args(&words[1..]).output().unwrap()
    }

    /// The ELF file at `path`.
    pub fn binary(&self, path: &str) -> Binary {
        elf::read(&self.root.join(path)).unwrap().unwrap_or_else(|| panic!("{path}: no ELF file"))
    }

    /// How many units with sites `path` has.
    pub fn units(&self, path: &str) -> usize {
        self.binary(path).units.unwrap().len()
    }

    /// Asserts that running `path` prints 42, and recording it writes a trace.
    pub fn assert_records(&self, path: &str) {
        let program = self.root.join(path);
        assert_eq!(stdout(&succeed(self.command(&program).output().unwrap())), "42\n", "{path}");
        let traces = tempfile::tempdir().unwrap();
        let recorded =
            self.command(&program).env("SUSPECT_OUT", traces.path()).env("SUSPECT_RECORD", "values").output();
        assert_eq!(stdout(&succeed(recorded.unwrap())), "42\n", "{path}, recording");
        assert_eq!(fs::read_dir(traces.path()).unwrap().count(), 1, "traces of {path}");
    }
}

/// The output of a command that must have succeeded.
pub fn succeed(output: Output) -> Output {
    assert!(output.status.success(), "{}\n{}{}", output.status, stdout(&output), stderr(&output));
    output
}

/// The output of a command that must have succeeded in silence.
pub fn succeed_quietly(output: Output) -> Output {
    let output = succeed(output);
    assert_eq!(stderr(&output), "");
    output
}

/// What a command wrote.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a command complained.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A copy of `library` whose plugin says it was built against `version`.
pub fn library_for(library: &Path, copy: &Path, version: &str) {
    fs::create_dir_all(copy.join("19")).unwrap();
    for entry in fs::read_dir(library).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
    for entry in fs::read_dir(library.join("19")).unwrap().flatten() {
        fs::copy(entry.path(), copy.join("19").join(entry.file_name())).unwrap();
    }
    fs::write(copy.join("19/version"), version).unwrap();
}
