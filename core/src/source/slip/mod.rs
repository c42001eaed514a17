//! Slips: mistakes as programmers make them, as edits of the source, none of which a code mutant takes back.
//!
//! Benchmarks of methods that try mutants need faults whose repair is not among these. Most slips leave something out (a condition, a
//! statement, a term), so that the repair is an insertion; the others change what no operator of mutation changes: the order
//! of arguments or statements, the function called, the member meant, a type. Where an operator would come upon the original (a constant
//! that is one off, `a < b` for `b < a`) there is no slip. Edits are made of the text alone, so a few do not compile and many change nothing
//! that can be seen: whoever asks for them builds and runs them.

mod expression;
mod names;
mod statement;
#[cfg(test)]
mod tests;

use tree_sitter::{Node, Parser};

use super::edit::Edit;
use super::kind::language;
use super::text::{Span, Text};

pub use names::Names;

/// A kind of slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlipClass {
    /// `a && b` becomes `a` or `b`.
    Conjunct,
    /// `a || b` becomes `a` or `b`.
    Disjunct,
    /// A whole `if` is missing.
    If,
    /// What stands under an `if` happens always.
    Guard,
    /// An `else` with all that belongs to it is missing.
    Else,
    /// `else if` becomes `if`.
    Chain,
    /// An assignment or a call is missing.
    Statement,
    /// A `return`, `break`, `continue` or `goto` is missing.
    Jump,
    /// One of several labels of a `switch` is missing.
    Case,
    /// `while` becomes `if`.
    Once,
    /// The last statement of a body stands behind it.
    Scope,
    /// Two neighbouring statements have changed places.
    Order,
    /// `a += b` becomes `a = b`.
    Overwrite,
    /// `a = b` becomes `a += b`.
    Accumulate,
    /// `a = f()` becomes `f()`.
    Ignored,
    /// A variable begins as 0 instead of a value.
    Initial,
    /// A number is off by 2 to 10, or has its digits in another order.
    Constant,
    /// A string has another character.
    Text,
    /// Two arguments of a call have changed places.
    Arguments,
    /// The operands of an operator that is not symmetric have changed places.
    Operands,
    /// Another function of the same parameters and result is called.
    Callee,
    /// Another member of the same type is meant.
    Member,
    /// An operand of a sum, a product or a mask is missing.
    Term,
    /// An element's index lacks its `+ 1` or `- 1`.
    Index,
    /// `a++` becomes `a` within a larger expression.
    Step,
    /// `a++` becomes `++a` within a larger expression, or the other way round.
    Timing,
    /// Parentheses that matter are missing.
    Grouping,
    /// A conversion is missing.
    Cast,
    /// A variable's type has other signs or fewer bits.
    Type,
}

/// How a slip shows in the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// In those of its edit.
    Changed,
    /// In those before and after it.
    Omitted,
    /// In those that use what it declares.
    Used,
}

impl SlipClass {
    /// All of them.
    pub const ALL: [SlipClass; 29] = {
        use SlipClass::*;
        [
            Conjunct, Disjunct, If, Guard, Else, Chain, Statement, Jump, Case, Once, Scope, Order, Overwrite,
            Accumulate, Ignored, Initial, Constant, Text, Arguments, Operands, Callee, Member, Term, Index, Step,
            Timing, Grouping, Cast, Type,
        ]
    };

