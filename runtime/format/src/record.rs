//! The recording of a process: everything about its run that its code alone does not say.
//!
//! One file for each process, written by mapping, so it survives the process's death at any instruction. It is a [`RecordHeader`], one page,
//! and then a stream of events up to the header's cursor. Where the code says what comes next, events have no tags:
//!
//! | hook | event |
//! |---|---|
//! | branch of two ways | the next bit; a byte is reserved in the stream where the first of its eight bits is needed |
//! | branch of more ways | [varint](Mirror::put_number) |
//! | load | varint of the zigzag difference from the value last loaded under the same slot |
//!
//! Everything else begins with a tag:
//!
//! | tag | event |
//! |---|---|
//! | below [`TAG_FAR`] | a function is entered that this entry of the near cache names; difference of its frame from that of the last time |
//! | from [`TAG_FAR`] | the same by the far cache: the tag and another byte are the number of the entry |
//! | [`TAG_NEW`] | a function is entered: id, address of its symbol, difference of its frame from the last frame of all |
//! | [`TAG_CALLBACK`] | what comes is entered by code that is not recorded: its parameters follow, as loads |
//! | [`TAG_DONE`] | a call of such code returned: result, as a load under [`result_slot`] |
//! | [`TAG_CHANGED`] | the same, and ranges that it wrote follow |
//! | [`TAG_JUMPED`] | `setjmp` returned again: difference of the frame of its activation from the last frame, result |
//! | [`TAG_LEFT`] | calls whose callees are not recorded were left by a jump that ended in such code: how many, of the innermost ones |
//! | [`TAG_MODULE`] | a module was loaded: identity, address of its ELF header, path; ranges of its writable segments, the rest of which is zero |
//! | [`TAG_MEMORY`] | ranges of memory as they are now |
//! | [`TAG_LIBRARY`] | a shared library is in memory, recorded or not: address, length, name of its file |
//!
//! *Ranges* are a number of them, then for each the difference of its address from the one before, its length, its bytes.
//!
//! A call that may leave the recorded code is followed by one of: the callee's entry, if that is recorded (then nothing more comes of the
//! call: its return ends it); any number of callbacks, modules and memory, then `DONE` or `CHANGED`; `JUMPED`; the end of the stream, if the
//! process ended in there. Before the first function, and after the last one, it is as in such a call.
//!
//! [`Mirror`] is what writer and reader both keep, with the arithmetic of both.

mod mirror;
mod stream;

use core::mem::{offset_of, size_of};

pub use self::mirror::{Entry, Event, Mirror};
pub use self::stream::{Stream, Tape, Unread};
use crate::abi::PAGE;
use crate::trace::TEXT_LEN;
use crate::trial::TRIAL_ADDRESS;

/// Version of recordings and of the plans of patched runs ([`crate::plan`]): goes up with every change of their layout or meaning. Both are
/// only ever read by the release that made them; readers refuse any other by name.
pub const VERSION: u32 = 7;
/// First bytes of a recording.
pub const MAGIC: [u8; 8] = *b"SUSRECRD";
/// End of every recording's name; the stem is pid and image id as in traces.
pub const FILE_SUFFIX: &str = ".rec";

/// Where the file is mapped in every process: the header page, then the part of the stream that is being written.
pub const STREAM_ADDRESS: usize = TRIAL_ADDRESS - (4 << 40);
/// `u32` in the header page: the number of the step, in its function, that is about to begin.
pub const LIVE_STEP: usize = STREAM_ADDRESS + offset_of!(RecordHeader, step);
/// `u32` in the header page: not 0 while a plan looks at each step.
pub const LIVE_ARMED: usize = STREAM_ADDRESS + offset_of!(RecordHeader, armed);

/// [`RecordHeader::status`]: the disk is full, or files may not grow so long: the stream ends before the run.
pub const STATUS_NO_SPACE: u32 = 1;
/// [`RecordHeader::status`]: the stream reached its limit.
pub const STATUS_LIMIT: u32 = 2;
/// [`RecordHeader::status`]: a second thread ran recorded code: the stream ends there.
pub const STATUS_THREADS: u32 = 4;
/// [`RecordHeader::status`]: something could not be recorded for another reason (system call refused, too many calls open).
pub const STATUS_UNRECORDED: u32 = 8;
/// [`RecordHeader::status`]: this process was forked by a recorded one; the stream begins with its parent's.
pub const STATUS_FORKED: u32 = 16;
/// [`RecordHeader::status`]: the process ended in order (`exit`, return of `main`).
pub const STATUS_ENDED: u32 = 32;

