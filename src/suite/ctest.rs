//! `kind = "ctest"`: the tests that `ctest --show-only=json-v1` lists, each run by ourselves.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use regex::bytes::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::SuiteError;
use super::cmake_regex;
use super::ctest_oracle::CtestOracle;
use super::load::{Found, Listed, Listing};
use super::locks::Needs;
use super::oracle::Oracle;
use super::test::Plan;

#[derive(Deserialize)]
struct Answer {
    tests: Vec<RawTest>,
}

#[derive(Deserialize)]
struct RawTest {
    name: String,
    /// Missing while the test's program is not built.
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    properties: Vec<RawProperty>,
}

#[derive(Deserialize)]
struct RawProperty {
    name: String,
    #[serde(default)]
    value: Value,
}

/// A test's properties by name.
struct Properties(BTreeMap<String, Value>);

impl Properties {
    fn texts(&self, name: &str) -> Vec<&str> {
        match self.0.get(name) {
            Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(text)) => vec![text],
            _ => Vec::new(),
        }
    }

    fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Value::as_f64)
    }
}

/// The tests that CTest lists in the suite's directory.
pub(super) fn list(listing: &Listing) -> Result<Found, SuiteError> {
    let command = listing.tool(["ctest", "--show-only=json-v1"]);
    let outcome = listing.run_tool(&command)?;
    let answer: Answer = serde_json::from_slice(&outcome.stdout.bytes)
        .map_err(|e| listing.answer(&command.argv, format!("{e} (CMake 3.14 or later is needed)")))?;
    let (mut raw, mut disabled) = (Vec::new(), 0);
    for test in answer.tests {
        let properties = Properties(test.properties.into_iter().map(|p| (p.name, p.value)).collect());
        match properties.flag("DISABLED") {
            true => disabled += 1,
            false => raw.push(Known { name: test.name, command: test.command, properties }),
        }
    }
    if raw.is_empty() {
        return Err(listing.no_tests(format!("ctest lists none in {}", listing.dir.display())));
    }
    let graph = Graph::of(&raw);
    let mut tests = Vec::new();
    for (index, test) in raw.iter().enumerate() {
        tests.push(test.listed(listing, index, &graph).map_err(|message| listing.answer(&command.argv, message))?);
    }
    let notes = if disabled > 0 { vec![format!("{disabled} disabled tests left out")] } else { Vec::new() };
    Ok(Found { tests, notes, ..Found::default() })
}

struct Known {
    name: String,
    command: Vec<String>,
    properties: Properties,
}

impl Known {
    fn listed(&self, listing: &Listing, index: usize, graph: &Graph) -> Result<Listed, String> {
        let expressions = |name: &str| -> Result<Vec<Regex>, String> {
            self.properties.texts(name).into_iter().map(cmake_regex::compile).collect()
        };
        let missing =
            self.properties.texts("REQUIRED_FILES").into_iter().map(PathBuf::from).find(|path| !path.exists());
        let oracle = CtestOracle {
            pass: expressions("PASS_REGULAR_EXPRESSION")?,
            fail: expressions("FAIL_REGULAR_EXPRESSION")?,
            skip: expressions("SKIP_REGULAR_EXPRESSION")?,
            // CTest's exit statuses are small integers.
            skip_code: self.properties.number("SKIP_RETURN_CODE").map(|code| code as i32),
            will_fail: self.properties.flag("WILL_FAIL"),
            missing,
        };
        let dir = self.properties.texts("WORKING_DIRECTORY").first().map_or(listing.dir.clone(), PathBuf::from);
        let timeout = self.properties.number("TIMEOUT").filter(|seconds| (1e-3..1e9).contains(seconds));
        let plan = Plan {
            argv: self.command.iter().map(OsString::from).collect(),
            env: self.environment(),
            oracle: Oracle::Ctest(Box::new(oracle)),
            timeout: timeout.map(Duration::from_secs_f64),
            needs: Needs { names: graph.locks(index, &self.properties), alone: self.properties.flag("RUN_SERIAL") },
            before: graph.before(index),
            after: graph.after(index),
            ..Plan::default()
        };
        Ok(Listed { name: self.name.clone(), dir, plan })
    }

