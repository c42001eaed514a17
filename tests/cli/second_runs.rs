//! Explanations where no passing test fits: the failing test against itself, with one condition that goes another way or one value that is another one.

use serde_json::Value;

use crate::project::Project;

const SUITE: &str = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"sh -c 'echo {line} | ./pay'\"\nexpect = \"expected/{n}\"\n";

fn line(tag: &str) -> u64 {
    line_in("pay", tag)
}

fn line_in(program: &str, tag: &str) -> u64 {
    crate::project::line_of(&format!("why/{program}.c"), &format!("/* {tag}"))
}

/// A program of tests/programs/why, built and tested with these inputs and the output that each is to give.
fn tested(program: &str, tests: &[(&str, &str)]) -> Project {
    let project = Project::new();
    let source = format!("{}/tests/programs/why/{program}.c", env!("CARGO_MANIFEST_DIR"));
    project.write("pay.c", &std::fs::read_to_string(source).unwrap()).write("suspect.toml", SUITE);
    for (number, (_, expected)) in (1..).zip(tests) {
        project.write(&format!("expected/{number}"), &format!("{expected}\n"));
    }
    project.write("tests.txt", &tests.iter().map(|(input, _)| format!("{input}\n")).collect::<String>());
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "pay", "pay.c"]);
    project.suspect(&["test"]);
    project
}

fn answer(project: &Project, arguments: &[&str]) -> Value {
    serde_json::from_str(&project.succeed(&[arguments, &["--format", "json"]].concat())).unwrap()
}

/// Of a line, without trials.
fn probability(project: &Project, line: u64) -> f64 {
    let ranking: Value =
        serde_json::from_str(&project.succeed(&["rank", "--no-trials", "--format", "json", "--top", "1000"])).unwrap();
    let entries = ranking["ranking"].as_array().unwrap();
    entries.iter().find(|entry| entry["line"] == line).unwrap()["probability"].as_f64().unwrap()
}

#[test]
fn a_failing_test_without_a_passing_one_is_compared_with_itself() {
    let project = tested("pay", &[("10", "8"), ("5", "999"), ("7", "7")]);
    let before = probability(&project, line("L1"));
    let found = answer(&project, &["explain"]);
    assert_eq!((&found["test"], &found["made"]["by"]), (&"1".into(), &"switched".into()));
    assert_eq!(found["made"]["point"]["line"], line("L1"));
    assert_eq!(found["against"], format!("itself with `total > 10` true at pay.c:{}", line("L1")));
    assert_eq!((&found["verified"], &found["complete"]), (&true.into(), &true.into()), "{found}");
    let origins = found["origins"].as_array().unwrap();
    assert!(origins.iter().any(|origin| origin["point"]["line"] == line("L1")), "{found}");
    let trust = found["trust"].to_string();
    assert!(trust.contains("no passing test is there to compare with"), "{trust}");
    assert!(!trust.contains("a fault of suspect's"), "{trust}");

    // The command repeats it without a search.
    let command: Vec<&str> = found["command"].as_str().unwrap().split(' ').skip(1).collect();
    let again = answer(&project, &command);
    assert_eq!((&again["steps"], &again["made"]["tried"]), (&found["steps"], &1.into()));
    let text = project.succeed(&["explain", "1", "--switch"]);
    assert!(text.contains("1 compared with itself with `total > 10` true at pay.c"), "{text}");
    assert!(text.contains("one condition that goes another way once"), "{text}");
    let sarif = project.succeed(&["explain", "1", "--switch", "--format", "sarif"]);
    assert!(sarif.contains("itself with `total > 10` true at pay.c"), "{sarif}");

    // What the chain proved is evidence in the next ranking.
    let ranking: Value =
        serde_json::from_str(&project.succeed(&["rank", "--no-trials", "--format", "json", "--top", "1000"])).unwrap();
    let entries = ranking["ranking"].as_array().unwrap();
    let on_chain =
        |entry: &&Value| entry["reasons"].to_string().contains("on the causal chain proved by `suspect explain 1");
    let lines: Vec<u64> = entries.iter().filter(on_chain).map(|entry| entry["line"].as_u64().unwrap()).collect();
    assert!(lines.contains(&line("L1")) && lines.len() < entries.len(), "{lines:?}");
    assert!(probability(&project, line("L1")) >= before, "{entries:?}");

    // A ranking that tried changes knows where to look first.
    project.succeed(&["rank", "--budget", "20s"]);
    assert_eq!(answer(&project, &["explain", "1"])["made"]["tried"], 1);

    // What is written is the switched condition's doing: it is where the difference comes in.
    let found = answer(&project, &["explain", "3"]);
    assert_eq!((&found["made"]["point"]["line"], &found["verified"]), (&line("L5").into(), &true.into()), "{found}");
    assert_eq!(found["origins"][0]["point"]["line"], line("L5"), "{found}");
    let turned = found["origins"][0]["what"].to_string();
    assert!(turned.contains("is true here, false there") || turned.contains("is false here, true there"), "{found}");

    // Where nothing can be compared, the way to a suspected line is told, and why there is nothing else.
    let output = project.suspect(&["explain", "2"]);
    let none = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{none}");
    assert!(none.contains("one of the likeliest lines of the last `suspect rank`"), "{none}");
    assert!(
        none.contains(
            "no condition makes 2 pass by going another way once: 4 other ways at the 4 decisions of its run were tried"
        ),
        "{none}"
    );
    assert!(none.contains("no value makes 2 pass in place of another one once: "), "{none}");
    let wrong = project.fail(&["explain", "1", "--switch=0:0"], 1);
    assert!(wrong.contains("1 does not pass with --switch=0:0"), "{wrong}");
    let garbled = project.fail(&["explain", "1", "--switch=first"], 1);
    assert!(garbled.contains("NUMBER:WAY"), "{garbled}");
}

