//! Plans: where a node is about to take a value that pending overrides would change, a forked child for each of them.

use crate::trial::Taken;

/// The process whose plan it is starts: its first module is about to be ready, no code of the program has run.
///
/// # Safety
/// The trial file is mapped; this process has one thread.
pub unsafe fn prepare() {}

/// The first process of a plan reached `node`, some of whose overrides are pending, with a value: what the node takes.
///
/// # How it is called
/// By [`crate::trial`], when the role is `Plan` and the node's pending byte is set (all nodes that have overrides start with it
/// set; [`crate::trial::set_pending`] clears it, so that the node costs nothing any more). The node's state does not
/// count this execution yet: its number is [`crate::trial::execution`].
///
/// * [`crate::trial::overrides_of`] gives the node's overrides; [`crate::trial::would_change`] whether one applies here and changes the value.
/// * In a child: [`crate::trial::become_child`] switches states, counter of hooks and flags to the child's own, makes one
///   override the active one and the role `Single`; then the child returns [`crate::trial::apply`]'s answer from here.
/// * The parent returns `taken` as it came.
///
/// # Safety
/// Called by a hook, with the trial file mapped; `node` is less than the header's `n_nodes`.
pub unsafe fn reached(node: u32, taken: Taken) -> Taken {
    // SAFETY: vouched for by the caller.
    unsafe { crate::trial::set_pending(node, false) };
    taken
}
