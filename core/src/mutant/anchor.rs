//! Tying operations and nodes to what the source says at their places, and what is none of it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::donor::{self, Statements};
use super::exit::Consequence;
use super::junk::Junk;
use super::operator::Class;
use super::{beside, bound_guard, candidate, exit, insertion, null_guard, value_guard};
use crate::program::{Node, NodeKind, Operation, OperationKind, Place, Program};
use crate::source::{Definition, Expression, Kind, Literal, Macro, Rewrite, Text};
use crate::trial::Override;

/// How deep expressions are looked into.
pub(super) const DEPTH: u32 = 32;

/// A mutant without a name.
pub(super) struct Draft {
    pub class: Class,
    pub place: Place,
    pub function: u32,
    pub node: Option<u32>,
    pub overriding: Override,
    pub original: String,
    pub replacement: String,
    pub rewrite: Result<Rewrite, Junk>,
}

impl Draft {
    /// Mutants of one class at one place stay in the order in which they are made.
    pub(super) fn order(&self) -> (Place, Class, u32) {
        (self.place, self.class, self.function)
    }
}

/// The constants of an enumeration, and their values.
type Enumeration<'a> = Vec<(&'a str, i64)>;

/// A program with its texts.
pub(super) struct View<'a> {
    pub program: &'a Program,
    texts: &'a BTreeMap<u32, Text>,
    /// Macros that the texts define.
    macros: HashMap<&'a str, Macro>,
    /// What those with parameters expand to; nothing where that is not always the same.
    definitions: HashMap<String, Option<Definition>>,
    /// Constants of enumerations that they declare.
    enumerators: HashSet<&'a str>,
    /// The enumeration that a constant is of, with its values; nothing where that is not always the same.
    enumerations: HashMap<&'a str, Option<Rc<Enumeration<'a>>>>,
    returns: OnceCell<Returns<'a>>,
    statements: OnceCell<Statements<'a>>,
}

/// Constants that functions of a file and type return, with their values, the most usual first.
type Returns<'a> = HashMap<(u32, &'a str), Vec<(&'a str, i64)>>;

/// How often each constant is returned, by its text and value.
type Times<'a> = BTreeMap<(&'a str, i64), usize>;

/// A function, and what there is at each place of it.
pub(super) struct Body<'v, 'a> {
    pub view: &'v View<'a>,
    pub index: u32,
    at: HashMap<Place, Vec<u32>>,
    predicates_at: HashMap<Place, u32>,
    assignments: HashSet<Place>,
    consequences: OnceCell<Vec<Consequence<'a>>>,
}

