//===- PointerOrigins.cpp - What pointers are computed from ---------------===//

#include "PointerOrigins.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

const Expr *bare(const Expr *E) {
  while (E) {
    E = E->IgnoreParenCasts();
    const auto *U = dyn_cast<UnaryOperator>(E);
    if (!U || U->getOpcode() != UO_Extension)
      break;
    E = U->getSubExpr();
  }
  return E;
}

PointerMember memberOf(const Expr *E) {
  const auto *M = dyn_cast_or_null<MemberExpr>(bare(E));
  const auto *Field = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
  if (!Field)
    return {};
  const Expr *Base = bare(M->getBase());
  if (isa<CXXThisExpr>(Base))
    return {nullptr, nullptr, Field};
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Base))
    return {Ref->getDecl(), nullptr, Field};
  const PointerMember Outer = memberOf(Base);
  return Outer && !Outer.In && !M->isArrow()
             ? PointerMember{Outer.Object, Outer.Field, Field}
             : PointerMember();
}

const Expr *addressed(const Expr *E) {
  const auto *U = dyn_cast_or_null<UnaryOperator>(bare(E));
  return U && U->getOpcode() == UO_AddrOf ? U->getSubExpr() : nullptr;
}

const VarDecl *variableOf(const Expr *E) {
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(bare(E));
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

bool PointerOrigins::VisitVarDecl(VarDecl *VD) {
  if (VD->getInit())
    ValuesOf[VD].push_back(VD->getInit());
  return true;
}

bool PointerOrigins::VisitBinaryOperator(BinaryOperator *E) {
  if (E->getOpcode() != BO_Assign)
    return true;
  if (const VarDecl *VD = variableOf(E->getLHS())) {
    ValuesOf[VD].push_back(E->getRHS());
    if (VD->hasGlobalStorage())
      Globals.emplace_back(VD, E->getRHS());
  } else {
    Assigned.push_back({E->getLHS(), E->getRHS()});
  }
  return true;
}

bool PointerOrigins::VisitCallExpr(CallExpr *E) {
  Calls.push_back(E);
  return true;
}

bool PointerOrigins::VisitReturnStmt(ReturnStmt *S) {
  if (S->getRetValue())
    Returned.push_back(S->getRetValue());
  return true;
}

const Expr *PointerOrigins::onlyValue(const VarDecl *VD) const {
  const Expr *Only = nullptr;
  const auto Values = ValuesOf.find(VD);
  if (Values == ValuesOf.end())
    return nullptr;
  for (const Expr *Value : Values->second) {
    const auto *B = dyn_cast<BinaryOperator>(bare(Value));
    if (B && B->isAdditiveOp() &&
        (variableOf(B->getLHS()) == VD || variableOf(B->getRHS()) == VD))
      continue;
    if (Only)
      return nullptr;
    Only = Value;
  }
  return Only;
}

PointerOrigin PointerOrigins::originOf(const Expr *E, unsigned Depth) const {
  constexpr unsigned MaxDepth = 8;
  E = bare(E);
  if (!E || Depth > MaxDepth)
    return {};
  if (const PointerMember M = memberOf(E))
    return {nullptr, M};
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
    return originOf(B->getLHS()->getType()->isPointerType() ? B->getLHS()
                                                            : B->getRHS(),
                    Depth + 1);
  if (const Expr *Of = addressed(E))
    if (const auto *At = dyn_cast<ArraySubscriptExpr>(bare(Of)))
      return originOf(At->getBase(), Depth + 1);
  const auto *Method = dyn_cast<CXXMemberCallExpr>(E);
  if (Method && Method->getMethodDecl() &&
      Method->getMethodDecl()->getNameAsString() == "data")
    if (const VarDecl *Vector = variableOf(Method->getImplicitObjectArgument()))
      return {Vector, {}};
  const VarDecl *VD = variableOf(E);
  if (!VD || !VD->isLocalVarDeclOrParm())
    return {};
  if (VD->getType()->isArrayType() ||
      (VD->getType()->isPointerType() && isa<ParmVarDecl>(VD)))
    return {VD, {}};
  if (!VD->getType()->isPointerType())
    return {};
  const Expr *Value = onlyValue(VD);
  const PointerOrigin Before =
      Value ? originOf(Value, Depth + 1) : PointerOrigin();
  return Before.Variable || Before.Of ? Before : PointerOrigin{VD, {}};
}

std::vector<PointerMember> PointerOrigins::pointees(const Expr *Target) const {
  if (const PointerMember M = memberOf(Target))
    return {M};
  const auto *Deref = dyn_cast<UnaryOperator>(bare(Target));
  const auto *At = Deref && Deref->getOpcode() == UO_Deref
                       ? dyn_cast<ArraySubscriptExpr>(bare(Deref->getSubExpr()))
                       : nullptr;
  const VarDecl *Array = At ? variableOf(At->getBase()) : nullptr;
  const auto *Init =
      Array && Array->getInit()
          ? dyn_cast<InitListExpr>(Array->getInit()->IgnoreImplicit())
          : nullptr;
  std::vector<PointerMember> Out;
  for (unsigned I = 0; Init && I != Init->getNumInits(); ++I)
    if (const PointerMember M = memberOf(addressed(Init->getInit(I))))
      Out.push_back(M);
  return Out;
}

std::optional<std::optional<unsigned>>
PointerOrigins::memoryAt(const PointerOrigin &O) const {
  if (const auto *P = dyn_cast_or_null<ParmVarDecl>(O.Variable))
    return P->getFunctionScopeIndex();
  for (const Expr *E : Returned)
    if (O.Variable && originOf(E).Variable == O.Variable)
      return std::optional<unsigned>();
  return std::nullopt;
}

/// How many calls get the address of \p VD.
unsigned PointerOrigins::timesAddressed(const VarDecl *VD) const {
  unsigned Out = 0;
  for (const CallExpr *E : Calls)
    for (const Expr *A : E->arguments())
      if (const Expr *Of = addressed(A))
        Out += variableOf(Of) == VD;
  return Out;
}

bool PointerOrigins::isSetOnce(const VarDecl *VD) const {
  unsigned Times = timesAddressed(VD) + isa<ParmVarDecl>(VD);
  if (const auto Values = ValuesOf.find(VD); Values != ValuesOf.end())
    Times += llvm::count_if(Values->second, [&](const Expr *Value) {
      return !Value->isNullPointerConstant(FD->getASTContext(),
                                           Expr::NPC_ValueDependentIsNotNull);
    });
  return Times <= 1;
}

} // namespace spmd::lint::lower
