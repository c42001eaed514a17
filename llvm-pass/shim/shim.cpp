// What LLVM's C interface cannot say: pass registration, one option, debug-info getters, cloning, splitting edges.
// Every function is a few lines; decisions belong in Rust.
#include "apart.h"
#include "dead.h"
#include "declarations.h"
#include "passes.h"
#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

static cl::opt<std::string> Modes("suspect-modes", cl::desc("versions of each function to emit, separated by commas"),
                                  cl::value_desc("plain,edges,values,trace,mutants"));

extern "C" {
void suspect_pipeline_start(LLVMModuleRef module, void *analyses);
void suspect_optimizer_last(LLVMModuleRef module);
}

namespace {
struct Start : PassInfoMixin<Start> {
  // Whether the module is optimised before `Last`.
  bool is_optimised;
  explicit Start(bool is_optimised) : is_optimised(is_optimised) {}
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    // What the user expects of a condition (`__builtin_expect`) becomes weights, which the optimiser would do next: counters go by them.
    for (Function &F : M)
      if (!F.isDeclaration())
        FAM.invalidate(F, LowerExpectIntrinsicPass().run(F, FAM));
    begin_module();
    spare_the_dead(M);
    suspect_pipeline_start(wrap(&M), &FAM);
    if (is_optimised)
      take_apart(M);
    return PreservedAnalyses::none();
  }
};

struct Last : PassInfoMixin<Last> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    put_back(M);
    suspect_optimizer_last(wrap(&M));
    spare_code(M.getContext());
    return PreservedAnalyses::none();
  }
};

LLVMMetadataRef meta(const Metadata *node) { return wrap(const_cast<Metadata *>(node)); }

template <typename T> const T *node(LLVMMetadataRef reference) {
  return reference ? dyn_cast<T>(unwrap(reference)) : nullptr;
}

const char *text(StringRef string, size_t *length) {
  *length = string.size();
  return string.data();
}
} // namespace

extern "C" {

// Registration and messages.

void suspect_register(void *reference) {
  auto &builder = *static_cast<PassBuilder *>(reference);
  // Later extension points gained parameters; nobody here looks at them.
  spare_versions(builder.getPassInstrumentationCallbacks());
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel level, auto...) {
    passes.addPass(Start(level != OptimizationLevel::O0));
  });
  builder.registerOptimizerLastEPCallback([](ModulePassManager &passes, auto...) { passes.addPass(Last()); });
}

const char *suspect_option_modes(size_t *length) { return text(Modes, length); }

void suspect_error(LLVMModuleRef module, const char *message, size_t length) {
  unwrap(module)->getContext().emitError(StringRef(message, length));
}

bool suspect_verify(LLVMModuleRef module) { return verifyModule(*unwrap(module), &errs()); }

// Functions and globals.

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

// A function that looks to its callers as `source` does: attributes, convention, section. Not its comdat: other
// functions of the unit call it, and a discarded group must not take it away.
static Function *twin(Function &source, StringRef name) {
  Function *copy = Function::Create(source.getFunctionType(), GlobalValue::InternalLinkage, source.getAddressSpace(), name,
                                    source.getParent());
  copy->copyAttributesFrom(&source);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  copy->setDSOLocal(true);
  copy->setComdat(nullptr);
  return copy;
}

// Moves the body of `function` with its debug information into a new internal function called `name`.
LLVMValueRef suspect_take_body(LLVMValueRef function, const char *name, size_t length) {
  Function &source = *unwrap<Function>(function);
  Function *copy = twin(source, StringRef(name, length));
  SmallVector<std::pair<BlockAddress *, BasicBlock *>, 0> labels;
  for (BasicBlock &block : source)
    if (block.hasAddressTaken())
      labels.push_back({BlockAddress::get(&source, &block), &block});
#if LLVM_VERSION_MAJOR >= 19
  copy->setIsNewDbgInfoFormat(source.IsNewDbgInfoFormat);
#endif
  copy->splice(copy->begin(), &source);
  for (auto &label : labels) {
    label.first->replaceAllUsesWith(BlockAddress::get(copy, label.second));
    label.first->destroyConstant();
  }
  for (auto pair : zip(source.args(), copy->args())) {
    std::get<1>(pair).takeName(&std::get<0>(pair));
    std::get<0>(pair).replaceAllUsesWith(&std::get<1>(pair));
  }
  if (source.hasPersonalityFn()) {
    copy->setPersonalityFn(source.getPersonalityFn());
    source.setPersonalityFn(nullptr);
  }
  copy->setSubprogram(source.getSubprogram());
  source.setSubprogram(nullptr);
  return wrap(copy);
}

