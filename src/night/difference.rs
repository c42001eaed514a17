//! The difference of two nights: tests, suspicious changes, ranks.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use super::record::Night;
use super::side::{Side, SideTest};
use crate::exec::git;
use crate::history::{Change, Fate, Known, Matched, fate};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::report::{ChangedPlace, Commit, DIFF_SCHEMA_VERSION, DiffReport, Entry, RankChange, TestChange};
use crate::store::Store;
use crate::suite_run::Session;

/// First places of each ranking that are compared.
const FIRST: usize = 10;
/// Changed places whose commits are looked up.
const BLAMED: usize = 20;

/// Changed places in a report.
const REPORTED: usize = 50;

/// The difference between a run and the latest night before it; `None` where none is kept.
pub fn since_last_night(session: &Session, progress: &dyn Progress) -> Result<Option<DiffReport>, Obstacle> {
    let Some(before) = night_before(&session.store, session.run.number)? else { return Ok(None) };
    let (older, newer) = (Side::of(&before, progress)?, Side::of(session, progress)?);
    let mut report = compare(session.store.root(), &older, &newer);
    report.suspicious.truncate(REPORTED);
    Ok(Some(report))
}

/// The latest night before the run of that number; `None` where none is kept.
pub fn night_before(store: &Store, number: u64) -> Result<Option<Session>, Obstacle> {
    for number in store.runs()?.into_iter().rev().filter(|other| *other < number) {
        if Night::of(store, number)?.is_some()
            && let Some(before) = store.run(number)?
        {
            return Ok(Some(Session::of(store.clone(), before)));
        }
    }
    Ok(None)
}

/// The difference of two nights of the project at `root`.
pub fn compare(root: &Path, older: &Side, newer: &Side) -> DiffReport {
    let matched = Matched::new(&older.version, &newer.version);
    let (changed_functions, gone_functions) = matched.functions();
    let tests = tests(older, newer);
    DiffReport {
        schema_version: DIFF_SCHEMA_VERSION,
        older: older.name.clone(),
        newer: newer.name.clone(),
        notes: notes(older, newer, &tests),
        tests,
        suspicious: suspicious(root, newer, &matched),
        ranking: ranking(older, newer, &matched),
        changed_functions,
        gone_functions,
    }
}

fn tests(older: &Side, newer: &Side) -> Vec<TestChange> {
    let by_name = |side: &'_ Side| -> BTreeMap<String, usize> {
        side.tests.iter().enumerate().map(|(number, test)| (test.name.clone(), number)).collect()
    };
    let (olds, news) = (by_name(older), by_name(newer));
    let known = |test: Option<&SideTest>| test.map_or(Known::Absent, |test| test.known.clone());
    let change = |name: &str, before: Option<&SideTest>, now: Option<&SideTest>| {
        let is_same = before.zip(now).is_some_and(|(before, now)| before.is_as(now));
        let fate = fate(&known(before), &known(now), is_same)?;
        let verdict = |test: Option<&SideTest>| test.map(|test| test.verdict.clone());
        Some(TestChange { name: name.to_string(), fate, before: verdict(before), now: verdict(now) })
    };
    let of_newer = newer
        .tests
        .iter()
        .filter_map(|test| change(&test.name, olds.get(&test.name).map(|at| &older.tests[*at]), Some(test)));
    let gone = older.tests.iter().filter(|test| !news.contains_key(&test.name));
    let mut changes: Vec<TestChange> =
        of_newer.chain(gone.filter_map(|test| change(&test.name, Some(test), None))).collect();
    changes.sort_by_key(|change| change.fate);
    changes
}

/// Places of the newer ranking whose code changed.
fn suspicious(root: &Path, newer: &Side, matched: &Matched) -> Vec<ChangedPlace> {
    let place = |entry: &Entry| {
        let changes =
            (entry.line..=entry.last_line).filter_map(|line| Some((matched.change(&entry.file, line)?, line)));
        let (change, line) = changes.min()?;
        Some(ChangedPlace {
            rank: entry.rank,
            probability: entry.probability,
            file: entry.file.clone(),
            line,
            function: entry.function.clone(),
            text: newer.version.line(&entry.file, line).to_string(),
            change,
            commit: None,
        })
    };
    let mut places: Vec<ChangedPlace> = newer.entries.iter().flatten().filter_map(place).collect();
    // Entries are in the order of their ranks.
    places.sort_by_key(|place| place.change == Change::Function);
    if let Some(revision) = &newer.name.revision {
        for place in places.iter_mut().take(BLAMED).filter(|place| place.change == Change::Line) {
            place.commit = blame(root, revision, place);
        }
    }
    places
}

