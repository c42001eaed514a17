//! The ranked lines, each with its text, its reasons and what to type.

use super::markup::{Markup, anchor};
use crate::report::tabs::untabbed;
use crate::report::words::{count, group, rank, reasons, sentence, suspicion};
use crate::report::{Claim, Effect, Entry, RankingReport, Reason, Report, percent, shell_word};

/// Lines that are listed, those of them that are seen at once, and those of these that are open at first.
const LISTED: usize = 100;
const FIRST: usize = 10;
const OPEN: usize = 3;
/// Lines shown before and after one.
const CONTEXT: u32 = 3;
/// Names of tests with one effect.
const NAMED: usize = 8;

pub fn write(report: &Report, page: &mut Markup) {
    let Some(ranking) = &report.ranking else {
        let why = report.no_ranking.as_deref().unwrap_or("nothing is ranked");
        return page.element("p", &[], |page| page.prose(why));
    };
    if let Some(reasons) = reasons(ranking) {
        page.element("p", &[], |page| page.text(&format!("{}:", sentence(&reasons))));
        page.element("ul", &[("class", "groups")], |page| {
            ranking.groups.iter().for_each(|one| page.element("li", &[], |page| page.text(&group(one))));
        });
    }
    let listed = report.top(LISTED);
    let (first, rest) = listed.split_at(listed.len().min(FIRST));
    write_list(report, ranking, 0, first, page);
    if !rest.is_empty() {
        page.element("details", &[("class", "rest")], |page| {
            page.element("summary", &[], |page| page.text(&format!("The next {}", rest.len())));
            write_list(report, ranking, FIRST, rest, page);
        });
    }
    let left = (report.n_ranked as usize).saturating_sub(LISTED);
    if left > 0 {
        page.element("p", &[], |page| {
            page.text(&format!("{left} more lines are ranked: "));
            page.command("suspect rank --format json");
        });
    }
    page.element("h3", &[], |page| page.text("How far to trust this"));
    page.element("ul", &[("class", "trust")], |page| {
        for statement in trust(ranking) {
            page.element("li", &[], |page| page.prose(&statement));
        }
    });
}

fn write_list(report: &Report, ranking: &RankingReport, from: usize, entries: &[Entry], page: &mut Markup) {
    page.element("ol", &[("class", "suspects")], |page| {
        for (at, entry) in (from..).zip(entries) {
            page.element("li", &[("class", "suspect")], |page| write_entry(report, ranking, at, entry, page));
        }
    });
}

fn trust(ranking: &RankingReport) -> Vec<String> {
    let mut statements = ranking.trust.clone();
    if let Some(trials) = &ranking.trials {
        statements.push(crate::report::reasons_text::tried(trials));
    }
    let Some(confidence) = &ranking.confidence else { return statements };
    statements.extend(confidence.lack.clone());
    let within = confidence.within.iter().map(|within| match within.first {
        1 => format!("at the first line: {}", percent(within.probability)),
        n => format!("within the first {n}: {}", percent(within.probability)),
    });
    let within: Vec<String> = within.collect();
    if !within.is_empty() {
        statements.push(format!("the fault is {}", within.join(", ")));
    }
    statements.extend(confidence.next.iter().cloned());
    statements
}

fn write_entry(report: &Report, ranking: &RankingReport, at: usize, entry: &Entry, page: &mut Markup) {
    let id = anchor(&entry.file, entry.line);
    let attributes = [("id", id.as_str()), ("open", "")];
    page.element("details", if at < OPEN { &attributes } else { &attributes[..1] }, |page| {
        page.element("summary", &[], |page| {
            page.element("span", &[("class", "rank")], |page| {
                page.text(&format!("#{}", rank(entry.rank_best, entry.rank_worst)));
            });
            page.text(" ");
            page.element("span", &[("class", "where")], |page| page.text(&format!("{}:{}", entry.file, entry.line)));
            if !entry.function.is_empty() {
                page.text(" in ");
                page.element("span", &[("class", "function")], |page| page.text(&format!("{}()", entry.function)));
            }
            page.text(" ");
            page.element("span", &[("class", "suspicion")], |page| page.text(&suspicion(ranking, entry)));
        });
        write_snippet(report, entry, page);
        page.element("p", &[("class", "evidence")], |page| {
            page.element("a", &[("class", "place"), ("href", &format!("#{id}"))], |page| page.text("In the source"));
            page.text(": ");
            page.text(&entry.evidence.sentence());
        });
        if !entry.reasons.is_empty() {
            page.element("ul", &[("class", "reasons")], |page| {
                entry.reasons.iter().for_each(|reason| page.element("li", &[], |page| write_reason(reason, page)));
            });
        }
        page.element("p", &[], |page| {
            page.text("Everything known about it: ");
            page.command(&format!("suspect rank --why {}", shell_word(&entry.unit)));
        });
    });
}

fn write_snippet(report: &Report, entry: &Entry, page: &mut Markup) {
    let Some(source) = report.source(&entry.file) else { return };
    let first = entry.line.saturating_sub(CONTEXT).max(1);
    let last = entry.last_line.max(entry.line) + CONTEXT;
    let width = last.to_string().len();
    let shown = source.lines().enumerate().skip(first as usize - 1).take((last - first) as usize + 1);
    page.element("pre", &[("class", "snippet"), ("tabindex", "0")], |page| {
        for (at, text) in shown {
            let line = at as u32 + 1;
            let numbered = format!("{line:>width$}  {}", untabbed(text));
            match (entry.line..=entry.last_line.max(entry.line)).contains(&line) {
                true => page.element("mark", &[], |page| page.text(&numbered)),
                false => page.text(&numbered),
            }
            page.raw("\n");
        }
    });
}

fn write_reason(reason: &Reason, page: &mut Markup) {
    page.prose(&reason.text);
    let Some(claim) = &reason.claim else { return };
    page.text(" ");
    page.command(&format!("suspect replay {}", claim.id));
    write_outcomes(claim, page);
    if let Some(patch) = &claim.patch {
        page.element("details", &[("class", "patch")], |page| {
            page.element("summary", &[], |page| page.text("as a patch"));
            page.element("pre", &[("tabindex", "0")], |page| page.text(patch));
        });
    }
}

/// What the change did, by kinds of tests that it did the same to.
fn write_outcomes(claim: &Claim, page: &mut Markup) {
    let mut groups: Vec<((bool, Effect), Vec<&str>)> = Vec::new();
    for outcome in &claim.outcomes {
        let key = (outcome.passed_before, outcome.effect);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, names)) => names.push(&outcome.test),
            None => groups.push((key, vec![&outcome.test])),
        }
    }
    if groups.is_empty() {
        return;
    }
    page.element("details", &[("class", "outcomes")], |page| {
        page.element("summary", &[], |page| {
            page.text(&format!("what it did to {}", count(claim.outcomes.len(), "test", "tests")))
        });
        page.element("ul", &[], |page| {
            for ((passed_before, effect), names) in groups {
                let before = if passed_before { "passing" } else { "failing" };
                let shown = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
                let rest =
                    if names.len() > NAMED { format!(" and {} more", names.len() - NAMED) } else { String::new() };
                let text = format!("{} {before}, {}: {shown}{rest}", names.len(), effect.words(passed_before));
                page.element("li", &[], |page| page.text(&text));
            }
        });
    });
}
