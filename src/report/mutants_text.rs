//! What tests do to code mutants as a compiler would say it: survivors in their source, and tables.

use std::io::{self, Write};

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::sarif::is_survivor;
use super::tabs::untabbed;
use super::{MutantCounts, MutantEdit, MutantEntry, MutantStatus, MutantsReport};

/// Lines shown before and after a mutant.
const CONTEXT: u32 = 1;
/// Most lines of a mutant's text that are shown.
const MOST_LINES: u32 = 8;
/// Tests that are named.
const NAMED: usize = 5;

/// Writes at most `top` survivors, the tables and the score; `source` gives the text of a file, if it can be had.
pub fn write_mutants(
    report: &MutantsReport,
    top: usize,
    source: impl Fn(&str) -> Option<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let renderer = Renderer::styled().decor_style(DecorStyle::Ascii);
    let survivors: Vec<&MutantEntry> = report.mutants.iter().filter(|mutant| is_survivor(mutant)).collect();
    let (visible, invisible): (Vec<&MutantEntry>, Vec<&MutantEntry>) =
        survivors.into_iter().partition(|mutant| mutant.status == MutantStatus::Survived);
    for mutant in visible.iter().chain(&invisible).take(top) {
        let text = mutant.edits.first().and_then(|edit| source(&edit.file));
        writeln!(out, "{}\n", renderer.render(&[group(report, mutant, text.as_deref())]))?;
    }
    let all = visible.len() + invisible.len();
    if all > top {
        writeln!(out, "... and {} more (--top N, --format json)\n", all - top)?;
    }
    write_tables(report, out)?;
    write_score(report, out)?;
    writeln!(
        out,
        "not looked at: {}",
        if report.not_looked_at.is_empty() { "nothing".into() } else { report.not_looked_at.join("; ") }
    )
}

fn group<'a>(report: &'a MutantsReport, mutant: &'a MutantEntry, text: Option<&'a str>) -> Group<'a> {
    let title = format!("survived in {}(): {}", mutant.function, mutant.change());
    let group = Level::WARNING.primary_title(title).id(mutant.class.as_str());
    let edit = mutant.edits.first();
    let label = edit.map_or_else(String::new, |edit| format!("`{}`", edit.replacement.trim()));
    let group = match edit.and_then(|edit| snippet(edit, label, text?)) {
        Some(snippet) => group.element(snippet),
        None => group.element(Level::NOTE.message(format!("{} (source not found)", mutant.place()))),
    };
    let group = group.element(Level::NOTE.message(evidence(report, mutant)));
    match mutant.carried_over {
        Some(seconds) => group.element(Level::NOTE.message(format!("as an earlier build showed {} ago", age(seconds)))),
        None => group,
    }
}

/// The tests that execute it.
fn evidence(report: &MutantsReport, mutant: &MutantEntry) -> String {
    let names = report.test_names(&mutant.covered_by, NAMED);
    match (mutant.status, mutant.covered_by.len()) {
        (MutantStatus::Same, _) => format!("it changes no value in any test that executes it: {names}"),
        (_, 1) => format!("1 test executes it and passes: {names}"),
        (_, n) => format!("{n} tests execute it and pass: {names}"),
    }
}

fn snippet<'a>(
    edit: &'a MutantEdit,
    label: String,
    text: &'a str,
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let last = edit.end_line.min(edit.line + MOST_LINES - 1);
    let start = edit.line.saturating_sub(CONTEXT).max(1);
    let end = (last + CONTEXT).min(lines.len() as u32);
    if edit.line == 0 || last > end {
        return None;
    }
    let offset = |line: u32| -> usize { lines[..line as usize - 1].iter().map(|line| line.len()).sum() };
    let base = offset(start);
    let window = &text[base..offset(end + 1)];
    let from = offset(edit.line) - base + edit.column as usize - 1;
    let to =
        if last < edit.end_line { offset(last + 1) - base } else { offset(last) - base + edit.end_column as usize - 1 };
    // Places stay what they are: the beginning of a line becomes the beginning of its text.
    let shown = |at: usize| window.get(..at).map(|text| untabbed(text).len());
    let (from, to, window) = (shown(from)?, shown(to)?, untabbed(window));
    let annotation = AnnotationKind::Primary.span(from..to.max(from + 1).min(window.len())).label(Some(label));
    Some(Snippet::source(window).line_start(start as usize).path(&edit.file).fold(false).annotation(annotation))
}

fn write_tables(report: &MutantsReport, out: &mut impl Write) -> io::Result<()> {
    let classes: Vec<(&str, &MutantCounts)> =
        report.classes.iter().map(|class| (class.name.as_str(), &class.counts)).collect();
    let files: Vec<(&str, &MutantCounts)> = report.files.iter().map(|(name, counts)| (name.as_str(), counts)).collect();
    let width = classes.iter().chain(&files).map(|(name, _)| name.len()).max().unwrap_or(0).max("operators".len());
    for (title, rows) in [("operators", classes), ("file", files)] {
        writeln!(out, "{title:width$}  mutants  killed  survived  same  not covered  unknown  not run   score")?;
        for (name, counts) in rows {
            writeln!(out, "{name:width$}  {}", row(counts))?;
        }
        writeln!(out, "{:width$}  {}\n", "all", row(&report.total))?;
    }
    Ok(())
}

