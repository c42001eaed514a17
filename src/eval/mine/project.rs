//! How a commit of the history is built and tested.

use std::path::Path;

use super::MineRequest;
use crate::build::stale::shell_word;
use crate::obstacle::Obstacle;
use crate::suite::{self, CONFIG_FILE, Config, TestCode};

/// How a tree is built and tested.
pub struct Project {
    /// The shell line that builds it.
    pub build: String,
    /// Its suites, as suspect.toml has them.
    pub suites: toml::Value,
    /// Its `[rank]`, as suspect.toml has it; empty if there is none.
    pub rank: toml::Value,
    /// The suites, each test program as one test: taking them apart needs the runtime.
    pub config: Config,
    /// Whether test programs are taken apart.
    pub has_cases: bool,
}

/// Which files are tests, as far as the request says so.
///
/// # Errors
/// When the file that it names cannot be read.
pub fn test_code(request: &MineRequest) -> Result<TestCode, Obstacle> {
    match &request.config {
        Some(path) => Ok(Config::load(path)?.test_code),
        None => Ok(TestCode::default()),
    }
}

impl Project {
    /// Of the tree of a commit: by the suspect.toml that the request names, its own, or the one that `suspect init` would write; the request's commands come
    /// first.
    ///
    /// # Errors
    /// When the file cannot be read, or neither it nor the request says how to build.
    pub fn of(tree: &Path, request: &MineRequest) -> Result<Project, Obstacle> {
        let own = tree.join(CONFIG_FILE);
        let path = request.config.as_ref().unwrap_or(&own);
        if request.config.is_none() && !own.is_file() {
            suite::init(tree, None)?;
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| Obstacle::new(Obstacle::Request, format!("cannot read {}: {error}", path.display())))?;
        let mut table: toml::Table = toml::from_str(&text)
            .map_err(|error| Obstacle::new(Obstacle::Request, format!("{}: {}", path.display(), error.message())))?;
        if !request.tests.is_empty() {
            table.insert("suite".into(), lines(&request.tests));
        }
        let mut config = Config::parse(toml::to_string(&table).unwrap_or_default().as_bytes(), path)?;
        let build = request.build.clone().or(config.build.command.take()).ok_or_else(|| {
            Obstacle::new(
                Obstacle::Request,
                "nothing says how to build: give --build, or --config with a [build] command",
            )
        })?;
        let has_cases = config.suites.iter().any(|suite| suite.cases.is_some());
        config.suites.iter_mut().for_each(|suite| suite.cases = None);
        let automatic = || toml::Value::Array(vec![toml::toml! { kind = "auto" }.into()]);
        Ok(Project {
            build,
            suites: table.remove("suite").unwrap_or_else(automatic),
            rank: table.remove("rank").unwrap_or_else(|| toml::Table::new().into()),
            config,
            has_cases,
        })
    }
}

/// A suite of which each of these shell lines is a test.
fn lines(tests: &[String]) -> toml::Value {
    let names: Vec<String> = tests.iter().map(|line| shell_word(line)).collect();
    let mut suite = toml::Table::new();
    suite.insert("kind".into(), "command".into());
    suite.insert("list".into(), format!("printf '%s\\n' {}", names.join(" ")).into());
    suite.insert("run".into(), "sh -c {test}".into());
    toml::Value::Array(vec![suite.into()])
}
