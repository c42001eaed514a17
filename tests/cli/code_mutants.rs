//! `suspect mutants`: what tests do to code mutants, against the same edits of the source compiled plainly; interruption, shards,
//! reuse, changed lines, reports, and suites that it must refuse.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use suspect::source::{Edit, apply};
use suspect::store::{KillRecord, Store};

use crate::all_evidence::{ALONE, AMONG_OTHERS};
use crate::official;
use crate::project::{Project, text};

/// Numbers, and what the program says of them.
const TESTS: [(&str, &str, &str); 5] = [
    ("empty", "", "none"),
    ("one", "3", "3 3 1"),
    ("three", "3 9 2", "9 14 9"),
    ("negative", "-3 -9", "-3 -12 4"),
    ("falling", "7 5 1 0", "7 13 16"),
];

/// The program, built and recorded.
pub fn biggest() -> Project {
    biggest_run(ALONE)
}

/// The program, built and recorded; each of its tests runs this.
fn biggest_run(run: &str) -> Project {
    let project = Project::new();
    project.copy_program("biggest.c");
    for (name, numbers, answer) in TESTS {
        project.write(&format!("in/{name}"), numbers).write(&format!("expected/{name}"), &format!("{answer}\n"));
    }
    project.write(
        "suspect.toml",
        &format!(
            "[build]\ncommand = \"cc -O1 -o prog biggest.c\"\n\n[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\n\
             run = \"{run}\"\nexpect = \"expected/{{stem}}\"\n"
        ),
    );
    rebuild(&project);
    project
}

fn rebuild(project: &Project) {
    project.succeed(&["build"]);
    project.succeed(&["test"]);
}

#[track_caller]
fn report(project: &Project, arguments: &[&str]) -> Value {
    let mut all = vec!["mutants", "--format", "json"];
    all.extend(arguments);
    serde_json::from_str(&project.succeed(&all)).unwrap()
}

fn mutants(report: &Value) -> &Vec<Value> {
    report["mutants"].as_array().unwrap()
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

fn stored(project: &Project) -> Vec<KillRecord> {
    let kills = Store::new(project.path()).kills().load().unwrap();
    kills.iter().map(|record| KillRecord { at: 0, ..*record }).collect()
}

fn forget(project: &Project) {
    fs::remove_dir_all(Store::new(project.path()).kills().directory()).unwrap();
}

/// The exit status with which a sanitizer objects.
const OBJECTION: i32 = 99;

/// Exit status and output.
type Ran = (Option<i32>, Vec<u8>);

/// What the program with an edit does in each test.
fn edited(edit: &Value, options: &[&str]) -> Vec<Ran> {
    let source = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/biggest.c")).unwrap();
    let edit: Edit = serde_json::from_value(edit.clone()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("a.c"), apply(&source, [&edit]).unwrap()).unwrap();
    let mut command = Command::new("clang-19");
    let built = command.args(["-O0", "-w"]).args(options).arg("-o").arg(path("a")).arg(path("a.c")).status().unwrap();
    assert!(built.success(), "{edit:?}");
    let run = |(_, numbers, _): &(&str, &str, &str)| {
        let mut command = Command::new("timeout");
        for tool in ["ASAN", "UBSAN", "MSAN"] {
            command.env(format!("{tool}_OPTIONS"), format!("exitcode={OBJECTION}:detect_leaks=0"));
        }
        let output = command.arg("2").arg(path("a")).args(numbers.split_whitespace()).output().unwrap();
        (output.status.code(), output.stdout)
    };
    TESTS.iter().map(run).collect()
}

/// Names of the tests that fail with an edit of the source.
fn failing(edit: &Value) -> Vec<&'static str> {
    // Overflow wraps round, and locals begin as zero, where mutants run.
    let ran = edited(edit, &["-fwrapv", "-ftrivial-auto-var-init=zero"]);
    let fails = |((_, _, answer), (status, output)): &(&(&str, &str, &str), Ran)| {
        // Of the exit status this suite looks at crashes alone, which `timeout` passes on as 128 and the signal.
        status.is_none_or(|code| matches!(code, 124 | 129..=192)) || *output != format!("{answer}\n").as_bytes()
    };
    TESTS.iter().zip(ran).filter(fails).map(|((name, ..), _)| *name).collect()
}

