//! One way in, two ways on: what starts a trial in a plan's memory is left twice, by the trial and by the plan.

use core::arch::naked_asm;

use crate::plan::scratch_mapping::OWN_STACK_TOP;

/// Calls `go` on the scratch mapping's own stack, with a stack pointer at which this call can be returned from once more. Answers 1 when `go` returns, and 0
/// when something returns there: a child whose stack pointer it was made, or the plan when its memory is put back.
///
/// # Safety
/// The mapping is there and nothing else uses its own stack. What returns there has the memory above that stack pointer as it is now.
#[unsafe(naked)]
pub unsafe extern "C" fn checkpoint(go: unsafe extern "C" fn(resume: usize)) -> u32 {
    naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "lea rax, [rip + 2f]",
        "push rax",
        "mov rbx, rsp",
        "movabs rsp, {top}",
        "mov rax, rdi",
        "mov rdi, rbx",
        "call rax",
        "lea rsp, [rbx + 8]",
        "mov eax, 1",
        "jmp 3f",
        "2:",
        "xor eax, eax",
        "3:",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
        top = const OWN_STACK_TOP,
    )
}
