//! Files that the arguments of a program name: those that it is given, and those that it writes.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::stand_in::MOST_BYTES;

/// Where a file's name stands in a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The number of the argument.
    pub argument: usize,
    /// The byte of the argument where the name begins.
    pub begin: usize,
}

impl Named {
    /// Everywhere that a command line may name a file: at the begin of a word, behind `=`, and behind the letter of an option.
    fn all(argv: &[OsString]) -> impl Iterator<Item = Named> {
        argv.iter().enumerate().skip(1).flat_map(|(argument, word)| {
            let bytes = word.as_bytes();
            let behind = bytes.iter().position(|byte| *byte == b'=').map(|at| at + 1);
            let option = matches!(bytes, [b'-', letter, _, ..] if letter.is_ascii_alphanumeric()).then_some(2);
            [Some(0), behind, option].into_iter().flatten().map(move |begin| Named { argument, begin })
        })
    }

    /// The argument before the name, and the name.
    pub fn split(self, argv: &[OsString]) -> Option<(&OsStr, &OsStr)> {
        let (before, name) = argv.get(self.argument)?.as_bytes().split_at_checked(self.begin)?;
        Some((OsStr::from_bytes(before), OsStr::from_bytes(name)))
    }

    /// The name.
    pub fn name(self, argv: &[OsString]) -> Option<&OsStr> {
        self.split(argv).map(|(_, name)| name).filter(|name| !name.is_empty())
    }
}

/// What the files that a command line names were like before the program ran.
pub struct Before {
    all: Vec<(Named, Option<Stamp>)>,
}

/// What changes when a file is written.
type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

fn stamp(data: &Metadata) -> Stamp {
    let (modified, changed) = ((data.mtime(), data.mtime_nsec()), (data.ctime(), data.ctime_nsec()));
    (data.dev(), data.ino(), data.len(), modified, changed)
}

impl Before {
    /// Looks at the files, and at places where there may be some.
    pub fn of(argv: &[OsString]) -> Before {
        let look = |named: Named| {
            let path = Path::new(named.name(argv)?);
            match fs::metadata(path) {
                Ok(data) => data.is_file().then(|| (named, Some(stamp(&data)))),
                Err(error) => (error.kind() == io::ErrorKind::NotFound).then_some((named, None)),
            }
        };
        Before { all: Named::all(argv).filter_map(look).collect() }
    }

    /// Copies those that are there, but for long ones; each copy's name is made of its number.
    pub fn keep(&self, argv: &[OsString], copy: impl Fn(usize) -> PathBuf) -> io::Result<Vec<Named>> {
        let mut kept = Vec::new();
        for (named, _) in self.all.iter().filter(|(_, stamp)| stamp.is_some()) {
            let Some(name) = named.name(argv) else { continue };
            // One that is long is found as it is then, or the start does something else alone and is no test: `jo jo` names its own program.
            if fs::metadata(name)?.len() <= MOST_BYTES {
                fs::write(copy(kept.len()), fs::read(name)?)?;
                kept.push(*named);
            }
        }
        Ok(kept)
    }

    /// Those that are files now and are new or have changed, but for some devices and inodes.
    pub fn written(&self, argv: &[OsString], others: &[(u64, u64)]) -> Vec<Named> {
        let is_written = |(named, before): &(Named, Option<Stamp>)| {
            let now = named.name(argv).and_then(|name| fs::metadata(name).ok()).filter(Metadata::is_file)?;
            let is_new = *before != Some(stamp(&now)) && !others.contains(&(now.dev(), now.ino()));
            is_new.then_some(*named)
        };
        self.all.iter().filter_map(is_written).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_words_behind_equal_signs_and_in_options() {
        let argv = ["prog", "in.txt", "-oout.txt", "--to=out.txt", "-o"].map(OsString::from);
        let names: Vec<_> = Named::all(&argv).filter_map(|named| named.name(&argv)).collect();
        assert_eq!(names, ["in.txt", "-oout.txt", "out.txt", "--to=out.txt", "out.txt", "-o"]);
    }

    #[test]
    fn files_are_written_that_are_new_or_changed() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let argv: Vec<OsString> =
            ["prog", "same", "new", "other", "none", "output"].map(|name| path(name).into_os_string()).into();
        ["same", "other", "output"].iter().for_each(|name| fs::write(path(name), name).unwrap());
        let before = Before::of(&argv);
        ["new", "other", "output"].iter().for_each(|name| fs::write(path(name), "written").unwrap());
        let output = fs::metadata(path("output")).unwrap();
        let written = before.written(&argv, &[(output.dev(), output.ino())]);
        assert_eq!(written.iter().map(|named| named.argument).collect::<Vec<_>>(), [2, 3]);
        let kept = before.keep(&argv, |number| path(&format!("copy-{number}"))).unwrap();
        assert_eq!(kept.iter().map(|named| named.argument).collect::<Vec<_>>(), [1, 3, 5]);
        assert_eq!(fs::read(path("copy-0")).unwrap(), b"same");
    }
}
