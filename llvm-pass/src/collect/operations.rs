//! Collecting operations: what a code mutant can change in a function, read from the front end's IR without changing it.
//!
//! The IR does not say what the source said, so what the compiler made up (tests of truth, bit-fields, differences of addresses)
//! is told from what was written by shape and by debug locations: what was written stands at its operator.

use std::collections::{HashMap, HashSet};

use suspect_format::operation::Operator;
use suspect_format::site::{NodeKind, OperationKind, ValueClass};

use crate::collect::bit_fields::bit_fields;
use crate::collect::bounds;
use crate::collect::callees;
use crate::collect::calls;
use crate::collect::compounds::{Found, Graph};
use crate::collect::consequences;
use crate::collect::guards;
use crate::collect::logic;
use crate::collect::members;
use crate::collect::nodes;
use crate::collect::repeats;
use crate::collect::signedness;
use crate::collect::sites::{
    Body, Logged, NodeSite, OperationSite, OperationSpot, PieceSite, Place, VariableSite, piece_at, position_of,
};
use crate::collect::statements;
use crate::collect::unit::Unit;
use crate::collect::variables::Scopes;
use crate::collect::widening::{before_widening, is_widened};
use crate::llvm::ir::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind, Type, Value, llvm};
use crate::llvm::shim;

/// Statements of a function that run beside others of it, at most: each is in its code once more.
const MOST_COPIES: u32 = 256;

/// All operations of a function in the order of its code.
pub fn collect(
    unit: &mut Unit,
    body: &Body,
    pieces: &[PieceSite],
    nodes: &[NodeSite],
    compounds: &[Found],
) -> (Vec<OperationSite>, Vec<VariableSite>) {
    let owners = owners(body, nodes);
    let fields = bit_fields(unit, body);
    let number = |(index, node): (u32, &NodeSite)| match node.logged {
        Logged::Operand(position, 0) if node.kind == NodeKind::Assignment && node.class != ValueClass::Bool => {
            Some((position, index))
        }
        _ => None,
    };
    let assigned = (0..).zip(nodes).filter_map(number).collect();
    let (scopes, called) = (Scopes::of(body, unit.globals), callees::called_in(body));
    let found = Vec::new();
    let mut collector = Collector { unit, body, pieces, nodes, owners, fields, assigned, called, scopes, found };
    for position in 0..body.instructions.len() as u32 {
        collector.instruction(position);
    }
    collector.wholes();
    collector.statements();
    let graph = Graph::of(body);
    collector.guards(&graph);
    collector.repeats(&graph, compounds);
    collector.logic(&graph, compounds);
    let mut found = collector.found;
    found.sort_by_key(|(position, _)| *position);
    (found.into_iter().map(|(_, site)| site).collect(), collector.scopes.named)
}

struct Collector<'a, 'b> {
    unit: &'a mut Unit<'b>,
    body: &'a Body,
    pieces: &'a [PieceSite],
    nodes: &'a [NodeSite],
    /// The node that an instruction's value becomes part of.
    owners: HashMap<Value, u32>,
    /// Instructions that take bit-fields out of their storage and put them back.
    fields: HashSet<Value>,
    /// Stores that assign a number, by their positions, and their nodes.
    assigned: HashMap<u32, u32>,
    /// The functions that are called by their names.
    called: HashSet<Value>,
    scopes: Scopes<'b>,
    found: Vec<(u32, OperationSite)>,
}

impl Collector<'_, '_> {
    fn instruction(&mut self, position: u32) {
        let value = self.body.at(position);
        if llvm!(shim::suspect_is_sanitizer_code(value.0)) {
            return;
        }
        match value.opcode() {
            Some(LLVMOpcode::LLVMGetElementPtr) => self.step(position, value),
            Some(LLVMOpcode::LLVMCall) => self.call(position, value),
            Some(LLVMOpcode::LLVMLoad) => self.read(position, value),
            Some(LLVMOpcode::LLVMStore) => self.assignment(position, value),
            Some(_) if operand_of(value).is_some() => self.unary(position, value),
            Some(_) => self.binary(position, value),
            None => {}
        }
    }

