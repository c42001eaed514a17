//! Causal likelihood beside the 127 measures: accuracy by number of faults, n-scores.

use std::collections::BTreeMap;

use super::{Cell, Figure, StudyRequest, Table};
use crate::eval::{Axis, Benchmark, Curve, MethodSummary, Summary, VersionOutcome, VersionResult, draw_curves};
use crate::hom::studies::round_limit;
use crate::spectra::measures;

/// Doric's own methods.
const CAUSAL: [&str; 3] = ["cln", "clu", "pf"];
/// Measures that tables show, those with the best accuracy.
const SHOWN: usize = 10;
/// Units by which means of units may differ and count as equal: sums of fractions are not exact.
const EQUAL: f64 = 1e-9;

/// Doric's methods and the 127 measures.
pub(super) fn methods() -> Vec<&'static str> {
    CAUSAL
        .into_iter()
        .chain(measures::all().iter().filter(|measure| measure.classic).map(|measure| measure.id))
        .collect()
}

/// Versions with the same number of faults.
struct Group {
    /// Number of faults; `None` for all versions.
    faults: Option<u32>,
    summary: Summary,
}

impl Group {
    fn name(&self) -> String {
        self.faults.map_or("all".into(), |faults| faults.to_string())
    }

    fn method(&self, id: &str) -> Option<&MethodSummary> {
        self.summary.methods.iter().find(|method| method.method == id)
    }

    /// Mean number of units inspected in vain.
    fn accuracy(&self, id: &str, ties: &str) -> Option<f64> {
        let method = self.method(id).filter(|method| method.ranked > 0.0)?;
        method.wasted.iter().find(|wasted| wasted.ties == ties).map(|wasted| wasted.mean)
    }
}

/// The paper's tables and plots.
pub(super) fn report(
    benchmark: &Benchmark,
    results: &[VersionResult],
    request: &StudyRequest,
) -> (Vec<Table>, Vec<Figure>) {
    let groups = groups(benchmark, results, request);
    let ties = request.ties.name();
    let measures: Vec<&str> = methods().into_iter().filter(|id| !CAUSAL.contains(id)).collect();
    let rows = rows(&groups, &measures, ties);
    let tables = vec![accuracy(&groups, &rows, ties), ahead(&groups, &measures, ties), n_scores(&groups, &rows, ties)];
    (tables, vec![accuracy_plot(&groups, &rows, ties), n_scores_plot(&groups, &rows, ties)])
}

/// A group for each number of faults, ascending, and one of all.
fn groups(benchmark: &Benchmark, results: &[VersionResult], request: &StudyRequest) -> Vec<Group> {
    let mut by_faults: BTreeMap<u32, Vec<VersionResult>> = BTreeMap::new();
    let is_ranked = |result: &&VersionResult| matches!(result.outcome, VersionOutcome::Evaluated(_));
    for result in results.iter().filter(is_ranked) {
        let program = benchmark.programs.iter().find(|program| program.name == result.program);
        let version = program.and_then(|program| program.versions.iter().find(|one| one.name == result.version));
        by_faults.entry(version.map_or(1, |version| version.faults)).or_default().push(result.clone());
    }
    let ids = methods();
    let all: Vec<VersionResult> = by_faults.values().flatten().cloned().collect();
    let of = |(faults, results): (u32, Vec<VersionResult>)| Group {
        faults: Some(faults),
        summary: request.summary(&results, &ids),
    };
    let whole = Group { faults: None, summary: request.summary(&all, &ids) };
    by_faults.into_iter().map(of).chain([whole]).collect()
}

/// Doric's methods, and the measures that are most accurate over all versions.
fn rows<'a>(groups: &[Group], measures: &[&'a str], ties: &str) -> Vec<&'a str> {
    let accuracy = |id: &str| groups.last().and_then(|all| all.accuracy(id, ties)).unwrap_or(f64::INFINITY);
    let mut best = measures.to_vec();
    // Stable: equals stay in the catalogue's order.
    best.sort_by(|a, b| accuracy(a).total_cmp(&accuracy(b)));
    CAUSAL.into_iter().chain(best.into_iter().take(SHOWN)).collect()
}

