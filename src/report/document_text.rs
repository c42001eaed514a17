//! A report as text: tests, ranking, chains of causes, what was not looked at.

use std::io::{self, Write};

use super::explanation_text::{MOST_CAUSES, between, in_between};
use super::words::{differences, group, not_looked_at, reasons, since, tests};
use super::{Explanation, Point, Report, TestOutcome, utc, write_ranking};

/// Failing tests that are named.
const NAMED: usize = 10;

/// Writes a report with the first `top` places of its ranking.
pub fn write_report_text(report: &Report, top: usize, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}: {} ({})", report.project, tests(report), utc(report.recorded.began))?;
    let failed: Vec<_> = report.tests.iter().filter(|test| test.outcome == TestOutcome::Failed).collect();
    for test in failed.iter().take(NAMED) {
        writeln!(out, "  {}: {}", test.name, test.verdict)?;
    }
    if failed.len() > NAMED {
        writeln!(out, "  ... and {} more", failed.len() - NAMED)?;
    }
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
