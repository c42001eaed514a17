//! Whether an operator works on signed numbers, where the source has conversions that leave no trace in the code.
//!
//! The compiler tells signs by the variables that are read; `(unsigned)i` and `i` are the same bits. So what converts, or may (a macro), is
//! looked for in the text, and where it is found and cannot be understood, the sign is not known.

use super::anchor::View;
use crate::program::Signedness;
use crate::source::{Expression, Kind, Literal};

/// What an operand's text says of the sign of its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sight {
    /// It is an `int`, or converted to what the other operand is.
    Indifferent,
    /// What the compiler says.
    AsTold,
    /// It is converted to a signed type as wide as the operation.
    Signed,
    /// It is converted to an unsigned type as wide as the operation, or of one.
    Unsigned,
    /// There may be a conversion that cannot be seen.
    Hidden,
}

/// The signedness of an operator's operands, from `told`, which the compiler says, and the text. An operator that is itself
/// signed or unsigned needs no such question.
pub(super) fn of(view: &View, found: Expression, width: u32, told: Signedness) -> Signedness {
    let sights = match (found.computes(), found.left(), found.right()) {
        (Some("<<" | ">>"), Some(left), _) => [sight(view, left, width, 0), Sight::Indifferent],
        (_, Some(left), Some(right)) => [sight(view, left, width, 0), sight(view, right, width, 0)],
        _ => return told,
    };
    if sights.contains(&Sight::Hidden) {
        Signedness::Unknown
    } else if sights.contains(&Sight::Unsigned) {
        Signedness::Unsigned
    } else if sights.contains(&Sight::Signed) && told != Signedness::Signed {
        // What the compiler says may be about what was converted.
        if sights.contains(&Sight::AsTold) { Signedness::Unknown } else { Signedness::Signed }
    } else {
        told
    }
}

fn sight(view: &View, operand: Expression, width: u32, depth: u32) -> Sight {
    let operand = operand.unparenthesized();
    if depth > 32 {
        return Sight::Hidden;
    }
    let inner = |part: Option<Expression>| part.map_or(Sight::Hidden, |part| sight(view, part, width, depth + 1));
    match operand.kind() {
        Kind::Number | Kind::Character => operand.literal().map_or(Sight::Hidden, |literal| of_literal(literal, width)),
        Kind::Identifier => of_name(view, operand.source(), width),
        Kind::Call => match operand.callee().map(Expression::unparenthesized) {
            Some(callee) if callee.kind() == Kind::Identifier && view.is_macro(callee.source()) => Sight::Hidden,
            // What looks like a call may be a conversion to a type of this name.
            _ if operand.callee().is_some_and(|callee| callee.kind() == Kind::Parenthesized) => Sight::Hidden,
            _ => Sight::AsTold,
        },
        Kind::Subscript | Kind::Field | Kind::Pointer | Kind::Update => Sight::AsTold,
        Kind::Assignment => inner(operand.left()),
        Kind::Comma => inner(operand.right()),
        Kind::Unary if operand.operator() == "!" => Sight::Indifferent,
        Kind::Unary => inner(operand.operand()),
        Kind::Binary => match operand.operator() {
            "&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">=" => Sight::Indifferent,
            "<<" | ">>" => inner(operand.left()),
            _ => inner(operand.left()).max(inner(operand.right())),
        },
        Kind::Conditional => match operand.choice() {
            Some((_, Some(left), right)) => inner(Some(left)).max(inner(Some(right))),
            _ => Sight::Hidden,
        },
        Kind::Cast => operand.converts_to().map_or(Sight::Hidden, |name| of_type(name, width)),
        Kind::Prefixed if operand.source().starts_with("__extension__") => Sight::Hidden,
        // `sizeof` and its like are of type `size_t`.
        Kind::Prefixed => {
            if width <= 64 {
                Sight::Unsigned
            } else {
                Sight::Hidden
            }
        }
        _ => Sight::Hidden,
    }
}

fn of_literal(literal: Literal, width: u32) -> Sight {
    if literal.unsigned && literal.width >= width { Sight::Unsigned } else { Sight::Indifferent }
}

fn of_name(view: &View, name: &str, width: u32) -> Sight {
    match view.literal(name) {
        Some(literal) => of_literal(literal, width),
        None if view.is_macro(name) => Sight::Hidden,
        None => Sight::AsTold,
    }
}

/// A conversion to a type of this name, in an operation of `width` bits.
fn of_type(name: &str, width: u32) -> Sight {
    if name.ends_with('*') {
        return Sight::Unsigned;
    }
    let words = name.split_whitespace().filter(|word| !matches!(*word, "const" | "volatile" | "register"));
    let (of, unsigned) = match words.collect::<Vec<_>>().join(" ").as_str() {
        "char" | "signed char" | "unsigned char" | "short" | "unsigned short" | "short int" | "unsigned short int"
        | "int8_t" | "uint8_t" | "int16_t" | "uint16_t" | "_Bool" | "bool" => (16, false),
        "int" | "signed" | "signed int" | "int32_t" => (32, false),
        "unsigned" | "unsigned int" | "uint32_t" => (32, true),
        "long" | "long int" | "long long" | "long long int" | "signed long" | "int64_t" | "ssize_t" | "ptrdiff_t"
        | "intptr_t" | "intmax_t" => (64, false),
        "unsigned long"
        | "unsigned long int"
        | "unsigned long long"
        | "unsigned long long int"
        | "uint64_t"
        | "size_t"
        | "uintptr_t"
        | "uintmax_t" => (64, true),
        _ => return Sight::Hidden,
    };
    match (of < width, unsigned) {
        (true, _) => Sight::Indifferent,
        (false, true) => Sight::Unsigned,
        (false, false) => Sight::Signed,
    }
}
