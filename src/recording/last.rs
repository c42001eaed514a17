//! The last part of a long recorded run: all of it is walked along once, and what a comparison needs is made of the last part alone.

use std::rc::Rc;

use super::body::{Code, Site};
use super::deadline::Deadline;
use super::file::Recording;
use super::fill::{Fill, Naming};
use super::gather::{Gather, Layouts};
use super::image::Modules;
use super::observer::{Access, Activation, Observer, View};
use super::runs::{NotRead, Runs, walk};
use super::walk::{Paused, Stretch, Walk};
use super::walked::{End, Walked};
use crate::comparison::{Alignment, Recorder, Side, Skipped};

/// What is counted of a part of a run that is not kept.
#[derive(Clone, Debug)]
pub struct Passed {
    skipped: Skipped,
    /// By site: how often it was executed.
    counts: Vec<u32>,
}

/// Counts what is executed, and keeps nothing.
struct Pass<'a> {
    kinds: &'a [Kind],
    /// For each site whether a part may end there.
    is_end: &'a [bool],
    passed: Passed,
    /// Points up to the last execution of such a site, with it.
    ended: u32,
}

/// What a site is as far as positions count it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Decision,
    Step,
    Other,
}

impl Passed {
    /// How often a site was executed in it.
    pub fn count(&self, site: u32) -> u32 {
        self.counts.get(site as usize).copied().unwrap_or(0)
    }
}

impl<'a> Pass<'a> {
    fn new(kinds: &'a [Kind], is_end: &'a [bool]) -> Self {
        let passed = Passed { skipped: Skipped::default(), counts: vec![0; kinds.len()] };
        Pass { kinds, is_end, passed, ended: 0 }
    }
}

impl Observer for Pass<'_> {
    fn point(&mut self, site: u32, _: u32) {
        let passed = &mut self.passed;
        passed.skipped.points += 1;
        passed.counts[site as usize] += 1;
        if self.is_end[site as usize] {
            self.ended = 1 + passed.skipped.points;
        }
        match self.kinds[site as usize] {
            Kind::Decision => (passed.skipped.decisions, passed.skipped.steps) = (passed.skipped.decisions + 1, 0),
            Kind::Step => passed.skipped.steps += 1,
            Kind::Other => {}
        }
    }

    fn read(&mut self, _: Access, _: &mut View) {}
    fn write(&mut self, _: Access, _: &mut View) {}
    fn outcome(&mut self, _: u32) {}
    fn enter(&mut self, _: Activation, _: u32, _: &mut View) {}
    fn leave(&mut self) {}
    fn unwind(&mut self, _: u32) {}
    fn allocate(&mut self, _: u32, _: &mut View) {}
}

/// For each site what it is.
fn kinds(code: &Code) -> Vec<Kind> {
    let sites = 1 + 2 * code.steps.len() + code.functions.len();
    let kind = |site: u32| match code.what(site) {
        _ if code.decides(site) => Kind::Decision,
        Site::Step(_) => Kind::Step,
        _ => Kind::Other,
    };
    (0..sites as u32).map(kind).collect()
}

/// By site how often a recorded run executes it.
///
/// # Errors
/// There is no time to go along all of it.
pub fn executions(code: &Code, recording: &Recording, deadline: Deadline) -> Result<Vec<u32>, NotRead> {
    let kinds = kinds(code);
    let is_end = vec![false; kinds.len()];
    let mut pass = Pass::new(&kinds, &is_end);
    let walked = walk(code, recording, &mut pass, &mut Modules::default(), &[]).until(deadline).run();
    NotRead::unless_late(&walked)?;
    Ok(pass.passed.counts)
}

/// Where a walk stood, and what it had passed.
type Mark<'a> = Rc<(Paused<'a, Modules>, Passed)>;

/// Points behind the last execution of where a part ends that are kept with it: what a check that fails leads to.
const BEHIND: u32 = 1 << 16;

/// Reads the last part of a recording, of that `length` to twice as long, as a run that is compared with itself: the part before the last execution of one of the
/// sites `ends`, with a little behind it, if one is executed, and if there is time. With `bounds` what is done outside of objects is looked for; the part ends with the first such thing.
pub fn read_last(
    code: &Code,
    recording: &Recording,
    bounds: bool,
    length: Stretch,
    ends: &[u32],
    deadline: Deadline,
) -> Result<Runs, NotRead> {
    let kinds = kinds(code);
    let mut is_end = vec![false; kinds.len()];
    ends.iter().for_each(|site| is_end[*site as usize] = true);
    let mut pass = Pass::new(&kinds, &is_end);
    let mut image = Modules::default();
    let first = walk(code, recording, &mut pass, &mut image, &[]);
    let first = first.until(deadline);
    let Found { mark, walked, end } = last_mark(if bounds { first.with_bounds() } else { first }, length);
    NotRead::unless_late(&walked)?;
    let (paused, passed) = &*mark;
    let (joins, mut layouts) = (code.joins(), Layouts::default());
    let mut image = Modules::default();
    let again = paused.go_on(&mut image, &mut Gather::of_cells(&mut layouts), &[]).until(deadline).run_to(end);
    NotRead::unless_late(&again)?;
    let alignment = Alignment::of_itself(walked.points);
    let mut naming = Naming::default();
    let recorder = Recorder::after(&joins, passed.skipped);
    let mut fill = Fill::new(recorder, &mut layouts, &mut naming, &alignment, Side::First);
    let mut image = Modules::default();
    let second = paused.go_on(&mut image, &mut fill, &walked.strays).until(deadline).run_to(end);
    NotRead::unless_late(&second)?;
    let (run, details) = fill.finish()?;
    let alignment = Alignment::of_itself(run.points());
    let passed = Some(passed.clone()).filter(|passed| passed.skipped.points > 0);
    Ok(Runs::alone(joins, alignment, (naming, layouts), (run, details), (walked, image), passed))
}

/// Where the part that is kept begins and ends.
struct Found<'a> {
    /// Where the walk stood a while before the end of it.
    mark: Mark<'a>,
    /// What was found on all of the way.
    walked: Walked,
    /// How many points there are at its end, or more than there are.
    end: u32,
}

/// Walks along a recording.
fn last_mark<'a>(mut walk: Walk<'a, Pass<'_>, Modules>, length: Stretch) -> Found<'a> {
    let mark = |walk: &Walk<'a, Pass<'_>, Modules>| Rc::new((walk.paused(), walk.observer().passed.clone()));
    let first = mark(&walk);
    let (mut older, mut newer) = (Rc::clone(&first), first);
    let mut ended: Option<(Mark<'a>, u32)> = None;
    let mut next = length;
    loop {
        let seen = ended.as_ref().map_or(0, |(_, points)| *points);
        let end = walk.go_to(|walk| walk.stretch().has(next) || walk.has_found() || walk.observer().ended > seen);
        if walk.has_found() {
            let walked = walk.walked(end.unwrap_or(End::Outside(None)));
            let end = walked.points;
            return Found { mark: older, walked, end };
        }
        if walk.observer().ended > seen {
            ended = Some((Rc::clone(&older), walk.observer().ended));
        }
        if let Some(end) = end {
            let (mark, last) = ended.map_or((older, u32::MAX), |(mark, at)| (mark, at.saturating_add(BEHIND)));
            return Found { mark, walked: walk.walked(end), end: last };
        }
        if walk.stretch().has(next) {
            older = std::mem::replace(&mut newer, mark(&walk));
            next = walk.stretch().and(length);
        }
    }
}
