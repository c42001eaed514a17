//! Writing benchmarks: faulty versions of a project as patches, in the layout that evaluations read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{EvalError, FILE};

/// A faulty version to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeededVersion {
    /// Its name.
    pub name: String,
    /// The patch that makes it of the correct version.
    pub patch: Vec<u8>,
    /// Lines that say something else, as `FILE:LINE` of the faulty version.
    pub changed: Vec<String>,
    /// Lines beside code that is missing.
    pub omitted: Vec<String>,
    /// Lines that use what is declared wrongly.
    pub used: Vec<String>,
    /// What kind of mistake it is, if there is one alone.
    pub class: Option<String>,
    /// How many mistakes it has.
    pub faults: u32,
    /// What is wrong, for whoever reads the file: lines without line breaks.
    pub notes: Vec<String>,
}

/// Versions of one program.
#[derive(Clone, Debug)]
pub struct SeededProgram {
    /// Name of its directory.
    pub name: String,
    /// The versions.
    pub versions: Vec<SeededVersion>,
    /// Suites drawn from the pool of tests: name and tests.
    pub selections: Vec<(&'static str, Vec<String>)>,
}

/// A benchmark of programs that share the correct version's tree.
#[derive(Clone, Debug)]
pub struct SeededBenchmark<'a> {
    /// The project.
    pub root: &'a Path,
    /// The files of the correct version's tree, relative to the root.
    pub files: &'a [PathBuf],
    /// The shell line that builds it.
    pub build: &'a str,
    /// The suites, as suspect.toml has them.
    pub suites: &'a toml::Value,
    /// What suspect.toml says under `[rank]`; `None` if code of tests is not trusted.
    pub rank: Option<&'a toml::Value>,
    /// The programs.
    pub programs: &'a [SeededProgram],
}

impl SeededBenchmark<'_> {
    /// Writes the benchmark to `directory`, which must not be there; it is there when everything is.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn write(&self, directory: &Path) -> Result<(), EvalError> {
        whole(directory, |partial| {
            copy_files(self.root, self.files, &partial.join("correct"))?;
            let write =
                |program: &SeededProgram| self.write_program(program, &partial.join(&program.name), "../correct");
            self.programs.iter().try_for_each(write)
        })
    }

    /// Writes the benchmark's only program, with the correct version's tree in it, to `directory`, likewise.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn write_one(&self, program: &SeededProgram, directory: &Path) -> Result<(), EvalError> {
        whole(directory, |partial| {
            copy_files(self.root, self.files, &partial.join("correct"))?;
            self.write_program(program, partial, "correct")
        })
    }

    fn write_program(&self, program: &SeededProgram, directory: &Path, correct: &str) -> Result<(), EvalError> {
        for (name, tests) in &program.selections {
            let path = directory.join("selections").join(format!("{name}.txt"));
            fs::create_dir_all(path.parent().unwrap_or(directory)).map_err(EvalError::io("make", directory))?;
            fs::write(&path, format!("{}\n", tests.join("\n"))).map_err(EvalError::io("write", &path))?;
        }
        let versions = directory.join("versions");
        fs::create_dir_all(&versions).map_err(EvalError::io("make", &versions))?;
        for version in &program.versions {
            let path = versions.join(format!("{}.patch", version.name));
            fs::write(&path, &version.patch).map_err(EvalError::io("write", &path))?;
        }
        let path = directory.join(FILE);
        let text = self
            .description(program, correct)
            .map_err(|error| EvalError::io("write", &path)(io::Error::other(error)))?;
        fs::write(&path, text).map_err(EvalError::io("write", &path))
    }

    /// The program's eval.toml.
    fn description(&self, program: &SeededProgram, correct: &str) -> Result<String, toml::ser::Error> {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let list = |lines: &[String]| toml::Value::from(lines.to_vec()).to_string();
        let mut suites = toml::Table::new();
        suites.insert("suite".into(), self.suites.clone());
        suites.extend(self.rank.map(|rank| ("rank".into(), rank.clone())));
        let mut text = format!("correct = {}\n", quoted(correct));
        if !program.selections.is_empty() {
            text += "selections = [\"selections/*.txt\"]\n";
        }
        text += &format!("\n[build]\ncommand = {}\n\n", quoted(self.build));
        text += &toml::to_string(&suites)?;
        for version in &program.versions {
            text += "\n";
            for note in &version.notes {
                text += &format!("# {note}\n");
            }
            let SeededVersion { name, changed, omitted, used, .. } = version;
            text += &format!("[[version]]\nname = {}\npatch = \"versions/{name}.patch\"\n", quoted(name));
            if let Some(class) = &version.class {
                text += &format!("class = {}\n", quoted(class));
            }
            if version.faults != 1 {
                text += &format!("faults = {}\n", version.faults);
            }
            for (kind, lines) in [("changed", changed), ("omitted", omitted), ("macro", used)] {
                if !lines.is_empty() {
                    text += &format!("{kind} = {}\n", list(lines));
                }
            }
        }
        Ok(text)
    }
}

