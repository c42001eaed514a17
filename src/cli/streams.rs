//! Standard output and error as programs that are read by others need them: a reader that went away is no failure.

use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigHandler, Signal, raise, signal};

/// Writes on, into nothing, when nobody reads any more (`suspect rank | head`). What a command keeps is kept all the same.
pub struct Unread<W> {
    inner: W,
    is_closed: bool,
}

impl<W: Write> Unread<W> {
    /// Nobody has gone away yet.
    pub fn new(inner: W) -> Unread<W> {
        Unread { inner, is_closed: false }
    }

    /// `otherwise` where the reader is gone or goes now.
    fn or<T>(&mut self, otherwise: T, write: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.is_closed {
            return Ok(otherwise);
        }
        match write(&mut self.inner) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(otherwise)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for Unread<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.or(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.or((), Write::flush)
    }
}

/// Whether standard output is a pipe that nobody reads any more.
pub fn is_unread() -> bool {
    let stdout = io::stdout();
    let mut polled = [PollFd::new(stdout.as_fd(), PollFlags::empty())];
    poll(&mut polled, PollTimeout::ZERO).is_ok() && polled[0].any() == Some(true)
}

/// Ends as programs do that write into such a pipe: killed by SIGPIPE.
pub fn die_unread() {
    // SAFETY: the default action of a signal runs no code of ours.
    let restored = unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) };
    // Where that is refused the exit code tells.
    let _ = restored.and_then(|_| raise(Signal::SIGPIPE));
}

/// A line on standard error. Where nobody reads it there is nobody to tell.
macro_rules! say {
    ($($arguments:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(anstream::stderr(), $($arguments)*);
    }};
}

pub(crate) use say;

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes so many bytes; then its reader is gone.
    struct Pipe(usize);

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            if taken == 0 { Err(ErrorKind::BrokenPipe.into()) } else { Ok(taken) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(ErrorKind::StorageFull.into())
        }
    }

    #[test]
    fn what_nobody_reads_is_no_failure_and_a_full_disk_is() {
        let mut out = Unread::new(Pipe(3));
        assert_eq!(out.flush().unwrap_err().kind(), ErrorKind::StorageFull);
        out.write_all(b"four").unwrap();
        out.write_all(b"more").unwrap();
        out.flush().unwrap();
    }
}
