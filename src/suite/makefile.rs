//! A Makefile as text: what shows of it without running make, which would run code of the project.

use std::fs;
use std::path::{Path, PathBuf};

use super::directories::subdirectories;

/// What make reads in a directory, the first that is there; then what `configure` makes that of.
const NAMES: [&str; 5] = ["GNUmakefile", "makefile", "Makefile", "Makefile.in", "makefile.in"];
/// First words of lines that BSD's make reads and at which GNU make stops.
const OF_BSD: [&str; 8] = [".if", ".ifdef", ".ifndef", ".else", ".endif", ".include", ".for", ".endfor"];
/// What Automake makes a Makefile of.
pub(super) const AUTOMAKE: &str = "Makefile.am";
/// Directories below a project's, one in the other, in which Automake's files are looked for.
const AUTOMAKE_DEPTH: usize = 2;
/// Files that one Makefile may include, so that no circle of them is followed for ever.
const MOST_INCLUDED: usize = 20;
/// Variables that one word may name one in the other, so that no circle of them is followed for ever.
const MOST_NESTED: u32 = 5;
/// Parts of lines of a recipe that make a file.
const COMPILES: [&str; 11] =
    ["$@", "$(@", "${@", " -o ", "$(CC)", "${CC}", "$(AR)", "${AR}", "$(CXX)", "$(LINK", "${LINK"];

/// A Makefile with what it includes by plain names.
#[derive(Debug)]
pub(super) struct Makefile {
    /// Its name in its directory.
    pub(super) name: &'static str,
    /// Its lines, with those that go on in the next one joined.
    text: String,
}

impl Makefile {
    /// The one of a directory: the first that GNU make can read, if any is.
    pub(super) fn of(dir: &Path) -> Option<Makefile> {
        let mut there: Vec<Makefile> = NAMES.into_iter().filter_map(|name| Makefile::read(dir, name)).collect();
        let readable = there.iter().position(|makefile| !makefile.is_of_bsd()).unwrap_or(0);
        (!there.is_empty()).then(|| there.swap_remove(readable))
    }

    /// Whether there is one that make reads in a directory.
    pub(super) fn is_in(dir: &Path) -> bool {
        NAMES.into_iter().filter(|name| !name.ends_with(".in")).any(|name| dir.join(name).is_file())
    }

    /// One of the directory's files, if it is there.
    pub(super) fn read(dir: &Path, name: &'static str) -> Option<Makefile> {
        let mut text = joined(&dir.join(name))?;
        let (mut from, mut n_included) = (0, 0);
        while n_included < MOST_INCLUDED {
            let Some(line) = text[from..].lines().next() else { break };
            let included: String = included(line).filter_map(|file| joined(&dir.join(file))).collect();
            n_included += usize::from(!included.is_empty());
            from = (from + line.len() + 1).min(text.len());
            text.insert_str(from, &included);
        }
        Some(Makefile { name, text: without_windows(&text) })
    }

    /// Those that Automake reads in a directory and below, each with where it is, seen from there.
    pub(super) fn all_of_automake(root: &Path) -> Vec<(PathBuf, Makefile)> {
        let mut dirs = vec![PathBuf::new()];
        let mut below = dirs.clone();
        for _ in 0..AUTOMAKE_DEPTH {
            let subs = |dir: &PathBuf| {
                subdirectories(&root.join(dir)).into_iter().map(|sub| dir.join(sub)).collect::<Vec<_>>()
            };
            below = below.iter().flat_map(subs).collect();
            dirs.extend(below.iter().cloned());
        }
        dirs.into_iter().filter_map(|dir| Some((dir.clone(), Makefile::read(&root.join(dir), AUTOMAKE)?))).collect()
    }

    /// Whether it sets a variable, or adds to one.
    pub(super) fn sets(&self, variable: &str) -> bool {
        let lines = self.text.lines().filter(|line| !line.starts_with('\t'));
        let mut names = lines.filter_map(|line| line.split_once('=')).map(|(name, _)| name);
        names.any(|name| name.trim_matches([':', '?', '+', ' ', '\t']) == variable)
    }

