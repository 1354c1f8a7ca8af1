//===- SingleRankSums.h - What one rank adds to a sum -----------*- C++ -*-===//

#ifndef SPMD_INFERENCE_BODY_SINGLERANKSUMS_H
#define SPMD_INFERENCE_BODY_SINGLERANKSUMS_H

#include "DivergentBranches.h"
#include "Storage.h"

namespace spmd::rules::inference {

class SingleRankSums {
public:
  SingleRankSums(Engine &E, const Declarations &Decls, const BodyFacts &Facts,
                 const CellNumbers &Numbers, const ProgramPoint &Point,
                 WriteLog &Log, Storage &Store,
                 const DivergentBranches &Branches)
      : E(E), Decls(Decls), Facts(Facts), Numbers(Numbers), Point(Point),
        Log(Log), Store(Store), Branches(Branches) {}

  /// Finds which blocks one rank alone runs, by what is known of the branches.
  void begin();
  bool isOnOneRank(AxisId A) const {
    return OnOneRank.count({Point.Block, A}) != 0;
  }
  /// What slots name at the branch at which the block that is run ends.
  void noteBranch();

  /// The pending sum among the operands of \p O to which one rank adds the
  /// others, if it is so.
  std::optional<std::size_t> addsOnceTo(const OpFact &O, AxisId A,
                                        llvm::ArrayRef<TypeSet> Sets);
  /// The op that is being run makes \p Sum, and what it adds to that on one
  /// rank.
  void noteAdded(SlotId Sum, AxisId A);
  /// What \p O copies is the sum still. Returns the axes on which it goes back
  /// to where it was read.
  AxisMask copiesAdded(const OpFact &O);
  /// Where \p Block merges \p A and \p B: the axes on which what was pending
  /// where ranks parted is so on both. Ranks that took the ways of \p On meet
  /// there.
  AxisMask mergeAdded(CellId A, CellId B, CellId Merge, std::uint32_t Block,
                      llvm::ArrayRef<const DivergentBranches::Branch *> On);
  /// Whether what was taken for a sum where ways meet turned out to be none.
  bool foundNoSum() const { return FoundNoSum; }

private:
  /// A slot, or the element of it at what another one holds.
  using Named = std::pair<SlotId, SlotId>;
  /// A value that these slots had where ranks parted, to which one rank may
  /// have added something since.
  struct Added {
    std::uint32_t Branch = 0;
    std::set<std::uint32_t> To;
    std::optional<Named> From; ///< where it was read, if a copy
  };
  std::optional<Named> nameOfElement(SlotId Slot) const;
  std::set<std::uint32_t> addedTo(CellId Id, AxisId A, std::uint32_t Branch);
  bool isKept(const std::array<std::uint32_t, 3> &What, bool Now);

  Engine &E;
  const Declarations &Decls;
  const BodyFacts &Facts;
  const CellNumbers &Numbers;
  const ProgramPoint &Point;
  WriteLog &Log;
  Storage &Store;
  const DivergentBranches &Branches;
  /// By block and axis: the branch that lets one rank alone run it.
  std::map<std::pair<std::uint32_t, AxisId>, std::uint32_t> OnOneRank;
  /// What slots name somewhere, and which slots name a storage.
  struct Names {
    explicit Names(State Then) : Then(std::move(Then)) {}

    State Then;
    llvm::DenseMap<CellId, llvm::SmallVector<std::uint32_t, 1>> Of;
    bool IsListed = false; ///< there is Of
  };
  /// By branch of OnOneRank: the names there.
  std::map<std::uint32_t, Names> NamedAt;
  std::map<std::pair<CellId, AxisId>, Added> AddedOnce;
  /// Blocks, what they merge, and axes: where ranks that parted bring the same
  /// sum, as far as was seen; where they do not; whether that came to light.
  std::set<std::array<std::uint32_t, 3>> Sums, NoSum;
  bool FoundNoSum = false;
};

/// Whether \p Out, what \p O makes of \p Cells, tells ranks apart.
void countRanks(const OpFact &O, llvm::ArrayRef<const AbstractValue *> Cells,
                AbstractValue &Out);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_SINGLERANKSUMS_H
