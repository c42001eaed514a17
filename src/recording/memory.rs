//! What a recorded process holds in memory, as far as it is known: bytes in pages.

use crate::comparison::Table;

const PAGE: usize = 4096;

#[derive(Clone)]
struct Page {
    bytes: [u8; PAGE],
    known: [u64; PAGE / 64],
}

/// Memory of one process. What was never written nor seen is not known.
#[derive(Clone, Default)]
pub struct Memory {
    numbers: Table<u64, u32>,
    pages: Vec<Box<Page>>,
    /// The page that was used last, which most accesses use again.
    last: Option<(u64, u32)>,
}

impl Memory {
    fn find(&mut self, page: u64) -> Option<u32> {
        if let Some((last, number)) = self.last
            && last == page
        {
            return Some(number);
        }
        let number = *self.numbers.get(&page)?;
        self.last = Some((page, number));
        Some(number)
    }

    fn find_or_make(&mut self, page: u64) -> &mut Page {
        let number = match self.find(page) {
            Some(number) => number,
            None => {
                let number = self.pages.len() as u32;
                self.pages.push(Box::new(Page { bytes: [0; PAGE], known: [0; PAGE / 64] }));
                self.numbers.insert(page, number);
                self.last = Some((page, number));
                number
            }
        };
        &mut self.pages[number as usize]
    }

    /// The `bytes` (1 to 8) at `address`, little-endian; nothing if one of them is not known.
    pub fn load(&mut self, address: u64, bytes: u32) -> Option<u64> {
        let offset = address as usize % PAGE;
        if offset + bytes as usize > PAGE {
            let parts = (0..bytes).map(|byte| self.load(address.wrapping_add(u64::from(byte)), 1));
            return parts.rev().try_fold(0, |value, part| Some(value << 8 | part?));
        }
        let number = self.find(address / PAGE as u64)?;
        let page = &self.pages[number as usize];
        if !page.knows(offset, bytes) {
            return None;
        }
        let mut word = [0; 8];
        word[..bytes as usize].copy_from_slice(&page.bytes[offset..offset + bytes as usize]);
        Some(u64::from_le_bytes(word))
    }

    /// Puts the low `bytes` (1 to 8) of `value` at `address`.
    pub fn store(&mut self, address: u64, bytes: u32, value: u64) {
        self.write(address, &value.to_le_bytes()[..bytes as usize]);
    }

    /// Puts `bytes` at `address`.
    pub fn write(&mut self, mut address: u64, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let offset = address as usize % PAGE;
            let (now, later) = bytes.split_at(bytes.len().min(PAGE - offset));
            let page = self.find_or_make(address / PAGE as u64);
            page.bytes[offset..offset + now.len()].copy_from_slice(now);
            page.know(offset, now.len(), true);
            address = address.wrapping_add(now.len() as u64);
            bytes = later;
        }
    }

    /// What the `length` bytes at `address` hold is not known any more.
    pub fn forget(&mut self, mut address: u64, mut length: u64) {
        while length > 0 {
            let offset = address as usize % PAGE;
            let now = length.min((PAGE - offset) as u64);
            if let Some(number) = self.find(address / PAGE as u64) {
                self.pages[number as usize].know(offset, now as usize, false);
            }
            address = address.wrapping_add(now);
            length -= now;
        }
    }

    /// The byte at `address`, if it is known.
    pub fn byte(&mut self, address: u64) -> Option<u8> {
        self.load(address, 1).map(|byte| byte as u8)
    }
}

impl Page {
    fn knows(&self, offset: usize, bytes: u32) -> bool {
        let shift = offset % 64;
        if shift + bytes as usize <= 64 {
            let mask = (u64::MAX >> (64 - bytes)) << shift;
            return self.known[offset / 64] & mask == mask;
        }
        (offset..offset + bytes as usize).all(|byte| self.known[byte / 64] >> (byte % 64) & 1 == 1)
    }

    fn know(&mut self, offset: usize, length: usize, known: bool) {
        let mut byte = offset;
        while byte < offset + length {
            let shift = byte % 64;
            let bits = (64 - shift).min(offset + length - byte);
            let mask = (u64::MAX >> (64 - bits)) << shift;
            if known {
                self.known[byte / 64] |= mask;
            } else {
                self.known[byte / 64] &= !mask;
            }
            byte += bits;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_loaded_across_pages_and_nothing_else_is_known() {
        let mut memory = Memory::default();
        memory.store(0x1ffd, 8, 0x8877_6655_4433_2211);
        assert_eq!(memory.load(0x1ffd, 8), Some(0x8877_6655_4433_2211));
        assert_eq!(memory.load(0x1fff, 2), Some(0x4433));
        assert_eq!(memory.load(0x1ffc, 2), None);
        memory.forget(0x2000, 1);
        assert_eq!(memory.load(0x1ffd, 8), None);
        assert_eq!(memory.load(0x1ffd, 3), Some(0x33_2211));
        assert_eq!(memory.load(0x2001, 4), Some(0x8877_6655));
    }

    #[test]
    fn bytes_are_written_over_several_pages() {
        let mut memory = Memory::default();
        let bytes: Vec<u8> = (0..9000).map(|byte| byte as u8).collect();
        memory.write(100, &bytes);
        assert_eq!(memory.byte(100 + 8999), Some(8999u64 as u8));
        assert_eq!(memory.byte(99), None);
        memory.forget(0, 20_000);
        assert_eq!(memory.byte(4200), None);
    }
}
