//! Calls of functions that may have no `record` version and have not returned yet, and what memory was like before them.

use suspect_format::trial::TRIAL_ADDRESS;

use crate::os::sys;

/// Where the calls are, and where what memory was like.
const CALLS_ADDRESS: usize = TRIAL_ADDRESS - (5 << 40) + (1 << 36);
const SNAPSHOTS_ADDRESS: usize = TRIAL_ADDRESS - (5 << 40) + (1 << 37);
/// Both grow by so many bytes.
const STEP: usize = 256 << 10;
/// Bytes that either may have.
const MOST: usize = 1 << 30;

/// How far a call has come.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Progress {
    /// Nothing was recorded since.
    Fresh,
    /// The callee itself has a `record` version: the call ends with its return.
    Entered,
    /// The callee has none, and has called back.
    CallsBack,
}

/// A call.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct OpenCall {
    /// Address of its argument words, in the frame of the caller.
    pub arguments: u64,
    /// The function called.
    pub callee: u64,
    /// Number of its model.
    pub external: u32,
    /// Number of arguments.
    pub count: u32,
    /// How far it has come.
    pub progress: Progress,
    /// `errno` before.
    pub errno: i32,
    /// Where its snapshots begin.
    snapshots: usize,
}

/// The calls, the innermost last. Zeros are none.
#[repr(C)]
pub struct OpenCalls {
    n_calls: usize,
    calls_mapped: usize,
    snapshots_used: usize,
    snapshots_mapped: usize,
}

impl OpenCalls {
    /// The innermost call.
    #[inline]
    pub fn top(&mut self) -> Option<&mut OpenCall> {
        let last = self.n_calls.checked_sub(1)?;
        // SAFETY: so many calls were pushed.
        Some(unsafe { &mut *(CALLS_ADDRESS as *mut OpenCall).wrapping_add(last) })
    }

    /// Takes the innermost call away, with its snapshots.
    pub fn pop(&mut self) {
        if let Some(call) = self.top() {
            self.snapshots_used = call.snapshots;
            self.n_calls = self.n_calls.wrapping_sub(1);
        }
    }

    /// Takes away the calls of activations that are no more: those whose frames lie below `address`, or with it.
    pub fn unwind(&mut self, address: u64) {
        while self.top().is_some_and(|call| call.arguments <= address) {
            self.pop();
        }
    }

    /// Takes away the calls of activations that are no more, as [`OpenCalls::unwind`] does, and counts those whose callees are not recorded.
    pub fn leave(&mut self, address: u64) -> u64 {
        let mut n_outside = 0u64;
        while let Some(call) = self.top()
            && call.arguments <= address
        {
            n_outside = n_outside.wrapping_add(u64::from(call.progress != Progress::Entered));
            self.pop();
        }
        n_outside
    }

    /// A call begins; false if there is no room.
    pub fn push(&mut self, arguments: u64, callee: u64, external: u32, count: u32, errno: i32) -> bool {
        self.unwind(arguments);
        let end = self.n_calls.wrapping_add(1).wrapping_mul(size_of::<OpenCall>());
        if end > self.calls_mapped && !grow(CALLS_ADDRESS, &mut self.calls_mapped) {
            return false;
        }
        let snapshots = self.snapshots_used;
        let call = OpenCall { arguments, callee, external, count, progress: Progress::Fresh, errno, snapshots };
        // SAFETY: mapped just now or before.
        unsafe { (CALLS_ADDRESS as *mut OpenCall).wrapping_add(self.n_calls).write(call) };
        self.n_calls = self.n_calls.wrapping_add(1);
        true
    }

    /// Room for the snapshot of `length` bytes at `address`, for the innermost call.
    pub fn snapshot(&mut self, address: u64, length: usize) -> Option<*mut u8> {
        let start = self.snapshots_used;
        let end = start.wrapping_add(size_of::<[u64; 2]>()).wrapping_add(length.next_multiple_of(8));
        while end > self.snapshots_mapped {
            if !grow(SNAPSHOTS_ADDRESS, &mut self.snapshots_mapped) {
                return None;
            }
        }
        self.snapshots_used = end;
        let head = SNAPSHOTS_ADDRESS.wrapping_add(start) as *mut [u64; 2];
        // SAFETY: mapped just now or before.
        unsafe { head.write([address, length as u64]) };
        Some(head.wrapping_add(1).cast())
    }

    /// Looks at the snapshots of the innermost call: address, length, and where its bytes are kept.
    pub fn snapshots(&mut self, mut look: impl FnMut(u64, usize, *const u8)) {
        let end = self.snapshots_used;
        let mut at = self.top().map_or(end, |call| call.snapshots);
        while at < end {
            let head = SNAPSHOTS_ADDRESS.wrapping_add(at) as *const [u64; 2];
            // SAFETY: written by `snapshot`.
            let [address, length] = unsafe { *head };
            look(address, length as usize, head.wrapping_add(1).cast());
            at = at.wrapping_add(size_of::<[u64; 2]>()).wrapping_add((length as usize).next_multiple_of(8));
        }
    }
}

fn grow(address: usize, mapped: &mut usize) -> bool {
    let done = *mapped < MOST && sys::map_zeros_at(address.wrapping_add(*mapped), STEP).is_ok();
    if done {
        *mapped = mapped.wrapping_add(STEP);
    }
    done
}