    /// Whether it has a text anywhere.
    pub(super) fn mentions(&self, text: &str) -> bool {
        self.text.contains(text)
    }

    /// Whether it includes a file that is not in the directory, by a name that shows: `configure` writes it.
    fn lacks_included(&self, dir: &Path) -> bool {
        let lines = self.text.lines().map(|line| line.trim_start_matches(' '));
        let named = lines.filter_map(|line| line.strip_prefix("include ")).flat_map(str::split_whitespace);
        let shown = named.filter_map(|name| self.expanded(name, MOST_NESTED)).flatten();
        shown.into_iter().filter(|name| !name.contains(['*', '#', '@'])).any(|name| !dir.join(name).is_file())
    }

    /// Whether it is written for BSD's make.
    pub(super) fn is_of_bsd(&self) -> bool {
        self.text.lines().filter_map(|line| line.split([' ', '\t', '(']).next()).any(|word| OF_BSD.contains(&word))
    }

    /// Whether configuring the project in `dir` makes it one that GNU make can read, or makes another that GNU make reads first.
    pub(super) fn waits_for_configure(&self, dir: &Path) -> bool {
        self.name.ends_with(".in") || dir.join("configure").is_file() && (self.is_of_bsd() || self.lacks_included(dir))
    }

    /// Whether there is a rule for a target.
    pub(super) fn makes(&self, target: &str) -> bool {
        self.rules().any(|(targets, _)| self.is_among(target, targets))
    }

    /// Whether the rule for a target makes a file of its name, rather than only to run something or to name other targets.
    pub(super) fn makes_file(&self, target: &str) -> bool {
        let is_phony = self.rules().any(|(targets, sources)| {
            targets.trim() == ".PHONY" && sources.split_whitespace().any(|named| named == target)
        });
        let is_compiled = self.recipe(target).iter().any(|line| COMPILES.iter().any(|word| line.contains(word)));
        !is_phony && (is_compiled || self.is_implicit(target))
    }

    /// Whether make's own rules make a target, an object or a program, of what a rule without a recipe says.
    pub(super) fn is_implicit(&self, target: &str) -> bool {
        let is_part = |name: &String| name.ends_with(".o") || name.ends_with(".c");
        self.recipe(target).is_empty() && self.sources(target).is_some_and(|sources| sources.iter().any(is_part))
    }

    /// Whether the recipe of a target starts a program of the project.
    pub(super) fn runs_programs(&self, target: &str) -> bool {
        self.recipe(target).into_iter().any(runs_program)
    }

    /// Whether the recipe of a rule for all files of a kind does.
    pub(super) fn runs_programs_by_pattern(&self) -> bool {
        let patterns =
            self.rules().flat_map(|(targets, _)| targets.split_whitespace()).filter(|made| made.contains('%'));
        patterns.into_iter().any(|target| self.runs_programs(target))
    }

    /// Whether a target is one of a rule's.
    fn is_among(&self, target: &str, targets: &str) -> bool {
        targets.split_whitespace().any(|word| match word.contains('$') {
            true => self.expanded(word, MOST_NESTED).is_some_and(|made| made.iter().any(|made| made == target)),
            false => word == target,
        })
    }

