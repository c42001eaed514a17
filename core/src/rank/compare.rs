//! Methods compared over faulty versions: what each achieves, with what uncertainty, and whether two differ.

use super::{Located, NScores, TieBreak};

/// The n of acc@n.
pub const ACC_AT: [u32; 4] = [1, 3, 5, 10];

/// What a method achieves over some versions.
#[derive(Clone, Debug, PartialEq)]
pub struct Achievement {
    /// Versions.
    pub n_versions: usize,
    /// Versions whose fault the method ranked at all.
    pub n_ranked: usize,
    /// acc@n: versions whose fault is among the first n units; a row for each of [`TieBreak::ALL`], a column for each of [`ACC_AT`].
    pub acc: [[u32; 4]; 4],
    /// n-scores, for each of [`TieBreak::ALL`].
    pub n_scores: [NScores; 4],
    /// Mean share of the code examined, ties whole; a fault that is not ranked costs all code.
    pub exam: f64,
    /// Mean number of units inspected in vain over ranked faults, for each of [`TieBreak::ALL`]; 0 if none is ranked.
    pub wasted: [f64; 4],
}

impl Achievement {
    /// Of where each version's fault was located; `None` where it was not ranked.
    pub fn new(versions: &[Option<Located>]) -> Self {
        let ranked: Vec<&Located> = versions.iter().flatten().collect();
        let within = |n, ties| ranked.iter().filter(|located| located.within(n, ties)).count() as u32;
        let wasted = |ties| mean(&ranked.iter().map(|located| located.wasted(ties)).collect::<Vec<_>>());
        Achievement {
            n_versions: versions.len(),
            n_ranked: ranked.len(),
            acc: TieBreak::ALL.map(|ties| ACC_AT.map(|n| within(n, ties))),
            n_scores: TieBreak::ALL.map(|ties| NScores::new(versions, ties)),
            exam: mean(&exams(versions)),
            wasted: TieBreak::ALL.map(wasted),
        }
    }
}

/// The share of code examined in each version; 1 where the fault was not ranked.
pub fn exams(versions: &[Option<Located>]) -> Vec<f64> {
    versions.iter().map(|version| version.as_ref().map_or(1.0, Located::exam)).collect()
}

/// Points of the curve of located faults against examined code: each share of code at which another fault is found, and
/// the share of versions found by then. A version may have been ranked several times, with several suites, which share its
/// weight. Faults that were not ranked are never found.
pub fn located_curve<V: AsRef<[Option<Located>]>>(versions: &[V]) -> Vec<(f64, f64)> {
    let weighted = |version: &V| {
        let version = version.as_ref();
        let weight = 1.0 / (version.len() * versions.len()) as f64;
        version.iter().flatten().map(|located| (located.exam(), weight)).collect::<Vec<_>>()
    };
    let mut found: Vec<(f64, f64)> = versions.iter().flat_map(weighted).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut share = 0.0;
    for (exam, weight) in found {
        share += weight;
        match points.last_mut() {
            Some(last) if last.0 == exam => last.1 = share,
            _ => points.push((exam, share)),
        }
    }
    points
}

/// The mean; 0 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// An estimate with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimate from all values.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The mean of `values` with its percentile bootstrap interval at `confidence` (as 0.95), from `resamples` samples with
/// replacement (Efron 1979). The same seed gives the same interval.
pub fn bootstrap_mean(values: &[f64], confidence: f64, resamples: usize, seed: u64) -> Interval {
    let estimate = mean(values);
    if values.is_empty() || resamples == 0 {
        return Interval { estimate, low: estimate, high: estimate };
    }
    let mut random = Random(seed);
    let mut means: Vec<f64> = (0..resamples)
        .map(|_| (0..values.len()).map(|_| values[random.below(values.len())]).sum::<f64>() / values.len() as f64)
        .collect();
    means.sort_by(f64::total_cmp);
    let quantile = |q: f64| means[((q * (resamples - 1) as f64).round() as usize).min(resamples - 1)];
    let tail = (1.0 - confidence) / 2.0;
    Interval { estimate, low: quantile(tail), high: quantile(1.0 - tail) }
}

/// SplitMix64 (Steele, Lea and Flood 2014): enough for resampling, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; the bias is below `n / 2^64`.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

/// Whether one of two methods is better, by their values in the same versions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Versions in which the values differ; the others say nothing.
    pub n_different: usize,
    /// Versions in which the first method's value is smaller, and in which it is larger.
    pub wins: (usize, usize),
    /// Two-sided probability of ranks this uneven if the methods are equally good; 1 without a difference.
    pub p: f64,
    /// Rank-biserial correlation, the share of rank sums for larger first values less that for smaller: from -1 (the first method's values
    /// are always smaller) to 1.
    pub effect: f64,
}

