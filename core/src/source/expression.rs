//! Expressions and statements of a text.

use super::kind::{Field, Kind};
use super::operator::{Precedence, of_compound};
use super::rewrite::Rewrite;
use super::text::{Meaning, Span, Text};

/// An expression of a text.
#[derive(Clone, Copy, Debug)]
pub struct Expression<'t> {
    pub(super) text: &'t Text,
    pub(super) index: u32,
}

/// A statement of a text.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'t> {
    pub(super) text: &'t Text,
    pub(super) index: u32,
}

impl PartialEq for Expression<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.text, other.text) && self.index == other.index
    }
}

impl<'t> Expression<'t> {
    /// The expression that a node is; `None` for other nodes and for what the parser could not make sense of.
    pub(super) fn at(text: &'t Text, index: u32) -> Option<Expression<'t>> {
        let node = text.node(index);
        (node.kind.is_expression() && !node.flawed).then_some(Expression { text, index })
    }

    /// It and the expressions in it, in the order of the text; none where the parser found a flaw.
    pub fn parts(self) -> impl Iterator<Item = Expression<'t>> {
        let within = self.index..self.text.node(self.index).last;
        within.filter_map(move |index| Expression::at(self.text, index)).filter(|part| self.text.node(part.index).sound)
    }

    /// Its tokens; `None` where there are comments or what is no token.
    pub fn tokens(self) -> Option<Vec<&'t str>> {
        super::token::tokens(self.source())
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        self.text.node(self.index).kind
    }

    /// Where it stands.
    pub fn span(self) -> Span {
        self.text.node(self.index).span
    }

    /// Its text; empty if that is no UTF-8.
    pub fn source(self) -> &'t str {
        self.text.slice(self.span()).unwrap_or_default()
    }

    /// Line and column of its first byte.
    pub fn place(self) -> (u32, u32) {
        self.text.place(self.span().start)
    }

    /// The token of its operator; `None` for expressions without one.
    pub(super) fn operator_token(self) -> Option<u32> {
        match self.kind() {
            Kind::Binary | Kind::Assignment | Kind::Update | Kind::Unary | Kind::Pointer | Kind::Field => {
                self.text.child(self.index, Field::Operator)
            }
            Kind::Conditional | Kind::Comma => {
                self.text.children(self.index).find(|child| self.text.node(*child).kind == Kind::Token)
            }
            _ => None,
        }
    }

    /// Its operator as written: `+`, `&&`, `=`, `+=`, `++`, `?`, ...; empty for expressions without one.
    pub fn operator(self) -> &'t str {
        let token = self.operator_token().and_then(|token| self.text.slice(self.text.node(token).span));
        token.unwrap_or_default()
    }

    /// Line and column of its operator.
    pub fn operator_place(self) -> Option<(u32, u32)> {
        Some(self.text.place(self.text.node(self.operator_token()?).span.start))
    }

    /// The type that a cast converts to, as written.
    pub fn converts_to(self) -> Option<&'t str> {
        let mut parts = self.text.children(self.index).filter(|_| self.kind() == Kind::Cast);
        let kind = parts.find(|child| self.text.node(*child).kind == Kind::Other)?;
        self.text.slice(self.text.node(kind).span)
    }

    /// The operator that a binary expression or compound assignment computes: `+` for `a + b` and `a += b`; `None` for others.
    pub fn computes(self) -> Option<&'t str> {
        match self.kind() {
            Kind::Binary => Some(self.operator()),
            Kind::Assignment => of_compound(self.operator()),
            _ => None,
        }
    }

    fn field(self, field: Field) -> Option<Expression<'t>> {
        Expression::at(self.text, self.text.child(self.index, field)?)
    }

    /// Left operand of a binary, assignment or comma expression.
    pub fn left(self) -> Option<Expression<'t>> {
        self.field(Field::Left)
    }

    /// Right operand of a binary, assignment or comma expression.
    pub fn right(self) -> Option<Expression<'t>> {
        self.field(Field::Right)
    }

    /// Operand of a unary, update, pointer, cast or `sizeof` expression, what a subscript or member is taken of.
    pub fn operand(self) -> Option<Expression<'t>> {
        self.field(Field::Argument).or_else(|| self.field(Field::Value))
    }

    /// The name of the member that it is.
    pub fn member(self) -> Option<&'t str> {
        self.text.slice(self.text.node(self.member_name()?).span)
    }

    /// The node of that name.
    pub(super) fn member_name(self) -> Option<u32> {
        self.text.children(self.index).find(|child| self.text.node(*child).kind == Kind::Member)
    }

    /// The subscript of an element.
    pub fn subscript(self) -> Option<Expression<'t>> {
        self.field(Field::Index)
    }

    /// Condition, value when true (`None` for `a ?: b`) and value when false of `a ? b : c`.
    pub fn choice(self) -> Option<(Expression<'t>, Option<Expression<'t>>, Expression<'t>)> {
        let other = || self.field(Field::Alternative);
        Some((self.field(Field::Condition)?, self.field(Field::Consequence), other()?))
    }

    /// Whether it is `++a` or `--a`.
    pub fn is_prefix(self) -> bool {
        self.operator_token().is_some_and(|token| self.text.node(token).span.start == self.span().start)
    }

    /// What is called.
    pub fn callee(self) -> Option<Expression<'t>> {
        self.field(Field::Function)
    }

    /// The arguments of a call; none if one of them is no expression.
    pub fn arguments(self) -> Vec<Expression<'t>> {
        let Some(list) = self.text.child(self.index, Field::Arguments) else { return Vec::new() };
        let kind = |child: &u32| self.text.node(*child).kind;
        let written = self.text.children(list).filter(|child| !matches!(kind(child), Kind::Token | Kind::Comment));
        written.map(|child| Expression::at(self.text, child)).collect::<Option<_>>().unwrap_or_default()
    }

    /// The expression within its parentheses, if it has any.
    pub fn unparenthesized(self) -> Expression<'t> {
        let mut here = self;
        while here.kind() == Kind::Parenthesized {
            let inner = self.text.children(here.index).find_map(|child| Expression::at(self.text, child));
            let Some(inner) = inner else { break };
            here = inner;
        }
        here
    }

    /// The expression with all parentheses around it, those that belong to a statement left out.
    pub fn parenthesized(self) -> Expression<'t> {
        let mut here = self;
        while let Some(parent) = here.parent().filter(|parent| parent.kind() == Kind::Parenthesized) {
            let belongs = self.text.parent(parent.index).is_some_and(|owner| {
                matches!(self.text.node(owner).kind, Kind::If | Kind::While | Kind::Do | Kind::Switch)
            });
            if belongs {
                break;
            }
            here = parent;
        }
        here
    }

    /// The expression that it is a direct part of.
    pub fn parent(self) -> Option<Expression<'t>> {
        Expression::at(self.text, self.text.parent(self.index)?)
    }

    /// Whether a variable of this name can be known here, for all that the text says.
    pub fn sees(self, name: &str) -> bool {
        self.text.sees(self.span().start, name)
    }

    /// What the name of a function that the program has means here.
    pub fn names_function(self, name: &str) -> Meaning {
        self.text.names_function(self.span().start, name)
    }

    /// Whether a variable of this name has no value yet here, for all that the text says.
    pub fn is_before_value_of(self, name: &str) -> bool {
        self.text.is_unset(self.span().start, name)
    }

    /// How tightly it binds.
    pub fn precedence(self) -> Precedence {
        Precedence::of_kind(self.kind(), self.operator(), self.is_prefix())
    }

    /// Whether it is a name: this one.
    pub fn is_named(self, name: &str) -> bool {
        self.kind() == Kind::Identifier && self.source() == name
    }

    /// The innermost statement around it.
    pub fn statement(self) -> Option<Statement<'t>> {
        self.text.ancestors(self.index).find_map(|index| Statement::at(self.text, index))
    }

    /// Whether something is done with its value; if not, it is evaluated for its effect alone.
    pub fn is_used(self) -> bool {
        let mut here = self.parenthesized();
        while let Some(comma) = here.parent().filter(|parent| parent.kind() == Kind::Comma) {
            if comma.left() == Some(here) {
                return false;
            }
            here = comma.parenthesized();
        }
        here.deleted().is_none()
    }

    /// The rewrite that leaves out what is evaluated for its effect alone: the whole of an expression statement (parentheses and a
    /// conversion to `void` allowed), the first or last part of a `for`. `None` for what is a part of something larger.
    pub fn deleted(self) -> Option<Rewrite> {
        let (here, owner) = self.whole()?;
        match self.text.node(owner).kind {
            Kind::ExpressionStatement => Some(Statement::at(self.text, owner)?.deleted()),
            Kind::For if self.text.node(here.index).field != Field::Condition => Some(here.with_text("")),
            _ => None,
        }
    }

    /// The statement that it is the whole of, parentheses and a conversion to `void` allowed.
    pub fn whole_statement(self) -> Option<Statement<'t>> {
        let (_, owner) = self.whole()?;
        Statement::at(self.text, owner).filter(|statement| statement.kind() == Kind::ExpressionStatement)
    }

    /// With its parentheses and its conversion to `void`, and the node that this is a part of; `None` for a part of a larger expression.
    fn whole(self) -> Option<(Expression<'t>, u32)> {
        let mut here = self;
        while let Some(parent) = here.parent() {
            if parent.kind() != Kind::Parenthesized && parent.converts_to() != Some("void") {
                return None;
            }
            here = parent;
        }
        Some((here, self.text.parent(here.index)?))
    }

    /// Whether its truth alone matters: the condition of `if`, a loop or `a ? b : c` (not `a ?: c`), an operand of `&&`, `||` or `!`.
    pub fn is_condition(self) -> bool {
        let outer = self.parenthesized();
        let Some(parent) = self.text.parent(outer.index) else { return false };
        let (node, field) = (self.text.node(parent), self.text.node(outer.index).field);
        match node.kind {
            // The parentheses of a statement.
            Kind::Parenthesized => self
                .text
                .parent(parent)
                .is_some_and(|owner| matches!(self.text.node(owner).kind, Kind::If | Kind::While | Kind::Do)),
            Kind::For | Kind::Conditional => field == Field::Condition && !self.text.is_elvis(parent),
            Kind::Binary | Kind::Unary => {
                Expression::at(self.text, parent).is_some_and(|parent| matches!(parent.operator(), "&&" | "||" | "!"))
            }
            _ => false,
        }
    }
}

impl<'t> Statement<'t> {
    pub(super) fn at(text: &'t Text, index: u32) -> Option<Statement<'t>> {
        text.node(index).kind.is_statement().then_some(Statement { text, index })
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        self.text.node(self.index).kind
    }

    /// Where it stands, its `;` included.
    pub fn span(self) -> Span {
        self.text.node(self.index).span
    }

    /// Its text; empty if that is no UTF-8.
    pub fn source(self) -> &'t str {
        self.text.slice(self.span()).unwrap_or_default()
    }

    /// Whether it is a declaration.
    pub fn is_declaration(self) -> bool {
        self.kind() == Kind::Declaration
    }

    /// The expression of an expression statement or `return`; `None` for others and where the parser found a flaw.
    pub fn expression(self) -> Option<Expression<'t>> {
        let node = self.text.node(self.index);
        if !matches!(node.kind, Kind::ExpressionStatement | Kind::Return) || node.flawed {
            return None;
        }
        self.text.children(self.index).find_map(|child| Expression::at(self.text, child))
    }
}
