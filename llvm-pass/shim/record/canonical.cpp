// The canonical form: a copy of a function as the body table can say it.
#include "accesses.h"
#include "blocks.h"
#include "lower.h"
#include "part.h"
#include "slots.h"
#include "declarations.h"
#include "llvm-c/Core.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

extern "C" {
// Brings a function into this form: a value that is no step's (see part_of) is used in its own block by the steps that follow without
// another between that it could notice; whatever else is used later is kept in a slot. Steps' results and parameters are in slots, used from
// there. There are no phis, labels, undefined values, thread-local addresses in constants; a value wider than 64 bits is loaded where it
// is used and stored where it is made. `known` are variables that only loads and stores see.
void suspect_record_canonicalise(LLVMValueRef reference, LLVMValueRef *known, size_t n_known) {
  Function &function = *unwrap<Function>(reference);
  std::set<const Value *> globals;
  for (size_t i = 0; i < n_known; i++)
    globals.insert(unwrap(known[i]));
  record::forget(function);
  record::demote_phis(function);
  record::number_labels(function);
  record::spell_out_constants(function);
  record::make_exact(function);
  record::narrow_switches(function);
  record::lower_wide(function);
  record::lower_parameters(function);
  SmallVector<Instruction *, 32> results;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (record::part_of(instruction) == record::Step && !instruction.getType()->isVoidTy() && !record::is_wide(instruction.getType()) &&
          (!instruction.use_empty() || isa<AllocaInst>(instruction)))
        results.push_back(&instruction);
  for (Instruction *result : results)
    record::keep(*result);
  record::keep_said_twice(function);
  std::set<const AllocaInst *> slots = record::known_slots(function, globals);
  for (BasicBlock &block : function)
    record::keep_what_passes_steps(block, slots);
}
}
