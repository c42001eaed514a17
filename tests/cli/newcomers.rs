//! Projects as people bring them, with what is said to somebody who has never used the tool.

use std::fs;
use std::process::Command;

use crate::building::first_file;
use crate::project::{Project, text};

/// A program that copies its argument to its output, and forgets what stands after the seventh character.
const PROGRAM: &str = "#include <stdio.h>\n\
                       static int room(int length)\n\
                       {\n    return length < 7 ? length : 7;\n}\n\
                       int main(int argc, char **argv)\n\
                       {\n    int length = 0;\n    while (argv[1][length])\n        length++;\n\
                           printf(\"%.*s\\n\", room(length), argv[1]);\n    return 0;\n}\n";

/// A project whose tests are scripts in a directory of their own: they run `../prog`, and keep its output beside themselves.
fn scripts_that_look_up() -> Project {
    let project = Project::new();
    project.write("prog.c", PROGRAM).write(
        "suspect.toml",
        "[build]\ncommand = \"cc -o prog prog.c\"\n\
         [[suite]]\nkind = \"command\"\ndir = \"t\"\nlist = \"ls *.sh\"\nrun = \"sh ./{test}\"\n",
    );
    for (name, word) in [("a", "a"), ("b", "bcd"), ("c", "seventy"), ("d", "eighteen"), ("e", "seventeen")] {
        let script = format!("../prog {word} > {name}.out\necho {word} | cmp - {name}.out\n");
        project.write(&format!("t/{name}.sh"), &script);
    }
    project.succeed(&["build"]);
    project
}

#[test]
fn changes_are_tried_on_tests_that_look_beside_their_directory_and_write_into_it() {
    let project = scripts_that_look_up();
    project.succeed(&["test"]);
    let ranked = project.succeed(&["rank", "-v", "--top", "1", "--budget", "30s"]);
    assert!(ranked.contains("suspect: #1 prog.c:4 in room()"), "{ranked}");
    assert!(ranked.contains("all 2 failing tests pass"), "{ranked}");
    assert!(!ranked.contains("no instrumented program"), "{ranked}");
    let explained = text(&project.suspect(&["explain", "d.sh"]));
    assert!(explained.contains("d.sh compared with itself with what room returns at prog.c:4"), "{explained}");
    assert!(explained.contains("d.sh: what is written differs at prog.c:11. "), "{explained}");
}

/// A project whose tests are scripts that make a directory below `place`, as those of GNU programs do where they are built, and fail if they cannot.
fn scripts_that_make_directories(place: &str) -> Project {
    let project = Project::new();
    let script = format!(
        "#!/bin/sh\n./prog x > /dev/null\nwork=$(mktemp -d -p {place} gt-XXXX) || exit 1\ntrap 'rm -r $work' EXIT\n\
         ./prog $1 > $work/out\necho $1 | cmp - $work/out > /dev/null\n"
    );
    project.write("prog.c", PROGRAM).write("try.sh", &script).write(
        "suspect.toml",
        "[build]\ncommand = \"cc -o prog prog.c\"\n\
         [[suite]]\nkind = \"command\"\nlist = \"printf '%s\\\\n' a bcd seventy eighteen seventeen\"\nrun = \"sh ./try.sh {test}\"\n",
    );
    project.succeed(&["build"]);
    project
}

#[test]
fn changes_are_tried_in_large_directories_that_tests_write_into() {
    let project = scripts_that_make_directories(".");
    // What a build leaves: too much to be copied for each test, little enough to be copied once.
    let large = fs::File::create(project.path().join("large")).unwrap();
    large.set_len(100 << 20).unwrap();
    project.succeed(&["test"]);
    let ranked = project.succeed(&["rank", "-v", "--top", "1", "--budget", "30s"]);
    assert!(ranked.contains("suspect: #1 prog.c:4 in room()"), "{ranked}");
    assert!(ranked.contains("all 2 failing tests pass"), "{ranked}");
}

#[test]
fn changes_are_tried_on_tests_that_write_by_absolute_paths_into_the_project() {
    let project = scripts_that_make_directories("$ROOT");
    let config = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    let root = project.path().canonicalize().unwrap();
    project.write("suspect.toml", &format!("{config}env = {{ ROOT = \"{}\" }}\n", root.display()));
    project.succeed(&["test"]);
    let ranked = project.succeed(&["rank", "-v", "--top", "1", "--budget", "30s"]);
    assert!(ranked.contains("suspect: #1 prog.c:4 in room()"), "{ranked}");
    assert!(ranked.contains("all 2 failing tests pass"), "{ranked}");
}

