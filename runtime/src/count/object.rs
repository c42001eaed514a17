//! Names of addresses that are the same in each run: which object, and how far into it.
//!
//! An object of the heap is named after the place that made it and how many were made there before; of the stack by the
//! distance from the environment; of a module by its place in it. Objects of the heap are found by a skip list (Pugh
//! 1990) over their addresses in private memory. Nobody tells when an object is freed: it keeps its name until another one takes its place.

use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use suspect_format::trial::TRIAL_ADDRESS;

use crate::os::{symbols, sys};
use crate::process::{self, Process, STACK_BYTES};

/// Where the table of places and the skip list are.
const OBJECTS_ADDRESS: usize = TRIAL_ADDRESS - (2 << 40);
/// Places that can be told apart; a power of two.
const PLACES: usize = 1 << 13;
/// Bytes of a place: its name, and how many objects it made.
const PLACE_BYTES: usize = 16;
/// The memory grows by this much, at least the table of places at first.
const STEP: usize = 1 << 18;
const _: () = assert!(STEP > PLACES * PLACE_BYTES);
/// Levels of the skip list: enough for 4^12 objects.
const LEVELS: usize = 12;
/// Words of an object's entry before its links.
const HEAD_WORDS: usize = 3;
/// Tries to get the lock; a signal's handler may have interrupted its owner for good.
const MAX_SPINS: u32 = 20_000;
/// What can lie above the environment's array: its texts, and the arguments'.
const ABOVE_BYTES: usize = 8 << 20;

const STACK: u64 = 0x7374_6163_6b00_0001;
const UNKNOWN: u64 = 0x756e_6b6e_6f77_6e01;
const ENVIRONMENT: u64 = 0x656e_7669_726f_6e01;

/// The objects of a process, but for what is at [`OBJECTS_ADDRESS`]. All but the lock is used under the lock.
#[repr(C)]
pub struct Objects {
    lock: AtomicU32,
    /// First object on each level.
    heads: [AtomicU32; LEVELS],
    /// First free entry with so many levels.
    free: [AtomicU32; LEVELS],
    /// Bytes mapped, and used.
    mapped: AtomicUsize,
    used: AtomicUsize,
    /// Entries made: decides their heights.
    made: AtomicU64,
}

/// The canonical name of `address`, 0 for null.
pub fn name(address: usize) -> u64 {
    const FIRST_PAGES: usize = 1 << 16;
    if !(FIRST_PAGES..usize::MAX - FIRST_PAGES).contains(&address) {
        // Null, and numbers that stand for no address.
        return address as u64;
    }
    let Some(process) = process::entered() else { return UNKNOWN };
    match process.environment.load(Ordering::Relaxed) {
        0 => {}
        top if address < top && address >= top.wrapping_sub(STACK_BYTES) => {
            return mix(STACK, top.wrapping_sub(address) as u64);
        }
        top if address >= top && address < top.wrapping_add(ABOVE_BYTES) => return ENVIRONMENT,
        _ => {}
    }
    if let Some((module, offset)) = process.module_of(address) {
        return mix(module, offset);
    }
    match process.objects.locked(|list| list.find(address)) {
        Some(Some(found)) => mix(found.name, address.wrapping_sub(found.base) as u64),
        _ => UNKNOWN,
    }
}

/// Bytes from `address` to the end of the object of the heap that it lies in; 0 when none is known.
pub fn room(address: usize) -> usize {
    let Some(process) = process::entered() else { return 0 };
    match process.objects.locked(|list| list.find(address)) {
        Some(Some(found)) => found.base.wrapping_add(found.size).wrapping_sub(address),
        _ => 0,
    }
}

/// The C library made an object at `address` when it was called from `place`.
pub fn made(address: usize, place: usize) {
    let Some(process) = process::entered() else { return };
    if address == 0 {
        return;
    }
    let size = symbols::usable_size(address).max(1);
    let place = match process.module_of(place) {
        Some((module, offset)) => mix(module, offset),
        None => UNKNOWN,
    };
    process.objects.locked(|list| list.add(address, size, place));
}

/// A child of a fork has one thread, which does not hold the lock.
pub fn forked(process: &Process) {
    process.objects.lock.store(0, Ordering::Release);
}

