//===- DeclaredShards.cpp - Ops in notation on shards by local types ------===//
//
// A local type may say of which dim each rank has a shard. Where the op says in
// factor notation what it makes of dims, the shards must fit; and of a dim that
// it contracts, each rank makes terms of a sum.
//
//===----------------------------------------------------------------------===//

#include "OpTransfer.h"

#include "spmd/ops/DimsOnly.h"
#include "spmd/ops/FactorRule.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

static bool hasEllipsis(const FactorTensor &T) {
  return llvm::any_of(
      T, [](const FactorDim &D) { return D.K == FactorDim::Kind::Ellipsis; });
}

/// The one notation of \p Rule, which says how many dims each operand has.
static const FactorNotation *notationOf(const OpRule &Rule) {
  if (!Rule.Shape || Rule.Shape->Notations.size() != 1 ||
      !Rule.Shape->Otherwise.empty())
    return nullptr;
  const FactorNotation &N = Rule.Shape->Notations.front();
  return llvm::any_of(N.Operands, hasEllipsis) ? nullptr : &N;
}

/// How the operand \p Dims of a notation lies on \p A, if that is known. How
/// large a dim is nobody knows, but as large as others of its factors.
static std::optional<PartitionSpec> layoutOf(const AxisState &Is, AxisId A,
                                             const FactorTensor &Dims) {
  PartitionSpec Out;
  for (const FactorDim &D : Dims)
    Out.Dims.push_back({D.Factors.size() == 1
                            ? Extent::name(D.Factors.front().Name)
                            : Extent(),
                        {}});
  if (Is.isSurely(LocalType::R) || Is.isSurely(LocalType::I))
    return Out;
  if (!Is.isSurely(LocalType::V) || !Is.Dim)
    return std::nullopt;
  const std::optional<unsigned> D = Out.dimAt(*Is.Dim);
  if (!D)
    return std::nullopt;
  Out.Dims[*D].Axes.push_back(A);
  return Out;
}

/// Whether all of \p Shape that speaks of dim \p D of the operand in place
/// \p Formal adds it up; nothing where none of it does.
static std::optional<bool> contracts(const ShapeRule &Shape, unsigned Formal,
                                     int D) {
  std::optional<bool> Out;
  for (const FactorNotation &N : Shape.Notations) {
    if (!Shape.Of.empty() || Formal >= N.Operands.size())
      continue;
    const FactorTensor &Dims = N.Operands[Formal];
    if (D < 0 || static_cast<std::size_t>(D) >= Dims.size() ||
        hasEllipsis(Dims))
      continue;
    const FactorDim &Of = Dims[static_cast<std::size_t>(D)];
    const auto HasIt = [&](const FactorTensor &T) {
      return llvm::any_of(T, [&](const FactorDim &X) {
        return llvm::any_of(X.Factors, [&](const FactorUse &U) {
          return U.Name == Of.Factors.front().Name;
        });
      });
    };
    const bool Adds = Of.Factors.size() == 1 &&
                      llvm::none_of(N.Results, HasIt) &&
                      llvm::count_if(N.Operands, HasIt) > 1;
    Out = Adds && Out.value_or(true);
  }
  return Out;
}

/// Whether \p Of adds up a dim of which an operand is a shard on each rank,
/// whatever is known of the others, such as the weight of a row parallel layer.
bool OpTransfer::contractsShard(const Run &Of, AxisId A) {
  const OpFact &O = Of.O;
  if (!O.Rule->Shape)
    return false;
  for (std::size_t I = 0; I != O.Operands.size(); ++I) {
    const AxisState &Is = Of.Cells[I]->Axes[A];
    if (O.Operands[I].Scalar || Of.Cells[I]->Undefined || !Is.Dim ||
        !Is.isSurely(LocalType::V))
      continue;
    std::optional<bool> Adds =
        contracts(*O.Rule->Shape, O.FormalOf[I], *Is.Dim);
    for (const ShapeRule &S : O.Rule->Shape->Otherwise)
      if (const auto Here = contracts(S, O.FormalOf[I], *Is.Dim))
        Adds = *Here && Adds.value_or(true);
    if (Adds.value_or(false))
      return true;
  }
  return false;
}

/// Whether \p T is not linear in the operand \p Formal.
static bool isNonlinearIn(const RuleTerm &T, unsigned Formal) {
  if (T.K != RuleTerm::Kind::Apply)
    return false;
  if (T.Class == OpClass::Nonlinear && readsValue(T, Formal))
    return true;
  return llvm::any_of(T.Children, [Formal](const RuleTerm &C) {
    return isNonlinearIn(C, Formal);
  });
}

/// Takes note of `gelu(y)` where each rank has its term of y, and what gelu
/// makes of these is added up.
void OpTransfer::noteNonlinearTerm(const Run &Of, AxisId A) {
  const OpFact &O = Of.O;
  for (std::size_t I = 0; I != O.Operands.size(); ++I) {
    const AxisState &Was = Of.Cells[I]->Axes[A];
    if (Was.Contracted && Was.isSurely(LocalType::V) && !O.Operands[I].Scalar &&
        isNonlinearIn(O.Rule->Term, O.FormalOf[I]) && Terms.addsUp(O, A))
      return tell(In, TermEntersNonlinear{O, O.Operands[I], A, Was});
  }
}

void OpTransfer::matchShards(const Run &Of, AxisId A, AxisState &Is) {
  const OpFact &O = Of.O;
  if (Is.isSurely(LocalType::V) && Decls.Global.empty() &&
      contractsShard(Of, A))
    Is.Contracted = true;
  const FactorNotation *Notation = notationOf(*O.Rule);
  if (!Notation || !Decls.Global.empty())
    return;
  std::vector<PartitionSpec> Specs(O.Operands.size());
  llvm::SmallVector<const PartitionSpec *, 4> Operands(O.Operands.size());
  bool AnyShards = false;
  for (std::size_t I = 0; I != O.Operands.size(); ++I) {
    if (O.Operands[I].Scalar || O.FormalOf[I] >= Notation->Operands.size())
      continue;
    auto Lies =
        layoutOf(Of.Cells[I]->Axes[A], A, Notation->Operands[O.FormalOf[I]]);
    if (!Lies || Of.Cells[I]->Undefined)
      return;
    AnyShards |= Lies->dimOf(A).has_value();
    Specs[I] = std::move(*Lies);
    Operands[I] = &Specs[I];
  }
  if (!AnyShards)
    return;
  const auto SizeOf = [](const SizeTerm &) { return Extent(); };
  const ShapedCall Call{O.Rule,      O.FormalOf, Operands,
                        O.Arguments, SizeOf,     &Decls.Sizes};
  FactorRuleOr Rule = factorRuleOf(Call);
  auto *Factors = std::get_if<FactorRule>(&Rule);
  if (!Factors)
    return;
  const llvm::SmallVector<DimAxes, 4> Pending(O.Operands.size());
  auto Found = propagate(*Factors, Call, Of.Summed, Pending);
  if (auto *Wrong = std::get_if<SpecViolation>(&Found)) {
    Is.Contracted = Wrong->K == SpecViolation::Kind::Contraction;
    if (Wrong->K == SpecViolation::Kind::Missing)
      tell(In, NoResultSpec{O, *Wrong, Operands});
    return;
  }
  if (!Is.isSurely(LocalType::V) || !Factors->HasResult)
    return;
  if (const auto D = std::get<Propagation>(Found).Result.dimOf(A))
    Is.Dim = static_cast<std::int8_t>(*D);
}

} // namespace spmd::rules::inference
