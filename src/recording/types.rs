//! Types of the source, as debug information has them: what a part of a variable is called, and the constants of enumerations.

use std::collections::HashMap;

use gimli::{AttributeValue, DebuggingInformationEntry, EndianSlice, LittleEndian, UnitOffset};
use object::{Object as _, ObjectSection as _};

type Bytes<'d> = EndianSlice<'d, LittleEndian>;
type Entry<'u, 'd> = DebuggingInformationEntry<'u, 'u, Bytes<'d>, usize>;

/// Types within types that are gone into, at most.
const DEEPEST: usize = 16;

/// Types of the source by their names.
#[derive(Debug, Default)]
pub struct Types {
    all: Vec<Type>,
    by_name: HashMap<String, usize>,
    /// Types of global variables, by name.
    globals: HashMap<String, usize>,
    /// Structures and unions that a unit only declares, with their names.
    declared: Vec<(usize, String)>,
}

#[derive(Debug, Default)]
struct Type {
    shape: Shape,
    size: u64,
    /// Offset, name and type of members.
    members: Vec<(u64, String, usize)>,
    constants: Vec<(i64, String)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shape {
    /// Nothing that has parts.
    #[default]
    Plain,
    /// A structure or union.
    Record,
    /// An array of this type.
    Array(usize),
    /// Another name, or a qualification, of this type.
    Alias(usize),
    /// A pointer to this type.
    Pointer(usize),
    Enumeration,
    /// A floating-point number.
    Float,
    /// A whole number without a sign that is no character.
    Unsigned,
}

/// A part of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What follows the variable's name: `.size`, `[3].first`.
    pub path: String,
    /// Of an enumeration: its constants.
    pub constants: Vec<(i64, String)>,
    /// Of a pointer: what it points to.
    pub pointee: Option<Pointee>,
    /// Of what has no parts itself: its bytes; 0 if they are not known.
    pub size: u64,
    /// Whether it is a floating-point number.
    pub is_float: bool,
    /// Whether it is a whole number without a sign, and no character.
    pub is_unsigned: bool,
}

impl Part {
    fn of(size: u64) -> Part {
        Part { path: String::new(), constants: Vec::new(), pointee: None, size, is_float: false, is_unsigned: false }
    }
}

/// What pointers of a type point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointee(usize);

