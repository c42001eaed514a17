//! What `suspect build` and `suspect doctor` say when something is not as it should be.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{Project, SUSPECT, library_for, stderr, stdout, succeed};
use suspect::build::toolchain::{self, Library};

const NOT_INSTRUMENTED: Option<i32> = Some(5);
const BUILD_FAILED: Option<i32> = Some(4);

fn project(makefile: &str) -> Project {
    let project = Project::new("p").with_program();
    project.file("Makefile", makefile);
    project
}

const BY_PATH: &str = "CC = /usr/bin/gcc\nprogram: main.o answer.o\n\t$(CC) -o $@ $^\nclean:\n\trm -f *.o program\n";

#[test]
fn compiler_called_by_its_path_is_found_out() {
    let project = project(BY_PATH);
    let output = project.build(&["make"]);
    assert_eq!(output.status.code(), NOT_INSTRUMENTED);
    let said = stderr(&output);
    assert!(said.contains("answer.o, main.o, program: made by GCC"), "{said}");
    assert!(said.contains("type: make clean && suspect build -- make CC=cc"), "{said}");
    assert!(said.contains("Makefile:1 names /usr/bin/gcc"), "{said}");
    assert!(said.contains("no program of this build is instrumented"), "{said}");
    // The line that it gives works.
    succeed(project.run(&["make", "clean"]));
    succeed(project.build(&["make", "CC=cc"]));
    project.assert_records("program");
}

#[test]
fn compiler_named_in_the_command_is_found_out() {
    let project = project("program: main.o answer.o\n\t$(CC) -o $@ $^\n");
    let said = stderr(&project.build(&["make", "CC=/usr/bin/gcc"]));
    assert!(said.contains("suspect build -- make CC=cc   # the command names /usr/bin/gcc"), "{said}");
}

#[test]
fn one_object_of_another_compiler_is_named() {
    let project = project("program: main.o answer.o\n\tcc -o $@ $^\nanswer.o: answer.c\n\t/usr/bin/gcc -c $<\n");
    let said = stderr(&succeed(project.build(&["make"])));
    assert!(said.contains("not instrumented: answer.o: made by GCC"), "{said}");
    assert!(said.contains("Makefile:4"), "{said}");
    assert_eq!(project.units("program"), 1);
}

#[test]
fn what_was_switched_off_is_left_alone_on_purpose() {
    let project = project("program: main.o answer.o\n\tcc -o $@ $^\nmain.o: main.c\n\tSUSPECT_OFF=1 cc -c $<\n");
    let said = stderr(&succeed(project.build(&["make"])));
    assert!(said.contains("not instrumented: main.o: SUSPECT_OFF is set") && !said.contains("type:"), "{said}");
    assert_eq!(project.units("program"), 1);
}

#[test]
fn program_linked_past_the_driver_is_named() {
    let project = project("program: main.o answer.o\n\t/usr/bin/gcc -o $@ $^\n");
    let output = project.build(&["make"]);
    assert_eq!(output.status.code(), NOT_INSTRUMENTED);
    assert!(stderr(&output).contains("program: linked without suspect's runtime"), "{}", stderr(&output));
}

#[test]
fn objects_that_were_there_before_are_named() {
    let project = project("program: main.o answer.o\n\tcc -o $@ $^\nclean:\n\trm -f *.o program\n");
    succeed(project.run(&["make"]));
    let output = project.build(&["make"]);
    assert_eq!(output.status.code(), NOT_INSTRUMENTED);
    let said = stderr(&output);
    assert!(said.contains("answer.o, main.o, program: made without suspect, before this build"), "{said}");
    assert!(said.contains("type: make clean && suspect build -- make"), "{said}");
    fs::remove_file(project.root.join("main.o")).unwrap();
    let said = stderr(&succeed(project.build(&["make"])));
    assert!(said.contains("not instrumented: answer.o: made without suspect"), "{said}");
    succeed(project.run(&["make", "clean"]));
    let said = stderr(&succeed(project.build(&["make"])));
    assert!(!said.contains("not instrumented"), "{said}");
    // And when somebody builds again without us.
    succeed(project.run(&["make", "clean"]));
    succeed(project.run(&["make"]));
    assert_eq!(project.build(&["make"]).status.code(), NOT_INSTRUMENTED);
}

