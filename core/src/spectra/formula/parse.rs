//! The formula's grammar and its tree.

use super::{INPUTS, ZeroDivision};

/// Why a text is not a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct FormulaError {
    column: usize,
    message: String,
}

impl FormulaError {
    /// Where, from 1.
    pub fn column(&self) -> usize {
        self.column
    }
}

/// A function of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Neg,
    Sqrt,
    Log,
    Log2,
    Log10,
    Abs,
    Cos,
    Asin,
}

/// A function of two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Min,
    Max,
    Less,
    LessEq,
    Equal,
}

/// A formula's tree.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Constant(f64),
    Input(usize),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// Condition, value if it is not 0, value if it is.
    Where(Box<[Expression; 3]>),
}

impl Unary {
    pub(super) fn apply(self, x: f64) -> f64 {
        match self {
            Unary::Neg => -x,
            Unary::Sqrt => x.sqrt(),
            Unary::Log => x.ln(),
            Unary::Log2 => x.log2(),
            Unary::Log10 => x.log10(),
            Unary::Abs => x.abs(),
            Unary::Cos => x.cos(),
            Unary::Asin => x.asin(),
        }
    }

    fn defined(self, x: f64) -> bool {
        match self {
            Unary::Sqrt => x >= 0.0,
            Unary::Log | Unary::Log2 | Unary::Log10 => x > 0.0,
            Unary::Asin => x.abs() <= 1.0,
            Unary::Neg | Unary::Abs | Unary::Cos => true,
        }
    }
}

impl Binary {
    pub(super) fn apply(self, a: f64, b: f64, division: ZeroDivision) -> f64 {
        match self {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div if b == 0.0 && division == ZeroDivision::One => 1.0,
            Binary::Div => a / b,
            Binary::Pow => power(a, b),
            Binary::Min => minimum(a, b),
            Binary::Max => maximum(a, b),
            Binary::Less => f64::from(a < b),
            Binary::LessEq => f64::from(a <= b),
            Binary::Equal => f64::from(a == b),
        }
    }
}

/// `a ** b`, exact for the small whole exponents that measures use.
fn power(a: f64, b: f64) -> f64 {
    if b == 2.0 {
        a * a
    } else if b == 3.0 {
        a * a * a
    } else {
        a.powf(b)
    }
}

