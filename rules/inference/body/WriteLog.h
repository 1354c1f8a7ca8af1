//===- WriteLog.h - What blocks write ---------------------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_BODY_WRITELOG_H
#define SPMD_INFERENCE_BODY_WRITELOG_H

#include "domain/ProgramPoint.h"

#include <map>
#include <set>

namespace spmd::rules::inference {

class WriteLog {
public:
  /// What a block changes: slots that name other storage, storage written.
  struct Effects {
    std::set<std::uint32_t> Slots; ///< those that other blocks see
    std::set<CellId> Cells;
  };
  /// What a block leaves in a storage that it writes, on one axis: what surely
  /// differs between ranks, or nothing that is known to.
  using BlockWrites =
      std::map<std::pair<CellId, AxisId>, std::optional<AxisState>>;

  WriteLog(const Function &F, unsigned NumAxes, const ProgramPoint &Point)
      : F(F), NumAxes(NumAxes), Point(Point), Writes(F.Blocks.size()),
        Done(F.Blocks.size()) {}

  /// The block that is run is run anew.
  void beginBlock() { Writes[Point.Block].clear(); }

  void noteRenamed(std::uint32_t Slot) { Done[Point.Block].Slots.insert(Slot); }
  void noteWritten(CellId Id) {
    Done[Point.Block].Cells.insert(Id);
    if (!Rewritten.empty())
      Rewritten[Point.Block][Id] |= ~AddsInPlace;
  }
  /// The storage \p Id is \p Now from here on; or part of it is, that was
  /// written, so that the rest can only make it worse.
  void noteWrite(CellId Id, const AbstractValue &Now, AxisMask On = ~0u);
  /// Nobody knows what becomes of the storage \p Id.
  void noteChange(CellId Id);
  /// The storage \p Id is left different between ranks, as \p As says.
  void noteDiverged(CellId Id, AxisId A, const AxisState &As) {
    Writes[Point.Block][{Id, A}] = As;
  }

  /// Where the ways of ranks meet, before \p Block, the storage \p Id is
  /// \p Now on the axes \p On on which these are different ways.
  void noteMeeting(std::uint32_t Block, CellId Id, const AbstractValue &Now,
                   AxisMask On);

  /// On all visits of \p Block.
  const Effects &effectsOf(std::uint32_t Block) const { return Done[Block]; }
  std::size_t numEffects() const;
  bool isWritten(CellId Id) const;

  /// What \p Id ends as on \p A when each loop has an iteration: different
  /// between ranks for sure, or none.
  std::optional<AxisState> divergedAtExit(CellId Id, AxisId A,
                                          llvm::ArrayRef<State> Entries) const;

  //===--- What one rank adds (SingleRankSums) ----------------------------===//
  /// Forgets, and notes if \p Watch, what writes do besides adding on one rank.
  void watchAdditions(bool Watch) {
    Rewritten.clear();
    Rewritten.resize(Watch ? F.Blocks.size() : 0);
  }
  /// The axes on which the op that is being run adds on one rank, in place.
  void setAddsInPlace(AxisMask On) { AddsInPlace = On; }
  bool isRewritten(std::uint32_t Block, CellId Id, AxisId A) const {
    return Block < Rewritten.size() &&
           (Rewritten[Block].lookup(Id) & 1u << A) != 0;
  }

private:
  const Function &F;
  const unsigned NumAxes;
  const ProgramPoint &Point;
  std::vector<BlockWrites> Writes;
  std::map<std::uint32_t, BlockWrites> Meetings; ///< by block
  std::vector<Effects> Done;
  /// By block: the axes on which a write did more than add on one rank.
  std::vector<llvm::DenseMap<CellId, AxisMask>> Rewritten;
  AxisMask AddsInPlace = 0;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_WRITELOG_H
