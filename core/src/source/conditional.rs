//! Conditional groups, `#if` to `#endif`, that the grammar cannot read: one that begins with `else`, or holds half of a block.
//!
//! The grammar takes a group for a statement, and all its branches for parts of it. A group that divides a statement is read
//! as the compiler does: without its directives, and with one branch.

use std::collections::{BTreeSet, HashMap};

use super::kind::Kind;
use super::spelling;
use super::text::{Span, Text};

/// How often a text is parsed to have its groups right: each round reads groups that hold no other one.
pub(super) const MOST_ROUNDS: usize = 4;

/// Groups that are open at a time; what is deeper is left to the grammar.
const DEPTH: usize = 64;

/// `#if` to `#endif`. The last branch is the end, which holds nothing.
#[derive(Clone, Debug)]
pub(super) struct Group {
    branches: Vec<Branch>,
    /// Whether it begins or ends within a statement, or holds a part of a block.
    pub divides: bool,
    /// Whether it begins within an expression or a list.
    within: bool,
}

/// What is left out to read a group.
#[derive(Clone, Debug)]
pub(super) struct LeftOut {
    pub gaps: Vec<Span>,
    /// Whether it is known that nothing else was compiled.
    certain: bool,
}

/// A directive and what it decides on.
#[derive(Clone, Debug)]
struct Branch {
    /// The directive, without the end of its line.
    directive: Span,
    /// Behind the directive up to the next one of the group.
    body: Span,
    condition: Condition,
}

/// What a directive asks.
#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// This, without blanks, or the opposite of it.
    If { text: Box<str>, negated: bool },
    /// That no branch before it was taken.
    Else,
    /// Nothing: it ends the group.
    End,
}

/// What is known of the program that the text was compiled to.
pub(super) struct Compiled<'c> {
    /// Lines with code, from 1; empty if nobody knows.
    lines: &'c BTreeSet<u32>,
    /// Conditions that groups with code answer.
    answers: HashMap<Box<str>, bool>,
}

impl Group {
    fn span(&self) -> Span {
        let start = self.branches.first().map_or(0, |branch| branch.directive.start);
        Span { start, end: self.branches.last().map_or(start, |branch| branch.directive.end) }
    }

    /// What is left out where one branch is read.
    fn gaps(&self, chosen: Option<usize>) -> Vec<Span> {
        let of = |(number, branch): (usize, &Branch)| Span {
            start: branch.directive.start,
            end: if chosen == Some(number) { branch.directive.end } else { branch.body.end },
        };
        self.branches.iter().enumerate().map(of).collect()
    }
}

impl<'c> Compiled<'c> {
    pub(super) fn of(text: &Text, lines: &'c BTreeSet<u32>, groups: &[Group]) -> Compiled<'c> {
        let mut compiled = Compiled { lines, answers: HashMap::new() };
        let mut answers: HashMap<Box<str>, Option<bool>> = HashMap::new();
        for group in groups {
            let asked = |branch: &Branch| match &branch.condition {
                Condition::If { text, negated } => Some((text.clone(), !negated)),
                _ => None,
            };
            for (number, branch) in
                group.branches.iter().enumerate().filter(|(_, one)| compiled.has_code(text, one.body))
            {
                // The other one of two is compiled where the first one's condition is not met.
                let opposite = || asked(&group.branches[0]).map(|(text, holds)| (text, !holds));
                let is_other = branch.condition == Condition::Else && number == 1;
                let answered = if is_other { opposite() } else { asked(branch) };
                let Some((text, holds)) = answered else { continue };
                // Units that are compiled in several ways answer both.
                answers
                    .entry(text)
                    .and_modify(|known| *known = known.filter(|known| *known == holds))
                    .or_insert(Some(holds));
            }
        }
        compiled.answers = answers.into_iter().filter_map(|(text, answer)| Some((text, answer?))).collect();
        compiled
    }

    fn has_code(&self, text: &Text, body: Span) -> bool {
        let (first, behind) = (text.place(body.start).0 + 1, text.place(body.end).0);
        first < behind && self.lines.range(first..behind).next().is_some()
    }

    /// Whether a condition holds, if that is known; an `#else` does where no condition before it does.
    fn holds(&self, condition: &Condition) -> Option<bool> {
        match condition {
            Condition::If { text, negated } => match &**text {
                "0" | "__cplusplus" => Some(*negated),
                "1" => Some(!negated),
                _ => self.answers.get(text).map(|answer| answer != negated),
            },
            Condition::Else => Some(true),
            Condition::End => Some(false),
        }
    }

    /// What is left out to read a group. The branch that is read is the one with code, else the first that is not known to be left out: a part of an
    /// expression has code.
    fn left_out(&self, text: &Text, group: &Group) -> LeftOut {
        let all = || 0..group.branches.len();
        let with_code: Vec<usize> = all().filter(|branch| self.has_code(text, group.branches[*branch].body)).collect();
        let certain = group.within && !self.lines.is_empty() && with_code.len() < 2;
        let holds = |branch: usize| self.holds(&group.branches[branch].condition);
        let may_hold = || all().find(|branch| holds(*branch) != Some(false));
        let chosen = with_code.first().copied().or_else(may_hold);
        let chosen = chosen.filter(|branch| !certain || !with_code.is_empty() || holds(*branch) == Some(true));
        LeftOut { gaps: group.gaps(chosen), certain }
    }
}

impl Text {
    /// What is left out to read the groups that divide statements, of those that hold no other. They are taken from `groups`.
    pub(super) fn undivided(&self, groups: &mut Vec<Group>, compiled: &Compiled) -> Vec<LeftOut> {
        let (mut found, mut last): (Vec<LeftOut>, Option<Span>) = (Vec::new(), None);
        groups.retain(|group| {
            // Inner groups end first, so only the last one can be within this one.
            let holds_another = last.is_some_and(|inner| group.span().holds(inner));
            if !holds_another {
                last = Some(group.span());
                found.push(compiled.left_out(self, group));
            }
            holds_another
        });
        found
    }

