//! The target of a Makefile that runs the tests, and how the project is built without running them.

use std::path::Path;

use super::automake_check::Checked;
use super::directories::{CODE_DIRS, TEST_DIRS};
use super::left_dirs;
use super::makefile::{AUTOMAKE, Makefile};
use super::started;

/// Targets that run tests by custom.
pub(super) const TARGETS: [&str; 11] = [
    "check",
    "test",
    "tests",
    "regress",
    "runtests",
    "run_tests",
    "run-tests",
    "runtest",
    "unittest",
    "unittests",
    "unit-test",
];
/// Commands that look at files and at nothing that the project's programs write.
const LOOKS: [&str; 10] = ["test", "[", "grep", "egrep", "fgrep", "sed", "awk", "echo", "printf", "true"];
/// What a program of tests may be made of, one thing of the other, at most: program, object, source.
const DEPTH: u32 = 4;
/// How long tests are run for what they make, as coreutils' timeout takes it: those that are made first are there then.
const LONGEST: &str = "5m";
/// Programs of tests that a build command names one by one, at most.
const MOST_NAMED: usize = 12;

/// A target that runs all tests.
pub(super) struct CheckTarget {
    /// The file that has it.
    pub(super) makefile: &'static str,
    pub(super) runs: Runs,
    /// The directory where the programs are started, if that is not the Makefile's.
    pub(super) dir: Option<String>,
    /// What builds the project, where `make` alone would run the tests, too: with a fault it would fail.
    pub(super) build: Option<String>,
    /// What makes the programs of the tests, where what builds the project does not.
    pub(super) also: Option<String>,
    /// The source of the tests among what it is made of, and with others; a pattern where a directory has them.
    pub(super) source: Option<String>,
    /// The text of its recipe and of those of what it is made of.
    recipes: String,
}

/// What the tests are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// All are one command.
    Command(String),
    /// Programs that rules make, and start.
    Programs(Vec<String>),
}

impl CheckTarget {
    /// All that a Makefile here or in a directory of code or of tests has, then test programs that a Makefile here makes: the likeliest first.
    pub(super) fn all(root: &Path) -> Vec<CheckTarget> {
        // Automake makes a target `check` that does nothing where nothing else is said.
        if let Some(automake) = Makefile::read(root, AUTOMAKE) {
            let own = TARGETS.into_iter().skip_while(|target| *target == "check").find(|target| automake.makes(target));
            let of = |target: &str| CheckTarget::plain(format!("make {target}"), &automake, target);
            let of_found = |found: Checked| CheckTarget {
                runs: found.runs,
                dir: found.dir,
                source: found.tests,
                ..CheckTarget::plain(String::new(), &found.makefile, found.target)
            };
            return Checked::of(root).map(of_found).or_else(|| own.map(of)).into_iter().collect();
        }
        let makefile_of = |dir: &'static str| Some((dir, Makefile::of(&root.join(dir))?));
        let dirs = std::iter::once(".").chain(CODE_DIRS).chain(TEST_DIRS);
        let with_target = dirs.filter_map(makefile_of).flat_map(|(dir, makefile)| {
            let of = |target| match dir {
                "." => CheckTarget::here(root, &makefile, target),
                dir => CheckTarget::below(root, dir, &makefile, target),
            };
            targets_of(&makefile).into_iter().map(of).collect::<Vec<_>>()
        });
        let programs = || CheckTarget::of_programs(root, &Makefile::of(root)?);
        with_target.chain(std::iter::once_with(programs).flatten()).collect()
    }

    /// Whether its recipes speak of a directory, or of scripts there; unknown where there are none.
    pub(super) fn mentions(&self, dir: &str) -> Option<bool> {
        (!self.recipes.is_empty()).then(|| {
            let is_end = |c: char| c.is_whitespace() || "\"'`;|&()<>=".contains(c);
            let words: Vec<&str> = self.recipes.split(is_end).filter(|word| !word.is_empty()).collect();
            // `test` alone is a command of the shell's.
            let is_named = |at: usize| at.checked_sub(1).is_some_and(|before| ["cd", "-C"].contains(&words[before]));
            // Files that are no shell scripts, by a pattern: others than those are the tests.
            let are_others = |word: &str| word.contains('*') && word.contains('.') && !word.ends_with(".sh");
            let speaks = |(at, word): (usize, &&str)| match word.contains('/') {
                true => !are_others(word) && word.split('/').any(|part| part == dir),
                false => *word == dir && (dir != "test" || is_named(at)),
            };
            words.iter().enumerate().any(speaks)
        })
    }

