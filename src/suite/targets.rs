//! `targets = true`: targets of a Makefile that a target of tests only names, each a test: `check: add divide`, `add: ; sh add.sh`. Where it names
//! none, the [commands](super::commands) of its recipe.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::SuiteError;
use super::commands::{self, Group};
use super::load::Listing;
use super::makefile::Makefile;
use super::started::SAID;
use crate::exec::Command;

/// What a database of make's begins its rules with.
const RULES: &str = "# Files";
/// In front of a name that is no target, and of a target that is no file.
const NO_TARGET: &str = "# Not a target:";
const PHONY: &str = "#  Phony target";
/// Words of a recipe that makes the file of its target's name.
const MAKES: [&str; 3] = ["$@", "$(@", "${@"];
/// What makes more of a command that only says something.
const MORE: [char; 6] = ['|', '&', ';', '<', '>', '`'];
/// Options of make that have a value behind them.
const VALUED: [&str; 2] = ["-C", "-f"];

/// A call of make for one target.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call<'c> {
    /// All in front of the target.
    words: Vec<&'c str>,
    target: &'c str,
}

impl<'c> Call<'c> {
    /// The call that a shell command is; nothing where it is something else, or has several targets.
    pub(super) fn parse(command: &'c str) -> Option<Call<'c>> {
        let is_plain = |c: char| c.is_alphanumeric() || " -_./=+:,@%".contains(c);
        let words: Vec<&str> = command.split_whitespace().collect();
        let (first, target) = (words.first()?, words.last()?);
        let is_value = |at: usize| at > 0 && VALUED.contains(&words[at - 1]);
        let goals =
            (1..words.len()).filter(|at| !is_value(*at) && !words[*at].starts_with('-') && !words[*at].contains('='));
        let is_call = ["make", "gmake"].contains(first) && command.chars().all(is_plain);
        (is_call && goals.eq([words.len() - 1])).then(|| Call { words: words[..words.len() - 1].to_vec(), target })
    }

    /// The directory where the Makefile is, seen from where make is called.
    fn dir(&self) -> &'c str {
        self.words.iter().zip(self.words.iter().skip(1)).find(|(word, _)| **word == "-C").map_or(".", |(_, dir)| *dir)
    }

    fn all_words(&self) -> impl Iterator<Item = &'c str> {
        self.words.iter().copied().chain([self.target])
    }

    /// The targets that its target consists of.
    fn targets(&self, listing: &Listing) -> Result<Vec<String>, SuiteError> {
        // A goal that is there without anything to be done: the rules are shown, and no recipe is run.
        let asked = self.words.iter().copied().chain(["--no-print-directory", "-pq", ":"]);
        let mut ask = Command { ..listing.tool(asked) };
        ask.env.set("LC_ALL", "C");
        let outcome = listing.try_tool(&ask)?;
        let text = String::from_utf8_lossy(&outcome.stdout.bytes);
        let dir = listing.dir.join(self.dir());
        let parts = Rules::of(&text).parts(self.target, |name| dir.join(name).exists());
        Ok(parts.into_iter().map(str::to_owned).collect())
    }

    /// The command for another target.
    fn of(&self, target: &str) -> String {
        format!("{} {target}", self.words.join(" "))
    }

    /// Whether its target may consist of others or of several commands, as far as the text of the Makefile in `dir` shows.
    pub(super) fn may_have_parts(&self, dir: &Path) -> bool {
        let Some(makefile) = Makefile::of(&dir.join(self.dir())) else { return false };
        let parts = makefile.sources(self.target);
        let recipe = makefile.recipe(self.target);
        if recipe.iter().any(|line| !only_says(line)) {
            return !makefile.exports() && !makefile.sets("SHELL");
        }
        parts.is_none_or(|parts| parts.iter().any(|part| makefile.makes(part) && !makefile.makes_file(part)))
    }
}

/// The parts of a test that calls make; the only one is the start of a program.
///
/// # Errors
/// When make cannot be started.
pub(super) fn list(listing: &Listing, command: &str) -> Result<Vec<Group>, SuiteError> {
    let Some(call) = Call::parse(command) else { return Ok(Vec::new()) };
    let parts = call.targets(listing)?;
    if parts.len() > 1 {
        let part = |part: String| Group { line: call.of(&part), name: part, dir: listing.dir.clone() };
        return Ok(parts.into_iter().map(part).collect());
    }
    let may_be_commands = call.may_have_parts(&listing.dir);
    if may_be_commands { commands::list(listing, call.all_words()) } else { Ok(Vec::new()) }
}

/// What make knows about its targets.
#[derive(Debug, Default)]
struct Rules<'t> {
    rules: BTreeMap<&'t str, Rule<'t>>,
}

#[derive(Debug, Default)]
struct Rule<'t> {
    sources: Vec<&'t str>,
    recipe: Vec<&'t str>,
    is_phony: bool,
}

