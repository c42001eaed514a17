//! Collecting nodes: assignments, parameters, predicates, switches and returned values of a function.

use std::collections::HashSet;

use suspect_format::site::{EdgeKind, NodeKind, Place, ValueClass};

use crate::collect::expression::is_truth;
use crate::collect::sites::{Body, EdgeSite, Logged, NodeSite, PieceSite, next, piece_at};
use crate::collect::unit::Unit;
use crate::collect::widening::is_widened;
use crate::llvm::debug_info::{Info, class_of};
use crate::llvm::ir::{self, LLVMOpcode, LLVMTypeKind, Type, Value, llvm};
use crate::llvm::shim;

/// How deep a condition is searched for where it begins.
const DEPTH: u32 = 16;

/// All nodes of `function` in the order of its code.
pub fn collect(
    unit: &mut Unit,
    function: Value,
    body: &Body,
    pieces: &[PieceSite],
    edges: &[EdgeSite],
    n_counters: &mut u32,
) -> Vec<NodeSite> {
    let subprogram = Info::subprogram_of(function);
    let returned = subprogram.and_then(Info::returned);
    let results = result_slots(body);
    let mut collector = Collector {
        unit,
        body,
        pieces,
        edges,
        n_counters,
        named: subprogram.is_some(),
        returned,
        results,
        nodes: Vec::new(),
    };
    for block in 0..body.blocks.len() {
        for position in body.range(block) {
            collector.instruction(position);
        }
    }
    collector.nodes
}

struct Collector<'a, 'b> {
    unit: &'a mut Unit<'b>,
    body: &'a Body,
    pieces: &'a [PieceSite],
    edges: &'a [EdgeSite],
    n_counters: &'a mut u32,
    /// Whether there is debug information.
    named: bool,
    returned: Option<Info>,
    results: HashSet<Value>,
    nodes: Vec<NodeSite>,
}

/// A node's words.
#[derive(Default)]
struct Label {
    variable: String,
    expression: String,
    info: Option<Info>,
}

impl Collector<'_, '_> {
    fn instruction(&mut self, position: u32) {
        use LLVMOpcode::*;
        let value = self.body.at(position);
        if llvm!(shim::suspect_is_sanitizer_code(value.0)) {
            return;
        }
        match value.opcode() {
            Some(LLVMStore) => self.store(position, value),
            Some(LLVMAtomicRMW) => self.update(position, value),
            Some(LLVMBr) => self.branch(position, value),
            Some(LLVMSwitch) => self.switch(position, value),
            Some(LLVMSelect) => self.choice(position, value),
            Some(LLVMPHI) if value.kind().int_bits() == 1 => self.operands_of_logic(value),
            Some(LLVMRet) => self.give_back(position, value),
            _ => {}
        }
    }

    fn store(&mut self, position: u32, store: Value) {
        let (Some(value), Some(pointer)) = (store.operand(0), store.operand(1)) else { return };
        let Some(bits) = value.kind().scalar_bits() else { return };
        if self.results.contains(&pointer) {
            if !self.named || ir::debug_location(store).is_some() {
                self.result(position, position + 1, value);
            }
            return;
        }
        let parameter = self.parameter_of(value, pointer);
        let Some((label, logged)) = self.written(position, value, pointer, bits) else { return };
        let kind = if parameter.is_some() { NodeKind::Parameter } else { NodeKind::Assignment };
        let place = match parameter.flatten() {
            Some(info) => self.place_of_variable(info),
            None => self.unit.place_of(store).unwrap_or_default(),
        };
        self.push(kind, position, position + 1, value.kind(), place, label, logged);
    }

    /// `Some` when a store spills a parameter: the parameter's variable.
    fn parameter_of(&self, value: Value, pointer: Value) -> Option<Option<Info>> {
        let argument = std::iter::successors(Some(value), |value| match value.opcode() {
            Some(LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMTrunc | LLVMOpcode::LLVMFPTrunc) => value.operand(0),
            _ => None,
        })
        .last()
        .filter(|value| value.is_argument());
        argument?;
        let info = Info::variable_of(pointer);
        (!self.named || info.is_some_and(|info| info.argument() > 0)).then_some(info)
    }

