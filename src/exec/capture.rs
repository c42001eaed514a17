//! Reading what a command writes without ever waiting for whoever else holds the pipe.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::AsFd;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use super::Output;

/// Bytes read before looking at the other streams again.
const CHUNK: usize = 64 * 1024;

/// One stream of a running command.
pub(super) struct Capture {
    reader: Option<PipeReader>,
    keep: usize,
    total: u64,
    output: Output,
}

impl Capture {
    /// A pipe of which the first `keep` bytes are kept and the rest is thrown away.
    pub(super) fn pipe(keep: usize) -> io::Result<(Capture, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        fcntl(reader.as_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        Ok((Capture { reader: Some(reader), keep, total: 0, output: Output::default() }, writer))
    }

    /// A stream that nobody writes.
    pub(super) fn closed() -> Capture {
        Capture { reader: None, keep: 0, total: 0, output: Output::default() }
    }

    /// The pipe to poll, if it is still open.
    pub(super) fn reader(&self) -> Option<&PipeReader> {
        self.reader.as_ref()
    }

    /// Bytes written so far, kept or not.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Takes what is there, at most one chunk; false when there was nothing.
    pub(super) fn read(&mut self) -> io::Result<bool> {
        let Some(reader) = &mut self.reader else { return Ok(false) };
        let mut buffer = [0; CHUNK];
        match reader.read(&mut buffer) {
            Ok(0) => {
                self.reader = None;
                Ok(false)
            }
            Ok(n) => {
                self.total += n as u64;
                let room = self.keep - self.output.bytes.len();
                self.output.truncated |= n > room;
                self.output.bytes.extend_from_slice(&buffer[..n.min(room)]);
                Ok(true)
            }
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(e) => Err(e),
        }
    }

    /// Takes what was written before the first process ended and closes the pipe. What outlives the first process may go on
    /// writing, so no more is taken than a pipe can hold.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let Some(reader) = &self.reader else { return Ok(()) };
        let size = fcntl(reader.as_fd(), FcntlArg::F_GETPIPE_SZ).unwrap_or(1 << 20) as u64;
        let end = self.total + size;
        while self.total < end && self.read()? {}
        self.reader = None;
        Ok(())
    }

    /// What was kept.
    pub(super) fn into_output(self) -> Output {
        self.output
    }
}
