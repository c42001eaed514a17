//! Injecting: marker calls at the sites of one version of a function.
//!
//! Markers are calls that the optimizer can neither merge, drop nor see through, but that hide no memory from it;
//! [`crate::inject::lower`] turns them into code at the end of the pipeline.

use std::collections::HashMap;
use std::ffi::c_uint;

use suspect_format::abi::{GATE_ZERO, Mode, SYMBOL_FILL};

use crate::collect::sequences::{CompoundSite, PathHook};
use crate::collect::sites::{Body, EdgeSite, FunctionSites, Logged, NodeSite, Spot};
use crate::inject::copies::Copies;
use crate::inject::fuel;
use crate::inject::marker::Marker;
use crate::inject::mutations::{Bytes, Mutations};
use crate::inject::objects;
use crate::inject::overrides::{Overrides, left_by};
use crate::llvm::builder::Builder;
use crate::llvm::global::weak_global;
use crate::llvm::ir::{self, LLVMOpcode, Module, Value, llvm};
use crate::llvm::shim;
use crate::table::Base;

/// Puts the hooks of `mode` into `function`, which is the function that `sites` were collected from or a copy of it. `targets` are the functions that
/// others stand for where this one calls them, `copies` those of statements.
#[expect(clippy::too_many_arguments, reason = "each is one thing of the unit that hooks name")]
pub fn inject(
    module: Module,
    function: Value,
    mode: Mode,
    sites: &FunctionSites,
    base: Base,
    operations: Option<Bytes>,
    gate: Option<Value>,
    targets: &HashMap<Value, Value>,
    copies: Option<&Copies>,
) {
    if matches!(mode, Mode::Plain | Mode::Mutants | Mode::Record) {
        return;
    }
    let rounds = fuel::Rounds::of(function);
    let injector = Injector { module, body: Body::of(function), mode, base };
    let mutations = operations.filter(|_| mode == Mode::Trace).map(|bytes| Mutations {
        module,
        body: &injector.body,
        operations: &sites.operations,
        variables: &sites.variables,
        copies,
        targets,
        bytes,
        first: base.operation,
    });
    if let Some(mutations) = &mutations {
        mutations.statements();
        mutations.repeats();
        mutations.assignments();
    }
    if mode == Mode::Trace {
        // First, because what else looks at a node's value shall see the one that it takes.
        objects::mark(module, &injector.body);
        let overrides = Overrides { module, body: &injector.body };
        for (index, node) in sites.nodes.iter().enumerate() {
            overrides.node(node, base.value + index as u32);
        }
    }
    let edges = injector.edge_hooks(sites);
    let mut splits = Vec::new();
    for (edge, hooks) in sites.edges.iter().zip(edges) {
        match &edge.spot {
            _ if hooks.is_empty() => {}
            Some(Spot::Before(position)) => injector.build_all(injector.body.at(*position), &hooks),
            Some(Spot::Split { terminator, successors }) => splits.push((*terminator, successors, hooks)),
            None => {}
        }
    }
    if mode != Mode::Edges {
        for (index, piece) in sites.pieces.iter().enumerate() {
            injector.mark(Marker::Piece, piece.start, base.piece + index as u32);
        }
        for (index, node) in sites.nodes.iter().enumerate() {
            injector.node(node, base.value + index as u32);
        }
    }
    for (position, word) in &sites.states {
        injector.mark(Marker::State, *position, *word);
    }
    if let Some(mutations) = &mutations {
        mutations.values();
        mutations.logic();
    }
    // Last, because new blocks change what the successors of a terminator are.
    for (terminator, successors, hooks) in splits {
        injector.split(terminator, successors, &hooks);
    }
    if mode == Mode::Trace {
        rounds.tick(module);
        let fill = weak_global(module, SYMBOL_FILL, module.int(64), 8);
        llvm!(shim::suspect_tolerate(function.0, fill.0, gate.map_or(std::ptr::null_mut(), |gate| gate.0), GATE_ZERO));
    }
}

/// What is put on an edge.
enum Hook {
    /// A marker and its arguments.
    Mark(Marker, u32, Vec<Value>),
    /// A path number is set, or added to.
    SetPath { slot: Value, keep: bool, offset: u32 },
    /// The counter that many after this one as the path number says.
    CountPath { slot: Value, counter: u32 },
}

