//! IR values back to C text: what a store writes to (`p->next->x`, `z[i]`) and what a condition says (`a > 1`).

use inkwell::llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement};

use crate::llvm::debug_info::{Info, Member};
use crate::llvm::ir::{
    LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind, Module, Type, Value, bytes_of, llvm, structure_name,
};
use crate::llvm::shim;

/// Longest text that is kept.
const LONGEST: usize = 120;
/// Values nest at most this deep.
const DEPTH: u32 = 24;

/// How the text of a location was come by, which decides how a member or element of it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The text names the location.
    Direct,
    /// The text is a pointer to it.
    Pointer,
    /// The text is an array whose first element it is.
    Array,
}

/// A place in memory.
#[derive(Clone, Debug)]
pub struct Location {
    form: Form,
    text: String,
    /// Type of what is there.
    pub kind: Option<Info>,
    /// Bits between the start of `kind` and the place, where no member was found.
    pending: u64,
    /// The variable that the path starts from.
    pub variable: String,
}

impl Location {
    /// The location as C text.
    pub fn text(&self) -> String {
        match self.form {
            Form::Direct => self.text.clone(),
            Form::Pointer => format!("*{}", self.text),
            Form::Array => format!("{}[0]", self.text),
        }
    }

    /// What stands in front of the name of a member of what is here.
    pub fn way_in(&self) -> String {
        match self.form {
            Form::Direct => format!("{}.", self.text),
            Form::Pointer => format!("{}->", self.text),
            Form::Array => format!("{}[0].", self.text),
        }
    }

    fn address_text(&self) -> String {
        match self.form {
            Form::Direct if self.kind.is_some_and(Info::is_array) => self.text.clone(),
            Form::Direct => format!("&{}", self.text),
            Form::Pointer | Form::Array => self.text.clone(),
        }
    }

    fn member(&self, member: &Member) -> Location {
        let text = match member.name.is_empty() {
            true => self.text.clone(),
            false => self.way_in() + &member.name,
        };
        let form = if member.name.is_empty() { self.form } else { Form::Direct };
        Location { form, text, kind: member.kind, pending: 0, variable: self.variable.clone() }
    }

    fn element(&self, index: &str, kind: Option<Info>) -> Location {
        let text = format!("{}[{index}]", self.text);
        Location { form: Form::Direct, text, kind, pending: 0, variable: self.variable.clone() }
    }

    /// The element of an array that begins at the pending offset; `None` for other locations, and where an element is no larger than what is looked for.
    fn first_element(&self, bits: u64) -> Option<Location> {
        let kind = self.kind.filter(|kind| kind.is_array())?;
        let (element, size) = element_of(kind).filter(|(_, size)| bits <= *size)?;
        let mut rest = self.pending / size;
        let mut indices = Vec::new();
        for extent in kind.extents().into_iter().skip(1).rev() {
            let extent = extent.filter(|extent| *extent > 0)?;
            indices.push(rest % extent);
            rest /= extent;
        }
        indices.push(rest);
        let base = match self.form {
            Form::Direct => self.text.clone(),
            Form::Pointer => format!("(*{})", self.text),
            Form::Array => format!("{}[0]", self.text),
        };
        let text = indices.iter().rev().fold(base, |text, index| format!("{text}[{index}]"));
        let (kind, pending) = (Some(element), self.pending % size);
        Some(Location { form: Form::Direct, text, kind, pending, variable: self.variable.clone() })
    }

    /// The member that begins at the pending offset; with `bits`, the innermost one of that size, elements of arrays included.
    fn descended(self, bits: Option<u64>) -> Location {
        let mut here = self;
        for _ in 0..DEPTH {
            if let Some(element) = bits.and_then(|bits| here.first_element(bits)) {
                here = element;
                continue;
            }
            let Some(kind) = here.kind.filter(|kind| kind.is_structure() || kind.is_union()) else { break };
            if here.pending == 0 && bits.is_none() {
                break;
            }
            let fits = |member: &Member| {
                let inside = here.pending.wrapping_sub(member.offset) < member.bits.max(1);
                !member.bit_field
                    && inside
                    && here.pending >= member.offset
                    && bits.is_none_or(|bits| bits <= member.bits)
            };
            let mut found = kind.members().into_iter().filter(fits);
            let (Some(member), None) = (found.next(), found.next()) else { break };
            let pending = here.pending - member.offset;
            here = Location { pending, ..here.member(&member) };
        }
        here
    }

