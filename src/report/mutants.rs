//! The view of what tests do to code mutants, which is also its JSON form (`docs/mutants.schema.json`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::inserted::Inserted;

/// Version of the JSON form; goes up when a field changes its meaning or goes away.
pub const MUTANTS_SCHEMA_VERSION: u32 = 1;

/// What the tests of a suite do to the first-order code mutants of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MutantsReport {
    /// Version of this form.
    pub schema_version: u32,
    /// The tests that mutants ran on; mutants name them by their positions here.
    pub tests: Vec<MutantTest>,
    /// Tests that mutants did not run on.
    pub tests_not_used: Vec<TestNotUsed>,
    /// All mutants.
    pub total: MutantCounts,
    /// The classes of operators, those of which there are mutants.
    pub classes: Vec<MutantClass>,
    /// Counts for each file, in the order of their names.
    pub files: BTreeMap<String, MutantCounts>,
    /// The mutants, in the order of files and places.
    pub mutants: Vec<MutantEntry>,
    /// What was not looked at: one statement each.
    pub not_looked_at: Vec<String>,
}

/// A test that mutants ran on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MutantTest {
    /// Its name.
    pub name: String,
    /// How many mutants it kills.
    pub kills: u32,
    /// How many of these no other test is known to kill.
    pub kills_alone: u32,
}

/// A test that mutants did not run on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestNotUsed {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: String,
}

/// A class of mutation operators and its mutants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MutantClass {
    /// Its short name, such as `AOR`.
    pub name: String,
    /// What its operators do.
    pub title: String,
    /// Its mutants.
    pub counts: MutantCounts,
}

/// How many mutants there are, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MutantCounts {
    /// All of them: the sum of the following six.
    pub mutants: u32,
    /// Some test fails with it.
    pub killed: u32,
    /// Tests execute it, all of these were run and pass, and it changes some value.
    pub survived: u32,
    /// Tests execute it, and in none of them it changes any value: it need not be run to know that they pass.
    pub same: u32,
    /// No test executes it.
    pub not_covered: u32,
    /// The clock stopped it in some test; the others pass.
    pub unknown: u32,
    /// Some tests that execute it were not run with it; the others pass.
    pub not_run: u32,
    /// Of all: those with results that an earlier build gave.
    pub carried_over: u32,
}

impl MutantCounts {
    /// Counts a mutant.
    pub fn add(&mut self, mutant: &MutantEntry) {
        self.mutants += 1;
        let count = match mutant.status {
            MutantStatus::Killed => &mut self.killed,
            MutantStatus::Survived => &mut self.survived,
            MutantStatus::Same => &mut self.same,
            MutantStatus::NotCovered => &mut self.not_covered,
            MutantStatus::Unknown => &mut self.unknown,
            MutantStatus::NotRun => &mut self.not_run,
        };
        *count += 1;
        self.carried_over += u32::from(mutant.carried_over.is_some());
    }

    /// Mutants that tests execute and of which is known what the tests do to them.
    pub fn decided(&self) -> u32 {
        self.killed + self.survived + self.same
    }

    /// The mutation score: the share of these that is killed, from 0 to 1.
    pub fn score(&self) -> Option<f64> {
        share(self.killed, self.decided())
    }

    /// Mutants that tests execute and of which it is not known what the tests do to them.
    pub fn undecided(&self) -> u32 {
        self.unknown + self.not_run
    }

    /// The least and the greatest score that there can be, whatever becomes of the undecided.
    pub fn score_bounds(&self) -> Option<(f64, f64)> {
        let all = self.decided() + self.undecided();
        Some((share(self.killed, all)?, share(self.killed + self.undecided(), all)?))
    }

    /// The share that is killed of these and of those that no test executes.
    pub fn score_of_all(&self) -> Option<f64> {
        share(self.killed, self.decided() + self.not_covered)
    }
}

