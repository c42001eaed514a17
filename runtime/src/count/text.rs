//! Strings of the program, read without ever faulting.

use core::sync::atomic::{AtomicUsize, Ordering};

use suspect_format::abi::PAGE;
use suspect_format::trace::HASH_START;
use suspect_format::trial::{TEXT_SEEN, TEXT_UNREADABLE, text_step, text_value};

use crate::os::module::Module;
use crate::os::{symbols, sys};
use crate::process;
use crate::trial::trampoline;

const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
const PAGE_MASK: usize = PAGE - 1;

/// How the string at `address` is seen: [`text_value`].
pub fn value(address: usize) -> u64 {
    if address == 0 {
        return 0;
    }
    let mut reader = Reader::at(address);
    let mut hash = HASH_START;
    let mut length = 0usize;
    while length < TEXT_SEEN {
        let Some((characters, taken)) = reader.next() else { return TEXT_UNREADABLE };
        hash = text_step(hash, characters);
        length = length.wrapping_add(taken);
        if taken < 8 {
            break;
        }
    }
    text_value(length as u64, hash ^ hash >> 31)
}

/// Whether the string at `address` is `length` bytes at `characters` and a zero.
///
/// # Safety
/// `characters` is good for `length` bytes.
pub unsafe fn is(address: usize, characters: *const u8, length: usize) -> bool {
    if address == 0 {
        return false;
    }
    let mut reader = Reader::at(address);
    let mut done = 0usize;
    loop {
        let Some((word, taken)) = reader.next() else { return false };
        for byte in word.to_le_bytes().iter().take(taken) {
            // SAFETY: `done` is less than `length`.
            if done >= length || unsafe { *characters.add(done) } != *byte {
                return false;
            }
            done = done.wrapping_add(1);
        }
        if taken < 8 {
            return done == length;
        }
    }
}

/// Reads a string eight characters at a time.
struct Reader {
    at: usize,
    /// End of the page that is known to be readable.
    readable_to: usize,
    /// Whether the kernel reads, because Valgrind counts reading beyond an object as an error of the program.
    is_copied: bool,
}

impl Reader {
    fn at(address: usize) -> Reader {
        Reader { at: address, readable_to: 0, is_copied: sys::is_in_valgrind() }
    }

    /// The next characters, zeros from the string's end on, and how many there are: less than eight at its end. `None` where
    /// nothing can be read.
    #[inline]
    fn next(&mut self) -> Option<(u64, usize)> {
        if self.is_copied || self.at & PAGE_MASK > PAGE - 8 {
            return self.next_of_bytes();
        }
        self.open(self.at)?;
        // SAFETY: the eight bytes lie in a page that can be read.
        let word = unsafe { (self.at as *const u64).read_unaligned() };
        self.at = self.at.wrapping_add(8);
        match word.wrapping_sub(LOW_BITS) & !word & HIGH_BITS {
            0 => Some((word, 8)),
            zeros => {
                let taken = zeros.trailing_zeros() / 8;
                Some((word & !(u64::MAX << (taken * 8)), taken as usize))
            }
        }
    }

    #[cold]
    fn next_of_bytes(&mut self) -> Option<(u64, usize)> {
        let mut word = 0u64;
        let mut taken = 0usize;
        while taken < 8 {
            let byte = self.byte()?;
            if byte == 0 {
                break;
            }
            word |= u64::from(byte) << (taken.wrapping_mul(8) & 63);
            taken = taken.wrapping_add(1);
            self.at = self.at.wrapping_add(1);
        }
        Some((word, taken))
    }

    /// The byte where it is.
    fn byte(&mut self) -> Option<u8> {
        if self.is_copied {
            let mut byte = [0];
            return (self.at >= PAGE && sys::copy_of(self.at, &mut byte) == 1).then_some(byte[0]);
        }
        self.open(self.at)?;
        // SAFETY: the byte lies in a page that can be read.
        Some(unsafe { *(self.at as *const u8) })
    }

    /// Makes sure that the page of `address` can be read.
    fn open(&mut self, address: usize) -> Option<()> {
        if address < self.readable_to {
            return Some(());
        }
        if !may_be_read(address) {
            return None;
        }
        self.readable_to = (address & !PAGE_MASK).wrapping_add(PAGE);
        Some(())
    }
}

/// Whether the page of `address` can be read: the first thread's stack, this module and the heap without asking, the rest by the kernel's word.
fn may_be_read(address: usize) -> bool {
    let in_trial = || process::entered().is_some_and(|process| process.role.load(Ordering::Relaxed) != 0);
    let by_kernel = || if in_trial() { trampoline::is_readable(address) } else { sys::is_readable(address) };
    on_stack(address) || in_module(address) || in_heap(address) || by_kernel()
}

fn in_module(address: usize) -> bool {
    static FIRST: AtomicUsize = AtomicUsize::new(0);
    static END: AtomicUsize = AtomicUsize::new(0);
    if END.load(Ordering::Acquire) == 0 {
        let (first, end) = Module::readable();
        FIRST.store(first, Ordering::Relaxed);
        END.store(end.max(1), Ordering::Release);
    }
    address >= FIRST.load(Ordering::Relaxed) && address < END.load(Ordering::Acquire)
}

/// Whether `address` is in what the C library has of the kernel by `sbrk` now: it says itself where that ends, also when it gives a part back.
fn in_heap(address: usize) -> bool {
    let (Some(process), end) = (process::entered(), symbols::heap_end()) else { return false };
    let start = process.heap.load(Ordering::Relaxed);
    // SAFETY: the C library's variable, which is there as long as that is.
    start != 0 && address >= start && !end.is_null() && address < unsafe { end.read_volatile() }
}

fn on_stack(address: usize) -> bool {
    let here = 0u8;
    let frame = (&raw const here) as usize;
    let Some(process) = process::entered() else { return false };
    let (top, end) = (process.environment.load(Ordering::Relaxed), process.stack_end.load(Ordering::Relaxed));
    address >= frame
        && (address < top || address < end)
        && frame < top
        && top.wrapping_sub(frame) < process::STACK_BYTES
}

#[cfg(test)]
mod tests {
    use super::value;
    use suspect_format::trial::{TEXT_SEEN, text_of};

    #[test]
    fn strings_are_seen_as_their_characters_say() {
        let mut characters = [0u8; TEXT_SEEN + 20];
        for length in 0..TEXT_SEEN + 19 {
            characters.iter_mut().zip(0..length).for_each(|(to, at)| *to = b'a' + (at % 26) as u8);
            assert_eq!(value(characters.as_ptr() as usize), text_of(&characters[..length]), "{length}");
        }
        assert_ne!(text_of(b"ab"), text_of(b"ba"));
    }
}
