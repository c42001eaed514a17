//! Tests that start a program many times: each start is a test of its own.

use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::project::{Project, text};

/// Sums numbers and grades the sum; ninety points are a first grade, but not here.
const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int total(FILE *from)
{
    int sum = 0, n;
    while (fscanf(from, "%d", &n) == 1)
        sum += n;
    return sum;
}
static int grade(int points)
{
    if (points > 90)
        return 1;
    if (points >= 50)
        return 2;
    return 3;
}
int main(int argc, char **argv)
{
    FILE *from = stdin;
    const char *unit = getenv("UNIT");
    if (argc > 1 && !strcmp(argv[1], "--version")) {
        puts("grade 1.0");
        return 0;
    }
    if (argc > 1 && !(from = fopen(argv[1], "r"))) {
        perror(argv[1]);
        return 2;
    }
    int points = total(from);
    printf("%d %s: %d\n", points, unit ? unit : "points", grade(points));
    return fflush(stdout) ? 3 : 0;
}
"#;

/// A project whose one test is a driver, which `line` runs.
fn project(driver: &str, line: &str, keys: &str) -> Project {
    let project = Project::new();
    project
        .write("grade.c", PROGRAM)
        .write("Makefile", "grade: grade.c\n\t$(CC) -g -O0 -o $@ grade.c\n")
        .write("driver", driver);
    let suite = format!("[[suite]]\nname = \"spec\"\nkind = \"command\"\nrun = \"{line}\"\n{keys}");
    project.write("suspect.toml", &format!("[build]\ncommand = \"make\"\n{suite}"));
    project.succeed(&["build"]);
    project
}

/// What `suspect test` says.
fn tested(project: &Project) -> String {
    let output = project.suspect(&["test"]);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    said
}

/// Inputs in a pipe, in a temporary file, by the environment; goes on after a failure.
const SHELL: &str = r#"status=0
check() {
    if [ "$2" = "$3" ]; then echo "PASS: $1"; else echo "FAIL: $1"; status=1; fi
}
check high "$(echo 50 45 | ./grade)" "95 points: 1"
check low "$(echo 10 | ./grade)" "10 points: 3"
echo 60 30 > "$TMPDIR/in"
check edge "$(./grade "$TMPDIR/in")" "90 points: 1"
check unit "$(echo 70 | UNIT='per cent' ./grade)" "70 per cent: 2"
check none "$(./grade "$TMPDIR/no file" 2> /dev/null; echo $?)" "2"
exit $status
"#;

#[test]
fn each_start_in_a_shell_script_is_a_test_with_its_own_input_and_output() {
    let project = project(SHELL, "sh driver", "starts = true\n");
    let said = tested(&project);
    assert!(
        said.contains("5 of its 5 starts of instrumented programs are tests of their own, 1 of them fail"),
        "{said}"
    );
    assert!(said.contains("fails: spec, 3rd start of grade: spec: FAIL: edge\n"), "{said}");
    assert!(
        said.contains("does not count: spec: exit status 1: FAIL: edge; the starts of programs in it count for it"),
        "{said}"
    );
    assert!(said.contains("4 passing, 1 failing, 1 not counted"), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.starts_with("spec, 3rd start of grade fails: ./grade "), "{answer}");
    assert!(answer.contains("grade()") && answer.contains("with `points >= 90`"), "{answer}");
    // Its command can be typed, though the file that the driver made is gone.
    let run = std::fs::read_to_string(project.path().join(".suspect/runs/1/run.json")).unwrap();
    let run: serde_json::Value = serde_json::from_str(&run).unwrap();
    let line = run["tests"][3]["command"].as_str().unwrap();
    let by_hand = text(&Command::new("sh").args(["-c", line]).current_dir(project.path()).output().unwrap());
    assert_eq!(by_hand, "90 points: 2\n");
}

/// Copying the directory takes longer than the clock of its file system ticks, so that it is older than what says how the driver is watched.
#[test]
fn starts_in_a_copy_of_the_directory_are_tests() {
    let project = project(SHELL, "sh driver", "starts = true\nscratch = \"copy\"\n");
    for number in 0..200 {
        project.write(&format!("data/{number}"), "");
    }
    let said = tested(&project);
    assert!(said.contains("4 passing, 1 failing, 1 not counted"), "{said}");
}

