//! Running everything twice: flaky tests, limits from measured times, traces of each run, any number of jobs.

mod suite_common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use suite_common::Project;
use suspect::suite::{
    Baseline, BaselineOptions, Counts, Help, Purpose, Remark, Stability, Suite, SuiteError, Test, TestRun, Verdict,
    Watch, baseline, differing, timeout_from,
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
  traces) [ -d "$SUSPECT_OUT" ] || exit 0; echo "$SUSPECT_RECORD $SUSPECT_TEST $MORE" > "$SUSPECT_OUT/trace" ;;
  daemon) setsid sleep 717.25 > /dev/null & exit 0 ;;
  slow) sleep 0.3 ;;
  late) if [ -e "$here/late" ]; then sleep 3; else touch "$here/late"; fi ;;
  worse) if [ -e "$here/worse" ]; then sleep 30; else touch "$here/worse"; fi ;;
  lies) [ -z "$SUSPECT_OUT" ] ;;
  hides) [ -n "$SUSPECT_OUT" ] ;;
  otherwise) echo "as ${SUSPECT_OUT:+recorded }wrong"; exit 1 ;;
  stack) [ -z "$SUSPECT_OUT" ] || [ "$(ulimit -s)" = unlimited ] || [ "$(ulimit -s)" -gt 65536 ] ;;
  quiet) [ -z "$SUSPECT_OUT" ] || [ -n "$SUSPECT_QUIET" ] ;;
  seesaw) n=$(cat "$here/seesaw" 2>/dev/null || echo 0); echo $((n + 1)) > "$here/seesaw"; [ $n -gt 1 ] ;;
  coin) n=$(cat "$here/coin" 2>/dev/null || echo 0); echo $((n + 1)) > "$here/coin"; [ $((n / 2 % 2)) = 1 ] ;;
  bomb) if [ -e "$here/bomb" ]; then echo off; exit 1; else touch "$here/bomb"; fi ;;
  taken) if [ -e "$here/taken" ]; then echo wrong; exit 1; else touch "$here/taken"; exit 7; fi ;;
  holder) touch "$here/held"; sleep 1; rm "$here/held" ;;
  beside) for i in 1 2 3 4 5; do [ -e "$here/held" ] && { echo held >&2; exit 1; }; sleep 0.1; done; exit ${STATUS:-0} ;;
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
        settled: true,
        known: Vec::new(),
    }
}

fn run(suite: &Suite, jobs: usize) -> Baseline {
    let traces = tempfile::tempdir().unwrap();
    let result =
        baseline(suite, &options(traces.path(), jobs), &|_: &Test, _: usize, _: &Path, _: &TestRun| {}).unwrap();
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
    let result = baseline(&suite, &options, &|_: &Test, _: usize, _: &Path, _: &TestRun| {}).unwrap();
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
    // The limit that nothing says otherwise is two minutes.
    assert!(started.elapsed() < Duration::from_secs(60));
    assert_eq!(result.tests[1].verdict(), Some(Verdict::Timeout));
    assert_eq!(result.tests[1].stability, Stability::Stable);
    assert_eq!(result.tests[2].verdict(), Some(Verdict::Pass));
    assert_eq!(result.tests[0].timeout, Duration::from_secs(1), "the suite's own limit");
}

