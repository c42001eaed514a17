//! Constants of enumerations, and their values.

use std::collections::HashMap;

use super::expression::Expression;
use super::kind::{Field, Kind};
use super::literal::LiteralValue;
use super::text::Text;

/// Expressions nest at most this deep in a constant's value.
const DEPTH: u32 = 8;

impl Text {
    /// The constants of each enumeration, names and values in the order of the text. Enumerations are left out where directives or macros decide what they hold,
    /// and constants whose values the text does not tell.
    pub fn enumerations(&self) -> Vec<Vec<(&str, i64)>> {
        let mut lists: Vec<u32> = Vec::new();
        for (index, _) in (0..).zip(&self.nodes).filter(|(_, node)| node.kind == Kind::Enumerator) {
            if let Some(list) = self.parent(index).filter(|list| lists.last() != Some(list)) {
                lists.push(list);
            }
        }
        lists.into_iter().map(|list| self.constants_of(list)).filter(|constants| constants.len() > 1).collect()
    }

    fn constants_of(&self, list: u32) -> Vec<(&str, i64)> {
        let is_clear = |child: u32| matches!(self.node(child).kind, Kind::Enumerator | Kind::Token | Kind::Comment);
        let node = self.node(list);
        if node.flawed || self.is_conditional(node.span) || !self.children(list).all(is_clear) {
            return Vec::new();
        }
        let (mut next, mut known) = (Some(0i64), HashMap::new());
        let mut constants = Vec::new();
        for child in self.children(list).filter(|child| self.node(*child).kind == Kind::Enumerator) {
            let Some(name) = self.child(child, Field::Name).and_then(|name| self.slice(self.node(name).span)) else {
                return Vec::new();
            };
            if let Some(value) = self.child(child, Field::Value) {
                next = Expression::at(self, value).and_then(|value| value_of(value, &known, 0));
            }
            if let Some(value) = next {
                known.insert(name, value);
                constants.push((name, value));
            }
            next = next.and_then(|value| value.checked_add(1));
        }
        constants
    }
}

/// What an expression of literals and constants before it comes to.
fn value_of(value: Expression, known: &HashMap<&str, i64>, depth: u32) -> Option<i64> {
    let value = value.unparenthesized();
    if depth > DEPTH {
        return None;
    }
    let of = |part: Option<Expression>| value_of(part?, known, depth + 1);
    if let Some(LiteralValue::Integer(number)) = value.literal().map(|literal| literal.value) {
        return i64::try_from(number).ok();
    }
    match (value.kind(), value.operator()) {
        (Kind::Identifier, _) => known.get(value.source()).copied(),
        (Kind::Unary, "-") => of(value.operand())?.checked_neg(),
        (Kind::Binary, "+") => of(value.left())?.checked_add(of(value.right())?),
        (Kind::Binary, "-") => of(value.left())?.checked_sub(of(value.right())?),
        (Kind::Binary, "|") => Some(of(value.left())? | of(value.right())?),
        (Kind::Binary, "<<") => {
            let (bits, shift) = (of(value.left())?, u32::try_from(of(value.right())?).ok()?);
            (bits >= 0 && shift < 31).then(|| bits.checked_shl(shift))?
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_count_on_from_those_that_have_values() {
        let text = Text::parse("enum a { A, B = 7, C, D = -C, E = 1 << 3 | A, F };");
        assert_eq!(text.enumerations(), [vec![("A", 0), ("B", 7), ("C", 8), ("D", -8), ("E", 8), ("F", 9)]]);
        let text = Text::parse("enum { G = sizeof(int), H, I = 'x', J, K = Z + 1, L };");
        assert_eq!(text.enumerations(), [vec![("I", 120), ("J", 121)]]);
    }

    #[test]
    fn what_directives_decide_is_left_out() {
        assert_eq!(Text::parse("enum { A,\n#ifdef X\nB,\n#endif\nC, D };").enumerations().len(), 0);
        assert_eq!(Text::parse("enum { ONE }; int x;").enumerations().len(), 0);
    }
}
