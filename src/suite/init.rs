//! Writing a first suspect.toml for what a project looks like.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::SuiteError;
use super::automake_check;
use super::autotest;
use super::build_section;
use super::check_target::{CheckTarget, Runs};
use super::config::{FILE, Kind};
use super::detect::{self, detect, pairs, scripts};
use super::directories::{TEST_DIRS, subdirectories};
use super::makefile::Makefile;
use super::options;
use super::script;
use crate::build::BuildReport;

/// Writes a commented suspect.toml into `root` for what is found there and gives its text. Never overwrites one. The build command is that of
/// the last build, if there was one.
///
/// # Errors
/// [`SuiteError::Exists`], or when it cannot be written.
pub fn init(root: &Path, last: Option<&BuildReport>) -> Result<String, SuiteError> {
    let path = root.join(FILE);
    let text = text(root, last);
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = file.map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => SuiteError::Exists { path: path.clone() },
        _ => SuiteError::Io { what: "write", path: path.clone(), source },
    })?;
    file.write_all(text.as_bytes()).map_err(|source| SuiteError::Io { what: "write", path, source })?;
    Ok(text)
}

/// A suspect.toml with other tests of the project.
pub(super) struct Other {
    /// How it speaks of them.
    pub(super) what: String,
    pub(super) text: String,
    /// Whether it has another build command.
    pub(super) builds_otherwise: bool,
}

/// Those with the project's other tests, where `text` ends as [`init`] wrote it: the likeliest first. What stands before the tests stays if it was changed.
pub(super) fn others(root: &Path, text: &str) -> Vec<Other> {
    let found: Vec<(String, String, String)> = candidates(root)
        .map(|tests| (head(root, None, &tests), suite(root, &tests), commented(root, &tests).0))
        .collect();
    let Some(at) = found.iter().position(|(_, suite, _)| text.ends_with(suite.as_str())) else { return Vec::new() };
    let (old_head, old_suite, _) = &found[at];
    let before = &text[..text.len() - old_suite.len()];
    let others = found.iter().filter(|(_, suite, _)| suite != old_suite).map(|(head, suite, what)| {
        let head = if before == old_head { head } else { before };
        Other { what: what.clone(), text: format!("{head}{suite}"), builds_otherwise: head != before }
    });
    others.collect()
}

fn text(root: &Path, last: Option<&BuildReport>) -> String {
    let tests = found(root);
    head(root, last, &tests) + &suite(root, &tests)
}

/// What stands before the tests.
fn head(root: &Path, last: Option<&BuildReport>, tests: &Tests) -> String {
    let mut out = String::from("# What suspect builds and tests. Paths are relative to this file.\n\n");
    let (built_by, check) = match tests {
        Tests::Listed(listed) => (build_section::built_by(listed.kind), None),
        Tests::Make(check) => (Some(build_section::tested_by(root, check)), Some(check)),
        Tests::Target(_) => (Some(build_section::CMAKE), None),
        Tests::Pairs(..) | Tests::Scripts(_) | Tests::Script(_) | Tests::Unknown => (None, None),
    };
    out.push_str(&build_section::of(root, last, built_by, check));
    out.push_str(STORE);
    match tests {
        Tests::Make(CheckTarget { source: Some(source), .. }) => out.push_str(&trusting(root, source)),
        _ => out.push_str(RANK),
    }
    out
}

const STORE: &str = "# How many recorded runs are kept, and with them what was found out since the oldest of them; 30 without it.\n\
    # [store]\n# keep = 30\n\n";

const RANK: &str = "# Code of the tests themselves, which is trusted: not ranked, not mutated. Without this, what lies in tests/, test/, t/, ... or is\n\
    # called test_*.c, *_test.c, ...; [] trusts none.\n# [rank]\n# test_code = [\"tests/**/*.c\"]\n\n";

/// The section that trusts this source and the directories of tests that are there.
fn trusting(root: &Path, source: &str) -> String {
    let is_there = |dir: &&&str| root.join(dir).is_dir();
    let dirs = TEST_DIRS.iter().filter(is_there).map(|dir| format!("{dir}/**"));
    let patterns: Vec<String> = std::iter::once(source.to_owned()).chain(dirs).map(|text| quoted(&text)).collect();
    let comment = "# Code of the tests themselves, which is trusted: not ranked, not mutated.";
    format!("{comment}\n[rank]\ntest_code = [{}]\n\n", patterns.join(", "))
}

