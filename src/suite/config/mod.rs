//! suspect.toml: what the user says about the build and the tests.

mod check;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use suspect_format::abi::Mode;
use toml::Spanned;

pub use self::check::parse_duration;
use self::check::{RawRank, RawSuite, Wrong, check, check_suites, check_test_code, parse, position, wrong};
use super::SuiteError;
use super::framework::Framework;
use super::likeness::Likeness;
use super::template::Template;
use super::test_code::TestCode;
use crate::mutant::ValueRange;

/// Name of the file.
pub const FILE: &str = "suspect.toml";

/// A checked suspect.toml.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The file it came from.
    pub path: PathBuf,
    /// `[build]`.
    pub build: BuildConfig,
    /// `[store]`.
    pub store: StoreConfig,
    /// `[rank] test_code`.
    pub test_code: TestCode,
    /// `[ranges]`, by function and variable.
    pub ranges: Vec<StatedRange>,
    /// Each `[[suite]]`.
    pub suites: Vec<SuiteConfig>,
}

/// The name of what a function returns, in place of a variable's.
pub const RETURNED: &str = "return";

/// An entry of `[ranges]`: what a variable of a function may take, wherever it is assigned there.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedRange {
    /// The function.
    pub function: String,
    /// The variable or parameter, or [`RETURNED`].
    pub variable: String,
    /// The values.
    pub range: ValueRange,
}

/// `[store]`: what is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreConfig {
    /// Recorded runs, at least one; what was found out before the oldest of them is forgotten.
    pub keep: usize,
}

impl Default for StoreConfig {
    /// A month of nights.
    fn default() -> StoreConfig {
        StoreConfig { keep: 30 }
    }
}

/// `[build]`: how the project is built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildConfig {
    /// Shell command that `suspect build` runs without arguments.
    pub command: Option<String>,
    /// Shell command that is enough where sources changed since.
    pub again: Option<String>,
    /// Versions of each function to build; empty for the default.
    pub modes: Vec<Mode>,
}

/// One `[[suite]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteConfig {
    /// Given name.
    pub name: Option<String>,
    /// Kind of suite with what only this kind has.
    pub kind: Kind,
    /// Directory relative to suspect.toml's.
    pub dir: PathBuf,
    /// Time limit of a test, instead of one from the measured times.
    pub timeout: Option<Duration>,
    /// Baseline runs, at least two.
    pub repeat: usize,
    /// Variables to set.
    pub env: BTreeMap<String, String>,
    /// Where a test runs.
    pub scratch: ScratchKind,
    /// Tests beside which no other test runs.
    pub alone: Names,
    /// What tests have for themselves while they run, each with the tests that need it.
    pub needs: Vec<(String, Names)>,
    /// Which test programs are taken apart into their cases.
    pub cases: Option<Cases>,
    /// Tests of which each start of a program is a test of its own.
    pub starts: Names,
    /// Whether each target that a target of make's consists of is a test.
    pub targets: bool,
}

/// Test programs that are taken apart into their cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cases {
    /// Those of any framework that shows.
    Auto,
    /// All, as those of this framework.
    Of(Framework),
}

/// Some tests of a suite, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// None.
    #[default]
    None,
    /// All.
    All,
    /// Those that match one of these patterns.
    Matching(Vec<glob::Pattern>),
}

impl Names {
    /// Whether the test with this name is one of them.
    pub fn has(&self, name: &str) -> bool {
        match self {
            Names::None => false,
            Names::All => true,
            Names::Matching(patterns) => patterns.iter().any(|pattern| pattern.matches(name)),
        }
    }
}

/// Where a test of kind `command`, `cases` or `lines` runs. Whichever it is, `TMPDIR` is an empty directory of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScratchKind {
    /// In the suite's directory.
    #[default]
    None,
    /// In a fresh copy of the suite's directory.
    Copy,
    /// In an empty directory; placeholders are absolute paths.
    Empty,
}

/// Kind of suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whatever is found in the directory.
    Auto,
    /// A command for each name that another command lists.
    Command(CommandConfig),
    /// A command for each input file.
    Cases(CasesConfig),
    /// A command for each line of a file.
    Lines(LinesConfig),
    /// What CTest knows.
    Ctest,
    /// What `make check` of an Automake Makefile runs.
    Automake,
    /// What Meson knows.
    Meson,
    /// The groups of a script that GNU Autotest generated.
    Autotest,
}

