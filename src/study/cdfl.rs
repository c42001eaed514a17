//! CDFL beside its peers: faults among the first places over seeds, ties, accuracy by number of values, cost.

use std::collections::BTreeMap;

use super::{Cell, Figure, StudyRequest, Table};
use crate::eval::{Axis, CONFIDENCE, Curve, Evaluated, MethodSummary, VersionOutcome, VersionResult, draw_curves};
use crate::hom::studies::round_limit;
use crate::rank::compare::{ACC_AT, Achievement, bootstrap_mean, mean};
use crate::rank::{Located, TieBreak};

/// Methods that mutate values, the paper's first.
const CAUSAL: [&str; 3] = ["cdfl_paper", "cdfl", "direct"];
/// Methods that it is compared with.
const PEERS: [&str; 3] = ["ochiai", "slice", "slice_dice"];

/// All of them.
pub(super) fn methods() -> Vec<&'static str> {
    CAUSAL.into_iter().chain(PEERS).collect()
}

/// Results with so many values, for each seed.
type Seeds = Vec<Vec<VersionResult>>;

/// The paper's tables and plot.
pub(super) fn report(results: &[VersionResult], request: &StudyRequest) -> (Vec<Table>, Vec<Figure>) {
    let by_samples: Vec<(u32, Seeds)> =
        request.values.samples.iter().map(|samples| (*samples, seeds(results, request, *samples))).collect();
    let Some((most, last)) = by_samples.last() else { return (Vec::new(), Vec::new()) };
    let n_seeds = request.values.seeds.len();
    let told = format!("{most} values of each node, median of {n_seeds} seeds");
    let mut tables = vec![subjects(results), places(last, request, &told), tied(last, request, &told)];
    let mut figures = Vec::new();
    if by_samples.len() > 1 {
        tables.push(by_values(&by_samples, request, n_seeds));
        figures.push(curve(&by_samples, request));
    }
    tables.push(cost(results, request));
    (tables, figures)
}

fn evaluated(result: &VersionResult) -> Option<&Evaluated> {
    match &result.outcome {
        VersionOutcome::Evaluated(found) => Some(found),
        VersionOutcome::Excluded(_) => None,
    }
}

/// For each seed, the results with what methods find with so many values.
fn seeds(results: &[VersionResult], request: &StudyRequest, samples: u32) -> Seeds {
    let with = |result: &VersionResult, seed: u64| {
        let VersionOutcome::Evaluated(found) = &result.outcome else { return result.clone() };
        let mut found = found.clone();
        let chosen = found.by_values.iter().find(|values| values.seed == seed && values.samples == samples);
        let located = chosen.map(|chosen| chosen.located.clone()).unwrap_or_default();
        found.located.extend(located);
        VersionResult { outcome: VersionOutcome::Evaluated(found), ..result.clone() }
    };
    request.values.seeds.iter().map(|seed| results.iter().map(|result| with(result, *seed)).collect()).collect()
}

/// The middle of some numbers, or the mean of the two in the middle; 0 of none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match (values.len(), values.len() / 2) {
        (0, _) => 0.0,
        (n, half) if n % 2 == 1 => values[half],
        (_, half) => (values[half - 1] + values[half]) / 2.0,
    }
}

/// Each seed's figure of a method; that of methods without values is the same for all seeds.
fn figures(seeds: &Seeds, request: &StudyRequest, id: &str, of: &dyn Fn(&MethodSummary) -> f64) -> Vec<f64> {
    let plain = StudyRequest { resamples: 0, ..request.clone() };
    let figure = |results: &Vec<VersionResult>| plain.summary(results, &[id]).methods.first().map_or(0.0, of);
    let n = if CAUSAL.contains(&id) { seeds.len() } else { 1 };
    seeds.iter().take(n).map(figure).collect()
}

/// acc@1, 3, 5, 10 of a method for each seed, under a tie-breaker.
fn accuracies(seeds: &Seeds, request: &StudyRequest, id: &str, ties: TieBreak) -> [Vec<f64>; ACC_AT.len()] {
    let at = |number: usize| {
        let of = move |method: &MethodSummary| {
            let row = method.acc.iter().find(|acc| acc.ties == ties.name());
            row.map_or(0.0, |acc| [acc.at_1, acc.at_3, acc.at_5, acc.at_10][number])
        };
        figures(seeds, request, id, &of)
    };
    std::array::from_fn(at)
}

