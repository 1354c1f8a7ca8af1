//===- Strip.cpp - Expressions without what says nothing ------------------===//

#include "Strip.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace spmd::lint::lower {

/// What `torch::tensor(0.5)` makes a container of, to copy from.
static const Expr *wrappedData(const Expr *E) {
  const auto *C = dyn_cast<CXXConstructExpr>(E);
  return C && C->getNumArgs() == 1 &&
                 className(C->getType()) == "torch::detail::TensorDataContainer"
             ? C->getArg(0)
             : nullptr;
}

const FieldDecl *memberOfThis(const Expr *E) {
  const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts());
  return M && isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts())
             ? dyn_cast<FieldDecl>(M->getMemberDecl())
             : nullptr;
}

const Expr *strip(const Expr *E) {
  while (E) {
    const Expr *Next = E->IgnoreParens();
    if (const auto *X = dyn_cast<FullExpr>(Next))
      Next = X->getSubExpr();
    else if (const auto *X = dyn_cast<MaterializeTemporaryExpr>(Next))
      Next = X->getSubExpr();
    else if (const auto *X = dyn_cast<CXXBindTemporaryExpr>(Next))
      Next = X->getSubExpr();
    else if (const auto *X = dyn_cast<SubstNonTypeTemplateParmExpr>(Next))
      Next = X->getReplacement();
    else if (const auto *X = dyn_cast<CXXStdInitializerListExpr>(Next))
      Next = X->getSubExpr();
    else if (const Expr *X = wrappedData(Next))
      Next = X;
    else if (const LambdaExpr *X = lambdaOfLocalMap(Next))
      Next = X; // at run time it is that
    else if (const auto *X = dyn_cast<OpaqueValueExpr>(Next);
             X && X->getSourceExpr())
      Next = X->getSourceExpr();
    else if (const auto *X = dyn_cast<ImplicitCastExpr>(Next);
             X && (X->getCastKind() == CK_NoOp ||
                   X->getCastKind() == CK_DerivedToBase ||
                   X->getCastKind() == CK_UncheckedDerivedToBase ||
                   X->getCastKind() == CK_UserDefinedConversion ||
                   X->getCastKind() == CK_ConstructorConversion))
      Next = X->getSubExpr();
    if (Next == E)
      break;
    E = Next;
  }
  return E;
}

/// Whether one argument is all that \p Made is written with.
static bool givenAlone(const CXXConstructExpr *Made) {
  return Made->getNumArgs() && !isa<CXXDefaultArgExpr>(Made->getArg(0)) &&
         (Made->getNumArgs() == 1 || isa<CXXDefaultArgExpr>(Made->getArg(1)));
}

const Expr *handedOver(const Expr *E) {
  const Expr *Inner = E;
  while (Inner) {
    E = strip(Inner)->IgnoreParenImpCasts();
    const auto *Made = dyn_cast<CXXConstructExpr>(E);
    const auto *Call = dyn_cast<CallExpr>(E);
    Inner = Made && givenAlone(Made)          ? Made->getArg(0)
            : Call && Call->isCallToStdMove() ? Call->getArg(0)
                                              : nullptr;
  }
  return E;
}

const ValueDecl *namedBy(const Expr *E) {
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return Ref->getDecl();
  const auto *M = dyn_cast<MemberExpr>(E);
  return M ? M->getMemberDecl() : nullptr;
}

std::string printed(const Expr *E, const ASTContext &Ctx) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  E->IgnoreParenImpCasts()->printPretty(OS, nullptr, Ctx.getPrintingPolicy());
  return Out;
}

bool isAbsent(const Expr *E) {
  if (const auto *D = dyn_cast<CXXDefaultArgExpr>(E))
    return isAbsent(strip(D->getExpr()));
  if (const auto *L = dyn_cast<InitListExpr>(E))
    return L->getNumInits() == 0;
  if (const auto *C = dyn_cast<CXXConstructExpr>(E)) {
    if (C->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(C->getArg(0)))
      return true;
    return isAbsent(strip(C->getArg(0)));
  }
  const std::string Name = className(E->getType());
  return Name == "std::nullopt_t" || Name == "c10::nullopt_t" ||
         E->getType()->isNullPtrType();
}

bool isClosure(const Expr *E) {
  const CXXRecordDecl *RD =
      E->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return RD && RD->isLambda();
}

const LambdaExpr *lambdaOfLocalMap(const Expr *E) {
  const auto *C = dyn_cast_or_null<CallExpr>(E);
  const FunctionDecl *Callee = C ? C->getDirectCallee() : nullptr;
  if (!Callee || !Callee->getIdentifier() || Callee->getName() != "local_map" ||
      C->getNumArgs() != 3 ||
      Callee->getQualifiedNameAsString() != "spmd::local_map")
    return nullptr;
  return dyn_cast<LambdaExpr>(strip(C->getArg(0)));
}

} // namespace spmd::lint::lower
