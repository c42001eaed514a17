//! Outputs that a driver wants of a start, read off what it says of the wrong one: a difference of both, or both texts.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Outputs that are tried for one start, at most: each costs a run of its driver, which all starts share.
pub(super) const MOST_TRIED: usize = 6;
/// Differences of a wanted output from the wrong one, at most, of which it is asked whether they matter.
pub(super) const MOST_UNDONE: usize = 8;
/// Bytes of a complaint that are looked at, at most; the last ones.
const MOST_BYTES: usize = 1 << 20;
/// Texts of a complaint that are compared with an output, at most.
const MOST_TEXTS: usize = 1000;
/// Words that two outputs have between what they share at both ends, at most, if they are to be aligned; else all of these count as changed.
const MOST_ALIGNED: usize = 4096;

/// Outputs that a driver may want where it `complains` of a `wrong` one, the likeliest first, [`MOST_TRIED`] at most.
pub(super) fn candidates(complaint: &[u8], wrong: &[u8]) -> Vec<Vec<u8>> {
    let complaint = String::from_utf8_lossy(&complaint[complaint.len().saturating_sub(MOST_BYTES)..]);
    let wrong = String::from_utf8_lossy(wrong);
    let plain = uncommented(&complaint);
    let mut found: Vec<String> =
        [complaint.as_ref(), &plain].into_iter().flat_map(|text| reverted(text, &wrong)).collect();
    let mut shown: Vec<String> = shown(&plain).into_iter().map(|text| ended_as(text, &wrong)).collect();
    shown.sort_by_cached_key(|text| (n_changed(text.as_bytes(), wrong.as_bytes()), text.clone()));
    found.extend(shown);
    let mut known = BTreeSet::from([wrong.clone().into_owned()]);
    let new = found.into_iter().filter(|text| known.insert(text.clone()));
    new.take(MOST_TRIED).map(String::into_bytes).collect()
}

/// A wanted output with its difference of this number from the wrong one undone; nothing where it has no such difference, or no other. Differences are of
/// lines, or of one line each where as many lines stand for others.
pub(super) fn undone(wanted: &[u8], wrong: &[u8], number: usize) -> Option<Vec<u8>> {
    let lines = |text| <[u8]>::split_inclusive(text, |byte| *byte == b'\n').collect::<Vec<&[u8]>>();
    let (old, new) = (lines(wrong), lines(wanted));
    let mut parts: Vec<[Range<usize>; 2]> = Vec::new();
    for part in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (one, other) = (part.old_range(), part.new_range());
        match one.len() == other.len() {
            true => parts.extend(one.zip(other).map(|(one, other)| [one..one + 1, other..other + 1])),
            false => parts.push([one, other]),
        }
    }
    let is_other = |at: &usize| old[parts[*at][0].clone()] != new[parts[*at][1].clone()];
    let differences: Vec<usize> = (0..parts.len()).filter(is_other).collect();
    let undone = differences.get(number).filter(|_| differences.len() > 1)?;
    let text = |(at, [one, other]): (usize, &[Range<usize>; 2])| match at == *undone {
        true => old[one.clone()].concat(),
        false => new[other.clone()].concat(),
    };
    Some(parts.iter().enumerate().flat_map(text).collect())
}

/// In how many words and marks two outputs differ; white space counts once, however long.
pub(super) fn n_changed(one: &[u8], other: &[u8]) -> usize {
    let (one, other) = (words(one), words(other));
    let shared =
        |pairs: &mut dyn Iterator<Item = (&&[u8], &&[u8])>| pairs.take_while(|(one, other)| one == other).count();
    let begin = shared(&mut one.iter().zip(&other));
    let end = shared(&mut one[begin..].iter().rev().zip(other[begin..].iter().rev()));
    let (one, other) = (&one[begin..one.len() - end], &other[begin..other.len() - end]);
    if one.len().max(other.len()) > MOST_ALIGNED {
        return one.len().max(other.len());
    }
    let changed = |op: &DiffOp| match op {
        DiffOp::Equal { .. } => 0,
        DiffOp::Delete { old_len, .. } => *old_len,
        DiffOp::Insert { new_len, .. } => *new_len,
        DiffOp::Replace { old_len, new_len, .. } => *old_len.max(new_len),
    };
    capture_diff_slices(Algorithm::Myers, one, other).iter().map(changed).sum()
}

/// A text's words, marks, and runs of white space.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let kind = |byte: u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => 1,
        _ if byte.is_ascii_whitespace() => 2,
        _ => 0,
    };
    let chunks = text.chunk_by(|one, next| kind(*one) != 0 && kind(*one) == kind(*next));
    chunks.map(|chunk| if kind(chunk[0]) == 2 { b" ".as_slice() } else { chunk }).collect()
}

