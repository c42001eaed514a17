//! What a test is, as a number: its command, the files that the command names, and what is expected of it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use suspect_format::trace::{HASH_START, hash_bytes};

use super::Test;
use super::named::named_files;
use super::oracle::{Compare, Expected, Oracle};

/// Larger files are known by their length alone.
const MOST_BYTES: u64 = 64 << 20;
/// How an executable begins.
const ELF: [u8; 4] = [0x7f, b'E', b'L', b'F'];

impl Test {
    /// A hash that changes when the test does: its command, its environment, the files that the command names (not the programs, which
    /// a build makes), and the output that is expected of it.
    pub fn print(&self) -> u64 {
        let mut print = Print { hash: HASH_START };
        for argument in &self.plan.argv {
            print.bytes(argument.as_bytes());
            print.named(&self.dir, argument);
        }
        for (name, value) in &self.plan.env {
            print.bytes(name.as_bytes());
            print.bytes(value.as_ref().map_or(b"", |value| value.as_bytes()));
        }
        match &self.plan.oracle {
            Oracle::Compare(Compare { expected, status, filter, likeness }) => {
                if !likeness.is_exact() {
                    print.bytes(format!("{likeness:?}").as_bytes());
                }
                if let Some(status) = status {
                    print.bytes(&status.to_le_bytes());
                }
                print.bytes(filter.as_deref().unwrap_or("").as_bytes());
                match expected {
                    Expected::File { path, .. } => print.file(path),
                    Expected::Reference { command, .. } => {
                        print.bytes(command.as_bytes());
                        print.named(&self.dir, command);
                    }
                }
            }
            Oracle::Driven(driven) => print.bytes(&driven.identity()),
            other => print.bytes(format!("{other:?}").as_bytes()),
        }
        print.hash
    }
}

struct Print {
    hash: u64,
}

impl Print {
    fn bytes(&mut self, bytes: &[u8]) {
        self.hash = hash_bytes(self.hash, &(bytes.len() as u64).to_le_bytes());
        self.hash = hash_bytes(self.hash, bytes);
    }

    /// The files that the words of a shell's line name.
    fn named(&mut self, directory: &Path, line: &OsStr) {
        named_files(directory, line).for_each(|path| self.file(&path));
    }

    /// A file's contents, unless it is a program.
    fn file(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(data) if data.len() > MOST_BYTES => self.bytes(&data.len().to_le_bytes()),
            _ => match read(path) {
                Ok(None) => {}
                Ok(Some(bytes)) => self.bytes(&bytes),
                Err(error) => self.bytes(error.to_string().as_bytes()),
            },
        }
    }
}

/// A file's contents; of a program, which each test may name, no more than tells that it is one.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let (mut file, mut bytes) = (File::open(path)?, Vec::new());
    file.by_ref().take(ELF.len() as u64).read_to_end(&mut bytes)?;
    if bytes == ELF {
        return Ok(None);
    }
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::suite::Suite;

    #[test]
    fn a_test_is_another_when_its_command_input_or_expectation_is() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
        let configure = |run: &str| {
            let toml =
                format!("[[suite]]\nkind = \"cases\"\ninputs = \"*.in\"\nrun = \"{run}\"\nexpect = \"{{stem}}.out\"\n");
            write("suspect.toml", &toml);
        };
        let print = || Suite::load(directory.path()).unwrap().tests()[0].print();
        write("a.in", "1");
        write("a.out", "2");
        write("prog", "\x7fELF 1");
        configure("./prog < {input}");
        let mut prints = BTreeSet::from([print()]);
        assert!(!prints.insert(print()));
        write("prog", "\x7fELF 2");
        assert!(!prints.insert(print()), "a program that was built again");
        write("a.in", "3");
        assert!(prints.insert(print()), "other input");
        write("a.out", "4");
        assert!(prints.insert(print()), "other expectation");
        configure("./prog -v < {input}");
        assert!(prints.insert(print()), "other command");
        write("prog", "#!/bin/sh\n");
        assert!(prints.insert(print()), "a script is part of the test");
    }
}