#[test]
fn changes_are_tried_where_temporary_files_are_in_the_project() {
    let project = scripts_that_make_directories(".");
    project.succeed(&["test"]);
    let tmp = project.path().join("tmp");
    fs::create_dir(&tmp).unwrap();
    let ranked =
        project.command(&["rank", "-v", "--top", "1", "--budget", "30s"]).env("TMPDIR", &tmp).output().unwrap();
    let ranked = text(&ranked);
    assert!(ranked.contains("suspect: #1 prog.c:4 in room()"), "{ranked}");
    assert!(ranked.contains("all 2 failing tests pass"), "{ranked}");
}

#[test]
fn a_test_that_fails_for_want_of_a_place_to_write_is_not_taken_for_the_failing_one() {
    // Nothing outside of a test's own directory can be written by changes.
    let place = tempfile::Builder::new().tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let project = scripts_that_make_directories(place.path().to_str().unwrap());
    project.succeed(&["test"]);
    let ranked = project.succeed(&["rank", "-v", "--top", "1", "--budget", "30s"]);
    assert!(ranked.contains("with 1 instead of 2 instrumented processes"), "{ranked}");
    assert!(!ranked.contains("no change here alters"), "{ranked}");
}

#[test]
fn a_failing_test_that_nothing_can_be_tried_on_does_not_speak_against_what_repairs_the_others() {
    let place = tempfile::Builder::new().tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let away = format!("$(case $1 in eighteen) echo {};; *) echo .;; esac)", place.path().display());
    let project = scripts_that_make_directories(&away);
    project.succeed(&["test"]);
    // What was refused is known when there is no time to try it again.
    for budget in ["30s", "1ms"] {
        let ranked = project.succeed(&["rank", "-v", "--top", "1", "--budget", budget]);
        assert!(ranked.contains("not tried: anything on eighteen: "), "{budget}: {ranked}");
        assert!(ranked.contains("suspect: #1 prog.c:4 in room()"), "{budget}: {ranked}");
        assert!(ranked.contains("makes seventeen pass") || ranked.contains("seventeen passes"), "{budget}: {ranked}");
        assert!(ranked.contains(" make all of them pass"), "{budget}: {ranked}");
        assert!(!ranked.contains("none make all of them pass"), "{budget}: {ranked}");
    }
}

#[test]
fn a_test_that_is_many_tests_is_to_be_split() {
    let project = Project::new();
    let script =
        |last: &str| format!("for word in $(seq 19) {last}; do test \"$(./prog $word)\" = $word || exit 1; done\n");
    project.write("prog.c", PROGRAM).write("long.sh", &script("seventeen")).write("short.sh", &script("ten"));
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -o prog prog.c\"\n\
         [[suite]]\nkind = \"command\"\nlist = \"printf '%s\\\\n' long short\"\nrun = \"sh ./{test}.sh\"\n",
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let trust = project.ranking(&["--method", "ochiai"])["trust"].to_string();
    assert!(trust.contains("each failing test starts many programs, long 20 of them"), "{trust}");
    project.write("long.sh", "test \"$(./prog seventeen)\" = seventeen\n").succeed(&["test"]);
    let trust = project.ranking(&["--method", "ochiai"])["trust"].to_string();
    assert!(!trust.contains("starts many programs"), "{trust}");
}

#[test]
fn what_is_to_be_typed_first_is_said() {
    let project = Project::new();
    project.write("CMakeLists.txt", "project(t C)\nENABLE_TESTING ()\nadd_test(a a)\n").write("Makefile", "");
    assert!(project.succeed(&["init"]).ends_with("then type: suspect build && suspect test\n"));
    let written = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    assert!(written.contains("cmake --build build") && written.contains("kind = \"ctest\""), "{written}");
    let said = project.fail(&["test"], 4);
    assert!(said.contains("build does not exist") && said.contains("`suspect build`"), "{said}");
}

