//! Cases of test programs without a framework: functions of their own, of which the runtime lets one alone run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use suspect_format::abi::{
    CASE_HANDED, CASE_LIST_BYTES, CASE_LIST_BYTES_HANDED, CASE_SEPARATOR, ENV_CASE_LIST, ENV_CASE_RESULT,
    ENV_CASE_WITHOUT,
};

use super::case_list::{CaseList, PATIENCE, run};
use super::deadline::patience_after;
use super::framework::Framework;
use crate::exec::{Command, Outcome, Status};

/// No function is called so: all cases are left out.
const NONE: &str = "-";

/// Functions in which a program ends, at most, without which it is run once more to see those behind them.
const MOST_ENDS: usize = 16;

/// A function that may be a case, as often as it was called in one way.
#[derive(Debug, Default)]
struct Called {
    /// Numbers of those that it called, in [`Calls::all`].
    calls: Vec<usize>,
    /// Its name after those of its callers.
    path: String,
    /// What it returned, last.
    result: Option<u64>,
}

/// What called what.
#[derive(Debug)]
struct Calls {
    /// The first one stands for the program; callers come before those that they call.
    all: Vec<Called>,
    /// The names of those in which the program ended, the innermost last.
    ended_in: Vec<String>,
}

/// What a program told of its functions: as it is, and without those in which it ended.
struct Told {
    texts: Vec<String>,
    outcomes: Vec<Outcome>,
    /// The names of those in which it ended, with those that called them.
    ended_in: BTreeSet<String>,
}

/// The cases of a program that `whole` runs, each seen to run alone as it does among the others.
///
/// # Errors
/// Why it has none.
pub(super) fn list(whole: &Command) -> Result<CaseList, String> {
    let told = Told::by(whole)?;
    let is_short = |text: &String| text.len() < CASE_LIST_BYTES_HANDED as usize;
    let handed = || Some(Calls::read(&told.texts, true)).filter(|_| told.texts.iter().all(is_short));
    // Those that are handed something may be helpers of the others.
    let calls = Calls::read(&told.texts, false);
    let calls = if calls.cases().len() < 2 { handed().unwrap_or(calls) } else { calls };
    let names = calls.cases();
    let list = CaseList { framework: Framework::Functions, way: calls.usual_result(&names) as usize, names };
    if list.names.len() > 1 {
        let mut command = whole.clone();
        command.limits.wall = patience_after(told.longest()).min(PATIENCE);
        see_alone(&command, &list, &told)?;
    }
    Ok(list)
}

impl Told {
    /// Runs a program, and again without each function in which it ended: those behind it are its cases, too.
    fn by(whole: &Command) -> Result<Told, String> {
        let mut told = Told { texts: Vec::new(), outcomes: Vec::new(), ended_in: BTreeSet::new() };
        let mut without: Vec<String> = Vec::new();
        loop {
            let (file, mut command) = (list_file()?, whole.clone());
            command.env.set(ENV_CASE_LIST, file.path());
            if !without.is_empty() {
                let calls = Calls::read(&told.texts, true);
                command.env.set(ENV_CASE_WITHOUT, without.join(&CASE_SEPARATOR.to_string()));
                command.env.set(ENV_CASE_RESULT, calls.usual_result(&calls.cases()).to_string());
            }
            let outcome = run(&command)?;
            let text = [text_of(file.path())?];
            let own = Calls::read(&text, false).ended_in;
            let ended_in = if own.is_empty() { Calls::read(&text, true).ended_in } else { own };
            let goes_on = matches!(outcome.status, Status::Exited(1..) | Status::Signaled(_));
            told.texts.extend(text);
            told.outcomes.push(outcome);
            match ended_in.last().filter(|name| !without.contains(name)) {
                Some(name) if goes_on && without.len() < MOST_ENDS => without.push(name.clone()),
                _ => return Ok(told),
            }
            told.ended_in.extend(ended_in);
        }
    }

