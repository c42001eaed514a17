//! Test programs of unit-test frameworks, whose cases are tests of their own. The frameworks are stand-ins, tests/programs/cases/framework.c.

use std::process::Command;

use crate::project::{Project, text};

/// The frameworks that are stood in for, as macros.
const FRAMEWORKS: [&str; 5] = ["CHECK", "CMOCKA", "GLIB", "GREATEST", "UNITY"];

/// A project with a test program for each of these frameworks.
fn project(frameworks: &[&str], keys: &str) -> Project {
    let project = Project::new();
    for name in ["calc.c", "calc.h", "framework.c", "framework.h", "test_calc.c"] {
        project.copy_program(&format!("cases/{name}"));
    }
    let program = |framework: &str| {
        let name = framework.to_lowercase();
        format!(
            "t_{name}: calc.o\n\t$(CC) -D{framework} -c -o f_{name}.o cases/framework.c\n\t$(CC) -D{framework} -c -o o_{name}.o cases/test_calc.c\n\
                 \t$(CC) -o $@ o_{name}.o f_{name}.o calc.o\n"
        )
    };
    let names: Vec<String> = frameworks.iter().map(|framework| format!("t_{}", framework.to_lowercase())).collect();
    let programs: String = frameworks.iter().map(|framework| program(framework)).collect();
    project.write(
        "Makefile",
        &format!("all: {}\ncalc.o: cases/calc.c\n\t$(CC) -c -o $@ cases/calc.c\n{programs}", names.join(" ")),
    );
    let test_code = "[rank]\ntest_code = [\"cases/test_*.c\", \"cases/framework.c\"]\n";
    let suite = format!(
        "[[suite]]\nkind = \"command\"\nlist = \"printf '%s\\\\n' {}\"\nrun = \"./{{test}}\"\n{keys}",
        names.join(" ")
    );
    project.write("suspect.toml", &format!("[build]\ncommand = \"make\"\n{test_code}{suite}"));
    project
}

#[test]
fn each_case_is_a_test_with_its_own_coverage_and_assertion() {
    let project = project(&FRAMEWORKS, "cases = \"auto\"\n");
    project.succeed(&["build"]);
    let output = project.suspect(&["test"]);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("10 cases in 5 test programs, each run alone"), "{said}");
    assert!(said.contains("5 passing, 5 failing, 0 not counted"), "{said}");
    let complaints = [
        "t_check/calc:core:multiplies: t.c:7: Assertion 'times(2, 3) == 6' failed: times(2, 3) == 8, 6 == 6",
        "t_cmocka/multiplies: t.c:7: 0x8 != 0x6",
        "t_glib/calc/multiplies: t.c:7:multiplies: assertion failed (times(2, 3) == 6): (8 == 6)",
        "t_greatest/calc:multiplies: 6 != times(2, 3) (t.c:7)",
        "t_unity/multiplies: test_calc.c:11: Expected 6 Was 8",
    ];
    for complaint in complaints {
        assert!(said.contains(&format!("fails: {complaint}\n")), "{complaint}: {said}");
    }
    // A passing case has not executed what a failing one has.
    let ranking = project.ranking(&["--method", "ochiai"]);
    let first = &ranking["ranking"][0];
    let executed = |kind: &str| first["evidence"][kind].as_u64();
    assert_eq!(first["function"].as_str(), Some("times"), "{ranking}");
    assert_eq!((executed("failing_executed"), executed("passing_executed")), (Some(5), Some(0)), "{ranking}");
}

#[test]
fn changes_are_tried_on_one_case_and_must_let_it_run() {
    let project = project(&["UNITY"], "cases = \"unity\"\n");
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let answer = project.succeed(&["rank"]);
    let first = answer.lines().next().unwrap();
    assert_eq!(first, "t_unity/multiplies fails: SUSPECT_CASE=multiplies ./t_unity", "{answer}");
    assert!(answer.contains("test_calc.c:11: Expected 6 Was 8"), "{answer}");
    assert!(answer.contains("with `i < count`: t_unity/multiplies passes"), "{answer}");
    // What the first line says can be typed.
    let line = first.split_once(": ").unwrap().1;
    let by_hand = text(&Command::new("sh").args(["-c", line]).current_dir(project.path()).output().unwrap());
    assert!(by_hand.contains("multiplies:FAIL") && by_hand.contains("1 Tests 1 Failures"), "{by_hand}");
}