/// The commit that a line is from, if the line reads so in that revision.
fn blame(root: &Path, revision: &str, place: &ChangedPlace) -> Option<Commit> {
    let range = format!("{0},{0}", place.line);
    let said = git::said(root, &["blame", "--line-porcelain", "-L", &range, revision, "--", &place.file])?;
    let (mut id, mut author, mut subject) = (None, String::new(), String::new());
    for line in said.lines() {
        if let Some(text) = line.strip_prefix('\t') {
            let commit = Commit { id: id?, author, subject };
            return (text.trim() == place.text).then_some(commit);
        } else if let Some(name) = line.strip_prefix("author ") {
            author = name.to_string();
        } else if let Some(text) = line.strip_prefix("summary ") {
            subject = text.to_string();
        } else if id.is_none() {
            id = line.split(' ').next().map(str::to_string);
        }
    }
    None
}

/// The first places of both rankings.
fn ranking(older: &Side, newer: &Side, matched: &Matched) -> Vec<RankChange> {
    let (Some(olds), news) = (&older.entries, newer.entries.as_deref().unwrap_or_default()) else {
        return Vec::new();
    };
    let rank = |entries: &[Entry], file: &str, line: u32| {
        let is_here = |entry: &&Entry| entry.file == file && (entry.line..=entry.last_line).contains(&line);
        entries.iter().find(is_here).map(|entry| entry.rank)
    };
    let mut changes = Vec::new();
    let mut shown: Vec<(String, u32)> = Vec::new();
    for entry in news.iter().take(FIRST) {
        let before = matched.before(&entry.file, entry.line);
        let old_rank = before.as_ref().and_then(|(file, line)| rank(olds, file, *line));
        let why = match (&before, old_rank) {
            (None, _) => Some("not there"),
            (Some(_), None) => Some("not ranked"),
            _ => None,
        };
        changes.push(RankChange { before: old_rank, ..change(newer, entry, entry.line, Some(entry.rank), why) });
        shown.extend(before);
    }
    let rest = olds.iter().take(FIRST).filter(|entry| !shown.contains(&(entry.file.clone(), entry.line)));
    for entry in rest.collect::<Vec<_>>() {
        let now = matched.after(&entry.file, entry.line);
        let new_rank = now.as_ref().and_then(|(file, line)| rank(news, file, *line));
        let why = match (&now, new_rank, &newer.entries) {
            (_, _, None) => Some("not ranked, since no test fails"),
            (None, _, _) => Some("gone"),
            (Some(_), None, _) => Some("executed by no failing test"),
            _ => None,
        };
        let mut one = change(older, entry, entry.line, new_rank, why);
        if let Some((file, line)) = now {
            (one.file, one.line) = (file, line);
        }
        changes.push(RankChange { before: Some(entry.rank), ..one });
    }
    changes
}

fn change(side: &Side, entry: &Entry, line: u32, now: Option<f64>, why: Option<&str>) -> RankChange {
    RankChange {
        file: entry.file.clone(),
        line,
        function: entry.function.clone(),
        text: side.version.line(&entry.file, line).to_string(),
        before: None,
        now,
        why: why.map(str::to_string),
    }
}

/// Notes about what was not looked at, and what cannot be said.
fn notes(older: &Side, newer: &Side, tests: &[TestChange]) -> Vec<String> {
    let mut notes: Vec<String> = newer.missing.iter().map(|what| format!("in the newer night {what}")).collect();
    let not_looked_at = tests.iter().filter(|test| test.fate == Fate::NotLookedAt).count();
    if not_looked_at > 0 {
        notes.push(format!(
            "{} not looked at in the newer night: nobody knows whether {}",
            counted(not_looked_at, "test that failed was", "tests that failed were"),
            if not_looked_at == 1 { "it still fails" } else { "they still fail" }
        ));
    }
    for (side, which) in [(older, "older"), (newer, "newer")] {
        if side.version.texts.is_empty() {
            notes.push(format!("the sources of the {which} night are not kept: lines cannot be compared"));
        }
        if side.version.nodes.is_empty() {
            notes.push(format!(
                "the {which} night is known by its report alone: whether code is the same is told by its text"
            ));
        }
    }
    notes
}

fn counted(n: usize, one: impl Display, many: impl Display) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}
