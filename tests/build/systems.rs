//! `suspect build` with the build systems that C projects use.

use std::fs;

use crate::support::{Project, SUSPECT, stderr, stdout, succeed};

/// Two programs, an archive and a shared library, by implicit rules and by gcc's name.
fn make_project(name: &str) -> Project {
    let project = Project::new(name).with_program();
    project.file("double.c", "int twice(int x) { return 2 * x; }\n");
    project.file(
        "other.c",
        "#include <stdio.h>\nint twice(int);\nint main(void) { printf(\"%d\\n\", twice(21)); return 0; }\n",
    );
    project.file(
        "Makefile",
        "all: program other libdouble.so\n\
         program: main.o libanswer.a\n\t$(CC) $(CFLAGS) -o $@ $^\n\
         libanswer.a: answer.o\n\tar rcs $@ $^\n\
         libdouble.so: double.c\n\tgcc -shared -fPIC -o $@ $<\n\
         other: other.c libdouble.so\n\tgcc-12 -o $@ other.c -L. -ldouble -Wl,-rpath,'$$ORIGIN'\n\
         clean:\n\trm -f *.o *.a *.so program other\n\
         .PHONY: all clean\n",
    );
    project
}

fn assert_make_project(project: &Project) {
    assert_eq!([project.units("program"), project.units("other"), project.units("libdouble.so")], [2, 1, 1]);
    project.assert_records("program");
    project.assert_records("other");
}

#[test]
fn make_with_several_programs_and_libraries() {
    let project = make_project("p");
    let output = succeed(project.build(&["make"]));
    assert_make_project(&project);
    let said = stderr(&output);
    assert!(said.contains("4 units instrumented") && said.contains("2 programs, 1 shared library"), "{said}");
    assert!(!said.contains("not instrumented"), "{said}");
    // Nothing to do is no failure, and the report says the same.
    assert_eq!(stderr(&succeed(project.build(&["make"]))), said);
}

#[test]
fn make_in_a_directory_with_a_name_that_is_no_word() {
    let project = make_project("it's ä $directory with 'blanks'");
    succeed(project.build(&["make", "-j4"]));
    assert_make_project(&project);
}

#[test]
fn flags_on_the_command_line_do_not_switch_instrumentation_off() {
    let project = make_project("p");
    succeed(project.build(&["make", "CFLAGS=-O3 -DX=1", "CC=gcc"]));
    assert_make_project(&project);
    succeed(project.run(&["make", "clean"]));
    let output =
        project.command(SUSPECT).args(["build", "--", "make", "-e"]).env("CFLAGS", "-O1").env("CC", "clang").output();
    succeed(output.unwrap());
    assert_make_project(&project);
}

#[test]
fn make_through_a_compiler_cache() {
    let project = make_project("p");
    for _ in 0..2 {
        succeed(project.build(&["make", "CC=ccache gcc"]));
        assert_make_project(&project);
        succeed(project.run(&["make", "clean"]));
    }
    let modes = |list: &str| {
        succeed(project.run(&[SUSPECT, "build", "--modes", list, "--", "make", "CC=ccache gcc"]));
        let modes = project.binary("program").units.unwrap()[0].modes;
        succeed(project.run(&["make", "clean"]));
        modes
    };
    assert_eq!([modes("plain,edges"), modes("plain,values")], [0b011, 0b101]);
}

#[test]
fn two_checkouts_share_no_objects_of_a_compiler_cache() {
    let one = Project::new("one").with_program();
    one.file("Makefile", "program: main.o answer.o\n\t$(CC) -o $@ $^\n");
    let other = one.root.parent().unwrap().join("two");
    std::fs::create_dir(&other).unwrap();
    for name in ["Makefile", "main.c", "answer.c"] {
        std::fs::copy(one.root.join(name), other.join(name)).unwrap();
    }
    for root in [&one.root, &other] {
        let mut command = one.command(SUSPECT);
        command.args(["build", "--", "make", "CC=ccache gcc"]).current_dir(root);
        // Paths below the common directory are made relative, and where the compiler runs is not looked at.
        command.env("CCACHE_BASEDIR", root.parent().unwrap()).env("CCACHE_NOHASHDIR", "1");
        succeed(command.output().unwrap());
        let units = suspect::build::elf::read(&root.join("program")).unwrap().unwrap().units.unwrap();
        let directories: Vec<&str> = units.iter().map(|unit| unit.directory.as_str()).collect();
        assert_eq!(directories, [root.to_str().unwrap(); 2]);
    }
}