    /// Whether the program passes as it is.
    fn passes(&self) -> bool {
        self.outcomes.first().is_some_and(|outcome| outcome.status == Status::Exited(0))
    }

    /// Whether it passes without the functions in which it ended.
    fn rest_passes(&self) -> bool {
        self.outcomes.last().is_some_and(|outcome| outcome.status == Status::Exited(0))
    }

    /// How long it took at most, unless that is not known.
    fn longest(&self) -> Duration {
        let ended = self.outcomes.iter().filter(|outcome| outcome.status != Status::TimedOut);
        ended.map(|outcome| outcome.wall).max().unwrap_or_default()
    }
}

/// Where the runtime tells functions.
fn list_file() -> Result<tempfile::NamedTempFile, String> {
    tempfile::NamedTempFile::new().map_err(|error| error.to_string())
}

/// Sees that a program passes without cases, and with each alone, which has to run, as with all.
fn see_alone(whole: &Command, list: &CaseList, told: &Told) -> Result<(), String> {
    let until = Instant::now() + PATIENCE;
    // Whether it passes so, and what ran.
    let alone = |name: &str| {
        let (file, mut command) = (list_file()?, whole.clone());
        list.framework.alone(name, list.way).env.iter().for_each(|(name, value)| command.env.set(name, value));
        command.env.set(ENV_CASE_LIST, file.path());
        let passes = run(&command)?.status == Status::Exited(0);
        let text = [text_of(file.path())?];
        Ok::<(bool, Calls), String>((passes, Calls::read(&text, name.contains(CASE_HANDED))))
    };
    let is_handed = list.names.iter().any(|name| name.contains(CASE_HANDED));
    let none = if is_handed { format!("{CASE_HANDED}{NONE}") } else { NONE.to_owned() };
    if !alone(&none)?.0 {
        return Err("it fails without its test functions, too".to_owned());
    }
    let (mut failed, mut is_found) = (None, false);
    for name in &list.names {
        if Instant::now() > until {
            return Err(format!("running its {} test functions one by one takes too long", list.names.len()));
        }
        let (passes, calls) = alone(name)?;
        if !calls.all.iter().any(|function| function.path == *name) {
            return Err(format!("its test function {name} is not called where it alone would run"));
        }
        let own = name.rsplit(CASE_SEPARATOR).next().unwrap_or(name);
        match told.ended_in.contains(own) {
            _ if passes => {}
            true => is_found = true,
            false => failed = failed.or(Some(name)),
        }
    }
    match failed {
        Some(name) if told.rest_passes() => Err(format!("its test function {name} fails where it runs alone")),
        None if !told.passes() && !is_found => {
            Err("it fails, and none of its test functions does where it runs alone".to_owned())
        }
        _ => Ok(()),
    }
}

/// What the runtime told in a file.
fn text_of(file: &Path) -> Result<String, String> {
    let mut text = Vec::new();
    let limited = fs::File::open(file).map(|file| file.take(CASE_LIST_BYTES + 1));
    limited.and_then(|mut file| file.read_to_end(&mut text)).map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A case as people call it: its own name, or after its callers' where other cases are called so.
pub(super) fn shown(case: &str, names: &[String]) -> String {
    shortest(case, names).replace(CASE_HANDED, "")
}

fn shortest<'c>(case: &'c str, names: &[String]) -> &'c str {
    let own = |name: &str| name.rsplit(CASE_SEPARATOR).next().map(str::len);
    let short = &case[case.len() - own(case).unwrap_or(case.len())..];
    let is_so = |name: &&String| name.ends_with(short) && own(name) == Some(short.len());
    if names.iter().filter(is_so).count() > 1 { case } else { short }
}

