//! The section of a first suspect.toml that says how the project is built.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::automake_check;
use super::autotest;
use super::check_target::CheckTarget;
use super::configured;
use super::directories::{CODE_DIRS, TEST_DIRS};
use super::init::quoted;
use super::makefile::{AUTOMAKE, Makefile};
use super::options;
use super::test::line_text;
use crate::build::BuildReport;

/// How a project is built, by the first of these files. As many jobs as the machine has processors: a file that is committed is used on others, too.
const BUILDS: [(&str, &str, &str); 9] = [
    (CMAKE, "CMake", "cmake -S . -B build && cmake --build build -j$(nproc)"),
    ("meson.build", "Meson", "meson setup build && meson compile -C build"),
    // With no tests named, `make check` builds the test programs and runs none.
    (AUTOMAKE, "Automake", "./configure && make -j$(nproc) && make -j$(nproc) check TESTS="),
    ("configure", "configure", "./configure && make -j$(nproc)"),
    ("configure.ac", "Autoconf", "autoreconf -i && ./configure && make -j$(nproc)"),
    ("configure.sh", "configure.sh", "./configure.sh && make -j$(nproc)"),
    ("GNUmakefile", "make", MAKE),
    ("makefile", "make", MAKE),
    ("Makefile", "make", MAKE),
];
const MAKE: &str = "make -j$(nproc)";
pub(super) const CMAKE: &str = "CMakeLists.txt";
/// What configures a project of CMake; options go behind it.
const CONFIGURE: &str = "cmake -S . -B build";

/// The file of the build system that has tests of a kind of its own.
pub(super) fn built_by(kind: &str) -> Option<&'static str> {
    [("ctest", "CMakeLists.txt"), ("meson", "meson.build"), ("automake", AUTOMAKE), ("autotest", AUTOMAKE)]
        .into_iter()
        .find_map(|(of, file)| (of == kind).then_some(file))
}

/// The file of the build system that knows how to test, where no tool lists the tests.
pub(super) fn tested_by(root: &Path, check: &CheckTarget) -> &'static str {
    let waits = Makefile::read(root, check.makefile).is_some_and(|makefile| makefile.waits_for_configure(root));
    if waits { "configure" } else { check.makefile }
}

/// What builds the project, and what of it is enough after a change of sources.
struct Recipe {
    /// How it was found.
    comment: String,
    command: String,
    again: Option<String>,
}

/// The section: the build that was made, if there was one, what the tests of a Makefile need, or what the files tell: `has_tests`, if that is there.
pub(super) fn of(
    root: &Path,
    last: Option<&BuildReport>,
    has_tests: Option<&str>,
    check: Option<&CheckTarget>,
) -> String {
    let made = last.map(|last| Recipe::alone("as it was last given", line_of(root, last)));
    let by_tests = || Some(Recipe::alone("what the Makefile's tests need", check?.build.clone()?));
    let also = check.and_then(|check| check.also.as_deref());
    let by_file = || Some(found(root, has_tests)?.and_also(also));
    let of_tests_alone = || Some(Recipe::alone("what the Makefile's tests need", also?.to_owned()));
    match made.or_else(by_tests).or_else(by_file).or_else(of_tests_alone) {
        Some(recipe) => recipe.section(),
        None => format!(
            "[build]\n# What `suspect build` runs (no build system found: say here what builds it).\n# command = \"{MAKE}\"\n\n"
        ),
    }
}

/// What builds the project by the files that are there.
fn found(root: &Path, has_tests: Option<&str>) -> Option<Recipe> {
    let there = |file: &str| root.join(file).is_file();
    let with_tests = BUILDS.into_iter().find(|(file, ..)| Some(*file) == has_tests && there(file));
    let Some((file, tool, command)) = with_tests.or_else(|| BUILDS.into_iter().find(|(file, ..)| there(file))) else {
        let dir = CODE_DIRS.into_iter().find(|dir| Makefile::is_in(&root.join(dir)))?;
        return Some(Recipe::alone(&format!("found {dir}/Makefile: make"), format!("make -C {dir} -j$(nproc)")));
    };
    // What is checked out of a repository is not bootstrapped yet.
    let bare = command.starts_with("./configure") && !there("configure") && there("configure.ac");
    let first = if bare { "autoreconf -i && " } else { "" };
    let options = if file == CMAKE { options::tests_of_cmake(root) } else { Vec::new() };
    let set: String = options.iter().map(|option| format!(" -D{option}=ON")).collect();
    let command = command.replacen(CONFIGURE, &format!("{CONFIGURE}{set}"), 1);
    let mut command = without_valgrind(root, &without_manuals(root, &command));
    if file == AUTOMAKE {
        command = automake_check::without_running(root, &command) + &script_of_autotest(root);
    }
    let (command, is_configured) = configured::with_options(root, &command);
    let without = match options.as_slice() {
        [] if is_configured => format!(", with the options of {}", configured::STATUS),
        [] => String::new(),
        options => format!("; without {} it makes no tests", options.join(" and ")),
    };
    let again = command.split_once("configure").and_then(|(_, rest)| rest.split_once(" && "));
    Some(Recipe {
        comment: format!("found {file}: {tool}{without}"),
        again: again.map(|(_, rest)| rest.to_owned()),
        command: format!("{first}{command}"),
    })
}

