// See apart.cpp.
#pragma once

namespace llvm {
class Module;
}

// Takes what is not to be optimised out of `module`.
void take_apart(llvm::Module &module);

// Puts it back, unless nothing was taken.
void put_back(llvm::Module &module);
