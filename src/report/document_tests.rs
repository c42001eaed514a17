//! Reports: a hand-made one that the tests of all formats share, one whose names try to break out of every format, and reading back.

use super::text_tests;
use super::{
    Build, Cause, ChangedPlace, Commit, ComparedLine, ComparedMethod, Comparison, DIFF_SCHEMA_VERSION, DiffReport,
    Explanation, FunctionCoverage, FunctionLeft, FunctionProfile, NightName, NightPoint, NotLookedAt, OutputDifference,
    Place, Point, ProfileEdge, REPORT_SCHEMA_VERSION, Recorded, Report, ReportCommand, SourceFile, Step, TestChange,
    TestInput, TestOutcome, TestResult, UnitLeft,
};
use crate::history::{Change, Fate};

const SOURCE: &str = "int sum(int a, int b)\n{\n    if (a > 10)\n        return a - b;\n    return a + b;\n}\n";

fn test(name: &str, outcome: TestOutcome, verdict: &str) -> TestResult {
    let command = format!("./prog {name}");
    let failed = outcome == TestOutcome::Failed;
    TestResult {
        name: name.into(),
        command,
        outcome,
        verdict: verdict.into(),
        milliseconds: 12,
        processes: 1,
        difference: failed.then(|| OutputDifference {
            line: 3,
            expected: Some("total 12".into()),
            written: Some("total 8".into()),
        }),
        inputs: if failed { vec![input()] } else { Vec::new() },
    }
}

fn input() -> TestInput {
    TestInput { path: "in/3.txt".into(), text: "10 2\n".into(), is_whole: false }
}

fn point(line: u32, text: &str) -> Point {
    Point { file: "sum.c".into(), line, function: "sum".into(), instance: 1, text: text.into() }
}

/// Two of five tests fail because of a line of `sum.c`.
pub fn sample() -> Report {
    let ranking = text_tests::report();
    let step = Step {
        cause_point: point(3, "a > 10"),
        effect_point: point(4, "return a - b"),
        causes: vec![Cause { what: "a > 10".into(), failing: "true".into(), passing: "false".into() }],
        slice: vec![Place { file: "sum.c".into(), line: 3 }],
        model: "one patched run".into(),
        re_executions: 2,
        ..Step::default()
    };
    Report {
        schema_version: REPORT_SCHEMA_VERSION,
        suspect_version: "0.1.0".into(),
        project: "shop".into(),
        created: 1_772_348_700,
        recorded: Recorded { identity: "00000000000000aa".into(), began: 1_772_348_600, mode: "values".into() },
        build: Build {
            identity: "00000000000000bb".into(),
            units: 1,
            functions: 2,
            lines: 3,
            nodes: 4,
            ..Build::default()
        },
        tests: vec![
            test("a", TestOutcome::Passed, "passed"),
            test("b", TestOutcome::Failed, "failed: exit status 1"),
            test("c", TestOutcome::Failed, "failed: exit status 1"),
            test("d", TestOutcome::Passed, "passed"),
            test("e", TestOutcome::Passed, "passed"),
            test("f", TestOutcome::Excluded, "flaky: passed 1 of 2 times"),
        ],
        n_ranked: ranking.ranking.len() as u32,
        ranking: Some(ranking),
        no_ranking: None,
        commands: vec![ReportCommand {
            about: "sum.c:4".into(),
            what: "tell everything that is known about the line".into(),
            command: "suspect rank --why sum.c:4".into(),
        }],
        comparison: Comparison {
            methods: ["all_evidence", "ochiai"]
                .map(|id| ComparedMethod { id: id.into(), name: id.into(), family: "spectra".into() })
                .to_vec(),
            lines: vec![ComparedLine { file: "sum.c".into(), line: 4, ranks: vec![Some([1, 1]), None] }],
        },
        profiles: vec![FunctionProfile {
            function: "sum".into(),
            file: "sum.c".into(),
            line: 1,
            edges: vec![ProfileEdge { from: 3, to: 4, kind: "true".into(), failing: 1.0, passing: 0.0 }],
            left_out: 0,
        }],
        model: None,
        explanations: vec![Explanation {
            test: "b".into(),
            against: "a".into(),
            steps: vec![step],
            command: "suspect explain b".into(),
            trust: vec!["one run".into()],
            ..Explanation::default()
        }],
        since: Some(since()),
        nights: [(3, 3, Some(2)), (4, 2, Some(1))]
            .map(|(id, failing, rank)| NightPoint {
                id,
                began: 1_772_000_000 + id * 86_400,
                failing,
                passing: 5 - failing,
                excluded: 0,
                first: Some(0.83),
                rank,
            })
            .to_vec(),
        not_looked_at: NotLookedAt {
            functions: vec![FunctionLeft {
                name: "odd".into(),
                file: "sum.c".into(),
                line: 90,
                reason: "inline assembly with labels".into(),
            }],
            units: vec![UnitLeft { path: "fast.o".into(), reason: "made by another compiler".into() }],
            uncovered: vec!["sum.c:70 unused()".into()],
            n_uncovered: 1,
            uncovered_lines: 1,
            tests: vec!["f: flaky: passed 1 of 2 times".into()],
            statements: Vec::new(),
        },
        files: vec![SourceFile {
            path: "sum.c".into(),
            text: Some(SOURCE.into()),
            lines: vec![3, 4, 5, 70],
            failing: vec![2, 2, 0, 0],
            passing: vec![3, 0, 3, 0],
            functions: vec![
                FunctionCoverage { line: 1, last_line: 5, name: "sum".into(), tests: 5 },
                FunctionCoverage { line: 70, last_line: 70, name: "unused".into(), tests: 0 },
            ],
        }],
    }
}