/// A text that ends with a line's end where the other one does.
fn ended_as(mut text: String, other: &str) -> String {
    if other.ends_with('\n') && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// A text without what begins each line of a comment in TAP.
fn uncommented(text: &str) -> String {
    let plain = |line: &str| {
        let inner = line.trim_start().strip_prefix('#');
        inner.map_or(line, |inner| inner.strip_prefix(' ').unwrap_or(inner)).trim_end_matches('\n').to_owned()
    };
    text.lines().map(|line| plain(line) + "\n").collect()
}

// Differences.

/// A place where two texts differ.
#[derive(Debug, Default)]
struct Hunk<'t> {
    /// The lines of both texts there, with those around them.
    sides: [Vec<&'t str>; 2],
    /// Where they begin in each, from 0, if that is said.
    begins: [Option<usize>; 2],
}

/// The other sides of a difference in a text of which one side is the wrong output, and the sides of one that is of whole texts: what is compared may be
/// made of the output.
fn reverted(text: &str, wrong: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let readings = [unified(&lines), normal(&lines), marked(&lines)];
    let sides = || readings.iter().flat_map(|hunks| [(hunks, 1), (hunks, 0)]);
    let replaced = sides().filter_map(|(hunks, side)| replaced(hunks, side, wrong));
    replaced.chain(sides().filter_map(|(hunks, side)| whole(hunks, 1 - side, wrong))).collect()
}

/// This side of the one hunk that there is, from the beginning of the texts on.
fn whole(hunks: &[Hunk], side: usize, wrong: &str) -> Option<String> {
    let [hunk] = hunks else { return None };
    let is_all = hunk.begins == [Some(0); 2] && !hunk.sides[side].is_empty();
    is_all.then(|| ended_as(hunk.sides[side].join("\n"), wrong))
}

/// The wrong output with this side of each hunk replaced by the other one, if it has them all.
fn replaced(hunks: &[Hunk], side: usize, wrong: &str) -> Option<String> {
    let lines: Vec<&str> = wrong.lines().collect();
    let (mut text, mut at): (Vec<&str>, usize) = (Vec::new(), 0);
    for hunk in hunks {
        let place = place(&lines, at, &hunk.sides[side], hunk.begins[side])?;
        text.extend(&lines[at..place.start]);
        text.extend(&hunk.sides[1 - side]);
        at = place.end;
    }
    if hunks.is_empty() {
        return None;
    }
    text.extend(&lines[at..]);
    let text = text.join("\n");
    Some(if text.is_empty() { text } else { ended_as(text, wrong) })
}

/// Where lines are among others from a line on: where they are said to begin, or else where they are found.
fn place(lines: &[&str], from: usize, wanted: &[&str], begin: Option<usize>) -> Option<Range<usize>> {
    let is_there = |begin: usize| {
        let there = lines.get(begin..begin + wanted.len());
        there.is_some_and(|there| there.iter().zip(wanted).all(|(one, other)| one.trim_end() == other.trim_end()))
    };
    let said = begin.filter(|begin| *begin >= from && is_there(*begin));
    let found = || (from..lines.len()).find(|begin| !wanted.is_empty() && is_there(*begin));
    said.or_else(found).map(|begin| begin..begin + wanted.len())
}

/// `@@ -3,2 +3,4 @@`, and `3,4c5`.
static UNIFIED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[ \t]*@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@").ok());
static NORMAL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[ \t]*([0-9]+)(?:,[0-9]+)?([acd])([0-9]+)(?:,[0-9]+)?[ \t]*$").ok());

/// The hunks of a difference as `diff -u` writes it.
fn unified<'t>(lines: &[&'t str]) -> Vec<Hunk<'t>> {
    let mut hunks = Vec::new();
    let mut lines = lines.iter().peekable();
    while let Some(line) = lines.next() {
        let Some(header) = UNIFIED.as_ref().and_then(|header| header.captures(line)) else { continue };
        // A text that is empty there begins behind the line that is named.
        let number = |at: usize| header.get(at).and_then(|number| number.as_str().parse::<usize>().ok());
        let begin =
            |at: usize| number(at).map(|begin| if number(at + 1) == Some(0) { begin } else { begin.saturating_sub(1) });
        let mut hunk = Hunk { begins: [begin(1), begin(3)], ..Hunk::default() };
        let indent = line.len() - line.trim_start().len();
        let is_open =
            |hunk: &Hunk| [(0, 2), (1, 4)].iter().any(|(side, at)| hunk.sides[*side].len() < number(*at).unwrap_or(1));
        while is_open(&hunk)
            && let Some(line) = lines.peek()
        {
            let line = line.get(indent..).unwrap_or_default();
            match line.split_at_checked(1) {
                Some((" ", rest)) => hunk.sides.iter_mut().for_each(|side| side.push(rest)),
                Some(("-", rest)) => hunk.sides[0].push(rest),
                Some(("+", rest)) => hunk.sides[1].push(rest),
                Some(("\\", _)) => {}
                None => hunk.sides.iter_mut().for_each(|side| side.push("")),
                Some(_) => break,
            }
            lines.next();
        }
        hunks.push(hunk);
    }
    hunks
}

