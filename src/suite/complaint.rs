//! What a failing test says of its failure.

use std::ops::Range;

/// Words of lines that tell a failure, in small letters.
const WORDS: [&str; 11] =
    ["fail", "assert", "error", "not ok", "expected", "mismatch", "abort", "wrong", "panic", "differs", "!="];
/// Ends of lines that tell what went well, whatever it is called.
const WELL: [&str; 4] = ["ok", "pass", "passed", "done"];

/// Where the first line stands that tells a failure, with what ends it.
pub fn complaint(said: &[u8]) -> Option<Range<usize>> {
    let mut start = 0;
    for line in said.split_inclusive(|byte| *byte == b'\n') {
        let end = start + line.len();
        if tells_failure(&String::from_utf8_lossy(line).to_lowercase()) {
            return Some(start..end);
        }
        start = end;
    }
    None
}

/// The lines that tell a failure.
pub fn complaints(said: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = said.split(|byte| *byte == b'\n');
    lines.filter(|line| tells_failure(&String::from_utf8_lossy(line).to_lowercase()))
}

/// Of these the lines that say of a check that it failed, not only that something is wrong: what a program says of its input may be as it should be.
pub fn failed_checks(said: &[u8]) -> impl Iterator<Item = &[u8]> {
    complaints(said).filter(|line| {
        let line = String::from_utf8_lossy(line).to_lowercase();
        ["not ok", "fail", "assert"].iter().any(|word| line.contains(word))
    })
}

/// Whether a line tells a failure; one that counts none of them does not.
fn tells_failure(line: &str) -> bool {
    let is_well = |last: &str| WELL.contains(&last.trim_matches(|c: char| !c.is_alphanumeric()));
    let mut numbers = line.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty()).peekable();
    let counts_none = numbers.peek().is_some() && numbers.all(|number| number.bytes().all(|digit| digit == b'0'));
    let goes_well = line.split_whitespace().next_back().is_some_and(is_well) && !line.contains("not ok");
    !counts_none && !goes_well && WORDS.iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_tells_a_failure_is_found() {
        let found = |said: &str| complaint(said.as_bytes()).map(|at| said[at].to_owned());
        assert_eq!(found("one\nt.c:3: Assertion `a' failed.\nmore\n").unwrap(), "t.c:3: Assertion `a' failed.\n");
        assert_eq!(found("ok 1\nnot ok 2 - sum").unwrap(), "not ok 2 - sum");
        assert_eq!(found("a: 0 failed\nb: 1 failed\n").unwrap(), "b: 1 failed\n");
        assert_eq!(found("test_error_handling ... ok\nerrors: PASSED\n"), None);
        assert_eq!(found("7\n8\n"), None);
        let said = b"error: no such file\nok 1\n    not ok 2\n3 checks, 1 failed\n0 failed\n";
        assert_eq!(complaints(said).count(), 3);
        assert_eq!(failed_checks(said).collect::<Vec<_>>(), [&b"    not ok 2"[..], b"3 checks, 1 failed"]);
        assert_eq!(found(""), None);
    }
}
