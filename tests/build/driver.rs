//! The driver as a drop-in compiler.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use crate::support::{Project, library_for, stderr, stdout, succeed, succeed_quietly};
use suspect::build::toolchain::{self, Library};

fn cc(project: &Project, words: &[&str]) {
    succeed_quietly(project.driver("suspect-cc").args(words).output().unwrap());
}

#[test]
fn compiles_and_links_apart_and_together() {
    let project = Project::new("p").with_program();
    cc(&project, &["-O2", "-c", "main.c"]);
    cc(&project, &["-O2", "-c", "answer.c", "-o", "other.o"]);
    assert_eq!((project.units("main.o"), project.units("other.o")), (1, 1));
    cc(&project, &["main.o", "other.o", "-o", "apart"]);
    cc(&project, &["-O0", "main.c", "answer.c", "-o", "together"]);
    for program in ["apart", "together"] {
        assert_eq!(project.units(program), 2);
        assert!(project.binary(program).runtime && project.binary(program).build_id.is_some());
        project.assert_records(program);
    }
}

#[test]
fn every_level_of_optimisation_records() {
    let project = Project::new("p").with_program();
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os", "-Og"] {
        cc(&project, &[level, "main.c", "answer.c", "-o", "program"]);
        assert_eq!(project.units("program"), 2, "{level}");
        project.assert_records("program");
    }
}

/// Projects leave calls of what they are built without to the optimiser.
#[test]
fn what_only_dead_code_calls_may_be_missing() {
    let project = Project::new("p").with_program();
    project.file(
        "main.c",
        "#include <stdio.h>\n#define HAS(x) (sizeof(#x) == 1u)\nint answer(int);\nint missing(int);\nextern int nowhere;\n\
         int main(int n, char **v)\n{\n  int y = answer(6);\n  if (y != 42 && HAS(MISSING)) y = missing(y);\n  \
         if (n > 0 && HAS(MISSING)) y = nowhere;\n  switch ((int)HAS(MISSING)) { case 1: y = missing(n); break; default: break; }\n  \
         printf(\"%d\\n\", y);\n  return v == NULL;\n}\n",
    );
    cc(&project, &["-O1", "main.c", "answer.c", "-o", "program"]);
    project.assert_records("program");
    // What live code calls has to be there.
    project.file("main.c", "int missing(int);\nint main(int n, char **v) { (void)v; return n > 9 && missing(n); }\n");
    let output = project.driver("suspect-cc").args(["-O1", "main.c", "-o", "other"]).output().unwrap();
    assert!(!output.status.success() && stderr(&output).contains("undefined"), "{}", stderr(&output));
}

#[test]
fn names_are_bytes() {
    let project = Project::new("a dir with ünïcode").with_program();
    fs::rename(project.root.join("main.c"), project.root.join("the mäin 'file'.c")).unwrap();
    let raw = OsStr::from_bytes(b"answer \xff.c");
    fs::rename(project.root.join("answer.c"), project.root.join(raw)).unwrap();
    let mut command = project.driver("suspect-cc");
    succeed_quietly(
        command
            .args([OsStr::new("the mäin 'file'.c"), raw, OsStr::new("-o"), OsStr::new("ein prög")])
            .output()
            .unwrap(),
    );
    assert_eq!(project.units("ein prög"), 2);
    project.assert_records("ein prög");
}

#[test]
fn every_way_to_link_records() {
    let project = Project::new("p").with_program();
    for words in [
        &["-static"][..],
        &["-static-pie", "-fPIE"],
        &["-no-pie"],
        &["-fuse-ld=lld"],
        &["-fuse-ld=lld", "-Wl,--gc-sections", "-ffunction-sections", "-fdata-sections"],
        &["-Wl,--gc-sections", "-ffunction-sections", "-fdata-sections"],
        &["-flto"],
        &["-flto=thin"],
        &["-flto", "-fuse-ld=lld"],
        &["-flto=thin", "-fuse-ld=lld", "-O2"],
        &["-pipe", "-Wall", "-Wextra", "-Werror"],
        &["-save-temps"],
        &["-Wl,--build-id=none"],
        &["-s"],
        &["-fsanitize=address"],
        &["--coverage", "-O2"],
        &["-fprofile-generate", "-O2"],
        &["-fprofile-instr-generate", "-fcoverage-mapping", "-O2"],
    ] {
        cc(&project, &[&["-O1", "main.c", "answer.c", "-o", "program"], words].concat());
        assert_eq!(project.units("program"), 2, "{words:?}");
        assert!(project.binary("program").runtime, "{words:?}");
        project.assert_records("program");
    }
}

