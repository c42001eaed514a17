//! A value that a comparison lacks: what failing tests bring to a variable goes where the constant goes that the variable is compared with.

use std::collections::BTreeSet;

use suspect_format::trace::hash_bytes;

use super::make::code_candidate;
use super::{Candidate, Taken};
use crate::mutant::{Class, CodeMutant, Form, Widened};
use crate::program::{OperationKind, Program};
use crate::source::{Literal, Number, constant_text};
use crate::trial::{Change, Mutant, Override, Site};

/// Values that a comparison lacks, at most: each is a trial for each comparison of the variable.
const MOST_LACKING: usize = 3;

/// The nodes that say which values the variable has that a mutant of [`Class::Dji`] lets a second value of in: those of its name in the function. None for
/// other mutants.
pub fn nodes_compared(program: &Program, mutant: &CodeMutant) -> Vec<u32> {
    let Some(widened) = Widened::read(&mutant.original).filter(|_| mutant.class == Class::Dji) else {
        return Vec::new();
    };
    let functions: BTreeSet<u32> = mutant.overrides.iter().filter_map(|one| Some(operation(program, one)?.0)).collect();
    let is_value = |node: &u32| {
        let found = &program.nodes[*node as usize];
        found.variable == widened.variable && matches!(Form::of(found), Form::Integer { .. })
    };
    let all = functions.iter().flat_map(|function| program.functions[*function as usize].nodes.clone());
    all.filter(is_value).collect()
}

/// The candidates that let other values in where this mutant does: those that failing tests bring, first those that no passing test brings, and of these
/// the `last` ones, with which a failing test ends. `taken` are the values of the [`nodes_compared`].
pub fn lacking_value_candidates(
    program: &Program,
    mutant: &CodeMutant,
    nodes: &[u32],
    taken: &Taken,
    last: &BTreeSet<u64>,
) -> Vec<Candidate> {
    let (Some(node), Some(template), Some(widened)) =
        (nodes.first(), code_candidate(program, mutant), Widened::read(&mutant.original))
    else {
        return Vec::new();
    };
    let form = Form::of(&program.nodes[*node as usize]);
    let failing = taken.failing.and_then(|all| all.few(usize::MAX));
    let passing = taken.passing.and_then(|all| all.few(usize::MAX));
    let is_passing = |value: &&u64| passing.is_some_and(|passing| passing.contains(value));
    // Where there are many, the last ones are all that is known.
    let mut lacking: Vec<&u64> = failing.unwrap_or(last).iter().collect();
    lacking.sort_by_key(|value| (is_passing(value), !last.contains(value)));
    let values = lacking.into_iter().filter_map(|bits| integer(form, *bits));
    let made = values.filter_map(|value| with_value(program, mutant, &template, &widened, value));
    made.take(MOST_LACKING).collect()
}

/// The number that a node's bits are.
fn integer(form: Form, bits: u64) -> Option<i64> {
    let Form::Integer { width, signed, .. } = form else { return None };
    let unused = 64 - width.clamp(1, 64);
    let high = bits << unused;
    Some(if signed { high as i64 >> unused } else { (high >> unused) as i64 })
}

/// Of an operation that an override changes: its function and bits, and whether its numbers are unsigned.
fn operation(program: &Program, one: &Override) -> Option<(u32, u32)> {
    let Site::Operation(index) = one.site else { return None };
    let found = program.operations.get(index as usize)?;
    match found.kind {
        OperationKind::Binary { width, .. } => Some((found.function, u32::from(width).clamp(1, 64))),
        _ => None,
    }
}

/// The template with this value; `None` if the comparison has it, or cannot say it.
fn with_value(
    program: &Program,
    mutant: &CodeMutant,
    template: &Candidate,
    widened: &Widened,
    value: i64,
) -> Option<Candidate> {
    let first = mutant.overrides.first()?;
    let (_, width) = operation(program, first)?;
    let Change::Instead(_, constant) = first.change else { return None };
    let bits = value as u64 & u64::MAX >> (64 - width);
    let number = Number::Integer { bits, width, signed: value < 0 || width < 64 };
    let text = constant_text(number, Literal::of_text(widened.constant)).filter(|_| bits != constant)?;
    let (replacement, edit) = (widened.with(&text), mutant.edit.clone()?);
    let written = edit.replacement.replacen(&mutant.replacement, &replacement, 1);
    let change = |one: &Override| Override { change: Change::Instead(bits, constant), ..one.clone() };
    Some(Candidate {
        id: hash_bytes(hash_bytes(mutant.id, b"value"), text.as_bytes()),
        mutant: Mutant { overrides: mutant.overrides.iter().map(change).collect() },
        replacement,
        edit: (written != edit.replacement).then(|| edit.with(&written)),
        ..template.clone()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::evidence::make::tests::{domain, program as of_node};
    use crate::mutant::{Domain, code_mutants};
    use crate::program::{NodeKind, Operation, Operator, Place, Signedness, ValueClass};
    use crate::source::{Text, apply};

    const SOURCE: &str = "int f(int x)\n{\n    return x == ',';\n}\n";
    const BYTE: Form = Form::Integer { width: 8, signed: true, named: false };

    /// How the comparison reads with the values that it lacks, and what becomes its constant.
    fn read(failing: &[u64], passing: Option<&Domain>, last: u64) -> Vec<(String, u64)> {
        let mut program = of_node(ValueClass::Char, NodeKind::Parameter);
        program.nodes[0].width = 8;
        let kind = OperationKind::Binary {
            operator: Operator::Equal,
            width: 32,
            signedness: Signedness::Signed,
            left: None,
            right: Some(44),
        };
        let place = Place { file: 0, line: 3, column: 14 };
        program.operations = vec![Operation { function: 0, piece: 0, place, node: None, kind, others: Vec::new() }];
        program.functions[0].operations = 0..1;
        let mutants = code_mutants(&program, &BTreeMap::from([(0, Text::parse(SOURCE))]));
        let mutant = mutants.iter().find(|mutant| mutant.class == Class::Dji).unwrap();
        let nodes = nodes_compared(&program, mutant);
        assert_eq!(nodes, [0], "those of `x`");
        let failing = domain(BYTE, failing);
        let taken = Taken { failing: Some(&failing), passing };
        let found = lacking_value_candidates(&program, mutant, &nodes, &taken, &BTreeSet::from([last]));
        let line = |one: Candidate| {
            let Change::Instead(bits, 44) = one.mutant.overrides[0].change else { panic!("{:?}", one.mutant) };
            let after = String::from_utf8(apply(SOURCE.as_bytes(), [&one.edit.unwrap()]).unwrap()).unwrap();
            (after.lines().nth(2).unwrap().trim().to_owned(), bits)
        };
        found.into_iter().map(line).collect()
    }

    #[test]
    fn a_comparison_gets_what_failing_tests_bring_first_what_passing_ones_do_not() {
        let written = |text: &str| format!("return (x == ',' || x == {text});");
        let passing = domain(BYTE, &[44, 46]);
        let wanted = [(written("';'"), 59), (written("(-1)"), 0xffff_ffff), (written("'.'"), 46)];
        assert_eq!(read(&[46, 44, 255, 59], Some(&passing), 46), wanted);
        assert_eq!(read(&[44], None, 44), [], "it has its own constant");
        let many: Vec<u64> = (45..120).collect();
        assert_eq!(read(&[60, 46, 59], None, 59)[0], (written("';'"), 59), "a test ends with it");
        assert_eq!(read(&many, Some(&passing), 59), [(written("';'"), 59)], "too many are not known");
    }
}
