//! What was not looked at, and so is cleared of nothing.

use super::markup::Markup;
use crate::report::Report;
use crate::report::words::not_looked_at;

pub fn write(report: &Report, page: &mut Markup) {
    let missing = &report.not_looked_at;
    let statements = not_looked_at(missing);
    page.element("p", &[], |page| {
        page.text(match statements.is_empty() {
            true => "Nothing was left out.",
            false => "What is named here is cleared of nothing. ",
        });
        page.command("suspect doctor");
    });
    page.element("ul", &[], |page| {
        statements.iter().for_each(|statement| page.element("li", &[], |page| page.prose(statement)));
    });
    let functions: Vec<String> = missing
        .functions
        .iter()
        .map(|left| format!("{}() at {}:{}: {}", left.name, left.file, left.line, left.reason))
        .collect();
    let units: Vec<String> = missing.units.iter().map(|left| format!("{}: {}", left.path, left.reason)).collect();
    list("Tests that do not count", &missing.tests, missing.tests.len(), page);
    list("Objects and programs without hooks", &units, units.len(), page);
    list("Functions left as they are", &functions, functions.len(), page);
    list("Functions that no test executes", &missing.uncovered, missing.n_uncovered as usize, page);
}

fn list(title: &str, items: &[String], n_all: usize, page: &mut Markup) {
    if items.is_empty() {
        return;
    }
    page.element("details", &[], |page| {
        page.element("summary", &[], |page| page.text(&format!("{title} ({n_all})")));
        page.element("ul", &[("class", "names")], |page| {
            items.iter().for_each(|item| page.element("li", &[], |page| page.text(item)));
        });
        if n_all > items.len() {
            page.element("p", &[], |page| page.text(&format!("and {} more", n_all - items.len())));
        }
    });
}
