//! What fails: each failing test with its command, its input and the first wrong line of its output.

use super::markup::Markup;
use crate::report::{OutputDifference, Report, TestInput, TestOutcome, TestResult};

/// Failing tests that are open at first, and those that are told.
const OPEN: usize = 2;
const MOST: usize = 100;

pub fn write(report: &Report, page: &mut Markup) {
    let failing: Vec<&TestResult> = report.tests.iter().filter(|test| test.outcome == TestOutcome::Failed).collect();
    if failing.is_empty() {
        return page.element("p", &[], |page| page.text("No test fails."));
    }
    let (first, rest) = failing.split_at(failing.len().min(OPEN));
    first.iter().for_each(|test| write_test(test, true, page));
    if !rest.is_empty() {
        page.element("details", &[("class", "rest")], |page| {
            page.element("summary", &[], |page| page.text(&format!("{} more", rest.len())));
            rest.iter().take(MOST).for_each(|test| write_test(test, false, page));
            if rest.len() > MOST {
                page.element("p", &[], |page| page.text(&format!("and {} more", rest.len() - MOST)));
            }
        });
    }
}

fn write_test(test: &TestResult, is_open: bool, page: &mut Markup) {
    let open = [("class", "failure"), ("open", "")];
    page.element("details", if is_open { &open } else { &open[..1] }, |page| {
        page.element("summary", &[], |page| {
            page.element("b", &[], |page| page.text(&test.name));
            page.text(" ");
            page.element("span", &[("class", "verdict failing")], |page| page.text(&verdict(test)));
        });
        page.element("p", &[], |page| page.command(&test.command));
        test.difference.iter().for_each(|difference| write_difference(difference, page));
        test.inputs.iter().for_each(|input| write_input(input, page));
    });
}

/// The verdict; where the difference is shown, only the line in which it is.
fn verdict(test: &TestResult) -> String {
    match &test.difference {
        Some(OutputDifference { line, expected, written }) if expected.is_some() || written.is_some() => {
            format!("line {line} of its output is wrong")
        }
        _ => test.verdict.clone(),
    }
}

fn write_difference(difference: &OutputDifference, page: &mut Markup) {
    let OutputDifference { expected, written, .. } = difference;
    if expected.is_none() && written.is_none() {
        return;
    }
    page.element("dl", &[("class", "difference")], |page| {
        for (class, what, text) in [("expected", "expected", expected), ("written", "written", written)] {
            page.element("dt", &[], |page| page.text(what));
            page.element("dd", &[("class", class)], |page| match text {
                Some(text) => page.element("code", &[], |page| page.text(text)),
                None => page.text("(end of the output)"),
            });
        }
    });
}

fn write_input(input: &TestInput, page: &mut Markup) {
    page.element("details", &[("class", "input")], |page| {
        page.element("summary", &[], |page| {
            page.text("input ");
            page.element("code", &[], |page| page.text(&input.path));
        });
        page.element("pre", &[("tabindex", "0")], |page| page.text(&input.text));
        if !input.is_whole {
            page.element("p", &[("class", "about")], |page| page.text("This is its beginning."));
        }
    });
}