/// A driver that chains two starts and then compares what each wrote with a file, of which it only says that they differ.
const FILES: &str = "./grade < edge.txt > edge.out && ./grade < low.txt > low.out\n\
                     cmp edge.out edge.expected && cmp low.out low.expected\n";

#[test]
fn the_start_fails_whose_output_is_not_what_is_in_a_file() {
    let project = project(FILES, "sh driver", "starts = true\n");
    project.write("edge.txt", "60 30\n").write("edge.expected", "90 points: 1\n");
    project.write("low.txt", "10\n").write("low.expected", "10 points: 3\n");
    let said = tested(&project);
    let fails = "fails: spec, 1st start of grade: spec: edge.out edge.expected differ: ";
    assert!(said.contains(fails) && said.contains("1 passing, 1 failing, 1 not counted"), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("with `points >= 90`"), "{answer}");
}

/// Whether points are a first grade, as an exit status.
const IS_FIRST: &str = "#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    int points = argc > 1 ? atoi(argv[1]) : 0;\n    \
                        return points > 90 ? 0 : 1;\n}\n";

#[test]
fn the_start_fails_with_whose_other_status_a_silent_driver_passes() {
    let driver = |third: &str, last: &str| {
        format!("fail=0\n./grade 95 || fail=1\n./grade 40 && fail=1\n{third}\n{last}\nexit $fail\n")
    };
    let (asked, denied) = ("./grade 90 || fail=1", "./grade 60 && fail=1");
    let project = project_of(&driver(asked, denied));
    project.write("grade.c", IS_FIRST);
    project.succeed(&["build"]);
    let said = tested(&project);
    assert!(said.contains("fails: spec, 3rd start of grade: ") && said.contains("3 passing, 1 failing"), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("with `points >= 90`"), "{answer}");
    let either = ("./grade 90; one=$?", "./grade 90; test $one = 0 -o $? = 0 || fail=1");
    let nothing_left = ("./grade 90 && exit 0; fail=1", denied);
    for (third, last) in [(asked, asked), either, nothing_left] {
        project.write("driver", &driver(third, last));
        let said = tested(&project);
        assert!(said.contains("stay one test"), "{third}, {last}: {said}");
    }
}

#[test]
fn a_start_that_reads_what_another_one_wrote_is_not_blamed_for_it() {
    let driver = "set -e\n./grade < edge.txt > edge.out\n./grade edge.out > last.out\ncmp last.out last.expected\n";
    let project = project(driver, "sh driver", "starts = true\n");
    project.write("edge.txt", "60 30\n").write("last.expected", "91 points: 1\n");
    let said = tested(&project);
    assert!(said.contains("fails: spec, 2nd start of grade: ") && said.contains("1 failing, 1 not counted"), "{said}");
    let run = std::fs::read_to_string(project.path().join(".suspect/runs/1/run.json")).unwrap();
    let run: serde_json::Value = serde_json::from_str(&run).unwrap();
    let tests = run["tests"].as_array().unwrap().iter().filter_map(|test| test["command"].as_str());
    // Both run in the one test.
    assert!(tests.clone().any(|command| command.matches("./grade").count() == 2), "{:?}", tests.collect::<Vec<_>>());
}

/// The program's functions are in a shared library, which starts before it.
#[test]
fn starts_of_a_program_with_a_shared_library_are_tests() {
    let project = Project::new();
    let (library, program) = PROGRAM.split_once("int main").unwrap();
    let library = library.replace("static ", "");
    let make = "grade: main.c libgrade.so\n\t$(CC) -g -O0 -o $@ main.c -L. -lgrade -Wl,-rpath,.\n\
                libgrade.so: grade.c\n\t$(CC) -g -O0 -shared -fPIC -o $@ grade.c\n";
    let headers = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint total(FILE *), grade(int);\n";
    project.write("grade.c", &library).write("main.c", &format!("{headers}int main{program}"));
    project.write("Makefile", make).write("driver", SHELL);
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"make\"\n[[suite]]\nkind = \"command\"\nrun = \"sh driver\"\nstarts = true\n",
    );
    project.succeed(&["build"]);
    let said = tested(&project);
    assert!(said.contains("4 passing, 1 failing, 1 not counted"), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("grade()") && answer.contains("with `points >= 90`"), "{answer}");
}

