//! This module as the linker made it: its words, its units, where it is.

use core::mem::offset_of;

use suspect_format::abi::PAGE;
use suspect_format::trace::{HASH_START, UnitDescriptor, UnitEntry, hash_bytes};

use crate::os::settings::Auxiliary;
use crate::os::symbols;

/// What the linker made of this module's units.
pub struct Module {
    /// The first word.
    pub data: *mut u8,
    /// Bytes of the words.
    pub data_len: usize,
    units: *const UnitDescriptor,
    /// Number of units.
    pub n_units: usize,
    /// The gates of its functions.
    pub gates: Bytes,
    /// The bytes of its operations.
    pub operations: Bytes,
}

/// A section of bytes.
#[derive(Clone, Copy)]
pub struct Bytes {
    /// The first.
    pub start: *mut u8,
    /// Number of bytes.
    pub length: usize,
}

impl Bytes {
    fn of((start, end): (*mut u8, *mut u8)) -> Bytes {
        Bytes { start, length: (end as usize).wrapping_sub(start as usize) }
    }

    /// Makes all of them `value`.
    pub fn fill(&self, value: u8) {
        let mut index = 0usize;
        while index < self.length {
            let byte = self.start.wrapping_add(index);
            // SAFETY: inside the section, which is data that the program's code reads and nobody else writes. Those that are
            // right already are not written: their page may be shared with a parent.
            unsafe {
                if *byte != value {
                    *byte = value;
                }
            }
            index = index.wrapping_add(1);
        }
    }
}

impl Module {
    /// `None` without units, or when there are more than a trace can say.
    pub fn this() -> Option<Module> {
        let (data, data_end) = symbols::data();
        let (units, units_end) = symbols::units();
        let n_units = (units_end as usize).wrapping_sub(units as usize) / size_of::<UnitDescriptor>();
        let data_len = (data_end as usize).wrapping_sub(data as usize);
        let (gates, operations) = (Bytes::of(symbols::gates()), Bytes::of(symbols::operations()));
        (n_units != 0 && u32::try_from(n_units).is_ok()).then_some(Module {
            data,
            data_len,
            units,
            n_units,
            gates,
            operations,
        })
    }

    /// The words can be replaced without touching anything else, and the state page is where readers look for it.
    pub fn is_whole_pages(&self) -> bool {
        let page_mask = PAGE.wrapping_sub(1);
        (self.data as usize | self.data_len) & page_mask == 0 && self.data == symbols::state().cast()
    }

    /// The entry of unit number `index`; `None` if its words are not in the section.
    ///
    /// # Safety
    /// `index` is less than `n_units`.
    pub unsafe fn entry(&self, index: usize) -> Option<UnitEntry> {
        let unit = self.units.wrapping_add(index);
        // SAFETY: vouched for by the caller; descriptors lie one after another and are never written.
        let UnitDescriptor { unit_hash, data_relative, n_counters, n_values, .. } = unsafe { *unit };
        let field = (unit as usize).wrapping_add(offset_of!(UnitDescriptor, data_relative));
        let offset = field.wrapping_add(data_relative as usize).wrapping_sub(self.data as usize);
        let words = n_counters as usize + n_values as usize;
        let end = offset.checked_add(words.wrapping_mul(8))?;
        (end <= self.data_len).then_some(UnitEntry { unit_hash, offset: offset as u64, n_counters, n_values })
    }

    /// Whether gates and bytes of operations lie in their sections in the order of the descriptors, and nothing else with them.
    pub fn is_in_order(&self) -> bool {
        let (mut gates, mut operations) = (0usize, 0usize);
        let mut index = 0usize;
        while index < self.n_units {
            let unit = self.units.wrapping_add(index);
            // SAFETY: the index is less than `n_units`; descriptors are never written.
            let descriptor = unsafe { *unit };
            let is_at = |count: u32, field: usize, relative: i64, bytes: &Bytes, before: usize| {
                let address = (unit as usize).wrapping_add(field).wrapping_add(relative as usize);
                count == 0 || address == (bytes.start as usize).wrapping_add(before)
            };
            let in_order = is_at(
                descriptor.n_gates,
                offset_of!(UnitDescriptor, gates_relative),
                descriptor.gates_relative,
                &self.gates,
                gates,
            ) && is_at(
                descriptor.n_operations,
                offset_of!(UnitDescriptor, operations_relative),
                descriptor.operations_relative,
                &self.operations,
                operations,
            );
            if !in_order {
                return false;
            }
            gates = gates.wrapping_add(descriptor.n_gates as usize);
            operations = operations.wrapping_add(descriptor.n_operations as usize);
            index = index.wrapping_add(1);
        }
        gates == self.gates.length && operations == self.operations.length
    }

