//! The trial file: what a process is to override, what it is compared with, and what it did.
//!
//! `suspect` makes it for a test, the runtime maps it shared at [`TRIAL_ADDRESS`] in every module of every process that
//! finds its path in [`crate::abi::ENV_TRIAL`]. Nothing is recorded. In the mode `trace` the `trace` version of each function runs: each value
//! that a node takes is compared with the oracle's trajectory of that node, and may be replaced. In the mode `mutants` only the
//! functions that hold something active run in that version, and nothing is compared: the trial is about the output alone.
//!
//! A *mutant* is one override or several that are active together. *Sites* are what overrides are of: nodes, numbered from 0, and after
//! them all operations of all modules.
//!
//! ```text
//! TrialHeader, one page
//! TrialModule x n_modules | u32 x n_words of each       which node each word is
//! TrialProcess x (n_processes + 1)                      the last one: all processes that the oracle did not have
//!   Stream x n_nodes of each | u64 values               the oracle
//!   NodeState x n_nodes of each                         what this trial's process did
//! Override x n_overrides, sorted by site | texts
//! u8 x expected_length                                what standard output is compared with
//! u32 x (n_sites + 1)                                   first override of each site
//! u32 x (n_mutants + 1) | u32 x n_overrides             first member of each mutant | numbers of overrides
//! TrialResult, result_stride bytes each, x n_mutants    only for Role::Plan
//! page x n_processes x modules                          only in the mode `mutants`: fuel
//! ```
//!
//! Nodes are those that the oracle's run of the test covers, numbered from 0 in the order of the program's ids. Offsets are bytes from
//! the file's start, multiples of 8; tables that a mutant must not write begin at a page. All integers are the machine's own.

/// First bytes of a trial file.
pub const MAGIC: [u8; 8] = *b"SUSTRIAL";
/// Version of the trial file. It was that of the trace file until 8.
pub const VERSION: u32 = 9;

/// Where every module maps the trial file: farther from programs than an `int` index reaches.
pub const TRIAL_ADDRESS: usize = 0x6000_0000_0000;

/// What a process does with a trial file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Role {
    /// Applies the mutant `selected` from the start on: one process tree for each trial.
    Single = 1,
    /// Runs without mutant itself; where pending mutants would change what a site comes to, forks a child for each of them, in which
    /// all of the mutant's overrides are active from there on, waits for it and writes its [`TrialResult`].
    Plan = 2,
}

/// The first page.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TrialHeader {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`VERSION`].
    pub version: u32,
    /// [`crate::ENDIAN_TAG`].
    pub endian: u32,
    /// Bytes of the file.
    pub length: u64,
    /// A [`Role`].
    pub role: u32,
    /// Modules of the oracle.
    pub n_modules: u32,
    /// Nodes that the oracle covers.
    pub n_nodes: u32,
    /// Processes of the oracle, in the order in which they started; 1 for [`Role::Plan`].
    pub n_processes: u32,
    /// Processes that may start before the next one kills itself.
    pub max_processes: u32,
    /// The [`crate::abi::Mode`] in which processes run: `Trace`, or `Mutants` if all modules' functions have that version.
    pub mode: u32,
    /// Sites: nodes, and operations of all modules.
    pub n_sites: u32,
    /// Overrides.
    pub n_overrides: u32,
    /// Mutants.
    pub n_mutants: u32,
    /// For [`Role::Single`]: the mutant, [`NO_MUTANT`] for none.
    pub selected: u32,
    /// Offset of the [`TrialModule`]s.
    pub modules: u64,
    /// Offset of the [`TrialProcess`]es, `n_processes + 1` of them.
    pub processes: u64,
    /// Offset of the [`Override`]s.
    pub overrides: u64,
    /// Offset of `n_sites + 1` numbers of overrides: those of site n are from entry n up to entry n + 1.
    pub first_of_site: u64,
    /// Offset of `n_mutants + 1` positions in the list of members: those of mutant n are from entry n up to entry n + 1.
    pub first_of_mutant: u64,
    /// Offset of the list of members, `n_overrides` numbers of overrides.
    pub members: u64,
    /// Offset of the [`TrialResult`]s.
    pub results: u64,
    /// Bytes from one result to the next.
    pub result_stride: u64,
    /// Hooks and ticks that one process may execute before it is cut.
    pub budget: u64,
    /// Wall-clock time for one child of a plan, nanoseconds.
    pub wall_ns: u64,
    /// Further descriptors of the files that are standard output and error, by which a plan looks at what its children write and
    /// takes it back; -1 for none. Both may be one.
    pub output_fds: [i32; 2],
    /// Bytes that a plan's child may write to each before it is cut by the file size limit.
    pub output_limit: u64,
    /// Written by processes: the number of the next process to start.
    pub next_process: u32,
    /// Written by processes: why there can be no trial, or no child can be forked here, a [`Refusal`]; 0 while all is well.
    pub refusal: u32,
    /// Written by a plan: the system call that was refused.
    pub refused_call: u32,
    /// Written by a plan: results done.
    pub n_done: u32,
    /// The id of the test's first process; a plan is carried out by it alone.
    pub first_pid: u64,
    /// Written by a plan: the number of the mutant whose child runs, plus 1.
    pub running: u64,
    /// Written by a plan: address of the function by which every module makes the system calls that the filter lets through.
    pub gate: u64,
    /// Mode `mutants`: offset of [`fuel_pages`] pages for each of the `n_processes` processes. They take the places of the state pages of
    /// its modules, whose word number [`FUEL_WORD`] is [`crate::abi::SYMBOL_FUEL`]: what these words of a process add up to is what it has
    /// left of its budget (at most `i64::MAX`), however it ends.
    pub fuel: u64,
    /// Offset of what the test expects on the stream `expected_on`.
    pub expected: u64,
    /// Its bytes, at most [`MOST_EXPECTED`]; 0 where the test is not judged by that.
    pub expected_length: u64,
    /// Processor time for one child of a plan, nanoseconds: a loop in the C library has no ticks.
    pub busy_ns: u64,
    /// The stream that is compared: 0 for standard output, 1 for standard error.
    pub expected_on: u32,
    /// Zero.
    pub reserved: u32,
}

