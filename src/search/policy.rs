//! Which trials come next.

mod again;
mod switching;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use self::switching::is_range;
use super::SearchTest;
use super::facts::Facts;
use crate::evidence::{Candidate, Effect, Kind, Outcome, Trials, pieces_of};
use crate::mutant::Class;
use crate::program::Program;

/// Trials of the first round; each round may have twice as many as the one before, so that one run of a test serves many.
const FIRST_ROUND: usize = 192;
/// Trials of a round, at most; the edges of a trial up to which there are so many; and trials of a round of any cost. In between they fall with the
/// square of the cost: trials that take long are few, and what they find out is to count soon.
const MOST_IN_ROUND: usize = 4096;
const QUICK: u64 = 2_000_000;
const LEAST_IN_ROUND: usize = 24;
/// Candidates of one line that turn a failing test and are followed up on other failing tests, and on passing ones.
const FOLLOWED: (usize, usize) = (24, 10);
/// Other failing tests from which on a candidate that turned one is tried on a second one before its line's probability says so.
const MANY: usize = 3;
/// Passing tests on which a candidate is tried before all others, so that what breaks them at once costs no more.
const CHECKED_FIRST: usize = 4;
/// Candidates of one line that repair all first tests and are tried on further ones while they repair these too, and on how many at once at first.
const CONFIRMED: usize = 4;
const CONFIRMED_FIRST: usize = 8;
/// Lines, and candidates of each that change the output of failing tests, which are tried on passing tests as well.
const CONTRASTED: (usize, usize) = (24, 4);
/// How often the numbers of candidates and lines that are followed up grow once nothing else is left to try, and by how much each time.
const WIDENINGS: usize = 2;
const WIDENING: usize = 4;
/// Odds of the first line against the second from which on the search is not widened: the answer is clear.
const CLEAR: f64 = 10.0;
/// One in so many trials of a round is kept for a second test of what turned one, for what turned tests before, for repairs, for what tells failing
/// tests from passing ones, and for single executions; what a sort does not need goes to the others.
const SHARE_SECOND: usize = 8;
const SHARE_FOLLOWED: usize = 2;
const SHARE_CONFIRMED: usize = 4;
const SHARE_CONTRASTED: usize = 8;
const SHARE_SWITCHED: usize = 8;

/// One trial: candidate and test, by their positions in [`Trials`].
pub type Pair = (u32, u32);

/// Chooses trials. Everything depends on the outcomes so far alone.
pub struct Policy<'a> {
    program: &'a Program,
    /// The first tests and the further ones.
    tests: (&'a [&'a SearchTest], &'a [&'a SearchTest]),
    facts: &'a Facts,
    /// For each candidate its pieces.
    pieces: Vec<Vec<u32>>,
    /// Which candidates switch executions of a node in a failing test: by node and test, with their executions.
    switches: BTreeMap<(u32, u32), Vec<u32>>,
    /// Candidates by line, usual slips first.
    by_line: BTreeMap<u32, Vec<u32>>,
    rounds: u32,
    /// Failing tests that all candidates are tried on because nothing turned or mended them, the latest last; before the first of them each candidate is
    /// tried on the cheapest test that executes it.
    targets: Vec<u32>,
    /// Failing tests that nothing turned before this round.
    unturned: HashSet<u32>,
    /// Second trials that were chosen.
    again: HashSet<Pair>,
    /// How much wider than at first what is known is verified.
    breadth: usize,
    /// Whether what is worth no trial is tried in the end.
    everything: bool,
}

