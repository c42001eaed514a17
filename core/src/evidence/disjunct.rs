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

/// The candidates that let other values in where this mutant does: those that failing tests bring, first those that no passing test brings. `taken` are the values
/// of the [`nodes_compared`].
pub fn lacking_value_candidates(
    program: &Program,
    mutant: &CodeMutant,
    nodes: &[u32],
    taken: &Taken,
) -> Vec<Candidate> {
    let (Some(node), Some(template), Some(widened)) =
        (nodes.first(), code_candidate(program, mutant), Widened::read(&mutant.original))
    else {
        return Vec::new();
    };
    let form = Form::of(&program.nodes[*node as usize]);
    let Some(failing) = taken.failing.and_then(|all| all.few(usize::MAX)) else { return Vec::new() };
    let passing = taken.passing.and_then(|all| all.few(usize::MAX));
    let is_passing = |value: &&u64| passing.is_some_and(|passing| passing.contains(value));
    let mut lacking: Vec<&u64> = failing.iter().collect();
    lacking.sort_by_key(is_passing);
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
