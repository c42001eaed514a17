//! Lines of `/proc/self/maps`: what is mapped where.

/// A line of `maps`.
pub struct Mapping {
    pub start: usize,
    pub end: usize,
    /// Whether it can be written, and that only this process sees what is.
    pub is_private: bool,
    /// Whether it is of no file.
    pub is_anonymous: bool,
}

impl Mapping {
    /// `start-end rwxp offset device inode path`
    pub fn of(line: &[u8]) -> Option<Mapping> {
        let dash = line.iter().position(|byte| *byte == b'-')?;
        let (start, rest) = (line.get(..dash)?, line.get(dash.wrapping_add(1)..)?);
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let (end, rights) = (rest.get(..space)?, rest.get(space.wrapping_add(1)..)?);
        let is = |at: usize, right: u8| rights.get(at) == Some(&right);
        let inode = rights.split(|byte| *byte == b' ').nth(3)?;
        Some(Mapping {
            start: hexadecimal(start)?,
            end: hexadecimal(end)?,
            is_private: is(1, b'w') && is(3, b'p'),
            is_anonymous: inode == b"0",
        })
    }
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0usize, |number, digit| {
        let value = match digit {
            b'0'..=b'9' => digit.wrapping_sub(b'0'),
            b'a'..=b'f' => digit.wrapping_sub(b'a').wrapping_add(10),
            _ => return None,
        };
        Some(number << 4 | usize::from(value))
    })
}

#[cfg(test)]
mod tests {
    use super::Mapping;

    #[test]
    fn lines_of_maps_say_which_memory_a_process_alone_writes() {
        let seen =
            |line: &str| Mapping::of(line.as_bytes()).map(|one| (one.start, one.end, one.is_private, one.is_anonymous));
        let stack = "7ffd1c8f2000-7ffd1c913000 rw-p 00000000 00:00 0                          [stack]";
        assert_eq!(seen(stack), Some((0x7ffd_1c8f_2000, 0x7ffd_1c91_3000, true, true)));
        assert_eq!(seen("00400000-00401000 r-xp 00000000 fe:00 12 /a b-c"), Some((0x40_0000, 0x40_1000, false, false)));
        assert_eq!(seen("1000-2000 rw-s 00000000 00:01 7 /dev/zero (deleted)"), Some((0x1000, 0x2000, false, false)));
        assert_eq!(seen("1000-2000 rwxp 0 0:0 0"), Some((0x1000, 0x2000, true, true)));
        for bad in [
            "",
            "1000",
            "1000-",
            "1000 2000 rw-p",
            "x-2000 rw-p",
            "-2000 rw-p",
            "12345678123456781-2 rw-p 0 0:0 0",
            "1-2 rw-p 0 0:0",
        ] {
            assert_eq!(seen(bad), None, "{bad:?}");
        }
    }
}
