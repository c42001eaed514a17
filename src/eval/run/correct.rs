//! The correct version of a program: run once, and what it does kept.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::judge::{has_expectation, keep_expected, keep_shown, reference_run};
use super::version::{Place, Stop, write_json};
use crate::eval::{Reference, ReferenceRun, RunTimes, make_tree};
use crate::exec::remove_tree;
use crate::obstacle::Obstacle;
use crate::store::Store;
use crate::suite::{self, Test, TestRun};

impl Place<'_> {
    /// What the correct version does.
    pub(super) fn reference(&self) -> Result<&Reference, Stop> {
        let made = self.reference.get_or_init(|| self.find_reference().map_err(|failure| Mutex::new(Some(failure))));
        made.as_ref().map_err(|failure| {
            let failure = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
            // Another thread has told the failure, which ends the evaluation.
            Stop::Failed(failure.unwrap_or_else(|| Obstacle::new(Obstacle::File, "the correct version cannot be run")))
        })
    }

    fn find_reference(&self) -> Result<Reference, Obstacle> {
        let path = self.work("correct.json");
        let key = self.fingerprint()?.text();
        if let Some(kept) = self.kept(&path, &key)? {
            return Ok(kept);
        }
        let tree = self.work("correct");
        let reference = match self.try_reference(&tree) {
            Ok((tests, times)) => Reference { key, tests: Ok(tests), times },
            Err(Stop::Unusable(reason)) => Reference { key, tests: Err(reason), times: RunTimes::default() },
            Err(Stop::Refused(reason)) => {
                Reference { key: String::new(), tests: Err(reason), times: RunTimes::default() }
            }
            Err(Stop::Failed(failure)) => return Err(failure),
        };
        if !self.options.keep {
            remove_tree(&tree);
        }
        write_json(&path, &reference)?;
        Ok(reference)
    }

    /// Runs the correct version at least twice, so that output that varies shows.
    fn try_reference(&self, tree: &Path) -> Result<(BTreeMap<String, ReferenceRun>, RunTimes), Stop> {
        let began = Instant::now();
        remove_tree(tree);
        make_tree(self.program, None, tree)?;
        let store = Store::new(tree);
        let _lock = store.lock().map_err(Obstacle::from)?;
        self.build(&store, "correct")?;
        let built = began.elapsed();
        let suite = self.suite(tree)?;
        let options = self.baseline_options(&store, self.options.repeat.max(2), Vec::new())?;
        let shown = Mutex::new(HashMap::new());
        let statuses = Mutex::new(HashMap::new());
        let hook = |test: &Test, _: usize, _: &Path, run: &TestRun| {
            keep_shown(&shown, test, run);
            if !has_expectation(&suite, test) {
                let status = keep_expected(&self.work("expected"), test, run);
                statuses.lock().unwrap_or_else(PoisonError::into_inner).insert(test.index, status);
            }
        };
        let started = Instant::now();
        let baseline = suite::baseline(&suite, &options, &hook).map_err(Obstacle::from)?;
        let running = started.elapsed();
        let shown = shown.into_inner().unwrap_or_else(PoisonError::into_inner);
        let statuses = statuses.into_inner().unwrap_or_else(PoisonError::into_inner);
        let tests = suite.tests().iter().zip(&baseline.tests).map(|(test, baseline)| {
            let runs = shown.get(&test.index).map_or(&[][..], Vec::as_slice);
            let status = statuses.get(&test.index).copied().flatten();
            let known = reference_run(has_expectation(&suite, test), baseline, runs);
            (test.name.clone(), ReferenceRun { status, ..known })
        });
        let times = RunTimes::new(built, running, self.in_processes(&baseline), began.elapsed());
        Ok((tests.collect(), times))
    }
}
