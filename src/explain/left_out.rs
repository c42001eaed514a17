//! Changes of the program under which the check that fails is not made: the test passes then, and the change says nothing about the failure.

use std::collections::HashSet;

use super::Case;
use crate::comparison::Side;
use crate::recording::Site;
use crate::report::{Claim, Inserted};

impl Case<'_> {
    /// Whether the check at a point of the failing run is not made under a change of the program at the points `changed`, or is what it changes. An inserted
    /// statement leaves the function in which it is made, or one around it; or the call that leads to it is left out, or is one of another function.
    pub(super) fn is_left_out(&self, claim: &Claim, changed: &HashSet<u32>, check: u32) -> bool {
        if changed.contains(&check) {
            return true;
        }
        let (details, around) = (&self.runs.details[1], self.around(check));
        let before = || changed.iter().filter(|point| **point < check);
        let inserted = claim.edit.as_ref().and_then(|edit| Inserted::of(&edit.original, &edit.replacement));
        if inserted.is_some_and(|inserted| leaves(&inserted.statement)) {
            let is_around = |point: &u32| details.frame_of(*point).is_some_and(|frame| around.contains(&frame));
            return before().next().is_some() && before().all(is_around);
        }
        let leads_there = |point: &u32| {
            let Site::Step(step) = self.code.what(self.failing().site(*point)) else { return false };
            let is_other = || self.words.callee(step).is_some_and(|callee| calls_another(claim, callee));
            around.iter().any(|frame| details.frames[*frame as usize].call == Some(step))
                && (leaves_out(claim) || is_other())
        };
        before().any(leads_there)
    }

    /// Whether one of these points only calls the helper of the tests that makes the check: what is handed to it says more.
    pub(super) fn is_call_of_check(&self, points: &HashSet<u32>, check: u32) -> bool {
        let Some((place, _)) = self.own_place(Side::Second, check) else { return false };
        let is_of_tests = self.room.trusted_files().is_ok_and(|trusted| trusted.contains(self.words.file(place)));
        let frame = self.around(check).first().map(|frame| &self.runs.details[1].frames[*frame as usize]);
        let call = frame.and_then(|frame| frame.call).map(|step| self.code.site(Site::Step(step)));
        is_of_tests && points.iter().any(|point| Some(self.failing().site(*point)) == call)
    }

    /// The activations in which a point is, the innermost first.
    fn around(&self, point: u32) -> Vec<u32> {
        let details = &self.runs.details[1];
        let mut around: Vec<u32> = details.frame_of(point).into_iter().collect();
        while let Some(frame) = around.last().and_then(|frame| details.frames.get(*frame as usize))
            && !around.contains(&frame.caller)
        {
            around.push(frame.caller);
        }
        around
    }
}

/// True for a change that leaves a call or a statement out.
pub fn leaves_out(claim: &Claim) -> bool {
    claim.kind == "call" || claim.edit.as_ref().is_some_and(|edit| is_nothing(&edit.replacement))
}

/// True for a change by which another function is called than this one.
fn calls_another(claim: &Claim, callee: &str) -> bool {
    let edit = claim.edit.as_ref();
    edit.is_some_and(|edit| edit.original.contains(callee) && !edit.replacement.contains(callee))
}

/// True for the replacement of what is left out.
fn is_nothing(text: &str) -> bool {
    text.trim().trim_matches(';').is_empty()
}

/// True for a statement that ends a function, or the process, where it stands.
fn leaves(statement: &str) -> bool {
    let mut words = statement.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.any(|word| matches!(word, "return" | "exit" | "_exit" | "abort"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_end_a_function_are_known() {
        for statement in ["return 0;", "return;", "if (n == 0) return -1;", "exit(0);", "{ n = 0; return n; }"] {
            assert!(leaves(statement), "{statement}");
        }
        for statement in ["n = 0;", "returned = 1;", "on_exit_of(3);", "break;"] {
            assert!(!leaves(statement), "{statement}");
        }
    }
}