    /// Its name on command lines and in results.
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// What is wrong, as a phrase.
    pub const fn meaning(self) -> &'static str {
        self.words().1
    }

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            SlipClass::Conjunct => ("conjunct", "a part of a condition is missing"),
            SlipClass::Disjunct => ("disjunct", "an alternative of a condition is missing"),
            SlipClass::If => ("if", "a whole `if` is missing"),
            SlipClass::Guard => ("guard", "a condition is missing before what happens"),
            SlipClass::Else => ("else", "an `else` is missing"),
            SlipClass::Chain => ("chain", "`if` stands for `else if`"),
            SlipClass::Statement => ("statement", "a statement is missing"),
            SlipClass::Jump => ("jump", "a jump is missing"),
            SlipClass::Case => ("case", "a label of a `switch` is missing"),
            SlipClass::Once => ("once", "`if` stands for `while`"),
            SlipClass::Scope => ("scope", "a statement stands behind the body it belongs to"),
            SlipClass::Order => ("order", "two statements have changed places"),
            SlipClass::Overwrite => ("overwrite", "a variable is set instead of updated"),
            SlipClass::Accumulate => ("accumulate", "a variable is added to instead of set"),
            SlipClass::Ignored => ("ignored", "a result is ignored"),
            SlipClass::Initial => ("initial", "a variable begins with the wrong value"),
            SlipClass::Constant => ("constant", "a number is wrong"),
            SlipClass::Text => ("text", "a string is wrong"),
            SlipClass::Arguments => ("arguments", "two arguments have changed places"),
            SlipClass::Operands => ("operands", "two operands have changed places"),
            SlipClass::Callee => ("callee", "the wrong function is called"),
            SlipClass::Member => ("member", "the wrong member is meant"),
            SlipClass::Term => ("term", "an operand is missing"),
            SlipClass::Index => ("index", "an index is one off"),
            SlipClass::Step => ("step", "a step is missing"),
            SlipClass::Timing => ("timing", "a step comes too early or too late"),
            SlipClass::Grouping => ("grouping", "parentheses are missing"),
            SlipClass::Cast => ("cast", "a conversion is missing"),
            SlipClass::Type => ("type", "a variable has the wrong type"),
        }
    }

    /// The class of this name.
    pub fn named(name: &str) -> Option<SlipClass> {
        SlipClass::ALL.into_iter().find(|class| class.name() == name)
    }

    /// How it shows in the lines.
    pub const fn shows(self) -> Shows {
        use SlipClass::*;
        match self {
            If | Guard | Else | Statement | Jump | Case => Shows::Omitted,
            Type => Shows::Used,
            _ => Shows::Changed,
        }
    }
}

/// A mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    /// What kind of mistake.
    pub class: SlipClass,
    /// The edit that makes it.
    pub edit: Edit,
    /// The function that it is in.
    pub function: String,
    /// First and last line of this function, without the slip.
    pub lines: (u32, u32),
    /// Further lines, without the slip, on which it shows.
    pub also: Vec<u32>,
}

impl Slip {
    /// The change in one line, blanks alike.
    pub fn change(&self) -> String {
        let plain = |text: &str| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            match text.char_indices().nth(LONGEST) {
                Some((at, _)) => format!("{}...", &text[..at]),
                None => text,
            }
        };
        format!("`{}` -> `{}`", plain(&self.edit.original), plain(&self.edit.replacement))
    }
}

/// Characters of a text that are shown.
const LONGEST: usize = 60;

/// All slips in the functions of `text`, the file `file`, in the order of the text. `names` are those of all texts of the program.
pub fn slips(text: &Text, file: &str, names: &Names) -> Vec<Slip> {
    let mut found = Vec::new();
    with_tree(text, |root| {
        for function in below(root).filter(|node| node.kind() == "function_definition") {
            let Some(body) = function.child_by_field_name("body") else { continue };
            let mut maker = Maker { text, file, names, function, found: &mut found };
            for node in below(body) {
                if maker.is_sound(node) {
                    maker.of_statement(node);
                    maker.of_expression(node);
                }
            }
        }
    });
    found.sort_by_key(|slip: &Slip| (slip.edit.line, slip.edit.column, slip.class));
    found.dedup();
    found
}

/// Whether the parser finds as many flaws with the slip as without.
pub fn parses(text: &Text, slip: &Slip) -> bool {
    let Some(new) = super::apply(text.source(), [&slip.edit]) else { return false };
    flaws(&new) <= flaws(text.source())
}

