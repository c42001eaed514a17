//! More edits than the first tier compares.

use crate::edits::compared;

#[test]
fn hundreds_of_edits_do_what_their_mutants_do() {
    assert!(compared(250) > 200);
}