    /// Whether its recipes leave a directory to another make: its Makefile knows which of what is there are tests.
    pub(super) fn leaves_to_make(&self, dir: &str) -> bool {
        left_dirs::goes_to(&self.recipes, dir)
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
        let known = makefile.sources(target);
        let is_known = known.is_some();
        let mut made = known.unwrap_or_default();
        // What only names other targets runs theirs.
        for _ in 0..DEPTH {
            let names = made.iter().filter(|name| makefile.recipe(name).is_empty());
            let named: Vec<String> = names.flat_map(|name| makefile.sources(name).unwrap_or_default()).collect();
            made.extend(named);
            made.sort();
            made.dedup();
        }
        let named = std::iter::once(target).chain(made.iter().map(String::as_str));
        let lines: Vec<&str> = match is_known {
            true => named.flat_map(|target| makefile.recipe(target)).collect(),
            // It names targets by variables that are set elsewhere: any may be meant.
            false => makefile.recipes().collect(),
        };
        let recipes: Vec<String> = lines.into_iter().map(|line| left_dirs::unrolled(makefile, line)).collect();
        CheckTarget {
            makefile: makefile.name,
            runs: Runs::Command(command),
            dir: None,
            build: None,
            also: None,
            source: None,
            recipes: recipes.join("\n"),
        }
    }

    /// That of the project's own directory.
    fn here(root: &Path, makefile: &Makefile, target: &str) -> CheckTarget {
        let plain = CheckTarget::plain(format!("make {target}"), makefile, target);
        let check = CheckTarget { source: source(root, makefile), ..plain };
        if let Some(started) = started::all_of(makefile, target) {
            return CheckTarget { build: Some(started.build()), runs: started.runs(), ..check };
        }
        let check = match started::alone(makefile, target) {
            Some(programs) => CheckTarget { runs: Runs::Programs(programs), ..check },
            None => check,
        };
        if let Some(goals) = without_tests(root, makefile) {
            return CheckTarget { build: Some(format!("make -j$(nproc) {}", goals.join(" "))), ..check };
        }
        if makefile.goals_name(target) {
            // Goals that do not show in the text are made all the same.
            let build = format!("make -j$(nproc) -o {target} && {}", by_running("make", target));
            return CheckTarget { build: Some(build), ..check };
        }
        let left = TEST_DIRS.into_iter().find(|dir| check.leaves_to_make(dir));
        let below = left.and_then(|dir| Some((dir, Makefile::of(&root.join(dir))?)));
        let of_others = || {
            let (dir, below) = below.as_ref()?;
            Some(CheckTarget::below(root, dir, below, target_of(below)?))
        };
        if let Some(also) = programs(root, makefile, target, "make", &made_by_goals(makefile)) {
            return CheckTarget { also: Some(also), ..check };
        }
        let is_all = makefile.recipe(target).len() == 1;
        match of_others() {
            Some(CheckTarget { runs: runs @ Runs::Programs(_), dir, also, .. }) if is_all => {
                CheckTarget { runs, dir, also, ..check }
            }
            Some(others) => CheckTarget { also: others.also, ..check },
            None => check,
        }
    }

    /// That of a directory below.
    fn below(root: &Path, dir: &str, makefile: &Makefile, target: &str) -> CheckTarget {
        let plain = CheckTarget::plain(format!("make -C {dir} {target}"), makefile, target);
        let also = programs_below(root, dir, makefile, target);
        match started::alone(makefile, target) {
            Some(programs) => CheckTarget { also, runs: Runs::Programs(programs), dir: Some(dir.to_owned()), ..plain },
            None => CheckTarget { also, ..plain },
        }
    }

