//! What the chosen mutants are, and that they depend on nothing else.

use std::collections::HashSet;

use proptest::prelude::*;
use suspect_format::site::NodeKind;
use suspect_format::trial::{TEXT_UNREADABLE, text_value};

use super::*;
use crate::program::Identity;
use crate::trial::Change;

const INT: Form = Form::Integer { width: 32, signed: true, named: false };
const BYTE: Form = Form::Integer { width: 8, signed: false, named: false };
const SCHAR: Form = Form::Integer { width: 8, signed: true, named: false };
const ENUM: Form = Form::Integer { width: 32, signed: true, named: true };
const DOUBLE: Form = Form::Float { width: 64 };
const FLOAT: Form = Form::Float { width: 32 };

fn identity(variable: &str) -> Identity<'_> {
    Identity { function: "f", kind: NodeKind::Assignment, variable, expression: variable, ordinal: 0 }
}

fn domain(form: Form, values: &[u64]) -> Domain {
    let mut domain = Domain::default();
    values.iter().for_each(|value| domain.add(form, *value));
    domain
}

fn chosen(form: Form, values: &[u64], n: usize) -> Vec<Mutant> {
    mutants(form, &domain(form, values), &identity("x"), 7, n)
}

fn changes(form: Form, values: &[u64], n: usize) -> Vec<Change> {
    chosen(form, values, n).into_iter().map(|mutant| mutant.change).collect()
}

/// The values of sampled mutants.
fn sampled(form: Form, values: &[u64], n: usize) -> Vec<u64> {
    let set = |mutant: Mutant| match mutant.change {
        Change::Set(bits) if mutant.slot.is_sampled() => Some(bits),
        _ => None,
    };
    chosen(form, values, n).into_iter().filter_map(set).collect()
}

fn int(value: i32) -> u64 {
    u64::from(value as u32)
}

#[test]
fn truths_are_negated_and_nothing_else() {
    assert_eq!(chosen(Form::Truth, &[0, 1, 1], 20), [Mutant { slot: Slot::FLIP, change: Change::Flip }]);
    assert_eq!(changes(Form::Truth, &[1], 1), [Change::Flip]);
    assert_eq!(changes(Form::Truth, &[1], 0), []);
}

/// The values that a node gets of which a range is stated; nothing but values is chosen then.
fn stated(form: Form, values: &[u64], (low, high): (f64, f64), n: usize) -> Vec<u64> {
    let domain = domain(form, values).within(Some(ValueRange { low, high }));
    let chosen = mutants(form, &domain, &identity("x"), 7, n);
    chosen
        .into_iter()
        .map(|mutant| match mutant.change {
            Change::Set(bits) if mutant.slot.is_sampled() => bits,
            other => panic!("{other:?} may leave the range"),
        })
        .collect()
}