// Copies `function` without debug information into a new internal function called `name`.
LLVMValueRef suspect_clone(LLVMValueRef function, const char *name, size_t length) {
  Function &source = *unwrap<Function>(function);
  Function *copy = twin(source, StringRef(name, length));
  // LLVM's own map of values is told of all that becomes of each, which takes longer than the rest.
  DenseMap<const Value *, Value *> map;
  ValueToValueMapTy constants;
  map.reserve(source.getInstructionCount() + source.size() + source.arg_size());
  for (auto pair : zip(source.args(), copy->args()))
    map[&std::get<0>(pair)] = &std::get<1>(pair);
  for (BasicBlock &block : source)
    map[&block] = BasicBlock::Create(source.getContext(), "", copy);
  for (BasicBlock &block : source)
    if (block.hasAddressTaken())
      constants[BlockAddress::get(&source, &block)] = BlockAddress::get(copy, cast<BasicBlock>(map[&block]));
  for (BasicBlock &block : source) {
    BasicBlock *target = cast<BasicBlock>(map[&block]);
    for (Instruction &instruction : block) {
      if (isa<DbgInfoIntrinsic>(instruction))
        continue;
      Instruction *twin = instruction.clone();
      twin->setDebugLoc(DebugLoc());
      twin->setMetadata(LLVMContext::MD_DIAssignID, nullptr);
      twin->insertInto(target, target->end());
      map[&instruction] = twin;
    }
  }
  auto twin_of = [&](Value *value) -> Value * {
    if (auto found = map.find(value); found != map.end())
      return found->second;
    if (auto *metadata = dyn_cast<MetadataAsValue>(value)) {
      auto *local = dyn_cast<LocalAsMetadata>(metadata->getMetadata());
      Value *found = local ? map.lookup(local->getValue()) : nullptr;
      return found ? MetadataAsValue::get(source.getContext(), ValueAsMetadata::get(found)) : value;
    }
    bool is_same = constants.empty() || !isa<Constant>(value);
    return is_same ? value : MapValue(value, constants, RF_NoModuleLevelChanges);
  };
  for (BasicBlock &block : *copy)
    for (Instruction &instruction : block) {
      for (Use &operand : instruction.operands())
        operand.set(twin_of(operand));
      if (auto *phi = dyn_cast<PHINode>(&instruction))
        for (unsigned i = 0; i < phi->getNumIncomingValues(); i++)
          phi->setIncomingBlock(i, cast<BasicBlock>(map[phi->getIncomingBlock(i)]));
    }
  if (source.hasPersonalityFn())
    copy->setPersonalityFn(source.getPersonalityFn());
#if LLVM_VERSION_MAJOR >= 19
  copy->setIsNewDbgInfoFormat(source.IsNewDbgInfoFormat);
#endif
  return wrap(copy);
}

// A copy of the internal variable `global` for `copy`: block addresses in `source` become those of the same position in it.
LLVMValueRef suspect_clone_table(LLVMValueRef global, LLVMValueRef source, LLVMValueRef copy, const char *name,
                                 size_t length) {
  GlobalVariable &table = *unwrap<GlobalVariable>(global);
  Function &from = *unwrap<Function>(source), &into = *unwrap<Function>(copy);
  ValueToValueMapTy map;
  for (auto pair : zip(from, into))
    if (std::get<0>(pair).hasAddressTaken())
      map[BlockAddress::get(&from, &std::get<0>(pair))] = BlockAddress::get(&into, &std::get<1>(pair));
  auto *twin = new GlobalVariable(*table.getParent(), table.getValueType(), table.isConstant(), GlobalValue::InternalLinkage,
                                  MapValue(table.getInitializer(), map, RF_NoModuleLevelChanges), StringRef(name, length), &table,
                                  table.getThreadLocalMode(), table.getAddressSpace());
  twin->copyAttributesFrom(&table);
  twin->setVisibility(GlobalValue::DefaultVisibility);
  return wrap(twin);
}

void suspect_replace_in(LLVMValueRef function, LLVMValueRef from, LLVMValueRef to) {
  ValueToValueMapTy map;
  map[unwrap(from)] = unwrap(to);
  for (BasicBlock &block : *unwrap<Function>(function))
    for (Instruction &instruction : block)
      RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
}

