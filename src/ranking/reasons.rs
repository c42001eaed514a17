//! Probabilities, reasons with claims, and confidence of a ranking by all evidence.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::claims::{Claimant, Claims, KeptClaim};
use crate::evidence::{Confidence, LineFacts, Posterior, Reasons, Trials, failing_groups};
use crate::program::Program;
use crate::rank::{RankedUnit, Units};
use crate::rank_inputs::Chains;
use crate::report::{self, Entry, RankingReport, TestGroup, Within};
use crate::store::Run;
use crate::suite_run::Session;

/// Reasons of one line.
const MOST_REASONS: usize = 5;
/// Entries with reasons.
const EXPLAINED: usize = 100;

/// Adds probabilities, reasons and claims to a ranking.
pub struct Explainer<'a> {
    run: &'a Run,
    facts: &'a LineFacts<'a>,
    chains: &'a Chains,
    trials: &'a Trials,
    /// Of the lines that are ranked: what is known to be none of the others.
    pub posterior: Posterior,
    pub reasons: Reasons<'a>,
    claimant: Claimant<'a>,
    claims: BTreeMap<String, KeptClaim>,
}

impl<'a> Explainer<'a> {
    /// For the lines that are not left out of the ranking.
    pub fn new(
        session: &'a Session,
        (facts, chains): (&'a LineFacts<'a>, &'a Chains),
        trials: &'a Trials,
        left_out: &BTreeSet<u32>,
    ) -> Explainer<'a> {
        let run = &session.run;
        Explainer {
            run,
            facts,
            chains,
            trials,
            posterior: without(Posterior::new(facts, trials).stated(facts, trials), left_out),
            reasons: Reasons::new(&run.program, facts, trials),
            claimant: Claimant::new(session, trials),
            claims: BTreeMap::new(),
        }
    }

    /// The name of a test by its position in the trials.
    pub fn test_name(&self, position: u32) -> String {
        let test = self.trials.tests().get(position as usize).map(|test| test.test as usize);
        test.and_then(|test| self.run.manifest.tests.get(test)).map_or_else(String::new, |test| test.name.clone())
    }

    /// Adds probabilities and reasons to a report's entries, and how sure it is.
    pub fn explain(&mut self, report: &mut RankingReport) {
        let lines = self.lines_by_place();
        for (number, entry) in report.ranking.iter_mut().enumerate() {
            let line = self.line_of(entry, &lines);
            let probability = match report.by.as_str() {
                "line" => line.map_or(0.0, |line| self.posterior.lines[line as usize]),
                // What has several lines is ranked by its likeliest.
                _ => entry.score.0,
            };
            entry.probability = Some(probability);
            if let Some(line) = line.filter(|_| number < EXPLAINED && probability > 0.0) {
                entry.reasons = self.reasons_of(line);
            }
        }
        report.confidence = Some(self.confidence());
        report.groups = self.groups(report, &lines);
    }

    /// The failing tests in groups, if there are several.
    fn groups(&self, report: &RankingReport, lines: &HashMap<(&str, u32), u32>) -> Vec<TestGroup> {
        let tests = &self.run.manifest.tests;
        let failing: Vec<u32> =
            (0..).zip(tests).filter(|(_, test)| test.passed == Some(false)).map(|(test, _)| test).collect();
        if failing.len() < 2 {
            return Vec::new();
        }
        let Posterior { clusters, of_clusters, .. } = &self.posterior;
        let groups = failing_groups(self.facts, self.trials, clusters, &failing);
        let group = |(mut tests_of, probabilities): (Vec<u32>, &Vec<f64>)| {
            tests_of.sort_unstable();
            let probability =
                |entry: &Entry| self.line_of(entry, lines).map_or(0.0, |line| probabilities[line as usize]);
            // The first of equals.
            let best = report.ranking.iter().rev().max_by(|a, b| probability(a).total_cmp(&probability(b)));
            let best = best.map(|entry| (entry, probability(entry))).filter(|(_, probability)| *probability > 0.0);
            TestGroup {
                tests: tests_of.iter().map(|test| tests[*test as usize].name.clone()).collect(),
                unit: best.map(|(entry, _)| entry.unit.clone()),
                probability: best.map(|(_, probability)| probability),
            }
        };
        groups.into_iter().zip(of_clusters).map(group).collect()
    }

