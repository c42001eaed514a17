//! The filter of system calls under which a plan runs: what a fork keeps apart passes, everything else ends the process.
//!
//! The calls that the executor itself makes go through [`trampoline::call`], whose one instruction the filter knows.

use core::mem::MaybeUninit;

use suspect_format::trial::{Done, EXIT_CUT, Refusal};

use crate::os::sys::{self, Errno};
use crate::plan::{files, in_process, syscall_dispatch};
use crate::trial::file;
use crate::trial::trampoline::{self, call};

/// Ends a child of a plan, by the gate, for its calls may be dispatched; or a trial in place.
pub fn exit() -> ! {
    const EXIT_GROUP: usize = 231;
    // SAFETY: in a trial.
    unsafe {
        if in_process::is_running() {
            in_process::end(EXIT_CUT << 8);
        }
    }
    loop {
        // SAFETY: no addresses.
        let _ = unsafe { call(EXIT_GROUP, [EXIT_CUT as usize, 0, 0, 0, 0]) };
    }
}

/// What a call means for the filter.
#[derive(Clone, Copy)]
enum Rule {
    /// It passes.
    Pass(u32),
    /// It passes if these bits of the argument of that number are clear.
    Clear(u32, u8, u32),
    /// It passes if the low half of the argument of that number is one of these.
    Among(u32, u8, [u32; 5]),
    /// It passes unless the low half of the argument of that number is one of these.
    NotAmong(u32, u8, [u32; 5]),
}

use Rule::{Among, Clear, NotAmong, Pass};

/// Access for writing, and making or cutting a file.
const WRITING: u32 = 0o3 | 0o100 | 0o1000;
const MAP_SHARED: u32 = 1;
const SEEK_CUR: u32 = 1;
const NEVER: u32 = u32::MAX;
const LSEEK: u32 = 8;
const SIGACTION: u32 = 13;
const KILL: u32 = 62;
const SIGRETURN: u32 = 15;

/// Calls by number, the frequent ones first.
const RULES: [Rule; 92] = [
    Pass(0),                                                // read
    Pass(1),                                                // write
    Pass(5),                                                // fstat
    Pass(262),                                              // newfstatat
    Pass(12),                                               // brk
    Clear(9, 3, MAP_SHARED),                                // mmap
    Pass(11),                                               // munmap
    Pass(3),                                                // close
    Clear(257, 2, WRITING),                                 // openat
    Clear(2, 1, WRITING),                                   // open
    Pass(231),                                              // exit_group
    Pass(310),                                              // process_vm_readv
    Pass(10),                                               // mprotect
    Pass(14),                                               // rt_sigprocmask
    Pass(39),                                               // getpid
    Pass(4),                                                // stat
    Pass(6),                                                // lstat
    Pass(7),                                                // poll
    Pass(15),                                               // rt_sigreturn
    Pass(17),                                               // pread64
    Pass(19),                                               // readv
    Pass(20),                                               // writev
    Pass(21),                                               // access
    Pass(23),                                               // select
    Pass(24),                                               // sched_yield
    Pass(25),                                               // mremap
    Pass(26),                                               // msync
    Pass(27),                                               // mincore
    NotAmong(28, 2, [9, 10, 18, NEVER, NEVER]),             // madvise: not what a fork would see
    Pass(32),                                               // dup
    Pass(33),                                               // dup2
    Pass(34),                                               // pause
    Pass(35),                                               // nanosleep
    Among(16, 1, [0x5401, 0x5413, 0x541b, 0x5401, 0x5401]), // ioctl: questions about terminals and pipes
    Pass(60),                                               // exit
    Pass(61),                                               // wait4
    Pass(63),                                               // uname
    Among(72, 1, [0, 1, 2, 3, 1030]),                       // fcntl: duplicates, flags of descriptors
    Pass(74),                                               // fsync
    Pass(75),                                               // fdatasync
    Pass(79),                                               // getcwd
    Pass(80),                                               // chdir
    Pass(81),                                               // fchdir
    Pass(89),                                               // readlink
    Pass(95),                                               // umask
    Pass(96),                                               // gettimeofday
    Pass(97),                                               // getrlimit
    Pass(98),                                               // getrusage
    Pass(99),                                               // sysinfo
    Pass(100),                                              // times
    Pass(102),                                              // getuid
    Pass(104),                                              // getgid
    Pass(107),                                              // geteuid
    Pass(108),                                              // getegid
    Pass(110),                                              // getppid
    Pass(111),                                              // getpgrp
    Pass(115),                                              // getgroups
    Pass(118),                                              // getresuid
    Pass(120),                                              // getresgid
    Pass(121),                                              // getpgid
    Pass(124),                                              // getsid
    Pass(127),                                              // rt_sigpending
    Pass(131),                                              // sigaltstack
    Pass(137),                                              // statfs
    Pass(138),                                              // fstatfs
    Pass(140),                                              // getpriority
    Among(157, 0, [15, 16, 0x5356_4d41, 15, 15]),           // prctl: names
    Pass(186),                                              // gettid
    Pass(187),                                              // readahead
    Pass(201),                                              // time
    Pass(202),                                              // futex
    Pass(204),                                              // sched_getaffinity
    Pass(217),                                              // getdents64
    Pass(78),                                               // getdents
    Pass(221),                                              // fadvise64
    Pass(228),                                              // clock_gettime
    Pass(229),                                              // clock_getres
    Pass(230),                                              // clock_nanosleep
    Pass(234),                                              // tgkill
    Pass(267),                                              // readlinkat
    Pass(269),                                              // faccessat
    Pass(270),                                              // pselect6
    Pass(271),                                              // ppoll
    Pass(273),                                              // set_robust_list
    Pass(292),                                              // dup3
    Pass(295),                                              // preadv
    Among(302, 2, [0; 5]),                                  // prlimit64: questions
    Pass(309),                                              // getcpu
    Pass(318),                                              // getrandom
    Pass(324),                                              // membarrier
    Pass(332),                                              // statx
    Pass(439),                                              // faccessat2
];

