// Keeps `trace` and `record` versions apart from the module while it is optimised. Nothing is optimised in them, but each pass over the whole
// unit (constants across functions, what becomes dead, what calls what) would look at all of their code, which is most of the unit's.
//
// They wait in a module of their own in which, as in another unit, all that they refer to is only declared; so the optimiser must and does
// take that to be changed or called from elsewhere.
#include "apart.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace {
// A definition that is open to other units for as long as code waits that refers to it, and what it was before.
struct Opened {
  WeakVH global;
  GlobalValue::LinkageTypes linkage;
};

// The context owns the waiting module: if a compilation breaks off, it goes with it.
struct Apart {
  Module *module = nullptr, *waiting = nullptr;
  SmallVector<Opened, 0> opened;
};
Apart apart;

// Passes that code needs, instead of profiting from them: what they make into ordinary code, or put beside it.
bool needs_passes(const Function &function) {
  if (function.hasPersonalityFn() || function.hasPrefixData() || function.hasPrologueData() || function.hasGC())
    return true;
  for (const BasicBlock &block : function) {
    if (block.hasAddressTaken())
      return true;
    for (const Instruction &instruction : block)
      if (auto *call = dyn_cast<CallBase>(&instruction)) {
        const Function *callee = call->getCalledFunction();
        if (call->hasFnAttr(Attribute::AlwaysInline))
          return true;
        StringRef name = callee && callee->isIntrinsic() ? callee->getName() : "";
        for (StringRef lowered : {"llvm.instrprof.", "llvm.coro.", "llvm.matrix.", "llvm.type.", "llvm.pseudoprobe"})
          if (name.starts_with(lowered))
            return true;
      }
  }
  return false;
}

// Sanitizers put other variables in the place of a unit's own, which code apart from it would not be told of.
bool is_sanitized(const Function &function) {
  return any_of(ArrayRef({Attribute::SanitizeAddress, Attribute::SanitizeThread, Attribute::SanitizeMemory, Attribute::SanitizeHWAddress,
                          Attribute::SanitizeMemTag, Attribute::SafeStack}),
                [&](Attribute::AttrKind kind) { return function.hasFnAttribute(kind); });
}

bool is_kept_apart(const Function &function) {
  StringRef hooks = function.getFnAttribute("suspect-hooks").getValueAsString();
  bool is_as_written = function.hasOptNone() && (hooks == "trace" || hooks == "record");
  return is_as_written && function.hasLocalLinkage() && !function.hasComdat() && !needs_passes(function);
}

SmallVector<GlobalValue *, 0> globals_of(Module &module) {
  SmallVector<GlobalValue *, 0> globals;
  for (GlobalValue &global : module.global_values())
    globals.push_back(&global);
  return globals;
}

// `global` as another unit declares it.
GlobalValue *declare(const GlobalValue &global, Module &module) {
  unsigned space = global.getAddressSpace();
  if (auto *type = dyn_cast<FunctionType>(global.getValueType())) {
    Function *function = Function::Create(type, GlobalValue::ExternalLinkage, space, global.getName(), &module);
    if (auto *source = dyn_cast<Function>(&global)) {
      function->setCallingConv(source->getCallingConv());
      function->setAttributes(source->getAttributes());
      // That of a function which the program need not have, for one.
      if (source->isDeclaration())
        function->setLinkage(source->getLinkage());
    }
    function->setVisibility(global.getVisibility());
    function->setDSOLocal(global.isDSOLocal());
    return function;
  }
  auto *source = dyn_cast<GlobalVariable>(&global);
  bool is_external = source && source->isDeclaration();
  auto *variable = new GlobalVariable(module, global.getValueType(), source && source->isConstant(),
                                      is_external ? source->getLinkage() : GlobalValue::ExternalLinkage, nullptr, global.getName(),
                                      nullptr, global.getThreadLocalMode(), space, source && source->isExternallyInitialized());
  if (source)
    variable->setAlignment(source->getAlign());
  variable->setVisibility(global.getVisibility());
  variable->setDSOLocal(global.isDSOLocal());
  return variable;
}

// Has the optimiser expect uses of a definition that it cannot see.
void open(GlobalValue &global) {
  if (!global.hasName())
    global.setName("suspect.unnamed");
  if (global.isDeclaration() || global.hasAvailableExternallyLinkage() || !global.isDiscardableIfUnused())
    return;
  apart.opened.push_back({&global, global.getLinkage()});
  bool is_dso_local = global.isDSOLocal();
  global.setLinkage(global.hasLinkOnceODRLinkage() ? GlobalValue::WeakODRLinkage
                    : global.hasLinkOnceLinkage()  ? GlobalValue::WeakAnyLinkage
                                                   : GlobalValue::ExternalLinkage);
  global.setDSOLocal(is_dso_local);
}