#[test]
fn a_passing_test_that_never_comes_there_is_not_compared_with() {
    let project = tested("pay", &[("10", "8"), ("-1", "nothing to pay")]);
    let place = format!("pay.c:{}", line("L3"));
    let found = answer(&project, &["explain", "1", "--effect", &place]);
    assert_eq!(found["made"]["point"]["line"], line("L1"), "{found}");
    assert!(found["trust"].to_string().contains("never comes to where the question is"), "{found}");
    let named = project.fail(&["explain", "1", "--against", "2", "--effect", &place], 1);
    assert!(named.contains("was not executed in the passing run"), "{named}");
    // Nor is it where nobody asks: what the failing test writes and should not is written there.
    let found = answer(&project, &["explain", "1"]);
    assert_eq!(found["made"]["point"]["line"], line("L1"), "{found}");
}

/// Inputs of the receipt program with what it is to write: one that it gets wrong, and one for that it does not come there.
const WRONG: (&str, &str) = ("7 3 10 10 10", "customer 7\nto pay 28\nfor 3\nthank you");
const EMPTY: (&str, &str) = ("7 0", "customer 7\nthank you");

#[test]
fn what_is_explained_is_what_is_not_expected() {
    // The runs differ from their first output on, as their inputs do.
    let project = tested("receipt", &[WRONG, EMPTY, ("8 4 10 10 10 10", "customer 8\nto pay 38\nfor 4\nthank you")]);
    let found = answer(&project, &["explain"]);
    assert_eq!((&found["test"], &found["against"]), (&"1".into(), &"3".into()), "{found}");
    let wrong = format!("line 2 is `to pay 30`, expected `to pay 28`; pay.c:{} writes it", line_in("receipt", "L4"));
    assert!(found["effect"].as_str().unwrap().contains(&wrong), "{found}");
    let steps = found["steps"].as_array().unwrap();
    let fault = line_in("receipt", "L3");
    assert!(steps.iter().any(|step| step["cause_point"]["line"] == fault), "{found}");
    assert!(!found["trust"].to_string().contains("does not show"), "{found}");
    // Once a change is known that mends it, it is compared with itself under that: inputs are equal, and the chain begins at the change.
    project.succeed(&["rank", "--budget", "20s"]);
    let mended = answer(&project, &["explain", "1"]);
    assert!(mended["against"].as_str().unwrap().starts_with("itself with "), "{mended}");
    assert!(mended["trust"][0].as_str().unwrap().contains("the best change that `suspect rank` found: "), "{mended}");
    assert_eq!((&mended["verified"], &mended["made"]["point"]["line"]), (&true.into(), &fault.into()), "{mended}");
    // What is asked for is explained.
    let customer = format!("pay.c:{}:customer", line_in("receipt", "L1"));
    let asked = answer(&project, &["explain", "1", "--against", "3", "--effect", &customer]);
    assert!(asked["effect"].as_str().unwrap().contains("is 7 here, 8 there"), "{asked}");
}

