//===- SumsBehind.cpp - What is added up again later ----------------------===//

#include "SumsBehind.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace spmd::rules;

namespace spmd::fixits {

bool addsUp(OperatorKind Op) {
  return Op == OperatorKind::AllReduce || Op == OperatorKind::ReduceScatter;
}

/// Whether \p T adds up what it is given, of any types.
static bool isBareSum(const TransferFact &T) {
  const std::optional<OperatorKind> Op = operatorOf(T);
  return !T.From && !T.FromType && Op && addsUp(*Op);
}

/// Whether what \p Call calls, or what that calls, makes such a sum.
static bool leadsToSum(const Module &M, const CallFact &Call,
                       llvm::SmallPtrSetImpl<const Function *> &Met) {
  const Function *Callee = M.find(Call.Callee);
  if (!Callee || !Met.insert(Callee).second)
    return false;
  return llvm::any_of(factsOf<TransferFact>(*Callee), isBareSum) ||
         llvm::any_of(factsOf<CallFact>(*Callee), [&](const CallFact &Inner) {
           return leadsToSum(M, Inner, Met);
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
    return Call && leadsToSum(M, *Call, Met);
  });
}

} // namespace spmd::fixits
