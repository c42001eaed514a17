//! `kind = "command"`: a command for each name that another command lists.

use std::ffi::OsString;

use super::SuiteError;
use super::cases::shell_argv;
use super::commands::Group;
use super::config::{CommandConfig, ResultFormat};
use super::load::{Found, Listed, Listing};
use super::oracle::Oracle;
use super::targets;
use super::test::Plan;
use crate::exec::Command;

/// The tests that the `list` command writes, or one test named after the suite.
pub(super) fn list(listing: &Listing, config: &CommandConfig) -> Result<Found, SuiteError> {
    let parts = match listing.section.targets {
        true => targets::list(listing, config.run.plain().unwrap_or_default())?,
        false => Vec::new(),
    };
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
    let listed = |name: String, line: OsString| {
        let plan = Plan { argv: shell_argv(line), oracle: oracle.clone(), scratch, ..Plan::default() };
        Listed { name, dir: listing.dir.clone(), plan }
    };
    let whole = |name: String| {
        let line = config.run.fill(&[("test", name.as_ref()), ("dir", listing.dir.as_os_str())]);
        listed(name, line)
    };
    if parts.is_empty() {
        return Ok(Found { tests: names.into_iter().map(whole).collect(), ..Found::default() });
    }
    let part = |Group { name, line, dir }: Group| {
        let mut test = Listed { dir, ..listed(format!("{}/{name}", listing.name), line.into()) };
        // Make runs them one after the other: they may write the same files.
        test.plan.needs.names.insert(format!("directory {}", listing.dir.display()));
        test
    };
    Ok(Found { tests: parts.into_iter().map(part).collect(), ..Found::default() })
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