#[test]
fn a_change_counts_if_the_driver_accepts_what_the_program_then_writes() {
    let project = project(SHELL, "sh driver", "starts = true\n");
    tested(&project);
    let ranking = project.ranking(&[]).to_string();
    let is_claimed = |replacement: &str| ranking.contains(&format!("\"replacement\":\"{replacement}\""));
    assert!(is_claimed("points >= 90") && is_claimed("1"), "{ranking}");
    // `return 3` in the place of `return 2` has the program write something else, which is wrong, too.
    assert!(!is_claimed("3"), "{ranking}");
}

/// A driver that shows how outputs differ, whatever their letters' case, and keeps count of its runs.
const SHOWING: &str = r#"echo run >> runs
status=0
check() {
    echo "$2" > "$TMPDIR/is"
    echo "$3" > "$TMPDIR/want"
    if diff -i -u "$TMPDIR/want" "$TMPDIR/is"; then echo "PASS: $1"; else echo "FAIL: $1"; status=1; fi
}
check high "$(echo 50 45 | ./grade)" "95 points: 1"
check low "$(echo 10 | ./grade)" "10 points: 3"
check edge "$(echo 60 30 | ./grade)" "90 points: 1"
check middle "$(echo 60 | ./grade)" "60 points: 2"
exit $status
"#;

#[test]
fn a_driver_that_shows_what_it_wants_is_asked_of_nothing_further_from_it() {
    let n_runs = |project: &Project| std::fs::read_to_string(project.path().join("runs")).unwrap().lines().count();
    let asked = |driver: &str| {
        let project = project_of(driver);
        let said = tested(&project);
        assert!(said.contains("fails: spec, 3rd start of grade: spec: FAIL: edge\n"), "{said}");
        let before = n_runs(&project);
        let answer = project.succeed(&["rank"]);
        assert!(answer.contains("with `points >= 90`"), "{answer}");
        let is_shown = answer.contains("- 90 points: 1  (expected, line 1)\n   + 90 points: 2  (written, line 1)\n");
        (n_runs(&project) - before, is_shown)
    };
    assert_eq!(asked(SHOWING), (0, true));
    // What is wanted is not written as the program writes it: what is nearer than the wrong output is asked about.
    let (unlike, _) = asked(&SHOWING.replace(" points: ", " Points: "));
    let (silent, is_shown) = asked(&SHOWING.replace("if diff -i -u", "if diff > /dev/null -i"));
    assert!(0 < unlike && unlike < silent && !is_shown, "{unlike} {silent} {is_shown}");
    // One that looks for a line says nothing of the others, whatever it shows.
    let of_a_part = SHOWING
        .replace("if diff -i -u \"$TMPDIR/want\" \"$TMPDIR/is\"; then", "if grep -q \"^$3\" \"$TMPDIR/is\"; then")
        .replace("else echo", "else diff -u \"$TMPDIR/want\" \"$TMPDIR/is\"; echo");
    let (loose, is_shown) = asked(&of_a_part);
    assert!(0 < loose && !is_shown, "{loose} {is_shown}");
}

/// How far an output is right guides the search, and is evidence.
#[test]
fn it_is_known_how_far_a_start_is_right_whose_driver_shows_what_it_wants() {
    let project = project_of(SHOWING);
    tested(&project);
    let ranking = project.ranking(&[]);
    let claims = ranking["ranking"].as_array().unwrap().iter().flat_map(|line| line["reasons"].as_array().unwrap());
    let outcomes = claims.filter_map(|reason| reason["claim"]["outcomes"].as_array()).flatten();
    let mended: Vec<_> = outcomes.filter(|outcome| outcome["effect"] == "passes").collect();
    let whole = "90 points: 1\n".len();
    assert!(!mended.is_empty() && mended.iter().all(|outcome| outcome["matched"] == whole), "{mended:?}");
}

