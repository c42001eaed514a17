//! Recordings of whole runs, and their replay with other values.

pub mod activations;
pub mod effects;
pub mod guide;
pub mod hooks;
pub mod image;
pub mod open_calls;
pub mod recording;
pub mod replay;