#[test]
fn init_names_the_key_where_sources_use_a_framework() {
    let project = Project::new();
    project.write("CMakeLists.txt", "enable_testing()\n").write("tests/test_a.c", "#include <check.h>\n");
    project.succeed(&["init"]);
    let written = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    let lines = "# tests/test_a.c uses check: each case of such a program is a test of its own.\ncases = \"auto\"\n";
    assert!(written.contains(lines), "{written}");
    let without = Project::new();
    without.write("CMakeLists.txt", "enable_testing()\n").write("tests/test_a.c", "int main(void) { return 0; }\n");
    without.succeed(&["init"]);
    assert!(!std::fs::read_to_string(without.path().join("suspect.toml")).unwrap().contains("\ncases = "));
}

#[test]
fn a_program_that_does_not_tell_its_cases_stays_one_test() {
    let project = project(&["GLIB"], "cases = \"check\"\n");
    project.succeed(&["build"]);
    let said = text(&project.suspect(&["test"]));
    assert!(
        said.contains("t_glib stays one test: `./t_glib` does not tell its cases apart as programs of check do"),
        "{said}"
    );
    assert!(said.contains("0 passing, 1 failing"), "{said}");
}

#[test]
fn what_cannot_be_taken_apart_is_said_with_its_place() {
    let project = project(&["UNITY"], "cases = \"chek\"\n");
    let error = project.fail(&["test"], 1);
    assert!(
        error.contains("suspect.toml:") && error.contains("unknown framework \"chek\": did you mean \"check\"?"),
        "{error}"
    );
    let lines = "[[suite]]\nkind = \"lines\"\nfile = \"x\"\nrun = \"./p {line}\"\ncases = \"auto\"\n";
    project.write("suspect.toml", lines);
    assert!(project.fail(&["test"], 1).contains("`cases` has no meaning for kind = \"lines\""));
}

#[test]
fn refining_writes_what_gives_the_same_verdicts() {
    let project = project(&FRAMEWORKS, "");
    project.succeed(&["build"]);
    let said = project.succeed(&["test"]);
    let hint = "hint: t_check and 4 more run each at most 1 instrumented process, judged by exit status alone: `cases = \"auto\"` in suspect.toml \
                makes each case of such a program a test\nhint: `suspect init --refine` tries that and writes what works\n";
    assert!(said.ends_with(hint), "{said}");
    assert!(project.succeed(&["doctor"]).contains("note failing tests: t_check and 4 more run"));
    let refined = project.succeed(&["init", "--refine"]);
    let wrote = "wrote `cases = \"auto\"` into [[suite]] 1: 5 tests become 10, with the same verdicts when run\n";
    assert_eq!(refined, wrote);
    let written = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    assert!(written.contains("kind = \"command\"\ncases = \"auto\"\n"), "{written}");
    let said = project.succeed(&["test"]);
    assert!(said.contains("5 passing, 5 failing, 0 not counted; recorded\n") && !said.contains("hint:"), "{said}");
    assert_eq!(project.succeed(&["init", "--refine"]), "nothing in suspect.toml would have its tests tell more\n");
}

#[test]
fn refining_leaves_out_what_changes_a_verdict() {
    // The second case fails only after the first one.
    let project = project(&["UNITY"], "");
    let source = std::fs::read_to_string(project.path().join("cases/test_calc.c")).unwrap();
    let depends = source
        .replace("return add(1, 2) - 3;", "before = 1;\n    return add(1, 2) - 3;")
        .replace("int product = times(2, 3);", "int product = before ? times(2, 3) : 6;")
        .replace("static int adds(void)", "static int before;\n\nstatic int adds(void)");
    project.write("cases/test_calc.c", &depends);
    project.succeed(&["build"]);
    let before = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    let refined = project.succeed(&["init", "--refine"]);
    assert_eq!(refined, "left out `cases = \"auto\"` of [[suite]] 1: t_unity fails and passes with it\n");
    assert_eq!(std::fs::read_to_string(project.path().join("suspect.toml")).unwrap(), before);
}

