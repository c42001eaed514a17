//! Choosing a node's mutants.

use std::collections::HashSet;
use std::hash::Hash;

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, Normal};
use suspect_format::trace::{HASH_START, hash_bytes};
use suspect_format::trial::TEXT_SEEN;

use super::domain::MOST_DISTINCT;
use super::form::mask;
use super::{Domain, Form, ValueRange};
use crate::program::Identity;
use crate::trial::Change;

/// An integer that only ever took so few values, though more than one, is one of these and nothing between.
const CLOSED: usize = 3;
/// Samples in a row that bring nothing new before the domain counts as exhausted.
const PATIENCE: u32 = 500;
/// Samples that come before a node's neighbouring values, which come before all others.
const SAMPLES_FIRST: usize = 2;

/// Which of a node's mutants: means the same change whatever number of samples is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

impl Slot {
    /// True becomes false.
    pub const FLIP: Slot = Slot(0);
    /// One more.
    pub const INCREMENT: Slot = Slot(1);
    /// One less.
    pub const DECREMENT: Slot = Slot(2);
    /// The sign changes.
    pub const NEGATE: Slot = Slot(3);
    const FIRST_SAMPLE: u32 = 4;

    /// The sample of this number, from 0.
    pub const fn sample(number: u32) -> Slot {
        Slot(Self::FIRST_SAMPLE + number)
    }

    /// True of the first `n` samples, and of what is no sample.
    pub const fn is_within(self, n: u32) -> bool {
        self.0 < Self::FIRST_SAMPLE + n
    }

    /// Whether the paper's method has it: negated truths and samples, not neighbouring values.
    pub const fn is_sampled(self) -> bool {
        self.0 == Self::FLIP.0 || self.0 >= Self::FIRST_SAMPLE
    }
}

/// A change of a node's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Its name.
    pub slot: Slot,
    /// What it does.
    pub change: Change,
}

/// The mutants of a node, at most `n_samples` sampled ones, in the order in which they are to be tried: two samples, then
/// the value's neighbours (one more, one less, the other sign), then the other samples. No two are the same change; none
/// leaves all values as they were.
///
/// # Sampling
/// Where a range is stated: uniformly from that, and no neighbours. Integers and floating-point numbers: from a Gaussian fitted to `domain`, rounded and clamped to the type; an
/// enumeration or an integer of at most three values: uniformly from these. Strings: lower-case letters, as many as a Gaussian fitted to the
/// lengths says.
pub fn mutants(form: Form, domain: &Domain, identity: &Identity, seed: u64, n_samples: usize) -> Vec<Mutant> {
    let sampled = samples(form, domain, identity, seed, n_samples);
    let extras = neighbours(form, domain, &sampled);
    let mut chosen: Vec<Mutant> = (0..)
        .zip(sampled)
        .map(|(number, change)| {
            let slot = if change == Change::Flip { Slot::FLIP } else { Slot::sample(number) };
            Mutant { slot, change }
        })
        .collect();
    let first = chosen.len().min(SAMPLES_FIRST);
    chosen.splice(first..first, extras);
    chosen
}

/// The change that `slot` stands for; `None` if the node has no such mutant.
pub fn change_of(form: Form, domain: &Domain, identity: &Identity, seed: u64, slot: Slot) -> Option<Change> {
    let n_samples = (slot.0 + 1).saturating_sub(Slot::FIRST_SAMPLE).max(1) as usize;
    let all = mutants(form, domain, identity, seed, n_samples);
    all.into_iter().find(|mutant| mutant.slot == slot).map(|mutant| mutant.change)
}

/// The first `n` samples.
fn samples(form: Form, domain: &Domain, identity: &Identity, seed: u64, n: usize) -> Vec<Change> {
    let mut generator = generator(identity, seed);
    if let (Form::Integer { .. } | Form::Float { .. }, Some(range)) = (form, domain.stated()) {
        return of_range(form, range, domain.constant(), &mut generator, n);
    }
    match form {
        Form::Observed => Vec::new(),
        Form::Truth => vec![Change::Flip].into_iter().take(n).collect(),
        Form::Integer { named, .. } => match domain.few(if named { MOST_DISTINCT } else { CLOSED }) {
            Some(few) if few.len() > 1 => {
                let order = shuffled(few.iter().copied().collect(), &mut generator);
                order.into_iter().take(n).map(Change::Set).collect()
            }
            _ => numbers(form, domain, &mut generator, n),
        },
        Form::Float { .. } => numbers(form, domain, &mut generator, n),
        Form::Text => texts(domain, &mut generator, n),
    }
}

/// Values of a range: where they are few, all of them in some order.
fn of_range(
    form: Form,
    range: ValueRange,
    constant: Option<u64>,
    generator: &mut ChaCha12Rng,
    n: usize,
) -> Vec<Change> {
    let other = |bits: &u64| Some(*bits) != constant;
    let bits = match range.all(form) {
        Some(all) => shuffled(all, generator).into_iter().filter(other).take(n).collect(),
        None => distinct(|| range.draw(form, generator).filter(other), n),
    };
    bits.into_iter().map(Change::Set).collect()
}

