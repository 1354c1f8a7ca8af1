//===- Inference.h - Forward dataflow over the SPMD IR ----------*- C++ -*-===//
//
// Types flow forward; an op narrows its operands to what makes it legal; merges
// take the union. A violation is reported when nothing legal is left, and the
// value is unknown afterwards so that one mistake gives one finding.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_INFERENCE_H
#define SPMD_INFERENCE_INFERENCE_H

#include "spmd/inference/Limits.h"
#include "spmd/inference/Violation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace spmd::rules {

struct InferenceOptions {
  bool Strict = false;
  bool FindRedundant = false; ///< also report what is right and too expensive
  bool OnlyFindings = false;  ///< nothing of what is known of expressions
  /// Of each function, one that may be wrong, and none that is.
  bool OnlyDoubts = false;
  Limits Caps;
  const MeshSpec *Mesh = nullptr; ///< from the configuration
  const Function *Only = nullptr; ///< this one alone, with what it calls
};

/// The inferred type of one slot at a point, for --dump-types and editors.
struct TypedSlot {
  enum class Role : std::uint8_t {
    Made,      ///< by the fact that has just run, or a declared parameter
    Taken,     ///< by the fact that is about to run
    Parameter, ///< that is not declared: what its uses on all ways ask of it
    Returned,  ///< what the function returns; Slot is None
  } As = Role::Made;
  const Function *In = nullptr;
  PlaceId At = PlaceId::None;
  SlotId Slot = SlotId::None;
  const Fact *Of = nullptr; ///< that makes or takes it
  std::vector<std::pair<std::string, AxisType>> Types; ///< by axis
  std::vector<Origin> From; ///< why it is of these types
  std::string Spec; ///< "[B@dp, S]" in global code; empty when none is known
  bool ByItself = false; ///< not with the types of some call
};

/// What is known of what a fact makes, or of what a collective takes, in some
/// call of its function. A bit per axis of InferenceResult::Axes.
struct KnownTypes {
  std::uint32_t Typed = 0;
  /// A number of the host's that nobody described, such as a learning rate.
  bool IsNumber = false;
  /// Of a collective: the axes it is over, and those on which it is known what
  /// it is given.
  std::uint32_t Over = 0, Given = 0;
  /// The axes on which it surely differs between ranks, in every call.
  std::uint32_t Differs = ~0u;
};

namespace inference {
struct Memory;
} // namespace inference

struct InferenceResult {
  std::vector<std::string> Axes;
  llvm::DenseMap<std::pair<const Function *, unsigned>, KnownTypes>
      Known;                         ///< by place
  std::vector<Violation> Violations; ///< in order of discovery, deduplicated
  /// What is right as it stands, since an average is made of the sum: where
  /// only a part of the function is looked at, that may not be seen.
  std::vector<Violation> Averaged;
  std::vector<GiveUp> GivenUp; ///< each once, for --strict and --stats
  unsigned FactsVisited = 0;
  /// What calls were found to do: for inferWays and inferInIterations.
  std::shared_ptr<inference::Memory> Remembered;
};

/// Analyses every function that has a body and is not trusted. \p OnType, when
/// given, sees each definition's type, and what facts take.
InferenceResult
inferModule(const Module &M, const InferenceOptions &Options,
            llvm::function_ref<void(const TypedSlot &)> OnType = nullptr);

} // namespace spmd::rules

#endif // SPMD_INFERENCE_INFERENCE_H
