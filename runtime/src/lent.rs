//! A plan's child in its parent's memory: the parent keeps a copy of what it has written, waits, and puts it back.
//!
//! To copy some hundred kilobytes twice takes less than to make a second address space and to take it down. Only memory is lent:
//! descriptors, signals and limits are the child's own, as a fork's are. What the kernel keeps beside the bytes of an address space (which
//! pages are mapped, where the heap ends) a child may change in ways that can be undone; so its system calls are dispatched to
//! [`take`], which ends it when it wants more, and it is forked instead. A fork it is too where there is too much to copy.
//!
//! Whatever is used while a child runs lies in the [`Room`], which is shared memory and so none of what is put back: the parent's stack
//! while it waits, the copies, the stack of the handler by which the child makes its calls.

use core::ops::Range;
use core::sync::atomic::Ordering;

use suspect_format::abi::PAGE;
use suspect_format::trial::{Done, Refusal, TrialResult};

use crate::filter::{self, call};
use crate::fork::{self, Split};
use crate::mapping::Mapping;
use crate::memory;
use crate::module::page_up;
use crate::process::{LENT_ADDRESS, Process, STACK_BYTES, shared};
use crate::sys::{self, Errno};

const READ: usize = 0;
const CLOSE: usize = 3;
const MMAP: usize = 9;
const MPROTECT: usize = 10;
const MUNMAP: usize = 11;
const BRK: usize = 12;
const SIGACTION: usize = 13;
const PREAD: usize = 17;
const MREMAP: usize = 25;
const MADVISE: usize = 28;
const CLONE: usize = 56;
const SIGALTSTACK: usize = 131;
const PRCTL: usize = 157;
const OPENAT: usize = 257;
const ROBUST_LIST: usize = 273;

const AT_FDCWD: usize = -100isize as usize;
const DONT_NEED: usize = 4;
/// `CLONE_VM`, `CLONE_PIDFD`.
const SHARING_MEMORY: u32 = 0x100 | 0x1000;
/// `MAP_FIXED`, `MAP_GROWSDOWN`: what may take the place of something or becomes larger. `MAP_FIXED_NOREPLACE` does neither.
const PLACED: usize = 0x10 | 0x100;
const ON_STACK: usize = 0x0800_0000;
const NO_STACK: i32 = 2;
const SIGNALS: usize = 64;
const SIGSYS: usize = 31;

/// The first kernel on which a process that dumps its memory when it crashes does not end all others that share it.
const KERNEL: (usize, usize) = (5, 16);

/// Bytes of pages that are copied, at most: where there are more a fork is quicker.
const MOST_KEPT: usize = 4 << 20;
/// Pages of one mapping that are looked at, at most.
const MOST_PAGES: usize = 1 << 14;
const MOST_PARTS: usize = 2048;
/// So many pages side by side that have not been written are sooner copied than forgotten.
const FEW_PAGES: usize = 4;
/// What a child may map.
const MOST_MAPPED: usize = 16;
/// Calls of one child: each takes a signal, and one that makes many is better off as a fork.
const MOST_CALLS: u32 = 128;
/// After so many failures one after another the pauses grow no more.
const MOST_FAILURES: u32 = 6;

const ROOM_BYTES: usize = 64 << 10;
const STACK: usize = 64 << 10;
const SIGNAL_STACK: usize = LENT_ADDRESS + ROOM_BYTES;
/// The parent's stack while it waits.
const OWN_STACK_TOP: usize = SIGNAL_STACK + 2 * STACK;
const COPIES: usize = OWN_STACK_TOP;
const BYTES: usize = ROOM_BYTES + 2 * STACK + MOST_KEPT;
/// Where the text of `maps` is read to, and the bits of pages, while there are no copies.
const TEXT: Range<usize> = COPIES..COPIES + MOST_KEPT / 2;
const BITS: usize = TEXT.end;
const _: () = assert!(MOST_PAGES * 8 <= MOST_KEPT / 2 && size_of::<Room>() <= ROOM_BYTES);

/// Successive pages of writable private memory.
#[derive(Clone, Copy)]
#[repr(C)]
struct Part {
    start: usize,
    end: usize,
    /// Whether the parent has written them; else they are what they are without anybody's writing.
    is_kept: bool,
}