// Has what waits refer to declarations of its own.
struct Declarations : ValueMaterializer {
  Module &from, &waiting;
  Declarations(Module &from, Module &waiting) : from(from), waiting(waiting) {}

  Value *materialize(Value *value) override {
    auto *global = dyn_cast<GlobalValue>(value);
    if (!global || global->getParent() != &from)
      return nullptr;
    open(*global);
    GlobalValue *known = waiting.getNamedValue(global->getName());
    return known ? known : declare(*global, waiting);
  }
};

bool waits(const User *user, const Module &waiting) {
  auto *instruction = dyn_cast<Instruction>(user);
  return instruction && instruction->getModule() == &waiting;
}

// The operands of waiting instructions that are `value`, or constants made of it.
void collect_operands(Value &value, const Module &waiting, SmallVectorImpl<Use *> &operands) {
  for (Use &use : value.uses())
    if (waits(use.getUser(), waiting))
      operands.push_back(&use);
    else if (isa<Constant>(use.getUser()) && !isa<GlobalValue>(use.getUser()))
      collect_operands(*use.getUser(), waiting, operands);
}
} // namespace

void take_apart(Module &module) {
  SmallVector<Function *, 0> functions;
  for (Function &function : module)
    if (is_kept_apart(function))
      functions.push_back(&function);
  if (functions.empty() || any_of(module, is_sanitized))
    return;
  auto *waiting = new Module("suspect.apart", module.getContext());
  waiting->setDataLayout(module.getDataLayout());
  waiting->setTargetTriple(module.getTargetTriple());
#if LLVM_VERSION_MAJOR >= 19
  waiting->setIsNewDbgInfoFormat(module.IsNewDbgInfoFormat);
#endif
  apart.module = &module, apart.waiting = waiting;
  for (Function *function : functions) {
    Function *declared = Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage, function->getAddressSpace(), "");
    declared->setCallingConv(function->getCallingConv());
    declared->setAttributes(function->getAttributes());
    declared->setDSOLocal(true);
    // Metadata (that a section goes with the function) stays with it.
    function->replaceNonMetadataUsesWith(declared);
    std::string name = function->getName().str();
    module.getFunctionList().insert(function->getIterator(), declared);
    function->removeFromParent();
    declared->setName(name);
    waiting->getFunctionList().push_back(function);
  }
  Declarations declarations(module, *waiting);
  ValueToValueMapTy map;
  SmallVector<Use *, 0> operands;
  for (GlobalValue *global : globals_of(module)) {
    operands.clear();
    collect_operands(*global, *waiting, operands);
    for (Use *operand : operands)
      operand->set(MapValue(operand->get(), map, RF_NoModuleLevelChanges, nullptr, &declarations));
  }
}

void put_back(Module &module) {
  if (apart.module != &module)
    return;
  Module *waiting = apart.waiting;
  for (GlobalValue *global : globals_of(*waiting)) {
    std::string name = global->getName().str();
    GlobalValue *here = module.getNamedValue(name);
    if (here && global->isDeclaration()) {
      global->replaceAllUsesWith(here);
      global->eraseFromParent();
      continue;
    }
    // What nobody here has come to refer to is gone; declarations that waiting code refers to come with it.
    if (auto *function = dyn_cast<Function>(global)) {
      auto *declared = dyn_cast_or_null<Function>(here);
      function->removeFromParent();
      module.getFunctionList().insert(declared ? declared->getIterator() : module.end(), function);
      if (declared) {
        declared->replaceAllUsesWith(function);
        declared->eraseFromParent();
        // It was taken.
        function->setName(name);
      }
#if LLVM_VERSION_MAJOR >= 19
      function->setIsNewDbgInfoFormat(module.IsNewDbgInfoFormat);
#endif
    } else if (auto *variable = dyn_cast<GlobalVariable>(global)) {
      variable->removeFromParent();
#if LLVM_VERSION_MAJOR >= 19
      module.insertGlobalVariable(variable);
#else
      module.getGlobalList().push_back(variable);
#endif
    }
  }
  for (const Opened &opened : apart.opened)
    if (auto *global = cast_or_null<GlobalValue>(static_cast<Value *>(opened.global)))
      global->setLinkage(opened.linkage);
  delete waiting;
  apart.opened.clear();
  apart.module = apart.waiting = nullptr;
}