fn share(part: u32, of: u32) -> Option<f64> {
    (of > 0).then(|| f64::from(part) / f64::from(of))
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MutantStatus {
    /// Some test fails with it.
    Killed,
    /// Tests execute it, and pass.
    Survived,
    /// Tests execute it, and it changes no value in any of them.
    Same,
    /// No test executes it.
    NotCovered,
    /// The clock stopped it in some test.
    Unknown,
    /// Some tests have not been run with it.
    NotRun,
}

impl MutantStatus {
    /// The status in words.
    pub const fn words(self) -> &'static str {
        match self {
            MutantStatus::Killed => "killed",
            MutantStatus::Survived => "survived",
            MutantStatus::Same => "same on every test",
            MutantStatus::NotCovered => "not covered",
            MutantStatus::Unknown => "unknown",
            MutantStatus::NotRun => "not run",
        }
    }
}

/// A mutant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MutantEntry {
    /// Its identity, which stays while the code around it does: 16 hexadecimal digits.
    pub id: String,
    /// Class of its operator.
    pub class: String,
    /// Function that it is in.
    pub function: String,
    /// What it changes in the source; the first edit is where it is shown.
    pub edits: Vec<MutantEdit>,
    /// What became of it.
    pub status: MutantStatus,
    /// Tests that execute it.
    pub covered_by: Vec<u32>,
    /// Those of them that kill it.
    pub killed_by: Vec<u32>,
    /// Of these, those that were ended for having run for too long, counted in steps of the program.
    pub too_long_in: Vec<u32>,
    /// Those in which it changes no value.
    pub same_in: Vec<u32>,
    /// Those that the clock stopped.
    pub unknown_in: Vec<u32>,
    /// Those that have not been run with it.
    pub not_run_in: Vec<u32>,
    /// The age in seconds of the oldest of its results that an earlier build gave, if there are any.
    pub carried_over: Option<u64>,
}

/// A replacement of text. Lines and columns are from 1, columns in bytes; the end is the place behind the last byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MutantEdit {
    /// Source file, relative to the project's root.
    pub file: String,
    /// Line of the first byte.
    pub line: u32,
    /// Column of the first byte.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Column of the end.
    pub end_column: u32,
    /// What stands there.
    pub original: String,
    /// What the mutant has there.
    pub replacement: String,
}

impl MutantsReport {
    /// The report on these mutants, which ran on these tests. `title` says what a class does.
    pub fn new(tests: Vec<String>, mutants: Vec<MutantEntry>, title: impl Fn(&str) -> String) -> MutantsReport {
        let mut report = MutantsReport { schema_version: MUTANTS_SCHEMA_VERSION, ..MutantsReport::default() };
        report.tests = tests.into_iter().map(|name| MutantTest { name, kills: 0, kills_alone: 0 }).collect();
        let mut classes: BTreeMap<&str, MutantCounts> = BTreeMap::new();
        for mutant in &mutants {
            report.total.add(mutant);
            classes.entry(&mutant.class).or_default().add(mutant);
            if let Some(edit) = mutant.edits.first() {
                report.files.entry(edit.file.clone()).or_default().add(mutant);
            }
            for test in &mutant.killed_by {
                if let Some(test) = report.tests.get_mut(*test as usize) {
                    test.kills += 1;
                    test.kills_alone += u32::from(mutant.killed_by.len() == 1);
                }
            }
        }
        let class =
            |(name, counts): (&str, MutantCounts)| MutantClass { name: name.into(), title: title(name), counts };
        report.classes = classes.into_iter().map(class).collect();
        report.mutants = mutants;
        report
    }

    /// Names of tests, some of them and how many more there are.
    pub fn test_names(&self, tests: &[u32], most: usize) -> String {
        let known = tests.iter().filter_map(|test| self.tests.get(*test as usize));
        let names: Vec<&str> = known.map(|test| test.name.as_str()).collect();
        match names.len().saturating_sub(most) {
            0 => names.join(", "),
            more => format!("{} and {more} more", names[..most].join(", ")),
        }
    }
}

