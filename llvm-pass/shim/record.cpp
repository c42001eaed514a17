// Brings a copy of a function into the form that the body table can say: see suspect_record_canonicalise.
#include "declarations.h"
#include "llvm-c/Core.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"
#include <map>
#include <set>

using namespace llvm;

namespace {
// What an instruction is to the body table; the numbers are known to record.rs.
enum Part {
  Nothing = 0,  // leaves no trace in the table
  Pure = 1,     // computes a value from values
  Read = 2,     // loads
  Division = 3, // computes, and may trap
  Opaque = 4,   // makes a value that the table cannot compute
  Step = 5,     // is a step of its own
};

const DataLayout &layout_of(const Instruction &instruction) { return instruction.getModule()->getDataLayout(); }

bool is_number(Type *type) { return type->isFloatTy() || type->isDoubleTy(); }

bool is_word(Type *type) { return (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) || (type->isPointerTy() && type->getPointerAddressSpace() == 0); }

// A value of at most 64 bits that the table has types for.
bool is_scalar(Type *type) { return is_word(type) || is_number(type) || type->isHalfTy() || type->isBFloatTy(); }

bool is_wide(Type *type) {
  return !is_scalar(type) && !type->isVoidTy() && !type->isLabelTy() && !type->isMetadataTy() && !type->isTokenTy() && type->isSized() &&
         !type->isPointerTy();
}

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

AllocaInst *slot(Function &function, Type *type) {
  BasicBlock &entry = function.getEntryBlock();
  const DataLayout &layout = function.getParent()->getDataLayout();
  auto *made = new AllocaInst(type, layout.getAllocaAddrSpace(), nullptr, layout.getPrefTypeAlign(type), "suspect.slot", &*entry.begin());
  return made;
}

// Has every user load the value from `slot` right before it uses it.
void reload(Value &value, AllocaInst *slot, const Instruction *but) {
  SmallVector<Use *, 8> uses;
  for (Use &use : value.uses())
    if (use.getUser() != but)
      uses.push_back(&use);
  for (Use *use : uses) {
    auto *user = cast<Instruction>(use->getUser());
    auto *load = new LoadInst(value.getType(), slot, "", user);
    load->setDebugLoc(user->getDebugLoc());
    use->set(load);
  }
}

// Keeps an instruction's value in the frame.
AllocaInst *keep(Instruction &value) {
  AllocaInst *where = slot(*value.getFunction(), value.getType());
  auto *store = new StoreInst(&value, where, value.getNextNode());
  store->setDebugLoc(value.getDebugLoc());
  reload(value, where, store);
  return where;
}

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

// Nothing that the front end knew of values is taken for granted, since a patched run may have other ones.
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

// Labels become numbers, jumps to them switches.
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

// A switch of a wide value becomes one of the number of the case.
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

// Values wider than 64 bits live in memory: each goes into a slot where it is made and comes out of it where it is used.
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

// Multiplication and addition in one, where the processor has no such instruction; counts of shifts in their range.
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

// What several steps of one instruction say comes from slots.
void keep_said_twice(Function &function) {
  std::set<Instruction *> operands;
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

// What code makes of an address it is told, and nothing of it: loads and stores there, and steps from there.
struct Accesses {
  bool bounded = true;
  // What is copied to it comes from here.
  SmallVector<const Value *, 2> sources;
};

void add_accesses(const Value &address, Accesses &found, int depth) {
  if (depth > 32) {
    found.bounded = false;
    return;
  }
  for (const Use &use : address.uses()) {
    const User *user = use.getUser();
    if (isa<GEPOperator>(user) || isa<BitCastOperator>(user)) {
      if (use.getOperandNo() == 0)
        add_accesses(*user, found, depth + 1);
      else
        found.bounded = false;
    } else if (auto *store = dyn_cast<StoreInst>(user)) {
      if (use.getOperandNo() != StoreInst::getPointerOperandIndex())
        found.bounded = false;
      else if (auto *from = dyn_cast<LoadInst>(store->getValueOperand()); from && is_wide(from->getType()))
        found.sources.push_back(from->getPointerOperand());
    } else if (auto *copy = dyn_cast<MemTransferInst>(user)) {
      if (use.getOperandNo() == 0)
        found.sources.push_back(copy->getSource());
    } else if (auto *call = dyn_cast<IntrinsicInst>(user)) {
      if (!isa<MemSetInst>(call) && !call->isLifetimeStartOrEnd() && !isa<DbgInfoIntrinsic>(call))
        found.bounded = false;
    } else if (isa<AtomicRMWInst>(user) || isa<AtomicCmpXchgInst>(user)) {
      found.bounded &= use.getOperandNo() == 0;
    } else if (!isa<LoadInst>(user) && !isa<ICmpInst>(user)) {
      found.bounded = false;
    }
  }
}

const Value *base_of(const Value *address) {
  for (;;) {
    if (auto *step = dyn_cast<GEPOperator>(address))
      address = step->getPointerOperand();
    else if (auto *cast = dyn_cast<BitCastOperator>(address))
      address = cast->getOperand(0);
    else
      return address;
  }
}

// A variable that holds the same in every process, wherever it is loaded.
bool is_constant_data(const Value *value) {
  auto *global = dyn_cast<GlobalVariable>(value);
  return global && global->isConstant() && global->hasDefinitiveInitializer() && !global->isThreadLocal() && !global->getInitializer()->needsDynamicRelocation();
}

// Which slots nothing but this function's own loads and stores can see.
std::set<const AllocaInst *> known_slots(Function &function, const std::set<const Value *> &globals) {
  std::map<const AllocaInst *, Accesses> all;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *local = dyn_cast<AllocaInst>(&instruction); local && local->isStaticAlloca())
        add_accesses(*local, all[local], 0);
  std::set<const AllocaInst *> known;
  for (auto &entry : all)
    if (entry.second.bounded)
      known.insert(entry.first);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &entry : all)
      if (known.count(entry.first) && any_of(entry.second.sources, [&](const Value *source) {
            const Value *base = base_of(source);
            auto *local = dyn_cast<AllocaInst>(base);
            return !(local && known.count(local)) && !is_constant_data(base) && !globals.count(base) && !isa<Argument>(base);
          })) {
        known.erase(entry.first);
        changed = true;
      }
  }
  return known;
}

