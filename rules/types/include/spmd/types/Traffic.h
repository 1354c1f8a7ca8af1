//===- Traffic.h - What operators send --------------------------*- C++ -*-===//
//
// The cost model of repairs and of the oracle: elements that a rank of N sends
// on a ring, in units of (N-1)/N.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TYPES_TRAFFIC_H
#define SPMD_TYPES_TRAFFIC_H

#include "spmd/types/Transition.h"

namespace spmd::rules {

/// Whole tensors and shards of them: a shard is the Nth part of a whole.
struct Traffic {
  int Wholes = 0;
  int Shards = 0;

  constexpr bool none() const { return Wholes == 0 && Shards == 0; }
  friend constexpr Traffic operator+(Traffic A, Traffic B) {
    return {A.Wholes + B.Wholes, A.Shards + B.Shards};
  }
  friend constexpr bool operator==(Traffic A, Traffic B) {
    return A.Wholes == B.Wholes && A.Shards == B.Shards;
  }
  friend constexpr bool operator!=(Traffic A, Traffic B) { return !(A == B); }
};

/// No more than \p B on any axis of two or more ranks. The sum is linear in
/// 1/N, so the ends decide.
constexpr bool atMost(Traffic A, Traffic B) {
  return 2 * A.Wholes + A.Shards <= 2 * B.Wholes + B.Shards &&
         A.Wholes <= B.Wholes;
}

constexpr Traffic trafficOf(OperatorKind Op) {
  switch (Op) {
  case OperatorKind::AllReduceMax:
  case OperatorKind::AllReduceMin:
  case OperatorKind::AllReduce: // a reduce_scatter and an all_gather
    return {2, 0};
  case OperatorKind::AllGather:
  case OperatorKind::ReduceScatter:
  case OperatorKind::Permute:
  case OperatorKind::Broadcast:
  case OperatorKind::Reduce:
    return {1, 0};
  case OperatorKind::AllToAll:
    return {0, 1};
  case OperatorKind::Reinterpret:
  case OperatorKind::Convert:
  case OperatorKind::Keep:
  case OperatorKind::Barrier:
    break;
  }
  return {};
}

/// Elements that a rank of \p N sends for one whole of \p Elements.
constexpr double elementsSent(Traffic T, std::int64_t Elements, int N) {
  return static_cast<double>(Elements) * (N - 1) / N *
         (T.Wholes + static_cast<double>(T.Shards) / N);
}

/// Both directions of a row, or of several.
struct RoundTrip {
  Traffic Forward, Backward;

  friend constexpr RoundTrip operator+(RoundTrip A, RoundTrip B) {
    return {A.Forward + B.Forward, A.Backward + B.Backward};
  }
  friend constexpr bool operator==(RoundTrip A, RoundTrip B) {
    return A.Forward == B.Forward && A.Backward == B.Backward;
  }
};

constexpr RoundTrip roundTripOf(const Transition &T) {
  return {trafficOf(T.Op), trafficOf(T.BackwardOp)};
}

/// More in no direction, and less in one.
constexpr bool isCheaper(RoundTrip A, RoundTrip B) {
  return atMost(A.Forward, B.Forward) && atMost(A.Backward, B.Backward) &&
         !(A == B);
}

} // namespace spmd::rules

#endif // SPMD_TYPES_TRAFFIC_H