/// The night before, one test failed of which nothing is known now, another one was mended, and a line changed.
fn since() -> DiffReport {
    let night = |id: u64, failing: u32| NightName {
        id,
        began: 1_772_000_000 + id * 86_400,
        revision: None,
        failing,
        passing: 5 - failing,
        excluded: 0,
    };
    let change = |name: &str, fate, before: Option<&str>, now: Option<&str>| TestChange {
        name: name.into(),
        fate,
        before: before.map(Into::into),
        now: now.map(Into::into),
    };
    DiffReport {
        schema_version: DIFF_SCHEMA_VERSION,
        older: night(3, 3),
        newer: night(4, 2),
        tests: vec![
            change("b", Fate::New, Some("passed"), Some("failed: exit status 1")),
            change("c", Fate::Still, Some("failed: exit status 1"), Some("failed: exit status 1")),
            change("d", Fate::Fixed, Some("failed: exit status 1"), Some("passed")),
            change("g", Fate::NotLookedAt, Some("failed: exit status 1"), None),
        ],
        suspicious: vec![ChangedPlace {
            rank: 1.0,
            probability: Some(0.834),
            file: "sum.c".into(),
            line: 4,
            function: "sum".into(),
            text: "return a - b;".into(),
            change: Change::Line,
            commit: Some(Commit { id: "0123456789abcdef".into(), author: "A".into(), subject: "Sum up".into() }),
        }],
        ranking: Vec::new(),
        changed_functions: vec!["sum".into()],
        gone_functions: Vec::new(),
        notes: vec!["1 test that failed was not looked at".into()],
    }
}

/// What would be markup, an attribute's end, a script's end, a shell's or XML's own in one format or another.
pub const HOSTILE: &str =
    "a\"b'<img src=x onerror=alert(1)></script><script>alert(2)</script>&amp;`]]>\u{1b}[31m\u{0}\u{202e}{{7*7}}$(id).c";

/// The same with names, sources and verdicts that try to break out of every format.
pub fn hostile() -> Report {
    let mut report = sample();
    report.project = HOSTILE.into();
    report.tests.iter_mut().for_each(|test| {
        test.name.push_str(HOSTILE);
        test.command.push_str(HOSTILE);
        test.verdict.push_str(HOSTILE);
        test.inputs.iter_mut().for_each(|input| {
            input.path.push_str(HOSTILE);
            input.text.push_str(HOSTILE);
        });
        test.difference.iter_mut().for_each(|difference| difference.written = Some(HOSTILE.into()));
    });
    for entry in report.ranking.iter_mut().flat_map(|ranking| &mut ranking.ranking) {
        entry.unit = format!("{HOSTILE}:{}", entry.line);
        entry.file = HOSTILE.into();
        entry.function = HOSTILE.into();
        entry.reasons.iter_mut().for_each(|reason| reason.text.push_str(HOSTILE));
    }
    report.files[0].path = HOSTILE.into();
    report.files[0].text = Some(format!("// {HOSTILE}\n").repeat(6));
    report.files[0].functions[0].name = HOSTILE.into();
    report.profiles[0].function = HOSTILE.into();
    report.profiles[0].file = HOSTILE.into();
    report.comparison.lines[0].file = HOSTILE.into();
    report.explanations[0].test = HOSTILE.into();
    report.explanations[0].steps[0].cause_point.file = HOSTILE.into();
    report.explanations[0].steps[0].cause_point.text = HOSTILE.into();
    report.explanations[0].steps[0].causes[0].failing = HOSTILE.into();
    if let Some(since) = &mut report.since {
        since.tests.iter_mut().for_each(|test| test.name.push_str(HOSTILE));
        since.suspicious[0].text = HOSTILE.into();
        since.suspicious[0].file = HOSTILE.into();
        since.changed_functions.push(HOSTILE.into());
        since.notes.push(HOSTILE.into());
    }
    for group in report.ranking.iter_mut().flat_map(|ranking| &mut ranking.groups) {
        group.tests.iter_mut().for_each(|test| test.push_str(HOSTILE));
        group.unit = Some(HOSTILE.into());
    }
    report.not_looked_at.statements.push(HOSTILE.into());
    report.not_looked_at.tests.push(HOSTILE.into());
    report.commands[0].command = HOSTILE.into();
    report
}

