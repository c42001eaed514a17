//! Kill vectors, subsumption and dScore on hand-made matrices.

use proptest::prelude::*;

use crate::hom::{Class, Hom, Judgement, KillMatrix, KillVector, Kills, Summary, judge};

/// A kill vector from text: `x` killed, `.` not.
fn vector(text: &str) -> KillVector {
    KillVector::of(text.len() as u32, (0..).zip(text.chars()).filter(|(_, c)| *c == 'x').map(|(test, _)| test))
}

/// An outcome from text: `?` unknown besides.
fn kills(text: &str) -> Kills {
    let unknown = (0..).zip(text.chars()).filter(|(_, c)| *c == '?').map(|(test, _)| test);
    Kills { killed: vector(text), unknown: KillVector::of(text.len() as u32, unknown) }
}

fn matrix(rows: &[&str]) -> KillMatrix {
    let mut matrix = KillMatrix::new(rows[0].len() as u32);
    rows.iter().for_each(|row| matrix.push(kills(row)));
    matrix
}

fn class(tests: &str, members: &[&str]) -> Class {
    let members: Vec<_> = members.iter().map(|member| vector(member)).collect();
    Class::of(&vector(tests), &members.iter().collect::<Vec<_>>())
}

#[test]
fn classes_are_those_of_jia_and_harman() {
    // The members are killed by tests 0 to 2 and 1 to 4: 1 and 2 kill both, 5 kills none.
    let members = ["xxx...", ".xxxx."];
    for (tests, expected) in [
        (".x....", Class::StronglySubsuming),
        (".xx...", Class::StronglySubsuming),
        ("x.....", Class::WeaklySubsumingCoupled),
        ("xxxx..", Class::WeaklySubsumingCoupled),
        (".xx..x", Class::WeaklySubsumingCoupled),
        (".....x", Class::WeaklySubsumingDecoupled),
        ("xxxxx.", Class::NonSubsumingCoupled),
        (".xxxxx", Class::NonSubsumingCoupled),
        ("......", Class::Survived),
    ] {
        assert_eq!(class(tests, &members), expected, "{tests}");
    }
    assert_eq!(class("..xx", &["x...", ".x.."]), Class::NonSubsumingDecoupled);
    assert_eq!(class("...x", &["x...", "x..."]), Class::NonSubsumingDecoupled);
    // No test kills both members, so none can be strongly subsuming.
    assert_eq!(class("x..", &["x..", ".x."]), Class::WeaklySubsumingCoupled);
    // A member that no test kills, likewise.
    assert_eq!(class("x..", &["x..", "..."]), Class::NonSubsumingCoupled);
    assert_eq!(class("x..", &["xx.", "..."]), Class::WeaklySubsumingCoupled);
    // Order 3: all members' tests count.
    assert_eq!(class(".x..", &["xx..", ".xx.", ".x.x"]), Class::StronglySubsuming);
    assert_eq!(class("xx..", &["xx..", ".xx.", "xx.x"]), Class::WeaklySubsumingCoupled);
}

#[test]
fn subsumption_holds_across_words() {
    let n = 130;
    let members = [KillVector::of(n, [0, 63, 64, 129]), KillVector::of(n, [64, 127, 129])];
    let members: Vec<_> = members.iter().collect();
    assert_eq!(Class::of(&KillVector::of(n, [64, 129]), &members), Class::StronglySubsuming);
    assert_eq!(Class::of(&KillVector::of(n, [63, 129]), &members), Class::WeaklySubsumingCoupled);
    assert_eq!(Class::of(&KillVector::of(n, [128]), &members), Class::WeaklySubsumingDecoupled);
    assert_eq!(KillVector::of(n, [129, 0, 64]).iter().collect::<Vec<_>>(), [0, 64, 129]);
    assert_eq!(KillVector::of(n, [129, 0, 64]).len(), 3);
}

