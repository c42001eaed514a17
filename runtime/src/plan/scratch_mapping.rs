//! What a plan uses while something else has its memory: shared memory at an address of its own, and so none of what is put back.
//!
//! In it lie the stack of a parent that waits, the copies of what it has written, and the stack of the handler by which system calls are made.

use core::sync::atomic::AtomicU8;

use crate::plan::in_process::InProcess;
use crate::plan::shared_vm::SharedVm;
use crate::plan::snapshot::Snapshot;
use crate::process::LENT_ADDRESS;
use crate::trial::trampoline;

const MMAP: usize = 9;

const RECORD_BYTES: usize = 64 << 10;
/// Bytes of each of the two stacks.
pub const STACK: usize = 64 << 10;
/// The stack of the handler.
pub const SIGNAL_STACK: usize = LENT_ADDRESS + RECORD_BYTES;
/// Where the stack of a parent begins that waits or puts back its memory.
pub const OWN_STACK_TOP: usize = SIGNAL_STACK + 2 * STACK;
/// Where copies are.
pub const COPIES: usize = OWN_STACK_TOP;
/// Bytes that can be copied: where there are more a fork is quicker.
pub const MOST_KEPT: usize = 4 << 20;
const BYTES: usize = RECORD_BYTES + 2 * STACK + MOST_KEPT;
const _: () = assert!(size_of::<ScratchMapping>() <= RECORD_BYTES);

/// All zeros at first.
#[repr(C, align(64))]
pub struct ScratchMapping {
    /// Of the calls of this process: whether the kernel hands them to a handler.
    pub dispatches: AtomicU8,
    /// Calls of the child that runs now, or of the trial in place.
    pub calls: u32,
    /// It has asked for what it cannot be given.
    pub is_refused: bool,
    /// What is known of the memory.
    pub snapshot: Snapshot,
    /// Of children that have this memory.
    pub shared_vm: SharedVm,
    /// Of trials in this process.
    pub in_process: InProcess,
}

/// Only to be used in a plan that lends.
pub fn scratch_mapping() -> *mut ScratchMapping {
    LENT_ADDRESS as *mut ScratchMapping
}

/// Maps it: whether that could be done.
///
/// # Safety
/// In a plan, under its filter.
pub unsafe fn make() -> bool {
    const READ_WRITE: usize = 3;
    /// `MAP_SHARED`, `MAP_ANONYMOUS`, `MAP_FIXED_NOREPLACE`: it does not count as the program's data.
    const SHARED_NEW: usize = 1 | 0x20 | 0x10_0000;
    // SAFETY: nothing is there.
    unsafe { trampoline::pass(MMAP, [LENT_ADDRESS, BYTES, READ_WRITE, SHARED_NEW, usize::MAX, 0]) == Ok(LENT_ADDRESS) }
}

/// How long something that failed is left alone. All zeros at first.
#[repr(C)]
pub struct Pause {
    /// Failures one after another.
    failures: u32,
    /// How often it is not tried.
    left: u32,
}

impl Pause {
    /// It failed: it is not tried again for a while. After `most` failures one after another the pauses grow no more.
    pub fn fail(&mut self, most: u32) {
        self.failures = self.failures.wrapping_add(1).min(most);
        self.left = (1u32 << self.failures).wrapping_sub(1);
    }

    /// It succeeded.
    pub fn succeed(&mut self) {
        self.failures = 0;
    }

    /// Whether it is to be tried now; if not, that is once less.
    pub fn is_over(&mut self) -> bool {
        let is_over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_over
    }

    /// Whether it would be tried now.
    pub fn would_be_over(&self) -> bool {
        self.left == 0
    }
}
