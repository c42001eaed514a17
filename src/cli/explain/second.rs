//! Which test is explained, and with which run it is compared.

use super::super::args::{ExplainArguments, Switched};
use super::super::exit::{Exit, Failure};
use crate::comparison::Turn;
use crate::profile::likeness::by_likeness;
use crate::store::{Run, Store};

/// The run that the failing one is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Second {
    /// That of a test that the user named.
    Named(String),
    /// That of the passing test most like it.
    Alike(String),
    /// The failing one, with a decision that goes another way: this one, or one that makes it pass; with why, if nobody asked for that.
    Switched(Option<Turn>, Option<&'static str>),
}

/// No test passes.
const NONE_PASSES: &str = "no passing test is there to compare with";
/// No passing test does anything that the failing one does.
const NONE_ALIKE: &str = "no passing test executes what this one does";

/// The failing test and what it is compared with: those asked for, else by what the last `suspect test` recorded.
pub fn question(store: &Store, arguments: &ExplainArguments) -> Result<(String, Second), Failure> {
    if let (Some(failing), Some(passing)) = (&arguments.test, &arguments.against) {
        return Ok((failing.clone(), Second::Named(passing.clone())));
    }
    if let (Some(failing), Some(Switched(turn))) = (&arguments.test, arguments.switch) {
        return Ok((failing.clone(), Second::Switched(turn, None)));
    }
    let run = store.latest_run().map_err(|error| {
        Failure::new(Exit::Store, format!("{error}; run `suspect test` first, or give both tests: TEST --against TEST"))
    })?;
    let failing = match &arguments.test {
        Some(name) => name.clone(),
        None => {
            let failing = run.manifest.tests.iter().find(|test| test.passed == Some(false));
            let none =
                || Failure::new(Exit::Baseline, "no test of the last `suspect test` fails; give the one to explain");
            failing.ok_or_else(none)?.name.clone()
        }
    };
    let second = match (&arguments.against, arguments.switch) {
        (Some(name), _) => Second::Named(name.clone()),
        (None, Some(Switched(turn))) => Second::Switched(turn, None),
        (None, None) => most_like(&run, &failing)?,
    };
    Ok((failing, second))
}

fn most_like(run: &Run, failing: &str) -> Result<Second, Failure> {
    let tests = &run.manifest.tests;
    let number = (0..).zip(tests).find(|(_, test)| test.name == failing).map(|(number, _)| number);
    let unknown = || {
        let message = format!(
            "{failing} was not recorded by the last `suspect test`; say with which test to compare it: --against TEST"
        );
        Failure::new(Exit::Usage, message)
    };
    let number = number.ok_or_else(unknown)?;
    let recorded = run.recorded()?;
    let one = recorded.execution(number)?;
    let passing = (0..).zip(tests).filter(|(_, test)| test.passed == Some(true)).map(|(number, _)| number);
    let order =
        by_likeness(&one, passing.map(|number: u32| recorded.execution(number).map(|execution| (number, execution))))?;
    Ok(match order.first() {
        None => Second::Switched(None, Some(NONE_PASSES)),
        Some((_, 0.0)) => Second::Switched(None, Some(NONE_ALIKE)),
        Some((best, _)) => Second::Alike(tests[*best as usize].name.clone()),
    })
}
