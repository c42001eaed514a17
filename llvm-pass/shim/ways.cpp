// Ways through statements that a mutant chooses at run time: past them, through them again, through copies of others, out of the function.
#include "declarations.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

extern "C" {
// Whether a function returns nothing, a whole number or an address.
static bool returns_a_number(const Function &function) {
  Type *type = function.getReturnType();
  return type->isVoidTy() || type->isIntegerTy() || type->isPointerTy();
}

bool suspect_returns_a_number(LLVMValueRef function) { return returns_a_number(*unwrap<Function>(function)); }

// At the end of `block` its function returns, if it returns something, the bits of `number` from `bits` to 31, as a signed number.
static void return_number(BasicBlock *block, Value *number, uint32_t bits) {
  IRBuilder<> builder(block);
  Type *type = block->getParent()->getReturnType();
  Value *result = builder.CreateAShr(builder.CreateShl(number, 32), 32 + bits);
  if (type->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(type->isPointerTy() ? builder.CreateIntToPtr(result, type) : builder.CreateSExtOrTrunc(result, type));
}

// A block from which control goes where the choice at `slot` says: to one of `targets`, or out of the function. The bits from `bits` on say which one, or
// what is returned, and the bit before them whether it is a target.
LLVMBasicBlockRef suspect_exits(LLVMValueRef slot, LLVMBasicBlockRef *targets, size_t count, uint32_t bits) {
  auto *choice = unwrap<AllocaInst>(slot);
  Function *function = choice->getFunction();
  auto block = [&] { return BasicBlock::Create(function->getContext(), "", function); };
  BasicBlock *exits = block(), *goes_on = block(), *leaves = block();
  IRBuilder<> builder(exits);
  LoadInst *number = builder.CreateLoad(builder.getInt64Ty(), choice);
  suspect_no_sanitize_instruction(wrap(number));
  Value *flag = builder.CreateAnd(number, uint64_t(1) << (bits - 1));
  builder.CreateCondBr(builder.CreateICmpNE(flag, builder.getInt64(0)), goes_on, leaves);
  builder.SetInsertPoint(goes_on);
  SwitchInst *target = builder.CreateSwitch(builder.CreateLShr(number, bits), leaves);
  for (size_t index = 0; index < count; index++)
    target->addCase(builder.getInt64(index), unwrap(targets[index]));
  return_number(leaves, number, bits);
  return wrap(exits);
}

// Before an instruction control goes elsewhere if `choice` is not 0: to `exits`, which read it at `slot`, or else out of the function, which returns the
// bits from `bits` on.
void suspect_leave(LLVMValueRef choice, LLVMValueRef before, uint32_t bits, LLVMValueRef slot, LLVMBasicBlockRef exits) {
  Value *number = unwrap(choice);
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *leaves = builder.CreateICmpNE(number, ConstantInt::get(number->getType(), 0));
  BasicBlock *aside = unwrap(suspect_divert(wrap(leaves), before));
  if (!exits)
    return return_number(aside, number, bits);
  builder.SetInsertPoint(aside);
  suspect_no_sanitize_instruction(wrap(builder.CreateStore(number, unwrap(slot))));
  builder.CreateBr(unwrap(exits));
}

// Before `first` control goes where the lowest `bits` of `choice` say: on, behind `first`..`end`, through one of the copies before or behind that,
// or out of the function. `numbers` are those of the ways but the first.
void suspect_choose(LLVMValueRef choice, LLVMValueRef first, LLVMValueRef end, LLVMValueRef copies, LLVMValueRef table,
                    const uint32_t *numbers, uint32_t bits) {
  Instruction *begin = unwrap<Instruction>(first), *after = unwrap<Instruction>(end);
  BasicBlock *head = begin->getParent(), *tail = head->splitBasicBlock(after);
  BasicBlock *middle = head->splitBasicBlock(begin);
  LLVMContext &context = head->getContext();
  Function *function = head->getParent();
  Value *number = unwrap(choice);
  IRBuilder<> builder(head->getTerminator());
  auto block = [&] { return BasicBlock::Create(context, "", function, tail); };
  Value *way = builder.CreateAnd(number, (1 << bits) - 1);
  SwitchInst *ways = builder.CreateSwitch(way, middle);
  auto meant = [&](int way, BasicBlock *target) { ways->addCase(builder.getInt64(numbers[way]), target); };
  head->back().eraseFromParent();
  meant(0, tail);
  if (copies) {
    auto run = [&](BasicBlock *at, BasicBlock *next) {
      builder.SetInsertPoint(at);
      suspect_no_sanitize_instruction(wrap(builder.CreateCall(unwrap<Function>(copies), {builder.CreateLShr(number, bits), unwrap(table)})));
      builder.CreateBr(next);
    };
    BasicBlock *before = block(), *behind = block();
    run(before, middle);
    run(behind, tail);
    meant(1, before);
    Instruction *leave = middle->getTerminator();
    builder.SetInsertPoint(leave);
    builder.CreateCondBr(builder.CreateICmpEQ(way, builder.getInt64(numbers[2])), behind, tail);
    leave->eraseFromParent();
  }
  if (!returns_a_number(*function))
    return;
  BasicBlock *returned = block();
  return_number(returned, number, bits);
  meant(3, returned);
}

// A function that runs, for the number n, the n-th of `count` runs of instructions, of `function` or others. `uses` is what they use of a frame, one run behind
// the other, each up to its number in `n_uses`: in the new function the address with its number in `numbers` is read from a table, the second argument.
LLVMValueRef suspect_copies(LLVMValueRef function, const char *name, size_t length, const LLVMValueRef *firsts, const LLVMValueRef *ends,
                            size_t count, const LLVMValueRef *uses, const size_t *numbers, const size_t *n_uses) {
  Function &source = *unwrap<Function>(function);
  LLVMContext &context = source.getContext();
  Type *pointer = PointerType::getUnqual(context);
  auto *type = FunctionType::get(Type::getVoidTy(context), {Type::getInt64Ty(context), pointer}, false);
  Function *copies = Function::Create(type, GlobalValue::InternalLinkage, StringRef(name, length), source.getParent());
  AttributeList attributes = source.getAttributes();
  copies->setAttributes(AttributeList::get(context, AttributeList::FunctionIndex, AttrBuilder(context, attributes.getFnAttrs())));
  copies->removeFnAttr(Attribute::NoReturn);
  copies->setSection(source.getSection());
  BasicBlock *entry = BasicBlock::Create(context, "", copies), *done = BasicBlock::Create(context, "", copies);
  IRBuilder<> builder(done);
  builder.CreateRetVoid();
  builder.SetInsertPoint(entry);
  SwitchInst *ways = builder.CreateSwitch(copies->getArg(0), done);
  for (size_t number = 0; number < count; number++) {
    BasicBlock *target = BasicBlock::Create(context, "", copies, done);
    ways->addCase(builder.getInt64(number), target);
    builder.SetInsertPoint(target);
    DenseMap<const Value *, Value *> map;
    for (Instruction *one = unwrap<Instruction>(firsts[number]); one != unwrap<Instruction>(ends[number]); one = one->getNextNode()) {
      if (isa<DbgInfoIntrinsic>(one))
        continue;
      Instruction *copy = one->clone();
      copy->setDebugLoc(DebugLoc());
      copy->setMetadata(LLVMContext::MD_DIAssignID, nullptr);
      for (Use &operand : copy->operands()) {
        Value *&known = map[operand.get()];
        for (size_t use = number ? n_uses[number - 1] : 0; !known && use < n_uses[number]; use++)
          if (unwrap(uses[use]) == operand.get()) {
            known = builder.CreateLoad(pointer, builder.CreateConstInBoundsGEP1_64(pointer, copies->getArg(1), numbers[use]));
            suspect_no_sanitize_instruction(wrap(known));
          }
        if (known)
          operand.set(known);
      }
      builder.Insert(copy);
      map[one] = copy;
    }
    builder.CreateBr(done);
  }
  return wrap(copies);
}

// Before `jump` control goes back to `first` if `choice` is not 0; gives the block on the way there, for the caller to add to.
LLVMBasicBlockRef suspect_repeat(LLVMValueRef choice, LLVMValueRef first, LLVMValueRef jump) {
  Instruction *begin = unwrap<Instruction>(first), *leave = unwrap<Instruction>(jump);
  BasicBlock *condition = begin->getParent()->splitBasicBlock(begin);
  BasicBlock *body = leave->getParent(), *end = body->splitBasicBlock(leave);
  BasicBlock *again = BasicBlock::Create(body->getContext(), "", body->getParent(), end);
  IRBuilder<>(again).CreateBr(condition)->setDebugLoc(leave->getDebugLoc());
  Instruction *old = body->getTerminator();
  IRBuilder<> builder(old);
  Value *number = unwrap(choice);
  builder.CreateCondBr(builder.CreateICmpNE(number, ConstantInt::get(number->getType(), 0)), again, end);
  old->eraseFromParent();
  return wrap(again);
}
}
