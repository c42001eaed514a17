//! Fits the weights of `all_evidence` to versions with known faults, and shows what they achieve on programs that they were not fitted to.
//!
//! Usage: `cargo run --release --example train -- FILE...`, each FILE written by `suspect eval BENCHMARK --features FILE`.
//!
//! Each program is held out in turn: weights are fitted to the others, and the held-out program's versions are ranked with them.
//! Where some versions are ranked with small suites, weights that are fitted to the larger suites alone stand beside.

mod data;
mod fit;

use std::collections::BTreeSet;
use std::process::ExitCode;

use data::{Version, read};
use fit::{Prior, fit, scores};
use rayon::prelude::*;

/// The penalty. With less, held-out faults are a little likelier (with 30 by 0.013 in the mean logarithm), but of changes that mend a program alike one comes first for
/// what has little to do with it: how often its line runs.
const PENALTY: f64 = 100.0;
/// Kinds of faults that a change which is tried takes back literally. Of `constant` that holds where the right number stands elsewhere in the file.
const TAKEN_BACK: [&str; 13] =
    ["AOR", "BOR", "CRP", "LCR", "ROR", "SOR", "UOI", "VRR", "accumulate", "constant", "once", "overwrite", "step"];
/// Sizes of suites that are told apart: the most tests, failing and passing ones, and what such suites are called. Those above [`SMALL`] are large.
const SITUATIONS: [(f64, &str); 3] =
    [(3.0, "at most 3 tests"), (SMALL, "4 to 6 tests"), (f64::INFINITY, "7 tests and more")];
/// The most tests of a small suite: a failing test and five passing ones.
const SMALL: f64 = 6.0;
/// acc@n.
const AT: [f64; 4] = [1.0, 3.0, 5.0, 10.0];
const RESAMPLES: usize = 2000;
/// Weights of features, which are of size 1, that make no difference are not printed.
const LEAST: f64 = 0.025;

/// How a held-out version was ranked.
struct Held<'v> {
    version: &'v Version,
    /// Position of the first faulty line by each of the rankings.
    positions: Vec<f64>,
    /// The probability of each row's lines, and lines in the order of the ranking: probability, count, faulty.
    order: Vec<(f64, f64, f64)>,
}

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let found =
        if paths.is_empty() { Err("give files written by `suspect eval --features`".into()) } else { read(&paths) };
    match found {
        Ok((names, versions)) if !versions.is_empty() => {
            report(&names, &versions);
            ExitCode::SUCCESS
        }
        Ok(_) => fail("the files hold no version"),
        Err(message) => fail(&message),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("train: {message}");
    ExitCode::FAILURE
}

/// Weights by eye: what fitting starts from, and is held to where versions say little.
const BY_EYE: [(&str, f64); 9] = [
    ("ochiai", 4.0),
    ("ochiai_rank", 1.0),
    ("metallaxis", 2.0),
    ("metallaxis_rank", 1.0),
    ("flip", 1.0),
    ("flip_surprise", 1.0),
    ("flip_share", 1.0),
    ("turning", 2.0),
    ("repair", 2.0),
];
/// Features that may speak for a line or against it.
const OF_EITHER_SIGN: [&str; 14] = [
    "failing_share",
    "passing_share",
    "frequency",
    "changes",
    "breaks",
    "untried",
    "candidates",
    "node",
    "predicate",
    "call",
    "only_call",
    "end",
    "turning_function",
    "metallaxis_function",
];
/// Features that can only speak against a line: what is there makes no difference.
const AGAINST: [&str; 1] = ["constant"];
const RANKINGS: [&str; 7] = ["all evidence", "large suites", "by eye", "ochiai", "metallaxis", "muse", "flip"];
/// Among them, the one of all versions and the one of large suites alone.
const OF_ALL: usize = 0;
const OF_LARGE: usize = 1;

