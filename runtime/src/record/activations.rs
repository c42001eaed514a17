//! Which function is running: its activations, as far as they were seen to begin.

use suspect_format::trial::TRIAL_ADDRESS;

use crate::os::sys;

/// Where they are kept.
const ACTIVATIONS_ADDRESS: usize = TRIAL_ADDRESS - (5 << 40) + (1 << 38);
/// Bytes by which that grows, and may have.
const STEP: usize = 256 << 10;
const MOST: usize = 1 << 30;

/// The activations, the innermost last: the address of each one's frame and its function. Zeros are none.
#[repr(C)]
pub struct Activations {
    count: usize,
    mapped: usize,
}

impl Activations {
    /// A function is entered. Frames below its own are gone.
    pub fn push(&mut self, function: u32, frame: u64) {
        self.unwind(frame);
        let end = self.count.wrapping_add(1).wrapping_mul(size_of::<[u64; 2]>());
        if end > self.mapped {
            if self.mapped >= MOST || sys::map_zeros_at(ACTIVATIONS_ADDRESS.wrapping_add(self.mapped), STEP).is_err() {
                return;
            }
            self.mapped = self.mapped.wrapping_add(STEP);
        }
        // SAFETY: mapped just now or before.
        unsafe { place(self.count).write([frame, u64::from(function)]) };
        self.count = self.count.wrapping_add(1);
    }

    /// The function that runs with this stack pointer.
    pub fn current(&mut self, stack: u64) -> Option<u32> {
        self.unwind(stack.wrapping_sub(1));
        let last = self.count.checked_sub(1)?;
        // SAFETY: so many were pushed.
        let [_, function] = unsafe { *place(last) };
        Some(function as u32)
    }

    /// Forgets frames up to `address`.
    fn unwind(&mut self, address: u64) {
        while let Some(last) = self.count.checked_sub(1) {
            // SAFETY: so many were pushed.
            let [frame, _] = unsafe { *place(last) };
            if frame > address {
                break;
            }
            self.count = last;
        }
    }
}

fn place(number: usize) -> *mut [u64; 2] {
    (ACTIVATIONS_ADDRESS as *mut [u64; 2]).wrapping_add(number)
}
