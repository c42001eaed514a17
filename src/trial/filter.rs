//! Judging outputs that go through a program of the user's before they are compared.

use std::sync::{Mutex, PoisonError};

use suspect_format::trial::{OUTPUT_HASH_START, common_prefix, output_hash};

use super::file::compared;
use super::judge::Stream;
use crate::suite::{SuiteError, Test};

/// What an output looks like behind the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// It is the oracle's.
    pub is_own: bool,
    /// It is what is expected.
    pub is_expected: bool,
    /// Bytes up to the first that is not expected.
    pub matched: u64,
}

/// Bytes of outputs, in all, whose looks are remembered: many trials write the same, and each run of the filter takes some processes.
const REMEMBERED: usize = 4 << 20;

/// A test's filter, with what it makes of the oracle's and of the expected output.
#[derive(Debug)]
pub(super) struct Filter {
    test: Test,
    expected: Vec<u8>,
    own: Vec<u8>,
    known: Mutex<Known>,
}

/// Outputs that have been looked at; those that the filter fails on have no look.
#[derive(Debug, Default)]
struct Known {
    outputs: Vec<(Vec<u8>, Option<Look>)>,
    bytes: usize,
}

impl Filter {
    /// Of a test, with what is expected behind its filter and what the oracle wrote before it; nothing if the filter fails on that.
    ///
    /// # Errors
    /// When the system refuses to run the filter.
    pub fn new(test: &Test, expected: &[u8], own: &[u8]) -> Result<Option<Filter>, SuiteError> {
        let own = test.filtered(own)?.map(|own| test.settled(expected, own));
        let filter = |own| Filter { test: test.clone(), expected: expected.to_vec(), own, known: Mutex::default() };
        Ok(own.map(filter))
    }

    /// Of the oracle's output, bytes up to the first that is not expected.
    pub fn matched(&self) -> u64 {
        self.matched_of(&self.own)
    }

    /// Bytes of what is expected.
    pub fn expects(&self) -> u64 {
        self.expected.len() as u64
    }

    /// An output that is at hand; nothing if the filter fails on it.
    pub fn look(&self, output: &[u8]) -> Option<Look> {
        let is_it = |known: &[u8]| known == output;
        if let Some(look) = self.remembered(is_it) {
            return look;
        }
        // What the system refuses tells as little as a filter that fails.
        let filtered =
            self.test.filtered(output).ok().flatten().map(|filtered| self.test.settled(&self.expected, filtered));
        let look = filtered.map(|filtered| Look {
            is_own: filtered == self.own,
            is_expected: filtered == self.expected,
            matched: self.matched_of(&filtered),
        });
        self.remember(output, look);
        look
    }

    /// An output of which only length and hash are known, and that it begins as the `oracle`'s; nothing if none of these was looked at.
    pub fn look_at_hash(&self, oracle: &[u8], stream: Stream) -> Option<Look> {
        let before = stream.before as usize;
        let begin = oracle.get(..before)?;
        let is_it = |known: &[u8]| {
            known.len() as u64 == stream.length
                && known.starts_with(begin)
                && output_hash(OUTPUT_HASH_START, &known[before..]) == stream.hash
        };
        self.remembered(is_it).flatten()
    }

    fn matched_of(&self, filtered: &[u8]) -> u64 {
        common_prefix(compared(&self.expected), filtered) as u64
    }

    fn remembered(&self, is_it: impl Fn(&[u8]) -> bool) -> Option<Option<Look>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.outputs.iter().find(|(output, _)| is_it(output)).map(|(_, look)| *look)
    }

    fn remember(&self, output: &[u8], look: Option<Look>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.bytes + output.len() <= REMEMBERED {
            known.bytes += output.len();
            known.outputs.push((output.to_vec(), look));
        }
    }
}
