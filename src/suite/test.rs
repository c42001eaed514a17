//! One test and one run of it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::config::ScratchKind;
use super::framework::Framework;
use super::locks::{Held, Needs};
use super::oracle::Oracle;
use super::verdict::{Judgement, crash};
use super::{Mismatch, Suite, SuiteError, Verdict};
use crate::exec::{Command, Environment, ExecError, Limits, Outcome, Scratch, ScratchRoot, Stdin};
use suspect_format::abi::{ENV_CASE_FUNCTION, ENV_TEST};

/// Limit of a test about which nothing is known yet.
pub(super) const FIRST_LIMIT: Duration = Duration::from_secs(120);

/// One test of a suite.
#[derive(Clone, Debug)]
pub struct Test {
    /// Name that no other test of the [`Suite`] has: the suite's own name for it, after `suite/` where there are several.
    pub name: String,
    /// Number of the test in [`Suite::tests`].
    pub index: usize,
    /// Number of its `[[suite]]` in suspect.toml.
    pub suite: usize,
    /// The command as a shell would take it.
    pub command: String,
    /// Where the command runs.
    pub dir: PathBuf,
    /// The nearest directory above that one among the suite's and the project's.
    pub(super) around: Option<PathBuf>,
    pub(super) plan: Plan,
}

impl Test {
    /// The time limit that the project itself gives the test.
    pub fn own_timeout(&self) -> Option<Duration> {
        self.plan.timeout
    }

    /// The function of the test program that is this test, by its name.
    pub fn case_function(&self) -> Option<&str> {
        let is_function = self.plan.env.iter().any(|(name, value)| name == ENV_CASE_FUNCTION && value.is_some());
        let name = || self.name.rsplit('/').next();
        name().filter(|_| is_function || matches!(self.plan.oracle, Oracle::Case(_)))
    }

    /// Whether the starts of programs in it are tests of their own, which tell what it tells.
    pub fn has_starts(&self) -> bool {
        self.plan.has_starts
    }

    /// The same test with at most so much time.
    pub fn limited(&self, most: Duration) -> Test {
        let mut test = self.clone();
        test.plan.timeout = Some(test.plan.timeout.map_or(most, |own| own.min(most)));
        test
    }

    /// The directory around [`Test::dir`] whose contents the test may expect there: its suite's (a tree of built programs, say), or where it
    /// runs in that one, the project's; `None` where there is none above.
    pub fn around(&self) -> Option<&Path> {
        self.around.as_deref()
    }
}

/// How a test is run.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) argv: Vec<OsString>,
    /// Variables to set or, without a value, to take out.
    pub(super) env: Vec<(OsString, Option<OsString>)>,
    pub(super) scratch: ScratchKind,
    pub(super) oracle: Oracle,
    pub(super) timeout: Option<Duration>,
    pub(super) needs: Needs,
    /// Tests to run before, in this order; the test cannot run if one marked so fails.
    pub(super) before: Vec<(usize, bool)>,
    /// Tests to run afterwards.
    pub(super) after: Vec<usize>,
    /// Whether the starts of programs in it are tests, which count for it.
    pub(super) has_starts: bool,
}

/// What a run is given.
#[derive(Clone, Copy, Debug)]
pub struct RunContext<'a> {
    /// Variables to add, such as where to record. `SUSPECT_TEST` is set to the test's name when something is added.
    pub env: &'a [(OsString, OsString)],
    /// Where scratch directories are made.
    pub scratch: &'a ScratchRoot,
    /// Time limit; without it the test's own or two minutes.
    pub timeout: Option<Duration>,
    /// Whether its processes get a stack that is larger than the user's.
    pub large_stack: bool,
    /// Whether an interrupt ends the run, too, as if its time were up.
    pub interruptible: bool,
}

/// One finished run of a test.
#[derive(Clone, Debug)]
pub struct TestRun {
    /// What it says about the program.
    pub verdict: Verdict,
    /// Why, unless it goes without saying: the first difference of the output, the signal, the failing TAP point.
    pub reason: Option<String>,
    /// Where the output is wrong first, if that is why.
    pub mismatch: Option<Mismatch>,
    /// What the command did; `None` if it could not be started.
    pub outcome: Option<Outcome>,
    /// What the test's author looks at: the output that is compared, or all that the test wrote.
    pub output: Vec<u8>,
}

