//! An order of ranked units by their scores, with its ties.

use crate::spectra::DistinctSpectra;

/// Scores this close, relatively, are the same score computed in different ways.
const RELATIVE: f64 = 1e-12;
/// And so are scores this close to each other around 0.
const ABSOLUTE: f64 = 1e-15;
/// Measures subtract terms of size 1, some divided by a small share after that: equal scores may be this far apart. Scores that
/// do differ, differ by more than one over the square of the number of tests.
const ABSOLUTE_OF_MEASURES: f64 = 1e-13;

/// How the position of a unit among its equals is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TieBreak {
    /// The middle of its equals.
    Average,
    /// The order of the code: what an inspection from the top down meets.
    #[default]
    LineOrder,
    /// Before all its equals.
    Best,
    /// After all its equals.
    Worst,
}

impl TieBreak {
    /// All of them.
    pub const ALL: [TieBreak; 4] = [TieBreak::Average, TieBreak::LineOrder, TieBreak::Best, TieBreak::Worst];

    /// What the command line and JSON call it.
    pub fn name(self) -> &'static str {
        match self {
            TieBreak::Average => "average",
            TieBreak::LineOrder => "line",
            TieBreak::Best => "best",
            TieBreak::Worst => "worst",
        }
    }
}

/// Where a unit stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// The ranked unit.
    pub unit: u32,
    /// Its score as shown; it may be infinite, or no number where there is nothing to say.
    pub score: f64,
    /// Its place in the order of the code within its ties, from 1; no two units share one.
    pub rank: u32,
    /// Rank of the first of its equals, from 1.
    pub best: u32,
    /// Rank of the last of its equals.
    pub worst: u32,
}

impl Standing {
    /// The position of this unit under a tie-breaker, from 1.
    pub fn position(&self, ties: TieBreak) -> f64 {
        match ties {
            TieBreak::Average => (f64::from(self.best) + f64::from(self.worst)) / 2.0,
            TieBreak::LineOrder => f64::from(self.rank),
            TieBreak::Best => f64::from(self.best),
            TieBreak::Worst => f64::from(self.worst),
        }
    }
}

/// Units by descending score; equals in the order of the code, which is the order of their indices.
///
/// Scores that differ by no more than rounding are equals: rank-equivalent measures then tie the same units. What is not a
/// number counts as the least score.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    scores: Vec<f64>,
    order: Vec<u32>,
    /// For each unit, its group of equals.
    group: Vec<u32>,
    /// Where each group starts in `order`, and the end.
    starts: Vec<u32>,
}

impl Ranking {
    /// Ranks units by `scores`, one for each.
    pub fn new(scores: Vec<f64>) -> Self {
        let groups = groups(&[&scores], ABSOLUTE);
        Ranking::from_groups(scores, groups)
    }

    /// Ranks units by the first of `keys`, equals by the second, and so on; each has one value for each unit. `scores` are shown.
    pub fn by_keys(keys: &[&[f64]], scores: Vec<f64>) -> Self {
        let groups = groups(keys, ABSOLUTE);
        Ranking::from_groups(scores, groups)
    }

    /// Ranks units whose scores are those of their spectra: `scores` has one for each distinct spectrum.
    pub fn of_spectra(distinct: &DistinctSpectra, scores: &[f64]) -> Self {
        let of_class = groups(&[scores], ABSOLUTE_OF_MEASURES);
        let group = distinct.class.iter().map(|&class| of_class[class as usize]).collect();
        Ranking::from_groups(distinct.spread(scores), group)
    }

