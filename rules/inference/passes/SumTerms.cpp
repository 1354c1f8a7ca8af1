//===- SumTerms.cpp - Ops whose results are the terms of a sum ------------===//

#include "SumTerms.h"

#include "spmd/inference/Limits.h"
#include "spmd/ir/Walk.h"
#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

bool isMultilinear(const RuleTerm &T) {
  return T.K == RuleTerm::Kind::Apply && T.Class == OpClass::Multilinear &&
         llvm::all_of(T.Children, [](const RuleTerm &C) {
           return C.K != RuleTerm::Kind::Apply;
         });
}

namespace {

bool isSum(const RuleTerm &T) {
  return T.K == RuleTerm::Kind::Apply && T.Class == OpClass::Linear &&
         T.Children.size() > 1 &&
         llvm::all_of(T.Children, [](const RuleTerm &C) {
           return C.K == RuleTerm::Kind::Operand || isMultilinear(C);
         });
}

/// The tensors among the operands of \p O that \p C reads; of an op on numbers,
/// which elements of buffers are too, all.
OperandList tensorsOf(const RuleTerm &C, const OpFact &O) {
  OperandList Out;
  const bool OfNumbers =
      llvm::all_of(O.Operands, [](const Operand &X) { return X.Scalar; });
  for (std::size_t I = 0; I != O.Operands.size(); ++I)
    if ((OfNumbers || !O.Operands[I].Scalar) && readsValue(C, O.FormalOf[I]))
      Out.push_back(I);
  return Out;
}

/// Two tensors or more: a number only scales.
bool isProduct(const RuleTerm &C, const OpFact &O) {
  return isMultilinear(C) && tensorsOf(C, O).size() > 1;
}

/// Whether each rank's product of what \p C reads is its own, legally.
bool isOwnProduct(const RuleTerm &C, const OpFact &O,
                  llvm::ArrayRef<TypeSet> Sets) {
  bool Varies = false;
  for (const std::size_t I : tensorsOf(C, O)) {
    if ((Sets[I] & (LocalType::R | LocalType::V)).empty())
      return false;
    Varies |= Sets[I].contains(LocalType::V);
  }
  return Varies;
}

} // namespace

bool addsPending(const OpFact &O, llvm::ArrayRef<TypeSet> Sets) {
  return llvm::all_of(O.Rule->Term.Children, [&](const RuleTerm &C) {
    if (isProduct(C, O))
      return isOwnProduct(C, O, Sets);
    const auto Tensors = tensorsOf(C, O);
    return Tensors.empty() ? llvm::none_of(O.FormalOf,
                                           [&](unsigned Formal) {
                                             return readsValue(C, Formal);
                                           })
                           : Sets[Tensors[0]] == TypeSet(LocalType::P);
  });
}

OperandList addedToTerms(const OpFact &O, llvm::ArrayRef<TypeSet> Sets) {
  OperandList Out;
  bool HasTerms = false;
  if (!isSum(O.Rule->Term))
    return Out;
  for (const RuleTerm &C : O.Rule->Term.Children) {
    const auto Tensors = tensorsOf(C, O);
    if (isProduct(C, O)) {
      if (!isOwnProduct(C, O, Sets))
        return {};
      // With what all ranks have, each makes whole results of its own rows.
      HasTerms |= llvm::all_of(Tensors, [&](std::size_t I) {
        return Sets[I].contains(LocalType::V);
      });
    } else if (!Tensors.empty()) {
      const TypeSet Is = Sets[Tensors[0]];
      if (!Is.empty() && Is.subsetOf(LocalType::R | LocalType::I))
        Out.push_back(Tensors[0]);
      else if (Is == TypeSet(LocalType::V))
        HasTerms = true;
      else
        return {};
    }
  }
  if (!HasTerms)
    Out.clear();
  return Out;
}

