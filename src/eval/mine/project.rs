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
    /// The suites.
    pub config: Config,
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
        whole_programs(&mut table);
        let mut config = Config::parse(toml::to_string(&table).unwrap_or_default().as_bytes(), path)?;
        let build = request.build.clone().or(config.build.command.take()).ok_or_else(|| {
            Obstacle::new(
                Obstacle::Request,
                "nothing says how to build: give --build, or --config with a [build] command",
            )
        })?;
        let automatic = || toml::Value::Array(vec![toml::toml! { kind = "auto" }.into()]);
        Ok(Project {
            build,
            suites: table.remove("suite").unwrap_or_else(automatic),
            rank: table.remove("rank").unwrap_or_else(|| toml::Table::new().into()),
            config,
        })
    }
}

/// Makes each test program one test: taking it apart needs the runtime, and fails where a fault crashes it, so that versions would have other tests.
fn whole_programs(table: &mut toml::Table) {
    let suites = table.get_mut("suite").and_then(toml::Value::as_array_mut);
    for suite in suites.into_iter().flatten().filter_map(toml::Value::as_table_mut) {
        suite.remove("cases");
        suite.remove("starts");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_not_taken_apart() {
        let text = "[[suite]]\nkind = \"ctest\"\ndir = \"build\"\ncases = \"auto\"\n";
        let mut table: toml::Table = toml::from_str(text).unwrap();
        whole_programs(&mut table);
        assert_eq!(table, toml::from_str(&text.replace("cases = \"auto\"\n", "")).unwrap());
    }
}
