//! The coverage matrix: which test executed which ranked unit, one bit each.

use rayon::prelude::*;

use super::Spectrum;

/// Tests in one word.
const WORD: usize = 64;
/// Units that one thread counts at a time.
const CHUNK: usize = 4096;

/// Which of `n_tests` tests executed which of `n_units` ranked units, and which tests failed.
///
/// Bits lie in planes: plane `w` holds, for each unit in turn, one word with the bits of tests `64 w ..= 64 w + 63`. Filling a
/// plane and counting over it both walk memory forwards, and a test can be added without moving anything.
/// Takes `n_units * n_tests / 8` bytes, `n_tests` rounded up to a multiple of 64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageMatrix {
    n_units: usize,
    failed: Vec<bool>,
    planes: Vec<u64>,
}

impl CoverageMatrix {
    /// A matrix of `n_units` units and no test.
    pub fn new(n_units: usize) -> Self {
        CoverageMatrix { n_units, failed: Vec::new(), planes: Vec::new() }
    }

    /// A matrix from, for each test, the units it executed (below `n_units`, any order) and whether it failed.
    pub fn from_units<L: AsRef<[u32]> + Sync>(n_units: usize, tests: &[(L, bool)]) -> Self {
        let failed = tests.iter().map(|(_, failed)| *failed).collect();
        let read = |test: usize, units: &mut Vec<u32>| {
            units.extend_from_slice(tests[test].0.as_ref());
            Ok::<(), std::convert::Infallible>(())
        };
        let Ok(matrix) = CoverageMatrix::read(n_units, failed, read);
        matrix
    }

    /// A matrix of tests that are read one after the other on each core, so that beside it only a row for each core is held.
    /// `units_of` appends the units that a test executed (below `n_units`, any order); the first error ends it.
    pub fn read<E: Send>(
        n_units: usize,
        failed: Vec<bool>,
        units_of: impl Fn(usize, &mut Vec<u32>) -> Result<(), E> + Sync,
    ) -> Result<Self, E> {
        let mut planes = vec![0u64; n_units * failed.len().div_ceil(WORD)];
        planes.par_chunks_mut(n_units.max(1)).enumerate().try_for_each_init(Vec::new, |units, (at, plane)| {
            for test in at * WORD..((at + 1) * WORD).min(failed.len()) {
                units.clear();
                units_of(test, units)?;
                for &unit in &*units {
                    plane[unit as usize] |= 1 << (test % WORD);
                }
            }
            Ok(())
        })?;
        Ok(CoverageMatrix { n_units, failed, planes })
    }

    /// A matrix from dense rows, one for each test: whether it executed each unit, and whether it failed.
    pub fn from_rows<R: AsRef<[bool]>>(n_units: usize, tests: &[(R, bool)]) -> Self {
        let mut matrix = CoverageMatrix::new(n_units);
        for (row, failed) in tests {
            let row = row.as_ref().iter().take(n_units).enumerate();
            matrix.push(row.filter(|(_, covered)| **covered).map(|(unit, _)| unit as u32), *failed);
        }
        matrix
    }

    /// Adds a test that executed `units` (each below [`Self::n_units`]).
    pub fn push(&mut self, units: impl IntoIterator<Item = u32>, failed: bool) {
        let (plane, bit) = (self.failed.len() / WORD, self.failed.len() % WORD);
        if bit == 0 {
            self.planes.resize(self.n_units * (plane + 1), 0);
        }
        self.failed.push(failed);
        let words = &mut self.planes[self.n_units * plane..];
        for unit in units {
            words[unit as usize] |= 1 << bit;
        }
    }

    /// Number of ranked units.
    pub fn n_units(&self) -> usize {
        self.n_units
    }

    /// Number of tests.
    pub fn n_tests(&self) -> usize {
        self.failed.len()
    }

    /// Number of failing tests.
    pub fn n_failing(&self) -> usize {
        self.failed.iter().filter(|failed| **failed).count()
    }

    /// Whether each test failed.
    pub fn failed(&self) -> &[bool] {
        &self.failed
    }

    /// Whether `test` executed `unit`.
    pub fn covers(&self, test: usize, unit: usize) -> bool {
        self.planes[(test / WORD) * self.n_units + unit] >> (test % WORD) & 1 == 1
    }