    /// What its first rule makes, or what `all` asks for first: a plain name, or that of a variable that is one.
    pub(super) fn first_made(&self) -> Option<String> {
        let is_plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || "_-+.".contains(c));
        let named = |word: &str| {
            let variable = word.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
            let text = variable.map_or(Some(word.to_owned()), |variable| self.assigned(variable))?;
            text.split_whitespace().next().filter(is_plain).map(str::to_owned)
        };
        let (targets, sources) = self.first_rule()?;
        match targets.trim() {
            "all" | "default" => named(sources.split_whitespace().next()?),
            target => named(target),
        }
    }

    /// What `make` alone makes: the first target of its first rule.
    pub(super) fn goals(&self) -> impl Iterator<Item = &str> {
        self.first_rule().and_then(|(targets, _)| targets.split_whitespace().next()).into_iter()
    }

    /// The first rule that is not for all files of a kind.
    fn first_rule(&self) -> Option<(&str, &str)> {
        self.rules().find(|(targets, _)| !targets.starts_with('.') && !targets.contains('%'))
    }

    /// What a target is made of, in the order of its rules; nothing if some of it does not show in the text.
    pub(super) fn sources(&self, target: &str) -> Option<Vec<String>> {
        let of_target = self.rules().filter(|(targets, _)| self.is_among(target, targets));
        // A rule may set a variable for its target, say its recipe behind a semicolon, or have what is only to be there behind a bar.
        let listed = of_target.map(|(_, sources)| sources).filter(|sources| !sets_variable(sources));
        let mut words = Vec::new();
        for sources in listed {
            let listed = sources.split([';', '#']).next().unwrap_or_default();
            words.extend(self.expanded(listed, MOST_NESTED)?.into_iter().filter(|word| word != "|"));
        }
        Some(words)
    }

    /// Whether a rule for one of its goals names a target as it is written.
    pub(super) fn goals_name(&self, name: &str) -> bool {
        let names = |goal: &str| {
            let mut of_goal = self.rules().filter(|(targets, _)| self.is_among(goal, targets));
            of_goal.any(|(_, sources)| sources.split_whitespace().any(|source| source == name))
        };
        self.goals().any(names)
    }

    /// The lines of a target's recipes.
    pub(super) fn recipe(&self, target: &str) -> Vec<&str> {
        let mut is_of_target = false;
        let mut lines = Vec::new();
        for line in self.text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            match line.strip_prefix('\t') {
                Some(line) if is_of_target => lines.push(line),
                Some(_) => {}
                None => {
                    let targets = line.split_once(':').filter(|(_, rest)| !rest.starts_with('=')).map(|(made, _)| made);
                    is_of_target = targets.is_some_and(|made| self.is_among(target, made));
                }
            }
        }
        lines
    }

    /// The lines of all recipes.
    pub(super) fn recipes(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter_map(|line| line.strip_prefix('\t'))
    }

    /// Whether it hands variables on to what its recipes run.
    pub(super) fn exports(&self) -> bool {
        self.text.lines().any(|line| line.split_whitespace().next() == Some("export"))
    }

    /// Words with the variables that they are replaced by their text.
    pub(super) fn expanded(&self, text: &str, depth: u32) -> Option<Vec<String>> {
        let mut words = Vec::new();
        for word in text.split_whitespace() {
            let variable = ["$(", "${"].into_iter().find_map(|begin| word.strip_prefix(begin));
            let whole = variable.and_then(|rest| rest.strip_suffix([')', '}'])).filter(|name| !name.contains('$'));
            match whole {
                Some(variable) if depth > 0 => words.extend(self.value(variable, depth - 1)?),
                None if !word.contains('$') => words.push(word.to_owned()),
                None if depth > 0 => {
                    words.extend(Some(self.inserted(word, depth - 1)?).filter(|word| !word.is_empty()))
                }
                _ => return None,
            }
        }
        Some(words)
    }

    /// A word with the variables in it, each of which is one word at most: `$(DIR)test${EXEEXT}`.
    fn inserted(&self, word: &str, depth: u32) -> Option<String> {
        let (mut text, mut rest) = (String::new(), word);
        while let Some((before, behind)) = rest.split_once('$') {
            let end = if behind.starts_with('(') { ')' } else { '}' };
            let (variable, after) = behind.strip_prefix(['(', '{'])?.split_once(end)?;
            let value = Some(self.value(variable, depth)?).filter(|words| words.len() < 2)?.concat();
            // What `configure` is to put there does not show.
            text.extend([before, Some(value.as_str()).filter(|value| !value.contains('@'))?]);
            rest = after;
        }
        Some(text + rest)
    }

    /// The words of a variable, also of one whose ends are replaced: `X:.c=.o`, `X:%.c=%`.
    fn value(&self, variable: &str, depth: u32) -> Option<Vec<String>> {
        let Some((name, replaced)) = variable.split_once(':') else {
            return self.expanded(&self.assigned(variable)?, depth);
        };
        let around = |pattern: &str| match pattern.split_once('%') {
            Some((begin, end)) => (begin.to_owned(), end.to_owned()),
            None => (String::new(), pattern.to_owned()),
        };
        let (from, to) = replaced.split_once('=')?;
        let (from, to) = (around(from), around(to));
        let replace = |word: String| {
            let stem = word.strip_prefix(&from.0).and_then(|rest| rest.strip_suffix(&from.1));
            stem.map(|stem| format!("{}{stem}{}", to.0, to.1)).unwrap_or(word)
        };
        Some(self.expanded(&self.assigned(name)?, depth)?.into_iter().map(replace).collect())
    }

    /// Targets and what they are made of.
    fn rules(&self) -> impl Iterator<Item = (&str, &str)> {
        // Blanks before a rule are allowed; a tab begins a line of a recipe.
        let lines = self.text.lines().filter(|line| !line.starts_with('\t')).map(|line| line.trim_start_matches(' '));
        let rules = lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(':'));
        let rules = rules.map(|(targets, rest)| (targets, rest.strip_prefix(':').unwrap_or(rest)));
        rules.filter(|(targets, rest)| !rest.starts_with('=') && !targets.contains('='))
    }

    /// The text that is first assigned to a variable.
    fn assigned(&self, variable: &str) -> Option<String> {
        let assignments = self.text.lines().filter_map(|line| line.split_once('='));
        let is_named = |name: &str| name.trim_start_matches(' ').trim_end_matches([':', '?', ' ', '\t']) == variable;
        let mut named = assignments.filter(|(name, _)| is_named(name));
        named.next().map(|(_, value)| value.to_owned())
    }
}

