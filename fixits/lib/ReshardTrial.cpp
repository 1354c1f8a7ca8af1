//===- ReshardTrial.cpp - An op whose operands lie otherwise --------------===//

#include "ReshardTrial.h"

#include "spmd/fixits/SizesOfParts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

bool ReshardTrial::ruleIsSure() const {
  using K = SpecViolation::Kind;
  return Wrong.K != K::AcrossView && Wrong.K != K::Uneven &&
         !Wrong.Rule.ResultIsWritten &&
         Wrong.Rule.Operands.size() == Fact.Operands.size();
}

std::variant<Propagation, SpecViolation>
ReshardTrial::propagated(const Changes &Now,
                         llvm::ArrayRef<AxisId> OutPartial) const {
  llvm::SmallVector<const PartitionSpec *, 4> Operands;
  llvm::SmallVector<DimAxes, 4> Pending;
  for (unsigned I = 0; I != Values.size(); ++I) {
    Operands.push_back(!Values[I] || Fact.Operands[I].Scalar ? nullptr
                       : Now[I] ? &Now[I]->Spec
                                : &Values[I]->Spec);
    DimAxes &P = Pending.emplace_back();
    for (AxisId A : S.Global)
      if (Values[I] && Values[I]->typeOn(A) == LocalType::P)
        P.push_back(A);
  }
  ShapedCall Call;
  Call.Op = Fact.Rule;
  Call.FormalOf = Fact.FormalOf;
  Call.Operands = Operands;
  Call.Arguments = Fact.Arguments;
  Call.Axes = &S.Mesh;
  return propagate(Wrong.Rule, Call, OutPartial, Pending);
}

bool ReshardTrial::isRight(const Changes &Now) const {
  return std::holds_alternative<Propagation>(propagated(Now, {})) &&
         sizesFit(Now);
}

/// Whether no factor is in one operand as long as its part on a rank is in
/// another: nobody knows how many ranks there are, but for one it would do.
bool ReshardTrial::sizesFit(const Changes &Now) const {
  llvm::DenseMap<unsigned, Extent> Sizes;
  for (unsigned I = 0; I != std::min(Values.size(), Wrong.Rule.Operands.size());
       ++I) {
    if (!Values[I])
      continue;
    const PartitionSpec &Is = Now[I] ? Now[I]->Spec : Values[I]->Spec;
    const FactorRule::Tensor &Dims = Wrong.Rule.Operands[I];
    for (unsigned D = 0; D != std::min<std::size_t>(Dims.size(), Is.rank());
         ++D) {
      if (Dims[D].size() != 1 || !Is.Dims[D].Size.isKnown())
        continue;
      const auto [At, New] =
          Sizes.try_emplace(Dims[D].front(), Is.Dims[D].Size);
      if (!New && isPartOfOther(At->second, Is.Dims[D].Size, S.Mesh, S.Global))
        return false;
    }
  }
  return true;
}

bool ReshardTrial::isRightOnAxis(const Changes &Now) const {
  if (!Wrong.Axis)
    return false;
  std::vector<Placement> Alone;
  Alone.reserve(Values.size());
  Changes Only(Values.size());
  for (unsigned I = 0; I != Values.size(); ++I) {
    if (!Values[I])
      continue;
    Alone.push_back(Now[I] ? *Now[I] : *Values[I]);
    for (ShardedDim &D : Alone.back().Spec.Dims)
      llvm::erase_if(D.Axes, [&](AxisId A) { return A != Wrong.Axis; });
    Only[I] = &Alone.back();
  }
  return isRight(Only);
}

} // namespace spmd::fixits
