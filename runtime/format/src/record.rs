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

use core::mem::{offset_of, size_of};

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

/// Entries of the far cache of functions.
const FUNCTIONS: usize = (TAG_NEW - TAG_FAR) as usize * 256;

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

/// Where a stream is written. There is always room.
pub trait Tape {
    /// Offset in the file of the next byte.
    fn offset(&self) -> u64;
    /// Writes the next byte.
    fn put(&mut self, byte: u8);
    /// Changes a byte that is written.
    fn set(&mut self, offset: u64, byte: u8);
}

/// Why nothing can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// The recording ends here.
    End,
    /// No writer writes that.
    Damaged,
}

/// A stream that is read.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    bytes: &'a [u8],
    at: usize,
    bit_at: u64,
    bits_used: u32,
}

impl<'a> Stream<'a> {
    /// The stream of the recording that the file `bytes` is; `None` if its header is not whole or not one.
    pub fn new(bytes: &'a [u8], header: &RecordHeader) -> Option<Self> {
        let end = header.cursor.checked_sub(STREAM_ADDRESS as u64)? as usize;
        let bytes = bytes.get(..end)?;
        (end >= PAGE && header.magic == MAGIC).then_some(Stream {
            bytes,
            at: PAGE,
            bit_at: header.bit_at,
            bits_used: header.bits_used,
        })
    }

    /// Offset in the file of the next byte.
    pub fn offset(&self) -> u64 {
        self.at as u64
    }

    /// Bytes of the file up to the stream's end.
    pub fn end(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The next byte, which stays.
    pub fn peek(&self) -> Result<u8, Unread> {
        self.bytes.get(self.at).copied().ok_or(Unread::End)
    }

    fn byte(&mut self) -> Result<u8, Unread> {
        let byte = self.peek()?;
        self.at = self.at.saturating_add(1);
        Ok(byte)
    }

    /// The next `length` bytes.
    pub fn take(&mut self, length: u64) -> Result<&'a [u8], Unread> {
        let end = self.at.checked_add(usize::try_from(length).map_err(|_| Unread::Damaged)?).ok_or(Unread::Damaged)?;
        let taken = self.bytes.get(self.at..end).ok_or(Unread::End)?;
        self.at = end;
        Ok(taken)
    }
}

/// A function's entry in the far cache.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Entered {
    /// The address of its symbol, 0 for no function.
    function: u64,
    frame: u64,
    id: u32,
    unused: u32,
}

/// A function that is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The function's id ([`crate::abi::piece_id`] of its unit's hash and its number).
    pub id: u32,
    /// Address of its symbol.
    pub function: u64,
    /// Address of its frame.
    pub frame: u64,
}

/// A tag that was read, with what belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A function is entered.
    Entered(Entry),
    /// The function whose entry comes next is entered by code that is not recorded; its parameters follow the entry, as loads.
    Callback,
    /// A call returned this result.
    Done(u64),
    /// A call returned this result and wrote so many ranges, which follow.
    Changed(u64, u64),
    /// `setjmp`, called by the activation with this frame, returned this.
    Jumped(u64, u64),
    /// A jump that ended in code which is not recorded left the innermost calls of such code, so many, and what they called.
    Left(u64),
    /// A shared library is in memory, recorded or not: address, length in bytes, name of its file.
    Library(u64, u64, &'a [u8]),
    /// A module was loaded: identity, address of its ELF header, path, how many ranges follow.
    Module(u64, u64, &'a [u8], u64),
    /// So many ranges of memory follow.
    Memory(u64),
}

/// What the writer of a stream and its reader both keep. Zeros are its start.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Mirror {
    /// Offset in the file of the byte that bits go into.
    pub bit_at: u64,
    /// Bits of it that are used; 0 before the first byte.
    pub bits_used: u32,
    bits: u32,
    last_frame: u64,
    last_address: u64,
    /// Numbers of entries of the far cache.
    near: [u16; 256],
    entered: [Entered; FUNCTIONS],
    loaded: [u64; SLOTS],
}