#[test]
fn what_is_not_c_is_named_and_no_fault() {
    let project = project("program: main.o answer.o more.o asm.o\n\tg++ -o $@ $^\n");
    project.file("more.cpp", "extern \"C\" int more(void) { return 1; }\n");
    project.file(
        "asm.S",
        ".globl nothing\n.type nothing,@function\nnothing: ret\n.section .note.GNU-stack,\"\",@progbits\n",
    );
    let said = stderr(&succeed(project.build(&["make"])));
    assert!(said.contains("not instrumented: more.o: C++"), "{said}");
    assert!(said.contains("not instrumented: asm.o: assembler source"), "{said}");
    assert!(!said.contains("type:"), "{said}");
    project.assert_records("program");
}

#[test]
fn programs_in_other_languages_are_no_fault() {
    let project = project(
        "all: program cxx stripped\nprogram: main.o answer.o\n\tcc -o $@ $^\ncxx: more.cpp\n\tg++ -o $@ $<\nstripped: more.cpp\n\tg++ -s -o $@ $<\n",
    );
    project.file("more.cpp", "int main() { return 0; }\n");
    let said = stderr(&succeed(project.build(&["make"])));
    assert!(said.contains("not instrumented: cxx, stripped: C++"), "{said}");
    assert!(!said.contains("type:"), "{said}");
}

#[test]
fn stripped_program_of_another_compiler_is_named() {
    let project = project(
        "all: program plain\nprogram: main.o answer.o\n\tcc -o $@ $^\nplain: main.c answer.c\n\t/usr/bin/gcc -s -o $@ $^\n",
    );
    let said = stderr(&succeed(project.build(&["make"])));
    assert!(said.contains("not instrumented: plain: made by GCC"), "{said}");
}

#[test]
fn status_of_the_build_command_is_reported() {
    let project = project("program: main.o answer.o\n\tcc -o $@ $^\n");
    for (command, status) in
        [(&["sh", "-c", "exit 7"][..], 7), (&["sh", "-c", "kill -TERM $$"], 128 + 15), (&["make", "no-such-target"], 2)]
    {
        let output = project.build(command);
        assert_eq!(output.status.code(), BUILD_FAILED);
        let said = stderr(&output);
        assert!(said.contains(&format!("the build command ended with status {status}")), "{said}");
    }
    let output = project.build(&["no-such-command"]);
    assert!(stderr(&output).contains("cannot run no-such-command"), "{}", stderr(&output));
    assert!(stderr(&project.build(&[])).contains("no build command; type: suspect build -- make"));
}

#[test]
fn build_without_a_fitting_clang_starts_nothing() {
    let project = project("program:\n\ttouch started\n");
    let copy = project.root.join("../lib");
    library_for(&Library::find().unwrap().directory, &copy, "19.1.0\n");
    let output = project.command(SUSPECT).args(["build", "--", "make"]).env("SUSPECT_LIB", &copy).output().unwrap();
    assert!(!output.status.success() && stderr(&output).contains("was built against 19.1.0"), "{}", stderr(&output));
    assert!(!project.root.join("started").exists());
}

/// A plugin that clang loads, but that knows no option of ours.
const OTHER_PLUGIN: &str = r#"
struct plugin { unsigned api; const char *name, *version; void (*add)(void *); };
static void nothing(void *builder) { (void)builder; }
struct plugin llvmGetPassPluginInfo(void) { return (struct plugin){1, "suspect", "0", nothing}; }
"#;

