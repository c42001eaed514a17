//! Methods applied to a small program: the queue of a scheduler, in which failing runs die.

use std::collections::HashMap;

use proptest::prelude::*;
use suspect_format::site::SequenceCount;

use super::*;
use crate::causal::{CdflOptions, Observations, TestObservations};
use crate::evidence::{LineFacts, Trials, TriedTest};
use crate::profile::{EdgeProfile, OutcomeProfile, ProgramFlow, Sites};
use crate::program::{
    Block, Compound, Edge, EdgeKind, Execution, Function, Line, Node, NodeKind, OUTSIDE, Piece, PieceEnd, Place,
    Program, Sequence, Unit, ValueClass,
};
use crate::spectra::{CoverageMatrix, DistinctSpectra, Smoothing, Spectrum, measures};

/// Blocks 0 to 3 on lines 1 to 4, the second of two pieces; conditions in blocks 0 and 1. Edges: entry, 0->3, 0->1, 1->3, 1->2,
/// 2->3, inside block 1, return.
fn schedule() -> Program {
    let piece = |block: u32, line: u32, end| Piece { block, end, lines: vec![line] };
    let edge = |from, to, kind| Edge { function: 0, from, to, kind, edges_counter: None, values_counter: None };
    let place = |line, column| Place { file: 0, line, column };
    let node = |piece: u32, line: u32, ordinal, kind| Node {
        function: 0,
        piece,
        kind,
        class: ValueClass::Bool,
        width: 1,
        place: place(line, 5),
        line: Some(line - 1),
        variable: String::new(),
        type_name: "int".into(),
        expression: "p".into(),
        ordinal,
        value: 0,
        true_edge: None,
        false_edge: None,
        true_counter: None,
    };
    Program {
        files: vec!["queue.c".into()],
        units: vec![Unit {
            hash: 1,
            file: 0,
            modes: 0,
            n_counters: 0,
            n_values: 0,
            functions: 0..1,
            operations: 0..0,
            files: Vec::new(),
        }],
        functions: vec![Function {
            name: "get".into(),
            unit: 0,
            place: place(1, 1),
            last_line: 4,
            external: true,
            content_hash: 0,
            blocks: 0..4,
            pieces: 0..5,
            edges: 0..8,
            nodes: 0..3,
            compounds: 0..1,
            operations: 0..0,
            variables: Vec::new(),
        }],
        blocks: vec![
            Block { function: 0, pieces: 0..1, lines: vec![0] },
            Block { function: 0, pieces: 1..3, lines: vec![1] },
            Block { function: 0, pieces: 3..4, lines: vec![2] },
            Block { function: 0, pieces: 4..5, lines: vec![0, 3] },
        ],
        pieces: vec![
            piece(0, 0, PieceEnd::Branch),
            piece(1, 1, PieceEnd::Call),
            piece(1, 1, PieceEnd::Branch),
            piece(2, 2, PieceEnd::Branch),
            piece(3, 3, PieceEnd::Return),
        ],
        edges: vec![
            edge(OUTSIDE, 0, EdgeKind::Entry),
            edge(0, 4, EdgeKind::False),
            edge(0, 1, EdgeKind::True),
            edge(2, 4, EdgeKind::False),
            edge(2, 3, EdgeKind::True),
            edge(3, 4, EdgeKind::Always),
            edge(1, 2, EdgeKind::Continue),
            edge(4, OUTSIDE, EdgeKind::Return),
        ],
        operations: Vec::new(),
        nodes: vec![
            node(0, 1, 0, NodeKind::Predicate),
            node(3, 3, 0, NodeKind::Assignment),
            node(2, 2, 1, NodeKind::Predicate),
        ],
        compounds: vec![Compound {
            function: 0,
            place: place(2, 5),
            conditions: vec![2],
            sequences: [true, false]
                .map(|value| Sequence { steps: vec![(0, value)], count: SequenceCount::Edge(0) })
                .to_vec(),
        }],
        lines: (1..=4).map(|line| Line { file: 0, line }).collect(),
        ..Program::default()
    }
}

/// A run, from how often it took each of the five edges between blocks.
fn run([e1, e2, e3, e4, e5]: [u64; 5]) -> Execution {
    Execution {
        edges: vec![e1 + e2, e1, e2, e3, e4, e5, e3 + e4, e1 + e3 + e5],
        pieces: vec![e1 + e2, e2, e3 + e4, e4, e1 + e3 + e5],
        nodes: vec![e1 + e2, e4, e3 + e4],
        trajectories: vec![0; 3],
        trues: vec![e2, 0, e4],
        sequences: vec![vec![e4, e3]],
        stopped_in: Vec::new(),
    }
}

