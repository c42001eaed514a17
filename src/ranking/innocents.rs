//! Ranked units that the user found innocent.

use crate::obstacle::Obstacle;
use crate::program::Program;
use crate::rank::Units;
use crate::rank_inputs::resolve;
use crate::store::Store;

/// Positions of the ranked units that the user found innocent: those with the `new` names, which are remembered, and those of earlier,
/// unless they are to be forgotten.
///
/// # Errors
/// When a new name has no code, or the store cannot be read or written.
pub fn innocents(
    store: &Store,
    program: &Program,
    units: &Units,
    new: &[String],
    forget: bool,
) -> Result<Vec<u32>, Obstacle> {
    let mut names = if forget { Vec::new() } else { store.load_cleared()? };
    let mut positions = Vec::new();
    for name in new {
        if resolve(program, units, name).is_empty() {
            let message =
                format!("--innocent {name}: no code here; give FILE:LINE or FUNCTION() as a ranking shows them");
            return Err(Obstacle::new(Obstacle::Request, message));
        }
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if !new.is_empty() || forget {
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
