//! What counts for nothing, and what counts because it was not tried.

use proptest::prelude::*;

use super::super::*;
use super::{ADD, FAILED, everywhere, program, trials};
use crate::mutant::Class;
use crate::program::Block;
use crate::spectra::CoverageMatrix;

const STEP: Kind = Kind::Operation(Class::Sti);
const TESTS: [u32; 5] = [0, 1, 2, 3, 4];

/// Letters of one candidate's outcomes on [`FAILED`].
fn letters() -> impl Strategy<Value = String> {
    "[suct.]{5}"
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(ADD), Just(STEP), Just(Kind::Constant), Just(Kind::Value), Just(Kind::Predicate)]
}

/// Candidates on some lines.
fn rows(lines: std::ops::Range<u32>) -> impl Strategy<Value = Vec<(Kind, u32, String)>> {
    prop::collection::vec((kinds(), lines, letters()), 0..8)
}

fn as_trials(rows: &[(Kind, u32, String)]) -> Trials {
    let rows: Vec<(Kind, u32, &str)> = rows.iter().map(|(kind, line, row)| (*kind, *line, row.as_str())).collect();
    trials(&FAILED, &rows)
}

#[test]
fn a_repair_in_trusted_code_does_not_unsay_a_last_resort() {
    let (program, coverage) = (program(6), everywhere(6, &FAILED));
    let facts = LineFacts::new(&program, &coverage, &TESTS).without(&[5]);
    let own = [(STEP, 2, "ttuuu".to_owned()), (ADD, 1, "ccuuu".to_owned())];
    let more = [&own[..], &vec![(ADD, 5, "ttuuu".to_owned()); 10]].concat();
    let of = |rows: &[(Kind, u32, String)]| Posterior::new(&facts, &as_trials(rows));
    assert_eq!(of(&own), of(&more));
    assert!(of(&more).lines[2] > of(&own[1..]).lines[2]);
}

#[test]
fn what_silences_a_test_turns_it_only_as_long_as_nothing_else_does() {
    let effects = |rows: &[(Kind, u32, &str)]| {
        let trials = trials(&FAILED, rows);
        let of = |at: u32| trials.outcomes(at).iter().map(|(_, outcome)| outcome.effect).collect::<Vec<_>>();
        (0..rows.len() as u32).map(of).collect::<Vec<_>>()
    };
    use Effect::{Changed, Silenced, Turned};
    let (hushed, mended) = ((ADD, 0, "hc"), (ADD, 1, "tc"));
    assert_eq!(effects(&[hushed]), [vec![Turned, Changed]]);
    let both = [vec![Silenced, Changed], vec![Turned, Changed]];
    assert_eq!(effects(&[hushed, mended]), both);
    assert_eq!(effects(&[mended, hushed]), [both[1].clone(), both[0].clone()], "in whichever order");
    assert_eq!(effects(&[hushed, (ADD, 1, "ct")])[0], [Turned, Changed], "another test is turned");
}

#[test]
fn a_line_alone_in_its_function_has_the_neighbours_that_are_usual() {
    let mut program = program(6);
    if let Some(last) = program.blocks.last_mut() {
        last.lines = vec![4];
    }
    program.blocks.push(Block { function: 1, pieces: 0..0, lines: vec![5] });
    let coverage = everywhere(6, &FAILED);
    let facts = LineFacts::new(&program, &coverage, &TESTS);
    let given = [(ADD, 1, "ttsss"), (ADD, 2, "ttsss"), (ADD, 3, "ccsss"), (ADD, 5, "ttsss")];
    let of = Portrait::new(&facts, &trials(&FAILED, &given)).features;
    assert!(of[1].turning_function > 0.0 && of[1].flip_after + of[2].flip_after == 1.0);
    assert_eq!(of[5].turning_function, (of[1].turning_function + of[2].turning_function) / 2.0);
    assert_eq!((of[5].flip_after, of[5].flip_before), (0.5, 0.5));
    // What has neighbours is as it was, and a line that flips nothing has those of such lines.
    assert_eq!((of[3].flip_before, of[3].flip_after), (1.0, 0.0));
    let quiet = [(ADD, 1, "ttsss"), (ADD, 2, "ccsss"), (ADD, 3, "ttsss"), (ADD, 5, "ccsss")];
    let of = Portrait::new(&facts, &trials(&FAILED, &quiet)).features;
    assert_eq!((of[5].flip_after, of[5].flip_before), (1.0, 1.0));
}

