//! What a suite's tests leave untold, and the line of suspect.toml that would have them tell more.

use std::collections::BTreeMap;
use std::fmt;

use super::config::{Kind, Names, SuiteConfig};
use super::deadline::Deadline;
use super::framework::Framework;
use super::load::Listing;
use super::oracle::Oracle;
use super::split;
use super::targets::{self, Call};
use super::{Suite, Test};

/// A key of suspect.toml that would have tests tell more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// Each case of a test program is a test.
    Cases,
    /// Which points of a script fail.
    Tap,
    /// Each target, or each command, that a target of make's consists of is a test.
    Targets,
    /// Each start of a program is a test.
    Starts,
}

/// Why tests of a suite tell less than they could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Number of the `[[suite]]` in suspect.toml, from 0.
    pub suite: usize,
    /// What would help.
    pub key: Key,
    /// The first of the tests.
    pub test: String,
    /// How many tests it is about.
    pub n_tests: usize,
    /// Most instrumented processes that a run of one starts.
    pub processes: u32,
    /// Whether how the program ends is all that decides.
    pub by_status: bool,
}

/// Instrumented processes of a test from which on they are said to be many: a program and what starts it are two.
const MANY: u32 = 3;
/// The same of a part of a test that make runs.
const FEW: u32 = 2;

impl Key {
    /// The line of suspect.toml.
    pub fn line(self) -> &'static str {
        match self {
            Key::Cases => "cases = \"auto\"",
            Key::Tap => "result = \"tap\"",
            Key::Targets => "targets = true",
            Key::Starts => "starts = true",
        }
    }
}

impl Suite {
    /// What would have tests tell more, those that `failing` has by their numbers, with the instrumented processes that each starts and the
    /// output that it wrote, where that is known.
    pub fn hints<'o>(&self, failing: impl IntoIterator<Item = (usize, u32, Option<&'o [u8]>)>) -> Vec<Hint> {
        let mut hints: BTreeMap<(usize, Key), Hint> = BTreeMap::new();
        for (number, processes, output) in failing {
            let Some(test) = self.tests().get(number) else { continue };
            let Some(key) = self.key(test, processes, output) else { continue };
            let is_tap = matches!(test.plan.oracle, Oracle::Tap { .. });
            let (suite, by_status) = (test.suite, !is_tap && test.plan.oracle.wants_success());
            let new = Hint { suite, key, test: test.name.clone(), n_tests: 0, processes: 0, by_status };
            let hint = hints.entry((suite, key)).or_insert(new);
            hint.n_tests += 1;
            hint.processes = hint.processes.max(processes);
            hint.by_status &= by_status;
        }
        hints.into_values().collect()
    }

    fn key(&self, test: &Test, processes: u32, output: Option<&[u8]>) -> Option<Key> {
        let section = self.config().suites.get(test.suite)?;
        let is_split = matches!(test.plan.oracle, Oracle::Case(_));
        let framework = test.framework().filter(|_| section.cases.is_none());
        if framework.is_some_and(|framework| framework != Framework::Functions) {
            return Some(Key::Cases);
        }
        if matches!(section.kind, Kind::Command(_))
            && test.is_judged_by_status()
            && output.is_some_and(super::tap::is_whole)
        {
            return Some(Key::Tap);
        }
        if framework.is_some() {
            return Some(Key::Cases);
        }
        if let Kind::Command(config) = &section.kind
            && config.list.is_none()
            && !section.targets
            && section.starts == Names::None
            && processes > 0
            && let Some(run) = config.run.plain()
            && self.has_parts(test, section, run)
        {
            return Some(Key::Targets);
        }
        let is_driver = section.starts.has(self.own_name(test));
        let many = match section.kind {
            Kind::Autotest => 1,
            // Commands of a recipe, of which one compares what another one wrote.
            _ if section.targets => FEW,
            _ => MANY,
        };
        (!is_split && !is_driver && processes >= many).then_some(Key::Starts)
    }

    /// Whether make says that a test which calls it consists of several, or is the start of a program that has cases.
    fn has_parts(&self, test: &Test, section: &SuiteConfig, run: &str) -> bool {
        let (root, deadline, dir) = (self.root(), Deadline::default(), test.dir.clone());
        let listing = Listing { name: &test.name, number: test.suite, root, dir, section, deadline, asked: &|_| {} };
        let may_have = Call::parse(run).is_some_and(|call| call.may_have_parts(&test.dir));
        let parts = if may_have { targets::list(&listing, run).unwrap_or_default() } else { Vec::new() };
        match &parts[..] {
            [] => false,
            [only] => split::has_cases(&only.dir, &only.line),
            _ => true,
        }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hint { test, n_tests, processes, by_status, .. } = self;
        write!(out, "{test}")?;
        match n_tests {
            0 | 1 => {}
            2 => write!(out, " and one more")?,
            n => write!(out, " and {} more", n - 1)?,
        }
        let (verb, processes_word) = if *n_tests > 1 { ("run", "each at most ") } else { ("runs", "") };
        let noun = if *processes == 1 { "instrumented process" } else { "instrumented processes" };
        let judged = if *by_status { "judged by exit status alone" } else { "judged by output" };
        write!(out, " {verb} {processes_word}{processes} {noun}, {judged}: ")?;
        match self.key {
            Key::Cases => write!(out, "`cases = \"auto\"` in suspect.toml makes each case of such a program a test"),
            Key::Tap => write!(out, "`result = \"tap\"` in suspect.toml says which points fail"),
            Key::Targets => {
                write!(
                    out,
                    "`targets = true` in suspect.toml makes each target or command that make runs for it a test"
                )
            }
            Key::Starts => write!(
                out,
                "all that they execute is under suspicion; `starts = true` in suspect.toml makes each start of a program a test"
            ),
        }
    }
}
