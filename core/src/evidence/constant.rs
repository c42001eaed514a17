//! Constants of the program in place of others: what a wrong constant should be often stands nearby.

use std::collections::{BTreeMap, HashMap, HashSet};

use suspect_format::trace::hash_bytes;

use super::{Candidate, Kind};
use crate::mutant::{Class, CodeMutant, Form};
use crate::program::{OperationKind, Operator, Program, Signedness};
use crate::trial::{Change, Mutant, Override, Site};

/// Other constants that are tried in one place, at most: the nearest ones of the file.
const MOST: usize = 10;
/// Constants that are looked at for that, in either direction.
const REACH: usize = 200;

/// A constant that is written in the program.
struct Constant<'m> {
    /// A mutant that puts another one in its place.
    template: &'m CodeMutant,
    value: Value,
    width: u32,
    /// Whether no other number of bits may stand there: those of a shift must be fewer than the operand's.
    shifts: bool,
}

/// What a constant is, whatever it is a constant of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Value {
    Integer(i128),
    /// The bits of a number of the constant's width.
    Float(u64, u32),
}

/// The constants of a program that can stand in each other's place.
pub(super) struct Constants<'m> {
    /// By file, in the order of the text.
    files: BTreeMap<u32, Vec<Constant<'m>>>,
    /// Where each template's is.
    at: HashMap<u64, (u32, usize)>,
    /// What usual mutants put in each constant's place, by template.
    usual: HashMap<u64, HashSet<u64>>,
}

impl<'m> Constants<'m> {
    /// All that are written as one name, number or character, and that a code mutant replaces.
    pub(super) fn of(program: &Program, mutants: &'m [CodeMutant]) -> Constants<'m> {
        let wholes = wholes(program);
        let mut found = Constants { files: BTreeMap::new(), at: HashMap::new(), usual: HashMap::new() };
        let mut known: HashMap<(Site, bool), u64> = HashMap::new();
        for mutant in mutants.iter().filter(|mutant| mutant.class == Class::Crp) {
            let Some((first, bits)) = mutant.overrides.first().and_then(|one| Some((one, replaced(&one.change)?)))
            else {
                continue;
            };
            let key = (first.site, matches!(first.change, Change::Right(_)));
            if let Some(template) = known.get(&key) {
                found.usual.entry(*template).or_default().insert(bits);
                continue;
            }
            let whole_edit = mutant.edit.as_ref().is_some_and(|edit| edit.original == mutant.original);
            let Some(constant) =
                constant(program, &wholes, mutant).filter(|_| whole_edit && is_token(&mutant.original))
            else {
                continue;
            };
            known.insert(key, mutant.id);
            found.usual.entry(mutant.id).or_default().insert(bits);
            let of_file = found.files.entry(mutant.place.file).or_default();
            found.at.insert(mutant.id, (mutant.place.file, of_file.len()));
            of_file.push(constant);
        }
        found
    }

    /// The candidates that put other constants in the place of the one that `template` does, made like its own `candidate`; none if it
    /// is not the first mutant of its constant.
    pub(super) fn instead(&self, template: &CodeMutant, candidate: &Candidate) -> Vec<Candidate> {
        let Some((file, at)) = self.at.get(&template.id) else { return Vec::new() };
        let (of_file, usual) = (&self.files[file], &self.usual[&template.id]);
        let own = &of_file[*at];
        let mut known = HashSet::from([own.value]);
        let mut made = Vec::new();
        for other in nearest(of_file, *at) {
            if made.len() >= MOST {
                break;
            }
            let fits = own.fit(other.value).filter(|bits| !usual.contains(bits));
            if let Some(bits) = fits.filter(|_| known.insert(other.value)) {
                made.push(exchanged(template, candidate, bits, &other.template.original));
            }
        }
        made
    }
}

impl Constant<'_> {
    /// The bits of another constant's value in this one's place; `None` where it does not fit.
    fn fit(&self, value: Value) -> Option<u64> {
        match value {
            Value::Float(bits, width) => {
                (matches!(self.value, Value::Float(..)) && width == self.width).then_some(bits)
            }
            Value::Integer(_) if matches!(self.value, Value::Float(..)) => None,
            Value::Integer(number) => {
                let most = if self.shifts { i128::from(self.width) } else { 1i128 << self.width };
                let least = if self.shifts { 0 } else { -(1i128 << (self.width - 1)) };
                (least..most).contains(&number).then_some(number as u64 & u64::MAX >> (64 - self.width))
            }
        }
    }
}