fn runs() -> Vec<(Execution, bool)> {
    let passed = [[19, 3, 2, 1, 1], [12, 5, 3, 2, 2], [20, 2, 1, 1, 1]];
    let failed = [[18, 7, 2, 5, 5], [18, 11, 1, 8, 8], [15, 10, 4, 2, 2]];
    passed.map(|counts| (run(counts), false)).into_iter().chain(failed.map(|counts| (run(counts), true))).collect()
}

/// Ranks the program's units by a method: rounded scores by unit.
fn scores(method: &str, granularity: Granularity, runs: &[(Execution, bool)]) -> (Vec<f64>, Ranked) {
    let program = schedule();
    let units = Units::new(&program, granularity);
    let rows: Vec<_> = runs.iter().map(|(execution, failed)| (units.executed(&program, execution), *failed)).collect();
    let matrix = CoverageMatrix::from_units(units.len(), &rows);
    let flow = ProgramFlow::new(&program);
    let profile =
        EdgeProfile::of_runs(flow.edges.len(), runs.iter().map(|(e, failed)| (flow.counts(&e.edges), *failed)));
    let (predicates, sequences) = (Sites::of_predicates(&program), Sites::of_sequences(&program));
    let outcomes =
        |sites: &Sites| OutcomeProfile::of_runs(sites, runs.iter().map(|(e, failed)| (sites.counts(e), *failed)));
    let (of_predicates, of_sequences) = (outcomes(&predicates), outcomes(&sequences));
    // As if the output depended on all of the program: a slice is what ran.
    let slice = |execution: &Execution| -> Vec<u32> {
        let ran = program.pieces.iter().zip(&execution.pieces).filter(|(_, count)| **count > 0);
        ran.flat_map(|(piece, _)| piece.lines.iter().copied()).collect()
    };
    let slices: Vec<Vec<u32>> = runs.iter().map(|(execution, _)| slice(execution)).collect();
    // Each mutant changes the nodes that come after it, and the output.
    let observe = |(execution, failed): &(Execution, bool)| {
        let covered: Vec<u32> =
            (0..).zip(&execution.nodes).filter(|(_, count)| **count > 0).map(|(node, _)| node).collect();
        let mut test = TestObservations::new(covered.clone(), *failed);
        (0..covered.len()).for_each(|at| test.push(covered[at], &[u64::MAX << at], true));
        test
    };
    let observations = Observations::new(vec![1; 3], runs.iter().map(observe).collect()).unwrap();
    let interventions = Interventions { observations: &observations, order: &[0, 2, 1], cdfl: CdflOptions::default() };
    let lines = Units::new(&program, Granularity::Line);
    let of_lines: Vec<_> =
        runs.iter().map(|(execution, failed)| (lines.executed(&program, execution), *failed)).collect();
    let coverage = CoverageMatrix::from_units(lines.len(), &of_lines);
    let tests: Vec<u32> = (0..runs.len() as u32).collect();
    let facts = LineFacts::new(&program, &coverage, &tests).with_edges(&program, &flow.graph, &profile);
    let tried = tests.iter().zip(runs).map(|(&test, (_, failed))| TriedTest {
        test,
        failed: *failed,
        matched: None,
        further: false,
    });
    let trials = Trials::new(tried.collect());
    let observed = Observed {
        code: Some((&program, &units)),
        interventions: Some(interventions),
        trials: Some((&facts, &trials)),
        edges: Some((&flow.graph, &profile)),
        predicates: Some((&predicates, &of_predicates)),
        sequences: Some((&sequences, &of_sequences)),
        slices: Some(&slices),
        ..Observed::coverage(&matrix)
    };
    let ranked = apply(find_method(method).unwrap(), &observed).unwrap();
    let scores = ranked.ranking.standings().iter().map(|s| (s.score * 100.0).round() / 100.0).collect();
    (scores, ranked)
}

