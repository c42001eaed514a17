//! Finding what stands at a place.

use super::expression::{Expression, Statement};
use super::kind::{Field, Kind};
use super::rewrite::{Rewrite, What};
use super::text::{Node, Span, Text};

impl Text {
    pub(super) fn ancestors(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.parent(index), |index| self.parent(*index))
    }

    fn leaf_at(&self, line: u32, column: u32) -> Option<u32> {
        self.leaf(self.offset(line, column)?)
    }

    /// The expression whose operator's token begins at the place: binary, assignment (`=` and `+=`), `++`, `--`, unary, `*` and `&`
    /// of pointers, `?:`. `None` where there is another token, or the parser found a flaw in the expression or right around it.
    pub fn operator_at(&self, line: u32, column: u32) -> Option<Expression<'_>> {
        let token = self.leaf_at(line, column)?;
        let expression = Expression::at(self, self.parent(token)?)?;
        (expression.operator_token() == Some(token) && self.is_sound(expression)).then_some(expression)
    }

    /// The expressions whose first token is at the place, innermost first.
    pub fn beginning_at(&self, line: u32, column: u32) -> Vec<Expression<'_>> {
        let Some(leaf) = self.leaf_at(line, column) else { return Vec::new() };
        let start = self.node(leaf).span.start;
        let around = std::iter::once(leaf).chain(self.ancestors(leaf));
        let here = around.take_while(|index| self.node(*index).span.start == start);
        here.filter_map(|index| Expression::at(self, index)).filter(|found| self.is_sound(*found)).collect()
    }

    /// The spans of the expressions that the token at `offset` is part of, innermost first.
    pub(super) fn expressions_around(&self, offset: u32) -> impl Iterator<Item = Span> + '_ {
        let leaf = self.leaf(offset);
        let around = leaf.into_iter().chain(leaf.into_iter().flat_map(|leaf| self.ancestors(leaf)));
        around.filter_map(|index| Expression::at(self, index)).map(Expression::span)
    }

    /// The name at the place.
    pub fn name_at(&self, line: u32, column: u32) -> Option<Expression<'_>> {
        let found = Expression::at(self, self.leaf_at(line, column)?)?;
        (found.kind() == Kind::Identifier && self.is_sound(found)).then_some(found)
    }

    /// The calls whose callee begins at the place, innermost first: several for `f(x)(y)`.
    pub fn calls_at(&self, line: u32, column: u32) -> Vec<Expression<'_>> {
        let mut found = self.beginning_at(line, column);
        found.retain(|expression| expression.kind() == Kind::Call);
        found
    }

    /// The initial value that a declaration gives the name at the place; `None` for lists.
    pub fn initializer_at(&self, line: u32, column: u32) -> Option<Expression<'_>> {
        let leaf = self.leaf_at(line, column)?;
        let is_part = |index: &u32| matches!(self.node(*index).kind, Kind::Declarator | Kind::InitDeclarator);
        let declarator =
            self.ancestors(leaf).take_while(is_part).find(|index| self.node(*index).kind == Kind::InitDeclarator)?;
        let inside = self.child(declarator, Field::Declarator).is_some_and(|name| self.within(leaf, name));
        let value = Expression::at(self, self.child(declarator, Field::Value)?)?;
        (inside && self.is_sound(value)).then_some(value)
    }

    /// The statement whose first token is at the place, the innermost one.
    pub fn statement_at(&self, line: u32, column: u32) -> Option<Statement<'_>> {
        let leaf = self.leaf_at(line, column)?;
        let start = self.node(leaf).span.start;
        let mut around = self.ancestors(leaf).take_while(|index| self.node(*index).span.start == start);
        around.find_map(|index| Statement::at(self, index))
    }

    /// The outermost expression that the token at the place is part of and whose truth alone matters, with no other such
    /// one between: the predicate that begins there. The condition of `a ?: b` is none, for it is a value, too.
    pub fn condition_at(&self, line: u32, column: u32) -> Option<Expression<'_>> {
        let leaf = self.leaf_at(line, column)?;
        let around = std::iter::once(leaf).chain(self.ancestors(leaf));
        let mut is_value = false;
        let inside = around.take_while(|index| {
            let node = self.node(*index);
            let goes_on = !is_value && (!node.kind.is_statement() || *index == leaf);
            is_value = node.field == Field::Condition && self.parent(*index).is_some_and(|outer| self.is_elvis(outer));
            goes_on
        });
        let mut conditions = inside.filter_map(|index| Expression::at(self, index)).filter(|found| {
            // `!a` is decided upon as `a` is, and an operator `&&` or `||` decides by its operands, negated or not.
            let negated = found.parenthesized().parent().is_some_and(|parent| parent.operator() == "!");
            let turned = std::iter::successors(Some(found.unparenthesized()), |outer| {
                outer.operand().filter(|_| outer.operator() == "!").map(Expression::unparenthesized)
            });
            let is_logic = turned.last().is_some_and(|decided| matches!(decided.operator(), "&&" | "||"));
            found.kind() != Kind::Parenthesized && found.is_condition() && !negated && !is_logic
        });
        conditions.next().filter(|found| self.is_sound(*found))
    }

    /// The switched value that the token at the place is part of, without its parentheses.
    pub fn switched_at(&self, line: u32, column: u32) -> Option<Expression<'_>> {
        let leaf = self.leaf_at(line, column)?;
        let mut inside = leaf;
        for around in self.ancestors(leaf) {
            match self.node(around).kind {
                Kind::Switch => return Some(Expression::at(self, inside)?.unparenthesized()),
                kind if kind.is_statement() => return None,
                _ => inside = around,
            }
        }
        None
    }

    /// The condition or switched value of the statement that begins at the place, without its parentheses.
    pub fn subject_at(&self, line: u32, column: u32) -> Option<Expression<'_>> {
        let statement = self.statement_at(line, column)?;
        let condition = Expression::at(self, self.child(statement.index, Field::Condition)?)?;
        Some(condition.unparenthesized())
    }

    /// The rewrite by which the `if` whose condition begins at the place becomes `while`. `None` where that would be another thing than to ask the
    /// whole condition again: there is an `else`, the condition holds `,` or statements, or its body a `break` or `continue` of a loop around it.
    pub fn while_for_if(&self, line: u32, column: u32) -> Option<Rewrite> {
        let mut inside = self.leaf_at(line, column)?;
        let branch = self.ancestors(inside).find(|around| {
            let found = self.node(*around).kind.is_statement();
            inside = if found { inside } else { *around };
            found
        })?;
        let node = self.node(branch);
        let is_condition = node.kind == Kind::If && self.node(inside).field == Field::Condition;
        if !is_condition || node.flawed || !node.sound || self.child(branch, Field::Alternative).is_some() {
            return None;
        }
        let parts = inside..self.node(inside).last;
        if parts.clone().any(|part| matches!(self.node(part).kind, Kind::Comma | Kind::Block)) {
            return None;
        }
        let (mut index, mut switched) = (parts.end, 0);
        while index < node.last {
            let part = self.node(index);
            match part.kind {
                // Their jumps are their own.
                Kind::While | Kind::Do | Kind::For => index = part.last,
                Kind::Jump if self.leads_out(part, index < switched) => return None,
                kind => {
                    switched = if kind == Kind::Switch { switched.max(part.last) } else { switched };
                    index += 1;
                }
            }
        }
        Some(Rewrite { node: branch + 1, what: What::Text("while".into()) })
    }

    /// Whether a jump is one of the loop around it, or of a `switch` that it does not stand in.
    fn leads_out(&self, jump: &Node, switched: bool) -> bool {
        let word = self.bytes(jump.span);
        word.starts_with(b"continue") || word.starts_with(b"break") && !switched
    }

    /// The constants of the labels of the `switch` whose value the token at the place is part of, in the order of the text; `None` if there is
    /// no such statement, or it holds something that the parser does not understand, as ranges are.
    pub fn labels_at(&self, line: u32, column: u32) -> Option<Vec<Expression<'_>>> {
        let leaf = self.leaf_at(line, column)?;
        let mut inside = leaf;
        let is_switch = |around: &u32| self.node(*around).kind == Kind::Switch;
        let switch = self.ancestors(leaf).find(|around| {
            let found = is_switch(around) || self.node(*around).kind.is_statement();
            inside = if found { inside } else { *around };
            found
        });
        let switch = switch.filter(is_switch).filter(|switch| !self.node(*switch).flawed)?;
        // What is switched on, or the keyword.
        let is_head = inside == leaf && self.node(leaf).span.start == self.node(switch).span.start;
        if !is_head && self.node(inside).field != Field::Condition {
            return None;
        }
        let mut found = Vec::new();
        let mut index = switch + 1;
        while index < self.node(switch).last {
            match self.node(index).kind {
                // Its labels are its own.
                Kind::Switch => {
                    index = self.node(index).last;
                    continue;
                }
                Kind::Case => {
                    if let Some(value) = self.child(index, Field::Value) {
                        found.push(Expression::at(self, value)?);
                    }
                }
                _ => {}
            }
            index += 1;
        }
        Some(found)
    }

    /// Whether a node is `a ?: b`, whose condition is its value, too.
    pub(super) fn is_elvis(&self, index: u32) -> bool {
        self.node(index).kind == Kind::Conditional && self.child(index, Field::Consequence).is_none()
    }

    fn within(&self, inner: u32, outer: u32) -> bool {
        (outer..self.node(outer).last).contains(&inner)
    }

    /// Whether the tree around an expression can be believed: no flaw between it and its statement.
    fn is_sound(&self, expression: Expression) -> bool {
        self.node(expression.index).sound
    }
}
