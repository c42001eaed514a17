//! The clock that the `record` version asks instead of the C library's: it can be held, so that a run is made once more as if no time had passed.

use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::os::{symbols, sys};

/// When the clock is held, seconds since 1970; zero: it is not.
static HELD: AtomicU64 = AtomicU64::new(0);
/// When this module was started, nanoseconds since 1970.
static STARTED: AtomicU64 = AtomicU64::new(0);

const NANOSECONDS: u64 = 1_000_000_000;
/// `CLOCKS_PER_SEC`, which POSIX says.
const TICKS: i64 = 1_000_000;
/// `CLOCK_PROCESS_CPUTIME_ID` and `CLOCK_THREAD_CPUTIME_ID`; smaller ids are of other processes' time, too.
const CPU_CLOCKS: [c_int; 2] = [2, 3];

/// Seconds, and a part of the next one.
#[repr(C)]
pub struct Time {
    seconds: i64,
    part: i64,
}

/// Holds this module's clock, if `seconds` is not zero.
pub fn hold(seconds: u64) {
    STARTED.store(sys::now(), Ordering::Relaxed);
    HELD.store(seconds, Ordering::Relaxed);
}

/// What a clock that is held says: whole seconds, because no two runs take the same part of one. `None` if it is not held.
fn now() -> Option<i64> {
    let held = HELD.load(Ordering::Relaxed);
    let passed = || sys::now().saturating_sub(STARTED.load(Ordering::Relaxed)) / NANOSECONDS;
    (held != 0).then(|| held.saturating_add(passed()) as i64)
}

/// # Safety
/// As C's `time`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_time(at: *mut i64) -> i64 {
    type Call = unsafe extern "C" fn(*mut i64) -> i64;
    // SAFETY: POSIX gives `time` this type, and the caller, which was about to call it, vouches for its argument. It is there, as code calls it.
    unsafe {
        let real = transmute::<*mut c_void, Call>(symbols::time())(at);
        let Some(now) = now() else { return real };
        if !at.is_null() {
            at.write(now);
        }
        now
    }
}

/// # Safety
/// As C's `clock`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_clock() -> i64 {
    type Call = unsafe extern "C" fn() -> i64;
    // SAFETY: as in `__suspect_time`.
    let real = unsafe { transmute::<*mut c_void, Call>(symbols::clock())() };
    match now() {
        Some(_) => real.wrapping_sub(real.wrapping_rem(TICKS)),
        None => real,
    }
}

/// # Safety
/// As POSIX's `gettimeofday`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_gettimeofday(at: *mut Time, zone: *mut c_void) -> c_int {
    type Call = unsafe extern "C" fn(*mut Time, *mut c_void) -> c_int;
    // SAFETY: as in `__suspect_time`.
    unsafe {
        let result = transmute::<*mut c_void, Call>(symbols::gettimeofday())(at, zone);
        put(at, result == 0);
        result
    }
}

/// # Safety
/// As POSIX's `clock_gettime`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_clock_gettime(id: c_int, at: *mut Time) -> c_int {
    type Call = unsafe extern "C" fn(c_int, *mut Time) -> c_int;
    // SAFETY: as in `__suspect_time`; a call that succeeded has written to `at`.
    unsafe {
        let result = transmute::<*mut c_void, Call>(symbols::clock_gettime())(id, at);
        if id >= 0 && !CPU_CLOCKS.contains(&id) {
            put(at, result == 0);
        } else if result == 0 && now().is_some() {
            (*at).part = 0;
        }
        result
    }
}

/// # Safety
/// As C's `timespec_get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_timespec_get(at: *mut Time, base: c_int) -> c_int {
    type Call = unsafe extern "C" fn(*mut Time, c_int) -> c_int;
    // SAFETY: as in `__suspect_time`.
    unsafe {
        let result = transmute::<*mut c_void, Call>(symbols::timespec_get())(at, base);
        put(at, result != 0);
        result
    }
}

/// Says what the clock says, if it is held and the library `answered`.
///
/// # Safety
/// `at` is null or can be written.
unsafe fn put(at: *mut Time, answered: bool) {
    if let Some(seconds) = now().filter(|_| answered && !at.is_null()) {
        // SAFETY: vouched for by the caller.
        unsafe { at.write(Time { seconds, part: 0 }) }
    }
}
