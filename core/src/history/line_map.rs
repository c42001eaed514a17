//! Which lines of a text are which lines of a later one.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lines of two texts, matched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMap {
    /// For each new line, the old one; from 1, 0 for none.
    to_old: Vec<u32>,
    /// For each old line, the new one; from 1, 0 for none.
    to_new: Vec<u32>,
    /// New lines beside which old ones are gone without any in their place, ascending, from 1.
    beside_removed: Vec<u32>,
}

impl LineMap {
    /// Matches lines by Myers' algorithm on the parts between lines that occur once in each (patience).
    pub fn new(old: &str, new: &str) -> LineMap {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let mut map = LineMap { to_old: vec![0; new.len()], to_new: vec![0; old.len()], beside_removed: Vec::new() };
        for op in capture_diff_slices(Algorithm::Patience, &old, &new) {
            match op {
                DiffOp::Equal { old_index, new_index, len } => {
                    for at in 0..len {
                        map.to_old[new_index + at] = (old_index + at + 1) as u32;
                        map.to_new[old_index + at] = (new_index + at + 1) as u32;
                    }
                }
                DiffOp::Delete { new_index, .. } => {
                    let beside = [new_index, new_index + 1].into_iter().filter(|line| (1..=new.len()).contains(line));
                    map.beside_removed.extend(beside.map(|line| line as u32));
                }
                DiffOp::Insert { .. } | DiffOp::Replace { .. } => {}
            }
        }
        map
    }

    /// The old line that this new one is.
    pub fn to_old(&self, line: u32) -> Option<u32> {
        look(&self.to_old, line)
    }

    /// The new line that this old one is.
    pub fn to_new(&self, line: u32) -> Option<u32> {
        look(&self.to_new, line)
    }

    /// Whether old lines next to this new one are gone, without any in their place.
    pub fn is_beside_removed(&self, line: u32) -> bool {
        self.beside_removed.binary_search(&line).is_ok()
    }
}

fn look(lines: &[u32], line: u32) -> Option<u32> {
    let found = lines.get((line as usize).checked_sub(1)?)?;
    (*found > 0).then_some(*found)
}
