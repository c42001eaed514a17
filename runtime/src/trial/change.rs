//! What a mutant's overrides make of what a site comes to.

use core::sync::atomic::{AtomicU64, Ordering};

use suspect_format::operation::Operator;
use suspect_format::trial::{Change, Override, PROCESS_APPLIED};

use crate::count::{object, text};
use crate::os::{memory, symbols, sys};
use crate::process::{Process, shared};
use crate::trial::mutants::At;
use crate::trial::{file, scratch, stack};

/// Bytes of fresh strings that a process gets with room to spare; after that they get what they need.
const GENEROUS_BYTES: u64 = 64 << 20;
/// Room of a fresh string, so that writing into it in place stays harmless.
const TEXT_ROOM: usize = 4096;

const SET: u32 = Change::Set as u32;
const INSTEAD: u32 = Change::Instead as u32;
const STEP_BEFORE: u32 = Change::StepBefore as u32;
const STEP_AFTER: u32 = Change::StepAfter as u32;

/// What a site comes to as the code says.
#[derive(Clone, Copy)]
pub enum Taken {
    /// A number's bits, zero-extended.
    Word(u64),
    /// The address of characters.
    Text(usize),
    /// What an operator makes of its operands; no result where the machine traps.
    Operation { left: u64, right: u64, result: Option<u64> },
    /// The variable at the address is read, of a function whose variables' addresses are `others`.
    Variable { address: usize, others: *const usize },
    /// The way that the code goes.
    Choice,
}

impl Taken {
    /// The word that the hook answers when nothing is changed; `None` where the machine traps.
    pub fn plain(self) -> Option<u64> {
        match self {
            Taken::Word(value) => Some(value),
            Taken::Operation { result, .. } => result,
            Taken::Text(address) | Taken::Variable { address, .. } => Some(address as u64),
            Taken::Choice => Some(0),
        }
    }

    /// With what a division comes to: while its byte is set the program divides by 1 instead, for it must not trap where it would not have
    /// divided. `one` is an override of it.
    pub fn divided(self, one: &Override) -> Taken {
        let operator = Operator::from_number(one.operator).filter(|operator| operator.is_division());
        match (self, operator) {
            (Taken::Operation { left, right, .. }, Some(operator)) => {
                Taken::Operation { left, right, result: operator.apply(one.width.into(), left, right) }
            }
            _ => self,
        }
    }
}

/// Whether the mutant's members at the site, together, change what it comes to.
///
/// # Safety
/// In a hook of the site.
pub unsafe fn would_change(at: &At, taken: Taken) -> bool {
    // SAFETY: vouched for by the caller; the characters lie in the file.
    unsafe {
        match taken {
            Taken::Text(address) => match at.text() {
                Some(one) if one.change == SET => address != 0,
                Some(one) => !text::is(address, file::at(one.operand), one.length as usize),
                None => false,
            },
            Taken::Variable { .. } if steps(at).any(|one| delta(one) != 0) => true,
            _ => becomes(at, taken) != taken.plain(),
        }
    }
}

/// What the hook answers; `None` where the machine traps. The process's flags say that the mutant was applied.
///
/// # Safety
/// As [`would_change`], which has said yes.
pub unsafe fn apply(at: &At, taken: Taken) -> Option<u64> {
    let process = shared();
    if file::runs_mutants() && !process.has_flag(PROCESS_APPLIED) {
        stack::forget_below(process);
    }
    // SAFETY: vouched for by the caller.
    let new = unsafe {
        match taken {
            Taken::Text(address) => Some(match at.text() {
                Some(one) if one.change == SET => 0,
                Some(one) => fresh_text(process, one, address).unwrap_or(address) as u64,
                None => address as u64,
            }),
            Taken::Variable { .. } => becomes(at, taken).map(|address| stepped(at, address as usize) as u64),
            _ => becomes(at, taken),
        }
    };
    let is_stepped = matches!(taken, Taken::Variable { .. })
        // SAFETY: vouched for by the caller.
        && unsafe { steps(at) }.any(|one| delta(one) != 0);
    if is_stepped || new != taken.plain() {
        process.set_flag(PROCESS_APPLIED);
    }
    new
}

/// What is added to the variable that is read.
///
/// # Safety
/// As [`would_change`].
unsafe fn steps(at: &At) -> impl Iterator<Item = &'static Override> {
    // SAFETY: vouched for by the caller.
    unsafe { at.members() }.filter(|one| matches!(one.change, STEP_BEFORE | STEP_AFTER))
}

