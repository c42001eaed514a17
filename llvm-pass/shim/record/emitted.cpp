// Emitted code: where a `record` version's instructions stand, the places they have, its frame and its table of addresses.
#include "declarations.h"
#include "llvm-c/Core.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

extern "C" {
void suspect_record_move_before(LLVMValueRef instruction, LLVMValueRef before) {
  unwrap<Instruction>(instruction)->moveBefore(unwrap<Instruction>(before));
}

// Has each instruction of a copy say where in the source it is, as that which it was copied from.
void suspect_record_copy_locations(LLVMValueRef original, LLVMValueRef copy) {
  SmallVector<DebugLoc, 64> locations;
  for (BasicBlock &block : *unwrap<Function>(original))
    for (Instruction &instruction : block)
      if (!isa<DbgInfoIntrinsic>(instruction))
        locations.push_back(instruction.getDebugLoc());
  auto location = locations.begin();
  for (BasicBlock &block : *unwrap<Function>(copy))
    for (Instruction &instruction : block)
      if (!isa<DbgInfoIntrinsic>(instruction) && location != locations.end())
        instruction.setDebugLoc(*location++);
}

void suspect_record_drop_locations(LLVMValueRef function) {
  for (BasicBlock &block : *unwrap<Function>(function))
    for (Instruction &instruction : block)
      instruction.setDebugLoc(DebugLoc());
}

// A constant array of words: `words`, then for each symbol its distance from the entry, 0 if that is not known when the module is linked.
LLVMValueRef suspect_record_addresses(LLVMValueRef function, const uint64_t *words, size_t n_words, LLVMValueRef *symbols, size_t n_symbols,
                                      const char *section, size_t length) {
  Function &code = *unwrap<Function>(function);
  Module &module = *code.getParent();
  IntegerType *word = Type::getInt64Ty(code.getContext());
  ArrayType *type = ArrayType::get(word, n_words + n_symbols);
  auto *array = new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage, nullptr, "suspect.addresses");
  SmallVector<Constant *, 16> entries;
  for (size_t i = 0; i < n_words; i++)
    entries.push_back(ConstantInt::get(word, words[i]));
  for (size_t i = 0; i < n_symbols; i++) {
    auto *symbol = unwrap<GlobalValue>(symbols[i]);
    bool is_near = !symbol->isDeclarationForLinker() && !symbol->isThreadLocal() && (symbol->hasLocalLinkage() || symbol->isDSOLocal());
    Constant *here = ConstantExpr::getInBoundsGetElementPtr(type, array, ArrayRef<Constant *>{ConstantInt::get(word, 0), ConstantInt::get(word, n_words + i)});
    entries.push_back(is_near ? ConstantExpr::getSub(ConstantExpr::getPtrToInt(symbol, word), ConstantExpr::getPtrToInt(here, word)) : ConstantInt::get(word, 0));
  }
  array->setInitializer(ConstantArray::get(type, entries));
  array->setSection(StringRef(section, length));
  array->setAlignment(Align(8));
  // Kept by the linker as long as the function is.
  array->setMetadata(LLVMContext::MD_associated, MDNode::get(code.getContext(), ValueAsMetadata::get(&code)));
  return wrap(array);
}

// Puts all slots into one frame of `size` bytes at their offsets.
LLVMValueRef suspect_record_frame(LLVMValueRef reference, LLVMValueRef *slots, const uint64_t *offsets, size_t count, uint64_t size, uint64_t align) {
  Function &function = *unwrap<Function>(reference);
  Type *byte = Type::getInt8Ty(function.getContext());
  auto *frame = new AllocaInst(ArrayType::get(byte, size), function.getParent()->getDataLayout().getAllocaAddrSpace(), nullptr, Align(align), "suspect.frame",
                               &*function.getEntryBlock().begin());
  for (size_t i = 0; i < count; i++) {
    auto *local = unwrap<AllocaInst>(slots[i]);
    SmallVector<Use *, 16> uses;
    for (Use &use : local->uses())
      uses.push_back(&use);
    for (Use *use : uses) {
      auto *user = cast<Instruction>(use->getUser());
      use->set(GetElementPtrInst::Create(byte, frame, {ConstantInt::get(Type::getInt64Ty(function.getContext()), offsets[i])}, "", user));
    }
    local->eraseFromParent();
  }
  return wrap(frame);
}
}
