//! A project's whole suite: from suspect.toml to a list of tests.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::config::{Config, FILE, Kind, Names, SuiteConfig};
use super::deadline::Deadline;
use super::kept::KeptLists;
use super::likeness::Likeness;
use super::locks::Locks;
use super::mismatch::clip;
use super::oracle::{Compare, Expected, Oracle};
use super::test::{Plan, Test, choice_text, command_text, line_text};
use super::{SuiteError, automake, cases, command, ctest, detect, groups, meson};
use crate::exec::{Command, Environment, ExecError, Limits, Outcome, Status};

/// All tests of a project.
#[derive(Debug)]
pub struct Suite {
    root: PathBuf,
    config: Config,
    tests: Vec<Test>,
    notes: Vec<String>,
    kept: KeptLists,
    pub(super) locks: Locks,
    /// What a test may use up but for its time.
    pub(super) limits: Limits,
}

/// Is told what is found out next, where that may take long.
pub type Asked<'a> = &'a dyn Fn(&str);

/// What is known of a suite before its tools are asked.
#[derive(Clone, Copy, Default)]
struct Known<'k> {
    lists: Option<&'k KeptLists>,
    /// Whether the starts of its drivers are known, so that no driver runs.
    has_starts: bool,
}

/// The directory with a suspect.toml at or above `start`, no further up than the top of the repository.
///
/// # Errors
/// [`SuiteError::Missing`] when there is none.
pub fn find_root(start: &Path) -> Result<PathBuf, SuiteError> {
    let start = start.canonicalize().map_err(|source| SuiteError::Io { what: "find", path: start.into(), source })?;
    for dir in start.ancestors() {
        if dir.join(FILE).is_file() {
            return Ok(dir.to_owned());
        }
        if dir.join(".git").exists() {
            break;
        }
    }
    Err(SuiteError::Missing { dir: start })
}

impl Suite {
    /// The suite with tests that say themselves what is right expecting what `known` tells: a file that standard output must be like, and the
    /// exit status.
    pub fn expecting(mut self, known: impl Fn(&Test) -> Option<(PathBuf, i32)>) -> Suite {
        for test in &mut self.tests {
            if let Some((path, status)) = known(test) {
                let shown = "the correct version's".to_string();
                let expected = Expected::File { path, shown };
                test.plan.oracle = Oracle::Compare(Compare {
                    expected,
                    status: Some(status),
                    filter: None,
                    likeness: Likeness::default(),
                });
            }
        }
        self
    }

    /// Reads suspect.toml in `root` and asks the tools it names what the tests are. May build test programs, where
    /// the tool (Automake's `make check`) does so to list them.
    ///
    /// # Errors
    /// When suspect.toml is missing or wrong, a tool is missing or fails, or a suite has no tests.
    pub fn load(root: &Path) -> Result<Suite, SuiteError> {
        Suite::load_telling(root, &|_| {})
    }

    /// As [`Suite::load`], with what is asked told.
    ///
    /// # Errors
    /// As [`Suite::load`].
    pub fn load_telling(root: &Path, asked: Asked) -> Result<Suite, SuiteError> {
        Suite::loaded(root, Known::default(), asked)
    }

    /// The suite as it was when `kept` was, where its tools are slow and suspect.toml says the same of it; drivers are not run again.
    ///
    /// # Errors
    /// As [`Suite::load`].
    pub fn load_as(root: &Path, kept: &KeptLists) -> Result<Suite, SuiteError> {
        Suite::loaded(root, Known { lists: Some(kept), has_starts: true }, &|_| {})
    }

    fn loaded(root: &Path, known: Known, asked: Asked) -> Result<Suite, SuiteError> {
        let root = root.canonicalize().map_err(|source| SuiteError::Io { what: "find", path: root.into(), source })?;
        let path = root.join(FILE);
        if !path.exists() {
            return Err(SuiteError::Missing { dir: root });
        }
        Suite::listed(&root, Config::load(&path)?, known, Deadline::default(), asked)
    }

    /// The tests that `config` names, for a project in `root`.
    ///
    /// # Errors
    /// As [`Suite::load`].
    pub fn from_config(root: &Path, config: Config) -> Result<Suite, SuiteError> {
        Suite::listed(root, config, Known::default(), Deadline::default(), &|_| {})
    }

    /// As [`Suite::from_config`], with `lists` that are known, what is asked told, and an error if what has to run does not end until `deadline`.
    pub(super) fn from_config_until(
        root: &Path,
        config: Config,
        lists: Option<&KeptLists>,
        deadline: Deadline,
        asked: Asked,
    ) -> Result<Suite, SuiteError> {
        Suite::listed(root, config, Known { lists, has_starts: false }, deadline, asked)
    }

