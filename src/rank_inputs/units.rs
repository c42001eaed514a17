//! Ranked units by the names that rankings show.

use std::collections::HashSet;

use crate::program::Program;
use crate::rank::{RankedUnit, Units};

/// Positions of the ranked units that `FILE:LINE` or `FUNCTION()` names.
pub fn resolve(program: &Program, units: &Units, name: &str) -> Vec<u32> {
    let positions = |wanted: &dyn Fn(RankedUnit) -> bool| {
        (0..).zip(units.iter()).filter(|(_, unit)| wanted(*unit)).map(|(position, _)| position).collect()
    };
    if let Some(function) = name.strip_suffix("()") {
        let named = |id: u32| program.functions[id as usize].name == function;
        let blocks = program.blocks.iter().filter(|block| named(block.function));
        let lines: HashSet<u32> = blocks.flat_map(|block| block.lines.iter().copied()).collect();
        return positions(&|unit| match unit {
            RankedUnit::Line(line) => lines.contains(&line),
            unit => unit.function(program).is_some_and(named),
        });
    }
    let Some((file, line)) = name.rsplit_once(':') else { return Vec::new() };
    positions(&|unit| {
        let place = unit.place(program);
        program.files.get(place.file as usize).is_some_and(|path| path == file) && line.parse() == Ok(place.line)
    })
}
