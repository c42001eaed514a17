//! Drivers that compare the output of each start behind it and show the difference (`sed p in > out; diff -u exp out || fail=1`), where most starts fail:
//! no words tell those that fail from those that pass.

use super::SuiteError;
use super::compared::{Change, shows_difference};
use super::driver::{Driver, Seen, Telling, Told, otherwise_answered};
use super::words::Said;

impl Driver {
    /// What is told of each start by the differences that are shown before the next one: it fails if one shows its output, and passes if one is shown only where
    /// it is answered otherwise.
    pub(super) fn compares_each(&self, seen: &Seen) -> Result<Option<Told>, SuiteError> {
        let Some(otherwise) = &seen.otherwise else { return Ok(None) };
        let behind = seen.first.after.iter().zip(&otherwise.after);
        let told = |((number, reply), (as_is, otherwise)): ((usize, _), (&Vec<u8>, &Vec<u8>))| {
            let compares = |text: &[u8], output: &[u8]| Change::between(b"", text).compares(output);
            let is_compared = compares(otherwise, &otherwise_answered(number, reply, false).stdout);
            match (is_compared, shows_difference(as_is)) {
                (true, true) if compares(as_is, &reply.stdout) => Said::Fail,
                (true, false) => Said::Pass,
                _ => Said::Nothing,
            }
        };
        let said: Vec<Said> = seen.replies.iter().enumerate().zip(behind).map(told).collect();
        Ok(said.contains(&Said::Fail).then_some((Telling::Each, said)))
    }
}
