//===- Context.h - What bodies are given, and what they do ------*- C++ -*-===//

#ifndef SPMD_INFERENCE_ENGINE_CONTEXT_H
#define SPMD_INFERENCE_ENGINE_CONTEXT_H

#include "domain/Value.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

namespace spmd::rules::inference {

/// What a caller hands to a body analysed in its context: for each slot of the
/// callee that the caller can see (parameters, fields, globals), which of
/// Cells it starts with. Aliased slots share a cell.
struct Context {
  /// By callee slot, in their order: index into Cells.
  llvm::SmallVector<std::pair<std::uint32_t, unsigned>, 8> CellOf;
  /// The gradient of one is an index, too.
  llvm::SmallVector<AbstractValue, 0> Cells;
  /// What numbers the parameters are, of those that decide a branch.
  llvm::SmallVector<std::pair<std::uint32_t, std::int64_t>, 2> Numbers;
  /// The axes on which the caller is checked globally.
  AxisList Global;
  /// Only the callee's contract is read, as the caller sees it.
  bool OfContract = false;
  /// The mesh of the caller, where the callee names no axis of its own.
  const MeshSpec *Mesh = nullptr;
  AxisMask ForeignGradients = 0; ///< of the caller's state
  /// Axis names of the callee's annotations that name its parameters: follows
  /// from what these are given, and so is no field.
  llvm::StringMap<AxisId> AxisOfFormal;

  static constexpr auto fields() {
    return std::tuple(
        Field{"cellOf", &Context::CellOf, Never()},
        Field{"cells", &Context::Cells, Never()},
        Field{"numbers", &Context::Numbers, Never()},
        Field{"global", &Context::Global, Never()},
        Field{"ofContract", &Context::OfContract, Never()},
        Field{"mesh", &Context::Mesh, Never()},
        Field{"foreignGradients", &Context::ForeignGradients, Never()});
  }
};

/// What gradients are for: the axes on which somebody asked for that of what is
/// V, and those on which for that of anything else.
struct AskedGradients {
  AxisMask OfVarying = 0, OfOthers = 0;
  bool Used = false; ///< and not only collected, for others to use
  void add(AskedGradients More) {
    OfVarying |= More.OfVarying;
    OfOthers |= More.OfOthers;
    Used |= More.Used;
  }
};

/// What a body does to a context.
struct Summary {
  /// One of Context::Cells, or its gradient, if that is a new value.
  struct Known {
    unsigned Of;
    bool Gradient;
  };
  llvm::SmallVector<AbstractValue, 0> ExitCells; ///< Context::Cells afterwards
  llvm::BitVector Written; ///< those that are not only seen to be of some type
  bool Returns = false;
  int ResultAlias = -1; ///< index into Context::Cells, or
  AbstractValue Result; ///< a value of its own
  int ResultWhole = -1; ///< of which it may be a part or view
  /// What the result is, as a list of gradients, and what it may hold.
  std::optional<unsigned> ResultGradientOf;
  llvm::SmallVector<Known, 2> ResultHolds;
  /// By-reference slots and fields that name other storage at the exit.
  struct Rebinding {
    std::uint32_t Slot;
    int Alias;
    AbstractValue Value;
    int Whole = -1;
    bool Apart = false; ///< see ViewPosition
    /// The slot of an earlier rebinding, to the same storage of the body's own.
    std::optional<std::uint32_t> SameAs = std::nullopt;
    /// What it may hold, as a list.
    llvm::SmallVector<Known, 2> Holds = {};
  };
  std::vector<Rebinding> Rebindings;
  /// What surely differs between ranks, if each loop has a round.
  struct DivergedCell {
    unsigned Of; ///< index into Context::Cells
    AxisId Axis;
    AxisState As;
  };
  std::vector<DivergedCell> Diverged;
  /// What the gradients of Context::Cells are: one of these, or a new value.
  struct Gradient {
    unsigned Of;
    int Alias;
    AbstractValue Value;
  };
  std::vector<Gradient> Gradients;
  AxisMask ReducedGradients = 0; ///< the axes over which it sums some
  /// What it sums of Context::Cells, and over which axes: parameters, maybe.
  llvm::SmallVector<std::pair<unsigned, AxisMask>, 2> Reduced;
  AskedGradients Asked;
  bool RunsBackward = false;     ///< and leaves new gradients everywhere
  AxisMask ForeignGradients = 0; ///< of the state at the exit
  /// The numbers that it is called with are those of another way than the one
  /// that is looked at.
  bool IsOffWay = false;
  /// Lists and what they were given to hold.
  std::vector<std::pair<unsigned, unsigned>> Joined;
  /// The same by slots, where that is storage of the body's own.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> JoinedAnew;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_ENGINE_CONTEXT_H
