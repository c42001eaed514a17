//! Signals of suspect's own process. Of Ctrl-C the first one ends what is under way in good order, the second one ends suspect.

use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn interrupted(_: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Catches the first interrupt or request to end from now on: it sets the flag that is returned. Workers, which have sessions of their own, get none.
pub fn catch() -> nix::Result<&'static AtomicBool> {
    let flags = SaFlags::SA_RESTART | SaFlags::SA_RESETHAND;
    let action = SigAction::new(SigHandler::Handler(interrupted), flags, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        // SAFETY: the handler does nothing but store to an atomic.
        unsafe { sigaction(signal, &action) }?;
    }
    Ok(&INTERRUPTED)
}

/// Has the ends of children be told to whoever waits for them, here and in programs that are started: who started suspect may ignore them.
pub fn await_children() {
    let action = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // SAFETY: no handler is installed.
    let done = unsafe { sigaction(Signal::SIGCHLD, &action) };
    debug_assert!(done.is_ok(), "this signal may be caught");
}

/// Whether there was an interrupt since [`catch`].
pub fn happened() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
