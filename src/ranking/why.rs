//! Everything about one line of a ranking, and why it is not ranked higher.

use std::cmp::Reverse;

use super::reasons::{Explainer, place_of};
use super::request::RankRequest;
use super::tried::Tried;
use crate::evidence::{Effect, Features, LineFacts, NAMES, Portrait, Trials, WEIGHTS};
use crate::obstacle::Obstacle;
use crate::program::{Program, is_of_system};
use crate::rank::{Algorithm, Granularity, RankedUnit, Units, find_method};
use crate::rank_inputs::MethodInput;
use crate::report::{
    Before, Difference, Entry, Feature, RankingReport, Score, Standing, WHY_SCHEMA_VERSION, WhyNot, WhyReport,
};
use crate::store::Run;

/// Methods on coverage alone that are shown for comparison.
const SPECTRA: [&str; 4] = ["ochiai", "tarantula", "dstar2", "cln"];
/// Lines before the one asked about that are shown.
const BEFORE: usize = 3;

/// The line that a look is at.
pub fn looked_at(program: &Program, request: &RankRequest) -> Result<Option<u32>, Obstacle> {
    let Some(look) = &request.look else { return Ok(None) };
    match (request.method.algorithm, request.by) {
        (Algorithm::AllEvidence, Granularity::Line) => Ok(Some(find(program, &look.place)?)),
        _ => Err(Obstacle::new(
            Obstacle::Request,
            "--why and --why-not are about lines ranked by all evidence: leave out --method and --by",
        )),
    }
}

/// Everything that is known about a place of a ranking.
pub fn why(
    run: &Run,
    (line, is_not): (u32, bool),
    (facts, tried): (&LineFacts, &Tried),
    report: &RankingReport,
    explainer: &mut Explainer,
) -> Result<WhyReport, Obstacle> {
    let place = place_of(&run.program, line);
    let position = report.ranking.iter().position(|entry| entry.unit == place);
    let Some(position) = position else {
        return Err(Obstacle::new(Obstacle::Request, format!("{place} is not ranked: {}", why_not_ranked(run, line)?)));
    };
    let trials = &tried.trials;
    let mut entry = report.ranking[position].clone();
    entry.reasons = explainer.reasons_of(line);
    let numbers = Numbers::new(facts, trials, explainer, line);
    let candidates = candidates_of(trials, line);
    let of_test = |test: u32| explainer.test_name(test);
    let sentences: Vec<(u32, String)> =
        candidates.iter().map(|at| (*at, explainer.reasons.of_candidate(*at, &of_test).sentence)).collect();
    let shown =
        sentences.into_iter().map(|(at, text)| crate::report::Reason { text, claim: Some(explainer.claim(at)) });
    let tried_here = shown.collect();
    let why_not = is_not.then(|| WhyNot {
        statements: statements(&entry, &numbers, candidates.len()),
        before: before(report, position, &run.program, &numbers),
    });
    Ok(WhyReport {
        schema_version: WHY_SCHEMA_VERSION,
        n_ranked: report.ranking.len() as u32,
        spectra: spectra(run, line)?,
        features: numbers.features(line),
        tried: tried_here,
        not_tried: not_tried(trials, tried, line),
        why_not,
        trials: report.trials,
        confidence: report.confidence.clone(),
        entry,
    })
}

/// The reason why a line is in no ranking.
fn why_not_ranked(run: &Run, line: u32) -> Result<&'static str, Obstacle> {
    let file = run.program.lines[line as usize].file;
    let is_system = run.program.files.get(file as usize).is_some_and(|file| is_of_system(file));
    Ok(match run.trusted_files()?.contains(&file) {
        true => "it is the tests' own code, which is trusted (`[rank] test_code` in suspect.toml says which files are)",
        false if is_system => "it belongs to the system's headers, which are taken to be right",
        false => "it was found innocent (--forget-innocent)",
    })
}

/// The line of a program that `FILE:LINE` names.
fn find(program: &Program, place: &str) -> Result<u32, Obstacle> {
    let wrong = |message: String| Obstacle::new(Obstacle::Request, message);
    let parsed = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
    let (file, number) =
        parsed.ok_or_else(|| wrong(format!("{place}: give FILE:LINE as a ranking shows it, such as src/a.c:41")))?;
    let file = whole_path(program, file.trim_start_matches("./"));
    let of_file = |line: &crate::program::Line| program.files.get(line.file as usize).is_some_and(|name| name == file);
    if let Some(found) = program.lines.iter().position(|line| line.line == number && of_file(line)) {
        return Ok(found as u32);
    }
    let mut near: Vec<u32> = program.lines.iter().filter(|line| of_file(line)).map(|line| line.line).collect();
    near.sort_by_key(|line| line.abs_diff(number));
    let near: Vec<String> = near.iter().take(2).map(|line| format!("{file}:{line}")).collect();
    Err(wrong(match near.is_empty() {
        true => format!("{place}: the program has no code of a file of that name"),
        false => {
            format!("{place}: there is no code on this line; the nearest lines with code are {}", near.join(" and "))
        }
    }))
}