    /// `ENVIRONMENT`, then `ENVIRONMENT_MODIFICATION` applied to it or to our own.
    fn environment(&self) -> Vec<(OsString, Option<OsString>)> {
        let mut set: BTreeMap<String, Option<String>> = BTreeMap::new();
        for entry in self.properties.texts("ENVIRONMENT") {
            // CTest ignores what is not an assignment.
            if let Some((name, value)) = entry.split_once('=') {
                set.insert(name.to_owned(), Some(value.to_owned()));
            }
        }
        for entry in self.properties.texts("ENVIRONMENT_MODIFICATION") {
            let Some((name, (op, value))) =
                entry.split_once('=').and_then(|(n, rest)| Some((n, rest.split_once(':')?)))
            else {
                continue;
            };
            let inherited = || std::env::var(name).ok();
            let now = set.get(name).cloned().unwrap_or_else(inherited);
            let new = modified(op, value, now, inherited);
            set.insert(name.to_owned(), new);
        }
        set.into_iter().filter(|(name, _)| !name.is_empty()).map(|(n, v)| (n.into(), v.map(OsString::from))).collect()
    }
}

/// One operation of `ENVIRONMENT_MODIFICATION`.
fn modified(op: &str, value: &str, now: Option<String>, inherited: impl Fn() -> Option<String>) -> Option<String> {
    let joined = |separator: &str, append: bool| {
        Some(match now.as_deref() {
            None | Some("") => value.to_owned(),
            Some(old) if append => format!("{old}{separator}{value}"),
            Some(old) => format!("{value}{separator}{old}"),
        })
    };
    match op {
        "set" => Some(value.to_owned()),
        "unset" => None,
        "reset" => inherited(),
        "string_append" => joined("", true),
        "string_prepend" => joined("", false),
        "path_list_append" => joined(":", true),
        "path_list_prepend" => joined(":", false),
        "cmake_list_append" => joined(";", true),
        "cmake_list_prepend" => joined(";", false),
        _ => now.clone(),
    }
}

/// What tests need of each other.
struct Graph {
    /// Tests that must have passed before, by fixture.
    setups: Vec<Vec<usize>>,
    /// Tests that clean up.
    cleanups: Vec<Vec<usize>>,
    /// Tests that come before, whatever they give.
    depends: Vec<Vec<usize>>,
    /// Number of the group of tests connected in any way; tests of a group share files, so they never run at once.
    group: Vec<usize>,
}

impl Graph {
    fn of(tests: &[Known]) -> Graph {
        let having = |property: &str, wanted: &str| -> Vec<usize> {
            (0..tests.len()).filter(|i| tests[*i].properties.texts(property).contains(&wanted)).collect()
        };
        let related = |property: &str, other: &str| -> Vec<Vec<usize>> {
            let of = |test: &Known| test.properties.texts(property).iter().flat_map(|f| having(other, f)).collect();
            tests.iter().map(of).collect()
        };
        let named = |test: &Known| -> Vec<usize> {
            let wanted = test.properties.texts("DEPENDS");
            (0..tests.len()).filter(|i| wanted.contains(&&*tests[*i].name)).collect()
        };
        let mut graph = Graph {
            setups: related("FIXTURES_REQUIRED", "FIXTURES_SETUP"),
            cleanups: related("FIXTURES_REQUIRED", "FIXTURES_CLEANUP"),
            depends: tests.iter().map(named).collect(),
            group: Vec::new(),
        };
        graph.group = graph.groups();
        graph
    }

    fn groups(&self) -> Vec<usize> {
        let mut group = petgraph::unionfind::UnionFind::new(self.setups.len());
        for edges in [&self.setups, &self.cleanups, &self.depends] {
            for (from, to) in edges.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from, *to))) {
                group.union(from, to);
            }
        }
        group.into_labeling()
    }

    /// Everything to run before, in order, each once; true where it has to pass.
    fn before(&self, test: usize) -> Vec<(usize, bool)> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::from([test]);
        self.visit(test, &mut seen, &mut order);
        order
    }

    fn visit(&self, test: usize, seen: &mut BTreeSet<usize>, order: &mut Vec<(usize, bool)>) {
        let setups = self.setups[test].iter().map(|other| (*other, true));
        for (other, required) in setups.chain(self.depends[test].iter().map(|other| (*other, false))) {
            if seen.insert(other) {
                self.visit(other, seen, order);
                order.push((other, required));
            }
        }
    }

    /// Everything to run afterwards: the cleaning up of what was set up.
    fn after(&self, test: usize) -> Vec<usize> {
        let set_up = self.before(test).into_iter().map(|(other, _)| other).chain([test]);
        let mut after = Vec::new();
        for cleanup in set_up.flat_map(|other| self.cleanups[other].iter().copied()) {
            if cleanup != test && !after.contains(&cleanup) {
                after.push(cleanup);
            }
        }
        after
    }

    fn locks(&self, test: usize, properties: &Properties) -> BTreeSet<String> {
        let mut locks: BTreeSet<String> =
            properties.texts("RESOURCE_LOCK").into_iter().map(|name| format!("resource {name}")).collect();
        if self.group.iter().filter(|group| **group == self.group[test]).count() > 1 {
            locks.insert(format!("group {}", self.group[test]));
        }
        locks
    }
}
