//! Plain dynamic slicing of one run: everything that a point depends on, by data or by control.

use super::NONE;
use super::bits::Bits;
use super::run::Run;

/// The points that `point` depends on, with itself, by the operands in `positions` (all if none are given). One backward sweep.
pub fn dynamic_slice(run: &Run, point: u32, positions: Option<&[usize]>) -> Bits {
    let mut members = Bits::new(run.points() as usize);
    members.set(point);
    let reads = run.reads(point);
    match positions {
        Some(chosen) => {
            chosen.iter().filter_map(|position| reads.get(*position)).for_each(|write| members.set(run.writer(*write)))
        }
        None => reads.iter().for_each(|write| members.set(run.writer(*write))),
    }
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