impl MutantEntry {
    /// What it changes, in words: `+` becomes `-`.
    pub fn change(&self) -> String {
        match self.edits.first() {
            Some(edit) if edit.replacement.trim().trim_matches(';').is_empty() => {
                format!("{} left out", quoted(&edit.original))
            }
            Some(edit) => match Inserted::of(&edit.original, &edit.replacement) {
                Some(inserted) => inserted.beside_what(&edit.original),
                None => format!("{} becomes {}", quoted(&edit.original), quoted(edit.replacement.trim())),
            },
            None => "no text".into(),
        }
    }

    /// `file:line:column`.
    pub fn place(&self) -> String {
        self.edits.first().map_or_else(String::new, |edit| format!("{}:{}:{}", edit.file, edit.line, edit.column))
    }
}

/// Code on one line.
pub(super) fn quoted(code: &str) -> String {
    const MOST: usize = 60;
    let line = code.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{} ...`", &line[..end]),
        None => format!("`{line}`"),
    }
}

/// The column from 1 in UTF-16 units, which editors count, of a column in bytes; `text` is the whole file.
pub(super) fn editor_column(text: Option<&str>, line: u32, column: u32) -> u32 {
    let text = text.and_then(|text| text.lines().nth((line as usize).checked_sub(1)?));
    let before = text.and_then(|text| text.get(..(column as usize).checked_sub(1)?));
    before.map_or(column, |before| before.encode_utf16().count() as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::mutants_tests::{edit, entry};

    #[test]
    fn counts_and_scores_say_what_they_are_out_of() {
        let statuses = [
            MutantStatus::Killed,
            MutantStatus::Killed,
            MutantStatus::Survived,
            MutantStatus::Same,
            MutantStatus::NotCovered,
            MutantStatus::Unknown,
            MutantStatus::NotRun,
        ];
        let mut counts = MutantCounts::default();
        statuses.iter().for_each(|status| counts.add(&entry(*status, edit("a.c", 1, "+", "-"))));
        assert_eq!((counts.mutants, counts.decided()), (7, 4));
        assert_eq!((counts.score(), counts.score_of_all()), (Some(0.5), Some(0.4)));
        let (least, most) = counts.score_bounds().unwrap();
        assert_eq!((counts.undecided(), (least * 6.0).round(), (most * 6.0).round()), (2, 2.0, 4.0));
        assert_eq!((MutantCounts::default().score(), MutantCounts::default().score_bounds()), (None, None));
    }

    #[test]
    fn columns_are_those_of_editors() {
        let text = "int x;\n/* \u{e4}\u{1d11e} */ x = 1;\n";
        assert_eq!(editor_column(Some(text), 1, 5), 5);
        // Three columns, two bytes for the first letter and four for the clef, which takes two units.
        assert_eq!(editor_column(Some(text), 2, 4 + 2 + 4), 4 + 1 + 2);
        assert_eq!(editor_column(Some(text), 9, 3), 3);
        assert_eq!(editor_column(None, 1, 3), 3);
    }

    #[test]
    fn tests_know_what_they_alone_kill() {
        let killed = |by: &[u32]| MutantEntry {
            killed_by: by.to_vec(),
            ..entry(MutantStatus::Killed, edit("a.c", 1, "+", "-"))
        };
        let tests = vec!["one".to_string(), "two".to_string()];
        let report = MutantsReport::new(tests, vec![killed(&[0]), killed(&[0, 1])], |_| String::new());
        let counts: Vec<(u32, u32)> = report.tests.iter().map(|test| (test.kills, test.kills_alone)).collect();
        assert_eq!(counts, [(2, 1), (1, 0)]);
        assert_eq!(report.test_names(&[0, 1], 1), "one and 1 more");
    }
}
