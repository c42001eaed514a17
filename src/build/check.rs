//! The compiler looks at a source once more, to say what it finds odd about it.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::arguments::Arguments;
use super::elf;

/// What it is asked to look for: code that does not do what it seems to. Left out is what tells of style, of portability, or of what is not used at
/// all; whatever the build asks for itself does not count.
const WARNINGS: &[&str] = &[
    "-Wno-everything",
    "-Wall",
    "-Wextra",
    "-Wconditional-uninitialized",
    "-Wloop-analysis",
    "-Wassign-enum",
    "-Wunreachable-code",
    "-Wtautological-unsigned-zero-compare",
    "-Wtautological-unsigned-enum-zero-compare",
    "-Wtautological-unsigned-char-zero-compare",
    "-Wtautological-value-range-compare",
    "-Wno-sign-compare",
    "-Wno-missing-field-initializers",
    "-Wno-missing-braces",
    "-Wno-implicit",
    "-Wno-deprecated-non-prototype",
    "-Wno-unused-variable",
    "-Wno-unused-function",
    "-Wno-unused-label",
    "-Wno-unused-const-variable",
    "-Wno-unused-local-typedef",
    "-Wno-unknown-pragmas",
    "-Wno-unknown-warning-option",
    "-Wno-error",
];
/// How it is to say it: a line for each.
const FORM: &[&str] = &[
    "-fsyntax-only",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
    "-fdiagnostics-show-option",
    "-fdiagnostics-absolute-paths",
    "-fmessage-length=0",
    "-Qunused-arguments",
];
/// More is not read.
const MOST_BYTES: u64 = 16 << 20;

/// How a C source was compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Compilation {
    /// As given to the compiler.
    pub source: PathBuf,
    compiler: OsString,
    meaning: Vec<OsString>,
}

/// How the sources of a program or shared library were compiled, each way once.
///
/// # Errors
/// When it cannot be read.
pub fn compilations(binary: &Path) -> io::Result<Vec<Compilation>> {
    let mut all: Vec<Compilation> =
        elf::command_lines(binary)?.iter().flat_map(|line| Compilation::all(line)).collect();
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

impl Compilation {
    /// Those of a recorded command line.
    fn all(line: &[u8]) -> Vec<Compilation> {
        let mut words = words(line).into_iter();
        let Some(compiler) = words.next() else { return Vec::new() };
        let parsed = Arguments::parse(&words.collect::<Vec<_>>(), &|_| None);
        let one = |source: &OsString| Compilation {
            source: source.into(),
            compiler: compiler.clone(),
            meaning: parsed.meaning.clone(),
        };
        parsed.c_sources().map(|input| one(&input.path)).collect()
    }

    /// What the compiler says of the source when it runs in `directory`; `None` when it cannot be asked, or refuses the source.
    pub fn messages(&self, directory: &Path) -> Option<String> {
        let mut command = Command::new(&self.compiler);
        command.args(&self.meaning).args(WARNINGS).args(FORM).args(["-x", "c"]).arg(&self.source);
        command.current_dir(directory).env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().ok()?;
        let mut bytes = Vec::new();
        let read = child.stderr.take().map(|pipe| pipe.take(MOST_BYTES).read_to_end(&mut bytes));
        let ended = child.wait().ok()?;
        read?.ok()?;
        ended.success().then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Takes a recorded command line apart.
fn words(line: &[u8]) -> Vec<OsString> {
    let (mut words, mut word) = (Vec::new(), Vec::new());
    let mut bytes = line.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => word.extend(bytes.next()),
            b' ' => words.push(std::mem::take(&mut word)),
            _ => word.push(byte),
        }
    }
    words.push(word);
    words.into_iter().filter(|word| !word.is_empty()).map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_line_tells_how_each_source_was_compiled() {
        let line = br#"/usr/bin/clang -DNAME="a\ \\" -c -I inc a\ b.c x.o -x c d.txt -o out -fplugin=/p.so"#;
        let found = Compilation::all(line);
        let sources: Vec<_> = found.iter().map(|one| one.source.to_str().unwrap()).collect();
        assert_eq!(sources, ["a b.c", "d.txt"]);
        assert_eq!(found[1].compiler, "/usr/bin/clang");
        assert_eq!(found[1].meaning, [r#"-DNAME="a \""#, "-I", "inc"]);
        assert_eq!(Compilation::all(b""), []);
        assert_eq!(Compilation::all(b"\\"), []);
    }
}