#[test]
fn units_follow_the_code_and_map_from_blocks_and_nodes() {
    let program = schedule();
    let units = |granularity| Units::new(&program, granularity);
    assert_eq!(Granularity::ALL.map(|granularity| units(granularity).len()), [4, 4, 1, 3, 2]);
    // Block 3 begins on line 1 too, and nodes are ordered by their places.
    let order = |granularity| units(granularity).iter().collect::<Vec<_>>();
    assert_eq!(order(Granularity::Block), [0, 3, 1, 2].map(RankedUnit::Block));
    assert_eq!(order(Granularity::Node), [0, 2, 1].map(RankedUnit::Node));
    assert_eq!(order(Granularity::Predicate), [0, 2].map(RankedUnit::Node));
    let blocks = [0.5, 0.2, 0.3, 0.9];
    assert_eq!(units(Granularity::Line).from_blocks(&program, &blocks), [0.9, 0.2, 0.3, 0.9]);
    assert_eq!(units(Granularity::Block).from_blocks(&program, &blocks), [0.5, 0.9, 0.2, 0.3]);
    assert_eq!(units(Granularity::Function).from_blocks(&program, &blocks), [0.9]);
    assert_eq!(units(Granularity::Predicate).from_blocks(&program, &blocks), [0.5, 0.2]);
    let nodes = [0.1, 0.4, 0.2];
    assert_eq!(units(Granularity::Line).from_nodes(&program, &nodes), [0.1, 0.2, 0.4, f64::NEG_INFINITY]);
    assert_eq!(units(Granularity::Block).from_nodes(&program, &nodes), [0.1, f64::NEG_INFINITY, 0.2, 0.4]);
    assert_eq!(units(Granularity::Function).from_nodes(&program, &nodes), [0.4]);
    let died_in_block_1 = run([1, 1, 0, 0, 0]);
    assert_eq!(units(Granularity::Line).executed(&program, &died_in_block_1), [0, 1, 3]);
    assert_eq!(units(Granularity::Block).executed(&program, &died_in_block_1), [0, 1, 2]);
    assert_eq!(units(Granularity::Function).executed(&program, &died_in_block_1), [0]);
    assert_eq!(units(Granularity::Predicate).executed(&program, &died_in_block_1), [0]);
}

#[test]
fn schedule_ranks_as_published() {
    let by_block = |method| scores(method, Granularity::Block, &runs()).0;
    // In the order of the code: blocks 1, 4, 2, 3 of the paper.
    assert_eq!(by_block("blockrank"), [4.0, 4.0, 4.32, 3.67]);
    assert_eq!(by_block("blockrank_recursive"), [4.32, 4.0, 4.32, 3.67]);
    let (cp, _) = scores("cp", Granularity::Block, &runs());
    assert_eq!(cp, [0.66, 0.66, 0.66, 0.58]);
    for (method, expected) in
        [("sober", [1.03, 4.17]), ("des_sober", [1.03, 4.17]), ("cbi", [0.0; 2]), ("des_cbi", [0.0; 2])]
    {
        assert_eq!(scores(method, Granularity::Predicate, &runs()).0, expected, "{method}");
    }
    let (_, cbi) = scores("cbi", Granularity::Predicate, &runs());
    assert_eq!(cbi.notes, [Note::AllEqual(2), Note::NothingSignificant]);
    let unit = |ranked: &Ranked| ranked.ranking.order()[0];
    assert_eq!(unit(&scores("sober", Granularity::Line, &runs()).1), 1);
    assert_eq!(unit(&scores("blockrank", Granularity::Line, &runs()).1), 1);
}

#[test]
fn every_method_ranks_whatever_was_recorded() {
    let both = runs();
    let failing: Vec<_> = both.iter().filter(|(_, failed)| *failed).cloned().collect();
    let passing: Vec<_> = both.iter().filter(|(_, failed)| !*failed).cloned().collect();
    for method in methods() {
        for (runs, note) in [
            (&both, None),
            (&failing, Some(Note::NoPassingTest)),
            (&passing, Some(Note::NoFailingTest)),
            (&Vec::new(), Some(Note::NoFailingTest)),
        ] {
            for granularity in Granularity::ALL {
                let (_, ranked) = scores(method.id, granularity, runs);
                assert!(note.is_none_or(|note| ranked.notes.contains(&note)), "{} says {:?}", method.id, ranked.notes);
            }
        }
    }
}

#[test]
fn a_dice_is_a_slice_less_what_passing_tests_depend_on() {
    let program = schedule();
    let units = Units::new(&program, Granularity::Line);
    assert!(units.len() >= 3, "{}", units.len());
    let tests = [(vec![0, 1], true), (vec![0, 2], true), (vec![0], false)];
    let matrix = CoverageMatrix::from_units(units.len(), &tests);
    let slices: Vec<Vec<u32>> = tests.iter().map(|(lines, _)| lines.clone()).collect();
    let observed = Observed { code: Some((&program, &units)), slices: Some(&slices), ..Observed::coverage(&matrix) };
    let first_three = |method: &str| {
        let ranked = apply(find_method(method).unwrap(), &observed).unwrap();
        [0, 1, 2].map(|unit| ranked.ranking.score(unit))
    };
    assert_eq!(first_three("slice"), [1.0, 0.5, 0.5]);
    assert_eq!(first_three("slice_dice"), [0.0, 0.5, 0.5]);
}

