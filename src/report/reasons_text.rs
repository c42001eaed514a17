//! Reasons and claims as text: a sentence, the command that repeats it, the edit as a patch.

use std::io::{self, Write};

use super::claim::{Claim, Confidence, Reason, percent};
use super::words::count;
use super::{Entry, TrialCounts};

/// Reasons that are shown with one place.
const MOST_REASONS: usize = 5;

/// Writes the reasons of places that are shown together, each once.
pub(super) fn write_reasons(place: &[&Entry], out: &mut impl Write) -> io::Result<()> {
    let mut shown: Vec<&Reason> = Vec::new();
    // One of each first, so that no line is left without.
    let longest = place.iter().map(|entry| entry.reasons.len()).max().unwrap_or(0);
    for at in 0..longest {
        for reason in place.iter().filter_map(|entry| entry.reasons.get(at)) {
            if !shown.contains(&reason) {
                shown.push(reason);
            }
        }
    }
    let left_out = shown.len().saturating_sub(MOST_REASONS);
    for reason in shown.iter().take(MOST_REASONS) {
        write_reason(reason, out)?;
    }
    match left_out {
        0 => Ok(()),
        n => writeln!(out, "  - and {n} more (--why {}:{})", place[0].file, place[0].line),
    }
}

fn write_reason(reason: &Reason, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  - {}", reason.text)?;
    let Some(claim) = &reason.claim else { return Ok(()) };
    writeln!(out, "      {}", replay(claim))?;
    write_patch(claim, out)
}

/// Writes the edit that a claim is, if it is one.
pub(super) fn write_patch(claim: &Claim, out: &mut impl Write) -> io::Result<()> {
    let lines = claim.patch.iter().flat_map(|patch| patch.lines());
    lines.into_iter().try_for_each(|line| writeln!(out, "      {line}"))
}

/// The command that repeats a claim.
pub(super) fn replay(claim: &Claim) -> String {
    format!("suspect replay {}", claim.id)
}

/// Writes how sure the ranking is, as statements on how far to trust it.
pub(super) fn write_confidence(
    confidence: Option<&Confidence>,
    trials: Option<&TrialCounts>,
    out: &mut impl Write,
) -> io::Result<()> {
    if let Some(trials) = trials {
        writeln!(out, "  - {}", tried(trials))?;
    }
    let Some(confidence) = confidence else { return Ok(()) };
    if let Some(lack) = &confidence.lack {
        writeln!(out, "  - {lack}")?;
    }
    let within: Vec<String> = confidence
        .within
        .iter()
        .map(|within| match within.first {
            1 => format!("at the first line: {}", percent(within.probability)),
            n => format!("within the first {n}: {}", percent(within.probability)),
        })
        .collect();
    if !within.is_empty() {
        writeln!(out, "  - the fault is {}", within.join(", "))?;
    }
    confidence.next.iter().try_for_each(|next| writeln!(out, "  - {next}"))
}

/// How much was tried, in words.
pub(super) fn tried(trials: &TrialCounts) -> String {
    let TrialCounts { candidates, trials: n, failing, passing, flips, repairs, finished, settled, .. } = trials;
    let some = |n: &u32, one: &str, many: &str| match n {
        0 => format!("none {many}"),
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let rest = match (finished, settled) {
        (true, _) => "",
        (_, true) => "; enough for this answer: `suspect rank --budget 60s` goes on",
        (false, false) => "; not everything that was planned: `suspect rank` again goes on",
    };
    format!(
        "{} tried in {} on {failing} failing and {}: {}, {}{rest}",
        count(*candidates as usize, "change of the program was", "changes of the program were"),
        count(*n as usize, "trial", "trials"),
        count(*passing as usize, "passing test", "passing tests"),
        some(flips, "makes a failing test pass", "make a failing test pass"),
        some(
            repairs,
            "makes all of them pass and breaks no passing one tried",
            "make all of them pass and break no passing one tried"
        ),
    )
}