/// Differences up to which the rank distribution is counted out rather than approximated.
const EXACT_UP_TO: usize = 200;

/// The Wilcoxon signed-rank test of pairs of values. Chosen over a t-test because shares of examined code are skewed, and over a sign test
/// because it sees how much is at stake.
///
/// Pairs of equal values are left out; equal differences share their mean rank. Up to 200 differences the distribution is exact, given the
/// ties; beyond, normal with the variance corrected for them. The test needs no chance and so no seed.
pub fn signed_rank(first: &[f64], second: &[f64]) -> Paired {
    let mut differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).filter(|d| *d != 0.0).collect();
    differences.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = doubled_ranks(&differences);
    let all: u64 = ranks.iter().sum();
    let larger: u64 = differences.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, rank)| rank).sum();
    let p = match differences.len() {
        0 => 1.0,
        n if n <= EXACT_UP_TO => exact_p(&ranks, larger.min(all - larger)),
        _ => normal_p(&ranks, larger),
    };
    let n_larger = differences.iter().filter(|d| **d > 0.0).count();
    Paired {
        n_different: differences.len(),
        wins: (differences.len() - n_larger, n_larger),
        p,
        effect: if all == 0 { 0.0 } else { (2.0 * larger as f64 - all as f64) / all as f64 },
    }
}

/// Twice the rank of each of some differences in ascending order of size, equals sharing the mean: whole numbers.
fn doubled_ranks(differences: &[f64]) -> Vec<u64> {
    let mut ranks = vec![0; differences.len()];
    let mut start = 0;
    while start < differences.len() {
        let size = differences[start].abs();
        let same = |d: &&f64| d.abs() - size <= 1e-12 * size;
        let end = start + differences[start..].iter().take_while(same).count();
        ranks[start..end].fill((start + 1 + end) as u64);
        start = end;
    }
    ranks
}

/// Twice the probability of a rank sum of at most `low` when every difference is as likely of either sign.
fn exact_p(ranks: &[u64], low: u64) -> f64 {
    // Probability of each sum so far; sums beyond `low` cannot come back.
    let mut probability = vec![0.0; low as usize + 1];
    probability[0] = 1.0;
    for &rank in ranks {
        for sum in (0..probability.len()).rev() {
            let with = (sum as u64).checked_sub(rank).map_or(0.0, |rest| probability[rest as usize]);
            probability[sum] = (probability[sum] + with) / 2.0;
        }
    }
    (2.0 * probability.iter().sum::<f64>()).min(1.0)
}

fn normal_p(ranks: &[u64], larger: u64) -> f64 {
    let expected = ranks.iter().sum::<u64>() as f64 / 2.0;
    let variance = ranks.iter().map(|rank| (*rank as f64).powi(2)).sum::<f64>() / 4.0;
    // Sums of doubled ranks go in steps of 2 without ties: half a step is 1.
    let z = ((larger as f64 - expected).abs() - 1.0).max(0.0) / variance.sqrt();
    2.0 * upper_tail(z)
}

