//! A report as one HTML file: a page that can be read without scripts and styles, and what a script makes of it in a browser.
//!
//! `app/` has the script and the styles as they are written, `bundle/` what `app/build.mjs` makes of them; that is what goes into the page.
//! Nothing is loaded from elsewhere, and the page's own policy allows just this script and these styles, by their hashes.

mod chains;
mod data;
mod failures;
mod markup;
mod missing;
mod model;
mod nights;
mod since;
mod suspects;
mod tables;
#[cfg(test)]
mod tests;

use super::words::{count, sentence, since as since_in_words, tests as tests_in_words};
use super::{Report, TestOutcome, utc};
use markup::Markup;

const SCRIPT: &str = include_str!("bundle/page.js");
const STYLE: &str = include_str!("bundle/page.css");
/// The two sources that the page's policy allows, a line each: of the script, of the styles.
const SOURCES: &str = include_str!("bundle/sources.txt");

/// Sections with their headings, in the order of the page.
const SECTIONS: [(&str, &str); 10] = [
    ("failures", "What fails"),
    ("suspects", "Where to look"),
    ("causes", "Why it fails"),
    ("since", "Since last night"),
    ("nights", "Nights"),
    ("model", "What depends on what"),
    ("tests", "Tests"),
    ("missing", "Not looked at"),
    ("profiles", "Edge profiles"),
    ("methods", "Methods compared"),
];

/// Sections that are folded: who wants to compare methods looks for them.
const FOLDED: [&str; 2] = ["profiles", "methods"];

/// The page.
pub fn report_html(report: &Report) -> String {
    let mut page = Markup::new();
    page.raw("<!doctype html>\n");
    page.element("html", &[("lang", "en")], |page| {
        page.element("head", &[], |page| head(report, page));
        page.element("body", &[], |page| {
            header(report, page);
            page.element("main", &[("id", "main")], |page| {
                page.element("div", &[("id", "reading")], |page| sections(report, page));
                page.element("aside", &[("id", "source"), ("aria-label", "Source"), ("hidden", "")], |_| ());
            });
            footer(report, page);
            data::write(report, page);
            page.raw("<script>");
            page.raw(SCRIPT);
            page.raw("</script>\n");
        });
    });
    page.finish()
}

fn head(report: &Report, page: &mut Markup) {
    let mut sources = SOURCES.lines();
    let (script, style) = (sources.next().unwrap_or("'none'"), sources.next().unwrap_or("'none'"));
    let policy =
        format!("default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'");
    page.raw("<meta charset=\"utf-8\">\n");
    page.void("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
    page.void("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    page.void("meta", &[("name", "color-scheme"), ("content", "light dark")]);
    let title = format!("{}: {}", report.project, tests_in_words(report));
    page.element("title", &[], |page| page.text(&title));
    page.raw("<style>");
    page.raw(STYLE);
    page.raw("</style>\n");
}

fn header(report: &Report, page: &mut Markup) {
    page.element("header", &[("id", "top")], |page| {
        page.element("a", &[("class", "skip"), ("href", "#failures")], |page| page.text("To what fails"));
        page.element("h1", &[], |page| {
            page.element("span", &[("class", "project")], |page| page.text(&report.project));
            page.text(" ");
            let class = if report.n_tests(TestOutcome::Failed) > 0 { "verdict failing" } else { "verdict" };
            page.element("span", &[("class", class)], |page| page.text(&tests_in_words(report)));
        });
        page.element("p", &[("class", "about")], |page| {
            let build = &report.build;
            let n = |n: u32, one: &str, many: &str| count(n as usize, one, many);
            page.text(&format!(
                "Recorded {}; {} in {} of {}; build {}",
                utc(report.recorded.began),
                n(build.lines, "line", "lines"),
                n(build.functions, "function", "functions"),
                n(build.units, "unit", "units"),
                build.identity
            ));
        });
        if let Some(diff) = &report.since {
            page.element("p", &[("class", "since")], |page| page.text(&sentence(&since_in_words(diff))));
        }
        page.element("nav", &[("aria-label", "Sections")], |page| {
            page.element("ul", &[], |page| {
                for (id, heading) in SECTIONS.iter().filter(|(id, _)| has(report, id)) {
                    page.element("li", &[], |page| {
                        page.element("a", &[("href", &format!("#{id}"))], |page| page.text(heading));
                    });
                }
            });
        });
    });
}

/// Whether there is anything to say in a section.
fn has(report: &Report, section: &str) -> bool {
    match section {
        "causes" => !report.explanations.is_empty(),
        "since" => report.since.is_some(),
        "nights" => !report.nights.is_empty(),
        "model" => report.model.is_some(),
        "profiles" => !report.profiles.is_empty(),
        "methods" => !report.comparison.lines.is_empty(),
        _ => true,
    }
}

fn sections(report: &Report, page: &mut Markup) {
    for (id, heading) in SECTIONS.iter().filter(|(id, _)| has(report, id)) {
        let heading_id = format!("{id}-heading");
        page.element("section", &[("id", id), ("aria-labelledby", &heading_id)], |page| {
            page.element("h2", &[("id", &heading_id)], |page| page.text(heading));
            match FOLDED.contains(id) {
                true => page.element("details", &[("class", "folded")], |page| {
                    page.element("summary", &[], |page| page.text("Show"));
                    section(id, report, page);
                }),
                false => section(id, report, page),
            }
        });
    }
}

fn section(id: &str, report: &Report, page: &mut Markup) {
    match id {
        "failures" => failures::write(report, page),
        "suspects" => suspects::write(report, page),
        "causes" => chains::write(report, page),
        "since" => report.since.iter().for_each(|diff| since::write(diff, page)),
        "nights" => nights::write(report, page),
        "model" => model::write(report, page),
        "profiles" => tables::write_profiles(report, page),
        "methods" => tables::write_methods(report, page),
        "tests" => tables::write_tests(report, page),
        _ => missing::write(report, page),
    }
}

fn footer(report: &Report, page: &mut Markup) {
    page.element("footer", &[], |page| {
        page.element("p", &[], |page| {
            page.text(&format!("Made {} by suspect {}. ", utc(report.created), report.suspect_version));
            page.text("All of it as data: ");
            page.command("suspect report --format json --output report.json");
        });
    });
}
