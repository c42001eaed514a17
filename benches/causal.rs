//! What the causal analysis costs: structure, effects and suspicion on made-up programs of growing size, really run, with the peak of memory. Each size
//! runs in a process of its own. Prints a table; run with `cargo bench --bench causal`, or with sizes as `nodes x observations`
//! after `--`.

use std::process::Command;
use std::time::Instant;

use suspect::causal::{CdflOptions, Cpdm, EffectOptions, Structure, StructureOptions, TestObservations, cdfl};

#[path = "../tests/causal/programs.rs"]
#[expect(dead_code, reason = "tests use more of it")]
mod programs;

use programs::Program;

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
    let ((observations, order), made) = timed(|| Program::new(7, n_nodes, 30).campaign(n_rows, 20, 3));
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
