//! Donors: statements of other functions, or of the same one with other variables, which stand beside a function's own with its variables.

use std::collections::HashMap;

use suspect_format::site::way;

use super::anchor::{Body, View};
use super::beside::{is_plain, placed_in};
use crate::program::{Operation, OperationKind, Place, Program};
use crate::source::{Kind, Renamed, Statement, plain};
use crate::trial::{Change, Override, Site};

/// Donors that are put beside one statement, at most: those whose neighbour there does what this one does, then those that are likeliest to be missing.
const MOST: usize = 4;

/// A statement with a function's variables.
pub(super) struct Donor<'a> {
    pub copy: u32,
    pub text: String,
    statement: Statement<'a>,
    file: u32,
    names: Vec<Renamed<'a>>,
}

/// The statements of a program by their places, where the text has one there.
pub(super) type Statements<'a> = HashMap<Place, Statement<'a>>;

/// All statements that operations are.
pub(super) fn statements<'a>(view: &View<'a>) -> Statements<'a> {
    let functions = 0..view.program.functions.len() as u32;
    functions.flat_map(|index| placed_in(&view.body(index))).collect()
}

/// Those of a function, the likeliest to be missing first.
pub(super) fn of_function<'a>(body: &Body<'_, 'a>) -> Vec<Donor<'a>> {
    let function = &body.view.program.functions[body.index as usize];
    function.operations.clone().filter_map(|index| donor(body, index)).collect()
}

fn donor<'a>(body: &Body<'_, 'a>, index: u32) -> Option<Donor<'a>> {
    let program: &'a Program = body.view.program;
    let operation = &program.operations[index as usize];
    let OperationKind::Donor { copy, .. } = operation.kind else { return None };
    let statement = *body.view.statements().get(&operation.place)?;
    let variables = &program.functions[body.index as usize].variables;
    let name = |index: &u32| variables.get(*index as usize).map(|variable| variable.name.as_str());
    let pairs = operation.others.chunks_exact(2);
    let names: Vec<Renamed> = pairs.filter_map(|pair| Some((name(&pair[0])?, name(&pair[1])?))).collect();
    is_plain(body, statement).then(|| {
        let text = plain(&statement.renamed(&names));
        Donor { copy, text, statement, file: operation.place.file, names }
    })
}

/// The donors that mean the same beside a statement of `file`. No two are alike, and none is `known`.
pub(super) fn beside<'d, 'a>(
    donors: &'d [Donor<'a>],
    own: Statement<'a>,
    file: u32,
    behind: bool,
    is_known: impl Fn(&str) -> bool,
) -> Vec<&'d Donor<'a>> {
    let mut found: Vec<&Donor> = Vec::new();
    for donor in donors.iter().filter(|donor| donor.file == file && !is_known(&donor.text)) {
        let is_new = found.iter().all(|other| other.text != donor.text);
        if is_new && own.takes(donor.statement, &donor.names, behind) {
            found.push(donor);
        }
    }
    let has_like = |donor: &&Donor| {
        let done = donor.statement.neighbour(!behind).and_then(does);
        done.is_some() && done == does(own)
    };
    found.sort_by_key(|donor| !has_like(donor));
    found.truncate(MOST);
    found
}

/// The member that a statement assigns, or the function that it calls.
fn does(statement: Statement<'_>) -> Option<&str> {
    let expression = statement.expression()?;
    match expression.kind() {
        Kind::Call => expression.callee().map(|callee| callee.source()),
        Kind::Assignment => expression.left()?.member(),
        _ => None,
    }
}

