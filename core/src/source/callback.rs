//! Functions that are handed on: `run(each, on_entry)`, `.write = to_file`.

use super::kind::{Field, Kind};
use super::text::{Meaning, Text};

impl Text {
    /// Whether the text names a function other than to declare or call it: who calls it through that address chose its parameters.
    pub fn hands_on(&self, function: &str) -> bool {
        self.nodes.iter().any(|node| {
            node.kind == Kind::Identifier
                && !matches!(node.field, Field::Declarator | Field::Function)
                && self.slice(node.span) == Some(function)
                && self.names_function(node.span.start, function) != Meaning::Another
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_handed_on_that_is_named_as_a_value() {
        let hands_on = |text: &str| Text::parse(text).hands_on("f");
        for text in [
            "void g(void) { run(1, f); }",
            "void g(void) { run(1, &f); }",
            "int f(int a) { return 1; } struct ops o = { .close = 0, .open = f };",
            "int (*all[])(int) = { g, f };",
            "void g(struct ops *o) { o->open = f; }",
            "int (*h(void))(int) { return f; }",
        ] {
            assert!(hands_on(text), "{text}");
        }
        for text in [
            "int f(int a); int f(int a) { return f(2); }",
            "static int *f(a, b) int a, b; { return f2(b); }",
            "void g(int f) { run(1, f); }",
            "void g(void) { o->f = 1; o.f(2); struct f f2; }",
            "",
        ] {
            assert!(!hands_on(text), "{text}");
        }
    }
}