bool suspect_has_address_taken(LLVMBasicBlockRef block) { return unwrap(block)->hasAddressTaken(); }

static bool collect_tables(const Value *value, const Function *function, SmallVectorImpl<GlobalVariable *> &tables, int depth) {
  if (depth > 16)
    return false;
  for (const User *user : value->users()) {
    if (auto *instruction = dyn_cast<Instruction>(user)) {
      if (instruction->getFunction() != function)
        return false;
    } else if (auto *global = dyn_cast<GlobalVariable>(user)) {
      if (is_contained(tables, global))
        continue;
      if (!global->hasLocalLinkage())
        return false;
      tables.push_back(const_cast<GlobalVariable *>(global));
      if (!collect_tables(global, function, tables, depth + 1))
        return false;
    } else if (isa<Constant>(user)) {
      if (!collect_tables(user, function, tables, depth + 1))
        return false;
    }
  }
  return true;
}

// The variables whose initialisers hold addresses of blocks of `function`: their number, or -1 when something besides
// the function's own code can see them, or there are more than `capacity`.
int suspect_label_tables(LLVMValueRef function, LLVMValueRef *tables, size_t capacity) {
  Function &source = *unwrap<Function>(function);
  SmallVector<GlobalVariable *, 4> found;
  for (BasicBlock &block : source)
    if (block.hasAddressTaken() && !collect_tables(BlockAddress::get(&source, &block), &source, found, 0))
      return -1;
  if (found.size() > capacity)
    return -1;
  for (size_t i = 0; i < found.size(); i++)
    tables[i] = wrap(found[i]);
  return int(found.size());
}

// Control flow.

uint64_t suspect_block_frequency(void *analyses, LLVMBasicBlockRef block) {
  BasicBlock *here = unwrap(block);
  auto &manager = *static_cast<FunctionAnalysisManager *>(analyses);
  return manager.getResult<BlockFrequencyAnalysis>(*here->getParent()).getBlockFreq(here).getFrequency();
}

uint64_t suspect_edge_frequency(void *analyses, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
  BasicBlock *here = unwrap(from);
  auto &manager = *static_cast<FunctionAnalysisManager *>(analyses);
  auto share = manager.getResult<BranchProbabilityAnalysis>(*here->getParent()).getEdgeProbability(here, unwrap(to));
  return share.scale(suspect_block_frequency(analyses, from));
}

void suspect_split_indirect_edges(LLVMValueRef function) {
  SplitIndirectBrCriticalEdges(*unwrap<Function>(function), /*IgnoreBlocksWithoutPHI=*/false);
}

// A new block on all edges from `terminator` to `target` whose successor numbers are listed.
LLVMBasicBlockRef suspect_split_edge(LLVMValueRef terminator, const unsigned *successors, size_t count) {
  Instruction *end = unwrap<Instruction>(terminator);
  BasicBlock *from = end->getParent(), *to = end->getSuccessor(successors[0]);
  BasicBlock *middle = BasicBlock::Create(from->getContext(), "", from->getParent(), from->getNextNode());
  BranchInst *jump = BranchInst::Create(to, middle);
  jump->setDebugLoc(end->getDebugLoc());
  for (size_t i = 0; i < count; i++)
    end->setSuccessor(successors[i], middle);
  for (PHINode &phi : to->phis()) {
    bool first = true;
    size_t left = count;
    for (unsigned i = 0; i < phi.getNumIncomingValues() && left;) {
      if (phi.getIncomingBlock(i) != from) {
        i++;
      } else if (first) {
        phi.setIncomingBlock(i, middle);
        first = false;
        left--;
      } else {
        phi.removeIncomingValue(i, false);
        left--;
      }
    }
  }
  return wrap(middle);
}

// Values that the front end did not expect.

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

bool suspect_is_debug(LLVMValueRef instruction) { return isa<DbgInfoIntrinsic>(unwrap(instruction)); }

bool suspect_is_musttail(LLVMValueRef call) {
  auto *instruction = dyn_cast<CallInst>(unwrap(call));
  return instruction && instruction->isMustTailCall();
}

void suspect_set_musttail(LLVMValueRef call) { unwrap<CallInst>(call)->setTailCallKind(CallInst::TCK_MustTail); }

