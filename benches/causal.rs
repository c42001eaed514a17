//! What the causal analysis costs: structure, effects and suspicion on made-up campaigns of growing size, with the peak of memory. Each size
//! runs in a process of its own. Prints a table; run with `cargo bench --bench causal`, or with sizes as `nodes x observations`
//! after `--`.

use std::process::Command;
use std::time::Instant;

use rayon::prelude::*;
use suspect::causal::{
    CdflOptions, Cpdm, EffectOptions, Observations, Structure, StructureOptions, TestObservations, cdfl,
};

/// A repeatable stream of numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }
}

/// A made-up program: functions of about twenty nodes; a node depends on one to three nodes of its function, or on an
/// earlier function's last node, and passes a change on with a chance of its own.
struct Model {
    parents: Vec<Vec<usize>>,
    passes: Vec<u64>,
    function: Vec<usize>,
}

fn model(n_nodes: usize) -> Model {
    let mut random = Random::new(n_nodes as u64);
    let (mut parents, mut passes, mut function) = (Vec::new(), Vec::new(), Vec::new());
    let mut first = 0;
    let mut number = 0;
    for node in 0..n_nodes {
        if node - first >= 10 + random.below(20) {
            (first, number) = (node, number + 1);
        }
        let mut of_node = Vec::new();
        for _ in 0..1 + random.below(3) {
            if node > first && !random.chance(10) {
                of_node.push(first.max(node.saturating_sub(1 + random.below(6))));
            } else if node > 0 {
                of_node.push(node - 1 - random.below(node.min(200)));
            }
        }
        parents.push(of_node);
        passes.push([60, 90, 97, 100][random.below(4)]);
        function.push(number);
    }
    Model { parents, passes, function }
}

/// Observations of `n_rows` mutants in tests that each cover about half of the functions, `n_values` values for each node.
fn campaign(n_nodes: usize, n_rows: usize) -> (Observations, Vec<u32>) {
    const VALUES: usize = 20;
    let model = model(n_nodes);
    let n_tests = (2 * n_rows).div_ceil(n_nodes * VALUES).max(2);
    let per_test = n_rows.div_ceil(n_tests);
    let tests = (0..n_tests).into_par_iter().map(|test| observe(&model, test, per_test, VALUES)).collect();
    let observations = Observations::new(vec![VALUES as u32; n_nodes], tests).expect("made-up observations fit");
    (observations, (0..n_nodes as u32).collect())
}

fn observe(model: &Model, test: usize, n_rows: usize, n_values: usize) -> TestObservations {
    let mut random = Random::new(1000 + test as u64);
    let n_functions = model.function.last().map_or(0, |last| last + 1);
    let runs: Vec<bool> = (0..n_functions).map(|function| function == 0 || random.chance(50)).collect();
    let covered: Vec<u32> =
        (0..model.parents.len() as u32).filter(|node| runs[model.function[*node as usize]]).collect();
    let mut rows = TestObservations::new(covered.clone(), test.is_multiple_of(7));
    let mut changed = vec![false; model.parents.len()];
    let mut words = vec![0u64; covered.len().div_ceil(64)];
    let mut done = 0;
    while done < n_rows {
        for &mutated in &covered {
            for _ in 0..n_values.min(n_rows - done) {
                done += 1;
                changed.fill(false);
                words.fill(0);
                for (at, &node) in covered.iter().enumerate().skip_while(|(_, node)| **node < mutated) {
                    let node = node as usize;
                    let reached = model.parents[node].iter().any(|parent| changed[*parent]);
                    changed[node] = node == mutated as usize || reached && random.chance(model.passes[node]);
                    words[at / 64] |= u64::from(changed[node]) << (at % 64);
                }
                let output = covered.iter().rev().take(5).any(|node| changed[*node as usize]);
                rows.push(mutated, &words, output);
            }
        }
    }
    rows
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// CPU seconds of all threads so far: other jobs make the clock useless.
fn cpu() -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a whole rusage, which the call fills; zeroed bytes are a valid one if it does not.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// What some work gives, with its clock and CPU seconds.
fn timed<T>(work: impl FnOnce() -> T) -> (T, [f64; 2]) {
    let (start, before) = (Instant::now(), cpu());
    let result = work();
    (result, [start.elapsed().as_secs_f64(), cpu() - before])
}

fn measure(n_nodes: usize, n_rows: usize) {
    let ((observations, order), made) = timed(|| campaign(n_nodes, n_rows));
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
    let numbers: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if let ([n_nodes, n_rows], true) = (&numbers[..], std::env::var_os("CAUSAL_BENCH_ONE").is_some()) {
        return measure(*n_nodes, *n_rows);
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
        let status = Command::new(program).args(arguments).env("CAUSAL_BENCH_ONE", "1").status();
        assert!(status.is_ok_and(|status| status.success()), "the run of {n_nodes} x {n_rows} failed");
    }
}
