//! The choice of the failing test, and of passing tests like it.

use std::collections::HashMap;

use super::recorded::RecordingRoom;
use super::request::{Request, Second};
use crate::obstacle::Obstacle;
use crate::profile::likeness::by_likeness;
use crate::program::Program;
use crate::store::{Run, Store};
use crate::suite::Test;

/// No test passes.
const NONE_PASSES: &str = "no passing test is there to compare with";
/// No passing test does anything that the failing one does.
const NONE_ALIKE: &str = "no passing test executes what this one does";

/// The name of the failing test: the one asked for, else of those that failed in the last `suspect test` the one that the best change of the last ranking
/// mends, or the first.
pub fn failing_test(store: &Store, room: &RecordingRoom<'_>, request: &Request) -> Result<String, Obstacle> {
    if let Some(failing) = request.test.as_ref().filter(|_| request.second != Second::Alike) {
        return Ok(failing.clone());
    }
    let run = store
        .latest_run()
        .map_err(|error| Obstacle::new(Obstacle::Store, format!("{error}, or give both tests: TEST --against TEST")))?;
    if let Some(name) = &request.test {
        return Ok(name.clone());
    }
    let tests = run.manifest.tests.iter().filter(|test| test.passed == Some(false));
    let mut failing = tests.map(|test| test.name.as_str());
    let none = || Obstacle::new(Obstacle::Tests, "no test of the last `suspect test` fails; give the one to explain");
    Ok(room.mended_test(failing.clone()).or(failing.next()).ok_or_else(none)?.to_owned())
}

/// Passing tests like a failing one.
pub struct Passing {
    /// The one most like it; or why there is none.
    pub most_alike: Result<String, &'static str>,
    /// Passing tests that execute the line that was asked for, the most alike first.
    pub there: Vec<String>,
}

/// Passing tests that are like the failing one: by what the last `suspect test` recorded that they did, and by how they are called, for what differs in the way
/// that data gets to the program is explained before the data. Apart those that execute this line of a file.
pub fn passing(room: &RecordingRoom<'_>, failing: &Test, line: Option<&(String, u32)>) -> Result<Passing, Obstacle> {
    let (run, shape, failing) = (room.tested()?, failing.shape(), &failing.name);
    let tests = &run.manifest.tests;
    let number = (0..).zip(tests).find(|(_, test)| test.name == *failing).map(|(number, _)| number);
    let unknown = || {
        let message = format!(
            "{failing} was not recorded by the last `suspect test`; say with which test to compare it: --against TEST"
        );
        Obstacle::new(Obstacle::Request, message)
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
    for (number, likeness) in &order {
        tracing::debug!(test = tests[*number as usize].name, likeness, "a passing test to compare with");
    }
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

/// True if the last `suspect test` found values in this test's run that are others each time.
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
