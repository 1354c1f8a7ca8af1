//===- UnwrittenReads.cpp - Values that nobody has written ----------------===//
//
// Memory that was allocated here, and what a function is declared to write,
// hold nothing before the first write. Programs that measure time read such
// memory on purpose, and nothing else in them has a type: so what is read is
// reported beside what has one.
//
//===----------------------------------------------------------------------===//

#include "UnfitReads.h"

#include "passes/MemoryUses.h"
#include "passes/PointedInto.h"
#include "passes/SumTerms.h"

#include "spmd/ir/Walk.h"
#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace spmd::rules::inference {

/// The parameter that \p Id is, or is a part of, if the function is declared to
/// write it; null if it is none.
static const Slot *outputOf(const Body &In, CellId Id) {
  const CellId Whole = In.Store.wholesOf(Id).back();
  const Slot *S = Whole < In.F.NumParameters ? &In.F.Slots[Whole] : nullptr;
  return S && S->Declared && S->Declared->isOutput() ? S : nullptr;
}

/// Whether nobody has written what \p Id holds, on any way that leads here.
static bool isUnwritten(const Body &In, CellId Id) {
  const AbstractValue *C = In.Point.Now->contents(Id);
  return C && C->Undefined && C->Blank && !C->Wrong &&
         (C->Fresh || outputOf(In, Id));
}

/// An axis on which \p C surely has a type that something gave it.
static std::optional<AxisId> axisOf(const AbstractValue &C) {
  for (AxisId A = 0; A != C.Axes.size(); ++A)
    if (const AxisState &Is = C.Axes[A]; !C.Undefined && !Is.Constant &&
                                         Is.From && Is.Set.isSingle() &&
                                         Is.May.empty())
      return A;
  return std::nullopt;
}

/// The axis to report a read of \p Id on: of its declaration, or of what else
/// the function is given; none where nothing has a type.
static std::optional<AxisId> axisBeside(Body &In, CellId Id) {
  if (const Slot *S = outputOf(In, Id)) {
    // That nobody writes it at all is said where the function ends.
    if (!mayWrite(In.F, SlotId(S - In.F.Slots.data())))
      return std::nullopt;
    const auto Said = In.Decls.requirements(*S->Declared->Exit, S->Mesh.get());
    for (AxisId A = 0; A != Said.size(); ++A)
      if (!Said[A].Set.isAll())
        return A;
    return std::nullopt;
  }
  for (unsigned I = 0; I != In.F.NumParameters; ++I) {
    const CellId Given = In.Start.cellOf(I);
    AbstractValue Initial;
    if (Given == Id || In.F.Slots[I].Integer)
      continue;
    if (const auto A = axisOf(In.Store.valueIn(In.Start, Given, Initial)))
      return A;
  }
  return std::nullopt;
}

/// Whether elements of \p Place are written where they are read, as sums are
/// that begin with zeros.
static bool isUpdated(const Function &F, SlotId Place) {
  return llvm::any_of(factsOf<OpFact>(F),
                      [Place](const OpFact &X) { return X.WritesTo == Place; });
}

/// Whether an option decides about the block that is run, as whether there is a
/// mask.
static bool isOptional(const Body &In) {
  return llvm::any_of(In.F.Blocks, [&](const Block &B) {
    return B.Test && B.Successors.size() == 2 &&
           (B.Test->K == BranchTest::Kind::Flag ||
            B.Test->K == BranchTest::Kind::Number) &&
           llvm::is_contained(B.Successors, BlockId(In.Point.Block));
  });
}

/// Whether the body updates something by so many times something else:
/// gradients that nobody has written are looked at there.
static bool isStep(const Body &In) {
  const Updates &InPlace = In.Facts.InPlace;
  return llvm::any_of(factsOf<OpFact>(In.F), [&](const OpFact &X) {
    return (X.Rule->is(OpRole::Subtracts) || X.Rule->is(OpRole::Adds)) &&
           X.Operands.size() == 2 && InPlace.ofFirstOperand(X) &&
           InPlace.isScaled(X.Operands[1].Slot);
  });
}

