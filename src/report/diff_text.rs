//! What changed between two nights, for people.

use std::io::{self, Write};

use super::diff::{ChangedPlace, DiffReport, NightName, RankChange, TestChange};
use super::{Detail, percent};
use crate::history::{Change, Fate};

/// Tests of one fate, and changed places, that are named one by one: on a screen, and otherwise.
const NAMED: (usize, usize) = (3, 10);

/// Writes it; on a screen without what moved in the ranking.
pub fn write_diff(report: &DiffReport, detail: Detail, out: &mut impl Write) -> io::Result<()> {
    let named = detail.first(NAMED.0, NAMED.1);
    writeln!(out, "from {}", night(&report.older))?;
    writeln!(out, "to   {}", night(&report.newer))?;
    for (fate, words) in FATES {
        let tests: Vec<&TestChange> = report.tests.iter().filter(|test| test.fate == fate).collect();
        for test in tests.iter().take(named) {
            writeln!(out, "{}", detail.line(format!("{words}: {}: {}", test.name, verdicts(test))))?;
        }
        if tests.len() > named {
            writeln!(out, "{words}: ... and {} more", tests.len() - named)?;
        }
    }
    if report.tests.is_empty() {
        writeln!(out, "no test fails in either night")?;
    }
    places(&report.suspicious, detail, out)?;
    if report.newer.failing == 0
        && let Some(first) = report.ranking.iter().find(|change| change.before.is_some() && change.now.is_none())
    {
        writeln!(out, "\nno test fails, so nothing is ranked; first was {}", place(first))?;
    } else if !report.ranking.is_empty() && detail == Detail::All {
        writeln!(out, "\nranking:")?;
        report.ranking.iter().try_for_each(|change| writeln!(out, "  {}", ranked(change)))?;
    }
    writeln!(out)?;
    functions("changed or new", &report.changed_functions, detail, out)?;
    functions("gone", &report.gone_functions, detail, out)?;
    let noted = detail.first(NAMED.0, usize::MAX);
    report.notes.iter().take(noted).try_for_each(|note| writeln!(out, "{}", detail.line(format!("note: {note}"))))?;
    match detail {
        Detail::Screen(_) if !report.ranking.is_empty() => {
            writeln!(out, "`suspect diff -v` has what moved in the ranking")
        }
        _ => Ok(()),
    }
}

pub(super) const FATES: [(Fate, &str); 6] = [
    (Fate::New, "fails now"),
    (Fate::Moved, "fails otherwise"),
    (Fate::Still, "still fails"),
    (Fate::Fixed, "fixed"),
    (Fate::NotLookedAt, "not looked at, so not resolved"),
    (Fate::Flaky, "flaky"),
];

fn night(night: &NightName) -> String {
    let revision = night.revision.as_ref().map_or_else(String::new, |id| format!(", {}", id.get(..10).unwrap_or(id)));
    let NightName { id, failing, passing, excluded, .. } = night;
    format!("night {id} ({}{revision}): {passing} passing, {failing} failing, {excluded} not counted", utc(night.began))
}

fn verdicts(test: &TestChange) -> String {
    let words = |verdict: &Option<String>| verdict.clone().unwrap_or_else(|| "no such test".to_string());
    match (test.fate, &test.before, &test.now) {
        (Fate::Still, _, now) => words(now),
        (Fate::Flaky, before, now) if before == now => words(now),
        (_, before, now) => format!("{} (was: {})", words(now), words(before)),
    }
}

fn places(places: &[ChangedPlace], detail: Detail, out: &mut impl Write) -> io::Result<()> {
    if places.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nsuspicious and changed:")?;
    let named = detail.first(NAMED.0, NAMED.1);
    for place in places.iter().take(named) {
        let probability = place.probability.map_or_else(String::new, |p| format!(" ({})", percent(p)));
        let change = match place.change {
            Change::Line => "",
            Change::BesideRemoved => "; lines next to it are gone",
            Change::Function => "; the function changed elsewhere",
        };
        let commit = place.commit.as_ref().map_or_else(String::new, |commit| {
            format!("; {} {}: {}", commit.id.get(..10).unwrap_or(&commit.id), commit.author, commit.subject)
        });
        let ChangedPlace { rank, file, line, function, text, .. } = place;
        writeln!(out, "  #{rank} {file}:{line} in {function}(){probability}: {text}{change}{commit}")?;
    }
    match places.len().saturating_sub(named) {
        0 => Ok(()),
        more => writeln!(out, "  ... and {more} more"),
    }
}

fn ranked(change: &RankChange) -> String {
    let why = change.why.as_deref().unwrap_or("not ranked");
    let ranks = match (change.before, change.now) {
        (Some(before), Some(now)) if before == now => format!("#{now} as before"),
        (Some(before), Some(now)) => format!("#{now}, was #{before}"),
        (None, Some(now)) => format!("#{now}, was {why}"),
        (Some(before), None) => format!("was #{before}, now {why}"),
        (None, None) => why.to_string(),
    };
    format!("{ranks}: {}", place(change))
}

fn place(change: &RankChange) -> String {
    format!("{}:{} in {}(): {}", change.file, change.line, change.function, change.text)
}

fn functions(what: &str, names: &[String], detail: Detail, out: &mut impl Write) -> io::Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let more = names.len().saturating_sub(detail.first(NAMED.0, NAMED.1));
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    writeln!(out, "functions {what}: {}{rest}", names[..names.len() - more].join(", "))
}

/// A time in seconds since 1970 as date and time of day, UTC.
pub fn utc(seconds: u64) -> String {
    // Howard Hinnant's civil_from_days, for days from 1970 on.
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", rest / 3600, rest / 60 % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        assert_eq!(utc(0), "1970-01-01 00:00 UTC");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(utc(1_795_334_399), "2026-11-22 07:59 UTC");
        assert_eq!(utc(4_107_542_400), "2100-03-01 00:00 UTC");
    }
}