    /// Program lines by file and line.
    fn lines_by_place(&self) -> HashMap<(&'a str, u32), u32> {
        let program = &self.run.program;
        let place = |line: &crate::program::Line| Some((program.files.get(line.file as usize)?.as_str(), line.line));
        (0..).zip(&program.lines).filter_map(|(number, line)| Some((place(line)?, number))).collect()
    }

    /// The line that an entry is ranked by.
    fn line_of(&self, entry: &Entry, lines: &HashMap<(&str, u32), u32>) -> Option<u32> {
        let own = (entry.line..=entry.last_line).filter_map(|line| lines.get(&(entry.file.as_str(), line)).copied());
        let distance = |line: &u32| (self.posterior.lines[*line as usize] - entry.score.0).abs();
        own.min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)))
    }

    /// Reasons for the place of a line.
    pub fn reasons_of(&mut self, line: u32) -> Vec<report::Reason> {
        let found = self.reasons.of(line, MOST_REASONS, &|test| self.test_name(test));
        let mut shown = Vec::new();
        for reason in found {
            let claim = reason.candidate.map(|candidate| self.claim(candidate));
            shown.push(report::Reason { text: reason.sentence, claim });
        }
        shown.extend(self.chains.reason(line));
        shown
    }

    /// A candidate as a claim that can be repeated.
    pub fn claim(&mut self, candidate: u32) -> report::Claim {
        let claim = self.claimant.claim(candidate);
        let shown = claim.shown.clone();
        self.claims.insert(shown.id.clone(), claim);
        shown
    }

    fn confidence(&self) -> report::Confidence {
        let found = Confidence::new(self.facts, self.trials, &self.posterior);
        let place = |line: u32| place_of(&self.run.program, line);
        report::Confidence {
            lack: found.lack.map(|lack| lack.to_string()),
            within: found
                .within
                .iter()
                .map(|(first, probability)| Within { first: *first as u32, probability: *probability })
                .collect(),
            next: found.advice.iter().map(|advice| advice.text(&place)).collect(),
        }
    }

    /// The claims that were made.
    pub fn into_claims(self) -> Option<Claims> {
        if self.claims.is_empty() {
            return None;
        }
        let mut claims = Claims::new(self.run);
        self.claims.into_values().for_each(|claim| claims.add(claim));
        Some(claims)
    }
}

/// `file:line` of a program's line.
pub fn place_of(program: &Program, line: u32) -> String {
    let Some(line) = program.lines.get(line as usize) else { return String::new() };
    format!("{}:{}", program.files.get(line.file as usize).map_or("?", String::as_str), line.line)
}

/// The program's lines at these positions, if the units are lines.
pub fn lines_left_out(units: &Units, positions: &[u32]) -> BTreeSet<u32> {
    let line = |position: &u32| match units.get(*position) {
        RankedUnit::Line(line) => Some(line),
        _ => None,
    };
    positions.iter().filter_map(line).collect()
}

/// The posterior given that none of these lines is at fault.
fn without(mut posterior: Posterior, left_out: &BTreeSet<u32>) -> Posterior {
    let removed: f64 = left_out.iter().map(|line| posterior.lines[*line as usize]).sum();
    if removed <= 0.0 {
        return posterior;
    }
    let rest = (1.0 - removed).max(f64::MIN_POSITIVE);
    posterior.order.retain(|line| !left_out.contains(line));
    for (line, p) in (0..).zip(&mut posterior.lines) {
        *p = if left_out.contains(&line) { 0.0 } else { *p / rest };
    }
    posterior.elsewhere /= rest;
    posterior
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_without_some_lines_are_those_given_that_the_fault_is_not_there() {
        let posterior =
            Posterior { lines: vec![0.5, 0.3, 0.1], elsewhere: 0.1, order: vec![0, 1, 2], ..Posterior::default() };
        let rest = without(posterior.clone(), &BTreeSet::from([0]));
        assert_eq!((rest.order.as_slice(), rest.lines[0]), (&[1, 2][..], 0.0));
        assert!((rest.lines[1] - 0.6).abs() < 1e-12 && (rest.elsewhere - 0.2).abs() < 1e-12);
        assert_eq!(without(posterior.clone(), &BTreeSet::new()), posterior);
    }
}