/// Whether the filter lets a call pass that is not the executor's own.
fn passes(number: u32, arguments: &[usize; 6]) -> bool {
    let low = |at: u8| arguments.get(usize::from(at)).map_or(0, |argument| *argument as u32);
    let asks_where = number == LSEEK && low(2) == SEEK_CUR && arguments[1] == 0;
    let is_passed = |rule: &Rule| match *rule {
        Pass(known) => known == number,
        Clear(known, at, bits) => known == number && low(at) & bits == 0,
        Among(known, at, values) => known == number && values.contains(&low(at)),
        NotAmong(known, at, values) => known == number && !values.contains(&low(at)),
    };
    asks_where || RULES.iter().any(is_passed)
}

/// One instruction of a filter.
#[derive(Clone, Copy)]
#[repr(C)]
struct Step {
    code: u16,
    yes: u8,
    no: u8,
    k: u32,
}

const LOAD: u16 = 0x20;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const IF_ANY: u16 = 0x45;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
const TRAP: u32 = 0x0003_0000;
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ADDRESS: u32 = 8;
const ARGUMENTS: u32 = 16;
const X86_64: u32 = 0xc000_003e;
const X32: u32 = 0x4000_0000;

const ROOM: usize = 512;

/// A filter while it is written.
struct Program {
    steps: [MaybeUninit<Step>; ROOM],
    length: usize,
}

impl Program {
    fn add(&mut self, code: u16, k: u32, yes: u8, no: u8) {
        if let Some(step) = self.steps.get_mut(self.length) {
            step.write(Step { code, yes, no, k });
            self.length = self.length.wrapping_add(1);
        }
    }

    fn rule(&mut self, rule: Rule) {
        match rule {
            Pass(number) => {
                self.add(IF_EQUAL, number, 0, 1);
                self.add(RETURN, ALLOW, 0, 0);
            }
            Clear(number, argument, bits) => {
                self.add(IF_EQUAL, number, 0, 4);
                self.argument(argument);
                self.add(IF_ANY, bits, 0, 1);
                self.add(RETURN, TRAP, 0, 0);
                self.add(RETURN, ALLOW, 0, 0);
            }
            Among(number, argument, values) => self.list(number, argument, values, ALLOW, TRAP),
            NotAmong(number, argument, values) => self.list(number, argument, values, TRAP, ALLOW),
        }
    }

    fn list(&mut self, number: u32, argument: u8, values: [u32; 5], found: u32, otherwise: u32) {
        self.add(IF_EQUAL, number, 0, 8);
        self.argument(argument);
        for (value, left) in values.iter().zip([5u8, 4, 3, 2, 1]) {
            self.add(IF_EQUAL, *value, left, 0);
        }
        self.add(RETURN, otherwise, 0, 0);
        self.add(RETURN, found, 0, 0);
    }

    /// Loads the low half of an argument.
    fn argument(&mut self, number: u8) {
        self.add(LOAD, ARGUMENTS + 8 * number as u32, 0, 0);
    }

