//! The features of all lines in question.

use std::collections::{HashMap, HashSet};

use super::criterion::{Muse, flipped, kept, mean};
use super::tally::Tallies;
use super::{Candidate, Effect, Features, Kind, LineFacts, Trials};
use crate::mutant::Class;
use crate::spectra::Spectrum;

/// Lines of code that are near a line, at most.
const FARTHEST: u32 = 4;

/// The lines in question, those that a failing test executes, and their features.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Portrait {
    /// The lines, ascending.
    pub lines: Vec<u32>,
    /// Features of each.
    pub features: Vec<Features>,
}

/// What is known of one line from its own candidates.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    tried: bool,
    flips: bool,
    flip_tests: f64,
    deletion: f64,
    metallaxis: f64,
    turning: f64,
}

impl Portrait {
    /// Of all failing tests.
    pub fn new(facts: &LineFacts, trials: &Trials) -> Portrait {
        Portrait::of(facts, trials, None)
    }

    /// Of some failing tests (positions in the trials), as if the others were not there.
    pub fn of_failing(facts: &LineFacts, trials: &Trials, failing: &[u32]) -> Portrait {
        Portrait::of(facts, trials, Some(failing))
    }

    fn of(facts: &LineFacts, trials: &Trials, failing: Option<&[u32]>) -> Portrait {
        let counts = |test: u32| {
            let among = |failing: &[u32]| !trials.tests()[test as usize].failed || failing.contains(&test);
            trials.is_first(test) && failing.is_none_or(among)
        };
        let spectra = spectra(facts, trials, failing);
        let lines: Vec<u32> =
            (0..).zip(&spectra).filter(|(_, spectrum)| spectrum.ef > 0).map(|(line, _)| line).collect();
        let tallies = Tallies::new(facts, trials, counts);
        let of_line = candidates_of(facts, trials, &tallies);
        let of_beginnings = |line: u32| {
            let Spectrum { ep, .. } = spectra[line as usize];
            Spectrum { ep: ep + spoiled(trials, &of_line[line as usize], counts), ..spectra[line as usize] }
        };
        let mut features: Vec<Features> = lines.iter().map(|&line| of_coverage(&of_beginnings(line))).collect();
        let growth = growth(facts, trials, &tallies, counts);
        let mut own = vec![Own::default(); facts.n_lines()];
        let mut of_tests = Vec::new();
        for (features, &line) in features.iter_mut().zip(&lines) {
            of_place(features, facts, line);
            let candidates = &of_line[line as usize];
            of_trials(features, trials, &tallies, candidates, &growth, failing.is_none());
            let flipped = flipped(trials, candidates, counts);
            features.flip_tests = flipped.len() as f64 / at_least_one(tallies.n_failing());
            own[line as usize] = Own {
                tried: !candidates.is_empty(),
                flips: features.flip > 0.0,
                flip_tests: features.flip_tests,
                deletion: features.flip_deletion.max(features.flip_call),
                metallaxis: features.metallaxis,
                turning: features.turning,
            };
            of_tests.push(flipped);
        }
        of_last_resorts(&mut features, &lines, trials, &tallies, failing.is_none());
        of_surprise(&mut features, &of_tests, trials.tests().len(), tallies.n_failing());
        of_surroundings(&mut features, &lines, facts, &own);
        let mut portrait = Portrait { lines, features };
        let scores = [muse(&tallies, &of_line), direct(trials, &tallies, &of_line)];
        portrait.add_ranks(facts, &scores, failing.is_none());
        portrait
    }

    /// Features that are ranks among the lines in question.
    fn add_ranks(&mut self, facts: &LineFacts, [muse, direct]: &[Vec<f64>; 2], all_failing: bool) {
        let lines = &self.lines;
        let at = |of_lines: &[f64]| lines.iter().map(|&line| of_lines[line as usize]).collect::<Vec<f64>>();
        let of = |value: fn(&Features) -> f64| closeness(&self.features.iter().map(value).collect::<Vec<f64>>());
        let none = || vec![0.0; lines.len()];
        let cause = if all_failing { closeness(&at(facts.causal_likelihood())) } else { none() };
        let ranks = [
            of(|features| features.ochiai),
            cause,
            facts.block_rank().map_or_else(none, |scores| closeness(&at(scores))),
            closeness(&at(direct)),
            of(|features| features.metallaxis),
            closeness(&at(muse)),
            of(|features| features.turning),
            of(|features| features.growth),
            of(|features| features.flip_surprise),
        ];
        for (n, features) in self.features.iter_mut().enumerate() {
            [
                features.ochiai_rank,
                features.cause_rank,
                features.block_rank,
                features.direct_rank,
                features.metallaxis_rank,
                features.muse_rank,
                features.turning_rank,
                features.growth_rank,
                features.surprise_rank,
            ] = ranks.each_ref().map(|ranks| ranks[n]);
        }
    }
}

