//! SOBER (Liu, Yan, Fei, Han and Midkiff, ESEC/FSE 2005): outcomes whose share of evaluations in failing runs is improbable under what
//! passing runs do. On evaluation sequences this is DES-SOBER (Zhang, Jiang, Chan and Tse, COMPSAC 2008; from memory of it).

use std::f64::consts::{LN_10, PI};

use super::OutcomeProfile;
use super::outcomes::Moments;

/// How far an outcome's failing runs are from its passing ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divergence {
    /// `-log10 L`; infinite where passing runs never vary, positive if failing runs differ from them and negative if not.
    pub score: f64,
    /// How far the mean shares are apart: what orders outcomes of equal score.
    pub distance: f64,
}

/// Scores of all outcomes.
///
/// With mean `mu` and deviation `sigma` (n - 1 below) of the outcome's share in passing runs, and mean `Y` over `m` failing runs:
/// `Z = (Y - mu) / (sigma / sqrt(m))`, and the score is `-log10(sqrt(m) / sigma * phi(Z))` with the standard normal density `phi`.
pub fn divergences(profile: &OutcomeProfile) -> Vec<Divergence> {
    profile.passed.iter().zip(&profile.failed).map(|(passed, failed)| divergence(passed, failed)).collect()
}

fn divergence(passed: &Moments, failed: &Moments) -> Divergence {
    if passed.n() == 0 || failed.n() == 0 {
        return Divergence { score: f64::NEG_INFINITY, distance: 0.0 };
    }
    let distance = (failed.mean() - passed.mean()).abs();
    let spread = passed.deviation() / f64::from(failed.n()).sqrt();
    // Shares are quotients of counts: what differs by rounding only does not differ.
    if spread <= 1e-12 {
        let score = if distance > 1e-12 { f64::INFINITY } else { f64::NEG_INFINITY };
        return Divergence { score, distance };
    }
    let z = distance / spread;
    // log phi(z) taken directly: phi itself underflows from z = 39 on.
    let log_phi = -z * z / 2.0 - (2.0 * PI).ln() / 2.0;
    Divergence { score: (spread.ln() - log_phi) / LN_10, distance }
}

#[cfg(test)]
mod tests {
    use super::super::Sites;
    use super::*;

    fn rounded(profile: &OutcomeProfile) -> Vec<f64> {
        divergences(profile).iter().map(|d| (d.score * 100.0).round() / 100.0).collect()
    }

    #[test]
    fn schedule_has_the_published_scores() {
        // Counts of the edges of the two conditions.
        let passed = [[3, 19, 2, 1], [5, 12, 3, 2], [2, 20, 1, 1]].map(|counts| (counts, false));
        let failed = [[7, 18, 2, 5], [11, 18, 1, 8], [10, 15, 4, 2]].map(|counts| (counts, true));
        let sites = Sites::new(&[2, 2]);
        let profile = OutcomeProfile::of_runs(&sites, passed.into_iter().chain(failed));
        // Both outcomes of a condition diverge alike.
        assert_eq!(rounded(&profile), [1.03, 1.03, 4.17, 4.17]);
    }

    #[test]
    fn shares_that_never_vary_are_defined() {
        let runs = [([2, 2, 1, 0], false), ([1, 1, 1, 0], false), ([4, 4, 1, 1], true)];
        let profile = OutcomeProfile::of_runs(&Sites::new(&[2, 2]), runs);
        let scores: Vec<f64> = divergences(&profile).iter().map(|d| d.score).collect();
        assert_eq!(scores, [f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY]);
    }

    #[test]
    fn without_both_outcomes_nothing_diverges() {
        for failed in [false, true] {
            let profile = OutcomeProfile::of_runs(&Sites::new(&[2]), [([1, 2], failed), ([2, 2], failed)]);
            assert!(divergences(&profile).iter().all(|d| d.score == f64::NEG_INFINITY));
        }
    }

    #[test]
    fn huge_deviations_do_not_underflow() {
        let runs = [([500_001, 499_999], false), ([499_999, 500_001], false), ([1, 0], true)];
        let scores = divergences(&OutcomeProfile::of_runs(&Sites::new(&[2]), runs));
        assert!(scores[0].score.is_finite() && scores[0].score > 1e10);
    }
}
