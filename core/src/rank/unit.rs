//! What is ranked: lines, blocks, functions, nodes or predicates of a program.

use crate::program::{Execution, NodeKind, Place, Program};

/// How finely a program is ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Granularity {
    /// Source lines that carry code.
    #[default]
    Line,
    /// Basic blocks.
    Block,
    /// Functions.
    Function,
    /// Program elements whose values are logged.
    Node,
    /// Conditions and operands of `&&` and `||`.
    Predicate,
}

impl Granularity {
    /// All of them, from what is usual to what is special.
    pub const ALL: [Granularity; 5] =
        [Granularity::Line, Granularity::Block, Granularity::Function, Granularity::Node, Granularity::Predicate];

    /// What the command line and JSON call it.
    pub fn name(self) -> &'static str {
        match self {
            Granularity::Line => "line",
            Granularity::Block => "block",
            Granularity::Function => "function",
            Granularity::Node => "node",
            Granularity::Predicate => "predicate",
        }
    }
}

/// A ranked unit, by its index in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RankedUnit {
    /// Index into [`Program::lines`].
    Line(u32),
    /// Index into [`Program::blocks`].
    Block(u32),
    /// Index into [`Program::functions`].
    Function(u32),
    /// Index into [`Program::nodes`]; predicates are nodes.
    Node(u32),
}

impl RankedUnit {
    /// Where it is: a line itself, the first line of a block or function, the place of a node.
    pub fn place(self, program: &Program) -> Place {
        match self {
            RankedUnit::Line(line) => line_place(program, line),
            RankedUnit::Block(block) => {
                let block = &program.blocks[block as usize];
                let function = program.functions[block.function as usize].place;
                block.lines.first().map_or(function, |&line| line_place(program, line))
            }
            RankedUnit::Function(function) => program.functions[function as usize].place,
            RankedUnit::Node(node) => program.nodes[node as usize].place,
        }
    }

    /// The function it is in; `None` for a line, which may lie in several.
    pub fn function(self, program: &Program) -> Option<u32> {
        match self {
            RankedUnit::Line(_) => None,
            RankedUnit::Block(block) => Some(program.blocks[block as usize].function),
            RankedUnit::Function(function) => Some(function),
            RankedUnit::Node(node) => Some(program.nodes[node as usize].function),
        }
    }
}

fn line_place(program: &Program, line: u32) -> Place {
    let line = program.lines[line as usize];
    Place { file: line.file, line: line.line, column: 0 }
}

/// The ranked units of a program, in the order of the code: by file, line and column. A unit's position here is its column in a
/// coverage matrix and its index in a ranking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units {
    granularity: Granularity,
    ids: Vec<u32>,
}

impl Units {
    /// The units of `program`.
    pub fn new(program: &Program, granularity: Granularity) -> Self {
        let all = |n: usize| (0..n as u32).collect::<Vec<u32>>();
        let mut ids = match granularity {
            Granularity::Line => all(program.lines.len()),
            Granularity::Block => all(program.blocks.len()),
            Granularity::Function => all(program.functions.len()),
            Granularity::Node => all(program.nodes.len()),
            Granularity::Predicate => {
                let is_predicate = |id: &u32| program.nodes[*id as usize].kind == NodeKind::Predicate;
                all(program.nodes.len()).into_iter().filter(is_predicate).collect()
            }
        };
        ids.sort_by_key(|&id| unit(granularity, id).place(program));
        Units { granularity, ids }
    }

    /// These units less those at `positions`: as if the program did not have them.
    pub fn without(&self, positions: &[u32]) -> Self {
        let mut keep = vec![true; self.ids.len()];
        for position in positions {
            keep[*position as usize] = false;
        }
        let kept = self.ids.iter().zip(keep).filter(|(_, keep)| *keep).map(|(id, _)| *id);
        Units { granularity: self.granularity, ids: kept.collect() }
    }

    /// How finely.
    pub fn granularity(&self) -> Granularity {
        self.granularity
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether the program has none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The unit at a position.
    pub fn get(&self, position: u32) -> RankedUnit {
        unit(self.granularity, self.ids[position as usize])
    }

    /// The units in order.
    pub fn iter(&self) -> impl Iterator<Item = RankedUnit> + '_ {
        self.ids.iter().map(|&id| unit(self.granularity, id))
    }

    /// How large each unit is: one, and one for each node (value computed, parameter, decision) that it has.
    pub fn sizes(&self, program: &Program) -> Vec<u64> {
        let mut sizes = std::collections::HashMap::new();
        for (number, node) in (0..).zip(&program.nodes) {
            let id = match self.granularity {
                Granularity::Line => node.line,
                Granularity::Block => Some(program.pieces[node.piece as usize].block),
                Granularity::Function => Some(node.function),
                Granularity::Node | Granularity::Predicate => Some(number),
            };
            *sizes.entry(id).or_insert(1) += 1;
        }
        self.ids.iter().map(|id| sizes.get(&Some(*id)).copied().unwrap_or(1)).collect()
    }

