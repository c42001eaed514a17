//! Which object each pointer of a run was made from, and what is done through it outside of that object, or when the object is gone.

use std::collections::BTreeMap;

use crate::comparison::{NONE, Table};

/// An object with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub what: Owner,
    /// Where.
    pub address: u64,
    /// How many bytes.
    pub size: u64,
    /// The point that ended it: freed it, or returned from its function.
    pub ended: Option<u32>,
}

/// What has the memory of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The heap, by the point that allocated it.
    Heap(u32),
    /// A variable, by function and offset in the frame.
    Variable(u32, u32),
    /// A global variable, by symbol.
    Symbol(u32),
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Memory is read.
    Read,
    /// Memory is written.
    Write,
    /// The object is to be freed.
    Free,
}

/// An access through a pointer that is not within the object that the pointer was made from, or after its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misuse {
    /// The point.
    pub point: u32,
    /// What it does.
    pub what: Use,
    /// Where.
    pub address: u64,
    /// How many bytes.
    pub length: u64,
    /// The object that the pointer was made from.
    pub block: Block,
    /// The object that is there instead, if one is known.
    pub hit: Option<Block>,
}

/// Bytes of a machine word.
const WORD: u64 = size_of::<usize>() as u64;

impl Misuse {
    /// Whether an aligned word is read that begins within its object. No such read leaves a page, so code that reads text by words does it on purpose, and
    /// masks what is not its own.
    pub fn is_of_a_word(&self) -> bool {
        let Misuse { what, address, length, block, .. } = self;
        *what == Use::Read
            && block.ended.is_none()
            && (block.address..block.address.saturating_add(block.size)).contains(address)
            && length.is_power_of_two()
            && *length <= WORD
            && address.is_multiple_of(*length)
    }
}

/// Misuses of a run that are kept: the first ones say what went wrong.
const MOST: usize = 8;

/// Offsets in frames whose blocks are remembered: what a loop uses of its function's variables.
const RECENT: usize = 256;

/// The objects of a run, and the pointers that memory holds, with the object of each.
#[derive(Debug)]
pub struct Bounds {
    blocks: Vec<Block>,
    /// By address: the value of a pointer there, and its block.
    pointers: Table<u64, (u64, u32)>,
    symbols: Table<u32, u32>,
    /// By activation: offset and block of its variables that something points to.
    variables: Table<u32, Vec<(u32, u32)>>,
    /// Offsets in frames that were looked at last, by their lowest bits: activation, offset, block.
    recent: [(u32, u64, u32); RECENT],
    /// Live blocks of the heap by address.
    heap: BTreeMap<u64, u32>,
    /// What was found.
    pub found: Vec<Misuse>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            pointers: Table::default(),
            symbols: Table::default(),
            variables: Table::default(),
            recent: [(NONE, 0, NONE); RECENT],
            heap: BTreeMap::new(),
            found: Vec::new(),
        }
    }
}

impl Bounds {
    /// The block at an offset of an activation's frame, if that was looked at lately.
    pub fn recent(&self, activation: u32, offset: u64) -> Option<u32> {
        let (of, at, block) = self.recent[offset as usize / 4 % RECENT];
        (of == activation && at == offset && of != NONE).then_some(block)
    }

    /// Remembers the block at an offset of an activation's frame.
    pub fn remember(&mut self, activation: u32, offset: u64, block: u32) {
        self.recent[offset as usize / 4 % RECENT] = (activation, offset, block);
    }

    fn add(&mut self, what: Owner, address: u64, size: u64) -> u32 {
        self.blocks.push(Block { what, address, size, ended: None });
        self.blocks.len() as u32 - 1
    }

    /// A block of the heap is allocated by a point.
    pub fn allocate(&mut self, point: u32, address: u64, size: u64) {
        let number = self.add(Owner::Heap(point), address, size);
        self.heap.insert(address, number);
    }

    /// The block of the heap at `address` is freed by a point.
    pub fn free(&mut self, point: u32, address: u64) {
        if let Some(number) = self.heap.remove(&address) {
            self.blocks[number as usize].ended = Some(point);
        }
    }

    /// The live block of the heap that begins at `address` has at least so many bytes.
    pub fn grow(&mut self, address: u64, size: u64) {
        if let Some(block) = self.heap.get(&address).and_then(|number| self.blocks.get_mut(*number as usize)) {
            block.size = block.size.max(size);
        }
    }

    /// The live block of the heap that begins at `address`.
    pub fn heap_at(&self, address: u64) -> u32 {
        self.heap.get(&address).copied().unwrap_or(NONE)
    }

    /// The block of a global variable.
    pub fn symbol(&mut self, symbol: u32, address: u64, size: u64) -> u32 {
        if let Some(number) = self.symbols.get(&symbol) {
            return *number;
        }
        let number = self.add(Owner::Symbol(symbol), address, size);
        self.symbols.insert(symbol, number);
        number
    }

