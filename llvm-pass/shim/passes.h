// See passes.cpp.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace llvm {
class LLVMContext;
class PassInstrumentationCallbacks;
}

void spare_versions(llvm::PassInstrumentationCallbacks *callbacks);

// Before code is generated.
void spare_code(llvm::LLVMContext &context);

// Another module is about to be optimised.
void begin_module();
