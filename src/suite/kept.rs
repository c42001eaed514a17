//! Lists of tests that take long to ask for, kept with a recorded run: what else is done with the run needs the same tests again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::case_list::CaseList;
use super::config::{Names, SuiteConfig};
use super::framework::Framework;
use super::load::{Found, Listed};
use super::oracle::Oracle;
use super::test::Plan;

/// The lists of those suites whose tools are slow, and the cases of test programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptLists {
    /// What suites list.
    pub suites: KeptSuites,
    /// What test programs list.
    pub cases: KeptCases,
}

/// The lists of suites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSuites(Vec<KeptList>);

/// The cases of test programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptCases(Vec<KeptProgram>);

/// The cases of a test program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptProgram {
    dir: PathBuf,
    argv: Vec<OsString>,
    framework: String,
    way: u64,
    names: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptList {
    /// What suspect.toml says of the suite, and where that is.
    section: String,
    tests: Vec<KeptTest>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptTest {
    name: String,
    dir: PathBuf,
    argv: Vec<OsString>,
    env: Vec<(OsString, Option<OsString>)>,
    oracle: KeptOracle,
}

/// What judges tests of such suites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum KeptOracle {
    Automake { log: u64, trs: u64 },
    Exit { skip: Option<i32>, error: Option<i32>, should_fail: bool },
}

impl KeptLists {
    /// Keeps what a suite of suspect.toml lists, if all of it can be.
    pub(super) fn keep(&mut self, section: &SuiteConfig, dir: &Path, found: &Found) {
        let tests: Option<Vec<KeptTest>> = found.tests.iter().map(KeptTest::of).collect();
        self.suites.0.extend(tests.map(|tests| KeptList { section: key(section, dir), tests }));
    }

    /// What a suite lists, if it is kept.
    pub(super) fn found(&self, section: &SuiteConfig, dir: &Path) -> Option<Found> {
        let key = key(section, dir);
        let list = self.suites.0.iter().find(|list| list.section == key)?;
        let tests = list.tests.iter().map(KeptTest::listed).collect();
        Some(Found { tests, notes: Vec::new(), is_slow: true })
    }

    /// Keeps the cases of a test program.
    pub(super) fn keep_cases(&mut self, dir: &Path, argv: &[OsString], list: &CaseList) {
        let CaseList { framework, way, names } = list;
        let (dir, argv, framework) = (dir.to_owned(), argv.to_vec(), framework.name().to_owned());
        self.cases.0.push(KeptProgram { dir, argv, framework, way: *way as u64, names: names.clone() });
    }

    /// The cases of a test program, if they are kept.
    pub(super) fn cases(&self, dir: &Path, argv: &[OsString]) -> Option<CaseList> {
        let kept = self.cases.0.iter().find(|program| program.dir == dir && program.argv == argv)?;
        let framework = Framework::ALL.into_iter().find(|framework| framework.name() == kept.framework)?;
        Some(CaseList { framework, way: kept.way as usize, names: kept.names.clone() })
    }
}

/// What a list depends on: cases of programs and starts of drivers are looked for once it is there.
fn key(section: &SuiteConfig, dir: &Path) -> String {
    let section = SuiteConfig { starts: Names::None, cases: None, ..section.clone() };
    format!("{} {section:?}", dir.display())
}

impl KeptTest {
    fn of(test: &Listed) -> Option<KeptTest> {
        let Plan { argv, env, scratch, oracle, timeout, needs, before, after, has_starts: _ } = &test.plan;
        let oracle = match *oracle {
            Oracle::Automake { log, trs } => KeptOracle::Automake { log: log as u64, trs: trs as u64 },
            Oracle::Exit { skip, error, should_fail } => KeptOracle::Exit { skip, error, should_fail },
            _ => return None,
        };
        let plain = Plan::default();
        let is_plain = (scratch, timeout, needs, before, after)
            == (&plain.scratch, &plain.timeout, &plain.needs, &plain.before, &plain.after);
        let (argv, env) = (argv.clone(), env.clone());
        is_plain.then(|| KeptTest { name: test.name.clone(), dir: test.dir.clone(), argv, env, oracle })
    }

    fn listed(&self) -> Listed {
        let oracle = match self.oracle {
            KeptOracle::Automake { log, trs } => Oracle::Automake { log: log as usize, trs: trs as usize },
            KeptOracle::Exit { skip, error, should_fail } => Oracle::Exit { skip, error, should_fail },
        };
        let plan = Plan { argv: self.argv.clone(), env: self.env.clone(), oracle, ..Plan::default() };
        Listed { name: self.name.clone(), dir: self.dir.clone(), plan }
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::Config;
    use super::*;

    #[test]
    fn a_list_is_the_same_whether_or_not_its_tests_are_taken_apart() {
        let of = |lines: &str| {
            let text = format!("[[suite]]\nkind = \"automake\"\n{lines}");
            let config = Config::parse(text.as_bytes(), Path::new("suspect.toml")).unwrap();
            key(&config.suites[0], Path::new("/project"))
        };
        assert_eq!(of("starts = true\ncases = \"auto\"\n"), of(""));
        assert_ne!(of("env = { LC_ALL = \"C\" }\n"), of(""));
    }
}
