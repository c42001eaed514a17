//! Explanations of real C programs: causes, cuts and slices that the theory says, by each model and method.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value;
use suspect::slice::{Criterion, Slicer};

use crate::project::Project;

/// Programs of tests/programs/why with the input of a passing and a failing run.
const PROGRAMS: [(&str, [&str; 2]); 12] = [
    ("flow_confounded", ["3 1 2", "4 5 7"]),
    ("omission", ["1 2", "3 -2"]),
    ("overwritten", ["0 1", "1 2"]),
    ("relevant", ["7 1 1 2", "8 1 3 -5"]),
    ("backup", ["dir3", "dir2"]),
    ("rounds", ["2 5", "4 5"]),
    ("neutral", ["3 1", "8 2"]),
    ("survivor", ["1 1", "0 0"]),
    ("nodes", ["0 10 20", "1 10 20"]),
    ("third_way", ["0 1", "2 3"]),
    ("leaving", ["2 5", "4 7"]),
    ("reads_on", ["1 2 7", "3 4 7"]),
];

const SUITE: &str = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"sh -c 'set -- {line}; ./$1 < $2'\"\n\
    expect = \"expected/{n}\"\n";

fn source(program: &str) -> String {
    let path = format!("{}/tests/programs/why/{program}.c", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// All programs, built once.
static BUILT: LazyLock<Project> = LazyLock::new(|| {
    let project = Project::shared();
    let (mut tests, mut build) = (String::new(), String::from("set -e\n"));
    for (number, (program, inputs)) in (0..).zip(PROGRAMS) {
        project.write(&format!("{program}.c"), &source(program));
        build += &format!("cc -g -O1 -o {program} {program}.c\n");
        for (run, input) in (1..).zip(inputs) {
            project.write(&format!("in/{program}.{run}"), &format!("{input}\n"));
            project.write(&format!("expected/{}", 2 * number + run), "");
            tests += &format!("{program} in/{program}.{run}\n");
        }
    }
    project.write("tests.txt", &tests).write("build.sh", &build).write("suspect.toml", SUITE);
    project.succeed(&["build", "--modes", "plain,values,record", "--", "sh", "build.sh"]);
    project
});

/// The store is locked while a test of the project runs.
static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// The line with a tag such as `L4`.
fn line(program: &str, tag: &str) -> u64 {
    let mark = format!("/* {tag} ");
    1 + source(program).lines().position(|line| line.contains(&mark)).unwrap_or_else(|| panic!("{program}: {tag}"))
        as u64
}

fn ask(program: &str, cause: &str, effect: &str, options: &[&str]) -> Value {
    ask_of(program, [1, 2], cause, effect, options)
}

/// Of two runs by their numbers, the passing one first.
fn ask_of(program: &str, runs: [usize; 2], cause: &str, effect: &str, options: &[&str]) -> Value {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let place = |text: &str| match text.split_once(':') {
        Some((tag, variable)) => format!("{program}.c:{}:{variable}", line(program, tag)),
        None => format!("{program}.c:{}", line(program, text)),
    };
    let number = 2 * PROGRAMS.iter().position(|(name, _)| *name == program).unwrap();
    let [first, second] = runs.map(|run| (number + run).to_string());
    let (cause, effect) = (place(cause), place(effect));
    let mut arguments = vec!["explain", &second, "--against", &first, "--cause", &cause, "--effect", &effect];
    arguments.extend(["--format", "json"]);
    arguments.extend(options);
    let output = BUILT.suspect(&arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 2)), "{arguments:?}: {}\n{errors}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn names(causes: &Value) -> BTreeSet<String> {
    let name = |cause: &Value| cause["what"].as_str().unwrap().to_owned();
    causes.as_array().unwrap().iter().map(name).collect()
}

fn values(cut: &Value) -> BTreeSet<(String, String, String)> {
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap().to_owned();
    let all = cut.as_array().unwrap().iter();
    all.map(|cause| (text(cause, "what"), text(cause, "passing"), text(cause, "failing"))).collect()
}

/// Tags of the lines of a step's slice.
fn tags(program: &str, step: &Value) -> BTreeSet<u64> {
    let text = source(program);
    let lines: Vec<&str> = text.lines().collect();
    let tag = |place: &Value| {
        let line = lines[place["line"].as_u64().unwrap() as usize - 1];
        let tag = line.split("/* L").nth(1)?;
        tag.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
    };
    step["slice"].as_array().unwrap().iter().filter_map(tag).collect()
}

/// A row of the table: where, the tags of the dual slice, the cut with both values, the causes.
struct Row {
    program: &'static str,
    cause: &'static str,
    effect: &'static str,
    slice: &'static [u64],
    cut: &'static [(&'static str, &'static str, &'static str)],
    causes: &'static [&'static str],
    /// Whether the approximate model finds them, too.
    approximate: bool,
    /// What cause state minimisation finds, from the failing run's values in the passing one, and the other way round; not asked for if empty.
    minimised: [&'static [&'static str]; 2],
}