static void noteRead(Body &In, const Operand &Value, PlaceId At,
                     llvm::StringRef By) {
  const CellId Id = In.Store.cellOf(Value.Slot);
  if (const std::optional<AxisId> A = axisBeside(In, Id))
    tell(In, ReadUnwritten{{Value, *A, At, By}});
}

void noteUnwritten(Body &In, const OpFact &O) {
  if (!In.Listening || !O.Rule->Views.empty())
    return;
  const bool Copies = O.Rule->is(OpRole::Copies);
  for (std::size_t I = 0; I != O.Operands.size(); ++I) {
    const Operand &X = O.Operands[I];
    if (X.Slot == SlotId::None || !readsValue(O.Rule->Term, O.FormalOf[I]) ||
        !isUnwritten(In, In.Store.cellOf(X.Slot)))
      continue;
    // Products and copies of these are followed: readUnwritten.
    if (In.Store.read(X.Slot).Unwritten &&
        (Copies || O.Rule->is(OpRole::Multiplies)))
      continue;
    const bool InPlace =
        O.WritesTo != SlotId::None &&
        llvm::is_contained(In.Store.wholesOf(In.Store.cellOf(X.Slot)),
                           In.Store.cellOf(O.WritesTo));
    // A number that is read is an element of it. What is copied is read if that
    // is so many bytes: else it is the pointer.
    const bool IsRead = X.Scalar ? Copies && !isUpdated(In.F, X.Slot)
                                 : !Copies || !O.Arguments.empty();
    if (IsRead && !InPlace && !(X.Scalar && (isOptional(In) || isStep(In))))
      noteRead(In, X, O.At, O.Rule->Name);
  }
}

void noteUnwritten(Body &In, const TransferFact &T) {
  const CellId Id = In.Store.cellOf(T.Src.Slot);
  // The root sends what its caller has put there.
  const bool IsSentRound = T.K == TransferKind::Broadcast &&
                           T.Out.Slot != SlotId::None &&
                           In.Store.cellOf(T.Out.Slot) == Id;
  if (In.Listening && !IsSentRound && outputOf(In, Id) && isUnwritten(In, Id))
    noteRead(In, T.Src, T.At, transferName(T.K));
}

/// A loop that reads parts of what it is given, and then writes there, reads in
/// its first round what nobody has written.
void noteUnwritten(Body &In, const CallFact &Call) {
  const Function *Target = In.Listening ? In.E.find(Call.Callee) : nullptr;
  if (!Target || Call.Backward)
    return;
  const auto CellOf = [&](const Operand &X) {
    return X.Slot == SlotId::None ? NoCell : In.Store.cellOf(X.Slot);
  };
  const auto Find = [&](llvm::StringRef Symbol) { return In.E.find(Symbol); };
  MemoryUses Uses(Find);
  llvm::SmallDenseSet<CellId, 4> Seen;
  for (const Operand &X : Call.Arguments) {
    const CellId Id = CellOf(X);
    if (Id == NoCell || !isUnwritten(In, Id) || !Seen.insert(Id).second)
      continue;
    llvm::SmallVector<SlotId, 2> Given;
    for (std::size_t I = 0; I != Call.Arguments.size(); ++I)
      if (CellOf(Call.Arguments[I]) == Id && I < Target->NumParameters)
        Given.push_back(SlotId(I));
    const std::optional<MemoryUse> Use = Uses.of(*Target, Given);
    if (Use && Use->ReadsFirst && Use->ReadsAgain)
      noteRead(In, X, Call.At, Target->DisplayName);
  }
}

//===--- Outputs in products and copies -----------------------------------===//

