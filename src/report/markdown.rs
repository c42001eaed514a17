//! A report as the summary of a CI job: Markdown of at most ten lines.

use super::words::{group, not_looked_at, place, reasons, sentence, since, suspicion, tests, why};
use super::{Entry, RankingReport, Report};

/// Places that are shown.
const SHOWN: usize = 5;
/// Characters of one statement.
const LONGEST: usize = 300;

/// What to know in a minute: what fails, the first lines with the reason, what is new, what was not looked at.
pub fn write_report_markdown(report: &Report) -> String {
    let mut lines = vec![format!("### {}: {}", escaped(&report.project), escaped(&tests(report))), String::new()];
    match (&report.ranking, &report.no_ranking) {
        (Some(ranking), _) => {
            let grouped = reasons(ranking).map(|reasons| {
                let groups: Vec<String> = ranking.groups.iter().map(group).collect();
                format!("{}.", statement(&sentence(&format!("{reasons}: {}", groups.join("; ")))))
            });
            // Ten lines in all.
            let shown = SHOWN - usize::from(grouped.is_some());
            lines.extend(grouped);
            lines.extend((1..).zip(report.top(shown)).map(|(number, entry)| item(number, ranking, entry)));
        }
        (None, why) => lines.push(statement(why.as_deref().unwrap_or("no ranking"))),
    }
    let since = report.since.as_ref().map(|diff| format!("{}.", statement(&sentence(&since(diff)))));
    let statements = not_looked_at(&report.not_looked_at);
    let missing = (!statements.is_empty()).then(|| format!("Not looked at: {}.", statement(&statements.join("; "))));
    if since.is_some() || missing.is_some() {
        lines.push(String::new());
        lines.extend(since);
        lines.extend(missing);
    }
    lines.join("\n") + "\n"
}

fn item(number: usize, ranking: &RankingReport, entry: &Entry) -> String {
    let command = match entry.reasons.first().and_then(|reason| reason.claim.as_ref()) {
        Some(claim) => format!("suspect replay {}", claim.id),
        None => format!("suspect rank --why {}", super::shell_word(&entry.unit)),
    };
    let (place, suspicion) = (code(&place(entry)), escaped(&suspicion(ranking, entry)));
    format!("{number}. {place} ({suspicion}): {}; {}", statement(&why(entry)), code(&command))
}

/// A statement: what stands between backticks as code, the rest as plain text.
fn statement(text: &str) -> String {
    let short: String = match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_string(),
    };
    let parts = short.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 1 && !part.is_empty() { code(part) } else { escaped(part) }).collect()
}

/// `text` as code on one line, whatever it holds.
fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// `text` as plain text on one line.
fn escaped(text: &str) -> String {
    let special = |c: char| "\\`*_{}[]()#+!|~>".contains(c);
    let character = |c: char| match c {
        '<' => "&lt;".to_string(),
        '&' => "&amp;".to_string(),
        c if special(c) => format!("\\{c}"),
        c => c.to_string(),
    };
    one_line(text).chars().map(character).collect()
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document_tests::{hostile, sample};

    #[test]
    fn at_most_ten_lines_say_what_fails_where_and_why() {
        let text = write_report_markdown(&sample());
        assert!(text.lines().count() <= 10, "{text}");
        assert!(text.starts_with("### shop: 2 of 5 tests fail; 1 more does not count"), "{text}");
        assert!(
            text.contains("1. `sum.c:4 in sum()` (83 %): with `+` instead of `-` both failing tests pass"),
            "{text}"
        );
        assert!(text.contains("`suspect replay 00000000deadbeef`") && text.contains("Not looked at: "), "{text}");
        assert!(
            text.contains("\nThe failing tests seem to fail for 2 reasons: c: sum.c:4 \\(91 %\\); b: sum.c:5"),
            "{text}"
        );
        assert!(
            text.contains("\nSince night 3 ") && text.contains("1 fixed, 1 not looked at, so not resolved; "),
            "{text}"
        );
    }

    #[test]
    fn names_from_the_program_stay_text() {
        let text = write_report_markdown(&hostile());
        assert!(text.lines().count() <= 10, "{text}");
        // Markup is within code, or escaped.
        for line in text.lines() {
            let outside: String = line.split("``").step_by(2).flat_map(|part| part.split('`').step_by(2)).collect();
            assert!(!outside.contains("<img") && !outside.contains("<script"), "{line}");
        }
    }

    #[test]
    fn code_is_fenced_by_more_backticks_than_it_has() {
        assert_eq!((code("a"), code("a``b"), code("`")), ("`a`".into(), "```a``b```".into(), "`` ` ``".into()));
        assert_eq!(escaped("a*b<c\nd"), "a\\*b&lt;c d");
    }
}