/// Whether a line of a recipe starts a program by a path below the Makefile's directory.
fn runs_program(line: &str) -> bool {
    line.split([' ', '\t', ';', '&', '|', '(']).any(|word| word.trim_start_matches(['@', '-', '+']).starts_with("./"))
}

/// Whether a rule sets a variable for its target instead of saying what that is made of.
fn sets_variable(rest: &str) -> bool {
    let name = rest.split_once('=').map(|(name, _)| name.trim_end_matches([':', '?', '+', ' ', '\t']));
    name.is_some_and(|name| name.trim_start().chars().all(|c| c.is_ascii_alphanumeric() || "_-. ".contains(c)))
}

/// A file's text with lines that go on in the next one joined, and an end of line at its end.
fn joined(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    Some(format!("{}\n", String::from_utf8_lossy(&bytes).replace("\\\n", " ")))
}

/// The text without what is for Windows alone: elsewhere no variable `OS` is set.
fn without_windows(text: &str) -> String {
    // Of each condition that a line is under: whether it holds, where that is known.
    let mut conditions: Vec<Option<bool>> = Vec::new();
    let mut left = String::new();
    for line in text.split_inclusive('\n') {
        let mut words = line.split_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let asks = ["$(OS)", "${OS}"].iter().any(|os| line.contains(os)) && line.contains("Windows_NT");
        match first {
            _ if line.starts_with('\t') => {}
            "ifeq" | "ifneq" => conditions.push(asks.then_some(first == "ifneq")),
            "ifdef" | "ifndef" => conditions.push(None),
            "endif" => {
                let _: Option<Option<bool>> = conditions.pop();
            }
            "else" => {
                let before = conditions.pop().flatten();
                // Behind a condition that holds nothing does; behind one that does not, another condition decides.
                conditions.push(before.map(|holds| !holds).filter(|holds| !holds || second.is_empty()));
            }
            _ => {}
        }
        if !conditions.contains(&Some(false)) {
            left.push_str(line);
        }
    }
    left
}

