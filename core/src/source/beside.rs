//! Statements beside others: what stands next to one, and whether another one would mean the same there.

use super::expression::{Expression, Statement};
use super::kind::{Field, Kind};
use super::text::{Meaning, Span, Text};
use super::token::is_name;

/// A variable's name, and the one that takes its place.
pub type Renamed<'n> = (&'n str, &'n str);

impl<'t> Statement<'t> {
    /// The statement before or behind it in the same block, comments passed over.
    pub fn neighbour(self, behind: bool) -> Option<Statement<'t>> {
        let all = self.text.children(self.text.parent(self.index)?);
        let around = |index: &u32| if behind { *index > self.index } else { *index < self.index };
        let mut others = all.filter(around).filter(|index| self.text.node(*index).kind != Kind::Comment);
        let next = if behind { others.next() } else { others.last() };
        Statement::at(self.text, next?)
    }

    /// The names in it of variables, functions, constants and macros.
    pub fn names(self) -> impl Iterator<Item = Expression<'t>> {
        let parts = self.index..self.text.node(self.index).last;
        parts.filter_map(|index| Expression::at(self.text, index)).filter(|part| part.kind() == Kind::Identifier)
    }

    /// Its names and keywords.
    fn words(self) -> impl Iterator<Item = &'t str> {
        let parts = self.index..self.text.node(self.index).last;
        let leaves = parts.filter(move |index| self.text.node(*index).last == index + 1);
        leaves.filter_map(move |index| self.text.slice(self.text.node(index).span)).filter(|token| is_name(token))
    }

    /// Its text where variables have other names; empty if it is no UTF-8.
    pub fn renamed(self, names: &[Renamed]) -> String {
        let (start, source) = (self.span().start, self.source());
        let mut text = source.to_owned();
        let mut found: Vec<Expression> = self.names().collect();
        found.reverse();
        for name in found {
            let span = (name.span().start - start) as usize..(name.span().end - start) as usize;
            let new = names.iter().find(|(old, _)| *old == name.source()).filter(|_| span.end <= text.len());
            if let Some((_, new)) = new {
                text.replace_range(span, new);
            }
        }
        text
    }

    /// Whether a copy of `other`, which stands elsewhere in the same file, would mean the same beside this one: each name is the same thing
    /// there, and has a value if it is read. Those of `names` are variables, and take the names of others of this function.
    pub fn takes(self, other: Statement, names: &[Renamed], behind: bool) -> bool {
        let (own, from) = (self.span(), other.span().start);
        let to = if behind { own.end } else { own.start };
        let is_known = |name: Expression| {
            let is_set = name.parent().is_some_and(|outer| outer.operator() == "=" && outer.left() == Some(name));
            let own = names.iter().find(|(old, _)| *old == name.source()).map(|(_, new)| *new);
            let text = own.unwrap_or(name.source());
            let is_same = match own {
                Some(own) => self.text.declares_once(from, name.source()) && self.text.declares_once(to, own),
                None => match (self.text.declaration(from, text), self.text.declaration(to, text)) {
                    // A function that is defined further down is not known here.
                    (None, None) => matches!(self.text.names_function(to, text), Meaning::Itself),
                    (there, here) => there == here,
                },
            };
            is_same && self.text.sees(to, text) && (is_set || !self.text.is_unset(to, text))
        };
        // What stands further down may need what the text tells of only after this place.
        let between = Span { start: to, end: from };
        let is_told = |word: &str| {
            let is_variable = self.text.declares(to, word) || names.iter().any(|(old, _)| *old == word);
            is_variable || !self.text.introduces(word, between)
        };
        other.names().all(is_known) && other.words().all(is_told)
    }

    /// The `return` statements of the function around it.
    pub fn returns(self) -> impl Iterator<Item = Statement<'t>> {
        let function = self.function().map_or(0..0, |index| index..self.text.node(index).last);
        let found = function.filter_map(|index| Statement::at(self.text, index));
        found.filter(|statement| statement.kind() == Kind::Return)
    }

    /// Whether the function around it is written as one that returns nothing: `void name(...)`.
    pub fn returns_nothing(self) -> bool {
        let header = || {
            let function = self.function()?;
            let start = self.text.node(function).span.start;
            let whole = self.text.slice(Span { start, end: self.text.node(function).span.end })?;
            let (before, _) = whole.split_once('(')?;
            let words = before.split_whitespace().collect::<Vec<_>>();
            let (_, kind) = words.split_last()?;
            Some(kind.contains(&"void") && !before.contains('*') && !before.contains('#'))
        };
        header().unwrap_or(false)
    }

    fn function(self) -> Option<u32> {
        self.text.ancestors(self.index).find(|index| self.text.node(*index).kind == Kind::Function)
    }
}

