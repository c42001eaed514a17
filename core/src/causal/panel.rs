//! The observations of one test, by columns, and their strata.

use super::intern::{Interner, set_bits};
use super::observations::TestObservations;

/// One test's distinct patterns of changed nodes. A column is a node that the test covers, or the output, which comes last.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    /// Whether the test fails.
    pub failed: bool,
    n_patterns: usize,
    /// Nodes of the columns, without the output.
    covered: Vec<u32>,
    /// Bit p of a column's words: whether the column changes in pattern p.
    columns: Vec<u64>,
    /// Which observations show each pattern: from `starts[p]` up to `starts[p + 1]`, by mutated column and weight.
    starts: Vec<u32>,
    entries: Vec<(u32, f64)>,
    /// The same by mutated column: patterns and weights.
    own_starts: Vec<u32>,
    own: Vec<(u32, f64)>,
}

/// What the observations of a pattern weigh, and how many kinds of them there are: sums of weights are only about 0 when something is
/// subtracted again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weight {
    /// The sum of weights.
    pub weight: f64,
    /// Number of summands.
    pub n: u32,
}

/// No column: nothing was mutated.
const UNMUTATED: u32 = u32::MAX;

/// Patterns grouped by their values of some columns.
#[derive(Clone, Debug)]
pub(super) struct Strata {
    /// The stratum of each pattern.
    pub of: Vec<u32>,
    /// Number of strata.
    pub n: usize,
}

impl Panel {
    /// The panel of a test; `samples` has the number of values sampled for each node.
    pub fn new(test: &TestObservations, samples: &[u32]) -> Panel {
        let covered = test.covered().to_vec();
        let mut rows = Interner::new((covered.len() + 1).div_ceil(64));
        let mut entries: Vec<(u32, u32, f64)> = vec![(rows.intern(|_| ()), UNMUTATED, 1.0)];
        for row in test.rows() {
            let pattern = rows.intern(|words| words.copy_from_slice(row.bits));
            // A mutant of what the test does not cover changes nothing; it would have to be a mistake, and weighs nothing.
            let Ok(column) = covered.binary_search(&row.mutated) else { continue };
            let weight = f64::from(row.count) / f64::from(samples[row.mutated as usize]);
            entries.push((pattern, column as u32, weight));
        }
        let n_patterns = rows.len();
        let (own_starts, own) =
            grouped(covered.len(), entries.iter().filter(|entry| entry.1 != UNMUTATED).map(|e| (e.1, e.0, e.2)));
        let (starts, entries) = grouped(n_patterns, entries.into_iter());
        Panel {
            failed: test.failed(),
            columns: transposed(&rows, covered.len() + 1),
            n_patterns,
            covered,
            starts,
            entries,
            own_starts,
            own,
        }
    }

    /// Nodes that the test covers, in the order of their columns.
    pub fn covered(&self) -> &[u32] {
        &self.covered
    }

    /// The column of a node, or of the output, which has the number `output`.
    pub fn column(&self, node: u32, output: u32) -> Option<usize> {
        match node {
            node if node == output => Some(self.covered.len()),
            node => self.covered.binary_search(&node).ok(),
        }
    }

    /// Whether each pattern changes a column: bit p % 64 of word p / 64.
    pub fn changed(&self, column: usize) -> &[u64] {
        let n_words = self.n_patterns.div_ceil(64);
        &self.columns[column * n_words..][..n_words]
    }

    /// The patterns that the mutants of a column's node show, and the weight of those observations.
    pub fn own(&self, column: usize) -> &[(u32, f64)] {
        match self.own_starts.get(column + 1) {
            Some(&end) => &self.own[self.own_starts[column] as usize..end as usize],
            None => &[],
        }
    }

    /// Whether a pattern changes a column, as a number.
    pub fn has(&self, pattern: usize, column: usize) -> usize {
        (self.changed(column)[pattern / 64] >> (pattern % 64) & 1) as usize
    }

    /// What each pattern's observations of unmutated runs and of mutants of the columns that `mutated` accepts weigh.
    pub fn weights(&self, mutated: impl Fn(u32) -> bool) -> Vec<Weight> {
        let weight = |bounds: &[u32]| {
            let entries = self.entries[bounds[0] as usize..bounds[1] as usize].iter();
            let counted = entries.filter(|(column, _)| *column == UNMUTATED || mutated(*column));
            counted.fold(Weight::default(), |sum, (_, weight)| Weight { weight: sum.weight + weight, n: sum.n + 1 })
        };
        self.starts.windows(2).map(weight).collect()
    }

