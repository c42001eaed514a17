//! Another function of the same type is called.

use super::anchor::{Body, View};
use super::candidate::Found;
use super::junk::Junk;
use super::operator::Class;
use crate::source::{Expression, Meaning};
use crate::trial::Change;

impl Found<'_, '_, '_> {
    /// `f(x)` becomes `g(x)`.
    pub(super) fn called(&mut self, function: u32) {
        let variables = &self.body.view.program.functions[self.body.index as usize].variables;
        let Some(own) = variables.get(function as usize) else { return };
        let name = self.call().and_then(|call| {
            let name = call.callee().map(Expression::unparenthesized).filter(|callee| callee.is_named(&own.name));
            name.ok_or(Junk::Made)
        });
        for other in self.operation.others.clone() {
            let Some(new) = variables.get(other as usize).filter(|new| new.name != own.name) else { continue };
            let rewrite = name.and_then(|found| match self.body.names_function(found, &new.name) {
                _ if self.body.view.is_macro(&new.name) => Err(Junk::Macro),
                true => Ok(found.with_text(&new.name)),
                false => Err(Junk::Made),
            });
            self.push(Class::Cfr, Change::Choose(other), (&own.name, &new.name), rewrite);
        }
    }
}

impl Body<'_, '_> {
    /// Whether a function of the program can be called by its name where an expression stands.
    fn names_function(&self, at: Expression, name: &str) -> bool {
        match at.names_function(name) {
            Meaning::Itself => true,
            Meaning::Another => false,
            Meaning::Later => self.view.is_declared_in_header(name),
        }
    }
}

impl View<'_> {
    fn is_declared_in_header(&self, name: &str) -> bool {
        let is_header = |index: &u32| self.program.files.get(*index as usize).is_none_or(|file| !file.ends_with(".c"));
        self.texts().any(|(index, text)| is_header(index) && text.declares_outside(name))
    }
}

#[cfg(test)]
mod tests {
    use super::super::code_tests::Snippet;
    use super::*;
    use crate::program::OperationKind;

    /// How a body reads where the first function is not the one that is called at `mark`; `before` stands in front of the function.
    fn called(before: &str, body: &str, mark: &str) -> Vec<String> {
        let kind = "int (int)";
        let made = Snippet::behind(before, body).variables(&[("first", kind), ("second", kind), ("third", kind)]);
        let place = made.place(mark, 0);
        let made = made.with_others(place, OperationKind::Called { function: 0, n_others: 2 }, &[1, 2]);
        made.read_as(Class::Cfr)
    }

    #[test]
    fn functions_that_are_declared_before_are_called_instead() {
        let before = "int first(int); static int third(int n) { return n; } ";
        assert_eq!(called(before, "a = first(b);", "first(b)"), ["a = second(b);", "a = third(b);"]);
        assert_eq!(called(before, "a = (first)(b);", "first)(b)"), [""; 0]);
    }

    #[test]
    fn names_that_mean_something_else_are_not_called() {
        assert_eq!(called("", "int second = 1; a = first(b);", "first(b)"), ["int second = 1; a = third(b);"]);
        let macros = "#define third(n) 0\n";
        assert_eq!(called("", &format!("{macros}a = first(b);"), "first(b)"), [format!("{macros}a = second(b);")]);
        let macros = "#define first(n) third(n)\n";
        assert_eq!(called("", &format!("{macros}a = first(b);"), "first(b);"), [""; 0]);
    }

    #[test]
    fn functions_that_come_later_are_not_called() {
        assert_eq!(
            called("", "a = first(b); }\nint second(int n) { return n;", "first(b)"),
            ["a = third(b); }\nint second(int n) { return n;"]
        );
    }
}
