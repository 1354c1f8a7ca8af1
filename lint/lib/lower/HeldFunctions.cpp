//===- HeldFunctions.cpp - What a variable that is called holds -----------===//

#include "HeldFunctions.h"

#include "Constancy.h"
#include "Strip.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace spmd::lint::lower {

static bool isFunctionObject(QualType T) {
  return className(T) == "std::function" || T->isFunctionPointerType();
}

/// What \p E is without the conversions to a pointer or a std::function.
static const Expr *converted(const Expr *E) {
  for (;;) {
    E = strip(E)->IgnoreParenImpCasts();
    if (const auto *C = dyn_cast<CXXConstructExpr>(E);
        C && C->getNumArgs() >= 1 && className(E->getType()) == "std::function")
      E = C->getArg(0);
    else if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E);
             Call && isa<CXXConversionDecl>(Call->getMethodDecl()))
      E = Call->getImplicitObjectArgument();
    else if (const auto *U = dyn_cast<UnaryOperator>(E);
             U && (U->getOpcode() == UO_AddrOf || U->getOpcode() == UO_Plus))
      E = U->getSubExpr();
    else
      return E;
  }
}

const LambdaExpr *heldLambda(const Expr *Init) {
  return Init && isFunctionObject(Init->getType())
             ? dyn_cast<LambdaExpr>(converted(Init))
             : nullptr;
}

const FunctionDecl *heldFunction(const Expr *Call, const Constancy &Constant) {
  const auto *X = dyn_cast<CallExpr>(Call);
  const auto *Op = dyn_cast<CXXOperatorCallExpr>(Call);
  if (!X || (Op && Op->getOperator() != OO_Call))
    return nullptr;
  const Expr *Called = Op ? Op->getArg(0) : X->getCallee();
  const auto *Ref = dyn_cast<DeclRefExpr>(converted(Called));
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!VD || !VD->isLocalVarDecl() || !VD->getInit() ||
      !isFunctionObject(VD->getType()) || !Constant.isConstant(VD))
    return nullptr;
  const Expr *Held = converted(VD->getInit());
  if (const auto *Lambda = dyn_cast<LambdaExpr>(Held))
    return Lambda->getCallOperator();
  const auto *Named = dyn_cast<DeclRefExpr>(Held);
  const auto *FD = Named ? dyn_cast<FunctionDecl>(Named->getDecl()) : nullptr;
  return isa_and_nonnull<CXXMethodDecl>(FD) ? nullptr : FD;
}

} // namespace spmd::lint::lower
