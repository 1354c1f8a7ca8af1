//===- RedundantChains.h - Collectives that fewer could replace -*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_REDUNDANTCHAINS_H
#define SPMD_INFERENCE_CHECK_REDUNDANTCHAINS_H

#include "Check.h"
#include "passes/RedundantTransfers.h"

namespace spmd::rules::inference {

/// Of those that are right by themselves.
class RedundantChains : Check {
public:
  using Check::Check;

  void run(const SoundSource &Seen) { Sound[&Seen.T] = {Seen.A, Seen.Was}; }
  /// All of the body was heard.
  void finish();

private:
  SoundMap Sound;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_REDUNDANTCHAINS_H
