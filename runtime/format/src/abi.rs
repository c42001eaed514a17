//! Names that the pass puts into an object and the runtime and driver look for.
//!
//! Memory of one module (an executable or a shared library), all in the section [`SECTION_DATA`]:
//!
//! ```text
//! +--------------------+----------------------------+-----+----------------------------+---------------+
//! | state page         | unit: counters | values    | ... | unit: counters | values    | padding page  |
//! | (runtime's object) | u64 each       | u64 each  |     |                            | (end object)  |
//! +--------------------+----------------------------+-----+----------------------------+---------------+
//! ```
//!
//! The runtime's object comes first on the link line and the end object last, so the section is whole pages and the
//! runtime can map the trace file over it: hooks then write the file by plain stores to fixed addresses.

/// Section of the words that hooks write. Its `__start_`/`__stop_` symbols come from the linker.
pub const SECTION_DATA: &str = "suspect_data";
/// Section of [`crate::trace::UnitDescriptor`]s, one for each translation unit.
pub const SECTION_UNITS: &str = "suspect_units";
/// Section of one byte for each function that has versions, in the order of the unit's functions: not 0 if the `mutants` version is to go on
/// in the `trace` version. Its `__start_`/`__stop_` symbols come from the linker; so do those of [`SECTION_OPERATIONS`].
pub const SECTION_GATES: &str = "suspect_gates";
/// A gate that is open, and has locals of its function begin as zero whatever [`SYMBOL_FILL`] says.
pub const GATE_ZERO: u8 = 2;
/// Section of one byte for each operation, in the order of the unit's: not 0 while the runtime may have something else in mind for it.
pub const SECTION_OPERATIONS: &str = "suspect_operations";
/// Section of encoded site tables; not loaded into memory.
pub const SECTION_SITES: &str = ".suspect";

/// `u32`: the [`Mode`] of this process. Weak and zero in every unit, so that objects link without the runtime.
pub const SYMBOL_MODE: &str = "__suspect_mode";
/// The state page: [`STATE_WORDS`] words of `u64`. Weak and small in every unit, strong and a whole page in the runtime.
pub const SYMBOL_STATE: &str = "__suspect_state";
/// Words of the state page that units may write.
pub const STATE_WORDS: usize = 8;
/// State word: the [`piece_id`] of the piece entered last (`values` and `trace` modes), its upper half zero; 0 before the first.
pub const STATE_LAST: usize = 0;
/// State word: set to 1 before `main` returns or itself calls a function that ends the process in order: no other
/// function is left unfinished, so what entered each piece has left it.
pub const STATE_CLEAN: usize = 1;
/// State word: set to 1 before a call that leaves frames behind (`longjmp`, `pthread_exit`, ...).
pub const STATE_NONLOCAL: usize = 2;
/// State word: set to 1 by a function's own symbol before it goes on in the `record` version: what called may be code that is not recorded.
pub const STATE_OUTSIDE: usize = 3;
/// State word, written by the runtime: how many forked children of this process could not have a file of their own and count in its words.
pub const STATE_LOST: usize = 7;

/// `u64 (u64 *slot, u64 value)`: a node is about to take a value (`trace` mode); the value that it takes, of which the code uses as many
/// low bits as the node has. `slot` is the node's value word, in which the hook goes on with the trajectory's hash.
pub const HOOK_NODE: &str = "__suspect_node";
/// `void *(u64 *slot, void *value)`: a node is about to take an address, which is seen by the object it points into; the address that it takes,
/// this one or null.
pub const HOOK_POINTER: &str = "__suspect_pointer";
/// `char *(u64 *slot, char *value)`: a node is about to take the address of characters; the address that it takes.
pub const HOOK_TEXT: &str = "__suspect_text";
/// `void (void *object)`: the C library has just made an object (`malloc` and its like); null if it refused.
pub const HOOK_OBJECT: &str = "__suspect_object";
/// `void (void)`: a function that calls others is entered or a loop goes round (`trace` mode): what a program without nodes spends its budget on.
pub const HOOK_TICK: &str = "__suspect_tick";

