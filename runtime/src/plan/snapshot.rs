//! The memory of a plan: which of it is kept before something else has it, and how it is put back.
//!
//! To copy some hundred kilobytes twice takes less than to make a second address space and to take it down. What the kernel keeps beside the
//! bytes of an address space (which pages are mapped, where the heap ends) may change in ways that can be undone: [`Snapshot::change`].

use core::sync::atomic::Ordering;

use suspect_format::abi::PAGE;
use suspect_format::trial::Refusal;

use crate::os::mapping::Mapping;
use crate::os::memory;
use crate::os::module::page_up;
use crate::os::sys::{self, Errno};
use crate::plan::scratch_mapping::{COPIES, MOST_KEPT};
use crate::process::{STACK_BYTES, shared};
use crate::trial::file::give_up;
use crate::trial::trampoline::{self, call};

const READ: usize = 0;
const CLOSE: usize = 3;
const MMAP: usize = 9;
const MPROTECT: usize = 10;
const MUNMAP: usize = 11;
const BRK: usize = 12;
const PREAD: usize = 17;
const MREMAP: usize = 25;
const MADVISE: usize = 28;
const OPENAT: usize = 257;

const AT_FDCWD: usize = -100isize as usize;
const DONT_NEED: usize = 4;
/// `MAP_FIXED`, `MAP_GROWSDOWN`: what may take the place of something or becomes larger. `MAP_FIXED_NOREPLACE` does neither.
const PLACED: usize = 0x10 | 0x100;

/// Pages of one mapping that are looked at, at most.
const MOST_PAGES: usize = 1 << 14;
const MOST_PARTS: usize = 2048;
/// So many pages side by side that have not been written are sooner copied than forgotten.
const FEW_PAGES: usize = 4;
/// What may be mapped meanwhile.
const MOST_MAPPED: usize = 16;

/// Where the text of `maps` is read to, and the bits of pages, while there are no copies.
const TEXT: core::ops::Range<usize> = COPIES..COPIES + MOST_KEPT / 2;
const BITS: usize = TEXT.end;
const _: () = assert!(MOST_PAGES * 8 <= MOST_KEPT / 2);

/// Successive pages of writable private memory.
#[derive(Clone, Copy)]
#[repr(C)]
struct Part {
    start: usize,
    end: usize,
    /// Whether they have been written; else they are what they are without anybody's writing.
    is_kept: bool,
}

/// What is known of a plan's memory. All zeros at first.
#[repr(C)]
pub struct Snapshot {
    /// Whether the rest of this is true of the memory as it is.
    is_ready: bool,
    n_parts: usize,
    parts: [Part; MOST_PARTS],
    n_kept: usize,
    /// Where the heap ends.
    heap_end: usize,
    /// Where the mapping of the first thread's stack begins and ends.
    stack: [usize; 2],
    /// The pages that are kept of the stack on which hooks run.
    frames: [usize; 2],
    /// What is mapped is being changed.
    is_mapping: bool,
    n_mapped: usize,
    /// What was mapped since the copies were made: address and bytes.
    mapped: [[usize; 2]; MOST_MAPPED],
}

impl Snapshot {
    /// Finds out which memory there is to keep: whether it can be kept.
    ///
    /// # Safety
    /// In a hook of a plan. Until this memory has been put back for the last time, nothing is written to pages that have not been written before.
    pub unsafe fn look(&mut self) -> bool {
        write_below();
        // SAFETY: vouched for by the caller.
        self.is_ready = unsafe { self.look_at_all() }.is_some();
        self.is_ready
    }

    /// Whether the frames that are there now are kept, and some below.
    pub fn has_frames(&self) -> bool {
        let here = 0u8;
        let here = &raw const here as usize;
        let [low, high] = self.frames;
        self.is_ready && here < high && here.wrapping_sub(PAGE) >= low
    }

    /// Copies what is kept.
    ///
    /// # Safety
    /// [`Snapshot::is_ready`].
    pub unsafe fn copy(&mut self) {
        (self.is_mapping, self.n_mapped) = (false, 0);
        // SAFETY: parts are memory that can be read, the copies are the scratch mapping's.
        self.each_kept(|start, copy, length| unsafe { memory::copy(start as *const u8, copy as *mut u8, length) });
    }

