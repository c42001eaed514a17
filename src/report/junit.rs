//! The tests of a report as JUnit's XML, which CI systems show as a table of tests.

use std::fmt::Write;

use super::words::{place, suspicion};
use super::{Report, TestOutcome, TestResult, utc};

/// Suspects named with each failure.
const NAMED: usize = 5;

/// All tests; those that do not count are skipped, and failures name the first suspects.
pub fn report_junit(report: &Report) -> String {
    let seconds = |milliseconds: u64| format!("{:.3}", milliseconds as f64 / 1000.0);
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\"",
        report.tests.len(),
        report.n_tests(TestOutcome::Failed),
        report.n_tests(TestOutcome::Excluded),
        seconds(report.tests.iter().map(|test| test.milliseconds).sum())
    );
    let name = escaped(&report.project);
    let began = utc(report.recorded.began).replacen(' ', "T", 1).replace(" UTC", ":00Z");
    let suspects = suspects(report);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{name}\" {counts}>\n\
         <testsuite name=\"{name}\" {counts} timestamp=\"{began}\">\n"
    );
    for test in &report.tests {
        let head = format!(
            "<testcase name=\"{}\" classname=\"{name}\" time=\"{}\"",
            escaped(&test.name),
            seconds(test.milliseconds)
        );
        let written = match body(test, &suspects) {
            Some(body) => writeln!(text, "{head}>{body}</testcase>"),
            None => writeln!(text, "{head}/>"),
        };
        written.expect("a string takes all");
    }
    text + "</testsuite>\n</testsuites>\n"
}

/// What stands within a test's element, if anything.
fn body(test: &TestResult, suspects: &str) -> Option<String> {
    let verdict = escaped(&test.verdict);
    match test.outcome {
        TestOutcome::Passed => None,
        TestOutcome::Failed => Some(format!(
            "<failure message=\"{verdict}\" type=\"failure\">{}\n{suspects}</failure>",
            escaped(&format!("$ {}", test.command))
        )),
        TestOutcome::Excluded => Some(format!("<skipped message=\"{verdict}\"/>")),
    }
}

fn suspects(report: &Report) -> String {
    let Some(ranking) = &report.ranking else { return String::new() };
    let line = |(number, entry)| format!("suspect {number}: {} ({})\n", place(entry), suspicion(ranking, entry));
    escaped(&(1..).zip(report.top(NAMED)).map(line).collect::<String>())
}

/// `text` as character data or in quotes; what XML cannot say is a replacement character.
fn escaped(text: &str) -> String {
    let character = |c: char| match c {
        '&' => "&amp;".to_string(),
        '<' => "&lt;".to_string(),
        '>' => "&gt;".to_string(),
        '"' => "&quot;".to_string(),
        '\'' => "&apos;".to_string(),
        '\n' | '\t' => c.to_string(),
        c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => '\u{fffd}'.to_string(),
        c => c.to_string(),
    };
    text.chars().map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document_tests::{hostile, sample};

    #[test]
    fn a_reader_of_junit_finds_all_tests_with_their_outcomes() {
        for report in [sample(), hostile()] {
            let text = report_junit(&report);
            let read = junit_parser::from_reader(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let suite = &read.suites[0];
            let names: Vec<String> = suite.cases.iter().map(|case| case.name.clone()).collect();
            assert_eq!(names.len(), report.tests.len());
            assert_eq!((suite.tests, suite.failures, suite.skipped), (6, 2, 1));
            let status = |at: usize| suite.cases[at].status.clone();
            assert!(status(0).is_success() && status(1).is_failure() && status(5).is_skipped(), "{text}");
            assert_eq!(suite.cases[0].time, 0.012);
        }
        let text = report_junit(&sample());
        assert!(text.contains("suspect 1: sum.c:4 in sum() (83 %)"), "{text}");
    }
}
