//! The program's sources as they lie in the project: only what is a source, and only lines that the program's code was made of.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::program::Program;
use crate::source::claimed_lines;

/// Bytes of a source, at most. Clang takes 2 GiB; nobody reads a file of more than this, and the machine's memory has to hold it.
const MOST_BYTES: u64 = 256 << 20;

/// Where the sources of a program are.
pub struct SourceTree {
    root: PathBuf,
    /// Of each file that line directives alone name, the generated sources that do.
    generators: BTreeMap<String, Vec<String>>,
}

impl SourceTree {
    /// The sources of a program of the project at `root`.
    pub fn of(root: &Path, program: &Program) -> SourceTree {
        let name = |file: u32| program.files.get(file as usize).cloned();
        let mut generators: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for unit in &program.units {
            let claimed = unit.files.iter().filter(|file| program.claimed.get(**file as usize) == Some(&true));
            for file in claimed.filter_map(|file| name(*file)) {
                generators.entry(file).or_default().extend(name(unit.file));
            }
        }
        SourceTree { root: root.to_owned(), generators }
    }

    /// The sources below `root`, of a program that is not known.
    pub fn plain(root: &Path) -> SourceTree {
        SourceTree { root: root.to_owned(), generators: BTreeMap::new() }
    }

    /// Where a file of the program is.
    pub fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// The bytes of a file. Lines that generated code claims without being made of them are blank, so all others keep their places.
    ///
    /// # Errors
    /// When there is no such file, or it is none that a compiler reads: see [`read_source`].
    pub fn bytes(&self, file: &str) -> io::Result<Vec<u8>> {
        let mut bytes = read_source(&self.path(file))?;
        for generator in self.generators.get(file).into_iter().flatten() {
            if let Ok(generated) = read_source(&self.path(generator)) {
                blank(&mut bytes, &String::from_utf8_lossy(&generated), file);
            }
        }
        Ok(bytes)
    }

    /// The text of a file.
    pub fn text(&self, file: &str) -> Option<String> {
        self.bytes(file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A line of a file, from 1.
    pub fn line(&self, file: &str, line: u32) -> Option<String> {
        self.text(file)?.lines().nth((line as usize).checked_sub(1)?).map(str::to_owned)
    }
}

/// Blanks the lines of `file` that `generated` claims and that are not its.
fn blank(bytes: &mut [u8], generated: &str, file: &str) {
    let claimed = claimed_lines(generated, file, &String::from_utf8_lossy(bytes));
    for (number, line) in (1u32..).zip(bytes.split_mut(|byte| *byte == b'\n')) {
        if claimed.get(&number) == Some(&false) {
            line.iter_mut().filter(|byte| **byte != b'\r').for_each(|byte| *byte = b' ');
        }
    }
}

/// The bytes of a source file. A line directive can name anything, so devices, pipes and descriptors are refused without being opened for long.
///
/// # Errors
/// When it cannot be read, is no regular file, or has more than 256 MiB.
pub fn read_source(path: &Path) -> io::Result<Vec<u8>> {
    let refused = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, why.to_owned()));
    if ["/dev", "/proc", "/sys"].iter().any(|place| path.starts_with(place)) || !path.metadata()?.is_file() {
        return refused("it is no regular file");
    }
    // What takes its place meanwhile keeps nobody waiting.
    let file: File = OpenOptions::new().read(true).custom_flags(nix::libc::O_NONBLOCK).open(path)?;
    let data = file.metadata()?;
    if !data.is_file() {
        return refused("it is no regular file");
    }
    if data.len() > MOST_BYTES {
        return refused("it has more than 256 MiB");
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("a.c"), "int a;\n").unwrap();
        nix::unistd::mkfifo(&at("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero.c")).unwrap();
        std::os::unix::fs::symlink(at("a.c"), at("link.c")).unwrap();
        assert_eq!(read_source(&at("link.c")).unwrap(), b"int a;\n");
        let others = ["fifo", "zero.c", ".", "missing.c"].map(at);
        for path in others.into_iter().chain(["/dev/zero", "/dev/stdin", "/proc/self/maps"].map(PathBuf::from)) {
            assert!(read_source(&path).is_err(), "{}", path.display());
        }
        fs::File::create(at("huge.c")).unwrap().set_len(MOST_BYTES + 1).unwrap();
        assert!(read_source(&at("huge.c")).is_err());
    }

    #[test]
    fn lines_that_generated_code_claims_wrongly_are_blank() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("g.y"), "copied();\r\nown text\nmore\n").unwrap();
        fs::write(directory.path().join("g.c"), "#line 1 \"g.y\"\ncopied();\nif (generated)\n").unwrap();
        let generators = BTreeMap::from([("g.y".to_owned(), vec!["g.c".to_owned()])]);
        let tree = SourceTree { root: directory.path().to_owned(), generators };
        assert_eq!(tree.text("g.y").unwrap(), "copied();\r\n        \nmore\n");
        assert_eq!(tree.line("g.y", 3).as_deref(), Some("more"));
        assert_eq!((tree.line("g.y", 0), tree.line("g.y", 4), tree.line("none.y", 1)), (None, None, None));
    }
}
