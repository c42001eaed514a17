//! Studies as text: tables, with bars beside them.

use std::fmt::{self, Display, Formatter};

use super::{Buckets, DecileTable, HeuristicTable, Spread, SurvivalTable};

/// Length of the longest bar.
const BAR: f64 = 30.0;

/// A bar of a value beside the greatest one: full blocks, and eighths of one.
fn bar(value: f64, greatest: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if value <= 0.0 || greatest <= 0.0 {
        return String::new();
    }
    let eighths = ((value / greatest * BAR * 8.0).round() as usize).max(1);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// A mean with its deviation.
fn shown(spread: Spread, digits: usize) -> String {
    format!("{:.digits$} ±{:.digits$}", spread.mean, spread.deviation)
}

fn unknown(f: &mut Formatter<'_>, name: &str, unknown: f64) -> fmt::Result {
    if unknown > 0.0 {
        writeln!(f, "{name}: of {unknown} mutants tests are unknown that it hangs on; they count for nothing else")?;
    }
    Ok(())
}

impl Display for DecileTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let buckets = match self.buckets {
            Buckets::Widths => "ten of equal width",
            Buckets::Ranks => "ten of equal size",
        };
        let repeats = self.repeats;
        writeln!(
            f,
            "strongly subsuming mutants of order 2 by causal effect (CE), {buckets}, mean of {repeats} repeats"
        )?;
        writeln!(
            f,
            "{:>6}  {:<15} {:>7} {:>8}  {:>12} {:>6} {:>7}",
            "bucket", "CE", "pairs", "mutants", "SSHOMs", "of all", "masking"
        )?;
        let greatest = self.rows.iter().map(|row| row.strong.mean).fold(0.0, f64::max);
        for row in &self.rows {
            let range = match (row.bucket, row.n_pairs) {
                (0, _) => "0".to_string(),
                (_, 0) => "-".to_string(),
                _ => format!("{:.4} - {:.4}", row.range[0], row.range[1]),
            };
            let (strong, of_all) = (shown(row.strong, 1), format!("{:.1}%", row.share_of_strong * 100.0));
            let masking = row.masking.mean;
            let (bucket, pairs, mutants) = (row.bucket, row.n_pairs, row.mutants.mean);
            let bar = bar(row.strong.mean, greatest);
            let strong = format!("{strong:>12} {of_all:>6} {masking:>7.1}");
            let line = format!("{bucket:>6}  {range:<15} {pairs:>7} {mutants:>8.0}  {strong} {bar}");
            writeln!(f, "{}", line.trim_end())?;
        }
        self.rows.iter().try_for_each(|row| unknown(f, &format!("bucket {}", row.bucket), row.unknown.mean))
    }
}

impl Display for HeuristicTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let HeuristicTable { order, n, repeats, rows } = self;
        writeln!(f, "{n} mutants of order {order} by each heuristic, mean of {repeats} repeats")?;
        writeln!(
            f,
            "{:<9} {:>6} {:>8} {:>13} {:>13} {:>13} {:>13} {:>14} {:>8} {:>9}{}",
            "heuristic",
            "sets",
            "mutants",
            "SSHOMs",
            "masking",
            "distinct",
            "kill vectors",
            "dScore",
            "survive",
            "x random",
            if *order == 2 { "  published, masking: parking, schedule" } else { "" }
        )?;
        for row in rows {
            let times = row.times_random.map_or("-".to_string(), |times| format!("{times:.1}"));
            let published =
                row.published.map_or(String::new(), |[parking, schedule]| format!("  {parking:.1}, {schedule:.1}"));
            writeln!(
                f,
                "{:<9} {:>6} {:>8.0} {:>13} {:>13} {:>13} {:>13} {:>14} {:>7.1}% {:>9}{}",
                row.heuristic,
                row.n_sets,
                row.mutants.mean,
                shown(row.strong, 1),
                shown(row.masking, 1),
                shown(row.distinct_strong, 1),
                shown(row.strong_vectors, 1),
                row.d_score.map_or("-".to_string(), |spread| shown(spread, 3)),
                row.survival.mean * 100.0,
                times,
                published
            )?;
        }
        let greatest = rows.iter().map(|row| row.strong.mean).fold(0.0, f64::max);
        writeln!(f, "SSHOMs")?;
        for row in rows {
            let (mean, bar) = (row.strong.mean, bar(row.strong.mean, greatest));
            writeln!(f, "{}", format!("  {:<7} {mean:>7.1}  {bar}", row.heuristic).trim_end())?;
        }
        rows.iter().try_for_each(|row| unknown(f, &row.heuristic, row.unknown.mean))
    }
}

impl Display for SurvivalTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "mutants that no test kills")?;
        writeln!(f, "{:<12} {:>8} {:>9} {:>7} {:>13}", "", "mutants", "survived", "rate", "hide another")?;
        let greatest = self.rows.iter().map(|row| row.rate).fold(0.0, f64::max);
        for row in &self.rows {
            let rate = format!("{:.1}%", row.rate * 100.0);
            let (name, mutants, survived, hidden) = (&row.name, row.mutants, row.survived, row.hidden);
            let line =
                format!("{name:<12} {mutants:>8} {survived:>9} {rate:>7} {hidden:>13}  {}", bar(row.rate, greatest));
            writeln!(f, "{}", line.trim_end())?;
        }
        self.rows.iter().try_for_each(|row| unknown(f, &row.name, row.unknown as f64))
    }
}
