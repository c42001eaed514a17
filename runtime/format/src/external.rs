//! Everything that is known of the functions of the C library, by name: the one table that pass, runtime and analyzer look into.
//!
//! The effects are what the runtime records after a call and the reader gives reasons to. A model lists what a function reads, writes, copies and allocates, as far as arguments and result tell. Whatever else changes is
//! seen by the loads that find it. Sizes are those of x86-64 Linux with glibc; other libraries do not have larger ones.

mod table;

use Base::{Pointee as P, Result as R};
use Effect::{Allocates, Frees, Moves, Prints, Reads};
use Extent::{Returned, Text};
use Known::{Heap, Looks, Shows, Stirs};
use Role::{Aborts, Ends, Output};
pub use table::EXTERNALS;

/// The number of a function without a model that is called by its name.
pub const UNKNOWN: u32 = u32::MAX;
/// The number of whatever is called through a pointer.
pub const INDIRECT: u32 = u32::MAX - 1;

/// Most bytes of ranges that one call records.
pub const MOST_CHANGED: u64 = 1 << 20;
/// Bytes from the address that an argument of a function without a model is, that are compared before and after the call.
pub const COMPARED: u64 = 16 << 10;

/// A function of the C library.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct External {
    /// Its name.
    pub name: &'static str,
    /// What it does to memory.
    pub effects: &'static [Effect],
    /// What it is to the process.
    pub role: Role,
    /// What else is known of it.
    pub known: &'static [Known],
}

/// What is known of a function beside its effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It returns, whatever happens, and calls nothing of the program's. Not so: what takes a callback (`qsort`), may be
    /// cancelled or blocked for ever by what the program does (`read`, locks), or runs handlers (`raise`, `fork`).
    Returns,
    /// It makes an object that `free` ends.
    Heap,
    /// It writes nothing that its arguments point to, though its effects do not say so.
    Looks,
    /// It changes what its arguments point to, a stream, though its effects do not say so.
    Stirs,
    /// It changes what an oracle may look at afterwards.
    Shows,
    /// The texts that it reads are read up to their ends; others that are modelled so may stop before.
    Whole,
    /// It stops at what it looks for, however much it may read.
    Searches,
    /// It returns how many bytes of the object at its first argument the program may use.
    Sizes,
}

/// Where the object of an allocator is, after the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// It is what the function returns.
    Returned,
    /// The argument points to its address, if the function returned zero.
    AtZero(u8),
    /// The argument points to its address, unless the function returned something negative.
    UnlessNegative(u8),
}

impl External {
    /// Whether this is known of it.
    pub fn is(&self, known: Known) -> bool {
        self.known.contains(&known)
    }

    /// Whether it may write what its arguments point to.
    pub fn writes(&self) -> bool {
        let looks = |effect: &Effect| matches!(effect, Reads(..) | Prints(..) | Frees(_) | Allocates(R, _));
        let only_looks = !self.effects.is_empty() && self.effects.iter().all(looks);
        let is_sink = matches!(self.role, Output | Ends | Aborts);
        self.is(Stirs) || !(self.is(Looks) || is_sink || only_looks)
    }

    /// Whether its result points to an object of its own.
    pub fn makes(&self) -> bool {
        !self.is(Stirs) && self.effects.iter().any(|effect| matches!(effect, Allocates(R, _) | Moves(..)))
    }

    /// Whether what it is given leaves the program, where an oracle sees it.
    pub fn is_seen(&self) -> bool {
        self.is(Shows) || matches!(self.role, Output | Ends | Aborts)
    }

    /// Where the object is that it made in the heap.
    pub fn made(&self) -> Option<Made> {
        let made = |effect: &Effect| match *effect {
            Moves(..) | Allocates(R, _) => Some(Made::Returned),
            Allocates(P(argument), Returned | Text) => Some(Made::UnlessNegative(argument)),
            Allocates(P(argument), _) => Some(Made::AtZero(argument)),
            _ => None,
        };
        self.effects.iter().find_map(made).filter(|_| self.is(Heap))
    }
}

/// What a function is to the process that calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Neither of these.
    Plain,
    /// Its result and what it writes come from outside: an input.
    Input,
    /// What it reads goes outside: an output.
    Output,
    /// Does not return: the process ends.
    Ends,
    /// Does not return: a signal ends the process.
    Aborts,
    /// Does not return: `setjmp` does, again.
    Jumps,
    /// Returns in two processes.
    Forks,
    /// Starts a thread.
    Threads,
    /// Puts another program in the process's place.
    Executes,
    /// Argument 1 is what handles a signal: a function, or the address of a record that begins with one.
    Handles,
}

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// At the address that the argument is.
    Argument(u8),
    /// At the address that is kept at the address that the argument is, after the call.
    Pointee(u8),
    /// At the address that the result is.
    Result,
}

