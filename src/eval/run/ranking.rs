//! Ranking a recorded version with every method and suite.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::features::{Shown, assess, keep};
use super::trials::Kept;
use super::values::{Mutated, reads_values};
use super::version::Place;
use crate::eval::{ByValues, EvalVersion, Evaluated, SuiteResult, VersionOutcome, lines_of_nodes};
use crate::evidence::{Posterior, Trials};
use crate::mutation::line_dependences;
use crate::obstacle::Obstacle;
use crate::rank::{Granularity, Located, Method, Need, RankedUnit, Units, t_score};
use crate::rank_inputs::{Coverage, MethodInput, count_tests, left_out};
use crate::store::Run;
use crate::suite_run::Session;

/// Predicates from which T-score starts (Liu et al., FSE 2005).
const T_SCORE_FROM: usize = 5;

impl Place<'_> {
    /// Where the methods put the fault of a version, or why it cannot be ranked.
    pub fn rank(&self, version: &EvalVersion, session: &Session) -> Result<VersionOutcome, Obstacle> {
        let run = &session.run;
        let counts = count_tests(run);
        let (suites, excluded_suites) = self.suites(version, run)?;
        if suites.is_empty() {
            let uncounted = match counts.excluded {
                0 => String::new(),
                n => format!(" ({n} do not count)"),
            };
            let reason = match (counts.failing, counts.passing) {
                (0, 0) => format!("no test counts{uncounted}"),
                (0, n) => format!("no test detects its fault: all {n} pass{uncounted}"),
                (n, 0) => format!("all {n} tests fail{uncounted}"),
                _ => {
                    let each = excluded_suites.iter().map(|(suite, reason)| format!("{suite}: {reason}"));
                    format!("no suite tells it from the correct version: {}", each.collect::<Vec<_>>().join("; "))
                }
            };
            return Ok(VersionOutcome::Excluded(reason));
        }
        let program = &run.program;
        let all = Units::new(program, self.options.granularity);
        let units = all.without(&left_out(run, &all)?);
        let (faulty, unranked) = version.fault.units(program, &units);
        let mut needs: Vec<Need> = self.options.methods.iter().flat_map(|method| method.needs).copied().collect();
        needs.sort_unstable();
        needs.dedup();
        let mut located: BTreeMap<String, Vec<Option<Located>>> = BTreeMap::new();
        let mut t_scores: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut assessed = Vec::new();
        let mut by_values: Vec<ByValues> = Vec::new();
        let mut rows = Vec::new();
        let kept = self.trials_of(version)?;
        let mutated = match self.options.has_values() {
            true => self.kept_values(version, &self.keys(version)?.0)?,
            false => None,
        };
        let faulty_lines = version.fault.units(program, &Units::new(program, Granularity::Line)).0;
        for (suite, tests) in &suites {
            let coverage = kept.as_ref().map(|_| Coverage::read(run, tests)).transpose()?;
            let facts = coverage.as_ref().map(|coverage| coverage.line_facts(session)).transpose()?;
            let trials = kept.as_ref().map_or_else(Trials::default, |kept| kept.trials(tests));
            let mut seen = MethodInput::read(run, &units, &needs, tests)?;
            if let (Some(facts), Some(kept)) = (&facts, &kept) {
                seen = seen.with_trials(facts, &trials);
                assessed.push(assess(&Posterior::new(facts, &trials), &faulty_lines));
                if self.options.features {
                    let shown = Shown { suite: &suite.name, run, facts, trials: &trials, kept, faulty: &faulty_lines };
                    self.write_features(version, &shown, &mut rows)?;
                }
            }
            let methods = self.options.methods.par_iter().filter(|method| !reads_values(method));
            let ranked = methods.map(|method| Ok((method.id, Located::new(&seen.rank(method)?.ranking, &faulty))));
            for (id, found) in ranked.collect::<Result<Vec<_>, Obstacle>>()? {
                located.entry(id.to_string()).or_default().push(found);
            }
            if let Some(mutated) = &mutated {
                let found = self.values_of(session, mutated, &units, tests, &faulty)?;
                by_values = merged(by_values, found);
            }
            for (id, score) in self.t_scores(version, run, tests)? {
                t_scores.entry(id.to_string()).or_default().push(score);
            }
        }
        if self.options.features {
            keep(&self.features_path(version), &rows)?;
        }
        if let Some(first) = by_values.first() {
            located.extend(first.located.clone());
        }
        if by_values.len() == 1 {
            by_values.clear();
        }
        Ok(VersionOutcome::Evaluated(Evaluated {
            tests: counts,
            n_units: units.len() as u32,
            n_faulty: faulty.len() as u32,
            unranked,
            suites: suites.into_iter().map(|(suite, _)| suite).collect(),
            excluded_suites,
            located,
            t_scores,
            by_values,
            value_trials: mutated.map(|mutated| (mutated.trials, mutated.seconds)),
            assessed,
        }))
    }

    /// Where methods that mutate values put the fault with one suite, by seed and number of values.
    fn values_of(
        &self,
        session: &Session,
        mutated: &Mutated,
        units: &Units,
        tests: &[u32],
        faulty: &[u32],
    ) -> Result<Vec<ByValues>, Obstacle> {
        let mut sorted = tests.to_vec();
        sorted.sort_unstable();
        let of = |(seed, samples): (u64, u32)| {
            let found = match mutated.refused {
                Some(_) => {
                    let methods = self.options.methods.iter().filter(|method| reads_values(method));
                    methods.map(|method| (method.id, None)).collect()
                }
                None => self.located_by_values(session, units, &sorted, faulty, (seed, samples))?,
            };
            let located = found.into_iter().map(|(id, found)| (id.to_string(), vec![found])).collect();
            Ok(ByValues { samples, seed, located })
        };
        self.options.values.each().map(of).collect()
    }

    /// What was tried on a version, if a method reads it.
    fn trials_of(&self, version: &EvalVersion) -> Result<Option<Kept>, Obstacle> {
        if !self.options.has_trials() {
            return Ok(None);
        }
        self.kept_trials(version, &self.keys(version)?.0)
    }

    /// The suites with which a version can be ranked, each with its tests that count; and those with which it cannot, and why.
    #[expect(clippy::type_complexity, reason = "two lists of pairs, named in the sentence above")]
    pub(super) fn suites(
        &self,
        version: &EvalVersion,
        run: &Run,
    ) -> Result<(Vec<(SuiteResult, Vec<u32>)>, Vec<(String, String)>), Obstacle> {
        let pool: Vec<&str> = run.manifest.tests.iter().map(|test| test.name.as_str()).collect();
        let mut wanted = Vec::new();
        if let Some(draw) = self.options.draw {
            wanted = self.drawn(run, draw)?;
        }
        let selections = self.program.selections_of(version).iter().filter(|_| self.options.draw.is_none());
        for selection in selections {
            wanted.push((selection.name.clone(), selection.tests(&pool)?));
        }
        if wanted.is_empty() {
            wanted.push((String::new(), run.counted_tests()));
        }
        let (mut usable, mut excluded) = (Vec::new(), Vec::new());
        for (name, tests) in wanted {
            let passed = |test: &u32| run.manifest.tests[*test as usize].passed;
            let tests: Vec<u32> = tests.into_iter().filter(|test| passed(test).is_some()).collect();
            let failing = tests.iter().filter(|test| passed(test) == Some(false)).count() as u32;
            let passing = tests.len() as u32 - failing;
            match (failing, passing) {
                (0, n) => excluded.push((name, format!("none of its {n} tests detects the fault"))),
                (n, 0) => excluded.push((name, format!("all its {n} tests fail"))),
                _ => usable.push((SuiteResult { name, failing, passing }, tests)),
            }
        }
        Ok((usable, excluded))
    }

    /// T-scores of the methods that rank predicates.
    fn t_scores(&self, version: &EvalVersion, run: &Run, tests: &[u32]) -> Result<Vec<(&'static str, f64)>, Obstacle> {
        let of_predicates = |need: &Need| matches!(need, Need::Predicates | Need::Sequences);
        let methods: Vec<_> = self.options.methods.iter().filter(|m| m.needs.iter().any(of_predicates)).collect();
        if methods.is_empty() {
            return Ok(Vec::new());
        }
        let program = &run.program;
        let predicates = Units::new(program, Granularity::Predicate);
        let needs: Vec<Need> = methods.iter().flat_map(|method| method.needs).copied().collect();
        let seen = MethodInput::read(run, &predicates, &needs, tests)?;
        let lines = Units::new(program, Granularity::Line);
        let faulty = version.fault.units(program, &lines).0;
        let line = |position: &u32| match lines.get(*position) {
            RankedUnit::Line(line) => Some(line),
            _ => None,
        };
        let faulty: Vec<u32> = faulty.iter().filter_map(line).collect();
        let dependences = line_dependences(run)?;
        let score = |method: &&&'static Method| {
            let ranked = seen.rank(method)?.ranking;
            let first = &ranked.order()[..ranked.len().min(T_SCORE_FROM)];
            let from = lines_of_nodes(program, &predicates, first);
            Ok((method.id, t_score(program.lines.len(), &dependences, &from, from.len(), &faulty)))
        };
        methods.iter().map(score).collect()
    }
}

/// Results of earlier suites, and those of the next one, for the same seeds and numbers of values.
fn merged(mut earlier: Vec<ByValues>, next: Vec<ByValues>) -> Vec<ByValues> {
    if earlier.is_empty() {
        return next;
    }
    for (all, one) in earlier.iter_mut().zip(next) {
        for (method, located) in one.located {
            all.located.entry(method).or_default().extend(located);
        }
    }
    earlier
}