#[test]
fn what_is_unknown_is_judged_only_where_it_does_not_matter() {
    let judged = |tests: &str, members: &[&str]| {
        let homs = [Hom { members: (0..members.len() as u32).collect() }];
        judge(&homs, &matrix(members), &matrix(&[tests]))[0]
    };
    let unknown = Judgement { class: None, strong: None, masking: None };
    let not = Judgement { class: None, strong: Some(false), masking: Some(false) };
    let strong = Judgement { class: Some(Class::StronglySubsuming), strong: Some(true), masking: Some(true) };
    assert_eq!(judged(".x?.", &["xxx.", ".xx."]), strong, "whatever it does, both members die of it");
    assert_eq!(judged(".x.?", &["xxx.", ".xx."]), unknown, "it may be a test that kills no member");
    assert_eq!(judged("..?.", &["xxx.", ".xx."]), unknown, "it may survive");
    assert_eq!(judged("x.?.", &["xxx.", ".xx."]), not, "a test kills it and not the second member");
    assert_eq!(judged(".x..", &["xxx.", ".?x."]), unknown, "the test may not kill the second member");
    assert_eq!(judged(".x..", &["xxx?", ".xx."]), strong, "that test does not kill it");
    assert_eq!(judged("....", &["xxx?", ".xx."]), not, "it survived");
    assert_eq!(judged("x...", &["xxx?", ".xx."]), not);
    let alike = |masking| Judgement { masking, ..strong };
    assert_eq!(
        judged(".xx.", &[".xx.", ".xx."]),
        alike(Some(false)),
        "all three die of the same tests: none is masked"
    );
    assert_eq!(judged(".xx.", &["xxx.", ".xx."]), strong, "the first test is masked");
    assert_eq!(judged(".xx.", &["?xx.", ".xx."]), alike(None), "the first test may be masked");
    assert_eq!(judged(".x?.", &[".xx.", ".xx."]), alike(None), "the third test may be masked");
}

#[test]
fn a_set_is_summed_up() {
    let first_order = matrix(&["xxx.", ".xxx", "...."]);
    let homs: Vec<Hom> =
        [[0, 1], [0, 1], [0, 1], [0, 2], [1, 2], [0, 1]].map(|members| Hom { members: members.to_vec() }).to_vec();
    // The first two are the same mutant; the third stands for another one with the same kill vector.
    let mut homs = homs;
    homs[2].members = vec![1, 0];
    let outcomes = matrix(&[".x..", ".x..", ".x..", "x...", "....", "?..."]);
    let judged = judge(&homs, &first_order, &outcomes);
    let sum = Summary::of(&homs, &outcomes, &judged);
    assert_eq!((sum.n, sum.unknown, sum.survived), (6, 1, 1));
    assert_eq!((sum.strong, sum.masking, sum.distinct_strong, sum.strong_vectors, sum.vectors), (3, 3, 2, 1, 3));
    assert!((sum.d_score() - 0.6).abs() < 1e-12 && (sum.survival() - 0.2).abs() < 1e-12);
    assert_eq!(Summary::default().d_score(), 0.0);
}

proptest! {
    /// The definitions, element by element.
    #[test]
    fn classes_agree_with_sets_of_numbers(
        tests in prop::collection::btree_set(0u32..70, 0..6),
        members in prop::collection::vec(prop::collection::btree_set(0u32..70, 0..40), 2..4),
    ) {
        let vectors: Vec<_> = members.iter().map(|member| KillVector::of(70, member.iter().copied())).collect();
        let class = Class::of(&KillVector::of(70, tests.iter().copied()), &vectors.iter().collect::<Vec<_>>());
        let any: std::collections::BTreeSet<u32> = members.iter().flatten().copied().collect();
        let is_strong = !tests.is_empty() && tests.iter().all(|test| members.iter().all(|member| member.contains(test)));
        prop_assert_eq!(class == Class::StronglySubsuming, is_strong);
        prop_assert_eq!(class == Class::Survived, tests.is_empty());
        if !is_strong && !tests.is_empty() {
            let is_weak = matches!(class, Class::WeaklySubsumingCoupled | Class::WeaklySubsumingDecoupled);
            prop_assert_eq!(is_weak, tests.len() < any.len());
            let is_decoupled = matches!(class, Class::WeaklySubsumingDecoupled | Class::NonSubsumingDecoupled);
            prop_assert_eq!(is_decoupled, tests.is_disjoint(&any));
        }
    }

    /// A judgement with unknown tests holds for each way in which they may have come out.
    #[test]
    fn judgements_hold_whatever_the_unknown_tests_do(
        rows in prop::collection::vec(prop::collection::vec(0u8..4, 4), 3),
        fills in prop::collection::vec(any::<u16>(), 24),
    ) {
        let text = |row: &[u8]| row.iter().map(|c| ['.', 'x', 'x', '?'][*c as usize]).collect::<String>();
        let texts: Vec<String> = rows.iter().map(|row| text(row)).collect();
        let homs = [Hom { members: vec![0, 1] }];
        let judged = judge(&homs, &matrix(&[&texts[0], &texts[1]]), &matrix(&[&texts[2]]))[0];
        for fill in fills {
            let mut bits = (0..).map(|bit| if fill >> (bit % 16) & 1 == 1 { "x" } else { "." });
            let filled: Vec<String> = texts.iter().map(|text| {
                text.chars().map(|c| if c == '?' { bits.next().unwrap().to_string() } else { c.to_string() }).collect()
            }).collect();
            let truth = class(&filled[2], &[&filled[0], &filled[1]]);
            prop_assert!(judged.class.is_none_or(|class| class == truth));
            prop_assert!(judged.strong.is_none_or(|strong| strong == (truth == Class::StronglySubsuming)));
        }
    }
}
