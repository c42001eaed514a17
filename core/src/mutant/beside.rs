//! Statements put beside others: those of the same function, and `return` as the function has it.

use std::collections::{BTreeMap, HashMap};

use suspect_format::site::way;

use super::anchor::{Body, Draft};
use super::candidate::statement_at;
use super::donor;
use super::insertion::value_of;
use super::operator::Class;
use crate::program::{Node, NodeKind, OperationKind, Place, ValueClass};
use crate::source::{Expression, Kind, Statement, plain};
use crate::trial::{Change, Override, Site};

/// Other statements of the function that are put beside one, at most: those that stand nearest.
const NEAREST: usize = 8;
/// Besides, those that the function has most often, and more than once.
const FREQUENT: usize = 4;
/// Different values that are returned before one, at most.
const MOST_RETURNED: usize = 3;
/// Bytes of a statement that is put elsewhere, at most.
const LONGEST: usize = 160;
/// Bits of a value that is returned.
const RETURNED_BITS: u32 = 32 - way::BITS;

/// A statement that the compiler found, with its text.
struct Placed<'a> {
    /// Its operation.
    index: u32,
    copy: Option<u32>,
    statement: Statement<'a>,
    /// Its text with all blanks alike.
    plain: String,
}

/// What is put beside a statement.
struct Addition<'d> {
    text: &'d str,
    choice: u32,
}

/// Adds the mutants of a function that put one of its statements beside another one, or a `return`.
pub(super) fn of_function(body: &Body, drafts: &mut Vec<Draft>) {
    let function = &body.view.program.functions[body.index as usize];
    let placed: Vec<Placed> = function.operations.clone().filter_map(|index| placed(body, index)).collect();
    let mut times: HashMap<&str, usize> = HashMap::new();
    placed.iter().for_each(|one| *times.entry(&one.plain).or_default() += 1);
    let foreign = donor::of_function(body);
    let returned = placed.first().map(|first| returned(body, first.statement)).unwrap_or_default();
    for own in &placed {
        // What stands before it is what stands behind the one before it.
        let follows = own
            .statement
            .neighbour(false)
            .is_some_and(|before| placed.iter().any(|other| other.statement.span() == before.span()));
        for behind in [false, true] {
            let donors = if follows && !behind { Vec::new() } else { donors(body, own, &placed, &times, behind) };
            let side = if behind { way::BEHIND } else { way::BEFORE };
            for donor in &donors {
                let Some(copy) = donor.copy else { continue };
                let addition = Addition { text: donor.statement.source(), choice: copy << way::BITS | side };
                drafts.push(draft(body, own, &addition, behind));
            }
            let next = own.statement.neighbour(behind).map(|next| plain(next.source()));
            let is_known = |text: &str| {
                text == own.plain || next.as_deref() == Some(text) || donors.iter().any(|one| one.plain == text)
            };
            let file = body.view.program.operations[own.index as usize].place.file;
            let others = if follows && !behind { &[] } else { &foreign[..] };
            for donor in donor::beside(others, own.statement, file, behind, is_known) {
                let addition = Addition { text: &donor.text, choice: donor.copy << way::BITS | side };
                drafts.push(draft(body, own, &addition, behind));
            }
        }
        for (text, value) in &returned {
            let addition = Addition { text, choice: (*value as u32) << way::BITS | way::RETURNED };
            drafts.push(draft(body, own, &addition, false));
        }
    }
}

fn placed<'a>(body: &Body<'_, 'a>, index: u32) -> Option<Placed<'a>> {
    let OperationKind::Statement { copy } = body.view.program.operations[index as usize].kind else { return None };
    let statement = statement_at(body, index)?;
    let copy = copy.filter(|copy| *copy < 1 << RETURNED_BITS && is_plain(body, statement));
    Some(Placed { index, copy, statement, plain: plain(statement.source()) })
}

/// The statements of a function, with their places.
pub(super) fn placed_in<'a>(body: &Body<'_, 'a>) -> Vec<(Place, Statement<'a>)> {
    let operations = body.view.program.functions[body.index as usize].operations.clone();
    let placed = operations.filter_map(|index| placed(body, index));
    placed.map(|one| (body.view.program.operations[one.index as usize].place, one.statement)).collect()
}

/// Whether a statement can be written elsewhere: nothing in it is a macro with arguments, which may mean another thing there.
pub(super) fn is_plain(body: &Body, statement: Statement) -> bool {
    let is_called = |name: Expression| name.parent().is_some_and(|call| call.callee() == Some(name));
    let text = statement.source();
    let is_short = !text.is_empty() && text.len() <= LONGEST && !text.contains(['\n', '#']);
    is_short && !statement.names().any(|name| is_called(name) && body.view.is_macro(name.source()))
}