#[test]
fn a_test_that_hangs_in_its_own_time_does_so_for_less_the_second_time() {
    let project = project("hang", "");
    project.write("suspect.toml", &format!("{}timeout = '4s'\n", project.read("suspect.toml")));
    let result = run(&project.suite(), 2);
    assert_eq!((result.tests[0].verdict(), &result.tests[0].stability), (Some(Verdict::Timeout), &Stability::Stable));
    let reasons: Vec<&str> = result.tests[0].runs.iter().filter_map(|run| run.reason.as_deref()).collect();
    assert_eq!(reasons[0], "did not end within 4.0 s");
    assert_ne!(reasons[0], reasons[1]);
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
fn what_recording_alone_changes_does_not_count() {
    let project = project("lies hides otherwise fail", "");
    let result = run(&project.suite(), 1);
    let plain = |at: usize| match &result.tests[at].stability {
        Stability::Unrecorded(plain) => plain.verdict,
        other => panic!("{other:?}"),
    };
    assert_eq!((plain(0), result.tests[0].runs[0].verdict), (Verdict::Pass, Verdict::Fail));
    assert_eq!((plain(1), result.tests[1].runs[0].verdict), (Verdict::Fail, Verdict::Pass));
    assert_eq!([0, 1].map(|at| result.tests[at].verdict()), [None, None]);
    assert_eq!(result.tests[2].verdict(), Some(Verdict::Fail));
    let Some(Remark::Otherwise(plain)) = &result.tests[2].remark else { panic!("{:?}", result.tests[2]) };
    assert_eq!(plain.reason.as_deref(), Some("exit status 1: as wrong"));
    assert_eq!(result.tests[2].reason(), Some("exit status 1: as recorded wrong"));
    assert_eq!((&result.tests[3].remark, result.tests[3].verdict()), (&None, Some(Verdict::Fail)));
}

#[test]
fn what_a_recorded_program_needs_it_gets_where_that_makes_it_the_plain_one() {
    let project = project("stack quiet pass", "");
    let (traces, seen) = (tempfile::tempdir().unwrap(), Mutex::new(Vec::new()));
    let hook = |test: &Test, run: usize, _: &Path, result: &TestRun| {
        seen.lock().unwrap().push((test.index, run, result.verdict));
    };
    let result = baseline(&project.suite(), &options(traces.path(), 2), &hook).unwrap();
    let remarks: Vec<_> = result.tests.iter().map(|test| (test.verdict(), test.remark.clone())).collect();
    let helped = |help| (Some(Verdict::Pass), Some(Remark::Helped(help)));
    assert_eq!(remarks, [helped(Help::Stack), helped(Help::Quiet), (Some(Verdict::Pass), None)]);
    let last: Vec<_> = seen.into_inner().unwrap().into_iter().rev().take(2).collect();
    assert!(
        last.iter().all(|(.., verdict)| *verdict == Verdict::Pass),
        "the runs with help are looked at last: {last:?}"
    );
    assert_eq!(last.iter().map(|(_, run, _)| *run).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn what_fails_the_same_way_since_something_changed_is_not_flaky() {
    let project = project("bomb pass", "");
    // The kernel's clock of changes ticks at least this often: the project's own files are older than the first run then.
    std::thread::sleep(Duration::from_millis(50));
    for jobs in [1, 2] {
        let _ = fs::remove_file(project.root().join("bomb"));
        let result = run(&project.suite(), jobs);
        assert_eq!(result.tests[0].verdict(), Some(Verdict::Fail));
        assert_eq!(result.tests[0].reason(), Some("exit status 1: off"));
        let Some(Remark::Since { before, since, changed }) = &result.tests[0].remark else {
            panic!("{:?}", result.tests[0])
        };
        assert!(before.verdict == Verdict::Pass && before.began < *since);
        assert_eq!(changed, &[Path::new("bomb")]);
    }
}

#[test]
fn what_fails_twice_by_chance_does_not_count() {
    let project = project("seesaw coin pass", "");
    let flaky = |text: &str| Stability::Flaky(text.to_owned());
    let result = run(&project.suite(), 1);
    assert_eq!(result.tests[0].stability, flaky("fail, fail, pass, pass"));
    assert_eq!(result.tests[1].stability, flaky("fail, fail, pass, pass"));
    fs::write(project.root().join("coin"), "0").unwrap();
    assert_eq!(run(&project.suite(), 2).tests[1].stability, flaky("fail, fail, fail, fail, pass"), "also alone");
}

#[test]
fn what_fails_beside_others_counts_as_it_ends_alone() {
    let project = project("holder beside", "");
    let ends = |jobs| {
        let result = run(&project.suite(), jobs);
        let remark = result.tests[1].remark.clone().map(|remark| match remark {
            Remark::Beside { run, times } => (run.reason.unwrap_or_default(), times),
            other => panic!("{other:?}"),
        });
        (result.tests[1].verdict(), result.tests[1].stability.clone(), remark)
    };
    let beside = |verdict| (Some(verdict), Stability::Stable, Some(("exit status 1: held".to_owned(), (2, 2))));
    assert_eq!(ends(2), beside(Verdict::Pass));
    assert_eq!(ends(1), (Some(Verdict::Pass), Stability::Stable, None));
    let config = project.read("suspect.toml");
    project.write("suspect.toml", &format!("{config}env = {{ STATUS = '3' }}\n"));
    assert_eq!(ends(2), beside(Verdict::Fail), "fails otherwise alone");
    for apart in ["alone = ['bes*']", "alone = true", "needs = ['held']", "needs = { held = ['holder', 'beside'] }"] {
        project.write("suspect.toml", &format!("{config}{apart}\n"));
        assert_eq!(ends(2), (Some(Verdict::Pass), Stability::Stable, None), "{apart}");
    }
}

#[test]
fn what_fails_otherwise_beside_others_now_and_then_counts_as_it_fails_alone() {
    let project = project("taken pass", "");
    let result = run(&project.suite(), 2);
    assert_eq!(result.tests[0].verdict(), Some(Verdict::Fail));
    assert_eq!(result.tests[0].reason(), Some("exit status 1: wrong"));
    assert_eq!(result.tests[0].runs.len(), 3);
    assert_eq!(result.tests[0].stability, Stability::Stable);
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
    let error = baseline(&project.suite(), &options, &|_: &Test, _: usize, _: &Path, _: &TestRun| {}).unwrap_err();
    assert!(matches!(error, SuiteError::Io { .. }));
    assert!(error.to_string().contains("/no/such/directory"), "{error}");
}

#[test]
fn each_run_is_said_to_begin_with_what_it_is_for() {
    struct Seen(Mutex<Vec<(usize, Purpose)>>, Mutex<Vec<usize>>);
    impl Watch for Seen {
        fn ended(&self, test: &Test, _: usize, _: &Path, _: &TestRun) {
            self.1.lock().unwrap().push(test.index);
        }
        fn begins(&self, test: &Test, purpose: Purpose) {
            self.0.lock().unwrap().push((test.index, purpose));
        }
    }
    let project = project("pass fail", "");
    let suite = project.suite();
    let (traces, seen) = (tempfile::tempdir().unwrap(), Seen(Mutex::default(), Mutex::default()));
    let options = options(traces.path(), 1);
    let known = baseline(&suite, &options, &seen).unwrap();
    let n_of = |purpose, test| seen.0.lock().unwrap().iter().filter(|one| **one == (test, purpose)).count();
    assert_eq!((n_of(Purpose::Record, 0), n_of(Purpose::Record, 1)), (2, 2));
    assert!(n_of(Purpose::Settle, 0) > 0 && n_of(Purpose::Settle, 1) > 0, "each verdict is of the plain program, too");
    differing(&suite, &options, Mode::Trace, &known, &[1], Duration::MAX, &seen).unwrap();
    assert_eq!((n_of(Purpose::Compare, 0), n_of(Purpose::Compare, 1)), (0, 1));
    differing(&suite, &options, Mode::Trace, &known, &[0, 1], Duration::ZERO, &seen).unwrap();
    let compared = (n_of(Purpose::Compare, 0), n_of(Purpose::Compare, 1));
    assert_eq!(compared, (0, 2), "tests that pass are left out where that takes too long");
    assert_eq!(*seen.1.lock().unwrap(), [0, 1, 0, 1], "only what is recorded is looked at");
}
