//! Mutants as the trial file has them: sites and gates by number, changes by what they need to know of their sites.

use std::ops::Range;

use suspect_format::abi::Mode;
use suspect_format::trial as layout;

use super::file::{MOST_OVERRIDES, TEXT_ROOM};
use super::{Change, Mutant, Oracle, Override, Site};
use crate::program::{OperationKind, Operator, Program, ValueClass};

/// What a module has besides nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModuleSites {
    pub first_operation: u32,
    pub n_operations: u32,
    pub first_gate: u32,
    pub n_gates: u32,
}

/// The sites of a test's modules and what overrides need to know of them.
#[derive(Debug)]
pub(super) struct Sites {
    nodes: Vec<Form>,
    /// In the order of their sites.
    operations: Vec<Form>,
    modules: Vec<ModuleSites>,
    units: Vec<UnitSites>,
    mode: Mode,
}

/// A unit in a module.
#[derive(Clone, Debug)]
struct UnitSites {
    functions: Range<u32>,
    operations: Range<u32>,
    first_gate: u32,
    first_operation: u32,
}

/// What an override needs to know of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    function: u32,
    width: u8,
    /// The value is a floating-point number.
    is_float: bool,
    operator: u8,
    takes: Takes,
}

/// Which changes have a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    /// It is observed, never overridden.
    Nothing,
    /// It becomes null.
    Address,
    /// Those of characters, and null.
    Text,
    /// Those of a number.
    Number,
    /// Those of a number, and operands.
    Operands,
    /// Choices.
    Choice,
    /// Choices, and what is added to a variable.
    Variable,
}

impl Takes {
    fn allows(self, change: &Change) -> bool {
        match change {
            Change::Text(_) => self == Takes::Text,
            Change::Set(0) if matches!(self, Takes::Address | Takes::Text) => true,
            Change::Set(_) | Change::Add(_) | Change::Negate | Change::Flip | Change::Complement => {
                matches!(self, Takes::Number | Takes::Operands)
            }
            Change::Operator(_) | Change::Left(_) | Change::Right(_) => self == Takes::Operands,
            Change::Choose(_) => matches!(self, Takes::Choice | Takes::Variable),
            Change::StepBefore(_) | Change::StepAfter(_) => self == Takes::Variable,
            Change::Exchange(..) => self == Takes::Number,
            Change::Instead(..) => matches!(self, Takes::Number | Takes::Operands),
        }
    }
}

impl Form {
    fn of_node(node: u32, program: &Program) -> Form {
        let node = &program.nodes[node as usize];
        let takes = match node.class {
            ValueClass::Pointer | ValueClass::FunctionPointer => Takes::Address,
            ValueClass::String => Takes::Text,
            _ => Takes::Number,
        };
        Form {
            function: node.function,
            width: node.width.clamp(1, 64) as u8,
            is_float: node.class == ValueClass::Float,
            operator: 0,
            takes,
        }
    }

    fn of_operation(function: u32, kind: OperationKind) -> Form {
        let form = |width, is_float, operator, takes| Form { function, width, is_float, operator, takes };
        match kind {
            OperationKind::Binary { operator, width, .. } => {
                let is_float = operator.is_float() && !operator.is_comparison();
                form(width, is_float, operator as u8, Takes::Operands)
            }
            OperationKind::Step { .. } | OperationKind::Member { .. } => form(64, false, 0, Takes::Operands),
            OperationKind::Argument { width, is_float, .. } | OperationKind::Unary { width, is_float } => {
                form(width, is_float, 0, Takes::Operands)
            }
            OperationKind::Subscript { width, .. } | OperationKind::Passed { width, .. } => {
                form(width, false, 0, Takes::Operands)
            }
            OperationKind::Read { width, .. } => form(width, false, 0, Takes::Variable),
            OperationKind::Called { .. } => form(0, false, 0, Takes::Choice),
            OperationKind::Logical { .. } | OperationKind::Statement { .. } | OperationKind::If => {
                form(64, false, 0, Takes::Choice)
            }
            OperationKind::Assign { width, is_float, .. } => {
                form(width, is_float, Operator::Second as u8, Takes::Operands)
            }
            OperationKind::Pointer | OperationKind::Number { .. } | OperationKind::Bounded { .. } => {
                form(64, false, Operator::And as u8, Takes::Operands)
            }
            OperationKind::Whole { .. } | OperationKind::Consequence { .. } | OperationKind::Donor { .. } => {
                form(64, false, 0, Takes::Nothing)
            }
        }
    }
}

