//! Guards against numbers: `if (n == 0) return` and the like before a statement that reads the number first, and checks of what a call says.

use suspect_format::site::{Exit, guard};

use super::anchor::{Body, Draft};
use super::candidate::statement_at;
use super::exit::{Written, reached, returns};
use super::operator::Class;
use crate::program::{Operation, OperationKind};
use crate::source::{Expression, Kind, Statement};
use crate::trial::{Change, Override, Site};

/// Bytes of the text of a number, or of a call that is checked, at most.
const LONGEST: usize = 80;

/// A number, and the statement that a guard stands before or takes the place of.
struct Number<'a> {
    operation: u32,
    written: Expression<'a>,
    statement: Statement<'a>,
    /// What can be asked of it.
    conditions: &'static [u32],
}

/// Adds the mutants of a function that leave it, or do what another guard of it does, where a number is 0 or negative, or where a call says so.
pub(super) fn of_function(body: &Body, drafts: &mut Vec<Draft>) {
    let function = &body.view.program.functions[body.index as usize];
    let numbers: Vec<Number> = function.operations.clone().filter_map(|index| number(body, index)).collect();
    let Some(first) = numbers.first() else { return };
    let returned = returns(body, first.statement);
    for one in &numbers {
        let file = body.view.program.operations[one.operation as usize].place.file;
        let others = reached(body, file, one.statement, &returned);
        for condition in one.conditions {
            drafts.extend(returned.iter().chain(&others).filter_map(|exit| draft(body, one, *condition, exit)));
        }
    }
}

fn number<'a>(body: &Body<'_, 'a>, index: u32) -> Option<Number<'a>> {
    let operation = &body.view.program.operations[index as usize];
    let OperationKind::Number { width, signed, result } = operation.kind else { return None };
    let is_number =
        |(_, one): &(u32, &Operation)| matches!(one.kind, OperationKind::Number { result: of, .. } if of == result);
    if body.operations_at(operation.place).filter(is_number).count() > 1 {
        return None;
    }
    let found = if result { checked(body, index) } else { read(body, operation) };
    let (written, statement) = found?;
    let source = written.source();
    let is_short = !source.is_empty() && source.len() <= LONGEST && !source.contains(['\n', '#']);
    use guard::{NEGATIVE, NONZERO, ZERO};
    let conditions: &[u32] = match (result, signed && width >= 32) {
        (true, true) => &[NONZERO, NEGATIVE, ZERO],
        (true, false) => &[NONZERO, ZERO],
        (false, true) => &[ZERO, NEGATIVE],
        (false, false) => &[ZERO],
    };
    is_short.then_some(Number { operation: index, written, statement, conditions })
}

/// A number that is read, where its statement evaluates it before anything that has an effect.
fn read<'a>(body: &Body<'_, 'a>, operation: &Operation) -> Option<(Expression<'a>, Statement<'a>)> {
    let (place, is_pure) = (operation.place, |part: Expression| body.view.is_pure(part, 0));
    let text = body.text(place).ok()?;
    let followed = text.operator_at(place.line, place.column).filter(|found| found.operator() == "*");
    let followed = followed.filter(|found| found.kind() == Kind::Pointer);
    let mut written = followed.or_else(|| text.variable_or_member_at(place.line, place.column))?;
    // An element stands where what it is one of begins.
    while let Some(outer) = written.parent().filter(|outer| outer.operand() == Some(written)) {
        match outer.kind() {
            Kind::Subscript => written = outer,
            Kind::Field | Kind::Pointer => return None,
            _ => break,
        }
    }
    let is_called = written.parent().is_some_and(|call| call.callee() == Some(written));
    let is_plain = matches!(written.kind(), Kind::Identifier | Kind::Field | Kind::Pointer | Kind::Subscript);
    let statement = (is_plain && !is_called && is_pure(written)).then(|| written.begins(is_pure)).flatten()?;
    Some((written, statement))
}

/// A call that is a statement of its own.
fn checked<'a>(body: &Body<'_, 'a>, index: u32) -> Option<(Expression<'a>, Statement<'a>)> {
    let place = body.view.program.operations[index as usize].place;
    let text = body.text(place).ok()?;
    let calls = text.calls_at(place.line, place.column);
    let [call] = calls[..] else { return None };
    let is_macro = call.callee().is_none_or(|name| body.view.is_macro(name.source()));
    let statement = call.whole_statement().filter(|_| !is_macro)?;
    // The pass has found a statement there, too, unless the call ends a block.
    let is_other = body.operations_at(place).any(|(at, one)| {
        matches!(one.kind, OperationKind::Statement { .. })
            && statement_at(body, at).is_some_and(|other| other.span() != statement.span())
    });
    (!is_other).then_some((call, statement))
}

