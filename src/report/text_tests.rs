//! What rankings look like, on a hand-made one.

use super::{
    Claim, ClaimedOutcome, Confidence, Effect, Entry, Evidence, MutantEdit, RankingReport, Reason, SCHEMA_VERSION,
    Score, TestCounts, TestGroup, TrialCounts, Within, write_ranking,
};

pub const SOURCE: &str = "int sum(int a, int b)\n{\n    if (a > 10)\n        return a - b;\n    return a + b;\n}\n";
const PATCH: &str = "--- a/sum.c\n+++ b/sum.c\n@@ -1,6 +1,6 @@\n {\n-        return a - b;\n+        return a + b;\n     return a + b;\n";

fn entry(line: u32, rank: (u32, u32), probability: Option<f64>) -> Entry {
    Entry {
        rank: f64::from(rank.0),
        rank_best: rank.0,
        rank_worst: rank.1,
        score: Score(probability.unwrap_or(0.5)),
        file: "sum.c".into(),
        line,
        last_line: line,
        function: "sum".into(),
        unit: format!("sum.c:{line}"),
        evidence: Evidence {
            failing_executed: 2,
            failing_total: 2,
            passing_executed: line - 3,
            passing_total: 3,
            failing_mean: None,
            passing_mean: None,
        },
        probability,
        reasons: Vec::new(),
    }
}

pub fn claim() -> Claim {
    let outcome = |test: &str, passed_before: bool, effect: Effect| ClaimedOutcome {
        test: test.into(),
        passed_before,
        effect,
        end: "exit status 0".into(),
        matched: None,
        carried_from: None,
    };
    Claim {
        id: "00000000deadbeef".into(),
        kind: "AOR".into(),
        file: "sum.c".into(),
        line: 4,
        original: "-".into(),
        replacement: "+".into(),
        instances: Vec::new(),
        outcomes: vec![outcome("b", false, Effect::Passes), outcome("a", true, Effect::Same)],
        edit: Some(MutantEdit {
            file: "sum.c".into(),
            line: 4,
            column: 16,
            end_line: 4,
            end_column: 21,
            original: "a - b".into(),
            replacement: "a + b".into(),
        }),
        patch: Some(PATCH.into()),
    }
}

pub fn report() -> RankingReport {
    let reason = |text: &str, claim: Option<Claim>| Reason { text: text.into(), claim };
    let mut first = entry(4, (1, 1), Some(0.834));
    first.reasons = vec![
        reason("with `+` instead of `-` both failing tests pass and none breaks", Some(claim())),
        reason("both failing tests execute it", None),
    ];
    let mut second = entry(5, (2, 2), Some(0.003));
    second.reasons = vec![reason("no change here alters any passing test", None)];
    RankingReport {
        schema_version: SCHEMA_VERSION,
        method: "all".into(),
        by: "line".into(),
        tie_breaker: "line".into(),
        tests: TestCounts { failing: 2, passing: 3, excluded: 0 },
        ranking: vec![first, second],
        trust: vec!["2 failing tests against 3 passing".into()],
        trials: Some(TrialCounts {
            candidates: 40,
            trials: 90,
            failing: 2,
            passing: 1,
            flips: 3,
            repairs: 1,
            carried_over: 0,
            finished: true,
            settled: false,
        }),
        confidence: Some(Confidence {
            lack: None,
            within: vec![Within { first: 1, probability: 0.834 }, Within { first: 3, probability: 0.999 }],
            next: vec!["one more failing test would help".into()],
        }),
        not_tried: vec!["strings".into()],
        groups: [("c", "sum.c:4", 0.91), ("b", "sum.c:5", 0.4)]
            .map(|(test, unit, probability)| TestGroup {
                tests: vec![test.into()],
                unit: Some(unit.into()),
                probability: Some(probability),
            })
            .to_vec(),
    }
}

fn text(report: &RankingReport, top: usize) -> String {
    let mut out = Vec::new();
    write_ranking(report, top, |_| Some(SOURCE.to_string()), &mut out).unwrap();
    anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
}

