// Copies of functions, and of the tables of labels that belong to them.
#include "declarations.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

extern "C" {
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
}
