//! The code inside the program under test.
//!
//! Linked as one relocatable object, first on the link line, into every executable and shared library that has
//! instrumented units (`runtime/Makefile` builds it, and the object that ends the section of words).
//!
//! A process counts (`count`), is recorded or replayed (`record`), takes part in a trial (`trial`, and `plan` where it runs many mutants),
//! or does none of these. `start` decides which, before the program's own code. `hooks` are what units call.
//! `cases` lets a test program run one of its cases alone, by its framework's functions or by `case_functions`. `process` is what the modules of a process must have in common; `os` is what they stand on.
//!
//! What holds everywhere here: no allocation, no panic path, no message, no call into the program's C library but those
//! looked up weakly in `os::symbols`; system calls are made directly, so `errno` stays as it was. When anything is refused
//! the program runs as it would without suspect; only a process of a trial is ended, when its budget is used up or it
//! is one too many. No file descriptor is kept, no thread is made, and no signal handler outside of a plan. Memory is taken at addresses far
//! from everything, and for a string that replaces another one from the program's own `malloc`.
//!
//! # Limits
//! * A child made by a direct `clone` or `syscall(SYS_fork)`, by `_Fork`, or by `fork` in a program whose C library has
//!   no `__register_atfork`/`pthread_atfork` linked in, writes into its parent's words. `vfork` children do so too.
//! * A program that lets a filter kill it for opening files, and forks after that, loses the child to the filter, unless `SUSPECT_QUIET` is set: then
//!   the child counts in its parent's words.
//! * A child that can make no file (another user, another root directory, a full disk) counts in its parent's words.
//! * In a trial threads share the counts without locks: trajectories of nodes that several threads execute mean
//!   nothing.
//! * A mutant whose stray write hits the trial file or, in a plan, the copies of its parent's memory (4 MiB, far from everything else) spoils
//!   what is found of others. Nothing notices that.
//! * A recording ends where a second thread begins. A handler of a signal that interrupts a hook is not recorded, and one that jumps out of a
//!   hook ends the recording. Stacks that the program makes itself (`makecontext`) are not understood.
//! * An address is one of an unknown object when it is on the stack of another thread than the first, in a library that
//!   is not instrumented, or in memory that did not come from the C library's allocators; nor is an object's end known
//!   when the program brings its own `malloc` (then only its first byte has the object's name).
//! * A module loaded by `dlopen` after the program removed `SUSPECT_OUT` from its own environment is not recorded.
#![cfg_attr(not(test), no_std)]
#![no_builtins]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("the runtime makes its system calls directly and knows x86-64 Linux only; add yours to os/sys.rs");

mod case_functions;
mod cases;
mod count;
mod hooks;
mod os;
mod plan;
mod process;
mod record;
mod stand_in;
mod start;
mod trial;

pub use case_functions::{__suspect_case, __suspect_case_left, __suspect_case_result};
pub use hooks::{
    __suspect_choice, __suspect_node, __suspect_object, __suspect_operation, __suspect_pointer, __suspect_refuel,
    __suspect_text, __suspect_tick, __suspect_variable,
};
pub use os::clock::{
    __suspect_clock, __suspect_clock_gettime, __suspect_gettimeofday, __suspect_time, __suspect_timespec_get,
};
pub use record::hooks::{
    __suspect_branch, __suspect_call, __suspect_called, __suspect_enter, __suspect_loaded, __suspect_setjmp,
    __suspect_step,
};
