//! Unsigned arithmetic that wraps around, and matters for the failure: C defines it, and a size or a bound that comes of it is seldom meant.

use std::collections::{HashMap, HashSet};

use suspect_format::body::{Binary, Token};

use super::Case;
use super::alone::{MOST_TOLD, Shown};
use super::question::Question;
use crate::comparison::{Side, Tie, Value, way_by};
use crate::obstacle::Obstacle;
use crate::recording::{Kind, Site, Wrap, takes_low_bits, wrap};
use crate::report::{self, Explanation, Point, quoted};

/// Executions of a step, at most, of which each may wrap around: of a step that is executed more often, what it mostly does is meant.
const FEW: usize = 3;
/// Places that hand on what wraps around, at most, that are told before it.
const MOST_BEFORE: usize = 3;
/// Points behind a decision, at most, that are asked whether they read what it led past.
const MOST_ASKED: u32 = 1 << 16;

/// The way to what wraps around in words.
const WRAPPED: &str = "the failing run alone was followed back to unsigned arithmetic that wraps around, which the failure depends on; there is no second \
     run to compare it with, so nothing here is proved";

impl Question<'_> {
    /// The way back to unsigned arithmetic that wraps around; nothing where the failure depends on none, or the last ranking is sure of a line.
    pub(super) fn along_to_a_wrap(&self) -> Result<Option<Explanation>, Obstacle> {
        match self.room.ranked_lines().first() {
            Some((file, line)) if self.room.is_sure_of(file, *line) => Ok(None),
            _ => self.followed_alone(|case| !case.wraps().is_empty(), |case, files| case.along_to_a_wrap(files)),
        }
    }
}

