//! BlockRank beside its peers: faults located within shares of the code, and how the shares spread.

use super::{Cell, Figure, StudyRequest, Table};
use crate::eval::{Axis, CONFIDENCE, Curve, Evaluated, VersionOutcome, VersionResult, draw_curves};
use crate::hom::studies::Spread;
use crate::rank::compare::{bootstrap_mean, located_curve, mean};

/// BlockRank in its three readings, and those that it is compared with.
pub(super) const METHODS: [&str; 12] = [
    "blockrank",
    "blockrank_literal",
    "blockrank_recursive",
    "cp",
    "tarantula",
    "jaccard",
    "ochiai",
    "sbi",
    "cbi",
    "sober",
    "des_cbi",
    "des_sober",
];

/// Shares of the code, in per cent, within which faults count as located.
const WITHIN: [f64; 4] = [5.0, 10.0, 15.0, 20.0];

/// Shares of the code that somebody examines, 0 to 1: for each version, with each of its suites.
type Examined = Vec<Vec<f64>>;

/// The paper's table and plot.
pub(super) fn report(results: &[VersionResult], request: &StudyRequest) -> (Vec<Table>, Vec<Figure>) {
    let versions: Vec<&Evaluated> = results
        .iter()
        .filter_map(|result| match &result.outcome {
            VersionOutcome::Evaluated(found) => Some(found),
            VersionOutcome::Excluded(_) => None,
        })
        .collect();
    let examined = |id: &str| -> Examined {
        let of = |found: &&Evaluated| found.located.get(id).map(|located| crate::rank::compare::exams(located));
        versions.iter().filter_map(of).collect()
    };
    let scored =
        |id: &str| -> Examined { versions.iter().filter_map(|found| found.t_scores.get(id).cloned()).collect() };
    let by = request.granularity().name();
    let title = format!("Faults located within shares of the code (%, {by}s, ties whole), and shares examined (%)");
    let mut ranked = table("located", title, request);
    ranked.rows = METHODS.iter().map(|id| row(id, &examined(id), request)).collect();
    ranked.notes = vec![
        "deviation: of the sample".into(),
        "a fault that no ranked unit holds costs all code; a version with several suites counts once".into(),
    ];
    let title = "The same for predicates by T-score: shares of the lines, followed from the five highest predicates";
    let mut by_predicates = table("t-scores", title.into(), request);
    let predicates = METHODS.iter().map(|id| (id, scored(id))).filter(|(_, scores)| !scores.is_empty());
    by_predicates.rows = predicates.map(|(id, scores)| row(id, &scores, request)).collect();
    (vec![ranked, by_predicates], vec![plot(&versions)])
}

fn table(name: &str, title: String, request: &StudyRequest) -> Table {
    let mut columns: Vec<String> = ["method", "versions"].map(str::to_string).to_vec();
    columns.extend(WITHIN.map(|share| format!("<= {share}")));
    columns.extend(["mean", "low", "high", "least", "most", "deviation"].map(str::to_string));
    let title = match request.max_failing {
        Some(most) => format!("{title}, of versions with at most {} % failing tests", most * 100.0),
        None => title,
    };
    Table { name: name.into(), title, columns, rows: Vec::new(), notes: Vec::new() }
}

fn row(id: &str, examined: &Examined, request: &StudyRequest) -> Vec<Cell> {
    let percent: Vec<Vec<f64>> =
        examined.iter().map(|suites| suites.iter().map(|share| share * 100.0).collect()).collect();
    let located = |limit: f64| {
        let share =
            |suites: &Vec<f64>| suites.iter().filter(|share| **share <= limit).count() as f64 / suites.len() as f64;
        mean(&percent.iter().map(share).collect::<Vec<f64>>()) * 100.0
    };
    let means: Vec<f64> = percent.iter().map(|suites| mean(suites)).collect();
    let interval = bootstrap_mean(&means, CONFIDENCE, request.resamples, request.seed);
    let spread = Spread::of(&means);
    let mut row = vec![Cell::word(id), Cell::Number(means.len() as f64)];
    row.extend(WITHIN.map(|limit| Cell::Number(located(limit))));
    let figures = [interval.estimate, interval.low, interval.high, spread.least, spread.most, spread.deviation];
    row.extend(figures.map(|figure| Cell::maybe((!means.is_empty()).then_some(figure))));
    row
}

fn plot(versions: &[&Evaluated]) -> Figure {
    let curve = |id: &&str| {
        let located: Vec<_> = versions.iter().filter_map(|found| found.located.get(*id)).collect();
        Curve::steps(id, &located_curve(&located), 1.0)
    };
    let curves: Vec<Curve> = METHODS.iter().map(curve).collect();
    let title = format!("BlockRank and its peers: {} versions", versions.len());
    let (x, y) = (Axis::share("code examined, ties whole"), Axis::share("faults located"));
    Figure { name: "blockrank-located".into(), svg: draw_curves(&title, &x, &y, &curves) }
}
