//===- MadeWhole.cpp - Buffers that ranks are to make the same ------------===//

#include "MadeWhole.h"

#include "spmd/ir/Members.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

static bool leavesReplicas(const TransferFact &T) {
  return T.K == TransferKind::Broadcast || T.K == TransferKind::AllReduce ||
         T.K == TransferKind::AllGather;
}

/// Whether \p Callee, or what it calls, leaves something so.
static bool leadsToReplicas(const Engine &E, const Function &Callee) {
  return llvm::any_of(E.calledFrom(Callee), [](const Function *X) {
    return llvm::any_of(factsOf<TransferFact>(*X), leavesReplicas);
  });
}

namespace {

class Behind {
public:
  Behind(Body &In, CellId Id) : In(In), Wholes(In.Store.wholesOf(Id)) {}

  bool find() const {
    const std::vector<Fact> &Here = *In.Point.Facts;
    const auto First = static_cast<std::size_t>(In.Point.Running - Here.data());
    if (makeWhole(llvm::ArrayRef(Here).drop_front(First + 1)))
      return true;
    llvm::BitVector Seen(In.F.Blocks.size());
    llvm::SmallVector<std::uint32_t, 8> Work{In.Point.Block};
    while (!Work.empty())
      for (const BlockId To : In.F.Blocks[Work.pop_back_val()].Successors) {
        if (Seen.test(index(To)))
          continue;
        Seen.set(index(To));
        if (makeWhole(In.F.Blocks[index(To)].Facts))
          return true;
        Work.push_back(index(To));
      }
    return false;
  }

private:
  bool makeWhole(llvm::ArrayRef<Fact> Facts) const {
    return llvm::any_of(Facts, [&](const Fact &X) {
      if (const auto *T = std::get_if<TransferFact>(&X))
        return leavesReplicas(*T) && isIt(T->Out.Slot);
      const auto *Call = std::get_if<CallFact>(&X);
      return Call && hasIt(*Call) && leadsToOne(*Call);
    });
  }
  /// What \p Slot is another name for, a place in, or a list of; what names it
  /// may come later than what is looked at.
  SlotId madeOf(SlotId Slot) const {
    if (In.F.slot(Slot).Kind == SlotKind::Temporary)
      for (const ViewFact &V : factsOf<ViewFact>(In.F))
        if (V.Dst == Slot)
          return V.Src.Slot;
    SlotId Only = SlotId::None;
    for (const BindFact &B : factsOf<BindFact>(In.F))
      if (B.Dst == Slot) {
        if (Only != SlotId::None && Only != B.Src.Slot)
          return SlotId::None; // of several, no one knows which
        Only = B.Src.Slot;
      }
    return Only;
  }
  bool isIt(SlotId Slot) const {
    for (unsigned Depth = 0; Slot != SlotId::None && Depth != 8; ++Depth) {
      const SlotId All = In.Facts.InLists.of(Slot).Slot;
      if (Wholes.contains(In.Store.cellOf(Slot)) ||
          (All != SlotId::None && Wholes.contains(In.Store.cellOf(All))))
        return true;
      Slot = madeOf(Slot);
    }
    return false;
  }
  /// Whether \p Call gets the storage, or an object that has it.
  bool hasIt(const CallFact &Call) const {
    const auto Has = [&](SlotId Object) {
      if (Object == SlotId::None)
        return false;
      if (isIt(Object))
        return true;
      for (std::uint32_t I = 0; I != In.F.Slots.size(); ++I)
        if (In.F.Slots[I].Kind == SlotKind::Field &&
            Wholes.contains(In.Point.Now->cellOf(I)) &&
            isWithin(In.F, SlotId(I), Object))
          return true;
      return false;
    };
    return Has(Call.Receiver.Slot) ||
           llvm::any_of(Call.Arguments,
                        [&](const Operand &X) { return Has(X.Slot); });
  }
  bool leadsToOne(const CallFact &Call) const {
    const Function *Callee = In.E.find(Call.Callee);
    return Callee && leadsToReplicas(In.E, *Callee);
  }

  Body &In;
  const llvm::SmallSetVector<CellId, 4> Wholes;
};

} // namespace

void forgetMadeWholeByOtherName(Body &In, const Function &Callee,
                                const CallFact &Call) {
  const std::size_t Most =
      std::min<std::size_t>(Callee.NumParameters, Call.Arguments.size());
  const auto IsKept = [&](std::size_t I) {
    return llvm::any_of(factsOf<BindFact>(Callee), [&](const BindFact &B) {
      return B.Src.Slot == SlotId(I) &&
             Callee.slot(B.Dst).Kind == SlotKind::Field &&
             rootOf(Callee, B.Dst) == Callee.ThisSlot;
    });
  };
  const auto Differs = [&](SlotId Field) {
    const AbstractValue &Is = In.Store.read(Field);
    return !Is.Undefined && llvm::any_of(Is.Axes, [](const AxisState &A) {
      return A.isSurely(LocalType::V);
    });
  };
  for (std::size_t I = 0; I != Most; ++I) {
    const SlotId Object = Call.Arguments[I].Slot;
    if (Object == SlotId::None)
      continue;
    // Of most arguments nothing differs.
    const llvm::ArrayRef<SlotId> Fields = In.Facts.Objects.fieldsOf(Object);
    if (llvm::none_of(Fields, Differs) || !IsKept(I) ||
        !leadsToReplicas(In.E, Callee))
      continue;
    for (const SlotId Field : Fields)
      if (Differs(Field))
        In.Store.forget(Field);
  }
}

bool isMadeWholeLater(Body &In, CellId Id) { return Behind(In, Id).find(); }

} // namespace spmd::rules::inference
