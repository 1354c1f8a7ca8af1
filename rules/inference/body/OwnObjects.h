//===- OwnObjects.h - Objects that have nothing in common -------*- C++ -*-===//
//
// Two models may share some layers: who reduces the gradients of one may have
// reduced some of the other's. Not so where a function makes both, each of
// numbers alone, and nothing gets both of them, and where their classes say so.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_BODY_OWNOBJECTS_H
#define SPMD_INFERENCE_BODY_OWNOBJECTS_H

#include "passes/BodyFacts.h"

#include "llvm/ADT/DenseSet.h"

namespace spmd::rules::inference {

class OwnObjects {
public:
  OwnObjects(const Function &F, const ObjectNames &Objects);

  /// Whether \p A and \p B are, or are in, two such objects.
  bool areApart(SlotId A, SlotId B) const;

private:
  SlotId objectOf(SlotId Slot) const;
  void see(const Fact &X);

  const Function &F;
  const ObjectNames &Objects;
  /// The first name of each object that is made here and not given away, and of
  /// those that are apart by their classes.
  llvm::DenseSet<SlotId> Own;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_OWNOBJECTS_H