/// What is known of a plan's memory, and of the child that has it. All zeros at first.
#[repr(C)]
struct Room {
    /// Whether the rest of this is true of the memory as it is.
    is_ready: bool,
    /// Children that could not be lent memory, one after another.
    failures: u32,
    /// Children that are not to be lent any.
    pause: u32,
    n_parts: usize,
    parts: [Part; MOST_PARTS],
    n_kept: usize,
    /// Where the heap ends.
    heap_end: usize,
    /// Where the mapping of the first thread's stack begins and ends.
    stack: [usize; 2],
    /// The pages that are kept of the stack on which hooks run.
    frames: [usize; 2],
    /// The child's result.
    found: *mut TrialResult,
    pidfd: u32,
    calls: u32,
    /// The child has asked for what only a fork can be given.
    is_refused: bool,
    /// The child is changing what is mapped.
    is_mapping: bool,
    n_mapped: usize,
    /// What the child has mapped: address and bytes.
    mapped: [[usize; 2]; MOST_MAPPED],
    /// How the child has ended, if that is what a fork would have come to.
    done: Option<Done>,
}

fn room() -> *mut Room {
    LENT_ADDRESS as *mut Room
}

/// Makes room, where the kernel can do what is needed.
///
/// # Safety
/// In a plan, under its filter.
pub unsafe fn prepare(process: &Process) {
    const READ_WRITE: usize = 3;
    /// `MAP_SHARED`, `MAP_ANONYMOUS`, `MAP_FIXED_NOREPLACE`: it does not count as the program's data.
    const SHARED_NEW: usize = 1 | 0x20 | 0x10_0000;
    // SAFETY: nothing is there.
    unsafe {
        let makes_room =
            || filter::pass(MMAP, [LENT_ADDRESS, BYTES, READ_WRITE, SHARED_NEW, usize::MAX, 0]) == Ok(LENT_ADDRESS);
        if sys::kernel() >= KERNEL && !(1..=SIGNALS).any(|signal| is_handled_aside(signal)) && makes_room() {
            process.lends.store(1, Ordering::Relaxed);
        }
    }
}

/// Whether a signal's handler is to run on a stack of its own.
unsafe fn is_handled_aside(signal: usize) -> bool {
    let mut action = [0usize; 4];
    // SAFETY: the kernel fills the record.
    let _ = unsafe { call(SIGACTION, [signal, 0, (&raw mut action) as usize, 8, 0]) };
    let [handler, flags, ..] = action;
    signal != SIGSYS && handler > 1 && flags & ON_STACK != 0
}

/// The plan's program handles a signal as the record at `action` says: if that is on another stack, which a child that is lent memory would
/// have where a fork has not, no memory is lent any more.
///
/// # Safety
/// In a plan.
pub unsafe fn handles(action: usize) {
    // SAFETY: vouched for by the caller.
    if unsafe { asks_for_stack(action) } {
        shared().lends.store(0, Ordering::Relaxed);
    }
}

