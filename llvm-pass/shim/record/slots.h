// See slots.cpp.
#pragma once

namespace llvm {
class AllocaInst;
class Function;
class Instruction;
class Type;
class Value;
} // namespace llvm

namespace record {
// A new slot of `function` for a value of `type`.
llvm::AllocaInst *slot(llvm::Function &function, llvm::Type *type);

// Has every user but one load the value from `slot` right before it uses it.
void reload(llvm::Value &value, llvm::AllocaInst *slot, const llvm::Instruction *but);

// Keeps an instruction's value in the frame.
llvm::AllocaInst *keep(llvm::Instruction &value);
} // namespace record
