//! The instructions of a recorded program, from the dependence tables of its run.

use crate::obstacle::Obstacle;
use crate::slice::{Code, Slicer};
use crate::store::Run;

/// The direct dependences between the lines of a run's program.
pub fn line_dependences(run: &Run) -> Result<Vec<(u32, u32)>, Obstacle> {
    let code = load_code(run)?;
    Ok(Slicer::new(&run.program, &code).line_dependences())
}

/// The instructions of a run's program.
pub fn load_code(run: &Run) -> Result<Code, Obstacle> {
    let sections = run.dependences()?;
    let named: Vec<(String, &[u8])> = sections.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())).collect();
    Code::load(&run.program, &named).map_err(Obstacle::of(Obstacle::Store))
}
