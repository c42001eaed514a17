//! Cells: the parts in which an object's bytes are used together, in either run.

use std::collections::HashMap;

/// Most bytes of a cell: what one word can hold.
const MOST: u32 = 8;
/// Offsets below this many words of 64 are kept in an array.
const DENSE: u32 = 1 << 14;

#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    /// Where a cell starts.
    starts: u64,
    /// Where a cell of 8 bytes starts that is used as an address.
    addresses: u64,
}

impl Cell {
    /// Whether what is there can be an address: it may have been copied without anybody having used it.
    pub fn can_point(&self) -> bool {
        self.length == MOST
    }
}

/// The coarsest parts of an object such that every access uses whole ones. All objects of a class share theirs.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    dense: Vec<Marks>,
    sparse: HashMap<u32, Marks>,
}

/// Some bytes of an object that are used together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Bytes from the object's start.
    pub offset: u32,
    /// How many bytes, 1 to 8.
    pub length: u32,
    /// Whether it is used as an address.
    pub address: bool,
}

impl Layout {
    fn marks(&self, word: u32) -> Marks {
        if word < DENSE {
            self.dense.get(word as usize).copied().unwrap_or_default()
        } else {
            self.sparse.get(&word).copied().unwrap_or_default()
        }
    }

    fn marks_mut(&mut self, word: u32) -> &mut Marks {
        if word >= DENSE {
            return self.sparse.entry(word).or_default();
        }
        let word = word as usize;
        if self.dense.len() <= word {
            self.dense.resize(word + 1, Marks::default());
        }
        &mut self.dense[word]
    }

    fn start(&mut self, offset: u32) {
        self.marks_mut(offset / 64).starts |= 1 << (offset % 64);
    }

    /// An access uses `length` bytes at `offset`, as an address or not.
    pub fn access(&mut self, offset: u32, length: u32, address: bool) {
        self.start(offset);
        self.start(offset.saturating_add(length));
        if address && length == MOST {
            self.marks_mut(offset / 64).addresses |= 1 << (offset % 64);
        }
    }

    /// Takes in the parts of another layout.
    pub fn unite(&mut self, other: &Layout) {
        let dense = (0..).zip(other.dense.iter().copied());
        for (word, marks) in dense.chain(other.sparse.iter().map(|(word, marks)| (*word, *marks))) {
            let mine = self.marks_mut(word);
            mine.starts |= marks.starts;
            mine.addresses |= marks.addresses;
        }
    }

    /// The next start after `offset`, at most `most` bytes away.
    fn next(&self, offset: u32, most: u32) -> u32 {
        let end = offset.saturating_add(most);
        let mut at = offset + 1;
        while at < end {
            let ahead = self.marks(at / 64).starts >> (at % 64);
            if ahead != 0 {
                return (at + ahead.trailing_zeros()).min(end);
            }
            at = (at / 64 + 1) * 64;
        }
        end
    }

    /// The cells of an access that [`access`](Layout::access) was told of.
    pub fn cells(&self, offset: u32, length: u32) -> impl Iterator<Item = Cell> + '_ {
        let end = offset.saturating_add(length);
        let mut at = offset;
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let next = self.next(at, MOST.min(end - at));
            let address = next - at == MOST && self.marks(at / 64).addresses >> (at % 64) & 1 == 1;
            let cell = Cell { offset: at, length: next - at, address };
            at = next;
            Some(cell)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(layout: &Layout, offset: u32, length: u32) -> Vec<(u32, u32)> {
        layout.cells(offset, length).map(|cell| (cell.offset, cell.length)).collect()
    }

    #[test]
    fn accesses_divide_each_other() {
        let mut layout = Layout::default();
        layout.access(0, 8, true);
        layout.access(16, 4, false);
        layout.access(0, 20, false);
        assert_eq!(cells(&layout, 0, 20), [(0, 8), (8, 8), (16, 4)]);
        assert!(layout.cells(0, 8).next().unwrap().address);
        layout.access(3, 1, false);
        assert_eq!(cells(&layout, 0, 8), [(0, 3), (3, 1), (4, 4)]);
        assert!(!layout.cells(0, 8).next().unwrap().address);
    }

    #[test]
    fn long_ranges_meet_in_the_same_cells() {
        let mut layout = Layout::default();
        layout.access(0, 20, false);
        layout.access(4, 20, false);
        assert_eq!(cells(&layout, 0, 20), [(0, 4), (4, 8), (12, 8)]);
        assert_eq!(cells(&layout, 4, 20), [(4, 8), (12, 8), (20, 4)]);
    }

    #[test]
    fn layouts_are_united_part_by_part() {
        let (mut one, mut other) = (Layout::default(), Layout::default());
        one.access(0, 16, false);
        other.access(4, 4, false);
        other.access(DENSE * 64, 8, true);
        one.unite(&other);
        assert_eq!(cells(&one, 0, 16), [(0, 4), (4, 4), (8, 8)]);
        assert!(one.cells(DENSE * 64, 8).next().unwrap().address);
    }

    #[test]
    fn far_offsets_need_no_room() {
        let mut layout = Layout::default();
        layout.access(0xffff_ff00, 3, false);
        assert_eq!(cells(&layout, 0xffff_ff00, 3), [(0xffff_ff00, 3)]);
        assert_eq!(layout.dense.len(), 0);
    }
}