/// Lines that the driver does not look at are no part of what is explained.
#[test]
fn an_explanation_begins_where_a_driver_does_not_get_what_it_wants() {
    let driver = SHOWING
        .replace("echo \"$2\" >", "echo \"$2\" | sed 's/<br>/<br \\/>/' >")
        .replace("echo \"$3\" >", "printf '<br />\\n%s\\n' \"$3\" >");
    let project = project_of(&driver);
    let program = PROGRAM.replace("printf(\"%d %s", "printf(\"<br>\\n\"\n           \"%d %s");
    project.write("grade.c", &program);
    project.succeed(&["build"]);
    let said = tested(&project);
    assert!(said.contains("fails: spec, 3rd start of grade: spec: FAIL: edge\n"), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("- 90 points: 1  (expected, line 2)\n   + 90 points: 2  (written, line 2)\n"), "{answer}");
    let told = text(&project.suspect(&["explain"]));
    assert!(told.contains("line 2 is `90 points: 2`, expected `90 points: 1`"), "{told}");
    assert!(told.contains("`points > 90`"), "{told}");
}

#[test]
fn starts_of_drivers_that_stop_at_the_first_failure_are_told_apart() {
    let driver = "set -e\nfor n in 95 10 60 90 20; do\n    echo $n | ./grade > \"$TMPDIR/out\"\n    case $n in 9?) want=1;; 60) want=2;; *) want=3;; esac\n    \
                  echo \"$n points: $want\" | cmp -s - \"$TMPDIR/out\" || { echo \"$n is wrong\"; exit 1; }\ndone\n";
    let project = project(driver, "sh driver", "starts = true\n");
    let said = tested(&project);
    assert!(said.contains("fails: spec, 4th start of grade: spec: 90 is wrong\n"), "{said}");
    assert!(said.contains("3 passing, 1 failing, 1 not counted"), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("with `points >= 90`"), "{answer}");
}

#[test]
fn starts_in_python_and_perl_tests_are_told_apart() {
    let python = "import subprocess, unittest\nclass Grades(unittest.TestCase):\n    def grade(self, points, grade):\n        done = \
                  subprocess.run([\"./grade\"], input=str(points), capture_output=True, text=True)\n        \
                  self.assertEqual(done.stdout, \"%d points: %d\\n\" % (points, grade))\n    def test_a(self): self.grade(95, 1)\n    def test_b(self): \
                  self.grade(10, 3)\n    def test_c(self): self.grade(90, 1)\n    def test_d(self): self.grade(60, 2)\nunittest.main()\n";
    let perl = "use Test::More;\nfor ([95, 1], [10, 3], [90, 1], [60, 2]) {\n    my ($points, $grade) = @$_;\n    is(`echo $points | ./grade`, \"$points \
                points: $grade\\n\", \"$points\");\n}\ndone_testing;\n";
    for (driver, line) in [(python, "python3 driver"), (perl, "perl driver")] {
        let said = tested(&project(driver, line, "starts = true\n"));
        assert!(said.contains("fails: spec, 3rd start of grade: spec: "), "{line}: {said}");
        assert!(said.contains("3 passing, 1 failing, 1 not counted"), "{line}: {said}");
    }
}

/// A driver that compares two answers with each other, and says nothing of what is well.
#[test]
fn starts_that_are_compared_with_each_other_are_told_apart() {
    let driver = r#"errors=0
fails() { echo "?? fail $1"; errors=1; }
echo 95 | ./grade | cmp -s - one || fails one
for n in 1 2 3; do
    echo 60 $n > "$TMPDIR/in"
    ./grade "$TMPDIR/in" > "$TMPDIR/out"
    echo $n 60 | ./grade | cmp -s - "$TMPDIR/out" || fails "order $n"
done
echo 90 | ./grade | cmp -s - ninety || fails ninety
exit $errors
"#;
    let project = project_of(driver);
    project.write("one", "95 points: 1\n").write("ninety", "90 points: 1\n");
    let said = tested(&project);
    assert!(
        said.contains("8 of its 8 starts of instrumented programs are tests of their own, 1 of them fail"),
        "{said}"
    );
    assert!(said.contains("fails: spec, 8th start of grade: spec: ?? fail ninety\n"), "{said}");
}

