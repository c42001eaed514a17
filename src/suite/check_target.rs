//! The target of a Makefile that runs the tests, and how the project is built without running them.

use std::path::Path;

use super::detect::TEST_DIRS;
use super::makefile::Makefile;

/// Targets that run tests by custom.
const TARGETS: [&str; 7] = ["check", "test", "tests", "regress", "runtests", "unittest", "unittests"];
/// What a program of tests may be made of, one thing of the other, at most: program, object, source.
const DEPTH: u32 = 4;

/// A target that runs all tests.
pub(super) struct CheckTarget {
    /// The file that has it.
    pub(super) makefile: &'static str,
    /// What runs the tests.
    pub(super) command: String,
    /// What builds the project, where `make` alone would run the tests, too: with a fault it would fail.
    pub(super) build: Option<String>,
    /// The source of the tests among what it is made of, and with others.
    pub(super) source: Option<String>,
    /// The text of its recipe and of those of what it is made of.
    recipes: String,
}

impl CheckTarget {
    /// The first that a Makefile here or in a directory of tests has.
    pub(super) fn of(root: &Path) -> Option<CheckTarget> {
        // Automake makes a target `check` that does nothing where nothing else is said.
        if let Some(automake) = Makefile::read(root, "Makefile.am") {
            let here = || CheckTarget::plain("make check".to_owned(), &automake, "check-local");
            return automake.makes("check-local").then(here);
        }
        let dirs = std::iter::once(".").chain(TEST_DIRS);
        dirs.filter_map(|dir| Some((dir, Makefile::of(&root.join(dir))?))).find_map(|(dir, makefile)| {
            let target = TARGETS.into_iter().find(|target| makefile.makes(target))?;
            Some(match dir {
                "." => CheckTarget::here(root, &makefile, target),
                dir => CheckTarget::plain(format!("make -C {dir} {target}"), &makefile, target),
            })
        })
    }

    /// Whether its recipes speak of a directory; unknown where there are none.
    pub(super) fn mentions(&self, dir: &str) -> Option<bool> {
        (!self.recipes.is_empty()).then(|| {
            let is_end = |c: char| c.is_whitespace() || "\"'`;|&()<>=".contains(c);
            let words: Vec<&str> = self.recipes.split(is_end).filter(|word| !word.is_empty()).collect();
            // `test` alone is a command of the shell's.
            let is_named = |at: usize| at.checked_sub(1).is_some_and(|before| ["cd", "-C"].contains(&words[before]));
            let speaks = |(at, word): (usize, &&str)| match word.contains('/') {
                true => word.split('/').any(|part| part == dir),
                false => *word == dir && (dir != "test" || is_named(at)),
            };
            words.iter().enumerate().any(speaks)
        })
    }

    /// Whether its recipes leave a directory to another make: its Makefile knows which of what is there are tests.
    pub(super) fn leaves_to_make(&self, dir: &str) -> bool {
        let words: Vec<&str> = self.recipes.split_whitespace().map(|word| word.trim_end_matches([';', '/'])).collect();
        words.windows(2).any(|pair| pair[0] == "-C" && pair[1] == dir)
    }

    /// Whether its recipes start a script below a directory with arguments: alone it does something else, or nothing.
    pub(super) fn gives_arguments(&self, dir: &str) -> bool {
        let is_script = |word: &str| word.ends_with(".sh") && word.split('/').any(|part| part == dir);
        let leads = |word: &str| ["<", ">", ">>", "2>"].contains(&word);
        let is_led = |word: &str| word.starts_with(['<', '>']) || word.starts_with("2>");
        self.recipes.split(['\n', ';', '&', '|']).any(|command| {
            let words: Vec<&str> = command.split_whitespace().skip_while(|word| !is_script(word)).collect();
            words.windows(2).any(|pair| !leads(pair[0]) && !is_led(pair[1]))
        })
    }

    fn plain(command: String, makefile: &Makefile, target: &str) -> CheckTarget {
        let mut made = makefile.sources(target).unwrap_or_default();
        // What only names other targets runs theirs.
        for _ in 0..DEPTH {
            let names = made.iter().filter(|name| makefile.recipe(name).is_empty());
            let named: Vec<String> = names.flat_map(|name| makefile.sources(name).unwrap_or_default()).collect();
            made.extend(named);
            made.sort();
            made.dedup();
        }
        let recipes = std::iter::once(target).chain(made.iter().map(String::as_str));
        let recipes: Vec<&str> = recipes.flat_map(|target| makefile.recipe(target)).collect();
        CheckTarget { makefile: makefile.name, command, build: None, source: None, recipes: recipes.join("\n") }
    }

