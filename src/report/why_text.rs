//! All that is known about one line, as text.

use std::io::{self, Write};

use super::claim::{Claim, ClaimedOutcome, Effect, percent};
use super::reasons_text::{replay, write_confidence, write_patch};
use super::why::{Before, WhyReport};
use super::{Detail, Entry, Reason};

/// Names of tests with one effect.
const NAMED: usize = 5;
/// Changes that are shown on a screen; otherwise all are.
const TRIED: usize = 2;
/// Reasons by a single change that are shown on a screen; the changes themselves follow.
const BY_CHANGES: usize = 2;
/// Features that are shown of a difference.
const DIFFERENCES: usize = 4;

/// Writes what is known; `line` is the text of the line, if it can be had. On a screen without the numbers behind it, and with a few of the changes.
pub fn write_why(report: &WhyReport, line: Option<&str>, detail: Detail, out: &mut impl Write) -> io::Result<()> {
    let entry = &report.entry;
    writeln!(out, "{}: {}", title(entry), standing(report))?;
    if let Some(line) = line {
        writeln!(out, "  {}", line.trim())?;
    }
    writeln!(out, "  {}", entry.evidence.sentence())?;
    let spectra: Vec<String> = report
        .spectra
        .iter()
        .map(|standing| {
            format!("{} {} ({})", standing.method, standing.score, rank(standing.rank_best, standing.rank_worst))
        })
        .collect();
    if !spectra.is_empty() && detail == Detail::All {
        writeln!(out, "  by coverage alone: {}", spectra.join(", "))?;
    }
    writeln!(out)?;
    if let Some(why_not) = &report.why_not {
        writeln!(out, "why it is not ranked higher:")?;
        why_not.statements.iter().try_for_each(|statement| writeln!(out, "  - {statement}"))?;
        if !why_not.before.is_empty() {
            writeln!(out, "\nwhat stands before it:")?;
            why_not.before.iter().try_for_each(|before| write_before(before, out))?;
        }
        writeln!(out)?;
    } else {
        writeln!(out, "why it is there:")?;
        let mut changes = 0..detail.first(BY_CHANGES, usize::MAX);
        let reasons = entry.reasons.iter().filter(|reason| reason.claim.is_none() || changes.next().is_some());
        reasons.into_iter().try_for_each(|reason| write_reason(reason, detail, out))?;
        match detail {
            Detail::All => write_features(report, out)?,
            Detail::Screen(_) => writeln!(out)?,
        }
    }
    write_tried(report, detail, out)?;
    if let Detail::Screen(_) = detail {
        return writeln!(out, "`-v` has all changes, the numbers behind this, and how far to trust it");
    }
    writeln!(out, "how far to trust this:")?;
    write_confidence(report.confidence.as_ref(), report.trials.as_ref(), out)
}

fn title(entry: &Entry) -> String {
    match entry.function.as_str() {
        "" => entry.unit.clone(),
        function => format!("{} in {function}()", entry.unit),
    }
}

fn standing(report: &WhyReport) -> String {
    let entry = &report.entry;
    let rank = rank(entry.rank_best, entry.rank_worst);
    format!("{rank} of {} lines, {}", report.n_ranked, percent(entry.probability.unwrap_or(0.0)))
}

fn rank(best: u32, worst: u32) -> String {
    if best == worst { format!("#{best}") } else { format!("#{best}-{worst}") }
}

fn write_reason(reason: &Reason, detail: Detail, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  - {}", reason.text)?;
    let claim = reason.claim.as_ref().filter(|_| detail == Detail::All);
    claim.map_or(Ok(()), |claim| write_patch(claim, out))
}

fn write_features(report: &WhyReport, out: &mut impl Write) -> io::Result<()> {
    if report.features.is_empty() {
        return writeln!(out);
    }
    let sum: f64 = report.features.iter().map(|feature| feature.contribution).sum();
    writeln!(
        out,
        "\nhow its score, {sum:.2}, comes about (probabilities are in proportion to exp(score), before what was not tried is counted):"
    )?;
    let width = report.features.iter().map(|feature| feature.name.len()).max().unwrap_or(0);
    for feature in &report.features {
        let (name, value, weight) = (&feature.name, feature.value, feature.weight);
        writeln!(out, "  {name:width$}  {value:8.3} x {weight:7.3} = {:8.3}", feature.contribution)?;
    }
    writeln!(out)
}

fn write_before(before: &Before, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  #{} {} ({}): {}", before.rank, before.place, percent(before.probability), before.reason)?;
    for difference in before.differences.iter().take(DIFFERENCES) {
        writeln!(
            out,
            "      {}: {:.3} there, {:.3} here ({:+.2})",
            difference.name, difference.there, difference.here, difference.contribution
        )?;
    }
    Ok(())
}

fn write_tried(report: &WhyReport, detail: Detail, out: &mut impl Write) -> io::Result<()> {
    match report.tried.len() {
        0 => writeln!(out, "nothing was tried here")?,
        1 => writeln!(out, "the one change that was tried here:")?,
        n => writeln!(out, "the {n} changes that were tried here:")?,
    }
    let shown = detail.first(TRIED, usize::MAX);
    for reason in report.tried.iter().take(shown) {
        writeln!(out, "  - {}", reason.text)?;
        if let Some(claim) = &reason.claim {
            writeln!(out, "      {}", outcomes(claim))?;
            writeln!(out, "      {}", replay(claim))?;
        }
    }
    if report.tried.len() > shown {
        writeln!(out, "  - ... and {} more", report.tried.len() - shown)?;
    }
    let not_tried = report.not_tried.iter().map(|statement| detail.line(format!("  - not tried: {statement}")));
    not_tried.into_iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out)
}

/// What a change does to each test.
fn outcomes(claim: &Claim) -> String {
    let kinds: [(Effect, &str); 6] = [
        (Effect::Passes, "passes"),
        (Effect::Fails, "fails"),
        (Effect::Changed, "something else, same verdict"),
        (Effect::Unchanged, "ends as without it"),
        (Effect::Same, "runs as without it"),
        (Effect::Unknown, "stopped by the clock"),
    ];
    let of = |effect: Effect| claim.outcomes.iter().filter(move |outcome| outcome.effect == effect);
    let parts = kinds.iter().filter(|(effect, _)| of(*effect).next().is_some());
    parts.map(|(effect, words)| format!("{words}: {}", names(of(*effect)))).collect::<Vec<_>>().join("; ")
}

fn names<'a>(outcomes: impl Iterator<Item = &'a ClaimedOutcome>) -> String {
    let names: Vec<&str> = outcomes.map(|outcome| outcome.test.as_str()).collect();
    match names.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..NAMED].join(", ")),
    }
}