void suspect_set_notail(LLVMValueRef call) { unwrap<CallInst>(call)->setTailCallKind(CallInst::TCK_NoTail); }

// Whether some argument is a structure that the caller copies onto the stack.
bool suspect_takes_copies(LLVMValueRef function) {
  return any_of(unwrap<Function>(function)->args(),
                [](const Argument &argument) { return argument.hasPassPointeeByValueCopyAttr(); });
}

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

void suspect_set_likely(LLVMValueRef branch) {
  Instruction *jump = unwrap<Instruction>(branch);
  jump->setMetadata(LLVMContext::MD_prof, MDBuilder(jump->getContext()).createBranchWeights(1 << 20, 1));
}

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

bool suspect_returns_in_memory(LLVMValueRef call) { return unwrap<CallBase>(call)->hasStructRetAttr(); }

// Sends one successor of a terminator elsewhere; the phis of the old one forget it.
void suspect_redirect(LLVMValueRef end, unsigned successor, LLVMBasicBlockRef target) {
  Instruction *jump = unwrap<Instruction>(end);
  BasicBlock *old = jump->getSuccessor(successor);
  old->removePredecessor(jump->getParent(), /*KeepOneInputPHIs=*/true);
  jump->setSuccessor(successor, unwrap(target));
}

// Has control leave for a new block before an instruction if the condition there holds, which it seldom does.
LLVMBasicBlockRef suspect_divert(LLVMValueRef condition, LLVMValueRef before) {
  Instruction *next = unwrap<Instruction>(before);
  BasicBlock *head = next->getParent(), *tail = head->splitBasicBlock(next);
  BasicBlock *aside = BasicBlock::Create(head->getContext(), "", head->getParent());
  Instruction *jump = head->getTerminator();
  Instruction *branch = BranchInst::Create(aside, tail, unwrap(condition), jump);
  branch->setMetadata(LLVMContext::MD_prof, MDBuilder(head->getContext()).createBranchWeights(1, 1 << 20));
  jump->eraseFromParent();
  return wrap(aside);
}

// Takes 1 from the number at `fuel` before an instruction, and calls `refuel` if that leaves less than 0.
void suspect_burn(LLVMValueRef before, LLVMValueRef fuel, LLVMValueRef refuel) {
  Instruction *next = unwrap<Instruction>(before);
  IRBuilder<> builder(next);
  LoadInst *full = builder.CreateLoad(builder.getInt64Ty(), unwrap(fuel));
  Value *left = builder.CreateSub(full, builder.getInt64(1));
  StoreInst *store = builder.CreateStore(left, unwrap(fuel));
  Value *empty = builder.CreateICmpSLT(left, builder.getInt64(0));
  BasicBlock *aside = unwrap(suspect_divert(wrap(empty), before)), *tail = next->getParent();
  builder.SetInsertPoint(aside);
  builder.SetCurrentDebugLocation(next->getDebugLoc());
  CallInst *call = builder.CreateCall(unwrap<Function>(refuel));
  call->setCallingConv(unwrap<Function>(refuel)->getCallingConv());
  builder.CreateBr(tail);
  for (Instruction *part : std::initializer_list<Instruction *>{full, store, call})
    part->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(part->getContext(), {}));
}

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