#[test]
fn refining_is_not_kept_from_it_by_a_test_that_varies() {
    // It fails the first time alone.
    let project = project(&["UNITY"], "");
    let config = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    let varies = "[[suite]]\nname = \"varies\"\nkind = \"command\"\nrun = \"test -e seen || { touch seen; false; }\"\n";
    project.write("suspect.toml", &format!("{config}{varies}"));
    project.succeed(&["build"]);
    let refined = project.succeed(&["init", "--refine"]);
    let wrote = "wrote `cases = \"auto\"` into [[suite]] 1: 2 tests become 3, with the same verdicts when run\n";
    assert_eq!(refined, wrote);
}

#[test]
fn scripts_that_write_tap_are_read_as_such() {
    let project = Project::new();
    project.write(
        "prog.c",
        "#include <stdio.h>\nint main(void) { printf(\"1..2\\nok 1\\nnot ok 2 - sum\\n\"); return 1; }\n",
    );
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -o prog prog.c\"\n[[suite]]\nkind = \"command\"\nlist = \"echo one\"\nrun = \"./prog # {test}\"\n",
    );
    project.succeed(&["build"]);
    let refined = project.succeed(&["init", "--refine"]);
    assert_eq!(refined, "wrote `result = \"tap\"` into [[suite]] 1, with the same verdicts when run\n");
    assert!(text(&project.suspect(&["test"])).contains("fails: one: point 2 is not ok: sum"));
}

/// A test program with functions of its own; the second one fails and leaves by a jump.
const OWN: &str = r#"
#include <setjmp.h>
#include <stdio.h>
#include "cases/calc.h"
static int failed;
static jmp_buf out;
static void expect(int line, int is, int wanted)
{
    if (is != wanted) {
        printf("test_own.c:%d: %d, not %d\n", line, is, wanted);
        failed++;
        longjmp(out, 1);
    }
}
static void test_add(void) { expect(__LINE__, add(2, 3), 5); }
static void test_times(void) { expect(__LINE__, times(2, 3), 6); }
static void test_none(void) { expect(__LINE__, add(0, 0), 0); }
static int test_zero(void) { return add(0, 1) != 1; }
typedef void test(void);
static test *const tests[] = {test_add, test_times, test_none};
static void all_tests(void)
{
    for (int i = 0; i < 3; i++)
        if (!setjmp(out))
            tests[i]();
}
int main(void)
{
    all_tests();
    failed += test_zero();
    printf("%d failed\n", failed);
    return failed > 0;
}
"#;

/// A project with that program, or another one.
fn own(program: &str, keys: &str) -> Project {
    let project = Project::new();
    project.copy_program("cases/calc.c").copy_program("cases/calc.h").write("test_own.c", program);
    let suite = format!("[[suite]]\nname = \"own\"\nkind = \"command\"\nrun = \"./test_own\"\n{keys}");
    project.write(
        "suspect.toml",
        &format!("[build]\ncommand = \"cc -g -I. -o test_own test_own.c cases/calc.c\"\n{suite}"),
    );
    project.succeed(&["build"]);
    project
}

