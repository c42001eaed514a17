//! A walk that is left where it stands and gone on with: of a long run the last part is walked along more than once, and what comes before it is not.

use suspect_format::record::{Mirror, Stream};

use super::{Level, Walk};
use crate::comparison::{START, Table};
use crate::recording::body::Code;
use crate::recording::file::Given;
use crate::recording::loading::Image;
use crate::recording::observer::{Activation, Observer, View};
use crate::recording::walked::{End, Stray};

/// A part of a run: it ends where it has so many points, or so many bytes of the recording.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Points.
    pub points: u32,
    /// Bytes.
    pub bytes: u64,
}

impl Stretch {
    /// Whether one of that length ends here or before.
    pub fn has(self, most: Stretch) -> bool {
        self.points >= most.points || self.bytes >= most.bytes
    }

    /// Where one of that length ends that begins here.
    pub fn and(self, length: Stretch) -> Stretch {
        Stretch { points: self.points.saturating_add(length.points), bytes: self.bytes.saturating_add(length.bytes) }
    }
}

/// A walk on its way.
pub struct Paused<'a, I> {
    code: &'a Code,
    image: I,
    stream: Stream<'a>,
    mirror: Box<Mirror>,
    interruptions: Vec<(u64, u64)>,
    unknown_interruptions: bool,
    environment: u64,
    jumps: u32,
    view: View,
    levels: Vec<Level>,
    depth: u32,
    points: u32,
    turns: u32,
    may_fault: u32,
    replaced: Option<Given>,
    modelled: Table<u64, u32>,
}

impl<'a, O: Observer, I: Image + Clone> Walk<'a, O, I> {
    /// Walks until that is enough; how it ended, if it did before.
    pub fn go_to(&mut self, is_enough: impl Fn(&Self) -> bool) -> Option<End> {
        while !is_enough(self) {
            if let Err(stop) = self.go_on() {
                return Some(self.end(stop));
            }
        }
        None
    }

    /// How far it is.
    pub fn stretch(&self) -> Stretch {
        Stretch { points: self.points, bytes: self.stream.offset() }
    }

    /// Where it stands.
    pub fn paused(&self) -> Paused<'a, I> {
        Paused {
            code: self.code,
            image: self.image.clone(),
            stream: self.stream,
            mirror: self.mirror.clone(),
            interruptions: self.interruptions.clone(),
            unknown_interruptions: self.unknown_interruptions,
            environment: self.environment,
            jumps: self.jumps,
            view: self.view.clone(),
            levels: self.levels.clone(),
            depth: self.depth,
            points: self.points,
            turns: self.turns,
            may_fault: self.may_fault,
            replaced: self.replaced,
            modelled: self.modelled.clone(),
        }
    }
}

impl<'a, I: Image + Clone> Paused<'a, I> {
    /// How many points there are so far, with the start.
    pub fn points(&self) -> u32 {
        self.points
    }

    /// Goes on from there for an observer that has seen nothing yet. It is told of the calls that are open, as if they began now. `strays` are those of an
    /// earlier walk.
    pub fn go_on<'w, O: Observer>(&self, image: &'w mut I, observer: &'w mut O, strays: &[Stray]) -> Walk<'w, O, I>
    where
        'a: 'w,
    {
        *image = self.image.clone();
        let mut walk = Walk::at(self.code, image, observer, self.stream, strays);
        walk.mirror.clone_from(&self.mirror);
        walk.interruptions.clone_from(&self.interruptions);
        walk.unknown_interruptions = self.unknown_interruptions;
        (walk.environment, walk.jumps, walk.turns) = (self.environment, self.jumps, self.turns);
        (walk.depth, walk.points) = (self.depth, self.points);
        (walk.may_fault, walk.replaced) = (self.may_fault, self.replaced);
        walk.view = self.view.clone();
        walk.modelled.clone_from(&self.modelled);
        walk.levels.clear();
        for level in &self.levels {
            walk.reopen(level.clone());
        }
        walk
    }
}

impl<O: Observer, I: Image> Walk<'_, O, I> {
    /// A call that is open already where a walk begins.
    fn reopen(&mut self, mut level: Level) {
        if let Level::Open(open) = &mut level {
            let depth = self.activations;
            open.activation = depth;
            self.activations += 1;
            let activation = Activation {
                function: self.code.steps[open.step as usize].function,
                object: self.view.objects.frames()[depth as usize],
                caller: depth.saturating_sub(1),
                depth,
                call: open.called_by,
                address: open.frame,
                from: self.points,
            };
            self.observer.enter(activation, START, &mut self.view);
        }
        self.levels.push(level);
    }
}