#[test]
fn a_build_system_without_tests_gives_way_to_one_with_them() {
    let automake = ("Makefile.am", "TESTS = a.sh\n");
    let meson = "project('p', 'c')\nexecutable('p', 'p.c')\n";
    let others = ("subprojects/o/meson.build", "test('o', o)\n");
    let remark = format!("{meson}# no test('p', p) yet\n");
    let (_, written) = first_file(&[("meson.build", &remark), others, automake]);
    assert!(written.contains("kind = \"automake\"") && written.contains("./configure && "), "{written}");
    let with_tests = format!("{meson}subdir('t/unit')\n");
    let tests = ("t/unit/meson.build", "test ('p', p)\n");
    let (_, written) = first_file(&[("meson.build", &with_tests), tests, automake]);
    assert!(written.contains("kind = \"meson\"") && written.contains("meson setup build"), "{written}");
}

#[test]
fn only_targets_that_a_makefile_has_are_taken_for_tests() {
    let command = |files: &[(&str, &str)]| {
        let (_, written) = first_file(files);
        let (_, tests) = written.split_once("\n[[suite]]\n")?;
        tests.lines().find_map(|line| line.strip_prefix("run = ")).map(str::to_owned)
    };
    let one = |text| command(&[("Makefile", text)]);
    assert_eq!(one("all: prog\nprog: prog.c\n").as_deref(), None);
    assert_eq!(one("all: prog\n.PHONY: check\n").as_deref(), None);
    assert_eq!(one("all: prog\ncheck: all\n\t./prog\n").as_deref(), Some("\"make check\""));
    assert_eq!(one("all: prog\ntest: all\n\t./prog\n").as_deref(), Some("\"make test\""));
    let included = [("Makefile", "all: prog\ninclude more.mk\n"), ("more.mk", "test:\n")];
    assert_eq!(command(&included).as_deref(), Some("\"make test\""));
    let below = [("Makefile", "all: prog\n"), ("tests/Makefile", "check:\n")];
    assert_eq!(command(&below).as_deref(), Some("\"make -C tests check\""));
    // Automake's own does nothing where no tests are named.
    let automake = [("Makefile.am", "bin_PROGRAMS = x\n"), ("Makefile.in", "check: check-am\n"), ("configure", "")];
    assert_eq!(command(&automake).as_deref(), None);
}

/// A library that is one too small, and its test.
const WIDTH: (&str, &str) = ("width.c", "int width(int from, int to)\n{\n    return to - from;\n}\n");
const WIDTH_TEST: (&str, &str) = (
    "tests.c",
    "#include <stdio.h>\nint width(int from, int to);\nint main(void)\n{\n    int is = width(2, 4);\n    \
     printf(\"width %d\\n\", is);\n    return is != 3;\n}\n",
);

#[test]
fn a_project_whose_make_runs_the_tests_is_built_though_they_fail() {
    let together = "all: check\ncheck: unit\n\t./unit\nunit: tests.c width.c\n\t$(CC) -g -o $@ tests.c width.c\n";
    let itself = "all: test\n.PHONY: test\ntest: tests.c width.c\n\t$(CC) -g -o $@ tests.c width.c\n\t./$@\n";
    for (makefile, build, run) in [
        (together, "command = \"make -j$(nproc) unit\"", "run = \"./unit\""),
        (itself, "command = \"rm -f test && make -k --eval='.PRECIOUS: test' test; test -x test\"", "run = \"./test\""),
    ] {
        let project = Project::new();
        project.write(WIDTH.0, WIDTH.1).write(WIDTH_TEST.0, WIDTH_TEST.1).write("Makefile", makefile);
        project.succeed(&["init"]);
        let written = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
        assert!(written.contains(build) && written.contains(run), "{written}");
        assert!(written.contains("what the Makefile's tests need"), "{written}");
        assert!(written.contains("\ntest_code = [\"tests.c\"]\n"), "{written}");
        project.succeed(&["build"]);
        let said = project.succeed(&["test"]);
        assert!(said.contains("0 passing, 1 failing"), "{said}");
        let ranking = project.ranking(&[]);
        assert_eq!(ranking["ranking"][0]["file"], "width.c", "{ranking}");
        // What cannot be compiled is no build, though there is a program of before.
        project.write(WIDTH.0, "int width(\n").fail(&["build"], 4);
    }
}