/// What makes manuals: a variable of Automake's, and what the Makefiles of those who need it say.
const MANUALS: [(&str, &str); 2] = [("MAKEINFO", "_TEXINFOS"), ("HELP2MAN", "HELP2MAN")];

/// The command that makes no manuals: tests need none. Where their program is not installed, the build would end at a manual that is out of date.
fn without_manuals(root: &Path, command: &str) -> String {
    let makefiles = Makefile::all_of_automake(root);
    let is_needed = |(_, mentioned): &(&str, &str)| makefiles.iter().any(|(_, makefile)| makefile.mentions(mentioned));
    let unset: String = MANUALS.into_iter().filter(is_needed).map(|(variable, _)| format!("{variable}=: ")).collect();
    command.replacen("./configure ", &format!("./configure {unset}"), 1)
}

/// Gnulib's option against running tests in Valgrind, which it does wherever that is installed.
const WITHOUT_VALGRIND: &str = "--disable-valgrind-tests";

/// The command that has tests run without Valgrind where the project's configure script knows how: trials would take twenty times as long in it.
fn without_valgrind(root: &Path, command: &str) -> String {
    let script = fs::read(root.join("configure")).unwrap_or_default();
    let is_known = script.windows(WITHOUT_VALGRIND.len()).any(|text| text == WITHOUT_VALGRIND.as_bytes());
    match is_known {
        true => command.replacen("./configure ", &format!("./configure {WITHOUT_VALGRIND} "), 1),
        false => command.to_owned(),
    }
}

/// What makes the script of Autotest's tests, where Automake leaves it to a rule.
fn script_of_autotest(root: &Path) -> String {
    let makes_script = |dir: &&str| {
        let makefile = Makefile::read(&root.join(dir), AUTOMAKE);
        autotest::has_source(&root.join(dir)) && makefile.is_some_and(|makefile| makefile.mentions("testsuite"))
    };
    let script = TEST_DIRS.into_iter().find(makes_script).map(|dir| format!(" && make -C {dir} testsuite"));
    script.unwrap_or_default()
}

impl Recipe {
    fn alone(comment: &str, command: String) -> Recipe {
        Recipe { comment: comment.to_owned(), command, again: None }
    }

    /// With a command behind that makes what the tests need.
    fn and_also(self, also: Option<&str>) -> Recipe {
        let Some(also) = also else { return self };
        Recipe {
            comment: format!("{}, and what its tests need", self.comment),
            command: format!("{} && {also}", self.command),
            again: self.again.map(|again| format!("{again} && {also}")),
        }
    }

    fn section(&self) -> String {
        let again = self.again.as_ref().map_or_else(String::new, |again| {
            format!("# What is enough of that after a change of sources alone.\nagain = {}\n", quoted(again))
        });
        format!(
            "[build]\n# What `suspect build` runs ({}).\ncommand = {}\n{again}\n",
            self.comment,
            quoted(&self.command)
        )
    }
}

/// A build command as a line of shell in `root`.
fn line_of(root: &Path, last: &BuildReport) -> String {
    let line = match last.command.as_slice() {
        [shell, option, line] if shell.ends_with("sh") && option == "-c" => line.clone(),
        words => line_text(&words.iter().map(OsString::from).collect::<Vec<_>>()),
    };
    let directory = &root.join(&last.directory);
    match directory.strip_prefix(root) {
        Ok(below) if below.as_os_str().is_empty() => line,
        Ok(below) => format!("cd {} && {line}", line_text(&[below.into()])),
        Err(_) => format!("cd {} && {line}", line_text(&[directory.into()])),
    }
}