/// The hash of the code that the donor is taken from which an override has run; `None` for those without one.
pub(super) fn content_of(program: &Program, function: u32, overriding: &Override) -> Option<u64> {
    let Change::Choose(choice) = overriding.change else { return None };
    let Site::Operation(site) = overriding.site else { return None };
    let is_statement = matches!(program.operations.get(site as usize)?.kind, OperationKind::Statement { .. });
    let is_beside = matches!(choice & ((1 << way::BITS) - 1), way::BEFORE | way::BEHIND);
    let operations = program.functions.get(function as usize)?.operations.clone();
    // They are the last ones of a function.
    let mut donors = operations.rev().filter_map(|index| program.operations.get(index as usize)).map_while(content);
    donors.find(|(copy, _)| is_statement && is_beside && *copy == choice >> way::BITS).map(|(_, hash)| hash)
}

fn content(operation: &Operation) -> Option<(u32, u64)> {
    match operation.kind {
        OperationKind::Donor { copy, content_hash, .. } => Some((copy, content_hash)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::code_tests::Snippet;
    use super::super::operator::Class;
    use super::*;

    const SIBLING: &str = "struct s { int a, b, c, d; };\nvoid h(struct s *p)\n{\np->a = 1;\np->b = 2;\nrun(p);\np->c = 3;\np->d = 4;\nstop(p);\n}\n";

    /// A function with the sibling's statements as donors, in this order.
    fn snippet(order: &[&str]) -> Snippet {
        let body = "struct s *q = given;\nq->a = 7;\nq->d = 8;\nreturn a;";
        let made = Snippet::behind(SIBLING, body).variables(&[("p", ""), ("q", "")]);
        let place = |mark: &str| made.place(mark, mark.find('=').unwrap_or(0));
        let (own, donors): (Vec<Place>, Vec<Place>) =
            (["q->a =", "q->d ="].map(place).to_vec(), order.iter().map(|mark| place(mark)).collect());
        let mut made = own.iter().fold(made, |made, at| made.with(*at, None, OperationKind::Statement { copy: None }));
        for (copy, at) in (0..).zip(&donors) {
            let kind = OperationKind::Donor { copy, content_hash: 9, n_others: 2 };
            made = made.with_others(*at, kind, &[0, 1]);
        }
        let mut sibling = made.program.functions[0].clone();
        let start = sibling.operations.end;
        sibling.operations = start..start;
        for (copy, at) in (0..).zip(&donors) {
            made = made.with(*at, None, OperationKind::Statement { copy: Some(copy) });
            made.program.functions[0].operations.end = start;
            sibling.operations.end += 1;
        }
        made.program.functions.push(sibling);
        made
    }

    /// What is put behind a statement.
    fn behind(made: &Snippet, own: &str) -> Vec<String> {
        let sin = made.mutants().into_iter().filter(|one| one.class == Class::Sin && one.function == 0);
        sin.filter_map(|one| Some(one.replacement.strip_prefix(own)?.trim().to_owned()))
            .filter(|one| !one.is_empty())
            .collect()
    }

    #[test]
    fn statements_of_a_sibling_stand_beside_the_like_of_what_they_stand_beside_there() {
        let made = snippet(&["stop(p)", "p->d =", "p->c =", "run(p)", "p->b ="]);
        assert_eq!(behind(&made, "q->a = 7;"), ["q->b = 2;", "stop(q);", "q->d = 4;", "q->c = 3;"]);
        assert_eq!(behind(&made, "q->d = 8;"), ["stop(q);", "q->d = 4;", "q->c = 3;", "run(q);"]);
    }

    #[test]
    fn a_mutant_is_another_one_when_the_function_changes_that_it_is_taken_from() {
        let ids = |made: &Snippet| made.mutants().into_iter().map(|one| (one.replacement, one.id)).collect::<Vec<_>>();
        let mut made = snippet(&["p->b ="]);
        let before = ids(&made);
        for operation in &mut made.program.operations {
            if let OperationKind::Donor { content_hash, .. } = &mut operation.kind {
                *content_hash = 10;
            }
        }
        let after = ids(&made);
        for (one, other) in before.iter().zip(&after) {
            assert_eq!(one.0 == other.0 && one.1 == other.1, !one.0.contains("q->b"), "{}", one.0);
        }
    }
}
