//! What can take the place of an operator, a constant or a value, whatever the source text.
//!
//! The operators of mutation are those of Offutt et al.'s sufficient set and Oh, Lee and Yoo's study: replacement of arithmetic,
//! relational, logical, bitwise and shift operators, of constants and of variables, insertion of unary operators, deletion of statements. More are for repairing
//! programs: replacement of `=`, deletion of operators, insertion of `++` and `--` (AOIS of Ma and Offutt's muJava, 2005), and insertion of
//! statements of the same program (GenProg: Le Goues et al., 2012), and replacement of called functions (PAR: Kim et al., 2013).

use serde::{Deserialize, Serialize};

use crate::program::{Operator, Signedness};
use crate::source::Number;

/// An operator of mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Class {
    /// Arithmetic operator replacement: one of `+ - * / %` becomes another; `++` becomes `--`.
    Aor,
    /// Relational operator replacement: one of `== != < <= > >=` becomes another.
    Ror,
    /// Logical connector replacement: `&&` becomes `||` and the other way round.
    Lcr,
    /// Bitwise operator replacement: one of `& | ^` becomes another.
    Bor,
    /// Shift operator replacement: `<<` becomes `>>` and the other way round.
    Sor,
    /// Constant replacement: c becomes 0, 1, -1, c + 1, c - 1 or -c.
    Crp,
    /// Unary operator insertion: a value e becomes -e, !e, ~e, e + 1 or e - 1.
    Uoi,
    /// Variable replacement: another variable of the same type in scope is read.
    Vrr,
    /// Statement deletion.
    Sdl,
    /// Assignment operator replacement: `=` becomes `+=`, `-=`, `*=`, `|=` or `&=`, and each of these `=`.
    Asr,
    /// Binary operator deletion: `a + b` becomes `a` or `b`.
    Bod,
    /// Step insertion: a variable v that is read becomes `v++`, `v--`, `++v` or `--v`; an integer e that is passed becomes e + 1 or e - 1.
    Sti,
    /// Unary operator deletion: `!a`, `-a` or `~a` becomes `a`.
    Uod,
    /// If-while replacement: `if (a) b` becomes `while (a) b`.
    Iwr,
    /// Statement insertion: another statement of the function, or a `return` as it has one, stands before or behind a statement.
    Sin,
    /// Null guard insertion: `if (!p) return` stands before a statement that follows the pointer p or passes it on.
    Ngi,
    /// Value guard insertion: `if (n == 0) return`, `if (n < 0) return` or `if (n >= m) return` stands before a statement that reads the number n first.
    Vgi,
    /// Result check insertion: `f(x);` becomes `if (f(x)) return`, or asks whether that is negative or 0.
    Rci,
    /// Called function replacement: another function of the same type is called.
    Cfr,
    /// Member replacement: another member of the same structure and type is named.
    Mrr,
    /// Disjunct insertion: a variable that is compared with a constant is compared with a second one, too: `v == c` becomes `v == c || v == d`.
    Dji,
}

impl Class {
    /// All of them, in the order in which duplicates are kept.
    pub const ALL: [Class; 21] = [
        Class::Aor,
        Class::Ror,
        Class::Lcr,
        Class::Bor,
        Class::Sor,
        Class::Crp,
        Class::Uoi,
        Class::Vrr,
        Class::Sdl,
        Class::Asr,
        Class::Bod,
        Class::Sti,
        Class::Uod,
        Class::Iwr,
        Class::Sin,
        Class::Ngi,
        Class::Vgi,
        Class::Rci,
        Class::Cfr,
        Class::Mrr,
        Class::Dji,
    ];

    /// Whether it is one of the classes that mutants of a program are of unless others are asked for: studies of mutation use these.
    pub const fn is_usual(self) -> bool {
        use Class::*;
        !matches!(self, Asr | Bod | Sti | Uod | Iwr | Sin | Ngi | Vgi | Rci | Cfr | Mrr | Dji)
    }

    /// Its name on command lines and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Aor => "AOR",
            Class::Ror => "ROR",
            Class::Lcr => "LCR",
            Class::Bor => "BOR",
            Class::Sor => "SOR",
            Class::Crp => "CRP",
            Class::Uoi => "UOI",
            Class::Vrr => "VRR",
            Class::Sdl => "SDL",
            Class::Asr => "ASR",
            Class::Bod => "BOD",
            Class::Sti => "STI",
            Class::Uod => "UOD",
            Class::Iwr => "IWR",
            Class::Sin => "SIN",
            Class::Ngi => "NGI",
            Class::Vgi => "VGI",
            Class::Rci => "RCI",
            Class::Cfr => "CFR",
            Class::Mrr => "MRR",
            Class::Dji => "DJI",
        }
    }

    /// What it does, as a phrase.
    pub const fn meaning(self) -> &'static str {
        match self {
            Class::Aor => "arithmetic operator replacement",
            Class::Ror => "relational operator replacement",
            Class::Lcr => "logical connector replacement",
            Class::Bor => "bitwise operator replacement",
            Class::Sor => "shift operator replacement",
            Class::Crp => "constant replacement",
            Class::Uoi => "unary operator insertion",
            Class::Vrr => "variable replacement",
            Class::Sdl => "statement deletion",
            Class::Asr => "assignment operator replacement",
            Class::Bod => "binary operator deletion",
            Class::Sti => "step insertion",
            Class::Uod => "unary operator deletion",
            Class::Iwr => "if-while replacement",
            Class::Sin => "statement insertion",
            Class::Ngi => "null guard insertion",
            Class::Vgi => "value guard insertion",
            Class::Rci => "result check insertion",
            Class::Cfr => "called function replacement",
            Class::Mrr => "member replacement",
            Class::Dji => "disjunct insertion",
        }
    }

    /// The class of this name, in capitals or not.
    pub fn named(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.name().eq_ignore_ascii_case(name))
    }
}

