//! Children that are forked behind the program's back, and waited for.

use crate::os::sys::{self, EINTR};

/// What became of a fork.
pub enum Forked {
    /// This is the child.
    Child,
    /// The child ended with this status, as `wait` has it.
    Ended(i32),
    /// It was ended because its time was up.
    TimedOut,
    /// There is none.
    Refused,
}

/// Forks a child that may run for `wall_ns` nanoseconds, and waits for its end. None of the C library's handlers run.
pub fn fork(wall_ns: u64) -> Forked {
    let Ok((id, pidfd)) = sys::clone() else { return Forked::Refused };
    if id == 0 {
        sys::die_with_parent();
        return Forked::Child;
    }
    let in_time = sys::poll(&pidfd, wall_ns);
    if !in_time {
        sys::kill(id);
    }
    let status = loop {
        match sys::wait(id) {
            Err(EINTR) => {}
            answer => break answer.unwrap_or(0),
        }
    };
    if in_time { Forked::Ended(status) } else { Forked::TimedOut }
}
