//! One method applied to what was observed: scores, their order, and what must be said about it.

use std::fmt;

use super::tried::{by_all_evidence, by_trials};
use super::{Algorithm, Method, Need, Ranking, Units};
use crate::causal::{CdflOptions, Observations, cdfl, direct_suspicion};
use crate::evidence::{LineFacts, Trials};
use crate::profile::blockrank::block_rank;
use crate::profile::cbi::isolate;
use crate::profile::cp::capture_propagation;
use crate::profile::sober::divergences;
use crate::profile::{EdgeProfile, FlowGraph, OutcomeProfile, Sites};
use crate::program::Program;
use crate::spectra::doric::{UPDATE_BOUND, causal_likelihood, clear_and_update, fault_likelihood};
use crate::spectra::measures::{self, Measure};
use crate::spectra::{CoverageMatrix, DistinctSpectra, Smoothing};

/// What was observed of the ranked units; what no method asks for may be left out.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// Which test executed which ranked unit.
    pub matrix: &'a CoverageMatrix,
    /// What measures add to each count.
    pub smoothing: Smoothing,
    /// Ranked units known to be innocent; only clearing with updates looks at them.
    pub innocents: &'a [u32],
    /// The code that the units are of; needed for all below.
    pub code: Option<(&'a Program, &'a Units)>,
    /// Flow between the program's blocks, and counts of its edges.
    pub edges: Option<(&'a FlowGraph, &'a EdgeProfile)>,
    /// Conditions by themselves, and what they evaluated to.
    pub predicates: Option<(&'a Sites, &'a OutcomeProfile)>,
    /// Conditions with their evaluation sequences.
    pub sequences: Option<(&'a Sites, &'a OutcomeProfile)>,
    /// For each test in the order of the matrix, the program's lines in its dynamic slice.
    pub slices: Option<&'a [Vec<u32>]>,
    /// What value mutants changed.
    pub interventions: Option<Interventions<'a>>,
    /// What is known of the program's lines, and what changes of them did.
    pub trials: Option<(&'a LineFacts<'a>, &'a Trials)>,
}

/// What value mutants changed in the tests that are ranked by, and how to judge it.
#[derive(Clone, Copy, Debug)]
pub struct Interventions<'a> {
    /// What each mutant changed; its tests say themselves which of them fail.
    pub observations: &'a Observations,
    /// For each node the position of its first execution.
    pub order: &'a [u32],
    /// How CDFL adjusts.
    pub cdfl: CdflOptions<'a>,
}

impl<'a> Observed<'a> {
    /// Coverage alone.
    pub fn coverage(matrix: &'a CoverageMatrix) -> Self {
        let smoothing = Smoothing::Half;
        Observed {
            matrix,
            smoothing,
            innocents: &[],
            code: None,
            edges: None,
            predicates: None,
            sequences: None,
            slices: None,
            interventions: None,
            trials: None,
        }
    }
}

/// A ranking, and what must be said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The order.
    pub ranking: Ranking,
    /// What a reader must know to judge it.
    pub notes: Vec<Note>,
}