impl<'t> Rules<'t> {
    /// Those of a database, as make prints it.
    fn of(database: &'t str) -> Rules<'t> {
        let mut rules: BTreeMap<&str, Rule> = BTreeMap::new();
        let mut lines = database.lines().skip_while(|line| *line != RULES);
        while let Some(line) = lines.next() {
            if line == NO_TARGET {
                lines.by_ref().find(|line| line.is_empty());
                continue;
            }
            let Some((target, sources)) = line.split_once(':').filter(|_| !line.starts_with(['#', '\t'])) else {
                continue;
            };
            let rule = rules.entry(target).or_default();
            rule.sources.extend(sources.split_whitespace().filter(|word| !["|", ":"].contains(word)));
            for line in lines.by_ref().take_while(|line| !line.is_empty()) {
                rule.is_phony |= line.starts_with(PHONY);
                rule.recipe.extend(line.strip_prefix('\t'));
            }
        }
        Rules { rules }
    }

    /// The targets with a recipe that one consists of, in the order of their names in its rules: what is made on the way is none, nor is a file that
    /// `exists`.
    fn parts(&self, target: &str, exists: impl Fn(&str) -> bool) -> Vec<&'t str> {
        let (mut parts, mut seen) = (Vec::new(), BTreeSet::new());
        let mut due: Vec<&str> = self.named_by(target);
        while let Some(name) = due.pop() {
            let Some(rule) = self.rules.get(name).filter(|rule| seen.insert(name) && (rule.is_phony || !exists(name)))
            else {
                continue;
            };
            let makes_file = !rule.is_phony && rule.recipe.iter().any(|line| writes(line, name));
            match rule.recipe.iter().all(|line| only_says(line)) {
                true => due.extend(self.named_by(name)),
                false if makes_file => {}
                false => parts.push(name),
            }
        }
        parts
    }

    /// What a target names, the last first; nothing if its own recipe does something.
    fn named_by(&self, target: &str) -> Vec<&'t str> {
        let rule = self.rules.get(target).filter(|rule| rule.recipe.iter().all(|line| only_says(line)));
        rule.map_or(Vec::new(), |rule| rule.sources.iter().rev().copied().collect())
    }
}

/// Whether a line of a recipe makes the file of its target's name, which is no test once it is there.
fn writes(line: &str, target: &str) -> bool {
    let mut words = line.split(|c: char| c.is_whitespace() || c == '>');
    words.any(|word| word == target) || MAKES.iter().any(|made| line.contains(made))
}

/// Whether a line of a recipe only says something.
fn only_says(line: &str) -> bool {
    let line = line.trim().trim_start_matches(['@', '-', '+']).trim();
    line.split_whitespace().next().is_none_or(|word| SAID.contains(&word)) && !line.contains(MORE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DATABASE: &str = "make: *** No rule to make target ':'.  Stop.\n# Make data base\ncheck: no\n# Files\n\n# Not a target:\n.cpp:\n\tcc\n\n\
        check: units prog scripts got\n#  Phony target (prerequisite of .PHONY).\n#  recipe to execute (from 'Makefile', line 3):\n\t@echo all pass\n\n\
        units: head add | dir\n#  File does not exist.\n\nhead:\n#  recipe to execute:\n\t@printf '%s' tests\n\n\
        add: prog\n#  recipe to execute:\n\t@sh add.sh $(P)\n\nprog: prog.c\n#  recipe to execute:\n\tcc -o prog prog.c\n\n\
        dir:\n\tmkdir $@\n\ngot: prog\n\t./prog >got\n\nscripts::\n#  Phony target\n\t./prog < in | cmp - out\n\n# files hash-table stats:\n# Load=1/2\n";

    fn parts(target: &str) -> Vec<&'static str> {
        Rules::of(DATABASE).parts(target, |name| ["prog", "prog.c", "scripts"].contains(&name))
    }

    #[test]
    fn a_target_consists_of_what_it_names_that_does_something() {
        assert_eq!(parts("check"), ["add", "scripts"]);
        assert_eq!(parts("units"), ["add"]);
        assert_eq!(parts("add"), [""; 0]);
        assert_eq!(parts("none"), [""; 0]);
    }

    #[test]
    fn a_call_of_make_has_one_target() {
        let parsed = |command| Call::parse(command).map(|call| (call.dir(), call.of("x")));
        assert_eq!(parsed("make check"), Some((".", "make x".to_owned())));
        assert_eq!(parsed("make -s -C t V=1 test"), Some(("t", "make -s -C t V=1 x".to_owned())));
        for other in ["make", "make a b", "make -C t", "ninja test", "make test | cat", "make check; true", ""] {
            assert_eq!(parsed(other), None, "{other}");
        }
    }

    #[test]
    fn targets_that_name_each_other_end() {
        let text = "# Files\na: b\n\nb: a c\n\nc:\n\t./c\n";
        assert_eq!(Rules::of(text).parts("a", |_| false), ["c"]);
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "(# Files\n)?([ab#:|\t$@\n]{0,60})") {
            let _ = Rules::of(&text).parts("a", |_| false);
            let _ = Call::parse(&text);
        }
    }
}