impl Types {
    /// The types of modules, by the bytes of their ELF files; what cannot be read has none.
    pub fn of<'d>(modules: impl IntoIterator<Item = &'d [u8]>) -> Types {
        let mut types = Types::default();
        for bytes in modules {
            // Without them things are called by their offsets.
            let _ = types.add(bytes);
        }
        types.define();
        types
    }

    /// The types of one module, by its sections of debug information; those up to where they cannot be read.
    pub fn of_sections<'d>(section: impl Fn(&str) -> &'d [u8]) -> Types {
        let mut types = Types::default();
        let _ = types.add_sections(section);
        types.define();
        types
    }

    /// What a unit only declares is what another one defines by that name.
    fn define(&mut self) {
        for (declared, name) in std::mem::take(&mut self.declared) {
            if let Some(defined) = self.by_name.get(&name) {
                self.all[declared].shape = Shape::Alias(*defined);
            }
        }
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), gimli::Error> {
        let Ok(file) = object::File::parse(bytes) else { return Ok(()) };
        self.add_sections(|name| file.section_by_name(name).and_then(|section| section.data().ok()).unwrap_or_default())
    }

    fn add_sections<'d>(&mut self, section: impl Fn(&str) -> &'d [u8]) -> Result<(), gimli::Error> {
        let load = |id: gimli::SectionId| Ok::<_, gimli::Error>(EndianSlice::new(section(id.name()), LittleEndian));
        let dwarf = gimli::Dwarf::load(load)?;
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            let unit = dwarf.unit(header)?;
            self.add_unit(&dwarf, &unit)?;
        }
        Ok(())
    }

    fn add_unit<'d>(
        &mut self,
        dwarf: &gimli::Dwarf<Bytes<'d>>,
        unit: &gimli::Unit<Bytes<'d>, usize>,
    ) -> Result<(), gimli::Error> {
        let mut numbers: HashMap<UnitOffset, usize> = HashMap::new();
        let mut entries = unit.entries();
        // By depth: the type that entries below belong to.
        let mut above: Vec<(isize, usize)> = Vec::new();
        let mut depth = 0;
        while let Some((deeper, entry)) = entries.next_dfs()? {
            depth += deeper;
            above.retain(|(of, _)| *of < depth);
            let around = above.last().filter(|(of, _)| *of + 1 == depth).map(|(_, number)| *number);
            let name = |entry: &Entry<'_, 'd>| -> Option<String> {
                let value = entry.attr_value(gimli::DW_AT_name).ok()??;
                Some(dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned())
            };
            let number = |attribute: gimli::DwAt| -> Option<u64> {
                entry.attr_value(attribute).ok().flatten().and_then(|value| value.udata_value())
            };
            match (entry.tag(), around) {
                (gimli::DW_TAG_member, Some(record)) => {
                    let of = self.reference(&mut numbers, entry);
                    let at = number(gimli::DW_AT_data_member_location)
                        .or_else(|| number(gimli::DW_AT_data_bit_offset).map(|bits| bits / 8))
                        .unwrap_or(0);
                    let name = name(entry).unwrap_or_default();
                    self.all[record].members.push((at, name, of));
                }
                (gimli::DW_TAG_enumerator, Some(of)) => {
                    let value = entry.attr_value(gimli::DW_AT_const_value)?.and_then(|value| value.sdata_value());
                    if let (Some(value), Some(name)) = (value, name(entry)) {
                        self.all[of].constants.push((value, name));
                    }
                }
                (gimli::DW_TAG_subrange_type, Some(array)) => {
                    let count = number(gimli::DW_AT_count)
                        .or_else(|| number(gimli::DW_AT_upper_bound).map(|last| last.wrapping_add(1)));
                    // Of an array with several dimensions the product counts, which makes its first index too large: that is left out.
                    let known = self.all[array].size;
                    self.all[array].size = if known == 0 { count.unwrap_or(0) } else { 0 };
                }
                (gimli::DW_TAG_variable, None) if depth == 1 => {
                    let of = self.reference(&mut numbers, entry);
                    if let Some(name) = name(entry) {
                        self.globals.entry(name).or_insert(of);
                    }
                }
                (tag, _) => {
                    let (shape, prefix) = match tag {
                        gimli::DW_TAG_structure_type => (Shape::Record, "struct "),
                        gimli::DW_TAG_union_type => (Shape::Record, "union "),
                        gimli::DW_TAG_enumeration_type => (Shape::Enumeration, "enum "),
                        gimli::DW_TAG_array_type => (Shape::Array(self.reference(&mut numbers, entry)), ""),
                        gimli::DW_TAG_typedef
                        | gimli::DW_TAG_const_type
                        | gimli::DW_TAG_volatile_type
                        | gimli::DW_TAG_restrict_type => (Shape::Alias(self.reference(&mut numbers, entry)), ""),
                        gimli::DW_TAG_pointer_type => (Shape::Pointer(self.reference(&mut numbers, entry)), ""),
                        gimli::DW_TAG_base_type if encoding(entry) == Some(gimli::DW_ATE_float) => (Shape::Float, ""),
                        gimli::DW_TAG_base_type if encoding(entry) == Some(gimli::DW_ATE_unsigned) => {
                            (Shape::Unsigned, "")
                        }
                        gimli::DW_TAG_base_type => (Shape::Plain, ""),
                        _ => continue,
                    };
                    let this = self.number(&mut numbers, entry.offset());
                    self.all[this].shape = shape;
                    let pointer = if tag == gimli::DW_TAG_pointer_type { 8 } else { 0 };
                    self.all[this].size = number(gimli::DW_AT_byte_size).unwrap_or(pointer);
                    if matches!(shape, Shape::Array(_)) {
                        self.all[this].size = 0;
                    }
                    let is_named = !matches!(tag, gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type);
                    if let Some(name) = name(entry).filter(|_| is_named).map(|name| format!("{prefix}{name}")) {
                        match entry.attr_value(gimli::DW_AT_declaration)? {
                            Some(_) => self.declared.push((this, name)),
                            None => _ = self.by_name.entry(name).or_insert(this),
                        }
                    }
                    above.push((depth, this));
                }
            }
        }
        Ok(())
    }

    fn number(&mut self, numbers: &mut HashMap<UnitOffset, usize>, offset: UnitOffset) -> usize {
        *numbers.entry(offset).or_insert_with(|| {
            self.all.push(Type::default());
            self.all.len() - 1
        })
    }

    /// The type that an entry is of.
    fn reference(&mut self, numbers: &mut HashMap<UnitOffset, usize>, entry: &Entry<'_, '_>) -> usize {
        let offset = match entry.attr_value(gimli::DW_AT_type) {
            Ok(Some(AttributeValue::UnitRef(offset))) => offset,
            // `void` is at no offset.
            _ => UnitOffset(0),
        };
        self.number(numbers, offset)
    }

    /// The part at `offset` of a variable of the type that is written so; nothing if that type is not known or has no parts.
    pub fn part(&self, type_name: &str, offset: u64) -> Option<Part> {
        let name = type_name.trim();
        let name = ["const ", "volatile "].iter().fold(name, |name, word| name.strip_prefix(word).unwrap_or(name));
        if let Some((element, _)) = name.split_once('[') {
            let of = self.named(element)?;
            // One dimension alone has indices that can be told from the name.
            let size = self.size(of, DEEPEST).filter(|_| name.matches('[').count() == 1)?;
            let rest = self.within(of, offset % size, DEEPEST)?;
            return Some(Part { path: format!("[{}]{}", offset / size, rest.path), ..rest });
        }
        if let Some(of) = name.strip_suffix('*') {
            let of = of.trim();
            let of = ["const ", "volatile "].iter().fold(of, |of, word| of.strip_prefix(word).unwrap_or(of));
            let pointee = (offset == 0).then(|| self.named(of)).flatten().map(Pointee)?;
            return Some(Part { pointee: Some(pointee), ..Part::of(8) });
        }
        self.within(self.named(name)?, offset, DEEPEST)
    }

    /// The part at `offset` of what a pointer points to, if it points to the first of several: the number of the one that has it, and the part in there.
    pub fn pointed(&self, Pointee(of): Pointee, offset: u64) -> Option<(u64, Part)> {
        let size = self.size(of, DEEPEST)?;
        Some((offset / size, self.within(of, offset % size, DEEPEST)?))
    }

    /// Whether pointers point to a structure or union.
    pub fn is_record(&self, Pointee(of): Pointee) -> bool {
        self.stripped(of, DEEPEST).is_some_and(|of| of.shape == Shape::Record)
    }

    /// Whether a structure begins with another one: a pointer to it is one to that, too.
    pub fn begins_with(&self, Pointee(outer): Pointee, inner: Pointee) -> bool {
        let Some(wanted) = self.stripped(inner.0, DEEPEST) else { return false };
        let mut outer = self.stripped(outer, DEEPEST);
        for _ in 0..DEEPEST {
            let Some(Type { shape: Shape::Record, members, .. }) = outer else { return false };
            let first = members.iter().find(|(at, ..)| *at == 0);
            outer = first.and_then(|(_, _, of)| self.stripped(*of, DEEPEST));
            if outer.is_some_and(|first| std::ptr::eq(first, wanted)) {
                return true;
            }
        }
        false
    }

    /// A type without its other names.
    fn stripped(&self, of: usize, depth: usize) -> Option<&Type> {
        match self.all.get(of)? {
            Type { shape: Shape::Alias(of), .. } if depth > 0 => self.stripped(*of, depth - 1),
            known => Some(known),
        }
    }

    /// The part at `offset` of a global variable.
    pub fn global(&self, name: &str, offset: u64) -> Option<Part> {
        self.within(*self.globals.get(name)?, offset, DEEPEST)
    }

    fn named(&self, name: &str) -> Option<usize> {
        self.by_name.get(name.trim()).copied()
    }

    fn size(&self, of: usize, depth: usize) -> Option<u64> {
        let Type { shape, size, .. } = self.all.get(of)?;
        let size = match shape {
            Shape::Alias(of) if depth > 0 => self.size(*of, depth - 1)?,
            Shape::Array(of) if depth > 0 => size.checked_mul(self.size(*of, depth - 1)?)?,
            _ => *size,
        };
        (size > 0).then_some(size)
    }

    fn within(&self, of: usize, offset: u64, depth: usize) -> Option<Part> {
        let Type { shape, members, constants, size } = self.all.get(of).filter(|_| depth > 0)?;
        match shape {
            Shape::Alias(of) => self.within(*of, offset, depth - 1),
            Shape::Array(of) => {
                let size = self.size(*of, depth - 1)?;
                let rest = self.within(*of, offset % size, depth - 1)?;
                Some(Part { path: format!("[{}]{}", offset / size, rest.path), ..rest })
            }
            Shape::Record => {
                let holds = |(at, _, of): &&(u64, String, usize)| {
                    *at <= offset && self.size(*of, depth - 1).is_some_and(|size| offset - at < size)
                };
                let (at, name, of) = members.iter().find(holds)?;
                let rest = self.within(*of, offset - at, depth - 1)?;
                let dot = if name.is_empty() { "" } else { "." };
                Some(Part { path: format!("{dot}{name}{}", rest.path), ..rest })
            }
            Shape::Pointer(of) if offset == 0 => Some(Part { pointee: Some(Pointee(*of)), ..Part::of(8) }),
            Shape::Enumeration | Shape::Plain if offset == 0 => {
                Some(Part { constants: constants.clone(), ..Part::of(*size) })
            }
            Shape::Float if offset == 0 => Some(Part { is_float: true, ..Part::of(*size) }),
            Shape::Unsigned if offset == 0 => Some(Part { is_unsigned: true, ..Part::of(*size) }),
            Shape::Enumeration | Shape::Plain | Shape::Float | Shape::Unsigned | Shape::Pointer(_) => None,
        }
    }
}