/// The hunks of a difference as `diff` writes it.
fn normal<'t>(lines: &[&'t str]) -> Vec<Hunk<'t>> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in lines {
        if let Some(header) = NORMAL.as_ref().and_then(|header| header.captures(line)) {
            let number = |at: usize| header.get(at).and_then(|number| number.as_str().parse::<usize>().ok());
            let kind = header.get(2).map_or("", |kind| kind.as_str());
            let begin = |at: usize, empty: &str| {
                number(at).map(|begin| if kind == empty { begin } else { begin.saturating_sub(1) })
            };
            hunks.push(Hunk { begins: [begin(1, "a"), begin(3, "d")], ..Hunk::default() });
        } else if let Some(hunk) = hunks.last_mut() {
            let line = line.trim_start();
            for (side, mark) in ["<", ">"].into_iter().enumerate() {
                let rest = line.strip_prefix(mark).map(|rest| rest.strip_prefix(' ').unwrap_or(rest));
                hunk.sides[side].extend(rest);
            }
        }
    }
    hunks
}

/// The one hunk of a difference of whole texts whose lines begin with two marks, as Python's `ndiff` writes it.
fn marked<'t>(lines: &[&'t str]) -> Vec<Hunk<'t>> {
    let is_marked =
        |line: &&str| ["- ", "+ ", "? ", "  "].iter().any(|mark| line.starts_with(mark)) || ["-", "+"].contains(line);
    let is_changed = |line: &&str| line.starts_with(['-', '+']);
    let blocks = lines.chunk_by(|one, next| is_marked(one) == is_marked(next));
    let block = blocks.filter(|block| is_marked(&block[0]) && block.iter().any(is_changed));
    let hunk = |block: &[&'t str]| {
        let mut hunk = Hunk { begins: [Some(0); 2], ..Hunk::default() };
        for line in block {
            let rest = line.get(2..).unwrap_or_default();
            let sides = match line.as_bytes()[0] {
                b'-' => 0..1,
                b'+' => 1..2,
                b' ' => 0..2,
                _ => 0..0,
            };
            hunk.sides[sides].iter_mut().for_each(|side| side.push(rest));
        }
        hunk
    };
    block.map(hunk).take(1).collect()
}

// Texts.

/// What comes between quotes, with its escapes.
static QUOTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`'\n]*)[`']"#).ok());

/// Texts that a complaint shows: what is quoted, what stands behind a colon, and blocks between lines that end with one.
fn shown(complaint: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for quoted in QUOTED.iter().flat_map(|quoted| quoted.captures_iter(complaint)) {
        texts.extend(quoted.iter().skip(1).flatten().map(|inner| unescaped(inner.as_str())));
    }
    let mut block: Option<Vec<&str>> = None;
    for line in complaint.lines().chain([":"]) {
        let label = line.trim_end();
        match label.split_once(':') {
            Some((_, "")) => texts.extend(block.replace(Vec::new()).map(|lines| lines.join("\n"))),
            Some((_, rest)) if block.is_none() => texts.push(rest.trim().to_owned()),
            _ => {}
        }
        if !label.ends_with(':') {
            block.iter_mut().for_each(|block| block.push(line));
        }
        if texts.len() >= MOST_TEXTS {
            break;
        }
    }
    texts
}

