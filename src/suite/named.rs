//! The files that a test's command names.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Test;

/// Bytes of an input that are read to be shown.
const SHOWN_BYTES: u64 = 2048;
/// Inputs of one test that are shown.
const MOST_INPUTS: usize = 4;

/// A data file that a test's command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its path, as far as possible relative to the directory that the command runs in.
    pub path: PathBuf,
    /// Its first 2048 bytes, as text.
    pub text: String,
    /// Whether that is all of it.
    pub is_whole: bool,
}

impl Test {
    /// The data files that the command names, in the order of the command: at most four, and no programs, scripts or binary files.
    pub fn inputs(&self) -> Vec<Input> {
        let mut inputs: Vec<Input> = Vec::new();
        for path in self.plan.argv.iter().flat_map(|line| named_files(&self.dir, line)) {
            let relative = path.strip_prefix(&self.dir).unwrap_or(&path);
            if inputs.len() < MOST_INPUTS && inputs.iter().all(|input| input.path != relative) {
                inputs.extend(read_input(&path).ok().flatten().map(|(text, is_whole)| Input {
                    path: relative.to_owned(),
                    text,
                    is_whole,
                }));
            }
        }
        inputs
    }
}

/// The files that the words of a shell's line name.
pub(super) fn named_files<'l>(directory: &'l Path, line: &'l OsStr) -> impl Iterator<Item = PathBuf> + 'l {
    let separates = |byte: &u8| byte.is_ascii_whitespace() || b"'\"<>|&;()=`".contains(byte);
    let words = line.as_bytes().split(separates).filter(|word| !word.is_empty());
    words.map(|word| directory.join(OsStr::from_bytes(word))).filter(|path| path.is_file())
}

/// The beginning of a data file as text, and whether that is all; `None` for what can be executed, and for what is no text.
fn read_input(path: &Path) -> io::Result<Option<(String, bool)>> {
    let data = fs::metadata(path)?;
    if data.permissions().mode() & 0o111 != 0 {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(SHOWN_BYTES).read_to_end(&mut bytes)?;
    if bytes.contains(&0) {
        return Ok(None);
    }
    let is_whole = bytes.len() as u64 == data.len();
    Ok(Some((String::from_utf8_lossy(&bytes).into_owned(), is_whole)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Suite;

    #[test]
    fn inputs_are_the_data_files_of_the_command() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| fs::write(directory.path().join(name), bytes).unwrap();
        write(
            "suspect.toml",
            b"[[suite]]\nkind = \"cases\"\ninputs = \"*.in\"\nrun = \"./prog -t table.txt picture < {input}; cat {input}\"\n\
              expect = \"{stem}.out\"\n",
        );
        write("a.in", b"one\ntwo");
        write("a.out", b"");
        write("picture", b"\x89PNG\0\0");
        write("table.txt", &[b'x'; 3000]);
        write("prog", b"#!/bin/sh\n");
        fs::set_permissions(directory.path().join("prog"), fs::Permissions::from_mode(0o755)).unwrap();
        let inputs = Suite::load(directory.path()).unwrap().tests()[0].inputs();
        let told: Vec<(&str, usize, bool)> =
            inputs.iter().map(|input| (input.path.to_str().unwrap(), input.text.len(), input.is_whole)).collect();
        assert_eq!(told, [("table.txt", 2048, false), ("a.in", 7, true)]);
    }
}
