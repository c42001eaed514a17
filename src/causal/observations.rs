//! What the value mutants of a campaign showed: for each one, which nodes changed.
//!
//! Lee, Binkley, Feldt, Gold & Yoo, Causal Program Dependence Analysis. An observation is one mutant of one test: a bit for each
//! node and for the output, 1 iff it differs from the unmutated run. It weighs 1 / (values sampled for the mutated node), so
//! every node that is mutated counts alike; the unmutated run of a test is an observation of weight 1 in which nothing differs.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Bits in a word.
const WORD: usize = 64;

/// Why observations cannot be put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObservationError {
    /// Covered nodes are out of order or out of range.
    #[error("covered nodes of test {test} are not ascending numbers below {n_nodes}")]
    Covered {
        /// The test, by its position.
        test: usize,
        /// Number of nodes.
        n_nodes: usize,
    },
    /// An observation is of a mutant that no value was sampled for.
    #[error("test {test} has an observation of node {node}, for which no value was sampled")]
    Sample {
        /// The test, by its position.
        test: usize,
        /// The mutated node.
        node: u32,
    },
}

/// The observations of one test. Alike ones of the same mutated node are kept once, with their number.
#[derive(Clone, Debug, Default)]
pub struct TestObservations {
    failed: bool,
    covered: Vec<u32>,
    /// Words of a row: a bit for each covered node, then one for the output.
    n_words: usize,
    bits: Vec<u64>,
    mutated: Vec<u32>,
    counts: Vec<u32>,
    /// The last row of each hash of node and bits.
    index: HashMap<u64, u32, BuildHasherDefault<Plain>>,
    /// The row before it with the same hash, or itself.
    previous: Vec<u32>,
}

impl TestObservations {
    /// A test whose unmutated run covers these nodes (program ids, ascending), and whether it fails.
    pub fn new(covered: Vec<u32>, failed: bool) -> Self {
        let n_words = (covered.len() + 1).div_ceil(WORD);
        TestObservations { failed, covered, n_words, ..TestObservations::default() }
    }

    /// Adds what a mutant of node `mutated` (a program id) showed: bit k of `changed` says whether the k-th covered node's
    /// trajectory differs from the oracle's. The mutant must override every execution of the node and have changed a value.
    pub fn push(&mut self, mutated: u32, changed: &[u64], output_changed: bool) {
        let start = self.bits.len();
        self.bits.extend(changed.iter().take(self.n_words));
        self.bits.resize(start + self.n_words, 0);
        let (word, bit) = (start + self.covered.len() / WORD, self.covered.len() % WORD);
        self.bits[word] &= (1 << bit) - 1;
        self.bits[word] |= u64::from(output_changed) << bit;
        self.bits[word + 1..].fill(0);
        let hash = hash(mutated, &self.bits[start..]);
        let row = self.counts.len() as u32;
        match self.find(hash, mutated, start) {
            Some(same) => {
                self.bits.truncate(start);
                self.counts[same as usize] += 1;
            }
            None => {
                self.mutated.push(mutated);
                self.counts.push(1);
                self.previous.push(self.index.insert(hash, row).unwrap_or(row));
            }
        }
    }

    /// The row of these bits and mutated node, if there is one already.
    fn find(&self, hash: u64, mutated: u32, start: usize) -> Option<u32> {
        let mut row = *self.index.get(&hash)?;
        loop {
            let at = row as usize * self.n_words;
            if self.mutated[row as usize] == mutated && self.bits[at..at + self.n_words] == self.bits[start..] {
                return Some(row);
            }
            let previous = self.previous[row as usize];
            if previous == row {
                return None;
            }
            row = previous;
        }
    }

    /// Whether the test fails.
    pub fn failed(&self) -> bool {
        self.failed
    }

    /// Nodes that the unmutated run covers, ascending.
    pub fn covered(&self) -> &[u32] {
        &self.covered
    }

    /// Number of distinct observations of mutants.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether no mutant was observed.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The distinct observations of mutants, in the order in which they were first added.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.len()).map(move |row| Row {
            mutated: self.mutated[row],
            count: self.counts[row],
            bits: &self.bits[row * self.n_words..(row + 1) * self.n_words],
        })
    }

    /// Whether the output differs in a row's bits.
    pub fn output_changed(&self, bits: &[u64]) -> bool {
        bits[self.covered.len() / WORD] >> (self.covered.len() % WORD) & 1 == 1
    }
}

