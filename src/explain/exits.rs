//! Where a failing run says what is wrong, and ends itself: why it came there says more than what it would have done after that.

use suspect_format::external::Role;

use super::Case;
use super::alone::MOST_TOLD;
use super::before::MOST_FOLLOWED;
use super::question::Question;
use crate::comparison::{Side, Tie, Value};
use crate::obstacle::Obstacle;
use crate::report::Explanation;
use crate::suite::Verdict;

/// How such a run was followed, in words.
const REFUSED: &str = "the failing run alone was followed, back from where it gives up: no change of the program is known that mends the test and breaks no \
     other, so nothing here is proved";

impl Question<'_> {
    /// The way back from where the failing run gives up, if it does.
    pub(super) fn along_from_exit(&self) -> Result<Option<Explanation>, Obstacle> {
        if self.wrong.is_some() || self.misuse.is_some() || self.failing.verdict != Verdict::Fail {
            return Ok(None);
        }
        self.followed_alone(|case| case.exit().is_some(), |case, _| case.along_from_exit())
    }
}

impl Case<'_> {
    /// The call, outside of the tests' code, by which the failing run ends itself with a status that tells a failure. It is why the test fails where that is the
    /// status which the test complains of, or its output ends too early.
    fn exit(&self) -> Option<(u32, u64)> {
        let run = self.failing();
        let reason = self.recorded[1].reason.as_ref()?;
        let told = reason.strip_prefix("exit status ").and_then(|status| status.split([',', ':', ';']).next());
        let told: Option<u64> = told.and_then(|status| status.trim().parse().ok());
        if told.is_none() && !reason.contains(": ends before line ") {
            return None;
        }
        let ends = |point: &u32| self.code.role(run.site(*point)) == Some(Role::Ends);
        let exit = (run.skipped().points + 1..run.points()).rev().find(ends)?;
        let status = run.written(exit).find_map(|write| match run.value(write) {
            Value::Number(bits) => Some(bits & 0xff),
            _ => None,
        })?;
        // Of a check that names its place more is known.
        if self.failed_check(reason, self.words.files()).is_some() {
            return None;
        }
        let trusted = self.room.trusted_files().ok()?;
        let place = self.own_place(Side::Second, exit)?.0;
        let is_why = status != 0 && told.is_none_or(|told| told == status);
        (is_why && !trusted.contains(self.words.file(place))).then_some((exit, status))
    }

    /// The way back from there: by the lines that the last ranking suspects, or else from value to value.
    fn along_from_exit(&self) -> Option<Explanation> {
        let (exit, status) = self.exit()?;
        let said = self.recorded[1].written.as_ref().and_then(|[_, errors]| {
            let text = String::from_utf8_lossy(errors).into_owned();
            text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
        });
        let said = said.map(|line| format!(", and says: {line}")).unwrap_or_default();
        let words = format!("{} gives up with status {status} at {}{said}", self.names[1], self.at(Side::Second, exit));
        let way: Vec<(u32, Tie)> = self.followed((exit, None), MOST_FOLLOWED);
        let mut facts = self.told_way(&way, MOST_TOLD);
        if let Some(first) = facts.first_mut() {
            first.text = format!("it gives up with status {status}");
        }
        let mut explanation = Explanation { facts, ..self.told_alone(words, &[], REFUSED.to_owned()) };
        // That a change of how it ends silences the failure says nothing of the other lines.
        explanation.before = self.before(exit, self.room.ranked_lines(), &explanation.told_lines());
        Some(explanation)
    }
}
