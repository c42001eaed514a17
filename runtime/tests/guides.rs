//! The guard rails of patched processes are those of the tool's own model, decision for decision.

#[path = "../src/record/guide.rs"]
mod guide;

use guide::{Guide, Runs, Way};
use proptest::prelude::*;
use suspect::comparison::{self, Side, Stop};
use suspect_format::plan::Divergence;

/// Decisions that both runs make alike, then where they part: how, and what each does alone.
#[derive(Clone, Debug)]
struct Part {
    alike: Vec<u32>,
    decided: bool,
    arms: [Vec<u32>; 2],
}

fn part() -> impl Strategy<Value = Part> {
    let outcomes = || prop::collection::vec(0u32..3, 0..4);
    (outcomes(), any::<bool>(), [outcomes(), outcomes()]).prop_map(|(alike, decided, arms)| Part {
        alike,
        decided,
        arms,
    })
}

/// The plan of runs that consist of these parts. The ways that a decision parts them are 0 and 1.
fn plan(parts: &[Part]) -> comparison::Plan {
    let mut plan = comparison::Plan { outcomes: [Vec::new(), Vec::new()], divergences: Vec::new() };
    for Part { alike, decided, arms } in parts {
        plan.outcomes.iter_mut().for_each(|outcomes| outcomes.extend(alike));
        let at = plan.outcomes.each_ref().map(|outcomes| outcomes.len() as u32);
        if !decided && arms.iter().all(Vec::is_empty) {
            continue;
        }
        for (side, outcomes) in plan.outcomes.iter_mut().enumerate() {
            outcomes.extend(decided.then_some(side as u32));
            outcomes.extend(&arms[side]);
        }
        let arms = arms.each_ref().map(|arm| arm.len() as u32);
        plan.divergences.push(comparison::Divergence { at, arms, decided: *decided });
    }
    plan
}

fn divergences(plan: &comparison::Plan) -> Vec<Divergence> {
    let convert = |divergence: &comparison::Divergence| Divergence {
        at: divergence.at,
        arms: divergence.arms,
        decided: u32::from(divergence.decided),
        reserved: 0,
    };
    plan.divergences.iter().map(convert).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn decides_as_the_model_does(parts in prop::collection::vec(part(), 0..6), computed in prop::collection::vec(0u32..3, 40), second in any::<bool>()) {
        let plan = plan(&parts);
        let divergences = divergences(&plan);
        let runs = Runs { outcomes: plan.outcomes.each_ref().map(Vec::as_slice), divergences: &divergences };
        let side = if second { Side::Second } else { Side::First };
        let (mut model, mut guide) = (comparison::Guide::new(&plan, side), Guide::default());
        for computed in computed {
            let expected = model.decide(computed);
            let way = guide.decide(&runs, side.index(), computed);
            prop_assert_eq!(way, match &expected {
                Ok(way) => Way::Goes(*way),
                Err(Stop::ControlConfounded) => Way::Confounded,
                Err(_) => Way::Desync,
            });
            if expected.is_err() {
                break;
            }
        }
    }

    /// A process that goes the way of its own run comes by each place where both runs are, also where the other one alone has decided.
    #[test]
    fn stands_where_both_runs_are(parts in prop::collection::vec(part(), 0..6), second in any::<bool>()) {
        let plan = plan(&parts);
        let divergences = divergences(&plan);
        let runs = Runs { outcomes: plan.outcomes.each_ref().map(Vec::as_slice), divergences: &divergences };
        let side = usize::from(second);
        let mut guide = Guide::default();
        let mut made = [0u64; 2];
        for Part { alike, decided, arms } in &parts {
            prop_assert!(guide.stands_at(&runs, side, made).is_some());
            for outcome in alike {
                prop_assert_eq!(guide.decide(&runs, side, *outcome), Way::Goes(*outcome));
                made = made.map(|count| count + 1);
            }
            if *decided {
                prop_assert_eq!(guide.decide(&runs, side, side as u32), Way::Goes(side as u32));
            }
            for outcome in &arms[side] {
                prop_assert_eq!(guide.stands_at(&runs, side, [made[0] + 99, made[1]]), None);
                prop_assert_eq!(guide.decide(&runs, side, 7), Way::Goes(*outcome), "an arm is not left");
            }
            for side in 0..2 {
                made[side] += u64::from(*decided) + arms[side].len() as u64;
            }
            if *decided {
                prop_assert_eq!(guide.stands_at(&runs, side, made), Some(side), "it comes from its own arm");
            }
        }
        prop_assert!(guide.stands_at(&runs, side, made).is_some());
        prop_assert_eq!(guide.decide(&runs, side, 0), Way::Desync);
    }
}