/// How many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many.
    Bytes(u32),
    /// What the argument says.
    Count(u8),
    /// The product of two arguments.
    Product(u8, u8),
    /// As many addresses as the argument says.
    Pointers(u8),
    /// As many wide characters, of four bytes, as the argument says.
    Wides(u8),
    /// What the result says, none if it is negative.
    Returned,
    /// The result times the argument.
    Items(u8),
    /// Up to the first zero byte, and with it.
    Text,
    /// The same, but at most what the argument says.
    TextWithin(u8),
    /// One more than the result, but at most what the argument says.
    Limited(u8),
    /// Up to the first zero of four bytes, and with it.
    Wide,
}

/// What a function does to memory. Nothing at null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads.
    Reads(Base, Extent),
    /// Writes; the bytes are recorded.
    Writes(Base, Extent),
    /// Copies to the first from the second; the bytes are recorded where the arguments do not tell how many.
    Copies(Base, Base, Extent),
    /// Writes argument 1 to each byte; nothing is recorded.
    Fills(Base, Extent),
    /// Writes zeros; nothing is recorded.
    Zeroes(Base, Extent),
    /// Makes an object, unless that is one which is known already.
    Allocates(Base, Extent),
    /// Ends the object that the argument points to, null for none; the result is one of this size, or null, with as many of its bytes as there is room for.
    Moves(u8, Extent),
    /// Ends the object that the argument points to.
    Frees(u8),
    /// Reads as the format says, the argument of the first number; the second one is that of the first argument for it.
    Prints(u8, u8),
    /// Writes as the format says, likewise; the bytes are recorded.
    Scans(u8, u8),
}

impl Extent {
    /// Whether the arguments alone tell.
    pub const fn is_told(self) -> bool {
        matches!(
            self,
            Extent::Bytes(_) | Extent::Count(_) | Extent::Product(..) | Extent::Pointers(_) | Extent::Wides(_)
        )
    }

    /// Bytes at `base`. `length` counts the units up to a zero, without it: of so many bytes each (1 or 4), at most so many units.
    pub fn bytes(self, base: u64, arguments: &[u64], result: u64, length: impl Fn(u64, u64, u64) -> u64) -> u64 {
        let argument = |number: u8| arguments.get(usize::from(number)).copied().unwrap_or(0);
        let returned = if (result as i64) < 0 { 0 } else { result };
        match self {
            Extent::Bytes(bytes) => u64::from(bytes),
            Extent::Count(number) => argument(number),
            Extent::Product(one, other) => argument(one).saturating_mul(argument(other)),
            Extent::Pointers(number) => argument(number).saturating_mul(8),
            Extent::Wides(number) => argument(number).saturating_mul(4),
            Extent::Returned => returned,
            Extent::Items(number) => returned.saturating_mul(argument(number)),
            Extent::Text => length(base, 1, MOST_CHANGED).saturating_add(1),
            Extent::TextWithin(number) => {
                let most = argument(number);
                length(base, 1, most.min(MOST_CHANGED)).saturating_add(1).min(most)
            }
            Extent::Limited(number) => returned.saturating_add(1).min(argument(number)),
            Extent::Wide => length(base, 4, MOST_CHANGED / 4).saturating_add(1).saturating_mul(4),
        }
    }
}

impl Effect {
    /// The memory whose bytes are recorded after a call: where, and how much. [`Effect::Scans`] has many and is not among these.
    pub const fn recorded(self) -> Option<(Base, Extent)> {
        match self {
            Effect::Writes(base, extent) => Some((base, extent)),
            Effect::Copies(base, _, extent) if !extent.is_told() => Some((base, extent)),
            _ => None,
        }
    }
}

/// The number of the function called `name`, if there is a model.
pub fn number(name: &str) -> Option<u32> {
    EXTERNALS.iter().position(|external| external.name == name).map(|number| number as u32)
}

/// What is known of the function called `name`.
pub fn known(name: &str) -> Option<&'static External> {
    EXTERNALS.iter().find(|external| external.name == name)
}

