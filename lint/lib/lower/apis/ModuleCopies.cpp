//===- ModuleCopies.cpp - Copies that each rank trains by itself ----------===//

#include "ModuleCopies.h"

#include "../Strip.h"

#include "cxx/CallSite.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// Whether an expression has another one in it.
class Mentions : public RecursiveASTVisitor<Mentions> {
public:
  Mentions(const Expr *Sought, const llvm::DenseSet<const ValueDecl *> &Names)
      : Sought(Sought), Names(Names) {}

  bool VisitExpr(Expr *E) {
    Found |= E == Sought;
    return !Found;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Found |= Names.contains(E->getDecl());
    return !Found;
  }
  bool Found = false;

private:
  const Expr *Sought;
  const llvm::DenseSet<const ValueDecl *> &Names;
};

/// The variables for a copy, its lists of parameters, and their elements; and
/// whether an element is used for anything but its gradient.
class Uses : public RecursiveASTVisitor<Uses> {
public:
  explicit Uses(const Expr *Clone) : Clone(Clone) {}

  bool VisitVarDecl(VarDecl *VD) {
    if (!VD->hasInit() || VD->isCXXForRangeDecl() || VD->isImplicit() ||
        !mentions(VD->getInit()))
      return true;
    Names.insert(VD);
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    if (S->getRangeInit() && mentions(S->getRangeInit()))
      Elements.insert(S->getLoopVariable());
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    const auto *Ref =
        C.Receiver ? dyn_cast<DeclRefExpr>(strip(C.Receiver)) : nullptr;
    const bool Asks = C.base() == "grad" || C.base() == "mutable_grad" ||
                      C.base() == "defined" || C.base() == "requires_grad" ||
                      C.base() == "numel";
    if (Ref && Asks)
      Asked.insert(Ref);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    IsChanged |= Elements.contains(E->getDecl()) && !Asked.contains(E);
    return true;
  }
  bool IsChanged = false;

private:
  bool mentions(const Expr *E) const {
    Mentions In(Clone, Names);
    In.TraverseStmt(const_cast<Expr *>(E));
    return In.Found;
  }

  const Expr *Clone;
  llvm::DenseSet<const ValueDecl *> Names, Elements;
  llvm::DenseSet<const DeclRefExpr *> Asked;
};

} // namespace

bool changesCopy(const FunctionDecl *In, const Expr *Clone) {
  Uses Of(Clone);
  if (In->getBody())
    Of.TraverseStmt(In->getBody());
  return Of.IsChanged;
}

} // namespace spmd::lint::lower