/// Finds out which memory there is to keep, before the children of one hook.
///
/// # Safety
/// In a hook of a plan. Until its last child has ended, nothing is written to pages that have not been written before.
pub unsafe fn look() {
    if shared().lends.load(Ordering::Relaxed) == 0 {
        return;
    }
    // SAFETY: the room is mapped, and no child runs.
    unsafe {
        let room = &mut *room();
        room.is_ready = false;
        if room.pause == 0 {
            write_below();
            room.is_ready = room.look().is_some();
            if !room.is_ready {
                room.fail();
            }
        }
    }
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

/// Whether the next child is to be lent its parent's memory.
///
/// # Safety
/// In a hook of a plan, after [`look`].
pub unsafe fn is_due() -> bool {
    if shared().lends.load(Ordering::Relaxed) == 0 {
        return false;
    }
    // SAFETY: the room is mapped, and no child runs.
    let room = unsafe { &mut *room() };
    let here = 0u8;
    let [low, high] = room.frames;
    let here = &raw const here as usize;
    if room.pause != 0 {
        room.pause = room.pause.wrapping_sub(1);
        return false;
    }
    room.is_ready && here < high && here.wrapping_sub(PAGE) >= low
}

/// Lends this process's memory to a child and waits for its end. For the parent its memory is then as it was, and the end is `None` if the child must be forked.
///
/// # Safety
/// In a hook of a plan, after [`is_due`] has said so; `found` is the child's result.
pub unsafe fn lend(found: *mut TrialResult) -> Split {
    // SAFETY: the room is mapped, and no child runs; what `split` needs is there.
    unsafe {
        (*room()).found = found;
        if split() != 0 {
            return Split::Child;
        }
        let room = &mut *room();
        match room.done {
            Some(_) => room.failures = 0,
            None => room.fail(),
        }
        Split::Parent(room.done)
    }
}

/// Goes on twice: in a child that has this memory, where it answers 1, and when that has ended and the memory is as it was, where it answers 0.
#[unsafe(naked)]
unsafe extern "C" fn split() -> u32 {
    core::arch::naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        // Where the gate returns to in the child.
        "lea rax, [rip + 2f]",
        "push rax",
        "mov rbx, rsp",
        "movabs rsp, {top}",
        "call {keep}",
        "mov edi, {clone}",
        "mov esi, {flags}",
        "mov rdx, rbx",
        "movabs rcx, {pidfd}",
        "xor r8d, r8d",
        "xor r9d, r9d",
        "push 0",
        "push 0",
        "call rax",
        "mov rdi, rax",
        "call {tend}",
        "lea rsp, [rbx + 8]",
        "xor eax, eax",
        "jmp 3f",
        "2:",
        "mov eax, 1",
        "3:",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
        top = const OWN_STACK_TOP,
        keep = sym keep,
        clone = const CLONE,
        flags = const SHARING_MEMORY,
        pidfd = const LENT_ADDRESS + core::mem::offset_of!(Room, pidfd),
        tend = sym tend,
    )
}

/// Copies what the parent has written; the address of the gate.
unsafe extern "C" fn keep() -> usize {
    // SAFETY: the room is mapped, and no child runs; parts are memory that can be read.
    unsafe {
        let room = &mut *room();
        (room.calls, room.is_refused, room.is_mapping, room.n_mapped) = (0, false, false, 0);
        room.each_kept(|start, copy, length| memory::copy(start as *const u8, copy as *mut u8, length));
    }
    filter::gate_address()
}

/// Waits for the child and puts back the memory; `answer` is the kernel's, the child's id if there is one.
unsafe extern "C" fn tend(answer: isize) {
    // SAFETY: the room is mapped. References to it are made when no child runs.
    unsafe {
        (*room()).done = None;
        if answer > 0 {
            let done = fork::wait(answer as usize, (*room()).pidfd as usize, (*room()).found);
            let room = &mut *room();
            room.put_back();
            if !room.is_refused && done != Done::Elsewhere {
                room.done = Some(done);
            }
        }
    }
}

/// In the child: from now on its calls are [`take`]n.
///
/// # Safety
/// In a child that was lent its memory.
pub unsafe fn guard() {
    const DISPATCH: usize = 59;
    const ON: usize = 1;
    let stack = [SIGNAL_STACK, 0, STACK];
    let exempt = filter::exempt();
    // SAFETY: the stack is the room's.
    unsafe {
        let ready = call(SIGALTSTACK, [(&raw const stack) as usize, 0, 0, 0, 0])
            .and_then(|_| call(PRCTL, [DISPATCH, ON, exempt.start, exempt.len(), 0]));
        if ready.is_err() {
            refuse();
        }
    }
}

/// Ends the child, to be forked.
unsafe fn refuse() -> ! {
    // SAFETY: the room is mapped.
    unsafe { (*room()).is_refused = true }
    filter::exit()
}