    fn listed(
        root: &Path,
        mut config: Config,
        known: Known,
        deadline: Deadline,
        asked: Asked,
    ) -> Result<Suite, SuiteError> {
        if config.suites.is_empty() {
            config.suites = vec![SuiteConfig::automatic()];
        }
        let names = suite_names(&config.suites);
        let (mut tests, mut notes): (Vec<Test>, Vec<String>) = (Vec::new(), Vec::new());
        let (mut keeping, none) = (KeptLists::default(), KeptLists::default());
        for (number, (section, name)) in config.suites.iter().zip(&names).enumerate() {
            let listing = Listing { name, number, root, dir: below(root, &section.dir), section, deadline, asked };
            let found = match known.lists.and_then(|lists| lists.found(section, &listing.dir)) {
                Some(found) => found,
                None => {
                    asked(&format!("listing the tests of suite `{name}`"));
                    listing.list()?
                }
            };
            if found.is_slow {
                keeping.keep(section, &listing.dir, &found);
            }
            let found = listing.split(found, known.lists.unwrap_or(&none), &mut keeping);
            let found = listing.with_starts(found, known.has_starts)?;
            notes.extend(found.notes.into_iter().map(|note| format!("suite `{name}`: {note}")));
            let prefix = if names.len() > 1 { format!("{name}/") } else { String::new() };
            listing.add(found.tests, &prefix, &mut tests);
        }
        unique_names(&mut tests);
        let (root, locks, limits) = (root.to_owned(), Locks::default(), Limits::default());
        Ok(Suite { root, config, tests, notes, kept: keeping, locks, limits })
    }

    /// The same tests with other limits on what they use up; how long each may take is told where it is run.
    pub fn limited(self, limits: Limits) -> Suite {
        Suite { limits, ..self }
    }

    /// The lists that took long to ask for.
    pub fn kept(&self) -> &KeptLists {
        &self.kept
    }

    /// The directory of suspect.toml.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// suspect.toml.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// All tests, in the order in which the suites list them.
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// A test's name as suspect.toml may say it in the section of its suite.
    pub(super) fn own_name<'t>(&self, test: &'t Test) -> &'t str {
        let without_suite = || test.name.split_once('/').map(|(_, name)| name);
        if self.config.suites.len() > 1 { without_suite().unwrap_or(&test.name) } else { &test.name }
    }

    /// What the user should know about the list: tests that are disabled, what was detected.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl SuiteConfig {
    /// What is meant when suspect.toml has no `[[suite]]`.
    pub(super) fn automatic() -> SuiteConfig {
        SuiteConfig {
            name: None,
            kind: Kind::Auto,
            dir: PathBuf::from("."),
            timeout: None,
            repeat: 2,
            env: BTreeMap::new(),
            scratch: Default::default(),
            alone: Names::None,
            needs: Vec::new(),
            cases: None,
            starts: Names::None,
            targets: false,
        }
    }
}

/// A directory below another, without the dots that people write.
fn below(root: &Path, dir: &Path) -> PathBuf {
    root.join(dir).components().collect()
}

/// Given names, or the kind; numbered where that is not enough.
fn suite_names(suites: &[SuiteConfig]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for suite in suites {
        let wanted = suite.name.clone().unwrap_or_else(|| suite.kind.name().to_owned());
        let mut name = wanted.clone();
        let mut number = 2;
        while names.contains(&name) {
            name = format!("{wanted}-{number}");
            number += 1;
        }
        names.push(name);
    }
    names
}

/// Numbers tests that share a name.
fn unique_names(tests: &mut [Test]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for test in tests {
        let times = seen.entry(test.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            test.name = format!("{}#{times}", test.name);
        }
    }
}

/// A test as a suite lists it; indices in its plan are those of the list.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) dir: PathBuf,
    pub(super) plan: Plan,
}

/// What a suite lists.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) tests: Vec<Listed>,
    pub(super) notes: Vec<String>,
    /// Whether asking took long enough to keep the answer.
    pub(super) is_slow: bool,
}

/// Listing the tests of one suite.
pub(super) struct Listing<'a> {
    pub(super) name: &'a str,
    pub(super) number: usize,
    pub(super) root: &'a Path,
    pub(super) dir: PathBuf,
    pub(super) section: &'a SuiteConfig,
    /// Until when drivers are looked at.
    pub(super) deadline: Deadline,
    pub(super) asked: Asked<'a>,
}

