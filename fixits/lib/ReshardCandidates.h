//===- ReshardCandidates.h - Repairs of global code, ranked -----*- C++ -*-===//
//
// Of two repairs the one is better that is sure to shard evenly, then the one
// that takes less time, then by the priorities of the seed: what is declared
// stays as it is before what is inferred, more parallelism before less, a
// common prefix before none. Its first, explicit replication, is what the code
// behind the repair declares: RepairTrials sees whether it holds.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_FIXITS_LIB_RESHARDCANDIDATES_H
#define SPMD_FIXITS_LIB_RESHARDCANDIDATES_H

#include "Placement.h"

#include <tuple>

namespace spmd::fixits {

/// A repair with what decides its place among others.
struct Candidate {
  Repair R;
  /// 1 when the shards may be uneven, 2 more when the result is not whole.
  int Class = 0;
  unsigned Changes = 0; ///< axes that are not where they were
  bool Declared = false;
  std::int64_t Ranks = 1; ///< that share the dims afterwards
  unsigned Prefix = 0;    ///< axes that the dims keep
  bool Invariant = false;
  double More = 0; ///< seconds of what is made with it
  unsigned Found = 0;

  auto rank() const {
    return std::tuple(Class, R.Planned->Seconds + More, Changes, Declared,
                      -Ranks, -static_cast<int>(Prefix), R.Operand, Invariant,
                      R.FromType != nullptr, Found);
  }
};

class Candidates {
public:
  Candidates(const rules::Violation &V, const rules::OperandLayouts &S,
             const AxisLinks &Links);

  /// By operand of the violation; nothing where nobody knows the shards.
  llvm::ArrayRef<std::optional<Placement>> values() const { return Values; }
  /// How many axes are not where they were; a change of order counts once.
  unsigned changes(const Placement &From, const Placement &To) const;

  /// What takes a value from \p From to \p To: one operator per axis where
  /// there are few; and all at once where that takes less.
  void add(Candidate C, const Placement &From, const Placement &To);
  /// With steps and price of its own.
  void add(Candidate C) { All.push_back(std::move(C)); }
  void addAll(Candidates &&More);
  /// One that makes all of \p Parts, of several operands, at once.
  void addTogether(llvm::ArrayRef<Candidate> Parts);
  /// The first of take(); or of those that are operators on one axis each.
  std::optional<Candidate> best(bool StepByStep);

  bool empty() const { return All.empty(); }
  std::size_t count() const { return All.size(); }
  /// Best first.
  std::vector<Repair> take();

private:
  void sort();
  /// Whether shards that were not there are known to be even, or are those of
  /// another operand.
  bool evenly(const Placement &From, const Placement &To) const;

  const rules::Violation &V;
  const rules::OperandLayouts &S;
  Pricing Prices;
  std::vector<std::optional<Placement>> Values;
  std::vector<Candidate> All;
};

} // namespace spmd::fixits

#endif // SPMD_FIXITS_LIB_RESHARDCANDIDATES_H
