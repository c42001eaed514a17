//! Guards against null pointers: `if (!p) return` and the like before a statement that follows the pointer or passes it on.

use suspect_format::site::guard;

use super::anchor::{Body, Draft};
use super::exit::{Written, reached, returns};
use super::operator::Class;
use crate::program::{NodeKind, OperationKind, Place, ValueClass};
use crate::source::{Expression, Kind, Statement};
use crate::trial::{Change, Override, Site};

/// Bytes of a pointer's text, at most.
const LONGEST: usize = 80;

/// A pointer, and the statement that has it before all else.
struct Pointer<'a> {
    operation: u32,
    place: Place,
    text: &'a str,
    statement: Statement<'a>,
}

/// Adds the mutants of a function that leave it, or do what another guard of it does, where a pointer is null.
pub(super) fn of_function(body: &Body, drafts: &mut Vec<Draft>) {
    let function = &body.view.program.functions[body.index as usize];
    let pointers: Vec<Pointer> = function.operations.clone().filter_map(|index| pointer(body, index)).collect();
    let Some(first) = pointers.first() else { return };
    let returned = returns(body, first.statement);
    for one in &pointers {
        let others = reached(body, one.place.file, one.statement, &returned);
        drafts.extend(returned.iter().chain(&others).filter_map(|exit| draft(body, one, exit)));
    }
}

/// The pointer that an operation is, where its statement evaluates it before anything that has an effect.
fn pointer<'a>(body: &Body<'_, 'a>, index: u32) -> Option<Pointer<'a>> {
    let operation = &body.view.program.operations[index as usize];
    let place = operation.place;
    let others = body.operations_at(place).filter(|(_, one)| one.kind == OperationKind::Pointer);
    if operation.kind != OperationKind::Pointer || others.count() > 1 {
        return None;
    }
    let text = body.text(place).ok()?;
    let found = text.variable_or_member_at(place.line, place.column)?;
    let is_pure = |part: Expression| body.view.is_pure(part, 0);
    let source = found.source();
    let is_short = !source.is_empty() && source.len() <= LONGEST && !source.contains(['\n', '#']);
    let is_called = found.parent().is_some_and(|call| call.callee() == Some(found));
    let is_pointer = matches!(found.kind(), Kind::Identifier | Kind::Field) && !is_called && is_pure(found);
    let statement = (is_short && is_pointer).then(|| found.begins(is_pure)).flatten()?;
    Some(Pointer { operation: index, place, text: source, statement })
}

/// What a function that returns no constant says of a failure: null, or 0 and -1.
pub(super) fn usual(body: &Body) -> Vec<(String, i64)> {
    let function = &body.view.program.functions[body.index as usize];
    let nodes = &body.view.program.nodes[function.nodes.start as usize..function.nodes.end as usize];
    let class = nodes.iter().find(|node| node.kind == NodeKind::Return).map(|node| node.class);
    let values: &[i64] = match class {
        Some(ValueClass::Pointer | ValueClass::String | ValueClass::Bool | ValueClass::Unsigned) => &[0],
        Some(ValueClass::Signed) => &[0, -1],
        _ => &[],
    };
    values.iter().map(|value| (format!("return {value};"), *value)).collect()
}

fn draft(body: &Body, pointer: &Pointer, exit: &Written) -> Option<Draft> {
    let operation = &body.view.program.operations[pointer.operation as usize];
    let written = format!("if (!{}) {}", pointer.text, exit.text);
    let answer = guard::answer(guard::ZERO, exit.exit)?;
    let rewrite = pointer.statement.with_guard(&written)?;
    Some(Draft {
        class: Class::Ngi,
        place: pointer.place,
        function: body.index,
        node: operation.node,
        overriding: Override { site: Site::Operation(pointer.operation), instance: 0, change: Change::Left(answer) },
        original: pointer.text.to_owned(),
        rewrite: Ok(rewrite),
        replacement: written,
    })
}

#[cfg(test)]
mod tests {
    use super::super::code_tests::Snippet;
    use super::*;

    /// The body with a guard for the pointer that is read where `mark` begins, on one line.
    fn guarded(body: &str, mark: &str) -> Vec<String> {
        let made = Snippet::new(&format!("{body}\nreturn;"));
        let place = made.place(mark, 0);
        let read = made.with(place, None, OperationKind::Pointer).read_as(Class::Ngi);
        read.iter().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn guards_stand_before_what_follows_a_pointer_first() {
        assert_eq!(guarded("p->m = 1;", "p->m"), ["if (!p) return; p->m = 1; return;"]);
        assert_eq!(guarded("if (a) g(p->q->m);", "q->m"), ["if (a) { if (!p->q) return; g(p->q->m); } return;"]);
        assert_eq!(
            guarded("if (a)\n a = 1;\nelse if (p->m && b)\n b = 1;", "p->m"),
            ["if (a) a = 1; else { if (!p) return; if (p->m && b) b = 1; } return;"]
        );
        assert_eq!(guarded("int m = p->m;", "p->m"), ["if (!p) return; int m = p->m; return;"]);
    }

    #[test]
    fn no_guard_stands_before_what_may_not_follow_the_pointer() {
        for (body, mark) in [
            ("if (a && p->m) b = 1;", "p->m"),
            ("g(h(), p->m);", "p->m"),
            ("while (p->m) b++;", "p->m"),
            ("for (int i = p->m; i < 3; i++) ;", "p->m"),
            ("a = LIST(p);", "LIST"),
            ("p(1);", "p(1)"),
            ("a = sizeof p->m;", "p->m"),
        ] {
            assert_eq!(guarded(body, mark), [""; 0], "{body}");
        }
    }

    #[test]
    fn a_place_with_two_pointers_is_left_alone() {
        let made = Snippet::new("a = *p[0];\nreturn;");
        let place = made.place("p[0]", 0);
        let both = made.with(place, None, OperationKind::Pointer).with(place, None, OperationKind::Pointer);
        assert_eq!(both.read_as(Class::Ngi), [""; 0]);
    }
}
