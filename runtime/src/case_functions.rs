//! Functions of a test program that may be its cases: told as they run, but for some, or left out but for one.
//!
//! Units ask at the entry of each such function, but only in a process whose environment has one of the variables below. The program's own runner
//! goes on as it does: it calls all of its cases, of which those that are left out return at once.

use core::ffi::c_char;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use suspect_format::abi::{
    CASE_HANDED, CASE_LIST_BYTES, CASE_LIST_BYTES_HANDED, CASE_SEPARATOR, CASE_WAYS, CaseWay, ENV_CASE_FUNCTION,
    ENV_CASE_LIST, ENV_CASE_RESULT, ENV_CASE_WITHOUT,
};

use crate::cases::variable;
use crate::os::memory::{self, Writer};
use crate::os::settings::Auxiliary;
use crate::os::symbols;
use crate::os::sys::{File, O_CLOEXEC, O_RDWR};

/// Bytes of a path, with its zero.
const PATH_BYTES: usize = 4096;
/// Most functions that lead to a case, with the case itself.
const DEPTH: usize = 16;
/// Bytes of a name in the list, with a zero.
const NAME_BYTES: usize = 256;
/// Bytes of a line of the list: a sign, an address and a number with a space behind each, a name, the line's end.
const LINE_BYTES: usize = 1 + 17 + 17 + NAME_BYTES + 1;
/// The bits of the number that a function has in the list.
const NUMBERS: u32 = u32::MAX / (CASE_WAYS + 1);

// Copies, for the program may write over its environment.
static mut LIST: [u8; PATH_BYTES] = [0; PATH_BYTES];
static mut CHOSEN: [u8; PATH_BYTES] = [0; PATH_BYTES];
static mut WITHOUT: [u8; PATH_BYTES] = [0; PATH_BYTES];
static RESULT: AtomicU64 = AtomicU64::new(0);

/// How many functions of [`CHOSEN`] are entered, and where the return address of each lies.
static ENTERED: AtomicUsize = AtomicUsize::new(0);
static FRAMES: [AtomicUsize; DEPTH] = [const { AtomicUsize::new(0) }; DEPTH];
/// Functions told so far.
static TOLD: AtomicUsize = AtomicUsize::new(0);
/// The list has no room for functions that are handed addresses.
static IS_FULL: AtomicBool = AtomicBool::new(false);
/// A function calls itself once more, see [`CaseWay::Around`].
static AGAIN: AtomicBool = AtomicBool::new(false);

/// Reads what this process is to do with its case functions.
///
/// # Safety
/// This is the loader's one thread, before anything else of this module runs.
pub unsafe fn start() {
    let (list, chosen) = (variable(ENV_CASE_LIST), variable(ENV_CASE_FUNCTION));
    if list.is_none() && chosen.is_none() || Auxiliary::is_secure() {
        return;
    }
    // SAFETY: values of the environment are C strings; nobody else uses the statics, which are as long as said.
    unsafe {
        if let Some(list) = list {
            memory::copy_text(list, (&raw mut LIST).cast(), PATH_BYTES);
        }
        if let Some(chosen) = chosen {
            memory::copy_text(chosen, (&raw mut CHOSEN).cast(), PATH_BYTES);
        }
        if let Some(without) = variable(ENV_CASE_WITHOUT) {
            memory::copy_text(without, (&raw mut WITHOUT).cast(), PATH_BYTES);
        }
        let result = variable(ENV_CASE_RESULT).and_then(|text| memory::number(text));
        RESULT.store(result.unwrap_or(0), Ordering::Relaxed);
    }
    symbols::cases().store(1, Ordering::Release);
}

/// What the function called `name` is to do, whose return address lies at `frame`.
///
/// # Safety
/// `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_case(name: *const c_char, frame: usize) -> u32 {
    if AGAIN.swap(false, Ordering::Relaxed) {
        return CaseWay::On as u32;
    }
    // SAFETY: vouched for by the caller; the statics are written before the program's own code alone.
    let (way, number) = unsafe {
        if is_chosen() {
            let way = way(memory::text(name), frame);
            if way == CaseWay::Around {
                let _: Option<u32> = tell_entered(name, frame);
            }
            (way, ENTERED.load(Ordering::Relaxed) as u32)
        } else if is_without(memory::text(name)) {
            (CaseWay::Out, 0)
        } else {
            tell_entered(name, frame).map_or((CaseWay::On, 0), |number| (CaseWay::Around, number))
        }
    };
    AGAIN.store(way == CaseWay::Around, Ordering::Relaxed);
    way as u32 | number.wrapping_mul(CASE_WAYS + 1)
}

/// A function that called itself returns, and `result` if `returns` is not 0; `answer` is what it was told to do.
#[unsafe(no_mangle)]
pub extern "C" fn __suspect_case_left(answer: u32, returns: u32, result: u64) {
    let number = answer / (CASE_WAYS + 1);
    // SAFETY: the static is written before the program's own code alone.
    unsafe {
        if is_chosen() {
            ENTERED.store((number as usize).saturating_sub(1), Ordering::Relaxed);
        } else {
            let _: bool = tell(b'-', u64::from(number), CASE_LIST_BYTES, |line| {
                if returns != 0 {
                    word(line, result);
                }
            });
        }
    }
}

