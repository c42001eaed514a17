//! CMake's regular expressions, as CTest's properties use them.

use regex::bytes::{Regex, RegexBuilder};

/// A CMake expression in the syntax of `regex`: the same operators (`^ $ . [] * + ? | ()`), of which CMake has no more, so
/// that braces and letters after a backslash stand for themselves; a dot matches a line break too.
///
/// # Errors
/// With what is wrong, when it is no expression.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(&translate(pattern))
        .unicode(false)
        .dot_matches_new_line(true)
        .build()
        .map_err(|e| format!("`{pattern}` is not a regular expression: {}", last_line(&e.to_string())))
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default().trim_start_matches("error: ")
}

fn translate(pattern: &str) -> String {
    let mut out = String::new();
    let mut characters = pattern.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' => literal(characters.next().unwrap_or('\\'), &mut out),
            '[' => {
                let mut class = String::new();
                // `]` first, or first after `^`, stands for itself.
                if characters.next_if_eq(&'^').is_some() {
                    class.push('^');
                }
                let negated = class.len();
                while let Some(c) = characters.next_if(|c| *c != ']' || class.len() == negated) {
                    // A range's hyphen alone keeps its meaning; the characters are otherwise their own.
                    if c != '-' && !c.is_alphanumeric() && c.is_ascii() && !c.is_ascii_control() && c != ' ' {
                        class.push('\\');
                    }
                    class.push(c);
                }
                characters.next();
                out.push_str(&format!("[{}]", hyphens(&class)));
            }
            '^' | '$' | '.' | '*' | '+' | '?' | '|' | '(' | ')' => out.push(c),
            c => literal(c, &mut out),
        }
    }
    out
}

/// Escapes hyphens that are no range: the first, and the last.
fn hyphens(class: &str) -> String {
    let (head, body) = match class.strip_prefix('^') {
        Some(body) => ("^", body),
        None => ("", class),
    };
    let body = match body.strip_prefix('-') {
        Some(rest) => format!("\\-{rest}"),
        None => body.to_owned(),
    };
    let body = match body.strip_suffix('-').filter(|rest| !rest.ends_with('\\')) {
        Some(rest) => format!("{rest}\\-"),
        None => body,
    };
    format!("{head}{body}")
}

fn literal(c: char, out: &mut String) {
    out.push_str(&regex::escape(&c.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        compile(pattern).unwrap().is_match(text.as_bytes())
    }

    #[test]
    fn operators_mean_the_same() {
        assert!(matches("^a.*b$", "a\nxb"));
        assert!(matches("(foo|ba+r)?x", "baaarx"));
        assert!(!matches("^b", "a\nb"));
        assert!(matches("[0-9]+ tests", "12 tests"));
        assert!(matches("[^]a]", "b") && !matches("[^]a]", "]a"));
        assert!(matches("[a-]", "-") && matches("[-a]", "-") && matches("[.^]", "^"));
    }

    #[test]
    fn what_is_no_operator_stands_for_itself() {
        assert!(matches("a{2}", "a{2}") && !matches("a{2}", "aa"));
        assert!(matches("\\d", "d") && !matches("\\d", "1"));
        assert!(matches("[\\d]", "\\") && !matches("[\\d]", "1"));
        assert!(matches("[[&&b]", "&") && matches("1\\.2", "1.2") && !matches("1\\.2", "1x2"));
        assert!(matches("é: done", "é: done"));
    }

    #[test]
    fn bad_expressions_are_errors() {
        assert!(compile("(a").unwrap_err().contains("`(a` is not a regular expression"));
        assert!(compile("*").is_err());
    }
}
