//===- GivenGradients.cpp - What backward passes of users leave -----------===//

#include "GivenGradients.h"

#include "transfer/GivenBackwards.h"

#include "spmd/ir/Walk.h"

namespace spmd::rules::inference {

/// The value that \p Backward returns as the \p Input-th gradient.
static Operand returnedGradient(const Function &Backward, std::size_t Input) {
  const SlotId Element = gradientSlot(Backward, Input);
  for (const BindFact &Bind : factsOf<BindFact>(Backward))
    if (Bind.Dst == Element)
      return Bind.Src;
  return {};
}

void GivenGradients::run(const UnfitGradient &Seen) {
  const auto &[Call, Backward, A, Input, Of, Gradient] = Seen;
  GivenGradient What;
  What.Input = Report.operandOf(Call.Backward->Inputs[Input], Of).Name;
  What.InputType = Of.type();
  Violation V =
      Report.violation(std::move(What), Call.At, A, Backward.DisplayName);
  // It is the pass that is wrong, not who has it called.
  const Operand Left = returnedGradient(Backward, Input);
  V.In = &Backward;
  V.At = Left.At;
  V.CalledFrom = {{&F, Call.At}};
  V.Operands.push_back({Left.At,
                        Left.Slot == SlotId::None
                            ? std::string()
                            : Backward.slot(Left.Slot).Name,
                        Gradient.type(),
                        Gradient.From ? *Gradient.From : Origin(),
                        {}});
  Report.report(std::move(V));
}

} // namespace spmd::rules::inference
