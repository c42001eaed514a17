//! Trees of the body table: what a step computes, as tokens, and the instructions that do so, in the order in which they are to run.

use std::collections::{HashMap, HashSet};

use suspect_format::body::{Binary, Builtin, Cast, Compare, Token, Type};
use suspect_format::site::Sink;

use crate::llvm::ir::{self, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind, Module, Value, llvm};
use crate::llvm::shim;
use crate::record::bodies::Bodies;
use crate::table::Bytes;

/// Most terms of an address.
const MOST_TERMS: usize = 16;

/// What an instruction is to the table, as `shim/record/part.cpp` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Leaves no trace in it.
    Nothing,
    /// Is computed there.
    Computed,
    /// Makes what cannot be computed there.
    Opaque,
    /// Is a step.
    Step,
}

impl Part {
    /// What `instruction` is.
    pub fn of(instruction: Value) -> Part {
        match llvm!(shim::suspect_record_part(instruction.0)) {
            0 => Part::Nothing,
            1..=3 => Part::Computed,
            4 => Part::Opaque,
            _ => Part::Step,
        }
    }
}

/// Whether a value of this type does not fit 64 bits.
pub fn is_wide(kind: ir::Type) -> bool {
    llvm!(shim::suspect_record_is_wide(kind.0))
}

/// The type of values of at most 64 bits.
pub fn type_of(kind: ir::Type) -> Type {
    match kind.kind() {
        LLVMTypeKind::LLVMPointerTypeKind => Type::Pointer,
        LLVMTypeKind::LLVMFloatTypeKind => Type::Float,
        LLVMTypeKind::LLVMDoubleTypeKind => Type::Double,
        _ => Type::Integer(kind.scalar_bits().unwrap_or(64).clamp(1, 64) as u8),
    }
}

/// The frame of the function being written: its slots.
pub struct Slots {
    /// Where each is.
    pub offsets: HashMap<Value, u64>,
    /// Those that nothing but the function's own steps write.
    pub known: HashSet<Value>,
}

/// Writes the trees of one function.
pub struct Trees<'a> {
    module: Module,
    bodies: &'a mut Bodies,
    slots: &'a Slots,
    /// What is written so far.
    pub out: Bytes,
    /// The symbols that trees named, in order.
    pub symbols: Vec<u32>,
    /// The instructions of the step's trees in the order in which they run, with the number under which their values are recorded.
    pub order: Vec<(Value, Option<u16>)>,
    hash: u32,
    n_recorded: u32,
}

