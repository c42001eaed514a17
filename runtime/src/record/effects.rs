//! What calls of code that is not recorded did to memory.
//!
//! Functions of the C library have models; for others, what their arguments point to is compared with what it was before. What neither shows is
//! seen when the program loads it.

use core::mem::MaybeUninit;

use suspect_format::abi::PAGE;
use suspect_format::conversion::{Scanned, Scans};
use suspect_format::external::{
    Base, COMPARED, Effect, Extent, External, INDIRECT, MOST_CHANGED, Role, UNKNOWN, external,
};
use suspect_format::record::STATUS_THREADS;

use crate::os::{memory, sys};
use crate::record::open_calls::OpenCall;
use crate::record::recording::Recording;

/// Ranges that one call can have; what is beyond is taken together with the last.
const MOST_RANGES: usize = 64;
/// Arguments that are looked at.
const MOST_ARGUMENTS: usize = 16;
/// Changes closer than this are one range.
const GAP: u64 = 4;
/// Numbers below are no addresses, nor are those from here on.
const FIRST_ADDRESS: u64 = 1 << 16;
const LAST_ADDRESS: u64 = 1 << 47;

fn is_address(word: u64) -> bool {
    (FIRST_ADDRESS..LAST_ADDRESS).contains(&word)
}

/// Memory that was written: address, bytes.
pub struct Ranges {
    ranges: [MaybeUninit<(u64, u64)>; MOST_RANGES],
    count: usize,
    left: u64,
}

impl Ranges {
    /// None.
    pub const fn new() -> Ranges {
        Ranges { ranges: [const { MaybeUninit::uninit() }; MOST_RANGES], count: 0, left: MOST_CHANGED }
    }

    /// The ranges.
    pub fn all(&self) -> impl ExactSizeIterator<Item = (u64, u64)> {
        let ranges = self.ranges.get(..self.count).unwrap_or(&[]);
        // SAFETY: `add` has written so many.
        ranges.iter().map(|range| unsafe { range.assume_init() })
    }

    /// Adds `length` bytes at `address`, as far as they can be read and there is room.
    pub fn add(&mut self, address: u64, length: u64) {
        // A function that is not the C library's may have its name, and be given numbers.
        let length = if is_address(address) { readable(address, length.min(self.left)) } else { 0 };
        if length == 0 {
            return;
        }
        if let Some(free) = self.ranges.get_mut(self.count) {
            free.write((address, length));
            self.count = self.count.wrapping_add(1);
            self.left = self.left.wrapping_sub(length);
        }
    }
}

/// How many of the `length` bytes at `address` can be read. The first page is only looked at if there is another one.
fn readable(address: u64, length: u64) -> u64 {
    let end = address.saturating_add(length);
    let mut page = (address | (PAGE as u64 - 1)).saturating_add(1);
    if page >= end {
        return length;
    }
    if !sys::is_readable(address as usize) {
        return 0;
    }
    while page < end {
        if !sys::is_readable(page as usize) {
            return page.wrapping_sub(address);
        }
        page = page.saturating_add(PAGE as u64);
    }
    length
}

/// The argument words of a call.
///
/// # Safety
/// The call's words are where it says.
unsafe fn arguments<'a>(call: &OpenCall) -> &'a [u64] {
    // SAFETY: vouched for by the caller; the frame is the program's, which does not run.
    unsafe { core::slice::from_raw_parts(call.arguments as *const u64, call.count as usize) }
}

/// Units of `unit` bytes up to a zero, at most `most`.
fn length(address: u64, unit: u64, most: u64) -> u64 {
    let mut count = 0u64;
    // SAFETY: the C library has just found the zero, or read so many units.
    unsafe {
        while count < most {
            let at = address.wrapping_add(count.wrapping_mul(unit));
            let is_zero = match unit {
                4 => (at as *const u32).read_unaligned() == 0,
                _ => *(at as *const u8) == 0,
            };
            if is_zero {
                break;
            }
            count = count.wrapping_add(1);
        }
    }
    count
}

/// A call begins, the innermost open one: notes what its return has to be compared with.
///
/// # Safety
/// In the hook of the call.
pub unsafe fn begin(recording: &mut Recording) {
    let Some(call) = recording.calls.top().copied() else { return };
    // SAFETY: vouched for by the caller.
    let words = unsafe { arguments(&call) };
    match external(call.external) {
        None if !recording.is_known(call.callee) => take_snapshots(recording, words),
        Some(External { role: Role::Handles, effects, .. }) => {
            let handler = words.get(1).copied().unwrap_or(0);
            // `signal` takes a function, `sigaction` a record that begins with one.
            let handler = match effects.is_empty() || handler == 0 {
                true => handler,
                // SAFETY: the C library is about to read it.
                false => unsafe { *(handler as *const u64) },
            };
            recording.handles(handler);
        }
        Some(External { role: Role::Threads, .. }) => recording.stop(STATUS_THREADS),
        _ => {}
    }
}