#[test]
fn what_failing_outputs_depend_on_most_comes_first_and_what_was_not_mutated_last() {
    // Nodes 0 and 1 are on the first and third line; the others hold none that is mutated.
    let program = schedule();
    let units = Units::new(&program, Granularity::Line);
    let tests = [(vec![0, 1, 2, 3], true), (vec![0, 2, 3], false)];
    let matrix = CoverageMatrix::from_units(units.len(), &tests);
    let observe = |failed, changing: &[u32]| {
        let mut test = TestObservations::new((0..program.nodes.len() as u32).collect(), failed);
        for node in [0, 1] {
            test.push(node, &[1 << node], changing.contains(&node));
        }
        test
    };
    let tests = vec![observe(true, &[0, 1]), observe(false, &[0])];
    let observations = Observations::new(vec![1; program.nodes.len()], tests).unwrap();
    let interventions = Interventions { observations: &observations, order: &[0, 1, 2], cdfl: CdflOptions::default() };
    let observed =
        Observed { code: Some((&program, &units)), interventions: Some(interventions), ..Observed::coverage(&matrix) };
    let line_of = |node: usize| program.nodes[node].line.unwrap();
    for method in ["cdfl", "cdfl_paper", "direct"] {
        let ranked = apply(find_method(method).unwrap(), &observed).unwrap();
        assert_eq!(ranked.ranking.order()[..2], [line_of(1), line_of(0)], "{method}");
        // The failing test alone executes the second line.
        assert_eq!(ranked.ranking.order()[2..], [1, 3], "{method}");
        assert!(ranked.notes.contains(&Note::Untried(2)), "{:?}", ranked.notes);
    }
    let error = apply(find_method("cdfl").unwrap(), &Observed::coverage(&matrix)).unwrap_err();
    assert_eq!(error.to_string(), "method `cdfl` needs observations of value mutants, which were not recorded");
}

#[test]
fn what_is_missing_is_named() {
    let matrix = CoverageMatrix::from_units(2, &[(vec![0], true)]);
    let error = apply(find_method("blockrank").unwrap(), &Observed::coverage(&matrix)).unwrap_err();
    assert_eq!(error.to_string(), "method `blockrank` needs edge counts, which were not recorded");
}

#[test]
fn innocents_come_last_and_contradictions_are_said() {
    let matrix = CoverageMatrix::from_units(4, &[(vec![2, 3], true), (vec![0, 1], true)]);
    let observed = Observed { innocents: &[2, 3], ..Observed::coverage(&matrix) };
    let ranked = apply(find_method("clu").unwrap(), &observed).unwrap();
    assert_eq!(ranked.ranking.order(), [0, 1, 2, 3]);
    assert_eq!(ranked.notes, [Note::NoPassingTest, Note::Innocent(2), Note::Unexplained(1)]);
}

#[test]
fn degenerate_matrices_are_explained() {
    let note = |n_units, tests: &[(Vec<u32>, bool)]| {
        let matrix = CoverageMatrix::from_units(n_units, tests);
        apply(find_method("ochiai").unwrap(), &Observed::coverage(&matrix)).unwrap().notes
    };
    assert_eq!(note(0, &[(vec![], true), (vec![], false)]), [Note::NoUnit]);
    assert_eq!(note(2, &[(vec![0], true), (vec![], false)]), [Note::NeverExecuted(1)]);
    let all: Vec<u32> = (0..100_000).collect();
    assert_eq!(note(100_000, &[(all.clone(), true), (all, false)]), [Note::AllEqual(100_000)]);
    assert_eq!(Note::AllEqual(100_000).to_string(), "all 100000 units have the same score: the order says nothing");
}

/// Whether a unit that no failing test executed stands before one that some did.
fn unexecuted_first(ranking: &Ranking, spectra: &[Spectrum]) -> Option<(u32, u32)> {
    let order = ranking.order();
    let first = order.iter().position(|unit| spectra[*unit as usize].ef == 0)?;
    let behind = order[first..].iter().find(|unit| spectra[**unit as usize].ef > 0)?;
    Some((order[first], *behind))
}

