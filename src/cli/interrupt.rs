//! Ctrl-C: the first one ends what is under way in good order, the second one ends suspect.

use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use super::exit::{Exit, Failure};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn interrupted(_: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// From now on the first interrupt or request to end sets what this returns; workers, which have sessions of their own, get none.
pub fn catch() -> Result<&'static AtomicBool, Failure> {
    let flags = SaFlags::SA_RESTART | SaFlags::SA_RESETHAND;
    let action = SigAction::new(SigHandler::Handler(interrupted), flags, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        // SAFETY: the handler does nothing but store to an atomic.
        unsafe { sigaction(signal, &action) }.map_err(Failure::of(Exit::Internal))?;
    }
    Ok(&INTERRUPTED)
}

/// Whether there was one.
pub fn happened() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