impl<'a> View<'a> {
    pub(super) fn new(program: &'a Program, texts: &'a BTreeMap<u32, Text>) -> View<'a> {
        let mut macros = HashMap::new();
        for (name, one) in texts.values().flat_map(Text::macros) {
            let known: &mut Macro = macros.entry(name).or_insert(one);
            known.closed &= one.closed;
            known.literal = known.literal.filter(|literal| Some(*literal) == one.literal);
        }
        let enumerators = texts.values().flat_map(Text::enumerators).collect();
        let mut definitions = HashMap::new();
        for (name, one) in texts.values().flat_map(Text::definitions) {
            definitions.entry(name).and_modify(|known| *known = None).or_insert(one);
        }
        let mut enumerations: HashMap<&str, Option<Rc<Enumeration>>> = HashMap::new();
        for one in texts.values().flat_map(Text::enumerations).map(Rc::new) {
            for (name, _) in one.iter() {
                // The same text may have several names.
                let same = |known: &mut Option<Rc<Enumeration>>| *known = known.take().filter(|known| *known == one);
                enumerations.entry(name).and_modify(same).or_insert_with(|| Some(Rc::clone(&one)));
            }
        }
        let (returns, statements) = (OnceCell::new(), OnceCell::new());
        View { program, texts, macros, definitions, enumerators, enumerations, returns, statements }
    }

    pub(super) fn body(&self, index: u32) -> Body<'_, 'a> {
        let function = &self.program.functions[index as usize];
        let mut at: HashMap<Place, Vec<u32>> = HashMap::new();
        for operation in function.operations.clone() {
            at.entry(self.program.operations[operation as usize].place).or_default().push(operation);
        }
        let (mut predicates_at, mut assignments) = (HashMap::new(), HashSet::new());
        for node in &self.program.nodes[function.nodes.start as usize..function.nodes.end as usize] {
            if node.kind == NodeKind::Predicate {
                *predicates_at.entry(node.place).or_insert(0) += 1;
            }
            if node.kind == NodeKind::Assignment {
                assignments.insert(node.place);
            }
        }
        Body { view: self, index, at, predicates_at, assignments, consequences: OnceCell::new() }
    }

    /// Its texts, by the numbers of their files.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&'a u32, &'a Text)> + use<'a> {
        self.texts.iter()
    }

    /// The mutants of one function.
    pub(super) fn drafts(&self, index: u32) -> Vec<Draft> {
        let body = self.body(index);
        let function = &self.program.functions[index as usize];
        let mut drafts = Vec::new();
        for operation in function.operations.clone() {
            candidate::of_operation(&body, operation, &mut drafts);
        }
        for node in function.nodes.clone() {
            insertion::of_node(&body, node, &mut drafts);
        }
        beside::of_function(&body, &mut drafts);
        null_guard::of_function(&body, &mut drafts);
        value_guard::of_function(&body, &mut drafts);
        bound_guard::of_function(&body, &mut drafts);
        drafts
    }

    /// What functions return that is a constant.
    pub(super) fn returns(&self) -> &Returns<'a> {
        self.returns.get_or_init(|| {
            let mut times: BTreeMap<(u32, &str), Times> = BTreeMap::new();
            for (function, index) in self.program.functions.iter().zip(0..) {
                let nodes = &self.program.nodes[function.nodes.start as usize..function.nodes.end as usize];
                let body = self.body(index);
                for node in nodes.iter().filter(|node| node.kind == NodeKind::Return) {
                    let known = times.entry((node.place.file, &node.type_name)).or_default();
                    if let Some(constant) = beside::constant(&body, node) {
                        *known.entry(constant).or_default() += 1;
                    }
                }
            }
            let usual = |constants: Times<'a>| {
                let mut sorted: Vec<_> = constants.into_iter().collect();
                sorted.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
                sorted.into_iter().map(|(constant, _)| constant).collect()
            };
            times.into_iter().map(|(of, constants)| (of, usual(constants))).collect()
        })
    }

    /// The statements of all functions.
    pub(super) fn statements(&self) -> &Statements<'a> {
        self.statements.get_or_init(|| donor::statements(self))
    }

    /// Whether `name` is a macro for all that is known: one that a text defines, or one written like one.
    pub(super) fn is_macro(&self, name: &str) -> bool {
        let loud = |one: char| one.is_ascii_uppercase() || one.is_ascii_digit() || one == '_';
        let is_written_like_one = || name.len() > 1 && name.chars().all(loud) && !self.enumerators.contains(name);
        self.macros.contains_key(name) || is_written_like_one()
    }

    /// The constant of this value in the enumeration that `name` is of, where `name` has the value `own`.
    pub(super) fn enumerator(&self, name: &str, own: i64, value: i64) -> Option<&'a str> {
        let constants = self.enumerations.get(name)?.as_ref()?;
        let has = |name: &str, value: i64| constants.contains(&(name, value));
        let found = constants.iter().find(|(_, of)| *of == value).filter(|_| has(name, own));
        found.map(|(name, _)| *name)
    }

    /// Whether evaluating an expression has no effect, for all that the text says.
    pub(super) fn is_pure(&self, value: Expression, depth: u32) -> bool {
        let value = value.unparenthesized();
        let pure = |part: Option<Expression>| part.is_some_and(|part| self.is_pure(part, depth + 1));
        if depth > DEPTH {
            return false;
        }
        match value.kind() {
            Kind::Number | Kind::Character | Kind::Named | Kind::String => true,
            Kind::Identifier => !self.is_macro(value.source()) || self.literal(value.source()).is_some(),
            Kind::Binary => pure(value.left()) && pure(value.right()),
            Kind::Unary | Kind::Pointer | Kind::Cast | Kind::Field => pure(value.operand()),
            Kind::Subscript => pure(value.operand()) && pure(value.subscript()),
            Kind::Prefixed => value.source().starts_with("sizeof"),
            Kind::Conditional => value.choice().is_some_and(|(condition, left, right)| {
                pure(Some(condition)) && left.is_none_or(|left| pure(Some(left))) && pure(Some(right))
            }),
            _ => false,
        }
    }

    /// What a macro with parameters expands to, if that is known and always the same.
    pub(super) fn definition(&self, name: &str) -> Option<&Definition> {
        self.definitions.get(name)?.as_ref()
    }

    /// The literal that a macro is.
    pub(super) fn literal(&self, name: &str) -> Option<Literal> {
        self.macros.get(name)?.literal
    }

    /// Whether an operand may fall apart when its macros are expanded: `a + b` without parentheses.
    fn may_fall_apart(&self, operand: Expression) -> bool {
        let name = match operand.kind() {
            Kind::Identifier => operand,
            Kind::Call => match operand.callee() {
                Some(callee) => callee,
                None => return false,
            },
            _ => return false,
        };
        self.macros.get(name.source()).is_some_and(|one| !one.closed)
    }
}

