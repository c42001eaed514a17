//! Site tables as owned data, and the counts that follow from counters.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use suspect_format::body;
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

/// The bytes of a section of an object or executable.
fn section(file: &Path, name: &str) -> Vec<u8> {
    let raw = file.with_extension(name);
    let mut objcopy = Command::new(format!("llvm-objcopy-{}", super::LLVM));
    objcopy
        .args(["-O", "binary", &format!("--only-section={name}"), "--set-section-flags", &format!("{name}=alloc")])
        .arg(file)
        .arg(&raw);
    super::must(&mut objcopy);
    std::fs::read(raw).unwrap()
}

/// The tables in an object or executable.
pub fn tables(file: &Path) -> Vec<OwnedUnit> {
    let bytes = section(file, ".suspect");
    let mut section = Cursor::new(&bytes);
    std::iter::from_fn(|| next_table(&mut section).unwrap()).map(|(header, body)| unit(header, body)).collect()
}

fn unit(header: Header, mut body: Cursor) -> OwnedUnit {
    let unit = Unit::decode(&mut body).unwrap();
    (0..unit.n_files).for_each(|_| assert!(!File::decode(&mut body).unwrap().name.is_empty()));
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
    function.nodes.extend((0..head.n_nodes).map(|_| node(body)));
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
        let n_others = operation.kind.n_others();
        let others = (0..n_others).map(|_| body.small().unwrap()).collect();
        function.operations.push(OwnedOperation { operation, others });
    }
    function
}

fn node(body: &mut Cursor) -> OwnedNode {
    let node = Node::decode(body).unwrap();
    let cases: String = (0..node.n_cases).map(|_| format!(" {}", body.signed().unwrap())).collect();
    let text = format!(
        "{:?} {:?}/{} {}:{} {} : {} `{}` #{}{cases}",
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

/// What the body tables of an object or executable hold: the names of the functions called, how many steps and recorded values there are.
#[derive(Debug, Default)]
pub struct Bodies {
    pub called: Vec<String>,
    pub steps: u32,
    pub recorded: u32,
}

/// Reads the body tables of `file`, whose site tables are `units`. Panics if something in them is out of bounds.
pub fn bodies(file: &Path, units: &[OwnedUnit]) -> Bodies {
    let bytes = section(file, body::SECTION);
    let mut section = Cursor::new(&bytes);
    let mut found = Bodies::default();
    let tables: Vec<Cursor> = std::iter::from_fn(|| next_table(&mut section).unwrap()).map(|(_, body)| body).collect();
    assert_eq!(tables.len(), units.len());
    for (mut cursor, unit) in tables.into_iter().zip(units) {
        let head = body::Unit::decode(&mut cursor).unwrap();
        assert_eq!((head.hash, head.n_functions as usize), (unit.hash, unit.functions.len()));
        let symbols: Vec<body::Symbol> =
            (0..head.n_symbols).map(|_| body::Symbol::decode(&mut cursor).unwrap()).collect();
        for _ in 0..head.n_functions {
            let function = body::Function::decode(&mut cursor).unwrap();
            BodyReader { cursor: &mut cursor, symbols: &symbols, function, found: &mut found }.read();
        }
        assert!(cursor.rest().is_empty());
    }
    found
}

struct BodyReader<'c, 'b, 'a> {
    cursor: &'c mut Cursor<'b>,
    symbols: &'a [body::Symbol<'b>],
    function: body::Function,
    found: &'a mut Bodies,
}

impl BodyReader<'_, '_, '_> {
    fn read(mut self) {
        let size = self.function.frame_size;
        assert!(self.function.arguments < size);
        for _ in 0..self.function.n_parameters {
            let parameter = body::Parameter::decode(self.cursor).unwrap();
            assert!(parameter.offset + u64::from(parameter.datum.bytes()) <= size);
        }
        for _ in 0..self.function.n_variables {
            let variable = body::Variable::decode(self.cursor).unwrap();
            assert!(!variable.name.is_empty() && variable.offset + variable.size <= size, "{variable:?}");
        }
        (0..self.function.n_symbols).for_each(|_| assert!(self.cursor.small().unwrap() < self.symbols.len() as u32));
        for _ in 0..self.function.n_blocks {
            let n_steps = self.cursor.small().unwrap();
            assert!(n_steps > 0);
            (0..n_steps).for_each(|step| self.step(step + 1 == n_steps));
        }
    }

    fn step(&mut self, is_last: bool) {
        use body::Action;
        let step = body::Step::decode(self.cursor).unwrap();
        self.found.steps += 1;
        let n_trees = match step.action {
            Action::Store(_) => 2,
            Action::Copy | Action::Fill => 3,
            Action::Dynamic { .. } => 1,
            Action::Call { callee, n_arguments, result, .. } => {
                assert!(result.is_none_or(|(datum, at)| at + u64::from(datum.bytes()) <= self.function.frame_size));
                self.call(callee, n_arguments);
                0
            }
            Action::Branch { then, otherwise } => {
                assert!(then.max(otherwise) < self.function.n_blocks);
                1
            }
            Action::Switch { default, n_cases, .. } => {
                assert!(default < self.function.n_blocks);
                self.tree();
                for _ in 0..n_cases {
                    assert!(body::Case::decode(self.cursor).unwrap().block < self.function.n_blocks);
                }
                0
            }
            Action::Jump(block) => {
                assert!(block < self.function.n_blocks);
                0
            }
            Action::Return(datum) => u32::from(datum.is_some()),
            Action::Unreachable => 0,
        };
        (0..n_trees).for_each(|_| self.tree());
        let leaves = matches!(
            step.action,
            Action::Branch { .. } | Action::Switch { .. } | Action::Jump(_) | Action::Return(_) | Action::Unreachable
        );
        assert_eq!(leaves, is_last, "{step:?}");
    }

    fn call(&mut self, callee: body::Callee, n_arguments: u32) {
        match callee {
            body::Callee::Symbol(symbol) | body::Callee::Setjmp(symbol) => {
                self.found.called.push(self.symbols[symbol as usize].name.to_owned());
            }
            body::Callee::Indirect => self.tree(),
            body::Callee::Version(_) | body::Callee::Assembly => {}
        }
        for _ in 0..n_arguments {
            body::Argument::decode(self.cursor).unwrap();
            self.tree();
        }
    }

    fn tree(&mut self) {
        use body::Token;
        let token = Token::decode(self.cursor).unwrap();
        self.found.recorded += u32::from(matches!(token, Token::Load(_, Some(_)) | Token::Opaque { .. }));
        match token {
            Token::Symbol(symbol, _) => assert!((symbol as usize) < self.symbols.len()),
            Token::Constant(of, bits) => assert!(of.bits() == 64 || bits >> of.bits() == 0, "{token:?}"),
            Token::Address { n_terms, .. } => {
                self.tree();
                for _ in 0..n_terms {
                    assert_ne!(body::factor(self.cursor).unwrap(), i64::MIN);
                    self.tree();
                }
                return;
            }
            _ => {}
        }
        (0..token.arity()).for_each(|_| self.tree());
    }
}
