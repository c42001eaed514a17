//! The report as people read it.

use std::io::{self, Write};

use super::{AccAt, Bounds, Comparison, EvalReport, MethodSummary, Summary};

/// Comparisons shown before "and N more": the least probable first.
const MOST_COMPARISONS: usize = 20;

/// Writes the report to `out`.
pub fn write_report(report: &EvalReport, out: &mut impl Write) -> io::Result<()> {
    if report.programs.len() > 1 {
        for program in &report.programs {
            write_summary(&program.program, &program.summary, report, out)?;
        }
    }
    let title = match report.programs.as_slice() {
        [one] => one.program.as_str(),
        _ => "all programs",
    };
    write_summary(title, &report.total, report, out)?;
    write_comparisons(&report.total.comparisons, out)?;
    for excluded in &report.excluded {
        writeln!(out, "left out: {}: {}", excluded.version, excluded.reason)?;
    }
    for version in &report.not_run {
        writeln!(out, "not run, the budget is spent: {version}")?;
    }
    for note in &report.notes {
        writeln!(out, "note: {note}")?;
    }
    let times = report.times;
    write!(
        out,
        "time: {:.1} s building, {:.1} s running tests ({:.1} s in their processes), {:.1} s besides",
        times.build, times.tests, times.processes, times.rest
    )?;
    match report.overhead {
        Some(overhead) => writeln!(out, " ({:.1} % of the tests' time)", overhead * 100.0)?,
        None => writeln!(out)?,
    }
    write_sentence(&report.total, &report.tie_breaker, out)
}

/// Says in one sentence how often the best method finds the fault.
fn write_sentence(summary: &Summary, ties: &str, out: &mut impl Write) -> io::Result<()> {
    let found = |method: &MethodSummary| method.acc.iter().find(|acc| acc.ties == ties).cloned();
    let methods = summary.methods.iter().filter_map(|method| Some((method.method.as_str(), found(method)?)));
    let by_first = |one: &(&str, AccAt), other: &(&str, AccAt)| {
        one.1.at_1.total_cmp(&other.1.at_1).then(one.1.at_10.total_cmp(&other.1.at_10)).then(other.0.cmp(one.0))
    };
    let Some((method, AccAt { at_1, at_3, at_10, .. })) = methods.max_by(by_first) else { return Ok(()) };
    let [first, three, ten] = [at_1, at_3, at_10].map(count);
    writeln!(
        out,
        "{method} has the fault first in {first} of {} versions, within three in {three}, within ten in {ten}",
        summary.versions
    )
}

fn write_summary(title: &str, summary: &Summary, report: &EvalReport, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{title}: {} versions ranked by {}, {} left out", summary.versions, report.by, summary.excluded)?;
    if summary.versions == 0 {
        return writeln!(out);
    }
    let width = summary.methods.iter().map(|method| method.method.len()).max().unwrap_or(0).max("method".len());
    let ties: Vec<&str> =
        summary.methods.first().map_or(Vec::new(), |method| method.acc.iter().map(|acc| acc.ties.as_str()).collect());
    writeln!(out, "\nVersions whose fault is within the first 1, 3, 5, 10 (acc@n), by how ties are read")?;
    write!(out, "{:width$}", "method")?;
    for ties in ties {
        write!(out, "  {ties:>23}")?;
    }
    writeln!(out)?;
    for method in &summary.methods {
        write!(out, "{:width$}", method.method)?;
        for AccAt { at_1, at_3, at_5, at_10, .. } in &method.acc {
            write!(out, "  {}", [at_1, at_3, at_5, at_10].map(|n| format!("{:>5}", count(*n))).join(" "))?;
        }
        writeln!(out)?;
    }
    let confidence = report.confidence * 100.0;
    writeln!(
        out,
        "\nCode examined (EXAM, ties whole), units inspected in vain (accuracy, ties {}), with {confidence:.0} % intervals",
        report.tie_breaker
    )?;
    writeln!(
        out,
        "{:width$}  {:>24}  {:>24}  {:>13}  T-score",
        "method",
        "EXAM %",
        "in vain",
        format!("acc@1 {confidence:.0} %")
    )?;
    for method in &summary.methods {
        write_measures(method, width, report, out)?;
    }
    write_n_scores(summary, width, report, out)
}

fn write_measures(method: &MethodSummary, width: usize, report: &EvalReport, out: &mut impl Write) -> io::Result<()> {
    let wasted =
        method.wasted.iter().find(|wasted| wasted.ties == report.tie_breaker).map_or(0.0, |wasted| wasted.mean);
    let intervals = &method.intervals;
    let with = |value: f64, bounds: Bounds| format!("{value:.2} [{:.2}, {:.2}]", bounds.low, bounds.high);
    let percent = |bounds: Bounds| Bounds { low: bounds.low * 100.0, high: bounds.high * 100.0 };
    let acc_1 = intervals.acc.first().map_or(String::new(), |acc| format!("[{}, {}]", count(acc.low), count(acc.high)));
    writeln!(
        out,
        "{:width$}  {:>24}  {:>24}  {acc_1:>13}  {}",
        method.method,
        with(method.exam * 100.0, percent(intervals.exam)),
        with(wasted, intervals.wasted),
        method.t_score.map_or("-".into(), |t_score| format!("{t_score:.3}"))
    )
}

fn write_n_scores(summary: &Summary, width: usize, report: &EvalReport, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "\nShare of faults met after at most n units inspected in vain (n-score, %, ties {})",
        report.tie_breaker
    )?;
    let numbers: Vec<String> = (0..=10).map(|n| format!("{n:>5}")).collect();
    writeln!(out, "{:width$}  {}", "method", numbers.join(" "))?;
    for method in &summary.methods {
        let row = method.n_scores.iter().find(|row| row.ties == report.tie_breaker);
        let shares: Vec<String> =
            row.map_or(Vec::new(), |row| row.shares.iter().map(|share| format!("{:>5.1}", share * 100.0)).collect());
        writeln!(out, "{:width$}  {}", method.method, shares.join(" "))?;
    }
    writeln!(out)
}

fn write_comparisons(comparisons: &[Comparison], out: &mut impl Write) -> io::Result<()> {
    if comparisons.is_empty() {
        return Ok(());
    }
    writeln!(out, "Code examined, pairs of methods (Wilcoxon's signed-rank test, Holm's correction)")?;
    let mut sorted: Vec<&Comparison> = comparisons.iter().collect();
    sorted.sort_by(|a, b| a.p.total_cmp(&b.p));
    for comparison in sorted.iter().take(MOST_COMPARISONS) {
        let Comparison { first, second, first_better, second_better, p, p_corrected, effect } = comparison;
        writeln!(
            out,
            "{first} better in {first_better}, {second} in {second_better}: p = {p:.4}, corrected {p_corrected:.4}, \
             effect {effect:+.2}"
        )?;
    }
    let more = sorted.len().saturating_sub(MOST_COMPARISONS);
    if more > 0 {
        writeln!(out, "... and {more} more pairs")?;
    }
    writeln!(out)
}

/// A number of versions: whole where it is.
fn count(n: f64) -> String {
    if (n - n.round()).abs() < 1e-9 { format!("{n:.0}") } else { format!("{n:.1}") }
}
