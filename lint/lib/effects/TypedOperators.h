//===- TypedOperators.h - Calls of the project's runtime --------*- C++ -*-===//
//
// The runtime's operators are collectives on the ranks of their axis, and an
// axis is a communicator: the same one wherever it is asked of the same mesh by
// the same names.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_TYPEDOPERATORS_H
#define SPMD_LINT_EFFECTS_TYPEDOPERATORS_H

#include "Recursion.h"
#include "cxx/CallSite.h"

#include "clang/AST/ExprCXX.h"

namespace spmd::lint::effects {

class TypedOperators : PartLowering {
public:
  TypedOperators(StatementWriter &Out, ExpressionLowering &Exprs)
      : PartLowering(Out, Exprs) {
    Api->Name = "spmd";
    P.OwnApis.push_back(Api);
  }

  /// Null for what is none of the runtime's functions, or does more than its
  /// arguments and its result show.
  const Expr *lower(const CallSite &C);
  /// What makes an axis or a view; false for all other objects.
  bool construct(const Expr *Into, const clang::CXXConstructExpr *E);
  /// The rank on, or the size of, an axis; null: of all there are.
  const Expr *asked(const CallSite &C, rules::CallKind K, const Expr *Axis);

private:
  /// What the tables of other libraries say of a call, for the runtime's.
  const rules::CollectiveCall &callOf(rules::CallKind K, rules::CallForm F,
                                      rules::CallRole Returns);
  /// The buffer that a view shows from its first element on.
  const Expr *viewed(const clang::Expr *A, collectives::Event &What);
  /// The axis of these names on the mesh that the call is a method of.
  const Expr *axisOf(const CallSite &C);
  /// A wait for what was started, or the question whether it is done.
  const Expr *awaited(const CallSite &C);
  /// The gradients' buckets, which are the same on all ranks, as one call.
  const Expr *reduced(const CallSite &C);
  /// What only the rank itself does.
  const Expr *local(const CallSite &C);
  /// all_reduce(x, axis, P, R), all_reduce(in, out, axis, P, R), …
  const Expr *collective(const CallSite &C, rules::CallKind K);

  /// With the calls that the file has; the program has it, too.
  std::shared_ptr<rules::CollectiveApi> Api =
      std::make_shared<rules::CollectiveApi>();
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_TYPEDOPERATORS_H
