//! One version of a benchmark: built, run, ranked, and its results kept.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use suspect_format::abi::Mode;

use super::EvalRequest;
use super::draw::SuiteDraw;
use super::judge::{judge, keep_shown, with_expectations};
use super::values::{ValueChoice, reads_values};
use crate::build::{self, BuildOptions, BuildOutput, driver};
use crate::eval::{
    self, EvalError, EvalProgram, EvalVersion, Fingerprint, Recorded, Reference, ReferenceRun, RunTimes,
    VersionOutcome, VersionResult, make_tree,
};
use crate::exec::remove_tree;
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::rank::{Granularity, Method, Need};
use crate::store::Store;
use crate::suite::{Baseline, BaselineOptions, Suite, Test, TestRun};
use crate::suite_run::{Session, SuiteRun};

/// How versions are run and ranked.
pub struct Options<'a> {
    /// The methods.
    pub methods: &'a [&'static Method],
    /// What is ranked.
    pub granularity: Granularity,
    /// Tests of a version at the same time.
    pub jobs: usize,
    /// Runs of each test.
    pub repeat: usize,
    /// True if earlier results do not count.
    pub fresh: bool,
    /// True if built trees stay.
    pub keep: bool,
    /// Time for trying changes of a version.
    pub search: Option<Duration>,
    /// Trials of a version, at most.
    pub most_trials: Option<usize>,
    /// True if every change of a version is tried on every test chosen.
    pub everything: bool,
    /// The values that nodes are given.
    pub values: ValueChoice,
    /// Suites to draw from the pool.
    pub draw: Option<SuiteDraw>,
    /// True if the features of lines are kept.
    pub features: bool,
    /// Who is told how it goes.
    pub progress: &'a dyn Progress,
}

impl<'a> Options<'a> {
    /// As a request says; a version's tests run `jobs` at a time.
    pub fn new(request: &'a EvalRequest, jobs: usize, progress: &'a dyn Progress) -> Options<'a> {
        Options {
            methods: &request.methods,
            granularity: request.by,
            jobs,
            repeat: request.repeat.max(1) as usize,
            fresh: request.fresh,
            keep: request.keep,
            search: request.search,
            most_trials: request.most_trials,
            everything: request.everything,
            values: request.values.clone(),
            draw: request.draw,
            features: request.features.is_some(),
            progress,
        }
    }

    /// True if a method reads what value mutants of a version changed.
    pub fn has_values(&self) -> bool {
        self.methods.iter().any(|method| reads_values(method))
    }

    /// True if a method reads what changes of a version did.
    pub fn has_trials(&self) -> bool {
        self.features || self.methods.iter().any(|method| method.needs.contains(&Need::Trials))
    }
}

/// A program, and where its results are.
pub struct Place<'a> {
    pub(super) program: &'a EvalProgram,
    pub(super) directory: PathBuf,
    pub(super) options: &'a Options<'a>,
    /// What the correct version does, found out when a version first needs it. Its failure is told once, by whoever asks first.
    pub(super) reference: OnceLock<Result<Reference, Mutex<Option<Obstacle>>>>,
}

/// Why a version has no results.
pub(super) enum Stop {
    /// It is what it is: the reason is kept.
    Unusable(String),
    /// The system refused something, or the version damaged what it recorded: another evaluation tries again.
    Refused(String),
    /// No version can have any.
    Failed(Obstacle),
}

impl From<Obstacle> for Stop {
    fn from(obstacle: Obstacle) -> Stop {
        match obstacle {
            Obstacle::Compiler(_) | Obstacle::Internal(_) => Stop::Failed(obstacle),
            Obstacle::File(reason) | Obstacle::Store(reason) => Stop::Refused(reason),
            obstacle => Stop::Unusable(obstacle.into_message()),
        }
    }
}

impl From<EvalError> for Stop {
    fn from(error: EvalError) -> Stop {
        match error {
            EvalError::Layout { .. } => Stop::Unusable(error.to_string()),
            error => Stop::Refused(error.to_string()),
        }
    }
}

