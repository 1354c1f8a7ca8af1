//===- Reached.h - What comes out of tensors and buffers --------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_REACHED_H
#define SPMD_LINT_LIB_REACHED_H

#include "ProgramText.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::lint {

/// Learning rates, schedules and random numbers need no type: nothing of a
/// tensor is in them. What is computed of a tensor's elements does.
class Reached {
public:
  Reached(const rules::Module &M, const ProgramText &Text);

  bool contains(const rules::Function &F, rules::SlotId S) const {
    const auto At = Slots.find(&F);
    return At != Slots.end() && At->second.test(rules::index(S));
  }

private:
  void begin(const rules::Function &F, const ProgramText &Text);
  void add(const rules::Function &F, rules::SlotId S);
  void pass(const rules::Function &F, const rules::CallFact &Call);
  void spread(const rules::Function &F);

  llvm::DenseMap<const rules::Function *, llvm::BitVector> Slots;
  llvm::StringMap<const rules::Function *> BySymbol;
  llvm::DenseSet<const rules::Function *> Returning;
  llvm::StringSet<> Members; ///< fields and globals, of whatever object
  bool More = false;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_REACHED_H
