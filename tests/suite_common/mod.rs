//! A small project in a temporary directory, and running its tests.

#![allow(dead_code, reason = "each test program uses a part")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use suspect::exec::{Command, ScratchRoot};
use suspect::suite::{RunContext, Suite, SuiteError, TestRun, Verdict};

/// A project; removed when dropped.
pub struct Project {
    dir: tempfile::TempDir,
}

impl Project {
    /// A project with these files. Shell scripts are executable.
    pub fn new(files: &[(&str, &str)]) -> Project {
        Project::called("pro ject ö", files)
    }

    /// In a directory whose name is a plain word.
    pub fn plain(files: &[(&str, &str)]) -> Project {
        Project::called("project", files)
    }

    fn called(name: &str, files: &[(&str, &str)]) -> Project {
        let dir = tempfile::Builder::new().prefix(name).tempdir().unwrap();
        let project = Project { dir };
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        if text.starts_with("#!") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }

    /// Runs a shell command that has to succeed.
    pub fn shell(&self, line: &str) {
        let outcome = Command::shell(line, self.root()).run().unwrap();
        let said = [outcome.stdout.bytes, outcome.stderr.bytes].concat();
        assert!(outcome.status.success(), "{line}: {}", String::from_utf8_lossy(&said));
    }

    pub fn load(&self) -> Result<Suite, SuiteError> {
        Suite::load(self.root())
    }

    pub fn suite(&self) -> Suite {
        self.load().unwrap()
    }

    /// What is wrong, without the name of the temporary directory.
    pub fn error(&self) -> String {
        let error = self.load().expect_err("the suite loads").to_string();
        let root = self.root().canonicalize().unwrap();
        error.replace(&format!("{}/", root.display()), "").replace(&root.display().to_string(), "ROOT")
    }
}

/// Runs a test by name.
pub fn run(suite: &Suite, name: &str) -> TestRun {
    run_with(suite, name, &[], None)
}

/// Runs a test by name with variables and a time limit.
pub fn run_with(suite: &Suite, name: &str, env: &[(&str, &str)], timeout: Option<Duration>) -> TestRun {
    let scratch = ScratchRoot::new().unwrap();
    let test = suite.tests().iter().find(|test| test.name == name).unwrap_or_else(|| panic!("no test {name}"));
    let env: Vec<_> = env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    suite
        .run_test(test, &RunContext { env: &env, scratch: &scratch, timeout, large_stack: false, interruptible: false })
        .unwrap()
}

/// Names of all tests.
pub fn names(suite: &Suite) -> Vec<&str> {
    suite.tests().iter().map(|test| &*test.name).collect()
}

/// Verdict and reason of each test, in order.
pub fn results(suite: &Suite) -> Vec<(String, Verdict, String)> {
    let each = suite.tests().iter().map(|test| {
        let run = run(suite, &test.name);
        (test.name.clone(), run.verdict, run.reason.unwrap_or_default())
    });
    each.collect()
}

/// Asserts verdict and reason of each test.
pub fn assert_results(suite: &Suite, expected: &[(&str, Verdict, &str)]) {
    let got = results(suite);
    let expected: Vec<_> =
        expected.iter().map(|(name, verdict, why)| ((*name).into(), *verdict, (*why).into())).collect();
    assert_eq!(got, expected);
}
