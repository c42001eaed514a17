// What the body table says of addresses, constants, sizes and calls.
#include "accesses.h"
#include "part.h"
#include "declarations.h"
#include "llvm-c/Core.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

extern "C" {
// Of an address expression: its base, the constant part of the distance, and up to `capacity` terms; their number, or -1 if it is none.
int suspect_record_address(LLVMValueRef reference, LLVMValueRef *base, int64_t *offset, LLVMValueRef *indices, int64_t *factors, size_t capacity) {
  auto *address = dyn_cast<GEPOperator>(unwrap(reference));
  if (!address)
    return -1;
  auto *instruction = dyn_cast<Instruction>(address);
  const DataLayout *layout = instruction ? &record::layout_of(*instruction) : nullptr;
  auto *global = dyn_cast<GlobalValue>(const_cast<Value *>(record::base_of(address)));
  if (!layout && global)
    layout = &global->getParent()->getDataLayout();
  if (!layout)
    return -1;
  *base = wrap(address->getPointerOperand());
  *offset = 0;
  size_t count = 0;
  for (auto step = gep_type_begin(address), end = gep_type_end(address); step != end; ++step) {
    Value *index = step.getOperand();
    if (StructType *type = step.getStructTypeOrNull()) {
      *offset += int64_t(uint64_t(layout->getStructLayout(type)->getElementOffset(cast<ConstantInt>(index)->getZExtValue())));
      continue;
    }
    int64_t factor = int64_t(layout->getTypeAllocSize(step.getIndexedType()).getFixedValue());
    if (auto *number = dyn_cast<ConstantInt>(index)) {
      *offset += number->getSExtValue() * factor;
      continue;
    }
    if (count == capacity || !record::is_word(index->getType()))
      return -1;
    indices[count] = wrap(index);
    factors[count++] = factor;
  }
  return int(count);
}

// The bits of a constant of at most 64 of them.
bool suspect_record_constant(LLVMValueRef reference, uint64_t *bits) {
  Value *value = unwrap(reference);
  if (auto *expression = dyn_cast<ConstantExpr>(value); expression && expression->getOpcode() == Instruction::IntToPtr)
    value = expression->getOperand(0);
  if (auto *number = dyn_cast<ConstantInt>(value); number && number->getBitWidth() <= 64)
    return *bits = number->getZExtValue(), true;
  if (auto *number = dyn_cast<ConstantFP>(value); number && number->getType()->getPrimitiveSizeInBits() <= 64)
    return *bits = number->getValueAPF().bitcastToAPInt().getZExtValue(), true;
  if (isa<ConstantPointerNull>(value) || (isa<UndefValue>(value) && record::is_scalar(value->getType())))
    return *bits = 0, true;
  return false;
}

// The symbol of a plain constant address and the distance from it.
LLVMValueRef suspect_record_symbol(LLVMModuleRef module, LLVMValueRef reference, int64_t *offset) {
  Value *value = unwrap(reference);
  if (!isa<Constant>(value) || !value->getType()->isPointerTy())
    return nullptr;
  const DataLayout &layout = unwrap(module)->getDataLayout();
  APInt distance(layout.getIndexTypeSizeInBits(value->getType()), 0);
  Value *base = value->stripAndAccumulateConstantOffsets(layout, distance, true);
  *offset = distance.getSExtValue();
  return isa<GlobalValue>(base) ? wrap(base) : nullptr;
}

uint64_t suspect_record_size(LLVMModuleRef module, LLVMTypeRef type, bool stored) {
  const DataLayout &layout = unwrap(module)->getDataLayout();
  return (stored ? layout.getTypeStoreSize(unwrap(type)) : layout.getTypeAllocSize(unwrap(type))).getFixedValue();
}

// Bytes and alignment of a slot.
uint64_t suspect_record_slot_size(LLVMValueRef slot, uint64_t *align) {
  auto *local = unwrap<AllocaInst>(slot);
  *align = local->getAlign().value();
  uint64_t size = record::layout_of(*local).getTypeAllocSize(local->getAllocatedType()).getFixedValue();
  auto *count = dyn_cast<ConstantInt>(local->getArraySize());
  return size * (count ? count->getZExtValue() : 1);
}

// The number of bytes of a dynamic object: of each element, and the number of these.
uint64_t suspect_record_dynamic(LLVMValueRef reference, LLVMValueRef *count) {
  auto *local = unwrap<AllocaInst>(reference);
  *count = wrap(local->getArraySize());
  return record::layout_of(*local).getTypeAllocSize(local->getAllocatedType()).getFixedValue();
}

// Number of a call's arguments, and whether one is a structure that is passed by value.
unsigned suspect_record_n_arguments(LLVMValueRef call) { return unwrap<CallBase>(call)->arg_size(); }

LLVMTypeRef suspect_record_copied(LLVMValueRef call, unsigned argument) {
  auto *site = unwrap<CallBase>(call);
  return site->isByValArgument(argument) ? wrap(site->getParamByValType(argument)) : nullptr;
}

LLVMTypeRef suspect_record_copied_parameter(LLVMValueRef argument) {
  auto *parameter = unwrap<Argument>(argument);
  return parameter->hasByValAttr() ? wrap(parameter->getParamByValType()) : nullptr;
}

LLVMValueRef suspect_record_callee(LLVMValueRef call) { return wrap(unwrap<CallBase>(call)->getCalledOperand()); }

// Whether `extractvalue` takes a field out of a wide value, and how far that is from its start.
bool suspect_record_field(LLVMModuleRef module, LLVMValueRef reference, uint64_t *offset) {
  auto *field = dyn_cast<ExtractValueInst>(unwrap(reference));
  if (!field)
    return false;
  SmallVector<Value *, 4> path = {ConstantInt::get(Type::getInt64Ty(field->getContext()), 0)};
  for (unsigned index : field->indices())
    path.push_back(ConstantInt::get(Type::getInt32Ty(field->getContext()), index));
  *offset = unwrap(module)->getDataLayout().getIndexedOffsetInType(field->getAggregateOperand()->getType(), path);
  return record::is_scalar(field->getType());
}
}
