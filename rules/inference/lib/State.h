//===- State.h - What is known at a program point ---------------*- C++ -*-===//
//
// A state maps slots to cells (abstract storage) and cells to their types. Two
// slots of one cell are aliases. Cell contents are immutable and shared between
// states, so copying a state copies pointers.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_RULES_LIB_INFERENCE_STATE_H
#define SPMD_RULES_LIB_INFERENCE_STATE_H

#include "spmd/inference/Inference.h"
#include "spmd/types/PartitionSpec.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <deque>

namespace spmd::rules::inference {

using CellId = std::uint32_t;
inline constexpr CellId NoCell = ~0u;

/// The axes a communicator spans.
using AxisList = llvm::SmallVector<AxisId, 2>;

/// A type set, its layout if known, and where it came from.
struct AxisState {
  TypeSet Set = TypeSet::all();
  std::optional<std::int8_t> Dim;
  const Origin *From = nullptr;
  /// The members that the value cannot be used as on some path.
  TypeSet Doubt = TypeSet::none();
  /// Believed after a finding, and no excuse for it: in a loop the mistake
  /// would else come round and be right.
  bool Assumed = false;

  TypeSet sure() const { return Set - Doubt; }
  /// Whether dropping all but \p Left may be wrong on some path.
  bool isDoubtful(TypeSet Left) const;

  AxisType type() const {
    return {Set, Dim ? std::optional<int>(*Dim) : std::nullopt};
  }
};

/// A value computed from literals alone. It has no gradient and is known on
/// every rank, so it may be used as R, as I and as V, each time anew.
bool isConstant(const AxisState &S);

/// Origins explain; all they decide is what is constant.
inline bool operator==(const AxisState &A, const AxisState &B) {
  return A.Set == B.Set && A.Doubt == B.Doubt && A.Dim == B.Dim &&
         A.Assumed == B.Assumed && isConstant(A) == isConstant(B);
}

struct Cell {
  llvm::SmallVector<AxisState, 4> Axes;
  /// Never written: the identity of a merge.
  bool Undefined = false;
  /// As the function found it, which on the axes of the full set nobody
  /// described, and did not write it.
  bool Untouched = false;
  /// A number of the host's that nobody described, such as a learning rate: a
  /// pending sum is not what one multiplies tensors by.
  bool Number = false;
  /// Undefined, since a wrong op made it or something that it is made of: in a
  /// loop it would else come round and excuse that op's operand.
  bool Wrong = false;
  /// The cell this one is a part of, and the axes on which the part's position
  /// varies or may vary between ranks.
  CellId Whole = NoCell;
  std::uint32_t Varies = 0, MayVary = 0;
  /// It is some of Whole only, or perhaps none of it: what is written to it
  /// joins what Whole has elsewhere.
  bool Some = false;
  /// The axes on which it is a part of a pending sum that lies elsewhere on
  /// each rank: a place for the result of a reduce_scatter, but no sum.
  std::uint32_t Stray = 0;
  /// The axes on which some ranks changed what was I or P and others did not:
  /// no gradient is the same on all of them any more, no sum has all its terms.
  std::uint32_t Split = 0;
  /// The storage of this tensor's `.grad()`, once it was asked for.
  CellId Gradient = NoCell;
  /// It is the rank over these axes, several ones, or a sum or product with it:
  /// what a quotient of it varies on is not known.
  std::uint32_t RankOver = 0;
  /// The axes on which it is another number on each rank; true on one rank
  /// alone; false on one alone.
  std::uint32_t Counts = 0, TrueOnOne = 0, FalseOnOne = 0;
  /// Kind communicator: the axes; empty when unknown.
  AxisList Span;
  /// How the shards reassemble on the axes that are checked globally; null when
  /// nobody knows.
  std::shared_ptr<const PartitionSpec> Spec;
  /// The axes on which some write left it different between ranks, and those on
  /// which a later one made it the same again.
  std::uint32_t Torn = 0, Mended = 0;

  friend bool operator==(const Cell &A, const Cell &B) {
    return A.Axes == B.Axes && A.Undefined == B.Undefined &&
           A.Untouched == B.Untouched && A.Number == B.Number &&
           A.Wrong == B.Wrong && A.Whole == B.Whole && A.Varies == B.Varies &&
           A.MayVary == B.MayVary && A.Some == B.Some && A.Stray == B.Stray &&
           A.Split == B.Split && A.RankOver == B.RankOver &&
           A.Counts == B.Counts && A.TrueOnOne == B.TrueOnOne &&
           A.FalseOnOne == B.FalseOnOne && A.Gradient == B.Gradient &&
           A.Span == B.Span && A.Torn == B.Torn && A.Mended == B.Mended &&
           (A.Spec == B.Spec || (A.Spec && B.Spec && *A.Spec == *B.Spec));
  }
};

/// The union of what two paths know.
Cell join(const Cell &A, const Cell &B);
/// The same where one path writes the storage and the other is there only for
/// those who have nothing to write, as a loop that has no round: what the first
/// makes different on each rank does not become less so.
Cell joinRounds(Cell A, Cell B);
AxisState join(const AxisState &A, const AxisState &B);

class State {
public:
  std::vector<CellId> Slots; ///< by slot index
  llvm::DenseMap<CellId, const Cell *> Cells;
  bool Reached = false;
};

/// Interns what the analysis of one function allocates.
class Arena {
public:
  const Cell *cell(Cell C) {
    Cells.push_back(std::move(C));
    return &Cells.back();
  }
  const Origin *origin(Origin O) {
    Origins.push_back(O);
    return &Origins.back();
  }

private:
  std::deque<Cell> Cells;
  std::deque<Origin> Origins;
};

} // namespace spmd::rules::inference

#endif // SPMD_RULES_LIB_INFERENCE_STATE_H
