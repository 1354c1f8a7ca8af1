//===- CallSite.cpp - A call in one shape ---------------------------------===//

#include "CallSite.h"

#include "DeclaredClasses.h"
#include "KnownTypes.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace spmd::lint {

CallSite::CallSite(const Expr *E) : Call(E) {
  if (const auto *X = dyn_cast<CXXConstructExpr>(E)) {
    Callee = X->getConstructor();
    Arguments.append(X->arg_begin(), X->arg_end());
  } else if (const auto *X = dyn_cast<CallExpr>(E)) {
    Callee = X->getDirectCallee();
    Arguments.append(X->arg_begin(), X->arg_end());
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(X)) {
      Receiver = M->getImplicitObjectArgument();
    } else if (isa<CXXOperatorCallExpr>(X) &&
               isa_and_nonnull<CXXMethodDecl>(Callee) && !Arguments.empty() &&
               !cast<CXXMethodDecl>(Callee)->isStatic()) {
      Receiver = Arguments.front();
      Arguments.erase(Arguments.begin());
    }
  }
  if (Callee)
    Name = sameInLibtorch(Callee);
  if (Callee && Name.empty())
    Name = qualifiedName(Callee);
}

} // namespace spmd::lint