    /// The bit-field that begins `shift` bits after this location.
    pub fn bit_field(&self, shift: u64, bits: u64) -> Option<Location> {
        let kind = self.kind.filter(|kind| kind.is_structure() || kind.is_union())?;
        let offset = self.pending + shift;
        let member =
            kind.members().into_iter().find(|one| one.bit_field && one.offset == offset && one.bits == bits)?;
        Some(self.member(&member))
    }

    /// The scalar of `bits` bits that a store to this location writes.
    pub fn scalar(self, bits: u64) -> Location {
        match self.bit_field(0, bits) {
            Some(field) => field,
            None => self.descended(Some(bits)),
        }
    }

    /// The structure that is here.
    pub fn structure(&self) -> Option<Info> {
        self.kind.filter(|kind| self.pending == 0 && kind.is_structure())
    }

    /// The member of the union here that is the structure of this name in the IR, if it is the only such one.
    fn of_union(self, structure: Type) -> Location {
        let kind = self.kind.filter(|kind| self.pending == 0 && kind.is_union());
        let (Some(kind), Some(name)) = (kind, structure_name(structure)) else { return self };
        let is_it = |one: &Member| one.kind.is_some_and(|kind| name == format!("struct.{}", kind.stripped().name()));
        let mut found = kind.members().into_iter().filter(is_it);
        match (found.next(), found.next()) {
            (Some(member), None) if !member.name.is_empty() => self.member(&member),
            _ => self,
        }
    }

    /// Whether what is here is a structure or union as a whole, for all that the debug information says.
    pub fn is_aggregate(&self) -> bool {
        self.pending != 0 || self.kind.is_some_and(|kind| kind.is_structure() || kind.is_array())
    }

    /// Adds the part of a complex number, bits `pending` after its start.
    fn of_complex(self, part: &str) -> Location {
        let text = format!("{part} {}", self.text());
        Location { form: Form::Direct, text, kind: None, pending: 0, variable: self.variable }
    }
}

/// A value's text and how tightly it binds.
struct Text {
    text: String,
    loose: bool,
}

fn tight(text: String) -> Option<Text> {
    Some(Text { text, loose: false })
}

fn loose(text: String) -> Option<Text> {
    (text.len() <= LONGEST).then_some(Text { text, loose: true })
}

impl Text {
    fn operand(self) -> String {
        if self.loose { format!("({})", self.text) } else { self.text }
    }
}

/// Reads the IR of one module.
#[derive(Clone, Copy)]
pub struct Reader {
    module: Module,
}

impl Reader {
    /// A reader of `module`'s IR.
    pub fn new(module: Module) -> Self {
        Reader { module }
    }

    /// What the address `pointer` is the address of.
    pub fn location(self, pointer: Value) -> Option<Location> {
        self.location_at(pointer, 0)
    }

    /// The text of `value`; `None` when it has no short form.
    pub fn value(self, value: Value) -> Option<String> {
        self.value_at(value, 0).map(|text| text.text).filter(|text| text.len() <= LONGEST)
    }

    /// The C type of `value`, where it is loaded from a place of known type.
    pub fn type_of(self, value: Value) -> Option<Info> {
        let load = std::iter::successors(Some(value), |value| is_cast(*value).then(|| value.operand(0))?).last()?;
        match load.is(LLVMOpcode::LLVMLoad) {
            true => self.location(load.operand(0)?)?.scalar(u64::from(load.kind().scalar_bits()?)).kind,
            false => None,
        }
    }

    fn location_at(self, pointer: Value, depth: u32) -> Option<Location> {
        if depth > DEPTH {
            return None;
        }
        if pointer.is_global_variable() || pointer.is(LLVMOpcode::LLVMAlloca) || pointer.is_argument() {
            return variable(pointer);
        }
        match pointer.opcode().or(pointer.constant_opcode())? {
            LLVMOpcode::LLVMGetElementPtr => self.step(pointer, depth),
            LLVMOpcode::LLVMLoad => {
                let from = self.location_at(pointer.operand(0)?, depth + 1)?.scalar(64);
                let kind = from.kind.and_then(Info::pointee);
                Some(Location {
                    form: Form::Pointer,
                    text: from.text_as_pointer(),
                    kind,
                    pending: 0,
                    variable: from.variable,
                })
            }
            LLVMOpcode::LLVMCall => {
                let text = self.call_text(pointer, depth)?;
                Some(Location { form: Form::Pointer, text, kind: None, pending: 0, variable: String::new() })
            }
            LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMAddrSpaceCast => self.location_at(pointer.operand(0)?, depth + 1),
            _ => None,
        }
    }