    /// Groups patterns by their values of these columns.
    pub fn strata(&self, columns: impl Iterator<Item = usize>) -> Strata {
        let mut of = vec![0u32; self.n_patterns];
        let mut sizes = vec![self.n_patterns as u32];
        // For each stratum: how many of its patterns the column changes, and where those go.
        let (mut moved, mut target) = (vec![0u32], vec![0u32]);
        let (mut touched, mut changed): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        // Patterns that are not known to be alone in their stratum, which no column can split any more.
        let mut open = vec![u64::MAX; self.n_patterns.div_ceil(64)];
        for column in columns {
            if sizes.len() == self.n_patterns {
                break;
            }
            for (at, (word, open)) in self.changed(column).iter().zip(&mut open).enumerate() {
                let mut left = word & *open;
                while left != 0 {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    let pattern = at as u32 * 64 + bit;
                    let stratum = of[pattern as usize];
                    if sizes[stratum as usize] == 1 {
                        *open &= !(1 << bit);
                        continue;
                    }
                    if moved[stratum as usize] == 0 {
                        touched.push(stratum);
                    }
                    moved[stratum as usize] += 1;
                    changed.push(pattern);
                }
            }
            for stratum in touched.drain(..) {
                let leaving = std::mem::take(&mut moved[stratum as usize]);
                target[stratum as usize] = stratum;
                // A stratum that would leave as a whole stays as it is.
                if leaving < sizes[stratum as usize] {
                    target[stratum as usize] = sizes.len() as u32;
                    sizes[stratum as usize] -= leaving;
                    sizes.push(leaving);
                    moved.push(0);
                    target.push(0);
                }
            }
            changed.drain(..).for_each(|pattern| of[pattern as usize] = target[of[pattern as usize] as usize]);
        }
        Strata { of, n: sizes.len() }
    }
}

/// Pairs grouped by a key below `n`, each group in the given order: where groups start, and all pairs.
fn grouped(n: usize, triples: impl Iterator<Item = (u32, u32, f64)>) -> (Vec<u32>, Vec<(u32, f64)>) {
    let mut sorted: Vec<(u32, u32, f64)> = triples.collect();
    sorted.sort_by_key(|triple| triple.0);
    let mut starts = vec![0; n + 1];
    sorted.iter().for_each(|triple| starts[triple.0 as usize + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    (starts, sorted.into_iter().map(|(_, value, weight)| (value, weight)).collect())
}

/// The bits of rows by columns.
fn transposed(rows: &Interner, n_columns: usize) -> Vec<u64> {
    let n_words = rows.len().div_ceil(64);
    let mut columns = vec![0; n_columns * n_words];
    for row in 0..rows.len() {
        set_bits(rows.row(row), |column| columns[column * n_words + row / 64] |= 1 << (row % 64));
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strata by comparing patterns, numbered as they first differ: the reference.
    fn by_comparison(panel: &Panel, columns: &[usize]) -> Vec<Vec<usize>> {
        (0..panel.n_patterns)
            .map(|pattern| columns.iter().map(|column| panel.has(pattern, *column)).collect())
            .collect()
    }

    #[test]
    fn strata_hold_the_patterns_that_are_alike() {
        let mut state = 1u64;
        let mut random = || {
            // Knuth's MMIX generator; its upper bits are the better ones.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 20
        };
        for n_patterns in [1, 2, 63, 64, 65, 300] {
            let n_columns = 40;
            let mut rows = Interner::new(1);
            while rows.len() < n_patterns {
                let sparse = random() & random() & ((1 << n_columns) - 1);
                rows.intern(|words| words[0] = sparse);
            }
            let panel = Panel {
                failed: false,
                n_patterns,
                covered: (0..n_columns).collect(),
                columns: transposed(&rows, n_columns as usize),
                starts: Vec::new(),
                entries: Vec::new(),
                own_starts: Vec::new(),
                own: Vec::new(),
            };
            for n_taken in [0, 1, 3, n_columns as usize] {
                let columns: Vec<usize> = (0..n_taken).collect();
                let strata = panel.strata(columns.iter().copied());
                let alike = by_comparison(&panel, &columns);
                for one in 0..n_patterns {
                    for other in 0..one {
                        assert_eq!(strata.of[one] == strata.of[other], alike[one] == alike[other]);
                    }
                }
                let distinct: std::collections::BTreeSet<_> = alike.iter().collect();
                assert_eq!(strata.n, distinct.len());
                assert!(strata.of.iter().all(|stratum| (*stratum as usize) < strata.n));
            }
        }
    }
}
