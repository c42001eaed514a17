//! Site tables as owned data, and the counts that follow from counters.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use suspect_format::site::*;

/// A node, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedNode {
    pub piece: u32,
    pub value: u32,
    pub branches: Option<(u32, u32)>,
    pub true_counter: Option<u32>,
    pub text: String,
}

/// A compound condition: its nodes, and each sequence's steps and count.
pub type OwnedCompound = (Vec<u32>, Vec<(Vec<u32>, SequenceCount)>);

/// A function's records.
#[derive(Clone, Debug)]
pub struct OwnedFunction {
    pub name: String,
    pub pieces: Vec<Piece>,
    pub lines: Vec<Vec<u32>>,
    pub edges: Vec<Edge>,
    pub nodes: Vec<OwnedNode>,
    pub compounds: Vec<OwnedCompound>,
    pub variables: Vec<(String, String)>,
    pub operations: Vec<OwnedOperation>,
}

/// An operation and what could be read in a variable's place.
#[derive(Clone, Debug)]
pub struct OwnedOperation {
    pub operation: Operation,
    pub others: Vec<u32>,
}

/// A unit's table.
#[derive(Clone, Debug)]
pub struct OwnedUnit {
    pub hash: u64,
    pub source: String,
    pub modes: u32,
    pub n_counters: u32,
    pub functions: Vec<OwnedFunction>,
    pub escapes: Vec<(String, String)>,
}

/// The tables in an object or executable.
pub fn tables(file: &Path) -> Vec<OwnedUnit> {
    let raw = file.with_extension("sites");
    let mut objcopy = Command::new(format!("llvm-objcopy-{}", super::LLVM));
    objcopy
        .args(["-O", "binary", "--only-section=.suspect", "--set-section-flags", ".suspect=alloc"])
        .arg(file)
        .arg(&raw);
    super::must(&mut objcopy);
    let bytes = std::fs::read(raw).unwrap();
    let mut section = Cursor::new(&bytes);
    std::iter::from_fn(|| next_table(&mut section).unwrap()).map(|(header, body)| unit(header, body)).collect()
}

fn unit(header: Header, mut body: Cursor) -> OwnedUnit {
    let unit = Unit::decode(&mut body).unwrap();
    (0..unit.n_files).for_each(|_| assert!(!body.text().unwrap().is_empty()));
    let functions = (0..unit.n_functions).map(|_| function(&mut body)).collect();
    let escape = |escape: Escape| (escape.name.to_owned(), escape.reason.to_owned());
    let escapes = (0..unit.n_escapes).map(|_| escape(Escape::decode(&mut body).unwrap())).collect();
    assert!(body.rest().is_empty());
    let (source, modes, n_counters) = (unit.source.to_owned(), unit.modes, unit.n_counters);
    OwnedUnit { hash: header.unit_hash, source, modes, n_counters, functions, escapes }
}

fn function(body: &mut Cursor) -> OwnedFunction {
    let head = Function::decode(body).unwrap();
    let mut function = OwnedFunction {
        name: head.name.to_owned(),
        pieces: Vec::new(),
        lines: Vec::new(),
        edges: Vec::new(),
        nodes: Vec::new(),
        compounds: Vec::new(),
        variables: Vec::new(),
        operations: Vec::new(),
    };
    for _ in 0..head.n_pieces {
        let piece = Piece::decode(body).unwrap();
        function.lines.push((0..piece.n_lines).map(|_| Place::decode(body).unwrap().line).collect());
        function.pieces.push(piece);
    }
    function.edges.extend((0..head.n_edges).map(|_| Edge::decode(body).unwrap()));
    function.nodes.extend((0..head.n_nodes).map(|_| node(Node::decode(body).unwrap())));
    for _ in 0..head.n_compounds {
        let compound = Compound::decode(body).unwrap();
        let conditions = (0..compound.n_conditions).map(|_| body.small().unwrap()).collect();
        let sequence = |body: &mut Cursor| {
            let sequence = Sequence::decode(body).unwrap();
            ((0..sequence.n_steps).map(|_| body.small().unwrap()).collect(), sequence.count)
        };
        function.compounds.push((conditions, (0..compound.n_sequences).map(|_| sequence(body)).collect()));
    }
    for _ in 0..head.n_variables {
        let variable = Variable::decode(body).unwrap();
        function.variables.push((variable.name.to_owned(), variable.type_name.to_owned()));
    }
    for _ in 0..head.n_operations {
        let operation = Operation::decode(body).unwrap();
        let n_others = if let OperationKind::Read { n_others, .. } = operation.kind { n_others } else { 0 };
        let others = (0..n_others).map(|_| body.small().unwrap()).collect();
        function.operations.push(OwnedOperation { operation, others });
    }
    function
}

fn node(node: Node) -> OwnedNode {
    let text = format!(
        "{:?} {:?}/{} {}:{} {} : {} `{}` #{}",
        node.kind,
        node.class,
        node.width,
        node.place.line,
        node.place.column,
        node.variable,
        node.type_name,
        node.expression,
        node.ordinal
    );
    let branches = node.true_edge.zip(node.false_edge);
    OwnedNode { piece: node.piece, value: node.value, branches, true_counter: node.true_counter, text }
}

/// The units' words that the test runtime wrote: by hash, counters first.
pub fn words(file: &Path) -> HashMap<u64, Vec<u64>> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut units: HashMap<u64, Vec<u64>> = HashMap::new();
    let mut current = 0;
    for line in text.lines().skip(1) {
        match line.strip_prefix("unit ") {
            Some(rest) => {
                current = rest.split(' ').next().unwrap().parse().unwrap();
                units.entry(current).or_default();
            }
            None => units.get_mut(&current).unwrap().push(line.parse().unwrap()),
        }
    }
    units
}

impl OwnedFunction {
    /// How often each edge was taken; `edges_mode` says which counters to use and that calls conserve flow.
    pub fn counts(&self, words: &[u64], edges_mode: bool) -> Vec<i64> {
        let counter = |edge: &Edge| if edges_mode { edge.edges_counter } else { edge.values_counter };
        let mut counts: Vec<Option<i64>> =
            self.edges.iter().map(|edge| counter(edge).map(|counter| words[counter as usize] as i64)).collect();
        loop {
            let mut changed = false;
            for piece in 0..self.pieces.len() as u32 {
                if !edges_mode && self.pieces[piece as usize].end == PieceEnd::Call {
                    continue;
                }
                let sign = |edge: &Edge| i64::from(edge.to == piece) - i64::from(edge.from == piece);
                let here: Vec<usize> = (0..counts.len()).filter(|index| sign(&self.edges[*index]) != 0).collect();
                let unknown: Vec<usize> = here.iter().copied().filter(|index| counts[*index].is_none()).collect();
                if let [unknown] = unknown[..] {
                    let sum: i64 =
                        here.iter().filter_map(|index| Some(sign(&self.edges[*index]) * counts[*index]?)).sum();
                    counts[unknown] = Some(-sum * sign(&self.edges[unknown]));
                    changed = true;
                }
            }
            if !changed {
                return counts.into_iter().map(|count| count.expect("the counters give every edge's count")).collect();
            }
        }
    }

    /// How often a piece was entered.
    pub fn entered(&self, counts: &[i64], piece: u32) -> i64 {
        self.edges.iter().zip(counts).filter(|(edge, _)| edge.to == piece).map(|(_, count)| count).sum()
    }
}
