// Accesses: which variables only loads and stores see, so that a reader knows what they hold.
#include "accesses.h"
#include "part.h"
#include "declarations.h"
#include "llvm-c/Core.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <map>

using namespace llvm;

namespace record {
namespace {
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
} // namespace

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

namespace {
// A variable that holds the same in every process, wherever it is loaded.
bool is_constant_data(const Value *value) {
  auto *global = dyn_cast<GlobalVariable>(value);
  return global && global->isConstant() && global->hasDefinitiveInitializer() && !global->isThreadLocal() && !global->getInitializer()->needsDynamicRelocation();
}
} // namespace

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
} // namespace record

extern "C" {
// Which internal variables only loads and stores see: `globals` are filled with them, at most `capacity`; their number.
size_t suspect_record_known(LLVMModuleRef module, LLVMValueRef *globals, size_t capacity) {
  size_t count = 0;
  for (GlobalVariable &global : unwrap(module)->globals()) {
    if (!global.hasLocalLinkage() || global.isDeclaration() || global.isThreadLocal() || count == capacity)
      continue;
    record::Accesses found;
    record::add_accesses(global, found, 0);
    if (found.bounded && all_of(found.sources, [](const Value *source) { return record::is_constant_data(record::base_of(source)); }))
      globals[count++] = wrap(&global);
  }
  return count;
}

// Which of the function's slots only its own loads and stores see, of the `count` in `slots`.
void suspect_record_known_slots(LLVMValueRef reference, LLVMValueRef *known, size_t n_known, LLVMValueRef *slots, bool *answers, size_t count) {
  std::set<const Value *> globals;
  for (size_t i = 0; i < n_known; i++)
    globals.insert(unwrap(known[i]));
  std::set<const AllocaInst *> found = record::known_slots(*unwrap<Function>(reference), globals);
  for (size_t i = 0; i < count; i++)
    answers[i] = found.count(cast<AllocaInst>(unwrap(slots[i])));
}

LLVMValueRef suspect_record_base(LLVMValueRef address) { return wrap(const_cast<Value *>(record::base_of(unwrap(address)))); }

bool suspect_record_is_constant_data(LLVMValueRef value) { return record::is_constant_data(unwrap(value)); }
}
