//! Algorithm 1 with a statistical test in place of exact comparison: the G-test of independence, summed over strata.

use std::collections::HashMap;

use super::markov::Mutated;
use super::table::{ColumnSet, Scratch, Table};

/// A pattern's values of the columns that matter, with the weight of observations in which the effect changes and does not.
struct Line {
    key: Vec<u64>,
    weights: [f64; 2],
}

/// The parents of `effect` among `candidates`, beside those known, farthest first. See [`super::markov::markovian_parents`].
pub(super) fn parents_by_g_test(
    table: &Table,
    effect: u32,
    known: &[u32],
    candidates: &ColumnSet,
    mutated: &Mutated,
    alpha: f64,
    scratch: &mut Scratch,
) -> Vec<u32> {
    let mut columns: Vec<u32> = candidates.iter().collect();
    columns.reverse();
    let all: Vec<u32> = known.iter().chain(&columns).copied().collect();
    let mut lines = lines(table, effect, &all, mutated, scratch);
    // Positions of candidates among `all`.
    let mut left: Vec<usize> = (known.len()..all.len()).collect();
    let mut n_kept = 0;
    while n_kept < left.len() {
        if is_dependent(&lines, left[n_kept], alpha) {
            n_kept += 1;
        } else {
            lines = without(lines, left.remove(n_kept));
            n_kept = 0;
        }
    }
    left.into_iter().map(|position| all[position]).collect()
}

fn lines(table: &Table, effect: u32, columns: &[u32], mutated: &Mutated, scratch: &mut Scratch) -> Vec<Line> {
    let n_words = columns.len().div_ceil(64);
    let mut active = ColumnSet::new(table.n_columns());
    columns.iter().for_each(|&column| active.insert(column));
    let mut lines: HashMap<Vec<u64>, [f64; 2]> = HashMap::new();
    for weighed in table.weigh(effect, &active, mutated, scratch) {
        let mut key = vec![0; n_words];
        for (at, &column) in columns.iter().enumerate() {
            key[at / 64] |= u64::from(table.has(weighed.pattern, column)) << (at % 64);
        }
        let weight = table.share(effect, &weighed, mutated);
        lines.entry(key).or_default()[usize::from(table.has(weighed.pattern, effect))] += weight;
    }
    sorted(lines)
}

/// In an order that does not depend on the hash table's: sums of floats do.
fn sorted(lines: HashMap<Vec<u64>, [f64; 2]>) -> Vec<Line> {
    let mut lines: Vec<Line> = lines.into_iter().map(|(key, weights)| Line { key, weights }).collect();
    lines.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    lines
}

fn cleared(key: &[u64], position: usize) -> Vec<u64> {
    let mut key = key.to_vec();
    key[position / 64] &= !(1 << (position % 64));
    key
}

fn without(lines: Vec<Line>, position: usize) -> Vec<Line> {
    let mut merged: HashMap<Vec<u64>, [f64; 2]> = HashMap::new();
    for line in lines {
        let weights = merged.entry(cleared(&line.key, position)).or_default();
        line.weights.iter().zip(weights).for_each(|(weight, sum)| *sum += weight);
    }
    sorted(merged)
}

/// Whether the column at `position` matters beside all others at the level `alpha`.
fn is_dependent(lines: &[Line], position: usize, alpha: f64) -> bool {
    let mut strata: HashMap<Vec<u64>, [[f64; 2]; 2]> = HashMap::new();
    for line in lines {
        let value = (line.key[position / 64] >> (position % 64) & 1) as usize;
        let cells = &mut strata.entry(cleared(&line.key, position)).or_default()[value];
        line.weights.iter().zip(cells).for_each(|(weight, cell)| *cell += weight);
    }
    let mut statistics: Vec<f64> = strata.values().filter_map(g_statistic).collect();
    statistics.sort_unstable_by(f64::total_cmp);
    chi_squared_tail(statistics.iter().sum(), statistics.len()) < alpha
}

/// The G statistic of a table of two values by two values; `None` where one value does not occur, so there is no degree of freedom.
fn g_statistic(cells: &[[f64; 2]; 2]) -> Option<f64> {
    let rows = cells.map(|row| row[0] + row[1]);
    let columns = [cells[0][0] + cells[1][0], cells[0][1] + cells[1][1]];
    let total = rows[0] + rows[1];
    if rows.iter().chain(&columns).any(|sum| *sum <= 0.0) {
        return None;
    }
    let term = |row: usize, column: usize| match cells[row][column] {
        observed if observed > 0.0 => observed * (observed * total / (rows[row] * columns[column])).ln(),
        _ => 0.0,
    };
    Some((2.0 * (term(0, 0) + term(0, 1) + term(1, 0) + term(1, 1))).max(0.0))
}

/// P(a chi-squared variable of `degrees` degrees of freedom is at least `value`); 1 without any degree of freedom.
fn chi_squared_tail(value: f64, degrees: usize) -> f64 {
    if degrees == 0 || value <= 0.0 {
        return 1.0;
    }
    upper_gamma(degrees as f64 / 2.0, value / 2.0)
}

/// The regularised upper incomplete gamma function Q(a, x), by its series below a + 1 and by its continued fraction (Lentz) above.
fn upper_gamma(a: f64, x: f64) -> f64 {
    const ROUNDS: usize = 100_000;
    const TINY: f64 = 1e-300;
    let scale = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut sum, mut term) = (1.0 / a, 1.0 / a);
        for round in 1..ROUNDS {
            term *= x / (a + round as f64);
            sum += term;
            if term < sum * f64::EPSILON {
                break;
            }
        }
        return 1.0 - sum * scale;
    }
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for round in 1..ROUNDS {
        let step = -(round as f64) * (round as f64 - a);
        b += 2.0;
        d = 1.0 / away_from_zero(step * d + b, TINY);
        c = away_from_zero(b + step / c, TINY);
        fraction *= c * d;
        if (c * d - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    scale * fraction
}

fn away_from_zero(number: f64, least: f64) -> f64 {
    if number.abs() < least { least } else { number }
}

/// ln of the gamma function for arguments above 0: Stirling's series after shifting the argument beyond 10.
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + (2.0 * std::f64::consts::PI).ln() / 2.0 + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_printed_tables() {
        // Value, degrees of freedom, upper tail: from tables of the distribution.
        for (value, degrees, tail) in [
            (3.841, 1, 0.05),
            (6.635, 1, 0.01),
            (0.0158, 1, 0.90),
            (18.307, 10, 0.05),
            (29.588, 10, 0.001),
            (124.342, 100, 0.05),
            (77.929, 100, 0.95),
        ] {
            let found = chi_squared_tail(value, degrees);
            assert!((found - tail).abs() < 2e-4, "{value} {degrees}: {found}");
        }
        assert_eq!((chi_squared_tail(0.0, 3), chi_squared_tail(5.0, 0)), (1.0, 1.0));
    }

    #[test]
    fn the_statistic_is_zero_for_proportional_rows() {
        assert!(g_statistic(&[[2.0, 4.0], [3.0, 6.0]]).unwrap().abs() < 1e-12);
        // 2 * (10 ln 2 + 10 ln 2): all mass on the diagonal.
        let diagonal = g_statistic(&[[10.0, 0.0], [0.0, 10.0]]).unwrap();
        assert!((diagonal - 40.0 * 2f64.ln()).abs() < 1e-12);
        assert_eq!(g_statistic(&[[1.0, 1.0], [0.0, 0.0]]), None);
    }
}
