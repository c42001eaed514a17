//! What the debug information says about variables and types.

use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::LLVMMetadataRef;
use suspect_format::site::ValueClass;

use crate::llvm::ir::{LLVMTypeKind, Type, Value, llvm, string_of};
use crate::llvm::shim;

/// A node of the debug information: variable, type, scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Info(LLVMMetadataRef);

/// DWARF's numbers for kinds of types.
mod tag {
    pub const ARRAY: u32 = 0x01;
    pub const ENUMERATION: u32 = 0x04;
    pub const MEMBER: u32 = 0x0d;
    pub const POINTER: u32 = 0x0f;
    pub const STRUCTURE: u32 = 0x13;
    pub const SUBROUTINE: u32 = 0x15;
    pub const TYPEDEF: u32 = 0x16;
    pub const UNION: u32 = 0x17;
    pub const CONST: u32 = 0x26;
    pub const VOLATILE: u32 = 0x35;
    pub const RESTRICT: u32 = 0x37;
    pub const ATOMIC: u32 = 0x47;
}

/// DWARF's numbers for basic types.
mod encoding {
    pub const BOOLEAN: u32 = 2;
    pub const COMPLEX: u32 = 3;
    pub const FLOAT: u32 = 4;
    pub const SIGNED: u32 = 5;
    pub const SIGNED_CHAR: u32 = 6;
    pub const UNSIGNED: u32 = 7;
    pub const UNSIGNED_CHAR: u32 = 8;
}

/// Types nest at most this deep before a name is cut short.
const DEPTH: u32 = 12;

impl Info {
    /// The node behind a reference of LLVM's.
    pub fn new(reference: LLVMMetadataRef) -> Option<Info> {
        (!reference.is_null()).then_some(Info(reference))
    }

    /// The variable that lives in `storage`, an alloca, a global or a parameter passed in memory.
    pub fn variable_of(storage: Value) -> Option<Info> {
        Info::new(llvm!(shim::suspect_variable_of(storage.0)))
    }

    /// The subprogram of a function.
    pub fn subprogram_of(function: Value) -> Option<Info> {
        Info::new(llvm!(LLVMGetSubprogram(function.0)))
    }

    /// LLVM's own handle.
    pub fn raw(self) -> LLVMMetadataRef {
        self.0
    }

    /// A variable's, type's or member's name; empty when it has none.
    pub fn name(self) -> String {
        string_of(|length| llvm!(shim::suspect_di_name(self.0, length)))
    }

    /// A variable's type; what a pointer, typedef, qualifier, member or array is of. `None` is `void`.
    pub fn base(self) -> Option<Info> {
        Info::new(llvm!(shim::suspect_di_type(self.0)))
    }

    /// Whether the compiler made this variable up.
    pub fn is_artificial(self) -> bool {
        llvm!(shim::suspect_di_artificial(self.0))
    }

    /// A parameter's position from 1; 0 for other variables.
    pub fn argument(self) -> u32 {
        llvm!(shim::suspect_di_argument(self.0))
    }

    /// The line a variable is declared in.
    pub fn variable_line(self) -> u32 {
        llvm!(LLVMDIVariableGetLine(self.0))
    }

    /// The scope a variable is declared in.
    pub fn scope(self) -> Option<Info> {
        Info::new(llvm!(LLVMDIVariableGetScope(self.0)))
    }

    /// The scope around one inside a function.
    pub fn parent(self) -> Option<Info> {
        Info::new(llvm!(shim::suspect_di_parent(self.0)))
    }

    /// Whether a scope is a function or inside one.
    pub fn is_local(self) -> bool {
        llvm!(shim::suspect_di_is_local(self.0))
    }

    /// The file a scope or variable is in: directory and name.
    pub fn file(self, variable: bool) -> Option<(String, String)> {
        let file = match variable {
            true => llvm!(LLVMDIVariableGetFile(self.0)),
            false => llvm!(LLVMDIScopeGetFile(self.0)),
        };
        file_name(file)
    }

    /// The line a subprogram begins in.
    pub fn subprogram_line(self) -> u32 {
        llvm!(LLVMDISubprogramGetLine(self.0))
    }