    /// The block of a variable of an activation, by function, offset in the frame, address and size.
    pub fn variable(&mut self, activation: u32, function: u32, offset: u32, address: u64, size: u64) -> u32 {
        let known = self.variables.get(&activation).and_then(|all| all.iter().find(|(at, _)| *at == offset));
        if let Some((_, number)) = known {
            return *number;
        }
        let number = self.add(Owner::Variable(function, offset), address, size);
        self.variables.entry(activation).or_default().push((offset, number));
        number
    }

    /// An activation ends with a point.
    pub fn leave(&mut self, activation: u32, point: u32) {
        for (_, number) in self.variables.remove(&activation).unwrap_or_default() {
            self.blocks[number as usize].ended = Some(point);
        }
    }

    /// The block of the pointer that memory holds at `address`, if it is `value` still.
    pub fn of_pointer(&self, address: u64, value: u64) -> u32 {
        self.pointers.get(&address).filter(|(known, _)| *known == value).map_or(NONE, |(_, number)| *number)
    }

    /// A pointer into `block` is stored.
    pub fn keep(&mut self, address: u64, value: u64, block: u32) {
        if block == NONE {
            self.pointers.remove(&address);
        } else {
            self.pointers.insert(address, (value, block));
        }
    }

    /// Memory is copied, with the pointers that it holds.
    pub fn copy(&mut self, to: u64, from: u64, length: u64) {
        let end = from.saturating_add(length);
        let held: Vec<(u64, (u64, u32))> = if length <= self.pointers.len() as u64 {
            (from..end).filter_map(|at| Some((at, *self.pointers.get(&at)?))).collect()
        } else {
            let is_copied = |(at, _): &(&u64, &(u64, u32))| (from..end).contains(*at);
            self.pointers.iter().filter(is_copied).map(|(at, held)| (*at, *held)).collect()
        };
        self.pointers.extend(held.into_iter().map(|(at, held)| (to.wrapping_add(at - from), held)));
    }

    /// The live block among these that `address` lies in, or, where it `may_end` there, just behind.
    pub fn around(&self, blocks: &[u32], address: u64, may_end: bool) -> u32 {
        let holds = |number: &&u32| {
            let block = self.blocks.get(**number as usize);
            block.is_some_and(|block| {
                let offset = address.wrapping_sub(block.address);
                block.ended.is_none() && (offset < block.size || may_end && offset == block.size)
            })
        };
        blocks.iter().find(holds).copied().unwrap_or(NONE)
    }

    /// Looks at what a point does through a pointer into `block`.
    pub fn check(&mut self, point: u32, what: Use, block: u32, address: u64, length: u64) {
        let Some(of) = self.blocks.get(block as usize) else { return };
        let offset = address.wrapping_sub(of.address);
        let is_within = match what {
            Use::Free => offset == 0 && matches!(of.what, Owner::Heap(_)),
            Use::Read | Use::Write => offset <= of.size && length <= of.size - offset,
        };
        if (is_within && of.ended.is_none()) || length == 0 || self.found.len() >= MOST {
            return;
        }
        let block = of.clone();
        let holds = |other: &&Block| other.ended.is_none() && address.wrapping_sub(other.address) < other.size;
        let hit = self.blocks.iter().rfind(holds).filter(|hit| **hit != block).cloned();
        self.found.push(Misuse { point, what, address, length, block, hit });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_outside_of_its_object_is_found() {
        let mut bounds = Bounds::default();
        bounds.allocate(1, 0x1000, 12);
        bounds.allocate(2, 0x1020, 8);
        let first = bounds.heap_at(0x1000);
        bounds.check(3, Use::Write, first, 0x1008, 4);
        bounds.check(3, Use::Write, NONE, 0x1010, 4);
        assert_eq!(bounds.found, []);
        bounds.check(4, Use::Write, first, 0x100c, 1);
        bounds.check(5, Use::Read, first, 0x1020, 4);
        assert_eq!((bounds.found[0].point, &bounds.found[0].hit), (4, &None));
        assert_eq!(bounds.found[1].hit.as_ref().unwrap().what, Owner::Heap(2));
        bounds.free(6, 0x1000);
        bounds.check(7, Use::Read, first, 0x1000, 1);
        bounds.check(8, Use::Free, first, 0x1000, 1);
        assert_eq!(bounds.found[2].block.ended, Some(6));
        assert_eq!(bounds.found[3].what, Use::Free);
    }

    #[test]
    fn pointers_keep_their_objects_as_long_as_they_are_what_they_were() {
        let mut bounds = Bounds::default();
        let block = bounds.variable(0, 3, 16, 0x7010, 8);
        assert_eq!(bounds.variable(0, 3, 16, 0x7010, 8), block);
        bounds.keep(0x2000, 0x7012, block);
        bounds.copy(0x3000, 0x1ff8, 16);
        assert_eq!(bounds.of_pointer(0x3008, 0x7012), block);
        assert_eq!(bounds.of_pointer(0x3008, 0x7013), NONE, "code outside wrote there");
        assert_eq!(bounds.around(&[NONE, block], 0x7018, true), block);
        assert_eq!(bounds.around(&[NONE, block], 0x7018, false), NONE, "behind a library's object lies another one");
        bounds.leave(0, 9);
        bounds.check(10, Use::Read, block, 0x7010, 1);
        assert_eq!(bounds.found[0].block.ended, Some(9));
    }
}