    /// What a store of `value` to `pointer` writes; `None` when no variable of the program's.
    fn written(&self, position: u32, value: Value, pointer: Value, bits: u32) -> Option<(Label, Logged)> {
        if !self.named {
            return Some((Label::default(), Logged::Operand(position, 0)));
        }
        if is_made_up(pointer) {
            return None;
        }
        let Some(location) = self.unit.reader.location(pointer) else {
            return Some((Label::default(), Logged::Operand(position, 0)));
        };
        if let Some((shift, bits)) = bit_field_mask(value)
            && let Some(field) = location.bit_field(u64::from(shift), u64::from(bits))
        {
            let label = Label { expression: field.text(), variable: field.variable.clone(), info: field.kind };
            return Some((label, Logged::Bits(position, 0, shift, bits)));
        }
        let location = location.scalar(u64::from(bits));
        let label = Label { expression: location.text(), variable: location.variable.clone(), info: location.kind };
        (!location.is_aggregate()).then_some((label, Logged::Operand(position, 0)))
    }

    fn update(&mut self, position: u32, update: Value) {
        let (Some(pointer), Some(value)) = (update.operand(0), update.operand(1)) else { return };
        let bits = value.kind().scalar_bits().filter(|_| !value.kind().is_float() && !value.kind().is_pointer());
        let Some((label, _)) = bits.and_then(|bits| self.written(position, value, pointer, bits)) else { return };
        let place = self.unit.place_of(update).unwrap_or_default();
        self.push(NodeKind::Assignment, position, position + 1, value.kind(), place, label, Logged::Updated(position));
    }

    fn branch(&mut self, position: u32, branch: Value) {
        let Some(condition) = deciding(branch) else { return };
        let piece = self.piece_of(position);
        let towards = |kind: EdgeKind| {
            let leaves = |edge: &EdgeSite| edge.from == piece && edge.kind == kind;
            self.edges.iter().position(leaves).map(|index| index as u32)
        };
        let branches = towards(EdgeKind::True).zip(towards(EdgeKind::False));
        self.predicate(position, position, condition, Logged::Operand(position, 0), branches);
    }

    /// The operands of `&&` and `||` whose outcome is a value.
    fn operands_of_logic(&mut self, phi: Value) {
        for (index, (value, block)) in phi.incoming().into_iter().enumerate() {
            let Some(block) = self.body.blocks.iter().position(|one| *one == block) else { continue };
            let Some(phi_position) = self.body.instructions.iter().position(|one| *one == phi) else { continue };
            if value.is_constant() || !is_atomic(value) {
                continue;
            }
            let before = self.body.terminator(block);
            self.predicate(before, before, value, Logged::Operand(phi_position as u32, index as u32), None);
        }
    }

    /// `?:` whose arms are so simple that the front end evaluates both.
    fn choice(&mut self, position: u32, select: Value) {
        let Some(condition) = select.operand(0).filter(|condition| condition.kind().int_bits() == 1) else { return };
        if is_atomic(condition) {
            self.predicate(position, position, condition, Logged::Operand(position, 0), None);
        }
    }

    fn predicate(&mut self, at: u32, before: u32, condition: Value, logged: Logged, branches: Option<(u32, u32)>) {
        let expression = self.unit.reader.value(condition).unwrap_or_default();
        let place = self.start_of(condition).or_else(|| self.unit.place_of(self.body.at(at))).unwrap_or_default();
        let label = Label { expression, ..Label::default() };
        self.push(NodeKind::Predicate, at, before, condition.kind(), place, label, logged);
        let true_counter = branches.is_none().then(|| next(self.n_counters));
        if let Some(node) = self.nodes.last_mut() {
            node.class = ValueClass::Bool;
            node.type_name = "int".to_owned();
            node.branches = branches;
            node.true_counter = true_counter;
        }
    }

    fn switch(&mut self, position: u32, switch: Value) {
        let Some(value) = switch.operand(0) else { return };
        let expression = self.unit.reader.value(value).unwrap_or_default();
        let place = self.start_of(value).or_else(|| self.unit.place_of(switch)).unwrap_or_default();
        let info = self.unit.reader.type_of(value);
        let label = Label { expression, variable: String::new(), info };
        let n_nodes = self.nodes.len();
        self.push(NodeKind::Switch, position, position, value.kind(), place, label, Logged::Operand(position, 0));
        if let Some(node) = self.nodes.get_mut(n_nodes) {
            let case = |number| switch.operand(2 * number as u32).and_then(Value::integer).unwrap_or_default();
            node.cases = (1..switch.successors().len()).map(case).collect();
        }
    }

