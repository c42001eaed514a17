//! What short answers look like, on hand-made rankings.

use super::text_tests::{SOURCE, claim, report};
use super::{BriefReport, BriefSources, Effect, Entry, RankingReport, Reason, change_in_short, write_brief};
use crate::store::TestRecord;
use crate::suite::Mismatch;

fn failing(name: &str) -> TestRecord {
    let mismatch = Mismatch::Line { line: 2, written: "3".into(), expected: "7".into() };
    TestRecord {
        name: name.into(),
        command: format!("./sum {name}"),
        passed: Some(false),
        verdict: format!("fail: output differs from {name}.out: {mismatch}"),
        mismatch: Some(mismatch),
        milliseconds: 1,
        processes: 1,
        state: 0,
        in_trials: None,
    }
}

fn brief(ranking: &RankingReport, tests: &[TestRecord], top: usize) -> BriefReport {
    let sources = BriefSources {
        failing: tests.iter().collect(),
        extent: &|_, _| Some((1, 6)),
        source: &|_| Some(SOURCE.to_string()),
    };
    BriefReport::new(ranking, &sources, top)
}

fn text(ranking: &RankingReport, tests: &[TestRecord], width: usize) -> String {
    let mut out = Vec::new();
    write_brief(&brief(ranking, tests, 3), ranking, width, &mut out).unwrap();
    anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
}

#[test]
fn the_answer_stands_on_a_screen() {
    let expected = "\
b fails: ./sum b
   - 7  (expected, line 2)
   + 3  (written, line 2)
so does c

sum()  sum.c:1-6                                                            84 %
  #1  83 %  4  return a - b;
                with `a + b`: the one failing test tried passes, the one passing
                test tried still does [00000000]
  #2  under 1 %  5  return a + b;
                no change here alters any passing test

Trust: 83 % that it is the first line, over 99 % that it is one of the first 3.
2 failing, 3 passing tests; 90 trials. One more failing test would help.

  suspect explain b                            how it comes about
  suspect replay 00000000 --patch | patch -p1  make the change
  suspect rank -v                              reasons, patches, untried changes
";
    assert_eq!(text(&report(), &["b", "c"].map(failing), 80), expected);
}

#[test]
fn no_answer_is_longer_than_a_screen_nor_wider() {
    let long = "a word ".repeat(200);
    for width in [40, 80, 120] {
        let mut ranking = report();
        let first = ranking.ranking[0].clone();
        ranking.ranking = (0..9u32)
            .map(|n| Entry {
                function: format!("f{n}_{}", "x".repeat(90)),
                rank_best: n + 1,
                rank_worst: n + 1,
                ..first.clone()
            })
            .collect();
        for entry in &mut ranking.ranking {
            entry.reasons[0].text.clone_from(&long);
            entry.reasons[0].claim = None;
        }
        ranking.confidence.as_mut().unwrap().next = vec![long.clone()];
        ranking.trials.as_mut().unwrap().finished = false;
        let mut tests: Vec<TestRecord> = (0..40).map(|n| failing(&format!("{n}{long}"))).collect();
        tests[0].mismatch =
            Some(Mismatch::Line { line: 1, written: "é".repeat(300), expected: "\u{4e2d}".repeat(300) });
        let text = text(&ranking, &tests, width);
        assert!(text.lines().count() <= 25, "{text}");
        // Commands and headings are not broken: they are copied.
        let prose = text.lines().filter(|line| !line.starts_with("  suspect ") && !line.starts_with('f'));
        assert!(prose.clone().all(|line| textwrap::core::display_width(line) <= width), "{text}");
    }
}

#[test]
fn ties_and_functions_are_told_whole_though_a_part_is_shown() {
    let mut ranking = report();
    let second = Entry { line: 90, last_line: 90, probability: Some(0.1), ..ranking.ranking[1].clone() };
    ranking.ranking.push(second);
    ranking.ranking[0].rank_worst = 4;
    let mut out = Vec::new();
    write_brief(&brief(&ranking, &["b"].map(failing), 1), &ranking, 80, &mut out).unwrap();
    let text = anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string();
    assert!(text.contains("  #1-4 83 %  4  return a - b;\n"), "{text}");
    assert!(text.contains(" 94 %\n"), "{text}");
}

#[test]
fn what_is_no_edit_is_told_in_a_sentence() {
    let mut ranking = report();
    let reason = &mut ranking.ranking[0].reasons[0];
    reason.text = "adding 1 to `h` makes b pass".into();
    reason.claim.as_mut().unwrap().edit = None;
    let text = text(&ranking, &["b"].map(failing), 80);
    assert!(text.contains("                adding 1 to `h` makes b pass [00000000]\n"), "{text}");
    assert!(text.contains("suspect replay 00000000                      see the change at work"), "{text}");
}

