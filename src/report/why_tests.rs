//! What is shown of one line, on hand-made ones.

use super::text_tests::{claim, report};
use super::{
    Before, Detail, Difference, Feature, Reason, Score, Standing, WHY_SCHEMA_VERSION, WhyNot, WhyReport, write_why,
};

fn why() -> WhyReport {
    let ranking = report();
    let mut entry = ranking.ranking[0].clone();
    entry.rank_worst = 2;
    let feature = |name: &str, value: f64, weight: f64| Feature {
        name: name.into(),
        value,
        weight,
        contribution: value * weight,
    };
    WhyReport {
        schema_version: WHY_SCHEMA_VERSION,
        entry,
        n_ranked: 12,
        spectra: vec![Standing { method: "ochiai".into(), score: Score(0.5), rank_best: 3, rank_worst: 5 }],
        features: vec![feature("flip", 1.0, 6.0), feature("flip share", 0.25, -2.0)],
        tried: vec![Reason { text: "with + instead of - both pass".into(), claim: Some(claim()) }],
        not_tried: vec!["3 changes here".into()],
        why_not: None,
        trials: ranking.trials,
        confidence: ranking.confidence,
    }
}

fn text(report: &WhyReport) -> String {
    let mut out = Vec::new();
    write_why(report, Some("        return a - b;"), Detail::All, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn all_that_is_known_is_there() {
    let text = text(&why());
    let head = "sum.c:4 in sum(): #1-2 of 12 lines, 83 %\n  return a - b;\n  executed by 2 of 2 failing, 1 of 3 passing tests\n  \
                by coverage alone: ochiai 0.5000 (#3-5)\n\nwhy it is there:\n  - with `+` instead of `-` both failing tests pass and none breaks\n";
    assert!(text.starts_with(head), "{text}");
    let score = "how its score, 5.50, comes about (probabilities are in proportion to exp(score), before what was not tried is counted):\n  \
                 flip           1.000 x   6.000 =    6.000\n  flip share     0.250 x  -2.000 =   -0.500\n";
    assert!(text.contains(score), "{text}");
    let tried = "the one change that was tried here:\n  - with + instead of - both pass\n      passes: b; runs as without it: a\n      \
                 suspect replay 00000000deadbeef\n  - not tried: 3 changes here\n";
    assert!(text.contains(tried), "{text}");
    assert!(text.contains("how far to trust this:\n  - 40 changes of the program"), "{text}");
}

#[test]
fn what_stands_before_it_is_shown_with_the_differences() {
    let mut report = why();
    report.tried.clear();
    report.why_not = Some(WhyNot {
        statements: vec!["nothing was tried here".into()],
        before: vec![Before {
            place: "sum.c:3".into(),
            rank: 1.0,
            probability: 0.5,
            reason: "x makes b pass".into(),
            differences: vec![Difference { name: "flip".into(), there: 1.0, here: 0.0, contribution: 6.0 }],
        }],
    });
    let text = text(&report);
    let not = "why it is not ranked higher:\n  - nothing was tried here\n\nwhat stands before it:\n  #1 sum.c:3 (50 %): x makes b pass\n      \
               flip: 1.000 there, 0.000 here (+6.00)\n\nnothing was tried here\n";
    assert!(text.contains(not), "{text}");
    assert!(!text.contains("how its score"), "{text}");
}

#[test]
fn on_a_screen_there_are_a_few_changes_and_no_numbers() {
    let mut report = why();
    report.tried = vec![report.tried[0].clone(); 9];
    let mut out = Vec::new();
    write_why(&report, None, Detail::Screen(80), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.lines().count() <= 25, "{text}");
    assert!(text.contains("the 9 changes that were tried here:") && text.contains("... and 7 more"), "{text}");
    assert!(!text.contains("how its score") && !text.contains("by coverage alone") && text.contains("`-v`"), "{text}");
}
