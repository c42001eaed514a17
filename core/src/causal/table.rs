//! All observations as one table of distinct patterns, laid out for comparing rows from the latest node to the earliest.

use std::cmp::Reverse;

use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use rayon::prelude::*;

use super::intern::{Interner, set_bits};
use super::observations::Observations;

const WORD: usize = 64;

/// Distinct patterns of changed nodes, over all tests and mutated nodes.
///
/// Columns are the nodes that some test covers, from the output (column 0) and the node executed last to the one executed first;
/// a column's bit is the higher in its word the lower its number, so that comparing words compares the latest nodes first.
#[derive(Debug)]
pub(super) struct Table {
    /// The node of each column.
    pub nodes: Vec<u32>,
    /// Word w of pattern p is at `w * n_patterns + p`.
    words: Vec<u64>,
    n_patterns: usize,
    /// Which observations show each pattern: from entry `starts[p]` up to `starts[p + 1]`.
    starts: Vec<u32>,
    entries: Vec<Entry>,
    /// The same by mutated column: from `own_starts[c]` up to `own_starts[c + 1]`, with their pattern.
    own_starts: Vec<u32>,
    own: Vec<(u32, Entry)>,
    /// For each column, the columns that its node's mutants change.
    changes: Vec<ColumnSet>,
    /// For each column, whether each test covers it.
    covers: Vec<Vec<bool>>,
    /// For each column, the weight of an observation of its node's mutants, in units that all weights are multiples of; `None`
    /// when sums could exceed 64 bits.
    units: Option<Vec<u64>>,
    /// For each column, the values sampled for its node.
    samples: Vec<u32>,
}

/// Alike observations that show a pattern. The unmutated run of a test has [`UNMUTATED`] for its column.
#[derive(Clone, Copy, Debug)]
struct Entry {
    test: u32,
    column: u32,
    count: u32,
}

/// No column: nothing was mutated.
const UNMUTATED: u32 = u32::MAX;

/// A set of columns, as the words of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColumnSet(pub Vec<u64>);

impl ColumnSet {
    /// The empty set of this many columns.
    pub fn new(n_columns: usize) -> Self {
        ColumnSet(vec![0; n_columns.div_ceil(WORD)])
    }

    /// Whether `column` is in it.
    pub fn has(&self, column: u32) -> bool {
        self.0[column as usize / WORD] & bit(column) != 0
    }

    /// Adds `column`.
    pub fn insert(&mut self, column: u32) {
        self.0[column as usize / WORD] |= bit(column);
    }

    /// Whether it has a column in common with `other`.
    pub fn meets(&self, other: &ColumnSet) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| one & other != 0)
    }

    /// The columns, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let first = rest.leading_zeros();
                (first < 64).then(|| {
                    rest ^= 1 << 63 >> first;
                    (at * WORD) as u32 + first
                })
            })
        })
    }
}

/// Room that weighing uses again and again: all zero in between.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    weights: Vec<u64>,
}

/// The bit of a column within its word.
fn bit(column: u32) -> u64 {
    1 << 63 >> (column % WORD as u32)
}

/// What the observations of a pattern weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weighed {
    /// The pattern.
    pub pattern: u32,
    /// Its weight: in the table's units, or a number of observations where those do not fit.
    pub weight: u64,
}

impl Table {
    /// Puts `observations` into one table; `order` has for each node the position of its first execution.
    pub fn new(observations: &Observations, order: &[u32]) -> Table {
        let nodes = columns_in_order(observations, order);
        let mut columns = vec![None; observations.n_nodes() + 1];
        for (column, node) in nodes.iter().enumerate() {
            columns[*node as usize] = Some(column as u32);
        }
        let samples: Vec<u32> =
            nodes.iter().map(|node| observations.samples().get(*node as usize).copied().unwrap_or(0)).collect();
        let covers = |node: &u32| {
            let covering = |covered: &[u32]| *node == observations.output() || covered.binary_search(node).is_ok();
            observations.tests().iter().map(|test| covering(test.covered())).collect()
        };
        let mut gathered = Gathered::new(nodes.len());
        for (test, rows) in (0..).zip(observations.tests()) {
            let local: Vec<u32> = rows.covered().iter().map(|node| columns[*node as usize].unwrap_or(0)).collect();
            gathered.add(&[], &local, Entry { test, column: UNMUTATED, count: 1 });
            for row in rows.rows() {
                let Some(column) = columns[row.mutated as usize] else { continue };
                gathered.add(row.bits, &local, Entry { test, column, count: row.count });
            }
        }
        let total = observations.tests().iter().flat_map(|test| test.rows()).map(|row| u64::from(row.count)).sum();
        let units = units(&samples, total, observations.tests().len());
        let covers = nodes.iter().map(covers).collect();
        gathered.table(nodes, covers, units, samples)
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.nodes.len()
    }

