//! Rankings by what changes did that were tried on the tests.

use super::Ranking;
use super::apply::{Note, Observed, Ranked, or_undefined};
use crate::evidence::{Criterion, Posterior};
use crate::spectra::DistinctSpectra;
use crate::spectra::measures;

/// Ranks units by the best score among their lines, those of which nothing was tried last. Equals are put in order by the measure that the
/// criterion's authors name, by Ochiai where a score has few values; those of Metallaxis and MUSE stay equals.
pub fn by_trials(observed: &Observed, criterion: Criterion) -> Option<Ranked> {
    let ((program, units), (facts, trials)) = (observed.code?, observed.trials?);
    let scores = criterion.scores(facts, trials);
    let of_lines: Vec<f64> = scores.lines.iter().map(|score| score.unwrap_or(f64::NEG_INFINITY)).collect();
    let of_units = units.from_lines(program, &of_lines);
    let is_untried = |score: f64| score == f64::NEG_INFINITY;
    let ties = match criterion {
        Criterion::Metallaxis | Criterion::MetallaxisValues | Criterion::Muse | Criterion::MuseValues => None,
        Criterion::ValueReplacement => Some(by_measure(observed, "tarantula")?),
        _ => Some(by_measure(observed, "ochiai")?),
    };
    let ochiai = by_measure(observed, "ochiai")?;
    let second = |(unit, score): (usize, &f64)| match &ties {
        _ if is_untried(*score) => ochiai[unit],
        None => 0.0,
        Some(ties) => ties[unit],
    };
    let second: Vec<f64> = of_units.iter().enumerate().map(second).collect();
    let n_untried = of_units.iter().filter(|score| is_untried(**score)).count();
    let ranking = Ranking::by_keys(&[&of_units, &second], or_undefined(of_units.clone()));
    let mut notes = vec![(n_untried > 0).then_some(Note::Untried(n_untried))];
    notes.push((scores.candidates == 0).then_some(Note::NothingTried));
    let partly = Note::PartlyTried { partial: scores.partial, tried: scores.candidates };
    notes.push((scores.partial > 0).then_some(partly));
    notes.push((scores.candidates > 0 && !trials.turns_any(facts)).then_some(Note::NoFlip));
    Some(Ranked { ranking, notes: notes.into_iter().flatten().collect() })
}

/// Ranks units by the probability of their likeliest line; after those, units that no failing test executes by Ochiai.
pub fn by_all_evidence(observed: &Observed) -> Option<Ranked> {
    let ((program, units), (facts, trials)) = (observed.code?, observed.trials?);
    let posterior = Posterior::new(facts, trials);
    let probable = units.from_lines(program, &posterior.lines);
    let mut turns = vec![f64::NEG_INFINITY; facts.n_lines()];
    for (turn, &line) in posterior.order.iter().enumerate() {
        turns[line as usize] = -(turn as f64);
    }
    // With one group of tests the probabilities are the order, and equals are equals.
    let first = if posterior.clusters.len() < 2 { probable.clone() } else { units.from_lines(program, &turns) };
    let ochiai = by_measure(observed, "ochiai")?;
    let second = |(ochiai, p): (f64, &f64)| if *p > 0.0 { 0.0 } else { ochiai };
    let second: Vec<f64> = ochiai.into_iter().zip(&probable).map(second).collect();
    let tried = (0..trials.candidates().len() as u32).any(|at| trials.failing(at).next().is_some());
    let groups = posterior.clusters.len();
    let notes = [
        (!tried).then_some(Note::NothingTried),
        (tried && !trials.turns_any(facts)).then_some(Note::NoFlip),
        (groups > 1).then_some(Note::Reasons(groups)),
    ];
    let shown = units.from_lines(program, &posterior.stated(facts, trials).lines);
    let shown = shown.into_iter().map(|p| p.max(0.0)).collect();
    let ranking = Ranking::by_keys(&[&first, &second], shown);
    Some(Ranked { ranking, notes: notes.into_iter().flatten().collect() })
}

fn by_measure(observed: &Observed, id: &str) -> Option<Vec<f64>> {
    let distinct = DistinctSpectra::of(&observed.matrix.spectra());
    Some(distinct.spread(&measures::find(id)?.scores(&distinct.spectra, observed.smoothing)))
}
