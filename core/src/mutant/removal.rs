//! Operators that are left out together with one of their operands, and assignments that become updates, or the other way round.
//!
//! At run time the operand that is left out is evaluated all the same, so only what has no effect can be left out; and the other one
//! keeps the type to which the operator converted it.

use super::anchor::DEPTH;
use super::candidate::Found;
use super::junk::Junk;
use super::operator::{Class, bits_of, number};
use super::sign;
use crate::program::{OperationKind, Operator, Place, Signedness};
use crate::source::{Expression, Kind, LiteralValue, plain};
use crate::trial::Change;

/// A type after integer promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Type {
    width: u32,
    is_float: bool,
    signed: bool,
}

const INT: Type = Type { width: 32, is_float: false, signed: true };

impl<'a> Found<'_, '_, 'a> {
    /// `a + b` becomes `a` or `b`, `a += b` becomes `a = b`.
    pub(super) fn without_operator(
        &mut self,
        found: Result<Expression<'a>, Junk>,
        operator: Operator,
        width: u32,
        signedness: Signedness,
    ) {
        if operator.is_comparison() {
            return;
        }
        // A shift's count has a type of its own.
        let is_shift = matches!(operator, Operator::Shl | Operator::SignedShr | Operator::UnsignedShr);
        let token = operator.token();
        if found.is_ok_and(|found| found.kind() == Kind::Assignment) {
            if !is_shift {
                let rewrite = found.map(|found| found.with_operator("="));
                self.push(Class::Asr, Change::Operator(Operator::Second), (&format!("{token}="), "="), rewrite);
            }
            return;
        }
        let of = Type { width, is_float: operator.is_float(), signed: signedness == Signedness::Signed };
        let of = (signedness != Signedness::Unknown || operator.is_float()).then_some(of);
        for (right, operand) in [(false, Operator::First), (true, Operator::Second)] {
            if right && is_shift {
                continue;
            }
            let prefix = found.and_then(|found| {
                let (kept, other) = sides(found, right)?;
                let converted = if is_shift { Some("") } else { self.conversion(kept, of) };
                converted.filter(|_| self.body.view.is_pure(other, 0)).ok_or(Junk::Part)
            });
            self.operand(found, token, right, prefix, Change::Operator(operand));
        }
    }

    /// `!a`, `-a` and `~a` become `a`.
    pub(super) fn without_unary(&mut self) {
        let found = self.body.written(self.operation.place, |found| found.kind() == Kind::Unary);
        let operand = found.and_then(|found| found.operand().ok_or(Junk::Made));
        let token = found.map_or("", Expression::operator);
        // `!` makes an `int` of all, the others keep the type.
        let converts = token == "!" && operand.is_ok_and(|operand| self.type_of(operand, 0) != Some(INT));
        let original = found.map_or_else(|_| format!("{token}a"), |found| plain(found.source()));
        let replacement = operand.map_or_else(|_| "a".to_owned(), |operand| plain(operand.source()));
        let rewrite = found.map(|found| found.with_operand(true, if converts { "(int)" } else { "" }));
        self.push(Class::Uod, Change::Operator(Operator::First), (&original, &replacement), rewrite);
    }

    /// `p + n` and `p - n` become `p`.
    pub(super) fn without_step(&mut self, found: Result<Expression<'a>, Junk>, token: &str) {
        let Ok(found) = found else { return };
        let Ok((left, right)) = sides(found, false) else { return };
        if found.kind() != Kind::Binary {
            return;
        }
        let is_number = |side: Expression| self.type_of(side, 0).is_some();
        let is_left = token == "-" || self.is_address(left) || is_number(right);
        let is_right = token == "+" && (self.is_address(right) || is_number(left));
        if is_left != is_right && self.body.view.is_pure(if is_left { right } else { left }, 0) {
            self.operand(Ok(found), token, is_right, Ok(""), Change::Left(0));
        }
    }