/// The interval of acc@1 in versions, from the mean over seeds of each version.
fn interval(seeds: &Seeds, request: &StudyRequest, id: &str, ties: TieBreak) -> [f64; 2] {
    let at = TieBreak::ALL.iter().position(|known| *known == ties).unwrap_or(0);
    let share = |found: &Evaluated| {
        let achieved = Achievement::new(found.located.get(id).map_or(&[][..], Vec::as_slice));
        f64::from(achieved.acc[at][0]) / achieved.n_versions.max(1) as f64
    };
    let shares: Vec<Vec<f64>> =
        seeds.iter().map(|results| results.iter().filter_map(evaluated).map(share).collect()).collect();
    let n = shares.first().map_or(0, Vec::len);
    let means: Vec<f64> =
        (0..n).map(|version| mean(&shares.iter().map(|shares| shares[version]).collect::<Vec<_>>())).collect();
    let bounds = bootstrap_mean(&means, CONFIDENCE, request.resamples, request.seed);
    [bounds.low, bounds.high].map(|bound| bound * n as f64)
}

fn columns(first: &[&str], rest: &[&str]) -> Vec<String> {
    let acc = ACC_AT.map(|n| format!("acc@{n}"));
    let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
    [words(first), acc.to_vec(), words(rest)].concat()
}

fn places(seeds: &Seeds, request: &StudyRequest, told: &str) -> Table {
    let mut rows = Vec::new();
    for id in methods() {
        for ties in TieBreak::ALL {
            let acc = accuracies(seeds, request, id, ties);
            let mut row = vec![Cell::word(id), Cell::word(ties.name())];
            row.extend(acc.iter().map(|seeds| Cell::Number(median(seeds.clone()))));
            let least = acc[0].iter().copied().fold(f64::INFINITY, f64::min);
            let most = acc[0].iter().copied().fold(0.0, f64::max);
            row.extend([least, most].map(|bound| Cell::maybe((acc[0].len() > 1).then_some(bound))));
            row.extend(interval(seeds, request, id, ties).map(Cell::Number));
            rows.push(row);
        }
    }
    Table {
        name: "places".into(),
        title: format!("Versions whose fault is within the first 1, 3, 5, 10, by how ties are read: {told}"),
        columns: columns(&["method", "ties"], &["@1 least", "@1 most", "@1 low", "@1 high"]),
        rows,
        notes: without_trials(seeds)
            .into_iter()
            .chain([
                "least and most: over seeds; low and high: over versions, each with its mean over seeds".into(),
                "the paper has 20 values of each node and the median of ten seeds".into(),
            ])
            .collect(),
    }
}

/// What a reader must know of versions in which no value was mutated: methods that read mutants of values place nothing there.
fn without_trials(seeds: &Seeds) -> Option<String> {
    let results = seeds.first()?;
    let is_without = |result: &&VersionResult| {
        evaluated(result).is_some_and(|found| found.value_trials.is_none_or(|(trials, _)| trials == 0))
    };
    let n_without = results.iter().filter(is_without).count();
    let n_versions = results.iter().filter_map(evaluated).count();
    (n_without > 0).then(|| {
        format!(
            "in {n_without} of {n_versions} versions no trial of a value was done, so {} place nothing there; --search-budget gives them time",
            CAUSAL.join(", ")
        )
    })
}

/// Mean number of units that have the score of the fault.
fn ties_of(results: &[VersionResult], id: &str) -> Option<f64> {
    let tied = |located: &Located| f64::from(located.inspected) - located.position(TieBreak::Best) + 1.0;
    let of_version = |found: &Evaluated| {
        let tied: Vec<f64> = found.located.get(id)?.iter().flatten().map(tied).collect();
        (!tied.is_empty()).then(|| mean(&tied))
    };
    let all: Vec<f64> = results.iter().filter_map(evaluated).filter_map(of_version).collect();
    (!all.is_empty()).then(|| mean(&all))
}

fn tied(seeds: &Seeds, request: &StudyRequest, told: &str) -> Table {
    let row = |id: &'static str| {
        let counts: Vec<f64> = seeds.iter().filter_map(|results| ties_of(results, id)).collect();
        vec![Cell::word(id), Cell::maybe((!counts.is_empty()).then(|| median(counts)))]
    };
    let by = request.granularity().name();
    Table {
        name: "ties".into(),
        title: format!("{by}s that have the same score as the faulty one, itself included, on average: {told}"),
        columns: ["method", "tied"].map(str::to_string).to_vec(),
        rows: methods().into_iter().map(row).collect(),
        notes: Vec::new(),
    }
}

fn by_values(by_samples: &[(u32, Seeds)], request: &StudyRequest, n_seeds: usize) -> Table {
    let mut rows = Vec::new();
    for id in CAUSAL {
        for (samples, seeds) in by_samples {
            let mut row = vec![Cell::word(id), Cell::Number(f64::from(*samples))];
            row.extend(accuracies(seeds, request, id, request.ties).map(|seeds| Cell::Number(median(seeds))));
            rows.push(row);
        }
    }
    Table {
        name: "values".into(),
        title: format!("The same by values of each node: ties {}, median of {n_seeds} seeds", request.ties.name()),
        columns: columns(&["method", "values"], &[]),
        rows,
        notes: vec![
            "fewer values are the first ones of the same campaign".into(),
            "cdfl and direct have neighbouring values besides, but none that a later sample repeats".into(),
        ],
    }
}