impl Text {
    /// The text of a statement with another one beside it: in a block of their own where only one statement can stand.
    pub(super) fn beside(&self, node: u32, own: &str, other: &str, behind: bool) -> String {
        let (first, second) = if behind { (own, other) } else { (other, own) };
        let outer = self.parent(node).map(|outer| self.node(outer).kind);
        let is_labelled = self.node(node).field == Field::Alternative;
        if is_labelled || !matches!(outer, Some(Kind::Block | Kind::Case)) {
            return format!("{{ {first} {second} }}");
        }
        let start = self.node(node).span.start;
        let (line, _) = self.place(start);
        let begins = self.offset(line, 1).unwrap_or(start);
        match self.slice(Span { start: begins, end: start }) {
            Some(indent) if indent.trim().is_empty() => format!("{first}{}{indent}{second}", self.line_end()),
            _ => format!("{first} {second}"),
        }
    }

    /// How its lines end.
    pub(super) fn line_end(&self) -> &'static str {
        let first = self.source().iter().position(|byte| *byte == b'\n');
        let is_windows = first.and_then(|at| at.checked_sub(1)).is_some_and(|at| self.source()[at] == b'\r');
        if is_windows { "\r\n" } else { "\n" }
    }
}

#[cfg(test)]
mod tests {
    use crate::source::{Text, apply};

    /// The text with a statement beside the one at a place.
    fn with(text: &str, (line, column): (u32, u32), other: &str, behind: bool) -> String {
        let parsed = Text::parse(text);
        let rewrite = parsed.statement_at(line, column).unwrap().with_beside(other, behind);
        let edits = parsed.edits("f.c", &[rewrite]).unwrap();
        String::from_utf8(apply(text.as_bytes(), &edits).unwrap()).unwrap()
    }

    #[test]
    fn a_statement_stands_beside_another_one() {
        let text = "void f(int a)\n{\n    a = 1;\n    if (a)\n        a = 2;\n    else a = 3;\n}\n";
        assert_eq!(with(text, (3, 5), "g();", false), text.replace("a = 1;", "g();\n    a = 1;"));
        assert_eq!(with(text, (3, 5), "g();", true), text.replace("a = 1;", "a = 1;\n    g();"));
        assert_eq!(with(text, (5, 9), "g();", true), text.replace("a = 2;", "{ a = 2; g(); }"));
        assert_eq!(with(text, (6, 10), "g();", false), text.replace("a = 3;", "{ g(); a = 3; }"));
        let windows = "void f(int a)\r\n{\r\n    a = 1;\r\n}\r\n";
        assert_eq!(with(windows, (3, 5), "g();", true), windows.replace("a = 1;", "a = 1;\r\n    g();"));
        let labels = "void f(int a)\n{\n    switch (a) {\n    case 1: a = 1;\n    }\n}\n";
        assert_eq!(with(labels, (4, 13), "g();", false), labels.replace("a = 1;", "g(); a = 1;"));
    }

