//! Rewriting nodes of the tree, several at once, and the edits of the text that this comes to.

use std::collections::BTreeMap;

use super::edit::Edit;
use super::expression::{Expression, Statement};
use super::kind::{Field, Kind};
use super::operator::Precedence;
use super::text::{Span, Text};
use super::token;

/// One mutation of one expression or statement of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rewrite {
    /// The node; means something only for the text that it was made for.
    pub(super) node: u32,
    /// What becomes of it.
    pub what: What,
}

/// What a rewrite does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// The expression's operator becomes this one.
    Operator(&'static str),
    /// An operator is put before or after the expression.
    Insert {
        /// Which.
        insertion: Insertion,
        /// The type to which the expression is converted first, as C text: that of what it is assigned to, where its own is not known
        /// to be the same.
        cast: Option<Box<str>>,
    },
    /// The expression becomes its left or right operand.
    Operand {
        /// Whether it is the right one.
        right: bool,
        /// What is put before the operand: a conversion or unary operators.
        prefix: &'static str,
    },
    /// The expression becomes this one, which binds as tightly as a name.
    Text(Box<str>),
    /// The variable counts up or down when it is read.
    Step {
        /// `++` or `--`.
        operator: &'static str,
        /// Whether it stands before the variable.
        prefix: bool,
    },
    /// The statement becomes `;`.
    Delete,
    /// Another statement stands beside it.
    Beside {
        /// That one.
        text: Box<str>,
        /// Whether it stands behind it.
        behind: bool,
    },
}

/// What can be put around a whole expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Insertion {
    /// `-e`
    Negate,
    /// `!e`
    Not,
    /// `~e`
    Complement,
    /// `e + 1`
    Increment,
    /// `e - 1`
    Decrement,
}

/// Why rewrites cannot be made together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Clash {
    /// Two change the same thing.
    #[error("two of the mutations change the same expression")]
    Same,
    /// There is no text for one of them, or it is not UTF-8.
    #[error("one of the mutations cannot be written as source text")]
    NoText,
}

impl Expression<'_> {
    /// The rewrite by which the operator becomes `operator`, of the same number of operands.
    pub fn with_operator(self, operator: &'static str) -> Rewrite {
        Rewrite { node: self.index, what: What::Operator(operator) }
    }

    /// The rewrite that puts an operator around the whole expression.
    pub fn with_insertion(self, insertion: Insertion, cast: Option<&str>) -> Rewrite {
        Rewrite { node: self.index, what: What::Insert { insertion, cast: cast.map(Box::from) } }
    }

    /// The rewrite by which a binary or unary expression becomes one of its operands (the right one is the only one of a unary one), after `prefix`: nothing, a conversion or unary operators.
    pub fn with_operand(self, right: bool, prefix: &'static str) -> Rewrite {
        Rewrite { node: self.index, what: What::Operand { right, prefix } }
    }

    /// The rewrite by which the expression becomes `text`, which must bind as tightly as a name.
    pub fn with_text(self, text: &str) -> Rewrite {
        Rewrite { node: self.index, what: What::Text(text.into()) }
    }

    /// The rewrite by which a member becomes another one of the same structure; `None` for other expressions.
    pub fn with_member(self, name: &str) -> Option<Rewrite> {
        Some(Rewrite { node: self.member_name()?, what: What::Text(name.into()) })
    }

    /// The rewrite that puts `++` or `--` before or after a variable.
    pub fn with_step(self, operator: &'static str, prefix: bool) -> Rewrite {
        Rewrite { node: self.index, what: What::Step { operator, prefix } }
    }
}

impl Statement<'_> {
    /// The rewrite that leaves an empty statement.
    pub fn deleted(self) -> Rewrite {
        Rewrite { node: self.index, what: What::Delete }
    }

    /// The rewrite that puts a statement before or behind it.
    pub fn with_beside(self, text: &str, behind: bool) -> Rewrite {
        Rewrite { node: self.index, what: What::Beside { text: text.into(), behind } }
    }
}