impl TestRun {
    fn judged(judgement: Judgement, outcome: Option<Outcome>, output: Vec<u8>) -> TestRun {
        let Judgement { verdict, reason, mismatch } = judgement;
        TestRun { verdict, reason, mismatch, outcome, output }
    }

    /// Whether a signal ended the test's program, as its own exit status or a shell's tells.
    pub fn died(&self) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| crash(outcome.status).is_some())
    }

    /// What the test wrote to standard output and standard error; of both together what its author looks at, where they are kept in one.
    pub fn written(&self) -> [&[u8]; 2] {
        match &self.outcome {
            Some(outcome) if self.output.len() == outcome.stdout.bytes.len() + outcome.stderr.bytes.len() => {
                [&outcome.stdout.bytes, &outcome.stderr.bytes]
            }
            _ => [&self.output, &[]],
        }
    }

    /// Wall-clock time, zero if the command could not be started.
    pub fn wall(&self) -> Duration {
        self.outcome.as_ref().map_or(Duration::ZERO, |outcome| outcome.wall)
    }
}

impl Suite {
    /// Waits until the test can have what suspect.toml or its project says that it has for itself, for who runs it otherwise than by
    /// [`Suite::run_test`].
    pub fn hold<'a>(&'a self, test: &'a Test) -> Held<'a> {
        self.locks.acquire(&test.plan.needs)
    }

    /// Runs a test once, alone with the tests it needs before and after it, in a scratch directory of its own. Waits while
    /// tests run that it must not run beside. May be called from several threads at once.
    ///
    /// # Errors
    /// When the system refuses (no pipes, no space); that the test cannot be run is a verdict.
    pub fn run_test(&self, test: &Test, context: &RunContext) -> Result<TestRun, SuiteError> {
        let _held = self.hold(test);
        let run = match self.prepare(test, context)? {
            Some(judgement) => Ok(TestRun::judged(judgement, None, Vec::new())),
            None => self.run_alone(test, context),
        };
        for other in test.plan.after.iter().filter_map(|after| self.tests().get(*after)) {
            self.run_unrecorded(other, context)?;
        }
        run
    }

    /// Runs the tests that come before; says why the test cannot be run if one that it needs does not pass.
    fn prepare(&self, test: &Test, context: &RunContext) -> Result<Option<Judgement>, SuiteError> {
        for &(before, required) in &test.plan.before {
            let Some(other) = self.tests().get(before) else { continue };
            let run = self.run_unrecorded(other, context)?;
            if required && run.verdict != Verdict::Pass {
                let why = run.reason.unwrap_or_else(|| run.verdict.to_string());
                let reason = format!("`{}`, which it needs, did not pass: {why}", other.name);
                return Ok(Some(Judgement::error(reason)));
            }
        }
        Ok(None)
    }

    fn run_unrecorded(&self, test: &Test, context: &RunContext) -> Result<TestRun, SuiteError> {
        self.run_alone(test, &RunContext { env: &[], timeout: None, large_stack: false, ..*context })
    }

    fn run_alone(&self, test: &Test, context: &RunContext) -> Result<TestRun, SuiteError> {
        let scratch = context.scratch.scratch(test.index)?;
        let cwd = test.working_dir(&scratch)?;
        test.plan.oracle.prepare(&cwd)?;
        let limit = context.timeout.or(test.plan.timeout).unwrap_or(FIRST_LIMIT);
        let command = Command {
            argv: test.plan.oracle.arguments(&test.plan.argv, &scratch),
            env: test.environment(context, &scratch),
            session: test.session(context),
            cwd: cwd.clone(),
            stdin: Stdin::Null,
            merge_stderr: test.plan.oracle.merges(),
            limits: Limits {
                wall: limit,
                large_stack: context.large_stack,
                interruptible: context.interruptible,
                ..self.limits.clone()
            },
        };
        let outcome = match command.run() {
            Ok(outcome) => outcome,
            Err(ExecError::Empty) => {
                let judgement = Judgement::error("there is no command: is the test's program built?");
                return Ok(TestRun::judged(judgement, None, Vec::new()));
            }
            Err(error @ (ExecError::Start { .. } | ExecError::Lost { .. })) => {
                return Ok(TestRun::judged(Judgement::error(error.to_string()), None, Vec::new()));
            }
            Err(error) => return Err(error.into()),
        };
        let place = Place { test, scratch: &scratch, cwd: &cwd, context, limit };
        let (judgement, output) = place.judge(&outcome)?;
        Ok(TestRun::judged(judgement, Some(outcome), output))
    }
}