impl Calls {
    /// Reads what the runtime wrote in each run, with functions that are handed addresses or without. Of a function that was left by a jump there is no
    /// second line.
    fn read(texts: &[String], with_handed: bool) -> Calls {
        let mut calls = Calls { all: vec![Called::default()], ended_in: Vec::new() };
        texts.iter().for_each(|text| calls.read_one(text, with_handed));
        calls
    }

    fn read_one(&mut self, text: &str, with_handed: bool) {
        // Those that have been entered: place of the return address, number in the process, number of the function here.
        let mut entered: Vec<(u64, u64, usize)> = Vec::new();
        let number = |word: Option<&str>| u64::from_str_radix(word?, 16).ok();
        for line in text.lines() {
            let (sign, rest) = line.split_at_checked(1).unwrap_or_default();
            let mut words = rest.split(' ');
            let (Some(first), second, name) = (number(words.next()), number(words.next()), words.next()) else {
                continue;
            };
            match (sign, second, name) {
                ("+", _, Some(name)) if name.starts_with(CASE_HANDED) && !with_handed => {}
                ("+", Some(second), Some(name)) => {
                    // The stack grows down.
                    entered.truncate(entered.iter().take_while(|(frame, ..)| *frame > first).count());
                    let caller = entered.last().map_or(0, |(.., function)| *function);
                    entered.push((first, second, self.called(caller, name)));
                }
                ("-", result, None) => {
                    if let Some(at) = entered.iter().rposition(|(_, number, _)| *number == first) {
                        self.all[entered[at].2].result = result;
                        entered.truncate(at);
                    }
                }
                _ => {}
            }
        }
        self.ended_in = entered.iter().map(|(.., function)| self.all[*function].name().to_owned()).collect();
    }

    /// The number of the function that `caller` calls by a name.
    fn called(&mut self, caller: usize, name: &str) -> usize {
        let of = &self.all[caller];
        let path = if caller == 0 { name.to_owned() } else { format!("{}{CASE_SEPARATOR}{name}", of.path) };
        if let Some(known) = of.calls.iter().find(|called| self.all[**called].path == path) {
            return *known;
        }
        let new = self.all.len();
        self.all.push(Called { path, ..Called::default() });
        self.all[caller].calls.push(new);
        new
    }

    /// The names of the cases: functions that call at most one other one, after their callers. What several call helps them and is none.
    fn cases(&self) -> Vec<String> {
        let mut n_callers: BTreeMap<&str, usize> = BTreeMap::new();
        for function in &self.all {
            *n_callers.entry(function.name()).or_default() += 1;
        }
        let helps = |called: &usize| n_callers[self.all[*called].name()] > 1;
        let mut cases = Vec::new();
        self.gather(0, &helps, &mut cases);
        cases
    }

    /// Adds the cases that `function` leads to.
    fn gather(&self, function: usize, helps: &impl Fn(&usize) -> bool, cases: &mut Vec<String>) {
        let before = cases.len();
        for called in self.all[function].calls.iter().filter(|called| !helps(called)) {
            self.gather(*called, helps, cases);
        }
        if function > 0 && cases.len() < before + 2 {
            cases.truncate(before);
            cases.push(self.all[function].path.clone());
        }
    }

    /// What most of the functions with these paths return, of which most pass: the least of several.
    fn usual_result(&self, paths: &[String]) -> u64 {
        let paths: BTreeSet<&String> = paths.iter().collect();
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        let results =
            self.all.iter().filter(|function| paths.contains(&function.path)).filter_map(|function| function.result);
        results.for_each(|result| *counts.entry(result).or_default() += 1);
        counts.into_iter().rev().max_by_key(|(_, count)| *count).map_or(0, |(result, _)| result)
    }
}

