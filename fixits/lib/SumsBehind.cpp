//===- SumsBehind.cpp - What is added up again later ----------------------===//

#include "SumsBehind.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace spmd::rules;

namespace spmd::fixits {

/// Whether \p T adds up what it is given, of any types.
static bool isBareSum(const TransferFact &T) {
  const std::optional<OperatorKind> Op = operatorOf(T);
  return !T.From && !T.FromType && Op &&
         (*Op == OperatorKind::AllReduce || *Op == OperatorKind::ReduceScatter);
}

/// Whether \p F, or what it calls, makes such a sum.
static bool addsUp(const Module &M, const Function &F,
                   llvm::SmallPtrSetImpl<const Function *> &Met) {
  if (!Met.insert(&F).second)
    return false;
  return llvm::any_of(factsOf<TransferFact>(F), isBareSum) ||
         llvm::any_of(factsOf<CallFact>(F), [&](const CallFact &Call) {
           const auto Callee = llvm::find_if(M.Functions, [&](const auto &G) {
             return G->Symbol == Call.Callee;
           });
           return Callee != M.Functions.end() && addsUp(M, **Callee, Met);
         });
}

namespace {

/// The slots of a function that hold something made of what one fact makes.
class MadeOf {
public:
  MadeOf(const Function &F, const Fact &Cause) : F(F), Made(F.Slots.size()) {
    add(Cause);
    while (Changed) {
      Changed = false;
      for (const Fact &X : factsOf<Fact>(F))
        if (reads(X))
          add(X);
        else if (const auto *Part = std::get_if<ViewFact>(&X);
                 Part && Made.test(index(Part->Dst)))
          set(Part->Src.Slot); // what is written to a part
    }
  }

  bool reads(const Fact &X) const {
    bool Out = false;
    forEachSlot(X, [&](SlotId S, SlotAccess A) {
      for (; A.Reads && S != SlotId::None; S = F.slot(S).Base)
        Out |= Made.test(index(S));
    });
    return Out;
  }

private:
  void add(const Fact &X) {
    forEachSlot(X, [&](SlotId S, SlotAccess A) {
      if (A.Defines || A.Writes)
        set(S);
    });
  }
  void set(SlotId S) {
    Changed |= !Made.test(index(S));
    Made.set(index(S));
  }

  const Function &F;
  llvm::BitVector Made;
  bool Changed = false;
};

} // namespace

bool isAddedUpBehind(const Module &M, const Violation &V) {
  if (!V.In || !V.Cause)
    return false;
  const MadeOf Behind(*V.In, *V.Cause);
  return llvm::any_of(factsOf<Fact>(*V.In), [&](const Fact &X) {
    if (&X == V.Cause || !Behind.reads(X))
      return false;
    if (const auto *T = std::get_if<TransferFact>(&X))
      return isBareSum(*T);
    const auto *Call = std::get_if<CallFact>(&X);
    llvm::SmallPtrSet<const Function *, 8> Met;
    return Call && llvm::any_of(M.Functions, [&](const auto &Callee) {
             return Callee->Symbol == Call->Callee && addsUp(M, *Callee, Met);
           });
  });
}

} // namespace spmd::fixits
