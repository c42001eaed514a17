//! What an `if` guards that ends in a jump, and where the same jump leads to the same place.

use super::expression::Statement;
use super::kind::{Field, Kind};

impl<'t> Statement<'t> {
    /// The statements that an `if` guards, of which this is the last one; `None` where the others are more than expressions.
    pub fn consequence(self) -> Option<Vec<Statement<'t>>> {
        let is_guarded = |index: u32| {
            let outer = self.text.parent(index).map(|outer| self.text.node(outer).kind);
            self.text.node(index).field == Field::Consequence && outer == Some(Kind::If)
        };
        if is_guarded(self.index) {
            return Some(vec![self]);
        }
        let block = self.text.parent(self.index).filter(|block| self.text.node(*block).kind == Kind::Block)?;
        let is_blank = |index: &u32| matches!(self.text.node(*index).kind, Kind::Token | Kind::Comment);
        let parts = self.text.children(block).filter(|index| !is_blank(index));
        let all: Vec<Statement> = parts.map(|index| Statement::at(self.text, index)).collect::<Option<_>>()?;
        let (last, others) = all.split_last()?;
        let is_plain = others.iter().all(|one| one.kind() == Kind::ExpressionStatement);
        (last.index == self.index && is_plain && is_guarded(block)).then_some(all)
    }

    /// Whether `jump`, a statement of the same function, would lead from here to where it leads, and forwards or backwards as it does.
    pub fn jumps_as(self, jump: Statement) -> bool {
        let left = |from: u32, is_left: fn(Kind) -> bool| {
            self.text.ancestors(from).find(|index| is_left(self.text.node(*index).kind))
        };
        let is_loop = |kind| matches!(kind, Kind::While | Kind::Do | Kind::For);
        let is_left = |kind| matches!(kind, Kind::While | Kind::Do | Kind::For | Kind::Switch);
        let source = jump.source();
        match jump.kind() {
            Kind::Jump if source.starts_with("break") => left(self.index, is_left) == left(jump.index, is_left),
            Kind::Jump if source.starts_with("continue") => left(self.index, is_loop) == left(jump.index, is_loop),
            Kind::Jump => jump.label().is_some_and(|label| (label > self.index) == (label > jump.index)),
            _ => true,
        }
    }

    /// The labelled statement that a `goto` leads to.
    fn label(self) -> Option<u32> {
        let name = self.source().strip_prefix("goto")?.trim_end_matches(';').trim();
        let function = self.text.ancestors(self.index).find(|index| self.text.node(*index).kind == Kind::Function)?;
        let is_named = |index: &u32| {
            let text = Statement::at(self.text, *index).map(Statement::source).unwrap_or_default();
            text.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':'))
        };
        let within = function..self.text.node(function).last;
        within.filter(|index| self.text.node(*index).kind == Kind::Labeled).find(is_named)
    }
}

#[cfg(test)]
mod tests {
    use crate::source::Text;

    const TEXT: &str = "int f(int a)\n{\n    while (a) {\n        if (a == 1) break;\n        switch (a) {\n        case 2:\n            \
                        if (a > 3) { /* so */ a = 4; continue; }\n            a++;\n            break;\n        }\n        a--;\n    }\n    \
                        if (a) { if (a < 5) a = 6; return 7; }\n    if (a) { a = 8; } else { return 9; }\n    return a;\n}\n";

    fn at(text: &Text, mark: &str) -> (u32, u32) {
        text.place(TEXT.find(mark).unwrap() as u32)
    }

    #[test]
    fn what_an_if_guards_ends_in_a_jump() {
        let text = Text::parse(TEXT);
        let guarded = |mark: &str| {
            let (line, column) = at(&text, mark);
            let all = text.statement_at(line, column).unwrap().consequence()?;
            Some(all.iter().map(|one| one.source()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(guarded("break;\n        switch").as_deref(), Some("break;"));
        assert_eq!(guarded("continue;").as_deref(), Some("a = 4; continue;"));
        for mark in ["break;\n        }", "return 7;", "return 9;", "return a;", "a = 4;", "a++;"] {
            assert_eq!(guarded(mark), None, "{mark}");
        }
    }

    #[test]
    fn jumps_lead_elsewhere_in_other_loops() {
        let text = Text::parse(TEXT);
        let of = |mark: &str| {
            let (line, column) = at(&text, mark);
            text.statement_at(line, column).unwrap()
        };
        let (breaks, continues) = (of("break;\n        switch"), of("continue;"));
        assert!(of("a--;").jumps_as(breaks) && of("a--;").jumps_as(continues) && of("a++;").jumps_as(continues));
        assert!(
            !of("a++;").jumps_as(breaks) && !of("return a;").jumps_as(breaks) && !of("return a;").jumps_as(continues)
        );
        assert!(of("return a;").jumps_as(of("return 7;")));
    }

    #[test]
    fn no_label_is_gone_back_to_that_lies_ahead() {
        let source = "int f(int a)\n{\n    if (a) goto out;\n    a = 1;\nout:\n    a = 2;\n    return a;\n}\n";
        let text = Text::parse(source);
        let of = |line| text.statement_at(line, 5).unwrap();
        let jump = text.statement_at(3, 12).unwrap();
        assert!(of(4).jumps_as(jump) && !of(6).jumps_as(jump) && !of(7).jumps_as(jump));
    }
}
