//! Why a line is where it is in the ranking, in words that are true of what was tried.

use std::cmp::Ordering;

use super::phrase::Phrase;
use super::{Candidate, Effect, Kind, LineFacts, Tallies, Tally, Trials};
use crate::program::Program;
use crate::source::Warning;

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// As `writing 2 here instead of 1 makes t3 pass`; no full stop.
    pub sentence: String,
    /// The candidate that it is about, by position in the trials.
    pub candidate: Option<u32>,
    /// The failing tests that it is about, by position in the trials, ascending.
    pub tests: Vec<u32>,
}

/// Says why lines are where they are.
#[derive(Clone, Debug)]
pub struct Reasons<'a> {
    program: &'a Program,
    facts: &'a LineFacts<'a>,
    trials: &'a Trials,
    tallies: Tallies,
    of_line: Vec<Vec<u32>>,
}

/// A phrase with a comma behind it where it and what follows would read as one number: `with 3 instead of 4, 4 of 6 failing tests`.
fn set_apart(phrase: &str, next: &str) -> String {
    let is_number = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    let comma = if is_number(phrase.chars().next_back()) && is_number(next.chars().next()) { "," } else { "" };
    format!("{phrase}{comma}")
}

/// Names of tests in one sentence.
const NAMED: usize = 3;

impl<'a> Reasons<'a> {
    /// From what is known now.
    pub fn new(program: &'a Program, facts: &'a LineFacts, trials: &'a Trials) -> Reasons<'a> {
        let tallies = Tallies::new(facts, trials, |test| !trials.unusable().contains(&test));
        let mut of_line = vec![Vec::new(); facts.n_lines()];
        for (at, candidate) in (0..).zip(trials.candidates()) {
            if tallies.came_out(at).failing.tried > 0 {
                of_line[candidate.line as usize].push(at);
            }
        }
        Reasons { program, facts, trials, tallies, of_line }
    }

    /// The strongest reasons about a line, at most `most` but at least one; `name` gives the name of a test by its position in the trials.
    pub fn of(&self, line: u32, most: usize, name: &dyn Fn(u32) -> String) -> Vec<Reason> {
        let mut reasons: Vec<Reason> =
            self.strongest(line).into_iter().take(most).map(|at| self.turning(at, name)).collect();
        if reasons.is_empty() {
            reasons.extend(self.warned(line));
            reasons.push(self.without_flip(line));
            reasons.extend(self.further(line, name));
            reasons.extend(self.beside(line, name));
        } else {
            reasons.extend(self.warned(line));
        }
        if reasons.len() < most {
            reasons.extend(self.coverage(line));
        }
        reasons.truncate(most.max(1));
        reasons
    }

    /// What one candidate did to the tests that it was tried on.
    pub fn of_candidate(&self, candidate: u32, name: &dyn Fn(u32) -> String) -> Reason {
        if self.tallies.came_out(candidate).failing.turned > 0 {
            return self.turning(candidate, name);
        }
        let phrase = self.phrase(candidate);
        let side = self.tallies.came_out(candidate).failing;
        let what = match (side.tried, side.noticed) {
            (0, _) => "has not been tried".to_string(),
            (1, 1) => "alters the failing test tried and does not make it pass".to_string(),
            (tried, 0) => format!("alters nothing that is seen of {}", failing_tests(tried)),
            (tried, noticed) => format!("alters {noticed} of {} and makes none pass", failing_tests(tried)),
        };
        let sentence =
            if phrase.acts { format!("{} {what}", phrase.text) } else { format!("the program {} {what}", phrase.text) };
        Reason { sentence, candidate: Some(candidate), tests: self.tests(candidate, Effect::Changed) }
    }

    /// A line's candidates that turn failing tests, one of each kind, the strongest first: those that are no last resorts or break nothing, of these those that break
    /// nothing and turn most, those that are no last resorts, then those that turn most and break least, then those that are edits of the source, then usual slips.
    fn strongest(&self, line: u32) -> Vec<u32> {
        let mut turning: Vec<u32> = self.of_line[line as usize]
            .iter()
            .copied()
            .filter(|at| self.tallies.came_out(*at).failing.turned > 0)
            .collect();
        turning.sort_by(|&a, &b| {
            let is_last_resort = |at: u32| self.candidate(at).kind.is_last_resort();
            let is_weak = |at: u32| is_last_resort(at) && !self.tallies.is_clean(self.tallies.came_out(at));
            let turned = |at: u32| {
                let tally = self.tallies.came_out(at);
                // What breaks nothing is told apart by what it is: how many tests it was tried on says little.
                let clean = self.tallies.is_clean(tally).then_some(tally.failing.turned);
                (clean, self.tallies.turning(tally))
            };
            let is_likely = |at: u32| (self.candidate(at).edit.is_some(), self.candidate(at).is_slip());
            let ((clean_a, a1), (clean_b, b1)) = (turned(a), turned(b));
            is_weak(a)
                .cmp(&is_weak(b))
                .then(clean_b.cmp(&clean_a))
                .then(is_last_resort(a).cmp(&is_last_resort(b)))
                .then(if clean_a.is_some() { Ordering::Equal } else { b1.total_cmp(&a1) })
                .then(is_likely(b).cmp(&is_likely(a)))
                .then(b1.total_cmp(&a1))
                .then(self.candidate(a).id.cmp(&self.candidate(b).id))
        });
        let mut kinds: Vec<Kind> = Vec::new();
        turning.retain(|at| {
            let kind = self.candidate(*at).kind;
            let is_new = !kinds.contains(&kind);
            kinds.push(kind);
            is_new
        });
        turning
    }

    fn candidate(&self, at: u32) -> &'a Candidate {
        &self.trials.candidates()[at as usize]
    }

