// The shim as one unit: reading LLVM's headers takes longer than compiling all of it.
#include "apart.cpp"
#include "dead.cpp"
#include "passes.cpp"
#include "record.cpp"
#include "shim.cpp"
