//! Versions of which too many tests fail, which papers leave out.

use std::collections::BTreeMap;

use crate::eval::{ByValues, Evaluated, VersionOutcome, VersionResult};
use crate::rank::Located;

/// The result without suites of which more than the share `most` of the tests fail; left out where none remains.
pub(super) fn within(result: VersionResult, most: Option<f64>) -> VersionResult {
    let (Some(most), VersionOutcome::Evaluated(found)) = (most, &result.outcome) else { return result };
    let share = |failing: u32, passing: u32| f64::from(failing) / f64::from((failing + passing).max(1));
    let kept: Vec<bool> = found.suites.iter().map(|suite| share(suite.failing, suite.passing) <= most).collect();
    let outcome = match kept.contains(&true) {
        true => VersionOutcome::Evaluated(chosen(found.clone(), &kept)),
        false => {
            let least = found.suites.iter().map(|suite| share(suite.failing, suite.passing)).fold(1.0, f64::min);
            let [least, most] = [least, most].map(|share| (share * 1000.0).round() / 10.0);
            VersionOutcome::Excluded(format!("{least} % of its tests fail, more than {most} %"))
        }
    };
    VersionResult { outcome, ..result }
}

fn chosen(found: Evaluated, kept: &[bool]) -> Evaluated {
    let by_values = |values: ByValues| ByValues { located: located(values.located, kept), ..values };
    Evaluated {
        suites: of(found.suites, kept),
        located: located(found.located, kept),
        t_scores: found.t_scores.into_iter().map(|(method, scores)| (method, of(scores, kept))).collect(),
        by_values: found.by_values.into_iter().map(by_values).collect(),
        assessed: of(found.assessed, kept),
        ..found
    }
}

fn located(all: BTreeMap<String, Vec<Option<Located>>>, kept: &[bool]) -> BTreeMap<String, Vec<Option<Located>>> {
    all.into_iter().map(|(method, located)| (method, of(located, kept))).collect()
}

/// Those of the values, one for each suite, whose suite is kept.
fn of<T>(values: Vec<T>, kept: &[bool]) -> Vec<T> {
    values.into_iter().zip(kept).filter(|(_, kept)| **kept).map(|(value, _)| value).collect()
}