/// A check that fails leaves by a jump, and says on standard error what failed.
const CHECKED: &str = r#"#include <setjmp.h>
#include <stdio.h>

static jmp_buf out;

static int rest(int a, int b)
{
    int q = a / b;
    return a - q * q; /* the fault: should be a - q * b */
}

static void check(int a, int b, int c)
{
    if (rest(a, b) != c) {
        fprintf(stderr, "failed: %d %% %d\n", a, b);
        longjmp(out, 1);
    }
}

static int handle(int failed)
{
    if (failed)
        return 1;
    return 0;
}

int main(void)
{
    int a, b, c, how;
    if ((how = setjmp(out)) == 0)
        while (scanf("%d %d %d", &a, &b, &c) == 3)
            check(a, b, c);
    return handle(how);
}
"#;

#[test]
fn a_change_that_leaves_the_complaint_is_no_mend_to_compare_with() {
    let project = Project::new();
    project.write("pay.c", CHECKED).write("tests.txt", "7 2 1\n5 2 1\n6 2 0 9 3 0\n4 2 0\n");
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"sh -c 'echo {line} | ./pay'\"\n",
    );
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "pay", "pay.c"]);
    project.suspect(&["test"]);
    project.succeed(&["rank", "--budget", "20s"]);
    let output = project.suspect(&["explain", "1", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let line_of = |text: &str| 1 + CHECKED.lines().position(|line| line.contains(text)).unwrap() as u64;
    let silencing = [line_of("return 1;"), line_of("if (failed)"), line_of("how = setjmp")];
    let made = found["made"]["point"]["line"].as_u64().unwrap_or_default();
    assert!(!silencing.contains(&made), "{found}");
}

#[test]
fn what_a_header_of_the_system_writes_its_caller_writes() {
    let other = ("8 4 1 1 1 1", "customer 8\n2for 4\nthank you");
    let project = tested("receipt", &[("7 3 1 2 3", "customer 7\n4for 3\nthank you"), other]);
    let source = std::fs::read_to_string(project.path().join("pay.c")).unwrap();
    project
        .write("pay.c", &source.replace("printf(\"to pay %d\\n\", sum - discount)", "putchar('0' + sum - discount)"));
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "pay", "pay.c"]);
    project.suspect(&["test"]);
    let found = answer(&project, &["explain"]);
    let wrong = format!("line 2 is `6for 3`, expected `4for 3`; pay.c:{} writes it", line_in("receipt", "L4"));
    assert!(found["effect"].as_str().unwrap().contains(&wrong), "{found}");
    assert_eq!(found["against"], "2", "{found}");
}

#[test]
fn what_is_written_is_found_in_runs_that_do_not_go_the_same_way_twice() {
    let other = ("8 4 10 10 10 10", "customer 8\nto pay 38\nfor 4\nthank you");
    let project = tested("receipt", &[WRONG, other]);
    with_noise(
        &project,
        "#include <sys/random.h>",
        "unsigned noise = 0; getrandom(&noise, sizeof noise, 0); noise %= 9973;",
    );
    let found = answer(&project, &["explain"]);
    assert!(found["trust"].to_string().contains("does not do the same each time"), "{found}");
    assert!(!found["command"].as_str().unwrap().contains("--clock"), "{found}");
    assert!(found["effect"].as_str().unwrap().contains("expected `to pay 28`; pay.c:"), "{found}");
}

