// Functions, variables and metadata of a module.
#include "declarations.h"
#include "llvm-c/Core.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

extern "C" {
bool suspect_is_interposable(LLVMValueRef global) { return unwrap<GlobalValue>(global)->isInterposable(); }

bool suspect_is_thread_local(LLVMValueRef global) { return unwrap<GlobalVariable>(global)->isThreadLocal(); }

bool suspect_is_intrinsic(LLVMValueRef function) { return unwrap<Function>(function)->isIntrinsic(); }

void suspect_set_no_sanitize(LLVMValueRef global) {
  GlobalValue::SanitizerMetadata metadata;
  metadata.NoAddress = true;
  metadata.NoHWAddress = true;
  unwrap<GlobalVariable>(global)->setSanitizerMetadata(metadata);
}

void suspect_keep(LLVMModuleRef module, LLVMValueRef global, bool linker_too) {
  if (linker_too)
    appendToUsed(*unwrap(module), {unwrap<GlobalValue>(global)});
  else
    appendToCompilerUsed(*unwrap(module), {unwrap<GlobalValue>(global)});
}

void suspect_drop_named_metadata(LLVMModuleRef module, const char *name) {
  if (NamedMDNode *named = unwrap(module)->getNamedMetadata(name))
    named->eraseFromParent();
}

// Whether some argument is a structure that the caller copies onto the stack.
bool suspect_takes_copies(LLVMValueRef function) {
  return any_of(unwrap<Function>(function)->args(),
                [](const Argument &argument) { return argument.hasPassPointeeByValueCopyAttr(); });
}
}
