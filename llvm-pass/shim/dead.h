// See dead.cpp.
#pragma once

namespace llvm {
class Module;
}

// Lets the linker do without what only dead code of `module` names.
void spare_the_dead(llvm::Module &module);