/// How a type without parts is encoded.
fn encoding(entry: &Entry<'_, '_>) -> Option<gimli::DwAte> {
    match entry.attr_value(gimli::DW_AT_encoding).ok().flatten() {
        Some(AttributeValue::Encoding(encoding)) => Some(encoding),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `struct pair { int first; enum mode mode; char text[4]; };` and `typedef struct pair pair_t`.
    fn types() -> Types {
        let plain = |size| Type { size, ..Type::default() };
        let modes = vec![(0, "OFF".to_owned()), (7, "ON".to_owned())];
        let mode = Type { shape: Shape::Enumeration, size: 4, constants: modes, ..Type::default() };
        let text = Type { shape: Shape::Array(1), size: 4, ..Type::default() };
        let members = [(0, "first", 0), (4, "mode", 2), (8, "text", 3)];
        let members = members.map(|(at, name, of)| (at, name.to_owned(), of)).to_vec();
        let pair = Type { shape: Shape::Record, size: 12, members, ..Type::default() };
        let alias = Type { shape: Shape::Alias(4), ..Type::default() };
        let by_name = [("struct pair".to_owned(), 4), ("pair_t".to_owned(), 5)].into();
        let globals = [("all".to_owned(), 4)].into();
        Types { all: vec![plain(4), plain(1), mode, text, pair, alias], by_name, globals, declared: Vec::new() }
    }

    #[test]
    fn parts_are_called_as_the_source_calls_them() {
        let path = |name: &str, offset| types().part(name, offset).map(|part| part.path);
        assert_eq!(path("struct pair", 0).as_deref(), Some(".first"));
        assert_eq!(path("const pair_t", 10).as_deref(), Some(".text[2]"));
        assert_eq!(path("pair_t[3]", 28).as_deref(), Some("[2].mode"));
        assert_eq!(path("pair_t[3][2]", 28), None);
        assert_eq!(path("struct other", 0), None);
        // What points to a pair has no parts itself.
        assert_eq!(
            (path("struct pair *", 0).as_deref(), path("struct pair *", 4), path("other *", 0)),
            (Some(""), None, None)
        );
        let pointee = types().part("const struct pair *", 0).unwrap().pointee.unwrap();
        let pointed = |offset| types().pointed(pointee, offset).map(|(number, part)| (number, part.path));
        assert_eq!((pointed(4), pointed(33)), (Some((0, ".mode".to_owned())), Some((2, ".text[1]".to_owned()))));
        assert!(types().is_record(pointee));
        assert_eq!(types().part("struct pair", 4).unwrap().constants[1], (7, "ON".to_owned()));
        assert_eq!(types().part("struct pair", 1), None);
        assert_eq!(types().global("all", 8).map(|part| part.path).as_deref(), Some(".text[0]"));
    }

    #[test]
    fn a_structure_may_begin_with_another_one() {
        let mut types = types();
        let members = vec![(0, "head".to_owned(), 5), (12, "more".to_owned(), 0)];
        types.all.push(Type { shape: Shape::Record, size: 16, members, ..Type::default() });
        let (pair, alias, whole) = (Pointee(4), Pointee(5), Pointee(6));
        assert!(types.begins_with(whole, pair) && types.begins_with(whole, alias));
        assert!(!types.begins_with(pair, whole) && !types.begins_with(pair, pair) && !types.begins_with(alias, pair));
    }
}
