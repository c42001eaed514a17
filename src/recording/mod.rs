//! Recordings of whole runs: what a process wrote is read back by evaluating its code, and handed to [`comparison`](crate::comparison).
//!
//! The stream of a process holds only what its code does not say ([`suspect_format::record`]); the code is in the objects' body tables
//! ([`Code`]). A [`Walk`] evaluates the one along the other, so every address, value and last writer is known, and what was recorded
//! although it can be computed is checked.

mod arithmetic;
mod body;
mod bounds;
mod deadline;
mod describe;
mod evaluate;
mod expressions;
mod file;
mod fill;
mod gather;
mod image;
mod last;
mod layout;
mod loading;
mod meaning;
mod memory;
mod objects;
mod observer;
mod past;
mod place;
mod pointees;
mod print;
mod question;
mod runs;
mod stores;
mod streams;
mod twins;
mod types;
mod walk;
mod walked;
mod wraps;

pub use body::{BodyError, Code, CodeStep, Function, Site, Variable, operands};
pub use bounds::{Block, Bounds, Misuse, Owner, Use};
pub use deadline::Deadline;
pub use describe::{NOT_NULL, Words, file_of_main, is_same_file};
pub use file::{Given, Recording, RecordingError, code_of, code_of_builds};
pub use fill::{Details, Frame, Held, Naming};
pub use gather::Control;
pub use image::Modules;
pub use last::{Passed, executions, read_last};
pub use meaning::Meaning;
pub use objects::{Kind, Object, Objects, Spot};
pub use observer::{Access, Activation, Observer, View};
pub use past::address_at;
pub use place::{Addresses, lent_texts, own_position, position};
pub use print::{PrintError, print};
pub use question::{Asked, Finder, NoAnswer};
pub use runs::{NotRead, Runs, course, misuses, parting};
pub use stores::{Store, Stores};
pub use twins::Twins;
pub use types::{Part, Types};
pub use walk::{Stretch, Walk};
pub use walked::{Disagreement, End, Stray, Walked};
pub use wraps::{Wrap, takes_low_bits, wrap};