/// The files that a line includes.
fn included(line: &str) -> impl Iterator<Item = &str> {
    let mut words = line.split_whitespace();
    let includes = matches!(words.next(), Some("include" | "-include" | "sinclude")) && !line.starts_with('\t');
    words.filter(move |_| includes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn makes(files: &[(&str, &str)], target: &str) -> bool {
        let dir = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| fs::write(dir.path().join(name), text).unwrap());
        Makefile::of(dir.path()).is_some_and(|makefile| makefile.makes(target))
    }

    #[test]
    fn rules_are_found_however_they_are_written() {
        for text in [
            "all: x\ncheck: x\n\t./x\n",
            "check::\n",
            "test \\\n  check: x\n",
            "ifdef X\n  check: x\nendif\n",
            "prog:\ncheck:",
            "check : CFLAGS = -g\n",
        ] {
            assert!(makes(&[("Makefile", text)], "check"), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_rule_is_none() {
        for text in [
            ".PHONY: check\n",
            "check := x:y\n",
            "check ::= x\n",
            "check = a:b\n",
            "all:\n\tcheck: x\n",
            "# check: x\n",
            "all: check\n",
            "check-more: x\n",
        ] {
            assert!(!makes(&[("Makefile", text)], "check"), "{text}");
        }
    }

    fn written(text: &str) -> Makefile {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("Makefile"), text).unwrap();
        Makefile::of(dir.path()).unwrap()
    }

    #[test]
    fn sources_are_those_of_all_rules_with_variables_expanded() {
        let makefile =
            written("L = $(M) c\nM=a ${N}\nN = b\n.PHONY: all\nall: $(L) x | y # z\nall: CFLAGS = -g\nall: w ; echo\n");
        let sources: Vec<String> = ["a", "b", "c", "x", "y", "w"].map(str::to_owned).into();
        assert_eq!(makefile.sources("all"), Some(sources));
        assert_eq!(makefile.sources("none"), Some(Vec::new()));
        assert_eq!(makefile.goals().collect::<Vec<_>>(), ["all"]);
        for text in [
            "all: $(GONE)\n",
            "A = $(A)\nall: $(A)\n",
            "all: $(X:.c=.o)\n",
            "all: a$(X)\nX = b c\n",
            "all: a$(X)\n",
            "all: a$(X)\nX = @X@\n",
        ] {
            assert_eq!(written(text).sources("all"), None, "{text}");
        }
    }

    #[test]
    fn variables_stand_within_words_too() {
        let makefile =
            written("D = bin/\nE =\nall: $(D)test${E} a$(E)$(D).o $(E)$(E)\n$(D)test${E}: t.o\n\t${LINK} t.o\n");
        assert_eq!(makefile.sources("all"), Some(["bin/test", "abin/.o"].map(str::to_owned).into()));
        assert!(makefile.makes("bin/test") && makefile.makes_file("bin/test"));
    }

    #[test]
    fn a_rule_for_all_files_of_a_kind_is_no_goal() {
        let makefile = written("$(OBJ)%.o: %.c\n\tcc -c $<\np: a.o\nall: q\n");
        assert_eq!((makefile.goals().collect::<Vec<_>>(), makefile.first_made().as_deref()), (vec!["p"], Some("p")));
    }

    #[test]
    fn what_is_for_windows_alone_is_left_out() {
        let conditions = |first: &str| {
            format!("{first}\nE = .exe\nifdef X\nY = 1\nelse\nY = 2\nendif\nelse\nE =\nendif\nall: t$(E)\n")
        };
        for (first, made) in
            [("ifeq ($(OS),Windows_NT)", "t"), ("ifneq '${OS}' 'Windows_NT'", "t.exe"), ("ifeq ($(OS),Plan9)", "t.exe")]
        {
            assert_eq!(written(&conditions(first)).sources("all"), Some(vec![made.to_owned()]), "{first}");
        }
        let other = "ifeq ($(OS),Windows_NT)\nE = .exe\nelse ifdef MAC\nE = .app\nelse\nE =\nendif\nall: t$(E)\n";
        assert_eq!(written(other).sources("all"), Some(vec!["t.app".to_owned()]), "the first that may hold");
    }

    #[test]
    fn a_recipe_is_what_is_indented_behind_its_rule() {
        let makefile = written("a: b\n\tone\n\n# remark\n\ttwo: x\nb:\n\tthree\na c:\n\tfour\nX := a:\n\tfive\n");
        assert_eq!(makefile.recipe("a"), ["one", "two: x", "four"]);
        assert_eq!(makefile.recipe("b"), ["three"]);
        assert!(makefile.recipe("d").is_empty());
    }

    #[test]
    fn rules_that_only_run_something_make_no_file() {
        let makefile = written(
            ".PHONY: run\nrun: a\n\t./a > $@\na: a.c\n\t$(CC) -o $@ $<\nb: a\n\t./a\nc: c.o\nd: a b\n$(E): x\n\tcc -o $@\nE = e f\n",
        );
        let made = ["run", "a", "b", "c", "d", "e", "f", "g"].map(|name| makefile.makes_file(name));
        assert_eq!(made, [false, true, false, true, false, true, true, false]);
    }

    #[test]
    fn ends_of_a_variables_words_are_replaced() {
        let makefile = written("T = a.c b.c d\nall: $(T:.c=.o) ${T:%.c=x/%}\n");
        assert_eq!(makefile.sources("all"), Some(["a.o", "b.o", "d", "x/a", "x/b", "d"].map(str::to_owned).into()));
    }

    #[test]
    fn variables_are_set_by_their_whole_names() {
        for text in ["TESTS = a\n", "X = y\nTESTS += b\n", "if X\n  TESTS=a\nendif\n", "TESTS\t\t= a\n"] {
            assert!(written(text).sets("TESTS"), "{text}");
        }
        for text in [
            "TESTSUITE = $(srcdir)/testsuite\n",
            "EXTRA_DIST = TESTS\n",
            "MY_TESTS = a\n",
            "a: TESTS\n",
            "a:\n\tTESTS=b ./a\n",
        ] {
            assert!(!written(text).sets("TESTS"), "{text}");
        }
    }

    #[test]
    fn included_files_are_read_and_circles_end() {
        let main = ("Makefile", "-include a.mk $(OTHER) gone.mk\nall: x\n");
        assert!(makes(&[main, ("a.mk", "include a.mk Makefile\ncheck: x\n")], "check"));
    }

    #[test]
    fn the_file_is_the_one_that_make_reads() {
        assert!(makes(&[("Makefile", "all:\n"), ("GNUmakefile", "check:\n")], "check"));
        assert!(!makes(&[("Makefile", "all:\n"), ("Makefile.in", "check:\n")], "check"));
        assert!(makes(&[("Makefile.in", "check:\n")], "check"));
        assert!(makes(&[("makefile.in", "check:\n")], "check"));
    }

    #[test]
    fn gnu_make_reads_no_file_of_bsds() {
        for line in [".include <bsd.prog.mk>", ".if(X)", ".endif"] {
            let bsd = ("Makefile", format!("PROG= x\n{line}\n"));
            assert!(makes(&[(bsd.0, &bsd.1), ("makefile.in", "check:\n")], "check"), "{line}");
            assert!(!makes(&[(bsd.0, &bsd.1)], "check"), "{line}");
        }
        assert!(!makes(&[("Makefile", ".include: x\nall:\n\t.if\n"), ("makefile.in", "check:\n")], "check"));
    }

    #[test]
    fn a_file_that_is_to_be_included_has_to_be_there() {
        let dir = tempfile::tempdir().unwrap();
        let lacks = |text: &str| {
            fs::write(dir.path().join("Makefile"), text).unwrap();
            Makefile::of(dir.path()).unwrap().lacks_included(dir.path())
        };
        assert!(lacks("include Makefile Makefile.configure\n"));
        for text in ["include Makefile\n", "-include gone\n", "include $(GONE)\n", "all:\n\tinclude gone\n"] {
            assert!(!lacks(text), "{text}");
        }
    }
}
