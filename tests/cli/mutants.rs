//! `suspect mutate`: interruption, shards, jobs, budget, and input that it must refuse.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use suspect::store::{CampaignStore, Store, TrialKey, TrialRecord};

use crate::project::{Project, text};

/// Texts and what is counted in them; the last expectation is wrong.
const TEXTS: [(&str, &str, &str); 4] =
    [("letter", "a", "1 0 1"), ("word", "abc", "3 0 1"), ("lines", "ab c\nd\n", "7 2 3"), ("wrong", "a b\n", "4 1 3")];

/// The word counter, built and recorded.
pub fn counter() -> Project {
    let project = Project::new();
    project.copy_program("count_words.c");
    for (name, text, counts) in TEXTS {
        project.write(&format!("in/{name}"), text).write(&format!("expected/{name}"), &format!("{counts}\n"));
    }
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\nrun = \"./prog < {input}\"\nexpect = \"expected/{stem}\"\n",
    );
    project.succeed(&["build", "--", "cc", "-O1", "-o", "prog", "count_words.c"]);
    project.succeed(&["test"]);
    project
}

fn campaign(project: &Project) -> CampaignStore {
    let mut campaigns = Store::new(project.path()).campaigns().unwrap();
    assert_eq!(campaigns.len(), 1);
    campaigns.remove(0)
}

/// What is stored; who ran a trial is no result.
fn results(project: &Project) -> Vec<TrialRecord> {
    let records = campaign(project).trials().unwrap();
    records.iter().map(|record| TrialRecord { forked: false, ..record }).collect()
}

fn forget(project: &Project) {
    fs::remove_dir_all(project.path().join(".suspect/campaigns")).unwrap();
}

const MUTATE: [&str; 5] = ["mutate", "--samples", "4", "--tests", "all"];

fn with<'a>(further: &[&'a str]) -> Vec<&'a str> {
    [&MUTATE, further].concat()
}

