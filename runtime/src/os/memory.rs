//! Bytes and C strings, without the C library's `memcpy` and `strlen` (which the program may have replaced).

use core::arch::asm;
use core::ffi::c_char;

/// Copies `length` bytes.
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`].
pub unsafe fn copy(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: the direction flag is clear by the calling convention; the caller vouches for the bytes.
    unsafe {
        asm!("rep movsb", inout("rcx") length => _, inout("rsi") from => _, inout("rdi") to => _,
             options(nostack, preserves_flags));
    }
}

/// Whether `length` bytes at two addresses are the same.
///
/// # Safety
/// Both can be read.
pub unsafe fn same(one: usize, other: usize, length: usize) -> bool {
    let mut index = 0usize;
    // SAFETY: vouched for by the caller.
    unsafe {
        while index < length {
            if *(one as *const u8).wrapping_add(index) != *(other as *const u8).wrapping_add(index) {
                return false;
            }
            index = index.wrapping_add(1);
        }
    }
    true
}

/// What follows `name` and `=` in the C string `entry`.
///
/// # Safety
/// `entry` ends with a zero byte.
pub unsafe fn value_of(entry: *const c_char, name: &str) -> Option<*const c_char> {
    // SAFETY: the comparison ends at the first byte that differs, the final zero at the latest.
    unsafe { after(entry, name.as_bytes()).filter(|rest| **rest as u8 == b'=').map(|rest| rest.add(1)) }
}

/// Whether the C string `text` is `word`.
///
/// # Safety
/// `text` ends with a zero byte.
pub unsafe fn is(text: *const c_char, word: &str) -> bool {
    // SAFETY: as in `value_of`.
    unsafe { after(text, word.as_bytes()).is_some_and(|rest| *rest == 0) }
}

/// Whether the C string `text` begins with `prefix`.
///
/// # Safety
/// `text` ends with a zero byte.
pub unsafe fn begins(text: *const c_char, prefix: &str) -> bool {
    // SAFETY: as in `value_of`.
    unsafe { after(text, prefix.as_bytes()).is_some() }
}

/// Where `text` goes on after `prefix`.
///
/// # Safety
/// `text` ends with a zero byte, `prefix` has none.
unsafe fn after(text: *const c_char, prefix: &[u8]) -> Option<*const c_char> {
    let mut at = text;
    for byte in prefix {
        // SAFETY: all bytes before `at` were equal to bytes of `prefix`, hence not zero.
        unsafe {
            if *at as u8 != *byte {
                return None;
            }
            at = at.add(1);
        }
    }
    Some(at)
}

/// Copies the C string `text` to `to`, at most `room - 1` bytes and a zero; the number of bytes before the zero.
///
/// # Safety
/// `text` ends with a zero byte; `to` is good for `room` bytes, at least one.
pub unsafe fn copy_text(text: *const c_char, to: *mut u8, room: usize) -> usize {
    let mut length = 0usize;
    // SAFETY: `length` stays below `room`, and no byte after the text's final zero is read.
    unsafe {
        while length.wrapping_add(1) < room && *text.add(length) != 0 {
            to.add(length).write(*text.add(length) as u8);
            length = length.wrapping_add(1);
        }
        to.add(length).write(0);
    }
    length
}

/// The bytes of the C string `text`, without its zero.
///
/// # Safety
/// `text` ends with a zero byte and lasts as long as the answer.
pub unsafe fn text<'a>(text: *const c_char) -> &'a [u8] {
    let mut length = 0usize;
    // SAFETY: vouched for by the caller.
    unsafe {
        while *text.add(length) != 0 {
            length = length.wrapping_add(1);
        }
        core::slice::from_raw_parts(text.cast(), length)
    }
}

/// The decimal number that the C string `text` is.
///
/// # Safety
/// `text` ends with a zero byte.
pub unsafe fn number(text: *const c_char) -> Option<u64> {
    let mut at = text;
    let mut number = 0u64;
    // SAFETY: stops at the final zero.
    unsafe {
        while *at != 0 {
            let digit = (*at as u8).wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            number = number.checked_mul(10)?.checked_add(digit as u64)?;
            at = at.add(1);
        }
    }
    (at != text).then_some(number)
}

/// Writes bytes one after another into memory that is large enough.
pub struct Writer(pub *mut u8);

impl Writer {
    /// # Safety
    /// There is room for one more byte.
    pub unsafe fn byte(&mut self, byte: u8) {
        // SAFETY: vouched for by the caller.
        unsafe {
            self.0.write(byte);
            self.0 = self.0.add(1);
        }
    }

    /// # Safety
    /// There is room for `text`.
    pub unsafe fn text(&mut self, text: &str) {
        for byte in text.as_bytes() {
            // SAFETY: vouched for by the caller.
            unsafe { self.byte(*byte) }
        }
    }

    /// # Safety
    /// There is room for ten bytes.
    pub unsafe fn decimal(&mut self, number: u32) {
        let mut unit = 1_000_000_000u32;
        while unit > 1 && number / unit == 0 {
            unit /= 10;
        }
        let mut rest = number;
        while let Some(digit) = rest.checked_div(unit) {
            // SAFETY: vouched for by the caller.
            unsafe { self.byte(b'0'.wrapping_add(digit as u8)) }
            rest = rest.wrapping_sub(digit.wrapping_mul(unit));
            unit /= 10;
        }
    }

    /// # Safety
    /// There is room for two bytes.
    pub unsafe fn hexadecimal(&mut self, byte: u8) {
        for digit in [byte >> 4, byte & 15] {
            let letter = if digit < 10 { b'0' } else { b'a' - 10 };
            // SAFETY: vouched for by the caller.
            unsafe { self.byte(letter.wrapping_add(digit)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(number: u32) -> String {
        let mut bytes = [0u8; 16];
        let start = bytes.as_mut_ptr();
        let mut writer = Writer(start);
        // SAFETY: 16 bytes are enough for ten.
        unsafe { writer.decimal(number) };
        let length = writer.0 as usize - start as usize;
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    }

    #[test]
    fn decimal_is_what_everybody_writes() {
        for number in [0, 1, 9, 10, 99, 100, 4_194_304, 1_000_000_000, u32::MAX] {
            assert_eq!(decimal(number), number.to_string());
        }
    }

    #[test]
    fn texts_are_compared_to_their_end() {
        // SAFETY: all literals end with a zero byte.
        unsafe {
            assert!(is(c"edges".as_ptr(), "edges"));
            assert!(!is(c"edge".as_ptr(), "edges"));
            assert!(!is(c"edgess".as_ptr(), "edges"));
            assert!(value_of(c"SUSPECT_OUT=/x".as_ptr(), "SUSPECT_OUT").is_some_and(|rest| is(rest, "/x")));
            assert!(value_of(c"SUSPECT_OUTER=/x".as_ptr(), "SUSPECT_OUT").is_none());
            assert!(value_of(c"SUSPECT".as_ptr(), "SUSPECT_OUT").is_none());
        }
    }

    #[test]
    fn numbers_are_whole_and_in_range() {
        // SAFETY: all literals end with a zero byte.
        unsafe {
            assert_eq!(number(c"0".as_ptr()), Some(0));
            assert_eq!(number(c"18446744073709551615".as_ptr()), Some(u64::MAX));
            for bad in [c"", c"18446744073709551616", c"1k", c"-1", c" 1"] {
                assert_eq!(number(bad.as_ptr()), None, "{bad:?}");
            }
        }
    }

    #[test]
    fn a_text_too_long_loses_its_end() {
        let mut room = [0xffu8; 4];
        // SAFETY: the room is given.
        let length = unsafe { copy_text(c"abcdef".as_ptr(), room.as_mut_ptr(), room.len()) };
        assert_eq!((length, &room), (3, b"abc\0"));
    }
}
