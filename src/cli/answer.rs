//! The short answer on the screen: what `suspect rank` and `suspect run` end with.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::program::Program;
use crate::report::{BriefReport, BriefSources, Detail, RankingReport, write_brief, write_ranking};
use crate::source::SourceTree;
use crate::store::{Run, TestRecord};

/// Places shown unless asked otherwise: in short, and with all reasons.
const TOP: (usize, usize) = (3, 5);

/// Columns where standard output is no terminal, and most and fewest where it is one: long lines are read badly.
const WIDTH: (u16, u16, u16) = (80, 120, 40);

/// A ranking in short, with so many places.
pub fn brief(ranking: &RankingReport, run: Option<&Run>, sources: &SourceTree, top: usize) -> BriefReport {
    let failing: Vec<&TestRecord> =
        run.iter().flat_map(|run| &run.manifest.tests).filter(|test| test.passed == Some(false)).collect();
    let extents = run.map(|run| extents(&run.program)).unwrap_or_default();
    let extent = |file: &str, function: &str| extents.get(&(file, function)).copied();
    BriefReport::new(ranking, &BriefSources { failing, extent: &extent, source: &|file| sources.text(file) }, top)
}

/// Writes a ranking in short.
pub fn write_answer(
    ranking: &RankingReport,
    run: Option<&Run>,
    sources: &SourceTree,
    top: Option<usize>,
    out: &mut impl Write,
) -> io::Result<()> {
    write_brief(&brief(ranking, run, sources, top.unwrap_or(TOP.0)), ranking, width(), out)
}

/// Writes a ranking in its source, with all reasons.
pub fn write_long(
    ranking: &RankingReport,
    top: Option<usize>,
    sources: &SourceTree,
    out: &mut impl Write,
) -> io::Result<()> {
    write_ranking(ranking, top.unwrap_or(TOP.1), |file| sources.text(file), out)
}

/// How much is written as text.
pub fn detail(verbose: bool) -> Detail {
    if verbose { Detail::All } else { Detail::Screen(width()) }
}

/// Columns of the screen.
pub fn width() -> usize {
    terminal_width().unwrap_or(WIDTH.0.into())
}

/// Columns of the terminal that standard output is, if it is one.
fn terminal_width() -> Option<usize> {
    let (_, most, fewest) = WIDTH;
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.clamp(fewest, most).into())
}

/// A line with its end: on a terminal broken between words, elsewhere as it is, so that it can be searched.
pub fn line(text: &str) -> String {
    let Some(width) = terminal_width() else { return format!("{text}\n") };
    textwrap::fill(text, textwrap::Options::new(width).subsequent_indent("  ")) + "\n"
}

/// Lines as a terminal shows them best: broken between words, further lines as deep as the first; source behind its number is cut. Elsewhere they are as
/// they are.
pub fn fitted(text: &str) -> String {
    let Some(width) = terminal_width() else { return text.to_owned() };
    text.split_inclusive('\n').map(|line| fit(line.trim_end_matches('\n'), width) + "\n").collect()
}

fn fit(line: &str, width: usize) -> String {
    let trimmed = line.trim_start();
    let is_source = trimmed.trim_start_matches(|letter: char| letter.is_ascii_digit()).starts_with(" | ");
    if is_source && textwrap::core::display_width(line) > width {
        return textwrap::wrap(line, textwrap::Options::new(width - 3).break_words(true))[0].to_string() + "...";
    }
    let bullet = if trimmed.starts_with("- ") { 2 } else { 0 };
    let indent = " ".repeat(line.len() - trimmed.len() + bullet);
    textwrap::fill(line, textwrap::Options::new(width).subsequent_indent(&indent))
}

/// First and last line of each function.
fn extents(program: &Program) -> HashMap<(&str, &str), (u32, u32)> {
    let extent = |function: &crate::program::Function| (function.place.line, function.last_line);
    let file = |function: &crate::program::Function| program.files.get(function.place.file as usize);
    let functions = program.functions.iter();
    functions.filter_map(|one| Some(((file(one)?.as_str(), one.name.as_str()), extent(one)))).collect()
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn words_are_broken_and_source_is_cut() {
        let sentence = "      `sum` is 4 here, 9 there, for `kilos` is 10 since main.c:5";
        assert_eq!(fit(sentence, 40), "      `sum` is 4 here, 9 there, for\n      `kilos` is 10 since main.c:5");
        assert_eq!(fit("   17 |     if (kilos > 10 && zone > 3)", 24), "   17 |     if (kilos...");
        assert_eq!(fit("   17 |     if (kilos)", 24), "   17 |     if (kilos)");
        assert_eq!(fit("  - one two three", 12), "  - one two\n    three");
        assert_eq!(fit("", 24), "");
    }
}
