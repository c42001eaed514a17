//! What is left of expressions without an operator, and what assignments become.

use super::code_tests::Snippet;
use super::*;
use crate::program::{OperationKind, Operator, Signedness};
use crate::trial::Change;

const INTS: [(&str, &str); 4] = [("a", "int"), ("b", "int"), ("c", "char"), ("u", "unsigned int")];

/// A snippet in which `a` to `u` are read wherever they stand.
fn snippet(body: &str) -> Snippet {
    let mut made = Snippet::new(body).variables(&INTS);
    for (number, (name, _)) in (0..).zip(INTS) {
        for (at, _) in body.match_indices(name) {
            let before = body[..at].chars().next_back().is_some_and(char::is_alphanumeric);
            let after = body[at + 1..].chars().next().is_some_and(char::is_alphanumeric);
            if !before && !after {
                made = made.read(body, at, number, &[]);
            }
        }
    }
    made
}

fn with(body: &str, mark: &str, kind: OperationKind) -> Snippet {
    let made = snippet(body);
    let place = made.place(mark, 0);
    made.with(place, None, kind)
}

fn binary(operator: Operator, signedness: Signedness) -> OperationKind {
    OperationKind::Binary { operator, width: 32, signedness, left: None, right: None }
}

fn without(body: &str, mark: &str, operator: Operator, signedness: Signedness) -> Vec<String> {
    with(body, mark, binary(operator, signedness)).read_as(Class::Bod)
}

#[test]
fn unary_operators_leave_their_operand() {
    let kind = OperationKind::Unary { width: 32, is_float: false };
    let without = |body: &str, mark: &str| with(body, mark, kind).read_as(Class::Uod);
    assert_eq!(without("x = !s.m;", "!"), ["x = (int)s.m;"]);
    assert_eq!(without("x = !(a + 1) * b;", "!"), ["x = (int)(a + 1) * b;"]);
    assert_eq!(without("x = !(a < b);", "!"), ["x = (a < b);"]);
    assert_eq!(without("x = a - -b;", "-b"), ["x = a - b;"]);
    assert_eq!(without("x = ~g(b);", "~"), ["x = g(b);"]);
    // A step backwards is no negation.
    assert_eq!(without("x = a - b;", "-"), [""; 0]);
}

#[test]
fn operators_leave_one_operand_in_the_type_of_both() {
    use Signedness::{Signed, Unknown, Unsigned};
    assert_eq!(without("x = a + b;", "+", Operator::Add, Signed), ["x = a;", "x = b;"]);
    assert_eq!(without("x = (a + 1) * b;", "* b", Operator::Mul, Signed)[1], "x = b;");
    assert_eq!(without("x = -(a & b);", "& b", Operator::And, Signed), ["x = -(a);", "x = -(b);"]);
    assert_eq!(
        without("x = (a - b) / u;", "/ u", Operator::UnsignedDiv, Unsigned),
        ["x = (unsigned)(a - b);", "x = u;"]
    );
    assert_eq!(without("x = c + b;", "+", Operator::Add, Signed), ["x = c;", "x = b;"]);
    assert_eq!(without("x = s.m * b;", "* b", Operator::Mul, Signed), ["x = (int)s.m;", "x = b;"]);
    assert_eq!(without("x = s.m + b;", "+ b", Operator::Add, Unknown), [""; 0]);
    // The count of a shift is of a type of its own.
    assert_eq!(without("x = a << b;", "<<", Operator::Shl, Signed), ["x = a;"]);
    // What has an effect has it at run time, too.
    assert_eq!(without("x = a + g(b);", "+ g", Operator::Add, Signed), ["x = (int)g(b);"]);
    assert_eq!(without("x = a++ * b;", "* b", Operator::Mul, Signed), ["x = (int)a++;"]);
    assert_eq!(without("x = a < b;", "<", Operator::SignedLess, Signed), [""; 0]);
    let changes: Vec<Change> = with("x = a + b;", "+", binary(Operator::Add, Signed))
        .mutants()
        .into_iter()
        .filter(|mutant| mutant.class == Class::Bod)
        .map(|mutant| mutant.overrides[0].change.clone())
        .collect();
    assert_eq!(changes, [Change::Operator(Operator::First), Change::Operator(Operator::Second)]);
}

#[test]
fn what_is_left_is_compared_with_what_constants_do() {
    let kind = OperationKind::Binary {
        operator: Operator::Add,
        width: 32,
        signedness: Signedness::Signed,
        left: None,
        right: Some(1),
    };
    let snippet = with("x = a + 1;", "+", kind);
    // `a + 0` is one, and so is `1` for `a * 0 + 1`, which nothing else makes.
    assert_eq!(snippet.of_status(Class::Bod, |status| matches!(status, Status::Duplicate(_))), ["a"]);
    assert_eq!(snippet.of_status(Class::Bod, |status| status == Status::Normal), ["1"]);
}

#[test]
fn steps_leave_the_address() {
    let step = |body: &str, mark: &str, backwards| {
        with(body, mark, OperationKind::Step { backwards, constant: None }).read_as(Class::Bod)
    };
    assert_eq!(step("p = q + a;", "+ a", false), ["p = q;"]);
    assert_eq!(step("p = a + q;", "+ q", false), ["p = q;"]);
    assert_eq!(step("p = q - n;", "- n", true), ["p = q;"]);
    // Which one is the address?
    assert_eq!(step("p = q + n;", "+ n", false), [""; 0]);
    assert_eq!(step("p = q - n();", "- n", true), [""; 0]);
    assert_eq!(step("p += a;", "+=", false), [""; 0]);
}