fn at_least_one(n: u32) -> f64 {
    f64::from(n.max(1))
}

/// Spectra of all lines, over all tests or without the failing tests that do not count.
fn spectra(facts: &LineFacts, trials: &Trials, failing: Option<&[u32]>) -> Vec<Spectrum> {
    let coverage = facts.coverage();
    let Some(failing) = failing else { return facts.spectra().to_vec() };
    let mut kept: Vec<bool> = coverage.failed().iter().map(|failed| !failed).collect();
    for row in failing.iter().filter_map(|&test| facts.row(&trials.tests()[test as usize])) {
        kept[row] = true;
    }
    facts.spectra_of(&kept)
}

/// Failing tests of which the beginning, in which all went well, is known to execute a line: one of its candidates spoils it.
fn spoiled(trials: &Trials, candidates: &[u32], counts: impl Fn(u32) -> bool) -> u32 {
    let outcomes = candidates.iter().flat_map(|at| trials.failing(*at));
    let spoiled = outcomes.filter(|(test, outcome)| counts(*test) && trials.spoils(*test, outcome));
    spoiled.map(|(test, _)| test).collect::<HashSet<u32>>().len() as u32
}

fn of_coverage(spectrum: &Spectrum) -> Features {
    let Spectrum { ef, nf, ep, np } = *spectrum;
    Features {
        ochiai: super::tally::ochiai(f64::from(ef), f64::from(ep), ef + nf),
        failing_share: f64::from(ef) / at_least_one(ef + nf),
        passing_share: f64::from(ep) / at_least_one(ep + np),
        ..Features::default()
    }
}

fn of_place(features: &mut Features, facts: &LineFacts, line: u32) {
    let number = |holds: bool| f64::from(u8::from(holds));
    let holds = facts.holds(line);
    features.node = number(holds.node);
    features.predicate = number(holds.predicate);
    features.call = number(holds.call);
    features.only_call = number(holds.call && !holds.node);
    features.end = number(holds.end);
    features.warned_function = facts.warned_function(line).map_or(0.0, |warned| warned.rarity);
    if let Some(warned) = facts.warned(line) {
        features.warned = if warned.distance == 0 { warned.rarity } else { 0.0 };
        features.warned_near = warned.rarity / at_least_one(warned.distance);
    }
    if let Some((failing, passing)) = facts.executions().map(|executions| executions[line as usize]) {
        let quotient = ((failing + 1.0) / (passing + 1.0)).ln();
        features.frequency = if quotient.is_finite() { quotient / (1.0 + quotient.abs()) } else { 0.0 };
    }
}

/// For each line its candidates that were tried on a failing test.
fn candidates_of(facts: &LineFacts, trials: &Trials, tallies: &Tallies) -> Vec<Vec<u32>> {
    let mut of_line = vec![Vec::new(); facts.n_lines()];
    for (at, candidate) in (0..).zip(trials.candidates()) {
        if tallies.of(at).failing.tried > 0 {
            of_line[candidate.line as usize].push(at);
        }
    }
    of_line
}