#[test]
fn a_program_that_crashes_where_make_starts_it_is_built() {
    let project = Project::new();
    let makefile = "all: smoke\nsmoke: tests.c width.c\n\t$(CC) -g -o $@ tests.c width.c\n\t./$@\n";
    let crashes = WIDTH_TEST.1.replace("return is != 3", "return is == 3 ? 0 : *(volatile int *)0");
    project.write(WIDTH.0, WIDTH.1).write(WIDTH_TEST.0, &crashes).write("Makefile", makefile);
    project.succeed(&["init"]);
    project.succeed(&["build"]);
    let said = project.succeed(&["test"]);
    assert!(said.contains("0 passing, 1 failing"), "{said}");
}

#[test]
fn scripts_of_a_rule_that_makes_a_program_and_starts_it_are_tests_too() {
    let project = Project::new();
    let makefile = "all: width.o\ntest: tests.c width.c\n\t$(CC) -g -o unit $^\n\t\t@sh t/answers.sh 2\n\t./unit\n";
    project.write(WIDTH.0, WIDTH.1).write(WIDTH_TEST.0, &WIDTH_TEST.1.replace("is != 3", "0"));
    project.write("Makefile", makefile).write("t/answers.sh", "./unit | grep \"width $(($1 + 1))\"\n");
    project.succeed(&["init"]);
    project.succeed(&["build"]);
    let said = project.succeed(&["test"]);
    assert!(said.contains("answers.sh") && said.contains("1 passing, 1 failing"), "{said}");
}

#[test]
fn programs_of_tests_are_built_though_make_alone_leaves_them_out() {
    let apart = "all: width.o\ntest: unit\n\t./unit\nunit: tests.o width.o\n\t$(CC) -o $@ tests.o width.o\n";
    let started = "test: one two\none: tests.c\n\t$(CC) -g tests.c width.c -o $@\n\t./$@\n\
                   two: tests.c\n\t$(CC) -g -O1 tests.c width.c -o $@\n\t./$@\n";
    let only_made = "all: width-test\nwidth-test: tests.c width.c\n\t$(CC) -g -o $@ tests.c width.c\n";
    let top = "all: width.o\n";
    let below = "check: unit\n\t./unit\nunit: ../tests.c ../width.c\n\t$(CC) -g -o $@ ../tests.c ../width.c\n";
    let unseen =
        "all: width.o\ntest: $(shell echo unit)\n\t./unit\nunit: tests.o width.o\n\t$(CC) -o $@ tests.o width.o\n";
    for (makefile, build, n_failing) in [
        (apart, "make -j$(nproc) && make -j$(nproc) unit", 1),
        (started, "rm -f one two && make -k --eval='.PRECIOUS: one two' one two; test -x one && test -x two", 2),
        (only_made, "make -j$(nproc)", 1),
        (top, "make -j$(nproc) && make -C tests -j$(nproc) unit", 1),
        (unseen, "make -j$(nproc) && (timeout 5m make -k test || true)", 1),
    ] {
        let project = Project::new();
        project.write(WIDTH.0, WIDTH.1).write(WIDTH_TEST.0, WIDTH_TEST.1).write("Makefile", makefile);
        if makefile == top {
            project.write("tests/Makefile", below);
        }
        project.succeed(&["init"]);
        let written = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
        assert!(written.contains(&format!("\ncommand = \"{build}\"\n")), "{written}");
        project.succeed(&["build"]);
        let said = project.succeed(&["test"]);
        assert!(said.contains(&format!("0 passing, {n_failing} failing")), "{written}{said}");
    }
}

#[test]
fn a_makefile_that_builds_only_in_its_order_is_built_one_command_at_a_time() {
    let project = Project::new();
    // The program needs the object, which the Makefile does not say.
    let object = "width.o: width.c\n\tsleep 1\n\t$(CC) -g -c width.c\n";
    let makefile =
        format!("all: width.o unit\n{object}unit: tests.c\n\t$(CC) -g -o $@ tests.c width.o\ntest: all\n\t./unit\n");
    project.write(WIDTH.0, WIDTH.1).write(WIDTH_TEST.0, WIDTH_TEST.1).write("Makefile", &makefile);
    project.write("suspect.toml", "[build]\ncommand = \"make -j2\"\n").fail(&["build"], 4);
    fs::remove_file(project.path().join("width.o")).unwrap();
    project.write("suspect.toml", "[build]\ncommand = \"nproc() { echo 2; }; make -j$(nproc)\"\n");
    let said = text(&project.suspect(&["build"]));
    assert!(said.contains("failed with commands beside each other; once more, one at a time"), "{said}");
    assert!(said.contains("2 units instrumented") && project.path().join("unit").is_file(), "{said}");
    // An error of the compiler is one in any order.
    project.write(WIDTH.0, "int width(\n").fail(&["build"], 4);
}