impl Listing<'_> {
    fn list(&self) -> Result<Found, SuiteError> {
        if !self.dir.is_dir() {
            let why = format!(
                "its directory {} does not exist; is the project built? `suspect build` does that",
                self.dir.display()
            );
            return Err(self.no_tests(why));
        }
        let found = match &self.section.kind {
            Kind::Auto => return self.detected(),
            Kind::Command(config) => command::list(self, config)?,
            Kind::Cases(config) => cases::list_cases(self, config)?,
            Kind::Lines(config) => cases::list_lines(self, config)?,
            Kind::Ctest => ctest::list(self)?,
            Kind::Automake => automake::list(self)?,
            Kind::Meson => meson::list(self)?,
            Kind::Autotest => groups::list(self)?,
        };
        Ok(found)
    }

    /// Lists what is found in the directory.
    fn detected(&self) -> Result<Found, SuiteError> {
        let Some(detected) = detect::detect(&self.dir) else {
            return Err(self.no_tests(format!("in {} there is {}", self.dir.display(), detect::NOTHING)));
        };
        let note = format!("found {}", detected.what);
        let section =
            SuiteConfig { kind: detected.kind, dir: self.section.dir.join(&detected.dir), ..self.section.clone() };
        let listing = Listing { dir: below(self.root, &section.dir), section: &section, ..*self };
        let mut found = listing.list()?;
        found.notes.insert(0, note);
        Ok(found)
    }

    /// Appends what was listed to `tests`.
    fn add(&self, listed: Vec<Listed>, prefix: &str, tests: &mut Vec<Test>) {
        let first = tests.len();
        for Listed { name, dir, mut plan } in listed {
            plan.before.iter_mut().for_each(|(other, _)| *other += first);
            plan.after.iter_mut().for_each(|other| *other += first);
            let set = self.section.env.iter().map(|(name, value)| (name.into(), Some(value.into())));
            plan.env.extend(set);
            plan.timeout = self.section.timeout.or(plan.timeout);
            plan.needs.alone |= self.section.alone.has(&name);
            let needed = self.section.needs.iter().filter(|(_, tests)| tests.has(&name));
            plan.needs.names.extend(needed.map(|(need, _)| need.clone()));
            if let Oracle::Junit(path) = &plan.oracle {
                plan.needs.names.insert(format!("file {}", dir.join(path).display()));
            }
            let around = [&*self.dir, self.root].into_iter().find(|around| dir != *around && dir.starts_with(around));
            let line = match plan.oracle {
                Oracle::Autotest => groups::line(&plan.argv),
                _ => line_text(&plan.argv),
            };
            tests.push(Test {
                name: format!("{prefix}{name}"),
                around: around.map(Path::to_owned),
                index: tests.len(),
                suite: self.number,
                command: format!("{}{line}", choice_text(&plan)),
                dir,
                plan,
            });
        }
    }

    pub(super) fn no_tests(&self, why: impl Into<String>) -> SuiteError {
        SuiteError::NoTests { suite: self.name.to_owned(), why: why.into() }
    }

    pub(super) fn answer(&self, command: &[OsString], message: impl Into<String>) -> SuiteError {
        SuiteError::Answer {
            suite: self.name.to_owned(),
            command: command_text(command),
            dir: self.dir.clone(),
            message: message.into(),
        }
    }

    /// A command that lists tests.
    pub(super) fn tool(&self, argv: impl IntoIterator<Item = impl Into<OsString>>) -> Command {
        let mut command = Command::new(argv, &self.dir);
        command.env = self.environment();
        command
    }

    fn environment(&self) -> Environment {
        let mut env = Environment::inherited();
        for (name, value) in &self.section.env {
            env.set(name, value);
        }
        env
    }

    /// Runs a command that lists tests; it has to succeed.
    pub(super) fn run_tool(&self, command: &Command) -> Result<Outcome, SuiteError> {
        let outcome = self.try_tool(command)?;
        match outcome.status {
            Status::Exited(0) => Ok(outcome),
            _ => Err(self.tool_failed(command, &outcome)),
        }
    }

    /// Runs a command that lists tests.
    pub(super) fn try_tool(&self, command: &Command) -> Result<Outcome, SuiteError> {
        command.run().map_err(|error| match error {
            ExecError::Start { program, source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                SuiteError::MissingTool { suite: self.name.to_owned(), tool: program }
            }
            error => error.into(),
        })
    }

    pub(super) fn tool_failed(&self, command: &Command, outcome: &Outcome) -> SuiteError {
        let said = [&outcome.stdout.bytes[..], &outcome.stderr.bytes[..]].concat();
        let lines: Vec<&[u8]> =
            said.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect();
        let end = lines[lines.len().saturating_sub(6)..].iter().map(|line| format!("\n  {}", clip(line)));
        SuiteError::Tool {
            suite: self.name.to_owned(),
            command: command_text(&command.argv),
            dir: command.cwd.clone(),
            status: outcome.status.to_string(),
            detail: end.collect(),
        }
    }
}

/// An executable shell script called `name` in a temporary directory.
pub(super) fn script(name: &str, body: &str) -> Result<tempfile::TempDir, SuiteError> {
    let refused = |source| SuiteError::Io { what: "write a script in", path: std::env::temp_dir(), source };
    let dir = tempfile::Builder::new().prefix("suspect-").tempdir().map_err(refused)?;
    let path = dir.path().join(name);
    fs::write(&path, format!("#!/bin/sh\n{body}")).map_err(refused)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(refused)?;
    Ok(dir)
}
