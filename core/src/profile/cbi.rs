//! Cooperative bug isolation (Liblit, Naik, Zheng, Aiken and Jordan, PLDI 2005): outcomes of predicates that raise the chance of
//! failure. On evaluation sequences this is DES-CBI (Zhang, Jiang, Chan and Tse, COMPSAC 2008; from memory of it).

use rayon::prelude::*;

use super::{OutcomeProfile, Sites};

/// Two-sided 95 % of the standard normal distribution.
const Z_95: f64 = 1.959_963_984_540_054;

/// How an outcome relates to failure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Relation {
    /// Share of failing runs among those in which the outcome occurred; 0 if it never did.
    pub failure: f64,
    /// Share of failing runs among those that reached the site; 0 if none did.
    pub context: f64,
    /// `failure - context`; 0 if the outcome never occurred.
    pub increase: f64,
    /// Whether the 95 % confidence interval of the increase lies above 0.
    pub significant: bool,
    /// `2 / (1 / increase + log(failing runs) / log(failing runs with the outcome))`; 0 unless the increase is positive and the outcome
    /// occurred in more than one failing run.
    pub importance: f64,
}

/// CBI's result; vectors are indexed by outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Isolation {
    /// Over all runs.
    pub relations: Vec<Relation>,
    /// Outcomes that each explain some failing runs which those before do not, most important first.
    pub selected: Vec<u32>,
}

impl Isolation {
    /// What to order outcomes by, most significant first: the selected in their order, then the significant ones (which the selected
    /// make redundant), then importance, then increase.
    pub fn keys(&self) -> [Vec<f64>; 4] {
        let mut selection = vec![f64::NEG_INFINITY; self.relations.len()];
        for (at, &outcome) in self.selected.iter().enumerate() {
            selection[outcome as usize] = -(at as f64);
        }
        let key = |of: fn(&Relation) -> f64| self.relations.iter().map(of).collect();
        [selection, key(|r| f64::from(u8::from(r.significant))), key(|r| r.importance), key(|r| r.increase)]
    }
}

/// Relates all outcomes to failure and eliminates redundant ones: the most important significant outcome is selected, all runs in
/// which it occurred are discarded, and so on until no significant one is left.
///
/// The confidence test compares the shares of failing and of passing runs, among those that reach the site, in which the outcome occurs:
/// the interval of their difference with its unpooled variance.
pub fn isolate(sites: &Sites, profile: &OutcomeProfile) -> Isolation {
    let n_runs = profile.followed.n_tests();
    let mut kept = vec![true; n_runs];
    let relations = relate(sites, profile, &kept);
    let mut selected: Vec<u32> = Vec::new();
    let mut current = relations.clone();
    // Every selected outcome occurred in a failing run that is then discarded, so this ends.
    while let Some(best) = most_important(&current) {
        selected.push(best);
        for (run, kept) in kept.iter_mut().enumerate() {
            *kept &= !profile.followed.covers(run, best as usize);
        }
        current = relate(sites, profile, &kept);
    }
    Isolation { relations, selected }
}

/// The significant outcome of greatest importance, or increase where importance is 0 (a single failing run); the earlier of equals.
fn most_important(relations: &[Relation]) -> Option<u32> {
    let significant = (0..).zip(relations).filter(|(_, r)| r.significant);
    let key = |r: &Relation| (r.importance, r.increase);
    significant.reduce(|best, next| if key(next.1) > key(best.1) { next } else { best }).map(|(outcome, _)| outcome)
}

fn relate(sites: &Sites, profile: &OutcomeProfile, kept: &[bool]) -> Vec<Relation> {
    let reached = profile.reached.spectra_of(kept);
    let followed = profile.followed.spectra_of(kept);
    let n_failing = followed.first().map_or(0, |s| s.ef + s.nf);
    let of_site = |site: usize| {
        let at_site = reached[site];
        sites
            .outcomes(site)
            .map(|outcome| relation(followed[outcome].ef, followed[outcome].ep, at_site.ef, at_site.ep, n_failing))
            .collect()
    };
    (0..sites.len()).into_par_iter().map(of_site).collect::<Vec<Vec<Relation>>>().concat()
}