fn of_trials(
    features: &mut Features,
    trials: &Trials,
    tallies: &Tallies,
    candidates: &[u32],
    growth: &[f64],
    one_cause: bool,
) {
    let n_failing = at_least_one(tallies.n_failing());
    features.candidates = (candidates.len() as f64).ln_1p();
    features.untried = f64::from(u8::from(candidates.is_empty()));
    let (mut noticed, mut tried, mut broken, mut on_passing, mut flipping) = (0, 0, 0, 0, 0u32);
    for &at in candidates {
        let (candidate, tally) = (&trials.candidates()[at as usize], tallies.of(at));
        let flips = f64::from(tally.failing.turned) / n_failing;
        let metallaxis = tallies.metallaxis(tally);
        raise(of_kind(features, candidate), flips);
        raise(&mut features.flip_most, flips);
        raise(&mut features.metallaxis, metallaxis);
        raise(
            if is_code(candidate) { &mut features.metallaxis_code } else { &mut features.metallaxis_value },
            metallaxis,
        );
        raise(&mut features.turning, tallies.turning(tally));
        let kept = if trials.is_refuted(at, one_cause) { 0.0 } else { kept(tallies, tally) };
        raise(&mut features.repair, kept);
        if is_code(candidate) {
            raise(&mut features.repair_code, kept * candidate.kind.credit());
        } else {
            raise(&mut features.repair_value, kept);
        }
        raise(&mut features.growth, growth[at as usize]);
        if tally.failing.turned > 0 {
            features.flip = 1.0;
            flipping += 1;
            raise(&mut features.quiet_flip, metallaxis);
        }
        noticed += tally.failing.noticed;
        tried += tally.failing.tried;
        broken += tally.passing.turned;
        on_passing += tally.passing.tried;
    }
    features.flip_share = f64::from(flipping) / at_least_one(candidates.len() as u32);
    features.changes = f64::from(noticed) / at_least_one(tried);
    features.breaks = f64::from(broken) / at_least_one(on_passing);
    features.constant = f64::from(u8::from(tried > 0 && noticed == 0));
}

fn of_last_resorts(features: &mut [Features], lines: &[u32], trials: &Trials, tallies: &Tallies, one_cause: bool) {
    for (at, tally) in tallies.last_resorts().filter(|(at, _)| !trials.is_refuted(*at, one_cause)) {
        if let Ok(position) = lines.binary_search(&trials.candidates()[at as usize].line) {
            raise(&mut features[position].last_repair, kept(tallies, tally));
        }
    }
}

fn raise(value: &mut f64, to: f64) {
    *value = value.max(to);
}

fn is_code(candidate: &Candidate) -> bool {
    matches!(candidate.kind, Kind::Operation(_) | Kind::Call | Kind::Constant)
}

/// Where the flips of a candidate count.
fn of_kind<'f>(features: &'f mut Features, candidate: &Candidate) -> &'f mut f64 {
    match candidate.kind {
        Kind::Value => &mut features.flip_value,
        Kind::Pointer => &mut features.flip_pointer,
        Kind::Predicate => &mut features.flip_predicate,
        Kind::Switch => &mut features.flip_switch,
        Kind::Call => &mut features.flip_call,
        Kind::Operation(Class::Ror | Class::Lcr | Class::Iwr | Class::Ngi | Class::Vgi | Class::Rci | Class::Dji) => {
            &mut features.flip_relation
        }
        Kind::Operation(
            Class::Aor | Class::Bor | Class::Sor | Class::Uoi | Class::Asr | Class::Bod | Class::Sti | Class::Uod,
        ) => &mut features.flip_arithmetic,
        Kind::Operation(Class::Crp) | Kind::Constant => &mut features.flip_constant,
        Kind::Operation(Class::Vrr) => &mut features.flip_variable,
        Kind::Operation(Class::Cfr | Class::Mrr) => &mut features.flip_name,
        Kind::Operation(Class::Sdl | Class::Sin) => &mut features.flip_deletion,
    }
}

/// How much it says that lines flip the tests that they do, of which `of_tests` is the list for each line.
fn of_surprise(features: &mut [Features], of_tests: &[Vec<u32>], n_tests: usize, n_failing: u32) {
    let mut flipping = vec![0u32; n_tests];
    of_tests.iter().flatten().for_each(|test| flipping[*test as usize] += 1);
    let n_lines = at_least_one(of_tests.len() as u32);
    for (features, tests) in features.iter_mut().zip(of_tests) {
        let surprise = |test: &u32| -(f64::from(flipping[*test as usize]) / n_lines).ln();
        features.flip_surprise = tests.iter().map(surprise).sum::<f64>() / at_least_one(n_failing);
    }
}

