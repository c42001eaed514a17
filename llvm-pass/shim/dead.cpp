// Code behind a condition that is constant (`if (0)`, `x && HAS_FEATURE`) may call functions that nobody defines: projects leave it to the optimiser to
// take such code out. The versions with hooks are not optimised, so in them those functions are weak, and the linker bears that they are missing.
#include "dead.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {
// The blocks that may run after a block.
void add_successors(const BasicBlock &block, SmallVectorImpl<const BasicBlock *> &next) {
  const Instruction *end = block.getTerminator();
  if (auto *branch = dyn_cast<BranchInst>(end); branch && branch->isConditional())
    if (auto *constant = dyn_cast<ConstantInt>(branch->getCondition())) {
      next.push_back(branch->getSuccessor(constant->isZero() ? 1 : 0));
      return;
    }
  if (auto *choice = dyn_cast<SwitchInst>(end))
    if (auto *constant = dyn_cast<ConstantInt>(choice->getCondition())) {
      next.push_back(choice->findCaseValue(constant)->getCaseSuccessor());
      return;
    }
  for (const BasicBlock *successor : successors(&block))
    next.push_back(successor);
}

// What live code and variables name.
class Named {
  SmallPtrSet<const Value *, 32> seen;

public:
  void add(const Value *value) {
    auto *constant = dyn_cast<Constant>(value);
    if (!constant || !seen.insert(constant).second || isa<GlobalValue>(constant))
      return;
    for (const Use &use : constant->operands())
      add(use.get());
  }

  void add_live_code(const Function &function) {
    SmallPtrSet<const BasicBlock *, 32> live;
    SmallVector<const BasicBlock *, 32> next{&function.getEntryBlock()};
    // Labels whose addresses are taken may be jumped to.
    for (const BasicBlock &block : function)
      if (block.hasAddressTaken())
        next.push_back(&block);
    while (!next.empty()) {
      const BasicBlock *block = next.pop_back_val();
      if (!live.insert(block).second)
        continue;
      for (const Instruction &instruction : *block)
        for (const Use &use : instruction.operands())
          add(use.get());
      add_successors(*block, next);
    }
  }

  bool has(const GlobalValue &global) const { return seen.count(&global); }
};
} // namespace

void spare_the_dead(Module &module) {
  Named named;
  for (const Function &function : module) {
    for (const Use &use : function.operands())
      named.add(use.get());
    if (!function.isDeclaration())
      named.add_live_code(function);
  }
  for (const GlobalVariable &variable : module.globals())
    if (variable.hasInitializer())
      named.add(variable.getInitializer());
  for (const GlobalAlias &alias : module.aliases())
    named.add(alias.getAliasee());
  for (const GlobalIFunc &function : module.ifuncs())
    named.add(function.getResolver());
  for (GlobalObject &object : module.global_objects()) {
    auto *function = dyn_cast<Function>(&object);
    bool is_declared = object.isDeclaration() && object.hasExternalLinkage() && !(function && function->isIntrinsic());
    if (is_declared && !object.use_empty() && !named.has(object))
      object.setLinkage(GlobalValue::ExternalWeakLinkage);
  }
}
