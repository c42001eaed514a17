//! Unit-test frameworks whose programs have many cases: how one is recognised, lists its cases and runs one of them alone. A program's own functions
//! are the last of them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use object::{Object, ObjectSymbol};
use suspect_format::abi::{CASE_NAME, ENV_CASE, ENV_CASE_FUNCTION, ENV_CASE_RESULT};

/// A framework that runs one case alone when it is told so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framework {
    /// Check.
    Check,
    /// cmocka.
    Cmocka,
    /// Criterion.
    Criterion,
    /// GLib's `g_test`.
    Glib,
    /// CppUTest.
    Cpputest,
    /// GoogleTest.
    Googletest,
    /// greatest.
    Greatest,
    /// µnit.
    Munit,
    /// Unity.
    Unity,
    /// None: functions of the program's own.
    Functions,
}

/// Arguments and variables that a program gets besides its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Extra {
    pub(super) arguments: Vec<OsString>,
    pub(super) env: Vec<(OsString, OsString)>,
}

impl Extra {
    fn arguments(arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Extra {
        Extra { arguments: arguments.into_iter().map(Into::into).collect(), env: Vec::new() }
    }

    fn env(env: &[(&str, &str)]) -> Extra {
        Extra { arguments: Vec::new(), env: env.iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }
}

impl Framework {
    /// All of them.
    pub const ALL: [Framework; 10] = [
        Framework::Check,
        Framework::Cmocka,
        Framework::Criterion,
        Framework::Glib,
        Framework::Cpputest,
        Framework::Googletest,
        Framework::Greatest,
        Framework::Munit,
        Framework::Unity,
        Framework::Functions,
    ];

    /// The word in suspect.toml.
    pub fn name(self) -> &'static str {
        match self {
            Framework::Check => "check",
            Framework::Cmocka => "cmocka",
            Framework::Criterion => "criterion",
            Framework::Glib => "glib",
            Framework::Cpputest => "cpputest",
            Framework::Googletest => "googletest",
            Framework::Greatest => "greatest",
            Framework::Munit => "munit",
            Framework::Unity => "unity",
            Framework::Functions => "functions",
        }
    }

    /// Whether a test's source uses it.
    pub(super) fn is_used_in(self, source: &str) -> bool {
        let name = match self {
            Framework::Check => "check.h",
            Framework::Cmocka => "cmocka.h",
            Framework::Criterion => "criterion.h",
            Framework::Glib => return source.contains("g_test_init"),
            Framework::Cpputest => "TestHarness.h",
            Framework::Googletest => "gtest.h",
            Framework::Greatest => "greatest.h",
            Framework::Munit => "munit.h",
            Framework::Unity => "unity.h",
            Framework::Functions => return false,
        };
        let included =
            source.lines().filter_map(|line| line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include"));
        let mut files = included.filter_map(|rest| rest.split(['<', '>', '"']).nth(1)?.rsplit('/').next());
        files.any(|file| file == name)
    }

    /// Beginnings of names of what such a program has or uses.
    fn symbols(self) -> &'static [&'static str] {
        match self {
            Framework::Check => &["srunner_run"],
            Framework::Cmocka => {
                &["_assert_int_equal", "_assert_true", "_assert_string_equal", "_assert_memory_equal", "_will_return"]
            }
            Framework::Criterion => &["criterion_internal_test_main", "criterion_run_all_tests"],
            Framework::Glib => &["g_test_run"],
            Framework::Cpputest => &["_ZN21CommandLineTestRunner"],
            Framework::Googletest => &["_ZN7testing14InitGoogleTest", "_ZN7testing8UnitTest"],
            Framework::Greatest => &["greatest_info"],
            Framework::Munit => &["munit_suite_main"],
            Framework::Unity => &["UnityBegin"],
            Framework::Functions => &[],
        }
    }

    /// The frameworks that an ELF file shows; none where it is no such file. What it refers to weakly alone does not count:
    /// the runtime does so in every program.
    pub(super) fn of(image: &[u8]) -> Vec<Framework> {
        let Ok(file) = object::File::parse(image) else { return Vec::new() };
        let is_used = |symbol: &object::Symbol| !(symbol.is_weak() && symbol.is_undefined());
        let names =
            || file.dynamic_symbols().chain(file.symbols()).filter(is_used).filter_map(|symbol| symbol.name().ok());
        let has = |wanted: &&str| names().any(|name| name.starts_with(wanted));
        // One function alone is no case among others.
        let is_several = || names().filter(|name| name.starts_with(CASE_NAME)).take(2).count() > 1;
        let shows = |framework: &Framework| match framework {
            Framework::Functions => is_several(),
            framework => framework.symbols().iter().any(&has),
        };
        Framework::ALL.into_iter().filter(shows).collect()
    }

    /// Whether a variable says which case runs, or how.
    pub(super) fn chooses_by(self, name: &OsStr) -> bool {
        match self {
            Framework::Check => name == ENV_CASE || name.as_bytes().starts_with(b"CK_RUN_") || name == CHECK_FORK,
            Framework::Functions => name == ENV_CASE_FUNCTION || name == ENV_CASE_RESULT,
            _ => name == ENV_CASE,
        }
    }

    /// The variable besides `TMPDIR` that says where its programs make temporary files.
    pub(super) fn temporary(self) -> Option<&'static str> {
        (self == Framework::Check).then_some("TEMP")
    }

