//! A patched, guided or altered run of this process: what its plan says, and what it answers.

use core::ffi::c_char;

use suspect_format::ENDIAN_TAG;
use suspect_format::abi::PAGE;
use suspect_format::plan::{
    ALL_TESTS, ANSWER_ARGUMENTS, Answer, Divergence, Ended, GUIDE_ADDRESS, GUIDE_MAGIC, GuideHeader, NEVER,
    NO_ARGUMENT, OTHER_WAY, PLAN_ADDRESS, PLAN_MAGIC, Patch, PlanHeader, PlanTest, Point, WHEN_BEFORE, WHEN_CALLED,
    Watched,
};
use suspect_format::record::VERSION;

use crate::os::sys::{self, EIO, Errno, File, O_CLOEXEC, O_RDONLY, O_RDWR};
use crate::os::{children, memory, symbols};
use crate::record::activations::Activations;
use crate::record::guide::{Guide, Runs, Way};
use crate::record::recording::live;

/// How far the process has come with its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Stage {
    /// It is another process that is meant, or there is nothing left to do: decisions are counted.
    Counts,
    /// The cause point is to come.
    Before,
    /// The effect point is to come.
    After,
    /// The call of the effect point's step is to come.
    Call,
    /// The end of the effect point's step is to come.
    Step,
}

/// A process's place in its plan.
#[repr(C)]
pub struct Replay {
    stage: Stage,
    /// Number of the test.
    test: u32,
    /// Decisions made so far.
    made: u64,
    /// Steps begun since the last one, while they are counted.
    steps: u64,
    guide: Guide,
    /// Times that the effect point's step was begun after the cause point, where it is given by its function.
    count: u32,
    /// 1: the step that has begun is one whose decisions are all sent another way.
    turns: u32,
    activations: Activations,
}

fn header() -> *mut PlanHeader {
    PLAN_ADDRESS as *mut PlanHeader
}

/// Where an offset in the plan file is mapped.
fn at<T>(offset: u64) -> *mut T {
    PLAN_ADDRESS.wrapping_add(offset as usize) as *mut T
}

impl Replay {
    /// Maps the plan and takes a number.
    ///
    /// # Safety
    /// `path` is a C string; nothing else of the runtime runs. The state is all zero.
    pub unsafe fn open(&mut self, path: *const c_char) -> Result<(), Errno> {
        // SAFETY: vouched for by the caller; the kernel fills the head.
        unsafe {
            let file = File::open(path, O_RDWR | O_CLOEXEC)?;
            let mut head = core::mem::MaybeUninit::<PlanHeader>::uninit();
            let read = file.read_at(head.as_mut_ptr().cast(), size_of::<PlanHeader>(), 0)?;
            let head = head.as_ptr();
            let length = (*head).length;
            if read != size_of::<PlanHeader>() || (*head).magic != PLAN_MAGIC || length > file.length()? {
                return Err(EIO);
            }
            if (*head).version != VERSION || (*head).endian != ENDIAN_TAG {
                return Err(EIO);
            }
            file.map_to_write_at(PLAN_ADDRESS, length as usize)?;
            if (*header()).guide.first() != Some(&0) {
                open_guide((&raw const (*header()).guide).cast())?;
            }
        }
        self.number();
        Ok(())
    }

    /// Takes the number of a process that starts or is forked.
    fn number(&mut self) {
        // SAFETY: the plan is mapped; other processes count there too.
        let (number, meant) = unsafe {
            let next = core::sync::atomic::AtomicU32::from_ptr(&raw mut (*header()).next_process);
            (next.fetch_add(1, core::sync::atomic::Ordering::Relaxed), (*header()).process)
        };
        self.stage = if number == meant { Stage::Before } else { Stage::Counts };
    }

    /// In the child of a fork: another process.
    pub fn forked(&mut self) {
        self.number();
        self.arm();
    }

