//! A Makefile as text: what shows of it without running make, which would run code of the project.

use std::fs;
use std::path::Path;

/// What make reads in a directory, the first that is there; then what `configure` makes that of.
const NAMES: [&str; 4] = ["GNUmakefile", "makefile", "Makefile", "Makefile.in"];
/// Files that one Makefile may include, so that no circle of them is followed for ever.
const MOST_INCLUDED: usize = 20;

/// A Makefile with what it includes by plain names.
#[derive(Debug)]
pub(super) struct Makefile {
    /// Its name in its directory.
    pub(super) name: &'static str,
    /// Its lines, with those that go on in the next one joined.
    text: String,
}

impl Makefile {
    /// The one of a directory.
    pub(super) fn of(dir: &Path) -> Option<Makefile> {
        NAMES.into_iter().find_map(|name| Makefile::read(dir, name))
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
        Some(Makefile { name, text })
    }

    /// Whether there is a rule for a target.
    pub(super) fn makes(&self, target: &str) -> bool {
        self.rules().any(|(targets, _)| targets.split_whitespace().any(|made| made == target))
    }

    /// What its first rule makes, or what `all` asks for first: a plain name, or that of a variable that is one.
    pub(super) fn first_made(&self) -> Option<String> {
        let is_plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || "_-+.".contains(c));
        let named = |word: &str| {
            let variable = word.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
            let text = variable.map_or(Some(word.to_owned()), |variable| self.assigned(variable))?;
            text.split_whitespace().next().filter(is_plain).map(str::to_owned)
        };
        let (targets, sources) = self.rules().find(|(targets, _)| !targets.starts_with('.'))?;
        match targets.trim() {
            "all" | "default" => named(sources.split_whitespace().next()?),
            target => named(target),
        }
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
        let mut named = assignments.filter(|(name, _)| name.trim_end_matches([':', '?', ' ', '\t']) == variable);
        named.next().map(|(_, value)| value.to_owned())
    }
}

/// A file's text with lines that go on in the next one joined, and an end of line at its end.
fn joined(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    Some(format!("{}\n", String::from_utf8_lossy(&bytes).replace("\\\n", " ")))
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
    }
}