    fn binary(&mut self, position: u32, value: Value) {
        let Some(operator) = operator_of(value) else { return };
        let (Some(left), Some(right)) = (value.operand(0), value.operand(1)) else { return };
        let Some(width) = width_of(left.kind(), operator) else { return };
        if self.is_made_up(value, operator, width, left, right) {
            return;
        }
        let signedness = signedness::of(self.unit.reader, value, operator);
        let (left, right) = (bits_of(left), bits_of(right));
        let kind = OperationKind::Binary { operator, width: width as u8, signedness, left, right };
        self.push(position, kind, OperationSpot::Result(position));
    }

    fn unary(&mut self, position: u32, value: Value) {
        let (width, is_float) = (value.kind().scalar_bits().unwrap_or(64), value.kind().is_float());
        let own = position_of(value);
        // A step backwards is one by the number's negative.
        let steps = |user: &Value| user.is(LLVMOpcode::LLVMGetElementPtr) && position_of(*user) == own;
        if !self.fields.contains(&value) && !value.users().iter().any(steps) {
            let kind = OperationKind::Unary { width: width as u8, is_float };
            self.push(position, kind, OperationSpot::Result(position));
        }
    }

    /// Whether the compiler made an operator up.
    fn is_made_up(&self, value: Value, operator: Operator, width: u32, left: Value, right: Value) -> bool {
        use LLVMOpcode::*;
        let constant = right.integer();
        // In C numbers are at least as wide as `int` when something is done with them; `++` is short for more than the IR does.
        let narrow = width < 32 && !(operator == Operator::Add && matches!(constant, Some(1 | -1)));
        let address = |side: Value| side.is(LLVMPtrToInt);
        let difference = |value: Value| {
            value.is(LLVMSub) && value.operand(0).is_some_and(address) && value.operand(1).is_some_and(address)
        };
        narrow
            || difference(value)
            || operator == Operator::SignedDiv && difference(left)
            || left.is(LLVMAtomicRMW)
            || self.fields.contains(&value)
            || is_test_of_truth(value, operator, left, right)
            || nodes::reads_va_list(left)
    }

    fn step(&mut self, position: u32, step: Value) {
        let (Some(base), Some(index)) = (step.operand(0), step.operand(1)) else { return };
        if step.kind().kind() != LLVMTypeKind::LLVMPointerTypeKind || self.subscript(position, step, base) {
            return;
        }
        self.member(position, step);
        if step.n_operands() != 2 {
            return;
        }
        let own = position_of(step);
        let updates = |store: &Value| {
            let back = store.is(LLVMOpcode::LLVMStore) && store.operand(1) == base.operand(0);
            back && store.operand(0) == Some(step) && position_of(*store) == own
        };
        let updated = base.is(LLVMOpcode::LLVMLoad) && step.users().iter().any(updates);
        // `p[i]` stands where `p` does; an array of variable length stands nowhere.
        let is_array = base.is(LLVMOpcode::LLVMAlloca);
        if is_array || !updated && base.is_instruction() && position_of(base) == own || nodes::reads_va_list(base) {
            return;
        }
        let negated = index.is(LLVMOpcode::LLVMSub) && index.operand(0).and_then(Value::integer) == Some(0);
        let number = index.integer();
        let backwards = negated || number.is_some_and(|number| number < 0);
        let constant = number.map(|number| number.unsigned_abs());
        self.push(position, OperationKind::Step { backwards, constant }, OperationSpot::Index(position));
    }

    /// A step to a member that could be another one. One that is taken as a whole has nothing to be moved to.
    fn member(&mut self, position: u32, step: Value) {
        let Some((member, others)) = members::of_step(self.unit.reader, step) else { return };
        let member = self.scopes.number_of_member(&member);
        let others: Vec<u32> = others.iter().map(|other| self.scopes.number_of_member(other)).collect();
        let kind = OperationKind::Member { member, n_others: others.len() as u32 };
        self.push_with(position, kind, OperationSpot::Member(position), others);
    }

