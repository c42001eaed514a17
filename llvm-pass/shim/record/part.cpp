// Parts: what each instruction is to the body table.
#include "part.h"
#include "declarations.h"
#include "llvm-c/Core.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace record {
const DataLayout &layout_of(const Instruction &instruction) { return instruction.getModule()->getDataLayout(); }

namespace {
bool is_number(Type *type) { return type->isFloatTy() || type->isDoubleTy(); }
} // namespace

bool is_word(Type *type) { return (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) || (type->isPointerTy() && type->getPointerAddressSpace() == 0); }

bool is_scalar(Type *type) { return is_word(type) || is_number(type) || type->isHalfTy() || type->isBFloatTy(); }

bool is_wide(Type *type) {
  return !is_scalar(type) && !type->isVoidTy() && !type->isLabelTy() && !type->isMetadataTy() && !type->isTokenTy() && type->isSized() &&
         !type->isPointerTy();
}

namespace {
bool has_word_types(const Instruction &instruction, bool (*fits)(Type *)) {
  return all_of(instruction.operand_values(), [&](const Value *value) { return fits(value->getType()); });
}

// Which of LLVM's functions the table computes.
bool is_builtin(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::abs:
  case Intrinsic::bswap:
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::bitreverse:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
    return true;
  default:
    return false;
  }
}

Part part_of_call(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isIntrinsic())
    return Step;
  if (auto *copy = dyn_cast<MemCpyInst>(&call); copy && isa<Argument>(copy->getSource()))
    return Nothing;
  switch (callee->getIntrinsicID()) {
  case Intrinsic::donothing:
  case Intrinsic::pseudoprobe:
  case Intrinsic::sideeffect:
  case Intrinsic::stackrestore:
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap:
  case Intrinsic::vaend:
  case Intrinsic::var_annotation:
    return Nothing;
  case Intrinsic::threadlocal_address:
  case Intrinsic::stacksave:
    return Opaque;
  case Intrinsic::fabs:
    return is_number(call.getType()) ? Pure : Opaque;
  default:
    break;
  }
  if (is_builtin(callee->getIntrinsicID()))
    return call.getType()->isIntegerTy() && call.getType()->getIntegerBitWidth() <= 64 ? Pure : Opaque;
  if (call.getType()->isVoidTy() || !call.onlyReadsMemory())
    return Step;
  return Opaque;
}

bool is_result_store(const Instruction &instruction);
} // namespace

Part part_of(const Instruction &instruction) {
  if (isa<DbgInfoIntrinsic>(instruction) || isa<FenceInst>(instruction) || is_result_store(instruction))
    return Nothing;
  if (auto *local = dyn_cast<AllocaInst>(&instruction))
    return local->isStaticAlloca() ? Nothing : Step;
  if (auto *call = dyn_cast<CallBase>(&instruction))
    return part_of_call(*call);
  if (instruction.isTerminator() || isa<StoreInst>(instruction) || isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction))
    return Step;
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->getPointerAddressSpace() == 0 ? Read : Opaque;
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::ICmp:
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
    return has_word_types(instruction, is_word) && is_word(instruction.getType()) ? Pure : Opaque;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return is_word(instruction.getType()) ? Division : Opaque;
  case Instruction::FNeg:
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FCmp:
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    return has_word_types(instruction, is_number) && (is_number(instruction.getType()) || isa<FCmpInst>(instruction)) ? Pure : Opaque;
  case Instruction::FPToUI:
  case Instruction::FPToSI:
    return has_word_types(instruction, is_number) && is_word(instruction.getType()) ? Pure : Opaque;
  case Instruction::UIToFP:
  case Instruction::SIToFP:
    return has_word_types(instruction, is_word) && is_number(instruction.getType()) ? Pure : Opaque;
  case Instruction::BitCast:
  case Instruction::Select:
    return has_word_types(instruction, is_scalar) && is_scalar(instruction.getType()) ? Pure : Opaque;
  case Instruction::GetElementPtr:
    return is_word(instruction.getType()) ? Pure : Opaque;
  default:
    return Opaque;
  }
}

namespace {
// The store of a step's result, or of a parameter, into its slot is part of the step or entry: nothing else uses these values directly.
bool is_result_store(const Instruction &instruction) {
  auto *store = dyn_cast<StoreInst>(&instruction);
  if (!store || !isa<AllocaInst>(store->getPointerOperand()))
    return false;
  if (isa<Argument>(store->getValueOperand()))
    return true;
  auto *value = dyn_cast<Instruction>(store->getValueOperand());
  return value && value->getParent() == store->getParent() && part_of(*value) == Step;
}
} // namespace
} // namespace record

extern "C" {
unsigned suspect_record_part(LLVMValueRef instruction) { return record::part_of(*unwrap<Instruction>(instruction)); }

bool suspect_record_is_wide(LLVMTypeRef type) { return record::is_wide(unwrap(type)); }
}
