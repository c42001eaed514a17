// See blocks.cpp.
#pragma once
#include <set>

namespace llvm {
class AllocaInst;
class BasicBlock;
} // namespace llvm

namespace record {
// Keeps those values of `block` in slots whose steps could notice another step between; `known` are slots that only loads and stores see.
void keep_what_passes_steps(llvm::BasicBlock &block, const std::set<const llvm::AllocaInst *> &known);
} // namespace record