#[test]
fn functions_of_a_program_without_a_framework_are_its_cases() {
    let project = own(OWN, "");
    let refined = project.succeed(&["init", "--refine"]);
    let wrote = "wrote `cases = \"auto\"` into [[suite]] 1: 1 test becomes 4, with the same verdicts when run\n";
    assert_eq!(refined, wrote);
    let said = text(&project.suspect(&["test"]));
    assert!(said.contains("fails: own/test_times: exit status 1: test_own.c:16: 8, not 6"), "{said}");
    assert!(said.contains("3 passing, 1 failing, 0 not counted; recorded\n"), "{said}");
    // The other cases have not executed what it has.
    let ranking = project.ranking(&["--method", "ochiai"]);
    let first = &ranking["ranking"][0];
    assert_eq!(first["function"].as_str(), Some("times"), "{ranking}");
    assert_eq!(first["evidence"]["passing_executed"].as_u64(), Some(0), "{ranking}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("with `i < count`: own/test_times passes"), "{answer}");
    // What the first line says can be typed, and the others do not run.
    let line = answer.lines().next().unwrap().split_once(": ").unwrap().1;
    let run = Command::new("sh").args(["-c", line]).current_dir(project.path()).output().unwrap();
    assert_eq!((text(&run).trim(), run.status.code()), ("test_own.c:16: 8, not 6\n1 failed", Some(1)), "{line}");
    let explained = project.succeed(&["explain"]);
    assert!(explained.contains("cases/calc.c:11"), "{explained}");
}

#[test]
fn functions_behind_those_in_which_a_program_ends_are_cases_too() {
    let ending = |end: &str| {
        let first = OWN
            .replace("{test_add, test_times", "{test_times, test_add")
            .replace("#include <stdio.h>", "#include <stdio.h>\n#include <stdlib.h>")
            .replace("failed++;\n        longjmp(out, 1);", end);
        own(&first, "cases = \"functions\"\n")
    };
    for end in ["abort();", "exit(3);"] {
        let project = ending(end);
        let said = text(&project.suspect(&["test"]));
        assert!(said.contains("fails: own/test_times: ") && said.contains("3 passing, 1 failing"), "{end} {said}");
        let ranking = project.ranking(&["--method", "ochiai"]);
        assert_eq!(ranking["ranking"][0]["function"].as_str(), Some("times"), "{ranking}");
    }
    // What it would have made ready is missing behind it.
    let needs = OWN
        .replace("{test_add, test_times, test_none}", "{test_times, test_none, test_add}")
        .replace("expect(__LINE__, times(2, 3), 6);", "ready = 1; if (times(2, 3) != 6) __builtin_abort();")
        .replace("expect(__LINE__, add(0, 0), 0);", "ready++;")
        .replace("expect(__LINE__, add(2, 3), 5);", "expect(__LINE__, ready > 0, 1);")
        .replace("static int failed;", "static int failed, ready;");
    let said = text(&own(&needs, "cases = \"functions\"\n").suspect(&["test"]));
    let why = "own stays one test: its test function all_tests:test_add fails where it runs alone";
    assert!(said.contains(why) && said.contains("0 passing, 1 failing"), "{said}");
}

#[test]
fn functions_that_need_each_other_stay_one_test() {
    // The last one fails where the first one has not run.
    let needs = OWN
        .replace("expect(__LINE__, add(2, 3), 5);", "expect(__LINE__, add(2, 3), 5); ready = 1;")
        .replace("expect(__LINE__, times(2, 3), 6);", "expect(__LINE__, times(2, 0), 2);")
        .replace("expect(__LINE__, add(0, 0), 0);", "expect(__LINE__, ready, 1);")
        .replace("static int failed;", "static int failed, ready;");
    let project = own(&needs, "cases = \"functions\"\n");
    let said = text(&project.suspect(&["test"]));
    let why = "own stays one test: its test function all_tests:test_none fails where it runs alone";
    assert!(said.contains(why) && said.contains("1 passing, 0 failing"), "{said}");
}

#[test]
fn a_function_that_is_called_only_after_another_one_is_no_case() {
    // Alone it would pass, for it would not run.
    let after = OWN
        .replace("expect(__LINE__, add(2, 3), 5);", "expect(__LINE__, add(2, 3), 5); ready = 1;")
        .replace("static int failed;", "static int failed, ready;")
        .replace("        if (!setjmp(out))", "        if (!setjmp(out) && (i < 2 || ready))");
    let project = own(&after, "cases = \"functions\"\n");
    let said = text(&project.suspect(&["test"]));
    let why = "own stays one test: its test function all_tests:test_none is not called where it alone would run";
    assert!(said.contains(why), "{said}");
}

#[test]
fn a_program_that_fails_without_its_functions_stays_one_test() {
    let project = own(
        &OWN.replace("all_tests();\n    failed +=", "all_tests();\n    failed += times(1, 1) - 1 +"),
        "cases = \"functions\"\n",
    );
    let said = text(&project.suspect(&["test"]));
    assert!(said.contains("own stays one test: it fails without its test functions, too"), "{said}");
}

#[test]
fn a_file_of_cases_is_trusted_whatever_it_is_called() {
    let project = Project::new();
    project.copy_program("cases/calc.c").copy_program("cases/calc.h").write("demo.c", OWN);
    let suite = "[[suite]]\nkind = \"command\"\nrun = \"./demo\"\ncases = \"functions\"\n";
    let built = |command: &str| {
        project.write("suspect.toml", &format!("[build]\ncommand = \"{command}\"\n{suite}"));
        project.succeed(&["build"]);
        project.suspect(&["test"]);
        project.ranking(&["--method", "ochiai"])
    };
    let ranking = built("cc -g -I. -o demo demo.c cases/calc.c");
    let files: Vec<&str> =
        ranking["ranking"].as_array().unwrap().iter().map(|line| line["file"].as_str().unwrap()).collect();
    assert!(!files.is_empty() && files.iter().all(|file| *file == "cases/calc.c"), "{ranking}");
    assert!(ranking["trust"].to_string().contains("demo.c"), "{ranking}");
    // Beside what it tests in one file, nothing could be ranked.
    project.write(
        "demo.c",
        &OWN.replace("#include \"cases/calc.h\"", "#include \"cases/calc.c\"").replace("__LINE__", "1"),
    );
    project.write("whole.sh", "cc -g -E -P -I. demo.c > whole.c && cc -g -o demo whole.c\n");
    let ranking = built("sh whole.sh");
    assert_eq!(ranking["ranking"][0]["file"].as_str(), Some("whole.c"), "{ranking}");
}

#[test]
fn functions_are_left_out_behind_a_driver_and_return_what_most_do() {
    // Here 1 is what passes.
    let returns = OWN.replace("failed += test_zero()", "failed += !test_zero()").replace("!= 1; }", "== 1; }");
    let project = own(&returns, "cases = \"auto\"\n");
    project.write("driver.sh", "echo begin\nexec \"$@\"\n");
    let config = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    project.write("suspect.toml", &config.replace("\"./test_own\"", "\"sh driver.sh ./test_own\""));
    let said = text(&project.suspect(&["test"]));
    assert!(said.contains("fails: own/test_times: exit status 1: test_own.c:16: 8, not 6"), "{said}");
    assert!(said.contains("3 passing, 1 failing, 0 not counted; recorded\n"), "{said}");
}

/// A runner that gives each test a record, and goes on behind a failed check by a jump.
const RECORDS: &str = r#"
#include <setjmp.h>
#include <stdio.h>
#include "../cases/calc.h"
typedef struct UnitTest { void (*function)(struct UnitTest *); int failed; jmp_buf out; } UnitTest;
static void expect(UnitTest *tc, int line, int is, int wanted)
{
    if (is != wanted) {
        printf("test_records.c:%d: %d, not %d\n", line, is, wanted);
        tc->failed = 1;
        longjmp(tc->out, 1);
    }
}
static void test_add(UnitTest *tc) { expect(tc, __LINE__, add(2, 3), 5); }
static void test_times(UnitTest *tc) { expect(tc, __LINE__, times(2, 3), 6); }
static void test_none(UnitTest *tc) { expect(tc, __LINE__, add(0, 0), 0); }
static void UnitTestRun(UnitTest *tc)
{
    if (!setjmp(tc->out))
        tc->function(tc);
}
int main(void)
{
    UnitTest tests[] = {{test_add}, {test_times}, {test_none}};
    int failed = 0;
    for (int i = 0; i < 3; i++) {
        UnitTestRun(&tests[i]);
        failed += tests[i].failed;
    }
    return failed > 0;
}
"#;

#[test]
fn functions_that_take_a_record_of_their_test_are_cases_of_what_another_make_starts() {
    let project = Project::new();
    project.copy_program("cases/calc.c").copy_program("cases/calc.h").write("test/test_records.c", RECORDS);
    let makefile = "libcalc.a: calc.o\n\tar r $@ calc.o\ncalc.o: cases/calc.c\n\t$(CC) -g -c cases/calc.c\ncheck: libcalc.a\n\t@(cd test; $(MAKE))\n";
    project.write("Makefile", makefile).write("test/data.sh", "exit 1\n");
    project.write(
        "test/Makefile",
        "all: check\ncheck: unit\n\t@./unit\nunit: test_records.c\n\t$(CC) -g -o $@ test_records.c ../libcalc.a\n",
    );
    let output = project.suspect(&[]);
    let said = text(&output);
    assert!(said.contains("`cases = \"auto\"` into [[suite]] 1: 1 test becomes 3"), "{said}");
    assert!(said.contains("1 of 3 tests fails") && said.contains("command/test_times fails: "), "{said}");
    assert!(said.contains("`i < count`"), "{said}");
}

/// A test program whose functions are handed what it reports to and what it is set to, as are those that help them.
const HANDED: &str = r#"
#include <stdbool.h>
#include <stdio.h>
#include "../cases/calc.h"
struct report { int n_tests, n_passed; };
struct config { const char *name; };
static bool test_ends(struct report *report, const char *name, bool passes)
{
    report->n_tests++;
    report->n_passed += passes;
    printf("%s: %s\n", passes ? "PASS" : "FAIL", name);
    return passes;
}
static bool test_is(const int *is, const int *wanted) { return *is == *wanted; }
static bool test_add(struct report *report, const struct config *config)
{
    int is = add(2, 3), wanted = 5;
    return test_ends(report, __func__, config->name && test_is(&is, &wanted));
}
static bool test_times(struct report *report, const struct config *config)
{
    int is = times(2, 3), wanted = 6;
    return test_ends(report, __func__, config->name && test_is(&is, &wanted));
}
static bool test_none(struct report *report, const struct config *config)
{
    int is = add(0, 0), wanted = 0;
    return test_ends(report, __func__, config->name && test_is(&is, &wanted));
}
int main(int argc, char **argv)
{
    struct report report = {0, 0};
    struct config config = {argv[0]};
    bool pass = test_add(&report, &config);
    pass &= test_times(&report, &config);
    pass &= test_none(&report, &config);
    return argc == 2 && pass && report.n_tests == report.n_passed ? 0 : 1;
}
"#;

/// The loop ends at the first program that fails, so only its words tell of the other one.
#[test]
fn functions_that_are_handed_anything_are_cases_of_each_program_that_a_loop_starts() {
    let project = Project::new();
    project.copy_program("cases/calc.c").copy_program("cases/calc.h").write("test/unit.c", HANDED);
    let makefile = "B = out\nall: $(B)/one $(B)/two\n$(B)/one $(B)/two: test/unit.c cases/calc.c\n\t@mkdir -p $(B)\n\t$(CC) -g -o $@ $^\n\
                    check: test\ntest: all\n\t@for i in $(B)/one $(B)/two; do L=$(B) $$i \"$(LIST)\" || exit; done\n.PHONY: all check test\n";
    project.write("Makefile", makefile);
    project.write("suspect.toml", "[build]\ncommand = \"make\"\n[[suite]]\nkind = \"command\"\nrun = \"make check\"\n");
    project.succeed(&["build"]);
    let refined = project.succeed(&["init", "--refine"]);
    assert_eq!(
        refined,
        "wrote `targets = true` into [[suite]] 1: 1 test becomes 2, with the same verdicts when run\n\
         wrote `cases = \"auto\"` into [[suite]] 1: 2 tests become 6, with the same verdicts when run\n"
    );
    let said = text(&project.suspect(&["test"]));
    assert!(said.contains("fails: command/out/one/test_times: exit status 1: FAIL: test_times"), "{said}");
    assert!(said.contains("4 passing, 2 failing, 0 not counted; recorded\n"), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("with `i < count`"), "{answer}");
}

/// What a recipe does alone is one test still, but a program whose cases show.
#[test]
fn the_only_command_of_a_recipe_is_a_program_with_cases() {
    let project = Project::new();
    project.copy_program("cases/calc.c").copy_program("cases/calc.h").write("test/unit.c", HANDED);
    let makefile =
        "unit: test/unit.c cases/calc.c\n\t$(CC) -g -o $@ $^\ncheck: unit\n\tL=. ./unit \"$(LIST)\"\n.PHONY: check\n";
    project.write("Makefile", makefile);
    project.write("suspect.toml", "[build]\ncommand = \"make\"\n[[suite]]\nkind = \"command\"\nrun = \"make check\"\n");
    project.succeed(&["build"]);
    let refined = project.succeed(&["init", "--refine"]);
    assert_eq!(
        refined,
        "wrote `targets = true` into [[suite]] 1, with the same verdicts when run\n\
         wrote `cases = \"auto\"` into [[suite]] 1: 1 test becomes 3, with the same verdicts when run\n"
    );
}

/// The list of what runs has an end, and a helper must not fill it before all cases are told.
#[test]
fn helpers_that_are_called_without_end_hide_no_case() {
    let helper =
        "static int test_same(const int *one, const int *other) { return *one == *other; }\nstatic void test_add(void)";
    let calls = "for (int i = 0; i < 100000; i++) failed += !test_same(&i, &i); expect(__LINE__, add(2, 3), 5);";
    let program = OWN.replace("static void test_add(void)", helper).replace("expect(__LINE__, add(2, 3), 5);", calls);
    let project = own(&program, "cases = \"functions\"\n");
    let said = text(&project.suspect(&["test"]));
    assert!(said.contains("3 passing, 1 failing, 0 not counted; recorded\n"), "{said}");
}