fn curve(by_samples: &[(u32, Seeds)], request: &StudyRequest) -> Figure {
    let versions = by_samples.first().and_then(|(_, seeds)| seeds.first());
    let versions = versions.map_or(0, |results| results.iter().filter_map(evaluated).count());
    let of = |id: &str, at: usize| Curve {
        label: format!("{id} acc@{}", ACC_AT[at]),
        points: by_samples
            .iter()
            .map(|(samples, seeds)| {
                let acc = accuracies(seeds, request, id, request.ties);
                (f64::from(*samples), median(acc[at].clone()))
            })
            .collect(),
    };
    let curves: Vec<Curve> = CAUSAL
        .iter()
        .take(2)
        .flat_map(|id| (0..ACC_AT.len()).map(move |at| (id, at)))
        .map(|(id, at)| of(id, at))
        .collect();
    let most = by_samples.last().map_or(1.0, |(samples, _)| f64::from(*samples));
    let x = Axis::to("values of each node", round_limit(most));
    let y = Axis::to(&format!("versions, ties {}", request.ties.name()), round_limit(versions as f64));
    let title =
        format!("CDFL by number of values: {versions} versions, median of {} seeds", request.values.seeds.len());
    Figure { name: "cdfl-values".into(), svg: draw_curves(&title, &x, &y, &curves) }
}

/// The ranked versions of each program.
fn programs(results: &[VersionResult]) -> BTreeMap<&str, Vec<(&VersionResult, &Evaluated)>> {
    let mut programs: BTreeMap<&str, Vec<(&VersionResult, &Evaluated)>> = BTreeMap::new();
    for result in results {
        if let Some(found) = evaluated(result) {
            programs.entry(&result.program).or_default().push((result, found));
        }
    }
    programs
}

fn subjects(results: &[VersionResult]) -> Table {
    let row = |(program, versions): (&str, Vec<(&VersionResult, &Evaluated)>)| {
        let over = |of: &dyn Fn(&Evaluated) -> f64| {
            Cell::Number(mean(&versions.iter().map(|(_, found)| of(found)).collect::<Vec<f64>>()))
        };
        let of_suites = |found: &Evaluated, of: &dyn Fn(u32, u32) -> u32| {
            mean(&found.suites.iter().map(|suite| f64::from(of(suite.failing, suite.passing))).collect::<Vec<f64>>())
        };
        vec![
            Cell::word(program),
            Cell::Number(versions.len() as f64),
            over(&|found| f64::from(found.n_units)),
            over(&|found| f64::from(found.tests.failing + found.tests.passing)),
            over(&|found| found.suites.len() as f64),
            over(&|found| of_suites(found, &|failing, passing| failing + passing)),
            over(&|found| of_suites(found, &|failing, _| failing)),
        ]
    };
    let columns = ["program", "versions", "units", "pool", "suites", "tests in a suite", "failing"];
    Table {
        name: "subjects".into(),
        title: "Programs: means over versions of ranked units, tests of the pool, suites, and tests in a suite".into(),
        columns: columns.map(str::to_string).to_vec(),
        rows: programs(results).into_iter().map(row).collect(),
        notes: Vec::new(),
    }
}

fn cost(results: &[VersionResult], request: &StudyRequest) -> Table {
    let n_seeds = request.values.seeds.len().max(1) as f64;
    let row = |(program, versions): (&str, Vec<(&VersionResult, &Evaluated)>)| {
        let over = |of: &dyn Fn(&(&VersionResult, &Evaluated)) -> f64| {
            Cell::Number(mean(&versions.iter().map(of).collect::<Vec<f64>>()))
        };
        vec![
            Cell::word(program),
            over(&|(result, _)| result.times.build),
            over(&|(result, _)| result.times.tests),
            over(&|(_, found)| found.value_trials.map_or(0.0, |(trials, _)| trials as f64) / n_seeds),
            over(&|(_, found)| found.value_trials.map_or(0.0, |(_, seconds)| seconds) / n_seeds),
        ]
    };
    Table {
        name: "cost".into(),
        title:
            "Cost of a version: seconds to build and to run the tests, trials of values and their seconds for each seed"
                .into(),
        columns: ["program", "build", "tests", "trials", "seconds"].map(str::to_string).to_vec(),
        rows: programs(results).into_iter().map(row).collect(),
        notes: vec!["seconds are of this machine, with other versions under way at the same time".into()],
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 9.0]), 3.0);
        assert_eq!(median(Vec::new()), 0.0);
    }
}
