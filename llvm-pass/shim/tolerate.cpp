// Values that the front end did not expect: where they are seen, and code that takes any value.
#include "declarations.h"
#include "llvm-c/Core.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <optional>

using namespace llvm;

extern "C" {
// Replaces the uses of `value` that are reached through `instruction` alone.
void suspect_replace_after(LLVMValueRef value, LLVMValueRef new_value, LLVMValueRef instruction) {
  Instruction *after = unwrap<Instruction>(instruction);
  std::optional<DominatorTree> tree;
  auto follows = [&](Use &use) {
    auto *user = dyn_cast<Instruction>(use.getUser());
    if (!user || user->getFunction() != after->getFunction())
      return false;
    if (user->getParent() == after->getParent() && !isa<PHINode>(user))
      return after->comesBefore(user);
    if (!tree)
      tree.emplace(*after->getFunction());
    return tree->dominates(after->getParent(), use);
  };
  unwrap(value)->replaceUsesWithIf(unwrap(new_value), follows);
}

// A local begins as what the number `fill` says, the same byte eight times.
static void fill_after(AllocaInst &local, Instruction *before, Value *fill) {
  const DataLayout &layout = local.getModule()->getDataLayout();
  IRBuilder<> builder(before);
  Type *type = local.getAllocatedType();
  uint64_t bytes = layout.getTypeAllocSize(type).getFixedValue();
  Instruction *filled;
  if (!local.isArrayAllocation() && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)) {
    filled = builder.CreateAlignedStore(builder.CreateTrunc(fill, builder.getIntNTy(unsigned(8 * bytes))), &local, local.getAlign());
  } else {
    Value *size = builder.getInt64(bytes);
    if (local.isArrayAllocation())
      size = builder.CreateMul(builder.CreateZExtOrTrunc(local.getArraySize(), builder.getInt64Ty()), size);
    filled = builder.CreateMemSet(&local, builder.CreateTrunc(fill, builder.getInt8Ty()), size, local.getAlign());
  }
  filled->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(filled->getContext(), {}));
}

// Whether the first thing done to `local` is to store all of it, in the entry block and before anything is called.
static bool begins_with_store(AllocaInst &local) {
  const DataLayout &layout = local.getModule()->getDataLayout();
  for (Instruction &instruction : *local.getParent()) {
    if (isa<DbgInfoIntrinsic>(instruction) || isa<AllocaInst>(instruction))
      continue;
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      if (store->getPointerOperand() == &local && store->getValueOperand() != &local)
        return layout.getTypeStoreSize(store->getValueOperand()->getType()) ==
               layout.getTypeStoreSize(local.getAllocatedType());
    if (is_contained(instruction.operand_values(), &local))
      return false;
  }
  return false;
}

// Locals start as the variable `fill` says, as zero if the byte `gate` is `zero_gate`. Sanitizers keep watch over what is not initialised themselves.
static void fill_locals(Function &function, GlobalVariable &fill, Value *gate, uint8_t zero_gate) {
  for (auto kind : {Attribute::SanitizeAddress, Attribute::SanitizeMemory, Attribute::SanitizeHWAddress})
    if (function.hasFnAttribute(kind))
      return;
  SmallVector<AllocaInst *, 16> locals;
  SmallVector<Instruction *, 16> lifetimes;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block) {
      if (auto *local = dyn_cast<AllocaInst>(&instruction))
        locals.push_back(local);
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
        if (call->isLifetimeStartOrEnd())
          lifetimes.push_back(call);
    }
  for (Instruction *call : lifetimes)
    call->eraseFromParent();
  Instruction *first = &*function.getEntryBlock().getFirstNonPHIOrDbg();
  while (isa<AllocaInst>(first))
    first = first->getNextNode();
  auto load = [&](Instruction *before) -> Value * {
    IRBuilder<> builder(before);
    auto unwatched = [](LoadInst *number) {
      number->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(number->getContext(), {}));
      return number;
    };
    Value *number = unwatched(builder.CreateLoad(builder.getInt64Ty(), &fill));
    if (!gate)
      return number;
    Value *is_zero = builder.CreateICmpEQ(unwatched(builder.CreateLoad(builder.getInt8Ty(), gate)), builder.getInt8(zero_gate));
    return builder.CreateSelect(is_zero, builder.getInt64(0), number);
  };
  Value *at_entry = nullptr;
  for (AllocaInst *local : locals) {
    if (local->getMetadata(LLVMContext::MD_nosanitize) || local->isSwiftError() || local->isUsedWithInAlloca() || isa<ScalableVectorType>(local->getAllocatedType()))
      continue;
    if (!local->isStaticAlloca() || first->comesBefore(local)) {
      Instruction *next = local->getNextNode();
      fill_after(*local, next, load(next));
    } else if (!begins_with_store(*local)) {
      if (!at_entry)
        at_entry = load(first);
      fill_after(*local, first, at_entry);
    }
  }
}

// Any value may turn up anywhere: nothing that was true of the program's own values is taken for granted any more, locals
// start as `fill` and `gate` say, and what cannot be reached ends the process.
void suspect_tolerate(LLVMValueRef reference, LLVMValueRef fill, LLVMValueRef gate, uint8_t zero_gate) {
  Function &function = *unwrap<Function>(reference);
  auto forget = [](auto &&drop) {
    for (auto kind : {Attribute::NonNull, Attribute::NoUndef, Attribute::Dereferenceable, Attribute::DereferenceableOrNull})
      drop(kind);
  };
  forget([&](Attribute::AttrKind kind) {
    function.removeRetAttr(kind);
    for (unsigned i = 0; i < function.arg_size(); i++)
      function.removeParamAttr(i, kind);
  });
  SmallVector<Instruction *, 8> ends;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block) {
      instruction.dropPoisonGeneratingFlags();
      for (unsigned kind : {LLVMContext::MD_range, LLVMContext::MD_nonnull, LLVMContext::MD_noundef,
                            LLVMContext::MD_dereferenceable, LLVMContext::MD_dereferenceable_or_null})
        instruction.setMetadata(kind, nullptr);
      if (auto *call = dyn_cast<CallBase>(&instruction))
        forget([&](Attribute::AttrKind kind) {
          call->removeRetAttr(kind);
          for (unsigned i = 0; i < call->arg_size(); i++)
            call->removeParamAttr(i, kind);
        });
      if (isa<UnreachableInst>(instruction))
        ends.push_back(&instruction);
    }
  for (Instruction *end : ends) {
    auto *call = dyn_cast_or_null<CallInst>(end->getPrevNonDebugInstruction());
    if (!call || !call->doesNotReturn())
      IRBuilder<>(end).CreateIntrinsic(Intrinsic::trap, {}, {});
  }
  fill_locals(function, *unwrap<GlobalVariable>(fill), unwrap(gate), zero_gate);
}
}
