//! Unary operators around the whole value of a node.

use super::anchor::{Body, Draft};
use super::form::Form;
use super::junk::Junk;
use super::operator::Class;
use crate::program::{Node, NodeKind, OperationKind, Place};
use crate::source::{Expression, Insertion, Kind, LiteralValue};
use crate::trial::{Change, Override, Site};

/// Adds the mutants of a node's value.
pub(super) fn of_node(body: &Body, index: u32, drafts: &mut Vec<Draft>) {
    let node = &body.view.program.nodes[index as usize];
    if node.kind == NodeKind::Parameter || node.place.line == 0 || is_update(body, node) {
        return;
    }
    let value = value_of(body, node);
    for (insertion, change) in insertions(node) {
        let rewrite = value.and_then(|value| Ok(value.with_insertion(insertion, cast(body, node, value, insertion)?)));
        let (original, replacement) = match insertion {
            Insertion::Negate => ("e", "-e"),
            Insertion::Not => ("e", "!e"),
            Insertion::Complement => ("e", "~e"),
            Insertion::Increment => ("e", "e + 1"),
            Insertion::Decrement => ("e", "e - 1"),
        };
        drafts.push(Draft {
            class: Class::Uoi,
            place: node.place,
            function: body.index,
            node: Some(index),
            overriding: Override { site: Site::Node(index), instance: 0, change },
            original: original.to_owned(),
            replacement: replacement.to_owned(),
            rewrite,
        });
    }
}

/// What can be put around a node's value, and what it does.
fn insertions(node: &Node) -> Vec<(Insertion, Change)> {
    use Insertion::*;
    let of = |one: u64, less: u64| {
        vec![
            (Negate, Change::Negate),
            (Not, Change::Flip),
            (Increment, Change::Add(one)),
            (Decrement, Change::Add(less)),
        ]
    };
    match Form::of(node) {
        Form::Truth => vec![(Not, Change::Flip)],
        Form::Integer { width, .. } => {
            let mut all = of(1, u64::MAX >> (64 - width));
            all.insert(2, (Complement, Change::Complement));
            all
        }
        Form::Float { width: 32 } => of(u64::from(1f32.to_bits()), u64::from((-1f32).to_bits())),
        Form::Float { .. } => of(1f64.to_bits(), (-1f64).to_bits()),
        Form::Text | Form::Observed => Vec::new(),
    }
}

/// Whether a node's value is computed from what it was: `x += y`, `x++`. There is no expression to put an operator around.
fn is_update(body: &Body, node: &Node) -> bool {
    let found = body.text(node.place).ok().and_then(|text| text.operator_at(node.place.line, node.place.column));
    node.kind == NodeKind::Assignment
        && found.is_some_and(|found| {
            found.kind() == Kind::Update || found.computes().is_some() || found.kind() == Kind::Unary
        })
}

/// The expression whose value a node takes.
pub(super) fn value_of<'a>(body: &Body<'_, 'a>, node: &Node) -> Result<Expression<'a>, Junk> {
    let (text, line, column) = (body.text(node.place)?, node.place.line, node.place.column);
    let found = match node.kind {
        NodeKind::Parameter => None,
        NodeKind::Assignment => {
            let assigned = text.operator_at(line, column).filter(|found| found.operator() == "=");
            // A constant that goes on after it is assigned is not the node's.
            if body.is_constant(node) && assigned.is_some_and(Expression::is_used) {
                return Err(Junk::Part);
            }
            assigned.and_then(|found| found.right()).or_else(|| text.initializer_at(line, column))
        }
        NodeKind::Return => {
            let statement = text.statement_at(line, column).filter(|statement| statement.kind() == Kind::Return);
            statement.and_then(|statement| statement.expression())
        }
        NodeKind::Predicate if body.predicates_at(node.place) > 1 => return Err(Junk::Several),
        // A call's truth is tested where the statement begins.
        NodeKind::Predicate => {
            let whole = || text.subject_at(line, column).filter(|found| !matches!(found.operator(), "&&" | "||"));
            text.condition_at(line, column).or_else(whole)
        }
        NodeKind::Switch => text.switched_at(line, column),
    };
    found.ok_or_else(|| body.nothing(text, node.place))
}

/// The type to convert `value` to, so that what is put around it happens in the node's type, as it does at run time; `None` if it
/// comes to the same without.
fn cast<'n>(body: &Body, node: &'n Node, value: Expression, insertion: Insertion) -> Result<Option<&'n str>, Junk> {
    // What is switched on is only promoted, what is decided on is only tested.
    if matches!(node.kind, NodeKind::Switch | NodeKind::Predicate) {
        return Ok(None);
    }
    let form = Form::of(node);
    let is_bit_field = matches!(form, Form::Integer { width, .. } if ![8, 16, 32, 64].contains(&width));
    let typing = Typing { body, file: node.place.file };
    let same = match (form, typing.type_of(value, 0)) {
        (Form::Truth, _) => true,
        (Form::Integer { width, .. }, Some(Type::Integer(of))) if insertion == Insertion::Not => of <= width,
        (Form::Integer { width, .. }, Some(Type::Integer(of))) => of >= width,
        (Form::Float { width }, Some(Type::Float(of))) => of == width,
        _ => typing.is_of(value, &node.type_name),
    };
    match same {
        true => Ok(None),
        // A conversion to a bit-field's type keeps bits that the field does not have.
        false if is_bit_field && insertion == Insertion::Not => Err(Junk::NoText),
        // What is stored into a member may go by the type of a union around it.
        false
            if is_name_of_type(&node.type_name) && (of_name(&node.type_name).is_some() || !goes_into_member(value)) =>
        {
            Ok(Some(&node.type_name))
        }
        false => Ok(Some(plain_type(form))),
    }
}

