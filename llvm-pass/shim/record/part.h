// See part.cpp.
#pragma once

namespace llvm {
class DataLayout;
class Instruction;
class Type;
} // namespace llvm

namespace record {
// What an instruction is to the body table; the numbers are known to trees.rs.
enum Part {
  Nothing = 0,  // leaves no trace in the table
  Pure = 1,     // computes a value from values
  Read = 2,     // loads
  Division = 3, // computes, and may trap
  Opaque = 4,   // makes a value that the table cannot compute
  Step = 5,     // is a step of its own
};

const llvm::DataLayout &layout_of(const llvm::Instruction &instruction);

// Whether a type is one of whole numbers of at most 64 bits, or of addresses.
bool is_word(llvm::Type *type);

// A value of at most 64 bits that the table has types for.
bool is_scalar(llvm::Type *type);

// A value that lives in memory, since no type of the table holds it.
bool is_wide(llvm::Type *type);

Part part_of(const llvm::Instruction &instruction);
} // namespace record