fn report(names: &[String], versions: &[Version]) {
    let programs: BTreeSet<&str> = versions.iter().map(|version| version.program.as_str()).collect();
    let reachable = versions.iter().filter(|version| version.is_reachable()).count();
    println!(
        "{} versions of {} programs, {} with a faulty line that a failing test executes",
        versions.len(),
        programs.len(),
        reachable
    );
    let elsewhere = (versions.len() - reachable) as f64 / versions.len() as f64;
    let programs: Vec<&str> = programs.into_iter().collect();
    let held: Vec<Held> =
        programs.par_iter().flat_map_iter(|program| hold_out(names, versions, program, elsewhere)).collect();
    println!(
        "\nFaults found on held-out programs within the first n lines, ties at their mean, 95 % bootstrap intervals over versions"
    );
    let those =
        |holds: &dyn Fn(&Version) -> bool| -> Vec<&Held> { held.iter().filter(|held| holds(held.version)).collect() };
    table("all programs", &[&those(&|_| true)]);
    for (most, name) in SITUATIONS {
        let holds = |version: &Version| situation(version) == most;
        let those = those(&holds);
        if !those.is_empty() && those.len() < held.len() {
            table(name, &[&those]);
            gain(&those);
        }
    }
    for program in &programs {
        table(program, &[&those(&|version| version.program == *program)]);
    }
    for class in versions.iter().map(|version| version.class.as_str()).collect::<BTreeSet<_>>() {
        table(class, &[&those(&|version| version.class == class)]);
    }
    let (back, others): (Vec<&Held>, Vec<&Held>) =
        held.iter().partition(|held| TAKEN_BACK.contains(&held.version.class.as_str()));
    table("a change takes the fault back literally", &[&back]);
    table("no change does", &[&others]);
    table("as many of either: the mean of both", &[&back, &others]);
    calibration(&held, elsewhere);
    let all: Vec<&Version> = versions.iter().collect();
    let weights = fit(&all, &by_eye(names), PENALTY);
    println!("\nWeights, fitted to all programs; share of faults elsewhere {elsewhere:.3}");
    for (name, weight) in names.iter().zip(&weights).filter(|(_, weight)| weight.abs() >= LEAST) {
        println!("    {name}: {weight:.3},");
    }
}

/// Ranks the versions of `program` with weights fitted to the others.
fn hold_out<'v>(names: &[String], versions: &'v [Version], program: &str, elsewhere: f64) -> Vec<Held<'v>> {
    let others: Vec<&Version> = versions.iter().filter(|version| version.program != program).collect();
    if others.is_empty() {
        return Vec::new();
    }
    let by_eye = by_eye(names);
    let weights = fit(&others, &by_eye, PENALTY);
    let of_large: Vec<&Version> = others.iter().copied().filter(|version| version.tests > SMALL).collect();
    let of_large = match of_large.len() {
        0 => by_eye.start.clone(),
        n if n == others.len() => weights.clone(),
        _ => fit(&of_large, &by_eye, PENALTY),
    };
    let at = |name: &str| names.iter().position(|known| known == name);
    let single = |name: &str| -> Vec<f64> { names.iter().map(|known| f64::from(u8::from(known == name))).collect() };
    // Flips with Ochiai to order equals.
    let mut flip = single("flip_tests");
    at("ochiai").into_iter().for_each(|at| flip[at] = 1e-4);
    let rankings = [
        weights.clone(),
        of_large,
        by_eye.start.clone(),
        single("ochiai"),
        single("metallaxis"),
        single("muse_rank"),
        flip,
    ];
    let hold = |version: &'v Version| {
        let positions = rankings.iter().map(|weights| version.position(&scores(version, weights))).collect();
        Held { version, positions, order: order(version, &weights, elsewhere) }
    };
    versions.iter().filter(|version| version.program == program).map(hold).collect()
}

fn by_eye(names: &[String]) -> Prior {
    let weight = |name: &String| BY_EYE.iter().find(|(known, _)| known == name).map_or(0.0, |(_, weight)| *weight);
    Prior { start: names.iter().map(weight).collect(), signs: names.iter().map(|name| sign(name)).collect() }
}