fn numbers(form: Form, domain: &Domain, generator: &mut ChaCha12Rng, n: usize) -> Vec<Change> {
    let constant = domain.constant();
    let sample = gaussian(domain);
    let draw = || form.bits(sample(generator)).filter(|bits| Some(*bits) != constant);
    distinct(draw, n).into_iter().map(Change::Set).collect()
}

fn texts(domain: &Domain, generator: &mut ChaCha12Rng, n: usize) -> Vec<Change> {
    let sample = gaussian(domain);
    let draw = || {
        // At least one character can differ from what was there.
        let length = sample(generator).round().clamp(0.0, TEXT_SEEN as f64) as usize;
        Some((0..length).map(|_| b'a' + below(26, generator) as u8).collect::<Box<[u8]>>())
    };
    distinct(draw, n).into_iter().map(Change::Text).collect()
}

fn gaussian(domain: &Domain) -> impl Fn(&mut ChaCha12Rng) -> f64 {
    let normal = Normal::new(domain.mean(), domain.deviation());
    let mean = domain.mean();
    // The deviation is finite and positive, so there is a distribution; without one every sample would be the mean.
    move |generator| normal.map_or(mean, |normal| normal.sample(generator))
}

/// The first `n` different values that `draw` gives.
fn distinct<T: Clone + Eq + Hash>(mut draw: impl FnMut() -> Option<T>, n: usize) -> Vec<T> {
    let (mut seen, mut found, mut in_vain) = (HashSet::new(), Vec::new(), 0);
    while found.len() < n && in_vain < PATIENCE {
        match draw().filter(|value| seen.insert(value.clone())) {
            Some(value) => {
                in_vain = 0;
                found.push(value);
            }
            None => in_vain += 1,
        }
    }
    found
}

/// One more, one less and the other sign, where the form has them and no sample does the same.
fn neighbours(form: Form, domain: &Domain, sampled: &[Change]) -> Vec<Mutant> {
    if domain.stated().is_some() {
        return Vec::new();
    }
    let one = match form {
        Form::Integer { named: false, .. } => 1,
        Form::Float { width: 32 } => u64::from(1f32.to_bits()),
        Form::Float { .. } => 1f64.to_bits(),
        _ => return Vec::new(),
    };
    let less = match form {
        Form::Integer { width, .. } => mask(width),
        Form::Float { width: 32 } => u64::from((-1f32).to_bits()),
        _ => (-1f64).to_bits(),
    };
    let mut found = vec![(Slot::INCREMENT, Change::Add(one))];
    // In a single bit, one less is one more.
    if less != one {
        found.push((Slot::DECREMENT, Change::Add(less)));
    }
    if matches!(form, Form::Float { .. } | Form::Integer { signed: true, .. }) {
        found.push((Slot::NEGATE, Change::Negate));
    }
    let mut taken: HashSet<u64> = sampled.iter().filter_map(set_value).collect();
    if let Some(constant) = domain.constant() {
        taken.insert(constant);
        found.retain(|(_, change)| taken.insert(result(form, change, constant)));
    }
    found.into_iter().map(|(slot, change)| Mutant { slot, change }).collect()
}

fn set_value(change: &Change) -> Option<u64> {
    if let Change::Set(bits) = change { Some(*bits) } else { None }
}

/// What becomes of the number `bits`, as in the program.
fn result(form: Form, change: &Change, bits: u64) -> u64 {
    match (form, change) {
        (Form::Integer { width, .. }, Change::Add(operand)) => bits.wrapping_add(*operand) & mask(width),
        (Form::Integer { width, .. }, Change::Negate) => bits.wrapping_neg() & mask(width),
        (Form::Float { width: 32 }, Change::Add(operand)) => {
            u64::from((f32::from_bits(bits as u32) + f32::from_bits(*operand as u32)).to_bits())
        }
        (Form::Float { width: 32 }, Change::Negate) => bits ^ 1 << 31,
        (Form::Float { .. }, Change::Add(operand)) => (f64::from_bits(bits) + f64::from_bits(*operand)).to_bits(),
        (Form::Float { .. }, Change::Negate) => bits ^ 1 << 63,
        _ => bits,
    }
}

/// A generator of a node's own.
fn generator(identity: &Identity, seed: u64) -> ChaCha12Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&identity_hash(identity).to_le_bytes());
    ChaCha12Rng::from_seed(key)
}

/// A hash of a node's identity that lasts across builds and releases.
pub fn identity_hash(identity: &Identity) -> u64 {
    let mut hash = HASH_START;
    for text in [identity.function, identity.variable, identity.expression] {
        hash = hash_bytes(hash, &(text.len() as u64).to_le_bytes());
        hash = hash_bytes(hash, text.as_bytes());
    }
    hash = hash_bytes(hash, &(identity.kind as u64).to_le_bytes());
    hash_bytes(hash, &u64::from(identity.ordinal).to_le_bytes())
}

/// A number below `bound`, all equally likely but for one part in 2^64 / `bound`.
fn below(bound: u64, generator: &mut ChaCha12Rng) -> u64 {
    ((u128::from(generator.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// Fisher and Yates's shuffle.
fn shuffled(mut values: Vec<u64>, generator: &mut ChaCha12Rng) -> Vec<u64> {
    for last in (1..values.len()).rev() {
        values.swap(last, below(last as u64 + 1, generator) as usize);
    }
    values
}
