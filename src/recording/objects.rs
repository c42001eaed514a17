//! Which object of a process an address belongs to.

use std::collections::BTreeMap;

use suspect_format::trace::{HASH_START, hash_bytes};

use crate::comparison::Table;

/// What an object is. Objects of one process that live one after another and are alike have one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A global variable or a function: a symbol of the code.
    Symbol(u32),
    /// The locals of a function that is so many calls deep.
    Frame {
        /// The function.
        function: u32,
        /// How many calls are open around it.
        depth: u32,
    },
    /// The arguments of the call that is so many calls deep; no memory, but they are found under addresses that no process has.
    Arguments {
        /// How many calls are open around it.
        depth: u32,
    },
    /// Allocated by the point.
    Heap {
        /// The allocating point.
        point: u32,
        /// The site of it.
        site: u32,
    },
    /// The array that `main` has as `argv`. Where it lies depends on how long the arguments and the environment are.
    Argv,
    /// The string of this number among those that `argv` points to.
    Argument(u32),
    /// The array that is `environ` at first.
    Environ,
    /// A shared library, by a hash of its file's name: what lies in it and is no symbol of the code.
    Library(u64),
    /// The part of memory from here that belongs to no known object.
    Region(u64),
}

/// An object of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// Where it is; of frames, where the last one was.
    pub address: u64,
    /// How many bytes.
    pub size: u64,
}

/// A place in a process: object by the process's own number, and bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// The object.
    pub object: u32,
    /// Bytes from its start.
    pub offset: u32,
}

/// Where arguments are found: upwards from here, by depth.
pub const ARGUMENTS: u64 = 0xf000_0000_0000_0000;
/// Bytes for the arguments of one call.
pub const ARGUMENTS_STRIDE: u64 = 1 << 12;
/// Bytes of a part of memory that belongs to no known object.
pub const REGION: u64 = 1 << 32;
/// Addresses that objects can have.
const ADDRESSES: std::ops::Range<u64> = 1 << 10..1 << 47;
/// Where Linux lets no program have memory by default, or lower: what is there is null with a distance.
const NULL_AND_NEAR: u64 = 1 << 16;

/// Whether an access to so many bytes there ends in a trap: nothing is mapped below.
pub fn is_near_null(address: u64, length: u64) -> bool {
    length > 0 && address < NULL_AND_NEAR
}

/// Whether a number may be where something is in memory.
pub fn is_address(bits: u64) -> bool {
    (NULL_AND_NEAR..ADDRESSES.end).contains(&bits)
}

/// What tells a shared library from others in any process: a hash of its file's name.
pub fn library(name: &[u8]) -> u64 {
    hash_bytes(HASH_START, name)
}

/// The objects of a process at one time.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    all: Vec<Object>,
    numbers: Table<Kind, u32>,
    /// Live objects of the heap and symbols, by address.
    live: BTreeMap<u64, u32>,
    /// Shared libraries; other objects lie in them.
    libraries: Vec<u32>,
    /// Open frames, the outermost first.
    frames: Vec<u32>,
    last: Option<u32>,
}

impl Objects {
    /// The objects so far, by number.
    pub fn all(&self) -> &[Object] {
        &self.all
    }

    fn number(&mut self, object: Object) -> u32 {
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(object.kind).or_insert(next);
        if number == next {
            self.all.push(object);
        } else {
            self.all[number as usize] = object;
        }
        number
    }

    /// An object comes into being, in place of what was at its address.
    pub fn allocate(&mut self, object: Object) -> u32 {
        let number = self.number(object);
        let end = object.address.saturating_add(object.size.max(1));
        while let Some((start, _)) = self.live.range(object.address..end).next() {
            let start = *start;
            self.live.remove(&start);
        }
        self.live.insert(object.address, number);
        self.last = None;
        number
    }

    /// A shared library is in memory. Of those with one name the first counts.
    pub fn add_library(&mut self, object: Object) {
        if !self.numbers.contains_key(&object.kind) {
            let number = self.number(object);
            self.libraries.push(number);
        }
    }

    /// The object at `address` is freed.
    pub fn free(&mut self, address: u64) {
        self.live.remove(&address);
        self.last = None;
    }

