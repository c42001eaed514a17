//! Literals of C: numbers and characters with their values and types.

use super::constant::Number;
use super::expression::Expression;
use super::kind::Kind;
use super::text::Text;

/// What a literal is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LiteralValue {
    /// An integer, with the sign before it.
    Integer(i128),
    /// A floating-point number, with the sign before it.
    Float(f64),
}

/// A literal, `-` and `+` before it included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Literal {
    /// Its value.
    pub value: LiteralValue,
    /// Bits of its type.
    pub width: u32,
    /// Whether its type is unsigned.
    pub unsigned: bool,
    /// Whether it is a character constant.
    pub character: bool,
    /// 10, 16 or 8, for floating-point numbers 10 or 16.
    pub radix: u32,
}

impl Literal {
    /// The literal that a text is as a whole.
    pub fn of_text(text: &str) -> Option<Literal> {
        let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text).trim();
        let plain = inside.strip_prefix('-').unwrap_or(inside);
        let literal = if plain.starts_with(|one: char| one.is_ascii_digit() || one == '.') {
            number(plain)
        } else {
            character(plain)
        }?;
        Some(if plain.len() < inside.len() { negative(literal) } else { literal })
    }

    /// Whether it is `number`, after conversion to that number's type.
    pub fn is(self, number: Number) -> bool {
        match (self.value, number) {
            (LiteralValue::Integer(value), Number::Integer { bits, width, .. }) => {
                let mask = u64::MAX.checked_shr(64u32.saturating_sub(width)).unwrap_or(0);
                value as u64 & mask == bits & mask
            }
            (LiteralValue::Integer(value), Number::Float { value: number, width }) => same(value as f64, number, width),
            (LiteralValue::Float(value), Number::Float { value: number, width }) => same(value, number, width),
            (LiteralValue::Float(value), Number::Integer { bits, width, signed }) => {
                Number::Integer { bits, width, signed }.signed() == Some(value as i64)
            }
        }
    }
}

fn same(value: f64, number: f64, width: u32) -> bool {
    if width == 32 {
        (value as f32).to_bits() == (number as f32).to_bits()
    } else {
        value.to_bits() == number.to_bits()
    }
}

impl Expression<'_> {
    /// The literal that it is, parentheses and signs allowed; `None` for other expressions and literals of no known value.
    pub fn literal(self) -> Option<Literal> {
        let (mut inner, mut is_negative) = (self.unparenthesized(), false);
        while inner.kind() == Kind::Unary && matches!(inner.operator(), "-" | "+") {
            is_negative ^= inner.operator() == "-";
            inner = inner.operand()?.unparenthesized();
        }
        let literal = match inner.kind() {
            // The grammar takes a sign for a part of the number where no operator can stand.
            Kind::Number => {
                let source = inner.source();
                is_negative ^= source.starts_with('-');
                number(source.strip_prefix(['-', '+']).unwrap_or(source))
            }
            Kind::Character => character(inner.source()),
            _ => None,
        }?;
        Some(if is_negative { negative(literal) } else { literal })
    }
}

fn negative(literal: Literal) -> Literal {
    let value = match literal.value {
        LiteralValue::Float(value) => LiteralValue::Float(-value),
        LiteralValue::Integer(value) if literal.unsigned => {
            LiteralValue::Integer((value as u64).wrapping_neg() as i128 & ((1i128 << literal.width) - 1))
        }
        LiteralValue::Integer(value) => LiteralValue::Integer(-value),
    };
    Literal { value, character: false, ..literal }
}

fn number(source: &str) -> Option<Literal> {
    let lower: String = source.chars().filter(|one| *one != '\'').collect::<String>().to_ascii_lowercase();
    let hex = lower.starts_with("0x");
    let is_float = if hex { lower.contains(['.', 'p']) } else { lower.contains(['.', 'e']) };
    if is_float { float(&lower, hex) } else { integer(&lower) }
}

fn float(lower: &str, hex: bool) -> Option<Literal> {
    // In hexadecimal, f is a digit before the exponent.
    let digits = lower.trim_end_matches(['f', 'l']);
    let (width, suffix) = match &lower[digits.len()..] {
        "" => (64, ""),
        "f" => (32, "f"),
        // Numbers of more than 64 bits are never asked for.
        _ => return None,
    };
    let value = if hex { hex_float(lower.strip_suffix(suffix)?)? } else { digits.parse::<f64>().ok()? };
    let value = if width == 32 && !hex { f64::from(digits.parse::<f32>().ok()?) } else { value };
    let radix = if hex { 16 } else { 10 };
    Some(Literal { value: LiteralValue::Float(value), width, unsigned: false, character: false, radix })
}

/// `0x1.8p3`: exact where the digits fit 53 bits.
fn hex_float(lower: &str) -> Option<f64> {
    let (digits, exponent) = lower.strip_prefix("0x")?.split_once('p')?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let joined = format!("{whole}{fraction}");
    let mantissa = u64::from_str_radix(joined.trim_start_matches('0'), 16).ok().filter(|one| *one < 1 << 53)?;
    let exponent = exponent.checked_sub(4i32.checked_mul(i32::try_from(fraction.len()).ok()?)?)?;
    Some(mantissa as f64 * 2f64.powi(exponent))
}