impl<'a> Place<'a> {
    /// A program whose results are in `directory`.
    pub fn new(program: &'a EvalProgram, directory: &Path, options: &'a Options<'a>) -> Place<'a> {
        Place { program, directory: directory.into(), options, reference: OnceLock::new() }
    }

    /// `PROGRAM/VERSION`.
    pub fn name_of(&self, version: &EvalVersion) -> String {
        format!("{}/{}", self.program.name, version.name)
    }

    /// Time that the correct version took, also in an earlier evaluation.
    pub fn reference_times(&self) -> RunTimes {
        match self.reference.get() {
            Some(Ok(reference)) => reference.times,
            Some(Err(_)) => RunTimes::default(),
            None => {
                let key = self.fingerprint().map(Fingerprint::text);
                let kept = key.ok().and_then(|key| eval::read(&self.work("correct.json"), &key).ok().flatten());
                kept.map_or(RunTimes::default(), |reference: Reference| reference.times)
            }
        }
    }

    /// The results of a version: those there are, or new ones; `None` when it would have to be run and the budget is spent.
    pub fn result(&self, version: &EvalVersion, spent: &dyn Fn() -> bool) -> Result<Option<VersionResult>, Obstacle> {
        let path = self.directory.join(format!("{}.json", version.name));
        let (recording_key, key) = self.keys(version)?;
        let ids: Vec<&str> = self.options.methods.iter().map(|method| method.id).collect();
        let earlier: Option<VersionResult> = self.kept(&path, &key)?;
        let by = self.options.granularity.name();
        // How trials are judged may have changed since.
        let is_kept = !self.options.features && !self.options.has_trials();
        if let Some(earlier) = earlier.as_ref().filter(|earlier| is_kept && earlier.answers(by, &ids)) {
            return Ok(Some(earlier.clone()));
        }
        let kept: Option<Recorded> = self.kept(&self.work(&format!("{}.json", version.name)), &recording_key)?;
        let recorded = match kept {
            Some(kept)
                if kept.unusable.is_some() || self.opens(version) && self.is_tried(version, &recording_key)? =>
            {
                kept
            }
            _ if spent() => return Ok(None),
            _ => self.record(version, recording_key)?,
        };
        // What another evaluation is to try again has no key that it could ask for.
        let key = if recorded.key.is_empty() { String::new() } else { key };
        let result = self.ranked(version, key, &recorded, earlier)?;
        write_json(&path, &result)?;
        self.options.progress.say(&format!("{}: {}", self.name_of(version), said(&result.outcome)));
        Ok(Some(result))
    }

    /// True if what was recorded is still there.
    fn opens(&self, version: &EvalVersion) -> bool {
        Store::new(&self.work(&version.name)).latest_run().is_ok()
    }

    /// True if changes of a version have been tried, and its values mutated, if a method needs that.
    fn is_tried(&self, version: &EvalVersion, recording_key: &str) -> Result<bool, Obstacle> {
        let has_trials = !self.options.has_trials() || self.kept_trials(version, recording_key)?.is_some();
        Ok(has_trials && (!self.options.has_values() || self.kept_values(version, recording_key)?.is_some()))
    }

    /// What an earlier evaluation kept, unless it does not count.
    pub(super) fn kept<T: DeserializeOwned>(&self, path: &Path, key: &str) -> Result<Option<T>, Obstacle> {
        if self.options.fresh { Ok(None) } else { Ok(eval::read(path, key)?) }
    }

    pub(super) fn work(&self, name: &str) -> PathBuf {
        self.directory.join("work").join(name)
    }

    /// What the recording of a version is made from, and what its results are.
    pub(super) fn keys(&self, version: &EvalVersion) -> Result<(String, String), Obstacle> {
        let mut recording = self.fingerprint()?;
        for path in version.overlay.iter().chain(&version.patch) {
            recording = recording.with_files(path)?;
        }
        let mut result = recording.with(&format!("{:?}", version.fault));
        if let Some(class) = &version.class {
            result = result.with(class);
        }
        if let Some(draw) = self.options.draw {
            result = result.with(&format!("{draw:?}"));
        }
        if self.options.has_values() && self.options.values != ValueChoice::default() {
            result = result.with(&format!("{:?}", self.options.values));
        }
        for selection in self.program.selections_of(version) {
            result = result.with_files(selection.path())?;
        }
        Ok((recording.text(), result.text()))
    }

    /// What the correct version is made from.
    pub(super) fn fingerprint(&self) -> Result<Fingerprint, Obstacle> {
        let mut fingerprint = Fingerprint::new()
            .with(&self.program.build)
            .with(&format!("{:?} {}", self.program.tests.suites, self.options.repeat))
            .with_files(&self.program.correct)?;
        for shared in &self.program.shared {
            fingerprint = fingerprint.with_files(&self.program.directory.join(shared))?;
        }
        Ok(fingerprint)
    }

    /// Builds and runs a version, and keeps what it did.
    fn record(&self, version: &EvalVersion, key: String) -> Result<Recorded, Obstacle> {
        let tree = self.work(&version.name);
        let (key, unusable, times) = match self.try_record(version, &key, &tree) {
            Ok(times) => (key, None, times),
            Err(Stop::Unusable(reason)) => (key, Some(reason), RunTimes::default()),
            Err(Stop::Refused(reason)) => (String::new(), Some(reason), RunTimes::default()),
            Err(Stop::Failed(failure)) => return Err(failure),
        };
        self.clean(&tree);
        let recorded = Recorded { key, unusable, times };
        write_json(&self.work(&format!("{}.json", version.name)), &recorded)?;
        Ok(recorded)
    }

    fn try_record(&self, version: &EvalVersion, key: &str, tree: &Path) -> Result<RunTimes, Stop> {
        let (times, suite) = self.build_and_run(version, tree)?;
        if self.options.has_trials() || self.options.has_values() {
            let session = Session::latest(tree).map_err(Obstacle::from)?.with_suite(suite);
            if self.options.has_trials() {
                self.try_changes(version, key, &session)?;
            }
            if self.options.has_values() {
                self.mutate_values(version, key, &session)?;
            }
        }
        Ok(times)
    }

    /// Builds a version in `tree` and runs the pool there, recording; the suite expects what the correct version does.
    pub(super) fn build_and_run(&self, version: &EvalVersion, tree: &Path) -> Result<(RunTimes, Suite), Stop> {
        let reference = self.reference()?;
        let stop = if reference.key.is_empty() { Stop::Refused } else { Stop::Unusable };
        let known = reference.tests.as_ref().map_err(|reason| stop(format!("the correct version: {reason}")))?;
        let began = Instant::now();
        remove_tree(tree);
        make_tree(self.program, Some(version), tree)?;
        version.fault.check(tree).map_err(Stop::Unusable)?;
        let store = Store::new(tree);
        let lock = store.lock().map_err(Obstacle::from)?;
        self.build(&store, &version.name)?;
        let built = began.elapsed();
        let suite = self.suite(tree)?;
        let shown = Mutex::new(HashMap::new());
        let limits = suite.tests().iter().map(|test| {
            let known = known.get(&test.name).map(|known| known.limit);
            Duration::from_millis(known.unwrap_or(ReferenceRun::UNKNOWN_LIMIT))
        });
        let run = SuiteRun {
            suite: &suite,
            options: self.baseline_options(&store, self.options.repeat, limits.collect())?,
            before: None,
            watch: &|test: &Test, _: usize, _: &Path, run: &TestRun| keep_shown(&shown, test, run),
            judge: &|test, baseline| {
                let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                judge(&suite, test, baseline, known.get(&test.name), shown.get(&test.index))
            },
        };
        let recorded = run.record(&store)?;
        store.prune_runs(1).map_err(Obstacle::from)?;
        let times = RunTimes::new(built, recorded.running, self.in_processes(&recorded.baseline), began.elapsed());
        drop(lock);
        Ok((times, with_expectations(suite, &self.work("expected"), known)))
    }

    /// Builds the tree of a store as `suspect build` does.
    pub(super) fn build(&self, store: &Store, name: &str) -> Result<(), Stop> {
        let log = self.directory.join(format!("{name}.build.log"));
        let options = BuildOptions {
            command: ["sh", "-c", &self.program.build].map(OsString::from).to_vec(),
            // Nothing runs but what records, unless changes are tried.
            modes: if self.options.has_trials() || self.options.has_values() {
                driver::ALL_MODES.into()
            } else {
                Mode::Values.name().to_string()
            },
            directory: store.root().to_path_buf(),
            state: store.build_directory(),
            root: store.root().to_path_buf(),
            output: BuildOutput::File(log.clone()),
        };
        let report = build::build(&options).map_err(Obstacle::from)?;
        if report.status != 0 {
            let status = report.status;
            return Err(Stop::Unusable(format!(
                "it does not build: the command ended with status {status}; see {}",
                log.display()
            )));
        }
        Ok(store.save_build(&report).map_err(Obstacle::from)?)
    }

    pub(super) fn suite(&self, tree: &Path) -> Result<Suite, Stop> {
        Ok(Suite::from_config(tree, self.program.tests.clone()).map_err(Obstacle::from)?)
    }

    pub(super) fn baseline_options(
        &self,
        store: &Store,
        runs: usize,
        limits: Vec<Duration>,
    ) -> Result<BaselineOptions, Stop> {
        Ok(BaselineOptions {
            jobs: self.options.jobs,
            runs: Some(runs),
            mode: Mode::Values,
            env: Vec::new(),
            traces: store.fresh_tmp().map_err(Obstacle::from)?,
            limits,
            until: None,
            apart: Duration::ZERO,
            settled: false,
            known: Vec::new(),
        })
    }

    /// Time in which the tests' own processes ran, as many at once as were allowed.
    pub(super) fn in_processes(&self, baseline: &Baseline) -> Duration {
        let all: Duration = baseline.tests.iter().flat_map(|test| &test.runs).map(|run| run.wall).sum();
        all / self.options.jobs as u32
    }

    /// Removes a version's tree but for what was recorded.
    fn clean(&self, tree: &Path) {
        if self.options.keep {
            return;
        }
        remove_tree(&Store::new(tree).build_directory());
        for entry in fs::read_dir(tree).into_iter().flatten().flatten() {
            let path = entry.path();
            // What cannot be removed stays: it costs space, and nothing reads it.
            match entry.file_type() {
                _ if entry.file_name() == crate::STORE_DIRECTORY => {}
                Ok(kind) if kind.is_dir() => remove_tree(&path),
                _ => drop(fs::remove_file(&path)),
            }
        }
    }

    /// Ranks a recorded version. What an earlier ranking found with other methods is kept.
    fn ranked(
        &self,
        version: &EvalVersion,
        key: String,
        recorded: &Recorded,
        earlier: Option<VersionResult>,
    ) -> Result<VersionResult, Obstacle> {
        let began = Instant::now();
        if self.options.features {
            // Until it turns out that there are any.
            eval::write(&self.features_path(version), b"")?;
        }
        let mut outcome = match &recorded.unusable {
            Some(reason) => VersionOutcome::Excluded(reason.clone()),
            None => {
                let session = Session::latest(&self.work(&version.name))?;
                self.rank(version, &session)?
            }
        };
        let by = self.options.granularity.name();
        if let VersionOutcome::Evaluated(found) = &mut outcome
            && let Some(VersionResult { outcome: VersionOutcome::Evaluated(earlier), .. }) =
                earlier.filter(|earlier| earlier.by == by)
        {
            for (method, located) in earlier.located {
                found.located.entry(method).or_insert(located);
            }
            for (method, scores) in earlier.t_scores {
                found.t_scores.entry(method).or_insert(scores);
            }
        }
        let mut times = recorded.times;
        times.rest += began.elapsed().as_secs_f64();
        Ok(VersionResult {
            key,
            by: by.into(),
            program: self.program.name.clone(),
            version: version.name.clone(),
            kinds: version.fault.kinds(),
            class: version.class.clone(),
            outcome,
            times,
        })
    }
}

pub(super) fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), Obstacle> {
    let text = serde_json::to_string_pretty(value).map_err(Obstacle::of(Obstacle::Internal))? + "\n";
    Ok(eval::write(path, text.as_bytes())?)
}

/// A line about a version that has just been done.
fn said(outcome: &VersionOutcome) -> String {
    match outcome {
        VersionOutcome::Excluded(reason) => format!("left out: {reason}"),
        VersionOutcome::Evaluated(found) => {
            format!("{} failing, {} passing tests", found.tests.failing, found.tests.passing)
        }
    }
}