#[test]
fn tests_that_make_builds_by_name_are_built_where_documents_cannot_be() {
    let project = Project::new();
    let makefile = "all: width.o unit.1\nunit.1: width.c\n\tno-such-formatter -o $@ $<\ntest: unit\n\t./unit\n\
                    unit: tests.o width.o\n\t$(CC) -o $@ tests.o width.o\n";
    project.write(WIDTH.0, WIDTH.1).write(WIDTH_TEST.0, WIDTH_TEST.1).write("Makefile", makefile);
    let said = text(&project.suspect(&[]));
    let tried = "the build failed; once more, only what is asked for by name: make -j1 unit ...";
    assert!(said.contains(tried) && said.contains("width.c:"), "{said}");
    // An error of the compiler is one there, too, and everything alone is asked for by no name.
    project.write(WIDTH.0, "int width(\n").fail(&["build"], 4);
    for command in ["make && make -j2", "make && make -C . unit", "make && make unit CC=cc"] {
        project.write("suspect.toml", &format!("[build]\ncommand = \"{command}\"\n"));
        assert!(!project.fail(&["build"], 4).contains("by name"), "{command}");
    }
}

#[test]
fn what_is_built_below_is_tested_by_the_script_that_is_called_so() {
    let project = Project::new();
    let driver = "#!/bin/sh\nmake/unit > out\necho width 3 | cmp - out\n";
    project.write(WIDTH.0, WIDTH.1).write(WIDTH_TEST.0, WIDTH_TEST.1).write("util/run-tests.sh", driver);
    project.write("make/Makefile", "unit: ../tests.c ../width.c\n\t$(CC) -g -o $@ ../tests.c ../width.c\n");
    project.succeed(&["init"]);
    let written = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    assert!(written.contains("\ncommand = \"make -C make -j$(nproc)\"\n"), "{written}");
    assert!(written.contains("\nrun = \"sh util/run-tests.sh\"\n"), "{written}");
    project.succeed(&["build"]);
    assert!(project.succeed(&["test"]).contains("0 passing, 1 failing"));
}

#[test]
fn a_target_of_cmakes_that_runs_the_tests_is_a_test() {
    let text = "project(t C)\nADD_CUSTOM_TARGET(test ./run.sh)\n";
    let (_, written) = first_file(&[("CMakeLists.txt", text), ("t/x.sh", "exit 0\n")]);
    assert!(written.contains("run = \"cmake --build build --target test\""), "{written}");
}

#[test]
fn scripts_of_which_the_makefile_does_not_speak_are_no_tests() {
    let makefile = |recipe| format!("all: p\ncheck: p\n\t{recipe}\nlint:\n\tsh tests/lint.sh\n");
    let lint = ("tests/lint.sh", "exit 0\n");
    let (_, written) = first_file(&[("Makefile", &makefile("./p < x")), lint]);
    assert!(written.contains("run = \"make check\""), "{written}");
    let (_, written) = first_file(&[("Makefile", &makefile("for t in tests/*; do sh $$t; done")), lint]);
    assert!(written.contains("list = \"ls tests/*.sh\""), "{written}");
    let (_, written) = first_file(&[("Makefile", "all: p\n"), lint]);
    assert!(written.contains("list = \"ls tests/*.sh\""), "{written}");
    // What configure sets decides which of the targets is meant.
    let chosen = "include config.mak\nall: p\ntest: test-$(KIND)\ntest-one: p\n\tsh tests/lint.sh --full ./p\n";
    let (_, written) = first_file(&[("Makefile", chosen), lint]);
    assert!(written.contains("run = \"make test\""), "{written}");
}

#[test]
fn what_init_does_not_find_it_says() {
    let (said, written) = first_file(&[("Makefile", "all: prog\nprog: prog.c\n")]);
    assert!(said.contains("no tests were found: say in it how they are run, then type: suspect build"), "{said}");
    assert!(written.contains("no Makefile has a target") && written.contains("\n# [[suite]]\n"), "{written}");
    let (said, _) = first_file(&[]);
    assert!(said.contains("neither a build system nor tests were found"), "{said}");
}