/// Something about a ranking that its reader must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// There is nothing to rank.
    NoUnit,
    /// No test fails.
    NoFailingTest,
    /// No test passes.
    NoPassingTest,
    /// This many units were executed by no test.
    NeverExecuted(usize),
    /// The method is undefined for this many units.
    Undefined(usize),
    /// All units, this many, have one score.
    AllEqual(usize),
    /// This many units share the highest score.
    TiedAtTop(usize),
    /// The scores of this many blocks had not settled when iteration stopped.
    Unsettled(usize),
    /// This many units count as innocent.
    Innocent(usize),
    /// This many failing tests executed innocent units only.
    Unexplained(usize),
    /// This many units were executed by no failing test, and the method alone would put some of them before others that were.
    NotInFailures(usize),
    /// No predicate raises the chance of failure significantly.
    NothingSignificant,
    /// This many units hold no node that was mutated.
    Untried(usize),
    /// This many of all candidates were not tried on all the tests that execute them.
    PartlyTried {
        /// Those.
        partial: usize,
        /// All that were tried at all.
        tried: usize,
    },
    /// Nothing was tried.
    NothingTried,
    /// No candidate makes a failing test pass.
    NoFlip,
    /// Failing tests seem to fail for this many reasons.
    Reasons(usize),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n: &usize, one: &'static str, many: &'static str| if *n == 1 { one } else { many };
        match self {
            Note::NoUnit => write!(f, "there is nothing to rank"),
            Note::NoFailingTest => write!(f, "no test fails, so there is no failure to explain"),
            Note::NoPassingTest => {
                write!(f, "no test passes, so nothing tells faulty code from the rest that failing tests execute")
            }
            Note::NeverExecuted(n) => write!(f, "{n} {} executed by no test", plural(n, "unit was", "units were")),
            Note::Undefined(n) => {
                write!(f, "the method is undefined for {n} {}, ranked last", plural(n, "unit", "units"))
            }
            Note::AllEqual(n) => write!(f, "all {n} units have the same score: the order says nothing"),
            Note::TiedAtTop(n) => write!(f, "{n} units share the highest score"),
            Note::Unsettled(n) => {
                write!(
                    f,
                    "the scores of {n} {} in loops had not settled when iteration stopped",
                    plural(n, "block", "blocks")
                )
            }
            Note::Innocent(n) => write!(f, "{n} {} as innocent", plural(n, "unit counts", "units count")),
            Note::Unexplained(n) => write!(
                f,
                "{n} failing {} nothing but innocent code: a verdict is wrong, or the fault is in code that is not ranked",
                plural(n, "test executes", "tests execute")
            ),
            Note::NotInFailures(n) => write!(
                f,
                "{n} {} executed by no failing test and {} last, whatever the score: what did not run made no test fail",
                plural(n, "unit was", "units were"),
                plural(n, "comes", "come")
            ),
            Note::Untried(n) => {
                let hold = plural(n, "unit holds", "units hold");
                write!(f, "{n} {hold} nothing that was mutated: ranked last, by ochiai")
            }
            Note::PartlyTried { partial, tried } => write!(
                f,
                "{partial} of {tried} changes were not tried on all tests that execute them: these tests count by the share of \
                 those on which they were"
            ),
            Note::NothingTried => write!(f, "no change was tried: the order is Ochiai's"),
            Note::NoFlip => write!(f, "no change that was tried makes a failing test pass"),
            Note::Reasons(n) => {
                write!(
                    f,
                    "failing tests seem to fail for {n} different reasons: no line's changes make tests of two groups pass"
                )
            }
            Note::NothingSignificant => write!(f, "no condition raises the chance of failure significantly"),
        }
    }
}

/// A method needs what was not observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("method `{method}` needs {}, which were not recorded", .need.name())]
pub struct MissingEvidence {
    /// The method's id.
    pub method: &'static str,
    /// What it needs.
    pub need: Need,
}

/// Ranks by `method`. Coverage is always there; what else [`Method::needs`] names must be in `observed`.
pub fn apply(method: &Method, observed: &Observed) -> Result<Ranked, MissingEvidence> {
    let missing = |need| MissingEvidence { method: method.id, need };
    let mut ranked = match method.algorithm {
        Algorithm::Measure(measure) => by_measure(measure, observed),
        Algorithm::CausalLikelihood => {
            let log2 = causal_likelihood(observed.matrix);
            let shown = log2.iter().map(|log2| log2.exp2()).collect();
            Ranked::new(Ranking::by_keys(&[&log2], shown))
        }
        Algorithm::FaultLikelihood => by_fault_likelihood(observed),
        Algorithm::UpdatedCausalLikelihood => by_updates(observed),
        Algorithm::BlockRank(reading) => {
            let (graph, profile) = observed.edges.ok_or(missing(Need::Edges))?;
            let result = block_rank(graph, profile, reading);
            by_blocks(observed, &result.scores, result.unsettled.len()).ok_or(missing(Need::Edges))?
        }
        Algorithm::Cp => {
            let (graph, profile) = observed.edges.ok_or(missing(Need::Edges))?;
            let result = capture_propagation(graph, profile);
            by_blocks(observed, &result.scores, result.unsettled.len()).ok_or(missing(Need::Edges))?
        }
        Algorithm::Cbi => by_isolation(observed, observed.predicates).ok_or(missing(Need::Predicates))?,
        Algorithm::DesCbi => by_isolation(observed, observed.sequences).ok_or(missing(Need::Sequences))?,
        Algorithm::Sober => by_divergence(observed, observed.predicates).ok_or(missing(Need::Predicates))?,
        Algorithm::DesSober => by_divergence(observed, observed.sequences).ok_or(missing(Need::Sequences))?,
        Algorithm::Slice => by_slices(observed, false).ok_or(missing(Need::Slices))?,
        Algorithm::Dice => by_slices(observed, true).ok_or(missing(Need::Slices))?,
        Algorithm::Cdfl => by_interventions(observed, |seen| cdfl(seen.observations, seen.order, seen.cdfl))
            .ok_or(missing(Need::Observations))?,
        Algorithm::CdflPaper => {
            by_interventions(observed, |seen| cdfl(seen.observations, seen.order, CdflOptions::paper()))
                .ok_or(missing(Need::Observations))?
        }
        Algorithm::Interventional => {
            by_interventions(observed, |seen| direct_suspicion(seen.observations)).ok_or(missing(Need::Observations))?
        }
        Algorithm::Trials(criterion) => by_trials(observed, criterion).ok_or(missing(Need::Trials))?,
        Algorithm::AllEvidence => by_all_evidence(observed).ok_or(missing(Need::Trials))?,
    };
    let (ranking, behind) = executed_first(method, observed, ranked.ranking);
    let mut notes = general_notes(observed, &ranking);
    notes.append(&mut ranked.notes);
    notes.extend(behind);
    Ok(Ranked { ranking, notes })
}

