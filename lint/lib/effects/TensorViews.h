//===- TensorViews.h - Tensors that share storage --------------- -*- C++
//-*-===//

#ifndef SPMD_LINT_EFFECTS_TENSORVIEWS_H
#define SPMD_LINT_EFFECTS_TENSORVIEWS_H

#include "Recursion.h"
#include "cxx/CallSite.h"

namespace spmd::lint::effects {

class TensorViews : PartLowering {
public:
  TensorViews(StatementWriter &Out, ExpressionLowering &Exprs)
      : PartLowering(Out, Exprs) {}

  /// A pointer to the gradient of a tensor, or to another handle of its storage
  /// or of a part of that; null of other calls.
  const Expr *lower(const CallSite &C);

private:
  /// The part that the call's arguments name: parts of other names may be
  /// apart.
  const Expr *part(const CallSite &C, const Expr *Storage);
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_TENSORVIEWS_H