/// A driver that runs a case only if the program's version has it.
#[test]
fn starts_that_decide_what_is_started_keep_their_answers() {
    let driver = r#"errors=0
fails() { echo "?? fail $1"; errors=1; }
echo 95 | ./grade | cmp -s - one || fails one
if ./grade --version | grep -q 1.0; then
    echo 95 | ./grade | cmp -s - one || fails again
fi
echo 90 | ./grade | cmp -s - ninety || fails ninety
exit $errors
"#;
    let project = project_of(driver);
    project.write("one", "95 points: 1\n").write("ninety", "90 points: 1\n");
    let said = tested(&project);
    assert!(said.contains("fails: spec, 4th start of grade: spec: ?? fail ninety\n"), "{said}");
    assert!(said.contains("3 passing, 1 failing, 1 not counted"), "{said}");
}

/// As one does whose programs share an input, which the tool reads for them.
#[test]
fn a_driver_that_says_something_else_where_it_is_watched_stays_one_test() {
    let watched = SHELL
        .replace("exit $status", "[ -z \"$SUSPECT_STAND_IN\" ] || check low \"$(echo 10 | ./grade)\" 3\nexit $status");
    let said = tested(&project_of(&watched));
    assert!(said.contains("starts of instrumented programs stay one test: it says something else where"), "{said}");
}

/// A write that fails does so where the tool looks on, and that start is no test: by itself it writes into a file.
#[test]
fn a_start_that_writes_to_a_device_fails_as_it_does_unwatched() {
    let full = "check full \"$(echo 10 | ./grade 2> /dev/null > /dev/full; echo $?)\" 3\nexit $status";
    let said = tested(&project_of(&SHELL.replace("exit $status", full)));
    assert!(
        said.contains("5 of its 6 starts of instrumented programs are tests of their own, 1 of them fail"),
        "{said}"
    );
    assert!(said.contains("; 1 do something else when they are run alone"), "{said}");
}

/// An argument that is also the name of a long file, of the program itself say, keeps no start from being told apart.
#[test]
fn starts_whose_arguments_name_long_files_are_tests() {
    let long = "check version \"$(./grade --version long)\" \"grade 1.0\"\nexit $status";
    let project = project_of(&SHELL.replace("exit $status", long));
    std::fs::File::create(project.path().join("long")).unwrap().set_len(2 << 20).unwrap();
    let said = tested(&project);
    assert!(
        said.contains("6 of its 6 starts of instrumented programs are tests of their own, 1 of them fail"),
        "{said}"
    );
}

#[test]
fn starts_that_cannot_be_told_apart_are_said_to_be_so() {
    let driver = "a=$(echo 95 | ./grade); b=$(echo 90 | ./grade); ./grade --version\n[ \"$a$b\" = '95 points: 190 points: 1' ]\n";
    let said = tested(&project(driver, "sh driver", "starts = true\n"));
    assert!(
        said.contains("its 3 starts of instrumented programs stay one test: it does not say after each start"),
        "{said}"
    );
    assert!(said.contains("0 passing, 1 failing, 0 not counted"), "{said}");
    // The second start of a case is left out where the first one fails: that is no driver that stops at its first failure.
    let driver = "status=0\nis() { [ \"$(echo $1 | ./grade)\" = \"$1 points: $2\" ]; }\nfor n in 95 90 96; do\n    is $n 1 && is 60 2 || status=1\n\
                  done\nexit $status\n";
    let said = tested(&project_of(driver));
    assert!(
        said.contains("its 5 starts of instrumented programs stay one test: it does not say after each start"),
        "{said}"
    );
}

/// A driver in a shell script, with starts that are tests.
fn project_of(driver: &str) -> Project {
    project(driver, "sh driver", "starts = true\n")
}

#[test]
fn suspect_refines_suites_of_drivers() {
    let project = project(SHELL, "sh driver", "");
    let said = tested(&project);
    assert!(said.contains("spec runs 5 instrumented processes, judged by exit status alone"), "{said}");
    let said = text(&project.suspect(&["init", "--refine"]));
    assert!(said.contains("wrote `starts = true` into [[suite]] 1: 1 test becomes 6"), "{said}");
    assert!(std::fs::read_to_string(project.path().join("suspect.toml")).unwrap().contains("\nstarts = true\n"));
}

