//! Making suspect.toml tell more, with nothing kept but what was seen to work.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use suspect_format::abi::ENV_OUT;

use super::config::{Config, FILE, Names, SuiteConfig};
use super::deadline::{Deadline, patience_after};
use super::test::FIRST_LIMIT;
use super::{Asked, Hint, KeptLists, Key, RunContext, Suite, SuiteError, Test, TestRun, Verdict};
use crate::exec::ScratchRoot;

/// Parts of a test that are looked at once more, at most: each is run a dozen times for that.
const MOST_FAILING: usize = 4;

/// What came of a line for one `[[suite]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refinement {
    /// Number of the `[[suite]]`, from 1.
    pub suite: usize,
    /// The line.
    pub line: String,
    /// The tests of the whole project before and with it.
    pub n_tests: (usize, usize),
    /// Why the line is not kept; `None` where it is.
    pub refused: Option<String>,
}

/// How tests are run here, and which.
pub struct Refining<'a> {
    /// Where scratch directories are made.
    pub scratch: &'a ScratchRoot,
    /// Until when.
    pub deadline: Deadline,
    /// Is told which test runs: its number from 1, of how many, its name.
    pub begins: &'a dyn Fn(usize, usize, &str),
    /// Is told what is asked of the suite's tools and drivers.
    pub asked: Asked<'a>,
    /// The tests that alone are to tell more, and are run; of those, what each starts. Without it all are, in every way.
    pub only: Option<&'a [String]>,
    /// Whether the suite's tests are parts of one that was taken apart just now: cases of these are looked for, too.
    pub parts: bool,
    /// The lists of the suite as it is, where they are known: its tools are slow.
    pub lists: Option<&'a KeptLists>,
}

/// Tries what would have the tests of the project in `root` tell more, and writes into its suspect.toml what has the same verdicts, all recorded.
///
/// # Errors
/// As [`Suite::load`], when suspect.toml cannot be written, or when the deadline comes before the tests have run once as they are.
pub fn refine(root: &Path, how: &Refining) -> Result<Vec<Refinement>, SuiteError> {
    let path = root.join(FILE);
    let mut suite = match how.lists {
        Some(lists) => Suite::load_as(root, lists)?,
        None => Suite::load_telling(root, how.asked)?,
    };
    let mut text =
        fs::read_to_string(&path).map_err(|source| SuiteError::Io { what: "read", path: path.clone(), source })?;
    let mut runs = how.all(&suite)?;
    let of_run = |seen: &Seen| (seen.number, seen.processes, Some(seen.run.output.clone()));
    let told: Vec<(usize, u32, Option<Vec<u8>>)> = runs.iter().map(of_run).collect();
    let hints = suite.hints(told.iter().map(|(number, processes, output)| (*number, *processes, output.as_deref())));
    let mut refinements = Vec::new();
    let is_of_parts = |hint: &Hint| [Key::Starts, Key::Targets].contains(&hint.key) || how.parts;
    for hint in hints.into_iter().filter(|hint| how.only.is_none() || is_of_parts(hint)) {
        let mut line = how.line(&suite, &hint, |_| true);
        let Some(changed) = with_line(&text, hint.suite, &line) else { continue };
        let n_before = suite.tests().len();
        let (n_tests, refused) = match how.tried(&suite, &changed, &path) {
            Ok((tried, tried_runs)) => {
                let refused = how.differ((&suite, &mut runs), (&tried, &tried_runs))?;
                let refused = refused.or_else(|| nothing_more(&suite, &tried));
                let n_tests = (n_before, tried.tests().len());
                if refused.is_none() {
                    // Others would be looked at again each time, in vain or for longer than there was time.
                    line = how.line(&tried, &hint, |driver| is_taken_apart(driver, &tried));
                    text = with_line(&text, hint.suite, &line).unwrap_or(changed);
                    (suite, runs) = (tried, tried_runs);
                }
                (n_tests, refused)
            }
            Err(SuiteError::Late(why)) => ((n_before, n_before), Some(why.to_owned())),
            Err(error) => return Err(error),
        };
        refinements.push(Refinement { suite: hint.suite + 1, line, n_tests, refused });
    }
    if refinements.iter().any(|refinement| refinement.refused.is_none()) {
        write_whole(&path, &text).map_err(|source| SuiteError::Io { what: "write", path, source })?;
    }
    let is = |key: Key, kept: bool| move |one: &Refinement| one.line == key.line() && one.refused.is_none() == kept;
    let failing: Vec<String> = failing(&suite, &runs).take(MOST_FAILING).collect();
    let has_parts = refinements.iter().any(is(Key::Targets, true));
    // Drivers that pass may have had the time.
    let had_company = how.only.is_none() && (1..suite.tests().len()).contains(&failing.len());
    if has_parts || had_company && refinements.iter().any(is(Key::Starts, false)) {
        refinements.extend(of_failing(root, &Refining { only: Some(&failing), parts: has_parts, ..*how })?);
    }
    Ok(refinements)
}

