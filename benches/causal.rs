//! What the causal analysis costs: structure, effects and suspicion on made-up programs of growing size, really run, with the peak of memory. Each size
//! runs in a process of its own. Prints a table; run with `cargo bench --bench causal`; after `--` may stand numbers of nodes and
//! observations in turn, and `noise` for observations without any structure.

use std::process::Command;
use std::time::Instant;

use rayon::prelude::*;
use suspect::causal::{
    CdflOptions, Cpdm, EffectOptions, Observations, Structure, StructureOptions, TestObservations, cdfl,
};

#[path = "../tests/causal/programs.rs"]
#[expect(dead_code, reason = "tests use more of it")]
mod programs;

#[path = "usage/mod.rs"]
mod usage;

use programs::{Program, Random};
use usage::{cpu, peak_mib};

/// Observations like no program makes them: each of `n_nodes` nodes passes on a change of three others near it by chance alone, so
/// hardly two mutants are alike and no node is explained by its parents.
fn noise(n_nodes: usize, n_rows: usize) -> (Observations, Vec<u32>) {
    const VALUES: usize = 20;
    let n_tests = n_rows.div_ceil(n_nodes * VALUES).max(2);
    let test = |number: usize| {
        let mut random = Random::new(number as u64);
        let mut test = TestObservations::new((0..n_nodes as u32).collect(), number.is_multiple_of(5));
        let mut changed = vec![false; n_nodes];
        let mut words = vec![0u64; n_nodes.div_ceil(64)];
        for mutated in (0..n_nodes).flat_map(|node| [node; VALUES]).take(n_rows.div_ceil(n_tests)) {
            changed.fill(false);
            words.fill(0);
            for node in mutated..n_nodes {
                let reached = [1, 3, 7].iter().any(|back| node >= mutated + back && changed[node - back]);
                changed[node] = node == mutated || reached && random.chance(70);
                words[node / 64] |= u64::from(changed[node]) << (node % 64);
            }
            test.push(mutated as u32, &words, changed[n_nodes - 1]);
        }
        test
    };
    let tests = (0..n_tests).into_par_iter().map(test).collect();
    let observations = Observations::new(vec![VALUES as u32; n_nodes], tests).expect("made-up observations fit");
    (observations, (0..n_nodes as u32).collect())
}

/// What some work gives, with its clock and CPU seconds.
fn timed<T>(work: impl FnOnce() -> T) -> (T, [f64; 2]) {
    let (start, before) = (Instant::now(), cpu());
    let result = work();
    (result, [start.elapsed().as_secs_f64(), cpu() - before])
}

fn measure(n_nodes: usize, n_rows: usize, is_noise: bool) {
    let ((observations, order), made) = timed(|| match is_noise {
        true => noise(n_nodes, n_rows),
        false => Program::new(7, n_nodes, 30).campaign(n_rows, 20, 3),
    });
    let before = peak_mib();
    let distinct: usize = observations.tests().iter().map(TestObservations::len).sum();
    let (structure, found) = timed(|| Structure::learn(&observations, &order, StructureOptions::default()));
    let (model, strengths) = timed(|| Cpdm::new(&observations, &structure, EffectOptions::default()));
    let structure_and_effects = peak_mib();
    let (_, suspicion) = timed(|| cdfl(&observations, &order, CdflOptions::default()));
    let both = [found[0] + strengths[0], found[1] + strengths[1]];
    let seconds = |[clock, cpu]: [f64; 2]| format!("{clock:>8.2} {cpu:>8.2}");
    println!(
        "{n_nodes:>6} {n_rows:>8} {distinct:>8} {:>5} {:>7} {} {} {} {} {before:>6} {structure_and_effects:>6} {:>6} {:>6.1}",
        observations.tests().len(),
        model.graph().edge_count(),
        seconds(found),
        seconds(strengths),
        seconds(both),
        seconds(suspicion),
        peak_mib(),
        made[0],
    );
}

/// Sizes between those that have to be reached.
const SIZES: [(usize, usize); 6] =
    [(320, 130_000), (640, 260_000), (1_250, 500_000), (2_500, 1_000_000), (5_000, 1_000_000), (5_000, 2_000_000)];

fn main() {
    let is_noise = std::env::args().any(|argument| argument == "noise");
    let numbers: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if let ([n_nodes, n_rows], true) = (&numbers[..], std::env::var_os("CAUSAL_BENCH_ONE").is_some()) {
        return measure(*n_nodes, *n_rows, is_noise);
    }
    println!(
        "{:>6} {:>8} {:>8} {:>5} {:>7} {:>17} {:>17} {:>17} {:>17} {:>6} {:>6} {:>6} {:>6}",
        "nodes",
        "rows",
        "distinct",
        "tests",
        "edges",
        "structure s, cpu",
        "effects s, cpu",
        "both s, cpu",
        "cdfl s, cpu",
        "in MiB",
        "peak",
        "+cdfl",
        "made s"
    );
    let sizes: Vec<(usize, usize)> = match numbers.is_empty() {
        true => SIZES.to_vec(),
        false => numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect(),
    };
    for (n_nodes, n_rows) in sizes {
        let program = std::env::current_exe().expect("a running program has a path");
        let arguments = [n_nodes.to_string(), n_rows.to_string()];
        let status = Command::new(program)
            .args(arguments)
            .args(is_noise.then_some("noise"))
            .env("CAUSAL_BENCH_ONE", "1")
            .status();
        assert!(status.is_ok_and(|status| status.success()), "the run of {n_nodes} x {n_rows} failed");
    }
}