    /// Whether a step is to an element that a subscript names: those stand where what they are elements of begins.
    fn subscript(&mut self, position: u32, step: Value, base: Value) -> bool {
        let own = position_of(step);
        let in_array = step.n_operands() == 3
            && step.operand(1).and_then(Value::integer) == Some(0)
            && step.element_source().kind() == LLVMTypeKind::LLVMArrayTypeKind;
        let begins = base.is(LLVMOpcode::LLVMAlloca) || base.is_instruction() && position_of(base) == own;
        // `p += n` and `p++` stand where what they read does.
        let updates =
            |user: &Value| user.is(LLVMOpcode::LLVMStore) && user.operand(0) == Some(step) && position_of(*user) == own;
        let from_pointer = step.n_operands() == 2 && begins && !step.users().iter().any(updates);
        let Some(index) = step.operand(step.n_operands() - 1).filter(|_| in_array || from_pointer) else {
            return false;
        };
        let constant = index.integer();
        // An array that stands for its address is a step to its first element, too.
        let leads = |user: &Value| match user.opcode() {
            Some(LLVMOpcode::LLVMStore) => user.operand(1) == Some(step),
            Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMGetElementPtr) => user.operand(0) == Some(step),
            _ => false,
        };
        let is_element = constant != Some(0) || step.users().iter().all(leads);
        if is_element && !nodes::reads_va_list(base) && !nodes::is_va_list(step.element_source()) {
            let width = before_widening(index).kind().int_bits() as u8;
            let constant = constant.map(|number| number as u64);
            self.push(position, OperationKind::Subscript { width, constant }, OperationSpot::Subscript(position));
        }
        true
    }

    fn read(&mut self, position: u32, load: Value) {
        let own = position_of(load);
        // `x += 1` reads `x` where the operator stands.
        let updates = |user: &Value| {
            user.is(LLVMOpcode::LLVMStore) && user.operand(1) == load.operand(0) && position_of(*user) == own
        };
        let bits = load.kind().scalar_bits().filter(|bits| *bits <= 64);
        let (Some(width), Some(variable)) = (bits, load.operand(0)) else { return };
        if load.users().is_empty() || !load.is_simple_access() || variable.users().iter().any(updates) {
            return;
        }
        if let Some((variable, others)) = self.scopes.read(load) {
            let n_others = others.len() as u32;
            let kind = OperationKind::Read { variable, width: width as u8, n_others };
            self.push_with(position, kind, OperationSpot::Variable(position), others);
        }
    }

    fn assignment(&mut self, position: u32, store: Value) {
        let (Some(value), Some(target)) = (store.operand(0), store.operand(1)) else { return };
        let own = position_of(store);
        // `x += 1` reads `x` where the operator stands.
        let updated = |user: &Value| {
            user.is(LLVMOpcode::LLVMLoad) && user.operand(0) == Some(target) && position_of(*user) == own
        };
        let bits = value.kind().scalar_bits().filter(|bits| (2..=64).contains(bits) && !value.kind().is_pointer());
        let (Some(width), Some(node)) = (bits, self.assigned.get(&position).copied()) else { return };
        let begins = own.is_none_or(|place| statements::begins(target, place));
        let right = bits_of(value);
        let is_known = right.is_some() || !value.is_constant();
        if begins || !is_known || !store.is_simple_access() || target.users().iter().any(updated) {
            return;
        }
        let Some(place) = self.place(position) else { return };
        let kind = OperationKind::Assign { width: width as u8, is_float: value.kind().is_float(), right };
        let piece = piece_at(self.body, self.pieces, position);
        let (node, others, spot) = (Some(node), Vec::new(), OperationSpot::Store(position));
        self.found.push((position, OperationSite { piece, place, node, kind, others, spot }));
    }

    fn call(&mut self, position: u32, call: Value) {
        let own = call.called_function().is_some_and(Value::is_intrinsic) || call.inline_assembly().is_some();
        if own || call.is_musttail() || !calls::is_call(call) {
            return;
        }
        self.arguments(position, call);
        if let Some((function, others)) = self.unit.callees.of_call(call, &self.called) {
            let function = self.scopes.number_of_function(function);
            let others: Vec<u32> = others.into_iter().map(|other| self.scopes.number_of_function(other)).collect();
            let kind = OperationKind::Called { function, n_others: others.len() as u32 };
            self.push_with(position, kind, OperationSpot::Callee(position), others);
        }
    }

    fn arguments(&mut self, position: u32, call: Value) {
        let hidden = u32::from(llvm!(shim::suspect_returns_in_memory(call.0)));
        let passed = hidden..call.n_operands().saturating_sub(1);
        let n_arguments = passed.len() as u32;
        for operand in passed {
            let Some(argument) = call.operand(operand) else { continue };
            let (kind, at) = (argument.kind(), operand - hidden);
            let kind = match bits_of(argument).filter(|_| !kind.is_pointer()) {
                Some(value) => {
                    let width = kind.scalar_bits().unwrap_or(64) as u8;
                    OperationKind::Argument { position: at, width, is_float: kind.is_float(), value }
                }
                None if calls::passes_integer(call, operand) => {
                    let width = before_widening(argument).kind().int_bits() as u8;
                    OperationKind::Passed { position: at, n_arguments, width }
                }
                None => continue,
            };
            self.push(position, kind, OperationSpot::Argument(position, operand));
        }
    }

    fn wholes(&mut self) {
        for (number, node) in self.nodes.iter().enumerate() {
            let (Logged::Operand(position, operand) | Logged::Bits(position, operand, ..)) = node.logged else {
                continue;
            };
            if !matches!(node.kind, NodeKind::Assignment | NodeKind::Return) || matches!(node.logged, Logged::Bits(..))
            {
                continue;
            }
            let Some(constant) = self.body.at(position).operand(operand) else { continue };
            let Some(value) = bits_of(constant).filter(|_| !constant.kind().is_pointer()) else { continue };
            if node.place.line > 0 && node.place.column > 0 {
                let (piece, node, kind) = (node.piece, Some(number as u32), OperationKind::Whole { value });
                let place = self.nodes[number].place;
                self.found.push((
                    position,
                    OperationSite { piece, place, node, kind, others: Vec::new(), spot: OperationSpot::Node },
                ));
            }
        }
    }

    fn statements(&mut self) {
        let mut copies = 0;
        for statement in statements::collect(self.body) {
            let is_copied = copies < MOST_COPIES && statements::leaves(self.body, statement).is_some();
            let copy = is_copied.then_some(copies);
            let node = self.nodes.iter().position(|node| match node.logged {
                Logged::Operand(position, _) | Logged::Bits(position, ..) | Logged::Updated(position) => {
                    position == statement.last && node.kind == NodeKind::Assignment
                }
            });
            let Some(place) = self.place(statement.last) else { continue };
            copies += u32::from(is_copied);
            let site = OperationSite {
                piece: piece_at(self.body, self.pieces, statement.first),
                place,
                node: node.map(|node| node as u32),
                kind: OperationKind::Statement { copy },
                others: Vec::new(),
                spot: OperationSpot::Around(statement.first, statement.end),
            };
            self.found.push((statement.first, site));
        }
    }

    fn guards(&mut self, graph: &Graph) {
        let before = self.found.len();
        for position in guards::pointers(self.body) {
            self.push(position, OperationKind::Pointer, OperationSpot::Pointer(position));
        }
        for (position, kind) in guards::numbers(self.unit.reader, self.body, &self.fields) {
            self.push(position, kind, OperationSpot::Number(position));
        }
        for (position, kind, spot, others) in
            bounds::collect(self.unit.reader, self.unit.limits, self.body, &mut self.scopes)
        {
            self.push_with(position, kind, spot, others);
        }
        if self.found.len() > before {
            self.consequences(graph);
        }
    }

    fn consequences(&mut self, graph: &Graph) {
        let places = consequences::collect(graph).into_iter().filter(|one| self.place(one.end).is_some());
        for (number, one) in (0..).zip(places.collect::<Vec<_>>()) {
            let kind = OperationKind::Consequence { number, stops: one.stops };
            self.push(one.end, kind, OperationSpot::Consequence(one.block));
        }
    }

    fn repeats(&mut self, graph: &Graph, compounds: &[Found]) {
        for repeat in repeats::collect(graph, compounds) {
            let spot = OperationSpot::Repeat(repeat.first, repeat.jump);
            self.push_within(repeat.jump, repeat.branch, OperationKind::If, spot);
        }
    }

    fn logic(&mut self, graph: &Graph, compounds: &[Found]) {
        for junction in compounds.iter().flat_map(|found| logic::junctions(graph, found)) {
            let (Some(first), Some(last)) = (junction.left.first(), junction.left.last()) else { continue };
            // Whatever the left side begins with may decide it.
            let (first, position) = (self.body.terminator(*first), self.body.terminator(*last));
            let kind = OperationKind::Logical { and: junction.and };
            self.push_within(first, position, kind, OperationSpot::Junction(Box::new(junction)));
        }
    }

    fn place(&mut self, position: u32) -> Option<Place> {
        self.unit.place_of(self.body.at(position)).filter(|place| place.column > 0)
    }

    fn push(&mut self, position: u32, kind: OperationKind, spot: OperationSpot) {
        self.push_within(position, position, kind, spot);
    }

    /// An operation with the variables or functions that could take the place of its own.
    fn push_with(&mut self, position: u32, kind: OperationKind, spot: OperationSpot, others: Vec<u32>) {
        let before = self.found.len();
        self.push(position, kind, spot);
        self.found[before..].iter_mut().for_each(|(_, site)| site.others = others.clone());
    }

    /// An operation that stands at `position` and takes place whenever `executed` is.
    fn push_within(&mut self, executed: u32, position: u32, kind: OperationKind, spot: OperationSpot) {
        let Some(place) = self.place(position) else { return };
        let piece = piece_at(self.body, self.pieces, executed);
        let node = self.owners.get(&self.body.at(position)).copied();
        self.found.push((position, OperationSite { piece, place, node, kind, others: Vec::new(), spot }));
    }
}