/// Refines the tests that fail: a part may be a driver again.
fn of_failing(root: &Path, how: &Refining) -> Result<Vec<Refinement>, SuiteError> {
    match refine(root, how) {
        // What is written already stays.
        Err(SuiteError::Late(_)) => Ok(Vec::new()),
        refined => refined,
    }
}

/// Names of tests that were seen to fail.
fn failing<'a>(suite: &'a Suite, runs: &'a [Seen]) -> impl Iterator<Item = String> + 'a {
    let failed = runs.iter().filter(|seen| matches!(seen.run.verdict, Verdict::Fail | Verdict::Timeout));
    failed.map(|seen| suite.tests()[seen.number].name.clone())
}

/// Writes a file of the user's, which keeps its permissions, and its text if the new one cannot be written.
pub(super) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(path.metadata()?.permissions())?;
    file.persist(&path)?;
    Ok(())
}

/// A run with the number of instrumented processes that left a record.
struct Seen {
    /// The test's.
    number: usize,
    run: TestRun,
    processes: u32,
}

impl Refining<'_> {
    /// Whether a test is one of those that are run, or a part of one.
    fn has(&self, name: &str) -> bool {
        self.only.is_none_or(|only| only.iter().any(|test| is_of(name, test)))
    }

    /// The line that a hint is about, with those drivers that are `wanted` where not all are tried.
    fn line(&self, suite: &Suite, hint: &Hint, wanted: impl Fn(&Test) -> bool) -> String {
        let Some(only) = self.only.filter(|_| hint.key == Key::Starts) else { return hint.key.line().to_owned() };
        let is_wanted = |test: &&Test| test.suite == hint.suite && only.contains(&test.name) && wanted(test);
        let tests = suite.tests().iter().filter(is_wanted);
        let names = tests.map(|test| toml::Value::String(glob::Pattern::escape(suite.own_name(test))).to_string());
        format!("starts = [{}]", names.collect::<Vec<_>>().join(", "))
    }

    /// The tests of another suspect.toml of the suite's project, and their runs.
    fn tried(&self, suite: &Suite, text: &str, path: &Path) -> Result<(Suite, Vec<Seen>), SuiteError> {
        let config = Config::parse(text.as_bytes(), path)?;
        let tried = Suite::from_config_until(suite.root(), config, self.lists, self.deadline, self.asked)?;
        let runs = self.all(&tried)?;
        Ok((tried, runs))
    }

    /// In what the tests of a changed suspect.toml differ. One that does is run once more as it was: it may be that which varies.
    fn differ(
        &self,
        (old, runs): (&Suite, &mut [Seen]),
        (new, new_runs): (&Suite, &[Seen]),
    ) -> Result<Option<String>, SuiteError> {
        for seen in runs {
            if differs(old, seen, new, new_runs).is_some() {
                *seen = self.one(old, &old.tests()[seen.number], FIRST_LIMIT)?;
                if let Some(why) = differs(old, seen, new, new_runs) {
                    return Ok(Some(why));
                }
            }
        }
        Ok(None)
    }

    /// Whether a test starts something that leaves a record; those behind the first that does are not run.
    pub(super) fn start_recorded(&self, suite: &Suite) -> Result<bool, SuiteError> {
        for (number, test) in suite.tests().iter().enumerate() {
            (self.begins)(number + 1, suite.tests().len(), &test.name);
            if self.one(suite, test, FIRST_LIMIT)?.processes > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn all(&self, suite: &Suite) -> Result<Vec<Seen>, SuiteError> {
        let tests: Vec<&Test> = suite.tests().iter().filter(|test| self.has(&test.name)).collect();
        let n_tests = tests.len();
        let (mut limit, mut seen) = (FIRST_LIMIT, Vec::with_capacity(n_tests));
        for (number, test) in tests.into_iter().enumerate() {
            (self.begins)(number + 1, n_tests, &test.name);
            let one = self.one(suite, test, limit)?;
            if one.run.verdict != Verdict::Timeout {
                let usual = patience_after(one.run.wall()).min(FIRST_LIMIT);
                limit = if limit == FIRST_LIMIT { usual } else { limit.max(usual) };
            }
            seen.push(one);
        }
        Ok(seen)
    }

    /// Runs a test for as long as `limit`, unless it says itself how long it may take.
    fn one(&self, suite: &Suite, test: &Test, limit: Duration) -> Result<Seen, SuiteError> {
        let refused = |source| SuiteError::Io { what: "make a directory in", path: std::env::temp_dir(), source };
        let traces = tempfile::Builder::new().prefix("suspect-").tempdir().map_err(refused)?;
        let env = [(ENV_OUT.into(), traces.path().into())];
        let timeout = Some(self.deadline.left(test.own_timeout().unwrap_or(limit))?);
        let interruptible = self.deadline.is_interruptible();
        let context = RunContext { env: &env, scratch: self.scratch, timeout, large_stack: false, interruptible };
        let run = suite.run_test(test, &context)?;
        if run.verdict == Verdict::Timeout {
            // It may have been ended by the deadline.
            self.deadline.left(FIRST_LIMIT)?;
        }
        let processes = fs::read_dir(traces.path()).map_or(0, Iterator::count) as u32;
        Ok(Seen { number: test.index, run, processes })
    }
}

/// Whether a test has this name, or is a part of the one that has.
fn is_of(name: &str, test: &str) -> bool {
    name.strip_prefix(test).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ',']))
}

