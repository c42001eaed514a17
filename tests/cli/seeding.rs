//! `suspect hom` and `suspect seed` on a small program: what they make is what running it shows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::code_mutants::biggest;
use crate::project::Project;

#[test]
fn higher_order_mutants_need_a_campaign_of_values_and_are_judged_by_their_members() {
    let project = biggest();
    let said = project.fail(&["hom", "--heuristic", "random"], 7);
    assert!(said.contains("suspect mutate --tests all"), "{said}");
    assert!(project.fail(&["hom"], 1).contains("--heuristic"));
    project.succeed(&["mutate", "--tests", "all", "--samples", "5"]);
    let run = |arguments: &[&str]| -> Value {
        let all = [&["hom", "--json", "-n", "60"], arguments].concat();
        serde_json::from_str(&project.succeed(&all)).unwrap()
    };
    for heuristic in ["random", "prop", "dsort", "mwm"] {
        let report = run(&["--heuristic", heuristic]);
        assert_eq!((&report["heuristic"], report["mutants"].as_u64()), (&Value::from(heuristic), Some(60)));
        let of_sets: u64 = report["sets"].as_array().unwrap().iter().map(|set| set["mutants"].as_u64().unwrap()).sum();
        assert_eq!(of_sets, 60);
        for strong in report["strong"].as_array().unwrap() {
            let killed = strong["killed_by"].as_array().unwrap().len() as u64;
            let members = strong["members"].as_array().unwrap();
            assert!(killed > 0 && members.len() == 2);
            assert!(members.iter().all(|member| member["killed_by"].as_u64().unwrap() >= killed), "{strong:#}");
        }
        assert_eq!(run(&["--heuristic", heuristic]), report, "the same seed");
    }
    assert_ne!(run(&["--heuristic", "random", "--seed", "2"])["sets"], run(&["--heuristic", "random"])["sets"]);
    assert_eq!(run(&["--heuristic", "dsort", "--order", "3"])["order"], 3);
    let text = project.succeed(&["hom", "--heuristic", "dsort", "-n", "60"]);
    assert!(text.starts_with("60 mutants of order 2 by dsort"), "{text}");
}

#[test]
fn studies_print_their_tables() {
    let project = biggest();
    project.succeed(&["mutate", "--tests", "all", "--samples", "5"]);
    let deciles = project.succeed(&[
        "hom",
        "--study",
        "deciles",
        "--repeats",
        "1",
        "--functions",
        "biggest",
        "--plot",
        "plot.svg",
    ]);
    assert!(deciles.contains("bucket") && deciles.contains("SSHOMs"), "{deciles}");
    assert!(fs::read_to_string(project.path().join("plot.svg")).unwrap().starts_with("<svg"));
    let study = |more: &[&str]| -> Value {
        let all = [&["hom", "--study", "heuristics", "-n", "30", "--repeats", "2", "--json"], more].concat();
        serde_json::from_str(&project.succeed(&all)).unwrap()
    };
    // The quick one first: later ones look up what it found out.
    let (quick, whole) = (study(&["--quick"]), study(&[]));
    for (quick, whole) in quick["rows"].as_array().unwrap().iter().zip(whole["rows"].as_array().unwrap()) {
        assert!(quick["d_score"].is_null() && whole["d_score"]["mean"].as_f64() > Some(0.0));
        let same = ["heuristic", "mutants", "strong", "distinct_strong", "strong_vectors", "survival", "times_random"];
        assert!(same.iter().all(|key| quick[key] == whole[key]), "{quick:#} {whole:#}");
    }
    let heuristics = project.succeed(&["hom", "--study", "heuristics", "-n", "30", "--repeats", "2"]);
    assert!(["random", "prop", "dsort", "mwm"].iter().all(|name| heuristics.contains(name)), "{heuristics}");
    let survival = project.succeed(&["hom", "--study", "survival", "-n", "30", "--repeats", "2"]);
    assert!(survival.contains("first order"), "{survival}");
}