/// The type of an expression after integer promotion, as far as text and operations tell.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    Integer(u32),
    Float(u32),
}

/// Types of expressions, as far as text and operations tell.
struct Typing<'b, 'v, 'a> {
    body: &'b Body<'v, 'a>,
    /// The file that the expressions are in.
    file: u32,
}

impl Typing<'_, '_, '_> {
    fn type_of(&self, value: Expression, depth: u32) -> Option<Type> {
        let value = value.unparenthesized();
        if depth > 32 {
            return None;
        }
        let inner = |operand: Option<Expression>| self.type_of(operand?, depth + 1);
        match value.kind() {
            Kind::Number | Kind::Character => value.literal().map(|literal| match literal.value {
                LiteralValue::Integer(_) => Type::Integer(literal.width),
                LiteralValue::Float(_) => Type::Float(literal.width),
            }),
            Kind::Unary if value.operator() == "!" => Some(Type::Integer(32)),
            Kind::Unary => inner(value.operand()),
            Kind::Binary if matches!(value.operator(), "&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">=") => {
                Some(Type::Integer(32))
            }
            Kind::Binary => self.of_operation(value),
            Kind::Conditional => {
                let (_, left, right) = value.choice()?;
                inner(left).filter(|left| inner(Some(right)) == Some(*left))
            }
            Kind::Identifier => of_name(self.variable(value)?),
            Kind::Cast => of_name(value.converts_to()?),
            _ => None,
        }
    }

    fn of_operation(&self, value: Expression) -> Option<Type> {
        let place = self.place(value.operator_place()?);
        self.body.operations_at(place).find_map(|(_, one)| match one.kind {
            OperationKind::Binary { operator, width, .. } if operator.token() == value.operator() => {
                let width = u32::from(width);
                Some(if operator.is_float() { Type::Float(width) } else { Type::Integer(width) })
            }
            _ => None,
        })
    }

    fn place(&self, (line, column): (u32, u32)) -> Place {
        Place { file: self.file, line, column }
    }

    /// The type of a variable that is read.
    fn variable(&self, name: Expression) -> Option<&str> {
        let variables = &self.body.view.program.functions[self.body.index as usize].variables;
        self.body.operations_at(self.place(name.place())).find_map(|(_, operation)| match operation.kind {
            OperationKind::Read { variable, .. } => {
                variables.get(variable as usize).filter(|one| name.is_named(&one.name)).map(|one| &*one.type_name)
            }
            _ => None,
        })
    }

    /// Whether an expression is of the type of this name: a variable of it, or converted to it.
    fn is_of(&self, value: Expression, name: &str) -> bool {
        let value = value.unparenthesized();
        match value.kind() {
            Kind::Identifier => self.variable(value) == Some(name),
            Kind::Cast => value.converts_to() == Some(name),
            _ => false,
        }
    }
}

/// Whether a value is assigned to a member of a structure or union.
fn goes_into_member(value: Expression) -> bool {
    let assignment = value.parenthesized().parent().filter(|parent| parent.kind() == Kind::Assignment);
    let target = assignment.and_then(Expression::left).map(Expression::unparenthesized);
    target.is_some_and(|target| target.kind() == Kind::Field)
}

/// A type of this name after integer promotion.
fn of_name(name: &str) -> Option<Type> {
    Some(match name {
        "int" | "unsigned int" | "short" | "unsigned short" | "char" | "signed char" | "unsigned char" | "_Bool" => {
            Type::Integer(32)
        }
        "long" | "unsigned long" | "long long" | "unsigned long long" | "long int" | "long unsigned int" => {
            Type::Integer(64)
        }
        "float" => Type::Float(32),
        "double" => Type::Float(64),
        _ => return None,
    })
}

/// Whether a type's name is one that a number can be converted to. One without a name has none, and what is stored into a
/// member of a union goes by the union's.
fn is_name_of_type(name: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | ' ');
    let is_aggregate = name.split(' ').any(|word| matches!(word, "struct" | "union"));
    !matches!(name, "" | "enum") && !is_aggregate && name.chars().all(is_plain)
}

/// A type of a value's width, for values whose type has no name: conversions to it keep the same bits.
fn plain_type(form: Form) -> &'static str {
    match form {
        Form::Integer { width, signed, .. } => match (width, signed) {
            (..=8, true) => "signed char",
            (..=8, false) => "unsigned char",
            (9..=16, true) => "short",
            (9..=16, false) => "unsigned short",
            (17..=32, true) => "int",
            (17..=32, false) => "unsigned int",
            (_, true) => "long",
            (_, false) => "unsigned long",
        },
        Form::Float { width: 32 } => "float",
        _ => "double",
    }
}