/// Whether a sanitizer objects to what the edited program does: it has no meaning in C then, and does now one thing, now another.
fn is_meaningless(edit: &Value) -> bool {
    let sanitizers = [&["-fsanitize=address,undefined", "-fno-sanitize-recover=all"][..], &["-fsanitize=memory"]];
    sanitizers.into_iter().flat_map(|options| edited(edit, options)).any(|(status, _)| status == Some(OBJECTION))
}

#[test]
fn tests_do_to_mutants_what_they_do_to_the_edited_source() {
    let project = biggest();
    let report = report(&project, &["--sample", "60"]);
    let schema: Value = serde_json::from_str(include_str!("../../docs/mutants.schema.json")).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&report));
    assert_eq!(mutants(&report).len(), 60);
    let mut seen = BTreeMap::new();
    for mutant in mutants(&report) {
        let names = |tests: &Value| -> Vec<&str> {
            numbers(tests).iter().map(|test| report["tests"][*test as usize]["name"].as_str().unwrap()).collect()
        };
        let edits = mutant["edits"].as_array().unwrap();
        let mut expected = failing(&edits[0]);
        expected.sort_unstable();
        let mut killed = names(&mutant["killed_by"]);
        killed.sort_unstable();
        assert!(killed == expected || is_meaningless(&edits[0]), "{killed:?}, {expected:?}: {mutant:#}");
        *seen.entry(mutant["status"].as_str().unwrap()).or_insert(0) += 1;
    }
    assert!(["killed", "survived", "same", "not_covered"].iter().all(|status| seen.contains_key(status)), "{seen:?}");
    assert_eq!(report["total"]["killed"], seen["killed"]);
}

/// Lines of output that a program prints for each of some arguments; nothing of one that does not end well.
fn printed(program: &Path, arguments: &[&str]) -> Vec<Option<Vec<u8>>> {
    let print = |argument: &&str| {
        let output = Command::new("timeout").arg("0.5").arg(program).arg(argument).output().unwrap();
        output.status.success().then_some(output.stdout)
    };
    arguments.iter().map(print).collect()
}

/// Variables of all widths, pointers, loops and recursion, built with and without optimisation.
#[test]
fn variables_count_when_they_are_read_as_in_the_edited_source() {
    const ARGUMENTS: [&str; 3] = ["a", "a.b", "some words. and more"];
    let source = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/steps.c")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let of_text = |text: &[u8]| {
        let path = |name: &str| directory.path().join(name);
        fs::write(path("a.c"), text).unwrap();
        let options = ["-O0", "-w", "-fwrapv", "-ftrivial-auto-var-init=zero", "-o"];
        let built = Command::new("clang-19").args(options).arg(path("a")).arg(path("a.c")).status().unwrap();
        built.success().then(|| printed(&path("a"), &ARGUMENTS))
    };
    let plain = of_text(&source).unwrap();
    let mut known: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    for level in ["-O0", "-O2"] {
        let project = Project::new();
        project.copy_program("steps.c");
        for (argument, expected) in ARGUMENTS.iter().zip(&plain) {
            project.write(&format!("in/{}", argument.len()), argument);
            project
                .write(&format!("expected/{}", argument.len()), &String::from_utf8_lossy(expected.as_ref().unwrap()));
        }
        project.write(
            "suspect.toml",
            &format!(
                "[build]\ncommand = \"cc {level} -w -o prog steps.c\"\n\n[[suite]]\nkind = \"cases\"\n\
                 inputs = \"in/*\"\nrun = 'read -r all < {{input}}; exec ./prog \"$all\"'\nexpect = \"expected/{{stem}}\"\n"
            ),
        );
        rebuild(&project);
        let report = report(&project, &["--operators", "sti", "--sample", "50"]);
        let names = project.succeed(&["mutants", "--list", "--operators", "sti"]);
        let counts = |name: &str| names.contains(&format!("{name}++")) && names.contains(&format!("--{name}"));
        assert!(["n", "out", "factor", "at", "seen", "sum", "sign", "calls"].into_iter().all(counts), "{names}");
        assert!(!["none", "one", "even", "odd", "low", "high"].into_iter().any(counts), "{names}");
        let (mut killed, mut survived) = (0, 0);
        for mutant in mutants(&report) {
            let edit: Edit = serde_json::from_value(mutant["edits"][0].clone()).unwrap();
            let fails = known.entry(mutant["edits"].to_string()).or_insert_with(|| {
                let outputs = of_text(&apply(&source, [&edit]).unwrap()).unwrap_or_else(|| panic!("{edit:?}"));
                outputs.iter().zip(&plain).map(|(one, plain)| one != plain).collect()
            });
            for (argument, fails) in ARGUMENTS.iter().zip(fails) {
                let name = argument.len().to_string();
                let kills =
                    numbers(&mutant["killed_by"]).iter().any(|test| report["tests"][*test as usize]["name"] == *name);
                assert_eq!(kills, *fails, "{level} {argument}: {mutant:#}");
                *if kills { &mut killed } else { &mut survived } += 1;
            }
        }
        assert!(killed > 30 && survived > 10, "{killed} {survived}");
    }
}

