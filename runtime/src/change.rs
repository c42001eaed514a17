//! What a mutant's overrides make of what a site comes to.

use core::sync::atomic::{AtomicU64, Ordering};

use suspect_format::trial::{Change, Override, PROCESS_APPLIED};

use crate::mutants::At;
use crate::process::{Process, shared};
use crate::{memory, object, symbols, sys, text, trial};

/// Bytes of fresh strings that a process gets with room to spare; after that they get what they need.
const GENEROUS_BYTES: u64 = 64 << 20;
/// Room of a fresh string, so that writing into it in place stays harmless.
const TEXT_ROOM: usize = 4096;

/// What a node is about to take.
#[derive(Clone, Copy, PartialEq)]
pub enum Taken {
    /// A number's bits, zero-extended.
    Word(u64),
    /// The address of characters.
    Text(usize),
}

/// Whether the mutant's members at the site, together, change what is taken.
///
/// # Safety
/// In a hook of the site.
pub unsafe fn would_change(at: &At, taken: Taken) -> bool {
    // SAFETY: vouched for by the caller; the characters lie in the file.
    unsafe {
        match taken {
            Taken::Word(value) => new_word(at, value) != value,
            Taken::Text(address) => {
                let differs = |one: &&Override| {
                    one.change == Change::Text as u32 && !text::is(address, trial::at(one.operand), one.length as usize)
                };
                at.members().any(|one| differs(&one))
            }
        }
    }
}

/// What `taken` becomes. The process's flags say that the mutant was applied.
///
/// # Safety
/// As [`would_change`], which has said yes.
pub unsafe fn apply(at: &At, taken: Taken) -> Taken {
    let process = shared();
    // SAFETY: vouched for by the caller.
    let new = unsafe {
        match taken {
            Taken::Word(value) => Taken::Word(new_word(at, value)),
            Taken::Text(address) => {
                let texts = at.members().filter(|one| one.change == Change::Text as u32);
                Taken::Text(texts.last().and_then(|one| fresh_text(process, one, address)).unwrap_or(address))
            }
        }
    };
    if new != taken {
        trial::set_flag(process, PROCESS_APPLIED);
    }
    new
}

/// # Safety
/// As [`would_change`].
unsafe fn new_word(at: &At, value: u64) -> u64 {
    // SAFETY: vouched for by the caller.
    unsafe { at.members() }.fold(value, |value, one| changed_word(one, value))
}

/// What a number becomes.
fn changed_word(one: &Override, value: u64) -> u64 {
    const SET: u32 = Change::Set as u32;
    const ADD: u32 = Change::Add as u32;
    const NEGATE: u32 = Change::Negate as u32;
    const FLIP: u32 = Change::Flip as u32;
    const COMPLEMENT: u32 = Change::Complement as u32;
    let width = u32::from(one.width).clamp(1, 64);
    let is_float = one.is_float != 0 && (width == 32 || width == 64);
    let new = match one.change {
        SET => one.operand,
        ADD if is_float => float_sum(width, value, one.operand),
        ADD => value.wrapping_add(one.operand),
        NEGATE if is_float => value ^ 1 << (width - 1),
        NEGATE => value.wrapping_neg(),
        FLIP if is_float => flipped_float(width, value),
        FLIP => u64::from(value == 0),
        COMPLEMENT => !value,
        _ => return value,
    };
    new & u64::MAX >> (64 - width)
}

fn float_sum(width: u32, value: u64, operand: u64) -> u64 {
    match width {
        32 => u64::from((f32::from_bits(value as u32) + f32::from_bits(operand as u32)).to_bits()),
        _ => (f64::from_bits(value) + f64::from_bits(operand)).to_bits(),
    }
}

fn flipped_float(width: u32, value: u64) -> u64 {
    let without_sign = value & !(1 << (width - 1));
    match (without_sign, width) {
        (0, 32) => u64::from(1f32.to_bits()),
        (0, _) => 1f64.to_bits(),
        _ => 0,
    }
}

/// The override's characters in fresh memory of the program's own heap, in place of those at `old`.
///
/// # Safety
/// The characters lie in the mapped file.
unsafe fn fresh_text(process: &Process, one: &Override, old: usize) -> Option<usize> {
    let maker = enter_maker(process)?;
    let length = one.length as usize;
    let spare = if process.text_bytes.load(Ordering::Relaxed) < GENEROUS_BYTES { TEXT_ROOM } else { 0 };
    let room = length.wrapping_add(1).max(object::room(old)).max(spare);
    let fresh = symbols::allocate(room);
    maker.store(0, Ordering::Release);
    if fresh.is_null() {
        return None;
    }
    process.text_bytes.fetch_add(room as u64, Ordering::Relaxed);
    // SAFETY: there is room for the characters and a zero.
    unsafe {
        memory::copy(trial::at(one.operand), fresh, length);
        fresh.add(length).write(0);
    }
    Some(fresh as usize)
}

/// A place among those who make strings; `None` when this thread has one, or too many others do.
fn enter_maker(process: &Process) -> Option<&AtomicU64> {
    let me = sys::thread_pointer();
    if process.makers.iter().any(|maker| maker.load(Ordering::Relaxed) == me) {
        return None;
    }
    let take = |maker: &&AtomicU64| maker.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed).is_ok();
    process.makers.iter().find(take)
}
