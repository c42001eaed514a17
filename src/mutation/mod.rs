//! Mutants of a recorded program: which there are, what runs them, and what tests do to them.

mod catalogue;
mod code;
mod code_state;
mod endless;
mod join;
mod kills;
mod since;
mod values;
mod watch;
mod work;

use std::sync::{Mutex, PoisonError};

use crate::campaign::Workbench;
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::store::TestRecord;
use crate::suite::Verdict;
use crate::suite_run::Session;
use crate::trial::{Executors, Known, Setup, Watched};
pub use catalogue::{Catalogue, CatalogueRequest, Sample, entry, selection, sources, subject, texts};
pub use code::{line_dependences, load_code};
pub use code_state::{CodeState, build_identity, mix, test_code, text};
pub use endless::{Endless, does_not_end, most_passing_edges, n_edges};
pub use join::{Joined, join_parts};
pub use kills::{Decisive, KillRequest, Killed, Killer, MemberKills, Subject};
pub use values::{ValuesRequest, mutate_values};

/// The workbench that runs the tests of a recorded run.
pub fn workbench<'a>(
    session: &'a Session,
    executors: Executors,
    watched: Watched,
    allow_unsafe: bool,
    endless: &Endless,
) -> Result<Workbench<'a>, Obstacle> {
    let (run, suite) = (&session.run, session.suite()?);
    let setup =
        Setup::new().map_err(|error| Obstacle::new(Obstacle::File, format!("cannot find suspect itself: {error}")))?;
    let known = |(index, test): (u32, &TestRecord)| {
        let failed = if endless.tests.contains(&index) { Verdict::Timeout } else { Verdict::Fail };
        let verdict = if test.passed? { Verdict::Pass } else { failed };
        Some((index, Known { processes: Some(test.processes), ..verdict.into() }))
    };
    let budget = (watched == Watched::Output && !endless.tests.is_empty()).then_some(endless.budget);
    Ok(Workbench {
        suite,
        program: &run.program,
        setup: Setup { allow_unsafe, endless: budget, enough: endless.enough, ..setup },
        executors,
        watched,
        known: (0..).zip(&run.manifest.tests).filter_map(known).collect(),
        until_passing: None,
        uncontained: Mutex::default(),
    })
}

/// Tells what the kernel could not contain.
pub fn say_uncontained(workbench: &Workbench, progress: &dyn Progress) {
    for what in workbench.uncontained.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        progress.say(&format!("trials were not wholly contained: {what}"));
    }
}
