//! All evidence together: the probability of each line.

use super::cluster::clusters;
use super::weights::{ELSEWHERE, WEIGHTS};
use super::{Effect, Features, LineFacts, Portrait, Tallies, Trials};

/// How probable it is that a failing test fails because of each line.
///
/// A conditional logit (McFadden 1974): of the lines that failing tests execute, one is at fault with a probability in proportion to
/// `exp(weights . features)`; what is left is the probability that it is none of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posterior {
    /// Of each of [`crate::program::Program::lines`]; 0 for lines that no failing test executes.
    pub lines: Vec<f64>,
    /// That none of the lines is at fault.
    pub elsewhere: f64,
    /// The lines that failing tests execute, in the order in which to look at them.
    pub order: Vec<u32>,
    /// Failing tests, by position in the trials, grouped by the faults that they seem to be failing for; the largest group first.
    pub clusters: Vec<Vec<u32>>,
    /// For each of these the probabilities of the lines, were its tests the only ones that fail; one alone where there is no group.
    pub of_clusters: Vec<Vec<f64>>,
}

/// Lines that are put in order by what groups of tests they explain; the rest follow by probability.
const INTERLEAVED: usize = 100;

impl Posterior {
    /// From what is known now.
    pub fn new(facts: &LineFacts, trials: &Trials) -> Posterior {
        let mut clusters = clusters(facts, trials);
        clusters.sort_by_key(|tests| std::cmp::Reverse(tests.len()));
        let of_clusters: Vec<Vec<f64>> = match clusters.len() {
            0 | 1 => vec![spread(facts, trials, &Portrait::new(facts, trials))],
            _ => clusters
                .iter()
                .map(|tests| spread(facts, trials, &Portrait::of_failing(facts, trials, tests)))
                .collect(),
        };
        let n_tests = clusters.iter().map(Vec::len).sum::<usize>().max(1) as f64;
        let mut shares: Vec<f64> = clusters.iter().map(|tests| tests.len() as f64 / n_tests).collect();
        if shares.is_empty() {
            shares.push(1.0);
        }
        let mut lines = vec![0.0; facts.n_lines()];
        for (of_cluster, share) in of_clusters.iter().zip(&shares) {
            lines.iter_mut().zip(of_cluster).for_each(|(line, p)| *line += share * p);
        }
        let order = order(&lines, &of_clusters, shares);
        let elsewhere = if order.is_empty() { 1.0 } else { ELSEWHERE };
        Posterior { lines, elsewhere, order, clusters, of_clusters }
    }

    /// The same with what was not tried counted in the probabilities; the order is what it is.
    ///
    /// Trials that have not been run could speak for other lines as those that were speak for some. With the probability `unseen` the fault is where
    /// changes have not been tried, and then trials say nothing of it: the order is as good as that by coverage at best.
    pub fn stated(mut self, facts: &LineFacts, trials: &Trials) -> Posterior {
        let nothing = Trials::default();
        let before = spread(facts, &nothing, &Portrait::new(facts, &nothing));
        let untried = untried(facts, trials);
        let share = |lines: &[f64]| {
            let part: f64 = lines.iter().zip(&untried).map(|(p, untried)| p * untried).sum();
            part / lines.iter().sum::<f64>().max(f64::MIN_POSITIVE)
        };
        let unseen = unseen(share(&self.lines), share(&before));
        self.lines = mixed(&self.lines, &before, unseen);
        self.of_clusters = self.of_clusters.iter().map(|lines| mixed(lines, &before, unseen)).collect();
        self
    }

    /// The probability that the fault is among the first `n` lines.
    pub fn within(&self, n: usize) -> f64 {
        self.order.iter().take(n).map(|line| self.lines[*line as usize]).sum()
    }
}

