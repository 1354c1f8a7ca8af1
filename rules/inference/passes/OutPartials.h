//===- OutPartials.h - Ops whose results are wrapped ------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_OUTPARTIALS_H
#define SPMD_INFERENCE_PASSES_OUTPARTIALS_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/DenseMap.h"

namespace spmd::rules::inference {

/// By op, slots of the axes for which the first transfers of its result wrap
/// that in out_partial. Found once for each block.
class OutPartials {
public:
  llvm::ArrayRef<SlotId> of(const std::vector<Fact> &Block, const Fact &Op);

private:
  using ByOp = llvm::DenseMap<const Fact *, llvm::SmallVector<SlotId, 2>>;
  static ByOp find(llvm::ArrayRef<Fact> Facts);

  llvm::DenseMap<const std::vector<Fact> *, ByOp> Blocks;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_OUTPARTIALS_H