#[test]
fn what_breaks_other_tests_is_no_mend() {
    let mut ranking = report();
    let mut breaking = claim();
    breaking.outcomes[1].effect = Effect::Fails;
    ranking.ranking[0].reasons[0].claim = Some(breaking);
    let brief = brief(&ranking, &["b"].map(failing), 3);
    assert_eq!((brief.best.clone(), brief.places[0].mend.clone()), (None, None));
    assert_eq!(brief.places[0].reason, "only changes that break other tests mend it");
    assert!(!text(&ranking, &["b"].map(failing), 80).contains("a + b`"));
}

#[test]
fn what_mends_beside_a_line_is_not_the_lines_own() {
    let mut ranking = report();
    let beside = Reason { text: "in the line before it: with + instead of -, b passes".into(), claim: Some(claim()) };
    ranking.ranking[1].reasons = vec![beside];
    let brief = brief(&ranking, &["b"].map(failing), 3);
    assert!(brief.places[0].mend.is_some() && brief.places[1].mend.is_none());
    assert_eq!(brief.places[1].reason, "in the line before it: with + instead of -, b passes");
}

#[test]
fn ends_of_outputs_are_told_from_lines() {
    let shown = |mismatch| {
        let test = TestRecord { mismatch, ..failing("b") };
        let text = text(&report(), &[test], 80);
        text.lines().skip(1).take_while(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let ends = Mismatch::Ends { line: 3, expected: "x".into() };
    assert_eq!(shown(Some(ends)), ["   - x  (expected, line 3)", "   + (end of the output)  (written, line 3)"]);
    let goes_on = Mismatch::GoesOn { line: 3, written: "x".into() };
    assert_eq!(shown(Some(goes_on)), ["   - (end of the output)  (expected, line 3)", "   + x  (written, line 3)"]);
    let in_words = "   output differs from b.out: line 2 is `3`, expected `7`";
    assert_eq!(shown(Some(Mismatch::Break { line: 2, too_many: true })), [in_words]);
    assert_eq!(shown(None), [in_words]);
}

#[test]
fn for_programs_it_has_at_most_so_many_bytes() {
    let long = "long ".repeat(1000);
    let mut ranking = report();
    let first = ranking.ranking[0].clone();
    ranking.ranking = (0..5).map(|n| Entry { rank_best: n + 1, rank_worst: n + 1, ..first.clone() }).collect();
    ranking.ranking.iter_mut().for_each(|entry| entry.reasons[0].text.clone_from(&long));
    ranking.confidence.as_mut().unwrap().next = vec![long.clone()];
    let tests = [TestRecord { command: long.clone(), verdict: long, ..failing("b") }];
    let mut brief = brief(&ranking, &tests, 5);
    brief.keep_within(2000);
    assert!(serde_json::to_string(&brief).unwrap().len() <= 2000);
    assert!(brief.best.is_some() && brief.places.len() > 1 && brief.failure.as_ref().unwrap().line == Some(2));
    brief.failure.as_mut().unwrap().test = "long ".repeat(1000);
    brief.keep_within(2000);
    assert!(serde_json::to_string(&brief).unwrap().len() <= 2000);
}

#[test]
fn json_is_read_back_and_fits_the_schema_file() {
    let brief = brief(&report(), &["b"].map(failing), 5);
    let json = serde_json::to_value(&brief).unwrap();
    assert_eq!(serde_json::from_value::<BriefReport>(json.clone()).unwrap(), brief);
    let schema = schemars::schema_for!(BriefReport);
    let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/brief.schema.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), expected, "UPDATE_EXPECT=1 writes it anew");
    let validator = jsonschema::validator_for(&schema.to_value()).unwrap();
    assert!(validator.is_valid(&json));
}

#[test]
fn a_change_is_told_as_what_is_done_there() {
    let told = |original: &str, replacement: &str| {
        let mut claim = claim();
        let edit = claim.edit.as_mut().unwrap();
        (edit.original, edit.replacement) = (original.into(), replacement.into());
        change_in_short(&claim, None)
    };
    assert_eq!(told("a - b", "a + b"), "with `a + b` there");
    assert_eq!(told("if", "if (n == 0)\n    return 0; if"), "with `if (n == 0) return 0;` before it");
    assert_eq!(told(";", "; n++;"), "with `n++;` after it");
    assert_eq!(told("if", "while"), "with `while` instead of `if`");
    assert_eq!(told("n++;", ";"), "without `n++;`");
}