    #[test]
    fn names_mean_the_same_at_another_place_or_are_not_taken_there() {
        let text = "int g;\nint f(int a)\n{\n    int b, c = 0;\n    c = a;\n    {\n        int g = 1;\n        c = g;\n    }\n    b = c;\n    c = b;\n    \
                    c = g;\n    return c;\n}\n";
        let parsed = Text::parse(text);
        let takes = |to: (u32, u32), from: (u32, u32), behind| {
            let at = |(line, column)| parsed.statement_at(line, column).unwrap();
            at(to).takes(at(from), &[], behind)
        };
        assert!(takes((11, 5), (5, 5), false) && takes((5, 5), (10, 5), true), "known there, and assigned");
        assert!(!takes((5, 5), (11, 5), true), "without a value");
        assert!(!takes((8, 9), (12, 5), false), "another one of that name");
        assert!(!takes((12, 5), (8, 9), true), "out of scope");
        assert_eq!(parsed.statement_at(5, 5).unwrap().returns().count(), 1);
        assert!(!parsed.statement_at(5, 5).unwrap().returns_nothing());
    }

    #[test]
    fn statements_of_other_functions_are_taken_with_the_variables_of_this_one() {
        let text = "int g;\nvoid h(int *p)\n{\n    int n = 1;\n    p[n] = g + n;\n}\nvoid f(int *q)\n{\n    int m, n;\n    g = 2;\n    m = n = 1;\n    {\n        \
                    int *r = q;\n        *r = 3;\n    }\n    *q = m;\n}\n";
        let parsed = Text::parse(text);
        let at = |(line, column)| parsed.statement_at(line, column).unwrap();
        let donor = at((5, 5));
        assert_eq!(donor.renamed(&[("p", "q"), ("n", "m")]), "q[m] = g + m;");
        let latin = Text::parse([&b"void f(int p) { g(p, '"[..], &[0xe4], &b"', p); }"[..]].concat());
        assert_eq!(latin.statement_at(1, 17).unwrap().renamed(&[("p", "q")]), "");
        assert_eq!(donor.renamed(&[("n", "count"), ("p", "p")]), "p[count] = g + count;");
        let takes = |to, names: &[(&str, &str)]| at(to).takes(donor, names, true);
        assert!(takes((16, 5), &[("p", "q"), ("n", "m")]) && takes((16, 5), &[("p", "q"), ("n", "n")]));
        assert!(!takes((10, 5), &[("p", "q"), ("n", "m")]), "without a value");
        assert!(takes((14, 9), &[("p", "r"), ("n", "n")]) && takes((14, 9), &[("p", "q"), ("n", "n")]));
        assert!(!takes((16, 5), &[("p", "r"), ("n", "m")]), "out of scope");
        assert!(!takes((16, 5), &[("p", "g"), ("n", "m")]), "no variable of the function");
        assert!(!takes((16, 5), &[("n", "m")]), "not known here");
    }

    #[test]
    fn what_the_text_tells_of_further_down_is_not_known_here() {
        let text = "struct t { int b; };\nint f(struct t *q)\n{\n    q->b = 1;\n    return 0;\n}\n#define MOST 3\nstruct s { int a; };\n\
                    typedef int T;\nenum { ONE = 1 };\nint h(struct t *p)\n{\n    p->b = MOST;\n    p->b = sizeof(struct s);\n    p->b = (T)7;\n    \
                    p->b = ONE;\n    p->b = BEFORE;\n#define INNER 1\n    p->b = INNER;\n    return 1;\n}\n";
        let parsed = Text::parse(text);
        let at = |line| parsed.statement_at(line, 5).unwrap();
        let takes = |to, from, names: [(&str, &str); 1]| at(to).takes(at(from), &names, true);
        let taken: Vec<u32> = (13..20).filter(|line| *line != 18 && takes(4, *line, [("p", "q")])).collect();
        assert_eq!(taken, [17]);
        assert!(takes(17, 4, [("q", "p")]) && takes(19, 13, [("p", "p")]));
    }
}
