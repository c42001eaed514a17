//! The functions that the `record` version of the program calls.

use core::ffi::c_void;

use suspect_format::abi::STATE_OUTSIDE;
use suspect_format::external::{External, INDIRECT, Role, external};
use suspect_format::record::{Entry, LIVE_ARMED, LIVE_STEP, Mirror, STATUS_UNRECORDED, callee_outcome};

use crate::os::{symbols, sys};
use crate::record::effects;
use crate::record::open_calls::Progress;
use crate::record::recording::{LENT, RECORDS, REPLAYS, Recording, Work, quick_work, work};

/// A function is entered. Not 0: its parameters are to be told.
///
/// # Safety
/// Called by the `record` version, like all hooks here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_enter(id: u32, frame: u64, function: u64, _addresses: *const c_void) -> u32 {
    // SAFETY: a word of this module's state page; the rest is vouched for by the caller.
    unsafe {
        let outside = &raw mut (*symbols::state())[STATE_OUTSIDE];
        let is_outside = *outside != 0;
        *outside = 0;
        if let Some((mut work, mut window)) = quick_work()
            && (!is_outside || is_callee(&mut work, function))
        {
            work.mirror.put_entered(&mut window, Entry { id, function, frame });
            work.commit(window);
            return 0;
        }
        entered_otherwise(Entry { id, function, frame }, is_outside)
    }
}

/// Whether `function` is the callee of the call that began last, and known to be recorded.
#[inline(always)]
fn is_callee(recording: &mut Recording, function: u64) -> bool {
    let is_known = recording.is_known(function);
    match recording.calls.top() {
        Some(call) if is_known && call.callee == function && call.progress == Progress::Fresh => {
            call.progress = Progress::Entered;
            true
        }
        _ => false,
    }
}

/// # Safety
/// As [`__suspect_enter`].
#[cold]
#[inline(never)]
unsafe fn entered_otherwise(entry: Entry, is_outside: bool) -> u32 {
    // SAFETY: vouched for by the caller.
    unsafe {
        let Some(mut work) = work() else { return 0 };
        if work.tasks & REPLAYS != 0 {
            work.replay.entered(entry.id, entry.frame);
        }
        if work.tasks & RECORDS == 0 {
            return 0;
        }
        entered(&mut work, entry, is_outside)
    }
}

#[inline(always)]
fn entered(recording: &mut Recording, entry: Entry, is_outside: bool) -> u32 {
    let n_left = if is_outside { recording.calls.leave(entry.frame) } else { 0 };
    let Some(mut window) = recording.window() else { return 0 };
    if n_left > 0 {
        Mirror::put_left(&mut window, n_left);
    }
    let is_code_outside = recording.calls.top().is_some_and(|call| call.progress == Progress::Fresh);
    let is_callback = is_outside && calls_back(recording, entry.function);
    if is_callback {
        if !is_code_outside && recording.is_handler(entry.function) {
            recording.interrupted(&window);
        }
        Mirror::put_callback(&mut window);
    }
    recording.mirror.put_entered(&mut window, entry);
    recording.commit(window);
    u32::from(is_callback)
}

/// Whether `function`, called through its symbol, is called by code that is not recorded. If not it is the callee of the call that began last.
fn calls_back(recording: &mut Recording, function: u64) -> bool {
    let Some(call) = recording.calls.top() else { return true };
    if call.progress != Progress::Fresh {
        return true;
    }
    if call.callee != function {
        call.progress = Progress::CallsBack;
        return true;
    }
    call.progress = Progress::Entered;
    recording.know(function);
    false
}

/// The step with this number is about to begin.
///
/// # Safety
/// As [`__suspect_enter`].
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_step(number: u32) {
    core::arch::naked_asm!(
        "movabs rax, {step}",
        "mov dword ptr [rax], edi",
        "cmp dword ptr [rax + {armed}], 0",
        "jne 2f",
        "ret",
        "2:",
        "mov rdi, rsp",
        "jmp {point}",
        step = const LIVE_STEP,
        armed = const LIVE_ARMED - LIVE_STEP,
        point = sym point,
    )
}

/// It begins where a plan looks for it.
///
/// # Safety
/// As [`__suspect_enter`].
unsafe extern "C" fn point(stack: u64) {
    // SAFETY: vouched for by the caller.
    if let Some(mut work) = unsafe { work() }
        && work.tasks & REPLAYS != 0
    {
        work.replay.point(stack);
    }
}

/// A value that the code does not tell.
///
/// # Safety
/// As [`__suspect_enter`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_loaded(slot: u32, bits: u64) {
    // SAFETY: vouched for by the caller.
    unsafe {
        let Some((mut work, mut window)) = quick_work() else { return loaded(slot, bits) };
        work.mirror.put_loaded(&mut window, slot, bits);
        work.commit(window);
    }
}

/// # Safety
/// As [`__suspect_enter`].
#[cold]
#[inline(never)]
unsafe fn loaded(slot: u32, bits: u64) {
    // SAFETY: vouched for by the caller.
    let Some(mut work) = (unsafe { work() }) else { return };
    if work.tasks & RECORDS != 0
        && let Some(mut window) = work.window()
    {
        work.mirror.put_loaded(&mut window, slot, bits);
        work.commit(window);
    }
}

/// A branch would go the way `outcome` of `ways`; the way that it goes.
///
/// # Safety
/// As [`__suspect_enter`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_branch(outcome: u64, ways: u32) -> u64 {
    // SAFETY: vouched for by the caller.
    unsafe {
        let Some((mut work, mut window)) = quick_work() else { return branch(outcome, ways) };
        work.mirror.put_branch(&mut window, outcome, ways);
        work.commit_bits(window);
    }
    outcome
}

