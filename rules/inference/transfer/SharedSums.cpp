//===- SharedSums.cpp - Shares of sums, and sums by messages --------------===//

#include "OpTransfer.h"

#include "passes/SumTerms.h"

#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Whether \p Of is each rank's share of what all ranks have on \p A: the same
/// on all, and, as a sum over them, the whole. Its gradient as one of these is
/// not that of an I.
bool OpTransfer::dividesEqually(const Run &Of, AxisId A,
                                llvm::ArrayRef<TypeSet> Sets) {
  return Of.O.Rule->is(OpRole::Divides) && Sets.size() == 2 &&
         !Of.Cells[1]->Undefined && (Of.Cells[1]->SizeOf & 1u << A) &&
         Sets[0].contains(LocalType::R) &&
         Sets[0].subsetOf(LocalType::R | LocalType::I);
}

/// The operand of \p Of that it divides by the number of ranks on \p A, or
/// multiplies by a share, `y += rate / ranks * x` among them.
std::optional<std::size_t>
OpTransfer::dividedByRanks(const Run &Of, AxisId A,
                           llvm::ArrayRef<TypeSet> Sets) {
  const OpFact &O = Of.O;
  const auto IsShare = [&](std::size_t I) {
    if (Of.Cells[I]->Undefined || Sets[I].contains(LocalType::V))
      return false;
    return (O.Operands[I].Scalar && Of.Cells[I]->Axes[A].Share) ||
           ((Of.Cells[I]->Number || O.Operands[I].Scalar) &&
            Sets[I].contains(LocalType::P) && Sets[I].contains(LocalType::R));
  };
  const auto OtherOf = [&](std::size_t I,
                           std::size_t J) -> std::optional<std::size_t> {
    return IsShare(J)   ? std::optional(I)
           : IsShare(I) ? std::optional(J)
                        : std::nullopt;
  };
  if (Sets.size() == 2) {
    if (O.Rule->is(OpRole::Divides) && !Of.Cells[1]->Undefined &&
        (Of.Cells[1]->SizeOf & 1u << A))
      return 0;
    return O.Rule->is(OpRole::Multiplies) ? OtherOf(0, 1) : std::nullopt;
  }
  for (const RuleTerm &C : O.Rule->Term.Children) {
    OperandList Factors;
    for (std::size_t I = 0; I != Sets.size(); ++I)
      if (readsValue(C, O.FormalOf[I]))
        Factors.push_back(I);
    if (isMultilinear(C) && Factors.size() == 2)
      if (const auto Other = OtherOf(Factors[0], Factors[1]))
        return Other;
  }
  return std::nullopt;
}

/// Whether \p Of adds what messages brought to what a rank has: where each
/// sends its own round, all have one sum in the end.
bool OpTransfer::addsMessages(const Run &Of, AxisId A) {
  return Of.O.Rule->is(OpRole::Adds) &&
         llvm::any_of(Of.Cells, [A](const AbstractValue *C) {
           return !C->Undefined && C->Axes[A].OfMessages;
         });
}

} // namespace spmd::rules::inference