/// Puts what no failing test executes behind everything else, if that is not where the method has it: what did not run made no test fail, and
/// adding a half to each count gives it a share of each failure.
fn executed_first(method: &Method, observed: &Observed, ranking: Ranking) -> (Ranking, Option<Note>) {
    let mut is_last: Vec<bool> = observed.matrix.spectra().iter().map(|spectrum| spectrum.ef == 0).collect();
    let n_last = is_last.iter().filter(|is_last| **is_last).count();
    if is_last.len() != ranking.len() || n_last == is_last.len() {
        return (ranking, None);
    }
    if let Algorithm::UpdatedCausalLikelihood = method.algorithm {
        observed.innocents.iter().for_each(|unit| is_last[*unit as usize] = true);
    }
    let (ranking, moves) = ranking.with_last(&is_last);
    (ranking, moves.then_some(Note::NotInFailures(n_last)))
}

impl Ranked {
    fn new(ranking: Ranking) -> Self {
        Ranked { ranking, notes: Vec::new() }
    }

    fn noting(mut self, n: usize, note: impl Fn(usize) -> Note) -> Self {
        self.notes.extend((n > 0).then(|| note(n)));
        self
    }
}

fn general_notes(observed: &Observed, ranking: &Ranking) -> Vec<Note> {
    let matrix = observed.matrix;
    if matrix.n_units() == 0 {
        return vec![Note::NoUnit];
    }
    let never = matrix.spectra().iter().filter(|s| s.ef + s.ep == 0).count();
    let at_top = ranking.ties().next().map_or(0, <[u32]>::len);
    let notes = [
        (matrix.n_failing() == 0).then_some(Note::NoFailingTest),
        (matrix.n_failing() == matrix.n_tests()).then_some(Note::NoPassingTest),
        (never > 0).then_some(Note::NeverExecuted(never)),
        match at_top {
            1 => None,
            n if n == ranking.len() => Some(Note::AllEqual(n)),
            n => Some(Note::TiedAtTop(n)),
        },
    ];
    notes.into_iter().flatten().collect()
}

fn by_measure(measure: &Measure, observed: &Observed) -> Ranked {
    let distinct = DistinctSpectra::of(&observed.matrix.spectra());
    let scores = measure.scores(&distinct.spectra, observed.smoothing);
    let n_undefined = distinct.class.iter().filter(|&&class| scores[class as usize].is_nan()).count();
    Ranked::new(Ranking::of_spectra(&distinct, &scores)).noting(n_undefined, Note::Undefined)
}

fn by_fault_likelihood(observed: &Observed) -> Ranked {
    let likelihoods = fault_likelihood(observed.matrix);
    let (total, excess): (Vec<f64>, Vec<f64>) = likelihoods.iter().map(|l| l.keys().into()).unzip();
    let shown = likelihoods.iter().map(|likelihood| likelihood.probability()).collect();
    Ranked::new(Ranking::by_keys(&[&total, &excess], shown))
}

/// Inspected units in the order of their inspection, the rest by the likelihood that remains, innocents last.
fn by_updates(observed: &Observed) -> Ranked {
    let updated = clear_and_update(observed.matrix, observed.innocents, UPDATE_BOUND);
    let mut turn = vec![f64::from(u32::MAX); observed.matrix.n_units()];
    for (at, &unit) in updated.inspected.iter().enumerate() {
        turn[unit as usize] = at as f64;
    }
    for &unit in observed.innocents {
        turn[unit as usize] = f64::INFINITY;
    }
    let turn: Vec<f64> = turn.into_iter().map(|turn| -turn).collect();
    let shown = updated.log2_likelihood.iter().map(|log2| log2.exp2()).collect();
    Ranked::new(Ranking::by_keys(&[&turn, &updated.log2_likelihood], shown))
        .noting(observed.innocents.len(), Note::Innocent)
        .noting(updated.unexplained.len(), Note::Unexplained)
}

