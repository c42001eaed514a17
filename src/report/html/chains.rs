//! Chains of causes as numbered steps.

use std::ops::Range;

use super::markup::Markup;
use crate::report::explanation_text::{MOST_CAUSES, between, in_between};
use crate::report::{Cause, Explanation, Point, Report, Step};

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
    let between = between(chain.steps.len());
    page.element("ol", &[("class", "steps")], |page| {
        write_steps(id, chain, 0..between.start, page);
        if !between.is_empty() {
            page.element("li", &[], |page| {
                page.element("details", &[], |page| {
                    let what = in_between(&between, chain.steps[between.clone()].iter());
                    page.element("summary", &[], |page| page.text(&what));
                    page.element("ol", &[("class", "steps")], |page| write_steps(id, chain, between.clone(), page));
                });
            });
        }
        write_steps(id, chain, between.end..chain.steps.len(), page);
    });
    for (at, origin) in chain.origins.iter().enumerate() {
        let name = format!("{id}-origin");
        let attributes = [("class", "origin"), ("id", name.as_str())];
        page.element("p", if at == 0 { &attributes } else { &attributes[..1] }, |page| {
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

fn write_steps(id: &str, chain: &Explanation, steps: Range<usize>, page: &mut Markup) {
    for at in steps {
        let number = (at + 1).to_string();
        let attributes = [("id", &*format!("{id}-{number}")), ("data-step", &*number)];
        let source = if at + 1 < chain.steps.len() { format!("#{id}-{}", at + 2) } else { format!("#{id}-origin") };
        let source = Some(source).filter(|_| at + 1 < chain.steps.len() || !chain.origins.is_empty());
        page.element("li", &attributes, |page| write_step(&chain.steps[at], source.as_deref(), page));
    }
}

/// Further differences of a step that can be unfolded: a step may have a hundred, and a chain 200 steps.
const MOST_FOLDED: usize = 18;

/// A step; `source` is the address of what tells where its causes come from.
fn write_step(step: &Step, source: Option<&str>, page: &mut Markup) {
    page.element("p", &[], |page| {
        write_point(&step.effect_point, page);
        page.text(" because of ");
        write_point(&step.cause_point, page);
    });
    let (first, more) = step.causes.split_at(step.causes.len().min(MOST_CAUSES));
    write_causes(first, source, page);
    if !more.is_empty() {
        page.element("details", &[], |page| {
            page.element("summary", &[], |page| page.text(&format!("and {} more that differ", more.len())));
            let (folded, rest) = more.split_at(more.len().min(MOST_FOLDED));
            write_causes(folded, source, page);
            if !rest.is_empty() {
                page.element("p", &[], |page| page.text(&format!("{} more are in the report's JSON form", rest.len())));
            }
        });
    }
    for taken in &step.taken {
        page.element("p", &[], |page| page.prose(taken));
    }
    if !step.proof.is_empty() {
        page.element("p", &[("class", "about")], |page| page.text(&step.proof));
    }
}

fn write_causes(causes: &[Cause], source: Option<&str>, page: &mut Markup) {
    if causes.is_empty() {
        return;
    }
    let caption = if source.is_some() { "What differs; a value leads to where it comes from" } else { "What differs" };
    page.table(caption, &["What", "In the failing run", "In the other"], causes.len(), |at, page| {
        let cause = &causes[at];
        page.element("td", &[], |page| page.element("code", &[], |page| page.text(&cause.what)));
        for value in [&cause.failing, &cause.passing] {
            match source {
                Some(source) => page.element("td", &[], |page| {
                    page.element("a", &[("href", source)], |page| page.text(value));
                }),
                None => page.cell(value),
            }
        }
    });
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
    fn of_a_long_chain_the_middle_is_folded() {
        let causes = vec![Cause { what: "x".into(), ..Cause::default() }; 30];
        let point = |line| Point { file: "a.c".into(), line, ..Point::default() };
        let step = |line| Step { cause_point: point(line), causes: causes.clone(), ..Step::default() };
        let written = |n: u32| {
            let chain = Explanation { steps: (1..=n).map(step).collect(), ..Explanation::default() };
            let mut page = Markup::default();
            write_chain("chain-1", &chain, &mut page);
            page.finish()
        };
        assert!(!written(18).contains("more steps"));
        let page = written(20);
        let folded = page.find("<summary>13 to 14: 2 more steps, at a.c:13, 14</summary>").unwrap();
        let at = |number: u32| page.find(&format!("<li id=\"chain-1-{number}\" data-step=\"{number}\">")).unwrap();
        let end = folded + page[folded..].find("</ol>").unwrap();
        assert!(at(12) < folded && folded < at(13) && at(14) < end && end < at(15), "{page}");
        assert_eq!(page.matches("<summary>and 24 more that differ</summary>").count(), 20);
        assert_eq!(page.matches("<code>x</code>").count(), 20 * 24);
        assert_eq!(page.matches("6 more are in the report&#39;s JSON form").count(), 20);
    }

    #[test]
    fn long_lists_lose_their_end() {
        assert_eq!(shortened("x is 1 here, 2 there"), "x is 1 here, 2 there");
        let long = "`\u{e4}` is 1 here, 2 there, ".repeat(9);
        let short = shortened(&long);
        assert!(short.chars().count() <= MOST_CHARACTERS + 3 && short.ends_with("there, \u{2026}"), "{short}");
        assert_eq!(shortened(&"\u{e4}".repeat(200)).chars().count(), MOST_CHARACTERS + 3);
    }
}