/// `u64 (u8 *operation, u64 left, u64 right, u64 result)`: what an operator comes to (`trace` mode). Operands and result are bits,
/// zero-extended; `operation` is the byte of the operation. While it is not 0 the result of an integer division may be anything: the runtime divides.
pub const HOOK_OPERATION: &str = "__suspect_operation";
/// `void *(u8 *operation, void *variable, void *const *others)`: the variable that is about to be read: `variable` or one of `others`, of
/// which the entry of number n is the function's variable n, null where it is out of scope or has no address.
pub const HOOK_VARIABLE: &str = "__suspect_variable";
/// `u64 (u8 *operation)`: which way to go: 0 as the code says, else as [`crate::site::OperationKind`] says of each kind.
pub const HOOK_CHOICE: &str = "__suspect_choice";
/// `i64`: ticks that this module may still count before [`HOOK_REFUEL`] is to be called (`mutants` mode). Weak and zero in every unit; a word of
/// the state page in the runtime.
pub const SYMBOL_FUEL: &str = "__suspect_fuel";
/// `void (void)`: [`SYMBOL_FUEL`] has just been counted down below zero.
pub const HOOK_REFUEL: &str = "__suspect_refuel";

/// `u32 (u32 id, void *frame, void *function, const void *addresses)`: a function is entered (`record` mode, as all the hooks that follow). `id` is the [`piece_id`]
/// of the function's number in place of a piece's, `function` the address of its own symbol; `addresses` its part of
/// [`crate::body::SECTION_ADDRESSES`], which is mentioned here so that the linker keeps it. Not 0: what called has no `record` version, and each parameter is to be told by
/// [`HOOK_LOADED`].
pub const HOOK_ENTER: &str = "__suspect_enter";
/// `void (u32 number)`: the step with this number is about to begin.
pub const HOOK_STEP: &str = "__suspect_step";
/// `void (u32 slot, u64 bits)`: a value that is to be recorded: of a load, of what is opaque, of a parameter.
pub const HOOK_LOADED: &str = "__suspect_loaded";
/// `u64 (u64 outcome, u32 ways)`: a branch or switch is about to take the way `outcome` of so many; the way to take.
pub const HOOK_BRANCH: &str = "__suspect_branch";
/// `void (u32 external, void *callee, u64 *arguments, u32 count)`: a function that may have no `record` version is about to be called.
pub const HOOK_CALL: &str = "__suspect_call";
/// `void (u64 *arguments, u64 result)`: it has returned.
pub const HOOK_CALLED: &str = "__suspect_called";
/// `void (void *frame, u64 result)`: `setjmp` or one of its like has returned, maybe again. There is no [`HOOK_CALL`] before.
pub const HOOK_SETJMP: &str = "__suspect_setjmp";

/// `u32`: not 0 where [`HOOK_CASE`] is to be asked. Weak and zero in every unit.
pub const SYMBOL_CASES: &str = "__suspect_cases";
/// `u32 (const char *name, void *frame)`: a case function, one that may be a case of a test program, is about to be entered. `frame` is where its
/// return address lies. The low bits, [`CASE_WAYS`], are a [`CaseWay`].
pub const HOOK_CASE: &str = "__suspect_case";
/// `void (u32 answer, u32 returns, u64 result)`: it returns, and what, if `returns` is not 0; `answer` is [`HOOK_CASE`]'s.
pub const HOOK_CASE_LEFT: &str = "__suspect_case_left";
/// The bits of [`HOOK_CASE`]'s answer that are a [`CaseWay`].
pub const CASE_WAYS: u32 = 3;
/// `u64 (void)`: what a function returns that is left out.
pub const HOOK_CASE_RESULT: &str = "__suspect_case_result";
/// What the symbols of the names of case functions begin with.
pub const CASE_NAME: &str = "__suspect_case_name.";
/// In front of the name of a case function that is handed addresses, and may help others rather than be a case. No identifier has it.
pub const CASE_HANDED: char = '*';

/// What [`HOOK_CASE`] has a function do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CaseWay {
    /// Go on.
    On = 0,
    /// Return at once.
    Out = 1,
    /// Call itself once more, tell by [`HOOK_CASE_LEFT`], and return.
    Around = 2,
}

/// What the `record` version calls instead of `time`, as C declares it: see [`ENV_CLOCK`].
pub const CLOCK_TIME: &str = "__suspect_time";
/// Instead of `clock`.
pub const CLOCK_CLOCK: &str = "__suspect_clock";
/// Instead of `gettimeofday`.
pub const CLOCK_GETTIMEOFDAY: &str = "__suspect_gettimeofday";
/// Instead of `clock_gettime`.
pub const CLOCK_GETTIME: &str = "__suspect_clock_gettime";
/// Instead of `timespec_get`.
pub const CLOCK_TIMESPEC_GET: &str = "__suspect_timespec_get";

/// `u64`: what locals begin as in the `trace` version, one byte eight times. Weak and zero in every unit; the runtime has it from [`ENV_FILL`].
pub const SYMBOL_FILL: &str = "__suspect_fill";