    /// What a subprogram returns; `None` is `void` or unknown.
    pub fn returned(self) -> Option<Info> {
        Info::new(llvm!(shim::suspect_di_subroutine(self.0)))?.element(0)
    }

    /// What a subprogram returns and takes; what is no type is `void`, or the rest of variable arguments.
    pub fn signature(self) -> Vec<Option<PlainType>> {
        let kind = Info::new(llvm!(shim::suspect_di_subroutine(self.0)));
        kind.into_iter().flat_map(Info::elements).map(|info| info.map(Info::plain)).collect()
    }

    /// The type of a subprogram as C writes it.
    pub fn function_type_name(self) -> String {
        Info::new(llvm!(shim::suspect_di_subroutine(self.0)))
            .map_or_else(String::new, |kind| kind.spelled_function("", 0))
    }

    fn tag(self) -> u32 {
        llvm!(shim::suspect_di_tag(self.0))
    }

    fn encoding(self) -> u32 {
        llvm!(shim::suspect_di_encoding(self.0))
    }

    fn element(self, index: usize) -> Option<Info> {
        match index < llvm!(shim::suspect_di_elements(self.0)) {
            true => Info::new(llvm!(shim::suspect_di_element(self.0, index))),
            false => None,
        }
    }

    fn elements(self) -> impl Iterator<Item = Option<Info>> {
        (0..llvm!(shim::suspect_di_elements(self.0))).map(move |index| self.element(index))
    }

    /// Bits of a value of this type, typedefs and qualifiers seen through.
    pub fn bits(self) -> u64 {
        match llvm!(LLVMDITypeGetSizeInBits(self.0)) {
            0 => self.stripped_once().map_or(0, Info::bits),
            bits => bits,
        }
    }

    fn stripped_once(self) -> Option<Info> {
        use tag::*;
        match self.tag() {
            TYPEDEF | CONST | VOLATILE | RESTRICT | ATOMIC | MEMBER => self.base(),
            _ => None,
        }
    }

    /// The type without typedefs and qualifiers.
    pub fn stripped(self) -> Info {
        std::iter::successors(Some(self), |info| info.stripped_once()).last().unwrap_or(self)
    }

    /// What a pointer of this type points to.
    pub fn pointee(self) -> Option<Info> {
        let stripped = self.stripped();
        (stripped.tag() == tag::POINTER).then(|| stripped.base())?
    }

    /// What an array of this type consists of: for `int a[2][3]`, `int [3]`'s element type and the bits of one `a[i]`.
    pub fn is_array(self) -> bool {
        self.stripped().tag() == tag::ARRAY
    }

    /// The extents of an array type, outermost first; unknown ones are `None`.
    pub fn extents(self) -> Vec<Option<u64>> {
        let count = |range: Info| u64::try_from(llvm!(shim::suspect_di_count(range.0))).ok();
        self.stripped().elements().flatten().map(count).collect()
    }

    /// Whether it is a pointer, also one to `void`, which has no pointee.
    pub fn is_pointer(self) -> bool {
        self.stripped().tag() == tag::POINTER
    }

    /// Whether it is a structure.
    pub fn is_structure(self) -> bool {
        self.stripped().tag() == tag::STRUCTURE
    }

    /// Whether it is a union.
    pub fn is_union(self) -> bool {
        self.stripped().tag() == tag::UNION
    }

    /// Whether it is `_Complex`.
    pub fn is_complex(self) -> bool {
        self.stripped().encoding() == encoding::COMPLEX
    }

    /// The members of a structure or union.
    pub fn members(self) -> Vec<Member> {
        let member = |info: Info| Member {
            name: info.name(),
            kind: info.base(),
            offset: llvm!(LLVMDITypeGetOffsetInBits(info.0)),
            bits: info.bits(),
            bit_field: llvm!(shim::suspect_di_bit_field(info.0)),
        };
        self.stripped().elements().flatten().filter(|info| info.tag() == tag::MEMBER).map(member).collect()
    }

    /// The type as C writes it.
    pub fn type_name(self) -> String {
        self.spelled(0)
    }

