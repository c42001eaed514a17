//! Evidence on made-up trials whose answers can be worked out by hand.

mod earlier;
mod unseen;
mod words;

use proptest::prelude::*;

use super::*;
use crate::mutant::Class;
use crate::program::{Block, Function, Line, Place, Program};
use crate::source::Warning;
use crate::spectra::CoverageMatrix;
use crate::trial::{End, Mutant};

/// A function of `n` lines, each a block of its own but for the last two.
fn program(n: u32) -> Program {
    let mut blocks: Vec<Block> =
        (0..n - 1).map(|line| Block { function: 0, pieces: 0..0, lines: vec![line] }).collect();
    if let Some(last) = blocks.last_mut() {
        last.lines.push(n - 1);
    }
    Program {
        files: vec!["a.c".into()],
        functions: vec![Function {
            name: "f".into(),
            unit: 0,
            place: Place { file: 0, line: 1, column: 1 },
            last_line: n,
            external: true,
            content_hash: 0,
            blocks: 0..n - 1,
            pieces: 0..0,
            edges: 0..0,
            nodes: 0..0,
            compounds: 0..0,
            operations: 0..0,
            variables: Vec::new(),
        }],
        blocks,
        lines: (1..=n).map(|line| Line { file: 0, line }).collect(),
        ..Program::default()
    }
}

/// Coverage of all lines by all tests.
fn everywhere(n_lines: u32, failed: &[bool]) -> CoverageMatrix {
    let rows: Vec<(Vec<u32>, bool)> = failed.iter().map(|failed| ((0..n_lines).collect(), *failed)).collect();
    CoverageMatrix::from_units(n_lines as usize, &rows)
}

fn tests_of(failed: &[bool]) -> Vec<TriedTest> {
    (0..).zip(failed).map(|(test, &failed)| TriedTest { test, failed, matched: Some(10), further: false }).collect()
}

fn candidate(id: u64, kind: Kind, line: u32) -> Candidate {
    let mutant = Mutant { overrides: Box::new([]) };
    let (original, replacement) = ("1".to_string(), "2".to_string());
    Candidate { id, kind, line, node: None, instances: Box::new([]), mutant, original, replacement, edit: None }
}

fn outcome(effect: Effect) -> Outcome {
    Outcome { effect, end: End::Exited(0), matched: None }
}

/// Trials from a row of letters for each candidate, a letter for each test: `s`ame, `u`nchanged, `c`hanged, `t`urned, `h`ushed, failed `e`arlier or `l`ater, `?` unknown, `.` not tried.
fn trials(failed: &[bool], candidates: &[(Kind, u32, &str)]) -> Trials {
    let mut trials = Trials::new(tests_of(failed));
    for (id, (kind, line, letters)) in candidates.iter().enumerate() {
        let at = trials.add(candidate(id as u64, *kind, *line));
        for (test, letter) in (0..).zip(letters.chars()) {
            let effect = match letter {
                's' => Effect::Same,
                'u' => Effect::Unchanged,
                'c' => Effect::Changed,
                't' => Effect::Turned,
                'e' => Effect::Earlier,
                'l' => Effect::Later,
                'h' => Effect::Silenced,
                '?' => Effect::Unknown,
                _ => continue,
            };
            trials.set(at, test, outcome(effect));
        }
    }
    trials
}

const FAILED: [bool; 5] = [true, true, false, false, false];
const ADD: Kind = Kind::Operation(Class::Aor);

/// Two failing and three passing tests; mutants on the first three of four lines.
fn example() -> Trials {
    trials(
        &FAILED,
        &[(ADD, 0, "ttsuu"), (Kind::Value, 0, "csttc"), (Kind::Value, 1, "tsucs"), (Kind::Predicate, 2, "susus")],
    )
}

