//! Guards that compare two numbers: `if (i >= n) return` before a statement that takes the i-th element, and their like for lengths, differences and sums.

use super::anchor::{Body, Draft};
use super::candidate::Found;
use super::exit::{Written, reached, returns};
use super::operator::Class;
use crate::program::{NodeKind, OperationKind, Use};
use crate::source::{Expression, Kind, Statement};
use crate::trial::Change;

use suspect_format::site::{Exit, guard};

/// Bytes of the text of a number, at most.
const LONGEST: usize = 80;

/// Constants that are returned by one guard or another, at most, where those that other functions return are among them.
const MOST_RESULTS: usize = 4;

/// A number that is used, and the statement that a guard stands before.
struct Number<'a> {
    left: Expression<'a>,
    /// What is subtracted from it, or added.
    right: Option<Expression<'a>>,
    statement: Statement<'a>,
}

/// Adds the mutants of a function that leave it, or do what another guard of it does, where a number is too great for what is done with it.
pub(super) fn of_function(body: &Body, drafts: &mut Vec<Draft>) {
    let function = &body.view.program.functions[body.index as usize];
    let mut results = None;
    for index in function.operations.clone() {
        let operation = &body.view.program.operations[index as usize];
        let OperationKind::Bounded { used, .. } = operation.kind else { continue };
        let mut found = Found::of(body, index, drafts);
        let Some(number) = found.number(used).filter(|number| number.is_short()) else { continue };
        let results = results.get_or_insert_with(|| results_of(body, number.statement));
        let reached = reached(body, operation.place.file, number.statement, results);
        let others = operation.others.iter().filter_map(|other| function.variables.get(*other as usize));
        for (condition, text) in number.conditions(used, others.map(|other| other.name.as_str())).iter().enumerate() {
            for exit in results.iter().chain(&reached) {
                let written = format!("if ({text}) {}", exit.text);
                let answer = guard::answer(condition as u32, exit.exit);
                if let (Some(answer), Some(rewrite)) = (answer, number.statement.with_guard(&written)) {
                    let original = number.left.source();
                    found.push(Class::Vgi, Change::Left(answer), (original, &written), Ok(rewrite));
                }
            }
        }
    }
}

/// What the function returns, and what others of its file and type return most often. A guard that does not hold costs nothing, so these may be more.
fn results_of(body: &Body, statement: Statement) -> Vec<Written> {
    let mut results = returns(body, statement);
    let function = &body.view.program.functions[body.index as usize];
    let nodes = &body.view.program.nodes[function.nodes.start as usize..function.nodes.end as usize];
    let Some(own) = nodes.iter().find(|node| node.kind == NodeKind::Return) else { return results };
    let of_others = body.view.returns().get(&(own.place.file, own.type_name.as_str()));
    for (text, value) in of_others.into_iter().flatten() {
        let exit = Exit::Returned(*value);
        if results.len() < MOST_RESULTS && results.iter().all(|known| known.exit != exit) {
            results.push(Written { text: format!("return {text};"), exit });
        }
    }
    results
}

impl Number<'_> {
    fn is_short(&self) -> bool {
        [Some(self.left), self.right].into_iter().flatten().all(|number| {
            let source = number.source();
            !source.is_empty() && source.len() <= LONGEST && !source.contains(['\n', '#'])
        })
    }

    /// What the guards ask, in the order of their numbers.
    fn conditions<'o>(&self, used: Use, others: impl Iterator<Item = &'o str>) -> Vec<String> {
        let left = operand(self.left);
        let right = self.right.map(operand).unwrap_or_default();
        match used {
            Use::Element => others.map(|other| format!("{left} >= {other}")).collect(),
            Use::Step | Use::Passed { .. } => others.map(|other| format!("{left} > {other}")).collect(),
            Use::Difference => vec![format!("{left} < {right}")],
            Use::Sum => vec![format!("{left} + {right} < {left}")],
        }
    }
}

/// A number as it reads beside `+` or `<`.
fn operand(number: Expression) -> String {
    let number = number.unparenthesized();
    let binds = match number.kind() {
        Kind::Binary => matches!(number.operator(), "*" | "/" | "%"),
        Kind::Conditional | Kind::Assignment | Kind::Comma => false,
        _ => true,
    };
    if binds { number.source().to_owned() } else { format!("({})", number.source()) }
}