    fn spelled(self, depth: u32) -> String {
        use tag::*;
        if depth > DEPTH {
            return "...".to_owned();
        }
        let inner = || self.base().map_or_else(|| "void".to_owned(), |base| base.spelled(depth + 1));
        match self.tag() {
            POINTER => self.spelled_pointer(inner(), depth),
            CONST => format!("const {}", inner()),
            VOLATILE => format!("volatile {}", inner()),
            ATOMIC => format!("_Atomic {}", inner()),
            RESTRICT => format!("{} restrict", inner()),
            STRUCTURE => tagged("struct", &self.name()),
            UNION => tagged("union", &self.name()),
            ENUMERATION => tagged("enum", &self.name()),
            ARRAY => {
                let extent =
                    |extent: Option<u64>| format!("[{}]", extent.map_or_else(String::new, |count| count.to_string()));
                format!("{} {}", inner(), self.extents().into_iter().map(extent).collect::<String>())
            }
            SUBROUTINE => self.spelled_function("", depth),
            _ => self.name(),
        }
    }

    fn spelled_pointer(self, inner: String, depth: u32) -> String {
        match self.base() {
            Some(base) if base.tag() == tag::SUBROUTINE => base.spelled_function("(*)", depth),
            _ if inner.ends_with('*') => inner + "*",
            _ => inner + " *",
        }
    }

    fn spelled_function(self, middle: &str, depth: u32) -> String {
        let name = |info: Option<Info>| info.map_or_else(|| "void".to_owned(), |info| info.spelled(depth + 1));
        let mut types = self.elements().map(name);
        let returned = types.next().unwrap_or_else(|| "void".to_owned());
        format!("{returned} {middle}({})", types.collect::<Vec<_>>().join(", "))
    }

    /// The type of a number or address without typedefs and qualifiers, also of what is pointed to; `None` for other types and for
    /// variables that others may change meanwhile.
    pub fn scalar_type(self) -> Option<ScalarType> {
        let layers = std::iter::successors(Some(self), |info| info.stripped_once());
        if layers.into_iter().any(|info| matches!(info.tag(), tag::VOLATILE | tag::ATOMIC)) {
            return None;
        }
        let mut kind = ScalarType { pointers: 0, base: Some(self.stripped()) };
        while let Some(pointer) = kind.base.filter(|base| base.tag() == tag::POINTER) {
            kind = ScalarType { pointers: kind.pointers + 1, base: pointer.base().map(Info::stripped) };
        }
        let number =
            |base: Info| base.tag() == tag::ENUMERATION || base.sign().is_some() || base.encoding() == encoding::FLOAT;
        (kind.pointers > 0 || kind.base.is_some_and(number)).then_some(kind)
    }

    /// The type without typedefs, and without qualifiers of the value itself.
    pub fn plain(self) -> PlainType {
        let mut kind = PlainType { pointees: Vec::new(), base: Some(self.stripped()) };
        while let Some(pointer) = kind.base.filter(|base| base.tag() == tag::POINTER) {
            kind.pointees.push(pointer.base().map_or([false; 3], Info::qualifiers));
            kind.base = pointer.base().map(Info::stripped);
        }
        kind
    }

    /// Whether it is `const`, `volatile` and `_Atomic`.
    pub fn qualifiers(self) -> [bool; 3] {
        let has = |tag| std::iter::successors(Some(self), |info| info.stripped_once()).any(|info| info.tag() == tag);
        [tag::CONST, tag::VOLATILE, tag::ATOMIC].map(has)
    }

    /// How much `++` adds to the bits of a variable of this type; 0 where C does not allow it, or it is not the same for all values.
    pub fn step(self) -> u64 {
        let mut layers = std::iter::successors(Some(self), |info| info.stripped_once());
        if layers.any(|info| info.tag() == tag::CONST) {
            return 0;
        }
        match self.pointee().map(Info::stripped) {
            Some(function) if function.tag() == tag::SUBROUTINE => 0,
            Some(pointee) => pointee.bits() / 8,
            None if self.stripped().encoding() == encoding::BOOLEAN => 0,
            // A pointer to `void` has a sign, too.
            None => u64::from(self.stripped().tag() != tag::POINTER && self.sign().is_some()),
        }
    }

