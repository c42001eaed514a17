//! What Automake's `make check` runs besides the TESTS that it lists: `check-local`, and a recipe that a Makefile.am has for `check` itself.

use std::fs;
use std::path::Path;

use super::check_target::Runs;
use super::makefile::Makefile;
use super::started;

/// The target that Automake makes beside its own tests.
pub(super) const LOCAL: &str = "check-local";
/// The target of a recipe that Automake runs behind all else.
const OWN: &str = "check";
/// The variable of programs that only tests need.
const PROGRAMS: &str = "check_PROGRAMS";
/// Variables that one names in the other, at most.
const NESTED: u32 = 5;
/// Variables of what a directory installs.
const INSTALLED: [&str; 3] = ["bin_PROGRAMS", "lib_LTLIBRARIES", "lib_LIBRARIES"];
/// What [`super::build_section`] has make what tests need, and run none.
const MADE_FOR_ALL: &str = "make -j$(nproc) check TESTS=";
/// Files that name the Makefiles which configure makes.
const CONFIGURED: [&str; 2] = ["configure.ac", "configure.in"];

/// Whether a project has [`LOCAL`] in a Makefile.am.
pub(super) fn has_local(root: &Path) -> bool {
    Makefile::all_of_automake(root).iter().any(|(_, makefile)| makefile.makes(LOCAL))
}

/// The target with which `make check` runs more than TESTS, if it does.
pub(super) fn besides_tests(root: &Path) -> Option<&'static str> {
    if has_local(root) { Some(LOCAL) } else { own(root).next().map(|_| OWN) }
}

/// What is checked besides TESTS.
pub(super) struct Checked {
    pub(super) runs: Runs,
    /// The directory where that is run, if it is not the project's.
    pub(super) dir: Option<String>,
    /// The Makefile.am that has it, and the target.
    pub(super) makefile: Makefile,
    pub(super) target: &'static str,
    /// Sources of the tests, where a directory has nothing else.
    pub(super) tests: Option<String>,
}

impl Checked {
    /// That of a project, if there is any.
    pub(super) fn of(root: &Path) -> Option<Checked> {
        let all = |makefile, target| {
            let runs = Runs::Command(format!("make {OWN}"));
            Checked { runs, dir: None, makefile, target, tests: None }
        };
        let local = Makefile::all_of_automake(root).into_iter().find(|(_, makefile)| makefile.makes(LOCAL));
        if let Some((_, makefile)) = local {
            return Some(all(makefile, LOCAL));
        }
        let mut own: Vec<(String, Makefile)> = own(root).collect();
        let is_alone = own.len() == 1;
        let (dir, makefile) = own.pop()?;
        if !is_alone || dir == "." {
            return Some(all(makefile, OWN));
        }
        let is_made_for_it = makefile.sets(PROGRAMS) && !INSTALLED.iter().any(|name| makefile.sets(name));
        let tests = is_made_for_it.then(|| format!("{dir}/**"));
        let (runs, dir) = match started(&makefile, &dir) {
            Some(program) => (Runs::Programs(vec![program]), Some(dir)),
            None => (Runs::Command(format!("make -C {dir} {OWN}")), None),
        };
        Some(Checked { runs, dir, makefile, target: OWN, tests })
    }
}

/// The one command of the recipe in `dir`, where that starts one of its programs of tests: `X=1 ./unit`.
fn started(makefile: &Makefile, dir: &str) -> Option<String> {
    let top = vec![".."; dir.split('/').count()].join("/");
    let places =
        [("top_srcdir", top.as_str()), ("top_builddir", &top), ("srcdir", "."), ("builddir", "."), ("EXEEXT", "")];
    let placed = |line: &str| {
        places.iter().fold(line.to_owned(), |line, (name, value)| line.replace(&format!("$({name})"), value))
    };
    let lines = makefile.recipe(OWN).into_iter().map(|line| placed(line.trim().trim_start_matches('@')));
    let lines: Vec<String> = lines.filter(|line| !is_for_builds_elsewhere(line)).collect();
    let [line] = lines.as_slice() else { return None };
    let program = line.split_whitespace().find(|word| !is_assignment(word))?.strip_prefix("./")?;
    let made = makefile.expanded(&format!("$({PROGRAMS})"), NESTED)?;
    let is_made = made.iter().any(|name| name == program);
    (is_made && !line.contains(started::SHELL)).then(|| line.clone())
}

