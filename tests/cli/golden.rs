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

/// A report of the first version of its JSON form, as the first release wrote it, in every format that is made of a report alone.
#[test]
fn a_report_of_the_first_version_is_rendered() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/report-1.json");
    let project = Project::new();
    let render = |format: &str| project.succeed(&["report", "--from", golden.to_str().unwrap(), "--format", format]);
    let told = [
        ("text", "#1  79 %  8  return a - b;\n                with `a + b`: the failing test passes [a8435a3f]"),
        ("markdown", "sum.c:8"),
        ("html", "<summary><b>4</b> <span class=\"verdict failing\">fail: output differs from out/4: line 1 is `9`"),
        ("json", "\"id\":\"a8435a3f42a61a97\""),
        ("sarif", "\"startLine\": 8"),
        ("junit", "<failure"),
        ("codequality", "\"begin\": 8"),
        ("lcov", "DA:8,"),
        ("dot", "digraph"),
    ];
    for (format, words) in told {
        let written = render(format);
        assert!(written.contains(words), "{format}: {words} is not in\n{written}");
    }
}
