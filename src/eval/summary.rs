//! What methods achieve over some versions, with intervals, and which differ.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ReportOptions;
use crate::rank::Located;
use crate::rank::TieBreak;
use crate::rank::compare::{
    ACC_AT, Achievement, Interval, bootstrap_mean, exams, holm, located_curve, mean, signed_rank,
};

/// Confidence of the intervals.
pub const CONFIDENCE: f64 = 0.95;

/// What methods achieve over some versions. A version that was ranked with several suites counts once, with the mean over them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Versions ranked.
    pub versions: u32,
    /// Versions that cannot be ranked.
    pub excluded: u32,
    /// In the order asked for.
    pub methods: Vec<MethodSummary>,
    /// Pairs of methods, tested on the shares of code examined.
    pub comparisons: Vec<Comparison>,
}

/// What a method achieves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MethodSummary {
    /// The method.
    pub method: String,
    /// Versions in which some ranked unit holds a faulty line; a fraction where suites of one version differ.
    pub ranked: f64,
    /// acc@n: versions whose fault is among the first n units, for each tie-breaker.
    pub acc: Vec<AccAt>,
    /// n-scores: share of versions whose fault is met after at most n units inspected in vain, for each tie-breaker.
    pub n_scores: Vec<NScoreRow>,
    /// EXAM: mean share of the code examined until the fault is found, ties examined whole; 1 where it is not ranked.
    pub exam: f64,
    /// Accuracy: mean number of units inspected in vain over ranked faults, for each tie-breaker.
    pub wasted: Vec<Wasted>,
    /// Mean T-score, for methods that rank predicates.
    pub t_score: Option<f64>,
    /// Bootstrap intervals under the report's tie-breaker.
    pub intervals: Intervals,
    /// Share of code examined and share of faults located by then, at each point where the latter rises.
    pub curve: Vec<(f64, f64)>,
}

/// acc@1, 3, 5 and 10 under a tie-breaker, in versions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccAt {
    /// The tie-breaker.
    pub ties: String,
    /// Within the first place.
    pub at_1: f64,
    /// Within the first three.
    pub at_3: f64,
    /// Within the first five.
    pub at_5: f64,
    /// Within the first ten.
    pub at_10: f64,
}

/// n-scores under a tie-breaker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NScoreRow {
    /// The tie-breaker.
    pub ties: String,
    /// For n from 0 to 10.
    pub shares: Vec<f64>,
}

/// Units inspected in vain under a tie-breaker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Wasted {
    /// The tie-breaker.
    pub ties: String,
    /// Their mean number.
    pub mean: f64,
}

/// An interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Intervals of a method's numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Intervals {
    /// Of acc@1, 3, 5 and 10.
    pub acc: Vec<Bounds>,
    /// Of EXAM.
    pub exam: Bounds,
    /// Of the accuracy.
    pub wasted: Bounds,
}

/// Whether two methods differ (Wilcoxon's signed-rank test on the shares of code examined in each version).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// One method.
    pub first: String,
    /// The other.
    pub second: String,
    /// Versions in which the first examines less.
    pub first_better: u32,
    /// Versions in which the second does.
    pub second_better: u32,
    /// Probability of a difference this uneven if the methods are equally good.
    pub p: f64,
    /// The same, corrected for all comparisons of this summary (Holm).
    pub p_corrected: f64,
    /// Rank-biserial correlation: -1 if the first method is always better, 1 if the second.
    pub effect: f64,
}

/// One version as a method ranks it.
#[derive(Clone, Debug)]
pub(super) struct Ranked<'a> {
    /// Where each suite puts the fault; at least one.
    pub located: &'a [Option<Located>],
    /// T-score with each suite; may be empty.
    pub t_scores: &'a [f64],
}

impl Summary {
    /// Of `methods`, each with all versions in the same order.
    pub(super) fn new(methods: &[(&str, Vec<Ranked>)], excluded: u32, options: &ReportOptions) -> Summary {
        let summaries = methods.par_iter().map(|(method, versions)| method_summary(method, versions, options));
        Summary {
            versions: methods.first().map_or(0, |(_, versions)| versions.len() as u32),
            excluded,
            methods: summaries.collect(),
            comparisons: comparisons(methods, options.against.as_deref()),
        }
    }
}

