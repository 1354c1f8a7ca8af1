//===- Suggest.h - Specs that make a function fastest -----------*- C++ -*-===//
//
// What each parameter, weight and the result should be, so that forward and
// backward take the least time by the cost model; with the redistributions that
// this implies, and what data parallelism alone would take.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_SHARDING_SUGGEST_H
#define SPMD_SHARDING_SUGGEST_H

#include "spmd/sharding/CostModel.h"
#include "spmd/sharding/Graph.h"
#include "spmd/sharding/Search.h"

#include "spmd/planner/Plan.h"

#include "llvm/Support/JSON.h"

namespace spmd::sharding {

struct SuggestOptions {
  GraphOptions Graph;
  SearchLimits Limits;
  /// Of the search, as Budget counts them: tens of seconds.
  double MaxSteps = 20e9;
};

/// Seconds of a rank.
struct Times {
  double Compute = 0, Communication = 0;
  double total() const { return Compute + Communication; }
};
struct StepTimes {
  Times Forward, Backward;
  double total() const { return Forward.total() + Backward.total(); }
};

/// What an annotation should say.
struct SuggestedType {
  std::string Name; ///< empty: the result
  rules::SlotId Slot = rules::SlotId::None;
  rules::PlaceId At = rules::PlaceId::None;
  std::string Was, Is; ///< payloads
  ValueType Type;
};

/// One redistribution, and what it does to the gradient; or (Gradient) the
/// reduction of a stored value's gradient.
struct Transition {
  rules::PlaceId At = rules::PlaceId::None; ///< the first use
  std::string Name;                         ///< of the value
  bool IsGradient = false;
  bool IsNextLayer = false; ///< from the result to the next layer's input
  /// Of \p FromType and \p ToType: what operators would be given.
  ValueType FromType, ToType;
  std::string From, To;
  planner::Plan Forward, Backward;
  double ForwardBytes = 0, BackwardBytes = 0; ///< received by a rank
  std::vector<rules::PlaceId> Uses;           ///< all operands that are so
  ValueId Of = 0;
  /// All that use the value want it so; the op that makes it stands at MadeAt.
  bool WrapsProducer = false;
  rules::PlaceId MadeAt = rules::PlaceId::None;
};

/// An op that adds up shards, and the axes on which its result is pending.
struct PendingSum {
  rules::PlaceId At = rules::PlaceId::None;
  planner::Axes Axes;
};

struct Suggestion {
  Graph Of;
  planner::DeviceMesh Mesh;
  std::vector<SuggestedType> Types; ///< parameters, weights, the result
  std::vector<Transition> Transitions;
  std::vector<PendingSum> PendingSums;
  StepTimes Time;
  double MemoryBytes = 0;
  /// Batch on these axes alone; nothing when none divides it.
  std::string DataParallelAxes;
  StepTimes DataParallel;
  double DataParallelBytes = 0; ///< of memory
  bool IsExact = true;
  bool IsCutOff = false; ///< and not exact: there was more to try
  /// Not exact: no assignment takes less than this.
  std::optional<double> LowerBound;
  bool FitsMemory = true;
};

/// Errors are GraphErrors, with a place in \p F.
llvm::Expected<Suggestion> suggestSharding(const rules::Function &F,
                                           const CostModel &Costs,
                                           const SuggestOptions &Options);

/// For people. \p Where says where a place is, "a.cpp:3:7".
std::string describe(const Suggestion &S,
                     llvm::function_ref<std::string(rules::PlaceId)> Where);
/// The same for programs, without places: those are of the front end.
llvm::json::Object
toJSON(const Suggestion &S,
       llvm::function_ref<llvm::json::Object(rules::PlaceId)> Where);

} // namespace spmd::sharding

#endif // SPMD_SHARDING_SUGGEST_H
