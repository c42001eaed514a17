//! `suspect mine`, on a history of our own.

use std::fs;
use std::process::Command;

use crate::project::Project;

const FIRST: &str = "\
#include <stdio.h>
#include <stdlib.h>
#define MOST 9
static int clamp(int value)
{
    if (value > MOST)
        value = MOST;
    return value;
}
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 1; i < argc; i++)
        sum += clamp(atoi(argv[i]));
    printf(\"%d\\n\", sum);
    return 0;
}
";

fn git(project: &Project, arguments: &[&str]) {
    let identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"];
    let mut command = Command::new("git");
    let status = command.args(identity).args(arguments).current_dir(project.path()).output().unwrap();
    assert!(status.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&status.stderr));
}

fn commit(project: &Project, subject: &str, files: &[(&str, &str)]) {
    for (name, text) in files {
        project.write(name, text);
    }
    git(project, &["add", "-A"]);
    git(project, &["commit", "-q", "-m", subject]);
}

/// A history of seven commits, of which two mend what the tests notice.
fn history() -> Project {
    let project = Project::new();
    git(&project, &["init", "-q", "."]);
    let makefile = "sum: sum.c\n\t$(CC) -g -o sum sum.c\n";
    let tests = |lines: &str| lines.to_owned();
    let toml = "[build]\ncommand = \"make\"\n[[suite]]\nkind = \"cases\"\ninputs = \"tests/*.in\"\nrun = \"./sum $(cat {input})\"\n\
                expect = \"tests/{stem}.out\"\n";
    commit(
        &project,
        "The first one",
        &[
            ("sum.c", FIRST),
            ("Makefile", makefile),
            ("suspect.toml", toml),
            ("tests/one.in", "1 2"),
            ("tests/one.out", "3\n"),
            ("tests/big.in", "10 1"),
            ("tests/big.out", "10\n"),
        ],
    );
    let negative = FIRST.replace("    return value;", "    if (value < 0)\n        value = 0;\n    return value;");
    commit(
        &project,
        "Fix negative numbers",
        &[("sum.c", &negative), ("tests/minus.in", "-1 2"), ("tests/minus.out", "2\n")],
    );
    let renamed =
        negative.replace("int sum = 0", "int total = 0").replace("sum +=", "total +=").replace("\", sum", "\", total");
    commit(&project, "Rename the sum", &[("sum.c", &renamed)]);
    commit(&project, "Break the limit", &[("sum.c", &renamed.replace("value > MOST", "value > MOST + 1"))]);
    commit(&project, "Fix the limit", &[("sum.c", &renamed)]);
    commit(&project, "Say more", &[("README", &tests("Sums.\n"))]);
    commit(&project, "Add a file", &[("other.c", "int other;\n")]);
    project
}

#[test]
fn mended_faults_become_a_benchmark_that_is_evaluated() {
    let project = history();
    let mined = project.path().join("mined");
    let said = project.succeed(&["mine", ".", "--output", "mined"]);
    assert!(said.contains("2 faults of 5 commits"), "{said}");
    assert!(said.contains("2 no test notices") && said.contains("1 add or remove files"), "{said}");
    let mut programs: Vec<String> = fs::read_dir(&mined)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("eval.toml"))
        .filter(|path| path.is_file())
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    programs.sort_by_key(|text| text.contains("Fix the limit"));
    assert_eq!(programs.len(), 2);
    assert!(
        programs[0].contains("omitted = [\"sum.c:7\", \"sum.c:8\"]") && programs[0].contains("class = \"omitted\""),
        "{}",
        programs[0]
    );
    assert!(programs[1].contains("changed = [\"sum.c:6\"]") && programs[1].contains("[rank]"), "{}", programs[1]);
    // The work tree is as it was, and nothing half-written is left.
    assert!(!project.path().join("sum").exists());
    assert!(fs::read_dir(&mined).unwrap().all(|entry| !entry.unwrap().file_name().to_string_lossy().starts_with('.')));
    let report = project.succeed(&["eval", "mined", "--methods", "ochiai"]);
    assert!(report.contains("all programs: 2 versions ranked by line, 0 left out"), "{report}");
    assert!(report.lines().last().unwrap().starts_with("ochiai has the fault first in "), "{report}");
    // What is known is not tried again.
    let again = project.succeed(&["mine", ".", "--output", "mined", "--budget", "0"]);
    assert!(again.contains("2 faults of 5 commits") && again.contains("0 commits left"), "{again}");
}

#[test]
fn mining_goes_on_and_obeys_its_bounds() {
    let project = history();
    let first = project.succeed(&["mine", ".", "--output", "mined", "--count", "1"]);
    assert!(first.contains("1 fault of 1 commits; 4 commits left"), "{first}");
    // Also from a repository without a work tree.
    git(&project, &["clone", "-q", "--bare", ".", "bare.git"]);
    let rest = project.succeed(&["mine", "bare.git", "--output", "mined", "--since", "HEAD~4"]);
    assert!(rest.contains("2 faults of") && rest.contains("bare-"), "{rest}");
    let journal = fs::read_to_string(project.path().join("mined/mined.jsonl")).unwrap();
    assert!(journal.contains("\"subject\":\"Fix negative numbers\""), "{journal}");
}

#[test]
fn mining_goes_on_where_it_was_killed_before_its_last_note() {
    let project = history();
    project.succeed(&["mine", ".", "--output", "mined", "--count", "1"]);
    let journal = project.path().join("mined/mined.jsonl");
    assert!(fs::read_to_string(&journal).unwrap().contains("\"outcome\":\"kept\""));
    fs::write(&journal, "").unwrap();
    let said = project.succeed(&["mine", ".", "--output", "mined", "--count", "1"]);
    assert!(said.contains("1 fault of 1 commits"), "{said}");
}

#[test]
fn commits_whose_files_are_not_there_are_left_out() {
    let project = history();
    let sources = Command::new("git").args(["rev-parse", "HEAD~5:sum.c"]).current_dir(project.path()).output().unwrap();
    let id = String::from_utf8(sources.stdout).unwrap();
    let (directory, file) = id.trim().split_at(2);
    fs::remove_file(project.path().join(".git/objects").join(directory).join(file)).unwrap();
    let said = project.succeed(&["mine", ".", "--output", "mined"]);
    assert!(said.contains("1 fault of"), "{said}");
    assert!(said.contains("2 have files that this copy of the repository lacks"), "{said}");
}

#[test]
fn what_cannot_be_mined_is_said() {
    let project = Project::new();
    let said = project.fail(&["mine", ".", "--output", "mined"], 1);
    assert!(said.contains("no git repository"), "{said}");
    let project = history();
    let said = project.fail(&["mine", ".", "--output", "mined", "--since", "nowhere"], 1);
    assert!(said.contains("nowhere"), "{said}");
    let said = project.fail(&["mine", ".", "--output", "mined", "--build", "false", "--budget", "60s"], 4);
    assert!(said.contains("do not build"), "{said}");
}