/// The tests of a project.
enum Tests {
    /// A tool lists them.
    Listed(Listed),
    /// Directory, ending of the inputs and ending of the expected outputs.
    Pairs(&'static str, &'static str, &'static str),
    /// Scripts by this pattern.
    Scripts(String),
    /// make runs them all.
    Make(CheckTarget),
    /// A target of the CMake project's own runs them all.
    Target(&'static str),
    /// A script runs them all; the command that runs it.
    Script(String),
    /// Nothing shows.
    Unknown,
}

struct Listed {
    kind: &'static str,
    dir: String,
    comment: String,
}

/// Those that most likely are the tests, of those that are there, or will be once the project is built.
fn found(root: &Path) -> Tests {
    candidates(root).next().unwrap_or(Tests::Unknown)
}

/// All that may be the tests, the likeliest first.
fn candidates(root: &Path) -> impl Iterator<Item = Tests> {
    let scripts_only = |kind: &Kind| matches!(kind, Kind::Command(_));
    let there = detect(root).filter(|detected| !scripts_only(&detected.kind)).map(|detected| {
        let dir = if detected.dir.as_os_str().is_empty() { ".".into() } else { detected.dir.display().to_string() };
        Listed { kind: detected.kind.name(), dir, comment: format!("found {}", detected.what) }
    });
    let later = || later(root).map(|(kind, dir, why)| Listed { kind, dir: dir.into(), comment: why.into() });
    let listed = there.or_else(later).map(Tests::Listed);
    let checks = CheckTarget::all(root);
    // Scripts of which the Makefile's tests do not speak do something else: they look for bad style, or make test data.
    let is_run = |pattern: &String| {
        let dir = pattern.split('/').next().unwrap_or_default();
        let is_run_so = |check: &CheckTarget| {
            check.mentions(dir).unwrap_or(true) && !check.gives_arguments(dir) && !check.leaves_to_make(dir)
        };
        checks.first().is_none_or(is_run_so)
    };
    let pairs = pairs(root).map(|(dir, input, output)| Tests::Pairs(dir, input, output));
    let target = options::target_of_cmake(root).map(Tests::Target);
    let scripts = scripts(root).filter(is_run).map(Tests::Scripts);
    let script = script::of(root).map(Tests::Script);
    let found = [listed, pairs, target, scripts].into_iter().flatten();
    found.chain(checks.into_iter().map(Tests::Make)).chain(script)
}

fn suite(root: &Path, tests: &Tests) -> String {
    match tests {
        Tests::Unknown => format!("{UNKNOWN}{FURTHER}"),
        tests => {
            let (comment, body) = commented(root, tests);
            format!("# The tests ({comment}).\n[[suite]]\n{body}{FURTHER}")
        }
    }
}

/// How the tests were found, and the keys that say how they are run; nothing where none were found.
fn commented(root: &Path, tests: &Tests) -> (String, String) {
    match tests {
        Tests::Listed(Listed { kind, dir, comment }) => {
            let besides = if *kind == "automake" { besides_tests(root) } else { String::new() };
            (comment.clone(), format!("kind = \"{kind}\"\ndir = {}\n{}{besides}", quoted(dir), cases(root)))
        }
        Tests::Pairs(dir, input, output) => {
            let program = quoted(&format!("./{} < {{input}}", program(root)));
            let body = format!(
                "kind = \"cases\"\ninputs = \"{dir}/*{input}\"\n# The program under test, as it is called for one input.\n\
                 run = {program}\nexpect = \"{dir}/{{stem}}{output}\"\n"
            );
            (format!("found {dir}/*{input} with {output}"), body)
        }
        Tests::Scripts(pattern) => {
            let body =
                format!("kind = \"command\"\nlist = \"ls {pattern}\"\nrun = \"sh {{test}}\"\nresult = \"exit\"\n");
            (format!("found {pattern}"), body)
        }
        Tests::Make(CheckTarget { runs: Runs::Programs(programs), dir, .. }) => {
            let dir = dir.as_ref().map(|dir| format!("dir = {}\n", quoted(dir))).unwrap_or_default();
            ("programs that the Makefile makes".to_owned(), started(programs, &dir))
        }
        Tests::Make(CheckTarget { runs: Runs::Command(command), .. }) | Tests::Script(command) => as_one(command),
        Tests::Target(target) => as_one(&format!("cmake --build build --target {target}")),
        Tests::Unknown => (String::new(), String::new()),
    }
}

/// A suite for what Automake's `make check` runs besides its TESTS: without it such tests fail, and nothing says so but make.
fn besides_tests(root: &Path) -> String {
    let suite = |target: &str| {
        format!(
            "\n# What `make check` runs besides these: {target} of Makefile.am.\n[[suite]]\nname = \"{target}\"\n\
             kind = \"command\"\nrun = \"make TESTS= check\"\n"
        )
    };
    automake_check::besides_tests(root).map(suite).unwrap_or_default()
}

/// The keys of a suite that starts these programs in this directory; one with arguments beside others has a suite of its own.
fn started(programs: &[String], dir: &str) -> String {
    let one = |program: &String| format!("kind = \"command\"\nrun = {}\n{dir}", quoted(program));
    let (plain, with_arguments): (Vec<&String>, Vec<&String>) = programs.iter().partition(|run| !run.contains(' '));
    let first = match plain.as_slice() {
        [] => return programs.first().map(one).unwrap_or_default(),
        [program] => one(program),
        plain => {
            let names: Vec<&str> = plain.iter().map(|program| program.as_str()).collect();
            let list = quoted(&format!("printf '%s\\n' {}", names.join(" ")));
            format!("kind = \"command\"\nlist = {list}\nrun = \"{{test}}\"\n{dir}")
        }
    };
    let of_script = |(number, run): (usize, &&String)| {
        let script = run.split([' ', '/']).find(|word| word.contains('.')).unwrap_or("script");
        let name = if with_arguments.len() == 1 { script.to_owned() } else { format!("{script} {}", number + 1) };
        format!("\n[[suite]]\nname = {}\n{}", quoted(&name), one(run))
    };
    let others = with_arguments.iter().enumerate().map(of_script);
    std::iter::once(first).chain(others).collect()
}

/// A comment and a suite for a command that runs all tests.
fn as_one(command: &str) -> (String, String) {
    let comment =
        format!("no single tests found: this takes `{command}` as one test; one command for each test says much more");
    (comment, format!("kind = \"command\"\nrun = \"{command}\"\n"))
}

/// The key that takes test programs apart, where a source uses a framework whose programs can be.
fn cases(root: &Path) -> String {
    match detect::framework(root) {
        Some((source, framework)) => format!(
            "# {} uses {}: each case of such a program is a test of its own.\ncases = \"auto\"\n",
            source.display(),
            framework.name()
        ),
        None => String::new(),
    }
}

/// What is written where no tests are found: nothing that would run, but what there is to say.
const UNKNOWN: &str = r##"# The tests: none were found, and no Makefile has a target `check`, `test` or the like. Say here how they are run, without the #:
# a command that lists the tests, and one that runs a test and ends with 0 if it passes. Other kinds are below.
# [[suite]]
# kind = "command"
# list = "ls tests"
# run = "./prog tests/{test}"
"##;

/// Tests that are there once the project is built.
fn later(root: &Path) -> Option<(&'static str, &'static str, &'static str)> {
    // CMake's commands may be written in any case, with blanks before the parenthesis.
    let cmake: String = fs::read_to_string(root.join("CMakeLists.txt")).unwrap_or_default();
    let cmake: String = cmake.to_ascii_lowercase().split_whitespace().collect();
    if cmake.contains("enable_testing(") || cmake.contains("include(ctest)") {
        return Some(("ctest", "build", "CMakeLists.txt has tests; they are listed once it is built"));
    }
    if has_tests_of_meson(root) {
        return Some(("meson", "build", "meson.build has tests; they are listed once it is set up"));
    }
    if let Some(dir) = TEST_DIRS.into_iter().chain(["."]).find(|dir| autotest::has_source(&root.join(dir))) {
        return Some(("autotest", dir, "testsuite.at has tests; they are listed once the project is built"));
    }
    if Makefile::all_of_automake(root).iter().any(|(_, makefile)| makefile.sets("TESTS")) {
        return Some(("automake", ".", "Makefile.am has TESTS; they are listed once it is configured"));
    }
    None
}

/// Directories below the project's in which a meson.build is looked for, one in the other.
const MESON_DEPTH: u32 = 3;

/// Whether the project in `root` is one of Meson, and defines tests; those of its subprojects are others' tests.
fn has_tests_of_meson(root: &Path) -> bool {
    root.join("meson.build").is_file() && defines_tests_of_meson(root, MESON_DEPTH)
}

/// Whether a meson.build in `directory`, or so deep below, defines tests.
fn defines_tests_of_meson(directory: &Path, depth: u32) -> bool {
    let text = fs::read_to_string(directory.join("meson.build")).unwrap_or_default();
    let code = text.lines().filter_map(|line| line.split('#').next()).flat_map(str::split_whitespace);
    let is_own = |sub: &PathBuf| sub != Path::new("subprojects");
    let mut below = subdirectories(directory).into_iter().filter(is_own).map(|sub| directory.join(sub));
    code.collect::<String>().contains("test(") || depth > 0 && below.any(|sub| defines_tests_of_meson(&sub, depth - 1))
}

/// The program that is probably tested: the only executable file, what the Makefile makes first, or one called like the directory.
fn program(root: &Path) -> String {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let executable = |entry: &fs::DirEntry| {
        let elf = fs::read(entry.path()).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF"));
        elf && entry.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    let mut programs: Vec<String> =
        entries.filter(executable).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let made = || Makefile::of(root)?.first_made();
    let named = || root.file_name().map_or("prog".to_owned(), |name| name.to_string_lossy().into_owned());
    match programs.len() {
        1 => programs.remove(0),
        _ => made().unwrap_or_else(named),
    }
}

/// A TOML string.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

const FURTHER: &str = r##"
# Each of these may be added to a [[suite]]:
#   name = "unit"          # for messages; needed to tell several suites apart
#   dir = "build"          # where the commands run
#   timeout = "10s"        # instead of five times the measured time (at least 2s)
#   repeat = 3             # runs of each test to find flaky ones; at least and normally 2
#   env = { LC_ALL = "C" } # variables to set
#   alone = true           # no other test runs beside these, or beside some: alone = ["net-*"]
#   cases = "auto"         # each case of a test program is a test: check, cmocka, criterion, glib, cpputest, googletest, greatest, munit, unity, functions
#   targets = true         # each target that `make check` only names is a test, or each command of its recipe
#   needs = ["port 5555"]  # tests that need the same run one after the other; of some: needs = { "port 5555" = ["net-*"] }
#   scratch = "copy"       # run each test in a copy of `dir`, for tests that write there ("empty": in an empty directory)
#
# The kinds, each with all it takes:
#   kind = "auto"          # whatever is found in `dir`
#   kind = "ctest"         # the tests of a CMake build directory
#   kind = "meson"         # the tests of a Meson build directory
#   kind = "automake"      # what `make check` runs, one by one
#   kind = "autotest"      # the test groups of a script that GNU Autotest generated
#   kind = "command"       # a command for each test
#     list = "ls tests/*.sh"          # writes a name on each line; without it there is one test
#     run = "sh {test}"
#     result = "exit"                 # or "tap", or "junit:report.xml"
#   kind = "cases"         # a command for each input file
#     inputs = "t/*.in"               # {stem} is what the wildcards stand for
#     run = "./prog < {input}"
#     expect = "t/{stem}.out"         # compared with what is written to standard output
#     filter = "sed 's/[0-9]* ms//'"  # both go through it first
#     status = 0                      # the exit status has to be this one, too
#     close = 1e-9                    # numbers may differ by so much; also unordered = true, patterns = true (lines of `expect` are regular expressions)
#   kind = "lines"         # a command for each line of a file
#     file = "universe"
#     run = "./prog {line}"
#     expect = "outputs/{n}"          # or reference = "./prog.orig {line}", a program that is right
"##;
