//! A candidate in words.

use super::{Candidate, Kind};
use crate::mutant::Class;
use crate::program::{NodeKind, Program};
use crate::trial::Change;

/// What a candidate does, and how a sentence goes on after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// As `writing 2 here instead of 1`, or `with < instead of <=`.
    pub text: String,
    /// Whether it is something that makes tests pass, rather than something with which they pass.
    pub acts: bool,
}

/// Characters of source text that a sentence shows.
const SHOWN: usize = 60;

impl Phrase {
    /// Of a candidate.
    pub fn new(program: &Program, candidate: &Candidate) -> Phrase {
        let Candidate { original, replacement, .. } = candidate;
        let acting = |text| Phrase { text, acts: true };
        match candidate.kind {
            Kind::Predicate => acting(predicate(program, candidate)),
            Kind::Switch => {
                acting(format!("taking the other way at {} {}", quoted(original), executions(&candidate.instances)))
            }
            Kind::Call => acting(format!("leaving out the call {}", quoted(original))),
            Kind::Operation(Class::Sdl) => acting(format!("leaving out {}", quoted(original))),
            Kind::Operation(Class::Sin) => {
                let added =
                    |text: &str, side: &str| format!("putting {} {side} {}", quoted(text.trim()), quoted(original));
                let before = replacement.strip_suffix(original.as_str()).map(|text| added(text, "before"));
                let behind = || replacement.strip_prefix(original.as_str()).map(|text| added(text, "behind"));
                acting(before.or_else(behind).unwrap_or_default())
            }
            Kind::Operation(Class::Ngi | Class::Vgi) => acting(format!("putting {} here", quoted(replacement))),
            // Its operand has no name but in the source.
            Kind::Operation(Class::Uoi) if candidate.edit.is_some() => {
                let texts = candidate.edit.as_ref().map(|edit| told_apart(edit.replacement.trim(), &edit.original));
                let (replacement, original) = texts.unwrap_or_default();
                Phrase { text: format!("with {replacement} instead of {original}"), acts: false }
            }
            Kind::Operation(_) | Kind::Constant => {
                let (replacement, original) = told_apart(replacement, original);
                Phrase { text: format!("with {replacement} instead of {original}"), acts: false }
            }
            Kind::Value | Kind::Pointer => acting(value(program, candidate)),
        }
    }
}

fn change(candidate: &Candidate) -> Option<&Change> {
    candidate.mutant.overrides.first().map(|one| &one.change)
}

fn predicate(program: &Program, candidate: &Candidate) -> String {
    // What is computed there may be all that the original says.
    let node = candidate.node.and_then(|node| program.nodes.get(node as usize));
    let condition = node.map(|node| node.expression.as_str()).filter(|text| !text.is_empty());
    let condition = quoted(condition.unwrap_or(&candidate.original));
    match change(candidate) {
        Some(Change::Set(0)) => format!("taking {condition} for false"),
        Some(Change::Set(_)) => format!("taking {condition} for true"),
        _ => format!("negating {condition}"),
    }
}

fn value(program: &Program, candidate: &Candidate) -> String {
    let node = candidate.node.and_then(|node| program.nodes.get(node as usize));
    // What a generated parser keeps on its stack has no name.
    let named = node.filter(|node| !node.expression.is_empty());
    let what = named.map_or_else(|| "the value here".into(), |node| quoted(&node.expression));
    let Candidate { original, replacement, .. } = candidate;
    match change(candidate) {
        Some(Change::Add(_)) => match (replacement.strip_suffix(" more"), replacement.strip_suffix(" less")) {
            (Some(number), _) => format!("adding {number} to {what}"),
            (_, Some(number)) => format!("subtracting {number} from {what}"),
            _ => format!("adding another number to {what}"),
        },
        Some(Change::Negate) => format!("changing the sign of {what}"),
        Some(Change::Complement) => format!("inverting all bits of {what}"),
        Some(Change::Flip) => format!("negating {what}"),
        _ => {
            let is_value = node.is_none_or(|node| node.expression != *original) && !original.is_empty();
            let instead = if is_value { format!(" instead of {}", shortened(original)) } else { String::new() };
            let replacement = shortened(replacement);
            match node.map(|node| node.kind) {
                Some(NodeKind::Parameter) => format!("passing {replacement} for {what}{instead}"),
                Some(NodeKind::Return) => format!("returning {replacement}{instead}"),
                Some(NodeKind::Switch) => format!("switching on {replacement}{instead}"),
                _ if is_value => format!("writing {replacement} here{instead}"),
                _ if named.is_some() => format!("writing {replacement} to {what}"),
                _ => format!("writing {replacement} here"),
            }
        }
    }
}

