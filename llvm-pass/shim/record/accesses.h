// See accesses.cpp.
#pragma once
#include <set>

namespace llvm {
class AllocaInst;
class Function;
class Value;
} // namespace llvm

namespace record {
// Which slots nothing but this function's own loads and stores can see. `globals` are variables of which the same is known.
std::set<const llvm::AllocaInst *> known_slots(llvm::Function &function, const std::set<const llvm::Value *> &globals);

// What an address is a part of.
const llvm::Value *base_of(const llvm::Value *address);
} // namespace record
