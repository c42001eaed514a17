//! The worked examples of the literature, from C source to ranking, through the whole tool.

use crate::project::{Project, line_of};

/// Finds every line of `program` but those that `marks` stand on innocent, so that the marked ones are the whole program.
fn innocent_but(project: &Project, program: &str, marks: &[&str]) -> Vec<String> {
    let kept: Vec<u64> = marks.iter().map(|mark| line_of(program, mark)).collect();
    let ranking = project.ranking(&["--method", "cln"]);
    let entries = ranking["ranking"].as_array().unwrap().iter();
    let others = entries.filter(|entry| !kept.contains(&entry["line"].as_u64().unwrap()));
    others.map(|entry| entry["unit"].as_str().unwrap().to_string()).collect()
}

/// Scores of the marked lines under a method, all other lines being innocent.
fn scores(project: &Project, program: &str, marks: &[&str], method: &str) -> Vec<f64> {
    let innocent = innocent_but(project, program, marks);
    let mut arguments = vec!["--method", method];
    innocent.iter().for_each(|unit| arguments.extend(["--innocent", unit]));
    let ranking = project.ranking(&arguments);
    let entries = ranking["ranking"].as_array().unwrap();
    assert_eq!(entries.len(), marks.len(), "{ranking:#}");
    let score = |mark: &&str| {
        let entry =
            entries.iter().find(|entry| entry["line"] == line_of(program, mark)).expect("the marked line is ranked");
        entry["score"].as_f64().unwrap()
    };
    marks.iter().map(score).collect()
}

#[track_caller]
fn assert_close(found: &[f64], expected: &[f64]) {
    let close = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-9;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(close),
        "{found:?} instead of {expected:?}"
    );
}

const UNITS: [&str; 4] = ["/* u1", "/* u2", "/* u3", "/* u4"];

#[test]
fn doric_minmax_gives_the_published_likelihoods() {
    let project = Project::new();
    project.copy_program("minmax.c").write("tests.txt", "2 1 3\n3 2 1\n2 1 2\n2 3 1\n1 2 3\n");
    for (number, most) in ["3", "3", "2", "3", "3"].iter().enumerate() {
        project.write(&format!("expected/{}", number + 1), &format!("{most}\n"));
    }
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build", "--", "cc", "-O1", "-o", "prog", "minmax.c"]);
    project.succeed(&["test"]);
    let of = |method| scores(&project, "minmax.c", &UNITS, method);
    assert_close(&of("cln"), &[0.0, 1.0 / 6.0, 5.0 / 9.0, 1.0 / 6.0]);
    assert_close(&of("pf"), &[0.0, 2.0 / 3.0, 1.0, 2.0 / 3.0]);
    // +0.5 on each count cancels out of ef - ep.
    assert_close(&of("wong2"), &[-2.0, 0.0, 3.0, 0.0]);
}

const PAIR_SUITE: &str = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\n";

fn pair(lines: &str) -> Project {
    let project = Project::new();
    project.copy_program("pair.c").write("suspect.toml", PAIR_SUITE).write("tests.txt", lines);
    project.succeed(&["build", "--", "cc", "-O2", "-o", "prog", "pair.c"]);
    project.succeed(&["test"]);
    project
}

#[test]
fn causal_likelihood_tells_apart_what_measures_tie() {
    // The likelihoods are of failing tests alone.
    let project = pair("12!\n3!\n");
    let of = |method| scores(&project, "pair.c", &UNITS[..3], method);
    assert_close(&of("cln"), &[1.0 / 3.0, 1.0 / 3.0, 1.0]);
    assert_close(&of("pf"), &[2.0 / 3.0, 2.0 / 3.0, 1.0]);
    let order: Vec<f64> = of("clu");
    assert!(order[2] > order[0], "{order:?}");
    let refused = project.fail(&["rank", "--method", "ochiai"], 4);
    assert!(refused.contains("all 2 tests fail: without a passing test"), "{refused}");
    // A test that executes none of the units passes.
    let project = pair("12!\n3!\n0\n");
    let of = |method| scores(&project, "pair.c", &UNITS[..3], method);
    assert_close(&of("cln"), &[1.0 / 3.0, 1.0 / 3.0, 1.0]);
    let ochiai = of("ochiai");
    assert!(ochiai.iter().all(|score| *score == ochiai[0]), "{ochiai:?}");
}

#[test]
fn clearing_a_unit_updates_the_rest() {
    let project = pair("34!\n12!\n");
    let of = |marks: &[&str]| scores(&project, "pair.c", marks, "cln");
    assert_close(&of(&UNITS), &[1.0 / 3.0; 4]);
    // u1 found innocent.
    assert_close(&of(&UNITS[1..]), &[1.0, 1.0 / 3.0, 1.0 / 3.0]);
}

#[test]
fn blockrank_gives_the_published_scores() {
    let script = |runs: &[&str]| -> String {
        let runs: Vec<String> = runs.iter().map(|run| format!("./prog {run} || failed=1")).collect();
        format!("failed=0\n{}\nexit $failed\n", runs.join("\n"))
    };
    let (e, k, m) = (|n: usize| "e".repeat(n), |n: usize| "k".repeat(n), |n: usize| "m".repeat(n));
    let project = Project::new();
    project.write("tests/1.sh", &script(&[&(e(19) + &k(2) + &m(1))]));
    project.write("tests/2.sh", &script(&[&(e(12) + &k(3) + &m(2))]));
    project.write("tests/3.sh", &script(&[&(e(20) + &k(1) + &m(1))]));
    project.write("tests/4.sh", &script(&[&(e(18) + &k(2) + &m(4) + "w")]));
    project.write("tests/5.sh", &script(&[&(e(18) + &k(1) + "x"), &(m(8) + "x")]));
    project.write("tests/6.sh", &script(&[&(e(15) + "x"), &(k(4) + "x"), &(m(1) + "x"), &(m(1) + "x")]));
    project.write("suspect.toml", "[[suite]]\nkind = \"command\"\nlist = \"ls tests/*.sh\"\nrun = \"sh {test}\"\n");
    project.copy_program("queue.c").succeed(&["build", "--", "cc", "-O2", "-o", "prog", "queue.c"]);
    project.succeed(&["test"]);
    let ranking = project.ranking(&["--method", "blockrank", "--by", "block"]);
    let score = |mark: &str| {
        let line = line_of("queue.c", mark);
        let entries = ranking["ranking"].as_array().unwrap().iter();
        let mut of_line = entries.filter(|entry| {
            entry["function"] == "upgrade"
                && entry["line"].as_u64() <= Some(line)
                && Some(line) <= entry["last_line"].as_u64()
        });
        of_line.next().unwrap_or_else(|| panic!("no block at {mark}: {ranking:#}"))["score"].as_f64().unwrap()
    };
    assert_close(&[score("/* b1")], &[4.0]);
    let b2 = 32.0 / 38.0 * 4.0 + 6.0 / 38.0 * 6.0;
    assert_close(&[score("/* b2")], &[b2]);
    assert!((b2 - 4.32_f64).abs() < 0.005, "{b2}");
    assert_close(&[score("/* b3"), score("/* b4")], &[11.0 / 3.0, 4.0]);
}