    /// What a trial file knows the module by: [`suspect_format::trial::TrialModule::identity`].
    pub fn identity(&self) -> u64 {
        let mut hash = HASH_START;
        let mut index = 0usize;
        while index < self.n_units {
            // SAFETY: the index is less than `n_units`; descriptors are never written.
            let unit_hash = unsafe { (*self.units.wrapping_add(index)).unit_hash };
            hash = hash_bytes(hash, &unit_hash.to_ne_bytes());
            index = index.wrapping_add(1);
        }
        hash
    }

    /// Whether all words are zero.
    pub fn is_zero(&self) -> bool {
        let mut word = self.data.cast::<u64>().cast_const();
        let end = word.wrapping_add(self.data_len / 8);
        let mut all = 0u64;
        while word != end {
            // SAFETY: inside the section, aligned to a page.
            all |= unsafe { *word };
            word = word.wrapping_add(1);
        }
        all == 0
    }

    /// Whether it is the executable.
    pub fn is_executable(&self, auxiliary: &Auxiliary) -> bool {
        let header = symbols::elf_header();
        header.is_null() || {
            // SAFETY: an ELF header that the linker names is in memory.
            let offset = unsafe { header.add(PROGRAM_HEADERS).cast::<u64>().read_unaligned() };
            (header as u64).wrapping_add(offset) == auxiliary.program_headers
        }
    }

    /// First address of the whole module and one past its last; `None` when its ELF header is not in memory.
    pub fn range(&self) -> Option<(usize, usize)> {
        let header = symbols::elf_header();
        let (mut low, mut high) = (u64::MAX, 0u64);
        Module::segments(|segment| {
            low = low.min(segment.address);
            high = high.max(segment.address.wrapping_add(segment.in_memory));
        });
        let length = high.checked_sub(low)? as usize;
        Some((header as usize, (header as usize).wrapping_add(length)))
    }

    /// The pages from its first on that can be read as long as it is loaded: first address, and one past the last; both 0 when its ELF header is not in
    /// memory. Pages behind a gap, or behind code that can only be executed, are left out.
    pub fn readable() -> (usize, usize) {
        let header = symbols::elf_header() as usize;
        let (mut end, mut is_whole) = (header, true);
        Module::segments(|segment| {
            let start = segment.address as usize;
            is_whole &= segment.is_readable && start <= page_up(end);
            if is_whole {
                end = end.max(start.wrapping_add(segment.in_memory as usize));
            }
        });
        (header, end)
    }

    /// Looks at the segments of this module that are in memory: nothing when its ELF header is not.
    pub fn segments(mut look: impl FnMut(Segment)) {
        const N_PROGRAM_HEADERS: usize = 56;
        const LOAD: u32 = 1;
        const WRITABLE: u32 = 2;
        const READABLE: u32 = 4;
        let header = symbols::elf_header();
        if header.is_null() {
            return;
        }
        // SAFETY: an ELF header that the linker names is in memory, with its program headers.
        unsafe {
            let first = header.add(header.add(PROGRAM_HEADERS).cast::<u64>().read_unaligned() as usize);
            let count = header.add(N_PROGRAM_HEADERS).cast::<u16>().read_unaligned();
            let loaded = (0..count).map(|number| first.add(usize::from(number).wrapping_mul(56)));
            let loaded = loaded.filter(|entry| entry.cast::<u32>().read_unaligned() == LOAD);
            let word = |entry: *const u8, number: usize| entry.cast::<u64>().add(number).read_unaligned();
            let flags = |entry: *const u8| entry.cast::<u32>().add(1).read_unaligned();
            // The first segment is where the header is.
            let low = loaded.clone().map(|entry| word(entry, 2)).min().unwrap_or(0);
            let bias = (header as u64).wrapping_sub(low);
            loaded.for_each(|entry| {
                look(Segment {
                    address: bias.wrapping_add(word(entry, 2)),
                    in_file: word(entry, 4),
                    in_memory: word(entry, 5),
                    is_writable: flags(entry) & WRITABLE != 0,
                    is_readable: flags(entry) & READABLE != 0,
                });
            });
        }
    }
}

/// A part of a module.
pub struct Segment {
    /// Where it is.
    pub address: u64,
    /// Bytes of it that come from the file; the rest is zero at first.
    pub in_file: u64,
    /// Bytes of it.
    pub in_memory: u64,
    /// The program can write it.
    pub is_writable: bool,
    /// The program can read it.
    pub is_readable: bool,
}

/// Offset in an ELF header of the offset of the program headers.
const PROGRAM_HEADERS: usize = 32;

/// `length` up to whole pages.
pub fn page_up(length: usize) -> usize {
    let page_mask = PAGE.wrapping_sub(1);
    length.wrapping_add(page_mask) & !page_mask
}
