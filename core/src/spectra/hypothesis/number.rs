//! Numbers that probabilities over causal models are computed with: exact quotients, and floating point of any exponent.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

/// What the closed forms need of a number; none of them is negative.
pub(super) trait Number: Clone {
    fn zero() -> Self;
    fn one() -> Self;
    /// The number nearest to `ratio`.
    fn of(ratio: &BigRational) -> Self;
    fn is_zero(&self) -> bool;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn over(&self, other: &Self) -> Self;

    /// `self^n`.
    fn to_the(&self, n: u32) -> Self {
        let half = || self.to_the(n / 2);
        match n {
            0 => Self::one(),
            n if n % 2 == 0 => half().times(&half()),
            n => self.to_the(n - 1).times(self),
        }
    }
}

impl Number for BigRational {
    fn zero() -> Self {
        Zero::zero()
    }

    fn one() -> Self {
        One::one()
    }

    fn of(ratio: &BigRational) -> Self {
        ratio.clone()
    }

    fn is_zero(&self) -> bool {
        Zero::is_zero(self)
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn minus(&self, other: &Self) -> Self {
        self - other
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn over(&self, other: &Self) -> Self {
        self / other
    }
}

/// A non-negative floating-point number with an exponent of its own: `2^-5000` is no 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wide {
    /// 0, or from 1 to below 2.
    mantissa: f64,
    exponent: i64,
}

impl Wide {
    fn new(mantissa: f64, exponent: i64) -> Self {
        if mantissa <= 0.0 {
            return Wide { mantissa: 0.0, exponent: 0 };
        }
        let shift = i64::from((mantissa.to_bits() >> 52) as i32 - 1023);
        Wide { mantissa: scaled(mantissa, -shift), exponent: exponent + shift }
    }

    pub(super) fn of_ratio(ratio: &BigRational) -> Self {
        let wide = |integer: &BigInt| {
            let bits = integer.bits() as i64;
            let shift = (bits - 64).max(0);
            Wide::new((integer >> shift as u64).to_f64().unwrap_or(0.0), shift)
        };
        wide(ratio.numer()).over(&wide(ratio.denom()))
    }

    /// As a floating-point number, 0 where it is too small for one.
    pub fn value(self) -> f64 {
        scaled(self.mantissa, self.exponent)
    }

    /// Its logarithm to base 2, negative infinity for 0.
    pub fn log2(self) -> f64 {
        self.mantissa.log2() + self.exponent as f64
    }
}

/// `x * 2^n`.
fn scaled(x: f64, n: i64) -> f64 {
    let n = n.clamp(-2200, 2200) as i32;
    x * 2f64.powi(n / 2) * 2f64.powi(n - n / 2)
}

impl Number for Wide {
    fn zero() -> Self {
        Wide { mantissa: 0.0, exponent: 0 }
    }

    fn one() -> Self {
        Wide { mantissa: 1.0, exponent: 0 }
    }

    fn of(ratio: &BigRational) -> Self {
        Wide::of_ratio(ratio)
    }

    fn is_zero(&self) -> bool {
        self.mantissa == 0.0
    }

    fn plus(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { *other } else { *self };
        }
        let exponent = self.exponent.max(other.exponent);
        Wide::new(
            scaled(self.mantissa, self.exponent - exponent) + scaled(other.mantissa, other.exponent - exponent),
            exponent,
        )
    }

    fn minus(&self, other: &Self) -> Self {
        if other.is_zero() {
            return *self;
        }
        let exponent = self.exponent.max(other.exponent);
        Wide::new(
            scaled(self.mantissa, self.exponent - exponent) - scaled(other.mantissa, other.exponent - exponent),
            exponent,
        )
    }

    fn times(&self, other: &Self) -> Self {
        Wide::new(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }

    fn over(&self, other: &Self) -> Self {
        Wide::new(self.mantissa / other.mantissa, self.exponent - other.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_numbers_keep_what_floating_point_loses() {
        let power = |n| Wide { mantissa: 1.0, exponent: n };
        let tiny = Wide::one().over(&power(5000));
        assert_eq!((tiny.log2(), tiny.value()), (-5000.0, 0.0));
        assert_eq!(tiny.plus(&tiny).times(&power(5000)).value(), 2.0);
        assert_eq!(power(3).minus(&Wide::one()).value(), 7.0);
        assert_eq!(power(3).minus(&power(3)), Wide::zero());
        assert_eq!(Wide::zero().log2(), f64::NEG_INFINITY);
        assert_eq!(Wide::new(3.0, 0).to_the(5).value(), 243.0);
    }

    #[test]
    fn ratios_become_the_nearest_numbers() {
        let ratio = BigRational::new(BigInt::from(2), BigInt::from(3));
        assert!((Wide::of_ratio(&ratio).value() - 2.0 / 3.0).abs() < 1e-15);
        let tiny = BigRational::new(BigInt::from(3), BigInt::one() << 4000u32);
        assert_eq!(Wide::of_ratio(&tiny).log2(), 3f64.log2() - 4000.0);
        assert_eq!(Wide::of_ratio(&Number::zero()).value(), 0.0);
    }
}