    /// `a && b` becomes `a` or `b`.
    pub(super) fn without_connector(&mut self, found: Result<Expression<'a>, Junk>, token: &str) {
        for (right, choice) in [(false, 2), (true, 3)] {
            let prefix = found.and_then(|found| {
                let (kept, other) = sides(found, right)?;
                let last = if right { kept } else { other };
                // The compiler takes it for `(a && b) && c`.
                let is_nested = last.unparenthesized().operator() == token;
                // A right operand that is left out is not evaluated.
                if is_nested || right && !self.body.view.is_pure(other, 0) {
                    return Err(Junk::Part);
                }
                Ok(if found.is_condition() || is_truth(kept) { "" } else { "!!" })
            });
            self.operand(found, token, right, prefix, Change::Choose(choice));
        }
    }

    /// `a = b` becomes `a += b` and the like.
    pub(super) fn assignment(&mut self, width: u32, is_float: bool, constant: Option<u64>) {
        use Operator::*;
        let found = self
            .body
            .written(self.operation.place, |found| found.kind() == Kind::Assignment && found.operator() == "=");
        let all: &[(Operator, &'static str)] = match is_float {
            true => &[(FloatAdd, "+="), (FloatSub, "-="), (FloatMul, "*=")],
            false => &[(Add, "+="), (Sub, "-="), (Mul, "*="), (Or, "|="), (And, "&=")],
        };
        for (operator, token) in all {
            if constant.is_some_and(|constant| is_idle(*operator, width, is_float, constant)) {
                continue;
            }
            let rewrite = found.and_then(|found| {
                let right = found.right().ok_or(Junk::Made)?;
                let target = found.left().map(Expression::unparenthesized);
                let name = target.filter(|target| target.kind() == Kind::Identifier);
                if name.is_some_and(|name| name.is_before_value_of(name.source())) {
                    return Err(Junk::Unset);
                }
                let keeps = constant.is_none() || !found.is_used() && self.keeps(right, width, is_float);
                if keeps { Ok(found.with_operator(token)) } else { Err(Junk::Part) }
            });
            self.push(Class::Asr, Change::Operator(*operator), ("=", token), rewrite);
        }
    }

    /// Whether a constant that is assigned is the same number before it is converted, for all that is known.
    fn keeps(&self, right: Expression, width: u32, is_float: bool) -> bool {
        match right.unparenthesized().literal().map(|literal| (literal.value, literal.width)) {
            Some((LiteralValue::Integer(_), _)) => true,
            Some((LiteralValue::Float(_), of)) => is_float && of <= width,
            None => !is_float || width == 64,
        }
    }

    fn operand(
        &mut self,
        found: Result<Expression<'a>, Junk>,
        token: &str,
        right: bool,
        prefix: Result<&'static str, Junk>,
        change: Change,
    ) {
        let kept = found.and_then(|found| Ok(sides(found, right)?.0));
        let original = found.map_or_else(|_| format!("a {token} b"), |found| plain(found.source()));
        let replacement = kept.map_or_else(|_| if right { "b" } else { "a" }.to_owned(), |kept| plain(kept.source()));
        let rewrite = found.and_then(|found| Ok(found.with_operand(right, prefix?)));
        self.push(Class::Bod, change, (&original, &replacement), rewrite);
    }

    /// What converts an operand to the type of its operation, `of`: nothing if it has it; `None` where that is not known.
    fn conversion(&self, operand: Expression, of: Option<Type>) -> Option<&'static str> {
        let of = of?;
        if self.type_of(operand, 0) == Some(of) {
            return Some("");
        }
        match (of.is_float, of.width, of.signed) {
            (true, 32, _) => Some("(float)"),
            (true, 64, _) => Some("(double)"),
            (false, 32, true) => Some("(int)"),
            (false, 32, false) => Some("(unsigned)"),
            (false, 64, true) => Some("(long)"),
            (false, 64, false) => Some("(unsigned long)"),
            _ => None,
        }
    }