    fn phrase(&self, at: u32) -> Phrase {
        Phrase::new(self.program, self.candidate(at))
    }

    fn tests(&self, candidate: u32, effect: Effect) -> Vec<u32> {
        let tests = self.trials.failing(candidate).filter(|(_, outcome)| outcome.effect == effect);
        tests.map(|(test, _)| test).collect()
    }

    fn turning(&self, candidate: u32, name: &dyn Fn(u32) -> String) -> Reason {
        let tests = self.tests(candidate, Effect::Turned);
        let who = self.who(candidate, &tests, name);
        let phrase = self.phrase(candidate);
        let passes = if phrase.acts {
            format!("{} makes {who} pass", phrase.text)
        } else {
            format!("{} {who} {}", set_apart(&phrase.text, &who), if tests.len() == 1 { "passes" } else { "pass" })
        };
        let sentence = format!("{passes}{}", breaks(self.tallies.came_out(candidate)));
        Reason { sentence, candidate: Some(candidate), tests }
    }

    /// These of the failing tests that a candidate was tried on, in words.
    fn who(&self, candidate: u32, tests: &[u32], name: &dyn Fn(u32) -> String) -> String {
        let n_failing = self.facts.coverage().n_failing().max(self.tallies.n_failing() as usize);
        let tried = self.tallies.came_out(candidate).failing.tried.max(tests.len() as u32);
        let is_tried_on_all = tried >= self.facts.spectra()[self.candidate(candidate).line as usize].ef;
        let name = &|test: u32| called(name(test));
        match tests {
            [one] => name(*one),
            all if all.len() == n_failing => format!("all {n_failing} failing tests"),
            [first, last] => format!("{} and {}", name(*first), name(*last)),
            some if some.len() <= NAMED => {
                let (last, rest) = (some.len() - 1, &some[..some.len() - 1]);
                format!(
                    "{} and {}",
                    rest.iter().map(|test| name(*test)).collect::<Vec<_>>().join(", "),
                    name(some[last])
                )
            }
            some if is_tried_on_all => format!("{} of {n_failing} failing tests", some.len()),
            some if some.len() == tried as usize => format!("all {tried} failing tests tried"),
            some => format!("{} of the {tried} failing tests tried", some.len()),
        }
    }

    fn without_flip(&self, line: u32) -> Reason {
        let candidates = &self.of_line[line as usize];
        let altering = candidates.iter().filter(|at| self.tallies.came_out(**at).failing.noticed > 0).count();
        let is_early = |at: &&u32| self.trials.failing(**at).any(|(_, outcome)| outcome.effect == Effect::Earlier);
        let early = candidates.iter().filter(is_early).count();
        let sentence = match (candidates.len(), altering) {
            (n, some) if n > 1 && early > 0 => {
                format!(
                    "{some} of {n} changes tried here alter a failing test, {early} at an earlier check; none makes one pass"
                )
            }
            (0, _) => "no change was tried here".to_string(),
            (1, 0) => "the one change tried here alters no failing test".to_string(),
            (1, _) => "the one change tried here alters a failing test and makes none pass".to_string(),
            (n, 0) => format!("no change here alters any failing test ({n} tried)"),
            (n, some) => format!("{some} of {n} changes tried here alter a failing test, none makes one pass"),
        };
        Reason { sentence, candidate: None, tests: Vec::new() }
    }