/// Where a run took place.
pub(super) struct Place<'a> {
    pub(super) test: &'a Test,
    pub(super) scratch: &'a Scratch,
    pub(super) cwd: &'a Path,
    pub(super) context: &'a RunContext<'a>,
    pub(super) limit: Duration,
}

impl Test {
    /// Makes the directory in which a run takes place.
    pub(super) fn working_dir(&self, scratch: &Scratch) -> Result<PathBuf, ExecError> {
        match self.plan.scratch {
            ScratchKind::None => Ok(self.dir.clone()),
            ScratchKind::Copy => scratch.copy_of(&self.dir),
            ScratchKind::Empty => scratch.empty_dir(),
        }
    }

    pub(super) fn environment(&self, context: &RunContext, scratch: &Scratch) -> Environment {
        let mut env = self.environment_in(&scratch.tmp());
        if !context.env.is_empty() {
            env.set_varying(ENV_TEST, &self.name);
        }
        for (name, value) in context.env {
            env.set_varying(name, value);
        }
        env
    }

    /// What recording needs of the environment, for programs of which somebody clears it.
    fn session(&self, context: &RunContext) -> Vec<(OsString, OsString)> {
        let name = (!context.env.is_empty()).then(|| (ENV_TEST.into(), OsString::from(&self.name)));
        context.env.iter().cloned().chain(name).collect()
    }

    /// The environment of a run that nobody records, with `tmp` as its temporary directory.
    pub(super) fn environment_in(&self, tmp: &Path) -> Environment {
        let mut env = Environment::inherited();
        env.set_varying("TMPDIR", tmp);
        if let Oracle::Case(framework) = &self.plan.oracle {
            framework.temporary().iter().for_each(|name| env.set_varying(name, tmp));
        }
        for (name, value) in &self.plan.env {
            match value {
                Some(value) => env.set(name, value),
                None => env.unset(name),
            }
        }
        env
    }
}

/// What a test runs, as its author wrote it: a shell's line by itself.
pub(super) fn line_text(argv: &[OsString]) -> String {
    match argv {
        [shell, option, line] if shell == "/bin/sh" && option == "-c" => line.to_string_lossy().into_owned(),
        argv => command_text(argv),
    }
}

/// The variables of a plan that choose a case, as a shell would take them before the command.
pub(super) fn choice_text(plan: &Plan) -> String {
    let framework = match &plan.oracle {
        Oracle::Case(framework) => *framework,
        _ => Framework::Functions,
    };
    let chosen = plan.env.iter().filter(|(name, _)| framework.chooses_by(name));
    let text = |(name, value): &(OsString, Option<OsString>)| {
        let value = value.as_ref().map(|value| command_text(std::slice::from_ref(value))).unwrap_or_default();
        format!("{}={value} ", name.to_string_lossy())
    };
    chosen.map(text).collect()
}

/// A command as a shell would take it, for people.
pub(super) fn command_text(argv: &[OsString]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+./,:@%=".contains(byte);
    let word = |word: &OsStr| match !word.is_empty() && word.as_bytes().iter().all(plain) {
        true => word.to_string_lossy().into_owned(),
        false => format!("'{}'", word.to_string_lossy().replace('\'', "'\\''")),
    };
    argv.iter().map(|argument| word(argument)).collect::<Vec<_>>().join(" ")
}
