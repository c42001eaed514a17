//! `[ranges]` of suspect.toml: what mutants of a value may be.

use crate::project::Project;

const SOURCE: &str = "int printf(const char *, ...);
int atoi(const char *);
int main(int argc, char **argv) {
    int n = atoi(argv[argc - 1]);
    double x = n / 4.0;
    printf(\"%d %f\\n\", n, x);
    return n > 100;
}
";

const SUITE: &str = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./p {line}\"\n";

fn built(ranges: &str) -> Project {
    let project = Project::new();
    project.write("p.c", SOURCE).write("tests.txt", "1\n2\n3\n4\n5\n6\n7\n");
    project.write("suspect.toml", &format!("[ranges]\n{ranges}\n\n{SUITE}"));
    project.succeed(&["build", "--", "cc", "-O0", "-o", "p", "p.c"]);
    project.succeed(&["test"]);
    project
}

/// How many trials of the value in a line there are with 30 samples.
fn trials(project: &Project, place: &str) -> u64 {
    let said = project.succeed(&["mutate", "--tests", "all", "--samples", "30", "--nodes", place]);
    said.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{said}"))
}

#[test]
fn values_of_interventions_are_those_of_the_range() {
    let project = built("\"main:n\" = [0, 5]");
    // Seven tests get six values each; five of them have one of these anyway.
    assert_eq!(trials(&project, "p.c:4"), 7 * 6 - 5);
    // Of what no range is stated other values are taken, with neighbours.
    assert!(trials(&project, "p.c:5") > 7 * 6);
    // With other ranges the same names mean other values: earlier trials do not count.
    project.write("suspect.toml", &format!("[ranges]\n\"main:n\" = [0, 1]\n\n{SUITE}"));
    assert_eq!(trials(&project, "p.c:4"), 7 * 2 - 1);
    project.write("suspect.toml", SUITE);
    assert!(trials(&project, "p.c:4") > 7 * 6);
    // What is returned is 0 in all tests.
    project.write("suspect.toml", &format!("[ranges]\n\"main:return\" = [0, 1]\n\n{SUITE}"));
    assert_eq!(trials(&project, "p.c:7"), 7);
}

#[test]
fn wrong_ranges_are_told_with_what_to_write() {
    let project = built("\"main:n\" = [0, 5]");
    for (ranges, words) in [
        ("\"main:y\" = [0, 5]", "suspect.toml: [ranges] \"main:y\": no node of that name; give FUNCTION:VARIABLE"),
        ("\"main:argv\" = [0, 5]", "\"main:argv\": a `char **` is no number"),
        ("\"main:n\" = [9, 5]", "suspect.toml:2:12: a range is the least and the greatest value, such as [0, 3]"),
        ("\"main:n\" = [0, 5, 7]", "a range is the least and the greatest value, such as [0, 3]"),
        ("\"main:n\" = [0, inf]", "a range is the least and the greatest value, such as [0, 3]"),
        ("\"main:n\" = \"0-5\"", "a range is the least and the greatest value, such as [0, 3]"),
        ("n = [0, 5]", "suspect.toml:2:1: \"n\": a range is of FUNCTION:VARIABLE, or of FUNCTION:return"),
        ("\"main:\" = [0, 5]", "a range is of FUNCTION:VARIABLE"),
    ] {
        project.write("suspect.toml", &format!("[ranges]\n{ranges}\n\n{SUITE}"));
        let said = project.fail(&["mutate", "--tests", "all"], 1);
        assert!(said.contains(words), "{ranges}: {said}");
    }
}