/// The path of the program's only file that ends so; what was given where there is none, or another one.
fn whole_path<'p>(program: &'p Program, given: &'p str) -> &'p str {
    let is_end =
        |path: &&String| path.strip_suffix(given).is_some_and(|before| before.is_empty() || before.ends_with('/'));
    let mut files = program.files.iter().filter(is_end);
    match (files.next(), files.next()) {
        (Some(file), None) => file,
        _ => given,
    }
}

/// The candidates of a line that were tried, those that turn most failing tests and break fewest passing ones first.
fn candidates_of(trials: &Trials, line: u32) -> Vec<u32> {
    let here = (0..).zip(trials.candidates()).filter(|(_, candidate)| candidate.line == line).map(|(at, _)| at);
    let mut tried: Vec<u32> = here.filter(|at| trials.usable_outcomes(*at).next().is_some()).collect();
    let count = |at: u32, failed: bool, counts: fn(Effect) -> bool| {
        let of_side = trials.usable_outcomes(at).filter(|(test, _)| trials.tests()[*test as usize].failed == failed);
        of_side.filter(|(_, outcome)| counts(outcome.effect)).count()
    };
    let is_turned = |effect| effect == Effect::Turned;
    tried.sort_by_key(|&at| {
        let (flips, breaks) = (count(at, true, is_turned), count(at, false, is_turned));
        (Reverse(flips), breaks, Reverse(count(at, true, Effect::is_noticed)), at)
    });
    tried
}

/// Statements about what was not tried on a line.
fn not_tried(trials: &Trials, tried: &Tried, line: u32) -> Vec<String> {
    let here = (0..).zip(trials.candidates()).filter(|(_, candidate)| candidate.line == line);
    let untried = here.filter(|(at, _)| trials.usable_outcomes(*at).next().is_none()).count();
    let mut statements = Vec::new();
    match untried {
        0 => {}
        _ if tried.is_finished => statements.push(format!(
            "{untried} changes here, which the tests chosen do not execute or which could not have changed the ranking any more"
        )),
        _ if tried.is_settled => statements
            .push(format!("{untried} changes here, as one line was far ahead: `suspect rank --budget 60s` goes on")),
        _ => statements.push(format!("{untried} changes here, for want of time: `suspect rank` goes on")),
    }
    statements.extend(tried.not_tried.iter().cloned());
    statements
}

/// Where methods on coverage alone put a line.
fn spectra(run: &Run, line: u32) -> Result<Vec<Standing>, Obstacle> {
    let units = Units::new(&run.program, Granularity::Line);
    let unit = (0..).zip(units.iter()).find(|(_, unit)| *unit == RankedUnit::Line(line)).map(|(position, _)| position);
    let seen = MethodInput::read(run, &units, &[], &run.counted_tests())?;
    let mut standings = Vec::new();
    for id in SPECTRA {
        let method = find_method(id).map_err(Obstacle::of(Obstacle::Internal))?;
        let ranked = seen.rank(method)?;
        let own = ranked.ranking.iter().find(|standing| Some(standing.unit) == unit);
        standings.extend(own.map(|standing| Standing {
            method: id.to_string(),
            score: Score(standing.score),
            rank_best: standing.best,
            rank_worst: standing.worst,
        }));
    }
    Ok(standings)
}

/// The features of all lines, as they decide about one of them.
struct Numbers {
    portrait: Portrait,
    line: u32,
}

impl Numbers {
    /// Where failing tests fall into groups, those count that make `line` likeliest.
    fn new(facts: &LineFacts, trials: &Trials, explainer: &Explainer, line: u32) -> Numbers {
        let clusters = &explainer.posterior.clusters;
        let portraits = match clusters.len() {
            0 | 1 => vec![Portrait::new(facts, trials)],
            _ => clusters.iter().map(|tests| Portrait::of_failing(facts, trials, tests)).collect(),
        };
        let lead = |portrait: &Portrait| {
            let score = |features: &Features| WEIGHTS.dot(features);
            let most = portrait.features.iter().map(score).fold(f64::NEG_INFINITY, f64::max);
            portrait.lines.binary_search(&line).map_or(f64::NEG_INFINITY, |at| score(&portrait.features[at]) - most)
        };
        let best = portraits.into_iter().max_by(|a, b| lead(a).total_cmp(&lead(b)));
        Numbers { portrait: best.unwrap_or_default(), line }
    }

    fn of(&self, line: u32) -> Option<&Features> {
        self.portrait.lines.binary_search(&line).ok().map(|at| &self.portrait.features[at])
    }