#[test]
fn the_build_fits_any_machine_and_is_that_of_the_makefile_with_the_tests() {
    let (_, written) = first_file(&[("CMakeLists.txt", "project(t C)\n"), ("Makefile", "check:\n")]);
    assert!(written.contains("\ncommand = \"make -j$(nproc)\"\n"), "{written}");
    let (_, written) = first_file(&[("CMakeLists.txt", "project(t C)\n"), ("Makefile", "all:\n")]);
    assert!(written.contains("cmake --build build -j$(nproc)\"\n"), "{written}");
}

#[test]
fn a_failing_test_is_compared_with_one_that_is_called_like_it() {
    let project = Project::new();
    // Numbers above 7 count too little. By what is executed test 1 is nearer to 3 than 2 is, but it reads a pipe.
    project.write(
        "sum.c",
        "#include <stdio.h>\nint main(void)\n{\n    int number, sum = 0;\n    while (scanf(\"%d\", &number) == 1) {\n        \
             if (number > 7)\n            number = 7;\n        sum += number;\n    }\n    printf(\"%d\\n\", sum);\n    return 0;\n}\n",
    );
    for (number, input, expected) in [(1, "1 2 3", "6"), (2, "1 2", "3"), (3, "1 2 9", "12")] {
        project.write(&format!("in/{number}"), input).write(&format!("expected/{number}"), &format!("{expected}\n"));
    }
    project.write("tests.txt", "cat in/1 | ./sum\n./sum < in/2\n./sum < in/3\n").write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O0 -o sum sum.c\"\n\
         [[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"{line}\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let explained = text(&project.suspect(&["explain", "3"]));
    assert!(explained.contains("3 compared with 2: "), "{explained}");
    // Where all are called alike what they do decides.
    project.write("tests.txt", "./sum < in/1\n./sum < in/2\n./sum < in/3\n").succeed(&["test"]);
    let explained = text(&project.suspect(&["explain", "3"]));
    assert!(explained.contains("3 compared with 1: "), "{explained}");
}

#[test]
fn a_test_that_does_not_end_is_explained_by_its_beginning() {
    let project = Project::new();
    let (build, suite) = (
        "[build]\ncommand = \"cc -O0 -o down down.c\"\n",
        "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./down {line}\"\n",
    );
    project.write("tests.txt", "3\n9\n").write("suspect.toml", &format!("{build}{suite}timeout = \"2s\"\n")).write(
        "down.c",
        "#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    int n = atoi(argv[argc - 1]);\n    while (n > 0)\n        \
             if (n != 7)\n            n--;\n    return 0;\n}\n",
    );
    project.succeed(&["build"]);
    assert!(project.succeed(&["test"]).contains("fails: 2 (./down 9): timeout"));
    // As in a project that says nothing of time.
    project.write("suspect.toml", &format!("{build}{suite}"));
    let explained = text(&project.suspect(&["explain", "2", "--against", "1", "--budget", "600s"]));
    assert!(explained.contains("2 does not end in time, and is at down.c:"), "{explained}");
}

#[test]
fn what_is_stored_is_not_committed_by_mistake() {
    let project = Project::new();
    project.write("prog.c", "int main(void) { return 0; }\n");
    assert!(Command::new("git").args(["init", "-q"]).current_dir(project.path()).status().unwrap().success());
    project.succeed(&["build", "--", "cc", "-o", "prog", "prog.c"]);
    let status = Command::new("git").args(["status", "--short"]).current_dir(project.path()).output().unwrap();
    let listed = String::from_utf8(status.stdout).unwrap();
    assert!(listed.contains("prog.c") && !listed.contains(".suspect"), "{listed}");
}