#[test]
fn jobs_shards_and_executors_come_to_the_same() {
    let project = biggest_run(AMONG_OTHERS);
    let whole = report(&project, &["--jobs", "1"]);
    let reference = stored(&project);
    assert!(reference.len() > 300);
    for ways in [&["--jobs", "3"][..], &["--executor", "exec"]] {
        forget(&project);
        assert_eq!(report(&project, ways), whole, "{ways:?}");
        assert_eq!(stored(&project), reference, "{ways:?}");
    }
    forget(&project);
    let first = report(&project, &["--shard", "2/3"]);
    let statement = first["not_looked_at"].as_array().unwrap().last().unwrap().as_str().unwrap();
    assert!(statement.contains("2/3") && first["total"]["not_run"].as_u64().unwrap() > 0, "{statement}");
    report(&project, &["--shard", "3/3"]);
    report(&project, &["--shard", "1/3"]);
    assert_eq!(stored(&project), reference, "shards");
    assert_eq!(report(&project, &[]), whole);
    let files = fs::read_dir(Store::new(project.path()).kills().directory()).unwrap();
    let files: Vec<String> = files.map(|entry| entry.unwrap().path().display().to_string()).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).filter(|path| path.ends_with(".kills")).collect();
    let dumped = project.succeed(&[&["dump"], &files[..]].concat());
    assert_eq!(dumped.matches("mutant ").count(), reference.len(), "{dumped}");
}