impl Called {
    fn name(&self) -> &str {
        self.path.rsplit(CASE_SEPARATOR).next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Calls {
        Calls::read(&[lines.iter().map(|line| format!("{line}\n")).collect::<String>()], true)
    }

    #[test]
    fn functions_that_are_handed_addresses_are_read_if_they_are_wanted() {
        let text = &["+80 0 test_all\n+50 1 *test_a\n-1 0\n+50 2 *test_b\n-2 1\n-0 0\n".to_owned()];
        assert_eq!(Calls::read(text, false).cases(), ["test_all"]);
        assert_eq!(Calls::read(text, true).cases(), ["test_all:*test_a", "test_all:*test_b"]);
        assert_eq!(shown("test_all:*test_a", &Calls::read(text, true).cases()), "test_a");
    }

    #[test]
    fn cases_are_functions_that_lead_to_no_others() {
        let calls = read(&[
            "+ff80 0 test_all",
            "+ff50 1 test_even",
            "-1 0",
            // Left by a jump.
            "+ff50 2 test_seven",
            "+ff20 3 check_deep",
            "+ff50 4 test_zero",
            "-4 0",
            "-0 0",
            "+ff80 5 test_last",
            "-5 0",
        ]);
        assert_eq!(calls.cases(), ["test_all:test_even", "test_all:test_seven", "test_all:test_zero", "test_last"]);
    }

    #[test]
    fn functions_that_several_cases_call_are_none() {
        let calls = read(&[
            "+80 0 test_a",
            "+50 1 test_state",
            "-1 0",
            "+50 2 test_end",
            "-2 0",
            "-0 0",
            "+80 3 test_b",
            "+50 4 test_state",
            "-4 0",
            "+50 5 test_end",
            "-5 0",
            "-3 0",
        ]);
        assert_eq!(calls.cases(), ["test_a", "test_b"]);
    }

    #[test]
    fn a_runner_alone_is_no_case_where_it_calls_several() {
        let calls = read(&[
            "+80 0 run_tests",
            "+50 1 test_all",
            "+40 2 test_a",
            "-2 1",
            "+40 3 test_b",
            "-3 1",
            "-1 0",
            "-0 0",
        ]);
        assert_eq!(calls.cases(), ["run_tests:test_all:test_a", "run_tests:test_all:test_b"]);
    }

    #[test]
    fn cases_of_several_runs_are_put_together() {
        let texts = [
            "+80 0 run\n+50 1 test_a\n-1 0\n+50 2 test_b\n",
            "+90 0 run\n+60 1 test_a\n-1 0\n+60 2 test_c\n-2 0\n-0 0\n",
        ];
        let calls = Calls::read(&texts.map(str::to_owned), true);
        assert_eq!(calls.cases(), ["run:test_a", "run:test_b", "run:test_c"]);
        assert!(calls.ended_in.is_empty());
        assert_eq!(Calls::read(&[texts[0].to_owned()], true).ended_in, ["run", "test_b"]);
    }

    #[test]
    fn what_most_return_is_usual() {
        let usual = |lines: &[&str]| {
            let calls = read(lines);
            calls.usual_result(&calls.cases())
        };
        assert_eq!(usual(&["+80 0 test_a", "-0 1", "+80 1 test_b", "-1 0", "+80 2 test_c", "-2 1"]), 1);
        assert_eq!(usual(&["+80 0 test_a", "-0 1", "+80 1 test_b", "-1 0"]), 0);
        assert_eq!(usual(&["+80 0 test_a", "-0 1", "+80 1 test_b", "-1", "+80 2 test_c", "-2"]), 1);
        assert_eq!(usual(&["+80 0 test_a"]), 0);
    }

    #[test]
    fn names_are_as_short_as_they_are_one_case_s() {
        let names = ["a:test_x".to_owned(), "b:test_x".to_owned(), "b:test_y".to_owned()];
        assert_eq!(names.each_ref().map(|name| shortest(name, &names)), ["a:test_x", "b:test_x", "test_y"]);
    }

    #[test]
    fn what_is_no_list_has_no_cases() {
        assert!(read(&["", "+", "- -", "+zz 1 a", "-5 0", "é"]).cases().is_empty());
    }
}
