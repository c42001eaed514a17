//! `suspect rank` without a method, on real builds: where the fault is among the first, where nothing or everything turns the tests, without expected
//! outputs, where the program crashes, and where nothing can be tried.

use std::fs;

use serde_json::Value;
use suspect::report::{Effect, RankingReport, WhyReport};

use crate::project::{Project, line_of};

/// Arguments of `parcel.c`, and what it should print.
pub const PARCELS: [(&str, &str, u32); 8] = [
    ("light", "1 3 1", 4),
    ("near", "2 3 1", 7),
    ("far", "3 20 2", 34),
    ("limit", "1 10 1", 9),
    ("limits", "2 10 2", 24),
    ("many", "1 9 5", 16),
    ("heavy", "1 12 1", 9),
    ("none", "2 10 0", 0),
];

/// How the shell comes to run the program: it becomes the program, so that trials are forked.
pub const ALONE: &str = "read -r all < {input}; exec ./prog $all";
/// It runs the program among other processes, so that each trial is a process tree of its own.
pub const AMONG_OTHERS: &str = "./prog $(cat {input})";

/// The program, built and recorded.
pub fn parcel() -> Project {
    parcel_run(ALONE)
}

/// The program, built and recorded; each of its tests runs this.
pub fn parcel_run(run: &str) -> Project {
    let project = Project::new();
    project.copy_program("parcel.c");
    for (name, arguments, cost) in PARCELS {
        let zone = arguments.split(' ').next().unwrap();
        project.write(&format!("in/{name}"), arguments);
        project.write(&format!("expected/{name}"), &format!("zone {zone}\ncost {cost}\n"));
    }
    project.write(
        "suspect.toml",
        &format!(
            "[build]\ncommand = \"cc -O1 -o prog parcel.c\"\n\n[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\n\
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

/// A project of one file and a suite of lines, whose program is called with each line, built and recorded.
fn by_lines(program: &str, lines: &str, suite: &str) -> Project {
    let project = Project::new();
    project.write("prog.c", program).write("tests.txt", lines).write(
        "suspect.toml",
        &format!(
            "[build]\ncommand = \"cc -O1 -o prog prog.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\n\
             run = \"./prog {{line}}\"\n{suite}"
        ),
    );
    rebuild(&project);
    project
}

/// The default ranking as JSON, which fits its schema.
#[track_caller]
pub fn ranked(project: &Project, arguments: &[&str]) -> RankingReport {
    let ranking = project.ranking(arguments);
    let schema: Value = serde_json::from_str(include_str!("../../docs/ranking.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&ranking).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let report: RankingReport = serde_json::from_value(ranking).unwrap();
    let sum: f64 = report.ranking.iter().filter_map(|entry| entry.probability).sum();
    assert!((0.5..=1.0 + 1e-9).contains(&sum), "probabilities sum to {sum}");
    let within = &report.confidence.as_ref().unwrap().within;
    let first: f64 = report.ranking.iter().take(3).filter_map(|entry| entry.probability).sum();
    assert!(within.iter().any(|within| within.first == 3 && (within.probability - first).abs() < 1e-9), "{within:?}");
    report
}

fn reasons(report: &RankingReport) -> Vec<&str> {
    report.ranking.iter().flat_map(|entry| &entry.reasons).map(|reason| reason.text.as_str()).collect()
}

#[test]
fn the_fault_is_among_the_first_with_the_repair_as_a_patch() {
    let project = parcel_run(AMONG_OTHERS);
    let output = project.suspect(&["rank", "-v"]);
    let (text, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(said.contains("trying changes on 2 failing and 6 passing tests"), "{said}");
    assert!(said.contains(" trials in "), "{said}");
    let fault = line_of("parcel.c", "kilos > 10");
    let place = text.split("\n\n").take(3).find(|place| place.contains(&format!("parcel.c:{fault} "))).expect(&text);
    assert!(place.contains("with >= instead of > all 2 failing tests pass and none of the "), "{place}");
    assert!(place.contains("\n      suspect replay ") && place.contains("\n      +    if (kilos >= 10)\n"), "{place}");
    assert!(text.contains("the fault is at the first line: ") && text.contains(", within the first 3: "), "{text}");
    let report = ranked(&project, &[]);
    assert_eq!(report.method, "all_evidence");
    let trials = report.trials.unwrap();
    assert!(trials.finished && trials.repairs > 0 && trials.flips >= trials.repairs, "{trials:?}");
    assert_eq!((trials.failing, trials.passing), (2, 6));
    let top = report.ranking.iter().take(3).find(|entry| u64::from(entry.line) == fault).expect("the fault");
    let claims: Vec<_> = top.reasons.iter().filter_map(|reason| reason.claim.as_ref()).collect();
    assert!(claims.iter().any(|claim| claim.patch.as_ref().is_some_and(|patch| patch.contains("kilos >= 10"))));
}

#[test]
fn a_step_that_is_missing_is_put_in() {
    let source = r#"
#include <stdio.h>
static char room[64];
static void copy(char *out, char *in)
{
    while (*in) {
        if (*in != '-')
            *out = *in;
        in++;
    }
    *out = 0;
}
int main(int argc, char **argv)
{
    copy(room, argc > 1 ? argv[1] : "");
    printf("%s\n", room);
    return 0;
}
"#;
    let suite = "reference = \"echo {line} | tr -d -\"\n";
    let report = ranked(&by_lines(source, "abc\na-b\n-xyz-\n-\n--\n", suite), &["--budget", "10"]);
    let of_step = "with `out++` instead of `out`";
    let reasons: Vec<&str> = report.ranking[0].reasons.iter().map(|reason| reason.text.as_str()).collect();
    let line = 1 + source.lines().position(|line| line.contains("*out = *in")).unwrap() as u32;
    assert_eq!(report.ranking[0].line, line, "{reasons:?}");
    assert!(reasons.iter().any(|reason| reason.contains(of_step)), "{reasons:?}");
}

#[test]
fn a_wrong_relation_comes_before_a_guard_that_mends_too() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nstatic int absolute(int x)\n{\n    if (x < -1)\n        return -x;\n    return x;\n}\n\
                  int main(int argc, char **argv)\n{\n    printf(\"%d\\n\", absolute(argc > 1 ? atoi(argv[1]) : 0));\n    return 0;\n}\n";
    let report =
        ranked(&by_lines(source, "3\n-1\n0\n", "reference = \"echo {line} | tr -d -\"\n"), &["--budget", "10"]);
    assert_eq!(report.ranking[0].line, 5, "{:?}", reasons(&report));
    assert!(reasons(&report).iter().any(|reason| reason.contains("`if (x < 0) return -x;`")), "{:?}", reasons(&report));
}

#[test]
fn a_wrong_string_becomes_another_of_the_program() {
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char *unit(int grams)
{
    const char *name = "g";
    if (grams >= 1000000)
        name = "t";
    else if (grams >= 1000)
        name = "k";
    return name;
}
int main(int argc, char **argv)
{
    int grams = argc > 1 ? atoi(argv[1]) : 0;
    const char *found = unit(grams);
    int scale = strcmp(found, "kg") == 0 ? 1000 : strcmp(found, "t") == 0 ? 1000000 : 1;
    printf("%d %s\n", grams / scale, found);
    return 0;
}
"#;
    let suite = "reference = \"awk -v g={line} 'BEGIN { s = g >= 1000000 ? 1000000 : g >= 1000 ? 1000 : 1; \
                 print int(g / s), s == 1 ? \\\"g\\\" : s == 1000 ? \\\"kg\\\" : \\\"t\\\" }'\"\n";
    let report = ranked(&by_lines(source, "5\n999\n1000\n2500\n3000000\n", suite), &["--budget", "10"]);
    let told = "writing \"kg\" to `name` makes all 2 failing tests pass";
    assert!(reasons(&report).iter().any(|reason| reason.contains(told)), "{:?}", reasons(&report));
    let line = 1 + source.lines().position(|line| line.contains("name = \"k\"")).unwrap() as u32;
    assert!(report.ranking.iter().take(3).any(|entry| entry.line == line), "{:?}", report.ranking);
}

#[test]
fn without_trials_coverage_ranks_and_nothing_runs() {
    let project = parcel();
    let output = project.suspect(&["rank", "--no-trials", "--format", "json", "--top", "1000"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: RankingReport = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((report.trials, report.not_tried.len()), (None, 1));
    assert!(report.not_tried[0].contains("--no-trials"), "{:?}", report.not_tried);
    assert!(!project.path().join(".suspect/evidence").exists());
    // What was tried in the meantime is known without running anything, also while somebody else searches.
    let tried = ranked(&project, &["--budget", "30s"]);
    assert!(tried.trials.unwrap().finished);
    assert_eq!(ranked(&project, &["--no-trials"]), tried);
    let place = tried.ranking[0].unit.clone();
    let evidence = fs::read_dir(project.path().join(".suspect/evidence")).unwrap().next().unwrap().unwrap().path();
    let lock = fs::read_dir(&evidence).unwrap().map(|entry| entry.unwrap().path());
    let lock = lock.into_iter().find(|path| path.extension().is_some_and(|end| end == "lock")).unwrap();
    let mut held =
        std::process::Command::new("flock").arg("--no-fork").arg(&lock).args(["sleep", "60"]).spawn().unwrap();
    while std::process::Command::new("flock").arg("-n").arg(&lock).arg("true").status().unwrap().success() {}
    let why = project.succeed(&["rank", "--why", &place]);
    held.kill().unwrap();
    held.wait().unwrap();
    assert!(!why.contains("no change was tried") && why.contains("suspect replay "), "{why}");
    let message = project.fail(&["rank", "--method", "ochiai", "--no-trials"], 1);
    assert!(message.contains("--no-trials") && message.contains("suspect methods"), "{message}");
    let message = project.fail(&["rank", "--method", "ochiai", "--why", "parcel.c:17"], 1);
    assert!(message.contains("--why"), "{message}");
}

#[test]
fn where_nothing_turns_the_test_that_is_said() {
    let project = parcel();
    for name in ["limit", "limits"] {
        project.write(&format!("expected/{name}"), "no change of a number writes this\n");
    }
    project.succeed(&["test"]);
    let report = ranked(&project, &[]);
    let trials = report.trials.unwrap();
    assert_eq!((trials.flips, trials.repairs, trials.finished), (0, 0, true));
    assert!(
        report.trust.iter().any(|statement| statement.contains("no change that was tried makes a failing test pass"))
    );
    let claims = report.ranking.iter().flat_map(|entry| &entry.reasons).filter_map(|reason| reason.claim.as_ref());
    assert!(claims.flat_map(|claim| &claim.outcomes).all(|outcome| outcome.effect != Effect::Passes));
    let text = project.succeed(&["rank", "-v"]);
    assert!(text.contains("none make a failing test pass"), "{text}");
}

#[test]
fn what_mends_a_part_of_a_line_that_no_passing_test_executes_breaks_none() {
    let program = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    int x = atoi(argv[1]), n;\n    \
                   if (x < 5) n = 2; else n = 9;\n    printf(\"%d\\n\", n * argc);\n    return 0;\n}\n";
    let project =
        by_lines(program, "1\n7\n4\n8\n", "reference = \"if [ {line} -lt 5 ]; then echo 6; else echo 18; fi\"\n");
    let report = ranked(&project, &[]);
    let trials = report.trials.as_ref().unwrap();
    assert!(trials.finished && trials.repairs > 0, "{trials:?}");
}

#[test]
fn what_makes_a_test_end_that_does_not_is_found() {
    let program = "#include <stdio.h>\nint width(char c)\n{\n    return c == '-' ? 0 : 1;\n}\nint main(int argc, char **argv)\n{\n    \
                   int n = 0;\n    for (int i = 0; argv[1][i]; i += width(argv[1][i]))\n        n++;\n    \
                   printf(\"%d\\n\", n);\n    return argc - 2;\n}\n";
    let suite = "reference = \"printf %s {line} | wc -c\"\ntimeout = 1\n";
    let project = by_lines(program, "one\nand-two\nx\nseven\n", suite);
    let report = ranked(&project, &[]);
    let trials = report.trials.as_ref().unwrap();
    assert_eq!((trials.failing, trials.finished), (1, true), "{:?}", report.not_tried);
    assert!(report.ranking[..2].iter().any(|entry| entry.line == 4), "{:?}", report.ranking);
    let mut claims = report.ranking.iter().flat_map(|entry| &entry.reasons).filter_map(|reason| reason.claim.as_ref());
    let repair = claims.find(|claim| claim.outcomes.iter().any(|one| one.effect == Effect::Passes)).unwrap();
    let shown = project.succeed(&["replay", &repair.id]);
    assert!(shown.contains("passes"), "{shown}");
    // What makes it end elsewhere does not make it pass.
    assert!(trials.flips < trials.candidates, "{trials:?}");
    // A test that waits for ever goes round no loop.
    project.write(
        "prog.c",
        &program.replace("n++;", "for (n++; c_is(argv[1][i]); pause()) {}").replace(
            "#include <stdio.h>\n",
            "#include <stdio.h>\n#include <unistd.h>\nint c_is(char c) { return c == '-'; }\n",
        ),
    );
    rebuild(&project);
    let report = ranked(&project, &[]);
    assert!(report.not_tried.iter().any(|what| what.contains("does not end")), "{:?}", report.not_tried);
}

#[test]
fn one_long_test_does_not_make_each_trial_of_a_test_without_end_long_and_a_long_mend_is_found() {
    let program = "#include <stdio.h>\nint width(char c)\n{\n    return c == '-' ? 0 : 1;\n}\nint main(int argc, char **argv)\n{\n    \
                   int n = 0, sum = 0;\n    for (int i = 0; argv[1][i]; i += width(argv[1][i]))\n        n += argv[1][i] == 'z';\n    \
                   for (int i = 0; i < n * 120000; i++)\n        sum += i % 7 == 0;\n    \
                   printf(\"%d %d\\n\", n, sum);\n    return argc - 2;\n}\n";
    let reference = "n=$(printf %s {line} | tr -dc z | wc -c); echo $n $(((n * 120000 + 6) / 7))";
    let suite = format!("reference = \"{reference}\"\ntimeout = 1\n");
    let project = by_lines(program, "one\nz-z\nx\nseven\na\nb\nzzzzzzzz\n", &suite);
    let report = ranked(&project, &["--budget", "5min"]);
    let trust = report.trust.join("\n");
    assert!(trust.contains(" are cut after 524288 branches"), "{trust}");
    let trials = report.trials.as_ref().unwrap();
    assert!(trials.failing == 1 && trials.repairs > 0, "{trials:?} {:?}", report.not_tried);
    assert!(report.ranking[..2].iter().any(|entry| entry.line == 4), "{:?}", report.ranking);
}

#[test]
fn what_ends_a_flood_of_output_is_found() {
    let program = "#include <stdio.h>\nint width(char c)\n{\n    return c == '-' ? 0 : 1;\n}\nint main(int argc, char **argv)\n{\n    \
                   int n = 0;\n    for (int i = 0; argv[1][i]; i += width(argv[1][i])) {\n        n++;\n        \
                   if (argv[1][i] == '-')\n            fputs(\"----------------\", stdout);\n    }\n    \
                   printf(\"%d\\n\", n);\n    return argc - 2;\n}\n";
    let suite = "reference = \"printf %s {line} | tr -dc - | sed s/-/----------------/; printf %s {line} | wc -c\"\n";
    let project = by_lines(program, "one\nand-two\nx\nseven\n", suite);
    let report = ranked(&project, &[]);
    assert!(report.ranking[..2].iter().any(|entry| entry.line == 4), "{:?} {:?}", report.ranking, report.not_tried);
    let trials = report.trials.as_ref().unwrap();
    assert!(trials.failing == 1 && trials.repairs > 0, "{trials:?}");
}

#[test]
fn a_failing_test_that_runs_away_is_cut_and_it_is_said() {
    let program = "#include <stdio.h>\n#include <stdlib.h>\nint step(int n)\n{\n    return n % 5 == 3 ? 2 : 1;\n}\nint main(int argc, char **argv)\n{\n    \
                   int n = atoi(argv[1]), i = 0;\n    while (i != n && i < 1500000000)\n        i += step(n);\n    \
                   printf(\"%d\\n\", i);\n    return argc - 2;\n}\n";
    let project = by_lines(program, "1\n2\n3\n4\n", "reference = \"echo {line}\"\n");
    let report = ranked(&project, &[]);
    assert!(report.ranking[..2].iter().any(|entry| entry.line == 5), "{:?} {:?}", report.ranking, report.not_tried);
    let trials = report.trials.as_ref().unwrap();
    assert!(trials.failing == 1 && trials.repairs > 0, "{trials:?}");
    assert!(report.trust.iter().any(|what| what.contains("`3` are cut after")), "{:?}", report.trust);
    // What the budget has no room for is not begun. Nobody's advice is what was not looked at.
    project.write(
        "prog.c",
        &program.replace("1500000000", "3").replace("atoi(argv[1])", "atoi(argv[1]) + nap(argv[1])").replace(
            "int step",
            "#include <unistd.h>\nint nap(char *n) { if (*n == '3') sleep(2); return 0; }\nint step",
        ),
    );
    rebuild(&project);
    let report = ranked(&project, &["--budget", "5s"]);
    assert!(
        report.not_tried.iter().any(|what| what.contains("on 3: getting it ready takes about ")),
        "{:?}",
        report.not_tried
    );
    let advice = &report.confidence.as_ref().unwrap().next;
    assert!(advice.iter().all(|what| !what.contains("only how the program ends")), "{advice:?}");
}

#[test]
fn what_mends_an_early_end_may_run_as_long_as_tests_that_pass() {
    let program = "#include <stdio.h>\nint allowed(char kind)\n{\n    return kind == 'a' || kind == 'c';\n}\nint main(int argc, char **argv)\n{\n    \
                   if (!allowed(argv[1][0]))\n        return 1;\n    volatile unsigned sum = 0;\n    for (int i = 0; i < 3000000; i++)\n        \
                   sum += i;\n    printf(\"%c\\n\", argv[1][0]);\n    return argc - 2;\n}\n";
    let project = by_lines(program, "a\nc\nb\n", "reference = \"echo {line}\"\n");
    let report = ranked(&project, &[]);
    assert!(report.ranking[..2].iter().any(|entry| entry.line == 4), "{:?} {:?}", report.ranking, report.not_tried);
    let mut claims = report.ranking.iter().flat_map(|entry| &entry.reasons).filter_map(|reason| reason.claim.as_ref());
    let repair = claims.find(|claim| claim.outcomes.iter().any(|one| one.effect == Effect::Passes)).unwrap();
    let shown = project.succeed(&["replay", &repair.id]);
    assert!(shown.contains("passes"), "{shown}");
}

#[test]
fn a_failure_that_depends_on_what_lies_in_memory_is_searched_as_it_is_in_trials() {
    // The bytes are other ones in each run but in trials, where they are always the same.
    let program = "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/auxv.h>\nint main(int argc, char **argv)\n{\n    \
                   unsigned n = atoi(argv[1]);\n    if (n > 3)\n        n = *(unsigned *)getauxval(AT_RANDOM) % 90000000 + 100;\n    \
                   printf(\"%u\\n\", n);\n    return argc - 2;\n}\n";
    let project = by_lines(program, "1\n2\n3\n4\n", "reference = \"echo {line}\"\n");
    let report = ranked(&project, &[]);
    assert!(report.ranking[..2].iter().any(|entry| entry.line == 7), "{:?} {:?}", report.ranking, report.not_tried);
    let trials = report.trials.as_ref().unwrap();
    assert!(trials.failing == 1 && trials.repairs > 0, "{trials:?}");
    let mut claims = report.ranking.iter().flat_map(|entry| &entry.reasons).filter_map(|reason| reason.claim.as_ref());
    let repair = claims.find(|claim| claim.outcomes.iter().any(|one| one.effect == Effect::Passes)).unwrap();
    let shown = project.succeed(&["replay", &repair.id]);
    assert!(shown.contains("passes"), "{shown}");
    // Where no run is like another, nothing is tried and it is said.
    project.write("prog.c", &program.replace("*(unsigned *)getauxval(AT_RANDOM)", "(unsigned)random_bits()").replace(
        "#include <sys/auxv.h>\n",
        "#include <sys/random.h>\nunsigned random_bits(void) { unsigned n; getrandom(&n, sizeof n, 0); return n; }\n",
    ));
    rebuild(&project);
    let report = ranked(&project, &[]);
    assert!(report.not_tried.iter().any(|what| what.contains("differs from run to run")), "{:?}", report.not_tried);
}

#[test]
fn where_everything_turns_the_test_no_line_is_much_likelier() {
    let program = "#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    int a = atoi(argv[1]);\n    int b = a * 3;\n    \
                   int c = b + 4;\n    int d = c - a;\n    return argc == 2 && d == 14;\n}\n";
    let project = by_lines(program, "5\n1\n2\n7\n", "");
    let report = ranked(&project, &[]);
    let trials = report.trials.unwrap();
    assert!(trials.flips > trials.candidates / 2, "{trials:?}");
    let likely: Vec<f64> = report.ranking.iter().take(5).filter_map(|entry| entry.probability).collect();
    assert!(likely[0] < 0.9 && likely[3] > 0.001, "{likely:?}");
}

#[test]
fn tests_that_look_at_the_exit_status_alone_are_used_and_it_is_said() {
    let program = "#include <stdlib.h>\nstatic int sum(int a, int b)\n{\n    if (a > 10)\n        return a - b;\n    return a + b;\n}\n\
                   int main(int n, char **v)\n{\n    (void)n;\n    return sum(atoi(v[1]), atoi(v[2])) != atoi(v[3]);\n}\n";
    let project = by_lines(program, "1 2 3\n20 1 21\n30 5 35\n4 4 8\n0 0 0\n11 0 11\n", "");
    let report = ranked(&project, &[]);
    assert!(
        report.trust.iter().any(|statement| statement.contains("judged by their exit status alone")),
        "{:?}",
        report.trust
    );
    let lines: Vec<u32> = report.ranking.iter().take(3).map(|entry| entry.line).collect();
    assert!(lines.contains(&5), "{lines:?}");
    assert!(reasons(&report).iter().any(|reason| reason.contains("with + instead of - all 2 failing tests pass")));
}

#[test]
fn a_program_that_only_crashes_is_ranked() {
    // What lies in an array that others may write to is not known to the compiler.
    let program = "#include <stdio.h>\n#include <string.h>\nconst char *names[2] = {\"none\", 0};\nint main(int argc, char **argv)\n{\n    \
                   int which = argv[1][0] == 'x';\n    const char *name = names[which];\n    int length = (int)strlen(name);\n    \
                   printf(\"%d\\n\", length);\n    return argc != 2;\n}\n";
    let project = by_lines(program, "a\nx\nb\nxy\nab\n", "");
    let report = ranked(&project, &[]);
    assert!(report.trials.unwrap().flips > 0);
    let lines: Vec<u32> = report.ranking.iter().take(3).map(|entry| entry.line).collect();
    assert!(lines.contains(&6) || lines.contains(&7) || lines.contains(&8), "{lines:?}");
}

#[test]
fn failing_tests_alone_are_enough() {
    let program =
        "int main(int argc, char **argv)\n{\n    int wrong = argv[1][0] == 'a';\n    return argc == 2 && wrong;\n}\n";
    let project = by_lines(program, "a\nab\n", "");
    let report = ranked(&project, &[]);
    assert!(report.trials.unwrap().flips > 0);
    assert_eq!(report.tests.passing, 0);
}

#[test]
fn other_methods_on_trials_rank_and_other_granularities_do() {
    let project = parcel();
    for method in ["metallaxis", "muse", "value_replacement", "predicate_switching", "flip", "repair"] {
        let ranking = project.ranking(&["--method", method]);
        let first = &ranking["ranking"][0];
        assert!(first["score"].as_f64().unwrap() > 0.0 && first["probability"].is_null(), "{method}: {first}");
    }
    for by in ["block", "function", "node", "predicate"] {
        let ranking = project.ranking(&["--by", by]);
        let probabilities: Vec<f64> =
            ranking["ranking"].as_array().unwrap().iter().map(|entry| entry["probability"].as_f64().unwrap()).collect();
        assert!(probabilities[0] > 0.0 && probabilities.is_sorted_by(|a, b| a >= b), "{by}: {probabilities:?}");
    }
}

#[test]
fn what_cannot_be_tried_is_said_with_the_line_to_type_and_coverage_ranks() {
    let says = |project: &Project, words: &[&str]| {
        let report = ranked(project, &[]);
        let said = report.not_tried.join("\n");
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
        assert!(report.ranking.len() > 5);
        report
    };
    let project = parcel();
    project.succeed(&["build", "--modes", "edges,values", "--", "cc", "-O1", "-o", "prog", "parcel.c"]);
    project.succeed(&["test", "--record", "edges"]);
    assert_eq!(says(&project, &["`trace` version", "suspect build"]).trials, None);
    rebuild(&project);
    let suite = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    fs::rename(project.path().join("in/none"), project.path().join("none")).unwrap();
    // Another suite is tested by itself.
    assert!(says(&project, &[]).trials.is_some());
    fs::rename(project.path().join("none"), project.path().join("in/none")).unwrap();
    project.write("suspect.toml", "[[suite]]\nkind = \"no such kind\"\n");
    assert_eq!(says(&project, &["suspect.toml"]).trials, None);
    project.write("suspect.toml", &suite);
    assert!(says(&project, &[]).trials.is_some());
    // So is a program that was built again; a source that was only touched is the same.
    let source = fs::read_to_string(project.path().join("parcel.c")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    project.write("parcel.c", &source);
    assert!(!says(&project, &[]).not_tried.join("\n").contains("was changed"));
    project.write("parcel.c", &source.replace("4;", "3;"));
    project.succeed(&["build"]);
    assert!(says(&project, &[]).trials.is_some());
}

#[test]
fn lines_found_innocent_give_their_probability_to_the_others() {
    let project = parcel();
    let before = ranked(&project, &[]);
    let first = before.ranking[0].unit.clone();
    let after = ranked(&project, &["--innocent", &first]);
    assert!(after.ranking.iter().all(|entry| entry.unit != first));
    let p = |report: &RankingReport, unit: &str| {
        report.ranking.iter().find(|entry| entry.unit == unit).unwrap().probability.unwrap()
    };
    let second = &after.ranking[0].unit;
    let expected = p(&before, second) / (1.0 - p(&before, &first));
    assert!((p(&after, second) - expected).abs() < 1e-9, "{expected}");
    assert_eq!(ranked(&project, &["--forget-innocent"]), before);
    // Wrong names are found before anything is tried.
    fs::remove_dir_all(project.path().join(".suspect/evidence")).unwrap();
    project.fail(&["rank", "--innocent", "parcel.c:999"], 1);
    project.fail(&["rank", "--why", "parcel.c:1"], 1);
    assert!(!project.path().join(".suspect/evidence").exists());
}

#[test]
fn everything_about_a_line_and_why_others_come_first() {
    let project = parcel();
    let fault = format!("parcel.c:{}", line_of("parcel.c", "kilos > 10"));
    let cheap = format!("parcel.c:{}", line_of("parcel.c", "int cost = 4"));
    let schema: Value = serde_json::from_str(include_str!("../../docs/why.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let why = |option: &str, place: &str| -> WhyReport {
        let value: Value =
            serde_json::from_str(&project.succeed(&["rank", option, place, "--format", "json"])).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        serde_json::from_value(value).unwrap()
    };
    let of_fault = why("--why", &fault);
    let whole = ranked(&project, &[]);
    let entry = whole.ranking.iter().find(|entry| entry.unit == fault).unwrap();
    assert_eq!((&of_fault.entry, of_fault.why_not.as_ref()), (entry, None));
    assert!(of_fault.tried.len() > 5 && of_fault.tried.iter().all(|reason| reason.claim.is_some()));
    assert!(of_fault.features.iter().all(|feature| feature.contribution == feature.value * feature.weight));
    assert_eq!(of_fault.spectra[0].method, "ochiai");
    // The scores' difference is what the probabilities say.
    let of_cheap = why("--why-not", &cheap);
    let score = |report: &WhyReport| report.features.iter().map(|feature| feature.contribution).sum::<f64>();
    let (p, q) = (of_fault.entry.probability.unwrap(), of_cheap.entry.probability.unwrap());
    assert!(((p / q).ln() - (score(&of_fault) - score(&of_cheap))).abs() < 1e-6, "{p} {q}");
    let why_not = of_cheap.why_not.as_ref().unwrap();
    assert!(!why_not.statements.is_empty() && why_not.before.len() == 3, "{why_not:?}");
    for before in &why_not.before {
        let there = whole.ranking.iter().find(|entry| entry.unit == before.place).unwrap();
        assert_eq!(Some(before.probability), there.probability);
        let sum: f64 = before.differences.iter().map(|difference| difference.contribution).sum();
        assert!((sum - (before.probability / q).ln()).abs() < 0.1, "{before:?}");
    }
    let short = project.succeed(&["rank", "--why", &fault]);
    assert!(short.lines().count() <= 25 && short.contains("suspect replay ") && !short.contains("score"), "{short}");
    let text = project.succeed(&["rank", "--why", &fault, "-v"]);
    assert!(text.contains("how its score, ") && text.contains("\n      passes: limit, limits"), "{text}");
    let text = project.succeed(&["rank", "--why-not", &cheap]);
    assert!(text.contains("what stands before it:") && text.contains("why it is not ranked higher:"), "{text}");
    let message = project.fail(&["rank", "--why", "parcel.c:2"], 1);
    assert!(
        message.contains("parcel.c:2: there is no code on this line; the nearest lines with code are parcel.c:5"),
        "{message}"
    );
    assert!(project.fail(&["rank", "--why", "nowhere.c:5"], 1).contains("no code of a file of that name"));
    assert!(project.fail(&["rank", "--why", "parcel.c"], 1).contains("FILE:LINE"));
}

#[test]
fn why_schema_file_is_what_the_code_says() {
    let schema = schemars::schema_for!(WhyReport);
    let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/why.schema.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, &expected).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap_or_default(), expected, "UPDATE_EXPECT=1 writes it anew");
}