#[test]
fn a_killed_session_goes_on_where_it_was() {
    let project = biggest();
    let whole = report(&project, &[]);
    let reference = stored(&project);
    forget(&project);
    let mut child = project
        .command(&["mutants", "--executor", "exec"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while stored(&project).len() < reference.len() / 4 {
        assert!(began.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = stored(&project).len();
    assert!(kept < reference.len(), "{kept}");
    let again = project.suspect(&["mutants", "--format", "json"]);
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(said.contains(&format!("suspect: {} trials in", reference.len() - kept)), "{said}");
    assert_eq!(serde_json::from_slice::<Value>(&again.stdout).unwrap(), whole);
    let none = report(&project, &["--fresh", "--budget", "0"]);
    assert_eq!(none["total"]["killed"], 0);
    assert!(none["not_looked_at"].to_string().contains("for want of time"), "{none}");
}

#[test]
fn after_the_first_kill_other_tests_are_not_run() {
    let project = biggest();
    let quick = report(&project, &["--first-kill"]);
    let whole = report(&project, &[]);
    for (quick, whole) in mutants(&quick).iter().zip(mutants(&whole)) {
        assert_eq!(quick["status"], whole["status"]);
        assert!(numbers(&quick["killed_by"]).len() <= 1);
    }
    assert!(stored(&project).len() > mutants(&whole).len());
}

#[test]
fn results_are_carried_over_while_function_callees_and_test_stay() {
    let project = biggest();
    let first = report(&project, &[]);
    let source = fs::read_to_string(project.path().join("biggest.c")).unwrap();
    // Another line above it, and another body of a function that only main calls.
    let later = format!("/* moved */\n{}", source.replace("numbers[i] > best", "best < numbers[i]"));
    project.write("biggest.c", &later).write("in/one", " 3 ");
    rebuild(&project);
    let second = report(&project, &[]);
    let one = second["tests"].as_array().unwrap().iter().position(|test| test["name"] == "one").unwrap() as u64;
    let (mut old, mut new) = (0, 0);
    for mutant in mutants(&second).iter().filter(|mutant| !numbers(&mutant["covered_by"]).is_empty()) {
        let is_kept = mutant["function"] != "biggest" && numbers(&mutant["covered_by"]) != [one];
        assert_eq!(!mutant["carried_over"].is_null(), is_kept, "{mutant:#}");
        *(if is_kept { &mut old } else { &mut new }) += 1;
    }
    assert!(old > 50 && new > 10, "{old} {new}");
    assert_eq!(second["total"]["carried_over"], old);
    let said = project.succeed(&["mutants"]);
    assert!(said.contains(&format!("{old} mutants have results that were carried over from earlier builds")), "{said}");
    assert_eq!(first["total"]["carried_over"], 0);
    // Another type of a parameter changes what its callers' results hang on.
    project.write("biggest.c", &later.replace("const int *numbers, int count", "const int *numbers, long count"));
    rebuild(&project);
    let third = report(&project, &[]);
    assert_eq!(third["total"]["carried_over"], 0, "{}", third["total"]);
}

#[test]
fn only_changed_lines_are_mutated_on_request() {
    let project = biggest();
    assert!(project.fail(&["mutants", "--since", "HEAD"], 1).contains("no work tree of git"));
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@localhost"]).args(arguments).current_dir(project.path());
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    };
    project.write(".gitignore", ".suspect\nprog\n");
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    assert!(project.fail(&["mutants", "--since", "nonsense"], 1).contains("git knows no such revision"));
    assert!(project.fail(&["mutants", "--since=--all"], 1).contains("--since"));
    let source = fs::read_to_string(project.path().join("biggest.c")).unwrap();
    let line = 1 + source.lines().position(|line| line.contains("sum += numbers[i]")).unwrap();
    project.write("biggest.c", &source.replace("sum += numbers[i];", "sum = sum + numbers[i];"));
    let report = report(&project, &["--since", "HEAD"]);
    assert!(!mutants(&report).is_empty());
    assert!(mutants(&report).iter().all(|mutant| mutant["edits"][0]["line"] == line), "{report:#}");
    assert!(report["not_looked_at"].to_string().contains("on lines that did not change"), "{report:#}");
}

#[test]
fn mutants_are_listed_before_they_run_and_junk_with_its_reason() {
    let project = biggest();
    let list = project.succeed(&["mutants", "--list", "--operators", "ror", "--functions", "big*"]);
    assert!(list.lines().all(|line| line.contains("  ROR  biggest() ")), "{list}");
    assert!(list.contains("biggest.c:9:13  ROR  biggest() `numbers[i] > best` becomes `numbers[i] >= best`"), "{list}");
    let junk = project.succeed(&["mutants", "--junk"]);
    assert!(junk.lines().any(|line| line.contains("`*` -> `+`: in what a macro expands to")), "{junk}");
    assert!(stored(&project).is_empty(), "nothing was run");
    let some = project.succeed(&["mutants", "--junk", "--lines", "biggest.c:9-10"]);
    assert!(junk.lines().count() > some.lines().count() && !some.is_empty(), "{some}");
    assert!(some.lines().all(|line| line.starts_with("biggest.c:9:") || line.starts_with("biggest.c:10:")), "{some}");
    let lines = project.succeed(&["mutants", "--list", "--lines", "biggest.c:9-10", "--files", "*.c"]);
    let on = |line: &str| line.starts_with("biggest.c:9:") || line.starts_with("biggest.c:10:");
    assert!(lines.lines().count() > 3 && lines.lines().all(on), "{lines}");
    let of = |seed: &str| project.succeed(&["mutants", "--list", "--sample", "10%", "--seed", seed]);
    assert_eq!(of("1"), of("1"));
    assert_ne!(of("1"), of("2"));
    for wrong in [
        &["--operators", "XYZ"][..],
        &["--lines", "biggest.c"],
        &["--sample", "x"],
        &["--tests", "nosuch"],
        &["--shard", "3/2"],
    ] {
        let said = project.fail(&[&["mutants"], wrong].concat(), 1);
        assert!(said.contains(wrong[0]), "{wrong:?}: {said}");
    }
}

#[test]
fn a_suite_that_fails_is_refused_with_the_failing_tests_named_and_flaky_tests_are_left_out() {
    let project = biggest();
    project.write("in/wrong", "1 2").write("expected/wrong", "3\n");
    project.write("in/luck", "5 $(( $(od -An -N1 -tu1 /dev/urandom) % 2 ))").write("expected/luck", "5 5 4\n");
    let config = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    project.write("suspect.toml", &config.replace(ALONE, "eval ./prog $(cat {input})"));
    project.succeed(&["test", "--repeat", "16"]);
    let said = project.fail(&["mutants"], 4);
    assert!(said.contains("1 of 7 tests fail without any mutant: wrong;"), "{said}");
    let some = report(&project, &["--tests", "one,luck,thr*", "--sample", "5"]);
    let names: Vec<&str> =
        some["tests"].as_array().unwrap().iter().map(|test| test["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["one", "three"]);
    assert_eq!(some["tests_not_used"][0]["name"], "luck");
    assert!(some["tests_not_used"][0]["why"].as_str().unwrap().contains("flaky"), "{some:#}");
    assert!(some["not_looked_at"].to_string().contains("4 tests (--tests)"), "{some:#}");
}

#[test]
fn reports_come_in_the_forms_of_other_tools() {
    let project = biggest();
    project.succeed(&["mutants", "--sample", "40", "--format", "stryker", "--output", "mutants.json"]);
    let stryker: Value = serde_json::from_slice(&fs::read(project.path().join("mutants.json")).unwrap()).unwrap();
    let file = &stryker["files"]["biggest.c"];
    assert_eq!(file["mutants"].as_array().unwrap().len(), 40);
    let source = fs::read_to_string(project.path().join("biggest.c")).unwrap();
    assert_eq!(file["source"], source);
    let sarif: Value =
        serde_json::from_str(&project.succeed(&["mutants", "--sample", "40", "--format", "sarif"])).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let survivors = file["mutants"].as_array().unwrap().iter().filter(|mutant| mutant["status"] == "Survived").count();
    assert!(survivors > 0 && results.len() == survivors, "{survivors}");
    let output = project.suspect(&["mutants", "--sample", "40"]);
    assert!(text(&output).contains("mutation score "), "{}", text(&output));
    let unwritable = project.fail(&["mutants", "--sample", "40", "--output", "no/such/dir/x"], 9);
    assert!(unwritable.contains("no/such/dir/x"), "{unwritable}");
}

#[test]
#[ignore = "fetches the schemas from npm and crates.io"]
fn reports_fit_the_official_schemas() {
    let project = biggest();
    official::check_stryker(&serde_json::from_str(&project.succeed(&["mutants", "--format", "stryker"])).unwrap());
    official::check_sarif(&serde_json::from_str(&project.succeed(&["mutants", "--format", "sarif"])).unwrap());
}

#[test]
fn programs_without_places_to_mutate_are_refused() {
    let project = biggest();
    project.succeed(&["build", "--modes", "edges,values"]);
    project.succeed(&["test"]);
    assert!(project.fail(&["mutants"], 5).contains("trace"));
}

/// Says what a number is like. What is 10 has two digits.
const DIVIDED: &str = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int number = atoi(argv[1]);
#ifdef BRIEF
    if (number == 0) {
#else
    if (number < 1) {
#endif
        puts(\"none\");
    }
#ifndef BRIEF
    else if (number > 10
#ifdef WIDE
             && number < 1000
#endif
             ) {
        puts(\"long\");
    }
#endif
    else {
        puts(\"short\");
    }
    return 0;
}
";

#[test]
fn conditions_that_directives_divide_are_changed_as_they_are_compiled() {
    let project = Project::new();
    let all = [("0", "none"), ("-3", "none"), ("1", "short"), ("5", "short"), ("10", "long"), ("12", "long")];
    project.write_lines("divided", DIVIDED, "./divided {line}", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let shown = project.succeed(&["rank"]);
    assert!(shown.contains("with `number >= 10`") && shown.contains("else if (number > 10"), "{shown}");
    let listed = project.succeed(&["mutants", "--list", "--operators", "ROR"]);
    assert!(listed.contains("`number < 1` becomes `number <= 1`") && !listed.contains("number == 0"), "{listed}");
    let patch = project.succeed(&["rank", "-v"]);
    assert!(patch.contains("-    else if (number > 10\n") && patch.contains("+    else if (number >= 10\n"), "{patch}");
}