#[test]
fn seeded_versions_fail_the_tests_that_their_mutants_fail() {
    let project = biggest();
    let made = project.succeed(&["seed", "--count", "4", "--faults", "1,2,3", "--output", "bench"]);
    assert!(made.contains("4 versions with 2 faults"), "{made}");
    assert!(project.fail(&["seed", "--output", "bench"], 1).contains("exists already"));
    project.succeed(&["eval", "bench", "--methods", "ochiai"]);
    let mut n_versions = 0;
    for faults in [1, 2, 3] {
        let entries: Vec<_> =
            fs::read_dir(project.path().join("bench")).unwrap().map(|entry| entry.unwrap().path()).collect();
        let program = entries.iter().find(|path| path.to_string_lossy().ends_with(&format!("-{faults}"))).unwrap();
        let toml = fs::read_to_string(program.join("eval.toml")).unwrap();
        for version in toml.split("\n# ").filter(|part| part.ends_with(" tests fail")) {
            let failing: u64 = version.split(' ').next().unwrap().parse().unwrap();
            let rest = &toml[toml.find(version).unwrap()..];
            let name = rest.split("name = \"").nth(1).unwrap().split('"').next().unwrap();
            let results =
                project.path().join("bench/results").join(program.file_name().unwrap()).join(format!("{name}.json"));
            let result: Value = serde_json::from_slice(&fs::read(results).unwrap()).unwrap();
            let counts = &result["outcome"]["evaluated"]["tests"];
            assert_eq!(counts["failing"].as_u64(), Some(failing), "{name}: {result}");
            n_versions += 1;
        }
    }
    assert_eq!(n_versions, 12);
    // The same seed makes the same versions.
    project.succeed(&["seed", "--count", "4", "--faults", "1,2,3", "--output", "again"]);
    let patches = |directory: &str| -> BTreeMap<String, Vec<u8>> {
        let pattern = project.path().join(directory).join("*/versions/*.patch");
        let paths = glob::glob(&pattern.to_string_lossy()).unwrap().map(|path| path.unwrap());
        paths.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())).collect()
    };
    assert_eq!(patches("bench"), patches("again"));
}

#[test]
fn versions_of_the_source_fail_some_tests_and_keep_the_kind_of_mistake() {
    let project = Project::new();
    for name in ["tally/tally.c", "tally/weigh.c", "tally/tally.h", "tally/tests.list", "tally/suspect.toml"] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)).unwrap();
        project.write(name.trim_start_matches("tally/"), &text);
    }
    let source = fs::read_to_string(project.path().join("tally.c")).unwrap();
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let made = project.succeed(&["seed", "--from", "source", "--count", "9", "--jobs", "2", "--output", "bench"]);
    assert!(made.contains("9 versions with a fault of the source"), "{made}");
    project.succeed(&["eval", "bench", "--methods", "ochiai"]);
    let directory = fs::read_dir(project.path().join("bench")).unwrap().map(|entry| entry.unwrap().path());
    let program = directory.into_iter().find(|path| path.to_string_lossy().ends_with("-source")).unwrap();
    let toml = fs::read_to_string(program.join("eval.toml")).unwrap();
    let mut classes = BTreeSet::new();
    let mut n_versions = 0;
    let notes: Vec<&str> = toml.split("\n# ").collect();
    for pair in notes.windows(2).filter(|pair| pair[0].ends_with(" tests fail")) {
        let (failing, rest) = (pair[0].split(' ').next().unwrap().parse::<u64>().unwrap(), pair[1]);
        let value =
            |key: &str| rest.split(&format!("\n{key} = \"")).nth(1).unwrap().split('"').next().unwrap().to_owned();
        let results = project.path().join("bench/results").join(program.file_name().unwrap());
        let result: Value =
            serde_json::from_slice(&fs::read(results.join(format!("{}.json", value("name")))).unwrap()).unwrap();
        assert_eq!(result["class"], Value::from(value("class")));
        if result["outcome"]["evaluated"].is_object() {
            assert_eq!(result["outcome"]["evaluated"]["tests"]["failing"].as_u64(), Some(failing), "{result:#}");
            n_versions += 1;
        }
        classes.insert(value("class"));
    }
    assert!(n_versions >= 8 && classes.len() >= 7, "{n_versions} {classes:?}");
    // Neither the number of jobs nor a second time makes other versions; the tree of the project is as it was.
    project.succeed(&["seed", "--from", "source", "--count", "9", "--jobs", "1", "--output", "again"]);
    let again = project.path().join("again").join(program.file_name().unwrap());
    assert_eq!(fs::read_to_string(again.join("eval.toml")).unwrap(), toml);
    assert_eq!(fs::read_to_string(project.path().join("tally.c")).unwrap(), source);
    // Kinds can be chosen, and those that there are not are told.
    project.succeed(&["seed", "--from", "source", "--operators", "jump", "--count", "1", "--output", "jumps"]);
    assert!(project.fail(&["seed", "--from", "source", "--operators", "AOR", "--output", "x"], 1).contains("conjunct"));
}
