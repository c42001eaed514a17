//! Drivers that look at the exit statuses of their starts and say nothing of them (`grep -q x f || fail=1`).

use super::driver::{Driver, Seen, Telling, Told};
use super::words::Said;
use super::{SuiteError, Verdict};
use crate::exec::kept::Reply;

/// Starts of a driver that is asked so, at most: each costs a replay of the driver, or two.
const MOST_ASKED: usize = 64;

impl Driver {
    /// The one start that is right with another exit status: with it the driver goes as far as before and passes, so the others are right.
    pub(super) fn checks_status(&self, seen: &Seen) -> Result<Option<Told>, SuiteError> {
        let replies = seen.replies;
        if replies.len() > MOST_ASKED {
            return Ok(None);
        }
        let mut failing = None;
        for (number, reply) in replies.iter().enumerate() {
            if self.passes_with_other_status(seen, number, reply)? && failing.replace(number).is_some() {
                // Either would do: nobody knows which of them is wrong.
                return Ok(None);
            }
        }
        let said = |failing: usize, at: usize| if at == failing { Said::Fail } else { Said::Pass };
        Ok(failing.map(|failing| (Telling::One, (0..replies.len()).map(|at| said(failing, at)).collect())))
    }

    /// Whether the driver passes where this start ends with another status, and starts as many programs: one that has nothing left to do passes, too.
    fn passes_with_other_status(&self, seen: &Seen, number: usize, reply: &Reply) -> Result<bool, SuiteError> {
        for status in others(reply.status) {
            let reading = self.replay(seen.kept, [(number, &Reply { status, ..reply.clone() })], None)?;
            if reading.verdict == Verdict::Pass && reading.after.len() == seen.first.after.len() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The statuses that a program may have ended with in the place of this one: success and, as `grep` and `cmp` say no, 1.
fn others(status: i32) -> impl Iterator<Item = i32> {
    [0, 1 << 8].into_iter().filter(move |other| *other != status)
}

#[cfg(test)]
mod tests {
    use super::others;

    #[test]
    fn success_and_a_no_are_the_other_statuses() {
        let all = |status| others(status).collect::<Vec<i32>>();
        assert_eq!([all(0), all(1 << 8), all(2 << 8), all(11)], [vec![256], vec![0], vec![0, 256], vec![0, 256]]);
    }
}
