//===- DeclaredShards.cpp - Ops in notation on shards by local types ------===//
//
// A local type may say of which dim each rank has a shard. Where the op says in
// factor notation what it makes of dims, the shards must fit; and of a dim that
// it contracts, each rank makes terms of a sum.
//
//===----------------------------------------------------------------------===//

#include "OpTransfer.h"

#include "spmd/ops/FactorRule.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// The one notation of \p Rule, which says how many dims each operand has.
static const FactorNotation *notationOf(const OpRule &Rule) {
  if (!Rule.Shape || Rule.Shape->Notations.size() != 1 ||
      !Rule.Shape->Otherwise.empty())
    return nullptr;
  const FactorNotation &N = Rule.Shape->Notations.front();
  const auto HasEllipsis = [](const FactorTensor &T) {
    return llvm::any_of(
        T, [](const FactorDim &D) { return D.K == FactorDim::Kind::Ellipsis; });
  };
  return llvm::any_of(N.Operands, HasEllipsis) ? nullptr : &N;
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

void OpTransfer::matchShards(const Run &Of, AxisId A, AxisState &Is) {
  const OpFact &O = Of.O;
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
