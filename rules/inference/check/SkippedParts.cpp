//===- SkippedParts.cpp - Parts that some iterations do not write ---------===//

#include "SkippedParts.h"

#include "Exits.h"

#include "passes/Loops.h"
#include "passes/PointedInto.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace spmd::rules::inference {

namespace {

class PartFinder {
public:
  PartFinder(Body &In)
      : In(In), F(In.F), Cycles(F, [](std::uint32_t) { return true; }) {}

  void inOutput(SlotId Output);

private:
  struct Write {
    std::uint32_t Block;
    SlotId Into;
    PlaceId At;
  };
  /// `c < n`.
  struct Counter {
    SlotId Of, Bound;
  };

  bool findWrites(SlotId Output);
  SlotId copied(SlotId S) const;
  std::optional<Counter> counterOf(std::uint32_t Head) const;
  bool follows(SlotId Number, SlotId From, unsigned Depth = 0) const;
  bool moves(SlotId Place, SlotId With, unsigned Depth = 0) const;
  bool choosesSome(const BranchTest &T, Counter By) const;
  bool comesTo(std::uint32_t Head, std::uint32_t From,
               llvm::function_ref<bool(std::uint32_t)> Is) const;
  bool mayWrite(std::uint32_t Head, std::uint32_t From) const {
    return comesTo(Head, From, [this](std::uint32_t B) {
      return llvm::any_of(Writes, [B](const Write &W) { return W.Block == B; });
    });
  }
  void report(SlotId Output, const Write &Skipped, std::uint32_t Branch) const;

  Body &In;
  const Function &F;
  const Loops Cycles;
  std::vector<Write> Writes;
};

} // namespace

SlotId PartFinder::copied(SlotId S) const {
  for (const OpFact &O : factsOf<OpFact>(F))
    if (O.Dst == S && O.WritesTo == SlotId::None && O.Operands.size() == 1 &&
        O.Rule->is(OpRole::Copies))
      return O.Operands[0].Slot;
  return S;
}

/// False where something else may write \p Output.
bool PartFinder::findWrites(SlotId Output) {
  Writes.clear();
  const auto Is = [&](SlotId S) {
    return S != SlotId::None && pointedInto(F, S) == Output;
  };
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
    for (const Fact &X : F.Blocks[B].Facts) {
      if (const auto *T = std::get_if<TransferFact>(&X)) {
        if (Is(T->Out.Slot))
          Writes.push_back({B, T->Out.Slot, T->At});
      } else if (const auto *O = std::get_if<OpFact>(&X)) {
        if (Is(O->WritesTo))
          Writes.push_back({B, O->WritesTo, O->At});
      } else if (const auto *Call = std::get_if<CallFact>(&X)) {
        if (Is(Call->Receiver.Slot) ||
            llvm::any_of(Call->Arguments,
                         [&](const Operand &A) { return Is(A.Slot); }))
          return false;
      } else if (const auto *H = std::get_if<HavocFact>(&X)) {
        if (Is(H->Slot))
          return false;
      }
    }
  return !Writes.empty();
}

/// What counts the iterations of the loop that begins at \p Head.
std::optional<PartFinder::Counter>
PartFinder::counterOf(std::uint32_t Head) const {
  const SlotId If = F.Blocks[Head].Condition.Slot;
  for (const Fact &X : F.Blocks[Head].Facts)
    if (const auto *O = std::get_if<OpFact>(&X);
        O && O->Dst == If && O->Operands.size() == 2)
      return Counter{copied(O->Operands[0].Slot), copied(O->Operands[1].Slot)};
  return std::nullopt;
}

/// Whether \p Number is computed of \p From.
bool PartFinder::follows(SlotId Number, SlotId From, unsigned Depth) const {
  constexpr unsigned Deepest = 8;
  if (Number == From || Depth == Deepest)
    return Number == From;
  for (const OpFact &O : factsOf<OpFact>(F))
    if (O.Dst == Number && O.WritesTo == SlotId::None)
      return llvm::any_of(O.Operands, [&](const Operand &X) {
        return follows(X.Slot, From, Depth + 1);
      });
  for (const BindFact &B : factsOf<BindFact>(F))
    if (B.Dst == Number)
      return follows(B.Src.Slot, From, Depth + 1);
  return false;
}

