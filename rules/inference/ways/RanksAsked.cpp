//===- RanksAsked.cpp - Of which axis a branch asks the size --------------===//

#include "RanksAsked.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringMap.h"

namespace spmd::rules::inference {

namespace {

/// The communicators of whose sizes a number is made.
struct Sizes {
  llvm::SmallVector<SlotId, 2> Of;
  bool Known = true; ///< it is made of nothing else
};

/// The axes of the communicator \p Comm; empty where nobody knows.
llvm::StringSet<> axesOf(const Function &F, SlotId Comm) {
  llvm::StringSet<> Out;
  llvm::SmallSet<SlotId, 4> Seen;
  llvm::SmallVector<SlotId, 4> Work{Comm};
  while (!Work.empty()) {
    const SlotId S = Work.pop_back_val();
    if (S == SlotId::None || !Seen.insert(S).second)
      continue;
    for (const std::string &Name : F.slot(S).DeclaredAxes)
      Out.insert(Name);
    for (const DefineFact &X : factsOf<DefineFact>(F))
      if (X.Dst == S && X.K == DefineFact::Kind::Axes)
        for (const std::string &Name : X.AxisNames)
          Out.insert(Name);
    for (const BindFact &X : factsOf<BindFact>(F))
      if (X.Dst == S)
        Work.push_back(X.Src.Slot);
  }
  return Out;
}

Sizes sizesIn(const Function &F, SlotId Number) {
  Sizes Out;
  llvm::SmallSet<SlotId, 8> Seen;
  llvm::SmallVector<SlotId, 4> Work{Number};
  while (!Work.empty()) {
    const SlotId S = Work.pop_back_val();
    if (S == SlotId::None || !Seen.insert(S).second)
      continue;
    bool IsMade = false;
    for (const Fact &X : factsOf(F))
      if (const auto *Op = std::get_if<OpFact>(&X);
          Op && (Op->Dst == S || Op->WritesTo == S)) {
        IsMade = true;
        for (const Operand &O : Op->Operands)
          Work.push_back(O.Slot);
      } else if (const auto *B = std::get_if<BindFact>(&X); B && B->Dst == S) {
        IsMade = true;
        Work.push_back(B->Src.Slot);
      } else if (const auto *D = std::get_if<DefineFact>(&X);
                 D && D->Dst == S && D->K != DefineFact::Kind::Undefined) {
        IsMade = true;
        if (D->K == DefineFact::Kind::SizeOf)
          Out.Of.push_back(D->Axis);
      }
    Out.Known &= IsMade;
  }
  return Out;
}

/// Whether it is the axis of all ranks, which has one where each other has.
bool isOfAll(llvm::StringRef Axis) {
  return Axis.contains_insensitive("world") ||
         Axis.contains_insensitive("global") || Axis.equals_insensitive("all");
}

/// The axes of whose sizes alone the condition of \p B is made.
llvm::StringSet<> axesAsked(const Function &F, const Block &B) {
  const Sizes In = sizesIn(F, B.Condition.Slot);
  llvm::StringSet<> Out;
  for (const SlotId Comm : In.Of) {
    const llvm::StringSet<> Axes = axesOf(F, Comm);
    if (Axes.empty() || !In.Known)
      return {};
    for (const auto &Axis : Axes)
      if (isOfAll(Axis.getKey()))
        return {};
      else
        Out.insert(Axis.getKey());
  }
  return Out;
}

bool meet(const llvm::StringSet<> &A, const llvm::StringSet<> &B) {
  return llvm::any_of(
      A, [&](const auto &Name) { return B.contains(Name.getKey()); });
}

} // namespace

bool isOfRanks(const Function &F, SlotId Number) {
  return !sizesIn(F, Number).Of.empty();
}

llvm::StringSet<> otherAxesLeftOut(const Function &F, const ControlFlow &Flow,
                                   std::uint32_t Block, bool Is) {
  const llvm::StringSet<> Asked = axesAsked(F, F.Blocks[Block]);
  llvm::StringSet<> Out;
  if (Asked.empty())
    return Out;
  const auto Add = [&](llvm::ArrayRef<SlotId> Comms) {
    llvm::StringSet<> All;
    for (const SlotId Comm : Comms)
      for (const auto &Axis : axesOf(F, Comm))
        All.insert(Axis.getKey());
    if (!meet(All, Asked))
      for (const auto &Axis : All)
        Out.insert(Axis.getKey());
  };
  llvm::BitVector Other = Flow.onlyThrough(Block, Is ? 1 : 0);
  Other.reset(Flow.onlyThrough(Block, Is ? 0 : 1));
  for (const unsigned B : Other.set_bits()) {
    if (B >= F.Blocks.size())
      continue;
    for (const Fact &X : F.Blocks[B].Facts)
      if (const auto *T = std::get_if<TransferFact>(&X);
          T && communicates(T->K)) {
        Add({T->Axis.Slot});
      } else if (const auto *Call = std::get_if<CallFact>(&X)) {
        llvm::SmallVector<SlotId, 4> Given;
        for (const Operand &A : Call->Arguments)
          Given.push_back(A.Slot);
        Add(Given);
      }
  }
  return Out;
}

llvm::StringSet<> otherAxesLeftOut(const Function &F, const Choice &Chosen) {
  const ControlFlow Flow(F);
  llvm::StringSet<> Out;
  for (const auto &[Block, Is] : Chosen)
    if (!counts(*F.Blocks[Block].Test, Is))
      for (const auto &Axis : otherAxesLeftOut(F, Flow, Block, Is))
        Out.insert(Axis.getKey());
  return Out;
}

void markGivenRanks(Module &M) {
  const auto MayBe = [](const Block &B) {
    if (!B.Test || B.Test->K != BranchTest::Kind::Flag ||
        B.Test->Parameter == SlotId::None)
      return false;
    BranchTest Amount = *B.Test;
    Amount.K = BranchTest::Kind::Number;
    return !counts(Amount, true) || !counts(Amount, false);
  };
  llvm::StringMap<Function *> Asking;
  for (const auto &F : M.Functions)
    if (llvm::any_of(F->Blocks, MayBe))
      Asking[F->Symbol] = F.get();
  if (Asking.empty())
    return;
  for (const auto &G : M.Functions)
    for (const CallFact &Call : factsOf<CallFact>(*G)) {
      const auto Of = Asking.find(Call.Callee);
      if (Of == Asking.end())
        continue;
      for (Block &B : Of->second->Blocks)
        if (MayBe(B) && index(B.Test->Parameter) < Call.Arguments.size() &&
            isOfRanks(*G, Call.Arguments[index(B.Test->Parameter)].Slot))
          B.Test->K = BranchTest::Kind::Number;
    }
}

} // namespace spmd::rules::inference
