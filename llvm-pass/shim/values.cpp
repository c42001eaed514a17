// Instructions and constants, one at a time.
#include "declarations.h"
#include "text.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <cstring>

using namespace llvm;

extern "C" {
bool suspect_is_debug(LLVMValueRef instruction) { return isa<DbgInfoIntrinsic>(unwrap(instruction)); }

bool suspect_int_bits(LLVMValueRef constant, int64_t *value) {
  auto *integer = dyn_cast<ConstantInt>(unwrap(constant));
  if (!integer || integer->getBitWidth() > 64)
    return false;
  *value = integer->getSExtValue();
  return true;
}

// The bits, zero-extended, of a constant number of at most 64.
bool suspect_constant_bits(LLVMValueRef constant, uint64_t *bits) {
  Value *value = unwrap(constant);
  if (auto *integer = dyn_cast<ConstantInt>(value); integer && integer->getBitWidth() <= 64)
    return *bits = integer->getZExtValue(), true;
  if (auto *number = dyn_cast<ConstantFP>(value); number && (value->getType()->isFloatTy() || value->getType()->isDoubleTy()))
    return *bits = number->getValueAPF().bitcastToAPInt().getZExtValue(), true;
  return false;
}

bool suspect_no_signed_wrap(LLVMValueRef instruction) {
  return unwrap<Instruction>(instruction)->hasNoSignedWrap();
}

int suspect_rmw_operation(LLVMValueRef instruction) { return int(unwrap<AtomicRMWInst>(instruction)->getOperation()); }

void suspect_no_sanitize_instruction(LLVMValueRef instruction) {
  Instruction *hook = unwrap<Instruction>(instruction);
  hook->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(hook->getContext(), {}));
}

bool suspect_is_sanitizer_code(LLVMValueRef instruction) {
  return unwrap<Instruction>(instruction)->getMetadata(LLVMContext::MD_nosanitize) != nullptr;
}

// A double's decimal text that reads back the same, for conditions.
size_t suspect_float_text(LLVMValueRef constant, char *buffer, size_t capacity) {
  auto *number = dyn_cast<ConstantFP>(unwrap(constant));
  if (!number)
    return 0;
  SmallString<32> digits;
  number->getValueAPF().toString(digits, 0, 3);
  if (digits.size() > capacity)
    return 0;
  memcpy(buffer, digits.data(), digits.size());
  return digits.size();
}

// Bytes of a private constant, so that what code means does not depend on how its strings are numbered.
const char *suspect_string_bytes(LLVMValueRef value, size_t *length) {
  auto *global = dyn_cast<GlobalVariable>(unwrap(value));
  if (!global || !global->hasPrivateLinkage() || !global->hasInitializer())
    return nullptr;
  auto *data = dyn_cast<ConstantDataSequential>(global->getInitializer());
  return data ? text(data->getRawDataValues(), length) : nullptr;
}
}
