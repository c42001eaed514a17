//! Words that several formats of a report share.

use super::claim::percent;
use super::diff_text::{FATES, utc};
use super::{DiffReport, Entry, NotLookedAt, RankingReport, Report, Step, TestGroup, TestOutcome};
use crate::history::Change;

/// `3 tests`, `1 test`.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    }
}

/// How the tests ended, in a clause.
pub(super) fn tests(report: &Report) -> String {
    let (failed, passed) = (report.n_tests(TestOutcome::Failed), report.n_tests(TestOutcome::Passed));
    let excluded = match report.n_tests(TestOutcome::Excluded) {
        0 => String::new(),
        n => format!("; {n} more {} not count", if n == 1 { "does" } else { "do" }),
    };
    match failed {
        0 => format!("all {} pass{excluded}", count(passed, "test", "tests")),
        n => format!("{n} of {} fail{excluded}", count(n + passed, "test", "tests")),
    }
}

/// `src/a.c:41 in f()`.
pub(super) fn place(entry: &Entry) -> String {
    match entry.function.is_empty() {
        true => entry.unit.clone(),
        false => format!("{} in {}()", entry.unit, entry.function),
    }
}

/// How suspicious an entry is: its probability, or its score where there is none.
pub fn suspicion(ranking: &RankingReport, entry: &Entry) -> String {
    match entry.probability {
        Some(probability) => percent(probability),
        None => format!("{} {}", ranking.method, entry.score),
    }
}

/// An entry's rank: `3`, or `3-7` if it ties.
pub(super) fn rank(best: u32, worst: u32) -> String {
    match best == worst {
        true => best.to_string(),
        false => format!("{best}-{worst}"),
    }
}

/// Why an entry is where it is, in one clause.
pub(super) fn why(entry: &Entry) -> String {
    entry.reasons.first().map_or_else(|| entry.evidence.sentence(), |reason| reason.text.clone())
}

/// The same with a capital at its beginning.
pub(super) fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + rest.as_str())
}

/// Names in one clause before "and N more".
const NAMED: usize = 3;

/// `a, b, c and 4 more`.
fn names(names: &[impl AsRef<str>]) -> String {
    let (shown, more) = names.split_at(names.len().min(NAMED));
    let shown = shown.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    if more.is_empty() { shown } else { format!("{shown} and {} more", more.len()) }
}

/// For how many reasons the failing tests seem to fail; `None` where that is not known, or one fails alone.
pub(super) fn reasons(ranking: &RankingReport) -> Option<String> {
    match ranking.groups.len() {
        0 => None,
        1 => Some("the failing tests seem to fail for one reason".into()),
        n => Some(format!("the failing tests seem to fail for {n} reasons")),
    }
}

/// A group of failing tests with what is likeliest to be to blame: `b, c: sum.c:4 (83 %)`.
pub(super) fn group(group: &TestGroup) -> String {
    let tests = names(&group.tests);
    match (&group.unit, group.probability) {
        (Some(unit), Some(probability)) => format!("{tests}: {unit} ({})", percent(probability)),
        _ => tests,
    }
}

/// Which night a difference is from, and what became of tests since, in one line.
pub(super) fn since(diff: &DiffReport) -> String {
    let fate = |(fate, words): &(_, &str)| {
        let n = diff.tests.iter().filter(|test| test.fate == *fate).count();
        (n > 0)
            .then(|| format!("{n} {}", if n == 1 { (*words).to_string() } else { words.replacen("fails", "fail", 1) }))
    };
    let fates: Vec<String> = FATES.iter().filter_map(fate).collect();
    let fates = if fates.is_empty() { "no test failed then or fails now".into() } else { fates.join(", ") };
    let mut clauses = vec![fates];
    let mut say = |what: &str, names_of: &[String]| {
        if !names_of.is_empty() {
            clauses.push(format!("{what}: {}", names(names_of)));
        }
    };
    say("functions changed", &diff.changed_functions);
    say("functions gone", &diff.gone_functions);
    let changed = diff.suspicious.iter().filter(|place| place.change != Change::Function);
    let places: Vec<String> = changed.map(|place| format!("{}:{}", place.file, place.line)).collect();
    say("suspicious and changed", &places);
    format!("since {}: {}", night_before(diff), clauses.join("; "))
}

/// The older night of a difference: `night 3 (2026-11-21 02:00 UTC)`.
pub(super) fn night_before(diff: &DiffReport) -> String {
    format!("night {} ({})", diff.older.id, utc(diff.older.began))
}

/// What was not looked at, one statement each, the shortest account of it.
pub(super) fn not_looked_at(missing: &NotLookedAt) -> Vec<String> {
    let mut statements = Vec::new();
    let mut say = |n: usize, one: &str, many: &str| {
        if n > 0 {
            statements.push(count(n, one, many));
        }
    };
    say(missing.tests.len(), "test that does not count", "tests that do not count");
    say(missing.units.len(), "object or program without hooks", "objects and programs without hooks");
    say(missing.functions.len(), "function left as it is", "functions left as they are");
    say(missing.n_uncovered as usize, "function that no test executes", "functions that no test executes");
    say(missing.uncovered_lines as usize, "line that no test executes", "lines that no test executes");
    statements.extend(missing.statements.iter().cloned());
    statements
}

/// The first differences of a step, `most` of them, each in words, and how many more there are.
pub fn differences(step: &Step, is: &str, most: usize) -> Vec<String> {
    let told = step.causes.iter().take(most);
    let mut words: Vec<String> =
        told.map(|cause| format!("{}{is}{}, not {}", cause.what, cause.failing, cause.passing)).collect();
    if step.causes.len() > most {
        words.push(format!("and {} more", step.causes.len() - most));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_one() {
        assert_eq!((count(1, "test", "tests"), count(0, "test", "tests")), ("1 test".into(), "0 tests".into()));
        assert_eq!((rank(3, 3), rank(3, 7)), ("3".into(), "3-7".into()));
    }
}