    /// Word `word` of all patterns.
    pub fn words(&self, word: usize) -> &[u64] {
        &self.words[word * self.n_patterns..][..self.n_patterns]
    }

    /// Whether `column` is set in `pattern`.
    pub fn has(&self, pattern: u32, column: u32) -> bool {
        self.words(column as usize / WORD)[pattern as usize] & bit(column) != 0
    }

    /// The columns that the mutants of a column's node change.
    pub fn changes(&self, column: u32) -> &ColumnSet {
        &self.changes[column as usize]
    }

    /// Patterns of tests that cover `column`, with the weight of their observations: of mutants of the nodes that `mutated` accepts, and of
    /// unmutated runs. Patterns in which none of the columns `active` and not the column itself changes may be given as one, the first.
    pub fn weigh(
        &self,
        column: u32,
        active: &ColumnSet,
        mutated: impl Fn(u32) -> bool,
        scratch: &mut Scratch,
    ) -> Vec<Weighed> {
        if self.n_patterns == 0 {
            return Vec::new();
        }
        let covers = &self.covers[column as usize];
        let n_covering = covers.iter().filter(|covers| **covers).count() as u64;
        scratch.weights.resize(self.n_patterns, 0);
        let mut touched = vec![0];
        scratch.weights[0] = n_covering * self.unit(UNMUTATED);
        for cause in (0..self.n_columns() as u32).filter(|cause| mutated(*cause)) {
            let own = &self.own[self.own_starts[cause as usize] as usize..self.own_starts[cause as usize + 1] as usize];
            let unit = self.unit(cause);
            let counted = own.iter().filter(|(_, entry)| covers[entry.test as usize]);
            let changes = self.changes(cause);
            if self.has_units() && !changes.has(column) && !changes.meets(active) {
                scratch.weights[0] += counted.map(|(_, entry)| u64::from(entry.count)).sum::<u64>() * unit;
                continue;
            }
            for (pattern, entry) in counted {
                let weight = &mut scratch.weights[*pattern as usize];
                if *weight == 0 {
                    touched.push(*pattern);
                }
                *weight += u64::from(entry.count) * unit;
            }
        }
        let mut take =
            |pattern: u32| Weighed { pattern, weight: std::mem::take(&mut scratch.weights[pattern as usize]) };
        touched.into_iter().map(&mut take).filter(|weighed| weighed.weight > 0).collect()
    }

    /// What an observation of a column's mutants weighs, or of an unmutated run.
    fn unit(&self, column: u32) -> u64 {
        self.units.as_ref().map_or(1, |units| units[column.wrapping_add(1) as usize])
    }

    /// Whether the weights of [`Table::weigh`] are in the table's units; where they are not, only [`Table::exact_weight`] is
    /// exact.
    pub fn has_units(&self) -> bool {
        self.units.is_some()
    }

    /// The exact weight of a pattern's observations, chosen as for [`Table::weigh`].
    pub fn exact_weight(&self, column: u32, pattern: u32, mutated: impl Fn(u32) -> bool) -> BigRational {
        let covers = &self.covers[column as usize];
        let ratio = |count: u32, values: u32| BigRational::new(count.into(), values.max(1).into());
        let entries = self.entries(pattern).iter().filter(|entry| covers[entry.test as usize]);
        entries.fold(BigRational::zero(), |sum, entry| match entry.column {
            UNMUTATED => sum + ratio(entry.count, 1),
            column if mutated(column) => sum + ratio(entry.count, self.samples[column as usize]),
            _ => sum,
        })
    }

