//! Handlers of signals that interrupted recorded code: they are gone along where they were entered.

use suspect_format::external;
use suspect_format::record::{Event, Unread};

use super::{Level, UNLOOKED, Walk};
use crate::recording::body::Site;
use crate::recording::loading::Image;
use crate::recording::observer::Observer;
use crate::recording::walked::Stop;

impl<O: Observer, I: Image> Walk<'_, O, I> {
    /// Whether a handler was entered at this place of the recording.
    pub(super) fn is_interrupted(&self) -> bool {
        let Some(at) = self.interruptions.last() else { return false };
        let position = self.mirror.position(&self.stream);
        (position.offset, position.bits_used) >= *at
    }

    /// Enters the handler that interrupted the recorded code here, as a call by the last point.
    pub(super) fn enter_handler(&mut self) -> Result<(), Stop> {
        self.interruptions.pop();
        if self.interruptions.is_empty() && self.unknown_interruptions {
            return Err(Stop::Interrupted);
        }
        let Event::Callback = self.mirror.take_event(&mut self.stream, external::UNKNOWN)? else {
            return Err(Unread::Damaged.into());
        };
        let Event::Entered(entry) = self.mirror.take_event(&mut self.stream, external::UNKNOWN)? else {
            return Err(Unread::Damaged.into());
        };
        self.enter(entry, None, self.points - 1, &[])
    }

    /// Goes along handlers that interrupted the step that is being evaluated. The step goes on as a second point of its own, unless a handler has
    /// jumped out of it.
    pub(super) fn attend(&mut self) -> Result<(), Stop> {
        if !self.is_interrupted() {
            return Ok(());
        }
        let (step, frame, jumps, depth) = (self.step, self.frame, self.jumps, self.levels.len());
        self.enter_handler()?;
        while self.levels.len() > depth && self.jumps == jumps {
            self.go_on()?;
        }
        if self.jumps != jumps {
            return Err(Stop::Left);
        }
        (self.step, self.frame) = (step, frame);
        self.point(Site::Step(step));
        Ok(())
    }

    /// Goes on by one step, or by what the recording says next of code outside.
    pub(super) fn go_on(&mut self) -> Result<(), Stop> {
        self.unlooked -= 1;
        if self.unlooked == 0 {
            self.unlooked = UNLOOKED;
            if self.deadline.is_over() {
                return Err(Stop::Late);
            }
        }
        let is_open = matches!(self.levels.last(), Some(Level::Open(_)));
        match self.is_interrupted() {
            true if is_open => return self.enter_handler(),
            // Code outside calls it like any other function.
            true => _ = self.interruptions.pop(),
            false => {}
        }
        let done = if is_open { self.execute() } else { self.outside() };
        match done {
            // The processor stopped the step, and the program handles that.
            Err(Stop::Trap) if self.is_interrupted() => Ok(()),
            Err(Stop::Left) => Ok(()),
            done => done,
        }
    }
}
