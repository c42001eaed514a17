//! The files of a project: its ELF files, and the lines of its build files that name a compiler by its path.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::arguments::Language;
use super::elf::{self, Binary};
use super::names::Name;
use super::plan::is_probe_path;
use super::toolchain::is_self;

/// An ELF file of the project.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// When it was written.
    pub modified: SystemTime,
    /// What it says.
    pub binary: Binary,
}

/// What a walk through a project finds.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// ELF files, in the order of their paths; those of configuration probes left out.
    pub binaries: Vec<Found>,
    /// Names (not paths) of C sources.
    pub c_sources: BTreeSet<String>,
    /// Build files, by name.
    build_files: Vec<PathBuf>,
}

/// Directories that hold no products of a build.
const PASSED_OVER: &[&str] = &[".git", ".hg", ".svn"];

impl Tree {
    /// Walks through everything below `root` except `ours`, links not followed. What cannot be read is not there.
    pub fn walk(root: &Path, ours: &Path) -> Tree {
        let mut tree = Tree::default();
        tree.walk_directory(root, root, ours);
        tree
    }

    fn walk_directory(&mut self, root: &Path, directory: &Path, ours: &Path) {
        let mut entries: Vec<_> = fs::read_dir(directory).into_iter().flatten().flatten().collect();
        entries.sort_unstable_by_key(|entry| entry.file_name());
        for entry in entries {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            if is_probe_path(path.strip_prefix(root).unwrap_or(&path)) {
                continue;
            }
            if kind.is_dir() {
                if path != ours && !PASSED_OVER.iter().any(|name| entry.file_name() == *name) {
                    self.walk_directory(root, &path, ours);
                }
            } else if kind.is_file() {
                self.file(path);
            }
        }
    }

    fn file(&mut self, path: PathBuf) {
        let name = path.file_name().unwrap_or_default();
        if Language::of_file(name) == Language::C {
            self.c_sources.insert(name.to_string_lossy().into_owned());
        } else if is_build_file(&name.to_string_lossy()) {
            // What CMake writes there names the compiler behind our launcher.
            if !path.components().any(|component| component.as_os_str() == "CMakeFiles") {
                self.build_files.push(path);
            }
        } else {
            self.add(path);
        }
    }

    /// Adds the ELF file at `path`, when it is one.
    pub fn add(&mut self, path: PathBuf) {
        let Ok(modified) = path.metadata().and_then(|data| data.modified()) else { return };
        if let Ok(Some(binary)) = elf::read(&path) {
            self.binaries.push(Found { path, modified, binary });
        }
    }

    /// Whether one of `names` is a C source of the project.
    pub fn has_c_source(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.c_sources.contains(name))
    }

    /// The first line of a build file that names a C compiler by an absolute path.
    pub fn absolute_compiler(&self) -> Option<AbsoluteCompiler> {
        self.build_files.iter().find_map(|path| absolute_compiler_in(path).ok().flatten())
    }
}

/// A line that names a C compiler by its absolute path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsoluteCompiler {
    /// The build file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The compiler.
    pub compiler: String,
    /// The variable that it is assigned to.
    pub variable: Option<String>,
}

fn is_build_file(name: &str) -> bool {
    matches!(name, "Makefile" | "makefile" | "GNUmakefile")
        || [".mk", ".mak", ".make"].iter().any(|end| name.ends_with(end))
}

/// Build files are read up to here; what a person wrote is not longer.
const LONGEST_BUILD_FILE: u64 = 4 << 20;

fn absolute_compiler_in(path: &Path) -> io::Result<Option<AbsoluteCompiler>> {
    let mut text = Vec::new();
    fs::File::open(path)?.take(LONGEST_BUILD_FILE).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#'));
    Ok(lines.into_iter().find_map(|(at, line)| {
        let compiler = absolute_compiler_of(line).filter(|word| !is_self(word.as_ref()))?.to_owned();
        let variable = variable_of(line).map(str::to_owned);
        Some(AbsoluteCompiler { file: path.to_owned(), line: at + 1, compiler, variable })
    }))
}

/// The word of `text` that is an absolute path of a C compiler.
pub fn absolute_compiler_of(text: &str) -> Option<&str> {
    let words = text.split(|letter: char| letter.is_whitespace() || "=:;\"'`()".contains(letter));
    words.into_iter().find(|word| word.starts_with('/') && Name::of(word.as_ref()).is_some())
}

/// The variable that a line of a makefile assigns to.
fn variable_of(line: &str) -> Option<&str> {
    let name = line.split(['=', ':', '?', '+']).next()?.trim();
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    (is_name && line.contains('=')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_compilers_are_recognised() {
        assert_eq!(absolute_compiler_of("CC = /usr/bin/gcc-12 -m64"), Some("/usr/bin/gcc-12"));
        assert_eq!(absolute_compiler_of("\t/opt/x/bin/clang -c $<"), Some("/opt/x/bin/clang"));
        assert_eq!(absolute_compiler_of("CC = gcc"), None);
        assert_eq!(absolute_compiler_of("-I/usr/lib/gcc/x"), None);
        assert_eq!(variable_of("CC := /usr/bin/gcc"), Some("CC"));
        assert_eq!(variable_of("\t/usr/bin/gcc -c $<"), None);
    }
}