    /// Programs that are started where they are made, or called like tests, in a Makefile without a target for tests.
    fn of_programs(root: &Path, makefile: &Makefile) -> Option<CheckTarget> {
        let plain = CheckTarget { source: source(root, makefile), ..CheckTarget::plain(String::new(), makefile, "") };
        if let Some(started) = started::any_of(makefile) {
            // The rest is built as ever: that a test fails is no failure to build.
            let others = started.others.join(" ");
            let build = format!("make -j$(nproc) {others} && {}", started.build());
            let build = if others.is_empty() { started.build() } else { build };
            return Some(CheckTarget { build: Some(build), runs: started.runs(), ..plain });
        }
        let made = made_by_goals(makefile);
        let is_program = |name: &String| is_named_like_tests(name) && makefile.makes(name) && makefile.makes_file(name);
        let programs: Vec<String> = made.into_iter().filter(is_program).map(|name| format!("./{name}")).collect();
        (!programs.is_empty()).then_some(CheckTarget { runs: Runs::Programs(programs), ..plain })
    }
}

/// The targets of a Makefile that may run its tests: those last whose recipes only look at files, as the check of a source tree before a release does.
fn targets_of(makefile: &Makefile) -> Vec<&'static str> {
    let mut targets: Vec<&str> = TARGETS.into_iter().filter(|target| makefile.makes(target)).collect();
    targets.sort_by_key(|target| only_looks(makefile, target));
    targets
}

/// The one of them that most likely does.
fn target_of(makefile: &Makefile) -> Option<&'static str> {
    targets_of(makefile).first().copied()
}

/// Whether a target is made of nothing, and all commands of its recipe are [`LOOKS`].
fn only_looks(makefile: &Makefile, target: &str) -> bool {
    let recipe = makefile.recipe(target);
    let commands =
        recipe.iter().flat_map(|line| line.split(['|', ';', '&'])).map(str::trim).filter(|text| !text.is_empty());
    let first =
        |command: &str| command.split_whitespace().find(|word| *word != "!").map(str::to_owned).unwrap_or_default();
    let looks = |command: &str| LOOKS.contains(&first(command).trim_start_matches(['@', '-', '+']));
    let is_alone = makefile.sources(target).is_some_and(|sources| sources.is_empty());
    is_alone && !recipe.is_empty() && commands.into_iter().all(looks)
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
    name.strip_suffix(".c").is_some_and(is_named_like_tests)
}

