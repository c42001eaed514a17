//! Ranked units of a program as the entries of a report.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::program::{NodeKind, Program};
use crate::rank::{RankedUnit, Ranking, Standing, TieBreak, Units};
use crate::rank_inputs::MethodInput;
use crate::report::{Entry, Score};

/// The entries of a ranking, in its order.
pub fn entries(program: &Program, units: &Units, ranking: &Ranking, ties: TieBreak, input: &MethodInput) -> Vec<Entry> {
    let owners = line_owners(program);
    let standings: Vec<Standing> = ranking.iter().collect();
    standings.par_iter().map(|standing| entry(program, units, standing, ties, input, &owners)).collect()
}

/// For each line, the first function that has code there and around it; generated code may claim a line of another function.
pub fn line_owners(program: &Program) -> HashMap<u32, u32> {
    let is_around = |function: u32, line: u32| {
        let (function, line) = (&program.functions[function as usize], program.lines[line as usize]);
        function.place.file == line.file && (function.place.line..=function.last_line).contains(&line.line)
    };
    let mut owners = HashMap::new();
    for block in &program.blocks {
        for line in &block.lines {
            let owner = owners.entry(*line).or_insert(block.function);
            if !is_around(*owner, *line) && is_around(block.function, *line) {
                *owner = block.function;
            }
        }
    }
    owners
}

fn entry(
    program: &Program,
    units: &Units,
    standing: &Standing,
    ties: TieBreak,
    input: &MethodInput,
    owners: &HashMap<u32, u32>,
) -> Entry {
    let unit = units.get(standing.unit);
    let place = unit.place(program);
    let file = program.files.get(place.file as usize).cloned().unwrap_or_default();
    let function = match unit {
        RankedUnit::Line(line) => owners.get(&line).copied(),
        unit => unit.function(program),
    };
    let function = function.map(|id| program.functions[id as usize].name.clone()).unwrap_or_default();
    Entry {
        rank: standing.position(ties),
        rank_best: standing.best,
        rank_worst: standing.worst,
        score: Score(standing.score),
        unit: describe(program, unit, &file, place.line, &function),
        last_line: last_line(program, unit).max(place.line),
        line: place.line,
        file,
        function,
        evidence: input.evidence(standing.unit),
        probability: None,
        reasons: Vec::new(),
    }
}

fn last_line(program: &Program, unit: RankedUnit) -> u32 {
    match unit {
        RankedUnit::Block(block) => program.compiled_lines(block).max().unwrap_or(0),
        RankedUnit::Function(function) => program.functions[function as usize].last_line,
        RankedUnit::Line(_) | RankedUnit::Node(_) => 0,
    }
}

fn describe(program: &Program, unit: RankedUnit, file: &str, line: u32, function: &str) -> String {
    match unit {
        RankedUnit::Line(_) => format!("{file}:{line}"),
        RankedUnit::Function(_) => format!("{function}()"),
        RankedUnit::Block(block) => {
            let first = program.functions[program.blocks[block as usize].function as usize].blocks.start;
            format!("block {} of {function}()", block - first)
        }
        RankedUnit::Node(node) => {
            let node = &program.nodes[node as usize];
            let what = if node.expression.is_empty() { &node.variable } else { &node.expression };
            format!("{} `{what}` at {file}:{line}", kind_name(node.kind))
        }
    }
}

fn kind_name(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Assignment => "assignment to",
        NodeKind::Parameter => "parameter",
        NodeKind::Predicate => "predicate",
        NodeKind::Switch => "switch on",
        NodeKind::Return => "returned value",
    }
}