impl Default for Mirror {
    fn default() -> Self {
        Mirror::START
    }
}

impl Mirror {
    /// At the start of a stream.
    pub const START: Mirror = Mirror {
        bit_at: 0,
        bits_used: 0,
        bits: 0,
        last_frame: 0,
        last_address: 0,
        near: [0; 256],
        entered: [Entered { function: 0, frame: 0, id: 0, unused: 0 }; FUNCTIONS],
        loaded: [0; SLOTS],
    };

    /// The byte that bits go into, as far as it is written.
    pub fn pending(&self) -> u8 {
        self.bits as u8
    }

    /// The place of the next event in `stream`.
    pub fn position(&self, stream: &Stream) -> Position {
        Position { offset: stream.offset(), bits_used: u64::from(self.bits_used) }
    }

    /// Writes a number: seven bits in each byte, the lowest first, the eighth says that more follow.
    #[inline(always)]
    pub fn put_number(tape: &mut impl Tape, mut number: u64) {
        while number >= 0x80 {
            tape.put(number as u8 | 0x80);
            number >>= 7;
        }
        tape.put(number as u8);
    }

    /// Reads a number.
    #[inline]
    pub fn take_number(stream: &mut Stream) -> Result<u64, Unread> {
        let mut number = 0u64;
        let mut shift = 0u32;
        loop {
            let byte = stream.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift).ok_or(Unread::Damaged)?;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift = shift.saturating_add(7);
        }
    }

    /// Writes which of `ways` ways a branch goes.
    #[inline(always)]
    pub fn put_branch(&mut self, tape: &mut impl Tape, outcome: u64, ways: u32) {
        if ways > 2 {
            return Self::put_number(tape, outcome);
        }
        if ways < 2 {
            return;
        }
        if self.bits_used & 7 == 0 {
            self.bit_at = tape.offset();
            self.bits = outcome as u32 & 1;
            self.bits_used = 1;
            return tape.put(self.bits as u8);
        }
        self.bits |= (outcome as u32 & 1) << (self.bits_used & 7);
        self.bits_used = self.bits_used.wrapping_add(1);
        tape.set(self.bit_at, self.bits as u8);
    }

    /// Reads which of `ways` ways a branch goes.
    #[inline]
    pub fn take_branch(&mut self, stream: &mut Stream, ways: u32) -> Result<u64, Unread> {
        if ways > 2 {
            return Self::take_number(stream);
        }
        if ways < 2 {
            return Ok(0);
        }
        if self.bits_used & 7 == 0 {
            let offset = stream.offset();
            self.bits = u32::from(stream.byte()?);
            self.bit_at = offset;
            self.bits_used = 0;
        } else if self.bit_at == stream.bit_at && self.bits_used >= stream.bits_used {
            return Err(Unread::End);
        }
        let bit = self.bits >> (self.bits_used & 7) & 1;
        self.bits_used = self.bits_used.wrapping_add(1);
        Ok(u64::from(bit))
    }

    /// Writes a value that was loaded under `slot`.
    #[inline(always)]
    pub fn put_loaded(&mut self, tape: &mut impl Tape, slot: u32, bits: u64) {
        let last = &mut self.loaded[usize::from(slot as u16)];
        let difference = bits.wrapping_sub(*last);
        *last = bits;
        Self::put_number(tape, zigzag(difference));
    }

    /// Reads a value that was loaded under `slot`.
    #[inline]
    pub fn take_loaded(&mut self, stream: &mut Stream, slot: u32) -> Result<u64, Unread> {
        let difference = unzigzag(Self::take_number(stream)?);
        let last = &mut self.loaded[usize::from(slot as u16)];
        *last = last.wrapping_add(difference);
        Ok(*last)
    }

    /// The entries of the near and the far cache where a function with this id is, if it is in there.
    #[inline(always)]
    const fn places(id: u32) -> (u8, u16) {
        let hash = id.wrapping_mul(0x9e37_79b1);
        (((hash as u64 * TAG_FAR as u64) >> 32) as u8, (hash >> 20) as u16)
    }

    /// Writes that a function is entered.
    #[inline(always)]
    pub fn put_entered(&mut self, tape: &mut impl Tape, Entry { id, function, frame }: Entry) {
        let (near, far) = Self::places(id);
        let known = &mut self.entered[usize::from(far) % FUNCTIONS];
        let number = &mut self.near[usize::from(near)];
        if known.id == id && known.function == function && function != 0 {
            if *number == far {
                tape.put(near);
            } else {
                tape.put(TAG_FAR.wrapping_add((far >> 8) as u8));
                tape.put(far as u8);
            }
            let difference = frame.wrapping_sub(known.frame);
            known.frame = frame;
            Self::put_number(tape, frame_code(difference));
        } else {
            *known = Entered { function, frame, id, unused: 0 };
            tape.put(TAG_NEW);
            for byte in id.to_le_bytes() {
                tape.put(byte);
            }
            Self::put_number(tape, function);
            Self::put_number(tape, frame_code(frame.wrapping_sub(self.last_frame)));
        }
        *number = far;
        self.last_frame = frame;
    }

    fn take_entered(&mut self, stream: &mut Stream, tag: u8) -> Result<Entry, Unread> {
        let entry = if tag == TAG_NEW {
            let mut id = 0u32;
            for byte in stream.take(4)?.iter().rev() {
                id = id << 8 | u32::from(*byte);
            }
            let function = Self::take_number(stream)?;
            let frame = self.last_frame.wrapping_add(frame_difference(Self::take_number(stream)?));
            Entry { id, function, frame }
        } else {
            let far = match tag.checked_sub(TAG_FAR) {
                None => self.near[usize::from(tag)],
                Some(high) => u16::from(high) << 8 | u16::from(stream.byte()?),
            };
            let Entered { function, frame, id, .. } = self.entered[usize::from(far) % FUNCTIONS];
            Entry { id, function, frame: frame.wrapping_add(frame_difference(Self::take_number(stream)?)) }
        };
        let Entry { id, function, frame } = entry;
        let (near, far) = Self::places(id);
        self.near[usize::from(near)] = far;
        self.entered[usize::from(far) % FUNCTIONS] = Entered { function, frame, id, unused: 0 };
        self.last_frame = frame;
        Ok(entry)
    }

    /// Writes that code which is not recorded enters the function whose entry is written next.
    pub fn put_callback(tape: &mut impl Tape) {
        tape.put(TAG_CALLBACK);
    }

    /// Writes that a call of the external function number `external` returned `result`, and wrote `n_ranges` ranges, which
    /// [`Mirror::put_range`] is to be given.
    #[inline]
    pub fn put_done(&mut self, tape: &mut impl Tape, external: u32, result: u64, n_ranges: u64) {
        tape.put(if n_ranges == 0 { TAG_DONE } else { TAG_CHANGED });
        self.put_loaded(tape, result_slot(external), result);
        if n_ranges != 0 {
            Self::put_number(tape, n_ranges);
        }
    }

    /// Writes that `setjmp`, called by the activation with this frame, returned `result`.
    pub fn put_jumped(&mut self, tape: &mut impl Tape, frame: u64, result: u64) {
        tape.put(TAG_JUMPED);
        Self::put_number(tape, frame_code(frame.wrapping_sub(self.last_frame)));
        self.last_frame = frame;
        Self::put_number(tape, result);
    }

    /// Writes that the innermost calls, so many, were left by a jump that ended in code which is not recorded.
    pub fn put_left(tape: &mut impl Tape, n_calls: u64) {
        tape.put(TAG_LEFT);
        Self::put_number(tape, n_calls);
    }

    /// Writes that a module was loaded; `path` is given byte for byte. `n_ranges` ranges follow.
    pub fn put_module(
        tape: &mut impl Tape,
        identity: u64,
        header_address: u64,
        path: impl ExactSizeIterator<Item = u8>,
        n_ranges: u64,
    ) {
        tape.put(TAG_MODULE);
        Self::put_number(tape, identity);
        Self::put_number(tape, header_address);
        Self::put_number(tape, path.len() as u64);
        path.for_each(|byte| tape.put(byte));
        Self::put_number(tape, n_ranges);
    }

    /// Writes that a shared library is in memory; the name of its file is given byte for byte.
    pub fn put_library(tape: &mut impl Tape, address: u64, length: u64, name: impl ExactSizeIterator<Item = u8>) {
        tape.put(TAG_LIBRARY);
        Self::put_number(tape, address);
        Self::put_number(tape, length);
        Self::put_number(tape, name.len() as u64);
        name.for_each(|byte| tape.put(byte));
    }

    /// Writes that `n_ranges` ranges of memory follow.
    pub fn put_memory(tape: &mut impl Tape, n_ranges: u64) {
        tape.put(TAG_MEMORY);
        Self::put_number(tape, n_ranges);
    }

    /// Writes where a range is and how long; its bytes are to follow.
    pub fn put_range(&mut self, tape: &mut impl Tape, address: u64, length: u64) {
        Self::put_number(tape, zigzag(address.wrapping_sub(self.last_address)));
        self.last_address = address;
        Self::put_number(tape, length);
    }

    /// Reads the address of a range and its bytes.
    pub fn take_range<'a>(&mut self, stream: &mut Stream<'a>) -> Result<(u64, &'a [u8]), Unread> {
        let difference = unzigzag(Self::take_number(stream)?);
        self.last_address = self.last_address.wrapping_add(difference);
        let length = Self::take_number(stream)?;
        Ok((self.last_address, stream.take(length)?))
    }

    /// Reads a tag and what belongs to it. `external` is the number of the function whose return is awaited.
    pub fn take_event<'a>(&mut self, stream: &mut Stream<'a>, external: u32) -> Result<Event<'a>, Unread> {
        Ok(match stream.byte()? {
            tag if tag <= TAG_NEW => Event::Entered(self.take_entered(stream, tag)?),
            TAG_CALLBACK => Event::Callback,
            TAG_DONE => Event::Done(self.take_loaded(stream, result_slot(external))?),
            TAG_CHANGED => {
                let result = self.take_loaded(stream, result_slot(external))?;
                Event::Changed(result, Self::take_number(stream)?)
            }
            TAG_JUMPED => {
                self.last_frame = self.last_frame.wrapping_add(frame_difference(Self::take_number(stream)?));
                Event::Jumped(self.last_frame, Self::take_number(stream)?)
            }
            TAG_MODULE => {
                let (identity, header_address) = (Self::take_number(stream)?, Self::take_number(stream)?);
                let length = Self::take_number(stream)?;
                let path = stream.take(length)?;
                Event::Module(identity, header_address, path, Self::take_number(stream)?)
            }
            TAG_MEMORY => Event::Memory(Self::take_number(stream)?),
            TAG_LEFT => Event::Left(Self::take_number(stream)?),
            TAG_LIBRARY => {
                let (address, length) = (Self::take_number(stream)?, Self::take_number(stream)?);
                let n_bytes = Self::take_number(stream)?;
                Event::Library(address, length, stream.take(n_bytes)?)
            }
            _ => return Err(Unread::Damaged),
        })
    }
}

/// Frames are multiples of 16 apart, mostly: the low four bits go on top, where zeros cost nothing.
const fn frame_code(difference: u64) -> u64 {
    zigzag((difference as i64 >> 4) as u64) | difference << 60
}

const fn frame_difference(code: u64) -> u64 {
    unzigzag(code << 4 >> 4) << 4 | code >> 60
}

#[cfg(test)]
mod tests;
