//===- Accumulations.h - Loops that add to elements of a buffer -*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_ACCUMULATIONS_H
#define SPMD_INFERENCE_PASSES_ACCUMULATIONS_H

#include "Loops.h"

#include "llvm/ADT/DenseMap.h"

namespace spmd::rules::inference {

/// The sums that ops add to element by element, as `g[i] += w[i] * x[i]` does
/// in a loop which does nothing else to g: what was in g before that loop is in
/// it still.
class Accumulations {
public:
  struct Sum {
    std::size_t Operand; ///< of the op: the element's old value
    SlotId Buffer;
    std::uint32_t Loop; ///< the outermost one that is so; its first block
  };

  Accumulations(const Function &F, const Loops &Cycles);

  /// The sum to which \p O adds; null if it does not.
  const Sum *find(const OpFact &O) const {
    const auto Of = Sums.find(&O);
    return Of == Sums.end() ? nullptr : &Of->second;
  }
  /// The first blocks of the loops that add to such sums.
  const llvm::DenseSet<std::uint32_t> &loops() const { return InLoops; }

private:
  llvm::DenseMap<const OpFact *, Sum> Sums;
  llvm::DenseSet<std::uint32_t> InLoops;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_ACCUMULATIONS_H
