//! Which tests kill which mutants.

/// Bits in a word.
const WORD: u32 = 64;

/// A set of tests, one bit for each of the suite: the kill vector of a mutant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KillVector {
    n_tests: u32,
    words: Vec<u64>,
}

impl KillVector {
    /// No test of `n_tests`.
    pub fn new(n_tests: u32) -> Self {
        KillVector { n_tests, words: vec![0; n_tests.div_ceil(WORD) as usize] }
    }

    /// These tests of `n_tests`.
    ///
    /// # Panics
    /// When a test is not below `n_tests`.
    pub fn of(n_tests: u32, tests: impl IntoIterator<Item = u32>) -> Self {
        let mut vector = KillVector::new(n_tests);
        tests.into_iter().for_each(|test| vector.insert(test));
        vector
    }

    /// Number of tests that there are.
    pub fn n_tests(&self) -> u32 {
        self.n_tests
    }

    /// Adds a test.
    ///
    /// # Panics
    /// When there is no such test.
    pub fn insert(&mut self, test: u32) {
        assert!(test < self.n_tests, "test {test} of {}", self.n_tests);
        self.words[(test / WORD) as usize] |= 1 << (test % WORD);
    }

    /// Whether a test is in the set.
    pub fn has(&self, test: u32) -> bool {
        self.words.get((test / WORD) as usize).is_some_and(|word| word >> (test % WORD) & 1 == 1)
    }

    /// Number of tests in the set.
    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether no test is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The tests in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.n_tests).filter(|test| self.has(*test))
    }

    /// Whether all its tests are in `other` too.
    pub fn is_subset(&self, other: &KillVector) -> bool {
        self.words.iter().zip(&other.words).all(|(own, others)| own & !others == 0)
    }

    /// Whether it has no test in common with `other`.
    pub fn is_disjoint(&self, other: &KillVector) -> bool {
        self.words.iter().zip(&other.words).all(|(own, others)| own & others == 0)
    }

    /// Keeps what is in `other` too.
    pub fn intersect(&mut self, other: &KillVector) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, others)| *own &= others);
    }

    /// Adds what is in `other`.
    pub fn unite(&mut self, other: &KillVector) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, others)| *own |= others);
    }
}

/// What the tests did to one mutant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kills {
    /// Tests that kill it.
    pub killed: KillVector,
    /// Tests of which that is not known, none of them in `killed`.
    pub unknown: KillVector,
}

impl Kills {
    /// The outcome of a mutant whose tests are all known.
    pub fn known(killed: KillVector) -> Self {
        let unknown = KillVector::new(killed.n_tests());
        Kills { killed, unknown }
    }

    /// Tests that kill it or may do so.
    pub fn possible(&self) -> KillVector {
        let mut possible = self.killed.clone();
        possible.unite(&self.unknown);
        possible
    }

    /// Whether no test kills it; `None` where that hangs on what is not known.
    pub fn survived(&self) -> Option<bool> {
        match (self.killed.is_empty(), self.unknown.is_empty()) {
            (false, _) => Some(false),
            (true, true) => Some(true),
            (true, false) => None,
        }
    }
}

/// The outcomes of a list of mutants on the same tests: row m is mutant m's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KillMatrix {
    n_tests: u32,
    rows: Vec<Kills>,
}

impl KillMatrix {
    /// A matrix without mutants.
    pub fn new(n_tests: u32) -> Self {
        KillMatrix { n_tests, rows: Vec::new() }
    }

    /// Adds the next mutant's outcome.
    ///
    /// # Panics
    /// When it is one of another number of tests.
    pub fn push(&mut self, kills: Kills) {
        let n_tests = [kills.killed.n_tests(), kills.unknown.n_tests()];
        assert_eq!(n_tests, [self.n_tests; 2], "a mutant's outcome has the matrix's tests");
        self.rows.push(kills);
    }

    /// Number of tests.
    pub fn n_tests(&self) -> u32 {
        self.n_tests
    }

    /// The mutants' outcomes.
    pub fn rows(&self) -> &[Kills] {
        &self.rows
    }
}