#[rustfmt::skip]
const ROWS: [Row; 15] = [
    Row { program: "flow_confounded", cause: "L4", effect: "L7:y", slice: &[2, 6, 7], cut: &[("y", "1", "5")], causes: &["y"], approximate: true, minimised: [&["y", "z"], &["y"]] },
    Row { program: "omission", cause: "L5", effect: "L7:x", slice: &[1, 2, 3, 4, 5, 6, 7], cut: &[("x", "1", "3"), ("y", "2", "0")], causes: &["x", "y"], approximate: true, minimised: [&["x"], &["x", "y"]] },
    Row { program: "omission", cause: "L3", effect: "L7:x", slice: &[1, 2, 3, 4, 5, 6, 7], cut: &[("x", "1", "3"), ("y", "2", "-2")], causes: &["x", "y"], approximate: true, minimised: [&["x", "y"], &["y"]] },
    Row { program: "omission", cause: "L3", effect: "L5:x", slice: &[1, 5], cut: &[("x", "1", "3")], causes: &["x"], approximate: true, minimised: [&["x"], &["x"]] },
    Row { program: "overwritten", cause: "L4", effect: "L5", slice: &[1, 2, 5], cut: &[("y", "0", "1")], causes: &["y"], approximate: false, minimised: [&["y", "z"], &["y"]] },
    Row { program: "relevant", cause: "L5", effect: "L11:z", slice: &[3, 4, 5, 6, 7, 8, 11], cut: &[("y", "1", "3"), ("z", "2", "-5")], causes: &["z"], approximate: true, minimised: [&["z"], &["y", "z"]] },
    Row { program: "backup", cause: "L7", effect: "L14:status", slice: &[2, 6, 7, 14], cut: &[("tmp", "0", "-1")], causes: &["tmp"], approximate: true, minimised: [&["main.name", "tmp", "tree_errno"], &["tmp"]] },
    Row { program: "backup", cause: "L7", effect: "L21:undone", slice: &[2, 6, 7, 14, 17, 18, 19, 21], cut: &[("tmp", "0", "-1")], causes: &["tmp"], approximate: true, minimised: [&["main.name", "tmp", "tree_errno"], &["tmp"]] },
    Row { program: "backup", cause: "L6", effect: "L21:undone", slice: &[2, 6, 7, 14, 17, 18, 19, 21], cut: &[("main.name", "\"dir3\"", "\"dir2\"")], causes: &["main.name"], approximate: true, minimised: [&["main.name"], &["main.name"]] },
    Row { program: "rounds", cause: "L3", effect: "L9:s", slice: &[1, 4, 5, 6, 7, 8, 9], cut: &[("n", "2", "4")], causes: &["n"], approximate: true, minimised: [&["n"], &["n"]] },
    Row { program: "neutral", cause: "L3", effect: "L5:r", slice: &[2, 4, 5], cut: &[("y", "1", "2")], causes: &["y"], approximate: true, minimised: [&["y"], &["y"]] },
    Row { program: "survivor", cause: "L5", effect: "L7:d", slice: &[2, 3, 5, 6, 7], cut: &[("c2", "1", "0"), ("d", "7", "5")], causes: &["c2", "d"], approximate: true, minimised: [&["c2", "d"], &["c2"]] },
    Row { program: "nodes", cause: "L5", effect: "L6:r", slice: &[1, 4, 5, 6], cut: &[("p", "&malloc@nodes.c:19#1", "&malloc@nodes.c:19#2")], causes: &["p"], approximate: true, minimised: [&[], &[]] },
    Row { program: "third_way", cause: "L3", effect: "L7:r", slice: &[1, 2, 3, 4, 5, 7], cut: &[("a", "0", "2"), ("b", "1", "3")], causes: &["a", "b"], approximate: true, minimised: [&["a"], &["a", "b"]] },
    Row { program: "leaving", cause: "L4", effect: "L5:r", slice: &[3, 4, 5], cut: &[("x", "10", "14")], causes: &["x"], approximate: true, minimised: [&["x"], &["x"]] },
];