/// Which node each instruction's value becomes part of, within its block: of nested ones the innermost.
fn owners(body: &Body, nodes: &[NodeSite]) -> HashMap<Value, u32> {
    let mut owners = HashMap::new();
    for (number, node) in nodes.iter().enumerate().filter(|(_, node)| node.kind != NodeKind::Parameter) {
        let (user, value) = match node.logged {
            Logged::Operand(position, operand) | Logged::Bits(position, operand, ..) => {
                (body.at(position), body.at(position).operand(operand))
            }
            Logged::Updated(position) => (body.at(position), body.at(position).operand(1)),
        };
        let block = if user.is(LLVMOpcode::LLVMPHI) { body.at(node.before).block() } else { user.block() };
        let mut rest: Vec<Value> = value.into_iter().collect();
        while let Some(value) = rest.pop() {
            if value.is_instruction() && value.block() == block && !owners.contains_key(&value) {
                owners.insert(value, number as u32);
                if !value.is(LLVMOpcode::LLVMPHI) {
                    rest.extend(value.operands());
                }
            }
        }
    }
    owners
}

/// The operator that an instruction computes.
pub fn operator_of(value: Value) -> Option<Operator> {
    use LLVMOpcode::*;
    Some(match value.opcode()? {
        LLVMAdd => Operator::Add,
        LLVMSub => Operator::Sub,
        LLVMMul => Operator::Mul,
        LLVMSDiv => Operator::SignedDiv,
        LLVMUDiv => Operator::UnsignedDiv,
        LLVMSRem => Operator::SignedRem,
        LLVMURem => Operator::UnsignedRem,
        LLVMAnd => Operator::And,
        LLVMOr => Operator::Or,
        LLVMXor => Operator::Xor,
        LLVMShl => Operator::Shl,
        LLVMAShr => Operator::SignedShr,
        LLVMLShr => Operator::UnsignedShr,
        LLVMFAdd => Operator::FloatAdd,
        LLVMFSub => Operator::FloatSub,
        LLVMFMul => Operator::FloatMul,
        LLVMFDiv => Operator::FloatDiv,
        LLVMICmp => compared(value.int_predicate()),
        LLVMFCmp => compared_real(value.real_predicate())?,
        _ => return None,
    })
}