/// Whether \p Place is another one for each value of \p With.
bool PartFinder::moves(SlotId Place, SlotId With, unsigned Depth) const {
  constexpr unsigned Deepest = 16; // a pointer that moves on is made of itself
  if (Depth == Deepest)
    return false;
  for (const ViewFact &V : factsOf<ViewFact>(F))
    if (V.Dst == Place)
      return (V.Offset.Slot != SlotId::None && follows(V.Offset.Slot, With)) ||
             moves(V.Src.Slot, With, Depth + 1);
  for (const BindFact &B : factsOf<BindFact>(F))
    if (B.Dst == Place && F.slot(Place).Kind != SlotKind::Parameter)
      return moves(B.Src.Slot, With, Depth + 1);
  return false;
}

/// Whether \p T tells the first iteration, or the last one, from the others:
/// whether there are elements for one is another matter.
bool PartFinder::choosesSome(const BranchTest &T, Counter By) const {
  const std::string &Name = F.slot(By.Of).Name, &Bound = F.slot(By.Bound).Name;
  const llvm::StringRef Of = T.Of;
  if (Name.empty() || T.K != BranchTest::Kind::Iterations)
    return false;
  if (Of == Name)
    return true;
  return !Bound.empty() && Of.starts_with(Name + " ") &&
         Of.ends_with(" " + Bound + " - 1");
}

/// Whether one who goes on at \p From comes to a block that \p Is in the same
/// iteration of the loop at \p Head.
bool PartFinder::comesTo(std::uint32_t Head, std::uint32_t From,
                         llvm::function_ref<bool(std::uint32_t)> Is) const {
  llvm::SmallVector<std::uint32_t, 8> ToVisit{From};
  llvm::DenseSet<std::uint32_t> Seen;
  while (!ToVisit.empty()) {
    const std::uint32_t B = ToVisit.pop_back_val();
    if (B == Head || Cycles.leaves(Head, B) || !Seen.insert(B).second)
      continue;
    if (Is(B))
      return true;
    for (const BlockId To : F.Blocks[B].Successors)
      ToVisit.push_back(index(To));
  }
  return false;
}

void PartFinder::report(SlotId Output, const Write &Skipped,
                        std::uint32_t Branch) const {
  std::optional<Violation> V = unwrittenOutput(In, Output, Skipped.At);
  if (!V)
    return;
  V->Way.push_back(
      {{&F, F.Blocks[Branch].Condition.At},
       "in iterations that '" + F.Blocks[Branch].Test->Of + "' leaves out"});
  In.Report.report(std::move(*V));
}

void PartFinder::inOutput(SlotId Output) {
  if (!findWrites(Output))
    return;
  for (std::uint32_t Head = 0; Head != F.Blocks.size(); ++Head) {
    const auto IsHere = [&](const Write &W) {
      return !Cycles.leaves(Head, W.Block);
    };
    const auto By = Cycles.beginsAt(Head) ? counterOf(Head) : std::nullopt;
    if (!By || !llvm::all_of(Writes, IsHere) ||
        !llvm::all_of(Writes,
                      [&](const Write &W) { return moves(W.Into, By->Of); }))
      continue;
    for (std::uint32_t B = Head + 1; B != F.Blocks.size(); ++B) {
      const Block &Here = F.Blocks[B];
      if (Cycles.leaves(Head, B) || !Here.Test || Here.Successors.size() != 2 ||
          !choosesSome(*Here.Test, *By))
        continue;
      const std::uint32_t One = index(Here.Successors[0]),
                          Other = index(Here.Successors[1]);
      const bool Before = llvm::any_of(Writes, [&](const Write &W) {
        return comesTo(Head, W.Block, [B](std::uint32_t X) { return X == B; });
      });
      if (!Before && !Cycles.leaves(Head, One) && !Cycles.leaves(Head, Other) &&
          mayWrite(Head, One) != mayWrite(Head, Other))
        return report(Output, Writes.back(), B);
    }
  }
}

void checkSkippedParts(Body &In) {
  // Once, not once for each call.
  if (!In.Report.isOn() || !In.C.CellOf.empty())
    return;
  for (unsigned I = 0; I != In.F.NumParameters; ++I)
    if (const Slot &P = In.F.Slots[I]; P.Declared && P.Declared->isOutput())
      PartFinder(In).inOutput(SlotId(I));
}

} // namespace spmd::rules::inference
