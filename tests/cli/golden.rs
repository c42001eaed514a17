//! Files of a released format are read for ever. Each of them in tests/golden was written once, with what `suspect dump` says of it beside it.
//!
//! Files of another format get another directory there; those of one that is given up must still be refused by name.

use std::path::{Path, PathBuf};

use crate::project::Project;

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let (directories, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    directories.iter().flat_map(|inner| self::files(inner)).chain(files).collect()
}

/// All but the first line of a trace, which names the file itself.
fn facts(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("trace ")).collect()
}

#[test]
fn files_of_the_first_format_are_read() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/1");
    let project = Project::new();
    let golden: Vec<PathBuf> =
        files(&directory).into_iter().filter(|path| path.extension() != Some("txt".as_ref())).collect();
    assert_eq!(golden.len(), 10, "{golden:?}");
    for path in golden {
        let said = project.succeed(&["dump", path.to_str().unwrap()]);
        let expected = std::fs::read_to_string(format!("{}.txt", path.display())).unwrap();
        assert_eq!(facts(&said), facts(&expected), "{}", path.display());
    }
}