fn row(counts: &MutantCounts) -> String {
    let MutantCounts { mutants, killed, survived, same, not_covered, unknown, not_run, .. } = counts;
    let score = counts.score().map_or_else(|| "-".to_string(), percent);
    format!("{mutants:7}  {killed:6}  {survived:8}  {same:4}  {not_covered:11}  {unknown:7}  {not_run:7}  {score:>6}")
}

fn write_score(report: &MutantsReport, out: &mut impl Write) -> io::Result<()> {
    let total = &report.total;
    match (total.score(), total.score_of_all()) {
        (Some(score), Some(of_all)) => {
            writeln!(
                out,
                "mutation score {}: {} of {} mutants that tests execute are killed; {} of these and the {} that no test executes",
                percent(score),
                total.killed,
                total.decided(),
                percent(of_all),
                total.not_covered
            )?;
        }
        _ => writeln!(out, "no mutation score: nothing is known of any mutant that tests execute")?,
    }
    if let Some((least, most)) = total.score_bounds().filter(|_| total.undecided() > 0) {
        writeln!(
            out,
            "from {} to {}, whatever becomes of the {} whose tests were not all run or were stopped by the clock",
            percent(least),
            percent(most),
            total.undecided()
        )?;
    }
    if total.carried_over > 0 {
        let oldest = report.mutants.iter().filter_map(|mutant| mutant.carried_over).max().unwrap_or(0);
        writeln!(
            out,
            "{} mutants have results that were carried over from earlier builds, the oldest {} old",
            total.carried_over,
            age(oldest)
        )?;
    }
    for test in &report.tests_not_used {
        writeln!(out, "not used: {}: {}", test.name, test.why)?;
    }
    Ok(())
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A time in the greatest unit of which there are two or more.
pub fn age(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::mutants_tests::{SOURCE, sample};

    fn text(report: &MutantsReport, top: usize, source: Option<&str>) -> String {
        let mut out = Vec::new();
        write_mutants(report, top, |_| source.map(str::to_string), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn survivors_are_shown_in_their_source_with_the_replacement_and_the_tests() {
        let text = text(&sample(), 1, Some(SOURCE));
        assert!(text.contains("warning[AOR]: survived in add(): `+` becomes `*`"), "{text}");
        assert!(text.contains("--> src/a b.c:2:14") && text.contains("^ `*`"), "{text}");
        assert!(text.contains("2 tests execute it and pass: one, two"), "{text}");
        assert!(text.contains("... and 1 more"), "{text}");
        assert!(text.ends_with("not looked at: 3 mutants are junk\n"), "{text}");
    }

    #[test]
    fn an_edit_behind_tabs_is_marked_where_it_stands() {
        let mut report = sample();
        for mutant in &mut report.mutants {
            (mutant.edits[0].column, mutant.edits[0].end_column) = (11, 12);
        }
        let tabs = text(&report, 1, Some(&SOURCE.replace("    return", "\treturn")));
        let (code, mark) = tabs.split_once("|         return a + b;").expect(&tabs);
        assert!(code.contains("src/a b.c:2:18"), "{tabs}");
        assert_eq!(mark.lines().nth(1).unwrap().find('^'), "  |         return a + b;".find('+'), "{tabs}");
    }

    #[test]
    fn the_score_says_what_it_is_out_of() {
        let text = text(&sample(), 0, None);
        assert!(
            text.contains(
                "mutation score 33.3 %: 1 of 3 mutants that tests execute are killed; 25.0 % of these and the 1 that no"
            ),
            "{text}"
        );
        assert!(text.contains("from 20.0 % to 60.0 %, whatever becomes of the 2 whose"), "{text}");
        assert!(
            text.contains("1 mutants have results that were carried over from earlier builds, the oldest 3 days old"),
            "{text}"
        );
        assert!(
            text.contains("all              6       1         1     1            1        1        1  33.3 %"),
            "{text}"
        );
    }

    #[test]
    fn a_file_that_is_gone_or_shorter_is_said_so() {
        for source in [None, Some("int x;\n")] {
            let text = text(&sample(), 9, source);
            assert!(text.contains("src/a b.c:2:14 (source not found)"), "{text}");
        }
    }

    #[test]
    fn text_of_several_lines_is_shown() {
        let mut report = sample();
        report.mutants[1].edits[0] =
            MutantEdit { line: 1, column: 24, end_line: 3, end_column: 2, ..report.mutants[1].edits[0].clone() };
        let text = text(&report, 1, Some(SOURCE));
        assert!(text.contains("src/a b.c:1:24"), "{text}");
    }
}
