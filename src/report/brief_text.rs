//! The short answer as text: at most 25 lines of 80 columns.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use textwrap::core::display_width;

use super::brief::{BriefPlace, BriefReport, Failure, Mend, short};
use super::claim::percent;
use super::words::{count, rank};
use super::{RankingReport, TrialCounts};

/// Columns before what is said of a place.
const INDENT: usize = 16;
/// Most lines of one statement: of a change and of why the answer can be trusted.
const MOST_LINES: (usize, usize) = (2, 3);
/// Failing tests that are named besides the one that is shown.
const NAMED: usize = 3;

const BOLD: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();

/// Writes a ranking in short, in lines of `width` columns.
pub fn write_brief(brief: &BriefReport, ranking: &RankingReport, width: usize, out: &mut impl Write) -> io::Result<()> {
    if let Some(failure) = &brief.failure {
        write_failure(failure, width, out)?;
        write_others(&brief.others, width, out)?;
        writeln!(out)?;
    }
    let mut around: Option<(&str, &str)> = None;
    for place in &brief.places {
        let function = (place.file.as_str(), place.function.as_str());
        if around != Some(function) {
            write_function(place, width, out)?;
            around = Some(function);
        }
        write_place(place, brief, width, out)?;
    }
    writeln!(out)?;
    write_wrapped(&trust(brief, ranking), "", MOST_LINES.1, width, out)?;
    writeln!(out)?;
    brief.next.iter().try_for_each(|command| write_next(command, purpose(command), out))
}

/// Columns of a command that is to be typed next.
const NEXT: usize = 44;

/// Writes a command with what it is for.
pub(super) fn write_next(command: &str, purpose: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  {command:<NEXT$} {purpose}")
}

fn write_failure(failure: &Failure, width: usize, out: &mut impl Write) -> io::Result<()> {
    let Failure { test, command, verdict, line, expected, written } = failure;
    let heading = clipped(&format!("{test} fails"), width);
    let command = if command == test { "" } else { command.as_str() };
    let rest = width.saturating_sub(display_width(&heading) + 2);
    let command = if rest > 3 && !command.is_empty() { format!(": {}", clipped(command, rest)) } else { String::new() };
    writeln!(out, "{BOLD}{heading}{BOLD:#}{command}")?;
    let Some(line) = line.filter(|_| expected.is_some() || written.is_some()) else {
        return writeln!(out, "{}", clipped(&format!("   {verdict}"), width));
    };
    let mut sides = [("-", GOOD, expected, "expected"), ("+", BAD, written, "written")].into_iter();
    sides.try_for_each(|(sign, style, text, what)| {
        let text = match text {
            Some(text) => clipped(text, width.saturating_sub(26)),
            None => "(end of the output)".into(),
        };
        writeln!(out, "   {style}{sign} {text}{style:#}  ({what}, line {line})")
    })
}

/// The other failing tests, in a line.
fn write_others(others: &[String], width: usize, out: &mut impl Write) -> io::Result<()> {
    let named = others.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = if others.len() > NAMED { format!(" and {} more", others.len() - NAMED) } else { String::new() };
    match others.len() {
        0 => Ok(()),
        1 => writeln!(out, "{}", clipped(&format!("so does {named}"), width)),
        _ => writeln!(out, "{}", clipped(&format!("so do {named}{more}"), width)),
    }
}

fn write_function(first: &BriefPlace, width: usize, out: &mut impl Write) -> io::Result<()> {
    let lines = first.extent.map_or_else(String::new, |(from, to)| format!(":{from}-{to}"));
    let name = if first.function.is_empty() { String::new() } else { format!("{}()  ", first.function) };
    let heading = format!("{name}{}{lines}", first.file);
    let share = first.of_function.map(percent).unwrap_or_default();
    if share.is_empty() {
        return writeln!(out, "{BOLD}{heading}{BOLD:#}");
    }
    let gap = width.saturating_sub(display_width(&heading) + display_width(&share)).max(2);
    writeln!(out, "{BOLD}{heading}{BOLD:#}{:gap$}{share}", "")
}

fn write_place(place: &BriefPlace, brief: &BriefReport, width: usize, out: &mut impl Write) -> io::Result<()> {
    let share = place.probability.map_or_else(|| place.score.clone(), percent);
    let number = format!("#{}", rank(place.rank, place.rank_worst));
    let lines = match place.lines.as_slice() {
        [] => String::new(),
        [line] => line.to_string(),
        [first, rest @ ..] => format!("{first}-{}", rest.iter().max().unwrap_or(first)),
    };
    let head = format!("  {number:<3} {share}  {lines}  ");
    let text = if place.text.is_empty() { place.unit.as_str() } else { place.text.as_str() };
    writeln!(out, "{head}{BOLD}{}{BOLD:#}", clipped(text, width.saturating_sub(display_width(&head))))?;
    let (said, style) = match &place.mend {
        Some(mend) => (mended(mend, brief), GOOD),
        None => (place.reason.clone(), Style::new()),
    };
    let mut block = Vec::new();
    write_wrapped(&said, &" ".repeat(INDENT), MOST_LINES.0, width, &mut block)?;
    write!(out, "{style}{}{style:#}", String::from_utf8_lossy(&block))
}

