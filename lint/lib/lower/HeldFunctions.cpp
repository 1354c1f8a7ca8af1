//===- HeldFunctions.cpp - What a variable that is called holds -----------===//

#include "HeldFunctions.h"

#include "Constancy.h"
#include "Strip.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"

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

/// The function that \p E, which is one or a variable that holds one, is.
static const FunctionDecl *heldBy(const Expr *E, const HeldIn &Known) {
  E = converted(E);
  if (const auto *Lambda = dyn_cast<LambdaExpr>(E))
    return Lambda->getCallOperator();
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  if (!Ref)
    return nullptr;
  if (const auto *FD = dyn_cast<FunctionDecl>(Ref->getDecl()))
    return isa<CXXMethodDecl>(FD) ? nullptr : FD;
  const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
  if (!VD || !isFunctionObject(VD->getType().getNonReferenceType()) ||
      !Known.Constant.isConstant(VD))
    return nullptr;
  if (const auto *P = dyn_cast<ParmVarDecl>(VD))
    return P->getFunctionScopeIndex() < Known.Parameters.size()
               ? Known.Parameters[P->getFunctionScopeIndex()]
               : nullptr;
  return VD->isLocalVarDecl() && VD->getInit() ? heldBy(VD->getInit(), Known)
                                               : nullptr;
}

const FunctionDecl *heldFunction(const Expr *Call, const HeldIn &Known) {
  const auto *X = dyn_cast<CallExpr>(Call);
  const auto *Op = dyn_cast<CXXOperatorCallExpr>(Call);
  if (!X || (Op && Op->getOperator() != OO_Call))
    return nullptr;
  const Expr *Called = converted(Op ? Op->getArg(0) : X->getCallee());
  const auto *Ref = dyn_cast<DeclRefExpr>(Called);
  return Ref && isa<VarDecl>(Ref->getDecl()) ? heldBy(Called, Known) : nullptr;
}

namespace {

/// The parameters that a body calls, or hands on to what it calls.
class UsedFunctions : public RecursiveASTVisitor<UsedFunctions> {
public:
  bool VisitCallExpr(CallExpr *E) {
    note(E->getCallee());
    for (const Expr *A : E->arguments())
      note(A);
    return true;
  }

  llvm::SmallPtrSet<const ParmVarDecl *, 4> Found;

private:
  void note(const Expr *E) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(converted(E)))
      if (const auto *P = dyn_cast<ParmVarDecl>(Ref->getDecl()))
        Found.insert(P);
  }
};

} // namespace

HeldFunctions handedFunctions(const CallSite &C, const FunctionDecl *Callee,
                              const HeldIn &Known) {
  HeldFunctions Out(Callee->getNumParams());
  const FunctionDecl *Body = nullptr;
  for (unsigned I = 0;
       I != std::min<std::size_t>(Out.size(), C.Arguments.size()); ++I)
    if (isFunctionObject(
            Callee->getParamDecl(I)->getType().getNonReferenceType()))
      Out[I] = heldBy(C.Arguments[I], Known);
  const auto IsNone = [](const FunctionDecl *F) { return !F; };
  if (llvm::all_of(Out, IsNone) || !Callee->hasBody(Body))
    return {};
  UsedFunctions Used;
  Used.TraverseStmt(Body->getBody());
  for (unsigned I = 0; I != Out.size(); ++I)
    if (!Used.Found.contains(Body->getParamDecl(I)))
      Out[I] = nullptr;
  return llvm::all_of(Out, IsNone) ? HeldFunctions() : Out;
}

} // namespace spmd::lint::lower