#[test]
fn build_with_the_plugin_of_another_build_starts_nothing() {
    let project = project("program:\n\ttouch started\n");
    let copy = project.root.join("../lib");
    let toolchain = toolchain::find(None).unwrap();
    library_for(&Library::find().unwrap().directory, &copy, &toolchain.version);
    let plugin = copy.join("19").join(toolchain.plugin.file_name().unwrap());
    fs::write(copy.join("other.c"), OTHER_PLUGIN).unwrap();
    let mut compile = Command::new(&toolchain.clang);
    succeed(compile.args(["-shared", "-fPIC", "-o"]).arg(&plugin).arg(copy.join("other.c")).output().unwrap());
    for contents in [None, Some("no plugin")] {
        if let Some(contents) = contents {
            fs::write(&plugin, contents).unwrap();
        }
        for command in [&["build", "--", "make"][..], &["doctor"]] {
            let output = project.command(SUSPECT).args(command).env("SUSPECT_LIB", &copy).output().unwrap();
            let said = stdout(&output) + &stderr(&output);
            assert!(!output.status.success() && said.contains("not the plugin that belongs to this suspect"), "{said}");
            assert!(
                said.contains(&plugin.display().to_string()) && said.contains("make in suspect's sources"),
                "{said}"
            );
        }
    }
    assert!(!project.root.join("started").exists());
}

#[test]
fn a_plugin_is_tried_once_until_it_or_the_compiler_is_another() {
    let project = project("program:\n\t$(CC) -o program main.c answer.c\n");
    let toolchain = toolchain::find(None).unwrap();
    let (clang, started) = (project.root.join("../clang"), project.root.join("../started"));
    let script =
        format!("#!/bin/sh\necho \"$@\" >> {}\nexec {} \"$@\"\n", started.display(), toolchain.clang.display());
    let n_tried = |modes: &str| {
        let mut build = project.command(SUSPECT);
        build.args(["build", "--modes", modes, "--", "make", "-B"]).env("SUSPECT_CLANG", &clang);
        succeed(build.output().unwrap());
        fs::read_to_string(&started).unwrap().lines().filter(|line| line.contains("tried.c")).count()
    };
    let put = |script: &str| {
        fs::write(&clang, script).unwrap();
        fs::set_permissions(&clang, fs::Permissions::from_mode(0o755)).unwrap();
    };
    put(&script);
    assert_eq!([n_tried("plain,edges"), n_tried("plain,edges"), n_tried("edges")], [1, 1, 2]);
    put(&(script + "# another one\n"));
    assert_eq!([n_tried("edges"), n_tried("edges")], [3, 3]);
}

#[test]
fn doctor_finds_everything_well() {
    let project = project("program: main.o answer.o\n\tcc -o $@ $^\n");
    succeed(project.build(&["make"]));
    let said = stdout(&succeed(project.run(&[SUSPECT, "doctor"])));
    assert!(said.contains("ok   clang 19."), "{said}");
    assert!(said.contains("ok   a program compiled by suspect-cc runs as it should and records"), "{said}");
    assert!(said.contains("ok   program program: instrumented, 2 units"), "{said}");
    assert!(!said.contains("BAD"), "{said}");
}

#[test]
fn doctor_names_what_is_wrong() {
    let project = project("program: main.o answer.o\n\tcc -o $@ $^\n");
    succeed(project.build(&["make"]));
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(project.root.join("answer.c")).unwrap().set_modified(later).unwrap();
    let output = project.run(&[SUSPECT, "doctor"]);
    assert!(!output.status.success());
    assert!(stdout(&output).contains("BAD  program program: older than its source"), "{}", stdout(&output));

    let output = project.command(SUSPECT).arg("doctor").env("PATH", "/nonexistent").output().unwrap();
    let said = stdout(&output);
    assert!(said.contains("BAD  clang is not installed\n     type: sudo apt-get install clang-19"), "{said}");

    let output = project.command(SUSPECT).arg("doctor").env("SUSPECT_CLANG", "clang-16").output().unwrap();
    assert!(!stdout(&output).contains("Stack dump"), "{}", stdout(&output));

    let output = project.command(SUSPECT).arg("doctor").env("SUSPECT_LIB", "/nonexistent").output().unwrap();
    assert!(stdout(&output).contains("BAD  suspect's plugins are not installed"), "{}", stdout(&output));
}