impl Sites {
    /// Of a test's modules. Sites are nodes by their positions, and then the operations of module after module.
    pub(super) fn of(oracle: &Oracle, program: &Program) -> Sites {
        let n_nodes = oracle.nodes().len() as u32;
        let (mut next_operation, mut next_gate) = (n_nodes, 0);
        let (mut modules, mut units) = (Vec::new(), Vec::new());
        let mut operations = Vec::new();
        for module in &oracle.modules {
            let (first_operation, first_gate) = (next_operation, next_gate);
            for unit in module.units.iter().map(|unit| &program.units[*unit as usize]) {
                units.push(UnitSites {
                    functions: unit.functions.clone(),
                    operations: unit.operations.clone(),
                    first_gate: next_gate,
                    first_operation: next_operation,
                });
                next_operation += unit.operations.len() as u32;
                if unit.modes & 1 << Mode::Mutants as u32 != 0 {
                    next_gate += unit.functions.len() as u32;
                }
                for function in unit.functions.clone() {
                    let of = program.functions[function as usize].operations.clone();
                    let form = |operation| Form::of_operation(function, program.operations[operation as usize].kind);
                    operations.extend(of.map(form));
                }
            }
            modules.push(ModuleSites {
                first_operation,
                n_operations: next_operation - first_operation,
                first_gate,
                n_gates: next_gate - first_gate,
            });
        }
        let nodes = oracle.nodes().iter().map(|node| Form::of_node(*node, program)).collect();
        let mut all = oracle.modules.iter().flat_map(|module| &module.units);
        let has_mutants = all.all(|unit| program.units[*unit as usize].modes & 1 << Mode::Mutants as u32 != 0);
        let mode = if !oracle.compared && has_mutants { Mode::Mutants } else { Mode::Trace };
        Sites { nodes, operations, modules, units, mode }
    }

    /// The mode that trials run in.
    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// What module number `index` of the oracle has.
    pub(super) fn module(&self, index: usize) -> ModuleSites {
        self.modules[index]
    }

    /// Operations of all modules.
    pub(super) fn n_operations(&self) -> usize {
        self.operations.len()
    }

    /// Gates of all modules.
    pub(super) fn n_gates(&self) -> u32 {
        self.modules.last().map_or(0, |module| module.first_gate + module.n_gates)
    }

    /// The function that has a gate.
    pub(super) fn function_of_gate(&self, gate: u32) -> Option<u32> {
        let of = |unit: &UnitSites| {
            let index = gate.checked_sub(unit.first_gate).filter(|index| (*index as usize) < unit.functions.len())?;
            Some(unit.functions.start + index)
        };
        self.units.iter().find_map(of)
    }

    /// The gates of a function: one in each module that has it.
    fn gates(&self, function: u32) -> impl Iterator<Item = u32> {
        let units = self.units.iter().filter(move |unit| unit.functions.contains(&function));
        units.map(move |unit| unit.first_gate + function - unit.functions.start)
    }

    /// An override in each place where its site is; none where it has no meaning.
    fn places(&self, one: &Override, oracle: &Oracle) -> Vec<(u32, u32, Form)> {
        match one.site {
            Site::Node(node) => {
                let Some(position) = oracle.position(node) else { return Vec::new() };
                let form = self.nodes[position];
                // One site, whichever module takes the value.
                self.gates(form.function).map(|gate| (position as u32, gate, form)).collect()
            }
            Site::Operation(operation) => {
                let units = self.units.iter().filter(|unit| unit.operations.contains(&operation));
                let place = |unit: &UnitSites| {
                    let site = unit.first_operation + operation - unit.operations.start;
                    let form = self.operations[site as usize - self.nodes.len()];
                    (site, unit.first_gate + form.function - unit.functions.start, form)
                };
                units.map(place).collect()
            }
        }
    }
}

