//! The script that runs all tests of a project, known by its name.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::directories::TEST_DIRS;

/// Directories besides those of tests in which projects keep such a script.
const DIRS: [&str; 5] = [".", "util", "utils", "scripts", "tools"];
/// Names without ending that say so anywhere, the likeliest first.
const NAMES: [&str; 14] = [
    "run_tests",
    "run-tests",
    "runtests",
    "run_test",
    "run-test",
    "runtest",
    "run_all",
    "run-all",
    "test_all",
    "testall",
    "spec_tests",
    "unit_tests",
    "test",
    "tests",
];
/// Names that say so in a directory of tests.
const NAMES_THERE: [&str; 5] = ["run", "all", "check", "regress", "driver"];
/// Endings with what runs such a script where it cannot be run by itself.
const ENDINGS: [(&str, &str); 6] =
    [(".sh", "sh"), (".bash", "bash"), (".py", "python3"), (".pl", "perl"), (".rb", "ruby"), ("", "")];

/// The command that runs it, from `root`.
pub(super) fn of(root: &Path) -> Option<String> {
    let here = TEST_DIRS.into_iter().flat_map(|dir| NAMES.into_iter().chain(NAMES_THERE).map(move |name| (dir, name)));
    let there = DIRS.into_iter().flat_map(|dir| NAMES.map(|name| (dir, name)));
    here.chain(there).find_map(|(dir, name)| ENDINGS.into_iter().find_map(|ending| command(root, dir, name, ending)))
}

/// What runs one script, if it is there.
fn command(root: &Path, dir: &str, name: &str, (ending, runner): (&str, &str)) -> Option<String> {
    let file = format!("{dir}/{name}{ending}");
    let path = root.join(&file);
    let can_be_run = fs::metadata(&path).ok().filter(|data| data.is_file())?.permissions().mode() & 0o111 != 0;
    let text = fs::read(&path).ok()?;
    let shown = file.strip_prefix("./").unwrap_or(&file);
    match text.starts_with(b"#!") {
        true if can_be_run => Some(format!("./{shown}")),
        _ if runner.is_empty() => None,
        _ => Some(format!("{runner} {shown}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found among files, each with its text and whether it can be run.
    fn found(files: &[(&str, &str, bool)]) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        for (name, text, can_be_run) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(if *can_be_run { 0o755 } else { 0o644 })).unwrap();
        }
        of(dir.path())
    }

    #[test]
    fn scripts_are_run_as_they_can_be() {
        assert_eq!(found(&[("util/test.py", "import os\n", true)]).as_deref(), Some("python3 util/test.py"));
        assert_eq!(found(&[("util/test.py", "#!/usr/bin/env python3\n", true)]).as_deref(), Some("./util/test.py"));
        assert_eq!(found(&[("run-tests.sh", "#!/bin/sh\n", false)]).as_deref(), Some("sh run-tests.sh"));
        assert_eq!(found(&[("t/run", "#!/usr/bin/perl\n", true)]).as_deref(), Some("./t/run"));
    }

    #[test]
    fn what_is_no_script_of_tests_is_left_alone() {
        assert_eq!(found(&[("tests/run", "text\n", true), ("scripts/check.sh", "lint\n", true)]), None);
        assert_eq!(found(&[("tools/run.sh", "", true), ("test.c", "", false), ("src/test.py", "", true)]), None);
        let both = [("scripts/test.sh", "", false), ("test/runtests.pl", "", false)];
        assert_eq!(found(&both).as_deref(), Some("perl test/runtests.pl"));
    }
}
