//! The values that a node may take, as somebody who knows the domain states them.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::Form;
use super::domain::MOST_DISTINCT;

/// Numbers between two, both among them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueRange {
    /// The least.
    pub low: f64,
    /// The greatest, not below it.
    pub high: f64,
}

impl ValueRange {
    /// All values of a form in the range, by their bits, ascending, if they are whole numbers and few.
    pub(super) fn all(self, form: Form) -> Option<Vec<u64>> {
        let (low, high) = (self.low.ceil(), self.high.floor());
        if !matches!(form, Form::Integer { .. }) || high - low >= MOST_DISTINCT as f64 {
            return None;
        }
        let count = (high - low + 1.0).max(0.0) as usize;
        let bits = (0..count).filter_map(|at| self.fitting(form, low + at as f64));
        Some(bits.collect())
    }

    /// A value of a form from the range, each as likely; nothing where the form has none there.
    pub(super) fn draw(self, form: Form, generator: &mut ChaCha12Rng) -> Option<u64> {
        // 53 bits are what a number between 0 and 1 has.
        let share = (generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let number = match form {
            Form::Integer { .. } => (self.low.ceil() + share * (self.high.floor() - self.low.ceil() + 1.0)).floor(),
            _ => self.low + share * (self.high - self.low),
        };
        self.fitting(form, number.clamp(self.low, self.high))
    }

    /// The bits of a number; of an integer that the form cannot hold, or a rounded number that lies outside, nothing.
    fn fitting(self, form: Form, number: f64) -> Option<u64> {
        let bits = form.bits(number)?;
        let is_whole = matches!(form, Form::Integer { .. });
        let held = form.number(bits)?;
        let fits = if is_whole { held == number } else { (self.low..=self.high).contains(&held) };
        fits.then_some(bits)
    }
}
