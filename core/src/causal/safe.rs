//! Safe parents: which nodes the code can make direct causes of a node. [`crate::slice::Slicer::node_sources`] tells them.

/// For each node, the nodes that may be its direct causes (Lee et al., safe parents): those of its own function, which are its
/// function's parameters too, what the functions that it is assigned from return, and all nodes of globals that it reads. Parameters have
/// causes in the functions that call theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SafeRelation {
    sources: Vec<Vec<u32>>,
}

impl SafeRelation {
    /// The relation in which `sources` has the possible direct causes of each node.
    pub fn new(mut sources: Vec<Vec<u32>>) -> Self {
        for of_node in &mut sources {
            of_node.sort_unstable();
            of_node.dedup();
        }
        SafeRelation { sources }
    }

    /// Whether `cause` may be a direct cause of `effect`.
    pub fn is_safe(&self, effect: u32, cause: u32) -> bool {
        self.sources.get(effect as usize).is_some_and(|sources| sources.binary_search(&cause).is_ok())
    }
}
