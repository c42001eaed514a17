//! What locals begin as where a test's trials run: zero, or garbage for a test that does what is known of it only then.

use serde::{Deserialize, Serialize};

use crate::suite::Verdict;

/// A byte of garbage, and what the test does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Garbage {
    /// What each byte of a local begins as.
    pub byte: u8,
    /// The verdict where locals begin as zero.
    pub with_zeros: Verdict,
    /// The function whose locals alone make the difference, if there is one and it was looked for: where values of nodes are compared it is not.
    pub function: Option<u32>,
}

/// Bytes that stand for garbage, in the order in which they are tried. Eight of them are no address that a processor accepts, four and eight are far
/// from 0 and -1, as floating-point numbers too, one is no 0 and no letter; their lowest bit is set, which is all that is looked at of a truth value. The
/// first makes negative numbers, which end no loop late; but where only a comparison tells (`i < n`), these do what 0 does, and the second does not.
pub const BYTES: [u8; 2] = [0xdb, 0x5b];

#[cfg(test)]
mod tests {
    use super::BYTES;

    #[test]
    fn bytes_make_values_that_nobody_means() {
        for byte in BYTES {
            let word = u64::from_ne_bytes([byte; 8]);
            let upper = word >> 47;
            assert!(upper != 0 && upper != u64::MAX >> 47, "{byte:#x}: no canonical address");
            assert!(i32::from_ne_bytes([byte; 4]).unsigned_abs() > 1 << 24, "{byte:#x}: far from 0");
            assert!(f64::from_bits(word).abs() > 1e9 && f64::from_bits(word).is_finite(), "{byte:#x}");
            assert!(
                f32::from_ne_bytes([byte; 4]).abs() > 1e9 && f32::from_ne_bytes([byte; 4]).is_finite(),
                "{byte:#x}"
            );
            assert!(byte & 1 == 1 && !byte.is_ascii_alphanumeric(), "{byte:#x}");
        }
        assert!(i32::from_ne_bytes([BYTES[0]; 4]) < 0 && i32::from_ne_bytes([BYTES[1]; 4]) > 0);
    }
}