#[test]
fn shared_libraries_and_archives_record() {
    let project = Project::new("p").with_program();
    cc(&project, &["-fPIC", "-shared", "answer.c", "-o", "libanswer.so"]);
    cc(&project, &["main.c", "-L.", "-lanswer", "-Wl,-rpath,$ORIGIN", "-o", "dynamic"]);
    assert_eq!((project.units("dynamic"), project.units("libanswer.so")), (1, 1));
    project.assert_records("dynamic");
    cc(&project, &["-c", "answer.c"]);
    succeed(project.run(&["ar", "rcs", "libanswer.a", "answer.o"]));
    cc(&project, &["main.c", "libanswer.a", "-o", "static"]);
    assert_eq!(project.units("static"), 2);
    project.assert_records("static");
}

#[test]
fn objects_joined_by_a_relocatable_link_record() {
    let project = Project::new("p").with_program();
    cc(&project, &["-c", "main.c", "answer.c"]);
    cc(&project, &["-r", "main.o", "answer.o", "-o", "both.o"]);
    assert!(!project.binary("both.o").runtime);
    cc(&project, &["both.o", "-o", "program"]);
    assert_eq!(project.units("program"), 2);
    project.assert_records("program");
}

#[test]
fn assembly_and_preprocessed_files_keep_their_sites() {
    let project = Project::new("p").with_program();
    cc(&project, &["-S", "answer.c"]);
    cc(&project, &["-E", "main.c", "-o", "main.i"]);
    cc(&project, &["main.i", "answer.s", "-o", "program"]);
    assert_eq!(project.units("program"), 2);
    project.assert_records("program");
}

