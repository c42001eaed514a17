//! Structure against Algorithm 1 taken literally.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::naive::{self, Joint};
use super::{Campaign, campaigns};
use crate::causal::{Structure, StructureOptions, execution_order};

fn sorted(nodes: BTreeSet<u32>) -> Vec<u32> {
    nodes.into_iter().collect()
}

/// Checks every node's structure in `paper` mode and by default.
fn check(campaign: &Campaign) -> Result<(), TestCaseError> {
    let observations = campaign.observations();
    let joint = Joint::new(campaign);
    let paper = Structure::learn(&observations, &campaign.order, StructureOptions::paper());
    let default = Structure::learn(&observations, &campaign.order, StructureOptions::default());
    for effect in 0..=joint.n_nodes {
        let interventions = joint.intervention_parents(effect);
        let mutual = |cause: &u32| joint.intervention_parents(*cause).contains(&effect);
        for cause in 0..joint.n_nodes {
            prop_assert_eq!(paper.is_influenced(effect, cause), interventions.contains(&cause));
        }
        let mut parents = naive::markovian_parents(&joint, effect, &interventions, &campaign.order);
        parents.retain(|cause| !mutual(cause));
        prop_assert_eq!(paper.parents(effect), sorted(parents), "paper, {}", effect);

        let later = |cause: &u32| mutual(cause) && campaign.order[*cause as usize] > campaign.order[effect as usize];
        let (back, forward): (BTreeSet<u32>, BTreeSet<u32>) = interventions.iter().partition(|cause| later(cause));
        let parents = naive::markovian_parents(&joint, effect, &forward, &campaign.order);
        let known: Vec<u32> = parents.iter().copied().collect();
        prop_assert_eq!(default.parents(effect), known.clone(), "default, {}", effect);
        let about = joint.about(effect);
        let first: Vec<_> =
            about.into_iter().filter(|line| line.mutated.is_none_or(|mutated| back.contains(&mutated))).collect();
        let carried = naive::markovian_parents_among(&first, effect, &known, &back, &campaign.order);
        prop_assert_eq!(default.carried(effect), sorted(carried), "carried, {}", effect);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn structure_is_what_algorithm_1_finds(campaign in campaigns(7, 40)) {
        check(&campaign)?;
    }

    #[test]
    fn structure_spans_words(campaign in campaigns(150, 60), skip in 0u32..20) {
        if skip == 0 {
            check(&campaign)?;
        }
    }

    #[test]
    fn weights_that_share_no_small_unit_are_compared_exactly(mut campaign in campaigns(5, 25)) {
        // Primes whose product does not fit 64 bits.
        let primes = [4_294_967_291, 4_294_967_279, 4_294_967_231, 4_294_967_197, 4_294_967_189];
        campaign.samples.iter_mut().zip(primes).for_each(|(values, prime)| *values = prime);
        check(&campaign)?;
    }
}

#[test]
fn the_order_of_execution_follows_the_first_test_that_says_it() {
    assert_eq!(execution_order(6, &[vec![2, 0, 4], vec![2, 1, 4, 3]]), [2, 1, 0, 4, 3, u32::MAX]);
    assert_eq!(execution_order(2, &[]), [u32::MAX; 2]);
}

#[test]
fn without_any_test_nothing_has_a_cause() {
    let campaign = Campaign { samples: vec![1, 1], tests: Vec::new(), order: vec![0, 1] };
    for options in [StructureOptions::default(), StructureOptions::paper()] {
        let structure = Structure::learn(&campaign.observations(), &campaign.order, options);
        assert!((0..3).all(|node| structure.all_parents(node).is_empty() && structure.influences(node).is_empty()));
    }
}