#[test]
fn units_of_earlier_builds_for_other_modes_are_named() {
    let project = make_project("p");
    succeed(project.build(&["make"]));
    let said = stderr(&succeed(project.run(&[SUSPECT, "build", "--modes", "plain,edges", "--", "make"])));
    assert!(said.contains("made for other modes than plain,edges by an earlier build: answer.c, double.c"), "{said}");
    assert!(said.contains("type: make clean && suspect build -- make"), "{said}");
}

#[test]
fn each_choice_of_modes_is_taken_for_itself() {
    let project = Project::new("p").with_program();
    project.file("Makefile", "program: main.o answer.o\n\tcc -o $@ $^\nclean:\n\trm -f *.o program\n");
    for modes in ["edges,values", "values", "edges", "plain", "record", "plain,edges,values,trace,mutants,record"] {
        succeed(project.run(&["make", "clean"]));
        let said = stderr(&succeed(project.run(&[SUSPECT, "build", "--modes", modes, "--", "make"])));
        assert!(!said.contains("other modes"), "{modes}: {said}");
    }
}

#[test]
fn a_script_that_builds() {
    let project = Project::new("p").with_program();
    project.file("build.sh", "set -e\ncc -c main.c\ncd .\nc99 -c answer.c\nclang main.o answer.o -o program\n");
    succeed(project.build(&["sh", "build.sh"]));
    project.assert_records("program");
}

fn cmake_project(name: &str) -> Project {
    let project = Project::new(name).with_program();
    project.file(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.21)\nproject(p C)\ninclude(CheckFunctionExists)\n\
         check_function_exists(printf HAVE_PRINTF)\ninclude(CheckTypeSize)\ncheck_type_size(long LONG)\nset(CMAKE_EXPORT_COMPILE_COMMANDS ON)\n\
         add_library(answer SHARED answer.c)\nadd_executable(program main.c)\ntarget_link_libraries(program answer)\n\
         add_executable(alone main.c answer.c)\n",
    );
    project
}

fn assert_cmake_project(project: &Project) {
    assert_eq!(
        [project.units("build/program"), project.units("build/alone"), project.units("build/libanswer.so")],
        [1, 2, 1]
    );
    project.assert_records("build/program");
    project.assert_records("build/alone");
    let commands = fs::read_to_string(project.root.join("build/compile_commands.json")).unwrap();
    assert!(!commands.contains("suspect-cc"), "{commands}");
}

#[test]
fn cmake_with_makefiles() {
    let project = cmake_project("with blanks");
    let output = succeed(project.build(&["cmake", "-S", ".", "-B", "build", "-G", "Unix Makefiles"]));
    assert!(stdout(&output).contains("Clang 19"), "{}", stdout(&output));
    succeed(project.build(&["cmake", "--build", "build", "-j2"]));
    assert_cmake_project(&project);
}

#[test]
fn cmake_with_ninja_and_a_cache() {
    let project = cmake_project("ünïcode");
    succeed(project.build(&["cmake", "-B", "build", "-G", "Ninja", "-DCMAKE_C_COMPILER_LAUNCHER=ccache"]));
    succeed(project.build(&["ninja", "-C", "build"]));
    assert_cmake_project(&project);
}

#[test]
fn cmake_called_by_a_script() {
    let project = cmake_project("p");
    project.file("build.sh", "set -e\nmkdir build\ncd build\ncmake ..\nmake\n");
    succeed(project.build(&["sh", "build.sh"]));
    assert_eq!(
        [project.units("build/program"), project.units("build/alone"), project.units("build/libanswer.so")],
        [1, 2, 1]
    );
    project.assert_records("build/program");
}

