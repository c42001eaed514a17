//! The plan file: what a process of a patched, guided or altered run is to do, and what it answers.
//!
//! `suspect` makes it for one test or for several with the same cause point; the runtime maps it shared at [`PLAN_ADDRESS`] in every
//! module of every process that finds its path in [`crate::abi::ENV_PLAN`]. Only process number [`PlanHeader::process`] takes part.
//!
//! ```text
//! PlanHeader, one page
//! texts                                                 at TEXTS_ADDRESS: strings that patches point to
//! PlanTest x n_tests
//! Patch x n_patches | bytes of the patches
//! Watched x n_watched
//! Answer, answer_stride bytes each, x n_tests           written by processes
//! ```
//!
//! and, where the process is guided, the guide file, which all plans of two runs share and nobody writes, at [`GUIDE_ADDRESS`]:
//!
//! ```text
//! GuideHeader
//! u32 x n_outcomes[0] | u32 x n_outcomes[1]             outcomes of each run's decisions
//! Divergence x n_divergences                            where the runs part, in order
//! ```
//!
//! A *decision* is a branch of two ways or more (its outcome: the number of the way) or an indirect call ([`crate::record::callee_outcome`]). A process
//! can be sent another way than its own, but not to another function: there it is only compared. Offsets are bytes from the file's start, multiples of 8. All integers are the machine's own.

use core::mem::size_of;

use crate::abi::PAGE;
use crate::trace::TEXT_LEN;
use crate::trial::TRIAL_ADDRESS;

/// First bytes of a plan file.
pub const PLAN_MAGIC: [u8; 8] = *b"SUSPPLAN";
/// First bytes of a guide file.
pub const GUIDE_MAGIC: [u8; 8] = *b"SUSGUIDE";

/// Where the plan file is mapped.
pub const PLAN_ADDRESS: usize = TRIAL_ADDRESS - (6 << 40);
/// Where a plan's texts begin in a process: behind its first page. Strings that the other run has and this process lacks lie there.
pub const TEXTS_ADDRESS: usize = PLAN_ADDRESS + PAGE;
/// Where the guide file is mapped.
pub const GUIDE_ADDRESS: usize = TRIAL_ADDRESS - (7 << 40);

/// No decision, or no position.
pub const NEVER: u64 = u64::MAX;

/// A point of a run: so many decisions were made, and so many steps begun since the last of them before the one that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Point {
    /// Decisions that run 0 and run 1 have made. A process that is not guided, or has not yet come to its cause, looks at its own side alone.
    pub decisions: [u64; 2],
    /// Steps since the last decision, without the one that is meant, in each run; those before the first decision count from the start. A
    /// process that is guided and past its cause looks at the run in whose arm it was last, others at their own side.
    pub steps: [u64; 2],
}

impl Point {
    /// No point.
    pub const NONE: Point = Point { decisions: [NEVER; 2], steps: [0; 2] };
}

/// The first page of a plan file.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlanHeader {
    /// [`PLAN_MAGIC`].
    pub magic: [u8; 8],
    /// [`crate::record::VERSION`].
    pub version: u32,
    /// [`crate::ENDIAN_TAG`].
    pub endian: u32,
    /// Bytes of the file.
    pub length: u64,
    /// Which process is meant, from 0 in the order in which they start or are forked.
    pub process: u32,
    /// The test that is carried out; [`ALL_TESTS`]: all, each by a child that is forked at the cause point.
    pub selected: u32,
    /// Tests.
    pub n_tests: u32,
    /// Patches.
    pub n_patches: u32,
    /// What is looked at, in the order in which the answer has it.
    pub n_watched: u32,
    /// Whether the effect point is looked at after its step instead of before it: a `WHEN_*`.
    pub when: u32,
    /// The input that the process runs on is that of run 0 or 1.
    pub side: u32,
    /// The way that decision number `switched` goes.
    pub switched_to: u32,
    /// The number, from 0, of the decision that is sent another way; [`NEVER`] for none.
    pub switched: u64,
    /// Where each decision is sent another way: the id of a function, 0 for none...
    pub turned_function: u32,
    /// ... and the number of one of its steps, as [`crate::record::LIVE_STEP`] has it.
    pub turned_step: u32,
    /// The way that its decisions go, or [`OTHER_WAY`].
    pub turned_to: u32,
    /// Zero.
    pub reserved_turned: u32,
    /// Where a value is replaced, before the cause point or at it; [`Point::NONE`] for nowhere. The process is otherwise the run of its side.
    pub replaced: Point,
    /// Where that value is.
    pub replaced_address: u64,
    /// What it becomes: the first `replaced_length` bytes of this.
    pub replaced_bits: u64,
    /// How many bytes it has, at most 8.
    pub replaced_length: u64,
    /// Where patches are written; [`Point::NONE`] for nowhere.
    pub cause: Point,
    /// Where the process ends; [`Point::NONE`] if it runs on.
    pub effect: Point,
    /// For a process that is not guided the effect point may be given otherwise: the id of a function, 0 for none...
    pub effect_function: u32,
    /// ... the number of one of its steps, as [`crate::record::LIVE_STEP`] has it...
    pub effect_step: u32,
    /// ... and how many times it is begun after the cause point, this one included.
    pub effect_count: u32,
    /// 1: the process writes what it holds back of its output before it ends at the effect point.
    pub flushes: u32,
    /// Offset of the [`PlanTest`]s.
    pub tests: u64,
    /// Offset of the [`Patch`]es.
    pub patches: u64,
    /// Offset of the [`Watched`]s.
    pub watched: u64,
    /// Offset of the [`Answer`]s.
    pub answers: u64,
    /// Bytes from one answer to the next.
    pub answer_stride: u64,
    /// Wall-clock time for a child that is forked for a test, nanoseconds.
    pub wall_ns: u64,
    /// Written by processes: the number of the next one to start.
    pub next_process: u32,
    /// Zero.
    pub reserved: u32,
    /// Path of the guide file, ended by a zero; empty for a process that is not guided.
    pub guide: [u8; TEXT_LEN],
}

