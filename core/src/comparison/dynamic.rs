//! Plain dynamic slicing of one run: everything that a point depends on, by data or by control, or that depends on it.

use super::NONE;
use super::bits::Bits;
use super::effect::{Effect, Watch};
use super::run::{Run, Side};

/// The points that `point` depends on, with itself, by the operands in `positions` (all if none are given). One backward sweep.
pub fn dynamic_slice(run: &Run, point: u32, positions: Option<&[usize]>) -> Bits {
    let reads = run.reads(point);
    match positions {
        Some(chosen) => backward(run, point, chosen.iter().filter_map(|position| reads.get(*position)).copied()),
        None => backward(run, point, reads.iter().copied()),
    }
}

/// The points that any of `starts` influences, with themselves, by data or by control. One forward sweep.
pub fn forward_slice(run: &Run, starts: &[u32]) -> Bits {
    let mut members = Bits::new(run.points() as usize);
    starts.iter().for_each(|start| members.set(*start));
    let Some(first) = starts.iter().min() else { return members };
    for point in first + 1..run.points() {
        let parent = run.parent(point);
        let is_decided = parent != NONE && members.get(parent);
        if is_decided || run.reads(point).iter().any(|write| members.get(run.writer(*write))) {
            members.set(point);
        }
    }
    members
}

/// The chop of the failing run from `starts` to an effect: the points by way of which the starts influence it, in order. Nothing if they do not.
pub fn chop(run: &Run, starts: &[u32], effect: &Effect) -> Vec<u32> {
    let (side, point) = (Side::Second.index(), effect.points[Side::Second.index()]);
    let backward = match &effect.watch {
        Watch::Locations(_) => backward(run, point, effect.operands.iter().filter_map(|operand| operand[side])),
        Watch::Result => dynamic_slice(run, point, None),
    };
    let forward = forward_slice(run, starts);
    backward.iter().filter(|member| forward.get(*member)).collect()
}

/// The points that `point` depends on by way of these writes, or of its control parent.
fn backward(run: &Run, point: u32, writes: impl Iterator<Item = u32>) -> Bits {
    let mut members = Bits::new(run.points() as usize);
    members.set(point);
    writes.for_each(|write| members.set(run.writer(write)));
    follow_control(run, point, &mut members);
    let mut end = point;
    while let Some(member) = members.last_in(0, end) {
        run.reads(member).iter().for_each(|write| members.set(run.writer(*write)));
        follow_control(run, member, &mut members);
        end = member;
    }
    members
}

fn follow_control(run: &Run, point: u32, members: &mut Bits) {
    let parent = run.parent(point);
    if parent != NONE {
        members.set(parent);
    }
}
