//! Tests that a suite had before its suspect.toml told more, and has still: they count as they were recorded then.

use std::collections::{BTreeMap, HashMap};

use super::RecordedSuite;
use super::doubt::Told;
use super::recording::Recording;
use crate::obstacle::Obstacle;
use crate::program::Program;
use crate::store::{Run, Store, TestRecord};
use crate::suite::{Suite, Test, TestBaseline};

/// What is carried over from one run of a suite to the next.
pub(super) struct Carried<'a> {
    run: Run,
    before: &'a RecordedSuite,
    /// For each test of the suite, which of those before it is.
    numbers: Vec<Option<usize>>,
}

impl<'a> Carried<'a> {
    /// What can be carried over to a run of `suite` with `program`; nothing where the last run in the store is another one than `before`, or of
    /// another program.
    pub(super) fn of(
        store: &Store,
        before: &'a RecordedSuite,
        suite: &Suite,
        program: &Program,
    ) -> Result<Option<Carried<'a>>, Obstacle> {
        let run = store.latest_run()?;
        let began = |manifest: &crate::store::Manifest| (manifest.began, manifest.began_ns);
        let units = |program: &Program| program.units.iter().map(|unit| unit.hash).collect::<Vec<u64>>();
        if began(&run.manifest) != began(&before.manifest) || units(&run.program) != units(program) {
            return Ok(None);
        }
        let of_name: HashMap<&str, (usize, &TestRecord)> = (before.manifest.tests.iter().enumerate())
            .map(|(number, record)| (record.name.as_str(), (number, record)))
            .collect();
        let number = |test: &Test| {
            let (number, record) = *of_name.get(test.name.as_str())?;
            is_as_recorded(test, record).then_some(number)
        };
        let numbers = suite.tests().iter().map(number).collect();
        Ok(Some(Carried { run, before, numbers }))
    }

    /// Has a recording take over what the tests did, and what those that pass told of failures.
    pub(super) fn hand_to(&self, recording: &Recording, told: &mut BTreeMap<usize, Told>) -> Result<(), Obstacle> {
        let recorded = self.run.recorded()?;
        for (test, number) in self.numbers.iter().enumerate().filter_map(|(test, number)| Some((test, (*number)?))) {
            let look = self.before.looks.get(&number).cloned().unwrap_or_default();
            let processes = self.before.manifest.tests[number].processes;
            recording.take_over(test, &recorded.execution(number as u32)?, processes, look)?;
            told.extend(self.before.told.get(&number).map(|told| (test, told.clone())));
        }
        Ok(())
    }

    /// For each test of the suite, its runs before.
    pub(super) fn into_baselines(self) -> Vec<Option<TestBaseline>> {
        let of = |number: &Option<usize>| number.map(|number| self.before.baseline.tests[number].clone());
        self.numbers.iter().map(of).collect()
    }
}

/// Whether a test that counted is the same now. Of one whose starts are tests now, the record says something else.
fn is_as_recorded(test: &Test, record: &TestRecord) -> bool {
    record.passed.is_some() && !test.has_starts() && record.command == test.command && record.state == test.print()
}
