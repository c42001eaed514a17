//! Operators of C: how tightly they bind.

use super::kind::Kind;

/// How tightly an expression binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precedence {
    /// `a, b`
    Comma,
    /// `a = b`
    Assignment,
    /// `a ? b : c`
    Conditional,
    /// `a || b`
    Or,
    /// `a && b`
    And,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
    /// `a & b`
    BitAnd,
    /// `a == b`
    Equality,
    /// `a < b`
    Relation,
    /// `a << b`
    Shift,
    /// `a + b`
    Sum,
    /// `a * b`
    Product,
    /// `-a`, `(int)a`
    Unary,
    /// `a[b]`, `a++`
    Postfix,
    /// `a`, `(a)`
    Primary,
}

use Precedence::*;

impl Precedence {
    /// That of a binary operator; `None` if `operator` is none.
    pub fn of_binary(operator: &str) -> Option<Precedence> {
        Some(match operator {
            "||" => Or,
            "&&" => And,
            "|" => BitOr,
            "^" => BitXor,
            "&" => BitAnd,
            "==" | "!=" => Equality,
            "<" | ">" | "<=" | ">=" => Relation,
            "<<" | ">>" => Shift,
            "+" | "-" => Sum,
            "*" | "/" | "%" => Product,
            _ => return None,
        })
    }

    /// That of an expression of `kind`, `operator` being that of a binary one and `prefix` telling `++a` from `a++`.
    pub(super) fn of_kind(kind: Kind, operator: &str, prefix: bool) -> Precedence {
        match kind {
            Kind::Binary => Precedence::of_binary(operator).unwrap_or(Comma),
            Kind::Comma => Comma,
            Kind::Assignment => Assignment,
            Kind::Conditional => Conditional,
            Kind::Unary | Kind::Pointer | Kind::Cast | Kind::Prefixed => Unary,
            Kind::Update if prefix => Unary,
            Kind::Update | Kind::Call | Kind::Subscript | Kind::Field => Postfix,
            _ => Primary,
        }
    }

    /// The next tighter one.
    pub(super) fn tighter(self) -> Precedence {
        const ORDER: [Precedence; 16] = [
            Comma,
            Assignment,
            Conditional,
            Or,
            And,
            BitOr,
            BitXor,
            BitAnd,
            Equality,
            Relation,
            Shift,
            Sum,
            Product,
            Unary,
            Postfix,
            Primary,
        ];
        ORDER.iter().copied().find(|one| *one > self).unwrap_or(Primary)
    }

    /// Whether compilers and readers ask for parentheses around an operand that binds like `inner`, though the
    /// language does not.
    pub(super) fn misleads_around(self, inner: Precedence) -> bool {
        match self {
            Or => inner == And,
            BitOr | BitXor | BitAnd => inner != self && inner > self && inner < Unary,
            Equality | Relation => matches!(inner, Equality | Relation),
            Shift => matches!(inner, Sum | Shift),
            _ => false,
        }
    }
}

/// The binary operator of a compound assignment (`+=` gives `+`); `None` for `=` and what is no assignment.
pub(super) fn of_compound(operator: &str) -> Option<&str> {
    operator
        .strip_suffix('=')
        .filter(|binary| matches!(*binary, "+" | "-" | "*" | "/" | "%" | "<<" | ">>" | "&" | "^" | "|"))
}
