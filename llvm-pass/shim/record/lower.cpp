// Lowering: what the body table cannot say becomes what it can, one kind after the other.
#include "lower.h"
#include "part.h"
#include "slots.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"
#include <map>
#include <set>

using namespace llvm;

namespace record {
namespace {
// Whether a call only tells or profiles. What it names is not to be computed before it.
bool does_nothing(const IntrinsicInst &call) {
  // Before LLVM 17 every intrinsic is an InstrProfInstBase.
  if (call.getCalledFunction()->getName().substr(0, 15) == "llvm.instrprof.")
    return true;
  switch (call.getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::prefetch:
    return true;
  default:
    return false;
  }
}
} // namespace

void forget(Function &function) {
  SmallVector<Instruction *, 16> gone, ends;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block) {
      instruction.dropPoisonGeneratingFlags();
      for (unsigned kind : {LLVMContext::MD_range, LLVMContext::MD_nonnull, LLVMContext::MD_noundef, LLVMContext::MD_align,
                            LLVMContext::MD_dereferenceable, LLVMContext::MD_dereferenceable_or_null})
        instruction.setMetadata(kind, nullptr);
      if (isa<FPMathOperator>(instruction))
        instruction.copyFastMathFlags(FastMathFlags());
      if (isa<UnreachableInst>(instruction))
        ends.push_back(&instruction);
      if (auto *call = dyn_cast<CallInst>(&instruction); call && call->isTailCall())
        call->setTailCallKind(CallInst::TCK_None);
      if (auto *freeze = dyn_cast<FreezeInst>(&instruction)) {
        freeze->replaceAllUsesWith(freeze->getOperand(0));
        gone.push_back(freeze);
      }
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction); call && does_nothing(*call))
        gone.push_back(call);
    }
  for (Instruction *instruction : gone)
    instruction->eraseFromParent();
  for (Instruction *end : ends) {
    auto *call = dyn_cast_or_null<CallInst>(end->getPrevNonDebugInstruction());
    if (!call || !call->doesNotReturn())
      IRBuilder<>(end).CreateIntrinsic(Intrinsic::trap, {}, {});
  }
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      for (Use &use : instruction.operands())
        if (isa<UndefValue>(use.get()) && !use->getType()->isTokenTy() && use->getType()->isSized())
          use.set(Constant::getNullValue(use->getType()));
}

void number_labels(Function &function) {
  IntegerType *word = Type::getInt64Ty(function.getContext());
  std::map<BasicBlock *, ConstantInt *> numbers;
  for (BasicBlock &block : function)
    if (block.hasAddressTaken()) {
      ConstantInt *number = ConstantInt::get(word, numbers.size() + 1);
      numbers[&block] = number;
      BlockAddress *address = BlockAddress::get(&function, &block);
      address->replaceAllUsesWith(ConstantExpr::getIntToPtr(number, address->getType()));
      address->destroyConstant();
    }
  SmallVector<IndirectBrInst *, 4> jumps;
  for (BasicBlock &block : function)
    if (auto *jump = dyn_cast<IndirectBrInst>(block.getTerminator()))
      jumps.push_back(jump);
  if (jumps.empty())
    return;
  BasicBlock *nowhere = BasicBlock::Create(function.getContext(), "", &function);
  IRBuilder<>(nowhere).CreateUnreachable();
  for (IndirectBrInst *jump : jumps) {
    IRBuilder<> builder(jump);
    SwitchInst *choice = builder.CreateSwitch(builder.CreatePtrToInt(jump->getAddress(), word), nowhere, numbers.size());
    std::set<BasicBlock *> seen;
    for (unsigned i = 0; i < jump->getNumDestinations(); i++)
      if (auto found = numbers.find(jump->getDestination(i)); found != numbers.end() && seen.insert(found->first).second)
        choice->addCase(found->second, found->first);
    jump->eraseFromParent();
  }
}

void demote_phis(Function &function) {
  SmallVector<PHINode *, 16> phis;
  for (BasicBlock &block : function)
    for (PHINode &phi : block.phis())
      phis.push_back(&phi);
  for (PHINode *phi : phis)
    DemotePHIToStack(phi);
}