#[test]
fn cmake_configured_for_another_compiler_is_refused() {
    let project = cmake_project("p");
    succeed(project.run(&["cmake", "-B", "build", "-DCMAKE_C_COMPILER=/usr/bin/gcc"]));
    for command in [&["cmake", "-B", "build"][..], &["cmake", "--build", "build"], &["make", "-C", "build"]] {
        let output = project.build(command);
        let said = stderr(&output);
        assert!(!output.status.success());
        assert!(said.contains("build/CMakeCache.txt: configured for /usr/bin/gcc"), "{said}");
        assert!(said.contains("rm -r "), "{said}");
        assert!(stdout(&output).is_empty(), "nothing may have run: {}", stdout(&output));
    }
    // The line that it gives works.
    let said = stderr(&project.build(&["cmake", "--build", "build"]));
    let line = said.split("type: ").nth(1).unwrap().trim().replace("suspect build", &format!("{SUSPECT} build"));
    succeed(project.run(&["sh", "-c", &line]));
    project.assert_records("build/program");
}

#[test]
fn meson() {
    let project = Project::new("with blanks").with_program();
    project.file(
        "meson.build",
        "project('p', 'c')\ncc = meson.get_compiler('c')\nassert(cc.has_function('printf'))\n\
         answer = shared_library('answer', 'answer.c')\nexecutable('program', 'main.c', link_with: answer)\n",
    );
    let output = succeed(project.build(&["meson", "setup", "out"]));
    assert!(stdout(&output).contains("clang 19"), "{}", stdout(&output));
    succeed(project.build(&["meson", "compile", "-C", "out"]));
    assert_eq!([project.units("out/program"), project.units("out/libanswer.so")], [1, 1]);
    project.assert_records("out/program");
}

#[test]
fn autotools_with_libtool() {
    let project = Project::new("p").with_program();
    project.file(
        "configure.ac",
        "AC_INIT([p],[1])\nAM_INIT_AUTOMAKE([foreign])\nLT_INIT\nAC_PROG_CC\nAC_CHECK_FUNCS([printf no_such_function])\n\
         AC_CHECK_SIZEOF([long])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
    );
    project.file(
        "Makefile.am",
        "lib_LTLIBRARIES = libanswer.la\nlibanswer_la_SOURCES = answer.c\nbin_PROGRAMS = program\n\
         program_SOURCES = main.c\nprogram_LDADD = libanswer.la\n",
    );
    succeed(project.run(&["autoreconf", "-fi"]));
    let output = succeed(project.build(&["./configure"]));
    let answers = stdout(&output);
    assert!(answers.contains("checking for printf... yes") && answers.contains("no_such_function... no"), "{answers}");
    assert!(answers.contains("checking size of long... 8"), "{answers}");
    // Called by hand in a configured tree, make still has the compiler.
    let log = project.root.join("log");
    succeed(project.command("make").arg("-j2").env("SUSPECT_BUILD_LOG", &log).output().unwrap());
    assert!(!fs::read_to_string(log).unwrap().contains("conftest"));
    assert_eq!([project.units(".libs/program"), project.units(".libs/libanswer.so")], [1, 1]);
    project.assert_records("program");
}

#[test]
fn configure_and_make_with_the_driver_by_its_name() {
    let project = Project::new("p").with_program();
    project.file(
        "configure.ac",
        "AC_INIT([p],[1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
    );
    project.file("Makefile.am", "bin_PROGRAMS = program\nprogram_SOURCES = main.c answer.c\n");
    succeed(project.run(&["autoreconf", "-fi"]));
    let links = project.links(&["suspect-cc"]);
    let path = format!("{}:{}", links.display(), std::env::var("PATH").unwrap());
    for words in [&["./configure", "CC=suspect-cc", "CFLAGS=-O2 -Werror"][..], &["make"]] {
        let output = succeed(project.command(words[0]).args(&words[1..]).env("PATH", &path).output().unwrap());
        assert!(!stderr(&output).contains("suspect"), "{}", stderr(&output));
    }
    project.assert_records("program");
}
