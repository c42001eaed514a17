//! Outputs that need not be the expected ones in all: what passes in a test passes in trials and replays, too.

use crate::project::Project;

/// A program that writes a mean with too many parcels in it, in lines whose order and digits vary by its arguments.
const SOURCE: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    int count = atoi(argv[1]);\n    double sum = 0;\n\
                      \x20   for (int i = 0; i <= count; i++)\n        sum += 2;\n    printf(\"took %d ms\\n\", count * 7);\n\
                      \x20   printf(\"mean %.9f\\n\", count ? sum / count : 2 + 1e-9);\n    return argc > 2 ? 3 : 0;\n}\n";

fn project(keys: &str) -> Project {
    let project = Project::new();
    project.write("prog.c", SOURCE).write("in/a", "4").write("in/b", "0");
    project.write("out/a", "mean 2.0\ntook [0-9]+ ms\n").write("out/b", "mean 2.0\ntook [0-9]+ ms\n");
    project.write(
        "suspect.toml",
        &format!(
            "[build]\ncommand = \"cc -O1 -o prog prog.c\"\n[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\nrun = \"./prog $(cat {{input}})\"\n\
             expect = \"out/{{stem}}\"\n{keys}"
        ),
    );
    project.succeed(&["build"]);
    project
}

#[test]
fn order_digits_and_patterns_are_judged_alike_by_tests_and_trials() {
    let project = project("close = 1e-6\nunordered = true\npatterns = true\n");
    let said = project.succeed(&["test"]);
    assert!(
        said.contains("fails: a: output differs from out/a: line 1 is `mean 2.500000000`, expected `mean 2.0`"),
        "{said}"
    );
    assert!(said.contains("1 passing, 1 failing"), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("for (int i = 0; i <= count; i++)\n                with `1`: a passes"), "{answer}");
    let id = answer.split(['[', ']']).nth(1).unwrap();
    assert!(project.succeed(&["replay", id]).contains("a passes with it, as claimed"));
}

#[test]
fn each_freedom_is_asked_for() {
    let project = project("unordered = true\npatterns = true\n");
    assert!(project.succeed(&["test"]).contains("0 passing, 2 failing"));
}

#[test]
fn the_exit_status_can_be_compared_too() {
    let project = project("close = 1e-6\nunordered = true\npatterns = true\nstatus = 3\n");
    let said = project.succeed(&["test"]);
    assert!(said.contains("fails: b: exit status 0, expected exit status 3"), "{said}");
}

#[test]
fn what_cannot_be_compared_is_said_with_its_place() {
    let project = project("close = 1e-6\n");
    let suite = "[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\nrun = \"./prog {input}\"\n";
    let wrong = [
        ("expect = \"out/{stem}\"\nclose = 2.0\n", "`close` is by how much numbers may differ"),
        ("expect = \"out/{stem}\"\nstatus = 300\n", "`status` is the exit status"),
        ("unordered = true\n", "`unordered` needs kind = \"cases\" or \"lines\" with `expect` or `reference`"),
        ("reference = \"./prog {input}\"\npatterns = true\n", "`patterns` needs `expect`"),
    ];
    for (keys, message) in wrong {
        project.write("suspect.toml", &format!("{suite}{keys}"));
        let error = project.fail(&["test", "--no-build"], 1);
        assert!(error.contains("suspect.toml:") && error.contains(message), "{error}");
    }
    project.write("suspect.toml", &format!("{suite}expect = \"out/{{stem}}\"\npatterns = true\n"));
    project.write("out/b", "took (\n");
    let error = project.fail(&["test", "--no-build"], 4);
    assert!(error.contains("line 1 of out/b is no regular expression, as `patterns = true` wants"), "{error}");
}