impl<'a> Found<'_, '_, 'a> {
    /// The number that the operation uses, where its statement evaluates it before anything that has an effect.
    fn number(&self, used: Use) -> Option<Number<'a>> {
        let place = self.operation.place;
        let is_pure = |part: Expression| self.body.view.is_pure(part, 0);
        let (whole, left, right) = match used {
            Use::Element | Use::Step => {
                let mut written = self.body.text(place).ok()?.beginning_at(place.line, place.column);
                written.retain(|found| found.kind() == Kind::Subscript);
                match written[..] {
                    [] => {
                        let whole = self.body.written(place, |found| matches!(found.operator(), "+" | "+=")).ok()?;
                        (whole, whole.right()?, None)
                    }
                    [whole] => (whole, whole.subscript()?, None),
                    _ => return None,
                }
            }
            Use::Passed { position, n_arguments } => {
                let call = self.call().ok()?;
                let written = call.arguments();
                let is_plain = call.callee().is_some_and(|callee| callee.kind() == Kind::Identifier);
                let is_alike = is_plain && written.len() == n_arguments as usize;
                let statement = (is_alike && written.iter().all(|one| is_pure(*one))).then(|| call.begins(is_pure));
                return Some(Number { left: *written.get(position as usize)?, right: None, statement: statement?? });
            }
            Use::Difference | Use::Sum => {
                let tokens = if used == Use::Sum { ["+", "+="] } else { ["-", "-="] };
                let whole = self.body.written(place, |found| tokens.contains(&found.operator())).ok()?;
                (whole, whole.left()?, Some(whole.right()?))
            }
        };
        let parts = [whole.left(), whole.right(), whole.operand(), whole.subscript()];
        let is_plain = parts.into_iter().flatten().all(is_pure) && left.literal().is_none();
        let statement = is_plain.then(|| whole.begins(is_pure)).flatten()?;
        Some(Number { left, right, statement })
    }
}

#[cfg(test)]
mod tests {
    use super::super::code_tests::Snippet;
    use super::*;

    /// The body with guards for what is used at `mark`, on one line.
    fn guarded(body: &str, mark: &str, used: Use, others: &[&str]) -> Vec<String> {
        let named: Vec<_> = others.iter().map(|other| (*other, "")).collect();
        let made = Snippet::new(&format!("{body}\nreturn;")).variables(&named);
        let place = made.place(mark, 0);
        let n_others = others.len() as u32;
        let numbers: Vec<u32> = (0..n_others).collect();
        let read = made.with_others(place, OperationKind::Bounded { used, n_others }, &numbers).read_as(Class::Vgi);
        read.iter().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    const MEMCPY: Use = Use::Passed { position: 2, n_arguments: 3 };

    #[test]
    fn numbers_are_compared_before_they_are_used() {
        assert_eq!(
            guarded("b = s[a];", "s[", Use::Element, &["16", "p->n"]),
            ["if (a >= 16) return; b = s[a]; return;", "if (a >= p->n) return; b = s[a]; return;"]
        );
        assert_eq!(
            guarded("p->s[a + 1] = b;", "p->s", Use::Element, &["p->n"]),
            ["if ((a + 1) >= p->n) return; p->s[a + 1] = b; return;"]
        );
        assert_eq!(guarded("s += a * b;", "+=", Use::Step, &["n"]), ["if (a * b > n) return; s += a * b; return;"]);
        assert_eq!(
            guarded("memcpy(s, p->q, a);", "memcpy", MEMCPY, &["64"]),
            ["if (a > 64) return; memcpy(s, p->q, a); return;"]
        );
        assert_eq!(
            guarded("if (c) b = a - (c - 1);", "- (", Use::Difference, &[]),
            ["if (c) { if (a < (c - 1)) return; b = a - (c - 1); } return;"]
        );
        assert_eq!(guarded("a += p->n;", "+=", Use::Sum, &[]), ["if (a + p->n < a) return; a += p->n; return;"]);
    }

    #[test]
    fn no_guard_stands_before_what_may_not_use_the_number() {
        for (body, mark, used) in [
            ("if (b && s[a]) b = 1;", "s[", Use::Element),
            ("b = s[a++];", "s[", Use::Element),
            ("g(h(), s[a]);", "s[", Use::Element),
            ("b = s[a][c];", "s[", Use::Element),
            ("while (s[a]) a++;", "s[", Use::Element),
            ("memcpy(s, h(), a);", "memcpy", MEMCPY),
            ("memcpy(s, a);", "memcpy", MEMCPY),
            ("a = b - h();", "- h", Use::Difference),
        ] {
            assert_eq!(guarded(body, mark, used, &["n"]), [""; 0], "{body}");
        }
    }
}