fn integer(lower: &str) -> Option<Literal> {
    let digits = lower.trim_end_matches(['u', 'l', 'z']);
    let suffix = &lower[digits.len()..];
    let long = suffix.contains('l') || suffix.contains('z');
    let (radix, digits) = match digits {
        "0" => (10, "0"),
        _ if digits.starts_with("0x") => (16, &digits[2..]),
        _ if digits.starts_with("0b") => (2, &digits[2..]),
        _ if digits.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    let value = u64::from_str_radix(digits, radix).ok()?;
    let (width, unsigned) = type_of_integer(value, radix == 10, suffix.contains('u'), long)?;
    let radix = if radix == 2 { 16 } else { radix };
    Some(Literal { value: LiteralValue::Integer(i128::from(value)), width, unsigned, character: false, radix })
}

/// Bits and sign of the first type that holds an integer constant (C17 6.4.4.1, `long` of 64 bits).
fn type_of_integer(value: u64, decimal: bool, unsigned: bool, long: bool) -> Option<(u32, bool)> {
    let types = [(32, false), (32, true), (64, false), (64, true)];
    types.into_iter().find(|(width, is_unsigned)| {
        let most = u64::MAX >> (64 - width + u32::from(!*is_unsigned));
        let allowed = if unsigned { *is_unsigned } else { !decimal || !*is_unsigned };
        allowed && (!long || *width == 64) && value <= most
    })
}

impl Text {
    /// The strings that its literals are, adjoining ones as one, each with the line that it begins on, in the order of the text. Wide ones, those with
    /// macros between and what is included are left out.
    pub fn strings(&self) -> impl Iterator<Item = (u32, Vec<u8>)> {
        let of = |index: u32| {
            let parent = self.parent(index).map(|parent| self.node(parent).kind);
            let whole = !matches!(parent, Some(Kind::String | Kind::Directive));
            let span = self.node(index).span;
            let text = self.slice(span).filter(|_| whole && self.node(index).kind == Kind::String)?;
            Some((self.place(span.start).0, string(text)?))
        };
        (0..self.n_nodes()).filter_map(of)
    }
}

/// What adjoining string literals stand for.
fn string(source: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = source.trim_start();
    while !rest.is_empty() {
        rest = rest.strip_prefix('"')?;
        loop {
            let end = rest.find(['"', '\\'])?;
            bytes.extend_from_slice(&rest.as_bytes()[..end]);
            let is_escape = rest.as_bytes()[end] == b'\\';
            rest = &rest[end + 1..];
            if !is_escape {
                break;
            }
            let length = escape_length(rest)?;
            let (escape, after) = rest.split_at_checked(length)?;
            // A line goes on.
            if escape != "\n" {
                bytes.push(u8::try_from(escaped(escape)?).ok()?);
            }
            rest = after;
        }
        rest = rest.trim_start();
    }
    Some(bytes)
}

/// Characters of an escape behind its backslash: three octal digits at most, hexadecimal ones as many as there are, else one.
fn escape_length(rest: &str) -> Option<usize> {
    let digits =
        |from: usize, radix, most| rest[from..].chars().take_while(|one: &char| one.is_digit(radix)).take(most).count();
    match rest.chars().next()? {
        'x' => Some(1 + digits(1, 16, usize::MAX)),
        '0'..='7' => Some(digits(0, 8, 3)),
        other => Some(other.len_utf8()),
    }
}

fn character(source: &str) -> Option<Literal> {
    let (prefix, body) = source.split_once('\'')?;
    let body = body.strip_suffix('\'')?;
    let value = match body.strip_prefix('\\') {
        Some(escape) => escaped(escape)?,
        None => {
            let mut characters = body.chars();
            let one = characters.next().filter(|_| characters.next().is_none())?;
            u32::from(one)
        }
    };
    let (value, unsigned) = match prefix {
        // An int that has the value of a char, which has a sign here.
        "" if value < 0x100 && (body.starts_with('\\') || value < 0x80) => (i128::from(value as u8 as i8), false),
        "L" => (i128::from(value as i32), false),
        "U" => (i128::from(value), true),
        _ => return None,
    };
    let value = LiteralValue::Integer(value);
    Some(Literal { value, width: 32, unsigned, character: prefix.is_empty(), radix: 10 })
}

fn escaped(escape: &str) -> Option<u32> {
    let simple = |byte: u8| Some(u32::from(byte));
    match escape {
        "n" => simple(b'\n'),
        "t" => simple(b'\t'),
        "r" => simple(b'\r'),
        "a" => simple(7),
        "b" => simple(8),
        "f" => simple(12),
        "v" => simple(11),
        "e" | "E" => simple(27),
        "\\" | "'" | "\"" | "?" => simple(escape.as_bytes()[0]),
        _ if escape.starts_with('x') => u32::from_str_radix(&escape[1..], 16).ok(),
        _ if escape.len() <= 3 => u32::from_str_radix(escape, 8).ok(),
        _ => None,
    }
}
