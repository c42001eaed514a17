//! Where a failing test says so, and whether a trial says so of an earlier check or a later one.

use std::cmp::Ordering;

use super::End;
use super::file::compared;
use super::frame::Written;
use crate::suite::{complains, complaint, named_place};

/// Where a failing test says so that may pass although it still does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    /// 0 where it stands on standard output, 1 for standard error.
    pub on: usize,
    /// The offset at which it begins.
    pub start: u64,
    /// The offset at which it ends.
    pub end: u64,
    /// File and line of the check, if it names them.
    place: Option<(String, u32)>,
}

/// What a trial wrote to the stream that a complaint is on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrote<'a> {
    /// Bytes that are the failing run's.
    pub same: u64,
    /// Those that follow them, if any, as far as they are kept; zeros behind them.
    pub otherwise: &'a [u8],
    /// Bytes in all.
    pub length: u64,
}

impl Complaint {
    /// Of a failing run whose streams are the same each time as far as `looks_at` says.
    pub(super) fn of(outputs: &[Written; 2], looks_at: [bool; 2]) -> Option<Complaint> {
        [1, 0].into_iter().find_map(|on| {
            let said = compared(&outputs[on].bytes);
            let at = complaint(said).filter(|_| looks_at[on])?;
            let line = String::from_utf8_lossy(&said[at.clone()]);
            let place = named_place(&line).map(|(file, line)| (file.to_owned(), line));
            Some(Complaint { on, start: at.start as u64, end: at.end as u64, place })
        })
    }

    /// How the check that a trial fails stands to the one that fails without any change, as the program comes to them; `None` where that cannot be told.
    /// `own` is what the failing run wrote. A trial that crashes before it says anything else came less far.
    pub(super) fn reached(&self, own: &[u8], wrote: Wrote, end: End) -> Option<Ordering> {
        let Wrote { same, otherwise, length } = wrote;
        if same >= self.end {
            return Some(Ordering::Equal);
        }
        let before = own.get(..same as usize)?;
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let kept = otherwise.iter().position(|byte| *byte == 0).unwrap_or(otherwise.len());
        if kept == 0 && length <= self.start && matches!(end, End::Signalled(_)) {
            return Some(Ordering::Less);
        }
        let text = [&before[line..], &otherwise[..kept]].concat();
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.split_inclusive('\n').filter(|line| complains(line) || !line.ends_with('\n'));
        let said = lines.next()?;
        match (&self.place, named_place(said)) {
            (Some((file, line)), Some((other, at))) if file == other => Some(at.cmp(line)),
            (None, None) if complains(said) && same < self.start => Some(Ordering::Less),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far a trial that writes `written` comes in a test that fails with `own` on standard error.
    fn reached(own: &str, written: &str, end: End) -> Option<Ordering> {
        let own_bytes = own.as_bytes();
        let outputs = [Written::default(), Written { length: own.len() as u64, hash: 0, bytes: own_bytes.to_vec() }];
        let complaint = Complaint::of(&outputs, [true; 2]).unwrap();
        let same = own.bytes().zip(written.bytes()).take_while(|(one, other)| one == other).count();
        let otherwise = &written.as_bytes()[same..];
        let wrote = Wrote { same: same as u64, otherwise, length: written.len() as u64 };
        complaint.reached(own_bytes, wrote, end)
    }

    #[test]
    fn a_check_is_earlier_by_its_line_or_by_what_was_said_before_it() {
        use Ordering::{Equal, Greater, Less};
        let failed = End::Exited(1);
        let own = "reading\nt/sum.c:120: 3 expected\n";
        assert_eq!(reached(own, "reading\nt/sum.c:19: 4 expected\n", failed), Some(Less));
        assert_eq!(reached(own, "reading\nt/sum.c:98: 4 expected\n", failed), Some(Less));
        assert_eq!(reached(own, "reading\nt/sum.c:121: 4 expected\n", failed), Some(Greater));
        assert_eq!(reached(own, "reading\nt/sum.c:120: 4 expected\n", failed), Some(Equal), "another value");
        assert_eq!(reached(own, own, failed), Some(Equal));
        assert_eq!(reached(own, "reading\nt/other.c:98: 4 expected\n", failed), None, "another file");
        assert_eq!(reached(own, "reading\nhelp\n", failed), None);
        assert_eq!(reached(own, "reading\n", failed), None, "it says nothing");
        assert_eq!(reached(own, "reading\n", End::Signalled(11)), Some(Less), "a crash");
        let tap = "ok 1\nok 2\nnot ok 3 - sum\n";
        assert_eq!(reached(tap, "ok 1\nnot ok 2\nnot ok 3 - sum\n", failed), Some(Less));
        assert_eq!(reached(tap, "ok 1\nok 2\nok 3 - sum\n", failed), None);
        assert_eq!(reached(tap, "ok 1\nok 2 with care\nok 3 - sum\n", failed), None, "no other check fails");
    }
}
