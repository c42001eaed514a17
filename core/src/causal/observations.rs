//! What the value mutants of a campaign showed: for each one, which nodes changed.
//!
//! Lee, Binkley, Feldt, Gold & Yoo, Causal Program Dependence Analysis. An observation is one mutant of one test: a bit for each
//! node and for the output, 1 iff it differs from the unmutated run. It weighs 1 / (values sampled for the mutated node), so
//! every node that is mutated counts alike; the unmutated run of a test is an observation of weight 1 in which nothing differs.

use super::intern::Interner;

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
    /// Each row is the mutated node, then a bit for each covered node, then one for the output.
    rows: Interner,
    counts: Vec<u32>,
}

impl TestObservations {
    /// A test whose unmutated run covers these nodes (program ids, ascending), and whether it fails.
    pub fn new(covered: Vec<u32>, failed: bool) -> Self {
        let rows = Interner::new(1 + (covered.len() + 1).div_ceil(WORD));
        TestObservations { failed, covered, rows, counts: Vec::new() }
    }

    /// Adds what a mutant of node `mutated` (a program id) showed: bit k of `changed` says whether the k-th covered node's
    /// trajectory differs from the oracle's. The mutant must override every execution of the node and have changed a value.
    pub fn push(&mut self, mutated: u32, changed: &[u64], output_changed: bool) {
        let (word, bit) = (self.covered.len() / WORD, self.covered.len() % WORD);
        let row = self.rows.intern(|row| {
            row[0] = u64::from(mutated);
            let bits = &mut row[1..];
            bits.iter_mut().zip(changed).for_each(|(to, from)| *to = *from);
            bits[word] &= (1 << bit) - 1;
            bits[word] |= u64::from(output_changed) << bit;
        });
        if row as usize == self.counts.len() {
            self.counts.push(0);
        }
        self.counts[row as usize] += 1;
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
        (0..self.len()).map(move |row| {
            let words = self.rows.row(row);
            Row { mutated: words[0] as u32, count: self.counts[row], bits: &words[1..] }
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
            let unsampled = |node: &u32| samples.get(*node as usize).is_none_or(|&values| values == 0);
            if let Some(node) = test.rows().map(|row| row.mutated).find(|node| unsampled(node)) {
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
