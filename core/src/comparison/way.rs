//! The way on which one point of a run comes to matter at another, in that run alone.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

use super::NONE;
use super::run::Run;

/// Why a point depends on an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tie {
    /// It stands under that one, a branch or a call.
    Control,
    /// It reads what that one wrote: the write.
    Value(u32),
    /// It reads what is still there because that one, a decision, led past what would have written there.
    Missed,
    /// It is where the way begins.
    Start,
}

/// What a dependence by control counts as in values that are handed on: values say more about a failure than who called whom.
const CONTROL: u32 = 3;

/// The shortest way by dependences from a start back to a point that `is_end` holds for: the points, each with why the one before it depends on it.
/// A start is a point, and the one write of those that it reads which matters, if it is one.
pub fn way(run: &Run, starts: &[(u32, Option<u32>)], is_end: impl Fn(u32) -> bool) -> Option<Vec<(u32, Tie)>> {
    way_by(run, starts, |_| true, is_end)
}

/// The same, where a write that is read is followed only if `is_followed` holds for it.
pub fn way_by(
    run: &Run,
    starts: &[(u32, Option<u32>)],
    is_followed: impl Fn(u32) -> bool,
    is_end: impl Fn(u32) -> bool,
) -> Option<Vec<(u32, Tie)>> {
    let mut reached: HashMap<u32, (u32, Tie)> = HashMap::new();
    let mut open = BinaryHeap::new();
    for (point, only) in starts {
        match only {
            None => open.push((Reverse(0), *point, NONE, Tie::Start)),
            Some(write) => {
                reached.insert(*point, (NONE, Tie::Start));
                open.push((Reverse(1), run.writer(*write), *point, Tie::Value(*write)));
            }
        }
    }
    while let Some((Reverse(length), point, from, tie)) = open.pop() {
        if point == 0 || reached.contains_key(&point) {
            continue;
        }
        reached.insert(point, (from, tie));
        if is_end(point) {
            return Some(back(&reached, point));
        }
        for write in run.reads(point).iter().filter(|write| is_followed(**write)) {
            open.push((Reverse(length + 1), run.writer(*write), point, Tie::Value(*write)));
        }
        let parent = run.parent(point);
        if parent != NONE {
            open.push((Reverse(length + CONTROL), parent, point, Tie::Control));
        }
    }
    None
}

/// Points that are looked at, at most, for all ways from one start: as many as take about a second.
const MOST_REACHED: usize = 1 << 20;

/// What one more point on a way weighs against it: a hundred of them as much as the weightiest thing that it passes.
const STEP: f64 = 0.01;

/// Of the ways by dependences from a start back to points that count, the one that passes the most of what counts. `counts` numbers what a point
/// belongs to, the weightiest 0; what has the number n weighs 1 / sqrt(n + 1), once on a way. Each way is the shortest to its end, where a dependence on
/// what counts is no longer way.
pub fn weightiest_way(
    run: &Run,
    starts: &[(u32, Option<u32>)],
    counts: impl Fn(u32) -> Option<usize>,
) -> Option<Vec<(u32, Tie)>> {
    let mut reached: HashMap<u32, (u32, Tie)> = HashMap::new();
    let mut ends: BTreeMap<usize, u32> = BTreeMap::new();
    let mut open = BinaryHeap::new();
    for (point, only) in starts {
        reached.insert(*point, (NONE, Tie::Start));
        let all = only.as_ref().map_or(run.reads(*point), std::slice::from_ref);
        open.extend(all.iter().map(|write| (Reverse(1), run.writer(*write), *point, Tie::Value(*write))));
        if only.is_none() && run.parent(*point) != NONE {
            open.push((Reverse(CONTROL), run.parent(*point), *point, Tie::Control));
        }
    }
    while let Some((Reverse(length), point, from, tie)) = open.pop() {
        if point == 0 || reached.contains_key(&point) || reached.len() >= MOST_REACHED {
            continue;
        }
        reached.insert(point, (from, tie));
        let is_counted = counts(point).inspect(|number| _ = ends.entry(*number).or_insert(point)).is_some();
        let further = if is_counted { 0 } else { 1 };
        for write in run.reads(point) {
            open.push((Reverse(length + further), run.writer(*write), point, Tie::Value(*write)));
        }
        if run.parent(point) != NONE {
            open.push((Reverse(length + further * CONTROL), run.parent(point), point, Tie::Control));
        }
    }
    let weight = |way: &Vec<(u32, Tie)>| {
        let passed: BTreeSet<usize> = way.iter().skip(1).filter_map(|(point, _)| counts(*point)).collect();
        passed.into_iter().map(|number| 1.0 / ((number + 1) as f64).sqrt()).sum::<f64>() - STEP * way.len() as f64
    };
    let ways = ends.values().map(|end| back(&reached, *end));
    ways.map(|way| (weight(&way), way))
        .max_by(|(one, a), (other, b)| one.total_cmp(other).then(b.len().cmp(&a.len())))
        .map(|(_, way)| way)
}

