//! Ranked units that the user found innocent.

use crate::cli::args::RankArguments;
use crate::cli::exit::{Exit, Failure};
use crate::program::Program;
use crate::rank::Units;
use crate::rank_inputs::resolve;
use crate::store::Store;

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