/// Page size that the section is laid out for.
pub const PAGE: usize = 4096;

/// Directory into which each process writes its trace file, absolute. Without it the program is inert.
pub const ENV_OUT: &str = "SUSPECT_OUT";
/// What to record: the name of a [`Mode`]; `edges` when not set, nothing when no such mode exists.
pub const ENV_RECORD: &str = "SUSPECT_RECORD";
/// What the name of a file begins with that says what the environment of a session's processes would, for those whose environment has no variable of
/// suspect's: a test may clear it. The id of the session follows in decimal; inside are variables, `NAME=value` and a zero byte each.
pub const SESSION_FILE: &str = "/dev/shm/suspect-session-";
/// Bytes of such a file, at most.
pub const SESSION_BYTES: usize = 8192;
/// Set and not empty: once the program's own code runs, nothing calls the system any more. Forked children count in their parent's words. For programs
/// that a filter of their own kills for such calls.
pub const ENV_QUIET: &str = "SUSPECT_QUIET";
/// Path of a [`crate::trial`] file, absolute: the process takes part in a trial and records nothing.
pub const ENV_TRIAL: &str = "SUSPECT_TRIAL";
/// Name of the running test, copied into the trace.
pub const ENV_TEST: &str = "SUSPECT_TEST";
/// Name of the one case that a test program runs, whose unit-test framework cannot run one by itself.
pub const ENV_CASE: &str = "SUSPECT_CASE";
/// Path of a file that is there, absolute. Each case function that is entered is told in it by a line: `+`, its frame and its number in the process in
/// hexadecimal, its name. When it is left another line follows: `-`, number, and result if there is one. With [`ENV_CASE_FUNCTION`] only the functions
/// that run are told, as they are entered.
pub const ENV_CASE_LIST: &str = "SUSPECT_FUNCTION_LIST";
/// The case function that alone runs, after those that lead to it, [`CASE_SEPARATOR`] between their names; all others return at once.
pub const ENV_CASE_FUNCTION: &str = "SUSPECT_FUNCTION";
/// What functions return that are left out so, in decimal; 0 when not set.
pub const ENV_CASE_RESULT: &str = "SUSPECT_FUNCTION_RESULT";
/// Without [`ENV_CASE_FUNCTION`]: functions that return at once and are not told, [`CASE_SEPARATOR`] between their names.
pub const ENV_CASE_WITHOUT: &str = "SUSPECT_FUNCTION_WITHOUT";
/// Between names in [`ENV_CASE_FUNCTION`] and [`ENV_CASE_WITHOUT`].
pub const CASE_SEPARATOR: char = ':';
/// Bytes that the list of [`ENV_CASE_LIST`] may have; functions beyond are not told.
pub const CASE_LIST_BYTES: u64 = 4 << 20;
/// The same before functions that are handed addresses are no longer told: helpers may be called without end, and others have the rest.
pub const CASE_LIST_BYTES_HANDED: u64 = CASE_LIST_BYTES / 2;
/// Path of the tool, absolute: it is executed in the place of the program, with [`STAND_IN`], the directory that [`ENV_STARTS`] names, the program's
/// path and the program's arguments. Empty or not set: the program runs itself.
pub const ENV_STAND_IN: &str = "SUSPECT_STAND_IN";
/// Directory in which the tool keeps what it does in the place of programs, absolute.
pub const ENV_STARTS: &str = "SUSPECT_STARTS";
/// The command-line word with which the tool takes the place of a program.
pub const STAND_IN: &str = "stand-in";
/// Functions of such frameworks whose calls the linker leads to the runtime.
pub const WRAPPED: [&str; 3] = ["UnityDefaultTestRun", "_tcase_add_test", "_cmocka_run_group_tests"];
/// Bytes of full values to keep for each process in `trace` mode; [`DEFAULT_LOG_BYTES`] when not set.
pub const ENV_LOG_BYTES: &str = "SUSPECT_LOG_BYTES";
/// Bytes that a recording may have; [`crate::record::DEFAULT_RECORD_BYTES`] when not set.
pub const ENV_RECORD_BYTES: &str = "SUSPECT_RECORD_BYTES";
/// Path of a [`crate::plan`] file, absolute: the process takes part in a patched, guided or switched run.
pub const ENV_PLAN: &str = "SUSPECT_PLAN";
/// The time at which the clock of the `record` version is held, whole seconds since 1970; zero or not set: it is the system's. It goes on by whole
/// seconds from there, from the start of each process.
pub const ENV_CLOCK: &str = "SUSPECT_CLOCK";
/// The byte that locals of the `trace` version begin as, in decimal; zero when not set. With another one the mode [`Mode::Mutants`] sends every
/// function on to that version, so that no local begins as anything else.
pub const ENV_FILL: &str = "SUSPECT_FILL";