struct Injector {
    module: Module,
    body: Body,
    mode: Mode,
    base: Base,
}

impl Injector {
    fn mark(&self, marker: Marker, before: u32, number: u32) {
        let builder = Builder::before(self.module, self.body.at(before));
        self.build(&builder, marker, number, &[]);
    }

    fn build(&self, builder: &Builder, marker: Marker, number: u32, arguments: &[Value]) {
        let mut all = vec![self.number(number)];
        all.extend_from_slice(arguments);
        builder.call(marker.function(self.module), &all);
    }

    fn number(&self, number: u32) -> Value {
        self.module.constant(32, u64::from(number))
    }

    /// The hooks on each edge: its counter, what is known of the predicate that chose it, the paths of compounds.
    ///
    /// Where a predicate's value decides a branch it need not be computed: on each side it is a constant.
    fn edge_hooks(&self, sites: &FunctionSites) -> Vec<Vec<Hook>> {
        let counter = |edge: &EdgeSite| if self.mode == Mode::Edges { edge.edges_counter } else { edge.values_counter };
        let count = |edge: &EdgeSite| {
            counter(edge).map(|counter| Hook::Mark(Marker::Count, self.base.counter + counter, Vec::new()))
        };
        let mut hooks: Vec<Vec<Hook>> = sites.edges.iter().map(|edge| count(edge).into_iter().collect()).collect();
        for (index, node) in sites.nodes.iter().enumerate().filter(|(_, node)| self.on_edges(node)) {
            let number = self.base.value + index as u32;
            let Some((yes, no)) = node.branches else { continue };
            match self.position(sites, node.piece, yes, no).or_else(|| self.counted_side(sites, yes, no)) {
                Some((counter, other)) => {
                    hooks[other as usize].push(Hook::Mark(Marker::Turn, number, vec![self.number(counter)]));
                }
                None => {
                    for (edge, value) in [(yes, 1), (no, 0)] {
                        let value = vec![self.module.constant(1, value)];
                        hooks[edge as usize].push(Hook::Mark(Marker::Value, number, value));
                    }
                }
            }
        }
        if self.mode != Mode::Edges {
            sites.compounds.iter().for_each(|compound| self.compound(compound, sites, &mut hooks));
        }
        hooks
    }

    /// The counter that says how often the predicate of a piece was decided, and the lighter of its edges.
    fn position(&self, sites: &FunctionSites, piece: u32, yes: u32, no: u32) -> Option<(u32, u32)> {
        let counting = sites.pieces[piece as usize].counted_by?;
        let counter = sites.edges[counting as usize].values_counter?;
        let weight = |edge: u32| sites.edges[edge as usize].weight;
        Some((self.base.counter + counter, if weight(yes) < weight(no) { yes } else { no }))
    }

    /// The counter of one of two edges, the heavier if both have one, and the other edge.
    fn counted_side(&self, sites: &FunctionSites, yes: u32, no: u32) -> Option<(u32, u32)> {
        let (left, right) = (&sites.edges[yes as usize], &sites.edges[no as usize]);
        let sides = if left.weight >= right.weight { [(left, no), (right, yes)] } else { [(right, yes), (left, no)] };
        let counter = |(edge, other): (&EdgeSite, u32)| Some((self.base.counter + edge.values_counter?, other));
        sides.into_iter().find_map(counter)
    }

    /// Hooks of one compound condition: on edges into `hooks`, at nodes at once.
    fn compound(&self, compound: &CompoundSite, sites: &FunctionSites, hooks: &mut [Vec<Hook>]) {
        for (node, counter) in &compound.false_counters {
            let node = &sites.nodes[*node as usize];
            let builder = Builder::before(self.module, self.body.at(node.before));
            let Some(value) = self.value(&builder, node.logged) else { continue };
            let negated = builder.binary(LLVMOpcode::LLVMXor, value, self.module.constant(1, 1));
            self.build(&builder, Marker::CountIf, self.base.counter + counter, &[negated]);
        }
        if compound.path.is_empty() {
            return;
        }
        let entry = Builder::before(self.module, self.body.at(0));
        let slot = entry.slot(self.module.int(32));
        for hook in &compound.path {
            match *hook {
                PathHook::Set { edge, keep, offset } => hooks[edge as usize].push(Hook::SetPath { slot, keep, offset }),
                PathHook::CountEdge { edge, counter } => hooks[edge as usize].push(Hook::CountPath { slot, counter }),
                PathHook::CountNode { node, counter, paths } => {
                    self.count_node(&sites.nodes[node as usize], slot, counter, paths);
                }
            }
        }
    }

