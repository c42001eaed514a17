//! What makes a failing test fail earlier or later than it does.

use super::super::*;
use super::{ADD, FAILED, candidate, everywhere, program, tests_of, trials};
use crate::trial::End;

const TESTS: [u32; 5] = [0, 1, 2, 3, 4];

#[test]
fn an_earlier_check_that_fails_counts_as_a_passing_test_that_breaks() {
    let (program, coverage) = (program(4), everywhere(4, &FAILED));
    let facts = LineFacts::new(&program, &coverage, &TESTS);
    let trials = trials(&FAILED, &[(ADD, 1, "ccuuu"), (ADD, 2, "eeuuu")]);
    let tallies = Tallies::new(&facts, &trials, |_| true);
    let of = |at| (tallies.of(at).failing, tallies.of(at).passing);
    let (changed, earlier) = (of(0), of(1));
    assert_eq!((changed.0.noticed, earlier.0.noticed), (2, 2));
    assert_eq!((changed.1.turned, earlier.1.turned, earlier.1.tried), (0, 2, 5));
    assert!(tallies.metallaxis(tallies.of(1)) < tallies.metallaxis(tallies.of(0)));
    let odds = Posterior::new(&facts, &trials).lines;
    assert!(odds[2] < odds[1], "{odds:?}");
}

#[test]
fn a_line_that_spoils_the_beginning_of_a_failing_test_is_executed_there() {
    let (program, coverage) = (program(4), everywhere(4, &FAILED));
    let facts = LineFacts::new(&program, &coverage, &TESTS);
    let of = Portrait::new(&facts, &trials(&FAILED, &[(ADD, 1, "ccuuu"), (ADD, 2, "ecuuu"), (ADD, 2, "ecuuu")]));
    let ochiai: Vec<f64> = of.features.iter().map(|features| features.ochiai).collect();
    assert_eq!(ochiai[0], ochiai[1], "as without trials");
    assert!((ochiai[2] - 2.0 / (2.0f64 * 6.0).sqrt()).abs() < 1e-12, "once for the one test: {ochiai:?}");
}

#[test]
fn a_later_check_is_as_far_as_output_can_grow() {
    let (program, coverage) = (program(4), everywhere(4, &FAILED));
    let facts = LineFacts::new(&program, &coverage, &TESTS);
    let of = Portrait::new(&facts, &trials(&FAILED, &[(ADD, 1, "cc..."), (ADD, 2, "ll...")]));
    assert_eq!((of.features[1].growth, of.features[2].growth), (0.0, 1.0));
}

#[test]
fn a_check_counts_where_a_failing_test_alone_tells_it() {
    let mut trials = Trials::new(tests_of(&FAILED));
    let at = trials.add(candidate(1, ADD, 0));
    let outcome = |effect| Outcome { effect, end: End::Exited(1), matched: None };
    assert!(trials.spoils(0, &outcome(Effect::Earlier)));
    assert!(!trials.spoils(2, &outcome(Effect::Earlier)), "a passing test");
    assert!(
        ![Effect::Changed, Effect::Later, Effect::Turned].into_iter().any(|effect| trials.spoils(0, &outcome(effect)))
    );
    trials.set(at, 0, outcome(Effect::Later));
    assert_eq!(trials.outcome(at, 0).map(|outcome| outcome.effect), Some(Effect::Later));
}
