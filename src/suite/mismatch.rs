//! Where the output of a test is not the expected one, and lines of output in messages.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where an output differs first from the expected one; lines are shown around their first different character, and printable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Mismatch {
    /// A line is another one.
    Line {
        /// Its number, from 1.
        line: usize,
        /// The line of the output.
        written: String,
        /// The line that should be there.
        expected: String,
    },
    /// A line is right but for the line break at its end.
    Break {
        /// Its number, from 1.
        line: usize,
        /// Whether it has one too many; else it lacks it.
        too_many: bool,
    },
    /// The output ends before this line.
    Ends {
        /// Its number, from 1.
        line: usize,
        /// The line that should be there.
        expected: String,
    },
    /// The output goes on where it should end.
    GoesOn {
        /// The number of the first line too many, from 1.
        line: usize,
        /// That line.
        written: String,
    },
}

impl Mismatch {
    /// The first one of an output; `None` where it is the expected one.
    pub fn first(expected: &[u8], written: &[u8]) -> Option<Mismatch> {
        if expected == written {
            return None;
        }
        let lines = |bytes: &[u8]| bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
        let (expected, written) = (lines(expected), lines(written));
        let at = expected.iter().zip(&written).take_while(|(expected, written)| expected == written).count();
        let line = at + 1;
        let shown = |line: &[u8]| clip(line.strip_suffix(b"\n").unwrap_or(line));
        Some(match (expected.get(at), written.get(at)) {
            (Some(expected), Some(written)) if expected.strip_suffix(b"\n") == Some(written) => {
                Mismatch::Break { line, too_many: false }
            }
            (Some(expected), Some(written)) if written.strip_suffix(b"\n") == Some(expected) => {
                Mismatch::Break { line, too_many: true }
            }
            (Some(expected), Some(written)) => {
                let (written, expected) = around_difference(written, expected);
                Mismatch::Line { line, written, expected }
            }
            (Some(expected), None) => Mismatch::Ends { line, expected: shown(expected) },
            (None, written) => Mismatch::GoesOn { line, written: shown(written.map_or(b"", |written| written)) },
        })
    }

    /// The number of the line, from 1.
    pub fn line(&self) -> usize {
        match self {
            Mismatch::Line { line, .. }
            | Mismatch::Break { line, .. }
            | Mismatch::Ends { line, .. }
            | Mismatch::GoesOn { line, .. } => *line,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Line { line, written, expected } => {
                write!(f, "line {line} is `{written}`, expected `{expected}`")
            }
            Mismatch::Break { line, too_many: false } => write!(f, "line {line} lacks the line break at its end"),
            Mismatch::Break { line, too_many: true } => write!(f, "line {line} has a line break at its end too many"),
            Mismatch::Ends { line, expected } => write!(f, "ends before line {line}, expected `{expected}`"),
            Mismatch::GoesOn { line, written } => {
                write!(f, "goes on at line {line} with `{written}`, expected the end")
            }
        }
    }
}

/// Characters of a line shown in a message.
const SHOWN: usize = 80;
/// Characters shown before the first difference of two long lines.
const BEFORE: usize = 30;

/// A line for a message: printable and not too long.
pub fn clip(line: &[u8]) -> String {
    let mut letters = line_text(line, 0);
    let mut out: String = letters.by_ref().take(SHOWN).flatten().collect();
    out.extend(letters.next().map(|_| '…'));
    out
}

/// The printable forms of a line's characters from a position on.
fn line_text(line: &[u8], from: usize) -> impl Iterator<Item = Vec<char>> {
    let printable = |letter: char| match letter.is_control() && letter != '\t' {
        true => letter.escape_default().collect(),
        false => vec![letter],
    };
    String::from_utf8_lossy(line).chars().skip(from).map(printable).collect::<Vec<_>>().into_iter()
}

/// Two different lines, each at most [`SHOWN`] letters long; of long ones that begin alike, what is from a little before their difference on.
fn around_difference(one: &[u8], other: &[u8]) -> (String, String) {
    let [one, other] = [one, other].map(|line| line.strip_suffix(b"\n").unwrap_or(line));
    let same = line_text(one, 0).zip(line_text(other, 0)).take_while(|(one, other)| one == other).count();
    if same < SHOWN - BEFORE {
        return (clip(one), clip(other));
    }
    let rest = |line: &[u8]| {
        let rest: String = String::from_utf8_lossy(line).chars().skip(same - BEFORE).collect();
        format!("…{}", clip(rest.as_bytes()))
    };
    (rest(one), rest(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_difference_is_named() {
        let text = |e: &str, g: &str| Mismatch::first(e.as_bytes(), g.as_bytes()).unwrap().to_string();
        assert_eq!(Mismatch::first(b"a\n", b"a\n"), None);
        assert_eq!(text("a\nb\n", "a\nc\n"), "line 2 is `c`, expected `b`");
        assert_eq!(text("a\nb\n", "a\n"), "ends before line 2, expected `b`");
        assert_eq!(text("a\n", "a\nb\n"), "goes on at line 2 with `b`, expected the end");
        assert_eq!(text("a\n", "a"), "line 1 lacks the line break at its end");
        assert_eq!(text("a", "a\n"), "line 1 has a line break at its end too many");
        assert_eq!(text("", "\u{1b}x"), "goes on at line 1 with `\\u{1b}x`, expected the end");
        assert_eq!(text("a\0b\n", "a\u{ff}b\n"), "line 1 is `a\u{ff}b`, expected `a\\u{0}b`");
    }

    #[test]
    fn long_lines_are_shown_where_they_differ() {
        let (same, rest) = ("x".repeat(200), "y".repeat(200));
        let told = |e: String, g: String| Mismatch::first(e.as_bytes(), g.as_bytes()).unwrap().to_string();
        let told_long = told(format!("{same}a{rest}\n"), format!("{same}b{rest}\n"));
        let (before, after) = ("x".repeat(BEFORE), "y".repeat(SHOWN - BEFORE - 1));
        assert_eq!(told_long, format!("line 1 is `…{before}b{after}…`, expected `…{before}a{after}…`"));
        // One that ends where the other goes on.
        let told_short = told(format!("{same}\n"), format!("{same}b\n"));
        assert_eq!(told_short, format!("line 1 is `…{before}b`, expected `…{before}`"));
    }
}
