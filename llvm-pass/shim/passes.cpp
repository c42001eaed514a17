// Spares versions with hooks passes of the optimiser that find little there for the time they take: hooks are kept where they are, so loops
// do not become calls or vectors, what is known of a value is asked for again at each of them, and a processor that waits for their words
// does not mind the order of the rest.
#include "passes.h"
#include "llvm/ADT/Any.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

// A plugin has to compare with LLVM's own, not with copies that its linker hides.
extern template struct llvm::Any::TypeId<const llvm::Function *>;
extern template struct llvm::Any::TypeId<const llvm::Loop *>;

namespace {
struct Spared {
  StringRef pass;
  // Runs on each function before it is spared; the pipeline has further ones.
  unsigned runs;
  // Not spared by `edges`, whose loops are slower without.
  bool except_edges = false;
};

const Spared list[] = {
    {"ADCEPass", 1},
    {"BDCEPass", 0},
    {"ConstraintEliminationPass", 0},
    {"CorrelatedValuePropagationPass", 0},
    {"DSEPass", 0},
    {"EarlyCSEPass", 2},
    {"Float2IntPass", 0},
    {"IndVarSimplifyPass", 0, true},
    {"InstCombinePass", 3},
    {"JumpThreadingPass", 0, true},
    {"LoopDeletionPass", 0, true},
    {"LoopFullUnrollPass", 0, true},
    {"LoopIdiomRecognizePass", 0, true},
    {"LoopUnrollPass", 0, true},
    {"LoopVectorizePass", 0},
    {"SCCPPass", 0},
    {"SLPVectorizerPass", 0},
};

// How often each pass of the list ran on each function with hooks of the module.
StringMap<unsigned> runs[std::size(list)];

const Function *function_of(const Any &unit) {
  if (auto *function = any_cast<const Function *>(&unit))
    return *function;
  if (auto *loop = any_cast<const Loop *>(&unit))
    return (*loop)->getHeader()->getParent();
  return nullptr;
}

bool should_run(StringRef pass, const Any &unit) {
  StringRef name = pass.take_until([](char c) { return c == '<'; });
  // Writes down what a call by address may call, which nothing after it reads.
  if (name == "CalledValuePropagationPass")
    return false;
  const Spared *spared = find_if(list, [&](const Spared &one) { return one.pass == name; });
  const Function *function = spared == std::end(list) ? nullptr : function_of(unit);
  if (!function || !function->hasFnAttribute("suspect-hooks"))
    return true;
  if (spared->except_edges && function->getFnAttribute("suspect-hooks").getValueAsString() == "edges")
    return true;
  return spared->runs > 0 && runs[spared - list][function->getName()]++ < spared->runs;
}

// What the code generator asks before each pass that it can do without; functions are told by their names alone.
struct Gate : OptPassGate {
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef unit) override {
    if (!unit.contains(".suspect.") || unit.contains(".suspect.plain)"))
      return true;
    // Between hooks there is little to bring nearer to where it is used.
    bool is_prepared = pass != "CodeGen Prepare" || !unit.contains(".suspect.values)");
    return pass != "Machine Instruction Scheduler" && is_prepared;
  }
};
} // namespace

void spare_versions(PassInstrumentationCallbacks *callbacks) {
  if (callbacks)
    callbacks->registerShouldRunOptionalPassCallback([](StringRef pass, Any unit) { return should_run(pass, unit); });
}

void spare_code(LLVMContext &context) {
  static Gate gate;
  // It is on if the user bisects.
  if (!context.getOptPassGate().isEnabled())
    context.setOptPassGate(gate);
}

void begin_module() {
  for (auto &of_pass : runs)
    of_pass.clear();
}
