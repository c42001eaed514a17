//! What the failing run did before the place where a chain ends: the way back from there, in that run alone.

use std::collections::{HashMap, HashSet};

use super::Case;
use super::trail::Passed;
use crate::comparison::{NONE, Side, Tie, Value, weightiest_way};
use crate::program::is_of_system;
use crate::report::{Place, Point};

/// Lines of the last ranking, at most, that may be passed on the way back: those below have hardly any probability.
const MOST_SUSPECTS: usize = 12;
/// Lines that far apart, at most, are taken for parts of one statement: of what is told already nothing more need be passed.
const SAME_STATEMENT: u32 = 1;
/// Places on the way back that are told, at most: so many from the chain's end on, and so many up to the last suspect.
const MOST_TOLD: (usize, usize) = (3, 3);
/// Places on a way back that nothing is suspected on, at most.
pub const MOST_FOLLOWED: usize = 11;
/// The same of a way that goes on from a line that is not sure to be the fault: as long as a chain may be, for most of it only hands on.
const MOST_BEFORE: usize = 12;
/// Places, at most, that led to a constant which a way by likely lines ends at.
const MOST_BEHIND: usize = 8;
/// Points on such a way, at most: a loop is left after that.
const MOST_POINTS: usize = 400;

impl Case<'_> {
    /// How the failing run came to do what it did at a point: of all ways back the one that passes the most of these lines, the likeliest first. What
    /// is `told` already counts nothing.
    pub(super) fn before(&self, start: u32, suspects: &[(String, u32)], told: &[Place]) -> Vec<Point> {
        let is_near = |file: &str, line: u32, most: u32| {
            told.iter().any(|place| place.file == file && place.line.abs_diff(line) <= most)
        };
        let mut numbers: HashMap<u32, usize> = HashMap::new();
        let mut lines: Vec<&(String, u32)> =
            suspects.iter().filter(|(file, line)| !is_near(file, *line, SAME_STATEMENT)).collect();
        lines.truncate(MOST_SUSPECTS);
        for (number, (file, line)) in lines.into_iter().enumerate() {
            let points = self.words.points_on(Side::Second, file, *line).into_iter();
            points.filter(|point| *point < start).for_each(|point| _ = numbers.insert(point, number));
        }
        let way = weightiest_way(self.failing(), &[(start, None)], |point| numbers.get(&point).copied());
        let mut way = self.up_to_the_tests(way.unwrap_or_default());
        // A constant comes of nothing but what decided that it is set.
        let mut most = MOST_TOLD;
        if let Some((last, _)) = way.last().copied().filter(|(last, _)| *last != start && self.is_constant(*last)) {
            way.extend(self.followed((last, None), MOST_BEHIND).into_iter().skip(1));
            most.1 += MOST_BEHIND;
        }
        let mut points = self.told_way(&way, most);
        points.retain(|point| !is_near(&point.file, point.line, 0));
        points
    }

    /// The decision that led the failing run to set a constant at a point, and nothing before it; what is `told` already is left out.
    pub(super) fn decided_before(&self, start: u32, told: &[Place]) -> Vec<Point> {
        if !self.is_constant(start) {
            return Vec::new();
        }
        let mut points = self.told_way(&self.followed((start, None), 1), (2, 0));
        points.retain(|point| !told.iter().any(|place| (&place.file, place.line) == (&point.file, point.line)));
        points
    }

    /// A way as far as the course of the tests does not lead on.
    fn up_to_the_tests(&self, mut way: Vec<(u32, Tie)>) -> Vec<(u32, Tie)> {
        let trusted = self.room.trusted_files().unwrap_or_default();
        let is_course = |number: &usize| {
            let (point, tie) = way[*number];
            tie == Tie::Control && self.is_course(&way[..*number], point, &trusted)
        };
        let course = (0..way.len()).find(is_course);
        way.truncate(course.unwrap_or(way.len()));
        way
    }

    /// Whether a point that a way goes on to by control is of the course of the tests, which are in `trusted` files: it calls one of their functions, or decides
    /// that the tested code is called, where the way was. That a check is come to says nothing of why it fails; what decides within a check does.
    fn is_course(&self, way: &[(u32, Tie)], point: u32, trusted: &HashSet<String>) -> bool {
        let decides = self.code.decides(self.failing().site(point));
        self.is_in(point, trusted) && (!decides || way.iter().any(|(point, _)| !self.is_in(*point, trusted)))
    }

    /// Whether a point stands in one of these files.
    fn is_in(&self, point: u32, files: &HashSet<String>) -> bool {
        self.own_place(Side::Second, point).is_some_and(|(place, _)| files.contains(self.words.file(place)))
    }

    /// How the failing run came to do what it did at a point, where no line is suspected before it: from value to value. What is `told` already is left
    /// out.
    pub(super) fn followed_before(&self, start: u32, told: &[Place]) -> Vec<Point> {
        let mut points = self.told_way(&self.followed((start, None), MOST_BEFORE), (MOST_BEFORE, 0));
        points.retain(|point| !told.iter().any(|place| (&place.file, place.line) == (&point.file, point.line)));
        points
    }

    /// The way back from where a failure shows by what was handed on: of the values that a point reads the one that is handed on, else the last
    /// written number; where nothing is read, what decided. Each line once.
    /// `most` lines at most.
    pub(super) fn followed(&self, start: (u32, Option<u32>), most: usize) -> Vec<(u32, Tie)> {
        let (run, mut way) = (self.failing(), vec![(start.0, Tie::Start)]);
        let line = |point: u32| {
            let (place, _) = self.own_place(Side::Second, point).unwrap_or_default();
            (self.words.file(place), place.line)
        };
        let mut seen = HashSet::from([line(start.0)]);
        let mut sites = HashSet::from([run.site(start.0)]);
        let (mut at, mut only) = start;
        let mut byte: Option<u8> = None;
        let trusted = self.room.trusted_files().unwrap_or_default();
        while way.len() < MOST_POINTS && seen.len() <= most {
            let value = only.map(|write| run.value(write));
            let all = only.as_ref().filter(|_| way.len() == 1).map_or(run.reads(at), std::slice::from_ref);
            // Of two texts that were compared all behind the first byte that differs says nothing.
            let is_written = |both: &[(u32, u8); 2]| both.iter().any(|(write, _)| run.writer(*write) != 0);
            let differing = self.first_difference(at).filter(is_written);
            let differing_writes = differing.map(|both| both.map(|(write, _)| write));
            let all = differing_writes.as_ref().map_or(all, |writes| writes.as_slice());
            let is_new = |write: &u32| {
                let writer = run.writer(*write);
                // A loop does the same again; a call on a line that is told already hands something on.
                writer != 0 && writer < at && (!sites.contains(&run.site(writer)) || line(writer) == line(at))
            };
            // What the tests expect is seldom wrong: what the tested code wrote says more.
            let is_of_tests = self.is_in(at, &trusted);
            let is_tested = |write: &u32| !is_of_tests || !self.is_in(run.writer(*write), &trusted);
            let worth = |write: &u32| {
                let own = run.value(*write);
                let is_handed = Some(own) == value || byte.is_some_and(|byte| own == Value::Number(u64::from(byte)));
                (is_handed, !matches!(own, Value::Address(_)), is_tested(write), run.writer(*write))
            };
            // Where bits of a word were set, what set them says why, not the word's other bits.
            let kept =
                way.last().and_then(|(_, tie)| if let Tie::Value(write) = tie { self.kept_bits(*write) } else { None });
            // Where something lies is seldom what is wrong; who came there to use it may be.
            let is_data = |write: &u32| {
                !matches!(run.value(*write), Value::Address(_))
                    || Some(run.value(*write)) == value
                    || run.outcome(at) != NONE
            };
            let others = all.iter().copied().filter(|write| Some(*write) != kept && is_data(write));
            let next = match only.map_or(Passed::Computed, |write| self.argument_of(at, write)) {
                Passed::Constant => None,
                Passed::Read(write) if is_new(&write) => Some(write),
                _ => others.map(|write| self.that_mattered(at, write)).filter(is_new).max_by_key(worth),
            };
            let parent = Some(run.parent(at)).filter(|parent| *parent != NONE && *parent != 0);
            let (point, tie) = match (next, parent) {
                (Some(write), _) => (run.writer(write), Tie::Value(write)),
                (None, Some(parent)) if way.len() > 1 && self.is_course(&way, parent, &trusted) => break,
                // What `&&` and `||` come to is a constant where the first operand decides.
                (None, Some(parent)) if way.len() == 1 || !self.is_plain_constant(at) || line(parent) == line(at) => {
                    (parent, Tie::Control)
                }
                _ => break,
            };
            // What was copied as one may have been written byte by byte.
            byte = match (differing, next) {
                (Some(both), Some(write)) => both.into_iter().find(|(one, _)| *one == write).map(|(_, byte)| byte),
                (None, Some(write)) => byte.filter(|_| Some(run.value(write)) == value),
                _ => None,
            };
            way.push((point, tie));
            sites.insert(run.site(point));
            let place = line(point);
            if place.1 != 0 && !is_of_system(place.0) {
                seen.insert(place);
            }
            let past = next.and_then(|write| self.led_past(write, at)).filter(|past| sites.insert(run.site(*past)));
            if let Some(past) = past {
                way.push((past, Tie::Missed));
                seen.insert(line(past));
            }
            (at, only) = past.map_or((point, next), |past| (past, None));
        }
        way
    }
}