OperandList numbersAddedToTerms(const OpFact &O, llvm::ArrayRef<TypeSet> Sets) {
  OperandList Out;
  bool HasTerms = false;
  if (!isSum(O.Rule->Term))
    return Out;
  for (const RuleTerm &C : O.Rule->Term.Children) {
    const auto Tensors = tensorsOf(C, O);
    if (!Tensors.empty()) {
      HasTerms |= Sets[Tensors[0]] == TypeSet(LocalType::V);
      continue;
    }
    // Of a product with a scale, the number that is there without one.
    for (std::size_t I = 0; I != O.Operands.size(); ++I)
      if (readsValue(C, O.FormalOf[I])) {
        Out.push_back(I);
        break;
      }
  }
  if (!HasTerms)
    Out.clear();
  return Out;
}

bool addsProduct(const OpFact &O) {
  return llvm::any_of(O.Rule->Term.Children,
                      [&](const RuleTerm &C) { return isProduct(C, O); });
}

ValueFlow::SumList summedBy(const Function &F, const OpFact &O, CalleeFn Callee,
                            bool Scaled) {
  return ValueFlow(F, O, {O.Dst, O.WritesTo}, Callee, /*ToSums=*/Scaled).sums();
}

ValueFlow::SumList summedOnSomeWay(const Function &F, const OpFact &O,
                                   CalleeFn Callee) {
  return ValueFlow(F, O, {O.Dst, O.WritesTo}, Callee).sumsOnSomeWay();
}

ValueFlow::SumList summedBy(const Function &F, const CallFact &Call,
                            SlotId Given, CalleeFn Callee) {
  return ValueFlow(F, Call, {Given}, Callee).sums();
}

namespace {

/// The parameters that slots name, or have elements of.
class ParameterNames {
public:
  explicit ParameterNames(const Function &F) : F(F), From(F.Slots.size()) {
    llvm::BitVector Defined(static_cast<unsigned>(F.Slots.size()));
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts) {
        const SlotId Slot = resultOf(X);
        if (Slot == SlotId::None)
          continue;
        const auto *Bind = std::get_if<BindFact>(&X);
        const auto *View = std::get_if<ViewFact>(&X);
        const auto *O = std::get_if<OpFact>(&X);
        const bool Again = Defined.test(index(Slot));
        const bool Copies =
            O && O->Operands.size() == 1 && O->Rule->is(OpRole::Copies);
        From[index(Slot)] = Again    ? SlotId::None
                            : Bind   ? Bind->Src.Slot
                            : View   ? View->Src.Slot
                            : Copies ? O->Operands[0].Slot
                                     : SlotId::None;
        Defined.set(index(Slot));
        if (Again)
          MadeBy.erase(Slot);
        else if (O && O->WritesTo == SlotId::None && O->Operands.size() == 2 &&
                 (O->Rule->is(OpRole::Adds) || O->Rule->is(OpRole::Multiplies)))
          MadeBy[Slot] = O;
      }
  }

  /// What \p Slot is made of, by sums and products; empty where there is
  /// something else.
  llvm::SmallVector<unsigned, 2> of(SlotId Slot) const {
    llvm::SmallVector<unsigned, 2> Out;
    if (!add(Slot, Out, MaxSteps))
      Out.clear();
    return Out;
  }

private:
  bool add(SlotId Slot, llvm::SmallVectorImpl<unsigned> &Out,
           unsigned Depth) const {
    SlotId Last = Slot;
    for (unsigned Steps = 0; Slot != SlotId::None && Steps != MaxSteps;
         ++Steps, Slot = From[index(Slot)]) {
      if (index(Slot) < F.NumParameters) {
        Out.push_back(index(Slot));
        return true;
      }
      Last = Slot;
    }
    if (Last == SlotId::None || Depth == 0)
      return false;
    const auto Made = MadeBy.find(Last);
    return Made != MadeBy.end() &&
           llvm::all_of(Made->second->Operands, [&](const Operand &X) {
             return add(X.Slot, Out, Depth - 1);
           });
  }

  static constexpr unsigned MaxSteps = 4; ///< there may be circles

  const Function &F;
  std::vector<SlotId> From; ///< by slot: what else is called so, if one thing
  llvm::DenseMap<SlotId, const OpFact *> MadeBy; ///< the others
};

} // namespace