/// The constants of a file, those nearest in the text first.
fn nearest<'c, 'm>(of_file: &'c [Constant<'m>], at: usize) -> impl Iterator<Item = &'c Constant<'m>> {
    let line = |one: &Constant| one.template.place.line;
    let own = line(&of_file[at]);
    let (before, after) = (&of_file[at.saturating_sub(REACH)..at], &of_file[at + 1..]);
    let (mut before, mut after) = (before.iter().rev().peekable(), after.iter().take(REACH).peekable());
    std::iter::from_fn(move || {
        let distance = |one: Option<&&Constant>| one.map_or(u32::MAX, |one| line(one).abs_diff(own));
        match distance(before.peek()) <= distance(after.peek()) {
            true => before.next().or_else(|| after.next()),
            false => after.next(),
        }
    })
}

/// The values of nodes that are constants as wholes.
fn wholes(program: &Program) -> HashMap<u32, u64> {
    let whole = |operation: &crate::program::Operation| match operation.kind {
        OperationKind::Whole { value } => Some((operation.node?, value)),
        _ => None,
    };
    program.operations.iter().filter_map(whole).collect()
}

fn constant<'m>(program: &Program, wholes: &HashMap<u32, u64>, template: &'m CodeMutant) -> Option<Constant<'m>> {
    let of = |bits: u64, width: u32, is_float: bool, signed: bool| {
        let width = width.clamp(1, 64);
        let value = if is_float { Value::Float(bits, width) } else { Value::Integer(integer(bits, width, signed)) };
        Some(Constant { template, value, width, shifts: false })
    };
    let first = template.overrides.first()?;
    match (first.site, &first.change) {
        (Site::Node(node), Change::Set(_)) => match Form::of(program.nodes.get(node as usize)?) {
            Form::Integer { width, signed, .. } => of(*wholes.get(&node)?, width, false, signed),
            Form::Float { width } => of(*wholes.get(&node)?, width, true, true),
            _ => None,
        },
        (Site::Operation(operation), change) => match program.operations.get(operation as usize)?.kind {
            OperationKind::Binary { operator, width, signedness, left, right } => {
                let (is_right, signed) = (matches!(change, Change::Right(_)), signedness != Signedness::Unsigned);
                let found = of(if is_right { right? } else { left? }, width.into(), operator.is_float(), signed)?;
                use Operator::{Shl, SignedShr, UnsignedShr};
                Some(Constant { shifts: is_right && matches!(operator, Shl | SignedShr | UnsignedShr), ..found })
            }
            OperationKind::Argument { width, is_float, value, .. } => of(value, width.into(), is_float, true),
            _ => None,
        },
        _ => None,
    }
}

fn integer(bits: u64, width: u32, signed: bool) -> i128 {
    let shift = 64 - width;
    if signed { ((bits << shift) as i64 >> shift).into() } else { (bits << shift >> shift).into() }
}

/// What an override puts in the place of a constant.
fn replaced(change: &Change) -> Option<u64> {
    match change {
        Change::Set(bits) | Change::Left(bits) | Change::Right(bits) => Some(*bits),
        _ => None,
    }
}

/// Whether a constant is written as one name, number or character, of no type of its own: an unsigned one would make its surroundings unsigned.
fn is_token(text: &str) -> bool {
    let is_word =
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let is_number = text.starts_with(|one: char| one.is_ascii_digit() || one == '.');
    let has_type = is_number && text.ends_with(['u', 'U', 'l', 'L']);
    is_word && !has_type || text.starts_with('\'') && text.ends_with('\'')
}

