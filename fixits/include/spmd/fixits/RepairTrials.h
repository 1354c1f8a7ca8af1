//===- RepairTrials.h - Repairs tried on the IR -----------------*- C++ -*-===//
//
// The violation alone does not say what the code behind it needs: a sum may be
// wanted as R or as I, at the same price. So each candidate is made in the IR
// and the module is inferred again.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_FIXITS_REPAIRTRIALS_H
#define SPMD_FIXITS_REPAIRTRIALS_H

#include "spmd/fixits/Repair.h"

#include <set>
#include <tuple>

namespace spmd::fixits {

class PendingProducts;

class RepairTrials {
public:
  /// \p Found are the violations of \p M under \p Options. Functions of \p M
  /// are changed during a trial and restored after it.
  RepairTrials(rules::Module &M, const rules::InferenceOptions &Options,
               llvm::ArrayRef<rules::Violation> Found, AxisLinks Links = {});

  ~RepairTrials();

  /// Those of planRepairs() after which the finding is gone and as little else
  /// is wrong as can be, where of the repairs of one operand at one price the
  /// one is preferred after which the fewest findings are left; of those of
  /// shards, after which also nothing is new. A shortcut after which something
  /// is wrong that was not is none: the plan is then empty. What is wrong with
  /// the types of one call is repaired in the body only if that has no other
  /// calls.
  std::vector<Repair> plan(const rules::Violation &V);

private:
  using Key = std::tuple<const rules::Function *, rules::PlaceId,
                         rules::ViolationKind, std::string>;
  static Key keyOf(const rules::Violation &V);
  struct Outcome {
    bool Stays = true;              ///< what was to be repaired, or unseen
    unsigned New = ~0u, Left = ~0u; ///< findings
    unsigned Elsewhere = ~0u;       ///< new ones that are not of the same thing

    auto operator<=>(const Outcome &) const = default;
  };
  /// Nothing when the repair cannot be made in the IR.
  std::optional<Outcome> outcome(const rules::Violation &V, const Repair &R);
  /// With \p Changed in place of \p F.
  Outcome outcomeOf(rules::Function &F, rules::Function &Changed,
                    const rules::Violation &V, const Repair &R);
  std::vector<Repair> planAtCall(const rules::Violation &V,
                                 std::vector<Repair> InBody);
  bool shortcutIsRight(const rules::Violation &V);
  std::vector<Repair> planTypes(const rules::Violation &V);
  bool mayBeAtVariable(const rules::Violation &V, Repair R,
                       const Outcome &AtUse);
  static void preferLeast(std::vector<Repair> &Repairs,
                          llvm::ArrayRef<std::optional<Outcome>> Outcomes);
  std::vector<Repair> planShards(const rules::Violation &V);

  rules::Module &M;
  rules::InferenceOptions Options;
  AxisLinks Links;
  std::unique_ptr<PendingProducts> Products;
  std::set<Key> Known;
  /// A trial costs one inference; a file full of findings needs no more.
  unsigned TrialsLeft = 256;
  /// Of one function mostly.
  unsigned ShardTrialsLeft = 1024;
};

} // namespace spmd::fixits

#endif // SPMD_FIXITS_REPAIRTRIALS_H