impl<'a> Policy<'a> {
    pub fn new(
        program: &'a Program,
        tests: &'a [&'a SearchTest],
        n_first: usize,
        facts: &'a Facts,
        everything: bool,
    ) -> Policy<'a> {
        let (switches, by_line) = (BTreeMap::new(), BTreeMap::new());
        Policy {
            program,
            tests: tests.split_at(n_first),
            facts,
            pieces: Vec::new(),
            switches,
            by_line,
            rounds: 0,
            targets: Vec::new(),
            unturned: HashSet::new(),
            again: HashSet::new(),
            breadth: 1,
            everything,
        }
    }

    /// The trials of the next round, at least one unless nothing is left that is worth a trial. `probabilities` are those of the lines.
    /// `usable` tells which tests can be used; about `room` trials may still be run.
    pub fn next(&mut self, trials: &mut Trials, probabilities: &[f64], usable: &[bool], room: usize) -> Vec<Pair> {
        self.index(trials);
        self.unturned = self.unturned(trials, usable).collect();
        let most = self.affordable(usable).min(FIRST_ROUND << self.rounds.min(8)).min(room);
        self.rounds += 1;
        let order = self.lines_by(probabilities);
        self.switch(trials, &order, usable, most / SHARE_SWITCHED);
        let mut chosen = self.round(trials, probabilities, usable, &order, most);
        if chosen.is_empty() {
            chosen = self.cut_again(trials, probabilities, usable);
        }
        while chosen.is_empty()
            && let Some(target) = self.next_target(self.unturned(trials, usable))
        {
            self.targets.push(target);
            chosen = self.round(trials, probabilities, usable, &order, most);
        }
        while chosen.is_empty() && self.breadth < WIDENING.pow(WIDENINGS as u32) && !is_clear(&order, probabilities) {
            self.breadth *= WIDENING;
            chosen = self.round(trials, probabilities, usable, &order, most);
        }
        while chosen.is_empty()
            && !is_clear(&order, probabilities)
            && let Some(target) = self.next_target(self.unmended(trials, usable))
        {
            self.targets.push(target);
            chosen = self.round(trials, probabilities, usable, &order, most);
        }
        if chosen.is_empty() && self.everything {
            chosen = self.left(trials, usable, most);
        }
        self.again.extend(chosen.iter().filter(|(candidate, test)| trials.outcome(*candidate, *test).is_some()));
        chosen.sort_unstable();
        chosen
    }

    /// Trials of a round, at most, as long as it is this failing test that most changes are tried on: the latest target, or the cheapest.
    fn affordable(&self, usable: &[bool]) -> usize {
        let failing = self.tests.0.iter().zip(usable).filter(|(test, usable)| **usable && test.failed);
        let cheapest = failing.map(|(test, _)| test.cost).min();
        let cost = self.targets.last().map_or(cheapest, |target| Some(self.tests.0[*target as usize].cost));
        let relative = cost.unwrap_or(0).max(QUICK) as f64 / QUICK as f64;
        ((MOST_IN_ROUND as f64 / (relative * relative)) as usize).max(LEAST_IN_ROUND)
    }

    /// Some of what was not tried, of all changes but those of single executions, which are counted in one test.
    fn left(&self, trials: &Trials, usable: &[bool], most: usize) -> Vec<Pair> {
        let everywhere = |candidate: &u32| trials.candidates()[*candidate as usize].kind != Kind::Switch;
        let of = |candidate: u32| {
            let tests = [true, false].into_iter().flat_map(move |failed| self.covering(candidate, failed, usable));
            tests.filter(move |test| trials.outcome(candidate, *test).is_none()).map(move |test| (candidate, test))
        };
        (0..trials.candidates().len() as u32).filter(everywhere).flat_map(of).take(most).collect()
    }

    /// The best of each sort of trial up to its share of `most`, then the best of what is left. Without shares what can be changed throughout,
    /// or what turned a test once, would use up any bound on trials.
    fn round(&self, trials: &Trials, probabilities: &[f64], usable: &[bool], order: &[u32], most: usize) -> Vec<Pair> {
        let second = self.second(trials, probabilities, usable);
        let followed = self.followed(trials, probabilities, usable);
        let is_switch =
            |(_, (candidate, _)): &(f64, Pair)| trials.candidates()[*candidate as usize].kind == Kind::Switch;
        let (switched, untried): (Vec<_>, Vec<_>) =
            self.untried(trials, probabilities, usable).into_iter().partition(is_switch);
        let contrasted = self.contrasted(trials, order, usable);
        let confirmed = self.confirmed(trials, probabilities, usable);
        let again = self.turning_again(trials, probabilities, usable);
        let sorts = [
            (second, most / SHARE_SECOND),
            (again, most / SHARE_SECOND),
            (followed, most / SHARE_FOLLOWED),
            (confirmed, most / SHARE_CONFIRMED),
            (contrasted, most / SHARE_CONTRASTED),
            (by_gain(switched), most / SHARE_SWITCHED),
            (by_gain(untried), most),
        ];
        let mut known = HashSet::new();
        let mut left = Vec::new();
        for (pairs, share) in sorts {
            let share = share.min(most - known.len());
            known.extend(pairs.iter().take(share));
            left.extend(pairs.into_iter().skip(share));
        }
        for pair in left {
            if known.len() >= most {
                break;
            }
            known.insert(pair);
        }
        known.into_iter().collect()
    }

    /// Takes note of new candidates.
    fn index(&mut self, trials: &Trials) {
        let candidates = trials.candidates();
        let mut grown = BTreeSet::new();
        for (position, candidate) in (0..).zip(candidates).skip(self.pieces.len()) {
            self.pieces.push(pieces_of(self.program, candidate));
            self.by_line.entry(candidate.line).or_default().push(position);
            grown.insert(candidate.line);
        }
        for line in grown {
            self.by_line.entry(line).or_default().sort_by_key(|at| !candidates[*at as usize].is_slip());
        }
    }

    /// Lines that have candidates, the most probable first.
    fn lines_by(&self, probabilities: &[f64]) -> Vec<u32> {
        let mut lines: Vec<u32> = self.by_line.keys().copied().collect();
        let of = |line: &u32| probabilities.get(*line as usize).copied().unwrap_or(0.0);
        lines.sort_by(|one, other| of(other).total_cmp(&of(one)).then(one.cmp(other)));
        lines
    }

    /// Whether a test executes what a candidate changes.
    fn executes(&self, test: &SearchTest, candidate: u32) -> bool {
        self.pieces[candidate as usize].iter().any(|piece| test.executes(*piece))
    }

    /// The tests of one kind, by position, that execute what a candidate changes and can be used.
    fn covering(&self, candidate: u32, failed: bool, usable: &[bool]) -> impl Iterator<Item = u32> {
        let tests = (0..).zip(self.tests.0).zip(usable);
        tests
            .filter(move |((_, test), usable)| **usable && test.failed == failed && self.executes(test, candidate))
            .map(|((position, _), _)| position)
    }

    /// The further tests, by position, that execute what a candidate changes and can be used, the failing ones first.
    fn covering_further(&self, candidate: u32, usable: &[bool]) -> Vec<u32> {
        let n_first = self.tests.0.len();
        let tests = (n_first as u32..).zip(self.tests.1).zip(&usable[n_first..]);
        let found = tests.filter(|((_, test), usable)| **usable && self.executes(test, candidate));
        found.map(|((position, _), _)| position).collect()
    }

    /// Candidates that repair all first tests, on further ones, four times as many each time, until one is not repaired or breaks.
    fn confirmed(&self, trials: &Trials, probabilities: &[f64], usable: &[bool]) -> Vec<Pair> {
        if self.tests.1.is_empty() {
            return Vec::new();
        }
        let mut gains: Vec<(f64, Pair)> = Vec::new();
        for (line, candidates) in &self.by_line {
            let probability = probabilities.get(*line as usize).copied().unwrap_or(0.0) + f64::EPSILON;
            let repairs = candidates.iter().copied().filter(|candidate| self.repairs(trials, *candidate, usable));
            let open = repairs.filter_map(|candidate| Some((candidate, self.unconfirmed(trials, candidate, usable)?)));
            for (rank, (candidate, due)) in open.take(CONFIRMED).enumerate() {
                let gain = probability / (1 + rank) as f64;
                gains.extend(due.into_iter().map(|test| (gain, (candidate, test))));
            }
        }
        by_gain(gains)
    }

    /// Whether a candidate is known to make all first failing tests pass, but for those that fail whatever was tried and so for another reason, and to
    /// break none of the first passing ones.
    fn repairs(&self, trials: &Trials, candidate: u32, usable: &[bool]) -> bool {
        let effect = |test: u32| trials.outcome(candidate, test).map(|outcome| outcome.effect);
        let mut failing = (0..).zip(self.tests.0).zip(usable).filter(|((_, test), usable)| **usable && test.failed);
        is_everywhere(&trials.candidates()[candidate as usize])
            && turns(trials, candidate)
            && failing.all(|((test, _), _)| {
                effect(test).is_some_and(|effect| effect == Effect::Turned || self.unturned.contains(&test))
            })
            && self
                .covering(candidate, false, usable)
                .all(|test| effect(test).is_some_and(|effect| effect != Effect::Turned))
    }

    /// The further tests that a candidate is tried on next; `None` if it was refuted by one.
    fn unconfirmed(&self, trials: &Trials, candidate: u32, usable: &[bool]) -> Option<Vec<u32>> {
        let tests = self.covering_further(candidate, usable);
        let effect = |test: &u32| trials.outcome(candidate, *test).map(|outcome| outcome.effect);
        let n_known = tests.iter().take_while(|test| effect(test).is_some()).count();
        if trials.is_refuted(candidate, true) {
            return None;
        }
        Some(tests[n_known..tests.len().min(CONFIRMED_FIRST.max(4 * n_known))].to_vec())
    }

    /// Candidates that turned a failing test, on other failing tests, then on passing ones, a few at first; by expected gain: the more probable the
    /// line and the fewer of its candidates turned a test before them.
    fn followed(&self, trials: &Trials, probabilities: &[f64], usable: &[bool]) -> Vec<Pair> {
        let mut gains: Vec<(f64, Pair)> = Vec::new();
        for (probability, rank, candidate) in self.turning(trials, probabilities) {
            let mut due: Vec<Pair> = self.open(trials, candidate, usable).map(|test| (candidate, test)).collect();
            if due.is_empty() && rank < FOLLOWED.1 * self.breadth {
                due = self.checks(trials, candidate, usable);
            }
            gains.extend(due.into_iter().map(|pair| (probability / (1 + rank) as f64, pair)));
        }
        by_gain(gains)
    }

    /// Candidates that turned the one of many failing tests that they were tried on, on the cheapest of the others: that tells the few that may be repairs
    /// from the many that are none, which on the most probable lines alone would take all trials. So early a line's probability is worth little, and
    /// counts by its root.
    fn second(&self, trials: &Trials, probabilities: &[f64], usable: &[bool]) -> Vec<Pair> {
        let mut gains: Vec<(f64, Pair)> = Vec::new();
        for (probability, rank, candidate) in self.turning(trials, probabilities) {
            let open: Vec<u32> = self.open(trials, candidate, usable).collect();
            if open.len() >= MANY && trials.failing(candidate).count() == 1 {
                let cheapest = open.into_iter().min_by_key(|test| self.tests.0[*test as usize].cost);
                gains.extend(cheapest.map(|test| (probability.sqrt() / (1 + rank) as f64, (candidate, test))));
            }
        }
        by_gain(gains)
    }

    /// The first candidates of each line that turned a failing test, with the line's probability and how many of its candidates come before.
    fn turning(&self, trials: &Trials, probabilities: &[f64]) -> impl Iterator<Item = (f64, usize, u32)> {
        self.by_line.iter().flat_map(move |(line, candidates)| {
            let probability = probabilities.get(*line as usize).copied().unwrap_or(0.0) + f64::EPSILON;
            let everywhere = |candidate: &u32| is_everywhere(&trials.candidates()[*candidate as usize]);
            let turning = candidates.iter().copied().filter(move |at| everywhere(at) && turns(trials, *at));
            turning
                .enumerate()
                .take(FOLLOWED.0 * self.breadth)
                .map(move |(rank, candidate)| (probability, rank, candidate))
        })
    }

    /// The failing tests that execute what a candidate changes and that it was not tried on.
    fn open(&self, trials: &Trials, candidate: u32, usable: &[bool]) -> impl Iterator<Item = u32> {
        self.covering(candidate, true, usable).filter(move |test| trials.outcome(candidate, *test).is_none())
    }

    /// The passing tests that a candidate is tried on next.
    fn checks(&self, trials: &Trials, candidate: u32, usable: &[bool]) -> Vec<Pair> {
        let tests: Vec<u32> = self.covering(candidate, false, usable).collect();
        let (first, rest) = tests.split_at(tests.len().min(CHECKED_FIRST));
        let open = |tests: &[u32]| -> Vec<Pair> {
            let open = tests.iter().filter(|test| trials.outcome(candidate, **test).is_none());
            open.map(|test| (candidate, *test)).collect()
        };
        let breaks = trials.passing(candidate).any(|(_, outcome)| outcome.effect == Effect::Turned);
        match open(first) {
            due if !due.is_empty() => due,
            _ if breaks => Vec::new(),
            _ => open(rest),
        }
    }

    /// Candidates that were not tried on the test they are to be tried on, with what is expected of it: the more probable the line, the fewer of its
    /// kind were tried there in vain, and the fewer of any kind ran until their time was up, which says nothing and costs as much as a hundred others.
    fn untried(&self, trials: &Trials, probabilities: &[f64], usable: &[bool]) -> Vec<(f64, Pair)> {
        let mut gains: Vec<(f64, Pair)> = Vec::new();
        for (line, candidates) in &self.by_line {
            let mut tried: HashMap<u8, u32> = HashMap::new();
            let mut open = Vec::new();
            let mut lost = 0;
            for candidate in candidates {
                let kind = trials.candidates()[*candidate as usize].kind;
                match self.target(trials, *candidate, usable) {
                    Some(test) if trials.outcome(*candidate, test).is_none() => open.push((kind, *candidate, test)),
                    Some(test) => {
                        *tried.entry(group(kind)).or_default() += 1;
                        let is_lost = |outcome: Outcome| outcome.effect == Effect::Unknown;
                        lost += u32::from(trials.outcome(*candidate, test).is_some_and(is_lost));
                    }
                    None => {}
                }
            }
            let probability = probabilities.get(*line as usize).copied().unwrap_or(0.0) / f64::from(1 + lost);
            for (kind, candidate, test) in open {
                let before = tried.entry(group(kind)).or_default();
                let gain = (probability + f64::EPSILON) * promise(kind) / f64::from(1 + *before);
                *before += 1;
                gains.push((gain, (candidate, test)));
            }
        }
        gains
    }

    /// The failing test that a candidate is to be tried on whatever came before.
    fn target(&self, trials: &Trials, candidate: u32, usable: &[bool]) -> Option<u32> {
        let found = &trials.candidates()[candidate as usize];
        let mut tests = self.covering(candidate, true, usable);
        let cost = |test: &u32| self.tests.0[*test as usize].cost;
        if found.kind == Kind::Switch {
            // Executions are counted in the test that they were chosen for.
            let of = |test: &u32| {
                let key = found.node.map(|node| (node, *test));
                key.and_then(|key| self.switches.get(&key)).is_some_and(|known| known.contains(&candidate))
            };
            return tests.find(of);
        }
        match self.targets.last() {
            None => tests.min_by_key(cost),
            Some(target) => tests.find(|test| test == target),
        }
    }

    /// The first of these failing tests that has not been the target yet.
    fn next_target(&self, mut failing: impl Iterator<Item = u32>) -> Option<u32> {
        failing.find(|test| !self.targets.contains(test))
    }

    /// Of the first lines, candidates that change what failing tests show: do they change passing ones, too?
    fn contrasted(&self, trials: &Trials, order: &[u32], usable: &[bool]) -> Vec<Pair> {
        let mut chosen = Vec::new();
        for line in order.iter().take(CONTRASTED.0 * self.breadth) {
            let notices = |candidate: &u32| {
                let is_everywhere = trials.candidates()[*candidate as usize].kind != Kind::Switch;
                is_everywhere && trials.failing(*candidate).any(|(_, outcome)| outcome.effect.is_noticed())
            };
            let noticed = self.by_line[line].iter().copied().filter(notices);
            for candidate in noticed.take(CONTRASTED.1) {
                let failing = self.covering(candidate, true, usable).take(CHECKED_FIRST);
                let tests = failing.chain(self.covering(candidate, false, usable).take(CHECKED_FIRST));
                chosen.extend(
                    tests.filter(|test| trials.outcome(candidate, *test).is_none()).map(|test| (candidate, test)),
                );
            }
        }
        chosen
    }
}

