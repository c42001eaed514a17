//! Running everything twice: flaky tests, limits from measured times, traces of each run, any number of jobs.

mod suite_common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use suite_common::Project;
use suspect::suite::{
    Baseline, BaselineOptions, Counts, Stability, Suite, SuiteError, Test, TestRun, Verdict, baseline, timeout_from,
};
use suspect_format::abi::Mode;

const TESTS: &str = r#"#!/bin/sh
here=$(dirname "$0")
case $1 in
  pass) echo fine ;;
  fail) echo wrong; exit 1 ;;
  skip) exit 77 ;;
  crash) kill -SEGV $$ ;;
  missing) exec ./not-there ;;
  hang) sleep 717.5 ;;
  flaky) n=$(cat "$here/count" 2>/dev/null || echo 0); echo $((n + 1)) > "$here/count"; [ $n -ne 1 ] ;;
  varies) echo $$ $(date +%N) ;;
  traces) [ -d "$SUSPECT_OUT" ] && echo "$SUSPECT_RECORD $SUSPECT_TEST $MORE" > "$SUSPECT_OUT/trace" ;;
  daemon) setsid sleep 717.25 > /dev/null & exit 0 ;;
  slow) sleep 0.3 ;;
  late) if [ -e "$here/late" ]; then sleep 3; else touch "$here/late"; fi ;;
  worse) if [ -e "$here/worse" ]; then sleep 30; else touch "$here/worse"; fi ;;
esac
"#;

fn project(tests: &str, more: &str) -> Project {
    let list = format!("[[suite]]\nkind = 'command'\nlist = 'printf \"%s\\n\" {tests}'\nrun = './t {{test}}'\n{more}");
    Project::new(&[("suspect.toml", &list), ("t", TESTS)])
}

fn options(traces: &Path, jobs: usize) -> BaselineOptions {
    BaselineOptions {
        jobs,
        runs: None,
        mode: Mode::Values,
        env: vec![("MORE".into(), "more".into())],
        traces: traces.to_owned(),
        limits: Vec::new(),
        until: None,
        apart: Duration::ZERO,
    }
}

fn run(suite: &Suite, jobs: usize) -> Baseline {
    let traces = tempfile::tempdir().unwrap();
    let result = baseline(suite, &options(traces.path(), jobs), &|_: &Test, _, _: &Path, _: &TestRun| {}).unwrap();
    assert_eq!(fs::read_dir(traces.path()).unwrap().count(), 0, "traces are removed");
    result
}

#[test]
fn verdicts_are_counted_and_flaky_tests_named() {
    let project = project("pass fail skip crash missing flaky varies", "");
    let suite = project.suite();
    let result = run(&suite, 3);
    let counts = Counts { pass: 2, fail: 2, skip: 1, timeout: 0, error: 1, flaky: 1 };
    assert_eq!(result.counts(), counts);
    let stability: Vec<&Stability> = result.tests.iter().map(|test| &test.stability).collect();
    let flaky = Stability::Flaky("pass, fail".to_owned());
    assert_eq!(
        stability,
        [
            &Stability::Stable,
            &Stability::Stable,
            &Stability::Stable,
            &Stability::Stable,
            &Stability::Stable,
            &flaky,
            &Stability::OutputVaries
        ]
    );
    assert_eq!(result.tests[5].verdict(), None);
    assert_eq!(result.tests[3].reason(), Some("killed by SIGSEGV (exit status 139)"));
    assert!(result.tests.iter().all(|test| test.runs.len() == 2));
}

#[test]
fn repeats_are_the_suites_or_the_callers() {
    let project = project("flaky", "repeat = 4\n");
    let suite = project.suite();
    assert_eq!(run(&suite, 1).tests[0].stability, Stability::Flaky("pass, fail, pass, pass".to_owned()));
    let traces = tempfile::tempdir().unwrap();
    let options = BaselineOptions { runs: Some(3), ..options(traces.path(), 1) };
    let result = baseline(&suite, &options, &|_: &Test, _, _: &Path, _: &TestRun| {}).unwrap();
    assert_eq!(result.tests[0].runs.len(), 3);
}

#[test]
fn runs_of_a_test_begin_as_far_apart_as_is_asked_for() {
    let project = project("pass fail", "");
    let suite = project.suite();
    let traces = tempfile::tempdir().unwrap();
    let apart = Duration::from_secs(1);
    let options = BaselineOptions { apart, ..options(traces.path(), 2) };
    let seen = Mutex::new(Vec::new());
    let hook = |test: &Test, run: usize, _: &Path, _: &TestRun| {
        seen.lock().unwrap().push((test.index, run, Instant::now()));
    };
    baseline(&suite, &options, &hook).unwrap();
    let seen = seen.into_inner().unwrap();
    let earliest = |number| seen.iter().filter(|(_, run, _)| *run == number).map(|(.., ended)| *ended).min().unwrap();
    // When they ended is known: a test takes a moment.
    assert!(earliest(1) - earliest(0) > apart / 2, "{seen:?}");
}

