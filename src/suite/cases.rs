//! `kind = "cases"` and `kind = "lines"`: one command for each input file, or for each line of a file.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::SuiteError;
use super::config::{CasesConfig, Expect, ExpectSource, LinesConfig, ScratchKind};
use super::likeness;
use super::load::{Found, Listed, Listing};
use super::oracle::{Compare, Expected, Oracle, shown_path};
use super::test::Plan;

/// `sh -c line`.
pub(super) fn shell_argv(line: OsString) -> Vec<OsString> {
    vec!["/bin/sh".into(), "-c".into(), line]
}

/// Values of placeholders.
type Values<'a> = [(&'a str, &'a OsStr)];

/// A test for each file that matches the pattern, in order of name.
///
/// `{stem}` is what the pattern leaves open: the path without what is before the first and after the last wildcard.
pub(super) fn list_cases(listing: &Listing, config: &CasesConfig) -> Result<Found, SuiteError> {
    let (before, after) = fixed_parts(&config.inputs);
    let mut tests = Vec::new();
    for input in matching(listing, &config.inputs)? {
        let name = input.to_string_lossy();
        let stem = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).unwrap_or(&name);
        let stem = if stem.is_empty() { &name } else { stem };
        let given = placed(listing, &input);
        let values = [("input", given.as_os_str()), ("stem", stem.as_ref()), ("dir", listing.dir.as_os_str())];
        let oracle = oracle(listing, config.expect.as_ref(), stem, &values)?;
        tests.push(listed(listing, stem.to_owned(), config.run.fill(&values), oracle));
    }
    if tests.is_empty() {
        return Err(listing.no_tests(format!("no file matches `{}` in {}", config.inputs, listing.dir.display())));
    }
    Ok(Found { tests, ..Found::default() })
}

/// A test for each line that is not blank; named by the number of the line, which is also `{n}`.
pub(super) fn list_lines(listing: &Listing, config: &LinesConfig) -> Result<Found, SuiteError> {
    let path = listing.dir.join(&config.file);
    let bytes =
        fs::read(&path).map_err(|source| SuiteError::Io { what: "read the tests in", path: path.clone(), source })?;
    let mut tests = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        if line.contains(&0) {
            return Err(listing.no_tests(format!("line {number} of {} has a NUL character", path.display())));
        }
        let n = i32::to_string(&number);
        let line: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(line);
        let values = [("line", line), ("n", n.as_ref()), ("dir", listing.dir.as_os_str())];
        let oracle = oracle(listing, config.expect.as_ref(), &n, &values)?;
        tests.push(listed(listing, n.clone(), config.run.fill(&values), oracle));
    }
    if tests.is_empty() {
        return Err(listing.no_tests(format!("{} has no lines", path.display())));
    }
    Ok(Found { tests, ..Found::default() })
}

fn listed(listing: &Listing, name: String, line: OsString, oracle: Oracle) -> Listed {
    let plan = Plan { argv: shell_argv(line), oracle, scratch: listing.section.scratch, ..Plan::default() };
    Listed { name, dir: listing.dir.clone(), plan }
}

/// How a test is judged; a file with the expected output has to be there.
fn oracle(listing: &Listing, expect: Option<&Expect>, test: &str, values: &Values) -> Result<Oracle, SuiteError> {
    let Some(Expect { source, filter, status, likeness }) = expect else {
        return Ok(Oracle::Exit { skip: None, error: None, should_fail: false });
    };
    let expected = match source {
        ExpectSource::Reference(run) => {
            Expected::Reference { command: run.fill(values), output: Arc::new(OnceLock::new()) }
        }
        ExpectSource::File(path) => {
            let path = listing.dir.join(path.fill(values));
            if !path.is_file() {
                return Err(SuiteError::MissingExpected { suite: listing.name.into(), test: test.into(), path });
            }
            if likeness.patterns {
                check_patterns(listing, &path)?;
            }
            let shown = shown_path(&path, listing.root);
            Expected::File { path, shown }
        }
    };
    Ok(Oracle::Compare(Compare { expected, status: *status, filter: filter.clone(), likeness: likeness.clone() }))
}

/// Lines of a file with the expected output that are regular expressions have to be such.
fn check_patterns(listing: &Listing, path: &Path) -> Result<(), SuiteError> {
    let bytes = fs::read(path).map_err(|source| SuiteError::Io { what: "read", path: path.into(), source })?;
    for (number, line) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        if let Err(why) = likeness::pattern(line) {
            let place = format!("line {} of {}", i32::to_string(&number), shown_path(path, listing.root));
            return Err(
                listing.no_tests(format!("{place} is no regular expression, as `patterns = true` wants: {why}"))
            );
        }
    }
    Ok(())
}

/// The path under which a test that runs elsewhere finds the file.
fn placed(listing: &Listing, input: &Path) -> PathBuf {
    match listing.section.scratch {
        ScratchKind::Empty => listing.dir.join(input),
        ScratchKind::None | ScratchKind::Copy => input.to_owned(),
    }
}

/// What is before the first wildcard of a pattern and after the last.
fn fixed_parts(pattern: &str) -> (&str, &str) {
    let wild = ['*', '?', '[', ']'];
    match (pattern.find(wild), pattern.rfind(wild)) {
        (Some(first), Some(last)) => {
            let after = &pattern[last + 1..];
            // `**/x` matches `x` too: the slash belongs to the wildcard.
            let after = if pattern[..=last].ends_with("**") { after.trim_start_matches('/') } else { after };
            (&pattern[..first], after)
        }
        _ => ("", ""),
    }
}

/// Files that match, relative to the suite's directory, in order.
fn matching(listing: &Listing, pattern: &str) -> Result<Vec<PathBuf>, SuiteError> {
    let dir = glob::Pattern::escape(&listing.dir.to_string_lossy());
    let absolute = format!("{dir}/{pattern}");
    let wrong = |why: String| listing.no_tests(format!("`{pattern}` {why}"));
    let options =
        glob::MatchOptions { require_literal_separator: true, require_literal_leading_dot: true, case_sensitive: true };
    let paths = glob::glob_with(&absolute, options).map_err(|e| wrong(format!("is not a pattern: {}", e.msg)))?;
    let mut found = Vec::new();
    for path in paths {
        let path = path.map_err(|e| SuiteError::Io { what: "read", path: e.path().to_owned(), source: e.into() })?;
        found.push(path.strip_prefix(&listing.dir).unwrap_or(&path).to_owned());
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stem_is_what_the_pattern_leaves_open() {
        assert_eq!(fixed_parts("t/*.in"), ("t/", ".in"));
        assert_eq!(fixed_parts("t/**/*.in"), ("t/", ".in"));
        assert_eq!(fixed_parts("t/case-*/input.txt"), ("t/case-", "/input.txt"));
        assert_eq!(fixed_parts("t/[ab]?.in"), ("t/", ".in"));
        assert_eq!(fixed_parts("t/**/in"), ("t/", "in"));
        assert_eq!(fixed_parts("one"), ("", ""));
    }
}