namespace {
// Whether the table can say a constant: a number, or an address in a variable or function and a distance from it.
bool is_plain(Constant *constant, const DataLayout &layout) {
  if (auto *global = dyn_cast<GlobalVariable>(constant))
    return !global->isThreadLocal();
  auto *expression = dyn_cast<ConstantExpr>(constant);
  if (!expression)
    return true;
  if (expression->getOpcode() == Instruction::IntToPtr && isa<ConstantInt>(expression->getOperand(0)))
    return true;
  if (!expression->getType()->isPointerTy())
    return false;
  APInt offset(layout.getIndexTypeSizeInBits(expression->getType()), 0);
  Value *base = expression->stripAndAccumulateConstantOffsets(layout, offset, true);
  auto *global = dyn_cast<GlobalValue>(base);
  return global && is_plain(global, layout);
}
} // namespace

void spell_out_constants(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<Instruction *, 64> left;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      left.push_back(&instruction);
  while (!left.empty()) {
    Instruction *instruction = left.pop_back_val();
    auto *call = dyn_cast<IntrinsicInst>(instruction);
    if (call && call->getIntrinsicID() == Intrinsic::threadlocal_address)
      continue;
    for (Use &use : instruction->operands()) {
      auto *constant = dyn_cast<Constant>(use.get());
      auto *site = dyn_cast<CallBase>(instruction);
      if (!constant || is_plain(constant, layout) || (site && site->isArgOperand(&use) && site->paramHasAttr(site->getArgOperandNo(&use), Attribute::ImmArg)))
        continue;
      if (isa<GlobalVariable>(constant)) {
        use.set(IRBuilder<>(instruction).CreateThreadLocalAddress(constant));
        continue;
      }
      Instruction *spelled = cast<ConstantExpr>(constant)->getAsInstruction();
      spelled->insertBefore(instruction);
      spelled->setDebugLoc(instruction->getDebugLoc());
      use.set(spelled);
      left.push_back(spelled);
    }
  }
}

void narrow_switches(Function &function) {
  SmallVector<SwitchInst *, 2> switches;
  for (BasicBlock &block : function)
    if (auto *choice = dyn_cast<SwitchInst>(block.getTerminator()); choice && is_wide(choice->getCondition()->getType()))
      switches.push_back(choice);
  for (SwitchInst *choice : switches) {
    IRBuilder<> builder(choice);
    IntegerType *word = builder.getInt32Ty();
    Value *number = ConstantInt::get(word, 0);
    SmallVector<std::pair<ConstantInt *, BasicBlock *>, 8> cases;
    for (auto one : choice->cases()) {
      ConstantInt *next = ConstantInt::get(word, cases.size() + 1);
      number = builder.CreateSelect(builder.CreateICmpEQ(choice->getCondition(), one.getCaseValue()), next, number);
      cases.push_back({next, one.getCaseSuccessor()});
    }
    SwitchInst *narrow = builder.CreateSwitch(number, choice->getDefaultDest(), cases.size());
    for (auto &one : cases)
      narrow->addCase(one.first, one.second);
    choice->eraseFromParent();
  }
}

void lower_wide(Function &function) {
  SmallVector<Instruction *, 16> wide, users;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block) {
      if (is_wide(instruction.getType()))
        wide.push_back(&instruction);
      if (isa<CallBase>(instruction) && part_of(instruction) == Nothing)
        continue;
      if (any_of(instruction.operand_values(), [](Value *value) { return isa<Constant>(value) && is_wide(value->getType()); }))
        users.push_back(&instruction);
    }
  for (Instruction *user : users)
    for (Use &use : user->operands()) {
      auto *constant = dyn_cast<Constant>(use.get());
      if (!constant || isa<Function>(constant) || !is_wide(constant->getType()))
        continue;
      auto *holder = new GlobalVariable(*function.getParent(), constant->getType(), true, GlobalValue::PrivateLinkage, constant, "suspect.wide");
      use.set(new LoadInst(constant->getType(), holder, "", user));
    }
  for (Instruction *value : wide) {
    bool copies = isa<LoadInst>(value) && value->hasOneUse() && isa<StoreInst>(*value->user_begin()) && value->getNextNode() == *value->user_begin();
    if (!copies && !value->use_empty())
      keep(*value);
  }
}