fn compared(predicate: LLVMIntPredicate) -> Operator {
    use LLVMIntPredicate::*;
    match predicate {
        LLVMIntEQ => Operator::Equal,
        LLVMIntNE => Operator::NotEqual,
        LLVMIntSLT => Operator::SignedLess,
        LLVMIntSLE => Operator::SignedLessEqual,
        LLVMIntSGT => Operator::SignedGreater,
        LLVMIntSGE => Operator::SignedGreaterEqual,
        LLVMIntULT => Operator::UnsignedLess,
        LLVMIntULE => Operator::UnsignedLessEqual,
        LLVMIntUGT => Operator::UnsignedGreater,
        LLVMIntUGE => Operator::UnsignedGreaterEqual,
    }
}

fn compared_real(predicate: LLVMRealPredicate) -> Option<Operator> {
    use LLVMRealPredicate::*;
    Some(match predicate {
        LLVMRealOEQ => Operator::FloatEqual,
        LLVMRealUNE => Operator::FloatNotEqual,
        LLVMRealOLT => Operator::FloatLess,
        LLVMRealOLE => Operator::FloatLessEqual,
        LLVMRealOGT => Operator::FloatGreater,
        LLVMRealOGE => Operator::FloatGreaterEqual,
        _ => return None,
    })
}