/// The functions whose locals begin so in the mode [`Mode::Mutants`], by the numbers of their gates in the trial file: the first, in decimal, and one
/// past the last; those of others begin as zero. All of them when not set.
pub const ENV_FILL_FROM: &str = "SUSPECT_FILL_FROM";
/// See [`ENV_FILL_FROM`].
pub const ENV_FILL_TO: &str = "SUSPECT_FILL_TO";

/// Bytes of full values kept when [`ENV_LOG_BYTES`] does not say: about a million.
pub const DEFAULT_LOG_BYTES: u64 = 16 << 20;

/// Which version of each function runs; also the value of [`SYMBOL_MODE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Mode {
    /// The user's code.
    Plain = 0,
    /// Edge counters on a spanning tree's complement.
    Edges = 1,
    /// Edge counters that stay exact when calls do not return, and a trajectory hash for each node.
    Values = 2,
    /// As `Values`, unoptimised, with every value handed to the runtime.
    Trace = 3,
    /// The user's code with ticks, and the `trace` version of functions whose gate says so: for trials of which only the output is looked at.
    Mutants = 4,
    /// Unoptimised, with everything that a reader of the [`crate::body`] table cannot compute written to a stream.
    Record = 5,
}

impl Mode {
    /// The modes that processes can be recorded in, in the order of their numbers.
    pub const ALL: [Mode; 5] = [Mode::Plain, Mode::Edges, Mode::Values, Mode::Trace, Mode::Record];

    /// What functions can have versions for, in the order of their numbers.
    pub const VERSIONS: [Mode; 6] = [Mode::Plain, Mode::Edges, Mode::Values, Mode::Trace, Mode::Mutants, Mode::Record];

    /// The word used on command lines and in the environment.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Plain => "plain",
            Mode::Edges => "edges",
            Mode::Values => "values",
            Mode::Trace => "trace",
            Mode::Mutants => "mutants",
            Mode::Record => "record",
        }
    }

    /// The mode called `name` that processes can be recorded in.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// The mode called `name` that functions can have a version for.
    pub fn version_from_name(name: &str) -> Option<Mode> {
        Mode::VERSIONS.into_iter().find(|mode| mode.name() == name)
    }

    /// The mode whose number is `number`.
    pub fn from_number(number: u32) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| *mode as u32 == number)
    }
}

/// A node's trajectory hash after it takes `value`, from the hash `state` before it (0 at first).
///
/// A polynomial in [`HASH_FACTOR`] modulo 2^64: three instructions, one register, no constant to load. A step is a
/// bijection of the state, so trajectories of one length that differ in one value never collide, and others collide with
/// probability about 2^-64 unless chosen against it. Leading zeros leave the state at 0: two trajectories are the same
/// only if the node's count is the same too. In `values` mode a node whose value is a constant of the source takes no
/// step at all: its count says everything.
#[inline]
pub const fn trajectory_hash(state: u64, value: u64) -> u64 {
    state.wrapping_mul(HASH_FACTOR).wrapping_add(value)
}

/// The trajectory hash of a predicate that a branch decides on, in `values` mode: a step each time that one of the branch's edges is
/// taken. `taken` is a count that says when: either how often the other edge had been taken, which is counted (the heavier, if both
/// are), or how often the predicate had been decided, which is the count of an edge that leads to it and nowhere else. Which of
/// both depends on the code alone. Together with the counts of both edges it tells trajectories apart as [`trajectory_hash`] does.
pub const fn predicate_hash(state: u64, taken: u64) -> u64 {
    trajectory_hash(state, taken.wrapping_add(1))
}

/// The factor of [`trajectory_hash`]: odd, and below 2^31, so that it is part of the instruction. No small numbers a, b, not
/// both 0, make `a * HASH_FACTOR + b` zero.
pub const HASH_FACTOR: u64 = 0x5851_f42d;

/// What [`STATE_LAST`] says of piece number `piece` of a unit: a number that one instruction can store, wherever the code is
/// loaded. The units of a module choose theirs by their hashes, so two units may share some; a reader then knows two places.
pub const fn piece_id(unit_hash: u64, piece: u32) -> u32 {
    ((unit_hash >> 32) as u32).wrapping_add(piece)
}