/// Bytes of an expected output that trials are compared with.
pub const MOST_EXPECTED: usize = 16 << 20;
/// Bytes that are kept of what a trial writes instead: enough for the place in the source that begins a complaint.
pub const OTHERWISE: usize = 64;

/// Modules of a process that hold parts of its budget when the oracle has so many; further ones fetch each tick singly.
pub const fn fuel_pages(n_modules: u32) -> u32 {
    let modules = n_modules.saturating_add(4);
    if modules < MOST_FUEL_PAGES { modules } else { MOST_FUEL_PAGES }
}

/// See [`fuel_pages`].
pub const MOST_FUEL_PAGES: u32 = 48;
/// Number of the word of the state page that is [`crate::abi::SYMBOL_FUEL`].
pub const FUEL_WORD: usize = crate::abi::STATE_WORDS;

/// [`TrialHeader::selected`]: no mutant.
pub const NO_MUTANT: u32 = u32::MAX;

/// A module that the oracle had.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TrialModule {
    /// [`crate::trace::hash_bytes`] over the hashes of its units, in the order of their descriptors.
    pub identity: u64,
    /// Offset of `n_words` numbers: for each word of the module's data the node it belongs to plus 1, 0 for none.
    pub nodes: u64,
    /// Words of its data.
    pub n_words: u64,
    /// The site that its first operation is; those of its units follow in the order of their descriptors.
    pub first_operation: u32,
    /// Its operations.
    pub n_operations: u32,
    /// The number of its first gate; gates of all modules are numbered through, units in the order of their descriptors.
    pub first_gate: u32,
    /// Its gates.
    pub n_gates: u32,
}

/// A process: the oracle's trajectories of it, and what the process of the same number did in this trial.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TrialProcess {
    /// Offset of `n_nodes` [`Stream`]s; 0 if nothing is compared.
    pub streams: u64,
    /// Offset of `n_nodes` [`NodeState`]s, written by the process; without streams there are none.
    pub states: u64,
    /// Written by the process in the mode `trace`: hooks and ticks executed.
    pub used: u64,
    /// Written by the process: `PROCESS_*` bits.
    pub flags: u32,
    /// Written by the process: its id.
    pub pid: u32,
}

/// [`TrialProcess::flags`]: it started.
pub const PROCESS_STARTED: u32 = 1;
/// [`TrialProcess::flags`]: the override changed a value.
pub const PROCESS_APPLIED: u32 = 2;
/// [`TrialProcess::flags`]: it used up its budget and was ended.
pub const PROCESS_CUT: u32 = 4;
/// [`TrialProcess::flags`]: of a plan's child, that it had its parent's memory and no copy of it.
pub const PROCESS_LENT: u32 = 8;
/// [`TrialProcess::flags`]: it was the plan's own process.
pub const PROCESS_IN_PLACE: u32 = 16;

