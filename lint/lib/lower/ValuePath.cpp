//===- ValuePath.cpp - Variables and members by their names ---------------===//

#include "ValuePath.h"

#include "Strip.h"

using namespace clang;

namespace spmd::lint::lower {

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
  std::vector<const ValueDecl *> Path = pathOf(Member->getBase());
  if (!Path.empty())
    Path.push_back(Member->getMemberDecl());
  return Path;
}

} // namespace spmd::lint::lower
