//! What ranking costs: reading and ranking a matrix, all measures, clearing with updates, block propagation and predicates, with the cost of
//! each added test and unit and the peak of memory. Prints a table; run with `cargo bench --bench ranking`.

use std::hint::black_box;
use std::time::Instant;

use rayon::prelude::*;
use suspect::profile::blockrank::{Reading, block_rank};
use suspect::profile::cbi::isolate;
use suspect::profile::cp::capture_propagation;
use suspect::profile::sober::divergences;
use suspect::profile::{EdgeProfile, FlowEdge, FlowGraph, OutcomeProfile, Sites};
use suspect::rank::Ranking;
use suspect::spectra::gzoltar::{Gzoltar, GzoltarTest, Text};
use suspect::spectra::{CoverageMatrix, DistinctSpectra, Smoothing, doric, measures};

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

/// Ranks by every measure, one ranking for each core at a time.
fn all_measures(matrix: &CoverageMatrix) -> usize {
    let distinct = DistinctSpectra::of(&matrix.spectra());
    let rank = |measure: &measures::Measure| {
        Ranking::of_spectra(&distinct, &measure.scores(&distinct.spectra, Smoothing::Half)).len()
    };
    measures::all().par_iter().map(rank).sum()
}

/// Tests without any pattern, half of them failing: every unit has a spectrum of its own.
fn noise(n_tests: usize, n_units: usize) -> CoverageMatrix {
    let mut random = Random(11);
    let mut matrix = CoverageMatrix::new(n_units);
    for test in 0..n_tests {
        let odds = random.next();
        matrix.push((0..n_units as u32).filter(|_| random.next() < odds), test % 2 == 0);
    }
    matrix
}

fn predicates(n_tests: usize, n_sites: usize) -> (Sites, OutcomeProfile) {
    let mut random = Random(13);
    let sites = Sites::new(&vec![2; n_sites]);
    let mut profile = OutcomeProfile::new(&sites);
    for test in 0..n_tests {
        let counts: Vec<u64> = (0..2 * n_sites).map(|_| random.next() % 4).collect();
        profile.push(&sites, &counts, test % 10 == 0);
    }
    (sites, profile)
}

/// Peak of resident memory so far, MiB; `None` where the system does not say.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
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
    println!("{:<66} {:>10}", "", "seconds");
    let row = |what: &str, seconds: f64| println!("{what:<66} {seconds:>10.3}");
    let (n_tests, n_units) = (1_000, 100_000);
    let matrix = noise(n_tests, n_units);
    let before = peak();
    row("all 221 measures, each ranked; 100,000 distinct spectra", seconds(|| all_measures(&matrix)));
    row("causal likelihood, half the tests failing", seconds(|| Ranking::new(doric::causal_likelihood(&matrix))));
    row("  with 20 updates", seconds(|| doric::clear_and_update(&matrix, &[], doric::UPDATE_BOUND)));
    if let (Some(before), Some(after)) = (before, peak()) {
        println!("  {} MiB beside a matrix of {} MiB", after - before, (n_tests * n_units / 8) >> 20);
    }
    let text = Gzoltar { components: vec!["x".into(); n_units], matrix, tests: vec![GzoltarTest::default(); n_tests] };
    let (rows, names) = (text.matrix_text(), text.spectra_text());
    let parse = || Gzoltar::parse(Text { name: "", text: &rows }, Text { name: "", text: &names }, None);
    row("reading the same as text, 200 MB", seconds(parse));
    drop((text, rows));

    let wide = tests(n_tests, n_units);
    let whole = seconds(|| read_and_rank(&wide, n_units));
    row("read and rank 1,000 tests x 100,000 units (ochiai)", whole);
    let half_tests = seconds(|| read_and_rank(&wide[..n_tests / 2], n_units));
    let narrow = tests(n_tests, n_units / 2);
    let half_units = seconds(|| read_and_rank(&narrow, n_units / 2));
    let slope = |half: f64, n: usize| (whole - half) / (n / 2) as f64 * 1e6;
    println!(
        "  each added test {:.1} us, each added unit {:.2} us",
        slope(half_tests, n_tests),
        slope(half_units, n_units)
    );
    let matrix = CoverageMatrix::from_units(n_units, &wide);
    row("all 221 measures, each ranked", seconds(|| all_measures(&matrix)));
    row("causal likelihood with 20 updates", seconds(|| doric::clear_and_update(&matrix, &[], doric::UPDATE_BOUND)));

    let (graph, profile) = flow(50_000);
    row("BlockRank, 50,000 blocks, 100,000 edges", seconds(|| block_rank(&graph, &profile, Reading::Example)));
    row("CP on the same", seconds(|| capture_propagation(&graph, &profile)));
    let (sites, profile) = predicates(n_tests, 20_000);
    row("CBI with elimination, 1,000 tests x 20,000 predicates", seconds(|| isolate(&sites, &profile)));
    row("SOBER on the same", seconds(|| divergences(&profile)));
}