/// Whether what a candidate changes is not counted in one test.
fn is_everywhere(candidate: &Candidate) -> bool {
    candidate.kind != Kind::Switch || is_range(&candidate.instances)
}

/// Whether the first line is far ahead of the second.
fn is_clear(order: &[u32], probabilities: &[f64]) -> bool {
    let of = |at: usize| order.get(at).and_then(|line| probabilities.get(*line as usize)).copied().unwrap_or(0.0);
    of(0) > CLEAR * of(1)
}

fn turns(trials: &Trials, candidate: u32) -> bool {
    trials.failing(candidate).any(|(_, outcome)| outcome.effect == Effect::Turned)
}

/// The greatest gain first. A round has no use for more than its own number of them, and most of what is untried is beyond that.
fn by_gain(mut gains: Vec<(f64, Pair)>) -> Vec<Pair> {
    let order = |one: &(f64, Pair), other: &(f64, Pair)| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1));
    if gains.len() > MOST_IN_ROUND {
        gains.select_nth_unstable_by(MOST_IN_ROUND, order);
        gains.truncate(MOST_IN_ROUND);
    }
    gains.sort_unstable_by(order);
    gains.into_iter().map(|(_, pair)| pair).collect()
}

/// Kinds that say the same about a line.
fn group(kind: Kind) -> u8 {
    match kind {
        Kind::Value => 0,
        Kind::Pointer => 1,
        Kind::Predicate => 2,
        Kind::Switch => 3,
        Kind::Call => 4,
        Kind::Operation(class) => 5 + class as u8,
        Kind::Constant => u8::MAX,
    }
}

/// How often a candidate of a kind turns a failing test if its line is to blame, roughly.
fn promise(kind: Kind) -> f64 {
    match kind {
        Kind::Predicate => 1.0,
        // Four for each variable that is read, a dozen beside each statement; below, eight for each call, four for each member. Few are written so.
        Kind::Constant | Kind::Operation(Class::Sti | Class::Sin | Class::Dji) => 0.3,
        Kind::Operation(Class::Cfr | Class::Mrr | Class::Vgi | Class::Rci) => 0.5,
        Kind::Operation(_) => 0.8,
        Kind::Call => 0.7,
        Kind::Value => 0.6,
        Kind::Pointer => 0.4,
        Kind::Switch => 0.3,
    }
}