    /// Counting sort by group, which keeps the order of the code within each.
    fn from_groups(scores: Vec<f64>, group: Vec<u32>) -> Self {
        let n_groups = group.iter().max().map_or(0, |last| *last as usize + 1);
        let mut starts = vec![0u32; n_groups + 1];
        for &group in &group {
            starts[group as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut order = vec![0; group.len()];
        for (unit, &group) in group.iter().enumerate() {
            order[next[group as usize] as usize] = unit as u32;
            next[group as usize] += 1;
        }
        Ranking { scores, order, group, starts }
    }

    /// The same order with the units that `is_last` holds for behind all others; whether that moves any.
    pub fn with_last(self, is_last: &[bool]) -> (Ranking, bool) {
        let mut group = vec![0; self.order.len()];
        let mut number = 0;
        for last in [false, true] {
            for equals in self.ties() {
                let part = equals.iter().filter(|unit| is_last[**unit as usize] == last);
                let n_part = part.map(|unit| group[*unit as usize] = number).count();
                number += u32::from(n_part > 0);
            }
        }
        let ranking = Ranking::from_groups(self.scores, group);
        let moves = ranking.order != self.order;
        (ranking, moves)
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is nothing to rank.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Units from the most suspicious.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Score of a unit as [`Standing::score`] shows it.
    pub fn score(&self, unit: u32) -> f64 {
        self.scores[unit as usize]
    }

    /// Standings from the most suspicious.
    pub fn iter(&self) -> impl Iterator<Item = Standing> + '_ {
        self.order.iter().enumerate().map(|(at, &unit)| self.standing_at(at, unit))
    }

    /// The standing of each unit, in the order of units.
    pub fn standings(&self) -> Vec<Standing> {
        let mut standings: Vec<Standing> = self.iter().collect();
        standings.sort_unstable_by_key(|standing| standing.unit);
        standings
    }

    /// Groups of equals from the most suspicious, each in the order of the code.
    pub fn ties(&self) -> impl Iterator<Item = &[u32]> + '_ {
        self.starts.windows(2).map(|bounds| &self.order[bounds[0] as usize..bounds[1] as usize])
    }

    fn standing_at(&self, at: usize, unit: u32) -> Standing {
        let group = self.group[unit as usize] as usize;
        Standing {
            unit,
            score: self.score(unit),
            rank: at as u32 + 1,
            best: self.starts[group] + 1,
            worst: self.starts[group + 1],
        }
    }
}

/// For each unit the number of its group of equals; group 0 is the most suspicious.
fn groups(keys: &[&[f64]], absolute: f64) -> Vec<u32> {
    let n_units = keys.first().map_or(0, |key| key.len());
    let mut order: Vec<u32> = (0..n_units as u32).collect();
    let mut bounds = vec![0, n_units];
    for key in keys {
        bounds = refine(&mut order, &bounds, key, absolute);
    }
    let mut group = vec![0; n_units];
    for (number, bounds) in bounds.windows(2).enumerate() {
        for &unit in &order[bounds[0]..bounds[1]] {
            group[unit as usize] = number as u32;
        }
    }
    group
}

/// Sorts each range of `order` between `bounds` by descending key; the bounds of the equals found.
fn refine(order: &mut [u32], bounds: &[usize], key: &[f64], absolute: f64) -> Vec<usize> {
    let value = |unit: u32| if key[unit as usize].is_nan() { f64::NEG_INFINITY } else { key[unit as usize] };
    let mut refined = vec![0];
    for range in bounds.windows(2) {
        let range = range[0]..range[1];
        let part = &mut order[range.clone()];
        part.sort_unstable_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
        for at in range.clone().skip(1) {
            if !same(value(order[at - 1]), value(order[at]), absolute) {
                refined.push(at);
            }
        }
        if !range.is_empty() {
            refined.push(range.end);
        }
    }
    refined
}

fn same(a: f64, b: f64, absolute: f64) -> bool {
    let apart = (a - b).abs();
    a == b || apart.is_finite() && apart <= RELATIVE * a.abs().max(b.abs()) + absolute
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spectra::Spectrum;

    #[test]
    fn equals_share_best_and_worst_rank() {
        let ranking = Ranking::new(vec![0.1, 0.7, 0.1 + 1e-17, 0.9, f64::NAN, 0.7, f64::NEG_INFINITY]);
        assert_eq!(ranking.order(), [3, 1, 5, 0, 2, 4, 6]);
        let standings = ranking.standings();
        let at = |unit: usize| (standings[unit].rank, standings[unit].best, standings[unit].worst);
        assert_eq!([at(3), at(1), at(5), at(2), at(4)], [(1, 1, 1), (2, 2, 3), (3, 2, 3), (5, 4, 5), (6, 6, 7)]);
        let positions = TieBreak::ALL.map(|ties| standings[5].position(ties));
        assert_eq!(positions, [2.5, 3.0, 2.0, 3.0]);
        assert_eq!(ranking.ties().map(<[u32]>::len).collect::<Vec<_>>(), [1, 2, 2, 2]);
    }

    #[test]
    fn sums_in_another_order_tie() {
        let ranking = Ranking::new(vec![0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]);
        assert_eq!(ranking.ties().count(), 1);
    }

    #[test]
    fn what_is_no_number_ranks_last_and_is_shown_as_it_is() {
        let scores = vec![f64::NAN, -2.0, 0.5, -f64::NAN, f64::MIN];
        let ranking = Ranking::new(scores);
        assert_eq!(ranking.order(), [2, 1, 4, 0, 3]);
        let is_shown: Vec<bool> = ranking.iter().map(|standing| standing.score.is_nan()).collect();
        assert_eq!(is_shown, [false, false, false, true, true]);
        assert!(ranking.score(0).is_nan() && ranking.score(3).is_nan());
        let (behind, _) = ranking.with_last(&[false, true, false, false, false]);
        assert_eq!(behind.order(), [2, 4, 0, 3, 1]);
        assert!(behind.score(0).is_nan());
    }

    #[test]
    fn large_sums_in_another_order_tie() {
        let parts: Vec<f64> = (1..=1000).map(|part| 1e9 / f64::from(part)).collect();
        let (upwards, downwards) = (parts.iter().rev().sum::<f64>(), parts.iter().sum::<f64>());
        assert!((upwards - downwards).abs() > ABSOLUTE, "rounding shows");
        assert_eq!(Ranking::new(vec![upwards, downwards]).ties().count(), 1);
        assert_eq!(Ranking::new(vec![upwards, upwards * (1.0 + 1e-11)]).order(), [1, 0], "more than rounding");
    }

    #[test]
    fn scores_of_measures_tie_around_0_where_others_do_not() {
        let spectra: Vec<_> = (0..4).map(|ef| Spectrum { ef, ..Spectrum::default() }).collect();
        let distinct = DistinctSpectra::of(&spectra);
        let scores: Vec<f64> = distinct.spectra.iter().map(|s| [0.0, 5e-14, 3e-13, -9e-14][s.ef as usize]).collect();
        let ties = |ranking: &Ranking| ranking.ties().map(<[u32]>::to_vec).collect::<Vec<_>>();
        assert_eq!(ties(&Ranking::of_spectra(&distinct, &scores)), [vec![2], vec![0, 1, 3]]);
        let alone = Ranking::new(distinct.spread(&scores));
        assert_eq!(ties(&alone), [vec![2], vec![1], vec![0], vec![3]]);
    }

    #[test]
    fn infinities_are_no_neighbours_of_anything() {
        let ranking = Ranking::new(vec![f64::INFINITY, f64::MAX, f64::INFINITY, f64::MIN]);
        assert_eq!(ranking.ties().map(<[u32]>::to_vec).collect::<Vec<_>>(), [vec![0, 2], vec![1], vec![3]]);
    }

    #[test]
    fn a_hundred_thousand_equals_are_one_tie_in_the_order_of_the_code() {
        let ranking = Ranking::new(vec![0.5; 100_000]);
        assert!(ranking.order().iter().enumerate().all(|(at, &unit)| at == unit as usize));
        let last = ranking.iter().last().unwrap();
        assert_eq!((last.best, last.worst, last.position(TieBreak::Average)), (1, 100_000, 50_000.5));
    }

    #[test]
    fn nothing_ranks_as_nothing() {
        assert!(Ranking::new(Vec::new()).is_empty());
        assert_eq!(Ranking::new(Vec::new()).iter().count(), 0);
    }

    proptest! {
        #[test]
        fn ranks_are_a_permutation_by_descending_score(
            scores in prop::collection::vec(prop_oneof![(0i32..5).prop_map(f64::from), any::<f64>()], 0..60)
        ) {
            let ranking = Ranking::new(scores.clone());
            let mut units = ranking.order().to_vec();
            units.sort_unstable();
            prop_assert!(units.iter().enumerate().all(|(at, &unit)| at == unit as usize));
            let standings: Vec<_> = ranking.iter().collect();
            let value = |standing: &Standing| if standing.score.is_nan() { f64::NEG_INFINITY } else { standing.score };
            for pair in standings.windows(2) {
                prop_assert!(value(&pair[1]) <= value(&pair[0]) || pair[0].best == pair[1].best);
                prop_assert!(pair[0].best == pair[1].best || pair[0].worst + 1 == pair[1].best);
            }
            for s in &standings {
                prop_assert!(s.best <= s.rank && s.rank <= s.worst);
            }
        }

        #[test]
        fn spectra_rank_as_their_units(class in prop::collection::vec(0u32..5, 1..40), scores in prop::collection::vec(0.0..3.0f64, 5)) {
            let spectra: Vec<_> = class.iter().map(|&ef| Spectrum { ef, ..Spectrum::default() }).collect();
            let distinct = DistinctSpectra::of(&spectra);
            let scores: Vec<f64> = distinct.spectra.iter().map(|s| scores[s.ef as usize]).collect();
            prop_assert_eq!(Ranking::of_spectra(&distinct, &scores), Ranking::new(distinct.spread(&scores)));
        }
    }
}