/// For each line the share of its candidates that were tried on no failing test, and could be.
fn untried(facts: &LineFacts, trials: &Trials) -> Vec<f64> {
    let tallies = Tallies::new(facts, trials, |test| trials.is_first(test));
    let mut counts = vec![(0u32, 0u32); facts.n_lines()];
    for (at, candidate) in (0..).zip(trials.candidates()) {
        let is_tried = trials.failing(at).next().is_some();
        if is_tried || tallies.of(at).failing.missing > 0 {
            let (untried, all) = &mut counts[candidate.line as usize];
            *untried += u32::from(!is_tried);
            *all += 1;
        }
    }
    let nothing_tried = trials.is_empty() && !trials.candidates().is_empty();
    let share = |(untried, all): (u32, u32)| if all == 0 { 0.0 } else { f64::from(untried) / f64::from(all) };
    counts.into_iter().map(|counts| if nothing_tried { 1.0 } else { share(counts) }).collect()
}

/// The probability that the fault is where nothing was tried: `now`, by all that is known, takes what was not tried for tried in vain; `before`, by coverage, takes
/// what speaks for what was tried for nothing. The truth is between: the odds are their geometric mean. Where all evidence itself says that the
/// fault is elsewhere, it is believed.
fn unseen(now: f64, before: f64) -> f64 {
    let odds = |p: f64| p / (1.0 - p).max(f64::MIN_POSITIVE);
    let (now_odds, before_odds) = (odds(now), odds(before));
    if now_odds >= before_odds {
        return now;
    }
    let mean = (now_odds * before_odds).sqrt();
    mean / (1.0 + mean)
}

/// Probabilities of which a share `unseen` is given out as `before` has it, the greatest to the likeliest, so that the order stays; equals stay equals.
fn mixed(lines: &[f64], before: &[f64], unseen: f64) -> Vec<f64> {
    if unseen <= 0.0 {
        return lines.to_vec();
    }
    let mut order: Vec<u32> = (0..lines.len() as u32).filter(|line| lines[*line as usize] > 0.0).collect();
    order.sort_by(|&a, &b| lines[b as usize].total_cmp(&lines[a as usize]));
    let mut shares: Vec<f64> = before.iter().copied().filter(|p| *p > 0.0).collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    shares.resize(order.len(), 0.0);
    let (sum, all): (f64, f64) = (lines.iter().sum(), shares.iter().sum());
    let scale = if all > 0.0 { sum / all } else { 0.0 };
    let mut mixed = vec![0.0; lines.len()];
    let mut from = 0;
    for equals in order.chunk_by(|a, b| lines[*a as usize] == lines[*b as usize]) {
        let to = from + equals.len();
        let share = scale * shares[from..to].iter().sum::<f64>() / equals.len() as f64;
        equals.iter().for_each(|line| mixed[*line as usize] = (1.0 - unseen) * lines[*line as usize] + unseen * share);
        from = to;
    }
    mixed
}

fn spread(facts: &LineFacts, trials: &Trials, portrait: &Portrait) -> Vec<f64> {
    let mut lines = vec![0.0; facts.n_lines()];
    for (&line, p) in portrait.lines.iter().zip(probabilities(&portrait.features, &WEIGHTS)) {
        lines[line as usize] = p;
    }
    lean_to_chains(facts, &mut lines);
    lean_to_readers(trials, &mut lines);
    lean_from_reports(facts, trials, &mut lines);
    lines
}

/// The odds, by eye, that the fault is on a line that only reports a failure, of those that it would have else.
const FOR_REPORTS: f64 = 0.1;

/// Takes odds from lines that report a failure where tests are judged by how the program ends, as long as something else turns a test: no passing test
/// executes them, and all that turns a verdict there is to silence the report or to leave out the call that makes it, or what is behind a jump.
fn lean_from_reports(facts: &LineFacts, trials: &Trials, lines: &mut [f64]) {
    if trials.is_judged_by_output() {
        return;
    }
    let (mut silenced, mut turned) = (vec![false; lines.len()], vec![false; lines.len()]);
    for (at, candidate) in (0..).zip(trials.candidates()).filter(|(_, one)| lines[one.line as usize] > 0.0) {
        let only_executed_failing = facts.spectra()[candidate.line as usize].ep == 0;
        for (_, outcome) in trials.failing(at) {
            let is_left_out = candidate.leaves_out() && only_executed_failing;
            silenced[candidate.line as usize] |=
                outcome.effect == Effect::Silenced || outcome.effect == Effect::Turned && is_left_out;
            turned[candidate.line as usize] |= outcome.effect == Effect::Turned && !is_left_out;
        }
    }
    if !turned.contains(&true) {
        return;
    }
    let before: f64 = lines.iter().sum();
    for (line, p) in lines.iter_mut().enumerate() {
        if silenced[line] && !turned[line] && facts.spectra()[line].ep == 0 {
            *p *= FOR_REPORTS;
        }
    }
    let after: f64 = lines.iter().sum();
    lines.iter_mut().for_each(|p| *p *= before / after);
}

