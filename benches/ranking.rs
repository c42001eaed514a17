//! What ranking costs: reading and ranking a matrix, all measures, clearing with updates, and block propagation, with the cost of each
//! added test and unit. Prints a table; run with `cargo bench --bench ranking`.

use std::hint::black_box;
use std::time::Instant;

use suspect::profile::blockrank::{Reading, block_rank};
use suspect::profile::{EdgeProfile, FlowEdge, FlowGraph};
use suspect::rank::Ranking;
use suspect::spectra::measures::{self, score_all};
use suspect::spectra::{CoverageMatrix, DistinctSpectra, Smoothing, doric};

/// A repeatable stream of numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// Tests that execute runs of neighbouring units, about half of all, as functions are; one in ten fails.
fn tests(n_tests: usize, n_units: usize) -> Vec<(Vec<u32>, bool)> {
    let mut random = Random(7);
    (0..n_tests)
        .map(|test| {
            let mut units = Vec::new();
            let mut unit = 0;
            while unit < n_units {
                let length = (random.next() % 60) as usize + 1;
                if random.next().is_multiple_of(2) {
                    units.extend((unit..(unit + length).min(n_units)).map(|unit| unit as u32));
                }
                unit += length;
            }
            (units, test % 10 == 0)
        })
        .collect()
}

/// Seconds of the fastest of some runs.
fn seconds<T>(mut work: impl FnMut() -> T) -> f64 {
    let run = |work: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        black_box(work());
        start.elapsed().as_secs_f64()
    };
    (0..3).map(|_| run(&mut work)).fold(f64::INFINITY, f64::min)
}

fn read_and_rank(tests: &[(Vec<u32>, bool)], n_units: usize) -> Ranking {
    let matrix = CoverageMatrix::from_units(n_units, tests);
    let distinct = DistinctSpectra::of(&matrix.spectra());
    let ochiai = measures::find("ochiai").expect("the catalogue has it");
    Ranking::of_spectra(&distinct, &ochiai.scores(&distinct.spectra, Smoothing::Half))
}

fn all_measures(matrix: &CoverageMatrix) -> usize {
    let distinct = DistinctSpectra::of(&matrix.spectra());
    let scores = score_all(measures::all(), &distinct, Smoothing::Half);
    scores.iter().map(|scores| Ranking::of_spectra(&distinct, scores).len()).sum()
}

fn flow(n_blocks: u32) -> (FlowGraph, EdgeProfile) {
    let mut random = Random(9);
    let mut edges = Vec::new();
    for from in 0..n_blocks - 1 {
        edges.push(FlowEdge { from, to: from + 1 });
        let jump = (random.next() % 40) as u32;
        let to =
            if random.next().is_multiple_of(4) { from.saturating_sub(jump) } else { (from + jump).min(n_blocks - 1) };
        edges.push(FlowEdge { from, to });
    }
    let mut run = |failed| (edges.iter().map(|_| random.next() % 1000).collect::<Vec<_>>(), failed);
    let runs = [run(false), run(false), run(true)];
    let profile = EdgeProfile::of_runs(edges.len(), runs);
    (FlowGraph::new(n_blocks as usize, edges), profile)
}

fn main() {
    println!("{:<58} {:>10}", "", "seconds");
    let row = |what: &str, seconds: f64| println!("{what:<58} {seconds:>10.3}");
    let (n_tests, n_units) = (1_000, 100_000);
    let wide = tests(n_tests, n_units);
    let whole = seconds(|| read_and_rank(&wide, n_units));
    row("read and rank 1,000 tests x 100,000 units (ochiai)", whole);
    let half_tests = seconds(|| read_and_rank(&wide[..n_tests / 2], n_units));
    let narrow = tests(n_tests, n_units / 2);
    let half_units = seconds(|| read_and_rank(&narrow, n_units / 2));
    println!(
        "  each added test {:.1} us, each added unit {:.2} us",
        (whole - half_tests) / (n_tests / 2) as f64 * 1e6,
        (whole - half_units) / (n_units / 2) as f64 * 1e6
    );
    let matrix = CoverageMatrix::from_units(n_units, &wide);
    row("all 221 measures, each ranked", seconds(|| all_measures(&matrix)));
    row("causal likelihood", seconds(|| Ranking::new(doric::causal_likelihood(&matrix))));
    row("causal likelihood with 20 updates", seconds(|| doric::clear_and_update(&matrix, &[], doric::UPDATE_BOUND)));
    let (graph, profile) = flow(50_000);
    row("block propagation, 50,000 blocks, 100,000 edges", seconds(|| block_rank(&graph, &profile, Reading::Example)));
}
