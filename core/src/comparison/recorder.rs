//! Builds a [`Run`] from events in program order: finds the last writer of each read and the control parent of each point.

use super::regions::{Joins, RegionStack};
use super::run::{Run, Skipped};
use super::value::Value;
use super::{NONE, START};

/// One bit of a number says which run it is of ([`Instance`](super::Instance)).
const MOST: usize = 1 << 31;

/// More happened in a run than can be numbered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a run of {points} points, {reads} reads and {writes} writes is too long: at most {MOST} of each can be compared"
)]
pub struct RunTooLong {
    /// How many points.
    pub points: usize,
    /// How many reads.
    pub reads: usize,
    /// How many writes.
    pub writes: usize,
}

/// What a reader of traces fills (section 3.1). Events come in program order: [`point`](Recorder::point), then what it reads, what it
/// writes and which way it goes; [`enter`](Recorder::enter) and [`leave`](Recorder::leave) around the points of each call.
#[derive(Debug)]
pub struct Recorder<'a> {
    run: Run,
    regions: RegionStack<'a>,
    /// Last write of each location (section 3.3, shadow memory).
    shadow: Vec<u32>,
}

impl<'a> Recorder<'a> {
    /// A run that has only started. Writes up to the first [`point`](Recorder::point) say what memory holds at first.
    pub fn new(joins: &'a Joins) -> Self {
        Self::after(joins, Skipped::default())
    }

    /// A run of which the first points are not kept: the next one has the number behind them, and what they wrote is taken for what memory held at first.
    pub fn after(joins: &'a Joins, skipped: Skipped) -> Self {
        let run = Run { skipped, ..Run::default() };
        let mut recorder = Self { run, regions: RegionStack::new(joins), shadow: Vec::new() };
        recorder.append(START, NONE);
        recorder
    }

    /// The next point executes `site`. Its number is the answer.
    pub fn point(&mut self, site: u32) -> u32 {
        let parent = self.regions.arrive(site);
        self.append(site, parent)
    }

    fn append(&mut self, site: u32, parent: u32) -> u32 {
        let run = &mut self.run;
        run.sites.push(site);
        run.parents.push(parent);
        run.outcomes.push(NONE);
        run.reads_from.push(run.reads.len() as u32);
        run.writes_from.push(run.writers.len() as u32);
        run.points() - 1
    }

    /// The current point reads `location`. If nothing wrote it so far, it held `seen` from the start.
    pub fn read(&mut self, location: u32, seen: Value) {
        self.read_since(location, seen, 0);
    }

    /// The same, where what was written before write number `since` was there is gone: the location is that of another object now.
    pub fn read_since(&mut self, location: u32, seen: Value, since: u32) {
        let mut write = self.last(location);
        if write == NONE || write < since {
            write = self.store(START, location, seen);
        }
        self.run.reads.push(write);
    }

    /// The current point leaves `value` in `location`.
    pub fn write(&mut self, location: u32, value: Value) {
        let point = self.run.points() - 1;
        self.store(point, location, value);
    }

    fn last(&self, location: u32) -> u32 {
        self.shadow.get(location as usize).copied().unwrap_or(NONE)
    }

    fn store(&mut self, point: u32, location: u32, value: Value) -> u32 {
        let run = &mut self.run;
        let write = run.writers.len() as u32;
        let (bits, kind) = value.pack();
        run.writers.push(point);
        run.locations.push(location);
        run.bits.push(bits);
        run.kinds.push(kind);
        if point == START {
            run.initial.push(write);
        }
        if self.shadow.len() <= location as usize {
            self.shadow.resize(location as usize + 1, NONE);
        }
        self.shadow[location as usize] = write;
        write
    }

    /// The current point is a conditional (branch, switch, indirect call, return of `setjmp`) and goes the way `outcome`.
    pub fn branch(&mut self, outcome: u32) {
        let point = self.run.points() - 1;
        let at = self.run.index(point);
        self.run.outcomes[at] = outcome;
        self.regions.branch(point);
    }

    /// The current point calls: points up to the matching [`leave`](Recorder::leave) belong to the callee.
    pub fn enter(&mut self) {
        self.enter_from(self.run.points() - 1);
    }

    /// The same, where `opener` is the calling point: code that is not recorded calls again and again.
    pub fn enter_from(&mut self, opener: u32) {
        self.regions.enter(opener);
    }

    /// The runs that are compared parted at point `from`, and the next point is where they are together again.
    pub fn together_since(&mut self, from: u32) {
        self.regions.close_since(from);
    }

    /// How many points there are so far, with the start.
    pub fn points(&self) -> u32 {
        self.run.points()
    }

    /// What is not kept of it.
    pub fn skipped(&self) -> Skipped {
        self.run.skipped
    }

    /// How many writes there are so far.
    pub fn writes(&self) -> u32 {
        self.run.writes()
    }

    /// The current call ends, by a return or because it is unwound.
    pub fn leave(&mut self) {
        self.regions.leave();
    }

    /// The finished run.
    ///
    /// # Errors
    /// If it is longer than numbers of 31 bits can tell.
    pub fn finish(mut self) -> Result<Run, RunTooLong> {
        let counts = [self.run.points() as usize, self.run.reads.len(), self.run.writers.len()];
        if counts.iter().any(|count| *count > MOST) {
            let [points, reads, writes] = counts;
            return Err(RunTooLong { points, reads, writes });
        }
        self.run.reads_from.push(self.run.reads.len() as u32);
        self.run.writes_from.push(self.run.writers.len() as u32);
        Ok(self.run)
    }
}