    /// One `getelementptr`.
    fn step(self, pointer: Value, depth: u32) -> Option<Location> {
        let mut here = self.location_at(pointer.operand(0)?, depth + 1)?;
        let mut kind = pointer.element_source();
        let first = pointer.operand(1)?;
        // `p[0]` is a step of its own in the front end's code, `*p` none.
        let only = pointer.n_operands() == 2 && here.form == Form::Pointer;
        if first.integer() != Some(0) || only {
            here = self.index(here, first, kind, depth)?;
        }
        for index in (2..pointer.n_operands()).filter_map(|index| pointer.operand(index)) {
            (here, kind) = self.enter(here, kind, index, depth)?;
        }
        Some(here)
    }

    /// The element `index` further on from `here`, in steps of `kind`.
    fn index(self, here: Location, index: Value, kind: Type, depth: u32) -> Option<Location> {
        let step = self.size(kind);
        if let (Some(number), Some(_)) = (index.integer(), here.kind.filter(|kind| kind.bits() != step)) {
            let pending = here.pending.checked_add_signed(number.checked_mul(step as i64)?)?;
            return Some(self.at_offset(here, pending));
        }
        let index = self.value_at(index, depth + 1).map_or_else(String::new, |text| text.text);
        let kind = here.kind;
        let base = match here.form {
            Form::Direct => Location { text: format!("(&{})", here.text), ..here },
            _ => here,
        };
        Some(base.element(&index, kind))
    }

    /// The place `pending` bits after the start of `here`'s type.
    fn at_offset(self, here: Location, pending: u64) -> Location {
        let mut here = Location { pending, ..here };
        for _ in 0..DEPTH {
            let Some(kind) = here.kind.filter(|kind| kind.is_array()) else { break };
            let Some((element, bits)) = element_of(kind) else { break };
            let index = here.pending / bits;
            let rest = here.pending % bits;
            here = Location { pending: rest, ..here.element(&index.to_string(), Some(element)) }.descended(None);
        }
        here.descended(None)
    }

    /// Bits before a field of a structure of the IR.
    pub fn offset_of(self, structure: Type, field: u32) -> u64 {
        llvm!(LLVMOffsetOfElement(LLVMGetModuleDataLayout(self.module.0), structure.0, field)) * 8
    }

    /// One index after the first: into a structure's field or an array's element.
    fn enter(self, here: Location, kind: Type, index: Value, depth: u32) -> Option<(Location, Type)> {
        match kind.kind() {
            LLVMTypeKind::LLVMStructTypeKind => {
                let field = u32::try_from(index.integer()?).ok()?;
                let offset = self.offset_of(kind, field);
                let field_kind = Type(llvm!(inkwell::llvm_sys::core::LLVMStructGetTypeAtIndex(kind.0, field)));
                if here.kind.is_some_and(Info::is_complex) {
                    return Some((here.of_complex(if field == 0 { "__real" } else { "__imag" }), field_kind));
                }
                let here = here.of_union(kind);
                let pending = here.pending + offset;
                let bits = self.size(field_kind);
                Some((self.field(Location { pending, ..here }, bits), field_kind))
            }
            LLVMTypeKind::LLVMArrayTypeKind => {
                let element_kind = Type(llvm!(inkwell::llvm_sys::core::LLVMGetElementType(kind.0)));
                let element = here.kind.filter(|kind| kind.is_array());
                let decayed = Location {
                    form: Form::Array,
                    text: here.text(),
                    kind: element.and_then(|_| self.element_type(&here, element_kind)),
                    pending: 0,
                    variable: here.variable,
                };
                match index.integer() {
                    Some(0) => Some((decayed, element_kind)),
                    _ => {
                        let text = self.value_at(index, depth + 1).map_or_else(String::new, |text| text.text);
                        let kind = decayed.kind;
                        Some((decayed.element(&text, kind), element_kind))
                    }
                }
            }
            _ => None,
        }
    }

    /// The member that begins where `here` says; bit-fields stay pending, since several share a storage unit.
    fn field(self, here: Location, bits: u64) -> Location {
        let Some(kind) = here.kind.filter(|kind| kind.is_structure()) else { return here };
        let at = |member: &Member| !member.bit_field && member.offset == here.pending && member.bits > 0;
        let mut members = kind.members().into_iter().filter(at);
        match members.next() {
            Some(member) if member.bits <= bits.max(1) || member.bits == 0 => here.member(&member),
            Some(member) => here.member(&member),
            None => here,
        }
    }

    /// The element type of an array location whose elements have the IR type `kind`.
    fn element_type(self, here: &Location, kind: Type) -> Option<Info> {
        // Debug information gives `int a[2][3]` as one array with two extents: while the IR's element is still an
        // array, the C type stays as it is and only the innermost step reaches the element.
        match kind.kind() {
            LLVMTypeKind::LLVMArrayTypeKind => here.kind,
            _ => here.kind?.stripped().base(),
        }
    }