impl<'a> Trees<'a> {
    /// For a function; `hash` tells its recorded values from those of others.
    pub fn new(module: Module, bodies: &'a mut Bodies, slots: &'a Slots, hash: u32) -> Trees<'a> {
        let (out, symbols, order) = (Bytes::default(), Vec::new(), Vec::new());
        Trees { module, bodies, slots, out, symbols, order, hash, n_recorded: 0 }
    }

    /// The next number of a recorded value. Numbers are shared by the values of a program when they are many.
    pub fn recorded(&mut self) -> u16 {
        self.n_recorded += 1;
        self.hash.wrapping_add(self.n_recorded.wrapping_mul(0x9e37_79b1) >> 16) as u16
    }

    /// Writes a token.
    pub fn token(&mut self, token: Token) {
        token.encode(&mut self.out);
    }

    /// Writes a constant of 64 bits.
    pub fn word(&mut self, number: u64) {
        self.token(Token::Constant(Type::Integer(64), number));
    }

    /// The number of a symbol in the unit, which the function is now known to name.
    pub fn symbol(&mut self, symbol: Value) -> u32 {
        let number = self.bodies.symbol(symbol);
        if !self.symbols.contains(&number) {
            self.symbols.push(number);
        }
        number
    }

    /// Where a slot is in the frame; `None` for what is none.
    pub fn slot(&self, value: Value) -> Option<u64> {
        self.slots.offsets.get(&value).copied()
    }

    /// Writes the tree of a value of at most 64 bits.
    pub fn value(&mut self, value: Value) {
        let kind = value.kind();
        let (mut bits, mut offset) = (0, 0);
        if llvm!(shim::suspect_record_constant(value.0, &mut bits)) {
            return self.token(Token::Constant(type_of(kind), bits));
        }
        let symbol = llvm!(shim::suspect_record_symbol(self.module.0, value.0, &mut offset));
        if !symbol.is_null() {
            let number = self.symbol(Value(symbol));
            return self.token(Token::Symbol(number, offset));
        }
        if let Some(offset) = self.slot(value) {
            return self.token(Token::Frame(offset as i64));
        }
        if !value.is_instruction() {
            return self.token(Token::Constant(type_of(kind), 0));
        }
        match Part::of(value) {
            Part::Computed => self.computed(value),
            _ => self.opaque(value),
        }
    }

    /// Writes an unsigned number as one of 64 bits.
    pub fn extended(&mut self, value: Value, signed: bool) {
        let from = type_of(value.kind());
        if from.bits() < 64 {
            let cast = if signed { Cast::SignExtend } else { Cast::Bits };
            self.token(Token::Cast { cast, from, to: Type::Integer(64) });
        }
        self.value(value);
    }

    /// Writes the address of a wide value, which is loaded where it is used.
    pub fn wide(&mut self, value: Value) {
        if let Some(address) = value.operand(0) {
            self.value(address);
        }
        self.order.push((value, None));
    }

    /// Whether the value of a load is to be recorded.
    fn is_recorded(&self, load: Value) -> bool {
        let Some(address) = load.operand(0).filter(|_| load.is_simple_access()) else { return true };
        let base = Value(llvm!(shim::suspect_record_base(address.0)));
        let is_known = self.slots.known.contains(&base) || self.bodies.known.contains(&base);
        !is_known && !llvm!(shim::suspect_record_is_constant_data(base.0))
    }

    fn computed(&mut self, value: Value) {
        use LLVMOpcode::*;
        let of = type_of(value.kind());
        let operand_type = value.operand(0).map_or(of, |operand| type_of(operand.kind()));
        match value.opcode() {
            Some(LLVMLoad) => {
                let slot = self.is_recorded(value).then(|| self.recorded());
                self.token(Token::Load(of, slot));
                self.operands(value, 1);
                return self.order.push((value, slot));
            }
            Some(LLVMGetElementPtr) => return self.address(value),
            Some(LLVMICmp) => {
                self.token(Token::Compare(int_comparison(value.int_predicate()), operand_type));
                self.operands(value, 2);
            }
            Some(LLVMFCmp) => {
                self.token(Token::Compare(real_comparison(value.real_predicate()), operand_type));
                self.operands(value, 2);
            }
            Some(LLVMSelect) => {
                self.token(Token::Select(of));
                self.operands(value, 3);
            }
            Some(LLVMFNeg) => {
                self.token(Token::Apply(Builtin::FloatNegate, of));
                self.operands(value, 1);
            }
            Some(LLVMCall) => self.builtin(value, of),
            Some(opcode) => match (binary(opcode), cast(opcode)) {
                (Some(operator), _) => {
                    self.token(Token::Binary(operator, of));
                    self.operands(value, 2);
                }
                (_, cast) => {
                    self.token(Token::Cast { cast: cast.unwrap_or(Cast::Bits), from: operand_type, to: of });
                    self.operands(value, 1);
                }
            },
            None => {}
        }
        self.order.push((value, None));
    }

    fn operands(&mut self, value: Value, count: u32) {
        (0..count).filter_map(|index| value.operand(index)).for_each(|operand| self.value(operand));
    }

    fn builtin(&mut self, call: Value, of: Type) {
        let name = call.called_function().map(Value::name).unwrap_or_default();
        let known = BUILTINS.iter().find(|(start, _)| name.starts_with(start));
        let function = known.map_or(Builtin::FloatAbsolute, |(_, function)| *function);
        self.token(Token::Apply(function, of));
        self.operands(call, function.arity());
    }

    fn address(&mut self, value: Value) {
        let mut base = std::ptr::null_mut();
        let (mut offset, mut indices, mut factors) = (0, [std::ptr::null_mut(); MOST_TERMS], [0; MOST_TERMS]);
        let count = llvm!(shim::suspect_record_address(
            value.0,
            &mut base,
            &mut offset,
            indices.as_mut_ptr(),
            factors.as_mut_ptr(),
            MOST_TERMS
        ));
        let Ok(count) = usize::try_from(count) else { return self.opaque(value) };
        let base = Value(base);
        match self.slot(base) {
            Some(slot) if count == 0 => self.token(Token::Frame((slot as i64).wrapping_add(offset))),
            _ => {
                self.token(Token::Address { offset, n_terms: count as u32 });
                self.value(base);
            }
        }
        for (index, factor) in indices.iter().zip(factors).take(count) {
            self.out.signed(factor);
            self.extended(Value(*index), true);
        }
        self.order.push((value, None));
    }

    /// Writes what the table cannot compute. A wide value is written by its user.
    fn opaque(&mut self, value: Value) {
        if let Some(offset) = self.field(value) {
            return self.token_of_field(value, offset);
        }
        let slot = self.recorded();
        let operands = told_operands(value);
        let n_operands = operands.iter().map(|operand| n_words(self.module, operand.kind())).sum();
        self.token(Token::Opaque { of: type_of(value.kind()), slot, n_operands });
        operands.into_iter().for_each(|operand| self.words_or_value(operand));
        self.order.push((value, Some(slot)));
    }

    /// The distance of a value that is taken out of a wide one from its start.
    fn field(&self, value: Value) -> Option<u64> {
        let wide = value.operand(0).filter(|wide| wide.is(LLVMOpcode::LLVMLoad) && is_wide(wide.kind()))?;
        match value.opcode()? {
            LLVMOpcode::LLVMTrunc => Some(0),
            LLVMOpcode::LLVMExtractValue => {
                let mut offset = 0;
                let found = llvm!(shim::suspect_record_field(self.module.0, value.0, &mut offset));
                found.then_some(offset)
            }
            _ => None,
        }
        .filter(|_| wide.operand(0).is_some_and(|slot| self.slots.known.contains(&slot)))
    }

    fn token_of_field(&mut self, value: Value, offset: u64) {
        self.token(Token::Load(type_of(value.kind()), None));
        if let Some(wide) = value.operand(0) {
            self.token(Token::Address { offset: offset as i64, n_terms: 0 });
            self.wide(wide);
        }
        self.order.push((value, None));
    }

    /// Writes an operand of what is opaque: a value, or the words of a wide one.
    pub fn words_or_value(&mut self, operand: Value) {
        if !is_wide(operand.kind()) {
            return self.value(operand);
        }
        for (at, bytes) in words(self.module, operand.kind()) {
            self.token(Token::Load(Type::Integer(8 * bytes as u8), None));
            self.token(Token::Address { offset: at as i64, n_terms: 0 });
            if let Some(address) = operand.operand(0) {
                self.value(address);
            }
        }
        self.order.push((operand, None));
    }
}

