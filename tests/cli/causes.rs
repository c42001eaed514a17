//! `suspect rank --method cdfl|cdfl_paper|direct`: the worked examples of causal fault localisation, from C source to ranking.

use crate::project::{Project, line_of};

/// Scores of the assignments (by node) on the marked lines under a method.
fn scores<const N: usize>(project: &Project, program: &str, marks: [&str; N], method: &str) -> [f64; N] {
    let ranking = project.ranking(&["--method", method, "--by", "node"]);
    let entries = ranking["ranking"].as_array().unwrap();
    marks.map(|mark| {
        let is_it = |entry: &&serde_json::Value| {
            entry["line"] == line_of(program, mark) && entry["unit"].as_str().unwrap().starts_with("assignment")
        };
        entries.iter().find(is_it).expect("the marked line is ranked")["score"].as_f64().unwrap()
    })
}

fn first_example() -> Project {
    let project = Project::new();
    project.copy_program("fault_a.c").write("tests.txt", "1\n").write("expected", "2\n").write(
        "suspect.toml",
        "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\nexpect = \"expected\"\n",
    );
    project.succeed(&["build", "--", "cc", "-O1", "-o", "prog", "fault_a.c"]);
    project.succeed(&["test"]);
    project.succeed(&["mutate"]);
    project
}

const FIRST: [&str; 3] = ["int c =", "int a =", "int b ="];

#[test]
fn one_failing_test_is_enough_to_rank_the_fault_first() {
    let project = first_example();
    for method in ["cdfl", "cdfl_paper", "direct"] {
        let [c, a, b] = scores(&project, "fault_a.c", FIRST, method);
        assert!(c > a && a > b, "{method}: {c} {a} {b}");
    }
    // Every value of c changes what is returned, no value of b does, and those of a do but for multiples of 3.
    for method in ["cdfl_paper", "direct"] {
        let [c, a, b] = scores(&project, "fault_a.c", FIRST, method);
        assert!(c == 1.0 && (0.5..1.0).contains(&a) && b == 0.0, "{method}: {c} {a} {b}");
    }
}

/// The texts are longer than the paper's "a", so that no random string is by chance what the program would print anyway.
fn second_example() -> Project {
    let project = Project::new();
    project.copy_program("fault_b.c").copy_program("fault_b_text.c");
    project.write("tests.txt", "words\nwords \n words \n");
    project.write("expected/1", "words\n").write("expected/2", "words\n").write("expected/3", " words\n");
    project.write("build.sh", "SUSPECT_OFF=1 cc -O1 -c fault_b_text.c\ncc -O1 -o prog fault_b.c fault_b_text.o\n");
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog '{line}'\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build", "--", "sh", "-e", "build.sh"]);
    project.succeed(&["test"]);
    project.succeed(&["mutate"]);
    project
}

#[test]
fn what_passing_tests_depend_on_too_is_not_suspected() {
    let project = second_example();
    for method in ["cdfl_paper", "direct"] {
        let found = scores(&project, "fault_b.c", ["*s =", "bool pred =", "p = strip"], method);
        let close = found.iter().zip([0.0, 0.5, 0.5]).all(|(found, expected)| (found - expected).abs() < 1e-9);
        assert!(close, "{method}: {found:?}");
    }
    let [s, pred, p] = scores(&project, "fault_b.c", ["*s =", "bool pred =", "p = strip"], "cdfl");
    assert!(p > s && pred > s, "{s} {pred} {p}");
}

#[test]
fn options_of_the_causal_methods_are_for_them_alone() {
    let project = first_example();
    for parents in ["acyclic", "markovian", "safe", "paper"] {
        let ranking = project.ranking(&["--method", "cdfl", "--by", "node", "--parents", parents]);
        assert_eq!(ranking["method"], "cdfl");
    }
    let with = |options: &[&str]| {
        project.ranking(&[&["--method", "cdfl", "--by", "node"], options].concat())["ranking"].clone()
    };
    let paper = project.ranking(&["--method", "cdfl_paper", "--by", "node"])["ranking"].clone();
    assert_eq!(with(&["--parents", "paper"]), paper);
    assert_eq!(with(&["--parents", "paper", "--unidentified", "shared"]), paper);
    assert_eq!(with(&["--unidentified", "zero"]), with(&[]));
    assert_ne!(with(&["--unidentified", "renormalised"]), with(&[]));
    let said = project.fail(&["rank", "--method", "direct", "--parents", "paper"], 1);
    assert!(said.contains("--method cdfl"), "{said}");
}