    pub fn size(self, kind: Type) -> u64 {
        match kind.kind() {
            LLVMTypeKind::LLVMVoidTypeKind | LLVMTypeKind::LLVMFunctionTypeKind => 8,
            _ => llvm!(LLVMABISizeOfType(LLVMGetModuleDataLayout(self.module.0), kind.0)) * 8,
        }
    }

    fn value_at(self, value: Value, depth: u32) -> Option<Text> {
        if depth > DEPTH {
            return None;
        }
        if let Some(text) = self.constant(value, false) {
            return tight(text);
        }
        if let Some(opcode) = value.constant_opcode() {
            return match opcode {
                LLVMOpcode::LLVMGetElementPtr => tight(self.location_at(value, depth + 1)?.address_text()),
                _ => None,
            };
        }
        if value.is_argument() {
            return tight(variable(value)?.address_text());
        }
        self.instruction(value, depth)
    }

    fn instruction(self, value: Value, depth: u32) -> Option<Text> {
        use LLVMOpcode::*;
        match value.opcode()? {
            LLVMLoad => {
                let location = self.location_at(value.operand(0)?, depth + 1)?;
                tight(location.scalar(u64::from(value.kind().scalar_bits()?)).text())
            }
            LLVMAlloca => tight(variable(value)?.address_text()),
            LLVMGetElementPtr => tight(self.location_at(value, depth + 1)?.address_text()),
            LLVMCall => tight(self.call_text(value, depth)?),
            LLVMICmp => self.comparison(value, depth),
            LLVMFCmp => self.pair(value, real_operator(value.real_predicate())?, false, depth),
            LLVMFNeg => tight(format!("-{}", self.value_at(value.operand(0)?, depth + 1)?.operand())),
            LLVMXor if value.operand(1)?.integer() == Some(-1) => {
                let sign = if value.kind().int_bits() == 1 { "!" } else { "~" };
                tight(format!("{sign}{}", self.value_at(value.operand(0)?, depth + 1)?.operand()))
            }
            LLVMSub if value.operand(0)?.integer() == Some(0) => {
                tight(format!("-{}", self.value_at(value.operand(1)?, depth + 1)?.operand()))
            }
            LLVMAdd if value.operand(1)?.integer().is_some_and(|number| number < 0) => {
                let left = self.value_at(value.operand(0)?, depth + 1)?.operand();
                loose(format!("{left} - {}", value.operand(1)?.integer()?.unsigned_abs()))
            }
            _ if is_cast(value) => self.value_at(value.operand(0)?, depth + 1),
            opcode => self.pair(value, operator(opcode)?, false, depth),
        }
    }

    fn comparison(self, value: Value, depth: u32) -> Option<Text> {
        let predicate = value.int_predicate();
        let (left, right) = (value.operand(0)?, value.operand(1)?);
        let boolean = std::iter::successors(Some(left), |value| is_cast(*value).then(|| value.operand(0))?).last()?;
        if predicate == LLVMIntPredicate::LLVMIntNE && right.integer() == Some(0) && is_truth(boolean) {
            return self.value_at(boolean, depth + 1);
        }
        use LLVMIntPredicate::*;
        let unsigned = matches!(predicate, LLVMIntUGT | LLVMIntUGE | LLVMIntULT | LLVMIntULE);
        self.pair(value, int_operator(predicate), unsigned, depth)
    }

    fn pair(self, value: Value, operator: &str, unsigned: bool, depth: u32) -> Option<Text> {
        let side = |index| {
            let operand: Value = value.operand(index)?;
            match self.constant(operand, unsigned) {
                Some(text) => Some(text),
                None => Some(self.value_at(operand, depth + 1)?.operand()),
            }
        };
        loose(format!("{} {operator} {}", side(0)?, side(1)?))
    }

    fn call_text(self, call: Value, depth: u32) -> Option<String> {
        let callee = match call.called_function() {
            Some(function) if function.is_intrinsic() => return None,
            Some(function) => function.name(),
            None => {
                let pointer = call.operand(call.n_operands().checked_sub(1)?)?;
                self.value_at(pointer, depth + 1)?.operand()
            }
        };
        let arguments =
            (0..call.n_operands() - 1).map(|index| Some(self.value_at(call.operand(index)?, depth + 1)?.text));
        let text = format!("{callee}({})", arguments.collect::<Option<Vec<_>>>()?.join(", "));
        (text.len() <= LONGEST).then_some(text)
    }

