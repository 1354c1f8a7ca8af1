//===- DivergentBranches.h - Branches that ranks take differently -*- C++ -*-=//

#ifndef SPMD_INFERENCE_BODY_DIVERGENTBRANCHES_H
#define SPMD_INFERENCE_BODY_DIVERGENTBRANCHES_H

#include "Declarations.h"
#include "WriteLog.h"
#include "domain/Cells.h"

#include "spmd/ir/ControlFlow.h"

#include <array>

namespace spmd::rules::inference {

class DivergentBranches {
public:
  /// The axes on which the condition of a branch differs between ranks, or,
  /// under Strict, may do so.
  struct Branch {
    AxisMask Differs = 0, MayDiffer = 0;
    /// Those on which one rank alone goes on to the first, or second, way.
    std::array<AxisMask, 2> OnOne = {0, 0};
    /// Those on which data of each rank's own decide.
    AxisMask OfOwn = 0;
    PlaceId At = PlaceId::None;
    DivergentRegion Region;
  };
  /// What the ranks that took the ways of a branch do not have alike.
  struct Left {
    const Branch *Of;
    WriteLog::Effects By;
  };
  using Join = llvm::function_ref<AbstractValue(const AbstractValue &,
                                                const AbstractValue &)>;

  DivergentBranches(Engine &E, const Function &F, const Declarations &Decls,
                    const CellNumbers &Numbers, const WriteLog &Log)
      : E(E), F(F), Decls(Decls), Numbers(Numbers), Log(Log) {}

  //===--- What is known of them ------------------------------------------===//
  bool empty() const { return Branches.empty(); }
  /// The axes of which some ranks alone run \p Block.
  AxisMask splitAt(std::uint32_t Block) const;
  const std::map<std::uint32_t, Branch> &byBlock() const { return Branches; }
  const ControlFlow &flow() const { return *Flow; }
  /// \p Block ends with a branch whose condition is \p C.
  void noteCondition(std::uint32_t Block, const AbstractValue &C);
  /// Whether other branches than were known are taken differently, or change
  /// more, once all conditions were seen.
  bool update();

  //===--- Ways that meet -------------------------------------------------===//
  /// Whether other ranks may iterate on when \p From goes on to \p To.
  bool leavesIterations(std::uint32_t From, std::uint32_t To) const;
  /// What \p S is where \p From goes on to \p To, if that is out of a loop in
  /// which other ranks may iterate on.
  std::optional<State> behind(const State &S, std::uint32_t From,
                              std::uint32_t To) const;
  llvm::SmallVector<Left, 1> leftAt(std::uint32_t Block) const;
  /// What \p C is when it is chosen by the condition of \p On. A sum to which
  /// one rank may have added something is one still, on the axes \p Kept.
  AbstractValue diverge(AbstractValue C, const Branch &On,
                        AxisMask Kept = 0) const;
  const TransferFact *collectiveOf(const AxisState &Is,
                                   llvm::ArrayRef<const Branch *> On) const;
  bool isOneCollective(const AxisState &A, const AxisState &B,
                       llvm::ArrayRef<const Branch *> On) const;
  AxisState madeByFew(const Branch &On) const;
  /// Where ranks that took two ways meet: what is not known of one way is not
  /// known then, what is not written on one differs.
  AbstractValue joinDiverged(const AbstractValue &A, const AbstractValue &B,
                             llvm::ArrayRef<const Branch *> On, AxisMask Kept,
                             Join JoinValues) const;

private:
  void indexBranches();
  bool isMadeIn(const BlockSet &Blocks, const State &S, CellId Id) const;

  Engine &E;
  const Function &F;
  const Declarations &Decls;
  const CellNumbers &Numbers;
  const WriteLog &Log;
  std::map<std::uint32_t, Branch> Branches; ///< by block
  /// By block: those whose ways meet there; those that ranks iterate to.
  std::map<std::uint32_t, llvm::SmallVector<const Branch *, 2>> MeetingAt;
  llvm::SmallVector<const Branch *, 4> Iterating;
  /// As last seen: the axes on which a condition differs, or may, and those on
  /// which it is true, or false, on one rank alone, or each rank's data decide.
  struct Condition {
    AxisMask Differs = 0, MayDiffer = 0, TrueOnOne = 0, FalseOnOne = 0,
             OfOwn = 0;
  };
  std::map<std::uint32_t, Condition> Conditions; ///< by block
  /// Those of which something was said that is not sure any more.
  std::map<std::uint32_t, Condition> Doubted;
  std::size_t EffectsSeen = 0;
  std::optional<ControlFlow> Flow;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_DIVERGENTBRANCHES_H
