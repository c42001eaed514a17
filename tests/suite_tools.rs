//! CTest, Automake and Meson: their own tests run by us, with the results that they give.

mod suite_common;

use std::fs;

use Verdict::{Error, Fail, Pass, Skip, Timeout};
use suite_common::{Project, assert_results, names, run, run_with};
use suspect::suite::{SuiteError, Verdict};

const CMAKE: &str = r#"
cmake_minimum_required(VERSION 3.20)
project(x C)
enable_testing()
add_executable(prog prog.c)
add_test(NAME pass COMMAND prog 0)
add_test(NAME fail COMMAND prog 3)
add_test(NAME crash COMMAND prog crash)
add_test(NAME "two words" COMMAND prog 0 "a b")
add_test(NAME inverted COMMAND prog 1)
set_tests_properties(inverted PROPERTIES WILL_FAIL TRUE)
add_test(NAME inverted-pass COMMAND prog 0)
set_tests_properties(inverted-pass PROPERTIES WILL_FAIL TRUE)
add_test(NAME skipped COMMAND prog 5)
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 5)
add_test(NAME regex COMMAND prog 1 says-42)
set_tests_properties(regex PROPERTIES PASS_REGULAR_EXPRESSION "nothing;says-[0-9]+")
add_test(NAME regex-missing COMMAND prog 0)
set_tests_properties(regex-missing PROPERTIES PASS_REGULAR_EXPRESSION "^says")
add_test(NAME regex-bad COMMAND prog 0 "ERROR: x")
set_tests_properties(regex-bad PROPERTIES FAIL_REGULAR_EXPRESSION "ERR[A-Z]*:")
add_test(NAME env COMMAND prog env)
set_tests_properties(env PROPERTIES ENVIRONMENT "V=a b;W=2" ENVIRONMENT_MODIFICATION "V=string_append:c;P=path_list_prepend:/p"
  PASS_REGULAR_EXPRESSION "V=a bc W=2 P=/p")
add_test(NAME cwd COMMAND prog cwd)
set_tests_properties(cwd PROPERTIES WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/sub PASS_REGULAR_EXPRESSION "/sub")
add_test(NAME hang COMMAND prog hang)
set_tests_properties(hang PROPERTIES TIMEOUT 0.3)
add_test(NAME gone COMMAND not-there)
add_test(NAME off COMMAND prog 0)
set_tests_properties(off PROPERTIES DISABLED TRUE)
add_test(NAME setup COMMAND prog create db)
set_tests_properties(setup PROPERTIES FIXTURES_SETUP db)
add_test(NAME cleanup COMMAND prog remove db)
set_tests_properties(cleanup PROPERTIES FIXTURES_CLEANUP db)
add_test(NAME uses COMMAND prog exists db)
set_tests_properties(uses PROPERTIES FIXTURES_REQUIRED db)
add_test(NAME first COMMAND prog create made)
add_test(NAME second COMMAND prog exists made)
set_tests_properties(second PROPERTIES DEPENDS first RUN_SERIAL TRUE)
add_test(NAME broken-setup COMMAND prog 9)
set_tests_properties(broken-setup PROPERTIES FIXTURES_SETUP broken)
add_test(NAME uses-broken COMMAND prog 0)
set_tests_properties(uses-broken PROPERTIES FIXTURES_REQUIRED broken)
"#;

const PROG: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char *get(const char *name) { const char *v = getenv(name); return v ? v : "-"; }
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "0", *file = argc > 2 ? argv[2] : "";
    char dir[4096];
    if (!strcmp(what, "crash")) abort();
    if (!strcmp(what, "hang")) for (;;) pause();
    if (!strcmp(what, "env")) { printf("V=%s W=%s P=%s\n", get("V"), get("W"), get("P")); return 0; }
    if (!strcmp(what, "cwd")) { puts(getcwd(dir, sizeof dir) ? dir : "?"); return 0; }
    if (!strcmp(what, "create")) { FILE *f = fopen(file, "w"); return !f; }
    if (!strcmp(what, "remove")) return unlink(file) != 0;
    if (!strcmp(what, "exists")) return access(file, F_OK) != 0;
    puts(file);
    return atoi(what);
}
"#;

