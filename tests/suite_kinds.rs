//! The kinds `command`, `cases` and `lines` on small projects.

mod suite_common;

use std::cell::RefCell;
use std::fs;
use std::time::Duration;

use Verdict::{Error, Fail, Pass, Skip, Timeout};
use suite_common::{Project, assert_results, names, run, run_with};
use suspect::suite::{Suite, Verdict};

#[test]
fn command_runs_each_listed_test_and_judges_by_exit_status() {
    let project = Project::new(&[
        ("suspect.toml", "[[suite]]\nkind = 'command'\nlist = 'ls tests/*.sh'\nrun = 'sh {test}'\n"),
        ("tests/a.sh", "exit 0\n"),
        ("tests/b two.sh", "echo broken >&2; exit 3\n"),
        ("tests/c.sh", "echo not here; exit 77\n"),
        ("tests/d.sh", "kill -SEGV $$\n"),
        ("tests/e.sh", "./no-such-program\n"),
    ]);
    assert_results(
        &project.suite(),
        &[
            ("tests/a.sh", Pass, ""),
            ("tests/b two.sh", Fail, "exit status 3: broken"),
            ("tests/c.sh", Skip, "not here"),
            ("tests/d.sh", Fail, "killed by SIGSEGV (exit status 139)"),
            ("tests/e.sh", Error, "command not found: tests/e.sh: 1: ./no-such-program: not found"),
        ],
    );
}

#[test]
fn command_without_list_is_one_test_and_tap_has_many_points() {
    let project = Project::new(&[
        (
            "suspect.toml",
            "[[suite]]\nname = 'good'\nkind = 'command'\nrun = 'sh good.tap'\nresult = 'tap'\n\
             [[suite]]\nname = 'bad'\nkind = 'command'\nrun = 'sh bad.tap'\nresult = 'tap'\n\
             [[suite]]\nname = 'cut'\nkind = 'command'\nrun = 'sh cut.tap'\nresult = 'tap'\n",
        ),
        ("good.tap", "echo 1..3; echo ok 1; echo 'not ok 2 # TODO'; echo 'ok 3 # SKIP'\n"),
        ("bad.tap", "echo ok 1; echo 'not ok 2 - second of three'; echo not ok; echo 1..3\n"),
        ("cut.tap", "echo 1..3; echo ok; kill -ABRT $$\n"),
    ]);
    assert_results(
        &project.suite(),
        &[
            ("good/good", Pass, ""),
            ("bad/bad", Fail, "point 2 is not ok: second of three (and 1 more)"),
            ("cut/cut", Fail, "killed by SIGABRT (exit status 134)"),
        ],
    );
}

/// Each may take minutes, so that people are told.
#[test]
fn what_is_asked_of_a_suite_is_told() {
    let project = Project::new(&[
        (
            "suspect.toml",
            "[[suite]]\nname = 'listed'\nkind = 'command'\nlist = 'echo a'\nrun = 'true {test}'\n\
             [[suite]]\nname = 'driver'\nkind = 'command'\nrun = 'sh driver.sh'\nstarts = true\n\
             [[suite]]\nname = 'program'\nkind = 'command'\nrun = './program'\ncases = 'check'\n",
        ),
        ("driver.sh", "exit 0\n"),
    ]);
    fs::copy("/bin/true", project.root().join("program")).unwrap();
    let told = RefCell::new(Vec::new());
    Suite::load_telling(project.root(), &|what| told.borrow_mut().push(what.to_owned())).unwrap();
    assert_eq!(
        told.into_inner(),
        [
            "listing the tests of suite `listed`",
            "listing the tests of suite `driver`",
            "finding the starts of programs in driver",
            "listing the tests of suite `program`",
            "listing the cases of program"
        ]
    );
}

const JUNIT: &str = r#"#!/bin/sh
case $1 in
  none) exit 0 ;;
  pass) body='<testcase name="a" classname="c" time="0"/><testcase name="b"><skipped/></testcase>' ;;
  fail) body='<testcase name="a"/><testcase name="b"><failure message="3 is not 4">more</failure></testcase>' ;;
  error) body='<testcase name="a"><error message="no port"/></testcase>' ;;
  skip) body='<testcase name="a"><skipped/></testcase>' ;;
  junk) echo '<testsuite' > report.xml; exit 0 ;;
