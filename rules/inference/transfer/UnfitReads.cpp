//===- UnfitReads.cpp - Values that no rank has all of --------------------===//

#include "UnfitReads.h"

#include "spmd/ir/Walk.h"
#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace spmd::rules::inference {

bool readsAtVaryingOffset(Body &In, const Operand &Value, AxisId A, PlaceId At,
                          llvm::StringRef Op) {
  const AbstractValue &C = In.Store.read(Value.Slot);
  if (C.Undefined || !(C.PartialAtVaryingOffset & 1u << A) ||
      C.Axes[A].Set != TypeSet(LocalType::P))
    return false;
  tell(In, ReadAtVaryingOffset{Value, A, At, Op});
  return true;
}

bool readsModifiedDivergently(Body &In, const Operand &Value, AxisId A,
                              bool Gradient, PlaceId At, llvm::StringRef Op) {
  const AbstractValue &C = In.Store.read(Value.Slot);
  const AxisState &Is = C.Axes[A];
  const bool Sure = Is.Set == TypeSet(LocalType::V) && Is.May.empty();
  if (C.Undefined || !(C.ModifiedDivergently & 1u << A) ||
      !(Sure || In.E.options().Strict) ||
      (Is.Before == DivergedFrom::Invariant && !Gradient))
    return false;
  tell(In, ReadModifiedDivergently{Value, A, At, Op});
  return true;
}

void readAsPromised(Body &In, const Operand &Value, AxisId A, PlaceId At,
                    llvm::StringRef Op) {
  const AbstractValue &C = In.Store.read(Value.Slot);
  const AxisState &Is = C.Axes[A];
  if (!C.Undefined && (C.PromisedAlike & 1u << A) && !C.Number &&
      Is.Before == DivergedFrom::Replicate && Is.isSurely(LocalType::V) &&
      !Is.Assumed)
    tell(In, ReadUnlikePromise{Value, A, At, Op});
}

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
        tell(In, ReadBeforeWritten{Value, A, O.At, O.Rule->Name});
  }
  return 0;
}

} // namespace spmd::rules::inference