/// Whether a suite has parts of a test besides the test.
fn is_taken_apart(test: &Test, suite: &Suite) -> bool {
    suite.tests().iter().any(|part| part.name != test.name && is_of(&part.name, &test.name))
}

/// In what a test that was `seen` differs with a changed suspect.toml: one that stays is as before; cases of one that is taken apart, or the whole beside
/// them, fail exactly if the whole does, and each leaves a record if the whole does.
fn differs(old: &Suite, seen: &Seen, new: &Suite, new_runs: &[Seen]) -> Option<String> {
    let failed = |seen: &Seen| matches!(seen.run.verdict, Verdict::Fail | Verdict::Timeout);
    let test = &old.tests()[seen.number];
    let now = new_runs.iter().map(|seen| (&new.tests()[seen.number], seen));
    let now: Vec<(&Test, &Seen)> = now.filter(|(now, _)| is_of(&now.name, &test.name)).collect();
    if let Some((case, unclear)) = now.iter().find(|(_, seen)| seen.run.verdict == Verdict::Error)
        && seen.run.verdict != Verdict::Error
    {
        let why = unclear.run.reason.as_deref().unwrap_or("cannot be run");
        return Some(format!("{} cannot be judged: {why}", case.name));
    }
    if failed(seen) != now.iter().any(|(_, seen)| failed(seen)) {
        let (was, is) = if failed(seen) { ("fails", "passes") } else { ("passes", "fails") };
        return Some(format!("{} {was} and {is} with it", test.name));
    }
    let has_none = |(_, now): &&(&Test, &Seen)| now.processes == 0 && now.run.verdict != Verdict::Skip;
    // A target of make's may look at files, or say something.
    let of_make = |test: &Test| new.config().suites.get(test.suite).is_some_and(|section| section.targets);
    let bears_some = now.iter().all(|(test, _)| of_make(test)) && now.iter().any(|(_, now)| now.processes > 0);
    let lost = now.iter().find(has_none).filter(|_| seen.processes > 0 && !bears_some);
    lost.map(|(case, _)| format!("{} leaves no record", case.name))
}