fn draft(body: &Body, number: &Number, condition: u32, exit: &Written) -> Option<Draft> {
    let operation = &body.view.program.operations[number.operation as usize];
    let OperationKind::Number { width, result: is_result, .. } = operation.kind else { return None };
    let source = number.written.source();
    let is_text = width == 8 && !matches!(number.written.kind(), Kind::Identifier | Kind::Field);
    let condition_text = match condition {
        guard::ZERO if is_result => format!("!{source}"),
        guard::ZERO if is_text => format!("{source} == '\\0'"),
        guard::ZERO => format!("{source} == 0"),
        guard::NEGATIVE => format!("{source} < 0"),
        _ => source.to_owned(),
    };
    let written = format!("if ({condition_text}) {}", exit.text);
    let answer = guard::answer(condition, exit.exit)?;
    let (class, rewrite, original) = match is_result {
        true => (Class::Rci, number.statement.with_check(&written), number.statement.source()),
        false => (Class::Vgi, number.statement.with_guard(&written)?, source),
    };
    // What is returned is 0 anyway.
    let returns_it = number.statement.kind() == Kind::Return
        && number.statement.expression().is_some_and(|of| of.unparenthesized() == number.written);
    let is_idle = returns_it && condition == guard::ZERO && exit.exit == Exit::Returned(0);
    (!is_idle).then(|| Draft {
        class,
        place: operation.place,
        function: body.index,
        node: operation.node,
        overriding: Override { site: Site::Operation(number.operation), instance: 0, change: Change::Left(answer) },
        original: original.to_owned(),
        rewrite: Ok(rewrite),
        replacement: written,
    })
}

#[cfg(test)]
mod tests {
    use super::super::code_tests::Snippet;
    use super::*;

    /// The body with guards for the number that is read where `mark` begins, on one line.
    fn guarded(body: &str, mark: &str, width: u8, class: Class) -> Vec<String> {
        let made = Snippet::new(&format!("{body}\nreturn;"));
        let place = made.place(mark, 0);
        let kind = OperationKind::Number { width, signed: true, result: class == Class::Rci };
        let read = made.with(place, None, kind).read_as(class);
        read.iter().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn guards_stand_before_what_reads_a_number_first() {
        let of = |body, mark, width| guarded(body, mark, width, Class::Vgi);
        assert_eq!(of("g(a);", "a)", 32), ["if (a == 0) return; g(a); return;", "if (a < 0) return; g(a); return;"]);
        assert_eq!(of("if (*s != b) g(s);", "*s", 8), ["if (*s == '\\0') return; if (*s != b) g(s); return;"]);
        assert_eq!(of("b = s[a] + 1;", "s[", 8), ["if (s[a] == '\\0') return; b = s[a] + 1; return;"]);
        assert_eq!(of("if (b) g(p->n);", "n)", 16), ["if (b) { if (p->n == 0) return; g(p->n); } return;"]);
    }

    #[test]
    fn no_guard_stands_before_what_may_not_read_the_number() {
        for (body, mark) in [
            ("if (b && a) b = 1;", "a)"),
            ("g(h(), a);", "a)"),
            ("while (a) b++;", "a)"),
            ("b = s[a].n;", "s["),
            ("g(LEN);", "LEN)"),
            ("b = *s++;", "*s"),
        ] {
            assert_eq!(guarded(body, mark, 32, Class::Vgi), [""; 0], "{body}");
        }
    }

    #[test]
    fn what_a_call_says_is_checked() {
        let of = |body, mark| guarded(body, mark, 32, Class::Rci);
        assert_eq!(
            of("g(a);", "g"),
            ["if (g(a)) return; return;", "if (g(a) < 0) return; return;", "if (!g(a)) return; return;"]
        );
        assert_eq!(of("if (b) (void)g(a); else b = 1;", "g(")[0], "if (b) { if (g(a)) return; } else b = 1; return;");
        assert_eq!(of("b = g(a);", "g("), [""; 0]);
        assert_eq!(of("for (g(a);;) ;", "g("), [""; 0]);
    }
}
