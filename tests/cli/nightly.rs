//! `suspect run`: what it ends with, what it keeps, and that it goes on after anything.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use suspect::history::Fate;
use suspect::report::{Explanation, RankingReport, Report};

use crate::incremental::ageless;
use crate::project::{Project, text};

/// A program that is built by suspect.toml's command; tests are lines: arguments of `abs` and what it should print.
pub fn absolute(fault: bool, tests: &[(&str, &str)]) -> Project {
    let project = Project::new();
    write_absolute(&project, fault);
    let lines: String = tests.iter().map(|(argument, _)| format!("{argument}\n")).collect();
    project.write("tests.txt", &lines);
    for (number, (_, expected)) in tests.iter().enumerate() {
        project.write(&format!("expected/{}", number + 1), &format!("{expected}\n"));
    }
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -o prog prog.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\n\
         run = \"./prog {line}\"\nexpect = \"expected/{n}\"\n",
    );
    project
}

fn write_absolute(project: &Project, fault: bool) {
    let condition = if fault { "x < -1" } else { "x < 0" };
    project.write(
        "prog.c",
        &format!(
            "#include <stdio.h>\n#include <stdlib.h>\n\nstatic int absolute(int x)\n{{\n    if ({condition})\n        return -x;\n    \
             return x;\n}}\n\nint main(int argc, char **argv)\n{{\n    printf(\"%d\\n\", absolute(argc > 1 ? atoi(argv[1]) : 0));\n    \
             return 0;\n}}\n"
        ),
    );
}

const TESTS: [(&str, &str); 5] = [("3", "3"), ("-1", "1"), ("0", "0"), ("-5", "5"), ("7", "7")];

/// Runs `suspect run`, which must end with `code`; what it wrote.
#[track_caller]
pub fn night(project: &Project, arguments: &[&str], code: i32) -> String {
    let output = project.suspect(&[&["run", "-v"], arguments].concat());
    assert_eq!(output.status.code(), Some(code), "{}", text(&output));
    text(&output)
}

