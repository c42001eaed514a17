//! What a driver says of the cases of its tests, learnt from what it says when all programs answer something else.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::driver::OTHERWISE;
use super::mismatch::clip;

/// How lines begin and end that a driver writes of a case that fails, and of one that passes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Words {
    failing: BTreeSet<String>,
    passing: BTreeSet<String>,
}

/// What a driver says of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Said {
    Pass,
    Fail,
    /// Nothing that tells.
    Nothing,
}

impl Words {
    /// Of what a driver wrote after each start of a program, as it is and where all programs `otherwise` answer something else; nothing where
    /// that makes no difference after at least two starts, or none that most of them share.
    pub(super) fn learnt(as_is: &[Vec<u8>], otherwise: &[Vec<u8>]) -> Option<Words> {
        let mut n_changed = 0;
        let (mut appearing, mut vanishing) = (BTreeMap::new(), BTreeMap::new());
        for (one, other) in as_is.iter().zip(otherwise) {
            let (one, other) = (marks(one), marks(other));
            n_changed += usize::from(one != other);
            for (counts, marks) in [(&mut appearing, other.difference(&one)), (&mut vanishing, one.difference(&other))]
            {
                marks.for_each(|mark| *counts.entry(mark.clone()).or_default() += 1);
            }
        }
        if n_changed < 2 {
            return None;
        }
        let shared = |counts: &BTreeMap<String, usize>| {
            counts.iter().filter(|(_, count)| **count * 2 > n_changed).map(|(mark, _)| mark.clone()).collect()
        };
        // A driver may show what its programs write, and say nothing of it.
        appearing.retain(|mark, _| !mark.contains(OTHERWISE));
        let words = Words { failing: shared(&appearing), passing: shared(&vanishing) };
        (!words.failing.is_empty()).then_some(words)
    }

    /// What the driver says after a start that it says something `otherwise` of, where the program answers something else: to say nothing may be to say
    /// that all is well.
    pub(super) fn told(&self, text: &[u8], otherwise: &[u8]) -> Said {
        match self.said(text) {
            Said::Nothing if marks(text).is_disjoint(&self.failing) && self.said(otherwise) == Said::Fail => Said::Pass,
            said => said,
        }
    }

    /// What the driver says after a start.
    pub(super) fn said(&self, text: &[u8]) -> Said {
        let marks = marks(text);
        match (marks.is_disjoint(&self.failing), marks.is_disjoint(&self.passing)) {
            (false, true) => Said::Fail,
            (true, false) => Said::Pass,
            _ => Said::Nothing,
        }
    }

    /// The first line of a text that says that something fails, if one does, one that is no line of a difference of two files.
    pub(super) fn complaint(&self, text: &[u8]) -> Option<String> {
        let begins = |line: &[u8], marks: &[u8]| line.first().is_some_and(|first| marks.contains(first));
        let lines = || self.complaining(text);
        let plain = lines().find(|line| !begins(line, b"-+@<> \t"));
        let line = plain.or_else(|| lines().find(|line| !begins(line, b"-+@<>"))).or_else(|| lines().next());
        line.map(|line| clip(line.trim_ascii()))
    }

    /// How many lines of a text say so.
    pub(super) fn complaints(&self, text: &[u8]) -> usize {
        self.complaining(text).count()
    }

    fn complaining<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> {
        text.split(|byte| *byte == b'\n').filter(|line| !marks(line).is_disjoint(&self.failing))
    }
}

/// How the lines of a text begin and end: their first and last words, without numbers.
fn marks(text: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(text);
    let plain = |word: &str| word.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect::<String>();
    let mut marks = BTreeSet::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if let Some(first) = words.next() {
            marks.insert(format!("^{}", plain(first)));
            marks.insert(format!("{}$", plain(words.next_back().unwrap_or(first))));
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
        texts.iter().map(|text| text.as_bytes().to_vec()).collect()
    }

    fn said(as_is: &[&str], otherwise: &[&str]) -> Option<Vec<Said>> {
        let words = Words::learnt(&texts(as_is), &texts(otherwise))?;
        let texts = as_is.iter().zip(otherwise);
        Some(texts.map(|(text, otherwise)| words.told(text.as_bytes(), otherwise.as_bytes())).collect())
    }

    #[test]
    fn what_fails_is_told_from_what_passes_by_what_all_would_say() {
        use Said::{Fail, Nothing, Pass};
        let tap = said(
            &["ok 1 - a\n", "ok 2 - b\n", "not ok 3 - c\n# got: 7\n", "ok 4 - d\n"],
            &[
                "not ok 1 - a\n# got: x\n",
                "not ok 2 - b\n# got: x\n",
                "not ok 3 - c\n# got: x\n",
                "not ok 4 - d\n# got: x\n",
            ],
        );
        assert_eq!(tap, Some(vec![Pass, Pass, Fail, Pass]));
        let dots = said(&[".", ".", "F", "."], &["F", "F", "F", "F"]);
        assert_eq!(dots, Some(vec![Pass, Pass, Fail, Pass]));
        let silent = said(
            &["", "Example 2 (lines 3-4) Tabs\n-<p>a\n", "", "1 failed, 2 passed\n"],
            &[
                "Example 1 (lines 1-2) Tabs\n-x\n",
                "Example 2 (lines 3-4) Tabs\n-x\n",
                "Example 3 (lines 5-6) Tabs\n-x\n",
                "Example 4 (lines 7-8) Tabs\n-x\n4 failed\n",
            ],
        );
        assert_eq!(silent, Some(vec![Pass, Fail, Pass, Pass]));
        let before = said(
            &["ok\ntest b ... ", "FAIL\ntest c ... ", "ok\n"],
            &["FAIL\ntest b ... ", "FAIL\ntest c ... ", "FAIL\n"],
        );
        assert_eq!(before, Some(vec![Pass, Fail, Pass]));
        let unheard = said(&["ok 1\n", "", "ok 2\n"], &["not ok 1\n", "", "not ok 2\n"]);
        assert_eq!(unheard, Some(vec![Pass, Nothing, Pass]));
    }

    #[test]
    fn a_driver_that_says_all_at_its_end_teaches_nothing() {
        assert_eq!(said(&["", "", "1 of 3 failed\n"], &["", "", "3 of 3 failed: x\n"]), None);
        assert_eq!(said(&["a", "b"], &["a", "b"]), None);
        let shown = ["suspect 0 suspect\n", "suspect 1 suspect\n", "suspect 2 suspect\n"];
        assert_eq!(said(&["a\n", "b\n", "c\n"], &shown), None, "it shows what its programs write");
    }
}
