//===- SizesOfParts.cpp - Sizes that fit on one rank only -----------------===//

#include "spmd/fixits/SizesOfParts.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

bool isPartOfOther(const Extent &A, const Extent &B, const AxisTable &Mesh,
                   llvm::ArrayRef<AxisId> Axes) {
  return llvm::any_of(Axes, [&](AxisId On) {
    const Extent Ranks = Mesh.size({On});
    return !Ranks.isOne() && (compare(A * Ranks, B) == SameSize::Yes ||
                              compare(B * Ranks, A) == SameSize::Yes);
  });
}

/// The size of the dim of operand \p I that is \p Factor alone; unknown where
/// there is none.
static Extent sizeOf(const SpecViolation &Wrong, const OperandLayouts &S,
                     unsigned I, std::optional<unsigned> Factor) {
  if (I >= S.Of.size() || I >= Wrong.Rule.Operands.size() || !S.Of[I].Spec)
    return {};
  const FactorRule::Tensor &Dims = Wrong.Rule.Operands[I];
  for (unsigned D = 0;
       D != std::min<std::size_t>(Dims.size(), S.Of[I].Spec->rank()); ++D)
    if (Dims[D].size() == 1 && Factor == Dims[D].front())
      return S.Of[I].Spec->Dims[D].Size;
  return {};
}

bool takesSamePart(const SpecViolation &Wrong, const OperandLayouts &S) {
  if (Wrong.K != SpecViolation::Kind::Missing || !Wrong.Axis || !Wrong.Other)
    return false;
  const Extent Part = sizeOf(Wrong, S, Wrong.Operand, Wrong.Factor);
  const Extent Whole = sizeOf(Wrong, S, *Wrong.Other, Wrong.Factor);
  return Part.isKnown() && Whole.isKnown() &&
         compare(Part * S.Mesh.size({*Wrong.Axis}), Whole) == SameSize::Yes;
}

} // namespace spmd::fixits