fn kept(project: &Project, number: u32) -> Value {
    let path = project.path().join(format!(".suspect/runs/{number}/night.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn ranking(project: &Project, number: u32) -> RankingReport {
    serde_json::from_value(kept(project, number)["ranking"].clone()).unwrap()
}

#[test]
fn a_night_ends_with_what_was_found() {
    let project = absolute(true, &TESTS);
    let said = night(&project, &["--budget", "2min"], 2);
    assert!(said.contains("fails: 2 (./prog -1)") && said.contains("prog.c:6"), "{said}");
    assert!(said.contains("night 1: 1 of 5 tests fail"), "{said}");
    let first = kept(&project, 1);
    assert_eq!(first["ranking"]["tests"]["failing"], 1);
    assert!(first["ended"].is_u64() && first["missing"].as_array().unwrap().is_empty(), "{first}");
    let source = first["sources"]["prog.c"].as_str().unwrap();
    let source = fs::read_to_string(project.path().join(".suspect/sources").join(source)).unwrap();
    assert_eq!(source, fs::read_to_string(project.path().join("prog.c")).unwrap());

    night(&project, &["--budget", "2min", "--exit-zero"], 0);
    write_absolute(&project, false);
    let said = night(&project, &["--budget", "2min"], 0);
    assert!(said.contains("5 passing, 0 failing"), "{said}");
    assert!(kept(&project, 3)["ranking"].is_null());
}

#[test]
fn what_has_no_explanation_is_said_at_once_and_in_the_report() {
    let project = absolute(false, &[("3", "4")]);
    project.write("prog.c", "int main(void)\n{\n    return 1;\n}\n");
    let why = "why 1 fails: 1: no passing test is there to compare with";
    let said = night(&project, &["--budget", "1min"], 2);
    assert!(said.contains(&format!("suspect: not found out: {why}")) && said.contains("`suspect explain 1`"), "{said}");
    assert!(project.succeed(&["report", "-v"]).contains(why));
}

#[test]
fn the_morning_has_causes_and_what_is_new() {
    let project = absolute(false, &TESTS);
    night(&project, &["--budget", "3min"], 0);
    write_absolute(&project, true);
    let said = night(&project, &["--budget", "3min"], 2);
    assert!(said.contains("suspect: looking for the causes of 2"), "{said}");
    let report = fs::read(project.path().join(".suspect/runs/2/report.json")).unwrap();
    let report = Report::parse(&report).unwrap();
    let explained: Vec<&str> = report.explanations.iter().map(|chain| chain.test.as_str()).collect();
    assert_eq!(explained, ["2"], "{:?}", report.not_looked_at.statements);
    assert!(!report.explanations[0].steps.is_empty() && said.contains(&report.explanations[0].command), "{said}");
    let nights: Vec<_> = report.nights.iter().map(|night| (night.id, night.failing, night.rank)).collect();
    assert_eq!(nights, [(1, 0, None), (2, 1, Some(1))], "each with the rank of today's first function");
    let since = report.since.as_ref().unwrap();
    assert_eq!(
        (since.older.id, since.newer.id, since.changed_functions.as_slice()),
        (1, 2, &["absolute".to_string()][..])
    );
    assert!(matches!(since.tests.as_slice(), [test] if test.name == "2" && test.fate == Fate::New), "{since:?}");
    assert_eq!((since.suspicious[0].file.as_str(), since.suspicious[0].line), ("prog.c", 6));

    let of = |format: &str| project.succeed(&["report", "--format", format]);
    assert!(of("markdown").contains("\nSince night 1 "));
    let text = of("text");
    assert!(
        text.replace('\n', " ").contains("suspicious and changed: prog.c:6") && text.lines().count() <= 25,
        "{text}"
    );
    let page = of("html");
    assert!(page.contains("Since last night") && page.contains("Why it fails") && page.contains("suspect diff 1"));
    let sarif: Value = serde_json::from_str(&of("sarif")).unwrap();
    assert!(sarif["runs"][0]["results"].as_array().unwrap().iter().any(|one| one["codeFlows"].is_array()), "{sarif}");

    let said = night(&project, &["--budget", "3min", "--no-explain"], 2);
    assert!(!said.contains("looking for the causes"), "{said}");
}

/// A program with a fault in what arguments below 0 execute, and a function for two arguments.
fn write_two_ways(project: &Project, twice: &str, absolute: &str) {
    let text = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n\nstatic int absolute(int x)\n{{\n    {absolute}\n    return x;\n}}\n\n\
         static int twice(int x);\n\nint main(int argc, char **argv)\n{{\n    int x = atoi(argv[1]);\n    \
         printf(\"%d\\n\", argc > 2 ? twice(x) : absolute(x));\n    return 0;\n}}\n\nstatic int twice(int x)\n{{\n    return {twice};\n}}\n"
    );
    project.write("prog.c", &text);
}

#[test]
fn causes_are_taken_over_while_both_tests_do_the_same() {
    let project = absolute(true, &[("3", "3"), ("-1", "1"), ("0", "0"), ("-5", "5"), ("7 2", "14")]);
    let explained = |number: u32| {
        let report = fs::read(project.path().join(format!(".suspect/runs/{number}/report.json"))).unwrap();
        Report::parse(&report).unwrap().explanations.pop().unwrap()
    };
    let fault = "if (x < -1)\n        return -x;";
    write_two_ways(&project, "x + x", fault);
    assert!(night(&project, &["--budget", "2min"], 2).contains("looking for the causes of 2"));
    let mut first = explained(1);
    assert_eq!(first.found, None);
    // In another program the test's conditions may have other numbers: it is compared with itself under the best change.
    let told_alike = |chain: &mut Explanation| {
        let made = chain.made.as_mut().expect("a change that makes it pass");
        made.option = made.option.split('=').next().unwrap_or_default().to_owned();
        chain.command = chain.command.split('=').next().unwrap_or_default().to_owned();
    };
    told_alike(&mut first);

    // Another function, which neither of the two executes.
    for (number, twice) in [(2, "2 * x"), (3, "x * 2")] {
        write_two_ways(&project, twice, fault);
        let said = night(&project, &["--budget", "2min"], 2);
        assert!(!said.contains("looking for the causes") && said.contains("note: found out "), "{said}");
        let mut taken = explained(number);
        assert!(taken.found.take().is_some());
        assert!(taken.trust.pop().unwrap().starts_with("found out "));
        told_alike(&mut taken);
        assert_eq!(std::mem::take(&mut taken.changed), ["code that the test does not execute"]);
        assert_eq!(taken, first);
    }

    // The same code elsewhere: lines in the chain would be wrong.
    write_two_ways(&project, "2 * x", &format!("\n    {fault}"));
    assert!(night(&project, &["--budget", "2min"], 2).contains("looking for the causes of 2"));
    assert_eq!(explained(4).found, None);
}

#[test]
fn causes_are_taken_over_while_code_changes_that_they_do_not_lead_through() {
    let project = absolute(true, &[("3", "3"), ("-1", "1"), ("0", "0"), ("-5", "5"), ("7 2", "14")]);
    let write = |lead: &str, rest: &str| {
        write_two_ways(&project, "x + x", "if (x < -1)\n        return -x;");
        let path = project.path().join("prog.c");
        let text = fs::read_to_string(&path).unwrap();
        let text = text.replace("int main", "static void lead(int n);\nstatic int kept;\n\nint main");
        let text = text.replace("= atoi(argv[1]);", "= atoi(argv[1]);\n    lead(argc + 7);");
        let keep = "static void keep(int n)\n{\n    for (; n > 0; n--)\n        kept += n;\n}\n";
        fs::write(path, format!("{text}\n{rest}{keep}\nstatic void lead(int n)\n{{\n    {lead}\n}}\n")).unwrap();
    };
    write("keep(n);", "");
    assert!(night(&project, &["--budget", "2min"], 2).contains("looking for the causes of 2"));

    // All tests execute it, and what stands behind it moves.
    let other = |names: &str| {
        format!(
            "is and does the same; other code does not, or may not: {names} (prog.c), code that the test does not execute\n"
        )
    };
    for (lead, rest, names) in [
        ("int m = n * 3;\n    keep(m / 3);", "", "`lead`"),
        // What has changed in the night before is told, too.
        ("int m = n * 3;\n    keep(m / 3);", "\n\n", "`lead`"),
        ("keep(n + 1);", "", "`keep` (prog.c), `lead`"),
    ] {
        write(lead, rest);
        let said = night(&project, &["--budget", "2min"], 2);
        assert!(!said.contains("looking for the causes") && said.contains(&other(names)), "{said}");
    }

    // It leads through a function that does something else by such a change.
    write("kept = absolute(n);", "");
    assert!(night(&project, &["--budget", "2min"], 2).contains("looking for the causes of 2"));
}

#[test]
fn a_test_whose_chain_holds_stands_for_its_group() {
    let project = absolute(true, &[("3", "3"), ("-1", "1"), ("0", "0"), ("-5", "5"), ("7 2", "14")]);
    let fault = "if (x < -5)\n        return -x;";
    write_two_ways(&project, "x + x", fault);
    night(&project, &["--budget", "2min", "--no-explain"], 2);
    project.suspect(&["explain", "4"]);
    write_two_ways(&project, "2 * x", fault);
    let said = night(&project, &["--budget", "2min"], 2);
    assert!(said.contains("2 of 5 tests fail") && !said.contains("looking for the causes"), "{said}");
    assert!(said.contains("4 compared with") && said.contains("note: found out "), "{said}");
}

#[test]
fn causes_that_the_failing_test_shows_itself_are_taken_over_while_a_change_there_makes_it_pass() {
    let project = absolute(true, &[("3", "3"), ("-1", "1"), ("", "")]);
    // The passing tests write nothing where the failing one does.
    let write = |silent: &str, more: &str| {
        project.write(
            "prog.c",
            &format!(
                "#include <stdio.h>\n#include <stdlib.h>\n\nint main(int argc, char **argv)\n{{\n    int x = argc > 1 ? atoi(argv[1]) : 0;\n    \
                 if (argc < 2)\n        return puts(\"\") < {silent};\n    if (x == 3)\n        return puts(\"3\") < 0;\n    \
                 if (x < -1)\n        x = -x;\n    printf(\"%d\\n\", x);\n    return 0;\n}}\n{more}"
            ),
        );
    };
    write("0", "");
    let said = night(&project, &["--budget", "2min"], 2);
    assert!(said.contains("2 compared with itself with `x < -1` true at prog.c:11"), "{said}");
    assert!(said.contains("again: suspect explain 2 --switch="), "{said}");
    let said = night(&project, &["--budget", "2min"], 2);
    assert!(!said.contains("looking for the causes") && said.contains("note: found out "), "{said}");
    assert!(said.contains("again: suspect explain 2 --switch="), "{said}");
    // Another program may have other numbers of conditions, and what that run executes beyond the test's own may be other code.
    write("0", "\nint more(int x)\n{\n    return x;\n}\n");
    let said = night(&project, &["--budget", "2min"], 2);
    assert!(!said.contains("looking for the causes") && said.contains("again: suspect explain 2 --switch\n"), "{said}");
    assert!(said.contains("does not, or may not: code that the test does not execute\n"), "{said}");
    // It leads through what has changed.
    write("-1", "");
    assert!(night(&project, &["--budget", "2min"], 2).contains("looking for the causes of 2"));
}

#[test]
fn causes_of_a_test_with_values_of_a_clock_are_taken_over_too() {
    let project = absolute(true, &[("3", "3"), ("-1", "1"), ("0", "0"), ("-5", "5"), ("7 2", "14")]);
    let write = |twice: &str, fault: &str| {
        write_two_ways(&project, twice, fault);
        let path = project.path().join("prog.c");
        let text = fs::read_to_string(&path).unwrap();
        let noisy = "#include <time.h>\n\nstatic int noise(void)\n{\n    struct timespec now;\n    clock_gettime(CLOCK_MONOTONIC, &now);\n    \
                     int noise = now.tv_nsec % 999;\n    return noise;\n}\n\nint main";
        let text =
            text.replace("int main", noisy).replace("int x = atoi(argv[1]);", "int x = atoi(argv[1]) + 0 * noise();");
        fs::write(path, text).unwrap();
    };
    write("x + x", "if (x < -1)\n        return -x;");
    assert!(night(&project, &["--budget", "2min"], 2).contains("looking for the causes of 2"));
    write("2 * x", "if (x < -1)\n        return -x;");
    let said = night(&project, &["--budget", "2min"], 2);
    assert!(said.contains("nodes differ between runs"), "{said}");
    assert!(!said.contains("looking for the causes") && said.contains("note: found out "), "{said}");
    // What changed is executed by both.
    write("2 * x", "if (x < -2)\n        return -x;");
    assert!(night(&project, &["--budget", "2min"], 2).contains("looking for the causes of 2"));
}

#[test]
fn what_is_wrong_with_the_set_up_shows_even_with_exit_zero() {
    let project = absolute(true, &TESTS);
    night(&project, &["--budget", "soon"], 1);
    let said = night(&project, &["--exit-zero", "--", "sh", "-c", "exit 7"], 4);
    assert!(said.contains("the build command ended with status 7"), "{said}");
    let said = night(&project, &["--exit-zero", "--no-build"], 5);
    assert!(said.contains("build with `suspect build"), "{said}");
    let none = Project::new();
    assert!(night(&none, &[], 1).contains("no build command; type: suspect build -- make"));
}

#[test]
fn without_a_command_it_builds_as_the_last_time() {
    let project = absolute(true, &TESTS);
    let configured = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    let (_, suites) = configured.split_once("\n\n").unwrap();
    project.write("suspect.toml", suites);
    project.succeed(&["build", "--modes", "edges,values,trace", "--", "cc", "-O1", "-o", "prog", "prog.c"]);
    fs::remove_file(project.path().join("prog")).unwrap();
    night(&project, &["--budget", "2min"], 2);
    let build: Value =
        serde_json::from_str(&fs::read_to_string(project.path().join(".suspect/build.json")).unwrap()).unwrap();
    assert_eq!(build["modes"], "edges,values,trace");
}

#[test]
fn a_project_that_was_moved_goes_on_where_it_is() {
    let project = absolute(true, &TESTS);
    let configured = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    let (_, suites) = configured.split_once("\n\n").unwrap();
    project.write("suspect.toml", suites);
    project.succeed(&["build", "--", "cc", "-O1", "-o", "prog", "prog.c"]);
    night(&project, &["--budget", "2min"], 2);
    let built = fs::read(project.path().join("prog")).unwrap();
    // What it was copied from is still there.
    let moved = Project::new();
    let copy = Command::new("cp").arg("-a").arg(project.path().join(".")).arg(moved.path()).status().unwrap();
    assert!(copy.success());
    let source = fs::read_to_string(moved.path().join("prog.c")).unwrap();
    moved.write("prog.c", &source.replace("    return 0;\n}\n", "    fflush(stdout);\n    return 0;\n}\n"));
    let said = night(&moved, &["--budget", "2min"], 2);
    assert!(said.contains("1 unit instrumented") && said.contains("1 program"), "{said}");
    let known = said.lines().find_map(|line| line.split_once(" were known")).map(|(line, _)| line.rsplit('(').next());
    assert_ne!(known.flatten(), Some("0"), "{said}");
    let build: Value =
        serde_json::from_str(&fs::read_to_string(moved.path().join(".suspect/build.json")).unwrap()).unwrap();
    assert_eq!((&build["directory"], build["modules"].as_array().unwrap().len()), (&Value::from("."), 1));
    assert!(fs::read(project.path().join("prog")).unwrap() == built, "built where it was");
}

/// A suite in which each test takes half a second.
fn slow(project: &Project) {
    let configured = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    project.write("suspect.toml", &configured.replace("./prog {line}", "sleep 0.5; ./prog {line}"));
}

#[test]
fn a_spent_budget_leaves_tests_out_by_name_and_counts_as_partial() {
    let project = absolute(true, &TESTS);
    slow(&project);
    project.succeed(&["build"]);
    let said = night(&project, &["--budget", "2s", "--jobs", "1", "--no-build"], 3);
    assert!(said.contains("does not count: 5 (sleep 0.5; ./prog 7): not run: the budget was spent"), "{said}");
    assert!(said.contains("tests were not run"), "{said}");
    let missing = kept(&project, 1)["missing"].to_string();
    assert!(missing.contains("of 5 tests were not run") && missing.contains("were run only once"), "{missing}");
    night(&project, &["--budget", "2s", "--jobs", "1", "--no-build", "--exit-zero"], 0);
    let said = night(&project, &["--budget", "0", "--jobs", "1"], 3);
    assert!(said.contains("the budget was spent before any test was run"), "{said}");
}

#[test]
fn killed_at_any_moment_it_goes_on() {
    let project = absolute(true, &TESTS);
    let whole = night(&project, &["--budget", "2min"], 2);
    let expected = ageless(ranking(&project, 1));
    let began = Instant::now();
    night(&project, &["--budget", "2min"], 2);
    let takes = began.elapsed();
    fs::remove_dir_all(project.path().join(".suspect")).unwrap();
    for part in 1..8 {
        let mut command = project.command(&["run", "--budget", "2min"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(takes * part / 8);
        child.kill().unwrap();
        child.wait().unwrap();
        // What the killed one started is gone a moment later.
        std::thread::sleep(Duration::from_millis(50));
    }
    let said = night(&project, &["--budget", "2min"], 2);
    let last = fs::read_dir(project.path().join(".suspect/runs")).unwrap().count() as u32;
    // A night that ended before it was killed, or whose program was being built just then, hands its trials on to a new one.
    let ranking = ageless(ranking(&project, last));
    assert_eq!(ranking.ranking, expected.ranking, "{whole}\n{said}");
}

#[test]
fn a_night_after_one_that_ended_comes_to_the_same() {
    let project = absolute(true, &TESTS);
    night(&project, &["--budget", "2min"], 2);
    // Ages are in seconds: what was found out within this one is new.
    std::thread::sleep(Duration::from_millis(1100));
    night(&project, &["--budget", "2min"], 2);
    let (first, second) = (ranking(&project, 1), ranking(&project, 2));
    assert!(second.trials.unwrap().carried_over > 0);
    assert_eq!(ageless(second), ageless(first));
}

#[test]
fn a_night_that_was_not_ended_is_gone_on_with_unless_the_program_changed() {
    let project = absolute(true, &TESTS);
    night(&project, &["--budget", "2min"], 2);
    let path = project.path().join(".suspect/runs/1/night.json");
    let open = |value: &mut Value| {
        value["ended"] = Value::Null;
        value["ranking"] = Value::Null;
        fs::write(&path, value.to_string()).unwrap();
    };
    open(&mut kept(&project, 1));
    let said = night(&project, &["--budget", "2min"], 2);
    assert!(said.contains("going on with night 1: its tests have been run"), "{said}");
    assert!(kept(&project, 1)["ranking"].is_object());
    open(&mut kept(&project, 1));
    write_absolute(&project, false);
    let said = night(&project, &["--budget", "2min"], 0);
    assert!(!said.contains("going on with") && kept(&project, 2)["ended"].is_u64(), "{said}");
}
