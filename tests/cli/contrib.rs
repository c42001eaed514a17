//! The templates in contrib/: each command line in them is one that suspect takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::project::{Project, text, tool};

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
pub fn commands(text: &str) -> Vec<(String, Vec<String>)> {
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
            let options = words[at + 2..]
                .iter()
                .filter(|word| word.starts_with("--"))
                .map(|word| word.split_once('=').map_or(*word, |(name, _)| name).to_string());
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

/// The lines of a job's script in a file for GitLab.
fn script(text: &str, job: &str) -> String {
    let of_job = text.lines().skip_while(|line| *line != format!("{job}:"));
    let lines = of_job.skip_while(|line| line.trim() != "script:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("    "));
    lines.filter_map(|line| line.trim_start().strip_prefix("- ")).collect::<Vec<_>>().join("\n")
}

/// Runs a job as GitLab's runner does: all lines in one shell, which ends where one fails.
fn job(project: &Project, name: &str, variables: &[(&str, &str)]) -> Output {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib/gitlab/suspect.gitlab-ci.yml");
    let script = script(&fs::read_to_string(path).unwrap(), name);
    assert!(script.contains("suspect "), "{name}: {script}");
    let tools = tool().parent().unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-eo", "pipefail", "-c", &script]).current_dir(project.path()).env("PATH", path);
    command.envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn jobs_of_the_gitlab_template_end_well_whether_or_not_a_test_fails() {
    let program = "int main(int argc, char **argv) { int left = argc > 2; return left + (argv[1][0] == 'f'); }\n";
    for (lines, fails) in [("p\nq\n", false), ("p\nf\nq\n", true)] {
        let project = Project::new();
        project
            .write("prog.c", program)
            .write("tests.txt", lines)
            .write("Makefile", "prog: prog.c\n\tcc -o prog prog.c\n");
        project.write("suspect.toml", "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\n");
        let night = job(&project, "suspect-night", &[]);
        assert!(night.status.success(), "{}", text(&night));
        let copy = |from: &str, to: &str| {
            let copied = Command::new("cp").args(["-a", from, to]).current_dir(project.path()).status().unwrap();
            assert!(copied.success());
        };
        copy(".suspect", "of-the-night");
        for number in ["1", "2"] {
            let part = job(&project, "suspect-part", &[("CI_NODE_INDEX", number), ("CI_NODE_TOTAL", "2")]);
            assert!(part.status.success(), "{}", text(&part));
            assert_eq!(project.path().join(format!("part-{number}")).exists(), fails);
            let _ = fs::remove_dir_all(project.path().join(".suspect"));
            copy("of-the-night", ".suspect");
        }
        let joined = job(&project, "suspect-joined", &[]);
        assert!(joined.status.success(), "{}", text(&joined));
        assert_eq!(text(&joined).contains("prog.c:1"), fails, "{}", text(&joined));
    }
}