/// The smaller, undefined if either is.
pub(super) fn minimum(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// The larger, undefined if either is.
pub(super) fn maximum(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

impl Expression {
    /// Whether an input with `wanted(index)` occurs.
    pub(super) fn mentions(&self, wanted: &impl Fn(usize) -> bool) -> bool {
        match self {
            Expression::Constant(_) => false,
            Expression::Input(input) => wanted(*input),
            Expression::Unary(_, x) => x.mentions(wanted),
            Expression::Binary(_, a, b) => a.mentions(wanted) || b.mentions(wanted),
            Expression::Where(parts) => parts.iter().any(|part| part.mentions(wanted)),
        }
    }

    /// The value, `None` where a part that is needed is undefined.
    pub(super) fn strict(&self, inputs: &[f64; INPUTS.len()], division: ZeroDivision) -> Option<f64> {
        let value = match self {
            Expression::Constant(value) => *value,
            Expression::Input(input) => inputs[*input],
            Expression::Unary(function, x) => {
                let x = x.strict(inputs, division)?;
                function.defined(x).then(|| function.apply(x))?
            }
            Expression::Binary(function, a, b) => {
                let (a, b) = (a.strict(inputs, division)?, b.strict(inputs, division)?);
                if *function == Binary::Div && b == 0.0 && division == ZeroDivision::Limit {
                    return None;
                }
                function.apply(a, b, division)
            }
            Expression::Where(parts) => {
                let [condition, yes, no] = &**parts;
                let branch = if condition.strict(inputs, division)? != 0.0 { yes } else { no };
                branch.strict(inputs, division)?
            }
        };
        (!value.is_nan()).then_some(value)
    }
}

/// Parses definitions and the result.
pub(super) fn parse(text: &str) -> Result<Expression, FormulaError> {
    let mut parser = Parser { text, at: 0, names: Vec::new() };
    while let Some(name) = parser.definition() {
        let value = parser.comparison()?;
        if !parser.accept(";") {
            return Err(parser.wrong("expected `;` after a definition"));
        }
        parser.names.push((name, value));
    }
    let result = parser.comparison()?;
    parser.space();
    if parser.at < text.len() {
        return Err(parser.wrong("expected an operator or the end"));
    }
    Ok(result)
}

/// Recursive descent over the text; `at` is a byte offset.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    names: Vec<(&'a str, Expression)>,
}

impl<'a> Parser<'a> {
    fn wrong(&self, message: impl Into<String>) -> FormulaError {
        FormulaError { column: self.text[..self.at].chars().count() + 1, message: message.into() }
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn accept(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// `name =`, or nothing consumed.
    fn definition(&mut self) -> Option<&'a str> {
        self.space();
        let start = self.at;
        let name = self.word();
        if name.starts_with(|c: char| c.is_ascii_alphabetic()) && self.accept("=") && !self.rest().starts_with('=') {
            return Some(name);
        }
        self.at = start;
        None
    }

    fn comparison(&mut self) -> Result<Expression, FormulaError> {
        let left = self.sum()?;
        for (token, function, swapped) in [
            ("<=", Binary::LessEq, false),
            (">=", Binary::LessEq, true),
            ("==", Binary::Equal, false),
            ("<", Binary::Less, false),
            (">", Binary::Less, true),
        ] {
            if self.accept(token) {
                let right = self.sum()?;
                let (a, b) = if swapped { (right, left) } else { (left, right) };
                return Ok(Expression::Binary(function, a.into(), b.into()));
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Expression, FormulaError> {
        let mut left = self.product()?;
        loop {
            let function = match () {
                () if self.accept("+") => Binary::Add,
                () if self.accept("-") => Binary::Sub,
                () => return Ok(left),
            };
            left = Expression::Binary(function, left.into(), self.product()?.into());
        }
    }

    fn product(&mut self) -> Result<Expression, FormulaError> {
        let mut left = self.signed()?;
        loop {
            let function = match () {
                () if self.accept("*") => Binary::Mul,
                () if self.accept("/") => Binary::Div,
                () => return Ok(left),
            };
            left = Expression::Binary(function, left.into(), self.signed()?.into());
        }
    }

    /// A minus binds less tightly than a power.
    fn signed(&mut self) -> Result<Expression, FormulaError> {
        if self.accept("-") {
            return Ok(Expression::Unary(Unary::Neg, self.signed()?.into()));
        }
        let base = self.atom()?;
        if self.accept("**") {
            return Ok(Expression::Binary(Binary::Pow, base.into(), self.signed()?.into()));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Expression, FormulaError> {
        if self.accept("(") {
            let inner = self.comparison()?;
            return if self.accept(")") { Ok(inner) } else { Err(self.wrong("expected `)`")) };
        }
        self.space();
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return self.number();
        }
        let start = self.at;
        let name = self.word();
        let wrong = |message: String| Err(Parser { text: self.text, at: start, names: Vec::new() }.wrong(message));
        if let Some((_, value)) = self.names.iter().rev().find(|(known, _)| *known == name) {
            return Ok(value.clone());
        }
        match INPUTS.iter().position(|input| *input == name) {
            Some(input) => Ok(Expression::Input(input)),
            None if name == "pi" => Ok(Expression::Constant(std::f64::consts::PI)),
            None if name.is_empty() => wrong("expected a number, a name or `(`".into()),
            None if self.accept("(") => self.call(name, start),
            None => wrong(format!("unknown name `{name}`")),
        }
    }

    fn number(&mut self) -> Result<Expression, FormulaError> {
        let rest = self.rest().as_bytes();
        let mut end = 0;
        while end < rest.len() {
            let after_e = end > 0 && rest[end - 1] == b'e';
            match rest[end] {
                b'0'..=b'9' | b'.' | b'e' => end += 1,
                b'-' if after_e => end += 1,
                _ => break,
            }
        }
        let Ok(value) = self.rest()[..end].parse() else { return Err(self.wrong("not a number")) };
        self.at += end;
        Ok(Expression::Constant(value))
    }

    fn call(&mut self, name: &str, start: usize) -> Result<Expression, FormulaError> {
        let mut arguments = vec![self.comparison()?];
        while self.accept(",") {
            arguments.push(self.comparison()?);
        }
        if !self.accept(")") {
            return Err(self.wrong("expected `,` or `)`"));
        }
        let unary = match name {
            "sqrt" => Some(Unary::Sqrt),
            "log" => Some(Unary::Log),
            "log2" => Some(Unary::Log2),
            "log10" => Some(Unary::Log10),
            "abs" => Some(Unary::Abs),
            "cos" => Some(Unary::Cos),
            "asin" => Some(Unary::Asin),
            _ => None,
        };
        let n_arguments = arguments.len();
        let mut arguments = arguments.into_iter();
        match (name, unary, arguments.next(), arguments.next(), arguments.next()) {
            (_, Some(function), Some(x), None, None) => Ok(Expression::Unary(function, x.into())),
            ("where", _, Some(c), Some(a), Some(b)) if n_arguments == 3 => Ok(Expression::Where(Box::new([c, a, b]))),
            ("min" | "max", _, Some(first), Some(second), third) => {
                let function = if name == "min" { Binary::Min } else { Binary::Max };
                let pair = Expression::Binary(function, first.into(), second.into());
                Ok(third
                    .into_iter()
                    .chain(arguments)
                    .fold(pair, |a, b| Expression::Binary(function, a.into(), b.into())))
            }
            _ => {
                self.at = start;
                Err(self.wrong(format!("no function `{name}` of {n_arguments} arguments")))
            }
        }
    }
}