    fn write(&mut self, gate: u64) {
        self.add(LOAD, ARCHITECTURE, 0, 0);
        self.add(IF_EQUAL, X86_64, 1, 0);
        self.add(RETURN, TRAP, 0, 0);
        self.add(LOAD, NUMBER, 0, 0);
        self.add(IF_AT_LEAST, X32, 0, 1);
        self.add(RETURN, TRAP, 0, 0);
        // First what the kernel finds to pass whatever the arguments are: it then remembers that.
        for rule in RULES.iter().filter(|rule| matches!(rule, Pass(_))) {
            self.rule(*rule);
        }
        self.add(LOAD, ADDRESS, 0, 0);
        self.add(IF_EQUAL, gate as u32, 0, 3);
        self.add(LOAD, ADDRESS + 4, 0, 0);
        self.add(IF_EQUAL, (gate >> 32) as u32, 0, 1);
        self.add(RETURN, ALLOW, 0, 0);
        self.add(LOAD, NUMBER, 0, 0);
        for rule in RULES.iter().filter(|rule| !matches!(rule, Pass(_))) {
            self.rule(*rule);
        }
        // A question where a file stands: `lseek(fd, 0, SEEK_CUR)`.
        self.add(IF_EQUAL, LSEEK, 0, 7);
        self.argument(2);
        self.add(IF_EQUAL, SEEK_CUR, 0, 5);
        self.argument(1);
        self.add(IF_EQUAL, 0, 0, 3);
        self.add(LOAD, ARGUMENTS + 8 + 4, 0, 0);
        self.add(IF_EQUAL, 0, 0, 1);
        self.add(RETURN, ALLOW, 0, 0);
        self.add(RETURN, TRAP, 0, 0);
    }
}

/// `struct sock_fprog`.
#[repr(C)]
struct Filter {
    length: u16,
    steps: *const Step,
}

/// The kernel's `struct sigaction`.
#[repr(C)]
pub struct Action {
    pub handler: usize,
    flags: usize,
    restorer: usize,
    mask: u64,
}

impl Action {
    /// What the kernel does if nobody says anything.
    pub const DEFAULT: Action = Action { handler: 0, flags: 0, restorer: 0, mask: 0 };

    /// A handler of the runtime's own, on a stack of its own if there is one.
    pub fn of(handler: usize) -> Action {
        Action { handler, flags: ACTION_FLAGS, restorer: trampoline::signal_return(), mask: 0 }
    }
}

const SIGSYS: usize = 31;
/// `SA_SIGINFO`, `SA_RESTORER`, `SA_ONSTACK`, `SA_NODEFER`.
const ACTION_FLAGS: usize = 4 | 0x0400_0000 | 0x0800_0000 | 0x4000_0000;

/// Puts this process under the filter.
///
/// # Safety
/// The trial file is mapped and its header can be written; the process has one thread.
pub unsafe fn install() -> Result<(), Errno> {
    let mut program = Program { steps: [const { MaybeUninit::uninit() }; ROOM], length: 0 };
    program.write(trampoline::passed());
    let filter = Filter { length: program.length as u16, steps: program.steps.as_ptr().cast() };
    // What a call raises waits until the program's own code goes on: it is handled there, on the program's stack.
    let action = Action { mask: !(1 << (SIGSYS - 1)), ..Action::of(trapped as *const () as usize) };
    // SAFETY: vouched for by the caller; both records live long enough.
    unsafe {
        trampoline::note();
        sys::handle_signal(SIGSYS, (&raw const action).cast())?;
        sys::filter_calls((&raw const filter).cast())
    }
}

/// What the kernel tells of a trapped call.
#[repr(C)]
struct Trapped {
    _signal: [i32; 2],
    code: i32,
    _rest: i32,
    _address: usize,
    number: i32,
}

/// [`Trapped::code`] of calls that are dispatched: those of what has a plan's memory.
const DISPATCHED: i32 = 2;

/// The machine's state at a signal, up to the mask of signals that its handler returns to.
#[repr(C)]
struct Context {
    _head: [u64; 5],
    registers: [usize; 23],
    _rest: [u64; 9],
    mask: u64,
}

const R8: usize = 0;
const R9: usize = 1;
const R10: usize = 2;
const RDI: usize = 8;
const RSI: usize = 9;
const RDX: usize = 12;
const RAX: usize = 13;
const RIP: usize = 16;

