//! Which mutants compute what the program computes, or what another mutant computes: by compiling their expressions.
//!
//! Each mutant of an expression becomes a small function whose parameters are the values that the expression does not compute
//! itself. An optimising compiler then brings functions that do the same to the same form, as far as it can; the program's own function
//! is one of them. The functions do what the version of the code does in which mutants run: no overflow is undefined, shifts count
//! by the low bits, and a division that may trap is a call of a function that nothing is known of. So what comes out alike does alike.

use std::collections::HashMap;
use std::fmt::Write;

use suspect_format::trace::{HASH_START, hash_bytes};

use super::anchor::View;
use super::code::{CodeMutant, Status};
use super::expression::{Apply, Conversion, Machine, Term, Whole, change_at, wholes};
use super::operator::number;
use crate::program::{Operator, Program};
use crate::source::{Number, Text};
use crate::trial::{Change, Override, Site};

/// What an optimising compiler made of functions: hashes of the texts that it was given, each with a hash of the body that came of it.
pub type Forms = HashMap<u64, u64>;

/// Bytes of text after which a module is not added to: about 20,000 instructions, a second of a compiler's time.
const LONG_MODULE: usize = 600_000;

/// A comparison in the making: what is to be compiled, and what that is to tell.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    groups: Vec<Group>,
    /// The functions written so far, by everything but their numbers: most expressions of a program occur many times.
    functions: HashMap<String, u32>,
    /// Of each function a hash of that, and its definition.
    definitions: Vec<(u64, String)>,
}

/// The functions of one expression: the program's, and those of its mutants by their positions.
#[derive(Clone, Debug)]
struct Group {
    original: u32,
    mutants: Vec<(usize, u32)>,
}

impl Comparison {
    /// Prepares the comparison of the normal ones among `mutants`, which [`super::code_mutants`] made of `program` and `texts`.
    pub fn new(program: &Program, texts: &std::collections::BTreeMap<u32, Text>, mutants: &[CodeMutant]) -> Comparison {
        let mut by_site: HashMap<Site, Vec<usize>> = HashMap::new();
        for (index, mutant) in mutants.iter().enumerate().filter(|(_, mutant)| mutant.is_normal()) {
            if let Some(change) = mutant.overrides.first() {
                by_site.entry(change.site).or_default().push(index);
            }
        }
        let view = View::new(program, texts);
        let mut comparison = Comparison::default();
        for function in 0..program.functions.len() as u32 {
            let body = view.body(function);
            for whole in wholes(&body) {
                comparison.expression(&whole, &by_site, mutants);
            }
        }
        comparison
    }

    /// What to compile: modules of LLVM IR as text, good for every target, of the functions whose forms are not `known`, so many in each that a compiler
    /// takes a second or so; none if all are known.
    pub fn modules(&self, known: &Forms) -> Vec<String> {
        let unknown = self.definitions.iter().filter(|(hash, _)| !known.contains_key(hash));
        let mut modules: Vec<String> = Vec::new();
        for (_, definition) in unknown {
            match modules.last_mut().filter(|module| module.len() < LONG_MODULE) {
                Some(module) => module.push_str(definition),
                None => modules.push(definition.clone()),
            }
        }
        modules.iter_mut().for_each(|module| module.push_str(&declarations()));
        modules
    }

    /// The forms of this comparison's functions: those that are `known`, and those that the compiler made of one of [`Comparison::modules`] (`-O2 -S
    /// -emit-llvm`).
    pub fn forms(&self, known: &Forms, optimised: &str) -> Forms {
        let bodies = bodies(optimised);
        let form = |(number, (hash, _)): (u32, &(u64, String))| {
            let known = known.get(hash).copied();
            let made = || Some(hash_bytes(HASH_START, bodies.get(&number)?.as_bytes()));
            Some((*hash, known.or_else(made)?))
        };
        (0..).zip(&self.definitions).filter_map(form).collect()
    }

