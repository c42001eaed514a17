//! Strings of the program in place of others: what a wrong string should be often stands nearby.

use std::collections::{BTreeMap, HashSet};

use suspect_format::trial::{TEXT_SEEN, text_of};

use crate::mutant::Domain;
use crate::program::Place;
use crate::source::Text;

/// Strings that are looked at for one place, in either direction.
const REACH: usize = 50;

/// A string that is written in the program.
struct Written {
    line: u32,
    text: Box<[u8]>,
    /// How it is seen where it is a value.
    value: u64,
}

/// The strings of a program's files.
#[derive(Default)]
pub struct Strings {
    /// By file, in the order of the text.
    files: BTreeMap<u32, Vec<Written>>,
}

impl Strings {
    /// All that are written as literals and short enough to be told apart. `texts` are the source files by their index in
    /// [`crate::program::Program::files`].
    pub fn of(texts: &BTreeMap<u32, Text>) -> Strings {
        let written = |(line, mut text): (u32, Vec<u8>)| {
            text.truncate(text.iter().position(|byte| *byte == 0).unwrap_or(text.len()));
            (text.len() <= TEXT_SEEN).then(|| Written { line, value: text_of(&text), text: text.into() })
        };
        let of_text = |text: &Text| text.strings().filter_map(written).collect();
        Strings { files: texts.iter().map(|(file, text)| (*file, of_text(text))).collect() }
    }

    /// Strings for a place, at most `most` different ones that are not all that failing tests have there: those that only passing tests have
    /// there first, then those nearest in the text.
    pub(super) fn nearest(&self, place: Place, (failing, passing): (&Domain, &Domain), most: usize) -> Vec<Box<[u8]>> {
        let Some(all) = self.files.get(&place.file) else { return Vec::new() };
        let at = all.partition_point(|one| one.line < place.line);
        let mut near: Vec<&Written> = all[at.saturating_sub(REACH)..all.len().min(at + REACH)].iter().collect();
        let has = |domain: &Domain, value| domain.few(usize::MAX).is_some_and(|few| few.contains(&value));
        near.sort_by_key(|one| {
            let is_missed = has(passing, one.value) && !has(failing, one.value);
            (!is_missed, one.line.abs_diff(place.line), one.line)
        });
        let mut known: HashSet<&[u8]> = HashSet::new();
        let other = near.into_iter().filter(|one| failing.constant() != Some(one.value) && known.insert(&one.text));
        other.take(most).map(|one| one.text.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::Form;

    #[test]
    fn strings_that_passing_tests_have_come_first_and_then_the_nearest() {
        let source = "char *a = \"far\";\n\n\n\nchar *b = \"own\";\nchar *c = \"near\", *d = \"own\";\nchar *e = \"wanted\\0 not\";\n";
        let strings = Strings::of(&BTreeMap::from([(0, Text::parse(source))]));
        let domain = |texts: &[&str]| {
            let mut domain = Domain::default();
            texts.iter().for_each(|text| domain.add(Form::Text, text_of(text.as_bytes())));
            domain
        };
        let nearest = |file, failing: &[&str], passing: &[&str], most| {
            let place = Place { file, line: 5, column: 1 };
            let found = strings.nearest(place, (&domain(failing), &domain(passing)), most);
            found.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(nearest(0, &["own"], &["wanted", "own"], 9), ["wanted", "near", "far"]);
        assert_eq!(nearest(0, &["own", "wanted"], &["wanted"], 9), ["own", "near", "wanted", "far"]);
        assert_eq!(nearest(0, &["own"], &[], 1), ["near"]);
        assert!(nearest(1, &["own"], &[], 9).is_empty());
    }
}