/// The operands of an operation that are values.
pub fn told_operands(value: Value) -> Vec<Value> {
    let count = match value.is(LLVMOpcode::LLVMCall) {
        true => llvm!(shim::suspect_record_n_arguments(value.0)),
        false => value.n_operands(),
    };
    let is_value = |operand: &Value| {
        use LLVMTypeKind::*;
        !matches!(
            operand.kind().kind(),
            LLVMMetadataTypeKind | LLVMLabelTypeKind | LLVMTokenTypeKind | LLVMVoidTypeKind
        )
    };
    let is_loaded = |operand: &Value| !is_wide(operand.kind()) || operand.is(LLVMOpcode::LLVMLoad);
    (0..count).filter_map(|index| value.operand(index)).filter(is_value).filter(is_loaded).collect()
}

/// Offset and bytes of each word of a wide value.
pub fn words(module: Module, kind: ir::Type) -> impl Iterator<Item = (u64, u64)> {
    let size = llvm!(shim::suspect_record_size(module.0, kind.0, true));
    (0..size.div_ceil(8)).map(move |word| (8 * word, (size - 8 * word).min(8)))
}

/// How many words a value has.
pub fn n_words(module: Module, kind: ir::Type) -> u32 {
    if is_wide(kind) { words(module, kind).count() as u32 } else { 1 }
}