const _: () = assert!(size_of::<PlanHeader>() <= PAGE);

/// [`PlanHeader::selected`]: each test by a forked child.
pub const ALL_TESTS: u32 = u32::MAX;

/// [`PlanHeader::turned_to`]: of two ways the one that the process would not go by itself.
pub const OTHER_WAY: u32 = u32::MAX;

/// [`PlanHeader::when`]: just before the step.
pub const WHEN_BEFORE: u32 = 0;
/// [`PlanHeader::when`]: the step is a call with hooks: when its arguments are known.
pub const WHEN_CALLED: u32 = 1;
/// [`PlanHeader::when`]: after the step; if it decides, once that is known.
pub const WHEN_AFTER: u32 = 2;

/// What is patched in one test.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlanTest {
    /// Number of its first patch.
    pub first_patch: u32,
    /// Number of its patches.
    pub n_patches: u32,
}

/// Bytes that are written to memory.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Patch {
    /// Where they are written.
    pub address: u64,
    /// Offset in the file of the bytes.
    pub bytes: u64,
    /// How many.
    pub length: u64,
}

/// Memory that is looked at.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Watched {
    /// Where it is: an address, or what is added to the argument.
    pub address: u64,
    /// How many bytes.
    pub length: u32,
    /// The call's argument that `address` is added to, or [`NO_ARGUMENT`].
    pub argument: u32,
}

/// [`Watched::argument`]: none.
pub const NO_ARGUMENT: u32 = u32::MAX;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Ended {
    /// Nothing was written: the process ended before the cause point, or elsewhere by itself.
    Nowhere = 0,
    /// The cause point was reached, and nothing after it.
    Patched = 1,
    /// The effect point was reached: the answer has what was looked at.
    Effect = 2,
    /// A decision went a way that neither run went there.
    Confounded = 3,
    /// The process made more decisions than the runs did.
    Desync = 4,
    /// A patch or what is looked at is not in memory.
    NoMemory = 5,
    /// A process or a forked child ran out of time.
    TimedOut = 6,
    /// No child could be forked.
    Refused = 7,
    /// A forked child ended by itself before the effect point; `status` is as `wait` has it.
    Left = 8,
    /// A decision before the cause point went another way than in the process's own recorded run: this is not the run that was recorded.
    Parted = 9,
}

impl Ended {
    /// The end whose number is `number`.
    pub const fn from_number(number: u32) -> Option<Ended> {
        Some(match number {
            0 => Ended::Nowhere,
            1 => Ended::Patched,
            2 => Ended::Effect,
            3 => Ended::Confounded,
            4 => Ended::Desync,
            5 => Ended::NoMemory,
            6 => Ended::TimedOut,
            7 => Ended::Refused,
            8 => Ended::Left,
            9 => Ended::Parted,
            _ => return None,
        })
    }
}

/// Words of a call's arguments that an answer has.
pub const ANSWER_ARGUMENTS: usize = 16;

/// What a test came to. The bytes of what was watched follow it, one after another.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Answer {
    /// An [`Ended`].
    pub ended: u32,
    /// [`Ended::Left`]: the child's status.
    pub status: i32,
    /// Decisions that each run's place in the guide stood at; for one that is not guided, its own on both sides.
    pub decisions: [u64; 2],
    /// The way that the effect point's step went, [`NEVER`] if it is no decision.
    pub outcome: u64,
    /// Arguments of the call that the effect point's step is; at most [`ANSWER_ARGUMENTS`] are kept.
    pub n_arguments: u64,
    /// Their words.
    pub arguments: [u64; ANSWER_ARGUMENTS],
}

/// The head of a guide file.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GuideHeader {
    /// [`GUIDE_MAGIC`].
    pub magic: [u8; 8],
    /// [`crate::record::VERSION`].
    pub version: u32,
    /// [`crate::ENDIAN_TAG`].
    pub endian: u32,
    /// Bytes of the file.
    pub length: u64,
    /// Decisions of each run.
    pub n_outcomes: [u64; 2],
    /// Offsets of their outcomes.
    pub outcomes: [u64; 2],
    /// Places where the runs part.
    pub n_divergences: u64,
    /// Offset of the [`Divergence`]s.
    pub divergences: u64,
}

/// Where two runs part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Divergence {
    /// How many decisions each run has made before the one that parts them.
    pub at: [u32; 2],
    /// How many each makes alone after it.
    pub arms: [u32; 2],
    /// 1 if a decision parts them; 0 if code does that is not recorded, and the arms begin at `at`.
    pub decided: u32,
    /// Zero.
    pub reserved: u32,
}