/// Builds and tests the program again with a loop of as many rounds as `noise` says, after a header and before it reads anything.
fn with_noise(project: &Project, header: &str, noise: &str) {
    let source = std::fs::read_to_string(project.path().join("pay.c")).unwrap();
    let noisy = format!("{noise}\n    while (noise > 0)\n        noise--;\n    if (scanf");
    project.write("pay.c", &format!("{header}\n{}", source.replacen("if (scanf", &noisy, 1)));
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "pay", "pay.c"]);
    project.suspect(&["test"]);
}

#[test]
fn clocks_that_are_held_say_whole_seconds_from_there() {
    let project = Project::new();
    project.write(
        "clocks.c",
        "#include <stdio.h>\n#include <sys/time.h>\n#include <time.h>\nint main(void)\n{\n    struct timespec real, steady, used, told;\n    \
         struct timeval day;\n    time_t seconds, same = time(&seconds);\n    clock_gettime(CLOCK_REALTIME, &real);\n    \
         clock_gettime(CLOCK_MONOTONIC, &steady);\n    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);\n    \
         gettimeofday(&day, NULL);\n    timespec_get(&told, TIME_UTC);\n    \
         printf(\"%ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %d\", (long)seconds, (long)same, real.tv_sec, real.tv_nsec, \
         steady.tv_sec, steady.tv_nsec, day.tv_sec, (long)day.tv_usec, told.tv_sec, told.tv_nsec, used.tv_sec, used.tv_nsec, \
         (long)clock(), clock_gettime(-1, &real) == 0);\n    return 0;\n}\n",
    );
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "clocks", "clocks.c"]);
    let said = |clock: &str| {
        let mut command = std::process::Command::new(project.path().join("clocks"));
        command.env("SUSPECT_RECORD", "record").env("SUSPECT_OUT", project.path()).env("SUSPECT_CLOCK", clock);
        let output = command.output().unwrap();
        assert!(output.status.success());
        let words = String::from_utf8(output.stdout).unwrap();
        words.split(' ').map(|word| word.parse::<i64>().unwrap()).collect::<Vec<_>>()
    };
    // It may take longer than a second where others work, too.
    let held = said("5000");
    assert!((5000..5100).contains(&held[0]), "{held:?}");
    for (at, seconds) in [(1, held[0]), (2, held[0]), (4, held[0]), (6, held[0]), (8, held[0]), (10, 0)] {
        assert!((seconds..seconds + 60).contains(&held[at]), "{at}: {held:?}");
    }
    assert_eq!([3, 5, 7, 9, 11, 12].map(|at| held[at] % 1_000_000), [0; 6], "{held:?}");
    assert_eq!((held[13], said("0")[13]), (0, 0), "{held:?}");
    let (before, free) = (std::time::SystemTime::now(), said("0"));
    let before = before.duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap().as_secs() as i64;
    assert!(
        (before..before + 100).contains(&free[0]) && free[2] >= before && free[6] >= before && free[8] >= before,
        "{free:?}"
    );
    assert!([3, 5, 7, 9].iter().any(|at| free[*at] != 0), "{free:?}");
}

#[test]
fn a_test_that_takes_its_course_from_a_clock_is_its_own_example_once_that_is_held() {
    let noises = [
        ("time.h", "long noise = time(NULL) % 97;"),
        ("time.h", "struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); long noise = now.tv_nsec % 9973;"),
    ];
    for (header, noise) in noises {
        let project = tested("receipt", &[WRONG, EMPTY]);
        with_noise(&project, &format!("#include <{header}>"), noise);
        let found = answer(&project, &["explain"]);
        let made = &found["made"];
        assert_eq!(made["by"], "switched", "{noise}: {found}");
        assert_eq!(made["point"]["line"], line_in("receipt", "L3") + 4, "{noise}: {found}");
        assert!(found["trust"].to_string().contains("with its clock held"), "{noise}: {found}");
        assert_eq!(found["verified"], true, "{noise}: {found}");
        // The command repeats it, whatever time it is.
        let command: Vec<&str> = found["command"].as_str().unwrap().split(' ').skip(1).collect();
        assert!(command.contains(&"--clock"), "{noise}: {command:?}");
        let again = answer(&project, &command);
        assert_eq!((&again["steps"], &again["made"]["tried"]), (&found["steps"], &1.into()), "{noise}");
    }
}

