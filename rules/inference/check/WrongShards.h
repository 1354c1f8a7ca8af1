//===- WrongShards.h - Shards that do not reassemble ------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_WRONGSHARDS_H
#define SPMD_INFERENCE_CHECK_WRONGSHARDS_H

#include "Check.h"

namespace spmd::rules::inference {

/// An op gives each rank its part of what it makes of the whole tensors, and a
/// collective moves shards as they are.
class WrongShards : Check {
public:
  using Check::Check;

  void run(const NoResultSpec &Seen);
  /// Strict: an argument that is not known decides.
  void run(const UndecidedResultSpec &Seen);
  void run(const IllegalShards &Seen);
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_WRONGSHARDS_H