    /// `ret` of a value that has no slot.
    fn give_back(&mut self, position: u32, ret: Value) {
        let Some(value) = ret.operand(0) else { return };
        let from_slot = slot_of(value).is_some_and(|slot| self.results.contains(&slot));
        let after_tail_call = (position.saturating_sub(2)..position).any(|before| self.body.at(before).is_musttail());
        if !from_slot && !after_tail_call {
            self.result(position, position, value);
        }
    }

    fn result(&mut self, position: u32, before: u32, value: Value) {
        let aggregate = |info: Info| info.is_structure() || info.is_union() || info.is_complex();
        if self.returned.is_some_and(aggregate) {
            return;
        }
        let expression = self.unit.reader.value(value).unwrap_or_default();
        let place = self.unit.place_of(self.body.at(position)).unwrap_or_default();
        let label = Label { expression, variable: String::new(), info: self.returned };
        self.push(NodeKind::Return, position, before, value.kind(), place, label, Logged::Operand(position, 0));
    }

    #[expect(clippy::too_many_arguments, reason = "one place where a node is put together")]
    fn push(&mut self, kind: NodeKind, at: u32, before: u32, of: Type, place: Place, label: Label, logged: Logged) {
        let Some(bits) = of.scalar_bits() else { return };
        let width = if let Logged::Bits(_, _, _, bits) = logged { bits } else { bits };
        self.nodes.push(NodeSite {
            piece: self.piece_of(at),
            kind,
            class: class_of(label.info, of),
            width,
            place,
            variable: label.variable,
            type_name: label.info.map(Info::type_name).unwrap_or_default(),
            expression: label.expression,
            branches: None,
            true_counter: None,
            cases: Vec::new(),
            before,
            logged,
        });
    }

    fn piece_of(&self, position: u32) -> u32 {
        piece_at(self.body, self.pieces, position)
    }

    fn place_of_variable(&mut self, info: Info) -> Place {
        let file = info.file(true).map_or(0, |(directory, name)| self.unit.files.named(&directory, &name));
        Place { file, line: info.variable_line(), column: 0 }
    }

    /// Where the text of a value begins: the first of the positions of what it is computed from.
    fn start_of(&mut self, value: Value) -> Option<Place> {
        let mut best = self.unit.place_of(value);
        let mut rest = vec![(value, 0)];
        while let Some((value, depth)) = rest.pop() {
            let place = value.is_instruction().then(|| self.unit.place_of(value)).flatten();
            if let (Some(place), Some(start)) = (place, best)
                && place.file == start.file
                && place < start
            {
                best = Some(place);
            }
            if value.is_instruction() && depth < DEPTH && !value.is(LLVMOpcode::LLVMPHI) {
                rest.extend(
                    value.operands().into_iter().filter(|one| one.is_instruction()).map(|one| (one, depth + 1)),
                );
            }
        }
        best
    }
}

/// The alloca that a returned value is loaded from.
fn slot_of(value: Value) -> Option<Value> {
    let load = std::iter::successors(Some(value), |value| value.is(LLVMOpcode::LLVMTrunc).then(|| value.operand(0))?)
        .last()?;
    let slot = load.is(LLVMOpcode::LLVMLoad).then(|| load.operand(0))??;
    slot.is(LLVMOpcode::LLVMAlloca).then_some(slot)
}

/// Whether an instruction stands for the closing brace of a scope or function rather than for a statement. What a `return`
/// gives back is a node, whose line counts anyway.
pub fn is_epilogue(instruction: Value) -> bool {
    let lifetime = || instruction.called_function().is_some_and(|callee| callee.name().starts_with("llvm.lifetime."));
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMRet) => true,
        Some(LLVMOpcode::LLVMLoad) => {
            let ret = instruction.users().into_iter().any(|user| user.is(LLVMOpcode::LLVMRet));
            ret && slot_of(instruction).is_some_and(|slot| Info::variable_of(slot).is_none())
        }
        Some(LLVMOpcode::LLVMCall) => lifetime(),
        _ => false,
    }
}

/// The slots that hold the value to return: loaded by a `ret`, and no variable of the program's.
fn result_slots(body: &Body) -> HashSet<Value> {
    let rets = body.instructions.iter().filter(|value| value.is(LLVMOpcode::LLVMRet));
    rets.filter_map(|ret| slot_of(ret.operand(0)?)).filter(|slot| Info::variable_of(*slot).is_none()).collect()
}