/// The way from the start to a point that was reached.
fn back(reached: &HashMap<u32, (u32, Tie)>, end: u32) -> Vec<(u32, Tie)> {
    let mut way = Vec::new();
    let mut point = end;
    while let Some((from, tie)) = reached.get(&point) {
        way.push((point, *tie));
        point = *from;
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::{Joins, Recorder, Value};

    /// 1: a = 5; 2: c = 1; 3: if (c) { 4: b = a }; 5: d = b; 6: print(b).
    fn run() -> Run {
        let joins = Joins::new(vec![NONE, NONE, NONE, 5, NONE, NONE, NONE]);
        let mut recorder = Recorder::new(&joins);
        let (a, b, c, d) = (0, 1, 2, 3);
        recorder.point(1);
        recorder.write(a, Value::Number(5));
        recorder.point(2);
        recorder.write(c, Value::Number(1));
        recorder.point(3);
        recorder.read(c, Value::Number(1));
        recorder.branch(0);
        recorder.point(4);
        recorder.read(a, Value::Number(5));
        recorder.write(b, Value::Number(5));
        recorder.point(5);
        recorder.read(b, Value::Number(5));
        recorder.write(d, Value::Number(5));
        recorder.point(6);
        recorder.read(b, Value::Number(5));
        recorder.finish().unwrap()
    }

    #[test]
    fn values_come_before_control_and_detours_are_not_taken() {
        let run = run();
        let points = |end: u32| way(&run, &[(6, None)], |point| point == end).unwrap();
        assert_eq!(points(1).iter().map(|(point, _)| *point).collect::<Vec<_>>(), [6, 4, 1]);
        assert!(matches!(points(1)[..], [(6, Tie::Start), (4, Tie::Value(_)), (1, Tie::Value(_))]));
        assert!(matches!(points(2)[..], [(6, Tie::Start), (4, _), (3, Tie::Control), (2, Tie::Value(_))]));
        assert_eq!(way(&run, &[(6, None)], |point| point == 5), None);
        assert_eq!(way(&run, &[(6, None)], |point| point == 6), Some(vec![(6, Tie::Start)]));
        // 4 reads a, which is not followed, so nothing leads to its store.
        let but_a = |write: u32| run.location(write) != 0;
        assert_eq!(way_by(&run, &[(6, None)], but_a, |point| point == 1), None);
        assert_eq!(way_by(&run, &[(6, None)], but_a, |point| point == 2), way(&run, &[(6, None)], |point| point == 2));
    }

    #[test]
    fn of_several_ways_the_one_that_passes_the_most_is_taken() {
        let run = run();
        let points = |numbers: &[u32]| {
            let number = |point: u32| numbers.iter().position(|one| *one == point);
            weightiest_way(&run, &[(6, None)], number)
                .map(|way| way.into_iter().map(|(point, _)| point).collect::<Vec<_>>())
        };
        assert_eq!(points(&[1, 2]), Some(vec![6, 4, 1]));
        // The condition and what it reads weigh more together.
        assert_eq!(points(&[4, 3, 1, 2]), Some(vec![6, 4, 3, 2]));
        assert_eq!(points(&[5]), None);
    }

    #[test]
    fn of_a_start_with_one_value_only_that_matters() {
        let run = run();
        let only = run.reads(4)[0];
        assert_eq!(way(&run, &[(4, Some(only))], |point| point == 3), None);
        let found = way(&run, &[(4, Some(only))], |point| point == 1).unwrap();
        assert_eq!(found, [(4, Tie::Start), (1, Tie::Value(only))]);
    }
}