/// A system call of the child, which the filter would let pass: it is made, or the child ends.
///
/// # Safety
/// In a child that was lent its memory.
pub unsafe fn take(number: usize, arguments: [usize; 6]) -> Result<usize, Errno> {
    // SAFETY: the room is mapped, and the child alone uses it while it runs.
    let room = unsafe { &mut *room() };
    room.calls = room.calls.wrapping_add(1);
    let [first, second, _, flags, ..] = arguments;
    // SAFETY: the call is the program's own.
    unsafe {
        match number {
            _ if room.calls > MOST_CALLS => refuse(),
            MPROTECT | MREMAP | MADVISE | SIGALTSTACK | PRCTL | ROBUST_LIST => refuse(),
            SIGACTION if asks_for_stack(second) => refuse(),
            MMAP if flags & PLACED != 0 || room.n_mapped == MOST_MAPPED => refuse(),
            MMAP => {
                room.is_mapping = true;
                let answer = filter::pass(number, arguments);
                if let (Ok(address), Some(free)) = (answer, room.mapped.get_mut(room.n_mapped)) {
                    *free = [address, page_up(second)];
                    room.n_mapped = room.n_mapped.wrapping_add(1);
                }
                room.is_mapping = false;
                answer
            }
            MUNMAP => {
                let mut mapped = room.mapped.iter().take(room.n_mapped);
                let Some(at) = mapped.position(|one| *one == [first, page_up(second)]) else { refuse() };
                room.is_mapping = true;
                let answer = filter::pass(number, arguments);
                if answer.is_ok() {
                    room.n_mapped = room.n_mapped.wrapping_sub(1);
                    let last = room.mapped.get(room.n_mapped).copied();
                    if let (Some(gone), Some(last)) = (room.mapped.get_mut(at), last) {
                        *gone = last;
                    }
                }
                room.is_mapping = false;
                answer
            }
            _ => filter::pass(number, arguments),
        }
    }
}

/// Whether a signal's handler is to run on a stack of its own: the child's is another one than a fork's.
unsafe fn asks_for_stack(action: usize) -> bool {
    let flags = action.wrapping_add(8);
    let is_readable = || filter::is_readable(flags) && filter::is_readable(flags.wrapping_add(7));
    // SAFETY: the address is looked at first.
    action != 0 && (!is_readable() || unsafe { (flags as *const usize).read_unaligned() } & ON_STACK != 0)
}

impl Room {
    /// Memory could not be lent: it is not tried again for a while.
    fn fail(&mut self) {
        self.failures = self.failures.wrapping_add(1).min(MOST_FAILURES);
        self.pause = (1u32 << self.failures).wrapping_sub(1);
    }

    /// `None` where there is too much, or what cannot be put back.
    unsafe fn look(&mut self) -> Option<()> {
        let here = 0u8;
        let here = &raw const here as usize;
        (self.n_parts, self.n_kept, self.stack, self.frames) = (0, 0, [0; 2], [0; 2]);
        // SAFETY: the texts are C strings; both areas are the room's.
        unsafe {
            self.heap_end = call(BRK, [0; 5]).ok()?;
            if has_signal_stack() {
                return None;
            }
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

    /// Makes the memory what it was. Where that fails nothing that this process did could be believed any more.
    unsafe fn put_back(&mut self) {
        // SAFETY: nobody but the child, which has ended, knew what it mapped; parts are the parent's memory.
        unsafe {
            if self.is_mapping {
                fork::give_up(Refusal::Kernel, 0);
            }
            for [address, length] in self.mapped.iter().take(self.n_mapped) {
                if call(MUNMAP, [*address, *length, 0, 0, 0]).is_err() {
                    fork::give_up(Refusal::Kernel, 0);
                }
            }
            if call(BRK, [0; 5]) != Ok(self.heap_end) && call(BRK, [self.heap_end, 0, 0, 0, 0]) != Ok(self.heap_end) {
                fork::give_up(Refusal::Kernel, 0);
            }
            for part in self.parts.iter().take(self.n_parts).filter(|part| !part.is_kept) {
                forget(part.start, part.end);
            }
            let [start, end] = self.stack;
            forget(grown(end), start);
            self.each_kept(|start, copy, length| memory::copy(copy as *const u8, start as *mut u8, length));
        }
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

/// Whether this thread has a stack for handlers of signals.
unsafe fn has_signal_stack() -> bool {
    let mut stack = [0usize; 3];
    // SAFETY: the kernel fills the record.
    let answer = unsafe { call(SIGALTSTACK, [0, (&raw mut stack) as usize, 0, 0, 0]) };
    answer.is_err() || stack[1] as i32 & NO_STACK == 0
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

/// A whole file, as long as there is room.
///
/// # Safety
/// `path` ends with a zero byte; the room's text is nobody else's.
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
