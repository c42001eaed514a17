//! A report as text: tests, ranking, chains of causes, what was not looked at.

use std::io::{self, Write};

use super::brief_text::{write_next, write_wrapped};
use super::explanation_text::{MOST_CAUSES, between, in_between};
use super::words::{differences, group, not_looked_at, reasons, since, tests};
use super::{
    BriefReport, BriefSources, Detail, Explanation, Point, Report, TestOutcome, utc, write_brief, write_ranking,
};

/// Failing tests that are named: on a screen, and otherwise.
const NAMED: (usize, usize) = (3, 10);
/// Places of the ranking that are shown unless asked otherwise, likewise.
const TOP: (usize, usize) = (3, 5);

/// Lines on a screen of what changed since the last night.
const SINCE: usize = 3;

/// Writes a report with the first `top` places of its ranking; on a screen as a ranking in short.
pub fn write_report_text(report: &Report, top: Option<usize>, detail: Detail, out: &mut impl Write) -> io::Result<()> {
    let heading = format!("{}: {} ({})", report.project, tests(report), utc(report.recorded.began));
    writeln!(out, "{}", detail.line(heading))?;
    let failed: Vec<_> = report.tests.iter().filter(|test| test.outcome == TestOutcome::Failed).collect();
    let named = detail.first(NAMED.0, NAMED.1);
    for test in failed.iter().take(named) {
        writeln!(out, "{}", detail.line(format!("  {}: {}", test.name, test.verdict)))?;
    }
    if failed.len() > named {
        writeln!(out, "  ... and {} more", failed.len() - named)?;
    }
    let top = top.unwrap_or(detail.first(TOP.0, TOP.1));
    match (detail, &report.ranking) {
        (Detail::Screen(width), Some(ranking)) => {
            report.since.iter().try_for_each(|diff| write_wrapped(&since(diff), "", SINCE, width, out))?;
            writeln!(out)?;
            let source = |file: &str| report.source(file).map(str::to_string);
            let sources = BriefSources { failing: Vec::new(), extent: &|_, _| None, source: &source };
            write_brief(&BriefReport::new(ranking, &sources, top), ranking, width, out)?;
            write_next("suspect report -v", "chains of causes, untouched code", out)
        }
        _ => write_whole(report, top, out),
    }
}

/// Writes all but the tests.
fn write_whole(report: &Report, top: usize, out: &mut impl Write) -> io::Result<()> {
    if let Some(ranking) = &report.ranking
        && let Some(reasons) = reasons(ranking)
    {
        writeln!(out, "{reasons}:")?;
        ranking.groups.iter().try_for_each(|one| writeln!(out, "  - {}", group(one)))?;
    }
    if let Some(diff) = &report.since {
        writeln!(out, "{}", since(diff))?;
    }
    writeln!(out)?;
    match (&report.ranking, &report.no_ranking) {
        (Some(ranking), _) => write_ranking(ranking, top, |file| report.source(file).map(str::to_string), out)?,
        (None, Some(why)) => writeln!(out, "no ranking: {why}")?,
        (None, None) => writeln!(out, "no ranking")?,
    }
    report.explanations.iter().try_for_each(|explanation| write_chain(explanation, out))?;
    let statements = not_looked_at(&report.not_looked_at);
    if !statements.is_empty() {
        writeln!(out, "not looked at:")?;
    }
    statements.iter().try_for_each(|statement| writeln!(out, "  - {statement}"))
}

fn write_chain(explanation: &Explanation, out: &mut impl Write) -> io::Result<()> {
    let against =
        if explanation.against.is_empty() { String::new() } else { format!(", beside {}", explanation.against) };
    writeln!(out, "why {} fails{against}:", explanation.test)?;
    let steps = &explanation.steps;
    let between = between(steps.len());
    for (at, step) in steps.iter().enumerate().filter(|(at, _)| !between.contains(at)) {
        if at == between.end {
            writeln!(out, "  {} (--format json has all)", in_between(&between, steps[between.clone()].iter()))?;
        }
        writeln!(out, "  {}. {} because of {}", at + 1, point(&step.effect_point), point(&step.cause_point))?;
        for what in differences(step, " is ", MOST_CAUSES) {
            writeln!(out, "     {what}")?;
        }
    }
    for statement in &explanation.trust {
        writeln!(out, "  - {statement}")?;
    }
    if !explanation.command.is_empty() {
        writeln!(out, "      {}", explanation.command)?;
    }
    Ok(())
}

/// A point in words.
pub(super) fn point(point: &Point) -> String {
    let place = match point.line {
        0 => "the output".to_string(),
        line => format!("{}:{line}", point.file),
    };
    let time = if point.instance > 0 { format!(" (execution {})", point.instance) } else { String::new() };
    let text = match point.text.as_str() {
        "" => String::new(),
        // A sentence quotes its own code.
        text if text.contains('`') => format!(": {text}"),
        text => format!(" `{text}`"),
    };
    format!("{place}{text}{time}")
}
