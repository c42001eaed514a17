//! Chains of causes as numbered steps.

use super::markup::Markup;
use crate::report::{Explanation, Point, Report, Step};

pub fn write(report: &Report, page: &mut Markup) {
    for (number, chain) in (1..).zip(&report.explanations) {
        let id = format!("chain-{number}");
        page.element("article", &[("class", "chain"), ("id", &id)], |page| write_chain(&id, chain, page));
    }
}

fn write_chain(id: &str, chain: &Explanation, page: &mut Markup) {
    page.element("h3", &[], |page| {
        page.text("Why ");
        page.element("code", &[], |page| page.text(&chain.test));
        page.text(" fails");
        if !chain.against.is_empty() {
            page.text(", beside ");
            page.element("code", &[], |page| page.text(&chain.against));
        }
    });
    if !chain.effect.is_empty() {
        page.element("p", &[], |page| page.prose(&chain.effect));
    }
    page.element("ol", &[("class", "steps")], |page| {
        for (number, step) in (1..).zip(&chain.steps) {
            let attributes = [("id", format!("{id}-{number}"))];
            page.element("li", &[(attributes[0].0, attributes[0].1.as_str())], |page| write_step(step, page));
        }
    });
    for origin in &chain.origins {
        page.element("p", &[], |page| {
            page.text("What differs comes in at ");
            write_point(&origin.point, page);
            page.text(": ");
            page.prose(&origin.what.join("; "));
        });
    }
    page.element("ul", &[("class", "trust")], |page| {
        let verified =
            if chain.verified { "patched runs proved each step" } else { "no patched run proved every step" };
        let complete = if chain.complete { "" } else { "not everything was followed back to where it comes in" };
        let own = [verified, complete].into_iter().filter(|statement| !statement.is_empty());
        for statement in own.chain(chain.trust.iter().map(String::as_str)) {
            page.element("li", &[], |page| page.prose(statement));
        }
    });
    if !chain.command.is_empty() {
        page.element("p", &[], |page| page.command(&chain.command));
    }
}

fn write_step(step: &Step, page: &mut Markup) {
    page.element("p", &[], |page| {
        write_point(&step.effect_point, page);
        page.text(" because of ");
        write_point(&step.cause_point, page);
    });
    if !step.causes.is_empty() {
        page.table("What differs", &["What", "In the failing run", "In the other"], step.causes.len(), |at, page| {
            let cause = &step.causes[at];
            page.element("td", &[], |page| page.element("code", &[], |page| page.text(&cause.what)));
            page.cell(&cause.failing);
            page.cell(&cause.passing);
        });
    }
    for taken in &step.taken {
        page.element("p", &[], |page| page.prose(taken));
    }
    if !step.proof.is_empty() {
        page.element("p", &[("class", "about")], |page| page.text(&step.proof));
    }
}

fn write_point(point: &Point, page: &mut Markup) {
    match point.line {
        0 => page.text("the output"),
        line => page.place(&point.file, line),
    }
    if !point.text.is_empty() {
        page.text(" ");
        page.element("code", &[], |page| page.text(&shortened(&point.text)));
    }
    if point.instance > 0 {
        page.text(&format!(" at execution {}", point.instance));
    }
}

/// Characters of what is at a place; the table of the step before has all of it.
const MOST_CHARACTERS: usize = 120;

/// A text that is a list too long to be read, without its end.
fn shortened(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) else { return text.to_string() };
    let end = text[..end].rfind(", ").unwrap_or(end);
    format!("{}, \u{2026}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_lose_their_end() {
        assert_eq!(shortened("x is 1 here, 2 there"), "x is 1 here, 2 there");
        let long = "`\u{e4}` is 1 here, 2 there, ".repeat(9);
        let short = shortened(&long);
        assert!(short.chars().count() <= MOST_CHARACTERS + 3 && short.ends_with("there, \u{2026}"), "{short}");
        assert_eq!(shortened(&"\u{e4}".repeat(200)).chars().count(), MOST_CHARACTERS + 3);
    }
}