#[test]
fn connectors_leave_one_condition() {
    let logic = |body: &str, mark: &str, and| with(body, mark, OperationKind::Logical { and });
    let read = |body: &str, mark: &str, and| logic(body, mark, and).read_as(Class::Bod);
    assert_eq!(read("if (a && b) ;", "&&", true), ["if (a) ;", "if (b) ;"]);
    assert_eq!(read("while (a < 3 || g(b)) ;", "||", false), ["while (a < 3) ;", "while (g(b)) ;"]);
    assert_eq!(read("if (g(a) && b) ;", "&&", true), ["if (g(a)) ;"]);
    assert_eq!(read("x = a && b > 2;", "&&", true), ["x = !!a;", "x = b > 2;"]);
    assert_eq!(read("return a == b || c;", "||", false), ["return a == b;", "return !!c;"]);
    assert_eq!(read("if (a && b && c) ;", "&& c", true), ["if (a && b) ;", "if (c) ;"]);
    assert_eq!(read("if (a && (b || c)) ;", "&& (", true), ["if (a) ;", "if ((b || c)) ;"]);
    // In the code this is `(a && b) && c`.
    assert_eq!(read("if (a && (b && c)) ;", "&& (", true), [""; 0]);
    let changes: Vec<Change> = logic("if (a && b) ;", "&&", true)
        .mutants()
        .iter()
        .filter(|mutant| mutant.class == Class::Bod)
        .map(|mutant| mutant.overrides[0].change.clone())
        .collect();
    assert_eq!(changes, [Change::Choose(2), Change::Choose(3)]);
}

#[test]
fn assignments_become_updates_and_updates_assignments() {
    let assign = |body: &str, mark: &str, width, is_float, right| {
        with(body, mark, OperationKind::Assign { width, is_float, right }).read_as(Class::Asr)
    };
    let five = ["x += a;", "x -= a;", "x *= a;", "x |= a;", "x &= a;"];
    assert_eq!(assign("x = a;", "=", 32, false, None), five);
    assert_eq!(assign("x = a;", "=", 64, true, None), five[..3]);
    // What leaves the variable as it is is the deletion of the statement, what comes to the constant is no mutant.
    assert_eq!(assign("x = 0;", "=", 32, false, Some(0)), [""; 0]);
    assert_eq!(assign("x = 1;", "=", 32, false, Some(1)), ["x += 1;", "x -= 1;", "x |= 1;", "x &= 1;"]);
    assert_eq!(assign("x = -1;", "=", 32, false, Some(0xffff_ffff)), ["x += -1;", "x -= -1;", "x *= -1;"]);
    // 2.5 is no number of an `int`, and none of a `float` before it is converted.
    assert_eq!(assign("x = 2.5;", "=", 32, false, Some(2)), [""; 0]);
    let float = |body: &str| assign(body, "=", 32, true, Some(u64::from(2.5f32.to_bits()))).len();
    assert_eq!((float("x = 2.5;"), float("x = 2.5f;"), float("x = HALF;")), (0, 3, 0));
    // A constant that goes on after it is assigned is not the assignment's.
    assert_eq!(assign("y = x = 5;", "= 5", 32, false, Some(5)), [""; 0]);
    assert_eq!(assign("y = x = a;", "= a", 32, false, None)[0], "y = x += a;");
    let update =
        |body: &str, operator| with(body, &body[2..4], binary(operator, Signedness::Signed)).read_as(Class::Asr);
    assert_eq!(update("x += a;", Operator::Add), ["x = a;"]);
    assert_eq!(update("x /= a + b;", Operator::SignedDiv), ["x = a + b;"]);
    assert_eq!(update("x <<= a;", Operator::Shl), [""; 0]);
}

#[test]
fn removals_go_with_other_mutants() {
    let body = "x = a + b * c;";
    let made = with(body, "+", binary(Operator::Add, Signedness::Signed));
    let place = made.place("* c", 0);
    let made = made.with(place, None, binary(Operator::Mul, Signedness::Signed));
    let mutants = made.mutants();
    let find = |from: &str, to: &str| mutants.iter().find(|one| one.original == from && one.replacement == to).unwrap();
    let texts = made.texts();
    let edits = edits(&made.program, &texts, [find("a + b * c", "b * c"), find("*", "/")]).unwrap();
    assert_eq!(made.after(&edits), "x = b / c;");
    let both = super::edits(&made.program, &texts, [find("a + b * c", "a"), find("+", "-")]);
    assert!(both.is_err(), "of one operator");
}

#[test]
fn what_is_compiled_grows_as_an_expression_does() {
    let compiled = |terms: u64| {
        let sum: Vec<String> = (0..terms).map(|term| format!("a * {}", 1000 + term)).collect();
        let all = Snippet::new(&format!("x = {};", sum.join(" + ")));
        let all = (0..terms).fold(all, |all, term| {
            let number = 1000 + term;
            let all = all.binary(&format!("* {number}"), 0, Operator::Mul, None, Some(number));
            match term {
                0 => all,
                _ => all.binary(&format!(" + a * {number}"), 1, Operator::Add, None, None),
            }
        });
        let mutants = all.mutants();
        let modules = Comparison::new(&all.program, &all.texts(), &mutants).modules(&Forms::new());
        (mutants.len(), modules.concat().len())
    };
    let ((few, short), (many, long)) = (compiled(40), compiled(160));
    assert!(many > 3 * few && long < 5 * short, "{few}: {short}, {many}: {long}");
}
