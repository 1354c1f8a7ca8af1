//===- Containers.h - Elements one by one, and how many ------- -*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_CONTAINERS_H
#define SPMD_LINT_EFFECTS_CONTAINERS_H

#include "Recursion.h"
#include "cxx/CallSite.h"

namespace spmd::lint::effects {

/// The list that \p E is, as it is written: `{2, 3}`; null if it is none.
const clang::InitListExpr *writtenList(const clang::Expr *E);

class Containers : PartLowering {
public:
  Containers(StatementWriter &Out, ExpressionLowering &Exprs,
             ObjectLowering &Objects)
      : PartLowering(Out, Exprs), Objects(Objects) {}

  /// Null where it is not known what is done.
  const Expr *lower(const CallSite &C);
  /// A container of what is listed, or of so many; false: of whatever.
  bool construct(const Expr *Into, const clang::CXXConstructExpr *E);

private:
  ObjectLowering &Objects;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_CONTAINERS_H