#[test]
fn a_place_has_its_probability_reasons_command_and_patch() {
    let text = text(&report(), 1);
    assert!(text.starts_with("suspect: #1 sum.c:4 in sum() (83 %)\n"), "{text}");
    assert!(text.contains("\n4 |         return a - b;"), "{text}");
    let reason = "  - with `+` instead of `-` both failing tests pass and none breaks\n      suspect replay 00000000deadbeef\n      \
                  --- a/sum.c\n      +++ b/sum.c\n";
    assert!(text.contains(reason), "{text}");
    assert!(text.contains("\n      -        return a - b;\n      +        return a + b;\n"), "{text}");
    assert!(text.contains("  - both failing tests execute it\n\n... and 1 more"), "{text}");
}

#[test]
fn what_is_shown_of_trust_is_what_is_known() {
    let text = text(&report(), 2);
    let expected = "how far to trust this:
  - 2 failing tests against 3 passing
  - 40 changes of the program were tried in 90 trials on 2 failing and 1 passing test: 3 make a failing test pass, 1 makes all of \
                    them pass and breaks no passing one tried
  - the fault is at the first line: 83 %, within the first 3: over 99 %
  - one more failing test would help
  - not tried: strings
";
    assert!(text.ends_with(expected), "{text}");
    let mut report = report();
    report.confidence.as_mut().unwrap().lack = Some("not enough runs to say".into());
    report.trials.as_mut().unwrap().finished = false;
    report.trials.as_mut().unwrap().flips = 0;
    let text = self::text(&report, 2);
    assert!(text.contains("  - not enough runs to say\n  - the fault is"), "{text}");
    assert!(text.contains("none make a failing test pass") && text.contains("`suspect rank` again goes on"), "{text}");
}

#[test]
fn lines_that_tie_share_their_reasons() {
    let mut report = report();
    let reason = report.ranking[0].reasons[1].clone();
    report.ranking = vec![entry(4, (1, 2), Some(0.4)), entry(5, (1, 2), Some(0.4))];
    for entry in &mut report.ranking {
        entry.reasons = vec![reason.clone()];
    }
    let text = text(&report, 1);
    assert!(text.starts_with("suspect: #1-2 2 lines of sum() (40 % each)\n"), "{text}");
    assert_eq!(text.matches("both failing tests execute it").count(), 1, "{text}");
}

#[test]
fn many_reasons_are_cut_and_said_to_be() {
    let mut report = report();
    report.ranking[0].reasons = (0..9).map(|n| Reason { text: format!("reason {n}"), claim: None }).collect();
    let text = text(&report, 1);
    assert!(text.contains("reason 4\n  - and 4 more (--why sum.c:4)\n"), "{text}");
}

#[test]
fn methods_without_probabilities_look_as_before() {
    let mut report = report();
    report.method = "ochiai".into();
    (report.trials, report.confidence) = (None, None);
    report.not_tried.clear();
    report.ranking = vec![entry(4, (1, 1), None)];
    let text = text(&report, 1);
    assert!(text.starts_with("suspect: #1 sum.c:4 in sum() (ochiai 0.5000)\n"), "{text}");
    assert!(text.ends_with("how far to trust this:\n  - 2 failing tests against 3 passing\n"), "{text}");
}

#[test]
fn one_change_was_tried_in_one_trial() {
    let trials = TrialCounts {
        candidates: 1,
        trials: 1,
        failing: 1,
        passing: 1,
        flips: 0,
        repairs: 1,
        carried_over: 0,
        finished: true,
        settled: false,
    };
    let text = super::reasons_text::tried(&trials);
    assert!(
        text.starts_with("1 change of the program was tried in 1 trial on 1 failing and 1 passing test: none make"),
        "{text}"
    );
}

#[test]
fn tabs_are_as_wide_as_terminals_show_them() {
    let tabs = SOURCE.replace("        return", "\treturn");
    let mut out = Vec::new();
    write_ranking(&report(), 1, |_| Some(tabs.clone()), &mut out).unwrap();
    let tabs = anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string();
    assert_eq!(tabs, text(&report(), 1));
}
