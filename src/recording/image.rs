//! Where the modules of a recorded process lie: addresses of symbols, memory that nobody writes.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use object::{Object as _, ObjectSection, ObjectSegment, ObjectSymbol, RelocationTarget, SegmentFlags};
use suspect_format::abi::piece_id;
use suspect_format::body::{ADDRESSES_MAGIC, SECTION_ADDRESSES, Symbol};
use suspect_format::external;

use super::body::Code;
use super::loading::{Image, Loaded};
use super::objects::{Kind, Object, library};
use crate::comparison::Table;
use crate::trace::ModuleFile;

/// Addresses where symbols that no module has are taken to be: no process has anything there.
const NOWHERE: u64 = 0xe000_0000_0000_0000;
const NOWHERE_STRIDE: u64 = 1 << 20;
const WRITABLE: u32 = 2;
/// Bytes of a string literal that are kept for readers, at most: they tell the beginning of one.
const MOST_OF_LITERAL: usize = 256;

/// The modules of a process.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    addresses: Vec<Option<u64>>,
    /// Where a module keeps the address of a symbol that another module has.
    kept: HashMap<String, u64>,
    /// By place: the modelled function of the C library whose address a module keeps there.
    modelled: Table<u64, u32>,
    functions: Table<u64, u32>,
    /// Symbols that are objects, with their sizes, by address.
    holders: BTreeMap<u64, (u32, u64)>,
    /// Names and addresses of shared libraries, by their [`Kind::Library`].
    libraries: HashMap<u64, (String, u64)>,
    /// What string literals have, by symbol, as far as it is told.
    literals: HashMap<u32, Vec<u8>>,
    problems: Vec<String>,
}

/// What is found in a module's file.
#[derive(Default)]
struct Found {
    sizes: HashMap<String, (u64, u64)>,
    loaded: Loaded,
}

impl Modules {
    /// What could not be read, as sentences.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Where an object of a module is, if that module is loaded.
    pub fn address(&self, kind: Kind) -> Option<u64> {
        match kind {
            Kind::Symbol(symbol) => self.addresses.get(symbol as usize).copied().flatten(),
            Kind::Library(name) => self.libraries.get(&name).map(|(_, address)| *address),
            _ => None,
        }
    }

    /// The name of a shared library.
    pub fn library(&self, name: u64) -> Option<&str> {
        self.libraries.get(&name).map(|(text, _)| text.as_str())
    }

    /// The symbol whose object a symbol's address lies in, and how far: linkers put a string into another one that ends alike.
    pub fn holder(&self, symbol: u32) -> (u32, u64) {
        let address = self.symbol(symbol);
        match self.holders.range(..=address).next_back() {
            Some((start, (holder, size))) if address - start < *size => (*holder, address - start),
            _ => (symbol, 0),
        }
    }

    /// The beginning of a string literal, to its zero if that is near.
    pub fn literal(&self, symbol: u32) -> Option<&[u8]> {
        self.literals.get(&symbol).map(Vec::as_slice)
    }