    /// The features that go into a line's score.
    fn features(&self, line: u32) -> Vec<Feature> {
        let Some(own) = self.of(line) else { return Vec::new() };
        let each = NAMES.iter().zip(own.values()).zip(WEIGHTS.values());
        let mut features: Vec<Feature> = each
            .map(|((name, value), weight)| Feature {
                name: name.replace('_', " "),
                value,
                weight,
                contribution: value * weight,
            })
            .filter(|feature| feature.contribution != 0.0)
            .collect();
        features.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        features
    }

    /// In what another line is ahead, the weightiest first.
    fn differences(&self, other: u32) -> Vec<Difference> {
        let (Some(there), Some(here)) = (self.of(other), self.of(self.line)) else { return Vec::new() };
        let each = NAMES.iter().zip(there.values()).zip(here.values()).zip(WEIGHTS.values());
        let mut differences: Vec<Difference> = each
            .map(|(((name, there), here), weight)| Difference {
                name: name.replace('_', " "),
                there,
                here,
                contribution: weight * (there - here),
            })
            .filter(|difference| difference.contribution.abs() >= 0.005)
            .collect();
        differences.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        differences
    }
}

/// Statements about why a line is not ranked higher.
fn statements(entry: &Entry, numbers: &Numbers, n_tried: usize) -> Vec<String> {
    let mut statements = Vec::new();
    if entry.rank_best == 1 {
        statements.push("it is ranked as high as can be".to_string());
    }
    let Some(own) = numbers.of(numbers.line) else {
        statements.push("no failing test executes it, so what stands there makes none fail".to_string());
        statements.push("what no failing test executes comes last, by Ochiai".to_string());
        return statements;
    };
    if own.flip == 0.0 && n_tried > 0 {
        statements.push("no change that was tried here makes a failing test pass".to_string());
    }
    if own.constant > 0.0 {
        statements.push("no change that was tried here alters anything that a failing test looks at".to_string());
    }
    if own.untried > 0.0 {
        statements
            .push("nothing was tried here: coverage and what is beside it are all that speaks for it".to_string());
    }
    if own.flip > 0.0 && own.repair == 0.0 {
        statements.push(
            "no change that was tried here makes all failing tests pass and keeps passing tests passing".to_string(),
        );
    }
    let Entry { evidence, .. } = entry;
    if evidence.failing_executed < evidence.failing_total {
        statements
            .push(format!("only {} of {} failing tests execute it", evidence.failing_executed, evidence.failing_total));
    }
    if evidence.passing_total > 0 && evidence.passing_executed == evidence.passing_total {
        statements.push("all passing tests execute it too, and pass".to_string());
    }
    statements
}

/// The first lines that stand before the one at `position`.
fn before(report: &RankingReport, position: usize, program: &Program, numbers: &Numbers) -> Vec<Before> {
    let own = report.ranking[position].rank_best;
    let entries = report.ranking[..position].iter().filter(|entry| entry.rank_best < own).take(BEFORE);
    let shown = |entry: &Entry| {
        let line = (0..program.lines.len() as u32).find(|line| place_of(program, *line) == entry.unit);
        Before {
            place: entry.unit.clone(),
            rank: entry.rank,
            probability: entry.probability.unwrap_or(0.0),
            reason: entry.reasons.first().map_or_else(String::new, |reason| reason.text.clone()),
            differences: line.map_or_else(Vec::new, |line| numbers.differences(line)),
        }
    };
    entries.map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Candidate, Kind, Outcome, TriedTest};
    use crate::trial::{End, Mutant};

    #[test]
    fn what_was_tried_on_a_test_that_was_then_refused_was_not_tried() {
        let test = |test| TriedTest { test, failed: true, matched: None, further: false };
        let mut trials = Trials::new(vec![test(0), test(1)]);
        for (id, of_test) in [(0, 0), (1, 1)] {
            let at = trials.add(Candidate {
                id,
                kind: Kind::Value,
                line: 7,
                node: None,
                instances: Box::new([]),
                mutant: Mutant { overrides: Box::new([]) },
                original: "1".into(),
                replacement: "2".into(),
                edit: None,
            });
            let outcome = Outcome { effect: Effect::Turned, end: End::Exited(0), matched: None };
            trials.set(at, of_test, outcome);
        }
        assert_eq!(candidates_of(&trials, 7), [0, 1]);
        trials.set_unusable([0].into());
        assert_eq!(candidates_of(&trials, 7), [1]);
    }

    #[test]
    fn the_end_of_a_path_is_enough_where_one_file_has_it() {
        let files = ["a.c", "src/a.c", "src/b.c", "lib/xb.c", "lib/c.c", "src/c.c"].map(str::to_owned).into();
        let program = Program { files, ..Program::default() };
        for (given, path) in
            [("b.c", "src/b.c"), ("a.c", "a.c"), ("c.c", "c.c"), ("src/c.c", "src/c.c"), ("d.c", "d.c")]
        {
            assert_eq!(whole_path(&program, given), path);
        }
    }
}