/// `suspect` alone, where there is no suspect.toml, has a driver's starts be tests before it ranks.
#[test]
fn the_first_answer_is_of_refined_tests() {
    let project = project(SHELL, "sh driver", "");
    std::fs::remove_file(project.path().join("suspect.toml")).unwrap();
    std::fs::remove_dir_all(project.path().join(".suspect")).unwrap();
    project
        .write("Makefile", "all: grade\n\ngrade: grade.c\n\t$(CC) -O1 -o grade grade.c\n\ncheck: grade\n\tsh driver\n");
    let said = text(&project.suspect(&[]));
    assert!(said.contains("wrote `starts = true` into [[suite]] 1: 1 test becomes 6"), "{said}");
    assert!(said.contains("with `points >= 90`:"), "{said}");
    let written = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    assert!(written.contains("\nstarts = true\n"), "{written}");
    // What the user may have changed stays as it is.
    let plain = written.replace("starts = true\n", "");
    project.write("suspect.toml", &plain);
    assert!(!text(&project.suspect(&[])).contains("wrote"));
    assert_eq!(std::fs::read_to_string(project.path().join("suspect.toml")).unwrap(), plain);
}

/// As those of GNU programs do it: in a directory that the script makes and removes, programs by their names, all that they write compared at the end.
const COMPARES: &str = r#"work=$(mktemp -d ./gt-XXXXXX) || exit 1
PATH=$PWD:$PATH
cd "$work" || exit 1
trap 'cd ..; rm -r "$work"' EXIT
for points in 95 90 60 10; do
    echo $points > in
    echo grade $points
    grade in
done > out
cat > exp <<EOF
grade 95
95 points: 1
grade 90
90 points: 1
grade 60
60 points: 2
grade 10
10 points: 3
EOF
diff -u exp out
"#;

#[test]
fn starts_that_are_compared_at_the_end_in_a_directory_that_goes_are_told_apart() {
    let project = project_of(COMPARES);
    let said = tested(&project);
    assert!(
        said.contains("4 of its 4 starts of instrumented programs are tests of their own, 1 of them fail"),
        "{said}"
    );
    assert!(said.contains("fails: spec, 2nd start of grade: spec: +90 points: 2\n"), "{said}");
    assert!(said.contains("3 passing, 1 failing, 1 not counted"), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.starts_with("spec, 2nd start of grade fails: "), "{answer}");
    assert!(answer.contains("with `points >= 90`"), "{answer}");
}

/// Compares each output behind its start; all are wrong but for the last one's, of which nothing is asked but its status.
const COMPARES_EACH: &str = r#"status=0
echo 90 > in1
echo "90 points: 1" > exp1
echo 30 60 > in2
./grade in1 > out1 || status=1
diff -u exp1 out1 || status=1
UNIT=points ./grade in2 > out2 || status=1
diff -u exp1 out2 || status=1
./grade none > out3 2> err && status=1
exit $status
"#;

#[test]
fn starts_that_are_compared_one_by_one_and_are_all_wrong_fail() {
    let project = project_of(COMPARES_EACH);
    let said = tested(&project);
    assert!(said.contains("fails: spec, 1st start of grade: spec: +90 points: 2"), "{said}");
    assert!(
        said.contains("fails: spec, 2nd start of grade: spec: ") && said.contains("0 passing, 2 failing"),
        "{said}"
    );
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("with `points >= 90`: all 2 failing tests pass"), "{answer}");
}

#[test]
fn one_of_several_starts_that_are_compared_at_the_end_passes_by_itself() {
    let driver = COMPARES.replace("10 points: 3", "11 points: 3");
    let project = project_of(&driver);
    let said = tested(&project);
    assert!(said.contains("fails: spec, 2nd start of grade: spec: +90 points: 2\n"), "{said}");
    assert!(said.contains("fails: spec, 4th start of grade: spec: +10 points: 3\n"), "{said}");
    assert!(said.contains("2 passing, 2 failing, 1 not counted"), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("with `points >= 90`: 1 of 2 failing tests passes"), "{answer}");
}

