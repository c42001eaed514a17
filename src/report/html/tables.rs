//! Edge profiles, the comparison of methods, and the tests.

use super::markup::Markup;
use crate::report::words::rank;
use crate::report::{FunctionProfile, Report, TestOutcome, TestResult};

pub fn write_profiles(report: &Report, page: &mut Markup) {
    page.element("p", &[], |page| {
        page.text("How often failing and passing tests take the branches of the first functions, on average. ");
        page.command("suspect rank --method blockrank");
    });
    for (at, profile) in report.profiles.iter().enumerate() {
        let open = [("open", "")];
        page.element("details", if at == 0 { &open } else { &[] }, |page| write_profile(profile, page));
    }
}

fn write_profile(profile: &FunctionProfile, page: &mut Markup) {
    page.element("summary", &[], |page| {
        page.element("code", &[], |page| page.text(&format!("{}()", profile.function)));
        page.text(&format!(" {}:{}", profile.file, profile.line));
    });
    let caption = format!("Edges of {}()", profile.function);
    page.table(&caption, &["From", "To", "When", "Failing", "Passing"], profile.edges.len(), |at, page| {
        let edge = &profile.edges[at];
        for line in [edge.from, edge.to] {
            page.element("td", &[], |page| match line {
                0 => page.text("outside"),
                line => page.place(&profile.file, line),
            });
        }
        page.cell(&edge.kind);
        let most = edge.failing.max(edge.passing);
        for (mean, class) in [(edge.failing, "failing"), (edge.passing, "passing")] {
            page.element("td", &[("class", "number")], |page| {
                page.text(&mean_words(mean));
                let share = if most > 0.0 { mean / most } else { 0.0 };
                let (value, class) = (format!("{share:.3}"), format!("bar {class}"));
                page.element("meter", &[("class", &class), ("value", &value), ("aria-label", "share")], |_| ());
            });
        }
    });
    if profile.left_out > 0 {
        page.element("p", &[], |page| page.text(&format!("{} more edges differ less", profile.left_out)));
    }
}

fn mean_words(mean: f64) -> String {
    match mean.fract() == 0.0 {
        true => format!("{mean}"),
        false => format!("{mean:.2}"),
    }
}

pub fn write_methods(report: &Report, page: &mut Markup) {
    page.element("p", &[], |page| {
        page.text("Ranks of the first lines by each method; two numbers where lines tie. ");
        page.command("suspect methods");
    });
    let comparison = &report.comparison;
    let names = comparison.methods.iter().map(|method| method.id.as_str());
    let columns: Vec<&str> = std::iter::once("Line").chain(names).collect();
    page.table("Ranks by method", &columns, comparison.lines.len(), |at, page| {
        let line = &comparison.lines[at];
        page.element("th", &[("scope", "row")], |page| page.place(&line.file, line.line));
        for ranks in &line.ranks {
            match ranks {
                Some([best, worst]) if *worst <= 5 => {
                    page.element("td", &[("class", "number first")], |page| page.text(&rank(*best, *worst)));
                }
                Some([best, worst]) => page.number(&rank(*best, *worst)),
                None => page.number("–"),
            }
        }
    });
}

pub fn write_tests(report: &Report, page: &mut Markup) {
    let of = |outcome| report.tests.iter().filter(|test| test.outcome == outcome).collect::<Vec<&TestResult>>();
    let groups =
        [("failed", TestOutcome::Failed), ("do not count", TestOutcome::Excluded), ("passed", TestOutcome::Passed)];
    for (words, outcome) in groups {
        let tests = of(outcome);
        if tests.is_empty() {
            continue;
        }
        page.element("details", &[], |page| {
            page.element("summary", &[], |page| page.text(&format!("{} {words}", tests.len())));
            page.table(
                &format!("Tests that {words}"),
                &["Test", "Verdict", "ms", "Command"],
                tests.len(),
                |at, page| {
                    let test = tests[at];
                    page.element("th", &[("scope", "row")], |page| page.text(&test.name));
                    page.cell(&test.verdict);
                    page.number(&test.milliseconds.to_string());
                    page.element("td", &[], |page| page.command(&test.command));
                },
            );
        });
    }
}
