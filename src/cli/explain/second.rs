//! Which test is explained, and with which one it is compared.

use super::super::args::ExplainArguments;
use super::super::exit::{Exit, Failure};
use crate::profile::likeness::by_likeness;
use crate::store::{Run, Store};

/// The passing test, then the failing one: those asked for, else by what the last `suspect test` recorded.
pub fn tests(store: &Store, arguments: &ExplainArguments) -> Result<[String; 2], Failure> {
    if let (Some(failing), Some(passing)) = (&arguments.test, &arguments.against) {
        return Ok([passing.clone(), failing.clone()]);
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
    let passing = match &arguments.against {
        Some(name) => name.clone(),
        None => most_like(&run, &failing)?,
    };
    Ok([passing, failing])
}

fn most_like(run: &Run, failing: &str) -> Result<String, Failure> {
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
    let none =
        || Failure::new(Exit::Baseline, "no test of the last `suspect test` passes; there is nothing to compare with");
    let (best, _) = order.first().ok_or_else(none)?;
    Ok(tests[*best as usize].name.clone())
}