/// A quoted text as it is.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let escaped = if c == '\\' { rest.next() } else { None };
        plain.push(match escaped {
            None => c,
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('x') => {
                let digits: String = rest.by_ref().take(2).collect();
                u8::from_str_radix(&digits, 16).map_or('\u{fffd}', char::from)
            }
            Some(other) => other,
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(complaint: &str, wrong: &str) -> String {
        let found = candidates(complaint.as_bytes(), wrong.as_bytes());
        String::from_utf8(found.first().cloned().unwrap_or_default()).unwrap()
    }

    #[test]
    fn the_other_side_of_a_difference_is_wanted() {
        let wrong = "<ul>\n<li>a</li>\n\n<li>b</li>\n</ul>\n";
        let right = "<ul>\n<li>a</li>\n<li>b\n<p>c</p></li>\n</ul>\n";
        let unified = "Example 7\n--- expected\n+++ actual\n@@ -1,5 +1,5 @@\n <ul>\n <li>a</li>\n-<li>b\n-<p>c</p></li>\n+\n+<li>b</li>\n </ul>\n";
        assert_eq!(first(unified, wrong), right);
        let normal = "FAIL: list\n3,4c3,4\n< <li>b\n< <p>c</p></li>\n---\n> \n> <li>b</li>\n";
        assert_eq!(first(normal, wrong), right);
        let ndiff = "AssertionError: differ\n  <ul>\n  <li>a</li>\n- <li>b\n- <p>c</p></li>\n+ \n+ <li>b</li>\n?   ^\n  </ul>\n\nRan 3 tests\n";
        assert_eq!(first(ndiff, wrong), right);
        // The same the other way round, in a comment.
        assert_eq!(
            first("not ok 3\n# 3,4c3,4\n# < \n# < <li>b</li>\n# ---\n# > <li>b\n# > <p>c</p></li>\n", wrong),
            right
        );
    }

    #[test]
    fn a_difference_of_whole_texts_shows_what_is_wanted_also_where_the_output_was_changed_before() {
        let unified = "@@ -1,2 +1,2 @@\n <br />\n-one\n+two\n";
        assert_eq!(first(unified, "<br>\ntwo\n"), "<br />\none\n");
        assert!(candidates(b"@@ -4,2 +4,2 @@\n <br />\n-one\n+two\n", b"<br>\ntwo\n").is_empty());
    }

    #[test]
    fn lines_that_one_side_lacks_are_put_where_the_difference_says() {
        assert_eq!(first("2a3\n> c\n", "a\nb\nd\n"), "a\nb\nc\nd\n");
        assert_eq!(first("3d2\n< c\n", "a\nb\nd\n"), "a\nb\nc\nd\n");
        assert_eq!(first("@@ -0,0 +1,2 @@\n+a\n+b\n", ""), "a\nb");
    }

    #[test]
    fn texts_that_are_shown_may_be_wanted_the_nearest_first() {
        let perl =
            "not ok 3 - 90\n#   Failed test '90'\n#          got: '90 points: 2'\n#     expected: '90 points: 1'\n";
        assert_eq!(first(perl, "90 points: 2"), "90 points: 1");
        let python = "AssertionError: 'a\\t\\x412\\n' != 'a\\t\\x411\\n'\n";
        assert_eq!(first(python, "a\tA2\n"), "a\tA1\n");
        let blocks = "FAIL sum\nExpected:\n1 2\n3 4\nActual:\n1 2\n3 5\n";
        assert_eq!(first(blocks, "1 2\n3 5\n"), "1 2\n3 4\n");
        assert_eq!(first("expected: 12 eggs\nreceived: 13 eggs\n", "13 eggs\n"), "12 eggs\n");
    }

    #[test]
    fn a_complaint_without_texts_tells_nothing() {
        assert!(candidates(b"FAIL: 90", b"90 points: 2\n").iter().all(|text| text == b"90\n"));
        assert!(candidates(b"", b"x").is_empty());
    }

    #[test]
    fn differences_are_undone_one_by_one() {
        let (wanted, wrong) = (b"<br />\na\nb\nc\n", b"<br>\na\nx\nc\nd\n");
        let undone = |number| undone(wanted, wrong, number).map(|text| String::from_utf8(text).unwrap());
        assert_eq!(undone(0).as_deref(), Some("<br>\na\nb\nc\n"));
        assert_eq!(undone(1).as_deref(), Some("<br />\na\nx\nc\n"));
        assert_eq!(undone(2).as_deref(), Some("<br />\na\nb\nc\nd\n"));
        assert_eq!(undone(3), None);
        assert_eq!(super::undone(b"a\n", b"b\n", 0), None);
        assert_eq!(super::undone(b"a\nb\n", b"x\ny\n", 1).as_deref(), Some(&b"a\ny\n"[..]));
    }

    #[test]
    fn words_that_differ_are_counted() {
        assert_eq!(n_changed(b"<a b=1>\n\n", b"<a  b=1>\n"), 0);
        assert_eq!(n_changed(b"one two three", b"one four three five"), 3);
        assert_eq!(n_changed(b"", b"x y"), 3);
        let long = "x y ".repeat(MOST_ALIGNED);
        assert_eq!(n_changed(long.as_bytes(), b""), 4 * MOST_ALIGNED);
    }
}