/// # Safety
/// As [`__suspect_enter`].
#[cold]
#[inline(never)]
unsafe fn branch(outcome: u64, ways: u32) -> u64 {
    // SAFETY: vouched for by the caller.
    let Some(mut work) = (unsafe { work() }) else { return outcome };
    let way = match work.tasks & REPLAYS {
        0 => outcome,
        _ if ways < 2 => outcome,
        _ => u64::from(work.replay.decide(outcome as u32, true)),
    };
    if work.tasks & RECORDS != 0
        && let Some(mut window) = work.window()
    {
        work.mirror.put_branch(&mut window, way, ways);
        work.commit_bits(window);
    }
    way
}

/// A function that may have no `record` version is about to be called.
///
/// # Safety
/// As [`__suspect_enter`]; `count` words at `arguments`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_call(external: u32, callee: u64, arguments: *const u64, count: u32) {
    // SAFETY: vouched for by the caller.
    unsafe {
        // The callee is known to be recorded: there is nothing to compare afterwards.
        if external >= INDIRECT
            && let Some((mut work, _)) = quick_work()
            && work.is_known(callee)
            && work.calls.push(arguments as u64, callee, external, count, 0)
        {
            return;
        }
        call(external, callee, arguments, count);
    }
}

/// # Safety
/// As [`__suspect_call`].
#[inline(never)]
unsafe fn call(external: u32, callee: u64, arguments: *const u64, count: u32) {
    // SAFETY: vouched for by the caller.
    let Some(mut work) = (unsafe { work() }) else { return };
    if work.tasks & REPLAYS != 0 {
        if external == INDIRECT {
            work.replay.decide(callee_outcome(callee), false);
        }
        // SAFETY: vouched for by the caller.
        work.replay.called(unsafe { core::slice::from_raw_parts(arguments, count as usize) });
    }
    if work.tasks & RECORDS != 0 {
        let errno = errno().map_or(0, |(_, value)| value);
        if !work.calls.push(arguments as u64, callee, external, count, errno) {
            return work.stop(STATUS_UNRECORDED);
        }
        // SAFETY: vouched for by the caller.
        unsafe { effects::begin(&mut work) };
    }
}

/// It has returned.
///
/// # Safety
/// As [`__suspect_call`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_called(arguments: *const u64, result: u64) {
    // SAFETY: vouched for by the caller.
    unsafe {
        if let Some((mut work, _)) = quick_work()
            && let Some(call) = work.calls.top()
            && call.arguments == arguments as u64
            && call.progress == Progress::Entered
        {
            return work.calls.pop();
        }
        called(arguments, result);
    }
}

/// # Safety
/// As [`__suspect_call`].
#[inline(never)]
unsafe fn called(arguments: *const u64, result: u64) {
    // SAFETY: vouched for by the caller.
    let Some(mut work) = (unsafe { work() }) else { return };
    if work.tasks & LENT != 0 {
        if sys::process_id() != work.pid {
            return;
        }
        work.take_back();
    }
    if is_recorded(&work) {
        returned(&mut work, arguments as u64, result);
    }
}

fn is_recorded(work: &Work) -> bool {
    work.tasks & (RECORDS | LENT) != 0
}

fn returned(recording: &mut Recording, arguments: u64, result: u64) {
    // Calls further in are no more: a jump has left them.
    let n_left = recording.calls.leave(arguments.wrapping_sub(1));
    let external_number = match recording.calls.top() {
        Some(call) if call.arguments == arguments && call.progress == Progress::Entered => {
            return recording.calls.pop();
        }
        Some(call) if call.arguments == arguments => call.external,
        _ => return,
    };
    if is_lent(recording, external_number, result) {
        return recording.lend();
    }
    let mut ranges = effects::Ranges::new();
    // SAFETY: the innermost call is the one that returned.
    unsafe { effects::find(&mut ranges, recording, result, errno()) };
    recording.calls.pop();
    let ranges = ranges.all();
    let Some(mut window) = recording.window() else { return };
    if n_left > 0 {
        Mirror::put_left(&mut window, n_left);
    }
    recording.mirror.put_done(&mut window, external_number, result, ranges.len() as u64);
    for (address, length) in ranges {
        recording.mirror.put_range(&mut window, address, length);
        // SAFETY: ranges can be read.
        match unsafe { recording.put_bytes(window, address, length) } {
            Some(after) => window = after,
            None => return,
        }
    }
    recording.commit(window);
}

/// Whether this is the child that `vfork` made, in its parent's memory.
fn is_lent(recording: &Recording, number: u32, result: u64) -> bool {
    let forks = external(number).is_some_and(|External { role, .. }| *role == Role::Forks);
    forks && result as u32 == 0 && sys::process_id() != recording.pid
}

/// Where the thread's `errno` is, and what it is.
fn errno() -> Option<(u64, i32)> {
    let address = symbols::errno_address();
    // SAFETY: the C library's variable.
    (!address.is_null()).then(|| (address as u64, unsafe { *address }))
}

/// `setjmp` returned.
///
/// # Safety
/// As [`__suspect_enter`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_setjmp(frame: u64, result: u64) {
    if result as u32 == 0 {
        return;
    }
    // SAFETY: vouched for by the caller.
    unsafe {
        match work() {
            Some(mut work) if work.tasks & RECORDS != 0 => {
                work.calls.unwind(frame);
                if let Some(mut window) = work.window() {
                    work.mirror.put_jumped(&mut window, frame, result);
                    work.commit(window);
                }
            }
            Some(_) => {}
            // A handler that interrupted a hook has jumped out of it: what that one was about to write is lost.
            None => crate::record::recording::abandon(),
        }
    }
}