/// A library that takes the wrong side of a comparison, and three programs that test it.
fn unit_tests() -> Project {
    let project = Project::new();
    project.write("most.h", "int most(const int *numbers, int count);\n").write(
        "most.c",
        "#include \"most.h\"\n\
         int most(const int *numbers, int count)\n\
         {\n    int found = numbers[0];\n    for (int i = 1; i < count; i++) {\n        if (numbers[i] < found)\n            \
             found = numbers[i];\n    }\n    return found;\n}\n",
    );
    for (name, numbers) in [("one", "4"), ("falling", "9, 4, 4"), ("even", "3, 3"), ("pair", "4, 9")] {
        let text = format!(
            "#include \"../most.h\"\n\
             static const int numbers[] = {{ {numbers} }};\n\
             int main(void)\n{{\n    int count = sizeof numbers / sizeof *numbers, right = 0;\n    for (int i = 0; i < count; i++)\n        \
                 if (numbers[i] > right)\n            right = numbers[i];\n    \
                 if (most(numbers, count) != right)\n        return 1;\n    return 0;\n}}\n"
        );
        project.write(&format!("tests/{name}.c"), &text);
    }
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"for t in one even pair falling; do cc -O0 -o tests/$t tests/$t.c most.c || exit 1; done\"\n\
         [[suite]]\nkind = \"command\"\nlist = \"printf '%s\\\\n' one even pair falling\"\nrun = \"tests/{test}\"\n",
    );
    project
}

#[test]
fn code_of_the_tests_is_trusted() {
    let project = unit_tests();
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    for method in [["--method", "ochiai"], ["--budget", "20s"]] {
        let ranking = project.ranking(&method);
        let files: Vec<&str> =
            ranking["ranking"].as_array().unwrap().iter().filter_map(|line| line["file"].as_str()).collect();
        assert!(!files.is_empty() && files.iter().all(|file| *file == "most.c"), "{files:?}");
        let trust = ranking["trust"].to_string();
        assert!(trust.contains("trusted and not ranked: tests/even.c and 3 more files"), "{trust}");
    }
    assert_eq!(project.ranking(&["--budget", "20s"])["ranking"][0]["line"], 6);
    let said = project.fail(&["rank", "--why", "tests/pair.c:8"], 1);
    assert!(
        said.contains("not ranked: it is the tests' own code, which is trusted") && !said.contains("innocent"),
        "{said}"
    );
    let explained = project.succeed(&["explain", "pair", "--switch"]);
    assert!(explained.contains("itself with `numbers[i] < found` true at most.c:6"), "{explained}");
    let mutants = project.succeed(&["mutants", "--list"]);
    assert!(mutants.contains("most.c:6") && !mutants.contains("tests/pair.c:"), "{mutants}");
}

#[test]
fn a_failing_test_of_its_own_code_alone_takes_no_trust_away() {
    let project = unit_tests();
    project.write("tests/own.c", "int main(void)\n{\n    int wrong = 3;\n    return wrong - 2;\n}\n");
    let config = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    project.write("suspect.toml", &config.replace("one even", "own one even"));
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let ranking = project.ranking(&["--budget", "20s"]);
    let first = &ranking["ranking"][0];
    assert_eq!((first["file"].as_str(), first["line"].as_u64()), (Some("most.c"), Some(6)), "{ranking}");
    let mut files = ranking["ranking"].as_array().unwrap().iter().filter_map(|line| line["file"].as_str());
    assert!(files.all(|file| file == "most.c"), "{ranking}");
}

#[test]
fn which_code_is_the_tests_is_for_the_user_to_say() {
    let project = unit_tests();
    let config = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    project.write("suspect.toml", &format!("[rank]\ntest_code = [\"m*.c\"]\n{config}"));
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let ranked = project.succeed(&["rank", "-v", "--no-trials"]);
    assert!(ranked.contains("tests/pair.c:") && !ranked.contains(" most.c:"), "{ranked}");
    project.write("suspect.toml", &format!("[rank]\ntest_code = [\"*.c\", \"tests/*.c\"]\n{config}"));
    project.succeed(&["test"]);
    let ranked = project.succeed(&["rank", "-v", "--no-trials"]);
    assert!(ranked.contains("executes other code than the tests' own (most.c and "), "{ranked}");
    project.write("suspect.toml", &format!("[rank]\ntest_code = [\"[\"]\n{config}"));
    let said = project.fail(&["test"], 1);
    assert!(said.contains("suspect.toml:2:14") && said.contains("`test_code` is a list of patterns"), "{said}");
}

