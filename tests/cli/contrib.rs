//! The templates in contrib/: each command line in them is one that suspect takes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{Project, text};

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path)),
            path => found.push(path),
        }
    }
    found
}

/// The verb and the options of each command line of suspect in a text.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for line in text.lines() {
        // A list of words in YAML is a command line as well.
        let line = line.replace(['"', ',', '[', ']', '\'', ')'], " ");
        for command in line.split("&&") {
            let words: Vec<&str> = command.split_whitespace().take_while(|word| *word != "--").collect();
            let Some(at) = words.iter().position(|word| *word == "suspect") else { continue };
            let Some(verb) = words.get(at + 1).filter(|verb| verb.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
            else {
                continue;
            };
            let options = words[at + 2..].iter().filter(|word| word.starts_with("--")).map(|word| word.to_string());
            found.push((verb.to_string(), options.collect()));
        }
    }
    found
}

#[test]
fn command_lines_of_the_templates_are_understood() {
    let project = Project::new();
    let mut seen = 0;
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib")) {
        let is_code = path.extension().is_none_or(|extension| extension != "md");
        for (verb, options) in commands(&fs::read_to_string(&path).unwrap()).into_iter().filter(|_| is_code) {
            // Names of jobs, and words about it.
            let output = project.suspect(&[&verb, "--help"]);
            assert!(output.status.success(), "{}: suspect {verb}", path.display());
            let help = text(&output);
            for option in options {
                assert!(help.contains(&option), "{}: suspect {verb} has no {option}", path.display());
            }
            seen += 1;
        }
    }
    assert!(seen >= 20, "{seen}");
}
