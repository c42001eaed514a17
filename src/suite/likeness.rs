//! What of an output need not be as it is expected.

use std::sync::LazyLock;

use regex::bytes::Regex;

/// How an output may differ from the expected one, line by line. The default is: not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Likeness {
    /// Numbers may differ by so much.
    pub(super) close: Option<Close>,
    /// Lines may come in any order.
    pub(super) unordered: bool,
    /// Lines that are expected are regular expressions.
    pub(super) patterns: bool,
}

/// By how much numbers may differ: more than 0 and less than 1, of themselves or, of small ones, of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Close(f64);

impl Eq for Close {}

impl Close {
    pub(super) fn new(most: f64) -> Option<Close> {
        (most > 0.0 && most < 1.0).then_some(Close(most))
    }

    fn are_close(self, one: f64, other: f64) -> bool {
        (one - other).abs() <= self.0 * one.abs().max(other.abs()).max(1.0)
    }
}

/// A number in a line.
static NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?").ok());

impl Likeness {
    /// Whether nothing may differ.
    pub(super) fn is_exact(&self) -> bool {
        *self == Likeness::default()
    }

    /// The output with what is as good as expected written as expected: it is as it should be if the two are then the same.
    pub(super) fn settled(&self, expected: &[u8], output: Vec<u8>) -> Vec<u8> {
        if self.is_exact() || expected == output {
            return output;
        }
        let wanted: Vec<&[u8]> = expected.split_inclusive(|byte| *byte == b'\n').collect();
        let written: Vec<&[u8]> = output.split_inclusive(|byte| *byte == b'\n').collect();
        if !self.unordered {
            let line = |(at, line): (usize, &&[u8])| match wanted.get(at) {
                Some(wanted) if self.is_like(wanted, line) => wanted.to_vec(),
                _ => line.to_vec(),
            };
            return written.iter().enumerate().flat_map(line).collect();
        }
        let mut left = written;
        let found: Vec<bool> = wanted
            .iter()
            .map(|wanted| {
                let at = left
                    .iter()
                    .position(|line| line == wanted)
                    .or_else(|| left.iter().position(|line| self.is_like(wanted, line)));
                at.map(|at| left.remove(at)).is_some()
            })
            .collect();
        // What nobody expects stands where something that is missing should.
        let mut left = left.into_iter();
        let mut out = Vec::new();
        for (wanted, is_found) in wanted.iter().zip(found) {
            match is_found {
                true => out.extend_from_slice(wanted),
                false => out.extend_from_slice(left.next().unwrap_or_default()),
            }
        }
        out.extend(left.flatten());
        out
    }

    fn is_like(&self, wanted: &[u8], line: &[u8]) -> bool {
        wanted == line
            || self.close.is_some_and(|close| has_close_numbers(close, wanted, line))
            || self.patterns && pattern(wanted).is_ok_and(|pattern| pattern.is_match(bare(line)))
    }
}

/// A line without its line break.
fn bare(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The expression that a whole line has to match.
///
/// # Errors
/// What is wrong with it.
pub(super) fn pattern(line: &[u8]) -> Result<Regex, String> {
    let text = std::str::from_utf8(bare(line)).map_err(|_| "it is not UTF-8".to_owned())?;
    Regex::new(&format!("^(?:{text})$"))
        .map_err(|error| error.to_string().lines().last().unwrap_or_default().to_owned())
}

/// Whether two lines are the same but for numbers that are close.
fn has_close_numbers(close: Close, one: &[u8], other: &[u8]) -> bool {
    let Some(number) = NUMBER.as_ref() else { return false };
    let (mut ones, mut others) = (number.find_iter(one), number.find_iter(other));
    let (mut one_at, mut other_at) = (0, 0);
    loop {
        match (ones.next(), others.next()) {
            (None, None) => return one[one_at..] == other[other_at..],
            (Some(of_one), Some(of_other)) => {
                let value = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<f64>().ok());
                let are_close = match (value(of_one.as_bytes()), value(of_other.as_bytes())) {
                    (Some(one), Some(other)) => close.are_close(one, other),
                    _ => false,
                };
                if one[one_at..of_one.start()] != other[other_at..of_other.start()] || !are_close {
                    return false;
                }
                (one_at, other_at) = (of_one.end(), of_other.end());
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(likeness: &Likeness, expected: &str, output: &str) -> bool {
        likeness.settled(expected.as_bytes(), output.as_bytes().to_vec()) == expected.as_bytes()
    }

    #[test]
    fn numbers_may_be_close() {
        let close = Likeness { close: Close::new(1e-6), ..Likeness::default() };
        assert!(passes(&close, "x = 1.0000001, y = -2e3\n", "x = 1, y = -2000.0001\n"));
        assert!(passes(&close, "0\n", "0.0000001\n"));
        for (expected, output) in
            [("x 1.0\n", "x 1.1\n"), ("x 1\n", "y 1\n"), ("1 2\n", "1\n"), ("1\n", "1 a\n"), ("nan\n", "0\n")]
        {
            assert!(!passes(&close, expected, output), "{expected} {output}");
        }
        assert!(passes(&Likeness::default(), "1\n", "1\n") && !passes(&Likeness::default(), "1.0\n", "1\n"));
        assert_eq!(Close::new(0.0), None);
    }

    #[test]
    fn lines_may_come_in_any_order() {
        let unordered = Likeness { unordered: true, ..Likeness::default() };
        assert!(passes(&unordered, "a\nb\nb\n", "b\na\nb\n"));
        assert!(!passes(&unordered, "a\nb\nb\n", "b\na\na\n"));
        assert!(!passes(&unordered, "a\n", "a\na\n") && !passes(&unordered, "a\na\n", "a\n"));
        // The line that is wrong is shown where the missing one should be.
        assert_eq!(unordered.settled(b"a\nb\nc\n", b"c\nx\na\n".to_vec()), b"a\nx\nc\n");
    }

    #[test]
    fn expected_lines_may_be_patterns() {
        let patterns = Likeness { patterns: true, ..Likeness::default() };
        assert!(passes(&patterns, "took [0-9]+ ms\na+b\n", "took 12 ms\na+b\n"));
        assert!(!passes(&patterns, "took [0-9]+ ms\n", "took 12 ms.\n"));
        assert!(pattern(b"(\n").is_err());
        let both = Likeness { patterns: true, unordered: true, close: None };
        assert!(passes(&both, "id [a-z]\nend\n", "end\nid x\n"));
    }
}
