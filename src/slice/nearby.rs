//! Which nodes the code can make direct causes of a node: the safe parents of causal program dependence analysis.

use std::collections::{BTreeSet, HashMap};

use suspect_format::dependence::Operation;

use super::code::{Code, Use};
use super::memory::Memory;
use crate::program::{NodeKind, Program};

/// A line of a function, which is where a node is.
type Spot = (u32, Option<u32>);

/// For each node, ascending: the other nodes of its function (its parameters among them); of a parameter, the nodes of the
/// functions that call it; what the functions called on its line return; and all assignments to globals read on its line.
///
/// Lee, Binkley, Feldt, Gold & Yoo, Causal Program Dependence Analysis, "safe parents"; a line stands for a statement here, which
/// only lets in more.
pub fn safe_sources(program: &Program, code: &Code) -> Vec<Vec<u32>> {
    let reach = Reach::of(code);
    let of_function = |function: u32| program.functions[function as usize].nodes.clone();
    let is = |node: &u32, kind: NodeKind| program.nodes[*node as usize].kind == kind;
    let mut written: HashMap<&str, Vec<u32>> = HashMap::new();
    for (id, node) in (0..).zip(&program.nodes).filter(|(_, node)| node.kind == NodeKind::Assignment) {
        written.entry(node.variable.as_str()).or_default().push(id);
    }
    let sources = |(id, node): (u32, &crate::program::Node)| {
        let mut found: BTreeSet<u32> = of_function(node.function).collect();
        let spot = (node.function, node.line);
        let called = reach.called.get(&spot).into_iter().flatten();
        found.extend(called.flat_map(|function| of_function(*function)).filter(|node| is(node, NodeKind::Return)));
        let globals = reach.read.get(&spot).into_iter().flatten();
        found.extend(globals.filter_map(|name| written.get(name)).flatten());
        if node.kind == NodeKind::Parameter {
            let callers = reach.callers.get(&node.function).into_iter().flatten();
            found.extend(callers.flat_map(|function| of_function(*function)));
        }
        found.remove(&id);
        found.into_iter().collect()
    };
    (0..).zip(&program.nodes).map(sources).collect()
}

/// What the lines of functions call and read; functions by their ids in the program.
#[derive(Default)]
struct Reach<'c> {
    called: HashMap<Spot, BTreeSet<u32>>,
    callers: HashMap<u32, BTreeSet<u32>>,
    read: HashMap<Spot, BTreeSet<&'c str>>,
}

impl<'c> Reach<'c> {
    fn of(code: &'c Code) -> Reach<'c> {
        let memory = Memory::of(code);
        let mut reach = Reach::default();
        for (number, instruction) in (0..).zip(&code.instructions) {
            let caller = code.functions[instruction.function as usize].function;
            let spot = (caller, instruction.line);
            let Some(operand) = code.uses_of(number).first().copied() else { continue };
            match instruction.operation {
                Operation::Call => {
                    for callee in memory.callees(code, instruction.function, operand) {
                        let callee = code.functions[callee as usize].function;
                        reach.called.entry(spot).or_default().insert(callee);
                        reach.callers.entry(callee).or_default().insert(caller);
                    }
                }
                Operation::Load | Operation::Address => {
                    if let Use::Symbol(symbol) = operand {
                        reach.read.entry(spot).or_default().insert(code.symbols[symbol as usize].name.as_str());
                    }
                }
                _ => {}
            }
        }
        reach
    }
}