/// Whether a program's or a source's name without its ending is that of tests; an object's or a library's is not.
fn is_named_like_tests(stem: &str) -> bool {
    let name = stem.rsplit('/').next().unwrap_or(stem).to_ascii_lowercase();
    !name.contains('.') && (name.starts_with("test") || name.ends_with("test") || name.ends_with("tests"))
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

/// The command of make's that makes what the tests of a Makefile in `dir` need besides what is `made`; nothing where that is nothing.
fn programs(dir: &Path, makefile: &Makefile, target: &str, make: &str, made: &[String]) -> Option<String> {
    let mut needed = Vec::new();
    let shows = collect_needed(dir, makefile, target, DEPTH, &mut needed).is_some();
    // What programs of the project make is a part of the tests, and so they are run in them.
    needed.retain(|name| !made.contains(name) && !makefile.runs_programs(name));
    match needed.len() {
        0 if shows => None,
        _ if !shows && makefile.runs_programs_by_pattern() => None,
        1..=MOST_NAMED if shows => Some(format!("{make} -j$(nproc) {}", needed.join(" "))),
        _ => Some(by_running(make, target)),
    }
}

/// Running the tests makes what they need, too. That one fails, or does not end, is no failure to build.
fn by_running(make: &str, target: &str) -> String {
    format!("(timeout {LONGEST} {make} -k {target} || true)")
}

/// The command that makes what the tests of a directory need.
fn programs_below(root: &Path, dir: &str, makefile: &Makefile, target: &str) -> Option<String> {
    programs(&root.join(dir), makefile, target, &format!("make -C {dir}"), &[])
}

/// What a Makefile's goals are made of, as far as it shows.
fn made_by_goals(makefile: &Makefile) -> Vec<String> {
    let mut made: Vec<String> = makefile.goals().map(str::to_owned).collect();
    for goal in made.clone() {
        all_sources(makefile, &goal, DEPTH, &mut made);
    }
    made
}

/// What has to be there before the recipes run that only run something: those of `target` and of what it names. Nothing if some of it does not show.
fn collect_needed(dir: &Path, makefile: &Makefile, target: &str, depth: u32, needed: &mut Vec<String>) -> Option<()> {
    for name in makefile.sources(target)? {
        let has_rule = makefile.makes(&name);
        match has_rule && !makefile.makes_file(&name) {
            true if depth > 0 => collect_needed(dir, makefile, &name, depth - 1, needed)?,
            true => {}
            // A file without a rule is a source; one that is not there is made by a rule for all of its kind.
            false if (has_rule || !dir.join(&name).is_file()) && !needed.contains(&name) => needed.push(name),
            false => {}
        }
    }
    Some(())
}

/// What is made if the first rule's goals are, without the tests but with what those need; nothing where the goals leave out the tests.
fn without_tests(root: &Path, makefile: &Makefile) -> Option<Vec<String>> {
    let is_test = |name: &String| TARGETS.contains(&name.as_str()) && !makefile.is_implicit(name);
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

    fn of(root: &Path) -> CheckTarget {
        CheckTarget::all(root).remove(0)
    }

    fn check(text: &str) -> CheckTarget {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Makefile"), text).unwrap();
        std::fs::write(dir.path().join("p.c"), "").unwrap();
        of(dir.path())
    }

    /// What builds, and what tests.
    fn found(text: &str) -> (Option<String>, Runs) {
        let check = check(text);
        (check.build, check.runs)
    }

    fn command(command: &str) -> Runs {
        Runs::Command(command.to_owned())
    }

    fn programs_of(programs: &[&str]) -> Runs {
        Runs::Programs(programs.iter().map(|program| (*program).to_owned()).collect())
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
        assert_eq!(found("all: check\ncheck: test\n\t./$^\ntest: t.o\n"), (goals("test"), programs_of(&["./test"])));
        let skipping = Some("make -j$(nproc) -o test && (timeout 5m make -k test || true)".to_owned());
        assert_eq!(build("all: $(UNKNOWN) test\ntest: q\n"), skipping);
        assert_eq!(build("all: $(UNKNOWN)\ntest: $(UNKNOWN)\n"), None);
    }

    #[test]
    fn a_program_that_its_own_rule_runs_is_made_whether_it_fails() {
        let (build, runs) = found("all: test\ntest: p.c\n\t$(CC) -o $@ p.c\n\t@./$@\n");
        assert_eq!(build.as_deref(), Some("rm -f test && make -k --eval='.PRECIOUS: test' test; test -x test"));
        assert_eq!(runs, programs_of(&["./test"]));
        let (build, runs) = found("all: p\ntest: p.c\n\t$(CC) -o x p.c\n\t./x\n");
        assert_eq!(build.as_deref(), Some("rm -f x && make -k --eval='.PRECIOUS: test' test; test -x x"));
        assert_eq!(runs, programs_of(&["./x"]));
        assert_eq!(found("all: p\nregress: p\n\t./p < in\n").1, command("make regress"));
    }

    #[test]
    fn what_a_target_only_starts_are_tests_of_their_own() {
        let one = "all: p\nP = unit\ntest: $(P)\n\t@echo testing; ls\n\t@./$(P)\nunit: u.c\n\tcc -o $@ $<\n";
        // Words in a variable's name are not looked through.
        assert_eq!(found(one).1, command("make test"));
        let rules = "a: a.c\n\tcc -o $@ $<\nb: b.c\n\tcc -o $@ $<\n";
        let runs = |test: &str| found(&format!("all: p\n{test}{rules}")).1;
        assert_eq!(runs("test: a b\n\t@echo testing\n\t./a\n\t./b\n"), programs_of(&["./a", "./b"]));
        assert_eq!(runs(".PHONY: one\ncheck: one\none: a\n\t./a -v 3\n"), programs_of(&["./a -v 3"]));
        for more in
            ["./a -v\n\t./b\n", "./a > out\n", "./a | cat\n", "X=1 ./a\n", "./other\n", "cmp x y\n", "./a \"b c\"\n"]
        {
            assert_eq!(runs(&format!("test: a b\n\t{more}")), command("make test"), "{more}");
        }
        let template = "all: p\ncheck: unit\n\t./unit\n$(foreach t,$(ALL),$(eval $(call RULE,$(t))))\n";
        assert_eq!(found(template).1, programs_of(&["./unit"]));
        assert_eq!(runs("export X=1\ntest: a\n\t./a\n"), command("make test"));
    }

    #[test]
    fn what_another_make_only_starts_is_started_in_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("test")).unwrap();
        std::fs::write(
            dir.path().join("Makefile"),
            "all: lib\nlib: l.c\n\tcc -o $@ l.c\ncheck: lib\n\t@(cd test ; $(MAKE))\n",
        )
        .unwrap();
        let below = "all: check\ncheck: unit\n\t@./unit\nunit: u.c\n\tcc -o $@ $<\n";
        std::fs::write(dir.path().join("test/Makefile"), below).unwrap();
        let CheckTarget { runs, dir: at, also, .. } = of(dir.path());
        assert_eq!((runs, at.as_deref()), (programs_of(&["./unit"]), Some("test")));
        assert_eq!(also.as_deref(), Some("make -C test -j$(nproc) unit"));
    }

    #[test]
    fn what_only_looks_at_files_is_the_last_that_is_taken_for_the_tests() {
        let looks = "check:\n\tgrep -q 1.0 version.h\n\ttest ! -f x || grep -q y x\n";
        assert_eq!(found(&format!("all: p\n{looks}test: p\n\ttests/all.sh ./p\n")).1, command("make test"));
        assert_eq!(found(&format!("all: p\n{looks}")).1, command("make check"));
        let starts = "all: p\ncheck:\n\t./p | grep -q x\ntest: p\n\ttests/all.sh ./p\n";
        assert_eq!(found(starts).1, command("make check"));
        assert_eq!(CheckTarget::all(Path::new("/nowhere")).len(), 0);
    }

    #[test]
    fn each_program_that_is_made_and_started_is_a_test() {
        let each = "test: a b\na: p.c\n\t$(CC) $< -o t/$@\n\t./t/$@\nb: p.c\n\t$(CC) -DX $< -o t/$@\n\tt/$@\n";
        let (build, runs) = found(each);
        assert_eq!(
            build.as_deref(),
            Some("rm -f t/a t/b && make -k --eval='.PRECIOUS: a b' a b; test -x t/a && test -x t/b")
        );
        assert_eq!(runs, programs_of(&["./t/a", "./t/b"]));
        // Without a target for tests they are found among what is made.
        let (build, runs) = found("all: p smoke\np: p.o\nsmoke: p.c\n\t$(CC) -o $@ $^ -lm\n\t./$@\n");
        assert_eq!(
            build.as_deref(),
            Some("make -j$(nproc) p && rm -f smoke && make -k --eval='.PRECIOUS: smoke' smoke; test -x smoke")
        );
        assert_eq!(runs, programs_of(&["./smoke"]));
        // One that does more is a test as a whole.
        assert_eq!(found(&format!("{each}\ntest: more\nmore:\n\tsh more.sh\n")).1, command("make test"));
    }

    #[test]
    fn test_programs_that_are_only_made_are_tests() {
        let (build, runs) = found("all: p-test\np-test: p.c\n\t$(CC) -o p-test p.c\n\t@echo Type ./p-test\n");
        assert_eq!((build, runs), (None, programs_of(&["./p-test"])));
        let (build, runs) = found("test: p.c\n\t$(CC) -o $@ p.c\nrun: test\n\t./test -a\n");
        assert_eq!(build.as_deref(), Some("rm -f test && make -k --eval='.PRECIOUS: test' test; test -x test"));
        assert_eq!(runs, programs_of(&["./test"]));
    }

    #[test]
    fn programs_of_tests_are_made_where_the_goals_leave_them_out() {
        let also = |text: &str| check(text).also;
        let make = |names: &str| Some(format!("make -j$(nproc) {names}"));
        assert_eq!(also("all: p\ntest: q\n\t./q\nq: q.c\n\t$(CC) -o $@ $<\n"), make("q"));
        assert_eq!(also("all: p\ntest: q\n\t./q\n"), make("q"));
        assert_eq!(also("all: p q\ntest: q\n\t./q\n"), None);
        assert_eq!(also("all: p\ntest: all\n\t./p\n"), None);
        // What a recipe only runs is not made.
        let runs = ".PHONY: one\nall: p\ntest: one two\none: q\n\t./q -o $@\ntwo: r.sh\n\tsh $<\n";
        assert_eq!(also(runs), make("q r.sh"));
        let many: Vec<String> = (0..=MOST_NAMED).map(|number| format!("t{number}")).collect();
        assert_eq!(
            also(&format!("all: p\ntest: {}\n\t./all\n", many.join(" "))),
            Some("(timeout 5m make -k test || true)".into())
        );
        // What is made by the program under test is made by the tests.
        assert_eq!(also("all: p\ntest: a.out b.o\n\tcmp a.out x\na.out: p\n\t./p -o $@\nb.o: b.c\n"), make("b.o"));
        let pattern = "T = $(wildcard *.c)\nall: p\ntest: $(T:.c=.x)\n\tls\n%.x: p %.c\n\t@./p -o $@ $*.c\n";
        assert_eq!(also(pattern), None);
        assert_eq!(also("T = a b\nall: p\ntest: $(T:%=%.t)\n\tprove $^\n"), make("a.t b.t"));
        assert_eq!(
            also("all: p\ntest: $(wildcard *.t)\n\tprove $^\n"),
            Some("(timeout 5m make -k test || true)".into())
        );
    }

    #[test]
    fn programs_of_tests_are_made_in_their_directory() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("tests")).unwrap();
        let also = |here: &str, below: &str| {
            std::fs::write(dir.path().join("Makefile"), here).unwrap();
            std::fs::write(dir.path().join("tests/Makefile"), below).unwrap();
            of(dir.path()).also
        };
        let unit = Some("make -C tests -j$(nproc) unit".to_owned());
        assert_eq!(also("all: p\n", "all: test other\ntest: unit\n\t./unit\nother:\n\tdocker run x\n"), unit);
        assert_eq!(also("all: p\n", "test: unit\n\t./unit\n"), unit);
        assert_eq!(also("all: p\n", "P = unit\nT = run_tests\nall: $(P) $(T)\n$(T): $(P)\n\tperl ./all\n"), unit);
        assert_eq!(also("all: p\ncheck: all\n\t$(MAKE) -C tests check\n", "check: unit\n\t./unit\n"), unit);
    }

    #[test]
    fn a_source_of_tests_is_one_beside_others() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("test.c"), "").unwrap();
        let source = |text: &str| {
            std::fs::write(dir.path().join("Makefile"), text).unwrap();
            of(dir.path()).source
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
            of(dir.path()).gives_arguments("tests")
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
            of(dir.path()).leaves_to_make("tests")
        };
        assert!(leaves("test:\n\t@$(MAKE) -C tests\n") && leaves("check: p\n\tmake -s -C tests/ check; echo\n"));
        assert!(leaves("test:\n\t@(cd tests ; $(MAKE))\n") && leaves("test:\n\tcd tests && make -s\n"));
        assert!(!leaves("test:\n\tcd tests; ./run\n") && !leaves("test:\n\tmake -C tests/old\n"));
    }

    #[test]
    fn recipes_say_of_what_they_speak() {
        let dir = tempfile::tempdir().unwrap();
        let mentions = |text: &str| {
            std::fs::write(dir.path().join("Makefile"), text).unwrap();
            of(dir.path()).mentions("tests")
        };
        assert_eq!(mentions("check: p\n\t./p < x\n"), Some(false));
        assert_eq!(mentions("check: p\n\tcd tests && ./run\n"), Some(true));
        assert_eq!(mentions("check: all-of\nall-of:\n\tsh tests/run.sh\n"), Some(true));
        assert_eq!(mentions("check: p\n\tcram tests/*.t\n"), Some(false));
        assert_eq!(mentions("check: p\n\tfor t in tests/*.sh; do sh $$t; done\n"), Some(true));
        assert_eq!(mentions("check: p\n"), None);
        let of_test = |text: &str| {
            std::fs::write(dir.path().join("Makefile"), text).unwrap();
            of(dir.path()).mentions("test")
        };
        for recipe in ["./p test.xml", "if test -f x; then ./p; fi", "./p && test -f out", "./run-test"] {
            assert_eq!(of_test(&format!("test: p\n\t{recipe}\n")), Some(false), "{recipe}");
        }
        for recipe in ["sh ./test/run.sh", "cd test && ./run", "$(MAKE) -C test", "./p \"$(srcdir)/test/a\""] {
            assert_eq!(of_test(&format!("test: p\n\t{recipe}\n")), Some(true), "{recipe}");
        }
    }
}