    /// Marks mutants as equivalent or as duplicates of the first one that does the same, in the order of the classes. A function without a
    /// form tells nothing.
    pub fn judge(&self, forms: &Forms, mutants: &mut [CodeMutant]) {
        let form = |function: u32| forms.get(&self.definitions.get(function as usize)?.0).copied();
        for group in &self.groups {
            let Some(original) = form(group.original) else { continue };
            let mut members = group.mutants.clone();
            members.sort_by_key(|(index, _)| mutants.get(*index).map(|mutant| (mutant.class, *index)));
            let mut kept: HashMap<u64, u64> = HashMap::new();
            for (index, function) in members {
                let (Some(form), Some(mutant)) = (form(function), mutants.get_mut(index)) else { continue };
                if form == original {
                    mutant.status = Status::Equivalent;
                } else if let Some(first) = kept.get(&form) {
                    mutant.status = Status::Duplicate(*first);
                } else {
                    kept.insert(form, mutant.id);
                }
            }
        }
    }

    fn expression(&mut self, whole: &Whole, by_site: &HashMap<Site, Vec<usize>>, mutants: &[CodeMutant]) {
        let mut sites = Vec::new();
        collect_sites(&whole.term, &mut sites);
        sites.extend(whole.node.map(|(site, ..)| site));
        let members: Vec<usize> = sites.iter().filter_map(|site| by_site.get(site)).flatten().copied().collect();
        if members.is_empty() {
            return;
        }
        let Some(original) = self.function(whole, &[]) else { return };
        let mut functions = Vec::new();
        for index in members {
            let Some(mutant) = mutants.get(index) else { continue };
            if let Some(function) = self.function(whole, &mutant.overrides) {
                functions.push((index, function));
            }
        }
        self.groups.push(Group { original, mutants: functions });
    }

    /// Writes the function of an expression with some changes, unless it is written already; its number.
    fn function(&mut self, whole: &Whole, overrides: &[Override]) -> Option<u32> {
        let mut writer = Writer { text: String::new(), next: whole.parameters.len() as u32 + 1, overrides };
        let mut value = writer.term(&whole.term, whole.kind)?;
        let mut kind = whole.kind;
        if let Some((site, to, conversion)) = whole.node {
            value = writer.converted(&value, kind, to, conversion);
            kind = to;
            if let Some(change) = change_at(overrides, site) {
                value = writer.changed(change, kind, &value)?;
            }
        }
        let parameters: Vec<String> = whole.parameters.iter().map(|kind| name(*kind)).collect();
        let result = name(kind);
        let body = format!("({}) {{\n{}  ret {result} {value}\n}}\n", parameters.join(", "), writer.text);
        let (text, next) = (format!("{result}{body}"), self.functions.len() as u32);
        let hash = hash_bytes(HASH_START, text.as_bytes());
        let number = *self.functions.entry(text).or_insert(next);
        if number == next {
            self.definitions.push((hash, format!("define {result} @f{number}{body}")));
        }
        Some(number)
    }
}

fn collect_sites(term: &Term, sites: &mut Vec<Site>) {
    if let Term::Apply(apply) = term {
        sites.push(apply.site);
        collect_sites(&apply.left, sites);
        collect_sites(&apply.right, sites);
    }
}

/// A function's instructions in the making. Values are numbered; the block itself takes the number after the parameters.
struct Writer<'c> {
    text: String,
    next: u32,
    overrides: &'c [Override],
}