/// \p From, and what \p F copies or binds to it, or takes it out of.
static llvm::SmallSetVector<SlotId, 4> copiedTo(const Function &F,
                                                SlotId From) {
  llvm::SmallSetVector<SlotId, 4> Out;
  Out.insert(From);
  for (std::size_t I = 0; I != Out.size(); ++I) {
    for (const BindFact &B : factsOf<BindFact>(F))
      if (B.Dst == Out[I] && B.Src.Slot != SlotId::None)
        Out.insert(B.Src.Slot);
    for (const ViewFact &V : factsOf<ViewFact>(F))
      if (V.Dst == Out[I])
        Out.insert(V.Src.Slot);
    for (const OpFact &X : factsOf<OpFact>(F))
      if (X.Dst == Out[I] && X.Rule->is(OpRole::Copies))
        Out.insert(X.Operands[0].Slot);
  }
  return Out;
}

/// What \p O makes, and what \p F makes of that.
static llvm::SmallSetVector<SlotId, 8> madeOf(const Function &F,
                                              const OpFact &O) {
  llvm::SmallSetVector<SlotId, 8> Out;
  const auto Add = [&](SlotId S) { return S != SlotId::None && Out.insert(S); };
  Add(O.Dst);
  Add(O.WritesTo);
  const auto IsOfIt = [&](const Operand &X) { return Out.contains(X.Slot); };
  for (bool Changed = true; std::exchange(Changed, false);) {
    for (const OpFact &X : factsOf<OpFact>(F))
      if (llvm::any_of(X.Operands, IsOfIt)) {
        Changed |= Add(X.Dst);
        Changed |= Add(X.WritesTo);
      }
    for (const BindFact &B : factsOf<BindFact>(F))
      if (IsOfIt(B.Src))
        Changed |= Add(B.Dst);
    // What is stored in an element is in the buffer.
    for (const ViewFact &V : factsOf<ViewFact>(F))
      if (Out.contains(V.Dst))
        Changed |= Add(V.Src.Slot);
  }
  return Out;
}

/// Whether what \p O makes of \p Value comes into the storage that this is read
/// from, as where elements are scaled in place.
static bool comesBack(Body &In, const OpFact &O, SlotId Value) {
  llvm::SmallSetVector<CellId, 8> From;
  for (const SlotId S : copiedTo(In.F, Value))
    From.insert_range(In.Store.wholesOf(In.Store.cellOf(S)));
  return llvm::any_of(madeOf(In.F, O), [&](SlotId S) {
    return llvm::any_of(In.Store.wholesOf(In.Store.cellOf(S)),
                        [&](CellId Id) { return From.contains(Id); });
  });
}

AxisMask readUnwritten(Body &In, const OpFact &O) {
  const bool Multiplies =
      O.Rule->is(OpRole::Multiplies) && O.Operands.size() > 1;
  const bool Copies = O.Rule->is(OpRole::Copies) && O.WritesTo != SlotId::None;
  // A number of the function's keeps what is read where that is.
  if (Copies && In.F.slot(O.WritesTo).Kind == SlotKind::Local &&
      !In.F.slot(O.WritesTo).IsTensor &&
      In.Store.cellOf(O.WritesTo) == index(O.WritesTo))
    return 0;
  if (O.Rule->is(OpRole::Copies) && !Copies)
    return O.Operands[0].Scalar ? In.Store.read(O.Operands[0].Slot).Unwritten
                                : 0;
  for (const auto &[I, Value] : llvm::enumerate(O.Operands)) {
    const AbstractValue &C = In.Store.read(Value.Slot);
    if (!C.Unwritten || !(Multiplies || Copies) ||
        !readsValue(O.Rule->Term, O.FormalOf[I]) ||
        comesBack(In, O, Value.Slot))
      continue;
    for (AxisId A = 0; A != C.Axes.size(); ++A)
      if (C.Unwritten & 1u << A)
        tell(In, ReadBeforeWritten{{Value, A, O.At, O.Rule->Name}});
  }
  return 0;
}

} // namespace spmd::rules::inference
