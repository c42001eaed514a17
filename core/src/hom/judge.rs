//! What outcomes mean: subsumption, and how different mutants are from each other.

use std::collections::HashSet;

use serde::Serialize;

use super::kill::{KillMatrix, KillVector, Kills};
use super::pool::Hom;

/// What a higher-order mutant is to its members (Jia & Harman, Higher Order Mutation Testing). T_h is the set of tests that kill it,
/// T_i the set of those that kill member i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// ∅ ≠ T_h ⊆ ∩ T_i: each test that kills it kills each of its members.
    StronglySubsuming,
    /// |T_h| < |∪ T_i|, and T_h ∩ ∪ T_i ≠ ∅: fewer tests kill it than its members, some of them among those.
    WeaklySubsumingCoupled,
    /// |T_h| < |∪ T_i|, and T_h ∩ ∪ T_i = ∅: fewer tests kill it than its members, all of them others.
    WeaklySubsumingDecoupled,
    /// |T_h| ≥ |∪ T_i|, and T_h ∩ ∪ T_i ≠ ∅: no harder to kill than its members.
    NonSubsumingCoupled,
    /// |T_h| ≥ |∪ T_i|, and T_h ∩ ∪ T_i = ∅: tests kill it that kill none of its members.
    NonSubsumingDecoupled,
    /// T_h = ∅: no test kills it.
    Survived,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 6] = [
        Class::StronglySubsuming,
        Class::WeaklySubsumingCoupled,
        Class::WeaklySubsumingDecoupled,
        Class::NonSubsumingCoupled,
        Class::NonSubsumingDecoupled,
        Class::Survived,
    ];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Class::StronglySubsuming => "strongly subsuming",
            Class::WeaklySubsumingCoupled => "weakly subsuming, coupled",
            Class::WeaklySubsumingDecoupled => "weakly subsuming, decoupled",
            Class::NonSubsumingCoupled => "not subsuming, coupled",
            Class::NonSubsumingDecoupled => "not subsuming, decoupled",
            Class::Survived => "survived",
        }
    }

    /// The class of a mutant that `tests` kill, whose members are killed by these.
    pub fn of(tests: &KillVector, members: &[&KillVector]) -> Class {
        let Some((first, others)) = members.split_first() else { return Class::Survived };
        let (mut all, mut any) = ((*first).clone(), (*first).clone());
        for other in others {
            all.intersect(other);
            any.unite(other);
        }
        match (tests.is_empty(), tests.len() < any.len(), tests.is_disjoint(&any)) {
            (true, ..) => Class::Survived,
            _ if tests.is_subset(&all) => Class::StronglySubsuming,
            (_, true, false) => Class::WeaklySubsumingCoupled,
            (_, true, true) => Class::WeaklySubsumingDecoupled,
            (_, false, false) => Class::NonSubsumingCoupled,
            (_, false, true) => Class::NonSubsumingDecoupled,
        }
    }
}

/// What is known of a higher-order mutant from its outcome and those of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// Its class; `None` where a test's outcome is unknown that it may hang on.
    pub class: Option<Class>,
    /// Whether it is strongly subsuming, which may be known where the class is not.
    pub strong: Option<bool>,
    /// Whether it is strongly subsuming and masks a test, which kills a member and not the combination; `None` where that is unknown.
    /// Oh, Lee & Yoo, section II, count these: "at least one test that fails due to f1 and is masked".
    pub masking: Option<bool>,
}

/// Judges higher-order mutants: row i of `outcomes` is that of `homs[i]`, row m of `first_order` that of first-order mutant m.
///
/// # Panics
/// When the rows are not as many, a member has none, or the matrices are of different tests.
pub fn judge(homs: &[Hom], first_order: &KillMatrix, outcomes: &KillMatrix) -> Vec<Judgement> {
    assert_eq!(homs.len(), outcomes.rows().len(), "each higher-order mutant has one outcome");
    assert_eq!(first_order.n_tests(), outcomes.n_tests(), "both matrices have the same tests");
    let of = |(hom, kills): (&Hom, &Kills)| {
        let members: Vec<&Kills> = hom.members.iter().map(|member| &first_order.rows()[*member as usize]).collect();
        judge_one(kills, &members)
    };
    homs.iter().zip(outcomes.rows()).map(of).collect()
}