/// Alike observations of one mutated node and one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// The mutated node.
    pub mutated: u32,
    /// How many there are.
    pub count: u32,
    /// A bit for each node that the test covers, in order, then one for the output.
    pub bits: &'a [u64],
}

/// All observations of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Observations {
    n_nodes: usize,
    samples: Vec<u32>,
    tests: Vec<TestObservations>,
}

impl Observations {
    /// Puts the observations of tests together. `samples` has, for each node of the program, how many values were sampled for it in
    /// this campaign (the same number whatever tests they ran on).
    pub fn new(samples: Vec<u32>, tests: Vec<TestObservations>) -> Result<Self, ObservationError> {
        let n_nodes = samples.len();
        for (position, test) in tests.iter().enumerate() {
            let ascending = test.covered.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending || test.covered.last().is_some_and(|&last| last as usize >= n_nodes) {
                return Err(ObservationError::Covered { test: position, n_nodes });
            }
            let unsampled = |node: &&u32| samples.get(**node as usize).is_none_or(|&values| values == 0);
            if let Some(&node) = test.mutated.iter().find(unsampled) {
                return Err(ObservationError::Sample { test: position, node });
            }
        }
        Ok(Observations { n_nodes, samples, tests })
    }

    /// Number of nodes of the program; the output counts as one more, with this number.
    pub fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// The number that stands for the output among nodes.
    pub fn output(&self) -> u32 {
        self.n_nodes as u32
    }

    /// Values sampled for each node.
    pub fn samples(&self) -> &[u32] {
        &self.samples
    }

    /// The tests.
    pub fn tests(&self) -> &[TestObservations] {
        &self.tests
    }

    /// The observations of the tests at these positions alone, with the same weights.
    pub fn of_tests(&self, positions: &[usize]) -> Self {
        let tests = positions.iter().map(|&test| self.tests[test].clone()).collect();
        Observations { n_nodes: self.n_nodes, samples: self.samples.clone(), tests }
    }
}

/// A hash of words (the multiplication of 64 to 128 bits, folded).
pub(super) fn hash(seed: u32, words: &[u64]) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    words.iter().fold(u64::from(seed) ^ 0x9e37_79b9_7f4a_7c15, |state, word| {
        fold(state ^ word, 0xd6e8_feb8_6659_fd93).wrapping_add(word.rotate_left(23))
    })
}

/// Takes what is a hash already.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plain(u64);

impl Hasher for Plain {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |state, byte| state.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_observations_of_a_node_are_counted() {
        let mut test = TestObservations::new(vec![0, 2, 5], true);
        test.push(2, &[0b110], true);
        test.push(2, &[0b110], false);
        test.push(2, &[0b110], true);
        test.push(0, &[0b110], true);
        let rows: Vec<_> = test.rows().map(|row| (row.mutated, row.count, row.bits[0])).collect();
        assert_eq!(rows, [(2, 2, 0b1110), (2, 1, 0b0110), (0, 1, 0b1110)]);
        let output: Vec<_> = test.rows().map(|row| test.output_changed(row.bits)).collect();
        assert_eq!(output, [true, false, true]);
    }

    #[test]
    fn the_output_has_a_word_of_its_own_where_nodes_fill_theirs() {
        let mut test = TestObservations::new((0..64).collect(), false);
        test.push(3, &[u64::MAX, u64::MAX], true);
        test.push(3, &[], false);
        let rows: Vec<_> = test.rows().map(|row| row.bits.to_vec()).collect();
        assert_eq!(rows, [vec![u64::MAX, 1], vec![0, 0]]);
    }

    #[test]
    fn what_does_not_fit_the_program_is_refused() {
        let observed = |covered: Vec<u32>, node| {
            let mut test = TestObservations::new(covered, false);
            test.push(node, &[1], false);
            Observations::new(vec![2, 0, 1], vec![test]).map(|all| all.output())
        };
        assert_eq!(observed(vec![0, 1, 2], 2), Ok(3));
        assert_eq!(observed(vec![1, 0], 0), Err(ObservationError::Covered { test: 0, n_nodes: 3 }));
        assert_eq!(observed(vec![0, 3], 0), Err(ObservationError::Covered { test: 0, n_nodes: 3 }));
        assert_eq!(observed(vec![0], 1), Err(ObservationError::Sample { test: 0, node: 1 }));
        assert_eq!(observed(vec![0], 7), Err(ObservationError::Sample { test: 0, node: 7 }));
    }
}