fn owned(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn causes_cuts_and_slices_are_what_theory_says() {
    for Row { program, cause, effect, slice, cut, causes, approximate, minimised } in &ROWS {
        let context = format!("{program} {cause} {effect}");
        let cut: BTreeSet<_> = cut.iter().map(|(a, b, c)| (a.to_string(), b.to_string(), c.to_string())).collect();
        let exact = ask(program, cause, effect, &["--model", "exact"]);
        let step = &exact["steps"][0];
        assert_eq!(values(&step["cut"]), cut, "{context}");
        assert_eq!(tags(program, step), slice.iter().copied().collect(), "{context}");
        assert_eq!(names(&step["causes"]), owned(causes), "{context}");
        assert_eq!(exact["verified"], true, "{context}");
        assert!(step["re_executions"].as_u64().unwrap() >= 2, "{context}");
        let rails = ask(program, cause, effect, &["--model", "approximate"]);
        if *approximate {
            assert_eq!(names(&rails["steps"][0]["causes"]), owned(causes), "{context}");
        }
        assert_eq!(rails["verified"], *approximate, "{context}");
        for (runs, minimised) in [[1, 2], [2, 1]].into_iter().zip(minimised).filter(|(_, found)| !found.is_empty()) {
            let unguided = ask_of(program, runs, cause, effect, &["--method", "csm"]);
            assert_eq!(names(&unguided["steps"][0]["causes"]), owned(minimised), "{context}, {runs:?}");
        }
    }
}

/// Without a process, what a library would do with arguments that neither run passed to it is not known: the approximate model says nothing, the exact one does.
#[test]
fn two_recordings_alone_prove_what_they_can() {
    for Row { program, cause, effect, causes, .. } in &ROWS {
        let context = format!("{program} {cause} {effect}");
        let answer = ask(program, cause, effect, &["--engine", "offline"]);
        assert_eq!(names(&answer["steps"][0]["causes"]), owned(causes), "{context}");
        let model =
            if [("backup", "L7"), ("overwritten", "L4")].contains(&(program, cause)) { "exact" } else { "approximate" };
        assert_eq!(answer["steps"][0]["model"], model, "{context}");
        let said = answer["steps"][0]["proof"].as_str().unwrap();
        assert!(said.contains(&format!("({model} model)")), "{context}: {said}");
    }
}

#[test]
fn forked_processes_say_what_processes_of_their_own_say() {
    let mut forked = 0;
    for Row { program, cause, effect, .. } in &ROWS {
        let [together, apart] = ["process", "exec"].map(|engine| ask(program, cause, effect, &["--engine", engine]));
        let said = |answer: &Value| {
            let step = &answer["steps"][0];
            (step["causes"].clone(), step["re_executions"].clone(), answer["verified"].clone())
        };
        assert_eq!(said(&together), said(&apart), "{program} {cause} {effect}");
        assert_eq!(apart["steps"][0]["forked"], 0, "{program} {cause} {effect}");
        forked += together["steps"][0]["forked"].as_u64().unwrap();
    }
    assert!(forked >= 10, "{forked} runs were forked");
    let reading = ask("reads_on", "L2", "L5:r", &[]);
    assert_eq!((names(&reading["steps"][0]["causes"]), &reading["verified"]), (owned(&["a", "b"]), &true.into()));
    assert_eq!(reading["steps"][0]["forked"], 0, "it reads after the cause");
    let nothing_between = ask("reads_on", "L4", "L5:r", &[]);
    assert!(nothing_between["steps"][0]["forked"].as_u64().unwrap() > 0, "{nothing_between}");
}

#[test]
fn the_ladder_says_which_model_proved_a_step() {
    let models = [("flow_confounded", "L4", "L7:y", "approximate"), ("overwritten", "L4", "L5", "exact")];
    for (program, cause, effect, model) in models {
        let answer = ask(program, cause, effect, &[]);
        assert_eq!(answer["steps"][0]["model"], model, "{program}");
    }
}

#[test]
fn a_dynamic_slice_misses_what_a_run_leaves_out() {
    // What the second run leaves out (L3, L4) is in neither; L2 decides by its test of the input whether the rest is done.
    let expected: [&[u64]; 2] = [&[1, 2, 5, 6, 7], &[1, 2, 7]];
    for (test, expected) in ["3", "4"].iter().zip(expected) {
        assert_eq!(dynamic_slice(test, "omission", "L7"), expected.iter().copied().collect(), "test {test}");
        let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let output = BUILT.succeed(&["slice", test, "output"]);
        assert!(output.contains("printf(\"%d\\n\", x);"), "{output}");
    }
}

/// Lines of `program` that line `from` may depend on by the code alone, itself included.
fn static_slice(run: &suspect::store::Run, slicer: &Slicer<'_>, program: &str, from: u64) -> BTreeSet<u64> {
    let file = run.program.files.iter().position(|file| *file == format!("{program}.c")).unwrap() as u32;
    let line = |index: u32| run.program.lines[index as usize];
    let all = 0..run.program.lines.len() as u32;
    let starts = all.filter(|index| line(*index).file == file && u64::from(line(*index).line) == from);
    let found = starts.flat_map(|index| slicer.slice(Criterion::Line(index)));
    found.filter(|index| line(*index).file == file).map(|index| u64::from(line(index).line)).collect()
}

#[test]
fn dual_slices_lie_in_static_slices_but_not_in_dynamic_ones() {
    let turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    BUILT.suspect(&["test"]);
    let run = suspect::store::Store::new(BUILT.path()).latest_run().unwrap();
    let sections = run.dependences().unwrap();
    let named: Vec<(String, &[u8])> = sections.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())).collect();
    let code = suspect::slice::Code::load(&run.program, &named).unwrap();
    let slicer = Slicer::new(&run.program, &code);
    drop(turn);
    for Row { program, cause, effect, .. } in &ROWS {
        let answer = ask(program, cause, effect, &["--method", "dual"]);
        let slice = answer["steps"][0]["slice"].as_array().unwrap();
        let text = source(program);
        // A return stands at the end of its function, or where it is written.
        let is_end = |line: &u64| text.lines().nth(*line as usize - 1) == Some("}");
        let lines = slice.iter().map(|place| place["line"].as_u64().unwrap());
        let dual: BTreeSet<u64> = lines.filter(|line| !is_end(line)).collect();
        let most = static_slice(&run, &slicer, program, line(program, effect.split(':').next().unwrap()));
        assert!(dual.is_subset(&most), "{program} {cause} {effect}: {dual:?} is not in {most:?}");
        let end = crate::project::line_of("why/relevant.c", "return t < 0");
        assert!(*program != "relevant" || !most.contains(&end), "what comes later cannot matter: {most:?}");
    }
    // Figure 2: the second run leaves out L6, which L3 and L4 decide; neither run's own slice has those.
    let of_runs = ["3", "4"].map(|test| dynamic_slice(test, "omission", "L7"));
    let dual = tags("omission", &ask("omission", "L3", "L7:x", &["--method", "dual"])["steps"][0]);
    let beyond: BTreeSet<u64> =
        dual.into_iter().filter(|tag| of_runs.iter().all(|slice| !slice.contains(tag))).collect();
    assert_eq!(beyond, [3, 4].into());
}