/// What a feature's weight may be, see [`Prior::signs`].
fn sign(name: &str) -> f64 {
    match name {
        name if AGAINST.contains(&name) => -1.0,
        name if OF_EITHER_SIGN.contains(&name) => 0.0,
        _ => 1.0,
    }
}

/// Rows by descending probability of each line.
fn order(version: &Version, weights: &[f64], elsewhere: f64) -> Vec<(f64, f64, f64)> {
    let scores = scores(version, weights);
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let odds: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = odds.iter().zip(&version.rows).map(|(odds, row)| odds * row.count).sum();
    let rows =
        version.rows.iter().zip(&odds).map(|(row, odds)| ((1.0 - elsewhere) * odds / sum, row.count, row.faulty));
    let mut order: Vec<(f64, f64, f64)> = rows.collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order
}

/// Shares of versions found, the mean over `groups`.
fn table(title: &str, groups: &[&[&Held]]) {
    println!("\n{title} ({} versions)", groups.iter().map(|group| group.len()).sum::<usize>());
    for (at, name) in RANKINGS.iter().enumerate() {
        let cell = |n: f64| {
            let found = |group: &&[&Held]| -> Vec<f64> {
                group.iter().map(|held| f64::from(u8::from(held.positions[at] <= n))).collect()
            };
            let found: Vec<Vec<f64>> = groups.iter().map(found).filter(|found| !found.is_empty()).collect();
            let share = found.iter().map(|group| group.iter().sum::<f64>() / group.len() as f64).sum::<f64>();
            let (low, high) = interval(&found);
            format!("@{n} {:5.1} % ({:.1} to {:.1})", 100.0 * share / found.len() as f64, 100.0 * low, 100.0 * high)
        };
        println!("  {name:<13} {}", AT.map(cell).join("   "));
    }
}

/// The most tests of suites such as the version's.
fn situation(version: &Version) -> f64 {
    SITUATIONS.iter().map(|(most, _)| *most).find(|most| version.tests <= *most).unwrap_or(f64::INFINITY)
}

/// How many versions more all versions' weights find than those of large suites, as a share, with the interval of the paired difference.
fn gain(held: &[&Held]) {
    let cell = |n: f64| {
        let more = more(held, n);
        let mean = more.iter().sum::<f64>() / more.len().max(1) as f64;
        let (low, high) = interval(&[more]);
        format!("@{n} {:+5.1} % ({:+.1} to {:+.1})", 100.0 * mean, 100.0 * low, 100.0 * high)
    };
    println!("  {:<13} {}", "gain", AT.map(cell).join("   "));
}

/// For each version 1 if only all versions' weights have a faulty line within the first `n`, -1 if only those of large suites have, else 0.
fn more(held: &[&Held], n: f64) -> Vec<f64> {
    let found = |held: &Held, ranking: usize| f64::from(u8::from(held.positions[ranking] <= n));
    held.iter().map(|held| found(held, OF_ALL) - found(held, OF_LARGE)).collect()
}

/// The percentile bootstrap interval of the mean of the groups' means.
fn interval(groups: &[Vec<f64>]) -> (f64, f64) {
    if groups.is_empty() {
        return (0.0, 0.0);
    }
    let mut state = 1u64;
    let mut draw = |n: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * n as u128) >> 64) as usize
    };
    let mut of_group =
        |group: &Vec<f64>| (0..group.len()).map(|_| group[draw(group.len())]).sum::<f64>() / group.len() as f64;
    let mean = |_| groups.iter().map(&mut of_group).sum::<f64>() / groups.len() as f64;
    let mut means: Vec<f64> = (0..RESAMPLES).map(mean).collect();
    means.sort_by(f64::total_cmp);
    (means[RESAMPLES / 40], means[RESAMPLES - 1 - RESAMPLES / 40])
}

