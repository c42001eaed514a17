//! Directories that recipes leave to another make: `$(MAKE) -C tests`, or each of a loop, `for d in lib tests; do (cd $$d && $(MAKE) $@); done`.

use super::makefile::Makefile;

/// How the project's make is called by what it runs.
const MAKES: [&str; 2] = ["$(MAKE)", "${MAKE}"];
/// Variables that one word of the list may name one in the other, so that no circle of them is followed for ever.
const NESTED: u32 = 5;

/// Whether recipes leave a directory to another make.
pub(super) fn goes_to(recipes: &str, dir: &str) -> bool {
    let spaced = recipes.replace([';', '&'], " ");
    let bare = |word: &'_ str| word.trim_start_matches(['@', '+', '(']).trim_end_matches('/').to_owned();
    let words: Vec<String> = spaced.split_whitespace().map(bare).collect();
    let goes_there = |pair: &[String]| pair[0] == "-C" && pair[1] == dir;
    let makes_there = |words: &[String]| {
        words[0] == "cd" && words[1] == dir && ["$(MAKE", "${MAKE}", "make"].contains(&words[2].trim_end_matches(')'))
    };
    words.windows(2).any(goes_there) || words.windows(3).any(makes_there)
}

/// A line of a recipe in which such a loop is replaced by what it does in each directory; where the list does not show, it stays as it is.
pub(super) fn unrolled(makefile: &Makefile, line: &str) -> String {
    parts(line).and_then(|parts| parts.unrolled(makefile)).unwrap_or_else(|| line.to_owned())
}

/// The first loop of a line, with what stands around it.
struct Parts<'l> {
    before: &'l str,
    variable: &'l str,
    list: &'l str,
    body: &'l str,
    after: &'l str,
}

fn parts(line: &str) -> Option<Parts<'_>> {
    let (before, rest) = match line.trim_start_matches(['@', '-', '+', ' ']).strip_prefix("for ") {
        Some(rest) => ("", rest),
        None => line.split_once(" for ")?,
    };
    let (variable, rest) = rest.split_once(" in ")?;
    let (list, rest) = rest.split_once(';')?;
    let (body, after) = rest.trim_start().strip_prefix("do ")?.rsplit_once("done")?;
    Some(Parts { before, variable: variable.trim(), list, body, after })
}

impl Parts<'_> {
    fn unrolled(&self, makefile: &Makefile) -> Option<String> {
        let goes_on = MAKES.iter().any(|make| self.body.contains(make));
        let names = goes_on.then(|| makefile.expanded(self.list, NESTED)).flatten()?;
        let names_of_each = ["$$", "$${"].map(|begin| format!("{begin}{}", self.variable));
        let in_one = |name: &String| {
            let braced = self.body.replace(&format!("{}}}", names_of_each[1]), name);
            braced.replace(&names_of_each[0], name)
        };
        let bodies: Vec<String> = names.iter().map(in_one).collect();
        Some([self.before, &bodies.join(" "), self.after].join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_target::{CheckTarget, Runs};
    use super::*;

    #[test]
    fn a_loop_that_hands_on_to_make_is_done_for_each_directory() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Makefile"), "DIRS = lib $(MORE)\nMORE = t\nall:\n").unwrap();
        let makefile = Makefile::of(dir.path()).unwrap();
        let words = |line: &str| unrolled(&makefile, line).split_whitespace().collect::<Vec<_>>().join(" ");
        for (line, does) in [
            (
                "set -e; for d in $(DIRS); do (cd $$d && $(MAKE) $@); done",
                "set -e; (cd lib && $(MAKE) $@); (cd t && $(MAKE) $@);",
            ),
            (
                "@for dir in a b ; do ${MAKE} -C $${dir} x || exit 1; done; ls",
                "${MAKE} -C a x || exit 1; ${MAKE} -C b x || exit 1; ; ls",
            ),
        ] {
            assert_eq!(words(line), does);
        }
        for line in [
            "for t in a b; do sh $$t; done",
            "for d in $(GONE); do $(MAKE) -C $$d; done",
            "sh all.sh for each in it",
            "ls",
        ] {
            assert_eq!(words(line), line);
        }
    }

    #[test]
    fn programs_of_tests_are_made_in_a_directory_of_a_loop() {
        let dir = tempfile::tempdir().unwrap();
        let top = "SUBDIRS = lib testsuite\nall check:\n\t$(MAKE) $@-here\n\tset -e; for d in $(SUBDIRS); do \\\n\t\t(cd $$d && $(MAKE) $@); done\n";
        std::fs::create_dir(dir.path().join("testsuite")).unwrap();
        std::fs::write(dir.path().join("Makefile"), top).unwrap();
        std::fs::write(dir.path().join("testsuite/Makefile"), "all:\ncheck: unit\n\t./run unit\n").unwrap();
        let check = CheckTarget::all(dir.path()).remove(0);
        assert_eq!(check.also.as_deref(), Some("make -C testsuite -j$(nproc) unit"));
        assert_eq!((check.build, check.runs), (None, Runs::Command("make check".to_owned())));
    }
}