esac
printf '<?xml version="1.0"?>\n<testsuite name="s" tests="1">%s</testsuite>\n' "$body" > report.xml
"#;

#[test]
fn junit_file_gives_the_verdict_and_an_earlier_one_is_not_mistaken_for_it() {
    let project = Project::new(&[
        (
            "suspect.toml",
            "[[suite]]\nkind = 'command'\nlist = 'printf \"pass\\nfail\\nerror\\nskip\\nnone\\njunk\\n\"'\nrun = './t {test}'\n\
             result = 'junit:report.xml'\n",
        ),
        ("t", JUNIT),
    ]);
    let suite = project.suite();
    let verdicts: Vec<Verdict> = suite.tests().iter().map(|test| run(&suite, &test.name).verdict).collect();
    assert_eq!(verdicts, [Pass, Fail, Error, Skip, Error, Error]);
    assert_eq!(run(&suite, "fail").reason.unwrap(), "case `b`: 3 is not 4");
    assert!(run(&suite, "none").reason.unwrap().starts_with("wrote no result file"));
}

#[test]
fn cases_compare_standard_output_with_files() {
    let project = Project::new(&[
        (
            "suspect.toml",
            "[[suite]]\nkind = 'cases'\ninputs = 't/*.in'\nrun = './upper < {input}'\nexpect = 't/{stem}.out'\n",
        ),
        ("upper", "#!/bin/sh\ntr a-z A-Z\n[ ! -e crash ] || kill -SEGV $$\necho noise >&2\nexit 1\n"),
        ("t/a b.in", "one\ntwo\n"),
        ("t/a b.out", "ONE\nTWO\n"),
        ("t/it's.in", "one\ntwo\n"),
        ("t/it's.out", "ONE\nTOW\n"),
        ("t/.hidden.in", ""),
    ]);
    let suite = project.suite();
    assert_results(
        &suite,
        &[("a b", Pass, ""), ("it's", Fail, "output differs from t/it's.out: line 2 is `TWO`, expected `TOW`")],
    );
    assert_eq!(run(&suite, "a b").output, b"ONE\nTWO\n");
    project.write("crash", "");
    let crashed = run(&suite, "a b");
    assert_eq!((crashed.verdict, crashed.reason.as_deref()), (Fail, Some("killed by SIGSEGV (exit status 139)")));
}

#[test]
fn filter_is_applied_to_both_outputs() {
    let project = Project::new(&[
        (
            "suspect.toml",
            "[[suite]]\nkind = 'cases'\ninputs = '*.in'\nrun = 'cat {input}; echo $$ ms'\nexpect = '{stem}.out'\n\
             filter = \"sed 's/[0-9]* ms/TIME/'\"\n",
        ),
        ("a.in", "x\n"),
        ("a.out", "x\n12 ms\n"),
        ("b.in", "y\n"),
        ("b.out", "x\n12 ms\n"),
    ]);
    assert_results(
        &project.suite(),
        &[("a", Pass, ""), ("b", Fail, "output differs from b.out: line 1 is `y`, expected `x`")],
    );
    project.write("suspect.toml", &project.read("suspect.toml").replace("sed 's/[0-9]* ms/TIME/'", "exit 4"));
    assert_eq!(run(&project.suite(), "a").reason.unwrap(), "filter `exit 4` failed (exit status 4)");
}

#[test]
fn lines_go_to_the_shell_as_written() {
    let project = Project::new(&[
        ("suspect.toml", "[[suite]]\nkind = 'lines'\nfile = 'universe'\nrun = './prog {line}'\nexpect = 'out/{n}'\n"),
        ("universe", "1 2 3\n\n'a  b' \"$((1+1))\" < in | tr x y\n< in\n"),
        ("prog", "#!/bin/sh\nprintf '[%s]' \"$@\"; cat\n"),
        ("in", "xyz\n"),
        ("out/1", "[1][2][3]"),
        ("out/3", "[a  b][2]yyz\n"),
        ("out/4", "[]xy\n"),
    ]);
    assert_results(
        &project.suite(),
        &[
            ("1", Pass, ""),
            ("3", Pass, ""),
            ("4", Fail, "output differs from out/4: line 1 is `[]xyz`, expected `[]xy`"),
        ],
    );
}