/// The exit status of a process that used up its budget (it also says so in its flags).
pub const EXIT_CUT: i32 = 125;

/// A node's trajectory in one process of the oracle.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Stream {
    /// Offset of its values.
    pub values: u64,
    /// Number of values.
    pub length: u64,
}

/// How a node has behaved so far: the number of values taken, and [`CHANGED`] once one differed or there was one too many.
/// The trajectory differs from the oracle's iff [`CHANGED`] is set or, in the end, the number is not the stream's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct NodeState(pub u64);

/// See [`NodeState`].
pub const CHANGED: u64 = 1 << 63;

/// One change at one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Override {
    /// The site.
    pub site: u32,
    /// A [`Change`].
    pub change: u32,
    /// Which execution of the site in its process, from 1; 0 for every one.
    pub instance: u64,
    /// The operand: see [`Change`].
    pub operand: u64,
    /// Number of characters for `Text`, without the final zero.
    pub length: u32,
    /// Bits of the node's value or the operation's operands, at most 64; results are cut to them. 0 where a function is called.
    pub width: u8,
    /// 1 if the value is a floating-point number (of 32 or 64 bits).
    pub is_float: u8,
    /// Of a binary operation: its own [`crate::operation::Operator`], 0 for other sites.
    pub operator: u8,
    /// Zero.
    pub reserved: u8,
    /// The mutant that it is a member of.
    pub mutant: u32,
    /// The number of the gate of the function that the site is in.
    pub gate: u32,
    /// The second operand of `Exchange` and `Instead`.
    pub other: u64,
}

/// How an override changes what a site comes to. The first six are for values: of nodes, and of operations' results. Of several at
/// one operation, operands are replaced first, then the operator, then the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Change {
    /// The value becomes the operand, which is 0 for an address.
    Set = 1,
    /// The operand is added (a number of the value's own kind).
    Add = 2,
    /// The number changes its sign.
    Negate = 3,
    /// 0 becomes 1, everything else 0.
    Flip = 4,
    /// The address becomes that of a fresh string (for nodes of class `String`); the operand is the offset of its characters.
    Text = 5,
    /// All bits are inverted.
    Complement = 6,
    /// The operator becomes the one whose number is the operand.
    Operator = 7,
    /// The left operand becomes the operand.
    Left = 8,
    /// The right operand becomes the operand.
    Right = 9,
    /// The choice becomes the operand; of a variable that is read, the function's variable of that number is read instead. See
    /// [`crate::site::OperationKind`].
    Choose = 10,
    /// The operand is added to the variable that is read, and the sum is read: `++v`.
    StepBefore = 11,
    /// The operand is added to the variable that is read, and what it was before is read: `v++`.
    StepAfter = 12,
    /// A value that is one of the operands becomes the other one, every other value stays.
    Exchange = 14,
    /// A value that is the operand becomes the second operand, every other value stays. Of a binary operation it is the left operand that does.
    Instead = 15,
}

/// What a plan found out about one mutant; the node bits follow it, bit n % 8 of byte n / 8 for node n: 1 iff the
/// trajectory differs from the oracle's.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TrialResult {
    /// A [`Done`].
    pub done: u32,
    /// The wait status of the child.
    pub status: i32,
    /// `PROCESS_*` bits of the child.
    pub flags: u32,
    /// The system call that was refused, for [`Done::Elsewhere`].
    pub refused_call: u32,
    /// Hooks and ticks executed (ticks alone in the mode `mutants`), those before the fork included.
    pub used: u64,
    /// For standard output and error: bytes written in all, those before the fork included.
    pub lengths: [u64; 2],
    /// For standard output and error: [`output_hash`] of what was written after the fork. What came before is the oracle's.
    pub hashes: [u64; 2],
    /// For standard output and error: bytes that had been written before the fork.
    pub before: [u64; 2],
    /// Bytes written after the fork, to the stream that is compared, up to the first one that is not what is expected there.
    pub matched: u64,
    /// The bytes from that one on, zeros behind them; some may be missing of a long output.
    pub otherwise: [u8; OTHERWISE],
}