/// That a changed suspect.toml has no more tests, nor shows more that have cases, with what is said of them, where its line is to make some.
fn nothing_more(old: &Suite, new: &Suite) -> Option<String> {
    let has_line = |suite: &Suite| {
        let lines = |section: &SuiteConfig| {
            usize::from(section.starts != Names::None)
                + usize::from(section.cases.is_some())
                + usize::from(section.targets)
        };
        suite.config().suites.iter().map(lines).sum::<usize>()
    };
    let with_cases = |suite: &Suite| suite.tests().iter().filter(|test| test.framework().is_some()).count();
    let is_as_before = old.tests().len() == new.tests().len() && with_cases(new) <= with_cases(old);
    let is_in_vain = has_line(old) < has_line(new) && is_as_before;
    is_in_vain
        .then(|| new.notes().iter().fold("it makes no more tests".to_owned(), |all, note| format!("{all}; {note}")))
}

/// The text of suspect.toml with a line after the kind of its `[[suite]]` with this number; the key's own line, if there is one, is replaced.
fn with_line(text: &str, suite: usize, line: &str) -> Option<String> {
    let name = line.split(' ').next()?;
    let (mut sections, mut done, mut out) = (0, false, String::new());
    for old in text.lines() {
        let trimmed = old.trim();
        sections += usize::from(trimmed == "[[suite]]");
        let is_here = sections == suite + 1;
        let is_key = trimmed.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='));
        if is_here && is_key {
            continue;
        }
        out.push_str(old);
        out.push('\n');
        let is_kind = trimmed.strip_prefix("kind").is_some_and(|rest| rest.trim_start().starts_with('='));
        if is_here && is_kind && !done {
            out.push_str(line);
            out.push('\n');
            done = true;
        }
    }
    done.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_keeps_its_permissions_and_its_link() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("real"), "old").unwrap();
        fs::set_permissions(at("real"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", at("link")).unwrap();
        write_whole(&at("link"), "new").unwrap();
        assert_eq!(fs::read_to_string(at("real")).unwrap(), "new");
        assert_eq!(at("real").metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert!(at("link").is_symlink() && fs::read_dir(directory.path()).unwrap().count() == 2);
    }

    #[test]
    fn drivers_are_named_that_are_taken_apart() {
        let directory = tempfile::tempdir().unwrap();
        let listed = "[[suite]]\nkind = \"command\"\nlist = \"printf '%s\\\\n' one 'one, 1st start of p' two 'onemore'\"\nrun = \"true {test}\"\n";
        let config = Config::parse(listed.as_bytes(), Path::new(FILE)).unwrap();
        let suite = Suite::from_config(directory.path(), config).unwrap();
        let only = ["one", "two", "onemore"].map(str::to_owned);
        let scratch = ScratchRoot::new().unwrap();
        let how = Refining {
            scratch: &scratch,
            deadline: Deadline::Never,
            begins: &|_, _, _| {},
            asked: &|_| {},
            only: Some(&only),
            parts: false,
            lists: None,
        };
        let hint = |key| Hint { suite: 0, key, test: "one".into(), n_tests: 3, processes: 9, by_status: true };
        assert_eq!(how.line(&suite, &hint(Key::Starts), |_| true), "starts = [\"one\", \"two\", \"onemore\"]");
        let apart = how.line(&suite, &hint(Key::Starts), |driver| is_taken_apart(driver, &suite));
        assert_eq!(apart, "starts = [\"one\"]");
        assert_eq!(how.line(&suite, &hint(Key::Targets), |_| false), Key::Targets.line());
    }

    #[test]
    fn a_line_goes_behind_the_kind_of_its_suite() {
        let text = "[build]\ncommand = \"make\"\n[[suite]]\nkind = \"ctest\"\n# more\n[[suite]]\nname = \"b\"\nkind = \"command\"\nresult = \"exit\"\n";
        let cases = with_line(text, 0, "cases = \"auto\"").unwrap();
        assert_eq!(cases, text.replace("\"ctest\"\n", "\"ctest\"\ncases = \"auto\"\n"));
        let tap = with_line(text, 1, "result = \"tap\"").unwrap();
        assert_eq!(tap, text.replace("\"command\"\nresult = \"exit\"\n", "\"command\"\nresult = \"tap\"\n"));
        assert_eq!(with_line(text, 2, "result = \"tap\""), None);
    }
}