    /// The candidate with which a test's output is right for longest.
    fn further(&self, line: u32, name: &dyn Fn(u32) -> String) -> Option<Reason> {
        let grown = |at: &u32| {
            let each = self.trials.failing(*at).filter(|(_, outcome)| outcome.effect == Effect::Changed);
            let more = each.filter_map(|(test, outcome)| {
                let before = self.trials.tests()[test as usize].matched?;
                Some((outcome.matched?.checked_sub(before).filter(|more| *more > 0)?, test))
            });
            more.max_by_key(|(more, test)| (*more, std::cmp::Reverse(*test))).map(|(more, test)| (more, test, *at))
        };
        let most = self.of_line[line as usize].iter().filter_map(grown);
        let (more, test, at) = most.max_by_key(|(more, _, at)| (*more, std::cmp::Reverse(self.candidate(*at).id)))?;
        let phrase = self.phrase(at);
        let bytes = if more == 1 { "byte" } else { "bytes" };
        let name = &|test: u32| called(name(test));
        let sentence = match phrase.acts {
            true => format!("{} makes the output of {} right for {more} {bytes} more", phrase.text, name(test)),
            false => format!("{} the output of {} is right for {more} {bytes} more", phrase.text, name(test)),
        };
        Some(Reason { sentence, candidate: Some(at), tests: vec![test] })
    }

    /// What flips beside the line: the statement that is missing there may belong here.
    fn beside(&self, line: u32, name: &dyn Fn(u32) -> String) -> Option<Reason> {
        let places = ["before", "after"];
        let near = self.facts.beside(line).into_iter().zip(places).filter_map(|(line, place)| Some((line?, place)));
        let says = |at: &u32| !self.candidate(*at).kind.is_last_resort();
        let mut found = near.filter_map(|(line, place)| Some((self.strongest(line).into_iter().find(says)?, place)));
        let (at, place) = found.next()?;
        let turning = self.turning(at, name);
        Some(Reason { sentence: format!("in the line {place} it: {}", turning.sentence), ..turning })
    }

    /// What the compiler warns of.
    fn warned(&self, line: u32) -> Option<Reason> {
        let warned = self.facts.warned(line).or_else(|| self.facts.warned_function(line))?;
        let Warning { line, message, option, .. } = &self.facts.warnings()[warned.warning as usize];
        let place = if warned.distance == 0 { "here".to_owned() } else { format!("in line {line}") };
        let sentence = format!("{place} the compiler warns: {message} ({option})");
        Some(Reason { sentence, candidate: None, tests: Vec::new() })
    }

    fn coverage(&self, line: u32) -> Option<Reason> {
        let spectrum = self.facts.spectra()[line as usize];
        let (failing, passing) = (spectrum.ef + spectrum.nf, spectrum.ep + spectrum.np);
        if spectrum.ef == 0 {
            return None;
        }
        let share = |n: u32, of: u32, kind: &str| match (n, of) {
            (0, 1) => format!("not the {kind} one"),
            (1, 1) => format!("the {kind} one"),
            (0, _) => format!("none of {of} {kind} ones"),
            (n, of) if n == of => format!("all {of} {kind} ones"),
            (n, of) => format!("{n} of {of} {kind} ones"),
        };
        let sentence = match passing {
            0 => format!("of the tests it is executed by {}", share(spectrum.ef, failing, "failing")),
            _ => format!(
                "of the tests it is executed by {} and {}",
                share(spectrum.ef, failing, "failing"),
                share(spectrum.ep, passing, "passing")
            ),
        };
        Some(Reason { sentence, candidate: None, tests: Vec::new() })
    }
}

/// A test's name in a sentence: of one that is a number alone, `makes 6 pass` would count.
fn called(name: String) -> String {
    if name.bytes().all(|b| b.is_ascii_digit()) { format!("test {name}") } else { name }
}

fn failing_tests(n: u32) -> String {
    if n == 1 { "the failing test tried".into() } else { format!("the {n} failing tests tried") }
}

fn breaks(tally: &Tally) -> String {
    match (tally.passing.tried, tally.passing.turned) {
        (0, _) => String::new(),
        (1, 0) => " and the one passing test tried still does".into(),
        (1, _) => " but the one passing test tried fails".into(),
        (tried, 0) => format!(" and none of the {tried} passing tests tried breaks"),
        (tried, 1) => format!(" but 1 of the {tried} passing tests tried breaks"),
        (tried, broken) => format!(" but {broken} of the {tried} passing tests tried break"),
    }
}