fn by_blocks(observed: &Observed, scores: &[f64], n_unsettled: usize) -> Option<Ranked> {
    let (program, units) = observed.code?;
    let shown = or_undefined(units.from_blocks(program, scores));
    Some(Ranked::new(Ranking::new(shown)).noting(n_unsettled, Note::Unsettled))
}

/// The share of failing tests whose slice holds a unit; for a dice, 0 if the slice of a passing test does.
fn by_slices(observed: &Observed, dice: bool) -> Option<Ranked> {
    let ((program, units), slices) = (observed.code?, observed.slices?);
    let mut shares = vec![0.0; program.lines.len()];
    let tests = || slices.iter().zip(observed.matrix.failed());
    for line in tests().filter(|(_, failed)| **failed).flat_map(|(slice, _)| slice) {
        shares[*line as usize] += 1.0 / observed.matrix.n_failing() as f64;
    }
    for line in tests().filter(|(_, failed)| dice && !**failed).flat_map(|(slice, _)| slice) {
        shares[*line as usize] = 0.0;
    }
    Some(Ranked::new(Ranking::new(or_undefined(units.from_lines(program, &shares)))))
}

/// Scores of units as they are shown, from those of parts of which some units have none: negative infinity, which no part has, is no score.
pub(super) fn or_undefined(mut scores: Vec<f64>) -> Vec<f64> {
    scores.iter_mut().filter(|score| **score == f64::NEG_INFINITY).for_each(|score| *score = f64::NAN);
    scores
}

/// Ranks units by the highest score among their nodes; after those, units without any by Ochiai.
fn by_interventions(observed: &Observed, score: impl Fn(&Interventions) -> Vec<Option<f64>>) -> Option<Ranked> {
    let ((program, units), interventions) = (observed.code?, observed.interventions?);
    let of_nodes: Vec<f64> =
        score(&interventions).into_iter().map(|score| score.unwrap_or(f64::NEG_INFINITY)).collect();
    let scores = units.from_nodes(program, &of_nodes);
    let distinct = DistinctSpectra::of(&observed.matrix.spectra());
    let ochiai = distinct.spread(&measures::find("ochiai")?.scores(&distinct.spectra, observed.smoothing));
    let is_untried = |score: f64| score == f64::NEG_INFINITY;
    let fallback: Vec<f64> =
        scores.iter().zip(ochiai).map(|(score, ochiai)| if is_untried(*score) { ochiai } else { 0.0 }).collect();
    let n_untried = scores.iter().filter(|score| is_untried(**score)).count();
    let ranking = Ranking::by_keys(&[&scores, &fallback], or_undefined(scores.clone()));
    Some(Ranked::new(ranking).noting(n_untried, Note::Untried))
}

fn by_isolation(observed: &Observed, profile: Option<(&Sites, &OutcomeProfile)>) -> Option<Ranked> {
    let (sites, profile) = profile?;
    let isolation = isolate(sites, profile);
    let keys = isolation.keys();
    let importance: Vec<f64> = isolation.relations.iter().map(|relation| relation.importance).collect();
    let mut ranked = by_outcomes(observed, sites, &keys.each_ref().map(Vec::as_slice), &importance)?;
    if isolation.selected.is_empty() {
        ranked.notes.push(Note::NothingSignificant);
    }
    Some(ranked)
}

fn by_divergence(observed: &Observed, profile: Option<(&Sites, &OutcomeProfile)>) -> Option<Ranked> {
    let (sites, profile) = profile?;
    let (scores, distances): (Vec<f64>, Vec<f64>) = divergences(profile).iter().map(|d| (d.score, d.distance)).unzip();
    by_outcomes(observed, sites, &[&scores, &distances], &scores)
}

/// Ranks outcomes, then units by the best outcome among their nodes; the score shown is the highest of their outcomes.
fn by_outcomes(observed: &Observed, sites: &Sites, keys: &[&[f64]], scores: &[f64]) -> Option<Ranked> {
    let (program, units) = observed.code?;
    let to_units = |of_outcomes: &[f64]| units.from_nodes(program, &sites.to_nodes(of_outcomes, program.nodes.len()));
    let outcomes = Ranking::by_keys(keys, vec![0.0; scores.len()]);
    let place: Vec<f64> = outcomes.standings().iter().map(|standing| -f64::from(standing.best)).collect();
    let units_place = to_units(&place);
    let has_none = |at: usize| units_place[at] == f64::NEG_INFINITY;
    let shown = to_units(scores).into_iter().enumerate();
    let shown = shown.map(|(at, score)| if has_none(at) { f64::NAN } else { score }).collect();
    Some(Ranked::new(Ranking::by_keys(&[&units_place], shown)))
}