/// How a mutant was dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Done {
    /// Not yet.
    Not = 0,
    /// It ran.
    Ran = 1,
    /// It never would have changed anything: the run is the oracle's.
    Same = 2,
    /// It must run in a process tree of its own: it did what a fork cannot keep apart.
    Elsewhere = 3,
    /// Its wall-clock time was up.
    TimedOut = 4,
}

/// Why a plan cannot be carried out by forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Refusal {
    /// Nothing is wrong.
    None = 0,
    /// The program made a system call that a fork cannot keep apart.
    Call = 1,
    /// It has several threads.
    Threads = 2,
    /// A descriptor is open on something that cannot be opened a second time.
    Descriptor = 3,
    /// It is not the first process of its test.
    NotFirst = 4,
    /// The kernel refused what the executor needs.
    Kernel = 5,
    /// The bytes of a module's units do not lie in the sections in the order of the descriptors. Any role.
    Layout = 6,
}

/// Start value of [`output_hash`].
pub const OUTPUT_HASH_START: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash of a stream of bytes, from `state` before `bytes`, which come in whole words but for the stream's end.
#[inline]
pub fn output_hash(mut state: u64, bytes: &[u8]) -> u64 {
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        state = output_step(state, word(chunk));
    }
    let rest = chunks.remainder();
    if rest.is_empty() { state } else { output_step(state, last_word(rest) ^ (rest.len() as u64) << 56) }
}

/// Eight bytes as a number.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0u8; 8];
    word.copy_from_slice(bytes);
    u64::from_ne_bytes(word)
}

/// Less than eight bytes as a number, zeros behind them.
#[inline]
fn last_word(bytes: &[u8]) -> u64 {
    let mut word = [0u8; 8];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_ne_bytes(word)
}

/// How many bytes at their start two streams have in common.
#[inline]
pub fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.chunks_exact(8).zip(other.chunks_exact(8));
    let whole = pairs.take_while(|(one, other)| word(one) == word(other)).count().wrapping_mul(8);
    let rest = |bytes| <[u8]>::get(bytes, whole..).unwrap_or_default().iter();
    whole.wrapping_add(rest(one).zip(rest(other)).take_while(|(one, other)| one == other).count())
}

const fn output_step(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29) ^ (state >> 17)
}

/// How the value of a node of class `String` is seen: the number of its characters up to [`TEXT_SEEN`] in the upper 16 bits,
/// a hash of them below; 0 for a null pointer, [`TEXT_UNREADABLE`] where nothing can be read.
pub const fn text_value(length: u64, hash: u64) -> u64 {
    length << 48 | (hash & ((1 << 48) - 1))
}

/// A step of the hash of a string: over eight of its characters, zeros from its end on.
#[inline]
pub const fn text_step(hash: u64, characters: u64) -> u64 {
    (hash ^ characters).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
}

/// How a string of these characters, none of which is zero, is seen: [`text_value`].
pub fn text_of(characters: &[u8]) -> u64 {
    let seen = characters.get(..TEXT_SEEN).unwrap_or(characters);
    let mut hash = crate::trace::HASH_START;
    let mut words = seen.chunks_exact(8);
    for characters in words.by_ref() {
        hash = text_step(hash, word(characters));
    }
    if seen.len() < TEXT_SEEN {
        hash = text_step(hash, last_word(words.remainder()));
    }
    text_value(seen.len() as u64, hash ^ hash >> 31)
}

/// Characters of a string that are looked at.
pub const TEXT_SEEN: usize = 256;
/// See [`text_value`].
pub const TEXT_UNREADABLE: u64 = u64::MAX;

const _: () = {
    assert!(size_of::<TrialHeader>() <= crate::abi::PAGE);
    assert!(
        size_of::<Override>() == 48
            && size_of::<TrialModule>() == 40
            && size_of::<TrialResult>() == 80 + OTHERWISE
            && size_of::<TrialProcess>() == 32
    );
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_end_at_the_first_difference() {
        let text: [u8; 40] = core::array::from_fn(|at| at as u8);
        for end in 0..text.len() {
            let mut other = text;
            other[end] ^= 1;
            assert_eq!(common_prefix(&text, &other), end);
            assert_eq!(common_prefix(&other, &text[..end + 1]), end);
            assert_eq!((common_prefix(&text, &text[..end]), common_prefix(&text[..end], &text)), (end, end));
        }
        assert_eq!(common_prefix(&text, &text), 40);
    }
}