/// A mutant as the file has it.
#[derive(Clone, Debug)]
pub(super) struct Encoded {
    overrides: Vec<(layout::Override, Box<[u8]>)>,
}

impl Encoded {
    /// `None` when no override has a meaning on this test: the oracle does not observe the node or have the operation, or the change is
    /// none of those of its kind.
    pub(super) fn of(mutant: &Mutant, oracle: &Oracle, sites: &Sites) -> Option<Encoded> {
        let mut overrides = Vec::new();
        for one in &mutant.overrides {
            let mut sites_before = None;
            for (site, gate, form) in sites.places(one, oracle) {
                let Some(mut encoded) = encode(one, form) else { continue };
                (encoded.0.site, encoded.0.gate) = (site, gate);
                if sites_before.replace(site) == Some(site) {
                    // The node's function in another module: opens its gate, and the first one changes the value.
                    encoded =
                        (layout::Override { change: NOTHING, operand: 0, length: 0, ..encoded.0 }, Box::default());
                }
                overrides.push(encoded);
            }
        }
        let fits = !overrides.is_empty() && overrides.len() <= MOST_OVERRIDES;
        let encoded = Encoded { overrides };
        (fits && encoded.text_len() <= TEXT_ROOM).then_some(encoded)
    }

    /// The first of its sites.
    pub(super) fn site(&self) -> u32 {
        self.overrides.iter().map(|(one, _)| one.site).min().unwrap_or(0)
    }

    /// Overrides in the file.
    pub(super) fn order(&self) -> usize {
        self.overrides.len()
    }

    /// The overrides and their characters.
    pub(super) fn overrides(&self) -> impl Iterator<Item = (&layout::Override, &[u8])> {
        self.overrides.iter().map(|(one, text)| (one, &**text))
    }

    /// Bytes of characters.
    pub(super) fn text_len(&self) -> usize {
        self.overrides.iter().map(|(_, text)| text.len().next_multiple_of(8)).sum()
    }
}

/// No change.
const NOTHING: u32 = 0;

fn encode(one: &Override, form: Form) -> Option<(layout::Override, Box<[u8]>)> {
    let (change, operand, text): (layout::Change, u64, &[u8]) = match &one.change {
        Change::Set(bits) => (layout::Change::Set, *bits, &[]),
        Change::Add(bits) => (layout::Change::Add, *bits, &[]),
        Change::Negate => (layout::Change::Negate, 0, &[]),
        Change::Flip => (layout::Change::Flip, 0, &[]),
        Change::Text(characters) => (layout::Change::Text, 0, characters),
        Change::Complement => (layout::Change::Complement, 0, &[]),
        Change::Operator(operator) => (layout::Change::Operator, *operator as u64, &[]),
        Change::Left(bits) => (layout::Change::Left, *bits, &[]),
        Change::Right(bits) => (layout::Change::Right, *bits, &[]),
        Change::Choose(choice) => (layout::Change::Choose, u64::from(*choice), &[]),
        Change::StepBefore(bits) => (layout::Change::StepBefore, *bits, &[]),
        Change::StepAfter(bits) => (layout::Change::StepAfter, *bits, &[]),
        Change::Exchange(bits, _) => (layout::Change::Exchange, *bits, &[]),
        Change::Instead(bits, _) => (layout::Change::Instead, *bits, &[]),
    };
    let bytes = layout::Override {
        site: 0,
        change: change as u32,
        instance: one.instance,
        operand,
        length: text.len() as u32,
        width: form.width,
        is_float: u8::from(form.is_float),
        operator: form.operator,
        reserved: 0,
        mutant: 0,
        gate: 0,
        other: if let Change::Exchange(_, other) | Change::Instead(_, other) = one.change { other } else { 0 },
    };
    (form.takes.allows(&one.change) && text.len() <= TEXT_ROOM / 2).then(|| (bytes, text.into()))
}
