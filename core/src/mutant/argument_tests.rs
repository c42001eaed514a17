//! Operators and variables in the arguments of macros: tried where the macro takes the argument once, as it is written.

use super::code_tests::Snippet;
use super::*;
use crate::program::Operator;

const INTS: [(&str, &str); 4] = [("a", "int"), ("b", "int"), ("c", "int"), ("t", "int")];

/// What becomes of the subtraction in the arguments of `PUT`, of which the definition is told.
fn subtraction(definition: &str, call: &str) -> Vec<String> {
    let body = format!("#define {definition}\n{call}");
    let snippet = Snippet::new(&body).variables(&INTS).binary(call, 0, Operator::Sub, None, None);
    let read = snippet.read_as(Class::Aor);
    read.into_iter().map(|text| text.lines().last().unwrap().to_owned()).collect()
}

#[test]
fn an_operator_in_an_argument_is_replaced_in_the_text() {
    let all = ["PUT(c, a + b);", "PUT(c, a * b);", "PUT(c, a / b);", "PUT(c, a % b);"];
    assert_eq!(subtraction("PUT(to, x) do { (to) = (x); } while (0)", "PUT(c, a - b);"), all);
    assert_eq!(subtraction("PUT(to, x) put(&to, x)", "PUT(c, a - b);"), all);
    let none: [&str; 0] = [];
    for definition in [
        "PUT(to, x) ((to) = (x) * (x))",
        "PUT(to, x) (put(#x), (to) = (x))",
        "PUT(to, x) to = 2 * x",
        "PUT(to, x) ((to) = (x) - 1)",
        "PUT(to, x) ((to) = OTHER(x))",
        "PUT(to, ...) put(&to, __VA_ARGS__)",
        "PUT(to, x) ((to) = (x))\n#undef PUT\n#define PUT(to, x) ((to) = -(x))",
    ] {
        assert_eq!(subtraction(definition, "PUT(c, a - b);"), none, "{definition}");
    }
    let put = "PUT(to, x) do { (to) = (x); } while (0)";
    assert_eq!(subtraction(put, "PUT(c, a - b - c);"), none, "two are written, one is compiled");
    assert_eq!(subtraction(put, "PUT(c, OTHER(a) - b);"), none, "another macro has a part in it");
    assert_eq!(subtraction(put, "PUT(c, a - b, a);"), none, "other arguments than it takes");
    assert_eq!(subtraction("OTHER(x) (x)", "PUT(c, a - b);"), none, "not defined where anybody can see it");
}

#[test]
fn of_two_such_operators_in_the_code_one_may_be_the_macros() {
    let body = "#define PUT(to, x) do { (to) = (x); } while (0)\nPUT(c, a - b);";
    let once = Snippet::new(body).binary("PUT(c", 0, Operator::Sub, None, None);
    assert!(once.mutants().iter().any(CodeMutant::is_normal));
    let twice = once.binary("PUT(c", 0, Operator::Sub, None, None);
    assert!(!twice.mutants().iter().any(CodeMutant::is_normal));
}

#[test]
fn a_variable_in_an_argument_is_read_for_another_one_that_the_macro_does_not_have() {
    let read_as = |definition: &str, call: &str| -> Vec<String> {
        let body = format!("#define {definition}\n{call}");
        let snippet = Snippet::new(&body).variables(&INTS).read(call, 0, 0, &[1, 3]);
        snippet.read_as(Class::Vrr).into_iter().map(|text| text.lines().last().unwrap().to_owned()).collect()
    };
    assert_eq!(read_as("PUT(x) put((x), 1)", "PUT(a);"), ["PUT(b);", "PUT(t);"]);
    assert_eq!(read_as("PUT(x) do { int t = (x); put(t); } while (0)", "PUT(2 * a);"), ["PUT(2 * b);"]);
    let none: [&str; 0] = [];
    assert_eq!(read_as("PUT(x) ((x) += 1)", "PUT(a);"), none);
    assert_eq!(read_as("PUT(x) put(&(x))", "PUT(a);"), none);
    assert_eq!(read_as("PUT(x) put((x), a)", "PUT(a);"), none);
}