    /// How a program is asked for its cases, in the order in which ways are tried; [`Framework::listed`] reads what it writes.
    pub(super) fn listing(self) -> Vec<Extra> {
        match self {
            Framework::Check => {
                let way = |way| Extra::env(&[(CHECK_XML, "-"), (CHECK_FORK, yes_or_no(check_way(way).1))]);
                (0..CHECK_WAYS).map(way).collect()
            }
            Framework::Cmocka => vec![Extra::env(&[CMOCKA_STDOUT])],
            Framework::Unity => vec![Extra::default()],
            Framework::Functions => Vec::new(),
            Framework::Criterion | Framework::Munit => vec![Extra::arguments(["--list"])],
            Framework::Glib | Framework::Greatest => vec![Extra::arguments(["-l"])],
            Framework::Cpputest => vec![Extra::arguments(["-ln"])],
            Framework::Googletest => vec![Extra::arguments(["--gtest_list_tests"])],
        }
    }

    /// Whether asking by [`Framework::listing`] runs the cases, so that the exit status is no answer, and whether one runs alone is to be seen.
    pub(super) fn runs_to_list(self) -> bool {
        matches!(self, Framework::Check | Framework::Cmocka | Framework::Unity | Framework::Functions)
    }

    /// The names of the cases in what a program wrote when asked by the way with this number; `None` where it did not get to the end.
    pub(super) fn listed(self, output: &str, way: usize) -> Option<Vec<String>> {
        let cases = match self {
            Framework::Check => return check_cases(output, way),
            Framework::Cmocka => return cmocka_cases(output),
            Framework::Unity => return unity_cases(output),
            Framework::Functions => return None,
            Framework::Criterion => grouped(output, criterion_line),
            Framework::Googletest => grouped(output, googletest_line),
            Framework::Greatest => grouped(output, greatest_line),
            Framework::Glib | Framework::Munit => {
                let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
                output.lines().filter(|line| line.starts_with('/')).filter_map(first).collect()
            }
            Framework::Cpputest => {
                let names = output.split_whitespace().filter(|word| word.split_once('.').is_some_and(both));
                names.map(str::to_owned).collect()
            }
        };
        Some(cases)
    }