/// A hash of two numbers that are both known to vary little.
fn mix(one: u64, other: u64) -> u64 {
    let first = (one ^ other.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let second = (first ^ first >> 32).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    second ^ second >> 29
}

impl Objects {
    /// Does `work` while nobody else does; `None` when the lock cannot be had.
    fn locked<T>(&self, work: impl FnOnce(&List) -> T) -> Option<T> {
        let mut spins = 0u32;
        while self.lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            spins = spins.wrapping_add(1);
            if spins > MAX_SPINS {
                return None;
            }
            core::hint::spin_loop();
        }
        let answer = work(&List(self));
        self.lock.store(0, Ordering::Release);
        Some(answer)
    }
}

/// An object of the heap.
struct Found {
    base: usize,
    size: usize,
    name: u64,
}

/// The list while its lock is held. Entries are known by their position in the memory, in words of 8 bytes; 0 is none.
struct List<'a>(&'a Objects);

impl List<'_> {
    /// The object that `address` lies in or just behind.
    fn find(&self, address: usize) -> Option<Found> {
        let mut before = [0; LEVELS];
        let entry = self.last_below(address.wrapping_add(1), &mut before);
        if entry == 0 {
            return None;
        }
        let found = Found { base: self.base(entry), size: self.size(entry), name: self.word(entry, 2) };
        (address.wrapping_sub(found.base) <= found.size).then_some(found)
    }

    fn add(&self, base: usize, size: usize, place: u64) {
        if self.0.mapped.load(Ordering::Relaxed) == 0 && !self.grow() {
            return;
        }
        let name = mix(place, self.next_of_place(place));
        let mut before = [0; LEVELS];
        let previous = self.last_below(base, &mut before);
        if previous != 0 && self.base(previous).wrapping_add(self.size(previous)) > base {
            // Freed, and its memory is another object's now.
            let start = self.base(previous);
            self.last_below(start, &mut before);
            self.remove(previous, &before);
            self.last_below(base, &mut before);
        }
        loop {
            let next = self.after(&before, 0);
            if next == 0 || self.base(next) >= base.wrapping_add(size) {
                break;
            }
            self.remove(next, &before);
        }
        let levels = self.height();
        let Some(entry) = self.allocate(levels) else { return };
        self.set_word(entry, 0, base as u64);
        // The size in the low 56 bits, the levels above: an entry is as long as its levels say.
        self.set_word(entry, 1, size as u64 & SIZE_MASK | (levels as u64) << 56);
        self.set_word(entry, 2, name);
        let mut level = 0;
        while level < levels {
            self.set_link(entry, level, self.after(&before, level));
            self.set_after(&before, level, entry);
            level = level.wrapping_add(1);
        }
    }

    /// The last entry that begins below `address`, 0 for none; and the last such on each level.
    fn last_below(&self, address: usize, before: &mut [u32; LEVELS]) -> u32 {
        let mut here = 0u32;
        let mut level = LEVELS;
        for place in before.iter_mut().rev() {
            level = level.wrapping_sub(1);
            loop {
                let next = self.link_or_head(here, level);
                if next == 0 || self.base(next) >= address {
                    break;
                }
                here = next;
            }
            *place = here;
        }
        here
    }

    /// Takes out `entry`, which follows `before` on each of its levels.
    fn remove(&self, entry: u32, before: &[u32; LEVELS]) {
        let levels = self.levels(entry);
        let mut level = 0;
        while level < levels {
            self.set_after(before, level, self.link(entry, level));
            level = level.wrapping_add(1);
        }
        if let Some(free) = self.0.free.get(levels.wrapping_sub(1)) {
            self.set_word(entry, 0, u64::from(free.load(Ordering::Relaxed)));
            free.store(entry, Ordering::Relaxed);
        }
    }

    fn allocate(&self, levels: usize) -> Option<u32> {
        let free = self.0.free.get(levels.wrapping_sub(1))?;
        let reused = free.load(Ordering::Relaxed);
        if reused != 0 {
            free.store(self.word(reused, 0) as u32, Ordering::Relaxed);
            return Some(reused);
        }
        let used = self.0.used.load(Ordering::Relaxed);
        let end = used.wrapping_add(HEAD_WORDS.wrapping_add(levels.div_ceil(2)).wrapping_mul(8));
        if end > self.0.mapped.load(Ordering::Relaxed) && !self.grow() {
            return None;
        }
        self.0.used.store(end, Ordering::Relaxed);
        u32::try_from(used / 8).ok()
    }

    fn grow(&self) -> bool {
        let mapped = self.0.mapped.load(Ordering::Relaxed);
        let done = sys::map_zeros_at(OBJECTS_ADDRESS.wrapping_add(mapped), STEP).is_ok();
        if done {
            self.0.mapped.store(mapped.wrapping_add(STEP), Ordering::Relaxed);
            if mapped == 0 {
                self.0.used.store(PLACES.wrapping_mul(PLACE_BYTES), Ordering::Relaxed);
            }
        }
        done
    }

    /// How many objects `place` made before this one. Places beyond [`PLACES`] share a count.
    fn next_of_place(&self, place: u64) -> u64 {
        let key = place | 1;
        let mut slot = (place >> 7) as usize;
        let mut tries = 0;
        while tries < PLACES {
            let address = OBJECTS_ADDRESS.wrapping_add((slot & (PLACES - 1)).wrapping_mul(PLACE_BYTES));
            let (name, count) = (address as *mut u64, address.wrapping_add(8) as *mut u64);
            // SAFETY: the slot lies in the table, which is mapped; the lock is held.
            unsafe {
                if *name == 0 {
                    *name = key;
                }
                if *name == key || tries == PLACES - 1 {
                    let before = *count;
                    *count = before.wrapping_add(1);
                    return before;
                }
            }
            slot = slot.wrapping_add(1);
            tries = tries.wrapping_add(1);
        }
        0
    }

    /// One level, and another one with probability 1/4 each: by a hash of how many were made, the same in each run.
    fn height(&self) -> usize {
        let made = self.0.made.load(Ordering::Relaxed);
        self.0.made.store(made.wrapping_add(1), Ordering::Relaxed);
        let zeros = mix(STACK, made).trailing_zeros() as usize;
        (zeros / 2).wrapping_add(1).min(LEVELS)
    }

    fn after(&self, before: &[u32; LEVELS], level: usize) -> u32 {
        before.get(level).map_or(0, |entry| self.link_or_head(*entry, level))
    }

    fn set_after(&self, before: &[u32; LEVELS], level: usize, next: u32) {
        match (before.get(level), self.0.heads.get(level)) {
            (Some(0), Some(head)) => head.store(next, Ordering::Relaxed),
            (Some(entry), _) => self.set_link(*entry, level, next),
            _ => {}
        }
    }

    fn link_or_head(&self, entry: u32, level: usize) -> u32 {
        match self.0.heads.get(level) {
            Some(head) if entry == 0 => head.load(Ordering::Relaxed),
            _ => self.link(entry, level),
        }
    }

    fn base(&self, entry: u32) -> usize {
        self.word(entry, 0) as usize
    }

    fn size(&self, entry: u32) -> usize {
        (self.word(entry, 1) & SIZE_MASK) as usize
    }

    fn levels(&self, entry: u32) -> usize {
        (self.word(entry, 1) >> 56) as usize
    }

    fn word(&self, entry: u32, index: usize) -> u64 {
        // SAFETY: entries lie in the memory mapped so far, and have this many words.
        unsafe { *word_address(entry, index) }
    }

    fn set_word(&self, entry: u32, index: usize, value: u64) {
        // SAFETY: as in `word`; the lock is held.
        unsafe { *word_address(entry, index) = value }
    }

    fn link(&self, entry: u32, level: usize) -> u32 {
        // SAFETY: an entry has a link for each of its levels, and is found on no other.
        unsafe { *word_address(entry, HEAD_WORDS).cast::<u32>().wrapping_add(level) }
    }

    fn set_link(&self, entry: u32, level: usize, next: u32) {
        // SAFETY: as in `link`; the lock is held.
        unsafe { *word_address(entry, HEAD_WORDS).cast::<u32>().wrapping_add(level) = next }
    }
}

const SIZE_MASK: u64 = u64::MAX >> 8;

fn word_address(entry: u32, index: usize) -> *mut u64 {
    (OBJECTS_ADDRESS as *mut u64).wrapping_add(entry as usize).wrapping_add(index)
}
