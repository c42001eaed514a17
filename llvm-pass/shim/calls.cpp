// Calls: what they call, how, and with which attributes.
#include "declarations.h"
#include "text.h"
#include "llvm-c/Core.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

extern "C" {
bool suspect_is_musttail(LLVMValueRef call) {
  auto *instruction = dyn_cast<CallInst>(unwrap(call));
  return instruction && instruction->isMustTailCall();
}

void suspect_set_musttail(LLVMValueRef call) { unwrap<CallInst>(call)->setTailCallKind(CallInst::TCK_MustTail); }

void suspect_set_notail(LLVMValueRef call) { unwrap<CallInst>(call)->setTailCallKind(CallInst::TCK_NoTail); }

// Whether a call (function or call site) has the attribute of this kind.
bool suspect_call_has(LLVMValueRef call, unsigned kind) {
  return unwrap<CallBase>(call)->hasFnAttr(Attribute::AttrKind(kind));
}

bool suspect_call_no_duplicate(LLVMValueRef call) { return unwrap<CallBase>(call)->cannotDuplicate(); }

LLVMValueRef suspect_called_function(LLVMValueRef call) {
  return wrap(dyn_cast<Function>(unwrap<CallBase>(call)->getCalledOperand()->stripPointerCasts()));
}

bool suspect_set_called(LLVMValueRef call, LLVMValueRef callee) {
  unwrap<CallBase>(call)->setCalledOperand(unwrap(callee));
  return true;
}

// A call whose callee now writes counters must be made as often as the source says.
void suspect_forget_memory(LLVMValueRef call) { unwrap<CallBase>(call)->removeFnAttr(Attribute::Memory); }

const char *suspect_inline_asm(LLVMValueRef call, size_t *length) {
  auto *code = dyn_cast<InlineAsm>(unwrap<CallBase>(call)->getCalledOperand());
#if LLVM_VERSION_MAJOR >= 19
  return code ? text(code->getAsmString(), length) : nullptr;
#else
  return code ? text(StringRef(code->getAsmString()), length) : nullptr;
#endif
}

// Copies what the callee's convention needs (attributes, calling convention) from `function` to a call that forwards it.
void suspect_forward_attributes(LLVMValueRef call, LLVMValueRef function) {
  CallInst *forward = unwrap<CallInst>(call);
  Function *callee = unwrap<Function>(function);
  forward->setCallingConv(callee->getCallingConv());
  forward->setAttributes(AttributeList::get(callee->getContext(), AttributeSet(), callee->getAttributes().getRetAttrs(), {}));
  for (unsigned i = 0; i < callee->arg_size(); i++)
    for (Attribute attribute : callee->getAttributes().getParamAttrs(i))
      forward->addParamAttr(i, attribute);
  // Inlined, the versions would share one frame, and the plain one would lose its debug information.
  forward->addFnAttr(Attribute::NoInline);
}

bool suspect_returns_in_memory(LLVMValueRef call) { return unwrap<CallBase>(call)->hasStructRetAttr(); }
}
