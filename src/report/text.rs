//! A ranking as a compiler would say it: the top places in their source, each with its evidence and the reasons.

use std::io::{self, Write};

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::brief::{MOST_LINES, tied};
use super::claim::percent;
use super::reasons_text::{write_confidence, write_reasons};
use super::tabs::untabbed;
use super::words::rank;
use super::{Entry, RankingReport};

/// Lines shown before and after the annotated ones.
const CONTEXT: u32 = 2;

/// Writes the first `top` places of `report`; `source` gives the text of a file, if it can be had.
pub fn write_ranking(
    report: &RankingReport,
    top: usize,
    source: impl Fn(&str) -> Option<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let renderer = Renderer::styled().decor_style(DecorStyle::Ascii);
    let places = tied(&report.ranking, top);
    for place in &places {
        let text = source(&place[0].file).map(|text| untabbed(&text));
        writeln!(out, "{}", renderer.render(&[group(report, place, text.as_deref())]))?;
        write_reasons(place, out)?;
        writeln!(out)?;
    }
    let shown: usize = places.iter().map(Vec::len).sum();
    if shown < report.ranking.len() {
        writeln!(out, "... and {} more (--top N, --format json)", report.ranking.len() - shown)?;
    }
    writeln!(out, "how far to trust this:")?;
    for statement in &report.trust {
        writeln!(out, "  - {statement}")?;
    }
    write_confidence(report.confidence.as_ref(), report.trials.as_ref(), out)?;
    report.not_tried.iter().try_for_each(|statement| writeln!(out, "  - not tried: {statement}"))
}

fn group<'a>(report: &'a RankingReport, place: &[&'a Entry], text: Option<&'a str>) -> Group<'a> {
    let first = place[0];
    let title =
        format!("#{} {} {}", rank(first.rank_best, first.rank_worst), title_of(report, place), score_of(report, place));
    let group = Level::WARNING.with_name("suspect").primary_title(title);
    match text.and_then(|text| snippet(place, text)) {
        Some(snippet) => group.element(snippet),
        None => group.element(Level::NOTE.message(format!(
            "{}:{}: {} (source not found)",
            first.file,
            first.line,
            first.evidence.sentence()
        ))),
    }
}

fn title_of(report: &RankingReport, place: &[&Entry]) -> String {
    let first = place[0];
    match place.len() {
        1 if first.function.is_empty() || first.unit.contains("()") => first.unit.clone(),
        1 => format!("{} in {}()", first.unit, first.function),
        n => format!("{n} {}s of {}()", report.by, first.function),
    }
}

fn score_of(report: &RankingReport, place: &[&Entry]) -> String {
    match (place[0].probability, place.len()) {
        (Some(probability), 1) => format!("({})", percent(probability)),
        (Some(probability), _) => format!("({} each)", percent(probability)),
        (None, _) => format!("({} {})", report.method, place[0].score),
    }
}

fn snippet<'a>(place: &[&'a Entry], text: &'a str) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let low = place.iter().map(|entry| entry.line).min()?;
    let high = place.iter().map(|entry| entry.last_line.min(entry.line + MOST_LINES)).max()?;
    let start = low.saturating_sub(CONTEXT).max(1);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = (high + CONTEXT).min(lines.len() as u32);
    if low == 0 || high > end {
        return None;
    }
    let offset = |line: u32| -> usize { lines[..line as usize - 1].iter().map(|line| line.len()).sum() };
    let window = &text[offset(start)..offset(end + 1)];
    let mut snippet = Snippet::source(window).line_start(start as usize).path(&place[0].file).fold(false);
    for (position, entry) in place.iter().enumerate() {
        let line = lines[entry.line as usize - 1];
        let indent = line.len() - line.trim_start().len();
        let from = offset(entry.line) - offset(start) + indent;
        let to = (from + line.trim().len()).max(from + 1);
        let kind = if position == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let same = position > 0 && entry.evidence == place[0].evidence;
        let label = (!same).then(|| entry.evidence.sentence());
        snippet = snippet.annotation(kind.span(from..to.min(window.len())).label(label));
    }
    Some(snippet)
}