use Operator::*;

const SIGNED_ARITHMETIC: [Operator; 5] = [Add, Sub, Mul, SignedDiv, SignedRem];
const UNSIGNED_ARITHMETIC: [Operator; 5] = [Add, Sub, Mul, UnsignedDiv, UnsignedRem];
const FLOAT_ARITHMETIC: [Operator; 4] = [FloatAdd, FloatSub, FloatMul, FloatDiv];
const BITWISE: [Operator; 3] = [And, Or, Xor];
const SIGNED_RELATIONS: [Operator; 6] =
    [Equal, NotEqual, SignedLess, SignedLessEqual, SignedGreater, SignedGreaterEqual];
const UNSIGNED_RELATIONS: [Operator; 6] =
    [Equal, NotEqual, UnsignedLess, UnsignedLessEqual, UnsignedGreater, UnsignedGreaterEqual];
const FLOAT_RELATIONS: [Operator; 6] =
    [FloatEqual, FloatNotEqual, FloatLess, FloatLessEqual, FloatGreater, FloatGreaterEqual];

/// The operators that can take `operator`'s place, and what that is called.
///
/// # Signedness
/// `/`, `%`, `>>` and the orders mean different things for signed and unsigned numbers; where neither the operator nor the
/// compiler says which they are, only what means the same for both is offered.
pub fn alternatives(operator: Operator, signedness: Signedness) -> (Class, Vec<Operator>) {
    let (class, family): (Class, &[Operator]) = match operator {
        Add | Sub | Mul => match signedness {
            Signedness::Signed => (Class::Aor, &SIGNED_ARITHMETIC),
            Signedness::Unsigned => (Class::Aor, &UNSIGNED_ARITHMETIC),
            Signedness::Unknown => (Class::Aor, &SIGNED_ARITHMETIC[..3]),
        },
        SignedDiv | SignedRem => (Class::Aor, &SIGNED_ARITHMETIC),
        UnsignedDiv | UnsignedRem => (Class::Aor, &UNSIGNED_ARITHMETIC),
        FloatAdd | FloatSub | FloatMul | FloatDiv => (Class::Aor, &FLOAT_ARITHMETIC),
        And | Or | Xor => (Class::Bor, &BITWISE),
        Shl => match signedness {
            Signedness::Signed => (Class::Sor, &[SignedShr]),
            Signedness::Unsigned => (Class::Sor, &[UnsignedShr]),
            Signedness::Unknown => (Class::Sor, &[]),
        },
        SignedShr | UnsignedShr => (Class::Sor, &[Shl]),
        Equal | NotEqual => match signedness {
            Signedness::Signed => (Class::Ror, &SIGNED_RELATIONS),
            Signedness::Unsigned => (Class::Ror, &UNSIGNED_RELATIONS),
            Signedness::Unknown => (Class::Ror, &SIGNED_RELATIONS[..2]),
        },
        SignedLess | SignedLessEqual | SignedGreater | SignedGreaterEqual => (Class::Ror, &SIGNED_RELATIONS),
        UnsignedLess | UnsignedLessEqual | UnsignedGreater | UnsignedGreaterEqual => (Class::Ror, &UNSIGNED_RELATIONS),
        FloatEqual | FloatNotEqual | FloatLess | FloatLessEqual | FloatGreater | FloatGreaterEqual => {
            (Class::Ror, &FLOAT_RELATIONS)
        }
        First | Second => (Class::Bod, &[]),
    };
    (class, family.iter().copied().filter(|other| *other != operator).collect())
}

/// What a constant can become: 0, 1, -1, one more, one less, the other sign; each value once, never its own.
pub fn constants(number: Number) -> Vec<Number> {
    let values: Vec<Number> = match number {
        Number::Integer { bits, width, signed } => {
            let mask = mask(width);
            let new = [0, 1, u64::MAX, bits.wrapping_add(1), bits.wrapping_sub(1), bits.wrapping_neg()];
            new.into_iter().map(|bits| Number::Integer { bits: bits & mask, width, signed }).collect()
        }
        Number::Float { value, width } => {
            let rounded = |value: f64| if width == 32 { f64::from(value as f32) } else { value };
            let new = [0.0, 1.0, -1.0, rounded(value + 1.0), rounded(value - 1.0), -value];
            // Zero has two signs; that of the constant is no mutant of it.
            new.into_iter().map(|value| Number::Float { value: value + 0.0, width }).collect()
        }
    };
    let mut kept: Vec<Number> = Vec::new();
    for value in values {
        if bits_of(value) != bits_of(number) && value != number && !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

/// The bits that a number is in the machine, zero-extended.
pub fn bits_of(number: Number) -> u64 {
    match number {
        Number::Integer { bits, width, .. } => bits & mask(width),
        Number::Float { value, width: 32 } => u64::from((value as f32).to_bits()),
        Number::Float { value, .. } => value.to_bits(),
    }
}

/// The number that the machine's `bits` are.
pub fn number(bits: u64, width: u32, is_float: bool, signed: bool) -> Number {
    match (is_float, width) {
        (true, 32) => Number::Float { value: f64::from(f32::from_bits(bits as u32)), width },
        (true, _) => Number::Float { value: f64::from_bits(bits), width },
        (false, _) => Number::Integer { bits: bits & mask(width), width, signed },
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}