#[test]
fn scripts_of_which_the_tests_do_not_speak_are_not_run() {
    let makefile = ("Makefile.in", "all: prog\ntest: prog\n\tif test -f x; then ./prog test.xml; fi\n");
    let (_, written) = first_file(&[makefile, ("configure", ""), ("test/dotest.sh", "exit 1\n")]);
    assert!(written.contains("run = \"make test\""), "{written}");
    assert!(written.contains("command = \"./configure && make -j$(nproc)\"\n"), "{written}");
    assert!(written.contains("again = \"make -j$(nproc)\"\n"), "{written}");
    let rules = "test: testlib\n\t./testlib x.xml\ntestlib: lib.a testlib.o\ntestlib.o: lib.h\n";
    let (_, written) = first_file(&[("Makefile", rules), ("testlib.c", ""), ("lib.h", "")]);
    assert!(written.contains("\ntest_code = [\"testlib.c\"]\n"), "{written}");
}

#[test]
fn what_a_makefile_includes_and_lacks_is_configured() {
    let makefile = ("Makefile", "include Makefile.configure\nall: prog\nregress: prog\n\t./prog\n");
    let (_, written) = first_file(&[makefile, ("configure", "")]);
    assert!(written.contains("command = \"./configure && make -j$(nproc)\"\n"), "{written}");
    assert!(written.contains("run = \"./prog\""), "{written}");
    let (_, written) = first_file(&[makefile, ("configure", ""), ("Makefile.configure", "")]);
    assert!(written.contains("command = \"make -j$(nproc)\"\n"), "{written}");
    // By a variable, under a condition.
    let text = "ifndef TOP\n TOP = .\nendif\nifneq ($(X),1)\n include $(TOP)/config.mak\nendif\nall: prog\ntest: prog\n\t./prog\n";
    let (_, written) = first_file(&[("Makefile", text), ("configure", "")]);
    assert!(written.contains("command = \"./configure && make -j$(nproc)\"\n"), "{written}");
    let (_, written) = first_file(&[("Makefile", text), ("configure", ""), ("config.mak", "")]);
    assert!(written.contains("command = \"make -j$(nproc)\"\n"), "{written}");
}

#[test]
fn what_is_written_for_bsds_make_is_configured() {
    let bsd = ("Makefile", "PROG= prog\n.include <bsd.prog.mk>\ntest:\n\t./prog\n");
    let (_, written) = first_file(&[bsd, ("configure", "")]);
    assert!(written.contains("command = \"./configure && make -j$(nproc)\"\n"), "{written}");
    // What GNU make reads is made of it.
    let made = ("makefile.in", "all: prog\ncheck: prog\n\tsh tests/run\n");
    let (_, written) = first_file(&[bsd, made, ("configure", "")]);
    assert!(written.contains("command = \"./configure && make -j$(nproc)\"\n"), "{written}");
    assert!(written.contains("run = \"make check\""), "{written}");
}

#[test]
fn changes_are_tried_where_a_target_is_called_like_a_directory() {
    let project = Project::new();
    // make takes the target for made where the directory is newer than what it is made of.
    project.write("test/x.txt", "").write("prog.c", PROGRAM).write(
        "Makefile",
        "prog: prog.c\n\t$(CC) -g -O1 -o $@ prog.c\ntest: prog\n\t./prog seventeen > out\n\techo seventeen | cmp - out\n",
    );
    project.succeed(&["init"]);
    project.succeed(&["build"]);
    // The build may take less than a file system's clock ticks.
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::open(project.path().join("test")).unwrap().set_modified(old).unwrap();
    let said = project.succeed(&["test"]);
    assert!(said.contains("0 passing, 1 failing"), "{said}");
    let ranked = project.succeed(&["rank", "-v", "--top", "1", "--budget", "30s"]);
    assert!(ranked.contains("suspect: #1 prog.c:4 in room()"), "{ranked}");
    assert!(!ranked.contains("not tried: anything on"), "{ranked}");
}

#[test]
fn who_ignores_the_ends_of_children_gets_a_build_nevertheless() {
    let project = Project::new();
    project.write("prog.c", PROGRAM).write("Makefile", "prog: prog.c\n\t$(CC) -O1 -o $@ prog.c\n");
    let plain = project.command(&["build", "--", "make"]);
    let mut ignoring = Command::new("env");
    ignoring.arg("--ignore-signal=CHLD").arg(plain.get_program()).args(plain.get_args()).current_dir(project.path());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => ignoring.env(name, value),
            None => ignoring.env_remove(name),
        };
    }
    let said = text(&ignoring.output().unwrap());
    assert!(said.contains("1 unit instrumented"), "{said}");
}
