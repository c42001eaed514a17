//! Expressions of the program as terms: operations on constants and on values that are not looked into.

use std::collections::{HashMap, HashSet};

use super::anchor::Body;
use super::form::Form;
use super::insertion;
use crate::program::{Node, NodeKind, OperationKind, Operator, Signedness};
use crate::source::{Expression, Kind, Span};
use crate::trial::{Change, Override, Site};

/// A type of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    pub width: u32,
    pub is_float: bool,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    /// One that comes from elsewhere: the parameter of this number.
    Parameter(u32),
    /// These bits.
    Constant(u64),
    /// What an operation comes to.
    Apply(Box<Apply>),
}

/// An operation on two values of `kind`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Apply {
    /// Where mutants of it take hold.
    pub site: Site,
    pub operator: Operator,
    pub kind: Machine,
    pub left: Term,
    pub right: Term,
}

/// How a term's value becomes its node's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conversion {
    Same,
    Truncate,
    SignExtend,
    ZeroExtend,
    /// Whether it is not 0.
    Test,
}

/// A whole expression: a term, and the node that takes its value, if one does.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    pub term: Term,
    pub kind: Machine,
    pub parameters: Vec<Machine>,
    /// The node's site, its type, and how it gets its value.
    pub node: Option<(Site, Machine, Conversion)>,
}

/// What is known of an operator that the source writes.
#[derive(Clone, Copy)]
struct Known {
    index: u32,
    operator: Operator,
    kind: Machine,
    signedness: Signedness,
    left: Option<u64>,
    right: Option<u64>,
}

/// Operators that are compared as one, at the least, before what is around them takes their value for one that it does not look into. Each
/// mutant is compiled with all operators around it, so without a bound the work grows as the square of an expression's length. People's own
/// expressions have fewer.
const ENOUGH: usize = 12;

/// The expressions of a function that mutants of several kinds can be compared in, long ones in parts.
pub(super) fn wholes(body: &Body) -> Vec<Whole> {
    let mut finder = Finder { body, known: HashMap::new(), nodes: HashMap::new(), parts: HashSet::new() };
    let roots = finder.operators();
    finder.nodes();
    let mut found: Vec<Whole> = roots.into_iter().filter_map(|(file, root)| finder.whole(file, root)).collect();
    found.extend(finder.constants());
    found.extend(finder.steps());
    found
}

struct Finder<'b, 'v, 'a> {
    body: &'b Body<'v, 'a>,
    /// Operators by where their expressions stand.
    known: HashMap<(u32, Span), Known>,
    /// Nodes by where the expressions stand whose values they take.
    nodes: HashMap<(u32, Span), u32>,
    /// Operands that are expressions of their own, because they are long.
    parts: HashSet<(u32, Span)>,
}

impl<'a> Finder<'_, '_, 'a> {
    /// Fills in the table of operators; those that are no operand of another one, or one that is a part by itself.
    fn operators(&mut self) -> Vec<(u32, Expression<'a>)> {
        let program = self.body.view.program;
        let mut expressions = Vec::new();
        for index in program.functions[self.body.index as usize].operations.clone() {
            let operation = &program.operations[index as usize];
            let OperationKind::Binary { operator, width, signedness, left, right } = operation.kind else { continue };
            let matches = |found: Expression| found.computes() == Some(operator.token());
            let Ok(found) = self.body.written(operation.place, matches) else { continue };
            let kind = Machine { width: u32::from(width), is_float: operator.is_float() };
            let known = Known { index, operator, kind, signedness, left, right };
            self.known.insert((operation.place.file, found.span()), known);
            expressions.push((operation.place.file, found));
        }
        self.divide(&expressions);
        expressions
            .retain(|(file, found)| self.parts.contains(&(*file, found.span())) || !self.is_operand(*file, *found));
        expressions
    }