    /// Has steps call their hook where a point is near that is looked for.
    pub fn arm(&mut self) {
        // SAFETY: the plan and the first page are mapped.
        unsafe {
            let armed = match self.stage {
                Stage::Counts => false,
                Stage::Before => {
                    self.steps_at((*header()).cause).is_some() || self.steps_at((*header()).replaced).is_some()
                }
                Stage::After => (*header()).effect_function != 0 || self.steps_at((*header()).effect).is_some(),
                Stage::Call | Stage::Step => true,
            };
            let armed = armed || self.stage != Stage::Counts && (*header()).turned_function != 0;
            (&raw mut (*live()).armed).write_volatile(u32::from(armed));
        }
    }

    /// If so many decisions are made: the steps that are to follow.
    fn steps_at(&self, point: Point) -> Option<u64> {
        // SAFETY: the plan is mapped.
        let side = unsafe { (*header()).side as usize & 1 };
        let run = match runs() {
            Some(runs) if self.stage == Stage::After => self.guide.stands_at(&runs, side, point.decisions)?,
            _ => (point.decisions.get(side) == Some(&self.made)).then_some(side)?,
        };
        point.steps.get(run).copied()
    }

    /// A function is entered.
    pub fn entered(&mut self, id: u32, frame: u64) {
        // SAFETY: the plan is mapped.
        let (effect, turned) = unsafe { ((*header()).effect_function, (*header()).turned_function) };
        if effect != 0 || turned != 0 {
            self.activations.push(id, frame);
        }
    }

    /// Whether the step that is about to begin is the effect point's, given by its function, and it is its turn. `stack` is below the frame of
    /// the step's activation and above those of all that it has called.
    fn is_counted_effect(&mut self, stack: u64) -> bool {
        // SAFETY: the plan and the first page are mapped.
        let (function, step, count, now) = unsafe {
            let header = header();
            ((*header).effect_function, (*header).effect_step, (*header).effect_count, (*live()).step)
        };
        if function == 0 || now != step || self.activations.current(stack) != Some(function) {
            return false;
        }
        self.count = self.count.wrapping_add(1);
        self.count == count
    }

    /// Whether the step that is about to begin is one whose decisions are all sent another way. `stack` is as for the effect's.
    fn is_turned(&mut self, stack: u64) -> bool {
        // SAFETY: the plan and the first page are mapped.
        let (function, step, now) = unsafe { ((*header()).turned_function, (*header()).turned_step, (*live()).step) };
        function != 0 && now == step && self.activations.current(stack) == Some(function)
    }

    /// A decision is about to be made, which would be `computed`; the one that is made. One that cannot be turned is only compared.
    #[inline]
    pub fn decide(&mut self, computed: u32, can_turn: bool) -> u32 {
        let number = self.made;
        self.made = number.wrapping_add(1);
        if self.stage == Stage::Counts {
            self.guide.at = [self.made as u32; 2];
            return computed;
        }
        let way = self.way(number, computed, can_turn);
        if self.stage == Stage::Step {
            self.answer(u64::from(way), &[]);
        }
        self.steps = 0;
        self.arm();
        way
    }

    fn way(&mut self, number: u64, computed: u32, can_turn: bool) -> u32 {
        // SAFETY: the plan is mapped.
        let (side, switched, switched_to) =
            unsafe { ((*header()).side as usize & 1, (*header()).switched, (*header()).switched_to) };
        // A switched run is compared and guided like any other: what it computes there is another way.
        let computed = if number == switched && can_turn { switched_to } else { computed };
        // SAFETY: the plan is mapped.
        let computed = match unsafe { (*header()).turned_to } {
            _ if self.turns == 0 || !can_turn => computed,
            OTHER_WAY => computed ^ 1,
            way => way,
        };
        self.turns = 0;
        let Some(runs) = runs() else { return computed };
        if self.stage == Stage::Before {
            let recorded = runs.outcomes.get(side).and_then(|outcomes| outcomes.get(number as usize));
            if recorded != Some(&computed) {
                self.end(Ended::Parted);
            }
        }
        match self.guide.decide(&runs, side, computed) {
            Way::Goes(way) if can_turn || way == computed => way,
            Way::Goes(_) | Way::Confounded => self.end(Ended::Confounded),
            Way::Desync => self.end(Ended::Desync),
        }
    }