    /// Makes the memory what it was. Where that fails nothing that this process did could be believed any more.
    ///
    /// # Safety
    /// [`Snapshot::copy`] was called; nobody uses what is not kept, and this runs on a stack of its own.
    pub unsafe fn put_back(&mut self) {
        // SAFETY: nobody but what has ended knew what it mapped; parts are the plan's memory.
        unsafe {
            if self.is_mapping {
                give_up(Refusal::Kernel, 0);
            }
            for [address, length] in self.mapped.iter().take(self.n_mapped) {
                if call(MUNMAP, [*address, *length, 0, 0, 0]).is_err() {
                    give_up(Refusal::Kernel, 0);
                }
            }
            if call(BRK, [0; 5]) != Ok(self.heap_end) && call(BRK, [self.heap_end, 0, 0, 0, 0]) != Ok(self.heap_end) {
                give_up(Refusal::Kernel, 0);
            }
            for part in self.parts.iter().take(self.n_parts).filter(|part| !part.is_kept) {
                forget(part.start, part.end);
            }
            let [start, end] = self.stack;
            forget(grown(end), start);
            self.each_kept(|start, copy, length| memory::copy(copy as *const u8, start as *mut u8, length));
        }
    }

    /// Makes a system call that changes what is mapped, if that can be undone; `None` if it cannot.
    ///
    /// # Safety
    /// The call is the program's own; it is one of those that [`changes`].
    pub unsafe fn change(&mut self, number: usize, arguments: [usize; 6]) -> Option<Result<usize, Errno>> {
        let [first, second, _, flags, ..] = arguments;
        // SAFETY: vouched for by the caller.
        unsafe {
            match number {
                BRK => Some(trampoline::pass(number, arguments)),
                MMAP if flags & PLACED == 0 && self.n_mapped < MOST_MAPPED => {
                    self.is_mapping = true;
                    let answer = trampoline::pass(number, arguments);
                    if let (Ok(address), Some(free)) = (answer, self.mapped.get_mut(self.n_mapped)) {
                        *free = [address, page_up(second)];
                        self.n_mapped = self.n_mapped.wrapping_add(1);
                    }
                    self.is_mapping = false;
                    Some(answer)
                }
                MUNMAP => {
                    let mut mapped = self.mapped.iter().take(self.n_mapped);
                    let at = mapped.position(|one| *one == [first, page_up(second)])?;
                    self.is_mapping = true;
                    let answer = trampoline::pass(number, arguments);
                    if answer.is_ok() {
                        self.n_mapped = self.n_mapped.wrapping_sub(1);
                        let last = self.mapped.get(self.n_mapped).copied();
                        if let (Some(gone), Some(last)) = (self.mapped.get_mut(at), last) {
                            *gone = last;
                        }
                    }
                    self.is_mapping = false;
                    Some(answer)
                }
                _ => None,
            }
        }
    }

    /// `None` where there is too much, or what cannot be put back.
    unsafe fn look_at_all(&mut self) -> Option<()> {
        let here = 0u8;
        let here = &raw const here as usize;
        (self.n_parts, self.n_kept, self.stack, self.frames) = (0, 0, [0; 2], [0; 2]);
        // SAFETY: the texts are C strings; both areas are the scratch mapping's.
        unsafe {
            self.heap_end = call(BRK, [0; 5]).ok()?;
            let text = read_whole(c"/proc/self/maps".as_ptr().cast())?;
            let bits = Opened::new(c"/proc/self/pagemap".as_ptr().cast())?;
            let environment = shared().environment.load(Ordering::Relaxed);
            let mut below = 0;
            for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let mapping = Mapping::of(line)?;
                if (mapping.start..mapping.end).contains(&environment) {
                    self.stack = [mapping.start, mapping.end];
                    if below > grown(mapping.end) {
                        return None;
                    }
                }
                below = mapping.end;
                if mapping.is_private {
                    self.add(&mapping, &bits)?;
                }
            }
        }
        let parts = self.parts.get(..self.n_parts)?;
        let own = parts.iter().find(|part| part.is_kept && (part.start..part.end).contains(&here))?;
        self.frames = [own.start, own.end];
        (self.stack != [0; 2]).then_some(())
    }

    /// Notes which pages of a mapping have been written.
    unsafe fn add(&mut self, mapping: &Mapping, bits: &Opened) -> Option<()> {
        let n_pages = mapping.end.wrapping_sub(mapping.start) / PAGE;
        if n_pages > MOST_PAGES {
            return None;
        }
        // SAFETY: there is room for the bits of so many pages, which are read whole.
        let pages = unsafe {
            let length = n_pages.wrapping_mul(8);
            let offset = mapping.start / PAGE * 8;
            if call(PREAD, [bits.0, BITS, length, offset, 0]) != Ok(length) {
                return None;
            }
            core::slice::from_raw_parts(BITS as *const u64, n_pages)
        };
        let (mut start, mut rest) = (mapping.start, pages);
        while let Some(is_written) = rest.first().map(is_written) {
            let length = rest.iter().take_while(|page| self::is_written(page) == is_written).count();
            let (run, after) = (rest.get(..length)?, rest.get(length..)?);
            let end = start.wrapping_add(length.wrapping_mul(PAGE));
            let can_be = || mapping.is_anonymous || run.iter().all(|page| page & PRESENT != 0);
            let is_kept = is_written || run.len() <= FEW_PAGES && can_be();
            if is_kept && !is_written {
                // SAFETY: pages that can be written; nothing else runs.
                unsafe { write_same(start, end) }
            }
            self.note(Part { start, end, is_kept })?;
            (start, rest) = (end, after);
        }
        Some(())
    }

    /// `None` when there is no room for one more.
    fn note(&mut self, part: Part) -> Option<()> {
        if part.is_kept {
            self.n_kept = self.n_kept.wrapping_add(part.end.wrapping_sub(part.start) / PAGE);
        }
        let last = self.n_parts.checked_sub(1).and_then(|last| self.parts.get_mut(last));
        match last {
            Some(last) if last.end == part.start && last.is_kept == part.is_kept => last.end = part.end,
            _ => {
                *self.parts.get_mut(self.n_parts)? = part;
                self.n_parts = self.n_parts.wrapping_add(1);
            }
        }
        (self.n_kept <= MOST_KEPT / PAGE).then_some(())
    }

    /// Calls `look` with each part that is kept, where its copy is, and its bytes.
    fn each_kept(&self, mut look: impl FnMut(usize, usize, usize)) {
        let mut copy = COPIES;
        for part in self.parts.iter().take(self.n_parts).filter(|part| part.is_kept) {
            let length = part.end.wrapping_sub(part.start);
            look(part.start, copy, length);
            copy = copy.wrapping_add(length);
        }
    }
}