#[test]
fn ctest_properties_mean_what_ctest_means() {
    let project = Project::new(&[
        ("suspect.toml", "[[suite]]\nkind = 'ctest'\ndir = 'build'\n"),
        ("CMakeLists.txt", CMAKE),
        ("prog.c", PROG),
        ("sub/x", ""),
    ]);
    assert!(project.error().contains("its directory build does not exist"), "{}", project.error());
    project.shell("cmake -S . -B build && cmake --build build");
    let suite = project.suite();
    let expected = [
        ("pass", Pass, ""),
        ("fail", Fail, "exit status 3"),
        ("crash", Fail, "killed by SIGABRT"),
        ("two words", Pass, ""),
        ("inverted", Pass, "fails as expected"),
        ("inverted-pass", Fail, "passes, but is expected to fail"),
        ("skipped", Skip, ""),
        ("regex", Pass, ""),
        ("regex-missing", Fail, "output does not match PASS_REGULAR_EXPRESSION"),
        ("regex-bad", Fail, "output contains `ERROR:` (FAIL_REGULAR_EXPRESSION)"),
        ("env", Pass, ""),
        ("cwd", Pass, ""),
        ("hang", Timeout, "did not end within 300 ms"),
        ("gone", Error, ""),
        ("setup", Pass, ""),
        ("cleanup", Pass, ""),
        ("uses", Pass, ""),
        ("first", Pass, ""),
        ("second", Pass, ""),
        ("broken-setup", Fail, "exit status 9"),
        ("uses-broken", Error, "`broken-setup`, which it needs, did not pass: exit status 9"),
    ];
    assert_eq!(suite.notes(), ["suite `ctest`: 1 disabled tests left out"]);
    let mut listed: Vec<&str> = expected.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names(&suite), listed);
    // The other way round too: no result may depend on the order.
    listed.reverse();
    for order in [listed.clone(), listed.into_iter().rev().collect()] {
        for name in order {
            let (_, verdict, why) = expected.iter().find(|(known, ..)| *known == name).unwrap();
            if name == "cleanup" {
                // By itself it has nothing to remove unless a setup went before.
                continue;
            }
            let run = run(&suite, name);
            assert_eq!(run.verdict, *verdict, "{name}: {:?}", run.reason);
            if name != "gone" {
                assert_eq!(run.reason.unwrap_or_default(), *why, "{name}");
            }
        }
    }
    assert!(!project.root().join("build/db").exists(), "cleaned up");
    // And as CTest itself says.
    let outcome = suspect::exec::Command::shell("ctest; true", project.root().join("build")).run().unwrap();
    let text = String::from_utf8(outcome.stdout.bytes).unwrap();
    for (name, verdict, _) in expected {
        let line =
            text.lines().find(|line| line.contains(&format!(": {name} ."))).unwrap_or_else(|| panic!("{name}: {text}"));
        assert_eq!(line.contains("Passed"), verdict == Pass, "{line}");
    }
}

const CONFIGURE: &str = "AC_INIT([x], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_REQUIRE_AUX_FILE([tap-driver.sh])\n\
     AC_CONFIG_FILES([Makefile sub/Makefile])\nAC_OUTPUT\n";
const MAKEFILE: &str = r#"
SUBDIRS = . sub
AM_TESTS_ENVIRONMENT = MYVAR='a b'; export MYVAR;
TESTS = t1.sh t2.sh t3.sh t4.sh prog t5.tap t6.sh t7.sh t8.tap
XFAIL_TESTS = t3.sh t4.sh
check_PROGRAMS = prog
TEST_EXTENSIONS = .sh .tap
SH_LOG_COMPILER = $(SHELL)
TAP_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/tap-driver.sh
"#;