    /// A step is about to begin where steps are counted. `stack` is the stack pointer of its function.
    pub fn point(&mut self, stack: u64) {
        if self.stage == Stage::Step {
            self.answer(NEVER, &[]);
        }
        self.turns = u32::from(self.is_turned(stack));
        // SAFETY: the plan is mapped.
        let (replaced, cause, effect, when) =
            unsafe { ((*header()).replaced, (*header()).cause, (*header()).effect, (*header()).when) };
        if self.stage == Stage::Before && self.steps_at(replaced) == Some(self.steps) {
            self.replace();
        }
        if self.stage == Stage::Before && self.steps_at(cause) == Some(self.steps) {
            self.patch();
            self.stage = Stage::After;
        }
        let is_effect =
            self.stage == Stage::After && (self.is_counted_effect(stack) || self.steps_at(effect) == Some(self.steps));
        if is_effect {
            match when {
                WHEN_BEFORE => self.answer(NEVER, &[]),
                WHEN_CALLED => self.stage = Stage::Call,
                _ => self.stage = Stage::Step,
            }
        }
        self.steps = self.steps.wrapping_add(1);
        self.arm();
    }

    /// A function is about to be called with these arguments.
    pub fn called(&mut self, arguments: &[u64]) {
        if self.stage == Stage::Call {
            self.answer(NEVER, arguments);
        }
    }

    /// Gives a value to what was stored last.
    fn replace(&mut self) {
        // SAFETY: the plan is mapped; what is not in memory is not written.
        unsafe {
            let header = header();
            let length = (*header).replaced_length.min(size_of::<u64>() as u64);
            if !is_in_memory((*header).replaced_address, length) {
                self.end(Ended::NoMemory);
            }
            let bits = (&raw const (*header).replaced_bits).cast::<u8>();
            memory::copy(bits, (*header).replaced_address as *mut u8, length as usize);
        }
    }

    /// The cause point: writes patches, of the one test or, in a child for each, of all.
    fn patch(&mut self) {
        // SAFETY: the plan is mapped and whole.
        unsafe {
            let selected = (*header()).selected;
            if selected != ALL_TESTS {
                self.test = selected;
                return self.write_patches();
            }
            let mut test = 0;
            while test < (*header()).n_tests {
                self.test = test;
                let answer = self.own_answer();
                match children::fork((*header()).wall_ns) {
                    children::Forked::Child => return self.write_patches(),
                    children::Forked::Refused => (*answer).ended = Ended::Refused as u32,
                    children::Forked::TimedOut => (*answer).ended = Ended::TimedOut as u32,
                    children::Forked::Ended(status) => {
                        let open = [Ended::Nowhere as u32, Ended::Patched as u32];
                        if open.contains(&(*answer).ended) {
                            ((*answer).ended, (*answer).status) = (Ended::Left as u32, status);
                        }
                    }
                }
                test = test.wrapping_add(1);
            }
        }
        sys::exit(0)
    }

    /// # Safety
    /// The plan is mapped and whole.
    unsafe fn write_patches(&mut self) {
        // SAFETY: vouched for by the caller; what is not in memory is not written.
        unsafe {
            let answer = self.own_answer();
            (*answer).ended = Ended::Patched as u32;
            let test = *at::<PlanTest>((*header()).tests).wrapping_add(self.test as usize);
            let mut number = 0;
            while number < test.n_patches {
                let index = test.first_patch.wrapping_add(number) as usize;
                let patch = *at::<Patch>((*header()).patches).wrapping_add(index);
                if !is_in_memory(patch.address, patch.length) {
                    self.end(Ended::NoMemory);
                }
                memory::copy(at::<u8>(patch.bytes), patch.address as *mut u8, patch.length as usize);
                number = number.wrapping_add(1);
            }
        }
    }

