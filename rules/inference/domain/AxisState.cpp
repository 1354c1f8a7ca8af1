//===- AxisState.cpp - A value on one axis --------------------------------===//

#include "AxisState.h"

namespace spmd::rules::inference {

static constexpr TypeSet Replicas = LocalType::R | LocalType::I;

bool AxisState::isDoubtful(TypeSet Left) const {
  if ((Left & Set) == Set || (Set.isAll() && May.empty()))
    return false;
  const TypeSet Fits = Constant ? must() | LocalType::V : must();
  return (Fits & Left).empty();
}

AxisState AxisState::as(TypeSet Types) const {
  AxisState Out = of(Types, From);
  Out.Constant = Constant && Replicas.subsetOf(Types);
  Out.Before = Before;
  Out.By = By;
  Out.SumOfReplicas = SumOfReplicas;
  Out.Extreme = Extreme;
  Out.OfOneRank = OfOneRank;
  Out.ScaledExtreme = ScaledExtreme;
  Out.Share = Share;
  Out.Added = Added;
  Out.OfMessages = OfMessages;
  return Out;
}

void AxisState::narrowTo(TypeSet Types) {
  Set = Types;
  May = TypeSet::none();
  Constant &= Replicas.subsetOf(Types);
}

AxisState AxisState::of(TypeSet Types, const Origin *From, TypeSet May) {
  AxisState Out;
  Out.Set = Types;
  Out.From = From;
  Out.May = May;
  return Out;
}

AxisState AxisState::constant(TypeSet Types, const Origin *From) {
  AxisState Out = of(Types, From);
  Out.Constant = Replicas.subsetOf(Types);
  return Out;
}

/// A constant is what the other path has, if it can be on all its own paths: a
/// sum that starts at zero is P, or V, once something was added. It makes
/// nothing the same that is V or P.
static bool becomes(const AxisState &A, const AxisState &Other) {
  const TypeSet Fits = A.Set | LocalType::V;
  return A.Constant && !Other.Constant && !Other.Set.isAll() &&
         (Other.Set.subsetOf(Fits) ||
          Other.Set == (LocalType::V | LocalType::P)) &&
         (A.May & Other.Set).empty();
}
static AxisState became(const AxisState &Constant, AxisState Other) {
  Other.May |= Other.Set - (Constant.Set | LocalType::V);
  return Other;
}

/// Where the type of a join came from: where a path diverged, if one did, or
/// where the members are from that the other path lacks.
static const Origin *explain(const AxisState &A, const AxisState &B,
                             const AxisState &Both) {
  if (A.Before != B.Before)
    return A.Before > B.Before ? A.From : B.From;
  if (A.Constant != B.Constant)
    return A.Constant ? B.From : A.From;
  const bool OnlyB = A.Set != Both.Set && B.Set == Both.Set;
  return !A.From || OnlyB ? B.From : A.From;
}

AxisState join(const AxisState &A, const AxisState &B) {
  if (A.Assumed != B.Assumed)
    return A.Assumed ? B : A;
  if (becomes(A, B))
    return became(A, B);
  if (becomes(B, A))
    return became(B, A);
  AxisState Out = joinFields(A, B);
  Out.May = Out.Set - (A.must() & B.must());
  Out.From = explain(A, B, Out);
  // What is each rank's own without it takes its place, as in a buffer that is
  // used again.
  if (A.Added != B.Added && (A.Added ? B : A).isSurely(LocalType::V))
    Out.Added = nullptr;
  return Out;
}

} // namespace spmd::rules::inference
