//! Ranked units by what the user calls them, and those that are left out of a ranking.

use std::collections::HashSet;

use crate::cli::args::RankArguments;
use crate::cli::exit::{Exit, Failure};
use crate::program::{Program, is_of_system};
use crate::rank::{RankedUnit, Units};
use crate::store::{Run, Store};

/// Positions of the ranked units that the user found innocent, now or earlier.
pub fn innocents(
    store: &Store,
    program: &Program,
    units: &Units,
    arguments: &RankArguments,
) -> Result<Vec<u32>, Failure> {
    let mut names = if arguments.forget_innocent { Vec::new() } else { store.load_cleared()? };
    let mut positions = Vec::new();
    for name in &arguments.innocent {
        if resolve(program, units, name).is_empty() {
            let message =
                format!("--innocent {name}: no code here; give FILE:LINE or FUNCTION() as a ranking shows them");
            return Err(Failure::new(Exit::Usage, message));
        }
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if !arguments.innocent.is_empty() || arguments.forget_innocent {
        let _lock = store.lock()?;
        store.save_cleared(&names)?;
    }
    for name in &names {
        positions.extend(resolve(program, units, name));
    }
    positions.sort_unstable();
    positions.dedup();
    Ok(positions)
}

/// Positions of ranked units that are left out of every ranking: those in the system's headers, which the user did not write and cannot mend, and
/// those of tests that are trusted.
pub fn left_out(run: &Run, units: &Units) -> Result<Vec<u32>, Failure> {
    let program = &run.program;
    let trusted = run.trusted_files()?;
    let is_left_out = |unit: RankedUnit| {
        let file = unit.place(program).file;
        trusted.contains(&file) || program.files.get(file as usize).is_some_and(|file| is_of_system(file))
    };
    Ok((0..).zip(units.iter()).filter(|(_, unit)| is_left_out(*unit)).map(|(position, _)| position).collect())
}

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
