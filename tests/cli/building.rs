//! The build command that `suspect init` writes.

use std::fs;

use crate::project::Project;

#[test]
fn the_build_is_that_of_the_system_that_has_the_tests() {
    let project = Project::new();
    project.write("CMakeLists.txt", "project(t C)\n").write("configure.ac", "");
    project.write("Makefile.am", "SUBDIRS = test\n").write("test/Makefile.am", "TESTS = run\n");
    project.succeed(&["init"]);
    let written = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    assert!(written.contains("kind = \"automake\""), "{written}");
    assert!(written.contains("command = \"autoreconf -i && ./configure && make"), "{written}");
    fs::remove_file(project.path().join("suspect.toml")).unwrap();
    project.write("configure", "").succeed(&["init"]);
    let written = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    assert!(written.contains("command = \"./configure && make"), "{written}");
}

#[test]
fn building_leaves_out_the_tests_that_automake_runs_by_itself() {
    let check = "TESTSUITE = $(srcdir)/testsuite\ncheck-local: $(TESTSUITE)\n\tsh $(TESTSUITE)\n";
    let automake = [("configure", ""), ("Makefile.am", "SUBDIRS = tests\n"), ("tests/Makefile.am", check)];
    let (_, written) = first_file(&automake);
    let build =
        "./configure && make -j$(nproc) && make -j$(nproc) check TESTS= -o check-local AM_MAKEFLAGS='-o check-local'";
    assert!(written.contains(&format!("command = \"{build}\"")), "{written}");
    assert!(written.contains("run = \"make check\""), "{written}");
    let source = [("tests/testsuite.at", "AT_INIT\n"), ("tests/a.at", "AT_SETUP([a])\nAT_CLEANUP\n")];
    let (_, written) = first_file(&[&automake[..], &source[..]].concat());
    assert!(written.contains(&format!("command = \"{build} && make -C tests testsuite\"")), "{written}");
    assert!(written.contains("kind = \"autotest\"\ndir = \"tests\"\n"), "{written}");
}

#[test]
fn building_makes_no_manuals() {
    let texinfo = "info_TEXINFOS = p.texi\n";
    for (configure, doc, command) in [
        ("configure", texinfo, "./configure MAKEINFO=: && make -j$(nproc) && make -j$(nproc) check TESTS=\""),
        ("configure", "p.1: p.c\n\t$(HELP2MAN) ./p > $@\n", "./configure HELP2MAN=: && make"),
        ("configure.sh", texinfo, "./configure.sh && make"),
    ] {
        let n_files = if configure == "configure" { 3 } else { 2 };
        let (_, written) = first_file(&[(configure, ""), ("doc/Makefile.am", doc), ("Makefile.am", "")][..n_files]);
        assert!(written.contains(&format!("command = \"{command}")), "{written}");
    }
}

#[test]
fn tests_run_without_valgrind_where_configure_knows_how() {
    let script = "cat <<END\n  --disable-valgrind-tests\n  don't try to use Valgrind\nEND\n";
    let (_, written) = first_file(&[("configure", script), ("Makefile.am", "")]);
    assert!(written.contains("command = \"./configure --disable-valgrind-tests && make"), "{written}");
}

#[test]
fn a_configured_tree_keeps_its_options() {
    let automake = [("configure", ""), ("Makefile.am", "info_TEXINFOS = p.texi\n")];
    for status in [
        "ac_cs_config=\"'--with-tests' 'MAKEINFO=:' 'CC=gcc' 'CFLAGS=-g -O2'\"\n",
        "ac_cs_config='--with-tests MAKEINFO=: CC=gcc '\\''CFLAGS=-g -O2'\\'''\n",
    ] {
        let (_, written) = first_file(&[&automake[..], &[("config.status", status)]].concat());
        let command = "command = \"./configure --with-tests 'CFLAGS=-g -O2' MAKEINFO=: && make";
        assert!(written.contains(command), "{written}");
        assert!(written.contains("(found Makefile.am: Automake, with the options of config.status)"), "{written}");
    }
    let (_, written) = first_file(&[&automake[..], &[("config.status", "ac_cs_config=''\n")]].concat());
    assert!(written.contains("./configure MAKEINFO=: && make") && !written.contains("options of"), "{written}");
}

/// What `suspect init` says and writes for a project of these files.
pub fn first_file(files: &[(&str, &str)]) -> (String, String) {
    let project = Project::new();
    for (name, text) in files {
        project.write(name, text);
    }
    let said = project.succeed(&["init"]);
    (said, fs::read_to_string(project.path().join("suspect.toml")).unwrap())
}

#[test]
fn tests_that_cmake_leaves_out_by_default_are_made() {
    let tests = "enable_testing()\nadd_executable(p p.c)\nadd_test(NAME p COMMAND p)\n";
    let guarded = format!("project(t C)\noption(T_BUILD_TESTS \"tests\" OFF)\nif(T_BUILD_TESTS)\n{tests}endif()\n");
    let cmake = format!("cmake_minimum_required(VERSION 3.10)\n{guarded}");
    let project = Project::new();
    project.write("CMakeLists.txt", &cmake).write("p.c", "int main(void) { return 0; }\n").succeed(&["init"]);
    let written = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    assert!(written.contains("cmake -S . -B build -DT_BUILD_TESTS=ON && "), "{written}");
    assert!(written.contains("without T_BUILD_TESTS it makes no tests"), "{written}");
    project.succeed(&["build"]);
    let said = project.succeed(&["test"]);
    assert!(said.contains("1 passing"), "{said}");
    let (_, written) = first_file(&[("CMakeLists.txt", &(guarded + "add_test(q q)\n"))]);
    assert!(written.contains("cmake -S . -B build && "), "{written}");
}
