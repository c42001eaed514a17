//! `suspect --help`.

/// Command lines that `suspect --help` and its man page show.
pub(super) const EXAMPLES: &str =
    "Examples:\n  suspect\n  suspect --watch\n  suspect build -- make -j$(nproc) && suspect test && suspect rank";

/// `suspect --help`: the verbs by what they are for, on one screen.
pub(super) const HELP: &str = "\
Says which lines of a C program are probably to blame for a failing test.

Usage: suspect [-C DIR] [--watch | VERB ...]

Every day
  (no verb)  whatever is due: suspect.toml, build, tests, the lines to blame
  init       write a suspect.toml for the build and the tests found here
  build      run the project's own build with instrumenting compilers
  test       run the tests and record what each did
  rank       the lines to blame, and the change that mends what fails
  explain    how one failure comes about, step by step
  replay     repeat a claim, or print it as a patch
  report     everything as a page, SARIF, JUnit, Markdown, JSON, ...
  try        rank the lines behind one command, without suspect.toml
  doctor     look at compiler, plugin and programs, and say what to do

In CI              run, diff, merge, bisect-step
Grading the tests  mutants, hom, seed, mine, eval
Research           mutate, graph, slice, ask, methods, study
Others             glossary, dump, completions, man, help

Options: -C DIR (work there), --watch (again after each save), -h, -V
`suspect VERB --help` has the options and examples of a verb.
Examples: suspect
          suspect try --fail 'bin/prog < bad.txt' --expect good.txt
";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::args::Arguments;

    #[test]
    fn help_names_every_verb_on_one_screen() {
        assert!(HELP.lines().count() <= 25 && HELP.lines().all(|line| line.len() <= 80), "{HELP}");
        let words: Vec<&str> = HELP.split(|letter: char| !letter.is_alphanumeric() && letter != '-').collect();
        let command = Arguments::command();
        let missing: Vec<&str> =
            command.get_subcommands().map(clap::Command::get_name).filter(|name| !words.contains(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
