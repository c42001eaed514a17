//! The one definition of what suspect's pass, runtime and analyzer say to each other.
//!
//! [`abi`] names symbols, sections and environment variables; [`trace`] lays out the trace file, [`trial`] the trial file and [`record`] the
//! recording; [`plan`] says what a patched run is to do; [`external`] and [`conversion`] what the C library does to memory; [`site`],
//! [`dependence`] and [`body`] encode the tables that each object carries; [`operation`] says what operators compute;
//! [`line_directive`] reads the lines of a source that say whose code follows. Nothing here
//! allocates, does IO or panics.
//!
//! # Changing the bytes
//! [`FORMAT_VERSION`] goes up with every change of layout or meaning in [`trace`], [`site`], [`dependence`] or [`body`];
//! [`trial::VERSION`] with those of [`trial`]; [`record::VERSION`] with those of [`record`] and [`plan`]. A reader refuses any other version by name, because these bytes are only ever
//! read by the build that made them.
#![no_std]

pub mod abi;
pub mod body;
pub mod conversion;
pub mod dependence;
pub mod external;
pub mod line_directive;
pub mod operation;
pub mod plan;
pub mod record;
pub mod site;
pub mod trace;
pub mod trial;

/// Version of the trace file and the tables in objects.
pub const FORMAT_VERSION: u32 = 8;

/// Words are written as the machine has them; this one tells a reader of the other endianness.
pub const ENDIAN_TAG: u32 = 0x0102_0304;