#[test]
fn trials_are_counted_once_however_often_they_are_told() {
    let mut trials = trials(&FAILED, &[(ADD, 0, "hhsuu"), (Kind::Value, 0, "c.t.c")]);
    assert_eq!((trials.len(), trials.is_empty()), (8, false));
    trials.set(0, 0, outcome(Effect::Changed));
    // This one takes back what silenced the first test.
    trials.set(1, 1, outcome(Effect::Turned));
    let each = (0..2).map(|candidate| trials.outcomes(candidate).len());
    assert_eq!((trials.len(), each.sum()), (9, 9));
}

fn scores(criterion: Criterion, trials: &Trials) -> Vec<Option<f64>> {
    let failed: Vec<bool> = trials.tests().iter().map(|test| test.failed).collect();
    let (program, coverage) = (program(4), everywhere(4, &failed));
    let tests: Vec<u32> = (0..failed.len() as u32).collect();
    criterion.scores(&LineFacts::new(&program, &coverage, &tests), trials).lines
}

fn is_close(found: &[Option<f64>], expected: &[Option<f64>]) {
    let close = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-12,
        (a, b) => a == b,
    };
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(close), "{found:?} is not {expected:?}");
}

#[test]
fn metallaxis_is_the_best_mutants_ochiai() {
    // 2 / sqrt(2 * 2); 1 / sqrt(2 * (1 + 1)); the other mutant of the first line: 1 / sqrt(2 * (1 + 3)).
    is_close(&scores(Criterion::Metallaxis, &example()), &[Some(1.0), Some(0.5), Some(0.0), None]);
    let values = [Some(1.0 / 8.0f64.sqrt()), Some(0.5), None, None];
    is_close(&scores(Criterion::MetallaxisValues, &example()), &values);
}

#[test]
fn muse_weighs_breaks_by_what_is_usual() {
    // f2p = 3 of 4 mutants * 2 tests, p2f = 2 of 4 mutants * 3 tests: alpha = 3/8 * 12/2 = 2.25.
    // First line: (2/2 + (0 - 2.25 * 2/3)) / 2; second: 1/2.
    is_close(&scores(Criterion::Muse, &example()), &[Some(-0.25), Some(0.5), Some(0.0), None]);
    // Values alone: f2p = 1, p2f = 2, alpha = 1/4 * 6/2 = 0.75: the first line has -0.75 * 2/3.
    is_close(&scores(Criterion::MuseValues, &example()), &[Some(-0.5), Some(0.5), None, None]);
}

#[test]
fn flips_repairs_and_replaced_values_are_counted() {
    is_close(&scores(Criterion::Flip, &example()), &[Some(1.0), Some(0.5), Some(0.0), None]);
    is_close(&scores(Criterion::FlipShare, &example()), &[Some(0.5), Some(1.0), Some(0.0), None]);
    is_close(&scores(Criterion::Repair, &example()), &[Some(1.0), Some(0.0), Some(0.0), None]);
    is_close(&scores(Criterion::ValueReplacement, &example()), &[Some(0.0), Some(1.0), None, None]);
    is_close(&scores(Criterion::PredicateSwitching, &example()), &[None, None, Some(0.0), None]);
    let breaking = trials(&FAILED, &[(ADD, 0, "tttss"), (ADD, 1, "tcsss")]);
    is_close(&scores(Criterion::Repair, &breaking), &[Some(2.0 / 3.0), Some(0.0), None, None]);
}

#[test]
fn a_condition_is_critical_if_one_execution_decides() {
    let mut switched = trials(&FAILED, &[]);
    for (line, instances) in [(0, vec![3]), (1, vec![1, 2])] {
        let at = switched.add(Candidate { instances: instances.into(), ..candidate(line, Kind::Switch, line as u32) });
        switched.set(at, 1, outcome(Effect::Turned));
    }
    is_close(&scores(Criterion::PredicateSwitching, &switched), &[Some(1.0), None, None, None]);
}

