// See passes.cpp.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace llvm {
class PassInstrumentationCallbacks;
}

void spare_versions(llvm::PassInstrumentationCallbacks *callbacks);

// Another module is about to be optimised.
void begin_module();