fn accuracy(groups: &[Group], rows: &[&str], ties: &str) -> Table {
    let mut columns = vec!["method".to_string()];
    columns.extend(groups.iter().map(Group::name));
    columns.extend(["low", "high"].map(str::to_string));
    let mut versions = vec![Cell::word("versions")];
    versions.extend(groups.iter().map(|group| Cell::Number(f64::from(group.summary.versions))));
    versions.extend([Cell::None(()), Cell::None(())]);
    let row = |id: &&str| {
        let mut row = vec![Cell::word(id)];
        row.extend(groups.iter().map(|group| Cell::maybe(group.accuracy(id, ties))));
        let bounds = groups.last().and_then(|all| all.method(id)).map(|method| method.intervals.wasted);
        row.extend([bounds.map(|bounds| bounds.low), bounds.map(|bounds| bounds.high)].map(Cell::maybe));
        row
    };
    Table {
        name: "accuracy".into(),
        title: format!("Accuracy: units inspected in vain on average (ties {ties}), by number of faults"),
        columns,
        rows: std::iter::once(versions).chain(rows.iter().map(row)).collect(),
        notes: vec![
            format!(
                "of the 127 measures, the {SHOWN} most accurate ones over all versions; low and high bound their mean"
            ),
            "versions of which no ranked unit holds the fault have no accuracy".into(),
        ],
    }
}

fn ahead(groups: &[Group], measures: &[&str], ties: &str) -> Table {
    let row = |group: &Group, causal: &str| {
        let own = group.accuracy(causal, ties);
        let others: Vec<f64> = measures.iter().filter_map(|id| group.accuracy(id, ties)).collect();
        let count = |is: &dyn Fn(f64) -> bool| {
            Cell::maybe(own.map(|own| others.iter().filter(|other| is(**other - own)).count() as f64))
        };
        vec![
            Cell::word(causal),
            Cell::Word(group.name()),
            Cell::Number(f64::from(group.summary.versions)),
            count(&|more| more < -EQUAL),
            count(&|more| more.abs() <= EQUAL),
            count(&|more| more > EQUAL),
            Cell::maybe((causal == CAUSAL[0]).then_some(0.0)),
        ]
    };
    let rows = CAUSAL.iter().flat_map(|causal| groups.iter().map(|group| row(group, causal)));
    Table {
        name: "ahead".into(),
        title: format!("The 127 measures by accuracy (ties {ties}), against Doric's methods"),
        columns: ["method", "faults", "versions", "ahead of it", "equal", "behind", "ahead, published"]
            .map(str::to_string)
            .to_vec(),
        rows: rows.collect(),
        notes: vec!["published: causal likelihood is ahead of all 127, on other programs".into()],
    }
}

/// The n-scores of a method over all versions.
fn shares<'a>(groups: &'a [Group], id: &str, ties: &str) -> &'a [f64] {
    let method = groups.last().and_then(|all| all.method(id));
    let row = method.and_then(|method| method.n_scores.iter().find(|row| row.ties == ties));
    row.map_or(&[], |row| row.shares.as_slice())
}

fn n_scores(groups: &[Group], rows: &[&str], ties: &str) -> Table {
    let mut columns = vec!["method".to_string()];
    columns.extend((0..=10).map(|n| n.to_string()));
    let row = |id: &&str| {
        let mut row = vec![Cell::word(id)];
        row.extend(shares(groups, id, ties).iter().map(|share| Cell::Number(share * 100.0)));
        row
    };
    Table {
        name: "n-scores".into(),
        title: format!("n-scores: share of faults met after at most n units inspected in vain (%, ties {ties})"),
        columns,
        rows: rows.iter().map(row).collect(),
        notes: Vec::new(),
    }
}

fn accuracy_plot(groups: &[Group], rows: &[&str], ties: &str) -> Figure {
    let numbered: Vec<(&Group, f64)> =
        groups.iter().filter_map(|group| Some((group, f64::from(group.faults?)))).collect();
    let curve = |id: &&str| {
        let points = numbered.iter().filter_map(|(group, faults)| Some((*faults, group.accuracy(id, ties)?)));
        Curve { label: id.to_string(), points: points.collect() }
    };
    let curves: Vec<Curve> = rows.iter().map(curve).collect();
    let most =
        |of: &dyn Fn(&(f64, f64)) -> f64| curves.iter().flat_map(|curve| &curve.points).map(of).fold(0.0, f64::max);
    let x = Axis::to("faults", round_limit(most(&|point| point.0)));
    let y = Axis::to(&format!("units inspected in vain, ties {ties}"), round_limit(most(&|point| point.1)));
    Figure { name: "doric-accuracy".into(), svg: draw_curves("Accuracy by number of faults", &x, &y, &curves) }
}

fn n_scores_plot(groups: &[Group], rows: &[&str], ties: &str) -> Figure {
    let curve = |id: &&str| {
        let points = shares(groups, id, ties).iter().enumerate();
        Curve { label: id.to_string(), points: points.map(|(n, share)| (n as f64, *share)).collect() }
    };
    let curves: Vec<Curve> = rows.iter().map(curve).collect();
    let x = Axis::to(&format!("n: units inspected in vain, ties {ties}"), 10.0);
    Figure {
        name: "doric-n-scores".into(),
        svg: draw_curves("n-scores over all versions", &x, &Axis::share("faults met"), &curves),
    }
}