#[test]
fn stated_ranges_bound_what_is_set() {
    // Few whole numbers: all, but for the one that is always there.
    let mut few = stated(INT, &[int(1)], (-1.0, 3.0), 20);
    few.sort_unstable();
    assert_eq!(few, [int(0), int(2), int(3), int(-1)]);
    assert_eq!(stated(INT, &[int(9), int(1)], (2.0, 2.0), 20), [int(2)]);
    assert_eq!(stated(INT, &[int(2)], (2.0, 2.9), 20), [0u64; 0], "nothing else may be there");
    assert_eq!(stated(INT, &[int(2)], (2.1, 2.9), 20), [0u64; 0]);
    // What the type cannot hold is not set.
    assert_eq!(stated(BYTE, &[3], (250.0, 258.0), 20).len(), 6);
    // Many: different ones, all over the range, where a Gaussian of the values would stay near them.
    let many = stated(INT, &[int(5), int(6)], (0.0, 1e6), 50);
    let distinct: HashSet<u64> = many.iter().copied().collect();
    assert!(distinct.len() == 50 && many.iter().all(|bits| *bits <= 1_000_000), "{many:?}");
    assert!(many.iter().any(|bits| *bits < 250_000) && many.iter().any(|bits| *bits > 750_000), "{many:?}");
    let shares: Vec<f64> = stated(DOUBLE, &[0f64.to_bits()], (0.0, 1.0), 30).into_iter().map(f64::from_bits).collect();
    assert!(shares.len() == 30 && shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
    // The first of many are those of few, and a truth has no range.
    assert_eq!(stated(INT, &[int(5)], (0.0, 1e6), 10), stated(INT, &[int(5)], (0.0, 1e6), 20)[..10]);
    let truth = domain(Form::Truth, &[0, 1]).within(Some(ValueRange { low: 0.0, high: 0.0 }));
    assert_eq!(mutants(Form::Truth, &truth, &identity("x"), 7, 5)[0].change, Change::Flip);
}

#[test]
fn few_values_are_exchanged_for_one_another() {
    let set = HashSet::from([0, 1, 2]);
    assert_eq!(sampled(INT, &[0, 1, 2, 1, 1], 20).into_iter().collect::<HashSet<_>>(), set);
    assert_eq!(sampled(INT, &[0, 1, 2, 1, 1], 20).len(), 3);
    let members: Vec<u64> = (0..40).map(|member| member * 3).collect();
    let exchanged = sampled(ENUM, &members, 100);
    assert_eq!(exchanged.iter().collect::<HashSet<_>>(), members.iter().collect());
    assert_eq!(changes(ENUM, &members, 100).len(), 40, "no neighbours of enumeration constants");
}

#[test]
fn numbers_follow_the_values_seen() {
    let values: Vec<u64> = (0..1000).map(|value| int(value - 500)).collect();
    let samples = sampled(INT, &values, 400);
    let numbers: Vec<f64> = samples.iter().map(|bits| f64::from(*bits as u32 as i32)).collect();
    let mean = numbers.iter().sum::<f64>() / 400.0;
    let deviation = (numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / 400.0).sqrt();
    // Uniform on 1000 integers: mean -0.5, deviation 288.7; both have a standard error of about 14 and 10 here.
    assert!((mean + 0.5).abs() < 60.0 && (deviation - 288.7).abs() < 40.0, "{mean} {deviation}");
}

#[test]
fn a_single_value_is_mutated_but_never_to_itself() {
    let samples = sampled(INT, &[int(100)], 50);
    assert_eq!(samples.len(), 50);
    assert!(!samples.contains(&100));
    // Deviation 50: some sample is far away.
    assert!(samples.iter().any(|bits| (*bits as u32 as i32 - 100).abs() > 25));
    let small = sampled(INT, &[0], 3);
    assert!(small.len() == 3 && small.iter().all(|bits| (*bits as u32 as i32).abs() < 6), "{small:?}");
}

#[test]
fn samples_stay_in_the_type() {
    assert!(sampled(BYTE, &[250, 255, 251, 249], 100).iter().all(|bits| *bits <= 255));
    let low = sampled(BYTE, &[0, 1, 2, 3], 100);
    assert!(low.iter().all(|bits| *bits < 20), "clamped at 0, not wrapped: {low:?}");
    let signed: Vec<i8> = sampled(SCHAR, &[120, 121, 122, 123], 200).iter().map(|bits| *bits as u8 as i8).collect();
    assert!(signed.iter().all(|value| *value > -120), "clamped at 127: {signed:?}");
    let bit = Form::Integer { width: 1, signed: true, named: false };
    assert_eq!(sampled(bit, &[0], 20), [1], "an int:1 is 0 or -1");
    let wide = Form::Integer { width: 64, signed: false, named: false };
    assert!(!sampled(wide, &[u64::MAX], 20).is_empty());
    let least = Form::Integer { width: 64, signed: true, named: false };
    assert!(!sampled(least, &[i64::MIN as u64, 4, 5, 6], 20).is_empty());
}

#[test]
fn floating_point_samples_are_finite() {
    assert_eq!(sampled(DOUBLE, &[f64::MAX.to_bits(), f64::MIN.to_bits(), 1], 5).len(), 5);
    for extra in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN] {
        let samples = sampled(DOUBLE, &[1.5f64.to_bits(), extra.to_bits()], 50);
        assert_eq!(samples.len(), 50, "{extra}");
        assert!(samples.iter().all(|bits| f64::from_bits(*bits).is_finite()), "{extra}");
    }
    assert_eq!(sampled(DOUBLE, &[f64::NAN.to_bits()], 5).len(), 5);
    let halves = sampled(FLOAT, &[u64::from(0.5f32.to_bits())], 20);
    assert!(halves.iter().all(|bits| *bits <= u64::from(u32::MAX) && f32::from_bits(*bits as u32).is_finite()));
}