const BUILTINS: &[(&str, Builtin)] = &[
    ("llvm.fabs.", Builtin::FloatAbsolute),
    ("llvm.abs.", Builtin::Absolute),
    ("llvm.bswap.", Builtin::SwapBytes),
    ("llvm.ctpop.", Builtin::CountOnes),
    ("llvm.ctlz.", Builtin::LeadingZeros),
    ("llvm.cttz.", Builtin::TrailingZeros),
    ("llvm.bitreverse.", Builtin::SwapBits),
    ("llvm.fshl.", Builtin::FunnelLeft),
    ("llvm.fshr.", Builtin::FunnelRight),
    ("llvm.smin.", Builtin::SignedMinimum),
    ("llvm.smax.", Builtin::SignedMaximum),
    ("llvm.umin.", Builtin::UnsignedMinimum),
    ("llvm.umax.", Builtin::UnsignedMaximum),
];

fn binary(opcode: LLVMOpcode) -> Option<Binary> {
    use LLVMOpcode::*;
    Some(match opcode {
        LLVMAdd => Binary::Add,
        LLVMSub => Binary::Subtract,
        LLVMMul => Binary::Multiply,
        LLVMUDiv => Binary::UnsignedDivide,
        LLVMSDiv => Binary::SignedDivide,
        LLVMURem => Binary::UnsignedRemainder,
        LLVMSRem => Binary::SignedRemainder,
        LLVMShl => Binary::ShiftLeft,
        LLVMLShr => Binary::ShiftRight,
        LLVMAShr => Binary::ArithmeticShiftRight,
        LLVMAnd => Binary::And,
        LLVMOr => Binary::Or,
        LLVMXor => Binary::Xor,
        LLVMFAdd => Binary::FloatAdd,
        LLVMFSub => Binary::FloatSubtract,
        LLVMFMul => Binary::FloatMultiply,
        LLVMFDiv => Binary::FloatDivide,
        _ => return None,
    })
}

fn cast(opcode: LLVMOpcode) -> Option<Cast> {
    use LLVMOpcode::*;
    Some(match opcode {
        LLVMSExt => Cast::SignExtend,
        LLVMFPTrunc | LLVMFPExt => Cast::FloatToFloat,
        LLVMFPToSI => Cast::FloatToSigned,
        LLVMFPToUI => Cast::FloatToUnsigned,
        LLVMSIToFP => Cast::SignedToFloat,
        LLVMUIToFP => Cast::UnsignedToFloat,
        _ => return None,
    })
}

fn int_comparison(predicate: LLVMIntPredicate) -> Compare {
    use LLVMIntPredicate::*;
    match predicate {
        LLVMIntEQ => Compare::Equal,
        LLVMIntNE => Compare::NotEqual,
        LLVMIntUGT => Compare::UnsignedGreater,
        LLVMIntUGE => Compare::UnsignedGreaterEqual,
        LLVMIntULT => Compare::UnsignedLess,
        LLVMIntULE => Compare::UnsignedLessEqual,
        LLVMIntSGT => Compare::SignedGreater,
        LLVMIntSGE => Compare::SignedGreaterEqual,
        LLVMIntSLT => Compare::SignedLess,
        LLVMIntSLE => Compare::SignedLessEqual,
    }
}

fn real_comparison(predicate: LLVMRealPredicate) -> Compare {
    use LLVMRealPredicate::*;
    match predicate {
        LLVMRealPredicateFalse => Compare::FloatFalse,
        LLVMRealOEQ => Compare::FloatEqual,
        LLVMRealOGT => Compare::FloatGreater,
        LLVMRealOGE => Compare::FloatGreaterEqual,
        LLVMRealOLT => Compare::FloatLess,
        LLVMRealOLE => Compare::FloatLessEqual,
        LLVMRealONE => Compare::FloatNotEqual,
        LLVMRealORD => Compare::FloatOrdered,
        LLVMRealUNO => Compare::FloatUnordered,
        LLVMRealUEQ => Compare::FloatOrEqual,
        LLVMRealUGT => Compare::FloatOrGreater,
        LLVMRealUGE => Compare::FloatOrGreaterEqual,
        LLVMRealULT => Compare::FloatOrLess,
        LLVMRealULE => Compare::FloatOrLessEqual,
        LLVMRealUNE => Compare::FloatOrNotEqual,
        LLVMRealPredicateTrue => Compare::FloatTrue,
    }
}