#[test]
fn what_no_failing_test_executes_comes_behind_what_one_does_and_the_reader_is_told() {
    // One failing test, ten passing ones: the first unit is executed by none, the second by all.
    let tests: Vec<_> = (0..11).map(|test| (vec![1], test == 0)).collect();
    let matrix = CoverageMatrix::from_units(2, &tests);
    for method in ["ochiai", "tarantula", "jaccard"] {
        let ranked = apply(find_method(method).unwrap(), &Observed::coverage(&matrix)).unwrap();
        assert_eq!(ranked.ranking.order(), [1, 0], "{method}");
        assert!(ranked.notes.contains(&Note::NotInFailures(1)), "{method}: {:?}", ranked.notes);
    }
    // Where the method has it so anyway, or nothing fails, there is nothing to say.
    for tests in [vec![(vec![1], true), (vec![0, 1], false)], vec![(vec![1], false)]] {
        let matrix = CoverageMatrix::from_units(2, &tests);
        let ranked = apply(find_method("ochiai").unwrap(), &Observed::coverage(&matrix)).unwrap();
        assert!(!ranked.notes.iter().any(|note| matches!(note, Note::NotInFailures(_))), "{:?}", ranked.notes);
    }
}

#[test]
fn a_score_that_is_no_finite_number_stays_what_it_is() {
    // Both outcomes of each condition have the same shares in all passing runs, and others in the failing one.
    let runs = [([1, 2, 1, 1, 1], false), ([1, 2, 1, 1, 1], false), ([3, 2, 0, 2, 2], true)];
    let (_, ranked) = scores("des_sober", Granularity::Line, &runs.map(|(counts, failed)| (run(counts), failed)));
    let shown = |unit: u32| ranked.ranking.score(unit);
    assert_eq!([shown(0), shown(1)], [f64::INFINITY; 2]);
    assert!(shown(2).is_nan() && shown(3).is_nan(), "there is no condition on these lines: {}", shown(2));
}

/// Runs of [`schedule`], some of which fail.
fn some_runs() -> impl Strategy<Value = Vec<(Execution, bool)>> {
    let counts = (0u64..4, 0u64..4, 0u64..4).prop_map(|(e1, e3, e4)| run([e1, e3 + e4, e3, e4, e4]));
    prop::collection::vec((counts, any::<bool>()), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_measure_puts_what_no_failing_test_executes_before_what_one_does(
        tests in prop::collection::vec((prop::collection::vec(any::<bool>(), 8), prop::bool::weighted(0.2)), 1..40)
    ) {
        let matrix = CoverageMatrix::from_rows(8, &tests);
        for method in methods().iter().filter(|method| method.needs == [Need::Coverage]) {
            let ranked = apply(method, &Observed::coverage(&matrix)).unwrap();
            let wrong = unexecuted_first(&ranked.ranking, &matrix.spectra());
            prop_assert!(wrong.is_none(), "{}: {wrong:?}", method.id);
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn no_method_puts_what_no_failing_test_executes_before_what_one_does(runs in some_runs()) {
        let program = schedule();
        for granularity in Granularity::ALL {
            let units = Units::new(&program, granularity);
            let rows = runs.iter().map(|(execution, failed)| (units.executed(&program, execution), *failed));
            let spectra = CoverageMatrix::from_units(units.len(), &rows.collect::<Vec<_>>()).spectra();
            let of_more = methods().iter().filter(|method| !matches!(method.algorithm, Algorithm::Measure(_)));
            for method in of_more {
                let (_, ranked) = scores(method.id, granularity, &runs);
                let wrong = unexecuted_first(&ranked.ranking, &spectra);
                prop_assert!(wrong.is_none(), "{} by {}: {wrong:?}", method.id, granularity.name());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Rounding neither makes nor breaks ties: measures of one class give one ranking.
    #[test]
    fn measures_of_one_class_tie_alike((f, p) in (1u32..60, 1u32..900), pairs in prop::collection::vec(any::<(u32, u32)>(), 2..80)) {
        let spectra: Vec<Spectrum> = pairs
            .into_iter()
            .map(|(ef, ep)| (ef % (f + 1), ep % (p + 1)))
            .map(|(ef, ep)| Spectrum { ef, nf: f - ef, ep, np: p - ep })
            .collect();
        let distinct = DistinctSpectra::of(&spectra);
        let mut of_class: HashMap<&str, (&str, Vec<Vec<u32>>)> = HashMap::new();
        for measure in measures::all() {
            let Some(class) = measure.class else { continue };
            let ranking = Ranking::of_spectra(&distinct, &measure.scores(&distinct.spectra, Smoothing::Half));
            let ties: Vec<Vec<u32>> = ranking.ties().map(<[u32]>::to_vec).collect();
            let (first, expected) = of_class.entry(class).or_insert_with(|| (measure.id, ties.clone()));
            prop_assert_eq!(&ties, &*expected, "{} and {}: {:?}", measure.id, first, distinct.spectra);
        }
    }
}
