//===- Checks.h - All checks of one function --------------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_CHECKS_H
#define SPMD_INFERENCE_CHECK_CHECKS_H

#include "Contracts.h"
#include "GivenGradients.h"
#include "IllegalOps.h"
#include "Losses.h"
#include "LostGradients.h"
#include "RedundantChains.h"
#include "ReplicasInSums.h"
#include "TransferTypes.h"
#include "UnfitReads.h"
#include "WrongShards.h"

namespace spmd::rules::inference {

/// Listens to the transfers of a body from now to the end of its life.
class Checks : public Listener {
public:
  explicit Checks(Body &In);
  ~Checks() override;

  void hear(const Observation &What) override;
  /// All facts have run.
  void finish();

private:
  Body &In;
  // Of each kind of observation, the check that has a `run` for it.
  IllegalOps Ops{In};
  ReplicasInSums Sums{In};
  WrongShards Shards{In};
  Losses OfLosses{In};
  GivenGradients OfBackwards{In};
  LostGradients Lost{In};
  TransferTypes Types{In};
  RedundantChains Chains{In};
  Contracts OfContracts{In};
  UnfitReads Unfit{In};
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_CHECKS_H
