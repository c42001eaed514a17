//! `suspect replay`: every claim of a ranking holds when it is repeated, edits of the source do what was claimed when they are really made, and what does not
//! hold any more is said.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;
use suspect::report::{Claim, Effect};

use crate::all_evidence::{PARCELS, parcel, ranked};
use crate::project::{Project, line_of, text};

/// All claims that a ranking shows, by their ids.
fn claims(project: &Project) -> BTreeMap<String, Claim> {
    let report = ranked(project, &[]);
    let reasons = report.ranking.into_iter().flat_map(|entry| entry.reasons);
    reasons.filter_map(|reason| reason.claim).map(|claim| (claim.id.clone(), claim)).collect()
}

/// Names of the tests that pass when a patch is made and the program is built plainly.
fn passing_with(patch: &str) -> Vec<&'static str> {
    let project = Project::new();
    project.copy_program("parcel.c").write("edit.patch", patch);
    let run = |program: &str, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).current_dir(project.path()).output().unwrap();
        assert!(status.status.success(), "{}\n{patch}", text(&status));
    };
    run("patch", &["-p1", "--fuzz=0", "-i", "edit.patch"]);
    // Overflow wraps round, and locals begin as zero, where changes are tried.
    run("clang-19", &["-O0", "-w", "-fwrapv", "-ftrivial-auto-var-init=zero", "-o", "prog", "parcel.c"]);
    let passes = |(_, arguments, cost): &&(&str, &str, u32)| {
        let zone = arguments.split(' ').next().unwrap();
        let mut command = Command::new("timeout");
        command.arg("2").arg(project.path().join("prog")).args(arguments.split(' '));
        let output = command.output().unwrap();
        output.status.code().is_some_and(|code| !matches!(code, 124 | 129..=192))
            && output.stdout == format!("zone {zone}\ncost {cost}\n").as_bytes()
    };
    PARCELS.iter().filter(passes).map(|(name, ..)| *name).collect()
}

#[test]
fn every_claim_holds_when_it_is_repeated_and_edits_do_what_was_claimed() {
    let project = parcel();
    let claims = claims(&project);
    assert!(claims.len() >= 10, "{}", claims.len());
    let mut edits = 0;
    for (id, claim) in &claims {
        assert!(!claim.outcomes.is_empty());
        let said = project.succeed(&["replay", id]);
        assert_eq!(said.matches(", as claimed (").count(), claim.outcomes.len(), "{said}");
        let Some(patch) = &claim.patch else {
            let message = project.fail(&["replay", id, "--patch"], 1);
            assert!(message.contains("no edit of the source"), "{message}");
            continue;
        };
        edits += 1;
        assert_eq!(project.succeed(&["replay", id, "--patch"]), *patch);
        let passing = passing_with(patch);
        for outcome in &claim.outcomes {
            let expected = match outcome.effect {
                Effect::Passes => true,
                Effect::Fails => false,
                _ => outcome.passed_before,
            };
            assert_eq!(passing.contains(&outcome.test.as_str()), expected, "{patch}{outcome:?}");
        }
    }
    assert!(edits >= 3, "{edits} edits");
}

#[test]
fn one_test_its_output_and_the_first_digits_of_an_id() {
    let project = parcel();
    let claims = claims(&project);
    let fault = line_of("parcel.c", "kilos > 10");
    let repairs = |claim: &&Claim| u64::from(claim.line) == fault && claim.replacement == ">=";
    let claim = claims.values().find(repairs).expect("the repair");
    let said = project.succeed(&["replay", &claim.id[..9], "--test", "limit", "--keep-output"]);
    let expected = format!(
        "parcel.c:{fault}: `kilos > 10` becomes `kilos >= 10` [{}]\nlimit passes with it, as claimed (",
        claim.id
    );
    assert!(said.starts_with(&expected), "{said}");
    assert!(said.ends_with("--- limit: standard output, 14 bytes\nzone 1\ncost 9\n"), "{said}");
    let message = project.fail(&["replay", &claim.id, "--test", "nowhere"], 1);
    assert!(message.contains("--test nowhere") && message.contains("limit"), "{message}");
    assert!(project.fail(&["replay", "zzzz"], 1).contains("suspect rank"));
    // What --why shows can be repeated, too.
    let why: Value =
        serde_json::from_str(&project.succeed(&["rank", "--why", &format!("parcel.c:{fault}"), "--format", "json"]))
            .unwrap();
    let tried = why["tried"].as_array().unwrap();
    let still =
        |claim: &Value| claim["outcomes"].as_array().unwrap().iter().all(|outcome| outcome["effect"] != "passes");
    let other =
        tried.iter().map(|reason| &reason["claim"]).find(|claim| still(claim)).expect("a change without effect");
    let said = project.succeed(&["replay", other["id"].as_str().unwrap()]);
    assert!(said.contains(", as claimed (") && !said.contains("passes with it"), "{said}");
}

#[test]
fn what_does_not_hold_any_more_is_said() {
    let project = parcel();
    let nothing = project.fail(&["replay", "00"], 7);
    assert!(nothing.contains("nothing has been claimed yet") && nothing.contains("suspect rank"), "{nothing}");
    let claims = claims(&project);
    let flips = |claim: &&Claim| claim.replacement == ">=" && claim.original == ">";
    let id = claims.values().find(flips).expect("the repair").id.clone();
    // A parcel of 9 kg is no heavy one: the test still fails, and goes on to do so with the claimed repair.
    project.write("in/limit", "1 9 1");
    let output = project.suspect(&["replay", &id]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let said = text(&output);
    assert!(said.contains("limit runs with it as without it; the claim was that it passes with it ("), "{said}");
    assert!(said.contains("limits passes with it, as claimed ("), "{said}");
    assert!(said.contains("suspect: the claim does not hold any more: limit\n"), "{said}");
    project.write("in/limit", "1 10 1");
    // Another run of the tests, another build, a changed suite.
    project.succeed(&["test"]);
    assert!(project.fail(&["replay", &id], 8).contains("another build or another run of the tests"));
    project.succeed(&["rank"]);
    project.succeed(&["replay", &id]);
    let source = fs::read_to_string(project.path().join("parcel.c")).unwrap();
    project.write("parcel.c", &source.replace("cost = 12", "cost = 13"));
    project.succeed(&["build"]);
    assert!(project.fail(&["replay", &id], 8).contains("built again"));
    project.write(".suspect/claims.json", "{\"version\": 99, \"run\": 1}");
    assert!(project.fail(&["replay", &id], 7).contains("another version of suspect"));
    project.write(".suspect/claims.json", "{");
    assert!(project.fail(&["replay", &id], 7).contains("claims.json is damaged"));
    project.succeed(&["test"]);
    project.succeed(&["rank", "--no-trials"]);
}