impl Writer<'_> {
    fn value(&mut self, instruction: &str) -> String {
        let number = self.next;
        self.next += 1;
        let _ = writeln!(self.text, "  %{number} = {instruction}");
        format!("%{number}")
    }

    fn term(&mut self, term: &Term, kind: Machine) -> Option<String> {
        match term {
            Term::Parameter(number) => Some(format!("%{number}")),
            Term::Constant(bits) => Some(constant(*bits, kind)),
            Term::Apply(apply) => self.apply(apply),
        }
    }

    fn operand(&mut self, term: &Term, kind: Machine) -> Option<String> {
        let value = self.term(term, kind)?;
        match term {
            Term::Apply(inner) if inner.operator.is_comparison() => {
                Some(self.value(&format!("zext i1 {value} to {}", name(kind))))
            }
            _ => Some(value),
        }
    }

    fn apply(&mut self, apply: &Apply) -> Option<String> {
        let change = change_at(self.overrides, apply.site).cloned();
        let kind = apply.kind;
        let left = match change {
            Some(Change::Left(bits)) => constant(bits, kind),
            Some(Change::Instead(from, to)) => {
                let left = self.operand(&apply.left, kind)?;
                let (of, from, to) = (name(kind), constant(from, kind), constant(to, kind));
                let is_it = self.value(&format!("icmp eq {of} {left}, {from}"));
                self.value(&format!("select i1 {is_it}, {of} {to}, {of} {left}"))
            }
            _ => self.operand(&apply.left, kind)?,
        };
        let (right, bits) = match (&change, &apply.right) {
            (Some(Change::Right(bits)), _) => (constant(*bits, kind), Some(*bits)),
            (_, Term::Constant(bits)) => (constant(*bits, kind), Some(*bits)),
            (_, term) => (self.operand(term, kind)?, None),
        };
        let operator = if let Some(Change::Operator(new)) = change { new } else { apply.operator };
        Some(match operator {
            Operator::First => left,
            Operator::Second => right,
            _ => self.operation(operator, kind, &left, &right, bits),
        })
    }

    fn operation(&mut self, operator: Operator, kind: Machine, left: &str, right: &str, bits: Option<u64>) -> String {
        use Operator::*;
        let of = name(kind);
        let word = instruction(operator);
        match operator {
            SignedDiv | UnsignedDiv | SignedRem | UnsignedRem => {
                let signed = matches!(operator, SignedDiv | SignedRem);
                let mask = u64::MAX >> (64 - kind.width.clamp(1, 64));
                let harmless = bits.is_some_and(|bits| bits & mask != 0 && !(signed && bits & mask == mask));
                if harmless {
                    self.value(&format!("{word} {of} {left}, {right}"))
                } else {
                    self.value(&format!("call {of} @{word}_{of}({of} {left}, {of} {right})"))
                }
            }
            Shl | SignedShr | UnsignedShr => {
                let mask = if kind.width > 32 { 63 } else { 31 };
                let count = self.value(&format!("and {of} {right}, {mask}"));
                self.value(&format!("{word} {of} {left}, {count}"))
            }
            _ => self.value(&format!("{word} {of} {left}, {right}")),
        }
    }

    fn converted(&mut self, value: &str, from: Machine, to: Machine, conversion: Conversion) -> String {
        let word = match conversion {
            Conversion::Same => return value.to_owned(),
            Conversion::Test => return self.value(&format!("icmp ne {} {value}, 0", name(from))),
            Conversion::Truncate => "trunc",
            Conversion::SignExtend => "sext",
            Conversion::ZeroExtend => "zext",
        };
        self.value(&format!("{word} {} {value} to {}", name(from), name(to)))
    }

    /// A node's value after a change of it.
    fn changed(&mut self, change: &Change, kind: Machine, value: &str) -> Option<String> {
        let of = name(kind);
        let zero = constant(0, kind);
        Some(match change {
            Change::Set(bits) | Change::Left(bits) => constant(*bits, kind),
            Change::Add(bits) if kind.is_float => self.value(&format!("fadd {of} {value}, {}", constant(*bits, kind))),
            Change::Add(bits) => self.value(&format!("add {of} {value}, {}", constant(*bits, kind))),
            Change::Negate if kind.is_float => self.value(&format!("fneg {of} {value}")),
            Change::Negate => self.value(&format!("sub {of} 0, {value}")),
            Change::Complement => self.value(&format!("xor {of} {value}, -1")),
            Change::Flip => {
                let word = if kind.is_float { "fcmp oeq" } else { "icmp eq" };
                let truth = self.value(&format!("{word} {of} {value}, {zero}"));
                match (kind.is_float, kind.width) {
                    (false, 1) => truth,
                    (false, _) => self.value(&format!("zext i1 {truth} to {of}")),
                    (true, _) => self.value(&format!("uitofp i1 {truth} to {of}")),
                }
            }
            Change::Right(_)
            | Change::Operator(_)
            | Change::Choose(_)
            | Change::Exchange(..)
            | Change::Instead(..)
            | Change::StepBefore(_)
            | Change::StepAfter(_)
            | Change::Text(_) => return None,
        })
    }
}