    /// Fills in the operands that are parts by themselves: from the innermost outwards, each that has enough operators.
    fn divide(&mut self, expressions: &[(u32, Expression<'a>)]) {
        let mut inner_first: Vec<&(u32, Expression<'a>)> = expressions.iter().collect();
        inner_first.sort_by_key(|(_, found)| found.span().end - found.span().start);
        let mut sizes: HashMap<(u32, Span), usize> = HashMap::new();
        for (file, found) in inner_first {
            let size = 1 + sizes.remove(&(*file, found.span())).unwrap_or(0);
            if !self.is_operand(*file, *found) {
                continue;
            }
            match outer(*found) {
                Some(outer) if size < ENOUGH => *sizes.entry((*file, outer.span())).or_default() += size,
                _ => _ = self.parts.insert((*file, found.span())),
            }
        }
    }

    /// Whether an operator's value is an operand that its parent's term goes into.
    fn is_operand(&self, file: u32, found: Expression) -> bool {
        let Some(parent) = outer(found) else { return false };
        let (inner, outer) = (self.known.get(&(file, found.span())), self.known.get(&(file, parent.span())));
        let is_left_of_assignment =
            parent.kind() == Kind::Assignment && parent.right().is_none_or(|right| right.unparenthesized() != found);
        inner.zip(outer).is_some_and(|(inner, outer)| fits(inner, outer)) && !is_left_of_assignment
    }

    fn nodes(&mut self) {
        let program = self.body.view.program;
        for index in program.functions[self.body.index as usize].nodes.clone() {
            let node = &program.nodes[index as usize];
            let Ok(value) = insertion::value_of(self.body, node) else { continue };
            let mut value = value.unparenthesized();
            // Negated or not, what is decided on is the same.
            while node.kind == NodeKind::Predicate && value.kind() == Kind::Unary && value.operator() == "!" {
                let Some(operand) = value.operand() else { break };
                value = operand.unparenthesized();
            }
            self.nodes.insert((node.place.file, value.span()), index);
        }
    }

    fn whole(&self, file: u32, root: Expression<'a>) -> Option<Whole> {
        let known = self.known.get(&(file, root.span()))?;
        let mut parameters = Vec::new();
        let term = self.term(file, root, known, &mut parameters);
        let kind = result(known);
        let node = self.nodes.get(&(file, root.span())).and_then(|index| self.link(*index, known));
        Some(Whole { term, kind, parameters, node })
    }

    fn link(&self, index: u32, known: &Known) -> Option<(Site, Machine, Conversion)> {
        let node = &self.body.view.program.nodes[index as usize];
        let (to, conversion) = conversion(node, result(known), known.signedness)?;
        Some((Site::Node(index), to, conversion))
    }

    fn term(&self, file: u32, found: Expression<'a>, known: &Known, parameters: &mut Vec<Machine>) -> Term {
        let mut side = |constant: Option<u64>, operand: Option<Expression<'a>>| match constant {
            Some(bits) => Term::Constant(bits),
            None => {
                let inner = operand.map(Expression::unparenthesized);
                let inner = inner.filter(|inner| !self.parts.contains(&(file, inner.span())));
                let deeper = inner.and_then(|inner| Some((inner, self.known.get(&(file, inner.span()))?)));
                match deeper.filter(|(inner, of)| inner.kind() == Kind::Binary && fits(of, known)) {
                    Some((inner, of)) => self.term(file, inner, of, parameters),
                    None => {
                        parameters.push(known.kind);
                        Term::Parameter(parameters.len() as u32 - 1)
                    }
                }
            }
        };
        // What `+=` changes is a value of its own.
        let is_update = found.kind() == Kind::Assignment;
        let left = side(known.left, if is_update { None } else { found.left() });
        let right = side(known.right, found.right());
        let site = Site::Operation(known.index);
        Term::Apply(Box::new(Apply { site, operator: known.operator, kind: known.kind, left, right }))
    }

    /// Nodes that take a constant.
    fn constants(&self) -> Vec<Whole> {
        let program = self.body.view.program;
        let operations = program.functions[self.body.index as usize].operations.clone();
        let whole = |index: u32| {
            let operation = &program.operations[index as usize];
            let OperationKind::Whole { value } = operation.kind else { return None };
            let index = operation.node?;
            let kind = machine(Form::of(&program.nodes[index as usize]))?;
            let site = Some((Site::Node(index), kind, Conversion::Same));
            Some(Whole { term: Term::Constant(value), kind, parameters: Vec::new(), node: site })
        };
        operations.filter_map(whole).collect()
    }

    /// Steps of a constant number of elements, which their sign and another number may make the same.
    fn steps(&self) -> Vec<Whole> {
        let program = self.body.view.program;
        let operations = program.functions[self.body.index as usize].operations.clone();
        let whole = |index: u32| match program.operations[index as usize].kind {
            OperationKind::Step { backwards, constant: Some(constant) } => {
                let kind = Machine { width: 64, is_float: false };
                let term = Term::Constant(if backwards { constant.wrapping_neg() } else { constant });
                let site = Some((Site::Operation(index), kind, Conversion::Same));
                Some(Whole { term, kind, parameters: Vec::new(), node: site })
            }
            _ => None,
        };
        operations.filter_map(whole).collect()
    }
}

/// The expression that `found` is an operand of, parentheses aside.
fn outer(found: Expression) -> Option<Expression> {
    let mut here = found.parent()?;
    while here.kind() == Kind::Parenthesized {
        here = here.parent()?;
    }
    Some(here)
}

fn result(known: &Known) -> Machine {
    if known.operator.is_comparison() { Machine { width: 1, is_float: false } } else { known.kind }
}

/// Whether an operator's result is an operand of the outer one without a conversion that could mean two things: a
/// comparison's 0 or 1 is the same number in every type.
fn fits(inner: &Known, outer: &Known) -> bool {
    if inner.operator.is_comparison() {
        !outer.kind.is_float && outer.kind.width >= 32
    } else {
        inner.kind == outer.kind
    }
}

fn machine(form: Form) -> Option<Machine> {
    match form {
        Form::Truth => Some(Machine { width: 1, is_float: false }),
        Form::Integer { width, .. } => Some(Machine { width, is_float: false }),
        Form::Float { width } => Some(Machine { width, is_float: true }),
        Form::Text | Form::Observed => None,
    }
}

/// The type of a node's value, and how a value of type `from` becomes it; `None` where that cannot be told.
fn conversion(node: &Node, from: Machine, signedness: Signedness) -> Option<(Machine, Conversion)> {
    let to = machine(Form::of(node))?;
    let conversion = match (from.is_float, to.is_float) {
        _ if from == to => Conversion::Same,
        (false, false) if to.width == 1 => Conversion::Test,
        (false, false) if from.width == 1 => Conversion::ZeroExtend,
        (false, false) if to.width < from.width => Conversion::Truncate,
        (false, false) if signedness == Signedness::Signed => Conversion::SignExtend,
        (false, false) if signedness == Signedness::Unsigned => Conversion::ZeroExtend,
        _ => return None,
    };
    Some((to, conversion))
}

/// What happens at a site.
pub(super) fn change_at(overrides: &[Override], site: Site) -> Option<&Change> {
    overrides.iter().find(|one| one.site == site).map(|one| &one.change)
}