/// For each candidate, how much further the output of failing tests is right with it: the mean over them, where 1 is a flip, a later check or the
/// most that any candidate reaches.
fn growth(facts: &LineFacts, trials: &Trials, tallies: &Tallies, counts: impl Fn(u32) -> bool) -> Vec<f64> {
    let grown = |test: u32, matched: Option<u64>| {
        let before = trials.tests()[test as usize].matched?;
        Some(matched?.saturating_sub(before) as f64)
    };
    let each = |at: u32| trials.failing(at).filter(|(test, _)| counts(*test));
    let mut most = vec![0.0f64; trials.tests().len()];
    let in_question = |at: &u32| !facts.is_left_out(trials.candidates()[*at as usize].line);
    for (test, outcome) in (0..trials.candidates().len() as u32).filter(in_question).flat_map(each) {
        if outcome.effect == Effect::Changed {
            raise(&mut most[test as usize], grown(test, outcome.matched).unwrap_or(0.0));
        }
    }
    let share = |(test, outcome): (u32, super::Outcome)| match outcome.effect {
        Effect::Turned | Effect::Later => 1.0,
        Effect::Changed if most[test as usize] > 0.0 => {
            grown(test, outcome.matched).unwrap_or(0.0) / most[test as usize]
        }
        _ => 0.0,
    };
    let n_failing = at_least_one(tallies.n_failing());
    (0..trials.candidates().len() as u32).map(|at| each(at).map(share).sum::<f64>() / n_failing).collect()
}

/// MUSE of each line; negative infinity for lines without a candidate.
fn muse(tallies: &Tallies, of_line: &[Vec<u32>]) -> Vec<f64> {
    let muse = Muse::new(tallies, &of_line.concat());
    let score = |candidates: &Vec<u32>| match candidates.is_empty() {
        true => f64::NEG_INFINITY,
        false => mean(candidates.iter().map(|at| muse.of(tallies, tallies.of(*at)))),
    };
    of_line.iter().map(score).collect()
}

/// How much more failing than passing tests notice other values of each line's nodes: the difference of shares of trials, of the node for which it
/// is greatest; negative infinity for lines without a value that was changed.
fn direct(trials: &Trials, tallies: &Tallies, of_line: &[Vec<u32>]) -> Vec<f64> {
    let n_passing = at_least_one(tallies.n_passing());
    let score = |candidates: &Vec<u32>| {
        let mut of_node: HashMap<u32, [f64; 3]> = HashMap::new();
        for &at in candidates {
            let (candidate, tally) = (&trials.candidates()[at as usize], tallies.of(at));
            let Some(node) = candidate.node.filter(|_| !is_code(candidate) && candidate.kind != Kind::Switch) else {
                continue;
            };
            let [noticed, tried, passing] = of_node.entry(node).or_default();
            *noticed += f64::from(tally.failing.noticed) / f64::from(tally.failing.tried);
            *passing += tallies.noticed(tally) / n_passing;
            *tried += 1.0;
        }
        let differences = of_node.values().map(|[noticed, tried, passing]| (noticed - passing) / tried);
        differences.fold(f64::NEG_INFINITY, f64::max)
    };
    of_line.iter().map(score).collect()
}

/// What is known of a function's lines in question.
#[derive(Clone, Copy, Debug, Default)]
struct OfFunction {
    flipping: u32,
    /// Lines that something was tried on.
    tried: u32,
    all: u32,
    /// The two highest, of any two lines.
    turning: [f64; 2],
    metallaxis: [f64; 2],
}

/// Keeps the two highest values.
fn raise_two(values: &mut [f64; 2], to: f64) {
    if to > values[0] {
        *values = [to, values[0]];
    } else {
        raise(&mut values[1], to);
    }
}

/// The highest value of all but one that has `own`.
fn of_others(values: &[f64; 2], own: f64) -> f64 {
    if own >= values[0] { values[1] } else { values[0] }
}

/// Shares of failing tests that lines two to four lines of code away flip, divided by how far they are.
fn near(facts: &LineFacts, line: u32, own: &[Own]) -> f64 {
    let mut sum = 0.0;
    for side in [0, 1] {
        let mut at = facts.beside(line)[side];
        for distance in 2..=FARTHEST {
            at = at.and_then(|line| facts.beside(line)[side]);
            sum += at.map_or(0.0, |line| own[line as usize].flip_tests) / f64::from(distance);
        }
    }
    sum
}