    /// How much the parser found wrong.
    pub(super) fn flaws(&self) -> usize {
        let is_missing = |span: Span| span.start == span.end;
        self.nodes.iter().filter(|node| node.kind == Kind::Error || node.flawed && is_missing(node.span)).count()
    }

    /// Takes back that the tree can be believed where something in an expression is left out, or a statement holds only a part of a group.
    pub(super) fn doubt_around(&mut self) {
        let left_out = std::mem::take(&mut self.left_out);
        for LeftOut { gaps, certain } in &left_out {
            let (Some(first), Some(end)) = (gaps.first(), gaps.last()) else { continue };
            let whole = Span { start: first.start, end: end.end };
            for gap in gaps {
                let Some(inner) = self.around(*gap) else { continue };
                let outer = std::iter::once(inner).chain(self.ancestors(inner));
                let is_part = |index: &u32| !self.is_list(*index) || !self.node(*index).span.holds(whole);
                let parts: Vec<u32> = outer.take_while(is_part).collect();
                for index in parts {
                    self.nodes[index as usize].sound = false;
                }
                if !certain && !self.is_list(inner) {
                    self.doubt(&[inner]);
                }
            }
        }
        self.left_out = left_out;
    }

    /// The innermost node that a gap lies in.
    fn around(&self, gap: Span) -> Option<u32> {
        let behind = self.leaf_from(gap.end)?;
        std::iter::once(behind).chain(self.ancestors(behind)).find(|index| self.node(*index).span.holds(gap))
    }

