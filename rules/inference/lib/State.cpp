//===- State.cpp - Joining what two paths know ----------------------------===//

#include "State.h"

namespace spmd::rules::inference {

bool isConstant(const AxisState &S) {
  return S.From && S.From->K == Origin::Kind::Constant &&
         (LocalType::R | LocalType::I).subsetOf(S.Set);
}

bool AxisState::isDoubtful(TypeSet Left) const {
  if ((Left & Set) == Set || (Set.isAll() && Doubt.empty()))
    return false;
  const TypeSet Fits = isConstant(*this) ? sure() | LocalType::V : sure();
  return (Fits & Left).empty();
}

/// How much it matters what \p S was before ranks went different ways with it.
static unsigned weightOfParting(const AxisState &S) {
  if (!S.From || S.From->K != Origin::Kind::Branch)
    return 0;
  return S.From->Text == "P" ? 3 : S.From->Text == "I" ? 2 : 1;
}

AxisState join(const AxisState &A, const AxisState &B) {
  if (A.Assumed != B.Assumed)
    return A.Assumed ? B : A;
  // A constant is what the other path has, if it can be on all its own paths: a
  // sum that starts at zero is P, or V, once something was added.
  const auto Gives = [](const AxisState &Constant, const AxisState &Other) {
    return isConstant(Constant) && !isConstant(Other) && !Other.Set.isAll() &&
           Other.Set.subsetOf(Constant.Set | LocalType::V) &&
           (Constant.Doubt & Other.Set).empty();
  };
  if (Gives(A, B))
    return B;
  if (Gives(B, A))
    return A;
  AxisState Out = A;
  Out.Set = A.Set | B.Set;
  Out.Doubt = Out.Set - (A.sure() & B.sure());
  if (A.Dim != B.Dim)
    Out.Dim.reset();
  // The origin that explains a member the other side lacks is kept; with equal
  // sets the first one stays, so that joins are stable.
  if (!A.From || (A.Set != Out.Set && B.Set == Out.Set) ||
      (isConstant(A) && !isConstant(B)))
    Out.From = B.From;
  if (weightOfParting(A) != weightOfParting(B))
    Out.From = weightOfParting(A) > weightOfParting(B) ? A.From : B.From;
  // And only constants make a constant.
  if (isConstant(Out) && !(isConstant(A) && isConstant(B))) {
    Out.From = Out.From == A.From ? B.From : A.From;
    if (isConstant(Out))
      Out.From = nullptr;
  }
  return Out;
}

Cell join(const Cell &A, const Cell &B) {
  if (A.Undefined || B.Undefined) {
    Cell Out = A.Undefined && !B.Undefined ? B : A; // of two the first: stable
    Out.Wrong = A.Wrong && B.Wrong;
    Out.Torn = A.Torn | B.Torn;
    Out.Mended = A.Mended | B.Mended;
    return Out;
  }
  Cell Out;
  Out.Untouched = A.Untouched && B.Untouched;
  Out.Number = A.Number && B.Number;
  Out.Torn = A.Torn | B.Torn;
  Out.Mended = A.Mended | B.Mended;
  Out.Axes.reserve(A.Axes.size());
  for (std::size_t I = 0; I != A.Axes.size(); ++I)
    Out.Axes.push_back(join(A.Axes[I], B.Axes[I]));
  Out.Stray = A.Stray & B.Stray;
  Out.Split = A.Split | B.Split;
  Out.RankOver = A.RankOver | B.RankOver;
  Out.Counts = A.Counts & B.Counts;
  Out.TrueOnOne = A.TrueOnOne & B.TrueOnOne;
  Out.FalseOnOne = A.FalseOnOne & B.FalseOnOne;
  if (A.Whole == B.Whole) {
    Out.Whole = A.Whole;
    Out.Varies = A.Varies & B.Varies;
    Out.MayVary = A.MayVary | B.MayVary;
    Out.Some = A.Some | B.Some;
  }
  if (A.Gradient == B.Gradient)
    Out.Gradient = A.Gradient;
  if (A.Span == B.Span)
    Out.Span = A.Span;
  if (A.Spec == B.Spec)
    Out.Spec = A.Spec;
  else if (A.Spec && B.Spec)
    if (std::optional<PartitionSpec> Both = merge(*A.Spec, *B.Spec))
      Out.Spec = std::make_shared<const PartitionSpec>(std::move(*Both));
  return Out;
}

Cell joinRounds(Cell A, Cell B) {
  const auto Follow = [](Cell &Unwritten, const Cell &Written) {
    if (!Unwritten.Untouched || Unwritten.Undefined || Written.Undefined)
      return;
    for (std::size_t I = 0; I != Unwritten.Axes.size(); ++I)
      if (Unwritten.Axes[I].Set.isAll() &&
          Written.Axes[I].Set.subsetOf(LocalType::V | LocalType::P))
        Unwritten.Axes[I] = Written.Axes[I];
  };
  Follow(A, B);
  Follow(B, A);
  return join(A, B);
}

} // namespace spmd::rules::inference