#[test]
fn a_line_that_only_reports_gets_less() {
    let program = program(6);
    let rows: Vec<(Vec<u32>, bool)> =
        FAILED.iter().map(|failed| (if *failed { (0..6).collect() } else { (0..4).collect() }, *failed)).collect();
    let coverage = CoverageMatrix::from_units(6, &rows);
    let facts = LineFacts::new(&program, &coverage, &TESTS);
    let of = |rows: &[(Kind, u32, &str)]| {
        let tests = (0..).zip(FAILED).map(|(test, failed)| TriedTest { test, failed, matched: None, further: false });
        let given = trials(&FAILED, rows);
        let mut bare = Trials::new(tests.collect());
        for (at, candidate) in (0..).zip(given.candidates()) {
            let at_bare = bare.add(candidate.clone());
            given.outcomes(at).iter().for_each(|(test, outcome)| bare.set(at_bare, *test, *outcome));
        }
        Posterior::new(&facts, &bare).lines
    };
    let odds = |lines: &[f64]| lines[4] / lines[5];
    let left_out = of(&[(Kind::Call, 4, "ttsss"), (ADD, 5, "ttsss")]);
    let changed = of(&[(ADD, 4, "ttsss"), (Kind::Call, 5, "ttsss")]);
    assert!(odds(&left_out) < 0.5 && odds(&changed) > 2.0, "{left_out:?} {changed:?}");
}

proptest! {
    #[test]
    fn changes_of_lines_that_are_left_out_say_nothing_of_others(own in rows(0..4), trusted in rows(4..6)) {
        let (program, coverage) = (program(6), everywhere(6, &FAILED));
        let facts = LineFacts::new(&program, &coverage, &TESTS).without(&[4, 5]);
        let (alone, all) = (as_trials(&own), as_trials(&[&own[..], &trusted[..]].concat()));
        let (known, known_of_all) = (Posterior::new(&facts, &alone), Posterior::new(&facts, &all));
        prop_assert_eq!(&known, &known_of_all);
        prop_assert_eq!(known.stated(&facts, &alone), known_of_all.stated(&facts, &all));
        for criterion in Criterion::ALL {
            let scores = |trials: &Trials| criterion.scores(&facts, trials).lines[..4].to_vec();
            prop_assert_eq!(scores(&alone), scores(&all), "{:?}", criterion);
        }
        prop_assert_eq!(alone.turns_any(&facts), all.turns_any(&facts));
    }

    #[test]
    fn what_is_stated_keeps_the_order_the_ties_and_the_sum(rows in rows(0..6)) {
        let (program, coverage) = (program(6), everywhere(6, &FAILED));
        let facts = LineFacts::new(&program, &coverage, &TESTS);
        let trials = as_trials(&rows);
        let known = Posterior::new(&facts, &trials);
        let stated = known.clone().stated(&facts, &trials);
        prop_assert_eq!(&stated.order, &known.order);
        let sum = |posterior: &Posterior| posterior.lines.iter().sum::<f64>();
        prop_assert!((sum(&stated) - sum(&known)).abs() < 1e-9);
        for (a, b) in (0..6).flat_map(|a| (0..6).map(move |b| (a, b))) {
            let is_before = known.lines[a] > known.lines[b];
            prop_assert!(!is_before || stated.lines[a] >= stated.lines[b], "{known:?} {stated:?}");
            prop_assert!(known.lines[a] != known.lines[b] || stated.lines[a] == stated.lines[b]);
        }
    }
}

/// Thirty lines with ten changes each, all on one failing and one passing test; `tried` says how many of each line's were tried. A change of the first
/// line repairs, if it was.
fn partly(tried: impl Fn(u32) -> u32) -> (Posterior, Posterior) {
    let failed = [true, false];
    let (program, coverage) = (program(30), everywhere(30, &failed));
    let facts = LineFacts::new(&program, &coverage, &[0, 1]);
    let row = |line: u32, at: u32| match (line, at < tried(line)) {
        (_, false) => "..",
        (0, true) if at == 0 => "tu",
        _ => "cc",
    };
    let rows: Vec<(Kind, u32, &str)> = (0..30)
        .flat_map(|line| (0..10).map(move |at| (line, at)))
        .map(|(line, at)| (ADD, line, row(line, at)))
        .collect();
    let trials = trials(&failed, &rows);
    let known = Posterior::new(&facts, &trials);
    (known.clone(), known.stated(&facts, &trials))
}

#[test]
fn what_is_untried_counts_in_the_odds() {
    let (known, stated) = partly(|_| 10);
    assert_eq!(known, stated, "all was tried");
    let (known, stated) = partly(|_| 0);
    assert!(known.lines.iter().zip(&stated.lines).all(|(known, stated)| (known - stated).abs() < 1e-12), "nothing was");
    // The more lines were tried, the more the same repair is worth.
    let mut odds = Vec::new();
    for lines in [1, 2, 5, 10, 20, 30] {
        let (known, stated) = partly(|line| if line < lines { 10 } else { 0 });
        odds.push(stated.within(1));
        assert!(stated.within(1) < known.within(1) || lines == 30, "{lines}: {}", stated.within(1));
        assert_eq!(stated.order[0], 0);
    }
    assert!(odds.windows(2).all(|pair| pair[0] < pair[1]), "{odds:?}");
    assert!(odds[0] < 0.75 * odds[5], "a repair among 3 % of the changes: {odds:?}");
    // So with the changes of each line.
    let each: Vec<f64> = [1, 2, 5, 10].map(|tried| partly(|_| tried).1.within(1)).to_vec();
    assert!(each.windows(2).all(|pair| pair[0] < pair[1]), "{each:?}");
}