/// All that happens to one node.
#[derive(Default)]
struct Plan<'r> {
    operator: Option<&'static str>,
    operand: Option<(bool, &'static str)>,
    text: Option<&'r str>,
    step: Option<(&'static str, bool)>,
    insert: Option<(Insertion, Option<&'r str>)>,
    delete: bool,
    beside: Option<(&'r str, bool)>,
}

/// A node's new text.
struct Piece {
    node: u32,
    span: Span,
    text: String,
    precedence: Precedence,
}

impl Text {
    /// The edits of `file` that make all `rewrites` at once: one for each outermost rewritten node, in the order of the
    /// text. Rewrites within a deleted statement go with it.
    pub fn edits(&self, file: &str, rewrites: &[Rewrite]) -> Result<Vec<Edit>, Clash> {
        let mut plans: BTreeMap<u32, Plan> = BTreeMap::new();
        for rewrite in rewrites {
            // A rewrite of another text.
            if rewrite.node as usize >= self.nodes.len() {
                return Err(Clash::NoText);
            }
            plans.entry(rewrite.node).or_default().add(&rewrite.what)?;
        }
        // Inner nodes come behind outer ones, so backwards they are done first and wait at the end of `done`.
        let mut done: Vec<Piece> = Vec::new();
        for (node, plan) in plans.into_iter().rev() {
            let last = self.node(node).last;
            let inner = done.iter().rposition(|piece| piece.node >= last).map_or(0, |position| position + 1);
            let mut inner = done.split_off(inner);
            inner.reverse();
            done.push(self.render(node, &plan, &inner).ok_or(Clash::NoText)?);
        }
        done.iter().rev().map(|piece| self.edit(file, piece).ok_or(Clash::NoText)).collect()
    }

    fn edit(&self, file: &str, piece: &Piece) -> Option<Edit> {
        Edit::new(self, file, piece.span, self.apart(piece.span, self.placed(piece)))
    }

    /// A new text for `span` that runs into nothing around it that the old one did not touch: `return-1` becomes `return 1`.
    fn apart(&self, span: Span, mut new: String) -> String {
        let before = self.bytes(Span { start: span.start.saturating_sub(LONGEST_NUMBER), end: span.start });
        let after =
            self.bytes(Span { start: span.end, end: span.end.saturating_add(1).min(self.source().len() as u32) });
        let old = self.bytes(span);
        let old_first = old.first().copied();
        if token::joins(before, new.as_bytes()) && new.bytes().next() != old_first {
            new.insert(0, ' ');
        }
        if token::joins(new.as_bytes(), after) {
            new.push(' ');
        }
        new
    }

    /// A piece as it stands in a parent that stays as it is.
    fn placed(&self, piece: &Piece) -> String {
        let (required, outer) = self.required(piece.node);
        enclosed(&piece.text, piece.precedence < required || misleads(outer, piece.precedence))
    }

    /// The new text of `node`, in which the nodes of `inner` have new texts.
    fn render(&self, node: u32, plan: &Plan, inner: &[Piece]) -> Option<Piece> {
        let span = self.node(node).span;
        let piece = |text: String, precedence| Piece { node, span, text, precedence };
        if plan.delete {
            return Some(piece(";".to_owned(), Precedence::Primary));
        }
        if let Some((other, behind)) = plan.beside {
            let own = self.substituted(span, inner)?;
            return Some(piece(self.beside(node, &own, other, behind), Precedence::Primary));
        }
        let mut new = match (plan.text, plan.operator, plan.operand) {
            (Some(text), ..) => piece(text.to_owned(), Precedence::Primary),
            (None, Some(operator), _) => self.with_operator(node, operator, inner)?,
            (None, None, Some((right, prefix))) => self.with_operand(node, right, prefix, inner)?,
            (None, None, None) if plan.step.is_some() => {
                let (operator, prefix) = plan.step?;
                let (text, precedence) = self.stepped(span, operator, prefix)?;
                piece(text, precedence)
            }
            (None, None, None) => {
                piece(self.substituted(span, inner)?, Expression { text: self, index: node }.precedence())
            }
        };
        if let Some((insertion, cast)) = plan.insert {
            (new.text, new.precedence) = inserted(insertion, cast, &new);
        }
        Some(new)
    }

    /// A variable with `++` or `--`, and how that binds. Right after `+` or `-` it stands in parentheses, for `---v` would be another thing.
    fn stepped(&self, span: Span, operator: &str, prefix: bool) -> Option<(String, Precedence)> {
        let name = self.slice(span)?;
        if !prefix {
            return Some((format!("{name}{operator}"), Precedence::Postfix));
        }
        let before = span.start.checked_sub(1).and_then(|start| self.slice(Span { start, end: span.start }));
        let is_glued = matches!(before, Some("+" | "-"));
        let precedence = if is_glued { Precedence::Primary } else { Precedence::Unary };
        Some((enclosed(&format!("{operator}{name}"), is_glued), precedence))
    }

    /// The text of `span` with new texts for the nodes of `inner`, which lie in the order of the text.
    fn substituted(&self, span: Span, inner: &[Piece]) -> Option<String> {
        let mut text = String::new();
        let mut from = span.start;
        for piece in inner.iter().filter(|piece| span.holds(piece.span)) {
            text += self.slice(Span { start: from, end: piece.span.start })?;
            token::append(&mut text, &self.placed(piece));
            from = piece.span.end;
        }
        token::append(&mut text, self.slice(Span { start: from, end: span.end })?);
        Some(text)
    }

    fn with_operand(&self, node: u32, right: bool, prefix: &str, inner: &[Piece]) -> Option<Piece> {
        let operand = self.child(node, if right { Field::Right } else { Field::Left });
        let child = operand.or_else(|| self.child(node, Field::Argument).filter(|_| right))?;
        let (text, precedence) = self.new_text(child, inner)?;
        let (text, precedence) = match prefix {
            "" => (text, precedence),
            _ => (format!("{prefix}{}", enclosed(&text, precedence < Precedence::Unary)), Precedence::Unary),
        };
        Some(Piece { node, span: self.node(node).span, text, precedence })
    }

    /// An operand's new text, and how it binds.
    fn new_text(&self, child: u32, inner: &[Piece]) -> Option<(String, Precedence)> {
        match inner.iter().find(|piece| piece.node == child) {
            Some(piece) => Some((piece.text.clone(), piece.precedence)),
            None => {
                let text = self.substituted(self.node(child).span, inner)?;
                Some((text, Expression { text: self, index: child }.precedence()))
            }
        }
    }

    fn with_operator(&self, node: u32, operator: &str, inner: &[Piece]) -> Option<Piece> {
        let expression = Expression { text: self, index: node };
        let span = expression.span();
        let kind = expression.kind();
        let precedence = Precedence::of_kind(kind, operator, expression.is_prefix());
        let (mut text, mut from) = (String::new(), span.start);
        for child in self.children(node) {
            let part = self.node(child).span;
            let new = match self.node(child).field {
                Field::Operator => operator.to_owned(),
                Field::Left | Field::Right | Field::Argument => self.operand(child, kind, precedence, inner)?,
                _ => continue,
            };
            text += self.slice(Span { start: from, end: part.start })?;
            // Two operators side by side may be read as a third.
            if text.ends_with(OPERATOR_CHARACTERS) && new.starts_with(OPERATOR_CHARACTERS) {
                text.push(' ');
            }
            text += &new;
            from = part.end;
        }
        text += self.slice(Span { start: from, end: span.end })?;
        Some(Piece { node, span, text, precedence })
    }

    /// An operand's new text where its parent, of `kind`, has a new operator that binds like `outer`.
    fn operand(&self, child: u32, kind: Kind, outer: Precedence, inner: &[Piece]) -> Option<String> {
        let (text, precedence) = self.new_text(child, inner)?;
        // `++` and `--` bind alike, whatever the grammar takes `!a++` for.
        if kind == Kind::Update && inner.iter().all(|piece| piece.node != child) {
            return Some(text);
        }
        if kind != Kind::Binary {
            return Some(enclosed(&text, precedence < self.required(child).0));
        }
        let right = self.node(child).field == Field::Right;
        let required = if right { outer.tighter() } else { outer };
        Some(enclosed(&text, precedence < required || outer.misleads_around(precedence)))
    }

    /// How tightly a node must bind to stand where it stands, and how its parent binds if that is a binary expression.
    fn required(&self, node: u32) -> (Precedence, Option<Precedence>) {
        use Precedence::*;
        let Some(parent) = self.parent(node) else { return (Comma, None) };
        let field = self.node(node).field;
        let expression = Expression { text: self, index: parent };
        let required = match self.node(parent).kind {
            Kind::Binary => {
                let outer = expression.precedence();
                let required = if field == Field::Right { outer.tighter() } else { outer };
                return (required, Some(outer));
            }
            Kind::Assignment if field == Field::Left => Unary,
            Kind::Conditional if field == Field::Condition => Or,
            Kind::Conditional if field == Field::Alternative => Conditional,
            Kind::Comma if field == Field::Left => Assignment,
            Kind::Assignment
            | Kind::Arguments
            | Kind::InitDeclarator
            | Kind::InitializerList
            | Kind::InitializerPair => Assignment,
            Kind::Unary | Kind::Pointer | Kind::Cast | Kind::Prefixed => Unary,
            Kind::Update if expression.is_prefix() => Unary,
            Kind::Update | Kind::Call | Kind::Field => Postfix,
            Kind::Subscript if field == Field::Argument => Postfix,
            Kind::Subscript
            | Kind::Conditional
            | Kind::Comma
            | Kind::Parenthesized
            | Kind::ExpressionStatement
            | Kind::Return
            | Kind::For => Comma,
            kind if kind.is_statement() => Comma,
            _ => Primary,
        };
        (required, None)
    }
}

impl<'r> Plan<'r> {
    fn add(&mut self, what: &'r What) -> Result<(), Clash> {
        let is_replaced =
            self.operator.is_some() || self.operand.is_some() || self.text.is_some() || self.step.is_some();
        let taken = match what {
            What::Operator(operator) => self.operator.replace(operator).is_some() || is_replaced,
            What::Operand { right, prefix } => self.operand.replace((*right, prefix)).is_some() || is_replaced,
            What::Text(text) => self.text.replace(text).is_some() || is_replaced,
            What::Step { operator, prefix } => self.step.replace((operator, *prefix)).is_some() || is_replaced,
            What::Insert { insertion, cast } => self.insert.replace((*insertion, cast.as_deref())).is_some(),
            What::Delete => std::mem::replace(&mut self.delete, true) || self.beside.is_some(),
            What::Beside { text, behind } => self.beside.replace((text, *behind)).is_some() || self.delete,
        };
        if taken { Err(Clash::Same) } else { Ok(()) }
    }
}

fn misleads(outer: Option<Precedence>, inner: Precedence) -> bool {
    outer.is_some_and(|outer| outer.misleads_around(inner))
}

fn enclosed(text: &str, needed: bool) -> String {
    if needed { format!("({text})") } else { text.to_owned() }
}

fn inserted(insertion: Insertion, cast: Option<&str>, piece: &Piece) -> (String, Precedence) {
    let sign = match insertion {
        Insertion::Negate => "-",
        Insertion::Not => "!",
        Insertion::Complement => "~",
        Insertion::Increment | Insertion::Decrement => "",
    };
    let cast = cast.map(|cast| format!("({cast})")).unwrap_or_default();
    let required = if sign.is_empty() && cast.is_empty() { Precedence::Sum } else { Precedence::Unary };
    // `--a` would be another operator, and `!a == b` reads as if it were `!(a == b)`.
    let glued = cast.is_empty() && !sign.is_empty() && piece.text.starts_with(['-', '+']);
    let operand = enclosed(&piece.text, piece.precedence < required || glued);
    match insertion {
        Insertion::Increment => (format!("{cast}{operand} + 1"), Precedence::Sum),
        Insertion::Decrement => (format!("{cast}{operand} - 1"), Precedence::Sum),
        _ => (format!("{sign}{cast}{operand}"), Precedence::Unary),
    }
}

/// So many bytes before an edit tell whether it would go on with a number: more than any number has.
const LONGEST_NUMBER: u32 = 64;
/// What operators are made of.
const OPERATOR_CHARACTERS: [char; 12] = ['+', '-', '*', '/', '&', '|', '<', '>', '=', '!', '%', '^'];