impl Kind {
    /// The word in suspect.toml.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Auto => "auto",
            Kind::Command(_) => "command",
            Kind::Cases(_) => "cases",
            Kind::Lines(_) => "lines",
            Kind::Ctest => "ctest",
            Kind::Automake => "automake",
            Kind::Meson => "meson",
            Kind::Autotest => "autotest",
        }
    }
}

/// `kind = "command"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandConfig {
    /// Shell command that writes a test's name on each line; without it the suite is one test.
    pub list: Option<String>,
    pub(super) run: Template,
    /// How the run tells its result.
    pub result: ResultFormat,
}

impl CommandConfig {
    /// A test for each shell script that matches the pattern.
    pub(super) fn scripts(pattern: &str) -> CommandConfig {
        CommandConfig {
            list: Some(format!("ls {pattern}")),
            run: Template::known("sh {test}", "test"),
            result: ResultFormat::Exit,
        }
    }
}

/// How a run tells its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultFormat {
    /// Exit status zero; 77 for a skipped test.
    Exit,
    /// TAP on standard output.
    Tap,
    /// A JUnit XML file, relative to the working directory.
    Junit(PathBuf),
}

/// `kind = "cases"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CasesConfig {
    /// Pattern of input files.
    pub inputs: String,
    pub(super) run: Template,
    pub(super) expect: Option<Expect>,
}

/// `kind = "lines"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinesConfig {
    /// The file with a test on each line.
    pub file: PathBuf,
    pub(super) run: Template,
    pub(super) expect: Option<Expect>,
}

/// What the output has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expect {
    pub(super) source: ExpectSource,
    /// Shell command through which both outputs go before they are compared.
    pub(super) filter: Option<String>,
    /// The exit status, if not any will do.
    pub(super) status: Option<i32>,
    /// What need not be as expected.
    pub(super) likeness: Likeness,
}

/// Where the expected output comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ExpectSource {
    /// A file.
    File(Template),
    /// The standard output of a program that is right.
    Reference(Template),
}

impl Config {
    /// Reads and checks the file at `path`.
    ///
    /// # Errors
    /// When it cannot be read or has no meaning.
    pub fn load(path: &Path) -> Result<Config, SuiteError> {
        let bytes = fs::read(path).map_err(|source| SuiteError::Io { what: "read", path: path.into(), source })?;
        Config::parse(&bytes, path)
    }

    /// Checks the contents of a suspect.toml; `path` is for messages.
    ///
    /// # Errors
    /// With line and column of what has no meaning.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Config, SuiteError> {
        let (text, checked) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, check(text, path)),
            Err(e) => {
                let valid = std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or_default();
                (valid, wrong(valid.len()..valid.len(), "a byte that is not UTF-8"))
            }
        };
        checked.map_err(located(text, path))
    }
}

/// Says where in a file something is wrong.
fn located(text: &str, path: &Path) -> impl Fn(Wrong) -> SuiteError {
    move |Wrong { at, message }| {
        let (line, column) = position(text, at.start);
        SuiteError::Config { path: path.into(), line, column, message }
    }
}

impl SuiteConfig {
    /// Whether the section says what is right. Without, tests of kind `cases` and `lines` are judged by their exit status.
    pub fn has_expectation(&self) -> bool {
        match &self.kind {
            Kind::Cases(cases) => cases.expect.is_some(),
            Kind::Lines(lines) => lines.expect.is_some(),
            _ => true,
        }
    }
}

/// `[[suite]]` sections as another file than suspect.toml has them, not yet checked.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Sections(Vec<Spanned<RawSuite>>);

impl Sections {
    /// Checks them. `text` is the contents of the file, `path` its name for messages.
    ///
    /// # Errors
    /// With line and column of what has no meaning.
    pub fn check(self, text: &str, path: &Path) -> Result<Vec<SuiteConfig>, SuiteError> {
        check_suites(self.0).map_err(located(text, path))
    }
}

/// A `[rank]` section as another file than suspect.toml has it, not yet checked.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct RankSection(RawRank);

impl RankSection {
    /// Checks it: which source files are tests. `text` is the contents of the file, `path` its name for messages.
    ///
    /// # Errors
    /// With line and column of what has no meaning.
    pub fn check(self, text: &str, path: &Path) -> Result<TestCode, SuiteError> {
        check_test_code(self.0).map_err(located(text, path))
    }
}

/// Reads TOML with the messages of suspect.toml; `path` is for these.
///
/// # Errors
/// With line and column of what does not fit `T`.
pub fn parse_toml<T: DeserializeOwned>(text: &str, path: &Path) -> Result<T, SuiteError> {
    parse(text).map_err(located(text, path))
}