fn flaws(source: &[u8]) -> usize {
    let text = Text::parse(source);
    with_tree(&text, |root| below(root).filter(|node| node.is_error() || node.is_missing()).count())
        .unwrap_or(usize::MAX)
}

/// What `look` makes of the root of the tree; `None` without a tree.
fn with_tree<T>(text: &Text, look: impl FnOnce(Node) -> T) -> Option<T> {
    let mut parser = Parser::new();
    // The versions of grammar and parser are tested to fit.
    parser.set_language(&language()).ok()?;
    let tree = parser.parse(text.source(), None)?;
    Some(look(tree.root_node()))
}

/// A node and all below it that have names, a node before its children.
fn below<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut waiting = vec![node];
    std::iter::from_fn(move || {
        let node = waiting.pop()?;
        let count = node.named_child_count() as u32;
        waiting.extend((0..count).rev().filter_map(|at| node.named_child(at as _)));
        Some(node)
    })
}

/// Makes the slips of a function.
struct Maker<'m, 't> {
    text: &'m Text,
    file: &'m str,
    names: &'m Names,
    function: Node<'t>,
    found: &'m mut Vec<Slip>,
}

impl<'t> Maker<'_, 't> {
    /// Whether the tree can be believed at a node, and no directive lies in it.
    fn is_sound(&self, node: Node) -> bool {
        let source = self.source(node);
        !node.has_error() && !source.contains("\n#") && !node.is_missing()
    }

    fn source(&self, node: Node) -> &str {
        self.text.slice(span(node)).unwrap_or_default()
    }

    fn between(&self, start: usize, end: usize) -> &str {
        self.text.slice(Span { start: start as u32, end: end as u32 }).unwrap_or_default()
    }

    /// A slip that puts `replacement` in place of a node.
    fn push(&mut self, class: SlipClass, node: Node, replacement: impl Into<String>) {
        self.push_span(class, node.start_byte(), node.end_byte(), replacement, Vec::new());
    }

    fn push_span(
        &mut self,
        class: SlipClass,
        start: usize,
        end: usize,
        replacement: impl Into<String>,
        also: Vec<u32>,
    ) {
        let replacement = replacement.into();
        let span = Span { start: start as u32, end: end as u32 };
        let Some(edit) = Edit::new(self.text, self.file, span, replacement) else { return };
        if edit.original.trim() == edit.replacement.trim() || edit.original.contains("\n#") {
            return;
        }
        let declarator = self.function.child_by_field_name("declarator");
        let name = declarator.and_then(names::declared).map(|name| self.source(name).to_owned()).unwrap_or_default();
        let lines = (line(self.function.start_position().row), line(self.function.end_position().row));
        self.found.push(Slip { class, edit, function: name, lines, also });
    }

    /// A number that is always the same for a node of this text, and as good as any.
    fn lot(&self, node: Node) -> u64 {
        let place = suspect_format::trace::hash_bytes(suspect_format::trace::HASH_START, self.source(node).as_bytes());
        suspect_format::trace::hash_bytes(place, &(node.start_byte() as u64).to_le_bytes())
    }
}

fn span(node: Node) -> Span {
    Span { start: node.start_byte() as u32, end: node.end_byte() as u32 }
}

/// The line, from 1, of a row, from 0.
fn line(row: usize) -> u32 {
    row as u32 + 1
}

/// The children of a node that have names, comments left out.
fn parts(node: Node) -> Vec<Node> {
    let count = node.named_child_count() as u32;
    (0..count).filter_map(|at| node.named_child(at as _)).filter(|child| child.kind() != "comment").collect()
}

/// The node within its parentheses.
fn bare(node: Node) -> Node {
    let mut here = node;
    while here.kind() == "parenthesized_expression" {
        let inside = parts(here);
        let [inner] = inside[..] else { break };
        here = inner;
    }
    here
}