AddingOps::AddingOps(const Function &F) {
  const ParameterNames Parameters(F);
  unsigned Tried = 0;
  for (const OpFact &O : factsOf<OpFact>(F)) {
    if (!isSum(O.Rule->Term) || O.Operands.size() < 2)
      continue;
    AddingOp Here{&O, {}, 0};
    for (const Operand &X : O.Operands)
      Here.Parameters.push_back(Parameters.of(X.Slot));
    if (llvm::any_of(Here.Parameters, [](auto &Of) { return Of.empty(); }))
      continue;
    if (++Tried > Limits::AddingOps) {
      CutAt = &O;
      return;
    }
    for (const unsigned I :
         ValueFlow(F, O, {O.Dst, O.WritesTo}, nobody).leftIn()) {
      Here.Into = I;
      All.push_back(Here);
    }
  }
}

/// The operand of \p X of which its result is a copy, an element or so many
/// times.
static SlotId multipleOf(const Fact &X, const NumbersOfBuffers &OfBuffers) {
  if (const auto *View = std::get_if<ViewFact>(&X))
    return View->Src.Slot;
  const auto *O = std::get_if<OpFact>(&X);
  for (std::size_t I = 0; O && I != O->Operands.size(); ++I)
    if (O->Rule->is(OpRole::Copies) || scales(*O, I, OfBuffers))
      return O->Operands[I].Slot;
  return SlotId::None;
}

/// What the local \p Slot is, if it is one thing throughout; None if not.
static SlotId onceBound(const Function &F, SlotId Slot) {
  SlotId Out = SlotId::None;
  for (const Fact &X : factsOf<Fact>(F)) {
    const auto *O = std::get_if<OpFact>(&X);
    const auto *B = std::get_if<BindFact>(&X);
    const bool IsBound = B && B->Dst == Slot;
    if ((O && O->WritesTo == Slot) ||
        (IsBound && (B->Joins || Out != SlotId::None)))
      return SlotId::None;
    if (IsBound)
      Out = B->Src.Slot;
  }
  return Out;
}

/// The variable that the temporary \p Slot is a copy, an element or so many
/// times of; also by a local, `float old = w[i];`.
static SlotId readFrom(const Function &F, SlotId Slot,
                       const NumbersOfBuffers &OfBuffers) {
  constexpr unsigned MaxSteps = 16; // of an expression
  for (unsigned Step = 0; Step != MaxSteps; ++Step) {
    if (const SlotId Is = F.slot(Slot).Kind == SlotKind::Local
                              ? onceBound(F, Slot)
                              : SlotId::None;
        Is != SlotId::None) {
      Slot = Is;
      continue;
    }
    if (F.slot(Slot).Kind != SlotKind::Temporary)
      break;
    const auto Facts = factsOf<Fact>(F);
    const auto MadeBy = llvm::find_if(Facts, [&](const Fact &X) {
      return resultOf(X) == Slot && multipleOf(X, OfBuffers) != SlotId::None;
    });
    if (MadeBy == Facts.end())
      break;
    Slot = multipleOf(*MadeBy, OfBuffers);
  }
  return Slot;
}

static bool updatesFirstOperand(const Function &F, const OpFact &O) {
  const NumbersOfBuffers OfBuffers(F);
  const auto From = [&](SlotId S) { return readFrom(F, S, OfBuffers); };
  const SlotId Of = From(O.Operands[0].Slot);
  if (O.WritesTo != SlotId::None)
    return From(O.WritesTo) == Of;
  const auto IsStored = [&](llvm::function_ref<bool(SlotId)> IsIt) {
    return llvm::any_of(factsOf<OpFact>(F), [&](const OpFact &X) {
      return X.Rule->is(OpRole::Copies) && X.WritesTo != SlotId::None &&
             IsIt(X.Operands[0].Slot) && From(X.WritesTo) == Of;
    });
  };
  if (IsStored([&](SlotId S) { return S == O.Dst; }))
    return true;
  // Few results have another name, and whose each is takes long to tell.
  const bool HasOtherName = llvm::any_of(factsOf<Fact>(F), [&](const Fact &X) {
    const auto *B = std::get_if<BindFact>(&X);
    return (B && B->Src.Slot == O.Dst) || multipleOf(X, OfBuffers) == O.Dst;
  });
  return HasOtherName && IsStored([&](SlotId S) { return From(S) == O.Dst; });
}

