// Control flow: frequencies, new blocks on edges, ways aside.
#include "declarations.h"
#include "llvm-c/Core.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

extern "C" {
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

void suspect_set_likely(LLVMValueRef branch) {
  Instruction *jump = unwrap<Instruction>(branch);
  jump->setMetadata(LLVMContext::MD_prof, MDBuilder(jump->getContext()).createBranchWeights(1 << 20, 1));
}

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
}