#[test]
fn response_files_standard_input_and_output() {
    let project = Project::new("p q").with_program();
    project.file("words", "-O1 'main.c'\n\"answer.c\" -o prog\\ ram\n");
    cc(&project, &["@words"]);
    project.assert_records("prog ram");
    let mut child = project
        .driver("suspect-cc")
        .args(["-x", "c", "-c", "-", "-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"int f(int x) { return x + 1; }").unwrap();
    let output = succeed(child.wait_with_output().unwrap());
    fs::write(project.root.join("f.o"), output.stdout).unwrap();
    assert_eq!(project.units("f.o"), 1);
}

#[test]
fn lines_are_there_even_when_not_asked_for() {
    let project = Project::new("p").with_program();
    for words in [&[][..], &["-g0"], &["-g1"], &["-gline-tables-only"], &["-g", "-g0"], &["-gdwarf-4"]] {
        cc(&project, &[words, &["-c", "answer.c"]].concat());
        let dwarf = stdout(&project.run(&["llvm-dwarfdump-19", "--debug-info", "answer.o"]));
        assert!(dwarf.contains("DW_TAG_formal_parameter"), "{words:?}");
        assert_eq!(project.units("answer.o"), 1);
    }
}

#[test]
fn questions_are_answered_by_the_real_compiler() {
    let project = Project::new("p");
    let clang = toolchain::find(None).unwrap().clang;
    let clang = clang.to_str().unwrap();
    for words in [&["--version"][..], &["-dumpmachine"], &["-dumpversion"], &["-print-prog-name=ld"], &["-v"], &[]] {
        let ours = project.driver("suspect-cc").args(words).output().unwrap();
        let theirs = project.command(clang).args(words).output().unwrap();
        assert_eq!(stdout(&ours), stdout(&theirs), "{words:?}");
        assert_eq!(ours.status, theirs.status, "{words:?}");
        assert_eq!(stderr(&ours).lines().last(), stderr(&theirs).lines().last(), "{words:?}");
    }
}

#[test]
fn probes_and_switched_off_calls_make_what_clang_makes() {
    let project = Project::new("p").with_program();
    let clang = toolchain::find(None).unwrap().clang;
    let text = fs::read_to_string(project.root.join("answer.c")).unwrap();
    for probe in ["conftest.c", "CMakeFiles/CMakeScratch/TryCompile-x/answer.c", "meson-private/sanitycheckc.c"] {
        project.file(probe, &text);
        succeed_quietly(project.driver("suspect-cc").args(["-O1", "-c", probe, "-o", "ours.o"]).output().unwrap());
        succeed(project.command(&clang).args(["-O1", "-c", probe, "-o", "theirs.o"]).output().unwrap());
        assert!(
            fs::read(project.root.join("ours.o")).unwrap() == fs::read(project.root.join("theirs.o")).unwrap(),
            "{probe}"
        );
    }
    for name in ["suspect-cc", "gcc"] {
        let words = ["-O2", "main.c", "answer.c", "-o"];
        succeed_quietly(project.driver(name).args(words).arg("ours").env("SUSPECT_OFF", "1").output().unwrap());
        succeed(project.command(&clang).args(words).arg("theirs").output().unwrap());
        assert!(
            fs::read(project.root.join("ours")).unwrap() == fs::read(project.root.join("theirs")).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn errors_of_the_compiler_are_passed_on() {
    let project = Project::new("p");
    project.file("bad.c", "int f(void) { return undeclared; }\n");
    let output = project.driver("suspect-cc").args(["-c", "bad.c"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("bad.c:1:22: error"), "{}", stderr(&output));
    assert!(!project.root.join("bad.o").exists());
}

#[test]
fn names_of_gcc_build_what_gcc_builds() {
    let project = Project::new("p").with_program();
    project.file("old.c", "main() { int *p = 1; p = exit; return helper(p) - 1; }\nhelper(q) char *q; { return 1; }\n");
    let words = ["-w", "-fno-tree-vrp", "-fvar-tracking", "-Wno-made-up", "-Werror", "old.c", "-o", "old"];
    for name in ["cc", "gcc", "c89"] {
        succeed_quietly(project.driver(name).args(words).output().unwrap());
        assert_eq!(project.units("old"), 1);
        assert_eq!(project.run(&["./old"]).status.code(), Some(0), "{name}");
    }
    assert!(!project.driver("clang").args(words).output().unwrap().status.success());
    // A warning that gcc does not have stops no build that made errors of warnings.
    project.file("self.c", "int f(int x) { x = x; return x; }\n");
    let output = project.driver("gcc").args(["-Wall", "-Werror", "-c", "self.c"]).output().unwrap();
    assert!(output.status.success() && stderr(&output).contains("warning"), "{}", stderr(&output));
}

#[test]
fn programs_without_a_libc_are_left_alone() {
    let project = Project::new("p");
    project.file("free.c", "void _start(void) { __asm__(\"mov $60,%eax; xor %edi,%edi; syscall\"); }\n");
    let log = project.root.join("log");
    let mut command = project.driver("suspect-cc");
    command.args(["-ffreestanding", "-nostdlib", "-static", "free.c", "-o", "free"]).env("SUSPECT_BUILD_LOG", &log);
    succeed_quietly(command.output().unwrap());
    assert_eq!(project.units("free"), 0);
    assert!(project.run(&["./free"]).status.success());
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("freestanding code") && log.contains("freestanding program"), "{log}");
}

#[test]
fn code_for_another_machine_is_left_alone() {
    let project = Project::new("p").with_program();
    cc(&project, &["-m32", "-c", "answer.c"]);
    assert_eq!(project.units("answer.o"), 0);
}

#[test]
fn precompiled_headers_fit() {
    let project = Project::new("p").with_program();
    project.file("all.h", "#include <stdio.h>\nstatic inline int one(void) { return 1; }\n");
    project.file("use.c", "int main(void) { printf(\"%d\\n\", 41 + one()); return 0; }\n");
    for header in [&["all.h", "-o", "all.h.gch"][..], &["-x", "c-header", "-c", "all.h", "-o", "all.h.gch"]] {
        cc(&project, header);
        cc(&project, &["-include", "all.h", "use.c", "-o", "use"]);
        project.assert_records("use");
    }
}

#[test]
fn cxx_programs_take_instrumented_c() {
    let project = Project::new("p").with_program();
    project.file(
        "main.cpp",
        "#include <cstdio>\nextern \"C\" int answer(int);\nint main() { std::printf(\"%d\\n\", answer(6)); }\n",
    );
    cc(&project, &["-c", "answer.c"]);
    let links = project.links(&["g++", "suspect-cc"]);
    let output = project.command(links.join("g++")).args(["main.cpp", "answer.o", "-o", "program"]).output();
    succeed_quietly(output.unwrap());
    assert_eq!(project.units("program"), 1);
    project.assert_records("program");
}

#[test]
fn log_has_a_line_for_each_source_and_link() {
    let project = Project::new("p").with_program();
    let log = project.root.join("build.log");
    let words = ["main.c", "answer.c", "-o", "program"];
    succeed(project.driver("suspect-cc").args(words).env("SUSPECT_BUILD_LOG", &log).output().unwrap());
    let events = suspect::build::event::read(&log).unwrap();
    let seen: Vec<_> =
        events.iter().map(|event| (event.inputs.join(" "), event.output.as_str(), &event.left)).collect();
    assert_eq!(
        seen,
        [("main.c".to_owned(), "", &None), ("answer.c".to_owned(), "", &None), (String::new(), "program", &None)]
    );
    assert!(events.iter().all(|event| event.directory == project.root.to_str().unwrap()));
}

#[test]
fn cache_in_front_behind_and_by_masquerade() {
    let project = Project::new("p").with_program();
    let links = project.links(&["gcc", "suspect-cc", "suspect-cc-launcher"]);
    let gcc = links.join("gcc").to_str().unwrap().to_owned();
    let launcher = links.join("suspect-cc-launcher").to_str().unwrap().to_owned();
    let path = format!("{}:/usr/lib/ccache:{}", links.display(), std::env::var("PATH").unwrap());
    for front in [&["ccache", gcc.as_str()][..], &["ccache", "gcc"], &[launcher.as_str(), "ccache", "gcc"], &["gcc"]] {
        for _ in 0..2 {
            let mut command = project.command(front[0]);
            command.args(&front[1..]).args(["-O1", "-c", "answer.c"]).env("PATH", &path);
            succeed_quietly(command.output().unwrap());
            assert_eq!(project.units("answer.o"), 1, "{front:?}");
        }
    }
    let statistics = stdout(&succeed(project.run(&["ccache", "--print-stats"])));
    let count = |name: &str| {
        let line = statistics.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{statistics}"));
        line.split_whitespace().nth(1).unwrap().parse::<u32>().unwrap()
    };
    assert!(count("direct_cache_hit") >= 3, "{statistics}");
}

#[test]
fn what_the_plugin_is_to_do_is_part_of_a_caches_key() {
    let project = Project::new("p").with_program();
    let links = project.links(&["suspect-cc-launcher"]);
    let compile = |modes: &str| {
        let mut command = project.command(links.join("suspect-cc-launcher"));
        command.args(["ccache", "clang-19", "-O1", "-c", "answer.c"]).env("SUSPECT_MODES", modes);
        succeed_quietly(command.output().unwrap());
        project.binary("answer.o").units.unwrap()[0].modes
    };
    assert_eq!([compile("plain,edges"), compile("plain,values"), compile("plain,edges")], [0b011, 0b101, 0b011]);
}

#[test]
fn faults_of_the_installation_are_named_with_the_line_to_type() {
    let project = Project::new("p").with_program();
    let copy = project.root.join("lib");
    library_for(&Library::find().unwrap().directory, &copy, "19.1.0\n");
    let fail = |name: &str, value: &OsStr| {
        let output = project.driver("suspect-cc").args(["-c", "answer.c"]).env(name, value).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(!project.root.join("answer.o").exists());
        let said = stderr(&output);
        assert_eq!(said.lines().count(), 1, "{said}");
        said
    };
    let said = fail("SUSPECT_LIB", copy.as_os_str());
    assert!(said.contains("was built against 19.1.0") && said.contains("apt-get install clang-19"), "{said}");
    let said = fail("SUSPECT_LIB", OsStr::new("/nonexistent"));
    assert!(said.contains("not installed (looked in /nonexistent)"), "{said}");
    let said = fail("SUSPECT_CLANG", OsStr::new("clang-no-such"));
    assert!(said.contains("clang-no-such: not a clang") && said.contains("unset SUSPECT_CLANG"), "{said}");
    let said = fail("SUSPECT_CLANG", OsStr::new("/bin/true"));
    assert!(said.contains("/bin/true: not a clang"), "{said}");
    let said = fail("SUSPECT_MODES", OsStr::new("edges,everything"));
    assert!(said.contains("\"everything\" is no mode"), "{said}");
    let said = fail("PATH", OsStr::new("/nonexistent"));
    assert!(said.contains("clang is not installed; type: sudo apt-get install clang-19"), "{said}");
    fs::remove_file(copy.join("suspect_rt.o")).unwrap();
    fs::write(copy.join("19/version"), toolchain::find(None).unwrap().version).unwrap();
    let said = fail("SUSPECT_LIB", copy.as_os_str());
    assert!(said.contains("suspect_rt.o: missing"), "{said}");
}

#[test]
fn clang_without_a_plugin_is_refused_before_it_crashes() {
    let project = Project::new("p").with_program();
    let copy = project.root.join("lib");
    library_for(&Library::find().unwrap().directory, &copy, &toolchain::find(None).unwrap().version);
    let mut command = project.driver("suspect-cc");
    command.args(["-c", "answer.c"]).env("SUSPECT_LIB", &copy).env("SUSPECT_CLANG", "clang-16");
    let output = command.output().unwrap();
    assert!(stderr(&output).contains("has no plugin, only 19."), "{}", stderr(&output));
}