namespace {

/// What may be a share of something on each rank: a multiple of it, or whatever
/// a call gives. A sum is one where all its terms may be.
class Shares {
public:
  Shares(const Function &F, bool OfRanks)
      : F(F), OfRanks(OfRanks), OfBuffers(F) {}

  bool contains(SlotId Slot) {
    // Until it is known, all but what it was given from outside may be.
    const SlotKind Kind = F.slot(Slot).Kind;
    const auto [Known, New] = Answers.try_emplace(
        Slot, Kind == SlotKind::Local || Kind == SlotKind::Temporary);
    if (!New)
      return Known->second;
    const bool Is = llvm::any_of(F.Blocks, [&](const Block &B) {
      return llvm::any_of(B.Facts,
                          [&](const Fact &X) { return makesShare(X, Slot); });
    });
    return Answers[Slot] = Is;
  }

private:
  bool makesShare(const Fact &X, SlotId Slot) {
    if (const auto *O = std::get_if<OpFact>(&X))
      return (O->Dst == Slot || O->WritesTo == Slot) && isShare(*O);
    if (const auto *Bind = std::get_if<BindFact>(&X))
      return Bind->Dst == Slot && contains(Bind->Src.Slot);
    if (const auto *View = std::get_if<ViewFact>(&X))
      return View->Dst == Slot && contains(View->Src.Slot);
    const auto *Call = std::get_if<CallFact>(&X);
    return Call && Call->Dst == Slot;
  }
  bool isShare(const OpFact &O) {
    for (std::size_t I = 0; I != O.Operands.size(); ++I)
      if (scales(O, I, OfBuffers) &&
          !(OfRanks &&
            (isByOtherNumber(O, I) || (I == 1 && O.Rule->is(OpRole::Divides)))))
        return true;
    return isLinear(O) && !O.Operands.empty() &&
           llvm::all_of(O.Operands, [this](const Operand &X) {
             return X.Slot == SlotId::None || contains(X.Slot);
           });
  }

  /// Whether \p O scales its operand \p I by a literal, or multiplies it by the
  /// number of ranks: neither makes a share of it.
  bool isByOtherNumber(const OpFact &O, std::size_t I) const {
    bool IsNumber = false;
    for (std::size_t J = 0; J != O.Operands.size(); ++J) {
      if (J == I || !O.Operands[J].Scalar)
        continue;
      const DefineFact *By = numberIn(O.Operands[J].Slot);
      const bool Divides = O.Rule->is(OpRole::Divides) && J == 1;
      if (!By || (By->K == DefineFact::Kind::SizeOf && Divides))
        return false;
      IsNumber = true;
    }
    return IsNumber;
  }
  /// The number that the temporary \p Slot is; null where it is computed.
  const DefineFact *numberIn(SlotId Slot) const {
    if (Slot == SlotId::None || F.slot(Slot).Kind != SlotKind::Temporary)
      return nullptr;
    for (const Fact &X : factsOf<Fact>(F))
      if (resultOf(X) == Slot) {
        const auto *D = std::get_if<DefineFact>(&X);
        return D && (D->K == DefineFact::Kind::Constant ||
                     D->K == DefineFact::Kind::SizeOf)
                   ? D
                   : nullptr;
      }
    return nullptr;
  }

  const Function &F;
  const bool OfRanks; ///< of what the ranks have together
  const NumbersOfBuffers OfBuffers;
  llvm::DenseMap<SlotId, bool> Answers;
};

} // namespace

bool Updates::ofFirstOperand(const OpFact &O) const {
  const auto [Known, New] = InPlace.try_emplace(&O);
  if (New)
    Known->second = updatesFirstOperand(F, O);
  return Known->second;
}

bool Updates::isScaled(SlotId Slot) const {
  if (Slot == SlotId::None)
    return false;
  const auto [Known, New] = Scaled.try_emplace(Slot);
  if (New)
    Known->second = Shares(F, /*OfRanks=*/false).contains(Slot);
  return Known->second;
}

bool mayBeShare(const Function &F, SlotId Slot) {
  return Slot != SlotId::None && Shares(F, /*OfRanks=*/true).contains(Slot);
}

} // namespace spmd::rules::inference
