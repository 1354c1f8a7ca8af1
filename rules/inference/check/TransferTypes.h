//===- TransferTypes.h - Types that a collective takes and gives *- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_TRANSFERTYPES_H
#define SPMD_INFERENCE_CHECK_TRANSFERTYPES_H

#include "Check.h"

namespace spmd::rules::inference {

/// A collective is given what it takes, and is declared to do what it does.
class TransferTypes : Check {
public:
  using Check::Check;

  void run(const IllegalSource &Seen);
  void run(const ReducedOtherwise &Seen);
  void run(const TermEntersNonlinear &Seen);
  void run(const TakesExtreme &Seen);
  void run(const NoTransition &Seen);
  /// Strict.
  void run(const DoubtfulSource &Seen);

private:
  DeclaredTransfer declaredBy(const TransferFact &T) const;
  void report(const TransferFact &T, FindingDetail What, AxisId A,
              const AxisState &Was);
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_TRANSFERTYPES_H
