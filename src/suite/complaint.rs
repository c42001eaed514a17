//! What a failing test says of its failure.

use std::ops::Range;

/// Words of lines that tell a failure, in small letters.
const WORDS: [&str; 11] =
    ["fail", "assert", "error", "not ok", "expected", "mismatch", "abort", "wrong", "panic", "differs", "!="];
/// Beginnings of words for what a line may count.
const COUNTABLE: [&str; 7] = ["fail", "error", "mismatch", "wrong", "differ", "panic", "abort"];
/// Ends of lines that tell what went well, whatever it is called.
const WELL: [&str; 4] = ["ok", "pass", "passed", "done"];

/// Words before a number that is no count.
const NUMBERED: [&str; 8] = ["test", "check", "case", "line", "number", "no", "exit", "status"];
/// Words between a count and its word.
const COUNTED: [&str; 5] = ["test", "tests", "checks", "cases", "assertions"];

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

/// What a program said without the sequences by which terminals colour it, which may stand within a place or a word.
pub fn without_colours(said: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(said.len());
    let mut rest = said;
    while let Some(at) = rest.windows(2).position(|window| window == b"\x1b[") {
        plain.extend_from_slice(&rest[..at]);
        let behind = &rest[at + 2..];
        let length = behind.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
        rest = match behind.get(length) {
            Some(b'm' | b'K') => &behind[length + 1..],
            _ => {
                plain.extend_from_slice(&rest[at..at + 2]);
                behind
            }
        };
    }
    plain.extend_from_slice(rest);
    plain
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

/// Whether a line tells a failure without counting any.
pub(super) fn tells_one(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line).to_lowercase();
    tells_failure(&line) && count_of_failures(&line).is_none()
}

/// Of these the lines that tell which check: with its place in the source, if any does; else those that do not count failures, if there are such; else all.
pub fn told_checks(said: &[u8]) -> Vec<&[u8]> {
    let all: Vec<&[u8]> = failed_checks(said).collect();
    let is_named = |line: &&&[u8]| names_place(&String::from_utf8_lossy(line));
    let is_no_tally = |line: &&&[u8]| count_of_failures(&String::from_utf8_lossy(line).to_lowercase()).is_none();
    let named: Vec<&[u8]> = all.iter().filter(is_named).copied().collect();
    let no_tallies: Vec<&[u8]> = all.iter().filter(is_no_tally).copied().collect();
    [named, no_tallies].into_iter().find(|lines| !lines.is_empty()).unwrap_or(all)
}

/// Whether a line names a place in a source file, as in `sum.c:12`.
fn names_place(line: &str) -> bool {
    named_place(line).is_some()
}

/// The file, without its directory, and the line that a line names as a place in a source file.
pub fn named_place(line: &str) -> Option<(&str, u32)> {
    words(line).into_iter().find_map(|word| {
        let (file, line) = word.split_once(':')?;
        let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
        let is_source = file.rsplit_once('.')?.1.starts_with(char::is_alphabetic);
        Some((file, line[..digits].parse().ok()?)).filter(|_| is_source)
    })
}

/// Whether a line tells a failure, in whichever letters; one that counts none of them does not.
pub fn complains(line: &str) -> bool {
    tells_failure(&line.to_lowercase())
}

/// The same of a line in small letters.
fn tells_failure(line: &str) -> bool {
    let is_well = |last: &str| WELL.contains(&last.trim_matches(|c: char| !c.is_alphanumeric()));
    let goes_well = line.split_whitespace().next_back().is_some_and(is_well) && !line.contains("not ok");
    count_of_failures(line)
        .map_or(!counts_none(line) && !goes_well && WORDS.iter().any(|word| line.contains(word)), |count| count > 0)
}

/// The words of a line, without what stands between them.
fn words(line: &str) -> Vec<&str> {
    let ends = [' ', '\t', '\r', '\n', ',', ';', '/', '(', ')', '[', ']'];
    line.split(ends).filter(|word| !word.is_empty()).collect()
}

/// A word as a count.
fn count(word: &str) -> Option<u64> {
    word.trim_end_matches('.').parse().ok()
}

/// Whether a line says that there are none of what it is about, as in `mismatches 0`; `line 0: error` does not.
fn counts_none(line: &str) -> bool {
    let mut numbers = line.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    let has_others = numbers.any(|number| number.bytes().any(|digit| digit != b'0'));
    let words = words(line);
    let is_none = |at: usize| words.get(at).is_some_and(|word| count(word) == Some(0));
    let is_number = |at: usize| at > 0 && NUMBERED.contains(&words[at - 1]);
    let is_about = |at: &usize| COUNTABLE.iter().any(|word| words[*at].starts_with(word));
    let mut about = (0..words.len()).filter(is_about);
    let before =
        |at: usize| (1..=2).filter_map(move |back| at.checked_sub(back)).any(|one| is_none(one) && !is_number(one));
    !has_others && about.any(|at| before(at) || is_none(at + 1) || is_none(at + 2))
}

/// How many failures and errors a line counts, as in `5 passed, 1 failed` or `failures: 0`, if it counts them.
fn count_of_failures(line: &str) -> Option<u64> {
    let words = words(line);
    let number = |at: Option<usize>| count(words.get(at?)?);
    let count = |at: usize| {
        let before = at.checked_sub(1).filter(|before| number(Some(*before)).is_some());
        let before = before.or_else(|| at.checked_sub(2).filter(|_| COUNTED.contains(&words[at - 1])));
        let is_count = |at: &usize| *at == 0 || !NUMBERED.contains(&words[at - 1]);
        let behind = words[at].ends_with([':', '=']).then_some(at + 1);
        number(behind).or_else(|| number(before.filter(is_count)))
    };
    let is_failure = |at: &usize| ["fail", "error"].iter().any(|word| words[*at].starts_with(word));
    (0..words.len()).filter(is_failure).filter_map(count).reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_no_part_of_what_is_said() {
        let said = b"\x1b[0m\x1b[31m  assert fail\x1b[0m in \x1b[1;36mtest/vec.h \x1b[0mon line 7 \x1b[2J\x1b[";
        assert_eq!(without_colours(said), b"  assert fail in test/vec.h on line 7 \x1b[2J\x1b[");
    }

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
        let told = |said: &str| told_checks(said.as_bytes()).len();
        assert_eq!(told("Failed!\n1. Assert [ 0 ] (t/a.c:3)\n2. Assert [ x ] (t/a.c:7)\nTests: 2 failed\n"), 2);
        assert_eq!([told("Failed: sum\nTests: 2 failed\n"), told("Tests: 2 failed\n"), told("7\n")], [1, 1, 0]);
        for failed in [
            "1 failed/2 passed",
            "5 passed, 1 failed",
            "failures: 2, errors: 0",
            "test 0 failed: 1 is 2",
            "1 tests failed out of 5",
            "line 0: error opening x.txt",
            "expected 0, got nothing",
            "error at offset 0",
        ] {
            assert!(found(failed).is_some(), "{failed}");
        }
        for passed in [
            "5 passed, 0 failed",
            "100% tests passed, 0 tests failed out of 5",
            "3 checks, failures: 0, errors: 0",
            "mismatches 0",
            "wrong answers: 0",
            "0 mismatches",
        ] {
            assert!(found(passed).is_none(), "{passed}");
        }
    }
}
