//! Which test is explained, and with which run it is compared.

use std::collections::HashMap;

use super::super::args::{ExplainArguments, Replaced, Switched};
use super::super::exit::{Exit, Failure};
use super::super::recorded::RecordingRoom;
use crate::comparison::{Replacement, Turn};
use crate::profile::likeness::by_likeness;
use crate::program::Program;
use crate::store::{Run, Store};
use crate::suite::Test;

/// The run that the failing one is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Second {
    /// That of a test that the user named.
    Named(String),
    /// That of a passing test like it.
    Alike,
    /// The failing one with a change.
    Itself(Itself),
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
        return Ok((failing.clone(), Second::Itself(asked)));
    }
    let run = store
        .latest_run()
        .map_err(|error| Failure::new(Exit::Store, format!("{error}, or give both tests: TEST --against TEST")))?;
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
        (None, Some(asked)) => Second::Itself(asked),
        (None, None) => Second::Alike,
    };
    Ok((failing, second))
}

/// Passing tests like a failing one.
pub struct Passing {
    /// The one most like it; or why there is none.
    pub most_alike: Result<String, &'static str>,
    /// Those that execute the line that was asked for, the most alike first.
    pub there: Vec<String>,
}

/// Passing tests that are like the failing one: by what the last `suspect test` recorded that they did, and by how they are called, for what differs in the way
/// that data gets to the program is explained before the data. Apart those that execute this line of a file.
pub fn passing(room: &RecordingRoom<'_>, failing: &Test, line: Option<&(String, u32)>) -> Result<Passing, Failure> {
    let (run, shape, failing) = (room.tested()?, failing.shape(), &failing.name);
    let tests = &run.manifest.tests;
    let number = (0..).zip(tests).find(|(_, test)| test.name == *failing).map(|(number, _)| number);
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
    let mut order =
        by_likeness(&one, passing.map(|number: u32| recorded.execution(number).map(|execution| (number, execution))))?;
    let shapes: HashMap<&str, f64> =
        room.tests().iter().map(|test| (test.name.as_str(), test.shape().likeness(&shape))).collect();
    for (number, likeness) in &mut order {
        // What the suite does not have any more cannot be run.
        *likeness *= shapes.get(tests[*number as usize].name.as_str()).copied().unwrap_or(0.0);
    }
    order.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let alike: Vec<u32> = order.iter().filter(|(_, likeness)| *likeness > 0.0).map(|(test, _)| *test).collect();
    let name = |test: u32| tests[test as usize].name.clone();
    let most_alike = alike.first().map(|test| name(*test));
    let most_alike = most_alike.ok_or(if order.is_empty() { NONE_PASSES } else { NONE_ALIKE });
    let mut there = Vec::new();
    if let Some(at) = line.and_then(|(file, line)| line_number(&run.program, file, *line)) {
        for test in alike {
            let mut pieces = recorded.pieces(test)?.into_iter();
            if pieces.any(|piece| run.program.pieces.get(piece as usize).is_some_and(|piece| piece.lines.contains(&at)))
            {
                there.push(name(test));
            }
        }
    }
    Ok(Passing { most_alike, there })
}

/// Whether the last `suspect test` found values in this test's run that are others each time.
pub fn takes_unsteady_values(run: &Run, name: &str) -> bool {
    let number = run.manifest.tests.iter().position(|test| test.name == name).map(|number| number as u32);
    let execution = number.and_then(|number| run.recorded().ok()?.execution(number).ok());
    let taken = |node: &u32| {
        execution.as_ref().and_then(|execution| execution.nodes.get(*node as usize)).is_some_and(|count| *count > 0)
    };
    run.manifest.unstable_nodes.iter().any(taken)
}

fn line_number(program: &Program, file: &str, line: u32) -> Option<u32> {
    let file = program.files.iter().position(|known| known == file)? as u32;
    program.lines.iter().position(|known| (known.file, known.line) == (file, line)).map(|at| at as u32)
}