    /// What runs one case alone, which listing found by the way with this number. The number is what left-out [functions](Framework::Functions) return.
    pub(super) fn alone(self, case: &str, way: usize) -> Extra {
        let (group, name) = case.rsplit_once(SEPARATOR).unwrap_or(("", case));
        match self {
            Framework::Check => {
                let (by_function, forks) = check_way(way);
                let (suite, case, function) = match group.split_once(SEPARATOR).filter(|_| by_function) {
                    Some((suite, case)) => (suite, case, Some((ENV_CASE, name))),
                    None => (group, name, None),
                };
                let which = [("CK_RUN_SUITE", suite), ("CK_RUN_CASE", case), (CHECK_TAP, "-")];
                let how = [(CHECK_FORK, yes_or_no(forks))].into_iter().chain(function);
                Extra::env(&which.into_iter().chain(how).collect::<Vec<_>>())
            }
            Framework::Criterion => {
                Extra::arguments(["--filter".to_owned(), format!("{}/{}", glob(group), glob(name))])
            }
            Framework::Glib => Extra::arguments(["-p", case]),
            Framework::Cpputest => {
                let (group, name) = case.split_once('.').unwrap_or(("", case));
                Extra::arguments(["-sg", group, "-sn", name, "-v"])
            }
            Framework::Googletest => Extra::arguments([format!("--gtest_filter={}", case.replacen(SEPARATOR, ".", 1))]),
            Framework::Greatest => Extra::arguments(["-s", group, "-t", name, "-e"]),
            Framework::Munit => Extra::arguments(["--no-fork", case]),
            Framework::Cmocka => Extra::env(&[(ENV_CASE, case), CMOCKA_STDOUT]),
            Framework::Unity => Extra::env(&[(ENV_CASE, case)]),
            Framework::Functions => {
                let result = way.to_string();
                let result = Some((ENV_CASE_RESULT, result.as_str())).filter(|_| way != 0);
                Extra::env(&[(ENV_CASE_FUNCTION, case)].into_iter().chain(result).collect::<Vec<_>>())
            }
        }
    }
}

/// Between the name of a group of cases and a case's in names of tests.
pub(super) const SEPARATOR: char = ':';

/// Variables by which Check is told where it writes its results, and whether each function gets a process.
const CHECK_XML: &str = "CK_XML_LOG_FILE_NAME";
const CHECK_TAP: &str = "CK_TAP_LOG_FILE_NAME";
const CHECK_FORK: &str = "CK_FORK";
/// Has cmocka write for people.
const CMOCKA_STDOUT: (&str, &str) = ("CMOCKA_MESSAGE_OUTPUT", "STDOUT");
/// Ways to run a part of a program of Check alone, see [`check_way`].
const CHECK_WAYS: usize = 4;

/// Whether Check runs one function alone, and not a test case with all its functions, which is what versions before 0.13 can do; and whether it
/// forks, so that a function may end its process. In the order in which ways are tried.
fn check_way(way: usize) -> (bool, bool) {
    (way < 2, way % 2 == 1)
}

fn yes_or_no(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

fn both((group, name): (&str, &str)) -> bool {
    !group.is_empty() && !name.is_empty()
}

/// A pattern that a name matches, and no other one.
fn glob(name: &str) -> String {
    name.chars().flat_map(|c| "*?[]!@+|()\\".contains(c).then_some('\\').into_iter().chain([c])).collect()
}

/// A line of a list in groups.
enum Line<'l> {
    Group(&'l str),
    Case(&'l str),
}

/// Names in a list of groups with their cases.
fn grouped(output: &str, read: impl Fn(&str) -> Option<Line<'_>>) -> Vec<String> {
    let (mut group, mut cases) = ("", Vec::new());
    for line in output.lines() {
        match read(line) {
            Some(Line::Group(name)) => group = name,
            Some(Line::Case(name)) => cases.push(format!("{group}{SEPARATOR}{name}")),
            None => {}
        }
    }
    cases
}

/// `calc: 2 tests`, then `├── adds`.
fn criterion_line(line: &str) -> Option<Line<'_>> {
    let case = ["├── ", "└── "].into_iter().find_map(|branch| line.strip_prefix(branch));
    let group = || line.split_once(": ").filter(|(_, rest)| rest.contains(" test")).map(|(name, _)| Line::Group(name));
    case.map(|name| Line::Case(name.trim_end())).or_else(group)
}

/// `Calc.`, then `  Adds`; what follows `#` says with which types or values. What is disabled does not run.
fn googletest_line(line: &str) -> Option<Line<'_>> {
    let name = line.split('#').next().unwrap_or_default().trim_end();
    match line.strip_prefix("  ") {
        Some(_) => Some(Line::Case(name.trim_start())).filter(|_| !name.contains("DISABLED_")),
        None => name.strip_suffix('.').filter(|group| !group.contains(' ')).map(Line::Group),
    }
}