fn method_summary(method: &str, versions: &[Ranked], options: &ReportOptions) -> MethodSummary {
    let achieved: Vec<Achievement> = versions.iter().map(|version| Achievement::new(version.located)).collect();
    let mean_of = |value: &dyn Fn(&Achievement) -> f64| mean(&achieved.iter().map(value).collect::<Vec<_>>());
    let sum_of = |value: &dyn Fn(&Achievement) -> f64| achieved.iter().map(value).sum::<f64>();
    let share = |achievement: &Achievement, count: f64| count / achievement.n_versions.max(1) as f64;
    let ties = || TieBreak::ALL.iter().enumerate();
    let acc = |at: usize, n: usize| sum_of(&|a| share(a, f64::from(a.acc[at][n])));
    let ranked: Vec<&Achievement> = achieved.iter().filter(|a| a.n_ranked > 0).collect();
    let wasted = |at: usize| ranked.iter().map(|a| a.wasted[at]).collect::<Vec<f64>>();
    let t_scores: Vec<f64> = versions.iter().filter(|v| !v.t_scores.is_empty()).map(|v| mean(v.t_scores)).collect();
    let chosen = TieBreak::ALL.iter().position(|ties| *ties == options.ties).unwrap_or(0);
    let bounds = |values: &[f64], scale: f64| {
        let Interval { low, high, .. } = bootstrap_mean(values, CONFIDENCE, options.resamples, options.seed);
        Bounds { low: low * scale, high: high * scale }
    };
    let acc_shares = |n: usize| achieved.iter().map(|a| share(a, f64::from(a.acc[chosen][n]))).collect::<Vec<f64>>();
    let suites: Vec<&[Option<Located>]> = versions.iter().map(|version| version.located).collect();
    MethodSummary {
        method: method.to_string(),
        ranked: sum_of(&|a| share(a, a.n_ranked as f64)),
        acc: ties()
            .map(|(at, ties)| AccAt {
                ties: ties.name().into(),
                at_1: acc(at, 0),
                at_3: acc(at, 1),
                at_5: acc(at, 2),
                at_10: acc(at, 3),
            })
            .collect(),
        n_scores: ties()
            .map(|(at, ties)| NScoreRow {
                ties: ties.name().into(),
                shares: (0..11).map(|n| mean_of(&|a| a.n_scores[at].0[n])).collect(),
            })
            .collect(),
        exam: mean_of(&|a| a.exam),
        wasted: ties().map(|(at, ties)| Wasted { ties: ties.name().into(), mean: mean(&wasted(at)) }).collect(),
        t_score: (!t_scores.is_empty()).then(|| mean(&t_scores)),
        intervals: Intervals {
            acc: (0..ACC_AT.len()).map(|n| bounds(&acc_shares(n), versions.len() as f64)).collect(),
            exam: bounds(&achieved.iter().map(|a| a.exam).collect::<Vec<_>>(), 1.0),
            wasted: bounds(&wasted(chosen), 1.0),
        },
        curve: located_curve(&suites),
    }
}

/// Tests pairs of methods: all, or all others against one.
fn comparisons(methods: &[(&str, Vec<Ranked>)], against: Option<&str>) -> Vec<Comparison> {
    let examined =
        |versions: &[Ranked]| -> Vec<f64> { versions.iter().map(|version| mean(&exams(version.located))).collect() };
    let examined: Vec<Vec<f64>> = methods.iter().map(|(_, versions)| examined(versions)).collect();
    let all = (0..methods.len()).flat_map(|first| (first + 1..methods.len()).map(move |second| (first, second)));
    let pairs: Vec<(usize, usize)> = match against.and_then(|id| methods.iter().position(|(method, _)| *method == id)) {
        Some(other) => (0..methods.len()).filter(|first| *first != other).map(|first| (first, other)).collect(),
        None => all.collect(),
    };
    let paired: Vec<_> =
        pairs.par_iter().map(|(first, second)| signed_rank(&examined[*first], &examined[*second])).collect();
    let corrected = holm(&paired.iter().map(|paired| paired.p).collect::<Vec<_>>());
    let comparison =
        |((pair, paired), p_corrected): ((&(usize, usize), &crate::rank::compare::Paired), f64)| Comparison {
            first: methods[pair.0].0.to_string(),
            second: methods[pair.1].0.to_string(),
            first_better: paired.wins.0 as u32,
            second_better: paired.wins.1 as u32,
            p: paired.p,
            p_corrected,
            effect: paired.effect,
        };
    pairs.iter().zip(&paired).zip(corrected).map(comparison).collect()
}