#[test]
fn a_report_is_read_back_as_it_was() {
    for report in [sample(), hostile(), Report { ranking: None, no_ranking: Some("all pass".into()), ..sample() }] {
        assert_eq!(Report::parse(report.to_json().as_bytes()).unwrap(), report);
    }
}

#[track_caller]
fn refused(text: &[u8], words: &str) {
    let error = Report::parse(text).unwrap_err().to_string();
    assert!(error.contains(words) && error.contains("suspect report --format json"), "{error}");
}

#[test]
fn what_is_no_report_of_this_version_is_refused() {
    let text = sample().to_json();
    for cut in [0, 1, text.len() / 2, text.len() - 3] {
        refused(&text.as_bytes()[..cut], "is no JSON");
    }
    refused(b"[1, 2]", "is no report: it is no object");
    refused(b"{\"schema_version\": 1}", "`suspect_version` is missing");
    refused(text.replace("\"schema_version\":1,\"suspect", "\"schema_version\":7,\"suspect").as_bytes(), "version 7");
    refused(text.replace("\"tests\":[", "\"tested\":[").as_bytes(), "missing field `tests`");
    let mut report = sample();
    report.files[0].failing.pop();
    refused(report.to_json().as_bytes(), "sum.c");
    let mut report = sample();
    report.comparison.lines[0].ranks.pop();
    refused(report.to_json().as_bytes(), "one rank for each method");
}

#[test]
fn text_tells_tests_ranking_chain_and_what_was_not_looked_at() {
    let mut bytes = Vec::new();
    super::write_report_text(&sample(), Some(5), super::Detail::All, &mut bytes).unwrap();
    let text = anstream::adapter::strip_bytes(&bytes).into_vec();
    let text = String::from_utf8(text).unwrap();
    for words in [
        "shop: 2 of 5 tests fail; 1 more does not count (2026-03-01 07:03 UTC)",
        "  b: failed: exit status 1",
        "the failing tests seem to fail for 2 reasons:\n  - c: sum.c:4 (91 %)\n  - b: sum.c:5 (40 %)",
        "since night 3 (2026-02-28 06:13 UTC): 1 fails now, 1 still fails, 1 fixed, 1 not looked at, so not resolved; functions changed: sum; \
         suspicious and changed: sum.c:4",
        "suspect: #1 sum.c:4",
        "why b fails, beside a:\n  1. sum.c:4 `return a - b` (execution 1) because of sum.c:3 `a > 10` (execution 1)",
        "     a > 10 is true, not false",
        "not looked at:\n  - 1 test that does not count",
    ] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
}

#[test]
fn of_long_chains_the_text_tells_both_ends_and_how_far_to_trust_them() {
    let mut report = sample();
    let chain = &mut report.explanations[0];
    let mut step = chain.steps[0].clone();
    step.causes = vec![step.causes[0].clone(); 8];
    chain.steps = vec![step; 30];
    chain.trust = vec!["found out 2 days before this run".into()];
    let mut text = Vec::new();
    super::write_report_text(&report, Some(5), super::Detail::All, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let told = "     and 2 more\n  13 to 24: 12 more steps, at sum.c:3 (--format json has all)\n  25. sum.c:4 ";
    assert!(text.contains(told) && !text.contains("\n  13. ") && text.contains("\n  30. "), "{text}");
    assert!(text.contains("\n  - found out 2 days before this run\n"), "{text}");
}