/// The probability, by eye, that the fault is in the function that was found to read what nothing was assigned to: what should have been assigned there may
/// be another function's to assign.
const LEAST_FOR_READERS: f64 = 0.5;

/// Gives functions that read what nothing was assigned to at least [`LEAST_FOR_READERS`] of the probability, as far as failing tests fail because of
/// that: changes elsewhere that keep the program from coming there make tests pass as well.
fn lean_to_readers(trials: &Trials, lines: &mut [f64]) {
    let (readers, share) = trials.readers();
    let sum: f64 = lines.iter().sum();
    let on: f64 = readers.iter().filter_map(|line| lines.get(*line as usize)).sum();
    let least = LEAST_FOR_READERS * share * sum;
    if on <= 0.0 || on >= least {
        return;
    }
    let (grow, shrink) = (least / on, (sum - least) / (sum - on));
    for (line, p) in (0..).zip(lines.iter_mut()) {
        *p *= if readers.contains(&line) { grow } else { shrink };
    }
}

/// The most by which the odds of a line grow that is on a proved causal chain.
const MOST_FOR_CHAIN: f64 = 1.5;

/// Multiplies the odds of lines on proved causal chains, by what half the probability for the chain would be if all lines were alike, and by no
/// more than [`MOST_FOR_CHAIN`]: a chain proves what the failure came through, not which of it is wrong.
fn lean_to_chains(facts: &LineFacts, lines: &mut [f64]) {
    let in_question = (0..).zip(lines.iter()).filter(|(_, p)| **p > 0.0);
    let (on, off): (Vec<u32>, Vec<u32>) = in_question.map(|(line, _)| line).partition(|line| facts.is_on_chain(*line));
    if on.is_empty() {
        return;
    }
    let factor = (off.len() as f64 / on.len() as f64).clamp(1.0, MOST_FOR_CHAIN);
    let before: f64 = lines.iter().sum();
    on.iter().for_each(|line| lines[*line as usize] *= factor);
    let after: f64 = lines.iter().sum();
    lines.iter_mut().for_each(|p| *p *= before / after);
}

/// The probabilities of lines with these features; they sum to one less [`ELSEWHERE`].
pub fn probabilities(features: &[Features], weights: &Features) -> Vec<f64> {
    let scores: Vec<f64> = features.iter().map(|features| weights.dot(features)).collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let shares: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.into_iter().map(|share| (1.0 - ELSEWHERE) * share / sum).collect()
}

/// Lines by descending probability. With several groups of tests, each line is weighed by the groups that the lines before it leave unexplained, as
/// likelihoods are updated when lines are cleared one by one (Landsberg and Barr), so that no group has to wait for the end of another's.
fn order(lines: &[f64], of_clusters: &[Vec<f64>], mut shares: Vec<f64>) -> Vec<u32> {
    let mut order: Vec<u32> = (0..lines.len() as u32).filter(|line| lines[*line as usize] > 0.0).collect();
    order.sort_by(|&a, &b| lines[b as usize].total_cmp(&lines[a as usize]));
    if of_clusters.len() < 2 {
        return order;
    }
    for at in 0..order.len().min(INTERLEAVED) {
        let gain = |line: u32| of_clusters.iter().zip(&shares).map(|(p, share)| p[line as usize] * share).sum::<f64>();
        let better = |best: usize, other: usize| if gain(order[other]) > gain(order[best]) { other } else { best };
        let best = (at + 1..order.len()).fold(at, better);
        order[at..=best].rotate_right(1);
        for (share, p) in shares.iter_mut().zip(of_clusters) {
            *share *= 1.0 - p[order[at] as usize];
        }
    }
    order
}