    /// The weight of a pattern as a number, in which an unmutated run weighs 1.
    pub fn share(&self, column: u32, weighed: &Weighed, mutated: impl Fn(u32) -> bool) -> f64 {
        match &self.units {
            Some(units) => weighed.weight as f64 / units[0] as f64,
            None => self.exact_weight(column, weighed.pattern, mutated).to_f64().unwrap_or(0.0),
        }
    }

    fn entries(&self, pattern: u32) -> &[Entry] {
        &self.entries[self.starts[pattern as usize] as usize..self.starts[pattern as usize + 1] as usize]
    }
}

/// The output, then the nodes that some test covers, from the one executed last to the one executed first.
fn columns_in_order(observations: &Observations, order: &[u32]) -> Vec<u32> {
    let mut covered = vec![false; observations.n_nodes()];
    for node in observations.tests().iter().flat_map(|test| test.covered()) {
        covered[*node as usize] = true;
    }
    let mut nodes: Vec<u32> = (0..observations.output()).filter(|node| covered[*node as usize]).collect();
    nodes.sort_by_key(|&node| Reverse((order.get(node as usize).copied().unwrap_or(u32::MAX), node)));
    nodes.insert(0, observations.output());
    nodes
}

/// Weights as multiples of 1 / (least common multiple of all sample sizes): first that of an unmutated run, then that of a mutant of each
/// column. `None` when the weight of all `n_observations` and `n_tests` might not fit 64 bits.
fn units(samples: &[u32], n_observations: u64, n_tests: usize) -> Option<Vec<u64>> {
    let used = || samples.iter().map(|&values| u64::from(values.max(1)));
    let multiple = used().try_fold(1u64, |multiple, values| (multiple / gcd(multiple, values)).checked_mul(values))?;
    multiple.checked_mul(n_observations + n_tests as u64)?;
    Some(std::iter::once(multiple).chain(used().map(|values| multiple / values)).collect())
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Patterns as they are found, one after another.
struct Gathered {
    rows: Interner,
    /// Entries with their pattern.
    entries: Vec<(u32, Entry)>,
    changes: Vec<ColumnSet>,
}

impl Gathered {
    fn new(n_columns: usize) -> Self {
        let changes = vec![ColumnSet::new(n_columns); n_columns];
        Gathered { rows: Interner::new(n_columns.div_ceil(WORD)), entries: Vec::new(), changes }
    }

    /// Adds observations of a test whose k-th covered node has column `local[k]`; the bit after those is the output's.
    fn add(&mut self, bits: &[u64], local: &[u32], entry: Entry) {
        let pattern = self.rows.intern(|row| {
            set_bits(bits, |at| {
                let column = local.get(at).copied().unwrap_or(0);
                row[column as usize / WORD] |= bit(column);
            });
        });
        if entry.column != UNMUTATED {
            let changed = &mut self.changes[entry.column as usize].0;
            changed.iter_mut().zip(self.rows.row(pattern as usize)).for_each(|(all, word)| *all |= word);
        }
        self.entries.push((pattern, entry));
    }

    fn table(mut self, nodes: Vec<u32>, covers: Vec<Vec<bool>>, units: Option<Vec<u64>>, samples: Vec<u32>) -> Table {
        let n_patterns = self.rows.len();
        self.entries.sort_by_key(|(pattern, _)| *pattern);
        let mut starts = vec![0; n_patterns + 1];
        for (pattern, _) in &self.entries {
            starts[*pattern as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut words = vec![0; n_patterns * self.rows.n_words()];
        if n_patterns > 0 {
            words.par_chunks_mut(n_patterns).enumerate().for_each(|(word, of_patterns)| {
                of_patterns.iter_mut().enumerate().for_each(|(pattern, to)| *to = self.rows.row(pattern)[word]);
            });
        }
        let entries: Vec<Entry> = self.entries.iter().map(|(_, entry)| *entry).collect();
        let mut own = self.entries;
        own.retain(|(_, entry)| entry.column != UNMUTATED);
        own.sort_by_key(|(_, entry)| entry.column);
        let mut own_starts = vec![0; nodes.len() + 1];
        own.iter().for_each(|(_, entry)| own_starts[entry.column as usize + 1] += 1);
        for at in 1..own_starts.len() {
            own_starts[at] += own_starts[at - 1];
        }
        let changes = self.changes;
        Table { nodes, words, n_patterns, starts, entries, own_starts, own, changes, covers, units, samples }
    }
}
