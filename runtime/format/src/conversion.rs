//! Conversions of format strings: which arguments `printf` reads text at, and where `scanf` writes.

/// The argument of a `printf` conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// A number or an address: its bits.
    Word,
    /// The address of text of at most so many bytes.
    Text(u64),
    /// The address of a text of wide characters.
    Wide,
    /// Where the number of bytes printed so far is written, in so many bytes.
    Written(u8),
}

/// The argument of a `scanf` conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scanned {
    /// So many bytes are written.
    Bytes(u64),
    /// Text is written, ended by a zero.
    Text,
    /// The number of bytes read so far is written, in so many bytes; the conversion does not count.
    Taken(u8),
}

/// The arguments of a `printf` format, in order. A format that numbers its arguments has none here.
#[derive(Clone, Debug)]
pub struct Prints<'a> {
    rest: &'a [u8],
    /// The conversion that the next argument is for, after its `*`s.
    precision: u64,
    inside: bool,
}

impl<'a> Prints<'a> {
    /// Those of `format`, without its final zero.
    pub const fn new(format: &'a [u8]) -> Self {
        Prints { rest: format, precision: u64::MAX, inside: false }
    }
}

/// Takes the first byte off.
#[inline]
fn next<'a>(rest: &mut &'a [u8]) -> Option<&'a u8> {
    let (first, tail) = rest.split_first()?;
    *rest = tail;
    Some(first)
}

/// Takes a decimal number off, 0 if there is none.
#[inline]
fn decimal(rest: &mut &[u8]) -> u64 {
    let mut number = 0u64;
    while let Some((digit @ b'0'..=b'9', tail)) = rest.split_first() {
        number = number.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0')));
        *rest = tail;
    }
    number
}

/// Takes the length modifiers off; bytes of an integer with them, and whether they say `l` or `L`.
#[inline]
fn modifiers(rest: &mut &[u8]) -> (u8, bool, bool) {
    let (mut bytes, mut long, mut longest) = (4, false, false);
    while let Some((letter @ (b'h' | b'l' | b'q' | b'j' | b'z' | b't' | b'L' | b'Z'), tail)) = rest.split_first() {
        match letter {
            b'h' if bytes == 2 => bytes = 1,
            b'h' => bytes = 2,
            b'L' => (bytes, longest) = (8, true),
            letter => (bytes, long) = (8, long || *letter == b'l'),
        }
        *rest = tail;
    }
    (bytes, long, longest)
}

impl Iterator for Prints<'_> {
    type Item = Printed;

    fn next(&mut self) -> Option<Printed> {
        loop {
            if !self.inside {
                while *next(&mut self.rest)? != b'%' {}
                (self.inside, self.precision) = (true, u64::MAX);
            }
            while let Some((b'-' | b'+' | b' ' | b'#' | b'0' | b'\'' | b'I' | b'1'..=b'9', tail)) =
                self.rest.split_first()
            {
                self.rest = tail;
            }
            match self.rest.split_first() {
                Some((b'*', tail)) => {
                    self.rest = tail;
                    return Some(Printed::Word);
                }
                Some((b'.', [b'*', tail @ ..])) => {
                    self.rest = tail;
                    return Some(Printed::Word);
                }
                Some((b'.', tail)) => {
                    self.rest = tail;
                    self.precision = decimal(&mut self.rest);
                }
                Some((b'$', _)) => return None,
                _ => {}
            }
            let (bytes, long, _) = modifiers(&mut self.rest);
            self.inside = false;
            return Some(match next(&mut self.rest)? {
                b'%' => continue,
                b'm' => continue,
                b's' if long => Printed::Wide,
                b'S' => Printed::Wide,
                b's' => Printed::Text(self.precision),
                b'n' => Printed::Written(bytes),
                _ => Printed::Word,
            });
        }
    }
}

/// The arguments of a `scanf` format, in order.
#[derive(Clone, Debug)]
pub struct Scans<'a> {
    rest: &'a [u8],
}

impl<'a> Scans<'a> {
    /// Those of `format`, without its final zero.
    pub const fn new(format: &'a [u8]) -> Self {
        Scans { rest: format }
    }
}

impl Iterator for Scans<'_> {
    type Item = Scanned;

    #[inline]
    fn next(&mut self) -> Option<Scanned> {
        loop {
            while *next(&mut self.rest)? != b'%' {}
            let mut kept = true;
            let mut allocated = false;
            while let Some((letter @ (b'*' | b'\'' | b'I' | b'm'), tail)) = self.rest.split_first() {
                kept &= *letter != b'*';
                allocated |= *letter == b'm';
                self.rest = tail;
            }
            let width = decimal(&mut self.rest);
            while let Some((b'm', tail)) = self.rest.split_first() {
                allocated = true;
                self.rest = tail;
            }
            let (bytes, long, longest) = modifiers(&mut self.rest);
            let letter = *next(&mut self.rest)?;
            if letter == b'[' {
                self.rest = after_set(self.rest);
            }
            let scanned = match letter {
                b'%' => continue,
                b'$' => return None,
                _ if allocated => Scanned::Bytes(8),
                b'[' => Scanned::Text,
                b's' => Scanned::Text,
                b'c' => Scanned::Bytes(width.max(1)),
                b'a' | b'e' | b'f' | b'g' | b'A' | b'E' | b'F' | b'G' if longest => Scanned::Bytes(16),
                b'a' | b'e' | b'f' | b'g' | b'A' | b'E' | b'F' | b'G' => Scanned::Bytes(if long { 8 } else { 4 }),
                b'p' => Scanned::Bytes(8),
                b'n' => Scanned::Taken(bytes),
                _ => Scanned::Bytes(u64::from(bytes)),
            };
            if kept {
                return Some(scanned);
            }
        }
    }
}

