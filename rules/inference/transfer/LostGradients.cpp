//===- LostGradients.cpp - Updates that lose terms ------------------------===//
//
// A shard of a gradient is V, as each rank's own gradient is: types do not tell
// whether it was reduced. Where the reduce_scatter is left out, or done before
// the backward pass, the shard holds zeros still, of every type, or each rank
// takes its part of what it alone has computed. Gradients that are cleared
// before the step are zeros, too.
//
//===----------------------------------------------------------------------===//

#include "OpTransfer.h"

#include "passes/SumTerms.h"

#include "spmd/ir/Walk.h"

#include <optional>

namespace spmd::rules::inference {

/// Whether \p Of makes zeros of what holds zeros.
bool OpTransfer::isZero(const Run &Of) {
  const OpRule &Rule = *Of.O.Rule;
  const auto Is = [&](std::size_t I) {
    return I < Of.Cells.size() && !Of.Cells[I]->Undefined && Of.Cells[I]->Zero;
  };
  if (Rule.is(OpRole::Copies) || Rule.is(OpRole::Divides))
    return Is(0);
  // Weights that begin with zeros give activations that are others in the next
  // iteration.
  if (Rule.is(OpRole::Multiplies))
    return (Is(0) && (Is(1) || isNumber(*Of.Cells[1]))) ||
           (Is(1) && isNumber(*Of.Cells[0]));
  const bool Adds = Rule.is(OpRole::Adds) || Rule.is(OpRole::Subtracts);
  const bool IsMultiple = Of.Cells.size() == 1 &&
                          Rule.Term.K == RuleTerm::Kind::Apply &&
                          Rule.Term.Class == OpClass::Linear;
  if (!Adds && !IsMultiple)
    return false;
  for (std::size_t I = 0; I != Of.Cells.size(); ++I)
    if (!Is(I) && (I == 0 || !isZeroNumber(*Of.Cells[I])))
      return false;
  return !Of.Cells.empty();
}

/// Whether \p O clears a buffer, or elements of one, by \p Value.
bool OpTransfer::storesZeros(const OpFact &O, const AbstractValue &Value) {
  if (!O.Rule->is(OpRole::Copies) || !isZeroNumber(Value) ||
      !Store.read(O.WritesTo).Fresh)
    return false;
  const Slot &S = F.slot(O.WritesTo);
  if (!S.IsTensor && !Store.read(O.WritesTo).Apart &&
      S.Kind != SlotKind::Temporary && S.Kind != SlotKind::Parameter &&
      Store.cellOf(O.WritesTo) == index(O.WritesTo))
    return false;
  E.noteZeros();
  return true;
}

/// What \p Of makes of each rank's own terms, where it makes V.
OwnTerms OpTransfer::ownTerms(const Run &Of, AxisId A) {
  if (Of.O.Rule->is(OpRole::Draws))
    return OwnTerms::Taken;
  bool AnyOwn = false, AnyTaken = false, AllTaken = true;
  bool OfOthers = false; // shards, say
  for (std::size_t I = 0; I != Of.Cells.size(); ++I) {
    const AxisState &Is = Of.Cells[I]->Axes[A];
    if (!Of.Reads[I] || Of.Cells[I]->Undefined || Is.Constant ||
        (Of.Cells[I]->Number && Is.Set.isAll()))
      continue;
    if (Is.Own == OwnTerms::Slice)
      return Is.Own;
    const bool IsOfTaken = Is.Own == OwnTerms::OfTaken;
    AnyOwn |= Is.Own != OwnTerms::No;
    AnyTaken |= Is.Own == OwnTerms::Taken || IsOfTaken;
    if (Is.Own != OwnTerms::No)
      AllTaken &= Is.Own == OwnTerms::Taken;
    else if (Is.Set.isAll() || Is.isSurely(LocalType::V))
      OfOthers = true;
    else
      AllTaken &= isNumber(*Of.Cells[I]); // with replicas
  }
  if (OfOthers || !AnyOwn)
    return OwnTerms::No;
  return AllTaken   ? OwnTerms::Taken
         : AnyTaken ? OwnTerms::OfTaken
                    : OwnTerms::Whole;
}

/// Whether what \p Of makes on \p A, where that is V, is of shards that are
/// declared, and of each rank's own data, alone.
bool OpTransfer::isOfShards(const Run &Of, AxisId A) {
  bool Out = false;
  for (std::size_t I = 0; I != Of.Cells.size(); ++I) {
    const AxisState &Is = Of.Cells[I]->Axes[A];
    if (!Of.Reads[I] || Of.Cells[I]->Undefined || Is.Constant ||
        (Of.Cells[I]->Number && Is.Set.isAll()))
      continue;
    if (!Is.OfShards && Is.Own == OwnTerms::No &&
        (Is.Set.isAll() || Is.isSurely(LocalType::V)))
      return false;
    Out |= Is.OfShards;
  }
  return Out;
}

/// Whether \p Of changes parameters, its first operand, by their gradients.
bool OpTransfer::isStep(const Run &Of) {
  return Of.O.WritesTo != SlotId::None && Of.Cells.size() > 1 &&
         Of.O.Operands[0].Slot == Of.O.WritesTo &&
         Of.Cells[0]->Gradient != NoCell &&
         Of.Cells[0]->Gradient == Store.cellOf(Of.O.Operands[1].Slot);
}

/// Whether \p Of, as an optimizer's step, makes something else of gradients.
bool OpTransfer::usesGradient(const Run &Of) {
  bool Out = false;
  for (std::size_t I = 0; I != Of.Cells.size(); ++I)
    Out |= Of.Reads[I] && Of.Cells[I]->IsGradient;
  return Out && !Of.Out.IsGradient;
}

/// Whether \p Of collects gradients elsewhere: others may reduce that.
bool OpTransfer::collectsGradient(const Run &Of) const {
  return Of.O.WritesTo != SlotId::None && Of.O.Rule->is(OpRole::Adds) &&
         Of.O.Operands.size() == 2 && !In.Grads.givesGradients(Of.O.WritesTo);
}

/// An optimizer runs outside of autograd: to it a gradient is the same on all
/// ranks, whether that is called R or I.
void OpTransfer::matchStep(llvm::MutableArrayRef<TypeSet> Sets) {
  const TypeSet Replicas = LocalType::R | LocalType::I;
  if (!Sets[0].isSingle() || !Sets[0].subsetOf(Replicas))
    return;
  for (TypeSet &Other : Sets.drop_front())
    if (!Other.isAll() && !(Other & Replicas).empty())
      Other = (Other - Replicas) | Sets[0];
}

/// Whether the value \p S is a multiple of what nobody has written, in storage
/// that was made in code that is seen, and of which nothing is declared.
static bool isOfNothing(const Function &F, Storage &Store, SlotId S,
                        unsigned Depth = 0) {
  constexpr unsigned Deepest = 8;
  const AbstractValue &Is = Store.read(S);
  if (Depth == Deepest || F.slot(S).Declared)
    return false;
  if (F.slot(S).Kind != SlotKind::Temporary)
    return Is.Undefined && Is.Fresh && !Is.Wrong;
  const auto Of = [&](const Operand &X) {
    return X.Slot != SlotId::None && isOfNothing(F, Store, X.Slot, Depth + 1);
  };
  for (const ViewFact &V : factsOf<ViewFact>(F))
    if (V.Dst == S)
      return Of(V.Src);
  for (const OpFact &O : factsOf<OpFact>(F))
    if (O.Dst == S)
      return (O.Rule->is(OpRole::Copies) || O.Rule->is(OpRole::Multiplies) ||
              O.Rule->is(OpRole::Divides)) &&
             llvm::any_of(O.Operands, Of);
  return false;
}

/// Takes note of `w -= rate * g` where g holds nothing but zeros, or nothing at
/// all, or is each rank's part of its own terms.
void OpTransfer::noteLostGradient(const Run &Of) {
  const OpFact &O = Of.O;
  const bool Steps = isStep(Of);
  if ((!Steps &&
       ((!O.Rule->is(OpRole::Subtracts) && !O.Rule->is(OpRole::Adds)) ||
        Of.Cells.size() != 2)) ||
      Of.Cells[1]->Undefined || Of.Cells[0]->Undefined)
    return;
  const AbstractValue &To = *Of.Cells[0], &By = *Of.Cells[1];
  const auto Has = [](const AbstractValue &X, AxisId A, OwnTerms Own) {
    return X.Axes[A].isSurely(LocalType::V) && X.Axes[A].Own == Own;
  };
  const auto IsPartOfOwn = [&](AxisId A) {
    return Has(By, A, OwnTerms::Slice) && !Has(To, A, OwnTerms::Slice);
  };
  // Of what is declared to be one tensor each rank has a shard: other ranks
  // have terms for it.
  const auto IsOwnForShard = [&](AxisId A) {
    return Has(By, A, OwnTerms::Whole) && To.Axes[A].OfShards &&
           To.Axes[A].isSurely(LocalType::V);
  };
  std::optional<bool> IsNothing; // on all axes alike, and asked for last
  for (AxisId A = 0; A != To.Axes.size(); ++A) {
    const AxisState &Is = To.Axes[A];
    if (Is.Set.isAll() || Is.Set.contains(LocalType::P) || Is.Constant ||
        (isConstant(To) && !IsPartOfOwn(A) && !IsOwnForShard(A)))
      continue;
    if (!Steps && (!In.Facts.InPlace.ofFirstOperand(O) ||
                   !In.Facts.InPlace.isScaled(O.Operands[1].Slot)))
      return;
    if (!IsNothing)
      IsNothing = !isConstant(To) &&
                  (By.Zero || isOfNothing(F, Store, O.Operands[1].Slot));
    if (*IsNothing || IsPartOfOwn(A) || IsOwnForShard(A))
      return tell(In, LosesTerms{O, A, Is, By.Axes[A], *IsNothing,
                                 !*IsNothing && !IsPartOfOwn(A)});
  }
}

} // namespace spmd::rules::inference