fn judge_one(kills: &Kills, members: &[&Kills]) -> Judgement {
    if kills.unknown.is_empty() && members.iter().all(|member| member.unknown.is_empty()) {
        let class = Class::of(&kills.killed, &members.iter().map(|member| &member.killed).collect::<Vec<_>>());
        let strong = Some(class == Class::StronglySubsuming);
        return Judgement { class: Some(class), strong, masking: is_masking(strong, kills, members) };
    }
    let strong = is_strong(kills, members);
    let class = (strong == Some(true)).then_some(Class::StronglySubsuming);
    Judgement { class, strong, masking: is_masking(strong, kills, members) }
}

/// Whether a mutant that is `strong` or not masks a test, whatever the unknown tests do.
fn is_masking(strong: Option<bool>, kills: &Kills, members: &[&Kills]) -> Option<bool> {
    if strong == Some(false) {
        return Some(false);
    }
    let possible = kills.possible();
    let masks_one = members.iter().any(|member| !member.killed.is_subset(&possible));
    let may_mask = members.iter().any(|member| !member.possible().is_subset(&kills.killed));
    match (strong, masks_one, may_mask) {
        (_, _, false) => Some(false),
        (Some(true), true, _) => Some(true),
        _ => None,
    }
}

/// Whether a mutant is strongly subsuming whatever the unknown tests do.
fn is_strong(kills: &Kills, members: &[&Kills]) -> Option<bool> {
    let possible = kills.possible();
    if possible.is_empty() || members.iter().any(|member| !kills.killed.is_subset(&member.possible())) {
        return Some(false);
    }
    let is_certain = !kills.killed.is_empty() && members.iter().all(|member| possible.is_subset(&member.killed));
    is_certain.then_some(true)
}

/// What a set of higher-order mutants is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Number of mutants.
    pub n: usize,
    /// How many are strongly subsuming.
    pub strong: usize,
    /// How many of these mask a test; of which that is unknown, none.
    pub masking: usize,
    /// How many of the strongly subsuming ones are different mutants.
    pub distinct_strong: usize,
    /// How many different kill vectors the strongly subsuming ones have.
    pub strong_vectors: usize,
    /// How many have a kill vector of which nothing is unknown.
    pub whole: usize,
    /// Number of different ones of these kill vectors, that of no test among them.
    pub vectors: usize,
    /// How many no test kills.
    pub survived: usize,
    /// How many are left out of everything else but `n` because whether they are strongly subsuming hangs on unknown tests.
    pub unknown: usize,
}

impl Summary {
    /// Of mutants, their outcomes and judgements, in the same order.
    pub fn of(homs: &[Hom], outcomes: &KillMatrix, judgements: &[Judgement]) -> Summary {
        let mutants = homs.iter().zip(outcomes.rows()).zip(judgements);
        mutants.map(|((hom, kills), judgement)| (hom, kills, *judgement)).collect()
    }

    /// dScore: distinct kill vectors for each mutant whose kill vector is known; 0 without any.
    pub fn d_score(&self) -> f64 {
        share(self.vectors, self.whole)
    }

    /// Share of the mutants that no test kills.
    pub fn survival(&self) -> f64 {
        share(self.survived, self.n - self.unknown)
    }
}

/// A part of a whole; 0 of nothing.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl<'a> FromIterator<(&'a Hom, &'a Kills, Judgement)> for Summary {
    fn from_iter<I: IntoIterator<Item = (&'a Hom, &'a Kills, Judgement)>>(mutants: I) -> Summary {
        let mut summary = Summary::default();
        let (mut strong, mut strong_vectors, mut vectors) = (HashSet::new(), HashSet::new(), HashSet::new());
        for (hom, kills, judgement) in mutants {
            summary.n += 1;
            let Some(is_strong) = judgement.strong else {
                summary.unknown += 1;
                continue;
            };
            summary.survived += usize::from(kills.killed.is_empty());
            summary.strong += usize::from(is_strong);
            summary.masking += usize::from(judgement.masking == Some(true));
            if is_strong {
                strong.insert(hom);
            }
            if kills.unknown.is_empty() {
                summary.whole += 1;
                vectors.insert(&kills.killed);
                if is_strong {
                    strong_vectors.insert(&kills.killed);
                }
            }
        }
        let distinct = [strong.len(), strong_vectors.len(), vectors.len()];
        Summary { distinct_strong: distinct[0], strong_vectors: distinct[1], vectors: distinct[2], ..summary }
    }
}
