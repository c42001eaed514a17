// The plugin: its passes, its option, its messages.
#include "apart.h"
#include "dead.h"
#include "declarations.h"
#include "passes.h"
#include "text.h"
#include "llvm-c/Core.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"

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
} // namespace

extern "C" {
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
}
