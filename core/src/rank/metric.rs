//! How good a ranking is, once the faulty units are known.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Ranking, TieBreak};

/// Where a ranking puts the first fault that an inspection meets.
///
/// With several faulty units, the first one found counts. Among equals the tie-breakers of [`TieBreak`] say when it is met: of `t`
/// equals with `m` faulty ones, after 1 (best), after `t - m + 1` (worst), after `(t + 1) / (m + 1)` on average, or by line order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Located {
    /// Units inspected until then, itself included, under each of [`TieBreak::ALL`].
    positions: [f64; 4],
    /// Units inspected if ties are inspected whole.
    pub inspected: u32,
    /// Units in the ranking.
    pub n_units: u32,
}

impl Located {
    /// Looks for `faulty` units; `None` if none of them is ranked.
    pub fn new(ranking: &Ranking, faulty: &[u32]) -> Option<Self> {
        let mut before = 0;
        for equals in ranking.ties() {
            let n_faulty = equals.iter().filter(|unit| faulty.contains(unit)).count();
            if n_faulty > 0 {
                let (t, m) = (equals.len() as f64, n_faulty as f64);
                let in_line = equals.iter().position(|unit| faulty.contains(unit)).map_or(t, |at| at as f64 + 1.0);
                let positions = TieBreak::ALL.map(|ties| {
                    f64::from(before)
                        + match ties {
                            TieBreak::Average => (t + 1.0) / (m + 1.0),
                            TieBreak::LineOrder => in_line,
                            TieBreak::Best => 1.0,
                            TieBreak::Worst => t - m + 1.0,
                        }
                });
                let inspected = before + equals.len() as u32;
                return Some(Located { positions, inspected, n_units: ranking.len() as u32 });
            }
            before += equals.len() as u32;
        }
        None
    }

    /// Units inspected until the fault is met, itself included.
    pub fn position(&self, ties: TieBreak) -> f64 {
        let at = TieBreak::ALL.iter().position(|known| *known == ties).unwrap_or(0);
        self.positions[at]
    }

    /// Whether the fault is among the first `n` units.
    pub fn within(&self, n: u32, ties: TieBreak) -> bool {
        self.position(ties) <= f64::from(n)
    }

    /// EXAM: the share of the code examined until the fault is found, ties examined whole; from 0 to 1.
    pub fn exam(&self) -> f64 {
        f64::from(self.inspected) / f64::from(self.n_units)
    }

    /// Units inspected in vain before the fault is met.
    pub fn wasted(&self, ties: TieBreak) -> f64 {
        self.position(ties) - 1.0
    }
}

/// n-scores: for each n from 0 to 10, the share of versions whose fault is met after at most n units inspected in vain (Landsberg et al.,
/// FASE 2015).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NScores(pub [f64; 11]);

impl NScores {
    /// Scores of versions, `None` for one whose fault is not ranked; all 0 without versions.
    pub fn new(versions: &[Option<Located>], ties: TieBreak) -> Self {
        let n_versions = versions.len().max(1) as f64;
        NScores(std::array::from_fn(|n| {
            let found = versions.iter().flatten().filter(|version| version.wasted(ties) <= n as f64);
            found.count() as f64 / n_versions
        }))
    }
}

/// The T-score of a predicate ranking: the share of a dependence graph examined by somebody who starts from the first `k`
/// nodes of `ranked` and follows dependences both ways, breadth first and level by level, until a level holds a faulty node. 1 if none
/// is reached. Cleve and Zeller, ICSE 2005; with k = 5, Liu et al., FSE 2005. `dependences` join nodes below `n_nodes`.
pub fn t_score(n_nodes: usize, dependences: &[(u32, u32)], ranked: &[u32], k: usize, faulty: &[u32]) -> f64 {
    let mut neighbours = vec![Vec::new(); n_nodes];
    for &(a, b) in dependences {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let mut level: Vec<Option<u32>> = vec![None; n_nodes];
    let mut queue = VecDeque::new();
    for &start in ranked.iter().take(k) {
        if level[start as usize].replace(0).is_none() {
            queue.push_back(start);
        }
    }
    while let Some(node) = queue.pop_front() {
        let next = level[node as usize].map(|level| level + 1);
        for &neighbour in &neighbours[node as usize] {
            if level[neighbour as usize].is_none() {
                level[neighbour as usize] = next;
                queue.push_back(neighbour);
            }
        }
    }
    let Some(last) = faulty.iter().filter_map(|&node| level[node as usize]).min() else { return 1.0 };
    level.iter().flatten().filter(|level| **level <= last).count() as f64 / n_nodes as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_read_in_four_ways() {
        // 9 | 5 5 5 5 | 1
        let ranking = Ranking::new(vec![5.0, 9.0, 5.0, 5.0, 1.0, 5.0]);
        let positions =
            |faulty: &[u32]| TieBreak::ALL.map(|ties| Located::new(&ranking, faulty).unwrap().position(ties));
        assert_eq!(positions(&[3]), [3.5, 4.0, 2.0, 5.0]);
        assert_eq!(positions(&[2, 3]), [1.0 + 5.0 / 3.0, 3.0, 2.0, 4.0]);
        assert_eq!(positions(&[4, 1]), [1.0; 4]);
        assert_eq!(Located::new(&ranking, &[7]), None);
        let located = Located::new(&ranking, &[3]).unwrap();
        assert_eq!((located.exam(), located.wasted(TieBreak::Best)), (5.0 / 6.0, 1.0));
        assert!(located.within(4, TieBreak::Average) && !located.within(3, TieBreak::Average));
    }

    #[test]
    fn n_scores_count_versions_cumulatively() {
        let ranking = Ranking::new((0..20).map(|unit| -f64::from(unit)).collect());
        let versions = [0, 3, 15].map(|fault| Located::new(&ranking, &[fault]));
        let scores = NScores::new(&[versions[0], versions[1], versions[2], None], TieBreak::Worst);
        assert_eq!(scores.0, [0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
        assert_eq!(NScores::new(&[], TieBreak::Best).0, [0.0; 11]);
    }

    #[test]
    fn t_score_examines_level_by_level() {
        // 0 - 1 - 2 - 3, 1 - 4, and 5 alone.
        let dependences = [(0, 1), (1, 2), (2, 3), (1, 4)];
        assert_eq!(t_score(6, &dependences, &[0], 5, &[0]), 1.0 / 6.0);
        assert_eq!(t_score(6, &dependences, &[0], 5, &[2]), 4.0 / 6.0);
        assert_eq!(t_score(6, &dependences, &[0, 3], 2, &[2]), 4.0 / 6.0);
        assert_eq!(t_score(6, &dependences, &[0, 3], 1, &[3]), 5.0 / 6.0);
        assert_eq!(t_score(6, &dependences, &[0], 5, &[5]), 1.0);
    }
}
