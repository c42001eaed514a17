//! A second constant that a variable is compared with: `v == c` becomes `v == c || v == d`.

use super::candidate::{Found, literal_of};
use super::operator::{Class, bits_of};
use crate::program::Operator;
use crate::source::{Expression, Kind, Number, constant_text};
use crate::trial::Change;

/// A comparison that lets a second value in, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widened<'a> {
    /// The variable.
    pub variable: &'a str,
    /// The constant that it is compared with.
    pub constant: &'a str,
    equal: bool,
}

impl<'a> Widened<'a> {
    /// How the comparison reads.
    pub fn original(&self) -> String {
        let token = if self.equal { "==" } else { "!=" };
        format!("{} {token} {}", self.variable, self.constant)
    }

    /// How it reads with a second value.
    pub fn with(&self, second: &str) -> String {
        let (token, connector) = if self.equal { ("==", "||") } else { ("!=", "&&") };
        format!("{} {connector} {} {token} {second}", self.original(), self.variable)
    }

    /// The comparison that reads so, see [`Widened::original`].
    pub fn read(original: &'a str) -> Option<Widened<'a>> {
        let (variable, rest) = original.split_once(' ')?;
        let (token, constant) = rest.split_once(' ')?;
        Some(Widened { variable, constant, equal: token == "==" })
    }
}

impl<'a> Found<'_, '_, 'a> {
    /// `v == c` becomes `v == c || v == d`, where d is one more than c.
    pub(super) fn widened(&mut self, found: Expression<'a>, operator: Operator, constant: Number) {
        let (Some(left), Some(right)) = (found.left(), found.right()) else { return };
        let (variable, written) = (left.unparenthesized(), right.unparenthesized());
        let literal = literal_of(written).filter(|literal| literal.is(constant) && written.kind() != Kind::Named);
        let Number::Integer { bits, width, signed } = constant else { return };
        let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual) && width >= 8;
        let is_variable = variable.kind() == Kind::Identifier && !self.body.view.is_macro(variable.source());
        if !is_equality || !is_variable || literal.is_none() {
            return;
        }
        let second = Number::Integer { bits: bits.wrapping_add(1) & u64::MAX >> (64 - width), width, signed };
        let Some(text) = constant_text(second, literal) else { return };
        let (variable, constant) = (variable.source(), written.source());
        let made = Widened { variable, constant, equal: operator == Operator::Equal };
        let new = made.with(&text);
        let change = Change::Instead(bits_of(second), bits_of(Number::Integer { bits, width, signed }));
        let is_enclosed = found.parent().is_some_and(|around| around.kind() == Kind::Parenthesized);
        let rewrite = found.with_text(&if is_enclosed { new.clone() } else { format!("({new})") });
        self.push(Class::Dji, change, (&made.original(), &new), Ok(rewrite));
    }
}

#[cfg(test)]
mod tests {
    use super::super::code_tests::Snippet;
    use super::*;

    fn widened(body: &str, mark: &str, operator: Operator, right: u64) -> Vec<String> {
        Snippet::new(body).binary(mark, 2, operator, None, Some(right)).read_as(Class::Dji)
    }

    #[test]
    fn a_variable_is_compared_with_a_second_constant() {
        assert_eq!(
            widened("if (b && a == ':') b = 1;", "a ==", Operator::Equal, 58),
            ["if (b && (a == ':' || a == ';')) b = 1;"]
        );
        assert_eq!(widened("if (a == 7) b = 1;", "a ==", Operator::Equal, 7), ["if (a == 7 || a == 8) b = 1;"]);
        assert_eq!(widened("b = a != 7;", "a !=", Operator::NotEqual, 7), ["b = (a != 7 && a != 8);"]);
    }

    #[test]
    fn only_equality_of_a_variable_and_a_literal_is_widened() {
        for (body, mark, operator) in [
            ("b = a < 7;", "a <", Operator::SignedLess),
            ("b = *p == 7;", "p ==", Operator::Equal),
            ("b = a == LONG;", "a ==", Operator::Equal),
        ] {
            assert_eq!(widened(body, mark, operator, 7), [""; 0], "{body}");
        }
        assert_eq!(widened("#define a b\nb = a == 7;", "a ==", Operator::Equal, 7), [""; 0]);
    }

    #[test]
    fn what_is_written_can_be_read_again() {
        let read = Widened::read("ch == ':'").unwrap();
        assert_eq!(read, Widened { variable: "ch", constant: "':'", equal: true });
        assert_eq!(read.with("'.'"), "ch == ':' || ch == '.'");
    }
}