/// What was said and what came true, on held-out programs.
fn calibration(held: &[Held], elsewhere: f64) {
    let log = |held: &Held| held.order.iter().map(|(p, _, faulty)| p * faulty).sum::<f64>().max(1e-12).ln();
    let mean = held.iter().map(log).sum::<f64>() / held.len().max(1) as f64;
    println!("\nMean logarithm of the probability of held-out faults: {mean:.3}");
    println!(
        "Calibration on held-out programs: probability that the fault is among the first n lines; said, came true, versions"
    );
    for n in AT {
        let said: Vec<(f64, f64)> = held.iter().map(|held| within(&held.order, n)).collect();
        println!("first {n}: expected calibration error {:.3}", error(&said));
        for bin in bins(&said).iter().filter(|bin| !bin.is_empty()) {
            let mean = |of: fn(&(f64, f64)) -> f64| bin.iter().map(of).sum::<f64>() / bin.len() as f64;
            println!("  {:.2} {:.2} {}", mean(|pair| pair.0), mean(|pair| pair.1), bin.len());
        }
    }
    let trials: f64 = held.iter().map(|held| held.version.trials).sum::<f64>() / held.len().max(1) as f64;
    let seconds: f64 = held.iter().map(|held| held.version.seconds).sum::<f64>() / held.len().max(1) as f64;
    println!("{trials:.0} trials and {seconds:.1} s a version in the mean; {elsewhere:.3} of faults elsewhere");
    println!("Position of the first faulty line of each held-out version");
    for held in held {
        println!("  {} ({}) at {}", held.version.name, held.version.class, held.positions[0]);
    }
}

/// The probability that the fault is among the first `n` lines, and how much of it is true: of rows that are in part among them, their share.
fn within(order: &[(f64, f64, f64)], n: f64) -> (f64, f64) {
    let (mut left, mut said, mut missed) = (n, 0.0, 1.0);
    for (p, count, faulty) in order {
        let taken = left.min(*count);
        said += p * taken;
        missed *= (1.0 - faulty / count).powf(taken).max(0.0);
        left -= taken;
        if left <= 0.0 {
            break;
        }
    }
    (said, 1.0 - missed)
}

fn bins(said: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut bins = vec![Vec::new(); 10];
    said.iter().for_each(|pair| bins[((pair.0 * 10.0) as usize).min(9)].push(*pair));
    bins
}

/// Mean difference of what was said and what came true over ten bins of equal width, by how many are in them (Naeini et al. 2015).
fn error(said: &[(f64, f64)]) -> f64 {
    let gap = |bin: &Vec<(f64, f64)>| bin.iter().map(|pair| pair.0 - pair.1).sum::<f64>().abs();
    bins(said).iter().map(gap).sum::<f64>() / said.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(tests: f64, positions: [f64; 2]) -> (Version, Vec<f64>) {
        let (program, name, class) = ("p".into(), "p/v".into(), "c".into());
        let version = Version { program, name, class, rows: Vec::new(), tests, weight: 1.0, trials: 0.0, seconds: 0.0 };
        (version, positions.to_vec())
    }

    #[test]
    fn suites_are_told_apart_by_their_tests() {
        let most = [2.0, 3.0, 4.0, 6.0, 7.0, 900.0].map(|tests| situation(&held(tests, [1.0; 2]).0));
        assert_eq!(most, [3.0, 3.0, 6.0, 6.0, f64::INFINITY, f64::INFINITY]);
    }

    #[test]
    fn a_gain_is_a_difference_of_pairs() {
        let all = [(1.0, 2.0), (4.0, 1.0), (1.0, 20.0), (7.0, 8.0)].map(|(all, large)| held(6.0, [all, large]));
        let held: Vec<Held> = all
            .iter()
            .map(|(version, positions)| Held { version, positions: positions.clone(), order: Vec::new() })
            .collect();
        let held: Vec<&Held> = held.iter().collect();
        assert_eq!(more(&held, 1.0), [1.0, -1.0, 1.0, 0.0]);
        assert_eq!(more(&held, 5.0), [0.0, 0.0, 1.0, 0.0]);
    }
}