/// From failing and passing runs with the outcome (`f`, `s`), and that reached its site.
fn relation(f: u32, s: u32, f_reached: u32, s_reached: u32, n_failing: u32) -> Relation {
    let share = |part: u32, whole: u32| if whole == 0 { 0.0 } else { f64::from(part) / f64::from(whole) };
    let (failure, context) = (share(f, f + s), share(f_reached, f_reached + s_reached));
    let increase = if f + s == 0 { 0.0 } else { failure - context };
    let (in_failing, in_passing) = (share(f, f_reached), share(s, s_reached));
    let variance = share_variance(in_failing, f_reached) + share_variance(in_passing, s_reached);
    let importance = if increase > 0.0 && f > 1 {
        2.0 / (increase.recip() + f64::from(n_failing).ln() / f64::from(f).ln())
    } else {
        0.0
    };
    let significant = increase > 0.0 && in_failing - in_passing > Z_95 * variance.sqrt();
    Relation { failure, context, increase, significant, importance }
}

fn share_variance(share: f64, n: u32) -> f64 {
    share * (1.0 - share) / f64::from(n.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedule_has_the_published_increase() {
        let passed = [[3, 19, 2, 1], [5, 12, 3, 2], [2, 20, 1, 1]].map(|counts| (counts, false));
        let failed = [[7, 18, 2, 5], [11, 18, 1, 8], [10, 15, 4, 2]].map(|counts| (counts, true));
        let sites = Sites::new(&[2, 2]);
        let result = isolate(&sites, &OutcomeProfile::of_runs(&sites, passed.into_iter().chain(failed)));
        assert!(result.relations.iter().all(|r| r.increase == 0.0 && r.importance == 0.0 && !r.significant));
        assert!(result.selected.is_empty());
    }

    #[test]
    fn importance_balances_increase_and_sensitivity() {
        // 4 failing runs, 3 with the outcome; 10 passing, 1 with it; all reach the site.
        let r = relation(3, 1, 4, 10, 4);
        assert_eq!((r.failure, r.context), (0.75, 4.0 / 14.0));
        let increase: f64 = 0.75 - 4.0 / 14.0;
        assert_eq!(r.importance, 2.0 / (1.0 / increase + 4f64.ln() / 3f64.ln()));
        assert!(r.significant);
        // The same shares from one run each say nothing.
        assert!(!relation(1, 1, 2, 3, 2).significant);
        assert_eq!(relation(1, 0, 1, 9, 1).importance, 0.0);
        assert_eq!(relation(0, 0, 5, 5, 5), Relation { context: 0.5, ..Relation::default() });
    }

    #[test]
    fn an_outcome_that_explains_the_same_runs_is_redundant() {
        // Sites 0 and 1 are true in failing runs 0..4, site 2 in failing runs 4..6, site 3 everywhere.
        let sites = Sites::new(&[2; 4]);
        let run = |trues: [u64; 4]| trues.iter().flat_map(|&t| [t, 1]).collect::<Vec<u64>>();
        let failed = (0..6).map(|i| (run(if i < 4 { [1, 1, 0, 1] } else { [0, 0, 1, 1] }), true));
        let passed = (0..20).map(|_| (run([0, 0, 0, 1]), false));
        let result = isolate(&sites, &OutcomeProfile::of_runs(&sites, failed.chain(passed)));
        assert_eq!(result.selected, [0, 4]);
        let keys = result.keys();
        let key = |outcome: usize| keys.iter().map(|key| key[outcome]).collect::<Vec<f64>>();
        assert!(key(0) > key(4) && key(4) > key(2) && key(2) > key(6));
        assert!(result.relations[2].significant && !result.relations[6].significant);
    }

    #[test]
    fn one_failing_run_still_selects() {
        let sites = Sites::new(&[2, 2]);
        let runs = [([1, 0, 1, 1], true), ([0, 1, 1, 1], false), ([0, 1, 1, 1], false)];
        assert_eq!(isolate(&sites, &OutcomeProfile::of_runs(&sites, runs)).selected, [0]);
    }

    #[test]
    fn no_run_no_selection() {
        let sites = Sites::new(&[2]);
        let none = std::iter::empty::<([u64; 2], bool)>();
        assert_eq!(isolate(&sites, &OutcomeProfile::of_runs(&sites, none)).selected, [0u32; 0]);
    }
}