/// What follows a set of characters, of which the brace that opens it is gone (`]abc]`, `^]abc]`).
#[inline]
fn after_set(set: &[u8]) -> &[u8] {
    let set = set.strip_prefix(b"^").unwrap_or(set);
    let rest = set.get(1..).unwrap_or(&[]);
    let length = rest.iter().position(|byte| *byte == b']').map_or(rest.len(), |at| at.saturating_add(1));
    rest.get(length..).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn printf_reads_text_where_it_is_told_to() {
        use Printed::{Text, Wide, Word, Written};
        let printed = |format: &str| Prints::new(format.as_bytes()).collect::<Vec<_>>();
        assert_eq!(printed("plain %% text %"), []);
        assert_eq!(printed("%d %-5s|%08.3f %c"), [Word, Text(u64::MAX), Word, Word]);
        assert_eq!(printed("%.7s %.s %ls %zu %hhn"), [Text(7), Text(0), Wide, Word, Written(1)]);
        assert_eq!(printed("%*.*f %-*s"), [Word, Word, Word, Word, Text(u64::MAX)]);
        assert_eq!(printed("%lld%p%m%x"), [Word, Word, Word]);
        assert_eq!(printed("%2$s %1$s"), []);
    }

    #[test]
    fn scanf_writes_what_it_is_told_to() {
        use Scanned::{Bytes, Taken, Text};
        let scanned = |format: &str| Scans::new(format.as_bytes()).collect::<Vec<_>>();
        assert_eq!(scanned("%d %ld %hd %hhu %zu"), [Bytes(4), Bytes(8), Bytes(2), Bytes(1), Bytes(8)]);
        assert_eq!(scanned("%f %lf %Lf %p"), [Bytes(4), Bytes(8), Bytes(16), Bytes(8)]);
        assert_eq!(scanned("%*d%s %10s %c %5c%n%%"), [Text, Text, Bytes(1), Bytes(5), Taken(4)]);
        assert_eq!(scanned("%[]x] %[^]] %d"), [Text, Text, Bytes(4)]);
        assert_eq!(scanned("%ms %d"), [Bytes(8), Bytes(4)]);
        assert_eq!(scanned("%"), []);
        assert_eq!(scanned("%["), [Text]);
    }

    proptest! {
        /// Each conversion takes a byte of the format at least, whatever bytes it has.
        #[test]
        fn any_format_ends(format in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(&b"%%%%*.0[]^$lhLsdn"[..])], 0..60)) {
            prop_assert!(Prints::new(&format).count() <= format.len());
            prop_assert!(Scans::new(&format).count() <= format.len());
        }

        /// A format made of known parts has their arguments, whatever text is between them.
        #[test]
        fn conversions_are_told_one_after_another(
            parts in prop::collection::vec((prop::sample::select(&PARTS[..]), "[a-z ]{0,3}(%%)?"), 0..9),
        ) {
            use std::string::String;
            let format: String = parts.iter().flat_map(|((text, ..), between)| [*text, between.as_str()]).collect();
            let printed: Vec<Printed> = parts.iter().flat_map(|((_, arguments, _), _)| arguments.iter().copied()).collect();
            prop_assert_eq!(Prints::new(format.as_bytes()).collect::<Vec<_>>(), printed);
            let parts: Vec<_> = parts.iter().filter(|((text, ..), _)| !text.contains('*')).collect();
            let format: String = parts.iter().flat_map(|((text, ..), between)| [*text, between.as_str()]).collect();
            let scanned: Vec<Scanned> = parts.iter().map(|((_, _, argument), _)| *argument).collect();
            prop_assert_eq!(Scans::new(format.as_bytes()).collect::<Vec<_>>(), scanned);
        }
    }

    /// Conversions with what they are to `printf` and to `scanf`.
    const PARTS: [(&str, &[Printed], Scanned); 8] = [
        ("%d", &[Printed::Word], Scanned::Bytes(4)),
        ("%lu", &[Printed::Word], Scanned::Bytes(8)),
        ("%hx", &[Printed::Word], Scanned::Bytes(2)),
        ("%5s", &[Printed::Text(u64::MAX)], Scanned::Text),
        ("%lf", &[Printed::Word], Scanned::Bytes(8)),
        ("%p", &[Printed::Word], Scanned::Bytes(8)),
        ("%hhn", &[Printed::Written(1)], Scanned::Taken(1)),
        ("%*d", &[Printed::Word, Printed::Word], Scanned::Bytes(4)),
    ];
}