/// The function of this number, if there is a model.
#[inline]
pub fn external(number: u32) -> Option<&'static External> {
    EXTERNALS.get(number as usize)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::Effect::{Copies, Fills, Scans, Writes, Zeroes};
    use super::Extent::{Bytes, Count, Items, Limited, Pointers, Product, TextWithin, Wide, Wides};
    use super::Known::Returns;
    use super::Role::{Input, Plain};
    use super::*;

    #[test]
    fn each_function_has_one_model() {
        let names: BTreeSet<_> = EXTERNALS.iter().map(|external| external.name).collect();
        assert_eq!(names.len(), EXTERNALS.len());
        for (place, row) in EXTERNALS.iter().enumerate() {
            assert_eq!(number(row.name), Some(place as u32), "{}", row.name);
            assert_eq!(external(place as u32), Some(row));
        }
        assert_eq!((number("frobnicate"), external(UNKNOWN), external(INDIRECT)), (None, None, None));
        assert!(EXTERNALS.len() < 0x400, "results of different functions are predicted apart");
    }

    #[test]
    fn extents_are_what_arguments_and_result_say() {
        let length = |base: u64, unit: u64, most: u64| (base / unit).min(most);
        let arguments = [100, 7, 3];
        let bytes = |extent: Extent, result: i64| extent.bytes(12, &arguments, result as u64, length);
        assert_eq!(bytes(Bytes(5), 0), 5);
        assert_eq!(bytes(Count(1), 0), 7);
        assert_eq!((bytes(Product(1, 2), 0), bytes(Pointers(1), 0), bytes(Wides(1), 0)), (21, 56, 28));
        assert_eq!((bytes(Returned, 9), bytes(Returned, -1)), (9, 0));
        assert_eq!(bytes(Items(2), 4), 12);
        assert_eq!((bytes(Text, 0), bytes(Wide, 0)), (13, 16));
        assert_eq!((bytes(TextWithin(1), 0), bytes(TextWithin(0), 0)), (7, 13));
        assert_eq!((bytes(Limited(1), 3), bytes(Limited(1), 50), bytes(Limited(1), -1)), (4, 7, 1));
        assert_eq!(bytes(Count(9), 0), 0, "an argument that is not there");
    }

    #[test]
    fn what_may_not_return_is_not_said_to() {
        let returns = |name| known(name).is_some_and(|external| external.is(Returns));
        for name in
            ["qsort", "bsearch", "exit", "raise", "signal", "atexit", "system", "abort", "longjmp", "read", "flockfile"]
        {
            assert!(!returns(name), "{name}");
        }
        assert!(["memcpy", "printf", "access", "wmemset"].into_iter().all(returns));
        for external in EXTERNALS.iter().filter(|external| external.is(Returns)) {
            assert!(matches!(external.role, Plain | Input | Output), "{}", external.name);
        }
    }

    #[test]
    fn who_writes_makes_and_shows() {
        let of = |name| known(name).unwrap();
        for name in ["strlen", "printf", "__printf_chk", "free", "open", "getenv", "feof", "fopen", "close", "abort"] {
            assert!(!of(name).writes(), "{name}");
        }
        for name in ["fgetc", "strcpy", "fseek", "fsetpos", "freopen", "fmemopen", "ioctl", "qsort", "strtol", "sscanf"]
        {
            assert!(of(name).writes(), "{name}");
        }
        for (name, made) in [
            ("realloc", Some(Made::Returned)),
            ("strdup", Some(Made::Returned)),
            ("posix_memalign", Some(Made::AtZero(0))),
            ("getline", Some(Made::UnlessNegative(0))),
            ("__asprintf_chk", Some(Made::UnlessNegative(0))),
            ("mmap", None),
            ("alloca", None),
            ("fopen", None),
        ] {
            assert_eq!(of(name).made(), made, "{name}");
        }
        assert!(EXTERNALS.iter().all(|external| external.made().is_some() == external.is(Heap)));
        assert!(of("fopen").makes() && of("mmap").makes() && !of("fmemopen").makes() && !of("getline").makes());
        assert!(["__fprintf_chk", "writev", "rename", "exit"].into_iter().all(|name| of(name).is_seen()));
        assert!(!of("getenv").is_seen() && !of("close").is_seen());
    }

    proptest! {
        /// Every model answers for whatever arguments a program passes.
        #[test]
        fn any_arguments_have_an_extent(arguments in prop::collection::vec(any::<u64>(), 0..6), result: u64, found: u64) {
            for effect in EXTERNALS.iter().flat_map(|external| external.effects) {
                let extent = match effect {
                    Reads(_, extent) | Writes(_, extent) | Fills(_, extent) | Zeroes(_, extent) => extent,
                    Allocates(_, extent) | Copies(_, _, extent) | Moves(_, extent) => extent,
                    Frees(_) | Prints(..) | Scans(..) => continue,
                };
                extent.bytes(found, &arguments, result, |_, unit, most| (found / unit.max(1)).min(most));
            }
        }
    }
}
