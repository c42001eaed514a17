//! Integers that calls pass: one more and one less, where the text has the argument.

use super::code_tests::Snippet;
use super::*;
use crate::program::OperationKind;
use crate::trial::Change;

fn passed(body: &str, position: u32, n_arguments: u32) -> Snippet {
    let snippet = Snippet::new(body);
    let place = snippet.place("g(", 0);
    snippet.with(place, None, OperationKind::Passed { position, n_arguments, width: 64 })
}

#[test]
fn an_integer_that_is_passed_is_tried_one_more_and_one_less() {
    let read = |body: &str, position, n_arguments| passed(body, position, n_arguments).read_as(Class::Sti);
    assert_eq!(read("g(a);", 0, 1), ["g(a + 1);", "g(a - 1);"]);
    assert_eq!(read("x = g(b, h(a), b) * 2;", 1, 3), ["x = g(b, h(a) + 1, b) * 2;", "x = g(b, h(a) - 1, b) * 2;"]);
    assert_eq!(read("g(a ? b : a);", 0, 1), ["g((a ? b : a) + 1);", "g((a ? b : a) - 1);"]);
    assert_eq!(read("g(a + b);", 0, 1), ["g(a + b + 1);", "g(a + b - 1);"]);
    // The constant is tried as one more and one less.
    assert_eq!(read("g(a + 2);", 0, 1), [""; 0]);
    // One that is passed in pieces moves those behind it.
    assert_eq!(read("g(s, a);", 1, 3), [""; 0]);
    let changes: Vec<Change> =
        passed("g(a);", 0, 1).mutants().into_iter().map(|mutant| mutant.overrides[0].change.clone()).collect();
    assert_eq!(changes, [Change::Add(1), Change::Add(u64::MAX)]);
}
