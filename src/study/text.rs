//! A study as people read it.

use std::io::{self, Write};

use super::{Cell, Experiment, StudyReport, Table};

/// Writes the tables to `out`.
pub fn write_study(report: &StudyReport, out: &mut impl Write) -> io::Result<()> {
    for table in &report.tables {
        write_table(table, out)?;
        writeln!(out)?;
    }
    for excluded in &report.excluded {
        writeln!(out, "left out: {}: {}", excluded.version, excluded.reason)?;
    }
    for version in &report.not_run {
        writeln!(out, "not run, the budget is spent: {version}")?;
    }
    match (&report.by, &report.tie_breaker, report.confidence, report.resamples) {
        (Some(by), Some(ties), Some(confidence), Some(resamples)) => writeln!(
            out,
            "ranked by {by}, ties {ties}; {:.0} % intervals from {resamples} bootstrap samples, seed {}",
            confidence * 100.0,
            report.seed
        ),
        _ if report.study == Experiment::Comparative.name() => writeln!(out, "{} versions explained", report.versions),
        _ => writeln!(out, "± is the standard deviation over repeats; seed {}", report.seed),
    }
}

fn write_table(table: &Table, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", table.title)?;
    let rows: Vec<Vec<String>> = table.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
    let width = |at: usize, name: &String| {
        rows.iter().filter_map(|row| row.get(at)).chain([name]).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = table.columns.iter().enumerate().map(|(at, name)| width(at, name)).collect();
    for row in std::iter::once(&table.columns).chain(&rows) {
        let cell = |(at, (cell, width)): (usize, (&String, &usize))| match at {
            0 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        };
        let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(cell).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    table.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
}

/// Whole numbers as such, others with two digits.
fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Number(number) if (number - number.round()).abs() < 1e-9 => format!("{:.0}", number.round()),
        Cell::Number(number) => format!("{number:.2}"),
        Cell::Word(word) => word.clone(),
        Cell::None(()) => "-".into(),
    }
}
