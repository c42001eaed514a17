//! What a driver tells of its starts that compares all their outputs at its end: lines of what it says then that show the output of one start.

use std::collections::BTreeMap;

use super::mismatch::clip;
use super::words::Said;

/// Bytes from which on a line of output is known wherever it stands in another line.
const LONG: usize = 8;
/// How lines begin that a comparison writes of what should be there and of what is there.
const SIGNS: &[u8] = b"-+<>!";

/// What a driver says at its end where something is answered otherwise, against what it says by itself.
pub(super) struct Change<'t> {
    appeared: Vec<&'t [u8]>,
    vanished: Vec<&'t [u8]>,
}

impl<'t> Change<'t> {
    /// From one text to the other; lines that stand in both count as often as they do.
    pub(super) fn between(before: &'t [u8], after: &'t [u8]) -> Change<'t> {
        let counted = |text: &'t [u8]| {
            let mut counts: BTreeMap<&'t [u8], usize> = BTreeMap::new();
            lines(text).for_each(|line| *counts.entry(line).or_default() += 1);
            counts
        };
        let more = |these: &BTreeMap<&'t [u8], usize>, those: &BTreeMap<&'t [u8], usize>| {
            let of_line = |(line, count): (&&'t [u8], &usize)| {
                let left = count.saturating_sub(those.get(line).copied().unwrap_or(0));
                std::iter::repeat_n(*line, left)
            };
            these.iter().flat_map(of_line).collect()
        };
        let (before, after) = (counted(before), counted(after));
        Change { appeared: more(&after, &before), vanished: more(&before, &after) }
    }

    /// Whether it says the same.
    pub(super) fn is_nothing(&self) -> bool {
        self.appeared.is_empty() && self.vanished.is_empty()
    }

    /// Whether it shows a line of this output as a comparison does, and not only what the program writes.
    pub(super) fn compares(&self, output: &[u8]) -> bool {
        self.appeared
            .iter()
            .filter(|line| is_signed(line))
            .any(|line| lines(output).any(|part| bare(line) == part.trim_ascii()))
    }

    /// What is told of a start that wrote `output`, where it alone writes something else: the driver then misses that output, or does not complain of it any
    /// longer.
    pub(super) fn told(&self, output: &[u8]) -> Said {
        let any = |changed: &[&[u8]]| changed.iter().any(|line| shows(line, output));
        match (any(&self.appeared), any(&self.vanished)) {
            (true, _) => Said::Pass,
            (false, true) => Said::Fail,
            (false, false) => Said::Nothing,
        }
    }

    /// How often the first line of `output` is missed, where all starts write something else.
    pub(super) fn times_missed(&self, output: &[u8]) -> usize {
        let Some(first) = lines(output).next() else { return 0 };
        self.appeared.iter().filter(|line| bare(line) == bare(first)).count()
    }

    /// Whether a start of several that fail is right now: the driver complains of what it wrote no longer, and of nothing else instead.
    pub(super) fn mends(&self, wrong: &[u8], output: &[u8]) -> bool {
        let is_place = |line: &&[u8]| {
            line.first().is_some_and(|first| first.is_ascii_digit() || *first == b'@')
                && line.iter().all(|byte| byte.is_ascii_digit() || b"@,+- acd".contains(byte))
        };
        lines(output).next().is_some()
            && self.appeared.iter().all(is_place)
            && self.vanished.iter().any(|line| shows(line, wrong))
    }
}

/// Whether a text shows a difference.
pub(super) fn shows_difference(text: &[u8]) -> bool {
    lines(text).any(is_signed)
}

/// Whether a line is one of a difference.
fn is_signed(line: &[u8]) -> bool {
    line.first().is_some_and(|first| SIGNS.contains(first))
}

/// What a driver says of a wrong output.
pub(super) fn complaint(text: &[u8], output: &[u8]) -> Option<String> {
    let shown = || lines(text).filter(|line| shows(line, output));
    let is_there = |line: &&[u8]| line.first().is_some_and(|first| b"+>".contains(first));
    shown().find(is_there).or_else(|| shown().next()).map(clip)
}

/// The lines of a text that are not empty, without those in which a comparison says when its files were written.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_head = |line: &[u8]| {
        let begins = [&b"--- "[..], b"+++ ", b"*** "].iter().any(|begin| line.starts_with(begin));
        begins && line.windows(3).any(|part| part[0].is_ascii_digit() && part[1] == b':' && part[2].is_ascii_digit())
    };
    text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(move |line| !line.is_empty() && !is_head(line))
}

/// A line without the sign of a comparison.
fn bare(line: &[u8]) -> &[u8] {
    match line.split_first() {
        Some((sign, rest)) if SIGNS.contains(sign) => rest.trim_ascii(),
        _ => line.trim_ascii(),
    }
}

/// Whether a line shows one of an output.
fn shows(line: &[u8], output: &[u8]) -> bool {
    lines(output).map(bare).any(|part| {
        !part.is_empty() && (bare(line) == part || part.len() >= LONG && line.windows(part.len()).any(|at| at == part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AS_IS: &[u8] = b"--- exp 2026-01-01 10:00:00\n@@ -1,3 +1,3 @@\n a 1\n-b 2\n+b 3\n c 4\n";

    #[test]
    fn a_start_is_told_by_what_is_missed_where_it_writes_something_else() {
        let right = b"--- exp 2026-01-01 10:00:07\n@@ -1,3 +1,3 @@\n-a 1\n-b 2\n+x\n+b 3\n c 4\n";
        assert_eq!(Change::between(AS_IS, right).told(b"a 1\n"), Said::Pass);
        let wrong = b"--- exp 2026-01-01 10:00:07\n@@ -1,3 +1,3 @@\n a 1\n-b 2\n+x\n c 4\n";
        assert_eq!(Change::between(AS_IS, wrong).told(b"b 3\n"), Said::Fail);
        let silent = b"@@ -1,3 +1,4 @@\n a 1\n-b 2\n+b 3\n+x\n c 4\n";
        assert_eq!(Change::between(AS_IS, silent).told(b""), Said::Nothing);
        assert!(Change::between(AS_IS, right).compares(b"x\n") && !Change::between(b"b 3\n", b"x\n").compares(b"x\n"));
        assert_eq!(complaint(AS_IS, b"b 3\n").as_deref(), Some("+b 3"));
    }

    #[test]
    fn one_of_several_is_right_only_if_nothing_else_is_complained_of() {
        let several = b"@@ -1,4 +1,4 @@\n-a 1\n-b 2\n+a 9\n+b 3\n c 4\n";
        let mends = |after: &[u8], output: &[u8]| Change::between(several, after).mends(b"b 3\n", output);
        assert!(mends(b"@@ -1,3 +1,3 @@\n-a 1\n+a 9\n c 4\n", b"b 2\n"));
        assert!(!mends(b"@@ -1,4 +1,4 @@\n-a 1\n-b 2\n+a 9\n+b 5\n c 4\n", b"b 5\n"), "it is another wrong one");
        assert!(!mends(b"@@ -1,4 +1,3 @@\n-a 1\n-b 2\n+a 9\n c 4\n", b""), "it is missed still");
    }
}