/// The statements that are put beside one: no two alike, none that stands there.
fn donors<'p, 'a>(
    body: &Body,
    own: &Placed,
    placed: &'p [Placed<'a>],
    times: &HashMap<&str, usize>,
    behind: bool,
) -> Vec<&'p Placed<'a>> {
    let place = |one: &Placed| body.view.program.operations[one.index as usize].place;
    let next = own.statement.neighbour(behind).map(|next| plain(next.source()));
    let is_there = |one: &Placed| one.plain == own.plain || next.as_ref() == Some(&one.plain);
    let start = own.statement.span().start;
    let mut nearest: BTreeMap<(u32, u32), &Placed> = BTreeMap::new();
    for one in placed.iter().filter(|one| one.copy.is_some() && place(one).file == place(own).file) {
        nearest.insert((one.statement.span().start.abs_diff(start), one.index), one);
    }
    let mut known: Vec<&str> = Vec::new();
    let mut fitting: Vec<&Placed> = Vec::new();
    for one in nearest.into_values() {
        let is_wanted = fitting.len() < NEAREST || times[one.plain.as_str()] > 1;
        let is_new = is_wanted && !known.contains(&one.plain.as_str()) && !is_there(one);
        if is_new && own.statement.takes(one.statement, &[], behind) {
            known.push(&one.plain);
            fitting.push(one);
        }
    }
    let mut others = fitting.split_off(NEAREST.min(fitting.len()));
    others.retain(|one| times[one.plain.as_str()] > 1);
    others.sort_by_key(|one| std::cmp::Reverse(times[one.plain.as_str()]));
    fitting.into_iter().chain(others.into_iter().take(FREQUENT)).collect()
}

/// What the function around a statement returns: texts of `return` statements, and the values.
pub(super) fn returned(body: &Body, any: Statement) -> Vec<(String, i64)> {
    let function = &body.view.program.functions[body.index as usize];
    let nodes = &body.view.program.nodes[function.nodes.start as usize..function.nodes.end as usize];
    let is_void = || {
        let mut own = any.returns().peekable();
        if own.peek().is_some() { own.all(|one| one.expression().is_none()) } else { any.returns_nothing() }
    };
    let mut found: Vec<(String, i64)> = Vec::new();
    for (text, value) in nodes.iter().filter_map(|node| constant(body, node)) {
        let is_known = found.iter().any(|(_, known)| *known == value);
        if !is_known && found.len() < MOST_RETURNED {
            found.push((format!("return {text};"), value));
        }
    }
    if nodes.iter().all(|node| node.kind != NodeKind::Return) && is_void() {
        found.push(("return;".to_owned(), 0));
    }
    found
}

/// The constant that a node returns, and its text, if it fits into a choice.
pub(super) fn constant<'a>(body: &Body<'_, 'a>, node: &Node) -> Option<(&'a str, i64)> {
    let written = (node.kind == NodeKind::Return).then(|| value_of(body, node).ok())??;
    let is_null = written.unparenthesized().kind() == Kind::Named || written.source() == "0";
    let value = match node.class {
        ValueClass::Pointer | ValueClass::String if is_null => 0,
        ValueClass::Bool | ValueClass::Signed | ValueClass::Unsigned | ValueClass::Char | ValueClass::Enum => {
            let mut constants = body.operations_at(node.place).filter_map(|(_, one)| match one.kind {
                OperationKind::Whole { value } => Some(value),
                _ => None,
            });
            let bits = 64 - node.width.clamp(1, 64);
            ((constants.next()? << bits) as i64) >> bits
        }
        _ => return None,
    };
    let unused = 64 - RETURNED_BITS;
    (value << unused >> unused == value).then_some((written.source(), value))
}

fn draft(body: &Body, own: &Placed, addition: &Addition, behind: bool) -> Draft {
    let operation = &body.view.program.operations[own.index as usize];
    let text = plain(addition.text);
    let replacement = if behind { format!("{} {text}", own.plain) } else { format!("{text} {}", own.plain) };
    Draft {
        class: Class::Sin,
        place: operation.place,
        function: body.index,
        node: operation.node,
        overriding: Override { site: Site::Operation(own.index), instance: 0, change: Change::Choose(addition.choice) },
        original: own.plain.clone(),
        replacement,
        rewrite: Ok(own.statement.with_beside(addition.text, behind)),
    }
}
