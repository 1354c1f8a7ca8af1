//===- PendingProducts.cpp - Where terms of a sum are made ----------------===//

#include "PendingProducts.h"

#include "ReducedShares.h"

#include "spmd/ir/Walk.h"
#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

void PendingProducts::inferTypes() {
  if (std::exchange(Inferred, true))
    return;
  inferModule(M, Options, [&](const TypedSlot &T) {
    for (const auto &[Axis, Type] : T.Types) {
      // A name may stand for several values.
      const auto [At, New] = Types[{T.In, T.Slot}].try_emplace(Axis, Type);
      if (New)
        continue;
      At->second.Set |= Type.Set;
      if (At->second.ShardDim != Type.ShardDim)
        At->second.ShardDim.reset();
    }
  });
}

AxisType PendingProducts::typeOf(const Function &F, SlotId Slot,
                                 llvm::StringRef Axis) {
  if (Slot == SlotId::None)
    return {};
  if (const auto &Declared = F.slot(Slot).Declared)
    if (const AxisAtom *On = Declared->Entry.find(Axis))
      return {On->Value.Type, On->Value.ShardDim};
  const auto Of = Types.find({&F, Slot});
  return Of == Types.end() ? AxisType() : Of->second.lookup(Axis);
}

bool PendingProducts::variesOn(const Function &F, SlotId Slot,
                               llvm::StringRef Axis) {
  return typeOf(F, Slot, Axis).Set == TypeSet(LocalType::V);
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

/// Whether \p O makes of terms in its operand \p I such terms: adds them up, or
/// scales them by what all ranks have alike.
bool PendingProducts::passesTerms(const Function &F, const OpFact &O,
                                  std::size_t I, llvm::StringRef Axis) {
  const RuleTerm &T = O.Rule->Term;
  if (T.K != RuleTerm::Kind::Apply || T.Class == OpClass::Linear)
    return true;
  if (T.Class != OpClass::Multilinear &&
      (T.Class != OpClass::Quotient || O.FormalOf[I] != 0))
    return false;
  for (std::size_t J = 0; J != O.Operands.size(); ++J)
    if (J != I && variesOn(F, O.Operands[J].Slot, Axis))
      return false;
  return true;
}

namespace {

/// A fact of a function, by block and number.
using Position = std::pair<std::size_t, std::size_t>;

/// What a slot may hold where a fact is run, by the facts that made that.
class Makers {
public:
  explicit Makers(const Function &F) : F(F), Before(F.Blocks.size()) {
    for (std::size_t B = 0; B != F.Blocks.size(); ++B)
      for (const BlockId To : F.Blocks[B].Successors)
        if (index(To) < F.Blocks.size())
          Before[index(To)].push_back(B);
  }

  const Fact &at(Position P) const { return F.Blocks[P.first].Facts[P.second]; }

  /// The last facts before \p At that may have made what is in \p Slot.
  llvm::SmallVector<Position, 2> of(SlotId Slot, Position At) const {
    llvm::SmallVector<Position, 2> Out;
    llvm::SmallVector<Position, 8> Work{At};
    llvm::BitVector Seen(static_cast<unsigned>(F.Blocks.size()));
    while (!Work.empty()) {
      auto [B, I] = Work.pop_back_val();
      bool Made = false;
      while (!Made && I != 0) {
        const Fact &X = F.Blocks[B].Facts[--I];
        const auto *Bind = std::get_if<BindFact>(&X);
        if (!llvm::is_contained(defs(X), Slot) &&
            !llvm::is_contained(writes(X), Slot))
          continue;
        Out.emplace_back(B, I);
        Made = !Bind || !Bind->Joins;
      }
      if (Made)
        continue;
      for (const std::size_t From : Before[B])
        if (!Seen.test(static_cast<unsigned>(From))) {
          Seen.set(static_cast<unsigned>(From));
          Work.emplace_back(From, F.Blocks[From].Facts.size());
        }
    }
    return Out;
  }

private:
  const Function &F;
  std::vector<llvm::SmallVector<std::size_t, 2>> Before; ///< by block
};

/// Where \p Of is in \p F.
std::optional<Position> positionOf(const Function &F, const Fact *Of) {
  for (std::size_t B = 0; B != F.Blocks.size(); ++B)
    for (std::size_t I = 0; I != F.Blocks[B].Facts.size(); ++I)
      if (&F.Blocks[B].Facts[I] == Of)
        return Position(B, I);
  return std::nullopt;
}

} // namespace

/// From an operand back to what it is made of.
class PendingProducts::Walk {
public:
  Walk(PendingProducts &Products, const Function &F, const Violation &V)
      : Of(Products), F(F), Axis(V.Axis), All(F), IsWhole(asksForWhole(V)) {}

  MadeOf from(SlotId Slot, Position At) {
    follow(Slot, At);
    for (std::size_t N = 0; N != Ops.size(); ++N)
      lookAt(Ops[N]);
    // What is pending on one way only would be neither.
    if ((Joins || Out.Terms.size() > 1) && !Complete)
      Out.Terms.clear();
    return std::move(Out);
  }

private:
  /// Whether what all ranks have in common is wanted, of whatever is made.
  static bool asksForWhole(const Violation &V) {
    const auto *Clash = V.as<ContractClash>();
    return Clash && Clash->Required.Set.subsetOf(LocalType::R | LocalType::I);
  }

  void follow(SlotId Slot, Position At) {
    const auto Made = All.of(Slot, At);
    Joins |= Made.size() > 1;
    Complete &= !Made.empty() || !Of.variesOn(F, Slot, Axis);
    for (const Position P : Made)
      if (!llvm::is_contained(Ops, P))
        Ops.push_back(P);
  }

  void lookAt(Position At) {
    const Fact &X = All.at(At);
    if (const auto *Bind = std::get_if<BindFact>(&X))
      return follow(Bind->Src.Slot, At);
    const auto *Op = std::get_if<OpFact>(&X);
    if (Op && isTerm(*Op))
      return;
    bool Passes = false;
    for (std::size_t I = 0; Op && I != Op->Operands.size(); ++I)
      if (const Operand &From = Op->Operands[I];
          From.Slot != SlotId::None &&
          readsValue(Op->Rule->Term, Op->FormalOf[I]) &&
          (IsWhole || Of.passesTerms(F, *Op, I, Axis))) {
        Passes = true;
        follow(From.Slot, At);
      }
    Complete &= Passes || !Of.variesOn(F, Op ? Op->Dst : resultOf(X), Axis);
  }

  /// Notes the op where its result is a term of a sum, or a mean.
  bool isTerm(const OpFact &O) {
    if (O.WritesTo != SlotId::None)
      return false;
    OfShares Made = OfShares::Keeps;
    for (std::size_t I = 0; I != O.Operands.size(); ++I)
      if (Of.variesOn(F, O.Operands[I].Slot, Axis) &&
          readsValue(O.Rule->Term, O.FormalOf[I]))
        Made = std::max(
            Made, madeOfShares(
                      O, I, Of.typeOf(F, O.Operands[I].Slot, Axis).ShardDim));
    Out.Mixed |= Made == OfShares::Mixes;
    if (Made == OfShares::Averages)
      Out.Average = O.At;
    const bool IsProduct = Of.multipliesShards(F, O, Axis);
    if (Made != OfShares::Adds && !IsProduct)
      return false;
    if (Out.Terms.empty())
      Out.MayBeParts = Made != OfShares::Adds;
    if (!llvm::is_contained(Out.Terms, O.At))
      Out.Terms.push_back(O.At);
    return true;
  }

  PendingProducts &Of;
  const Function &F;
  llvm::StringRef Axis;
  const Makers All;
  const bool IsWhole;
  MadeOf Out;
  bool Joins = false, Complete = true;
  llvm::SmallVector<Position, 8> Ops;
};

MadeOf PendingProducts::behind(const Violation &V, const ViolationOperand &O) {
  if (!V.In || V.In->Mode.isGlobal(V.Axis) || O.From.In != V.In ||
      O.From.K != Origin::Kind::Op)
    return {};
  const Function &F = *V.In;
  const auto Cause = positionOf(F, V.Cause);
  SlotId Slot = SlotId::None;
  if (Cause)
    forEachOperand(*V.Cause, [&](const Operand &X) {
      if (X.At == O.At && Slot == SlotId::None)
        Slot = X.Slot;
    });
  if (Slot == SlotId::None)
    return {};
  inferTypes();
  return Walk(*this, F, V).from(Slot, *Cause);
}

} // namespace spmd::fixits