#[test]
fn neighbours_come_after_two_samples() {
    let values: Vec<u64> = (0..50).collect();
    let slots: Vec<Slot> = chosen(INT, &values, 4).iter().map(|mutant| mutant.slot).collect();
    let sample = Slot::sample;
    assert_eq!(slots, [sample(0), sample(1), Slot::INCREMENT, Slot::DECREMENT, Slot::NEGATE, sample(2), sample(3)]);
    assert!(slots.iter().all(|slot| slot.is_sampled() == (slot.0 >= 4)));
    let unsigned = changes(BYTE, &values, 1);
    assert_eq!(unsigned[1..], [Change::Add(1), Change::Add(255)]);
}

#[test]
fn neighbours_that_do_what_a_sample_does_are_left_out() {
    // Around 1 with deviation 1 the samples are soon 0 and 2, and -1 too.
    let all = chosen(INT, &[1], 8);
    let set: HashSet<u64> = sampled(INT, &[1], 8).into_iter().collect();
    assert!(set.contains(&0) && set.contains(&2), "{set:?}");
    assert!(all.iter().all(|mutant| mutant.slot != Slot::INCREMENT && mutant.slot != Slot::DECREMENT));
    // 0 has no other sign, but as a floating-point number it has.
    assert!(!changes(INT, &[0], 1).contains(&Change::Negate));
    assert!(changes(DOUBLE, &[0], 1).contains(&Change::Negate));
}

#[test]
fn strings_have_the_length_of_those_seen() {
    let seen: Vec<u64> = [90, 100, 110].map(|length| text_value(length, length * 12345)).to_vec();
    let with_others = [seen.clone(), vec![0, TEXT_UNREADABLE]].concat();
    assert_eq!(changes(Form::Text, &seen, 10), changes(Form::Text, &with_others, 10), "null is no string");
    let lengths: Vec<usize> = texts(&with_others, 20).iter().map(|text| text.len()).collect();
    // The deviation's floor is 50.
    assert!(lengths.iter().all(|length| *length <= 256) && lengths.iter().any(|length| *length > 60), "{lengths:?}");
    assert!(texts(&seen, 20).iter().all(|text| text.iter().all(u8::is_ascii_lowercase)));
    assert_eq!(texts(&[0], 3).len(), 3, "a string that was always null is given characters");
}

fn texts(values: &[u64], n: usize) -> Vec<Box<[u8]>> {
    let text = |change| if let Change::Text(text) = change { Some(text) } else { None };
    changes(Form::Text, values, n).into_iter().filter_map(text).collect()
}

#[test]
fn what_cannot_be_overridden_has_no_mutants() {
    assert_eq!(changes(Form::Observed, &[1, 2, 3], 20), []);
    assert_eq!(Form::Observed.bits(1.0), None);
}

/// The generator, the distribution and the keys together: results of old campaigns stay comparable only while this holds.
#[test]
fn samples_never_change_between_releases() {
    let values: Vec<u64> = (0..100).collect();
    assert_eq!(sampled(INT, &values, 6), PINNED_INTEGERS);
    let text = texts(&[text_value(5, 1), text_value(9, 2)], 2);
    assert_eq!(text.iter().map(|text| String::from_utf8_lossy(text)).collect::<Vec<_>>(), PINNED_TEXTS);
    assert_eq!(identity_hash(&identity("x")), PINNED_IDENTITY);
}

