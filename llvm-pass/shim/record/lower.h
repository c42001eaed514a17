// See lower.cpp.
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace record {
// Nothing that the front end knew of values is taken for granted, since a patched run may have other ones.
void forget(llvm::Function &function);

// Phis become slots.
void demote_phis(llvm::Function &function);

// Labels become numbers, jumps to them switches.
void number_labels(llvm::Function &function);

// Constants that the table cannot say become instructions.
void spell_out_constants(llvm::Function &function);

// Multiplication and addition in one, where the processor has no such instruction; counts of shifts in their range.
void make_exact(llvm::Function &function);

// A switch of a wide value becomes one of the number of the case.
void narrow_switches(llvm::Function &function);

// Values wider than 64 bits live in memory: each goes into a slot where it is made and comes out of it where it is used.
void lower_wide(llvm::Function &function);

// Parameters are in slots from the entry on.
void lower_parameters(llvm::Function &function);

// What several steps of one instruction say comes from slots.
void keep_said_twice(llvm::Function &function);
} // namespace record
