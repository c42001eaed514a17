//! A private copy of the project, in which versions are built without suspect and their tests are run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use suspect_format::trace::{HASH_START, hash_bytes};

use crate::build::toolchain::any_clang;
use crate::exec::{Command, Limits, Scratch, ScratchRoot};
use crate::obstacle::Obstacle;
use crate::suite::{Config, RunContext, Suite, Test, TestRun, Verdict};

/// The least time that a test has, and how much longer than the correct version it may take.
const FLOOR: Duration = Duration::from_millis(400);
const FACTOR: u32 = 20;
/// Tests of a version that may not end: more would take longer than all others together.
const HANGS: usize = 3;
/// How much longer than the first build a later one may take, and the least time that it has.
const BUILD_FACTOR: u32 = 5;
const BUILD_FLOOR: Duration = Duration::from_secs(60);

/// What came of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// The tests that fail, by their names.
    Failing(Vec<String>),
    /// It does not build.
    Unbuilt,
    /// Too many tests do not end, or one cannot be run.
    Stuck,
}

/// What a version has instead of a file of the correct one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file, relative to the tree.
    pub file: String,
    /// What the correct version has.
    pub old: Vec<u8>,
    /// What the version has.
    pub new: Vec<u8>,
}

/// What the correct version shows in a test.
#[derive(Clone, Debug)]
struct Known {
    shown: (String, u64),
    limit: Duration,
}

/// A private copy of a project.
pub struct Bench {
    tree: PathBuf,
    /// Removes the copy in the end.
    _scratch: Scratch,
    suite: Suite,
    build: Command,
    known: BTreeMap<String, Known>,
}

/// What a version may use up: it may write without end.
fn limits() -> Limits {
    Limits { file_size: Some(64 << 20), output: 8 << 20, flood: 16 << 20, ..Limits::default() }
}

impl Bench {
    /// Copies `files` of the project in `root` and builds them by the shell line `build`; its tests are those of `config`. Number `number` of
    /// those in `scratch`.
    ///
    /// # Errors
    /// When that does not work.
    pub fn new(
        root: &Path,
        files: &[PathBuf],
        (build, config): (&str, Config),
        scratch: &ScratchRoot,
        number: usize,
    ) -> Result<Bench, Obstacle> {
        let place = scratch.scratch(number).map_err(Obstacle::of(Obstacle::File))?;
        let tree = place.empty_dir().map_err(Obstacle::of(Obstacle::File))?;
        crate::eval::copy_files(root, files, &tree)?;
        let mut build = Command::shell(build, &tree);
        build.merge_stderr = true;
        build.limits.output = 1 << 16;
        if build.env.get("CC").is_none()
            && let Some(clang) = any_clang(None)
        {
            build.env.set("CC", OsString::from(clang));
        }
        let built = build.run().map_err(Obstacle::of(Obstacle::File))?;
        if !built.status.success() {
            let said = String::from_utf8_lossy(&built.stdout.bytes);
            let last = said.lines().rfind(|line| line.contains("error")).or(said.lines().last()).unwrap_or_default();
            let message = format!("a copy of the project does not build without suspect ({}): {last}", built.status);
            return Err(Obstacle::new(Obstacle::Tests, message));
        }
        build.limits.wall = BUILD_FLOOR.max(built.wall * BUILD_FACTOR);
        let suite = Suite::from_config(&tree, config)?.limited(limits());
        Ok(Bench { tree, _scratch: place, suite, build, known: BTreeMap::new() })
    }

    /// The names of its tests.
    pub fn tests(&self) -> Vec<String> {
        self.suite.tests().iter().map(|test| test.name.clone()).collect()
    }

    /// Runs those of `tests` that it has, twice, and tells which can be used: they pass, and show the same.
    ///
    /// # Errors
    /// When the system refuses to run them.
    pub fn learn(&mut self, tests: &[String], scratch: &ScratchRoot) -> Result<Vec<String>, Obstacle> {
        for test in self.suite.tests().iter().filter(|test| tests.contains(&test.name)) {
            let first = self.run(test, scratch, None)?;
            let second = self.run(test, scratch, None)?;
            let (shown, again) = (shown(&first), shown(&second));
            let passes =
                |run: &TestRun| run.verdict == Verdict::Pass || !self.is_judged(test) && run.verdict == Verdict::Fail;
            if passes(&first) && passes(&second) && (self.is_judged(test) || shown == again) {
                let limit = FLOOR.max(first.wall().max(second.wall()) * FACTOR);
                self.known.insert(test.name.clone(), Known { shown, limit });
            }
        }
        Ok(self.known.keys().cloned().collect())
    }

    /// Takes over what another copy has learnt.
    pub fn knows(&mut self, other: &Bench) {
        self.known = other.known.clone();
    }

    /// What those of `tests` that can be used say of the version that `changes` make.
    ///
    /// # Errors
    /// When the system refuses to build or run.
    pub fn judge(&self, changes: &[Change], tests: &[String], scratch: &ScratchRoot) -> Result<Trial, Obstacle> {
        let put = |text: fn(&Change) -> &[u8]| {
            changes.iter().try_for_each(|change| {
                let path = self.tree.join(&change.file);
                fs::write(&path, text(change))
                    .map_err(|error| Obstacle::new(Obstacle::File, format!("cannot write {}: {error}", path.display())))
            })
        };
        put(|change| &change.new)?;
        let built = self.build.run().map_err(Obstacle::of(Obstacle::File));
        let trial = match built {
            Ok(built) if built.status.success() => self.failing(tests, scratch),
            Ok(_) => Ok(Trial::Unbuilt),
            Err(failure) => Err(failure),
        };
        put(|change| &change.old)?;
        trial
    }

    fn failing(&self, tests: &[String], scratch: &ScratchRoot) -> Result<Trial, Obstacle> {
        let (mut failing, mut hangs) = (Vec::new(), 0);
        for test in self.suite.tests().iter().filter(|test| tests.contains(&test.name)) {
            let Some(known) = self.known.get(&test.name) else { continue };
            let run = self.run(test, scratch, Some(known.limit))?;
            let passes = match run.verdict {
                Verdict::Error | Verdict::Skip => return Ok(Trial::Stuck),
                Verdict::Timeout => {
                    hangs += 1;
                    if hangs > HANGS {
                        return Ok(Trial::Stuck);
                    }
                    false
                }
                Verdict::Pass | Verdict::Fail if !self.is_judged(test) => shown(&run) == known.shown,
                verdict => verdict == Verdict::Pass,
            };
            if !passes {
                failing.push(test.name.clone());
            }
        }
        Ok(Trial::Failing(failing))
    }

    /// True if the test's suite says what is right; if not, the correct version does.
    fn is_judged(&self, test: &Test) -> bool {
        self.suite.config().suites.get(test.suite).is_some_and(|section| section.has_expectation())
    }

    fn run(&self, test: &Test, scratch: &ScratchRoot, timeout: Option<Duration>) -> Result<TestRun, Obstacle> {
        Ok(self
            .suite
            .run_test(test, &RunContext { env: &[], scratch, timeout, large_stack: false, interruptible: false })?)
    }
}

/// How a run ended, and a hash of what it wrote.
fn shown(run: &TestRun) -> (String, u64) {
    run.outcome.as_ref().map_or_else(Default::default, |outcome| {
        (outcome.status.to_string(), hash_bytes(HASH_START, &outcome.stdout.bytes))
    })
}
