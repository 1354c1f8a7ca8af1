//===- permutation.h - Which rank sends to which ----------------*- C++ -*-===//

#ifndef SPMD_PERMUTATION_H
#define SPMD_PERMUTATION_H

#include "spmd/communicator.h"

#include <vector>

namespace spmd {

/// To which rank of an axis each rank's value goes: the same on all ranks.
///
///     spmd::shift(1)                 // around the ring
///     spmd::shift(-1, false)         // along a pipeline, from its end
///     spmd::Permutation({1, 0, 2})   // 0 and 1 swap, 2 keeps its own
class Permutation {
public:
  /// What is sent to nobody.
  static constexpr int Nobody = -1;

  /// \p To[r] gets what rank r has. No two ranks send to one.
  explicit Permutation(std::vector<int> To) : To(std::move(To)) {}

  /// Counts of what this rank of \p A sends and receives. An Error naming the
  /// entry that is no rank of it, or the second to send to one.
  detail::Details on(const Axis &A, Site At) const;

private:
  friend Permutation shift(int By, bool Wraps);
  Permutation() = default;

  std::vector<int> To; ///< empty: that many further
  int By = 0;
  bool Wraps = true;
};

/// Each rank sends to the one that is \p By further on the axis. Where it does
/// not wrap, what would leave the axis is sent to nobody, and the ranks at the
/// other end receive zeros.
inline Permutation shift(int By, bool Wraps = true) {
  Permutation Out;
  Out.By = By;
  Out.Wraps = Wraps;
  return Out;
}

} // namespace spmd

#endif // SPMD_PERMUTATION_H