#[test]
fn automake_tests_are_run_one_by_one_by_the_projects_own_driver() {
    let project = Project::new(&[
        ("suspect.toml", "[[suite]]\nkind = 'automake'\ndir = 'b'\n"),
        ("configure.ac", CONFIGURE),
        ("Makefile.am", MAKEFILE),
        (
            "sub/Makefile.am",
            "TESTS = s1.sh s2.sh\nTESTS_ENVIRONMENT = SUB='$(PACKAGE) b'; export SUB;\n\
             AM_TESTS_FD_REDIRECT = 9>&2\n",
        ),
        ("prog.c", PROG),
        (
            "t1.sh",
            "echo \"v=$MYVAR s=$srcdir o=$SUSPECT_OUT\"; echo \"flags=$MAKEFLAGS$MAKELEVEL\"; [ \"$MYVAR\" = 'a b' ]\n",
        ),
        ("t2.sh", "echo it is broken; exit 1\n"),
        ("t3.sh", "exit 1\n"),
        ("t4.sh", "exit 0\n"),
        ("t5.tap", "#!/bin/sh\necho 1..3; echo ok 1; echo not ok 2 - boo; echo 'ok 3 # SKIP'\n"),
        ("t6.sh", "exit 99\n"),
        ("t7.sh", "kill -SEGV $$\n"),
        ("t8.tap", "#!/bin/sh\necho 1..2; echo ok 1; echo 'not ok 2 # TODO'\n"),
        ("sub/s1.sh", "#!/bin/sh\necho no display; exit 77\n"),
        ("sub/s2.sh", "#!/bin/sh\n[ \"$SUB\" = \"x b\" ] && echo seen >&9\n"),
    ]);
    // Configure will not take a directory whose name has spaces.
    let plain = tempfile::tempdir().unwrap();
    project.shell(&format!("cp -r . {}", plain.path().display()));
    let shell = |line: &str| suspect::exec::Command::shell(line, plain.path()).run().unwrap();
    let made = shell("autoreconf -i && mkdir b && cd b && ../configure");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr.bytes));
    let suite = suspect::suite::Suite::load(plain.path()).unwrap();
    assert_eq!(suite.notes(), [""; 0]);
    let expected = [
        ("prog", Pass, ""),
        ("t1.sh", Pass, ""),
        ("t2.sh", Fail, "it is broken"),
        ("t3.sh", Pass, "fails as expected"),
        ("t4.sh", Fail, "passes, but is expected to fail"),
        ("t5.tap", Fail, "2 - boo"),
        ("t6.sh", Error, "ERROR t6.sh (exit status: 99)"),
        ("t7.sh", Fail, "FAIL t7.sh (exit status: 139)"),
        ("t8.tap", Pass, "fails as expected"),
        ("sub/s1.sh", Skip, "no display"),
        ("sub/s2.sh", Pass, ""),
    ];
    assert_results(&suite, &expected);
    let first = run_with(&suite, "t1.sh", &[("SUSPECT_OUT", "/out")], None);
    let log = String::from_utf8(first.output).unwrap();
    assert!(log.starts_with("v=a b s=.. o=/out\nflags=\n"), "{log}");
    let left = shell("cd b && ls *.log *.trs sub/*.trs | grep -v config.log");
    assert_eq!(String::from_utf8_lossy(&left.stdout.bytes), "", "no results are left that nobody measured");
    // And as `make check` itself says.
    let check = shell("cd b && make -k check");
    let said = String::from_utf8_lossy(&check.stdout.bytes).into_owned();
    for line in
        ["PASS: prog", "PASS: t1.sh", "FAIL: t2.sh", "XFAIL: t3.sh", "XPASS: t4.sh", "ERROR: t6.sh", "FAIL: t7.sh"]
    {
        assert!(said.lines().any(|said| said.starts_with(line)), "{line}: {said}");
    }
    // What `make` listed is known without it, as long as suspect.toml says the same.
    let kept = serde_json::to_string(suite.kept()).unwrap();
    let kept = serde_json::from_str(&kept).unwrap();
    let again = || suspect::suite::Suite::load_as(plain.path(), &kept);
    assert!(shell("rm b/Makefile").status.success());
    let known = again().unwrap();
    let prints = |suite: &suspect::suite::Suite| suite.tests().iter().map(|test| test.print()).collect::<Vec<_>>();
    assert_eq!((names(&known), prints(&known)), (names(&suite), prints(&suite)));
    assert_results(&known, &expected);
    assert_eq!(known.kept(), suite.kept());
    assert!(suspect::suite::Suite::load(plain.path()).is_err());
    fs::write(plain.path().join("suspect.toml"), "[[suite]]\nkind = 'automake'\ndir = 'b'\nenv = { A = '1' }\n")
        .unwrap();
    assert!(again().is_err());
}

#[test]
fn automakes_old_serial_driver_works_too() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    write("suspect.toml", "[[suite]]\nkind = 'auto'\n");
    write(
        "configure.ac",
        "AC_INIT([x], [1])\nAM_INIT_AUTOMAKE([foreign serial-tests])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
    );
    write("Makefile.am", "TESTS = a.sh b.sh c.sh\nXFAIL_TESTS = b.sh\nTESTS_ENVIRONMENT = V=$(PACKAGE)\n");
    for (name, text) in
        [("a.sh", "#!/bin/sh\n[ \"$V\" = x ]\n"), ("b.sh", "#!/bin/sh\nexit 1\n"), ("c.sh", "#!/bin/sh\nexit 1\n")]
    {
        write(name, text);
    }
    let made =
        suspect::exec::Command::shell("chmod +x *.sh && autoreconf -i && ./configure", dir.path()).run().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr.bytes));
    let suite = suspect::suite::Suite::load(dir.path()).unwrap();
    assert_eq!(suite.notes(), ["suite `auto`: found tests of Automake in ."]);
    assert_results(&suite, &[("a.sh", Pass, ""), ("b.sh", Pass, "fails as expected"), ("c.sh", Fail, "exit status 1")]);
    fs::remove_file(dir.path().join("Makefile")).unwrap();
    let known = suspect::suite::Suite::load_as(dir.path(), suite.kept()).unwrap();
    assert_results(&known, &[("a.sh", Pass, ""), ("b.sh", Pass, "fails as expected"), ("c.sh", Fail, "exit status 1")]);
}