/// Features that come from what flips elsewhere.
fn of_surroundings(features: &mut [Features], lines: &[u32], facts: &LineFacts, own: &[Own]) {
    let mut of_function: HashMap<Option<u32>, OfFunction> = HashMap::new();
    for &line in lines {
        let (function, own) = (of_function.entry(facts.function(line)).or_default(), &own[line as usize]);
        function.flipping += u32::from(own.flips);
        function.tried += u32::from(own.tried);
        function.all += 1;
        raise_two(&mut function.turning, own.turning);
        raise_two(&mut function.metallaxis, own.metallaxis);
    }
    let mut of_block = vec![0.0f64; own.len()];
    for block in facts.blocks() {
        let flipping = block.iter().filter(|line| own[**line as usize].flips).count();
        for &line in block {
            let others = flipping - usize::from(own[line as usize].flips);
            raise(&mut of_block[line as usize], others as f64 / (block.len() - 1) as f64);
        }
    }
    let n_flipping = lines.iter().filter(|line| own[**line as usize].flips).count();
    let rarity = -(n_flipping.max(1) as f64 / lines.len().max(1) as f64).ln();
    for (features, &line) in features.iter_mut().zip(lines) {
        let [before, after] = facts.beside(line).map(|line| line.map_or(Own::default(), |line| own[line as usize]));
        features.flip_rarity = features.flip * rarity;
        features.flip_before = before.flip_tests;
        features.flip_after = after.flip_tests;
        features.flip_near = near(facts, line, own);
        features.deletion_after = after.deletion;
        features.flip_block = of_block[line as usize];
        features.metallaxis_beside = before.metallaxis.max(after.metallaxis);
        let function = &of_function[&facts.function(line)];
        features.flip_function = f64::from(function.flipping) / f64::from(function.all);
        features.turning_function = of_others(&function.turning, features.turning);
        features.metallaxis_function = of_others(&function.metallaxis, features.metallaxis);
    }
    let is_alone = |line: u32| own[line as usize].tried && of_function[&facts.function(line)].tried == 1;
    impute(features, &lines.iter().map(|line| is_alone(*line)).collect::<Vec<bool>>());
}

/// Features that tell of the other lines of a function.
fn of_neighbours(features: &mut Features) -> [&mut f64; 9] {
    [
        &mut features.flip_before,
        &mut features.flip_after,
        &mut features.flip_near,
        &mut features.deletion_after,
        &mut features.flip_block,
        &mut features.metallaxis_beside,
        &mut features.flip_function,
        &mut features.turning_function,
        &mut features.metallaxis_function,
    ]
}

/// Gives a line that is alone in its function what such lines as have neighbours have on average, if that is more: of those that flip a test, or of those
/// that do not. Neighbours that are not there would else speak against it.
fn impute(features: &mut [Features], alone: &[bool]) {
    for flips in [false, true] {
        let is_such = |features: &Features| (features.flip > 0.0) == flips;
        let others = features.iter().zip(alone).filter(|(of, alone)| !**alone && of.untried == 0.0 && is_such(of));
        let mut others: Vec<Features> = others.map(|(of, _)| *of).collect();
        if others.is_empty() {
            continue;
        }
        let means: [f64; 9] = std::array::from_fn(|n| {
            mean(others.iter_mut().map(|of| *of_neighbours(of)[n]).collect::<Vec<_>>().into_iter())
        });
        for features in features.iter_mut().zip(alone).filter(|(of, alone)| **alone && is_such(of)).map(|(of, _)| of) {
            of_neighbours(features).into_iter().zip(means).for_each(|(value, mean)| raise(value, mean));
        }
    }
}

/// For each score minus the logarithm of its rank, the highest first, ties at their mean rank.
fn closeness(scores: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut close = vec![0.0; scores.len()];
    let mut start = 0;
    while start < order.len() {
        let score = scores[order[start]];
        let is_same = |at: &&usize| scores[**at] == score || (scores[**at] - score).abs() <= 1e-12 * score.abs();
        let n_same = order[start..].iter().take_while(is_same).count();
        let rank = start as f64 + (n_same as f64 + 1.0) / 2.0;
        order[start..start + n_same].iter().for_each(|&at| close[at] = -rank.ln());
        start += n_same;
    }
    close
}