    fn count_node(&self, node: &NodeSite, slot: Value, counter: u32, paths: u32) {
        let builder = Builder::before(self.module, self.body.at(node.before));
        let Some(value) = self.value(&builder, node.logged) else { return };
        let skipped = builder.select(value, self.number(0), self.number(paths));
        let path = builder.load(self.module.int(32), slot);
        let offset = builder.binary(LLVMOpcode::LLVMAdd, path, skipped);
        self.build(&builder, Marker::CountAt, self.base.counter + counter, &[offset]);
    }

    fn on_edges(&self, node: &NodeSite) -> bool {
        self.mode == Mode::Values && node.branches.is_some()
    }

    fn build_all(&self, before: Value, hooks: &[Hook]) {
        let builder = Builder::before(self.module, before);
        let path = |slot: Value| builder.load(self.module.int(32), slot);
        for hook in hooks {
            match hook {
                Hook::Mark(marker, number, arguments) => self.build(&builder, *marker, *number, arguments),
                Hook::SetPath { slot, keep: false, offset } => builder.store(self.number(*offset), *slot),
                Hook::SetPath { slot, keep: true, offset } => {
                    builder.store(builder.binary(LLVMOpcode::LLVMAdd, path(*slot), self.number(*offset)), *slot);
                }
                Hook::CountPath { slot, counter } => {
                    self.build(&builder, Marker::CountAt, self.base.counter + counter, &[path(*slot)]);
                }
            }
        }
    }

    fn split(&self, terminator: u32, successors: &[u32], hooks: &[Hook]) {
        let terminator = self.body.at(terminator);
        let numbers: Vec<c_uint> = successors.to_vec();
        let block = ir::Block(llvm!(shim::suspect_split_edge(terminator.0, numbers.as_ptr(), numbers.len())));
        if let Some(jump) = block.terminator() {
            self.build_all(jump, hooks);
        }
    }

    fn node(&self, node: &NodeSite, number: u32) {
        let is_asked = self.mode == Mode::Trace;
        if self.on_edges(node) || (is_asked && node.true_counter.is_none()) {
            return;
        }
        let before = self.body.at(node.before);
        let builder = Builder::before(self.module, before);
        let Some(value) = self.value(&builder, node.logged) else { return };
        // What a constant's trajectory is its count says.
        if !is_asked && !value.is_constant() {
            self.build(&builder, Marker::Value, number, &[value]);
        }
        if let Some(counter) = node.true_counter {
            self.build(&builder, Marker::CountIf, self.base.counter + counter, &[value]);
        }
    }

    fn value(&self, builder: &Builder, logged: Logged) -> Option<Value> {
        match logged {
            Logged::Operand(position, operand) => {
                let instruction = self.body.at(position);
                match instruction.is(LLVMOpcode::LLVMPHI) {
                    true => instruction.incoming().get(operand as usize).map(|incoming| incoming.0),
                    false => instruction.operand(operand),
                }
            }
            Logged::Bits(position, operand, shift, bits) => {
                let value = self.body.at(position).operand(operand)?;
                let width = value.kind().int_bits();
                let shifted =
                    builder.binary(LLVMOpcode::LLVMLShr, value, self.module.constant(width, u64::from(shift)));
                let mask = u64::MAX >> (64 - bits.clamp(1, 64));
                Some(builder.binary(LLVMOpcode::LLVMAnd, shifted, self.module.constant(width, mask)))
            }
            Logged::Updated(position) => {
                let update = self.body.at(position);
                update.operand(1).map(|operand| left_by(builder, update, operand).0)
            }
        }
    }
}