    /// That of the project's own directory.
    fn here(root: &Path, makefile: &Makefile, target: &str) -> CheckTarget {
        let plain = CheckTarget::plain(format!("make {target}"), makefile, target);
        let check = CheckTarget { source: source(root, makefile), ..plain };
        if let Some(program) = tests_itself(makefile) {
            // It is made anew, so that one of before does not hide that it cannot be compiled; that it then fails is no failure to build.
            let build = format!("rm -f {program} && make -k {program}; test -x {program}");
            return CheckTarget { command: format!("./{program}"), build: Some(build), ..check };
        }
        let build = without_tests(root, makefile).map(|goals| format!("make -j$(nproc) {}", goals.join(" ")));
        CheckTarget { build, ..check }
    }
}

/// The target of tests whose recipe makes a program of that name and runs it.
fn tests_itself(makefile: &Makefile) -> Option<&'static str> {
    TARGETS.into_iter().find(|target| {
        let words = |line: &str| -> Vec<String> {
            let line = line.trim_start_matches(['@', '-', '+']).replace("$@", target).replace("$(@)", target);
            line.split_whitespace().map(str::to_owned).collect()
        };
        let recipe: Vec<Vec<String>> = makefile.recipe(target).into_iter().map(words).collect();
        let makes = |line: &Vec<String>| line.windows(2).any(|pair| pair[0] == "-o" && pair[1] == *target);
        // With arguments, a variable or a pipe it is more than to start the program.
        let runs = |line: &Vec<String>| *line == [format!("./{target}")];
        recipe.iter().any(makes) && recipe.iter().any(runs)
    })
}

/// The source of the tests that a target of tests is made of, where that has another source, too.
fn source(root: &Path, makefile: &Makefile) -> Option<String> {
    let mut made = Vec::new();
    TARGETS.into_iter().for_each(|target| all_sources(makefile, target, DEPTH, &mut made));
    // An object without a rule is made of the source of its name.
    let implicit = |name: &String| {
        makefile.sources(name).is_some_and(|sources| sources.iter().all(|source| source.ends_with(".h")))
    };
    let of_objects = |name: &String| match name.strip_suffix(".o") {
        Some(stem) if implicit(name) => format!("{stem}.c"),
        _ => name.clone(),
    };
    let made: Vec<String> = made.iter().map(of_objects).collect();
    let has_others = made.iter().any(|name| (name.ends_with(".c") || name.ends_with(".a")) && !is_tests(name));
    made.iter().find(|name| has_others && is_tests(name) && root.join(name).is_file()).cloned()
}

/// Whether a source is called like a test program beside a library's, which alone could be a program's own: `test.c`, `testmxml.c`, `parser_tests.c`.
fn is_tests(name: &str) -> bool {
    let stem = name.strip_suffix(".c").map(str::to_ascii_lowercase);
    stem.is_some_and(|stem| stem.starts_with("test") || stem.ends_with("test") || stem.ends_with("tests"))
}

/// All that a target is made of, as far as it shows, one thing of the other.
fn all_sources(makefile: &Makefile, target: &str, depth: u32, made: &mut Vec<String>) {
    for name in makefile.sources(target).unwrap_or_default() {
        if depth > 0 && !made.contains(&name) {
            made.push(name.clone());
            all_sources(makefile, &name, depth - 1, made);
        }
    }
}

