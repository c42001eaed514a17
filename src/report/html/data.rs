//! What the script of the page needs and the page itself does not show.

use serde::Serialize;

use super::markup::{Markup, is_misleading};
use crate::report::words::differences;
use crate::report::{Claim, Effect, Entry, Explanation, GraphReport, Point, Report, SourceFile};

/// Lines that are marked in the source.
const MARKED: usize = 1000;

#[derive(Serialize)]
struct Data<'a> {
    files: Vec<&'a SourceFile>,
    entries: Vec<Marked<'a>>,
    bubbles: Vec<Bubble<'a>>,
    model: Option<&'a GraphReport>,
}

/// A ranked line, as the source shows it.
#[derive(Serialize)]
struct Marked<'a> {
    file: &'a str,
    line: u32,
    last_line: u32,
    best: u32,
    worst: u32,
    /// Its suspicion as a share of the first line's.
    heat: f64,
    suspicion: String,
    evidence: String,
    reasons: Vec<&'a str>,
    changes: Vec<Tried<'a>>,
}

/// A change that was tried at a ranked line, as the source marks it.
#[derive(Serialize)]
struct Tried<'a> {
    id: &'a str,
    /// What it does, in words.
    words: String,
    /// `mends`: a failing test passes and no passing one fails; `breaks`: a passing test fails as well.
    effect: &'static str,
    /// The edit as a unified diff.
    patch: Option<&'a str>,
}

/// A step of a chain, as the source shows it at its line.
#[derive(Serialize)]
struct Bubble<'a> {
    file: &'a str,
    line: u32,
    /// The step's number; `!` for the failure itself.
    number: String,
    /// The element that tells it in full.
    id: String,
    text: String,
}

/// Writes them as a block of JSON.
pub fn write(report: &Report, page: &mut Markup) {
    let data = Data {
        files: report.files.iter().filter(|file| file.text.is_some()).collect(),
        entries: report.top(MARKED).iter().map(|entry| marked(report, entry)).collect(),
        bubbles: (1..).zip(&report.explanations).flat_map(|(number, chain)| bubbles(number, chain)).collect(),
        model: report.model.as_ref(),
    };
    let json = serde_json::to_string(&data).expect("a report has string keys");
    page.raw("<script type=\"application/json\" id=\"data\">");
    page.raw(&inert(&json));
    page.raw("</script>\n");
}

fn marked<'a>(report: &'a Report, entry: &'a Entry) -> Marked<'a> {
    let suspicion = |entry: &Entry| entry.probability.or(entry.score.finite()).unwrap_or(0.0);
    let first = report.top(1).first().map_or(1.0, suspicion);
    let ranking = report.ranking.as_ref();
    Marked {
        file: &entry.file,
        line: entry.line,
        last_line: entry.last_line,
        best: entry.rank_best,
        worst: entry.rank_worst,
        heat: if first > 0.0 { (suspicion(entry) / first).clamp(0.0, 1.0) } else { 0.0 },
        suspicion: ranking.map_or_else(String::new, |ranking| crate::report::words::suspicion(ranking, entry)),
        evidence: entry.evidence.sentence(),
        reasons: entry.reasons.iter().map(|reason| reason.text.as_str()).collect(),
        changes: entry.reasons.iter().filter_map(|reason| Some(tried(reason.claim.as_ref()?, &reason.text))).collect(),
    }
}

fn tried<'a>(claim: &'a Claim, words: &str) -> Tried<'a> {
    let breaks = claim.outcomes.iter().any(|outcome| outcome.effect == Effect::Fails);
    Tried {
        id: &claim.id,
        words: words.to_owned(),
        effect: if breaks { "breaks" } else { "mends" },
        patch: claim.patch.as_deref(),
    }
}

/// Differences of a step that are told in the source; all are at the step itself.
const MOST_CAUSES: usize = 3;

/// The steps of a chain at their causes and, for the first, its effect.
fn bubbles(chain_number: usize, chain: &Explanation) -> Vec<Bubble<'_>> {
    let id = |number: usize| format!("chain-{chain_number}-{number}");
    let mut bubbles = Vec::new();
    for (number, step) in (1..).zip(&chain.steps) {
        let parts = [step.cause_point.text.clone(), differences(step, " is ", MOST_CAUSES).join("; ")];
        let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
        let Point { file, line, .. } = &step.cause_point;
        bubbles.push(Bubble { file, line: *line, number: number.to_string(), id: id(number), text });
        if number == 1 {
            let Point { file, line, text, .. } = &step.effect_point;
            let text = format!("{}: {text}", chain.test);
            bubbles.push(Bubble { file, line: *line, number: "!".to_owned(), id: id(number), text });
        }
    }
    bubbles.retain(|bubble| bubble.line > 0);
    bubbles
}

/// JSON in which nothing ends the block, and nothing turns the direction of writing of who reads the page as a text.
fn inert(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c == '<' || is_misleading(c) {
            true => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => text.push(c),
        }
    }
    text
}