const PINNED_INTEGERS: [u64; 6] = [53, 0xffff_fffa, 57, 43, 87, 50];
const PINNED_TEXTS: [&str; 2] = ["dtlunqn", "xslaur"];
const PINNED_IDENTITY: u64 = 5_522_604_361_294_915_548;

#[test]
fn nodes_and_seeds_have_samples_of_their_own() {
    let values: Vec<u64> = (0..1000).collect();
    let of = |name, seed| mutants(INT, &domain(INT, &values), &identity(name), seed, 10);
    assert_ne!(of("x", 1), of("y", 1));
    assert_ne!(of("x", 1), of("x", 2));
    assert_eq!(of("x", 1), of("x", 1));
}

fn any_form() -> impl Strategy<Value = Form> {
    let integer = (1u32..=64, any::<bool>(), any::<bool>());
    prop_oneof![
        Just(Form::Truth),
        integer.prop_map(|(width, signed, named)| Form::Integer { width, signed, named }),
        Just(FLOAT),
        Just(DOUBLE),
        Just(Form::Text),
        Just(Form::Observed),
    ]
}

proptest! {
    #[test]
    fn few_samples_are_the_first_of_many(
        form in any_form(), values in prop::collection::vec(any::<u64>(), 0..80), seed: u64, few in 0usize..12, more in 0usize..12,
    ) {
        let domain = domain(form, &values);
        let of = |n| samples_of(&mutants(form, &domain, &identity("x"), seed, n));
        let (short, long) = (of(few), of(few + more));
        prop_assert_eq!(&long[..short.len()], &short[..]);
        prop_assert!(short.len() == few.min(long.len()));
    }

    #[test]
    fn mutants_differ_and_are_found_by_their_slot(
        form in any_form(), values in prop::collection::vec(any::<u64>(), 0..80), seed: u64, n in 0usize..30,
    ) {
        let domain = domain(form, &values);
        let all = mutants(form, &domain, &identity("x"), seed, n);
        let slots: HashSet<Slot> = all.iter().map(|mutant| mutant.slot).collect();
        let distinct: HashSet<&Change> = all.iter().map(|mutant| &mutant.change).collect();
        prop_assert_eq!((slots.len(), distinct.len()), (all.len(), all.len()));
        for mutant in all.iter().filter(|mutant| mutant.slot.is_sampled()) {
            let found = change_of(form, &domain, &identity("x"), seed, mutant.slot);
            prop_assert_eq!(found.as_ref(), Some(&mutant.change));
        }
    }

    #[test]
    fn values_keep_to_the_width(width in 1u32..=64, signed: bool, number: f64) {
        let form = Form::Integer { width, signed, named: false };
        let bits = form.bits(number).unwrap();
        prop_assert!(width == 64 || bits >> width == 0);
    }

    #[test]
    fn merged_domains_are_the_domain_of_all(
        first in prop::collection::vec(any::<i32>(), 0..90), second in prop::collection::vec(any::<i32>(), 0..90),
    ) {
        let bits = |values: &[i32]| values.iter().map(|value| int(*value)).collect::<Vec<u64>>();
        let whole = domain(INT, &bits(&[first.clone(), second.clone()].concat()));
        let mut merged = domain(INT, &bits(&first));
        merged.merge(&domain(INT, &bits(&second)));
        prop_assert_eq!(merged.few(64), whole.few(64));
        prop_assert!((merged.mean() - whole.mean()).abs() <= 1e-9 * (1.0 + whole.mean().abs()));
        prop_assert!((merged.deviation() - whole.deviation()).abs() <= 1e-6 * (1.0 + whole.deviation()));
    }
}

/// The changes of sampled mutants, in order.
fn samples_of(mutants: &[Mutant]) -> Vec<Change> {
    mutants.iter().filter(|mutant| mutant.slot.is_sampled()).map(|mutant| mutant.change.clone()).collect()
}
