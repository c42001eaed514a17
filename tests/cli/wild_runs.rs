//! Explanations of runs that leave the plain way of calls: signals, jumps, callbacks of libraries, arguments without parameters, modules loaded late.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value;

use crate::project::Project;

const SUITE: &str = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"sh -c 'echo {line} | ./wild'\"\nexpect = \"expected/{n}\"\n";

/// What each pair of runs does, the passing one first.
const PAIRS: [[&str; 2]; 6] =
    [["s 1", "s 2"], ["f 3", "f 7"], ["g 3", "g 4"], ["q 35", "q 12"], ["v 50", "v 60"], ["d 3", "d 4"]];

static BUILT: LazyLock<Project> = LazyLock::new(|| {
    let project = Project::shared();
    for name in ["wild.c", "plugged.c"] {
        let source = format!("{}/tests/programs/why/{name}", env!("CARGO_MANIFEST_DIR"));
        project.write(name, &std::fs::read_to_string(source).unwrap());
    }
    let inputs = PAIRS.concat();
    (1..=inputs.len()).for_each(|number| _ = project.write(&format!("expected/{number}"), ""));
    project.write("tests.txt", &inputs.join("\n")).write("suspect.toml", SUITE);
    project.write("build.sh", "cc -g -O1 -o wild wild.c -ldl\ncc -g -O1 -shared -fPIC -o plugged.so plugged.c\n");
    project.succeed(&["build", "--modes", "plain,values,record", "--", "sh", "-e", "build.sh"]);
    project
});

/// The store is locked while a test of the project runs.
static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Why the second run of the pair that does this differs from the first one.
fn explained(what: char) -> Value {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let pair = PAIRS.iter().position(|[first, _]| first.starts_with(what)).unwrap();
    let [first, second] = [2 * pair + 1, 2 * pair + 2].map(|number| number.to_string());
    let answer = BUILT.succeed(&["explain", &second, "--against", &first, "--format", "json"]);
    serde_json::from_str(&answer).unwrap()
}

/// The lines that an explanation names, by their tags.
fn tags(answer: &Value) -> BTreeSet<String> {
    let steps = answer["steps"].as_array().unwrap().iter();
    let slices = steps.flat_map(|step| step["slice"].as_array().unwrap());
    let origins = answer["origins"].as_array().unwrap().iter().map(|origin| &origin["point"]);
    let tag = |place: &Value| {
        let path = format!("{}/tests/programs/why/{}", env!("CARGO_MANIFEST_DIR"), place["file"].as_str()?);
        let text = std::fs::read_to_string(path).ok()?;
        let line = text.lines().nth(place["line"].as_u64()? as usize - 1)?;
        Some(line.split("/* ").nth(1)?.split(' ').next()?.to_owned())
    };
    slices.chain(origins).filter_map(tag).collect()
}

/// Explains, and looks for the tags of lines that must be named, and of those that need not.
#[track_caller]
fn leads(what: char, through: &[&str], not: &[&str]) {
    let answer = explained(what);
    assert_eq!((&answer["verified"], &answer["complete"]), (&true.into(), &true.into()), "{answer:#}");
    let found = tags(&answer);
    through.iter().for_each(|tag| assert!(found.contains(*tag), "{tag}: {found:?}"));
    not.iter().for_each(|tag| assert!(!found.contains(*tag), "{tag}: {found:?}"));
    assert!(answer["trust"].as_array().unwrap().is_empty(), "{answer:#}");
}

#[test]
fn what_a_signals_handler_does_is_followed() {
    leads('s', &["S1", "S2", "S3", "M1"], &[]);
    let steps = &explained('s')["steps"];
    assert_eq!(steps[0]["cause_point"]["function"], "main", "{steps:#}");
}

#[test]
fn a_handler_that_returns_into_the_middle_of_a_step_is_followed() {
    leads('g', &["G1", "G2", "G3", "M1"], &[]);
}

#[test]
fn a_handler_that_jumps_out_of_a_fault_is_where_the_runs_part() {
    leads('f', &["F2", "M1"], &[]);
    let origins = explained('f')["origins"].to_string();
    assert!(origins.contains("a jump leads back here in one run alone"), "{origins}");
}

#[test]
fn what_a_library_moves_between_callbacks_comes_from_what_it_was_given() {
    leads('q', &["Q1", "Q2", "Q3", "Q4"], &[]);
}

#[test]
fn arguments_without_parameters_have_causes() {
    // The fifth of five pairs lies on the stack.
    leads('v', &["V1", "V2", "V3"], &[]);
}

#[test]
fn a_module_that_is_loaded_late_is_followed() {
    leads('d', &["D1", "P1"], &[]);
}
