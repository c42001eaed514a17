//! `kind = "command"`: a command for each name that another command lists.

use super::SuiteError;
use super::cases::shell_argv;
use super::config::{CommandConfig, ResultFormat};
use super::load::{Found, Listed, Listing};
use super::oracle::Oracle;
use super::test::Plan;
use crate::exec::Command;

/// The tests that the `list` command writes, or one test named after the suite.
pub(super) fn list(listing: &Listing, config: &CommandConfig) -> Result<Found, SuiteError> {
    let names = match &config.list {
        Some(list) => listed_names(listing, list)?,
        None => vec![listing.name.to_owned()],
    };
    let oracle = match &config.result {
        ResultFormat::Exit => Oracle::default(),
        ResultFormat::Tap => Oracle::Tap { should_fail: false },
        ResultFormat::Junit(path) => Oracle::Junit(path.clone()),
    };
    let scratch = listing.section.scratch;
    let tests = names.into_iter().map(|name| {
        let line = config.run.fill(&[("test", name.as_ref()), ("dir", listing.dir.as_os_str())]);
        let plan = Plan { argv: shell_argv(line), oracle: oracle.clone(), scratch, ..Plan::default() };
        Listed { name, dir: listing.dir.clone(), plan }
    });
    Ok(Found { tests: tests.collect(), ..Found::default() })
}

fn listed_names(listing: &Listing, list: &str) -> Result<Vec<String>, SuiteError> {
    let command = Command { argv: shell_argv(list.into()), ..listing.tool(["sh"]) };
    let outcome = listing.run_tool(&command)?;
    let Ok(text) = String::from_utf8(outcome.stdout.bytes) else {
        return Err(listing.answer(&command.argv, "a test's name is not UTF-8"));
    };
    let names: Vec<String> = text.lines().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    match names.is_empty() {
        true => Err(listing.no_tests(format!("`{list}` lists nothing in {}", listing.dir.display()))),
        false => Ok(names),
    }
}
