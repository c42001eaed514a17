//! Another member of the same structure and type is named.

use super::candidate::Found;
use super::junk::Junk;
use super::operator::Class;
use crate::program::{Operation, OperationKind};
use crate::trial::Change;

impl Found<'_, '_, '_> {
    /// `p->a` becomes `p->b`.
    pub(super) fn member(&mut self, member: u32) {
        let place = self.operation.place;
        let members = &self.body.view.program.functions[self.body.index as usize].variables;
        let Some(own) = members.get(member as usize) else { return };
        let is_member = |(_, one): &(u32, &Operation)| matches!(one.kind, OperationKind::Member { .. });
        let several = self.body.operations_at(place).filter(is_member).count() > 1;
        let found = self.body.text(place).and_then(|text| match text.member_at(place.line, place.column) {
            Some(found) if found.member() != Some(&own.name) => Err(Junk::Macro),
            Some(_) if several => Err(Junk::Several),
            Some(found) => Ok(found),
            None => Err(self.body.nothing(text, place)),
        });
        for other in self.operation.others.clone() {
            let Some(new) = members.get(other as usize) else { continue };
            let rewrite = found.and_then(|found| match self.body.view.is_macro(&new.name) {
                true => Err(Junk::Macro),
                false => found.with_member(&new.name).ok_or(Junk::NoText),
            });
            let change = Change::Add(new.step.wrapping_sub(own.step));
            self.push(Class::Mrr, change, (&own.name, &new.name), rewrite);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::code_tests::Snippet;
    use super::*;

    /// How a body reads where the member at `mark` is another one.
    fn named(body: &str, mark: &str) -> Vec<String> {
        let made = Snippet::new(body).variables(&[("first", "int"), ("second", "int"), ("third", "int")]);
        let place = made.place(mark, 0);
        made.with_others(place, OperationKind::Member { member: 0, n_others: 2 }, &[1, 2]).read_as(Class::Mrr)
    }

    #[test]
    fn another_member_stands_behind_the_same_base() {
        assert_eq!(named("a = p->first + b;", "first"), ["a = p->second + b;", "a = p->third + b;"]);
        assert_eq!(named("p[a++].first += 2;", "first"), ["p[a++].second += 2;", "p[a++].third += 2;"]);
        assert_eq!(named("g(&q->in.first);", "first"), ["g(&q->in.second);", "g(&q->in.third);"]);
    }

    #[test]
    fn what_a_macro_names_is_no_member_of_the_text() {
        assert_eq!(named("#define m first\na = p->m;", "m;"), [""; 0]);
        assert_eq!(named("#define FIRST(p) p->first\na = FIRST(p);", "FIRST(p);"), [""; 0]);
        assert_eq!(named("#define second third\na = p->first;", "first;"), ["#define second third\na = p->third;"]);
    }
}
