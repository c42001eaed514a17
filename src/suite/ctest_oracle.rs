//! CTest's way from a run to a verdict, by a test's properties.

use std::path::PathBuf;

use regex::bytes::Regex;

use super::Verdict;
use super::mismatch::clip;
use super::oracle::expect_failure;
use super::verdict::{Judgement, failure_text, last_line, status_text};
use crate::exec::Status;

/// CTest's way to a verdict.
#[derive(Clone, Debug)]
pub(super) struct CtestOracle {
    pub(super) pass: Vec<Regex>,
    pub(super) fail: Vec<Regex>,
    pub(super) skip: Vec<Regex>,
    pub(super) skip_code: Option<i32>,
    pub(super) will_fail: bool,
    /// A required file that was not there when the tests were listed.
    pub(super) missing: Option<PathBuf>,
}

impl CtestOracle {
    /// Whether the exit status alone decides.
    pub(super) fn is_by_status(&self) -> bool {
        [&self.pass, &self.fail, &self.skip].iter().all(|expressions| expressions.is_empty()) && self.missing.is_none()
    }

    /// Whether a run passes that ends with status 0, whatever it writes.
    pub(super) fn wants_success(&self) -> bool {
        self.is_by_status() && !self.will_fail
    }

    /// As CTest does: a matching skip expression or status skips; a crash fails; with pass expressions one must match and the exit
    /// status does not count; a matching fail expression fails; `WILL_FAIL` turns it round.
    pub(super) fn judge(&self, status: Status, output: &[u8]) -> Judgement {
        if let Some(missing) = self.missing.as_ref().filter(|path| !path.exists()) {
            return Judgement::error(format!("a required file is missing: {}", missing.display()));
        }
        if self.skip.iter().any(|expression| expression.is_match(output)) {
            return Judgement::new(Verdict::Skip, "output matches SKIP_REGULAR_EXPRESSION");
        }
        let Status::Exited(code) = status else { return Judgement::fail(status_text(status)) };
        if Some(code) == self.skip_code {
            return Judgement { reason: last_line(output), ..Judgement::skip() };
        }
        expect_failure(self.by_output(code, output), self.will_fail)
    }

    fn by_output(&self, code: i32, output: &[u8]) -> Judgement {
        if !self.pass.is_empty() && !self.pass.iter().any(|expression| expression.is_match(output)) {
            return Judgement::fail("output does not match PASS_REGULAR_EXPRESSION");
        }
        if let Some(found) = self.fail.iter().find_map(|expression| expression.find(output)) {
            return Judgement::fail(format!("output contains `{}` (FAIL_REGULAR_EXPRESSION)", clip(found.as_bytes())));
        }
        if code == 0 || !self.pass.is_empty() {
            return Judgement::pass();
        }
        Judgement::fail(failure_text(Status::Exited(code), output))
    }
}
