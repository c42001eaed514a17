//! The trace file: one for each process, written by mapping, readable after the process dies at any instruction.
//!
//! ```text
//! offset 0      ProcessHeader, one page
//! then, for each instrumented module in the order of start-up, page-aligned:
//!               SegmentHeader | UnitEntry x n_units | zeros to the page's end
//!               data: the module's `suspect_data` section as it stood (data_len bytes, whole pages)
//! and in trace mode one more segment of kind Log, shared by all modules, whose data are
//!               LogHeader, one page | LogRecord x as many as fit
//! ```
//!
//! A segment is part of the file once [`ProcessHeader::valid_len`] covers it; the space is reserved on the disk before
//! that, so a full disk can refuse a recording but never tear one. All integers are the machine's own.

use core::mem::{offset_of, size_of};

/// First bytes of a trace file.
pub const MAGIC: [u8; 8] = *b"SUSTRACE";
/// First bytes of a segment.
pub const SEGMENT_MAGIC: [u8; 8] = *b"SUSSEGMT";
/// End of every trace file's name; the stem is pid and image id in hexadecimal.
pub const FILE_SUFFIX: &str = ".trace";

/// Longest path or test name kept; longer ones lose their end.
pub const TEXT_LEN: usize = 1024;

/// [`ProcessHeader::status`]: a module could not be recorded because the disk was full, or files may not grow so long.
pub const STATUS_NO_SPACE: u32 = 1;
/// [`ProcessHeader::status`]: a module could not be recorded for another reason (system call refused, page size).
pub const STATUS_UNRECORDED: u32 = 2;
/// [`ProcessHeader::status`]: this process was forked by a recorded one.
pub const STATUS_FORKED: u32 = 4;
/// [`ProcessHeader::status`]: there was no room for a log of full values.
pub const STATUS_NO_LOG: u32 = 8;
/// [`ProcessHeader::status`]: this process, or the one that forked it, had no variable of suspect's in its environment.
pub const STATUS_CLEARED: u32 = 16;
/// [`ProcessHeader::status`]: Valgrind ran this process.
pub const STATUS_VALGRIND: u32 = 32;

/// The first page of a trace file.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ProcessHeader {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`crate::FORMAT_VERSION`].
    pub version: u32,
    /// [`crate::ENDIAN_TAG`].
    pub endian: u32,
    /// Bytes of a pointer.
    pub pointer_bytes: u32,
    /// The [`crate::abi::Mode`] recorded.
    pub mode: u32,
    /// Process id.
    pub pid: u32,
    /// Parent's process id at start-up or fork.
    pub parent_pid: u32,
    /// The kernel's random bytes for this image (`AT_RANDOM`): the same after fork, new after exec.
    pub image_id: [u8; 16],
    /// Real time at start-up or fork, nanoseconds since 1970.
    pub start_ns: u64,
    /// Bytes of the file that hold complete segments, this header included.
    pub valid_len: u64,
    /// `STATUS_*` bits.
    pub status: u32,
    /// Number of segments of kind [`SegmentKind::Module`].
    pub n_modules: u32,
    /// Offset of the log's data in the file; 0 without one.
    pub log_offset: u64,
    /// [`hash_bytes`] of the fields before `valid_len`.
    pub check: u64,
    /// The test's name, zero-terminated.
    pub test: [u8; TEXT_LEN],
    /// The executable's path, zero-terminated.
    pub executable: [u8; TEXT_LEN],
}

/// What a segment's data are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum SegmentKind {
    /// A module's counters and values.
    Module = 1,
    /// Full values in the order they were taken.
    Log = 2,
}

/// The head of a segment.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SegmentHeader {
    /// [`SEGMENT_MAGIC`].
    pub magic: [u8; 8],
    /// A [`SegmentKind`].
    pub kind: u32,
    /// Number of [`UnitEntry`]s that follow (0 in a log).
    pub n_units: u32,
    /// Offset of the data in the file.
    pub data_offset: u64,
    /// Bytes of data.
    pub data_len: u64,
    /// Address at which the data were mapped in the process.
    pub load_address: u64,
    /// [`hash_bytes`] of the fields before this one and of the [`UnitEntry`]s.
    pub check: u64,
    /// Path of the module's file, zero-terminated; empty when not known.
    pub path: [u8; TEXT_LEN],
}

/// Where one translation unit's words lie in its module's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct UnitEntry {
    /// The unit's hash, as in its site table.
    pub unit_hash: u64,
    /// Offset of its first counter from the start of the data, bytes.
    pub offset: u64,
    /// Number of counters.
    pub n_counters: u32,
    /// Number of values, which follow the counters.
    pub n_values: u32,
}

/// What each unit leaves in [`crate::abi::SECTION_UNITS`] for the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct UnitDescriptor {
    /// The unit's hash.
    pub unit_hash: u64,
    /// Address of the unit's words minus the address of this field: no relocation at start-up.
    pub data_relative: i64,
    /// Address of the unit's bytes in [`crate::abi::SECTION_GATES`] minus the address of this field; 0 when it has none.
    pub gates_relative: i64,
    /// Likewise of its bytes in [`crate::abi::SECTION_OPERATIONS`].
    pub operations_relative: i64,
    /// Number of counters.
    pub n_counters: u32,
    /// Number of values.
    pub n_values: u32,
    /// Number of functions that have a gate.
    pub n_gates: u32,
    /// Number of operations.
    pub n_operations: u32,
}

/// Threads that a log can tell apart.
pub const LOG_THREADS: usize = 504;

/// [`LogRecord::thread`] of a thread that came after [`LOG_THREADS`] others.
pub const UNKNOWN_THREAD: u16 = u16::MAX;

/// The first page of a log segment's data.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct LogHeader {
    /// Values taken, whether or not there was room for a record.
    pub n_taken: u64,
    /// Threads seen.
    pub n_threads: u64,
    /// Zero.
    pub reserved: [u64; 6],
    /// The runtime's table of threads: thread pointer in the high 48 bits, number below.
    pub threads: [u64; LOG_THREADS],
}

/// One value taken by one node. The first eight bytes are written last: a record whose `word` is 0 was not finished
/// (word 0 is a state word, never a node's).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct LogRecord {
    /// Position of the node's value word in its module's data, in words.
    pub word: u32,
    /// Which module segment of this file, counted from 0.
    pub module: u16,
    /// Which thread of the process, counted from 0 in order of first use, or [`UNKNOWN_THREAD`]. A thread that takes
    /// over the memory of one that ended takes over its number.
    pub thread: u16,
    /// The value, zero-extended; of an address the name of its object and its place in it, of a string
    /// [`crate::trial::text_value`].
    pub value: u64,
}

const _: () = {
    assert!(size_of::<ProcessHeader>() <= crate::abi::PAGE);
    assert!(offset_of!(ProcessHeader, valid_len) == 56);
    assert!(offset_of!(SegmentHeader, path) == 48);
    assert!(size_of::<UnitEntry>() == 24 && size_of::<UnitDescriptor>() == 48);
    assert!(offset_of!(ProcessHeader, log_offset) == 72);
    assert!(size_of::<LogHeader>() == crate::abi::PAGE && size_of::<LogRecord>() == 16);
};

/// Start value of [`hash_bytes`].
pub const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a over `bytes`, continuing from `state`: identities, not security.
#[inline]
pub const fn hash_bytes(mut state: u64, bytes: &[u8]) -> u64 {
    let mut rest = bytes;
    while let [byte, tail @ ..] = rest {
        state = (state ^ *byte as u64).wrapping_mul(0x100_0000_01b3);
        rest = tail;
    }
    state
}
