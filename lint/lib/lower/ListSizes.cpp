//===- ListSizes.cpp - Numbers that say how long a list is ----------------===//

#include "ListSizes.h"

#include "LoopCounters.h"
#include "Strip.h"

#include "cxx/CallSite.h"
#include "cxx/KnownTypes.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

const Expr *listOfSize(const Expr *E) {
  E = strip(E)->IgnoreParenCasts();
  // `const size_t n = list.size();`
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
    return VD && VD->isLocalVarDecl() && VD->getInit() && neverChanges(VD)
               ? listOfSize(VD->getInit())
               : nullptr;
  }
  if (!isa<CallExpr>(E))
    return nullptr;
  const CallSite C(E);
  if (C.Receiver && C.base() == "size" && C.Arguments.empty())
    return C.Receiver;
  return C.Name == "std::size" && C.Arguments.size() == 1 ? C.Arguments[0]
                                                          : nullptr;
}

const Expr *listOfPart(const Expr *E) {
  const auto *B = dyn_cast<BinaryOperator>(strip(E)->IgnoreParenImpCasts());
  return B && (B->getOpcode() == BO_Div || B->getOpcode() == BO_Sub)
             ? listOfSize(B->getLHS())
             : nullptr;
}

namespace {

/// The local vectors that are made with a number, and how often they are
/// mentioned, in all and where that leaves their size alone.
class SizeVisitor : public RecursiveASTVisitor<SizeVisitor> {
public:
  bool VisitVarDecl(VarDecl *VD) {
    const auto *Made = dyn_cast_or_null<CXXConstructExpr>(
        VD->isLocalVarDecl() && VD->getInit() ? VD->getInit()->IgnoreImplicit()
                                              : nullptr);
    if (Made && Made->getNumArgs() != 0 &&
        className(VD->getType()) == "std::vector" &&
        Made->getArg(0)->getType()->isIntegerType())
      Sizes[VD] = Made->getArg(0);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const auto *VD = dyn_cast<VarDecl>(E->getDecl()))
      ++Changes[VD];
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CXXMethodDecl *Method = E->getMethodDecl();
    if (Method && (Method->isConst() ||
                   (Method->getIdentifier() &&
                    llvm::is_contained({"begin", "end", "rbegin", "rend",
                                        "data", "front", "back", "at"},
                                       Method->getName()))))
      leavesAlone(E->getImplicitObjectArgument());
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    leavesAlone(S->getRangeInit());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    if (const auto *X = dyn_cast<CXXOperatorCallExpr>(E);
        X && X->getOperator() == OO_Subscript)
      leavesAlone(X->getArg(0));
    else if (const FunctionDecl *FD = E->getDirectCallee(); FD && !X)
      given(FD, llvm::ArrayRef(E->getArgs(), E->getNumArgs()));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    given(E->getConstructor(), llvm::ArrayRef(E->getArgs(), E->getNumArgs()));
    return true;
  }

  llvm::DenseMap<const VarDecl *, const Expr *> Sizes;
  llvm::DenseMap<const VarDecl *, int> Changes;

private:
  void given(const FunctionDecl *FD, llvm::ArrayRef<const Expr *> Arguments) {
    for (unsigned I = 0; I < FD->getNumParams() && I < Arguments.size(); ++I)
      if (const QualType P = FD->getParamDecl(I)->getType();
          P->isLValueReferenceType() && P->getPointeeType().isConstQualified())
        leavesAlone(Arguments[I]);
  }
  void leavesAlone(const Expr *E) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts()))
      if (const auto *VD = dyn_cast<VarDecl>(Ref->getDecl()))
        --Changes[VD];
  }
};

} // namespace

const Expr *MadeSizes::of(const Expr *List) {
  const auto *Ref = dyn_cast<DeclRefExpr>(List->IgnoreParenImpCasts());
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!VD || !VD->isLocalVarDecl() || className(VD->getType()) != "std::vector")
    return nullptr;
  if (!Sizes) {
    SizeVisitor V;
    V.TraverseStmt(FD->getBody());
    Sizes.emplace();
    for (const auto &[Of, Number] : V.Sizes)
      if (V.Changes.lookup(Of) == 0)
        Sizes->insert({Of, Number});
  }
  return Sizes->lookup(VD);
}

} // namespace spmd::lint::lower