/// Whether a system call is about what is mapped: for [`Snapshot::change`].
pub fn changes(number: usize) -> bool {
    matches!(number, MMAP | MUNMAP | BRK | MPROTECT | MREMAP | MADVISE)
}

/// Writes to the stack below this frame, deeper than what is yet to be called reaches: those pages are then kept.
#[inline(never)]
fn write_below() {
    let mut below = [core::mem::MaybeUninit::<u8>::uninit(); 4 * PAGE];
    // Else they are as many bytes side by side.
    let start = core::hint::black_box(below.as_mut_ptr());
    for at in (0..below.len()).step_by(PAGE) {
        // SAFETY: in the array.
        unsafe { start.wrapping_add(at).cast::<u8>().write_volatile(0) }
    }
}

/// What `pagemap` says of a page.
const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const OF_FILE: u64 = 1 << 61;

/// Whether a page of private memory is another one than that of its file, or of zeros.
fn is_written(page: &u64) -> bool {
    page & SWAPPED != 0 || page & (PRESENT | OF_FILE) == PRESENT
}

/// Writes to pages what is there.
unsafe fn write_same(start: usize, end: usize) {
    for page in (start..end).step_by(PAGE) {
        let byte = page as *mut u8;
        // SAFETY: vouched for by the caller.
        unsafe { byte.write_volatile(byte.read_volatile()) }
    }
}

/// Makes pages what they are without anybody's writing; what is not mapped is passed over.
unsafe fn forget(start: usize, end: usize) {
    // SAFETY: vouched for by the caller.
    let _ = unsafe { call(MADVISE, [start, end.wrapping_sub(start), DONT_NEED, 0, 0]) };
}

/// How far down the first thread's stack may grow that ends at `end`.
fn grown(end: usize) -> usize {
    end.wrapping_sub(STACK_BYTES)
}

/// A descriptor, closed when dropped.
struct Opened(usize);

impl Opened {
    /// # Safety
    /// `path` ends with a zero byte.
    unsafe fn new(path: *const u8) -> Option<Opened> {
        // SAFETY: vouched for by the caller.
        unsafe { call(OPENAT, [AT_FDCWD, path as usize, sys::O_CLOEXEC, 0, 0]) }.ok().map(Opened)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: a descriptor of our own.
        let _ = unsafe { call(CLOSE, [self.0, 0, 0, 0, 0]) };
    }
}

/// A whole file, as long as there is scratch.
///
/// # Safety
/// `path` ends with a zero byte; the scratch mapping's text is nobody else's.
unsafe fn read_whole(path: *const u8) -> Option<&'static [u8]> {
    // SAFETY: vouched for by the caller.
    unsafe {
        let file = Opened::new(path)?;
        let mut at = TEXT.start;
        loop {
            match call(READ, [file.0, at, TEXT.end.wrapping_sub(at), 0, 0]).ok()? {
                0 if at == TEXT.end => return None,
                0 => return Some(core::slice::from_raw_parts(TEXT.start as *const u8, at.wrapping_sub(TEXT.start))),
                length => at = at.wrapping_add(length),
            }
        }
    }
}