fn take_snapshots(recording: &mut Recording, words: &[u64]) {
    let words = words.get(..MOST_ARGUMENTS).unwrap_or(words);
    for (number, word) in words.iter().enumerate() {
        let seen = words.get(..number).unwrap_or(&[]);
        if !is_address(*word) || seen.contains(word) || !sys::is_readable(*word as usize) {
            continue;
        }
        // What another argument points to is looked at once.
        let next = words.iter().filter(|other| *other > word).min().copied().unwrap_or(u64::MAX);
        let length = readable(*word, COMPARED.min(next.wrapping_sub(*word))) as usize;
        if let Some(to) = recording.calls.snapshot(*word, length) {
            // SAFETY: the bytes can be read, and there is room for as many.
            unsafe { memory::copy(*word as *const u8, to, length) };
        }
    }
}

/// Finds what the innermost open call has written, now that it returned `result`.
///
/// # Safety
/// In the hook of its return.
pub unsafe fn find(ranges: &mut Ranges, recording: &mut Recording, result: u64, errno: Option<(u64, i32)>) {
    let Some(call) = recording.calls.top().copied() else { return };
    match call.external {
        UNKNOWN | INDIRECT => recording.calls.snapshots(|address, length, kept| changed(ranges, address, length, kept)),
        // SAFETY: vouched for by the caller.
        number => unsafe { modelled(ranges, number, arguments(&call), result) },
    }
    if let Some((address, value)) = errno
        && value != call.errno
    {
        ranges.add(address, 4);
    }
}

/// # Safety
/// The function of this number was called with these arguments and returned.
unsafe fn modelled(ranges: &mut Ranges, number: u32, words: &[u64], result: u64) {
    let Some(External { effects, role, .. }) = external(number) else { return };
    for effect in *effects {
        if let Effect::Scans(format, first) = effect {
            // SAFETY: vouched for by the caller.
            unsafe { scanned(ranges, words, *format, *first, result) };
        }
        let Some((base, extent)) = effect.recorded() else { continue };
        let word = |argument: u8| words.get(usize::from(argument)).copied().unwrap_or(0);
        let address = match base {
            Base::Argument(argument) => word(argument),
            Base::Result => result,
            Base::Pointee(argument) => match word(argument) {
                // SAFETY: the C library has just written it.
                address if is_address(address) => unsafe { (address as *const u64).read_unaligned() },
                _ => 0,
            },
        };
        let has_failed = *role == Role::Input && result as u32 == u32::MAX && matches!(extent, Extent::Bytes(_));
        if is_address(address) && !has_failed {
            ranges.add(address, extent.bytes(address, words, result, length));
        }
    }
}

/// What a function of the `scanf` family has written, which converted `result` of its format.
///
/// # Safety
/// As [`modelled`].
unsafe fn scanned(ranges: &mut Ranges, words: &[u64], format: u8, first: u8, result: u64) {
    let Some(format) = words.get(usize::from(format)) else { return };
    // SAFETY: the C library has just read it.
    let text = unsafe { core::slice::from_raw_parts(*format as *const u8, length(*format, 1, MOST_CHANGED) as usize) };
    let mut left = (result as i32).max(0);
    let targets = words.get(usize::from(first)..).unwrap_or(&[]);
    for (conversion, address) in Scans::new(text).zip(targets) {
        match conversion {
            Scanned::Taken(bytes) => ranges.add(*address, u64::from(bytes)),
            _ if left == 0 => break,
            Scanned::Bytes(bytes) => ranges.add(*address, bytes),
            Scanned::Text => ranges.add(*address, length(*address, 1, MOST_CHANGED).saturating_add(1)),
        }
        if !matches!(conversion, Scanned::Taken(_)) {
            left = left.wrapping_sub(1);
        }
    }
}

/// Finds what differs from the `size` bytes that were kept of those at `address`.
fn changed(ranges: &mut Ranges, address: u64, size: usize, kept: *const u8) {
    let size = match sys::is_readable(address as usize) {
        true => readable(address, size as u64),
        false => 0,
    };
    let mut open: Option<(u64, u64)> = None;
    let mut at = 0u64;
    while at < size {
        // SAFETY: both can be read so far.
        let (is_same, step) = unsafe {
            let (now, before) = (address.wrapping_add(at) as *const u8, kept.wrapping_add(at as usize));
            match size.wrapping_sub(at) >= 8
                && now.cast::<u64>().read_unaligned() == before.cast::<u64>().read_unaligned()
            {
                true => (true, 8),
                false => (*now == *before, 1),
            }
        };
        if !is_same {
            open = match open {
                Some((from, to)) if at.wrapping_sub(to) <= GAP || ranges.count.wrapping_add(1) >= MOST_RANGES => {
                    Some((from, at.wrapping_add(1)))
                }
                Some((from, to)) => {
                    ranges.add(address.wrapping_add(from), to.wrapping_sub(from));
                    Some((at, at.wrapping_add(1)))
                }
                None => Some((at, at.wrapping_add(1))),
            };
        }
        at = at.wrapping_add(step);
    }
    if let Some((from, to)) = open {
        ranges.add(address.wrapping_add(from), to.wrapping_sub(from));
    }
}
