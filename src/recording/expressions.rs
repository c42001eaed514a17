//! Expressions of the source, by the places of the code that was made of them.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::program::{Place, Program};
use crate::source::{Expression, Kind, SourceTree, Span, Text};

/// Bytes of an expression that is told by its text, at most: a longer one hides the sentence around it.
const LONGEST: usize = 60;

/// Texts of the sources of a program, parsed as they are asked for.
pub struct Expressions<'a> {
    program: &'a Program,
    tree: SourceTree,
    /// Of each file, the lines with code.
    code: Vec<BTreeSet<u32>>,
    texts: RefCell<HashMap<u32, Option<Rc<Text>>>>,
    /// Names of functions: what is called by another name is a macro.
    functions: HashSet<&'a str>,
}

impl<'a> Expressions<'a> {
    /// Those of a program; `called` are the names of functions that it calls and that are not its own.
    pub fn new(program: &'a Program, tree: SourceTree, called: impl Iterator<Item = &'a str>) -> Self {
        let own = program.functions.iter().map(|function| function.name.as_str());
        let code = program.code_lines();
        Expressions { program, tree, code, texts: RefCell::default(), functions: own.chain(called).collect() }
    }

    /// The binary expression whose operator stands at a place, as it is written.
    pub fn computed(&self, place: Place) -> Option<String> {
        let text = self.text(place.file)?;
        let found = text.operator_at(place.line, place.column)?;
        if found.kind() == Kind::Binary { self.told(found) } else { None }
    }

    /// The left side of the assignment whose operator stands at a place, as it is written.
    pub fn assigned(&self, place: Place) -> Option<String> {
        let text = self.text(place.file)?;
        let found = text.operator_at(place.line, place.column)?;
        if found.kind() == Kind::Assignment { self.told(found.left()?) } else { None }
    }

    /// The condition that a branch decides by, as it is written but for `!` before it: that of number `at` of the branches of a function, which stand at
    /// these places in this order. Nothing unless each operand of `&&` and `||` around it has one branch: a macro may say the opposite of what it reads
    /// like, and several branches may stand at the place of the first.
    pub fn condition(&self, branches: &[Place], at: usize) -> Option<String> {
        let place = branches.get(at)?;
        let text = self.text(place.file)?;
        let logic = text.operator_at(place.line, place.column).filter(|found| is_logic(*found));
        let whole = whole(logic.or_else(|| behind_brackets(&text, place))?);
        let is_inside = |place: &Place| {
            let start = decided_at(&text, place);
            start.is_some_and(|start| whole.span().holds(Span { start, end: start }))
        };
        let inside: Vec<usize> =
            (0..branches.len()).filter(|one| branches[*one].file == place.file && is_inside(&branches[*one])).collect();
        let mut operands = Vec::new();
        gather(whole, &mut operands);
        let operand = *operands.get(inside.iter().position(|one| *one == at)?)?;
        let is_told = inside.len() == operands.len() && !operand.parts().any(|part| self.is_macro(part));
        if is_told { self.told(operand) } else { None }
    }

    /// Whether an expression may be another one behind a macro: a call of what is no function, or the name of a constant alone.
    fn is_macro(&self, part: Expression<'_>) -> bool {
        let is_constant = |part: Expression<'_>| {
            part.kind() == Kind::Identifier && !part.source().contains(|one: char| one.is_ascii_lowercase())
        };
        match part.callee() {
            Some(callee) => callee.kind() == Kind::Identifier && !self.functions.contains(callee.source()),
            None => is_constant(part) && part.is_condition(),
        }
    }

    fn told(&self, expression: Expression<'_>) -> Option<String> {
        let text = expression.source().split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty() && text.len() <= LONGEST && !text.contains('`')).then_some(text)
    }

    fn text(&self, file: u32) -> Option<Rc<Text>> {
        let mut texts = self.texts.borrow_mut();
        let parsed = || {
            let name = self.program.files.get(file as usize)?;
            let source = self.tree.bytes(name).ok()?;
            Some(Rc::new(Text::parse_compiled(source, &self.code[file as usize])))
        };
        texts.entry(file).or_insert_with(parsed).clone()
    }
}

/// Where what is decided at a place begins: of a loop, which stands at its keyword, the condition.
fn decided_at(text: &Text, place: &Place) -> Option<u32> {
    let start = text.offset(place.line, place.column)?;
    let source = &text.source()[start as usize..];
    let behind = |keyword: &str| {
        let rest = source.strip_prefix(keyword.as_bytes())?;
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        (rest.get(blanks) == Some(&b'(')).then_some(keyword.len() + blanks + 1)
    };
    let opening = match (behind("while"), behind("for")) {
        (Some(opening), _) => opening,
        (_, Some(opening)) => opening + 1 + first_semicolon(&source[opening..])?,
        _ => 0,
    };
    let blanks = source[opening..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    Some(start + (opening + blanks) as u32)
}

/// The first semicolon of what stands in the brackets of a `for`, outside of inner ones.
fn first_semicolon(clauses: &[u8]) -> Option<usize> {
    let mut depth = 0;
    clauses.iter().position(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        *byte == b';' && depth == 0
    })
}

/// The condition that begins at a place, behind what opens it: `(` and `!`.
fn behind_brackets<'t>(text: &'t Text, place: &Place) -> Option<Expression<'t>> {
    let start = decided_at(text, place)?;
    let opening = text.source()[start as usize..].iter().take_while(|byte| b"(! \t\r\n".contains(byte)).count();
    let (line, column) = text.place(start + opening as u32);
    text.condition_at(line, column)
}

/// All of what is decided by an expression and others together, by `&&`, `||` and `!`.
fn whole(expression: Expression<'_>) -> Expression<'_> {
    std::iter::successors(Some(expression.parenthesized()), around).last().unwrap_or(expression)
}

fn around<'t>(inside: &Expression<'t>) -> Option<Expression<'t>> {
    inside.parent().filter(|parent| is_logic(*parent)).map(Expression::parenthesized)
}

fn is_logic(expression: Expression<'_>) -> bool {
    matches!(expression.operator(), "&&" | "||" | "!")
}

/// The operands of `&&` and `||` in the order of the text, without brackets and `!`.
fn gather<'t>(expression: Expression<'t>, operands: &mut Vec<Expression<'t>>) {
    let inside = expression.unparenthesized();
    match (inside.operator(), inside.left(), inside.right(), inside.operand()) {
        ("&&" | "||", Some(left), Some(right), _) => {
            gather(left, operands);
            gather(right, operands);
        }
        ("!", _, _, Some(operand)) => gather(operand, operands),
        _ => operands.push(inside),
    }
}