#[test]
fn what_was_not_tried_on_passing_tests_counts_as_coverage_does() {
    // Nothing is known of passing tests: as Ochiai of a line that all tests execute, 2 / sqrt(2 * 5).
    let failing_alone = trials(&FAILED, &[(ADD, 0, "tc..."), (ADD, 1, "us...")]);
    is_close(&scores(Criterion::Metallaxis, &failing_alone), &[Some(2.0 / 10.0f64.sqrt()), Some(0.0), None, None]);
    // One of two trials on passing tests was noticed: (1 + 1) / (2 + 1) is the mean share. The first candidate's third passing test counts
    // (1 + 2/3) / 3, the second's three count 2/3 each.
    let partial = trials(&FAILED, &[(ADD, 0, "tccu?"), (ADD, 1, "tc...")]);
    let of = |passed: f64| Some(2.0 / (2.0 * (2.0 + passed)).sqrt());
    is_close(&scores(Criterion::Metallaxis, &partial), &[of(1.0 + 5.0 / 9.0), of(2.0), None, None]);
}

#[test]
fn tests_that_do_not_execute_a_line_do_not_count_against_it() {
    let program = program(4);
    let coverage = CoverageMatrix::from_units(
        4,
        &[(vec![0, 1], true), (vec![0, 1], true), (vec![1], false), (vec![1], false), (vec![], false)],
    );
    let facts = LineFacts::new(&program, &coverage, &[0, 1, 2, 3, 4]);
    let found = Criterion::Metallaxis.scores(&facts, &trials(&FAILED, &[(ADD, 0, "cc..."), (ADD, 1, "cc...")]));
    is_close(&found.lines, &[Some(1.0), Some(2.0 / 8.0f64.sqrt()), None, None]);
    assert_eq!((found.candidates, found.partial), (2, 1));
}

fn portrait(trials: &Trials, n_lines: u32) -> Portrait {
    let failed: Vec<bool> = trials.tests().iter().map(|test| test.failed).collect();
    let (program, coverage) = (program(n_lines), everywhere(n_lines, &failed));
    let tests: Vec<u32> = (0..failed.len() as u32).collect();
    Portrait::new(&LineFacts::new(&program, &coverage, &tests), trials)
}

#[test]
fn repairs_by_code_are_told_from_repairs_by_values() {
    let found =
        portrait(&trials(&FAILED, &[(ADD, 0, "tttss"), (Kind::Value, 0, "ttsss"), (Kind::Predicate, 1, "ttsts")]), 3);
    let repairs = |at: usize| {
        let features = &found.features[at];
        [features.repair, features.repair_code, features.repair_value]
    };
    // An edit breaks one of three passing tests, a value none.
    assert_eq!(repairs(0), [1.0, 1.0 - 1.0 / 3.0, 1.0]);
    assert_eq!((repairs(1), repairs(2)), ([1.0 - 1.0 / 3.0, 0.0, 1.0 - 1.0 / 3.0], [0.0; 3]));
}

#[test]
fn another_function_or_a_guard_says_less_than_another_operator() {
    let [function, member, guard] = [Class::Cfr, Class::Mrr, Class::Vgi].map(Kind::Operation);
    let mends = [(function, 0, "ttsss"), (member, 1, "ttsss"), (ADD, 2, "ttsss"), (guard, 3, "ttsss")];
    let found = portrait(&trials(&FAILED, &mends), 4);
    let repairs: Vec<f64> = found.features.iter().map(|features| features.repair_code).collect();
    assert_eq!(repairs, [0.5, 0.5, 1.0, 0.5]);
    assert_eq!(found.features[0].repair, 1.0, "what it keeps is what it keeps");
}