/// What a change does, in words: `with `digits < 9` 266 passes, 28 passing tests still do`.
fn mended(mend: &Mend, brief: &BriefReport) -> String {
    if !mend.is_edit {
        return format!("{} [{}]", mend.change, short(&mend.id));
    }
    let failing = brief.tests.failing;
    let pass = |n: u32| if n == 1 { "passes" } else { "pass" };
    let who = match (&brief.failure, failing) {
        (Some(failure), 1) => format!("{} passes", failure.test),
        (None, 1) if mend.mended == 1 => "the failing test passes".into(),
        _ if mend.mended == failing => format!("all {failing} failing tests pass"),
        // The others may take long, or have another reason.
        _ if mend.tried_on < failing => match (mend.mended, mend.tried_on) {
            (1, 1) => "the one failing test tried passes".into(),
            (mended, tried) if mended == tried => format!("all {tried} failing tests tried pass"),
            (mended, tried) => format!("{mended} of {tried} failing tests tried {}", pass(mended)),
        },
        _ => format!("{} of {failing} failing tests {}", mend.mended, pass(mend.mended)),
    };
    let others = match mend.kept {
        0 => String::new(),
        1 => ", the one passing test tried still does".into(),
        n => format!(", {n} of {n} others still do"),
    };
    let change = match mend.change.starts_with("without") {
        true => mend.change.clone(),
        false => format!("with {}", mend.change),
    };
    format!("{change}: {who}{others} [{}]", short(&mend.id))
}

/// How far to trust the answer, in one paragraph.
fn trust(brief: &BriefReport, ranking: &RankingReport) -> String {
    let mut statements = Vec::new();
    let within = ranking.confidence.iter().flat_map(|confidence| &confidence.within);
    let within: Vec<String> = within
        .filter(|within| within.first <= 3)
        .map(|within| match within.first {
            1 => format!("{} that it is the first line", percent(within.probability)),
            n => format!("{} that it is one of the first {n}", percent(within.probability)),
        })
        .collect();
    if !within.is_empty() {
        statements.push(within.join(", "));
    }
    let tests = format!(
        "{} failing, {}",
        brief.tests.failing,
        count(brief.tests.passing as usize, "passing test", "passing tests")
    );
    statements.push(match &ranking.trials {
        Some(TrialCounts { trials, finished, settled, .. }) => {
            let rest = match (finished, settled) {
                (true, _) => "",
                (_, true) => ", enough for this answer",
                (false, false) => ", not all that was planned",
            };
            format!("{tests}; {}{rest}", count(*trials as usize, "trial", "trials"))
        }
        None => tests,
    });
    statements.extend(brief.trust.iter().cloned());
    let text =
        statements.iter().map(|statement| super::words::sentence(statement.trim_end_matches('.'))).collect::<Vec<_>>();
    format!("Trust: {}.", text.join(". "))
}

/// What a command is for, in a few words.
fn purpose(command: &str) -> &'static str {
    match command.split(' ').nth(1) {
        Some("explain") => "how it comes about",
        Some("replay") if command.contains("--patch") => "make the change",
        Some("replay") => "see the change at work",
        Some("rank") if command.ends_with("-v") => "reasons, patches, untried changes",
        _ => "go on trying",
    }
}

/// Writes `text` in lines of `width` columns behind `indent`, so many at most.
pub(super) fn write_wrapped(
    text: &str,
    indent: &str,
    most: usize,
    width: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let options = textwrap::Options::new(width).initial_indent(indent).subsequent_indent(indent);
    let lines = textwrap::wrap(text, options);
    for (at, line) in lines.iter().take(most).enumerate() {
        match at + 1 == most && lines.len() > most {
            true => writeln!(out, "{}...", clip_to(line, width.saturating_sub(3)))?,
            false => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// `text` in one line of `width` columns.
pub(super) fn clipped(text: &str, width: usize) -> String {
    match display_width(text) > width {
        true => format!("{}...", clip_to(text, width.saturating_sub(3))),
        false => text.to_owned(),
    }
}

fn clip_to(text: &str, width: usize) -> &str {
    let mut taken = 0;
    let fits = |(_, letter): &(usize, char)| {
        taken += display_width(letter.encode_utf8(&mut [0; 4]));
        taken <= width
    };
    let last = text.char_indices().take_while(fits).last();
    last.map_or("", |(at, letter)| &text[..at + letter.len_utf8()]).trim_end()
}