    /// Whether a node is a list of statements, declarations or elements, which are whole between two gaps.
    fn is_list(&self, index: u32) -> bool {
        use Kind::*;
        let is_else = || self.parent(index).is_some_and(|parent| self.node(parent).kind == If);
        match self.node(index).kind {
            Block | If | While | Do | For | Switch | Case | Labeled | Function => true,
            InitializerList | Directive | Error => true,
            Other => self.parent(index).is_none() || is_else(),
            _ => false,
        }
    }
}

/// Whether a group begins or ends within a statement, or holds a part of a block; `code` is the text with blanks for all that is none.
fn divides(branches: &[Branch], code: &[u8]) -> bool {
    let Some(end) = branches.last() else { return false };
    let behind = &code[end.directive.end as usize..];
    let goes_on = |text: &[u8]| {
        let rest = text.trim_ascii_start().strip_prefix(b"else");
        rest.is_some_and(|rest| !rest.first().is_some_and(|next| is_word(*next)))
    };
    let is_part = |branch: &Branch| {
        let body = &code[branch.body.start as usize..branch.body.end as usize];
        goes_on(body) || !is_balanced(body)
    };
    begins_within(branches, code) || goes_on(behind) || branches.iter().any(is_part)
}

/// Whether what is before a group is not the end of a statement or a declaration.
fn begins_within(branches: &[Branch], code: &[u8]) -> bool {
    let before = branches.first().map_or(&[][..], |first| &code[..first.directive.start as usize]);
    match before.trim_ascii_end() {
        // The list of an array's or a structure's values.
        [before @ .., b'{'] => matches!(before.trim_ascii_end(), [.., b'=' | b',']),
        before => !matches!(before, [] | [.., b';' | b'}' | b':']),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether each bracket of a text is closed in it.
fn is_balanced(text: &[u8]) -> bool {
    let mut depth = 0usize;
    for byte in text {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' if depth == 0 => return false,
            b'}' | b')' | b']' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

/// The groups of a text, in the order of their ends. Costs time linear in its length.
pub(super) fn groups(source: &[u8]) -> Vec<Group> {
    let directives = spelling::directives(source);
    let code = spelling::code(source, &directives);
    let (mut found, mut open): (Vec<Group>, Vec<Vec<Branch>>) = (Vec::new(), Vec::new());
    for directive in &directives {
        let text = String::from_utf8_lossy(&source[directive.start as usize..directive.end as usize]);
        let Some((condition, begins)) = condition_of(&text) else { continue };
        if begins && open.len() == DEPTH {
            return found;
        }
        if begins {
            open.push(Vec::new());
        }
        let Some(branches) = open.last_mut() else { continue };
        if let Some(before) = branches.last_mut() {
            before.body.end = directive.start;
        }
        let ends = condition == Condition::End;
        branches.push(Branch {
            directive: *directive,
            body: Span { start: directive.end, end: directive.end },
            condition,
        });
        if let Some(branches) = open.pop_if(|_| ends) {
            let (divides, within) = (divides(&branches, &code), begins_within(&branches, &code));
            found.push(Group { branches, divides, within });
        }
    }
    found
}

/// What a directive asks, and whether it begins a group; `None` for those that belong to no group.
fn condition_of(directive: &str) -> Option<(Condition, bool)> {
    let words = directive.trim_start_matches("%:").trim_start_matches('#').trim_start();
    let (word, rest) = words.split_at(words.find(|one: char| !one.is_ascii_alphabetic()).unwrap_or(words.len()));
    let rest = rest.split("/*").next().and_then(|rest| rest.split("//").next()).unwrap_or_default();
    let written: String = rest.replace('\\', "").split_ascii_whitespace().collect();
    // `defined(A)`, `defined A` and `A` are one question. What has operators is asked as it is written.
    let name = written.trim_start_matches('!').trim_start_matches("defined").trim_matches(['(', ')']);
    let condition = |negated: bool| match name.bytes().all(is_word) {
        true => Condition::If { text: name.into(), negated: negated != (written.matches('!').count() % 2 == 1) },
        false => Condition::If { text: written.as_str().into(), negated },
    };
    match word {
        "if" | "ifdef" => Some((condition(false), true)),
        "ifndef" => Some((condition(true), true)),
        "elif" | "elifdef" => Some((condition(false), false)),
        "elifndef" => Some((condition(true), false)),
        "else" => Some((Condition::Else, false)),
        "endif" => Some((Condition::End, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Insertion, Rewrite, apply};

    const DIVIDED: &str = "\
int f(int a, int b)
{
    int c = 0;
    if (a > 1) {
        c = 1;
    }
#if FIRST
    else if (b && a >= c) {
        c = a + b;
    }
#endif
    else if (a == 3) {
        c = a - b;
    }
#ifdef SECOND
    if (b < 4) {
#else
    if (b < 5) {
#endif
        c = a * b;
    }
    while (c < a
#if 0
           && c < b
#endif
           ) {
        c = c * 2;
    }
    for (;;)
#if !defined SECOND
        return c / 2;
#else
        return c / 3;
#endif
}
";

    fn places() -> impl Iterator<Item = (u32, u32)> {
        (1..=DIVIDED.lines().count() as u32).flat_map(|line| (1..60).map(move |column| (line, column)))
    }

    fn binary(text: &Text) -> Vec<&str> {
        let operators = places().filter_map(|(line, column)| text.operator_at(line, column));
        operators.filter(|found| found.kind() == Kind::Binary).map(|found| found.source()).collect()
    }

    #[test]
    fn groups_that_divide_statements_are_read_by_the_lines_with_code() {
        let read = |code: &[u32]| Text::parse_compiled(DIVIDED, &code.iter().copied().collect());
        let both = ["a > 1", "b && a >= c", "a >= c", "a + b", "a == 3", "a - b"];
        let second = [&both[..], &["b < 4", "a * b", "c < a", "c * 2", "c / 3"]].concat();
        assert_eq!(binary(&read(&[16])), second, "the other group of the condition is read alike");
        let other = [&both[..], &["b < 5", "a * b", "c < a", "c * 2", "c / 2"]].concat();
        assert_eq!(binary(&read(&[18])), other);
        assert_eq!(binary(&read(&[31])), other);
        // Nobody knows, or both were compiled: the first one. What a group divides is not believed where nobody knows.
        let first = [&both[..], &["b < 4", "a * b", "c * 2", "c / 2"]].concat();
        assert_eq!(binary(&read(&[])), first);
        let all = [&both[..], &["b < 4", "a * b", "c < a", "c * 2", "c / 2"]].concat();
        assert_eq!(binary(&read(&[16, 18, 31, 33])), all);
    }

    #[test]
    fn operands_beside_directives_are_believed_where_the_lines_with_code_tell() {
        let source = "int f(int a, int b)\n{\n    return a - 1\n#ifdef X\n        * b - 3\n#else\n        + b / 4\n#endif\n        + 2;\n}\n";
        let at = |code: &[u32]| {
            let text = Text::parse_compiled(source, &code.iter().copied().collect());
            let found = [(3, 14), (5, 9), (5, 13), (7, 9), (7, 13), (9, 9)].map(|(line, column)| {
                text.operator_at(line, column)
                    .map_or("", |found| found.source())
                    .split('\n')
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            });
            found.join("|")
        };
        assert_eq!(at(&[3, 7]), "a - 1||||b / 4|");
        assert_eq!(at(&[3]), "a - 1|||||");
        assert_eq!(at(&[]), "|||||");
        assert_eq!(at(&[3, 5, 7]), "|||||", "in two ways");
    }

    #[test]
    fn edits_leave_directives_where_they_are() {
        let text = Text::parse(DIVIDED);
        let directives = |source: &[u8]| spelling::directives(source).len();
        let mut n_edits = 0;
        for (line, column) in places() {
            let mut rewrites: Vec<Rewrite> = Vec::new();
            rewrites.extend(text.operator_at(line, column).map(|found| found.with_operator("-")));
            for found in text.beginning_at(line, column) {
                let negated =
                    Some(found.with_insertion(Insertion::Negate, None)).filter(|_| found.kind() == Kind::Binary);
                rewrites.extend(negated.into_iter().chain(found.deleted()));
            }
            rewrites.extend(text.while_for_if(line, column));
            for rewrite in rewrites {
                let Ok(edits) = text.edits("f.c", &[rewrite]) else { continue };
                let edited = apply(text.source(), &edits).unwrap();
                assert_eq!(directives(&edited), 10, "{}", String::from_utf8_lossy(&edited));
                assert_eq!(Text::parse(edited.as_slice()).flaws(), 0, "{}", String::from_utf8_lossy(&edited));
                n_edits += 1;
            }
        }
        assert!(n_edits > 30, "{n_edits}");
    }

    #[test]
    fn groups_of_whole_statements_keep_both_branches() {
        let text =
            Text::parse("int f(int a)\n{\n#if A\n    a = a + 1;\n#else\n    a = a - 1;\n#endif\n    return a;\n}\n");
        assert_eq!(text.operator_at(4, 11).map(|found| found.source()), Some("a + 1"));
        assert_eq!(text.operator_at(6, 11).map(|found| found.source()), Some("a - 1"));
    }

    #[test]
    fn conditions_are_one_however_they_are_written() {
        let of = |text: &str, negated| Some((Condition::If { text: text.into(), negated }, true));
        assert_eq!(condition_of("#ifdef  A /* b */"), of("A", false));
        assert_eq!(condition_of("# if defined(A)"), of("A", false));
        assert_eq!(condition_of("#ifndef A // b"), of("A", true));
        assert_eq!(condition_of("#if !defined A"), of("A", true));
        assert_eq!(condition_of("%:if A && \\\n B"), of("A&&B", false));
        assert_eq!(condition_of("#if !A && B"), of("!A&&B", false));
        assert_eq!(condition_of("#if !(A && B)"), of("!(A&&B)", false));
        assert_eq!(condition_of("#if (A || B) && C"), of("(A||B)&&C", false));
        assert_eq!(condition_of("#include <a.h>"), None);
    }

    #[test]
    fn marks_in_comments_and_strings_are_no_directives() {
        let source = b"/*\n#if A\n*/ #if B /* {\n */\nchar *s = \"\\\n#endif\";\n#define X \\\n#else\n#endif\n";
        let found: Vec<&[u8]> =
            spelling::directives(source).iter().map(|span| &source[span.start as usize..span.end as usize]).collect();
        assert_eq!(found, [&b"#if B /* {\n */"[..], b"#define X \\\n#else", b"#endif"]);
        let code = spelling::code(source, &spelling::directives(source));
        assert_eq!(code.len(), source.len());
        assert!(!code.contains(&b'#') && !code.contains(&b'{'), "{}", String::from_utf8_lossy(&code));
    }

    #[test]
    fn a_doubtful_name_outside_functions_leaves_the_rest() {
        let text = Text::parse("enum e { A = (x)-1 };\nint f(int a)\n{\n    return a - 2;\n}\n");
        assert_eq!(text.operator_at(4, 14).map(|found| found.source()), Some("a - 2"));
    }
}