/// The probability that a standard normal number exceeds `z >= 0` (Abramowitz and Stegun 26.2.17, error below 7.5e-8).
fn upper_tail(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let series = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = series.iter().rev().fold(0.0, |sum, coefficient| (sum + coefficient) * t);
    sum * (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// Probabilities of several tests, each corrected for there being several (Holm 1979).
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut corrected = vec![0.0; p.len()];
    let mut least = 0.0f64;
    for (at, &test) in order.iter().enumerate() {
        least = least.max((p[test] * (p.len() - at) as f64).min(1.0));
        corrected[test] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Ranking;
    use super::*;

    #[test]
    fn achievements_count_versions() {
        let ranking = Ranking::new((0..20).map(|unit| -f64::from(unit)).collect());
        let versions =
            [Some(0), Some(3), Some(15), None].map(|fault| fault.and_then(|fault| Located::new(&ranking, &[fault])));
        let achieved = Achievement::new(&versions);
        assert_eq!((achieved.n_versions, achieved.n_ranked), (4, 3));
        assert_eq!(achieved.acc, [[1, 1, 2, 2]; 4]);
        assert_eq!(achieved.exam, (0.05 + 0.2 + 0.8 + 1.0) / 4.0);
        assert_eq!(achieved.wasted, [6.0; 4]);
        assert_eq!(Achievement::new(&[]).exam, 0.0);
    }

    #[test]
    fn the_curve_rises_at_each_fault() {
        let ranking = Ranking::new(vec![4.0, 3.0, 3.0, 1.0]);
        let versions =
            [Some(1), Some(0), Some(2), None].map(|fault| fault.and_then(|fault| Located::new(&ranking, &[fault])));
        assert_eq!(located_curve(&versions.map(|version| [version])), [(0.25, 0.25), (0.75, 0.75)]);
        // Two suites of one version weigh as much as the one suite of another.
        let twice = [vec![versions[0], versions[1]], vec![versions[1]]];
        assert_eq!(located_curve(&twice), [(0.25, 0.75), (0.75, 1.0)]);
        assert!(located_curve::<[Option<Located>; 1]>(&[]).is_empty());
    }

    #[test]
    fn signed_ranks_have_the_tabulated_probabilities() {
        // Six differences of one sign: 2 / 2^6.
        let first = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let none = [0.0; 6];
        let paired = signed_rank(&first, &none);
        assert_eq!((paired.p, paired.effect, paired.wins, paired.n_different), (0.03125, 1.0, (0, 6), 6));
        assert_eq!(signed_rank(&none, &first).effect, -1.0);
        // W = 8 of n = 10 is the tabulated bound for 5 % (two-sided): p = 0.0488.
        let signs = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0];
        let differences: Vec<f64> = signs.iter().zip(1..).map(|(sign, size)| sign * f64::from(size)).collect();
        assert!((signed_rank(&differences, &[0.0; 10]).p - 50.0 / 1024.0).abs() < 1e-12);
        assert_eq!(signed_rank(&first, &first).p, 1.0);
        assert_eq!(signed_rank(&[], &[]).p, 1.0);
    }

    #[test]
    fn many_differences_are_approximated_closely() {
        let differences: Vec<f64> =
            (1..=200).map(|size| if size % 5 < 3 { f64::from(size) } else { -f64::from(size) }).collect();
        let ranks = doubled_ranks(&differences);
        let larger: u64 = differences.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, rank)| rank).sum();
        let all: u64 = ranks.iter().sum();
        let exact = exact_p(&ranks, larger.min(all - larger));
        assert!((normal_p(&ranks, larger) - exact).abs() < 2e-3 && exact < 0.05, "{exact}");
    }

    #[test]
    fn corrected_probabilities_are_holms() {
        assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    #[test]
    fn an_interval_is_repeatable_and_covers_the_mean() {
        let values: Vec<f64> = (0..50).map(|n| f64::from(n % 7)).collect();
        let interval = bootstrap_mean(&values, 0.95, 2000, 1);
        assert_eq!(interval, bootstrap_mean(&values, 0.95, 2000, 1));
        assert_ne!(interval, bootstrap_mean(&values, 0.95, 2000, 2));
        // The standard error of this mean is 0.28.
        assert!(interval.low < interval.estimate - 0.4 && interval.low > interval.estimate - 0.7);
        assert!(interval.high > interval.estimate + 0.4 && interval.high < interval.estimate + 0.7);
        assert_eq!(bootstrap_mean(&[], 0.95, 100, 1), Interval { estimate: 0.0, low: 0.0, high: 0.0 });
    }

    proptest! {
        #[test]
        fn exact_probabilities_are_those_of_all_signs(sizes in prop::collection::vec(1i32..6, 1..11), signs in any::<u16>()) {
            let differences: Vec<f64> =
                sizes.iter().enumerate().map(|(at, size)| f64::from(if signs >> at & 1 == 1 { *size } else { -size })).collect();
            let paired = signed_rank(&differences, &vec![0.0; differences.len()]);
            let mut sorted = differences.clone();
            sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
            let ranks = doubled_ranks(&sorted);
            let all: u64 = ranks.iter().sum();
            let larger: u64 = sorted.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, rank)| rank).sum();
            let uneven = larger.abs_diff(all - larger);
            let as_uneven = (0u32..1 << ranks.len()).filter(|signs| {
                let sum: u64 = ranks.iter().enumerate().filter(|(at, _)| signs >> at & 1 == 1).map(|(_, rank)| rank).sum();
                sum.abs_diff(all - sum) >= uneven
            });
            let expected = as_uneven.count() as f64 / f64::from(1u32 << ranks.len());
            prop_assert!((paired.p - expected).abs() < 1e-12, "{} is not {}", paired.p, expected);
        }
    }
}