/// As `at its 3rd execution`, `at its 1st and 4th executions`, `at its 2nd to 9th executions`.
fn executions(instances: &[u64]) -> String {
    if let [first, .., last] = instances
        && instances.len() > 2
        && last - first + 1 == instances.len() as u64
    {
        return format!("at its {} to {} executions", ordinal(*first), ordinal(*last));
    }
    let ordinals: Vec<String> = instances.iter().map(|n| ordinal(*n)).collect();
    match ordinals.as_slice() {
        [] => "at each execution".into(),
        [one] => format!("at its {one} execution"),
        [rest @ .., last] => format!("at its {} and {last} executions", rest.join(", ")),
    }
}

/// `1st`, `2nd`, `3rd`, ...
pub fn ordinal(n: u64) -> String {
    let ending = match (n % 10, n % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// Names and code in backquotes, operators and numbers as they are; one line, shortened.
fn quoted(text: &str) -> String {
    let text = shortened(text);
    let is_plain =
        |c: char| c.is_ascii_punctuation() && !matches!(c, '_' | '"' | '(' | ')' | '[' | ']') || c.is_ascii_digit();
    if text.chars().all(is_plain) { text } else { format!("`{text}`") }
}

/// Two texts, quoted; of long ones that begin alike, what is from a little before their difference on.
fn told_apart(one: &str, other: &str) -> (String, String) {
    if one == other || shortened(one) != shortened(other) {
        return (quoted(one), quoted(other));
    }
    let (one, other) = (in_words(one), in_words(other));
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let rest = |text: &str| {
        let rest: String = text.chars().skip(same.saturating_sub(SHOWN / 3)).collect();
        quoted(&format!("...{}", rest.trim_start()))
    };
    (rest(&one), rest(&other))
}

fn in_words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shortened(text: &str) -> String {
    let words = in_words(text);
    match words.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", words[..end].trim_end()),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executions_are_counted_as_people_count() {
        let ordinals = [1, 2, 3, 4, 11, 12, 13, 21, 102, 113].map(ordinal);
        assert_eq!(ordinals, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "113th"]);
        assert_eq!(executions(&[3]), "at its 3rd execution");
        assert_eq!(executions(&[1, 2, 7]), "at its 1st, 2nd and 7th executions");
    }

    #[test]
    fn code_is_quoted_and_operators_are_not() {
        assert_eq!(["<=", "-1", "i < n", "f(x)", "x"].map(quoted), ["<=", "-1", "`i < n`", "`f(x)`", "`x`"]);
        let long = quoted(&"a + ".repeat(30));
        assert!(long.len() < 70 && long.ends_with("...`"), "{long}");
    }

    #[test]
    fn long_texts_that_begin_alike_are_shown_where_they_differ() {
        let long = format!("({}b)", "a + ".repeat(30));
        let (replacement, original) = told_apart(&format!("{long} + 1"), &long);
        assert_eq!((&*replacement, &*original), ("`...+ a + a + a + a + b) + 1`", "`...+ a + a + a + a + b)`"));
        assert_eq!(told_apart("x + 1", "x"), ("`x + 1`".into(), "`x`".into()));
    }
}
