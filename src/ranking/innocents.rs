//! Ranked units that the user found innocent.

use super::request::RankRequest;
use crate::obstacle::Obstacle;
use crate::program::Program;
use crate::rank::Units;
use crate::rank_inputs::resolve;
use crate::store::Store;

/// Positions of the ranked units that the user found innocent, now or earlier.
pub fn innocents(store: &Store, program: &Program, units: &Units, request: &RankRequest) -> Result<Vec<u32>, Obstacle> {
    let mut names = if request.forget_innocent { Vec::new() } else { store.load_cleared()? };
    let mut positions = Vec::new();
    for name in &request.innocent {
        if resolve(program, units, name).is_empty() {
            let message =
                format!("--innocent {name}: no code here; give FILE:LINE or FUNCTION() as a ranking shows them");
            return Err(Obstacle::new(Obstacle::Request, message));
        }
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if !request.innocent.is_empty() || request.forget_innocent {
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