/// `* Suite calc:`, then `  adds`.
fn greatest_line(line: &str) -> Option<Line<'_>> {
    let group = line.strip_prefix("* Suite ").and_then(|rest| rest.strip_suffix(':'));
    let case = || line.strip_prefix("  ").filter(|name| !name.contains(' ') && !name.is_empty()).map(Line::Case);
    group.map(Line::Group).or_else(case)
}

/// Suites with their test cases, and functions of these, out of Check's XML, each once; `None` where it ends early.
fn check_cases(output: &str, way: usize) -> Option<Vec<String>> {
    let (mut suite, mut function, mut cases) = (String::new(), String::new(), Vec::new());
    for line in output.lines() {
        if let Some(title) = element(line, "title") {
            suite = title;
        } else if let Some(id) = element(line, "id") {
            function = id;
        } else if let Some(case) = element(line, "description") {
            let of_case = if check_way(way).0 { format!("{SEPARATOR}{function}") } else { String::new() };
            cases.push(format!("{suite}{SEPARATOR}{case}{of_case}"));
        }
    }
    output.contains("</testsuites>").then(|| once(cases))
}

/// Names without repetitions.
fn once(mut names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Tests that cmocka says it runs: `[ RUN      ] adds`.
fn cmocka_cases(output: &str) -> Option<Vec<String>> {
    let name = |line: &str| line.strip_prefix("[ RUN      ] ").map(|name| name.trim().to_owned());
    output.contains("test(s) run.").then(|| once(output.lines().filter_map(name).collect()))
}

/// Functions that Unity has run: `t.c:8:adds:PASS`.
fn unity_cases(output: &str) -> Option<Vec<String>> {
    let names = output.lines().filter_map(unity_line).map(|said| said.name.to_owned());
    output.contains(" Tests ").then(|| once(names.collect()))
}

/// What Unity says of a function.
pub(super) struct UnityLine<'l> {
    /// File and line.
    pub(super) place: &'l str,
    pub(super) name: &'l str,
    /// `PASS`, `IGNORE`, or `FAIL` with what is wrong.
    pub(super) result: &'l str,
}

/// `t.c:8:adds:PASS`.
pub(super) fn unity_line(line: &str) -> Option<UnityLine<'_>> {
    let mut colons = line.match_indices(':').map(|(at, _)| at);
    let (file, number, name) = (colons.next()?, colons.next()?, colons.next()?);
    let (digits, result) = (&line[file + 1..number], &line[name + 1..]);
    let is_result = ["PASS", "FAIL", "IGNORE"].iter().any(|word| result.starts_with(word));
    let said = UnityLine { place: &line[..number], name: &line[number + 1..name], result };
    (is_result && digits.parse::<u32>().is_ok()).then_some(said)
}