// Before an instruction the function returns if `choice` is not 0: the bits of it from `bits` on.
void suspect_leave(LLVMValueRef choice, LLVMValueRef before, uint32_t bits) {
  Value *number = unwrap(choice);
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *leaves = builder.CreateICmpNE(number, ConstantInt::get(number->getType(), 0));
  return_number(unwrap(suspect_divert(wrap(leaves), before)), number, bits);
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

// A function that runs, for the number n, the n-th of `count` runs of instructions of `function`. `leaves` is what they use of its frame: in the new
// function it is read from a table, its second argument.
LLVMValueRef suspect_copies(LLVMValueRef function, const char *name, size_t length, LLVMValueRef *firsts, LLVMValueRef *ends, size_t count,
                            LLVMValueRef *leaves, size_t n_leaves) {
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
        for (size_t leaf = 0; !known && leaf < n_leaves; leaf++)
          if (unwrap(leaves[leaf]) == operand.get()) {
            known = builder.CreateLoad(pointer, builder.CreateConstInBoundsGEP1_64(pointer, copies->getArg(1), leaf));
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

// Debug information.

LLVMMetadataRef suspect_variable_of(LLVMValueRef storage) {
  Value *address = unwrap(storage);
  if (auto *global = dyn_cast<GlobalVariable>(address)) {
    SmallVector<DIGlobalVariableExpression *, 1> expressions;
    global->getDebugInfo(expressions);
    return expressions.empty() ? nullptr : meta(expressions[0]->getVariable());
  }
#if LLVM_VERSION_MAJOR >= 19
  for (DbgVariableRecord *record : findDVRDeclares(address))
    return meta(record->getVariable());
  for (DbgDeclareInst *declare : findDbgDeclares(address))
    return meta(declare->getVariable());
#else
  for (DbgVariableIntrinsic *declare : FindDbgAddrUses(address))
    return meta(declare->getVariable());
#endif
  auto *instruction = dyn_cast<Instruction>(address);
  if (!instruction)
    return nullptr;
#if LLVM_VERSION_MAJOR >= 19
  for (DbgVariableRecord *record : at::getDVRAssignmentMarkers(instruction))
    return meta(record->getVariable());
#endif
  for (DbgAssignIntrinsic *assign : at::getAssignmentMarkers(instruction))
    return meta(assign->getVariable());
  return nullptr;
}

const char *suspect_di_name(LLVMMetadataRef reference, size_t *length) {
  if (auto *variable = node<DIVariable>(reference))
    return text(variable->getName(), length);
  if (auto *type = node<DIType>(reference))
    return text(type->getName(), length);
  if (auto *program = node<DISubprogram>(reference))
    return text(program->getName(), length);
  if (auto *unit = node<DICompileUnit>(reference))
    return text(unit->getProducer(), length);
  *length = 0;
  return "";
}

LLVMMetadataRef suspect_di_type(LLVMMetadataRef reference) {
  if (auto *variable = node<DIVariable>(reference))
    return meta(variable->getType());
  if (auto *type = node<DIDerivedType>(reference))
    return meta(type->getBaseType());
  if (auto *type = node<DICompositeType>(reference))
    return meta(type->getBaseType());
  return nullptr;
}

bool suspect_di_artificial(LLVMMetadataRef reference) {
  auto *local = node<DILocalVariable>(reference);
  return local && local->isArtificial();
}

unsigned suspect_di_argument(LLVMMetadataRef reference) {
  auto *local = node<DILocalVariable>(reference);
  return local ? local->getArg() : 0;
}

unsigned suspect_di_tag(LLVMMetadataRef reference) {
  auto *type = node<DINode>(reference);
  return type ? type->getTag() : 0;
}

unsigned suspect_di_encoding(LLVMMetadataRef reference) {
  auto *type = node<DIBasicType>(reference);
  return type ? type->getEncoding() : 0;
}

bool suspect_di_bit_field(LLVMMetadataRef reference) {
  auto *member = node<DIDerivedType>(reference);
  return member && member->isBitField();
}

size_t suspect_di_elements(LLVMMetadataRef reference) {
  if (auto *type = node<DICompositeType>(reference))
    return type->getElements().size();
  if (auto *type = node<DISubroutineType>(reference))
    return type->getTypeArray().size();
  return 0;
}

LLVMMetadataRef suspect_di_element(LLVMMetadataRef reference, size_t index) {
  if (auto *type = node<DICompositeType>(reference))
    return meta(type->getElements()[index]);
  if (auto *type = node<DISubroutineType>(reference))
    return meta(type->getTypeArray()[index]);
  return nullptr;
}

int64_t suspect_di_count(LLVMMetadataRef reference) {
  if (auto *range = node<DISubrange>(reference))
    if (auto *constant = dyn_cast_if_present<ConstantInt *>(range->getCount()))
      return constant->getSExtValue();
  return -1;
}

LLVMMetadataRef suspect_di_subroutine(LLVMMetadataRef subprogram) {
  auto *program = node<DISubprogram>(subprogram);
  return program ? meta(program->getType()) : nullptr;
}

LLVMMetadataRef suspect_di_parent(LLVMMetadataRef reference) {
  auto *block = node<DILexicalBlockBase>(reference);
  return block ? meta(block->getScope()) : nullptr;
}

bool suspect_di_is_local(LLVMMetadataRef reference) { return node<DILocalScope>(reference) != nullptr; }

LLVMMetadataRef suspect_compile_unit(LLVMModuleRef module) {
  for (DICompileUnit *unit : unwrap(module)->debug_compile_units())
    return meta(unit);
  return nullptr;
}
}
