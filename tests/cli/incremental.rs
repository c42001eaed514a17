//! Nights after a small change: trials of what did not change are taken over and say so; what changed is tried anew, and unless the program is the
//! same so is every claim.

use std::fs;

use serde_json::Value;
use suspect::report::{Effect, RankingReport};

use crate::all_evidence::parcel;
use crate::nightly::night;
use crate::project::Project;

const NIGHT: [&str; 2] = ["--budget", "5min"];

/// The ranking of a night, and how many trials were run for it.
fn ranked(project: &Project, number: u32) -> (RankingReport, u64) {
    let said = night(project, &NIGHT, 2);
    let line = said.lines().find(|line| line.contains(" trials in ")).unwrap();
    let run = line.strip_prefix("suspect: ").unwrap().split(' ').next().unwrap().parse().unwrap();
    let path = project.path().join(format!(".suspect/runs/{number}/night.json"));
    let kept: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    (serde_json::from_value(kept["ranking"].clone()).unwrap(), run)
}

fn edit(project: &Project, file: &str, from: &str, to: &str) {
    let path = project.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

/// Outcomes of claims in a ranking: function and test of each, whether the test passed before, the effect, and from when it is.
fn outcomes(report: &RankingReport) -> Vec<(String, String, bool, Effect, Option<u64>)> {
    let mut found = Vec::new();
    for entry in &report.ranking {
        for outcome in entry.reasons.iter().filter_map(|reason| reason.claim.as_ref()).flat_map(|claim| &claim.outcomes)
        {
            let (passed, effect) = (outcome.passed_before, outcome.effect);
            found.push((entry.function.clone(), outcome.test.clone(), passed, effect, outcome.carried_from));
        }
    }
    found
}

/// A ranking without what says how old its trials are.
pub fn ageless(mut report: RankingReport) -> RankingReport {
    report.trust.retain(|line| !line.contains("carried over"));
    report.trials.as_mut().unwrap().carried_over = 0;
    for reason in report.ranking.iter_mut().flat_map(|entry| &mut entry.reasons) {
        for outcome in reason.claim.iter_mut().flat_map(|claim| &mut claim.outcomes) {
            outcome.carried_from = None;
        }
    }
    report
}

#[test]
fn trials_of_what_did_not_change_are_taken_over_and_claims_are_tried_again() {
    let project = parcel();
    let (first, run_first) = ranked(&project, 2);
    assert_eq!(first.trials.unwrap().carried_over, 0);
    // One fault makes both tests fail.
    let [group] = first.groups.as_slice() else { panic!("{:?}", first.groups) };
    assert!(group.tests.len() == 2 && group.unit.as_deref() == Some(first.ranking[0].unit.as_str()), "{group:?}");

    // Nothing changed at all: every claim was seen in this very program.
    let (second, run_second) = ranked(&project, 3);
    let trials = second.trials.unwrap();
    assert_eq!((run_second, trials.carried_over), (0, run_first));
    assert!(second.trust.iter().any(|line| line.contains("carried over from earlier nights")), "{:?}", second.trust);
    let began = outcomes(&second);
    assert!(!began.is_empty() && began.iter().all(|(.., from)| *from == Some(first_began(&project))), "{began:?}");
    assert_eq!(ageless(second), ageless(first.clone()), "what is taken over comes to the same");

    // No function changed, but the program did.
    let path = project.path().join("parcel.c");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "\nint limits[] = {10, 20};\n").unwrap();
    let (third, run_third) = ranked(&project, 4);
    assert!(0 < run_third && run_third < run_first / 2, "{run_third} of {run_first}");
    assert_eq!(third.trials.unwrap().carried_over + run_third, run_first);
    for (_, test, passed, effect, from) in outcomes(&third) {
        assert_eq!(from.is_none(), !passed && effect == Effect::Passes, "{test}");
    }
    let lines =
        |report: &RankingReport| report.ranking.iter().map(|entry| (entry.line, entry.probability)).collect::<Vec<_>>();
    assert_eq!(lines(&third), lines(&first));

    // What is tried in the changed function is tried anew.
    edit(&project, "parcel.c", "kilos > 10", "kilos >= 11");
    let (fourth, _) = ranked(&project, 5);
    let changed = outcomes(&fourth).into_iter().filter(|(function, ..)| function == "surcharge").collect::<Vec<_>>();
    assert!(!changed.is_empty() && changed.iter().all(|(.., from)| from.is_none()), "{changed:?}");
    assert!(fourth.trials.unwrap().carried_over > 0);

    // The age is that of the run that tried it, not of the one that had it last.
    let oldest = |report: &RankingReport| outcomes(report).into_iter().filter_map(|(.., from)| from).min();
    assert_eq!(oldest(&fourth), Some(first_began(&project)));
}

/// When the first night began, which was the second run.
fn first_began(project: &Project) -> u64 {
    let path = project.path().join(".suspect/runs/2/run.json");
    let run: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    run["began"].as_u64().unwrap()
}

#[test]
fn trials_on_a_test_that_changed_are_run_again() {
    let project = parcel();
    ranked(&project, 2);
    edit(&project, "expected/heavy", "cost 9", "cost 8");
    edit(&project, "in/light", "1 3 1", "1 4 1");
    let (second, _) = ranked(&project, 3);
    let outcomes = outcomes(&second);
    for name in ["heavy", "light"] {
        let of_test: Vec<_> = outcomes.iter().filter(|(_, test, ..)| test.contains(name)).collect();
        assert!(of_test.iter().all(|(.., from)| from.is_none()), "{name}: {of_test:?}");
    }
    assert!(second.trials.unwrap().carried_over > 0, "others are");
}
