//! What is told of a run while it is walked along.

use super::memory::Memory;
use super::objects::{Objects, Spot};

/// Memory and objects of the process, as they are now.
#[derive(Clone, Default)]
pub struct View {
    /// Bytes.
    pub memory: Memory,
    /// Objects.
    pub objects: Objects,
}

/// A use of memory.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Where in the process.
    pub address: u64,
    /// In which object.
    pub spot: Spot,
    /// How many bytes.
    pub length: u32,
    /// Whether they are used as an address.
    pub pointer: bool,
}

/// What is told of a run while it is walked along, in order. Each point is told of first, then what it reads, writes and decides.
pub trait Observer {
    /// A point executes `site`, in the frame that is `object`.
    fn point(&mut self, site: u32, activation: u32);
    /// The last point reads; memory holds what it sees.
    fn read(&mut self, access: Access, view: &mut View);
    /// The last point has written; memory holds what.
    fn write(&mut self, access: Access, view: &mut View);
    /// The last point decides.
    fn outcome(&mut self, outcome: u32);
    /// Points from now on belong to a callee; `opener` is the calling point. What the last point writes from now on are arguments.
    fn enter(&mut self, activation: Activation, opener: u32, view: &mut View);
    /// The callee returns.
    fn leave(&mut self);
    /// Calls end without returning until `depth` are open.
    fn unwind(&mut self, depth: u32);
    /// The last point has made an object.
    fn allocate(&mut self, object: u32, view: &mut View);
}

/// One execution of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    /// The function.
    pub function: u32,
    /// The object that is its frame.
    pub object: u32,
    /// The activation that called it, or its own number for the outermost.
    pub caller: u32,
    /// How many calls are open around it.
    pub depth: u32,
    /// The step that called it, if it was called by recorded code.
    pub call: Option<u32>,
    /// Where its frame is.
    pub address: u64,
    /// The first point that belongs to it.
    pub from: u32,
}
