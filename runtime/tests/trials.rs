//! Trials of real programs: values are overridden and compared as the trial file says.

mod trial;

use suspect_format::site::NodeKind::{Assignment, Parameter, Predicate, Return, Switch};
use suspect_format::trial::{Change, PROCESS_STARTED, TEXT_UNREADABLE};
use trial::Subject;

const SUM: &str = r#"
#include <stdio.h>
int twice(int x) { return x + x; }
int main(int argc, char **argv)
{
    int c, sum = 0, lines = 0;
    while ((c = getchar()) != EOF) {
        sum += twice(c - '0');
        if (c == '\n')
            lines++;
    }
    printf("%d %d\n", sum, lines);
    return 0;
}
"#;

#[test]
fn a_trial_without_override_is_the_oracle() {
    let subject = Subject::new(SUM);
    let oracle = subject.oracle(&[], "123");
    assert_eq!(oracle.output.stdout, b"12 0\n");
    let outcome = oracle.trial().run();
    assert_eq!((outcome.stdout.as_str(), outcome.how()), ("12 0\n", (Some(0), None)));
    assert_eq!((outcome.changed(), outcome.applied(), outcome.next_process), (vec![], false, 1));
    assert_eq!(outcome.processes[0].flags, PROCESS_STARTED);
    assert!(outcome.processes[0].counts.iter().sum::<u64>() > 20);
}

#[test]
fn the_value_of_an_assignment_is_what_the_variable_then_holds() {
    let subject = Subject::new(SUM);
    let oracle = subject.oracle(&[], "123");
    let c = subject.node(Assignment, "c");
    assert_eq!(oracle.values(c), [49, 50, 51, 0xffff_ffff]);
    // The loop's condition sees the override, too.
    let outcome = oracle.change(c, Change::Set, 0xffff_ffff).instance(2).run();
    assert_eq!((outcome.stdout.as_str(), outcome.applied()), ("2 0\n", true));
    assert_eq!(outcome.processes[0].counts[c as usize], 2);
}