/// Whether a line of a recipe does nothing where sources and objects are in one directory: `if [ .. != .. ]; then cp ...; fi`.
fn is_for_builds_elsewhere(line: &str) -> bool {
    let condition = ["if [ ", "if test "].into_iter().find_map(|begin| line.strip_prefix(begin));
    let condition = condition.and_then(|rest| rest.split([';', ']']).next()).unwrap_or_default();
    let mut sides = condition.split("!=").map(|side| side.trim().trim_matches('"').trim_start_matches('x'));
    let is_false = (sides.next(), sides.next(), sides.next());
    let is_whole = line.trim_end().ends_with("fi") && !line.contains("else") && !line.contains("elif");
    is_whole && matches!(is_false, (Some(left), Some(right), None) if left == right)
}

/// Whether a word of a command sets a variable for it.
fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && is_name(name))
}

/// Directories that are configured and whose Makefile.am has a recipe for `check`, with that file.
fn own(root: &Path) -> impl Iterator<Item = (String, Makefile)> {
    configured(root).filter(|(_, makefile)| !makefile.recipe(OWN).is_empty())
}

/// The command that makes what tests need, and runs none: with a fault it would fail.
pub(super) fn without_running(root: &Path, command: &str) -> String {
    let skipped = if has_local(root) { format!(" -o {LOCAL} AM_MAKEFLAGS='-o {LOCAL}'") } else { String::new() };
    if own(root).next().is_none() {
        return format!("{command}{skipped}");
    }
    // `make check` would run the recipe; `check-am` makes what it needs in one directory.
    let has_tests =
        |makefile: &Makefile| makefile.mentions("check_") || makefile.sets("TESTS") || !makefile.recipe(OWN).is_empty();
    let made = configured(root).filter(|(_, makefile)| has_tests(makefile)).map(|(dir, _)| {
        let at = if dir == "." { String::new() } else { format!("-C {dir} ") };
        format!("make {at}-j$(nproc) check-am TESTS={skipped}")
    });
    command.replacen(MADE_FOR_ALL, &made.collect::<Vec<_>>().join(" && "), 1)
}

/// The Makefile.am of each directory in which configure makes a Makefile.
fn configured(root: &Path) -> impl Iterator<Item = (String, Makefile)> {
    let text: String = CONFIGURED.iter().filter_map(|name| fs::read_to_string(root.join(name)).ok()).collect();
    let all = Makefile::all_of_automake(root).into_iter().map(|(dir, makefile)| (dir.display().to_string(), makefile));
    let is_made = move |dir: &str| {
        let named = format!("{dir}/Makefile");
        text.split(|c: char| c.is_whitespace() || "[](),".contains(c)).any(|word| word == named)
    };
    all.map(|(dir, makefile)| (if dir.is_empty() { ".".to_owned() } else { dir }, makefile))
        .filter(move |(dir, _)| dir == "." || is_made(dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_that_starts_one_program_is_that_program() {
        let dir = tempfile::tempdir().unwrap();
        let started = |recipe: &str| {
            let text = format!("check_PROGRAMS = unit\ncheck:\n{recipe}");
            fs::write(dir.path().join("Makefile.am"), text).unwrap();
            started(&Makefile::read(dir.path(), "Makefile.am").unwrap(), "lib/testbed")
        };
        let copies = "\tif [ $(top_srcdir) != $(top_builddir) ]; then \\\n\t\tcp $(srcdir)/*.x .; \\\n\tfi\n";
        let set = Some("L=../../src/.libs ./unit".to_owned());
        assert_eq!(started(&format!("{copies}\tL=$(top_builddir)/src/.libs ./unit\n{copies}")), set);
        assert_eq!(started("\t@./unit$(EXEEXT) -a $(srcdir)\n").as_deref(), Some("./unit -a ."));
        for other in [
            "\t./unit | grep x\n",
            "\t./other\n",
            "\tsh ./unit\n",
            "\t./unit\n\t./unit -v\n",
            "\t./unit $(MORE)\n",
            "\tif [ $(A) != $(B) ]; then ./unit; fi\n",
        ] {
            assert_eq!(started(other), None, "{other}");
        }
    }
}
