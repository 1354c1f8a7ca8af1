//===- Dataflow.h - From facts to settled states ----------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_DATAFLOW_DATAFLOW_H
#define SPMD_INFERENCE_DATAFLOW_DATAFLOW_H

#include "body/MetInLoops.h"
#include "transfer/Transfers.h"

#include <queue>

namespace spmd::rules::inference {

/// Runs the blocks of a body until no state at their entries changes any more.
class Dataflow {
public:
  Dataflow(Body &In, Transfers &Facts) : In(In), Facts(Facts) {}

  /// The states of all blocks, from that at the entry on. What ranks that part
  /// leave different is known once all was seen, so that it is run again until
  /// nothing of that changes. False when a cap was hit.
  bool settle();
  /// Whether all that begins at the entry is off the way: see Summary.
  bool isOffWay() const { return LeftWay && !In.Entries.back().Reached; }
  /// Runs the facts of \p Block in \p S.
  void runBlock(std::uint32_t Block, State &S);

private:
  bool settleOnce();
  void begin();
  void queue(std::uint32_t Block);
  /// Runs the next block, and queues those to which it brings more. False when
  /// a cap was hit.
  bool step();
  void leaveLater();
  bool goOn(const State &S, std::uint32_t From, std::uint32_t To);
  bool goRound(const State &S, std::uint32_t From, std::uint32_t To);
  State after(std::uint32_t Block, const State &Before);
  llvm::ArrayRef<BlockId> successors(const Block &B);
  using OnVisitedFn = llvm::function_ref<void(CellId, const AbstractValue &Was,
                                              const AbstractValue &Is,
                                              const VisitedLists::List &)>;
  void forEachVisited(std::uint32_t Head, const State &Before,
                      const State &After, OnVisitedFn Take) const;
  State withNextElements(const State &S, std::uint32_t Head) const;
  std::optional<State> lastEntryOf(std::uint32_t Loop);
  std::optional<Limit> limitReached(unsigned VisitsOfBlock) const;

  Body &In;
  Transfers &Facts;
  Engine &E = In.E;
  const Function &F = In.F;
  const std::uint32_t NumBlocks = static_cast<std::uint32_t>(F.Blocks.size());
  MetInLoops Meetings{In};
  std::size_t FactsRun = 0;
  bool LeftWay = false; ///< somewhere
  const std::size_t ValuesBefore = E.arena().numValues();

  /// Lowering numbers blocks so that those that lead to one come before it
  /// wherever there is no loop; where ranks part that must be so.
  std::vector<std::uint32_t> Number;
  using Entry = std::pair<std::uint32_t, std::uint32_t>; ///< number, block
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> Work;
  std::vector<bool> Queued;
  std::vector<unsigned> Visits;
  /// Out of a loop that ranks leave one by one, once it has settled; by number.
  std::set<std::array<std::uint32_t, 3>> Later;
  /// What follows a loop sees it after an iteration, if one comes to an end.
  std::set<std::uint32_t> FirstIteration;
  /// By the block that begins a loop: what its iterations bring there. One that
  /// has none has nothing to do, so that what it leaves alone then is no
  /// excuse.
  std::map<std::uint32_t, State> Iterated;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DATAFLOW_DATAFLOW_H
