//! Labels of switches: the compiler gives them no place, so the lines that they are on carry no code for it.

use serde::{Deserialize, Serialize};

use super::{Line, Program};

/// A `case` of a `switch` that the source says what the program knows of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The node of the value that is switched on: several where the same source is compiled several times.
    pub nodes: Vec<u32>,
    /// Line of its constant, in the file of the switch.
    pub line: u32,
    /// Column where its constant begins.
    pub column: u32,
    /// The constant as it is written, on one line.
    pub text: String,
    /// The constant, sign-extended.
    pub value: i64,
    /// Whether it is written as a character.
    pub character: bool,
}

impl Program {
    /// Takes note of labels. Each is evaluated whenever its switch is: its line belongs to the piece of the switch unless there is other code
    /// on it. Lines are numbered anew, so that this comes before anything that has their numbers. Labels of what the program does
    /// not have are left out.
    pub fn set_labels(&mut self, mut labels: Vec<Label>) {
        labels.retain(|label| {
            !label.nodes.is_empty() && label.nodes.iter().all(|node| (*node as usize) < self.nodes.len())
        });
        let of_labels: Vec<Line> = labels.iter().map(|label| self.line_of(label)).collect();
        let mut lines: Vec<Line> = self.lines.iter().chain(&of_labels).copied().collect();
        lines.sort_unstable();
        lines.dedup();
        let number = |line: &Line| lines.partition_point(|one| one < line) as u32;
        let new: Vec<u32> = self.lines.iter().map(number).collect();
        let renumber = |line: &mut u32| *line = new.get(*line as usize).copied().unwrap_or(*line);
        self.pieces.iter_mut().flat_map(|piece| &mut piece.lines).for_each(renumber);
        self.blocks.iter_mut().flat_map(|block| &mut block.lines).for_each(renumber);
        self.nodes.iter_mut().filter_map(|node| node.line.as_mut()).for_each(renumber);
        let only: Vec<bool> = lines.iter().map(|line| self.lines.binary_search(line).is_err()).collect();
        for (label, line) in labels.iter().zip(of_labels.iter().map(number)).filter(|(_, line)| only[*line as usize]) {
            for node in &label.nodes {
                let piece = &mut self.pieces[self.nodes[*node as usize].piece as usize];
                insert(&mut piece.lines, line);
                insert(&mut self.blocks[piece.block as usize].lines, line);
            }
        }
        (self.lines, self.only_labels, self.labels) = (lines, only, labels);
    }

    fn line_of(&self, label: &Label) -> Line {
        // All its nodes are in the one file.
        Line { file: self.nodes[label.nodes[0] as usize].place.file, line: label.line }
    }

    /// The number of the line that a label of the program's is on.
    pub fn label_line(&self, label: &Label) -> Option<u32> {
        self.lines.binary_search(&self.line_of(label)).ok().map(|line| line as u32)
    }

    /// The lines of a block that hold code, in the file: those of labels of its switch may be far from it.
    pub fn compiled_lines(&self, block: u32) -> impl Iterator<Item = u32> {
        let lines = self.blocks[block as usize].lines.iter().filter(|line| !self.is_label_line(**line));
        lines.map(|line| self.lines[*line as usize].line)
    }

    /// Whether nothing but labels of switches makes this one of the program's lines: the compiler put no code there.
    pub fn is_label_line(&self, line: u32) -> bool {
        self.only_labels.get(line as usize).copied().unwrap_or(false)
    }
}

fn insert(sorted: &mut Vec<u32>, number: u32) {
    if let Err(at) = sorted.binary_search(&number) {
        sorted.insert(at, number);
    }
}