#[test]
fn where_no_passing_test_writes_it_the_failing_one_is_its_own_example() {
    let project = tested("receipt", &[WRONG, EMPTY]);
    let found = answer(&project, &["explain"]);
    let fault = line_in("receipt", "L3");
    assert_eq!((&found["made"]["by"], &found["made"]["point"]["line"]), (&"switched".into(), &fault.into()), "{found}");
    assert!(found["trust"].to_string().contains("no passing test like it writes something else there"), "{found}");
    // Whoever names the passing test is told that it cannot show what is wrong.
    let found = answer(&project, &["explain", "1", "--against", "2"]);
    let (effect, trust) = (found["effect"].as_str().unwrap(), found["trust"].to_string());
    assert!(effect.contains("expected `to pay 28`") && effect.contains("where 2 does not come"), "{found}");
    let place = format!("pay.c:{}", line_in("receipt", "L4"));
    assert!(trust.contains(&format!("2 does not show what {place} should have written")), "{found}");
    assert!(trust.contains("`suspect slice 1 wrong` tells what it depends on"), "{found}");
    let slice = answer(&project, &["slice", "1", "wrong"]);
    assert_eq!(slice["place"], place, "{slice}");
    let lines: Vec<u64> =
        slice["lines"].as_array().unwrap().iter().map(|line| line["line"].as_u64().unwrap()).collect();
    // The condition that is wrong has no part in it: nothing was subtracted.
    assert!(lines.contains(&line_in("receipt", "L2")) && !lines.contains(&line_in("receipt", "L5")), "{slice}");
    let none = project.fail(&["slice", "2", "wrong"], 1);
    assert!(none.contains("2: no call is known that writes what is not expected"), "{none}");
    let steps = found["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["cause_point"]["line"] == line_in("receipt", "L2")), "{found}");
}

#[test]
fn what_nothing_can_be_compared_with_is_said_to_be_that() {
    // Nothing that is changed makes it write letters.
    let project = tested("receipt", &[("7 3 10 10 10", "customer 7\nto pay all\nfor 3\nthank you"), EMPTY]);
    let found = answer(&project, &["explain", "--budget", "5s"]);
    assert_eq!((&found["against"], &found["made"]), (&"2".into(), &Value::Null), "{found}");
    assert!(found["trust"].to_string().contains("2 does not show what"), "{found}");
}

#[test]
fn where_no_time_is_left_to_read_the_change_that_mends_is_told() {
    let project = tested("pay", &[("10", "8"), ("5", "5"), ("20", "18")]);
    project.succeed(&["rank", "--budget", "20s"]);
    // No machine records and reads in that time.
    let output = project.suspect(&["explain", "1", "--budget", "1ms", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(output.status.code(), Some(2), "{found}");
    assert_eq!(found["origins"][0]["point"]["line"], line("L1"), "{found}");
    assert!(found["origins"][0]["what"].to_string().contains("there, 1 passes"), "{found}");
    assert!(found["trust"].to_string().contains("no time was left"), "{found}");
}

#[test]
fn where_no_condition_helps_a_value_is_replaced() {
    let project = tested("bill", &[("3 10 20 30", "144")]);
    let fault = line_in("bill", "L2");
    let conditions = project.fail(&["explain", "1", "--switch"], 4);
    assert!(
        conditions.contains(
            "no condition makes 1 pass by going another way once: 8 other ways at the 8 decisions of its run were tried"
        ),
        "{conditions}"
    );
    let found = answer(&project, &["explain"]);
    let made = &found["made"];
    assert_eq!((&made["by"], &made["point"]["line"]), (&"replaced".into(), &fault.into()), "{found}");
    assert_eq!(made["value"], serde_json::json!({ "what": "base", "failing": "7", "passing": "8" }));
    assert_eq!(found["against"], format!("itself with `base` at pay.c:{fault} replaced by 8"));
    assert_eq!((&found["verified"], &found["complete"]), (&true.into(), &true.into()), "{found}");
    let steps = found["steps"].as_array().unwrap();
    let causes: Vec<String> = steps.iter().map(|step| step["causes"][0]["what"].as_str().unwrap().to_owned()).collect();
    assert_eq!(causes, ["all", "base", "base"], "{found}");
    assert_eq!(found["origins"][0]["point"]["line"], fault, "{found}");
    let trust = found["trust"].to_string();
    assert!(trust.contains("one value that is another one once"), "{trust}");

    // The command repeats it without a search; the recordings alone say the same.
    let command: Vec<&str> = found["command"].as_str().unwrap().split(' ').skip(1).collect();
    let again = answer(&project, &command);
    assert_eq!((&again["steps"], &again["made"]["tried"]), (&found["steps"], &1.into()));
    let offline = answer(&project, &[&command[..], &["--engine", "offline"]].concat());
    assert_eq!((&offline["verified"], offline["steps"].as_array().unwrap().len()), (&true.into(), steps.len()));
    let any = answer(&project, &["explain", "1", "--replace"]);
    assert_eq!(any["made"]["option"], made["option"]);
    let wrong = project.fail(&["explain", "1", "--replace=0:9"], 1);
    assert!(wrong.contains("1 does not pass with --replace=0:9; give --replace alone to look for one"), "{wrong}");
    let none = project.fail(&["explain", "1", "--replace=999:9"], 1);
    assert!(none.contains("1 stores no number with the number 999"), "{none}");
    let garbled = project.fail(&["explain", "1", "--replace=first"], 1);
    assert!(garbled.contains("NUMBER:VALUE"), "{garbled}");

    // A ranking that tried changes knows which value to replace.
    project.succeed(&["rank", "--budget", "20s"]);
    assert_eq!(answer(&project, &["explain", "1"])["made"]["tried"], 1);
}

#[test]
fn a_change_that_acts_each_time_makes_the_run_to_compare_with() {
    let tests = [("1 2 3", "6"), ("-1 5 -2 -9", "-7"), ("7", "7"), ("4 4", "8"), ("-3 -4 9", "2")];
    let project = tested("sum", &tests);
    project.succeed(&["rank", "--budget", "20s"]);
    let found = answer(&project, &["explain", "2"]);
    let fault = line_in("sum", "L1");
    assert_eq!((&found["made"]["by"], &found["made"]["point"]["line"]), (&"switched everywhere".into(), &fault.into()));
    assert_eq!((&found["verified"], &found["complete"]), (&true.into(), &true.into()), "{found}");
    let origins = found["origins"].as_array().unwrap();
    assert!(origins.iter().all(|origin| origin["point"]["line"] == fault), "{found}");
    let told: String = origins.iter().map(|origin| origin["what"].to_string()).collect();
    let at = |value: &str| told.contains(&format!("`value` is {value} "));
    assert!(["-1", "-2", "-9"].into_iter().all(at), "{told}");
    let trust = found["trust"].to_string();
    assert!(trust.contains("`value < 0` becomes `false`") && trust.contains("each time"), "{trust}");
    assert!(!trust.contains("a fault of suspect's"), "the turns are no disagreements: {trust}");

    // The command makes the same run; the other way each time is one, too; once is not enough.
    let command: Vec<&str> = found["command"].as_str().unwrap().split(' ').skip(1).collect();
    let option = found["made"]["option"].as_str().unwrap();
    assert!(option.starts_with("--switch=every:") && command.contains(&option), "{command:?}");
    assert_eq!(answer(&project, &command)["steps"], found["steps"]);
    let number: &str = option.split(':').nth(1).unwrap();
    let text = project.fail(&["explain", "2", &format!("--switch=every:{number}:other")], 1);
    assert!(text.contains("2 does not pass with --switch=every:"), "{text}");
    let text = project.fail(&["explain", "2", &format!("--switch={number}:1")], 1);
    assert!(text.contains("2 does not pass with --switch="), "{text}");
    let garbled = project.fail(&["explain", "2", "--switch=every:all"], 1);
    assert!(garbled.contains("every:NUMBER:WAY"), "{garbled}");
    let nowhere = project.fail(&["explain", "2", "--switch=every:999:1"], 1);
    assert!(nowhere.contains("2 makes no decision with the number 999"), "{nowhere}");
}