/// A call was not let through: it is made here if it is harmless after all, else the process notes it and ends.
unsafe extern "C" fn trapped(_signal: i32, info: *const Trapped, context: *mut Context) {
    // SAFETY: the kernel gives a handler these two.
    unsafe {
        let number = (*info).number as u32;
        let is_dispatched = (*info).code == DISPATCHED;
        let registers = &mut (*context).registers;
        let arguments = [RDI, RSI, RDX, R10, R8, R9].map(|register| registers.get(register).copied().unwrap_or(0));
        if is_dispatched && number == SIGRETURN {
            // Of a handler of the program's: where it is not dispatched.
            registers[RIP] = trampoline::noted_signal_return();
            return;
        }
        if !(is_harmless(number, &arguments) || is_dispatched && passes(number, &arguments)) {
            refuse(number);
        }
        let answer = match is_dispatched {
            true => syscall_dispatch::take(number as usize, arguments, &mut (*context).mask),
            false => {
                if number == SIGACTION {
                    syscall_dispatch::handles(arguments[1]);
                }
                trampoline::pass(number as usize, arguments)
            }
        };
        registers[RAX] = match answer {
            Ok(answer) => answer,
            Err(Errno(reason)) => reason.wrapping_neg() as isize as usize,
        };
    }
}

/// Whether a call that does not pass may be made all the same.
unsafe fn is_harmless(number: u32, arguments: &[usize; 6]) -> bool {
    const GETPID: usize = 39;
    let [first, ..] = *arguments;
    // SAFETY: in a plan or its child.
    unsafe {
        match number {
            // Itself: a fork has an id of its own.
            KILL => call(GETPID, [0; 5]) == Ok(first),
            // What the filter cannot see is looked at here.
            SIGACTION => first as u32 as usize != SIGSYS,
            // Input; what is written before a fork cannot be written again.
            LSEEK => !files::is_output(first as i32),
            _ => false,
        }
    }
}

/// Notes the call and ends this process: of a plan, with it the plan; of its child, to be run elsewhere.
unsafe fn refuse(number: u32) -> ! {
    // SAFETY: the header can be written; results are where it says.
    unsafe {
        let header = file::header();
        match (*header).running.checked_sub(1) {
            None => file::give_up(Refusal::Call, number),
            Some(index) => {
                let result = file::result(index as u32);
                (*result).refused_call = number;
                (*result).done = Done::Elsewhere as u32;
                exit()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a filter says of a call, as the kernel runs it.
    fn run(steps: &[Step], number: u32, arguments: &[usize; 6], pointer: u64) -> u32 {
        let mut data = [0u8; 64];
        data[0..4].copy_from_slice(&number.to_ne_bytes());
        data[4..8].copy_from_slice(&X86_64.to_ne_bytes());
        data[8..16].copy_from_slice(&pointer.to_ne_bytes());
        for (to, argument) in data[16..].chunks_exact_mut(8).zip(arguments) {
            to.copy_from_slice(&(*argument as u64).to_ne_bytes());
        }
        let (mut at, mut loaded) = (0, 0u32);
        loop {
            let step = steps[at];
            let jump = |met: bool| usize::from(if met { step.yes } else { step.no });
            at += 1 + match step.code {
                LOAD => {
                    let from = step.k as usize;
                    loaded = u32::from_ne_bytes(data[from..from + 4].try_into().unwrap());
                    0
                }
                IF_EQUAL => jump(loaded == step.k),
                IF_AT_LEAST => jump(loaded >= step.k),
                IF_ANY => jump(loaded & step.k != 0),
                _ => return step.k,
            };
        }
    }

    #[test]
    fn calls_that_are_dispatched_pass_as_the_filter_says() {
        const GATE: u64 = 0x7f00_1234_5678;
        let mut program = Program { steps: [const { MaybeUninit::uninit() }; ROOM], length: 0 };
        program.write(GATE);
        assert!(program.length < ROOM, "all of it is there");
        // SAFETY: so many were written.
        let steps = unsafe { core::slice::from_raw_parts(program.steps.as_ptr().cast::<Step>(), program.length) };
        let values = [0, 1, 2, 3, 4, 9, 10, 15, 18, 31, 0x22, 0o101, 0o1000, 0x5401, 1030, 1 << 32, usize::MAX];
        let (mut passed, mut trapped) = (0, 0);
        for number in (0..460).chain([X32, X32 + 1, u32::MAX]) {
            for one in values {
                for other in values {
                    let arguments = [one, other, one, other, one, other];
                    let says = run(steps, number, &arguments, GATE + 1);
                    assert_eq!(says == ALLOW, passes(number, &arguments), "call {number} {arguments:?}");
                    *(if says == ALLOW { &mut passed } else { &mut trapped }) += 1;
                }
            }
            assert_eq!(run(steps, number, &[0; 6], GATE) == ALLOW, number < X32, "call {number} at the gate");
        }
        assert!(passed > 10_000 && trapped > 10_000, "{passed} {trapped}");
    }
}