#[test]
fn jobs_shards_and_executors_come_to_the_same() {
    let project = counter();
    let said = project.succeed(&with(&["--jobs", "1"]));
    let reference = results(&project);
    assert!(said.starts_with(&format!("{} trials of 2", reference.len())), "{said}");
    assert!(!said.contains("not run") && reference.len() > 100, "{said}");
    for ways in [&["--jobs", "2"][..], &["--executor", "exec"]] {
        forget(&project);
        project.succeed(&with(ways));
        assert!(results(&project) == reference, "{ways:?}");
    }
    forget(&project);
    // Each has about half of the trials, whichever nodes they are of.
    let parts = ["2/2", "1/2"].map(|shard| {
        let said = project.succeed(&with(&["--shard", shard]));
        let n: usize = said.split(' ').next().and_then(|number| number.parse().ok()).expect(&said);
        assert!((reference.len() / 3..=2 * reference.len() / 3).contains(&n), "{said}");
        n
    });
    assert_eq!(parts.iter().sum::<usize>(), reference.len());
    assert!(results(&project) == reference, "shards");
    let files = fs::read_dir(campaign(&project).directory()).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<String> =
        files.map(|path| path.display().to_string()).filter(|path| path.ends_with(".trials")).collect();
    let dumped = project.succeed(&[&["dump"], &files.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());
    assert_eq!(dumped.matches("test ").count(), reference.len(), "{dumped}");
    let again = project.succeed(&MUTATE);
    assert!(
        again.starts_with("0 trials") && again.contains(&format!("({} had been run before)", reference.len())),
        "{again}"
    );
    let fresh = project.succeed(&with(&["--fresh"]));
    assert!(fresh.starts_with(&format!("{} trials", reference.len())) && results(&project) == reference, "{fresh}");
    let more = project.succeed(&["mutate", "--samples", "5", "--tests", "all"]);
    assert!(!more.starts_with("0 trials"), "{more}");
    let kept = results(&project);
    assert!(reference.iter().all(|record| kept.contains(record)), "samples for few are the first of those for many");
}

#[test]
fn one_execution_is_overridden_alone_on_request() {
    let project = counter();
    project.succeed(&MUTATE);
    let all_at_once = results(&project);
    project.succeed(&with(&["--instances", "2"]));
    let records = results(&project);
    let at = |record: &TrialRecord, instance: u64| {
        let key = TrialKey { instance, ..record.key };
        let found = records.binary_search_by_key(&key, |record| record.key);
        TrialRecord { key: record.key, ..records[found.unwrap_or_else(|_| panic!("{key:?} was not run"))].clone() }
    };
    assert!(all_at_once.iter().all(|record| at(record, 0) == *record), "what was known stays");
    // A node that is executed once is overridden by the first execution as by all, and has no second.
    let once = |record: &&TrialRecord| record.applied && !at(record, 2).applied && at(record, 1) == **record;
    assert!(all_at_once.iter().filter(once).count() > 10);
    let differs = |record: &&TrialRecord| at(record, 1) != **record && at(record, 2).applied;
    assert!(all_at_once.iter().filter(differs).count() > 10);
    project.succeed(&["rank", "--method", "direct"]);
}

#[test]
fn a_killed_campaign_goes_on_where_it_was() {
    let project = counter();
    project.succeed(&MUTATE);
    let reference = results(&project);
    forget(&project);
    let mut kept = 0;
    for session in 1..=3 {
        let mut child = project
            .command(&with(&["--executor", "exec"]))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        let stored =
            || Store::new(project.path()).campaigns().unwrap().first().map_or(0, |one| one.trials().unwrap().len());
        while stored() < reference.len() * session / 5 {
            assert!(
                began.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none(),
                "session {session}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let now = results(&project).len();
        assert!(now > kept && now < reference.len(), "{kept} then {now} of {}", reference.len());
        kept = now;
    }
    let said = project.succeed(&MUTATE);
    assert!(said.contains(&format!("({kept} had been run before)")), "{said}");
    assert!(said.starts_with(&format!("{} trials", reference.len() - kept)), "none twice, none lost: {said}");
    assert!(results(&project) == reference);
}

#[test]
fn what_the_budget_leaves_undone_is_said_and_stored() {
    let project = counter();
    let said = project.succeed(&with(&["--budget", "0"]));
    assert!(
        said.starts_with("0 trials") && said.contains("trials were not run: each node has its first 0 of"),
        "{said}"
    );
    let progress: Vec<serde_json::Value> = campaign(&project).load_progress().unwrap();
    let missing: u64 = progress[0]["not_run"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(Some(missing), progress[0]["planned"].as_u64());
    let said = project.succeed(&with(&["--budget", "10m"]));
    assert!(!said.contains("not run"), "{said}");
    assert_eq!(results(&project).len() as u64, missing);
}

#[test]
fn tests_and_nodes_are_chosen() {
    let project = counter();
    let output = project.suspect(&["mutate", "--samples", "1", "--tests", "failing", "--nodes", "is_letter()"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 failing and 0 passing tests"), "{said}");
    let tests: Vec<u32> = results(&project).iter().map(|record| record.key.test).collect();
    let failing = fs::read_dir(project.path().join("in")).unwrap().count() as u32 - 1;
    assert!(!tests.is_empty() && tests.iter().all(|test| *test == failing), "{tests:?}: `wrong` comes last by name");
    let said = project.succeed(&["mutate", "--samples", "1"]);
    assert!(!said.starts_with("0 trials"), "{said}");
}

#[track_caller]
fn assert_says(message: &str, words: &[&str]) {
    assert!(words.iter().all(|word| message.contains(word)), "{message:?} lacks one of {words:?}");
    assert!(!message.contains("panicked"), "{message}");
}

#[test]
fn what_cannot_be_mutated_is_refused_with_what_to_do() {
    let project = Project::new();
    assert_says(&project.fail(&["mutate"], 7), &["no recorded run", "suspect test"]);
    let project = counter();
    assert_says(&project.fail(&["rank", "--method", "cdfl"], 7), &["suspect mutate"]);
    assert_says(&project.fail(&["graph"], 7), &["suspect mutate"]);
    assert_says(&project.fail(&["mutate", "--nodes", "nothing()"], 1), &["nothing()", "FILE:LINE"]);
    assert_says(&project.fail(&["mutate", "--shard", "3/2"], 1), &["3/2", "1/4"]);
    assert_says(&project.fail(&["mutate", "--budget", "soon"], 1), &["soon", "10min"]);
    assert_says(&project.fail(&["mutate", "--log-bytes", "much"], 1), &["much", "512M"]);
    let source = fs::read_to_string(project.path().join("count_words.c")).unwrap();
    project.write("count_words.c", &source.replace("lines + 1", "lines + 2"));
    project.succeed(&["build", "--", "cc", "-O1", "-o", "prog", "count_words.c"]);
    let again = |what: &str| {
        let output = project.suspect(&["mutate", "--samples", "1"]);
        assert!(output.status.success());
        assert_says(&text(&output), &[what, "since the tests were recorded: testing again"]);
    };
    again("count_words.c was changed");
    project.write("in/another", &"x".repeat(999)).write("expected/another", "999 0 1\n");
    again("tests were added or removed");
    let said = project.succeed(&["mutate", "--samples", "1", "--log-bytes", "4k"]);
    assert_says(&said, &["not used: another: ", "values", "--log-bytes"]);
    assert!(!project.succeed(&["mutate", "--samples", "1"]).contains("not used"), "there is room by default");
}

#[test]
fn a_program_without_the_trace_version_is_refused() {
    let project = counter();
    project.succeed(&["build", "--modes", "plain,edges,values", "--", "cc", "-O1", "-o", "prog", "count_words.c"]);
    project.succeed(&["test"]);
    assert_says(&project.fail(&["mutate"], 5), &["trace", "--modes", "suspect build"]);
}

#[test]
fn passing_suites_and_flaky_tests_are_named() {
    let project = counter();
    project.write("expected/wrong", "4 1 2\n");
    project.write(
        "flaky.sh",
        "runs=$(cat runs 2>/dev/null)\necho x >> runs\n./prog < in/word > /dev/null\n[ -n \"$runs\" ]\n",
    );
    let suite = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    project.write(
        "suspect.toml",
        &format!("{suite}[[suite]]\nkind = \"command\"\nname = \"odd\"\nlist = \"echo flaky.sh\"\nrun = \"sh {{test}}\"\nresult = \"exit\"\n"),
    );
    project.succeed(&["test"]);
    assert_says(&project.fail(&["mutate"], 4), &["fails", "--tests all"]);
    let output = project.suspect(&["mutate", "--samples", "1", "--tests", "all"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("not used: odd/flaky.sh: flaky"), "{said}");
}