namespace {
// The store that puts a parameter into its variable at entry, if that is all that is done with it.
StoreInst *own_store(Argument &argument) {
  auto *store = argument.hasOneUse() ? dyn_cast<StoreInst>(*argument.user_begin()) : nullptr;
  auto *variable = store ? dyn_cast<AllocaInst>(store->getPointerOperand()) : nullptr;
  BasicBlock &entry = argument.getParent()->getEntryBlock();
  if (!variable || !variable->isStaticAlloca() || variable->getAllocatedType() != argument.getType() || store->getParent() != &entry || store->isVolatile())
    return nullptr;
  bool first = none_of(variable->users(), [&](User *user) { return user != store && cast<Instruction>(user)->getParent() == &entry && cast<Instruction>(user)->comesBefore(store); });
  return first ? store : nullptr;
}
} // namespace

void lower_parameters(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (Argument &argument : function.args()) {
    Instruction *first = &*function.getEntryBlock().getFirstInsertionPt();
    while (isa<AllocaInst>(first))
      first = first->getNextNode();
    if (argument.hasByValAttr()) {
      Type *type = argument.getParamByValType();
      AllocaInst *copy = slot(function, type);
      if (MaybeAlign align = argument.getParamAlign(); align && *align > copy->getAlign())
        copy->setAlignment(*align);
      argument.replaceAllUsesWith(copy);
      IRBuilder<>(first).CreateMemCpy(copy, copy->getAlign(), &argument, argument.getParamAlign().valueOrOne(), layout.getTypeAllocSize(type).getFixedValue());
      continue;
    }
    if (StoreInst *store = own_store(argument)) {
      store->moveBefore(first);
      continue;
    }
    AllocaInst *where = slot(function, argument.getType());
    auto *store = new StoreInst(&argument, where, first);
    reload(argument, where, store);
  }
}

void make_exact(Function &function) {
  bool fuses = function.getFnAttribute("target-features").getValueAsString().contains("+fma");
  SmallVector<Instruction *, 8> gone;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block) {
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction); call && call->getIntrinsicID() == Intrinsic::fmuladd && !fuses) {
        IRBuilder<> builder(call);
        call->replaceAllUsesWith(builder.CreateFAdd(builder.CreateFMul(call->getArgOperand(0), call->getArgOperand(1)), call->getArgOperand(2)));
        gone.push_back(call);
      }
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
        if (call->getIntrinsicID() == Intrinsic::ctlz || call->getIntrinsicID() == Intrinsic::cttz || call->getIntrinsicID() == Intrinsic::abs)
          call->setArgOperand(1, ConstantInt::getFalse(call->getContext()));
      if (instruction.isShift() && instruction.getType()->isIntegerTy()) {
        uint64_t bits = instruction.getType()->getIntegerBitWidth();
        auto *count = dyn_cast<ConstantInt>(instruction.getOperand(1));
        if (!isPowerOf2_64(bits) || (count && count->getValue().ult(bits)))
          continue;
        IRBuilder<> builder(&instruction);
        instruction.setOperand(1, builder.CreateAnd(instruction.getOperand(1), ConstantInt::get(instruction.getType(), bits - 1)));
      }
    }
  for (Instruction *call : gone)
    call->eraseFromParent();
}

void keep_said_twice(Function &function) {
  SmallSetVector<Instruction *, 8> operands;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction) || (call && call->getIntrinsicID() == Intrinsic::vastart))
        for (Value *value : instruction.operand_values())
          if (auto *operand = dyn_cast<Instruction>(value); operand && !isa<AllocaInst>(operand))
            operands.insert(operand);
    }
  for (Instruction *operand : operands)
    keep(*operand);
}
} // namespace record
