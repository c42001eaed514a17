//! Which test is explained, and with which run it is compared.

use super::super::args::{ExplainArguments, Replaced, Switched};
use super::super::exit::{Exit, Failure};
use crate::comparison::{Replacement, Turn};
use crate::profile::likeness::by_likeness;
use crate::store::{Run, Store};

/// The run that the failing one is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Second {
    /// That of a test that the user named.
    Named(String),
    /// That of the passing test most like it.
    Alike(String),
    /// The failing one with a change; with why, if nobody asked for that.
    Itself(Itself, Option<&'static str>),
}

/// What is changed in the failing test's run: this, or something that makes it pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Itself {
    /// A condition or a value.
    Either,
    /// A decision goes another way.
    Switched(Option<Turn>),
    /// A value that is stored is another one.
    Replaced(Option<Replacement>),
}

impl Itself {
    /// Whether it may be a condition.
    pub fn conditions(self) -> bool {
        !matches!(self, Itself::Replaced(_))
    }

    /// Whether it may be a value.
    pub fn values(self) -> bool {
        !matches!(self, Itself::Switched(_))
    }

    /// What the user asked for.
    fn asked(arguments: &ExplainArguments) -> Option<Itself> {
        match (arguments.switch, arguments.replace) {
            (Some(Switched(turn)), _) => Some(Itself::Switched(turn)),
            (None, Some(Replaced(value))) => Some(Itself::Replaced(value)),
            (None, None) => None,
        }
    }
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
    let asked = Itself::asked(arguments);
    if let (Some(failing), Some(asked)) = (&arguments.test, asked) {
        return Ok((failing.clone(), Second::Itself(asked, None)));
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
    let second = match (&arguments.against, asked) {
        (Some(name), _) => Second::Named(name.clone()),
        (None, Some(asked)) => Second::Itself(asked, None),
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
        None => Second::Itself(Itself::Either, Some(NONE_PASSES)),
        Some((_, 0.0)) => Second::Itself(Itself::Either, Some(NONE_ALIKE)),
        Some((best, _)) => Second::Alike(tests[*best as usize].name.clone()),
    })
}
