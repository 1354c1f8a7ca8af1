//===- PendingProducts.cpp - Where terms of a sum are made ----------------===//

#include "PendingProducts.h"

#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

void PendingProducts::inferTypes() {
  if (std::exchange(Inferred, true))
    return;
  inferModule(M, Options, [&](const TypedSlot &T) {
    for (const auto &[Axis, Type] : T.Types) {
      // A name may stand for several values.
      const auto [At, New] = Types[{T.In, T.Slot}].try_emplace(Axis, Type.Set);
      if (!New)
        At->second |= Type.Set;
    }
  });
}

bool PendingProducts::variesOn(const Function &F, SlotId Slot,
                               llvm::StringRef Axis) {
  if (const auto &Declared = F.slot(Slot).Declared)
    if (const AxisAtom *On = Declared->Entry.find(Axis))
      return On->Value.Type == LocalType::V;
  const auto Of = Types.find({&F, Slot});
  if (Of == Types.end())
    return false;
  const auto On = Of->second.find(Axis);
  return On != Of->second.end() && On->second == TypeSet(LocalType::V);
}

/// Whether \p O adds up products of tensors over a dim that they share, which
/// as far as types tell may be cut in shards in all of them.
bool PendingProducts::multipliesShards(const Function &F, const OpFact &O,
                                       llvm::StringRef Axis) {
  const auto &Shape = O.Rule->Shape;
  if (!Shape || (Shape->Notations.empty() && Shape->Term != ShapeTerm::Einsum))
    return false;
  const auto IsOfShards = [&](const RuleTerm &T) {
    unsigned Factors = 0;
    if (T.K != RuleTerm::Kind::Apply || T.Class != OpClass::Multilinear)
      return false;
    for (std::size_t I = 0; I != O.Operands.size(); ++I) {
      if (O.Operands[I].Scalar || !readsValue(T, O.FormalOf[I]))
        continue;
      ++Factors;
      if (!variesOn(F, O.Operands[I].Slot, Axis))
        return false;
    }
    return Factors > 1;
  };
  return IsOfShards(O.Rule->Term) ||
         llvm::any_of(O.Rule->Term.Children, IsOfShards);
}

PlaceId PendingProducts::behind(const Violation &V, const ViolationOperand &O) {
  if (!V.In || V.In->Mode.isGlobal(V.Axis) || O.From.In != V.In ||
      O.From.K != Origin::Kind::Op)
    return PlaceId::None;
  inferTypes();
  const Function &F = *V.In;
  const auto MadeAt = [&](PlaceId At) {
    const OpFact *Out = nullptr;
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts)
        if (const auto *Op = std::get_if<OpFact>(&X); Op && Op->At == At)
          Out = Op;
    return Out;
  };
  // What makes a slot; nothing where several facts do.
  const auto MakerOf = [&](SlotId Slot) {
    llvm::SmallVector<const Fact *, 2> Makers;
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts) {
        const auto *Op = std::get_if<OpFact>(&X);
        const auto *Bind = std::get_if<BindFact>(&X);
        if ((Op && (Op->Dst == Slot || Op->WritesTo == Slot)) ||
            (Bind && Bind->Dst == Slot))
          Makers.push_back(&X);
      }
    return Makers.size() == 1 ? Makers.front() : nullptr;
  };
  llvm::SmallVector<const OpFact *, 4> Ops{MadeAt(O.From.At)};
  llvm::SmallVector<PlaceId, 2> Found;
  for (std::size_t I = 0; I != Ops.size(); ++I) {
    const OpFact *Op = Ops[I];
    if (!Op)
      continue;
    const RuleTerm &T = Op->Rule->Term;
    if (multipliesShards(F, *Op, V.Axis)) {
      Found.push_back(Op->At);
      continue;
    }
    if (T.K == RuleTerm::Kind::Apply && T.Class != OpClass::Linear)
      continue;
    for (const Operand &X : Op->Operands) {
      const Fact *Maker = X.Slot == SlotId::None ? nullptr : MakerOf(X.Slot);
      while (const auto *Bind = Maker ? std::get_if<BindFact>(Maker) : nullptr)
        Maker = MakerOf(Bind->Src.Slot);
      const auto *Next = Maker ? std::get_if<OpFact>(Maker) : nullptr;
      if (Next && !llvm::is_contained(Ops, Next))
        Ops.push_back(Next);
    }
  }
  return Found.size() == 1 ? Found.front() : PlaceId::None;
}

} // namespace spmd::fixits
