//===- UnknownOperands.cpp - What nobody knows decides nothing ------------===//

#include "OpTransfer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace spmd::rules::inference {

/// What the op of \p Of makes of \p Sets. Where an operand of which nobody
/// knows anything could only be of the one type that fits the others, that is
/// not known either: what code that is not seen gives may as well be of
/// another.
RuleResult OpTransfer::apply(const Run &Of, AxisId A,
                             llvm::ArrayRef<TypeSet> Sets) const {
  RuleResult R = Facts.apply(Of.O, Sets);
  // What a caller or an annotation may still describe is said to be that type.
  const bool Guesses =
      !R.Output.empty() && llvm::any_of(llvm::seq(Sets.size()), [&](auto I) {
        const AbstractValue &C = *Of.Cells[I];
        return Of.Reads[I] && !Of.O.Operands[I].Scalar && !C.Undefined &&
               !C.Untouched && !C.Number && Sets[I].isAll() &&
               C.Axes[A].May.empty() && R.Narrowed[I].isSingle();
      });
  if (!Guesses)
    return R;
  RuleResult Unknown;
  Unknown.Output = TypeSet::all();
  Unknown.Narrowed.assign(Sets.begin(), Sets.end());
  return Unknown;
}

} // namespace spmd::rules::inference