/// Whether `pointer` leads into something that the compiler made up: a temporary, or the inside of a `va_list`.
pub fn is_made_up(pointer: Value) -> bool {
    let mut here = pointer;
    for _ in 0..64 {
        match here.opcode().or(here.constant_opcode()) {
            Some(LLVMOpcode::LLVMGetElementPtr) => {
                if type_is_va_list(here.element_source()) {
                    return true;
                }
            }
            Some(LLVMOpcode::LLVMAlloca) => return Info::variable_of(here).is_none_or(Info::is_artificial),
            _ => return false,
        }
        let Some(base) = here.operand(0) else { return false };
        here = base;
    }
    false
}

/// Whether a type is the array that a `va_list` is.
pub fn is_va_list(kind: Type) -> bool {
    kind.kind() == LLVMTypeKind::LLVMArrayTypeKind && type_is_va_list(ir::element_type(kind))
}

fn type_is_va_list(kind: Type) -> bool {
    ir::structure_name(kind).is_some_and(|name| name.starts_with("struct.__va_list"))
}

/// The condition of a branch that decides on one operand: a predicate's.
pub fn deciding(branch: Value) -> Option<Value> {
    let conditional = branch.is(LLVMOpcode::LLVMBr) && branch.n_operands() == 3;
    let condition = conditional.then(|| branch.operand(0))??;
    (is_atomic(condition) && !llvm!(shim::suspect_is_sanitizer_code(branch.0))).then_some(condition)
}

/// Whether a condition is one operand: no constant, no outcome of `&&` or `||`, nothing the compiler made up.
fn is_atomic(condition: Value) -> bool {
    let peeled = peel(condition);
    let made_up = |value: Value| {
        let source = std::iter::successors(Some(value), |one| {
            (is_widened(*one) || one.is(LLVMOpcode::LLVMICmp)).then(|| one.operand(0))?
        })
        .last();
        let exchanged = |source: Value| {
            source.is(LLVMOpcode::LLVMExtractValue)
                && source.operand(0).is_some_and(|pair| pair.is(LLVMOpcode::LLVMAtomicCmpXchg))
        };
        source.is_some_and(|source| exchanged(source) || reads_va_list(source))
    };
    peeled.is_instruction() && !(peeled.is(LLVMOpcode::LLVMPHI) && peeled.kind().int_bits() == 1) && !made_up(peeled)
}

/// Whether a value is read from the inside of a `va_list`.
pub fn reads_va_list(value: Value) -> bool {
    value.is(LLVMOpcode::LLVMLoad) && value.operand(0).is_some_and(is_va_list_field)
}

/// Whether an address is that of a field of a `va_list`.
pub fn is_va_list_field(pointer: Value) -> bool {
    pointer.is(LLVMOpcode::LLVMGetElementPtr) && type_is_va_list(pointer.element_source())
}

/// The truth value that a condition repeats or negates.
pub fn peel(condition: Value) -> Value {
    let mut here = condition;
    loop {
        let inner = match here.opcode() {
            Some(LLVMOpcode::LLVMXor) if here.kind().int_bits() == 1 => here.operand(0),
            Some(LLVMOpcode::LLVMICmp) if here.operand(1).and_then(Value::integer) == Some(0) => here
                .operand(0)
                .filter(|wide| wide.is(LLVMOpcode::LLVMZExt))
                .and_then(|wide| wide.operand(0))
                .filter(|one| is_truth(*one)),
            _ => None,
        };
        match inner {
            Some(inner) => here = inner,
            None => return here,
        }
    }
}

/// Where in its storage unit a bit-field lies, from the mask that keeps its neighbours: first bit and number of bits.
pub fn bit_field_mask(value: Value) -> Option<(u32, u32)> {
    if !value.is(LLVMOpcode::LLVMOr) {
        return None;
    }
    let kept = value
        .operands()
        .into_iter()
        .find(|side| side.is(LLVMOpcode::LLVMAnd) && side.operand(1).is_some_and(|mask| mask.integer().is_some()))?;
    let width = value.kind().int_bits();
    let all = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    let field = !(kept.operand(1)?.integer()? as u64) & all;
    let shift = field.trailing_zeros();
    let bits = field.count_ones();
    (field != 0 && field >> shift == u64::MAX >> (64 - bits)).then_some((shift, bits))
}