/// Makes `directory` of what `fill` writes into a directory beside it, if all goes well.
fn whole(directory: &Path, fill: impl FnOnce(&Path) -> Result<(), EvalError>) -> Result<(), EvalError> {
    use std::os::unix::fs::PermissionsExt;
    let parent = directory.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(EvalError::io("make", parent))?;
    let partial = tempfile::Builder::new()
        .prefix(".partial")
        .tempdir_in(parent)
        .map_err(EvalError::io("make a directory in", parent))?;
    fill(partial.path())?;
    let readable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(partial.path(), readable).map_err(EvalError::io("set the rights of", partial.path()))?;
    fs::rename(partial.path(), directory).map_err(EvalError::io("make", directory))?;
    // It is no longer where it would be removed from.
    let _ = partial.keep();
    Ok(())
}

/// Copies `files`, relative to `root`, to the directory `to`, which is made.
///
/// # Errors
/// When one cannot be read or written.
pub fn copy_files(root: &Path, files: &[PathBuf], to: &Path) -> Result<(), EvalError> {
    for file in files {
        let (from, to) = (root.join(file), to.join(file));
        let directory = to.parent().unwrap_or(&to);
        fs::create_dir_all(directory).map_err(EvalError::io("make", directory))?;
        let copied = match fs::read_link(&from) {
            Ok(target) => std::os::unix::fs::symlink(target, &to),
            Err(_) => fs::copy(&from, &to).map(|_| ()),
        };
        copied.map_err(EvalError::io("copy", &from))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Benchmark, FaultKind};

    #[test]
    fn what_is_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("project");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/a.c"), "int a;\n").unwrap();
        let version = SeededVersion {
            name: "f2-001".into(),
            patch: b"--- a/src/a.c\n".to_vec(),
            changed: vec!["src/a.c:1".into()],
            omitted: vec!["src/a.c:2".into(), "src/a.c:3".into()],
            used: vec!["src/a.c:4".into()],
            class: Some("statement".into()),
            faults: 2,
            notes: vec!["a \"note\"".into()],
        };
        let suites: toml::Value = toml::from_str::<toml::Table>(
            "[[suite]]\nkind = \"command\"\nlist = \"echo '\\\\ a'\"\nrun = \"./t {test}\"\ntimeout = \"3s\"\n",
        )
        .unwrap()["suite"]
            .clone();
        let benchmark = SeededBenchmark {
            root: &root,
            files: &["src/a.c".into()],
            build: "make CFLAGS=\"-O2\"",
            suites: &suites,
            rank: None,
            programs: &[SeededProgram { name: "p-2".into(), versions: vec![version], selections: Vec::new() }],
        };
        let to = directory.path().join("bench/deep");
        benchmark.write(&to).unwrap();
        let read = Benchmark::load(&to).unwrap();
        let program = &read.programs[0];
        assert_eq!((program.name.as_str(), program.build.as_str()), ("p-2", "make CFLAGS=\"-O2\""));
        assert_eq!(program.tests.suites.len(), 1);
        assert!(program.correct.join("src/a.c").is_file());
        let fault = &program.versions[0].fault;
        assert_eq!(
            fault.lines.iter().map(|line| (line.kind, line.line)).collect::<Vec<_>>(),
            [(FaultKind::Changed, 1), (FaultKind::Omitted, 2), (FaultKind::Omitted, 3), (FaultKind::Macro, 4)]
        );
        assert!(program.versions[0].patch.is_some());
        assert_eq!((program.versions[0].class.as_deref(), program.versions[0].faults), (Some("statement"), 2));
        assert!(benchmark.write(&to).is_err(), "what is there is left alone");
        assert_eq!(fs::read_dir(to.parent().unwrap()).unwrap().count(), 1, "nothing half-written is left");
    }
}