fn name(kind: Machine) -> String {
    match (kind.is_float, kind.width) {
        (true, 32) => "float".to_owned(),
        (true, _) => "double".to_owned(),
        (false, width) => format!("i{width}"),
    }
}

fn constant(bits: u64, kind: Machine) -> String {
    match number(bits, kind.width, kind.is_float, true) {
        Number::Float { value, .. } => format!("0x{:016X}", value.to_bits()),
        Number::Integer { bits, width: 1, .. } => (bits & 1 == 1).to_string(),
        integer => integer.signed().unwrap_or_default().to_string(),
    }
}

fn instruction(operator: Operator) -> &'static str {
    use Operator::*;
    match operator {
        Add => "add",
        Sub => "sub",
        Mul => "mul",
        SignedDiv => "sdiv",
        UnsignedDiv => "udiv",
        SignedRem => "srem",
        UnsignedRem => "urem",
        And => "and",
        Or => "or",
        Xor => "xor",
        Shl => "shl",
        SignedShr => "ashr",
        UnsignedShr => "lshr",
        Equal => "icmp eq",
        NotEqual => "icmp ne",
        SignedLess => "icmp slt",
        SignedLessEqual => "icmp sle",
        SignedGreater => "icmp sgt",
        SignedGreaterEqual => "icmp sge",
        UnsignedLess => "icmp ult",
        UnsignedLessEqual => "icmp ule",
        UnsignedGreater => "icmp ugt",
        UnsignedGreaterEqual => "icmp uge",
        FloatAdd => "fadd",
        FloatSub => "fsub",
        FloatMul => "fmul",
        FloatDiv => "fdiv",
        FloatEqual => "fcmp oeq",
        FloatNotEqual => "fcmp une",
        FloatLess => "fcmp olt",
        FloatLessEqual => "fcmp ole",
        FloatGreater => "fcmp ogt",
        FloatGreaterEqual => "fcmp oge",
        // What they come to is known without computing.
        First | Second => "",
    }
}

/// The functions that stand for divisions that may trap.
fn declarations() -> String {
    let mut text = String::new();
    for word in ["sdiv", "udiv", "srem", "urem"] {
        for width in 2..=64 {
            let _ = writeln!(text, "declare i{width} @{word}_i{width}(i{width}, i{width})");
        }
    }
    text
}

/// The bodies of the functions in a module's text by their numbers, with values named in the order in which they appear.
fn bodies(module: &str) -> HashMap<u32, String> {
    let mut found = HashMap::new();
    let mut open: Option<(u32, String)> = None;
    for line in module.lines() {
        match &mut open {
            None => {
                let number = line.strip_prefix("define ").and_then(|line| line.split_once("@f")?.1.split_once('('));
                open = number.and_then(|(number, _)| number.parse().ok()).map(|number| (number, String::new()));
            }
            Some(_) if line.starts_with('}') => {
                found.extend(open.take().map(|(number, body)| (number, renamed(&body))))
            }
            Some((_, body)) => {
                // Groups of attributes are numbered as they come in the module.
                *body += line.split([';', '#']).next().unwrap_or_default().trim_end();
                body.push('\n');
            }
        }
    }
    found
}

/// A body in which values and labels have no names but the order in which they appear; parameters keep theirs.
fn renamed(body: &str) -> String {
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('%') {
        let (before, after) = rest.split_at(at + 1);
        let end =
            after.find(|one: char| !one.is_alphanumeric() && !matches!(one, '.' | '_' | '-')).unwrap_or(after.len());
        let (name, tail) = after.split_at(end);
        text += before;
        // Parameters are the numbers that nothing in the body defines.
        let defined = body.contains(&format!("  %{name} = "));
        if defined {
            let count = names.len();
            let _ = write!(text, "v{}", names.entry(name).or_insert(count));
        } else {
            text += name;
        }
        rest = tail;
    }
    text + rest
}