    fn constant(self, value: Value, unsigned: bool) -> Option<String> {
        if !value.is_constant() {
            return None;
        }
        if value.is_null_pointer() {
            return Some("NULL".to_owned());
        }
        if let Some(number) = value.integer() {
            let bits = value.kind().int_bits();
            return Some(match unsigned && number < 0 {
                true => ((number as u64) << (64 - bits) >> (64 - bits)).to_string(),
                false => number.to_string(),
            });
        }
        if value.is_function() {
            return Some(value.name());
        }
        if value.is_global_variable() {
            return string_literal(value).or_else(|| Some(variable(value)?.address_text()));
        }
        let mut buffer = [0u8; 40];
        let length = llvm!(shim::suspect_float_text(value.0, buffer.as_mut_ptr().cast(), buffer.len()));
        (length > 0).then(|| String::from_utf8_lossy(&buffer[..length]).into_owned())
    }
}

impl Location {
    fn text_as_pointer(&self) -> String {
        match self.form {
            Form::Pointer => format!("(*{})", self.text),
            _ => self.text(),
        }
    }
}

/// The variable stored at `storage`, unless the compiler made it up.
fn variable(storage: Value) -> Option<Location> {
    let info = Info::variable_of(storage).filter(|info| !info.is_artificial())?;
    let name = info.name();
    (!name.is_empty()).then(|| Location {
        form: Form::Direct,
        text: name.clone(),
        kind: info.base(),
        pending: 0,
        variable: name,
    })
}

/// The innermost element of an array type and its bits.
fn element_of(kind: Info) -> Option<(Info, u64)> {
    let element = kind.stripped().base()?;
    Some((element, element.bits())).filter(|(_, bits)| *bits > 0)
}

/// Whether `value` is a cast that C text leaves out.
fn is_cast(value: Value) -> bool {
    use LLVMOpcode::*;
    matches!(
        value.opcode(),
        Some(
            LLVMTrunc
                | LLVMZExt
                | LLVMSExt
                | LLVMFPToUI
                | LLVMFPToSI
                | LLVMUIToFP
                | LLVMSIToFP
                | LLVMFPTrunc
                | LLVMFPExt
                | LLVMPtrToInt
                | LLVMIntToPtr
                | LLVMBitCast
                | LLVMFreeze
        )
    )
}

/// Whether `value` is the outcome of a comparison.
pub fn is_truth(value: Value) -> bool {
    value.kind().int_bits() == 1 && value.is_instruction()
}

fn string_literal(global: Value) -> Option<String> {
    let bytes = bytes_of(|length| llvm!(shim::suspect_string_bytes(global.0, length)))?;
    let text = std::str::from_utf8(bytes.strip_suffix(&[0])?).ok().filter(|text| text.len() <= 40)?;
    Some(format!("\"{}\"", text.escape_default()))
}

fn int_operator(predicate: LLVMIntPredicate) -> &'static str {
    use LLVMIntPredicate::*;
    match predicate {
        LLVMIntEQ => "==",
        LLVMIntNE => "!=",
        LLVMIntUGT | LLVMIntSGT => ">",
        LLVMIntUGE | LLVMIntSGE => ">=",
        LLVMIntULT | LLVMIntSLT => "<",
        LLVMIntULE | LLVMIntSLE => "<=",
    }
}

fn real_operator(predicate: LLVMRealPredicate) -> Option<&'static str> {
    use LLVMRealPredicate::*;
    match predicate {
        LLVMRealOEQ | LLVMRealUEQ => Some("=="),
        LLVMRealONE | LLVMRealUNE => Some("!="),
        LLVMRealOGT | LLVMRealUGT => Some(">"),
        LLVMRealOGE | LLVMRealUGE => Some(">="),
        LLVMRealOLT | LLVMRealULT => Some("<"),
        LLVMRealOLE | LLVMRealULE => Some("<="),
        _ => None,
    }
}

fn operator(opcode: LLVMOpcode) -> Option<&'static str> {
    use LLVMOpcode::*;
    match opcode {
        LLVMAdd | LLVMFAdd => Some("+"),
        LLVMSub | LLVMFSub => Some("-"),
        LLVMMul | LLVMFMul => Some("*"),
        LLVMUDiv | LLVMSDiv | LLVMFDiv => Some("/"),
        LLVMURem | LLVMSRem | LLVMFRem => Some("%"),
        LLVMAnd => Some("&"),
        LLVMOr => Some("|"),
        LLVMXor => Some("^"),
        LLVMShl => Some("<<"),
        LLVMLShr | LLVMAShr => Some(">>"),
        _ => None,
    }
}