const MESON: &str = r#"
project('x', 'c')
prog = executable('prog', 'prog.c')
sh = find_program('sh')
test('pass', prog)
test('fail', prog, args: ['3'])
test('env', prog, args: ['env'], env: ['V=a b'])
test('expected', prog, args: ['1'], should_fail: true)
test('unexpected', prog, args: ['0'], should_fail: true)
test('skip', prog, args: ['77'])
test('hard', prog, args: ['99'])
test('two words', prog, args: ['0', 'a b'], is_parallel: false, suite: 'some')
test('cwd', prog, args: ['cwd'], workdir: meson.current_source_dir())
test('hang', prog, args: ['hang'], timeout: 1)
test('tap', sh, args: ['-c', 'echo 1..2; echo ok; echo not ok - sum'], protocol: 'tap')
test('tap expected', sh, args: ['-c', 'echo 1..1; echo not ok'], protocol: 'tap', should_fail: true)
"#;

#[test]
fn meson_tests_are_run_with_their_protocols() {
    let project = Project::new(&[
        ("suspect.toml", "[[suite]]\nkind = 'meson'\ndir = 'b'\n"),
        ("meson.build", MESON),
        ("prog.c", PROG),
    ]);
    project.shell("meson setup b && meson compile -C b");
    let suite = project.suite();
    assert_results(
        &suite,
        &[
            ("pass", Pass, ""),
            ("fail", Fail, "exit status 3"),
            ("env", Pass, ""),
            ("expected", Pass, "fails as expected"),
            ("unexpected", Fail, "passes, but is expected to fail"),
            ("skip", Skip, ""),
            ("hard", Error, "exit status 99"),
            ("some:two words", Pass, ""),
            ("cwd", Pass, ""),
            ("hang", Timeout, "did not end within 1.0 s"),
            ("tap", Fail, "point 2 is not ok: sum"),
            ("tap expected", Pass, "fails as expected"),
        ],
    );
    let root = project.root().canonicalize().unwrap();
    assert_eq!(run(&suite, "cwd").output, format!("{}\n", root.display()).into_bytes());
    assert!(
        fs::read_dir(root.join("b/meson-logs"))
            .unwrap()
            .flatten()
            .all(|e| !e.file_name().to_string_lossy().starts_with("suspect"))
    );
}

/// What Autotest makes a script of: its groups pass, fail, skip, fail as they should, and look where they are.
const GROUPS: &str = r#"
AT_INIT
AT_SETUP([adds])
AT_CHECK([echo 3 > made; cat made], 0, [3
])
AT_CLEANUP
AT_SETUP([takes away])
AT_CHECK([prog 7], 0, [6
])
AT_CLEANUP
AT_SETUP([is not here])
AT_CHECK([exit 77])
AT_CLEANUP
AT_SETUP([is known])
AT_XFAIL_IF([:])
AT_CHECK([exit 1])
AT_CLEANUP
AT_SETUP([finds its data])
AT_CHECK([cat "$abs_srcdir/data" "$srcdir/data"; echo $local], 0, [data
data
here
])
AT_CLEANUP
"#;