/// What a function returns that is left out.
#[unsafe(no_mangle)]
pub extern "C" fn __suspect_case_result() -> u64 {
    RESULT.load(Ordering::Relaxed)
}

/// Whether one function alone is to run.
///
/// # Safety
/// [`CHOSEN`] is no longer written.
unsafe fn is_chosen() -> bool {
    // SAFETY: vouched for by the caller.
    unsafe { *(&raw const CHOSEN).cast::<u8>() != 0 }
}

/// Whether the function called `name` is left out though no other one is chosen.
///
/// # Safety
/// [`WITHOUT`] is no longer written.
unsafe fn is_without(name: &[u8]) -> bool {
    // SAFETY: a C string, which nobody writes any more.
    let without = unsafe { memory::text((&raw const WITHOUT).cast()) };
    without.split(|byte| *byte == CASE_SEPARATOR as u8).any(|left_out| is_same(left_out, name))
}

/// Tells that the function called `name` is entered; its number in the list, in which there may be no room for it.
///
/// # Safety
/// `name` is a C string, and so is [`LIST`].
unsafe fn tell_entered(name: *const c_char, frame: usize) -> Option<u32> {
    // SAFETY: vouched for by the caller.
    let is_handed = is_handed(unsafe { memory::text(name) });
    if is_handed && IS_FULL.load(Ordering::Relaxed) {
        return None;
    }
    let number = TOLD.fetch_add(1, Ordering::Relaxed) as u32 & NUMBERS;
    let room = if is_handed { CASE_LIST_BYTES_HANDED } else { CASE_LIST_BYTES };
    // SAFETY: vouched for by the caller.
    let is_told = unsafe {
        tell(b'+', frame as u64, room, |line| {
            word(line, u64::from(number));
            line.byte(b' ');
            let length = memory::copy_text(name, line.0, NAME_BYTES);
            line.0 = line.0.add(length);
        })
    };
    if is_handed && !is_told {
        IS_FULL.store(true, Ordering::Relaxed);
    }
    (is_told || !is_handed).then_some(number)
}

/// What the function called `name` does as one of which one alone is to run.
///
/// # Safety
/// [`CHOSEN`] is a C string.
unsafe fn way(name: &[u8], frame: usize) -> CaseWay {
    // The stack grows down: what was entered no higher has been left, by a jump maybe.
    let mut depth = ENTERED.load(Ordering::Relaxed);
    while FRAMES.get(depth.wrapping_sub(1)).is_some_and(|entered| entered.load(Ordering::Relaxed) <= frame) {
        depth = depth.wrapping_sub(1);
    }
    // SAFETY: vouched for by the caller.
    let chosen = unsafe { memory::text((&raw const CHOSEN).cast()) };
    if is_handed(name) && !chosen.split(|byte| *byte == CASE_SEPARATOR as u8).any(is_handed) {
        return CaseWay::On;
    }
    let mut names = chosen.split(|byte| *byte == CASE_SEPARATOR as u8);
    let way = match (names.nth(depth), FRAMES.get(depth)) {
        // The case itself has been entered.
        (None, _) => CaseWay::On,
        (Some(wanted), Some(place)) if is_same(wanted, name) => {
            place.store(frame, Ordering::Relaxed);
            depth = depth.wrapping_add(1);
            CaseWay::Around
        }
        _ => CaseWay::Out,
    };
    ENTERED.store(depth, Ordering::Relaxed);
    way
}

/// Not by `==`, which calls the program's own `memcmp`.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    // SAFETY: so many bytes are there.
    unsafe { one.len() == other.len() && memory::same(one.as_ptr() as usize, other.as_ptr() as usize, one.len()) }
}

/// Whether a case function is handed addresses, by its name.
fn is_handed(name: &[u8]) -> bool {
    name.first() == Some(&(CASE_HANDED as u8))
}

/// Puts a line at the end of the list, unless that has so many bytes or there is none; whether it did.
///
/// # Safety
/// [`LIST`] is a C string; `rest` writes [`LINE_BYTES`] less 19 at most.
unsafe fn tell(sign: u8, number: u64, room: u64, rest: impl FnOnce(&mut Writer)) -> bool {
    // SAFETY: the static is as long as said.
    if unsafe { *(&raw const LIST).cast::<u8>() } == 0 {
        return false;
    }
    // Not zeros, for which the program's `memset` would be called.
    let mut line = MaybeUninit::<[u8; LINE_BYTES]>::uninit();
    let start = line.as_mut_ptr().cast::<u8>();
    // SAFETY: the line is long enough; the path vouched for by the caller.
    unsafe {
        let mut writer = Writer(start);
        writer.byte(sign);
        word(&mut writer, number);
        writer.byte(b' ');
        rest(&mut writer);
        writer.byte(b'\n');
        let length = (writer.0 as usize).wrapping_sub(start as usize);
        let Ok(file) = File::open((&raw const LIST).cast(), O_RDWR | O_CLOEXEC) else { return false };
        // What cannot be written is missed by who reads the list.
        let is_told = file.lock().is_ok()
            && file.length().is_ok_and(|end| end < room && file.write_at(start, length, end).is_ok());
        file.unlock();
        is_told
    }
}

/// # Safety
/// There is room for sixteen bytes.
unsafe fn word(to: &mut Writer, number: u64) {
    for byte in number.to_be_bytes() {
        // SAFETY: vouched for by the caller.
        unsafe { to.hexadecimal(byte) }
    }
}
