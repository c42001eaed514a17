// Blocks: how values get from where they are computed into the steps that use them.
#include "blocks.h"
#include "part.h"
#include "slots.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"
#include <algorithm>
#include <vector>

using namespace llvm;

namespace record {
namespace {
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

void keep_what_passes_steps(BasicBlock &block, const std::set<const AllocaInst *> &known) { Blocks(known).keep_what_passes_steps(block); }
} // namespace record
