//! Campaigns in parts: joined they are what one machine would have found out, byte by byte; parts that do not fit are refused, missing ones named.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::all_evidence::parcel;
use crate::nightly::absolute;
use crate::project::Project;

/// Copies a store to a directory beside it.
fn set_aside(project: &Project, name: &str) -> String {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().flatten() {
            match entry.path().is_dir() {
                true => copy(&entry.path(), &to.join(entry.file_name())),
                false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
            }
        }
    }
    copy(&project.path().join(".suspect"), &project.path().join(name).join(".suspect"));
    name.to_string()
}

fn forget(project: &Project, what: &str) {
    let path = project.path().join(".suspect").join(what);
    if path.exists() {
        fs::remove_dir_all(path).unwrap();
    }
}

/// The files with trials or results of a project, by name and contents.
pub fn found_out(project: &Project, what: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    fn files(directory: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "trials" || extension == "kills") {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    files(&project.path().join(".suspect").join(what), &mut found);
    found
}

const MUTATE: [&str; 3] = ["mutate", "--samples", "3"];
/// A smaller one.
const SMALL: [&str; 5] = ["mutate", "--nodes", "surcharge()", "--samples", "3"];

fn part(project: &Project, arguments: &[&str], shard: &str) -> String {
    project.succeed(&[arguments, &["--shard", shard]].concat())
}

/// What is said of value mutants.
fn shown(project: &Project) -> [String; 2] {
    [
        project.succeed(&["rank", "--method", "cdfl", "--format", "json"]),
        project.succeed(&["graph", "--format", "json"]),
    ]
}

#[test]
fn parts_of_value_mutants_make_the_whole_wherever_they_are_run() {
    let project = parcel();
    part(&project, &MUTATE, "1/1");
    project.succeed(&["merge"]);
    let (whole, whole_files) = (shown(&project), found_out(&project, "campaigns"));
    assert_eq!(whole_files.len(), 1);

    // In one store, which several machines may share.
    forget(&project, "campaigns");
    part(&project, &MUTATE, "2/3");
    part(&project, &MUTATE, "3/3");
    let said = project.fail(&["merge"], 7);
    assert!(said.contains("2 of 3 parts") && said.contains("missing: 1/3"), "{said}");
    part(&project, &MUTATE, "1/3");
    assert!(project.succeed(&["merge"]).contains("3 of 3 parts: 3 samples, seed 1"));
    assert!(found_out(&project, "campaigns") == whole_files, "bytes of one store");
    assert_eq!(shown(&project), whole);
    assert!(project.fail(&["merge"], 7).contains("there is nothing to join"));

    // In stores of their own.
    let mut stores = Vec::new();
    for number in 1..=3 {
        forget(&project, "campaigns");
        part(&project, &MUTATE, &format!("{number}/3"));
        stores.push(set_aside(&project, &format!("part-{number}")));
    }
    forget(&project, "campaigns");
    let said = project.fail(&["merge", "part-1", "part-3"], 7);
    assert!(said.contains("missing: 2/3"), "{said}");
    let all: Vec<&str> = ["merge"].into_iter().chain(stores.iter().map(String::as_str)).collect();
    project.succeed(&all);
    assert!(found_out(&project, "campaigns") == whole_files, "bytes of three stores");
    assert_eq!(shown(&project), whole);

    // A store without a run takes theirs.
    fs::remove_dir_all(project.path().join(".suspect")).unwrap();
    project.succeed(&all);
    assert_eq!(shown(&project), whole);
}

#[test]
fn parts_of_different_work_are_refused() {
    let project = parcel();
    part(&project, &SMALL, "1/2");
    set_aside(&project, "one");
    forget(&project, "campaigns");
    part(&project, &["mutate", "--nodes", "surcharge()", "--samples", "4"], "2/2");
    set_aside(&project, "samples");
    forget(&project, "campaigns");
    part(&project, &["mutate", "--nodes", "surcharge()", "--samples", "3", "--seed", "2"], "2/2");
    set_aside(&project, "seed");
    forget(&project, "campaigns");
    part(&project, &SMALL, "2/3");
    set_aside(&project, "number");
    forget(&project, "campaigns");
    project.succeed(&["test"]);
    part(&project, &SMALL, "2/2");
    set_aside(&project, "run");
    forget(&project, "campaigns");
    for (other, why) in [
        ("samples", "different work"),
        ("seed", "different campaigns"),
        ("number", "different work"),
        ("run", "different campaigns"),
    ] {
        let said = project.fail(&["merge", "one", other], 7);
        assert!(said.contains("these parts cannot be joined") && said.contains(why), "{other}: {said}");
    }
    let said = project.fail(&["merge", "--partial", "one"], 7);
    assert!(said.contains("another recorded run than the latest one here"), "{said}");
    assert!(project.fail(&["merge", "in"], 1).contains("neither a store"));
    assert!(found_out(&project, "campaigns").is_empty(), "nothing was taken");
}

#[test]
fn a_part_whose_time_was_over_is_named() {
    let project = parcel();
    part(&project, &SMALL, "1/2");
    part(&project, &["mutate", "--nodes", "surcharge()", "--samples", "3", "--budget", "0"], "2/2");
    let said = project.fail(&["merge"], 7);
    assert!(said.contains("2/2 has") && said.contains("trials left") && said.contains("--partial"), "{said}");
    assert!(project.succeed(&["merge", "--partial"]).contains("trials left"));
}

#[test]
fn parts_of_code_mutants_and_of_higher_order_make_the_whole() {
    let tests = [("3", "3"), ("-1", "1"), ("0", "0"), ("-5", "5"), ("7", "7")];
    let project = absolute(false, &tests);
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    project.succeed(&["mutate", "--tests", "all", "--samples", "4"]);
    const MUTANTS: [&str; 3] = ["mutants", "--format", "json"];
    const HOM: [&str; 6] = ["hom", "--heuristic", "random", "-n", "8", "--json"];
    let (mutants, hom) = (project.succeed(&MUTANTS), project.succeed(&HOM));
    forget(&project, "kills");
    for shard in ["1/2", "2/2"] {
        let said = project.fail(&[&HOM[..], &["--shard", shard]].concat(), 4);
        assert!(said.contains("needs all of first order") && said.contains("suspect mutants --shard"), "{said}");
        part(&project, &MUTANTS, shard);
    }
    assert!(project.succeed(&["merge"]).contains("2 of 2 parts"));
    assert_eq!(found_out(&project, "kills").len(), 1);
    assert_eq!(project.succeed(&MUTANTS), mutants);
    assert!(part(&project, &HOM, "2/2").contains("part 2/2 is done"));
    assert!(project.fail(&["merge"], 7).contains("missing: 1/2"));
    part(&project, &HOM, "1/2");
    project.succeed(&["merge"]);
    let output = project.suspect(&HOM);
    assert_eq!(String::from_utf8_lossy(&output.stdout), hom);
    assert_eq!(project.succeed(&MUTANTS), mutants);
}

#[test]
fn auto_takes_the_part_that_the_environment_names() {
    let project = parcel();
    for (number, name) in [("0", "1/2"), ("1", "2/2")] {
        let mut command = project.command(&[&SMALL[..], &["--shard", "auto"]].concat());
        let output = command.env("JOB_COMPLETION_INDEX", number).env("SUSPECT_SHARDS", "2").output().unwrap();
        assert!(output.status.success(), "{name}: {}", crate::project::text(&output));
    }
    assert!(project.succeed(&["merge"]).contains("2 of 2 parts"));
    let said = project.fail(&[&SMALL[..], &["--shard", "auto"]].concat(), 1);
    assert!(said.contains("no number of a job in the environment"), "{said}");
}
