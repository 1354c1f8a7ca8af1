//===- TrainedApart.h - What each rank trains by itself ---------*- C++ -*-===//
//
// A model that is declared to differ between ranks may begin with the same
// values on all: as in local SGD, where each rank trains a copy of the global
// one. Its gradients are each rank's own still, and no terms of a sum.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_TRAINEDAPART_H
#define SPMD_INFERENCE_BODY_TRAINEDAPART_H

#include "Storage.h"

namespace spmd::rules::inference {

/// The axes on which one of \p Tensors is declared to differ, whatever it
/// begins with.
AxisMask trainedApart(const Function &F, const Storage &Store, const State &Now,
                      llvm::ArrayRef<CellId> Tensors);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_TRAINEDAPART_H