/// What a step adds, as many bits as the variable has.
fn delta(one: &Override) -> u64 {
    match one.width {
        8 | 16 | 32 | 64 => one.operand & u64::MAX >> (64 - u32::from(one.width)),
        // Of no variable that is counted up.
        _ => 0,
    }
}

/// Adds to the variable at `address` what is to be added; where its value, as it is then or as it was before, can be read.
///
/// # Safety
/// As [`would_change`]; the program may write the variable.
unsafe fn stepped(at: &At, address: usize) -> usize {
    // SAFETY: vouched for by the caller.
    unsafe {
        steps(at).filter(|one| delta(one) != 0).fold(address, |_, one| {
            let bytes = usize::from(one.width) / 8;
            let mut value = 0u64;
            memory::copy(address as *const u8, (&raw mut value).cast(), bytes);
            let sum = value.wrapping_add(delta(one));
            memory::copy((&raw const sum).cast(), address as *mut u8, bytes);
            if one.change == STEP_AFTER { scratch::keep(value) } else { address }
        })
    }
}

/// # Safety
/// As [`would_change`].
unsafe fn becomes(at: &At, taken: Taken) -> Option<u64> {
    // SAFETY: vouched for by the caller.
    let members = unsafe { at.members() };
    let chosen = || {
        // SAFETY: as above.
        let choices = unsafe { at.members() }.filter(|one| one.change == Change::Choose as u32);
        choices.last()
    };
    match taken {
        Taken::Word(value) => Some(members.fold(value, |value, one| changed_word(one, value))),
        Taken::Operation { left, right, result } => {
            let result = recomputed(members, left, right, result);
            // A value that is put in the place of a division is not divided.
            let changed = |value: Option<u64>, one: &Override| match value {
                None if one.change != SET => None,
                // That is said of the left operand.
                value if one.change == INSTEAD => value,
                value => Some(changed_word(one, value.unwrap_or(0))),
            };
            // SAFETY: as above.
            unsafe { at.members() }.fold(result, changed)
        }
        Taken::Text(address) => Some(address as u64),
        Taken::Choice => Some(chosen().map_or(0, |one| one.operand)),
        Taken::Variable { address, others } => {
            let Some(one) = chosen() else { return Some(address as u64) };
            // SAFETY: the table has an entry for each variable; those that it has can be read.
            unsafe {
                let other = *others.wrapping_add(one.operand as usize);
                let same = other == 0
                    || match one.width {
                        // Of code the address is all.
                        0 => address == other,
                        bits => memory::same(address, other, usize::from(bits).div_ceil(8).min(8)),
                    };
                Some(if same { address as u64 } else { other as u64 })
            }
        }
    }
}

/// The result with operands and operator replaced; `None` where the machine traps.
fn recomputed<'a>(
    members: impl Iterator<Item = &'a Override>,
    left: u64,
    right: u64,
    result: Option<u64>,
) -> Option<u64> {
    const OPERATOR: u32 = Change::Operator as u32;
    const LEFT: u32 = Change::Left as u32;
    const RIGHT: u32 = Change::Right as u32;
    let (mut left, mut right, mut operator, mut last) = (left, right, None, None);
    for one in members {
        match one.change {
            LEFT => left = one.operand,
            RIGHT => right = one.operand,
            INSTEAD if left == one.operand => left = one.other,
            OPERATOR => operator = Some(one.operand as u8),
            _ => continue,
        }
        last = Some(one);
    }
    let Some(one) = last else { return result };
    match Operator::from_number(operator.unwrap_or(one.operator)) {
        Some(operator) => operator.apply(one.width.into(), left, right),
        // Of operations that have one operand it is the result.
        None => Some(left & u64::MAX >> 64u32.wrapping_sub(u32::from(one.width).clamp(1, 64))),
    }
}

/// What a number becomes.
fn changed_word(one: &Override, value: u64) -> u64 {
    const ADD: u32 = Change::Add as u32;
    const NEGATE: u32 = Change::Negate as u32;
    const FLIP: u32 = Change::Flip as u32;
    const COMPLEMENT: u32 = Change::Complement as u32;
    const EXCHANGE: u32 = Change::Exchange as u32;
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
        EXCHANGE | INSTEAD if value == one.operand => one.other,
        EXCHANGE if value == one.other => one.operand,
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
        memory::copy(file::at(one.operand), fresh, length);
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
