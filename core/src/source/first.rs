//! What a statement evaluates first.

use super::expression::{Expression, Statement};
use super::kind::{Field, Kind};
use super::rewrite::{Rewrite, What};
use super::text::{Span, Text};

/// Bytes of a statement that gets braces for a guard before it, at most: all of it is in the edit.
const LONGEST: usize = 400;

impl<'t> Expression<'t> {
    /// The statement that evaluates this expression once whenever it runs, and before anything that is not `pure`; `None` where it may not. What is put before
    /// that statement then comes to the same as what happens where the expression has its value.
    pub fn begins(self, pure: impl Fn(Expression<'t>) -> bool) -> Option<Statement<'t>> {
        let mut here = self.index;
        loop {
            let outer = self.text.parent(here)?;
            if let Some(statement) = Statement::at(self.text, outer) {
                return self.text.is_evaluated_first(outer, here).then_some(statement);
            }
            let is_pure = |index| Expression::at(self.text, index).is_some_and(&pure);
            if !self.text.leads(outer, here, is_pure) {
                return None;
            }
            here = outer;
        }
    }
}

impl Statement<'_> {
    /// The rewrite that puts a guard before it; `None` for a long statement that would need braces for that.
    pub fn with_guard(self, guard: &str) -> Option<Rewrite> {
        let node = self.text.node(self.index);
        let outer = self.text.parent(self.index).map(|outer| self.text.node(outer).kind);
        if node.field == Field::Alternative || !matches!(outer, Some(Kind::Block | Kind::Case)) {
            return (self.source().len() <= LONGEST).then(|| self.with_beside(guard, false));
        }
        let mut first = self.index;
        while self.text.node(first).last > first + 1 {
            first += 1;
        }
        let (begin, token) = (node.span.start, self.text.slice(self.text.node(first).span)?);
        let (line, _) = self.text.place(begin);
        let before = self.text.slice(Span { start: self.text.offset(line, 1)?, end: begin })?;
        let gap = if before.trim().is_empty() { format!("{}{before}", self.text.line_end()) } else { " ".into() };
        Some(Rewrite { node: first, what: What::Text(format!("{guard}{gap}{token}").into()) })
    }
}

impl Statement<'_> {
    /// The rewrite by which a check takes its place, in braces where an `else` could follow.
    pub fn with_check(self, check: &str) -> Rewrite {
        let outer = self.text.parent(self.index).map(|outer| self.text.node(outer).kind);
        let is_in_block = matches!(outer, Some(Kind::Block | Kind::Case));
        let text = if is_in_block { check.to_owned() } else { format!("{{ {check} }}") };
        Rewrite { node: self.index, what: What::Text(text.into()) }
    }
}

impl Text {
    /// The variable, or the member of a structure, whose name stands at the place.
    pub fn variable_or_member_at(&self, line: u32, column: u32) -> Option<Expression<'_>> {
        self.name_at(line, column).or_else(|| self.member_at(line, column))
    }

    /// The member whose name is at the place, with what it is a member of.
    pub fn member_at(&self, line: u32, column: u32) -> Option<Expression<'_>> {
        let offset = self.offset(line, column)?;
        let leaf = self.leaf(offset).filter(|leaf| self.node(*leaf).kind == Kind::Member)?;
        let member = Expression::at(self, self.parent(leaf)?)?;
        (member.kind() == Kind::Field && self.node(member.index).sound).then_some(member)
    }

    /// Whether `part` of an expression is evaluated whenever that is, with nothing but pure expressions before it.
    fn leads(&self, outer: u32, part: u32, is_pure: impl Fn(u32) -> bool) -> bool {
        let field = self.node(part).field;
        let token = |index: u32| matches!(self.node(index).kind, Kind::Token | Kind::Comment | Kind::Member);
        let others = |from: u32, to: u32| {
            let mut others = self.children(outer).filter(|child| (from..to).contains(child) && !token(*child));
            others.all(&is_pure)
        };
        match self.node(outer).kind {
            Kind::Parenthesized | Kind::Unary | Kind::Field | Kind::Pointer => true,
            Kind::Cast => field == Field::Value,
            Kind::Call | Kind::Arguments | Kind::Subscript | Kind::Comma => others(0, part),
            Kind::Binary => {
                let decides = Expression::at(self, outer).is_none_or(|outer| matches!(outer.operator(), "&&" | "||"));
                field == Field::Left || !decides && others(0, part)
            }
            Kind::Conditional => field == Field::Condition,
            // What is assigned is computed before what it is assigned to.
            Kind::Assignment => others(0, part) && others(part + 1, u32::MAX),
            Kind::InitDeclarator => field == Field::Value,
            _ => false,
        }
    }

    /// Whether a statement evaluates a part of it first, and once.
    fn is_evaluated_first(&self, statement: u32, part: u32) -> bool {
        let is_declarator = |index: &u32| matches!(self.node(*index).kind, Kind::InitDeclarator | Kind::Declarator);
        match self.node(statement).kind {
            Kind::ExpressionStatement | Kind::Return => true,
            Kind::If | Kind::Switch => self.node(part).field == Field::Condition,
            Kind::Declaration => {
                let is_in_block = self.parent(statement).is_some_and(|outer| self.node(outer).kind == Kind::Block);
                is_in_block
                    && !self.children(statement).take_while(|child| *child < part).any(|child| is_declarator(&child))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::source::{Expression, Kind, Text};

    /// The line of the statement that evaluates what `mark` begins with first.
    fn begun(text: &str, mark: &str) -> Option<u32> {
        let parsed = Text::parse(text);
        let (line, column) = parsed.place(text.find(mark).unwrap() as u32);
        let found = parsed.variable_or_member_at(line, column).unwrap();
        let is_pure = |part: Expression| {
            matches!(part.unparenthesized().kind(), Kind::Identifier | Kind::Number | Kind::Field | Kind::Subscript)
        };
        Some(parsed.place(found.begins(is_pure)?.span().start).0)
    }

    #[test]
    fn a_statement_evaluates_some_of_its_expressions_before_all_others() {
        let text = "int f(struct s *p, struct s *q, int i)\n{\n    int n = q->n, m = p->m;\n    if ((p->a && q->b) || p->c)\n        \
                    g(i, q->d);\n    h(g(i), p->e);\n    for (i = q->f; p->g; i++)\n        ;\n    p->h = q->i[i];\n    p->j = g(0);\n    \
                    switch (q->k->l) { case 1: return p->m2; }\n    i = i ? q->n2 : sizeof q->o;\n    while (p->w) i++;\n    return *q->z;\n}\n";
        for (mark, line) in [
            ("q->n, m", 3),
            ("p->a", 4),
            ("a &&", 4),
            ("q->d", 5),
            ("p->h", 9),
            ("q->i", 9),
            ("i[i]", 9),
            ("k->l", 11),
            ("p->m2", 11),
            ("q->z", 14),
        ] {
            assert_eq!(begun(text, mark), Some(line), "{mark}");
        }
        for mark in ["p->m;", "q->b", "p->c", "p->e", "q->f", "p->g", "p->j", "q->n2", "q->o", "p->w"] {
            assert_eq!(begun(text, mark), None, "{mark}");
        }
    }
}