#[test]
fn a_driver_that_only_shows_what_its_programs_write_says_nothing_of_it() {
    let driver = "for points in 95 90 60 10; do echo $points | ./grade; done\nexit 1\n";
    let said = tested(&project_of(driver));
    assert!(
        said.contains("its 4 starts of instrumented programs stay one test: it does not say after each start"),
        "{said}"
    );
}

#[test]
fn starts_are_those_of_the_drivers_that_are_named() {
    let project = project(SHELL, "sh driver", "");
    let suite = "[[suite]]\nkind = \"command\"\nlist = \"printf '%s\\\\n' one two\"\nrun = \"sh driver # {test}\"\n";
    let with = |starts: &str| project.write("suspect.toml", &format!("[build]\ncommand = \"make\"\n{suite}{starts}\n"));
    let said = tested(with("starts = [\"tw*\"]"));
    assert!(said.contains("fails: one: exit status 1: FAIL: edge\n"), "{said}");
    assert!(said.contains("fails: two, 3rd start of grade: two: FAIL: edge\n"), "{said}");
    assert!(!said.contains("one, "), "{said}");
    assert!(said.contains("hint: one runs 5 instrumented processes"), "{said}");
    let said = with("starts = \"two\"").fail(&["test"], 1);
    assert!(said.contains("suspect.toml:7:10: `starts` is true, or a list of patterns of names of tests"), "{said}");
}

/// A driver that says of each case whether it passes, and ends where an output is no text.
const DECODES: &str = r#"
import subprocess, sys
failed = False
for n, wanted in [("95", "95 points: 1\n"), ("10", "10 points: 3\n"), ("90", "90 points: 1\n"), ("60", "60 points: 2\n")]:
    got = subprocess.run(["./grade"], input=n.encode(), stdout=subprocess.PIPE).stdout.decode()
    print("PASS" if got == wanted else "FAIL", n, flush=True)
    failed |= got != wanted
sys.exit(failed)
"#;

#[test]
fn a_start_at_which_a_driver_breaks_off_fails() {
    let plain = "printf(\"%d %s: %d\\n\"";
    let broken =
        PROGRAM.replace(plain, "printf(grade(points) == 2 && points > 80 ? \"%d %s\\xff: %d\\n\" : \"%d %s: %d\\n\"");
    assert_ne!(broken, PROGRAM);
    let (wrong, right) = ("(\"90\", \"90 points: 1\\n\")", "(\"60\", \"60 points: 2\\n\")");
    let at_the_end = DECODES.replace(&format!("{wrong}, {right}"), &format!("{right}, {wrong}"));
    for (driver, n_starts, nth) in [(DECODES, 3, "3rd"), (&at_the_end, 4, "4th")] {
        let project = project(driver, "python3 driver", "starts = true\n");
        project.write("grade.c", &broken).succeed(&["build"]);
        let said = tested(&project);
        let told = format!(
            "{n_starts} of its {n_starts} starts of instrumented programs are tests of their own, 1 of them fail"
        );
        assert!(said.contains(&told), "{said}");
        assert!(said.contains(&format!("fails: spec, {nth} start of grade: spec: UnicodeDecodeError")), "{said}");
        let answer = project.succeed(&["rank"]);
        assert!(answer.contains("with `points >= 90`"), "{answer}");
    }
}

#[test]
fn refining_ends_at_an_interrupt_and_changes_nothing() {
    let project = project(
        "./grade < /dev/null; ./grade < /dev/null; ./grade < /dev/null\ntouch begun\nsleep 717\n",
        "sh driver",
        "",
    );
    let before = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    let mut refining = project.command(&["init", "--refine"]);
    let refining = refining.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !project.path().join("begun").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    kill(Pid::from_raw(refining.id() as i32), Signal::SIGINT).unwrap();
    let ended = refining.wait_with_output().unwrap();
    assert_eq!(text(&ended), "suspect: interrupted: suspect.toml stays as it was\n");
    assert_eq!(ended.status.code(), Some(130));
    assert_eq!(std::fs::read_to_string(project.path().join("suspect.toml")).unwrap(), before);
}
