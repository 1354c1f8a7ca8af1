//===- Redundant.h - Operators in a row that one could replace --*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_REDUNDANTTRANSFERS_H
#define SPMD_INFERENCE_PASSES_REDUNDANTTRANSFERS_H

#include "domain/State.h"

#include "spmd/types/Traffic.h"

namespace spmd::rules::inference {

/// A transfer on one axis in which nothing was found wrong.
struct SoundTransfer {
  AxisId Axis = 0;
  AxisState Was; ///< of its operand
};
using SoundMap = llvm::DenseMap<const TransferFact *, SoundTransfer>;

/// Transfers of which each but the first reads the result of an earlier one,
/// which nothing else reads.
struct Redundancy {
  llvm::SmallVector<const TransferFact *, 4> Transfers;
  const Transition *Instead = nullptr; ///< null: nothing is needed
};

/// Looks for such transfers in one function.
class RedundantTransfers {
public:
  RedundantTransfers(const Function &F, const SoundMap &Sound);

  /// In the order of the facts; no transfer is in two.
  std::vector<Redundancy> find() const;

private:
  using Group = llvm::SmallVector<const TransferFact *, 2>;
  static constexpr unsigned MaxLength = 4;

  bool isPlainLocal(SlotId Id) const;
  std::optional<Group> usersOf(const TransferFact &T,
                               std::uint32_t Block) const;
  Group next(const Group &From, std::uint32_t Block) const;
  bool isOneAxis(SlotId A, SlotId B) const;
  bool isWritten(llvm::ArrayRef<SlotId> Slots) const;
  std::optional<Redundancy> startingAt(const TransferFact &T,
                                       std::uint32_t Block) const;

  const Function &F;
  const SoundMap &Sound;
  /// By slot: the facts that mention it, with their block.
  std::vector<llvm::SmallVector<std::pair<std::uint32_t, const Fact *>, 2>>
      MentionedBy;
  llvm::DenseSet<std::uint32_t> HasFields;
  bool CallsOut = false;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_REDUNDANTTRANSFERS_H
