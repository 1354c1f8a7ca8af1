//===- Contracts.h - Values that contradict annotations ---------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_CONTRACTS_H
#define SPMD_INFERENCE_CHECK_CONTRACTS_H

#include "Check.h"

namespace spmd::rules::inference {

/// A value is what an annotation says of it.
class Contracts : Check {
public:
  using Check::Check;

  void run(const Unmet &Seen);
  void run(const UnmetSpec &Seen);
  /// Strict.
  void run(const DoubtfullyMet &Seen);
  /// Strict: what is said on another mesh is not compared with what is known
  /// here.
  void run(const Asked &Seen);

private:
  static ContractClash clashOf(const Requirement &Why);
  AxisId axisOfClash(const PartitionSpec &Has, const PartitionSpec &Wanted,
                     const SpecClash &Clash) const;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_CONTRACTS_H
