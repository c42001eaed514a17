//! Code of the tests themselves: it says what is right, and is not asked what is wrong.

use glob::{MatchOptions, Pattern};

/// Directories that hold nothing but tests, by custom.
const DIRECTORIES: [&str; 10] =
    ["t", "test", "tests", "testing", "testsuite", "test-suite", "unittest", "unittests", "unit-tests", "unit_tests"];
/// How names of test programs begin and end, by custom.
const BEGINNINGS: [&str; 2] = ["test_", "test-"];
const ENDS: [&str; 4] = ["_test", "-test", "_tests", "-tests"];

/// Which source files are tests: those that patterns name, or those that are where, or called as, tests are by custom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCode {
    patterns: Option<Vec<Pattern>>,
}

impl TestCode {
    /// No file is one.
    pub fn none() -> TestCode {
        TestCode { patterns: Some(Vec::new()) }
    }

    /// Those that match one of `patterns`.
    ///
    /// # Errors
    /// The position of the first that is none, and what is wrong with it.
    pub fn matching(patterns: &[&str]) -> Result<TestCode, (usize, &'static str)> {
        let one = |(at, pattern): (usize, &&str)| Pattern::new(pattern).map_err(|error| (at, error.msg));
        let patterns = patterns.iter().enumerate().map(one).collect::<Result<_, _>>()?;
        Ok(TestCode { patterns: Some(patterns) })
    }

    /// Whether suspect.toml says which they are.
    pub fn is_said(&self) -> bool {
        self.patterns.is_some()
    }

    /// Whether the file of this path, seen from the project's root, is one. What lies outside of the project is none.
    pub fn has(&self, path: &str) -> bool {
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
        match &self.patterns {
            _ if path.starts_with('/') => false,
            Some(patterns) => patterns.iter().any(|pattern| pattern.matches_with(path, options)),
            None => is_by_custom(path),
        }
    }
}

fn is_by_custom(path: &str) -> bool {
    let path = path.to_lowercase();
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    directories.split('/').any(|directory| DIRECTORIES.contains(&directory))
        || BEGINNINGS.iter().any(|beginning| stem.starts_with(beginning))
        || ENDS.iter().any(|end| stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_by_place_and_name() {
        let custom = TestCode::default();
        for path in [
            "tests/a.c",
            "lib/test/deep/a.h",
            "t/a.c",
            "Tests/Test_tree.c",
            "src/test_list.c",
            "list_test.c",
            "src/list-tests.c",
        ] {
            assert!(custom.has(path), "{path}");
        }
        for path in [
            "a.c",
            "src/latest.c",
            "src/test.c",
            "contest/a.c",
            "src/testing.c",
            "attest_key.c",
            "/usr/tests/a.c",
            "tests.c",
        ] {
            assert!(!custom.has(path), "{path}");
        }
    }

    #[test]
    fn patterns_take_the_place_of_custom() {
        let named = TestCode::matching(&["check/**/*.c", "run.c"]).unwrap();
        assert!(named.has("check/a.c") && named.has("check/b/c.c") && named.has("run.c"));
        assert!(!named.has("tests/a.c") && !named.has("src/run.c"));
        assert!(!TestCode::none().has("tests/a.c"));
        assert_eq!(TestCode::matching(&["a", "[b"]).unwrap_err().0, 1);
    }
}