/// Handlers of signals that one recording can tell.
pub const MAX_INTERRUPTIONS: usize = 64;

/// Bytes of a stream when `SUSPECT_RECORD_BYTES` does not say: 8 GiB.
pub const DEFAULT_RECORD_BYTES: u64 = 8 << 30;

/// The first page of a recording.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RecordHeader {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`VERSION`].
    pub version: u32,
    /// [`crate::ENDIAN_TAG`].
    pub endian: u32,
    /// This process.
    pub pid: u32,
    /// The process that made it.
    pub parent_pid: u32,
    /// The kernel's random bytes for this process image.
    pub image_id: [u8; 16],
    /// Real time at start or fork, nanoseconds since 1970.
    pub start_ns: u64,
    /// For [`STATUS_FORKED`]: bytes of the file up to which it is the parent's.
    pub forked_at: u64,
    /// Address of the first thread's `errno`, 0 when not known.
    pub errno_address: u64,
    /// Address of the first thread's control block, from which its thread-local variables have fixed distances.
    pub thread_pointer: u64,
    /// Address of the environment's array at start: above all frames of the first thread.
    pub environment: u64,
    /// An address above all texts on the first thread's stack.
    pub stack_end: u64,
    /// Address of the byte after the last one written, as mapped: offset in the file plus [`STREAM_ADDRESS`].
    pub cursor: u64,
    /// Offset in the file of the byte that the last bit of a branch went into, 0 before the first.
    pub bit_at: u64,
    /// How many of its bits are used.
    pub bits_used: u32,
    /// What could not be recorded, and how the process ended: `STATUS_*`.
    pub status: u32,
    /// See [`LIVE_STEP`].
    pub step: u32,
    /// See [`LIVE_ARMED`].
    pub armed: u32,
    /// Entries of `interruptions` that are used; more than there are when some could not be told.
    pub n_interruptions: u32,
    /// Modules that the stream tells of.
    pub n_modules: u32,
    /// Where handlers of signals interrupted recorded code, in order; those that other code called are told like all that it calls.
    pub interruptions: [Position; MAX_INTERRUPTIONS],
    /// The test's name, ended by a zero.
    pub test: [u8; TEXT_LEN],
    /// The executable's path, ended by a zero.
    pub executable: [u8; TEXT_LEN],
}

const _: () = assert!(size_of::<RecordHeader>() <= PAGE);

/// A place in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Position {
    /// Offset in the file of the next byte.
    pub offset: u64,
    /// Bits used of the byte that branches go into.
    pub bits_used: u64,
}

/// First tag of an entry by the far cache; also the number of entries of the near one.
pub const TAG_FAR: u8 = 224;
/// Tag of an entry whose id is new.
pub const TAG_NEW: u8 = 240;
/// Tag: code that is not recorded enters the function that follows.
pub const TAG_CALLBACK: u8 = 241;
/// Tag: a call returned.
pub const TAG_DONE: u8 = 242;
/// Tag: a call returned and has written memory.
pub const TAG_CHANGED: u8 = 243;
/// Tag: `setjmp` returned again.
pub const TAG_JUMPED: u8 = 244;
/// Tag: a module was loaded.
pub const TAG_MODULE: u8 = 245;
/// Tag: memory as it is.
pub const TAG_MEMORY: u8 = 246;
/// Tag: a shared library is in memory.
pub const TAG_LIBRARY: u8 = 247;
/// Tag: calls were left by a jump that ended in code that is not recorded.
pub const TAG_LEFT: u8 = 248;

/// Slots of values loaded.
pub const SLOTS: usize = 1 << 16;
/// Most bytes of a number in the stream.
pub const NUMBER_BYTES: usize = 10;

/// The slot under which results of the external function number `external` go.
pub const fn result_slot(external: u32) -> u32 {
    (SLOTS as u32 - 1) - (external & 0x3ff)
}

/// The outcome of an indirect call, as plans of patched runs and comparisons of runs know it: which function is called.
pub const fn callee_outcome(address: u64) -> u32 {
    address as u32 & (u32::MAX >> 1)
}

/// Signed numbers, small ones of both signs first.
pub const fn zigzag(number: u64) -> u64 {
    number << 1 ^ (number as i64 >> 63) as u64
}

/// The inverse of [`zigzag`].
pub const fn unzigzag(code: u64) -> u64 {
    code >> 1 ^ (code & 1).wrapping_neg()
}

#[cfg(test)]
mod tests;
