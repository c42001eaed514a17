//! Natural direct effects in one test.
//!
//! NDE = the sum over the values z of the effect's other parents of (P(effect | cause = 1, z) − P(effect | cause = 0, z)) ·
//! P(z | do(cause = 0)). The last factor is the sum over the values p of the cause's own parents of P(z | cause = 0, p) · P(p):
//! each observation without the cause counts 1 / P(cause = 0 | p). A z counts when the cause takes both values with it. So all
//! that is asked of an effect is the weight of each combination of values of its parents, and that of its neighbour in one bit.

use super::effects::{Effects, share};
use super::intern::{Interner, set_bits};
use super::panel::{Panel, Weight};

/// Combinations of values of an effect's parents that occur in a test; the first is that nothing changes.
pub(super) struct Keys {
    /// Parents that the test covers; the position of one is its bit in a combination.
    parents: Vec<u32>,
    rows: Interner,
    /// Patterns of each combination but the first: from `starts[k]` up to `starts[k + 1]`.
    starts: Vec<u32>,
    patterns: Vec<u32>,
    /// Of each combination, what counts for the effect: weight and number, and weight of what changes it.
    all: Vec<Weight>,
    changed: Vec<f64>,
}

impl Keys {
    /// The combinations of `parents` in a test; `None` if it does not cover the effect. `weights` are those of all observations.
    pub fn new(
        panel: &Panel,
        parents: impl Iterator<Item = u32>,
        effect: u32,
        output: u32,
        weights: &[Weight],
    ) -> Option<Keys> {
        let effect = panel.column(effect, output)?;
        let covered = parents.filter_map(|node| Some((node, panel.column(node, output)?)));
        let (parents, columns): (Vec<u32>, Vec<usize>) = covered.unzip();
        let (rows, of) = combinations(panel, &columns, weights.len());
        let (starts, patterns) = grouped(rows.len(), &of);
        let mut keys = Keys {
            parents,
            starts,
            patterns,
            all: vec![Weight::default(); rows.len()],
            changed: vec![0.0; rows.len()],
            rows,
        };
        for (weight, &key) in weights.iter().zip(&of) {
            keys.all[key as usize].weight += weight.weight;
            keys.all[key as usize].n += weight.n;
        }
        set_bits(panel.changed(effect), |pattern| keys.changed[of[pattern] as usize] += weights[pattern].weight);
        for &(pattern, weight) in panel.own(effect) {
            let key = of[pattern as usize] as usize;
            keys.all[key].weight -= weight;
            keys.all[key].n -= 1;
            if panel.has(pattern as usize, effect) == 1 {
                keys.changed[key] -= weight;
            }
        }
        Some(keys)
    }

    /// The effect of `cause`, one of the parents, summed over the z that have an estimate, and the probability mass of those.
    pub fn natural_direct_effect(&self, cause: u32, odds: &Odds) -> (f64, f64) {
        let Some(position) = self.parents.iter().position(|parent| *parent == cause) else { return (0.0, 0.0) };
        let (word, bit) = (position / 64, 1 << (position % 64));
        let (mut sum, mut identified) = (0.0, 0.0);
        let mut without = vec![0; self.rows.n_words()];
        for with in 1..self.rows.len() {
            let row = self.rows.row(with);
            if row[word] & bit == 0 || self.all[with].n == 0 {
                continue;
            }
            without.copy_from_slice(row);
            without[word] ^= bit;
            let Some(neighbour) = self.rows.get(&without).map(|key| key as usize) else { continue };
            if self.all[neighbour].n > 0 {
                let mass = self.mass(neighbour, odds);
                sum += (self.probability(with) - self.probability(neighbour)) * mass;
                identified += mass;
            }
        }
        (sum, identified)
    }

    fn probability(&self, key: usize) -> f64 {
        share(self.changed[key], self.all[key].weight)
    }

    /// P(the other parents' values | do(the cause does not change)) of a combination without the cause.
    fn mass(&self, key: usize, odds: &Odds) -> f64 {
        let sum = |patterns: &[u32]| patterns.iter().map(|pattern| odds.of[*pattern as usize]).sum::<f64>();
        match key {
            // Most patterns change none of the parents and are not listed.
            0 => (odds.sum - sum(&self.patterns)).max(0.0),
            key => sum(&self.patterns[self.starts[key] as usize..self.starts[key + 1] as usize]),
        }
    }
}

/// The combination of each pattern.
fn combinations(panel: &Panel, columns: &[usize], n_patterns: usize) -> (Interner, Vec<u32>) {
    let n_words = columns.len().div_ceil(64).max(1);
    let mut bits = vec![0u64; n_patterns * n_words];
    for (position, column) in columns.iter().enumerate() {
        let (word, bit) = (position / 64, 1 << (position % 64));
        set_bits(panel.changed(*column), |pattern| bits[pattern * n_words + word] |= bit);
    }
    let mut rows = Interner::new(n_words);
    rows.intern(|_| ());
    let key = |row: &[u64]| match row.iter().all(|word| *word == 0) {
        true => 0,
        false => rows.intern(|words| words.copy_from_slice(row)),
    };
    let of = bits.chunks_exact(n_words).map(key).collect();
    (rows, of)
}

/// Patterns by combination, without those of the first.
fn grouped(n_keys: usize, of: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; n_keys + 1];
    of.iter().filter(|key| **key > 0).for_each(|key| starts[*key as usize + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut patterns = vec![0; starts[n_keys] as usize];
    for (pattern, &key) in of.iter().enumerate().filter(|(_, key)| **key > 0) {
        patterns[next[key as usize] as usize] = pattern as u32;
        next[key as usize] += 1;
    }
    (starts, patterns)
}

/// For each pattern in which a cause does not change, the share of all observations that it stands for were the cause kept from
/// changing; 0 for the others.
pub(super) struct Odds {
    of: Vec<f64>,
    sum: f64,
}

impl Odds {
    /// The odds in a test; `None` if it does not cover the cause.
    pub fn new(panel: &Panel, cause: u32, effects: &Effects, weights: &[Weight]) -> Option<Odds> {
        let column = panel.column(cause, effects.output())?;
        let strata = effects.strata(panel, effects.parents(cause));
        let mut of_strata = vec![[0.0; 2]; strata.n];
        for (pattern, weight) in weights.iter().enumerate() {
            of_strata[strata.of[pattern] as usize][panel.has(pattern, column)] += weight.weight;
        }
        let total: f64 = weights.iter().map(|weight| weight.weight).sum();
        let odds = |(pattern, weight): (usize, &Weight)| {
            let [without, with] = of_strata[strata.of[pattern] as usize];
            match panel.has(pattern, column) {
                0 => weight.weight * (without + with) / without / total,
                _ => 0.0,
            }
        };
        let of: Vec<f64> = weights.iter().enumerate().map(odds).collect();
        Some(Odds { sum: of.iter().sum(), of })
    }
}