impl<'v, 'a> Body<'v, 'a> {
    /// The text that a place is in, if the file is the project's.
    pub(super) fn text(&self, place: Place) -> Result<&'a Text, Junk> {
        let name = self.view.program.files.get(place.file as usize).ok_or(Junk::NoText)?;
        if name.starts_with('/') || name.starts_with("..") {
            return Err(Junk::Outside);
        }
        if place.column == 0 {
            return Err(Junk::Made);
        }
        self.view.texts.get(&place.file).ok_or(Junk::NoText)
    }

    /// What its `if`s guard that ends in a jump.
    pub(super) fn consequences(&self) -> &[Consequence<'a>] {
        self.consequences.get_or_init(|| exit::consequences(self))
    }

    pub(super) fn operations_at(&self, place: Place) -> impl Iterator<Item = (u32, &'a Operation)> + '_ {
        let program: &'a Program = self.view.program;
        self.at.get(&place).into_iter().flatten().map(move |index| (*index, &program.operations[*index as usize]))
    }

    /// Whether the value of a node is a constant.
    pub(super) fn is_constant(&self, node: &Node) -> bool {
        let is_whole = |operation: &Operation| {
            let own = operation.node.and_then(|index| self.view.program.nodes.get(index as usize));
            matches!(operation.kind, OperationKind::Whole { .. }) && own.is_some_and(|own| own.value == node.value)
        };
        self.operations_at(node.place).any(|(_, operation)| is_whole(operation))
    }

    /// Whether something is assigned at a place.
    pub(super) fn assigns_at(&self, place: Place) -> bool {
        self.assignments.contains(&place)
    }

    pub(super) fn predicates_at(&self, place: Place) -> u32 {
        self.predicates_at.get(&place).copied().unwrap_or(0)
    }

    /// Why nothing of what is asked for stands at a place.
    pub(super) fn nothing(&self, text: &Text, place: Place) -> Junk {
        match text.name_at(place.line, place.column) {
            Some(name) if self.view.is_macro(name.source()) => Junk::Macro,
            Some(name)
                if name.parent().is_some_and(|call| call.kind() == Kind::Call && call.callee() == Some(name)) =>
            {
                Junk::Macro
            }
            _ => Junk::Made,
        }
    }

    /// The operator written at an operation's place, if that is the only one there and `matches`.
    pub(super) fn written(&self, place: Place, matches: impl Fn(Expression) -> bool) -> Result<Expression<'a>, Junk> {
        let text = self.text(place)?;
        let found = text.operator_at(place.line, place.column).filter(|found| matches(*found));
        let found = found.ok_or_else(|| self.nothing(text, place))?;
        let is_operator = |operation: &Operation| {
            use OperationKind::*;
            matches!(operation.kind, Binary { .. } | Step { .. } | Logical { .. } | Assign { .. } | Unary { .. })
        };
        if self.operations_at(place).filter(|(_, one)| is_operator(one)).count() > 1 {
            return Err(Junk::Several);
        }
        let operands = [found.left(), found.right(), found.operand()];
        if operands.into_iter().flatten().any(|operand| self.view.may_fall_apart(operand)) {
            return Err(Junk::Macro);
        }
        Ok(found)
    }
}
