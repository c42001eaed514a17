//! Screens that the documents show: each command in a `console` block writes the lines that stand below it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::all_evidence::{AMONG_OTHERS, parcel_run};
use crate::contrib::commands;
use crate::project::{Project, text};

/// Commands of a document's `console` blocks, each with the lines that it should write.
fn screens(document: &str) -> Vec<(String, Vec<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        match (inside, line.strip_prefix("$ ")) {
            (false, _) => inside = line == "```console",
            (true, _) if line == "```" => inside = false,
            (true, Some(command)) => found.push((command.to_string(), Vec::new())),
            (true, None) => found.last_mut().expect("a command comes first").1.push(line.to_string()),
        }
    }
    found
}

/// The first line that `written` lacks; `...` stands for any lines.
fn missing<'a>(expected: &'a [String], written: &str) -> Option<&'a [String]> {
    let mut rest: Vec<&str> = written.lines().map(str::trim_end).collect();
    for chunk in expected.split(|line| line == "...").filter(|chunk| !chunk.is_empty()) {
        let at = rest.windows(chunk.len()).position(|window| window.iter().zip(chunk).all(|(a, b)| *a == b.trim_end()));
        match at {
            Some(at) => rest = rest.split_off(at + chunk.len()),
            None => return Some(chunk),
        }
    }
    None
}

/// Runs the commands of a document's screens one after the other in the project of parcels.
fn check(document: &str, fewest: usize) {
    let project = parcel_run(AMONG_OTHERS);
    let bin = Path::new(env!("CARGO_BIN_EXE_suspect")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(bin.to_path_buf()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let path = path.unwrap();
    let screens = screens(document);
    assert!(screens.len() >= fewest, "{document} has {} screens", screens.len());
    for (command, expected) in screens {
        let line = format!("exec 2>&1; {command}");
        let output = Command::new("sh").args(["-c", &line]).current_dir(project.path()).env("PATH", &path).output();
        let written = text(&output.unwrap());
        let missing = missing(&expected, &written);
        assert!(
            missing.is_none(),
            "{document}: `{command}` writes no\n{}\nbut\n{written}",
            missing.unwrap().join("\n")
        );
    }
}

#[test]
fn the_readme_shows_what_commands_write() {
    check("README.md", 3);
}

#[test]
fn the_guide_shows_what_commands_write() {
    check("docs/guide.md", 3);
}

/// Lines of a document's blocks without their comments, and pieces of code in its prose that are commands.
fn code(text: &str) -> String {
    let mut fenced = false;
    let mut found = String::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            let commands = line.split(" #").next().unwrap_or_default().split(['&', ';']);
            let commands = commands.map(|command| command.trim_start().trim_start_matches("$ "));
            found
                .extend(commands.filter(|command| command.starts_with("suspect ")).flat_map(|command| [command, "\n"]));
        } else {
            let pieces = line.split('`').skip(1).step_by(2).filter(|piece| piece.starts_with("suspect "));
            found.extend(pieces.flat_map(|piece| [piece, "\n"]));
        }
        found.push('\n');
    }
    found
}

#[test]
fn command_lines_of_the_documents_are_understood() {
    let project = Project::new();
    let mut help: BTreeMap<String, String> = BTreeMap::new();
    let mut seen = 0;
    let docs =
        ["guide", "reference", "limits", "glossary", "troubleshooting", "eval"].map(|name| format!("docs/{name}.md"));
    for document in ["README.md", "CONTRIBUTING.md"].map(String::from).into_iter().chain(docs) {
        let written = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&document)).unwrap();
        for (verb, options) in commands(&code(&written)) {
            let help = help.entry(verb.clone()).or_insert_with(|| {
                let output = project.suspect(&[&verb, "--help"]);
                assert!(output.status.success(), "{document}: suspect {verb}");
                text(&output)
            });
            for option in options {
                assert!(help.contains(&option), "{document}: suspect {verb} has no {option}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 60 && help.len() >= 20, "{seen} command lines of {} commands", help.len());
}

#[test]
fn lines_that_are_left_out_are_any() {
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
    assert_eq!(missing(&lines("a\n...\nd"), "a\nb\nc\nd"), None);
    assert_eq!(missing(&lines("a\nc"), "a\nb\nc"), Some(&lines("a\nc")[..]));
    assert_eq!(missing(&lines("d\n...\na"), "a\nd"), Some(&lines("a")[..]));
}