/// What an element holds that has a line of its own.
fn element(line: &str, name: &str) -> Option<String> {
    let inside = line.trim().strip_prefix(&format!("<{name}>"))?.strip_suffix(&format!("</{name}>"))?;
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    Some(entities.iter().fold(inside.to_owned(), |text, (entity, letter)| text.replace(entity, letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_read_as_each_framework_lists_them() {
        let listed = |framework: Framework, text: &str| framework.listed(text, 0).unwrap().join(" ");
        let glib = "# random seed: R02S3e0d\n1..2\n# Start of calc tests\n/calc/add\n/calc/mul\n# End of calc tests\n";
        assert_eq!(listed(Framework::Glib, glib), "/calc/add /calc/mul");
        assert_eq!(listed(Framework::Munit, "/calc/add\n/calc/mul\n\tn: 1, 2\n"), "/calc/add /calc/mul");
        let criterion = "calc: 2 tests\n├── adds\n└── multiplies\nother: 1 test\n└── one\n";
        assert_eq!(listed(Framework::Criterion, criterion), "calc:adds calc:multiplies other:one");
        assert_eq!(listed(Framework::Cpputest, "Calc.Multiplies Calc.Adds"), "Calc.Multiplies Calc.Adds");
        let google = "Running main() from gtest_main.cc\nCalc.\n  Adds\n  DISABLED_No\nAll/Typed/0.  # TypeParam = int\n  Works  # GetParam() = 1\n";
        assert_eq!(listed(Framework::Googletest, google), "Calc:Adds All/Typed/0:Works");
        assert_eq!(listed(Framework::Greatest, "\n* Suite calc:\n  adds\n  multiplies\n"), "calc:adds calc:multiplies");
    }

    #[test]
    fn cases_that_are_known_once_they_ran_are_read_from_what_they_say() {
        let unity = "noise: 1:2\n/a/t.c:9:adds:PASS\nt.c:5:muls:FAIL: Expected 6 Was 8\nt.c:7:later:IGNORE\n\n3 Tests 1 Failures 1 Ignored\n";
        assert_eq!(Framework::Unity.listed(unity, 0).unwrap(), ["adds", "muls", "later"]);
        assert_eq!(Framework::Unity.listed("t.c:9:adds:PASS\nSegmentation fault\n", 0), None);
        let cmocka =
            "[ RUN      ] adds\n[       OK ] adds\n[ RUN      ] muls\n[  FAILED  ] muls\n[==========] 2 test(s) run.\n";
        assert_eq!(Framework::Cmocka.listed(cmocka, 0).unwrap(), ["adds", "muls"]);
    }

    #[test]
    fn cases_of_check_are_those_of_a_log_that_is_whole() {
        let test = |case: &str, function: &str| format!("  <id>{function}</id>\n  <description>{case}</description>\n");
        let tests = [test("add", "one"), test("add", "two"), test("add", "two"), test("mul", "two")].concat();
        let whole = format!("<testsuites>\n  <suite>\n    <title>a &amp; b</title>\n{tests}</testsuites>\n");
        assert_eq!(Framework::Check.listed(&whole, 0).unwrap(), ["a & b:add:one", "a & b:add:two", "a & b:mul:two"]);
        assert_eq!(Framework::Check.listed(&whole, 2).unwrap(), ["a & b:add", "a & b:mul"]);
        assert_eq!(Framework::Check.listed(&whole[..whole.len() - 10], 0), None);
    }

    #[test]
    fn one_case_is_asked_for_by_its_whole_name() {
        let words = |framework: Framework, case: &str, way: usize| {
            let Extra { arguments, env } = framework.alone(case, way);
            let env = env.iter().map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()));
            let arguments = arguments.iter().map(|word| word.to_string_lossy().into_owned());
            env.chain(arguments).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(Framework::Googletest, "All/Typed/0:Works", 0), "--gtest_filter=All/Typed/0.Works");
        assert_eq!(words(Framework::Criterion, "calc:adds", 0), "--filter calc/adds");
        assert_eq!(words(Framework::Cpputest, "Calc.Adds", 0), "-sg Calc -sn Adds -v");
        assert_eq!(words(Framework::Greatest, "calc:adds", 0), "-s calc -t adds -e");
        assert_eq!(words(Framework::Unity, "adds", 0), "SUSPECT_CASE=adds");
        let check = "CK_RUN_SUITE=a CK_RUN_CASE=b CK_TAP_LOG_FILE_NAME=-";
        assert_eq!(words(Framework::Check, "a:b:c", 0), format!("{check} CK_FORK=no SUSPECT_CASE=c"));
        assert_eq!(words(Framework::Check, "a:b", 3), format!("{check} CK_FORK=yes"));
    }

    #[test]
    fn files_that_are_no_test_programs_have_no_framework() {
        assert_eq!(Framework::of(b"#!/bin/sh\n"), []);
        let own = std::fs::read("/proc/self/exe").unwrap();
        assert_eq!(Framework::of(&own), []);
    }
}
