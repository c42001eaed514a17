// Slots: values that are kept in the frame of their function.
#include "slots.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace record {
AllocaInst *slot(Function &function, Type *type) {
  BasicBlock &entry = function.getEntryBlock();
  const DataLayout &layout = function.getParent()->getDataLayout();
  auto *made = new AllocaInst(type, layout.getAllocaAddrSpace(), nullptr, layout.getPrefTypeAlign(type), "suspect.slot", &*entry.begin());
  return made;
}

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

AllocaInst *keep(Instruction &value) {
  AllocaInst *where = slot(*value.getFunction(), value.getType());
  auto *store = new StoreInst(&value, where, value.getNextNode());
  store->setDebugLoc(value.getDebugLoc());
  reload(value, where, store);
  return where;
}
} // namespace record