/// What is made if the first rule's goals are, without the tests but with what those need; nothing where the goals leave out the tests.
fn without_tests(root: &Path, makefile: &Makefile) -> Option<Vec<String>> {
    let is_test = |name: &String| TARGETS.contains(&name.as_str());
    let mut goals = Vec::new();
    for goal in makefile.goals().map(str::to_owned) {
        match is_test(&goal) {
            true => goals.push(goal),
            false => goals.extend(makefile.sources(&goal)?),
        }
    }
    let (tests, others): (Vec<String>, Vec<String>) = goals.into_iter().partition(is_test);
    if tests.is_empty() {
        return None;
    }
    let mut made = others;
    for test in tests {
        // One level of `test: check`.
        for needed in makefile.sources(&test)? {
            match is_test(&needed) {
                true => made.extend(makefile.sources(&needed)?),
                false => made.push(needed),
            }
        }
    }
    // A file without a rule is a source; one with a rule may have been made before.
    let is_made = |name: &String| makefile.makes(name) || !root.join(name).is_file();
    let mut unique: Vec<String> = Vec::new();
    for name in made.into_iter().filter(|name| !is_test(name) && is_made(name)) {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    (!unique.is_empty()).then_some(unique)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What builds, and what tests.
    fn found(text: &str) -> (Option<String>, String) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Makefile"), text).unwrap();
        std::fs::write(dir.path().join("p.c"), "").unwrap();
        let check = CheckTarget::of(dir.path()).unwrap();
        (check.build, check.command)
    }

    #[test]
    fn a_build_leaves_out_tests_and_makes_what_they_need() {
        let build = |text| found(text).0;
        let goals = |names: &str| Some(format!("make -j$(nproc) {names}"));
        assert_eq!(build("all: lib p test\ntest: p q p.c\n\t./q\n"), goals("lib p q"));
        assert_eq!(build("test: a b\n\t./a\n\t./b\na: p.c\n"), goals("a b"));
        // As p.c here, which is there: a program that was made before.
        assert_eq!(build("all: p.c test\np.c: x\ntest: p.c\n\t./p.c\n"), goals("p.c"));
        assert_eq!(build("all: p check\ncheck: test\ntest: q\n\t./q\n"), goals("p q"));
        assert_eq!(build("all: p\ntest: q\n\t./q\n"), None);
        assert_eq!(build("all: $(UNKNOWN) test\ntest: q\n"), None);
    }

    #[test]
    fn a_program_that_its_own_rule_runs_is_made_whether_it_fails() {
        let (build, command) = found("all: test\ntest: p.c\n\t$(CC) -o $@ p.c\n\t@./$@\n");
        assert_eq!(build.as_deref(), Some("rm -f test && make -k test; test -x test"));
        assert_eq!(command, "./test");
        let (build, command) = found("all: p\ntest: p.c\n\t$(CC) -o x p.c\n\t./x\n");
        assert_eq!((build, command.as_str()), (None, "make test"));
        assert_eq!(found("all: p\nregress: p\n\t./p < in\n").1, "make regress");
    }

    #[test]
    fn a_source_of_tests_is_one_beside_others() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("test.c"), "").unwrap();
        let source = |text: &str| {
            std::fs::write(dir.path().join("Makefile"), text).unwrap();
            CheckTarget::of(dir.path()).unwrap().source
        };
        let test = Some("test.c".to_owned());
        assert_eq!(source("test: unit\n\t./unit\nunit: test.o lib.o\nlib.o: lib.c\n"), test);
        assert_eq!(source("check: unit\nunit: test.c lib.a\n"), test);
        assert_eq!(source("check: unit\nunit: test.o lib.o\n"), test);
        assert_eq!(source("check: unit\nunit: test.c\n"), None);
        assert_eq!(source("test: a\na: b\nb: a lib.c\n"), None);
        assert_eq!(source("check: unit\nunit: test.o lib.a\ntest.o: lib.h\n"), test);
    }

    #[test]
    fn a_script_that_is_given_arguments_is_no_test_alone() {
        let dir = tempfile::tempdir().unwrap();
        let gives = |text: &str| {
            std::fs::write(dir.path().join("Makefile"), text).unwrap();
            CheckTarget::of(dir.path()).unwrap().gives_arguments("tests")
        };
        assert!(gives("check: test\ntest: test_p\ntest_p: p\n\t@cd x; tests/all.sh p 1\n"));
        assert!(!gives("check: p\n\ttests/all.sh > log 2>&1; echo done\n"));
        assert!(!gives("check: p\n\tother/all.sh p\n"));
    }

    #[test]
    fn what_is_left_to_another_make_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let leaves = |text: &str| {
            std::fs::write(dir.path().join("Makefile"), text).unwrap();
            CheckTarget::of(dir.path()).unwrap().leaves_to_make("tests")
        };
        assert!(leaves("test:\n\t@$(MAKE) -C tests\n") && leaves("check: p\n\tmake -s -C tests/ check; echo\n"));
        assert!(!leaves("test:\n\tcd tests; ./run\n") && !leaves("test:\n\tmake -C tests/old\n"));
    }

    #[test]
    fn recipes_say_of_what_they_speak() {
        let dir = tempfile::tempdir().unwrap();
        let mentions = |text: &str| {
            std::fs::write(dir.path().join("Makefile"), text).unwrap();
            CheckTarget::of(dir.path()).unwrap().mentions("tests")
        };
        assert_eq!(mentions("check: p\n\t./p < x\n"), Some(false));
        assert_eq!(mentions("check: p\n\tcd tests && ./run\n"), Some(true));
        assert_eq!(mentions("check: all-of\nall-of:\n\tsh tests/run.sh\n"), Some(true));
        assert_eq!(mentions("check: p\n"), None);
        let of_test = |text: &str| {
            std::fs::write(dir.path().join("Makefile"), text).unwrap();
            CheckTarget::of(dir.path()).unwrap().mentions("test")
        };
        for recipe in ["./p test.xml", "if test -f x; then ./p; fi", "./p && test -f out", "./run-test"] {
            assert_eq!(of_test(&format!("test: p\n\t{recipe}\n")), Some(false), "{recipe}");
        }
        for recipe in ["sh ./test/run.sh", "cd test && ./run", "$(MAKE) -C test", "./p \"$(srcdir)/test/a\""] {
            assert_eq!(of_test(&format!("test: p\n\t{recipe}\n")), Some(true), "{recipe}");
        }
    }
}