/// Tags of the lines that the line with a tag depends on in the run of a test.
fn dynamic_slice(test: &str, program: &str, tag: &str) -> BTreeSet<u64> {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let place = format!("{program}.c:{}", line(program, tag));
    let text = BUILT.succeed(&["slice", test, &place, "--format", "json"]);
    let answer: Value = serde_json::from_str(&text).unwrap();
    tags(program, &serde_json::json!({ "slice": answer["lines"] }))
}

#[test]
fn what_differs_first_is_explained_back_to_the_input() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let text = BUILT.succeed(&["explain", "10", "--against", "9"]);
    for part in [
        "`undone` is 1",
        "what make returns is -1 here, 0 there",
        "handed on to what make returned, `tmp`, `status`",
        "the difference comes in here",
        "again: ",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let sarif: Value =
        serde_json::from_str(&BUILT.succeed(&["explain", "10", "--against", "9", "--format", "sarif"])).unwrap();
    let flow = &sarif["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert!(flow.as_array().unwrap().len() > 3, "{flow}");
}

#[test]
fn what_cannot_be_explained_is_said() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let no_line = BUILT.fail(&["explain", "2", "--against", "1", "--effect", "flow_confounded.c:1"], 1);
    assert!(no_line.contains("was not executed"), "{no_line}");
    let no_variable = BUILT.fail(&["explain", "2", "--against", "1", "--effect", "flow_confounded.c:15:nothing"], 1);
    assert!(no_variable.contains("neither a variable"), "{no_variable}");
    let other = BUILT.fail(&["explain", "2", "--against", "3"], 1);
    assert!(other.contains("different programs"), "{other}");
    let same = BUILT.fail(&["explain", "1", "--against", "1"], 1);
    assert!(same.contains("write the same"), "{same}");
    let test = BUILT.fail(&["slice", "nobody", "output"], 1);
    assert!(test.contains("no test is called `nobody`"), "{test}");
}