#[test]
fn last_resorts_count_only_where_they_break_nothing_and_nothing_else_repairs() {
    const STEP: Kind = Kind::Operation(Class::Sti);
    let of = |candidates: &[(Kind, u32, &str)]| {
        let features = portrait(&trials(&FAILED, candidates), 4).features;
        features.iter().map(|features| (features.flip, features.repair, features.last_repair)).collect::<Vec<_>>()
    };
    let alone = of(&[(STEP, 0, "ttuuu"), (Kind::Constant, 1, "ttutu"), (ADD, 2, "tcuuu")]);
    assert_eq!(alone[..3], [(1.0, 1.0, 1.0), (0.0, 0.0, 1.0 - 1.0 / 3.0), (1.0, 0.0, 0.0)]);
    let beside_a_repair = of(&[(STEP, 0, "ttuuu"), (Kind::Constant, 1, "ttuuu"), (ADD, 2, "ttuuu")]);
    assert_eq!(beside_a_repair[..3], [(0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (1.0, 1.0, 0.0)]);
    // What is counted for the user leaves nothing out.
    let program = program(4);
    let trials = trials(&FAILED, &[(STEP, 0, "ttuuu"), (ADD, 2, "ttuuu")]);
    let (coverage, tests) = (everywhere(4, &FAILED), [0, 1, 2, 3, 4]);
    let tallies = Tallies::new(&LineFacts::new(&program, &coverage, &tests), &trials, |_| true);
    assert_eq!((tallies.of(0).failing.turned, tallies.came_out(0).failing.turned), (0, 2));
}

#[test]
fn a_repair_repairs_further_tests_too_and_breaks_none() {
    // A failing and a passing test, then the same as further ones, then two further passing ones.
    let failed = [true, false, true, false, false, false];
    let repair = |letters: &str| {
        let known = trials(&failed, &[(ADD, 0, letters), (ADD, 1, "cu....")]);
        let tests = (0..).zip(known.tests()).map(|(at, test)| TriedTest { further: at > 1, ..*test });
        let mut all = Trials::new(tests.collect());
        for (at, candidate) in (0..).zip(known.candidates()) {
            all.add(candidate.clone());
            known.outcomes(at).iter().for_each(|(test, outcome)| all.set(at, *test, *outcome));
        }
        let found = portrait(&all, 3);
        assert_eq!((found.features[0].flip_tests, found.features[1].repair), (1.0, 0.0), "{letters}");
        found.features[0].repair
    };
    assert_eq!([repair("tutuuu"), repair("tutuu."), repair("tu...."), repair("tut?us")], [1.0; 4]);
    // Another failing test does not pass, a further one breaks.
    assert_eq!([repair("tucuuu"), repair("tutuut")], [0.0; 2]);
}

#[test]
fn a_test_that_nothing_can_be_tried_on_is_none_that_a_repair_leaves_failing() {
    let mut all = trials(&FAILED, &[(ADD, 0, "t.uuu"), (ADD, 1, "c.uuu")]);
    let repair =
        |trials: &Trials| portrait(trials, 3).features.iter().map(|features| features.repair).collect::<Vec<_>>();
    assert_eq!(repair(&all), [0.0; 3], "the other failing test may fail still");
    all.set_unusable([1].into());
    assert_eq!(repair(&all), [1.0, 0.0, 0.0]);
    assert_eq!(portrait(&all, 3).features[0].flip_tests, 1.0);
}

#[test]
fn values_that_failing_tests_alone_notice_come_first_by_the_direct_estimate() {
    let mut values = trials(&FAILED, &[]);
    // Two nodes on the first line, one on the second; failing tests first. Trials on failing tests less those on passing ones that are noticed:
    // 1 - 3/3, 1/2 - 0, and (1 + 0) / 2 - (0 + 1/3) / 2.
    for (line, node, letters) in [(0, 0, "ccccc"), (0, 1, "csuss"), (1, 2, "ccsss"), (1, 2, "sscss")] {
        let id = values.candidates().len() as u64;
        let at = values.add(Candidate { node: Some(node), ..candidate(id, Kind::Value, line) });
        for (test, letter) in (0..).zip(letters.chars()) {
            let effect = if letter == 'c' { Effect::Changed } else { Effect::Unchanged };
            values.set(at, test, outcome(effect));
        }
    }
    let found = portrait(&values, 3);
    let ranks: Vec<f64> = found.features.iter().map(|features| features.direct_rank).collect();
    assert_eq!(ranks, [0.0, -(2.0f64.ln()), -(3.0f64.ln())]);
}

#[test]
fn what_flips_around_a_line_speaks_for_it() {
    let found = portrait(&trials(&FAILED, &[(ADD, 1, "ttsss"), (ADD, 4, "tssss"), (ADD, 6, "sssss")]), 9);
    let of = |value: fn(&Features) -> f64| found.features.iter().map(value).collect::<Vec<f64>>();
    // The second line flips both failing tests, the fifth one of them.
    assert_eq!(of(|features| features.flip_before)[..7], [0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.0]);
    let near = [0.5 / 4.0, 0.5 / 3.0, 0.5 / 2.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0, 0.5 / 2.0, 0.5 / 3.0, 0.5 / 4.0];
    assert_eq!(of(|features| features.flip_near), near);
    // Everything turned and nothing broken: 1; one of two: 1 / sqrt(2).
    let turning = of(|features| features.turning_function);
    let second = 1.0 / 2.0f64.sqrt();
    assert!((turning[0] - 1.0).abs() < 1e-9 && (turning[1] - second).abs() < 1e-9 && (turning[4] - 1.0).abs() < 1e-9);
    assert_eq!(of(|features| features.flip_function), [2.0 / 9.0; 9]);
}

fn posterior(trials: &Trials, n_lines: u32) -> Posterior {
    let failed: Vec<bool> = trials.tests().iter().map(|test| test.failed).collect();
    let (program, coverage) = (program(n_lines), everywhere(n_lines, &failed));
    let tests: Vec<u32> = (0..failed.len() as u32).collect();
    Posterior::new(&LineFacts::new(&program, &coverage, &tests), trials)
}

#[test]
fn a_repair_is_likelier_than_a_flip_and_a_flip_than_nothing() {
    let found = posterior(&example(), 4);
    assert_eq!(found.order[..2], [0, 1]);
    assert!(found.lines[1] > found.lines[2], "{:?}", found.lines);
    assert!((found.lines.iter().sum::<f64>() + found.elsewhere - 1.0).abs() < 1e-9);
    assert!((found.within(4) - (1.0 - ELSEWHERE)).abs() < 1e-9 && found.within(1) == found.lines[0]);
}

#[test]
fn without_trials_coverage_decides() {
    let program = program(3);
    let coverage = CoverageMatrix::from_units(3, &[(vec![0, 1], true), (vec![1], false), (vec![2], false)]);
    let facts = LineFacts::new(&program, &coverage, &[0, 1, 2]);
    let found = Posterior::new(&facts, &Trials::new(tests_of(&[true, false, false])));
    assert_eq!((found.order.as_slice(), found.lines[2]), (&[0, 1][..], 0.0));
    let none = Posterior::new(&facts, &Trials::default());
    assert_eq!(none.order, [0, 1]);
    let passing = CoverageMatrix::from_units(3, &[(vec![0, 1], false)]);
    let nothing = Posterior::new(&LineFacts::new(&program, &passing, &[0]), &Trials::default());
    assert_eq!((nothing.order.len(), nothing.elsewhere), (0, 1.0));
}

#[test]
fn lines_that_nobody_would_mend_are_never_in_question() {
    let program = program(4);
    let coverage = everywhere(4, &FAILED);
    let facts = LineFacts::new(&program, &coverage, &[0, 1, 2, 3, 4]).without(&[0]);
    let found = Posterior::new(&facts, &example());
    assert_eq!((found.lines[0], found.order.len()), (0.0, 3));
    assert!(!Portrait::of_failing(&facts, &example(), &[1]).lines.contains(&0));
}

#[test]
fn lines_on_proved_chains_gain_a_bounded_factor_of_odds() {
    let program = program(9);
    let coverage = everywhere(9, &FAILED);
    let facts = || LineFacts::new(&program, &coverage, &[0, 1, 2, 3, 4]);
    let plain = Posterior::new(&facts(), &example());
    let gain = |chain: &[u32]| {
        let found = Posterior::new(&facts().with_chains(chain), &example());
        assert!((found.lines.iter().sum::<f64>() - plain.lines.iter().sum::<f64>()).abs() < 1e-9);
        let odds = |posterior: &Posterior| posterior.lines[3] / posterior.lines[8];
        odds(&found) / odds(&plain)
    };
    assert!((gain(&[3]) - 1.5).abs() < 1e-9, "8 to 1, but no more than 1.5");
    assert!((gain(&[1, 2, 3, 4]) - 5.0 / 4.0).abs() < 1e-9);
    assert!((gain(&[0, 1, 2, 3, 4, 5]) - 1.0).abs() < 1e-9, "most of the lines tell nothing");
    assert!((gain(&[]) - 1.0).abs() < 1e-9);
}

#[test]
fn functions_that_read_what_nothing_was_assigned_to_have_half_of_the_probability_or_more() {
    let program = program(9);
    let coverage = everywhere(9, &FAILED);
    let facts = LineFacts::new(&program, &coverage, &[0, 1, 2, 3, 4]);
    let plain = Posterior::new(&facts, &example());
    let sum: f64 = plain.lines.iter().sum();
    let with = |lines: &[u32], share: f64| {
        let mut trials = example();
        trials.set_readers(lines.iter().copied().collect(), share);
        let found = Posterior::new(&facts, &trials);
        assert!((found.lines.iter().sum::<f64>() - sum).abs() < 1e-9);
        assert!(
            (found.lines[3] * plain.lines[4] - found.lines[4] * plain.lines[3]).abs() < 1e-9,
            "alike among themselves"
        );
        (found.lines[3] + found.lines[4]) / sum
    };
    assert!((plain.lines[3] + plain.lines[4]) / sum < 0.2);
    assert!((with(&[3, 4], 1.0) - 0.5).abs() < 1e-9);
    assert!((with(&[3, 4], 0.5) - 0.25).abs() < 1e-9, "half of the tests fail for another reason");
    let all: Vec<u32> = (0..9).collect();
    assert_eq!(with(&all, 1.0), (plain.lines[3] + plain.lines[4]) / sum, "they have more already");
    assert_eq!(with(&[], 0.0), (plain.lines[3] + plain.lines[4]) / sum);
}

#[test]
fn where_all_flips_or_nothing_does_lines_without_a_difference_are_equal() {
    for letters in ["tsss", "cccc", "ssss", "tttt"] {
        let same: Vec<(Kind, u32, &str)> = (0..14).map(|line| (ADD, line, letters)).collect();
        let found = posterior(&trials(&[true, false, false, false], &same), 14);
        // These two have the same lines around them, as far as that counts.
        assert!((found.lines[5] - found.lines[6]).abs() < 1e-9 && found.lines[5] > 0.0, "{letters}: {:?}", found.lines);
    }
}

#[test]
fn tests_that_fail_for_two_reasons_are_told_apart_and_take_turns() {
    let failed = [true, true, true, false];
    // Line 0 flips the first two tests and line 1 follows it; line 3 flips the third.
    let two = trials(&failed, &[(ADD, 0, "ttss"), (ADD, 1, "ttts"), (ADD, 3, "sstt")]);
    assert_eq!(posterior(&two, 5).clusters, [[0, 1, 2]]);
    let two = trials(&failed, &[(ADD, 0, "ttss"), (ADD, 1, "ttst"), (ADD, 3, "sstt")]);
    let found = posterior(&two, 5);
    assert_eq!(found.clusters, [vec![0, 1], vec![2]]);
    assert_eq!(found.order[..2], [0, 3], "{:?}", found.lines);
    assert!((found.lines.iter().sum::<f64>() + found.elsewhere - 1.0).abs() < 1e-9);
}

#[test]
fn a_cleared_line_leaves_less_to_its_group_of_tests() {
    // Lines 0 and 1 flip the first three tests, line 3 flips the fourth.
    let failed = [true, true, true, true, false];
    let found = posterior(&trials(&failed, &[(ADD, 0, "tttss"), (ADD, 1, "tttss"), (ADD, 3, "sssts")]), 5);
    assert_eq!(found.clusters, [vec![0, 1, 2], vec![3]]);
    assert!(found.lines[1] > found.lines[3], "by probability line 1 is before line 3: {:?}", found.lines);
    assert_eq!(found.order[..3], [0, 3, 1], "line 0 explains what line 1 does");
}

#[test]
fn failing_tests_that_nothing_was_tried_on_join_those_whose_coverage_is_most_like_theirs() {
    let program = program(5);
    let rows = [
        (vec![0, 1], true),
        (vec![0, 3], true),
        (vec![0, 1, 2, 3], false),
        (vec![0, 1, 2], true),
        (vec![0, 2, 3], true),
    ];
    let coverage = CoverageMatrix::from_units(5, &rows);
    let facts = LineFacts::new(&program, &coverage, &[0, 1, 2, 3, 4]);
    let failed = [true, true, false];
    let two = trials(&failed, &[(ADD, 1, "tss"), (ADD, 3, "sts")]);
    assert_eq!(failing_groups(&facts, &two, &[vec![0], vec![1]], &[0, 1, 3, 4]), [[0, 3], [1, 4]]);
    let none = trials(&failed, &[(ADD, 1, "sss")]);
    assert!(failing_groups(&facts, &none, &[vec![0, 1]], &[0, 1, 3, 4]).is_empty(), "nothing tells them apart");
}

fn arbitrary() -> impl Strategy<Value = Vec<(Kind, u32, String)>> {
    let kinds = prop::sample::select(vec![Kind::Value, Kind::Pointer, Kind::Predicate, Kind::Switch, ADD, Kind::Call]);
    prop::collection::vec((kinds, 0u32..6, "[suct?.]{6}"), 0..12)
}

const MIXED: [bool; 6] = [true, false, true, false, true, false];

proptest! {
    #[test]
    fn probabilities_sum_to_one_and_do_not_depend_on_the_order_of_candidates(given in arbitrary(), by in 0usize..12) {
        let named = |given: &[(Kind, u32, String)]| {
            let each: Vec<(Kind, u32, &str)> = given.iter().map(|(kind, line, letters)| (*kind, *line, letters.as_str())).collect();
            trials(&MIXED, &each)
        };
        let found = posterior(&named(&given), 6);
        let sum: f64 = found.lines.iter().sum();
        prop_assert!((sum + found.elsewhere - 1.0).abs() < 1e-9 && found.lines.iter().all(|p| (0.0..=1.0).contains(p)));
        prop_assert_eq!(&found, &posterior(&named(&given), 6));
        let mut turned = given.clone();
        turned.rotate_left(by % given.len().max(1));
        let other = posterior(&named(&turned), 6);
        let close = found.lines.iter().zip(&other.lines).all(|(a, b)| (a - b).abs() < 1e-12);
        prop_assert!(close, "{:?} is not {:?}", found.lines, other.lines);
        for criterion in Criterion::ALL {
            let failed = MIXED;
            let (program, coverage) = (program(6), everywhere(6, &failed));
            let facts = LineFacts::new(&program, &coverage, &[0, 1, 2, 3, 4, 5]);
            let (a, b) = (criterion.scores(&facts, &named(&given)), criterion.scores(&facts, &named(&turned)));
            is_close(&a.lines, &b.lines);
        }
    }

    /// Trials of which nothing can be said, and candidates that were never tried, change nothing.
    #[test]
    fn trials_of_nothing_change_nothing(given in arbitrary()) {
        let known: Vec<(Kind, u32, &str)> = given.iter().map(|(kind, line, letters)| (*kind, *line, letters.as_str())).collect();
        let blind: Vec<(Kind, u32, String)> =
            given.iter().map(|(kind, line, letters)| (*kind, *line, letters.replace('.', "?"))).collect();
        let mut more: Vec<(Kind, u32, &str)> = blind.iter().map(|(kind, line, letters)| (*kind, *line, letters.as_str())).collect();
        more.push((Kind::Value, 2, "......"));
        prop_assert_eq!(posterior(&trials(&MIXED, &known), 6), posterior(&trials(&MIXED, &more), 6));
    }
}

#[test]
fn a_warning_speaks_for_its_line_and_less_for_those_beside_it() {
    let warning = |line, option: &str| Warning {
        file: "a.c".into(),
        line,
        option: option.into(),
        message: format!("odd in {line}"),
    };
    let (mut program, coverage) = (program(12), everywhere(12, &[true, false]));
    let grounded = |program: &Program, warnings: &[Warning]| {
        let facts = LineFacts::new(program, &coverage, &[0, 1]).with_warnings(program, warnings.to_vec(), |_| false);
        let features = Portrait::new(&facts, &Trials::default()).features;
        let thousandths = |value: f64| (value * 1000.0).round() as u32;
        let rarest = warnings.iter().filter(|of| of.file == "a.c" && of.line <= 16).count().min(1) as u32;
        assert!(features.iter().all(|of| of.warned_function == f64::from(rarest)));
        features.iter().map(|of| (thousandths(of.warned), thousandths(of.warned_near))).collect::<Vec<_>>()
    };
    // Alone of its kind in line 6; twice of a kind in lines 6 and 11.
    let found = grounded(&program, &[warning(6, "-Wa"), warning(6, "-Wb"), warning(11, "-Wb")]);
    let near = |all: &[u32]| all.iter().map(|value| (0, *value)).collect::<Vec<_>>();
    assert_eq!(found[..5], near(&[0, 250, 333, 500, 1000])[..]);
    assert_eq!(found[5..10], [(1000, 1000), (0, 1000), (0, 500), (0, 333), (0, 500)]);
    assert_eq!(found[10..], [(500, 500), (0, 500)]);
    // Where no code stands it is beside it; elsewhere it is of no line.
    program.lines[5..].iter_mut().for_each(|line| line.line += 1);
    let found = grounded(&program, &[warning(6, "-Wa")]);
    assert_eq!(found[3..7], near(&[500, 1000, 1000, 500])[..]);
    let elsewhere = Warning { file: "b.c".into(), ..warning(6, "-Wa") };
    assert!(grounded(&program, &[elsewhere, warning(17, "-Wa")]).iter().all(|of| *of == (0, 0)));
    // Of a parameter it is of no line, and of one of main's or of a callback's of nothing.
    let parameter = [warning(6, "-Wunused-parameter")];
    assert!(grounded(&program, &parameter).iter().all(|of| *of == (0, 0)));
    let main = Program {
        functions: vec![Function { name: "main".into(), ..program.functions[0].clone() }],
        ..program.clone()
    };
    let own = program.functions[0].name.as_str();
    for (program, is_callback) in [(&main, false), (&program, true)] {
        let facts = LineFacts::new(program, &coverage, &[0, 1]);
        let facts = facts.with_warnings(program, parameter.to_vec(), |name| is_callback && name == own);
        assert!(facts.warnings().is_empty() && facts.warned_function(3).is_none());
    }
    // The brace after the last line of code.
    assert_eq!(grounded(&program, &[warning(14, "-Wa")])[9..], near(&[333, 500, 1000]));
}