impl Case<'_> {
    fn along_to_a_wrap(&self, files: &[String]) -> Option<Explanation> {
        let wraps = self.wraps();
        // What a decision led past that wrapped around is read later.
        let mut missed: HashMap<u32, u32> = HashMap::new();
        for point in wraps.keys() {
            self.led_past_by(*point).into_iter().for_each(|reader| _ = missed.insert(reader, *point));
        }
        if wraps.is_empty() {
            return None;
        }
        let Shown { starts, words, .. } = self.shown(files);
        let is_end = |point: u32| wraps.contains_key(&point) || missed.contains_key(&point);
        // Where something lies is not what is wrong.
        let is_data = |write: u32| !matches!(self.failing().value(write), Value::Address(_));
        let mut found = match starts.iter().find(|(start, _)| missed.contains_key(start)) {
            Some((start, _)) => vec![(*start, Tie::Start)],
            // What is written may be a constant: then the way goes on from what decided that it is written.
            None => way_by(self.failing(), &starts, is_data, is_end).or_else(|| {
                let all: Vec<(u32, Option<u32>)> = starts.iter().map(|(start, _)| (*start, None)).collect();
                way_by(self.failing(), &all, is_data, is_end)
            })?,
        };
        let (last, _) = *found.last()?;
        if let Some(decision) = missed.get(&last).filter(|_| !wraps.contains_key(&last)) {
            found.push((*decision, Tie::Missed));
        }
        let (point, _) = *found.last()?;
        let wrap = wraps.get(&point)?;
        if !self.is_kept(wrap, &found) {
            return None;
        }
        let place = self.place(Side::Second, point);
        let told = self.told_wrap(point, wrap);
        let mut explanation = self.told_alone(words, &self.null_trail(), WRAPPED.to_owned());
        explanation.summary.push(format!("That comes from {}:{}: {told}.", place.file, place.line));
        explanation.facts = self.told_way(&found, MOST_TOLD);
        explanation.origins = vec![report::Origin { point: place, what: vec![told] }];
        explanation.before = self.handed_to(point, wrap, &explanation);
        Some(explanation)
    }

    /// The points of the tested code at which unsigned arithmetic wraps around that seldom does, and what it computes.
    fn wraps(&self) -> HashMap<u32, Wrap> {
        let run = self.failing();
        let trusted = self.room.trusted_files().unwrap_or_default();
        let computes: Vec<bool> = (0..self.code.steps.len()).map(|step| self.computes(step)).collect();
        let is_tested = |step: u32| {
            let place = self.code.steps[step as usize].place;
            place.line != 0 && !trusted.contains(self.words.file(place))
        };
        let mut times: HashMap<u32, (usize, Vec<(u32, Wrap)>)> = HashMap::new();
        for point in run.skipped().points + 1..run.points() {
            let Site::Step(step) = self.code.what(run.site(point)) else { continue };
            if !computes[step as usize] || !is_tested(step) {
                continue;
            }
            let found = self.wrap_at(point, step);
            let (count, wraps) = times.entry(step).or_default();
            *count += 1;
            wraps.extend(found.map(|wrap| (point, wrap)));
        }
        let is_rare = |(count, wraps): &(usize, Vec<(u32, Wrap)>)| *count <= FEW || wraps.len() * FEW <= *count;
        times.into_values().filter(is_rare).flat_map(|(_, wraps)| wraps).collect()
    }

    /// Whether a step adds or subtracts.
    fn computes(&self, step: usize) -> bool {
        let end = self.code.steps.get(step + 1).map_or(self.code.nodes.len(), |next| next.tokens as usize);
        let tree = self.code.nodes.get(self.code.steps[step].tokens as usize..end).unwrap_or_default();
        tree.iter().any(|node| matches!(node.token, Token::Binary(Binary::Add | Binary::Subtract, _)))
    }

    fn wrap_at(&self, point: u32, step: u32) -> Option<Wrap> {
        let run = self.failing();
        let reads = run.reads(point);
        let values: Vec<Value> = reads.iter().map(|read| run.value(*read)).collect();
        let is_unsigned = |read: usize, bytes: u32| self.words.is_unsigned(run.location(reads[read]), bytes);
        let wrap = wrap(self.code, step, &values, is_unsigned)?;
        // What counts down to its end passes it.
        let counts = wrap.reads[1].is_none()
            && wrap.operands[1] == 1
            && wrap.reads[0]
                .is_some_and(|read| run.written(point).any(|to| run.location(to) == run.location(reads[read])));
        (!counts).then_some(wrap)
    }

    /// Points that read a local variable as it is because a decision led past a store to it.
    fn led_past_by(&self, decision: u32) -> Vec<u32> {
        let (run, details) = (self.failing(), &self.runs.details[1]);
        let Some(branch) = self.code.step_of(run.site(decision)).filter(|step| self.code.is_branch(*step)) else {
            return Vec::new();
        };
        let ways = self.code.successors(branch);
        let taken = run.outcome(decision) as usize;
        let (Some(taken), Some(other)) = (ways.get(taken), ways.get(1 - taken.min(1))) else { return Vec::new() };
        let function = self.code.steps[branch as usize].function;
        let mut passed: HashSet<i64> = HashSet::new();
        for step in self.code.functions[function as usize].steps.clone() {
            if let Some(variable) = self.local(step) {
                let one = HashSet::from([step]);
                if self.comes_to(*other, branch, &one) && !self.comes_to(*taken, branch, &one) {
                    passed.insert(variable);
                }
            }
        }
        let frame = details.frame_of(decision);
        let is_passed = |read: &u32| {
            let place = self.runs.naming.names.place(run.location(*read));
            matches!(self.runs.naming.kinds.get(place.object as usize), Some(Kind::Frame { .. }))
                && passed.contains(&i64::from(place.offset))
                && run.writer(*read) < decision
        };
        let last = run.points().min(decision.saturating_add(MOST_ASKED));
        let reads_it = |point: &u32| details.frame_of(*point) == frame && run.reads(*point).iter().any(is_passed);
        if passed.is_empty() { Vec::new() } else { (decision + 1..last).filter(reads_it).collect() }
    }

    /// Whether a difference is what is handed on, from where it wraps around to where it decides: what is taken back later did no harm, nor did what is
    /// cut off where it is read.
    fn is_kept(&self, wrap: &Wrap, found: &[(u32, Tie)]) -> bool {
        let half = if wrap.result > u64::from(u32::MAX) { 1 << 63 } else { 1 << 31 };
        let read = |pair: &[(u32, Tie)]| match pair[1].1 {
            Tie::Value(write) => Some((pair[0].0, write)),
            _ => None,
        };
        let is_large = |write: u32| matches!(self.failing().value(write), Value::Number(bits) if bits >= half);
        let mut handed = found.windows(2).rev().map_while(read);
        wrap.is_sum || handed.all(|(reader, write)| is_large(write) && !self.reads_low_bits(reader, write))
    }

    /// Whether a point takes the low bits alone of what it reads from this write.
    fn reads_low_bits(&self, reader: u32, write: u32) -> bool {
        let (run, Site::Step(step)) = (self.failing(), self.code.what(self.failing().site(reader))) else {
            return false;
        };
        let loads = takes_low_bits(self.code, step);
        let mut of_write = run.reads(reader).iter().zip(loads).filter(|(read, _)| **read == write).peekable();
        of_write.peek().is_some() && of_write.all(|(_, is_cut)| is_cut)
    }

    /// Arithmetic that wraps around, in words.
    fn told_wrap(&self, point: u32, wrap: &Wrap) -> String {
        let run = self.failing();
        let operand = |number: usize| {
            let value = wrap.operands[number];
            match wrap.reads[number] {
                Some(read) => {
                    let write = run.reads(point)[read];
                    let name = quoted(&self.words.written(run.location(write), [None, Some(write)]));
                    format!("{name} is {value}")
                }
                None if wrap.is_sum => format!("{value} is added"),
                None => format!("{value} is subtracted"),
            }
        };
        let (what, result) = match wrap.is_sum {
            true => ("the sum is more than its type holds, and wraps around", wrap.result),
            false => ("the difference is less than 0, and wraps around", wrap.result),
        };
        format!("{what} to {result}: {}, {}", operand(0), operand(1))
    }

    /// Where the operand that is too large comes from, as far as it was handed on as it is.
    fn handed_to(&self, point: u32, wrap: &Wrap, explanation: &Explanation) -> Vec<Point> {
        let run = self.failing();
        let large = if wrap.is_sum && wrap.operands[0] > wrap.operands[1] { 0 } else { 1 };
        let Some(read) = wrap.reads[large].or(wrap.reads[1 - large]) else { return Vec::new() };
        let lines = explanation.chain_lines();
        let mut told: Vec<Point> = Vec::new();
        for (writer, write) in self.way_of(run.reads(point)[read]) {
            let place = self.place(Side::Second, writer);
            let is_known = lines.iter().any(|line| (&line.file, line.line) == (&place.file, place.line))
                || told.iter().any(|one| (&one.file, one.line) == (&place.file, place.line));
            if place.line == 0 || is_known || told.len() == MOST_BEFORE {
                continue;
            }
            if let Some(text) = self.told_tie(writer, Tie::Value(write), false) {
                told.push(Point { text, ..place });
            }
        }
        told
    }
}