    /// A function is entered with its locals at `address`.
    pub fn enter(&mut self, function: u32, address: u64, size: u64) -> u32 {
        let depth = self.frames.len() as u32;
        let number = self.number(Object { kind: Kind::Frame { function, depth }, address, size });
        self.frames.push(number);
        number
    }

    /// The innermost function is left.
    pub fn leave(&mut self) {
        self.frames.pop();
    }

    /// Open frames, the outermost first.
    pub fn frames(&self) -> &[u32] {
        &self.frames
    }

    /// How many functions are open.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    fn holds(&self, number: u32, address: u64) -> bool {
        let object = self.all[number as usize];
        address.wrapping_sub(object.address) < object.size
    }

    /// The live object that `address` points into, if one is known.
    pub fn known(&mut self, address: u64) -> Option<u32> {
        if let Some(top) = self.frames.last()
            && self.holds(*top, address)
        {
            return Some(*top);
        }
        if let Some(last) = self.last
            && self.holds(last, address)
        {
            return Some(last);
        }
        let (_, number) = self.live.range(..=address).next_back().map(|(start, number)| (*start, *number)).unzip();
        if let Some(number) = number
            && self.holds(number, address)
        {
            self.last = Some(number);
            return Some(number);
        }
        let outer = self.frames.iter().rev().chain(&self.libraries);
        outer.copied().find(|object| self.holds(*object, address))
    }

    /// The place of `address`.
    pub fn find(&mut self, address: u64) -> Spot {
        if address >= ARGUMENTS {
            let depth = ((address - ARGUMENTS) / ARGUMENTS_STRIDE) as u32;
            let base = ARGUMENTS + u64::from(depth) * ARGUMENTS_STRIDE;
            let kind = Kind::Arguments { depth };
            let object = self.number(Object { kind, address: base, size: ARGUMENTS_STRIDE });
            return Spot { object, offset: (address - base) as u32 };
        }
        match self.known(address) {
            Some(object) => Spot { object, offset: (address - self.all[object as usize].address) as u32 },
            None => {
                let base = address / REGION * REGION;
                let object = self.number(Object { kind: Kind::Region(base), address: base, size: REGION });
                Spot { object, offset: (address - base) as u32 }
            }
        }
    }

    /// The place that an address names if it is one: into a known object, or just behind it.
    pub fn named(&mut self, address: u64) -> Option<Spot> {
        if !ADDRESSES.contains(&address) {
            return None;
        }
        let spot = |objects: &Self, object: u32| {
            let offset = address - objects.all[object as usize].address;
            u32::try_from(offset).ok().map(|offset| Spot { object, offset })
        };
        if let Some(object) = self.known(address) {
            return spot(self, object);
        }
        let object = self.known(address.wrapping_sub(1))?;
        spot(self, object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(address: u64, size: u64, point: u32) -> Object {
        Object { kind: Kind::Heap { point, site: 1 }, address, size }
    }

    #[test]
    fn addresses_lead_to_the_object_that_lives_there() {
        let mut objects = Objects::default();
        let first = objects.allocate(heap(0x1000, 16, 1));
        let second = objects.allocate(heap(0x1020, 16, 2));
        assert_eq!(objects.find(0x1008), Spot { object: first, offset: 8 });
        assert_eq!(objects.find(0x1020), Spot { object: second, offset: 0 });
        assert_eq!(objects.named(0x1010), Some(Spot { object: first, offset: 16 }));
        assert_eq!(objects.named(0x1018), None);
        objects.free(0x1000);
        let none = objects.find(0x1008).object;
        assert_eq!(objects.all()[none as usize].kind, Kind::Region(0));
        let third = objects.allocate(heap(0x1008, 8, 3));
        assert_eq!(objects.find(0x1008), Spot { object: third, offset: 0 });
    }

    #[test]
    fn frames_of_one_depth_are_one_object() {
        let mut objects = Objects::default();
        let main = objects.enter(0, 0x7000, 64);
        let callee = objects.enter(1, 0x6000, 32);
        assert_eq!(objects.find(0x7010), Spot { object: main, offset: 16 });
        objects.leave();
        assert_eq!(objects.enter(1, 0x6100, 32), callee);
        assert_eq!(objects.find(0x6104), Spot { object: callee, offset: 4 });
        assert_ne!(objects.find(0x6004).object, callee);
    }
}