    /// The effect point: answers what is looked at there, and ends the process.
    fn answer(&mut self, outcome: u64, arguments: &[u64]) -> ! {
        // SAFETY: the plan is mapped and whole: an answer has room for all that is watched.
        unsafe {
            let answer = self.own_answer();
            (*answer).outcome = outcome;
            (*answer).n_arguments = arguments.len() as u64;
            for (number, word) in arguments.iter().take(ANSWER_ARGUMENTS).enumerate() {
                (&raw mut (*answer).arguments).cast::<u64>().wrapping_add(number).write(*word);
            }
            let mut to = answer.wrapping_add(1).cast::<u8>();
            let mut number = 0;
            while number < (*header()).n_watched {
                let watched = *at::<Watched>((*header()).watched).wrapping_add(number as usize);
                let base = match watched.argument {
                    NO_ARGUMENT => 0,
                    argument => arguments.get(argument as usize).copied().unwrap_or(0),
                };
                let (address, length) = (base.wrapping_add(watched.address), watched.length as usize);
                if !is_in_memory(address, length as u64) {
                    self.end(Ended::NoMemory);
                }
                memory::copy(address as *const u8, to, length);
                to = to.wrapping_add(length);
                number = number.wrapping_add(1);
            }
            if (*header()).flushes != 0 {
                symbols::flush();
            }
        }
        self.end(Ended::Effect)
    }

    /// Ends the process here and says why.
    fn end(&mut self, ended: Ended) -> ! {
        // SAFETY: the plan is mapped.
        unsafe {
            let answer = self.own_answer();
            (*answer).decisions = match runs() {
                Some(_) => self.guide.at.map(u64::from),
                None => [self.made; 2],
            };
            (*answer).ended = ended as u32;
        }
        sys::exit(0)
    }

    /// # Safety
    /// The plan is mapped.
    unsafe fn own_answer(&self) -> *mut Answer {
        // SAFETY: vouched for by the caller. Without a selected test the first answer is the process's.
        unsafe {
            let stride = (*header()).answer_stride.wrapping_mul(u64::from(self.test));
            at((*header()).answers.wrapping_add(stride))
        }
    }
}

/// Maps the guide file.
///
/// # Safety
/// `path` is a C string.
unsafe fn open_guide(path: *const c_char) -> Result<(), Errno> {
    // SAFETY: vouched for by the caller; the kernel fills the head.
    unsafe {
        let file = File::open(path, O_RDONLY | O_CLOEXEC)?;
        let mut head = core::mem::MaybeUninit::<GuideHeader>::uninit();
        let read = file.read_at(head.as_mut_ptr().cast(), size_of::<GuideHeader>(), 0)?;
        let head = head.as_ptr();
        if read != size_of::<GuideHeader>()
            || (*head).magic != GUIDE_MAGIC
            || (*head).version != VERSION
            || (*head).length > file.length()?
        {
            return Err(EIO);
        }
        file.map_at(GUIDE_ADDRESS, (*head).length as usize)
    }
}

/// The runs that guide this process, if it is guided.
fn runs() -> Option<Runs<'static>> {
    // SAFETY: where the plan names a guide file it is mapped, whole, and never written.
    unsafe {
        if (*header()).guide.first() == Some(&0) {
            return None;
        }
        let head = &*(GUIDE_ADDRESS as *const GuideHeader);
        let [first, second] = head.outcomes;
        let [n_first, n_second] = head.n_outcomes;
        let part = |offset: u64, count: u64| {
            core::slice::from_raw_parts(GUIDE_ADDRESS.wrapping_add(offset as usize) as *const u32, count as usize)
        };
        let divergences = GUIDE_ADDRESS.wrapping_add(head.divergences as usize) as *const Divergence;
        Some(Runs {
            outcomes: [part(first, n_first), part(second, n_second)],
            divergences: core::slice::from_raw_parts(divergences, head.n_divergences as usize),
        })
    }
}

/// Whether `length` bytes at `address` are mapped.
fn is_in_memory(address: u64, length: u64) -> bool {
    let Some(end) = address.checked_add(length) else { return false };
    let mut page = address & !(PAGE as u64 - 1);
    while page < end {
        if !sys::is_readable(page as usize) {
            return false;
        }
        page = page.saturating_add(PAGE as u64);
    }
    true
}
