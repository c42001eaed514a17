//! The mirror: what the writer of a stream and its reader both keep, with the arithmetic of both.

use super::{
    Position, SLOTS, Stream, TAG_CALLBACK, TAG_CHANGED, TAG_DONE, TAG_FAR, TAG_JUMPED, TAG_LEFT, TAG_LIBRARY,
    TAG_MEMORY, TAG_MODULE, TAG_NEW, Tape, Unread, result_slot, unzigzag, zigzag,
};

/// Entries of the far cache of functions.
const FUNCTIONS: usize = (TAG_NEW - TAG_FAR) as usize * 256;

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