#[test]
fn reference_program_says_what_is_right() {
    let project = Project::new(&[
        (
            "suspect.toml",
            "[[suite]]\nkind = 'lines'\nfile = 'u'\nrun = './prog {line}'\nreference = 'echo x >> ran; ./orig {line}'\n",
        ),
        ("u", "1\n2\n3\n"),
        ("prog", "#!/bin/sh\n[ $1 -ge 2 ] && echo big || echo small\n"),
        ("orig", "#!/bin/sh\n[ $1 -eq 3 ] && kill -BUS $$\n[ $1 -gt 2 ] && echo big || echo small\n"),
    ]);
    let suite = project.suite();
    assert_results(
        &suite,
        &[
            ("1", Pass, ""),
            ("2", Fail, "output differs from the reference's: line 1 is `big`, expected `small`"),
            ("3", Error, "the reference program failed: killed by SIGBUS (exit status 135)"),
        ],
    );
    run(&suite, "1");
    assert_eq!(project.read("ran").lines().count(), 3, "the reference runs once for each test");
}

#[test]
fn scratch_directories_keep_tests_apart_and_the_project_clean() {
    let config = |scratch: &str| {
        format!(
            "[[suite]]\nkind = 'cases'\ninputs = '*.in'\nrun = 'cat {{input}} > made; ls; ls \"$TMPDIR\" | wc -l'\n\
             scratch = '{scratch}'\nexpect = '{{stem}}.out'\n"
        )
    };
    let project = Project::new(&[("a.in", "x"), ("a.out", "a.in\na.out\nmade\nsuspect.toml\n0\n")]);
    project.write("suspect.toml", &config("copy"));
    assert_results(&project.suite(), &[("a", Pass, "")]);
    assert!(!project.root().join("made").exists());
    project.write("suspect.toml", &config("empty"));
    project.write("a.out", "made\n0\n");
    assert_results(&project.suite(), &[("a", Pass, "")]);
    assert!(!project.root().join("made").exists());
    project.write("suspect.toml", &config("none"));
    run(&project.suite(), "a");
    assert!(project.root().join("made").exists());
}

#[test]
fn environment_reaches_programs_run_by_scripts() {
    let project = Project::new(&[
        (
            "suspect.toml",
            "[[suite]]\nkind = 'command'\nrun = 'sh t.sh'\nenv = { MINE = 'a b' }\n[[suite]]\nkind = 'command'\nrun = 'true'\n",
        ),
        ("t.sh", "for i in 1 2 3; do sh -c 'echo $SUSPECT_TEST $SUSPECT_OUT $MINE' ; done\n"),
    ]);
    let suite = project.suite();
    let run = run_with(&suite, "command/command", &[("SUSPECT_OUT", "/x")], None);
    assert_eq!(run.output, b"command/command /x a b\n".repeat(3));
    assert_eq!(run_with(&suite, "command/command", &[], None).output, b"a b\n".repeat(3));
    assert_eq!(names(&suite), ["command/command", "command-2/command-2"]);
}

#[test]
fn hanging_test_times_out_and_leaves_nothing() {
    let project = Project::new(&[
        ("suspect.toml", "[[suite]]\nkind = 'command'\nrun = 'sh t.sh'\ntimeout = '300ms'\n"),
        ("t.sh", "setsid sleep 616.5 & echo started; sleep 616.5\n"),
    ]);
    let run = run(&project.suite(), "command");
    assert_eq!((run.verdict, run.reason.as_deref()), (Timeout, Some("did not end within 300 ms")));
    assert_eq!(run.output, b"started\n");
    let left = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        fs::read(entry.path().join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains("616.5"))
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn limit_of_the_caller_wins() {
    let project = Project::new(&[("suspect.toml", "[[suite]]\nkind = 'command'\nrun = 'sleep 5'\ntimeout = '20s'\n")]);
    let run = run_with(&project.suite(), "command", &[], Some(Duration::from_millis(100)));
    assert_eq!(run.verdict, Timeout);
}
