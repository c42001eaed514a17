//! Expressions of the source, by the places of the code that was made of them.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::program::{Place, Program};
use crate::source::{Expression, Kind, SourceTree, Text};

/// Bytes of an expression that is told by its text, at most: a longer one hides the sentence around it.
const LONGEST: usize = 60;

/// Texts of the sources of a program, parsed as they are asked for.
pub struct Expressions<'a> {
    program: &'a Program,
    tree: SourceTree,
    texts: RefCell<HashMap<u32, Option<Rc<Text>>>>,
    /// Names of functions: what is called by another name is a macro.
    functions: HashSet<&'a str>,
}

impl<'a> Expressions<'a> {
    /// Those of a program; `called` are the names of functions that it calls and that are not its own.
    pub fn new(program: &'a Program, tree: SourceTree, called: impl Iterator<Item = &'a str>) -> Self {
        let own = program.functions.iter().map(|function| function.name.as_str());
        Expressions { program, tree, texts: RefCell::default(), functions: own.chain(called).collect() }
    }

    /// The binary expression whose operator stands at a place, as it is written.
    pub fn computed(&self, place: Place) -> Option<String> {
        let text = self.text(place.file)?;
        let found = text.operator_at(place.line, place.column)?;
        if found.kind() == Kind::Binary { self.told(found) } else { None }
    }

    /// The condition that the branch at a place decides by, as it is written but for `!` before it; nothing where a macro may be behind it, for that may
    /// say the opposite.
    pub fn condition(&self, place: Place) -> Option<String> {
        let text = self.text(place.file)?;
        // A branch stands where its condition begins, and what is behind `!` is decided upon.
        let start = text.offset(place.line, place.column)?;
        let before = text.source()[start as usize..].iter().take_while(|byte| b"(! \t".contains(byte)).count();
        let (line, column) = text.place(start + before as u32);
        let mut found = text.condition_at(line, column)?;
        while let Some(inner) = found.operand().filter(|_| found.operator() == "!") {
            found = inner.unparenthesized();
        }
        let is_macro = |part: Expression<'_>| match part.kind() {
            Kind::Call => part.callee().is_none_or(|callee| {
                callee.kind() == Kind::Identifier && !self.functions.contains(callee.source())
            }),
            Kind::Identifier => {
                part.place() == (line, column) && !part.source().contains(|one: char| one.is_ascii_lowercase())
            }
            _ => false,
        };
        if found.parts().any(is_macro) { None } else { self.told(found) }
    }

    fn told(&self, expression: Expression<'_>) -> Option<String> {
        let text = expression.source().split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty() && text.len() <= LONGEST && !text.contains('`')).then_some(text)
    }

    fn text(&self, file: u32) -> Option<Rc<Text>> {
        let mut texts = self.texts.borrow_mut();
        let parsed = || {
            let name = self.program.files.get(file as usize)?;
            Some(Rc::new(Text::parse(self.tree.bytes(name).ok()?)))
        };
        texts.entry(file).or_insert_with(parsed).clone()
    }
}