/// The operand of `!`, `-` or `~`, where its value is a number of at least 32 bits.
pub fn operand_of(value: Value) -> Option<Value> {
    use LLVMOpcode::*;
    let kind = value.kind();
    let is_number = match kind.kind() {
        LLVMTypeKind::LLVMIntegerTypeKind => (32..=64).contains(&kind.int_bits()),
        _ => kind.is_float() && kind.scalar_bits().is_some_and(|bits| bits <= 64),
    };
    let (first, second) = (value.operand(0), value.operand(1));
    match value.opcode().filter(|_| is_number)? {
        LLVMFNeg => first,
        LLVMSub if first?.integer() == Some(0) => second,
        LLVMXor if second?.integer() == Some(-1) => first,
        LLVMZExt => {
            let truth = first.filter(|not| not.is(LLVMXor) && not.kind().int_bits() == 1)?;
            let of =
                truth.operand(0).filter(|_| truth.operand(1).and_then(Value::integer).is_some_and(|one| one != 0))?;
            let (Some(left), Some(right)) = (of.operand(0), of.operand(1)) else { return Some(of) };
            let is_test = operator_of(of).is_some_and(|operator| is_test_of_truth(of, operator, left, right));
            let operand = if is_test { left } else { of };
            (operand.kind().kind() == LLVMTypeKind::LLVMIntegerTypeKind).then_some(operand)
        }
        _ => None,
    }
}

/// Bits of an operator's operands; `None` when the runtime could not compute it.
fn width_of(kind: Type, operator: Operator) -> Option<u32> {
    use LLVMTypeKind::*;
    match (kind.kind(), operator.is_float()) {
        (LLVMIntegerTypeKind, false) => Some(kind.int_bits()).filter(|bits| (2..=64).contains(bits)),
        (LLVMPointerTypeKind, false) => kind.is_ordinary_pointer().then_some(64),
        (LLVMFloatTypeKind, true) => Some(32),
        (LLVMDoubleTypeKind, true) => Some(64),
        _ => None,
    }
}

/// The bits of a constant of at most 64, zero-extended.
fn bits_of(value: Value) -> Option<u64> {
    if value.is_null_pointer() {
        return Some(0);
    }
    let mut bits = 0;
    llvm!(shim::suspect_constant_bits(value.0, &mut bits)).then_some(bits)
}

/// Whether a comparison with zero is what C does to find out whether a value is true: that stands where the value does, or before it;
/// a written one stands behind its left side.
fn is_test_of_truth(value: Value, operator: Operator, left: Value, right: Value) -> bool {
    let zero = bits_of(right) == Some(0);
    if !zero || !matches!(operator, Operator::NotEqual | Operator::FloatNotEqual) {
        return false;
    }
    let own = position_of(value);
    let source =
        std::iter::successors(Some(left), |one| is_widened(*one).then(|| one.operand(0))?).last().unwrap_or(left);
    let stores = |one: &Value| one.is(LLVMOpcode::LLVMStore) && position_of(*one) == own;
    let branches = |one: &Value| one.is(LLVMOpcode::LLVMBr) && position_of(*one) == own;
    own <= position_of(left)
        || own <= position_of(source)
        || left.users().iter().any(stores)
        || value.users().iter().any(branches)
}