// How a value of a block gets into the steps that use it.
struct Landing {
  bool kept = false;
  // Positions of the first and last step, and how often they say it.
  size_t first = SIZE_MAX, last = 0, times = 0;
};

constexpr size_t MOST_REPEATED = 6;

class Blocks {
  const std::set<const AllocaInst *> &known;
  DenseMap<const Instruction *, size_t> positions, sizes;
  DenseMap<const Instruction *, bool> reads;
  DenseMap<const Instruction *, Landing> landings;

  bool is_cheap(const Instruction &instruction) const {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || load->isVolatile() || load->isAtomic())
      return false;
    auto *local = dyn_cast<AllocaInst>(load->getPointerOperand());
    return local && known.count(local);
  }

  void measure(const Instruction &instruction) {
    size_t size = 1;
    bool read = part_of(instruction) != Pure && !is_cheap(instruction);
    for (const Value *value : instruction.operand_values())
      if (auto *operand = dyn_cast<Instruction>(value); operand && sizes.count(operand)) {
        size += sizes[operand];
        read |= reads[operand];
      }
    sizes[&instruction] = size;
    reads[&instruction] = read;
  }

  Landing land(const Instruction &instruction, const std::vector<size_t> &steps) {
    Landing landing;
    for (const User *one : instruction.users()) {
      auto *user = cast<Instruction>(one);
      if (user->getParent() != instruction.getParent()) {
        landing.kept = true;
        return landing;
      }
      auto tree = landings.find(user);
      size_t here = positions[user];
      bool is_end = tree == landings.end() || tree->second.kept;
      landing.first = std::min(landing.first, is_end ? here : tree->second.first);
      landing.last = std::max(landing.last, is_end ? here : tree->second.last);
      landing.times += is_end ? 1 : tree->second.times;
    }
    if (landing.times == 0) {
      landing.kept = true;
      return landing;
    }
    size_t here = positions[&instruction];
    auto next = std::upper_bound(steps.begin(), steps.end(), here);
    bool passed = next != steps.end() && *next < landing.last;
    bool repeated = landing.times > 1;
    switch (part_of(instruction)) {
    case Pure:
      landing.kept = repeated && (reads[&instruction] || sizes[&instruction] > MOST_REPEATED || landing.times > MOST_REPEATED);
      break;
    default:
      landing.kept = passed || (repeated && !(is_cheap(instruction) && landing.first == landing.last && landing.times <= MOST_REPEATED));
    }
    return landing;
  }

public:
  explicit Blocks(const std::set<const AllocaInst *> &known) : known(known) {}

  void keep_what_passes_steps(BasicBlock &block) {
    for (Instruction &instruction : make_early_inc_range(reverse(block)))
      if (instruction.use_empty() && part_of(instruction) == Pure)
        instruction.eraseFromParent();
    SmallVector<Instruction *, 64> values;
    std::vector<size_t> steps;
    size_t position = 0;
    for (Instruction &instruction : block) {
      positions[&instruction] = position++;
      Part part = part_of(instruction);
      if (part == Step) {
        steps.push_back(positions[&instruction]);
      } else if (part != Nothing) {
        measure(instruction);
        values.push_back(&instruction);
      }
    }
    SmallVector<Instruction *, 16> kept;
    for (Instruction *value : reverse(values)) {
      Landing landing = land(*value, steps);
      landings[value] = landing;
      if (landing.kept)
        kept.push_back(value);
    }
    for (Instruction *value : kept)
      keep(*value);
  }
};
} // namespace

