//===- ValuePath.cpp - Variables and members by their names ---------------===//

#include "ValuePath.h"

#include "Strip.h"

using namespace clang;

namespace spmd::lint::lower {

/// `p` of the `p->` of a smart pointer.
static const Expr *holder(const Expr *Base) {
  const auto *Call =
      dyn_cast<CXXOperatorCallExpr>(strip(Base)->IgnoreParenImpCasts());
  return Call && Call->getNumArgs() == 1 &&
                 (Call->getOperator() == OO_Arrow ||
                  Call->getOperator() == OO_Star)
             ? Call->getArg(0)
             : Base;
}

std::vector<const ValueDecl *> pathOf(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return {Ref->getDecl()};
  if (isa<CXXThisExpr>(E))
    return {nullptr};
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_Deref)
    return pathOf(U->getSubExpr());
  const auto *Member = dyn_cast<MemberExpr>(E);
  if (!Member || !isa<FieldDecl>(Member->getMemberDecl()))
    return {};
  std::vector<const ValueDecl *> Path = pathOf(holder(Member->getBase()));
  if (!Path.empty())
    Path.push_back(Member->getMemberDecl());
  return Path;
}

} // namespace spmd::lint::lower
