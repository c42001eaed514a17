//! What a user wrote in the arguments of a macro: the compiler puts all of it where the macro's name stands.

use super::anchor::{Body, View};
use crate::program::{Operation, OperationKind, Place};
use crate::source::{Definition, Expression, Kind};

impl<'a> Body<'_, 'a> {
    /// The operator `token` in an argument of the macro at a place: the only one there in text and code, in an argument that the macro evaluates once as it
    /// is written, where no other macro has a part.
    pub(super) fn operator_in_argument(&self, place: Place, token: &str) -> Option<Expression<'a>> {
        let is_such = |(_, one): &(u32, &Operation)| computes(&one.kind, token);
        if self.operations_at(place).filter(is_such).count() != 1 {
            return None;
        }
        let (found, _) =
            self.only_in_argument(place, |part| part.kind() == Kind::Binary && part.operator() == token, token)?;
        Some(found)
    }

    /// The same of the name of a variable that is read, with what the macro expands to.
    pub(super) fn name_in_argument(
        &self,
        place: Place,
        name: &str,
        variable: u32,
    ) -> Option<(Expression<'a>, &Definition)> {
        let is_such = |(_, one): &(u32, &Operation)| matches!(one.kind, OperationKind::Read { variable: of, .. } if of == variable);
        if self.operations_at(place).filter(is_such).count() != 1 {
            return None;
        }
        self.only_in_argument(place, |part| part.kind() == Kind::Identifier && part.is_named(name), name)
    }

    /// The only part of a macro's arguments that `is_it`; neither `token` nor another macro is in what the macro puts around it.
    fn only_in_argument(
        &self,
        place: Place,
        is_it: impl Fn(Expression) -> bool,
        token: &str,
    ) -> Option<(Expression<'a>, &Definition)> {
        let calls = self.text(place).ok()?.calls_at(place.line, place.column);
        let [call] = calls[..] else { return None };
        let name = call.callee().filter(|callee| callee.kind() == Kind::Identifier)?.source();
        let definition = self.view.definition(name)?;
        let arguments = call.arguments();
        let is_plain = |token: &str| token != name && is_plain(self.view, token);
        let is_clear = arguments.len() == definition.n_parameters()
            && definition.tokens().all(|around| around != token && is_plain(around))
            && arguments
                .iter()
                .all(|argument| argument.tokens().is_some_and(|tokens| tokens.into_iter().all(is_plain)));
        let parts =
            arguments.iter().enumerate().flat_map(|(at, argument)| argument.parts().map(move |part| (at, part)));
        let mut found = parts.filter(|(_, part)| is_it(*part));
        let ((position, part), None) = (found.next()?, found.next()) else { return None };
        (is_clear && definition.takes(position)).then_some((part, definition))
    }
}

/// Whether a token is no macro, or one that is nothing but a literal.
fn is_plain(view: &View, token: &str) -> bool {
    !token.starts_with(|first: char| first.is_alphabetic() || first == '_')
        || !view.is_macro(token)
        || view.literal(token).is_some()
}

/// Whether an operation is written as `token`, or may be.
fn computes(kind: &OperationKind, token: &str) -> bool {
    match kind {
        OperationKind::Binary { operator, .. } => operator.token() == token,
        OperationKind::Logical { and } => token == if *and { "&&" } else { "||" },
        OperationKind::Step { .. } => matches!(token, "+" | "-"),
        _ => false,
    }
}