/// `candidate`, which the template is, with this constant instead.
fn exchanged(template: &CodeMutant, candidate: &Candidate, bits: u64, text: &str) -> Candidate {
    let exchange = |one: &Override| {
        let change = match one.change {
            Change::Left(_) => Change::Left(bits),
            Change::Right(_) => Change::Right(bits),
            _ => Change::Set(bits),
        };
        Override { change, ..one.clone() }
    };
    let edit = candidate.edit.clone().map(|edit| edit.with(text));
    Candidate {
        id: hash_bytes(hash_bytes(template.id, b"constant"), text.as_bytes()),
        kind: Kind::Constant,
        mutant: Mutant { overrides: template.overrides.iter().map(exchange).collect() },
        replacement: text.to_owned(),
        edit,
        ..candidate.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::code_mutants;
    use crate::program::{Function, Operation, Place};
    use crate::source::{Text, apply};

    const SOURCE: &str = "enum { LONG = 70000 };
int f(int a, unsigned b)
{
    if (a == '-')
        return a + 32;
    a = a << 3;
    if (b > 5u)
        a = a * LONG;
    return a == 32 ? a + 12345 : a - 33;
}
";

    /// Sums of `x` and these numbers.
    fn sums(source: &str, numbers: &[u64]) -> (Program, BTreeMap<u32, Text>) {
        let marks: Vec<String> = numbers.iter().map(|one| format!("x + {one};")).collect();
        let marked = marks.iter().zip(numbers);
        let operations: Vec<_> = marked.map(|(mark, number)| (mark.as_str(), Operator::Add, *number)).collect();
        program(source, &operations)
    }

    /// The program with these operations, each at its operator, and the text.
    fn program(source: &str, operations: &[(&str, Operator, u64)]) -> (Program, BTreeMap<u32, Text>) {
        let text = Text::parse(source);
        let operation = |(mark, operator, right): &(&str, Operator, u64)| {
            let (line, column) = text.place((source.find(mark).unwrap() + 2) as u32);
            let signedness = if mark.starts_with('b') { Signedness::Unsigned } else { Signedness::Signed };
            let kind =
                OperationKind::Binary { operator: *operator, width: 32, signedness, left: None, right: Some(*right) };
            Operation {
                function: 0,
                piece: 0,
                place: Place { file: 0, line, column },
                node: None,
                kind,
                others: Vec::new(),
            }
        };
        let operations: Vec<Operation> = operations.iter().map(operation).collect();
        let function = Function {
            name: "f".into(),
            unit: 0,
            place: Place { file: 0, line: 2, column: 5 },
            last_line: 10,
            external: true,
            content_hash: 0,
            blocks: 0..0,
            pieces: 0..0,
            edges: 0..0,
            nodes: 0..0,
            compounds: 0..0,
            operations: 0..operations.len() as u32,
            variables: Vec::new(),
        };
        let lines = (1..=source.lines().count() as u32).map(|line| crate::program::Line { file: 0, line }).collect();
        let files = vec!["f.c".to_owned()];
        let program = Program { files, functions: vec![function], operations, lines, ..Program::default() };
        (program, BTreeMap::from([(0, text)]))
    }

    /// What stands in each line with other constants of the program.
    fn read(operations: &[(&str, Operator, u64)]) -> Vec<String> {
        let (program, texts) = program(SOURCE, operations);
        let mutants = code_mutants(&program, &texts);
        let candidates = crate::evidence::code_candidates(&program, &mutants, |_| true);
        let usual: HashSet<u64> = mutants.iter().map(|mutant| mutant.id).collect();
        let others = candidates.into_iter().filter(|one| !usual.contains(&one.id));
        let line = |one: Candidate| {
            let edit = one.edit.unwrap();
            assert_eq!((&edit.original, &edit.replacement), (&one.original, &one.replacement));
            let Change::Right(bits) = one.mutant.overrides[0].change else { panic!("{:?}", one.mutant) };
            let after = String::from_utf8(apply(SOURCE.as_bytes(), [&edit]).unwrap()).unwrap();
            format!("{} ({})", after.lines().nth(edit.line as usize - 1).unwrap().trim(), bits as u32 as i32)
        };
        others.map(line).collect()
    }

    #[test]
    fn constants_of_the_file_stand_in_each_others_place() {
        let found = read(&[
            ("a == '-'", Operator::Equal, 45),
            ("a + 32", Operator::Add, 32),
            ("a * LONG", Operator::Mul, 70000),
        ]);
        let wanted = [
            "if (a == 32) (32)",
            "if (a == LONG) (70000)",
            "return a + '-'; (45)",
            "return a + LONG; (70000)",
            "a = a * 32; (32)",
            "a = a * '-'; (45)",
        ];
        assert_eq!(found, wanted, "the nearest first, each as it is written");
    }

    #[test]
    fn only_what_fits_and_is_no_usual_mutant_is_exchanged() {
        let (sum, shift) = (("a + 32", Operator::Add, 32), ("a << 3", Operator::Shl, 3));
        assert_eq!(read(&[sum, shift]), ["return a + 3; (3)"], "nothing is shifted by 32");
        assert_eq!(read(&[sum, ("a - 33", Operator::Sub, 33)]), [""; 0], "one more is a usual mutant");
        assert_eq!(
            read(&[sum, ("b > 5u", Operator::UnsignedGreater, 5)]),
            [""; 0],
            "what is unsigned stays where it is"
        );
    }

    #[test]
    fn no_more_than_the_nearest_are_tried() {
        let many: Vec<u64> = (0..2 * MOST as u64).map(|one| 1000 + 10 * one).collect();
        let text = many.iter().map(|one| format!("x + {one};\n")).collect::<String>();
        let source = format!("int f(int x)\n{{\n{text}}}\n");
        let line = |one: usize| (many.len() / 2).abs_diff(one);
        let (program, texts) = sums(&source, &many);
        let mutants = code_mutants(&program, &texts);
        let candidates = crate::evidence::code_candidates(&program, &mutants, |_| true);
        let middle = many[many.len() / 2].to_string();
        let others = candidates.iter().filter(|one| one.original == middle);
        let far =
            others.filter_map(|one| many.iter().position(|number| number.to_string() == one.replacement)).map(line);
        assert_eq!(far.collect::<Vec<_>>(), [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }
}
