//! Which nodes the code can make direct causes of a node.

use std::collections::HashMap;

use suspect_format::dependence::Operation;

use super::code::Use;
use super::walk::Slicer;
use crate::program::NodeKind;

impl Slicer<'_> {
    /// For each node, the nodes that may be its direct causes, ascending: those of its own function, its parameters among them; for a
    /// parameter, those of the functions that call it; where its line calls functions, what those return; where its line
    /// reads memory that other functions may write (globals, and what pointers lead to), what is assigned there.
    ///
    /// Instructions belong to the nodes of their line, so a line with several statements gives each the causes of all.
    pub fn node_sources(&self) -> Vec<Vec<u32>> {
        let at_line = self.nodes_by_line();
        let of_class = self.nodes_by_class(&at_line);
        let mut sources: Vec<Vec<u32>> = self
            .program
            .nodes
            .iter()
            .map(|node| self.program.functions[node.function as usize].nodes.clone().collect())
            .collect();
        for (callee, calls) in self.callers.iter().enumerate() {
            let callee = self.code.functions[callee].function;
            let callers = calls.iter().map(|call| self.owner(*call)).collect::<Vec<u32>>();
            for node in self.program.functions[callee as usize].nodes.clone() {
                if self.program.nodes[node as usize].kind == NodeKind::Parameter {
                    let nodes =
                        callers.iter().flat_map(|caller| self.program.functions[*caller as usize].nodes.clone());
                    sources[node as usize].extend(nodes);
                }
            }
        }
        for instruction in 0..self.code.instructions.len() as u32 {
            let Some(nodes) = self.line(instruction).and_then(|line| at_line.get(&line)) else { continue };
            let found = self.sources_of(instruction, &of_class);
            for node in nodes {
                sources[*node as usize].extend(&found);
            }
        }
        for (node, sources) in (0..).zip(&mut sources) {
            sources.sort_unstable();
            sources.dedup();
            sources.retain(|source| *source != node);
        }
        sources
    }

    /// The program's function that an instruction is in.
    fn owner(&self, instruction: u32) -> u32 {
        self.code.functions[self.code.instructions[instruction as usize].function as usize].function
    }

    fn line(&self, instruction: u32) -> Option<(u32, u32)> {
        Some((self.owner(instruction), self.code.instructions[instruction as usize].line?))
    }

    fn nodes_by_line(&self) -> HashMap<(u32, u32), Vec<u32>> {
        let mut at_line: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        for (id, node) in (0..).zip(&self.program.nodes) {
            if let Some(line) = node.line {
                at_line.entry((node.function, line)).or_default().push(id);
            }
        }
        at_line
    }

    /// The assignments that may write each class of memory.
    fn nodes_by_class(&self, at_line: &HashMap<(u32, u32), Vec<u32>>) -> HashMap<u32, Vec<u32>> {
        let assigned = |instruction: &u32| {
            let nodes = self.line(*instruction).and_then(|line| at_line.get(&line)).into_iter().flatten().copied();
            nodes.filter(|node| self.program.nodes[*node as usize].kind == NodeKind::Assignment).collect::<Vec<u32>>()
        };
        let nodes = |writers: &Vec<u32>| {
            let mut nodes: Vec<u32> = writers.iter().flat_map(assigned).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        self.writers.iter().map(|(class, writers)| (*class, nodes(writers))).collect()
    }

    /// Nodes of other functions that an instruction takes something from.
    fn sources_of(&self, instruction: u32, of_class: &HashMap<u32, Vec<u32>>) -> Vec<u32> {
        let record = &self.code.instructions[instruction as usize];
        let uses = self.code.uses_of(instruction);
        let content = |address: &Use| -> Vec<u32> {
            match self.local(record.function, *address) {
                Some(_) => Vec::new(),
                None => {
                    let class = self.memory.class(self.code, record.function, *address);
                    class.and_then(|class| of_class.get(&class)).cloned().unwrap_or_default()
                }
            }
        };
        match (record.operation, uses) {
            (Operation::Load, [address, ..]) | (Operation::Copy, [_, address, ..]) => content(address),
            (Operation::Call, [callee, arguments @ ..]) => {
                let callees = self.memory.callees(self.code, record.function, *callee);
                if callees.is_empty() {
                    return arguments.iter().flat_map(content).collect();
                }
                let nodes = |callee: u32| {
                    let function = self.code.functions[callee as usize].function;
                    self.program.functions[function as usize].nodes.clone()
                };
                let is_return = |node: &u32| self.program.nodes[*node as usize].kind == NodeKind::Return;
                callees.into_iter().flat_map(nodes).filter(is_return).collect()
            }
            _ => Vec::new(),
        }
    }
}
