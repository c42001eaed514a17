//! What changed since the night before.

use super::markup::Markup;
use crate::history::Change;
use crate::report::diff_text::FATES;
use crate::report::words::night_before;
use crate::report::{ChangedPlace, DiffReport, TestChange, percent};

/// Tests that are named, and changed places.
const NAMED: (usize, usize) = (200, 20);

pub fn write(diff: &DiffReport, page: &mut Markup) {
    page.element("p", &[], |page| {
        page.text(&format!("Compared with {}. ", night_before(diff)));
        page.command(&format!("suspect diff {}", diff.older.id));
    });
    let (beside, lines): (Vec<&ChangedPlace>, Vec<&ChangedPlace>) =
        diff.suspicious.iter().partition(|place| place.change == Change::Function);
    if !lines.is_empty() {
        page.element("h3", &[], |page| page.text("Suspicious and changed"));
        places(&lines, page);
    }
    if !beside.is_empty() {
        page.element("details", &[], |page| {
            page.element("summary", &[], |page| page.text("Other suspicious lines of functions that changed"));
            places(&beside, page);
        });
    }
    page.element("h3", &[], |page| page.text("Tests then and now"));
    match diff.tests.len() {
        0 => page.element("p", &[], |page| page.text("No test failed then or fails now.")),
        n => page.table("What became of tests", &["Test", "Fate", "Now", "Before"], n.min(NAMED.0), |at, page| {
            test(&diff.tests[at], page);
        }),
    }
    more(diff.tests.len(), NAMED.0, page);
    for (words, functions) in [("changed or new", &diff.changed_functions), ("gone", &diff.gone_functions)] {
        if !functions.is_empty() {
            page.element("p", &[], |page| {
                page.text(&format!("Functions {words}: "));
                page.element("code", &[], |page| page.text(&functions.join(", ")));
            });
        }
    }
    if !diff.notes.is_empty() {
        page.element("ul", &[("class", "trust")], |page| {
            diff.notes.iter().for_each(|note| page.element("li", &[], |page| page.prose(note)));
        });
    }
}

fn places(places: &[&ChangedPlace], page: &mut Markup) {
    page.element("ol", &[("class", "changed")], |page| {
        places.iter().take(NAMED.1).for_each(|place| page.element("li", &[], |page| changed(place, page)));
    });
    more(places.len(), NAMED.1, page);
}

fn more(n: usize, shown: usize, page: &mut Markup) {
    if n > shown {
        page.element("p", &[], |page| page.text(&format!("and {} more", n - shown)));
    }
}

fn test(change: &TestChange, page: &mut Markup) {
    page.element("th", &[("scope", "row")], |page| page.text(&change.name));
    let words = FATES.iter().find(|(fate, _)| *fate == change.fate).map_or("", |(_, words)| words);
    page.element("td", &[], |page| page.element("b", &[], |page| page.text(words)));
    page.cell(change.now.as_deref().unwrap_or("no such test"));
    page.cell(change.before.as_deref().unwrap_or("no such test"));
}

fn changed(place: &ChangedPlace, page: &mut Markup) {
    page.place(&place.file, place.line);
    let probability = place.probability.map_or_else(String::new, |p| format!(" ({})", percent(p)));
    page.text(&format!(" in {}(), rank {}{probability}: ", place.function, place.rank));
    page.element("code", &[], |page| page.text(&place.text));
    page.text(match place.change {
        Change::Line => "",
        Change::BesideRemoved => "; lines next to it are gone",
        Change::Function => "; the function changed elsewhere",
    });
    if let Some(commit) = &place.commit {
        let id = commit.id.get(..10).unwrap_or(&commit.id);
        page.text(&format!("; {id} {}: {}", commit.author, commit.subject));
    }
}
