//! Tests of higher-order mutants: on hand-made matrices, and against definitions enumerated literally.

mod effect;
mod judge;
mod plan;
mod sets;

use super::{EffectMatrix, FirstOrder, Pool};

/// A pool in which node k has `sizes[k]` mutants, each of an operation of its own.
pub fn pool(sizes: &[usize]) -> Pool {
    let nodes = (0..).zip(sizes).flat_map(|(node, size)| std::iter::repeat_n(Some(node), *size));
    let mutants: Vec<_> = (0..).zip(nodes).map(|(operation, node)| FirstOrder { node, operation }).collect();
    Pool::new(&mutants)
}

pub fn matrix(entries: &[(u32, u32, f64)]) -> EffectMatrix {
    EffectMatrix::of(entries.iter().map(|&(cause, effect, value)| ((cause, effect), value)))
}
