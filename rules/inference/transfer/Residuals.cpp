//===- Residuals.cpp - What a compressed sum has left out -----------------===//
//
// A rank that sends round a part of its term, as a product of low rank, keeps
// what the others have not got of it: its term without what was made of that.
//
//===----------------------------------------------------------------------===//

#include "OpTransfer.h"

#include "spmd/ir/Walk.h"

#include <set>

namespace spmd::rules::inference {

namespace {

/// Goes back from a value to what it was made of, in any order of facts.
class MadeOf {
public:
  MadeOf(const Function &F, SlotId Term) : F(F), Term(Term) {}

  /// Whether the term is in \p From, and something was sent on the way.
  bool isSentIn(SlotId From) {
    add(From, false);
    while (!Work.empty()) {
      const auto [S, Sent] = Work.pop_back_val();
      for (const Fact &X : factsOf<Fact>(F))
        if (step(X, S, Sent))
          return true;
    }
    return false;
  }

private:
  void add(SlotId S, bool Sent) {
    if (S != SlotId::None && Seen.insert({S, Sent}).second)
      Work.emplace_back(S, Sent);
  }
  bool step(const Fact &X, SlotId S, bool Sent) {
    bool Names = false, Makes = false;
    forEachSlot(X, [&](SlotId Here, SlotAccess How) {
      Names |= Here == S;
      Makes |= Here == S && (How.Defines || How.Writes);
    });
    // A callee may send what it is given.
    const bool Sends = Names && (std::holds_alternative<TransferFact>(X) ||
                                 std::holds_alternative<CallFact>(X));
    if (Sends)
      add(S, true);
    bool Found = false;
    if (Makes)
      forEachSlot(X, [&](SlotId Here, SlotAccess How) {
        if (!How.Reads)
          return;
        Found |= Here == Term && (Sent || Sends);
        add(Here, Sent || Sends);
      });
    return Found;
  }

  const Function &F;
  const SlotId Term;
  std::set<std::pair<SlotId, bool>> Seen;
  llvm::SmallVector<std::pair<SlotId, bool>, 16> Work;
};

} // namespace

bool OpTransfer::isResidual(const OpFact &O,
                            llvm::ArrayRef<TypeSet> Sets) const {
  if (!O.Rule->is(OpRole::Subtracts) || Sets.size() < 2 ||
      Sets[0] != TypeSet(LocalType::P) || !Sets[1].contains(LocalType::R) ||
      Sets[1].contains(LocalType::P))
    return false;
  const SlotId Term = O.Operands[0].Slot, Taken = O.Operands[1].Slot;
  const Slot &S = F.slot(Taken);
  return (S.Kind == SlotKind::Temporary || S.Kind == SlotKind::Local) &&
         !S.Declared && MadeOf(F, Term).isSentIn(Taken);
}

} // namespace spmd::rules::inference