    /// Whether a type of numbers, an enumeration's too, is signed.
    pub fn sign(self) -> Option<Sign> {
        let stripped = self.stripped();
        match (stripped.tag(), stripped.encoding()) {
            (tag::ENUMERATION, _) => stripped.base().and_then(Info::sign),
            (_, encoding::SIGNED | encoding::SIGNED_CHAR) => Some(Sign::Signed),
            (_, encoding::UNSIGNED | encoding::UNSIGNED_CHAR | encoding::BOOLEAN) => Some(Sign::Unsigned),
            (tag::POINTER, _) => Some(Sign::Unsigned),
            _ => None,
        }
    }

    fn class(self) -> ValueClass {
        use tag::*;
        let stripped = self.stripped();
        match (stripped.tag(), stripped.encoding()) {
            (POINTER, _) => match stripped.base().map(Info::stripped) {
                Some(base) if base.tag() == SUBROUTINE => ValueClass::FunctionPointer,
                Some(base) if matches!(base.encoding(), encoding::SIGNED_CHAR | encoding::UNSIGNED_CHAR) => {
                    ValueClass::String
                }
                _ => ValueClass::Pointer,
            },
            (ENUMERATION, _) => ValueClass::Enum,
            (_, encoding::BOOLEAN) => ValueClass::Bool,
            (_, encoding::FLOAT) => ValueClass::Float,
            (_, encoding::SIGNED) => ValueClass::Signed,
            (_, encoding::UNSIGNED) => ValueClass::Unsigned,
            (_, encoding::SIGNED_CHAR | encoding::UNSIGNED_CHAR) => ValueClass::Char,
            _ => ValueClass::Other,
        }
    }
}

/// A type of numbers or addresses: so many pointers to `base`, `void` if that is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScalarType {
    pointers: u32,
    base: Option<Info>,
}

/// A type as another value may be converted to it without a word: qualifiers of what each pointer points to, and what the last one points to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlainType {
    pointees: Vec<[bool; 3]>,
    base: Option<Info>,
}

/// Whether numbers have a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// They have.
    Signed,
    /// They have none.
    Unsigned,
}

/// Directory and name of a file node.
fn file_name(file: LLVMMetadataRef) -> Option<(String, String)> {
    let part = |get: unsafe extern "C" fn(LLVMMetadataRef, *mut u32) -> *const std::ffi::c_char| {
        string_of(|length| {
            let mut short = 0;
            let text = llvm!(get(file, &mut short));
            // SAFETY: `length` is the place that `string_of` gives.
            unsafe { *length = short as usize };
            text
        })
    };
    (!file.is_null()).then(|| (part(LLVMDIFileGetDirectory), part(LLVMDIFileGetFilename)))
}

fn tagged(keyword: &str, name: &str) -> String {
    match name.is_empty() {
        true => keyword.to_owned(),
        false => format!("{keyword} {name}"),
    }
}

/// A member of a structure or union; sizes and offsets in bits.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name; empty for an anonymous structure or union.
    pub name: String,
    /// Its type.
    pub kind: Option<Info>,
    /// Where it begins.
    pub offset: u64,
    /// Its size.
    pub bits: u64,
    /// Whether it is a bit-field.
    pub bit_field: bool,
}

/// How a value of C type `info` and IR type `kind` is read. The IR decides where the two disagree, as in unions.
pub fn class_of(info: Option<Info>, kind: Type) -> ValueClass {
    let class = info.map_or(ValueClass::Other, Info::class);
    let agrees = match class {
        ValueClass::Float => kind.is_float(),
        ValueClass::Pointer | ValueClass::String | ValueClass::FunctionPointer => kind.is_pointer(),
        ValueClass::Other => false,
        _ => kind.kind() == LLVMTypeKind::LLVMIntegerTypeKind,
    };
    match (agrees, kind.is_float(), kind.is_pointer(), kind.int_bits()) {
        (true, ..) => class,
        (_, true, ..) => ValueClass::Float,
        (_, _, true, _) => ValueClass::Pointer,
        (_, _, _, 1) => ValueClass::Bool,
        (_, _, _, bits) if bits <= 64 => ValueClass::Signed,
        _ => ValueClass::Other,
    }
}