#[test]
fn hook_sees_the_traces_of_each_run_and_may_keep_them() {
    let project = project("traces pass", "");
    let suite = project.suite();
    let (traces, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let seen = Mutex::new(BTreeSet::new());
    let hook = |test: &Test, run: usize, dir: &Path, result: &TestRun| {
        assert_eq!(result.verdict, Verdict::Pass);
        let text = fs::read_to_string(dir.join("trace")).unwrap_or_default();
        assert!(seen.lock().unwrap().insert((test.index, run, text)));
        fs::rename(dir, kept.path().join(format!("{}-{run}", test.name))).unwrap();
    };
    baseline(&suite, &options(traces.path(), 2), &hook).unwrap();
    let text = || "values traces more\n".to_owned();
    let expected = BTreeSet::from([(0, 0, text()), (0, 1, text()), (1, 0, String::new()), (1, 1, String::new())]);
    assert_eq!(*seen.lock().unwrap(), expected);
    assert_eq!(fs::read_dir(kept.path()).unwrap().count(), 4);
}

#[test]
fn results_do_not_depend_on_jobs() {
    let project = project("pass fail skip crash missing daemon traces", "");
    let suite = project.suite();
    let shape = |result: Baseline| -> Vec<_> {
        let of = |run: &suspect::suite::RunSummary| (run.verdict, run.reason.clone(), run.output, run.leftovers);
        result.tests.iter().map(|test| (test.stability.clone(), test.runs.iter().map(of).collect::<Vec<_>>())).collect()
    };
    let alone = shape(run(&suite, 1));
    assert_eq!(alone[5].1[0].3, 1, "the daemon is counted");
    assert_eq!(alone, shape(run(&suite, 8)));
}

#[test]
fn hanging_test_gets_the_measured_limit_the_second_time() {
    let project = project("pass hang slow", "");
    project.write("suspect.toml", &format!("{}timeout = '1s'\n", project.read("suspect.toml")));
    let started = Instant::now();
    let result = run(&project.suite(), 3);
    assert!(started.elapsed() < Duration::from_secs(15));
    assert_eq!(result.tests[1].verdict(), Some(Verdict::Timeout));
    assert_eq!(result.tests[1].stability, Stability::Stable);
    assert_eq!(result.tests[2].verdict(), Some(Verdict::Pass));
    assert_eq!(result.tests[0].timeout, Duration::from_secs(1), "the suite's own limit");
}

#[test]
fn test_that_is_late_once_is_given_more_time_before_it_is_called_flaky() {
    let project = project("late worse pass", "");
    let suite = project.suite();
    let (traces, calls) = (tempfile::tempdir().unwrap(), Mutex::new(Vec::new()));
    let hook = |test: &Test, run: usize, _: &Path, _: &TestRun| calls.lock().unwrap().push((test.index, run));
    let result = baseline(&suite, &options(traces.path(), 2), &hook).unwrap();
    assert_eq!(result.tests[0].stability, Stability::Stable);
    assert!(result.tests[0].runs[1].wall > Duration::from_secs(2), "beyond the floor of the limit");
    assert_eq!(result.tests[1].stability, Stability::Flaky("pass, timeout".to_owned()));
    let mut calls = calls.into_inner().unwrap();
    calls.sort();
    assert_eq!(calls, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)], "each run is looked at once");
}

#[test]
fn limit_is_five_times_the_measured_time_and_at_least_two_seconds() {
    let ms = Duration::from_millis;
    assert_eq!(timeout_from(vec![]), None);
    assert_eq!(timeout_from(vec![ms(3), ms(5)]), Some(ms(2000)));
    assert_eq!(timeout_from(vec![ms(900), ms(1000)]), Some(ms(5000)));
    // One run of twenty is above the 95th percentile.
    let mut walls = vec![ms(1000); 19];
    walls.push(ms(60_000));
    assert_eq!(timeout_from(walls), Some(ms(5000)));
    let project = project("pass", "");
    assert_eq!(run(&project.suite(), 1).tests[0].timeout, ms(2000));
}

#[test]
fn traces_have_to_have_a_place() {
    let project = project("pass", "");
    let options = options(Path::new("/no/such/directory"), 1);
    let error = baseline(&project.suite(), &options, &|_: &Test, _, _: &Path, _: &TestRun| {}).unwrap_err();
    assert!(matches!(error, SuiteError::Io { .. }));
    assert!(error.to_string().contains("/no/such/directory"), "{error}");
}