#[test]
fn groups_of_autotest_are_run_in_directories_of_their_own() {
    // Autotest itself is not meant for directories with blanks.
    let project = Project::plain(&[
        ("suspect.toml", "[[suite]]\nkind = 'autotest'\ndir = 'tests'\n"),
        ("tests/testsuite.at", GROUPS),
        ("tests/data", "data\n"),
        ("tests/atlocal", "local=here\n"),
        ("bin/prog", "#!/bin/sh\necho $1; exit 2\n"),
        (
            "tests/package.m4",
            "m4_define([AT_PACKAGE_NAME], [calc])\nm4_define([AT_PACKAGE_TARNAME], [calc])\nm4_define([AT_PACKAGE_VERSION], [1])\n\
             m4_define([AT_PACKAGE_STRING], [calc 1])\nm4_define([AT_PACKAGE_BUGREPORT], [none])\n",
        ),
    ]);
    assert!(project.error().contains("tests has no atconfig: is the project configured?"), "{}", project.error());
    // As config.status writes it.
    let root = project.root().canonicalize().unwrap();
    let config = format!(
        "at_testdir='tests'\nabs_builddir='{0}/tests'\nat_srcdir='.'\nabs_srcdir='{0}/tests'\nat_top_srcdir='..'\nabs_top_srcdir='{0}'\n\
         at_top_build_prefix='../'\nabs_top_builddir='{0}'\nat_top_builddir=$at_top_build_prefix\nAUTOTEST_PATH='bin'\nSHELL='/bin/sh'\n",
        root.display()
    );
    project.write("tests/atconfig", &config);
    assert!(project.error().contains("no script that Autotest generated: is it made?"), "{}", project.error());
    project.shell("chmod +x bin/prog && cd tests && autom4te --language=autotest -o testsuite testsuite.at");
    let suite = project.suite();
    let failed = "testsuite.at:8: exit code was 2, expected 0, `-6`";
    assert_results(
        &suite,
        &[
            ("adds", Pass, ""),
            ("takes away", Fail, failed),
            ("is not here", Skip, "testsuite.at:12"),
            ("is known", Pass, "fails as expected"),
            ("finds its data", Pass, ""),
        ],
    );
    let test = suite.tests().iter().find(|test| test.name == "takes away").unwrap();
    assert_eq!(test.command, "sh ./testsuite -v 2");
    assert!(!root.join("tests/testsuite.dir").exists(), "nothing is made beside the script");
    // What is found without being told, and as Autotest itself says.
    project.write("suspect.toml", "");
    assert_eq!(project.suite().notes(), ["suite `auto`: found tests of Autotest in tests"]);
    let outcome = suspect::exec::Command::shell("./testsuite; true", root.join("tests")).run().unwrap();
    let text = String::from_utf8(outcome.stdout.bytes).unwrap();
    for (group, said) in ["ok", "FAILED", "skipped", "expected failure", "ok"].into_iter().enumerate() {
        let line = text.lines().find(|line| line.trim_start().starts_with(&format!("{}: ", group + 1))).unwrap();
        assert!(line.contains(said), "{text}");
    }
}

#[test]
fn missing_tool_is_named() {
    let project = Project::new(&[("suspect.toml", "[[suite]]\nkind = 'ctest'\nenv = { PATH = '/nowhere' }\n")]);
    assert!(matches!(project.load(), Err(SuiteError::MissingTool { .. })));
    assert_eq!(project.error(), "suite `ctest` needs `ctest`, which is not installed or not in PATH");
}

#[test]
fn listing_tool_that_fails_is_quoted() {
    let project = Project::new(&[(
        "suspect.toml",
        "[[suite]]\nkind = 'command'\nlist = 'echo oh no >&2; exit 2'\nrun = 'x {test}'\n",
    )]);
    assert_eq!(
        project.error(),
        "suite `command`: `/bin/sh -c 'echo oh no >&2; exit 2'` in ROOT failed (exit status 2)\n  oh no"
    );
    project.write("suspect.toml", "[[suite]]\nkind = 'meson'\n");
    assert!(
        project.error().starts_with("suite `meson`: `meson introspect . --tests` in ROOT failed"),
        "{}",
        project.error()
    );
    project.write("suspect.toml", "[[suite]]\nkind = 'automake'\n");
    assert!(project.error().starts_with("suite `automake`: `make -k check "), "{}", project.error());
}

#[test]
fn detection_prefers_the_tools_of_the_build() {
    let project = Project::new(&[("suspect.toml", ""), ("tests/a.sh", "exit 0\n"), ("tests/b.sh", "exit 1\n")]);
    let suite = project.suite();
    assert_eq!(suite.notes(), ["suite `auto`: found scripts tests/*.sh"]);
    assert_results(&suite, &[("tests/a.sh", Pass, ""), ("tests/b.sh", Fail, "exit status 1")]);
    project.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\nenable_testing()\nadd_test(NAME c COMMAND true)\n",
    );
    project.shell("cmake -S . -B some-build");
    let suite = project.suite();
    assert_eq!(suite.notes(), ["suite `auto`: found tests of CTest in some-build"]);
    assert_eq!(names(&suite), ["c"]);
    let empty = Project::new(&[("suspect.toml", "")]);
    assert!(
        empty.error().starts_with("suite `auto` has no tests: in ROOT there is no CTestTestfile.cmake"),
        "{}",
        empty.error()
    );
}