    /// Units that `test` executed, ascending.
    pub fn units_of(&self, test: usize) -> impl Iterator<Item = u32> + '_ {
        self.row_of(test).enumerate().filter(|(_, covered)| *covered).map(|(unit, _)| unit as u32)
    }

    /// Whether `test` executed each unit, in the order of units.
    pub(crate) fn row_of(&self, test: usize) -> impl Iterator<Item = bool> + '_ {
        let plane = &self.planes[(test / WORD) * self.n_units..][..self.n_units];
        plane.iter().map(move |word| word >> (test % WORD) & 1 == 1)
    }

    /// The planes in the order of their tests, each with the mask of its failing tests.
    fn planes(&self) -> impl Iterator<Item = (&[u64], u64)> + Clone {
        self.planes.chunks(self.n_units.max(1)).zip(masks(&self.failed))
    }

    /// Counts of each unit, in the order of units.
    pub fn spectra(&self) -> Vec<Spectrum> {
        self.spectra_of(&vec![true; self.n_tests()])
    }

    /// Counts of each unit over the tests with `kept`.
    pub fn spectra_of(&self, kept: &[bool]) -> Vec<Spectrum> {
        let counted: Vec<_> = self.planes().zip(masks(kept)).collect();
        let total =
            |of: fn(u64, u64) -> u64| masks(&self.failed).zip(masks(kept)).map(|(f, k)| of(f, k).count_ones()).sum();
        let blank = Spectrum { ef: 0, nf: total(|f, k| f & k), ep: 0, np: total(|f, k| !f & k) };
        let mut spectra = vec![blank; self.n_units];
        spectra.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, spectra)| {
            for ((plane, failing), kept) in &counted {
                for (spectrum, word) in spectra.iter_mut().zip(&plane[chunk * CHUNK..]) {
                    spectrum.ef += (word & failing & kept).count_ones();
                    spectrum.ep += (word & !failing & kept).count_ones();
                }
            }
            for spectrum in spectra {
                spectrum.nf -= spectrum.ef;
                spectrum.np -= spectrum.ep;
            }
        });
        spectra
    }

    /// Number of units that each test executed, in the order of tests.
    pub fn sizes(&self) -> Vec<u32> {
        let sizes = self.planes().collect::<Vec<_>>().into_par_iter().map(|(plane, _)| {
            let mut sizes = [0u32; WORD];
            for &word in plane {
                bits_of(word, |bit| sizes[bit] += 1);
            }
            sizes
        });
        let mut sizes: Vec<u32> = sizes.collect::<Vec<_>>().concat();
        sizes.resize(self.n_tests(), 0);
        sizes
    }
}

/// Flags of tests as words, one for each plane.
fn masks(flags: &[bool]) -> impl Iterator<Item = u64> + Clone + '_ {
    flags.chunks(WORD).map(|tests| tests.iter().enumerate().fold(0, |mask, (bit, flag)| mask | u64::from(*flag) << bit))
}

/// Calls `each` with the position of every set bit of `word`, ascending.
#[inline]
fn bits_of(mut word: u64, mut each: impl FnMut(usize)) {
    while word != 0 {
        each(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_error_while_reading_is_handed_on() {
        let read = |test: usize, _: &mut Vec<u32>| if test == 70 { Err("unreadable") } else { Ok(()) };
        assert_eq!(CoverageMatrix::read(3, vec![true; 100], read), Err("unreadable"));
        assert_eq!(CoverageMatrix::read(3, vec![true; 70], read).map(|matrix| matrix.n_failing()), Ok(70));
    }

    proptest! {
        /// Every way to build a matrix gives the same one, and its counts are those of the rows.
        #[test]
        fn counts_are_those_of_the_rows(
            rows in (0usize..40).prop_flat_map(|n| prop::collection::vec((prop::collection::vec(any::<bool>(), n), any::<bool>()), 0..150))
        ) {
            let n_units = rows.first().map_or(3, |(row, _)| row.len());
            let matrix = CoverageMatrix::from_rows(n_units, &rows);
            let lists: Vec<(Vec<u32>, bool)> = rows
                .iter()
                .map(|(row, failed)| ((0..n_units as u32).filter(|&u| row[u as usize]).collect(), *failed))
                .collect();
            prop_assert_eq!(&CoverageMatrix::from_units(n_units, &lists), &matrix);
            let spectra = matrix.spectra();
            for unit in 0..n_units {
                let count = |covered, failed| rows.iter().filter(|(row, f)| row[unit] == covered && *f == failed).count() as u32;
                let expected = Spectrum {
                    ef: count(true, true), nf: count(false, true), ep: count(true, false), np: count(false, false),
                };
                prop_assert_eq!(spectra[unit], expected);
            }
            let sizes = matrix.sizes();
            for (test, (list, _)) in lists.iter().enumerate() {
                prop_assert_eq!(sizes[test] as usize, list.len());
                prop_assert_eq!(&matrix.units_of(test).collect::<Vec<_>>(), list);
                prop_assert!((0..n_units).all(|unit| matrix.covers(test, unit) == rows[test].0[unit]));
            }
        }
    }
}