    /// Positions of the units that `execution` executed, ascending: a row of a coverage matrix.
    pub fn executed(&self, program: &Program, execution: &Execution) -> Vec<u32> {
        let entered =
            |pieces: std::ops::Range<u32>| pieces.into_iter().any(|piece| execution.pieces[piece as usize] > 0);
        let is_executed: Vec<bool> = match self.granularity {
            Granularity::Line => {
                let mut lines = vec![false; program.lines.len()];
                let pieces = program.pieces.iter().zip(&execution.pieces).filter(|(_, count)| **count > 0);
                pieces.flat_map(|(piece, _)| &piece.lines).for_each(|&line| lines[line as usize] = true);
                lines
            }
            Granularity::Block => program.blocks.iter().map(|block| entered(block.pieces.clone())).collect(),
            Granularity::Function => {
                program.functions.iter().map(|function| entered(function.pieces.clone())).collect()
            }
            Granularity::Node | Granularity::Predicate => execution.nodes.iter().map(|count| *count > 0).collect(),
        };
        (0..self.ids.len() as u32).filter(|&at| is_executed[self.ids[at as usize] as usize]).collect()
    }

    /// Scores of the units from scores of blocks: a line or function takes the maximum over its blocks, a node its block's.
    /// Negative infinity for what lies in no block.
    pub fn from_blocks(&self, program: &Program, scores: &[f64]) -> Vec<f64> {
        match self.granularity {
            Granularity::Line => {
                let of_blocks = program.blocks.iter().zip(scores);
                let pairs = of_blocks.flat_map(|(block, &score)| block.lines.iter().map(move |&line| (line, score)));
                self.maxima(program.lines.len(), pairs)
            }
            Granularity::Block => self.maxima(scores.len(), (0..).zip(scores.iter().copied())),
            Granularity::Function => {
                let pairs = program.blocks.iter().zip(scores).map(|(block, &score)| (block.function, score));
                self.maxima(program.functions.len(), pairs)
            }
            Granularity::Node | Granularity::Predicate => {
                let score = |piece: u32| scores[program.pieces[piece as usize].block as usize];
                self.ids.iter().map(|&id| score(program.nodes[id as usize].piece)).collect()
            }
        }
    }

    /// Scores of the units from scores of nodes: a line, block or function takes the maximum over its nodes. Negative infinity
    /// for what holds no node.
    pub fn from_nodes(&self, program: &Program, scores: &[f64]) -> Vec<f64> {
        let nodes = program.nodes.iter().zip(scores.iter().copied());
        match self.granularity {
            Granularity::Line => {
                let pairs = nodes.filter_map(|(node, score)| node.line.map(|line| (line, score)));
                self.maxima(program.lines.len(), pairs)
            }
            Granularity::Block => {
                let block = |piece: u32| program.pieces[piece as usize].block;
                self.maxima(program.blocks.len(), nodes.map(|(node, score)| (block(node.piece), score)))
            }
            Granularity::Function => {
                self.maxima(program.functions.len(), nodes.map(|(node, score)| (node.function, score)))
            }
            Granularity::Node | Granularity::Predicate => self.ids.iter().map(|&id| scores[id as usize]).collect(),
        }
    }

    /// Scores of the units from scores of lines: a block or function takes the maximum over its lines, a node its line's.
    /// Negative infinity for what has no line.
    pub fn from_lines(&self, program: &Program, scores: &[f64]) -> Vec<f64> {
        let blocks = (0..).zip(&program.blocks);
        match self.granularity {
            Granularity::Line => self.ids.iter().map(|&id| scores[id as usize]).collect(),
            Granularity::Block => {
                let pairs =
                    blocks.flat_map(|(at, block)| block.lines.iter().map(move |&line| (at, scores[line as usize])));
                self.maxima(program.blocks.len(), pairs)
            }
            Granularity::Function => {
                let pairs = program
                    .blocks
                    .iter()
                    .flat_map(|block| block.lines.iter().map(|&line| (block.function, scores[line as usize])));
                self.maxima(program.functions.len(), pairs)
            }
            Granularity::Node | Granularity::Predicate => {
                let score =
                    |id: &u32| program.nodes[*id as usize].line.map_or(f64::NEG_INFINITY, |line| scores[line as usize]);
                self.ids.iter().map(score).collect()
            }
        }
    }

    /// For each unit, the maximum score given to its index in the program.
    fn maxima(&self, n_ids: usize, scores: impl Iterator<Item = (u32, f64)>) -> Vec<f64> {
        let mut maxima = vec![f64::NEG_INFINITY; n_ids];
        for (id, score) in scores {
            maxima[id as usize] = maxima[id as usize].max(score);
        }
        self.ids.iter().map(|&id| maxima[id as usize]).collect()
    }
}

fn unit(granularity: Granularity, id: u32) -> RankedUnit {
    match granularity {
        Granularity::Line => RankedUnit::Line(id),
        Granularity::Block => RankedUnit::Block(id),
        Granularity::Function => RankedUnit::Function(id),
        Granularity::Node | Granularity::Predicate => RankedUnit::Node(id),
    }
}