extern "C" {
unsigned suspect_record_part(LLVMValueRef instruction) { return part_of(*unwrap<Instruction>(instruction)); }

bool suspect_record_is_wide(LLVMTypeRef type) { return is_wide(unwrap(type)); }

// Which internal variables only loads and stores see: `globals` are filled with them, at most `capacity`; their number.
size_t suspect_record_known(LLVMModuleRef module, LLVMValueRef *globals, size_t capacity) {
  size_t count = 0;
  for (GlobalVariable &global : unwrap(module)->globals()) {
    if (!global.hasLocalLinkage() || global.isDeclaration() || global.isThreadLocal() || count == capacity)
      continue;
    Accesses found;
    add_accesses(global, found, 0);
    if (found.bounded && all_of(found.sources, [](const Value *source) { return is_constant_data(base_of(source)); }))
      globals[count++] = wrap(&global);
  }
  return count;
}

// Brings a function into this form: a value that is no step's (see part_of) is used in its own block by the steps that follow without
// another between that it could notice; whatever else is used later is kept in a slot. Steps' results and parameters are in slots, used from
// there. There are no phis, labels, undefined values, thread-local addresses in constants; a value wider than 64 bits is loaded where it
// is used and stored where it is made. `known` are variables that only loads and stores see.
void suspect_record_canonicalise(LLVMValueRef reference, LLVMValueRef *known, size_t n_known) {
  Function &function = *unwrap<Function>(reference);
  std::set<const Value *> globals;
  for (size_t i = 0; i < n_known; i++)
    globals.insert(unwrap(known[i]));
  forget(function);
  demote_phis(function);
  number_labels(function);
  spell_out_constants(function);
  make_exact(function);
  narrow_switches(function);
  lower_wide(function);
  lower_parameters(function);
  SmallVector<Instruction *, 32> results;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (part_of(instruction) == Step && !instruction.getType()->isVoidTy() && !is_wide(instruction.getType()) &&
          (!instruction.use_empty() || isa<AllocaInst>(instruction)))
        results.push_back(&instruction);
  for (Instruction *result : results)
    keep(*result);
  keep_said_twice(function);
  std::set<const AllocaInst *> slots = known_slots(function, globals);
  for (BasicBlock &block : function)
    Blocks(slots).keep_what_passes_steps(block);
}

// Which of the function's slots only its own loads and stores see, of the `count` in `slots`.
void suspect_record_known_slots(LLVMValueRef reference, LLVMValueRef *known, size_t n_known, LLVMValueRef *slots, bool *answers, size_t count) {
  std::set<const Value *> globals;
  for (size_t i = 0; i < n_known; i++)
    globals.insert(unwrap(known[i]));
  std::set<const AllocaInst *> found = known_slots(*unwrap<Function>(reference), globals);
  for (size_t i = 0; i < count; i++)
    answers[i] = found.count(cast<AllocaInst>(unwrap(slots[i])));
}

LLVMValueRef suspect_record_base(LLVMValueRef address) { return wrap(const_cast<Value *>(base_of(unwrap(address)))); }

bool suspect_record_is_constant_data(LLVMValueRef value) { return is_constant_data(unwrap(value)); }

// Of an address expression: its base, the constant part of the distance, and up to `capacity` terms; their number, or -1 if it is none.
int suspect_record_address(LLVMValueRef reference, LLVMValueRef *base, int64_t *offset, LLVMValueRef *indices, int64_t *factors, size_t capacity) {
  auto *address = dyn_cast<GEPOperator>(unwrap(reference));
  if (!address)
    return -1;
  auto *instruction = dyn_cast<Instruction>(address);
  const DataLayout *layout = instruction ? &layout_of(*instruction) : nullptr;
  auto *global = dyn_cast<GlobalValue>(const_cast<Value *>(base_of(address)));
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
    if (count == capacity || !is_word(index->getType()))
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
  if (isa<ConstantPointerNull>(value) || (isa<UndefValue>(value) && is_scalar(value->getType())))
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
  uint64_t size = layout_of(*local).getTypeAllocSize(local->getAllocatedType()).getFixedValue();
  auto *count = dyn_cast<ConstantInt>(local->getArraySize());
  return size * (count ? count->getZExtValue() : 1);
}

// The number of bytes of a dynamic object: of each element, and the number of these.
uint64_t suspect_record_dynamic(LLVMValueRef reference, LLVMValueRef *count) {
  auto *local = unwrap<AllocaInst>(reference);
  *count = wrap(local->getArraySize());
  return layout_of(*local).getTypeAllocSize(local->getAllocatedType()).getFixedValue();
}

void suspect_record_move_before(LLVMValueRef instruction, LLVMValueRef before) {
  unwrap<Instruction>(instruction)->moveBefore(unwrap<Instruction>(before));
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
  return is_scalar(field->getType());
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