    /// The type of an expression, as far as text and operations tell.
    fn type_of(&self, value: Expression, depth: u32) -> Option<Type> {
        let value = value.unparenthesized();
        if depth > DEPTH {
            return None;
        }
        match value.kind() {
            Kind::Number | Kind::Character => value.literal().map(|literal| Type {
                width: literal.width,
                is_float: matches!(literal.value, LiteralValue::Float(_)),
                signed: !literal.unsigned,
            }),
            Kind::Unary if value.operator() == "!" => Some(INT),
            Kind::Unary => self.type_of(value.operand()?, depth + 1),
            Kind::Binary if is_truth(value) => Some(INT),
            Kind::Binary => self.operation_type(value),
            Kind::Identifier => named(self.variable_type(value)?),
            Kind::Cast => named(value.converts_to()?),
            _ => None,
        }
    }

    fn operation_type(&self, value: Expression) -> Option<Type> {
        let place = self.place(value.operator_place()?);
        self.body.operations_at(place).find_map(|(_, one)| match one.kind {
            OperationKind::Binary { operator, width, signedness, .. } if operator.token() == value.operator() => {
                let (width, is_float) = (u32::from(width), operator.is_float());
                match sign::of(self.body.view, value, width, signedness) {
                    _ if is_float => Some(Type { width, is_float, signed: true }),
                    Signedness::Unknown => None,
                    known => Some(Type { width, is_float, signed: known == Signedness::Signed }),
                }
            }
            _ => None,
        })
    }

    fn variable_type(&self, name: Expression) -> Option<&'a str> {
        let program = self.body.view.program;
        let variables = &program.functions[self.body.index as usize].variables;
        self.body.operations_at(self.place(name.place())).find_map(|(_, one)| match one.kind {
            OperationKind::Read { variable, .. } => {
                variables.get(variable as usize).filter(|one| name.is_named(&one.name)).map(|one| &*one.type_name)
            }
            _ => None,
        })
    }

    fn place(&self, (line, column): (u32, u32)) -> Place {
        Place { file: self.operation.place.file, line, column }
    }
}

/// The operand of a binary expression that is kept, and the other one.
fn sides(found: Expression, right: bool) -> Result<(Expression, Expression), Junk> {
    let (left, other) = (found.left().ok_or(Junk::Made)?, found.right().ok_or(Junk::Made)?);
    Ok(if right { (other, left) } else { (left, other) })
}

/// Whether an expression comes to 0 or 1.
fn is_truth(value: Expression) -> bool {
    matches!(value.unparenthesized().operator(), "&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "!")
}

/// Whether an update by a constant leaves the variable as it is, or comes to the constant.
fn is_idle(operator: Operator, width: u32, is_float: bool, constant: u64) -> bool {
    let samples = [-3.5, 1.5, 1234.0].map(|value| match is_float {
        true => bits_of(crate::source::Number::Float { value, width }),
        false => bits_of(number(value as i64 as u64, width, false, true)),
    });
    let all = |to: fn(u64, u64) -> u64| {
        samples.iter().all(|before| operator.apply(width, *before, constant) == Some(to(*before, constant)))
    };
    all(|before, _| before) || all(|_, constant| constant)
}

/// A type of this name after integer promotion.
fn named(name: &str) -> Option<Type> {
    let integer = |width, signed| Some(Type { width, is_float: false, signed });
    match name {
        "int" | "short" | "unsigned short" | "char" | "signed char" | "unsigned char" | "_Bool" | "bool" => Some(INT),
        "unsigned int" | "unsigned" => integer(32, false),
        "long" | "long long" | "long int" => integer(64, true),
        "unsigned long" | "unsigned long long" | "long unsigned int" => integer(64, false),
        "float" => Some(Type { width: 32, is_float: true, signed: true }),
        "double" => Some(Type { width: 64, is_float: true, signed: true }),
        _ => None,
    }
}
