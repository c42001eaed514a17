//! suspect.toml: what it may say, and that whatever is wrong is said with its place.

mod suite_common;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use suite_common::{Project, assert_results, names};
use suspect::exec::Command;
use suspect::suite::config::{Kind, ScratchKind};
use suspect::suite::{Config, Suite, SuiteError, Verdict, find_root, init};
use suspect_format::abi::Mode;

fn parse(text: &str) -> Result<Config, SuiteError> {
    Config::parse(text.as_bytes(), Path::new("suspect.toml"))
}

fn error(text: &str) -> String {
    parse(text).expect_err("it is accepted").to_string()
}

#[test]
fn everything_that_may_be_said_is_understood() {
    let config = parse(
        r#"
        [build]
        command = "make -j8"
        modes = ["edges", "values"]

        [[suite]]
        name = "unit"
        kind = "cases"
        dir = "sub"
        inputs = "t/*.in"
        run = "./prog < {input}"
        expect = "t/{stem}.out"
        filter = "sort"
        timeout = "1.5s"
        repeat = 3
        env = { LC_ALL = "C" }
        scratch = "copy"

        [[suite]]
        kind = "ctest"
        timeout = 90
        "#,
    )
    .unwrap();
    assert_eq!(config.build.command.as_deref(), Some("make -j8"));
    assert_eq!(config.build.modes, [Mode::Edges, Mode::Values]);
    let unit = &config.suites[0];
    assert_eq!((unit.name.as_deref(), unit.dir.as_path(), unit.repeat), (Some("unit"), Path::new("sub"), 3));
    assert_eq!((unit.timeout, unit.scratch), (Some(Duration::from_millis(1500)), ScratchKind::Copy));
    assert_eq!(unit.env["LC_ALL"], "C");
    assert!(matches!(unit.kind, Kind::Cases(_)));
    assert_eq!((config.suites[1].timeout, config.suites[1].repeat), (Some(Duration::from_secs(90)), 2));
    for (text, ms) in [("500ms", 500), ("2min", 120_000), ("1 h", 3_600_000), ("3", 3000)] {
        let config = parse(&format!("[[suite]]\nkind = 'auto'\ntimeout = '{text}'")).unwrap();
        assert_eq!(config.suites[0].timeout, Some(Duration::from_millis(ms)), "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_with_line_and_column() {
    for (text, expected) in [
        ("[[suite]]\nkidn = 'auto'\n", "2:1: unknown field `kidn`: did you mean `kind`?"),
        ("[bulid]\n", "1:2: unknown field `bulid`: did you mean `build`?"),
        ("[[suite]]\nkind = 'cass'\n", "2:8: unknown kind \"cass\": did you mean \"cases\"?"),
        (
            "[[suite]]\nkind = 'x'\n",
            "2:8: unknown kind \"x\": one of \"auto\", \"command\", \"cases\", \"lines\", \"ctest\", \"automake\", \"meson\", \"autotest\"",
        ),
        ("[[suite]]\nkind = 'lines'\n", "2:8: kind = \"lines\" needs `file`, such as file = \"tests/universe\""),
        ("[[suite]]\nkind = 'ctest'\n  run = 'x'\n", "3:9: `run` has no meaning for kind = \"ctest\""),
        ("[[suite]]\nkind = 'ctest'\nscratch = 'copy'\n", "3:11: `scratch` has no meaning for kind = \"ctest\""),
        (
            "[[suite]]\nkind = 'auto'\ntimeout = 'soon'\n",
            "3:11: `timeout` is a time such as \"10s\", \"500ms\" or \"2min\", or a number of seconds",
        ),
        (
            "[[suite]]\nkind = 'auto'\ntimeout = -1\n",
            "3:11: `timeout` is a time such as \"10s\", \"500ms\" or \"2min\", or a number of seconds",
        ),
        (
            "[[suite]]\nkind = 'auto'\nrepeat = 1\n",
            "3:10: `repeat` is a number from 2 to 1000: once says nothing about chance",
        ),
        ("[build]\nmodes = ['edges', 'value']\n", "2:19: unknown mode \"value\": did you mean \"values\"?"),
        (
            "[[suite]]\nkind = 'command'\nrun = 'sh {tset}'\nlist = 'ls'\n",
            "3:7: unknown placeholder `{tset}`: did you mean `{test}`?",
        ),
        (
            "[[suite]]\nkind = 'command'\nrun = 'x'\nlist = 'ls'\n",
            "3:7: `run` does not use {test}, so each test of `list` would run the same",
        ),
        (
            "[[suite]]\nkind = 'command'\nrun = 'x {test}'\n",
            "3:7: `run` uses {test}, but there is no `list` to say what the tests are",
        ),
        (
            "[[suite]]\nkind = 'command'\nrun = 'x'\nresult = 'xml'\n",
            "4:10: `result` is \"exit\", \"tap\" or \"junit:\" and the path of a file",
        ),
        (
            "[[suite]]\nkind = 'cases'\ninputs = '[a'\nrun = 'x {input}'\n",
            "3:10: `inputs` is not a pattern: invalid range pattern",
        ),
        (
            "[[suite]]\nkind = 'cases'\ninputs = '*'\nrun = 'x {input}'\nfilter = 'sort'\n",
            "5:10: `filter` needs `expect` or `reference` to compare the output with",
        ),
        (
            "[[suite]]\nkind = 'cases'\ninputs = '*'\nrun = 'x {input}'\nexpect = 'a'\nreference = 'b'\n",
            "6:13: `expect` and `reference` both say what the output has to be: keep one",
        ),
        ("[[suite]]\nkind = 'auto'\nname = 'a/b'\n", "3:8: `name` may not contain `/` or a line break"),
        ("[[suite]]\nkind = 'auto'\nenv = { 'A=B' = 'x' }\n", "3:9: `A=B` cannot be the name of a variable"),
        ("[[suite]]\nkind = 3\n", "2:8: invalid type: integer `3`, expected a string"),
        ("ö = 'ö' = 3\n", "1:9: "),
    ] {
        let got = error(text);
        assert!(
            got.starts_with(&format!("suspect.toml:{expected}")),
            "{text}\ngot      {got}\nexpected suspect.toml:{expected}"
        );
    }
    let not_utf8 = Config::parse(b"[build]\n# \xff\n", Path::new("suspect.toml")).unwrap_err();
    assert_eq!(not_utf8.to_string(), "suspect.toml:2:3: a byte that is not UTF-8");
}

#[test]
fn missing_things_are_named_with_what_to_do() {
    let project = Project::new(&[]);
    assert_eq!(project.error(), "no suspect.toml in ROOT or above it: `suspect init` writes one");
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = 'cases'\ninputs = '*.in'\nrun = 'cat {input}'\nexpect = 'out/{stem}'\n",
    );
    assert_eq!(project.error(), "suite `cases` has no tests: no file matches `*.in` in ROOT");
    project.write("a.in", "");
    assert!(matches!(project.load(), Err(SuiteError::MissingExpected { .. })));
    assert_eq!(
        project.error(),
        "test `a` of suite `cases` has no expected output: out/a does not exist (`expect` in suspect.toml says where it is)"
    );
    project.write("suspect.toml", "[[suite]]\nkind = 'lines'\nfile = 'universe'\nrun = './p {line}'\n");
    assert_eq!(project.error(), "cannot read the tests in universe: No such file or directory (os error 2)");
    project.write("universe", "\n  \n");
    assert_eq!(project.error(), "suite `lines` has no tests: universe has no lines");
    project.write("suspect.toml", "[[suite]]\nkind = 'command'\nlist = 'true'\nrun = 'x {test}'\n");
    assert_eq!(project.error(), "suite `command` has no tests: `true` lists nothing in ROOT");
}

#[test]
fn root_is_looked_for_up_to_the_top_of_the_repository() {
    let project = Project::new(&[("suspect.toml", ""), ("a/b/x", ""), ("repo/.git/HEAD", ""), ("repo/c/x", "")]);
    let root = project.root().canonicalize().unwrap();
    assert_eq!(find_root(&project.root().join("a/b")).unwrap(), root);
    assert!(matches!(find_root(&project.root().join("repo/c")), Err(SuiteError::Missing { .. })));
}

#[test]
fn written_file_is_understood_and_finds_the_tests() {
    let script = ("tests/a.sh", "exit 0\n");
    let cmake =
        "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\nenable_testing()\nadd_test(NAME c COMMAND true)\n";
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a str, Option<&'a str>, &'a [&'a str]);
    let cases: [Case; 4] = [
        (&[script, ("Makefile", "all:\n")], "", Some("make -j$(nproc)"), &["tests/a.sh"]),
        (&[("t/a.in", "x"), ("t/a.out", "x"), ("t/b.in", ""), ("t/b.out", "")], "", None, &["a", "b"]),
        (
            &[("CMakeLists.txt", cmake)],
            "cmake -S . -B build",
            Some("cmake -S . -B build && cmake --build build -j$(nproc)"),
            &["c"],
        ),
        (
            &[("meson.build", "project('x')\ntest('m', find_program('true'))\n")],
            "meson setup build",
            Some("meson setup build && meson compile -C build"),
            &["m"],
        ),
    ];
    for (files, build, command, tests) in cases {
        let project = Project::new(files);
        let text = init(project.root(), None).unwrap();
        assert_eq!(project.read("suspect.toml"), text);
        let config = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(config.build.command.as_deref(), command);
        if !build.is_empty() {
            project.shell(build);
        }
        assert_eq!(names(&project.suite()), *tests);
        assert!(matches!(init(project.root(), None), Err(SuiteError::Exists { .. })));
    }
    let automake =
        Project::new(&[("Makefile.am", "SUBDIRS = tests\n"), ("tests/Makefile.am", "TESTS = a\n"), ("configure", "")]);
    let config = parse(&init(automake.root(), None).unwrap()).unwrap();
    assert_eq!(config.build.command.as_deref(), Some("./configure && make -j$(nproc) && make -j$(nproc) check TESTS="));
    assert_eq!(config.suites[0].kind, Kind::Automake);
    let empty = Project::new(&[]);
    let text = init(empty.root(), None).unwrap();
    assert!(text.contains("none were found") && parse(&text).unwrap().suites.is_empty(), "{text}");
}

#[test]
fn written_file_names_the_only_program() {
    let project = Project::new(&[("t/a.in", "x\n"), ("t/a.out", "x\n")]);
    fs::copy(fs::canonicalize("/bin/cat").unwrap(), project.root().join("my prog")).unwrap();
    let text = init(project.root(), None).unwrap();
    assert!(text.contains("run = \"./my prog < {input}\""), "{text}");
    let fixed = text.replace("./my prog <", "'./my prog' <");
    project.write("suspect.toml", &fixed);
    assert_results(&project.suite(), &[("a", Verdict::Pass, "")]);
}

#[test]
fn written_file_names_what_the_makefile_makes_first() {
    let run = |makefile: &str| {
        let project = Project::new(&[("t/a.in", "x\n"), ("t/a.out", "x\n"), ("Makefile", makefile)]);
        let text = init(project.root(), None).unwrap();
        text.lines().find_map(|line| line.strip_prefix("run = \"./")?.strip_suffix(" < {input}\"")).map(str::to_owned)
    };
    assert_eq!(run("CC = cc\n\nsort: sort.c\n\tcc -o sort sort.c\n").as_deref(), Some("sort"));
    assert_eq!(run(".PHONY: all\nall: my-prog docs\nmy-prog: a.o\n").as_deref(), Some("my-prog"));
    assert_eq!(run("FLAGS := -O2\nPROG := calc\nall: $(PROG)\n").as_deref(), Some("calc"));
    assert_eq!(run("$(BIN): a.c\nBIN = one two\n").as_deref(), Some("one"));
    for unclear in ["all:\n\tcc a.c\n", "%.o: %.c\n", "include x.mk\n", "all: $(call f,x)\n", "$(A): b\nA = $(A)\n"] {
        let guessed = run(unclear).unwrap();
        assert!(guessed.starts_with(".tmp") || !guessed.is_empty() && !guessed.contains(['$', '%']), "{guessed}");
    }
}

#[test]
fn all_the_written_file_explains_is_understood() {
    let text = init(Project::new(&[]).root(), None).unwrap();
    let (_, further) = text.split_once("may be added to a [[suite]]:").unwrap();
    let strip = |line: &str| line.trim_start_matches('#').trim().to_owned();
    let (options, kinds) = further.split_once("The kinds").unwrap();
    let options: Vec<String> = options.lines().map(strip).filter(|line| line.contains(" = ")).collect();
    let own: Vec<&String> = options.iter().collect();
    let config = format!(
        "[[suite]]\nkind = 'command'\nrun = 'make x'\n{}\n",
        own.iter().map(|l| l.as_str()).collect::<Vec<_>>().join("\n")
    );
    parse(&config).unwrap_or_else(|e| panic!("{e}\n{config}"));
    let mut suites: Vec<String> = Vec::new();
    for line in kinds.lines().map(strip).filter(|line| line.contains(" = ")) {
        match line.starts_with("kind") {
            true => suites.push(format!("[[suite]]\n{line}\n")),
            false => suites.last_mut().unwrap().push_str(&format!("{line}\n")),
        }
    }
    assert_eq!(suites.len(), 8);
    let config = suites.concat();
    parse(&config).unwrap_or_else(|e| panic!("{e}\n{config}"));
}

/// What a shell makes of a placeholder's value in a run command.
fn through_shell(run: &str, input: &str) -> Option<Vec<u8>> {
    let project = Project::new(&[]);
    fs::write(project.root().join(input), "").ok()?;
    let quoted = toml::Value::String(run.to_owned());
    project.write("suspect.toml", &format!("[[suite]]\nkind = 'cases'\ninputs = '[!.]*'\nrun = {quoted}\n"));
    // The directory also holds suspect.toml itself.
    let suite = project.suite();
    let test = suite.tests().iter().find(|test| test.name == input)?;
    let scratch = suspect::exec::ScratchRoot::new().unwrap();
    let context = suspect::suite::RunContext {
        env: &[],
        scratch: &scratch,
        timeout: None,
        large_stack: false,
        interruptible: false,
    };
    Some(suite.run_test(test, &context).unwrap().output)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn name_of_any_file_is_one_word(input in "[a-z '\"$`\\\\(){};&|<>*?#~\n\t!=é%-]{1,12}") {
        prop_assume!(!input.starts_with('-') && input != "suspect.toml");
        for run in ["printf '[%s]' {input}", "printf '[%s]' \"{input}\"", "printf '[%s]' '{input}'", "printf '[%s]' \"$(printf %s {input}; printf .)\""] {
            let Some(got) = through_shell(run, &input) else { continue };
            let end = if run.contains("$(") { "." } else { "" };
            prop_assert_eq!(String::from_utf8(got).unwrap(), format!("[{input}{end}]"), "{}", run);
        }
    }

    #[test]
    fn line_reaches_the_shell_as_written(line in "[a-z0-9 '\"$\\\\(){}#*?!=%-]{1,20}") {
        // A process id is another each time.
        let names_process = ["$$", "${$", "{#$"].iter().any(|id| line.contains(id));
        prop_assume!(!line.trim().is_empty() && !names_process);
        let project = Project::new(&[("u", &line), ("suspect.toml", "[[suite]]\nkind = 'lines'\nfile = 'u'\nrun = 'printf \"[%s]\" {line}'\n")]);
        let by_hand = Command::shell(format!("printf \"[%s]\" {line}"), project.root()).run().unwrap();
        let suite = project.suite();
        let run = suite_common::run(&suite, "1");
        let outcome = run.outcome.unwrap();
        prop_assert_eq!(outcome.status, by_hand.status);
        prop_assert_eq!(outcome.stdout, by_hand.stdout);
    }
}

/// Pieces of which files come near to a suspect.toml.
fn fragment() -> impl Strategy<Value = String> {
    let words = "kind|name|dir|timeout|repeat|env|scratch|list|run|result|inputs|file|expect|reference|filter|command|modes|suite|build";
    let values = "'(auto|command|cases|lines|ctest|tap|junit:x|copy|10s|x \\{input\\}|\\{line\\}|\\{test\\}|é|)'|3|-1|1e400|true|\\[\\]|\\{\\}|nan|1979-05-27";
    prop_oneof![
        Just("[[suite]]\n".to_owned()),
        Just("[build]\n".to_owned()),
        (words, values).prop_map(|(word, value)| format!("{word} = {value}\n")),
        "[ -~\n]{0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_a_configuration_or_a_clean_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Err(e) = Config::parse(&bytes, Path::new("suspect.toml")) {
            prop_assert!(e.to_string().starts_with("suspect.toml:"));
        }
    }

    #[test]
    fn anything_near_is_a_configuration_or_an_error_at_a_place_in_the_file(parts in proptest::collection::vec(fragment(), 0..12)) {
        let text = parts.concat();
        match parse(&text) {
            Ok(config) => prop_assert!(config.suites.iter().all(|suite| suite.repeat >= 2)),
            Err(SuiteError::Config { line, column, message, .. }) => {
                prop_assert!(line >= 1 && line <= text.matches('\n').count() + 1);
                prop_assert!(column >= 1 && !message.is_empty() && !message.contains('\n'), "{message}");
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

#[test]
fn suite_can_be_made_without_a_file() {
    let project = Project::new(&[("tests/a.sh", "exit 0\n")]);
    let config = Config {
        path: PathBuf::from("none"),
        build: Default::default(),
        store: Default::default(),
        test_code: Default::default(),
        ranges: Vec::new(),
        suites: Vec::new(),
    };
    let suite = Suite::from_config(project.root(), config).unwrap();
    assert_eq!(names(&suite), ["tests/a.sh"]);
}

#[test]
fn init_takes_the_build_command_that_was_last_given() {
    let project = Project::new(&[("CMakeLists.txt", "")]);
    let built = |directory: &Path, command: &[&str]| suspect::build::BuildReport {
        command: command.iter().map(|word| word.to_string()).collect(),
        directory: directory.to_string_lossy().into_owned(),
        ..last_build()
    };
    let root = project.root();
    let cases: [(PathBuf, &[&str], &str); 3] = [
        (root.to_path_buf(), &["make", "-C", "b"], "make -C b"),
        (root.join("sub dir"), &["make", "X=1 2"], "cd 'sub dir' && make 'X=1 2'"),
        (root.to_path_buf(), &["sh", "-c", "./configure && make"], "./configure && make"),
    ];
    for (directory, command, expected) in cases {
        let text = init(root, Some(&built(&directory, command))).unwrap();
        fs::remove_file(root.join("suspect.toml")).unwrap();
        assert_eq!(parse(&text).unwrap().build.command.as_deref(), Some(expected));
    }
}

/// A build of nothing.
fn last_build() -> suspect::build::BuildReport {
    let json = r#"{"command": [], "directory": "", "status": 0, "modes": "", "units": [], "other_modes": [], "left_alone": [],
        "modules": [], "escapes": [], "advice": [],
        "toolchain": {"clang": "", "version": "", "plugin": "", "start": "", "end": "", "script": ""}}"#;
    serde_json::from_str(json).unwrap()
}

#[test]
fn how_many_nights_are_kept_is_a_number() {
    assert_eq!(parse("").unwrap().store.keep, 30);
    assert_eq!(parse("[store]\nkeep = 7\n").unwrap().store.keep, 7);
    assert!(error("[store]\nkeep = 0\n").contains("at least 1"));
    assert!(error("[store]\nkep = 7\n").contains("did you mean `keep`?"));
}