    fn read(&mut self, code: &Code, path: &Path, base: u64) -> Result<Loaded, String> {
        let file = ModuleFile::open(path).map_err(|error| error.to_string())?;
        let elf = object::File::parse(file.bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
        // Addresses in a file that is not relocated are those of the process.
        let base = if elf.kind() == object::ObjectKind::Dynamic { base } else { 0 };
        let mut found = Found::default();
        for segment in elf.segments() {
            let SegmentFlags::Elf { p_flags } = segment.flags() else { continue };
            if p_flags & WRITABLE == 0 {
                let bytes = segment.data().map_err(|error| error.to_string())?;
                found.loaded.memory.push((base + segment.address(), bytes.to_vec()));
            } else {
                let filled = segment.file_range().1;
                let rest = segment.size().saturating_sub(filled).min(1 << 30);
                found.loaded.memory.push((base + segment.address() + filled, vec![0; rest as usize]));
            }
        }
        for symbol in elf.dynamic_symbols().chain(elf.symbols()).filter(|symbol| symbol.is_definition()) {
            if let Ok(name) = symbol.name() {
                let name = name.split('@').next().unwrap_or(name);
                found.sizes.entry(name.to_owned()).or_insert((base + symbol.address(), symbol.size()));
            }
        }
        for (offset, relocation) in elf.dynamic_relocations().into_iter().flatten() {
            let RelocationTarget::Symbol(index) = relocation.target() else { continue };
            let name = elf.dynamic_symbol_table().and_then(|table| {
                use object::ObjectSymbolTable;
                table.symbol_by_index(index).ok()?.name().ok().map(str::to_owned)
            });
            if let Some(name) = name {
                if let Some(model) = external::number(&name) {
                    self.modelled.insert(base + offset, model);
                }
                self.kept.entry(name).or_insert(base + offset);
            }
        }
        for section in elf.sections().filter(|section| section.name() == Ok(SECTION_ADDRESSES)) {
            let bytes = section.data().map_err(|error| error.to_string())?;
            self.take_addresses(code, bytes, base + section.address());
        }
        self.finish(code, &mut found);
        found.loaded.objects = outermost(found.loaded.objects);
        for object in &found.loaded.objects {
            if let Kind::Symbol(symbol) = object.kind {
                self.holders.insert(object.address, (symbol, object.size));
                if code.symbols[symbol as usize].is_literal() {
                    self.literals.extend(found.text(object).map(|text| (symbol, text)));
                }
            }
        }
        Ok(found.loaded)
    }

    /// The section is as in the file: distances, which no relocation changes.
    fn take_addresses(&mut self, code: &Code, bytes: &[u8], at: u64) {
        let word = |index: usize| {
            bytes.get(8 * index..8 * index + 8).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
        };
        let mut index = 0;
        while let Some(magic) = word(index) {
            let (Some(unit), Some(number), Some(count)) = (word(index + 1), word(index + 2), word(index + 3)) else {
                break;
            };
            if magic != ADDRESSES_MAGIC {
                index += 1;
                continue;
            }
            index += 4;
            let function = code.by_id.get(&piece_id(unit, number as u32)).copied();
            let symbols = function.map_or(&[][..], |function| &code.functions[function as usize].symbols);
            for place in 0..count as usize {
                let (Some(distance), Some(symbol)) = (word(index), symbols.get(place)) else { break };
                if distance != 0 {
                    self.addresses[*symbol as usize] = Some((at + 8 * index as u64).wrapping_add(distance));
                }
                index += 1;
            }
        }
    }

    fn finish(&mut self, code: &Code, found: &mut Found) {
        for (number, symbol) in (0..).zip(&code.symbols) {
            let named = found.sizes.get(&symbol.name).copied();
            let local = symbol.flags & Symbol::LOCAL != 0;
            let address = match self.addresses[number as usize] {
                Some(address) => Some(address),
                None if local => None,
                None => named.map(|(address, _)| address),
            };
            let Some(address) = address.filter(|_| symbol.flags & Symbol::THREAD_LOCAL == 0) else { continue };
            let fresh = self.addresses[number as usize].replace(address).is_none() || found.covers(address);
            if let Some(function) = symbol.function {
                self.functions.insert(address, function);
            }
            let size = match (symbol.size, named) {
                (0, Some((_, size))) if !local => size.max(1),
                (size, _) => size.max(1),
            };
            if fresh {
                found.loaded.objects.push(Object { kind: Kind::Symbol(code.twins.symbol(number)), address, size });
            }
        }
        for number in 0..code.symbols.len() as u32 {
            let twin = code.twins.symbol(number);
            if let Some(address) = self.addresses[number as usize].filter(|_| twin != number) {
                self.addresses[twin as usize] = Some(address);
            }
        }
    }
}

/// Objects that lie in no other one, by address; of those at one place the first.
fn outermost(mut objects: Vec<Object>) -> Vec<Object> {
    objects.sort_by_key(|object| (object.address, std::cmp::Reverse(object.size)));
    let mut end = 0;
    objects.retain(|object| {
        let last = object.address.saturating_add(object.size);
        let outer = last > end;
        end = end.max(last);
        outer
    });
    objects
}

impl Found {
    /// The bytes of an object that nobody writes, as many as are kept.
    fn text(&self, object: &Object) -> Option<Vec<u8>> {
        let holds = |(start, bytes): &&(u64, Vec<u8>)| object.address.wrapping_sub(*start) < bytes.len() as u64;
        let (start, bytes) = self.loaded.memory.iter().find(holds)?;
        let rest = &bytes[(object.address - start) as usize..];
        Some(rest[..rest.len().min(object.size as usize).min(MOST_OF_LITERAL)].to_vec())
    }

    fn covers(&self, address: u64) -> bool {
        let range =
            self.loaded.memory.iter().fold((u64::MAX, 0), |(low, high), (start, bytes)| {
                (low.min(*start), high.max(start + bytes.len() as u64))
            });
        (range.0..range.1).contains(&address)
    }
}

impl Image for Modules {
    fn symbol(&self, symbol: u32) -> u64 {
        self.addresses.get(symbol as usize).copied().flatten().unwrap_or(NOWHERE + u64::from(symbol) * NOWHERE_STRIDE)
    }

    fn kept(&self, name: &str) -> Option<u64> {
        self.kept.get(name).copied()
    }

    fn modelled_at(&self, place: u64) -> Option<u32> {
        self.modelled.get(&place).copied()
    }

    fn set(&mut self, symbol: u32, address: u64) {
        self.addresses[symbol as usize] = Some(address);
    }

    fn is_known(&self, symbol: u32) -> bool {
        self.addresses.get(symbol as usize).copied().flatten().is_some()
    }

    fn function_at(&self, address: u64) -> Option<u32> {
        self.functions.get(&address).copied()
    }

    fn name_library(&mut self, name: &[u8], address: u64) {
        let text = String::from_utf8_lossy(name).into_owned();
        self.libraries.entry(library(name)).or_insert((text, address));
    }

    fn load(&mut self, code: &Code, path: &[u8], base: u64) -> Loaded {
        self.addresses.resize(code.symbols.len(), None);
        let path = String::from_utf8_lossy(path).into_owned();
        self.read(code, Path::new(&path), base).unwrap_or_else(|problem| {
            self.problems.push(problem);
            Loaded::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_in_the_tail_of_another_one_is_part_of_it() {
        let object = |symbol, address, size| Object { kind: Kind::Symbol(symbol), address, size };
        // Two strings that end alike, a third one at the place of the first, and two that stand beside them.
        let objects =
            vec![object(3, 107, 3), object(0, 103, 4), object(1, 100, 7), object(2, 100, 7), object(4, 110, 2)];
        let kept: Vec<Kind> = outermost(objects).into_iter().map(|object| object.kind).collect();
        assert_eq!(kept, [Kind::Symbol(1), Kind::Symbol(3), Kind::Symbol(4)]);
    }
}
