//! Where guards lead: out of the function with what it returns, or to what another `if` of it guards, if that ends in a jump.

use suspect_format::site::Exit;

use super::anchor::Body;
use super::beside::{is_plain, returned};
use super::null_guard::usual;
use crate::program::OperationKind;
use crate::source::{Kind, Statement, plain};

/// What other `if`s guard that one guard leads to, at most: no two alike, the nearest.
const MOST_CONSEQUENCES: usize = 4;
/// Bytes of all that an `if` guards, at most.
const LONGEST: usize = 160;

/// What an `if` guards, as other guards can have it.
pub(super) struct Consequence<'a> {
    number: u32,
    file: u32,
    statements: Vec<Statement<'a>>,
    text: String,
}

/// Where a guard leads, and how that reads.
pub(super) struct Written {
    pub text: String,
    pub exit: Exit,
}

/// What a function returns: the constants that it has, or else those that are usual.
pub(super) fn returns(body: &Body, any: Statement) -> Vec<Written> {
    let mut found = returned(body, any);
    if found.is_empty() {
        found = usual(body);
    }
    found.into_iter().map(|(text, value)| Written { text, exit: Exit::Returned(value) }).collect()
}

/// What other `if`s of the function guard, where it comes to the same before a statement of `file`. `known` are the exits that are there anyway.
pub(super) fn reached(body: &Body, file: u32, before: Statement, known: &[Written]) -> Vec<Written> {
    let place = before.span().start;
    let own = plain(before.source());
    let fits = |one: &&Consequence| {
        let (last, first) = (one.statements.last(), one.statements.first());
        let (Some(last), Some(first)) = (last, first) else { return false };
        let is_inside = (first.span().start..last.span().end).contains(&place);
        let takes = |statement: &Statement| before.takes(*statement, &[], false);
        one.file == file && !is_inside && one.text != own && before.jumps_as(*last) && one.statements.iter().all(takes)
    };
    let mut fitting: Vec<&Consequence> = body.consequences().iter().filter(fits).collect();
    let distance = |one: &Consequence| one.statements.first().map_or(0, |first| first.span().start.abs_diff(place));
    fitting.sort_by_key(|one| distance(one));
    let mut found: Vec<Written> = Vec::new();
    for one in fitting {
        let is_known = known.iter().chain(&found).any(|other| other.text == one.text);
        if !is_known && found.len() < MOST_CONSEQUENCES {
            found.push(Written { text: one.text.clone(), exit: Exit::Consequence(one.number) });
        }
    }
    found
}

/// What the `if`s of a function guard that ends in a jump.
pub(super) fn consequences<'a>(body: &Body<'_, 'a>) -> Vec<Consequence<'a>> {
    let operations = body.view.program.functions[body.index as usize].operations.clone();
    operations.filter_map(|index| consequence(body, index)).collect()
}

fn consequence<'a>(body: &Body<'_, 'a>, index: u32) -> Option<Consequence<'a>> {
    let operation = &body.view.program.operations[index as usize];
    let OperationKind::Consequence { number, stops } = operation.kind else { return None };
    let place = operation.place;
    let last = body.text(place).ok()?.statement_at(place.line, place.column)?;
    let is_end = match last.kind() {
        Kind::Return | Kind::Jump => !stops,
        Kind::ExpressionStatement => stops,
        _ => false,
    };
    let statements = last.consequence().filter(|_| is_end)?;
    let texts: Vec<String> = statements.iter().map(|one| plain(one.source())).collect();
    let text = if let [only] = &texts[..] { only.clone() } else { format!("{{ {} }}", texts.join(" ")) };
    let is_fitting = text.len() <= LONGEST && statements.iter().all(|one| is_plain(body, *one));
    is_fitting.then_some(Consequence { number, file: place.file, statements, text })
}
